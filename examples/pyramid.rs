//! A wall of boxes stands still; the same description runs in other engines.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let scene = rb_scenes::scene("large_pyramid").context("it is registered")?;
    let run = Run::from_args("A pyramid of 210 boxes", scene.steps);
    let desc = scene.build(20);
    let (mut world, bodies) = desc.build(Params::game())?;

    run.play(&mut world)?;

    let top = desc.quality.tops[0];
    let sunk = f64::from(desc.bodies[top].pos.y) - world.position(bodies[top])?.y;
    println!("the top box sank by {:.2} mm", 1e3 * sunk);
    run.expect(sunk.abs() < 0.1, "the pyramid to stand")
}

//! A wall of boxes stands still; the same description runs in other engines.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let scene = rb_scenes::scene("large_pyramid").context("it is registered")?;
    let desc = scene.build(20);
    let (mut world, bodies) = desc.build(Params::game())?;

    Run::from_args("A pyramid of 210 boxes", scene.steps).play(&mut world)?;

    let top = desc.quality.tops[0];
    let sunk = f64::from(desc.bodies[top].pos.y) - world.position(bodies[top])?.y;
    println!(
        "the top box sank by {:.2} mm under the weight of its supports",
        1e3 * sunk
    );
    Ok(())
}

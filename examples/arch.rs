//! An arch of loose stones stands by friction and shape alone; what carries its keystone?

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let scene = rb_scenes::scene("arch").context("it is registered")?;
    let run = Run::from_args("An arch of loose stones", scene.steps);
    let desc = scene.build(scene.size);
    let (mut world, bodies) = desc.build(Params::game())?;

    run.play(&mut world)?;

    let keystone = desc.quality.tops[0];
    let sunk = f64::from(desc.bodies[keystone].pos.y) - world.position(bodies[keystone])?.y;
    println!("the keystone sank by {:.2} mm; what holds it:", 1e3 * sunk);
    print!("{}", world.explain(bodies[keystone])?);
    run.expect(sunk < 0.5, "the arch to stand")
}

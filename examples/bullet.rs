//! A bullet crosses 5 m in one step and still does not pass a wall of 2 cm.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("bullet").context("it is registered")?;
    let run = Run::from_args("Bullets and a thin wall", demo.steps);
    let mut world = World::new(Params::game())?;
    let bodies = demo.build(&mut world, demo.size)?;

    run.play(&mut world)?;

    let (wall, plate) = (world.position(bodies[0])?, world.position(bodies[1])?);
    println!(
        "the wall is at x = 0; its bullet ended at x = {:.3} m",
        wall.x
    );
    println!("the bullet at the plate ended at x = {:.3} m", plate.x);
    let upright = (world.rotation(bodies[2])? * DVec3::Y).y;
    let fate = if upright < 0.9 {
        "was knocked over"
    } else {
        "stands"
    };
    println!("the plate {fate}");
    run.expect(wall.x < 0.0, "the bullet to stay before the wall")
}

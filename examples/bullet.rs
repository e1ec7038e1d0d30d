//! A bullet crosses 5 m in one step and still does not pass a wall of 2 cm.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("bullet").context("it is registered")?;
    let mut world = World::new(Params::game())?;
    let bodies = demo.build(&mut world, demo.size)?;

    Run::from_args("Bullets and a thin wall", demo.steps).play(&mut world)?;

    let (wall, plate) = (world.position(bodies[0])?, world.position(bodies[1])?);
    println!(
        "the bullet at the wall ended at   x = {:.3} m, the wall is at 0",
        wall.x
    );
    println!("the bullet at the plate ended at  x = {:.3} m", plate.x);
    let hit = world.rotation(bodies[2])? * DVec3::Y;
    println!(
        "the plate {}",
        if hit.y < 0.9 {
            "was knocked over"
        } else {
            "stands"
        }
    );
    Ok(())
}

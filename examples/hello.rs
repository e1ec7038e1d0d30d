//! The smallest program: a box falls on the ground and comes to rest.

use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let run = Run::from_args("A box falls", 180);
    let mut world = World::new(Params::game())?;

    let ground = world.add_body(BodyDesc::fixed())?;
    world.add_collider(ground, ColliderDesc::new(Shape::half_space(DVec3::Y)?))?;

    let cube = world.add_body(BodyDesc::dynamic().at([0.0, 3.0, 0.0]))?;
    world.add_collider(cube, ColliderDesc::new(Shape::cuboid(DVec3::splat(0.5))?))?;

    run.play(&mut world)?;

    let height = world.position(cube)?.y;
    println!("the middle of the 1 m box rests {height:.4} m above the ground");
    run.expect((height - 0.5).abs() < 5e-3, "the box to rest on the ground")
}

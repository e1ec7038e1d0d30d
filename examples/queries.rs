//! Asking a world: rays, shapes on the way, overlaps, nearest points.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let scene = rb_scenes::scene("tall_stack").context("it is registered")?;
    let run = Run::from_args("Queries at a stack of five boxes", 60);
    let (mut world, bodies) = scene.build(5).build(Params::game())?;
    run.play(&mut world)?;

    let all = QueryFilter::default();
    let down = world.cast_ray([0.2, 20.0, 0.1], DVec3::NEG_Y, 100.0, &all)?;
    let hit = down.context("the stack is there")?;
    println!("a ray from above meets y = {:.3} m", hit.point.y);

    let through = world.cast_ray_all([0.2, 20.0, 0.1], DVec3::NEG_Y, 100.0, &all)?;
    println!("on its way to the ground are {} colliders", through.len());

    let below = QueryFilter {
        exclude: Some(bodies[5]),
        ..all
    };
    let next = world.cast_ray([0.2, 20.0, 0.1], DVec3::NEG_Y, 100.0, &below)?;
    let next = next.context("four boxes are left")?;
    println!("without the top box it meets y = {:.3} m", next.point.y);

    let ball = Shape::ball(0.3)?;
    let from = Pose::from_translation(DVec3::new(-5.0, 2.5, 0.0));
    let thrown = world
        .cast_shape(&ball, from, DVec3::X, 10.0, &all)?
        .context("it hits")?;
    println!("a ball thrown at it touches after {:.3} m", thrown.distance);

    let room = Shape::cuboid(DVec3::splat(1.0))?;
    let inside = world.overlaps(&room, Pose::from_translation(DVec3::Y * 3.0), &all)?;
    println!(
        "a room of 2 m around y = 3 m holds parts of {} colliders",
        inside.len()
    );

    let near = world
        .closest_point([3.0, 1.0, 0.0], 10.0, &all)?
        .context("something is near")?;
    println!("nearest to (3, 1, 0) is {:.3}", near.point);
    run.expect((hit.point.y - 5.0).abs() < 0.05, "the ray to meet the top")
}

//! Newton's cradle: the last ball swings out as far as the first was raised.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("newton_cradle").context("it is registered")?;
    let run = Run::from_args("Newton's cradle", demo.steps);
    let mut world = World::new(Params {
        substeps: 8,
        ..Params::robotics()
    })?;
    let balls = demo.build(&mut world, demo.size)?;
    let hinge = |ball| world.joints_of(ball).map(|joints| joints[0]);
    let (first, last) = (hinge(balls[0])?, hinge(balls[balls.len() - 1])?);

    let raised = -world.coordinate(first, Axis::AngZ)?.value;
    let mut highest = 0.0f64;
    run.play_with(&mut world, |world, _| {
        highest = highest.max(world.coordinate(last, Axis::AngZ)?.value);
        Ok(())
    })?;

    println!("first ball raised by  {raised:.3} rad");
    println!("last ball swung up to {highest:.3} rad");
    run.expect(
        (highest - raised).abs() < 0.01,
        "the last ball to rise as high",
    )
}

//! Newton's cradle: the last ball swings out as far as the first was raised.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("newton_cradle").context("it is registered")?;
    let mut world = World::new(Params::robotics())?;
    let balls = demo.build(&mut world, demo.size)?;
    let (first, last) = (balls[0], balls[balls.len() - 1]);
    let hinges = [first, last].map(|ball| world.joints_of(ball).map(|joints| joints[0]));
    let [first, last] = [hinges[0].clone()?, hinges[1].clone()?];

    let raised = world.coordinate(first, Axis::AngZ)?.value;
    let mut highest = world.coordinate(last, Axis::AngZ)?.value;
    Run::from_args("Newton's cradle", demo.steps).play_with(&mut world, |world, _| {
        let angle = world.coordinate(last, Axis::AngZ)?.value;
        highest = highest.max(angle);
        Ok(())
    })?;

    println!("first ball raised by  {raised:.3} rad");
    println!("last ball swung up to {highest:.3} rad");
    Ok(())
}

//! A belt carries boxes at the speed of its surface although its body stands still.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("conveyor").context("it is registered")?;
    let run = Run::from_args("A conveyor", demo.steps);
    let mut world = World::new(Params::game())?;
    let boxes = demo.build(&mut world, demo.size)?;

    let mut riding = Vec::new();
    run.play_with(&mut world, |world, step| {
        if step == 120 {
            let speed = |&b| world.velocity(b).map(|v| v.lin.x);
            riding = boxes.iter().map(speed).collect::<Result<_, _>>()?;
        }
        Ok(())
    })?;

    println!("after 2 s the boxes ride at {riding:.3?} m/s");
    let low = |b: &&BodyHandle| world.position(**b).is_ok_and(|p| p.y < 0.9);
    let off = boxes.iter().filter(low).count();
    println!("{off} of {} have fallen off its end", boxes.len());
    let on_speed = riding.iter().all(|speed: &f64| (speed - 1.5).abs() < 0.01);
    run.expect(on_speed, "the boxes to ride at the speed of the belt")
}

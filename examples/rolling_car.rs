//! A car on four driven wheels climbs bumps, then brakes.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("rolling_car").context("it is registered")?;
    let run = Run::from_args("A car", demo.steps);
    let mut world = World::new(Params::game())?;
    let car = demo.build(&mut world, demo.size)?;
    let mut axles = Vec::new();
    for &wheel in &car[1..] {
        axles.extend_from_slice(world.joints_of(wheel)?);
    }

    let brake_at = run.steps() * 2 / 3;
    let mut top_speed = 0.0f64;
    run.play_with(&mut world, |world, step| {
        top_speed = top_speed.max(world.velocity(car[0])?.lin.x);
        if step == brake_at {
            for &axle in &axles {
                let brake = Motor::velocity(0.0).max(300.0);
                world.edit_drive(axle, Axis::AngZ, |drive| drive.motor = Some(brake))?;
            }
        }
        Ok(())
    })?;

    let at = world.position(car[0])?.x;
    let speed = world.velocity(car[0])?.lin.length();
    println!("it went {at:.2} m at up to {top_speed:.2} m/s and now moves at {speed:.3} m/s");
    run.expect(at > 10.0 && speed < 0.05, "the car to drive and stop")
}

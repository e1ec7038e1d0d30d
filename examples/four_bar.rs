//! A four-bar linkage: a closed loop with one constraint too many, driven by a motor.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("four_bar").context("it is registered")?;
    let run = Run::from_args("A four-bar linkage", demo.steps);
    let mut world = World::new(Params::robotics())?;
    let bars = demo.build(&mut world, 4)?;
    let (crank, rocker) = (world.joints_of(bars[0])?[0], world.joints_of(bars[2])?[1]);

    let mut swing = [f64::INFINITY, f64::NEG_INFINITY];
    run.play_with(&mut world, |world, _| {
        let angle = world.coordinate(rocker, Axis::AngZ)?.value;
        swing = [swing[0].min(angle), swing[1].max(angle)];
        Ok(())
    })?;

    let turns = world.coordinate(crank, Axis::AngZ)?.value / std::f64::consts::TAU;
    println!("the crank made {turns:.2} turns");
    println!("the rocker swung through {:.3} rad", swing[1] - swing[0]);
    let load = world.reaction(crank)?;
    println!("the crank's bearing carries {:.1} N", load.force.length());
    run.expect(turns > 4.0, "the crank to turn round and round")
}

//! A top precesses instead of falling: two treatments of the gyroscopic term and the textbook.

use anyhow::Context;
use rb_examples::{DT, Run};
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("spinning_top").context("it is registered")?;
    let run = Run::from_args("A spinning top", demo.steps);
    for gyroscopic in [Gyroscopic::Implicit, Gyroscopic::Variational] {
        let mut world = World::new(Params {
            gyroscopic,
            substeps: 8,
            ..Params::robotics()
        })?;
        let top = demo.build(&mut world, demo.size)?[0];
        let textbook = fast_top(world.body(top)?);

        let (mut turned, mut before) = (0.0, heading(&world, top)?);
        run.play_with(&mut world, |world, _| {
            let now = heading(world, top)?;
            turned += before.angle_to(now);
            before = now;
            Ok(())
        })?;

        let measured = turned / (DT * run.steps().saturating_sub(1).max(1) as f64);
        let lean = lean(&world, top)?;
        println!("{gyroscopic:?}: precesses at {measured:.3} rad/s, a fast top at {textbook:.3};");
        println!("its lean went from 20 to {lean:.1} degrees\n");
        run.expect(
            (measured - textbook).abs() < 0.05 * textbook,
            "the textbook's precession",
        )?;
    }
    Ok(())
}

/// Precession (rad/s) of a fast top: m g l / (I₃ ω₃), l from the tip to the centre of mass.
fn fast_top(body: &Body) -> f64 {
    let tip = body.pose().point(DVec3::Y * 0.15);
    let spin = body.inertia.local().y_axis.y * body.vel.ang.length();
    body.mass.mass * 9.81 * body.com.distance(tip) / spin
}

/// Horizontal direction in which the top leans, as seen from below.
fn heading(world: &World, top: BodyHandle) -> anyhow::Result<glam::DVec2> {
    let axis = world.rotation(top)? * DVec3::NEG_Y;
    Ok(glam::DVec2::new(axis.x, -axis.z))
}

/// Angle between the top and the vertical (degrees).
fn lean(world: &World, top: BodyHandle) -> anyhow::Result<f64> {
    Ok((world.rotation(top)? * DVec3::NEG_Y).y.acos().to_degrees())
}

//! A top precesses instead of falling; the rate is compared with the textbook's.

use anyhow::Context;
use rb_examples::{DT, Run};
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("spinning_top").context("it is registered")?;
    let params = Params {
        gyroscopic: Gyroscopic::Variational,
        substeps: 8,
        ..Params::robotics()
    };
    let mut world = World::new(params)?;
    let top = demo.build(&mut world, demo.size)?[0];

    // Fast top: Ω = m g l / (I₃ ω₃), l from the tip to the centre of mass.
    let body = world.body(top)?;
    let along = (body.q.conjugate() * body.vel.ang).length();
    let spin = body.inertia.local().y_axis.y * along;
    let lever = (body.com - (body.pose().p + body.q * DVec3::Y * 0.3)).length();
    let textbook = body.mass.mass * 9.81 * lever / spin;

    let run = Run::from_args("A spinning top", demo.steps);
    let mut turned = 0.0;
    let mut before = heading(&world, top)?;
    run.play_with(&mut world, |world, _| {
        let now = heading(world, top)?;
        turned += before.angle_to(now);
        before = now;
        Ok(())
    })?;

    let measured = turned / (DT * run.steps() as f64);
    println!(
        "precession {measured:.3} rad/s, a fast top would have {:.3}",
        textbook
    );
    Ok(())
}

/// Horizontal direction in which the top leans.
fn heading(world: &World, top: BodyHandle) -> anyhow::Result<glam::DVec2> {
    let axis = world.rotation(top)? * DVec3::NEG_Y;
    Ok(glam::DVec2::new(axis.x, -axis.z))
}

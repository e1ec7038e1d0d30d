//! A chain released level: where its energy goes, for two choices of the implicit scheme.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("pendulum_chain").context("it is registered")?;
    let run = Run::from_args("A chain of ten rods", demo.steps);
    for (name, scheme) in [
        ("implicit Euler", Scheme::default()),
        (
            "midpoint",
            Scheme {
                alpha: 0.5,
                beta: 0.5,
            },
        ),
    ] {
        let mut world = World::new(Params {
            scheme,
            substeps: 4,
            ..Params::robotics()
        })?;
        demo.build(&mut world, demo.size)?;
        let (kinetic, potential) = world.energy();
        let start = kinetic + potential;
        run.play(&mut world)?;
        let (kinetic, potential) = world.energy();
        let drift = 100.0 * (kinetic + potential - start) / start.abs();
        println!("{name}: energy changed by {drift:.3} % of what there was\n");
    }
    Ok(())
}

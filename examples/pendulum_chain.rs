//! A chain released level: smaller substeps lose less of its energy.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("pendulum_chain").context("it is registered")?;
    let run = Run::from_args("A chain of ten rods", demo.steps);
    for substeps in [1, 4, 16] {
        let mut world = World::new(Params {
            substeps,
            ..Params::robotics()
        })?;
        let rods = demo.build(&mut world, demo.size)?;
        let total = |world: &World| world.energy().0 + world.energy().1;
        let start = total(&world);
        run.play(&mut world)?;

        // What there is to lose: the fall of every rod to where it hangs straight down.
        let mass = world.body(rods[0])?.mass.mass * rods.len() as f64;
        let fall = mass * 9.81 * 0.25 * rods.len() as f64;
        let lost = 100.0 * (start - total(&world)) / fall;
        println!("{substeps} substeps: {lost:.2} % of the energy was lost\n");
    }
    Ok(())
}

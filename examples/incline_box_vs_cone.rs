//! Three friction laws on one incline: only Coulomb's cone is the same in every direction.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("incline").context("it is registered")?;
    let run = Run::from_args("Friction laws on an incline", demo.steps);
    let mut world = World::new(Params::robotics())?;
    let blocks = demo.build(&mut world, demo.size)?;
    let position = |&block: &BodyHandle| world.position(block);
    let starts = blocks.iter().map(position).collect::<Result<Vec<_>, _>>()?;

    run.play(&mut world)?;

    println!("every block was kicked by 2 m/s down the incline and 2 m/s across it:");
    let mut across = Vec::new();
    for (i, name) in ["cone", "pyramid", "box"].into_iter().enumerate() {
        let moved = world.position(blocks[i])? - starts[i];
        let down = moved.x.hypot(moved.y);
        println!(
            "  {name:8} slid {down:.3} m down and {:.3} m across",
            moved.z
        );
        across.push(moved.z);
    }
    run.expect(across[2] < across[0], "the box to hold more than the cone")
}

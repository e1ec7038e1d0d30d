//! Three friction laws on one incline: only Coulomb's cone is the same in every direction.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("incline").context("it is registered")?;
    let mut world = World::new(Params::robotics())?;
    let blocks = demo.build(&mut world, demo.size)?;
    let starts = blocks
        .iter()
        .map(|&b| world.position(b))
        .collect::<Result<Vec<_>, _>>()?;

    Run::from_args("Friction laws on an incline", demo.steps).play(&mut world)?;

    println!("every block was kicked by 2 m/s down the incline and 2 m/s across it:");
    for ((name, &block), start) in ["cone", "pyramid", "box"]
        .into_iter()
        .zip(&blocks)
        .zip(starts)
    {
        let moved = world.position(block)? - start;
        let (down, across) = (moved.x.hypot(moved.y), moved.z);
        println!("  {name:8} slid {down:.3} m down and {across:.3} m across");
    }
    Ok(())
}

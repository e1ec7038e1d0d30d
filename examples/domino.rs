//! Dominoes: each knocks over the next.

use anyhow::Context;
use rb_examples::{DT, Run};
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("domino").context("it is registered")?;
    let run = Run::from_args("Dominoes", demo.steps);
    let mut world = World::new(Params::robotics())?;
    let stones = demo.build(&mut world, demo.size)?;
    let last = *stones.last().context("there are stones")?;

    let mut fell_at = None;
    run.play_with(&mut world, |world, step| {
        let leaning = (world.rotation(last)? * DVec3::Y).y < 0.7;
        if leaning && fell_at.is_none() {
            fell_at = Some(step as f64 * DT);
        }
        Ok(())
    })?;

    match fell_at {
        Some(time) => println!("the last of {} stones fell after {time:.2} s", stones.len()),
        None => println!("the last of {} stones still stands", stones.len()),
    }
    run.expect(fell_at.is_some(), "every stone to fall")
}

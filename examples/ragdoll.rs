//! A ragdoll falls down a staircase: cone, twist and hinge limits under impact.

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("ragdoll").context("it is registered")?;
    let run = Run::from_args("A ragdoll on a staircase", demo.steps);
    let mut world = World::new(Params::game())?;
    let parts = demo.build(&mut world, demo.size)?;
    let pelvis = parts[0];
    let start = world.position(pelvis)?;

    run.play(&mut world)?;

    let moved = world.position(pelvis)? - start;
    let away = moved.x.hypot(moved.z);
    println!(
        "the pelvis came down {:.2} m and went {away:.2} m",
        -moved.y
    );
    print!("{}", world.explain(pelvis)?);
    run.expect(moved.y < -1.0, "the ragdoll to come down the stairs")
}

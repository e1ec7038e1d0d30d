//! Two thousand bodies of every shape pile up on a scanned mesh in a tray.
//!
//! `cargo run --release --example pile -- --out pile.html`

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("bunny_pile").context("it is registered")?;
    let run = Run::from_args("Two thousand bodies on a bunny", demo.steps);
    let mut world = World::new(Params::game())?;
    let bodies = demo.build(&mut world, demo.size)?;

    run.play(&mut world)?;

    let inside = |b: &&BodyHandle| {
        let at = world.position(**b).unwrap_or(DVec3::INFINITY);
        at.x.abs().max(at.z.abs()) < 2.6 && at.y > 0.0
    };
    let kept = bodies.iter().filter(inside).count();
    let kilobytes = world.memory_bytes() as f64 / 1e3 / demo.size as f64;
    println!("the tray kept {kept} bodies of {}", demo.size);
    println!("{kilobytes:.1} kB per body");
    run.expect(kept > 1900, "the tray to keep the bodies")
}

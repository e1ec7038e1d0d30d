//! Two thousand bodies of every shape pile up on a scanned mesh.
//!
//! `cargo run --release --example pile -- --out pile.html`

use anyhow::Context;
use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let demo = rb_scenes::demo("bunny_pile").context("it is registered")?;
    let mut world = World::new(Params::game())?;
    let bodies = demo.build(&mut world, demo.size)?;

    Run::from_args("Two thousand bodies on a bunny", demo.steps).play(&mut world)?;

    let on_top = |b: &&BodyHandle| world.position(**b).is_ok_and(|p| p.y > 0.5);
    println!(
        "{} bodies of {} stayed on the bunny",
        bodies.iter().filter(on_top).count(),
        demo.size
    );
    println!(
        "{:.1} kB per body",
        world.memory_bytes() as f64 / 1e3 / demo.size as f64
    );
    Ok(())
}

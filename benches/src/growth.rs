//! How time and memory grow with the number of bodies.

use crate::run::{Setup, run};
use crate::stats::mean;
use anyhow::Context;
use rb_scenes::scene;

/// Sizes of `box_drop`, n · n · 2n boxes each: about 1, 2, 4, 8, 16, 31 and 66 thousand.
const SIZES: [usize; 7] = [8, 10, 13, 16, 20, 25, 32];
/// Steps until the boxes lie in a pile, measured over the last half.
const STEPS: usize = 360;

/// Prints one row for each size; linear growth shows as equal numbers in the last two columns.
pub(crate) fn print(setup: &Setup) -> anyhow::Result<()> {
    let setup = Setup {
        steps: setup.steps.or(Some(STEPS)),
        ..*setup
    };
    let entry = scene("box_drop").context("box_drop is not registered")?;
    println!("| bodies | contact points | first step, ms | ms/step | µs/point/step | bytes/body |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for size in SIZES {
        let desc = entry.build(size);
        let bodies = desc.dynamic().count();
        let finished = run(&setup, &desc, &[])?;
        let settled = &finished.steps[finished.steps.len() / 2..];
        let ms = mean(&settled.iter().map(|s| s.ms).collect::<Vec<_>>());
        let points = mean(
            &settled
                .iter()
                .map(|s| f64::from(s.contacts))
                .collect::<Vec<_>>(),
        );
        let bytes = finished.world.memory_bytes() / bodies;
        let each = 1e3 * ms / points.max(1.0);
        let first = finished.steps.first().map_or(0.0, |s| s.ms);
        println!("| {bodies} | {points:.0} | {first:.0} | {ms:.2} | {each:.3} | {bytes} |");
    }
    Ok(())
}

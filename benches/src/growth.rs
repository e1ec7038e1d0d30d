//! How time and memory grow with the number of bodies.

use crate::run::{Setup, Step, run};
use crate::stats::mean;
use anyhow::Context;
use rb_scenes::scene;

/// Sizes of `box_drop`, n · n · 2n boxes each: about 1, 2, 4, 8, 16, 31 and 66 thousand.
const SIZES: [usize; 7] = [8, 10, 13, 16, 20, 25, 32];
/// Steps that the scene takes beside other engines: the boxes fall, and most come to rest.
const STEPS: usize = 480;

/// Prints one row for each size; linear growth shows as equal numbers in the last three columns. The time for a contact
/// point is that of the whole run, and that of its second half, when a small heap rests and a large one does not.
pub(crate) fn print(setup: &Setup) -> anyhow::Result<()> {
    let setup = Setup {
        steps: setup.steps.or(Some(STEPS)),
        ..*setup
    };
    let entry = scene("box_drop").context("box_drop is not registered")?;
    println!(
        "| bodies | contact points | first step, ms | ms/step | µs/point/step | second half | bytes/body |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    for size in SIZES {
        let desc = entry.build(size);
        let bodies = desc.dynamic().count();
        let finished = run(&setup, &desc, &[])?;
        let (ms, points) = means(&finished.steps);
        let (half_ms, half_points) = means(&finished.steps[finished.steps.len() / 2..]);
        let bytes = finished.world.memory_bytes() / bodies;
        let each = |ms: f64, points: f64| 1e3 * ms / points.max(1.0);
        let (whole, half) = (each(ms, points), each(half_ms, half_points));
        let first = finished.steps.first().map_or(0.0, |s| s.ms);
        println!(
            "| {bodies} | {points:.0} | {first:.0} | {ms:.2} | {whole:.3} | {half:.3} | {bytes} |"
        );
    }
    Ok(())
}

/// Time of a step (ms) and contact points, in the mean of some steps.
fn means(steps: &[Step]) -> (f64, f64) {
    let ms: Vec<f64> = steps.iter().map(|s| s.ms).collect();
    let points: Vec<f64> = steps.iter().map(|s| f64::from(s.contacts)).collect();
    (mean(&ms), mean(&points))
}

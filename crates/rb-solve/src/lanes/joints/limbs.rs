//! Test: trees of bearings are solved as their rows would be.

use super::bearing::NO_BEARING;
use super::sample::{STOPS, bearing, state};
use super::{JointLanes, LaneBearing};
use crate::lanes::{ContactLanes, LANES};
use rb_core::elimination::Elimination;
use rb_core::problem::Pass;

/// Joints of a tree: two limbs on a body, one of them with a joint more.
const JOINTS: [[usize; 2]; 3] = [[0, 1], [0, 2], [2, 3]];
const BODIES: usize = 4 * LANES;

/// Velocities and impulses after exact solves, of bearings taken as such or by their rows.
fn solved(by_rows: bool) -> Vec<f64> {
    let (mut lanes, mut contacts) = (JointLanes::default(), ContactLanes::default());
    let mut plan = Elimination::default();
    contacts.reset(BODIES);
    let trees = (0..LANES).flat_map(|tree| JOINTS.map(|pair| pair.map(|b| (4 * tree + b) as u32)));
    let pairs: Vec<[u32; 2]> = trees.collect();
    plan.analyse(&pairs, &[], BODIES as u32, 1000);
    lanes.seat_trees(&pairs, &plan, BODIES, BODIES);
    assert_eq!(lanes.batches(), JOINTS.len());
    for batch in 0..lanes.batches() {
        let used = (0..LANES).filter_map(|lane| lanes.joint(batch, lane));
        let joints: Vec<_> = used
            .map(|joint| LaneBearing {
                locked: joint.is_multiple_of(3),
                ..bearing(joint as usize)
            })
            .collect();
        lanes.open_bearings(batch, &joints, &STOPS);
    }
    state(&mut lanes, &mut contacts, BODIES);
    if by_rows {
        let batches = lanes.batches.iter_mut();
        batches.for_each(|batch| batch.bearing = NO_BEARING);
    }
    lanes.prepare(&contacts);
    lanes.lay_out(&plan);
    for pass in [Pass::Position, Pass::Velocity] {
        assert!(lanes.settle(&mut contacts, &plan, pass));
    }
    let rows = lanes.batches.iter().flat_map(|b| &lanes.rows[b.range()]);
    let impulses = rows.map(|row| &row.impulse);
    let all = contacts.vel.iter().chain(impulses);
    all.flat_map(|w| w.0).collect()
}

#[test]
fn trees_of_bearings_are_solved_as_their_rows_would_be() {
    let (mine, others) = (solved(false), solved(true));
    assert_eq!(mine.len(), others.len());
    for (a, b) in mine.iter().zip(&others) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
    }
}

//! Test: trees of bearings are solved as their rows would be.

use super::bearing::NO_BEARING;
use super::{JointLanes, LaneBearing, Stops, swivel};
use crate::lanes::{ContactLanes, LANES};
use glam::{DMat3, DQuat, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Params;
use rb_core::problem::Pass;

/// Joints of a tree: two limbs on a body, one of them with a joint more.
const JOINTS: [[usize; 2]; 3] = [[0, 1], [0, 2], [2, 3]];
const BODIES: usize = 4 * LANES;
const STOPS: Stops = Stops {
    slots: [0, 1, 2, 3, 4, 5, 6, 7],
    margin: 0.05,
};
const TERMS: swivel::Terms = swivel::Terms {
    rate: 240.0,
    push: 3.0,
    ahead: 0.1,
    margin: 0.05,
};

fn vector(k: usize) -> DVec3 {
    DVec3::new(k as f64, k as f64 + 0.4, k as f64 + 1.1).map(f64::sin)
}

fn bearing(k: usize) -> LaneBearing {
    let turn = |k: usize| DQuat::from_scaled_axis(0.3 * vector(k));
    LaneBearing {
        frame: [turn(k), turn(k + 3)],
        arm: [vector(k), vector(k + 4)],
        locked: k.is_multiple_of(3),
        stops: [0.3, 0.1, 0.0],
        angle: 0.0,
        impulses: [0.1; 8],
        extent: [1.0, 2.0],
    }
}

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
        let joints: Vec<_> = used.map(|joint| bearing(joint as usize)).collect();
        lanes.open_bearings(batch, &joints, &STOPS);
    }
    for body in 0..BODIES {
        let turn = DMat3::from_rotation_y(body as f64);
        let moments = DMat3::from_diagonal(vector(body).abs() + 0.1);
        let inv = InvMass {
            lin: DVec3::splat(1.0 + body as f64),
            ang: turn * moments * turn.transpose(),
        };
        contacts.set_mass(body, &inv);
        contacts.set_velocity(body, &Twist::new(vector(body), vector(body + 2)));
        lanes.set_turned(body, vector(body), DQuat::from_rotation_z(0.3));
    }
    let mut numbers = Discretiser::new(&Params::game(), 0.004);
    numbers.joint_step = None;
    lanes.carry_pins(&numbers);
    swivel::run(&mut lanes, &contacts.vel, TERMS);
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

//! For tests: bearings between bodies that have turned, stated and carried as a substep does it.

use super::{BearingStart, JointLanes, LaneBearing, Stops, swivel};
use crate::lanes::ContactLanes;
use glam::{DMat3, DQuat, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Params;

pub(super) const STOPS: Stops = Stops {
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

/// A bearing with all its stops.
pub(super) fn bearing(k: usize) -> LaneBearing {
    let turn = |k: usize| DQuat::from_scaled_axis(0.3 * vector(k));
    LaneBearing {
        frame: [turn(k), turn(k + 3)],
        arm: [vector(k), vector(k + 4)],
        locked: false,
        stops: [0.3, 0.1, 0.0],
        extent: [1.0, 2.0],
    }
}

/// What each of them starts with.
pub(super) const START: BearingStart = BearingStart {
    angle: 0.0,
    impulses: [0.1; 8],
};

/// Gives the bodies masses, velocities and turns, and the bearings between them their rows.
pub(super) fn state(lanes: &mut JointLanes, contacts: &mut ContactLanes, bodies: usize) {
    for body in 0..bodies {
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
    swivel::run(lanes, &contacts.vel, TERMS);
}

//! Test: points are swept as their rows would be.

use super::point::{NO_POINT, OVER};
use super::{JointLanes, LanePin};
use crate::lanes::ContactLanes;
use crate::lanes::LANES;
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Params;
use rb_core::problem::Pass;

const BODIES: usize = 10;

pub(super) fn vector(k: usize) -> DVec3 {
    DVec3::new(k as f64, k as f64 + 0.4, k as f64 + 1.1).map(f64::sin)
}

/// Inverse mass of a body, with equal moments of inertia or any.
pub(super) fn mass(body: usize, round: bool) -> InvMass {
    let moment = if round {
        DVec3::ONE
    } else {
        vector(body).abs() + 0.1
    };
    InvMass {
        lin: DVec3::splat(1.0 + body as f64),
        ang: DMat3::from_diagonal(moment),
    }
}

/// Makes rows of all points.
fn part(lanes: &mut JointLanes) {
    for batch in 0..lanes.batches() {
        let rows = lanes.points[lanes.batches[batch].point as usize].rows();
        lanes.batches[batch].plain = 0;
        lanes.make_room(batch, [3, 0]).copy_from_slice(&rows);
        let batch = &mut lanes.batches[batch];
        (batch.point, batch.square) = (NO_POINT, false);
    }
}

/// Velocities and impulses of a row of rigid points after some sweeps, with points or with rows.
fn swept(squares: bool, round: bool) -> Vec<DVec3> {
    swept_from(squares, round, |lanes, contacts| {
        lanes.prepare(contacts);
        lanes.warm(contacts);
    })
}

/// The same from a start of any kind.
fn swept_from(
    squares: bool,
    round: bool,
    start: impl Fn(&mut JointLanes, &mut ContactLanes),
) -> Vec<DVec3> {
    let (mut lanes, mut contacts) = placed(round, 0.0);
    lanes.carry_pins(&numbers());
    if !squares {
        part(&mut lanes);
    }
    start(&mut lanes, &mut contacts);
    for k in 0..4 {
        let pass = if k < 2 {
            Pass::Position
        } else {
            Pass::Velocity
        };
        lanes.sweep(&mut contacts, pass, k % 2 == 1);
    }
    lanes.note_points();
    let velocities = (0..BODIES).map(|i| contacts.velocity(i));
    let impulses = (0..BODIES - 1).map(|j| impulse(&lanes, j));
    velocities
        .flat_map(|v| [v.lin, v.ang])
        .chain(impulses)
        .collect()
}

/// Impulse of a joint along its axes.
fn impulse(lanes: &JointLanes, joint: usize) -> DVec3 {
    let mut along = lanes.impulses(joint).map(|(_, impulse)| impulse);
    DVec3::from_array([0; 3].map(|_| along.next().unwrap_or(f64::NAN)))
}

fn numbers() -> Discretiser {
    Discretiser::new(&Params::game(), 0.004)
}

/// A row of bodies, held together by pins that are so soft.
fn placed(round: bool, soft: f64) -> (JointLanes, ContactLanes) {
    let (bodies, mut lanes) = (BODIES, JointLanes::default());
    let mut contacts = ContactLanes::default();
    contacts.reset(bodies);
    let pairs = (0..bodies as u32 - 1).map(|j| ([j, j + 1], 3));
    lanes.seat(pairs, bodies, bodies);
    for batch in 0..lanes.batches() {
        let pin = |lane: usize| {
            let k = 10 * batch + lane;
            LanePin {
                axes: DMat3::from_rotation_y(k as f64),
                arm: [vector(k), vector(k + 3)],
                impulse: vector(k + 5) * 0.1,
            }
        };
        lanes.open_pins(batch, soft, [0, 1, 2]);
        for lane in 0..LANES {
            if lanes.joint(batch, lane).is_some() {
                lanes.put_pin(batch, lane, &pin(lane));
            }
        }
    }
    for body in 0..bodies {
        contacts.set_mass(body, &mass(body, round));
        contacts.set_velocity(body, &Twist::new(vector(body), vector(body + 2)));
        lanes.set_turned(body, vector(body) * 0.1, glam::DQuat::from_rotation_z(0.3));
    }
    (lanes, contacts)
}

#[test]
fn points_start_at_once_as_one_after_the_other() {
    for round in [false, true] {
        let at_once = |lanes: &mut JointLanes, contacts: &mut ContactLanes| {
            lanes.start_in(&mut contacts.lines());
        };
        assert_eq!(swept_from(true, round, at_once), swept(true, round));
    }
}

#[test]
fn points_are_carried_and_pull_at_once_as_one_after_the_other() {
    let ((mut at_once, _), (mut lanes, _)) = (placed(true, 0.2), placed(true, 0.2));
    for first in [true, false] {
        at_once.carry_points(&numbers(), first);
        match first {
            true => lanes.carry_pins(&numbers()),
            false => lanes.carry(&numbers()),
        }
        lanes.pull();
        let all = |l: &JointLanes| format!("{:?} {:?}", l.points, l.levers);
        assert_eq!(all(&at_once), all(&lanes));
    }
}

#[test]
fn points_do_what_their_rows_would() {
    for round in [false, true] {
        let (points, rows) = (swept(true, round), swept(false, round));
        for (p, r) in points.iter().zip(&rows) {
            assert!((*p - *r).length() < 1e-11, "{p} {r}");
        }
    }
}

/// Change of the impulse of the joint that is visited first, whose bodies no other has changed before; and the impulse
/// it had.
fn visited(squares: bool, round: bool, soft: f64, pass: Pass) -> [DVec3; 2] {
    let (mut lanes, mut contacts) = placed(round, soft);
    lanes.carry_pins(&numbers());
    if !squares {
        part(&mut lanes);
    }
    lanes.prepare(&contacts);
    lanes.warm(&mut contacts);
    let before = impulse(&lanes, 0);
    lanes.sweep(&mut contacts, pass, false);
    lanes.note_points();
    [impulse(&lanes, 0) - before, before]
}

/// With R = s A, (A + R)⁻¹ (w + R λ) is (A⁻¹ w + s λ) / (1 + s), and A⁻¹ w what rigid rows take off.
#[test]
fn softened_points_are_over_relaxed_where_bodies_move() {
    let soft = 0.2;
    for round in [false, true] {
        for (pass, soft_there, over) in [(Pass::Position, soft, OVER), (Pass::Velocity, 0.0, 1.0)] {
            let [rigid, before] = visited(false, round, 0.0, pass);
            let [point, same] = visited(true, round, soft, pass);
            let wanted = (rigid - before * soft_there) * (over / (1.0 + soft_there));
            assert!((point - wanted).length() < 1e-12 && rigid.length() > 0.01);
            assert!((same - before).length() < 1e-12 && before.length() > 0.01);
        }
    }
}

/// A⁻¹ of each joint.
fn inverses(lanes: &JointLanes) -> Vec<[f64; 6]> {
    let inverse = |[batch, lane]: [u32; 2]| {
        let point = lanes.batches[batch as usize].point as usize;
        lanes.points[point].inverse(lane as usize)
    };
    lanes.seats.iter().map(|&seat| inverse(seat)).collect()
}

/// Which joints have another A⁻¹ than `before`.
fn renewed(lanes: &JointLanes, before: &[[f64; 6]]) -> Vec<bool> {
    let now = inverses(lanes).into_iter().zip(before);
    now.map(|(now, before)| now != *before).collect()
}

/// Which joints are at a body.
fn joints_of(body: usize) -> impl Iterator<Item = bool> {
    (0..BODIES - 1).map(move |joint| joint == body || joint + 1 == body)
}

/// Bodies turn on by half of what a point keeps its matrix for, in two lanes by more.
#[test]
fn points_keep_their_matrix_until_their_bodies_have_turned() {
    let (mut lanes, contacts) = placed(true, 0.0);
    lanes.carry_pins(&numbers());
    lanes.prepare(&contacts);
    let before = inverses(&lanes);
    let mut changed = vec![false; BODIES - 1];
    for turned in [4, 4, 7] {
        for body in 0..BODIES {
            let angle = if body == turned { 0.04 } else { 0.004 };
            lanes.set_turned(body, DVec3::ZERO, glam::DQuat::from_rotation_z(angle));
        }
        lanes.carry(&numbers());
        lanes.prepare(&contacts);
        let there = changed.iter_mut().zip(joints_of(turned));
        there.for_each(|(changed, there)| *changed |= there);
        assert_eq!(renewed(&lanes, &before), changed);
    }
}

/// Geometric stiffness comes and goes without a turn: a body may have taken it, or some alike in all directions, into
/// its moments and lose it again.
#[test]
fn points_know_when_moments_change() {
    let inv = |moment: DVec3| InvMass {
        lin: DVec3::ONE,
        ang: DMat3::from_diagonal(moment),
    };
    let (mut lanes, mut contacts) = placed(true, 0.0);
    lanes.carry_pins(&numbers());
    lanes.prepare(&contacts);
    (0..BODIES).for_each(|body| lanes.set_turned(body, DVec3::ZERO, glam::DQuat::IDENTITY));
    let odd = DVec3::new(0.1, 0.2, 0.3);
    for moment in [
        odd,
        odd * 0.5,
        DVec3::splat(0.1),
        DVec3::splat(0.2),
        DVec3::ONE,
    ] {
        let before = inverses(&lanes);
        contacts.set_mass(4, &inv(moment));
        lanes.carry(&numbers());
        lanes.prepare(&contacts);
        assert!(
            renewed(&lanes, &before).into_iter().eq(joints_of(4)),
            "{moment}"
        );
    }
}

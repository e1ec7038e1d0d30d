//! Test: every width gives the same bits.

use super::kernel::Order;
use super::pack::JointLanes;
use super::point::{Point, view};
use super::{
    BearingStart, LaneBearing, LanePin, LaneRow, Stops, carry, exact, grade, kernel, prepare, pull,
    swivel,
};
use crate::lanes::LANES;
use crate::lanes::simd::{Avx2, Avx512, Line, Plain, Wide};
use crate::lanes::{Width, assert_same_at_every_width};
use glam::{DMat3, DQuat, DVec3};
use rb_core::discretise::RowTerms;
use rb_core::elimination::Elimination;
use rb_core::problem::{Pass, Term};

const BODIES: usize = 17;
const BIAS: carry::Bias = carry::Bias {
    rate: 80.0,
    push: 3.0,
    hard: false,
};
/// Rows of a joint without bounds and with, by its number.
const SIZES: [[usize; 2]; 4] = [[3, 0], [5, 0], [2, 2], [0, 1]];

fn number(k: usize) -> f64 {
    (1.7 * k as f64 + 0.3).sin()
}

fn vector(k: usize) -> DVec3 {
    DVec3::new(number(k), number(k + 1), number(k + 2))
}

/// Fills a batch with joints of several sizes.
fn fill(lanes: &mut JointLanes, batch: usize) {
    lanes.open();
    for lane in 0..LANES {
        let Some(j) = lanes.joint(batch, lane) else {
            break;
        };
        let j = j as usize;
        let [plain, bounded] = SIZES[j % 4];
        for k in 0..plain + bounded {
            let at = 31 * j + 7 * k;
            let term = |at: usize| Term {
                bias: number(at),
                reg: 0.01 * number(at + 1).abs(),
            };
            let axis = DQuat::from_rotation_x(number(j)) * DVec3::AXES[k % 3];
            let bound = if k < plain { f64::INFINITY } else { 0.02 };
            let row = LaneRow {
                // Those of three rows are swept as points.
                lin: if plain == 3 { axis } else { vector(at) },
                ang: [vector(at + 3), vector(at + 6)],
                terms: RowTerms {
                    position: term(at + 9),
                    velocity: term(at + 11),
                    soft: 0.1,
                    bounds: [-bound, bound],
                },
                gap: number(at + 13),
                impulse: 0.1 * number(at + 14),
                extent: 1.0,
                slot: k as u8,
                anchored: j % 4 < 2,
            };
            assert!(lanes.put(lane, &row));
        }
        lanes.place(batch, lane, [vector(j), vector(j + 5)], vector(j + 9));
    }
    lanes.close(batch);
}

/// Joints of several sizes with awkward numbers in every field.
fn joints() -> JointLanes {
    let mut lanes = JointLanes::default();
    let pair = |j: usize| [(j % BODIES) as u32, ((j + 1 + j / BODIES) % BODIES) as u32];
    let pairs = (0..40).map(|j| (pair(j), SIZES[j % 4].iter().sum()));
    lanes.seat(pairs, BODIES - 1, BODIES);
    for batch in 0..lanes.batches() {
        fill(&mut lanes, batch);
    }
    for body in 0..BODIES {
        let turn = DQuat::from_xyzw(number(body), 0.1, -0.2, 0.9).normalize();
        lanes.set_turned(body, vector(body), turn);
    }
    lanes
}

/// A run of all kernels, between bodies with equal moments of inertia or any.
fn numbers(width: Width, round: bool) -> Vec<f64> {
    let mut lanes = joints();
    let lines = |from: usize| -> Vec<Line> {
        let line = |i: usize| Wide(core::array::from_fn(|k| number(from + 8 * i + k)));
        (0..=BODIES).map(line).collect()
    };
    let (mut inv, mut vel, free) = (lines(100), lines(300), lines(500));
    let kind = if round { [1.5, 3.0] } else { [1.5, -1.0] };
    vel.iter_mut().for_each(|l| [l.0[3], l.0[7]] = kind);
    if round {
        inv.fill(Wide([3.0, 3.0, 3.0, 0.0, 0.0, 0.0, 1.5, 1.5]));
    }
    let mut sums = grade::Sums::default();
    let mut most = Line::default();
    macro_rules! all {
        ($simd:ty) => {{
            for backwards in [false, true] {
                let held = lanes.number_points();
                prepare::prepare::<$simd>(&mut lanes, &inv, &vel, held);
                kernel::warm::<$simd>(&lanes, &mut vel);
                for pass in [Pass::Position, Pass::Velocity] {
                    let order = Order { pass, backwards };
                    kernel::sweep::<$simd>(&mut lanes, &mut vel, order);
                }
                let JointLanes {
                    batches,
                    rows,
                    points,
                    levers,
                    ..
                } = &mut lanes;
                view::note::<$simd>(points);
                pull::pull::<$simd>(batches, rows, points, levers);
                let both = (&rows[..], &points[..]);
                grade::grade::<$simd>(batches, both, [&vel, &free], 0.1, &mut sums);
                for batch in &lanes.batches {
                    carry::error::<$simd>(&lanes, batch, &mut most);
                }
                carry::carry::<$simd>(&mut lanes, BIAS, false);
            }
        }};
    }
    match width {
        Width::Avx512 => all!(Avx512),
        Width::Avx2 => all!(Avx2),
        Width::Plain => all!(Plain),
    }
    let points = lanes.points.iter().flat_map(Point::rows);
    let told = (0..lanes.len()).flat_map(|joint| lanes.impulses(joint).map(|(_, told)| told));
    let told: Vec<f64> = told.collect();
    let rows: Vec<_> = lanes.rows.iter().copied().chain(points).collect();
    let rows = rows.iter();
    let rows = rows.flat_map(|r| r.ang[0].iter().chain([&r.impulse, &r.gap, &r.bias[0]]));
    let sums = [&sums.abs, &sums.error2, &sums.product, &sums.outside];
    let all = vel.iter().chain(&lanes.levers).chain(rows).chain(sums);
    let all = all.chain(&lanes.factors).chain([&most]);
    all.flat_map(|w| w.0).chain(told).collect()
}

/// Turns the rows of a batch into those of balls with friction about all axes and two stops, which repeat each other.
fn repeat(lanes: &mut JointLanes, batch: usize) {
    lanes.open();
    for lane in 0..LANES {
        let Some(j) = lanes.joint(batch, lane) else {
            break;
        };
        let at = 31 * j as usize;
        let row = |k: usize, lin: DVec3, ang: [DVec3; 2], bounds: [f64; 2]| {
            let term = Term {
                bias: number(at + k),
                reg: 0.0,
            };
            LaneRow {
                lin,
                ang,
                terms: RowTerms {
                    position: term,
                    velocity: term,
                    bounds,
                    ..RowTerms::default()
                },
                impulse: 0.1 * number(at + k).abs(),
                extent: 1.0,
                slot: k as u8,
                ..LaneRow::default()
            }
        };
        let arms = [vector(at), vector(at + 3)];
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let ang = [axis.cross(arms[0]), arms[1].cross(axis)];
            let free = [f64::NEG_INFINITY, f64::INFINITY];
            assert!(lanes.put(lane, &row(k, axis, ang, free)));
        }
        let stops = [6, 9].map(|k| (vector(at + k).normalize(), [0.0, f64::INFINITY]));
        let frictions = DVec3::AXES.map(|axis| (axis, [-0.02, 0.02]));
        for (k, (axis, bounds)) in frictions.into_iter().chain(stops).enumerate() {
            assert!(lanes.put(lane, &row(3 + k, DVec3::ZERO, [-axis, axis], bounds)));
        }
        lanes.place(batch, lane, arms, vector(j as usize + 9));
    }
    lanes.close(batch);
}

/// Chains of three joints, solved exactly, or given up where their rows repeat each other.
fn solved(width: Width, repeating: bool) -> Vec<f64> {
    let pairs: Vec<[u32; 2]> = (0..12).map(|j| [j + j / 3, j + j / 3 + 1]).collect();
    let mut plan = Elimination::default();
    plan.analyse(&pairs, &[], BODIES as u32, 1000);
    let mut lanes = JointLanes::default();
    lanes.seat_trees(&pairs, &plan, BODIES, BODIES);
    for batch in 0..lanes.batches() {
        let fill = if repeating { repeat } else { fill };
        fill(&mut lanes, batch);
    }
    lanes.lay_out(&plan);
    let line = |i: usize| Wide(core::array::from_fn(|k| number(8 * i + k)));
    let mut vel: Vec<Line> = (0..=BODIES).map(line).collect();
    let inv = [Wide([3.0, 3.0, 3.0, 0.1, 0.2, 0.3, 1.0, 1.0]); BODIES + 1];
    macro_rules! solve {
        ($simd:ty) => {{
            prepare::prepare::<$simd>(&mut lanes, &inv, &vel, 0);
            let mut task = lanes.task(&mut vel, &plan, Pass::Velocity);
            let settled = exact::settle::<$simd>(&mut task);
            assert_eq!(settled, !repeating);
        }};
    }
    match width {
        Width::Avx512 => solve!(Avx512),
        Width::Avx2 => solve!(Avx2),
        Width::Plain => solve!(Plain),
    }
    let all = vel.iter().chain(&lanes.factor).chain(&lanes.solution);
    all.flat_map(|w| w.0).collect()
}

/// Bearings that turn, some of them at their stops.
fn turned(width: Width) -> Vec<f64> {
    let mut lanes = JointLanes::default();
    let pairs = (0..LANES as u32).map(|j| ([2 * j, 2 * j + 1], 5));
    lanes.seat(pairs, BODIES, BODIES);
    let turn = |k: usize| DQuat::from_scaled_axis(0.3 * vector(k));
    let joints = core::array::from_fn::<_, LANES, _>(|j| LaneBearing {
        frame: [turn(j), turn(j + 3)],
        arm: [vector(j), vector(j + 4)],
        locked: j % 3 == 0,
        stops: [0.3, number(j) - 0.1, number(j) + 0.1],
        extent: [1.0, 2.0],
    });
    let starts = core::array::from_fn::<_, LANES, _>(|j| BearingStart {
        angle: 3.0 * number(j),
        impulses: core::array::from_fn(|k| number(j + k)),
    });
    let stops = Stops {
        slots: [0, 1, 2, 3, 4, 5, 6, 7],
        margin: 0.05,
    };
    lanes.open_bearings(0, &joints, &stops);
    lanes.start_bearings(0, &starts);
    for body in 0..BODIES {
        lanes.set_turned(body, vector(body), turn(body));
    }
    let line = |i: usize| Wide(core::array::from_fn(|k| number(8 * i + k)));
    let mut vel: Vec<Line> = (0..=BODIES).map(line).collect();
    let inv = vel.clone();
    let terms = swivel::Terms {
        rate: 240.0,
        push: 3.0,
        ahead: 0.1,
        margin: 0.05,
    };
    let mut most = Line::default();
    macro_rules! turn {
        ($simd:ty) => {{
            carry::carry::<$simd>(&mut lanes, BIAS, true);
            for pass in [Pass::Position, Pass::Velocity] {
                swivel::swivel::<$simd>(&mut lanes, &vel, terms);
                prepare::prepare::<$simd>(&mut lanes, &inv, &vel, 0);
                let backwards = pass == Pass::Velocity;
                kernel::sweep::<$simd>(&mut lanes, &mut vel, Order { pass, backwards });
            }
            let (bearing, rest) = (&lanes.bearings[0], &lanes.rests[0]);
            let bodies = &lanes.batches[0].bodies;
            swivel::error::<$simd>(bearing, rest, &lanes.turned, bodies, &mut most);
        }};
    }
    match width {
        Width::Avx512 => turn!(Avx512),
        Width::Avx2 => turn!(Avx2),
        Width::Plain => turn!(Plain),
    }
    assert!(lanes.batches[0].bounded > 1 && most.0.iter().any(|e| *e > 0.0));
    let rows = lanes.rows[lanes.batches[0].range()].iter();
    let rows = rows.flat_map(|r| r.ang[0].iter().chain([&r.impulse, &r.gap, &r.bias[0]]));
    let all = rows.chain([&most]).chain(&vel);
    all.flat_map(|w| w.0).collect()
}

/// Pins that follow their bodies through two substeps.
fn carried(width: Width) -> Vec<f64> {
    let mut lanes = JointLanes::default();
    let pairs = (0..12).map(|j| ([j, j + 1], 3));
    lanes.seat(pairs, BODIES, BODIES);
    for batch in 0..lanes.batches() {
        lanes.open_pins(batch, 0.2, [0, 1, 2]);
        for lane in 0..LANES {
            if let Some(joint) = lanes.joint(batch, lane) {
                let k = joint as usize;
                let pin = LanePin {
                    axes: DMat3::from_rotation_y(number(k)),
                    arm: [vector(k), vector(k + 3)],
                    impulse: vector(k + 5),
                };
                lanes.put_pin(batch, lane, &pin);
            }
        }
    }
    for body in 0..BODIES {
        let turn = DQuat::from_scaled_axis(0.3 * vector(body));
        lanes.set_turned(body, vector(body), turn);
    }
    for first in [true, false] {
        match width {
            Width::Avx512 => carry::carry_points::<Avx512>(&mut lanes, BIAS, first),
            Width::Avx2 => carry::carry_points::<Avx2>(&mut lanes, BIAS, first),
            Width::Plain => carry::carry_points::<Plain>(&mut lanes, BIAS, first),
        }
    }
    let rows: Vec<_> = lanes.points.iter().flat_map(Point::rows).collect();
    let rows = rows.iter();
    let rows = rows.flat_map(|r| r.ang[0].iter().chain([&r.impulse, &r.gap, &r.bias[0]]));
    lanes.levers.iter().chain(rows).flat_map(|w| w.0).collect()
}

#[test]
fn every_width_gives_the_same_bits() {
    for round in [false, true] {
        assert_same_at_every_width(round, |width| numbers(width, round));
    }
    for repeating in [false, true] {
        assert_same_at_every_width(("exact", repeating), |width| solved(width, repeating));
    }
    assert_same_at_every_width("turned", turned);
    assert_same_at_every_width("carried", carried);
}

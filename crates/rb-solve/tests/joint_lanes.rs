//! Joints in lanes against rows: the same answer as the blocks of `pgs`, the same certificate, the same
//! rows back.

mod random;

use glam::{DMat3, DQuat, DVec3};
use random::Random;
use rb_core::discretise::{Discretiser, RowTerms};
use rb_core::law::Law;
use rb_core::mass::InvMass;
use rb_core::math::{Twist, exp_rotation};
use rb_core::params::Params;
use rb_core::problem::{Pass, Problem, Source, Term};
use rb_core::residual::{grade_beside, grade_velocities};
use rb_core::row::{Course, Row};
use rb_core::solver::{Budget, Scratch};
use rb_solve::Pgs;
use rb_solve::lanes::{Carried, ContactLanes, JointLanes, LaneRow, Way};

const BODIES: usize = 24;
const H: f64 = 1.0 / 240.0;

/// Bodies of about a kilogram, the last immovable.
fn bodies(random: &mut Random) -> ContactLanes {
    let mut lanes = ContactLanes::default();
    lanes.reset(BODIES);
    for i in 0..BODIES - 1 {
        let m = DMat3::from_cols(random.vector(), random.vector(), random.vector());
        let mass = InvMass {
            lin: DVec3::splat(1.5 + random.next()),
            ang: m * m.transpose() + DMat3::from_diagonal(DVec3::splat(3.0)),
        };
        lanes.set_mass(i, &mass);
        let v = Twist::new(random.vector(), random.vector());
        lanes.set_velocity(i, &v);
        lanes.set_free(i, &v);
    }
    lanes
}

/// A joint of `plain` rows without bounds and `bounded` with, in mixed order.
fn rows(random: &mut Random, plain: usize, bounded: usize) -> Vec<LaneRow> {
    let term = |random: &mut Random| Term {
        bias: random.next(),
        reg: 0.5 + 0.2 * random.next(),
    };
    let count = plain + bounded;
    let row = |k: usize, random: &mut Random| LaneRow {
        lin: if k % 4 == 3 {
            DVec3::ZERO
        } else {
            random.vector()
        },
        ang: [random.vector(), random.vector()],
        terms: RowTerms {
            position: term(random),
            velocity: term(random),
            soft: 0.05,
            bounds: match (k * plain) / count == ((k + 1) * plain) / count {
                true => [-0.01, 0.02 * (1.0 + random.next())],
                false => [f64::NEG_INFINITY, f64::INFINITY],
            },
        },
        gap: random.next(),
        impulse: 0.0,
        extent: 1.0,
        slot: k as u8,
        anchored: false,
    };
    (0..count).map(|k| row(k, random)).collect()
}

/// Joints of all sizes between neighbours.
fn scene(seed: u64, sizes: &[[usize; 2]]) -> (ContactLanes, JointLanes, Vec<[u32; 2]>) {
    let mut random = Random(seed);
    let bodies = bodies(&mut random);
    let pair = |k: u32| {
        let a = k % (BODIES as u32 - 1);
        [a, (a + 1 + k / 20) % BODIES as u32]
    };
    let pairs: Vec<[u32; 2]> = (0..40).map(pair).collect();
    let size = |k: usize| sizes[k % sizes.len()];
    let mut lanes = JointLanes::default();
    let guessed = pairs.iter().enumerate();
    let guessed = guessed.map(|(k, &p)| (p, size(k)[0] + size(k)[1]));
    lanes.seat(guessed, BODIES - 1, BODIES);
    let joints: Vec<Vec<LaneRow>> = (0..40)
        .map(|k| rows(&mut random, size(k)[0], size(k)[1]))
        .collect();
    for batch in 0..lanes.batches() {
        lanes.open();
        for lane in 0..8 {
            let Some(j) = lanes.joint(batch, lane) else {
                continue;
            };
            assert!(joints[j as usize].iter().all(|row| lanes.put(lane, row)));
        }
        lanes.close(batch);
    }
    lanes.prepare(&bodies);
    (bodies, lanes, pairs)
}

fn problem(bodies: &ContactLanes, lanes: &JointLanes) -> Problem {
    let mut p = Problem {
        bodies: (0..BODIES).map(|i| bodies.body(i)).collect(),
        ..Problem::default()
    };
    p.bodies.iter_mut().for_each(|b| b.extent = 1.0);
    lanes.append_to(&mut p, 0..lanes.len(), |body| body);
    p
}

const SIZES: [[usize; 2]; 6] = [[3, 0], [5, 0], [3, 2], [5, 1], [0, 2], [6, 6]];

#[test]
fn blocks_without_bounds_are_visited_as_by_rows() {
    for pass in [Pass::Position, Pass::Velocity] {
        let (mut bodies, mut lanes, _) = scene(1, &SIZES[..2]);
        let mut p = problem(&bodies, &lanes);
        for backwards in [false, true] {
            lanes.sweep(&mut bodies, pass, backwards);
        }
        let budget = Budget::new(2, 0.0);
        Pgs.solve_beside(&mut p, pass, budget, &mut Scratch::default(), None);
        for (i, body) in p.bodies.iter().enumerate() {
            let apart = bodies.velocity(i) - body.vel;
            let apart = apart.lin.length() + apart.ang.length();
            assert!(apart < 1e-11, "{pass:?}, body {i}: {apart:e}");
        }
    }
}

#[test]
fn sweeping_on_reaches_the_law_and_keeps_the_impulse_balance() {
    let (mut bodies, mut lanes, _) = scene(2, &SIZES);
    let before = grade_velocities(&problem(&bodies, &lanes), 0.0).abs;
    for k in 0..1000 {
        lanes.sweep(&mut bodies, Pass::Velocity, k % 2 == 1);
    }
    let mut p = problem(&bodies, &lanes);
    let after = grade_velocities(&p, 0.0).abs;
    assert!(after < 1e-9 * before, "{before} to {after}");
    let swept: Vec<Twist> = p.bodies.iter().map(|b| b.vel).collect();
    p.rebuild_velocities();
    for (b, swept) in p.bodies.iter().zip(swept) {
        let apart = b.vel - swept;
        assert!(apart.lin.length() + apart.ang.length() < 1e-11);
    }
    assert!(p.rows.iter().any(|r| r.lambda == r.lo || r.lambda == r.hi));
}

#[test]
fn the_certificate_is_that_of_the_rows() {
    let (mut bodies, mut lanes, pairs) = scene(3, &SIZES);
    lanes.sweep(&mut bodies, Pass::Velocity, false);
    let p = problem(&bodies, &lanes);
    let rows = grade_velocities(&p, 0.1);
    let empty = Problem {
        bodies: p.bodies.clone(),
        ..Problem::default()
    };
    let lanes_grade = lanes.grade(&bodies, 0.1);
    let got = grade_beside(&empty, Pass::Velocity, 0.1, lanes_grade);
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * a.abs().max(1e-3);
    for (a, b) in [
        (rows.abs, got.abs),
        (rows.joint, got.joint),
        (rows.rel, got.rel),
        (rows.rms, got.rms),
        (rows.outside, got.outside),
        (rows.complementarity, got.complementarity),
    ] {
        assert!(near(a, b), "{a} against {b}: {rows:?}\n{got:?}");
    }
    assert_eq!((rows.worst, rows.worst_joint), (got.worst, got.worst_joint));
    assert_eq!(lanes.rows(0..lanes.len()), p.rows.len());
    assert!(pairs.len() == 40 && p.blocks.iter().all(|b| b.law == Law::Rows));
}

#[test]
fn sets_of_joints_are_graded_apart() {
    let (mut bodies, mut lanes, _) = scene(3, &SIZES);
    lanes.sweep(&mut bodies, Pass::Velocity, false);
    let mut parts = Vec::new();
    lanes.grade_parts(&bodies, &[0, 13, 27], 0.1, |part| parts.push(part));
    for (joints, part) in [0..13, 13..27, 27..40].into_iter().zip(&parts) {
        let empty = Problem {
            bodies: problem(&bodies, &lanes).bodies,
            ..Problem::default()
        };
        let mut p = empty.clone();
        lanes.append_to(&mut p, joints, |body| body);
        let rows = grade_velocities(&p, 0.1);
        let got = grade_beside(&empty, Pass::Velocity, 0.1, *part);
        for (a, b) in [
            (rows.abs, got.abs),
            (rows.rel, got.rel),
            (rows.rms, got.rms),
        ] {
            assert!(
                (a - b).abs() <= 1e-11 * a.abs().max(1e-3),
                "{a} against {b}"
            );
        }
        assert_eq!((rows.worst, rows.worst_joint), (got.worst, got.worst_joint));
    }
    assert_eq!(parts.len(), 3);
}

#[test]
fn impulses_go_to_rows_and_back() {
    let (mut bodies, mut lanes, _) = scene(4, &SIZES);
    lanes.sweep(&mut bodies, Pass::Position, false);
    let mut p = problem(&bodies, &lanes);
    let Source::Joint(j) = p.blocks[2].source else {
        panic!("joints alone");
    };
    let mine = p.blocks[2].rows();
    let before: Vec<f64> = p.rows[mine.clone()].iter().map(|r| r.lambda).collect();
    p.rows[mine.clone()].iter_mut().for_each(|r| r.lambda = 7.0);
    lanes.exchange(j as usize, &mut p.rows[mine.clone()], Way::ToRows);
    let after: Vec<f64> = p.rows[mine.clone()].iter().map(|r| r.lambda).collect();
    assert_eq!(before, after);
    p.rows[mine.clone()].iter_mut().for_each(|r| r.lambda = 7.0);
    lanes.exchange(j as usize, &mut p.rows[mine], Way::ToLanes);
    assert!(
        lanes
            .impulses(j as usize)
            .all(|(_, impulse)| impulse == 7.0)
    );
}

/// Rows e·(p_b − p_a) of two bodies at given places, as `parts/point` of the joints states them.
fn anchored(at: &[(DVec3, DQuat)], arms: [DVec3; 2], warm: f64) -> [Row; 3] {
    let [(xa, qa), (xb, qb)] = [at[0], at[1]];
    let (pa, pb) = (xa + qa * arms[0], xb + qb * arms[1]);
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let e = qa * axis;
        let jac = [
            Twist::new(-e, -(pb - xa).cross(e)),
            Twist::new(e, (pb - xb).cross(e)),
        ];
        Row {
            warm,
            course: Course::Anchored,
            ..Row::bilateral(jac, e.dot(pb - pa), 0)
        }
    })
}

#[test]
fn carried_rows_are_those_a_joint_would_state() {
    let soft = Discretiser::new(&Params::game(), H);
    let rigid = Discretiser {
        joint_step: None,
        ..soft
    };
    [soft, rigid].into_iter().for_each(carry);
}

fn carry(numbers: Discretiser) {
    let mut random = Random(5);
    let bodies = bodies(&mut random);
    let mut place = || (random.vector(), exp_rotation(random.vector()));
    let start = [place(), place()];
    let moved = [place(), place()];
    let arms = [random.vector(), random.vector()];
    let put = |lanes: &mut JointLanes, at: &[(DVec3, DQuat)]| {
        let [a, b] = [at[0].1 * arms[0], at[1].1 * arms[1]];
        let apart = at[1].0 - at[0].0;
        lanes.open();
        for row in anchored(at, arms, 0.3) {
            let terms = numbers.terms(&row, || [0.0; 2]);
            let row = LaneRow::new(&row, terms, 1.0).expect("opposite halves");
            assert!(row.anchored && row.fits([a, b], apart) && lanes.put(0, &row));
            assert!(!row.fits([a, b * 1.001], apart));
        }
        lanes.place(0, 0, [a, b], apart);
        lanes.close(0);
    };
    let (mut carried, mut stated) = (JointLanes::default(), JointLanes::default());
    for lanes in [&mut carried, &mut stated] {
        lanes.seat([([0, 1], 3)].into_iter(), BODIES - 1, BODIES);
    }
    put(&mut carried, &start);
    for body in 0..2 {
        let ((x, q), (y, r)) = (start[body], moved[body]);
        carried.set_turned(body, y - x, r * q.conjugate());
    }
    let (mut error, at) = (0.0, moved);
    carried.carried_errors(|_, e| error = e);
    assert!(carried.all_carried() && carried.carries(0) == Carried::All);
    carried.carry(&numbers);
    put(&mut stated, &at);
    for lanes in [&mut carried, &mut stated] {
        lanes.prepare(&bodies);
        lanes.pull();
    }
    let [p, q] = [&carried, &stated].map(|lanes| problem(&bodies, lanes));
    let largest = q.rows.iter().fold(0.0f64, |m, r| m.max(r.gap.abs()));
    assert!((error - largest).abs() < 1e-13, "{error} against {largest}");
    for (a, b) in p.rows.iter().zip(&q.rows) {
        let apart = |s: usize| a.jac[s] - b.jac[s];
        let apart = (0..2).map(|s| apart(s).lin.length() + apart(s).ang.length());
        assert!(apart.sum::<f64>() < 1e-13);
        for (a, b) in [
            (a.gap, b.gap),
            (a.position.bias, b.position.bias),
            (a.position.reg, b.position.reg),
            (a.velocity.bias, b.velocity.bias),
            (a.diag, b.diag),
        ] {
            assert!((a - b).abs() < 1e-12, "{a} against {b}");
        }
    }
    for body in 0..2 {
        let [mine, theirs] =
            [&mut carried, &mut stated].map(|l| rb_solve::lanes::stiffness(&l.bodies().1[body]));
        let apart = mine - theirs;
        assert!(apart.to_cols_array().iter().all(|x| x.abs() < 1e-12));
        let arm = moved[body].1 * arms[body];
        let rows = anchored(&moved, arms, 0.3);
        let pull: DVec3 = rows.iter().map(|r| r.jac[body].lin * r.warm).sum();
        let apart = theirs - rb_core::integrate::lever(arm, pull);
        assert!(apart.to_cols_array().iter().all(|x| x.abs() < 1e-12));
    }
}

#[test]
fn rows_that_tie_no_momentum_are_refused() {
    let one = [Twist::ZERO, Twist::new(DVec3::X, DVec3::ZERO)];
    let terms = RowTerms::default();
    assert!(LaneRow::new(&Row::bilateral(one, 0.0, 0), terms, 1.0).is_none());
}

#[test]
fn rows_behind_carried_ones_come_and_go() {
    let mut random = Random(6);
    let numbers = Discretiser {
        joint_step: None,
        ..Discretiser::new(&Params::game(), H)
    };
    let at = [0; 2].map(|_| (random.vector(), exp_rotation(random.vector())));
    let arms = [random.vector(), random.vector()];
    let jac = [-DVec3::X, DVec3::X].map(|turn| Twist::new(DVec3::ZERO, turn));
    let row = |row: Row| {
        let terms = numbers.terms(&row, || [0.0; 2]);
        LaneRow::new(&row, terms, 1.0).expect("opposite halves")
    };
    let stop = row(Row::unilateral(jac, 0.1, 7));
    let mut lanes = JointLanes::default();
    lanes.seat([([0, 1], 3)].into_iter(), BODIES - 1, BODIES);
    lanes.open();
    for mut row in anchored(&at, arms, 0.3).map(row) {
        row.slot = 1;
        assert!(lanes.put(0, &row));
    }
    lanes.place(
        0,
        0,
        [at[0].1 * arms[0], at[1].1 * arms[1]],
        at[1].0 - at[0].0,
    );
    lanes.close(0);
    assert!(lanes.carried(0) == Carried::All);
    for stops in [1, 2, 1, 0] {
        lanes.open_behind(0);
        assert!((0..stops).all(|_| lanes.put(0, &stop)));
        lanes.close(0);
        lanes.prepare(&bodies(&mut random));
        let slots: Vec<u8> = lanes.impulses(0).map(|(slot, _)| slot).collect();
        assert_eq!(slots, [&[1; 3][..], &[7; 2][..stops]].concat());
        assert!(lanes.impulses(0).take(3).all(|(_, impulse)| impulse == 0.3));
        assert_eq!(lanes.carried(0) == Carried::All, stops == 0);
    }
    lanes.open();
    lanes.keep_stating();
    assert!(
        anchored(&at, arms, 0.3)
            .map(row)
            .iter()
            .all(|row| lanes.put(0, row))
    );
    lanes.close(0);
    assert!(lanes.carried(0) == Carried::None);
}

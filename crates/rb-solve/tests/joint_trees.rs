//! Trees of joints solved exactly, eight side by side: the law of all rows holds to rounding, in any mixture
//! of topologies, and a tree's answer does not depend on its neighbours. Where rows repeat each other and their
//! bounds cannot all be told, impulses still explain the velocities and are no worse than none.

mod random;

use glam::{DMat3, DVec3};
use random::Random;
use rb_core::discretise::RowTerms;
use rb_core::elimination::Elimination;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Pass, Problem, Term};
use rb_core::residual::grade_pass;
use rb_solve::lanes::{ContactLanes, JointLanes, LaneRow};

/// Joints of one tree between its own bodies; the last body is the ground.
const CHAIN: &[[u32; 2]] = &[[5, 0], [0, 1], [1, 2], [2, 3]];
const STAR: &[[u32; 2]] = &[[0, 1], [2, 0], [0, 3], [3, 4], [4, 5]];
const LOOP: &[[u32; 2]] = &[[0, 1], [1, 2], [2, 3], [3, 0], [1, 5], [0, 1]];
/// Bounds of a row without any.
const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// Bodies of a tree that can move.
const BODIES: u32 = 5;

struct Scene {
    bodies: ContactLanes,
    lanes: JointLanes,
    plan: Elimination,
    count: usize,
}

/// Trees of the given shapes, whose joints have the rows `of` a number. Tree k is the same whatever stands beside it.
fn scene(trees: &[(usize, &[[u32; 2]])], of: fn(&mut Random, usize) -> Vec<LaneRow>) -> Scene {
    let movable = BODIES * trees.len() as u32;
    let count = movable as usize + 1;
    let (mut bodies, mut lanes) = (ContactLanes::default(), JointLanes::default());
    bodies.reset(count);
    let (mut pairs, mut joints) = (Vec::new(), Vec::new());
    for (t, &(seed, shape)) in trees.iter().enumerate() {
        let mut random = Random(seed as u64 + 1);
        let first = BODIES * t as u32;
        for i in first..first + BODIES {
            let m = DMat3::from_cols(random.vector(), random.vector(), random.vector());
            let mass = InvMass {
                lin: DVec3::splat(1.5 + random.next()),
                ang: m * m.transpose() + DMat3::from_diagonal(DVec3::splat(3.0)),
            };
            bodies.set_mass(i as usize, &mass);
            let v = Twist::new(random.vector(), random.vector());
            bodies.set_velocity(i as usize, &v);
            bodies.set_free(i as usize, &v);
        }
        let body = |b: u32| if b < BODIES { first + b } else { movable };
        for (k, &[a, b]) in shape.iter().enumerate() {
            pairs.push([body(a), body(b)]);
            joints.push(of(&mut random, k + seed));
        }
    }
    let mut plan = Elimination::default();
    plan.analyse(&pairs, &[], movable, 10_000);
    lanes.seat_trees(&pairs, &plan, movable as usize, count);
    lanes.begin();
    for batch in 0..lanes.batches() {
        lanes.open();
        for lane in 0..8 {
            if let Some(j) = lanes.joint(batch, lane) {
                assert!(joints[j as usize].iter().all(|row| lanes.put(lane, row)));
            }
        }
        lanes.close(batch);
    }
    lanes.prepare(&bodies);
    lanes.lay_out(&plan);
    lanes.warm(&mut bodies);
    Scene {
        bodies,
        lanes,
        plan,
        count,
    }
}

/// A row with random halves and bias.
fn row(random: &mut Random, reg: f64, bounds: [f64; 2]) -> LaneRow {
    let term = Term {
        bias: random.next(),
        reg,
    };
    LaneRow {
        lin: random.vector(),
        ang: [random.vector(), random.vector()],
        terms: RowTerms {
            position: term,
            velocity: term,
            bounds,
            ..RowTerms::default()
        },
        impulse: 0.1 * random.next().abs(),
        extent: 1.0,
        ..LaneRow::default()
    }
}

/// Independent rows, one to four of them without bounds.
fn apart(random: &mut Random, number: usize) -> Vec<LaneRow> {
    let (plain, bounded) = (1 + number % 4, number % 3);
    let bounds = |k: usize| match k < plain {
        true => FREE,
        false => [0.0, [0.05, f64::INFINITY][k % 2]],
    };
    (0..plain + bounded)
        .map(|k| row(random, 0.01, bounds(k)))
        .collect()
}

/// A ball with friction about all axes and two stops: eight rows for six freedoms.
fn repeating(random: &mut Random, _number: usize) -> Vec<LaneRow> {
    let arms = [random.vector(), random.vector()];
    let stops = [random.vector(), random.vector()].map(DVec3::normalize);
    let mut rows = Vec::new();
    for axis in DVec3::AXES {
        rows.push(LaneRow {
            lin: axis,
            ang: [axis.cross(arms[0]), arms[1].cross(axis)],
            ..row(random, 0.0, FREE)
        });
    }
    let turns = DVec3::AXES.map(|axis| (axis, [-0.02, 0.02]));
    let stops = stops.map(|axis| (axis, [0.0, f64::INFINITY]));
    for (axis, bounds) in turns.into_iter().chain(stops) {
        rows.push(LaneRow {
            lin: DVec3::ZERO,
            ang: [-axis, axis],
            ..row(random, 0.0, bounds)
        });
    }
    rows
}

fn velocities(s: &Scene) -> Vec<Twist> {
    (0..s.count).map(|i| s.bodies.velocity(i)).collect()
}

fn problem(s: &Scene) -> Problem {
    let mut p = Problem {
        bodies: (0..s.count).map(|i| s.bodies.body(i)).collect(),
        ..Problem::default()
    };
    s.lanes.append_to(&mut p, 0..s.lanes.len(), |body| body);
    p
}

/// Twenty-four trees of three shapes in mixed order.
fn mixed() -> Vec<(usize, &'static [[u32; 2]])> {
    let shape = |k: usize| [CHAIN, STAR, LOOP][(k * k) % 3];
    (0..24).map(|k| (k, shape(k))).collect()
}

#[test]
fn every_row_meets_its_law() {
    let mut s = scene(&mixed(), apart);
    for pass in [Pass::Position, Pass::Velocity] {
        assert!(s.lanes.settle(&mut s.bodies, &s.plan, pass), "{pass:?}");
        let mut p = problem(&s);
        let grade = grade_pass(&p, pass, 0.0).abs;
        assert!(grade < 1e-11, "{pass:?}: {grade:e}");
        assert!(p.rows.iter().any(|r| r.lambda == r.lo));
        assert!(p.rows.iter().any(|r| r.lambda == r.hi));
        p.rebuild_velocities();
        for (b, v) in p.bodies.iter().zip(velocities(&s)) {
            let apart = b.vel - v;
            assert!(apart.lin.length() + apart.ang.length() < 1e-11);
        }
    }
}

#[test]
fn a_tree_does_not_feel_its_neighbours() {
    let all = mixed();
    for of in [apart, repeating] {
        let solved = |trees: &[_]| {
            let mut s = scene(trees, of);
            s.lanes.settle(&mut s.bodies, &s.plan, Pass::Velocity);
            velocities(&s)
        };
        let together = solved(&all);
        for (t, tree) in all.iter().enumerate() {
            let mine = &together[BODIES as usize * t..][..BODIES as usize];
            let alone = solved(&[*tree]);
            assert_eq!(mine, &alone[..BODIES as usize], "tree {t}");
        }
    }
}

/// λᵀ w at the present velocities.
fn work(p: &Problem, impulses: &[f64]) -> f64 {
    let rows = p.blocks.iter().flat_map(|b| b.rows().map(move |r| (b, r)));
    rows.map(|(b, r)| impulses[r] * p.violation(b, r, Pass::Velocity))
        .sum()
}

#[test]
fn rows_that_repeat_each_other_do_not_fly_apart() {
    let mut s = scene(&mixed(), repeating);
    assert!(!s.lanes.settle(&mut s.bodies, &s.plan, Pass::Velocity));
    let mut p = problem(&s);
    let impulses: Vec<f64> = p.rows.iter().map(|row| row.lambda).collect();
    for row in &p.rows {
        assert!(row.lo <= row.lambda && row.lambda <= row.hi);
    }
    p.rebuild_velocities();
    for (b, v) in p.bodies.iter().zip(velocities(&s)) {
        let apart = b.vel - v;
        assert!(apart.lin.length() + apart.ang.length() < 1e-11);
    }
    // Twice what the impulses add to the energy that the answer has least of.
    let with = work(&p, &impulses);
    p.rows.iter_mut().for_each(|row| row.lambda = 0.0);
    p.rebuild_velocities();
    let added = with + work(&p, &impulses);
    assert!(added < 0.0, "{added}");
}

//! Trees of joints solved exactly, eight side by side: the law of all rows holds to rounding, in any mixture
//! of topologies, and a tree's answer does not depend on its neighbours.

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
/// Bodies of a tree that can move.
const BODIES: u32 = 5;

struct Scene {
    bodies: ContactLanes,
    lanes: JointLanes,
    plan: Elimination,
    count: usize,
}

/// Trees of the given shapes. Tree k is the same whatever stands beside it.
fn scene(trees: &[(usize, &[[u32; 2]])]) -> Scene {
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
            joints.push(rows(&mut random, 1 + (k + seed) % 4, (seed + k) % 3));
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

fn rows(random: &mut Random, plain: usize, bounded: usize) -> Vec<LaneRow> {
    let row = |k: usize, random: &mut Random| {
        let term = Term {
            bias: random.next(),
            reg: 0.01,
        };
        LaneRow {
            lin: random.vector(),
            ang: [random.vector(), random.vector()],
            terms: RowTerms {
                position: term,
                velocity: term,
                soft: 0.0,
                bounds: match k < plain {
                    true => [f64::NEG_INFINITY, f64::INFINITY],
                    false => [0.0, [0.05, f64::INFINITY][k % 2]],
                },
            },
            gap: 0.0,
            impulse: 0.1 * random.next().abs(),
            extent: 1.0,
            slot: k as u8,
            anchored: false,
        }
    };
    (0..plain + bounded).map(|k| row(k, random)).collect()
}

fn velocities(s: &Scene) -> Vec<Twist> {
    (0..s.count).map(|i| s.bodies.velocity(i)).collect()
}

/// Twelve trees of three shapes in mixed order.
fn mixed() -> Vec<(usize, &'static [[u32; 2]])> {
    let shape = |k: usize| [CHAIN, STAR, LOOP][(k * k) % 3];
    (0..24).map(|k| (k, shape(k))).collect()
}

#[test]
fn every_row_meets_its_law() {
    let mut s = scene(&mixed());
    for pass in [Pass::Position, Pass::Velocity] {
        assert!(s.lanes.settle(&mut s.bodies, &s.plan, pass), "{pass:?}");
        let mut p = Problem {
            bodies: (0..s.count).map(|i| s.bodies.body(i)).collect(),
            ..Problem::default()
        };
        s.lanes.append_to(&mut p, 0..s.lanes.len(), |body| body);
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
    let mut together = scene(&all);
    together
        .lanes
        .settle(&mut together.bodies, &together.plan, Pass::Velocity);
    let together = velocities(&together);
    for (t, tree) in all.iter().enumerate() {
        let mut alone = scene(&[*tree]);
        alone
            .lanes
            .settle(&mut alone.bodies, &alone.plan, Pass::Velocity);
        let first = BODIES as usize * t;
        let mine = &together[first..][..BODIES as usize];
        assert_eq!(mine, &velocities(&alone)[..BODIES as usize], "tree {t}");
    }
}

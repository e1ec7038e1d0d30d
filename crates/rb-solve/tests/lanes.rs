//! The lanes against the readable solver: the same visit, the same fixed point.

use glam::{DMat3, DVec3};
use proptest::prelude::*;
use rb_core::discretise::Discretiser;
use rb_core::law::Law;
use rb_core::manifold::{ContactMaterial, FrictionLaw};
use rb_core::mass::InvMass;
use rb_core::math::{Twist, tangents};
use rb_core::params::Params;
use rb_core::problem::{Pass, Problem, ProblemBody, ProblemRow, Source, Term};
use rb_core::residual::grade_velocities;
use rb_core::solver::{Budget, IslandSolver, Scratch};
use rb_solve::Pgs;
use rb_solve::lanes::{BodyMotion, ContactLanes, LaneContact, LaneHead, LanePoint};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Bodies of about a kilogram, the first immovable.
fn bodies(random: &mut Random, count: usize) -> Vec<ProblemBody> {
    let body = |i: usize| {
        let free = Twist::new(random.vector(), random.vector());
        let (m, r) = (
            DMat3::from_cols(random.vector(), random.vector(), random.vector()),
            1.5,
        );
        let ang = m * m.transpose() + DMat3::from_diagonal(DVec3::splat(3.0));
        let inv = InvMass {
            lin: DVec3::splat(r + random.next()),
            ang,
        };
        ProblemBody {
            free: if i == 0 { Twist::ZERO } else { free },
            vel: free,
            inv: if i == 0 { InvMass::ZERO } else { inv },
            extent: 0.5,
        }
    };
    (0..count).map(body).collect()
}

fn contact(random: &mut Random, pair: [u32; 2], law: FrictionLaw, points: usize) -> LaneContact {
    let n = random.vector().normalize();
    let [t, u] = tangents(n);
    let point = |random: &mut Random| LanePoint {
        arm: [random.vector() * 0.1, random.vector() * 0.1],
        gap: 1e-3 * random.next(),
        impulse: [0.1 + 0.1 * random.next(), 0.01 * random.next(), 0.0],
    };
    let material = ContactMaterial {
        law,
        friction: 0.3 + 0.2 * random.next(),
        surface_velocity: random.vector() * 0.1,
        ..ContactMaterial::default()
    };
    LaneContact {
        head: LaneHead {
            bodies: pair,
            movable: pair.map(|b| b != 0),
            points: points as u8,
            material,
        },
        axes: [n, t, u],
        points: (0..points).map(|_| point(random)).collect(),
    }
}

/// The same contacts as rows.
fn problem(bodies: &[ProblemBody], contacts: &[LaneContact], numbers: &Discretiser) -> Problem {
    let mut p = Problem {
        bodies: bodies.to_vec(),
        ..Problem::default()
    };
    for (m, c) in contacts.iter().enumerate() {
        let law = Law::friction(c.head.material.law, c.head.material.friction);
        let [ia, ib] = c.head.bodies.map(|b| b as usize);
        for (k, point) in c.points.iter().enumerate() {
            let mut rows = [ProblemRow::default(); 3];
            for (axis, row) in rows.iter_mut().enumerate() {
                let d = c.axes[axis];
                row.jac = [
                    Twist::new(-d, -point.arm[0].cross(d)),
                    Twist::new(d, point.arm[1].cross(d)),
                ];
                row.lambda = point.impulse[axis];
                (row.lo, row.hi) = (f64::NEG_INFINITY, f64::INFINITY);
                let bias = match axis {
                    0 => 0.0,
                    k => -c.axes[k].dot(c.head.material.surface_velocity),
                };
                row.position = Term { bias, reg: 0.0 };
                row.velocity = row.position;
            }
            let jac = rows[0].jac;
            let inv = [bodies[ia].inv, bodies[ib].inv];
            let inv_mass = (0..2).map(|s| inv[s].apply(&jac[s]).dot(&jac[s])).sum();
            let free = jac[0].dot(&bodies[ia].free) + jac[1].dot(&bodies[ib].free);
            let on_static = !(c.head.movable[0] && c.head.movable[1]);
            let terms = numbers.normal(point.gap, 0.0, free, &c.head.material, inv_mass, on_static);
            rows[0].lo = 0.0;
            (rows[0].position, rows[0].velocity) = (terms[0], terms[1]);
            let used = if law == Law::Rows { 1 } else { 3 };
            let source = Source::Contact {
                manifold: m as u32,
                point: k as u8,
            };
            p.push_block(c.head.bodies, law, source, &rows[..used]);
        }
    }
    p
}

fn packed(
    bodies: &[ProblemBody],
    contacts: &[LaneContact],
    numbers: &Discretiser,
) -> (ContactLanes, Vec<ProblemBody>) {
    let mut lanes = ContactLanes::default();
    lanes.pack(bodies.len(), contacts.iter().map(|c| c.head), |m| {
        contacts[m].clone()
    });
    let mut moving = bodies.to_vec();
    lanes.pose(&vec![BodyMotion::default(); bodies.len()], &moving, numbers);
    for b in &mut moving {
        b.vel = b.free;
    }
    lanes.warm(&mut moving);
    (lanes, moving)
}

fn distance(a: &[ProblemBody], b: &[ProblemBody]) -> f64 {
    let one = |(a, b): (&ProblemBody, &ProblemBody)| {
        let d = a.vel - b.vel;
        d.lin.length().max(d.ang.length())
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}

proptest! {
    /// One manifold has one order, so both do the same arithmetic up to rounding, sweep by sweep.
    #[test]
    fn one_manifold_is_swept_as_by_the_readable_solver(seed in 0u64..1000, points in 1usize..5, law in 0usize..4) {
        let law = [FrictionLaw::None, FrictionLaw::Boxed, FrictionLaw::Pyramid, FrictionLaw::Conic][law];
        let mut random = Random(seed);
        let numbers = Discretiser::new(&Params::game(), 1.0 / 240.0);
        let bodies = bodies(&mut random, 3);
        let contacts = [contact(&mut random, [1, 2], law, points)];
        for pass in [Pass::Position, Pass::Velocity] {
            let mut p = problem(&bodies, &contacts, &numbers);
            let (mut lanes, mut moving) = packed(&bodies, &contacts, &numbers);
            // Without friction the readable solver drops the tangents' warm impulses.
            if law == FrictionLaw::None {
                p.blocks.iter().for_each(|b| p.rows[b.first as usize].lambda = 0.0);
                (0..points).for_each(|k| lanes.set_impulse(0, k, [0.0; 3]));
                moving.iter_mut().for_each(|b| b.vel = b.free);
            }
            let budget = Budget { sweeps: 3, stop: 0.0 };
            Pgs.solve(&mut p, pass, budget, &mut Scratch::default());
            for k in 0..3 {
                lanes.sweep(&mut moving, pass, k % 2 == 1);
            }
            let apart = distance(&p.bodies, &moving);
            prop_assert!(apart < 1e-10, "{law:?} {pass:?}: {apart:e} m/s");
        }
    }
}

/// Many manifolds: another order, the same law. The certificate judges both.
#[test]
fn a_heap_is_solved_to_the_same_law() {
    for law in [
        FrictionLaw::None,
        FrictionLaw::Boxed,
        FrictionLaw::Pyramid,
        FrictionLaw::Conic,
    ] {
        let mut random = Random(7);
        let numbers = Discretiser::new(&Params::robotics(), 1.0 / 240.0);
        let bodies = bodies(&mut random, 40);
        let pair = |i: u32| [i % 39, i % 39 + 1 + i % (39 - i % 39).max(1)].map(|b| b.min(39));
        let contacts: Vec<_> = (0..60)
            .map(pair)
            .filter(|p| p[0] != p[1])
            .map(|p| contact(&mut random, p, law, 1))
            .collect();
        let mut p = problem(&bodies, &contacts, &numbers);
        let (mut lanes, mut moving) = packed(&bodies, &contacts, &numbers);
        for k in 0..3000 {
            lanes.sweep(&mut moving, Pass::Velocity, k % 2 == 1);
        }
        for block in p.blocks.clone() {
            let Source::Contact { manifold, point } = block.source else {
                continue;
            };
            let impulse = lanes.impulse(manifold as usize, point as usize);
            for (r, x) in block.rows().zip(impulse) {
                p.rows[r].lambda = x;
            }
        }
        p.rebuild_velocities();
        assert!(distance(&p.bodies, &moving) < 1e-9, "{law:?}");
        let grade = grade_velocities(&p, 0.0);
        assert!(grade.abs < 1e-9, "{law:?}: {:e}", grade.abs);
    }
}

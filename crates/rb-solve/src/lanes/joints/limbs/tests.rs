//! Trees of bearings are solved as their rows would be.

use super::weigh::weigh_all;
use crate::lanes::joints::bearing::NO_BEARING;
use crate::lanes::joints::kernel::violation;
use crate::lanes::joints::sample::{START, STOPS, bearing, state};
use crate::lanes::joints::{JointLanes, LaneBearing};
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Line, Plain, Simd, Wide, Within};
use crate::lanes::{ContactLanes, LANES};
use glam::{DMat3, DVec3};
use rb_core::elimination::Elimination;
use rb_core::mass::InvMass;
use rb_core::problem::Pass;

/// Bodies of a tree that can move, at most.
const SIZE: usize = 8;
/// In place of a body: one that cannot.
const HELD: usize = SIZE;
const BODIES: usize = SIZE * LANES;

/// Eight trees, with the bearings between their bodies.
struct Trees {
    lanes: JointLanes,
    contacts: ContactLanes,
    plan: Elimination,
}

impl Trees {
    /// With a swing locked at every third joint, or at none.
    fn new(joints: &[[usize; 2]], locks: bool) -> Self {
        let (mut lanes, mut contacts) = (JointLanes::default(), ContactLanes::default());
        let mut plan = Elimination::default();
        contacts.reset(BODIES + 1);
        let body = |tree: usize, b: usize| match b {
            HELD => BODIES as u32,
            _ => (SIZE * tree + b) as u32,
        };
        let pairs: Vec<[u32; 2]> = (0..LANES)
            .flat_map(|tree| joints.iter().map(move |pair| pair.map(|b| body(tree, b))))
            .collect();
        plan.analyse(&pairs, &[], BODIES as u32, 10_000);
        lanes.seat_trees(&pairs, &plan, BODIES, BODIES + 1);
        assert_eq!(lanes.batches(), joints.len());
        for batch in 0..lanes.batches() {
            let used = (0..LANES).filter_map(|lane| lanes.joint(batch, lane));
            let bearings: Vec<_> = used
                .map(|joint| LaneBearing {
                    locked: locks && joint.is_multiple_of(3),
                    stops: [0.3, -0.2, 0.1],
                    ..bearing(joint as usize)
                })
                .collect();
            lanes.open_bearings(batch, &bearings, &STOPS);
            lanes.start_bearings(batch, &[START; LANES][..bearings.len()]);
        }
        state(&mut lanes, &mut contacts, BODIES);
        Self {
            lanes,
            contacts,
            plan,
        }
    }

    /// Velocities and impulses after exact solves, of bearings taken as such or by their rows.
    fn solved(mut self, by_rows: bool) -> Solved {
        if by_rows {
            let batches = self.lanes.batches.iter_mut();
            batches.for_each(|batch| batch.bearing = NO_BEARING);
        }
        self.lanes.prepare(&self.contacts);
        self.lanes.lay_out(&self.plan);
        let (lanes, contacts) = (&mut self.lanes, &mut self.contacts);
        let mut settle = |pass| lanes.settle(contacts, &self.plan, pass);
        let right = settle(Pass::Position) & settle(Pass::Velocity);
        let rows = lanes.batches.iter().flat_map(|b| &lanes.rows[b.range()]);
        let impulses = rows.map(|row| &row.impulse);
        let all = contacts.vel.iter().chain(impulses);
        Solved {
            left: left(lanes, &contacts.vel),
            numbers: all.flat_map(|w| w.0).collect(),
            limbed: lanes.groups.iter().all(|group| group.limbed),
            right,
        }
    }
}

/// What came of it, whether trees were taken body by body, and whether all bounds came out right.
struct Solved {
    numbers: Vec<f64>,
    limbed: bool,
    right: bool,
    /// The greatest |w| of free rows (m/s, rad/s).
    left: f64,
}

fn left(lanes: &JointLanes, vel: &[Line]) -> f64 {
    let mut left = 0.0_f64;
    for batch in &lanes.batches {
        let pair = Pair::<Plain>::gather(vel, Within::both(&batch.bodies, vel));
        for r in batch.range() {
            let mut w = Wide::default();
            violation(&lanes.rows[r], &pair, pair.apart(), Pass::Velocity).store(&mut w);
            let free =
                w.0.iter()
                    .zip(lanes.sides[r].0)
                    .filter(|(_, side)| *side == 0.0);
            left = free.fold(left, |left, (w, _)| left.max(w.abs()));
        }
    }
    left
}

/// The same with bearings taken as such, where limbs are made if they can be, and by their rows.
fn compare(limbed: bool, trees: impl Fn() -> Trees) {
    let [mine, others] = [false, true].map(|by_rows| trees().solved(by_rows));
    assert!(mine.limbed == limbed && !others.limbed);
    assert!(mine.right && others.right);
    assert_eq!(mine.numbers.len(), others.numbers.len());
    for (a, b) in mine.numbers.iter().zip(&others.numbers) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
    }
}

#[test]
fn trees_of_bearings_are_solved_as_their_rows_would_be() {
    let trees: [&[[usize; 2]]; 6] = [
        &[[0, 1]],
        // Two limbs on a body, one of them with a joint more.
        &[[0, 1], [0, 2], [2, 3]],
        // Three and four joints at bodies that are joined, either side of which is the limb's.
        &[[0, 1], [1, 2], [3, 1], [3, 4], [1, 5], [0, 6], [7, 0]],
        // What hangs on a body that cannot move.
        &[[HELD, 0], [0, 1], [1, 2]],
        &[[2, 1], [1, 0], [1, 3], [0, HELD]],
        &[[0, HELD]],
    ];
    for joints in trees {
        compare(true, || Trees::new(joints, false));
        compare(true, || Trees::new(joints, true));
    }
}

/// A thousand tons at a tip, and a gram between it and the root: inertias add up, where joints take differences.
#[test]
fn light_bodies_hold_heavy_ones() {
    let mut trees = Trees::new(&[[HELD, 0], [0, 1], [1, 2], [1, 3]], false);
    for tree in 0..LANES {
        for (body, mass) in [(1, 1e-3), (2, 1e6)] {
            let inv = InvMass {
                lin: DVec3::splat(1.0 / mass),
                ang: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0) / mass),
            };
            trees.contacts.set_mass(SIZE * tree + body, &inv);
        }
    }
    let solved = trees.solved(false);
    assert!(solved.limbed && solved.right);
    // Joint by joint it is 4e-6.
    assert!(solved.left < 1e-10, "{}", solved.left);
}

#[test]
fn loops_have_no_limbs() {
    for joints in [&[[0, 1], [1, 2], [2, 0]], &[[HELD, 0], [0, 1], [1, HELD]]] {
        assert!(!Trees::new(joints, false).solved(false).limbed);
    }
}

#[test]
fn bodies_with_locked_axes_are_no_limbs() {
    let turned = DMat3::from_rotation_x(0.4);
    let flat = turned * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 0.0)) * turned.transpose();
    for (lin, ang) in [
        (DVec3::new(1.0, 1.0, 0.0), DMat3::IDENTITY),
        (DVec3::ONE, flat),
    ] {
        compare(false, || {
            let mut trees = Trees::new(&[[0, 1], [0, 2], [2, 3]], false);
            trees.contacts.set_mass(3 * SIZE + 2, &InvMass { lin, ang });
            trees
        });
    }
}

/// A figure with joints at their stops, some of them found wrong at first.
#[cfg(target_arch = "x86_64")]
#[test]
fn every_width_gives_the_same_bits() {
    use crate::lanes::joints::exact::settle;
    use crate::lanes::simd::{Avx2, Avx512};
    use crate::lanes::{Width, assert_same_at_every_width};
    assert_same_at_every_width("limbs", |width| {
        let joints = [[0, 1], [1, 2], [3, 1], [3, 4], [1, 5], [HELD, 0]];
        let Trees {
            mut lanes,
            mut contacts,
            plan,
        } = Trees::new(&joints, true);
        lanes.prepare(&contacts);
        lanes.lay_out(&plan);
        macro_rules! solve {
            ($simd:ty) => {{
                weigh_all::<$simd>(&mut lanes.groups, &lanes.batches, &mut lanes.limbs);
                assert!(lanes.groups.iter().all(|group| group.limbed));
                let mut task = lanes.task(&mut contacts.vel, &plan, Pass::Position);
                assert!(settle::<$simd>(&mut task));
            }};
        }
        match width {
            Width::Avx512 => solve!(Avx512),
            Width::Avx2 => solve!(Avx2),
            Width::Plain => solve!(Plain),
        }
        let rows = lanes.batches.iter().flat_map(|b| &lanes.rows[b.range()]);
        let impulses = rows.map(|row| row.impulse.0);
        let all = contacts.vel.iter().map(|line| line.0).chain(impulses);
        all.flatten().collect::<Vec<_>>()
    });
}

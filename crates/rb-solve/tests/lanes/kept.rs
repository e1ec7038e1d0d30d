//! Lanes that keep their contacts go on from the impulses they ended with, which are those that are stored.

use crate::impulses;
use crate::scene::{ALL, BODIES, H, scene, terms};
use glam::DMat3;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{Contacts, Impulses, Manifold};
use rb_core::mass::InvMass;
use rb_core::params::{FrictionAt, Params, Precision};
use rb_core::problem::Pass;
use rb_solve::lanes::{ContactLanes, Kind, Member, Terms};

/// A scene whose contacts stay as they are.
struct Still {
    manifolds: Vec<Manifold>,
    masses: Vec<InvMass>,
    friction: FrictionAt,
}

impl Still {
    /// Manifolds of two points and more, enough to a level for batches, between bodies of which some are round.
    fn new(seed: u64, law: usize, friction: FrictionAt) -> (Self, ContactLanes) {
        let (set, mut lanes) = scene(seed, &ALL[law..=law], None, friction);
        let some = set[..20].iter().filter(|m| m.count > 1);
        let manifolds: Vec<_> = some.map(|m| Manifold { surface: 0, ..*m }).collect();
        let mass = |i: usize| match lanes.body(i).inv {
            any if any.is_zero() || i % 8 > 3 => any,
            InvMass { lin, .. } => InvMass {
                lin,
                ang: DMat3::from_diagonal(lin * 2.0),
            },
        };
        let masses = (0..BODIES).map(mass).collect();
        let still = Self {
            manifolds,
            masses,
            friction,
        };
        let velocities = core::array::from_fn::<_, BODIES, _>(|i| lanes.velocity(i));
        lanes.reset(BODIES);
        still.weigh(&mut lanes);
        for (i, v) in velocities.iter().enumerate() {
            lanes.set_velocity(i, v);
        }
        let member = |(k, m): (usize, &Manifold)| Member {
            number: k as u32,
            bodies: m.bodies,
            kind: Kind::new(m, None),
        };
        let members = still.manifolds.iter().enumerate().map(member);
        let all = core::iter::once(members);
        lanes.pack(still.contacts(&[]), all, BODIES - 1, still.terms(0));
        (still, lanes)
    }

    fn weigh(&self, lanes: &mut ContactLanes) {
        for (i, inv) in self.masses.iter().enumerate() {
            lanes.set_mass(i, inv);
        }
    }

    fn contacts<'a>(&'a self, fresh: &'a [bool]) -> Contacts<'a> {
        Contacts {
            manifolds: &self.manifolds,
            materials: &[],
            fresh,
        }
    }

    fn terms(&self, step: u64) -> Terms {
        let numbers = Discretiser::new(&Params::game(), H);
        Terms {
            precision: Precision::Single,
            step,
            ..terms(&numbers, self.friction)
        }
    }

    /// Runs step number `step` in lanes; no contact is another one if they are `kept`.
    fn run(&self, lanes: &mut ContactLanes, kept: bool, step: u64) {
        let numbers = Discretiser::new(&Params::game(), H);
        self.weigh(lanes);
        let fresh = vec![!kept; self.manifolds.len()];
        lanes.repack(self.contacts(&fresh), BODIES - 1, self.terms(step));
        lanes.pose(|_| Default::default(), &numbers);
        lanes.warm();
        lanes.sweeps(Pass::Position, &numbers, 3, false);
        lanes.sweeps(Pass::Velocity, &numbers, 2, true);
        lanes.settle();
    }

    fn store(&mut self, impulses: &[Impulses]) {
        let all = self.manifolds.iter_mut().zip(impulses);
        all.for_each(|(m, impulses)| m.set_impulses(impulses));
    }
}

fn stored(lanes: &ContactLanes) -> Vec<Impulses> {
    (0..lanes.len()).map(|m| impulses(lanes, m)).collect()
}

#[test]
fn what_is_kept_goes_on_as_if_it_had_been_loaded() {
    let mut pushing = 0;
    for seed in 0..12 {
        let friction = [FrictionAt::Manifold, FrictionAt::Points][seed as usize % 2];
        let (mut still, mut lanes) = Still::new(seed, seed as usize % ALL.len(), friction);
        still.run(&mut lanes, false, 1);
        for step in 2..6 {
            let impulses = stored(&lanes);
            pushing += impulses.iter().filter(|i| i.pushes()).count();
            still.store(&impulses);
            let [mut loaded, mut dropped] = [lanes.clone(), lanes.clone()];
            dropped.drop_settled();
            still.run(&mut loaded, false, step);
            still.run(&mut dropped, true, step);
            // Nobody asks for what is stored.
            still.store(&vec![Impulses::default(); impulses.len()]);
            still.run(&mut lanes, true, step);
            for other in [&dropped, &lanes] {
                assert_eq!(stored(&loaded), stored(other), "{seed}, step {step}");
                for i in 0..BODIES {
                    let same = loaded.velocity(i) == other.velocity(i);
                    assert!(same, "{seed}, step {step}, body {i}");
                }
            }
        }
    }
    assert!(pushing > 100, "{pushing}");
}

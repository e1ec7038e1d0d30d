//! A manifold within an island: what is kept of it, and what becomes of it.

use super::surface::Grain;
use super::{Island, Shared};
use glam::DVec3;
use rb_core::law::{Law, LawSet};
use rb_core::manifold::{FrictionLaw, MAX_POINTS, Manifold};
use rb_solve::lanes::ContactLanes;

/// A manifold within an island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IslandContact {
    pub(crate) manifold: u32,
    pub(crate) movers: [u32; 2],
    pub(crate) points: u8,
    pub(crate) law: FrictionLaw,
    /// Whether its surface has nothing beyond one coefficient of friction.
    pub(crate) plain: bool,
}

/// What a manifold that is posed in rows needs besides.
#[derive(Clone, Debug, Default)]
pub(super) struct PosedContact {
    pub(super) impulse: [[f64; 3]; MAX_POINTS],
    /// Angular impulse of the resistance to spin and rolling (N·m·s, world).
    pub(super) spin: DVec3,
    /// Directions of anisotropic friction.
    pub(super) grain: Option<Grain>,
    /// Gap of each point at the end of the step (m).
    pub(super) gap: [f64; MAX_POINTS],
}

/// What became of a manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettledContact {
    /// Impulses of its points along (n, t₁, t₂) (N·s).
    pub(crate) impulse: [[f64; 3]; MAX_POINTS],
    /// Angular impulse of the resistance to spin and rolling (N·m·s, world).
    pub(crate) spin: DVec3,
    /// Whether a point carries an impulse or is closed.
    pub(crate) closed: bool,
}

impl IslandContact {
    pub(crate) fn new(number: u32, manifold: &Manifold, movers: [u32; 2]) -> Self {
        Self {
            manifold: number,
            movers,
            points: manifold.count,
            law: manifold.material.law,
            plain: manifold.material.extras.is_plain(),
        }
    }

    /// Constraint rows that it stands for in lanes.
    fn rows(&self) -> u32 {
        let one = self.law == FrictionLaw::None;
        u32::from(self.points) * if one { 1 } else { 3 }
    }
}

impl Island {
    /// Constraint rows of its contacts in lanes, and their laws.
    pub(super) fn count_lanes(&mut self) {
        let loose = &self.contacts[..self.loose];
        self.lane_rows = loose.iter().map(IslandContact::rows).sum();
        let laws = loose.iter().map(|c| Law::friction(c.law, 0.0).as_set());
        self.lane_laws = laws.fold(LawSet::empty(), |all, law| all | law);
    }

    /// Impulses of the last step, as those of the present substep.
    pub(super) fn load_impulses(&mut self, shared: &Shared) {
        self.posed.clear();
        self.posed.extend(self.contacts.iter().map(|c| {
            let manifold = &shared.contacts[c.manifold as usize];
            let mut posed = PosedContact {
                spin: manifold.spin * shared.warm_scale,
                ..PosedContact::default()
            };
            for (to, p) in posed.impulse.iter_mut().zip(manifold.points()) {
                *to = p.impulse.map(|x| x * shared.warm_scale);
            }
            posed
        }));
    }

    /// What became of its contact `c`, which is a manifold of so many points, from lanes (its own or those
    /// of its convoy) or rows.
    pub(crate) fn settled(&self, convoy: &ContactLanes, c: usize, points: usize) -> SettledContact {
        let (lanes, mut run) = self.contacts_in_lanes(convoy);
        match run.nth(c) {
            Some(manifold) => SettledContact::of(lanes, manifold),
            None => self.posed[c].settled(points),
        }
    }
}

impl SettledContact {
    fn of(lanes: &ContactLanes, manifold: usize) -> Self {
        let impulse = lanes.impulses(manifold);
        // Gaps are asked for only where no impulse tells.
        let pushes = impulse.iter().any(|p| p[0] > 0.0);
        Self {
            impulse,
            spin: DVec3::ZERO,
            closed: pushes || lanes.gaps(manifold).iter().any(|g| *g <= 0.0),
        }
    }
}

impl PosedContact {
    fn settled(&self, points: usize) -> SettledContact {
        let mut points = self.impulse.iter().zip(&self.gap).take(points);
        SettledContact {
            impulse: self.impulse,
            spin: self.spin,
            closed: points.any(|(p, gap)| p[0] > 0.0 || *gap <= 0.0),
        }
    }
}

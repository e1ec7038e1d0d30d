//! A manifold within an island: what is kept of it, and what becomes of it.

use super::surface::Grain;
use super::{Island, Shared};
use glam::DVec3;
use rb_core::law::{Law, LawSet};
use rb_core::manifold::{Contacts, FrictionLaw, Impulses, MAX_POINTS, Manifold, Marks};
use rb_solve::lanes::{ContactLanes, Kind, Member};

/// A manifold within an island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct IslandContact {
    pub(crate) manifold: u32,
    /// Numbers of its bodies in the island; their slots before it has one.
    pub(crate) movers: [u32; 2],
    pub(crate) kind: Kind,
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

impl PosedContact {
    /// Stores what became of it; says whether it is closed.
    fn store(&self, to: &mut Manifold) -> bool {
        let (points, spin) = (self.impulse, self.spin);
        let impulses = Impulses::Each { points, spin };
        to.set_impulses(&impulses);
        let gaps = &self.gap[..usize::from(to.count)];
        impulses.pushes() || gaps.iter().any(|g| *g <= 0.0)
    }
}

impl IslandContact {
    /// A manifold that is in no island yet.
    pub(crate) fn new(number: u32, contacts: Contacts) -> Self {
        let manifold = &contacts.manifolds[number as usize];
        let surface = contacts.surface(manifold);
        Self {
            manifold: number,
            movers: manifold.bodies,
            kind: Kind::new(manifold, surface),
            plain: surface.is_none_or(|m| m.extras.is_plain()),
        }
    }

    /// As lanes take it, between bodies that `seat` numbers.
    pub(super) fn member(&self, seat: impl Fn(u32) -> u32) -> Member {
        Member {
            number: self.manifold,
            bodies: self.movers.map(seat),
            kind: self.kind,
        }
    }

    /// Constraint rows that it stands for in lanes.
    fn rows(&self) -> u32 {
        let one = self.kind.law == FrictionLaw::None;
        u32::from(self.kind.points) * if one { 1 } else { 3 }
    }
}

impl Island {
    /// What all its contacts are.
    pub(crate) fn count_contacts(&mut self) {
        let points = self.contacts.iter().map(|c| usize::from(c.kind.points));
        self.points = points.sum();
        self.plain = self.contacts.iter().all(|c| c.plain);
    }

    /// Constraint rows of its contacts in lanes, and their laws.
    pub(super) fn count_lanes(&mut self) {
        let loose = &self.contacts[..self.loose];
        self.lane_rows = loose.iter().map(IslandContact::rows).sum();
        let laws = loose
            .iter()
            .map(|c| Law::friction(c.kind.law, 0.0).as_set());
        self.lane_laws = laws.fold(LawSet::empty(), |all, law| all | law);
    }

    /// Impulses of the last step, as those of the present substep.
    pub(super) fn load_impulses(&mut self, shared: &Shared) {
        self.posed.clear();
        self.posed.extend(self.contacts.iter().map(|c| {
            let manifold = &shared.contacts.manifolds[c.manifold as usize];
            let mut posed = PosedContact::default();
            let surface = shared.contacts.surface(manifold);
            let (points, spin) = manifold.each();
            if surface.is_some_and(|m| m.extras.resists()) {
                posed.spin = spin * shared.warm_scale;
            }
            posed.impulse = points.map(|p| p.map(|x| x * shared.warm_scale));
            posed
        }));
    }

    /// Stores what became of its contact `c` in the manifold it is, from lanes (its own or those it
    /// shares) or rows.
    #[inline]
    pub(crate) fn settle(&self, shared: &ContactLanes, c: usize, manifold: &mut Manifold) {
        let (lanes, mut run) = self.contacts_in_lanes(shared);
        // Whether it is closed is asked only where no impulse tells.
        let closed = match run.nth(c) {
            Some(number) => lanes.store(number, manifold) || lanes.is_closed(number, manifold),
            None => self.posed[c].store(manifold),
        };
        manifold.scale(self.unit);
        manifold.marks.set(Marks::CLOSED, closed);
    }
}

//! Who is visited when, and in which lane: a plan, kept from step to step while the same bodies touch.

use super::batch::{Packed, Seat};
use super::colours::Colours;
use super::order::Order;
use super::precision::either;
use super::section::{Masses, Section, Terms};
use super::simd::{Place, Stored};
use super::thin::{ENOUGH, FEW};
use rb_core::manifold::{ContactMaterial, Contacts, FrictionLaw, Manifold};
use rb_core::params::{FrictionAt, Precision};
use rb_core::room;

/// What decides on the batch of a manifold: known before its numbers are read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kind {
    /// Points in use.
    pub points: u8,
    /// Law of friction.
    pub law: FrictionLaw,
    /// Whether its surface bounces or yields.
    pub special: bool,
}

impl Kind {
    /// That of a manifold whose material, if it has more than friction, is `surface`.
    pub fn new(manifold: &Manifold, surface: Option<&ContactMaterial>) -> Self {
        Self {
            points: manifold.count,
            law: manifold.law,
            special: surface.is_some_and(|m| m.restitution > 0.0 || m.compliance > 0.0),
        }
    }

    /// Whether its friction is one.
    fn is_gripped(self, friction: FrictionAt) -> bool {
        friction == FrictionAt::Manifold && self.law == FrictionLaw::Conic && self.points > 1
    }
}

/// A manifold to be packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Its number in the set of contacts.
    pub number: u32,
    /// Numbers of its bodies; in a section their lines, counted from its first.
    pub bodies: [u32; 2],
    /// What decides on its batch.
    pub kind: Kind,
}

/// Manifolds of one class may share a batch: those of one law of friction, each with special terms or without,
/// and with friction at every point or as one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Class(u8);

impl Class {
    const SPECIAL: u8 = 1;
    const GRIPPED: u8 = 8;

    fn of(kind: Kind, friction: FrictionAt) -> Self {
        let special = Self::SPECIAL * u8::from(kind.special);
        let gripped = Self::GRIPPED * u8::from(kind.is_gripped(friction));
        Self(2 * kind.law as u8 + special + gripped)
    }

    fn is_special(self) -> bool {
        self.0 & Self::SPECIAL != 0
    }

    pub(super) fn is_gripped(self) -> bool {
        self.0 & Self::GRIPPED != 0
    }
}

/// What a section has planned, and for whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Members that have come island by island, and where each island ends.
    ends: Vec<u32>,
    /// The same of the last plan, and what else it hangs on: movable bodies, the body that is none, and where
    /// friction acts.
    members: Vec<Member>,
    ended: Vec<u32>,
    terms: Option<(usize, u32, FrictionAt)>,
    /// Numbers of the members in the order of visits.
    visits: Vec<u32>,
    /// Theirs, if they are visited by colours.
    colours: Option<Colours>,
    order: Order,
    thin: bool,
    /// Whether it has been asked for since the members were forgotten.
    used: bool,
}

impl Plan {
    /// Forgets the members, but not what was planned for them.
    pub(super) fn begin(&mut self, members: &mut Vec<Member>) {
        if core::mem::take(&mut self.used) {
            core::mem::swap(&mut self.members, members);
            core::mem::swap(&mut self.ended, &mut self.ends);
        }
        room::empty(members);
        room::empty(&mut self.ends);
    }

    /// Whether manifolds are to be kept and swept one by one.
    pub(super) fn is_thin(&self) -> bool {
        self.thin
    }

    /// Has the members visited by colours from now on.
    pub(super) fn use_colours(&mut self) {
        self.colours.get_or_insert_default();
    }

    /// Lists the members in the order of visits.
    fn list_visits(&mut self, members: &[Member], movable: usize) {
        self.visits.clear();
        if let Some(colours) = &mut self.colours {
            return colours.list(members, movable, &mut self.visits);
        }
        let ends = core::mem::take(&mut self.ends);
        let mut first = 0;
        for &end in &ends {
            self.visit(members, first, end);
            first = end;
        }
        self.ends = ends;
    }

    /// Has the members `first..end`, those of one island, visited from both ends: the lower half of the bodies
    /// upwards, then the upper half downwards. A column is then two chains of half the length that meet in the
    /// middle. Bodies divide them and not their own number, or one more contact that is open would have others
    /// visited in another order.
    fn visit(&mut self, members: &[Member], first: u32, end: u32) {
        let body = |m: u32| {
            let [a, b] = members[m as usize].bodies;
            a.min(b)
        };
        let bodies = (first..end).map(body);
        let (Some(lowest), Some(highest)) = (bodies.clone().min(), bodies.max()) else {
            return;
        };
        let half = lowest.midpoint(highest);
        self.visits
            .extend((first..end).filter(|&m| body(m) <= half));
        self.visits
            .extend((first..end).rev().filter(|&m| body(m) > half));
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let ends = room::bytes(&self.ends) + room::bytes(&self.ended);
        let members = room::bytes(&self.members) + room::bytes(&self.visits);
        let colours = self.colours.as_ref().map_or(0, Colours::bytes);
        ends + members + colours + self.order.bytes()
    }
}

impl Section {
    /// The members that have come since the last island ended are another.
    pub(super) fn end_island(&mut self) {
        self.plan.ends.push(self.members.len() as u32);
    }

    /// Gives every member its turn and its seat, and makes the batches. All of that stays as it is while the
    /// members are the same: piles at rest are planned once. (Special surfaces are noted with their seats, and may
    /// have changed.) Says whether it did.
    pub(super) fn make_plan(&mut self, set: Contacts, terms: &Terms, masses: Masses) -> bool {
        let (friction, precision) = (terms.friction, terms.precision);
        let other = self.packed.change_to(precision);
        let plan = &mut self.plan;
        let terms = Some((masses.movable, masses.nobody, friction));
        let stay = core::mem::replace(&mut plan.used, true)
            || plan.ends == plan.ended && plan.members == self.members;
        if stay && plan.terms == terms && self.surfaces.is_empty() && !other {
            return true;
        }
        plan.terms = terms;
        plan.list_visits(&self.members, masses.movable);
        let (filled, plain) = self.take_turns(friction, masses.movable);
        let few = (self.seats.len() as f64) < FEW * f64::from(filled);
        let many = self.seats.len() >= ENOUGH;
        self.plan.thin = plain && many && few && precision == Precision::Single;
        self.surfaces.clear();
        let filled = if self.plan.thin { 0 } else { filled };
        either!(&mut self.packed, |packed| {
            packed.make_idle(filled as usize, masses.nobody)
        });
        if !self.plan.thin {
            self.fill_batches(set);
        }
        either!(&mut self.packed, |packed| {
            packed.number(self.members.len())
        });
        false
    }

    /// Gives every member its turn and its seat; says how many batches that makes, and whether none of the
    /// members has special terms.
    fn take_turns(&mut self, friction: FrictionAt, movable: usize) -> (u32, bool) {
        let Self {
            members,
            seats,
            plan,
            ..
        } = self;
        let Plan { visits, order, .. } = plan;
        order.begin(movable, members.len());
        seats.clear();
        room::fit(seats, members.len());
        seats.resize(members.len(), Seat::default());
        let mut plain = true;
        for &m in visits.iter() {
            let Member { bodies, kind, .. } = members[m as usize];
            let (class, points) = (Class::of(kind, friction), kind.points);
            order.add(bodies, class.0, usize::from(points));
            let seat = &mut seats[m as usize];
            (seat.class, seat.points) = (class, points);
            plain &= !class.is_special();
        }
        let mut turn = 0;
        let filled = order.schedule(|place| {
            let seat = &mut seats[visits[place.manifold as usize] as usize];
            (seat.batch, seat.lane, seat.turn) = (place.batch, place.lane, turn);
            turn += 1;
        });
        (filled, plain)
    }

    /// Gives the batches their bodies, and notes the surfaces of special ones.
    fn fill_batches(&mut self, set: Contacts) {
        let members = self.members.iter().zip(&self.seats);
        either!(&mut self.packed, |packed| packed.seat(members.clone()));
        for (member, seat) in members {
            if seat.class.is_special() {
                let material = set.material(&set.manifolds[member.number as usize]);
                self.surfaces.push((seat.batch, seat.lane, material));
            }
        }
    }
}

impl<W: Stored> Packed<W> {
    /// Gives the batches their members, each in its seat.
    fn seat<'a>(&mut self, members: impl Iterator<Item = (&'a Member, &'a Seat)>) {
        for (m, (member, seat)) in members.enumerate() {
            let batch = &mut self.batches[seat.batch as usize];
            batch.len = batch.len.max(u32::from(seat.points));
            let lane = seat.lane as usize;
            for (side, body) in member.bodies.into_iter().enumerate() {
                batch.bodies[side][lane] = Place::new(body);
            }
            (batch.manifolds[lane], batch.members[lane]) = (member.number, m as u32);
            if seat.class.is_gripped() {
                batch.grip = 0;
            }
            if seat.class.is_special() {
                batch.special = 0;
            }
        }
    }
}

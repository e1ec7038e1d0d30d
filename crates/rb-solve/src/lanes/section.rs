//! Contacts that one thread sweeps: seats, storage.
//!
//! All contacts of most islands; those of a part of a large one, or those between its parts (see
//! [`pack`](super::pack)).

use super::batch::{Batch, Packed, Seat};
use super::fill;
use super::grade::Tally;
use super::order::Order;
use super::prepare::Soft;
use super::simd::{LANES, Line};
use super::thin::{ENOUGH, FEW, Thin};
use rb_core::manifold::{ContactMaterial, FrictionLaw, Manifold};
use rb_core::params::FrictionAt;
use rb_core::room;

/// What decides on the batch of a manifold: known before its numbers are read.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Points in use.
    pub points: u8,
    /// Law of friction.
    pub law: FrictionLaw,
    /// Whether its surface bounces or yields.
    pub special: bool,
}

impl Kind {
    /// That of a manifold.
    pub fn of(manifold: &Manifold) -> Self {
        let material = &manifold.material;
        Self {
            points: manifold.count,
            law: material.law,
            special: material.restitution > 0.0 || material.compliance > 0.0,
        }
    }

    /// Whether its friction is one.
    pub(super) fn is_gripped(self, friction: FrictionAt) -> bool {
        friction == FrictionAt::Manifold && self.law == FrictionLaw::Conic && self.points > 1
    }
}

/// A manifold to be packed.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its number in the set of contacts.
    pub number: u32,
    /// Numbers of its bodies; in a section their lines, counted from its first.
    pub bodies: [u32; 2],
    /// What decides on its batch.
    pub kind: Kind,
}

/// Contacts that one thread sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// Its manifolds, in packing order.
    pub(super) members: Vec<Member>,
    /// Their numbers in the order of visits.
    visits: Vec<u32>,
    pub(super) seats: Vec<Seat>,
    pub(super) packed: Packed,
    /// The manifolds one by one, if batches would be almost empty; seats then count these.
    pub(super) thin: Vec<Thin>,
    /// Surfaces of the manifolds with special terms, by batch and lane.
    pub(super) surfaces: Vec<(u32, u8, ContactMaterial)>,
    /// Its first line of the bodies.
    pub(super) base: usize,
    /// Whether bodies have moved since the terms of the position pass were made, and inverse masses
    /// been set since points were coupled.
    pub(super) fresh: bool,
    pub(super) turned: bool,
    order: Order,
    /// Batches of its schedule.
    filled: u32,
    /// Whose contact each lane of each batch is, and their sums, while they are graded apart.
    pub(super) owners: Vec<[u32; LANES]>,
    pub(super) tallies: Vec<Tally>,
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

    fn is_gripped(self) -> bool {
        self.0 & Self::GRIPPED != 0
    }
}

/// What is to become of the contacts when they are packed.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Soft step of contacts between movable bodies, and of those with an immovable one.
    pub soft: [Soft; 2],
    /// Where friction acts.
    pub friction: FrictionAt,
    /// What stored impulses are multiplied by.
    pub scale: f64,
}

/// Lines of its bodies that packing reads.
#[derive(Clone, Copy)]
pub(super) struct Masses<'a> {
    pub(super) inv: &'a [Line],
    pub(super) vel: &'a [Line],
    /// How many of the first lines are of bodies that can move.
    pub(super) movable: usize,
    /// Line of the body of idle lanes.
    pub(super) nobody: u32,
}

impl Section {
    /// Forgets all contacts.
    pub(super) fn clear(&mut self, base: usize) {
        room::empty(&mut self.members);
        room::empty(&mut self.visits);
        self.seats.clear();
        self.packed.clear();
        self.surfaces.clear();
        self.thin.clear();
        self.base = base;
    }

    /// Has the members that have come since it was last asked, those of one island, visited from both ends:
    /// the lower half of the bodies upwards, then the upper half downwards. A column is then two chains of half
    /// the length that meet in the middle. Bodies divide them and not their own number, or one more contact
    /// that is open would have others visited in another order.
    pub(super) fn take_visits(&mut self) {
        let (first, end) = (self.visits.len() as u32, self.members.len() as u32);
        let members = &self.members;
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

    /// Packs its members.
    pub(super) fn pack(&mut self, set: &[Manifold], terms: Terms, masses: Masses) {
        let plain = self.take_turns(terms.friction, masses.movable);
        if plain && self.is_narrow() {
            self.packed.number();
            return self.pack_thin(set, terms, masses);
        }
        room::fit(&mut self.thin, 0);
        self.make_batches(set, masses.nobody);
        fill::run(&mut self.packed, set, &terms, masses);
    }

    /// Gives every manifold its turn and its seat; says whether none has special terms.
    fn take_turns(&mut self, friction: FrictionAt, movable: usize) -> bool {
        self.order.begin(movable, self.members.len());
        room::fit(&mut self.seats, self.members.len());
        self.seats.resize(self.members.len(), Seat::default());
        let mut plain = true;
        for &m in &self.visits {
            let Member { bodies, kind, .. } = self.members[m as usize];
            let (class, points) = (Class::of(kind, friction), kind.points);
            self.order.add(bodies, class.0, usize::from(points));
            let seat = &mut self.seats[m as usize];
            (seat.class, seat.points) = (class, points);
            plain &= !class.is_special();
        }
        let (seats, visits, mut turn) = (&mut self.seats, &self.visits, 0);
        self.filled = self.order.schedule(|place| {
            let seat = &mut seats[visits[place.manifold as usize] as usize];
            (seat.batch, seat.lane, seat.turn) = (place.batch, place.lane, turn);
            turn += 1;
        });
        plain
    }

    /// Whether batches would be almost empty.
    fn is_narrow(&self) -> bool {
        let manifolds = self.seats.len();
        manifolds >= ENOUGH && (manifolds as f64) < FEW * f64::from(self.filled)
    }

    /// Batches with their bodies and the surfaces of special ones.
    fn make_batches(&mut self, set: &[Manifold], nobody: u32) {
        let batches = &mut self.packed.batches;
        room::fit(batches, self.filled as usize);
        batches.resize(self.filled as usize, Batch::idle(nobody));
        for (&Member { number, bodies, .. }, seat) in self.members.iter().zip(&self.seats) {
            let batch = &mut batches[seat.batch as usize];
            batch.len = batch.len.max(u32::from(seat.points));
            let lane = seat.lane as usize;
            for (side, body) in bodies.into_iter().enumerate() {
                batch.bodies[side][lane] = body;
            }
            batch.manifolds[lane] = number;
            if seat.class.is_gripped() {
                batch.grip = 0;
            }
            if seat.class.is_special() {
                batch.special = 0;
                let material = set[number as usize].material;
                self.surfaces.push((seat.batch, seat.lane, material));
            }
        }
        self.packed.number();
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let members = room::bytes(&self.members) + room::bytes(&self.visits);
        let seated = members + room::bytes(&self.seats) + self.order.bytes();
        let wide = self.packed.bytes() + room::bytes(&self.surfaces);
        let graded = room::bytes(&self.owners) + room::bytes(&self.tallies);
        seated + wide + room::bytes(&self.thin) + graded
    }
}

impl Masses<'_> {
    /// Whether no impulse moves the body.
    pub(super) fn immovable(&self, body: u32) -> bool {
        immovable(self.inv, self.vel, body as usize)
    }
}

/// Whether no impulse moves a body.
pub(super) fn immovable(inv: &[Line], vel: &[Line], body: usize) -> bool {
    inv[body].0 == [0.0; LANES] && vel[body].0[3] == 0.0
}

//! Contacts that one thread sweeps: seats, storage.
//!
//! All contacts of most islands; those of a part of a large one, or those between its parts (see
//! [`pack`](super::pack)).

use super::batch::{Batch, Packed, Seat};
use super::grade::Tally;
use super::grip::stored;
use super::order::Order;
use super::prepare::{self, Soft};
use super::simd::{LANES, Line};
use super::thin::{ENOUGH, FEW, Thin};
use rb_core::manifold::{ContactMaterial, FrictionLaw, Manifold};
use rb_core::params::FrictionAt;
use rb_core::room;

/// A manifold to be packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its number in the set of contacts.
    pub(super) number: u32,
    /// Lines of its bodies, counted from the first of the section.
    pub(super) bodies: [u32; 2],
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
        let plain = self.take_turns(set, terms.friction, masses.movable);
        if plain && self.is_narrow() {
            self.packed.number();
            return self.pack_thin(set, terms, masses);
        }
        room::fit(&mut self.thin, 0);
        self.make_batches(set, terms.friction, masses.nobody);
        for m in 0..self.members.len() {
            self.fill(set, m, terms, masses);
        }
        prepare::run(&mut self.packed, masses.inv, masses.vel);
    }

    /// Gives every manifold its turn and its seat; says whether none has special terms.
    fn take_turns(&mut self, set: &[Manifold], friction: FrictionAt, movable: usize) -> bool {
        self.order.begin(movable, self.members.len());
        room::fit(&mut self.seats, self.members.len());
        self.seats.resize(self.members.len(), Seat::default());
        let mut plain = true;
        for &m in &self.visits {
            let Member { number, bodies } = self.members[m as usize];
            let manifold = &set[number as usize];
            let special = is_special(&manifold.material);
            let class = 2 * manifold.material.law as u8 + u8::from(special);
            let points = manifold.count;
            let class = class + 8 * u8::from(is_gripped(manifold, friction));
            self.order.add(bodies, class, usize::from(points));
            self.seats[m as usize].points = points;
            plain &= !special;
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
    fn make_batches(&mut self, set: &[Manifold], friction: FrictionAt, nobody: u32) {
        let batches = &mut self.packed.batches;
        room::fit(batches, self.filled as usize);
        batches.resize(self.filled as usize, Batch::idle(nobody));
        for (&Member { number, bodies }, seat) in self.members.iter().zip(&self.seats) {
            let batch = &mut batches[seat.batch as usize];
            batch.len = batch.len.max(u32::from(seat.points));
            for (side, body) in bodies.into_iter().enumerate() {
                batch.bodies[side][seat.lane as usize] = body;
            }
            let manifold = &set[number as usize];
            if is_gripped(manifold, friction) {
                batch.grip = 0;
            }
            if is_special(&manifold.material) {
                batch.special = 0;
                self.surfaces
                    .push((seat.batch, seat.lane, manifold.material));
            }
        }
        self.packed.number();
    }

    fn fill(&mut self, set: &[Manifold], m: usize, terms: Terms, masses: Masses) {
        let (seat, Member { number, bodies }) = (self.seats[m], self.members[m]);
        let (to, manifold) = (seat.lane as usize, &set[number as usize]);
        let Packed {
            batches,
            points,
            slips,
            grips,
            ..
        } = &mut self.packed;
        let batch = &mut batches[seat.batch as usize];
        batch.law = manifold.material.law;
        batch.mu.0[to] = manifold.material.sliding_friction();
        let belt = manifold.material.surface_velocity;
        for k in 0..3 {
            batch.normal[k].0[to] = manifold.normal[k];
            // Turned into tangents where those are made.
            batch.tangent[k].0[to] = belt[k];
        }
        let still = bodies.iter().any(|&b| masses.immovable(b));
        let soft = terms.soft[usize::from(still)];
        (batch.soft[0].0[to], batch.soft[1].0[to]) = (soft.rate, soft.reg);
        let points = &mut points[batch.range()];
        let of = manifold.points().iter().zip(manifold.impulses());
        for (point, (q, impulse)) in points.iter_mut().zip(of) {
            for k in 0..3 {
                point.arm[0][k].0[to] = q.arm[0][k];
                point.arm[1][k].0[to] = q.arm[1][k];
            }
            point.impulse.0[to] = terms.scale * impulse[0];
            point.gap.0[to] = q.gap;
            // Marks the point as one; becomes its effective mass.
            point.inverse.0[to] = 1.0;
        }
        for (slip, [_, x, y]) in slips[batch.slips()].iter_mut().zip(manifold.impulses()) {
            (slip.impulse[0].0[to], slip.impulse[1].0[to]) = (terms.scale * x, terms.scale * y);
        }
        if let Some(grip) = grips.get_mut(batch.grip as usize) {
            for (to_all, x) in grip.impulse.iter_mut().zip(stored(manifold, terms.scale)) {
                to_all.0[to] = x;
            }
        }
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

/// Whether the friction of a manifold is one.
pub(super) fn is_gripped(manifold: &Manifold, friction: FrictionAt) -> bool {
    let law = manifold.material.law == FrictionLaw::Conic;
    friction == FrictionAt::Manifold && law && manifold.count > 1
}

/// Whether a surface bounces or yields.
fn is_special(material: &ContactMaterial) -> bool {
    material.restitution > 0.0 || material.compliance > 0.0
}

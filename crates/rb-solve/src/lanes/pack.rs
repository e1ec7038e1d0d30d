//! Manifolds into lanes: seats, storage.

use super::batch::{Batch, PLAIN, Point, Seat, Special};
use super::grade::Tally;
use super::order::Order;
use super::prepare::Soft;
use super::simd::Line;
use super::thin::{ENOUGH, FEW, Thin};
use core::ops::Range;
use glam::{DMat3, DVec3};
use rb_core::contact_block::{ContactBlock, ContactSet, LANES};
use rb_core::manifold::{ContactMaterial, FrictionLaw};
use rb_core::mass::InvMass;
use rb_core::math::Twist;

/// The contacts of one island, in lanes, and what they need to know of its bodies.
#[derive(Clone, Debug, Default)]
pub struct ContactLanes {
    pub(super) batches: Vec<Batch>,
    pub(super) points: Vec<Point>,
    pub(super) special: Vec<Special>,
    pub(super) seats: Vec<Seat>,
    /// The manifolds one by one, if batches would be almost empty; seats then count these.
    pub(super) thin: Vec<Thin>,
    /// Whether an inverse mass was set since they were last prepared.
    pub(super) turned: bool,
    /// Surfaces of the manifolds with special terms, by batch and lane.
    pub(super) surfaces: Vec<(u32, u8, ContactMaterial)>,
    /// Velocity of each body: (lin, 1/m along z; ang, 0).
    pub(super) vel: Vec<Line>,
    /// Displacement since the contacts were found, in the same places.
    pub(super) moved: Vec<Line>,
    /// W: (xx, yy, zz, xy, xz, yz of the angular part; 1/m along x and y).
    pub(super) inv: Vec<Line>,
    /// Velocity after forces, before impulses.
    pub(super) free: Vec<Line>,
    order: Order,
    /// Batches of its schedule.
    filled: u32,
    /// Whose contact each lane of each batch is, and their sums, while they are graded apart.
    pub(super) owners: Vec<[u32; LANES]>,
    pub(super) tallies: Vec<Tally>,
}

impl ContactLanes {
    /// Forgets all contacts and makes room for `bodies` bodies at rest that nothing can move.
    pub fn reset(&mut self, bodies: usize) {
        self.batches.clear();
        self.points.clear();
        self.special.clear();
        self.surfaces.clear();
        self.seats.clear();
        self.thin.clear();
        // One more: the body of idle lanes.
        for lines in [
            &mut self.vel,
            &mut self.moved,
            &mut self.inv,
            &mut self.free,
        ] {
            lines.clear();
            lines.resize(bodies + 1, Line::default());
        }
    }

    /// Number of manifolds.
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Constraint rows that a run of manifolds stands for.
    pub fn rows(&self, manifolds: Range<usize>) -> usize {
        let rows = |s: &Seat| {
            let one = self.law(s) == FrictionLaw::None;
            s.points as usize * if one { 1 } else { 3 }
        };
        self.seats[manifolds].iter().map(rows).sum()
    }

    /// Laws of friction of a run of manifolds.
    pub fn laws(&self, manifolds: Range<usize>) -> impl Iterator<Item = FrictionLaw> {
        self.seats[manifolds].iter().map(|s| self.law(s))
    }

    fn law(&self, seat: &Seat) -> FrictionLaw {
        let number = seat.batch as usize;
        match self.thin.get(number) {
            Some(thin) => thin.law,
            None => self.batches[number].law,
        }
    }

    /// Whether some manifolds have special terms.
    pub fn has_special(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// Inverse mass of a body, for the present substep.
    #[inline]
    pub fn set_mass(&mut self, body: usize, w: &InvMass) {
        let a = &w.ang;
        let ang = [
            a.x_axis.x, a.y_axis.y, a.z_axis.z, a.x_axis.y, a.x_axis.z, a.y_axis.z,
        ];
        let [xx, yy, zz, xy, xz, yz] = ang;
        self.inv[body].0 = [xx, yy, zz, xy, xz, yz, w.lin.x, w.lin.y];
        self.vel[body].0[3] = w.lin.z;
        self.turned = true;
    }

    /// Velocity of a body (m/s, rad/s).
    #[inline]
    pub fn velocity(&self, body: usize) -> Twist {
        twist(&self.vel[body])
    }

    /// Sets the velocity of a body.
    #[inline]
    pub fn set_velocity(&mut self, body: usize, v: &Twist) {
        let mass = self.vel[body].0[3];
        self.vel[body].0 = line(v, mass);
    }

    /// Sets the velocity of a body after forces, before impulses.
    #[inline]
    pub fn set_free(&mut self, body: usize, v: &Twist) {
        self.free[body].0 = line(v, 0.0);
    }

    /// Velocity of a body after forces, before impulses (m/s, rad/s).
    #[inline]
    pub fn free(&self, body: usize) -> Twist {
        twist(&self.free[body])
    }

    /// Sets the displacement of a body since the contacts were found (m, rad).
    #[inline]
    pub fn set_moved(&mut self, body: usize, by: &Twist) {
        self.moved[body].0 = line(by, 0.0);
    }

    /// Packs manifolds of `set`, given by number and by their bodies as numbers within the island, of
    /// which the first `movable` can move. Stored impulses are multiplied by `scale`. Inverse masses
    /// must have been set.
    pub fn pack(
        &mut self,
        set: &ContactSet,
        contacts: impl Iterator<Item = (u32, [u32; 2])> + Clone,
        movable: usize,
        soft: [Soft; 2],
        scale: f64,
    ) {
        let plain = self.take_turns(set, contacts.clone(), movable);
        if plain && self.is_narrow() {
            return self.pack_thin(set, contacts, soft, scale);
        }
        self.make_batches(set, contacts.clone());
        let mut first = 0;
        for batch in &mut self.batches {
            batch.first = first;
            first += batch.len;
        }
        self.points.resize(first as usize, Point::default());
        for (m, (number, bodies)) in contacts.enumerate() {
            self.fill(set, m, number as usize, bodies, soft, scale);
        }
        self.prepare();
    }

    /// Gives every manifold its turn and its seat; says whether none has special terms.
    fn take_turns(
        &mut self,
        set: &ContactSet,
        contacts: impl Iterator<Item = (u32, [u32; 2])>,
        movable: usize,
    ) -> bool {
        self.order.begin(movable);
        let mut plain = true;
        for (number, bodies) in contacts {
            let number = number as usize;
            let (block, lane) = (&set.blocks()[number / LANES], number % LANES);
            let special = is_special(block, lane);
            let class = 2 * block.law[lane] as u8 + u8::from(special);
            let points = set.count(number);
            self.order.add(bodies, class, points);
            self.seats.push(Seat {
                points: points as u8,
                ..Seat::default()
            });
            plain &= !special;
        }
        let (seats, mut turn) = (&mut self.seats, 0);
        self.filled = self.order.schedule(|place| {
            let seat = &mut seats[place.manifold as usize];
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
    fn make_batches(&mut self, set: &ContactSet, contacts: impl Iterator<Item = (u32, [u32; 2])>) {
        let nobody = self.vel.len() as u32 - 1;
        self.batches
            .resize(self.filled as usize, Batch::idle(nobody));
        for (m, (number, bodies)) in contacts.enumerate() {
            let seat = self.seats[m];
            let batch = &mut self.batches[seat.batch as usize];
            batch.len = batch.len.max(u32::from(seat.points));
            for (side, body) in bodies.into_iter().enumerate() {
                batch.bodies[side][seat.lane as usize] = body;
            }
            let number = number as usize;
            if is_special(&set.blocks()[number / LANES], number % LANES) {
                // Numbered when all lengths are known.
                batch.special = 0;
                self.surfaces
                    .push((seat.batch, seat.lane, set.material(number)));
            }
        }
        let mut first = 0;
        for batch in self.batches.iter_mut().filter(|b| b.special != PLAIN) {
            batch.special = first;
            first += batch.len;
        }
        self.special.resize(first as usize, Special::default());
    }

    fn fill(
        &mut self,
        set: &ContactSet,
        m: usize,
        number: usize,
        bodies: [u32; 2],
        soft: [Soft; 2],
        scale: f64,
    ) {
        let seat = self.seats[m];
        let to = seat.lane as usize;
        let (block, from) = (&set.blocks()[number / LANES], number % LANES);
        let batch = &mut self.batches[seat.batch as usize];
        batch.law = block.law[from];
        batch.mu.0[to] = match batch.law {
            FrictionLaw::None => 0.0,
            _ => block.friction[from],
        };
        let belt = [0, 1, 2].map(|k| block.surface_velocity[k][from]);
        for k in 0..3 {
            batch.normal[k].0[to] = block.normal[k][from];
            // Turned into tangents where those are made.
            batch.tangent[k].0[to] = belt[k];
        }
        let still = bodies.iter().any(|&b| self.immovable(b as usize));
        let soft = soft[usize::from(still)];
        let batch = &mut self.batches[seat.batch as usize];
        (batch.soft[0].0[to], batch.soft[1].0[to]) = (soft.rate, soft.reg);
        let points = &mut self.points[batch.first as usize..][..seat.points as usize];
        for (point, q) in points.iter_mut().zip(&block.points) {
            for k in 0..3 {
                point.arm[0][k].0[to] = q.arm[0][k][from];
                point.arm[1][k].0[to] = q.arm[1][k][from];
                point.impulse[k].0[to] = scale * q.impulse[k][from];
            }
            point.gap.0[to] = q.gap[from];
            // Marks the point as one; becomes its effective mass.
            point.inverse.0[to] = 1.0;
        }
    }

    /// Whether no impulse moves the body.
    pub(super) fn immovable(&self, body: usize) -> bool {
        self.inv[body].0 == [0.0; LANES] && self.vel[body].0[3] == 0.0
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let lines = [&self.vel, &self.moved, &self.inv, &self.free];
        self.batches.capacity() * size_of::<Batch>()
            + self.points.capacity() * size_of::<Point>()
            + self.seats.capacity() * size_of::<Seat>()
            + self.thin.capacity() * size_of::<Thin>()
            + self.order.bytes()
            + lines
                .map(|l| l.capacity() * size_of::<Line>())
                .iter()
                .sum::<usize>()
    }
}

/// Whether a manifold of a block bounces or yields.
fn is_special(block: &ContactBlock, lane: usize) -> bool {
    block.restitution[lane] > 0.0 || block.compliance[lane] > 0.0
}

fn line(t: &Twist, fourth: f64) -> [f64; LANES] {
    let (l, a) = (t.lin, t.ang);
    [l.x, l.y, l.z, fourth, a.x, a.y, a.z, 0.0]
}

pub(super) fn twist(line: &Line) -> Twist {
    let [x, y, z, _, u, v, w, _] = line.0;
    Twist::new(DVec3::new(x, y, z), DVec3::new(u, v, w))
}

/// W of a body from its lines: of the linear part the diagonal, and the angular part.
pub(super) fn matrix(inv: &Line, vel: &Line) -> (DVec3, DMat3) {
    let [xx, yy, zz, xy, xz, yz, mx, my] = inv.0;
    let columns = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let lin = DVec3::new(mx, my, vel.0[3]);
    (lin, DMat3::from_cols_array_2d(&columns))
}

//! Manifolds into lanes: levels, seats, storage.

use super::prepare::Soft;
use super::simd::{Line, Wide};
use super::thin::{ENOUGH, FEW, Thin};
use glam::{DMat3, DVec3};
use rb_core::contact_block::{ContactSet, LANES};
use rb_core::manifold::{ContactMaterial, FrictionLaw};
use rb_core::mass::InvMass;
use rb_core::math::Twist;

/// One vector per lane, in memory.
pub(super) type Wide3 = [Wide; 3];

/// No entry in the list of special terms.
pub(super) const PLAIN: u32 = u32::MAX;
/// Laws of friction, by discriminant.
const LAWS: u32 = 4;

/// Up to eight manifolds of one law without a common movable body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch {
    /// Bodies a and b; idle lanes have the body that is none.
    pub(super) bodies: [[u32; LANES]; 2],
    pub(super) normal: Wide3,
    pub(super) tangent: Wide3,
    pub(super) mu: Wide,
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [Wide; 2],
    /// Soft step of each lane: rate of the push-out (1/s), and R/a.
    pub(super) soft: [Wide; 2],
    pub(super) law: FrictionLaw,
    /// Its first [`Point`] and their number.
    pub(super) first: u32,
    pub(super) len: u32,
    /// Its first entry among the special terms, or [`PLAIN`].
    pub(super) special: u32,
}

impl Batch {
    fn idle(nobody: u32) -> Self {
        Self {
            bodies: [[nobody; LANES]; 2],
            normal: Default::default(),
            tangent: Default::default(),
            mu: Wide::default(),
            belt: Default::default(),
            soft: Default::default(),
            law: FrictionLaw::None,
            first: 0,
            len: 0,
            special: PLAIN,
        }
    }

    /// Numbers of its points.
    #[inline(always)]
    pub(super) fn range(&self) -> core::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }
}

/// The same point of up to eight manifolds. Zero is an idle lane: no impulse moves it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Point {
    pub(super) arm: [Wide3; 2],
    /// 1/a of the normal.
    pub(super) inverse: Wide,
    /// Gap when the contact was found (m).
    pub(super) gap: Wide,
    /// Constant part of the normal row in the velocity pass (m/s).
    pub(super) bias: Wide,
    /// Impulse along normal and tangents (N·s).
    pub(super) impulse: Wide3,
    /// Tangents' part of the column of the normal.
    pub(super) cross: [Wide; 2],
    /// ρ.
    pub(super) step: Wide,
}

/// Terms of a point that bounces or yields, made anew in every substep.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Special {
    /// b and R/a, in the position and the velocity pass.
    pub(super) bias: [Wide; 2],
    pub(super) reg: [Wide; 2],
}

/// Where a manifold sits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat {
    pub(super) batch: u32,
    pub(super) lane: u8,
    pub(super) points: u8,
}

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
    /// Level after the last manifold of each body.
    tops: Vec<u32>,
    /// Sort key of each manifold, and first batch and next seat of each key.
    pub(super) keys: Vec<u32>,
    pub(super) places: Vec<[u32; 2]>,
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

    /// Constraint rows the contacts stand for.
    pub fn rows(&self) -> usize {
        let rows = |s: &Seat| {
            let one = self.law(s) == FrictionLaw::None;
            s.points as usize * if one { 1 } else { 3 }
        };
        self.seats.iter().map(rows).sum()
    }

    /// Laws of friction present.
    pub fn laws(&self) -> impl Iterator<Item = FrictionLaw> {
        let thin = self.thin.iter().map(|m| m.law);
        self.batches.iter().map(|b| b.law).chain(thin)
    }

    fn law(&self, seat: &Seat) -> FrictionLaw {
        let number = seat.batch as usize;
        match self.thin.get(number) {
            Some(thin) => thin.law,
            None => self.batches[number].law,
        }
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
        self.find_levels(set, contacts.clone(), movable);
        if self.is_narrow() {
            return self.pack_thin(set, contacts, soft, scale);
        }
        self.make_batches();
        self.take_seats(set, contacts.clone());
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

    /// Key of every manifold: its level, its law and whether it needs special terms.
    fn find_levels(
        &mut self,
        set: &ContactSet,
        contacts: impl Iterator<Item = (u32, [u32; 2])>,
        movable: usize,
    ) {
        self.tops.clear();
        self.tops.resize(self.vel.len(), 0);
        self.keys.clear();
        self.places.clear();
        for (number, bodies) in contacts {
            let ours = bodies
                .map(|b| b as usize)
                .into_iter()
                .filter(|&b| b < movable);
            let level = ours.clone().map(|b| self.tops[b]).max().unwrap_or(0);
            ours.for_each(|b| self.tops[b] = level + 1);
            let block = &set.blocks()[number as usize / LANES];
            let lane = number as usize % LANES;
            let special = block.restitution[lane] > 0.0 || block.compliance[lane] > 0.0;
            let key = 2 * (LAWS * level + block.law[lane] as u32) + u32::from(special);
            if self.places.len() <= key as usize {
                self.places.resize(key as usize + 1, [0; 2]);
            }
            self.places[key as usize][1] += 1;
            self.keys.push(key);
        }
    }

    /// Whether batches would be almost empty, and all manifolds are plain.
    fn is_narrow(&self) -> bool {
        let counts = self.places.iter().map(|p| p[1]);
        let batches: u32 = counts.map(|n| n.div_ceil(LANES as u32)).sum();
        let special = self.places.iter().skip(1).step_by(2);
        self.keys.len() >= ENOUGH
            && (self.keys.len() as f64) < FEW * f64::from(batches)
            && special.map(|p| p[1]).sum::<u32>() == 0
    }

    /// Batches in the order of the keys; `places` becomes the first batch and the next seat.
    fn make_batches(&mut self) {
        let nobody = self.vel.len() as u32 - 1;
        for place in &mut self.places {
            let count = place[1].div_ceil(LANES as u32);
            *place = [self.batches.len() as u32, 0];
            let more = self.batches.len() + count as usize;
            self.batches.resize(more, Batch::idle(nobody));
        }
    }

    fn take_seats(&mut self, set: &ContactSet, contacts: impl Iterator<Item = (u32, [u32; 2])>) {
        for (m, (number, bodies)) in contacts.enumerate() {
            let key = self.keys[m];
            let [first, next] = &mut self.places[key as usize];
            let number = number as usize;
            let points = set.count(number) as u8;
            let seat = Seat {
                batch: *first + *next / LANES as u32,
                lane: (*next % LANES as u32) as u8,
                points,
            };
            *next += 1;
            let batch = &mut self.batches[seat.batch as usize];
            batch.len = batch.len.max(u32::from(points));
            for (side, body) in bodies.into_iter().enumerate() {
                batch.bodies[side][seat.lane as usize] = body;
            }
            if key % 2 == 1 {
                // Numbered when all lengths are known.
                batch.special = 0;
                self.surfaces
                    .push((seat.batch, seat.lane, set.material(number)));
            }
            self.seats.push(seat);
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
            + self.seats.capacity() * (size_of::<Seat>() + size_of::<u32>())
            + self.thin.capacity() * size_of::<Thin>()
            + lines
                .map(|l| l.capacity() * size_of::<Line>())
                .iter()
                .sum::<usize>()
    }
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

//! Manifolds into lanes: colours, seats, storage.

use super::terms::WideMass;
use super::wide::{Wide, Wide3};
use glam::DVec3;
use rb_core::contact_block::LANES;
use rb_core::manifold::{ContactMaterial, FrictionLaw, MAX_POINTS};
use smallvec::SmallVec;

/// No body, no manifold: the lane is idle.
pub(super) const NOBODY: u32 = u32::MAX;
/// Colours; manifolds that find none free get a batch of their own.
const COLOURS: usize = 64;
/// Laws of friction, by discriminant.
const LAWS: usize = 4;

/// What decides where a manifold sits.
#[derive(Clone, Copy, Debug)]
pub struct LaneHead {
    /// Bodies (a, b), as numbers within the island.
    pub bodies: [u32; 2],
    /// Which of them can move.
    pub movable: [bool; 2],
    /// Number of points, 1 to 4.
    pub points: u8,
    /// Surface.
    pub material: ContactMaterial,
}

/// One manifold to be packed.
#[derive(Clone, Debug)]
pub struct LaneContact {
    /// Where it sits.
    pub head: LaneHead,
    /// Normal from a to b and two tangents (world).
    pub axes: [DVec3; 3],
    /// Points, as many as the head says.
    pub points: SmallVec<[LanePoint; MAX_POINTS]>,
}

/// One contact point to be packed.
#[derive(Clone, Copy, Debug, Default)]
pub struct LanePoint {
    /// Arms from the centres of mass (m, world).
    pub arm: [DVec3; 2],
    /// Gap when the contact was found (m).
    pub gap: f64,
    /// Warm impulse along the axes (N·s).
    pub impulse: [f64; 3],
}

/// Eight manifolds of one law without a common movable body.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) bodies: [[u32; LANES]; 2],
    /// W of the bodies in the present substep.
    pub(super) mass: [WideMass; 2],
    pub(super) axes: [Wide3; 3],
    pub(super) mu: Wide,
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [Wide; 2],
    pub(super) law: FrictionLaw,
    /// Its first [`Points`] and their number.
    pub(super) first: u32,
    pub(super) len: u8,
    colour: u8,
    seated: u8,
}

/// The same point of eight manifolds.
#[derive(Clone, Debug)]
pub(super) struct Points {
    pub(super) arm: [Wide3; 2],
    /// a, and the parts of c and T.
    pub(super) normal: Wide,
    pub(super) cross: [Wide; 2],
    pub(super) tangent: [Wide; 3],
    /// T⁻¹; zero where T is singular.
    pub(super) inverse: [Wide; 3],
    /// b and R of the normal row, in the position and the velocity pass.
    pub(super) bias: [Wide; 2],
    pub(super) reg: [Wide; 2],
    pub(super) impulse: [Wide; 3],
    pub(super) gap: Wide,
}

impl Points {
    /// Points of idle lanes: without arms and always open.
    fn idle() -> Self {
        let one = Wide::splat(1.0);
        Self {
            arm: [Wide3::ZERO; 2],
            normal: one,
            cross: [Wide::ZERO; 2],
            tangent: [one, one, Wide::ZERO],
            inverse: [one, one, Wide::ZERO],
            bias: [one; 2],
            reg: [Wide::ZERO; 2],
            impulse: [Wide::ZERO; 3],
            gap: one,
        }
    }
}

/// Where a manifold sits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) batch: u32,
    pub(super) lane: u8,
    pub(super) points: u8,
    pub(super) on_static: bool,
    pub(super) material: ContactMaterial,
}

/// The contacts of one island, in lanes.
#[derive(Clone, Debug, Default)]
pub struct ContactLanes {
    pub(super) batches: Vec<Batch>,
    pub(super) points: Vec<Points>,
    pub(super) seats: Vec<Seat>,
    /// Colours in use at each body.
    taken: Vec<u64>,
    /// Place of each batch once they are in order.
    places: Vec<u32>,
}

impl ContactLanes {
    /// Packs the manifolds of an island of `bodies` bodies.
    pub fn pack(
        &mut self,
        bodies: usize,
        heads: impl Iterator<Item = LaneHead>,
        contact: impl Fn(usize) -> LaneContact,
    ) {
        self.clear();
        self.taken.resize(bodies, 0);
        let mut open = [[NOBODY; LAWS]; COLOURS];
        for head in heads {
            self.seat(&head, &mut open);
        }
        self.order();
        for (m, seat) in self.seats.iter().enumerate() {
            let batch = &mut self.batches[seat.batch as usize];
            let first = batch.first as usize;
            let points = &mut self.points[first..first + seat.points as usize];
            batch.fill(seat, points, &contact(m));
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.batches.clear();
        self.points.clear();
        self.seats.clear();
        self.taken.clear();
    }

    /// Number of manifolds.
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Impulse of a point along (n, t₁, t₂) (N·s).
    pub fn impulse(&self, manifold: usize, point: usize) -> [f64; 3] {
        let seat = self.seats[manifold];
        let first = self.batches[seat.batch as usize].first as usize;
        let p = &self.points[first + point];
        p.impulse.map(|w| w.0[seat.lane as usize])
    }

    /// Replaces the impulse of a point.
    pub fn set_impulse(&mut self, manifold: usize, point: usize, impulse: [f64; 3]) {
        let seat = self.seats[manifold];
        let first = self.batches[seat.batch as usize].first as usize;
        let p = &mut self.points[first + point];
        for (w, x) in p.impulse.iter_mut().zip(impulse) {
            w.0[seat.lane as usize] = x;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.capacity() * size_of::<Batch>()
            + self.points.capacity() * size_of::<Points>()
            + self.seats.capacity() * size_of::<Seat>()
    }

    fn seat(&mut self, head: &LaneHead, open: &mut [[u32; LAWS]; COLOURS]) {
        let law = head.material.law;
        let colour = self.colour(head);
        let begun = colour.map_or(NOBODY, |c| open[c][law as usize]);
        let number = match self.batches.get(begun as usize) {
            Some(batch) if (batch.seated as usize) < LANES => begun,
            _ => {
                let number = self.batches.len() as u32;
                self.batches
                    .push(Batch::idle(law, colour.unwrap_or(COLOURS) as u8));
                if let Some(c) = colour {
                    open[c][law as usize] = number;
                }
                number
            }
        };
        let batch = &mut self.batches[number as usize];
        self.seats.push(Seat {
            batch: number,
            lane: batch.seated,
            points: head.points,
            on_static: !(head.movable[0] && head.movable[1]),
            material: head.material,
        });
        for side in 0..2 {
            batch.bodies[side][batch.seated as usize] = head.bodies[side];
        }
        batch.seated += 1;
        batch.len = batch.len.max(head.points);
    }

    /// A colour that neither movable body has yet.
    fn colour(&mut self, head: &LaneHead) -> Option<usize> {
        let movable = |side: usize| head.movable[side].then_some(head.bodies[side] as usize);
        let both = [movable(0), movable(1)];
        let taken = both.iter().flatten().fold(0, |m, b| m | self.taken[*b]);
        let colour = taken.trailing_ones() as usize;
        if colour == COLOURS {
            return None;
        }
        for b in both.into_iter().flatten() {
            self.taken[b] |= 1 << colour;
        }
        Some(colour)
    }

    /// Puts batches of one colour next to each other, and gives each its points.
    fn order(&mut self) {
        let mut number = 0;
        self.places.clear();
        self.places.resize(self.batches.len(), 0);
        for colour in 0..=COLOURS as u8 {
            for (i, batch) in self.batches.iter().enumerate() {
                if batch.colour == colour {
                    self.places[i] = number;
                    number += 1;
                }
            }
        }
        for seat in &mut self.seats {
            seat.batch = self.places[seat.batch as usize];
        }
        // The colours come in order, and within one the batches; a stable sort does the same.
        self.batches.sort_by_key(|b| b.colour);
        let mut first = 0;
        for batch in &mut self.batches {
            batch.first = first;
            first += u32::from(batch.len);
        }
        self.points.resize(first as usize, Points::idle());
    }
}

impl Batch {
    fn idle(law: FrictionLaw, colour: u8) -> Self {
        Self {
            bodies: [[NOBODY; LANES]; 2],
            mass: [WideMass::ZERO; 2],
            axes: [Wide3::ZERO; 3],
            mu: Wide::ZERO,
            belt: [Wide::ZERO; 2],
            law,
            first: 0,
            len: 0,
            colour,
            seated: 0,
        }
    }

    fn fill(&mut self, seat: &Seat, points: &mut [Points], contact: &LaneContact) {
        let lane = seat.lane as usize;
        for (wide, axis) in self.axes.iter_mut().zip(contact.axes) {
            wide.set(lane, axis);
        }
        self.mu.0[lane] = match self.law {
            FrictionLaw::None => 0.0,
            _ => seat.material.friction,
        };
        for (wide, tangent) in self.belt.iter_mut().zip(&contact.axes[1..]) {
            wide.0[lane] = tangent.dot(seat.material.surface_velocity);
        }
        for (wide, point) in points.iter_mut().zip(&contact.points) {
            for side in 0..2 {
                wide.arm[side].set(lane, point.arm[side]);
            }
            wide.gap.0[lane] = point.gap;
            for k in 0..3 {
                wide.impulse[k].0[lane] = point.impulse[k];
            }
        }
    }
}

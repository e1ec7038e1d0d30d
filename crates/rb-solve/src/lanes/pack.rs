//! Manifolds into lanes: colours, seats, storage.

use super::wide::{Wide, Wide3};
use glam::DVec3;
use rb_core::contact_block::LANES;
use rb_core::manifold::{ContactMaterial, FrictionLaw, MAX_POINTS};
use smallvec::SmallVec;

/// No body: the lane is idle.
pub(super) const NOBODY: u32 = u32::MAX;
/// Colours; manifolds that find none free get a batch of their own.
const COLOURS: usize = 64;

/// One manifold to be packed.
#[derive(Clone, Debug)]
pub struct LaneContact {
    /// Bodies (a, b), as numbers within the island.
    pub bodies: [u32; 2],
    /// Which of them can move.
    pub movable: [bool; 2],
    /// Normal from a to b and two tangents (world).
    pub axes: [DVec3; 3],
    /// Surface.
    pub material: ContactMaterial,
    /// Points.
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

/// Eight manifolds without a common movable body.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) bodies: [[u32; LANES]; 2],
    pub(super) axes: [Wide3; 3],
    pub(super) mu: Wide,
    pub(super) law: FrictionLaw,
    /// Manifold of each lane, in the order they were given.
    pub(super) manifold: [u32; LANES],
    pub(super) points: SmallVec<[Points; MAX_POINTS]>,
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
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [Wide; 2],
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
            belt: [Wide::ZERO; 2],
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
}

/// The contacts of one island, in lanes.
#[derive(Clone, Debug, Default)]
pub struct ContactLanes {
    pub(super) batches: Vec<Batch>,
    pub(super) seats: Vec<Seat>,
    pub(super) materials: Vec<ContactMaterial>,
    /// Colours in use at each body.
    taken: Vec<u64>,
    /// Batch being filled, per colour and law.
    open: Vec<[u32; 4]>,
    /// Batches by colour, before they are put in order.
    colours: Vec<u32>,
}

impl ContactLanes {
    /// Packs the manifolds of an island of `bodies` bodies.
    pub fn pack(&mut self, bodies: usize, contacts: impl Iterator<Item = LaneContact>) {
        self.batches.clear();
        self.seats.clear();
        self.materials.clear();
        self.colours.clear();
        self.taken.clear();
        self.taken.resize(bodies, 0);
        self.open.clear();
        self.open.resize(COLOURS, [u32::MAX; 4]);
        for contact in contacts {
            self.place(&contact);
        }
        self.order();
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
        let p = &self.batches[seat.batch as usize].points[point];
        p.impulse.map(|w| w.0[seat.lane as usize])
    }

    /// Replaces the impulse of a point.
    pub fn set_impulse(&mut self, manifold: usize, point: usize, impulse: [f64; 3]) {
        let seat = self.seats[manifold];
        let p = &mut self.batches[seat.batch as usize].points[point];
        for (w, x) in p.impulse.iter_mut().zip(impulse) {
            w.0[seat.lane as usize] = x;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.capacity() * size_of::<Batch>() + self.seats.capacity() * size_of::<Seat>()
    }

    fn place(&mut self, contact: &LaneContact) {
        let law = contact.material.law;
        let colour = self.colour(contact);
        let open = colour.map_or(u32::MAX, |c| self.open[c][law as usize]);
        let full = |b: &Batch| b.manifold[LANES - 1] != NOBODY;
        let number = match self.batches.get(open as usize) {
            Some(batch) if !full(batch) => open,
            _ => self.begin(colour, law),
        };
        let batch = &mut self.batches[number as usize];
        let lane = batch
            .manifold
            .iter()
            .position(|m| *m == NOBODY)
            .unwrap_or(0);
        batch.seat(lane, self.seats.len() as u32, contact);
        self.seats.push(Seat {
            batch: number,
            lane: lane as u8,
            points: contact.points.len() as u8,
            on_static: !(contact.movable[0] && contact.movable[1]),
        });
        self.materials.push(contact.material);
    }

    /// A colour that neither movable body has yet.
    fn colour(&mut self, contact: &LaneContact) -> Option<usize> {
        let movable = |side: usize| contact.movable[side].then_some(contact.bodies[side] as usize);
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

    fn begin(&mut self, colour: Option<usize>, law: FrictionLaw) -> u32 {
        let number = self.batches.len() as u32;
        self.batches.push(Batch::idle(law));
        self.colours
            .push(colour.map_or(COLOURS as u32, |c| c as u32));
        if let Some(c) = colour {
            self.open[c][law as usize] = number;
        }
        number
    }

    /// Puts batches of one colour next to each other.
    fn order(&mut self) {
        let mut order: Vec<u32> = (0..self.batches.len() as u32).collect();
        order.sort_by_key(|&i| self.colours[i as usize]);
        let mut to = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            to[old as usize] = new as u32;
        }
        let mut old: Vec<Option<Batch>> = self.batches.drain(..).map(Some).collect();
        self.batches
            .extend(order.iter().filter_map(|&i| old[i as usize].take()));
        for seat in &mut self.seats {
            seat.batch = to[seat.batch as usize];
        }
    }
}

impl Batch {
    fn idle(law: FrictionLaw) -> Self {
        Self {
            bodies: [[NOBODY; LANES]; 2],
            axes: [Wide3::ZERO; 3],
            mu: Wide::ZERO,
            law,
            manifold: [NOBODY; LANES],
            points: SmallVec::new(),
        }
    }

    fn seat(&mut self, lane: usize, manifold: u32, contact: &LaneContact) {
        self.manifold[lane] = manifold;
        for side in 0..2 {
            self.bodies[side][lane] = contact.bodies[side];
        }
        for (wide, axis) in self.axes.iter_mut().zip(contact.axes) {
            wide.set(lane, axis);
        }
        self.mu.0[lane] = match self.law {
            FrictionLaw::None => 0.0,
            _ => contact.material.friction,
        };
        while self.points.len() < contact.points.len() {
            self.points.push(Points::idle());
        }
        for (wide, point) in self.points.iter_mut().zip(&contact.points) {
            for side in 0..2 {
                wide.arm[side].set(lane, point.arm[side]);
            }
            wide.gap.0[lane] = point.gap;
            for k in 0..3 {
                wide.impulse[k].0[lane] = point.impulse[k];
            }
            for k in 0..2 {
                wide.belt[k].0[lane] = contact.axes[k + 1].dot(contact.material.surface_velocity);
            }
        }
    }
}

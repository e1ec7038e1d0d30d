//! Contacts that one thread sweeps: seats, storage.
//!
//! All contacts of most islands; those of a part of a large one, or those between its parts (see
//! [`pack`](super::pack)).

use super::batch::Seat;
use super::fill;
use super::grade::Tally;
use super::plan::{Member, Plan};
use super::precision::{Kept, either};
use super::prepare::Soft;
use super::simd::{LANES, Line, Narrow};
use super::thin::Thin;
use rb_core::manifold::{ContactMaterial, Contacts};
use rb_core::params::{FrictionAt, Precision};
use rb_core::room;

/// Contacts that one thread sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// Its manifolds, in packing order.
    pub(super) members: Vec<Member>,
    pub(super) plan: Plan,
    pub(super) seats: Vec<Seat>,
    pub(super) packed: Kept,
    /// Velocities of its bodies while they are swept in single precision.
    pub(super) narrow: Vec<Narrow>,
    /// The manifolds one by one, if batches would be almost empty; seats then count these. Those of the last
    /// step stay until others are packed.
    pub(super) thin: Vec<Thin>,
    /// Surfaces of the manifolds with special terms, by batch and lane.
    pub(super) surfaces: Vec<(u32, u8, ContactMaterial)>,
    /// Soft steps that they were packed with.
    soft: Option<[Soft; 2]>,
    /// Its first line of the bodies.
    pub(super) base: usize,
    /// Whether bodies have moved since the terms of the position pass were made, and inverse masses
    /// been set since points were coupled.
    pub(super) fresh: bool,
    pub(super) turned: bool,
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
    /// That of their sweeps; double wherever masses are beyond what single precision can square.
    pub precision: Precision,
    /// Number of the step.
    pub step: u64,
}

/// What all sections are packed with.
#[derive(Clone, Copy, Debug)]
pub struct PackInput<'a> {
    pub(super) set: Contacts<'a>,
    pub(super) terms: Terms,
    /// How many of the first bodies of a section can move, at most.
    pub(super) movable: usize,
    /// Whether the impulses that are stored are what became of those of the lanes.
    pub(super) own: bool,
}

/// Lines of its bodies that packing reads.
#[derive(Clone, Copy)]
pub(super) struct Masses<'a> {
    pub(super) inv: &'a [Line],
    pub(super) vel: &'a [Line],
    /// Whether they are others than contacts were packed with.
    pub(super) other: &'a [bool],
    /// How many of the first lines are of bodies that can move.
    pub(super) movable: usize,
    /// Line of the body of idle lanes.
    pub(super) nobody: u32,
}

impl Section {
    /// Forgets all contacts.
    pub(super) fn clear(&mut self, base: usize) {
        self.plan.begin(&mut self.members);
        self.base = base;
    }

    /// Packs its members between bodies of which the first `movable` can move, and of which these are the lines: inverse
    /// masses, velocities, and whether masses are others than contacts were packed with.
    pub(super) fn pack(
        &mut self,
        input: &PackInput,
        (inv, vel, other): (&[Line], &[Line], &[bool]),
        movable: usize,
    ) {
        let PackInput {
            set,
            mut terms,
            own,
            ..
        } = *input;
        let masses = Masses {
            inv,
            vel,
            other,
            movable,
            nobody: inv.len() as u32 - 1,
        };
        if terms.precision == Precision::Single && !suit_single(inv, vel) {
            terms.precision = Precision::Double;
        }
        let stays = self.make_plan(set, &terms, masses) && self.soft == Some(terms.soft);
        self.soft = Some(terms.soft);
        let set = Contacts {
            fresh: if stays { set.fresh } else { &[] },
            ..set
        };
        if self.plan.is_thin() {
            return self.pack_thin(set, terms, masses, stays);
        }
        self.thin.clear();
        room::fit(&mut self.thin, 0);
        either!(&mut self.packed, |packed| fill::run(
            packed, set, &terms, masses, own
        ));
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let seated = room::bytes(&self.members) + room::bytes(&self.seats) + self.plan.bytes();
        let packed = either!(&self.packed, |packed| packed.bytes());
        let wide = packed + room::bytes(&self.surfaces) + room::bytes(&self.narrow);
        let graded = room::bytes(&self.owners) + room::bytes(&self.tallies);
        seated + wide + room::bytes(&self.thin) + graded
    }
}

/// Bounds of inverse masses (1/kg) and of inverse moments of inertia (1/(kg·m²)) whose contacts are swept in single
/// precision: impulses of such bodies can be squared there.
const MASS: [f64; 2] = [1e-12, 1e12];
const MOMENT: [f64; 2] = [1e-30, 1e30];

/// Whether what moves bodies of these inverse masses may be swept in single precision.
pub(super) fn suit_single(inv: &[Line], vel: &[Line]) -> bool {
    let within = |x: f64, [low, high]: [f64; 2]| x == 0.0 || (low <= x && x <= high);
    inv.iter().zip(vel).all(|(inv, vel)| {
        let [xx, yy, zz, _, _, _, x, y] = inv.0;
        let linear = [x, y, vel.0[3]].iter().all(|&m| within(m, MASS));
        linear && [xx, yy, zz].iter().all(|&m| within(m, MOMENT))
    })
}

impl Masses<'_> {
    /// Whether a manifold between these bodies is what it was when it was packed, but for its impulses.
    #[inline(always)]
    pub(super) fn keep(&self, set: &Contacts, manifold: u32, bodies: [u32; 2]) -> bool {
        let fresh = set.fresh.get(manifold as usize).is_none_or(|fresh| *fresh);
        !(fresh || self.other[bodies[0] as usize] || self.other[bodies[1] as usize])
    }

    /// Whether no impulse moves the body.
    pub(super) fn immovable(&self, body: u32) -> bool {
        immovable(self.inv, self.vel, body as usize)
    }
}

/// Whether no impulse moves a body.
pub(super) fn immovable(inv: &[Line], vel: &[Line], body: usize) -> bool {
    inv[body].0 == [0.0; LANES] && vel[body].0[3] == 0.0
}

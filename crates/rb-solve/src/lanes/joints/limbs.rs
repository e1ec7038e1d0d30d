//! Trees of bearings solved body by body, eight side by side.
//!
//! Eliminating joints ([`factor`](super::factor)) links all that meet at a body: where five meet, there is a block to fill
//! for each two of them. A bearing holds two points together and locks or stops turns about them, so that what a limb does
//! to the body it hangs on is known in closed form, and nothing is ever linked.
//!
//! A limb is a body with the joint it hangs on, and all that hangs on it. With (v, ω) the change of its twist at the point
//! of the joint; A, B, C what resists that and (p, l) what pushes it; (P, Tᵀτ) what the joint does to it there, with T the
//! axes of the rows that turn; s and q what is to be made up for, and ' what is of the body it hangs on:
//!
//! ```text
//! A v + B ω = p + P,   Bᵀ v + C ω = l + Tᵀ τ,   v = v' + s,   T ω = T ω' + q
//! G = C⁻¹ Bᵀ,   Â = A − B G,   T C⁻¹ Tᵀ = L D Lᵀ,   U = L⁻¹ T,   V = U G
//! ζ = D⁻¹ (V v' + U ω' + L⁻¹ q + U (G s − C⁻¹ l)),   τ = L⁻ᵀ ζ,   P = Â v + Gᵀ l + Vᵀ ζ − p
//! ```
//!
//! The body it hangs on so has Â and D⁻¹ times the squares of (V, U) more to resist (v', ω'). What is left at the end is the
//! root. In lanes where a row is pinned its pivot 1/D is zero, as in `factor`.
//!
//! Source: R. Featherstone, "The calculation of robot dynamics using articulated-body inertias", 1983 (with impulses of
//! joints as unknowns instead of their accelerations).

mod factor;
mod grow;
mod inertia;
mod solve;
#[cfg(test)]
mod tests;
mod weigh;

use super::pack::Batch;
use super::swept;
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::simd::{Double, Wide};
use crate::lanes::vector::V3;

/// Most rows of a bearing that turn: two locks, three stops.
const TURNS: usize = 5;

/// Bodies of all groups of trees, as limbs from the tips to the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Limbs {
    joints: Vec<Attachment>,
    bodies: Vec<Body>,
    splits: Vec<Split>,
}

/// Where a limb is joined to another body; of a root, where another is to it.
#[derive(Clone, Copy, Debug)]
struct Attachment {
    batch: u32,
    /// Side of its own body.
    side: u32,
    /// Number of the body it hangs on.
    inner: u32,
}

/// A body of up to eight trees.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Body {
    /// Above zero in lanes in which it has to be free to move: in all that are used, unless it is a root.
    needed: Wide,
    /// Mass, or 0 where it cannot move, and moments of inertia (xx, yy, zz, xy, xz, yz; world axes).
    mass: Wide,
    moments: [Wide; 6],
    /// A, B, C at its centre of mass, with those of its limbs.
    held: [Wide; 21],
    /// (p, l) of its limbs, then the change of its twist.
    twist: [Wide3; 2],
    /// Its line of velocities, before.
    vel: [Wide; LANES],
}

/// What solving takes of a limb, or of a root, whose A⁻¹ is in place of Â.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Split {
    /// Â, C⁻¹ and the columns of G.
    hat: [Wide; 6],
    turn: [Wide; 6],
    lever: [Wide3; 3],
    /// V, U, 1/D, and L below its diagonal, row by row.
    push: [Wide3; TURNS],
    spin: [Wide3; TURNS],
    pivot: [Wide; TURNS],
    below: [Wide; TURNS * (TURNS - 1) / 2],
    /// In a solve: s, and what of ω, P and ζ does not hang on (v', ω').
    step: Wide3,
    free: Wide3,
    pull: Wide3,
    want: [Wide; TURNS],
}

impl Limbs {
    pub(super) fn clear(&mut self) {
        self.joints.clear();
        self.bodies.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.joints.capacity() * size_of::<Attachment>()
            + self.bodies.capacity() * size_of::<Body>()
            + self.splits.capacity() * size_of::<Split>()
    }
}

impl Attachment {
    /// With bodies counted from its own, of that number.
    #[inline(always)]
    fn over(self, number: usize) -> Self {
        Self {
            inner: self.inner - number as u32,
            ..self
        }
    }

    /// 1 where rows count from the body it hangs on to its own, else −1.
    #[inline(always)]
    fn sign<S: Double>(&self) -> S {
        S::splat(if self.side == 1 { 1.0 } else { -1.0 })
    }

    /// From the centres of mass of its own body and the one it hangs on to the point (m).
    #[inline(always)]
    fn arms<S: Double>(&self, batch: &Batch) -> [V3<S>; 2] {
        let [a, b] = swept::arms(batch);
        if self.side == 1 { [b, a] } else { [a, b] }
    }
}

impl Body {
    /// Linear and angular velocity before.
    #[inline(always)]
    fn velocity<S: Double>(&self) -> [V3<S>; 2] {
        let at = |k: usize| S::load(&self.vel[k]);
        [V3([at(0), at(1), at(2)]), V3([at(4), at(5), at(6)])]
    }

    #[inline(always)]
    fn twist<S: Double>(&self) -> [V3<S>; 2] {
        [V3::load(&self.twist[0]), V3::load(&self.twist[1])]
    }

    #[inline(always)]
    fn set_twist<S: Double>(&mut self, [lin, ang]: [V3<S>; 2]) {
        lin.store(&mut self.twist[0]);
        ang.store(&mut self.twist[1]);
    }
}

impl Split {
    /// Columns of G.
    #[inline(always)]
    fn levers<S: Double>(&self) -> [V3<S>; 3] {
        let [x, y, z] = &self.lever;
        [V3::load(x), V3::load(y), V3::load(z)]
    }
}

/// The first body, a limb, and the one it hangs on, so many behind it.
#[inline(always)]
fn both(bodies: &mut [Body], inner: u32) -> [&mut Body; 2] {
    let (own, behind) = bodies.split_at_mut(1);
    [&mut own[0], &mut behind[inner as usize - 1]]
}

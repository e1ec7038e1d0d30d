//! How far a pair looks ahead, and for how long what it has found is kept.
//!
//! At rest contacts matter up to a part of the margin, and a larger one where shapes or what they touch move: impacts
//! that carry them on come from there.
//!
//! What flies towards something may be stopped by it, and what flies along with it then runs into it: there all motion
//! counts. Elsewhere bodies mostly go on as they go, and what brings a pair nearer does.
//!
//! What moves in one step by more than contacts are kept for would be searched for in every step. Its contacts are kept
//! for some steps of what is beyond that; what rests or creeps is searched for as if there were no such thing.

use crate::frame::Placed;
use rb_contact::recycle::{Memory, nearing};
use rb_core::params::ContactParams;

/// How far a pair looks ahead, in terms of what its present relative motion brings it nearer: impacts within the step
/// change that.
const FORESIGHT: f64 = 2.0;

/// Share of the margin at which contacts matter between shapes at rest.
const CALM: f64 = 0.25;

/// The same, at most, between shapes that move or touch what moves. (What impacts carry on from farther away is found
/// within the next step, no deeper than it came in this one.)
const LIVELY: f64 = 0.35;

/// Motion, as a share of the margin, that brings nothing nearer worth asking how much.
const STILL: f64 = 1e-2;

/// Steps for which known contacts are kept longer while shapes move.
const STEPS: f64 = 2.0;

/// What is asked of a pair in a step.
pub(super) struct Outlook {
    /// How far a contact may be away and still matter within the step (m).
    pub(super) prediction: f64,
    /// Share of the smaller shape's radius by which they may move against each other before known contacts are searched
    /// for anew.
    pub(super) share: f64,
    /// How far a search looks (m).
    pub(super) reach: f64,
    /// Gap from which on a manifold is searched for anew (m): found while something moved there, it would stay for good.
    pub(super) far: f64,
}

impl Outlook {
    /// Of a pair in a step in which what is let go falls by `fall` (m).
    pub(super) fn new(contact: &ContactParams, fall: f64, [a, b]: [&Placed; 2]) -> Self {
        let (margin, still) = (contact.margin, contact.recycling);
        let (prediction, share) = asked(contact, fall, [a, b]);
        let spare = |share: f64| Memory::spare(a.sphere(), b.sphere(), share);
        Self {
            prediction,
            share,
            // As far as contacts are kept, and at rest as far again.
            reach: prediction + spare(0.5 * (still + share)),
            far: prediction + spare(still) + CALM * margin,
        }
    }
}

/// Whether two shapes lie still, and so does what touches them.
pub(super) fn at_rest(contact: &ContactParams, [a, b]: [&Placed; 2]) -> bool {
    !(a.exposed || b.exposed) && a.unrest + b.unrest <= STILL * contact.margin
}

/// Prediction and share.
fn asked(contact: &ContactParams, fall: f64, [a, b]: [&Placed; 2]) -> (f64, f64) {
    let (most, margin, still) = (a.reach + b.reach, contact.margin, contact.recycling);
    if a.exposed || b.exposed {
        return (most, still);
    }
    let unrest = a.unrest + b.unrest;
    let near = (CALM * margin + unrest).min(LIVELY * margin) + fall;
    if unrest <= STILL * margin {
        return (most.min(near), still);
    }
    let nearing = nearing((a.sphere(), &a.motion), (b.sphere(), &b.motion));
    let beyond = (nearing / a.radius.min(b.radius) - still).max(0.0);
    let longer = (still + STEPS * beyond).min(contact.recycling_in_motion);
    (most.min(near + FORESIGHT * nearing), longer.max(still))
}

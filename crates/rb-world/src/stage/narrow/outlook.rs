//! How far a pair looks ahead, and for how long what it has found is kept.
//!
//! At rest contacts matter up to a part of the margin, and a larger one where shapes or what they touch move: impacts
//! that carry them on come from there.
//!
//! What flies towards something may be stopped by it, and what flies along with it then runs into it: there the motion of
//! either counts by itself too. Elsewhere bodies mostly go on as they go, and what brings a pair nearer does. Whatever way,
//! as long as no plane is known that keeps the two apart; once a search knows one, what closes that.
//!
//! What moves in one step by more than contacts are kept for would be searched for in every step. Its contacts are kept
//! for some steps of what is beyond that; what rests or creeps is searched for as if there were no such thing.

use crate::frame::Placed;
use rb_contact::reach::{Approach, Reach};
use rb_core::math::Twist;
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outlook {
    /// How far a contact may be away and still matter within the step (m).
    pub(super) prediction: f64,
    /// By how much shapes may move against each other before known contacts are searched for anew (m).
    pub(super) limit: f64,
}

impl Outlook {
    /// Of a pair whose shapes come so much nearer at most (m), in a step in which what is let go falls by `fall` (m).
    #[inline(always)]
    pub(super) fn new(
        contact: &ContactParams,
        fall: f64,
        sides: [&Placed; 2],
        nearing: f64,
    ) -> Self {
        let [a, b] = sides;
        let (most, margin) = (a.reach + b.reach, contact.margin);
        let still = contact.recycling * smaller(sides);
        let unrest = a.unrest + b.unrest;
        let near = near(contact, fall, unrest);
        let beyond = greater(nearing - still, 0.0);
        let longer = lesser(
            still + STEPS * beyond,
            contact.recycling_in_motion * smaller(sides),
        );
        let (prediction, limit) = if a.exposed || b.exposed {
            (most, still)
        } else if unrest <= STILL * margin {
            (lesser(near, most), still)
        } else {
            let near = near + FORESIGHT * nearing;
            (lesser(near, most), greater(longer, still))
        };
        Self { prediction, limit }
    }

    /// How far a search looks, in a step in which what is let go falls by `fall` (m): as far as contacts are kept, and at
    /// rest as far again. What is in motion is looked for as far as it comes nearer.
    pub(super) fn reach(&self, contact: &ContactParams, fall: f64, sides: [&Placed; 2]) -> Reach {
        let [a, b] = sides;
        let kept = contact.recycling * smaller(sides);
        let most = self.prediction + kept + self.limit;
        let unrest = a.unrest + b.unrest;
        if unrest <= STILL * contact.margin {
            return Reach::all(most);
        }
        let moving = |motions: [&Twist; 2]| {
            let sides = [(a.sphere(), motions[0]), (b.sphere(), motions[1])];
            Approach::new(sides[0], sides[1]).farther(FORESIGHT)
        };
        let near = near(contact, fall, unrest) + 2.0 * kept;
        let reach = Reach::ahead(near, moving([&a.motion, &b.motion]), most);
        if a.exposed || b.exposed {
            let stopped = &Twist::ZERO;
            reach.or_halted([moving([stopped, &b.motion]), moving([&a.motion, stopped])])
        } else {
            reach
        }
    }

    /// Gap from which on a manifold is searched for anew (m): found while something moved there, it would stay for good.
    pub(super) fn far(&self, contact: &ContactParams, sides: [&Placed; 2]) -> f64 {
        self.prediction + 2.0 * contact.recycling * smaller(sides) + CALM * contact.margin
    }
}

/// How far a contact may be away and still matter between shapes of such unrest that do not come nearer (m).
fn near(contact: &ContactParams, fall: f64, unrest: f64) -> f64 {
    lesser(CALM * contact.margin + unrest, LIVELY * contact.margin) + fall
}

/// Whether two shapes lie still, and so does what touches them.
pub(super) fn at_rest(contact: &ContactParams, [a, b]: [&Placed; 2]) -> bool {
    !(a.exposed || b.exposed) && a.unrest + b.unrest <= STILL * contact.margin
}

/// Radius of the smaller shape (m).
pub(super) fn smaller([a, b]: [&Placed; 2]) -> f64 {
    lesser(a.radius, b.radius)
}

// Where one is no number they are the second; those of the standard library ask which one is.

fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

//! From where to where a core reaches along a vector.

use super::{Core, Placed};
use crate::polyhedron::Polyhedron;
use glam::DVec3;

/// How far a core reaches along a vector, in heights (m times its length).
pub(crate) struct Span {
    pub(crate) low: f64,
    /// Of the second-lowest corner; the same as `low` where that is not known, of rims.
    pub(crate) next: f64,
    pub(crate) high: f64,
    /// A point that is as low (m).
    pub(crate) lowest: DVec3,
}

fn poly_span(p: &Polyhedron, d: DVec3) -> Span {
    let mut span = Span {
        low: f64::INFINITY,
        next: f64::INFINITY,
        high: f64::NEG_INFINITY,
        lowest: DVec3::ZERO,
    };
    for v in &p.vertices {
        let h = v.dot(d);
        if h < span.low {
            (span.next, span.low, span.lowest) = (span.low, h, *v);
        } else if h < span.next {
            span.next = h;
        }
        if h > span.high {
            span.high = h;
        }
    }
    span
}

impl Placed<'_> {
    /// How far the core reaches along `d`.
    pub(crate) fn span(&self, d: DVec3) -> Span {
        let local = self.local(d);
        let lowest = match self.core {
            Core::Poly(p) => return self.raised(d, poly_span(p, local)),
            core => core.support(-local),
        };
        let (low, high) = (lowest.dot(local), self.core.support(local).dot(local));
        let next = match self.core {
            Core::Point => f64::INFINITY,
            Core::Segment(_) => high,
            Core::Box(h) => low + 2.0 * (h * local.abs()).min_element(),
            _ => low,
        };
        self.raised(
            d,
            Span {
                low,
                next,
                high,
                lowest,
            },
        )
    }

    /// From the core's frame, with the heights along `d`.
    fn raised(&self, d: DVec3, own: Span) -> Span {
        let height = self.at.dot(d);
        Span {
            low: own.low + height,
            next: own.next + height,
            high: own.high + height,
            lowest: self.rot * own.lowest + self.at,
        }
    }
}

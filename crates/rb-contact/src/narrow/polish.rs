//! Last digits of the normal where a rim or a curved side is involved.
//!
//! Iterative methods stop when the *distance* is good, and a distance is flat around its minimum: its
//! last digit leaves half the digits of the normal open. Here the touching features are known, so
//! Newton's method finds where their normals oppose each other:
//!
//! ```text
//! w(n) = P_b(−n) − P_a(n),    w − (w·n) n = 0
//! ```
//!
//! P(m) is the point of a feature with outward normal m. A rim of radius r about k moves with
//! dP/dm = r/|m − (m·k) k| · e eᵀ, e across m and k; a corner stays. An edge, or the ruling of a curved
//! side, adds its parameter t as an unknown and the equation m·k = level, which holds m across it.

use super::axis::Axis;
use crate::convex::{Core, Placed};
use glam::{DMat4, DVec3, DVec4};
use rb_core::math::tangents;

/// How far a corner may lie below the highest one and belong to the same edge, and a normal off the
/// level of a curved side, as shares of the size.
const NEAR: f64 = 1e-5;
/// Cosine of the largest turn that is still polishing.
const SMALL_TURN: f64 = 1.0 - 1e-6;
const ROUNDS: usize = 8;

/// What of a core touches, in units of the pair's size.
#[derive(Clone, Copy)]
enum Feature {
    Corner(DVec3),
    /// From `at` in steps of `along`, t from 0 to 1.
    Edge {
        at: DVec3,
        along: DVec3,
    },
    /// About `axis` through `center`.
    Rim {
        center: DVec3,
        axis: DVec3,
        radius: f64,
    },
    /// Surface of revolution about `axis`: at t from 0 to 1 the radius is radius + t·widening and the
    /// height above `at` is t·rise; its normals have m·axis = level.
    Ruling {
        at: DVec3,
        axis: DVec3,
        radius: f64,
        widening: f64,
        rise: f64,
        level: f64,
    },
}

impl Feature {
    /// Unit vector across `axis`, towards m, and its length before it was one.
    fn radial(axis: DVec3, m: DVec3) -> (DVec3, f64) {
        let flat = m - axis * m.dot(axis);
        (flat.normalize_or_zero(), flat.length())
    }

    fn point(&self, m: DVec3, t: f64) -> DVec3 {
        match *self {
            Self::Corner(p) => p,
            Self::Edge { at, along } => at + along * t,
            Self::Rim {
                center,
                axis,
                radius,
            } => center + Self::radial(axis, m).0 * radius,
            Self::Ruling {
                at,
                axis,
                radius,
                widening,
                rise,
                ..
            } => at + Self::radial(axis, m).0 * (radius + t * widening) + axis * (rise * t),
        }
    }

    /// Weight and direction of dP/dm = weight · e eᵀ.
    fn turning(&self, m: DVec3, t: f64) -> (f64, DVec3) {
        let (axis, radius) = match *self {
            Self::Corner(_) | Self::Edge { .. } => return (0.0, DVec3::ZERO),
            Self::Rim { axis, radius, .. } => (axis, radius),
            Self::Ruling {
                axis,
                radius,
                widening,
                ..
            } => (axis, radius + t * widening),
        };
        let (out, flat) = Self::radial(axis, m);
        (radius / flat.max(f64::MIN_POSITIVE), axis.cross(out))
    }

    /// Of an edge or ruling: dP/dt, the gradient of its equation, and by how much m misses it.
    fn sliding(&self, m: DVec3) -> Option<(DVec3, DVec3, f64)> {
        match *self {
            Self::Corner(_) | Self::Rim { .. } => None,
            Self::Edge { along, .. } => Some((along, along, m.dot(along))),
            Self::Ruling {
                axis,
                widening,
                rise,
                level,
                ..
            } => {
                let along = Self::radial(axis, m).0 * widening + axis * rise;
                Some((along, axis, m.dot(axis) - level))
            }
        }
    }

    /// Parameter of the point nearest `p`.
    fn locate(&self, m: DVec3, p: DVec3) -> f64 {
        self.sliding(m).map_or(0.0, |(along, ..)| {
            (p - self.point(m, 0.0)).dot(along) / along.length_squared()
        })
    }
}

/// The axis to rounding, if its features are a pair that determines it; as it came otherwise.
pub(super) fn polish(a: &Placed, b: &Placed, axis: Axis) -> Axis {
    let size = a.core.reach() + b.core.reach();
    let origin = 0.5 * (axis.a + axis.b);
    let units = Units { size, origin };
    let n = axis.normal;
    let found = match (feature(a, n, &units), feature(b, -n, &units)) {
        (Some(fa), Some(fb)) => newton(&fa, &fb, &axis, &units),
        (Some(fa), None) => on_face(&fa, a, b, -n).map(Axis::flipped),
        (None, Some(fb)) => on_face(&fb, b, a, n),
        (None, None) => None,
    };
    let Some(found) = found else {
        return axis;
    };
    // The features must still be the ones that stick out farthest.
    let lost = |p: &Placed, m: DVec3, on: DVec3| (p.support(m) - on).dot(m) > 1e-9 * size;
    if lost(a, found.normal, found.a) || lost(b, -found.normal, found.b) {
        return axis;
    }
    found
}

/// A corner or rim of `other` under the flat face of `face` that looks along `m`: the face has the
/// normal. From the face to the other.
fn on_face(feature: &Feature, other: &Placed, face: &Placed, m: DVec3) -> Option<Axis> {
    if matches!(feature, Feature::Edge { .. } | Feature::Ruling { .. }) {
        return None;
    }
    let normal = face.face_normal(m).filter(|n| n.dot(m) > SMALL_TURN)?;
    let point = other.support(-normal);
    let gap = normal.dot(point - face.support(normal));
    Some(Axis {
        normal,
        a: point - normal * gap,
        b: point,
    })
}

/// Lengths as shares of `size`, places from `origin`: the equations are then free of units.
struct Units {
    size: f64,
    origin: DVec3,
}

impl Units {
    fn place(&self, p: DVec3) -> DVec3 {
        (p - self.origin) / self.size
    }

    fn back(&self, p: DVec3) -> DVec3 {
        p * self.size + self.origin
    }
}

/// What of a core sticks out along the unit vector `m`; `None` for a flat face.
fn feature(p: &Placed, m: DVec3, units: &Units) -> Option<Feature> {
    let k = p.rot.y_axis;
    let level = m.dot(k);
    let at = |y: f64| units.place(p.at + k * y);
    match p.core {
        Core::Cylinder { half, radius } => {
            let (h, r) = (half / units.size, radius / units.size);
            if level.abs() < NEAR {
                Some(Feature::Ruling {
                    at: at(-half),
                    axis: k,
                    radius: r,
                    widening: 0.0,
                    rise: 2.0 * h,
                    level: 0.0,
                })
            } else {
                rim(at(half.copysign(level)), k, r, level)
            }
        }
        Core::Cone { half, radius } => {
            let (h, r) = (half / units.size, radius / units.size);
            let side = radius / libm::hypot(radius, 2.0 * half);
            if (level - side).abs() < NEAR {
                Some(Feature::Ruling {
                    at: at(-half),
                    axis: k,
                    radius: r,
                    widening: -r,
                    rise: 2.0 * h,
                    level: side,
                })
            } else if level > side {
                Some(Feature::Corner(at(half)))
            } else {
                rim(at(-half), k, r, level)
            }
        }
        _ => corners(p, m, units),
    }
}

fn rim(center: DVec3, axis: DVec3, radius: f64, level: f64) -> Option<Feature> {
    // Facing the flat end: the face is the feature.
    (1.0 - level.abs() > NEAR * NEAR).then_some(Feature::Rim {
        center,
        axis,
        radius,
    })
}

/// The corner or edge that sticks out along `m`.
fn corners(p: &Placed, m: DVec3, units: &Units) -> Option<Feature> {
    let ring = p.feature(m);
    let top = ring
        .iter()
        .map(|c| c.0.dot(m))
        .fold(f64::NEG_INFINITY, f64::max);
    let high = |c: &&(DVec3, u32)| top - c.0.dot(m) < NEAR * units.size;
    let mut high = ring.iter().filter(high).map(|c| units.place(c.0));
    match (high.next(), high.next(), high.next()) {
        (Some(p), None, _) => Some(Feature::Corner(p)),
        (Some(p), Some(q), None) => Some(Feature::Edge {
            at: p,
            along: q - p,
        }),
        _ => None,
    }
}

fn newton(fa: &Feature, fb: &Feature, axis: &Axis, units: &Units) -> Option<Axis> {
    let mut n = axis.normal;
    let mut ta = fa.locate(n, units.place(axis.a));
    let mut tb = fb.locate(-n, units.place(axis.b));
    for _ in 0..ROUNDS {
        let [u, v] = tangents(n);
        let w = fb.point(-n, tb) - fa.point(n, ta);
        let gap = w.dot(n);
        let (wa, ea) = fa.turning(n, ta);
        let (wb, eb) = fb.turning(-n, tb);
        // How w changes as n turns towards d.
        let turn = |d: DVec3| -(ea * (wa * ea.dot(d)) + eb * (wb * eb.dot(d)) + d * gap);
        let (da, ga, ea) = fa.sliding(n).unwrap_or((DVec3::ZERO, DVec3::ZERO, 0.0));
        let (db, gb, eb) = fb.sliding(-n).unwrap_or((DVec3::ZERO, DVec3::ZERO, 0.0));
        let fixed = |slides: DVec3| if slides == DVec3::ZERO { 1.0 } else { 0.0 };
        let column = |d: DVec3| {
            let c = turn(d);
            DVec4::new(u.dot(c), v.dot(c), ga.dot(d), -gb.dot(d))
        };
        let m = DMat4::from_cols(
            column(u),
            column(v),
            DVec4::new(-u.dot(da), -v.dot(da), fixed(ga), 0.0),
            DVec4::new(u.dot(db), v.dot(db), 0.0, fixed(gb)),
        );
        if m.determinant().abs() < 1e-10 {
            return None;
        }
        let step = m.inverse() * -DVec4::new(u.dot(w), v.dot(w), ea, eb);
        n = (n + u * step.x + v * step.y).normalize();
        (ta, tb) = (ta + step.z, tb + step.w);
        if n.dot(axis.normal) < SMALL_TURN {
            return None;
        }
        if step.abs().max_element() < 1e-13 {
            let within = |t: f64| (-1e-9..=1.0 + 1e-9).contains(&t);
            return (within(ta) && within(tb)).then(|| Axis {
                normal: n,
                a: units.back(fa.point(n, ta)),
                b: units.back(fb.point(-n, tb)),
            });
        }
    }
    None
}

//! Flat faces first: the contact of two polyhedra that rest on each other, without iteration.
//!
//! The face normal that separates best is found by trying all of them. It is the answer when the
//! points clipped over that face prove it:
//!
//! 1. apart: one point pair at distance s along the normal is closest, since s bounds the distance
//!    from below;
//! 2. overlapping by d: let all pairs have gap −d and let w be the width of their polygon. Along
//!    any n at an angle θ ≤ 90° from the normal some pair b_i, a_j gives
//!    s(n) ≤ −d cos θ − w sin θ, which is below −d unless d tan(θ/2) > w. So d ≤ w suffices.
//!
//! Everything else (edges, tilted faces in overlap) is left to the general path.

use super::axis::FACE_PREFERENCE;
use super::clip::{self, Raw};
use super::{Apart, ContactPatch, Outcome, report};
use crate::convex::{Core, Placed};
use crate::reach::Reach;
use glam::DVec3;
use rb_core::anchor::{Hold, Reference};

/// Faces of both cores up to which trying all of them is faster than iterating.
const MANY: usize = 48;

/// Contact of two polyhedra over a face; points with a gap of at most `prediction` (m).
pub(crate) fn collide(
    a: &Placed,
    b: &Placed,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Outcome {
    let prediction = reach.most();
    if count(&a.core) + count(&b.core) > MANY || a.radius + b.radius > 0.0 {
        return None;
    }
    let size = a.core.reach().min(b.core.reach());
    let faces = best_face(a, b, prediction)
        .and_then(|fa| Ok((fa, best_face(b, a, prediction).map_err(Apart::flipped)?)));
    let ((sa, na), (sb, nb)) = match faces {
        Ok(both) => both,
        Err(apart) => return Some(Err(apart)),
    };
    let best = if sb > sa + FACE_PREFERENCE[1] * size {
        (sb, -nb, Reference::FaceOfB)
    } else {
        (sa, na, Reference::FaceOfA)
    };
    let (s, normal, reference) = best;
    if reach.falls_short(s, || normal) {
        return Some(Err(Apart::along(normal, s)));
    }
    let mut raw = Raw::new();
    clip::over(a, b, normal, reference, prediction, &mut raw);
    let proven = proven(&raw, s, FACE_PREFERENCE[1] * size);
    proven.then(|| {
        report(
            normal,
            Hold::over_face(reference, 0.0),
            &raw,
            Apart::by(prediction),
            out,
        )
    })
}

fn count(core: &Core) -> usize {
    match core {
        Core::Box(_) => 6,
        Core::Poly(p) => p.faces.len(),
        _ => usize::MAX / 2,
    }
}

/// Greatest separation along a face normal of `of` (m), and that normal; that they are apart if it is found to be
/// more than `reach` (m).
pub(super) fn best_face(of: &Placed, other: &Placed, reach: f64) -> Result<(f64, DVec3), Apart> {
    let mut best = (f64::NEG_INFINITY, DVec3::Y);
    // Any point of the other bounds the separation along every face from above. Most faces look away
    // from it and need no search for its lowest point.
    let toward = other.at - of.at;
    let known = of.local(other.support(-toward) - of.at);
    let mut look = |local: DVec3, level: f64| {
        if known.dot(local) - level <= best.0 {
            return Ok(());
        }
        let n = of.rot * local;
        let s = (other.support(-n) - of.at).dot(n) - level;
        if s > best.0 {
            best = (s, n);
        }
        if s > reach {
            Err(Apart::along(n, s))
        } else {
            Ok(())
        }
    };
    match of.core {
        Core::Poly(p) => p.faces.iter().try_for_each(|f| look(f.normal, f.level))?,
        Core::Box(h) => (0..3).try_for_each(|k| {
            look(DVec3::AXES[k], h[k])?;
            look(-DVec3::AXES[k], h[k])
        })?,
        _ => {}
    }
    Ok(best)
}

/// Whether the clipped points prove that no direction separates better than `s`.
fn proven(raw: &Raw, s: f64, tolerance: f64) -> bool {
    let reached = raw.iter().any(|p| p.gap <= s + tolerance);
    let flat = || raw.iter().all(|p| p.gap <= s + tolerance);
    reached && (s > 0.0 || (flat() && width(raw) >= -s + tolerance))
}

/// Least width of a convex polygon: over its edges, the distance of the farthest corner.
fn width(raw: &Raw) -> f64 {
    if raw.len() < 3 {
        return 0.0;
    }
    let at = |i: usize| raw[i % raw.len()].position_a;
    let over_edge = |i: usize| {
        let edge = at(i + 1) - at(i);
        let far = (0..raw.len()).map(|k| edge.cross(at(k) - at(i)).length_squared());
        // Corners that fell together make no edge.
        match edge.length_squared() {
            l if l > 0.0 => far.fold(0.0, f64::max) / l,
            _ => f64::INFINITY,
        }
    };
    let least = (0..raw.len()).map(over_edge).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::axis::{axis, separation};
    use crate::polyhedron::Polyhedron;
    use rb_core::math::{Pose, exp_rotation};

    #[test]
    fn proven_faces_are_what_iteration_finds() {
        let corners = |h: DVec3| -> Vec<DVec3> {
            let sign = |i: u32, k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            (0..8)
                .map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)) * h)
                .collect()
        };
        let hull = Polyhedron::from_points(&corners(DVec3::new(0.5, 0.4, 0.3))).unwrap();
        let a = Placed::new(Core::Poly(&hull), 0.0, &Pose::IDENTITY, DVec3::ZERO);
        let mut settled = 0;
        for k in 0..200 {
            let f = f64::from(k);
            let turn = DVec3::new(if k % 3 == 0 { 0.0 } else { 0.002 * f }, 0.1 * f, 0.0);
            let at = DVec3::new(
                libm::sin(f) * 0.4,
                0.79 + 1e-4 * f,
                libm::cos(2.0 * f) * 0.3,
            );
            let pose = Pose::new(at, exp_rotation(turn));
            let b = Placed::new(Core::Poly(&hull), 0.0, &pose, DVec3::ZERO);
            let slow = axis(&a, &b, 0.05);
            let mut found = Vec::new();
            match collide(&a, &b, &Reach::all(0.05), &mut found) {
                Some(Err(s)) => {
                    assert!(slow.is_err_and(|d| d.distance > 0.05) && s.distance > 0.05)
                }
                None => {}
                Some(Ok(())) => {
                    let (n, points) = (found[0].normal, &found[0].points);
                    settled += 1;
                    let gap = slow.expect("found by iteration too").core_gap();
                    let deepest = points.iter().fold(f64::INFINITY, |m, p| m.min(p.gap));
                    assert!((deepest - gap).abs() < 2e-6, "{deepest} vs {gap}");
                    assert!((separation(&a, &b, n) - gap).abs() < 2e-6);
                }
            }
        }
        assert!(settled > 60, "{settled}");
    }
}

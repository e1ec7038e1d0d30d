//! The contact normal of two convex shapes: closed form for round ones, iterative otherwise, then
//! snapped to a flat face where one is (nearly) as good.
//!
//! The separation along a unit vector n is s(n) = min over b of n·b − max over a of n·a, minus the
//! radii. The normal of a pair is the n of greatest separation: the distance when positive, the
//! penetration depth when negative. A face that reaches that value to 1e-3 of it plus 1e-6 of the
//! size is preferred, because a face carries several points and keeps a stack at rest; its gap is
//! measured along its own f64 normal and hence exact. The preference holds only if the points over
//! the face reach that value too; a deepest point beside the face needs the true normal.

use super::Apart;
use super::epa::penetration;
use super::gjk::{Proximity, closest, nearest_of_triangle};
use super::polish::polish;
use super::round;
use super::sat;
use crate::convex::{Core, Placed};
use glam::DVec3;
use rb_core::anchor::Reference;
use rb_core::math::tangents;

/// Share of the separation, and of the size, that a face may lose and still be preferred.
pub(crate) const FACE_PREFERENCE: [f64; 2] = [1e-3, 1e-6];

/// Separating direction of two convex shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Unit vector from a to b.
    pub(crate) normal: DVec3,
    /// Closest or deepest points on the two cores.
    pub(crate) a: DVec3,
    pub(crate) b: DVec3,
}

impl Axis {
    /// Separation of the cores along the normal (m).
    pub(crate) fn core_gap(&self) -> f64 {
        self.normal.dot(self.b - self.a)
    }

    /// The same with all in world axes, from the frame of `p`.
    pub(super) fn placed(self, p: &Placed) -> Self {
        Self {
            normal: p.rot * self.normal,
            a: p.rot * self.a + p.at,
            b: p.rot * self.b + p.at,
        }
    }

    pub(crate) fn flipped(self) -> Self {
        Self {
            normal: -self.normal,
            a: self.b,
            b: self.a,
        }
    }
}

/// Direction of greatest separation, or how far the shapes are apart at least when that is more than `max` (m).
pub(crate) fn axis(a: &Placed, b: &Placed, max: f64) -> Result<Axis, Apart> {
    let radii = a.radius + b.radius;
    let reach = max + radii;
    let found = match (a.core, b.core) {
        (Core::Point | Core::Segment(_), Core::Point | Core::Segment(_)) => segments(a, b),
        (Core::Point, Core::Box(h)) => point_box(a, b, h),
        (Core::Box(h), Core::Point) => point_box(b, a, h).flipped(),
        (Core::Point, Core::Triangle(t)) => point_triangle(a, b, t),
        (Core::Triangle(t), Core::Point) => point_triangle(b, a, t).flipped(),
        _ => round::axis(a, b, reach)
            .or_else(|| sat::axis(a, b, reach))
            .unwrap_or_else(|| iterate(a, b, reach))
            .map_err(|far| Apart::along(far.along, far.distance - radii))?,
    };
    let gap = found.core_gap();
    if gap <= reach {
        Ok(found)
    } else {
        Err(Apart::along(found.normal, gap - radii))
    }
}

/// Distance or penetration by iteration, polished where the iteration leaves digits open.
pub(super) fn iterate(a: &Placed, b: &Placed, reach: f64) -> Result<Axis, Apart> {
    let found = match closest(a, b, reach) {
        Proximity::Far(far) => return Err(far),
        Proximity::Apart { a, b } => Axis {
            normal: (b - a).normalize(),
            a,
            b,
        },
        Proximity::Touching(simplex) => {
            let p = penetration(a, b, simplex);
            Axis {
                normal: p.normal,
                a: p.a,
                b: p.b,
            }
        }
    };
    let curved = |p: &Placed| matches!(p.core, Core::Cylinder { .. } | Core::Cone { .. });
    Ok(if curved(a) || curved(b) {
        polish(a, b, found)
    } else {
        found
    })
}

/// Middle and half length vector of a point or segment core.
fn line_of(p: &Placed) -> DVec3 {
    match p.core {
        Core::Segment(h) => p.rot.y_axis * h,
        _ => DVec3::ZERO,
    }
}

/// Where two segments (or points) are closest, as multiples from −1 to 1 of half their lengths `u` and
/// `v`, in closed form (Ericson 2005, 5.1.9); `d` leads from the middle of the first to that of the
/// second.
#[inline]
pub(super) fn closest_on_lines(d: DVec3, u: DVec3, v: DVec3) -> [f64; 2] {
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (du, dv) = (d.dot(u), d.dot(v));
    let ratio = |x: f64, y: f64| {
        if y > 0.0 {
            (x / y).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    };
    let det = uu * vv - uv * uv;
    // Parallel lines: any s will do, the middle is the calmest.
    let s = if det > 1e-12 * uu * vv {
        ratio(du * vv - dv * uv, det)
    } else {
        0.0
    };
    let t = ratio(s * uv - dv, vv);
    [ratio(du + t * uv, uu), t]
}

/// Closest points of two segments (or points).
fn segments(a: &Placed, b: &Placed) -> Axis {
    let (u, v) = (line_of(a), line_of(b));
    let d = b.at - a.at;
    let [s, t] = closest_on_lines(d, u, v);
    let (pa, pb) = (a.at + u * s, b.at + v * t);
    let gap = (pb - pa).length();
    let size = (u.length_squared() + v.length_squared()).sqrt();
    let normal = if gap > 1e-12 * size.max(a.radius + b.radius) {
        (pb - pa) / gap
    } else {
        crossing_normal(u, v, d)
    };
    Axis {
        normal,
        a: pa,
        b: pb,
    }
}

/// Normal of two segments that meet: across both, across the one there is, or up.
fn crossing_normal(u: DVec3, v: DVec3, d: DVec3) -> DVec3 {
    let cross = u.cross(v);
    let n = if cross.length_squared() > 1e-18 * u.length_squared() * v.length_squared() {
        cross.normalize()
    } else if u.length_squared() + v.length_squared() > 0.0 {
        tangents((u + v * u.dot(v).signum()).normalize())[0]
    } else {
        DVec3::Y
    };
    if n.dot(d) < 0.0 { -n } else { n }
}

/// Point (core a) against box (core b): nearest point outside, nearest face inside.
fn point_box(p: &Placed, b: &Placed, half: DVec3) -> Axis {
    let x = b.local(p.at - b.at);
    let on = x.clamp(-half, half);
    let out = x - on;
    let distance = out.length();
    let (normal, on) = if distance > 1e-12 * half.max_element() {
        (out / distance, on)
    } else {
        let room = half - x.abs();
        let i = (1..3).fold(0, |m, k| if room[k] < room[m] { k } else { m });
        let mut n = DVec3::ZERO;
        n[i] = 1f64.copysign(x[i]);
        let mut on = x;
        on[i] = half[i].copysign(x[i]);
        (n, on)
    };
    Axis {
        normal: -(b.rot * normal),
        a: p.at,
        b: b.rot * on + b.at,
    }
}

/// Point (core a) against triangle (core b).
fn point_triangle(p: &Placed, b: &Placed, t: &[DVec3; 3]) -> Axis {
    let v = t.map(|x| b.rot * x + (b.at - p.at));
    let d = nearest_of_triangle(v, DVec3::ZERO);
    let distance = d.length();
    let normal = if distance > 1e-12 * v[0].length().max(v[1].length()) {
        d / distance
    } else {
        -(v[1] - v[0]).cross(v[2] - v[0]).normalize_or(DVec3::Y)
    };
    Axis {
        normal,
        a: p.at,
        b: p.at + d,
    }
}

/// Separation of the cores along a unit vector (m).
pub(crate) fn separation(a: &Placed, b: &Placed, n: DVec3) -> f64 {
    (b.support(-n) - a.support(n)).dot(n)
}

/// What a face may lose against the best separation `gap` (m) of a pair and still be preferred.
pub(crate) fn slack(a: &Placed, b: &Placed, gap: f64) -> f64 {
    let size = a.core.reach().min(b.core.reach()).max(a.radius + b.radius);
    FACE_PREFERENCE[0] * gap.abs() + FACE_PREFERENCE[1] * size
}

/// Outward normals of the flat faces of a and b that face each other along the unit vector `n` from a to
/// b, if there are any.
pub(crate) fn faces(a: &Placed, b: &Placed, n: DVec3) -> [Option<DVec3>; 2] {
    [a.face_normal(n), b.face_normal(-n)]
}

/// The flat face, of those along `axis`, that separates (nearly) as well, and its normal from a to b.
pub(crate) fn snap(
    a: &Placed,
    b: &Placed,
    axis: &Axis,
    faces: &[Option<DVec3>; 2],
) -> (DVec3, Reference) {
    // Against a lone point a face adds nothing: there is one point, and its normal is exact.
    if matches!((a.core, b.core), (Core::Point, _) | (_, Core::Point)) {
        return (axis.normal, Reference::Neither);
    }
    let gap = axis.core_gap();
    let slack = slack(a, b, gap);
    let face = |of: usize, n: DVec3| faces[of].filter(|f| f.dot(n) > 0.9);
    let found_a = face(0, axis.normal).map(|n| (separation(a, b, n), n));
    let found_b = face(1, -axis.normal).map(|n| (separation(a, b, -n), -n));
    // A rim is only nearly a polygon, so a truly flat-sided face goes first.
    let a_first = a.core.is_polyhedral() || !b.core.is_polyhedral();
    let order = [(found_a, Reference::FaceOfA), (found_b, Reference::FaceOfB)];
    let order = if a_first { order } else { [order[1], order[0]] };
    let mut least = gap - slack;
    let mut best = (axis.normal, Reference::Neither);
    for (found, reference) in order {
        if let Some((s, n)) = found
            && s >= least
        {
            // The second face must be clearly better than the first, or noise would swap them.
            least = s + slack;
            best = (n, reference);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polyhedron::Polyhedron;
    use rb_core::math::{Pose, exp_rotation};

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next())
        }

        fn pose(&mut self, size: f64) -> Pose {
            Pose::new(self.vector() * size, exp_rotation(self.vector() * 3.0))
        }
    }

    /// Any direction bounds the distance from below and the depth from above: the found one must
    /// meet the first bound itself, and no other may beat it on the second.
    #[test]
    fn normals_are_optimal() {
        let mut random = Random(1);
        let cloud: Vec<DVec3> = (0..20).map(|_| random.vector() * 0.5).collect();
        let hull = Polyhedron::from_points(&cloud).unwrap();
        let triangle = [DVec3::X * 0.5, DVec3::Y * 0.4, DVec3::Z * 0.6];
        let cores = [
            Core::Point,
            Core::Segment(0.4),
            Core::Box(DVec3::new(0.3, 0.5, 0.2)),
            Core::Poly(&hull),
            Core::Triangle(&triangle),
            Core::Cylinder {
                half: 0.4,
                radius: 0.3,
            },
            Core::Cone {
                half: 0.4,
                radius: 0.3,
            },
        ];
        for ca in cores {
            for cb in cores {
                for k in 0..200 {
                    let size = if k % 2 == 0 { 0.6 } else { 2.0 };
                    let a = Placed::new(ca, 0.0, &random.pose(size), DVec3::ZERO);
                    let b = Placed::new(cb, 0.0, &random.pose(size), DVec3::ZERO);
                    let found = axis(&a, &b, 9.0).expect("within reach");
                    let gap = found.core_gap();
                    let own = separation(&a, &b, found.normal);
                    assert!(
                        (own - gap).abs() < 1e-8,
                        "{ca:?} {cb:?}: {own} is not {gap}"
                    );
                    for k in 0..if gap < 0.0 { 100 } else { 0 } {
                        let near = found.normal * if k % 2 == 0 { 3.0 } else { 0.0 };
                        let n = (random.vector() + near).normalize();
                        let s = separation(&a, &b, n);
                        assert!(s < gap + 1e-5, "{ca:?} {cb:?}: {s} beats {gap}");
                    }
                }
            }
        }
    }

    /// Round bodies side by side, touching to rounding and turned by as little: the depth of any
    /// direction bounds the penetration, and the known direction nearly attains it.
    #[test]
    fn logs_that_just_touch_are_pushed_apart_sideways() {
        let mut random = Random(7);
        let log = Core::Cylinder {
            half: 0.5,
            radius: 0.5,
        };
        for k in 0..20_000 {
            let tiny = 10f64.powi(-6 - k % 8);
            let angle = 3.0 * random.next();
            let side = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let turn = |r: &mut Random| exp_rotation(r.vector() * tiny);
            let pa = Pose::new(random.vector() * tiny, turn(&mut random));
            let pb = Pose::new(side + random.vector() * tiny, turn(&mut random));
            let a = Placed::new(log, 0.0, &pa, pa.p);
            let b = Placed::new(log, 0.0, &pb, pa.p);
            let found = axis(&a, &b, 1.0).expect("within reach");
            let (gap, known) = (found.core_gap(), separation(&a, &b, side));
            let error = (gap - known).abs();
            assert!(error < 1e-6 + 2.0 * tiny, "{k}: {gap:e} is not {known:e}");
        }
    }
}

//! Narrow phase: from a pair of colliders to contact patches, in f64 throughout.
//!
//! [`collide`] is a pure function of shapes and poses: no memory between steps, so snapshots and
//! threads cannot change its answer. [`crate::recycle`] tells when a former answer still holds.
//!
//! | pair | method | file |
//! |---|---|---|
//! | convex, half-space | corners below the plane | `half_space` |
//! | cuboid, cuboid | fifteen axes, face clip or edge pair | `boxes` |
//! | capsule, cuboid; ball or capsule, polyhedron | the nearest place in closed form | `round` |
//! | polyhedron, cuboid; triangle, either or capsule | all axes that can separate best | `sat` |
//! | polyhedra at rest on a face | all face normals, with a proof | `faces` |
//! | ball or capsule, same; ball, cuboid | closed form | `axis` |
//! | convex, convex | distance or penetration, snapped to a face or with points around | `gjk`, `epa`, `axis`, `clip`, `around` |
//! | cylinder or cone, convex | the same, the normal by Newton on the touching features | `polish` |
//! | mesh, height field, compound | per part; internal edges smoothed; patches merged | `parts`, `facet` |
//!
//! Accuracy: gaps of flat faces, round shapes and half-spaces are exact to rounding (1e-15 of the
//! size); rims and sides of cylinders and cones too, unless their edges run parallel, where the
//! distance is found to 1e-6 of the size. The answer is a continuous function of the poses but for
//! real changes of feature: corners that lie level keep their order, so rounding chooses nothing.
//! Positions are formed relative to the pair, so a scene 10 km out keeps 1e-12 m.

mod around;
mod axis;
mod boxes;
mod clip;
mod epa;
mod faces;
mod facet;
mod gjk;
mod half_space;
mod hold;
mod parts;
mod polish;
mod quad;
mod round;
mod sat;
#[cfg(test)]
pub(crate) mod wave;

use crate::collider::Collider;
use crate::convex::{Core, Placed, View};
use crate::reach::Reach;
use crate::shape::Shape;
use glam::DVec3;
use rb_core::anchor::Hold;
use rb_core::manifold::MAX_POINTS;
use rb_core::math::Pose;

pub(crate) use axis::axis;
pub(crate) use gjk::{Proximity, closest};

/// One point of a patch: a place on either surface, one straight across from the other, so that what pushes both
/// bodies apart turns neither against the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchPoint {
    /// Point on the surface of a (m, world).
    pub position_a: DVec3,
    /// Point on the surface of b (m, world): position_a + gap n.
    pub position_b: DVec3,
    /// n · (position_b − position_a) (m); negative is penetration.
    pub gap: f64,
    /// Names the pair of features that made the point, as long as they touch.
    pub feature: u32,
}

impl PatchPoint {
    /// Of two places that are not straight across from each other along the unit normal `n`: either goes half of
    /// the way aside.
    fn straight(self, n: DVec3) -> Self {
        let way = self.position_b - self.position_a;
        let gap = n.dot(way);
        let aside = 0.5 * (way - n * gap);
        Self {
            position_a: self.position_a + aside,
            position_b: self.position_b - aside,
            gap,
            ..self
        }
    }
}

/// Points of a patch; they hold no memory, so that thousands of patches are forgotten at once.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    at: [PatchPoint; MAX_POINTS],
    len: usize,
}

impl Points {
    const NONE: Self = Self {
        at: [PatchPoint {
            position_a: DVec3::ZERO,
            position_b: DVec3::ZERO,
            gap: 0.0,
            feature: 0,
        }; MAX_POINTS],
        len: 0,
    };
}

/// The first [`MAX_POINTS`] of some points.
impl FromIterator<PatchPoint> for Points {
    fn from_iter<I: IntoIterator<Item = PatchPoint>>(points: I) -> Self {
        let mut out = Self::NONE;
        out.extend(points);
        out
    }
}

/// By as many as there is room for.
impl Extend<PatchPoint> for Points {
    fn extend<I: IntoIterator<Item = PatchPoint>>(&mut self, points: I) {
        for (place, p) in self.at[self.len..].iter_mut().zip(points) {
            *place = p;
            self.len += 1;
        }
    }
}

impl core::ops::Deref for Points {
    type Target = [PatchPoint];

    fn deref(&self) -> &[PatchPoint] {
        &self.at[..self.len]
    }
}

impl core::ops::DerefMut for Points {
    fn deref_mut(&mut self) -> &mut [PatchPoint] {
        &mut self.at[..self.len]
    }
}

impl<'a> IntoIterator for &'a Points {
    type Item = &'a PatchPoint;
    type IntoIter = core::slice::Iter<'a, PatchPoint>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Up to four contact points under one normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPatch {
    /// Sub-shapes of (a, b): part of a compound, triangle of a mesh; 0 otherwise. A patch merged
    /// from several parts carries the lowest.
    pub sub: [u32; 2],
    /// Unit normal from a to b (world).
    pub normal: DVec3,
    /// How the points keep their places while the shapes move a little.
    pub hold: Hold,
    /// Points, in the order of the features that made them.
    pub points: Points,
}

impl ContactPatch {
    fn swap(&mut self) {
        self.sub.swap(0, 1);
        self.normal = -self.normal;
        self.hold = self.hold.swapped();
        for p in self.points.iter_mut() {
            core::mem::swap(&mut p.position_a, &mut p.position_b);
        }
    }
}

/// How far shapes are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// By how much at least (m).
    pub distance: f64,
    /// Unit vector from a to b (world) along which all of them is, so that only motion along it and turning bring
    /// them nearer; zero if none is known.
    pub along: DVec3,
}

impl Apart {
    /// Along no known direction.
    pub const fn by(distance: f64) -> Self {
        Self {
            distance,
            along: DVec3::ZERO,
        }
    }

    /// Along a unit vector from a to b (world).
    pub(crate) const fn along(along: DVec3, distance: f64) -> Self {
        Self { distance, along }
    }

    /// With a and b exchanged.
    pub(crate) fn flipped(self) -> Self {
        Self::along(-self.along, self.distance)
    }
}

/// What came of two convex shapes: a patch has been appended, or how far they are apart.
pub(crate) type Found = Result<(), Apart>;

/// Answer of a method that may have to hand a pair on (`None`).
pub(crate) type Outcome = Option<Found>;

/// Appends the patch of some points, or says how far the shapes are `apart` if there is none.
fn report(
    normal: DVec3,
    hold: Hold,
    points: &[PatchPoint],
    apart: Apart,
    out: &mut Vec<ContactPatch>,
) -> Found {
    if points.is_empty() {
        return Err(apart);
    }
    out.push(ContactPatch {
        sub: [0, 0],
        normal,
        hold,
        points: Points::NONE,
    });
    // Where they are to be, for they are large.
    if let Some(patch) = out.last_mut() {
        clip::reduce(points, &mut patch.points);
    }
    Ok(())
}

/// Appends the contact patches of two colliders whose shapes stand at `pose_a` and `pose_b` (world).
///
/// Reported are points with a gap of at most `prediction` (m, ≥ 0); penetrations of any depth.
/// Swapping a and b swaps the patches' sides. Meshes and height fields push to their front side
/// only. Poses must be finite.
///
/// Returns how far apart the shapes are known to be beyond what was reported: at least
/// `prediction`, more when nothing was reported and the method could tell.
pub fn collide(
    a: &Collider,
    pose_a: &Pose,
    b: &Collider,
    pose_b: &Pose,
    prediction: f64,
    out: &mut Vec<ContactPatch>,
) -> Apart {
    collide_shapes(
        a.shape(),
        pose_a,
        b.shape(),
        pose_b,
        &Reach::all(prediction),
        out,
    )
}

/// [`collide`] for bare shapes, up to gaps that depend on how they move: of two convex shapes that a plane keeps apart
/// by more than `reach` asks for nothing is reported, but that plane.
pub fn collide_shapes(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Apart {
    // Mixed pairs are always computed the same way round: convex, then parts, then half-space.
    let (va, vb) = (a.view(), b.view());
    let first = out.len();
    if rank(&va) <= rank(&vb) {
        ordered(va, pose_a, vb, pose_b, reach, out)
    } else {
        let clear = ordered(vb, pose_b, va, pose_a, &reach.flipped(), out);
        for patch in &mut out[first..] {
            patch.swap();
        }
        clear.flipped()
    }
}

fn rank(v: &View) -> u8 {
    match v {
        View::Convex(core, _) => match core {
            Core::Point => 0,
            Core::Segment(_) => 1,
            Core::Cylinder { .. } | Core::Cone { .. } => 2,
            Core::Box(_) => 3,
            Core::Poly(_) | Core::Triangle(_) => 4,
        },
        View::Parts(_) => 5,
        View::HalfSpace(_) => 6,
    }
}

fn ordered(
    a: View,
    pose_a: &Pose,
    b: View,
    pose_b: &Pose,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Apart {
    let (origin, prediction) = (pose_a.p, reach.most());
    let first = out.len();
    let place = |core, radius, pose| Placed::new(core, radius, pose, origin);
    let found = match (a, b) {
        (View::Convex(ca, ra), View::Convex(cb, rb)) => {
            let (a, b) = (place(ca, ra, pose_a), place(cb, rb, pose_b));
            convex_pair(&a, &b, reach, out)
        }
        (View::Convex(core, radius), View::HalfSpace(n)) => {
            let a = place(core, radius, pose_a);
            let plane = (pose_b.vector(n), pose_b.p - origin);
            half_space::collide(&a, plane, prediction, out)
        }
        (View::Convex(core, radius), View::Parts(b)) => {
            let a = place(core, radius, pose_a);
            parts::convex_with_parts(&a, b, &relative(pose_b, origin), prediction, out)
        }
        (View::Parts(a), View::Parts(b)) => {
            let poses = [relative(pose_a, origin), relative(pose_b, origin)];
            parts::parts_with_parts(a, b, &poses, prediction, out)
        }
        (View::Parts(a), View::HalfSpace(n)) => {
            let plane = (pose_b.vector(n), pose_b.p - origin);
            parts::parts_with_plane(a, &relative(pose_a, origin), plane, prediction, out)
        }
        // Two half-spaces never meet; the other orders are excluded by `rank`.
        _ => Ok(()),
    };
    for patch in &mut out[first..] {
        for p in patch.points.iter_mut() {
            p.position_a += origin;
            p.position_b += origin;
        }
    }
    match found {
        Err(apart) if apart.distance >= prediction || apart.along != DVec3::ZERO => apart,
        _ => Apart::by(prediction),
    }
}

fn relative(pose: &Pose, origin: DVec3) -> Pose {
    Pose::new(pose.p - origin, pose.q)
}

/// Contact of two convex shapes.
pub(crate) fn convex_pair(
    a: &Placed,
    b: &Placed,
    reach: &Reach,
    out: &mut Vec<ContactPatch>,
) -> Found {
    let quick = match (a.core, b.core) {
        (Core::Box(ha), Core::Box(hb)) => Some(boxes::collide(a, ha, b, hb, reach, out)),
        (Core::Segment(_), Core::Box(_) | Core::Poly(_))
        | (Core::Box(_) | Core::Poly(_), Core::Segment(_))
        | (Core::Point, Core::Poly(_))
        | (Core::Poly(_), Core::Point) => round::collide(a, b, reach, out),
        _ if a.radius + b.radius > 0.0 => None,
        (Core::Poly(_), Core::Box(_)) | (Core::Box(_), Core::Poly(_)) => {
            let found = sat::collide(a, b, reach, out);
            found.or_else(|| faces::collide(a, b, reach, out))
        }
        _ if a.core.is_polyhedral() && b.core.is_polyhedral() => faces::collide(a, b, reach, out),
        _ => None,
    };
    quick.unwrap_or_else(|| {
        let axis = axis::axis(a, b, reach.most())?;
        let gap = axis.core_gap() - a.radius - b.radius;
        if reach.falls_short(gap, || axis.normal) {
            return Err(Apart::along(axis.normal, gap));
        }
        clip::contact(a, b, &axis, reach.most(), out)
    })
}

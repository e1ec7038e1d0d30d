//! Convex cores in f64: what every narrow-phase algorithm sees of a shape.
//!
//! A convex shape is a core dilated by a ball of some radius (0 for sharp shapes): a ball is a point,
//! a capsule a segment, a rounded box a box. Distances are measured between cores; the radii are
//! subtracted afterwards, so round shapes cost nothing extra and lose no digits.
//!
//! A core answers three questions: the farthest point along a direction, the flat face that looks
//! along a direction, and the whole feature (face, edge or point) that is farthest along it.

mod span;

pub(crate) use span::Span;

use crate::geom::Aabb;
use crate::polyhedron::Polyhedron;
use glam::{DMat3, DVec3};
use rb_core::math::Pose;
use smallvec::SmallVec;

/// Corners used for the rim of a cylinder or cone.
const RIM: usize = 8;
/// Cosines and sines of the rim corners.
const RIM_TABLE: [[f64; 2]; RIM] = {
    let h = core::f64::consts::FRAC_1_SQRT_2;
    [
        [1.0, 0.0],
        [h, h],
        [0.0, 1.0],
        [-h, h],
        [-1.0, 0.0],
        [-h, -h],
        [0.0, -1.0],
        [h, -h],
    ]
};

/// Tilt (rad) below which a cylinder or cone stands.
const STANDING: f64 = 1e-4;

/// Core of a convex shape, in its own frame (m).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    Point,
    /// Along y, from −h to h.
    Segment(f64),
    Box(DVec3),
    Poly(&'a Polyhedron),
    /// Counter-clockwise seen from the side it faces.
    Triangle(&'a [DVec3; 3]),
    /// Along y.
    Cylinder {
        half: f64,
        radius: f64,
    },
    /// Apex at +y.
    Cone {
        half: f64,
        radius: f64,
    },
}

/// A corner of a feature and its name within the shape.
pub(crate) type Corner = (DVec3, u32);
/// A face (three or more corners, counter-clockwise from outside), an edge (2) or a point (1).
pub(crate) type Feature = SmallVec<[Corner; 8]>;

/// Unit vector in the x–z plane below `d`; x where `d` is vertical.
fn radial(d: DVec3) -> DVec3 {
    let flat = DVec3::new(d.x, 0.0, d.z);
    let l = flat.length();
    // A standing cylinder keeps its corners: they would turn the faster the straighter it stands.
    if l > STANDING * d.length() {
        flat / l
    } else {
        DVec3::X
    }
}

impl Core<'_> {
    /// Farthest point along `d` (any length).
    #[inline]
    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        match *self {
            Core::Point => DVec3::ZERO,
            Core::Segment(h) => DVec3::new(0.0, h.copysign(d.y), 0.0),
            Core::Box(h) => h.copysign(d),
            Core::Poly(p) => p.vertices[p.farthest(d)],
            Core::Triangle(v) => v[farthest_of(v, d)],
            Core::Cylinder { half, radius } => {
                let rim = DVec3::new(d.x, 0.0, d.z).normalize_or_zero() * radius;
                DVec3::new(rim.x, half.copysign(d.y), rim.z)
            }
            Core::Cone { half, radius } => {
                let rim = DVec3::new(d.x, 0.0, d.z).normalize_or_zero() * radius;
                let base = DVec3::new(rim.x, -half, rim.z);
                if d.y * half >= base.dot(d) {
                    DVec3::new(0.0, half, 0.0)
                } else {
                    base
                }
            }
        }
    }

    /// Outward normal of the flat face that looks most along `d`, if the core has flat faces there.
    pub(crate) fn face_normal(&self, d: DVec3) -> Option<DVec3> {
        match *self {
            Core::Point | Core::Segment(_) => None,
            Core::Box(_) => {
                let i = d.abs().to_array();
                let axis = (0..3).fold(0, |m, k| if i[k] > i[m] { k } else { m });
                let mut n = DVec3::ZERO;
                n[axis] = 1f64.copysign(d[axis]);
                Some(n)
            }
            Core::Poly(p) => Some(p.faces[p.facing(d)].normal),
            Core::Triangle(&[a, b, c]) => {
                let n = (b - a).cross(c - a).normalize_or_zero();
                Some(if n.dot(d) < 0.0 { -n } else { n })
            }
            Core::Cylinder { .. } => Some(DVec3::Y.copysign(DVec3::splat(d.y))),
            Core::Cone { .. } => (d.y < 0.0).then_some(DVec3::NEG_Y),
        }
    }

    /// Calls `put` with the corners of the feature farthest along `d`; it contains
    /// [`support`](Self::support)`(d)`.
    fn feature(&self, d: DVec3, mut put: impl FnMut(DVec3, u32)) {
        match *self {
            Core::Point => put(DVec3::ZERO, 0),
            Core::Segment(h) => segment(DVec3::Y * h, DVec3::Y * -h, put),
            Core::Box(h) => box_face(h, d, put),
            Core::Poly(p) => {
                for &i in p.ring(p.facing_at(p.farthest(d), d)) {
                    put(p.vertices[i as usize], i);
                }
            }
            Core::Triangle(v) => {
                let [a, b, c] = *v;
                let order = if (b - a).cross(c - a).dot(d) < 0.0 {
                    [0, 2, 1]
                } else {
                    [0, 1, 2]
                };
                order.into_iter().for_each(|i| put(v[i], i as u32));
            }
            Core::Cylinder { half, radius } => {
                let r = radial(d);
                if d.y.abs() > core::f64::consts::FRAC_1_SQRT_2 * d.length() {
                    rim(r, radius, half.copysign(d.y), d.y < 0.0, put);
                } else {
                    let side = r * radius;
                    segment(side + DVec3::Y * half, side - DVec3::Y * half, put);
                }
            }
            Core::Cone { half, radius } => {
                let r = radial(d);
                let slope = (r * (2.0 * half) + DVec3::Y * radius).normalize();
                if -d.y > slope.dot(d) {
                    rim(r, radius, -half, true, put);
                } else {
                    segment(DVec3::Y * half, r * radius - DVec3::Y * half, put);
                }
            }
        }
    }

    /// Greatest distance of a point from the origin of the frame (m).
    pub(crate) fn reach(&self) -> f64 {
        match *self {
            Core::Point => 0.0,
            Core::Segment(h) => h,
            Core::Box(h) => h.length(),
            Core::Poly(p) => p.reach,
            Core::Triangle(v) => v.iter().fold(0.0, |m, v| v.length().max(m)),
            Core::Cylinder { half, radius } | Core::Cone { half, radius } => {
                libm::hypot(half, radius)
            }
        }
    }

    /// Radius of a ball that fits inside (m); 0 for flat cores.
    pub(crate) fn inner_radius(&self) -> f64 {
        match *self {
            Core::Point | Core::Segment(_) | Core::Triangle(_) => 0.0,
            Core::Box(h) => h.min_element(),
            Core::Poly(p) => p.inner_radius,
            Core::Cylinder { half, radius } => half.min(radius),
            Core::Cone { half, radius } => {
                2.0 * half * radius / (radius + libm::hypot(2.0 * half, radius))
            }
        }
    }

    /// Some point inside, or on a flat core.
    pub(crate) fn middle(&self) -> DVec3 {
        match *self {
            Core::Poly(p) => p.middle,
            Core::Triangle(&[a, b, c]) => (a + b + c) / 3.0,
            _ => DVec3::ZERO,
        }
    }

    /// Whether the whole surface is made of flat faces.
    pub(crate) fn is_polyhedral(&self) -> bool {
        matches!(self, Core::Box(_) | Core::Poly(_) | Core::Triangle(_))
    }
}

fn farthest_of(v: &[DVec3], d: DVec3) -> usize {
    (1..v.len()).fold(0, |m, i| if v[i].dot(d) > v[m].dot(d) { i } else { m })
}

fn segment(p: DVec3, q: DVec3, mut put: impl FnMut(DVec3, u32)) {
    put(p, 0);
    put(q, 1);
}

/// Signs of the corners of a rectangle, counter-clockwise.
pub(crate) const CORNERS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

/// Face of a box, counter-clockwise from outside; corners are named by their sign bits.
fn box_face(h: DVec3, d: DVec3, mut put: impl FnMut(DVec3, u32)) {
    let (d, h) = (d.to_array(), h.to_array());
    let axis = (0..3).fold(0, |m, k| if d[k].abs() > d[m].abs() { k } else { m });
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let up = d[axis] >= 0.0;
    let turn = if up { 1.0 } else { -1.0 };
    let middle = DVec3::AXES[axis] * (turn * h[axis]);
    let (along_u, along_v) = (DVec3::AXES[u] * h[u], DVec3::AXES[v] * (turn * h[v]));
    let bit = |k: usize, positive: bool| u32::from(positive) << k;
    for [s, t] in CORNERS {
        let name = bit(axis, up) | bit(u, s > 0.0) | bit(v, t * turn > 0.0);
        put(middle + along_u * s + along_v * t, name);
    }
}

/// Rim polygon at height `y` with a corner at the radial direction `r`.
fn rim(r: DVec3, radius: f64, y: f64, below: bool, mut put: impl FnMut(DVec3, u32)) {
    let side = DVec3::new(r.z, 0.0, -r.x);
    for k in 0..RIM {
        // y × r = side: counter-clockwise seen from above.
        let k = if below { (RIM - k) % RIM } else { k };
        let [c, s] = RIM_TABLE[k];
        put(
            (r * c + side * s) * radius + DVec3::Y * y,
            (k + RIM * usize::from(below)) as u32,
        );
    }
}

/// A core at a place. Positions are world axes relative to an origin near the pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) core: Core<'a>,
    /// Dilation (m).
    pub(crate) radius: f64,
    pub(crate) rot: DMat3,
    pub(crate) at: DVec3,
}

impl<'a> Placed<'a> {
    /// Places a core at `pose`, expressed relative to the world point `origin`.
    #[inline]
    pub(crate) fn new(core: Core<'a>, radius: f64, pose: &Pose, origin: DVec3) -> Self {
        Self {
            core,
            radius,
            rot: DMat3::from_quat(pose.q),
            at: pose.p - origin,
        }
    }

    /// An axis of the core's frame by its number, 0 to 2 (world); a load from a place, where a choice between three would
    /// be guessed.
    #[inline]
    pub(crate) fn axis(&self, k: usize) -> DVec3 {
        let axes: &[f64; 9] = self.rot.as_ref();
        DVec3::new(axes[3 * k], axes[3 * k + 1], axes[3 * k + 2])
    }

    /// A world direction in the core's frame.
    #[inline]
    pub(crate) fn local(&self, d: DVec3) -> DVec3 {
        DVec3::new(
            self.rot.x_axis.dot(d),
            self.rot.y_axis.dot(d),
            self.rot.z_axis.dot(d),
        )
    }

    /// Farthest point of the core along `d`.
    #[inline]
    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        self.rot * self.core.support(self.local(d)) + self.at
    }

    /// Outward normal of the flat face that looks most along `d`.
    pub(crate) fn face_normal(&self, d: DVec3) -> Option<DVec3> {
        self.core.face_normal(self.local(d)).map(|n| self.rot * n)
    }

    /// Feature farthest along `d`.
    pub(crate) fn feature(&self, d: DVec3) -> Feature {
        let mut f = Feature::new();
        self.core.feature(self.local(d), |p, name| {
            f.push((self.rot * p + self.at, name));
        });
        f
    }

    /// Box around the dilated core.
    #[inline]
    pub(crate) fn aabb(&self) -> Aabb {
        let (m, around) = (&self.rot, |reach| {
            Aabb::new(self.at - reach, self.at + reach)
        });
        let sharp = match self.core {
            Core::Point => around(DVec3::ZERO),
            Core::Segment(h) => around(m.y_axis.abs() * h),
            Core::Box(h) => {
                around(m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z)
            }
            Core::Poly(p) => Aabb::from_points(p.vertices.iter().map(|v| self.rot * *v + self.at)),
            _ => {
                let end = |d: DVec3| self.support(d).dot(d);
                let max = DVec3::new(end(DVec3::X), end(DVec3::Y), end(DVec3::Z));
                let min = -DVec3::new(end(DVec3::NEG_X), end(DVec3::NEG_Y), end(DVec3::NEG_Z));
                Aabb::new(min, max)
            }
        };
        sharp.inflated(self.radius)
    }
}

/// A convex piece of a composite shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// Number within the shape.
    pub(crate) sub: u32,
    /// Place in the composite's frame.
    pub(crate) pose: Pose,
    pub(crate) core: Core<'a>,
    pub(crate) radius: f64,
    /// Set for one-sided triangles of a surface.
    pub(crate) facet: Option<&'a Facet>,
}

/// How a triangle continues into its neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Unit normal of the side it pushes to.
    pub(crate) normal: DVec3,
    /// Per edge i → i + 1: the neighbour's normal, or `None` at a border.
    pub(crate) across: [Option<DVec3>; 3],
}

/// A shape made of convex pieces.
pub(crate) trait Parts: Sync {
    /// Calls `f` with every piece whose box meets `region` (m, local), in ascending order.
    fn overlapping(&self, region: &Aabb, f: &mut dyn FnMut(Part<'_>));
}

/// What the narrow phase sees of a shape.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    /// Core and dilation radius (m).
    Convex(Core<'a>, f64),
    /// Everything below a plane through the origin, by its outward unit normal.
    HalfSpace(DVec3),
    Parts(&'a dyn Parts),
}

impl<'a> View<'a> {
    /// Calls `f` with every convex piece whose box meets `region` (m, local); a convex shape is its
    /// own only piece, a half-space has none.
    pub(crate) fn pieces(&self, region: &Aabb, f: &mut dyn FnMut(Part<'_>)) {
        match *self {
            View::Convex(core, radius) => f(Part {
                sub: 0,
                pose: Pose::IDENTITY,
                core,
                radius,
                facet: None,
            }),
            View::HalfSpace(_) => {}
            View::Parts(parts) => parts.overlapping(region, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_contain_the_support_point() {
        let hull = Polyhedron::from_points(&[
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            DVec3::new(1.0, 1.0, 0.2),
        ])
        .unwrap();
        let cores = [
            Core::Point,
            Core::Segment(0.5),
            Core::Box(DVec3::new(0.1, 0.2, 0.3)),
            Core::Poly(&hull),
            Core::Triangle(&[DVec3::X, DVec3::Y, DVec3::Z]),
            Core::Cylinder {
                half: 0.5,
                radius: 0.2,
            },
            Core::Cone {
                half: 0.5,
                radius: 0.2,
            },
        ];
        for core in cores {
            for d in [
                DVec3::new(0.3, 0.8, -0.4),
                DVec3::new(-0.9, -0.2, 0.1),
                DVec3::NEG_Y,
            ] {
                let top = core.support(d).dot(d);
                let mut f = Feature::new();
                core.feature(d, |p, name| f.push((p, name)));
                let best = f
                    .iter()
                    .fold(f64::NEG_INFINITY, |m, (p, _)| m.max(p.dot(d)));
                assert!((top - best).abs() < 1e-12, "{core:?} {d}");
                assert!(f.iter().all(|(p, _)| p.length() <= core.reach() + 1e-12));
                if f.len() > 2 {
                    let n = (f[1].0 - f[0].0).cross(f[2].0 - f[1].0);
                    assert!(n.dot(d) > 0.0, "{core:?} winds the wrong way along {d}");
                }
            }
        }
    }
}

//! Shapes: the closed list, and what every shape can tell about itself.
//!
//! A shape is stored as its parameters in f64; large data (hulls, meshes, height fields, compounds)
//! sits behind an `Arc`, so cloning is cheap, and everything derived is built once and left out of
//! serialisation. Adding a shape: a file in `shapes/` that implements `Geometry` and adds its
//! constructor to [`Shape`], and one line in the list below.
//!
//! Frames: the shape's own frame; y is the axis of capsules, cylinders and cones. Units: m, kg/m³.
//! Rounded shapes are dilated by `border`: the round shape is larger than the sharp one by that much
//! on every side.

use crate::convex::{Core, Placed, View};
use crate::geom::Aabb;
use crate::shapes::{
    Ball, Capsule, Compound, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, HeightField, TriMesh,
};
use glam::DVec3;
use rb_core::Result;
use rb_core::draw::{Color, DrawSink};
use rb_core::mass::MassProps;
use rb_core::math::Pose;
use serde::{Deserialize, Serialize};

/// What a shape has to know. Lengths in m, in the shape's frame.
pub(crate) trait Geometry {
    /// Refuses NaN, empty and inverted sizes, naming the argument.
    fn validate(&self) -> Result<()>;
    /// Mass for a density (kg/m³); [`MassProps::ZERO`] for surfaces and unbounded shapes.
    fn mass(&self, density: f64) -> MassProps;
    /// What the narrow phase works on.
    fn view(&self) -> View<'_>;
    /// Box around a shape made of parts.
    fn parts_box(&self) -> Aabb {
        Aabb::EVERYWHERE
    }
    /// Calls `line` with the segments of an outline.
    fn outline(&self, line: &mut dyn FnMut(DVec3, DVec3));
    /// Surface triangles, for shapes a viewer cannot know from their parameters.
    fn mesh(&self) -> Option<Mesh> {
        None
    }
}

/// Triangles of a surface, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Vertices in the shape's frame (m).
    pub vertices: Vec<DVec3>,
    /// Triples of vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Geometry of a collider.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Shape {
            $($(#[$doc])* $name($name),)*
        }

        impl Shape {
            /// Names of all kinds of shape.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Name of this kind of shape, one of [`NAMES`](Self::NAMES).
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name),)* }
            }

            fn geometry(&self) -> &dyn Geometry {
                match self { $(Self::$name(s) => s,)* }
            }

            // Asked for every pair.
            #[inline]
            pub(crate) fn view(&self) -> View<'_> {
                match self { $(Self::$name(s) => s.view(),)* }
            }
        }

        $(impl From<$name> for Shape {
            fn from(s: $name) -> Self {
                Self::$name(s)
            }
        })*
    };
}

shapes! {
    /// Ball.
    Ball,
    /// Box, sharp or rounded.
    Cuboid,
    /// Segment along y, dilated.
    Capsule,
    /// Cylinder along y, sharp or rounded.
    Cylinder,
    /// Cone along y, apex up, sharp or rounded.
    Cone,
    /// Convex hull of points, sharp or rounded.
    ConvexHull,
    /// Surface of triangles, pushing to their counter-clockwise side.
    TriMesh,
    /// Grid of heights, pushing up.
    HeightField,
    /// Everything below a plane through the origin.
    HalfSpace,
    /// Several convex shapes as one.
    Compound,
}

impl Shape {
    /// Checks the parameters, as after reading a file.
    ///
    /// # Errors
    /// An [`rb_core::Error`] that names the argument.
    pub fn validate(&self) -> Result<()> {
        self.geometry().validate()
    }

    /// Mass, centre of mass and inertia for a density (kg/m³), in the shape's frame. Zero for
    /// half-spaces, height fields and open meshes.
    pub fn mass_props(&self, density: f64) -> MassProps {
        self.geometry().mass(density)
    }

    /// Tight world box of the shape at `pose`; loose by the rotation of the local box for meshes,
    /// height fields and compounds; [`Aabb::EVERYWHERE`] for half-spaces.
    #[inline(always)]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self.view() {
            View::Convex(core, radius) => Placed::new(core, radius, pose, DVec3::ZERO).aabb(),
            View::HalfSpace(_) => Aabb::EVERYWHERE,
            View::Parts(_) => self.geometry().parts_box().placed(pose),
        }
    }

    /// Box of the shape in its own frame (m).
    pub fn local_aabb(&self) -> Aabb {
        self.aabb(&Pose::IDENTITY)
    }

    /// Greatest distance of a surface point from the frame's origin (m); [`Aabb::FAR`] for
    /// half-spaces. Used to bound how far a rotation can move a point.
    pub fn bounding_radius(&self) -> f64 {
        match self.view() {
            View::Convex(core, radius) => core.reach() + radius,
            View::HalfSpace(_) => Aabb::FAR,
            View::Parts(_) => {
                let b = self.geometry().parts_box();
                b.min.abs().max(b.max.abs()).length()
            }
        }
    }

    /// Radius of a ball that fits inside (m): a body that moves less per step cannot tunnel through
    /// a surface. Zero for surfaces, [`Aabb::FAR`] for half-spaces, the smallest part's for
    /// compounds.
    pub fn inner_radius(&self) -> f64 {
        match self.view() {
            View::Convex(core, radius) => core.inner_radius() + radius,
            View::HalfSpace(_) => Aabb::FAR,
            View::Parts(parts) => {
                let mut least = f64::INFINITY;
                if matches!(self, Self::Compound(_)) {
                    parts.overlapping(&Aabb::EVERYWHERE, &mut |p| {
                        least = least.min(p.core.inner_radius() + p.radius);
                    });
                }
                if least.is_finite() { least } else { 0.0 }
            }
        }
    }

    /// Whether any two points of the shape are joined by a segment inside it, and it is bounded.
    pub fn is_convex(&self) -> bool {
        matches!(self.view(), View::Convex(..))
    }

    /// Draws the outline of the shape at `pose` (world).
    pub fn draw(&self, pose: &Pose, color: Color, sink: &mut dyn DrawSink) {
        self.geometry()
            .outline(&mut |a, b| sink.line(pose.point(a), pose.point(b), color));
    }

    /// Surface triangles of hulls, meshes and height fields, in the shape's frame; `None` for
    /// shapes that are known from their parameters.
    pub fn mesh(&self) -> Option<Mesh> {
        self.geometry().mesh()
    }

    /// Core and radius of a convex shape.
    pub(crate) fn convex(&self) -> Option<(Core<'_>, f64)> {
        match self.view() {
            View::Convex(core, radius) => Some((core, radius)),
            _ => None,
        }
    }
}

//! Convex hulls around their centroid, and the four shapes of mixed scenes.

use crate::desc::ShapeDef;
use crate::random::Random;
use glam::Vec3;
use parry3d::shape::{ConvexPolyhedron, Shape};
use std::sync::Arc;

/// Points (m) as a hull around the centroid of the solid they span, and that centroid (m).
///
/// # Panics
/// Fewer than four points, or all in a plane.
pub(crate) fn centred(points: &[Vec3]) -> (ShapeDef, Vec3) {
    let solid = ConvexPolyhedron::from_convex_hull(points).expect("the points span a solid");
    let centroid = solid.mass_properties(1.0).local_com;
    let around = points.iter().map(|p| (*p - centroid).to_array()).collect();
    (ShapeDef::Hull(Arc::new(around)), centroid)
}

/// Hull of `count` random points on a sphere of radius `radius` (m).
fn boulder(random: &mut Random, radius: f32, count: usize) -> ShapeDef {
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let p = Vec3::new(random.signed(), random.signed(), random.signed());
        let length = p.length();
        if length > 0.1 && length < 1.0 {
            points.push(p / length * radius);
        }
    }
    centred(&points).0
}

/// A box, a ball, a capsule and a boulder of about 0.8 m.
pub(crate) fn mixed_shapes() -> [ShapeDef; 4] {
    [
        ShapeDef::Box([0.4, 0.3, 0.5]),
        ShapeDef::Sphere(0.4),
        ShapeDef::Capsule {
            half: 0.3,
            radius: 0.3,
        },
        boulder(&mut Random::new(42), 0.5, 16),
    ]
}

//! One shape of each kind, and its parry counterpart as an independent oracle.

#![allow(
    dead_code,
    reason = "each test binary uses its own part of this module"
)]

use parry3d::math::{Pose as Pose32, Vector};
use parry3d::shape::SharedShape;
use rb_contact::narrow::collide_shapes;
use rb_contact::reach::Reach;
use rb_contact::{ContactPatch, Shape};
use rb_core::glam::{DVec3, Quat};
use rb_core::math::{Pose, exp_rotation};

/// Small linear congruential generator: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in [lo, hi).
    pub(crate) fn range(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        lo + (hi - lo) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub(crate) fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(
            self.range(-size, size),
            self.range(-size, size),
            self.range(-size, size),
        )
    }

    pub(crate) fn pose(&mut self, size: f64) -> Pose {
        Pose::new(self.vector(size), exp_rotation(self.vector(3.0)))
    }
}

pub(crate) const ICOSAHEDRON: [[f64; 3]; 12] = {
    let g = 1.618_033_988_749_895;
    [
        [0.0, 1.0, g],
        [0.0, -1.0, g],
        [0.0, 1.0, -g],
        [0.0, -1.0, -g],
        [1.0, g, 0.0],
        [-1.0, g, 0.0],
        [1.0, -g, 0.0],
        [-1.0, -g, 0.0],
        [g, 0.0, 1.0],
        [-g, 0.0, 1.0],
        [g, 0.0, -1.0],
        [-g, 0.0, -1.0],
    ]
};

pub(crate) fn icosahedron(size: f64) -> Vec<DVec3> {
    ICOSAHEDRON.iter().map(|p| DVec3::from(*p) * size).collect()
}

fn narrow(points: &[DVec3]) -> Vec<Vector> {
    points.iter().map(|p| p.as_vec3()).collect()
}

/// Convex shapes with the parry shape of the same parameters.
pub(crate) fn convex_shapes() -> Vec<(Shape, SharedShape)> {
    let h = DVec3::new(0.3, 0.5, 0.4);
    let (x, y, z) = (0.3, 0.5, 0.4);
    let hull = icosahedron(0.3);
    vec![
        (Shape::ball(0.4).unwrap(), SharedShape::ball(0.4)),
        (Shape::cuboid(h).unwrap(), SharedShape::cuboid(x, y, z)),
        (
            Shape::round_cuboid(h, 0.1).unwrap(),
            SharedShape::round_cuboid(x, y, z, 0.1),
        ),
        (
            Shape::capsule(0.5, 0.2).unwrap(),
            SharedShape::capsule_y(0.5, 0.2),
        ),
        (
            Shape::cylinder(0.5, 0.3).unwrap(),
            SharedShape::cylinder(0.5, 0.3),
        ),
        (
            Shape::round_cylinder(0.5, 0.3, 0.05).unwrap(),
            SharedShape::round_cylinder(0.5, 0.3, 0.05),
        ),
        (Shape::cone(0.5, 0.3).unwrap(), SharedShape::cone(0.5, 0.3)),
        (
            Shape::round_cone(0.5, 0.3, 0.05).unwrap(),
            SharedShape::round_cone(0.5, 0.3, 0.05),
        ),
        (
            Shape::convex_hull(hull.clone()).unwrap(),
            SharedShape::convex_hull(&narrow(&hull)).unwrap(),
        ),
        (
            Shape::round_convex_hull(hull.clone(), 0.05).unwrap(),
            SharedShape::round_convex_hull(&narrow(&hull), 0.05).unwrap(),
        ),
    ]
}

/// Closed box of twelve triangles.
pub(crate) fn box_mesh(h: DVec3) -> Shape {
    let vertices: Vec<DVec3> = (0..8)
        .map(|i| {
            let s = |k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(s(0), s(1), s(2)) * h
        })
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    Shape::tri_mesh(vertices, triangles).unwrap()
}

/// Flat or rough square of triangles, two per cell, 1 m cells, centred on the origin.
pub(crate) fn grid_mesh(cells: usize, height: impl Fn(f64, f64) -> f64) -> Shape {
    let n = cells + 1;
    let at = |i: usize| i as f64 - 0.5 * cells as f64;
    let vertices: Vec<DVec3> = (0..n * n)
        .map(|k| DVec3::new(at(k % n), height(at(k % n), at(k / n)), at(k / n)))
        .collect();
    let mut triangles = Vec::new();
    for row in 0..cells {
        for column in 0..cells {
            let p = (row * n + column) as u32;
            let z = p + n as u32;
            triangles.push([p, z, z + 1]);
            triangles.push([p, z + 1, p + 1]);
        }
    }
    Shape::tri_mesh(vertices, triangles).unwrap()
}

/// One of every kind, convex ones first.
pub(crate) fn all_shapes() -> Vec<Shape> {
    let mut all: Vec<Shape> = convex_shapes().into_iter().map(|(s, _)| s).collect();
    all.push(box_mesh(DVec3::new(0.3, 0.5, 0.4)));
    all.push(grid_mesh(4, |x, z| 0.2 * (x + 0.3 * z).sin()));
    let heights: Vec<f64> = (0..25).map(|i| 0.1 * f64::from(i * 7 % 5)).collect();
    all.push(Shape::height_field(5, 5, heights, [4.0, 3.0]).unwrap());
    all.push(Shape::half_space(DVec3::new(0.1, 1.0, 0.2)).unwrap());
    all.push(
        Shape::compound(vec![
            (
                Pose::from_translation(DVec3::new(0.4, 0.0, 0.0)),
                Shape::cuboid(DVec3::splat(0.2)).unwrap(),
            ),
            (
                Pose::new(DVec3::new(-0.4, 0.1, 0.0), exp_rotation(DVec3::X)),
                Shape::capsule(0.3, 0.1).unwrap(),
            ),
        ])
        .unwrap(),
    );
    all
}

pub(crate) fn pose32(p: &Pose) -> Pose32 {
    Pose32::from_parts(
        p.p.as_vec3(),
        Quat::from_xyzw(p.q.x as f32, p.q.y as f32, p.q.z as f32, p.q.w as f32).normalize(),
    )
}

/// All contact patches of two shapes.
pub(crate) fn contacts(
    a: &Shape,
    pa: &Pose,
    b: &Shape,
    pb: &Pose,
    prediction: f64,
) -> Vec<ContactPatch> {
    let mut out = Vec::new();
    collide_shapes(a, pa, b, pb, &Reach::all(prediction), &mut out);
    out
}

/// A place without a turn.
pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

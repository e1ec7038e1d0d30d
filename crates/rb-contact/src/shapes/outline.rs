//! Pieces of outlines: circles, arcs and the edges of boxes.

use glam::DVec3;

/// Segments of a full circle.
const SEGMENTS: usize = 24;

/// Circle in the plane of the orthonormal `u`, `v`.
pub(super) fn circle(
    center: DVec3,
    u: DVec3,
    v: DVec3,
    radius: f64,
    line: &mut dyn FnMut(DVec3, DVec3),
) {
    let point = |k: usize| {
        let a = core::f64::consts::TAU * k as f64 / SEGMENTS as f64;
        center + (u * libm::cos(a) + v * libm::sin(a)) * radius
    };
    for k in 0..SEGMENTS {
        line(point(k), point(k + 1));
    }
}

/// Four segments from a circle of radius `r0` at height `y0` to one of radius `r1` at `y1`.
pub(super) fn staves([r0, y0]: [f64; 2], [r1, y1]: [f64; 2], line: &mut dyn FnMut(DVec3, DVec3)) {
    for d in [DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z] {
        line(d * r0 + DVec3::Y * y0, d * r1 + DVec3::Y * y1);
    }
}

/// The twelve edges of a box.
pub(super) fn box_edges(half: DVec3, line: &mut dyn FnMut(DVec3, DVec3)) {
    let corner = |i: u32| {
        let s = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
        DVec3::new(s(0), s(1), s(2)) * half
    };
    for i in 0..8u32 {
        for k in 0..3 {
            if i >> k & 1 == 0 {
                line(corner(i), corner(i | 1 << k));
            }
        }
    }
}

//! Debug drawing: bodies, joints and contacts draw themselves into a sink the user provides.

use crate::math::Pose;
use glam::DVec3;

/// Red, green, blue, alpha, each 0 to 255.
pub type Color = [u8; 4];

/// Colours the engine uses for its own drawing.
pub mod color {
    use super::Color;
    /// Outlines of dynamic bodies.
    pub const DYNAMIC: Color = [235, 180, 80, 255];
    /// Outlines of static bodies.
    pub const STATIC: Color = [130, 140, 150, 255];
    /// Outlines of kinematic bodies.
    pub const KINEMATIC: Color = [90, 160, 235, 255];
    /// Outlines of sleeping bodies.
    pub const ASLEEP: Color = [110, 105, 100, 255];
    /// Joint frames and limits.
    pub const JOINT: Color = [120, 220, 140, 255];
    /// Contact points and normals.
    pub const CONTACT: Color = [235, 80, 80, 255];
}

/// Receives lines in world coordinates (m). Only [`line`](Self::line) is required.
pub trait DrawSink {
    /// A segment from `a` to `b`.
    fn line(&mut self, a: DVec3, b: DVec3, color: Color);

    /// A point, as three short crossing lines unless overridden.
    fn point(&mut self, p: DVec3, color: Color) {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            self.line(p - axis * 0.01, p + axis * 0.01, color);
        }
    }

    /// A frame: x red, y green, z blue, axes of length `size` (m).
    fn frame(&mut self, pose: &Pose, size: f64) {
        let axes = [
            (DVec3::X, [230, 60, 60, 255]),
            (DVec3::Y, [60, 200, 60, 255]),
            (DVec3::Z, [70, 110, 240, 255]),
        ];
        for (axis, color) in axes {
            self.line(pose.p, pose.point(axis * size), color);
        }
    }

    /// A label at a point; ignored unless overridden.
    fn text(&mut self, _at: DVec3, _text: &str, _color: Color) {}
}

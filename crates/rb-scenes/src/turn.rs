//! Rotations of descriptions in f32, the same bits on every platform.

use glam::Quat;

/// Turn by `angle` (rad) about x.
pub(crate) fn about_x(angle: f32) -> Quat {
    let (s, c) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(s, 0.0, 0.0, c)
}

/// Turn by `angle` (rad) about y.
pub(crate) fn about_y(angle: f32) -> Quat {
    let (s, c) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(0.0, s, 0.0, c)
}

/// Turn by `angle` (rad) about z.
pub(crate) fn about_z(angle: f32) -> Quat {
    let (s, c) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(0.0, 0.0, s, c)
}

/// Turn about z by `roll`, then about x by `pitch`, then about y by `yaw` (rad), fixed axes.
pub(crate) fn yaw_pitch_roll(yaw: f32, pitch: f32, roll: f32) -> Quat {
    let (sy, cy) = libm::sincosf(0.5 * yaw);
    let (sx, cx) = libm::sincosf(0.5 * pitch);
    let (sz, cz) = libm::sincosf(0.5 * roll);
    Quat::from_xyzw(
        cx * (sy * sz) + sx * (cy * cz),
        cx * (sy * cz) - sx * (cy * sz),
        cx * (cy * sz) - sx * (sy * cz),
        cx * (cy * cz) + sx * (sy * sz),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_angles_are_three_turns() {
        let at_once = yaw_pitch_roll(0.7, -0.3, 1.9);
        let in_turn = about_y(0.7) * about_x(-0.3) * about_z(1.9);
        assert!(at_once.abs_diff_eq(in_turn, 1e-6));
    }
}

//! Debug drawing of joints: frames, free directions and their stops.

use crate::drive::Drive;
use crate::parts::Frames;
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use rb_core::draw::{DrawSink, color};

/// Length (m) of the longest line of a joint without a size of its own.
const SIZE: f64 = 0.1;
/// Chords of a full circle.
const CHORDS: usize = 24;

/// Both frames and the line between their origins: the error of a locked joint.
pub(crate) fn frames(frames: &Frames, sink: &mut dyn DrawSink) {
    sink.frame(&frames.a, SIZE);
    sink.frame(&frames.b, 0.8 * SIZE);
    sink.line(frames.a.p, frames.b.p, color::JOINT);
}

/// Frames and the sector between the stops.
pub(crate) fn hinge(placed: &Frames, drive: &Drive, sink: &mut dyn DrawSink) {
    frames(placed, sink);
    let [lower, upper] = stops(drive, PI);
    let rim = |angle: f64| {
        let local = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        placed.a.point(local * SIZE)
    };
    polyline(lower, upper, rim, sink);
    if drive.limits.is_some() {
        sink.line(placed.a.p, rim(lower), color::JOINT);
        sink.line(placed.a.p, rim(upper), color::JOINT);
    }
}

/// Frames and the rail between the stops.
pub(crate) fn slider(placed: &Frames, drive: &Drive, sink: &mut dyn DrawSink) {
    frames(placed, sink);
    let [lower, upper] = stops(drive, 1.0).map(|s| placed.a.point(DVec3::Z * s));
    sink.line(lower, upper, color::JOINT);
    if drive.limits.is_some() {
        sink.point(lower, color::JOINT);
        sink.point(upper, color::JOINT);
    }
}

/// Frames and the rim of the swing cone.
pub(crate) fn ball(placed: &Frames, cone: Option<f64>, sink: &mut dyn DrawSink) {
    frames(placed, sink);
    let Some(opening) = cone else { return };
    let (radius, height) = (libm::sin(opening), libm::cos(opening));
    let rim = |angle: f64| {
        let local = DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), height);
        placed.a.point(local * SIZE)
    };
    polyline(0.0, TAU, rim, sink);
    for quarter in 0..4 {
        sink.line(placed.a.p, rim(0.25 * TAU * quarter as f64), color::JOINT);
    }
}

/// The stops of a drive, an open side shown at ∓`open`.
fn stops(drive: &Drive, open: f64) -> [f64; 2] {
    let sides = drive.limits.map_or([None; 2], |l| [l.lower, l.upper]);
    [sides[0].unwrap_or(-open), sides[1].unwrap_or(open)]
}

fn polyline(from: f64, to: f64, at: impl Fn(f64) -> DVec3, sink: &mut dyn DrawSink) {
    for k in 0..CHORDS {
        let value = |k: usize| from + (to - from) * k as f64 / CHORDS as f64;
        sink.line(at(value(k)), at(value(k + 1)), color::JOINT);
    }
}

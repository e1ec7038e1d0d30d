//! What can be wrong with what a recording is given.

use std::fmt;

/// Why a recording refused a body or a frame, or could not write its page.
///
/// A recording that returned an error from [`add_body`](crate::Recording::add_body) or
/// [`push_frame`](crate::Recording::push_frame) is exactly as it was before the call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A shape cannot be drawn.
    #[error("body `{body}`, part {part}: {reason}")]
    Shape {
        /// Name of the body.
        body: String,
        /// Index of the part in the body.
        part: usize,
        /// What is wrong with the part.
        reason: &'static str,
    },
    /// A frame does not have exactly one pose for each body added so far.
    #[error("frame {frame} has {found} poses for {expected} bodies")]
    PoseCount {
        /// Index the frame would have had.
        frame: usize,
        /// Number of bodies added so far.
        expected: usize,
        /// Number of poses in the frame.
        found: usize,
    },
    /// The time of a frame is not a number or lies before the previous frame.
    #[error("frame {frame} at {time} s does not follow the previous frame")]
    Time {
        /// Index the frame would have had.
        frame: usize,
        /// The refused time, s.
        time: f64,
    },
    /// A sample of a frame cannot be stored.
    #[error("frame {frame}: {kind} {index} {problem}")]
    Sample {
        /// Index the frame would have had.
        frame: usize,
        /// Which list of the frame holds the sample.
        kind: SampleKind,
        /// Index of the sample in that list.
        index: usize,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The scene description could not be serialised.
    #[error("the scene could not be serialised")]
    Scene(#[from] serde_json::Error),
    /// The page could not be written.
    #[error("the page could not be written")]
    Io(#[from] std::io::Error),
}

/// The list of a frame a refused sample comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleKind {
    /// [`FrameData::poses`](crate::FrameData::poses).
    Body,
    /// [`FrameData::contacts`](crate::FrameData::contacts).
    Contact,
    /// [`FrameData::joints`](crate::FrameData::joints).
    Joint,
}

/// What is wrong with a refused sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A component is NaN or infinite.
    NotFinite,
    /// A position or velocity is too large to be stored: see
    /// [`POSITION_LIMIT`](crate::POSITION_LIMIT).
    OutOfRange,
    /// A quaternion or normal has no length.
    NoDirection,
}

impl fmt::Display for SampleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "body",
            Self::Contact => "contact",
            Self::Joint => "joint",
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "is not finite",
            Self::OutOfRange => "is out of range",
            Self::NoDirection => "has a rotation or normal of no length",
        })
    }
}

//! Record a run into one self-contained HTML page.
//!
//! A [`Recording`] collects the bodies of a scene and, frame by frame, their poses, contacts,
//! joint frames and solver statistics. [`Recording::write_html`] writes a page that plays the
//! run in any browser, from `file://`, without a network: the player is part of the page and
//! the page's own content policy forbids it to load anything.
//!
//! The crate knows nothing of the physics: it takes plain numbers. Everywhere, lengths are in
//! metres, masses in kilograms, times in seconds (unless a name says otherwise), frames are
//! right-handed, **y is up** and quaternions are `[x, y, z, w]`.
//!
//! # Precision and size
//!
//! Poses are quantised for display: positions to [`POSITION_ERROR`] on each axis, orientations
//! to [`ROTATION_ERROR`], velocities to [`VELOCITY_ERROR`] on each axis. Only differences to the
//! previous frame are stored: a moving body costs 10 to 19 bytes a frame (as long as it moves
//! less than half a metre on each axis between two frames), one whose quantised pose did not
//! change one bit, and its share of a complete frame every 64. The page holds the stream
//! deflated.
//!
//! # Example
//!
//! ```
//! use rb_view::{BodyInfo, BodyKind, FrameData, FrameStats, Part, PoseSample, Recording, ShapeInfo};
//!
//! let mut recording = Recording::new("A ball falls");
//! recording.add_body(BodyInfo {
//!     name: "ground".into(),
//!     kind: BodyKind::Static,
//!     mass: f64::INFINITY,
//!     parts: vec![Part::new(ShapeInfo::HalfSpace { normal: [0.0, 1.0, 0.0] })],
//! })?;
//! recording.add_body(BodyInfo {
//!     name: "ball".into(),
//!     kind: BodyKind::Dynamic,
//!     mass: 1.0,
//!     parts: vec![Part::new(ShapeInfo::Ball { radius: 0.5 })],
//! })?;
//! for frame in 0..60 {
//!     let time = f64::from(frame) / 60.0;
//!     let ball = PoseSample {
//!         position: [0.0, 5.0 - 4.905 * time * time, 0.0],
//!         ..PoseSample::default()
//!     };
//!     recording.push_frame(&FrameData {
//!         time,
//!         poses: &[PoseSample::default(), ball],
//!         contacts: &[],
//!         joints: &[],
//!         stats: FrameStats::default(),
//!     })?;
//! }
//! assert_eq!(recording.frame_count(), 60);
//! let page = recording.to_html()?;
//! assert!(page.starts_with("<!doctype html>"));
//! # Ok::<(), rb_view::ViewError>(())
//! ```

mod error;
mod frame;
mod page;
mod quantise;
mod recording;
mod scene;
mod table;

pub use error::{Problem, SampleKind, ViewError};
pub use frame::{ContactSample, FrameData, FrameStats, JointSample, PoseSample};
pub use quantise::{POSITION_ERROR, POSITION_LIMIT, ROTATION_ERROR, VELOCITY_ERROR};
pub use recording::Recording;
pub use scene::{BodyInfo, BodyKind, Part, ShapeInfo};

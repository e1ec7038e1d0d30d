//! The recording: a scene and its frames.

use std::path::Path;

use serde::Serialize;

use crate::error::{Problem, SampleKind, ViewError};
use crate::frame::{ContactSample, FrameData, FrameStats, JointSample, PoseSample};
use crate::scene::{BodyInfo, Scene};
use crate::table::Table;
use crate::{page, quantise};

/// Frames per chunk: how far the player decodes at most to show any frame.
const CHUNK_FRAMES: usize = 64;

/// Columns: velocity (3), position (3), rotation (3), flags.
type BodyRow = [i32; 10];
/// Columns: point (3), octahedral normal (2), impulse.
type ContactRow = [i32; 6];
/// Columns: position (3), rotation (3), index of the largest quaternion component.
type JointRow = [i32; 7];

/// Flags of a body row; the two lowest bits are the index of the largest quaternion component.
const ASLEEP: i32 = 4;
const HAS_VELOCITY: i32 = 8;

/// A run in memory: the bodies of a scene and the frames pushed so far.
#[derive(Clone, Debug)]
pub struct Recording {
    header: Header,
    chunks: Vec<Vec<u8>>,
    bodies: Table<10>,
    contacts: Table<6>,
    joints: Table<7>,
}

/// What the player reads first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Header {
    pub(crate) title: String,
    chunk_frames: usize,
    scene: Scene,
    frames: Columns,
}

/// Time and statistics of all frames, column by column; what is not finite becomes `null`.
#[derive(Clone, Debug, Default, Serialize)]
struct Columns {
    time: Vec<f64>,
    residual: Vec<f64>,
    kinetic_energy: Vec<f64>,
    contacts: Vec<u32>,
    step_ms: Vec<f32>,
}

impl Recording {
    /// An empty recording; the title is shown on the page.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            header: Header {
                title: title.into(),
                chunk_frames: CHUNK_FRAMES,
                scene: Scene::default(),
                frames: Columns::default(),
            },
            chunks: Vec::new(),
            bodies: Table::new(),
            contacts: Table::new(),
            joints: Table::new(),
        }
    }

    /// Adds a body and returns its index in [`FrameData::poses`].
    ///
    /// A body added after some frames appears with the next frame.
    ///
    /// # Errors
    ///
    /// [`ViewError::Shape`] if a part cannot be drawn: a dimension, placement or vertex that is
    /// not finite, a dimension that is not positive, a triangle that names no vertex.
    pub fn add_body(&mut self, body: BodyInfo) -> Result<usize, ViewError> {
        self.header.scene.add(body)
    }

    /// Appends a frame.
    ///
    /// # Errors
    ///
    /// [`ViewError::PoseCount`] unless there is one pose per body, [`ViewError::Time`] if the
    /// time is not finite or runs backwards, [`ViewError::Sample`] if a pose, contact or joint
    /// is not finite, out of range or without direction. The recording is then unchanged.
    pub fn push_frame(&mut self, frame: &FrameData) -> Result<(), ViewError> {
        let index = self.frame_count();
        let expected = self.header.scene.body_count();
        if frame.poses.len() != expected {
            return Err(ViewError::PoseCount {
                frame: index,
                expected,
                found: frame.poses.len(),
            });
        }
        let previous = self.header.frames.time.last().copied().unwrap_or(f64::MIN);
        if !frame.time.is_finite() || frame.time < previous {
            return Err(ViewError::Time {
                frame: index,
                time: frame.time,
            });
        }
        let bodies = rows(index, SampleKind::Body, frame.poses, body_row)?;
        let contacts = rows(index, SampleKind::Contact, frame.contacts, contact_row)?;
        let joints = rows(index, SampleKind::Joint, frame.joints, joint_row)?;

        if index.is_multiple_of(CHUNK_FRAMES) {
            self.start_chunk();
        }
        let chunk = &mut self.chunks[index / CHUNK_FRAMES];
        self.bodies.encode(&bodies, chunk);
        self.contacts.encode(&contacts, chunk);
        self.joints.encode(&joints, chunk);
        self.header.frames.push(frame.time, frame.stats);
        Ok(())
    }

    /// Number of frames pushed so far.
    pub const fn frame_count(&self) -> usize {
        self.header.frames.time.len()
    }

    /// Size of the encoded poses, contacts and joints, bytes, before the page deflates them.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }

    /// The page: HTML with the player and the run inside, in need of nothing else.
    ///
    /// # Errors
    ///
    /// [`ViewError::Scene`] if the scene cannot be serialised.
    pub fn to_html(&self) -> Result<String, ViewError> {
        page::render(&self.header, &self.chunks)
    }

    /// Writes the page of [`to_html`](Self::to_html) to a file.
    ///
    /// # Errors
    ///
    /// [`ViewError::Io`] if the file cannot be written, or as [`to_html`](Self::to_html).
    pub fn write_html(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        Ok(std::fs::write(path, self.to_html()?)?)
    }

    fn start_chunk(&mut self) {
        self.chunks.push(Vec::new());
        self.bodies.restart();
        self.contacts.restart();
        self.joints.restart();
    }
}

impl Columns {
    fn push(&mut self, time: f64, stats: FrameStats) {
        self.time.push(time);
        self.residual.push(stats.residual);
        self.kinetic_energy.push(stats.kinetic_energy);
        self.contacts.push(stats.contacts);
        self.step_ms.push(stats.step_ms);
    }
}

/// Quantises all samples of one list before any of them is stored.
fn rows<S, const COLUMNS: usize>(
    frame: usize,
    kind: SampleKind,
    samples: &[S],
    row: fn(&S) -> Result<[i32; COLUMNS], Problem>,
) -> Result<Vec<[i32; COLUMNS]>, ViewError> {
    let refused = |index, problem| ViewError::Sample {
        frame,
        kind,
        index,
        problem,
    };
    let numbered = samples.iter().enumerate();
    numbered
        .map(|(index, sample)| row(sample).map_err(|p| refused(index, p)))
        .collect()
}

fn body_row(pose: &PoseSample) -> Result<BodyRow, Problem> {
    let [vx, vy, vz] = quantise::velocity(pose.velocity.unwrap_or_default())?;
    let [px, py, pz] = quantise::position(pose.position)?;
    let ([ra, rb, rc], largest) = quantise::rotation(pose.rotation)?;
    let asleep = if pose.asleep { ASLEEP } else { 0 };
    let moving = if pose.velocity.is_some() {
        HAS_VELOCITY
    } else {
        0
    };
    Ok([
        vx,
        vy,
        vz,
        px,
        py,
        pz,
        ra,
        rb,
        rc,
        largest | asleep | moving,
    ])
}

fn contact_row(contact: &ContactSample) -> Result<ContactRow, Problem> {
    let [px, py, pz] = quantise::position(contact.point.map(f64::from))?;
    let [u, v] = quantise::normal(contact.normal)?;
    Ok([px, py, pz, u, v, quantise::impulse(contact.impulse)?])
}

fn joint_row(joint: &JointSample) -> Result<JointRow, Problem> {
    let [px, py, pz] = quantise::position(joint.position)?;
    let ([ra, rb, rc], largest) = quantise::rotation(joint.rotation)?;
    Ok([px, py, pz, ra, rb, rc, largest])
}

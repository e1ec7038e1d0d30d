//! Scene files: a world in JSON, written by hand or by a program.
//!
//! `docs/guide/scene-file.md` describes every field with an example. Numbers are f64 in SI units, y
//! is up, bodies and joints are known by name. Whatever is left out has a default; a field that is not
//! known is refused, and every fault comes with its place in the file, as in
//! `bodies[2].shapes[0].ball.radius`.
//!
//! ```
//! use rb_scenes::file::SceneFile;
//!
//! let scene = SceneFile::parse(r#"{
//!     "bodies": [
//!         {"name": "floor", "kind": "static", "shapes": [{"half_space": {"normal": [0, 1, 0]}}]},
//!         {"name": "ball", "position": [0, 2, 0], "shapes": [{"ball": {"radius": 0.5}}]}
//!     ]
//! }"#)?;
//! let mut built = scene.build()?;
//! for _ in 0..scene.steps {
//!     built.world.step(scene.dt).expect("a positive time step");
//! }
//! let ball = built.world.body_named("ball").expect("it is in the file");
//! assert!((built.world.position(ball)?.y - 0.5).abs() < 5e-3);
//!
//! let wrong = SceneFile::parse(r#"{"bodies": [{"shapes": [{"ball": {"radius": -1}}]}]}"#)?.build();
//! assert_eq!(wrong.unwrap_err().path, "bodies[0].shapes[0].ball.radius");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod build;
mod coupling;
mod drive;
mod fault;
mod joint;
mod kinds;
mod names;
mod params;
mod place;
mod shape;

pub use body::{BodyEntry, Inertia};
pub use build::{Built, Customs};
pub use coupling::{
    ConstraintEntry, CoordinateEntry, CouplingEntry, DifferentialEntry, GearEntry, QuantityEntry,
    RackEntry, SegmentEntry, TermEntry,
};
pub use drive::{DriveEntry, MotorEntry};
pub use joint::{FrameEntry, JointEntry, JointName};
pub use kinds::{
    BallEntry, CuboidEntry, HeightEntry, HullEntry, MeshEntry, PillarEntry, PlaneEntry,
};
pub use params::Profile;
pub use place::Rotation;
pub use rb_solve::InputError;
pub use shape::{Groups, MaterialEntry, ShapeEntry};

use rb_world::contact::Material;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most steps of a run: more is taken for a slip of the pen.
pub const MOST_STEPS: u32 = 10_000_000;
/// Longest file (bytes).
pub const MOST_BYTES: u64 = 256 << 20;

/// A scene as the file states it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Title of the page and the report.
    #[serde(default)]
    pub name: String,
    /// Remarks; nothing reads them.
    #[serde(default)]
    pub about: String,
    /// Settings to start from.
    #[serde(default)]
    pub profile: Profile,
    /// Settings that differ from the profile, under the names of
    /// [`Params`](rb_world::prelude::Params).
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Step (s).
    #[serde(default = "sixtieth")]
    pub dt: f64,
    /// Steps of a run.
    #[serde(default = "ten_seconds")]
    pub steps: u32,
    /// Surfaces by name.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Bodies.
    #[serde(default)]
    pub bodies: Vec<BodyEntry>,
    /// Joints.
    #[serde(default)]
    pub joints: Vec<JointEntry>,
    /// Couplings of coordinates: gears, racks, differentials, pulleys.
    #[serde(default)]
    pub couplings: Vec<CouplingEntry>,
    /// Constraints of the program's own, by name.
    #[serde(default)]
    pub constraints: Vec<ConstraintEntry>,
}

fn sixtieth() -> f64 {
    1.0 / 60.0
}

fn ten_seconds() -> u32 {
    600
}

impl SceneFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Text that is not JSON, an unknown, missing or ill-typed field, a step or a number of steps that
    /// cannot be; with the path of the fault.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let scene: Self = rb_solve::formats::read(text)?;
        check_steps("steps", scene.steps)?;
        check_step("dt", scene.dt)?;
        Ok(scene)
    }
}

/// Refuses more than [`MOST_STEPS`].
///
/// # Errors
/// A fault at `path`.
pub fn check_steps(path: &str, steps: u32) -> Result<(), InputError> {
    if steps <= MOST_STEPS {
        return Ok(());
    }
    let reason = format!("{steps} steps are more than {MOST_STEPS}");
    Err(InputError::new(path, reason))
}

/// Refuses a step (s) that is not above zero or longer than a minute.
///
/// # Errors
/// A fault at `path`.
pub fn check_step(path: &str, dt: f64) -> Result<(), InputError> {
    if dt > 0.0 && dt <= 60.0 {
        return Ok(());
    }
    let reason = format!("a step of {dt} s is not between 0 and 60 s");
    Err(InputError::new(path, reason))
}

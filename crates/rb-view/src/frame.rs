//! What a frame of a run is made of.

/// One frame of a run, borrowed from the caller.
#[derive(Clone, Copy, Debug)]
pub struct FrameData<'a> {
    /// Simulated time, s. Never less than in the previous frame.
    pub time: f64,
    /// One pose for each body added so far, in the order the bodies were added.
    pub poses: &'a [PoseSample],
    /// Contact points, as many as the caller cares to show.
    pub contacts: &'a [ContactSample],
    /// Joint frames. Keep their order from frame to frame: differences are stored.
    pub joints: &'a [JointSample],
    /// Numbers of the step that led to this frame.
    pub stats: FrameStats,
}

/// State of one body, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseSample {
    /// Origin of the body frame, m.
    pub position: [f64; 3],
    /// Orientation of the body frame, `[x, y, z, w]`; normalised by the recording.
    pub rotation: [f64; 4],
    /// Linear velocity, m/s; `None` where the caller does not know it.
    pub velocity: Option<[f32; 3]>,
    /// Whether the body sleeps; sleeping bodies are drawn dimmer.
    pub asleep: bool,
}

impl Default for PoseSample {
    /// At the origin, not rotated, velocity unknown, awake.
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            velocity: None,
            asleep: false,
        }
    }
}

/// One contact point, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSample {
    /// Where the bodies touch, m.
    pub point: [f32; 3],
    /// Contact normal; normalised by the recording.
    pub normal: [f32; 3],
    /// Normal impulse of the step, N·s; shown to about 5 %, from 1e-6 to 4000 N·s.
    pub impulse: f32,
}

/// One joint frame, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSample {
    /// Origin of the joint frame, m.
    pub position: [f64; 3],
    /// Orientation of the joint frame, `[x, y, z, w]`; normalised by the recording.
    pub rotation: [f64; 4],
}

/// Numbers of one step, drawn as strip charts. Values that are not finite leave a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameStats {
    /// Residual of the solver, m/s; drawn on a logarithmic scale.
    pub residual: f64,
    /// Kinetic energy of all bodies, J.
    pub kinetic_energy: f64,
    /// Number of contact points.
    pub contacts: u32,
    /// Wall-clock time of the step, ms.
    pub step_ms: f32,
}

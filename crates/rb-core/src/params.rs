//! Every knob of a world, with its unit and range.

mod contact;
mod sweeps;

pub use contact::{ContactParams, FrictionAt, Precision, Softening};
pub use sweeps::Sweeps;

use crate::error::{Error, Result, check};
use crate::grid::Grid;
use crate::stabilise::Stabilisation;
use contact::RECYCLING;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Weights of the implicit scheme: α on forces, β on positions; (1, 1) is implicit Euler.
///
/// `v⁺ = v + h W (α f⁺ + (1−α) f)`, `x⁺ = x ⊕ h (β v⁺ + (1−β) v)`.
/// Source: F. Faure, "A compliant body", SOFA Compliant plugin, 2012, corrected in `docs/theory`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheme {
    /// Implicitness of forces, 0 to 1. Hard, one-sided and friction rows use 1.
    pub alpha: f64,
    /// Implicitness of positions, 0 to 1.
    pub beta: f64,
}

impl Default for Scheme {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 1.0,
        }
    }
}

/// How the term −ω × Iω enters the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Gyroscopic {
    /// One Newton step of the implicit equation in the body frame: stable, slightly dissipative.
    #[default]
    #[serde(alias = "implicit")]
    Implicit,
    /// Variational update: discrete angular momentum exact, energy bounded; needs |ω| h < 2.
    /// Source: T. Howell and others, "Dojo: a differentiable physics engine for robotics", 2022.
    #[serde(alias = "variational")]
    Variational,
}

/// Whether the change of a row's direction over the step acts on the step itself.
///
/// A row under a load λ turns with its bodies: λ ∂²φ/∂x² is a stiffness. Left out, it acts as an
/// explicit force and a tense row is stable only below h* = 2/ω of that stiffness.
/// Source: M. Tournier and others, "Stable constrained dynamics", 2015.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GeometricStiffness {
    /// Left out.
    #[default]
    #[serde(alias = "off")]
    Off,
    /// Its stabilising part: what resists motion (positive semidefinite).
    #[serde(alias = "projected")]
    Projected,
    /// All of it; rows under pressure then lose stiffness, so the step must resolve buckling.
    #[serde(alias = "exact")]
    Exact,
}

/// Who solves an island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolvePlan {
    /// The fast solver, whatever the certificate says.
    #[serde(alias = "fast")]
    Fast,
    /// The fast solver first; an island above the tolerance goes to the exact one.
    #[default]
    #[serde(alias = "fallback")]
    Fallback,
    /// The exact solver for every island, however large.
    #[serde(alias = "exact")]
    Exact,
    /// As `Exact`, but by Lemke's method where all laws have flat sides (boxes, pyramids, rows) and there
    /// are at most [`Escalation::pivot_rows`] rows.
    #[serde(alias = "lemke")]
    Lemke,
    /// As `Lemke`, by bounded principal pivoting.
    #[serde(alias = "pivot")]
    Pivot,
}

/// When islands go to the exact solver.
///
/// Decided by data of the island alone, never by a clock or the number of threads, so that a step
/// stays reproducible.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Escalation {
    /// Who solves.
    pub plan: SolvePlan,
    /// Largest island the fallback takes (rows). Islands with a `precise` body or joint go anyway.
    pub rows: u32,
    /// An island of contacts alone whose velocities miss their tolerance makes its step again, with so many times the
    /// sweeps (at most 1000; [`Sweeps::again`]), before it asks the exact solver. 0 or 1 for never.
    #[serde(default = "once")]
    pub again: u32,
    /// Largest island whose step is made again (rows).
    #[serde(default)]
    pub again_rows: u32,
    /// Largest island that pivots (rows): the fallback asks pivoting, then Lemke's method, before the
    /// conic solver, for islands of box or pyramid friction without cones.
    pub pivot_rows: u32,
    /// Rows the exact solver may take in one step because a soft answer was above a tolerance then or
    /// within the last `hold` steps, the worst islands first: a bound on what one step may cost.
    /// Islands that go to it from the outset (plan, `precise`, masses) do not count.
    pub budget: u32,
    /// Steps an island stays with the exact solver after the fast one was last above the tolerance.
    pub hold: u8,
    /// A loaded contact between bodies whose masses differ by more than this factor sends its island
    /// to the exact solver: a soft step sags under the load in proportion to the lighter mass.
    pub mass_ratio: f64,
}

/// [`Escalation::again`], at most.
const MOST_AGAIN: u32 = 1000;

/// [`Escalation::again`] of settings that are older than it.
fn once() -> u32 {
    1
}

/// When a step counts as right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerances {
    /// Largest violation of a velocity law (m/s).
    pub velocity: f64,
    /// Largest penetration or joint error (m; rad times body size).
    pub position: f64,
}

/// When islands fall asleep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleepParams {
    /// Whether islands may sleep at all.
    pub enabled: bool,
    /// Surface speed below which a body counts as still (m/s).
    pub speed: f64,
    /// How long every body of an island must be still (s).
    pub time: f64,
}

/// Settings of a world.
///
/// ```
/// use rb_core::params::Params;
/// let mut p = Params::game();
/// assert_eq!(p.substeps, 4);
/// p.scheme.beta = 1.5;
/// assert!(p.validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Gravity (m/s²).
    pub gravity: DVec3,
    /// Spacing of the places bodies move to (m): with one, what happens does not hang on where in the world it
    /// does, to the last bit for bodies put on its points, as all coordinates are that f32 tells from 0.1 mm on.
    pub grid: Grid,
    /// Equal parts of one step.
    pub substeps: u32,
    /// Share of them that a crowd makes do with: an island of eight trees of joints or more, such as ragdolls, that are
    /// solved exactly and touch one another ([`crowd_substeps`](Self::crowd_substeps)). Joints need the others no more,
    /// and what lies on one another in a heap is not high.
    #[serde(default = "game_crowd_share")]
    pub crowd_share: f64,
    /// Implicit scheme.
    pub scheme: Scheme,
    /// Gyroscopic term.
    pub gyroscopic: Gyroscopic,
    /// Contacts.
    pub contact: ContactParams,
    /// Soft step of hard joint rows, or `None` for rigid rows, which keep the energy of a mechanism
    /// but need a converged solve. Angular rows have .7 of its rate.
    pub joint_softening: Option<Softening>,
    /// How rows of joints and constraints get rid of their error unless they say it themselves.
    /// `None` is implicit for bilateral rows and a split pass with capped speed for one-sided ones;
    /// `Iterated` leaves the one-sided ones as they are.
    pub stabilisation: Option<Stabilisation>,
    /// Geometric stiffness of joints and constraints.
    pub geometric: GeometricStiffness,
    /// Iterative solver.
    pub sweeps: Sweeps,
    /// Fallback to the exact solver.
    pub escalation: Escalation,
    /// Profile's tolerances.
    pub tolerances: Tolerances,
    /// Of a large island, one swept in sections (512 bodies and more), the certificate grades one
    /// batch of eight contacts in so many, others in every step; 1 grades all. The residual and the depth
    /// that a step reports of such an island are then the worst of those. Nothing moves differently but for
    /// what the certificate decides: sleep, and `strict`.
    pub sampling: u32,
    /// A step above the tolerances is refused: it returns an error with its report, and the world
    /// stays as it was.
    pub strict: bool,
    /// Sleep.
    pub sleep: SleepParams,
}

impl Params {
    /// Fast and robust: 4 substeps of a soft step, each swept three times for positions and twice for
    /// velocities, the last one four times; 1e-2 m/s, 5 mm.
    pub fn game() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            grid: Grid::FINE,
            substeps: 4,
            crowd_share: game_crowd_share(),
            scheme: Scheme::default(),
            gyroscopic: Gyroscopic::Implicit,
            contact: ContactParams {
                margin: 0.02,
                recycling: RECYCLING,
                recycling_in_motion: 5.0 * RECYCLING,
                following: RECYCLING,
                push_out: 3.0,
                bounce_threshold: 1.0,
                friction: FrictionAt::Manifold,
                precision: Precision::Single,
                softening: Some(Softening {
                    rate: 0.315,
                    ratio: 10.0,
                }),
                smooth: None,
                swept: true,
            },
            joint_softening: Some(Softening {
                rate: 0.42,
                ratio: 10.0,
            }),
            stabilisation: None,
            geometric: GeometricStiffness::Off,
            sweeps: Sweeps {
                position: 3,
                velocity: 2,
                last: 2,
                coupled: 4,
                rounds: 6,
                stop: 1e-9,
            },
            escalation: Escalation {
                plan: SolvePlan::Fallback,
                rows: 64,
                again: 4,
                again_rows: 64,
                pivot_rows: 48,
                budget: 64,
                hold: 8,
                mass_ratio: 10.0,
            },
            tolerances: Tolerances {
                velocity: 1e-2,
                position: 5e-3,
            },
            sampling: 1,
            strict: false,
            sleep: SleepParams {
                enabled: true,
                speed: 0.05,
                time: 0.5,
            },
        }
    }

    /// Accurate: one step per step, rigid contacts with Coulomb's cone at every point, iterated until
    /// it stands still; 1e-6 m/s, 1e-6 m; no sleep.
    pub fn robotics() -> Self {
        let game = Self::game();
        Self {
            grid: Grid::NONE,
            substeps: 1,
            crowd_share: 1.0,
            contact: ContactParams {
                bounce_threshold: 0.05,
                recycling: 5e-4,
                recycling_in_motion: 0.0,
                following: 0.0,
                friction: FrictionAt::Points,
                precision: Precision::Double,
                softening: None,
                ..game.contact
            },
            joint_softening: None,
            sweeps: Sweeps {
                position: 500,
                velocity: 500,
                last: 0,
                coupled: 500,
                rounds: 500,
                stop: 1e-12,
            },
            stabilisation: Some(Stabilisation::Iterated),
            escalation: Escalation {
                rows: 768,
                again: 0,
                again_rows: 0,
                pivot_rows: 96,
                budget: u32::MAX,
                hold: 30,
                ..game.escalation
            },
            tolerances: Tolerances {
                velocity: 1e-6,
                position: 1e-6,
            },
            sleep: SleepParams {
                enabled: false,
                ..game.sleep
            },
            ..game
        }
    }

    /// Length of a substep (s) in a step of `dt` (s).
    pub fn substep(&self, dt: f64) -> f64 {
        dt / f64::from(self.substeps)
    }

    /// Equal parts of one step for a crowd: its share of all, rounded up, and one at least.
    ///
    /// ```
    /// # use rb_core::params::Params;
    /// let four = Params::game();
    /// assert_eq!((four.substeps, four.crowd_substeps()), (4, 3));
    /// assert_eq!(Params { substeps: 1, ..four }.crowd_substeps(), 1);
    /// ```
    pub fn crowd_substeps(&self) -> u32 {
        let parts = (self.crowd_share * f64::from(self.substeps)).ceil();
        (parts as u32).max(1)
    }

    /// Checks every knob; the error names the first that is out of range.
    pub fn validate(&self) -> Result<()> {
        check::vector("gravity", self.gravity)?;
        if !(1..=1000).contains(&self.substeps) {
            let value = f64::from(self.substeps);
            return Err(Error::OutOfRange {
                argument: "substeps",
                value,
                valid: "1 to 1000",
            });
        }
        check::fraction("crowd_share", self.crowd_share)?;
        check::fraction("scheme.alpha", self.scheme.alpha)?;
        check::fraction("scheme.beta", self.scheme.beta)?;
        self.contact.validate()?;
        self.joint_softening.map_or(Ok(()), |s| s.validate())?;
        self.stabilisation.map_or(Ok(()), |s| s.validate())?;
        check::non_negative("sweeps.stop", self.sweeps.stop)?;
        if self.sweeps.position == 0 || self.sweeps.velocity == 0 {
            return Err(Error::OutOfRange {
                argument: "sweeps",
                value: 0.0,
                valid: ">= 1",
            });
        }
        if self.sampling == 0 {
            return Err(Error::OutOfRange {
                argument: "sampling",
                value: 0.0,
                valid: ">= 1",
            });
        }
        if self.escalation.again > MOST_AGAIN {
            let value = f64::from(self.escalation.again);
            return Err(Error::OutOfRange {
                argument: "escalation.again",
                value,
                valid: "at most 1000",
            });
        }
        check::positive("escalation.mass_ratio", self.escalation.mass_ratio)?;
        check::positive("tolerances.velocity", self.tolerances.velocity)?;
        check::positive("tolerances.position", self.tolerances.position)?;
        check::positive("sleep.speed", self.sleep.speed)?;
        check::non_negative("sleep.time", self.sleep.time)?;
        Ok(())
    }
}

/// That of the game profile, for settings that do not state it.
fn game_crowd_share() -> f64 {
    0.75
}

impl Default for Params {
    fn default() -> Self {
        Self::game()
    }
}

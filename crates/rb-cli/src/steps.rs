//! What the steps of a run told: a file with every step, and the summary.

use crate::scene::{Scene, unwritten};
use rb_scenes::file::{Built, InputError};
use rb_world::core::report::{IslandReport, StageTimes};
use rb_world::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The report of a run: written step by step, so that a long run needs no memory for it.
pub(crate) struct StepLog {
    path: PathBuf,
    file: BufWriter<File>,
    separator: &'static str,
}

/// One step, with names in place of handles.
#[derive(Serialize)]
struct Step<'a> {
    step: u64,
    residual: f64,
    penetration: f64,
    joint_error: f64,
    met: bool,
    worst: Option<String>,
    worst_contact: Option<String>,
    worst_joint: Option<String>,
    awake: u32,
    contacts: u32,
    rows: u32,
    islands: usize,
    exact: Vec<Escalated<'a>>,
    frozen: Vec<&'a str>,
    times: StageTimes,
}

/// An island that went to the exact solver.
#[derive(Serialize)]
struct Escalated<'a> {
    island: usize,
    root: &'a str,
    bodies: u32,
    rows: u32,
    reason: Reason,
    solver: &'static str,
    iterations: u32,
    residual: f64,
}

impl<'a> Step<'a> {
    fn new(report: &StepReport, built: &'a Built) -> Self {
        let name = |culprit: Culprit| built.name_of(&culprit);
        let exact = |(island, i): (usize, &IslandReport)| {
            Some(Escalated {
                island,
                root: built.body_name(i.root),
                bodies: i.bodies,
                rows: i.rows,
                reason: i.reason?,
                solver: i.solver,
                iterations: i.iterations,
                residual: i.grade.abs,
            })
        };
        Self {
            step: report.step,
            residual: report.residual,
            penetration: report.penetration,
            joint_error: report.joint_error,
            met: report.met,
            worst: report.worst.map(name),
            worst_contact: worst(report, |i| (i.grade.contact, i.worst_contact)).map(name),
            worst_joint: worst(report, |i| (i.grade.joint, i.worst_joint)).map(name),
            awake: report.awake,
            contacts: report.contacts,
            rows: report.rows,
            islands: report.islands.len(),
            exact: report
                .islands
                .iter()
                .enumerate()
                .filter_map(exact)
                .collect(),
            frozen: report.frozen.iter().map(|b| built.body_name(*b)).collect(),
            times: report.times,
        }
    }
}

/// The culprit of the island where `of` is largest.
fn worst(
    report: &StepReport,
    of: impl Fn(&IslandReport) -> (f64, Option<Culprit>),
) -> Option<Culprit> {
    let all = report.islands.iter().map(of);
    let named = all.filter_map(|(size, culprit)| Some((size, culprit?)));
    named.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, c)| c)
}

impl StepLog {
    pub(crate) fn create(path: &Path, scene: &Scene) -> Result<Self, InputError> {
        let params = scene.built.world.params();
        let head = json!({
            "scene": scene.title,
            "dt": scene.dt,
            "substeps": params.substeps,
            "plan": params.escalation.plan,
            "tolerances": params.tolerances,
        });
        let open = || {
            let mut file = BufWriter::new(File::create(path)?);
            write!(file, "{{\"run\":{head},\n\"steps\":[")?;
            Ok(file)
        };
        Ok(Self {
            file: open().map_err(|e: io::Error| unwritten(path, e))?,
            path: path.to_owned(),
            separator: "\n",
        })
    }

    pub(crate) fn add(&mut self, report: &StepReport, built: &Built) -> Result<(), InputError> {
        let line = serde_json::to_string(&Step::new(report, built));
        let line = line.map_err(|e| unwritten(&self.path, e))?;
        let written = write!(self.file, "{}{line}", self.separator);
        self.separator = ",\n";
        written.map_err(|e| unwritten(&self.path, e))
    }

    pub(crate) fn close(mut self, summary: &Summary) -> Result<(), InputError> {
        let end = write!(self.file, "],\n\"summary\":{}}}\n", summary.json());
        end.and_then(|()| self.file.flush())
            .map_err(|e| unwritten(&self.path, e))
    }
}

/// A largest value, the step it was reached in, and what was to blame.
#[derive(Clone, Debug, Default, Serialize)]
struct Peak {
    value: f64,
    step: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

impl Peak {
    fn add(&mut self, value: f64, step: u64, at: impl FnOnce() -> Option<String>) {
        if value > self.value || value.is_nan() {
            *self = Self {
                value,
                step,
                at: at(),
            };
        }
    }
}

/// What a run was like.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    scene: String,
    steps: u64,
    /// Steps within the tolerances.
    met: u64,
    /// The world is strict and refused the last step.
    refused: bool,
    bodies: usize,
    /// Contact points, at most.
    contacts: u32,
    /// Steps in which some island went to the exact solver.
    exact: u64,
    /// Bodies that were frozen because their state became non-finite.
    frozen: usize,
    residual: Peak,
    penetration: Peak,
    joint_error: Peak,
    /// Time spent in steps (s).
    seconds: f64,
}

impl Summary {
    pub(crate) fn new(scene: &Scene) -> Self {
        Self {
            scene: scene.title.clone(),
            steps: 0,
            met: 0,
            refused: false,
            bodies: scene.built.bodies.len(),
            contacts: 0,
            exact: 0,
            frozen: 0,
            residual: Peak::default(),
            penetration: Peak::default(),
            joint_error: Peak::default(),
            seconds: 0.0,
        }
    }

    pub(crate) fn add(&mut self, report: &StepReport, built: &Built, refused: bool) {
        self.steps += 1;
        self.met += u64::from(report.met);
        self.refused |= refused;
        self.contacts = self.contacts.max(report.contacts);
        self.exact += u64::from(report.islands.iter().any(|i| i.reason.is_some()));
        self.frozen += report.frozen.len();
        self.seconds += report.times.total;
        let step = report.step;
        let name = || report.worst.as_ref().map(|c| built.name_of(c));
        self.residual.add(report.residual, step, name);
        self.penetration.add(report.penetration, step, || None);
        self.joint_error.add(report.joint_error, step, || None);
    }

    /// Whether every step was within the tolerances.
    pub(crate) fn met(&self) -> bool {
        self.met == self.steps
    }

    /// Whether a strict world refused a step.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    /// One JSON object. What is not finite appears as null.
    pub(crate) fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let each = 1e3 * self.seconds / self.steps.max(1) as f64;
        writeln!(f, "scene        {}", self.scene)?;
        writeln!(f, "steps        {}, {each:.3} ms each", self.steps)?;
        writeln!(f, "bodies       {}", self.bodies)?;
        writeln!(f, "contacts     {} at most", self.contacts)?;
        for (name, peak, unit) in [
            ("residual", &self.residual, "m/s"),
            ("penetration", &self.penetration, "m"),
            ("joint error", &self.joint_error, "m"),
        ] {
            write!(f, "{name:12} {:.2e} {unit} at worst", peak.value)?;
            if peak.step > 0 {
                write!(f, ", step {}", peak.step)?;
            }
            match &peak.at {
                Some(at) => writeln!(f, ", {at}")?,
                None => writeln!(f)?,
            }
        }
        writeln!(f, "exact solver in {} steps", self.exact)?;
        if self.frozen > 0 {
            writeln!(f, "frozen       {} bodies", self.frozen)?;
        }
        writeln!(
            f,
            "tolerances   met in {} of {} steps",
            self.met, self.steps
        )?;
        if self.refused {
            writeln!(f, "refused      step {}: the world is strict", self.steps)?;
        }
        Ok(())
    }
}

//! The outcome of a solve, as text and as JSON.

use rb_solve::InputError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::process::ExitCode;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// The certificate is met.
    Solved,
    /// The certificate is not met.
    Unmet,
    /// The certificate is not met, and the solver says that no point meets it.
    NoSolution,
    /// The solver does not know the law of the problem.
    Unsupported,
    /// The file is not what it should be.
    Malformed,
}

/// Everything `rb solve` prints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) status: Status,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) solver: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) law: Option<&'static str>,
    /// Solution vectors: `z`, or `r` and `v`; and `ray` if there is one.
    #[serde(flatten)]
    pub(crate) vectors: BTreeMap<&'static str, Vec<f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) residual: BTreeMap<&'static str, f64>,
    pub(crate) tolerance: f64,
    pub(crate) iterations: u32,
    pub(crate) seconds: f64,
    /// Where the fault is, as a path in the JSON.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    /// Why there is no solution.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
}

impl Report {
    /// An outcome without a solution.
    pub(crate) fn failed(status: Status, reason: String) -> Self {
        Self {
            status,
            name: String::new(),
            solver: String::new(),
            law: None,
            vectors: BTreeMap::new(),
            residual: BTreeMap::new(),
            tolerance: 0.0,
            iterations: 0,
            seconds: 0.0,
            path: String::new(),
            reason,
        }
    }

    /// One JSON object. Infinite residuals appear as null.
    fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Prints it, and says how the process is to end.
    pub(crate) fn print(&self, as_json: bool) -> ExitCode {
        crate::out::print(&match as_json {
            true => format!("{}\n", self.json()),
            false => self.to_string(),
        });
        self.exit()
    }

    /// 0 solved, 2 not solved, 3 malformed.
    fn exit(&self) -> ExitCode {
        match self.status {
            Status::Solved => ExitCode::SUCCESS,
            Status::Unmet | Status::NoSolution | Status::Unsupported => ExitCode::from(2),
            Status::Malformed => ExitCode::from(3),
        }
    }
}

/// A file that is not what it should be.
impl From<InputError> for Report {
    fn from(fault: InputError) -> Self {
        Self {
            path: fault.path,
            ..Self::failed(Status::Malformed, fault.reason)
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let status = match self.status {
            Status::Solved => "solved",
            Status::Unmet => "not solved to the tolerance",
            Status::NoSolution => "no solution",
            Status::Unsupported => "unsupported",
            Status::Malformed => "malformed",
        };
        if !self.name.is_empty() {
            writeln!(f, "problem    {}", self.name)?;
        }
        writeln!(f, "status     {status}")?;
        if !self.path.is_empty() {
            writeln!(f, "at         {}", self.path)?;
        }
        if !self.reason.is_empty() {
            writeln!(f, "reason     {}", self.reason)?;
        }
        if let Some(law) = self.law {
            writeln!(f, "law        {law}")?;
        }
        if !self.solver.is_empty() {
            let (solver, n, s) = (&self.solver, self.iterations, self.seconds);
            writeln!(f, "solver     {solver}, {n} iterations, {s:.6} s")?;
        }
        for (name, value) in &self.residual {
            writeln!(f, "residual   {name} {value:.3e}")?;
        }
        if !self.residual.is_empty() {
            writeln!(f, "tolerance  {:.1e}", self.tolerance)?;
        }
        for (name, vector) in &self.vectors {
            for (i, value) in vector.iter().enumerate() {
                writeln!(f, "{name}[{i}] = {value:?}")?;
            }
        }
        Ok(())
    }
}

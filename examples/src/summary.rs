//! What a run was like, on one screen.

use rb_world::prelude::*;
use std::fmt;

/// Sums over the steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    steps: usize,
    met: usize,
    awake: u32,
    contacts: [u32; 2],
    seconds: f64,
    slowest: f64,
    /// Each in the last step, and at worst.
    residual: [f64; 2],
    penetration: [f64; 2],
    joint_error: [f64; 2],
}

impl Summary {
    /// Adds a step that took `seconds` (s).
    pub fn add(&mut self, report: &StepReport, seconds: f64) {
        self.steps += 1;
        self.met += usize::from(report.met);
        self.awake = self.awake.max(report.awake);
        self.contacts = [report.contacts, self.contacts[1].max(report.contacts)];
        self.seconds += seconds;
        self.slowest = self.slowest.max(seconds);
        let note = |of: &mut [f64; 2], now: f64| *of = [now, of[1].max(now)];
        note(&mut self.residual, report.residual);
        note(&mut self.penetration, report.penetration);
        note(&mut self.joint_error, report.joint_error);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.max(1) as f64;
        let [contacts, most] = self.contacts;
        let (ms, slowest) = (1e3 * self.seconds / steps, 1e3 * self.slowest);
        writeln!(f, "  bodies       {} awake at most", self.awake)?;
        writeln!(f, "  contacts     {contacts} at the end, {most} at most")?;
        writeln!(
            f,
            "  steps        {}, {ms:.3} ms each, {slowest:.3} ms at most",
            self.steps
        )?;
        let [last, worst] = self.residual;
        writeln!(
            f,
            "  residual     {last:.1e} m/s at the end, {worst:.1e} at worst"
        )?;
        for (name, of) in [
            ("penetration", self.penetration),
            ("joint error", self.joint_error),
        ] {
            let [last, worst] = of.map(|m| 1e3 * m);
            writeln!(f, "  {name}  {last:.3} mm at the end, {worst:.3} at worst")?;
        }
        let met = 100.0 * self.met as f64 / steps;
        write!(f, "  tolerances   met in {met:.0} % of the steps")
    }
}

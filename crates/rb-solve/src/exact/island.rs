//! A posed island with its operator and its scale.

use super::operator::Operator;
use super::places::Places;
use super::pose::Pose;
use super::units::PosedUnit;
use crate::conic::{ConeProblem, FrictionLaw, Stages, Unit};
use glam::DVec3;
use rb_core::problem::Problem;

/// A posed island with its operator and its scale.
pub(super) struct Island<'a> {
    pose: &'a Pose,
    pub(super) problem: ConeProblem<Operator<'a>>,
    /// Size of the free velocities (√J).
    pub(super) sigma: f64,
    /// Bodies and equations without any unit's impulse, in units of σ.
    free: Vec<f64>,
}

impl<'a> Island<'a> {
    pub(super) fn new(pose: &'a Pose, places: &'a Places) -> Self {
        let coupling = Operator::new(pose, places);
        let n = pose.units.len();
        let z = coupling.respond(&vec![DVec3::ZERO; n], 1.0);
        let free: Vec<DVec3> = (0..n)
            .map(|i| pose.units[i].free + coupling.rate(i, &z))
            .collect();
        let largest = free
            .iter()
            .fold(0.0f64, |m, c| m.max(c.abs().max_element()));
        let sigma = if largest > 0.0 && largest.is_finite() {
            largest
        } else {
            1.0
        };
        let unit = |u: &PosedUnit| match u.unit {
            Unit::Rows { lo, hi } => Unit::Rows {
                lo: lo / sigma,
                hi: hi / sigma,
            },
            friction => friction,
        };
        Self {
            pose,
            problem: ConeProblem {
                coupling,
                free: free.into_iter().map(|c| c / sigma).collect(),
                units: pose.units.iter().map(unit).collect(),
            },
            sigma,
            free: z.into_iter().map(|z| z / sigma).collect(),
        }
    }

    /// Number in the problem of a row of a unit, or [`NOTHING`](super::scaling::NOTHING).
    pub(super) fn number(&self, unit: usize, k: usize) -> u32 {
        self.pose.units[unit].rows[k]
    }

    /// Whether there are no joints to eliminate.
    pub(super) fn is_free_of_equations(&self) -> bool {
        self.pose.equations.is_empty()
    }

    /// Bodies and equations of the units' impulses.
    fn motion(&self, impulse: &[DVec3]) -> Vec<f64> {
        let mut z = self.problem.coupling.respond(impulse, 0.0);
        z.iter_mut().zip(&self.free).for_each(|(z, f)| *z += f);
        z
    }

    /// Writes impulses and the equations' multipliers into the problem, unless one is not finite, and
    /// brings its velocities up to date.
    pub(super) fn store(&self, p: &mut Problem, impulse: &[DVec3]) -> bool {
        let z = self.motion(impulse);
        let e = self.problem.coupling.multipliers(&z);
        let finite = impulse.iter().all(|r| r.is_finite()) && z.iter().all(|z| z.is_finite());
        if finite {
            self.pose.store(p, self.sigma, impulse, &e);
        }
        p.rebuild_velocities();
        finite
    }

    /// Largest natural map: in m/s, and relative to the largest impulse or free velocity.
    pub(super) fn worst(&self, impulse: &[DVec3], law: FrictionLaw) -> (f64, f64) {
        let u = self.problem.velocity(impulse);
        let (mut abs, mut rel, mut size) = (0.0f64, 0.0f64, 1.0f64);
        for (i, unit) in self.problem.units.iter().enumerate() {
            let r = impulse[i];
            let miss = r - unit.project(r - unit.lifted(law, u[i]));
            let e = if miss.is_nan() { DVec3::INFINITY } else { miss };
            abs = abs.max((e * self.pose.units[i].root).length() * self.sigma);
            rel = rel.max(e.length());
            size = size.max(r.length());
        }
        (abs, rel / size)
    }

    /// The grade of the search: at most [`Stages::GOOD`] where `stop` (m/s) or rounding is reached.
    pub(super) fn judge(&self, impulse: &[DVec3], law: FrictionLaw, stop: f64) -> f64 {
        let (abs, rel) = self.worst(impulse, law);
        rel.min(Stages::GOOD * abs / stop.max(f64::MIN_POSITIVE))
    }
}

//! Smooth contact: the law at a chosen point of the central path instead of at its end.
//!
//! ```text
//! γ φ⁺ = κ,   β ∘ η = κ e        γ impulse, φ⁺ gap at the end of the step, β = (μγ, λ_t), η = (η₁, v_t)
//! ```
//!
//! Bodies at rest hover at κ/γ and creep at κ r/(μγ (1 − r²)) under a share r of the friction they may
//! use; in return velocities are smooth functions of state, force and parameters. Source: T. Howell and
//! others, "Dojo: a differentiable physics engine for robotics", 2022; `docs/theory`, smooth contact.

use super::island::Island;
use super::places::Places;
use super::pose::Pose;
use crate::conic::smooth_units;
use rb_core::law::LawSet;
use rb_core::problem::{Pass, Problem};
use rb_core::solver::{Budget, IslandSolver, Scratch, SolveOutcome, SolveStatus};

/// The interior point left at a chosen κ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// κ: of gaps in J·s, of friction in J.
    pub kappa: f64,
    /// The step (s) that turns a normal velocity with its gap, w = φ⁺/h, into the gap.
    pub h: f64,
}

impl IslandSolver for Smooth {
    fn name(&self) -> &'static str {
        "smooth"
    }

    fn laws(&self) -> LawSet {
        LawSet::all()
    }

    /// The multipliers present play no part: the point on the path is one, and found from a cold start.
    fn solve(
        &self,
        p: &mut Problem,
        pass: Pass,
        _budget: Budget,
        _scratch: &mut Scratch,
    ) -> SolveOutcome {
        let pose = Pose::new(p, pass);
        let places = Places::new(&pose);
        let island = Island::new(&pose, &places);
        let kappa = self.kappa / (island.sigma * island.sigma);
        let found = smooth_units(&island.problem, 1.0 / self.h, kappa);
        let stored = found.is_some_and(|r| island.store(p, &r));
        if !stored {
            p.rebuild_velocities();
        }
        SolveOutcome {
            status: if stored {
                SolveStatus::Converged
            } else {
                SolveStatus::Unmet
            },
            ..SolveOutcome::default()
        }
    }
}

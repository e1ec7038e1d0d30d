//! Stage 4: every island through all substeps, in parallel.

use crate::frame::Frame;
use crate::island::{Island, Shared};
use crate::state::State;
use rb_core::solver::IslandSolver;
use rb_solve::parallel;

/// Islands per task: small ones are batched, so that a thousand crates are not a thousand tasks.
const GRAIN: usize = 8;

/// Runs all islands.
pub(crate) fn run(state: &State, frame: &mut Frame, solver: &dyn IslandSolver, dt: f64) {
    let shared = Shared::new(state, solver, dt);
    let n = frame.island_count;
    frame.tasks += n.div_ceil(GRAIN) as u32;
    parallel::for_each(&mut frame.islands[..n], GRAIN, |island: &mut Island| {
        island.rescale(shared.warm_scale);
        island.run(&shared);
    });
}

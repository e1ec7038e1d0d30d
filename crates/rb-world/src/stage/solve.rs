//! Stage 4: every island and every free body through all substeps, in parallel.

use crate::flight::Flight;
use crate::frame::Frame;
use crate::island::{Island, Shared};
use crate::state::State;
use rb_core::solver::IslandSolver;
use rb_solve::parallel;

/// Islands per task: small ones are batched, so that a thousand crates are not a thousand tasks.
const GRAIN: usize = 8;

/// Free bodies per task.
const FLIGHTS: usize = 256;

/// Runs all islands and free bodies.
pub(crate) fn run(state: &State, frame: &mut Frame, solver: &dyn IslandSolver, dt: f64) {
    let shared = Shared::new(state, solver, dt);
    let n = frame.island_count;
    frame.tasks += n.div_ceil(GRAIN) as u32;
    parallel::for_each(&mut frame.islands[..n], GRAIN, |island: &mut Island| {
        island.rescale(shared.warm_scale);
        island.run(&shared);
    });
    frame.tasks += frame.flights.len().div_ceil(FLIGHTS) as u32;
    let fly = |flight: &mut Flight| flight.run(&shared);
    parallel::for_each(&mut frame.flights, FLIGHTS, fly);
}

//! Stage 4: every island and every free body through all substeps, in parallel; then once more the
//! islands whose answer is not good enough: with more sweeps, and where that is not good enough either exactly, as far
//! as the budget goes.

use crate::flight;
use crate::frame::{Frame, release};
use crate::island::convoy::{Convoy, RUN};
use crate::island::fleet::{self, Fleets};
use crate::island::{Island, Paces, Shared};
use crate::state::State;
use rb_core::solver::IslandSolver;
use rb_solve::parallel;

/// Free bodies per task.
const FLIGHTS: usize = 256;

/// Runs all islands and free bodies.
pub(crate) fn run(state: &State, frame: &mut Frame, solver: &dyn IslandSolver, dt: f64) {
    let fresh = std::mem::take(&mut frame.fresh);
    let paces = Paces::new(Shared::new(state, solver, frame, &fresh, dt));
    let shared = &paces.usual;
    let n = frame.island_count;
    let budget = hold_within(&mut frame.islands[..n], shared);
    let tasks = n.div_ceil(RUN);
    frame.tasks += tasks as u32;
    frame.convoys.truncate(tasks + tasks / 8 + 2);
    if frame.convoys.len() < tasks {
        frame.convoys.resize_with(tasks, Convoy::default);
    }
    release(&mut frame.convoys[tasks..], Convoy::bytes);
    let (islands, convoys) = (&mut frame.islands[..n], &mut frame.convoys[..tasks]);
    parallel::for_each(islands, RUN, |island| island.begin(&paces));
    let [usual, all] = fleet::form(&mut frame.fleets, islands);
    frame.fleet_count = all;
    frame.tasks += all as u32;
    for (run, shared) in [(0..usual, &paces.usual), (usual..all, &paces.crowd)] {
        let fleets = Fleets {
            first: [run.start, 0],
            fleets: &mut frame.fleets[run],
            islands,
        };
        parallel::for_each_part(fleets, &|part: Fleets| part.step(shared));
    }
    // Some of a fleet may have turned out not to be for it.
    let apart = &mut frame.apart;
    set_apart(islands, apart);
    frame.tasks += apart.len() as u32;
    // An exact solve of one small island may take as long as the sweeps of a large one.
    parallel::both(
        || {
            parallel::for_each_with_run(convoys, islands, RUN, |convoy, run| {
                convoy.run(run, shared);
            });
        },
        || {
            parallel::for_each(apart, 1, |(_, island)| {
                let shared = paces.of(island);
                island.run(shared);
            })
        },
    );
    for (k, island) in apart.drain(..) {
        islands[k as usize] = island;
    }
    parallel::for_each(islands, RUN, |island| {
        let shared = paces.of(island);
        island.judge(shared);
    });
    // A few small islands are one task.
    let (mut tries, flights) = (0, &mut frame.flights);
    parallel::both(
        || {
            tries = frame.second.run(islands, shared);
            if admit(islands, &mut frame.asking, budget, &paces) {
                parallel::for_each(islands, 1, |island| island.run_again(paces.of(island)));
            }
        },
        || parallel::for_each_run(flights, FLIGHTS, |_, run| flight::run(run, shared)),
    );
    frame.tasks += (tries + frame.flights.len().div_ceil(FLIGHTS)) as u32;
    frame.fresh = fresh;
    hand_over(frame);
}

/// Has the islands tell their joints' impulses as they are stored. Lanes some of whose islands have been solved elsewhere in
/// the end, or in other substeps than impulses are stored for, do not hold what is stored of their contacts.
fn hand_over(frame: &mut Frame) {
    for (k, island) in frame.islands[..frame.island_count].iter_mut().enumerate() {
        island.hand_over();
        if island.in_lanes && island.again.is_none() && island.unit == 1.0 {
            continue;
        }
        island.lanes.drop_settled();
        match island.fleet {
            Some(fleet) => frame.fleets[fleet as usize].lanes.drop_settled(),
            None => frame.convoys[k / RUN].lanes.drop_settled(),
        }
    }
}

/// Takes out the islands that are in no convoy and no fleet, to be run by themselves.
fn set_apart(islands: &mut [Island], apart: &mut Vec<(u32, Island)>) {
    for (k, island) in islands.iter_mut().enumerate() {
        if !island.in_convoy() && !island.linked {
            apart.push((k as u32, std::mem::take(island)));
        }
    }
}

/// Lets islands stay with the exact solver as far as its budget of rows goes; returns what is left.
fn hold_within(islands: &mut [Island], shared: &Shared) -> usize {
    let mut left = shared.params.escalation.budget as usize;
    for island in islands.iter_mut().filter(|i| i.is_merely_held(shared)) {
        match left.checked_sub(island.rows_ahead()) {
            Some(less) => left = less,
            None => island.escalated.hold = 0,
        }
    }
    left
}

/// Chooses the islands whose step is made again, the worst first, and lets the others stand; says
/// whether there are any.
fn admit(
    islands: &mut [Island],
    asking: &mut Vec<(f64, u32)>,
    budget: usize,
    paces: &Paces,
) -> bool {
    asking.clear();
    let asks = islands.iter().enumerate();
    asking.extend(asks.filter_map(|(k, i)| Some((i.ask?.urgency(paces.usual.params), k as u32))));
    asking.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut left = budget;
    for &(urgency, k) in asking.iter() {
        let island = &mut islands[k as usize];
        match left.checked_sub(island.rows() as usize) {
            Some(less) => left = less,
            None if urgency.is_finite() => island.let_stand(paces.of(island)),
            None => {}
        }
    }
    !asking.is_empty()
}

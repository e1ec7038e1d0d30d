//! The substeps of a convoy: sections go on by themselves from one visit of the seam to the next, through the end of
//! one substep and the beginning of another (see [`Watch`](rb_solve::lanes::Watch)).

use super::Convoy;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::params::Sweeps;
use rb_core::problem::Pass;
use rb_solve::lanes::{Round, Sample};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

impl Convoy {
    /// Runs all substeps. What the certificate needs is counted already if there is one member.
    pub(super) fn substeps(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        sweeps: Sweeps,
    ) {
        let (h, beta) = (shared.h, shared.params.scheme.beta);
        // With what sections are to end the last substep.
        let mut left = None;
        for k in 0..shared.params.substeps {
            let backwards = k % 2 == 1;
            let round = |pass, count| self.lanes.round(pass, numbers, count, backwards);
            let position = round(Pass::Position, sweeps.position);
            let count = sweeps.velocity_in(k + 1 == shared.params.substeps);
            let velocity = round(Pass::Velocity, count);
            match left {
                None => self.set_off(numbers, h, &position),
                Some(left) => self.go_on(islands, numbers, h, (&left, &position)),
            }
            self.lanes.cross(&position);
            self.lanes.watch(&mut self.motions, |mut watch| {
                watch.close(&position);
                watch.moving.advance(h, beta, &mut []);
                watch.open(&velocity);
            });
            self.advance_guests(islands, shared);
            self.lanes.cross(&velocity);
            left = Some(velocity);
        }
        if let Some(left) = left {
            self.finish(&left, self.sample(islands, shared), shared.speed_floor());
        }
    }

    /// Begins the first substep, with the impulses of the last step, up to the first visit of the seam.
    fn set_off(&mut self, numbers: &Discretiser, h: f64, position: &Round) {
        let Self { lanes, motions, .. } = self;
        lanes.watch(motions, |mut watch| {
            watch.moving.begin(h, false, true);
        });
        lanes.pose_seam(motions, numbers, false);
        lanes.warm_seam();
        lanes.watch(motions, |mut watch| {
            watch.pose(numbers, false);
            watch.warm();
            watch.open(position);
        });
    }

    /// Ends what is left of a substep and begins another, up to the first visit of the seam.
    fn go_on(
        &mut self,
        islands: &mut [Island],
        numbers: &Discretiser,
        h: f64,
        (left, position): (&Round, &Round),
    ) {
        let bound = self.bound;
        if bound {
            // They are weighed where the pass is over.
            let Self { lanes, motions, .. } = self;
            lanes.watch(motions, |mut watch| watch.close(left));
            self.crews(islands, |crew| crew.bind());
        }
        let Self { lanes, motions, .. } = self;
        let turned = AtomicBool::new(bound);
        lanes.watch(motions, |mut watch| {
            if !bound {
                watch.close(left);
            }
            let turns = watch.moving.begin(h, true, true) || bound;
            turned.fetch_or(turns, Relaxed);
            watch.pose(numbers, turns);
            watch.open(position);
        });
        lanes.pose_seam(motions, numbers, turned.into_inner());
    }

    /// Ends what is left of the last substep, and the sweeps of the step.
    fn finish(&mut self, left: &Round, sample: Sample, floor: f64) {
        let alone = self.members.len() == 1;
        self.lanes.watch(&mut self.motions, |mut watch| {
            watch.close(left);
            watch.settle();
            if alone {
                watch.count(sample, floor);
            }
        });
        self.lanes.settle_seam();
    }

    /// Has the bodies that nothing moves go on with the velocities they have.
    fn advance_guests(&mut self, islands: &mut [Island], shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        for &k in &self.members {
            for (body, m) in islands[k as usize].guests() {
                m.advance_by_scheme(shared.h, scheme, self.lanes.velocity(body), gyroscopic);
                self.lanes.set_moved(body, &m.moved);
            }
        }
    }
}

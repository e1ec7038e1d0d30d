//! The substeps of a convoy: sections go on by themselves from one visit of the seam to the next, through the end of
//! one substep and the beginning of another (see [`Watch`](rb_solve::lanes::Watch)).

use super::Convoy;
use crate::island::{Island, Shared};
use rb_core::discretise::Discretiser;
use rb_core::params::Sweeps;
use rb_core::problem::Pass;
use rb_solve::lanes::{Round, Sample, Watch};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// What all substeps share.
#[derive(Clone, Copy)]
struct Course<'a> {
    shared: &'a Shared<'a>,
    numbers: &'a Discretiser,
    sweeps: Sweeps,
}

/// The sweeps of a substep.
struct Rounds {
    position: Round,
    velocity: Round,
}

impl Course<'_> {
    /// Ends the position pass of a substep, moves the bodies, and begins with their velocities.
    fn end(&self, rounds: &Rounds, watch: &mut Watch) {
        watch.close(&rounds.position);
        let beta = self.shared.params.scheme.beta;
        watch.moving.advance(self.shared.h, beta, &mut []);
        watch.open(&rounds.velocity);
    }
}

impl Convoy {
    /// Runs all substeps. What the certificate needs is counted already if there is one member.
    pub(super) fn substeps(
        &mut self,
        islands: &mut [Island],
        shared: &Shared,
        numbers: &Discretiser,
        sweeps: Sweeps,
    ) {
        let course = Course {
            shared,
            numbers,
            sweeps,
        };
        self.set_off(course);
        let mut now = self.rounds(course, 0);
        for next in 1..shared.substeps {
            let next = self.rounds(course, next);
            self.lanes.cross(&now.position);
            self.advance_guests(islands, shared);
            self.go_on(islands, course, &now, &next.position);
            now = next;
        }
        self.lanes.cross(&now.position);
        self.watch(|watch| course.end(&now, watch));
        self.advance_guests(islands, shared);
        self.lanes.cross(&now.velocity);
        let sample = self.sample(islands, shared);
        self.finish(&now.velocity, sample, shared.speed_floor());
    }

    /// The sweeps of substep `k`. The seam is late but for those that the step ends with.
    fn rounds(&self, course: Course, k: u32) -> Rounds {
        let last = k + 1 == course.shared.substeps;
        let count = course.sweeps.velocity_in(last);
        let velocity = self.round(course, k, Pass::Velocity, count);
        Rounds {
            position: self.round(course, k, Pass::Position, course.sweeps.position),
            velocity: match last {
                true => velocity,
                false => self.lanes.late(velocity),
            },
        }
    }

    fn round(&self, course: Course, k: u32, pass: Pass, count: u32) -> Round {
        (self.lanes).round(pass, course.numbers, count, k % 2 == 1)
    }

    /// Packs the contacts and begins the first substep, with the impulses of the last step, up to the first visit of the
    /// seam.
    fn set_off(&mut self, course: Course) {
        let (shared, numbers) = (course.shared, course.numbers);
        let position = self.round(course, 0, Pass::Position, course.sweeps.position);
        let terms = shared.terms(numbers);
        let cargo = (self.lanes).pack_seam(shared.contacts, self.movable, terms);
        self.watch(|watch| {
            watch.moving.begin(shared.h, false, true);
        });
        self.lanes.pose_seam(&self.motions, numbers, false);
        self.lanes.warm_seam();
        self.watch(|watch| {
            watch.pack(&cargo);
            watch.pose(numbers, false);
            watch.warm();
            watch.open(&position);
        });
    }

    /// Ends the substep `now` and begins another, up to the first visit of the seam in that.
    fn go_on(&mut self, islands: &mut [Island], course: Course, now: &Rounds, next: &Round) {
        let (bound, late) = (self.bound, now.velocity.is_late());
        let turned = AtomicBool::new(bound);
        let begin = |watch: &mut Watch| {
            let turns = watch.moving.begin(course.shared.h, true, true) || bound;
            turned.fetch_or(turns, Relaxed);
            watch.pose(course.numbers, turns);
            watch.open(next);
        };
        if late && !bound {
            self.watch(|watch| {
                course.end(now, watch);
                begin(watch);
            });
        } else {
            self.watch(|watch| course.end(now, watch));
            if !late {
                self.lanes.cross(&now.velocity);
                self.watch(|watch| watch.close(&now.velocity));
            }
            if bound {
                // They are weighed where the pass is over.
                self.each_run(islands, |run| run.bind());
            }
            self.watch(begin);
        }
        if late {
            self.lanes.cross(&now.velocity);
        }
        self.lanes
            .pose_seam(&self.motions, course.numbers, turned.into_inner());
    }

    /// Ends what is left of the last substep, and the sweeps of the step.
    fn finish(&mut self, left: &Round, sample: Sample, floor: f64) {
        let alone = self.members.len() == 1;
        self.watch(|watch| {
            watch.close(left);
            watch.settle();
            if alone {
                watch.count(sample, floor);
            }
        });
        self.lanes.settle_seam();
    }

    /// Runs `f` on every section.
    fn watch(&mut self, f: impl Fn(&mut Watch) + Sync) {
        self.lanes
            .watch(&mut self.motions, |mut watch| f(&mut watch));
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

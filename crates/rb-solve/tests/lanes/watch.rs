//! Sections that go on by themselves do what all would do together, act by act.

use crate::impulses;
use crate::order::divided;
use crate::scene::{ALL, BODIES, H, scene, single, terms};
use glam::DVec3;
use rb_core::body::{Body, BodyDesc};
use rb_core::discretise::Discretiser;
use rb_core::grid::Grid;
use rb_core::integrate::Mover;
use rb_core::mass::MassProps;
use rb_core::math::Twist;
use rb_core::params::{FrictionAt, Params};
use rb_core::problem::Pass;
use rb_solve::lanes::{ContactLanes, Motions, Round, Sample, Terms, Watch};

/// Bodies of a section.
const SIZE: usize = 6;
const FLOOR: f64 = 0.1;
const HALF: Sample = Sample { every: 2, turn: 1 };

/// What a section does in a substep.
#[derive(Clone, Copy)]
enum Act {
    Close(Round),
    Begin { first: bool },
    Pose { first: bool },
    Warm,
    Open(Round),
    Advance,
    Settle,
    Count,
}

impl Act {
    fn run(self, watch: &mut Watch, numbers: &Discretiser) {
        match self {
            Self::Close(round) => watch.close(&round),
            Self::Begin { first } => {
                watch.moving.begin(H, !first, true);
            }
            Self::Pose { first } => watch.pose(numbers, !first),
            Self::Warm => watch.warm(),
            Self::Open(round) => watch.open(&round),
            Self::Advance => watch.moving.advance(H, 1.0, &mut []),
            Self::Settle => watch.settle(),
            Self::Count => watch.count(HALF, FLOOR),
        }
    }
}

/// Sections that do all acts between two visits of the seam at once, or each after all have done the one before.
struct Course {
    lanes: ContactLanes,
    motions: Motions,
    numbers: Discretiser,
    at_once: bool,
}

impl Course {
    /// Some contacts bounce, or none does, so that the seam may be late.
    fn new(seed: u64, bouncing: bool, at_once: bool) -> Self {
        let at = [FrictionAt::Points, FrictionAt::Manifold][seed as usize % 2];
        let (set, like) = scene(seed, &ALL, bouncing.then_some(0.3), at);
        let all: Vec<usize> = (0..set.len()).collect();
        let mut lanes = divided(&set, &all, &like, SIZE, at);
        let numbers = Discretiser::new(&Params::game(), H);
        if !bouncing {
            lanes.repack(set.contacts(), BODIES - 1, single(terms(&numbers, at)));
            lanes.pose(|i| like.free(i), &numbers);
        }
        let mut motions = Motions::default();
        motions.reset(BODIES - 1);
        // A card that tumbles, so that masses change.
        let mut body = Body::new(BodyDesc::dynamic(), Grid::NONE);
        body.set_mass(MassProps::diagonal(1.0, DVec3::new(0.1, 0.2, 0.29)));
        body.vel = Twist::new(DVec3::NEG_Y, DVec3::new(3.0, -1.0, 2.0));
        let mover = Mover::new(0, &body, &Params::game(), H);
        lanes.watch(&mut motions, |mut watch| {
            (0..watch.moving.len()).for_each(|i| watch.moving.load(i, &mover, H));
        });
        Self {
            lanes,
            motions,
            numbers,
            at_once,
        }
    }

    fn act(&mut self, acts: &[Act]) {
        let Self {
            lanes,
            motions,
            numbers,
            at_once,
        } = self;
        let runs = if *at_once { acts.len() } else { 1 };
        for run in acts.chunks(runs) {
            lanes.watch(motions, |mut watch| {
                run.iter().for_each(|act| act.run(&mut watch, numbers));
            });
        }
    }

    /// Velocities and impulses after three substeps, and the grade.
    fn run(mut self) -> String {
        let none = self.lanes.round(Pass::Velocity, &self.numbers, 0, false);
        let (mut left, mut ending) = (none, Vec::new());
        for k in 0..3 {
            let first = k == 0;
            let round = |pass, count| (self.lanes).round(pass, &self.numbers, count, k % 2 == 1);
            let [position, velocity] = [round(Pass::Position, 3), round(Pass::Velocity, 2 + k)];
            let velocity = match k {
                2 => velocity,
                _ => self.lanes.late(velocity),
            };
            let mut acts = std::mem::take(&mut ending);
            acts.extend([Act::Close(left), Act::Begin { first }]);
            if first {
                self.act(&acts);
                acts.clear();
                self.lanes.pose_seam(&self.motions, &self.numbers, false);
                self.lanes.warm_seam();
                acts.extend([Act::Pose { first }, Act::Warm]);
            } else {
                acts.push(Act::Pose { first });
            }
            acts.push(Act::Open(position));
            self.act(&acts);
            if left.is_late() {
                self.lanes.cross(&left);
            }
            if !first {
                self.lanes.pose_seam(&self.motions, &self.numbers, true);
            }
            self.lanes.cross(&position);
            ending = vec![Act::Close(position), Act::Advance, Act::Open(velocity)];
            if !velocity.is_late() {
                self.act(&std::mem::take(&mut ending));
                self.lanes.cross(&velocity);
            }
            left = velocity;
        }
        self.act(&[Act::Close(left), Act::Settle, Act::Count]);
        self.lanes.settle_seam();
        let grade = self.lanes.grade_counted(HALF, FLOOR);
        let bodies: Vec<_> = (0..BODIES).map(|i| self.lanes.velocity(i)).collect();
        let contacts = (0..self.lanes.len()).map(|m| impulses(&self.lanes, m));
        format!("{bodies:?} {:?} {grade:?}", contacts.collect::<Vec<_>>())
    }
}

#[test]
fn at_once_is_one_act_after_the_other() {
    for (seed, bouncing) in (0..6).flat_map(|seed| [(seed, true), (seed, false)]) {
        let run = |at_once| Course::new(seed, bouncing, at_once).run();
        let [together, apart] = [run(true), run(false)];
        assert!(!together.contains("NaN"));
        assert_eq!(together, apart);
    }
}

/// What is packed section by section, after the seam, is what is packed all at once: the first time, and when contacts
/// stay.
#[test]
fn sections_packed_by_themselves_are_as_packed_together() {
    let numbers = Discretiser::new(&Params::game(), H);
    for (seed, special) in (0..6).flat_map(|seed| [(seed, Some(0.3)), (seed, None)]) {
        let at = [FrictionAt::Points, FrictionAt::Manifold][seed as usize % 2];
        let (set, like) = scene(seed, &ALL, special, at);
        let all: Vec<usize> = (0..set.len()).collect();
        let mut together = divided(&set, &all, &like, SIZE, at);
        let mut motions = Motions::default();
        motions.reset(BODIES - 1);
        for step in 1..3 {
            let mut apart = together.clone();
            let terms = Terms {
                step,
                ..terms(&numbers, at)
            };
            let terms = match special {
                Some(_) => terms,
                None => single(terms),
            };
            together.repack(set.contacts(), BODIES - 1, terms);
            let cargo = apart.pack_seam(set.contacts(), BODIES - 1, terms);
            apart.watch(&mut motions, |mut watch| watch.pack(&cargo));
            assert_eq!(format!("{together:?}"), format!("{apart:?}"));
            together.sweep(Pass::Position, &numbers, false);
            together.settle();
        }
    }
}

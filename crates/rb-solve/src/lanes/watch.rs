//! Sections through a substep: each does at once what it can do before others are to be asked.
//!
//! A large island does not fit the inner caches, and to fetch it once more for every pass over its bodies and contacts
//! takes longer than what is done with it there. So a section goes on, with its own bodies, from one visit of the seam
//! to the next, through the passes and what lies between them:
//!
//! ```text
//! begin, pack, first position sweep                      | seam: there and back |
//! other position sweeps, advance, velocity sweeps, begin the next substep, first position sweep
//!                                                        | seam: velocity, then position | … |
//! other position sweeps, advance, first velocity sweep   | seam: there and back |
//! other velocity sweeps, what is stored, what the certificate counts
//! ```
//!
//! The seam has as many sweeps of a pass as the sections. Where these leave velocities that another substep begins with,
//! those of the seam are [late](ContactLanes::late): they come when the sections have begun it, which is the same but for
//! what forces do to both bodies of a contact in different ways. Else the seam is never the last of two or more. Without a
//! seam there is nothing to wait for. Source: M. Frigo, V. Strumpen, "Cache oblivious stencil computations", 2005 (steps
//! in time taken together where the data lie).

use super::grade::Sample;
use super::kernel::{Numbers, Turns};
use super::motion::{Motions, Moving};
use super::narrow::on_lines;
use super::pack::{Bodies, ContactLanes, State};
use super::section::{PackInput, Section};
use crate::parallel::{self, Parts};
use rb_core::discretise::Discretiser;
use rb_core::problem::Pass;

/// The sweeps of a pass: sections open it, what they share with others is [crossed](ContactLanes::cross), and sections
/// close it.
#[derive(Clone, Copy)]
pub struct Round {
    pub(super) pass: Pass,
    pub(super) numbers: Numbers,
    turns: Turns,
    seamless: bool,
    late: bool,
}

/// Sweeps of sections, at most, that the seam may come late for: it has to be asked in between where there are many.
const FEW: u32 = 4;

/// What is visited at once where bodies lie in sections.
pub(super) enum Stretch {
    /// All sections, so often: they share nothing.
    Sections(Turns),
    /// What lies between them.
    Seam { backwards: bool },
}

impl Round {
    pub(super) fn new(pass: Pass, numbers: &Discretiser, turns: Turns, seamless: bool) -> Self {
        Self {
            pass,
            numbers: Numbers::new(numbers),
            turns,
            seamless,
            late: false,
        }
    }

    /// Whether the sweeps of the seam come when sections have begun the next substep.
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// Whether sections make all their sweeps at once.
    fn at_once(&self) -> bool {
        self.seamless || self.late
    }

    /// What sections begin with.
    pub(super) fn opening(&self) -> Turns {
        match self.at_once() {
            true => self.turns,
            false => self.turns.part(0, self.turns.count.min(1)),
        }
    }

    /// Calls `visit` with what lies between that and the end, one after the other: the seam, there and back, and the
    /// sections so often in between; the last time the seam has what is left.
    pub(super) fn cross(&self, mut visit: impl FnMut(Stretch)) {
        let crossings = match self.turns.count {
            0 => 0,
            _ if self.seamless => 0,
            _ if self.late => 1,
            count => (count / 2).max(1),
        };
        for k in 0..crossings {
            let first = 2 * k;
            if k > 0 {
                visit(Stretch::Sections(self.turns.part(first - 1, 2)));
            }
            let last = k + 1 == crossings;
            let count = if last { self.turns.count - first } else { 2 };
            for backwards in self.turns.part(first, count) {
                visit(Stretch::Seam { backwards });
            }
        }
    }

    /// What sections end with.
    pub(super) fn closing(&self) -> Turns {
        let count = self.turns.count;
        let left = match count {
            0 | 1 => 0,
            _ if self.at_once() => 0,
            _ => 1 + count % 2,
        };
        self.turns.part(count - left, left)
    }
}

impl ContactLanes {
    /// `count` sweeps of a pass, there and back by turns, the first one `backwards` or not.
    pub fn round(&self, pass: Pass, numbers: &Discretiser, count: u32, backwards: bool) -> Round {
        let seamless = self.seam.is_empty();
        Round::new(pass, numbers, Turns { count, backwards }, seamless)
    }

    /// The same round with the seam late, if sweeps are few and nothing asks how fast bodies were before: bounces and
    /// damping do.
    pub fn late(&self, round: Round) -> Round {
        let plain = self.all().all(|part| part.surfaces.is_empty());
        let few = round.turns.count <= FEW;
        Round {
            late: round.seamless || plain && few,
            ..round
        }
    }

    /// Visits the seam as often as sections are swept in a round, and these between the first and the last of that.
    pub fn cross(&mut self, round: &Round) {
        round.cross(|stretch| match stretch {
            Stretch::Sections(turns) => self.each(|section, bodies| {
                section.sweeps(bodies, round.pass, &round.numbers, turns);
            }),
            Stretch::Seam { backwards } => {
                self.sweep_seam(round.pass, &round.numbers, backwards);
            }
        });
    }

    /// All sweeps of a round, with nothing before or after them.
    pub fn sweeps(&mut self, pass: Pass, numbers: &Discretiser, count: u32, backwards: bool) {
        let round = self.round(pass, numbers, count, backwards);
        let sweep = |lanes: &mut Self, turns: Turns| {
            lanes.each(|section, bodies| section.sweeps(bodies, pass, &round.numbers, turns));
        };
        sweep(self, round.opening());
        self.cross(&round);
        if round.closing().count > 0 {
            sweep(self, round.closing());
        }
    }

    /// Runs `f` on every section, with what moves its bodies.
    pub fn watch(&mut self, motions: &mut Motions, f: impl Fn(Watch) + Sync) {
        parallel::for_each_part(self.watches(motions), &f);
    }

    /// All sections, with what moves their bodies.
    pub fn watches<'a>(&'a mut self, motions: &'a mut Motions) -> Watch<'a> {
        let (sections, lines) = self.split();
        let moving = motions.with(lines);
        Watch { sections, moving }
    }

    /// Terms of the seam for the substep that its bodies have begun; whether some have `turned` since the last.
    pub fn pose_seam(&mut self, motions: &Motions, numbers: &Discretiser, turned: bool) {
        let layout = self.layout;
        let state = State {
            inv: &self.inv,
            vel: &self.vel,
            moved: &self.moved,
            free: &self.free,
        };
        self.seam.look(state, |part, state| {
            let base = part.base;
            let start = |line: usize| motions.start(layout.body(base + line));
            part.pose(start, state, numbers, turned);
        });
    }

    /// Adds W Jᵀλ of what lies between sections to the velocities.
    pub fn warm_seam(&mut self) {
        on_lines!(self, |bodies| self.seam.each(
            bodies,
            false,
            |part, bodies| part.warm(bodies)
        ));
    }
}

/// Sections and their bodies. All but its parts is of the only section.
#[derive(Debug)]
pub struct Watch<'a> {
    sections: &'a mut [Section],
    /// Its movable bodies.
    pub moving: Moving<'a>,
}

impl Parts for Watch<'_> {
    fn parts(&self) -> usize {
        self.sections.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (sections, sections2) = self.sections.split_at_mut(parts);
        let (moving, moving2) = self.moving.split_at(parts);
        let of = |sections, moving| Watch { sections, moving };
        (of(sections, moving), of(sections2, moving2))
    }
}

impl Watch<'_> {
    /// Packs the manifolds that it has; the seam [has been](ContactLanes::pack_seam).
    pub fn pack(&mut self, input: &PackInput) {
        let lines = &mut self.moving.lines;
        for section in self.sections.iter_mut() {
            let of = (&*lines.inv, &*lines.vel, &*lines.other);
            section.pack(input, of, input.movable);
        }
        lines.other.fill(false);
    }

    /// Terms for the substep that the bodies have begun; whether some have `turned` since the last.
    pub fn pose(&mut self, numbers: &Discretiser, turned: bool) {
        let moving = &self.moving;
        // Those that nothing moves go on as they are.
        let start = |line: usize| match line < moving.len() {
            true => moving.start(line),
            false => moving.lines.velocity(line),
        };
        for section in self.sections.iter_mut() {
            section.pose(start, state(moving), numbers, turned);
        }
    }

    /// Adds W Jᵀλ of its contacts to the velocities.
    pub fn warm(&mut self) {
        for section in self.sections.iter_mut() {
            on_lines!(self.moving.lines, |bodies| section.warm(bodies));
        }
    }

    /// The sweeps a round opens with.
    pub fn open(&mut self, round: &Round) {
        self.sweep(round, round.opening());
    }

    /// The sweeps a round ends with.
    pub fn close(&mut self, round: &Round) {
        self.sweep(round, round.closing());
    }

    fn sweep(&mut self, round: &Round, turns: Turns) {
        for section in self.sections.iter_mut().filter(|_| turns.count > 0) {
            let bodies = bodies(&mut self.moving);
            section.sweeps(bodies, round.pass, &round.numbers, turns);
        }
    }

    /// One sweep of a round.
    pub(super) fn sweep_once(&mut self, round: &Round, backwards: bool) {
        let Round { pass, numbers, .. } = round;
        for section in self.sections.iter_mut() {
            on_lines!(self.moving.lines, |bodies| section
                .sweep(bodies, *pass, numbers, backwards));
        }
    }

    /// Ends the sweeps of the step.
    pub fn settle(&mut self) {
        self.sections.iter_mut().for_each(Section::settle);
    }

    /// Grades a sample of its contacts, for [`grade_counted`](ContactLanes::grade_counted).
    pub fn count(&mut self, sample: Sample, speed_floor: f64) {
        for section in self.sections.iter_mut() {
            section.count(sample, state(&self.moving), speed_floor);
        }
    }
}

fn bodies<'a>(moving: &'a mut Moving) -> Bodies<'a> {
    let lines = &mut moving.lines;
    Bodies {
        inv: lines.inv,
        vel: lines.vel,
        moved: lines.moved,
    }
}

fn state<'a>(moving: &'a Moving) -> State<'a> {
    let lines = &moving.lines;
    State {
        inv: lines.inv,
        vel: lines.vel,
        moved: lines.moved,
        free: lines.free,
    }
}

//! The joints of islands whose bodies lie in sections: those of each section by themselves, then those between
//! bodies of different sections, the seam. Sections share nothing, and what is done to the joints of one is for
//! one thread, together with the contacts of its own bodies. Trees that are solved exactly lie within one
//! section, and have no seam.

mod seat;

use super::pack::{Carried, JointLanes};
use crate::lanes::bodies::Layout;
use crate::lanes::kernel::Turns;
use crate::lanes::motion::Motions;
use crate::lanes::pack::ContactLanes;
use crate::lanes::simd::Line;
use crate::lanes::watch::{Round, Stretch, Watch};
use crate::parallel::{self, Parts};
use core::ops::Range;
use glam::{DQuat, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::problem::{Pass, Problem};
use rb_core::residual::{Grade, Scaled};

/// Joints section by section.
#[derive(Clone, Debug, Default)]
pub struct PartedLanes {
    /// Those of each section, by their numbers among all, then those of the seam. A section knows the lines of its
    /// own bodies, the seam all.
    parts: Vec<JointLanes>,
    /// Part of each joint.
    homes: Vec<u32>,
    /// Bodies of joints as their parts know them.
    local: Vec<[u32; 2]>,
    /// Movable bodies of joints of the seam: section, line there, and line among all.
    met: Vec<[u32; 3]>,
    layout: Layout,
    /// Grades of the parts, until they are put together.
    graded: Vec<(Grade, Scaled)>,
    /// Bodies of all joints, guesses of their numbers of rows, and the order in which they are eliminated: together
    /// with the layout what the seats follow from.
    pairs: Vec<[u32; 2]>,
    guesses: Vec<u32>,
    plan: Elimination,
}

impl PartedLanes {
    /// The parts: the sections, then the seam.
    pub fn parts(&self) -> &[JointLanes] {
        &self.parts
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> &mut [JointLanes] {
        &mut self.parts
    }

    /// The sections, and the seam.
    pub fn split(&mut self) -> (&mut [JointLanes], &mut [JointLanes]) {
        let sections = self.layout.sections.min(self.parts.len());
        self.parts.split_at_mut(sections)
    }

    /// Number of sections.
    pub fn sections(&self) -> usize {
        self.layout.sections.max(1)
    }

    /// The lanes a joint is in.
    #[inline]
    pub fn of(&self, joint: usize) -> &JointLanes {
        &self.parts[self.homes[joint] as usize]
    }

    /// Sets where a body that nothing moves is, or what it did: see [`JointLanes::set_turned`].
    pub fn set_guest_turned(&mut self, guest: usize, by: DVec3, turn: DQuat) {
        let at = self.layout.size + guest;
        let (sections, _) = self.split();
        sections
            .iter_mut()
            .for_each(|section| section.set_turned(at, by, turn));
    }

    /// Sweeps joints in single precision from now on, if all are pins that are to be swept in that, or in double. Pins that
    /// [stay](Self::stay) are to be put anew if that is a change: whether it is.
    pub fn use_nets(&mut self, nets: bool) -> bool {
        let mut changes = false;
        for part in &mut self.parts {
            changes |= part.use_net(nets);
        }
        if changes {
            self.parts.iter_mut().for_each(JointLanes::renew);
        }
        changes
    }

    /// Tells the seam what its bodies did.
    pub fn tell_seam(&mut self) {
        let Some((seam, sections)) = self.parts.split_last_mut() else {
            return;
        };
        for &[section, at, line] in &self.met {
            seam.turned[line as usize] = sections[section as usize].turned[at as usize];
        }
    }

    /// Adds the geometric stiffness from the impulses of the seam to that of its bodies.
    pub fn pull_seam(&mut self) {
        let Some((seam, sections)) = self.parts.split_last_mut() else {
            return;
        };
        for &[.., line] in &self.met {
            seam.levers[line as usize] = Line::default();
        }
        seam.pull_more();
        for &[section, at, line] in &self.met {
            let more = seam.levers[line as usize].0;
            let to = &mut sections[section as usize].levers[at as usize].0;
            to.iter_mut().zip(more).for_each(|(to, more)| *to += more);
        }
    }

    /// Whether both passes pose the same rows.
    pub fn passes_agree(&self) -> bool {
        self.parts.iter().all(JointLanes::passes_agree)
    }

    /// Whether all are [points](JointLanes::has_only_points).
    pub fn has_only_points(&self) -> bool {
        self.parts.iter().all(JointLanes::has_only_points)
    }

    /// Whether all are [pins](JointLanes::has_only_pins).
    pub fn has_only_pins(&self) -> bool {
        self.parts.iter().all(JointLanes::has_only_pins)
    }

    /// See [`JointLanes::all_carried`].
    pub fn all_carried(&self) -> bool {
        self.parts.iter().all(JointLanes::all_carried)
    }

    /// Grades of several sets of joints: see [`JointLanes::grade_parts`]. One set may be of several sections.
    pub fn grade_parts(
        &mut self,
        bodies: &ContactLanes,
        firsts: &[u32],
        speed_floor: f64,
        mut out: impl FnMut((Grade, Scaled)),
    ) {
        if let [only] = self.split().0 {
            return only.grade_parts(bodies, firsts, speed_floor, out);
        }
        let (sections, stride) = (self.layout.sections, self.layout.stride());
        let lines = |part: usize| match part < sections {
            true => part * stride..(part + 1) * stride,
            false => 0..bodies.vel.len(),
        };
        let mut graded = std::mem::take(&mut self.graded);
        graded.clear();
        parallel::extend(&mut graded, self.parts.len(), 1, |part| {
            let lines = [&bodies.vel[lines(part)], &bodies.free[lines(part)]];
            self.parts[part].grade_in(lines, speed_floor)
        });
        let none = (Grade::default(), Scaled::default());
        let both = |all: (Grade, Scaled), part: &(Grade, Scaled)| {
            (all.0.worst_of(part.0), all.1.and(part.1))
        };
        out(graded.iter().fold(none, both));
        self.graded = graded;
    }

    /// See [`JointLanes::holds_all`].
    pub fn holds_all(&self) -> bool {
        self.parts.iter().all(JointLanes::holds_all)
    }

    /// See [`JointLanes::carries`].
    pub fn carries(&self, joint: usize) -> Carried {
        self.of(joint).carries(joint)
    }

    /// Number of rows of a run of joints.
    pub fn rows(&self, joints: Range<usize>) -> usize {
        if joints.len() == self.homes.len() {
            return self.parts.iter().map(JointLanes::all_rows).sum();
        }
        joints.map(|joint| self.of(joint).rows_of(joint)).sum()
    }

    /// Appends a run of joints to a problem, in their order; `seat_of` tells the problem's number of a
    /// body.
    pub fn append_to(&self, p: &mut Problem, joints: Range<usize>, seat_of: impl Fn(u32) -> u32) {
        for (number, joint) in joints.enumerate() {
            let home = self.homes[joint] as usize;
            let first = home % self.layout.sections * self.layout.stride();
            let body = |line: u32| self.layout.body(first + line as usize) as u32;
            let joints = self.of(joint);
            joints.append_joint(p, joint, number, |line| seat_of(body(line)));
        }
    }

    /// `count` sweeps of a pass over all joints and contacts, there and back by turns, the first one `backwards` or
    /// not: the joints of each section, then its contacts, and so what lies between sections.
    pub fn round(
        &mut self,
        contacts: &ContactLanes,
        pass: Pass,
        numbers: &Discretiser,
        count: u32,
        backwards: bool,
    ) -> Round {
        let joined = self.split().1.iter().any(|seam| !seam.is_empty());
        let seamless = !joined && contacts.seam.is_empty();
        Round::new(pass, numbers, Turns { count, backwards }, seamless)
    }

    /// Visits the seam as often as sections are swept in a round, and these between the first and the last of that.
    pub fn cross(&mut self, contacts: &mut ContactLanes, motions: &mut Motions, round: &Round) {
        round.cross(|stretch| match stretch {
            Stretch::Sections(turns) => {
                let (joints, watch) = (self.split().0, contacts.watches(motions));
                let all = Sections { joints, watch };
                parallel::for_each_part(all, &|mut part: Sections| {
                    for joints in part.joints.iter_mut() {
                        joints.sweep_beside(&mut part.watch, round, turns);
                    }
                });
            }
            Stretch::Seam { backwards } => self.sweep_seam(contacts, round, backwards),
        });
    }

    fn sweep_seam(&mut self, contacts: &mut ContactLanes, round: &Round, backwards: bool) {
        for seam in self.split().1 {
            seam.sweep_in(&mut contacts.lines(), round.pass, backwards);
        }
        contacts.sweep_seam(round.pass, &round.numbers, backwards);
    }

    /// Gives back the memory of lanes that are not needed any more.
    pub fn release(&mut self) {
        *self = Self::default();
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let sections: usize = self.parts.iter().map(JointLanes::bytes).sum();
        sections + self.homes.capacity() * size_of::<u32>()
    }
}

/// Sections with their joints, contacts and bodies.
struct Sections<'a> {
    joints: &'a mut [JointLanes],
    watch: Watch<'a>,
}

impl Parts for Sections<'_> {
    fn parts(&self) -> usize {
        self.joints.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (joints, joints2) = self.joints.split_at_mut(parts);
        let (watch, watch2) = self.watch.split_at(parts);
        let of = |joints, watch| Sections { joints, watch };
        (of(joints, watch), of(joints2, watch2))
    }
}

impl JointLanes {
    /// The sweeps a round opens with, over these joints and the contacts of their section.
    pub fn open_beside(&mut self, watch: &mut Watch, round: &Round) {
        self.sweep_beside(watch, round, round.opening());
    }

    /// The sweeps a round ends with, over the same.
    pub fn close_beside(&mut self, watch: &mut Watch, round: &Round) {
        self.sweep_beside(watch, round, round.closing());
    }

    fn sweep_beside(&mut self, watch: &mut Watch, round: &Round, turns: Turns) {
        for backwards in turns {
            self.sweep_in(&mut watch.moving.lines, round.pass, backwards);
            watch.sweep_once(round, backwards);
        }
    }
}

//! The joints of islands whose bodies lie in sections: those of each section by themselves, then those between
//! bodies of different sections, the seam. Sections share nothing, and what is done to the joints of one is for
//! one thread, together with the contacts of its own bodies. Trees that are solved exactly lie within one
//! section, and have no seam.

mod seat;

use super::pack::{Carried, JointLanes};
use crate::lanes::bodies::Layout;
use crate::lanes::kernel::{Numbers, Stretch, Turns};
use crate::lanes::pack::{Bodies, ContactLanes};
use crate::lanes::section::Section;
use crate::lanes::simd::Line;
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

    /// Sweeps over all joints and contacts, there and back by turns, the first time `backwards` or not: the joints of
    /// each section, then its contacts; what lies between sections after them, or before. What sections do between two
    /// visits of the seam they do at once.
    pub fn sweeps(
        &mut self,
        contacts: &mut ContactLanes,
        pass: Pass,
        numbers: &Discretiser,
        count: u32,
        backwards: bool,
    ) {
        let numbers = Numbers::new(numbers);
        let joined = self.split().1.iter().any(|seam| !seam.is_empty());
        let seamless = !joined && contacts.seam.members.is_empty();
        let turns = Turns { count, backwards };
        turns.for_each_stretch(seamless, |stretch| match stretch {
            Stretch::Sections(turns) => self.sweep_sections(contacts, pass, &numbers, turns),
            Stretch::Seam { backwards } => self.sweep_seam(contacts, pass, &numbers, backwards),
        });
    }

    fn sweep_sections(
        &mut self,
        contacts: &mut ContactLanes,
        pass: Pass,
        numbers: &Numbers,
        turns: Turns,
    ) {
        let stride = contacts.layout.stride();
        let all = Sections {
            joints: self.split().0,
            contacts: &mut contacts.sections,
            stride,
            vel: &mut contacts.vel,
            inv: &contacts.inv,
            moved: &contacts.moved,
        };
        parallel::for_each_part(all, &|part: Sections| part.sweeps(pass, numbers, turns));
    }

    fn sweep_seam(
        &mut self,
        contacts: &mut ContactLanes,
        pass: Pass,
        numbers: &Numbers,
        backwards: bool,
    ) {
        for seam in self.split().1 {
            seam.sweep_lines(&mut contacts.vel, pass, backwards);
        }
        let bodies = Bodies {
            inv: &contacts.inv,
            moved: &contacts.moved,
            vel: &mut contacts.vel,
        };
        contacts.seam.sweep(bodies, pass, numbers, backwards);
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
    contacts: &'a mut [Section],
    stride: usize,
    vel: &'a mut [Line],
    inv: &'a [Line],
    moved: &'a [Line],
}

impl Parts for Sections<'_> {
    fn parts(&self) -> usize {
        self.joints.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * self.stride;
        let (joints, joints2) = self.joints.split_at_mut(parts);
        let (contacts, contacts2) = self.contacts.split_at_mut(parts);
        let (vel, vel2) = self.vel.split_at_mut(at);
        let (inv, inv2) = self.inv.split_at(at);
        let (moved, moved2) = self.moved.split_at(at);
        let stride = self.stride;
        let of = |joints, contacts, vel, inv, moved| Sections {
            joints,
            contacts,
            stride,
            vel,
            inv,
            moved,
        };
        (
            of(joints, contacts, vel, inv, moved),
            of(joints2, contacts2, vel2, inv2, moved2),
        )
    }
}

impl Sections<'_> {
    fn sweeps(self, pass: Pass, numbers: &Numbers, turns: Turns) {
        let stride = self.stride;
        let lines = self.vel.chunks_mut(stride).zip(self.inv.chunks(stride));
        let lines = lines.zip(self.moved.chunks(stride));
        let own = self.joints.iter_mut().zip(self.contacts).zip(lines);
        for ((joints, contacts), ((vel, inv), moved)) in own {
            for backwards in turns {
                joints.sweep_lines(vel, pass, backwards);
                let vel = &mut *vel;
                contacts.sweep(Bodies { inv, moved, vel }, pass, numbers, backwards);
            }
        }
    }
}

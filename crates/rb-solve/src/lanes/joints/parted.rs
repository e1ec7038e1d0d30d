//! The joints of islands whose bodies lie in sections: those of each section by themselves, then those between
//! bodies of different sections, the seam. Sections share nothing, and what is done to the joints of one is for
//! one thread, together with the contacts of its own bodies. Trees that are solved exactly lie within one
//! section, and have no seam.

use super::pack::{Carried, JointLanes};
use crate::lanes::bodies::Layout;
use crate::lanes::kernel::Numbers;
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
}

impl PartedLanes {
    /// Gives the joints between `pairs` of bodies, which lie as in `bodies`, seats by their trees in `plan`.
    pub fn seat_trees(&mut self, bodies: &ContactLanes, pairs: &[[u32; 2]], plan: &Elimination) {
        self.start(bodies, pairs);
        let Layout { size, guests, .. } = self.layout;
        let (homes, pairs) = (&self.homes, &self.local);
        for (k, section) in self.parts.iter_mut().enumerate() {
            let ours = |joint: u32| homes[joint as usize] == k as u32;
            section.seat_some_trees(pairs, plan, size, size + guests, ours);
        }
    }

    /// Gives joints between `pairs` of bodies, which lie as in `bodies`, seats by their levels; `guess` tells how many
    /// rows a joint may have.
    pub fn seat(
        &mut self,
        bodies: &ContactLanes,
        pairs: &[[u32; 2]],
        guess: impl Fn(usize) -> usize,
    ) {
        self.start(bodies, pairs);
        let Layout { size, guests, .. } = self.layout;
        let mut parts = std::mem::take(&mut self.parts);
        let joints = self.local.iter().enumerate();
        let joints = joints.map(|(j, lines)| (*lines, guess(j)));
        if let Some((seam, sections)) = parts.split_last_mut() {
            for (k, section) in sections.iter_mut().enumerate() {
                let ours = |joint: usize| self.homes[joint] == k as u32;
                section.seat_some(joints.clone(), size, size + guests, ours);
            }
            let (last, number) = (self.layout.lines() - 1, sections.len() as u32);
            if number > 1 {
                seam.seat_some(joints, last, last, |joint| self.homes[joint] == number);
            }
        }
        self.parts = parts;
        self.note_met(pairs);
    }

    /// Forgets all joints, and finds where those between `pairs` of bodies belong.
    fn start(&mut self, bodies: &ContactLanes, pairs: &[[u32; 2]]) {
        let layout = bodies.layout;
        self.layout = layout;
        self.parts
            .resize_with(layout.sections + 1, JointLanes::default);
        self.parts.iter_mut().for_each(JointLanes::clear);
        self.met.clear();
        self.homes.clear();
        self.homes.extend(pairs.iter().map(|pair| {
            let [a, b] = pair.map(|body| layout.place(body as usize).0);
            match (a, b) {
                (Some(a), Some(b)) if a != b => layout.sections as u32,
                _ => a.or(b).unwrap_or(0) as u32,
            }
        }));
        let mut local = std::mem::take(&mut self.local);
        local.clear();
        local.extend((0..pairs.len()).map(|j| self.lines(j, pairs[j])));
        self.local = local;
    }

    /// Lines of the bodies of a joint, as its part knows them.
    fn lines(&self, joint: usize, pair: [u32; 2]) -> [u32; 2] {
        let layout = &self.layout;
        let seam = self.homes[joint] as usize == layout.sections;
        pair.map(|body| match seam {
            true => layout.line(body as usize) as u32,
            false => layout.place(body as usize).1 as u32,
        })
    }

    fn note_met(&mut self, pairs: &[[u32; 2]]) {
        let seam = self.layout.sections as u32;
        for (pair, _) in pairs.iter().zip(&self.homes).filter(|(_, h)| **h == seam) {
            for &body in pair {
                let (section, at) = self.layout.place(body as usize);
                let line = self.layout.line(body as usize);
                self.met
                    .push([section.unwrap_or(0) as u32, at as u32, line as u32]);
            }
        }
        self.met.sort_unstable();
        self.met.dedup();
    }

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
        let stride = self.layout.stride();
        let (sections, seam) = self.split();
        if let [only] = sections {
            return only.grade_parts(bodies, firsts, speed_floor, out);
        }
        let mut all = (Grade::default(), Scaled::default());
        let mut grade = |joints: &JointLanes, run: Range<usize>| {
            let lines = [&bodies.vel[run.clone()], &bodies.free[run]];
            let (grade, scaled) = joints.grade_in(lines, speed_floor);
            all = (all.0.worst_of(grade), all.1.and(scaled));
        };
        for (section, base) in sections.iter().zip((0..).step_by(stride)) {
            grade(section, base..base + stride);
        }
        seam.iter()
            .for_each(|seam| grade(seam, 0..bodies.vel.len()));
        out(all);
    }

    /// See [`JointLanes::carries`].
    pub fn carries(&self, joint: usize) -> Carried {
        self.of(joint).carries(joint)
    }

    /// Number of rows of a run of joints.
    pub fn rows(&self, joints: Range<usize>) -> usize {
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

    /// One sweep over all joints and contacts, in order or in reverse: the joints of each section, then its
    /// contacts; what lies between sections after them, or before.
    pub fn sweep(
        &mut self,
        contacts: &mut ContactLanes,
        pass: Pass,
        numbers: &Discretiser,
        backwards: bool,
    ) {
        let numbers = Numbers::new(numbers);
        if backwards {
            self.sweep_seam(contacts, pass, &numbers, backwards);
        }
        let stride = contacts.layout.stride();
        let all = Sections {
            joints: self.split().0,
            contacts: &mut contacts.sections,
            stride,
            vel: &mut contacts.vel,
            inv: &contacts.inv,
            moved: &contacts.moved,
        };
        parallel::for_each_part(all, &|part: Sections| part.sweep(pass, &numbers, backwards));
        if !backwards {
            self.sweep_seam(contacts, pass, &numbers, backwards);
        }
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
    fn sweep(self, pass: Pass, numbers: &Numbers, backwards: bool) {
        for (joints, contacts) in self.joints.iter_mut().zip(self.contacts) {
            joints.sweep_lines(self.vel, pass, backwards);
            let bodies = Bodies {
                inv: self.inv,
                moved: self.moved,
                vel: self.vel,
            };
            contacts.sweep(bodies, pass, numbers, backwards);
        }
    }
}

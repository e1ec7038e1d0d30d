//! The joints of islands whose bodies lie in sections: those of each section by themselves, since no tree of joints
//! reaches from one to another. Sections share nothing, and what is done to the joints of one is for one
//! thread, together with the contacts of its own bodies.

use super::pack::{Carried, JointLanes};
use crate::lanes::kernel::Numbers;
use crate::lanes::pack::{Bodies, ContactLanes};
use crate::lanes::section::Section;
use crate::lanes::simd::Line;
use crate::parallel::{self, Parts};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::elimination::Elimination;
use rb_core::problem::{Pass, Problem};
use rb_core::residual::{Grade, Scaled};

/// Joints section by section.
#[derive(Clone, Debug, Default)]
pub struct PartedLanes {
    /// Those of each section, by their numbers among all.
    pub sections: Vec<JointLanes>,
    /// Section of each joint.
    homes: Vec<u32>,
    /// Bodies that can move, and those of a section.
    movable: usize,
    size: usize,
}

impl PartedLanes {
    /// Forgets all joints, and makes room for those of bodies that lie as in `bodies`, of which the first
    /// `movable` can move.
    pub fn start(&mut self, bodies: &ContactLanes, movable: usize) {
        let layout = bodies.layout;
        self.sections
            .resize_with(layout.sections, JointLanes::default);
        (self.movable, self.size) = (movable, layout.size);
    }

    /// Gives the joints between `pairs` of bodies, by their numbers in a section, seats by their trees. `homes` are
    /// the sections they are of, and `guests` the number of bodies that nothing moves.
    pub fn seat_trees(
        &mut self,
        pairs: &[[u32; 2]],
        homes: impl Iterator<Item = u32>,
        plan: &Elimination,
        guests: usize,
    ) {
        self.homes.clear();
        self.homes.extend(homes);
        let (homes, size) = (&self.homes, self.size);
        for (k, section) in self.sections.iter_mut().enumerate() {
            let ours = |joint: u32| homes[joint as usize] == k as u32;
            section.seat_some_trees(pairs, plan, size, size + guests, ours);
        }
    }

    /// Gives joints seats in the only section; see [`JointLanes::seat`].
    pub fn seat(
        &mut self,
        joints: impl ExactSizeIterator<Item = ([u32; 2], usize)> + Clone,
        guests: usize,
    ) {
        self.homes.clear();
        self.homes.resize(joints.len(), 0);
        let (movable, section) = (self.movable, &mut self.sections[0]);
        section.seat(joints, movable, movable + guests);
    }

    /// The lanes a joint is in.
    #[inline]
    pub fn of(&self, joint: usize) -> &JointLanes {
        &self.sections[self.homes[joint] as usize]
    }

    /// Sets where a body that nothing moves is, or what it did: see [`JointLanes::set_turned`].
    pub fn set_guest_turned(&mut self, guest: usize, by: glam::DVec3, turn: glam::DQuat) {
        let at = self.size + guest;
        let sections = self.sections.iter_mut();
        sections.for_each(|section| section.set_turned(at, by, turn));
    }

    /// Whether both passes pose the same rows.
    pub fn passes_agree(&self) -> bool {
        self.sections.iter().all(JointLanes::passes_agree)
    }

    /// See [`JointLanes::all_carried`].
    pub fn all_carried(&self) -> bool {
        self.sections.iter().all(JointLanes::all_carried)
    }

    /// Grades of several sets of joints: see [`JointLanes::grade_parts`]. One set may be of several sections.
    pub fn grade_parts(
        &mut self,
        bodies: &ContactLanes,
        firsts: &[u32],
        speed_floor: f64,
        mut out: impl FnMut((Grade, Scaled)),
    ) {
        if let [only] = &mut self.sections[..] {
            return only.grade_parts(bodies, firsts, speed_floor, out);
        }
        let mut all = (Grade::default(), Scaled::default());
        let stride = bodies.layout.stride();
        for (section, base) in self.sections.iter_mut().zip((0..).step_by(stride)) {
            let run = base..base + stride;
            let lines = [&bodies.vel[run.clone()], &bodies.free[run]];
            let (grade, scaled) = section.grade_in(lines, speed_floor);
            all = (all.0.worst_of(grade), all.1.and(scaled));
        }
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
            let (size, first) = (self.size as u32, self.homes[joint] * self.size as u32);
            let body = |line: u32| match line < size {
                true => first + line,
                false => self.movable as u32 + line - size,
            };
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
            sweep_seam(contacts, pass, &numbers, backwards);
        }
        let stride = contacts.layout.stride();
        let all = Sections {
            joints: &mut self.sections,
            contacts: &mut contacts.sections,
            stride,
            vel: &mut contacts.vel,
            inv: &contacts.inv,
            moved: &contacts.moved,
        };
        parallel::for_each_part(all, &|part: Sections| part.sweep(pass, &numbers, backwards));
        if !backwards {
            sweep_seam(contacts, pass, &numbers, backwards);
        }
    }

    /// Gives back the memory of lanes that are not needed any more.
    pub fn release(&mut self) {
        *self = Self::default();
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let sections: usize = self.sections.iter().map(JointLanes::bytes).sum();
        sections + self.homes.capacity() * size_of::<u32>()
    }
}

fn sweep_seam(contacts: &mut ContactLanes, pass: Pass, numbers: &Numbers, backwards: bool) {
    let bodies = Bodies {
        inv: &contacts.inv,
        moved: &contacts.moved,
        vel: &mut contacts.vel,
    };
    contacts.seam.sweep(bodies, pass, numbers, backwards);
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

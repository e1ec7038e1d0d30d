//! Which section each joint belongs to. Seats are taken anew only where something they follow from has changed: for
//! most islands that is once in many steps.

use super::PartedLanes;
use crate::lanes::bodies::Layout;
use crate::lanes::joints::JointLanes;
use crate::lanes::pack::ContactLanes;
use rb_core::elimination::Elimination;

impl PartedLanes {
    /// Gives the joints between `pairs` of bodies, which lie as in `bodies`, seats by their trees in `plan`. If they are as
    /// they were last `placed`, have the seats they had, and are all bearings, they need only be
    /// [started](JointLanes::start_bearings): whether that is so.
    pub fn seat_trees(
        &mut self,
        bodies: &ContactLanes,
        pairs: &[[u32; 2]],
        plan: &Elimination,
        placed: bool,
    ) -> bool {
        let stays = self.guesses.is_empty() && self.plan == *plan;
        if stays && self.is_seated(bodies, pairs) {
            let placed = placed && self.parts.iter().all(JointLanes::has_only_bearings);
            if !placed {
                self.parts.iter_mut().for_each(JointLanes::renew);
            }
            return placed;
        }
        self.start(bodies, pairs);
        self.plan.clone_from(plan);
        let Layout { size, guests, .. } = self.layout;
        let (homes, pairs) = (&self.homes, &self.local);
        for (k, section) in self.parts.iter_mut().enumerate() {
            let ours = |joint: u32| homes[joint as usize] == k as u32;
            section.seat_some_trees(pairs, plan, size, size + guests, ours);
        }
        false
    }

    /// Starts another step with joints that are pins, all of them, where and as they were.
    pub fn stay(&mut self) {
        self.parts.iter_mut().for_each(JointLanes::stay);
    }

    /// Gives joints between `pairs` of bodies, which lie as in `bodies`, seats by their levels; `guess` tells how many
    /// rows a joint may have.
    pub fn seat(
        &mut self,
        bodies: &ContactLanes,
        pairs: &[[u32; 2]],
        guess: impl Fn(usize) -> usize,
    ) {
        let guesses = (0..pairs.len()).map(|j| guess(j) as u32);
        let stays = self.guesses.iter().copied().eq(guesses.clone());
        if stays && self.is_seated(bodies, pairs) {
            return self.parts.iter_mut().for_each(JointLanes::renew);
        }
        self.start(bodies, pairs);
        self.guesses.extend(guesses);
        let Layout { size, guests, .. } = self.layout;
        let mut parts = std::mem::take(&mut self.parts);
        let joints = self.local.iter().zip(&self.guesses);
        let joints = joints.map(|(lines, guess)| (*lines, *guess as usize));
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

    /// Whether the joints between `pairs` of bodies, which lie as in `bodies`, have seats from an earlier step.
    fn is_seated(&self, bodies: &ContactLanes, pairs: &[[u32; 2]]) -> bool {
        self.layout == bodies.layout && self.pairs == pairs
    }

    /// Forgets all joints, and finds where those between `pairs` of bodies belong.
    fn start(&mut self, bodies: &ContactLanes, pairs: &[[u32; 2]]) {
        let layout = bodies.layout;
        self.layout = layout;
        self.parts
            .resize_with(layout.sections + 1, JointLanes::default);
        self.parts.iter_mut().for_each(JointLanes::clear);
        self.met.clear();
        self.guesses.clear();
        self.plan.clear();
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
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
}

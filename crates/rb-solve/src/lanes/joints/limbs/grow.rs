//! Trees taken apart from their tips on: a body with one joint left is a limb of the one beyond that.

use super::{Attachment, Body, Limbs};
use crate::lanes::joints::pack::{Batch, NOBODY};
use crate::lanes::simd::Wide;
use core::ops::Range;

/// A body, while limbs are plucked.
#[derive(Clone, Copy, Default)]
struct Stub {
    /// Whether it can be a limb, and its number when it has become one.
    movable: bool,
    number: Option<u32>,
    /// How many joints it has left, and the exclusive or of their numbers.
    left: u32,
    joints: usize,
}

impl Stub {
    fn is_tip(&self) -> bool {
        self.movable && self.left == 1
    }
}

/// A tree by its joints, as the stubs at their sides.
struct Tree {
    joints: Vec<[usize; 2]>,
    stubs: Vec<Stub>,
    /// Stubs that were tips, in the order in which they became such; as many as `plucked` have been looked at.
    tips: Vec<usize>,
    plucked: usize,
}

impl Tree {
    /// The tree in the first lane of some batches, which are as many joints. What cannot move joins nothing.
    fn new(batches: &[Batch], movable: u32) -> Self {
        let ends = |b: &Batch| [0, 1].map(|side| b.bodies[side][0].line());
        let mut names: Vec<u32> = batches.iter().flat_map(ends).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(names.partition_point(|&body| body < movable));
        let stub = Stub {
            movable: true,
            ..Stub::default()
        };
        let mut stubs = vec![stub; names.len()];
        let mut joints = Vec::with_capacity(batches.len());
        for (joint, batch) in batches.iter().enumerate() {
            let pair = ends(batch).map(|body| {
                names.binary_search(&body).unwrap_or_else(|_| {
                    stubs.push(Stub::default());
                    stubs.len() - 1
                })
            });
            for at in pair {
                stubs[at].left += 1;
                stubs[at].joints ^= joint;
            }
            joints.push(pair);
        }
        let tips = (0..stubs.len()).filter(|&at| stubs[at].is_tip()).collect();
        Self {
            joints,
            stubs,
            tips,
            plucked: 0,
        }
    }

    /// Takes the next limb off and gives it a number: its joint, its side there, and the stub it hangs on.
    fn pluck(&mut self, number: u32) -> Option<[usize; 3]> {
        let tips = self.tips[self.plucked..].iter();
        let (passed, tip) = tips
            .copied()
            .enumerate()
            .find(|&(_, at)| self.stubs[at].is_tip())?;
        self.plucked += passed + 1;
        let stub = &mut self.stubs[tip];
        (stub.left, stub.number) = (0, Some(number));
        let joint = stub.joints;
        let side = usize::from(self.joints[joint][1] == tip);
        let inner = self.joints[joint][1 - side];
        let stub = &mut self.stubs[inner];
        stub.left -= 1;
        stub.joints ^= joint;
        if stub.is_tip() {
            self.tips.push(inner);
        }
        Some([joint, side, inner])
    }
}

impl Limbs {
    /// Adds the bodies of a group, by its batches, of which `first` is the number of the first; bodies below `movable`
    /// can move. Returns their numbers: none if joints form a loop, or what would be a limb cannot move somewhere.
    pub(in super::super) fn grow(
        &mut self,
        batches: &[Batch],
        first: u32,
        movable: u32,
    ) -> Range<u32> {
        let start = self.joints.len();
        let mut tree = Tree::new(batches, movable);
        let mut whole = true;
        while let Some([joint, side, inner]) = tree.pluck(self.joints.len() as u32) {
            let batch = &batches[joint];
            let mut used = batch.joints.iter().zip(&batch.bodies[side]);
            whole &= used.all(|(joint, at)| *joint == NOBODY || at.line() < movable);
            self.joints.push(Attachment {
                batch: first + joint as u32,
                side: side as u32,
                inner: inner as u32,
            });
            let seats = batch
                .joints
                .map(|joint| f64::from(u8::from(joint != NOBODY)));
            self.bodies.push(Body {
                needed: Wide(seats),
                ..Body::default()
            });
        }
        let grown = &mut self.joints[start..];
        let (Some(&last), true) = (grown.last(), whole && grown.len() == batches.len()) else {
            self.joints.truncate(start);
            self.bodies.truncate(start);
            return 0..0;
        };
        let root = (start + grown.len()) as u32;
        for limb in grown {
            limb.inner = tree.stubs[limb.inner as usize].number.unwrap_or(root);
        }
        // It is where the last limb hangs.
        self.joints.push(Attachment {
            side: 1 - last.side,
            inner: root,
            ..last
        });
        self.bodies.push(Body::default());
        start as u32..root + 1
    }
}

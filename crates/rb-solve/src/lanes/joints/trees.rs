//! Trees of joints that are solved exactly: eight trees of one topology side by side.
//!
//! A joint's seat follows from its tree's elimination order: a batch holds one position of up to eight
//! trees. Two trees have one topology if their joints have the same links in that order and meet
//! at the same sides. What the lanes of a group hold beside that is free: other bodies, other rows.

use super::exact::Free;
use super::pack::{JointLanes, NOBODY, triangle};
use super::seat::idle;
use crate::lanes::LANES;
use crate::lanes::simd::Place;
use core::ops::Range;
use rb_core::elimination::Elimination;

/// Up to eight trees of one topology.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its first batch, and the number of its batches: the positions of a tree.
    pub(super) first: u32,
    pub(super) len: u32,
    /// First position of the tree in lane 0.
    pub(super) tree: u32,
    /// Its first entry in the places of blocks.
    pub(super) slots: u32,
    /// Its bodies as limbs, if joints form no loop, and whether it is solved body by body.
    pub(super) limbs: [u32; 2],
    pub(super) limbed: bool,
    /// Whether there is a factor, and of the present sides.
    pub(super) factored: bool,
}

impl Group {
    /// Its batches.
    #[inline(always)]
    pub(super) fn batches(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }

    /// Its bodies among all limbs.
    #[inline(always)]
    pub(super) fn limbs(&self) -> Range<usize> {
        self.limbs[0] as usize..self.limbs[1] as usize
    }

    /// Batch of position k: roots first, as joints are usually listed.
    #[inline(always)]
    pub(super) fn batch(&self, k: usize) -> usize {
        self.first as usize + self.len as usize - 1 - k
    }
}

/// The joints as trees.
struct Forest<'a> {
    plan: &'a Elimination,
    pairs: &'a [[u32; 2]],
    movable: u32,
}

impl Forest<'_> {
    fn tree(&self, number: usize) -> Range<usize> {
        self.plan.trees[number] as usize..self.plan.trees[number + 1] as usize
    }

    /// Later positions of the tree that position k is linked to and the sides where they meet, from
    /// the tree's first position on.
    fn links(&self, tree: &Range<usize>, k: usize) -> impl Iterator<Item = (u32, u8)> {
        let start = tree.start;
        let column = self.plan.column(start + k).iter();
        column.map(move |&i| {
            let joint = |position: usize| self.pairs[self.plan.order[position] as usize];
            let pair = [joint(i as usize), joint(start + k)];
            (i - start as u32, meeting(pair, self.movable))
        })
    }

    /// A number that trees of one topology have in common.
    fn digest(&self, number: usize) -> u64 {
        let tree = self.tree(number);
        let mut sum = tree.len() as u64;
        let mut mix = |x: u64| sum = (sum ^ x).wrapping_mul(0x0000_0100_0000_01b3);
        for k in 0..tree.len() {
            self.links(&tree, k)
                .for_each(|(i, sides)| mix(u64::from(i) << 4 | u64::from(sides)));
            mix(u64::MAX);
        }
        sum
    }

    fn same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.tree(one), self.tree(other));
        one.len() == other.len()
            && (0..one.len()).all(|k| self.links(&one, k).eq(self.links(&other, k)))
    }
}

/// Which sides of two joints are the same movable body: bit 2 s + t for side s of the first and t of the
/// second.
#[inline(always)]
pub(super) fn meeting([one, other]: [[u32; 2]; 2], movable: u32) -> u8 {
    let mut sides = 0;
    for s in 0..2 {
        for t in 0..2 {
            let met = one[s] == other[t] && one[s] < movable;
            sides |= u8::from(met) << (2 * s + t);
        }
    }
    sides
}

impl JointLanes {
    /// Gives every joint between `pairs` of bodies, of which the first `movable` can move, a seat by its
    /// tree in `plan`; `bodies` is the number of bodies.
    pub fn seat_trees(
        &mut self,
        pairs: &[[u32; 2]],
        plan: &Elimination,
        movable: usize,
        bodies: usize,
    ) {
        self.seat_some_trees(pairs, plan, movable, bodies, |_| true);
    }

    /// The same for the trees that are `ours`, by the number of their first joint.
    pub(super) fn seat_some_trees(
        &mut self,
        pairs: &[[u32; 2]],
        plan: &Elimination,
        movable: usize,
        bodies: usize,
        ours: impl Fn(u32) -> bool,
    ) {
        self.start(bodies);
        self.movable = movable as u32;
        let forest = Forest {
            plan,
            pairs,
            movable: self.movable,
        };
        let trees = 0..plan.trees.len().saturating_sub(1);
        let trees = trees.filter(|&t| ours(plan.order[forest.tree(t).start]));
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(trees.map(|t| (forest.digest(t), t as u32)));
        sorted.sort_unstable();
        self.seats.resize(pairs.len(), [NOBODY; 2]);
        let mut left = &sorted[..];
        while let [(_, first), ..] = *left {
            let alike = |(_, t): &&(u64, u32)| forest.same(first as usize, *t as usize);
            let lanes = left.iter().take(LANES).take_while(alike).count();
            self.seat_group(&forest, &left[..lanes], bodies);
            left = &left[lanes..];
        }
        self.sorted = sorted;
        self.order_visits();
    }

    /// Trees are swept side by side, from their roots: a joint waits for the one before it in its tree, and what is
    /// done beside it costs little.
    fn order_visits(&mut self) {
        let longest = self.groups.iter().map(|group| group.len).max();
        for place in 0..longest.unwrap_or(0) {
            let groups = self.groups.iter().filter(|group| place < group.len);
            self.visits.extend(groups.map(|group| group.first + place));
        }
    }

    fn seat_group(&mut self, forest: &Forest, trees: &[(u64, u32)], bodies: usize) {
        let tree = forest.tree(trees[0].1 as usize);
        let first = self.batches.len();
        self.groups.push(Group {
            first: first as u32,
            len: tree.len() as u32,
            tree: tree.start as u32,
            slots: 0,
            limbs: [0; 2],
            limbed: false,
            factored: false,
        });
        self.batches.resize(first + tree.len(), idle(bodies as u32));
        for (lane, &(_, t)) in trees.iter().enumerate() {
            let order = &forest.plan.order[forest.tree(t as usize)];
            for (batch, &j) in (first..).zip(order.iter().rev()) {
                self.seats[j as usize] = [batch as u32, lane as u32];
                let to = &mut self.batches[batch];
                let [a, b] = forest.pairs[j as usize];
                to.joints[lane] = j;
                (to.bodies[0][lane], to.bodies[1][lane]) = (Place::new(a), Place::new(b));
            }
        }
        let batches = &self.batches[first..];
        let limbs = self.limbs.grow(batches, first as u32, self.movable);
        if let Some(group) = self.groups.last_mut() {
            group.limbs = [limbs.start, limbs.end];
        }
    }

    /// Makes room for the factor of the rows as they are now, which have been [prepared](Self::start_in).
    pub fn lay_out(&mut self, plan: &Elimination) {
        self.weigh_limbs();
        self.blocks.clear();
        let mut at = 0;
        for group in &mut self.groups {
            (group.slots, group.factored) = (self.blocks.len() as u32, false);
            let shape = *group;
            if shape.limbed {
                continue;
            }
            let len = |k: usize| self.batches[shape.batch(k)].len();
            for k in 0..shape.len as usize {
                let n = len(k);
                self.blocks.push(at as u32);
                at += triangle(n);
                for &i in plan.column(shape.tree as usize + k) {
                    self.blocks.push(at as u32);
                    at += len((i - shape.tree) as usize) * n;
                }
            }
        }
        self.free.resize(self.batches.len(), Free::default());
        // Every block is filled before it is read.
        self.factor.resize(at, Default::default());
        for lines in [&mut self.sides, &mut self.solution, &mut self.before] {
            lines.clear();
            lines.resize(self.filled[0], Default::default());
        }
    }
}

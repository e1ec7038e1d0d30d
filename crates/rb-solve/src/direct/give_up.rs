//! Where pivoting goes in circles: rows with bounds one by one, and those without exactly beside them.
//!
//! ```text
//! E(λ) = ½ λᵀ (J W Jᵀ + R) λ + w(0)ᵀ λ
//! ```
//!
//! is what the answer has least of within the bounds; without R and biases it is the energy that impulses add. Every
//! visit of a row lowers it, and so does every solve of the rows without bounds. None at all have E(0) = 0: the start
//! is never above, and nothing flies apart however far from the answer the visits end.

use super::{Joints, Side};
use crate::pgs::{set, visit_row};
use core::ops::Range;
use rb_core::problem::Problem;

/// Visits of every row with bounds.
pub(crate) const VISITS: usize = 24;

impl Joints<'_> {
    /// Gives up on pivoting, which has been taken back.
    pub(super) fn give_up(&mut self, p: &mut Problem, tree: &Range<usize>) {
        self.forget(p, tree);
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let first = self.first(k);
            for (u, r) in (first..).zip(block.rows()) {
                let bilateral = p.rows[r].is_bilateral();
                let side = if bilateral { Side::Free } else { Side::Low };
                self.memory.sides[u] = side as i8;
                set(p, &block, r, p.rows[r].lambda);
            }
        }
        self.factor(p, tree);
        self.solve_free(p, tree);
        for _visit in 0..VISITS {
            self.relax(p, tree);
            self.solve_free(p, tree);
        }
        self.guess_sides(p, tree);
    }

    /// Drops the multipliers there were if none at all are better: 2 E(λ) = λᵀ (w(λ) + w(0)). Those of the last step
    /// belong to other directions, and may push hard along the present ones.
    fn forget(&mut self, p: &mut Problem, tree: &Range<usize>) {
        let with = self.work(p, tree);
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            for r in block.rows() {
                p.push_impulse(&block, r, -p.rows[r].lambda);
            }
        }
        let without = self.work(p, tree);
        if with + without < 0.0 {
            self.take_back(p, tree);
        }
    }

    /// λᵀ w of the multipliers there were and the present velocities.
    fn work(&self, p: &Problem, tree: &Range<usize>) -> f64 {
        let mut sum = 0.0;
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let before = &self.memory.before[self.first(k)..];
            for (r, before) in block.rows().zip(before) {
                sum += before * p.violation(&block, r, self.pass);
            }
        }
        sum
    }

    /// Brings every row with bounds to w = 0 by itself, as far as its bounds allow.
    fn relax(&mut self, p: &mut Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            for r in block.rows() {
                if !p.rows[r].is_bilateral() {
                    visit_row(p, &block, r, self.pass);
                }
            }
        }
    }
}

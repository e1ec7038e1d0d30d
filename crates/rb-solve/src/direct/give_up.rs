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
use crate::pgs::visit_row;
use core::ops::Range;
use rb_core::problem::{Problem, ProblemRow};

/// Visits of every row with bounds.
pub(crate) const VISITS: usize = 24;

impl Joints<'_> {
    /// Gives up on pivoting, which has been taken back. Impulses of the last step belong to other directions and may
    /// push hard along the present ones: they are kept, as far as bounds allow, where they are better than none.
    pub(super) fn give_up(&mut self, p: &mut Problem, tree: &Range<usize>) {
        self.pin_bounded(p, tree);
        // 2 E(λ) = λᵀ w(0) + λᵀ w(λ)
        let mut twice = 0.0;
        for share in [0.0, 1.0] {
            self.share_out(p, tree, share);
            twice += self.work(p, tree);
        }
        if twice >= 0.0 {
            self.share_out(p, tree, 0.0);
        }
        self.factor(p, tree);
        self.solve_free(p, tree);
        for _visit in 0..VISITS {
            self.visit_bounded(p, tree);
            self.solve_free(p, tree);
        }
        self.guess_sides(p, tree);
    }

    /// Pins every row with bounds.
    fn pin_bounded(&mut self, p: &Problem, tree: &Range<usize>) {
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let first = self.first(k);
            for (u, row) in (first..).zip(&p.rows[block.rows()]) {
                let bilateral = row.is_bilateral();
                let side = if bilateral { Side::Free } else { Side::Low };
                self.memory.sides[u] = side as i8;
            }
        }
    }

    /// Gives every row a share of the impulse there was, as far as bounds allow.
    fn share_out(&self, p: &mut Problem, tree: &Range<usize>, share: f64) {
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let before = &self.memory.before[self.first(k)..];
            for (r, before) in block.rows().zip(before) {
                let row = &p.rows[r];
                let wanted = share * within(row, *before);
                p.push_impulse(&block, r, wanted - row.lambda);
            }
        }
    }

    /// λᵀ w of the impulses there were, as far as bounds allow, at the present velocities.
    fn work(&self, p: &Problem, tree: &Range<usize>) -> f64 {
        let mut sum = 0.0;
        for k in tree.clone() {
            let Some(block) = self.memory.blocks[k] else {
                continue;
            };
            let before = &self.memory.before[self.first(k)..];
            for (r, before) in block.rows().zip(before) {
                sum += within(&p.rows[r], *before) * p.violation(&block, r, self.pass);
            }
        }
        sum
    }

    /// Brings every row with bounds to w = 0 by itself, as far as its bounds allow.
    fn visit_bounded(&mut self, p: &mut Problem, tree: &Range<usize>) {
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

fn within(row: &ProblemRow, impulse: f64) -> f64 {
    impulse.max(row.lo).min(row.hi)
}

//! Blocks of J W Jᵀ along trees before any elimination: of each position, and between it and those it is linked to.

use super::exact::Task;
use super::pack::{Batch, triangle};
use super::prepare::ALL;
use super::trees::{Group, meeting};
use crate::lanes::simd::{Double, Wide, two};
use crate::lanes::vector::{Mass, V3};

impl Task<'_> {
    /// J W Jᵀ of the free rows of position k, which are some of those that were swept.
    #[inline(always)]
    pub(super) fn fill_own<S: Double>(&mut self, group: &Group, k: usize) {
        let at = self.own(group, k);
        let number = group.batch(k);
        let (batch, free) = (&self.batches[number], self.free[number].rows());
        let from = &self.matrices[batch.matrix()];
        let out = &mut self.factor[at..][..triangle(free.len())];
        let mut out = out.iter_mut();
        for (i, &row) in free.iter().enumerate() {
            let from = &from[triangle(row as usize)..];
            for (&other, entry) in free[..=i].iter().zip(&mut out) {
                *entry = from[other as usize];
            }
        }
    }

    /// J W Jᵀ between the rows of position k and of one it is linked to.
    #[inline(always)]
    pub(super) fn fill_link<S: Double>(&mut self, group: &Group, k: usize, link: usize) {
        match self.free(group, k).len() {
            0 => {}
            3 => self.fill_some::<S, 3>(group, k, link),
            4 => self.fill_some::<S, 4>(group, k, link),
            5 => self.fill_some::<S, 5>(group, k, link),
            6 => self.fill_some::<S, 6>(group, k, link),
            _ => self.fill_some::<S, 0>(group, k, link),
        }
    }

    /// The same with `N` rows, or any number if that is 0.
    #[inline(always)]
    fn fill_some<S: Double, const N: usize>(&mut self, group: &Group, k: usize, link: usize) {
        let (at, later) = (self.link(group, k, link), self.later(group, k, link));
        let numbers = [group.batch(k), group.batch(later)];
        let [mine, other] = [&self.batches[numbers[0]], &self.batches[numbers[1]]];
        let [free, others] = [self.free[numbers[0]].rows(), self.free[numbers[1]].rows()];
        let n = if N == 0 { free.len() } else { N };
        let (free, out) = (&free[..n], &mut self.factor[at..][..others.len() * n]);
        let met = meeting([first_lane(other), first_lane(mine)], self.movable);
        // Rows that have a linear half come first.
        let pushing = free.partition_point(|&row| usize::from(row) < mine.pushing());
        let mut fresh = true;
        for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if (met >> (2 * s + t)) & 1 == 0 {
                continue;
            }
            // The linear halves of a row are opposite.
            let sign = S::splat(if s == t { 1.0 } else { -1.0 });
            let mass = Mass::<S>::load(&mine.mass[t]);
            let zero = V3([S::zero(); 3]);
            let (mut lin, mut ang) = ([zero; ALL], [zero; ALL]);
            for c in 0..n {
                let row = &self.rows[mine.first as usize + free[c] as usize];
                ang[c] = mass.ang(V3::load(&row.ang[t]));
                if c < pushing {
                    lin[c] = mass.lin.times(V3::load(&row.lin)).scaled(sign);
                }
            }
            for (&r, out) in others.iter().zip(out.chunks_exact_mut(n)) {
                let row = &self.rows[other.first as usize + r as usize];
                let turned = V3::load(&row.ang[s]);
                let pushed = V3::load(&row.lin);
                let both = if usize::from(r) < other.pushing() {
                    pushing
                } else {
                    0
                };
                for c in 0..n {
                    let mut entry = ang[c].dot(turned);
                    if c < both {
                        entry = entry.add(lin[c].dot(pushed));
                    }
                    if !fresh {
                        entry = S::load(&out[c]).add(entry);
                    }
                    entry.store(&mut out[c]);
                }
            }
            fresh = false;
        }
        if fresh {
            // Linked by what was eliminated before alone.
            out.iter_mut().for_each(|entry| *entry = Wide::default());
        }
    }
}

/// Bodies of a batch's first joint.
#[inline(always)]
fn first_lane(batch: &Batch) -> [u32; 2] {
    two!(|s| batch.bodies[s][0].line())
}

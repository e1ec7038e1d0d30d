//! Scratch of one step: reused from step to step, never serialised.

use crate::island::Island;
use rb_core::manifold::Manifold;
use rb_core::math::Pose;
use rb_core::partition::Islands;

/// Pairs of one narrow-phase task, and what it found.
#[derive(Debug, Default)]
pub(crate) struct PairChunk {
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) overlapping: Vec<[u32; 2]>,
}

/// Per-step scratch.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) chunks: Vec<PairChunk>,
    /// World pose of every collider slot.
    pub(crate) collider_poses: Vec<Pose>,
    pub(crate) partition: Islands,
    /// Islands in use are the first `island_count`; the rest keep their memory for later.
    pub(crate) islands: Vec<Island>,
    pub(crate) island_count: usize,
    /// Island of each body slot, and its number there.
    pub(crate) place: Vec<[u32; 2]>,
    /// Independent tasks offered to the threads in this step.
    pub(crate) tasks: u32,
}

impl Frame {
    /// Islands of this step.
    pub(crate) fn islands(&self) -> &[Island] {
        &self.islands[..self.island_count]
    }

    /// Makes `n` empty islands.
    pub(crate) fn reset_islands(&mut self, n: usize) {
        if self.islands.len() < n {
            self.islands.resize_with(n, Island::default);
        }
        self.island_count = n;
        self.islands[..n].iter_mut().for_each(Island::clear);
    }
}

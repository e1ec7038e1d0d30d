//! Where the bodies of a large island are cut into sections.

use super::Fleet;

/// Movable bodies from which on an island of trees has sections, and how many it has at most.
const LARGE: usize = 256;
const SECTIONS: usize = 8;
/// The same of an island with softened joints. The narrower a section, the fewer of its joints touch different
/// bodies, and the more lanes stay idle.
const WIDE: usize = 1024;

impl Fleet {
    /// How many sections an island of trees with so many movable bodies is to have, if any.
    pub(crate) fn sections(bodies: usize) -> Option<usize> {
        let wanted = bodies.div_ceil(LARGE).next_power_of_two();
        (bodies >= LARGE).then(|| wanted.clamp(2, SECTIONS))
    }

    /// How many movable bodies a section has. No tree reaches over a border between sections: where the trees do
    /// not let them be of one size, there is one section.
    pub(super) fn cut(&mut self) -> usize {
        let whole = self.movable;
        let Some(wanted) = Self::sections(whole).filter(|_| self.members.len() == 1) else {
            return whole;
        };
        if !self.hard {
            let sections = whole.div_ceil(WIDE).next_power_of_two().min(SECTIONS);
            return whole.div_ceil(sections);
        }
        self.count_over();
        let fits = |size: &usize| {
            let mut borders = (*size..whole).step_by(*size);
            borders.all(|at| self.over[at] == 0)
        };
        let least = whole.div_ceil(wanted);
        (least..whole).find(fits).unwrap_or(whole)
    }

    /// Counts the trees over the border below each body.
    fn count_over(&mut self) {
        self.over.clear();
        self.over.resize(self.movable + 1, 0);
        for tree in self.plan.trees.windows(2) {
            let joints = &self.plan.order[tree[0] as usize..tree[1] as usize];
            let pairs = joints.iter().flat_map(|&j| self.pairs[j as usize]);
            let bodies = pairs.filter(|&body| (body as usize) < self.movable);
            if let (Some(low), Some(high)) = (bodies.clone().min(), bodies.max()) {
                self.over[low as usize + 1] += 1;
                self.over[high as usize + 1] -= 1;
            }
        }
        let mut sum = 0;
        for count in &mut self.over {
            sum += *count;
            *count = sum;
        }
    }
}

//! Crowds in sections: trees of as many bodies each, held together by joints, are divided by where the first body of
//! each is, and so lie with those they touch.

use super::super::ListedBody;
use super::{Resident, Residents, find_cells, split};
use glam::DVec3;
use rb_core::room::{bytes, empty, fit};

/// The trees of a crowd, if all have as many bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    trees: Vec<Tree>,
    /// Number of the tree of each body.
    of: Vec<u32>,
}

/// A tree: its lowest slot, number of bodies, and section.
#[derive(Clone, Copy, Debug)]
struct Tree {
    root: u32,
    size: u32,
    section: u32,
}

impl Residents {
    /// Puts the bodies of an island of trees in the order of so many `sections`, of equally many trees. Where trees are
    /// of different sizes nobody is put anywhere.
    pub(in super::super) fn divide_crowd(
        &mut self,
        slots: &[u32],
        listed: &[ListedBody],
        sections: usize,
        gravity: DVec3,
    ) {
        let mut crowd = std::mem::take(&mut self.crowd);
        crowd.find_trees(slots, listed);
        if crowd.is_even() {
            self.divide_trees(&mut crowd, slots, listed, sections, gravity);
            crowd.gather(slots, sections, &mut self.list);
        }
        self.crowd = crowd;
    }

    /// Finds the section of each tree, by where its first body is.
    fn divide_trees(
        &mut self,
        crowd: &mut Crowd,
        slots: &[u32],
        listed: &[ListedBody],
        sections: usize,
        gravity: DVec3,
    ) {
        let trees = &crowd.trees;
        let body = |k: usize| {
            let root = trees[k].root;
            (root, listed[root as usize].at)
        };
        let width = listed[trees[0].root as usize].extent;
        find_cells(&mut self.list, trees.len(), body, width, gravity);
        let size = trees.len().div_ceil(sections);
        split(&mut self.list, &mut self.spare, sections, size);
        for (k, Resident { slot, .. }) in self.list.drain(..).enumerate() {
            if let Ok(i) = slots.binary_search(&slot) {
                let tree = &mut crowd.trees[crowd.of[i] as usize];
                tree.section = (k / size) as u32;
            }
        }
    }
}

impl Crowd {
    pub(super) fn clear(&mut self) {
        empty(&mut self.trees);
        empty(&mut self.of);
    }

    pub(super) fn bytes(&self) -> usize {
        bytes(&self.trees) + bytes(&self.of)
    }

    /// Finds the trees, in the order of their lowest slots, and that of every body.
    fn find_trees(&mut self, slots: &[u32], listed: &[ListedBody]) {
        fit(&mut self.of, slots.len());
        let mut last = 0;
        for (i, &slot) in slots.iter().enumerate() {
            let root = listed[slot as usize].tree;
            if root == slot || self.trees.is_empty() {
                last = self.trees.len();
                self.trees.push(Tree {
                    root,
                    size: 0,
                    section: 0,
                });
            } else if self.trees[last].root != root {
                // The lowest slot comes first.
                let before = slots[..i].binary_search(&root);
                last = before.map_or(last, |k| self.of[k] as usize);
            }
            self.trees[last].size += 1;
            self.of.push(last as u32);
        }
    }

    /// Whether all trees have as many bodies.
    fn is_even(&self) -> bool {
        self.trees.windows(2).all(|two| two[0].size == two[1].size)
    }

    /// Lists the bodies of all trees, section by section, in the order of slots in each.
    fn gather(&self, slots: &[u32], sections: usize, list: &mut Vec<Resident>) {
        let cell = [0; 3];
        fit(list, slots.len());
        for section in 0..sections as u32 {
            for (&slot, &tree) in slots.iter().zip(&self.of) {
                if self.trees[tree as usize].section == section {
                    list.push(Resident { slot, cell });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREES: u32 = 20;

    /// Slots in the order of four sections: trees in a row, made limb by limb, the first some bodies larger.
    fn divided(limbs: u32, more: u32) -> Vec<u32> {
        let body = |slot: u32| ListedBody {
            tree: if slot < TREES * limbs {
                slot % TREES
            } else {
                0
            },
            at: DVec3::X * f64::from(7 * (slot % TREES) % TREES),
            extent: 0.3,
            ..ListedBody::default()
        };
        let slots: Vec<u32> = (0..TREES * limbs + more).collect();
        let listed: Vec<ListedBody> = slots.iter().map(|&slot| body(slot)).collect();
        let mut residents = Residents::default();
        residents.divide_crowd(&slots, &listed, 4, DVec3::NEG_Y);
        residents.slots().collect()
    }

    #[test]
    fn trees_lie_with_their_neighbours() {
        let limbs = 3;
        let slots = divided(limbs, 0);
        let sections: Vec<&[u32]> = slots.chunks((TREES / 4 * limbs) as usize).collect();
        assert_eq!(sections.len(), 4);
        for (k, section) in sections.into_iter().enumerate() {
            assert!(section.is_sorted());
            let mut places: Vec<u32> = section.iter().map(|s| 7 * (s % TREES) % TREES).collect();
            places.sort_unstable();
            let first = k as u32 * TREES / 4;
            let whole = (first..first + TREES / 4).flat_map(|place| [place; 3]);
            assert!(places.into_iter().eq(whole), "section {k}");
        }
    }

    #[test]
    fn trees_of_different_sizes_stay_where_they_are() {
        assert!(divided(3, 1).is_empty());
    }
}

//! Islands: bodies that can feel one another within a step, by union–find over contacts and joints.
//!
//! The root of an island is its lowest body slot and islands come in the order of their roots, so
//! that nothing depends on the order in which links were found.

/// Union–find over slots.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    parent: Vec<u32>,
}

impl Islands {
    /// Every one of `n` slots its own island.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// Root of a slot: the lowest slot of its island.
    pub fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// Joins the islands of two slots.
    pub fn link(&mut self, a: u32, b: u32) {
        // Most links are between slots that are together already.
        if self.parent[a as usize] == self.parent[b as usize] {
            return;
        }
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_the_lowest_slots_whatever_the_order() {
        let links = [(7, 3), (3, 9), (1, 2), (9, 4)];
        let mut roots = Vec::new();
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let mut u = Islands::default();
            u.reset(10);
            order.iter().for_each(|&k| u.link(links[k].0, links[k].1));
            roots.push((0..10).map(|i| u.root(i)).collect::<Vec<_>>());
        }
        assert_eq!(roots[0], [0, 1, 1, 3, 3, 5, 6, 3, 8, 3]);
        assert!(roots.iter().all(|r| *r == roots[0]));
    }
}

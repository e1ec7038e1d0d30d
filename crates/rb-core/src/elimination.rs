//! Order in which the joints of an island are eliminated by a direct solve, and what that costs.
//!
//! Joints are the nodes of a graph; two are linked if they share a body that can move. Eliminating a
//! node links all its neighbours. Taking the node of least degree first (ties by number) eliminates a
//! tree of joints from its leaves without any new link, and keeps the fill of loops small.
//! Source: A. George, J. Liu, "The evolution of the minimum degree ordering algorithm", 1989.

use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes linked to one, ascending.
type Neighbours = SmallVec<[u32; 8]>;

/// Elimination order of one joint graph, kept as long as the graph stays the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elimination {
    pairs: Vec<[u32; 2]>,
    /// Bodies of the nodes that follow the pairs: constraints over any number of bodies.
    wide: Vec<Vec<u32>>,
    movable: u32,
    /// Joint at each position.
    pub order: Vec<u32>,
    /// First position of each set of joints that hang together, and the end of the last.
    pub trees: Vec<u32>,
    /// Start of each position's list in `links`, and the end of the last.
    pub starts: Vec<u32>,
    /// Later positions linked to each position when it is eliminated, ascending.
    pub links: Vec<u32>,
    /// Block operations of one factorisation; `None` if they exceed the limit.
    pub work: Option<u64>,
}

impl Elimination {
    /// Analyses the joints between `pairs` of bodies and the constraints over the bodies of `wide`,
    /// of which those below `movable` can move. Stops once more than `limit` block operations would be
    /// needed. Constraints are numbered after the joints.
    pub fn analyse(&mut self, pairs: &[[u32; 2]], wide: &[Vec<u32>], movable: u32, limit: u64) {
        if self.pairs == pairs && self.wide == wide && self.movable == movable {
            return;
        }
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.wide = wide.to_vec();
        self.movable = movable;
        self.order.clear();
        self.trees.clear();
        self.starts.clear();
        self.links.clear();
        let eliminated = self.eliminate(limit);
        self.work = eliminated.map(|(work, neighbours)| {
            self.gather_trees(&neighbours);
            self.number(&neighbours);
            work
        });
    }

    /// Forgets all joints.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.wide.clear();
        self.movable = 0;
        self.order.clear();
        self.trees.clear();
        self.starts.clear();
        self.links.clear();
        self.work = Some(0);
    }

    /// Puts the joints of another order, which share no movable body with these, behind these.
    pub fn append(&mut self, other: &Self) {
        let first = self.order.len() as u32;
        self.trees.pop();
        self.starts.pop();
        for (to, from) in [
            (&mut self.order, &other.order),
            (&mut self.trees, &other.trees),
            (&mut self.links, &other.links),
        ] {
            to.extend(from.iter().map(|k| k + first));
        }
        let behind = (self.links.len() - other.links.len()) as u32;
        self.starts.extend(other.starts.iter().map(|s| s + behind));
        let both = self.work.zip(other.work);
        self.work = both.map(|(mine, more)| mine + more);
    }

    /// Number of joints: the number of the first constraint among the nodes.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Later positions linked to position `k`.
    #[inline]
    pub fn column(&self, k: usize) -> &[u32] {
        &self.links[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Fills `order`; returns the work and each node's neighbours at its elimination.
    fn eliminate(&mut self, limit: u64) -> Option<(u64, Vec<Neighbours>)> {
        let mut graph = self.graph(limit)?;
        let next = |graph: &[Neighbours], j: u32| Reverse((graph[j as usize].len(), j));
        // A node waits with each degree it has had; those that are past are passed over.
        let mut left: BinaryHeap<_> = (0..graph.len() as u32).map(|j| next(&graph, j)).collect();
        let (mut work, mut eliminated) = (0u64, vec![false; graph.len()]);
        while let Some(Reverse((degree, j))) = left.pop() {
            if eliminated[j as usize] || degree != graph[j as usize].len() {
                continue;
            }
            work += ((degree + 1) * (degree + 1)) as u64;
            if work > limit {
                return None;
            }
            self.order.push(j);
            eliminated[j as usize] = true;
            let neighbours = std::mem::take(&mut graph[j as usize]);
            for &a in &neighbours {
                let known = &mut graph[a as usize];
                let before = known.len();
                known.retain(|b| *b != j);
                link(known, neighbours.iter().copied().filter(|&b| b != a));
                if known.len() != before {
                    left.push(next(&graph, a));
                }
            }
            graph[j as usize] = neighbours;
        }
        Some((work, graph))
    }

    fn graph(&self, limit: u64) -> Option<Vec<Neighbours>> {
        let mut at_body = vec![Neighbours::new(); self.movable as usize];
        let pairs = self.pairs.iter().map(|pair| &pair[..]);
        let nodes = pairs.chain(self.wide.iter().map(|bodies| &bodies[..]));
        for (j, bodies) in nodes.enumerate() {
            for &b in bodies.iter().filter(|&&b| b < self.movable) {
                at_body[b as usize].push(j as u32);
            }
        }
        let cliques: u64 = at_body.iter().map(|j| (j.len() * j.len()) as u64).sum();
        if cliques > limit {
            return None;
        }
        let mut graph = vec![Neighbours::new(); self.pairs.len() + self.wide.len()];
        for joints in &at_body {
            for &i in joints {
                let others = joints.iter().copied().filter(|&j| j != i);
                link(&mut graph[i as usize], others);
            }
        }
        Some(graph)
    }

    /// Makes positions of joints that hang together consecutive; what was linked keeps its order.
    fn gather_trees(&mut self, neighbours: &[Neighbours]) {
        let mut root: Vec<u32> = (0..neighbours.len() as u32).collect();
        for &j in self.order.iter().rev() {
            // Neighbours are eliminated later, so they know their root already.
            if let Some(&n) = neighbours[j as usize].first() {
                root[j as usize] = root[n as usize];
            }
        }
        self.order.sort_by_key(|&j| root[j as usize]);
        for (k, &j) in self.order.iter().enumerate() {
            if k == 0 || root[j as usize] != root[self.order[k - 1] as usize] {
                self.trees.push(k as u32);
            }
        }
        self.trees.push(self.order.len() as u32);
    }

    /// Turns neighbours by joint into links by position.
    fn number(&mut self, neighbours: &[Neighbours]) {
        let mut position = vec![0; self.order.len()];
        for (k, &j) in self.order.iter().enumerate() {
            position[j as usize] = k as u32;
        }
        self.starts.push(0);
        for &j in &self.order {
            let first = self.links.len();
            self.links
                .extend(neighbours[j as usize].iter().map(|&n| position[n as usize]));
            self.links[first..].sort_unstable();
            self.starts.push(self.links.len() as u32);
        }
    }
}

/// Puts nodes among the `known` that are not there yet.
fn link(known: &mut Neighbours, nodes: impl Iterator<Item = u32>) {
    for node in nodes {
        if let Err(place) = known.binary_search(&node) {
            known.insert(place, node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_no_fill() {
        let pairs: Vec<[u32; 2]> = (0..20).map(|k| [k, k + 1]).collect();
        let mut e = Elimination::default();
        e.analyse(&pairs, &[], 21, 1000);
        assert!((0..20).all(|k| e.column(k).len() <= 1));
        assert_eq!(e.links.len(), 19);
    }

    #[test]
    fn joints_that_hang_together_are_consecutive() {
        let chain = |first: u32| (0..5).map(move |k| [first + k, first + k + 1]);
        let (a, b): (Vec<_>, Vec<_>) = (chain(0).collect(), chain(10).collect());
        let mixed: Vec<[u32; 2]> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
        let mut e = Elimination::default();
        e.analyse(&mixed, &[], 20, 1000);
        assert_eq!(e.trees, [0, 5, 10]);
        for tree in e.order.chunks(5) {
            assert!(tree.iter().all(|j| j % 2 == tree[0] % 2));
        }
        assert!((0..10).all(|k| e.column(k).iter().all(|&i| i > k as u32)));
    }

    #[test]
    fn orders_are_put_behind_one_another() {
        let chain = |first: u32, n: u32| (0..n).map(move |k| [first + k, first + k + 1]).collect();
        let (a, b): (Vec<_>, Vec<_>) = (chain(0, 4), chain(0, 6));
        let mut parts = [Elimination::default(), Elimination::default()];
        parts[0].analyse(&a, &[], 5, 1000);
        parts[1].analyse(&b, &[], 7, 1000);
        let mut both = Elimination::default();
        both.clear();
        parts.iter().for_each(|part| both.append(part));
        let mut all: Elimination = Elimination::default();
        let pairs: Vec<_> = a.into_iter().chain(chain(5, 6)).collect();
        all.analyse(&pairs, &[], 12, 1000);
        assert_eq!(both.trees, all.trees);
        assert!((0..10).all(|k| both.column(k) == all.column(k)));
        assert_eq!((&both.order, both.work), (&all.order, all.work));
    }

    /// Against the definition: of all that are left the node with the fewest neighbours, the first of them.
    #[test]
    fn the_least_degree_comes_first() {
        let mut state = 3_u64;
        let mut random = |below: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u32 % below
        };
        for _ in 0..50 {
            // All hang together: every body but the first has a joint to one before it.
            let mut pairs: Vec<[u32; 2]> = (1..30).map(|b| [random(b), b]).collect();
            pairs.extend((0..random(12)).map(|_| [random(15), 15 + random(15)]));
            let mut e = Elimination::default();
            e.analyse(&pairs, &[], 30, u64::MAX);
            let meet = |i: usize, j: usize| i != j && pairs[i].iter().any(|b| pairs[j].contains(b));
            let mut graph: Vec<Vec<usize>> = (0..pairs.len())
                .map(|i| (0..pairs.len()).filter(|&j| meet(i, j)).collect())
                .collect();
            let mut left: Vec<usize> = (0..pairs.len()).collect();
            for &j in &e.order {
                let least = left.iter().copied().min_by_key(|&k| (graph[k].len(), k));
                assert_eq!(least, Some(j as usize));
                left.retain(|&k| k != j as usize);
                let around = std::mem::take(&mut graph[j as usize]);
                for &a in &around {
                    let more = around.iter().copied().filter(|&b| b != a);
                    graph[a].extend(more);
                    graph[a].retain(|&b| b != j as usize);
                    graph[a].sort_unstable();
                    graph[a].dedup();
                }
            }
            assert!(left.is_empty());
        }
    }

    #[test]
    fn a_hub_is_a_clique_and_a_grid_is_refused() {
        let star: Vec<[u32; 2]> = (1..=6).map(|k| [0, k]).collect();
        let mut e = Elimination::default();
        e.analyse(&star, &[], 7, 1000);
        assert_eq!(e.links.len(), 15);
        let grid: Vec<[u32; 2]> = (0..900).flat_map(|k| [[k, k + 1], [k, k + 30]]).collect();
        e.analyse(&grid, &[], 1000, 10_000);
        assert_eq!(e.work, None);
    }
}

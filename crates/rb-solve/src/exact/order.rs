//! Elimination order of bodies and loop-closing joints, and the fill it causes.
//!
//! Bodies are nodes, each together with the equations of the joint that ties it to its parent, so
//! that its own block is regular in whatever order; equations that close a loop, or repeat others,
//! are nodes of their own and wait until both their bodies are gone. Least degree first, ties by
//! number: a tree is eliminated from its leaves without fill. Sources: D. Baraff, "Linear-time dynamics
//! using Lagrange multipliers", 1996; A. George, J. Liu, "The evolution of the minimum degree ordering
//! algorithm", 1989.

use std::collections::BTreeSet;

/// The order and, for every position, the later positions its node is linked to.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Position of each node.
    pub(super) position: Vec<u32>,
    /// Node at each position.
    pub(super) node: Vec<u32>,
    starts: Vec<u32>,
    links: Vec<u32>,
}

impl Order {
    /// Orders `nodes` nodes of which those from `bodies` on wait for their neighbours below it.
    pub(super) fn new(nodes: usize, bodies: usize, edges: &[[u32; 2]]) -> Self {
        let mut graph = vec![BTreeSet::new(); nodes];
        for &[a, b] in edges {
            graph[a as usize].insert(b);
            graph[b as usize].insert(a);
        }
        let mut waits_for = vec![0; nodes];
        for n in bodies..nodes {
            waits_for[n] = graph[n].iter().filter(|&&m| (m as usize) < bodies).count();
        }
        let key = |n: usize, graph: &[BTreeSet<u32>], waits: &[usize]| {
            (waits[n] > 0, graph[n].len(), n as u32)
        };
        let mut left: BTreeSet<_> = (0..nodes).map(|n| key(n, &graph, &waits_for)).collect();
        // Who waits for a body, by the original graph: fill makes no one wait.
        let waiting: Vec<Vec<u32>> = (0..bodies)
            .map(|b| {
                let closing = graph[b].iter().filter(|&&m| m as usize >= bodies);
                closing.copied().collect()
            })
            .collect();
        let (mut node, mut columns) = (Vec::with_capacity(nodes), vec![Vec::new(); nodes]);
        while let Some((_, _, n)) = left.pop_first() {
            node.push(n);
            let neighbours = std::mem::take(&mut graph[n as usize]);
            for &a in &neighbours {
                left.remove(&key(a as usize, &graph, &waits_for));
            }
            for &w in waiting.get(n as usize).into_iter().flatten() {
                waits_for[w as usize] -= 1;
            }
            for &a in &neighbours {
                graph[a as usize].remove(&n);
                graph[a as usize].extend(neighbours.iter().copied().filter(|&b| b != a));
            }
            for &a in &neighbours {
                left.insert(key(a as usize, &graph, &waits_for));
            }
            columns[n as usize] = neighbours.into_iter().collect();
        }
        Self::numbered(node, &columns)
    }

    fn numbered(node: Vec<u32>, columns: &[Vec<u32>]) -> Self {
        let mut order = Self {
            position: vec![0; node.len()],
            starts: vec![0],
            ..Self::default()
        };
        for (k, &n) in node.iter().enumerate() {
            order.position[n as usize] = k as u32;
        }
        for &n in &node {
            let first = order.links.len();
            let column = columns[n as usize].iter();
            order
                .links
                .extend(column.map(|&m| order.position[m as usize]));
            order.links[first..].sort_unstable();
            order.starts.push(order.links.len() as u32);
        }
        order.node = node;
        order
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.node.len()
    }

    /// Later positions linked to position `k`, ascending.
    pub(super) fn column(&self, k: usize) -> &[u32] {
        &self.links[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Number of the link from position `k` to a later position, counted over all positions.
    pub(super) fn link(&self, k: usize, later: u32) -> Option<usize> {
        let at = self.column(k).binary_search(&later).ok()?;
        Some(self.starts[k] as usize + at)
    }

    /// Number of the first link of position `k`.
    pub(super) fn first_link(&self, k: usize) -> usize {
        self.starts[k] as usize
    }

    /// Number of links.
    #[cfg(test)]
    pub(super) fn links(&self) -> usize {
        self.links.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_no_fill() {
        let edges: Vec<[u32; 2]> = (0..99).map(|k| [k, k + 1]).collect();
        let order = Order::new(100, 100, &edges);
        assert_eq!(order.links(), 99);
    }

    #[test]
    fn a_closing_joint_comes_after_its_bodies() {
        // A ring of five bodies, closed by node 5 between 0 and 4.
        let edges = [[0, 1], [1, 2], [2, 3], [3, 4], [5, 0], [5, 4]];
        let order = Order::new(6, 5, &edges);
        assert!(order.position[5] > order.position[0]);
        assert!(order.position[5] > order.position[4]);
    }
}

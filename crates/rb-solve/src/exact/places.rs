//! Where unknowns live: bodies as nodes, equations with the body they hang on its parent, or alone.
//!
//! A joint's equations share the block of the child's body, which makes that block regular in whatever
//! order nodes are eliminated. Equations that cannot be told apart by one body's motion are nodes of
//! their own, which wait until all their bodies are gone ([`Order`]).

use super::order::Order;
use super::pose::Pose;
use super::sparse::Layout;
use smallvec::SmallVec;

/// Where the equations live in the unknowns: node and offset, per block of equations.
pub(super) struct Places {
    pub(super) layout: Layout,
    pub(super) at: Vec<(u32, usize)>,
}

impl Places {
    /// Gives every block of equations to the body it hangs on its parent, or a node of its own.
    pub(super) fn new(pose: &Pose) -> Self {
        let children = tree(pose);
        let mut size = vec![[6, 6]; pose.bodies];
        let (mut at, mut edges) = (Vec::new(), Vec::new());
        for (q, child) in pose.equations.iter().zip(children) {
            let node = child.unwrap_or(size.len() as u32);
            if child.is_none() {
                size.push([0, 0]);
            }
            at.push((node, size[node as usize][0]));
            size[node as usize][0] += q.len();
            let others = q.nodes.iter().filter(|&&n| n != node);
            edges.extend(others.map(|&n| [node, n]));
            edges.extend(pairs(&q.nodes));
        }
        for u in &pose.units {
            let nodes: SmallVec<[u32; 4]> = u.sides.iter().map(|s| s.node).collect();
            edges.extend(pairs(&nodes));
        }
        let order = Order::new(size.len(), pose.bodies, &edges);
        Self {
            layout: Layout::new(order, &size),
            at,
        }
    }
}

/// All pairs of different nodes.
fn pairs(nodes: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    let later = |(i, &a): (usize, &u32)| nodes[i + 1..].iter().map(move |&b| [a, b]);
    nodes.iter().enumerate().flat_map(later)
}

/// The body each block of equations hangs on its parent: along a spanning forest of bodies, rooted at
/// the immovable ones. `None` for blocks that close a loop, those over more than two bodies or with a
/// column map, and those whose body is locked: its own rows may not tell them apart.
fn tree(pose: &Pose) -> Vec<Option<u32>> {
    let ground = pose.bodies;
    let mut at_body = vec![Vec::new(); pose.bodies + 1];
    for (k, q) in pose.equations.iter().enumerate() {
        let [a, b] = match q.nodes[..] {
            [a, b] if q.acts.is_empty() => [a as usize, b as usize],
            [a] if q.acts.is_empty() => [a as usize, ground],
            _ => continue,
        };
        at_body[a].push((k, b));
        at_body[b].push((k, a));
    }
    let mut child = vec![None; pose.equations.len()];
    let mut seen = vec![false; pose.bodies + 1];
    for root in std::iter::once(ground).chain(0..pose.bodies) {
        let mut queue = std::collections::VecDeque::from([root]);
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some(n) = queue.pop_front() {
            for &(k, other) in &at_body[n] {
                if !std::mem::replace(&mut seen[other], true) {
                    child[k] = (!pose.locked[other]).then_some(other as u32);
                    queue.push_back(other);
                }
            }
        }
    }
    child
}

//! Sparse LU in blocks over an [`Order`]: structurally symmetric, values need not be.
//!
//! A node has its body's six unknowns, pivoted among themselves, then equations, whose pivots are
//! taken from the diagonal: an equation that repeats others has none left and its multiplier is held
//! at zero, which leaves the solution of a consistent system unchanged. Equations with a column map may
//! have nothing on the diagonal and still be regular; they exchange rows. Where the system is symmetric
//! and positive semidefinite there is nothing beside an empty diagonal to exchange with.

use super::blocks;
use super::order::Order;

/// Sizes of the nodes and places of the blocks, in the order of elimination.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) order: Order,
    /// Unknowns and, of those, pivoted ones of each position.
    size: Vec<[usize; 2]>,
    /// First unknown of each position.
    first: Vec<usize>,
    /// First unknown of each node.
    unknown: Vec<usize>,
    diagonal: Vec<usize>,
    /// Blocks (later, earlier) and (earlier, later) of each link.
    lower: Vec<usize>,
    upper: Vec<usize>,
    entries: usize,
}

impl Layout {
    /// `size` gives unknowns and pivoted unknowns of each node.
    pub(super) fn new(order: Order, size: &[[usize; 2]]) -> Self {
        let size: Vec<_> = order.node.iter().map(|&n| size[n as usize]).collect();
        let mut layout = Self {
            order,
            ..Self::default()
        };
        let (mut at, mut unknowns) = (0, 0);
        for k in 0..size.len() {
            layout.first.push(unknowns);
            unknowns += size[k][0];
            layout.diagonal.push(at);
            at += size[k][0] * size[k][0];
            for &i in layout.order.column(k) {
                let block = size[k][0] * size[i as usize][0];
                layout.lower.push(at);
                layout.upper.push(at + block);
                at += 2 * block;
            }
        }
        layout.first.push(unknowns);
        let positions = layout.order.position.iter();
        layout.unknown = positions.map(|&p| layout.first[p as usize]).collect();
        (layout.size, layout.entries) = (size, at);
        layout
    }

    /// Number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// First unknown of a node.
    pub(super) fn unknown(&self, node: u32) -> usize {
        self.unknown[node as usize]
    }

    /// Start of the block of a pair of positions; `None` if they are not linked.
    fn block(&self, [row, col]: [usize; 2]) -> Option<usize> {
        match row.cmp(&col) {
            std::cmp::Ordering::Equal => Some(self.diagonal[row]),
            std::cmp::Ordering::Greater => Some(self.lower[self.order.link(col, row as u32)?]),
            std::cmp::Ordering::Less => Some(self.upper[self.order.link(row, col as u32)?]),
        }
    }
}

/// A matrix over a layout, and after [`factor`](Self::factor) its factors.
#[derive(Clone, Debug)]
pub(super) struct Sparse<'a> {
    layout: &'a Layout,
    values: Vec<f64>,
    /// Row exchanged with each unknown, within its node.
    swap: Vec<usize>,
}

impl<'a> Sparse<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        Self {
            layout,
            values: vec![0.0; layout.entries],
            swap: vec![0; layout.unknowns()],
        }
    }

    /// Adds `rows` (row by row, `width` wide) to the block of two nodes from an offset on.
    pub(super) fn add(&mut self, at: [(u32, usize); 2], width: usize, rows: &[f64]) {
        let [(row, r0), (col, c0)] = at;
        let places = [row, col].map(|n| self.layout.order.position[n as usize] as usize);
        let Some(start) = self.layout.block(places) else {
            debug_assert!(false, "nodes {row} and {col} are not linked");
            return;
        };
        let stride = self.layout.size[places[1]][0];
        for (r, values) in rows.chunks_exact(width).enumerate() {
            let at = start + (r0 + r) * stride + c0;
            for (entry, v) in self.values[at..at + width].iter_mut().zip(values) {
                *entry += v;
            }
        }
    }

    /// Factors in place; `scale` is the size of each unknown's diagonal before any elimination.
    pub(super) fn factor(mut self, scale: &[f64]) -> Self {
        let mut row = Vec::new();
        for k in 0..self.layout.order.len() {
            let (size, first) = (self.layout.size[k], self.layout.first[k]);
            let at = self.layout.diagonal[k];
            let own = first..first + size[0];
            let block = &mut self.values[at..at + size[0] * size[0]];
            blocks::factor(block, size, &scale[own.clone()], &mut self.swap[own]);
            let links = self.layout.order.first_link(k);
            for (a, &j) in self.layout.order.column(k).iter().enumerate() {
                self.divide(
                    k,
                    self.layout.upper[links + a],
                    self.layout.size[j as usize][0],
                );
            }
            for (a, &i) in self.layout.order.column(k).iter().enumerate() {
                for (b, &j) in self.layout.order.column(k).iter().enumerate() {
                    self.subtract(k, [i, j], [links + a, links + b], &mut row);
                }
            }
        }
        self
    }

    /// D⁻¹ times the block at `start`, `width` columns wide, in place.
    fn divide(&mut self, k: usize, start: usize, width: usize) {
        let (n, at) = (self.layout.size[k][0], self.layout.diagonal[k]);
        // The diagonal comes before the links of its position.
        let (head, tail) = self.values.split_at_mut(start);
        let swap = &self.swap[self.layout.first[k]..][..n];
        let x = &mut tail[..n * width];
        blocks::divide(&head[at..at + n * n], swap, x, width);
    }

    /// A(i, j) −= A(i, k) · D⁻¹A(k, j).
    fn subtract(&mut self, k: usize, [i, j]: [u32; 2], links: [usize; 2], row: &mut Vec<f64>) {
        let layout = self.layout;
        let n = layout.size[k][0];
        let (rows, cols) = (layout.size[i as usize][0], layout.size[j as usize][0]);
        let Some(target) = layout.block([i as usize, j as usize]) else {
            return;
        };
        let (left, right) = (layout.lower[links[0]], layout.upper[links[1]]);
        // What is of later positions comes after the links of this one.
        let (head, tail) = self.values.split_at_mut(target);
        let factors = [&head[left..left + rows * n], &head[right..right + n * cols]];
        blocks::subtract(&mut tail[..rows * cols], factors, [rows, n, cols], row);
    }

    /// Solves in place with the factors.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let layout = self.layout;
        for k in 0..layout.order.len() {
            let (n, at, first) = (layout.size[k][0], layout.diagonal[k], layout.first[k]);
            let (head, tail) = x.split_at_mut(first + n);
            let own = &mut head[first..];
            let swap = &self.swap[first..first + n];
            blocks::divide(&self.values[at..at + n * n], swap, own, 1);
            let links = layout.order.first_link(k);
            for (a, &i) in layout.order.column(k).iter().enumerate() {
                let (at, rows) = (layout.lower[links + a], layout.size[i as usize][0]);
                let to = layout.first[i as usize] - first - n;
                blocks::take(
                    &mut tail[to..to + rows],
                    &self.values[at..at + rows * n],
                    own,
                );
            }
        }
        for k in (0..layout.order.len()).rev() {
            let (n, first) = (layout.size[k][0], layout.first[k]);
            let (head, tail) = x.split_at_mut(first + n);
            let own = &mut head[first..];
            let links = layout.order.first_link(k);
            for (a, &j) in layout.order.column(k).iter().enumerate() {
                let (at, cols) = (layout.upper[links + a], layout.size[j as usize][0]);
                let from = layout.first[j as usize] - first - n;
                blocks::take(
                    own,
                    &self.values[at..at + n * cols],
                    &tail[from..from + cols],
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_ring_with_a_dependent_equation() {
        // Three one-unknown bodies in a ring, node 3 repeats an equation of node 0: x0 = 1.
        let edges = [[0, 1], [1, 2], [2, 0], [3, 0]];
        let sizes = [[2, 1], [1, 1], [1, 1], [1, 0]];
        let layout = Layout::new(Order::new(4, 3, &edges), &sizes);
        let mut a = Sparse::new(&layout);
        for n in 0..3 {
            a.add([(n, 0), (n, 0)], 1, &[4.0]);
            let next = (n + 1) % 3;
            a.add([(n, 0), (next, 0)], 1, &[1.0]);
            a.add([(next, 0), (n, 0)], 1, &[-1.0]);
        }
        for (row, off) in [(0, 1), (3, 0)] {
            a.add([(row, off), (0, 0)], 1, &[1.0]);
            a.add([(0, 0), (row, off)], 1, &[-1.0]);
        }
        let mut x = vec![0.0; 5];
        x[layout.unknown(0) + 1] = 1.0;
        x[layout.unknown(3)] = 1.0;
        a.factor(&[1.0; 5]).solve(&mut x);
        let at = |n: u32| x[layout.unknown(n)];
        assert!((at(0) - 1.0).abs() < 1e-14);
        // Rows 1 and 2: 4 x1 + x2 = x0·1, 4 x2 − x1 + x0 = 0.
        assert!((4.0 * at(1) + at(2) - at(0)).abs() < 1e-14);
        assert!((4.0 * at(2) - at(1) + at(0)).abs() < 1e-14);
        assert_eq!(at(3), 0.0);
    }
}

//! Sparse LU in blocks over an [`Order`]: structurally symmetric, values need not be.
//!
//! A node has its body's six unknowns, pivoted among themselves, then equations, whose pivots are
//! taken from the diagonal: an equation that repeats others has none left and its multiplier is held
//! at zero, which leaves the solution of a consistent system unchanged. Equations with a column map may
//! have nothing on the diagonal and still be regular; they exchange rows. Where the system is symmetric
//! and positive semidefinite there is nothing beside an empty diagonal to exchange with.

use super::order::Order;

/// Smallest pivot of an equation, relative to its diagonal before elimination, that counts as
/// independent.
const DEPENDENT: f64 = 1e-11;
/// Smallest entry beside such a pivot that is no rounding.
const BESIDE: f64 = 1e-4;

/// Sizes of the nodes and places of the blocks, in the order of elimination.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) order: Order,
    /// Unknowns and, of those, pivoted ones of each position.
    size: Vec<[usize; 2]>,
    /// First unknown of each position.
    first: Vec<usize>,
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
        (layout.size, layout.entries) = (size, at);
        layout
    }

    /// Number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// First unknown of a node.
    pub(super) fn unknown(&self, node: u32) -> usize {
        self.first[self.order.position[node as usize] as usize]
    }

    /// Start and row length of the block of a pair of nodes; `None` if they are not linked.
    fn block(&self, row: u32, col: u32) -> Option<(usize, usize)> {
        let (r, c) = (
            self.order.position[row as usize] as usize,
            self.order.position[col as usize] as usize,
        );
        let start = match r.cmp(&c) {
            std::cmp::Ordering::Equal => self.diagonal[r],
            std::cmp::Ordering::Greater => self.lower[self.order.link(c, r as u32)?],
            std::cmp::Ordering::Less => self.upper[self.order.link(r, c as u32)?],
        };
        Some((start, self.size[c][0]))
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
        let Some((start, stride)) = self.layout.block(row, col) else {
            debug_assert!(false, "nodes {row} and {col} are not linked");
            return;
        };
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
            self.factor_diagonal(k, scale);
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

    fn factor_diagonal(&mut self, k: usize, scale: &[f64]) {
        let ([n, pivoted], first) = (self.layout.size[k], self.layout.first[k]);
        let at = self.layout.diagonal[k];
        let a = &mut self.values[at..at + n * n];
        for j in 0..n {
            let empty = |p: usize| a[p * n + j].abs() <= DEPENDENT * scale[first + j];
            let among = if j < pivoted {
                j + 1..pivoted
            } else if empty(j) {
                j + 1..n
            } else {
                j..j
            };
            let mut p = j;
            for i in among {
                let least = if j < pivoted { 0.0 } else { BESIDE };
                if a[i * n + j].abs() > a[p * n + j].abs().max(least) {
                    p = i;
                }
            }
            self.swap[first + j] = p;
            if p != j {
                for c in 0..n {
                    a.swap(p * n + c, j * n + c);
                }
            }
            let dependent = j >= pivoted && a[j * n + j].abs() <= DEPENDENT * scale[first + j];
            if dependent {
                a[j * n + j] = 0.0;
            }
            let inverse = if dependent { 0.0 } else { 1.0 / a[j * n + j] };
            let (head, tail) = a.split_at_mut((j + 1) * n);
            let pivot_row = &head[j * n + j + 1..];
            for row in tail.chunks_exact_mut(n) {
                let factor = row[j] * inverse;
                row[j] = factor;
                if factor != 0.0 {
                    for (x, p) in row[j + 1..].iter_mut().zip(pivot_row) {
                        *x -= factor * p;
                    }
                }
            }
        }
    }

    /// D⁻¹ times the block at `start`, `width` columns wide, in place.
    fn divide(&mut self, k: usize, start: usize, width: usize) {
        let (n, at) = (self.layout.size[k][0], self.layout.diagonal[k]);
        // The diagonal comes before the links of its position.
        let (head, tail) = self.values.split_at_mut(start);
        let swap = &self.swap[self.layout.first[k]..];
        divide(
            &head[at..at + n * n],
            n,
            swap,
            &mut tail[..n * width],
            width,
        );
    }

    /// A(i, j) −= A(i, k) · D⁻¹A(k, j).
    fn subtract(&mut self, k: usize, [i, j]: [u32; 2], links: [usize; 2], row: &mut Vec<f64>) {
        let layout = self.layout;
        let n = layout.size[k][0];
        let (rows, cols) = (layout.size[i as usize][0], layout.size[j as usize][0]);
        let [ni, nj] = [i, j].map(|p| layout.order.node[p as usize]);
        let Some((target, stride)) = layout.block(ni, nj) else {
            return;
        };
        let (left, right) = (layout.lower[links[0]], layout.upper[links[1]]);
        for r in 0..rows {
            row.clear();
            row.resize(cols, 0.0);
            for m in 0..n {
                let f = self.values[left + r * n + m];
                if f != 0.0 {
                    let source = &self.values[right + m * cols..right + (m + 1) * cols];
                    for (x, s) in row.iter_mut().zip(source) {
                        *x += f * s;
                    }
                }
            }
            let at = target + r * stride;
            for (x, s) in self.values[at..at + cols].iter_mut().zip(row.iter()) {
                *x -= s;
            }
        }
    }

    /// Solves in place with the factors.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let layout = self.layout;
        for k in 0..layout.order.len() {
            let (n, at, first) = (layout.size[k][0], layout.diagonal[k], layout.first[k]);
            let (head, tail) = x.split_at_mut(first + n);
            let own = &mut head[first..];
            divide(&self.values[at..at + n * n], n, &self.swap[first..], own, 1);
            let links = layout.order.first_link(k);
            for (a, &i) in layout.order.column(k).iter().enumerate() {
                let block = &self.values[layout.lower[links + a]..];
                let to = layout.first[i as usize] - first - n;
                let rows = layout.size[i as usize][0];
                for (y, row) in tail[to..to + rows].iter_mut().zip(block.chunks_exact(n)) {
                    *y -= row.iter().zip(own.iter()).map(|(a, x)| a * x).sum::<f64>();
                }
            }
        }
        for k in (0..layout.order.len()).rev() {
            let (n, first) = (layout.size[k][0], layout.first[k]);
            let (head, tail) = x.split_at_mut(first + n);
            let own = &mut head[first..];
            let links = layout.order.first_link(k);
            for (a, &j) in layout.order.column(k).iter().enumerate() {
                let cols = layout.size[j as usize][0];
                let from = layout.first[j as usize] - first - n;
                let block = &self.values[layout.upper[links + a]..];
                for (y, row) in own.iter_mut().zip(block.chunks_exact(cols)) {
                    let other = &tail[from..from + cols];
                    *y -= row.iter().zip(other).map(|(a, x)| a * x).sum::<f64>();
                }
            }
        }
    }
}

/// Solves with a factored diagonal block, `width` columns at a time.
fn divide(d: &[f64], n: usize, swap: &[usize], x: &mut [f64], width: usize) {
    for j in 0..n {
        let p = swap[j];
        if p != j {
            for c in 0..width {
                x.swap(p * width + c, j * width + c);
            }
        }
    }
    for i in 0..n {
        let (head, tail) = x.split_at_mut(i * width);
        for k in 0..i {
            combine(&mut tail[..width], &head[k * width..], d[i * n + k]);
        }
    }
    for i in (0..n).rev() {
        let (head, tail) = x.split_at_mut((i + 1) * width);
        let own = &mut head[i * width..];
        for k in i + 1..n {
            combine(own, &tail[(k - i - 1) * width..], d[i * n + k]);
        }
        let pivot = d[i * n + i];
        let inverse = if pivot == 0.0 { 0.0 } else { 1.0 / pivot };
        own.iter_mut().for_each(|v| *v *= inverse);
    }
}

/// x −= f y.
fn combine(x: &mut [f64], y: &[f64], f: f64) {
    if f != 0.0 {
        for (x, y) in x.iter_mut().zip(y) {
            *x -= f * y;
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

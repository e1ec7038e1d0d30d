//! Blocks of a sparse factorisation: dense, row by row.
//!
//! Most bodies have no equations, and their blocks are of six rows and columns: for these everything here is compiled once
//! more, with loops of known length. Operations and their order are the same for all.

/// Unknowns of a body.
const BODY: usize = 6;
/// Entries of a block of two bodies.
const SQUARE: usize = BODY * BODY;
/// Smallest pivot of an equation, relative to its diagonal before elimination, that counts as
/// independent.
const DEPENDENT: f64 = 1e-11;
/// Smallest entry beside such a pivot that is no rounding.
const BESIDE: f64 = 1e-4;

/// Factors a square block in place; of its `size`, unknowns and pivoted ones. `scale` is the size of each unknown's
/// diagonal before any elimination, `swap` gets the row exchanged with each.
pub(super) fn factor(a: &mut [f64], size: [usize; 2], scale: &[f64], swap: &mut [usize]) {
    match size {
        [BODY, BODY] => factor_any(
            &mut a[..SQUARE],
            [BODY; 2],
            &scale[..BODY],
            &mut swap[..BODY],
        ),
        _ => factor_any(a, size, scale, swap),
    }
}

#[inline(always)]
fn factor_any(a: &mut [f64], [n, pivoted]: [usize; 2], scale: &[f64], swap: &mut [usize]) {
    for j in 0..n {
        let empty = |p: usize| a[p * n + j].abs() <= DEPENDENT * scale[j];
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
        swap[j] = p;
        if p != j {
            for c in 0..n {
                a.swap(p * n + c, j * n + c);
            }
        }
        let dependent = j >= pivoted && a[j * n + j].abs() <= DEPENDENT * scale[j];
        if dependent {
            a[j * n + j] = 0.0;
        }
        let inverse = if dependent { 0.0 } else { 1.0 / a[j * n + j] };
        let (head, tail) = a.split_at_mut((j + 1) * n);
        let pivot_row = &head[j * n + j + 1..];
        for row in tail.chunks_exact_mut(n) {
            let factor = row[j] * inverse;
            row[j] = factor;
            combine(&mut row[j + 1..], pivot_row, factor, n);
        }
    }
}

/// Solves with a factored block, `width` columns at a time, in place.
pub(super) fn divide(d: &[f64], swap: &[usize], x: &mut [f64], width: usize) {
    match (swap.len(), width) {
        (BODY, BODY) => divide_any(&d[..SQUARE], &swap[..BODY], &mut x[..SQUARE], BODY),
        (BODY, 1) => divide_any(&d[..SQUARE], &swap[..BODY], &mut x[..BODY], 1),
        (n, BODY) => divide_any(d, swap, &mut x[..n * BODY], BODY),
        (n, 1) => divide_any(d, swap, &mut x[..n], 1),
        _ => divide_any(d, swap, x, width),
    }
}

#[inline(always)]
fn divide_any(d: &[f64], swap: &[usize], x: &mut [f64], width: usize) {
    let n = swap.len();
    for (j, &p) in swap.iter().enumerate() {
        if p != j {
            for c in 0..width {
                x.swap(p * width + c, j * width + c);
            }
        }
    }
    for i in 0..n {
        let (head, tail) = x.split_at_mut(i * width);
        for k in 0..i {
            combine(&mut tail[..width], &head[k * width..], d[i * n + k], n);
        }
    }
    for i in (0..n).rev() {
        let (head, tail) = x.split_at_mut((i + 1) * width);
        let own = &mut head[i * width..];
        for k in i + 1..n {
            combine(own, &tail[(k - i - 1) * width..], d[i * n + k], n);
        }
        let pivot = d[i * n + i];
        let inverse = if pivot == 0.0 { 0.0 } else { 1.0 / pivot };
        own.iter_mut().for_each(|v| *v *= inverse);
    }
}

/// target −= left · right, of `rows` × `n` and `n` × `cols`; `row` is scratch.
pub(super) fn subtract(
    target: &mut [f64],
    [left, right]: [&[f64]; 2],
    [rows, n, cols]: [usize; 3],
    row: &mut Vec<f64>,
) {
    match [rows, n, cols] {
        [BODY, BODY, BODY] => {
            let factors = [&left[..SQUARE], &right[..SQUARE]];
            subtract_any(&mut target[..SQUARE], factors, BODY, &mut [0.0; BODY]);
        }
        _ => {
            row.resize(cols, 0.0);
            subtract_any(target, [left, right], n, row);
        }
    }
}

#[inline(always)]
fn subtract_any(target: &mut [f64], [left, right]: [&[f64]; 2], n: usize, row: &mut [f64]) {
    let cols = row.len();
    for (to, factors) in target.chunks_exact_mut(cols).zip(left.chunks_exact(n)) {
        row.fill(0.0);
        for (f, from) in factors.iter().zip(right.chunks_exact(cols)) {
            if !is_left_out(*f, n) {
                for (x, y) in row.iter_mut().zip(from) {
                    *x += f * y;
                }
            }
        }
        for (x, y) in to.iter_mut().zip(row.iter()) {
            *x -= y;
        }
    }
}

/// y −= block · x.
pub(super) fn take(y: &mut [f64], block: &[f64], x: &[f64]) {
    match (y.len(), x.len()) {
        (BODY, BODY) => take_any(&mut y[..BODY], &block[..SQUARE], &x[..BODY]),
        _ => take_any(y, block, x),
    }
}

#[inline(always)]
fn take_any(y: &mut [f64], block: &[f64], x: &[f64]) {
    for (y, row) in y.iter_mut().zip(block.chunks_exact(x.len())) {
        *y -= row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// x −= f y. One number costs less than the question.
#[inline(always)]
fn combine(x: &mut [f64], y: &[f64], f: f64, n: usize) {
    if x.len() == 1 || !is_left_out(f, n) {
        for (x, y) in x.iter_mut().zip(y) {
            *x -= f * y;
        }
    }
}

/// Whether there is nothing to do for a factor: blocks with equations have many zeros, those of bodies alone hardly any.
#[inline(always)]
fn is_left_out(f: f64, n: usize) -> bool {
    n != BODY && f == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hint::black_box;
    use proptest::prelude::*;

    /// A square block and another one; some entries of both are zero.
    fn blocks() -> impl Strategy<Value = [Vec<f64>; 2]> {
        let entry = prop_oneof![4 => -1.0..1.0f64, 1 => Just(0.0)];
        let block = prop::collection::vec(entry, SQUARE);
        [block.clone(), block]
    }

    proptest! {
        /// With lengths known when compiled everything is as it is without.
        #[test]
        fn bodies_alone_are_no_exception([mut a, b] in blocks()) {
            let (n, scale) = (black_box(BODY), [1.0; BODY]);
            for k in 0..BODY {
                a[k * BODY + k] += 3.0;
            }
            let (mut lu, mut swap) = (a.clone(), [0; BODY]);
            let (mut other, mut others_swap) = (a, swap);
            factor(&mut lu, [BODY; 2], &scale, &mut swap);
            factor_any(&mut other, [n; 2], &scale, &mut others_swap);
            prop_assert_eq!((&lu, swap), (&other, others_swap));
            for width in [BODY, 1] {
                let (mut x, mut y) = (b[..BODY * width].to_vec(), b[..BODY * width].to_vec());
                divide(&lu, &swap, &mut x, width);
                divide_any(&lu, &swap[..n], &mut y, black_box(width));
                prop_assert_eq!(x, y);
            }
            let (mut x, mut y, mut row) = (b.clone(), b.clone(), vec![0.0; n]);
            subtract(&mut x, [&lu, &b], [BODY; 3], &mut Vec::new());
            subtract_any(&mut y, [&lu, &b], n, &mut row);
            prop_assert_eq!(x, y);
            let (mut x, mut y) = (b[..BODY].to_vec(), b[..BODY].to_vec());
            take(&mut x, &lu, &b[BODY..2 * BODY]);
            take_any(&mut y, &lu, &b[BODY..BODY + n]);
            prop_assert_eq!(x, y);
        }

        /// A factored block undoes a product.
        #[test]
        fn a_block_is_divided_by([mut a, x] in blocks(), n in 1..=BODY) {
            for k in 0..n {
                a[k * n + k] += 8.0;
            }
            let (a, x) = (&a[..n * n], &x[..n]);
            let mut y = vec![0.0; n];
            take(&mut y, a, x);
            let (mut lu, mut swap) = (a.to_vec(), vec![0; n]);
            factor(&mut lu, [n, n], &vec![1.0; n], &mut swap);
            divide(&lu, &swap, &mut y, 1);
            for (x, y) in x.iter().zip(y) {
                prop_assert!((x + y).abs() < 1e-13);
            }
        }
    }
}

//! Symmetric three by three matrices, eight side by side: xx, yy, zz, xy, xz, yz.

use super::prepare::{invert, invert_above};
use crate::lanes::simd::{Simd, Stored};
use crate::lanes::vector::{V3, product};

/// Row and column of each entry.
pub(super) const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// m v of a matrix in memory.
#[inline(always)]
pub(super) fn times<S: Simd>(m: &[S::Stored; 6], v: V3<S>) -> V3<S> {
    let at = |k: usize| S::load(&m[k]);
    product(&[at(0), at(1), at(2), at(3), at(4), at(5)], v)
}

/// m + s e eᵀ.
#[inline(always)]
pub(super) fn with_square<S: Simd>(m: [S; 6], e: V3<S>, s: S) -> [S; 6] {
    let ([x, y, z], [u, v, w]) = (e.0, e.scaled(s).0);
    [
        u.fma(x, m[0]),
        v.fma(y, m[1]),
        w.fma(z, m[2]),
        u.fma(y, m[3]),
        u.fma(z, m[4]),
        v.fma(z, m[5]),
    ]
}

/// The inverse by LDLᵀ, without directions in which the matrix vanishes.
#[inline(always)]
pub(super) fn inverted<S: Simd>(m: &[S; 6]) -> [S; 6] {
    inverted_above(m, S::Stored::DEPENDENT)
}

/// The same without those in which no more than a `share` of an entry is left when others have been eliminated.
#[inline(always)]
pub(super) fn inverted_above<S: Simd>(m: &[S; 6], share: f64) -> [S; 6] {
    let [xx, yy, zz, xy, xz, yz] = *m;
    let invert = |x, own| invert_above(x, own, share);
    let d = invert(xx, xx);
    let (l, n) = (xy.mul(d), xz.mul(d));
    let e = invert(l.nfma(xy, yy), yy);
    let left = l.nfma(xz, yz);
    let k = left.mul(e);
    let f = invert(k.nfma(left, n.nfma(xz, zz)), zz);
    // L⁻¹ below its diagonal.
    let zero = S::zero();
    let (p, q) = (zero.sub(l), zero.sub(k));
    let r = p.fma(q, zero.sub(n));
    let (ep, fq, fr) = (e.mul(p), f.mul(q), f.mul(r));
    [
        fr.fma(r, ep.fma(p, d)),
        fq.fma(q, e),
        f,
        fr.fma(q, ep),
        fr,
        fq,
    ]
}

/// The inverse of a positive definite matrix by its cofactors, which takes one division; zero of none. Its determinant has
/// to be in range, as for bodies of 1e-100 to 1e100 kg.
#[inline(always)]
pub(super) fn inverted_positive<S: Simd>(m: &[S; 6]) -> [S; 6] {
    let [xx, yy, zz, xy, xz, yz] = *m;
    let (a, b, c) = (yy.mul(zz), xx.mul(zz), xx.mul(yy));
    let (a, b, c) = (yz.nfma(yz, a), xz.nfma(xz, b), xy.nfma(xy, c));
    let d = xy.nfma(zz, xz.mul(yz));
    let e = xz.nfma(yy, xy.mul(yz));
    let f = yz.nfma(xx, xy.mul(xz));
    let whole = xz.fma(e, xy.fma(d, xx.mul(a)));
    let s = invert(whole, xx.mul(yy).mul(zz));
    [a.mul(s), b.mul(s), c.mul(s), d.mul(s), e.mul(s), f.mul(s)]
}

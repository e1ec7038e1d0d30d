//! Vectors and masses of eight contacts or joints at once, in registers.

use super::batch::Wide3;
use super::pair::Pair;
use super::simd::{Halves, Line, Place, Simd, Stored, Within, two};
use crate::lanes::LANES;

/// One vector per lane.
#[derive(Clone, Copy)]
pub(super) struct V3<S>(pub(super) [S; 3]);

impl<S: Simd> V3<S> {
    #[inline(always)]
    pub(super) fn load(from: &Wide3<S::Stored>) -> Self {
        Self([S::load(&from[0]), S::load(&from[1]), S::load(&from[2])])
    }

    #[inline(always)]
    pub(super) fn store(self, to: &mut Wide3<S::Stored>) {
        self.0[0].store(&mut to[0]);
        self.0[1].store(&mut to[1]);
        self.0[2].store(&mut to[2]);
    }

    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> S {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        c.fma(z, b.fma(y, a.mul(x)))
    }

    /// self · o + c.
    #[inline(always)]
    pub(super) fn dot_onto(self, o: Self, c: S) -> S {
        let ([x, y, z], [u, v, w]) = (self.0, o.0);
        z.fma(w, y.fma(v, x.fma(u, c)))
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([
            c.nfma(y, b.mul(z)),
            a.nfma(z, c.mul(x)),
            b.nfma(x, a.mul(y)),
        ])
    }

    /// to + self × o.
    #[inline(always)]
    pub(super) fn cross_onto(self, o: Self, to: Self) -> Self {
        let ([a, b, c], [x, y, z], [u, v, w]) = (self.0, o.0, to.0);
        Self([
            b.fma(z, c.nfma(y, u)),
            c.fma(x, a.nfma(z, v)),
            a.fma(y, b.nfma(x, w)),
        ])
    }

    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(S, S) -> S) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([f(a, x), f(b, y), f(c, z)])
    }

    /// The first where the mask is set, else the second.
    #[inline(always)]
    pub(super) fn select(mask: S::Mask, a: Self, b: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (a.0, b.0);
        Self([
            S::select(mask, a, x),
            S::select(mask, b, y),
            S::select(mask, c, z),
        ])
    }

    #[inline(always)]
    pub(super) fn add(self, o: Self) -> Self {
        self.zip(o, S::add)
    }

    #[inline(always)]
    pub(super) fn sub(self, o: Self) -> Self {
        self.zip(o, S::sub)
    }

    /// Component by component.
    #[inline(always)]
    pub(super) fn times(self, o: Self) -> Self {
        self.zip(o, S::mul)
    }

    #[inline(always)]
    pub(super) fn scaled(self, s: S) -> Self {
        let [x, y, z] = self.0;
        Self([x.mul(s), y.mul(s), z.mul(s)])
    }

    /// self + o s.
    #[inline(always)]
    pub(super) fn more(self, o: Self, s: S) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([x.fma(s, a), y.fma(s, b), z.fma(s, c)])
    }

    /// self + o p, component by component.
    #[inline(always)]
    pub(super) fn more_by(self, o: Self, p: Self) -> Self {
        let ([a, b, c], [x, y, z], [u, v, w]) = (self.0, o.0, p.0);
        Self([x.fma(u, a), y.fma(v, b), z.fma(w, c)])
    }

    /// self − o p, component by component.
    #[inline(always)]
    pub(super) fn less_by(self, o: Self, p: Self) -> Self {
        let ([a, b, c], [x, y, z], [u, v, w]) = (self.0, o.0, p.0);
        Self([x.nfma(u, a), y.nfma(v, b), z.nfma(w, c)])
    }

    /// self − o s.
    #[inline(always)]
    pub(super) fn less(self, o: Self, s: S) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([x.nfma(s, a), y.nfma(s, b), z.nfma(s, c)])
    }
}

impl<S: Halves> V3<S> {
    /// Each half turned by one lane.
    #[inline(always)]
    pub(super) fn turned(self) -> Self {
        let [x, y, z] = self.0;
        Self([x.turned(), y.turned(), z.turned()])
    }

    /// That in lane `K` of each half, in all its lanes.
    #[inline(always)]
    pub(super) fn each<const K: usize>(self) -> Self {
        let [x, y, z] = self.0;
        Self([x.spread::<K>(), y.spread::<K>(), z.spread::<K>()])
    }

    /// The lower halves of this, then those of the other.
    #[inline(always)]
    pub(super) fn lows(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([a.lows(x), b.lows(y), c.lows(z)])
    }

    /// The upper halves of this, then those of the other.
    #[inline(always)]
    pub(super) fn highs(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([a.highs(x), b.highs(y), c.highs(z)])
    }
}

/// m v of a symmetric matrix (xx, yy, zz, xy, xz, yz).
#[inline(always)]
pub(super) fn product<S: Simd>(m: &[S; 6], v: V3<S>) -> V3<S> {
    let ([xx, yy, zz, xy, xz, yz], [x, y, z]) = (*m, v.0);
    V3([
        xz.fma(z, xy.fma(y, xx.mul(x))),
        yz.fma(z, yy.fma(y, xy.mul(x))),
        zz.fma(z, yz.fma(y, xz.mul(x))),
    ])
}

/// W of one body per lane.
#[derive(Clone, Copy)]
pub(super) struct Mass<S> {
    pub(super) lin: V3<S>,
    pub(super) sym: [S; 6],
}

impl<S: Simd> Mass<S> {
    #[inline(always)]
    pub(super) fn new(w: [S; LANES], z: S) -> Self {
        let [xx, yy, zz, xy, xz, yz, mx, my] = w;
        Self {
            lin: V3([mx, my, z]),
            sym: [xx, yy, zz, xy, xz, yz],
        }
    }

    /// Of the bodies with the given numbers, a and b of each lane.
    #[inline(always)]
    pub(super) fn both<L: Stored>(
        inv: &[Line],
        vel: &[L],
        bodies: &[[Place; LANES]; 2],
    ) -> [Self; 2] {
        Self::of(&Pair::gather(vel, Within::both(bodies, vel)), inv, bodies)
    }

    /// The same, with their velocities as they were gathered: those of round bodies say all there is.
    #[inline(always)]
    pub(super) fn of(pair: &Pair<S>, inv: &[Line], bodies: &[[Place; LANES]; 2]) -> [Self; 2] {
        if pair.is_round() {
            return two!(|s| Self::of_round(pair.mass(s), pair.moment(s)));
        }
        two!(|s| Self::new(S::gather(inv, &bodies[s]), pair.mass(s)))
    }

    /// Of bodies with equal moments of inertia.
    #[inline(always)]
    fn of_round(mass: S, moment: S) -> Self {
        let zero = S::zero();
        Self {
            lin: V3([mass, mass, mass]),
            sym: [moment, moment, moment, zero, zero, zero],
        }
    }

    /// As stored by [`store`](Self::store).
    #[inline(always)]
    pub(super) fn load(from: &[S::Stored; 9]) -> Self {
        let at = |k: usize| S::load(&from[k]);
        Self {
            lin: V3([at(0), at(1), at(2)]),
            sym: [at(3), at(4), at(5), at(6), at(7), at(8)],
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, to: &mut [S::Stored; 9]) {
        for k in 0..3 {
            self.lin.0[k].store(&mut to[k]);
        }
        for k in 0..6 {
            self.sym[k].store(&mut to[3 + k]);
        }
    }

    /// Says in which lanes an impulse moves the body.
    #[inline(always)]
    pub(super) fn moves(&self) -> S::Mask {
        let ([x, y, z], [xx, yy, zz, ..]) = (self.lin.0, self.sym);
        let lin = x.max(y).max(z);
        S::gt(lin.max(xx).max(yy).max(zz), S::zero())
    }

    /// Whether it moves alike in all directions, in all lanes, but for what single precision may have left of 1/m along
    /// z: no axes are locked.
    #[inline(always)]
    pub(super) fn is_even(&self) -> bool {
        let [x, y, z] = self.lin.0;
        let size = |s: S| s.max(S::zero().sub(s));
        let apart = size(x.sub(y)).max(size(y.sub(z)));
        !S::any(S::gt(apart, x.mul(S::splat(f64::from(f32::EPSILON)))))
    }

    /// Angular part of W times a torque.
    #[inline(always)]
    pub(super) fn ang(&self, t: V3<S>) -> V3<S> {
        product(&self.sym, t)
    }

    /// ω + W t of the angular part.
    #[inline(always)]
    pub(super) fn turned(&self, w: V3<S>, t: V3<S>) -> V3<S> {
        let ([xx, yy, zz, xy, xz, yz], [x, y, z], [a, b, c]) = (self.sym, t.0, w.0);
        V3([
            xz.fma(z, xy.fma(y, xx.fma(x, a))),
            yz.fma(z, yy.fma(y, xy.fma(x, b))),
            zz.fma(z, yz.fma(y, xz.fma(x, c))),
        ])
    }
}

//! What resists the twist of a point of a body: A v + B ω and Bᵀ v + C ω.

use crate::lanes::simd::{Double, Wide};
use crate::lanes::vector::V3;

/// A and C are symmetric (xx, yy, zz, xy, xz, yz), B is stored row by row.
#[derive(Clone, Copy)]
pub(super) struct Inertia<S> {
    pub(super) a: [S; 6],
    pub(super) b: [V3<S>; 3],
    pub(super) c: [S; 6],
}

impl<S: Double> Inertia<S> {
    /// Of a body about its centre of mass.
    #[inline(always)]
    pub(super) fn central(mass: S, moments: &[Wide; 6]) -> Self {
        let zero = S::zero();
        Self {
            a: [mass, mass, mass, zero, zero, zero],
            b: [V3([zero; 3]); 3],
            c: symmetric(moments),
        }
    }

    #[inline(always)]
    pub(super) fn load(from: &[Wide; 21]) -> Self {
        let at = |k: usize| S::load(&from[k]);
        let six = |k: usize| [at(k), at(k + 1), at(k + 2), at(k + 3), at(k + 4), at(k + 5)];
        let row = |k: usize| V3([at(k), at(k + 1), at(k + 2)]);
        Self {
            a: six(0),
            b: [row(6), row(9), row(12)],
            c: six(15),
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, to: &mut [Wide; 21]) {
        for k in 0..6 {
            self.a[k].store(&mut to[k]);
            self.c[k].store(&mut to[15 + k]);
        }
        for i in 0..3 {
            for k in 0..3 {
                self.b[i].0[k].store(&mut to[6 + 3 * i + k]);
            }
        }
    }

    /// Of the twist at the place `arm` from this one, v there being v + ω × arm here: with R x = arm × x
    /// A, B + A R, C + Rᵀ (B + A R) + Bᵀ R.
    #[inline(always)]
    pub(super) fn at(&self, arm: V3<S>) -> Self {
        let [xx, yy, zz, xy, xz, yz] = self.a;
        let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let mut b = self.b;
        for i in 0..3 {
            b[i] = V3(rows[i]).cross_onto(arm, b[i]);
        }
        // Columns × arm.
        let (mut old, mut new) = ([arm; 3], [arm; 3]);
        for k in 0..3 {
            old[k] = column(&self.b, k).cross(arm);
            new[k] = column(&b, k).cross(arm);
        }
        let [cxx, cyy, czz, cxy, cxz, cyz] = self.c;
        let entry = |c: S, j: usize, k: usize| c.add(new[k].0[j].add(old[j].0[k]));
        Self {
            a: self.a,
            b,
            c: [
                entry(cxx, 0, 0),
                entry(cyy, 1, 1),
                entry(czz, 2, 2),
                entry(cxy, 0, 1),
                entry(cxz, 0, 2),
                entry(cyz, 1, 2),
            ],
        }
    }

    #[inline(always)]
    pub(super) fn add(&self, o: &Self) -> Self {
        let mut sum = *self;
        for k in 0..6 {
            sum.a[k] = sum.a[k].add(o.a[k]);
            sum.c[k] = sum.c[k].add(o.c[k]);
        }
        for i in 0..3 {
            sum.b[i] = sum.b[i].add(o.b[i]);
        }
        sum
    }
}

#[inline(always)]
fn column<S: Double>(rows: &[V3<S>; 3], k: usize) -> V3<S> {
    V3([rows[0].0[k], rows[1].0[k], rows[2].0[k]])
}

/// A symmetric matrix in memory.
#[inline(always)]
pub(super) fn symmetric<S: Double>(m: &[Wide; 6]) -> [S; 6] {
    let at = |k: usize| S::load(&m[k]);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

//! Visits of the normals of a manifold, one after the other.

use super::Normals;
use super::visit::Pair;
use crate::lanes::simd::{Halves, Stored};

/// A visit of normals, from what each would give up by itself, and what they do to each other; under the `SOFT` step, or
/// the law itself.
pub(super) struct Press<S, const SOFT: bool> {
    pub(super) pair: Pair<S>,
    /// d of the normals; what has been visited counts no more.
    pub(super) change: S,
    /// σ.
    pub(super) share: S,
    /// λ̂ they have.
    pub(super) most: S,
    /// What they have given up.
    pub(super) given: S,
}

/// Visits the points one after the other, there or back, of several manifolds by turns. A point that is none takes nothing,
/// but time.
macro_rules! points {
    ($back:ident, $many:expr, $($press:ident: $m:ident),+) => {
        if $back {
            if $many {
                $($press.visit::<3>($m);)+
                $($press.visit::<2>($m);)+
            }
            $($press.visit::<1>($m);)+
            $($press.visit::<0>($m);)+
        } else {
            $($press.visit::<0>($m);)+
            $($press.visit::<1>($m);)+
            if $many {
                $($press.visit::<2>($m);)+
                $($press.visit::<3>($m);)+
            }
        }
    };
}

impl<S: Halves, const SOFT: bool> Press<S, SOFT> {
    /// All points.
    #[inline(always)]
    pub(super) fn run<const BACK: bool>(self, m: &Normals) -> Self {
        let mut press = self;
        points!(BACK, m.points > 2, press: m);
        press
    }

    /// Those of two manifolds that share no body, by turns.
    #[inline(always)]
    pub(super) fn run_two<const BACK: bool>(
        self,
        m: &Normals,
        other: Self,
        n: &Normals,
    ) -> [Self; 2] {
        let (mut first, mut second) = (self, other);
        points!(BACK, m.points.max(n.points) > 2, first: m, second: n);
        [first, second]
    }

    /// The point `K`.
    #[inline(always)]
    fn visit<const K: usize>(&mut self, m: &Normals) {
        let give = self.change.min(self.most);
        self.given = self.given.with::<K>(give);
        let delta = give.spread::<K>();
        let mut couple = S::load(&m.couple[K]);
        if SOFT {
            couple = self.share.mul(couple);
        }
        self.change = couple.nfma(delta, self.change);
        self.pair.pull(&m.columns, K, delta);
    }

    /// Leaves what has become of impulses and velocities; returns these.
    #[inline(always)]
    pub(super) fn end<L: Stored>(self, m: &mut Normals, vel: &mut [L]) -> Pair<S> {
        self.most.sub(self.given).store(&mut m.impulse);
        self.pair.put_back(m, vel);
        self.pair
    }
}

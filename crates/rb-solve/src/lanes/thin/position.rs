//! The position pass: normals under the soft step, one manifold after the other.

use super::visit::{Pair, in_turn};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Halves, Stored};
use rb_core::manifold::MAX_POINTS;

pub(super) fn run<L: Stored>(manifolds: &mut [Thin], vel: &mut [L], backwards: bool) {
    dispatch!(single L position(manifolds: &mut [Thin], vel: &mut [L], backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Halves, L: Stored>(
    manifolds: &mut [Thin],
    vel: &mut [L],
    backwards: bool,
) {
    in_turn!(visit::<S, L>, manifolds, backwards, vel);
}

#[inline(always)]
fn visit<S: Halves, L: Stored, const BACK: bool>(m: &mut Thin, vel: &mut [L]) {
    let m = &mut m.normals;
    let mut pair = Pair::<S>::of(m, vel);
    let [share, firm, start] = &m.soft;
    let (share, start) = (
        S::load(share),
        S::load(firm).fma(S::load(&m.impulse), S::load(start)),
    );
    let change = share.fma(pair.speeds().along(&m.rows), start);
    let couple = [
        share.mul(S::load(&m.couple[0])),
        share.mul(S::load(&m.couple[1])),
        share.mul(S::load(&m.couple[2])),
        share.mul(S::load(&m.couple[3])),
    ];
    press::<S, BACK>(m, change, couple, &mut pair);
    pair.put_back(m, vel);
}

/// Visits the normals one after the other, from what each would give up by itself, and what they do to each other.
#[inline(always)]
pub(super) fn press<S: Halves, const BACK: bool>(
    m: &mut Normals,
    change: S,
    couple: [S; MAX_POINTS],
    pair: &mut Pair<S>,
) {
    let most = S::load(&m.impulse);
    let mut push = Push {
        change,
        most,
        given: S::zero(),
        couple,
    };
    // A point that is none takes nothing, but time.
    let many = m.points > 2;
    if BACK {
        if many {
            push.visit::<3>(m, pair);
            push.visit::<2>(m, pair);
        }
        push.visit::<1>(m, pair);
        push.visit::<0>(m, pair);
    } else {
        push.visit::<0>(m, pair);
        push.visit::<1>(m, pair);
        if many {
            push.visit::<2>(m, pair);
            push.visit::<3>(m, pair);
        }
    }
    most.sub(push.given).store(&mut m.impulse);
}

/// A visit of normals.
struct Push<S> {
    /// d of the normals; what has been visited counts no more.
    change: S,
    /// λ̂ they have.
    most: S,
    /// What they have given up.
    given: S,
    couple: [S; MAX_POINTS],
}

impl<S: Halves> Push<S> {
    /// The point `K`.
    #[inline(always)]
    fn visit<const K: usize>(&mut self, m: &Normals, pair: &mut Pair<S>) {
        let give = self.change.min(self.most);
        self.given = self.given.with::<K>(give);
        let delta = give.spread::<K>();
        self.change = self.couple[K].nfma(delta, self.change);
        pair.pull(&m.columns, K, delta);
    }
}

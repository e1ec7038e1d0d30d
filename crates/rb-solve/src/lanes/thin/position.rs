//! The position pass: normals under the soft step, one manifold after the other.

use super::visit::{Pair, Speeds, in_turn};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Halves, Line, Stored};
use rb_core::manifold::MAX_POINTS;

/// What terms are made of: displacements of the bodies, and numbers of the soft step.
pub(super) type News<'a> = (&'a [Line], &'a Numbers);

/// Visits every manifold once; with terms at the present gaps, if bodies have moved since.
pub(super) fn run<L: Stored>(
    manifolds: &mut [Thin],
    vel: &mut [L],
    news: Option<News>,
    backwards: bool,
) {
    dispatch!(single L position(manifolds: &mut [Thin], vel: &mut [L], news: Option<News>, backwards: bool))
}

#[inline(always)]
pub(super) fn position<S: Halves, L: Stored>(
    manifolds: &mut [Thin],
    vel: &mut [L],
    news: Option<News>,
    backwards: bool,
) {
    match news {
        Some(news) => in_turn!(visit_first::<S, L>, manifolds, backwards, vel, news),
        None => in_turn!(visit::<S, L>, manifolds, backwards, vel),
    }
}

/// A visit waits for the one before; making terms does not, and fills that time.
#[inline(always)]
fn visit_first<S: Halves, L: Stored, const BACK: bool>(m: &mut Thin, vel: &mut [L], news: News) {
    m.normals.pose::<S>(news);
    visit::<S, L, BACK>(m, vel);
}

#[inline(always)]
fn visit<S: Halves, L: Stored, const BACK: bool>(m: &mut Thin, vel: &mut [L]) {
    let m = &mut m.normals;
    let mut pair = Pair::<S>::of(m, vel);
    let [share, firm, start] = &m.soft;
    let start = S::load(firm).fma(S::load(&m.impulse), S::load(start));
    let share = S::load(share);
    let change = share.fma(pair.speeds().along(&m.rows), start);
    let [a, b, c, d] = m.coupled();
    let couple = [share.mul(a), share.mul(b), share.mul(c), share.mul(d)];
    press::<S, BACK>(m, change, couple, &mut pair);
    pair.put_back(m, vel);
}

impl Normals {
    /// Terms of both passes at the present gaps.
    #[inline(always)]
    fn pose<S: Halves>(&mut self, (moved, numbers): News) {
        let gap = S::load(&self.gap).add(Speeds::<S>::of(self, moved).approach(self));
        let pace = [S::splat(self.pace[0]), S::splat(self.pace[1])];
        let ((bias, reg), root) = (numbers.terms(gap, pace), S::load(&self.root));
        let one = S::splat(1.0);
        let share = one.div(one.add(reg));
        share.store(&mut self.soft[0]);
        share.mul(reg).store(&mut self.soft[1]);
        share.mul(root.mul(bias)).store(&mut self.soft[2]);
        root.mul(bias.max(S::zero())).store(&mut self.bias);
    }

    /// Ĝ between a normal and all of them.
    #[inline(always)]
    pub(super) fn coupled<S: Halves>(&self) -> [S; MAX_POINTS] {
        let [a, b, c, d] = &self.couple;
        [S::load(a), S::load(b), S::load(c), S::load(d)]
    }
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

//! The position pass: normals under the soft step, one manifold after the other.

use super::press::Press;
use super::visit::{Last, Pair, Speeds, in_turn};
use super::{Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Halves, Line, Stored};

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
    in_turn!(visit, visit_two::<S, L>, manifolds, backwards, vel, news);
}

/// A visit waits for the one before; making terms does not, and fills that time.
#[inline(always)]
fn visit<S: Halves, L: Stored, const BACK: bool>(
    m: &mut Thin,
    last: &mut Last<S>,
    vel: &mut [L],
    news: Option<News>,
) {
    let m = &mut m.normals;
    m.take::<S>(news);
    let press = m.start::<S, L, BACK>(vel, last).run::<BACK>(m);
    last.0[0] = press.end(m, vel);
}

#[inline(always)]
fn visit_two<S: Halves, L: Stored, const BACK: bool>(
    m: &mut Thin,
    n: &mut Thin,
    last: &mut Last<S>,
    vel: &mut [L],
    news: Option<News>,
) {
    let (m, n) = (&mut m.normals, &mut n.normals);
    m.take::<S>(news);
    n.take::<S>(news);
    let first = m.start::<S, L, BACK>(vel, last);
    let second = n.start::<S, L, BACK>(vel, last);
    let [first, second] = first.run_two::<BACK>(m, second, n);
    last.0 = [first.end(m, vel), second.end(n, vel)];
}

impl Normals {
    /// Terms of both passes at the present gaps, if there are news.
    #[inline(always)]
    fn take<S: Halves>(&mut self, news: Option<News>) {
        let Some((moved, numbers)) = news else {
            return;
        };
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

    /// What each would give up.
    #[inline(always)]
    fn start<S: Halves, L: Stored, const BACK: bool>(
        &self,
        vel: &[L],
        last: &Last<S>,
    ) -> Press<S, true> {
        let pair = Pair::<S>::after::<L, BACK>(self, vel, last);
        let [share, firm, start] = &self.soft;
        let (share, most) = (S::load(share), S::load(&self.impulse));
        let start = S::load(firm).fma(most, S::load(start));
        Press {
            change: share.fma(pair.speeds().along(&self.rows), start),
            pair,
            share,
            most,
            given: S::zero(),
        }
    }
}

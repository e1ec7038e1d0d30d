//! What every visit of a manifold does: reading the velocities, writing them; warm start and velocity pass.

use super::whole::Whole;
use super::{Columns, Friction, From, Normals, Rows, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Halves, Stored};
use crate::lanes::vector::V3;
use rb_core::manifold::MAX_POINTS;

/// Visits every manifold once, there or back, twins together, each after what the [`Last`] ones end with. The visits are
/// compiled for either way.
macro_rules! in_turn {
    ($visit:ident, $two:ident::<$simd:ty, $lines:ty>, $manifolds:ident, $backwards:ident, $($arg:ident),*) => {
        if $backwards {
            in_turn!(true, $visit, $two::<$simd, $lines>, $manifolds, $($arg),*);
        } else {
            in_turn!(false, $visit, $two::<$simd, $lines>, $manifolds, $($arg),*);
        }
    };
    ($back:literal, $visit:ident, $two:ident::<$simd:ty, $lines:ty>, $manifolds:ident, $($arg:ident),*) => {
        let last = &mut $crate::lanes::thin::visit::Last::none();
        let mut rest = $manifolds;
        while let Some((next, others)) = $crate::lanes::thin::visit::next::<$back>(rest) {
            match next {
                [m, n] => $two::<$simd, $lines, $back>(m, n, last, $($arg),*),
                next => {
                    for m in next {
                        $visit::<$simd, $lines, $back>(m, last, $($arg),*);
                    }
                }
            }
            rest = others;
        }
    };
}
pub(super) use in_turn;

/// The manifold or the twins to be visited next, and those left after that.
#[inline(always)]
pub(super) fn next<const BACK: bool>(rest: &mut [Thin]) -> Option<(&mut [Thin], &mut [Thin])> {
    let first = match rest {
        [] => return None,
        [.., m, _] if BACK => m,
        [m, ..] => m,
    };
    let count = if first.normals.twin {
        rest.len().min(2)
    } else {
        1
    };
    Some(if BACK {
        let (others, next) = rest.split_at_mut(rest.len() - count);
        (next, others)
    } else {
        rest.split_at_mut(count)
    })
}

/// The velocities of both bodies of a manifold, a and b, as they lie in their lines.
#[derive(Clone, Copy)]
pub(super) struct Pair<S>([S; 2]);

impl<S: Halves> Pair<S> {
    #[inline(always)]
    pub(super) fn of<L: Stored>(m: &Normals, lines: &[L]) -> Self {
        let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
        Self([lines[a].row(), lines[b].row()])
    }

    /// The same in a sweep, after the `last` visit.
    #[inline(always)]
    pub(super) fn after<L: Stored, const BACK: bool>(
        m: &Normals,
        lines: &[L],
        last: &Last<S>,
    ) -> Self {
        let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
        let [from_a, from_b] = m.from[usize::from(BACK)];
        Self([last.line(from_a, &lines[a]), last.line(from_b, &lines[b])])
    }

    #[inline(always)]
    pub(super) fn put_back<L: Stored>(&self, m: &Normals, lines: &mut [L]) {
        let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
        lines[a].set_row(self.0[0]);
        lines[b].set_row(self.0[1]);
    }

    #[inline(always)]
    pub(super) fn speeds(&self) -> Speeds<S> {
        Speeds([spread(self.0[0]), spread(self.0[1])])
    }

    /// Adds what a change of λ̂ of row `k`, the same in all lanes, does.
    #[inline(always)]
    pub(super) fn push<const N: usize>(&mut self, columns: &Columns<N>, k: usize, by: S) {
        self.0[0] = S::load(&columns.0[0][k]).fma(by, self.0[0]);
        self.0[1] = S::load(&columns.0[1][k]).fma(by, self.0[1]);
    }

    /// Takes it.
    #[inline(always)]
    pub(super) fn pull<const N: usize>(&mut self, columns: &Columns<N>, k: usize, by: S) {
        self.0[0] = S::load(&columns.0[0][k]).nfma(by, self.0[0]);
        self.0[1] = S::load(&columns.0[1][k]).nfma(by, self.0[1]);
    }

    /// Adds what λ̂ of all four rows do.
    #[inline(always)]
    pub(super) fn warm(&mut self, columns: &Columns<MAX_POINTS>, impulse: S) {
        self.push(columns, 0, impulse.spread::<0>());
        self.push(columns, 1, impulse.spread::<1>());
        self.push(columns, 2, impulse.spread::<2>());
        self.push(columns, 3, impulse.spread::<3>());
    }
}

/// Velocities of the bodies of the first and the second manifold that were visited last.
pub(super) struct Last<S>(pub(super) [Pair<S>; 2]);

impl<S: Halves> Last<S> {
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self([Pair([S::zero(); 2]), Pair([S::zero(); 2])])
    }

    #[inline(always)]
    fn line<L: Stored>(&self, from: From, line: &L) -> S {
        let [Pair([a, b]), Pair([c, d])] = &self.0;
        match from {
            From::Line => line.row(),
            From::FirstA => *a,
            From::FirstB => *b,
            From::SecondA => *c,
            From::SecondB => *d,
        }
    }
}

/// Velocities or displacements of both bodies of a manifold: the linear in all lanes of the lower half, the angular in
/// those of the upper.
pub(super) struct Speeds<S>([V3<S>; 2]);

impl<S: Halves> Speeds<S> {
    #[inline(always)]
    pub(super) fn of<L: Stored>(m: &Normals, lines: &[L]) -> Self {
        Pair::of(m, lines).speeds()
    }

    /// s J v of the rows, in both halves.
    #[inline(always)]
    pub(super) fn along(&self, Rows([a, b]): &Rows) -> S {
        let of_a = self.0[0].dot(V3::load(a));
        both(of_a.add(self.0[1].dot(V3::load(b))))
    }

    /// Speed of b relative to a along the normal, for each point.
    #[inline(always)]
    pub(super) fn approach(&self, m: &Normals) -> S {
        self.along(&m.rows).mul(S::load(&m.stiff))
    }

    /// Linear and angular velocities, of a in the lower half and of b in the upper.
    #[inline(always)]
    pub(super) fn sides(&self) -> [V3<S>; 2] {
        let [a, b] = self.0;
        [a.lows(b), a.highs(b)]
    }
}

/// The first three numbers of each half, each in all lanes of that half.
#[inline(always)]
pub(super) fn spread<S: Halves>(x: S) -> V3<S> {
    V3([x.spread::<0>(), x.spread::<1>(), x.spread::<2>()])
}

/// The sum of both halves, in both.
#[inline(always)]
pub(super) fn both<S: Halves>(x: S) -> S {
    x.add(x.swapped())
}

/// Sum of the lanes of each half, in all of them.
#[inline(always)]
pub(super) fn sum<S: Halves>(x: S) -> S {
    let pair = x.add(x.turned().turned());
    pair.add(pair.turned())
}

#[inline(always)]
pub(super) fn splat<S: Halves>(x: f32) -> S {
    S::splat(f64::from(x))
}

#[inline(always)]
pub(super) fn splat3<S: Halves>(v: &[f32; 3]) -> V3<S> {
    V3([splat(v[0]), splat(v[1]), splat(v[2])])
}

pub(super) fn run_warm<L: Stored>(manifolds: &[Thin], vel: &mut [L]) {
    dispatch!(single L warm(manifolds: &[Thin], vel: &mut [L]))
}

/// Adds what all impulses do.
#[inline(always)]
pub(super) fn warm<S: Halves, L: Stored>(manifolds: &[Thin], vel: &mut [L]) {
    for Thin { normals, friction } in manifolds {
        match friction {
            Friction::Each(each) => each.warm::<S, L>(normals, vel),
            Friction::Whole(whole) => whole.warm::<S, L>(normals, vel),
        }
    }
}

pub(super) fn run_velocity<L: Stored>(manifolds: &mut [Thin], vel: &mut [L], backwards: bool) {
    dispatch!(single L velocity(manifolds: &mut [Thin], vel: &mut [L], backwards: bool))
}

/// Normals and friction under the law itself, one manifold after the other.
#[inline(always)]
pub(super) fn velocity<S: Halves, L: Stored>(
    manifolds: &mut [Thin],
    vel: &mut [L],
    backwards: bool,
) {
    in_turn!(visit, visit_two::<S, L>, manifolds, backwards, vel);
}

#[inline(always)]
fn visit<S: Halves, L: Stored, const BACK: bool>(m: &mut Thin, last: &mut Last<S>, vel: &mut [L]) {
    if let Friction::Whole(whole) = &mut m.friction {
        return whole.visit::<S, L, BACK>(&mut m.normals, vel, last);
    }
    // Or all that this one reads would have a pointer of its own, and all of them go on with every manifold.
    let Thin { normals, friction } = core::hint::black_box(m);
    if let Friction::Each(each) = friction {
        each.visit::<S, L, BACK>(normals, vel, last);
    }
}

#[inline(always)]
fn visit_two<S: Halves, L: Stored, const BACK: bool>(
    first: &mut Thin,
    second: &mut Thin,
    last: &mut Last<S>,
    vel: &mut [L],
) {
    let normals = [&mut first.normals, &mut second.normals];
    let (Friction::Whole(one), Friction::Whole(two)) = (&mut first.friction, &mut second.friction)
    else {
        debug_assert!(false, "twins have their friction as one");
        return;
    };
    Whole::visit_two::<S, L, BACK>([one, two], normals, vel, last);
}

/// The point visited in place `i`.
#[inline(always)]
pub(super) fn nth<const BACK: bool>(i: usize) -> usize {
    if BACK { MAX_POINTS - 1 - i } else { i }
}

//! The position pass: normals under the soft step.
//!
//! A visit asks every point once for its relative velocity, goes over the points with the matrix that
//! couples their normals, and pushes the bodies once. So a point waits for the one before by a product
//! and a maximum, and not for the bodies' velocities.
//!
//! ```text
//! the first    w₀ = n·(v_b − v_a) + (r_u ω_t − r_t ω_u of b) − (the same of a)
//! all others   wₖ = w₀ + d_u (ω_t of b − that of a) − d_t (ω_u of b − that of a)
//! alone        dₖ = ((λₖ − (wₖ + b)/a) / (1 + R/a)) − λₖ
//! each point   Δλₖ = max(dₖ, −λₖ),  dₗ −= G_kl Δλₖ / (a + R) of the points still to come
//! at the end   v ± m⁻¹ n Σ Δλₖ,  ω ± (I⁻¹t Σ Δλₖ r_u − I⁻¹u Σ Δλₖ r_t)
//! ```
//!
//! with r and ω along the normal n and the tangents t, u, and d from the first point to another: a normal
//! turns a body about the tangents alone, and what that takes of the masses comes with the velocities or is kept ([`response`](super::response)).

use super::axes::{Along, Axes};
use super::batch::{Batch, Height, NONE, Packed, Point, Special, place};
use super::dispatch;
use super::kernel::Numbers;
use super::pack::Bodies;
use super::pair::Pair;
use super::prepare;
use super::response::Inertia;
use super::simd::{Line, Simd, Stored, Within, by_halves, two};

/// How a sweep is made.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Whether bodies have moved, so that the terms have to be made anew.
    pub(super) fresh: bool,
    /// Whether inverse masses have changed, so that points are coupled in another way.
    pub(super) turned: bool,
    /// Whether the last comes first.
    pub(super) backwards: bool,
}

/// Visits batches one after the other, there or back: `$BACK` is that in the visit, which is compiled for either.
macro_rules! in_turn {
    ($batches:ident, $backwards:expr, |$batch:ident, $BACK:ident| $visit:block) => {
        if $backwards {
            const $BACK: bool = true;
            for $batch in $batches.iter_mut().rev() $visit
        } else {
            const $BACK: bool = false;
            for $batch in $batches.iter_mut() $visit
        }
    };
}
pub(super) use in_turn;

/// Calls a visit compiled for a number of points and a direction, by halves.
macro_rules! by_size {
    ($visit:ident::<$simd:ty, $back:ident>($($arg:expr),*), $points:expr) => {
        match $points {
            1 => by_halves!($visit::<$simd, _, 1, $back>($($arg),*)),
            2 => by_halves!($visit::<$simd, _, 2, $back>($($arg),*)),
            3 => by_halves!($visit::<$simd, _, 3, $back>($($arg),*)),
            _ => by_halves!($visit::<$simd, _, 4, $back>($($arg),*)),
        }
    };
}
pub(super) use by_size;

/// Visits all batches.
pub(super) fn run<W: Stored, L: Stored>(
    packed: &mut Packed<W>,
    bodies: Bodies<L>,
    soft: &Numbers,
    way: Way,
) {
    dispatch!(of W, L position(
        packed: &mut Packed<W>,
        bodies: Bodies<L>,
        soft: &Numbers,
        way: Way
    ))
}

#[inline(always)]
pub(super) fn position<S: Simd, L: Stored>(
    packed: &mut Packed<S::Stored>,
    bodies: Bodies<L>,
    soft: &Numbers,
    way: Way,
) {
    let Bodies { inv, vel, moved } = bodies;
    let Packed {
        batches,
        points,
        heights,
        special,
        grips,
        responses,
        ..
    } = packed;
    in_turn!(batches, way.backwards, |batch, BACK| {
        let points = &mut points[batch.range()];
        if way.turned {
            let grip = grips.get_mut(batch.grip as usize);
            prepare::renew::<S, L>(batch, points, grip, responses, (inv, vel));
        }
        if way.fresh {
            match batch.special {
                NONE => {
                    let heights = &heights[batch.range()];
                    by_halves!(pose::<S>(batch, points, heights, moved, soft));
                }
                first => take::<S>(points, &special[first as usize..]),
            }
        }
        let inertia = batch.inertia(responses);
        let size = points.len();
        by_size!(visit::<S, BACK>(batch, inertia, points, vel), size);
    });
}

/// Terms of plain contacts at the present places.
#[inline(always)]
fn pose<S: Simd>(
    batch: &Batch<S::Stored>,
    points: &mut [Point<S::Stored>],
    heights: &[Height<S::Stored>],
    moved: &[Line],
    soft: &Numbers,
) {
    let moved = Along::<S>::new(
        &Axes::of(batch),
        &Pair::gather(moved, Within::both(&batch.bodies, moved)),
    );
    let (first, turn) = moved.normal(&levers(batch));
    let pace = two!(|k| S::load(&batch.soft[k]));
    let one = S::splat(1.0);
    for (p, at) in points.iter_mut().zip(heights) {
        let gap = first.add(more(p, turn, S::load(&at.gap)));
        let (bias, reg) = soft.terms(gap, pace);
        bias.store(&mut p.bias);
        one.div(one.add(reg)).store(&mut p.give);
    }
}

/// Terms that were made for each lane.
#[inline(always)]
fn take<S: Simd>(points: &mut [Point<S::Stored>], special: &[Special<S::Stored>]) {
    let one = S::splat(1.0);
    for (p, s) in points.iter_mut().zip(special) {
        p.bias = s.bias[0];
        one.div(one.add(S::load(&s.reg[0]))).store(&mut p.give);
    }
}

#[inline(always)]
fn visit<S: Simd, L: Stored, const N: usize, const BACKWARDS: bool>(
    batch: &Batch<S::Stored>,
    inertia: Inertia<S::Stored>,
    points: &mut [Point<S::Stored>],
    vel: &mut [L],
) {
    let Ok(points) = <&mut [Point<S::Stored>; N]>::try_from(points) else {
        return;
    };
    let at = Within::both(&batch.bodies, vel);
    let mut pair = Pair::<S>::gather(vel, at);
    let speed = Along::new(&Axes::of(batch), &pair).normal(&levers(batch));
    let press = press::<S, N, BACKWARDS>(batch, points, speed, Give::Soft);
    let batch = again(batch);
    let (axes, arms) = (Axes::of(batch), levers(batch));
    inertia.push(&mut pair, axes.0[0].scaled(press.sum));
    inertia.roll(&mut pair, &axes, two!(|s| press.torque(&arms[s])));
    pair.scatter(vel, at);
}

/// The same batch, whose numbers the compiler has to read again from here on. Of those that are asked for before and after
/// the points it would keep what it read, and put all of it aside meanwhile.
#[inline(always)]
pub(super) fn again<W>(batch: &Batch<W>) -> &Batch<W> {
    core::hint::black_box(batch)
}

/// How far a normal yields in a visit.
#[derive(Clone, Copy)]
pub(super) enum Give<'a, W> {
    /// As the soft step has it.
    Soft,
    /// As the velocity pass has it, with the special terms if there are any.
    Law(Option<&'a [Special<W>]>),
}

impl<W: Stored> Give<'_, W> {
    /// Constant part of the row of a point, and 1/(1 + R/a) where that is not 1.
    #[inline(always)]
    fn at<S: Simd<Stored = W>>(self, p: &Point<W>, k: usize) -> (S, Option<S>) {
        let one = S::splat(1.0);
        match self {
            Self::Soft => (S::load(&p.bias), Some(S::load(&p.give))),
            Self::Law(None) => (p.after(), None),
            Self::Law(Some(special)) => {
                let [bias, reg] = special[k].after();
                (bias, Some(one.div(one.add(reg))))
            }
        }
    }
}

/// Visits the normals of a batch, and says what their impulses have gained. `first` is the speed at the first
/// points, and the others have that and what the relative turning about t and u adds.
#[inline(always)]
pub(super) fn press<S: Simd, const N: usize, const BACKWARDS: bool>(
    batch: &Batch<S::Stored>,
    points: &mut [Point<S::Stored>; N],
    (first, turn): (S, [S; 2]),
    give: Give<S::Stored>,
) -> Press<S> {
    let mut press = Press::<S>::none();
    // How each would change by itself, and by how much less for a change of the speed at it.
    let (mut change, mut answer) = ([S::zero(); N], [S::zero(); N]);
    for k in 0..N {
        let p = &points[k];
        let (mut own, share) = give.at::<S>(p, k);
        // The first point is where the others start from.
        if k > 0 {
            own = more(p, turn, own);
        }
        let (mut kept, inverse) = (S::zero(), S::load(&p.inverse));
        answer[k] = inverse;
        if let Some(share) = share {
            answer[k] = inverse.mul(share);
            kept = S::load(&p.impulse).mul(share.sub(S::splat(1.0)));
        }
        // What is known before the speed at the first point is first.
        change[k] = answer[k].nfma(first, answer[k].nfma(own, kept));
    }
    for i in 0..N {
        let k = nth::<N, BACKWARDS>(i);
        let p = &mut points[k];
        let old = S::load(&p.impulse);
        let delta = change[k].max(S::zero().sub(old));
        old.add(delta).store(&mut p.impulse);
        for j in i + 1..N {
            let l = nth::<N, BACKWARDS>(j);
            let entry = S::load(&batch.couple[place(k.min(l), k.max(l))]);
            change[l] = entry.mul(answer[l]).nfma(delta, change[l]);
        }
        press.sum = press.sum.add(delta);
        if k > 0 {
            press.turn(p, delta);
        }
    }
    press
}

/// Arms to the first points of a batch, along t and u.
#[inline(always)]
pub(super) fn levers<S: Simd>(batch: &Batch<S::Stored>) -> [[S; 2]; 2] {
    two!(|s| two!(|k| S::load(&batch.arm[s][k + 1])))
}

/// What the speed along the normal at a point is beyond that at the first one, on top of `own`: known before that is.
#[inline(always)]
pub(super) fn more<S: Simd>(p: &Point<S::Stored>, [wt, wu]: [S; 2], own: S) -> S {
    let [t, u] = two!(|k| S::load(&p.across[k]));
    t.nfma(wu, u.fma(wt, own))
}

/// Impulses along the normals of a batch, taken together.
pub(super) struct Press<S> {
    pub(super) sum: S,
    /// About t and u at the first points, on b.
    torque: [S; 2],
}

impl<S: Simd> Press<S> {
    #[inline(always)]
    fn none() -> Self {
        Self {
            sum: S::zero(),
            torque: [S::zero(); 2],
        }
    }

    /// All of them.
    #[inline(always)]
    pub(super) fn of(points: &[Point<S::Stored>]) -> Self {
        let mut all = Self::none();
        for p in points {
            let impulse = S::load(&p.impulse);
            all.sum = all.sum.add(impulse);
            all.turn(p, impulse);
        }
        all
    }

    /// What one of them turns.
    #[inline(always)]
    fn turn(&mut self, p: &Point<S::Stored>, impulse: S) {
        let ([t, u], [x, y]) = (two!(|k| S::load(&p.across[k])), self.torque);
        self.torque = [u.fma(impulse, x), t.nfma(impulse, y)];
    }

    /// About t and u at a body from which `arm` leads to the first points, on b.
    #[inline(always)]
    pub(super) fn torque(&self, [t, u]: &[S; 2]) -> [S; 2] {
        let ([x, y], sum) = (self.torque, self.sum);
        [u.fma(sum, x), t.nfma(sum, y)]
    }
}

/// The point that is visited as the i-th of `N`.
#[inline(always)]
fn nth<const N: usize, const BACKWARDS: bool>(i: usize) -> usize {
    if BACKWARDS { N - 1 - i } else { i }
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Point};
    use crate::lanes::simd::{Plain, Simd, Wide};
    use rb_core::discretise::Discretiser;
    use rb_core::manifold::ContactMaterial;
    use rb_core::params::Params;

    /// Open, at the touch, soft, becoming firm, rigid, beyond the fastest push-out.
    const GAPS: [f64; 8] = [1e-3, -5e-5, -2e-3, -2.6e-3, -4e-3, -4.9e-3, -6e-3, -1.0];

    #[test]
    fn terms_are_those_of_rows() {
        let rows = Discretiser::new(&Params::game(), 1.0 / 240.0);
        let soft = rows.contact_step(false);
        let pace = [soft.rate, soft.reg].map(Plain::splat);
        let (bias, reg) = Numbers::new(&rows).terms(Plain::load(&Wide(GAPS)), pace);
        let mut point = Point::<Wide>::default();
        bias.store(&mut point.bias);
        let after = point.after();
        for (k, gap) in GAPS.into_iter().enumerate() {
            let material = ContactMaterial::default();
            let [position, velocity] = rows.normal(gap, 0.0, 0.0, &material, 1.0, false);
            let row = [position.bias, position.reg, velocity.bias];
            for (lane, row) in [bias, reg, after].into_iter().zip(row) {
                let mut at = Wide([0.0; 8]);
                lane.store(&mut at);
                assert!(
                    (at.0[k] - row).abs() <= 1e-14 * row.abs(),
                    "gap {gap}: {row}"
                );
            }
        }
    }
}

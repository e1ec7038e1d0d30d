//! Ball joints in the sweeps: three anchored rows along axes at right angles are one point, which is solved
//! as a vector.
//!
//! With E the axes of the rows, r the arms to the point through which the impulse acts, P = Eᵀλ and A the matrix of
//! what an impulse does to w:
//!
//! ```text
//! w = (v_b + ω_b × r_b) − (v_a + ω_a × r_a) + Eᵀ b,   ΔP = −(A⁻¹ w + s P) / (1 + s)
//! ```
//!
//! That is (A + R)⁻¹ (w + R P) with R = s A in the position pass: a softened point yields as a whole, whatever way its
//! axes lie. A rigid one, s = 0, does what its rows would, from half as many numbers. Softened ones are over-relaxed
//! besides. Numbers are fewer still where all bodies have equal moments of inertia, as the balls of a cloth.
//!
//! A point is placed by its frames (see `pin`) or takes its rows when the first substep is prepared, and follows its
//! bodies through the others. From then on there are no rows: who wants some has them made (see `view`).

pub(super) mod view;

use super::carry::Turns;
use super::fill::set;
use super::pack::{Batch, Eight, JointLanes};
use super::pin::Pins;
use super::pull::Pull;
use super::symmetric::{PLACES, inverted, inverted_positive, times, with_square};
use crate::lanes::LANES;
use crate::lanes::batch::Wide3;
use crate::lanes::pair::Pair;
use crate::lanes::simd::{Double, Line, Place, Simd, Stored, Wide, Within};
use crate::lanes::vector::{Mass, V3, product};
use glam::DVec3;
use rb_core::problem::Pass;

/// Visits change the impulses of softened points by so much more in the position pass than would do by itself: of what
/// one gives its neighbours they give most back. For any factor below two a sweep still comes nearer to the solution
/// (A. Ostrowski, "On the linear iteration procedures for symmetric matrices", 1954).
pub(super) const OVER: f64 = 1.3;

/// Turn of its bodies (rad) up to which a point keeps its matrix, where both are round: visits need not have it exactly,
/// and come to the same end with one that is a few per cent off. What has different moments of inertia may have taken
/// geometric stiffness into them, which comes and goes with the load by any factor.
const TURN: f64 = 0.03;

/// No point.
pub(super) const NO_POINT: u32 = u32::MAX;

/// Up to eight points without a common movable body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Point<W = Wide> {
    pub(super) bodies: [[Place; LANES]; 2],
    /// Impulse on b (N·s), and the same along the axes, as it comes and is told.
    impulse: Wide3<W>,
    along: Wide3<W>,
    /// From the centres of mass of a and b to the point (m).
    arm: [Wide3<W>; 2],
    /// By pass: Eᵀ b.
    bias: [Wide3<W>; 2],
    /// A⁻¹ as xx, yy, zz, xy, xz, yz.
    inverse: [W; 6],
    /// How far bodies have turned since that was found (rad), or more, and the sum of their inverse moments of inertia
    /// then.
    turned: W,
    ease: W,
    /// What a visit of the position pass takes off the impulse: of A⁻¹ w and of the impulse, both over-relaxed.
    firm: W,
    fade: W,
    /// Whether all bodies have equal moments of inertia, and no locked axes: masses and moments then come with the
    /// velocities.
    round: bool,
    /// Whether the velocity pass has a bias.
    driven: bool,
    /// From the centre of mass of a to the point it holds (m).
    anchor: Wide3<W>,
    /// E, and the diagonal of E A Eᵀ.
    axes: [Wide3<W>; 3],
    diag: Wide3<W>,
    /// s: R of the position pass in units of A.
    soft: W,
    /// Where the impulses along the axes return to.
    slots: [[u8; LANES]; 3],
}

impl JointLanes {
    /// Gives points to the batches that are swept as such and have none yet; returns the number of the
    /// first of these.
    pub(super) fn number_points(&mut self) -> usize {
        let (swept, first) = (self.groups.is_empty(), self.numbered);
        for batch in &mut self.batches {
            if swept && batch.is_anchored() && batch.square && batch.point == NO_POINT {
                batch.point = self.numbered;
                self.numbered += 1;
            }
        }
        self.make_points();
        first as usize
    }

    /// Makes a batch a point of its own.
    pub(super) fn open_point(&mut self, batch: usize) -> &mut Point {
        let number = self.numbered;
        self.batches[batch].point = number;
        self.numbered += 1;
        self.make_points();
        &mut self.points[number as usize]
    }

    fn make_points(&mut self) {
        let most = self.points.len().max(self.numbered as usize);
        self.points.resize(most, Point::default());
        self.pins.resize(most, Pins::default());
    }
}

impl<W: Stored> Point<W> {
    /// Starts a point of pins, in all lanes if it is `full`, with R of the position pass in units of A and where the
    /// impulses return to.
    pub(super) fn open(
        &mut self,
        bodies: &[[Place; LANES]; 2],
        full: bool,
        soft: f64,
        slots: [u8; 3],
    ) {
        if !full {
            *self = Self::default();
        }
        self.bodies = *bodies;
        (self.bias[1], self.driven) = (Wide3::<W>::default(), false);
        self.soften(W::Plain::splat(soft));
        self.slots = slots.map(|slot| [slot; LANES]);
    }

    /// Takes the impulse of a pin along its axes.
    #[inline]
    pub(super) fn start(&mut self, lane: usize, impulse: DVec3) {
        set(&mut self.along, lane, impulse);
    }

    /// Has R of the position pass be `soft` A.
    #[inline(always)]
    fn soften<S: Simd<Stored = W>>(&mut self, soft: S) {
        let one = S::splat(1.0);
        let over = S::select(S::gt(soft, S::zero()), S::splat(OVER), one);
        let firm = over.div(one.add(soft));
        soft.store(&mut self.soft);
        firm.store(&mut self.firm);
        firm.mul(soft).store(&mut self.fade);
    }

    /// Follows its bodies; `rate` (1/s) and `push` (m/s) are those of the soft step. At the start of a step it comes
    /// from where its pins are at `home`, with the impulse along the axes.
    #[inline(always)]
    pub(super) fn carry<S: Simd<Stored = W>>(
        &mut self,
        now: &Turns<S>,
        [rate, push]: [S; 2],
        home: Option<&Pins<W>>,
    ) -> Pull<S> {
        let turn = now.turn[0].matrix();
        let ([anchor, arm], axes, apart, angle) = match home {
            Some(home) => {
                let arm = [V3::load(&home.arm[0]), V3::load(&home.arm[1])];
                (arm, &home.axes, now.went, S::splat(f64::INFINITY))
            }
            None => {
                let [reach, arm] = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
                let apart = reach.sub(arm).add(now.went);
                let angle = now.turn[0].angle().add(now.turn[1].angle());
                let angle = angle.add(S::load(&self.turned));
                ([V3::load(&self.anchor), arm], &self.axes, apart, angle)
            }
        };
        let axes = [V3::load(&axes[0]), V3::load(&axes[1]), V3::load(&axes[2])];
        angle.store(&mut self.turned);
        let arm = now.turn[1].of(arm);
        let (reach, anchor) = (apart.add(arm), turn.of(anchor));
        let gap = reach.sub(anchor);
        reach.store(&mut self.arm[0]);
        arm.store(&mut self.arm[1]);
        anchor.store(&mut self.anchor);
        let mut bias = V3([S::zero(); 3]);
        if self.driven {
            bias = turn.of(V3::load(&self.bias[1]));
            bias.store(&mut self.bias[1]);
        }
        let mut e = [bias; 3];
        for k in 0..3 {
            e[k] = turn.of(axes[k]);
            e[k].store(&mut self.axes[k]);
            let out = e[k].dot(gap).mul(rate).min(push).max(S::zero().sub(push));
            bias = bias.more(e[k], out);
        }
        bias.store(&mut self.bias[0]);
        let impulse = if home.is_some() {
            let [x, y, z] = &self.along;
            combined(e, [x, y, z])
        } else {
            turn.of(V3::load(&self.impulse))
        };
        impulse.store(&mut self.impulse);
        Pull {
            impulse,
            arm: [anchor, arm],
        }
    }

    /// Makes A⁻¹ from the present masses, those that the velocities of round bodies tell, else those in `inv`; of round
    /// bodies with the same moments as when it was made only where they have turned by more than [`TURN`] since.
    #[inline(always)]
    pub(super) fn prepare<S: Simd<Stored = W>>(
        &mut self,
        mass: &mut [[W; 9]; 2],
        pair: &Pair<S>,
        inv: &[Line],
    ) {
        self.round = pair.is_round();
        if !self.round {
            let own = Mass::of(pair, inv, &self.bodies);
            for s in 0..2 {
                own[s].store(&mut mass[s]);
            }
        }
        let stale = self.stale(pair);
        if !S::any(stale) {
            return;
        }
        S::select(stale, S::zero(), S::load(&self.turned)).store(&mut self.turned);
        let arm = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        let a = match self.round {
            true => coupled_round(pair, &arm),
            false => coupled(&[Mass::load(&mass[0]), Mass::load(&mass[1])], &arm),
        };
        for k in 0..3 {
            let e = V3::load(&self.axes[k]);
            let diag = &mut self.diag[k];
            S::select(stale, e.dot(product(&a, e)), S::load(diag)).store(diag);
        }
        let inverse = match self.round && W::CUBES {
            true => inverted_positive(&a),
            false => inverted(&a),
        };
        for k in 0..6 {
            let to = &mut self.inverse[k];
            S::select(stale, inverse[k], S::load(to)).store(to);
        }
    }

    /// Where A⁻¹ has to be made anew. Notes the present moments.
    #[inline(always)]
    fn stale<S: Simd<Stored = W>>(&mut self, pair: &Pair<S>) -> S::Mask {
        let (zero, one, moments) = (S::zero(), S::splat(1.0), [pair.moment(0), pair.moment(1)]);
        let ease = moments[0].add(moments[1]);
        let change = ease.sub(S::load(&self.ease));
        ease.store(&mut self.ease);
        // Written so that a NaN counts as far, and one of the moments not at all.
        let stays = S::gt(S::splat(TURN), S::load(&self.turned));
        let stale = S::select(stays, zero, one);
        let odd = S::gt(zero, moments[0].min(moments[1]));
        let stale = S::select(odd, one, stale);
        S::gt(change.max(zero.sub(change)).max(stale), zero)
    }

    /// What it does to the inertia of its bodies.
    #[inline(always)]
    pub(super) fn pull<S: Simd<Stored = W>>(&self) -> Pull<S> {
        Pull {
            impulse: V3::load(&self.impulse),
            arm: [V3::load(&self.anchor), V3::load(&self.arm[1])],
        }
    }

    /// Adds W Jᵀλ to the velocities.
    #[inline(always)]
    pub(super) fn warm<S: Simd<Stored = W>>(&self, mass: &[[W; 9]; 2], vel: &mut [Line]) {
        let at = Within::both(&self.bodies, vel);
        self.warm_pair(mass, Pair::<S>::gather(vel, at), vel);
    }

    /// The same to velocities that have been gathered.
    #[inline(always)]
    pub(super) fn warm_pair<S: Simd<Stored = W>, L: Stored>(
        &self,
        mass: &[[W; 9]; 2],
        mut pair: Pair<S>,
        vel: &mut [L],
    ) {
        let arm = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        let back = V3([S::zero(); 3]).sub(V3::load(&self.impulse));
        self.take_off(&mut pair, mass, &arm, back);
        pair.scatter(vel, Within::both(&self.bodies, vel));
    }

    /// Solves the points against the present velocities.
    #[inline(always)]
    pub(super) fn visit<S: Simd<Stored = W>, L: Stored>(
        &mut self,
        mass: &[[W; 9]; 2],
        vel: &mut [L],
        pass: Pass,
    ) {
        let at = Within::both(&self.bodies, vel);
        let mut pair = Pair::<S>::gather(vel, at);
        let arm = [V3::load(&self.arm[0]), V3::load(&self.arm[1])];
        let old = V3::load(&self.impulse);
        let slip = pair.slip(&arm);
        let less = match pass {
            Pass::Position => {
                let change = times(&self.inverse, slip.add(V3::load(&self.bias[0])));
                let faded = old.scaled(S::load(&self.fade));
                faded.more(change, S::load(&self.firm))
            }
            Pass::Velocity if self.driven => {
                times(&self.inverse, slip.add(V3::load(&self.bias[1])))
            }
            Pass::Velocity => times(&self.inverse, slip),
        };
        old.sub(less).store(&mut self.impulse);
        self.take_off(&mut pair, mass, &arm, less);
        pair.scatter(vel, at);
    }

    /// Moves the bodies as if so much were taken off the impulse.
    #[inline(always)]
    fn take_off<S: Simd<Stored = W>>(
        &self,
        pair: &mut Pair<S>,
        mass: &[[W; 9]; 2],
        arm: &[V3<S>; 2],
        p: V3<S>,
    ) {
        if self.round {
            let turns = [arm[0].cross(p), arm[1].cross(p)];
            let ([lin, ang], m, i) = (pair.of(0), pair.mass(0), pair.moment(0));
            pair.set(0, lin.more(p, m), ang.more(turns[0], i));
            let ([lin, ang], m, i) = (pair.of(1), pair.mass(1), pair.moment(1));
            pair.set(1, lin.less(p, m), ang.less(turns[1], i));
        } else {
            pair.push(0, &mass[0], p, arm[0].cross(p));
            let back = V3([S::zero(); 3]).sub(p);
            pair.push(1, &mass[1], back, arm[1].cross(back));
        }
    }
}

impl Point {
    /// Takes the three rows of a batch.
    #[inline(always)]
    pub(super) fn take<S: Double>(&mut self, batch: &Batch, rows: &[Eight]) {
        let [x, y, z] = [&rows[0], &rows[1], &rows[2]];
        let e = [V3::<S>::load(&x.lin), V3::load(&y.lin), V3::load(&z.lin)];
        self.axes = [x.lin, y.lin, z.lin];
        self.bodies = batch.bodies;
        combined(e, [&x.impulse, &y.impulse, &z.impulse]).store(&mut self.impulse);
        let arm = V3::<S>::load(&batch.arm[1]);
        V3::load(&batch.apart).add(arm).store(&mut self.arm[0]);
        arm.store(&mut self.arm[1]);
        self.anchor = batch.arm[0];
        for pass in 0..2 {
            let bias = [&x.bias[pass], &y.bias[pass], &z.bias[pass]];
            combined(e, bias).store(&mut self.bias[pass]);
        }
        self.driven = self.bias[1] != Wide3::default();
        self.soften(S::load(&x.soft));
        S::splat(f64::INFINITY).store(&mut self.turned);
        self.slots = [x.slot, y.slot, z.slot];
        self.along = [x.impulse, y.impulse, z.impulse];
    }
}

/// Eᵀ x.
#[inline(always)]
fn combined<S: Simd>(e: [V3<S>; 3], x: [&S::Stored; 3]) -> V3<S> {
    let first = e[0].scaled(S::load(x[0]));
    first.more(e[1], S::load(x[1])).more(e[2], S::load(x[2]))
}

/// A = Σ 1/m − [r] I⁻¹ [r] of both bodies.
#[inline(always)]
fn coupled<S: Simd>(mass: &[Mass<S>; 2], arm: &[V3<S>; 2]) -> [S; 6] {
    let [x, y, z] = mass[0].lin.add(mass[1].lin).0;
    let zero = S::zero();
    let mut a = [x, y, z, zero, zero, zero];
    for s in 0..2 {
        // The columns of [r]ᵀ and what they turn the body by.
        let [u, v, w] = arm[s].0;
        let columns = [
            V3([zero, w, zero.sub(v)]),
            V3([zero.sub(w), zero, u]),
            V3([v, zero.sub(u), zero]),
        ];
        let turns = [
            mass[s].ang(columns[0]),
            mass[s].ang(columns[1]),
            mass[s].ang(columns[2]),
        ];
        for k in 0..6 {
            let (i, j) = PLACES[k];
            a[k] = a[k].add(turns[i].dot(columns[j]));
        }
    }
    a
}

/// The same of round bodies: Σ 1/m + I⁻¹ (r·r − r rᵀ).
#[inline(always)]
fn coupled_round<S: Simd>(pair: &Pair<S>, arm: &[V3<S>; 2]) -> [S; 6] {
    let (m, zero) = (pair.mass(0).add(pair.mass(1)), S::zero());
    let mut a = [m, m, m, zero, zero, zero];
    for s in 0..2 {
        let (r, i) = (arm[s], pair.moment(s));
        let size = r.dot(r).mul(i);
        a = with_square(a, r, zero.sub(i));
        for k in 0..3 {
            a[k] = a[k].add(size);
        }
    }
    a
}

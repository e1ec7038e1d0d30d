//! What holds for a whole step (axes, effective masses), and terms that are not the plain soft step.

use super::axes::{Arms, Axes};
use super::batch::{Batch, Height, NONE, Packed, Point, Slip, place};
use super::bodies::{is_odd, twist};
use super::grip::Grip;
use super::pack::State;
use super::pair::Pair;
use super::position::levers as first_arms;
use super::precision::either;
use super::response::Response;
use super::section::{Section, immovable};
use super::simd::{Line, Simd, Stored, two};
use super::vector::{Mass, V3, product};
use super::view::vector;
use rb_core::discretise::{Discretiser, SoftStep};
use rb_core::manifold::ContactMaterial;
use rb_core::math::Twist;

/// Soft step of contacts between movable bodies, and of those with an immovable one.
pub type Soft = SoftStep;

impl Section {
    /// Terms of the manifolds that bounce or yield, and of thin ones, for the substep that starts now
    /// with velocities `start`.
    pub(super) fn pose(
        &mut self,
        start: impl Fn(usize) -> Twist,
        state: State,
        numbers: &Discretiser,
        turned: bool,
    ) {
        if self.is_thin() {
            return self.pose_thin(state, turned);
        }
        (self.fresh, self.turned) = (true, turned);
        either!(&mut self.packed, |packed| {
            packed.pose(&self.surfaces, start, state, numbers)
        });
    }
}

impl<W: Stored> Packed<W> {
    /// Special terms, of the manifolds with these surfaces.
    fn pose(
        &mut self,
        surfaces: &[(u32, u8, ContactMaterial)],
        start: impl Fn(usize) -> Twist,
        state: State,
        numbers: &Discretiser,
    ) {
        for (number, lane, material) in surfaces {
            let (batch, lane) = (&self.batches[*number as usize], *lane as usize);
            let sides = two!(|s| batch.bodies[s][lane].line() as usize);
            let still = sides.iter().any(|&b| immovable(state.inv, state.vel, b));
            let free = sides.map(|b| twist(&state.free[b]));
            let moved = sides.map(|b| twist(&state.moved[b]));
            let before = sides.map(&start);
            let normal = vector(&batch.normal, lane);
            let range = batch.range();
            let at = (&self.points[range.clone()], &self.heights[range]);
            for (k, (p, height)) in at.0.iter().zip(at.1).enumerate() {
                let inverse = p.inverse.at(lane);
                if inverse == 0.0 {
                    continue;
                }
                let arm = batch.arms(at, k, lane);
                let along = |v: &[Twist; 2]| normal.dot(v[1].at(arm[1]) - v[0].at(arm[0]));
                let gap = height.gap.at(lane) + along(&moved);
                let rates = [along(&before), along(&free)];
                let terms =
                    numbers.normal(gap, rates[0], rates[1], material, inverse.recip(), still);
                let to = &mut self.special[batch.special as usize + k];
                for (pass, term) in terms.iter().enumerate() {
                    to.bias[pass].set(lane, term.bias);
                    to.reg[pass].set(lane, term.reg * inverse);
                }
            }
        }
    }
}

/// Soft step of each lane: another where one body cannot move.
#[inline(always)]
pub(super) fn soften<S: Simd>(batch: &mut Batch<S::Stored>, soft: &[Soft; 2], moves: [S::Mask; 2]) {
    let [free, still] = two!(|s| [S::splat(soft[s].rate), S::splat(soft[s].reg)]);
    for k in 0..2 {
        let soft = S::select(moves[1], free[k], still[k]);
        S::select(moves[0], soft, still[k]).store(&mut batch.soft[k]);
    }
}

/// Effective masses and coupling.
#[inline(always)]
pub(super) fn prepare<S: Simd>(
    batch: &mut Batch<S::Stored>,
    points: &mut [Point<S::Stored>],
    heights: &[Height<S::Stored>],
    slips: &mut [Slip<S::Stored>],
    grip: Option<&mut Grip<S::Stored>>,
    levers: &Levers<S>,
) {
    let arms = Arms::of(batch, heights);
    couple(batch, points, levers);
    for (slip, (p, at)) in slips.iter_mut().zip(points.iter().zip(heights)) {
        let arm = arms.to(p, at);
        let [x, y] = levers.cross(&arm);
        x.store(&mut slip.cross[0]);
        y.store(&mut slip.cross[1]);
        let step = levers.step(&arm).mul(S::load(&p.inverse));
        step.store(&mut slip.step);
    }
    let first = first_arms(batch);
    for p in points.iter_mut() {
        let live = S::load(&p.inverse);
        levers
            .inverse(&sideways(&first, p))
            .mul(live)
            .store(&mut p.inverse);
    }
    if let Some(grip) = grip {
        grip.prepare(levers, batch, (points, heights));
    }
}

/// What impulses do to bodies, and the coupling of their points, at their present inverse masses. Round bodies stay so
/// when they turn, but stiff joints may make others of them.
#[inline(always)]
pub(super) fn renew<S: Simd, L: Stored>(
    batch: &mut Batch<S::Stored>,
    points: &[Point<S::Stored>],
    grip: Option<&mut Grip<S::Stored>>,
    responses: &mut Vec<Response<S::Stored>>,
    (inv, vel): (&[Line], &[L]),
) {
    if batch.response == NONE {
        if !batch
            .bodies
            .as_flattened()
            .iter()
            .any(|&b| is_odd(&vel[b.line() as usize]))
        {
            return;
        }
        batch.response = responses.len() as u32;
        responses.push(Response::default());
    }
    let mass = Mass::<S>::both(inv, vel, &batch.bodies);
    let response = &mut responses[batch.response as usize];
    response.set(&Axes::of(batch), &mass);
    let levers = Levers::<S>::new(batch, response);
    couple(batch, points, &levers);
    if let Some(grip) = grip {
        grip.couple(&levers, batch);
    }
}

/// J W Jᵀ between the normals of different points.
#[inline(always)]
fn couple<S: Simd>(batch: &mut Batch<S::Stored>, points: &[Point<S::Stored>], levers: &Levers<S>) {
    let first = first_arms(batch);
    for (k, p) in points.iter().enumerate() {
        let pushed = levers.pushed(&sideways(&first, p));
        for (l, q) in points.iter().enumerate().skip(k + 1) {
            let entry = levers.told(&pushed, &sideways(&first, q));
            entry.store(&mut batch.couple[place(k, l)]);
        }
    }
}

/// Arms along the tangents from both bodies to a point, from those to the first.
#[inline(always)]
fn sideways<S: Simd>(first: &[[S; 2]; 2], p: &Point<S::Stored>) -> [[S; 2]; 2] {
    two!(|s| two!(|k| first[s][k].add(S::load(&p.across[k]))))
}

/// W of both bodies along the axes of eight contacts, to ask for entries of J W Jᵀ.
pub(super) struct Levers<S> {
    /// Entries of both linear parts together: nn, nt, nu, tt + uu.
    lin: [S; 4],
    ang: [[S; 6]; 2],
}

impl<S: Simd> Levers<S> {
    /// Of bodies that respond so.
    #[inline(always)]
    pub(super) fn new(batch: &Batch<S::Stored>, response: &Response<S::Stored>) -> Self {
        let axes = Axes::<S>::of(batch);
        let [n, t, u] = axes.0;
        let slide = response.between(t, t).add(response.between(u, u));
        Self {
            lin: [
                response.between(n, n),
                response.between(n, t),
                response.between(n, u),
                slide,
            ],
            ang: two!(|s| response.along(&axes, s)),
        }
    }

    /// Of round bodies.
    #[inline(always)]
    pub(super) fn round(pair: &Pair<S>) -> Self {
        let (zero, lin) = (S::zero(), pair.mass(0).add(pair.mass(1)));
        Self {
            lin: [lin, zero, zero, lin.add(lin)],
            ang: two!(|s| {
                let i = pair.moment(s);
                [i, i, i, zero, zero, zero]
            }),
        }
    }

    /// What an impulse along the normal at a point, which arms along t and u lead to, does to the turning about these.
    #[inline(always)]
    fn pushed(&self, arm: &[[S; 2]; 2]) -> [[S; 2]; 2] {
        two!(|s| {
            let [_, tt, uu, _, _, tu] = self.ang[s];
            let [t, u] = arm[s];
            [t.nfma(tu, u.mul(tt)), t.nfma(uu, u.mul(tu))]
        })
    }

    /// What another point feels of that along the normal.
    #[inline(always)]
    fn told(&self, pushed: &[[S; 2]; 2], arm: &[[S; 2]; 2]) -> S {
        let felt = two!(|s| {
            let [t, u] = arm[s];
            t.nfma(pushed[s][1], u.mul(pushed[s][0]))
        });
        self.lin[0].add(felt[0].add(felt[1]))
    }

    /// 1/a of the normal; 0 where nothing moves, as in idle lanes.
    #[inline(always)]
    fn inverse(&self, arm: &[[S; 2]; 2]) -> S {
        per(S::splat(1.0), self.told(&self.pushed(arm), arm))
    }

    /// Entries of the normal and both tangents.
    #[inline(always)]
    fn cross(&self, arm: &[V3<S>; 2]) -> [S; 2] {
        let felt = two!(|s| {
            let [normal, t, u] = rows(arm[s]);
            let turned = product(&self.ang[s], normal);
            [turned.dot(t), turned.dot(u)]
        });
        two!(|k| self.lin[k + 1].add(felt[0][k].add(felt[1][k])))
    }

    /// ρ of the tangents; 0 where nothing moves.
    #[inline(always)]
    pub(super) fn step(&self, arm: &[V3<S>; 2]) -> S {
        let felt = two!(|s| {
            let [_, t, u] = rows(arm[s]);
            let [x, y] = [product(&self.ang[s], t), product(&self.ang[s], u)];
            x.dot(t).add(y.dot(u))
        });
        per(S::splat(2.0), self.lin[3].add(felt[0].add(felt[1])))
    }

    /// How both bodies turn under these torques, the same way.
    #[inline(always)]
    pub(super) fn turned(&self, torque: [V3<S>; 2]) -> [V3<S>; 2] {
        two!(|s| product(&self.ang[s], torque[s]))
    }

    /// n·W t and n·W u of both linear parts together.
    #[inline(always)]
    pub(super) fn lean(&self) -> [S; 2] {
        [self.lin[1], self.lin[2]]
    }

    /// n·W n of both angular parts together.
    #[inline(always)]
    pub(super) fn spin(&self) -> S {
        self.ang[0][0].add(self.ang[1][0])
    }
}

/// r × n, r × t and r × u, along (n, t, u).
#[inline(always)]
fn rows<S: Simd>(arm: V3<S>) -> [V3<S>; 3] {
    let ([n, t, u], zero) = (arm.0, S::zero());
    [
        V3([zero, u, zero.sub(t)]),
        V3([zero.sub(u), zero, n]),
        V3([t, zero.sub(n), zero]),
    ]
}

/// x/a, or 0 where a is not above 0.
#[inline(always)]
pub(super) fn per<S: Simd>(x: S, a: S) -> S {
    S::select(S::gt(a, S::zero()), x.div(a), S::zero())
}

/// The first tangent, as `rb_core::math::tangents` has it.
#[inline(always)]
pub(super) fn tangent<S: Simd>(n: V3<S>) -> V3<S> {
    let near = S::gt(n.0[0].mul(n.0[0]), S::splat(0.81));
    let (zero, one) = (S::zero(), S::splat(1.0));
    let axis = V3([S::select(near, zero, one), zero, S::select(near, one, zero)]);
    let along = n.dot(axis);
    let t = axis.less(n, along);
    let length = t.dot(t).sqrt();
    // Idle lanes have no normal either.
    V3([t.0[0].div(length), t.0[1].div(length), t.0[2].div(length)])
}

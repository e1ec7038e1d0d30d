//! Steps and coupling: s, r and Ĝ = s J W Jᵀ s.
//!
//! The steps are those of the start of the step. The coupling between points is that of the present
//! attitude, as the velocities would tell it to the next point: the answer is that of batches to the last
//! bits but few, and whether an island is swept this way or that may hang on a contact that only just is one.

use super::visit::{halves, splat};
use super::{Friction, Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Halves, Line, Wide};
use crate::lanes::vector::{Mass, V3};
use rb_core::manifold::MAX_POINTS;

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow prepare(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

/// Manifolds that go through the stages of preparation together: each stage is a chain of roots and quotients, and the
/// processor looks far enough ahead for that of the next manifold, but not past all stages of one.
const TOGETHER: usize = 8;

#[inline(always)]
pub(super) fn prepare<S: Halves>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    for some in manifolds.chunks_mut(TOGETHER) {
        for Thin { normals: m, .. } in some.iter_mut().filter(|thin| !thin.normals.kept) {
            let lever = V3::<S>::load(&m.arm).cross(splat(&m.axes[0]));
            lever.store(&mut m.lever);
            Rows::<S>::new::<false>(m, inv, vel).scale(m);
        }
        for Thin { normals, friction } in some.iter_mut() {
            if let Friction::Whole(whole) = friction {
                whole.settle::<S>(normals);
            }
        }
        for Thin { normals, friction } in some.iter_mut() {
            match friction {
                Friction::Each(each) => {
                    each.scale(normals, &Rows::<S>::new::<true>(normals, inv, vel));
                }
                Friction::Whole(whole) => {
                    whole.scale::<S>(normals, &masses(normals, inv, vel));
                }
            }
        }
        for thin in some {
            couple::<S>(thin, inv, vel);
        }
    }
}

pub(super) fn run_renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

/// Coupling at the present attitude, where W turns with it.
#[inline(always)]
pub(super) fn renew<S: Halves>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    for thin in manifolds {
        let [a, b] = thin.normals.bodies;
        if turns(&inv[a as usize]) || turns(&inv[b as usize]) {
            thin.normals.kept = false;
            couple::<S>(thin, inv, vel);
        }
    }
}

#[inline(always)]
fn couple<S: Halves>(Thin { normals, friction }: &mut Thin, inv: &[Line], vel: &[Line]) {
    let mass = masses(normals, inv, vel);
    let turned = couple_normals::<S>(normals, &mass);
    match friction {
        Friction::Each(each) => {
            each.couple(normals, &Rows::<S>::new::<true>(normals, inv, vel));
        }
        Friction::Whole(whole) => whole.couple(normals, &mass, turned),
    }
}

/// What the normals do to the velocities and to each other; returns W times their levers.
#[inline(always)]
fn couple_normals<S: Halves>(m: &mut Normals, mass: &Mass<S>) -> V3<S> {
    let pull = V3::<S>::load(&m.pull);
    let turned = mass.ang(pull);
    if m.kept {
        return turned;
    }
    let turn = lines(turned);
    for k in 0..MAX_POINTS {
        turn[k].store(&mut m.turn[k]);
    }
    // The next point around in the lower half, the one after that in the upper.
    let (near, root) = (turned.turned(), S::load(&m.root));
    let (far, next) = (near.turned(), root.turned());
    let level = root.mul(S::splat(m.level[0]));
    let level = level.lows(level).mul(next.lows(next.turned()));
    let a = pull.lows(pull).dot_onto(near.lows(far), level);
    let b = pull.highs(pull).dot(near.highs(far));
    a.add(b).store(&mut m.couple);
    turned
}

/// Whether W of a body is more than one number.
#[inline(always)]
fn turns(inv: &Line) -> bool {
    let [xx, yy, zz, xy, xz, yz, ..] = inv.0;
    [yy, zz, xy, xz, yz] != [xx, xx, 0.0, 0.0, 0.0]
}

/// W of a in all lanes of the lower half, of b in those of the upper.
#[inline(always)]
fn masses<S: Halves>(m: &Normals, inv: &[Line], vel: &[Line]) -> Mass<S> {
    let [a, b] = [m.bodies[0] as usize, m.bodies[1] as usize];
    let (w, z) = (&inv[a].0, &inv[b].0);
    let w = [
        halves(w[0], z[0]),
        halves(w[1], z[1]),
        halves(w[2], z[2]),
        halves(w[3], z[3]),
        halves(w[4], z[4]),
        halves(w[5], z[5]),
        halves(w[6], z[6]),
        halves(w[7], z[7]),
    ];
    Mass::new(w, halves(vel[a].0[3], vel[b].0[3]))
}

/// Sums of both halves, in both.
#[inline(always)]
pub(super) fn both<S: Halves>(v: V3<S>) -> V3<S> {
    let [x, y, z] = v.0;
    V3([x.add(x.swapped()), y.add(y.swapped()), z.add(z.swapped())])
}

/// What acts on b in the upper half and its opposite on a in the lower, from the lower half.
#[inline(always)]
pub(super) fn opposed<S: Halves>(x: S) -> S {
    S::zero().sub(x).lows(x)
}

/// The vectors in the lanes of either half, each as the lines of velocities have it.
#[inline(always)]
pub(super) fn lines<S: Halves>(v: V3<S>) -> [S; MAX_POINTS] {
    let ([x, y, z], none) = (v.0, S::zero());
    let (p, q, r) = (x.swapped(), y.swapped(), z.swapped());
    let [a, b, c, d, ..] = S::transposed([x, y, z, none, p, q, r, none]);
    [a, b, c, d]
}

/// The first lane.
#[inline(always)]
pub(super) fn first<S: Halves>(x: S) -> f64 {
    let mut wide = Wide::default();
    x.store(&mut wide);
    wide.0[0]
}

/// Rows of one manifold: in each lane those of a point, felt by a in the lower half and by b in the
/// upper.
pub(super) struct Rows<S> {
    mass: Mass<S>,
    /// Angular parts of the rows.
    lever: [V3<S>; 3],
    /// W times these.
    turned: [V3<S>; 3],
    /// What the linear parts add: nn, nt, nu, tt, tu, uu, the same in all lanes.
    linear: [S; 6],
}

/// Place of a pair of axes in [`Rows::linear`].
const AXES: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

impl<S: Halves> Rows<S> {
    /// Of the normals, and with `ALL` of the tangents at the points, which are zero without.
    #[inline(always)]
    fn new<const ALL: bool>(m: &Normals, inv: &[Line], vel: &[Line]) -> Self {
        let mass = masses(m, inv, vel);
        let arm = V3::load(&m.arm);
        let [n, t, u] = [splat(&m.axes[0]), splat(&m.axes[1]), splat(&m.axes[2])];
        let none = V3([S::zero(); 3]);
        let lever = if ALL {
            [V3::load(&m.lever), arm.cross(t), arm.cross(u)]
        } else {
            [V3::load(&m.lever), none, none]
        };
        let turned = if ALL {
            [mass.ang(lever[0]), mass.ang(lever[1]), mass.ang(lever[2])]
        } else {
            [mass.ang(lever[0]), none, none]
        };
        let lin = both(mass.lin);
        let (ln, lt) = (lin.times(n), lin.times(t));
        Self {
            mass,
            lever,
            turned,
            linear: [
                ln.dot(n),
                ln.dot(t),
                ln.dot(u),
                lt.dot(t),
                lt.dot(u),
                lin.times(u).dot(u),
            ],
        }
    }

    /// Entry of J W Jᵀ between a row of the point in each lane and W times another lever.
    #[inline(always)]
    fn entry(&self, row: usize, other: usize, turned: V3<S>) -> S {
        let turn = self.lever[row].dot(turned);
        turn.add(turn.swapped()).add(self.linear[AXES[row][other]])
    }

    /// Entry between two rows of the same point.
    #[inline(always)]
    pub(super) fn own(&self, row: usize, other: usize) -> S {
        self.entry(row, other, self.turned[other])
    }

    /// Roots of the normals' steps; impulses become scaled.
    #[inline(always)]
    fn scale(&self, m: &mut Normals) {
        let (zero, mass) = (S::zero(), self.own(0, 0));
        let live = S::load(&m.root);
        // Rows that nothing answers to take no step.
        let moves = S::gt(live.add(live.swapped()).mul(mass), zero);
        let whole = mass.sqrt();
        let mut stiff = Wide::default();
        S::select(moves, whole, zero).store(&mut stiff);
        m.stiff.copy_from_slice(&stiff.0[..MAX_POINTS]);
        let root = S::select(moves, S::splat(1.0).div(whole), zero);
        root.lows(zero).store(&mut m.root);
        let impulse = S::load(&m.impulse).mul(whole);
        S::select(moves, impulse, zero).store(&mut m.impulse);
        let [n, t, u] = m.axes;
        m.along = [
            Wide([t[0], u[0], 0.0, n[0], t[1], u[1], 0.0, n[1]]),
            Wide([t[2], u[2], 0.0, n[2], n[0], n[1], n[2], 0.0]),
        ];
        m.level = [
            first(self.linear[0]),
            first(self.linear[1]),
            first(self.linear[2]),
        ];
        self.lever[0].scaled(opposed(root)).store(&mut m.pull);
        let shift = self.mass.lin.times(splat(&m.axes[0]));
        lines(shift.scaled(opposed(S::splat(1.0))))[0].store(&mut m.shift);
    }

    /// W times the levers of rows of the next point around and of the one after that, and their roots.
    #[inline(always)]
    pub(super) fn others(&self, row: usize, root: S) -> [(V3<S>, S); 2] {
        let (near, root) = (self.turned[row].turned(), root.turned());
        [(near, root), (near.turned(), root.turned())]
    }

    /// Entries of a row with one of two other points, by halves, scaled for these.
    #[inline(always)]
    pub(super) fn between(&self, row: usize, other: usize, at: [(V3<S>, S); 2]) -> S {
        let [(near, root), (far, far_root)] = at;
        let near = self.entry(row, other, near).mul(root);
        let far = self.entry(row, other, far).mul(far_root);
        near.lows(far.swapped())
    }
}

//! Steps and coupling: s, r and Ĝ = s J W Jᵀ s.
//!
//! The steps are those of the start of the step. The coupling between points is that of the present
//! attitude, as the velocities would tell it to the next point: the answer is that of batches to the last
//! bits but few, and whether an island is swept this way or that may hang on a contact that only just is one.

use super::visit::{both, splat, splat3};
use super::{Columns, Friction, Normals, Rows, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Halves, Line, Narrow, Stored};
use crate::lanes::vector::{Mass, V3};

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(single prepare(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

/// Manifolds that go through the stages of preparation together: each stage is a chain of roots and quotients, and the
/// processor looks far enough ahead for that of the next manifold, but not past all stages of one.
const TOGETHER: usize = 8;

#[inline(always)]
pub(super) fn prepare<S: Halves>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    for some in manifolds.chunks_mut(TOGETHER) {
        for Thin { normals: m, .. } in some.iter_mut().filter(|thin| !thin.normals.kept) {
            Entries::<S>::new::<false>(m, &masses(m, inv, vel)).scale(m);
        }
        for Thin { normals, friction } in some.iter_mut() {
            if let Friction::Whole(whole) = friction {
                whole.settle::<S>(normals, vel);
            }
        }
        for Thin {
            normals: m,
            friction,
        } in some.iter_mut()
        {
            let mass = masses(m, inv, vel);
            match friction {
                Friction::Each(each) => each.scale(m, &Entries::<S>::new::<true>(m, &mass)),
                Friction::Whole(whole) => whole.scale::<S>(m, &mass),
            }
        }
        for thin in some {
            couple::<S>(thin, inv, vel);
        }
    }
}

pub(super) fn run_renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(single renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
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
fn couple<S: Halves>(
    Thin {
        normals: m,
        friction,
    }: &mut Thin,
    inv: &[Line],
    vel: &[Line],
) {
    if matches!(friction, Friction::Whole(whole) if whole.is_kept(m)) {
        return;
    }
    let mass = masses(m, inv, vel);
    let turned = couple_normals::<S>(m, &mass);
    match friction {
        Friction::Each(each) => each.couple(m, &Entries::<S>::new::<true>(m, &mass)),
        Friction::Whole(whole) => whole.couple(m, &mass, turned),
    }
}

/// What the normals do to the velocities and to each other; returns W times their levers.
#[inline(always)]
fn couple_normals<S: Halves>(m: &mut Normals, mass: &Mass<S>) -> V3<S> {
    let [axis, lever] = m.rows.parts::<S>();
    let turned = mass.ang(lever);
    if m.kept {
        return turned;
    }
    m.columns.set(mass.lin.times(axis), turned);
    let root = S::load(&m.root);
    let level = splat::<S>(m.level[0]).mul(root);
    let row = |lever: V3<S>, root: S| root.fma(level, both(lever.dot(turned)));
    row(lever.each::<0>(), root.spread::<0>()).store(&mut m.couple[0]);
    row(lever.each::<1>(), root.spread::<1>()).store(&mut m.couple[1]);
    row(lever.each::<2>(), root.spread::<2>()).store(&mut m.couple[2]);
    row(lever.each::<3>(), root.spread::<3>()).store(&mut m.couple[3]);
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
    let (p, q) = (inv[a].row::<S>(), inv[b].row::<S>());
    let (low, high) = (p.lows(q), p.highs(q));
    let w = [
        low.spread::<0>(),
        low.spread::<1>(),
        low.spread::<2>(),
        low.spread::<3>(),
        high.spread::<0>(),
        high.spread::<1>(),
        high.spread::<2>(),
        high.spread::<3>(),
    ];
    let lin = vel[a].row::<S>().lows(vel[b].row());
    Mass::new(w, lin.spread::<3>())
}

/// What acts on b in the upper half and its opposite on a in the lower, from the lower half.
#[inline(always)]
pub(super) fn opposed<S: Halves>(x: S) -> S {
    S::zero().sub(x).lows(x)
}

impl Rows {
    /// Takes linear and angular parts, of a in the lower half and of b in the upper.
    #[inline(always)]
    pub(super) fn set<S: Halves>(&mut self, axis: V3<S>, lever: V3<S>) {
        axis.lows(lever).store(&mut self.0[0]);
        axis.highs(lever).store(&mut self.0[1]);
    }

    /// The same.
    #[inline(always)]
    pub(super) fn parts<S: Halves>(&self) -> [V3<S>; 2] {
        let (a, b) = (V3::load(&self.0[0]), V3::load(&self.0[1]));
        [a.lows(b), a.highs(b)]
    }
}

impl<const N: usize> Columns<N> {
    /// Takes what each lane does to linear and angular velocities, of a in the lower half and of b in the upper.
    #[inline(always)]
    pub(super) fn set<S: Halves>(&mut self, V3([x, y, z]): V3<S>, V3([u, v, w]): V3<S>) {
        let lin = S::quartered([x, y, z, S::zero()]);
        let ang = S::quartered([u, v, w, S::zero()]);
        for k in 0..N {
            lin[k].lows(ang[k]).store(&mut self.0[0][k]);
            lin[k].highs(ang[k]).store(&mut self.0[1][k]);
        }
    }
}

/// J W Jᵀ of one manifold: in each lane what is of a point, felt by a in the lower half and by b in the upper.
pub(super) struct Entries<S> {
    /// W of the linear velocities.
    mass: V3<S>,
    axes: [V3<S>; 3],
    /// Angular parts of the rows.
    lever: [V3<S>; 3],
    /// W times these.
    turned: [V3<S>; 3],
    /// What the linear parts add: nn, nt, nu, tt, tu, uu, the same in all lanes.
    linear: [S; 6],
}

/// Place of a pair of axes in [`Entries::linear`].
const AXES: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

impl<S: Halves> Entries<S> {
    /// Of the normals, and with `ALL` of the tangents at the points, which are zero without.
    #[inline(always)]
    fn new<const ALL: bool>(m: &Normals, mass: &Mass<S>) -> Self {
        let arm = V3::load(&m.arm);
        let [n, t, u] = [splat3(&m.axes[0]), splat3(&m.axes[1]), splat3(&m.axes[2])];
        let none = V3([S::zero(); 3]);
        let (lever, turned) = if ALL {
            let lever = [arm.cross(n), arm.cross(t), arm.cross(u)];
            let turned = [mass.ang(lever[0]), mass.ang(lever[1]), mass.ang(lever[2])];
            (lever, turned)
        } else {
            let lever = arm.cross(n);
            ([lever, none, none], [mass.ang(lever), none, none])
        };
        let [x, y, z] = mass.lin.0;
        let lin = V3([both(x), both(y), both(z)]);
        let (ln, lt) = (lin.times(n), lin.times(t));
        Self {
            mass: mass.lin,
            axes: [n, t, u],
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

    /// What a unit along an axis does to linear and to angular velocities, but for its sign.
    #[inline(always)]
    pub(super) fn response(&self, row: usize) -> [V3<S>; 2] {
        [self.mass.times(self.axes[row]), self.turned[row]]
    }

    /// Entry of J W Jᵀ between a row of the point in each lane and W times another lever.
    #[inline(always)]
    fn entry(&self, row: usize, other: usize, turned: V3<S>) -> S {
        both(self.lever[row].dot(turned)).add(self.linear[AXES[row][other]])
    }

    /// Entry between two rows of the same point.
    #[inline(always)]
    pub(super) fn own(&self, row: usize, other: usize) -> S {
        self.entry(row, other, self.turned[other])
    }

    /// Rows of the normals and their roots; impulses become scaled.
    #[inline(always)]
    fn scale(&self, m: &mut Normals) {
        let (zero, mass) = (S::zero(), self.own(0, 0));
        // Rows that nothing answers to take no step.
        let moves = S::gt(S::load(&m.root).mul(mass), zero);
        let whole = mass.sqrt();
        S::select(moves, whole, zero).store(&mut m.stiff);
        let root = S::select(moves, S::splat(1.0).div(whole), zero);
        root.store(&mut m.root);
        let impulse = S::load(&m.impulse).mul(whole);
        S::select(moves, impulse, zero).store(&mut m.impulse);
        let mut level = [Narrow::default(); 3];
        for (to, from) in level.iter_mut().zip(&self.linear) {
            from.store(to);
        }
        m.level = [level[0].0[0], level[1].0[0], level[2].0[0]];
        let signed = opposed(root);
        let axis = splat3(&m.axes[0]).scaled(signed);
        m.rows.set(axis, self.lever[0].scaled(signed));
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
        near.lows(far)
    }
}

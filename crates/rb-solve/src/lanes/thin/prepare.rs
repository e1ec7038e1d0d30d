//! Steps and coupling: s, r and Ĝ = s J W Jᵀ s.
//!
//! The steps are those of the start of the step. The coupling between points is that of the present
//! attitude, as the velocities would tell it to the next point: the answer is that of batches to the last
//! bits but few, and whether an island is swept this way or that may hang on a contact that only just is one.

use super::visit::{sides, splat, upper};
use super::{Friction, Normals, Thin};
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd};
use crate::lanes::vector::{Mass, V3};

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow prepare(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

#[inline(always)]
pub(super) fn prepare<S: Simd>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    let upper = upper::<S>();
    for Thin { normals, friction } in manifolds {
        match friction {
            Friction::Each(each) => {
                let rows = Rows::<S>::new::<true>(normals, inv, vel, upper);
                rows.scale(normals, upper);
                each.scale(normals, &rows, upper);
                rows.couple(normals, upper);
                each.couple(normals, &rows, upper);
            }
            Friction::Whole(whole) => {
                let rows = Rows::<S>::new::<false>(normals, inv, vel, upper);
                rows.scale(normals, upper);
                whole.scale(normals, &rows, upper);
                rows.couple(normals, upper);
                whole.couple(normals, &rows, upper);
            }
        }
    }
}

pub(super) fn run_renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

/// Coupling at the present attitude, where W turns with it.
#[inline(always)]
pub(super) fn renew<S: Simd>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    let upper = upper::<S>();
    for Thin { normals, friction } in manifolds {
        let [a, b] = normals.bodies;
        if !turns(&inv[a as usize]) && !turns(&inv[b as usize]) {
            continue;
        }
        match friction {
            Friction::Each(each) => {
                let rows = Rows::<S>::new::<true>(normals, inv, vel, upper);
                rows.couple(normals, upper);
                each.couple(normals, &rows, upper);
            }
            Friction::Whole(whole) => {
                let rows = Rows::<S>::new::<false>(normals, inv, vel, upper);
                rows.couple(normals, upper);
                whole.couple(normals, &rows, upper);
            }
        }
    }
}

/// Whether W of a body is more than one number.
#[inline(always)]
fn turns(inv: &Line) -> bool {
    let [xx, yy, zz, xy, xz, yz, ..] = inv.0;
    [yy, zz, xy, xz, yz] != [xx, xx, 0.0, 0.0, 0.0]
}

/// Rows of one manifold: in each lane those of a point, felt by a in the lower half and by b in the
/// upper.
pub(super) struct Rows<S> {
    pub(super) mass: Mass<S>,
    /// Angular parts of the rows.
    lever: [V3<S>; 3],
    /// W times these.
    turned: [V3<S>; 3],
    /// What the linear parts add: nn, nt, nu, tt, tu, uu, the same in all lanes.
    linear: [S; 6],
}

/// Place of a pair of axes in [`Rows::linear`].
const AXES: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

impl<S: Simd> Rows<S> {
    /// Of the normals, and with `ALL` of the tangents at the points, which are zero without.
    #[inline(always)]
    fn new<const ALL: bool>(m: &Normals, inv: &[Line], vel: &[Line], upper: S::Mask) -> Self {
        let w = |k: usize| sides(m, inv, upper, k);
        let w = [w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7)];
        let mass = Mass::<S>::new(w, sides(m, vel, upper, 3));
        let arm = V3::load(&m.arm);
        let [n, t, u] = [splat(&m.axes[0]), splat(&m.axes[1]), splat(&m.axes[2])];
        let none = V3([S::zero(); 3]);
        let lever = if ALL {
            [arm.cross(n), arm.cross(t), arm.cross(u)]
        } else {
            [arm.cross(n), none, none]
        };
        let turned = if ALL {
            [mass.ang(lever[0]), mass.ang(lever[1]), mass.ang(lever[2])]
        } else {
            [mass.ang(lever[0]), none, none]
        };
        let [x, y, z] = mass.lin.0;
        let lin = V3([x.add(x.swapped()), y.add(y.swapped()), z.add(z.swapped())]);
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
    pub(super) fn entry(&self, row: usize, other: usize, turned: V3<S>) -> S {
        self.turn(row, turned).add(self.linear[AXES[row][other]])
    }

    /// Its angular part.
    #[inline(always)]
    pub(super) fn turn(&self, row: usize, turned: V3<S>) -> S {
        let turn = self.lever[row].dot(turned);
        turn.add(turn.swapped())
    }

    /// Entry of a row with itself, along an axis, of another lever.
    #[inline(always)]
    pub(super) fn at(&self, axis: usize, lever: V3<S>, turned: V3<S>) -> S {
        let turn = lever.dot(turned);
        turn.add(turn.swapped()).add(self.linear[AXES[axis][axis]])
    }

    /// Entry between two rows of the same point.
    #[inline(always)]
    pub(super) fn own(&self, row: usize, other: usize) -> S {
        self.entry(row, other, self.turned[other])
    }

    /// Roots of the normals' steps; impulses become scaled.
    #[inline(always)]
    fn scale(&self, m: &mut Normals, upper: S::Mask) {
        let (zero, mass) = (S::zero(), self.own(0, 0));
        let live = S::load(&m.root);
        // Rows that nothing answers to take no step.
        let moves = S::gt(live.add(live.swapped()).mul(mass), zero);
        let normal = S::select(moves, S::splat(1.0).div(mass).sqrt(), zero);
        S::select(upper, zero, normal).store(&mut m.root);
        let impulse = S::load(&m.impulse).div(normal);
        S::select(moves, impulse, zero).store(&mut m.impulse);
    }

    /// Coupling between the normals, at the present attitude.
    #[inline(always)]
    fn couple(&self, m: &mut Normals, upper: S::Mask) {
        let normal = S::load(&m.root);
        let normal = normal.add(normal.swapped());
        let entry = self.between(0, 0, self.others(0, normal), upper);
        entry.mul(normal).store(&mut m.couple);
    }

    /// W times the levers of rows of the next point around and of the one after that, and their roots.
    #[inline(always)]
    pub(super) fn others(&self, row: usize, root: S) -> [(V3<S>, S); 2] {
        let (near, root) = (self.turned[row].turned(), root.turned());
        [(near, root), (near.turned(), root.turned())]
    }

    /// Entries of a row with one of two other points, by halves, scaled for these.
    #[inline(always)]
    pub(super) fn between(
        &self,
        row: usize,
        other: usize,
        at: [(V3<S>, S); 2],
        upper: S::Mask,
    ) -> S {
        let [(near, root), (far, far_root)] = at;
        let near = self.entry(row, other, near).mul(root);
        let far = self.entry(row, other, far).mul(far_root);
        S::select(upper, far, near)
    }
}

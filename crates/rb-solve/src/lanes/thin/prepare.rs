//! Steps and coupling: s, r and Ĝ = s J W Jᵀ s.
//!
//! The steps are those of the start of the step. The coupling between points is that of the present
//! attitude, as the velocities would tell it to the next point: the answer is that of batches to the last
//! bits but few, and whether an island is swept this way or that may hang on a contact that only just is one.

use super::Thin;
use super::visit::{sides, splat, upper};
use crate::lanes::dispatch;
use crate::lanes::simd::{Line, Simd};
use crate::lanes::vector::{Mass, V3};

pub(super) fn run(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow prepare(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

#[inline(always)]
pub(super) fn prepare<S: Simd>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    let upper = upper::<S>();
    for m in manifolds {
        let rows = Rows::<S>::new(m, inv, vel, upper);
        rows.scale(m, upper);
        rows.couple(m, upper);
    }
}

pub(super) fn run_renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    dispatch!(narrow renew(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]))
}

/// Coupling at the present attitude, where W turns with it.
#[inline(always)]
pub(super) fn renew<S: Simd>(manifolds: &mut [Thin], inv: &[Line], vel: &[Line]) {
    let upper = upper::<S>();
    for m in manifolds {
        if turns(&inv[m.bodies[0] as usize]) || turns(&inv[m.bodies[1] as usize]) {
            Rows::<S>::new(m, inv, vel, upper).couple(m, upper);
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
struct Rows<S> {
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
    #[inline(always)]
    fn new(m: &Thin, inv: &[Line], vel: &[Line], upper: S::Mask) -> Self {
        let w = |k: usize| sides(m, inv, upper, k);
        let w = [w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7)];
        let mass = Mass::<S>::new(w, sides(m, vel, upper, 3));
        let arm = V3::load(&m.arm);
        let [n, t, u] = [splat(&m.axes[0]), splat(&m.axes[1]), splat(&m.axes[2])];
        let lever = [arm.cross(n), arm.cross(t), arm.cross(u)];
        let [x, y, z] = mass.lin.0;
        let lin = V3([x.add(x.swapped()), y.add(y.swapped()), z.add(z.swapped())]);
        let (ln, lt) = (lin.times(n), lin.times(t));
        Self {
            lever,
            turned: [mass.ang(lever[0]), mass.ang(lever[1]), mass.ang(lever[2])],
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

    /// Roots of the steps, bounds of friction, coupling within each point; impulses become scaled.
    #[inline(always)]
    fn scale(&self, m: &mut Thin, upper: S::Mask) {
        let (zero, one) = (S::zero(), S::splat(1.0));
        let own = |row: usize, other: usize| self.entry(row, other, self.turned[other]);
        let (mass, trace) = (own(0, 0), own(1, 1).add(own(2, 2)));
        let live = S::load(&m.root[0]);
        // Rows that nothing answers to take no step.
        let moves = S::gt(live.add(live.swapped()).mul(mass), zero);
        let slips = S::gt(live.add(live.swapped()).mul(trace), zero);
        let pick = |which: S::Mask, x: S| S::select(which, x, zero);
        let normal = pick(moves, one.div(mass).sqrt());
        let tangent = pick(slips, S::splat(2.0).div(trace).sqrt());
        let limit = S::splat(m.friction).mul(normal).div(tangent);
        pick(slips, limit).store(&mut m.limit);
        let within = normal.mul(tangent);
        let cross = S::select(upper, own(0, 2), own(0, 1));
        within.mul(cross).store(&mut m.cross);
        S::select(upper, zero, normal).store(&mut m.root[0]);
        tangent.store(&mut m.root[1]);
        pick(moves, S::load(&m.impulse[0]).div(normal)).store(&mut m.impulse[0]);
        pick(slips, S::load(&m.impulse[1]).div(tangent)).store(&mut m.impulse[1]);
    }

    /// Coupling between points: with the next one around in the lower half, with the one after that in
    /// the upper.
    #[inline(always)]
    fn couple(&self, m: &mut Thin, upper: S::Mask) {
        let normal = S::load(&m.root[0]);
        let tangent = S::load(&m.root[1]);
        let roots = [normal.add(normal.swapped()), tangent, tangent];
        self.column::<0>(m, &roots, upper);
        self.column::<1>(m, &roots, upper);
        self.column::<2>(m, &roots, upper);
    }

    /// Couples all rows with the rows `C` of other points. (Loops over rows and columns leave these in
    /// memory.)
    #[inline(always)]
    fn column<const C: usize>(&self, m: &mut Thin, roots: &[S; 3], upper: S::Mask) {
        let near = self.turned[C].turned();
        let root = roots[C].turned();
        let others = [(near, root), (near.turned(), root.turned())];
        self.between(0, C, others, upper)
            .mul(roots[0])
            .store(&mut m.couple[C]);
        self.between(1, C, others, upper)
            .mul(roots[1])
            .store(&mut m.couple[3 + C]);
        self.between(2, C, others, upper)
            .mul(roots[2])
            .store(&mut m.couple[6 + C]);
    }

    /// Entries of a row with one of two other points, by halves, scaled for these.
    #[inline(always)]
    fn between(&self, row: usize, other: usize, at: [(V3<S>, S); 2], upper: S::Mask) -> S {
        let [(near, root), (far, far_root)] = at;
        let near = self.entry(row, other, near).mul(root);
        let far = self.entry(row, other, far).mul(far_root);
        S::select(upper, far, near)
    }
}

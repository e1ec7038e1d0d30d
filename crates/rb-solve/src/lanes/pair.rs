//! Velocities of both bodies of eight contacts or joints, as they come from their lines and go back.

use crate::lanes::LANES;
use crate::lanes::simd::{Simd, Stored, Within};
use crate::lanes::vector::{Mass, V3};

/// Velocities of both bodies as they were gathered.
pub(super) struct Pair<S>([[S; LANES]; 2]);

impl<S: Simd> Pair<S> {
    #[inline(always)]
    pub(super) fn gather<L: Stored>(vel: &[L], at: [Within; 2]) -> Self {
        Self([S::take(vel, at[0]), S::take(vel, at[1])])
    }

    #[inline(always)]
    pub(super) fn scatter<L: Stored>(self, vel: &mut [L], at: [Within; 2]) {
        S::put(vel, at[0], self.0[0]);
        S::put(vel, at[1], self.0[1]);
    }

    /// Linear and angular velocity of a side.
    #[inline(always)]
    pub(super) fn of(&self, side: usize) -> [V3<S>; 2] {
        let v = &self.0[side];
        [V3([v[0], v[1], v[2]]), V3([v[4], v[5], v[6]])]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, side: usize, lin: V3<S>, ang: V3<S>) {
        for k in 0..3 {
            self.0[side][k] = lin.0[k];
            self.0[side][k + 4] = ang.0[k];
        }
    }

    /// Inverse mass of the bodies of a side, if no axes are locked.
    #[inline(always)]
    pub(super) fn mass(&self, side: usize) -> S {
        self.0[side][3]
    }

    /// Their inverse moment of inertia.
    #[inline(always)]
    pub(super) fn moment(&self, side: usize) -> S {
        self.0[side][7]
    }

    /// Whether all bodies are round.
    #[inline(always)]
    pub(super) fn is_round(&self) -> bool {
        let least = self.moment(0).min(self.moment(1));
        !S::any(S::gt(S::zero(), least))
    }

    /// Linear velocity of b relative to a.
    #[inline(always)]
    pub(super) fn apart(&self) -> V3<S> {
        let ([va, _], [vb, _]) = (self.of(0), self.of(1));
        vb.sub(va)
    }

    /// Velocity of b's point relative to a's.
    #[inline(always)]
    pub(super) fn slip(&self, arm: &[V3<S>; 2]) -> V3<S> {
        let ([va, wa], [vb, wb]) = (self.of(0), self.of(1));
        wb.cross_onto(arm[1], vb).sub(wa.cross_onto(arm[0], va))
    }

    /// Angular velocity of b relative to a.
    #[inline(always)]
    pub(super) fn spin(&self) -> V3<S> {
        let ([_, wa], [_, wb]) = (self.of(0), self.of(1));
        wb.sub(wa)
    }

    /// A force and a torque on a side.
    #[inline(always)]
    pub(super) fn push(&mut self, side: usize, mass: &[S::Stored; 9], force: V3<S>, torque: V3<S>) {
        let ([lin, ang], mass) = (self.of(side), Mass::load(mass));
        self.set(side, lin.more_by(mass.lin, force), mass.turned(ang, torque));
    }

    /// The same where no axes are locked.
    #[inline(always)]
    pub(super) fn push_even(
        &mut self,
        side: usize,
        mass: &[S::Stored; 9],
        force: V3<S>,
        torque: V3<S>,
    ) {
        let ([lin, ang], own) = (self.of(side), self.mass(side));
        let turned = Mass::load(mass).turned(ang, torque);
        self.set(side, lin.more(force, own), turned);
    }
}

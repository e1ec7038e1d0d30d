//! Masses of the bodies, and which trees can be solved by them.

use super::{Body, Limbs};
use crate::lanes::dispatch;
use crate::lanes::joints::bearing::NO_BEARING;
use crate::lanes::joints::pack::{Batch, JointLanes};
use crate::lanes::joints::prepare::invert;
use crate::lanes::joints::symmetric::inverted;
use crate::lanes::joints::trees::Group;
use crate::lanes::simd::{Double, Wide};
use crate::lanes::vector::Mass;

impl JointLanes {
    /// Finds the masses of all limbs as they are now, and notes which groups are solved body by body: not what forms a
    /// loop, has other joints than bearings, or bodies with locked axes.
    pub(in super::super) fn weigh_limbs(&mut self) {
        run(&mut self.groups, &self.batches, &mut self.limbs);
    }
}

fn run(groups: &mut [Group], batches: &[Batch], limbs: &mut Limbs) {
    dispatch!(weigh_all(groups: &mut [Group], batches: &[Batch], limbs: &mut Limbs))
}

#[inline(always)]
pub(super) fn weigh_all<S: Double>(groups: &mut [Group], batches: &[Batch], limbs: &mut Limbs) {
    limbs
        .splits
        .resize_with(limbs.bodies.len(), Default::default);
    for group in groups {
        let fits = |batch: &Batch| batch.bearing != NO_BEARING && batch.even;
        let fit = !group.limbs().is_empty() && batches[group.batches()].iter().all(fits);
        group.limbed = fit
            && group.limbs().all(|number| {
                let (limb, body) = (limbs.joints[number], &mut limbs.bodies[number]);
                weigh::<S>(body, &batches[limb.batch as usize].mass[limb.side as usize])
            });
    }
}

/// Finds a body's mass and moments of inertia from its W. Whether all of these are above zero in the lanes where they
/// have to be.
#[inline(always)]
fn weigh<S: Double>(body: &mut Body, w: &[Wide; 9]) -> bool {
    let w = Mass::<S>::load(w);
    let (lin, moments) = (w.lin.0[0], inverted(&w.sym));
    invert(lin, lin).store(&mut body.mass);
    for k in 0..6 {
        moments[k].store(&mut body.moments[k]);
    }
    let [zero, one] = [S::zero(), S::splat(1.0)];
    let least = moments[0].min(moments[1]).min(moments[2]).min(lin);
    // A root may be what nothing moves.
    let needed = S::select(w.moves(), one, S::load(&body.needed));
    let missing = S::select(S::gt(least, zero), zero, needed);
    !S::any(S::gt(missing, zero))
}

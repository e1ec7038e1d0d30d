//! How far a search for contacts looks: farther along what two shapes come nearer by, and not because they pass.
//!
//! Two shapes that a plane keeps apart by s touch within a step only if their motion closes s. Let the plane go with the
//! larger shape and n be its unit normal, towards the smaller one, which as the larger one sees it goes by `shift` and
//! turns by `spin` about its own origin. No point of it comes nearer to the plane than by
//!
//! ```text
//! c(n) = max(0, −n · shift) + |n × spin| radius
//! shift = d − θ × r − θ × (d − ½ θ × r)
//! spin = ω − θ − ½ θ × ω
//! ```
//!
//! where d is how far its origin goes beyond that of the larger one, which turns by θ, ω how far it turns itself, and r
//! leads from this origin to that, all to second order. What it passes by along the plane closes nothing.

use crate::recycle::{Sphere, larger_first};
use glam::DVec3;
use rb_core::math::Twist;

/// How two shapes move against each other within a step.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// How far b goes as seen from a (m, world), to first order, and what the turn of the larger one adds.
    shift: DVec3,
    bend: DVec3,
    /// How far the smaller shape turns as seen from the larger one (rad, world), and what is added.
    spin: DVec3,
    veer: DVec3,
    /// Radius of the smaller shape (m).
    radius: f64,
}

impl Approach {
    const NONE: Self = Self {
        shift: DVec3::ZERO,
        bend: DVec3::ZERO,
        spin: DVec3::ZERO,
        veer: DVec3::ZERO,
        radius: 0.0,
    };

    /// Of two shapes each of which moves by its motion: how far its origin goes and it turns (m, rad; world). A motion
    /// both share brings them no nearer, to first order.
    #[inline(always)]
    pub fn new(a: (Sphere, &Twist), b: (Sphere, &Twist)) -> Self {
        let [((at, _), carrier), ((to, radius), own)] = larger_first([a.0.1, b.0.1], [a, b]);
        let (way, carried) = (own.lin - carrier.lin, carrier.ang.cross(to.p - at.p));
        let seen = Self {
            shift: way - carried,
            bend: -carrier.ang.cross(way - 0.5 * carried),
            spin: own.ang - carrier.ang,
            veer: -0.5 * carrier.ang.cross(own.ang),
            radius,
        };
        if a.0.1 >= b.0.1 { seen } else { seen.flipped() }
    }

    /// The same with so many times the way, and turning as it does.
    pub fn farther(self, by: f64) -> Self {
        Self {
            shift: self.shift * by,
            bend: self.bend * by,
            ..self
        }
    }

    /// How much nearer they come at most, in any direction (m, to first order).
    #[inline(always)]
    pub fn nearing(&self) -> f64 {
        self.shift.length() + self.spin.length() * self.radius
    }

    /// How much of a gap along the unit vector `n` from a to b (world) they close at most (m).
    #[inline]
    pub fn closing(&self, n: DVec3) -> f64 {
        let along = -n.dot(self.shift + self.bend);
        // What is no number stays none, and is searched for.
        let shift = if along < 0.0 { 0.0 } else { along };
        shift + n.cross(self.spin + self.veer).length() * self.radius
    }

    fn flipped(self) -> Self {
        Self {
            shift: -self.shift,
            bend: -self.bend,
            ..self
        }
    }
}

/// Up to which gap contacts are searched for.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Where nothing closes it (m).
    least: f64,
    /// At most (m).
    most: f64,
    /// What may close it.
    approach: Approach,
    /// What may if one of both is stopped.
    halted: Option<[Approach; 2]>,
}

impl Reach {
    /// Up to this gap (m) in all directions.
    pub const fn all(most: f64) -> Self {
        Self {
            least: most,
            most,
            approach: Approach::NONE,
            halted: None,
        }
    }

    /// Up to a gap of `least` (m) and what an approach closes beyond, `most` (m) at most.
    pub fn ahead(least: f64, approach: Approach, most: f64) -> Self {
        Self {
            least: least.min(most),
            most,
            approach,
            halted: None,
        }
    }

    /// The same of shapes one of which may be stopped: how they approach then.
    pub fn or_halted(self, halted: [Approach; 2]) -> Self {
        Self {
            halted: Some(halted),
            ..self
        }
    }

    /// The gap up to which anything is found (m).
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Whether it falls short of shapes a plane keeps apart by `gap` (m), with its unit normal from a to b (world), which
    /// is not asked for where the gap decides.
    #[inline]
    pub fn falls_short(&self, gap: f64, normal: impl FnOnce() -> DVec3) -> bool {
        gap > self.most || (gap > self.least && gap > self.least + self.closing(normal()))
    }

    fn closing(&self, n: DVec3) -> f64 {
        let halted = self.halted.iter().flatten().map(|a| a.closing(n));
        halted.fold(self.approach.closing(n), f64::max)
    }

    /// With a and b exchanged.
    pub(crate) fn flipped(&self) -> Self {
        Self {
            approach: self.approach.flipped(),
            halted: self.halted.map(|both| both.map(Approach::flipped)),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::wave::vector;
    use rb_core::math::{Pose, exp_rotation};

    fn moved(pose: &Pose, motion: &Twist) -> Pose {
        Pose::new(pose.p + motion.lin, exp_rotation(motion.ang) * pose.q)
    }

    /// Points of the smaller shape go no nearer to a plane of the larger one than told, but for terms of third order;
    /// and one of them, on the whole, nearly as near.
    #[test]
    fn no_point_closes_more_than_told() {
        let mut tightest = 0.0f64;
        for k in 0..2000u32 {
            let size = if k % 2 == 0 { 0.05 } else { 0.01 };
            let pose = |i: u32| Pose::new(vector(7 * k + i), exp_rotation(vector(11 * k + i)));
            let motion = |i: u32| Twist::new(vector(13 * k + i), vector(17 * k + i)) * size;
            let ([at_a, at_b], [va, vb]) = ([pose(0), pose(3)], [motion(0), motion(4)]);
            let radii = if k % 3 == 0 { [0.4, 0.9] } else { [0.9, 0.4] };
            let approach = Approach::new(((&at_a, radii[0]), &va), ((&at_b, radii[1]), &vb));
            let n = vector(19 * k).normalize();
            // From the larger one to the smaller one, as the larger one sees them before and after.
            let larger_is_a = radii[0] > radii[1];
            let pairs = [(at_a, va), (at_b, vb)];
            let [(large, vl), (small, vs)] = if larger_is_a {
                pairs
            } else {
                [pairs[1], pairs[0]]
            };
            let toward = if larger_is_a { n } else { -n };
            let seen = |large: Pose, small: Pose, x: DVec3| large.inverse().point(small.point(x));
            let mut most = f64::NEG_INFINITY;
            for i in 0..200 {
                let x = vector(23 * k + 5 * i).normalize() * radii[0].min(radii[1]);
                let before = seen(large, small, x);
                let after = seen(moved(&large, &vl), moved(&small, &vs), x);
                most = most.max((before - after).dot(large.q.conjugate() * toward));
            }
            let told = approach.closing(n);
            assert!(most <= told + 20.0 * size.powi(3), "{most} {told}");
            tightest = tightest.max(most / told);
            assert!(told <= approach.nearing() + 3.0 * size * size);
        }
        assert!(tightest > 0.95, "{tightest}");
    }

    #[test]
    fn what_comes_is_looked_for_farther_than_what_passes() {
        let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::X * 2.0));
        let toward = |lin: DVec3| {
            let motions = [Twist::ZERO, Twist::new(lin, DVec3::ZERO)];
            Approach::new(((&here, 1.0), &motions[0]), ((&there, 1.0), &motions[1]))
        };
        let [passes, comes, goes] = [DVec3::Y, -DVec3::X, DVec3::X].map(|v| toward(v * 0.5));
        let x = || DVec3::X;
        for (approach, reaches) in [(passes, 0.01), (comes, 0.51), (goes, 0.01)] {
            let reach = Reach::ahead(0.01, approach, 1.0);
            assert!(!reach.falls_short(reaches - 1e-9, x) && reach.falls_short(reaches + 1e-9, x));
            let back = reach.flipped();
            assert!(back.falls_short(reaches + 1e-9, || -x()));
            assert!(!back.falls_short(reaches - 1e-9, || -x()));
        }
        // Not farther than at most, and whatever way if all are asked for.
        assert!(Reach::ahead(0.01, comes, 0.3).falls_short(0.31, x));
        assert!(!Reach::all(0.3).falls_short(0.3, x) && Reach::all(0.3).falls_short(0.31, x));
        // One goes along with the other, until that is stopped.
        let halted = Reach::ahead(0.01, toward(DVec3::ZERO), 1.0).or_halted([comes, goes]);
        assert!(!halted.falls_short(0.5, x) && halted.falls_short(0.52, x));
        // What is no number is searched for.
        assert!(!Reach::ahead(0.01, comes, 0.3).falls_short(f64::NAN, x));
        let lost = toward(DVec3::NAN);
        assert!(!Reach::ahead(0.01, lost, 0.3).falls_short(0.2, x));
    }

    /// Two shapes on one turning, rolling platform come no nearer; one that moves in it by what it moves.
    #[test]
    fn shared_motion_brings_nothing_nearer() {
        let a = Pose::new(DVec3::new(1e3, 2.0, 3.0), exp_rotation(DVec3::X));
        let b = Pose::new(DVec3::new(1e3, 3.0, 2.5), exp_rotation(DVec3::Z));
        let (pivot, turn) = (DVec3::new(998.0, 1.0, 0.0), DVec3::new(0.3, -0.2, 0.1));
        let carried = |p: &Pose| Twist::new(DVec3::Y * 0.4 + turn.cross(p.p - pivot), turn);
        let (va, mut vb) = (carried(&a), carried(&b));
        let both = |va: &Twist, vb: &Twist| {
            let (a, b) = (((&a, 0.5), va), ((&b, 0.7), vb));
            [Approach::new(a, b), Approach::new(b, a)].map(|found| found.nearing())
        };
        for found in both(&va, &vb) {
            assert!(found < 1e-12, "{found}");
        }
        vb.lin += DVec3::new(0.03, 0.0, 0.04);
        vb.ang += DVec3::Y * 0.1;
        for found in both(&va, &vb) {
            // Of the smaller shape, the first, as the larger one sees it.
            let origin = DVec3::new(0.03, 0.0, 0.04) + (DVec3::Y * 0.1).cross(a.p - b.p);
            let told = origin.length() + 0.1 * 0.5;
            assert!((found - told).abs() < 1e-12, "{found}");
        }
    }
}

//! What the points of a manifold push with: stored in the form in which it was found.
//!
//! Friction is that of each point, or one for all of them: two tangential impulses and what turns b about the normal. In
//! the second form all of it takes seven numbers, which lie in one cache line with all else that a step leaves behind;
//! that each point has a share of it is for those who ask.

use super::{MAX_POINTS, Manifold};
use crate::math::tangents;
use bytemuck::NoUninit;
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Numbers of the form in which friction is one.
pub const WHOLE: usize = MAX_POINTS + 3;

/// Numbers that the longer form takes besides: it has three for each point, and three for all.
const REST: usize = 3 * MAX_POINTS + 3 - WHOLE;

/// Impulses of a manifold, in the form that its [`marks`](Manifold::marks) tell: all of them, or the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Stored([f64; WHOLE]);

/// The others; zero where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Rest([f64; REST]);

impl Rest {
    /// One number after the other.
    #[inline]
    pub fn numbers(&self) -> &[f64; REST] {
        &self.0
    }
}

/// What is true of a manifold or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Marks(u8);

bitflags::bitflags! {
    impl Marks: u8 {
        /// A point carried an impulse or was closed at the end of the last step.
        const CLOSED = 1;
        /// Friction is one for all points, and stored as that.
        const WHOLE = 2;
        /// It was solved exactly in a stiff cluster in the last step, for what it carried.
        const STIFF = 4;
    }
}

/// Impulses of a manifold: last step's before the solve, this step's after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impulses {
    /// With friction at each point.
    Each {
        /// Of each point along normal, tangent 1 and tangent 2 (N·s).
        points: [[f64; 3]; MAX_POINTS],
        /// Angular impulse on b beyond what the points do (N·m·s, world): of resistance to spin and rolling, or what is
        /// left of a friction that was one.
        spin: DVec3,
    },
    /// With one friction: the normal impulse of each point, the tangential ones of all (N·s), and what turns b about
    /// the normal through the first point (N·m·s).
    Whole([f64; WHOLE]),
}

impl Default for Impulses {
    /// None, in the shorter form.
    fn default() -> Self {
        Self::Whole([0.0; WHOLE])
    }
}

impl Impulses {
    /// Whether a point pushes.
    #[inline]
    pub fn pushes(&self) -> bool {
        match self {
            Self::Each { points, .. } => points.iter().any(|p| p[0] > 0.0),
            Self::Whole(whole) => whole[..MAX_POINTS].iter().any(|p| *p > 0.0),
        }
    }
}

impl Manifold {
    /// Its impulses, as they are stored.
    #[inline]
    pub fn impulses(&self) -> Impulses {
        if self.marks.contains(Marks::WHOLE) {
            return Impulses::Whole(self.stored.0);
        }
        let (points, spin) = self.each();
        Impulses::Each { points, spin }
    }

    /// Sets its impulses.
    #[inline]
    pub fn set_impulses(&mut self, impulses: &Impulses) {
        match impulses {
            Impulses::Each { points, spin } => {
                let (first, rest) = points.as_flattened().split_at(WHOLE);
                let (of_points, of_all) = self.rest.0.split_at_mut(rest.len());
                self.stored.0.copy_from_slice(first);
                of_points.copy_from_slice(rest);
                of_all.copy_from_slice(&spin.to_array());
                self.marks.remove(Marks::WHOLE);
            }
            Impulses::Whole(whole) => {
                self.stored.0 = *whole;
                if !self.marks.contains(Marks::WHOLE) {
                    // Equal contacts are stored in equal bytes.
                    self.rest = Rest::default();
                    self.marks.insert(Marks::WHOLE);
                }
            }
        }
    }

    /// Impulses with friction as one, [as they are stored](Impulses::Whole) or summed up from those of each point.
    pub fn whole(&self) -> [f64; WHOLE] {
        if self.marks.contains(Marks::WHOLE) {
            return self.stored.0;
        }
        let (points, spin) = self.each();
        let mut out = [0.0; WHOLE];
        let [a, b, c, d, x, y, twist] = &mut out;
        *twist = self.normal.dot(spin);
        let loads = [a, b, c, d].into_iter().zip(points).zip(self.beside());
        for ((to, [load, t, u]), off) in loads {
            *to = load;
            (*x, *y) = (*x + t, *y + u);
            *twist += off.perp_dot(DVec2::new(t, u));
        }
        out
    }

    /// Impulses (N·s) of each point along normal, tangent 1 and tangent 2, and the angular impulse on b beyond what they do
    /// (N·m·s, world). Of a friction that is one each point has its share by its load.
    pub fn each(&self) -> ([[f64; 3]; MAX_POINTS], DVec3) {
        let (Stored(first), Rest(rest)) = (&self.stored, &self.rest);
        if !self.marks.contains(Marks::WHOLE) {
            let number = |k: usize| first.get(k).unwrap_or_else(|| &rest[k - WHOLE]);
            let points = core::array::from_fn(|k| core::array::from_fn(|i| *number(3 * k + i)));
            return (points, DVec3::from_slice(&rest[REST - 3..]));
        }
        let [a, b, c, d, x, y, twist] = *first;
        let loads = [a, b, c, d];
        let mut points = loads.map(|load| [load, 0.0, 0.0]);
        let total: f64 = loads.iter().sum();
        if total <= 0.0 {
            return (points, DVec3::ZERO);
        }
        let mut left = twist;
        for ([load, t, u], off) in points.iter_mut().zip(self.beside()) {
            let share = *load / total;
            (*t, *u) = (share * x, share * y);
            left -= off.perp_dot(DVec2::new(*t, *u));
        }
        (points, self.normal * left)
    }

    /// From its first point to each of those in use, along the tangents (m).
    fn beside(&self) -> impl Iterator<Item = DVec2> {
        let [t, u] = tangents(self.normal);
        let first = self.points[0].arm;
        self.points().iter().map(move |p| {
            let off = p.arm - first;
            DVec2::new(t.dot(off), u.dot(off))
        })
    }

    /// Multiplies all impulses: the same forces over a substep of another length.
    #[inline]
    pub fn scale(&mut self, factor: f64) {
        if factor != 1.0 {
            let all = self.stored.0.iter_mut().chain(&mut self.rest.0);
            all.for_each(|p| *p *= factor);
        }
    }

    /// Sum of the normal impulses (N·s).
    pub fn normal_impulse(&self) -> f64 {
        match self.impulses() {
            Impulses::Each { points, .. } => points.iter().map(|p| p[0]).sum(),
            Impulses::Whole(whole) => whole[..MAX_POINTS].iter().sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchor::Anchored;

    /// Four corners of a face.
    fn manifold() -> Manifold {
        let normal = DVec3::new(0.6, 0.8, 0.0);
        let [t, u] = tangents(normal);
        let corner = |k: u32| {
            let (x, y) = (f64::from(k % 2), f64::from(k / 2));
            let arm = [normal * 0.5 + t * x + u * (0.7 * y); 2];
            (k, Anchored { arm, gap: 0.0 })
        };
        let mut manifold = Manifold {
            normal,
            ..Manifold::default()
        };
        manifold.set_points((0..4).map(corner));
        manifold
    }

    /// Impulse on b, and what turns it about the normal through the first point.
    fn sums(m: &Manifold) -> (DVec3, f64) {
        let (points, spin) = m.each();
        let [t, u] = tangents(m.normal);
        let mut sum = (DVec3::ZERO, m.normal.dot(spin));
        for (p, [n, x, y]) in m.points().iter().zip(points) {
            let push = m.normal * n + t * x + u * y;
            sum.0 += push;
            sum.1 += m.normal.dot((p.arm - m.points[0].arm).cross(push));
        }
        sum
    }

    #[test]
    fn both_forms_do_the_same() {
        let mut m = manifold();
        let points = [[1.0, 0.1, 0.2], [2.0, -0.3, 0.0], [0.0; 3], [4.0, 0.2, 0.5]];
        let spin = m.normal * 0.25;
        m.set_impulses(&Impulses::Each { points, spin });
        assert_eq!(m.each(), (points, spin));
        let (push, twist) = sums(&m);
        let whole = m.whole();
        assert_eq!(whole[..MAX_POINTS], [1.0, 2.0, 0.0, 4.0]);
        m.set_impulses(&Impulses::Whole(whole));
        assert_eq!(m.whole(), whole);
        let (shared, turned) = sums(&m);
        assert!((shared - push).length() < 1e-14 && (turned - twist).abs() < 1e-14);
        assert_eq!(m.normal_impulse(), 7.0);
        // What carries no load has no share.
        assert_eq!(m.each().0[2], [0.0; 3]);
        m.scale(2.0);
        assert_eq!(m.whole(), whole.map(|x| 2.0 * x));
    }

    #[test]
    fn equal_impulses_are_stored_in_equal_bytes() {
        let [mut a, mut b] = [manifold(); 2];
        let points = [[1.0; 3]; MAX_POINTS];
        let spin = DVec3::ONE;
        a.set_impulses(&Impulses::Each { points, spin });
        let whole = Impulses::Whole([1.0; WHOLE]);
        a.set_impulses(&whole);
        b.set_impulses(&whole);
        assert_eq!(bytemuck::bytes_of(&a), bytemuck::bytes_of(&b));
    }

    #[test]
    fn without_load_there_is_no_friction() {
        let mut m = manifold();
        m.set_impulses(&Impulses::Whole([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
        assert_eq!(m.each(), ([[0.0; 3]; MAX_POINTS], DVec3::ZERO));
        assert!(!m.impulses().pushes());
    }
}

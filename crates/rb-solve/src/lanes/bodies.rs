//! What a body is to its contacts: four lines of eight numbers, and where they lie.
//!
//! The lines of a large island lie in sections of equally many movable bodies, each followed by the
//! guests (bodies nothing moves, of which every section has its own copy) and by the body of idle lanes.
//! So every section is a slice that one thread can have to itself.

use super::pack::ContactLanes;
use super::section::{Section, suit_single};
use super::simd::{Line, Narrow, Stored};
use glam::DVec3;
use rb_core::mass::InvMass;
use rb_core::math::Twist;

use crate::lanes::LANES;
use crate::parallel::Parts;
use core::ops::Range;

/// How the lines of bodies lie.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub(super) movable: usize,
    pub(super) guests: usize,
    /// Movable bodies of a section; the last may have fewer.
    pub(super) size: usize,
    pub(super) sections: usize,
}

impl Layout {
    pub(super) fn new(movable: usize, guests: usize, size: usize) -> Self {
        Self {
            movable,
            guests,
            size,
            sections: movable.div_ceil(size.max(1)).max(1),
        }
    }

    /// Lines of a section.
    pub(super) fn stride(&self) -> usize {
        self.size + self.guests + 1
    }

    /// Lines in all.
    pub(super) fn lines(&self) -> usize {
        self.sections * self.stride()
    }

    /// Section of a body, `None` for a guest, and its line there.
    #[inline]
    pub(super) fn place(&self, body: usize) -> (Option<usize>, usize) {
        if body >= self.movable {
            (None, self.size + body - self.movable)
        } else if self.sections == 1 {
            (Some(0), body)
        } else {
            (Some(body / self.size), body % self.size)
        }
    }

    /// Its line, the first of a guest.
    #[inline]
    pub(super) fn line(&self, body: usize) -> usize {
        let (section, line) = self.place(body);
        section.unwrap_or(0) * self.stride() + line
    }

    /// All its lines.
    #[inline]
    fn copies(&self, body: usize) -> impl Iterator<Item = usize> {
        let copies = if body < self.movable {
            1
        } else {
            self.sections
        };
        let stride = self.stride();
        let first = self.line(body);
        (0..copies).map(move |k| first + k * stride)
    }

    /// The body of a line.
    pub(super) fn body(&self, line: usize) -> usize {
        let (section, line) = (line / self.stride(), line % self.stride());
        if line < self.size {
            section * self.size + line
        } else {
            self.movable + line - self.size
        }
    }
}

impl ContactLanes {
    /// Inverse mass of a body, for the present substep; between substeps its angular part alone may change.
    #[inline]
    pub fn set_mass(&mut self, body: usize, w: &InvMass) {
        for line in self.layout.copies(body) {
            self.other[line] |= put_mass(&mut self.inv[line], &mut self.vel[line], w);
        }
        self.turned = true;
    }

    /// Velocity of a body (m/s, rad/s).
    #[inline]
    pub fn velocity(&self, body: usize) -> Twist {
        twist(&self.vel[self.layout.line(body)])
    }

    /// Sets the velocity of a body.
    #[inline]
    pub fn set_velocity(&mut self, body: usize, v: &Twist) {
        for line in self.layout.copies(body) {
            put_velocity(&mut self.vel[line], v);
        }
    }

    /// Sets the velocity of a body after forces, before impulses.
    #[inline]
    pub fn set_free(&mut self, body: usize, v: &Twist) {
        for line in self.layout.copies(body) {
            self.free[line] = packed(v, 0.0);
        }
    }

    /// Velocity of a body after forces, before impulses (m/s, rad/s).
    #[inline]
    pub fn free(&self, body: usize) -> Twist {
        twist(&self.free[self.layout.line(body)])
    }

    /// Sets the displacement of a body since the contacts were found (m, rad).
    #[inline]
    pub fn set_moved(&mut self, body: usize, by: &Twist) {
        for line in self.layout.copies(body) {
            self.moved[line] = packed(by, 0.0);
        }
    }

    /// Whether what moves its bodies may be swept in single precision.
    pub fn suits_single(&self) -> bool {
        suit_single(&self.inv, &self.vel)
    }

    /// All lines, to be worked on section by section, each with its guests and the body of idle lanes.
    pub fn lines(&mut self) -> BodyLines<'_> {
        self.split().1
    }

    /// Sections, and the lines of their bodies.
    pub(super) fn split(&mut self) -> (&mut [Section], BodyLines<'_>) {
        let lines = BodyLines {
            size: self.layout.size,
            stride: self.layout.stride(),
            vel: &mut self.vel,
            narrow: &mut self.narrow,
            moved: &mut self.moved,
            inv: &mut self.inv,
            free: &mut self.free,
            other: &mut self.other,
        };
        (&mut self.sections, lines)
    }

    /// Section of a body, `None` for a guest, and its number among the lines of a section.
    #[inline]
    pub fn place(&self, body: usize) -> (Option<usize>, usize) {
        self.layout.place(body)
    }
}

/// Lines of movable bodies, section after section; bodies are counted within the first of these.
#[derive(Debug)]
pub struct BodyLines<'a> {
    size: usize,
    stride: usize,
    pub(super) vel: &'a mut [Line],
    /// Velocities in single precision, or none.
    pub(super) narrow: &'a mut [Narrow],
    pub(super) moved: &'a mut [Line],
    pub(super) inv: &'a mut [Line],
    pub(super) free: &'a mut [Line],
    /// Whether inverse masses are others than contacts were packed with.
    pub(super) other: &'a mut [bool],
}

impl<'a> BodyLines<'a> {
    /// Lines of bodies without guests: velocities, displacements, inverse masses and free velocities of all.
    pub(super) fn alone(
        [vel, moved, inv, free]: [&'a mut [Line]; 4],
        other: &'a mut [bool],
    ) -> Self {
        Self {
            size: vel.len(),
            stride: vel.len(),
            vel,
            narrow: &mut [],
            moved,
            inv,
            free,
            other,
        }
    }
}

impl BodyLines<'_> {
    /// Bodies of a section.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A run of the bodies of a section, to be worked on in parts of `size` and in double precision.
    pub fn run(&mut self, run: Range<usize>, size: usize) -> BodyLines<'_> {
        BodyLines {
            size,
            stride: size,
            vel: &mut self.vel[run.clone()],
            narrow: &mut [],
            moved: &mut self.moved[run.clone()],
            inv: &mut self.inv[run.clone()],
            free: &mut self.free[run.clone()],
            other: &mut self.other[run],
        }
    }

    /// Inverse mass of a body, for the present substep; between substeps its angular part alone may change.
    #[inline]
    pub fn set_mass(&mut self, body: usize, w: &InvMass) {
        self.other[body] |= put_mass(&mut self.inv[body], &mut self.vel[body], w);
    }

    /// Velocity of a body (m/s, rad/s).
    #[inline]
    pub fn velocity(&self, body: usize) -> Twist {
        twist(&self.vel[body])
    }

    /// Sets the velocity of a body.
    #[inline]
    pub fn set_velocity(&mut self, body: usize, v: &Twist) {
        put_velocity(&mut self.vel[body], v);
    }

    /// Velocity of a body after forces, before impulses (m/s, rad/s).
    #[inline]
    pub fn free(&self, body: usize) -> Twist {
        twist(&self.free[body])
    }

    /// Sets the velocity of a body after forces, before impulses.
    #[inline]
    pub fn set_free(&mut self, body: usize, v: &Twist) {
        self.free[body] = packed(v, 0.0);
    }

    /// Sets the displacement of a body since the contacts were found (m, rad).
    #[inline]
    pub fn set_moved(&mut self, body: usize, by: &Twist) {
        self.moved[body] = packed(by, 0.0);
    }

    /// Displacement of a body since the contacts were found (m, rad).
    #[inline]
    pub fn moved(&self, body: usize) -> Twist {
        twist(&self.moved[body])
    }
}

impl Parts for BodyLines<'_> {
    fn parts(&self) -> usize {
        self.vel.len().div_ceil(self.stride.max(1))
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = (parts * self.stride).min(self.vel.len());
        let (vel, vel2) = self.vel.split_at_mut(at);
        let (narrow, narrow2) = self.narrow.split_at_mut(at.min(self.narrow.len()));
        let (moved, moved2) = self.moved.split_at_mut(at);
        let (inv, inv2) = self.inv.split_at_mut(at);
        let (free, free2) = self.free.split_at_mut(at);
        let (other, other2) = self.other.split_at_mut(at);
        let of = |vel, narrow, moved, inv, free, other| BodyLines {
            size: self.size,
            stride: self.stride,
            vel,
            narrow,
            moved,
            inv,
            free,
            other,
        };
        (
            of(vel, narrow, moved, inv, free, other),
            of(vel2, narrow2, moved2, inv2, free2, other2),
        )
    }
}

/// In place of the inverse moment of inertia of a body that is not round.
const ODD: f64 = -1.0;

/// Whether the body of a line of velocities is not round: it has locked axes or different moments of inertia.
#[inline(always)]
pub(super) fn is_odd(vel: &impl Stored) -> bool {
    vel.at(7) < 0.0
}

/// Says whether it is another than it was. (Of 1/m along z, which lies beside the velocity, sweeps may leave the digits of
/// single precision alone; along x and y it has all of them.)
#[inline]
fn put_mass(inv: &mut Line, vel: &mut Line, w: &InvMass) -> bool {
    let a = &w.ang;
    let ang = [
        a.x_axis.x, a.y_axis.y, a.z_axis.z, a.x_axis.y, a.x_axis.z, a.y_axis.z,
    ];
    let [xx, yy, zz, xy, xz, yz] = ang;
    let [x, y, z] = w.lin.to_array();
    let now = [xx, yy, zz, xy, xz, yz, x, y];
    let (before, swept) = (core::mem::replace(&mut inv.0, now), vel.0[3]);
    let round = [x, y] == [z, z] && [yy, zz, xy, xz, yz] == [xx, xx, 0.0, 0.0, 0.0];
    (vel.0[3], vel.0[7]) = (z, if round { xx } else { ODD });
    before != now || swept as f32 != z as f32
}

#[inline]
fn put_velocity(vel: &mut Line, v: &Twist) {
    let [_, _, _, mass, .., moment] = vel.0;
    *vel = packed(v, mass);
    vel.0[7] = moment;
}

#[inline]
pub(super) fn packed(t: &Twist, fourth: f64) -> Line {
    let (l, a) = (t.lin, t.ang);
    let numbers: [f64; LANES] = [l.x, l.y, l.z, fourth, a.x, a.y, a.z, 0.0];
    super::simd::Wide(numbers)
}

#[inline]
pub(super) fn twist(line: &Line) -> Twist {
    let [x, y, z, _, u, v, w, _] = line.0;
    Twist::new(DVec3::new(x, y, z), DVec3::new(u, v, w))
}

#[cfg(test)]
mod tests {
    use super::super::simd::{Narrow, Stored, Wide};
    use super::*;
    use glam::DMat3;

    #[test]
    fn what_single_precision_leaves_of_a_mass_is_no_other_mass() {
        let mass = |m: f64| InvMass {
            lin: DVec3::splat(m),
            ang: DMat3::from_diagonal(DVec3::splat(6.0 * m)),
        };
        let (mut inv, mut vel) = (Line::default(), Line::default());
        assert!(put_mass(&mut inv, &mut vel, &mass(0.01)));
        let mut narrow = Narrow::default();
        (0..LANES).for_each(|i| narrow.set(i, vel.at(i)));
        let swept = Wide(core::array::from_fn(|i| narrow.at(i)));
        assert!(swept != vel);
        vel = swept;
        assert!(!put_mass(&mut inv, &mut vel, &mass(0.01)));
        assert!(put_mass(&mut inv, &mut vel, &mass(0.01 * (1.0 + 1e-12))));
    }
}

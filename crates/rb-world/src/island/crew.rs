//! Movable bodies and what lanes hold of them, section by section: the part of a substep that goes body
//! by body.

use super::Shared;
use rb_core::integrate::Mover;
use rb_core::mass::LockedAxes;
use rb_core::math::Twist;
use rb_solve::lanes::BodyLines;
use rb_solve::parallel::{self, Parts};

/// Bodies that one thread looks after.
pub(super) struct Crew<'a> {
    pub(super) movers: &'a mut [Mover],
    pub(super) lines: BodyLines<'a>,
    /// What the contacts of each did to it in the last substep.
    pub(super) carried: &'a mut [Twist],
}

impl Parts for Crew<'_> {
    fn parts(&self) -> usize {
        self.lines.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * self.lines.size();
        let (movers, movers2) = self.movers.split_at_mut(at);
        let (carried, carried2) = self.carried.split_at_mut(at);
        let (lines, lines2) = self.lines.split_at(parts);
        let of = |movers, carried, lines| Crew {
            movers,
            lines,
            carried,
        };
        (of(movers, carried, lines), of(movers2, carried2, lines2))
    }
}

impl Crew<'_> {
    /// Runs `f` on every body, with its number among the lines.
    fn each(self, f: impl Fn(&mut BodyLines, usize, &mut Mover, &mut Twist) + Sync) {
        parallel::for_each_part(self, &|mut part: Crew| {
            let bodies = part.movers.iter_mut().zip(part.carried.iter_mut());
            for (i, (m, carried)) in bodies.enumerate() {
                f(&mut part.lines, i, m, carried);
            }
        });
    }

    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn board(self) {
        self.each(|lines, i, m, _| {
            m.refresh();
            lines.set_mass(i, &m.inv);
            lines.set_velocity(i, &m.vel);
            lines.set_free(i, &m.vel);
        });
    }

    /// Free velocities, with what the contacts did in the last substep.
    pub(super) fn predict(self, shared: &Shared, first: bool) {
        self.each(|lines, i, m, carried| {
            if !first && !m.inertia.is_isotropic() {
                m.refresh();
                lines.set_mass(i, &m.inv);
            }
            let free = m.predict(shared.h, shared.params.gyroscopic);
            lines.set_free(i, &free);
            let warm = if first {
                free
            } else {
                free + caused(m, carried)
            };
            lines.set_velocity(i, &warm);
        });
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(self, shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.each(|lines, i, m, _| {
            m.advance_by_scheme(shared.h, scheme, lines.velocity(i), gyroscopic);
            lines.set_moved(i, &m.moved);
        });
    }

    /// Keeps the velocities of the substep, and what the contacts did.
    pub(super) fn take_back(self) {
        self.each(|lines, i, m, carried| {
            let (v, free) = (lines.velocity(i), lines.free(i));
            *carried = cause(m, &(v - free));
            m.vel = v;
        });
    }
}

/// Impulse and torque that cause a change of velocity; those of a body whose W does not turn with it
/// are left as the change itself.
fn cause(m: &Mover, change: &Twist) -> Twist {
    if turns(m) {
        Twist::new(change.lin, m.inertia.times(m.q, change.ang))
    } else {
        *change
    }
}

/// The reverse of [`cause`], at the present attitude.
fn caused(m: &Mover, carried: &Twist) -> Twist {
    if turns(m) {
        Twist::new(carried.lin, m.inv.ang * carried.ang)
    } else {
        *carried
    }
}

fn turns(m: &Mover) -> bool {
    !m.inertia.is_isotropic() && !m.locked.intersects(LockedAxes::ANGULAR) && !m.inv.is_zero()
}

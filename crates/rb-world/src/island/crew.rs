//! Movable bodies and what lanes hold of them, section by section: the part of a substep that goes body
//! by body.

use super::Shared;
use rb_core::integrate::Mover;
use rb_solve::lanes::BodyLines;
use rb_solve::parallel::{self, Parts};

/// Bodies that one thread looks after.
pub(super) struct Crew<'a> {
    pub(super) movers: &'a mut [Mover],
    pub(super) lines: BodyLines<'a>,
}

impl Parts for Crew<'_> {
    fn parts(&self) -> usize {
        self.lines.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * self.lines.size();
        let (movers, movers2) = self.movers.split_at_mut(at);
        let (lines, lines2) = self.lines.split_at(parts);
        let of = |movers, lines| Crew { movers, lines };
        (of(movers, lines), of(movers2, lines2))
    }
}

impl Crew<'_> {
    /// Runs `f` on every body, with its number among the lines.
    fn each(self, f: impl Fn(&mut BodyLines, usize, &mut Mover) + Sync) {
        parallel::for_each_part(self, &|mut part: Crew| {
            for (i, m) in part.movers.iter_mut().enumerate() {
                f(&mut part.lines, i, m);
            }
        });
    }

    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn board(self) {
        self.each(|lines, i, m| {
            m.refresh();
            lines.set_mass(i, &m.inv);
            lines.set_velocity(i, &m.vel);
            lines.set_free(i, &m.vel);
        });
    }

    /// Free velocities of the first substep.
    pub(super) fn predict(self, shared: &Shared) {
        self.each(|lines, i, m| {
            let free = m.predict(shared.h, shared.params.gyroscopic);
            lines.set_free(i, &free);
            lines.set_velocity(i, &free);
        });
    }

    /// Keeps the velocities of the last substep, and starts the next with what the contacts changed in it.
    pub(super) fn go_on(self, shared: &Shared) {
        self.each(|lines, i, m| {
            m.vel = lines.velocity(i);
            let change = m.vel - lines.free(i);
            if !m.inertia.is_isotropic() {
                m.refresh();
                lines.set_mass(i, &m.inv);
            }
            let free = m.predict(shared.h, shared.params.gyroscopic);
            lines.set_free(i, &free);
            lines.set_velocity(i, &(free + change));
        });
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(self, shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.each(|lines, i, m| {
            m.advance_by_scheme(shared.h, scheme, lines.velocity(i), gyroscopic);
            lines.set_moved(i, &m.moved);
        });
    }

    /// Keeps the velocities of the last substep.
    pub(super) fn take_back(self) {
        self.each(|lines, i, m| m.vel = lines.velocity(i));
    }
}

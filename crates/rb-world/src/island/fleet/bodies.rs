//! Movable bodies under joints and what lanes hold of them: the part of a substep that goes body by body.

use crate::island::Shared;
use rb_core::integrate::Mover;
use rb_solve::lanes::{BodyLines, Line, set_turn, stiffness};
use rb_solve::parallel::{self, Parts};

/// Bodies of a part.
pub(super) const PART: usize = 256;

/// Bodies that one thread looks after.
pub(super) struct Bodies<'a> {
    pub(super) movers: &'a mut [Mover],
    pub(super) lines: BodyLines<'a>,
    /// What each did, for its joints.
    pub(super) turned: &'a mut [Line],
    /// Its geometric stiffness, and whether that is part of its inertia in this substep.
    pub(super) levers: &'a [Line],
    pub(super) stiff: &'a mut [bool],
}

impl Parts for Bodies<'_> {
    fn parts(&self) -> usize {
        self.lines.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * self.lines.size();
        let (movers, movers2) = self.movers.split_at_mut(at);
        let (lines, lines2) = self.lines.split_at(parts);
        let (turned, turned2) = self.turned.split_at_mut(at);
        let (levers, levers2) = self.levers.split_at(at);
        let (stiff, stiff2) = self.stiff.split_at_mut(at);
        let of = |movers, lines, turned, levers, stiff| Bodies {
            movers,
            lines,
            turned,
            levers,
            stiff,
        };
        (
            of(movers, lines, turned, levers, stiff),
            of(movers2, lines2, turned2, levers2, stiff2),
        )
    }
}

impl Bodies<'_> {
    /// Runs `f` on every part, body by body.
    fn each(self, f: impl Fn(&mut Bodies, usize) + Sync) {
        parallel::for_each_part(self, &|mut part: Bodies| {
            (0..part.movers.len()).for_each(|i| f(&mut part, i));
        });
    }

    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn board(self) {
        self.each(|all, i| {
            let m = &mut all.movers[i];
            m.refresh();
            all.lines.set_mass(i, &m.inv);
            all.lines.set_velocity(i, &m.vel);
            set_turn(&mut all.turned[i], m.com, m.q);
            all.stiff[i] = false;
        });
    }

    /// Keeps the velocities of the last substep.
    pub(super) fn take_back(self) {
        self.each(|all, i| all.movers[i].vel = all.lines.velocity(i));
    }

    /// Free velocities of the present substep, and inverse masses where they are others than before.
    pub(super) fn predict(self, shared: &Shared, first: bool) {
        self.each(|all, i| {
            let m = &mut all.movers[i];
            if !first {
                m.vel = all.lines.velocity(i);
                if all.stiff[i] || !m.inertia.is_isotropic() {
                    m.refresh();
                    all.lines.set_mass(i, &m.inv);
                }
            }
            let free = m.predict(shared.h, shared.params.gyroscopic);
            all.lines.set_free(i, &free);
        });
    }

    /// Takes the geometric stiffness into masses and free velocities; the substep starts with the latter.
    pub(super) fn stiffen(self, shared: &Shared) {
        self.each(|all, i| {
            let mut free = all.lines.free(i);
            let m = &mut all.movers[i];
            all.stiff[i] = m.stiffen(shared.h, stiffness(&all.levers[i]), &mut free);
            if all.stiff[i] {
                all.lines.set_mass(i, &m.inv);
                all.lines.set_free(i, &free);
            }
            all.lines.set_velocity(i, &free);
        });
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(self, shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.each(|all, i| {
            let m = &mut all.movers[i];
            let (com, q) = (m.com, m.q);
            m.advance_by_scheme(shared.h, scheme, all.lines.velocity(i), gyroscopic);
            all.lines.set_moved(i, &m.moved);
            set_turn(&mut all.turned[i], m.com - com, m.q * q.conjugate());
        });
    }
}

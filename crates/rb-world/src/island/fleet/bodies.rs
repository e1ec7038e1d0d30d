//! Movable bodies under joints and what lanes hold of them: the part of a substep that goes body by body.

use crate::island::Shared;
use crate::island::crew::Crew;
use rb_solve::lanes::{Line, set_turn, stiffness};
use rb_solve::parallel::{self, Parts};

/// Bodies of a part.
pub(super) const PART: usize = 256;

/// Bodies that one thread looks after.
pub(super) struct Bodies<'a> {
    pub(super) crew: Crew<'a>,
    /// What each did, for its joints.
    pub(super) turned: &'a mut [Line],
    /// Its geometric stiffness, and whether that is part of its inertia in this substep.
    pub(super) levers: &'a [Line],
    pub(super) stiff: &'a mut [bool],
}

impl Parts for Bodies<'_> {
    fn parts(&self) -> usize {
        self.crew.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (crew, crew2) = self.crew.split_at(parts);
        let at = crew.movers.len();
        let (turned, turned2) = self.turned.split_at_mut(at);
        let (levers, levers2) = self.levers.split_at(at);
        let (stiff, stiff2) = self.stiff.split_at_mut(at);
        let of = |crew, turned, levers, stiff| Bodies {
            crew,
            turned,
            levers,
            stiff,
        };
        (
            of(crew, turned, levers, stiff),
            of(crew2, turned2, levers2, stiff2),
        )
    }
}

impl Bodies<'_> {
    /// Runs `f` on every part, body by body.
    fn each(self, f: impl Fn(&mut Bodies, usize) + Sync) {
        parallel::for_each_part(self, &|mut part: Bodies| {
            (0..part.crew.movers.len()).for_each(|i| f(&mut part, i));
        });
    }

    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn board(self) {
        self.each(|all, i| {
            let m = &all.crew.movers[i];
            all.crew.lines.set_mass(i, &m.inv);
            all.crew.lines.set_velocity(i, &m.vel);
            set_turn(&mut all.turned[i], m.com, m.q);
            all.stiff[i] = false;
        });
    }

    /// Free velocities of the present substep, and inverse masses where they are others than before.
    pub(super) fn predict(self, shared: &Shared, first: bool) {
        self.each(|all, i| {
            let m = &mut all.crew.movers[i];
            if !first {
                m.vel = all.crew.lines.velocity(i);
                if all.stiff[i] || !m.inertia.is_isotropic() {
                    m.refresh();
                    all.crew.lines.set_mass(i, &m.inv);
                }
            }
            let free = m.predict(shared.h, shared.params.gyroscopic);
            all.crew.lines.set_free(i, &free);
        });
    }

    /// Takes the geometric stiffness into masses and free velocities; the substep starts with the latter.
    pub(super) fn stiffen(self, shared: &Shared) {
        self.each(|all, i| {
            let mut free = all.crew.lines.free(i);
            let m = &mut all.crew.movers[i];
            all.stiff[i] = m.stiffen(shared.h, stiffness(&all.levers[i]), &mut free);
            if all.stiff[i] {
                all.crew.lines.set_mass(i, &m.inv);
                all.crew.lines.set_free(i, &free);
            }
            all.crew.lines.set_velocity(i, &free);
        });
    }

    /// Moves the bodies with the velocities found.
    pub(super) fn advance(self, shared: &Shared) {
        let (scheme, gyroscopic) = (&shared.params.scheme, shared.params.gyroscopic);
        self.each(|all, i| {
            let m = &mut all.crew.movers[i];
            let (com, q) = (m.com, m.q);
            m.advance_by_scheme(shared.h, scheme, all.crew.lines.velocity(i), gyroscopic);
            all.crew.lines.set_moved(i, &m.moved);
            set_turn(&mut all.turned[i], m.com - com, m.q * q.conjugate());
        });
    }
}

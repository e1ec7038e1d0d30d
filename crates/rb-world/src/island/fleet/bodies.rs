//! Movable bodies under joints and what lanes hold of them: the part of a substep that goes body by body.

use crate::island::Shared;
use crate::island::body_run::{BodyRun, renew};
use rb_solve::lanes::{Line, Moving, stiffness};
use rb_solve::parallel::{self, Parts};

/// Bodies of a part.
pub(super) const PART: usize = 256;

/// Bodies that one thread looks after.
pub(super) struct Bodies<'a> {
    pub(super) run: BodyRun<'a>,
    /// Geometric stiffness of each, and whether its inverse mass is not what lanes make of it: because that
    /// stiffness is part of it, or because the body may not turn about some axis.
    pub(super) levers: &'a [Line],
    pub(super) special: &'a mut [bool],
}

impl Parts for Bodies<'_> {
    fn parts(&self) -> usize {
        self.run.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (run, run2) = self.run.split_at(parts);
        let at = run.movers.len();
        let (levers, levers2) = self.levers.split_at(at);
        let (special, special2) = self.special.split_at_mut(at);
        let of = |run, levers, special| Bodies {
            run,
            levers,
            special,
        };
        (of(run, levers, special), of(run2, levers2, special2))
    }
}

/// Bodies that move, and what each did for its joints.
pub(super) struct Travel<'a> {
    pub(super) moving: Moving<'a>,
    pub(super) turned: &'a mut [Line],
}

impl Parts for Travel<'_> {
    fn parts(&self) -> usize {
        self.moving.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (moving, moving2) = self.moving.split_at(parts);
        let (turned, turned2) = self.turned.split_at_mut(moving.len());
        let of = |moving, turned| Travel { moving, turned };
        (of(moving, turned), of(moving2, turned2))
    }
}

impl Bodies<'_> {
    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn load(self, shared: &Shared) {
        parallel::for_each_part(self, &|part: Bodies| {
            let BodyRun { movers, mut moving } = part.run;
            for (i, m) in movers.iter().enumerate() {
                moving.load(i, m, shared.h);
                part.special[i] = m.is_bound();
            }
        });
    }

    /// Makes the inverse masses that lanes do not.
    pub(super) fn renew(self) {
        parallel::for_each_part(self, &|part: Bodies| {
            let BodyRun { movers, mut moving } = part.run;
            for (i, _) in part.special.iter().enumerate().filter(|(_, s)| **s) {
                renew(&mut moving, i, &mut movers[i]);
            }
        });
    }

    /// Has the bodies set out with their free velocities. Takes the geometric stiffness into these and into
    /// masses, where it may be too stiff.
    pub(super) fn set_out(self, shared: &Shared) {
        parallel::for_each_part(self, &|part: Bodies| {
            let BodyRun { movers, mut moving } = part.run;
            moving.set_out(shared.h, part.levers, part.special);
            for (i, special) in part.special.iter_mut().enumerate().filter(|(_, s)| **s) {
                let (m, mut free) = (&mut movers[i], moving.lines.free(i));
                m.q = moving.pose(i).1;
                let stiff = m.stiffen(shared.h, stiffness(&part.levers[i]), &mut free);
                if stiff {
                    moving.lines.set_mass(i, &m.inv);
                    moving.lines.set_free(i, &free);
                    moving.lines.set_velocity(i, &free);
                }
                *special = stiff || m.is_bound();
            }
        });
    }
}

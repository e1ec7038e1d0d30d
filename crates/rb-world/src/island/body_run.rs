//! Movable bodies and what lanes hold of them, section by section: the part of a substep that goes body
//! by body.

use rb_core::integrate::Mover;
use rb_core::math::Twist;
use rb_solve::lanes::Moving;
use rb_solve::parallel::{self, Parts};

/// Bodies that one thread looks after.
pub(super) struct BodyRun<'a> {
    pub(super) movers: &'a mut [Mover],
    pub(super) moving: Moving<'a>,
}

impl Parts for BodyRun<'_> {
    fn parts(&self) -> usize {
        self.moving.parts()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * self.moving.lines.size();
        let (movers, movers2) = self.movers.split_at_mut(at);
        let (moving, moving2) = self.moving.split_at(parts);
        let of = |movers, moving| BodyRun { movers, moving };
        (of(movers, moving), of(movers2, moving2))
    }
}

impl BodyRun<'_> {
    /// Runs `f` on every body, with its number among the lines.
    fn each(self, f: impl Fn(&mut Moving, usize, &mut Mover) + Sync) {
        parallel::for_each_part(self, &|mut part: BodyRun| {
            for (i, m) in part.movers.iter_mut().enumerate() {
                f(&mut part.moving, i, m);
            }
        });
    }

    /// Brings the lanes what they need to know at the start of the step.
    pub(super) fn load(self, h: f64) {
        self.each(|moving, i, m| moving.load(i, m, h));
    }

    /// Makes the inverse masses of those that may not turn about some axis: what lanes keep is theirs. Angular impulses
    /// (N·m·s) go on as those of others do, Δω → W W′⁻¹ Δω, but by their inertia: W′ has no inverse where axes are locked.
    pub(super) fn bind(self) {
        self.each(|moving, i, m| {
            if m.is_bound() {
                let (vel, free) = (moving.lines.velocity(i), moving.lines.free(i));
                let may = m.locked.angular_mask();
                let impulse = may * (m.inertia.world(m.q) * (vel.ang - free.ang));
                renew(moving, i, m);
                let from = Twist::new(free.lin, vel.ang - m.inv.ang * impulse);
                moving.lines.set_free(i, &from);
            }
        });
    }

    /// Tells the bodies where they are, and how fast they were at the start of the substep.
    pub(super) fn write_poses(self) {
        self.each(|moving, i, m| place(m, moving, i, moving.start(i)));
    }

    /// Tells the bodies what became of them in the step.
    pub(super) fn take_back(self) {
        self.each(|moving, i, m| {
            place(m, moving, i, moving.lines.velocity(i));
            m.moved = moving.lines.moved(i);
        });
    }
}

/// Makes the inverse mass of a body at its present attitude.
#[inline]
pub(super) fn renew(moving: &mut Moving, i: usize, m: &mut Mover) {
    m.q = moving.pose(i).1;
    m.refresh();
    moving.lines.set_mass(i, &m.inv);
}

#[inline]
fn place(m: &mut Mover, moving: &Moving, i: usize, vel: Twist) {
    (m.com, m.q) = moving.pose(i);
    m.vel = vel;
}

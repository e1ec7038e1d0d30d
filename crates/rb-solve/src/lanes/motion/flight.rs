//! Bodies that touch nothing: all substeps of some at once, in lines that no contact looks at.

use super::{LINES, Moving, Spin};
use crate::lanes::bodies::BodyLines;
use crate::lanes::simd::Line;
use glam::{DQuat, DVec3};
use rb_core::integrate::Mover;
use rb_core::math::Twist;

/// Bodies that share the lines: what the first cache holds.
const GROUP: usize = 32;

/// How bodies fly.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Number of the substeps.
    pub substeps: u32,
    /// Length of each (s).
    pub h: f64,
    /// Share of the velocity after forces in that of the way.
    pub beta: f64,
}

/// Has bodies fly, which do what their [`Mover`]s would do by themselves with the implicit gyroscopic term, to the
/// bit unless they hardly turn; none of these may be [bound](Mover::is_bound). Where it ends, and how fast, is told to `write`.
pub fn fly<T>(
    bodies: &mut [T],
    course: Course,
    mover: impl Fn(&T) -> &Mover,
    write: impl Fn(&mut T, (DVec3, DQuat), Twist),
) {
    for group in bodies.chunks_mut(GROUP) {
        let mut own = [Line::default(); GROUP * LINES];
        let mut lines = [[Line::default(); GROUP]; 4];
        let mut other = [false; GROUP];
        let mut spins = [Spin::default(); GROUP];
        let count = group.len();
        let mut moving = Moving {
            own: &mut own[..count * LINES],
            spins: &mut spins[..count],
            lines: BodyLines::alone(
                lines.each_mut().map(|lines| &mut lines[..count]),
                &mut other[..count],
            ),
        };
        for (k, body) in group.iter().enumerate() {
            moving.load(k, mover(body), course.h);
        }
        for _ in 0..course.substeps {
            moving.begin(course.h, true, true);
            moving.advance(course.h, course.beta, &mut []);
        }
        for (k, body) in group.iter_mut().enumerate() {
            write(body, moving.pose(k), moving.lines.velocity(k));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::calm_within;
    use super::super::tests::{card, mover};
    use super::*;
    use core::f64::consts::TAU;
    use rb_core::params::Params;

    #[test]
    fn bodies_fly_together_as_by_themselves() {
        let (params, h) = (Params::game(), 1.0 / 240.0);
        let course = Course {
            substeps: 4,
            h,
            beta: 0.75,
        };
        let movers = (0..GROUP + 7).map(|k| mover(k, &params));
        let mut movers: Vec<Mover> = movers.collect();
        let mut alone = movers.clone();
        fly(
            &mut movers,
            course,
            |m| m,
            |m, (com, q), vel| (m.com, m.q, m.vel) = (com, q, vel),
        );
        let mut scheme = params.scheme;
        scheme.beta = course.beta;
        for (m, own) in movers.iter().zip(&mut alone) {
            for _ in 0..course.substeps {
                own.refresh();
                let next = own.predict(h, params.gyroscopic);
                own.advance_by_scheme(h, &scheme, next, params.gyroscopic);
                own.vel = next;
            }
            assert_eq!((m.com, m.q, m.vel), (own.com, own.q, own.vel));
        }
    }

    /// What turns as fast as may be to be calm, through a whole revolution: W, and what the gyroscopic term adds, are those of
    /// the start of each step.
    #[test]
    fn a_slow_spin_keeps_its_momentum_and_energy() {
        let h = 1.0 / 240.0;
        let course = Course {
            substeps: 4,
            h,
            beta: 1.0,
        };
        let limit = f64::from(calm_within(&card(1.0), h).0);
        let first = card(0.95 * limit / 0.8);
        let momentum = |m: &Mover| m.inertia.times(m.q, m.vel.ang);
        let energy = |m: &Mover| m.vel.ang.dot(momentum(m));
        let mut slow = [first.clone()];
        let (mut turned, mut strayed) = (0.0, 0.0_f64);
        while turned < TAU {
            slow[0].refresh();
            turned += 4.0 * h * slow[0].vel.ang.length();
            fly(
                &mut slow,
                course,
                |m| m,
                |m, (com, q), vel| (m.com, m.q, m.vel) = (com, q, vel),
            );
            strayed = strayed.max((slow[0].vel.ang - first.vel.ang).length());
        }
        let off = (momentum(&slow[0]) - momentum(&first)).length() / momentum(&first).length();
        let gained = energy(&slow[0]) / energy(&first) - 1.0;
        // It tumbles, and is not left to turn as it did.
        assert!(strayed > 0.5 * first.vel.ang.length());
        assert!(
            off < 3e-5 && gained.abs() < 3e-5,
            "momentum {off:e}, energy {gained:e}"
        );
    }
}

//! What torques would do now. What impulses did to a body goes on from substep to substep as a change Δω of its spin; where W
//! turns, that is no longer W Jᵀλ. So the torque that did it is summed up beside, and Δω as it was by then:
//!
//! ```text
//! τ ← τ + W⁻¹ (Δω − Δω′),   Δω′ ← Δω     whenever W is made anew
//! W τ − Δω′                              by how much what went on is off
//! ```

use super::{Line, Motions, Moving};
use crate::lanes::bodies::{packed, twist};
use glam::{DMat3, DVec3};
use rb_core::math::Twist;
use rb_core::room;

impl Motions {
    /// Has all bodies note the torques of their impulses from now on, if these are to go on from substep to substep.
    pub fn note_torques(&mut self) {
        let bodies = self.spins.len();
        room::fit(&mut self.torques, bodies);
        self.torques.resize(bodies, Line::default());
    }
}

impl Moving<'_> {
    /// Notes what torque changed the spin of a body since it was last weighed, before it is weighed again by others than
    /// [`begin`](Self::begin): `inertia` is what a change of its spin takes (kg·m²).
    pub fn note_torque(&mut self, body: usize, inertia: &DMat3) {
        let change = self.lines.velocity(body).ang - self.lines.free(body).ang;
        let noted = twist(&self.torques[body]);
        let torque = noted.ang + *inertia * (change - noted.lin);
        self.torques[body] = packed(&Twist::new(change, torque), 0.0);
    }

    /// Changes what goes on of the spins of bodies that turn to what its torques do by the W of this substep.
    pub fn follow_torques(&mut self) {
        for body in 0..self.torques.len() {
            let more = self.follow_torque(body);
            self.torques[body] = packed(&(twist(&self.torques[body]) + more), 0.0);
        }
    }

    /// Gives the bodies, for the certificate, the velocities that follow from their impulses: ṽ + W Jᵀλ, with W of the last
    /// substep.
    pub fn rebuild_spins(&mut self) {
        for body in 0..self.torques.len() {
            let spin = self.lines.velocity(body).ang;
            let torque = twist(&self.torques[body]).ang;
            self.follow_torque(body);
            self.torques[body] = packed(&Twist::new(spin, torque), 0.0);
        }
    }

    /// Gives the spin of a body what its torque does by its W more than what went on; returns that, as if it were linear.
    fn follow_torque(&mut self, body: usize) -> Twist {
        let noted = twist(&self.torques[body]);
        if noted.ang == DVec3::ZERO {
            return Twist::ZERO;
        }
        let more = self.lines.spin_by(body, noted.ang) - noted.lin;
        let vel = self.lines.velocity(body) + Twist::new(DVec3::ZERO, more);
        self.lines.set_velocity(body, &vel);
        Twist::new(more, DVec3::ZERO)
    }

    /// Gives a body back the velocity it had before that.
    pub fn restore_spin(&mut self, body: usize) {
        let noted = self.torques.get(body).map_or(Twist::ZERO, twist);
        if noted.ang != DVec3::ZERO {
            let lin = self.lines.velocity(body).lin;
            self.lines.set_velocity(body, &Twist::new(lin, noted.lin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Motions;
    use super::super::tests::{load, mover};
    use super::*;
    use crate::lanes::ContactLanes;
    use rb_core::mass::LockedAxes;
    use rb_core::params::Params;

    const BODIES: usize = 19;

    /// ω̃ + W τ of what some substeps did to bodies, and what there is to be compared: spins that torques were
    /// followed to, or that were made anew, and that the bodies had.
    fn spins(follow: bool) -> Vec<[DVec3; 3]> {
        let (params, h) = (Params::game(), 1.0 / 240.0);
        let mut movers: Vec<_> = (0..BODIES).map(|k| mover(k, &params)).collect();
        movers[2].locked = LockedAxes::ANGULAR_Y;
        movers[2].refresh();
        let (mut lanes, mut motions) = (ContactLanes::default(), Motions::default());
        let mut moving = load(&movers, &mut lanes, &mut motions, h);
        let torque = |substep: usize, body: usize| {
            let (s, b) = (substep as f64, body as f64);
            DVec3::new(0.3 - 0.1 * s, 0.02 * b, -0.2)
        };
        for substep in 0..4 {
            if substep > 0 {
                let bound = &mut movers[2];
                let free = DMat3::from_diagonal(bound.locked.angular_mask());
                moving.note_torque(2, &(free * bound.inertia.world(bound.q) * free));
                bound.q = moving.pose(2).1;
                bound.refresh();
                moving.lines.set_mass(2, &bound.inv);
            }
            moving.begin(h, substep > 0, true);
            if follow {
                moving.follow_torques();
            }
            for body in 0..BODIES {
                let mut vel = moving.lines.velocity(body);
                vel.ang += moving.lines.spin_by(body, torque(substep, body));
                moving.lines.set_velocity(body, &vel);
            }
            moving.advance(h, 1.0, &mut []);
        }
        let had: Vec<Twist> = (0..BODIES).map(|b| moving.lines.velocity(b)).collect();
        moving.rebuild_spins();
        let spins = (0..BODIES).map(|body| {
            let all = (0..4).map(|substep| torque(substep, body)).sum();
            let want = moving.lines.free(body).ang + moving.lines.spin_by(body, all);
            let made = moving.lines.velocity(body).ang;
            moving.restore_spin(body);
            assert_eq!(moving.lines.velocity(body), had[body], "body {body}");
            [want, made, had[body].ang]
        });
        spins.collect()
    }

    #[test]
    fn spins_made_anew_are_what_all_torques_do() {
        let spins = spins(false);
        for (body, [want, made, _]) in spins.iter().enumerate() {
            let off = (*want - *made).length();
            assert!(off < 1e-12 * want.length(), "body {body}: {off:e}");
        }
        // Cards that tumble, one of them about two axes alone.
        for body in [2, 8] {
            let [want, _, had] = spins[body];
            let off = (want - had).length();
            assert!(off > 1e-3 * want.length(), "body {body}: {off:e}");
        }
    }

    #[test]
    fn who_follows_torques_is_never_off() {
        for (body, [want, made, had]) in spins(true).into_iter().enumerate() {
            let off = (want - had).length().max((want - made).length());
            assert!(off < 1e-12 * want.length(), "body {body}: {off:e}");
        }
    }
}

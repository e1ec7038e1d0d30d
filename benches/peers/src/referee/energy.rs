//! Mechanical energy, from shapes and states.

use super::Referee;
use crate::engines::State;
use glam::{DMat3, DVec3};
use parry3d_f64::mass_properties::MassProperties;
use rb_scenes::BodyDef;

impl Referee<'_> {
    /// Change of mechanical energy since the start. The scale is the energy of the fall of every
    /// body to as far below the origin as it is away.
    pub(super) fn energy_drift(&self, states: &[State]) -> f64 {
        let gravity = self.scene.gravity.as_dvec3();
        let (mut start, mut now, mut lowest) = (0.0, 0.0, 0.0);
        for body in self.scene.dynamic() {
            let mass = self.mass(body);
            let initial = initial(&self.scene.bodies[body]);
            start += energy(&mass, gravity, &initial);
            now += energy(&mass, gravity, &states[body]);
            lowest -= mass.mass() * gravity.length() * initial.pos.length();
        }
        (now - start) / (start - lowest).abs().max(1e-6)
    }

    /// Mass properties of a body in its own frame.
    fn mass(&self, body: usize) -> MassProperties {
        let parts = self.parts.iter().filter(|p| p.body == body);
        let each = parts.map(|p| p.shape.mass_properties(p.density).transform_by(&p.local));
        each.fold(MassProperties::default(), |sum, part| sum + part)
    }
}

fn initial(body: &BodyDef) -> State {
    State {
        pos: body.pos.as_dvec3(),
        rot: body.rot.as_dquat().normalize(),
        lin: body.linvel.as_dvec3(),
        ang: body.angvel.as_dvec3(),
    }
}

/// Kinetic and gravitational energy (J), heights from the origin.
fn energy(mass: &MassProperties, gravity: DVec3, state: &State) -> f64 {
    let spin = DMat3::from_quat(state.rot).transpose() * state.ang;
    let inertia = mass.reconstruct_inertia_matrix();
    let kinetic = 0.5 * (mass.mass() * state.lin.length_squared() + spin.dot(inertia * spin));
    kinetic - mass.mass() * gravity.dot(state.pos)
}

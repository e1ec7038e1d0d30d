//! One referee for all engines: how good a run was, from the final states of the bodies alone.
//!
//! No engine is asked about itself. Distances and depths are parry's, in f64; the shapes are those
//! of the scene, whatever an engine has made of them.

mod contacts;
mod energy;
mod shapes;
#[cfg(test)]
mod tests;

use crate::engines::State;
use glam::DVec3;
use rb_scenes::{JointDef, SceneDesc};
use rb_world::core::body::BodyKind;
use serde::Serialize;
use shapes::Part;

/// How far below the lowest support a body is lost (m).
const LOST: f64 = 3.0;
const MILLIMETRES: f64 = 1e3;
const PERCENT: f64 = 1e2;

/// Measures at the end of a run; what a scene does not have is left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Quality {
    /// Pairs of shapes that overlap or are less than 2 mm apart.
    pub(crate) touching: usize,
    /// Deepest overlap of a pair (mm).
    pub(crate) deepest_mm: f64,
    /// Mean overlap of the touching pairs, those apart counted as 0 (mm).
    pub(crate) mean_depth_mm: f64,
    /// Pairs for which the query's answer was impossible; they are left out of the depths.
    pub(crate) doubtful: usize,
    /// Largest distance of the two anchors of a joint (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joint_separation_mm: Option<f64>,
    /// Largest downward displacement of a body that should stay where it is (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sag_mm: Option<f64>,
    /// Lengthening of a chain (%).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chain_sag_pct: Option<f64>,
    /// Largest displacement of any dynamic body of a structure that should stand (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) displacement_mm: Option<f64>,
    /// Whether that is within the scene's limit, with no body lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stands: Option<bool>,
    /// Change of mechanical energy relative to what was there to fall (%).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) energy_drift_pct: Option<f64>,
    /// Dynamic bodies that fell out of the scene or are not finite.
    pub(crate) lost: usize,
}

/// The referee of a scene.
#[derive(Debug)]
pub(crate) struct Referee<'a> {
    scene: &'a SceneDesc,
    parts: Vec<Part>,
}

impl<'a> Referee<'a> {
    pub(crate) fn new(scene: &'a SceneDesc) -> anyhow::Result<Self> {
        let parts = shapes::parts(scene)?;
        Ok(Self { scene, parts })
    }

    /// Judges the states of all bodies, in the order of the scene.
    pub(crate) fn judge(&self, states: &[State]) -> Quality {
        let quality = &self.scene.quality;
        let contacts = self.contacts(states);
        let displacement = self.displacement(states);
        let lost = self.lost(states);
        let limit = quality.stand_limit.map(f64::from);
        let chain = quality.chain;
        Quality {
            touching: contacts.touching,
            deepest_mm: MILLIMETRES * contacts.deepest,
            mean_depth_mm: MILLIMETRES * contacts.mean(),
            doubtful: contacts.doubtful,
            joint_separation_mm: self.separation(states).map(|d| MILLIMETRES * d),
            sag_mm: self.sag(states).map(|d| MILLIMETRES * d),
            chain_sag_pct: chain.map(|(end, length)| {
                PERCENT * (states[end].pos.length() / f64::from(length) - 1.0)
            }),
            displacement_mm: limit.map(|_| MILLIMETRES * displacement),
            stands: limit.map(|most| lost == 0 && displacement < most),
            energy_drift_pct: quality.energy.then(|| PERCENT * self.energy_drift(states)),
            lost,
        }
    }

    fn moved(&self, states: &[State], body: usize) -> DVec3 {
        states[body].pos - self.scene.bodies[body].pos.as_dvec3()
    }

    fn displacement(&self, states: &[State]) -> f64 {
        let bodies = self.scene.dynamic();
        largest(bodies.map(|b| self.moved(states, b).length())).unwrap_or(0.0)
    }

    fn sag(&self, states: &[State]) -> Option<f64> {
        let tops = self.scene.quality.tops.iter();
        largest(tops.map(|&b| -self.moved(states, b).y))
    }

    fn separation(&self, states: &[State]) -> Option<f64> {
        let anchor = |body: usize, local: glam::Vec3| {
            let state = &states[body];
            state.pos + state.rot * local.as_dvec3()
        };
        let apart = |j: &JointDef| anchor(j.a, j.pos_a).distance(anchor(j.b, j.pos_b));
        largest(self.scene.joints.iter().map(apart))
    }

    fn lost(&self, states: &[State]) -> usize {
        let floor = self.lowest_support(states) - LOST;
        let gone = |&b: &usize| !states[b].is_finite() || states[b].pos.y < floor;
        self.scene.dynamic().filter(gone).count()
    }

    /// Lowest point (m) of what bodies can rest on; −∞ where everything hangs.
    fn lowest_support(&self, states: &[State]) -> f64 {
        if self.scene.bodies.iter().any(|b| b.ghost) {
            return f64::NEG_INFINITY;
        }
        let rests = |part: &&Part| self.scene.bodies[part.body].kind != BodyKind::Dynamic;
        let supports = self.parts.iter().filter(rests);
        let low = supports.map(|part| part.bounds(states).mins.y);
        low.fold(0.0, f64::min)
    }
}

/// The largest number; NaN if there is one among them, since it is worse than any number.
fn largest(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    numbers.reduce(|a, b| if a >= b || a.is_nan() { a } else { b })
}

//! How well the run went, measured on the bodies themselves.

use crate::run::Finished;
use crate::stats::round;
use glam::DVec3;
use rb_scenes::SceneDesc;
use rb_world::prelude::*;
use serde::Serialize;

/// How far below the lowest support a body is lost (m).
const LOST: f64 = 3.0;
const MILLIMETRES: f64 = 1e3;

/// Measures at the end of a run; what a scene does not have is left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Quality {
    /// Largest downward displacement of a body that should stay (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    top_sag_mm: Option<f64>,
    /// Largest horizontal displacement of a body that should stay (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    top_drift_mm: Option<f64>,
    /// Largest displacement of any dynamic body (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    max_displacement_mm: Option<f64>,
    /// Whether that is within the scene's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    stands: Option<bool>,
    /// Largest distance of the two anchors of a joint (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    joint_separation_mm: Option<f64>,
    /// Lengthening of a chain (%).
    #[serde(skip_serializing_if = "Option::is_none")]
    chain_sag_pct: Option<f64>,
    /// Change of mechanical energy relative to what was there to fall (%).
    #[serde(skip_serializing_if = "Option::is_none")]
    energy_drift_pct: Option<f64>,
    /// Kinetic energy (J).
    kinetic_j: f64,
    /// Dynamic bodies that fell out of the scene or stopped being finite.
    lost: usize,
}

impl Quality {
    pub(crate) fn new(desc: &SceneDesc, run: &Finished) -> Self {
        let judge = Judge { desc, run };
        let has_tops = !desc.quality.tops.is_empty();
        let displacement = judge.max_displacement();
        let limit = desc.quality.stand_limit.map(f64::from);
        let lost = judge.lost();
        Self {
            top_sag_mm: has_tops.then(|| judge.tops(|d| -d.y)),
            top_drift_mm: has_tops.then(|| judge.tops(|d| d.x.hypot(d.z))),
            max_displacement_mm: limit.map(|_| round(displacement * MILLIMETRES)),
            stands: limit.map(|most| lost == 0 && displacement < most),
            joint_separation_mm: (!desc.joints.is_empty()).then(|| judge.joint_separation()),
            chain_sag_pct: judge.chain_sag(),
            energy_drift_pct: desc.quality.energy.then(|| judge.energy_drift()),
            kinetic_j: round(run.world.energy().0),
            lost,
        }
    }
}

struct Judge<'a> {
    desc: &'a SceneDesc,
    run: &'a Finished,
}

impl Judge<'_> {
    fn pose(&self, body: usize) -> Pose {
        self.run
            .world
            .pose(self.run.bodies[body])
            .unwrap_or_default()
    }

    fn displacement(&self, body: usize) -> DVec3 {
        self.pose(body).p - self.desc.bodies[body].pos.as_dvec3()
    }

    fn tops(&self, measure: impl Fn(DVec3) -> f64) -> f64 {
        let tops = self.desc.quality.tops.iter();
        round(
            tops.map(|&b| measure(self.displacement(b)))
                .fold(0.0, f64::max)
                * MILLIMETRES,
        )
    }

    fn max_displacement(&self) -> f64 {
        self.desc
            .dynamic()
            .map(|b| self.displacement(b).length())
            .fold(0.0, f64::max)
    }

    fn joint_separation(&self) -> f64 {
        let joints = self.desc.joints.iter().map(|j| {
            let a = self.pose(j.a).point(j.pos_a.as_dvec3());
            a.distance(self.pose(j.b).point(j.pos_b.as_dvec3()))
        });
        round(joints.fold(0.0, f64::max) * MILLIMETRES)
    }

    fn chain_sag(&self) -> Option<f64> {
        let (end, length) = self.desc.quality.chain?;
        Some(round(
            100.0 * (self.pose(end).p.length() / f64::from(length) - 1.0),
        ))
    }

    /// The scale is the energy of the fall of every body to as far below the origin as it is away.
    fn energy_drift(&self) -> f64 {
        let total = |(kinetic, potential): (f64, f64)| kinetic + potential;
        let (start, now) = (total(self.run.energy), total(self.run.world.energy()));
        let g = self.desc.gravity.as_dvec3().length();
        let bodies = self.desc.dynamic().map(|i| {
            let mass = self
                .run
                .world
                .body(self.run.bodies[i])
                .map_or(0.0, |b| b.mass.mass);
            mass * g * f64::from(self.desc.bodies[i].pos.length())
        });
        let lowest = -bodies.sum::<f64>();
        round(100.0 * (now - start) / (start - lowest).abs().max(1e-6))
    }

    fn lost(&self) -> usize {
        let floor = self.lowest_support() - LOST;
        let gone = |&b: &usize| {
            let p = self.pose(b).p;
            !p.is_finite() || p.y < floor
        };
        let frozen = self
            .run
            .world
            .bodies()
            .filter(|(_, b)| b.flags.contains(BodyFlags::FROZEN));
        self.desc.dynamic().filter(gone).count() + frozen.count()
    }

    /// Lowest point (m) of what bodies can rest on; −∞ where everything hangs.
    fn lowest_support(&self) -> f64 {
        let world = &self.run.world;
        let rests = |(handle, _): &(ColliderHandle, _)| {
            let body = world.collider_body(*handle).and_then(|b| world.body(b));
            body.is_ok_and(|b| b.kind != BodyKind::Dynamic)
        };
        let supports = world.colliders().filter(rests);
        let low = supports.map(|(handle, collider)| {
            let pose = world.collider_pose(handle).unwrap_or_default();
            collider.shape().aabb(&pose).min.y
        });
        match self.desc.bodies.iter().any(|b| b.ghost) {
            true => f64::NEG_INFINITY,
            false => low.fold(0.0, f64::min),
        }
    }
}

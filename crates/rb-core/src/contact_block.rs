//! Contact storage: manifolds in blocks of [`LANES`], each field side by side for all lanes of a
//! block (array of structures of arrays).
//!
//! Contacts are stored here once. Collision detection writes whole manifolds, solvers sweep whole
//! blocks, and whoever wants rows asks for a view of one point. Numbers are f64: they are the
//! description; a kernel that sweeps in f32 narrows them block by block, relative to the pair.

mod set;

pub use set::{ContactSet, PointView};

use crate::anchor::{Anchor, Stand};
use crate::handle::BodyHandle;
use crate::manifold::{
    ContactMaterial, FrictionLaw, MAX_POINTS, Manifold, ManifoldKey, ManifoldPoint, SurfaceExtras,
};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Manifolds per block.
pub const LANES: usize = 8;

/// One number for each lane.
pub type Lane = [f64; LANES];
/// One vector for each lane, coordinate by coordinate.
pub type Lane3 = [Lane; 3];

/// [`LANES`] manifolds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct ContactBlock {
    /// Body slots of a and b.
    pub body: [[u32; LANES]; 2],
    /// Points in use.
    pub count: [u8; LANES],
    /// Friction law.
    pub law: [FrictionLaw; LANES],
    /// Whether the surface has nothing beyond one coefficient of friction.
    pub plain: [bool; LANES],
    /// Identity of each manifold. What whole worlds are scanned for lies together, up to here.
    pub key: [ManifoldKey; LANES],
    /// Unit normal, a → b.
    pub normal: Lane3,
    /// Points, lane by lane.
    pub points: [PointLanes; MAX_POINTS],
    /// Friction coefficient.
    pub friction: Lane,
    /// Restitution coefficient.
    pub restitution: Lane,
    /// Compliance (m/N).
    pub compliance: Lane,
    /// Damping time (s).
    pub damping: Lane,
    /// Surface velocity (m/s, world).
    pub surface_velocity: Lane3,
    /// Grain, friction at rest, resistance to spin and rolling.
    pub extras: [SurfaceExtras; LANES],
    /// Angular impulse of the resistance to spin and rolling (N·m·s, world).
    pub spin: Lane3,
    /// The points in the frames of the shapes.
    pub anchor: [Anchor; LANES],
}

impl ContactBlock {
    /// Writes a whole manifold into a lane.
    pub fn put(&mut self, lane: usize, m: &Manifold) {
        let bodies = m.bodies.map(BodyHandle::index);
        self.put_head(lane, m.key, bodies, m.normal, &m.material);
        self.put_points(lane, m.points.iter().copied());
        put(&mut self.spin, lane, m.spin);
        self.anchor[lane] = m.anchor;
    }

    /// Writes what the points of a manifold have in common; `bodies` are slots.
    pub fn put_head(
        &mut self,
        lane: usize,
        key: ManifoldKey,
        bodies: [u32; 2],
        normal: DVec3,
        material: &ContactMaterial,
    ) {
        self.key[lane] = key;
        (self.body[0][lane], self.body[1][lane]) = (bodies[0], bodies[1]);
        put(&mut self.normal, lane, normal);
        self.set_material(lane, material);
    }

    /// Writes the points of a manifold, [`MAX_POINTS`] at most.
    #[inline]
    pub fn put_points(&mut self, lane: usize, points: impl Iterator<Item = ManifoldPoint>) {
        // Tells the compiler once what holds for every number below.
        assert!(lane < LANES);
        let mut count = 0;
        for (q, p) in self.points.iter_mut().zip(points) {
            q.put(lane, &p);
            count += 1;
        }
        self.count[lane] = count as u8;
        // Unused points are zero, so that equal contacts are stored in equal bytes.
        for q in &mut self.points[count..] {
            q.put(lane, &ManifoldPoint::default());
        }
    }

    /// Writes the angular impulse of the resistance to spin and rolling (N·m·s, world).
    pub fn put_spin(&mut self, lane: usize, spin: DVec3) {
        put(&mut self.spin, lane, spin);
    }

    /// Replaces the surface of a lane.
    pub fn set_material(&mut self, lane: usize, m: &ContactMaterial) {
        self.law[lane] = m.law;
        self.friction[lane] = m.friction;
        self.restitution[lane] = m.restitution;
        self.compliance[lane] = m.compliance;
        self.damping[lane] = m.damping;
        put(&mut self.surface_velocity, lane, m.surface_velocity);
        self.extras[lane] = m.extras;
        self.plain[lane] = m.extras.is_plain();
    }

    /// Copies lane `from` of another block into a lane.
    pub fn copy_lane(&mut self, lane: usize, other: &Self, from: usize) {
        assert!(lane < LANES && from < LANES);
        for side in 0..2 {
            self.body[side][lane] = other.body[side][from];
        }
        self.count[lane] = other.count[from];
        self.key[lane] = other.key[from];
        put(&mut self.normal, lane, get(&other.normal, from));
        self.set_material(lane, &other.material(from));
        put(&mut self.spin, lane, get(&other.spin, from));
        for (p, q) in self.points.iter_mut().zip(&other.points) {
            p.put(lane, &q.get(from));
        }
        self.anchor[lane] = other.anchor[from];
    }

    /// Brings arms, gaps and normal of an anchored lane up to date; impulses stay. A lane without
    /// anchor is left as it is.
    pub fn renew(&mut self, lane: usize, stands: [&Stand; 2]) {
        let (anchor, count) = (self.anchor[lane], self.count[lane] as usize);
        let points = &mut self.points;
        let normal = anchor.renew(stands, count, |k, p| {
            put(&mut points[k].arm[0], lane, p.arm[0]);
            put(&mut points[k].arm[1], lane, p.arm[1]);
            points[k].gap[lane] = p.gap;
        });
        if let Some(n) = normal {
            put(&mut self.normal, lane, n);
        }
    }

    fn material(&self, lane: usize) -> ContactMaterial {
        ContactMaterial {
            law: self.law[lane],
            friction: self.friction[lane],
            restitution: self.restitution[lane],
            compliance: self.compliance[lane],
            damping: self.damping[lane],
            surface_velocity: get(&self.surface_velocity, lane),
            extras: self.extras[lane],
        }
    }
}

/// One point of each of [`LANES`] manifolds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct PointLanes {
    /// Lever arms from the centres of mass of a and b (m, world).
    pub arm: [Lane3; 2],
    /// Gap at the time of detection (m).
    pub gap: Lane,
    /// Impulse along normal, tangent 1, tangent 2 (N·s).
    pub impulse: Lane3,
    /// Feature pair.
    pub feature: [u32; LANES],
}

impl PointLanes {
    #[inline]
    fn put(&mut self, lane: usize, p: &ManifoldPoint) {
        put(&mut self.arm[0], lane, p.arm[0]);
        put(&mut self.arm[1], lane, p.arm[1]);
        self.gap[lane] = p.gap;
        put(&mut self.impulse, lane, DVec3::from(p.impulse));
        self.feature[lane] = p.feature;
    }

    #[inline]
    fn get(&self, lane: usize) -> ManifoldPoint {
        ManifoldPoint {
            arm: [get(&self.arm[0], lane), get(&self.arm[1], lane)],
            gap: self.gap[lane],
            feature: self.feature[lane],
            impulse: get(&self.impulse, lane).to_array(),
        }
    }
}

#[inline]
fn put(lanes: &mut Lane3, lane: usize, v: DVec3) {
    for (k, x) in v.to_array().into_iter().enumerate() {
        lanes[k][lane] = x;
    }
}

#[inline]
fn get(lanes: &Lane3, lane: usize) -> DVec3 {
    DVec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane])
}

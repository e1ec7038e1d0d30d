//! Scenes of the torture table and what is measured in them.

use crate::common::structures;
use rb_world::prelude::*;
use std::fmt;
use std::time::Instant;

const DT: f64 = 1.0 / 60.0;
const STEPS: usize = 600;

/// Both profiles.
pub(crate) fn profiles() -> [(&'static str, Params); 2] {
    let mut game = Params::game();
    game.sleep.enabled = false;
    [("game", game), ("robotics", Params::robotics())]
}

/// A scene and which bars apply to it.
pub(crate) struct Scene {
    pub(crate) name: String,
    build: Box<dyn Fn(&mut World)>,
    /// Bodies must stay where they are: no sag, no fall.
    pub(crate) rests: bool,
    /// Bodies must not creep.
    pub(crate) creeps: bool,
    /// Bodies swing: energy and turning points are watched.
    pub(crate) swings: bool,
    /// Largest joint gap (m).
    pub(crate) gap: f64,
}

/// What was measured.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Largest distance of a body from where it started (m).
    pub(crate) sag: f64,
    /// Largest distance between the two anchors of a joint (m).
    pub(crate) gap: f64,
    /// Mean speed over the second half (m/s).
    pub(crate) creep: f64,
    /// Height of the centre of mass of everything above the start (m), less rounding.
    pub(crate) above: f64,
    /// Energy above the start and above ½ h Σ m |g·v| (J), less rounding.
    pub(crate) excess: f64,
    /// Largest violation of a velocity law (m/s), and what the profile allows.
    pub(crate) residual: f64,
    pub(crate) tolerance: f64,
    /// Islands that went to the exact solver, over all steps.
    fallbacks: u32,
    /// Wall time per step (ms).
    ms: f64,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "moved {:.1e} m, gap {:.1e} m, creep {:.1e} m/s, above {:.1e} m, excess {:.1e} J, residual {:.1e} m/s, {} fallbacks, {:.3} ms/step",
            self.sag,
            self.gap,
            self.creep,
            self.above,
            self.excess,
            self.residual,
            self.fallbacks,
            self.ms
        )
    }
}

fn cuboid(world: &mut World, half: DVec3, at: DVec3, turn: DQuat, mass: f64) -> BodyHandle {
    let side = half * 2.0;
    let moment = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    let inertia = DVec3::new(
        moment(side.y, side.z),
        moment(side.x, side.z),
        moment(side.x, side.y),
    );
    let desc = BodyDesc::dynamic().at(at).rotated(turn).mass(mass, inertia);
    let body = world.add_body(desc).unwrap();
    let shape = Shape::cuboid(half).unwrap();
    world
        .add_collider(body, ColliderDesc::new(shape).friction(0.6))
        .unwrap();
    body
}

impl Scene {
    fn new(name: String, build: impl Fn(&mut World) + 'static) -> Self {
        Self {
            name,
            build: Box::new(build),
            rests: true,
            creeps: false,
            swings: false,
            gap: 1e-4,
        }
    }

    /// A cube of 1 kg under one of `ratio` kg.
    pub(crate) fn cubes(ratio: f64) -> Self {
        Self::new(format!("cubes {ratio} : 1"), move |w| {
            structures::ground(w);
            let half = DVec3::splat(0.5);
            cuboid(w, half, DVec3::Y * 0.5, DQuat::IDENTITY, 1.0);
            cuboid(w, half, DVec3::Y * 1.5, DQuat::IDENTITY, ratio);
        })
    }

    /// Links of 0.4 m and 1 kg on ball joints, the last with a bob, straight at an angle (degrees).
    pub(crate) fn chain(links: usize, bob: f64, angle: f64) -> Self {
        let build = move |w: &mut World| {
            let turn = DQuat::from_rotation_z(angle.to_radians());
            let (down, length) = (turn * DVec3::NEG_Y, 0.4);
            let mut last = w.add_body(BodyDesc::fixed()).unwrap();
            for k in 0..links {
                let top = down * (length * k as f64);
                let half = DVec3::new(0.03, 0.5 * length, 0.03);
                let body = cuboid(w, half, top + down * (0.5 * length), turn, 1.0);
                ball(w, last, body, top);
                last = body;
            }
            let end = down * (length * links as f64);
            let body = cuboid(w, DVec3::splat(0.25), end + down * 0.25, turn, bob);
            ball(w, last, body, end);
        };
        let how = if angle == 0.0 { "hanging" } else { "swinging" };
        Self {
            rests: angle == 0.0,
            swings: angle != 0.0,
            gap: if angle == 0.0 { 1e-4 } else { 1e-3 },
            ..Self::new(format!("{links} links, {bob} kg, {how}"), build)
        }
    }

    /// Two cranks of 1 kg and a heavy coupler on four hinges, let go at 45°.
    pub(crate) fn four_bar(coupler: f64) -> Self {
        let build = move |w: &mut World| {
            let turn = DQuat::from_rotation_z(45f64.to_radians());
            let crank = turn * DVec3::NEG_Y;
            let ground = w.add_body(BodyDesc::fixed()).unwrap();
            let half = DVec3::new(0.03, 0.5, 0.03);
            let pivots = [DVec3::ZERO, DVec3::X * 2.0];
            let cranks = pivots.map(|p| cuboid(w, half, p + crank * 0.5, turn, 1.0));
            let middle = DVec3::X + crank;
            let bar = cuboid(
                w,
                DVec3::new(1.0, 0.05, 0.05),
                middle,
                DQuat::IDENTITY,
                coupler,
            );
            for (pivot, body) in pivots.into_iter().zip(cranks) {
                hinge(w, ground, body, pivot);
                hinge(w, body, bar, pivot + crank);
            }
        };
        Self {
            rests: false,
            swings: true,
            ..Self::new(format!("four-bar, {coupler} kg"), build)
        }
    }

    /// A box on a slope of 20°, μ = 0.6.
    pub(crate) fn slope() -> Self {
        let build = |w: &mut World| {
            let turn = DQuat::from_rotation_z(20f64.to_radians());
            let up = turn * DVec3::Y;
            let floor = w.add_body(BodyDesc::fixed()).unwrap();
            let plane = Shape::half_space(up).unwrap();
            w.add_collider(floor, ColliderDesc::new(plane).friction(0.6))
                .unwrap();
            cuboid(w, DVec3::splat(0.5), up * 0.5, turn, 1.0);
        };
        Self {
            creeps: true,
            ..Self::new("box on a slope".into(), build)
        }
    }

    /// 30 cubes on top of one another.
    pub(crate) fn stack() -> Self {
        Self::new("stack of 30".into(), |w| {
            structures::ground(w);
            structures::stack(w, 30);
        })
    }

    /// An arch of 21 stones.
    pub(crate) fn arch() -> Self {
        Self::new("arch of 21".into(), |w| {
            structures::ground(w);
            structures::arch(w);
        })
    }

    /// A card house of four levels.
    pub(crate) fn card_house() -> Self {
        Self::new("card house".into(), |w| {
            structures::ground(w);
            structures::card_house(w);
        })
    }
}

fn ball(w: &mut World, a: BodyHandle, b: BodyHandle, at: DVec3) {
    let [pa, pb] = [a, b].map(|h| w.body(h).unwrap().pose());
    w.add_joint(a, b, Ball::at_world(&pa, &pb, at)).unwrap();
}

fn hinge(w: &mut World, a: BodyHandle, b: BodyHandle, at: DVec3) {
    let [pa, pb] = [a, b].map(|h| w.body(h).unwrap().pose());
    w.add_joint(a, b, Hinge::at_world(&pa, &pb, at, DVec3::Z).unwrap())
        .unwrap();
}

/// Where both bodies of every joint see its anchor, in their own frames.
fn anchors(w: &World) -> Vec<[(BodyHandle, DVec3); 2]> {
    let one = |(joint, desc): (JointHandle, &JointDesc)| {
        let frames = desc.kind.frames();
        let bodies = w.joint_bodies(joint).unwrap();
        [(bodies[0], frames[0].p), (bodies[1], frames[1].p)]
    };
    w.joints().map(one).collect()
}

/// Steps a scene for ten seconds and measures.
pub(crate) fn run(scene: &Scene, params: Params) -> Outcome {
    let mut w = World::new(params).unwrap();
    (scene.build)(&mut w);
    let anchors = anchors(&w);
    let start: Vec<DVec3> = w.bodies().map(|(_, b)| b.com).collect();
    let energy = w.energy();
    let size = energy.0.abs() + energy.1.abs() + 1.0;
    let mut out = Outcome {
        tolerance: params.tolerances.velocity,
        above: f64::NEG_INFINITY,
        excess: f64::NEG_INFINITY,
        ..Outcome::default()
    };
    let weight: f64 = w.bodies().map(|(_, b)| b.mass.mass).sum::<f64>() * 9.81;
    let height = |w: &World| w.energy().1 / weight;
    let (mut halfway, begin) = (start.clone(), height(&w));
    let clock = Instant::now();
    for step in 1..=STEPS {
        let report = w.step(DT).unwrap();
        out.residual = out.residual.max(report.residual);
        out.fallbacks += report.exact;
        let places: Vec<DVec3> = w.bodies().map(|(_, b)| b.com).collect();
        out.sag = out.sag.max(apart(&start, &places));
        out.above = out.above.max(height(&w) - begin - 1e-9);
        let (kinetic, potential) = w.energy();
        let rise = kinetic + potential - energy.0 - energy.1;
        out.excess = out.excess.max(rise - allowance(&w) - 1e-9 * size);
        for [a, b] in &anchors {
            let at = |(h, local): (BodyHandle, DVec3)| w.body(h).unwrap().pose().point(local);
            out.gap = out.gap.max(at(*a).distance(at(*b)));
        }
        if step == STEPS / 2 {
            halfway = places;
        }
    }
    out.ms = 1e3 * clock.elapsed().as_secs_f64() / STEPS as f64;
    let end: Vec<DVec3> = w.bodies().map(|(_, b)| b.com).collect();
    out.creep = apart(&halfway, &end) / (DT * (STEPS / 2) as f64);
    out
}

/// ½ h Σ m |g·v|: what implicit Euler's velocity is late by.
fn allowance(w: &World) -> f64 {
    let h = DT / f64::from(w.params().substeps);
    let power = |b: &Body| b.mass.mass * w.params().gravity.dot(b.vel.lin).abs();
    0.5 * h * w.bodies().map(|(_, b)| power(b)).sum::<f64>()
}

fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(p, q)| p.distance(*q))
        .fold(0.0, f64::max)
}

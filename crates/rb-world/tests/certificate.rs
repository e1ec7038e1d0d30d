//! The residual is honest: a small lie about a solved island must show.

mod common;
use common::*;
use rb_world::core::law::Law;
use rb_world::core::problem::Problem;
use rb_world::core::residual::grade;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// A heap of things that stick, slide, hang, roll and are driven.
fn scene() -> World {
    let mut world = World::new(Params::robotics()).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..3 {
        sphere(
            &mut world,
            0.4,
            0.0,
            DVec3::new(4.0 * k as f64, 0.5, 0.0),
            DVec3::X * k as f64,
        );
    }
    let cube = |w: &mut World, at: DVec3, v: DVec3, law| {
        let b = w.add_body(BodyDesc::dynamic().at(at).velocity(v)).unwrap();
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        w.add_collider(b, ColliderDesc::new(shape).friction(0.6).friction_law(law))
            .unwrap();
        b
    };
    cube(
        &mut world,
        DVec3::new(0.0, 0.5, 5.0),
        DVec3::X * 3.0,
        FrictionLaw::Conic,
    );
    cube(
        &mut world,
        DVec3::new(0.0, 0.5, 9.0),
        DVec3::ZERO,
        FrictionLaw::Conic,
    );
    let anchor = world
        .add_body(BodyDesc::fixed().at([0.0, 5.0, -5.0]))
        .unwrap();
    let bar = cube(
        &mut world,
        DVec3::new(1.0, 5.0, -5.0),
        DVec3::ZERO,
        FrictionLaw::Conic,
    );
    let (pa, pb) = (world.pose(anchor).unwrap(), world.pose(bar).unwrap());
    let hinge = Hinge::at_world(&pa, &pb, pa.p, DVec3::Z).unwrap();
    world
        .add_joint(anchor, bar, hinge.motor(Motor::velocity(20.0).max(500.0)))
        .unwrap();
    world
}

/// Problems that met the tolerance, with something at stake.
fn solved(world: &World) -> Vec<Problem> {
    let tolerance = world.params().tolerances.velocity;
    let floor = G * DT;
    let good = |p: &&Problem| !p.rows.is_empty() && grade(p, floor).abs <= tolerance;
    world.problems().filter(good).cloned().collect()
}

#[test]
fn one_percent_of_an_impulse_shows() {
    let mut world = scene();
    let (mut lies, mut least) = (0, f64::INFINITY);
    for _ in 0..20 {
        world.step(DT).unwrap();
        for p in solved(&world) {
            for r in (0..p.rows.len()).filter(|&r| p.rows[r].lambda.abs() > 1e-3) {
                let mut lie = p.clone();
                lie.rows[r].lambda *= 1.01;
                let abs = grade(&lie, G * DT).abs;
                least = least.min(abs);
                lies += 1;
                assert!(abs > world.params().tolerances.velocity, "row {r}: {abs:e}");
            }
        }
    }
    println!("{lies} impulses changed by 1 %: residual at least {least:.2e} m/s");
    assert!(lies > 100);
}

#[test]
fn one_percent_of_a_bound_shows() {
    let mut world = scene();
    let (mut lies, mut least) = (0, f64::INFINITY);
    for _ in 0..20 {
        world.step(DT).unwrap();
        for p in solved(&world) {
            for lie in tightened(&p) {
                let abs = grade(&lie, G * DT).abs;
                least = least.min(abs);
                lies += 1;
                assert!(abs > world.params().tolerances.velocity, "{abs:e}");
            }
        }
    }
    println!("{lies} active bounds changed by 1 %: residual at least {least:.2e} m/s");
    assert!(lies > 20);
}

/// Copies of a problem with one active bound lowered by 1 %: a saturated row's, or the friction
/// coefficient of a sliding contact.
fn tightened(p: &Problem) -> Vec<Problem> {
    let mut out = Vec::new();
    for (b, block) in p.blocks.iter().enumerate() {
        let f = block.first as usize;
        match block.law {
            Law::Cone { mu } => {
                let t = p.rows[f + 1].lambda.hypot(p.rows[f + 2].lambda);
                if p.rows[f].lambda > 1e-3 && t > 0.999 * mu * p.rows[f].lambda {
                    let mut lie = p.clone();
                    lie.blocks[b].law = Law::Cone { mu: 0.99 * mu };
                    out.push(lie);
                }
            }
            _ => {
                for r in block
                    .rows()
                    .filter(|&r| p.rows[r].hi.is_finite() && p.rows[r].hi > 0.0)
                {
                    if p.rows[r].lambda == p.rows[r].hi {
                        let mut lie = p.clone();
                        lie.rows[r].hi *= 0.99;
                        out.push(lie);
                    }
                }
            }
        }
    }
    out
}

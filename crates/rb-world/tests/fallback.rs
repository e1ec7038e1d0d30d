//! Who solves what nothing but the sweeps could, and what sends an island to whom: wide rows and spin
//! by the conic solver, flat laws by pivoting, sagging islands by their depth.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn planned(params: Params, plan: SolvePlan) -> Params {
    let mut params = params;
    params.escalation.plan = plan;
    params
}

fn cube(world: &mut World, at: DVec3, mass: f64, law: FrictionLaw) -> BodyHandle {
    let desc = BodyDesc::dynamic()
        .at(at)
        .mass(mass, DVec3::splat(mass / 6.0))
        .velocity(DVec3::new(0.4, 0.0, 0.3))
        .no_sleep();
    let body = world.add_body(desc).unwrap();
    let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let desc = ColliderDesc::new(shape).friction(0.5).friction_law(law);
    world.add_collider(body, desc).unwrap();
    body
}

/// Three cubes in a stack whose common centre of mass is held still along x against friction and their
/// own motion: a row over three bodies among contacts, which many sweeps do not settle.
#[test]
fn a_row_over_three_bodies_is_solved_exactly() {
    let mut world = World::new(planned(Params::robotics(), SolvePlan::Exact)).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let heights = [0.5, 1.5, 2.5];
    let bodies = heights.map(|y| cube(&mut world, DVec3::Y * y, 1.0 + y, FrictionLaw::Conic));
    let middle = world.centre_of_mass(&bodies, DVec3::X).unwrap();
    world.add_coupling(Coupling::new(middle).hold(0.0)).unwrap();
    let mut conic = 0;
    for _ in 0..20 {
        let report = world.step(DT).unwrap();
        assert!(report.residual < 1e-9, "{:.1e}", report.residual);
        conic += u32::from(report.islands[0].solver == "conic");
        let speed = |(&b, y): (&BodyHandle, f64)| (1.0 + y) * world.velocity(b).unwrap().lin.x;
        let momentum: f64 = bodies.iter().zip(heights).map(speed).sum();
        assert!(momentum.abs() < 1e-9, "{momentum:.1e}");
    }
    assert!(conic > 0);
}

/// A ball rolling without slip under resistance ρ: (I + m r²) α = −μ ρ m g.
#[test]
fn resistance_to_rolling_is_solved_exactly() {
    let (r, m, i, mu, rho, h) = (0.5, 1.0, 0.1, 0.5, 0.02, 1e-3);
    let mut params = planned(exact(DVec3::NEG_Y * G), SolvePlan::Exact);
    // Too few to settle it.
    (params.sweeps.position, params.sweeps.velocity) = (1, 1);
    let mut world = World::new(params).unwrap();
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap());
    let rough = plane.friction(mu).rolling(rho);
    world.add_collider(ground, rough).unwrap();
    let desc = BodyDesc::dynamic()
        .at(DVec3::Y * r)
        .mass(m, DVec3::splat(i))
        .velocity(DVec3::X)
        .spin(DVec3::NEG_Z / r);
    let body = world.add_body(desc).unwrap();
    let ball = ColliderDesc::new(Shape::ball(r).unwrap()).friction(mu);
    world.add_collider(body, ball).unwrap();
    let mut conic = 0;
    for _ in 0..500 {
        let report = world.step(h).unwrap();
        assert!(report.residual < 1e-9, "{:.1e}", report.residual);
        conic += u32::from(report.islands[0].solver == "conic");
    }
    assert!(conic > 0);
    let wanted = 1.0 - mu * rho * m * G / (i + m * r * r) * r * 0.5;
    close("speed", world.velocity(body).unwrap().lin.x, wanted, 1e-9);
}

/// Two cubes that slide and come to rest, under one law and plan.
fn sliding(law: FrictionLaw, params: Params) -> (World, Vec<BodyHandle>) {
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.5, law);
    let bodies = [0.5, 1.5].map(|y| cube(&mut world, DVec3::Y * y, 1.0, law));
    (world, bodies.to_vec())
}

#[test]
fn flat_laws_pivot_and_agree_with_conic() {
    for law in [FrictionLaw::Boxed, FrictionLaw::Pyramid] {
        let velocities = |plan, name: &str| {
            let (mut world, bodies) = sliding(law, planned(Params::robotics(), plan));
            let mut named = 0;
            let mut out = Vec::new();
            for _ in 0..40 {
                let report = world.step(DT).unwrap();
                assert!(report.residual < 1e-9, "{plan:?}: {:.1e}", report.residual);
                named += u32::from(report.islands[0].solver == name);
                out.extend(bodies.iter().map(|&b| world.velocity(b).unwrap()));
            }
            assert!(named > 0, "{plan:?}, {law:?}: nothing by {name}");
            out
        };
        let conic = velocities(SolvePlan::Exact, "conic");
        for (plan, name) in [(SolvePlan::Lemke, "lemke"), (SolvePlan::Pivot, "pivot")] {
            for (a, b) in velocities(plan, name).iter().zip(&conic) {
                let apart = (a.lin - b.lin).length().max((a.ang - b.ang).length());
                assert!(apart < 1e-9, "{plan:?}, {law:?}: {apart:.1e}");
            }
        }
    }
}

/// The fallback pivots where the laws are flat and the island is small, and reports who did it.
#[test]
fn the_fallback_pivots_up_to_its_limit() {
    let by = |law, rows| {
        let mut params = Params::robotics();
        params.sweeps.position = 2;
        params.sweeps.velocity = 2;
        params.tolerances.velocity = 1e-11;
        params.escalation.pivot_rows = rows;
        let (mut world, _) = sliding(law, params);
        let names = (0..10).map(|_| {
            let report = world.step(DT).unwrap();
            let island = &report.islands[0];
            assert!(island.reason.is_some());
            island.solver
        });
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    assert!(by(FrictionLaw::Boxed, 96).contains(&"pivot"));
    assert!(!by(FrictionLaw::Boxed, 96).contains(&"conic"));
    assert!(by(FrictionLaw::Boxed, 23).contains(&"conic"));
    assert!(by(FrictionLaw::Conic, 96).contains(&"conic"));
}

/// Depth alone, without a residual or a mass ratio to tell of it, sends a sagging island to the exact
/// solver, which keeps it while it would sag again.
#[test]
fn depth_sends_an_island_to_the_exact_solver() {
    let depths = |plan, tolerance: f64| {
        let mut params = planned(Params::game(), plan);
        params.escalation.mass_ratio = 1e9;
        params.tolerances.velocity = 1.0;
        params.tolerances.position = tolerance;
        let mut world = World::new(params).unwrap();
        floor(&mut world, 0.5, FrictionLaw::Conic);
        for (y, mass) in [(0.5, 1.0), (1.5, 50.0)] {
            let body = cube(&mut world, DVec3::Y * y, mass, FrictionLaw::Conic);
            world.set_velocity(body, DVec3::ZERO, DVec3::ZERO).unwrap();
        }
        let steps = (0..240).map(|_| {
            let report = world.step(DT).unwrap();
            (report.penetration, report.islands[0].reason)
        });
        steps.collect::<Vec<_>>()
    };
    let fast = depths(SolvePlan::Fast, 5e-4);
    assert!(fast[239].0 > 1e-3, "{}", fast[239].0);
    let kept = depths(SolvePlan::Fallback, 5e-4);
    let asked = |r: &Option<Reason>| matches!(r, Some(Reason::Position(_)));
    assert_eq!(kept.iter().filter(|(_, r)| asked(r)).count(), 1, "{kept:?}");
    for (depth, reason) in &kept[60..] {
        assert!(
            *depth < 5e-4 && *reason == Some(Reason::Held),
            "{depth} {reason:?}"
        );
    }
}

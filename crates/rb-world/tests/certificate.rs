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
    let good = |p: &Problem| !p.rows.is_empty() && grade(p, floor).abs <= tolerance;
    world.problems().filter(good).collect()
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

/// A bare rotor, without colliders, welded to the world by its centre and held there against a torque.
#[test]
fn what_has_no_surface_is_graded_too() {
    let mut world = World::new(Params::robotics()).unwrap();
    let base = world.add_body(BodyDesc::fixed()).unwrap();
    let rotor = BodyDesc::dynamic().mass(2.0, [0.1, 0.7, 0.7]);
    let rotor = world.add_body(rotor).unwrap();
    let [a, b] = [base, rotor].map(|h| world.pose(h).unwrap());
    world
        .add_joint(base, rotor, Fixed::at_world(&a, &b, a.p))
        .unwrap();
    world.add_torque(rotor, [0.0, 3.0, 5.0]).unwrap();
    world.step(DT).unwrap();
    let problems = solved(&world);
    let [p] = &problems[..] else {
        panic!("one island that met its tolerance")
    };
    let angular = |r: &usize| p.rows[*r].jac.iter().all(|j| j.lin == DVec3::ZERO);
    let loaded = |r: &usize| p.rows[*r].lambda.abs() > 1e-3;
    let rows: Vec<usize> = (0..p.rows.len()).filter(angular).filter(loaded).collect();
    assert!(!rows.is_empty(), "a moment holds it");
    for r in rows {
        let mut lie = p.clone();
        lie.rows[r].lambda *= 1.01;
        let abs = grade(&lie, G * DT).abs;
        assert!(abs > world.params().tolerances.velocity, "row {r}: {abs:e}");
    }
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

/// A solved scene and the same with one contact's impulses changed: every part of the certificate
/// sees its own kind of lie.
#[test]
fn parts_see_their_own_violation() {
    let mut world = scene();
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let p = world
        .problems()
        .find(|p| {
            p.blocks
                .iter()
                .any(|b| p.rows[b.rows()][0].lambda > 0.0 && b.len == 3)
        })
        .unwrap();
    let honest = grade(&p, 0.1);
    assert!(honest.outside < 1e-12 && honest.closing < 1e-6);
    assert!(honest.complementarity < 1e-9 && honest.dissipation < 1e-6);
    let lie = |change: &dyn Fn(&mut [f64; 3])| {
        let mut p = p.clone();
        let loaded = |b: &&rb_world::core::problem::Block| {
            b.len == 3 && p.rows[b.first as usize].lambda > 0.0
        };
        let first = p.blocks.iter().find(loaded).unwrap().first as usize;
        let mut r = [0, 1, 2].map(|k| p.rows[first + k].lambda);
        change(&mut r);
        (0..3).for_each(|k| p.rows[first + k].lambda = r[k]);
        grade(&p, 0.1)
    };
    assert!(lie(&|r| r[1] = 2.0 * r[0]).outside > 1e-3);
    assert!(lie(&|r| r[0] *= 0.5).closing > 1e-3);
    assert!(lie(&|r| r[0] *= 1.5).complementarity > 1e-6);
    assert!(lie(&|r| r[1] += 0.2 * r[0]).dissipation > 1e-9);
}

/// A strict world refuses a step above its tolerance and stays as it was, to the bit.
#[test]
fn strict_worlds_refuse_bad_steps() {
    let mut params = Params::robotics();
    params.strict = true;
    params.escalation.plan = SolvePlan::Fast;
    params.sweeps.position = 2;
    params.sweeps.velocity = 2;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..6 {
        let at = DVec3::new(0.1 * f64::from(k), 0.5 + f64::from(k), 0.0);
        let b = world.add_body(BodyDesc::dynamic().at(at)).unwrap();
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        world.add_collider(b, ColliderDesc::new(shape)).unwrap();
    }
    let before = world.save().unwrap();
    let Err(StepError::Unmet(report)) = world.step(DT) else {
        panic!("two sweeps cannot hold a leaning tower");
    };
    assert!(!report.met && report.residual > params.tolerances.velocity);
    assert_eq!(world.save().unwrap(), before);
    assert!(world.events().contact_begin.is_empty());
    // With the exact solver the same step is within the tolerance.
    params.escalation.plan = SolvePlan::Exact;
    world.set_params(params).unwrap();
    let report = world.step(DT).unwrap();
    assert!(report.islands[0].solver == "conic" && report.islands[0].reason == Some(Reason::Plan));
}

/// A precise body or joint sends its island to the exact solver, and no other.
#[test]
fn precise_bodies_choose_their_island() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    for k in 0..2 {
        let at = DVec3::new(5.0 * f64::from(k), 0.5, 0.0);
        let desc = BodyDesc::dynamic().at(at);
        let desc = if k == 1 { desc.precise() } else { desc };
        let b = world.add_body(desc).unwrap();
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        world.add_collider(b, ColliderDesc::new(shape)).unwrap();
    }
    for _ in 0..3 {
        world.step(DT).unwrap();
    }
    let report = world.report();
    let reasons: Vec<_> = report.islands.iter().map(|i| i.reason).collect();
    assert_eq!(reasons, [None, Some(Reason::Precise)]);
    assert_eq!(report.exact, 1);
    assert!(report.islands[1].grade.abs <= 1e-9);
}

/// A wall of bricks, wide below and narrow above: more than a thousand, one island.
fn wall(sampling: u32) -> (World, Vec<BodyHandle>) {
    let mut world = World::new(Params {
        sampling,
        ..Params::game()
    })
    .unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    let (rows, mut bricks) = (46, Vec::new());
    for row in 0..rows {
        for k in 0..rows - row {
            let x = f64::from(k) - 0.5 * f64::from(rows - row);
            let at = DVec3::new(x, f64::from(row) + 0.5, 0.0);
            let b = world.add_body(BodyDesc::dynamic().at(at)).unwrap();
            let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
            world
                .add_collider(b, ColliderDesc::new(shape).friction(0.6))
                .unwrap();
            bricks.push(b);
        }
    }
    (world, bricks)
}

#[test]
fn a_sample_sees_its_share_and_moves_nothing() {
    let ((mut whole, bricks), (mut some, _)) = (wall(1), wall(8));
    let (mut seen, mut there) = (0, 0);
    for step in 0..24 {
        let full = whole.step(DT).unwrap().islands[0];
        let part = some.step(DT).unwrap().islands[0];
        assert!(part.sampled && !full.sampled);
        assert!(part.grade.abs <= full.grade.abs && part.penetration <= full.penetration);
        if step >= 16 {
            let count = |r: &rb_world::core::report::IslandReport| {
                r.grade.open + r.grade.stick + r.grade.slide
            };
            (seen, there) = (seen + count(&part), there + count(&full));
        }
    }
    // In eight turns everything has been looked at once.
    let share = 8.0 * f64::from(seen) / f64::from(there);
    assert!((share - 1.0).abs() < 0.05, "{share}");
    for b in bricks {
        assert_eq!(whole.pose(b), some.pose(b));
        assert_eq!(whole.velocity(b), some.velocity(b));
    }
    let none = Params {
        sampling: 0,
        ..Params::game()
    };
    assert!(World::new(none).is_err());
}

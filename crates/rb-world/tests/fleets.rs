//! Islands with joints that share lanes: each gets what it would get by itself.

mod common;
use common::*;
use rb_world::core::report::Culprit;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn block(world: &mut World, at: DVec3, half: DVec3) -> BodyHandle {
    let spin = DVec3::new(0.4, 0.2 * half.y, -0.3);
    put(
        world,
        BodyDesc::dynamic().at(at).spin(spin),
        [ColliderDesc::new(Shape::cuboid(half).unwrap())],
    )
}

fn hinge(world: &mut World, pair: [BodyHandle; 2], at: DVec3, options: &RowOptions) {
    let [a, b] = pair.map(|body| world.pose(body).unwrap());
    let hinge = Hinge::at_world(&a, &b, at, DVec3::Z).unwrap();
    let hinge = JointDesc::new(hinge.limits(-0.3, 0.2)).options(options.clone());
    world.add_joint(pair[0], pair[1], hinge).unwrap();
}

/// Three blocks in a column that bend at hinges with stops, the lowest corner at `foot`; returns them.
fn worm(world: &mut World, foot: DVec3, options: &RowOptions) -> [BodyHandle; 3] {
    let half = DVec3::new(0.2, 0.15, 0.1);
    let blocks = [0.15, 0.55, 0.95].map(|y| block(world, foot + DVec3::Y * y, half));
    for k in 0..2 {
        let at = foot + DVec3::Y * (0.35 + 0.4 * f64::from(k as u8));
        hinge(world, [blocks[k], blocks[k + 1]], at, options);
    }
    blocks
}

/// A block with four arms on balls that rub.
fn spider(world: &mut World, at: DVec3) -> BodyHandle {
    spider_on(world, at, 0.1)
}

/// The same with so much friction in the balls (N·m).
fn spider_on(world: &mut World, at: DVec3, friction: f64) -> BodyHandle {
    let body = block(world, at, DVec3::splat(0.15));
    for side in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z] {
        let arm = block(
            world,
            at + side * 0.5,
            DVec3::splat(0.05) + side.abs() * 0.15,
        );
        let [a, b] = [body, arm].map(|body| world.pose(body).unwrap());
        let ball = Ball::at_world(&a, &b, at + side * 0.25).friction(friction);
        world.add_joint(body, arm, ball).unwrap();
    }
    body
}

/// A floor, and what follows on it or above.
fn world(build: impl FnOnce(&mut World)) -> World {
    let mut params = Params::game();
    params.sleep.enabled = false;
    // The exact solver's budget is one for all islands.
    params.escalation.plan = SolvePlan::Fast;
    let mut world = World::new(params).unwrap();
    floor(&mut world, 0.6, FrictionLaw::Conic);
    build(&mut world);
    world
}

/// Two worms, one on the other: an island of two trees that goes to lanes by itself.
fn pair(world: &mut World, foot: DVec3) {
    worm(world, foot, &RowOptions::default());
    worm(
        world,
        foot + DVec3::new(0.05, 1.1, 0.0),
        &RowOptions::default(),
    );
}

/// Farthest that the first `count` movable bodies are apart in both worlds (m, m/s, rad/s).
fn apart(a: &World, b: &World, count: usize) -> f64 {
    let bodies = |w: &World| -> Vec<_> {
        let movable = w.bodies().filter(|(_, b)| b.is_movable());
        movable.take(count).map(|(_, b)| (b.com, b.vel)).collect()
    };
    let both = bodies(a).into_iter().zip(bodies(b));
    both.fold(0.0, |most, ((x, v), (y, w))| {
        let speed = (v.lin - w.lin).length().max((v.ang - w.ang).length());
        most.max(x.distance(y)).max(speed)
    })
}

#[test]
fn an_island_gets_in_company_what_it_gets_alone() {
    let mut alone = world(|w| pair(w, DVec3::ZERO));
    let mut crowd = world(|w| {
        pair(w, DVec3::ZERO);
        for k in 1..6 {
            let x = 3.0 * f64::from(k);
            pair(w, DVec3::new(x, 0.0, 0.1 * x));
            spider(w, DVec3::new(x, 0.5, -3.0));
        }
    });
    for _ in 0..30 {
        let reports = [&mut alone, &mut crowd].map(|w| w.step(DT).unwrap().islands);
        let [a, b] = reports.map(|islands| islands[0]);
        assert_eq!((a.bodies, a.rows, a.laws), (b.bodies, b.rows, b.laws));
        assert_eq!((a.iterations, a.reason), (b.iterations, b.reason));
        assert_eq!(a.worst_contact, b.worst_contact);
        // Trees are exact: which of their joints is off by most is for rounding to say, but it is one of theirs.
        for report in [&a, &b] {
            let own = |j: &Culprit| matches!(j, Culprit::Joint(j) if alone.joint(*j).is_ok());
            assert!(report.worst_joint.iter().all(own), "{report:?}");
        }
        for (one, other) in [
            (a.grade.abs, b.grade.abs),
            (a.grade.joint, b.grade.joint),
            (a.grade.rms, b.grade.rms),
            (a.penetration, b.penetration),
            (a.joint_error, b.joint_error),
        ] {
            assert!((one - other).abs() < 1e-9, "{one:e} against {other:e}");
        }
        let apart = apart(&alone, &crowd, 6);
        assert!(apart < 1e-9, "{apart:e}");
    }
    let [p, q] = [&alone, &crowd].map(|w| w.problems().next().unwrap());
    assert_eq!(p.rows.len(), q.rows.len());
    for (a, b) in p.blocks.iter().zip(&q.blocks) {
        assert_eq!((a.bodies, a.source), (b.bodies, b.source));
    }
    for (a, b) in p.rows.iter().zip(&q.rows) {
        assert!((a.lambda - b.lambda).abs() < 1e-9 && (a.gap - b.gap).abs() < 1e-9);
    }
}

#[test]
fn trees_in_flight_do_not_feel_their_neighbours() {
    let worms = |w: &mut World, n: u32| {
        for k in 0..n {
            let foot = DVec3::new(3.0 * f64::from(k), 50.0, 0.0);
            worm(w, foot, &RowOptions::default());
        }
    };
    let mut few = world(|w| worms(w, 2));
    let mut many = world(|w| {
        worms(w, 13);
        for k in 0..7 {
            spider(w, DVec3::new(3.0 * f64::from(k), 50.0, 5.0));
        }
    });
    for _ in 0..60 {
        let reports = [&mut few, &mut many].map(|w| w.step(DT).unwrap().islands);
        let [a, b] = reports.map(|islands| islands[1]);
        assert_eq!(
            (a.worst_joint, a.joint_error),
            (b.worst_joint, b.joint_error)
        );
        assert_eq!((a.grade.abs, a.rows), (b.grade.abs, b.rows));
        assert!(a.rows >= 10 && a.iterations == b.iterations);
        assert_eq!(apart(&few, &many, 6), 0.0);
    }
}

#[test]
fn who_cannot_be_held_goes_alone() {
    let iterated = RowOptions {
        stabilise: Some(Stabilisation::Iterated),
        ..RowOptions::default()
    };
    let build = |with: bool| {
        world(|w| {
            for k in 0..4 {
                let foot = DVec3::new(3.0 * f64::from(k), 20.0, 0.0);
                worm(w, foot, &RowOptions::default());
            }
            if with {
                worm(w, DVec3::new(0.0, 20.0, 5.0), &iterated);
            }
        })
    };
    let (mut all, mut held) = (build(true), build(false));
    let mut single = world(|w| {
        worm(w, DVec3::new(0.0, 20.0, 5.0), &iterated);
    });
    for _ in 0..30 {
        let islands = all.step(DT).unwrap().islands;
        held.step(DT).unwrap();
        let lone = single.step(DT).unwrap().islands;
        // Whether rows are stated or carried along is one choice for a batch.
        assert!(apart(&all, &held, 12) < 1e-9);
        assert_eq!(islands[4].rows, lone[0].rows);
        assert_eq!(islands[4].joint_error, lone[0].joint_error);
    }
}

#[test]
fn threads_do_not_show() {
    let build = || {
        world(|w| {
            for k in 0..60 {
                let (x, z) = (2.0 * f64::from(k % 8), 2.0 * f64::from(k / 8));
                match k % 3 {
                    0 => _ = spider(w, DVec3::new(x, 0.3, z)),
                    1 => _ = worm(w, DVec3::new(x, 0.1, z), &RowOptions::default()),
                    _ => pair(w, DVec3::new(x, 0.0, z)),
                }
            }
        })
    };
    let run = |threads: usize| {
        let mut world = build();
        world.set_threads(threads).unwrap();
        world.set_parallel_threshold(0);
        let step = |_| {
            world.step(DT).unwrap();
            world.state_hash()
        };
        (0..60).map(step).collect::<Vec<_>>()
    };
    let one = run(1);
    (2..=8).for_each(|threads| assert!(one == run(threads), "{threads} threads"));
}

/// Two blocks on a ball with stops all around.
fn shoulder(world: &mut World, at: DVec3, options: &RowOptions) {
    let half = DVec3::new(0.1, 0.2, 0.15);
    let pair = [0.0, 0.5].map(|y| block(world, at + DVec3::Y * y, half));
    let [a, b] = pair.map(|body| world.pose(body).unwrap());
    let ball = Ball::along_world(&a, &b, at + DVec3::Y * 0.25, DVec3::Y).unwrap();
    let ball = ball.cone(0.25).twist(Drive::new().limits(-0.1, 0.2));
    let ball = JointDesc::new(ball).options(options.clone());
    world.add_joint(pair[0], pair[1], ball).unwrap();
    let spin = DVec3::new(1.5, 3.0, -2.0);
    world.set_velocity(pair[1], DVec3::ZERO, spin).unwrap();
}

#[test]
fn bearings_do_what_their_rows_would() {
    // Changes nothing, but has the rows stated.
    let stated = RowOptions {
        alpha: Some(1.0),
        ..RowOptions::default()
    };
    let [mut frames, mut rows] = [RowOptions::default(), stated].map(|options| {
        world(|w| {
            for k in 0..8 {
                let x = 2.0 * f64::from(k);
                shoulder(w, DVec3::new(x, 30.0, 0.0), &options);
                worm(w, DVec3::new(x, 30.0, 4.0), &options);
            }
        })
    });
    for _ in 0..40 {
        let reports = [&mut frames, &mut rows].map(|w| w.step(DT).unwrap().islands);
        for (a, b) in reports[0].iter().zip(reports[1].iter()) {
            assert_eq!(a.rows, b.rows);
            assert!((a.joint_error - b.joint_error).abs() < 1e-9);
        }
        let apart = apart(&frames, &rows, 40);
        assert!(apart < 1e-9, "{apart:e}");
    }
}

/// A curtain of so many blocks on balls.
fn curtain(world: &mut World, side: usize) {
    let mut blocks = Vec::new();
    for k in 0..side * side {
        let at = DVec3::new((k / side) as f64, -((k % side) as f64), 0.0) * 0.5;
        let at = at + DVec3::new(0.0, 40.0, -20.0);
        let body = block(world, at, DVec3::splat(0.1));
        let mut join = |other: BodyHandle, to: DVec3| {
            let [a, b] = [other, body].map(|body| world.pose(body).unwrap());
            let ball = Ball::at_world(&a, &b, at + to * 0.25);
            world.add_joint(other, body, ball).unwrap();
        };
        if k % side > 0 {
            join(blocks[k - 1], DVec3::Y);
        }
        if k >= side {
            join(blocks[k - side], DVec3::NEG_X);
        }
        blocks.push(body);
    }
}

#[test]
fn sections_of_large_islands_do_not_show() {
    let run = |threads: usize| {
        let mut world = world(|w| {
            // Side by side, so that all touch: trees that are solved exactly, and between them contacts.
            for k in 0..100 {
                let foot = DVec3::new(0.39 * f64::from(k % 10), 0.0, 0.19 * f64::from(k / 10));
                worm(w, foot, &RowOptions::default());
            }
            curtain(w, 33);
        });
        world.set_threads(threads).unwrap();
        world.set_parallel_threshold(0);
        let step = |_| {
            let largest = world.step(DT).unwrap().islands;
            let bodies = largest.iter().map(|i| i.bodies).max();
            (bodies, world.state_hash())
        };
        (0..12).map(step).collect::<Vec<_>>()
    };
    let one = run(1);
    assert!(one.iter().all(|(bodies, _)| *bodies >= Some(33 * 33)));
    (2..=4).for_each(|threads| assert!(one == run(threads), "{threads} threads"));
}

/// A crowd in a pit takes fewer substeps; forces are told and kept as those of all others, by a restored world too, and
/// by joints that are pins and stay in their lanes.
#[test]
fn spared_substeps_do_not_show_in_forces() {
    for friction in [0.1, 0.0] {
        let mut world = world(|w| {
            for inward in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z] {
                let wall = ColliderDesc::new(Shape::half_space(inward).unwrap());
                put(w, BodyDesc::fixed().at(inward * -1.1), [wall]);
            }
            for k in 0..12 {
                let at = DVec3::new(0.1 * f64::from(k % 3), 0.3 + 0.4 * f64::from(k), 0.0);
                spider_on(w, at, friction);
            }
        });
        for k in 0..900 {
            go_on_as_restored(&mut world, DT, k % 50 == 49);
        }
        let islands = &world.report().islands;
        let crowds = islands.iter().filter(|i| i.substeps == 3);
        assert!(crowds.map(|i| i.bodies).sum::<u32>() >= 40);
        assert!(missing(&world) < 1e-3);
        // What is stiffer shakes them, but they are told in the same unit.
        go_on_as_restored(&mut world, 0.5 * DT, true);
        assert!(missing(&world) < 0.15);
    }
}

/// Makes a step; if it is to be compared, with that of a restored world.
fn go_on_as_restored(world: &mut World, dt: f64, compare: bool) {
    let copy = compare.then(|| World::restore(&world.save().unwrap()).unwrap());
    world.step(dt).unwrap();
    if let Some(mut copy) = copy {
        copy.step(dt).unwrap();
        assert_eq!(world.state_hash(), copy.state_hash());
    }
}

/// Share of the weight of all bodies that nothing carries, as contacts and joints tell.
fn missing(world: &World) -> f64 {
    let (mut off, mut all) = (0.0, 0.0);
    for (body, b) in world.bodies().filter(|(_, b)| b.is_movable()) {
        let told = world.explain(body).unwrap();
        let loads = told.holds.iter().map(|h| h.load.force);
        let force: DVec3 = told.supports.iter().map(|s| s.force).chain(loads).sum();
        let weight = DVec3::Y * 9.81 * b.mass.mass;
        off += (force - weight).length();
        all += weight.length();
    }
    off / all
}

//! What users rely on beyond the mathematics: events, sleep, queries, kinematic bodies, large worlds.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

#[test]
fn contact_events_come_in_pairs() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::Y * 1.5, DVec3::ZERO);
    let (mut begun, mut ended) = (0, 0);
    run(&mut world, DT, 90, |w, _| {
        begun += w.events().contact_begin.len();
        ended += w.events().contact_end.len();
    });
    assert_eq!((begun, ended), (1, 0), "a resting ball touches once");
    world.apply_impulse(ball, DVec3::Y * 5.0).unwrap();
    run(&mut world, DT, 20, |w, _| {
        ended += w.events().contact_end.len()
    });
    assert_eq!(ended, 1);
}

/// A pair is told of if either collider asks, however it ends.
#[test]
fn events_are_for_those_who_ask() {
    let silent = |shape| ColliderDesc::new(shape).events(ColliderEvents::empty());
    let ball = || Shape::ball(0.5).unwrap();
    for (asks, told) in [(false, 0), (true, 1)] {
        for sensor in [false, true] {
            let mut world = World::new(Params::game()).unwrap();
            let ground = world.add_body(BodyDesc::fixed()).unwrap();
            let plane = silent(Shape::half_space(DVec3::Y).unwrap());
            world.add_collider(ground, plane.sensor(sensor)).unwrap();
            let desc = if asks {
                ColliderDesc::new(ball())
            } else {
                silent(ball())
            };
            let mut counts = [0; 2];
            for removed in [false, true] {
                let body = BodyDesc::dynamic().at([0.0, 0.55, 0.0]);
                let body = world.add_body(body).unwrap();
                let collider = world.add_collider(body, desc.clone()).unwrap();
                for step in 0..40 {
                    match step {
                        20 if removed => world.remove_collider(collider).unwrap(),
                        20 => world.set_position(body, DVec3::Y * 50.0).unwrap(),
                        _ => {}
                    }
                    world.step(DT).unwrap();
                    let e = world.events();
                    let [begun, ended] = match sensor {
                        true => [&e.sensor_begin, &e.sensor_end],
                        false => [&e.contact_begin, &e.contact_end],
                    };
                    counts[0] += begun.len();
                    counts[1] += ended.len();
                }
            }
            assert_eq!(counts, [2 * told; 2], "asks {asks}, sensor {sensor}");
        }
    }
}

#[test]
fn force_events_tell_the_weight() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let body = world
        .add_body(
            BodyDesc::dynamic()
                .at([0.0, 0.5, 0.0])
                .no_sleep()
                .mass(3.0, DVec3::ONE),
        )
        .unwrap();
    let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    world
        .add_collider(body, ColliderDesc::new(shape).force_threshold(10.0))
        .unwrap();
    run(&mut world, DT, 120, |_, _| {});
    let force = world.events().contact_force[0].force;
    close("force", force, 3.0 * G, 1e-3);
    let text = world.explain(body).unwrap().to_string();
    assert!(text.contains("contact with"), "{text}");
}

/// A box on a floor, a bob on a joint and one on a coupling, asleep: their loads do not follow the length of the step.
#[test]
fn what_sleeps_weighs_the_same_in_steps_of_any_length() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let cube = ColliderDesc::new(Shape::cuboid(DVec3::splat(0.5)).unwrap()).force_threshold(1.0);
    let body = |at: DVec3| BodyDesc::dynamic().at(at).mass(1.0, DVec3::ONE);
    let cube = put(&mut world, body(DVec3::Y * 0.5), [cube]);
    let hook = world
        .add_body(BodyDesc::fixed().at(DVec3::Y * 5.0))
        .unwrap();
    let bobs =
        [DVec3::new(3.0, 4.0, 0.0), DVec3::Y * 4.0].map(|at| world.add_body(body(at)).unwrap());
    let [a, b] = [hook, bobs[0]].map(|body| world.pose(body).unwrap());
    let joint = world
        .add_joint(hook, bobs[0], Ball::at_world(&a, &b, b.p))
        .unwrap();
    let length = Quantity::distance(hook, DVec3::ZERO, bobs[1], DVec3::ZERO);
    let rope = world.add_coupling(Coupling::new(length).hold(1.0)).unwrap();
    run(&mut world, DT, 120, |_, _| {});
    for dt in [DT, 0.5 * DT, 2.0 * DT, DT] {
        world.step(dt).unwrap();
        assert_eq!(world.report().awake, 0);
        let points = world.contact_points().map(|p| p.force.y);
        close("contact", points.sum(), G, 1e-3);
        close(
            "explained",
            world.explain(cube).unwrap().supports[0].force.y,
            G,
            1e-3,
        );
        close("event", world.events().contact_force[0].force, G, 1e-3);
        close("joint", world.reaction(joint).unwrap().force.y, G, 1e-3);
        let tension = world.constraint_forces(rope).unwrap()[0].1;
        close("coupling", tension, -G, 1e-3);
    }
}

#[test]
fn sensors_report_and_do_not_push() {
    let mut world = World::new(Params::game()).unwrap();
    let gate = world.add_body(BodyDesc::fixed()).unwrap();
    let zone = Shape::cuboid(DVec3::ONE).unwrap();
    world
        .add_collider(gate, ColliderDesc::new(zone).sensor(true))
        .unwrap();
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::Y * 3.0, DVec3::ZERO);
    let substeps = f64::from(world.params().substeps);
    let (mut begun, mut ended) = (0, 0);
    run(&mut world, DT, 90, |w, _| {
        begun += w.events().sensor_begin.len();
        ended += w.events().sensor_end.len();
    });
    assert_eq!((begun, ended), (1, 1));
    let fallen = -0.5 * G * (1.5f64 * (1.5 + DT / substeps));
    close(
        "free fall through the sensor",
        world.position(ball).unwrap().y - 3.0,
        fallen,
        1e-9,
    );
}

#[test]
fn groups_and_hooks_keep_bodies_apart() {
    struct Ghosts;
    impl Hooks for Ghosts {
        fn may_touch(&self, _: [ColliderHandle; 2], bodies: [BodyHandle; 2]) -> bool {
            bodies[0].index() == 0
        }
    }
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    for _ in 0..2 {
        sphere(&mut world, 0.5, 0.0, DVec3::Y * 0.5, DVec3::ZERO);
    }
    world.set_hooks(std::sync::Arc::new(Ghosts));
    run(&mut world, DT, 60, |_, _| {});
    for (_, b) in world.bodies().skip(1) {
        assert!((b.com - DVec3::Y * 0.5).length() < 5e-3, "{}", b.com);
    }
}

#[test]
fn islands_sleep_and_wake_as_one() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let shape = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let boxes: Vec<_> = (0..3)
        .map(|k| {
            let b = world
                .add_body(BodyDesc::dynamic().at([0.0, 0.5 + k as f64, 0.0]))
                .unwrap();
            world.add_collider(b, ColliderDesc::new(shape())).unwrap();
            b
        })
        .collect();
    let mut asleep = 0;
    run(&mut world, DT, 240, |w, _| asleep += w.events().sleep.len());
    assert_eq!(asleep, 3);
    assert_eq!(world.report().awake, 0);
    let striker = sphere(
        &mut world,
        0.5,
        0.0,
        DVec3::new(-4.0, 0.5, 0.0),
        DVec3::X * 6.0,
    );
    let mut woken = 0;
    run(&mut world, DT, 60, |w, _| woken += w.events().wake.len());
    assert_eq!(woken, 3, "the whole stack wakes when it is hit");
    assert!(boxes.iter().all(|b| world.contains_body(*b)) && world.contains_body(striker));
}

#[test]
fn kinematic_bodies_reach_their_targets_and_carry_others() {
    let mut world = World::new(Params::game()).unwrap();
    let lift = world.add_body(BodyDesc::kinematic()).unwrap();
    let top = Shape::cuboid(DVec3::new(2.0, 0.1, 2.0)).unwrap();
    world
        .add_collider(lift, ColliderDesc::new(top).friction(0.8))
        .unwrap();
    let rider = world
        .add_body(BodyDesc::dynamic().at([0.0, 0.6, 0.0]))
        .unwrap();
    world
        .add_collider(
            rider,
            ColliderDesc::new(Shape::cuboid(DVec3::splat(0.5)).unwrap()).friction(0.8),
        )
        .unwrap();
    for k in 1..=120 {
        let t = k as f64 * DT;
        let target = Pose::new(
            DVec3::new(0.3 * t, 0.5 * t, 0.0),
            DQuat::from_rotation_y(0.2 * t),
        );
        world.set_target(lift, target).unwrap();
        world.step(DT).unwrap();
        let p = world.pose(lift).unwrap();
        assert!((p.p - target.p).length() < 1e-12 && p.q.dot(target.q) > 1.0 - 1e-12);
    }
    let d = world.position(rider).unwrap() - world.position(lift).unwrap();
    assert!((d - DVec3::Y * 0.6).length() < 2e-2, "the rider is at {d}");
}

#[test]
fn queries_see_what_is_there() {
    let mut world = World::new(Params::game()).unwrap();
    floor(&mut world, 0.5, FrictionLaw::Conic);
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::new(0.0, 3.0, 0.0), DVec3::ZERO);
    let all = QueryFilter::default();
    let down = DVec3::NEG_Y;
    let hit = world
        .cast_ray([0.0, 10.0, 0.0], down, 100.0, &all)
        .unwrap()
        .unwrap();
    assert_eq!(hit.body, ball);
    close("distance", hit.distance, 6.5, 1e-12);
    let hits = world
        .cast_ray_all([0.0, 10.0, 0.0], down, 100.0, &all)
        .unwrap();
    assert_eq!(hits.len(), 2);
    close("floor", hits[1].distance, 10.0, 1e-12);
    let not_me = QueryFilter {
        exclude: Some(ball),
        ..all
    };
    let hit = world
        .cast_ray([0.0, 10.0, 0.0], down, 100.0, &not_me)
        .unwrap()
        .unwrap();
    close("floor below", hit.point.y, 0.0, 1e-12);
    let probe = Shape::ball(0.25).unwrap();
    let from = Pose::from_translation(DVec3::new(0.0, 10.0, 0.0));
    let cast = world
        .cast_shape(&probe, from, down, 100.0, &all)
        .unwrap()
        .unwrap();
    close("cast", cast.distance, 6.25, 1e-9);
    let at = Pose::from_translation(DVec3::new(0.0, 3.6, 0.0));
    assert_eq!(world.overlaps(&probe, at, &all).unwrap().len(), 1);
    let near = world
        .closest_point([0.0, 5.0, 0.0], 10.0, &all)
        .unwrap()
        .unwrap();
    close("closest", near.distance, 1.5, 1e-12);
    assert!(world.cast_ray(DVec3::ZERO, DVec3::ZERO, 1.0, &all).is_err());
}

#[test]
fn ten_kilometres_out_a_pair_behaves_as_at_the_origin() {
    let at = |offset: DVec3| {
        let mut world = World::new(Params::game()).unwrap();
        let ground = world
            .add_body(BodyDesc::fixed().at(offset - DVec3::Y))
            .unwrap();
        let slab = Shape::cuboid(DVec3::new(5.0, 1.0, 5.0)).unwrap();
        world.add_collider(ground, ColliderDesc::new(slab)).unwrap();
        for k in 0..4 {
            let p = offset + DVec3::new(0.1 * k as f64, 0.7 + 1.1 * k as f64, 0.05);
            let b = world
                .add_body(BodyDesc::dynamic().at(p).spin([0.3, 0.1, 0.2]))
                .unwrap();
            let shape = if k % 2 == 0 {
                Shape::cuboid(DVec3::splat(0.5))
            } else {
                Shape::capsule(0.3, 0.3)
            };
            world
                .add_collider(b, ColliderDesc::new(shape.unwrap()))
                .unwrap();
        }
        run(&mut world, DT, 60, |_, _| {});
        world
            .bodies()
            .map(|(_, b)| b.com - offset)
            .collect::<Vec<_>>()
    };
    let (near, far) = (at(DVec3::ZERO), at(DVec3::new(1e4, 0.0, -1e4)));
    let worst = near
        .iter()
        .zip(&far)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max);
    close("largest difference", worst, 0.0, 1e-6);
}

#[test]
fn compliant_contact_sags_as_on_paper() {
    let mut world = World::new(Params::robotics()).unwrap();
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let plane =
        ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap()).contact_stiffness(1e4, 200.0);
    world.add_collider(ground, plane).unwrap();
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::Y * 0.5, DVec3::ZERO);
    run(&mut world, 1e-2, 500, |_, _| {});
    close("sag", 0.5 - world.position(ball).unwrap().y, G / 1e4, 1e-9);
}

#[test]
fn overloaded_joints_break() {
    let mut world = World::new(exact(DVec3::NEG_Y * G)).unwrap();
    let hook = world.add_body(BodyDesc::fixed()).unwrap();
    let load = world
        .add_body(
            BodyDesc::dynamic()
                .at([0.0, -1.0, 0.0])
                .mass(10.0, DVec3::ONE),
        )
        .unwrap();
    let weld = Fixed::at_world(
        &world.pose(hook).unwrap(),
        &world.pose(load).unwrap(),
        DVec3::ZERO,
    );
    let joint = world
        .add_joint(hook, load, JointDesc::new(weld).break_force(150.0))
        .unwrap();
    run(&mut world, 1e-2, 10, |_, _| {});
    close(
        "weight",
        world.reaction(joint).unwrap().force.y,
        10.0 * G,
        1e-9,
    );
    world.add_force(load, DVec3::NEG_Y * 60.0).unwrap();
    world.step(1e-2).unwrap();
    assert_eq!(world.events().joint_break.len(), 1);
    assert!(world.joint(joint).is_err());
}

#[test]
fn interpolation_runs_from_the_last_pose_to_this_one() {
    let mut world = World::new(weightless()).unwrap();
    let body = world
        .add_body(
            BodyDesc::dynamic()
                .mass(1.0, DVec3::ONE)
                .velocity([6.0, 0.0, 0.0]),
        )
        .unwrap();
    world.step(0.5).unwrap();
    let x = |f| world.interpolated(body, f).unwrap().0.x;
    assert_eq!((x(0.0), x(0.5), x(1.0)), (0.0, 1.5, 3.0));
    // Where its mass is has nothing to do with where its frame was.
    let aside = MassProps {
        com_local: DVec3::X,
        ..world.body(body).unwrap().mass_props()
    };
    world.set_mass(body, aside).unwrap();
    let x = |f| world.interpolated(body, f).unwrap().0.x;
    assert_eq!((x(0.0), x(0.5), x(1.0)), (0.0, 1.5, 3.0));
}

/// Questions after a step are about where bodies are then, however far they got within it.
#[test]
fn queries_see_fast_bodies_where_they_are() {
    let mut world = World::new(weightless()).unwrap();
    let shot = DVec3::new(300.0, 20.0, 0.0);
    let ball = sphere(&mut world, 0.1, 0.0, DVec3::ZERO, shot);
    // At rest until something hits it; and a rod that turns on the spot.
    let struck = sphere(&mut world, 0.1, 0.0, DVec3::Z * 5.0, DVec3::ZERO);
    let rod = BodyDesc::dynamic()
        .at(DVec3::Z * -5.0)
        .spin(DVec3::Z * 60.0);
    let rod = world.add_body(rod).unwrap();
    let stick = Shape::cuboid(DVec3::new(1.0, 0.01, 0.01)).unwrap();
    world.add_collider(rod, ColliderDesc::new(stick)).unwrap();
    for step in 0..20 {
        if step == 10 {
            let mass = world.body(struck).unwrap().mass.mass;
            world.apply_impulse(struck, DVec3::X * 40.0 * mass).unwrap();
        }
        world.step(DT).unwrap();
        for body in [ball, struck, rod] {
            let pose = world.pose(body).unwrap();
            // Near the end of the rod; the balls are hit there at their side.
            let tip = pose.p + pose.q * DVec3::X * if body == rod { 0.95 } else { 0.05 };
            let from = tip + DVec3::Z;
            let hit = world.cast_ray(from, DVec3::NEG_Z, 2.0, &QueryFilter::default());
            assert_eq!(hit.unwrap().map(|h| h.body), Some(body), "step {step}");
        }
    }
}

/// The same of a body at rest that is pushed a little farther than boxes stand off.
#[test]
fn queries_see_what_sets_off() {
    let mut world = World::new(weightless()).unwrap();
    let ball = world.add_body(BodyDesc::dynamic()).unwrap();
    let pebble = ColliderDesc::new(Shape::ball(0.05).unwrap());
    world.add_collider(ball, pebble).unwrap();
    world.step(DT).unwrap();
    let mass = world.body(ball).unwrap().mass.mass;
    world.add_force(ball, DVec3::X * (60.0 * mass)).unwrap();
    world.step(DT).unwrap();
    let x = world.pose(ball).unwrap().p.x;
    assert!((0.016..0.018).contains(&x), "{x}");
    let from = DVec3::new(x + 0.049, 0.0, 1.0);
    let hit = world.cast_ray(from, DVec3::NEG_Z, 2.0, &QueryFilter::default());
    assert_eq!(hit.unwrap().map(|h| h.body), Some(ball));
}

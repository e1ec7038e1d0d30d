//! Contacts at rest are not searched for anew; what is changed about them takes effect all the same.

use rb_world::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const DT: f64 = 1.0 / 60.0;

/// A box at rest on a plane that slopes by `slope` rad.
fn at_rest(slope: f64) -> (World, BodyHandle, ColliderHandle) {
    let mut world = World::new(Params::game()).unwrap();
    let up = DVec3::new(slope.sin(), slope.cos(), 0.0);
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(up).unwrap());
    world.add_collider(floor, plane).unwrap();
    let turn = DQuat::from_rotation_z(-slope);
    let desc = BodyDesc::dynamic().at(up * 0.5).rotated(turn).no_sleep();
    let body = world.add_body(desc).unwrap();
    let cube = ColliderDesc::new(Shape::cuboid(DVec3::splat(0.5)).unwrap());
    let collider = world.add_collider(body, cube).unwrap();
    run(&mut world, 60);
    (world, body, collider)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

fn speed(world: &World, body: BodyHandle) -> f64 {
    world.velocity(body).unwrap().lin.length()
}

#[test]
fn a_surface_made_slippery_lets_go() {
    let (mut world, body, collider) = at_rest(0.2);
    assert!(speed(&world, body) < 1e-3);
    let ice = Material {
        friction: 0.0,
        friction_combine: Combine::Min,
        ..Material::default()
    };
    world.set_material(collider, ice).unwrap();
    run(&mut world, 30);
    let expected = 9.81 * 0.2f64.sin() * 0.5;
    assert!((speed(&world, body) - expected).abs() < 0.02 * expected);
}

#[test]
fn groups_sensors_and_joints_let_a_body_through() {
    type Edit = fn(&mut World, BodyHandle, ColliderHandle);
    let edits: [Edit; 3] = [
        |w, _, c| w.set_groups(c, CollisionGroups::new(1, 0)).unwrap(),
        |w, _, c| w.set_sensor(c, true).unwrap(),
        |w, b, _| {
            let floor = w.bodies().next().unwrap().0;
            let weld = Fixed::new(Pose::from_translation(DVec3::Y * 0.5), Pose::IDENTITY);
            w.add_joint(floor, b, weld).unwrap();
        },
    ];
    for (k, edit) in edits.into_iter().enumerate() {
        let (mut world, body, collider) = at_rest(0.0);
        let before = world.contact_points().count();
        assert_eq!(before, 4);
        edit(&mut world, body, collider);
        run(&mut world, 1);
        assert_eq!(world.contact_points().count(), 0, "edit {k}");
    }
}

/// Lets pairs touch while it is on.
struct Gate(AtomicBool);

impl Hooks for Gate {
    fn may_touch(&self, _: [ColliderHandle; 2], _: [BodyHandle; 2]) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn hooks_are_asked_in_every_step() {
    let (mut world, body, _) = at_rest(0.0);
    let gate = Arc::new(Gate(AtomicBool::new(true)));
    world.set_hooks(gate.clone());
    run(&mut world, 10);
    assert_eq!(world.contact_points().count(), 4);
    gate.0.store(false, Ordering::Relaxed);
    run(&mut world, 1);
    assert_eq!(world.contact_points().count(), 0);
    gate.0.store(true, Ordering::Relaxed);
    run(&mut world, 60);
    assert_eq!(world.contact_points().count(), 4);
    assert!(speed(&world, body) < 1e-2);
}

/// Panics when it is told to, about one collider or any.
#[derive(Default)]
struct Trap(AtomicBool, Option<ColliderHandle>);

impl Hooks for Trap {
    fn may_touch(&self, pair: [ColliderHandle; 2], _: [BodyHandle; 2]) -> bool {
        let meant = self.1.is_none_or(|of| pair.contains(&of));
        let sprung = meant && self.0.load(Ordering::Relaxed);
        assert!(!sprung, "the user's mistake");
        true
    }
}

/// A step in which the trap springs.
fn spring(world: &mut World, trap: &Trap) {
    trap.0.store(true, Ordering::Relaxed);
    let step = std::panic::AssertUnwindSafe(|| world.step(DT));
    assert!(std::panic::catch_unwind(step).is_err());
    trap.0.store(false, Ordering::Relaxed);
}

#[test]
fn a_hook_that_panics_costs_no_contacts() {
    let (mut world, body, _) = at_rest(0.0);
    let trap = Arc::new(Trap::default());
    world.set_hooks(trap.clone());
    let before = world.contact_points().count();
    assert!(before > 0);
    spring(&mut world, &trap);
    assert_eq!(world.contact_points().count(), before);
    run(&mut world, 60);
    assert!(speed(&world, body) < 1e-3);
}

/// Points between two cubes, the second on a slab on the floor. They come to rest far apart, are put eleven millimetres
/// apart, and make a step that the second and the slab begin with these velocities (m/s, away from the first).
fn across(second: f64, slab: f64) -> usize {
    let mut world = World::new(Params::game()).unwrap();
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap());
    world.add_collider(floor, plane).unwrap();
    let boxes = [(0.0, 0.5, 0.5), (1.1, 0.6, 0.5), (1.1, 0.05, 0.05)];
    let boxes = boxes.map(|(x, y, half)| {
        let desc = BodyDesc::dynamic().at(DVec3::new(x, y, 0.0)).no_sleep();
        let body = world.add_body(desc).unwrap();
        let shape = Shape::cuboid(DVec3::new(0.5, half, 0.5)).unwrap();
        let collider = world.add_collider(body, ColliderDesc::new(shape)).unwrap();
        (body, collider)
    });
    run(&mut world, 30);
    for ((body, _), speed) in boxes[1..].iter().zip([second, slab]) {
        let mut at = world.position(*body).unwrap();
        at.x = 1.011;
        world.set_position(*body, at).unwrap();
        world
            .set_velocity(*body, DVec3::X * speed, DVec3::ZERO)
            .unwrap();
    }
    run(&mut world, 1);
    let pair = [boxes[0].1, boxes[1].1];
    let points = world.contact_points();
    points.filter(|p| p.colliders == pair).count()
}

/// A box slides off a slab, whose border its contacts have to follow. Attempts that are refused leave no trace there,
/// nor do those in which a hook panics before it is asked about the box, nor going on with a copy.
#[test]
fn steps_not_taken_do_not_hide_motion() {
    let slide = |refuses: bool, panics: bool, copies: bool| {
        let mut world = World::new(Params::game()).unwrap();
        let slab = world.add_body(BodyDesc::fixed()).unwrap();
        let cube = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
        let smooth = |shape| ColliderDesc::new(shape).friction(0.0);
        world.add_collider(slab, smooth(cube())).unwrap();
        let other = world.add_body(BodyDesc::dynamic().at([-0.4, 0.6, 0.0]).no_sleep());
        let small = smooth(Shape::ball(0.1).unwrap());
        let small = world.add_collider(other.unwrap(), small).unwrap();
        let trap = Arc::new(Trap(AtomicBool::new(false), Some(small)));
        world.set_hooks(trap.clone());
        let body = BodyDesc::dynamic().at([0.3, 1.0, 0.1]).no_sleep();
        let body = world.add_body(body.velocity([0.03, 0.0, 0.0])).unwrap();
        world.add_collider(body, smooth(cube())).unwrap();
        let (usual, mut refused) = (*world.params(), 0);
        let mut strict = Params {
            strict: refuses,
            ..usual
        };
        strict.tolerances.velocity = f64::MIN_POSITIVE;
        strict.escalation.again = 0;
        for _ in 0..300 {
            world.set_params(strict).unwrap();
            // A step that is taken has asked other solvers for those tolerances.
            let before = world.clone();
            match refuses && world.step(DT).is_ok() {
                true => world = before,
                false => refused += 1,
            }
            world.set_params(usual).unwrap();
            if panics {
                spring(&mut world, &trap);
            }
            if copies {
                world = world.clone();
            }
            world.step(DT).unwrap();
        }
        assert!(refused > 200, "{refused}");
        world.pose(body).unwrap()
    };
    let plain = slide(false, false, false);
    assert!(plain.p.x > 0.35, "{plain:?}");
    assert_eq!(plain, slide(true, false, false), "refused attempts");
    assert_eq!(plain, slide(false, true, false), "hooks that panic");
    assert_eq!(plain, slide(false, false, true), "copies");
}

/// Nothing looks far ahead that lies still among what lies still. What moves does, and what touches it, which may be
/// carried along within the step.
#[test]
fn shapes_at_rest_look_ahead_less() {
    assert_eq!(across(0.0, 0.0), 0);
    assert_eq!(across(0.6, 0.0), 4);
    assert_eq!(across(0.0, -0.6), 4);
}

#[test]
fn how_long_contacts_are_kept_is_stated() {
    let mut params = Params::game();
    for wrong in [-1e-3, f64::NAN, f64::INFINITY] {
        params.contact.recycling = wrong;
        assert!(World::new(params).is_err(), "{wrong}");
        let mut params = Params::game();
        params.contact.recycling_in_motion = wrong;
        assert!(World::new(params).is_err(), "{wrong}");
        let mut params = Params::game();
        params.contact.following = wrong;
        assert!(World::new(params).is_err(), "{wrong}");
    }
    params.contact.recycling = 0.0;
    assert!(World::new(params).is_ok());
}

/// How far points of a cube reach over the border of the slab it lies on (m): while that is drawn away under it at .2
/// m/s, and half a second after it has stopped.
fn over_the_border(in_motion: f64) -> [f64; 2] {
    let mut params = Params::game();
    params.contact.recycling_in_motion = in_motion;
    let mut world = World::new(params).unwrap();
    let smooth = |shape| ColliderDesc::new(shape).friction(0.0);
    let cube = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let slab = world.add_body(BodyDesc::kinematic()).unwrap();
    world.add_collider(slab, smooth(cube())).unwrap();
    let body = BodyDesc::dynamic().at([0.2, 1.0, 0.1]).no_sleep();
    let body = world.add_body(body).unwrap();
    world.add_collider(body, smooth(cube())).unwrap();
    let mut at = 0.0;
    let mut drawn = |world: &mut World, speed: f64, steps: usize| {
        let reach = (0..steps).map(|_| {
            at -= speed * DT;
            let target = Pose::from_translation(DVec3::X * at);
            world.set_target(slab, target).unwrap();
            world.step(DT).unwrap();
            let points = world.contact_points();
            let most = points.map(|p| p.position.x).fold(f64::MIN, f64::max);
            most - (at + 0.5)
        });
        reach.collect::<Vec<_>>()
    };
    let moving = drawn(&mut world, 0.2, 60);
    let still = drawn(&mut world, 0.0, 30);
    let most = |reach: &[f64]| reach.iter().copied().fold(f64::MIN, f64::max);
    [most(&moving), most(&still[29..])]
}

/// Points on a border keep their places on the shape that has none there: for longer while shapes move than when
/// they lie, by no more than is stated.
#[test]
fn contacts_in_motion_are_kept_for_longer() {
    let radius = 0.75f64.sqrt();
    let [moving, still] = over_the_border(0.0);
    assert!((0.0..1e-3 * radius).contains(&moving), "{moving}");
    assert!(still < 1e-3 * radius, "{still}");
    let [moving, still] = over_the_border(5e-3);
    assert!((2e-3 * radius..5e-3 * radius).contains(&moving), "{moving}");
    assert!(still < 1e-3 * radius, "{still}");
}

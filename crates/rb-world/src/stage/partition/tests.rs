//! What islands and lanes keep while nothing changes is what they would be given anew.

use crate::joint::{Coordinates, Custom, Joint, JointCx, JointMemory, Rows};
use crate::prelude::*;
use rb_core::params::FrictionAt;
use rb_joints::bearing::Bearing;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const DT: f64 = 1.0 / 60.0;

fn add_box(world: &mut World, at: [f64; 3]) -> BodyHandle {
    let body = world.add_body(BodyDesc::dynamic().at(at)).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    world.add_collider(body, ColliderDesc::new(cube)).unwrap();
    body
}

/// A wall of so many columns and rows of boxes on a floor, which does not sleep; the floor and the boxes, row by row.
fn wall(columns: usize, rows: usize) -> (World, BodyHandle, Vec<BodyHandle>) {
    let mut params = Params::game();
    params.sleep.enabled = false;
    let mut world = World::new(params).unwrap();
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = Shape::cuboid(DVec3::new(50.0, 1.0, 50.0)).unwrap();
    let plane = ColliderDesc::new(plane).translation(DVec3::NEG_Y);
    world.add_collider(floor, plane).unwrap();
    let places = (0..rows).flat_map(|y| iter::repeat(y).zip(0..columns));
    let at = |(y, x): (usize, usize)| [1.01 * x as f64, 0.5 + y as f64, 0.0];
    let boxes = places.map(|place| add_box(&mut world, at(place))).collect();
    (world, floor, boxes)
}

/// Takes a step, and the same one in a world that knows nothing of former steps; whether islands stayed.
fn step_both(world: &mut World, edit: impl Fn(&mut World), number: usize) -> bool {
    let mut fresh = World::restore(&world.save().unwrap()).unwrap();
    for world in [&mut *world, &mut fresh] {
        edit(world);
        world.step(DT).unwrap();
    }
    assert!(!fresh.frame.same);
    assert_eq!(world.state_hash(), fresh.state_hash(), "step {number}");
    assert_eq!(world.events(), fresh.events(), "step {number}");
    assert_eq!(world.state.touching, fresh.state.touching, "step {number}");
    let islands = [&*world, &fresh].map(|w| w.report().islands.clone());
    assert_eq!(islands[0], islands[1], "step {number}");
    world.frame.same
}

/// What a user may do to a heap at rest, each with some steps between.
#[test]
fn islands_stay_until_something_is_edited() {
    let (mut world, floor, boxes) = wall(4, 3);
    let collider = |world: &World, body| world.colliders_of(body).unwrap()[0];
    let (low, top) = (boxes[1], boxes[9]);
    let edits: [&dyn Fn(&mut World); 14] = [
        &|w| {
            let [a, b] = [boxes[0], boxes[4]].map(|b| w.body(b).unwrap().pose());
            let joint = Ball::at_world(&a, &b, a.p);
            w.add_joint(boxes[0], boxes[4], joint).unwrap();
        },
        &|w| {
            let joint = w.joints().next().unwrap().0;
            w.remove_joint(joint).unwrap();
        },
        &|w| w.set_sensor(collider(w, top), true).unwrap(),
        &|w| w.set_sensor(collider(w, top), false).unwrap(),
        &|w| {
            let slippery = Material {
                friction: 0.01,
                ..Material::default()
            };
            w.set_material(collider(w, low), slippery).unwrap();
        },
        &|w| {
            // Another one takes its place in the lists.
            w.remove_body(boxes[11]).unwrap();
            add_box(w, [3.03, 2.6, 0.4]);
        },
        &|w| {
            let aside = Pose::new(DVec3::new(0.3, 2.5, 0.1), DQuat::IDENTITY);
            w.set_pose(boxes[8], aside).unwrap();
        },
        &|w| w.set_kind(low, BodyKind::Static).unwrap(),
        &|w| w.set_kind(low, BodyKind::Dynamic).unwrap(),
        &|w| w.set_kind(floor, BodyKind::Kinematic).unwrap(),
        &|w| {
            w.set_velocity(floor, DVec3::new(0.2, 0.0, 0.0), DVec3::ZERO)
                .unwrap();
        },
        &|w| {
            let mut params = *w.params();
            params.substeps = 6;
            w.set_params(params).unwrap();
        },
        &|w| {
            let mut params = *w.params();
            params.contact.friction = FrictionAt::Points;
            params.sleep.enabled = true;
            params.sleep.time = 0.2;
            w.set_params(params).unwrap();
        },
        &|w| w.wake(top).unwrap(),
    ];
    let mut stayed = 0;
    for (k, edit) in edits.into_iter().enumerate() {
        for pause in 0..40 {
            let edit: &dyn Fn(&mut World) = if pause == 0 { edit } else { &|_| {} };
            stayed += usize::from(step_both(&mut world, edit, 40 * k + pause));
        }
    }
    assert!(stayed > 200, "{stayed}");
}

/// Islands that stay may give back memory that only a former step needed.
#[test]
fn an_island_that_gives_back_its_memory_stays_the_same() {
    let (mut world, _, _) = wall(4, 3);
    let mut stayed = 0;
    for number in 0..60 {
        for island in &mut world.frame.islands {
            island.problem.rows.reserve(10_000);
        }
        stayed += usize::from(step_both(&mut world, |_| {}, number));
    }
    assert!(stayed > 20, "{stayed}");
}

/// Sections are cut anew in every step, and lanes keep their plan as long as they stay.
#[test]
fn large_islands_stay_until_they_are_hit() {
    let (mut world, _, _) = wall(30, 20);
    let mut stayed = 0;
    for number in 0..60 {
        let ball = |w: &mut World| {
            let ball = BodyDesc::dynamic().at([15.0, 10.0, 4.0]);
            let ball = ball.velocity(DVec3::new(0.0, 0.0, -30.0));
            let ball = w.add_body(ball).unwrap();
            let sphere = ColliderDesc::new(Shape::ball(0.5).unwrap());
            w.add_collider(ball, sphere).unwrap();
        };
        let edit: &dyn Fn(&mut World) = if number == 45 { &ball } else { &|_| {} };
        stayed += usize::from(step_both(&mut world, edit, number));
    }
    assert!((10..50).contains(&stayed), "{stayed}");
}

/// A joint may take the place of another between the same bodies.
#[test]
fn a_joint_is_not_taken_for_the_one_before_it() {
    let mut params = Params::game();
    params.sleep.enabled = false;
    let mut world = World::new(params).unwrap();
    let roof = world.add_body(BodyDesc::fixed()).unwrap();
    let cube = add_box(&mut world, [0.0, -1.0, 0.0]);
    let hang = |w: &mut World, at: f64| {
        let [a, b] = [roof, cube].map(|b| w.body(b).unwrap().pose());
        let joint = Ball::at_world(&a, &b, DVec3::new(at, 0.0, 0.0));
        w.add_joint(roof, cube, joint).unwrap();
    };
    hang(&mut world, 0.0);
    for number in 0..60 {
        let anew = |w: &mut World| {
            let joint = w.joints().next().unwrap().0;
            w.remove_joint(joint).unwrap();
            hang(w, 0.5);
        };
        let edit: &dyn Fn(&mut World) = if number == 30 { &anew } else { &|_| {} };
        step_both(&mut world, edit, number);
    }
}

/// A torso with two arms on cones and a leg on a hinge, so high above the floor; the torso, the limbs and the joints.
fn figure(world: &mut World, at: DVec3) -> ([BodyHandle; 4], [JointHandle; 3]) {
    let ways = [DVec3::ZERO, DVec3::X, DVec3::NEG_X, DVec3::NEG_Y];
    let bodies = ways.map(|way| add_box(world, (at + 1.1 * way).to_array()));
    let joint = |k: usize| {
        let [torso, limb] = [bodies[0], bodies[k]].map(|b| world.body(b).unwrap().pose());
        let point = at + 0.55 * ways[k];
        match k {
            3 => Hinge::at_world(&torso, &limb, point, DVec3::X)
                .unwrap()
                .limits(-0.4, 0.4)
                .into(),
            _ => JointDesc::new(Ball::at_world(&torso, &limb, point).cone(0.5)),
        }
    };
    let joints = [1, 2, 3].map(joint);
    let mut limbs = bodies[1..].iter();
    let joints = joints.map(|j| {
        world
            .add_joint(bodies[0], *limbs.next().unwrap(), j)
            .unwrap()
    });
    (bodies, joints)
}

/// A ball joint of the user's, which may change its mind about where it is.
#[derive(Debug)]
struct Fickle {
    balls: [Ball; 2],
    second: AtomicBool,
}

impl Fickle {
    fn ball(&self) -> &Ball {
        &self.balls[usize::from(self.second.load(Ordering::Relaxed))]
    }
}

impl Joint for Fickle {
    fn frames(&self) -> &[Pose; 2] {
        self.ball().frames()
    }

    fn constraints(&self, cx: &JointCx, memory: &JointMemory, out: &mut Rows) {
        self.ball().constraints(cx, memory, out);
    }

    fn coordinates(&self, cx: &JointCx, memory: &JointMemory) -> Coordinates {
        self.ball().coordinates(cx, memory)
    }

    fn bearing(&self) -> Option<Bearing<'_>> {
        self.ball().bearing()
    }
}

/// Where figures end of which one has a fickle shoulder, that it is edited being told or not.
fn changed_mind(told: bool) -> Vec<Pose> {
    let (mut world, ..) = wall(0, 0);
    let figures: Vec<_> = (0..9).map(|k| figure(&mut world, place(k))).collect();
    let ([torso, arm, ..], [shoulder, ..]) = figures[4];
    let [a, b] = [torso, arm].map(|b| world.body(b).unwrap().pose());
    let ball = |at: f64| Ball::at_world(&a, &b, a.p + DVec3::new(at, 0.0, 0.0)).cone(0.5);
    let fickle = Arc::new(Fickle {
        balls: [ball(0.55), ball(0.5)],
        second: AtomicBool::new(false),
    });
    world.remove_joint(shoulder).unwrap();
    let custom = Custom::new("fickle", fickle.clone());
    let shoulder = world.add_joint(torso, arm, custom).unwrap();
    for step in 0..60 {
        if step == 30 {
            fickle.second.store(true, Ordering::Relaxed);
        }
        if told {
            world.edit_joint(shoulder, |_| {}).unwrap();
        }
        world.step(DT).unwrap();
    }
    world.bodies().map(|(_, body)| body.pose()).collect()
}

#[test]
fn a_joint_of_the_users_may_change_its_mind() {
    assert_eq!(changed_mind(false), changed_mind(true));
}

/// Where a figure is made.
fn place(k: usize) -> DVec3 {
    let (column, row) = ((k % 3) as f64, (k / 3) as f64);
    DVec3::new(3.4 * column, 2.0 + 2.5 * row, 0.1 * k as f64)
}

/// What a user may do to figures that lie on a floor and on each other, each with some steps between.
#[test]
fn bearings_stay_until_they_are_edited() {
    let (mut world, floor, _) = wall(0, 0);
    let figures: Vec<_> = (0..9).map(|k| figure(&mut world, place(k))).collect();
    let ([torso, arm, _, leg], [shoulder, _, hip]) = figures[4];
    let anew = |w: &mut World, point: DVec3| {
        let [a, b] = [torso, arm].map(|b| w.body(b).unwrap().pose());
        let joint = Ball::at_world(&a, &b, a.p + point).cone(0.3);
        w.add_joint(torso, arm, joint).unwrap();
    };
    let edits: [&dyn Fn(&mut World); 10] = [
        &|_| {},
        &|w| {
            w.edit_drive(hip, Axis::AngZ, |drive| {
                *drive = Drive::default().limits(-0.1, 0.6)
            })
            .unwrap();
        },
        &|w| {
            w.set_mass(leg, MassProps::diagonal(40.0, DVec3::new(3.0, 4.0, 5.0)))
                .unwrap()
        },
        &|w| {
            // So far away that what its joint turns out of place counts for most.
            let small = Shape::ball(0.1).unwrap();
            let aside = ColliderDesc::new(small).translation(DVec3::new(0.0, 900.0, 0.0));
            w.add_collider(leg, aside).unwrap();
        },
        &|w| {
            w.remove_joint(shoulder).unwrap();
            anew(w, DVec3::new(0.5, 0.2, 0.0));
        },
        &|w| w.set_locked(arm, LockedAxes::ANGULAR_X).unwrap(),
        &|w| w.set_locked(arm, LockedAxes::default()).unwrap(),
        &|w| w.set_kind(torso, BodyKind::Static).unwrap(),
        &|w| w.set_kind(torso, BodyKind::Dynamic).unwrap(),
        &|w| w.remove_body(floor).map(|_| ()).unwrap(),
    ];
    let mut kept = 0;
    for (k, edit) in edits.into_iter().enumerate() {
        for pause in 0..30 {
            let edit: &dyn Fn(&mut World) = if pause == 0 { edit } else { &|_| {} };
            step_both(&mut world, edit, 30 * k + pause);
            kept += usize::from(world.frame.fleets.iter().any(|fleet| fleet.has_kept()));
        }
    }
    assert!(kept > 80, "{kept}");
}

//! Bad input gets a typed error that names the argument and leaves the world as it was.

mod common;
use common::*;
use rb_world::core::Error;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn small_world() -> (World, BodyHandle, BodyHandle, ColliderHandle, JointHandle) {
    let mut world = World::new(Params::game()).unwrap();
    let ground = floor(&mut world, 0.5, FrictionLaw::Conic);
    let ball = sphere(&mut world, 0.5, 0.0, DVec3::Y * 0.5, DVec3::ZERO);
    let collider = world.colliders_of(ball).unwrap()[0];
    let other = sphere(&mut world, 0.5, 0.0, DVec3::new(2.0, 0.5, 0.0), DVec3::ZERO);
    let joint = world
        .add_joint(
            ball,
            other,
            Fixed::at_world(
                &world.pose(ball).unwrap(),
                &world.pose(other).unwrap(),
                DVec3::X,
            ),
        )
        .unwrap();
    (world, ground, ball, collider, joint)
}

/// Runs an edit that must fail; returns the argument its error names.
#[track_caller]
fn refused<T: std::fmt::Debug>(
    world: &mut World,
    edit: impl FnOnce(&mut World) -> Result<T, Error>,
) -> &'static str {
    let before = world.save().unwrap();
    let error = edit(world).unwrap_err();
    assert_eq!(before, world.save().unwrap(), "the world changed: {error}");
    match error {
        Error::NotFinite { argument, .. }
        | Error::OutOfRange { argument, .. }
        | Error::DeadHandle { argument, .. }
        | Error::Degenerate { argument, .. }
        | Error::BadGeometry { argument, .. }
        | Error::Contradiction { argument, .. } => argument,
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn numbers_that_are_none() {
    let (mut world, _, ball, collider, joint) = small_world();
    let w = &mut world;
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(
        refused(w, |w| w.add_body(BodyDesc::dynamic().at([nan, 0.0, 0.0]))),
        "position"
    );
    assert_eq!(
        refused(w, |w| w.add_body(BodyDesc::dynamic().spin([0.0, inf, 0.0]))),
        "spin"
    );
    assert_eq!(
        refused(w, |w| w.add_body(BodyDesc::dynamic().mass(nan, DVec3::ONE))),
        "mass"
    );
    assert_eq!(
        refused(w, |w| w.add_body(BodyDesc::dynamic().mass(0.0, DVec3::ONE))),
        "mass"
    );
    assert_eq!(
        refused(w, |w| w.add_body(
            BodyDesc::dynamic().mass(1.0, DVec3::new(1.0, -1.0, 1.0))
        )),
        "inertia"
    );
    assert_eq!(
        refused(w, |w| w.add_body(BodyDesc::dynamic().damping(-1.0, 0.0))),
        "linear_damping"
    );
    assert_eq!(
        refused(w, |w| w
            .add_body(BodyDesc::fixed().velocity([1.0, 0.0, 0.0]))),
        "velocity"
    );
    assert_eq!(
        refused(w, |w| w.set_position(ball, [nan, 0.0, 0.0])),
        "position"
    );
    assert_eq!(
        refused(w, |w| w.set_velocity(ball, [0.0, inf, 0.0], DVec3::ZERO)),
        "linear"
    );
    assert_eq!(refused(w, |w| w.add_force(ball, [nan, 0.0, 0.0])), "force");
    assert_eq!(
        refused(w, |w| w.add_torque(ball, [nan, 0.0, 0.0])),
        "torque"
    );
    assert_eq!(
        refused(w, |w| w.apply_impulse(ball, [inf, 0.0, 0.0])),
        "impulse"
    );
    assert_eq!(
        refused(w, |w| w.set_gravity_scale(ball, nan)),
        "gravity_scale"
    );
    assert_eq!(refused(w, |w| w.set_target(ball, Pose::IDENTITY)), "target");
    let zero = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(refused(w, |w| w.set_pose(ball, zero)), "rotation");
    let rough = |mu: f64| Material {
        friction: mu,
        ..Material::default()
    };
    assert_eq!(
        refused(w, |w| w.set_material(collider, rough(-0.1))),
        "friction"
    );
    assert_eq!(
        refused(w, |w| w.set_material(collider, rough(nan))),
        "friction"
    );
    assert_eq!(
        refused(w, |w| w.edit_joint(joint, |j| j.break_force = Some(-1.0))),
        "break_force"
    );
    assert_eq!(
        refused(w, |w| w.set_params(Params {
            substeps: 0,
            ..Params::game()
        })),
        "substeps"
    );
    for dt in [0.0, -1.0, nan, inf] {
        let before = w.save().unwrap();
        assert!(w.step(dt).is_err());
        assert_eq!(before, w.save().unwrap());
    }
    w.step(DT).unwrap();
}

#[test]
fn shapes_that_are_none() {
    let v = DVec3::new;
    assert!(Shape::ball(0.0).is_err() && Shape::ball(f64::NAN).is_err());
    assert!(Shape::cuboid(v(1.0, -1.0, 1.0)).is_err());
    assert!(Shape::capsule(-1.0, 0.5).is_err() && Shape::cylinder(0.5, 0.0).is_err());
    assert!(Shape::cone(f64::INFINITY, 1.0).is_err() && Shape::half_space(DVec3::ZERO).is_err());
    assert!(Shape::convex_hull(vec![]).is_err());
    assert!(
        Shape::convex_hull(vec![
            v(0.0, 0.0, 0.0),
            v(1.0, 0.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(1.0, 1.0, 0.0)
        ])
        .is_err()
    );
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(Shape::tri_mesh(corners.clone(), vec![]).is_err());
    assert!(Shape::tri_mesh(corners, vec![[0, 1, 3]]).is_err());
}

#[test]
fn dead_handles_everywhere() {
    let (mut world, ground, ball, collider, joint) = small_world();
    let other = world.joint_bodies(joint).unwrap()[1];
    world.remove_body(ball).unwrap();
    let w = &mut world;
    assert_eq!(refused(w, |w| w.remove_body(ball)), "body");
    assert_eq!(refused(w, |w| w.set_position(ball, DVec3::ZERO)), "body");
    assert_eq!(refused(w, |w| w.add_force(ball, DVec3::X)), "body");
    assert_eq!(refused(w, |w| w.remove_collider(collider)), "collider");
    assert_eq!(refused(w, |w| w.remove_joint(joint)), "joint");
    assert_eq!(refused(w, |w| w.edit_joint(joint, |_| ())), "joint");
    let shape = || ColliderDesc::new(Shape::ball(1.0).unwrap());
    assert_eq!(refused(w, |w| w.add_collider(ball, shape())), "body");
    let weld = || Fixed::new(Pose::IDENTITY, Pose::IDENTITY);
    assert_eq!(refused(w, |w| w.add_joint(ball, other, weld())), "body");
    assert_eq!(refused(w, |w| w.add_joint(other, other, weld())), "bodies");
    let wall = w.add_body(BodyDesc::fixed()).unwrap();
    assert_eq!(refused(w, |w| w.add_joint(ground, wall, weld())), "bodies");
    assert!(w.body(ball).is_err() && w.pose(ball).is_err() && w.explain(ball).is_err());
    w.step(DT).unwrap();
}

#[test]
fn malformed_snapshots() {
    let (world, ..) = small_world();
    let bytes = world.save().unwrap();
    assert!(World::restore(&[]).is_err());
    assert!(World::restore(&bytes[..bytes.len() / 2]).is_err());
    let mut other = bytes.clone();
    other[0] = 99;
    let error = World::restore(&other).unwrap_err().to_string();
    assert!(error.contains("format"), "{error}");
    assert!(World::restore(&bytes).is_ok());
}

#[test]
fn damaged_snapshots() {
    let (mut world, ..) = small_world();
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    let bytes = world.save().unwrap();
    for k in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut damaged = bytes.clone();
            damaged[k] ^= 1 << bit;
            let read = World::restore(&damaged);
            assert!(matches!(read, Err(Error::Malformed { .. })), "byte {k}");
        }
        assert!(World::restore(&bytes[..k]).is_err(), "{k} bytes");
    }
}

#[test]
fn lengths_beyond_all_numbers() {
    let (mut world, _, ball, ..) = small_world();
    let w = &mut world;
    let turned = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 1e200));
    assert_eq!(refused(w, |w| w.set_pose(ball, turned)), "rotation");
    let along = DVec3::X * 1e200;
    let seen = QueryFilter::default();
    assert_eq!(
        refused(w, |w| w.cast_ray(DVec3::ZERO, along, 1.0, &seen)),
        "direction"
    );
}

#[test]
fn coordinates_out_of_the_world() {
    let mut world = World::new(Params::game()).unwrap();
    let base = world.add_body(BodyDesc::fixed()).unwrap();
    let cart = world.add_body(BodyDesc::dynamic()).unwrap();
    let slider = Slider::new(Pose::IDENTITY, Pose::IDENTITY);
    let joint = world.add_joint(base, cart, slider).unwrap();
    let w = &mut world;
    for far in [1e13, -1e300] {
        let placed = refused(w, |w| w.set_coordinates(joint, &[far], &[0.0]));
        let thrown = refused(w, |w| w.set_coordinates(joint, &[0.0], &[far]));
        assert_eq!((placed, thrown), ("values", "rates"));
    }
    w.set_coordinates(joint, &[1e3], &[-1e3]).unwrap();

    // An angle shows in no pose how large it is.
    let wheel = w.add_body(BodyDesc::dynamic()).unwrap();
    let hinge = Hinge::new(Pose::IDENTITY, Pose::IDENTITY);
    let hinge = w.add_joint(base, wheel, hinge).unwrap();
    for far in [1e13, -1e300] {
        let turned = refused(w, |w| w.set_coordinates(hinge, &[far], &[0.0]));
        assert_eq!(turned, "values");
    }
    w.set_coordinates(hinge, &[1e3], &[-1e3]).unwrap();
    assert_eq!(w.coordinates(hinge).unwrap()[0].value, 1e3);
}

//! Contacts see what hardly moves where it was, and follow it to first order.

use rb_core::params::FrictionAt;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

fn cuboid(half: DVec3) -> ColliderDesc {
    ColliderDesc::new(Shape::cuboid(half).unwrap()).friction(0.0)
}

/// A smooth cube at rest on a plane.
fn at_rest(params: Params) -> (World, [BodyHandle; 2]) {
    let mut world = World::new(params).unwrap();
    let floor = world.add_body(BodyDesc::fixed()).unwrap();
    let plane = ColliderDesc::new(Shape::half_space(DVec3::Y).unwrap());
    world.add_collider(floor, plane).unwrap();
    let desc = BodyDesc::dynamic().at([0.0, 0.5, 0.0]).no_sleep();
    let body = world.add_body(desc).unwrap();
    world.add_collider(body, cuboid(DVec3::splat(0.5))).unwrap();
    run(&mut world, 60);
    (world, [floor, body])
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

/// Heights of the four lowest corners, the lowest first (m).
fn corners(pose: &Pose) -> Vec<f64> {
    let corner = |k: u32| {
        let half = |bit: u32| if k & bit == 0 { -0.5 } else { 0.5 };
        pose.point(DVec3::new(half(1), half(2), half(4))).y
    };
    let mut heights: Vec<f64> = (0..8).map(corner).collect();
    heights.sort_by(f64::total_cmp);
    heights.truncate(4);
    heights
}

/// How far the gaps told of a cube that slides and turns just above the plane are from the heights of its corners (m).
fn off(following: f64) -> f64 {
    let mut params = Params::game();
    (params.contact.following, params.gravity) = (following, DVec3::ZERO);
    let (mut world, [_, body]) = at_rest(params);
    world.set_position(body, [0.0, 0.5025, 0.0]).unwrap();
    let (slide, turn) = (DVec3::new(2e-3, 0.0, 1e-3), DVec3::new(1.2e-3, 1e-3, -2e-3));
    let mut worst = 0.0f64;
    for _ in 0..60 {
        world.set_velocity(body, slide, turn).unwrap();
        let heights = corners(&world.pose(body).unwrap());
        world.step(DT).unwrap();
        let mut gaps: Vec<f64> = world.contact_points().map(|p| p.gap).collect();
        gaps.sort_by(f64::total_cmp);
        assert_eq!(gaps.len(), 4);
        let pairs = gaps.iter().zip(&heights);
        worst = pairs.fold(worst, |worst, (gap, y)| worst.max((gap - y).abs()));
    }
    worst
}

#[test]
fn gaps_follow_to_second_order() {
    let [exact, followed] = [0.0, Params::game().contact.following].map(off);
    println!("{exact:.1e} where it is, {followed:.1e} where it was");
    assert!(exact < 1e-14, "{exact}");
    assert!(1e-12 < followed && followed < 1e-6, "{followed}");
}

/// Places of the boxes of a pyramid after four seconds.
fn pyramid(following: f64) -> Vec<DVec3> {
    let mut params = Params::game();
    params.contact.following = following;
    params.sleep.enabled = false;
    let desc = rb_scenes::scene("large_pyramid").unwrap().build(10);
    let (mut world, bodies) = desc.build(params).unwrap();
    run(&mut world, 240);
    let places = bodies.iter().map(|&body| world.position(body).unwrap());
    places.collect()
}

#[test]
fn structures_stand_as_if_seen_where_they_are() {
    let [exact, followed] = [0.0, Params::game().contact.following].map(pyramid);
    let apart = exact.iter().zip(&followed).map(|(a, b)| a.distance(*b));
    let apart = apart.fold(0.0, f64::max);
    println!("{apart:.1e} m");
    assert!(0.0 < apart && apart < 2e-4, "{apart}");
}

/// What is moved by hand is seen where it is, however little it moved.
#[test]
fn what_is_put_elsewhere_is_seen_there() {
    for lifted in [0, 1] {
        let (mut world, bodies) = at_rest(Params::game());
        let gap = |world: &World| world.contact_points().map(|p| p.gap).fold(0.0, f64::min);
        let before = gap(&world);
        let at = world.position(bodies[lifted]).unwrap();
        let up = DVec3::Y * if lifted == 0 { 2e-4 } else { -2e-4 };
        world.set_position(bodies[lifted], at + up).unwrap();
        run(&mut world, 1);
        assert!((before - gap(&world) - 2e-4).abs() < 1e-6, "{lifted}");
    }
}

/// Something small falls off something large that creeps away under it when it has to, not a share of the size of that
/// later.
#[test]
fn what_is_large_is_seen_as_well_as_what_lies_on_it() {
    let mut world = World::new(Params::game()).unwrap();
    let slab = world.add_body(BodyDesc::kinematic()).unwrap();
    let half = DVec3::new(20.0, 0.5, 20.0);
    world.add_collider(slab, cuboid(half)).unwrap();
    let desc = BodyDesc::dynamic().at([19.98, 0.55, 0.0]).no_sleep();
    let pebble = world.add_body(desc).unwrap();
    let collider = cuboid(DVec3::splat(0.05));
    world.add_collider(pebble, collider).unwrap();
    let tips = |k: &i32| {
        let target = Pose::from_translation(DVec3::X * f64::from(-k) * 1e-4);
        world.set_target(slab, target).unwrap();
        world.step(DT).unwrap();
        world.velocity(pebble).unwrap().ang.z.abs() > 0.1
    };
    let border = 20.0 - f64::from((1..=400).find(tips).unwrap()) * 1e-4;
    println!("tips {:.1e} m after its middle", 19.98 - border);
    assert!((0.0..3e-3).contains(&(19.98 - border)), "{border}");
}

/// What lanes keep from step to step is what a world without lanes makes anew of what is stored.
#[test]
fn what_is_kept_is_what_is_stored() {
    for (name, size) in [("large_pyramid", 8), ("tall_stack", 12), ("box_drop", 3)] {
        for friction in [FrictionAt::Manifold, FrictionAt::Points] {
            let mut params = Params::game();
            params.contact.friction = friction;
            params.sleep.enabled = false;
            let desc = rb_scenes::scene(name).unwrap().build(size);
            let (mut world, _) = desc.build(params).unwrap();
            for k in 0..300 {
                let before = (k % 7 == 0).then(|| world.save().unwrap());
                world.step(DT).unwrap();
                if let Some(before) = before {
                    let mut anew = World::restore(&before).unwrap();
                    anew.step(DT).unwrap();
                    assert_eq!(anew.state_hash(), world.state_hash(), "{name}, step {k}");
                }
            }
        }
    }
}

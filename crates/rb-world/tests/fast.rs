//! Swept tests: fast bodies do not pass through thin ones.

mod common;
use common::*;
use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// Numbers between `lo` and `hi`, the same in every run (SplitMix64).
fn uniform(state: &mut u64, lo: f64, hi: f64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    lo + (hi - lo) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[test]
fn a_fast_ball_never_passes_a_thin_wall() {
    let mut rng = 1u64;
    let mut deepest = 0.0f64;
    for shot in 0..1000 {
        let mut world = World::new(Params::game()).unwrap();
        let wall = world.add_body(BodyDesc::fixed()).unwrap();
        let slab = Shape::cuboid(DVec3::new(0.005, 5.0, 5.0)).unwrap();
        world.add_collider(wall, ColliderDesc::new(slab)).unwrap();
        // 5 cm across, from 1 to 4 m away, at up to 45° to the normal.
        let from = DVec3::new(-uniform(&mut rng, 1.0, 4.0), 0.0, 0.0);
        let tilt = uniform(&mut rng, -0.7, 0.7);
        let turn = uniform(&mut rng, 0.0, std::f64::consts::TAU);
        let direction = DVec3::new(tilt.cos(), tilt.sin() * turn.cos(), tilt.sin() * turn.sin());
        let spin = DVec3::new(
            uniform(&mut rng, -50.0, 50.0),
            0.0,
            uniform(&mut rng, -50.0, 50.0),
        );
        let ball = BodyDesc::dynamic()
            .at(from)
            .velocity(direction * 100.0)
            .spin(spin);
        let ball = world.add_body(ball).unwrap();
        world
            .add_collider(ball, ColliderDesc::new(Shape::ball(0.025).unwrap()))
            .unwrap();
        for _ in 0..10 {
            world.step(DT).unwrap();
            let x = world.position(ball).unwrap().x;
            deepest = deepest.max(x + 0.03);
            assert!(x < 0.0, "shot {shot} went through: x = {x}");
        }
    }
    println!(
        "deepest penetration of 1000 shots: {:.3} mm",
        1e3 * deepest.max(0.0)
    );
}

#[test]
fn bullets_hit_moving_targets() {
    for bullet in [true, false] {
        let mut world = World::new(Params {
            gravity: DVec3::ZERO,
            ..Params::game()
        })
        .unwrap();
        let plate = world
            .add_body(BodyDesc::dynamic().at([0.0, 0.0, 0.0]))
            .unwrap();
        let slab = Shape::cuboid(DVec3::new(0.005, 0.5, 0.5)).unwrap();
        world.add_collider(plate, ColliderDesc::new(slab)).unwrap();
        let shot = BodyDesc::dynamic()
            .at([-1.0, 0.0, 0.0])
            .velocity([170.0, 0.0, 0.0]);
        let shot = world
            .add_body(if bullet { shot.bullet() } else { shot })
            .unwrap();
        world
            .add_collider(shot, ColliderDesc::new(Shape::ball(0.02).unwrap()))
            .unwrap();
        run(&mut world, DT, 10, |_, _| {});
        let pushed = world.velocity(plate).unwrap().lin.x;
        assert_eq!(
            pushed > 0.0,
            bullet,
            "bullet {bullet}: plate moves at {pushed}"
        );
    }
}

/// Where shots end at a wall and at a kinematic plate that comes towards them, among so many other walls.
fn shots_among(walls: usize) -> Vec<Pose> {
    let mut world = World::new(Params::game()).unwrap();
    let slab = || ColliderDesc::new(Shape::cuboid(DVec3::new(0.005, 5.0, 5.0)).unwrap());
    let wall = world.add_body(BodyDesc::fixed()).unwrap();
    world.add_collider(wall, slab()).unwrap();
    let plate = BodyDesc::kinematic().at([6.0, 0.0, 0.0]);
    let plate = plate.velocity(DVec3::NEG_X);
    let plate = world.add_body(plate).unwrap();
    world.add_collider(plate, slab()).unwrap();
    let shots: Vec<BodyHandle> = (0..12)
        .map(|k| {
            let side = if k % 2 == 0 { -1.0 } else { 1.0 };
            let at = DVec3::new(1.5 * side, 0.0, 0.7 * f64::from(k - 6));
            let velocity = DVec3::new(60.0 + f64::from(k), 0.0, 0.0);
            let shot = BodyDesc::dynamic().at(at).velocity(velocity);
            let shot = world.add_body(shot).unwrap();
            let ball = ColliderDesc::new(Shape::ball(0.025).unwrap());
            world.add_collider(shot, ball).unwrap();
            shot
        })
        .collect();
    for k in 0..walls {
        let at = DVec3::new(100.0 + k as f64, 0.0, 0.0);
        let other = world.add_body(BodyDesc::fixed().at(at)).unwrap();
        world.add_collider(other, slab()).unwrap();
    }
    run(&mut world, DT, 8, |_, _| {});
    let pose = |&shot: &BodyHandle| world.pose(shot).unwrap();
    let poses: Vec<Pose> = shots.iter().map(pose).collect();
    let plate = world.position(plate).unwrap().x;
    for (k, pose) in poses.iter().enumerate() {
        let end = if k % 2 == 0 { 0.0 } else { plate };
        assert!(pose.p.x < end, "shot {k} went through: {}", pose.p.x);
    }
    poses
}

/// What may stop a body is looked at one by one where it is little, else found by the tree.
#[test]
fn many_obstacles_stop_what_few_do() {
    assert_eq!(shots_among(0), shots_among(40));
}

/// Limbs that are stopped before a wall stop with all that is joined to them.
#[test]
fn what_hangs_together_stops_together() {
    let mut world = World::new(Params::game()).unwrap();
    let wall = world.add_body(BodyDesc::fixed()).unwrap();
    let slab = Shape::cuboid(DVec3::new(0.005, 5.0, 5.0)).unwrap();
    world.add_collider(wall, ColliderDesc::new(slab)).unwrap();
    let limbs: Vec<BodyHandle> = (0..6)
        .map(|k| {
            let at = DVec3::new(-1.0 - 0.2 * f64::from(k), 0.3 * f64::from(k), 0.0);
            let desc = BodyDesc::dynamic().at(at).velocity(DVec3::X * 10.0);
            let limb = world.add_body(desc).unwrap();
            world
                .add_collider(limb, ColliderDesc::new(Shape::ball(0.1).unwrap()))
                .unwrap();
            limb
        })
        .collect();
    let mut joints = Vec::new();
    for pair in limbs.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|limb| world.pose(limb).unwrap());
        let socket = Ball::at_world(&a, &b, 0.5 * (a.p + b.p));
        world.add_joint(pair[0], pair[1], socket).unwrap();
        joints.push([0.5 * (b.p - a.p), 0.5 * (a.p - b.p)]);
    }
    let (mut apart, mut told) = (0.0f64, 0.0f64);
    for _ in 0..60 {
        told = told.max(world.step(DT).unwrap().joint_error);
        for (pair, arms) in limbs.windows(2).zip(&joints) {
            let [a, b] = [0, 1].map(|s| world.pose(pair[s]).unwrap().point(arms[s]));
            apart = apart.max(a.distance(b));
        }
        for &limb in &limbs {
            assert!(world.position(limb).unwrap().x < 0.0);
        }
    }
    assert!(apart < 5e-3, "{apart} m");
    assert!(told > 0.9 * apart / 3f64.sqrt(), "{apart} m, told {told} m");
}

/// What a fast body may pass does not stop it: a body it is joined to, or one that a hook lets it through.
#[test]
fn nothing_is_stopped_by_what_it_does_not_touch() {
    struct Ghosts;
    impl Hooks for Ghosts {
        fn may_touch(&self, _: [ColliderHandle; 2], _: [BodyHandle; 2]) -> bool {
            false
        }
    }
    for joined in [true, false] {
        let params = Params {
            gravity: DVec3::ZERO,
            ..Params::game()
        };
        let mut world = World::new(params).unwrap();
        let wall = world.add_body(BodyDesc::fixed()).unwrap();
        let slab = Shape::cuboid(DVec3::new(0.1, 5.0, 5.0)).unwrap();
        world.add_collider(wall, ColliderDesc::new(slab)).unwrap();
        let from = DVec3::X * -2.0;
        let ball = BodyDesc::dynamic().at(from).velocity(DVec3::X * 20.0);
        let ball = world.add_body(ball).unwrap();
        world
            .add_collider(ball, ColliderDesc::new(Shape::ball(0.1).unwrap()))
            .unwrap();
        if joined {
            let [a, b] = [wall, ball].map(|body| world.pose(body).unwrap());
            let rail = Slider::at_world(&a, &b, DVec3::ZERO, DVec3::X).unwrap();
            world.add_joint(wall, ball, rail).unwrap();
        } else {
            world.set_hooks(std::sync::Arc::new(Ghosts));
        }
        run(&mut world, DT, 12, |_, _| {});
        let x = world.position(ball).unwrap().x;
        assert!((x - 2.0).abs() < 1e-9, "joined {joined}: {x} m");
    }
}

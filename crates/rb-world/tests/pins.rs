//! Joints that only hold two points together are solved without rows: the motion is that with rows.

use rb_world::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// Whether joints have an option that changes nothing, but is one of rows.
type Stated = bool;

fn ball(world: &mut World, pair: [BodyHandle; 2], at: DVec3, stated: Stated) {
    let [a, b] = pair.map(|body| world.body(body).unwrap().pose());
    let options = RowOptions {
        alpha: stated.then_some(1.0),
        ..RowOptions::default()
    };
    let ball = JointDesc::new(Ball::at_world(&a, &b, at)).options(options);
    world.add_joint(pair[0], pair[1], ball).unwrap();
}

fn link(world: &mut World, at: DVec3) -> BodyHandle {
    let desc = BodyDesc::dynamic()
        .at(at)
        .spin(DVec3::new(0.3, at.x, -0.2))
        .mass(0.5, DVec3::new(0.01, 0.03, 0.02));
    world.add_body(desc).unwrap()
}

/// Links in a row from a post, horizontal, each held at its end.
fn chain(stated: Stated) -> World {
    let mut world = World::new(Params::game()).unwrap();
    let mut last = world.add_body(BodyDesc::fixed()).unwrap();
    for k in 0..8 {
        let x = f64::from(k);
        let next = link(&mut world, DVec3::new(x + 0.5, 0.1, 0.0));
        ball(&mut world, [last, next], DVec3::new(x, 0.0, 0.0), stated);
        last = next;
    }
    world
}

/// A door on two balls, of which one equation too many is stated, and a ring of four links below it.
fn door(stated: Stated) -> World {
    let mut world = World::new(Params::game()).unwrap();
    let post = world.add_body(BodyDesc::fixed()).unwrap();
    let door = link(&mut world, DVec3::new(0.5, 0.0, 0.1));
    for y in [-0.5, 0.5] {
        ball(&mut world, [post, door], DVec3::new(0.0, y, 0.0), stated);
    }
    let corners = [(1.0, 0.0), (2.0, 1.0), (2.0, -1.0), (3.0, 0.0)];
    let ring = corners.map(|(x, z)| link(&mut world, DVec3::new(x, -1.0, z)));
    ball(
        &mut world,
        [door, ring[0]],
        DVec3::new(1.0, -0.5, 0.0),
        stated,
    );
    for (i, j) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        let middle = (corners[i].0 + corners[j].0) * 0.5;
        let at = DVec3::new(middle, -1.0, (corners[i].1 + corners[j].1) * 0.5);
        ball(&mut world, [ring[i], ring[j]], at, stated);
    }
    world
}

#[test]
fn pins_move_as_their_rows_would() {
    for (what, make) in [("chain", chain as fn(Stated) -> World), ("door", door)] {
        let [mut pinned, mut stated] = [false, true].map(make);
        for _ in 0..90 {
            pinned.step(DT).unwrap();
            stated.step(DT).unwrap();
        }
        let apart = (pinned.bodies().zip(stated.bodies()))
            .map(|((_, a), (_, b))| a.com.distance(b.com).max((a.vel - b.vel).lin.length()))
            .fold(0.0, f64::max);
        println!("{what}: {apart:.1e}");
        assert!(apart < 1e-8, "{what}: {apart}");
        let report = pinned.report();
        assert!(
            report.residual < 1e-9 && report.joint_error < 1e-3,
            "{what}: {report:?}"
        );
    }
}

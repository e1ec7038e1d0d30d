//! Structures that stand in rigid-body statics.

use rb_world::prelude::*;

pub(crate) fn ground(world: &mut World) {
    let floor = world
        .add_body(BodyDesc::fixed().at([0.0, -1.0, 0.0]))
        .unwrap();
    let slab = Shape::cuboid(DVec3::new(100.0, 1.0, 100.0)).unwrap();
    world
        .add_collider(floor, ColliderDesc::new(slab).friction(0.6))
        .unwrap();
}

pub(crate) fn brick(world: &mut World, half: DVec3, at: DVec3, turn: f64) -> BodyHandle {
    let body = world
        .add_body(
            BodyDesc::dynamic()
                .at(at)
                .rotated(DQuat::from_rotation_z(turn)),
        )
        .unwrap();
    world
        .add_collider(
            body,
            ColliderDesc::new(Shape::cuboid(half).unwrap()).friction(0.6),
        )
        .unwrap();
    body
}

pub(crate) fn stack(world: &mut World, height: usize) {
    for k in 0..height {
        brick(world, DVec3::splat(0.5), DVec3::Y * (0.5 + k as f64), 0.0);
    }
}

/// Semicircular arch of `n` voussoirs, thickness over mean radius 0.2.
pub(crate) fn arch(world: &mut World) {
    let (n, inner, outer, depth) = (21, 4.5f64, 5.5f64, 0.5);
    let step = std::f64::consts::PI / n as f64;
    for i in 0..n {
        let mut points = Vec::new();
        for a in [i as f64 * step, (i + 1) as f64 * step] {
            for r in [inner, outer] {
                for z in [-depth, depth] {
                    points.push(DVec3::new(r * a.cos(), r * a.sin(), z));
                }
            }
        }
        let center = points.iter().sum::<DVec3>() / points.len() as f64;
        let local: Vec<_> = points.iter().map(|p| *p - center).collect();
        let body = world.add_body(BodyDesc::dynamic().at(center)).unwrap();
        let hull = ColliderDesc::new(Shape::convex_hull(local).unwrap()).friction(0.6);
        world.add_collider(body, hull).unwrap();
    }
}

pub(crate) fn card_house(world: &mut World) {
    let (levels, len, thick, width) = (4, 2.0, 0.05, 1.2);
    let lean = 20f64.to_radians();
    let (sin, cos) = lean.sin_cos();
    let pitch = 2.0 * (len * sin + thick * cos) + 0.02;
    let card = DVec3::new(0.5 * thick, 0.5 * len, 0.5 * width);
    let (cx, cy) = (
        0.5 * (thick * cos + len * sin),
        0.5 * (thick * sin + len * cos),
    );
    let mut base = 0.0;
    for level in 0..levels {
        let frames = levels - level;
        let x0 = -0.5 * pitch * (frames as f64 - 1.0);
        for f in 0..frames {
            let apex = x0 + f as f64 * pitch;
            for side in [-1.0, 1.0] {
                brick(
                    world,
                    card,
                    DVec3::new(apex + side * cx, base + cy, 0.0),
                    side * lean,
                );
            }
        }
        let top = base + 2.0 * cy;
        for f in 0..frames - 1 {
            let half = DVec3::new(0.5 * pitch - 0.005, 0.5 * thick, 0.5 * width);
            brick(
                world,
                half,
                DVec3::new(x0 + (f as f64 + 0.5) * pitch, top + 0.5 * thick, 0.0),
                0.0,
            );
        }
        base = top + thick;
    }
}

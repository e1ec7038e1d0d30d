//! A motor lifts an arm: a position servo, what it costs, and why the body is awake.

use rb_examples::Run;
use rb_world::prelude::*;

fn main() -> anyhow::Result<()> {
    let run = Run::from_args("A motor lifts an arm", 240);
    let mut world = World::new(Params::robotics())?;
    let base = world.add_body(BodyDesc::fixed().at([0.0, 1.0, 0.0]).named("base"))?;
    world.add_collider(base, ColliderDesc::new(Shape::cylinder(0.1, 0.2)?))?;

    // A 1 m arm that hangs down from the base.
    let arm = world.add_body(BodyDesc::dynamic().at([0.0, 0.5, 0.0]).named("arm"))?;
    world.add_collider(arm, ColliderDesc::new(Shape::capsule(0.45, 0.05)?))?;
    let servo = Motor::position(1.2, 400.0, 40.0).max(60.0);
    let poses = [world.pose(base)?, world.pose(arm)?];
    let hinge = Hinge::at_world(&poses[0], &poses[1], DVec3::Y, DVec3::Z)?.motor(servo);
    let joint = world.add_joint(base, arm, hinge)?;

    run.play(&mut world)?;

    let angle = world.coordinate(joint, Axis::AngZ)?.value;
    let body = world.body(arm)?;
    let weight = body.mass.mass * 9.81 * 0.5 * angle.sin();
    println!("the arm stands at {angle:.4} rad, asked for 1.2");
    println!("its weight pulls with {weight:.3} N·m; the servo yields until it pulls as hard:");
    let load: f64 = world.drive_loads(joint)?.iter().map(|l| l.force).sum();
    print!("{}", world.explain(arm)?);
    run.expect(
        (load - weight).abs() < 1e-3,
        "the servo to carry the weight",
    )
}

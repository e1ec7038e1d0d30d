//! A constraint of one's own over three bodies: the triangle of three balls keeps its area.

use rb_examples::Run;
use rb_world::joint::{
    Constraint, ConstraintCx, ConstraintRow, ConstraintRows, JointBody, check_constraint,
};
use rb_world::prelude::*;
use std::sync::Arc;

/// The triangle spanned by three centres of mass keeps its area.
#[derive(Debug)]
struct Area {
    /// Area (m²).
    area: f64,
}

impl Constraint for Area {
    /// φ = |n|/2 − A with n = (p₁ − p₀) × (p₂ − p₀); ∂φ/∂p₀ = (p₁ − p₂) × n̂ /2 and cyclic, n̂ = n/|n|.
    fn rows(&self, cx: &ConstraintCx, out: &mut ConstraintRows) {
        let p = [0, 1, 2].map(|k| cx.bodies[k].com);
        let n = (p[1] - p[0]).cross(p[2] - p[0]);
        let unit = n.normalize_or(DVec3::Z);
        let gap = 0.5 * n.length() - self.area;
        let jac = [0, 1, 2].map(|k| {
            let side = p[(k + 1) % 3] - p[(k + 2) % 3];
            Twist::new(0.5 * side.cross(unit), DVec3::ZERO)
        });
        out.push(ConstraintRow::new(jac, |j| Row::bilateral(j, gap, 0)));
    }

    fn draw(&self, cx: &ConstraintCx, sink: &mut dyn DrawSink) {
        for k in 0..3 {
            let ends = [k, (k + 1) % 3].map(|k| cx.bodies[k].com);
            sink.line(ends[0], ends[1], rb_world::core::draw::color::JOINT);
        }
    }
}

/// The check every row should pass: J against differences of φ.
fn check(constraint: &Area) -> f64 {
    let body = |x, y, z| JointBody {
        com: DVec3::new(x, y, z),
        vel: Twist::new(DVec3::new(y, -z, x), DVec3::X),
        ..JointBody::default()
    };
    let bodies = [
        body(0.0, 0.1, 0.2),
        body(1.0, -0.3, 0.4),
        body(0.3, 0.9, -0.5),
    ];
    let cx = ConstraintCx {
        bodies: &bodies,
        handles: &[BodyHandle::INVALID; 3],
        joints: &[],
        h: 0.01,
        time: 0.0,
    };
    check_constraint(constraint, &cx).worst()
}

fn main() -> anyhow::Result<()> {
    let run = Run::from_args("A triangle of constant area", 300);
    let area = Arc::new(Area { area: 0.5 });
    println!("J differs from finite differences by {:.1e}", check(&area));

    let mut params = Params::robotics();
    params.stabilisation = Some(Stabilisation::Iterated);
    let mut world = World::new(params)?;
    let pin = world.add_body(BodyDesc::fixed().at([0.0, 3.0, 0.0]).named("pin"))?;
    let mut balls = Vec::new();
    for (at, v) in [
        ([0.0, 2.0, 0.0], [0.0, 0.0, 1.0]),
        ([1.0, 2.0, 0.0], [0.0, 0.0, 0.0]),
        ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
    ] {
        let ball = world.add_body(BodyDesc::dynamic().at(at).velocity(v))?;
        world.add_collider(ball, ColliderDesc::new(Shape::ball(0.1)?))?;
        balls.push(ball);
    }
    let string = Quantity::distance(pin, DVec3::ZERO, balls[0], DVec3::ZERO);
    world.add_coupling(Coupling::new(string).hold(1.0))?;
    // Springs keep the sides near 1 m; without them the triangle may become a needle.
    for k in 0..3 {
        let [a, b] = [balls[k], balls[(k + 1) % 3]];
        let side = Quantity::distance(a, DVec3::ZERO, b, DVec3::ZERO);
        let spring = Drive::new().spring(Spring::new(1.0, 300.0, 5.0));
        world.add_coupling(Coupling::new(side).drive(spring))?;
    }
    world.add_constraint(&balls, CustomConstraint::new("area", area))?;

    let mut worst = 0.0f64;
    run.play_with(&mut world, |world, _| {
        let p: Vec<DVec3> = balls
            .iter()
            .map(|&b| world.position(b))
            .collect::<Result<_, _>>()?;
        let now = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).length();
        worst = worst.max((now - 0.5).abs());
        Ok(())
    })?;
    println!("the area stayed within {worst:.1e} m² of 0.5 m²");
    run.expect(worst < 1e-9, "the area to stay")
}

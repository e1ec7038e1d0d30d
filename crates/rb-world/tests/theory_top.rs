//! Steady precession of the heavy top and of a disc that rolls on its rim (theory T23).

mod common;
use common::rows::*;
use common::*;
use rb_world::joint::ConstraintRow;
use rb_world::prelude::*;

fn azimuth_rate(angles: &[f64], h: f64) -> f64 {
    let mut total = 0.0;
    for pair in angles.windows(2) {
        total += rb_world::core::math::wrap_angle(pair[1] - pair[0]);
    }
    total / (h * (angles.len() - 1) as f64)
}

/// Rate of precession and the largest change of inclination, started in steady precession at `rate`.
fn top(rate: f64, h: f64) -> (f64, f64) {
    let (l, i1, i3, w3, tilt) = (0.1, 0.02, 0.005, 100.0, 30f64.to_radians());
    let mut params = exact(DVec3::NEG_Z * G);
    params.gyroscopic = Gyroscopic::Variational;
    params.stabilisation = Some(Stabilisation::Iterated);
    let mut world = World::new(params).unwrap();
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let q = DQuat::from_rotation_x(tilt);
    let axis = q * DVec3::Z;
    let across = (DVec3::Z - axis * axis.z).normalize();
    let spin = axis * w3 + across * (rate * tilt.sin());
    let centre = axis * l;
    let desc = BodyDesc::dynamic()
        .at(centre)
        .rotated(q)
        .velocity(spin.cross(centre))
        .spin(spin)
        .mass(1.0, DVec3::new(i1 - l * l, i1 - l * l, i3));
    let body = world.add_body(desc).unwrap();
    let pose = world.pose(body).unwrap();
    let ball = Ball::at_world(&Pose::IDENTITY, &pose, DVec3::ZERO);
    world.add_joint(ground, body, ball).unwrap();
    let (mut angles, mut nod) = (Vec::new(), 0.0f64);
    run(&mut world, h, (1.0 / h) as usize, |w, _| {
        let axis = w.rotation(body).unwrap() * DVec3::Z;
        angles.push(axis.y.atan2(axis.x));
        nod = nod.max((axis.z.acos() - tilt).abs());
    });
    (azimuth_rate(&angles, h), nod)
}

#[test]
fn t23a_heavy_top() {
    let (i1, i3, w3, mgl, cos) = (0.02, 0.005, 100.0, 0.981, 30f64.to_radians().cos());
    let root = ((i3 * w3) * (i3 * w3) - 4.0 * i1 * cos * mgl).sqrt();
    for (sign, published) in [(-1.0, 2.117293), (1.0, 26.750220)] {
        let rate = (i3 * w3 + sign * root) / (2.0 * i1 * cos);
        close("root of the balance", rate, published, 1e-6);
        let errors: Vec<f64> = [1e-3, 5e-4, 2.5e-4]
            .into_iter()
            .map(|h| {
                let (found, nod) = top(rate, h);
                println!("h {h:.1e}: precession {found:.6}, nod {nod:.1e} rad");
                assert!(nod < 30.0 * h, "inclination changes by {nod}");
                (found - rate).abs()
            })
            .collect();
        assert!(errors[0] < 0.01 * rate, "1 % at h = 1e-3");
        first_order("precession", &errors);
    }
}

#[test]
fn t23b_disc_on_its_rim() {
    let (a, tilt) = (0.1, 10f64.to_radians());
    let rate = (4.0 * G / (a * tilt.sin())).sqrt();
    close("rate", rate, 47.536739, 1e-6);
    let rim = |q: DQuat| {
        let n = q * DVec3::Z;
        (DVec3::NEG_Y + n * n.y).normalize()
    };
    let errors: Vec<f64> = [1e-3, 5e-4, 2.5e-4]
        .into_iter()
        .map(|h| {
            let mut params = exact(DVec3::NEG_Y * G);
            params.gyroscopic = Gyroscopic::Variational;
            let mut world = World::new(params).unwrap();
            let q = DQuat::from_rotation_arc(DVec3::Z, DVec3::new(tilt.sin(), tilt.cos(), 0.0));
            let to_rim = rim(q);
            // The body turns about the line from the centre to the contact point.
            let spin = to_rim * (rate * tilt.sin());
            let desc = BodyDesc::dynamic()
                .at([0.0, -a * to_rim.y, 0.0])
                .rotated(q)
                .spin(spin)
                .mass(1.0, DVec3::new(0.25, 0.25, 0.5) * a * a);
            let body = world.add_body(desc).unwrap();
            constrain(&mut world, &[body], move |cx, out| {
                let b = cx.bodies[0];
                let arm = rim(b.pose.q) * a;
                let jac = |e: DVec3| [Twist::new(e, arm.cross(e))];
                let gap = (b.com + arm).y;
                out.push(ConstraintRow::new(jac(DVec3::Y), |j| {
                    Row::bilateral(j, gap, 0)
                }));
                out.push(ConstraintRow::new(jac(DVec3::X), |j| {
                    Row::velocity(j, 0.0, 1)
                }));
                out.push(ConstraintRow::new(jac(DVec3::Z), |j| {
                    Row::velocity(j, 0.0, 2)
                }));
            });
            let mut angles = Vec::new();
            run(&mut world, h, (0.264_350_8 / h) as usize, |w, _| {
                let r = rim(w.rotation(body).unwrap());
                angles.push(r.z.atan2(r.x));
            });
            let found = azimuth_rate(&angles, h).abs();
            println!("h {h:.1e}: the contact point goes round at {found:.4} rad/s");
            (found - rate).abs()
        })
        .collect();
    assert!(errors[0] < 0.01 * rate, "1 % at h = 1e-3");
    first_order("rate of the contact point", &errors);
}

use super::*;
use crate::lanes::joints::point::view;
use crate::lanes::joints::squares::{mass, vector};
use crate::lanes::{ContactLanes, LANES};
use glam::{DMat3, DQuat, DVec3};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Params;
use rb_core::problem::{Pass, Problem, ProblemBody};

const BODIES: usize = 12;
const SOFT: f64 = 0.2;

fn numbers() -> Discretiser {
    Discretiser::new(&Params::game(), 0.004)
}

/// A row of bodies held together by pins, in a net or in points of double precision; they lie so far away.
fn row(net: bool, round: bool, away: DVec3) -> (JointLanes, ContactLanes) {
    let (mut lanes, mut bodies) = (JointLanes::default(), ContactLanes::default());
    bodies.reset(BODIES);
    let pairs = (0..BODIES as u32 - 1).map(|j| ([j, j + 1], 3));
    lanes.seat(pairs, BODIES, BODIES);
    assert!(lanes.use_net(net) == net);
    for batch in 0..lanes.batches() {
        lanes.open_pins(batch, SOFT, [0, 1, 2]);
        for lane in 0..LANES {
            if let Some(joint) = lanes.joint(batch, lane) {
                let k = joint as usize;
                let pin = LanePin {
                    axes: DMat3::from_rotation_y(k as f64),
                    arm: [vector(k), vector(k + 3)],
                    impulse: vector(k + 5) * 0.1,
                };
                lanes.put_pin(batch, lane, &pin);
            }
        }
    }
    for body in 0..BODIES {
        bodies.set_mass(body, &mass(body, round));
        bodies.set_velocity(body, &Twist::new(vector(body), vector(body + 2)));
        bodies.set_free(body, &Twist::new(vector(body + 7), vector(body + 9)));
        // Places on a grid, so that they are the same far away.
        let at = (vector(body) * 64.0).round() / 64.0;
        lanes.set_turned(body, away + at, DQuat::from_rotation_z(0.3));
    }
    (lanes, bodies)
}

/// What two substeps with three sweeps each come to: velocities, impulses, geometric stiffness, and at the end the error of
/// the joints (m) and their residual (m/s).
fn run(net: bool, round: bool, away: DVec3) -> Vec<f64> {
    let (mut lanes, mut bodies) = row(net, round, away);
    for first in [true, false] {
        lanes.carry_points(&numbers(), first);
        lanes.start_in(&mut bodies.lines());
        for pass in [Pass::Position, Pass::Position, Pass::Velocity] {
            lanes.sweep(&mut bodies, pass, !first);
        }
        for body in 0..BODIES {
            let turn = DQuat::from_scaled_axis(vector(body + 1) * 0.02);
            lanes.set_turned(body, vector(body) * 0.01, turn);
        }
    }
    lanes.note_points();
    let (grade, scaled) = lanes.grade(&bodies, 0.1);
    let velocities = (0..BODIES).map(|body| bodies.velocity(body));
    let velocities = velocities
        .flat_map(|v| [v.lin, v.ang])
        .flat_map(|v| v.to_array());
    let impulses = (0..BODIES - 1).flat_map(|joint| lanes.impulses(joint).map(|(_, p)| p));
    let levers = lanes.levers[..BODIES].iter().flat_map(|line| line.0);
    let told = [lanes.carried_error(), grade.abs, scaled.error, scaled.scale];
    velocities
        .chain(impulses)
        .chain(levers)
        .chain(told)
        .collect()
}

#[test]
fn a_net_does_what_points_of_double_precision_do() {
    for round in [false, true] {
        let [double, single] = [false, true].map(|net| run(net, round, DVec3::ZERO));
        assert_eq!(double.len(), single.len());
        for (d, s) in double.iter().zip(&single) {
            assert!((d - s).abs() < 2e-5 * (1.0 + d.abs()), "{round}: {d} {s}");
        }
        assert!(double != single, "nothing has been rounded");
    }
}

#[test]
fn a_net_far_away_is_the_same() {
    let away = DVec3::new(1e7, -3e6, 0.0);
    assert_eq!(run(true, true, away), run(true, true, DVec3::ZERO));
}

#[test]
fn rows_of_a_net_are_its_points() {
    let (mut lanes, mut bodies) = row(true, false, DVec3::ZERO);
    lanes.carry_points(&numbers(), true);
    lanes.start_in(&mut bodies.lines());
    let (mut problem, all) = (Problem::default(), 0..lanes.len());
    let body = ProblemBody {
        inv: InvMass {
            lin: DVec3::ONE,
            ang: DMat3::IDENTITY,
        },
        ..ProblemBody::default()
    };
    problem.bodies.resize(BODIES, body);
    lanes.append_to(&mut problem, all.clone(), |body| body);
    assert_eq!(lanes.rows(all.clone()), 3 * lanes.len());
    assert_eq!(lanes.all_rows(), 3 * lanes.len());
    lanes.note_points();
    let told = all.flat_map(|joint| lanes.impulses(joint).map(|(_, p)| p));
    let told: Vec<f64> = told.collect();
    assert_eq!(told.len(), problem.rows.len());
    for (row, told) in problem.rows.iter().zip(told) {
        assert!((row.lambda - told).abs() < 1e-6, "{} {told}", row.lambda);
    }
}

/// All kernels in turn.
#[cfg(target_arch = "x86_64")]
fn kernels(width: crate::lanes::Width, round: bool) -> String {
    use crate::lanes::Width;
    use crate::lanes::simd::{Avx2, Avx512, Plain};
    let (mut lanes, bodies) = row(true, round, DVec3::ZERO);
    let (mut vel, mut sums, mut most) = (bodies.vel.clone(), Sums::default(), Narrow::default());
    let mut narrow = vec![Narrow::default(); vel.len()];
    let bias = Bias::of(&numbers());
    macro_rules! all {
        ($simd:ty) => {{
            type Single = <$simd as AllLanes>::Single;
            for backwards in [false, true] {
                carry::<$simd>(&mut lanes, bias, [!backwards, true]);
                pull::<$simd>(&mut lanes);
                let net = &mut lanes.net;
                start::<Single, Line>(&mut net.points, &mut net.masses, &bodies.inv, &mut vel);
                for (to, from) in narrow.iter_mut().zip(&vel) {
                    *to = Narrow(from.0.map(|x| x as f32));
                }
                start::<Single, Narrow>(&mut net.points, &mut net.masses, &bodies.inv, &mut narrow);
                for pass in [Pass::Position, Pass::Velocity] {
                    let order = Order { pass, backwards };
                    sweep::<Single, Line>(net, &lanes.visits, &mut vel, order);
                    sweep::<Single, Narrow>(net, &lanes.visits, &mut narrow, order);
                }
                view::note::<Single>(&mut net.points);
                error::<$simd>(&lanes, &mut most);
                let lines = [&vel[..], &bodies.free[..]];
                grade::<$simd>(&lanes.net, &lanes.batches, lines, 0.1, &mut sums);
            }
        }};
    }
    match width {
        Width::Avx512 => all!(Avx512),
        Width::Avx2 => all!(Avx2),
        Width::Plain => all!(Plain),
    }
    let graded = [sums.abs, sums.error2, sums.outside, sums.product];
    format!(
        "{vel:?} {narrow:?} {:?} {:?} {most:?} {graded:?}",
        lanes.net.points, lanes.levers
    )
}

#[cfg(target_arch = "x86_64")]
#[test]
fn every_width_gives_the_same_bits() {
    for round in [false, true] {
        crate::lanes::assert_same_at_every_width(round, |width| kernels(width, round));
    }
}

//! Manifolds that are kept and swept one by one, in single precision, beside batches of double precision.

use crate::random::Random;
use crate::scene::{BODIES, H, both, cases, mass, problem, rebalance, thin};
use rb_core::discretise::Discretiser;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::params::Params;
use rb_core::problem::Pass;
use rb_core::residual::grade_velocities;
use rb_solve::lanes::ContactLanes;

/// Gives every body an inverse mass of about the same size, turned.
fn turn(lanes: &mut ContactLanes, seed: u64) {
    let mut random = Random(seed);
    for i in 0..BODIES - 1 {
        let (w, other) = (lanes.body(i).inv, mass(&mut random));
        let ang = 0.95 * w.ang + 0.05 * other.ang;
        lanes.set_mass(i, &InvMass { ang, ..w });
    }
}

#[test]
fn one_by_one_is_the_sweep_of_batches() {
    let numbers = Discretiser::new(&Params::game(), H);
    for case in cases(10).filter(thin) {
        let (seed, laws, ..) = case;
        let [mut wide, mut thin] = both(case, &numbers);
        let bodies: Vec<_> = (0..BODIES).map(|i| thin.body(i)).collect();
        for lanes in [&mut thin, &mut wide] {
            turn(lanes, seed);
            lanes.pose(|i| bodies[i.min(BODIES - 1)].vel, &numbers);
        }
        let mut off = 0.0f64;
        let passes = [
            Pass::Position,
            Pass::Position,
            Pass::Velocity,
            Pass::Velocity,
        ];
        for (k, pass) in passes.into_iter().enumerate() {
            for lanes in [&mut thin, &mut wide] {
                lanes.sweep(pass, &numbers, k % 2 == 1);
            }
            let apart = |v: Twist, w: Twist| (v.lin - w.lin).length() + (v.ang - w.ang).length();
            let apart = (0..BODIES).map(|i| apart(thin.velocity(i), wide.velocity(i)));
            off = apart.fold(off, f64::max);
        }
        println!("{laws:?}: off by {off:.1e} m/s");
        assert!(off > 0.0, "packed in two ways");
        assert!(off < 1e-5, "{laws:?}: off by {off:e} m/s");
    }
}

#[test]
fn one_by_one_keeps_the_impulse_balance_of_bodies_that_have_turned() {
    let numbers = Discretiser::new(&Params::game(), H);
    for case in cases(20).filter(thin) {
        let (seed, laws, ..) = case;
        let [_, mut lanes] = both(case, &numbers);
        turn(&mut lanes, seed);
        let start: Vec<Twist> = (0..BODIES).map(|i| lanes.free(i)).collect();
        lanes.pose(|i| start[i.min(BODIES - 1)], &numbers);
        lanes.sweep(Pass::Position, &numbers, false);
        for k in 0..2000 {
            lanes.sweep(Pass::Velocity, &numbers, k % 2 == 1);
        }
        let mut p = problem(&lanes);
        let grade = grade_velocities(&p, 0.0).abs;
        let off = rebalance(&mut p);
        println!("{laws:?}: {grade:.1e} m/s, balance {off:.1e}");
        assert!(off < 2e-4, "v = free + W Jᵀλ, off by {off:e}");
        assert!(grade < 2e-5, "{laws:?}: {grade:e}");
    }
}

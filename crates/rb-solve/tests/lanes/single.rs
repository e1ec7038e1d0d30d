//! Lanes of single precision do what those of double precision do, but for their digits.

use crate::scene::{BODIES, H, both, cases, problem, rebalance};
use rb_core::discretise::Discretiser;
use rb_core::params::Params;
use rb_core::problem::Pass;
use rb_core::residual::grade_velocities;
use rb_solve::lanes::ContactLanes;

/// The largest difference of velocities (m/s, rad/s).
fn apart(a: &ContactLanes, b: &ContactLanes) -> f64 {
    let off = |i| {
        let (v, w) = (a.velocity(i), b.velocity(i));
        (v.lin - w.lin).length() + (v.ang - w.ang).length()
    };
    (0..BODIES).map(off).fold(0.0, f64::max)
}

#[test]
fn sweeps_part_by_their_digits_alone() {
    let numbers = Discretiser::new(&Params::game(), H);
    for case in cases(20) {
        let [mut double, mut single] = both(case, &numbers);
        // One after the other, or with the bodies in single precision too.
        let mut narrow = single.clone();
        for pass in [Pass::Position, Pass::Velocity] {
            for k in 0..4 {
                double.sweep(pass, &numbers, k % 2 == 1);
                single.sweep(pass, &numbers, k % 2 == 1);
            }
            narrow.sweeps(pass, &numbers, 4, false);
        }
        for (a, b) in [(&double, &single), (&double, &narrow), (&single, &narrow)] {
            let off = apart(a, b);
            assert!(off <= 2e-5, "{case:?}: {off:e} m/s");
            assert!(off > 0.0, "{case:?} is of double precision");
        }
    }
}

/// The residual of a settled pile is that of its digits, and lanes know it as well as rows do.
#[test]
fn sweeping_on_reaches_the_law_to_single_precision() {
    let numbers = Discretiser::new(&Params::game(), H);
    for case in cases(1) {
        let [_, mut single] = both(case, &numbers);
        single.sweep(Pass::Position, &numbers, false);
        let before = grade_velocities(&problem(&single), 0.0).abs;
        for k in 0..2000 {
            single.sweep(Pass::Velocity, &numbers, k % 2 == 1);
        }
        let told = single.grade(0.0).0.abs;
        let mut p = problem(&single);
        let seen = grade_velocities(&p, 0.0).abs;
        let off = rebalance(&mut p);
        println!("{case:?}: {before:.1e} -> {seen:.1e} m/s, told {told:.1e}, balance {off:.1e}");
        assert!(before > 1e-2 && seen < 2e-5, "{case:?}: {seen:e} m/s");
        assert!((told - seen).abs() < 2e-5, "{told:e} and {seen:e} m/s");
        assert!(off < 2e-4, "v = free + W Jᵀλ, off by {off:e}");
    }
}

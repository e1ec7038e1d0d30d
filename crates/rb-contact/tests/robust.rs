//! Random and degenerate poses: never a panic, never a NaN, deterministic.

mod common;

use common::all_shapes;
use proptest::prelude::*;
use rb_contact::narrow::collide_shapes;
use rb_contact::reach::Reach;
use rb_core::glam::DVec3;
use rb_core::math::{Pose, exp_rotation};

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -2.0..2.0f64,
        Just(0.0),
        Just(0.5),
        -1e-9..1e-9f64,
        -1e6..1e6f64,
    ]
}

fn pose() -> impl Strategy<Value = Pose> {
    let turn = prop_oneof![
        -3.2..3.2f64,
        Just(0.0),
        Just(core::f64::consts::FRAC_PI_2),
        -1e-8..1e-8f64
    ];
    (
        [coordinate(), coordinate(), coordinate()],
        [turn.clone(), turn.clone(), turn],
    )
        .prop_map(|(p, t)| Pose::new(DVec3::from(p), exp_rotation(DVec3::from(t))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn contacts_are_finite(i in 0..64usize, j in 0..64usize, a in pose(), b in pose(), near in prop::bool::ANY) {
        let shapes = all_shapes();
        let (x, y) = (&shapes[i % shapes.len()], &shapes[j % shapes.len()]);
        let b = if near { Pose::new(a.p + b.p.clamp_length_max(1.0), b.q) } else { b };
        let run = || {
            let mut out = Vec::new();
            collide_shapes(x, &a, y, &b, &Reach::all(0.02), &mut out);
            out
        };
        let found = run();
        prop_assert_eq!(&found, &run());
        for patch in &found {
            prop_assert!((patch.normal.length() - 1.0).abs() < 1e-6);
            prop_assert!((1..=4).contains(&patch.points.len()));
            for p in &patch.points {
                prop_assert!(p.gap.is_finite() && p.position_a.is_finite() && p.position_b.is_finite());
                prop_assert!(p.gap <= 0.02);
            }
        }
    }
}

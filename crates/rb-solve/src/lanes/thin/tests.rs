//! Every width gives the same bits.

use super::each::Each;
use super::position::position;
use super::prepare::{prepare, renew};
use super::visit::{velocity, warm};
use super::whole::Whole;
use super::{Friction, From, Normals, Thin, find_twins, twice};
use crate::lanes::LANES;
use crate::lanes::kernel::Numbers;
use crate::lanes::simd::{Line, Narrow, PlainSingle, Single, Stored, Wide};
use crate::lanes::view::vector;
use crate::lanes::{Width, assert_same_at_every_width};
use glam::DVec3;
use rb_core::anchor::Anchored;
use rb_core::discretise::Discretiser;
use rb_core::manifold::{FrictionLaw, Impulses, MAX_POINTS, Manifold};
use rb_core::params::Params;

const BODIES: usize = 17;

fn number(k: usize) -> f64 {
    (1.7 * k as f64 + 0.3).sin()
}

fn wide(k: usize) -> Wide {
    Wide(core::array::from_fn(|i| number(LANES * k + i)))
}

fn narrow(k: usize) -> Narrow {
    Narrow(wide(k).0.map(|x| x as f32))
}

/// A ring of manifolds with awkward numbers in every field, of one to four points, with friction at each or as one.
fn ring(law: FrictionLaw, whole: bool) -> Vec<Thin> {
    let manifold = |m: usize| {
        let points = 1 + m % MAX_POINTS;
        let used = |lane: usize, x: f32| if lane % MAX_POINTS < points { x } else { 0.0 };
        let arm = |k: usize| Narrow(core::array::from_fn(|i| used(i, narrow(k).0[i])));
        let normals = Normals {
            arm: [0, 1, 2].map(|c| arm(9 * m + c)),
            root: twice(|k| used(k, 1.0)),
            impulse: twice(|k| used(k, 0.1 * narrow(9 * m + 3).0[k].abs())),
            belt: [number(9 * m + 5), number(9 * m + 6)].map(|x| x as f32),
            gap: twice(|k| used(k, 1e-3 * narrow(9 * m + 6).0[k])),
            axes: [7, 8, 9].map(|c| [0, 1, 2].map(|i| number(9 * m + 3 * c + i) as f32)),
            pace: [80.0, 0.2],
            bodies: [m % BODIES, (3 * m + 1) % BODIES].map(|b| b as u32),
            mu: 0.4,
            points: points as u8,
            law,
            ..Normals::default()
        };
        let manifold = rubbed(m, &normals);
        let friction = if whole {
            let mut whole = Whole::default();
            whole.fill(&manifold, 1.0);
            Friction::Whole(whole)
        } else {
            let mut each = Each::default();
            each.fill(&manifold, 1.0);
            Friction::Each(each)
        };
        Thin { normals, friction }
    };
    (0..24).map(manifold).collect()
}

/// A manifold whose points have impulses along the tangents.
fn rubbed(m: usize, normals: &Normals) -> Manifold {
    let mut manifold = Manifold {
        normal: super::double(normals.axes[0]),
        ..Manifold::default()
    };
    manifold.set_points((0..u32::from(normals.points)).map(|k| {
        let arm = [0, MAX_POINTS].map(|side| vector(&normals.arm, side + k as usize));
        (k, Anchored { arm, gap: 0.0 })
    }));
    let mut points = [[0.0; 3]; MAX_POINTS];
    for (k, impulse) in points[..usize::from(normals.points)].iter_mut().enumerate() {
        *impulse = [0.0, number(9 * m + k), number(9 * m + 4 + k)].map(|x| 0.1 * x);
    }
    manifold.set_impulses(&Impulses::Each {
        points,
        spin: DVec3::ZERO,
    });
    manifold
}

fn numbers(law: FrictionLaw, whole: bool, twins: bool, width: Width) -> Vec<f64> {
    let mut manifolds = ring(law, whole);
    if twins {
        find_twins(&mut manifolds, BODIES);
        let some = |twin: bool| manifolds.iter().any(|m| m.normals.twin == twin);
        assert!(some(whole) && some(false), "not of both kinds");
        let on = |m: &Thin| {
            m.normals
                .from
                .as_flattened()
                .iter()
                .any(|&f| f != From::Line)
        };
        assert!(manifolds.iter().any(on), "nothing is handed on");
    }
    let lines = |from: usize| (0..BODIES).map(move |i| wide(from + i));
    let (inv, mut vel, moved): (Vec<Line>, Vec<Line>, Vec<Line>) = (
        lines(100).map(|w| mass(&w)).collect(),
        lines(200).map(|w| speed(&w)).collect(),
        lines(300).map(|w| Wide(w.0.map(|x| 1e-3 * x))).collect(),
    );
    let numbers = Numbers::new(&Discretiser::new(&Params::game(), 1.0 / 240.0));
    let mut narrow = vec![Narrow::default(); BODIES];
    macro_rules! sweep {
        ($simd:ty) => {{
            prepare::<$simd>(&mut manifolds, &inv, &vel);
            warm::<$simd, _>(&manifolds, &mut vel);
            for _ in 0..3 {
                renew::<$simd>(&mut manifolds, &moved, &vel);
                let news = Some((&moved[..], &numbers));
                position::<$simd, Line>(&mut manifolds, &mut vel, news, false);
                velocity::<$simd, Line>(&mut manifolds, &mut vel, true);
                for (to, from) in narrow.iter_mut().zip(&vel) {
                    to.set_row(from.row::<$simd>());
                }
                position::<$simd, Narrow>(&mut manifolds, &mut narrow, None, true);
                velocity::<$simd, Narrow>(&mut manifolds, &mut narrow, false);
            }
        }};
    }
    match width {
        Width::Avx512 => sweep!(Single<true>),
        Width::Avx2 => sweep!(Single<false>),
        Width::Plain => sweep!(PlainSingle),
    }
    let mut all: Vec<f64> = vel.iter().flat_map(|w| w.0).collect();
    let mut add = |w: &Narrow| all.extend(w.0.map(f64::from));
    narrow.iter().for_each(&mut add);
    for m in &manifolds {
        add(&m.normals.impulse);
        match &m.friction {
            Friction::Each(each) => add(&each.impulse),
            Friction::Whole(whole) => add(&Narrow(core::array::from_fn(|k| {
                whole.impulses()[k % 3] as f32
            }))),
        }
    }
    all
}

/// W with a dominant diagonal.
fn mass(w: &Line) -> Line {
    let [xx, yy, zz, xy, xz, yz, mx, my] = w.0;
    let size = |x: f64| 1.0 + x.abs();
    let [xx, yy, zz] = [xx, yy, zz].map(size);
    let [xy, xz, yz] = [xy, xz, yz].map(|x| 0.3 * x);
    Wide([xx, yy, zz, xy, xz, yz, size(mx), size(my)])
}

/// A velocity, with 1/m in its place.
fn speed(w: &Line) -> Line {
    let mut out = *w;
    (out.0[3], out.0[7]) = (1.0 + w.0[3].abs(), 0.0);
    out
}

const CASES: [(FrictionLaw, bool); 5] = [
    (FrictionLaw::None, false),
    (FrictionLaw::Boxed, false),
    (FrictionLaw::Pyramid, false),
    (FrictionLaw::Conic, false),
    (FrictionLaw::Conic, true),
];

#[test]
fn every_width_gives_the_same_bits() {
    for (law, whole) in CASES {
        assert_same_at_every_width((law, whole), |width| numbers(law, whole, true, width));
    }
}

#[test]
fn two_together_do_what_they_do_one_after_the_other_from_lines() {
    for (law, whole) in CASES {
        let [together, alone] = [true, false].map(|twins| numbers(law, whole, twins, Width::Plain));
        assert_eq!(together, alone, "{law:?}, {whole}");
    }
}

/// Normal impulses, those of one point in six off by a share of `by`.
fn loads(m: usize, by: f64) -> [f32; MAX_POINTS] {
    let off = |k: usize| {
        if (m + k).is_multiple_of(6) {
            1.0 + by
        } else {
            1.0
        }
    };
    core::array::from_fn(|k| (0.1 * number(9 * m + k).abs() * off(k)) as f32)
}

/// A ring of bodies that all move at a speed, which has been prepared and swept from such loads; if `kept` after it has been
/// prepared with others. Says what becomes of the velocities, and how many frictions were kept.
fn rest(speed: f64, by: f64, kept: bool) -> (Vec<Line>, usize) {
    let mut manifolds = ring(FrictionLaw::Conic, true);
    let inv: Vec<Line> = (100..100 + BODIES).map(|i| mass(&wide(i))).collect();
    let mut vel = vec![Wide([speed, 0.0, 0.0, 1.0, 0.0, 0.0, speed, 0.0]); BODIES];
    let (both, one) = ([0.0, by], [by]);
    for by in if kept { &both[..] } else { &one } {
        for (m, Thin { normals, friction }) in manifolds.iter_mut().enumerate() {
            normals.kept = kept && normals.stiff != Narrow::default();
            let stiff = |k: usize| {
                if normals.kept {
                    normals.stiff.0[k]
                } else {
                    1.0
                }
            };
            let live = |k: usize| {
                if k < normals.points.into() {
                    stiff(k)
                } else {
                    0.0
                }
            };
            normals.impulse = twice(|k| loads(m, *by)[k] * live(k));
            let manifold = rubbed(m, normals);
            if let Friction::Whole(whole) = friction {
                whole.fill(&manifold, 1.0);
            }
        }
        prepare::<PlainSingle>(&mut manifolds, &inv, &vel);
    }
    let still = |thin: &&Thin| match &thin.friction {
        Friction::Whole(whole) => whole.is_kept(&thin.normals),
        Friction::Each(_) => false,
    };
    let still = manifolds.iter().filter(still).count();
    warm::<PlainSingle, _>(&manifolds, &mut vel);
    velocity::<PlainSingle, Line>(&mut manifolds, &mut vel, false);
    (vel, still)
}

#[test]
fn friction_at_rest_is_kept_while_the_load_lies_where_it_did() {
    for (speed, by, least, most) in [
        (0.0, 0.0, 24, 24),
        (0.0, 1e-6, 24, 24),
        (0.0, 0.5, 6, 18),
        (1.0, 0.0, 24, 24),
        (1.0, 1e-6, 0, 18),
    ] {
        let ((kept, still), (anew, none)) = (rest(speed, by, true), rest(speed, by, false));
        assert!(kept == anew, "at {speed} m/s, off by {by}");
        assert!(none == 0 && least <= still && still <= most, "{still} kept");
    }
}

//! Every width gives the same bits.

use super::each::Each;
use super::position::position;
use super::prepare::{prepare, renew};
use super::visit::{velocity, warm};
use super::whole::Whole;
use super::{Friction, Normals, Thin, twice};
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
        let mut manifold = Manifold {
            normal: super::double(normals.axes[0]),
            ..Manifold::default()
        };
        manifold.set_points((0..points as u32).map(|k| {
            let arm = [0, MAX_POINTS].map(|side| vector(&normals.arm, side + k as usize));
            (k, Anchored { arm, gap: 0.0 })
        }));
        let mut impulses = [[0.0; 3]; MAX_POINTS];
        for (k, impulse) in impulses[..points].iter_mut().enumerate() {
            *impulse = [0.0, number(9 * m + k), number(9 * m + 4 + k)].map(|x| 0.1 * x);
        }
        manifold.set_impulses(&Impulses::Each {
            points: impulses,
            spin: DVec3::ZERO,
        });
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

fn numbers(law: FrictionLaw, whole: bool, width: Width) -> Vec<f64> {
    let mut manifolds = ring(law, whole);
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

#[test]
fn every_width_gives_the_same_bits() {
    for (law, whole) in [
        (FrictionLaw::None, false),
        (FrictionLaw::Boxed, false),
        (FrictionLaw::Pyramid, false),
        (FrictionLaw::Conic, false),
        (FrictionLaw::Conic, true),
    ] {
        assert_same_at_every_width((law, whole), |width| numbers(law, whole, width));
    }
}

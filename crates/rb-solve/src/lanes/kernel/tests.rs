//! All widths against one another.

use super::super::batch::Batch;
use super::super::pair::Pair;
use super::super::position::position;
use super::super::prepare::Levers;
use super::super::response::Response;
use super::super::settle::settle;
use super::super::simd::{Narrow, Place, Wide, Within};
use super::super::view::vector;
use super::super::{Width, assert_same_at_every_width};
use super::*;
use rb_core::manifold::{MAX_POINTS, WHOLE};

/// These numbers in lanes.
fn lanes<W: Stored>(number: impl Fn(usize) -> f64) -> W {
    let mut w = W::default();
    (0..LANES).for_each(|i| w.set(i, number(i)));
    w
}

/// A ring of manifolds with awkward numbers in every field, and its bodies.
fn ring<W: Stored>(law: FrictionLaw, gripped: bool) -> (Packed<W>, [Vec<Line>; 3]) {
    let number = |k: usize| (1.7 * k as f64 + 0.3).sin();
    let wide = |k: usize| lanes::<W>(|i| number(8 * k + i));
    let all = |x: f64| lanes::<W>(|_| x);
    let mut packed = Packed::default();
    for b in 0..6 {
        let bodies =
            [0, 1].map(|s| core::array::from_fn(|i| Place::new(((b + 2 * i + s) % 17) as u32)));
        packed.batches.push(Batch {
            bodies,
            normal: [wide(b), wide(b + 1), wide(b + 2)],
            tangent: [wide(b + 3), wide(b + 4), wide(b + 5)],
            mu: all(0.4),
            belt: [wide(b + 6), wide(b + 7)],
            soft: [all(80.0), all(0.2)],
            law,
            len: 3,
            members: core::array::from_fn(|k| (8 * b + k) as u32),
            arm: [[0, 1, 2], [3, 4, 5]].map(|a| a.map(|j| wide(40 * b + j))),
            grip: if gripped { 0 } else { NONE },
            // The bodies of every other batch are not taken as round.
            response: if b % 2 == 1 { b as u32 / 2 } else { NONE },
            ..Batch::idle(0)
        });
    }
    packed.responses = vec![Response::default(); 3];
    packed.number(6 * LANES);
    for (i, p) in packed.points.iter_mut().enumerate() {
        let at = 40 * (i / 3) + 9 * (i % 3);
        let height = &mut packed.heights[i];
        if i % 3 > 0 {
            height.rise = wide(at);
            p.across = [wide(at + 1), wide(at + 2)];
        }
        p.inverse = all(0.3);
        height.gap = lanes(|i| 1e-3 * number(8 * (at + 6) + i));
    }
    for (i, s) in packed.slips.iter_mut().enumerate() {
        let at = 40 * (i / 3) + 9 * (i % 3);
        s.step = all(0.2);
        s.cross = [wide(at + 7), wide(at + 8)];
    }
    for (i, g) in packed.grips.iter_mut().enumerate() {
        g.arm = [[0, 1, 2], [3, 4, 5]].map(|a| a.map(|j| wide(50 * i + j)));
        g.reach = lanes(|k| number(8 * (50 * i + 6) + k).abs());
        g.step = [all(0.2), all(0.1)];
    }
    let line = |k: usize| lanes::<Line>(|i| number(8 * k + i));
    let lines = |from: usize| (0..17).map(|i| line(from + i)).collect();
    let bodies: [Vec<Line>; 3] = [lines(100), lines(200), lines(300)];
    for (batch, grip) in packed.batches.iter().zip(&mut packed.grips) {
        let at = Within::both(&batch.bodies, &bodies[1]);
        grip.couple(
            &Levers::<W::Plain>::round(&Pair::gather(&bodies[1], at)),
            batch,
        );
    }
    (packed, bodies)
}

/// The same numbers in lines of another precision.
fn lines<L: Stored>(lines: &[impl Stored]) -> Vec<L> {
    let line = |l: &_| lanes(|k| Stored::at(l, k));
    lines.iter().map(line).collect()
}

fn swept<W: Stored, L: Stored>(
    law: FrictionLaw,
    gripped: bool,
    width: Width,
) -> (Packed<W>, Vec<L>) {
    let (mut packed, [inv, vel, moved]) = ring::<W>(law, gripped);
    let mut vel = lines::<L>(&vel);
    let soft = Numbers {
        rate: 360.0,
        push: 3.0,
        full: 1e4,
        firm: [5e-3, 500.0],
    };
    macro_rules! sweep {
        ($simd:ty) => {{
            macro_rules! bodies {
                () => {
                    Bodies {
                        inv: &inv,
                        vel: &mut vel,
                        moved: &moved,
                    }
                };
            }
            let mut wide = lines::<Line>(&vel);
            warm::<$simd, Line>(&mut packed, &inv, &mut wide, false);
            vel = lines(&wide);
            for fresh in [true, false] {
                let way = Way {
                    fresh,
                    turned: fresh,
                    backwards: !fresh,
                };
                position::<$simd, L>(&mut packed, bodies!(), &soft, way);
            }
            velocity::<$simd, L>(&mut packed, &mut vel, true);
            settle::<$simd>(&mut packed);
        }};
    }
    for _ in 0..3 {
        match width {
            Width::Avx512 => sweep!(W::Avx512),
            Width::Avx2 => sweep!(W::Avx2),
            Width::Plain => sweep!(W::Plain),
        }
    }
    (packed, vel)
}

fn numbers<W: Stored, L: Stored>(law: FrictionLaw, gripped: bool, width: Width) -> Vec<f64> {
    let (packed, vel) = swept::<W, L>(law, gripped, width);
    let normals = packed.points.iter().map(|p| &p.impulse);
    let slips = packed.slips.iter().flat_map(|s| &s.impulse);
    let grips = packed.grips.iter().flat_map(|g| &g.impulse);
    let impulses = normals.chain(slips).chain(grips);
    let impulses = impulses.flat_map(|w| (0..LANES).map(|i| w.at(i)));
    let lines = lines::<Line>(&vel);
    let lines = lines.iter().chain(&packed.settled).flat_map(|w| w.0);
    lines.chain(impulses).collect()
}

#[test]
fn every_width_gives_the_same_bits() {
    for (law, gripped) in [
        (FrictionLaw::None, false),
        (FrictionLaw::Boxed, false),
        (FrictionLaw::Pyramid, false),
        (FrictionLaw::Conic, false),
        (FrictionLaw::Conic, true),
    ] {
        let case = (law, gripped);
        assert_same_at_every_width(case, |width| numbers::<Wide, Line>(law, gripped, width));
        assert_same_at_every_width(case, |width| numbers::<Narrow, Line>(law, gripped, width));
        assert_same_at_every_width(case, |width| numbers::<Narrow, Narrow>(law, gripped, width));
    }
}

/// What is settled of a manifold is what its own numbers say.
#[test]
fn settled_lines_are_of_each_manifold() {
    let (packed, _) = swept::<Wide, Line>(FrictionLaw::Conic, true, Width::Plain);
    let mut loaded = 0;
    for (batch, grip) in packed.batches.iter().zip(&packed.grips) {
        for lane in 0..LANES {
            let [centre, first] = [&grip.arm, &batch.arm].map(|arm| vector(&arm[0], lane));
            let points = &packed.points[batch.range()];
            let mut whole = [0.0; WHOLE];
            for (to, p) in whole.iter_mut().zip(points) {
                *to = p.impulse.0[lane];
            }
            let [x, y, z] = vector(&grip.impulse, lane).to_array();
            let off = centre - first;
            let twist = z * grip.reach.0[lane] + off.y * y - off.z * x;
            let pushes = whole.iter().any(|load| *load > 0.0);
            if pushes {
                whole[MAX_POINTS..][..3].copy_from_slice(&[x, y, twist]);
            }
            let settled = packed.settled[batch.members[lane] as usize].0;
            for (settled, whole) in settled.into_iter().zip(whole) {
                let off = (settled - whole).abs();
                assert!(off <= 1e-14 * whole.abs(), "{settled} {whole}");
            }
            loaded += usize::from(pushes);
        }
    }
    assert!(loaded > 10, "{loaded}");
}

//! Manifolds into lanes, a batch at a time.
//!
//! The numbers of a point lie one after the other in a manifold and side by side in lanes. So the manifolds of
//! a batch are read as rows and turned into columns, and what a batch holds is written once, from its first line to
//! its last, with the effective masses while it is at hand.

use super::axes::Axes;
use super::batch::{Batch, Height, NONE, Packed, Point, Wide3};
use super::dispatch;
use super::grip::Grip;
use super::load::load;
use super::pair::Pair;
use super::prepare::{Levers, Soft, prepare, soften, tangent};
use super::response::{Response, Responses};
use super::section::{Masses, Terms};
use super::simd::{AllLanes, LANES, Simd, Stored, Within, two};
use super::vector::{Mass, V3};
use rb_core::ahead::fetch;
use rb_core::manifold::{Contacts, FrictionLaw, MAX_POINTS, Manifold};

/// Numbers of all points together, friction coefficient and the way from a to b, and of each: its arm and the gap.
const COMMON: usize = 4;
const NUMBERS: usize = 4;

/// Fills the batches with the manifolds of their lanes, from which they have their impulses already if these are their
/// `own`.
pub(super) fn run<W: Stored>(
    packed: &mut Packed<W>,
    set: Contacts,
    terms: &Terms,
    masses: Masses,
    own: bool,
) {
    dispatch!(of W fill(packed: &mut Packed<W>, set: Contacts, terms: &Terms, masses: Masses, own: bool))
}

#[inline(always)]
fn fill<S: AllLanes>(
    packed: &mut Packed<S::Stored>,
    set: Contacts,
    terms: &Terms,
    masses: Masses,
    own: bool,
) {
    // Idle lanes have a manifold without points.
    let idle = Manifold::default();
    let mut responses = Responses::new(&mut packed.responses);
    let mut next = look_ahead(packed.batches.first(), &set, masses, own);
    for k in 0..packed.batches.len() {
        let stays = next;
        next = look_ahead(packed.batches.get(k + 1), &set, masses, own);
        let batch = &mut packed.batches[k];
        let points = &mut packed.points[batch.range()];
        let heights = &mut packed.heights[batch.range()];
        let slips = &mut packed.slips[batch.slips()];
        let mut grip = packed.grips.get_mut(batch.grip as usize);
        let kept = stays && responses.keep(batch.response);
        if kept && own {
            if let Some(grip) = &mut grip {
                // As it is stored.
                V3(grip.whole::<S>(batch, points)).store(&mut grip.impulse);
            }
            center::<S>(batch, points, heights, grip, (&responses, masses));
            continue;
        }
        let eight = eight(set, &batch.manifolds, &idle);
        let loads = load::<S>(eight, slips, &mut grip, S::splat(terms.scale));
        if kept {
            for (p, load) in points.iter_mut().zip(loads) {
                let live = S::gt(S::load(&p.inverse), S::zero());
                S::select(live, load, S::zero()).store(&mut p.impulse);
            }
            center::<S>(batch, points, heights, grip, (&responses, masses));
            continue;
        }
        let head = head::<S>(batch, set, eight);
        let axes = Axes::of(batch);
        let places = places::<S>(&axes, eight, points.len());
        let near = S::gt(S::splat(0.5), head.near);
        let apart = axes.along(head.apart);
        let [a, b] = places[0].arms(near, apart);
        a.store(&mut batch.arm[0]);
        b.store(&mut batch.arm[1]);
        for (k, (p, at)) in points.iter_mut().zip(heights.iter_mut()).enumerate() {
            let live = S::gt(head.counts, S::splat(k as f64));
            let from = places[k].from(&places[0], near);
            places[k].gap.store(&mut at.gap);
            put(p, at, V3::select(live, from, V3([S::zero(); 3])));
            // Marks the point as one; becomes its effective mass.
            S::select(live, S::splat(1.0), S::zero()).store(&mut p.inverse);
            S::select(live, loads[k], S::zero()).store(&mut p.impulse);
        }
        let levers = weigh::<S>(batch, &mut responses, &terms.soft, masses);
        prepare(batch, points, heights, slips, grip, &levers);
    }
    responses.end();
}

/// Whether a batch [is kept](is_kept), if there is one. What will be asked of its manifolds, which lie far apart in memory,
/// is fetched: their impulses unless they are its `own`, and the rest if it is not kept.
#[inline(always)]
fn look_ahead<W: Stored>(
    batch: Option<&Batch<W>>,
    set: &Contacts,
    masses: Masses,
    own: bool,
) -> bool {
    let Some(batch) = batch else {
        return true;
    };
    let kept = is_kept(batch, set, masses);
    if kept && own {
        return true;
    }
    for number in batch.manifolds {
        if let Some(m) = set.manifolds.get(number as usize) {
            fetch(m.loads());
            if !kept {
                fetch(m.places());
            }
        }
    }
    kept
}

/// Whether all that a batch holds is what it was, but for the impulses, if its response is.
#[inline(always)]
fn is_kept<W: Stored>(batch: &Batch<W>, set: &Contacts, masses: Masses) -> bool {
    let kept = |lane: usize| {
        let (manifold, bodies) = (
            batch.manifolds[lane],
            two!(|s| batch.bodies[s][lane].line()),
        );
        manifold == NONE || masses.keep(set, manifold, bodies)
    };
    (0..LANES).all(kept)
}

/// Prepares the friction of a batch that is what it was, for the impulses that there are.
#[inline(always)]
fn center<S: AllLanes>(
    batch: &Batch<S::Stored>,
    points: &mut [Point<S::Stored>],
    heights: &[Height<S::Stored>],
    grip: Option<&mut Grip<S::Stored>>,
    (responses, masses): (&Responses<S::Stored>, Masses),
) {
    for p in points.iter_mut() {
        (p.bias, p.give) = Default::default();
    }
    if let Some(grip) = grip {
        let levers = match responses.of(batch) {
            Some(response) => Levers::new(batch, response),
            None => Levers::round(&Pair::<S>::gather(
                masses.vel,
                Within::both(&batch.bodies, masses.vel),
            )),
        };
        grip.prepare(&levers, batch, (points, heights));
    }
}

/// Soft step and inertia of a batch.
#[inline(always)]
fn weigh<S: AllLanes>(
    batch: &mut Batch<S::Stored>,
    responses: &mut Responses<S::Stored>,
    soft: &[Soft; 2],
    masses: Masses,
) -> Levers<S> {
    let pair = Pair::<S>::gather(masses.vel, Within::both(&batch.bodies, masses.vel));
    if pair.is_round() {
        batch.response = NONE;
        let moves = two!(|s| S::gt(pair.mass(s).max(pair.moment(s)), S::zero()));
        soften::<S>(batch, soft, moves);
        return Levers::round(&pair);
    }
    let mass = Mass::<S>::both(masses.inv, masses.vel, &batch.bodies);
    soften::<S>(batch, soft, two!(|s| mass[s].moves()));
    let mut response = Response::default();
    response.set(&Axes::of(batch), &mass);
    let levers = Levers::new(batch, &response);
    batch.response = responses.add(response);
    levers
}

#[inline(always)]
fn eight<'a>(
    set: Contacts<'a>,
    numbers: &[u32; LANES],
    idle: &'a Manifold,
) -> [&'a Manifold; LANES] {
    let mut out = [idle; LANES];
    for (to, number) in out.iter_mut().zip(numbers) {
        *to = set.manifolds.get(*number as usize).unwrap_or(idle);
    }
    out
}

/// What the points of a manifold have in common and a batch does not keep.
struct Head<S> {
    counts: S,
    /// Side that arms are counted from.
    near: S,
    /// From a to b (m, world).
    apart: V3<S>,
}

/// Fills in what the points of a manifold have in common.
#[inline(always)]
fn head<S: AllLanes>(
    batch: &mut Batch<S::Stored>,
    set: Contacts,
    eight: [&Manifold; LANES],
) -> Head<S> {
    let [mut counts, mut near] = [S::Stored::default(); 2];
    let mut belt = Wide3::<S::Stored>::default();
    for (lane, m) in eight.into_iter().enumerate() {
        if m.count > 0 {
            batch.law = m.law;
        }
        counts.set(lane, f64::from(m.count));
        near.set(lane, f64::from(m.near));
        if m.surface > 0 {
            let wanted = set.belt(m);
            for c in 0..3 {
                belt[c].set(lane, wanted[c]);
            }
        }
    }
    let [nx, ny, nz, ..] = columns::<S>(eight, Manifold::loads, 0);
    let [mu, dx, dy, dz, ..] = columns::<S>(eight, Manifold::places, 0);
    let mu = match batch.law {
        FrictionLaw::None => S::zero(),
        _ => mu,
    };
    mu.store(&mut batch.mu);
    let (n, belt) = (V3([nx, ny, nz]), V3::load(&belt));
    n.store(&mut batch.normal);
    let t = tangent(n);
    t.store(&mut batch.tangent);
    t.dot(belt).store(&mut batch.belt[0]);
    n.cross(t).dot(belt).store(&mut batch.belt[1]);
    Head {
        counts: S::load(&counts),
        near: S::load(&near),
        apart: V3([dx, dy, dz]),
    }
}

/// Eight numbers of each manifold, from one on.
#[inline(always)]
fn columns<S: AllLanes>(
    eight: [&Manifold; LANES],
    numbers: impl Fn(&Manifold) -> &[f64],
    from: usize,
) -> [S; LANES] {
    let mut rows = [S::zero(); LANES];
    for (row, m) in rows.iter_mut().zip(eight) {
        *row = S::read(&numbers(m)[from..]);
    }
    S::transposed(rows)
}

/// Where a point of all manifolds is: from the near body, along normal and tangents, and its gap (m).
#[derive(Clone, Copy)]
struct Place<S> {
    arm: V3<S>,
    gap: S,
}

/// Places of the first `points` points.
#[inline(always)]
fn places<S: AllLanes>(
    axes: &Axes<S>,
    eight: [&Manifold; LANES],
    points: usize,
) -> [Place<S>; MAX_POINTS] {
    const TWO: usize = LANES / NUMBERS;
    let mut out = [Place {
        arm: V3([S::zero(); 3]),
        gap: S::zero(),
    }; MAX_POINTS];
    for first in (0..points).step_by(TWO) {
        let from = COMMON + NUMBERS * first;
        let [x, y, z, gap, u, v, w, next] = columns::<S>(eight, Manifold::places, from);
        out[first] = Place {
            arm: axes.along(V3([x, y, z])),
            gap,
        };
        out[first + 1] = Place {
            arm: axes.along(V3([u, v, w])),
            gap: next,
        };
    }
    out
}

impl<S: Simd> Place<S> {
    /// Arms of both bodies, which are `apart`; a is `near` in the lanes that say so.
    #[inline(always)]
    fn arms(&self, near: S::Mask, apart: V3<S>) -> [V3<S>; 2] {
        let V3([n, t, u]) = V3([S::zero(); 3]).sub(apart);
        let across = V3([n.add(self.gap), t, u]);
        let (before, after) = (self.arm.sub(across), self.arm.add(across));
        [
            V3::select(near, self.arm, before),
            V3::select(near, after, self.arm),
        ]
    }

    /// The way from the first point on the surface of a.
    #[inline(always)]
    fn from(&self, first: &Self, near: S::Mask) -> V3<S> {
        let by_a = self.arm.sub(first.arm);
        let V3([n, t, u]) = by_a;
        let by_b = V3([n.sub(self.gap.sub(first.gap)), t, u]);
        V3::select(near, by_a, by_b)
    }
}

/// Writes where the point of all manifolds is from the first.
#[inline(always)]
fn put<S: Simd>(p: &mut Point<S::Stored>, at: &mut Height<S::Stored>, from: V3<S>) {
    let [n, t, u] = from.0;
    n.store(&mut at.rise);
    t.store(&mut p.across[0]);
    u.store(&mut p.across[1]);
    (p.bias, p.give) = Default::default();
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::simd::{Narrow, Place, Wide};
    use super::*;
    use crate::lanes::{Line, Soft};
    use crate::lanes::{Width, assert_same_at_every_width};
    use glam::DVec3;
    use rb_core::anchor::Anchored;
    use rb_core::manifold::{ContactMaterial, Impulses};
    use rb_core::params::{FrictionAt, Precision};

    fn number(k: usize) -> f64 {
        (1.7 * k as f64 + 0.3).sin()
    }

    fn vector(k: usize) -> DVec3 {
        DVec3::new(number(k), number(k + 1), number(k + 2))
    }

    /// Manifolds of one to four points.
    fn manifolds() -> Vec<Manifold> {
        let point = |at: usize, normal: DVec3, way: DVec3| {
            let (arm, gap) = (vector(at), 1e-3 * number(at + 6));
            let arm = [arm, arm + normal * gap - way];
            Anchored { arm, gap }
        };
        let manifold = |i: usize| {
            let (normal, way) = (vector(i).normalize(), vector(7 * i));
            let place = |k: usize| point(40 * i + 7 * k, normal, way);
            let mut m = Manifold {
                normal,
                friction: 0.4,
                surface: i as u32 % 3,
                ..Manifold::default()
            };
            m.set_points((0..=i % 4).map(|k| (k as u32, place(k))));
            let points = core::array::from_fn(|k| vector(50 * i + 3 * k).abs().to_array());
            let spin = vector(3 * i);
            m.set_impulses(&Impulses::Each { points, spin });
            if i % 3 == 1 {
                m.set_impulses(&Impulses::Whole(m.whole()));
            }
            m
        };
        (0..13).map(manifold).collect()
    }

    /// Everything that two batches of these hold, idle lanes among them, with friction as one and without.
    fn packed<W: Stored>(manifolds: &[Manifold], width: Width) -> Packed<W> {
        let belt = |k: usize| ContactMaterial {
            surface_velocity: vector(5 * k),
            ..ContactMaterial::default()
        };
        let materials = &[belt(0), belt(1)];
        let set = Contacts {
            manifolds,
            materials,
            fresh: &[],
        };
        let mut packed = Packed::<W>::default();
        for (first, grip) in [(0, NONE), (5, 0)] {
            let lane = |k: usize| if k == 3 { NONE } else { (first + k) as u32 };
            packed.batches.push(Batch {
                manifolds: core::array::from_fn(lane),
                bodies: [0, 1]
                    .map(|s| core::array::from_fn(|k| Place::new((first + 2 * k + s) as u32))),
                len: MAX_POINTS as u32,
                grip,
                ..Batch::idle(0)
            });
        }
        packed.number(0);
        let lines = |from: usize| -> Vec<Line> {
            let line = |i: usize| Wide(core::array::from_fn(|k| number(8 * i + k + from).abs()));
            (0..21).map(line).collect()
        };
        let (inv, mut vel) = (lines(100), lines(300));
        // The bodies of the second batch are not all round.
        vel[20].0[7] = -1.0;
        let masses = Masses {
            inv: &inv,
            vel: &vel,
            other: &[false; 21],
            movable: 21,
            nobody: 0,
        };
        let soft = |rate: f64| Soft { rate, reg: 0.2 };
        let terms = Terms {
            soft: [soft(80.0), soft(160.0)],
            friction: FrictionAt::Manifold,
            scale: 0.9,
            precision: Precision::default(),
            step: 0,
        };
        match width {
            Width::Avx512 => fill::<W::Avx512>(&mut packed, set, &terms, masses, false),
            Width::Avx2 => fill::<W::Avx2>(&mut packed, set, &terms, masses, false),
            Width::Plain => fill::<W::Plain>(&mut packed, set, &terms, masses, false),
        }
        packed
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let set = manifolds();
        assert_same_at_every_width("double", |width| packed::<Wide>(&set, width));
        assert_same_at_every_width("single", |width| packed::<Narrow>(&set, width));
    }
}

//! The sweep: eight contacts at once, with the widest instructions the machine has.

use super::pack::{Batch, ContactLanes, Points};
use super::terms::WideMass;
use super::wide::{Wide, Wide3};
use glam::DVec2;
use rb_core::contact_block::LANES;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;
use rb_core::math::Twist;
use rb_core::problem::{Pass, ProblemBody};

/// As in [`crate::local`].
const NEWTON_ROUNDS: usize = 12;
const LONGEST_TURN: f64 = 0.5;
const TURN: f64 = 1e-14;
const PROJECTIONS: usize = 32;

impl ContactLanes {
    /// Adds W Jᵀλ of all contacts to the velocities.
    pub fn warm(&self, bodies: &mut [ProblemBody]) {
        for batch in &self.batches {
            let mut two = Two::gather(bodies, batch);
            for p in &self.points[batch.range()] {
                two.push(p, batch.world(p.impulse));
            }
            two.scatter(bodies, batch);
        }
    }

    /// Visits every contact once; returns the largest change (m/s).
    pub fn sweep(&mut self, bodies: &mut [ProblemBody], pass: Pass, backwards: bool) -> f64 {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                #[allow(
                    unsafe_code,
                    reason = "the machine has been asked for the instructions"
                )]
                // SAFETY: the processor has AVX-512F, which was just detected.
                return unsafe { sweep_512(self, bodies, pass, backwards) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                #[allow(
                    unsafe_code,
                    reason = "the machine has been asked for the instructions"
                )]
                // SAFETY: the processor has AVX2, which was just detected.
                return unsafe { sweep_256(self, bodies, pass, backwards) };
            }
        }
        sweep(self, bodies, pass, backwards)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn sweep_512(all: &mut ContactLanes, bodies: &mut [ProblemBody], pass: Pass, back: bool) -> f64 {
    sweep(all, bodies, pass, back)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sweep_256(all: &mut ContactLanes, bodies: &mut [ProblemBody], pass: Pass, back: bool) -> f64 {
    sweep(all, bodies, pass, back)
}

#[inline(always)]
fn sweep(all: &mut ContactLanes, bodies: &mut [ProblemBody], pass: Pass, backwards: bool) -> f64 {
    let mut change = Wide::ZERO;
    let count = all.batches.len();
    for k in 0..count {
        let batch = &all.batches[if backwards { count - 1 - k } else { k }];
        let mut two = Two::gather(bodies, batch);
        let points = &mut all.points[batch.range()];
        let len = points.len();
        for k in 0..len {
            let p = &mut points[if backwards { len - 1 - k } else { k }];
            change = change.max(visit(batch, p, &mut two, pass));
        }
        two.scatter(bodies, batch);
    }
    change.largest()
}

/// Velocities of the two bodies of eight manifolds.
struct Two<'a> {
    lin: [Wide3; 2],
    ang: [Wide3; 2],
    mass: &'a [WideMass; 2],
}

impl<'a> Two<'a> {
    #[inline(always)]
    fn gather(bodies: &[ProblemBody], batch: &'a Batch) -> Self {
        let mut two = Self {
            lin: [Wide3::ZERO; 2],
            ang: [Wide3::ZERO; 2],
            mass: &batch.mass,
        };
        for side in 0..2 {
            for lane in 0..LANES {
                if let Some(b) = bodies.get(batch.bodies[side][lane] as usize) {
                    two.lin[side].set(lane, b.vel.lin);
                    two.ang[side].set(lane, b.vel.ang);
                }
            }
        }
        two
    }

    #[inline(always)]
    fn scatter(&self, bodies: &mut [ProblemBody], batch: &Batch) {
        for side in 0..2 {
            for lane in 0..LANES {
                if let Some(b) = bodies.get_mut(batch.bodies[side][lane] as usize) {
                    b.vel = Twist::new(self.lin[side].get(lane), self.ang[side].get(lane));
                }
            }
        }
    }

    /// Velocity of b relative to a at a point.
    #[inline(always)]
    fn slip(&self, p: &Points) -> Wide3 {
        let at = |side: usize| self.lin[side] + self.ang[side].cross(p.arm[side]);
        at(1) - at(0)
    }

    /// An impulse on b, and its opposite on a.
    #[inline(always)]
    fn push(&mut self, p: &Points, impulse: Wide3) {
        self.lin[0] = self.lin[0] - self.mass[0].lin.times(impulse);
        self.lin[1] = self.lin[1] + self.mass[1].lin.times(impulse);
        self.ang[0] = self.ang[0] - self.mass[0].ang.times(p.arm[0].cross(impulse));
        self.ang[1] = self.ang[1] + self.mass[1].ang.times(p.arm[1].cross(impulse));
    }
}

impl Batch {
    #[inline(always)]
    fn range(&self) -> core::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }

    /// A vector along the contact axes in world axes.
    #[inline(always)]
    fn world(&self, v: [Wide; 3]) -> Wide3 {
        self.axes[0].scaled(v[0]) + self.axes[1].scaled(v[1]) + self.axes[2].scaled(v[2])
    }
}

#[inline(always)]
fn visit(batch: &Batch, p: &mut Points, two: &mut Two, pass: Pass) -> Wide {
    let slip = two.slip(p);
    let old = p.impulse;
    let (bias, reg) = match pass {
        Pass::Position => (p.bias[0], p.reg[0]),
        Pass::Velocity => (p.bias[1], p.reg[1]),
    };
    let [n, x, y] = old;
    let ([cx, cy], [tx, ty, txy]) = (p.cross, p.tangent);
    let q = [
        batch.axes[0].dot(slip) + bias - p.normal * n - cx * x - cy * y,
        batch.axes[1].dot(slip) - batch.belt[0] - cx * n - tx * x - txy * y,
        batch.axes[2].dot(slip) - batch.belt[1] - cy * n - txy * x - ty * y,
    ];
    let new = one_contact(batch, p, reg, q, old);
    let delta = [new[0] - n, new[1] - x, new[2] - y];
    let change = (delta[0].abs() * p.normal)
        .max(delta[1].abs() * tx)
        .max(delta[2].abs() * ty);
    two.push(p, batch.world(delta));
    p.impulse = new;
    change
}

/// One contact alone in every lane, as [`crate::local`] solves it.
#[inline(always)]
fn one_contact(batch: &Batch, p: &Points, reg: Wide, q: [Wide; 3], old: [Wide; 3]) -> [Wide; 3] {
    let zero = Wide::ZERO;
    let [cx, cy] = p.cross;
    let [ix, iy, ixy] = p.inverse;
    let (gx, gy) = (ix * cx + ixy * cy, ixy * cx + iy * cy);
    let stiff = p.normal + reg;
    let s = stiff - cx * gx - cy * gy;
    let regular = s.at_least(Wide::splat(1e-12) * stiff) * (ix + iy).at_least(Wide::splat(1e-300));
    let n = -(q[0] - gx * q[1] - gy * q[2]) / s;
    let x = -(ix * q[1] + ixy * q[2]) - gx * n;
    let y = -(ixy * q[1] + iy * q[2]) - gy * n;
    let (n, x, y) = (
        regular.pick(n, old[0]),
        regular.pick(x, old[1]),
        regular.pick(y, old[2]),
    );
    let [px, py] = project(batch, x, y, n.max(zero));
    let sticks = regular * n.at_least(zero) * inside(x, y, px, py);
    if all(sticks) {
        return [n, x, y];
    }
    let (mut done, mut out) = (sticks, [n, x, y]);
    if batch.law == FrictionLaw::Conic {
        let (found, slide) = slide(batch.mu, p, stiff, q, [x, y]);
        out = [0, 1, 2].map(|k| sticks.pick(out[k], slide[k]));
        done = sticks.max(found);
    }
    if all(done) {
        return out;
    }
    let turns = take_turns(batch, p, stiff, q, [px, py]);
    [0, 1, 2].map(|k| done.pick(out[k], turns[k]))
}

/// Sliding on the cone by Newton's method for the direction; 1 where it was found.
#[inline(always)]
fn slide(mu: Wide, p: &Points, stiff: Wide, q: [Wide; 3], start: [Wide; 2]) -> (Wide, [Wide; 3]) {
    let (zero, one) = (Wide::ZERO, Wide::splat(1.0));
    let ([cx, cy], [tx, ty, txy]) = (p.cross, p.tangent);
    let [mut dx, mut dy] = unit(start);
    let (mut n, mut found, mut failed) = (zero, zero, zero);
    for _ in 0..NEWTON_ROUNDS {
        let k = stiff + mu * (cx * dx + cy * dy);
        n = -q[0] / k;
        let (gx, gy) = (
            cx + (tx * dx + txy * dy) * mu,
            cy + (txy * dx + ty * dy) * mu,
        );
        let (wx, wy) = (q[1] + gx * n, q[2] + gy * n);
        let (ex, ey) = (-dy, dx);
        let less = -n * mu * (cx * ex + cy * ey) / k;
        let load = mu * n;
        let hx = gx * less + (tx * ex + txy * ey) * load;
        let hy = gy * less + (txy * ex + ty * ey) * load;
        let along = dx * wx + dy * wy;
        let slope = ex * hx + ey * hy - along;
        let turn = -(ex * wx + ey * wy) / slope;
        let small = Wide::splat(TURN).at_least(turn.abs());
        found = small * zero.at_least(along) * k.at_least(Wide::splat(1e-300));
        // Whatever is not a number compares as no.
        failed = one - slope.at_least(Wide::splat(1e-300)) * k.at_least(Wide::splat(1e-300));
        if all(small.max(failed)) {
            break;
        }
        let longest = Wide::splat(LONGEST_TURN);
        let turn = small
            .max(failed)
            .pick(zero, turn.max(-longest).min(longest));
        [dx, dy] = unit([dx + ex * turn, dy + ey * turn]);
    }
    let opens = q[0].at_least(zero);
    let load = mu * n;
    let out = [n, load * dx, load * dy].map(|v| opens.pick(zero, v));
    (opens.max(found * (one - failed)), out)
}

/// Unit vectors; what has no direction becomes something that is no number.
#[inline(always)]
fn unit([x, y]: [Wide; 2]) -> [Wide; 2] {
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

/// Normal and tangents in turn.
#[inline(always)]
fn take_turns(batch: &Batch, p: &Points, stiff: Wide, q: [Wide; 3], start: [Wide; 2]) -> [Wide; 3] {
    let ([cx, cy], [tx, ty, txy]) = (p.cross, p.tangent);
    // Idle lanes have T = 0; the bound keeps 0 · ρ a number.
    let rho = Wide::splat(1.0) / (tx + ty).max(Wide::splat(1e-300));
    let ([mut x, mut y], mut n) = (start, Wide::ZERO);
    for _ in 0..PROJECTIONS {
        n = (-(q[0] + cx * x + cy * y) / stiff).max(Wide::ZERO);
        let wx = q[1] + cx * n + tx * x + txy * y;
        let wy = q[2] + cy * n + txy * x + ty * y;
        let before = [x, y];
        [x, y] = project(batch, x - wx * rho, y - wy * rho, n);
        let change = (x - before[0]).abs() + (y - before[1]).abs();
        if all((Wide::splat(1e-14) * n).at_least(change)) {
            break;
        }
    }
    [n, x, y]
}

#[inline(always)]
fn all(yes: Wide) -> bool {
    yes.0.iter().all(|x| *x != 0.0)
}

/// 1 where projecting changed nothing.
#[inline(always)]
fn inside(x: Wide, y: Wide, px: Wide, py: Wide) -> Wide {
    Wide::ZERO.at_least((x - px).abs() + (y - py).abs())
}

/// Nearest point of μ n D.
#[inline(always)]
fn project(batch: &Batch, x: Wide, y: Wide, n: Wide) -> [Wide; 2] {
    let r = batch.mu * n;
    match batch.law {
        FrictionLaw::Boxed => [x.min(r).max(-r), y.min(r).max(-r)],
        FrictionLaw::Pyramid => diamond(batch.mu, x, y, n),
        _ => {
            let length = (x * x + y * y).sqrt();
            let share = length.at_least(r).pick(
                r / length.max(Wide::splat(f64::MIN_POSITIVE)),
                Wide::splat(1.0),
            );
            [x * share, y * share]
        }
    }
}

/// The pyramid has no short formula: lane by lane.
fn diamond(mu: Wide, x: Wide, y: Wide, n: Wide) -> [Wide; 2] {
    let (mut px, mut py) = (x, y);
    for i in 0..LANES {
        let law = Law::Pyramid { mu: mu.0[i] };
        let t = law.project_tangent(DVec2::new(x.0[i], y.0[i]), n.0[i]);
        (px.0[i], py.0[i]) = (t.x, t.y);
    }
    [px, py]
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::{BodyMotion, LaneContact, LaneHead, LanePoint};
    use super::*;
    use glam::{DMat3, DVec3};
    use rb_core::discretise::Discretiser;
    use rb_core::manifold::ContactMaterial;
    use rb_core::mass::InvMass;
    use rb_core::math::tangents;
    use rb_core::params::Params;

    const BODIES: usize = 40;

    /// Bodies in a ring, each pressed against the next at two points, under one law.
    fn ring(law: FrictionLaw) -> (ContactLanes, Vec<ProblemBody>) {
        let vector = |k: f64| DVec3::new((1.3 * k).sin(), (2.1 * k).cos(), (0.7 * k).sin());
        let body = |i: usize| ProblemBody {
            vel: Twist::new(vector(i as f64), vector(i as f64 + 0.5)),
            inv: InvMass {
                lin: DVec3::splat(1.0),
                ang: DMat3::from_diagonal(DVec3::new(3.0, 4.0, 5.0)),
            },
            ..ProblemBody::default()
        };
        let bodies: Vec<ProblemBody> = (0..BODIES).map(body).collect();
        let head = |i: usize| LaneHead {
            bodies: [i as u32, ((i + 1) % BODIES) as u32],
            movable: [true; 2],
            points: 2,
            material: ContactMaterial {
                law,
                friction: 0.4,
                ..ContactMaterial::default()
            },
        };
        let contact = |i: usize| {
            let n = vector(0.3 * i as f64).normalize();
            let [t, u] = tangents(n);
            let point = |k: usize| LanePoint {
                arm: [
                    vector((i + k) as f64) * 0.2,
                    vector((i + 3 * k) as f64) * 0.2,
                ],
                ..LanePoint::default()
            };
            LaneContact {
                head: head(i),
                axes: [n, t, u],
                points: (0..2).map(point).collect(),
            }
        };
        let mut lanes = ContactLanes::default();
        lanes.pack(BODIES, (0..BODIES).map(head), contact);
        let numbers = Discretiser::new(&Params::game(), 1.0 / 240.0);
        lanes.pose(&[BodyMotion::default(); BODIES], &bodies, &numbers);
        (lanes, bodies)
    }

    type Sweep = fn(&mut ContactLanes, &mut [ProblemBody], Pass, bool) -> f64;

    fn bits(law: FrictionLaw, sweep: Sweep) -> Vec<u64> {
        let (mut lanes, mut bodies) = ring(law);
        for k in 0..20 {
            sweep(&mut lanes, &mut bodies, Pass::Velocity, k % 2 == 1);
        }
        let parts = bodies.iter().flat_map(|b| [b.vel.lin, b.vel.ang]);
        parts.flat_map(|v| v.to_array().map(f64::to_bits)).collect()
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        for law in [
            FrictionLaw::None,
            FrictionLaw::Boxed,
            FrictionLaw::Pyramid,
            FrictionLaw::Conic,
        ] {
            let plain = bits(law, sweep);
            assert_ne!(plain, bits(law, |_, _, _, _| 0.0), "{law:?}: nothing moved");
            if std::arch::is_x86_feature_detected!("avx2") {
                #[allow(
                    unsafe_code,
                    reason = "the machine has been asked for the instructions"
                )]
                // SAFETY: the processor has AVX2, which was just detected.
                let wide: Sweep = |l, b, p, back| unsafe { sweep_256(l, b, p, back) };
                assert_eq!(plain, bits(law, wide), "{law:?}: AVX2");
            }
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                #[allow(
                    unsafe_code,
                    reason = "the machine has been asked for the instructions"
                )]
                // SAFETY: the processor has all three parts of AVX-512, which was just detected.
                let wide: Sweep = |l, b, p, back| unsafe { sweep_512(l, b, p, back) };
                assert_eq!(plain, bits(law, wide), "{law:?}: AVX-512");
            }
        }
    }
}

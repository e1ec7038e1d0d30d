//! Problems of islands made by hand: stacks, chains, loops, a robot, random mixtures.

use glam::{DMat3, DVec3};
use rb_core::law::Law;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Problem, ProblemBody, ProblemRow, Source, Term};

/// Step (s) and gravity (m/s²) behind the free velocities.
const H: f64 = 0.01;
const G: f64 = 9.81;

/// An island under construction; body 0 is the ground.
pub(crate) struct Builder {
    pub(crate) problem: Problem,
    centres: Vec<DVec3>,
    joints: u32,
    contacts: u32,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let mut problem = Problem::default();
        problem.bodies.push(ProblemBody::default());
        Self {
            problem,
            centres: vec![DVec3::ZERO],
            joints: 0,
            contacts: 0,
        }
    }

    /// A cube of side 1 at rest under gravity along `down`.
    pub(crate) fn cube(&mut self, mass: f64, centre: DVec3, down: DVec3) -> u32 {
        let inv = InvMass {
            lin: DVec3::splat(1.0 / mass),
            ang: DMat3::from_diagonal(DVec3::splat(6.0 / mass)),
        };
        self.problem.bodies.push(ProblemBody {
            free: Twist::new(down * (G * H), DVec3::ZERO),
            vel: Twist::ZERO,
            inv,
            extent: 0.87,
        });
        self.centres.push(centre);
        self.centres.len() as u32 - 1
    }

    /// J of b relative to a along `axis` at a point.
    fn along(&self, [a, b]: [u32; 2], point: DVec3, axis: DVec3) -> [Twist; 2] {
        let arm = |i: u32| point - self.centres[i as usize];
        [
            Twist::new(-axis, -arm(a).cross(axis)),
            Twist::new(axis, arm(b).cross(axis)),
        ]
    }

    fn row(jac: [Twist; 2], bias: f64, lo: f64, hi: f64) -> ProblemRow {
        let term = Term { bias, reg: 0.0 };
        ProblemRow {
            jac,
            position: term,
            velocity: term,
            lo,
            hi,
            ..ProblemRow::default()
        }
    }

    pub(crate) fn contact(&mut self, bodies: [u32; 2], point: DVec3, bias: f64, law: Law) {
        let inf = f64::INFINITY;
        let axes = [DVec3::Y, DVec3::X, DVec3::Z];
        let rows: Vec<_> = axes
            .iter()
            .enumerate()
            .map(|(k, &axis)| {
                let lo = if k == 0 { 0.0 } else { -inf };
                let bias = if k == 0 { bias } else { 0.0 };
                Self::row(self.along(bodies, point, axis), bias, lo, inf)
            })
            .collect();
        let used = if law == Law::Rows { 1 } else { 3 };
        let source = Source::Contact {
            manifold: self.contacts,
            point: 0,
        };
        self.contacts += 1;
        self.problem.push_block(bodies, law, source, &rows[..used]);
    }

    /// A hinge about z with extra rows about its axis, or a weld.
    pub(crate) fn joint(
        &mut self,
        bodies: [u32; 2],
        point: DVec3,
        weld: bool,
        extra: &[ProblemRow],
    ) {
        let inf = f64::INFINITY;
        let mut rows = Vec::new();
        for axis in DVec3::AXES {
            rows.push(Self::row(self.along(bodies, point, axis), 0.0, -inf, inf));
        }
        for axis in &DVec3::AXES[..if weld { 3 } else { 2 }] {
            rows.push(Self::row(Self::about(*axis), 0.0, -inf, inf));
        }
        rows.extend_from_slice(extra);
        let source = Source::Joint(self.joints);
        self.joints += 1;
        self.problem.push_block(bodies, Law::Rows, source, &rows);
    }

    fn about(axis: DVec3) -> [Twist; 2] {
        [
            Twist::new(DVec3::ZERO, -axis),
            Twist::new(DVec3::ZERO, axis),
        ]
    }

    /// A motor about z with a speed and an impulse limit.
    pub(crate) fn motor(speed: f64, limit: f64) -> ProblemRow {
        Self::row(Self::about(DVec3::Z), -speed, -limit, limit)
    }

    /// A limit about z with what is left of the way (rad/s until it is reached).
    pub(crate) fn limit(bias: f64) -> ProblemRow {
        Self::row(Self::about(DVec3::Z), bias, 0.0, f64::INFINITY)
    }

    /// A spring about z.
    pub(crate) fn spring(bias: f64, reg: f64) -> ProblemRow {
        let mut row = Self::row(
            Self::about(DVec3::Z),
            bias,
            f64::NEG_INFINITY,
            f64::INFINITY,
        );
        row.velocity.reg = reg;
        row
    }
}

/// Cubes on the ground, four contacts each, gravity tilted; the topmost `ratio` times as heavy.
pub(crate) fn box_stack(boxes: usize, law: Law, tilt: f64, ratio: f64) -> Problem {
    let mut b = Builder::new();
    let down = DVec3::new(tilt.sin(), -tilt.cos(), 0.0);
    for k in 0..boxes {
        let mass = if k + 1 == boxes { ratio } else { 1.0 };
        let y = k as f64;
        let body = b.cube(mass, DVec3::new(0.0, y + 0.5, 0.0), down);
        for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            b.contact([body - 1, body], DVec3::new(x, y, z), 0.0, law);
        }
    }
    b.problem
}

/// Hinged links along x from the ground, the last `ratio` times as heavy; motors, limits and springs
/// in turn.
pub(crate) fn chain(links: usize, ratio: f64) -> Problem {
    let mut b = Builder::new();
    for k in 0..links {
        let mass = if k + 1 == links { ratio } else { 1.0 };
        let x = k as f64;
        let body = b.cube(mass, DVec3::new(x + 0.5, 0.0, 0.0), DVec3::NEG_Y);
        let extra = match k % 4 {
            0 => vec![Builder::motor(0.5, 0.02)],
            1 => vec![Builder::limit(0.01)],
            2 => vec![Builder::spring(0.1, 2.0)],
            _ => vec![],
        };
        b.joint([body - 1, body], DVec3::new(x, 0.0, 0.0), false, &extra);
    }
    b.problem
}

/// A ring of welds, one of them twice, hung from the ground at two places.
pub(crate) fn welded_ring(bodies: usize) -> Problem {
    let mut b = Builder::new();
    let at = |k: usize| {
        let a = k as f64 / bodies as f64 * std::f64::consts::TAU;
        DVec3::new(2.0 * a.cos(), 2.0 * a.sin(), 0.0)
    };
    for k in 0..bodies {
        b.cube(1.0 + k as f64, at(k), DVec3::NEG_Y);
    }
    for k in 0..bodies {
        let next = (k + 1) % bodies;
        let pair = [k as u32 + 1, next as u32 + 1];
        b.joint(pair, (at(k) + at(next)) * 0.5, true, &[]);
    }
    b.joint([1, 2], at(0), true, &[]);
    b.joint([0, 1], at(0), false, &[]);
    b.joint([0, 5], at(0), false, &[]);
    b.problem
}

/// A trunk on four legs of three motorised hinges each, every foot on the ground.
pub(crate) fn quadruped(law: Law) -> Problem {
    let mut b = Builder::new();
    let trunk = b.cube(10.0, DVec3::new(0.0, 0.6, 0.0), DVec3::NEG_Y);
    for (x, z) in [(-0.4, -0.2), (0.4, -0.2), (0.4, 0.2), (-0.4, 0.2)] {
        let mut parent = trunk;
        for link in 0..3 {
            let y = 0.6 - 0.2 * f64::from(link);
            let bent = if link == 1 { 0.05 } else { 0.0 };
            let at = DVec3::new(x + bent, y, z);
            let body = b.cube(0.5, at - DVec3::Y * 0.1, DVec3::NEG_Y);
            let motor = Builder::motor(0.3 * f64::from(link) - 0.2, 0.08);
            b.joint([parent, body], at, false, &[motor]);
            parent = body;
        }
        b.contact([0, parent], DVec3::new(x + 0.02, 0.0, z), 0.0, law);
    }
    b.problem
}

/// Bodies, joints and contacts at random.
pub(crate) fn random_island(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut b = Builder::new();
    let n = 3 + (random.next() * 12.0) as u32;
    for _ in 0..n {
        let centre = random.vector() * 2.0;
        let mass = 10f64.powf(2.0 * random.next() - 1.0);
        let down = (DVec3::NEG_Y + random.vector() * 3.0).clamp_length_max(5.0);
        b.cube(mass, centre, down);
    }
    let laws = [
        Law::Cone { mu: 0.6 },
        Law::Boxed { mu: 0.4 },
        Law::Pyramid { mu: 0.7 },
        Law::Rows,
    ];
    for k in 0..2 * n {
        let a = (random.next() * f64::from(n + 1)) as u32;
        let c = (random.next() * f64::from(n + 1)) as u32;
        if a == c {
            continue;
        }
        let point = random.vector() * 2.0;
        if k % 3 == 0 {
            let extra = [
                Builder::motor(random.next(), 0.05),
                Builder::limit(0.1 * random.next()),
            ];
            b.joint([a, c], point, false, &extra[..(k % 2) as usize + 1]);
        } else {
            b.contact([a, c], point, 0.1 * random.next(), laws[(k % 4) as usize]);
        }
    }
    b.problem
}

/// A small generator of numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) + 12345)
    }

    /// In [0, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [−½, ½)³.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next()) - 0.5
    }
}

//! Contact scenes built from bodies, for tests: Delassus matrix and free velocities.

#![allow(dead_code, reason = "each test uses its part")]

use glam::DVec3;
use rb_solve::linalg::matrix::Matrix;

/// Step (s) over which gravity acts before the solve.
pub(crate) const STEP: f64 = 0.01;

/// A box of uniform density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Centre (m).
    pub(crate) centre: DVec3,
    /// Mass (kg).
    pub(crate) mass: f64,
    /// Half edges (m).
    pub(crate) half: DVec3,
    /// Velocity and angular velocity before the step.
    pub(crate) velocity: [DVec3; 2],
}

/// A contact point on `b`, against `a` or the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// Body beneath.
    pub(crate) a: Option<usize>,
    /// Body above.
    pub(crate) b: usize,
    /// Place (m).
    pub(crate) point: DVec3,
    /// From a to b.
    pub(crate) normal: DVec3,
    /// Distance (m).
    pub(crate) gap: f64,
}

/// A scene: y is up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// Bodies.
    pub(crate) bodies: Vec<Body>,
    /// Contacts.
    pub(crate) contacts: Vec<Contact>,
}

impl Scene {
    /// A tower of unit cubes, masses in geometric progression from 1 at the bottom to `ratio`.
    pub(crate) fn tower(cubes: usize, ratio: f64) -> Self {
        let mut scene = Self::default();
        for i in 0..cubes {
            let mass = ratio.powf(i as f64 / (cubes.max(2) - 1) as f64);
            let centre = DVec3::Y * (i as f64 + 0.5);
            scene.push_cube(centre, mass);
            for corner in corners(centre - DVec3::Y * 0.5, 0.5) {
                scene.push_contact(i.checked_sub(1), i, corner);
            }
        }
        scene
    }

    /// A wall of unit cubes, each on two of the row beneath.
    pub(crate) fn pyramid(rows: usize) -> Self {
        let mut scene = Self::default();
        let mut below = 0;
        for row in 0..rows {
            let first = scene.bodies.len();
            for k in 0..rows - row {
                let centre = DVec3::new(k as f64 + 0.5 * row as f64, row as f64 + 0.5, 0.0);
                let b = scene.bodies.len();
                scene.push_cube(centre, 1.0);
                let foot = centre - DVec3::Y * 0.5;
                if row == 0 {
                    corners(foot, 0.5).for_each(|p| scene.push_contact(None, b, p));
                    continue;
                }
                for (side, a) in [(-0.25, below + k), (0.25, below + k + 1)] {
                    for p in corners(foot + DVec3::X * side, 0.25) {
                        let p = DVec3::new(p.x, p.y, 2.0 * p.z);
                        scene.push_contact(Some(a), b, p);
                    }
                }
            }
            below = first;
        }
        scene
    }

    /// Boxes of random size and mass up to `ratio`, touching at random.
    pub(crate) fn random(bodies: usize, contacts: usize, ratio: f64, random: &mut Random) -> Self {
        let mut scene = Self::default();
        for _ in 0..bodies {
            scene.bodies.push(Body {
                centre: random.vector() * 3.0,
                mass: ratio.powf(random.unit()),
                half: DVec3::new(random.unit(), random.unit(), random.unit()) * 0.7 + 0.3,
                velocity: [random.vector() * 1.7, random.vector() * 1.7],
            });
        }
        for _ in 0..contacts {
            let b = random.below(bodies);
            let a = random.below(bodies + 1).checked_sub(1).filter(|a| *a != b);
            scene.contacts.push(Contact {
                a,
                b,
                point: scene.bodies[b].centre + random.vector() * 0.8,
                normal: random.vector().normalize_or(DVec3::Y),
                gap: (random.unit() - 0.7).max(0.0) * 0.03,
            });
        }
        scene
    }

    /// Adds up to `speed` to every component of every velocity.
    pub(crate) fn disturb(mut self, speed: f64, random: &mut Random) -> Self {
        for body in &mut self.bodies {
            body.velocity = body.velocity.map(|v| v + random.vector() * speed);
        }
        self
    }

    /// Adds an impulse (N·s) to the last body.
    pub(crate) fn pushed(mut self, impulse: DVec3) -> Self {
        if let Some(body) = self.bodies.last_mut() {
            body.velocity[0] += impulse / body.mass;
        }
        self
    }

    fn push_cube(&mut self, centre: DVec3, mass: f64) {
        self.bodies.push(Body {
            centre,
            mass,
            half: DVec3::splat(0.5),
            velocity: [DVec3::ZERO; 2],
        });
    }

    fn push_contact(&mut self, a: Option<usize>, b: usize, point: DVec3) {
        self.contacts.push(Contact {
            a,
            b,
            point,
            normal: DVec3::Y,
            gap: 0.0,
        });
    }

    /// W and q over rows (n, t₁, t₂).
    pub(crate) fn delassus(&self) -> (Matrix, Vec<f64>) {
        let (rows, dofs) = (3 * self.contacts.len(), 6 * self.bodies.len());
        let mut jacobian = Matrix::zeros(rows, dofs);
        let (mut inverse, mut velocity) = (vec![0.0; dofs], vec![0.0; dofs]);
        for (i, body) in self.bodies.iter().enumerate() {
            let sizes = body.half * body.half;
            let inertia = (DVec3::splat(sizes.element_sum()) - sizes) * (body.mass / 3.0);
            let falling = body.velocity[0] - DVec3::Y * (9.81 * STEP);
            let (linear, angular) = (DVec3::splat(1.0 / body.mass), inertia.recip());
            for k in 0..3 {
                (inverse[6 * i + k], inverse[6 * i + 3 + k]) = (linear[k], angular[k]);
                (velocity[6 * i + k], velocity[6 * i + 3 + k]) = (falling[k], body.velocity[1][k]);
            }
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let (t1, t2) = contact.normal.any_orthonormal_pair();
            for (k, axis) in [contact.normal, t1, t2].into_iter().enumerate() {
                for (body, sign) in [(contact.a, -1.0), (Some(contact.b), 1.0)] {
                    let Some(body) = body else { continue };
                    let arm = contact.point - self.bodies[body].centre;
                    let row = &mut jacobian.row_mut(3 * c + k)[6 * body..6 * body + 6];
                    (axis * sign).write_to_slice(&mut row[..3]);
                    (arm.cross(axis) * sign).write_to_slice(&mut row[3..]);
                }
            }
        }
        let w = Matrix::from_fn(rows, rows, |i, j| {
            let terms = jacobian.row(i).iter().zip(jacobian.row(j)).zip(&inverse);
            terms.map(|((a, b), m)| a * b * m).sum()
        });
        let mut q = jacobian.apply(&velocity);
        for (c, contact) in self.contacts.iter().enumerate() {
            q[3 * c] += contact.gap / STEP;
        }
        (w, q)
    }
}

/// The corners of a horizontal square of half width `r`.
fn corners(centre: DVec3, r: f64) -> impl Iterator<Item = DVec3> {
    let signs = [(-r, -r), (-r, r), (r, -r), (r, r)];
    signs
        .into_iter()
        .map(move |(x, z)| centre + DVec3::new(x, 0.0, z))
}

/// Numbers that look random and are the same everywhere (xorshift, Marsaglia 2003).
pub(crate) struct Random(u64);

impl Random {
    /// A sequence by number.
    pub(crate) fn new(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9))
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// Components in [−1, 1).
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
}

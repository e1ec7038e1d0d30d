//! Joints that hold two points together and nothing else, solved exactly without rows.
//!
//! A pin is three equations along the world axes, so that vectors and 3 × 3 matrices do for what rows
//! do elsewhere. With the arms r to the point through which the impulse acts, R the matrix of r ×:
//!
//! ```text
//! w = (v_b + ω_b × r_b) − (v_a + ω_a × r_a) + b = 0,   impulse P on b and −P on a
//! A_kk = Σ 1/m + Rᵀ W R of both bodies;   A_ik = ±(1/m + R_iᵀ W R_k) of a body both hold
//! ```
//!
//! Block LDLᵀ in the order of [`Elimination`], as in `direct`; equations that repeat others, in a loop
//! of pins, are left at zero there as well.
//! Source: D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996.

use crate::direct::invert;
use glam::{DMat3, DVec3};
use rb_core::elimination::Elimination;
use rb_core::problem::ProblemBody;

/// One pin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pinned {
    /// Bodies a and b.
    pub bodies: [u32; 2],
    /// From their centres of mass to the point through which the impulse acts (m, world axes).
    pub arm: [DVec3; 2],
    /// b (m/s, world axes).
    pub bias: DVec3,
    /// Impulse on b: warm start in, solution out (N·s, world axes).
    pub impulse: DVec3,
}

/// Trees of pins.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// The pins, by their numbers.
    pub pins: Vec<Pinned>,
    /// W R of each side of each pin.
    turns: Vec<[DMat3; 2]>,
    /// By position: the diagonal block, then one block for each link.
    blocks: Vec<DMat3>,
    /// Diagonal of the system before elimination, by position.
    scales: Vec<DVec3>,
    /// Right-hand side, then solution, by position.
    solution: Vec<DVec3>,
}

impl Pins {
    /// Solves all pins and sets the velocities of the bodies.
    pub fn solve(&mut self, plan: &Elimination, bodies: &mut [ProblemBody]) {
        bodies.iter_mut().for_each(|b| b.vel = b.free);
        self.turns.clear();
        for (j, pin) in self.pins.iter().enumerate() {
            let [a, b] = pin.bodies;
            let turn = |body: u32, arm| turn(&bodies[body as usize].inv.ang, arm);
            self.turns.push([turn(a, pin.arm[0]), turn(b, pin.arm[1])]);
            push(pin, &self.turns[j], pin.impulse, bodies);
        }
        self.state(plan, bodies);
        self.factor(plan);
        self.substitute(plan);
        for (&j, &change) in plan.order.iter().zip(&self.solution) {
            let pin = &mut self.pins[j as usize];
            pin.impulse += change;
            push(pin, &self.turns[j as usize], change, bodies);
        }
    }

    /// The system at the present velocities.
    fn state(&mut self, plan: &Elimination, bodies: &[ProblemBody]) {
        self.solution.clear();
        self.blocks.clear();
        self.scales.clear();
        for (k, &j) in plan.order.iter().enumerate() {
            let (pin, [wa, wb]) = (&self.pins[j as usize], &self.turns[j as usize]);
            let [a, b] = pin.bodies;
            let (a, b) = (&bodies[a as usize], &bodies[b as usize]);
            let w = b.vel.at(pin.arm[1]) - a.vel.at(pin.arm[0]) + pin.bias;
            self.solution.push(-w);
            let mass = DMat3::from_diagonal(a.inv.lin + b.inv.lin);
            let own = mass - crossed(pin.arm[0], wa) - crossed(pin.arm[1], wb);
            self.scales.push(own.diagonal());
            self.blocks.push(own);
            for &i in plan.column(k) {
                self.blocks
                    .push(self.link(plan.order[i as usize], j, bodies));
            }
        }
    }

    /// A between two pins that share one body or more.
    #[inline]
    fn link(&self, i: u32, k: u32, bodies: &[ProblemBody]) -> DMat3 {
        let (pin, other) = (&self.pins[i as usize], &self.pins[k as usize]);
        let mut sum = DMat3::ZERO;
        for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if pin.bodies[s] == other.bodies[t] {
                let inv = bodies[pin.bodies[s] as usize].inv.lin;
                let turned = crossed(pin.arm[s], &self.turns[k as usize][t]);
                let both = DMat3::from_diagonal(inv) - turned;
                sum = if s == t { sum + both } else { sum - both };
            }
        }
        sum
    }

    /// Diagonal blocks become the inverses of what is left of them, links L.
    fn factor(&mut self, plan: &Elimination) {
        let at = |k: usize| k + plan.starts[k] as usize;
        for k in 0..plan.order.len() {
            let (own, links) = (at(k), plan.column(k));
            let diagonal: &mut [f64; 9] = self.blocks[own].as_mut();
            // A loop repeats equations: its last pivots vanish against what they were.
            invert::<3>(diagonal, 3, &self.scales[k].to_array());
            let inverse = self.blocks[own];
            for a in 0..links.len() {
                let before = self.blocks[own + 1 + a];
                let scaled = before * inverse;
                self.blocks[own + 1 + a] = scaled;
                let i = links[a] as usize;
                self.blocks[at(i)] -= scaled * before.transpose();
                for b in a + 1..links.len() {
                    // Eliminating k has linked i and j, so the column of i has j.
                    if let Ok(link) = plan.column(i).binary_search(&links[b]) {
                        let later = self.blocks[own + 1 + b];
                        self.blocks[at(i) + 1 + link] -= later * scaled.transpose();
                    }
                }
            }
        }
    }

    fn substitute(&mut self, plan: &Elimination) {
        let at = |k: usize| k + plan.starts[k] as usize;
        for k in 0..plan.order.len() {
            let known = self.solution[k];
            for (a, &i) in plan.column(k).iter().enumerate() {
                self.solution[i as usize] -= self.blocks[at(k) + 1 + a] * known;
            }
        }
        for k in (0..plan.order.len()).rev() {
            let mut x = self.blocks[at(k)] * self.solution[k];
            for (a, &i) in plan.column(k).iter().enumerate() {
                x -= self.blocks[at(k) + 1 + a].transpose() * self.solution[i as usize];
            }
            self.solution[k] = x;
        }
    }
}

/// W R of a body.
#[inline]
fn turn(w: &DMat3, arm: DVec3) -> DMat3 {
    // (Rᵀ W)ᵀ: W is symmetric.
    -crossed(arm, w).transpose()
}

/// R m: r × each column.
#[inline]
fn crossed(r: DVec3, m: &DMat3) -> DMat3 {
    DMat3::from_cols(r.cross(m.x_axis), r.cross(m.y_axis), r.cross(m.z_axis))
}

/// Moves the bodies of a pin by an impulse on b.
#[inline]
fn push(pin: &Pinned, [wa, wb]: &[DMat3; 2], impulse: DVec3, bodies: &mut [ProblemBody]) {
    let [a, b] = pin.bodies;
    let a = &mut bodies[a as usize];
    a.vel.lin -= a.inv.lin * impulse;
    a.vel.ang -= *wa * impulse;
    let b = &mut bodies[b as usize];
    b.vel.lin += b.inv.lin * impulse;
    b.vel.ang += *wb * impulse;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rb_core::mass::InvMass;
    use rb_core::math::Twist;

    /// Three bodies in a ring, one of them held to a fixed one at two points.
    #[test]
    fn all_pins_hold() {
        let body = |k: f64| ProblemBody {
            free: Twist::new(DVec3::new(k, 1.0, -k), DVec3::new(0.2, -k, 1.0)),
            inv: InvMass {
                lin: DVec3::splat(1.0 + k),
                ang: DMat3::from_diagonal(DVec3::new(3.0, 4.0 + k, 5.0)),
            },
            ..ProblemBody::default()
        };
        let mut bodies = vec![body(0.0), body(1.0), body(30.0), ProblemBody::default()];
        let pairs = [[0, 1], [1, 2], [2, 0], [0, 3], [0, 3]];
        let pin = |(k, bodies): (usize, &[u32; 2])| {
            let k = k as f64;
            Pinned {
                bodies: *bodies,
                arm: [DVec3::new(0.3, k * k, -0.4), DVec3::new(-k, 0.2, 0.5)],
                bias: DVec3::ZERO,
                impulse: DVec3::new(0.1, k, 0.3),
            }
        };
        let mut pins = Pins {
            pins: pairs.iter().enumerate().map(pin).collect(),
            ..Pins::default()
        };
        let mut plan = Elimination::default();
        plan.analyse(&pairs, &[], 3, u64::MAX);
        pins.solve(&plan, &mut bodies);
        for pin in &pins.pins {
            let [a, b] = [0, 1].map(|s| bodies[pin.bodies[s] as usize].vel.at(pin.arm[s]));
            assert!((b - a).length() < 1e-10, "{:?}", b - a);
        }
        // Momentum is that of the free velocities and the impulses.
        for (k, body) in bodies[..3].iter().enumerate() {
            let at = |s: usize| move |p: &&Pinned| p.bodies[s] == k as u32;
            let sum = |s: usize| {
                pins.pins
                    .iter()
                    .filter(at(s))
                    .map(|p| p.impulse)
                    .sum::<DVec3>()
            };
            let caused = body.free.lin + body.inv.lin * (sum(1) - sum(0));
            assert!((body.vel.lin - caused).length() < 1e-9);
        }
    }
}

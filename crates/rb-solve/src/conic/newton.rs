//! Semismooth Newton on the Alart–Curnier function: from a good guess to the last digit.
//!
//! With y = r − u per contact, the function is r where y_n ≤ 0 (open), else
//! `(u_n, r_t − Π_disc(μ y_n)(y_t))`: u_t where it sticks, r_t − μ y_n y_t/‖y_t‖ where it slides. A
//! proximal term ρ (r − centre) in u keeps redundant contacts regular. Source: P. Alart, A. Curnier,
//! "A mixed formulation for frictional contact problems prone to Newton like solution methods", 1991.

use super::cone::{join, tail};
use super::coupling::Coupling;
use super::problem::ConeProblem;
use glam::{DMat2, DMat3, DVec3};

/// Halvings of a step, at most.
const HALVINGS: u32 = 10;

/// The proximal term and the budget of one solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// ρ, relative to the unit diagonal of the scaled problem.
    pub(super) proximal: f64,
    /// Newton steps, at most.
    pub(super) steps: u32,
    /// Stop at this largest component of the function.
    pub(super) stop: f64,
}

/// What a solve cost and reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) steps: u32,
    /// Largest component of the function at the end.
    pub(super) size: f64,
}

/// Value and derivatives of the function at one contact: dF = by_r dr + by_u du.
struct Contact {
    f: DVec3,
    by_r: DMat3,
    by_u: DMat3,
}

impl Contact {
    fn new(mu: f64, r: DVec3, u: DVec3) -> Self {
        let y = r - u;
        if y.x <= 0.0 {
            return Self {
                f: r,
                by_r: DMat3::IDENTITY,
                by_u: DMat3::ZERO,
            };
        }
        let (yt, radius) = (tail(y), mu * y.x);
        let length = yt.length();
        if length <= radius {
            return Self {
                f: u,
                by_r: DMat3::ZERO,
                by_u: DMat3::IDENTITY,
            };
        }
        let t = yt / length;
        let across = DMat2::IDENTITY - DMat2::from_cols(t * t.x, t * t.y);
        let share = across * (radius / length);
        let pull = t * mu;
        Self {
            f: join(u.x, tail(r) - t * radius),
            by_r: block(0.0, -pull, DMat2::IDENTITY - share),
            by_u: block(1.0, pull, share),
        }
    }
}

/// [nn, 0; tn, tt].
pub(super) fn block(nn: f64, tn: glam::DVec2, tt: DMat2) -> DMat3 {
    DMat3::from_cols(join(nn, tn), join(0.0, tt.x_axis), join(0.0, tt.y_axis))
}

/// Improves impulses in place.
pub(super) fn solve<C: Coupling>(p: &ConeProblem<C>, r: &mut Vec<DVec3>, s: Settings) -> Outcome {
    let centre = r.clone();
    let at = |r: &[DVec3]| -> (Vec<Contact>, f64) {
        let u = p.velocity(r);
        let contacts: Vec<Contact> = (0..r.len())
            .map(|i| Contact::new(p.mu[i], r[i], u[i] + (r[i] - centre[i]) * s.proximal))
            .collect();
        let merit = contacts.iter().map(|c| c.f.length_squared()).sum();
        (contacts, merit)
    };
    let (mut now, mut merit) = at(r);
    let mut steps = 0;
    while steps < s.steps && size(&now) > s.stop {
        steps += 1;
        let step = direction(p, &now, s.proximal);
        let mut length = 1.0;
        let found = (0..HALVINGS).find_map(|_| {
            let trial: Vec<DVec3> = r.iter().zip(&step).map(|(r, d)| *r + *d * length).collect();
            let (contacts, m) = at(&trial);
            // ‖F‖ has to fall by a part of what the step promises.
            let enough = m.sqrt() < (1.0 - 1e-4 * length) * merit.sqrt();
            length *= 0.5;
            enough.then_some((trial, contacts, m))
        });
        let Some(found) = found else {
            break;
        };
        (*r, now, merit) = found;
    }
    Outcome {
        steps,
        size: size(&now),
    }
}

fn size(contacts: &[Contact]) -> f64 {
    contacts
        .iter()
        .fold(0.0, |m, c| c.f.abs().max_element().max(m))
}

/// Solves (by_r + by_u (A + ρ)) d = −F.
fn direction<C: Coupling>(p: &ConeProblem<C>, contacts: &[Contact], proximal: f64) -> Vec<DVec3> {
    // Grazing contacts, on the cone's edge with no radius, have a singular by_r; keep it regular.
    let tiny = DMat3::from_diagonal(DVec3::splat(1e-14));
    let l: Vec<DMat3> = contacts
        .iter()
        .map(|c| c.by_r + c.by_u * proximal + tiny)
        .collect();
    let s: Vec<DMat3> = contacts.iter().map(|c| c.by_u).collect();
    let mut d: Vec<DVec3> = contacts.iter().map(|c| -c.f).collect();
    p.coupling.factor(&l, &s).solve(&mut d);
    d
}

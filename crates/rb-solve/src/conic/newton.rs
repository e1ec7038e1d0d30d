//! Semismooth Newton on a function that vanishes where the law holds: to the last digit.
//!
//! With y = r − τ u per contact, Coulomb's law has the Alart–Curnier function: r where y_n ≤ 0 (open),
//! else `(u_n, r_t − Π_disc(μ y_n)(y_t))`: u_t where it sticks, r_t − μ y_n y_t/‖y_t‖ where it slides.
//! The convex law has its natural map r − Π_K(y). A proximal term ρ (r − centre) in u keeps redundant
//! contacts regular. Any weight τ > 0 has the same zeros; a great one tells a contact that slides at a crawl,
//! ‖u_t‖ far below the friction it has left, from one that sticks. Source: P. Alart, A. Curnier, "A mixed
//! formulation for frictional contact problems prone to Newton like solution methods", 1991.

use super::certificate::FrictionLaw;
use super::cone::{join, tail};
use super::coupling::{Coupling, ROUNDS};
use super::problem::ConeProblem;
use super::unit::Unit;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Halvings of a step, at most.
const HALVINGS: u32 = 10;

/// Size of the function down to which no step is refined: the next one takes up what it misses.
const ROUGH: f64 = 1e-7;

/// The proximal term and the budget of one solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) law: FrictionLaw,
    /// ρ, relative to the unit diagonal of the scaled problem.
    pub(super) proximal: f64,
    /// τ.
    pub(super) weight: f64,
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
    fn new(law: FrictionLaw, unit: Unit, r: DVec3, u: DVec3) -> Self {
        match (unit, law) {
            (Unit::Cone { mu }, FrictionLaw::Coulomb) => Self::coulomb(mu, r, u),
            (Unit::Cone { mu }, FrictionLaw::Convex) => Self::convex(mu, r, u),
            (Unit::Square { mu }, FrictionLaw::Coulomb) => Self::square(mu, r, u),
            (Unit::Square { mu }, FrictionLaw::Convex) => Self::convex_square(mu, r, u),
            (Unit::Spin { mu }, _) => Self::spin(mu, r, u),
            (Unit::Rows { lo, hi }, _) => Self::rows(lo, hi, r, u),
        }
    }

    /// Coulomb's law under a first row without velocity instead of one that may open.
    fn spin(mu: f64, r: DVec3, u: DVec3) -> Self {
        if r.x - u.x > 0.0 {
            return Self::coulomb(mu, r, u);
        }
        let head = DMat3::from_diagonal(DVec3::X);
        Self {
            f: join(u.x, tail(r)),
            by_r: DMat3::IDENTITY - head,
            by_u: head,
        }
    }

    /// Row by row: no velocity between the bounds, else at the bound.
    fn rows(lo: DVec3, hi: DVec3, r: DVec3, u: DVec3) -> Self {
        let mut c = Self::stick(u);
        for k in 0..3 {
            let y = r[k] - u[k];
            let bound = y.max(lo[k]).min(hi[k]);
            if bound != y {
                c.f[k] = r[k] - bound;
                (c.by_r.col_mut(k)[k], c.by_u.col_mut(k)[k]) = (1.0, 0.0);
            }
        }
        c
    }

    /// Coulomb's law over a square: each tangent between bounds that move with y_n.
    fn square(mu: f64, r: DVec3, u: DVec3) -> Self {
        let y = r - u;
        if y.x <= 0.0 {
            return Self::open(r);
        }
        let (mut c, radius) = (Self::stick(u), mu * y.x);
        for k in 1..3 {
            if y[k].abs() > radius {
                let side = y[k].signum();
                c.f[k] = r[k] - side * radius;
                c.by_r.col_mut(k)[k] = 1.0;
                c.by_u.col_mut(k)[k] = 0.0;
                c.by_r.col_mut(0)[k] = -side * mu;
                c.by_u.col_mut(0)[k] = side * mu;
            }
        }
        c
    }

    /// r − Π(y) of the cone over a square; Π moves along the sides that y is beyond.
    fn convex_square(mu: f64, r: DVec3, u: DVec3) -> Self {
        let y = r - u;
        let p = Unit::Square { mu }.project(y);
        if p.x <= 0.0 {
            return Self::open(r);
        }
        // n = (y_n + μ Σ |y_k|)/(1 + m μ²) over the m clamped tangents.
        let clamped = [y.y, y.z].map(|t| if t.abs() > mu * p.x { t.signum() } else { 0.0 });
        let weight = 1.0 + mu * mu * clamped.iter().map(|s| s * s).sum::<f64>();
        let head = DVec3::new(1.0, mu * clamped[0], mu * clamped[1]) / weight;
        let row = |k: usize| match clamped[k] {
            0.0 => DVec3::AXES[k + 1],
            side => head * (mu * side),
        };
        let by_y = DMat3::from_cols(head, row(0), row(1)).transpose();
        Self {
            f: r - p,
            by_r: DMat3::IDENTITY - by_y,
            by_u: by_y,
        }
    }

    /// No impulse.
    fn open(r: DVec3) -> Self {
        Self {
            f: r,
            by_r: DMat3::IDENTITY,
            by_u: DMat3::ZERO,
        }
    }

    /// No velocity.
    fn stick(u: DVec3) -> Self {
        Self {
            f: u,
            by_r: DMat3::ZERO,
            by_u: DMat3::IDENTITY,
        }
    }

    fn coulomb(mu: f64, r: DVec3, u: DVec3) -> Self {
        let y = r - u;
        if y.x <= 0.0 {
            return Self::open(r);
        }
        let (yt, radius) = (tail(y), mu * y.x);
        let length = yt.length();
        if length <= radius {
            return Self::stick(u);
        }
        let t = yt / length;
        let share = across(t) * (radius / length);
        let pull = t * mu;
        Self {
            f: join(u.x, tail(r) - t * radius),
            by_r: block(0.0, -pull, DMat2::IDENTITY - share),
            by_u: block(1.0, pull, share),
        }
    }

    fn convex(mu: f64, r: DVec3, u: DVec3) -> Self {
        let y = r - u;
        let yt = tail(y);
        let length = yt.length();
        // Without friction both slopes are 0 on the axis: the sign of y_n decides.
        if y.x >= 0.0 && length <= mu * y.x {
            return Self::stick(u);
        }
        if mu * length <= -y.x {
            return Self::open(r);
        }
        // On the mantle, along g = (1, μ t): Π = g (g·y)/(g·g).
        let t = yt / length;
        let g = join(1.0, t * mu);
        let head = g.dot(y) / g.length_squared();
        let along = DMat3::from_cols(g * g.x, g * g.y, g * g.z) * (1.0 / g.length_squared());
        let by_y = along + block(0.0, DVec2::ZERO, across(t) * (mu * head / length));
        Self {
            f: r - g * head,
            by_r: DMat3::IDENTITY - by_y,
            by_u: by_y,
        }
    }
}

/// I − t tᵀ.
fn across(t: DVec2) -> DMat2 {
    DMat2::IDENTITY - DMat2::from_cols(t * t.x, t * t.y)
}

/// [nn, 0; tn, tt].
pub(super) fn block(nn: f64, tn: DVec2, tt: DMat2) -> DMat3 {
    DMat3::from_cols(join(nn, tn), join(0.0, tt.x_axis), join(0.0, tt.y_axis))
}

/// Improves impulses in place.
pub(super) fn solve<C: Coupling>(p: &ConeProblem<C>, r: &mut Vec<DVec3>, s: Settings) -> Outcome {
    let centre = r.clone();
    let at = |r: &[DVec3]| -> (Vec<Contact>, f64) {
        let u = p.velocity(r);
        let contacts: Vec<Contact> = (0..r.len())
            .map(|i| {
                Contact::new(
                    s.law,
                    p.units[i],
                    r[i],
                    (u[i] + (r[i] - centre[i]) * s.proximal) * s.weight,
                )
            })
            .collect();
        let merit = contacts.iter().map(|c| c.f.length_squared()).sum();
        (contacts, merit)
    };
    let (mut now, mut merit) = at(r);
    let mut steps = 0;
    while steps < s.steps && size(&now) > s.stop {
        steps += 1;
        let step = direction(p, &now, s);
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

/// Solves (by_r + by_u τ (A + ρ)) d = −F.
fn direction<C: Coupling>(p: &ConeProblem<C>, contacts: &[Contact], s: Settings) -> Vec<DVec3> {
    // Grazing contacts, on the cone's edge with no radius, have a singular by_r; keep it regular.
    let tiny = DMat3::from_diagonal(DVec3::splat(1e-14));
    let l: Vec<DMat3> = contacts
        .iter()
        .map(|c| c.by_r + c.by_u * (s.weight * s.proximal) + tiny)
        .collect();
    let by_velocity: Vec<DMat3> = contacts.iter().map(|c| c.by_u * s.weight).collect();
    let mut d: Vec<DVec3> = contacts.iter().map(|c| -c.f).collect();
    let rounds = if size(contacts) > ROUGH { 0 } else { ROUNDS };
    p.coupling.factor(l, by_velocity).solve(&mut d, rounds);
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Derivatives agree with differences wherever both ends are on the same piece.
        #[test]
        fn derivatives_are_derivatives(
            x in prop::array::uniform6(-1.0..1.0f64),
            d in prop::array::uniform6(-1.0..1.0f64),
            mu in 0.1..1.0f64,
        ) {
            let vec = |a: [f64; 6], k: usize| DVec3::new(a[k], a[k + 1], a[k + 2]);
            let rows = Unit::Rows { lo: DVec3::splat(-mu), hi: DVec3::new(0.3, f64::INFINITY, 0.1) };
            let units = [Unit::Cone { mu }, Unit::Square { mu }, Unit::Spin { mu }, rows];
            let both = [FrictionLaw::Coulomb, FrictionLaw::Convex];
            for (law, unit) in both.into_iter().flat_map(|l| units.map(|u| (l, u))) {
                let at = |t: f64| Contact::new(law, unit, vec(x, 0) + vec(d, 0) * t, vec(x, 3) + vec(d, 3) * t);
                let h = 1e-6;
                let (back, here, ahead) = (at(-h), at(0.0), at(h));
                let slope = (ahead.f - back.f) / (2.0 * h);
                let kink = (ahead.f - here.f * 2.0 + back.f).length() > 1e-9;
                let linear = here.by_r * vec(d, 0) + here.by_u * vec(d, 3);
                prop_assert!(kink || (slope - linear).length() < 1e-4, "{slope} {linear}");
            }
        }
    }
}

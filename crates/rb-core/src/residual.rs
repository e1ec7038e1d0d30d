//! The certificate: how far a velocity and its multipliers are from the law the user stated.
//!
//! Natural map in mass-scaled units, λ̂ = √a λ, ŵ = w/√a, with a = |J W Jᵀ + R| of the row (for a friction
//! block the mean over its three rows, since per-row scales would bend the cone; for a patch without R):
//!
//! ```text
//! rows      e = |λ̂ − clamp(λ̂ − ŵ, √a lo, √a hi)|
//! friction  e = ‖λ̂ − Π_K(λ̂ − ŵ − σ_D(−ŵₜ) eₙ)‖
//! ε = √a e   (m/s; rad/s of purely angular rows times the extent of the larger body that can move)
//! ```
//!
//! e = 0 exactly when the law holds; ½e² is the kinetic energy (J) the row is wrong by. Every answer
//! in rows is graded here, whoever solved it; what is in lanes by the same map there (`rb_solve::lanes`). Sources:
//! V. Acary, B. Brogliato, "Numerical Methods for Nonsmooth Dynamical Systems", 2008; `docs/theory/certificate.md`.

use crate::law::Law;
use crate::problem::{Block, Pass, Problem, ProblemRow, Source};
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Grade of one island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// Largest violation (m/s): what users accept or reject.
    pub abs: f64,
    /// Largest violation relative to the largest scaled impulse or free velocity; unit-free.
    pub rel: f64,
    /// Root of summed squared violations over summed squared scales; unit-free.
    pub rms: f64,
    /// Largest violation of joint rows (m/s).
    pub joint: f64,
    /// Largest violation of contact blocks (m/s).
    pub contact: f64,
    /// Largest distance of a multiplier outside its admissible set, as a change of velocity (m/s).
    pub outside: f64,
    /// Fastest approach −w of a contact's normal row: what would penetrate (m/s).
    pub closing: f64,
    /// Largest product of an impulse and the velocity it has to vanish with (J).
    pub complementarity: f64,
    /// Largest power friction fails to dissipate, λₙ σ_D(−wₜ) + λₜ·wₜ (J per step).
    pub dissipation: f64,
    /// Block of the largest violation.
    pub worst: Option<Source>,
    /// Contact of the largest violation of a contact.
    pub worst_contact: Option<Source>,
    /// Joint of the largest violation of a joint.
    pub worst_joint: Option<Source>,
    /// Points and rows: open, sticking, sliding (contacts).
    pub open: u32,
    /// Contacts that stick.
    pub stick: u32,
    /// Contacts that slide.
    pub slide: u32,
}

impl Grade {
    /// The worse of two islands; blocks are those of the worse one, whose numbers they are.
    #[must_use]
    pub fn worst_of(self, o: Self) -> Self {
        let (big, small) = if o.abs > self.abs {
            (o, self)
        } else {
            (self, o)
        };
        Self {
            rel: big.rel.max(small.rel),
            rms: big.rms.max(small.rms),
            joint: big.joint.max(small.joint),
            contact: big.contact.max(small.contact),
            outside: big.outside.max(small.outside),
            closing: big.closing.max(small.closing),
            complementarity: big.complementarity.max(small.complementarity),
            dissipation: big.dissipation.max(small.dissipation),
            open: big.open + small.open,
            stick: big.stick + small.stick,
            slide: big.slide + small.slide,
            ..big
        }
    }
}

/// Scaled violations e of many blocks and the scales they are measured against (√J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scaled {
    /// Largest violation.
    pub error: f64,
    /// Largest scale.
    pub scale: f64,
    /// Sum of squared violations.
    pub error2: f64,
    /// Sum of squared scales.
    pub scale2: f64,
}

impl Scaled {
    /// Violations of both sets of blocks.
    #[must_use]
    pub fn and(self, o: Self) -> Self {
        Self {
            error: self.error.max(o.error),
            scale: self.scale.max(o.scale),
            error2: self.error2 + o.error2,
            scale2: self.scale2 + o.scale2,
        }
    }
}

/// Running sums of [`grade`].
#[derive(Default)]
struct Sums {
    grade: Grade,
    scaled: Scaled,
}

impl Sums {
    /// One row or friction block: scaled error, largest scaled quantity, √a, length for rad/s.
    fn add(&mut self, block: &Block, e: f64, size: f64, root: f64, length: f64) {
        // NaN must show as the worst violation, not vanish in a comparison.
        let abs = if e.is_nan() {
            f64::INFINITY
        } else {
            root * e * length
        };
        let s = &mut self.scaled;
        s.error = s.error.max(e);
        s.scale = s.scale.max(size);
        s.error2 += e * e;
        s.scale2 += size * size;
        let g = &mut self.grade;
        if abs > g.abs {
            g.abs = abs;
            g.worst = Some(block.source);
        }
        let (largest, culprit) = match block.source {
            Source::Joint(_) | Source::Constraint(_) => (&mut g.joint, &mut g.worst_joint),
            Source::Contact { .. } => (&mut g.contact, &mut g.worst_contact),
        };
        if abs > *largest {
            (*largest, *culprit) = (abs, Some(block.source));
        }
    }

    /// How far one block is outside its set (m/s), and the product of its complementary pair (J).
    fn add_pair(&mut self, outside: f64, product: f64) {
        let g = &mut self.grade;
        g.outside = g.outside.max(outside);
        g.complementarity = g.complementarity.max(product);
    }
}

/// Grades multipliers on the velocity-pass law. Velocities are rebuilt from ṽ and λ, so that a
/// solver's own bookkeeping cannot hide anything. `speed_floor` (m/s), usually |g| h, keeps the
/// relative grades meaningful at rest.
pub fn grade(problem: &Problem, speed_floor: f64) -> Grade {
    let mut p = problem.clone();
    p.rebuild_velocities();
    grade_velocities(&p, speed_floor)
}

/// As [`grade`], for a problem whose velocities are ṽ + W Jᵀλ already.
pub fn grade_velocities(p: &Problem, speed_floor: f64) -> Grade {
    grade_pass(p, Pass::Velocity, speed_floor)
}

/// As [`grade_velocities`], on the law of either pass.
pub fn grade_pass(p: &Problem, pass: Pass, speed_floor: f64) -> Grade {
    grade_beside(p, pass, speed_floor, (Grade::default(), Scaled::default()))
}

/// As [`grade_pass`], with contacts that another store keeps and has graded.
pub fn grade_beside(p: &Problem, pass: Pass, speed_floor: f64, beside: (Grade, Scaled)) -> Grade {
    let (grade, scaled) = beside;
    let mut sums = Sums { grade, scaled };
    for block in &p.blocks {
        match block.law {
            Law::Rows => grade_rows(p, block, pass, speed_floor, &mut sums),
            law @ Law::Spin { .. } => grade_spin(p, block, law, pass, speed_floor, &mut sums),
            law => grade_friction(p, block, law, pass, speed_floor, &mut sums),
        }
    }
    let (tiny, s) = (f64::MIN_POSITIVE, sums.scaled);
    Grade {
        rel: s.error / s.scale.max(tiny),
        rms: (s.error2 / s.scale2.max(tiny)).sqrt(),
        ..sums.grade
    }
}

fn free_rate(p: &Problem, block: &Block, row: usize) -> f64 {
    let columns = p.columns(block, row);
    columns.map(|(b, j, _)| j.dot(&p.bodies[b].free)).sum()
}

/// Largest extent (m) of those that can move: a spin of one body against a plane moves no point of the
/// plane, which has no end.
fn reach(p: &Problem, bodies: impl Iterator<Item = usize>) -> f64 {
    let movable = bodies.map(|b| &p.bodies[b]).filter(|b| !b.inv.is_zero());
    movable.map(|b| b.extent).fold(0.0, f64::max)
}

fn grade_rows(p: &Problem, block: &Block, pass: Pass, speed_floor: f64, sums: &mut Sums) {
    for r in block.rows() {
        let row = &p.rows[r];
        // Geometric stiffness under pressure is a negative compliance.
        let a = (row.diag + row.term(pass).reg).abs();
        if a == 0.0 {
            continue;
        }
        let root = a.sqrt();
        let (l, w) = (root * row.lambda, p.violation(block, r, pass) / root);
        // `max` then `min` rather than `clamp`: a broken pair lo > hi must grade, not panic.
        let e = (l - (l - w).max(root * row.lo).min(root * row.hi)).abs();
        let size = l
            .abs()
            .max(free_rate(p, block, r).abs() / root)
            .max(speed_floor / root);
        let angular = p.columns(block, r).all(|(_, j, _)| j.lin == DVec3::ZERO);
        let length = if angular {
            reach(p, p.columns(block, r).map(|(b, ..)| b))
        } else {
            1.0
        };
        sums.add(block, e, size, root, length);
        let outside = (root * row.lo - l).max(l - root * row.hi).max(0.0);
        sums.add_pair(root * outside * length, gap_product(l, w, root, row));
        if matches!(block.source, Source::Contact { .. }) {
            sums.grade.closing = sums.grade.closing.max(-root * w);
            if row.lambda > 0.0 {
                sums.grade.slide += 1
            } else {
                sums.grade.open += 1
            }
        }
    }
}

/// Friction of a patch under the normal impulses found: resistance to spin and rolling, or with rows that are
/// not angular the whole of it, whose state is then that of the patch's points.
fn grade_spin(p: &Problem, block: &Block, law: Law, pass: Pass, speed_floor: f64, sums: &mut Sums) {
    let first = block.first as usize;
    let a = p.rows[block.rows()].iter().map(|r| r.diag).sum::<f64>() / 3.0;
    if a == 0.0 {
        return;
    }
    let root = a.sqrt();
    let l = DVec3::from_array([0, 1, 2].map(|k| p.rows[first + k].lambda));
    let w = DVec3::from_array([0, 1, 2].map(|k| p.violation(block, first + k, pass)));
    let e = root * (l - law.project_spin(l - w / a, p.load(block))).length();
    let spins = (block.rows()).all(|r| p.rows[r].jac[0].lin == DVec3::ZERO);
    let length = if spins {
        reach(p, block.bodies.into_iter().map(|b| b as usize))
    } else {
        1.0
    };
    let size = (root * l.length()).max(speed_floor / root);
    sums.add(block, e, size, root, length);
    let outside = (l - law.project_spin(l, p.load(block))).length();
    sums.add_pair(root * root * outside * length, 0.0);
    let held = law.project_spin(l * (1.0 + 1e-9), p.load(block)) == l * (1.0 + 1e-9);
    if held && !spins {
        let loaded = p
            .normals(block)
            .filter(|&&r| p.rows[r as usize].lambda > 0.0);
        let loaded = loaded.count() as u32;
        sums.grade.slide = sums.grade.slide.saturating_sub(loaded);
        sums.grade.stick += loaded;
    }
}

/// |w| times the distance to the bound that lets w have its sign, or to the other if there is none: a row
/// with one bound pairs with it whichever way it is violated. 0 for an equation, which has no pair.
fn gap_product(l: f64, w: f64, root: f64, row: &ProblemRow) -> f64 {
    let rooms = [l - root * row.lo, root * row.hi - l];
    let [wanted, other] = if w > 0.0 { [0, 1] } else { [1, 0] };
    [rooms[wanted], rooms[other]]
        .into_iter()
        .find(|room| room.is_finite())
        .map_or(0.0, |room| (room * w).abs())
}

fn grade_friction(
    p: &Problem,
    block: &Block,
    law: Law,
    pass: Pass,
    speed_floor: f64,
    sums: &mut Sums,
) {
    let n = block.first as usize;
    let rows = [&p.rows[n], &p.rows[n + 1], &p.rows[n + 2]];
    let a = rows.iter().map(|r| r.diag + r.term(pass).reg).sum::<f64>() / 3.0;
    let root = a.sqrt();
    let vec = |f: &dyn Fn(usize) -> f64| DVec3::new(f(0), f(1), f(2));
    let l = vec(&|k| root * rows[k].lambda);
    let w = vec(&|k| p.violation(block, n + k, pass) / root);
    let lift = law.support(DVec2::new(w.y, w.z));
    let e = (l - law.project(l - w - DVec3::X * lift)).length();
    let free = vec(&|k| free_rate(p, block, n + k) / root).length();
    sums.add(
        block,
        e,
        l.length().max(free).max(speed_floor / root),
        root,
        1.0,
    );
    sums.add_pair(root * (l - law.project(l)).length(), (l.x * w.x).abs());
    sums.grade.closing = sums.grade.closing.max(-root * w.x);
    let t = DVec2::new(l.y, l.z);
    let lost = l.x * lift + t.dot(DVec2::new(w.y, w.z));
    sums.grade.dissipation = sums.grade.dissipation.max(lost.abs());
    let state = if l.x <= 0.0 {
        &mut sums.grade.open
    } else if law.contains_tangent(t * (1.0 + 1e-9), l.x) {
        &mut sums.grade.stick
    } else {
        &mut sums.grade.slide
    };
    *state += 1;
}

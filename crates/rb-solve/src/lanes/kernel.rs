//! The sweeps.

use super::apart::{Apart, start_each, visit_each};
use super::batch::{NONE, Packed};
use super::dispatch;
use super::gripped::{start, visit};
use super::pack::Bodies;
use super::position::{self, Way, by_size, in_turn};
use super::precision::either;
use super::prepare::renew;
use super::section::Section;
use super::simd::{Line, Simd, Stored, by_halves};
use super::thin;
use crate::lanes::LANES;
use glam::DVec2;
use rb_core::discretise::Discretiser;
use rb_core::law::Law;
use rb_core::manifold::FrictionLaw;
use rb_core::problem::Pass;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

impl Section {
    /// Adds W Jᵀλ of its contacts to the velocities.
    pub(super) fn warm<L: Stored>(&mut self, bodies: Bodies<L>) {
        let Bodies { inv, vel, .. } = bodies;
        if self.is_thin() {
            return self.warm_thin(vel);
        }
        let turned = std::mem::take(&mut self.turned);
        either!(&mut self.packed, |packed| run_warm(
            packed, inv, vel, turned
        ));
    }

    /// Visits every contact once in the given pass, in order or in reverse.
    pub(super) fn sweep<L: Stored>(
        &mut self,
        bodies: Bodies<L>,
        pass: Pass,
        soft: &Numbers,
        backwards: bool,
    ) {
        let way = self.way(pass, backwards);
        if self.is_thin() {
            return thin::sweep(&mut self.thin, bodies, pass, soft, way);
        }
        either!(&mut self.packed, |packed| visit_all(
            packed, bodies, pass, soft, way
        ));
    }

    /// How the next sweep of a pass is to be made.
    pub(super) fn way(&mut self, pass: Pass, backwards: bool) -> Way {
        let news = pass == Pass::Position;
        Way {
            fresh: news && std::mem::take(&mut self.fresh),
            turned: news && std::mem::take(&mut self.turned),
            backwards,
        }
    }
}

/// Visits all batches once.
pub(super) fn visit_all<W: Stored, L: Stored>(
    packed: &mut Packed<W>,
    bodies: Bodies<L>,
    pass: Pass,
    soft: &Numbers,
    way: Way,
) {
    match pass {
        Pass::Position => position::run(packed, bodies, soft, way),
        Pass::Velocity => run_velocity(packed, bodies.vel, way.backwards),
    }
}

/// Sweeps there and back by turns: whether each goes backwards.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub(super) count: u32,
    /// Whether the next one does.
    pub(super) backwards: bool,
}

impl Iterator for Turns {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        self.count = self.count.checked_sub(1)?;
        self.backwards = !self.backwards;
        Some(!self.backwards)
    }
}

impl Turns {
    /// So many of them, from the `first` on.
    pub(super) fn part(self, first: u32, count: u32) -> Self {
        let backwards = self.backwards != (first % 2 == 1);
        Self { count, backwards }
    }
}

/// Numbers of the soft step that all contacts share.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// 1/h.
    rate: f64,
    push: f64,
    /// 1/depth of full softness (1/m).
    full: f64,
    /// Depth from which on contacts are rigid (m), and 1/range over which they become so (1/m).
    firm: [f64; 2],
}

impl Numbers {
    pub(super) fn new(d: &Discretiser) -> Self {
        let [firm, range] = d.firmness();
        Self {
            rate: 1.0 / d.h,
            push: d.contact.push_out,
            full: 1.0 / d.full_softness(),
            firm: [firm, 1.0 / range],
        }
    }
}

impl Numbers {
    /// b and R/a of plain contacts at their present gaps; b of the velocity pass is that where it is above 0, else 0.
    /// `soft` is the soft step of each lane.
    #[inline(always)]
    pub(super) fn terms<S: Simd>(&self, gap: S, [rate, reg]: [S; 2]) -> (S, S) {
        let zero = S::zero();
        let shut = S::gt(zero, gap);
        let open = gap.mul(S::splat(self.rate));
        let out = gap.mul(rate).max(S::splat(-self.push));
        let share = gap.mul(S::splat(-self.full)).min(S::splat(1.0));
        let [firm, range] = self.firm.map(S::splat);
        let left = gap.add(firm).mul(range).max(zero);
        let reg = share.min(left).mul(reg);
        (S::select(shut, out, open), S::select(shut, reg, zero))
    }
}

fn run_warm<W: Stored, L: Stored>(
    packed: &mut Packed<W>,
    inv: &[Line],
    vel: &mut [L],
    turned: bool,
) {
    dispatch!(of W, L warm(packed: &mut Packed<W>, inv: &[Line], vel: &mut [L], turned: bool))
}

/// Bodies may have turned since the points were coupled.
#[inline(always)]
fn warm<S: Simd, L: Stored>(
    packed: &mut Packed<S::Stored>,
    inv: &[Line],
    vel: &mut [L],
    turned: bool,
) {
    for batch in &mut packed.batches {
        let points = &packed.points[batch.range()];
        if turned {
            let grip = packed.grips.get_mut(batch.grip as usize);
            renew::<S, L>(batch, points, grip, &mut packed.responses, (inv, vel));
        }
        let inertia = batch.inertia(&packed.responses);
        if let Some(grip) = packed.grips.get(batch.grip as usize) {
            by_halves!(start::<S, L>(batch, inertia, grip, points, vel));
            continue;
        }
        let slips = &packed.slips[batch.slips()];
        let heights = &packed.heights[batch.range()];
        by_halves!(start_each::<S, L>(
            batch, inertia, points, heights, slips, vel
        ));
    }
}

fn run_velocity<W: Stored, L: Stored>(packed: &mut Packed<W>, vel: &mut [L], backwards: bool) {
    dispatch!(of W, L velocity(packed: &mut Packed<W>, vel: &mut [L], backwards: bool))
}

/// Normals and friction under the law itself.
#[inline(always)]
fn velocity<S: Simd, L: Stored>(packed: &mut Packed<S::Stored>, vel: &mut [L], backwards: bool) {
    let Packed {
        batches,
        points,
        heights,
        slips,
        grips,
        special,
        responses,
        ..
    } = packed;
    in_turn!(batches, backwards, |batch, BACK| {
        let points = &mut points[batch.range()];
        let inertia = batch.inertia(responses);
        let (size, special) = match batch.special {
            NONE => (points.len(), None),
            first => (
                points.len(),
                Some(&special[first as usize..][..points.len()]),
            ),
        };
        if let Some(grip) = grips.get_mut(batch.grip as usize) {
            by_size!(
                visit::<S, BACK>(batch, inertia, grip, points, special, vel),
                size
            );
            continue;
        }
        let mut apart = Apart {
            points,
            heights: &heights[batch.range()],
            slips: &mut slips[batch.slips()],
            special,
        };
        by_halves!(visit_each::<S, L, BACK>(batch, inertia, &mut apart, vel));
    });
}

/// Nearest point of the friction disc, square or diamond of radius `r`.
#[inline(always)]
pub(super) fn project<S: Simd>(law: FrictionLaw, r: S, [x, y]: [S; 2]) -> [S; 2] {
    let zero = S::zero();
    match law {
        FrictionLaw::Boxed => [x.min(r).max(zero.sub(r)), y.min(r).max(zero.sub(r))],
        FrictionLaw::Pyramid => diamond(r, [x, y]),
        _ => {
            // Points without load have no friction; they would ask for the root in most visits.
            let loaded = S::gt(r, zero);
            let [x, y] = [S::select(loaded, x, zero), S::select(loaded, y, zero)];
            let square = y.fma(y, x.mul(x));
            let out = S::gt(square, r.mul(r));
            if !S::any(out) {
                return [x, y];
            }
            let share = r.div(square.max(S::splat(S::Stored::TINY)).sqrt());
            let share = S::select(out, share, S::splat(1.0));
            [x.mul(share), y.mul(share)]
        }
    }
}

/// The diamond has no short formula: lane by lane.
#[inline(always)]
fn diamond<S: Simd>(r: S, t: [S; 2]) -> [S; 2] {
    let mut wide = [S::Stored::default(); 3];
    for (to, x) in wide.iter_mut().zip([r, t[0], t[1]]) {
        x.store(to);
    }
    let [r, mut x, mut y] = wide;
    for i in 0..LANES {
        let t = Law::Pyramid { mu: 1.0 }.project_tangent(DVec2::new(x.at(i), y.at(i)), r.at(i));
        x.set(i, t.x);
        y.set(i, t.y);
    }
    [S::load(&x), S::load(&y)]
}

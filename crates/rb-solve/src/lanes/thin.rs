//! Islands whose batches would be almost empty: the rows of one manifold are the lanes.
//!
//! In a stack every level holds one manifold. Swept as a batch it idles seven lanes, and each of its
//! points waits for the velocities the last one left. Here a visit reads the velocities once, for all
//! rows, goes over the points with the matrix that couples them, and writes the velocities once.
//!
//! Rows are scaled by the root s of their step (s² = 1/a of a normal, ρ of tangents), which makes one
//! symmetric matrix of the coupling and the steps: λ = s λ̂, Ĝ = s J W Jᵀ s. Normals say what they would give up,
//! bounded by what they have, which from point to point takes a minimum and a product:
//!
//! ```text
//! normals    d = σ (s (J v + b) + R/a λ̂),   Δ = min(λ̂ₙ, d),   λ̂ₙ −= Δ,   d −= σ Ĝ Δ,    σ = 1/(1 + R/a)
//! friction   λ̂ₜ ← Π(λ̂ₜ − s (J v − belt)),   that of all points before the normals, that of one after its own
//! at the end v += W Jᵀ s Δλ̂
//! ```
//!
//! The rows s J, with their signs, and the columns W Jᵀ s are kept: what a visit reads is multiplied by rows, and
//! what it does is a multiple of lines that lie as those of the velocities do. All of it is of single precision, as that
//! of batches then is: one register has the velocity of a body, linear in its lower half and angular in its upper. In a
//! stack each visit waits for the one before, so that it lasts as long as its longest chain of operations, and how many
//! visits overlap hangs on how many numbers one fetches.
//!
//! That is the sweep of `kernel`, row for row, and gives its velocities but for rounding. Friction is that of each
//! point (`each`) or of the whole manifold (`whole`).

mod each;
mod grade;
mod position;
mod prepare;
mod press;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod visit;
mod whole;

pub(super) use grade::grade;

use self::each::Each;
use self::whole::Whole;
use super::batch::Wide3;
use super::kernel::Numbers;
use super::pack::{Bodies, State};
use super::plan::{Class, Member};
use super::position::Way;
use super::section::{Masses, Section, Terms};
use super::simd::{LANES, Narrow, Stored};
use super::view::{Patch, Spot, put, vector};
use glam::DVec3;
use rb_core::manifold::{Contacts, FrictionLaw, Impulses, MAX_POINTS, Manifold};
use rb_core::math::tangents;
use rb_core::problem::Pass;
use rb_core::room;

/// Mean number of manifolds in a batch from which on batches are the faster way.
pub(super) const FEW: f64 = 3.5;

/// Manifolds from which on the other way is worth having.
pub(super) const ENOUGH: usize = 8;

/// One manifold with all it needs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Thin {
    normals: Normals,
    friction: Friction,
}

/// A manifold but for its friction. What has a number for each point has it in both halves, but for arms. A missing point
/// is zero, and no impulse moves it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Normals {
    rows: Rows,
    columns: Columns<MAX_POINTS>,
    /// λ̂ of the normals.
    impulse: Narrow,
    /// σ, σ R/a and σ s b of the position pass.
    soft: [Narrow; 3],
    /// Ĝ between a normal and all of them.
    couple: [Narrow; MAX_POINTS],
    /// s b of the velocity pass.
    bias: Narrow,
    /// s, and 1/s or 0 where nothing answers.
    root: Narrow,
    stiff: Narrow,
    /// Gap of each point when the contact was found (m).
    gap: Narrow,
    /// Arms of the points, from a in the lower half and from b in the upper.
    arm: Wide3<Narrow>,
    /// Normal and tangents.
    axes: [[f32; 3]; 3],
    /// Wanted speed of b relative to a along the tangents (m/s).
    belt: [f32; 2],
    /// Rate of the push-out (1/s), and R/a.
    pace: [f64; 2],
    /// What 1 N·s along the normal does to the relative linear velocity along n, t and u (m/s).
    level: [f32; 3],
    bodies: [u32; 2],
    mu: f32,
    points: u8,
    law: FrictionLaw,
    /// Whether it is visited together with the next one.
    twin: bool,
    /// Where the velocities of its bodies are on the way there, and on the way back.
    from: [[From; 2]; 2],
    /// Whether it is what it was in the last step, but for the impulses.
    kept: bool,
}

/// s J with its signs, of body a and of body b, a row in each lane: what multiplies the linear velocity in the lower half,
/// the angular one in the upper.
#[derive(Clone, Copy, Debug, Default)]
struct Rows([Wide3<Narrow>; 2]);

/// W Jᵀ s of `N` rows, of body a and of body b: what λ̂ of each does to a velocity, as its line has it.
#[derive(Clone, Copy, Debug)]
struct Columns<const N: usize>([[Narrow; N]; 2]);

impl<const N: usize> Default for Columns<N> {
    fn default() -> Self {
        Self([[Narrow::default(); N]; 2])
    }
}

/// Where its friction acts.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "elsewhere than its manifold it would be fetched apart"
)]
enum Friction {
    /// At every point.
    Each(Each),
    /// Once for all.
    Whole(Whole),
}

impl Default for Friction {
    fn default() -> Self {
        Self::Whole(Whole::default())
    }
}

impl Friction {
    /// Becomes that of a class; what it holds is of a former manifold, and made anew.
    fn become_of(&mut self, class: Class) {
        match (&self, class.is_gripped()) {
            (Self::Whole(_), true) | (Self::Each(_), false) => {}
            (_, true) => *self = Self::Whole(Whole::default()),
            (_, false) => *self = Self::Each(Each::default()),
        }
    }
}

impl Section {
    /// Whether manifolds are kept and swept one by one.
    pub(super) fn is_thin(&self) -> bool {
        !self.thin.is_empty() && !self.members.is_empty()
    }

    /// Packs the manifolds one by one, in the order of their turns. They may stay where they are while what is planned does.
    pub(super) fn pack_thin(&mut self, set: Contacts, terms: Terms, masses: Masses, stays: bool) {
        self.thin.truncate(self.seats.len());
        room::fit(&mut self.thin, self.seats.len());
        self.thin.resize_with(self.seats.len(), Thin::default);
        for (seat, &Member { number, bodies, .. }) in self.seats.iter_mut().zip(&self.members) {
            let turn = seat.turn;
            (seat.batch, seat.lane) = (turn, 0);
            let still = bodies.iter().any(|&b| masses.immovable(b));
            let soft = terms.soft[usize::from(still)];
            let thin = &mut self.thin[turn as usize];
            let manifold = &set.manifolds[number as usize];
            thin.normals.kept = masses.keep(&set, number, bodies);
            if thin.normals.kept {
                thin.load(manifold, terms.scale);
                continue;
            }
            thin.friction.become_of(seat.class);
            thin.fill(manifold, set.belt(manifold), terms.scale);
            (thin.normals.bodies, thin.normals.pace) = (bodies, [soft.rate, soft.reg]);
        }
        if !stays {
            find_twins(&mut self.thin, masses.movable);
        }
        prepare::run(&mut self.thin, masses.inv, masses.vel);
    }

    /// Has terms made at the present gaps, and couples the manifolds anew where bodies have turned.
    pub(super) fn pose_thin(&mut self, state: State, turned: bool) {
        self.fresh = true;
        if turned {
            prepare::run_renew(&mut self.thin, state.inv, state.vel);
        }
    }

    /// Adds W Jᵀλ of all contacts to the velocities.
    pub(super) fn warm_thin<L: Stored>(&self, vel: &mut [L]) {
        visit::run_warm(&self.thin, vel);
    }
}

/// Where a visit finds the velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum From {
    #[default]
    Line,
    /// It is that of body a or b of the first or second manifold of the visit before, which is there already when the line
    /// it has been written to is still waited for.
    FirstA,
    FirstB,
    SecondA,
    SecondB,
}

/// Has neighbours in the order of visits that share no movable body visited together, two at a time, if both have their
/// friction as one: neither waits for the other, and the processor does not look far enough ahead to see that by itself.
fn find_twins(manifolds: &mut [Thin], movable: usize) {
    let mut second = false;
    for k in 0..manifolds.len() {
        let (m, next) = (&manifolds[k], manifolds.get(k + 1));
        let of = m.normals.bodies;
        let shared = |b: &u32| (*b as usize) < movable && of.contains(b);
        let alike = |next: &Thin| m.is_whole() && next.is_whole();
        let apart = |next: &Thin| !next.normals.bodies.iter().any(shared);
        second = next.is_some_and(|next| alike(next) && apart(next)) && !second;
        manifolds[k].normals.twin = second;
    }
    let mut others = manifolds;
    let mut before = &mut [][..];
    while let Some((next, rest)) = visit::next::<false>(others) {
        find_bodies(next, before, 0);
        find_bodies(before, next, 1);
        (before, others) = (next, rest);
    }
    find_bodies(before, &[], 1);
}

/// Where the bodies of these manifolds are after a visit of others, one way or the other.
fn find_bodies(manifolds: &mut [Thin], visited: &[Thin], way: usize) {
    let places = [[From::FirstA, From::FirstB], [From::SecondA, From::SecondB]];
    for m in manifolds {
        let bodies = m.normals.bodies;
        m.normals.from[way] = bodies.map(|body| {
            let all = visited.iter().zip(places);
            let mut all =
                all.flat_map(|(other, places)| other.normals.bodies.into_iter().zip(places));
            all.find(|(other, _)| *other == body)
                .map_or(From::Line, |(_, from)| from)
        });
    }
}

/// Visits every manifold once.
pub(super) fn sweep<L: Stored>(
    manifolds: &mut [Thin],
    bodies: Bodies<L>,
    pass: Pass,
    soft: &Numbers,
    way: Way,
) {
    let Bodies { vel, moved, .. } = bodies;
    match pass {
        Pass::Position => {
            let news = way.fresh.then_some((moved, soft));
            position::run(manifolds, vel, news, way.backwards);
        }
        Pass::Velocity => visit::run_velocity(manifolds, vel, way.backwards),
    }
}

impl Thin {
    fn is_whole(&self) -> bool {
        matches!(self.friction, Friction::Whole(_))
    }

    /// Takes what a manifold of the world has.
    fn fill(&mut self, manifold: &Manifold, belt: DVec3, scale: f64) {
        let loads = self.fill_friction(manifold, scale);
        self.normals.fill(manifold, belt, &loads);
    }

    /// Takes the impulses of a manifold that is what it was.
    fn load(&mut self, manifold: &Manifold, scale: f64) {
        let loads = self.fill_friction(manifold, scale);
        let m = &mut self.normals;
        let live = |k: usize| k < m.points as usize;
        m.impulse = twice(|k| {
            if live(k) {
                loads[k] as f32 * m.stiff.0[k]
            } else {
                0.0
            }
        });
    }

    /// Takes its friction; returns the normal impulses.
    fn fill_friction(&mut self, manifold: &Manifold, scale: f64) -> [f64; MAX_POINTS] {
        match &mut self.friction {
            Friction::Each(each) => each.fill(manifold, scale),
            Friction::Whole(whole) => whole.fill(manifold, scale),
        }
    }

    /// Impulse of a point along normal and tangents (N·s); its own, without a share of what all have in common.
    #[inline(always)]
    pub(super) fn impulse_of(&self, k: usize) -> [f64; 3] {
        let n = self.normals.impulse.at(k) * self.normals.root.at(k);
        match &self.friction {
            Friction::Each(each) => {
                let [x, y] = each.impulse_of(k);
                [n, x, y]
            }
            Friction::Whole(_) => [n, 0.0, 0.0],
        }
    }

    /// Stores all its impulses; says whether a point pushes.
    pub(super) fn store(&self, to: &mut Manifold) -> bool {
        let m = &self.normals;
        if let Friction::Whole(whole) = &self.friction {
            return put(&Impulses::Whole(whole.stored(m)), to);
        }
        let (mut points, spin) = ([[0.0; 3]; MAX_POINTS], DVec3::ZERO);
        for (k, to) in points[..m.points as usize].iter_mut().enumerate() {
            *to = self.impulse_of(k);
        }
        put(&Impulses::Each { points, spin }, to)
    }

    pub(super) fn patch(&self) -> Patch {
        let m = &self.normals;
        Patch {
            bodies: m.bodies,
            axes: m.axes.map(double),
            law: m.law,
            friction: f64::from(m.mu),
            belt: m.belt.map(f64::from),
            hold: match &self.friction {
                Friction::Each(_) => None,
                Friction::Whole(whole) => Some(whole.hold()),
            },
        }
    }

    pub(super) fn spot(&self, k: usize) -> Spot {
        let m = &self.normals;
        Spot {
            arm: [k, MAX_POINTS + k].map(|lane| vector(&m.arm, lane)),
            gap: m.gap.at(k),
            impulse: self.impulse_of(k),
            bias: m.bias.at(k) * m.stiff.at(k),
            reg: 0.0,
        }
    }
}

impl Normals {
    /// Takes what a manifold of the world has. Impulses and points are scaled later: a point that is one has
    /// the root 1 till then.
    fn fill(&mut self, manifold: &Manifold, belt: DVec3, loads: &[f64; MAX_POINTS]) {
        let n = manifold.normal;
        let [t, u] = tangents(n);
        self.axes = [n, t, u].map(|e| e.as_vec3().to_array());
        self.points = manifold.count;
        self.law = manifold.law;
        self.mu = manifold.sliding_friction() as f32;
        self.belt = [t, u].map(|e| belt.dot(e) as f32);
        let (points, live) = (&manifold.points, |k: usize| k < usize::from(manifold.count));
        for (k, q) in points.iter().enumerate() {
            // Points that are none are zero there.
            let [a, b] = match live(k) {
                true => manifold.arms(q),
                false => [DVec3::ZERO; 2],
            };
            for c in 0..3 {
                self.arm[c].0[k] = a[c] as f32;
                self.arm[c].0[MAX_POINTS + k] = b[c] as f32;
            }
        }
        self.gap = twice(|k| points[k].gap as f32);
        self.impulse = twice(|k| if live(k) { loads[k] as f32 } else { 0.0 });
        self.root = twice(|k| if live(k) { 1.0 } else { 0.0 });
    }
}

/// A number for each point, in both halves.
#[inline(always)]
fn twice(f: impl Fn(usize) -> f32) -> Narrow {
    let [a, b, c, d] = [f(0), f(1), f(2), f(3)];
    Narrow([a, b, c, d, a, b, c, d])
}

fn double(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

const _: () = assert!(LANES == 2 * MAX_POINTS);

// Of an odd number of cache lines: else what a sweep asks all manifolds for would lie in half of the cache, or less.
const _: () = assert!((size_of::<Thin>() / 64) % 2 == 1);

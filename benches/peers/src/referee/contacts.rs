//! How deep the bodies stick in one another.

use super::Referee;
use super::shapes::Part;
use crate::engines::State;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose;
use parry3d_f64::query;
use rb_world::core::body::BodyKind;
use std::collections::BTreeSet;

/// Pairs closer than this touch (m).
const TOUCH: f64 = 0.002;
/// Rounding left to a query (m).
const ROUNDING: f64 = 1e-5;

/// What the pairs of a state come to.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    pub(super) touching: usize,
    pub(super) doubtful: usize,
    /// Deepest overlap (m).
    pub(super) deepest: f64,
    /// Sum of all overlaps (m).
    sum: f64,
}

/// A shape where it is.
struct Placed<'a> {
    part: &'a Part,
    pose: Pose,
    bounds: Aabb,
}

impl Contacts {
    /// Mean overlap of the touching pairs (m).
    pub(super) fn mean(&self) -> f64 {
        self.sum / self.touching.max(1) as f64
    }

    /// Counts the overlap of two shapes.
    ///
    /// Pushing one along an axis until the bounds are apart takes the shapes apart, so no depth
    /// can be larger than the shortest such way. An answer that is, is none.
    fn add(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        let most = overlap(&a.bounds, &b.bounds);
        if most < -TOUCH {
            return;
        }
        match query::contact(&a.pose, &*a.part.shape, &b.pose, &*b.part.shape, TOUCH) {
            Ok(None) => {}
            Ok(Some(contact)) if -contact.dist <= most + ROUNDING => {
                let depth = (-contact.dist).max(0.0);
                self.touching += 1;
                self.sum += depth;
                self.deepest = self.deepest.max(depth);
            }
            _ => self.doubtful += 1,
        }
    }
}

/// The least way (m) along an axis that takes two bounds apart; negative if they are.
fn overlap(a: &Aabb, b: &Aabb) -> f64 {
    (a.maxs - b.mins).min(b.maxs - a.mins).min_element()
}

impl Referee<'_> {
    /// Judges all pairs of shapes that may collide, bodies that are not finite left out.
    pub(super) fn contacts(&self, states: &[State]) -> Contacts {
        let mut found = Contacts::default();
        let joined = self.joined();
        let fixed =
            |placed: &Placed<'_>| self.scene.bodies[placed.part.body].kind != BodyKind::Dynamic;
        // What does not move is few and large: kept apart, it does not make the sweep quadratic.
        let (supports, moving): (Vec<_>, Vec<_>) = self.placed(states).into_iter().partition(fixed);
        for (i, a) in moving.iter().enumerate() {
            let near = |b: &&Placed<'_>| b.bounds.mins.x <= a.bounds.maxs.x + TOUCH;
            let beside = moving[i + 1..].iter().take_while(near);
            for b in beside.chain(&supports) {
                if self.collide(a.part.body, b.part.body, &joined) {
                    found.add(a, b);
                }
            }
        }
        found
    }

    /// All shapes where they are, in the order of their left ends.
    fn placed(&self, states: &[State]) -> Vec<Placed<'_>> {
        let finite = self.parts.iter().filter(|p| states[p.body].is_finite());
        let place = |part| {
            let pose = Part::place(part, states);
            let bounds = part.shape.compute_aabb(&pose);
            Placed { part, pose, bounds }
        };
        let mut placed: Vec<_> = finite.map(place).collect();
        placed.sort_by(|a, b| a.bounds.mins.x.total_cmp(&b.bounds.mins.x));
        placed
    }

    fn joined(&self) -> BTreeSet<[usize; 2]> {
        let joints = self.scene.joints.iter();
        joints.map(|j| [j.a.min(j.b), j.a.max(j.b)]).collect()
    }

    fn collide(&self, a: usize, b: usize, joined: &BTreeSet<[usize; 2]>) -> bool {
        let ghosts = self.scene.bodies[a].ghost && self.scene.bodies[b].ghost;
        a != b && !ghosts && !joined.contains(&[a.min(b), a.max(b)])
    }
}

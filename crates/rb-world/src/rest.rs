//! What sleeps takes its contacts along: they wait with the sleepers, in short, so that no step goes through them and a
//! heap at rest holds a quarter of the memory.
//!
//! Of two colliders that rest together, of bodies of one sleeping group or of a sleeper and a static body, nothing is in
//! the lists of a step: neither the pair nor its contacts, nor that they touch. When the group wakes, pairs are looked up
//! again as those of new boxes are, and contacts come back with their impulses. Arms, gaps and normals wait in single
//! precision, for the next narrow phase searches for them anew.

use crate::state::{Pair, State, Touching};
use glam::{DVec3, Vec3};
use rb_contact::broad::Paired;
use rb_core::body::BodyKind;
use rb_core::manifold::{
    ContactMaterial, FrictionLaw, Impulses, MAX_POINTS, Manifold, ManifoldKey, ManifoldPoint, Marks,
};
use rb_core::room::{bytes, trim};
use serde::{Deserialize, Serialize};

/// A manifold that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waiting {
    bodies: [u32; 2],
    key: ManifoldKey,
    law: FrictionLaw,
    count: u8,
    near: u8,
    /// Whether it carried an impulse or was closed in its last step, and whether its pair touched.
    closed: bool,
    touching: bool,
    friction: f64,
    /// If there is more than friction.
    material: Option<Box<ContactMaterial>>,
    spin: DVec3,
    normal: Vec3,
    apart: Vec3,
}

/// A point of a manifold that waits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WaitingPoint {
    arm: Vec3,
    gap: f32,
    feature: u32,
    impulse: [f64; 3],
}

/// The contacts of a sleeping group, in the order of their keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    contacts: Vec<Waiting>,
    /// Of one contact after the other.
    points: Vec<WaitingPoint>,
    /// Substep of their impulses (s).
    h: f64,
}

impl Rest {
    /// Adds a manifold, of whose pair is told whether it touched, with what it has beyond friction.
    fn push(&mut self, m: &Manifold, material: Option<&ContactMaterial>, touching: bool) {
        let (impulses, spin) = m.each();
        self.contacts.push(Waiting {
            bodies: m.bodies,
            key: m.key,
            law: m.law,
            count: m.count,
            near: m.near,
            closed: m.is_closed(),
            touching,
            friction: m.friction,
            material: material.map(|m| Box::new(*m)),
            spin,
            normal: m.normal.as_vec3(),
            apart: m.apart.as_vec3(),
        });
        let points = m.points().iter().zip(m.features).zip(impulses);
        self.points
            .extend(points.map(|((p, feature), impulse)| WaitingPoint {
                arm: p.arm.as_vec3(),
                gap: p.gap as f32,
                feature,
                impulse,
            }));
    }

    /// Its manifolds as they were, without anchors, with impulses of a substep of `h` (s).
    fn manifolds(&self, h: f64) -> impl Iterator<Item = (&Waiting, Manifold)> {
        let scale = if self.h > 0.0 { h / self.h } else { 1.0 };
        let mut points = &self.points[..];
        self.contacts.iter().map(move |waiting| {
            let (own, others) = points.split_at(usize::from(waiting.count));
            points = others;
            let mut manifold = waiting.manifold(own);
            manifold.scale(scale);
            (waiting, manifold)
        })
    }

    /// Gives back what its lists do not need.
    pub(crate) fn fit(&mut self) {
        self.contacts.shrink_to_fit();
        self.points.shrink_to_fit();
    }

    /// How many manifolds and points wait in it.
    pub(crate) fn counts(&self) -> [u32; 2] {
        [self.contacts.len() as u32, self.points.len() as u32]
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let extra = self.contacts.iter().filter(|w| w.material.is_some());
        let extra = extra.count() * size_of::<ContactMaterial>();
        bytes(&self.contacts) + bytes(&self.points) + extra
    }
}

impl Waiting {
    /// The manifold, with its own points.
    fn manifold(&self, points: &[WaitingPoint]) -> Manifold {
        let mut manifold = Manifold {
            bodies: self.bodies,
            key: self.key,
            law: self.law,
            count: self.count,
            near: self.near,
            friction: self.friction,
            normal: self.normal.as_dvec3().normalize_or_zero(),
            apart: self.apart.as_dvec3(),
            ..Manifold::default()
        };
        let (mut impulses, spin) = ([[0.0; 3]; MAX_POINTS], self.spin);
        for (k, p) in points.iter().enumerate() {
            manifold.points[k] = ManifoldPoint {
                arm: p.arm.as_dvec3(),
                gap: f64::from(p.gap),
            };
            (manifold.features[k], impulses[k]) = (p.feature, p.impulse);
        }
        manifold.set_impulses(&Impulses::Each {
            points: impulses,
            spin,
        });
        manifold.marks.set(Marks::CLOSED, self.closed);
        manifold
    }
}

impl State {
    /// All manifolds: those of this step, and those that wait.
    pub(crate) fn all_contacts(&self) -> impl Iterator<Item = Manifold> {
        let waiting = self.groups.rests().flat_map(|r| r.manifolds(self.h));
        let waiting = waiting.map(|(_, manifold)| manifold);
        self.contacts.iter().copied().chain(waiting)
    }

    /// The pairs that touch and wait, each with the sum of its normal impulses (N·s).
    pub(crate) fn waiting_loads(&self) -> impl Iterator<Item = ([u32; 2], f64)> {
        let loads = |rest: &Rest| {
            let mut loads: Vec<([u32; 2], f64)> = Vec::new();
            for (_, manifold) in rest.manifolds(self.h).filter(|(w, _)| w.touching) {
                let (pair, load) = (manifold.key.pair, manifold.normal_impulse());
                match loads.last_mut() {
                    Some(last) if last.0 == pair => last.1 += load,
                    _ => loads.push((pair, load)),
                }
            }
            loads
        };
        self.groups.rests().flat_map(loads)
    }

    /// The bodies of all contacts.
    pub(crate) fn touched_bodies(&self) -> impl Iterator<Item = [u32; 2]> {
        let waiting = self.groups.rests().flat_map(|r| &r.contacts);
        let waiting = waiting.map(|w| w.bodies);
        self.contacts.iter().map(|m| m.bodies).chain(waiting)
    }

    /// The sleeping group of two colliders that rest together: of bodies of one group, or of a sleeper and a static body.
    pub(crate) fn resting_group(&self, pair: [u32; 2]) -> Option<u32> {
        let sides = pair.map(|c| self.collider(c));
        let [a, b] = sides.map(|c| self.body(c.body.index()));
        let group = match (a.asleep, b.asleep) {
            (Some(group), Some(other)) => (group == other).then_some(group),
            (Some(group), None) => (b.kind == BodyKind::Static).then_some(group),
            (None, Some(group)) => (a.kind == BodyKind::Static).then_some(group),
            (None, None) => None,
        };
        group.filter(|_| sides.iter().all(|c| !c.collider.is_sensor()))
    }

    /// Takes out of the lists of a step what rests together since a group fell asleep.
    pub(crate) fn lay_down(&mut self) {
        let fresh = self.groups.take_fresh();
        if fresh.is_empty() {
            return;
        }
        self.edited = true;
        let mut sleeps = vec![false; self.colliders.capacity()];
        for slot in self.groups.members(&fresh) {
            let colliders = self.body(slot).colliders.iter();
            colliders.for_each(|c| sleeps[c.index() as usize] = true);
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        let mut contacts = std::mem::take(&mut self.contacts);
        let mut groups = std::mem::take(&mut self.groups);
        let (mut kept, mut gone) = (0, Vec::new());
        pairs.retain_mut(|pair| {
            let known = pair.manifolds();
            let near = pair.key.iter().any(|c| sleeps[*c as usize]);
            let group = near.then(|| self.resting_group(pair.key)).flatten();
            if let Some(rest) = group.and_then(|group| groups.rest_mut(group)) {
                let touching = self.touching.binary_search_by_key(&pair.key, |t| t.pair);
                let touching = touching.is_ok();
                gone.extend(touching.then_some(pair.key));
                rest.h = self.h;
                for manifold in &contacts[known] {
                    rest.push(manifold, self.contacts().surface(manifold), touching);
                }
                return false;
            }
            let (from, to) = (known.start, kept);
            kept = pair.put(kept);
            if from != to {
                contacts.copy_within(known, to);
            }
            true
        });
        contacts.truncate(kept);
        fresh.into_iter().for_each(|group| groups.close(group));
        (self.pairs, self.contacts, self.groups) = (pairs, contacts, groups);
        let mut gone = gone.into_iter().peekable();
        self.touching.retain(|t| gone.next_if_eq(&t.pair).is_none());
        trim(&mut self.pairs);
        trim(&mut self.contacts);
        trim(&mut self.touching);
    }

    /// Puts back into the lists of a step what waited with groups that have woken, and has their pairs looked up.
    pub(crate) fn get_up(&mut self) {
        let woken = self.groups.take_woken();
        if woken.is_empty() {
            return;
        }
        let mut waiting = Vec::new();
        for group in &woken {
            let bodies = group.members.iter().filter_map(|m| self.bodies.slot(*m));
            for collider in bodies.flat_map(|b| &b.colliders) {
                self.broad.recheck(collider.index());
            }
            waiting.extend(group.rest.manifolds(self.h));
        }
        waiting.sort_by_key(|(_, manifold)| manifold.key);
        for of_pair in waiting.chunk_by(|(_, a), (_, b)| a.key.pair == b.key.pair) {
            let (waited, Manifold { key, .. }) = &of_pair[0];
            let touching = Touching::of(&of_pair[0].1);
            self.touching.extend(waited.touching.then_some(touching));
            self.pairs.push(Pair {
                first: self.contacts.len() as u32,
                count: of_pair.len() as u32,
                ..Pair::new(key.pair)
            });
            for (waited, manifold) in of_pair {
                self.materials.extend(waited.material.as_deref());
                self.contacts.push(Manifold {
                    surface: waited
                        .material
                        .as_ref()
                        .map_or(0, |_| self.materials.len() as u32),
                    ..*manifold
                });
            }
        }
        self.pairs.sort_by_key(|pair| pair.key);
        self.touching.sort();
        self.line_up_contacts();
    }

    /// Brings the contacts into the order of the pairs, without those of pairs that are gone.
    pub(crate) fn line_up_contacts(&mut self) {
        self.edited = true;
        let old = std::mem::take(&mut self.contacts);
        self.contacts.reserve_exact(old.len());
        for pair in &mut self.pairs {
            let known = pair.manifolds();
            pair.put(self.contacts.len());
            self.contacts.extend_from_slice(&old[known]);
        }
    }
}

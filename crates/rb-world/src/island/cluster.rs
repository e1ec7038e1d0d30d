//! Stiff clusters: the contacts of heavy bodies on light ones in an island too large for the exact
//! solver, solved exactly as one block between the sweeps over all others.
//!
//! A soft step sags by load/(m ω²), m being the light mass. Contacts that carry many times the weight
//! of the lighter body are gathered around every pair of very different masses, as far as the load goes
//! on that way, and posed rigidly. Loads are those of the last step, so that the choice is state and the
//! same for every number of threads. What was in a cluster for its load stays in one for another step: where a cluster
//! sets the heavy body down its load is nought for a step, and left to the sweeps it would sink until it counts again, and so
//! on for seconds. Tall stacks of equal bodies are not stiff in this sense: there a
//! cluster would grow with the pile.

use super::{Island, IslandContact, Shared};
use core::ops::Range;
use rb_core::discretise::Discretiser;
use rb_core::manifold::Marks;
use rb_core::params::SolvePlan;
use rb_core::room::bytes;

/// Largest cluster: movable bodies and rows.
const MOST_BODIES: usize = 8;
const MOST_ROWS: usize = 96;
/// Share of the tolerance of velocities at which a cluster is left as it is.
const STOP: f64 = 0.1;

/// What a contact is to the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stiff {
    /// Nothing: it carries no more than the sweeps can.
    No,
    /// It carries many times the weight of the lighter of two bodies of about the same mass.
    Carries,
    /// The same, a light body on a much heavier one: the end of a column.
    Stands,
    /// The same, and good part of the weight of the heavier one, which it lifts.
    Seed,
}

/// What is found out on the way to the clusters; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighing {
    /// Mass of each body (kg), infinite for what nothing moves.
    masses: Vec<f64>,
    /// Bodies under joints or constraints, which carry them at any mass: a limb is not a light body.
    held: Vec<bool>,
}

impl Weighing {
    /// Masses of the bodies of a contact.
    fn masses(&self, c: &IslandContact) -> [f64; 2] {
        c.movers.map(|m| self.masses[m as usize])
    }

    /// Whether a contact is one of a heavy body and a light one, `ratio` times lighter.
    fn is_uneven(&self, c: &IslandContact, ratio: f64) -> bool {
        let [a, b] = self.masses(c);
        a.max(b) > ratio * a.min(b) && a.max(b).is_finite()
    }

    /// Whether joints hold its lighter body, or both if neither is the lighter.
    fn is_limb(&self, c: &IslandContact, ratio: f64) -> bool {
        let [a, b] = self.masses(c);
        let light = |(m, mass): (u32, f64)| self.held[m as usize] && mass <= ratio * a.min(b);
        c.movers.into_iter().zip([a, b]).any(light)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        bytes(&self.masses) + bytes(&self.held)
    }
}

/// Normal impulse of a contact in the last step, for substeps of this one (N·s).
fn load_of(shared: &Shared, c: &IslandContact) -> f64 {
    let manifold = &shared.contacts.manifolds[c.manifold as usize];
    manifold.normal_impulse() * shared.warm_scale
}

/// Whether a contact carries many times the weight of the lighter of its bodies, a mass of `light` (kg).
fn bears(shared: &Shared, c: &IslandContact, light: f64) -> bool {
    let weight = light * shared.params.gravity.length() * shared.h;
    load_of(shared, c) > shared.params.escalation.mass_ratio * weight
}

/// What a contact is to the clusters, by its load and the masses it lies between.
fn stiffness_of(shared: &Shared, weighing: &Weighing, c: &IslandContact) -> Stiff {
    let ratio = shared.params.escalation.mass_ratio;
    // Nearly all that are none are told from bodies alone: contacts lie farther away.
    if !c.plain || weighing.is_limb(c, ratio) {
        return Stiff::No;
    }
    let manifold = &shared.contacts.manifolds[c.manifold as usize];
    let kept = manifold.marks.contains(Marks::STIFF);
    let [a, b] = weighing.masses(c);
    if !(kept || bears(shared, c, a.min(b))) {
        return Stiff::No;
    }
    if !weighing.is_uneven(c, ratio) {
        return Stiff::Carries;
    }
    // The normal pushes b, and a the other way.
    let (normal, weight) = (manifold.normal, shared.params.gravity * shared.h);
    let load = match kept {
        true => load_of(shared, c).max(a.max(b) * weight.length()),
        false => load_of(shared, c),
    };
    let lifted = if b > a { normal } else { -normal } * load;
    if -lifted.dot(weight) * ratio > a.max(b) * weight.length_squared() {
        Stiff::Seed
    } else {
        Stiff::Stands
    }
}

impl Island {
    /// Finds this step's clusters and moves their contacts behind all others.
    pub(super) fn find_clusters(&mut self, shared: &Shared) {
        self.clusters.clear();
        self.loose = self.contacts.len();
        let policy = shared.params.escalation;
        let wanted = policy.plan == SolvePlan::Fallback
            && self.escalated.reason.is_none()
            && !self.contacts.is_empty()
            && self.rows_ahead() > policy.rows as usize
            && shared.solver.shares_contacts();
        if !wanted {
            return;
        }
        let mut weighing = std::mem::take(&mut self.weighing);
        if self.weigh(&mut weighing, policy.mass_ratio) && self.has_seed(shared, &weighing) {
            let contacts = self.contacts.iter();
            let stiff = contacts.map(|c| stiffness_of(shared, &weighing, c));
            let mut stiff: Vec<Stiff> = stiff.collect();
            self.grow_clusters(&mut stiff);
            let clustered = self.contacts[self.loose..].iter();
            let light = |c| weighing.masses(c).into_iter().fold(f64::INFINITY, f64::min);
            self.bear = clustered.map(|c| bears(shared, c, light(c))).collect();
        }
        self.weighing = weighing;
    }

    /// Whether any two movable bodies differ in mass by more than `ratio`. Notes masses, and then limbs.
    fn weigh(&self, weighing: &mut Weighing, ratio: f64) -> bool {
        let Weighing { masses, held } = weighing;
        masses.clear();
        masses.extend(self.movers.iter().map(|m| match m.inv.is_zero() {
            true => f64::INFINITY,
            false => m.mass,
        }));
        let finite = masses.iter().filter(|m| m.is_finite());
        let (least, most) = finite.fold((f64::INFINITY, 0.0f64), |(lo, hi), &m| {
            (lo.min(m), hi.max(m))
        });
        if most <= ratio * least {
            return false;
        }
        held.clear();
        held.resize(self.movers.len(), false);
        let joints = self.joints.iter().flat_map(|j| &j.movers);
        let constraints = self.constraints.iter().flat_map(|c| &c.movers);
        let ends = joints.chain(constraints);
        ends.for_each(|&m| held[m as usize] = true);
        true
    }

    /// Whether any contact begins a cluster.
    fn has_seed(&self, shared: &Shared, weighing: &Weighing) -> bool {
        let ratio = shared.params.escalation.mass_ratio;
        let mut uneven = self
            .contacts
            .iter()
            .filter(|c| weighing.is_uneven(c, ratio));
        uneven.any(|c| stiffness_of(shared, weighing, c) == Stiff::Seed)
    }

    /// Whether a contact was in a stiff cluster for what it carried, so that it stays in one for another step.
    pub(crate) fn stays_stiff(&self, contact: usize) -> bool {
        let clustered = !self.clusters.is_empty() && contact >= self.loose;
        clustered && self.bear[contact - self.loose]
    }

    /// Grows a cluster from every seed that is in none yet, along overloaded contacts.
    fn grow_clusters(&mut self, stiff: &mut [Stiff]) {
        let mut at_body = vec![Vec::new(); self.movers.len()];
        let contacts = self.contacts.iter().enumerate();
        for (i, c) in contacts.filter(|(i, _)| stiff[*i] != Stiff::No) {
            c.movers.iter().for_each(|&m| at_body[m as usize].push(i));
        }
        // 0 for the loose ones, which come first.
        let mut rank = vec![0; self.contacts.len()];
        let mut sizes = Vec::new();
        for seed in 0..stiff.len() {
            if stiff[seed] == Stiff::Seed {
                let cluster = self.grow(seed, stiff, &at_body);
                sizes.push(cluster.len());
                cluster.iter().for_each(|&i| rank[i] = sizes.len());
            }
        }
        let mut order: Vec<usize> = (0..rank.len()).collect();
        order.sort_by_key(|&i| rank[i]);
        self.contacts = order.iter().map(|&i| self.contacts[i]).collect();
        let mut first = self.contacts.len() - sizes.iter().sum::<usize>();
        self.loose = first;
        for size in sizes {
            self.clusters.push(first..first + size);
            first += size;
        }
    }

    /// Contacts of one cluster, which then belong to no other.
    fn grow(&self, seed: usize, stiff: &mut [Stiff], at_body: &[Vec<usize>]) -> Vec<usize> {
        let (mut contacts, mut bodies, mut rows) = (Vec::new(), Vec::<u32>::new(), 0);
        let mut queue = std::collections::VecDeque::from([seed]);
        while let Some(i) = queue.pop_front() {
            let c = &self.contacts[i];
            let more = 3 * usize::from(c.kind.points);
            let fresh = |m: &&u32| !self.movers[**m as usize].inv.is_zero() && !bodies.contains(m);
            let new: Vec<u32> = c.movers.iter().filter(fresh).copied().collect();
            let fits = bodies.len() + new.len() <= MOST_BODIES && rows + more <= MOST_ROWS;
            if stiff[i] == Stiff::No || !(fits || contacts.is_empty()) {
                continue;
            }
            // What the column stands on carries others too.
            if stiff[i] != Stiff::Stands {
                let movable = c.movers.iter().filter(|&&m| (m as usize) < self.movable);
                let reached = movable.flat_map(|&m| &at_body[m as usize]);
                queue.extend(reached.filter(|&&j| j != i && stiff[j] != Stiff::No));
            }
            stiff[i] = Stiff::No;
            contacts.push(i);
            rows += more;
            bodies.extend(new);
        }
        contacts
    }

    /// Poses the clusters' contacts, rigidly, and names their blocks to the solver.
    pub(super) fn assemble_clusters(&mut self, shared: &Shared, numbers: &Discretiser) {
        let mut rigid = *numbers;
        rigid.contact.softening = None;
        self.scratch.cluster_stop = STOP * shared.params.tolerances.velocity;
        let clusters = std::mem::take(&mut self.clusters);
        for range in &clusters {
            let first = self.problem.blocks.len() as u32;
            for c in Range::clone(range) {
                self.assemble_contact(shared, &rigid, c);
            }
            let blocks = first..self.problem.blocks.len() as u32;
            self.scratch.clusters.push(blocks.collect());
        }
        self.clusters = clusters;
    }
}

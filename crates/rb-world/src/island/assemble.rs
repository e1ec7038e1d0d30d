//! Rows of one substep: joints at the present poses, contacts with their gaps moved along.

use super::surface::{Grain, coefficient};
use super::{Island, IslandJoint, Shared};
use glam::{DMat3, DVec3};
use rb_core::discretise::Discretiser;
use rb_core::integrate::{Mover, lever};
use rb_core::law::Law;
use rb_core::manifold::{ContactMaterial, PointView};
use rb_core::math::Twist;
use rb_core::params::{GeometricStiffness, Gyroscopic};
use rb_core::problem::{Extra, ProblemBody, ProblemRow, Source, Term};
use rb_core::row::Row;
use rb_core::stabilise::Stabilisation;
use rb_joints::{Joint, JointBody, JointCx};

/// Block operations up to which the joints of an island are solved directly.
const DIRECT_WORK: u64 = 50_000;

impl Island {
    /// Poses the problem of one substep at the present poses.
    pub(super) fn assemble(&mut self, shared: &Shared) {
        let numbers = self.assemble_joints(shared);
        for c in 0..self.loose {
            self.assemble_contact(shared, &numbers, c);
        }
        self.assemble_clusters(shared, &numbers);
    }

    /// Bodies, joints and constraints of one substep.
    pub(super) fn assemble_joints(&mut self, shared: &Shared) -> Discretiser {
        self.problem.clear();
        self.scratch.joints.factored.clear();
        self.scratch.clusters.clear();
        self.state_rows(shared);
        self.predict(shared);
        let mut numbers = Discretiser::new(shared.params, shared.h);
        if self.scratch.plan.work.is_some() || self.rigid() {
            // Solved exactly, so they need no softening, and rigid rows keep the energy.
            numbers.joint_step = None;
        }
        if self.rigid() {
            numbers.contact.softening = None;
        }
        self.bent.clear();
        for j in 0..self.joints.len() {
            self.assemble_joint(shared, &numbers, j);
        }
        for c in 0..self.constraints.len() {
            self.assemble_constraint(shared, &numbers, c);
        }
        numbers
    }

    /// Bodies at their free velocities, with the geometric stiffness of the joints.
    pub(super) fn predict(&mut self, shared: &Shared) {
        for (i, m) in self.movers.iter_mut().enumerate() {
            m.refresh();
            let mut free = m.predict(shared.h, shared.params.gyroscopic);
            if let Some(s) = self.levers.get(i) {
                m.stiffen(shared.h, *s, &mut free);
            }
            self.problem.bodies.push(ProblemBody {
                free,
                vel: free,
                inv: m.inv,
                extent: m.extent,
            });
        }
    }

    /// Order in which a direct solve eliminates the joints, or that it would cost too much.
    pub(super) fn plan(&mut self) {
        self.pairs.clear();
        self.pairs.extend(self.joints.iter().map(|j| j.movers));
        let wide: Vec<_> = self.constraints.iter().map(|c| c.movers.clone()).collect();
        let plan = &mut self.scratch.plan;
        plan.analyse(&self.pairs, &wide, self.movable as u32, DIRECT_WORK);
        self.planned = true;
    }

    /// Rows of all joints at the present poses, and the geometric stiffness of each body from their
    /// last impulses (none without joints).
    fn state_rows(&mut self, shared: &Shared) {
        self.rows.clear();
        self.starts.clear();
        self.levers.clear();
        self.seen.clear();
        if self.joints.is_empty() {
            return;
        }
        self.seen.extend(self.movers.iter().map(see));
        self.levers.resize(self.movers.len(), DMat3::ZERO);
        for joint in &self.joints {
            let first = self.rows.len();
            self.starts.push(first as u32);
            let Some(slot) = shared.joints.slot(joint.slot) else {
                continue;
            };
            let [a, b] = joint.movers;
            let cx = JointCx {
                a: self.seen[a as usize],
                b: self.seen[b as usize],
                h: shared.h,
            };
            slot.desc.kind.rows(&cx, &joint.memory, &mut self.rows);
            for (side, body) in [&cx.a, &cx.b].into_iter().enumerate() {
                let pull = |sum: DVec3, row: &Row| sum + row.jac[side].lin * row.warm;
                let pull = self.rows[first..].iter().fold(DVec3::ZERO, pull);
                let arm = body.arm(slot.desc.kind.frames()[side].p);
                self.levers[joint.movers[side] as usize] += lever(arm, pull);
            }
        }
        self.starts.push(self.rows.len() as u32);
        // The variational rotation has its own implicit equation.
        if shared.params.gyroscopic == Gyroscopic::Variational {
            self.levers.clear();
        }
    }

    pub(crate) fn joint_cx(&self, joint: &IslandJoint, h: f64) -> JointCx {
        JointCx {
            a: self.see(joint.movers[0]),
            b: self.see(joint.movers[1]),
            h,
        }
    }

    /// A body as joints and constraints see it.
    pub(super) fn see(&self, i: u32) -> JointBody {
        see(&self.movers[i as usize])
    }

    fn assemble_joint(&mut self, shared: &Shared, numbers: &Discretiser, j: usize) {
        let joint = &self.joints[j];
        let Some(slot) = shared.joints.slot(joint.slot) else {
            return;
        };
        let mine = self.starts[j] as usize..self.starts[j + 1] as usize;
        let options = &slot.desc.options;
        let rows = &mut self.rows[mine.clone()];
        let cross = (!options.is_default())
            .then(|| options.apply(rows))
            .flatten();
        let (bodies, source) = (joint.movers, Source::Joint(j as u32));
        let stiff = if shared.params.geometric == GeometricStiffness::Off {
            Vec::new()
        } else {
            let [a, b] = bodies.map(|m| self.seen[m as usize]);
            let cx = JointCx { a, b, h: shared.h };
            self.joint_stiffness(shared, &slot.desc.kind, &cx, j)
        };
        let sides = bodies.map(|i| &self.movers[i as usize]);
        let free = bodies.map(|i| self.problem.bodies[i as usize].free);
        let pose = |row: &Row| posed(numbers, row, sides, &free);
        if cross.is_none() && stiff.is_empty() {
            let first = self.problem.rows.len();
            for row in &self.rows[mine.clone()] {
                self.problem.push_row(pose(row));
            }
            self.problem.push_joint(bodies, source, first);
        } else {
            let mut block: Vec<ProblemRow> = self.rows[mine.clone()].iter().map(pose).collect();
            let cross = cross.map_or_else(Vec::new, |c| {
                let size = block.len() + stiff.len();
                numbers.coupled(&self.rows[mine.clone()], &c, size)
            });
            block.extend(stiff);
            let extra = Extra {
                cross,
                ..Extra::default()
            };
            self.problem.push_wide_block(bodies, source, &block, extra);
        }
        let iterated = |row: &Row| numbers.way(row) == Some(Stabilisation::Iterated);
        if self.rows[mine.clone()].iter().any(iterated) {
            let rows = std::mem::take(&mut self.rows);
            self.note_bent(numbers, source, rows[mine].iter());
            self.rows = rows;
        }
    }

    pub(super) fn assemble_contact(&mut self, shared: &Shared, numbers: &Discretiser, c: usize) {
        let contact = &self.contacts[c];
        let movers = contact.movers;
        let manifold = &shared.contacts.manifolds[contact.manifold as usize];
        let material = &shared.contacts.material(manifold);
        let resists = material.extras.resists();
        let (mut normals, mut patch_axes) = (Vec::new(), None);
        for (k, mut point) in manifold.views().enumerate() {
            patch_axes = Some(point.axes);
            let grain = Grain::new(&material.extras, &point.axes);
            let mut warm = self.posed[c].impulse[k];
            if let Some(grain) = &grain {
                point.axes = grain.axes(&point.axes);
                warm = grain.inward(warm);
            }
            let (law, mut rows) =
                self.contact_rows(shared, numbers, material, movers, &point, warm);
            if let Some(grain) = &grain {
                rows[2].jac = rows[2].jac.map(|half| half * grain.ratio());
                rows[2].position.bias *= grain.ratio();
                rows[2].velocity = rows[2].position;
            }
            self.posed[c].grain = grain;
            let source = Source::Contact {
                manifold: c as u32,
                point: k as u8,
            };
            let first = self.problem.rows.len();
            let used = if law == Law::Rows { 1 } else { 3 };
            self.problem.push_block(movers, law, source, &rows[..used]);
            if self.problem.rows.len() == first {
                // It presses on nothing that could give way.
                self.posed[c].impulse[k] = [0.0; 3];
            } else if resists {
                normals.push(first as u32);
            }
        }
        if let Some(axes) = patch_axes.filter(|_| resists) {
            let warm = self.posed[c].spin;
            self.assemble_spin(material, &axes, movers, c as u32, normals, warm);
        }
    }

    /// Law and rows of one point along its axes, from the impulses `warm` (N·s).
    fn contact_rows(
        &self,
        shared: &Shared,
        numbers: &Discretiser,
        material: &ContactMaterial,
        movers: [u32; 2],
        point: &PointView,
        warm: [f64; 3],
    ) -> (Law, [ProblemRow; 3]) {
        let [a, b] = movers.map(|m| &self.movers[m as usize]);
        let free = movers.map(|m| self.problem.bodies[m as usize].free);
        let mut rows = [0, 1, 2].map(|axis| ProblemRow {
            jac: point.jacobian(axis),
            slot: axis as u8,
            lambda: warm[axis],
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            ..ProblemRow::default()
        });
        let along = |axis: usize, v: [Twist; 2]| {
            rows[axis].jac[0].dot(&v[0]) + rows[axis].jac[1].dot(&v[1])
        };
        let velocity = [a.vel, b.vel];
        let belt = surface_speed(material, &point.axes);
        let slip = || {
            let along = [1, 2].map(|axis| along(axis, velocity) - belt[axis - 1]);
            along[0].hypot(along[1])
        };
        let mu = coefficient(material, slip, shared.params.tolerances.velocity);
        let gap = point.gap + along(0, [a.moved, b.moved]);
        let rates = [along(0, velocity), along(0, free)];
        let [ja, jb] = &rows[0].jac;
        let inv_mass = a.inv.apply(ja).dot(ja) + b.inv.apply(jb).dot(jb);
        let on_static = a.inv.is_zero() || b.inv.is_zero();
        let [position, velocity] =
            numbers.normal(gap, rates[0], rates[1], material, inv_mass, on_static);
        (rows[0].lo, rows[0].gap) = (0.0, gap);
        (rows[0].position, rows[0].velocity) = (position, velocity);
        for (row, belt) in rows[1..].iter_mut().zip(belt) {
            row.both(-belt, 0.0);
        }
        (Law::friction(material.law, mu), rows)
    }
}

/// Wanted speeds of b relative to a along the two tangents (m/s).
fn surface_speed(material: &ContactMaterial, axes: &[glam::DVec3; 3]) -> [f64; 2] {
    [
        axes[1].dot(material.surface_velocity),
        axes[2].dot(material.surface_velocity),
    ]
}

/// A body as joints and constraints see it.
pub(super) fn see(m: &Mover) -> JointBody {
    JointBody {
        pose: m.frame(),
        com: m.com,
        vel: m.vel,
    }
}

/// A row between two bodies as the problem has it; `free` are their velocities after forces.
#[inline]
fn posed(numbers: &Discretiser, row: &Row, [a, b]: [&Mover; 2], free: &[Twist; 2]) -> ProblemRow {
    let [ja, jb] = &row.jac;
    let mjt = [a.inv.apply(ja), b.inv.apply(jb)];
    let diag = mjt[0].dot(ja) + mjt[1].dot(jb);
    let rates = || {
        let before = ja.dot(&a.vel) + jb.dot(&b.vel);
        [before, ja.dot(&free[0]) + jb.dot(&free[1])]
    };
    let terms = numbers.terms(row, rates);
    ProblemRow {
        jac: row.jac,
        mjt,
        position: Term {
            reg: terms.position.reg + diag * terms.soft,
            ..terms.position
        },
        velocity: terms.velocity,
        lo: terms.bounds[0],
        hi: terms.bounds[1],
        diag,
        lambda: row.warm,
        gap: row.gap,
        slot: row.slot,
    }
}

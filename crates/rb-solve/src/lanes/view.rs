//! What the lanes hold, manifold by manifold: impulses, gaps, and rows for whoever wants rows.

use super::batch::{PLAIN, Seat, Wide3};
use super::bodies::twist;
use super::pack::{ContactLanes, matrix};
use super::section::Section;
use super::simd::Line;
use core::ops::Range;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::{FrictionLaw, MAX_POINTS};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Problem, ProblemBody, ProblemRow, Source};

/// A manifold, in whatever lanes it is.
pub(super) struct Patch {
    pub(super) bodies: [u32; 2],
    /// Normal and tangents.
    pub(super) axes: [DVec3; 3],
    pub(super) law: FrictionLaw,
    pub(super) friction: f64,
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [f64; 2],
}

/// One of its points.
pub(super) struct Spot {
    pub(super) arm: [DVec3; 2],
    /// Gap when the contact was found (m).
    pub(super) gap: f64,
    /// Impulse along normal and tangents (N·s).
    pub(super) impulse: [f64; 3],
    /// b and R of the velocity pass.
    pub(super) bias: f64,
    pub(super) reg: f64,
}

impl ContactLanes {
    /// Impulses along (n, t₁, t₂) of the points of a manifold (N·s), zero beyond the last point.
    pub fn impulses(&self, manifold: usize) -> [[f64; 3]; MAX_POINTS] {
        let (section, m) = self.home(manifold);
        section.impulses(m)
    }

    /// Gaps of the points of a manifold at the present displacements (m), infinite beyond the last.
    pub fn gaps(&self, manifold: usize) -> [f64; MAX_POINTS] {
        let (section, m) = self.home(manifold);
        section.gaps(m, &self.moved)
    }

    /// Appends a run of manifolds to a problem whose bodies `seat_of` numbers, as the certificate reads
    /// them: terms of the velocity pass in both passes. For audits and dumps.
    pub fn append_to(&self, p: &mut Problem, run: Range<usize>, seat_of: impl Fn(u32) -> u32) {
        let first = run.start;
        for m in run {
            let (section, number) = self.home(m);
            let patch = section.patch(number);
            let law = Law::friction(patch.law, patch.friction);
            let gaps = self.gaps(m);
            for k in section.numbers(number) {
                let spot = section.spot(number, k);
                let mut rows = patch.axes.map(|e| ProblemRow {
                    jac: [
                        Twist::new(-e, -spot.arm[0].cross(e)),
                        Twist::new(e, spot.arm[1].cross(e)),
                    ],
                    lo: f64::NEG_INFINITY,
                    hi: f64::INFINITY,
                    ..ProblemRow::default()
                });
                for (i, row) in rows.iter_mut().enumerate() {
                    row.slot = i as u8;
                    row.lambda = spot.impulse[i];
                }
                rows[0].both(spot.bias, spot.reg);
                (rows[0].lo, rows[0].gap) = (0.0, gaps[k]);
                rows[1].both(-patch.belt[0], 0.0);
                rows[2].both(-patch.belt[1], 0.0);
                let source = Source::Contact {
                    manifold: (m - first) as u32,
                    point: k as u8,
                };
                let body = |line: u32| self.layout.body(section.base + line as usize) as u32;
                let bodies = patch.bodies.map(|line| seat_of(body(line)));
                let used = if law == Law::Rows { 1 } else { 3 };
                p.push_block(bodies, law, source, &rows[..used]);
            }
        }
    }

    /// A body as a problem has it.
    pub fn body(&self, body: usize) -> ProblemBody {
        let line = self.layout.line(body);
        let (lin, ang) = matrix(&self.inv[line], &self.vel[line]);
        ProblemBody {
            free: self.free(body),
            vel: self.velocity(body),
            inv: InvMass { lin, ang },
            extent: 0.0,
        }
    }
}

impl Section {
    fn impulses(&self, m: usize) -> [[f64; 3]; MAX_POINTS] {
        let mut out = [[0.0; 3]; MAX_POINTS];
        let seat = &self.seats[m];
        let thin = self.thin.get(seat.batch as usize);
        for (k, to) in self.numbers(m).zip(&mut out) {
            *to = match thin {
                Some(thin) => thin.impulse_of(k),
                None => self.impulse_in(seat, k),
            };
        }
        out
    }

    fn impulse_in(&self, seat: &Seat, k: usize) -> [f64; 3] {
        let first = self.batches[seat.batch as usize].first as usize;
        let impulse = &self.points[first + k].impulse;
        [0, 1, 2].map(|c| impulse[c].0[seat.lane as usize])
    }

    fn gaps(&self, m: usize, moved: &[Line]) -> [f64; MAX_POINTS] {
        let patch = self.patch(m);
        let moved = patch
            .bodies
            .map(|line| twist(&moved[self.base + line as usize]));
        let mut out = [f64::INFINITY; MAX_POINTS];
        for (k, gap) in self.numbers(m).zip(&mut out) {
            let spot = self.spot(m, k);
            let [a, b] = [0, 1].map(|s| moved[s].at(spot.arm[s]));
            *gap = spot.gap + patch.axes[0].dot(b - a);
        }
        out
    }

    fn numbers(&self, manifold: usize) -> Range<usize> {
        0..self.seats[manifold].points as usize
    }

    fn patch(&self, manifold: usize) -> Patch {
        let seat = &self.seats[manifold];
        if let Some(thin) = self.thin.get(seat.batch as usize) {
            return thin.patch();
        }
        let (batch, lane) = (&self.batches[seat.batch as usize], seat.lane as usize);
        let (n, t) = (vector(&batch.normal, lane), vector(&batch.tangent, lane));
        Patch {
            bodies: [0, 1].map(|s| batch.bodies[s][lane]),
            axes: [n, t, n.cross(t)],
            law: batch.law,
            friction: batch.mu.0[lane],
            belt: [0, 1].map(|k| batch.belt[k].0[lane]),
        }
    }

    fn spot(&self, manifold: usize, k: usize) -> Spot {
        let seat = &self.seats[manifold];
        if let Some(thin) = self.thin.get(seat.batch as usize) {
            return thin.spot(k);
        }
        let (batch, lane) = (&self.batches[seat.batch as usize], seat.lane as usize);
        let point = &self.points[batch.first as usize + k];
        let inverse = point.inverse.0[lane];
        let reg = match batch.special {
            PLAIN => 0.0,
            first => self.special[first as usize + k].reg[1].0[lane],
        };
        Spot {
            arm: [0, 1].map(|s| vector(&point.arm[s], lane)),
            gap: point.gap.0[lane],
            impulse: self.impulse_in(seat, k),
            bias: point.bias[1].0[lane],
            reg: if inverse > 0.0 { reg / inverse } else { 0.0 },
        }
    }
}

/// The vector in a lane.
pub(super) fn vector(w: &Wide3, lane: usize) -> DVec3 {
    DVec3::new(w[0].0[lane], w[1].0[lane], w[2].0[lane])
}

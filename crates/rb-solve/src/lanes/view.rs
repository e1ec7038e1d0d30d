//! What the lanes hold, manifold by manifold: impulses, gaps, and rows for whoever wants rows.

use super::pack::{ContactLanes, PLAIN, Point, Wide3, matrix, twist};
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::MAX_POINTS;
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Problem, ProblemBody, ProblemRow, Source};

impl ContactLanes {
    /// Impulses along (n, t₁, t₂) of the points of a manifold (N·s), zero beyond the last point.
    pub fn impulses(&self, manifold: usize) -> [[f64; 3]; MAX_POINTS] {
        let mut out = [[0.0; 3]; MAX_POINTS];
        for (to, p) in out.iter_mut().zip(self.points_of(manifold)) {
            *to = p.impulse.map(|w| w.0[self.seats[manifold].lane as usize]);
        }
        out
    }

    /// Gaps of the points of a manifold at the present displacements (m), infinite beyond the last.
    pub fn gaps(&self, manifold: usize) -> [f64; MAX_POINTS] {
        let seat = self.seats[manifold];
        let (batch, lane) = (&self.batches[seat.batch as usize], seat.lane as usize);
        let vector = |w: &Wide3| DVec3::from_array([0, 1, 2].map(|k| w[k].0[lane]));
        let n = vector(&batch.normal);
        let moved = [0, 1].map(|s| twist(&self.moved[batch.bodies[s][lane] as usize]));
        let mut out = [f64::INFINITY; MAX_POINTS];
        for (gap, p) in out.iter_mut().zip(self.points_of(manifold)) {
            let [a, b] = [0, 1].map(|s| moved[s].at(vector(&p.arm[s])));
            *gap = p.gap.0[lane] + n.dot(b - a);
        }
        out
    }

    fn points_of(&self, manifold: usize) -> &[Point] {
        let seat = self.seats[manifold];
        let first = self.batches[seat.batch as usize].first as usize;
        &self.points[first..first + seat.points as usize]
    }

    /// Appends the contacts to a problem over the same bodies, as the certificate reads them: terms of
    /// the velocity pass in both passes. For audits and dumps.
    pub fn append_to(&self, p: &mut Problem) {
        for (m, seat) in self.seats.iter().enumerate() {
            let (batch, lane) = (&self.batches[seat.batch as usize], seat.lane as usize);
            let vector = |w: &Wide3| DVec3::from_array([0, 1, 2].map(|k| w[k].0[lane]));
            let (n, t) = (vector(&batch.normal), vector(&batch.tangent));
            let law = Law::friction(batch.law, batch.mu.0[lane]);
            let gaps = self.gaps(m);
            for (k, q) in self.points_of(m).iter().enumerate() {
                let arm = [0, 1].map(|s| vector(&q.arm[s]));
                let mut rows = [n, t, n.cross(t)].map(|e| ProblemRow {
                    jac: [
                        Twist::new(-e, -arm[0].cross(e)),
                        Twist::new(e, arm[1].cross(e)),
                    ],
                    lo: f64::NEG_INFINITY,
                    hi: f64::INFINITY,
                    ..ProblemRow::default()
                });
                for (i, row) in rows.iter_mut().enumerate() {
                    row.slot = i as u8;
                    row.lambda = q.impulse[i].0[lane];
                }
                let reg = match batch.special {
                    PLAIN => 0.0,
                    first => self.special[first as usize + k].reg[1].0[lane],
                };
                let inverse = q.inverse.0[lane];
                let reg = if inverse > 0.0 { reg / inverse } else { 0.0 };
                rows[0].both(q.bias.0[lane], reg);
                (rows[0].lo, rows[0].gap) = (0.0, gaps[k]);
                rows[1].both(-batch.belt[0].0[lane], 0.0);
                rows[2].both(-batch.belt[1].0[lane], 0.0);
                let source = Source::Contact {
                    manifold: m as u32,
                    point: k as u8,
                };
                let bodies = [0, 1].map(|s| batch.bodies[s][lane]);
                let used = if law == Law::Rows { 1 } else { 3 };
                p.push_block(bodies, law, source, &rows[..used]);
            }
        }
    }

    /// A body as a problem has it.
    pub fn body(&self, body: usize) -> ProblemBody {
        let (lin, ang) = matrix(&self.inv[body], &self.vel[body]);
        ProblemBody {
            free: twist(&self.free[body]),
            vel: self.velocity(body),
            inv: InvMass { lin, ang },
            extent: 0.0,
        }
    }
}

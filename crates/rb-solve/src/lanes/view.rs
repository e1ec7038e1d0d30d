//! What the lanes hold, manifold by manifold: impulses, gaps, and rows for whoever wants rows.

use super::batch::{NONE, Packed, Seat, Special, Wide3};
use super::bodies::twist;
use super::pack::{ContactLanes, matrix};
use super::precision::either;
use super::section::Section;
use super::simd::{Line, Stored};
use core::ops::Range;
use glam::DVec3;
use rb_core::law::Law;
use rb_core::manifold::{FrictionLaw, Impulses, MAX_POINTS, Manifold, ManifoldPoint};
use rb_core::mass::InvMass;
use rb_core::math::Twist;
use rb_core::problem::{Extra, Problem, ProblemBody, ProblemRow, Source};

/// A manifold, in whatever lanes it is.
pub(super) struct Patch {
    pub(super) bodies: [u32; 2],
    /// Normal and tangents.
    pub(super) axes: [DVec3; 3],
    pub(super) law: FrictionLaw,
    pub(super) friction: f64,
    /// Wanted speed of b relative to a along the tangents (m/s).
    pub(super) belt: [f64; 2],
    /// Its friction, where that is one.
    pub(super) hold: Option<Hold>,
}

/// Friction of a manifold as one.
pub(super) struct Hold {
    /// Centre of the load, from both bodies.
    pub(super) arm: [DVec3; 2],
    pub(super) reach: f64,
    /// Impulse along the tangents, and of the twist over the reach (N·s).
    pub(super) impulse: [f64; 3],
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
    /// Stores the impulses of a manifold, as they were [settled](Self::settle), in what it is in the world; says whether a
    /// point pushes.
    #[inline]
    pub fn store(&self, manifold: usize, to: &mut Manifold) -> bool {
        let (section, m) = self.location(manifold);
        section.store(m, to)
    }

    /// Whether a point of a manifold, which is still as it was packed, is closed at the present displacements.
    #[inline]
    pub fn is_closed(&self, manifold: usize, packed: &Manifold) -> bool {
        let (section, m) = self.location(manifold);
        let line = |line: u32| &self.moved[section.base + line as usize];
        let [a, b] = section.members[m].bodies.map(|body| twist(line(body)));
        let gap = |p: &ManifoldPoint| {
            let arm = packed.arms(p);
            p.gap + packed.normal.dot(b.at(arm[1]) - a.at(arm[0]))
        };
        packed.points().iter().any(|p| gap(p) <= 0.0)
    }

    /// Gaps of the points of a manifold at the present displacements (m), infinite beyond the last.
    pub fn gaps(&self, manifold: usize) -> [f64; MAX_POINTS] {
        let (section, m) = self.location(manifold);
        section.gaps(m, &self.moved)
    }

    /// Appends a run of manifolds to a problem whose bodies `seat_of` numbers, as the certificate reads
    /// them: terms of the velocity pass in both passes. For audits and dumps.
    pub fn append_to(&self, p: &mut Problem, run: Range<usize>, seat_of: impl Fn(u32) -> u32) {
        let first = run.start;
        for m in run {
            let (section, number) = self.location(m);
            let patch = section.patch(number);
            let law = match patch.hold {
                Some(_) => Law::Rows,
                None => Law::friction(patch.law, patch.friction),
            };
            let body = |line: u32| self.layout.body(section.base + line as usize) as u32;
            let bodies = patch.bodies.map(|line| seat_of(body(line)));
            let source = |point: usize| Source::Contact {
                manifold: (m - first) as u32,
                point: point as u8,
            };
            let (gaps, mut normals) = (self.gaps(m), Vec::new());
            for k in section.numbers(number) {
                let spot = section.spot(number, k);
                let mut rows = patch.axes.map(|e| row(e, spot.arm));
                for (i, row) in rows.iter_mut().enumerate() {
                    row.slot = i as u8;
                    row.lambda = spot.impulse[i];
                }
                rows[0].both(spot.bias, spot.reg);
                (rows[0].lo, rows[0].gap) = (0.0, gaps[k]);
                rows[1].both(-patch.belt[0], 0.0);
                rows[2].both(-patch.belt[1], 0.0);
                let first = p.rows.len();
                let used = if law == Law::Rows { 1 } else { 3 };
                p.push_block(bodies, law, source(k), &rows[..used]);
                if p.rows.len() > first {
                    normals.push(first as u32);
                }
            }
            if let Some(hold) = &patch.hold {
                hold.append_to(p, &patch, bodies, source(0), normals);
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

/// A row along an axis at a point that `arm` leads to.
fn row(e: DVec3, arm: [DVec3; 2]) -> ProblemRow {
    ProblemRow {
        jac: [
            Twist::new(-e, -arm[0].cross(e)),
            Twist::new(e, arm[1].cross(e)),
        ],
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
        ..ProblemRow::default()
    }
}

impl Hold {
    /// Appends the block that it is, bounded by the rows `normals`.
    fn append_to(
        &self,
        p: &mut Problem,
        patch: &Patch,
        bodies: [u32; 2],
        source: Source,
        normals: Vec<u32>,
    ) {
        let [n, t, u] = patch.axes;
        let mut twist = row(n, [DVec3::ZERO; 2]);
        twist.jac = [-n, n].map(|e| Twist::new(DVec3::ZERO, e * self.reach));
        let mut rows = [twist, row(t, self.arm), row(u, self.arm)];
        let [x, y, z] = self.impulse;
        for (row, lambda) in rows.iter_mut().zip([z, x, y]) {
            row.lambda = lambda;
        }
        rows[1].both(-patch.belt[0], 0.0);
        rows[2].both(-patch.belt[1], 0.0);
        let extra = Extra {
            normals,
            ..Extra::default()
        };
        let block = p.blocks.len();
        p.push_wide_block(bodies, source, &rows, extra);
        p.blocks[block].law = Law::Spin {
            torsion: patch.friction,
            rolling: patch.friction,
        };
    }
}

impl Section {
    #[inline]
    fn store(&self, m: usize, to: &mut Manifold) -> bool {
        let seat = &self.seats[m];
        match self.thin.get(seat.batch as usize) {
            Some(thin) => thin.store(to),
            None => either!(&self.packed, |packed| packed.store(seat, m, to)),
        }
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
        either!(&self.packed, |packed| packed.patch(seat))
    }

    fn spot(&self, manifold: usize, k: usize) -> Spot {
        let seat = &self.seats[manifold];
        if let Some(thin) = self.thin.get(seat.batch as usize) {
            return thin.spot(k);
        }
        either!(&self.packed, |packed| packed.spot(seat, k))
    }
}

impl<W: Stored> Packed<W> {
    /// Stores the impulses of the manifold in a seat, which is the `m`-th of its section.
    #[inline]
    fn store(&self, seat: &Seat, m: usize, to: &mut Manifold) -> bool {
        if seat.class.is_gripped() {
            let [whole @ .., _] = self.settled[m].0;
            return put(&Impulses::Whole(whole), to);
        }
        let mut of_points = [[0.0; 3]; MAX_POINTS];
        let (count, lane) = (usize::from(seat.points), usize::from(seat.lane));
        let batch = &self.batches[seat.batch as usize];
        let points = &self.points[batch.range()];
        let slips = &self.slips[batch.slips()];
        for ((p, slip), to) in points.iter().zip(slips).zip(&mut of_points[..count]) {
            let [t, u] = &slip.impulse;
            *to = [&p.impulse, t, u].map(|along| along.at(lane));
        }
        let (points, spin) = (of_points, DVec3::ZERO);
        put(&Impulses::Each { points, spin }, to)
    }

    fn patch(&self, seat: &Seat) -> Patch {
        let lane = seat.lane as usize;
        let batch = &self.batches[seat.batch as usize];
        let (n, t) = (vector(&batch.normal, lane), vector(&batch.tangent, lane));
        let grip = self.grips.get(batch.grip as usize);
        Patch {
            bodies: [0, 1].map(|s| batch.bodies[s][lane].line()),
            axes: [n, t, n.cross(t)],
            law: batch.law,
            friction: batch.mu.at(lane),
            belt: [0, 1].map(|k| batch.belt[k].at(lane)),
            hold: grip.map(|grip| grip.hold(batch, lane)),
        }
    }

    fn spot(&self, seat: &Seat, k: usize) -> Spot {
        let lane = seat.lane as usize;
        let batch = &self.batches[seat.batch as usize];
        let (points, heights) = self.of(batch);
        let point = &points[k];
        let slip = self.slips[batch.slips()].get(k);
        let inverse = point.inverse.at(lane);
        let [bias, reg] = match batch.special {
            NONE => [point.bias.at(lane).max(0.0), 0.0],
            first => {
                let Special { bias, reg } = &self.special[first as usize + k];
                [bias[1].at(lane), reg[1].at(lane)]
            }
        };
        let along = |t: usize| slip.map_or(0.0, |slip| slip.impulse[t].at(lane));
        Spot {
            arm: batch.arms((points, heights), k, lane),
            gap: heights[k].gap.at(lane),
            impulse: [point.impulse.at(lane), along(0), along(1)],
            bias,
            reg: if inverse > 0.0 { reg / inverse } else { 0.0 },
        }
    }
}

/// Stores impulses; says whether a point pushes. For each form by itself: what either may be would be put together in
/// memory, and waited for.
#[inline(always)]
pub(super) fn put(impulses: &Impulses, to: &mut Manifold) -> bool {
    to.set_impulses(impulses);
    impulses.pushes()
}

/// The vector in a lane.
pub(super) fn vector<W: Stored>(w: &Wide3<W>, lane: usize) -> DVec3 {
    DVec3::new(w[0].at(lane), w[1].at(lane), w[2].at(lane))
}

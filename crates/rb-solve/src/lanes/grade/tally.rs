//! Sums of the certificate's lanes, for all contacts or for each of several sets.

use super::{Sums, run};
use crate::lanes::LANES;
use crate::lanes::batch::Seat;
use crate::lanes::pack::{ContactLanes, State};
use crate::lanes::precision::either;
use crate::lanes::section::Section;
use crate::lanes::simd::Stored;
use crate::lanes::thin;
use crate::parallel;
use core::ops::Range;
use rb_core::manifold::MAX_POINTS;
use rb_core::problem::Source;
use rb_core::residual::{Grade, Scaled};
use rb_core::room;

/// Running numbers of the certificate over the lanes of one set of contacts.
#[derive(Clone, Debug, Default)]
pub(in crate::lanes) struct Tally {
    /// Square of the largest violation (m/s), and its entry of `points` and its lane. What is no number is
    /// infinite.
    abs2: f64,
    place: Option<(usize, usize)>,
    error2_max: f64,
    scale2_max: f64,
    error2: f64,
    scale2: f64,
    outside2: f64,
    closing: f64,
    product: f64,
    dissipation: f64,
    open: f64,
    stick: f64,
    slide: f64,
    depth: f64,
}

impl Tally {
    fn take<W: Stored>(&mut self, sums: &Sums<W>, lane: usize) {
        let at = |w: &W| w.at(lane);
        if at(&sums.abs2) > self.abs2 {
            self.abs2 = at(&sums.abs2);
            self.place = Some((at(&sums.place) as usize, lane));
        }
        for (most, w) in [
            (&mut self.error2_max, &sums.error2_max),
            (&mut self.scale2_max, &sums.scale2_max),
            (&mut self.outside2, &sums.outside2),
            (&mut self.closing, &sums.closing),
            (&mut self.product, &sums.product),
            (&mut self.dissipation, &sums.dissipation),
            (&mut self.depth, &sums.depth),
        ] {
            *most = most.max(at(w));
        }
        for (total, w) in [
            (&mut self.error2, &sums.error2),
            (&mut self.scale2, &sums.scale2),
            (&mut self.open, &sums.open),
            (&mut self.stick, &sums.stick),
            (&mut self.slide, &sums.slide),
        ] {
            *total += at(w);
        }
    }
}

/// Which batches the certificate grades: one in `every`, another one in every turn.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// 1 for all.
    pub every: u32,
    /// Turns so far.
    pub turn: u64,
}

impl Sample {
    /// Everything.
    pub const ALL: Self = Self { every: 1, turn: 0 };

    /// Whether something may be left out.
    pub fn is_partial(self) -> bool {
        self.every > 1
    }
}

/// Grade of a set of contacts, what the whole certificate needs of it, and the deepest penetration of a
/// rigid one (m).
pub type Graded = (Grade, Scaled, f64);

impl ContactLanes {
    /// Grade of the contacts in the velocity pass, and the deepest penetration of a rigid one at the
    /// present displacements (m). Sources name manifolds in packing order.
    pub fn grade(&mut self, speed_floor: f64) -> Graded {
        let state = State {
            inv: &self.inv,
            vel: &self.vel,
            moved: &self.moved,
            free: &self.free,
        };
        let stride = self.layout.stride();
        parallel::for_each(&mut self.sections, 1, |section| {
            let run = section.base..section.base + stride;
            section.count(Sample::ALL, state.run(run), speed_floor);
        });
        self.grade_counted(Sample::ALL, speed_floor)
    }

    /// The same of a sample, where every section [has counted](crate::lanes::Watch::count) its own.
    pub fn grade_counted(&mut self, sample: Sample, speed_floor: f64) -> Graded {
        let state = State {
            inv: &self.inv,
            vel: &self.vel,
            moved: &self.moved,
            free: &self.free,
        };
        self.seam.look(state, |part, state| {
            part.count(sample, state, speed_floor);
        });
        let mut all = self.in_all(0, self.sections[0].graded());
        for (k, section) in self.all().enumerate().skip(1) {
            if !section.members.is_empty() {
                all = worst_of(all, self.in_all(k as u32, section.graded()));
            }
        }
        all
    }

    /// The grade of a section with its manifolds numbered as they were packed.
    fn in_all(&self, section: u32, (mut grade, scaled, depth): Graded) -> Graded {
        if let Some(Source::Contact { manifold, point }) = grade.worst {
            let here = |location: &[u32; 2]| *location == [section, manifold];
            let manifold = self.locations.iter().position(here).unwrap_or(0) as u32;
            grade.worst = Some(Source::Contact { manifold, point });
            grade.worst_contact = grade.worst;
        }
        (grade, scaled, depth)
    }

    /// The same for each of several sets of manifolds that share no movable body, given by the first
    /// manifold of each; sources name manifolds within their set. If there are several, all must be in one
    /// section.
    pub fn grade_parts(&mut self, firsts: &[u32], speed_floor: f64, mut out: impl FnMut(Graded)) {
        if firsts.len() == 1 {
            return out(self.grade(speed_floor));
        }
        let state = State {
            inv: &self.inv,
            vel: &self.vel,
            moved: &self.moved,
            free: &self.free,
        };
        self.sections[0].grade_parts(state, firsts, speed_floor, out);
    }
}

/// The worse of two sets of contacts.
fn worst_of((g, s, d): Graded, (h, t, e): Graded) -> Graded {
    (g.worst_of(h), s.and(t), d.max(e))
}

impl Section {
    /// Counts a sample of its contacts in one tally.
    pub(in crate::lanes) fn count(&mut self, sample: Sample, state: State, speed_floor: f64) {
        self.tallies.clear();
        self.tallies.push(Tally::default());
        let mut tallies = std::mem::take(&mut self.tallies);
        let all = 0..self.units();
        if sample.is_partial() {
            let first = (sample.turn % u64::from(sample.every)) as usize;
            let some = (first..all.end).step_by(sample.every as usize);
            let some = some.map(|unit| unit..unit + 1);
            self.sum(some, state, speed_floor, (&mut tallies, &[0; LANES]));
        } else {
            let all = core::iter::once(all);
            self.sum(all, state, speed_floor, (&mut tallies, &[0; LANES]));
        }
        self.tallies = tallies;
    }

    /// Grade of what was counted.
    fn graded(&self) -> Graded {
        let tally = self.tallies.first();
        tally.map_or_else(Default::default, |t| self.grade_of(t, 0))
    }

    fn grade_parts(
        &mut self,
        state: State,
        firsts: &[u32],
        speed_floor: f64,
        mut out: impl FnMut(Graded),
    ) {
        let mut owners = std::mem::take(&mut self.owners);
        let mut tallies = std::mem::take(&mut self.tallies);
        owners.clear();
        room::fit(&mut owners, self.units());
        owners.resize(self.units(), [u32::MAX; LANES]);
        let ends = firsts.iter().skip(1).copied();
        let ends = ends.chain([self.seats.len() as u32]);
        for (part, (&first, end)) in firsts.iter().zip(ends).enumerate() {
            for seat in &self.seats[first as usize..end as usize] {
                let owners = &mut owners[seat.batch as usize];
                if self.is_thin() {
                    *owners = [part as u32; LANES];
                } else {
                    owners[seat.lane as usize] = part as u32;
                }
            }
        }
        tallies.clear();
        tallies.resize(firsts.len(), Tally::default());
        for (unit, owners) in owners.iter().enumerate() {
            let unit = core::iter::once(unit..unit + 1);
            self.sum(unit, state, speed_floor, (&mut tallies, owners));
        }
        for (tally, &first) in tallies.iter().zip(firsts) {
            out(self.grade_of(tally, first));
        }
        (self.owners, self.tallies) = (owners, tallies);
    }

    /// Batches, or manifolds of their own.
    fn units(&self) -> usize {
        either!(&self.packed, |packed| packed.batches.len()) + self.thin.len()
    }

    /// Grades some units, and gives what each lane sums up to the tally of its owner.
    fn sum(
        &self,
        units: impl Iterator<Item = Range<usize>>,
        bodies: State,
        floor: f64,
        to: (&mut [Tally], &[u32; LANES]),
    ) {
        if self.is_thin() {
            let mut sums = Sums::default();
            for units in units {
                let first = units.start;
                thin::grade(&self.thin[units], first, bodies, floor, &mut sums);
            }
            return give(&sums, to);
        }
        either!(&self.packed, |packed| {
            let mut sums = Sums::default();
            for units in units {
                run(packed, units, bodies, floor, &mut sums);
            }
            give(&sums, to);
        });
    }

    /// Grade of a set whose first manifold is `first`.
    fn grade_of(&self, t: &Tally, first: u32) -> Graded {
        let worst = t
            .place
            .and_then(|(point, lane)| self.source(point, lane, first));
        let abs = t.abs2.sqrt();
        let grade = Grade {
            abs,
            contact: abs,
            worst,
            worst_contact: worst,
            outside: t.outside2.sqrt(),
            closing: t.closing,
            complementarity: t.product,
            dissipation: t.dissipation,
            open: t.open as u32,
            stick: t.stick as u32,
            slide: t.slide as u32,
            ..Grade::default()
        };
        let scaled = Scaled {
            error: t.error2_max.sqrt(),
            scale: t.scale2_max.sqrt(),
            error2: t.error2,
            scale2: t.scale2,
        };
        (grade, scaled, t.depth)
    }

    /// The contact point in a lane of an entry of `points`, or in a place of [`thin::grade`]; manifolds are counted
    /// from `origin`.
    fn source(&self, point: usize, lane: usize, origin: u32) -> Option<Source> {
        if self.is_thin() {
            let here = |s: &Seat| s.batch as usize == point / MAX_POINTS;
            let manifold = self.seats.iter().position(here)? as u32 - origin;
            let point = (point % MAX_POINTS) as u8;
            return Some(Source::Contact { manifold, point });
        }
        let (batch, point) = either!(&self.packed, |packed| {
            let mut batches = packed.batches.iter();
            let batch = batches.position(|b| b.range().contains(&point))?;
            (batch, point - packed.batches[batch].first as usize)
        });
        let here = |s: &Seat| s.batch as usize == batch && s.lane as usize == lane;
        let manifold = self.seats.iter().position(here)? as u32 - origin;
        let point = point as u8;
        Some(Source::Contact { manifold, point })
    }
}

/// Gives what each lane sums up to the tally of its owner.
fn give<W: Stored>(sums: &Sums<W>, (tallies, owners): (&mut [Tally], &[u32; LANES])) {
    for (lane, &owner) in owners.iter().enumerate() {
        if let Some(tally) = tallies.get_mut(owner as usize) {
            tally.take(sums, lane);
        }
    }
}

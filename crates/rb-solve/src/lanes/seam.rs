//! What lies between sections, in parts: that between neighbours first, by twos, then that between pairs of these, and so
//! on up to what lies between both halves.
//!
//! ```text
//! sections   0   1   2   3   4   5
//! level 1     0|1     2|3     4|5        a part for each two sections
//! level 2       01|23           45       one for each two of these
//! level 3           0123|45
//! ```
//!
//! A contact between two sections is in the lowest part that spans both. Sections mostly come from halving an island
//! again and again, and then a part lies along one cut. Parts of a level span different sections and share no body, so
//! threads visit them side by side. Levels follow one another, or back again in a sweep that is backwards. With two
//! sections there is one part.

use super::pack::{Bodies, State};
use super::section::{PackInput, Section};
use super::simd::{Line, Stored};
use crate::parallel;
use core::ops::Range;
use rb_core::room;

/// Manifolds of a level below which its parts are visited one after the other: they take a few microseconds, and so does
/// it to hand them out.
const FEW: usize = 256;

/// Contacts between bodies of different sections.
#[derive(Clone, Debug, Default)]
pub(super) struct Seam {
    /// Level after level.
    parts: Vec<Section>,
    levels: Vec<Level>,
}

/// Parts that share nothing.
#[derive(Clone, Debug)]
struct Level {
    parts: Range<usize>,
    /// Lines of the bodies of a part; the last may have fewer.
    lines: usize,
}

impl Seam {
    /// Forgets all contacts, and makes room for those between so many sections of `stride` lines.
    pub(super) fn reset(&mut self, sections: usize, stride: usize) {
        self.levels.clear();
        let (mut first, mut span) = (0, 2);
        while span < 2 * sections {
            let end = first + sections.div_ceil(span);
            self.levels.push(Level {
                parts: first..end,
                lines: span * stride,
            });
            (first, span) = (end, 2 * span);
        }
        self.parts.resize_with(first, Section::default);
        for level in &self.levels {
            for (k, part) in self.parts[level.parts.clone()].iter_mut().enumerate() {
                part.clear(k * level.lines);
                part.plan.use_colours();
            }
        }
    }

    /// Number of the part that two sections share.
    pub(super) fn between(&self, a: usize, b: usize) -> usize {
        let level = (a ^ b).ilog2() as usize;
        self.levels[level].parts.start + (a >> (level + 1))
    }

    /// The parts, by their numbers.
    pub(super) fn parts(&self) -> &[Section] {
        &self.parts
    }

    /// The same.
    pub(super) fn parts_mut(&mut self) -> &mut [Section] {
        &mut self.parts
    }

    /// Whether nothing lies between sections.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.members.is_empty())
    }

    /// Runs `f` on every part with its lines of `state`.
    pub(super) fn look(&mut self, state: State, f: impl Fn(&mut Section, State) + Sync + Send) {
        for level in &self.levels {
            let parts = &mut self.parts[level.parts.clone()];
            parallel::alone_if(are_few(parts), || {
                parallel::for_each(parts, 1, |part| {
                    let end = state.vel.len().min(part.base + level.lines);
                    f(part, state.run(part.base..end));
                });
            });
        }
    }

    /// Packs all parts between bodies with these lines: inverse masses, velocities, and whether masses are others than
    /// contacts were packed with.
    pub(super) fn pack(
        &mut self,
        input: &PackInput,
        (inv, vel, other): (&[Line], &[Line], &[bool]),
    ) {
        for level in &self.levels {
            let parts = &mut self.parts[level.parts.clone()];
            parallel::for_each(parts, 1, |part| {
                let run = part.base..inv.len().min(part.base + level.lines);
                let lines = (&inv[run.clone()], &vel[run.clone()], &other[run]);
                part.pack(input, lines, lines.0.len());
            });
        }
    }

    /// Runs `f` on every part with its bodies, level by level.
    pub(super) fn each<L: Stored>(
        &mut self,
        bodies: Bodies<L>,
        backwards: bool,
        f: impl Fn(&mut Section, Bodies<L>) + Sync + Send,
    ) {
        let Bodies { inv, vel, moved } = bodies;
        let Self { parts, levels } = self;
        let mut visit = |level: &Level| {
            let parts = &mut parts[level.parts.clone()];
            parallel::alone_if(are_few(parts), || {
                parallel::for_each_with_run(parts, vel, level.lines, |part, vel| {
                    let run = part.base..part.base + vel.len();
                    let (inv, moved) = (&inv[run.clone()], &moved[run]);
                    f(part, Bodies { inv, vel, moved });
                });
            });
        };
        match backwards {
            true => levels.iter().rev().for_each(&mut visit),
            false => levels.iter().for_each(&mut visit),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Section::bytes).sum();
        parts + room::bytes(&self.parts) + room::bytes(&self.levels)
    }
}

/// Whether the parts of a level have few manifolds.
fn are_few(parts: &[Section]) -> bool {
    parts.iter().map(|part| part.members.len()).sum::<usize>() < FEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_level_share_no_section() {
        for sections in 1..20 {
            let mut seam = Seam::default();
            seam.reset(sections, 3);
            assert_eq!(seam.parts().is_empty(), sections == 1);
            for b in 0..sections {
                for a in 0..b {
                    let number = seam.between(a, b);
                    assert_eq!(number, seam.between(b, a));
                    let level = seam.levels.iter().find(|l| l.parts.contains(&number));
                    let lines = level.map_or(0, |l| l.lines);
                    let first = seam.parts()[number].base;
                    // Both, and no other part of the level begins before its last line.
                    assert!(first <= 3 * a && 3 * (b + 1) <= first + lines);
                    assert_eq!(first % lines, 0);
                }
            }
        }
    }
}

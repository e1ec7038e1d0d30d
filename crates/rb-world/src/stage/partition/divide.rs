//! Large islands in sections of equally many bodies near one another, to be swept side by side.
//!
//! Bodies are split at the median of their longest side, halves again, and so on. The cuts are upright where
//! they can be: a load then travels down a column within one section. Coordinates are counted in cells, so
//! that bodies above one another stay together whatever rounding says, and from a body of the island, so
//! that its place in the world does not matter. Source: M. Berger, S. Bokhari, "A partitioning strategy
//! for nonuniform problems on multiprocessors", 1987.

use glam::DVec3;
use rb_core::body::Body;
use rb_core::math::tangents;

/// Movable bodies from which on an island is divided.
pub(super) const LARGE: usize = 512;

/// Movable bodies of a section, at most. In smaller ones more lanes stay idle: a strip of a wall is a chain.
const SECTION: usize = 2048;

/// An island is cut across the direction of gravity only if it is that many times as high as wide.
const UPRIGHT: i64 = 4;

/// A movable body of a large island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    pub(crate) slot: u32,
    /// Whether joints hold it.
    pub(super) jointed: bool,
    at: DVec3,
    /// Largest distance of its surface from there (m).
    extent: f64,
    /// Its cell along each axis.
    cell: [i64; 3],
}

impl Resident {
    pub(super) fn new(slot: u32, body: &Body) -> Self {
        Self {
            slot,
            jointed: !body.joints.is_empty(),
            at: body.com,
            extent: body.extent,
            cell: [0; 3],
        }
    }
}

/// Puts the bodies of an island, lowest slot first, in the order of their sections, and returns how
/// many bodies a section has. Within one they stay in the order of slots.
pub(super) fn divide(residents: &mut [Resident], gravity: DVec3) -> usize {
    let sections = residents.len().div_ceil(SECTION).next_power_of_two().max(2);
    let size = residents.len().div_ceil(sections);
    find_cells(residents, gravity);
    split(residents, sections, size);
    size
}

fn find_cells(residents: &mut [Resident], gravity: DVec3) {
    let Some(first) = residents.first() else {
        return;
    };
    let up = gravity.try_normalize().unwrap_or(DVec3::Y);
    let [x, z] = tangents(up);
    // Off the middle, where symmetric scenes have their bodies.
    let width = first.extent.max(f64::MIN_POSITIVE);
    let origin = first.at - DVec3::splat(0.37 * width);
    for r in residents {
        let at = (r.at - origin) / width;
        r.cell = [x, z, up].map(|e| at.dot(e).floor() as i64);
    }
}

/// Sorts bodies into so many sections of `size` each.
fn split(residents: &mut [Resident], sections: usize, size: usize) {
    let at = sections / 2 * size;
    if sections <= 1 || at >= residents.len() {
        residents.sort_unstable_by_key(|r| r.slot);
        return;
    }
    let axis = longest(residents);
    residents.select_nth_unstable_by_key(at, |r| (r.cell[axis], r.slot));
    let (a, b) = residents.split_at_mut(at);
    split(a, sections / 2, size);
    split(b, sections - sections / 2, size);
}

/// The axis along which the bodies reach farthest.
fn longest(residents: &[Resident]) -> usize {
    let reach = |axis: usize| {
        let cells = residents.iter().map(|r| r.cell[axis]);
        let (low, high) = cells.fold((i64::MAX, i64::MIN), |(l, h), c| (l.min(c), h.max(c)));
        high.saturating_sub(low)
    };
    let [x, z, up] = [reach(0), reach(1), reach(2) / UPRIGHT];
    match (x >= z, x.max(z) >= up) {
        (_, false) => 2,
        (true, true) => 0,
        (false, true) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    /// Sections of a wall of so many columns and rows of boxes, by slot; boxes of every other row stand half a box
    /// aside, and all are `at` and off by a little `nudge`.
    fn sections(columns: usize, rows: usize, at: f64, nudge: f64) -> Vec<usize> {
        let mut world = World::new(Params::game()).unwrap();
        let mut residents = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let aside = 0.5 * (row % 2) as f64;
                let off = nudge * (1.7 * (row * columns + column) as f64).sin();
                let x = column as f64 + aside + off + at;
                let body = BodyDesc::dynamic().at([x, row as f64 + 0.5, off]);
                let body = world.add_body(body).unwrap();
                let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
                world.add_collider(body, ColliderDesc::new(cube)).unwrap();
                let slot = body.index();
                residents.push(Resident::new(slot, world.state.body(slot)));
            }
        }
        let size = divide(&mut residents, world.params().gravity);
        let mut of = vec![0; residents.len()];
        for (k, r) in residents.iter().enumerate() {
            of[r.slot as usize] = k / size;
        }
        of
    }

    #[test]
    fn sections_have_as_many_bodies_and_stand_upright() {
        let (columns, rows) = (64, 20);
        let of = sections(columns, rows, 0.0, 0.0);
        let all = of.iter().max().map_or(0, |m| m + 1);
        assert_eq!(all, 2);
        for section in 0..all {
            let count = of.iter().filter(|s| **s == section).count();
            assert_eq!(count, columns * rows / all);
        }
        let is_cut = |c: &usize| (1..rows).any(|r| of[*c] != of[r * columns + c]);
        let cut = (0..columns).filter(is_cut).count();
        assert!(cut <= 1, "{cut} columns are cut");
    }

    #[test]
    fn neither_rounding_nor_the_place_in_the_world_matters() {
        let of = sections(64, 20, 0.0, 0.0);
        assert_eq!(of, sections(64, 20, 0.0, 1e-9), "nudged");
        assert_eq!(of, sections(64, 20, 1e4, 1e-9), "ten kilometres away");
    }

    #[test]
    fn a_tower_is_cut_across() {
        let of = sections(1, 1100, 0.0, 0.0);
        let cuts = of.windows(2).filter(|w| w[0] != w[1]).count();
        assert_eq!(cuts, 1);
    }
}

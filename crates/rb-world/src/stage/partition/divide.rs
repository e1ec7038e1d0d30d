//! Large islands in sections of equally many bodies near one another, to be swept side by side.
//!
//! Bodies are split at the median of their longest side, halves again, and so on. The cuts are upright where
//! they can be: a load then travels down a column within one section. Coordinates are counted in cells, so
//! that bodies above one another stay together whatever rounding says, and from a body of the island, so
//! that its place in the world does not matter. Source: M. Berger, S. Bokhari, "A partitioning strategy
//! for nonuniform problems on multiprocessors", 1987.
//! (Crowds are divided in the same way, tree by tree: see `crowd`.)

mod crowd;

use super::BODIES;
use crowd::Crowd;
use glam::DVec3;
use rb_core::math::tangents;
use rb_core::room::{bytes, empty, fit};
use rb_solve::parallel;

/// Movable bodies from which on an island is divided.
pub(super) const LARGE: usize = 512;

/// Movable bodies of a section, at most. In smaller ones more lanes stay idle: a strip of a wall is a chain.
const SECTION: usize = 2048;

/// An island is cut across the direction of gravity only if it is that many times as high as wide.
const UPRIGHT: i64 = 4;

/// A movable body of a divided island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Resident {
    slot: u32,
    /// Its cell along each axis.
    cell: [i32; 3],
}

/// The movable bodies of an island that is divided, section by section.
#[derive(Clone, Debug, Default)]
pub(crate) struct Residents {
    list: Vec<Resident>,
    /// The same in the order of slots, if they have been [divided](Self::divide).
    cells: Vec<Resident>,
    /// Room for as many, to find the border between two sections in.
    spare: Vec<Resident>,
    /// The trees of a crowd.
    crowd: Crowd,
}

impl Residents {
    /// None.
    pub(crate) fn clear(&mut self) {
        empty(&mut self.list);
        empty(&mut self.cells);
        empty(&mut self.spare);
        self.crowd.clear();
    }

    /// Slots of all bodies.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().map(|r| r.slot)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let lists = bytes(&self.list) + bytes(&self.cells) + bytes(&self.spare);
        lists + self.crowd.bytes()
    }

    /// Puts the bodies of an island, `count` given by slot and centre of mass, lowest slot first, in the order of their
    /// sections, and returns how many bodies a section has. Within one they stay in the order of slots. Cells are
    /// `width` wide (m).
    pub(super) fn divide(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> (u32, DVec3) + Sync + Send,
        width: f64,
        gravity: DVec3,
    ) -> usize {
        let sections = count.div_ceil(SECTION).next_power_of_two().max(2);
        let size = count.div_ceil(sections);
        let Self {
            list, cells, spare, ..
        } = self;
        find_cells(spare, count, body, width, gravity);
        // What stands has the sections that it had.
        if spare != cells {
            for copy in [&mut *list, cells] {
                fit(copy, count);
                copy.clone_from(spare);
            }
            split(list, spare, sections, size);
        }
        size
    }
}

/// Lists bodies, given by slot and centre of mass, with their cells.
fn find_cells(
    list: &mut Vec<Resident>,
    count: usize,
    body: impl Fn(usize) -> (u32, DVec3) + Sync + Send,
    width: f64,
    gravity: DVec3,
) {
    empty(list);
    if count == 0 {
        return;
    }
    let up = gravity.try_normalize().unwrap_or(DVec3::Y);
    let [x, z] = tangents(up);
    // Off the middle, where symmetric scenes have their bodies.
    let width = width.max(f64::MIN_POSITIVE);
    let origin = body(0).1 - DVec3::splat(0.37 * width);
    fit(list, count);
    parallel::extend(list, count, BODIES, |i| {
        let (slot, at) = body(i);
        let at = (at - origin) / width;
        let cell = [x, z, up].map(|e| at.dot(e).floor() as i32);
        Resident { slot, cell }
    });
}

/// Puts bodies into so many sections of `size` each. They come in the order of slots and keep it in each, so
/// that nothing has to be sorted once the border is known.
fn split(residents: &mut [Resident], spare: &mut Vec<Resident>, sections: usize, size: usize) {
    let at = sections / 2 * size;
    if sections <= 1 || at >= residents.len() {
        return;
    }
    let axis = longest(residents);
    let rank = |r: &Resident| (r.cell[axis], r.slot);
    spare.clear();
    spare.extend_from_slice(residents);
    let border = rank(spare.select_nth_unstable_by_key(at, rank).1);
    spare.clear();
    let mut below = 0;
    for k in 0..residents.len() {
        let resident = residents[k];
        if rank(&resident) < border {
            residents[below] = resident;
            below += 1;
        } else {
            spare.push(resident);
        }
    }
    residents[at..].copy_from_slice(spare);
    let (a, b) = residents.split_at_mut(at);
    split(a, spare, sections / 2, size);
    split(b, spare, sections - sections / 2, size);
}

/// The axis along which the bodies reach farthest.
fn longest(residents: &[Resident]) -> usize {
    let reach = |axis: usize| {
        let cells = residents.iter().map(|r| r.cell[axis]);
        let (low, high) = cells.fold((i32::MAX, i32::MIN), |(l, h), c| (l.min(c), h.max(c)));
        i64::from(high) - i64::from(low)
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
        let mut bodies = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let aside = 0.5 * (row % 2) as f64;
                let off = nudge * (1.7 * (row * columns + column) as f64).sin();
                let x = column as f64 + aside + off + at;
                let body = BodyDesc::dynamic().at([x, row as f64 + 0.5, off]);
                let body = world.add_body(body).unwrap();
                let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
                world.add_collider(body, ColliderDesc::new(cube)).unwrap();
                bodies.push(body.index());
            }
        }
        let at = |i: usize| (bodies[i], world.state.body(bodies[i]).com);
        let (width, gravity) = (world.state.body(bodies[0]).extent, world.params().gravity);
        let mut residents = Residents::default();
        let size = residents.divide(bodies.len(), at, width, gravity);
        let mut of = vec![0; bodies.len()];
        for (k, slot) in residents.slots().enumerate() {
            of[slot as usize] = k / size;
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

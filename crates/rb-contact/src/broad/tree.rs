//! Tree over boxes with numbers of their own: eight branches to a node, and no pointers.
//!
//! The leaves are a list along a curve that fills space, so that neighbours in the list are neighbours in space; large
//! boxes have a part of the list to themselves. Eight in a row are a node, eight nodes in a row are one of the next
//! level, up to the root. Searches compare four boxes at a time.
//!
//! A box that moves a little keeps its place, and the boxes around it are made anew. What is new, or goes far away, comes
//! at the end of the list, which is sorted again and again: a stretch together with those before it that are no longer,
//! so that there are few stretches and each box is sorted about as often as there are. Once as many boxes have moved as
//! there are, all are sorted.

mod curve;
mod eight;

use crate::geom::{Aabb, Box32};
use curve::Curve;
use eight::{Eight, NOTHING, Region, Segment, WIDTH};
use glam::DVec3;
use parry3d::bounding_volume::BoundingVolume;
use rb_core::room;

/// A number without a place, or a place without a number.
const NONE: u32 = u32::MAX;

/// Boxes at the end of the list that are not sorted, less one at most.
const LOOSE: usize = 32;

/// The tree.
#[derive(Clone, Default)]
pub(super) struct Tree {
    /// Number at each place, [`NONE`] where there is none any more.
    numbers: Vec<u32>,
    /// Place of each number.
    places: Vec<u32>,
    /// Boxes at the places, boxes around each eight of these, and so on up to a single node.
    levels: Vec<Vec<Eight>>,
    /// First places of the stretches that are sorted, and the first place after these.
    stretches: Vec<usize>,
    sorted: usize,
    /// How many boxes have moved since all were sorted.
    stirred: usize,
}

impl Tree {
    /// Gives `count` numbers their boxes.
    pub(super) fn set(&mut self, count: usize, boxes: impl Iterator<Item = (u32, Box32)>) {
        let most = count >= self.numbers.len();
        for (number, b) in boxes {
            let place = self.places.get(number as usize).copied();
            match place.filter(|place| *place != NONE) {
                // All boxes around are made anew afterwards.
                Some(place) if most => {
                    self.levels[0][place as usize / WIDTH].set(place as usize % WIDTH, &b);
                }
                Some(place) if self.is_near(place as usize, &b) => {
                    self.put(place as usize, &b);
                    self.stirred += 1;
                }
                Some(_) => {
                    self.remove(number);
                    self.append(number, &b);
                }
                None => self.append(number, &b),
            }
            if !most && self.numbers.len() >= self.sorted + LOOSE {
                self.gather();
            }
        }
        if most || self.stirred >= self.numbers.len() {
            self.sort_from(0);
            self.stirred = 0;
        }
    }

    /// Forgets a number, if it has a box.
    pub(super) fn remove(&mut self, number: u32) {
        let Some(place) = self.places.get_mut(number as usize) else {
            return;
        };
        let place = std::mem::replace(place, NONE) as usize;
        if let Some(number) = self.numbers.get_mut(place) {
            *number = NONE;
            self.put(place, &NOTHING);
            self.stirred += 1;
        }
    }

    /// Calls `f` with every number whose box shares a point with `region`, in no stated order.
    #[inline]
    pub(super) fn meeting(&self, region: &Box32, mut f: impl FnMut(u32)) {
        let region = Region::new(region);
        self.visit(&|eight| eight.meeting(&region), &mut |place| {
            f(self.numbers[place]);
        });
    }

    /// Calls `f` with every number that the segment `origin + t dir`, 0 ≤ t ≤ `max`, may touch once its box is grown by
    /// `margin` (m). `f` returns the new `max`, so hits shorten the search.
    pub(super) fn along_ray(
        &self,
        [origin, dir]: [DVec3; 2],
        max: f64,
        margin: f64,
        f: &mut dyn FnMut(u32, f64) -> f64,
    ) {
        let mut max = max;
        let segment = Segment::new([origin, dir], max, margin);
        self.visit(&|eight| eight.along(&segment), &mut |place| {
            let b = self.levels[0][place / WIDTH].get(place % WIDTH);
            let grown = Aabb::from_box32(&b).inflated(margin);
            if grown.ray(origin, dir, max).is_some() {
                max = f(self.numbers[place], max);
            }
        });
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(room::bytes).sum();
        levels
            + room::bytes(&self.numbers)
            + room::bytes(&self.places)
            + room::bytes(&self.stretches)
    }

    /// Calls `f` with all places that can be reached through what `choose` finds in nodes.
    #[inline]
    fn visit(&self, choose: &impl Fn(&Eight) -> u32, f: &mut impl FnMut(usize)) {
        if !self.numbers.is_empty() {
            self.descend(self.levels.len() - 1, 0, choose, f);
        }
    }

    fn descend(
        &self,
        level: usize,
        node: usize,
        choose: &impl Fn(&Eight) -> u32,
        f: &mut impl FnMut(usize),
    ) {
        let mut hits = choose(&self.levels[level][node]);
        while hits != 0 {
            let branch = node * WIDTH + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            match level {
                0 => f(branch),
                _ => self.descend(level - 1, branch, choose, f),
            }
        }
    }

    /// Whether a box meets the one around a place and its neighbours.
    fn is_near(&self, place: usize, b: &Box32) -> bool {
        self.levels[0][place / WIDTH].around().intersects(b)
    }

    /// A box at a place, and the boxes around it anew.
    fn put(&mut self, place: usize, b: &Box32) {
        let (mut at, mut b) = (place, *b);
        for nodes in &mut self.levels {
            let node = &mut nodes[at / WIDTH];
            node.set(at % WIDTH, &b);
            (at, b) = (at / WIDTH, node.around());
        }
    }

    /// A number that has no place comes at the end.
    fn append(&mut self, number: u32, b: &Box32) {
        let (at, place) = (number as usize, self.numbers.len());
        if self.places.len() <= at {
            room::fit(&mut self.places, at + 1);
            self.places.resize(at + 1, NONE);
        }
        self.places[at] = place as u32;
        self.numbers.push(number);
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        if place % WIDTH == 0 {
            self.levels[0].push(Eight::EMPTY);
            self.crown(place / WIDTH);
        }
        self.put(place, b);
    }

    /// Sorts what is loose, with the stretches before it that are no longer than what comes after them.
    fn gather(&mut self) {
        let (mut from, end) = (self.sorted, self.numbers.len());
        while let Some(&start) = self.stretches.last()
            && from - start <= end - from
        {
            from = start;
            self.stretches.pop();
        }
        self.sort_from(from);
    }

    /// Puts the boxes from a place on in the order of the curve, as one stretch.
    fn sort_from(&mut self, first: usize) {
        if self.levels.is_empty() {
            return;
        }
        let places = self.numbers.iter().enumerate().skip(first);
        let used = places.filter(|(_, number)| **number != NONE);
        let mut all: Vec<(u64, u32, Box32)> = used
            .map(|(place, &number)| {
                let b = self.levels[0][place / WIDTH].get(place % WIDTH);
                (0, number, b)
            })
            .collect();
        let curve = Curve::through(all.iter().map(|(.., b)| b));
        all.iter_mut().for_each(|(key, _, b)| *key = curve.key(b));
        all.sort_unstable_by_key(|(key, number, _)| (*key, *number));
        let end = first + all.len();
        self.numbers.truncate(first);
        room::fit(&mut self.numbers, end);
        let leaves = &mut self.levels[0];
        leaves.truncate(end.div_ceil(WIDTH));
        for (place, (_, number, b)) in (first..).zip(&all) {
            self.places[*number as usize] = place as u32;
            self.numbers.push(*number);
            leaves[place / WIDTH].set(place % WIDTH, b);
        }
        if let Some(last) = leaves.last_mut() {
            let free = end - (end.div_ceil(WIDTH) - 1) * WIDTH..WIDTH;
            free.for_each(|k| last.set(k, &NOTHING));
        }
        self.crown(first / WIDTH);
        self.stretches.retain(|start| *start < first);
        self.stretches.push(first);
        self.sorted = end;
    }

    /// Makes the levels above the leaves anew, from a leaf's node on.
    fn crown(&mut self, mut first: usize) {
        for level in 0.. {
            if self.levels[level].len() <= 1 {
                return self.levels.truncate(level + 1);
            }
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
                first = 0;
            }
            first /= WIDTH;
            let (below, above) = self.levels.split_at_mut(level + 1);
            let below = &below[level][first * WIDTH..];
            above[0].truncate(first);
            above[0].extend(below.chunks(WIDTH).map(|nodes| {
                let mut node = Eight::EMPTY;
                for (k, one) in nodes.iter().enumerate() {
                    node.set(k, &one.around());
                }
                node
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// Numbers from 0 to 1, one after the other.
    fn chance() -> impl FnMut() -> f32 {
        let mut state = 7_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f32 / (1 << 24) as f32
        }
    }

    fn random(next: &mut impl FnMut() -> f32) -> Box32 {
        let at = Vec3::new(next(), next(), next()) * 20.0;
        // One in twenty is large.
        let size = if next() < 0.05 { 15.0 } else { 1.0 };
        Box32::new(at, at + Vec3::new(next(), next(), next()) * size)
    }

    /// Every search against all boxes, one by one, through edits of all kinds.
    #[test]
    fn searches_find_what_is_there() {
        let mut next = chance();
        let (mut tree, mut boxes) = (Tree::default(), vec![None; 700]);
        let mut found_in_all = 0;
        for round in 0..300 {
            // From a few boxes to many, and back to none.
            let share = (1.0 - (round as f32 / 150.0 - 1.0).abs()).max(0.0);
            let moved: Vec<u32> = (0..700).filter(|_| next() < 0.2 * share).collect();
            for &k in &moved {
                boxes[k as usize] = Some(random(&mut next));
            }
            let new = moved.iter().map(|k| (*k, boxes[*k as usize].unwrap()));
            match round % 3 {
                0 => new.for_each(|one| tree.set(1, [one].into_iter())),
                _ => tree.set(moved.len(), new),
            }
            for (k, b) in boxes.iter_mut().enumerate() {
                if next() < 0.1 * (1.0 - share) {
                    *b = None;
                    tree.remove(k as u32);
                }
            }
            let listed = |found: &mut Vec<u32>, expected: Vec<u32>| {
                found.sort_unstable();
                assert_eq!(*found, expected, "round {round}");
            };
            let there = |test: &dyn Fn(&Box32) -> bool| {
                let all = boxes.iter().enumerate();
                let met = all.filter(|(_, b)| b.as_ref().is_some_and(test));
                met.map(|(k, _)| k as u32).collect::<Vec<_>>()
            };
            let at = random(&mut next).mins;
            let region = Box32::new(at, at + 6.0);
            let mut found = Vec::new();
            tree.meeting(&region, |k| found.push(k));
            let meets =
                |b: &Box32| b.mins.cmple(region.maxs).all() && b.maxs.cmpge(region.mins).all();
            listed(&mut found, there(&meets));
            found_in_all += found.len();
            let ray = [
                region.mins.as_dvec3(),
                DVec3::new(0.0, 1.0, f64::from(next())),
            ];
            let mut hit = Vec::new();
            tree.along_ray(ray, 12.0, 1.0, &mut |k, max| {
                hit.push(k);
                max
            });
            let on_way = |b: &Box32| {
                let grown = Aabb::from_box32(b).inflated(1.0);
                grown.ray(ray[0], ray[1], 12.0).is_some()
            };
            listed(&mut hit, there(&on_way));
            found_in_all += hit.len();
        }
        assert!(found_in_all > 5000, "{found_in_all}");
    }

    /// However the boxes came there: one by one in any order, or from elsewhere.
    #[test]
    fn searches_ask_few_nodes() {
        let mut next = chance();
        let mut tree = Tree::default();
        let mut anywhere = |size: f32| {
            let at = Vec3::new(next(), next(), next()) * 32.0;
            Box32::new(at, at + size)
        };
        let asked = |tree: &Tree, b: &Box32| {
            let (region, asked) = (Region::new(b), core::cell::Cell::new(0));
            let choose = |eight: &Eight| {
                asked.set(asked.get() + 1);
                eight.meeting(&region)
            };
            tree.visit(&choose, &mut |_| {});
            asked.get()
        };
        for round in 0..3 {
            for number in 0..9000 {
                tree.set(1, [(number, anywhere(1.0))].into_iter());
            }
            let asked: usize = (0..100).map(|_| asked(&tree, &anywhere(0.5))).sum();
            println!("round {round}: {} nodes", asked / 100);
            assert!(asked < 100 * 60, "round {round}: {asked}");
        }
    }

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        let cell = |k: u64| Vec3::new((k % 16) as f32, (k / 16 % 16) as f32, (k / 256) as f32);
        let boxes: Vec<Box32> = (0..4096)
            .map(|k| Box32::new(cell(k), cell(k) + 1.0))
            .collect();
        let mut tree = Tree::default();
        tree.set(4096, boxes.iter().enumerate().map(|(k, b)| (k as u32, *b)));
        for eight in &tree.levels[0] {
            let around = eight.around();
            assert_eq!(around.maxs - around.mins, Vec3::splat(2.0));
        }
        assert_eq!(tree.levels.len(), 4);
    }
}

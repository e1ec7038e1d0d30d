//! Broad phase: equal to brute force, before and after a serialised rest.

mod common;

use common::Random;
use rb_contact::Aabb;
use rb_contact::broad::{BroadPhase, Course, Mobility, NewBox, Paired, Sorted};
use rb_core::glam::DVec3;
use std::collections::BTreeMap;

fn random_box(random: &mut Random, space: f64) -> Aabb {
    let c = random.vector(space);
    let h = DVec3::new(
        random.range(0.1, 1.0),
        random.range(0.1, 1.0),
        random.range(0.1, 1.0),
    );
    Aabb::new(c - h, c + h)
}

/// A list of pairs, kept up to date.
struct List<P>(Vec<P>);

impl<P: Paired> List<P> {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn update(&mut self, broad: &mut BroadPhase, keep: impl Fn(u32, u32) -> bool) -> &[P] {
        let (mut found, mut sorted) = (Vec::new(), Sorted::default());
        broad
            .boxes()
            .sort_out(&self.0, 0..self.0.len(), &keep, &mut sorted);
        for &slot in broad.stale() {
            broad.partners(slot, &keep, &mut found);
        }
        let found = found.into_iter();
        let revision = broad.revise(&[sorted], &found, |parts, plan| {
            parts.iter_mut().for_each(plan);
        });
        revision.make(&mut self.0, usize::MAX, &mut Vec::new(), |all, within| {
            within(0, all);
        });
        assert!(broad.stale().is_empty());
        &self.0
    }
}

/// Pairs of a scene of which nothing is known.
fn all(broad: &mut BroadPhase) -> Vec<[u32; 2]> {
    List::new().update(broad, |_, _| true).to_vec()
}

/// A pair, and the round in which it was found.
#[derive(Clone, Copy)]
struct Since([u32; 2], u32);

impl Paired for Since {
    fn key(&self) -> [u32; 2] {
        self.0
    }

    fn new(key: [u32; 2]) -> Self {
        Self(key, u32::MAX)
    }
}

fn brute(
    b: &BroadPhase,
    kinds: &[Option<Mobility>],
    keep: &dyn Fn(u32, u32) -> bool,
) -> Vec<[u32; 2]> {
    let mut out = Vec::new();
    for i in 0..kinds.len() as u32 {
        for j in i + 1..kinds.len() as u32 {
            let (Some(x), Some(y)) = (b.fat_box(i), b.fat_box(j)) else {
                continue;
            };
            let fixed = [i, j]
                .iter()
                .all(|k| kinds[*k as usize] == Some(Mobility::Static));
            if !fixed && x.overlaps(&y) && keep(i, j) {
                out.push([i, j]);
            }
        }
    }
    out
}

#[test]
fn pairs_equal_brute_force_through_edits_and_rests() {
    let mut random = Random(42);
    let mut broad = BroadPhase::new();
    let count = 150;
    let mut kinds = vec![None; count];
    let mut boxes: Vec<Aabb> = (0..count).map(|_| random_box(&mut random, 4.0)).collect();
    let keep = |i: u32, j: u32| !(i + j).is_multiple_of(7);
    let (mut list, mut since) = (List::<Since>::new(), BTreeMap::new());
    let mut stayed = 0;
    for round in 0..60 {
        for slot in 0..count {
            let dice = random.range(0.0, 1.0);
            if dice < 0.05 {
                broad.remove(slot as u32);
                kinds[slot] = None;
            } else if dice < 0.5 {
                let kind = if dice < 0.2 {
                    Mobility::Static
                } else {
                    Mobility::Moving
                };
                let step = random.vector(0.3);
                boxes[slot] = Aabb::new(boxes[slot].min + step, boxes[slot].max + step);
                broad.set(slot as u32, &boxes[slot], 0.1, kind);
                kinds[slot] = Some(kind);
            }
        }
        let expected = brute(&broad, &kinds, &keep);
        let text = serde_json::to_string(&broad).unwrap();
        let mut back: BroadPhase = serde_json::from_str(&text).unwrap();
        assert_eq!(List::<[u32; 2]>::new().update(&mut back, keep), expected);
        list.update(&mut broad, keep);
        let found: Vec<_> = list.0.iter().map(Paired::key).collect();
        assert_eq!(found, expected, "round {round}");
        // Who stays is still known, who has gone is forgotten.
        since.retain(|key, _| expected.contains(key));
        for entry in &mut list.0 {
            if entry.1 == u32::MAX {
                assert!(since.insert(entry.0, round).is_none());
                entry.1 = round;
            }
            assert_eq!(since[&entry.0], entry.1);
            stayed += u32::from(entry.1 + 5 < round);
        }
        assert!(serde_json::to_string(&back).unwrap() == text);
        if round % 3 == 0 {
            broad = back;
        }
    }
    assert!(stayed > 100, "{stayed}");
}

#[test]
fn the_tree_finds_whom_their_boxes_tell() {
    let mut random = Random(5);
    let mut broad = BroadPhase::new();
    for slot in 0..200 {
        let kind = [Mobility::Static, Mobility::Moving][slot as usize % 2];
        broad.set(slot, &random_box(&mut random, 4.0), 0.1, kind);
    }
    broad.remove(7);
    // Some of them, one that is gone and one that never was.
    let asked: Vec<u32> = (1..=201).step_by(3).chain([999]).collect();
    let mut met = 0;
    for _ in 0..100 {
        let region = random_box(&mut random, 4.0);
        let (mut by_tree, mut by_boxes) = (Vec::new(), Vec::new());
        broad.overlapping(&region, |slot| by_tree.push(slot));
        by_tree.retain(|slot| asked.contains(slot));
        by_tree.sort_unstable();
        broad.overlapping_of(&asked, &region, |slot| by_boxes.push(slot));
        assert_eq!(by_boxes, by_tree);
        met += by_tree.len();
    }
    assert!(met > 100, "{met}");
}

#[test]
fn boxes_move_only_when_left() {
    let mut broad = BroadPhase::new();
    let unit = |x: f64| Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0));
    assert!(broad.set(3, &unit(0.0), 0.1, Mobility::Moving));
    assert!(!broad.set(3, &unit(0.05), 0.1, Mobility::Moving));
    assert!(broad.set(3, &unit(0.2), 0.1, Mobility::Moving));
    assert!(broad.set(3, &unit(0.2), 0.1, Mobility::Static));
    assert!(broad.fat_box(3).unwrap().contains(&unit(0.2)));
    assert_eq!(broad.fat_box(0), None);
    // Unbounded and far boxes pair like any other.
    broad.set(0, &Aabb::EVERYWHERE, 0.1, Mobility::Static);
    broad.set(1, &unit(1e4), 0.1, Mobility::Moving);
    assert_eq!(all(&mut broad), [[0, 1]]);
}

#[test]
fn thousands_of_boxes_are_no_cliff() {
    let mut random = Random(1);
    let mut broad = BroadPhase::new();
    let boxes: Vec<Aabb> = (0..16_000).map(|_| random_box(&mut random, 40.0)).collect();
    for (slot, b) in boxes.iter().enumerate() {
        broad.set(slot as u32, b, 0.1, Mobility::Moving);
    }
    let start = std::time::Instant::now();
    let mut list = List::<[u32; 2]>::new();
    let first = list.update(&mut broad, |_, _| true).len();
    let built = start.elapsed();
    for (slot, b) in boxes.iter().enumerate().step_by(5) {
        let shift = DVec3::X * 0.3;
        broad.set(
            slot as u32,
            &Aabb::new(b.min + shift, b.max + shift),
            0.1,
            Mobility::Moving,
        );
    }
    let start = std::time::Instant::now();
    let second = list.update(&mut broad, |_, _| true).len();
    println!(
        "{first} pairs in {built:?}, {second} after moving a fifth in {:?}",
        start.elapsed()
    );
    assert!(first > 1000 && second > 1000);
}

/// Trees built at once and trees grown box by box answer the same, also through the edits that follow.
#[test]
fn boxes_in_motion_take_little_memory() {
    let mut random = Random(3);
    let mut broad = BroadPhase::new();
    let boxes: Vec<Aabb> = (0..1200).map(|_| random_box(&mut random, 20.0)).collect();
    for (slot, b) in boxes.iter().enumerate() {
        broad.set(slot as u32, b, 0.1, Mobility::Moving);
    }
    let course = Course {
        margin: 0.1,
        ahead: DVec3::ZERO,
        mobility: Mobility::Moving,
    };
    let moved = boxes.iter().enumerate().step_by(4);
    let moved = moved.map(|(slot, b)| NewBox::new(slot as u32, &b.moved(DVec3::Y), &course));
    broad.set_many(300, moved);
    assert!(
        broad.bytes() < 160 * boxes.len(),
        "{}",
        broad.bytes() / boxes.len()
    );
}

#[test]
fn many_at_once_are_one_by_one() {
    let mut random = Random(7);
    let course = |mobility| Course {
        margin: 0.1,
        ahead: DVec3::new(0.0, 0.2, 0.0),
        mobility,
    };
    let kind = |slot: u32| match slot % 5 {
        0 => Mobility::Static,
        _ => Mobility::Moving,
    };
    let moved: Vec<_> = (0..3000)
        .map(|slot| (slot, random_box(&mut random, 12.0), course(kind(slot))))
        .collect();
    let (mut at_once, mut grown) = (BroadPhase::new(), BroadPhase::new());
    let all = moved.iter().map(|(s, b, c)| NewBox::new(*s, b, c));
    at_once.set_many(moved.len(), all);
    for (slot, tight, course) in &moved {
        assert!(grown.set_moving(*slot, tight, course));
    }
    let mut lists = [(); 2].map(|()| List::<[u32; 2]>::new());
    for round in 0..3 {
        let [by_one, by_all] = &mut lists;
        let expected = by_one.update(&mut grown, |_, _| true);
        assert!(expected.len() > 3000);
        let found = by_all.update(&mut at_once, |_, _| true);
        assert_eq!(found, expected, "round {round}");
        for broad in [&mut at_once, &mut grown] {
            for slot in (round..3000).step_by(11) {
                broad.remove(slot);
            }
        }
        let shift = |b: &Aabb| Aabb::new(b.min + DVec3::X, b.max + DVec3::X);
        let some = moved.iter().skip(round as usize).step_by(7);
        let some: Vec<_> = some.map(|(s, b, c)| (*s, shift(b), *c)).collect();
        let all = some.iter().map(|(s, b, c)| NewBox::new(*s, b, c));
        at_once.set_many(some.len(), all);
        for (slot, tight, course) in &some {
            assert!(grown.set_moving(*slot, tight, course));
        }
    }
}

//! What a search changes in a sorted list of pairs: some go, others come in between.

use super::Paired;
use rb_core::room;
use rb_core::shift::Shift;

/// A run of a list of pairs that has been [sorted out](super::Boxes::sort_out).
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// The [ranks](rank) of its pairs: entries are large, and the list is searched once more.
    pub(super) ranks: Vec<u64>,
    /// Places in the list of those that are none any more.
    pub(super) gone: Vec<u32>,
}

impl Sorted {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        room::bytes(&self.ranks) + room::bytes(&self.gone)
    }
}

/// What is to be done to a list.
#[derive(Clone, Debug, Default)]
pub struct Revision {
    /// The pairs that are new, sorted, and their places.
    pub(super) new: Vec<[u32; 2]>,
    places: Vec<u32>,
    /// Where what stays goes, and how many pairs there will be.
    shift: Shift,
    len: usize,
}

impl Revision {
    /// Brings the list up to date: what stays goes to its place in stretches of so many places
    /// ([`Shift::make`]), then the new pairs to theirs.
    pub fn make<P: Paired>(
        &self,
        pairs: &mut Vec<P>,
        size: usize,
        astray: &mut Vec<(usize, P)>,
        each: impl FnOnce(&mut [P], &(dyn Fn(usize, &mut [P]) + Sync)),
    ) {
        let blank = P::new([u32::MAX; 2]);
        self.shift.make(pairs, self.len, blank, size, astray, each);
        for (place, key) in self.places.iter().zip(&self.new) {
            pairs[*place as usize] = P::new(*key);
        }
    }

    /// Plans to take out of a list, all of whose runs have been sorted out, what is gone, and to put the new pairs in, none
    /// of which it has.
    pub(super) fn plan(&mut self, list: &[Sorted]) {
        self.shift.clear();
        room::empty(&mut self.places);
        let (mut from, mut to) = (0, 0);
        let mut gone = list.iter().flat_map(|run| &run.gone).map(|p| *p as usize);
        let mut next = gone.next();
        let mut stay = |end: usize, to: &mut usize| {
            while let Some(place) = next.filter(|place| *place < end) {
                self.shift.note(from..place, *to);
                *to += place - from;
                (from, next) = (place + 1, gone.next());
            }
            self.shift.note(from..end, *to);
            *to += end - from;
            from = end;
        };
        let (mut runs, mut first, mut at) = (list.iter(), 0, 0);
        let mut ranks = runs.next().map_or(&[][..], |run| &run.ranks);
        for new in self.new.iter().map(rank) {
            while ranks.last().is_some_and(|last| *last < new) {
                first += ranks.len();
                (ranks, at) = (runs.next().map_or(&[][..], |run| &run.ranks), 0);
            }
            at += ahead(&ranks[at..], new);
            stay(first + at, &mut to);
            self.places.push(to as u32);
            to += 1;
        }
        stay(list.iter().map(|run| run.ranks.len()).sum(), &mut to);
        self.len = to;
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        room::bytes(&self.new) + room::bytes(&self.places) + self.shift.bytes()
    }
}

/// One number in the order of pairs.
pub(super) fn rank([low, high]: &[u32; 2]) -> u64 {
    u64::from(*low) << 32 | u64::from(*high)
}

/// How many of some ranks come before another, which is mostly near.
fn ahead(ranks: &[u64], of: u64) -> usize {
    let mut reach = 1;
    while reach < ranks.len() && ranks[reach] < of {
        reach *= 2;
    }
    let known = reach / 2;
    let end = ranks.len().min(reach + 1);
    known + ranks[known..end].partition_point(|r| *r < of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below `below`, one after the other.
    fn numbers() -> impl FnMut(u32) -> u32 {
        let mut state = 5_u64;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u32 % below
        }
    }

    #[test]
    fn lists_are_as_if_they_were_made_anew() {
        let mut number = numbers();
        let (mut revision, mut pairs) = (Revision::default(), Vec::new());
        for round in 0..400 {
            let share = [2, 9, 40][round % 3];
            let run = |(k, keys): (usize, &[[u32; 2]])| Sorted {
                ranks: keys.iter().map(rank).collect(),
                gone: (0..keys.len() as u32)
                    .filter(|_| number(share) == 0)
                    .map(|place| 50 * k as u32 + place)
                    .collect(),
            };
            let list: Vec<Sorted> = pairs.chunks(50).enumerate().map(run).collect();
            let gone: Vec<u32> = list.iter().flat_map(|run| run.gone.clone()).collect();
            let wanted = |_: &u32| number(5 * share) == 0;
            let keys: Vec<u32> = (0..500).filter(wanted).collect();
            let new = keys.into_iter().map(|k| [k / 20, 30 + k % 20]);
            let new: Vec<[u32; 2]> = new.filter(|key| !pairs.contains(key)).collect();
            let stay = |(k, _): &(usize, &[u32; 2])| !gone.contains(&(*k as u32));
            let stays = pairs.iter().enumerate().filter(stay).map(|(_, key)| *key);
            let mut expected: Vec<[u32; 2]> = stays.chain(new.iter().copied()).collect();
            expected.sort_unstable();
            revision.new = new;
            revision.plan(&list);
            revision.make(&mut pairs, usize::MAX, &mut Vec::new(), |all, within| {
                within(0, all);
            });
            assert_eq!(pairs, expected, "round {round}");
        }
    }
}

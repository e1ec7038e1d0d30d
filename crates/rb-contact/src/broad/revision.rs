//! What a search changes in a sorted list of pairs: some go, others come in between.

use super::Paired;
use core::ops::Range;
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

/// Parts of a list that are planned side by side, at most.
const PARTS: usize = 4;

/// What is to be done to a list.
#[derive(Clone, Debug, Default)]
pub struct Revision {
    /// One part of the list after the other.
    parts: Vec<Part>,
    /// Where what stays goes, and how many pairs there will be.
    shift: Shift,
    len: usize,
}

/// What is to be done to a part of a list.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its runs, and the number of its first pair.
    runs: Range<usize>,
    first: usize,
    /// The pairs that are new, sorted.
    new: Vec<[u32; 2]>,
    /// Where what stays, and what is new, goes, and how many there will be: counted from where the part will begin.
    stays: Vec<(Range<usize>, usize)>,
    places: Vec<usize>,
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
        let shift = &self.shift;
        shift.make(pairs, self.len, blank, size, astray, |pairs, within| {
            each(pairs, &|first, stretch| {
                within(first, stretch);
                self.put(first, stretch);
            });
        });
    }

    /// Puts the new pairs into a stretch of places, of which the first has the number `first`.
    fn put<P: Paired>(&self, first: usize, stretch: &mut [P]) {
        let (mut begin, end) = (0, first + stretch.len());
        for part in &self.parts {
            let reach = |place: usize| part.places.partition_point(|p| begin + p < place);
            let own = reach(first)..reach(end);
            for (place, key) in part.places[own.clone()].iter().zip(&part.new[own]) {
                stretch[begin + place - first] = P::new(*key);
            }
            begin += part.len;
        }
    }

    /// Plans to take out of a list, all of whose runs have been sorted out, what is gone, and to put in of the pairs that were
    /// `found` those that are new. The list may have some of them if that is `unsure`. `each` is given parts and what
    /// is to be done to each, in any order.
    pub(super) fn plan(
        &mut self,
        list: &[Sorted],
        found: &(impl Iterator<Item = [u32; 2]> + Clone + Sync),
        unsure: bool,
        each: impl FnOnce(&mut [Part], &(dyn Fn(&mut Part) + Sync)),
    ) {
        let count = list.len().clamp(1, PARTS);
        self.parts.resize_with(count, Part::default);
        let mut first = 0;
        for (k, part) in self.parts.iter_mut().enumerate() {
            part.runs = list.len() * k / count..list.len() * (k + 1) / count;
            part.first = first;
            let runs = list[part.runs.clone()].iter();
            first += runs.map(|run| run.ranks.len()).sum::<usize>();
        }
        each(&mut self.parts, &|part| {
            part.take(list, found.clone(), unsure);
            part.plan(list);
        });
        self.shift.clear();
        self.len = 0;
        for part in &self.parts {
            for (from, to) in &part.stays {
                self.shift.note(from.clone(), self.len + to);
            }
            self.len += part.len;
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Part::bytes).sum();
        room::bytes(&self.parts) + parts + self.shift.bytes()
    }
}

impl Part {
    /// Takes of the pairs `found` what belongs here and is new.
    fn take(
        &mut self,
        list: &[Sorted],
        found: impl Iterator<Item = [u32; 2]> + Clone,
        unsure: bool,
    ) {
        let begins = |run: usize| match list.get(run) {
            Some(run) => run.ranks.first().copied().unwrap_or(u64::MAX),
            None => u64::MAX,
        };
        let own = match self.runs.start {
            0 => 0..begins(self.runs.end),
            start => begins(start)..begins(self.runs.end),
        };
        let own = found.filter(|pair| own.contains(&rank(pair)));
        room::empty(&mut self.new);
        room::fit(&mut self.new, own.clone().count());
        self.new.extend(own);
        self.new.sort_unstable_by_key(rank);
        if unsure {
            let runs = list[self.runs.clone()].iter();
            let mut known = runs.flat_map(|run| &run.ranks).peekable();
            self.new.retain(|new| {
                let new = rank(new);
                while known.next_if(|old| **old < new).is_some() {}
                known.peek() != Some(&&new)
            });
        }
    }

    fn plan(&mut self, list: &[Sorted]) {
        let list = &list[self.runs.clone()];
        room::empty(&mut self.stays);
        room::empty(&mut self.places);
        let (mut from, mut to) = (self.first, 0);
        let mut gone = list.iter().flat_map(|run| &run.gone).map(|p| *p as usize);
        let mut next = gone.next();
        let stays = &mut self.stays;
        let mut stay = |end: usize, to: &mut usize| {
            while let Some(place) = next.filter(|place| *place < end) {
                stays.push((from..place, *to));
                *to += place - from;
                (from, next) = (place + 1, gone.next());
            }
            stays.push((from..end, *to));
            *to += end - from;
            from = end;
        };
        let (mut runs, mut first, mut at) = (list.iter(), self.first, 0);
        let mut ranks = runs.next().map_or(&[][..], |run| &run.ranks);
        for new in self.new.iter().map(rank) {
            while ranks.last().is_some_and(|last| *last < new) {
                first += ranks.len();
                (ranks, at) = (runs.next().map_or(&[][..], |run| &run.ranks), 0);
            }
            at += ahead(&ranks[at..], new);
            stay(first + at, &mut to);
            self.places.push(to);
            to += 1;
        }
        let all: usize = list.iter().map(|run| run.ranks.len()).sum();
        stay(self.first + all, &mut to);
        self.len = to;
    }

    fn bytes(&self) -> usize {
        room::bytes(&self.new) + room::bytes(&self.stays) + room::bytes(&self.places)
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
        let mut most = 0;
        for round in 0..400 {
            let share = [2, 9, 40][round % 3];
            let run = |(k, keys): (usize, &[[u32; 2]])| Sorted {
                ranks: keys.iter().map(rank).collect(),
                gone: (0..keys.len() as u32)
                    .filter(|_| number(share) == 0)
                    .map(|place| 20 * k as u32 + place)
                    .collect(),
            };
            let list: Vec<Sorted> = pairs.chunks(20).enumerate().map(run).collect();
            let gone: Vec<u32> = list.iter().flat_map(|run| run.gone.clone()).collect();
            let wanted = |_: &u32| number(5 * share) == 0;
            let keys: Vec<u32> = (0..500).filter(wanted).collect();
            let new = keys.into_iter().map(|k| [k / 20, 30 + k % 20]);
            let new: Vec<[u32; 2]> = new.filter(|key| !pairs.contains(key)).collect();
            let stay = |(k, _): &(usize, &[u32; 2])| !gone.contains(&(*k as u32));
            let stays = pairs.iter().enumerate().filter(stay).map(|(_, key)| *key);
            let mut expected: Vec<[u32; 2]> = stays.chain(new.iter().copied()).collect();
            expected.sort_unstable();
            let unsure = round % 4 == 3;
            let found: Vec<[u32; 2]> = match unsure {
                // Some that the list has already, which is asked then.
                true => new.iter().chain(pairs.iter().step_by(7)).copied().collect(),
                false => new.iter().rev().copied().collect(),
            };
            let found = found.iter().copied();
            revision.plan(&list, &found, unsure, |parts, plan| {
                parts.iter_mut().rev().for_each(plan);
            });
            revision.make(&mut pairs, usize::MAX, &mut Vec::new(), |all, within| {
                within(0, all);
            });
            most = most.max(revision.parts.len());
            assert_eq!(pairs, expected, "round {round}");
        }
        assert_eq!(most, PARTS);
    }
}

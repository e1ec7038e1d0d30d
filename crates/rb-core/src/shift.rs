//! A list in order from which some entries go while others come in between: what stays goes to its new place, and is not
//! copied anywhere else.
//!
//! The order of what stays does not change, so what goes down, lowest first, and then what goes up, highest first, never
//! runs over what is still to go. That holds for any stretch of places by itself: threads may take one each. The few
//! entries that go from one stretch to another take the way of a second list.

use crate::room;
use core::ops::Range;

/// Where what stays in a list goes.
#[derive(Clone, Debug, Default)]
pub struct Shift {
    /// In order; what keeps its place is not among them.
    moves: Vec<Move>,
}

/// Entries that lie together and go to another place together.
#[derive(Clone, Debug)]
struct Move {
    from: Range<usize>,
    to: usize,
}

impl Shift {
    /// Nothing goes anywhere.
    pub fn clear(&mut self) {
        room::empty(&mut self.moves);
    }

    /// Notes that entries go to the places from `to` on. They lie, and go, behind all that were noted before; those of
    /// which nothing is noted keep their places, or are not needed any more.
    pub fn note(&mut self, from: Range<usize>, to: usize) {
        if from.is_empty() || from.start == to {
            return;
        }
        match self.moves.last_mut() {
            Some(last) if last.from.end == from.start && last.end() == to => {
                last.from.end = from.end;
            }
            _ => self.moves.push(Move { from, to }),
        }
    }

    /// Notes what is noted in another, which is of what lies behind.
    pub fn append(&mut self, other: &Self) {
        self.moves.extend_from_slice(&other.moves);
    }

    /// Makes the moves in a list, which is of `len` entries then; in places that nothing goes to is `blank`, or what was
    /// there before. `each` is given the list and what is to be done, with the number of its first place, to each of its
    /// stretches of `size` places (1 at least), in any order.
    pub fn make<T: Copy>(
        &self,
        list: &mut Vec<T>,
        len: usize,
        blank: T,
        size: usize,
        astray: &mut Vec<(usize, T)>,
        each: impl FnOnce(&mut [T], &(dyn Fn(usize, &mut [T]) + Sync)),
    ) {
        let most = len.max(list.len());
        room::fit(list, most);
        list.resize(most, blank);
        room::empty(astray);
        for border in (size..most).step_by(size) {
            self.across(border, list, astray);
        }
        each(list, &|first, stretch| self.within(first, stretch));
        for (place, entry) in astray.iter() {
            list[*place] = *entry;
        }
        list.truncate(len);
    }

    /// The moves within a stretch of places, of which the first has the number `first`.
    fn within<T: Copy>(&self, first: usize, stretch: &mut [T]) {
        let places = first..first + stretch.len();
        let skipped = |m: &Move| m.from.end <= places.start || m.end() <= places.start;
        let start = self.moves.partition_point(skipped);
        let moves = &self.moves[start..];
        let meets = |m: &Move| m.from.start < places.end && m.to < places.end;
        let moves = &moves[..moves.partition_point(meets)];
        let mut make = |m: &Move| {
            let from = m.within(&places);
            if !from.is_empty() {
                let to = m.place_of(from.start) - first;
                stretch.copy_within(from.start - first..from.end - first, to);
            }
        };
        moves.iter().filter(|m| m.goes_down()).for_each(&mut make);
        let up = moves.iter().rev().filter(|m| !m.goes_down());
        up.for_each(&mut make);
    }

    /// Lists what goes over a border between stretches, with the place it goes to.
    fn across<T: Copy>(&self, border: usize, list: &[T], out: &mut Vec<(usize, T)>) {
        let below = |m: &Move| m.from.end.max(m.end()) <= border;
        let moves = &self.moves[self.moves.partition_point(below)..];
        for m in moves.iter().take_while(|m| m.from.start.min(m.to) < border) {
            out.extend(m.over(border).map(|k| (m.place_of(k), list[k])));
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        room::bytes(&self.moves)
    }
}

impl Move {
    fn goes_down(&self) -> bool {
        self.to < self.from.start
    }

    /// The place behind those it goes to.
    fn end(&self) -> usize {
        self.to + self.from.len()
    }

    /// Where the entry at a place goes.
    fn place_of(&self, at: usize) -> usize {
        at + self.to - self.from.start
    }

    /// From where on entries go to a place or beyond it.
    fn origin_of(&self, place: usize) -> usize {
        (place + self.from.start).saturating_sub(self.to)
    }

    /// Those that are within some places before and after.
    fn within(&self, places: &Range<usize>) -> Range<usize> {
        let [start, end] = [places.start, places.end].map(|place| self.origin_of(place));
        let start = start.max(places.start).max(self.from.start);
        start..end.min(places.end).min(self.from.end)
    }

    /// Those that go over a border, up or down.
    fn over(&self, border: usize) -> Range<usize> {
        let back = self.origin_of(border);
        let [low, high] = [border.min(back), border.max(back)];
        low.max(self.from.start)..high.min(self.from.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below a bound, the same in every run.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 5_u64;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        }
    }

    /// Entries go and come, few or many of them, in stretches of several sizes, against lists made anew.
    #[test]
    fn what_stays_finds_its_place_whatever_the_stretches() {
        let mut number = numbers();
        let (mut list, mut astray, mut name) = (Vec::<usize>::new(), Vec::new(), 0);
        let (mut ways, mut strayed) = ([0; 2], 0);
        for round in 0..600 {
            let share = [2, 9, 40][round % 3];
            let size = [7, 16, 64, 1000][number(4)];
            let (mut shift, mut expected, mut fresh) = (Shift::default(), Vec::new(), Vec::new());
            for at in 0..=list.len() {
                let more = usize::from(number(share) == 0);
                let last = usize::from(at == list.len());
                for _ in 0..more + last * number(20) {
                    fresh.push((expected.len(), name));
                    expected.push(name);
                    name += 1;
                }
                if at < list.len() && number(share) > 0 && list.len() < 800 {
                    shift.note(at..at + 1, expected.len());
                    expected.push(list[at]);
                }
            }
            for m in &shift.moves {
                ways[usize::from(m.goes_down())] += 1;
            }
            let len = expected.len();
            shift.make(&mut list, len, 0, size, &mut astray, |list, within| {
                let stretches = list.chunks_mut(size).enumerate();
                let mut stretches: Vec<_> = stretches.collect();
                if round % 2 == 0 {
                    stretches.reverse();
                }
                for (k, stretch) in stretches {
                    within(k * size, stretch);
                }
            });
            strayed += astray.len();
            fresh.iter().for_each(|&(place, name)| list[place] = name);
            assert_eq!(list, expected, "round {round}");
        }
        assert!(ways.iter().all(|&n| n > 1000), "{ways:?}");
        assert!(strayed > 1000, "{strayed}");
    }
}

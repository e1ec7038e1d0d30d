//! A sorted list of pairs is brought up to date in place: some go, others come in between, and what stays goes to its new
//! place at once, stretch by stretch.

use super::Paired;
use rb_core::room;

/// What is to be done to a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Revision {
    /// Stretches that change their place, in order.
    moves: Vec<Move>,
    /// Places of the new pairs.
    places: Vec<u32>,
}

/// So many entries go from one place to another.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: usize,
    count: usize,
}

impl Revision {
    /// Takes the entries at the places `gone` out of a list and puts `new` pairs in, none of which it has; all are sorted.
    pub(super) fn make<P: Paired>(
        &mut self,
        pairs: &mut Vec<P>,
        gone: impl Iterator<Item = u32>,
        new: &[[u32; 2]],
    ) {
        let before = pairs.len();
        let after = self.plan(pairs, gone, new);
        room::fit(pairs, before.max(after));
        if after > before {
            pairs.extend(new[..after - before].iter().map(|key| P::new(*key)));
        }
        // The order stays: what goes down, lowest first, and what goes up, highest first, never runs over what is still
        // to go.
        let down = self.moves.iter().filter(|m| m.to < m.from);
        let up = self.moves.iter().rev().filter(|m| m.to > m.from);
        for m in down.chain(up) {
            pairs.copy_within(m.from..m.from + m.count, m.to);
        }
        for (place, key) in self.places.iter().zip(new) {
            pairs[*place as usize] = P::new(*key);
        }
        pairs.truncate(after);
    }

    /// Notes where everything goes; returns how many entries there will be.
    fn plan<P: Paired>(
        &mut self,
        pairs: &[P],
        gone: impl Iterator<Item = u32>,
        new: &[[u32; 2]],
    ) -> usize {
        room::empty(&mut self.moves);
        room::empty(&mut self.places);
        let (mut from, mut to) = (0, 0);
        let mut gone = gone.map(|place| place as usize).peekable();
        let mut stay = |end: usize, to: &mut usize| {
            while let Some(place) = gone.next_if(|place| *place < end) {
                *to = note(&mut self.moves, from..place, *to);
                from = place + 1;
            }
            *to = note(&mut self.moves, from..end, *to);
            from = end;
        };
        let mut end = 0;
        for key in new {
            end += ahead(&pairs[end..], *key);
            stay(end, &mut to);
            self.places.push(to as u32);
            to += 1;
        }
        stay(pairs.len(), &mut to);
        to
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        room::bytes(&self.moves) + room::bytes(&self.places)
    }
}

/// Notes that a stretch goes to a place, unless it is there; returns the place after it.
fn note(moves: &mut Vec<Move>, stretch: core::ops::Range<usize>, to: usize) -> usize {
    let (from, count) = (stretch.start, stretch.len());
    if count > 0 && from != to {
        moves.push(Move { from, to, count });
    }
    to + count
}

/// How many entries come before a pair, which is mostly near.
fn ahead<P: Paired>(pairs: &[P], key: [u32; 2]) -> usize {
    let mut reach = 1;
    while reach < pairs.len() && pairs[reach].key() < key {
        reach *= 2;
    }
    let known = reach / 2;
    let end = pairs.len().min(reach + 1);
    known + pairs[known..end].partition_point(|p| p.key() < key)
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
        let mut moved = [0; 2];
        for round in 0..400 {
            let share = [2, 9, 40][round % 3];
            let gone: Vec<u32> = (0..pairs.len() as u32)
                .filter(|_| number(share) == 0)
                .collect();
            let wanted = |_: &u32| number(5 * share) == 0;
            let keys: Vec<u32> = (0..500).filter(wanted).collect();
            let new = keys.into_iter().map(|k| [k / 20, 30 + k % 20]);
            let new: Vec<[u32; 2]> = new.filter(|key| !pairs.contains(key)).collect();
            let stay = |(k, _): &(usize, &[u32; 2])| !gone.contains(&(*k as u32));
            let stays = pairs.iter().enumerate().filter(stay).map(|(_, key)| *key);
            let mut expected: Vec<[u32; 2]> = stays.chain(new.iter().copied()).collect();
            expected.sort_unstable();
            revision.make(&mut pairs, gone.iter().copied(), &new);
            assert_eq!(pairs, expected, "round {round}");
            for m in &revision.moves {
                moved[usize::from(m.to > m.from)] += 1;
            }
        }
        assert!(moved.iter().all(|n| *n > 500), "{moved:?}");
    }
}

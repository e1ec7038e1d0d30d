//! Where the manifolds of the pairs lie: in the order of the pairs, one after the other.

use super::CHUNK;
use crate::frame::{Frame, Move, PairChunk};
use crate::state::Pair;
use rb_core::manifold::Manifold;
use rb_core::room::{empty, fit};
use rb_solve::parallel::{self, Parts};
use std::ops::Range;

/// Pairs, [`CHUNK`] to a task, with the contacts known of them.
pub(super) struct Tasks<'a> {
    chunks: &'a mut [PairChunk],
    pairs: &'a mut [Pair],
    known: Known<'a>,
}

/// A run of the contacts, and the number of its first.
pub(super) struct Known<'a> {
    contacts: &'a mut [Manifold],
    first: usize,
}

impl<'a> Tasks<'a> {
    /// All pairs with all contacts.
    pub(super) fn new(
        chunks: &'a mut [PairChunk],
        pairs: &'a mut [Pair],
        contacts: &'a mut [Manifold],
    ) -> Self {
        let known = Known { contacts, first: 0 };
        Self {
            chunks,
            pairs,
            known,
        }
    }

    /// The only task, if it is one.
    pub(super) fn alone(self) -> Option<(&'a mut PairChunk, &'a mut [Pair], Known<'a>)> {
        match self.chunks {
            [chunk] => Some((chunk, self.pairs, self.known)),
            _ => None,
        }
    }
}

impl Known<'_> {
    /// Manifolds of a pair, which are among these.
    pub(super) fn of(&mut self, pair: &Pair) -> &mut [Manifold] {
        match pair.count {
            0 => &mut [],
            n => &mut self.contacts[pair.first as usize - self.first..][..n as usize],
        }
    }
}

impl Parts for Tasks<'_> {
    fn parts(&self) -> usize {
        self.chunks.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (chunks, chunks2) = self.chunks.split_at_mut(parts);
        let (pairs, pairs2) = self.pairs.split_at_mut(parts * CHUNK);
        let last = pairs.iter().rev().find(|p| p.count > 0);
        let Known { contacts, first } = self.known;
        let second = last.map_or(first, |p| p.manifolds().end);
        let (contacts, contacts2) = contacts.split_at_mut(second - first);
        let of = |chunks, pairs, contacts, first| Tasks {
            chunks,
            pairs,
            known: Known { contacts, first },
        };
        (
            of(chunks, pairs, contacts, first),
            of(chunks2, pairs2, contacts2, second),
        )
    }
}

/// Moves the manifolds that stay to their places in the order of the pairs, and puts those of changed
/// pairs in between. Whether any have come or gone.
pub(super) fn settle(pairs: &mut [Pair], contacts: &mut Vec<Manifold>, frame: &mut Frame) -> bool {
    let Frame {
        chunks, crossing, ..
    } = frame;
    let mut len = 0;
    for chunk in chunks.iter_mut() {
        chunk.first = len;
        len += chunk.count;
    }
    // No pair has changed or gone.
    if len == contacts.len() && chunks.iter().all(|c| c.changed.is_empty()) {
        return false;
    }
    parallel::for_each_with_run(chunks, pairs, CHUNK, number);
    make(chunks, contacts, len, crossing);
    parallel::for_each_part(Tasks::new(chunks, pairs, contacts), &put);
    true
}

/// Tells the pairs of a chunk where their manifolds will be, and notes how those that stay get there.
fn number(chunk: &mut PairChunk, pairs: &mut [Pair]) {
    chunk.moves.clear();
    let mut changed = chunk.changed.iter().peekable();
    let mut next = chunk.first;
    for (k, pair) in pairs.iter_mut().enumerate() {
        match changed.next_if(|c| c.pair as usize == k) {
            Some(now) => pair.count = now.count,
            None => note(&mut chunk.moves, pair, next),
        }
        pair.first = next as u32;
        next += pair.count as usize;
    }
}

/// Puts the manifolds of changed pairs in their places.
fn put(task: Tasks) {
    let Some((chunk, pairs, mut known)) = task.alone() else {
        return;
    };
    let mut found = &chunk.found[..];
    for now in &chunk.changed {
        let (of_pair, others) = found.split_at(now.count as usize);
        known.of(&pairs[now.pair as usize]).copy_from_slice(of_pair);
        found = others;
    }
    fit(&mut chunk.found, 0);
}

/// Notes that the manifolds of a pair go to a place, together with those before them if they can.
fn note(moves: &mut Vec<Move>, pair: &Pair, to: usize) {
    let from = pair.manifolds();
    match moves.last_mut() {
        _ if from.is_empty() => {}
        Some(last) if last.from.end == from.start && last.to + last.from.len() == to => {
            last.from.end = from.end;
        }
        _ => moves.push(Move { from, to }),
    }
}

/// Moves manifolds, of which there will be `len`: within each stretch of places by itself, and those that go from
/// one stretch to another, which are few, by way of a list.
fn make(
    chunks: &[PairChunk],
    contacts: &mut Vec<Manifold>,
    len: usize,
    crossing: &mut Vec<(usize, Manifold)>,
) {
    let most = len.max(contacts.len());
    fit(contacts, most);
    contacts.resize(most, Manifold::default());
    let size = stretch(most);
    empty(crossing);
    let astride = chunks.iter().filter(|c| c.is_astride(size));
    let moves = astride.flat_map(|c| &c.moves);
    for step in moves.filter(|m| m.to != m.from.start) {
        for border in step.borders(size) {
            let over = step.over(border).map(|k| (step.place_of(k), contacts[k]));
            crossing.extend(over);
        }
    }
    parallel::for_each_run(contacts, size, |first, stretch| {
        make_within(chunks, first, stretch);
    });
    for (place, manifold) in crossing.iter() {
        contacts[*place] = *manifold;
    }
    contacts.truncate(len);
}

/// Places per task when so many manifolds move. It does not matter for what becomes of them, and threads that are not
/// there need no tasks.
fn stretch(most: usize) -> usize {
    /// Tests have short lists.
    const STRETCH: usize = if cfg!(test) { 16 } else { 2048 };
    if parallel::is_alone() && !cfg!(test) {
        most.max(1)
    } else {
        STRETCH
    }
}

/// The moves within a stretch of places, of which the first has the number `first`. The order of manifolds stays:
/// what goes down, lowest first, and what goes up, highest first, never runs over what is still to go.
fn make_within(chunks: &[PairChunk], first: usize, stretch: &mut [Manifold]) {
    let places = first..first + stretch.len();
    let from = chunks.partition_point(|c| c.first + c.count <= places.start);
    let to = chunks.partition_point(|c| c.first < places.end);
    let moves = || chunks[from..to.max(from)].iter().flat_map(|c| &c.moves);
    let mut make = |step: &Move| {
        let from = step.within(&places);
        if !from.is_empty() {
            let to = step.place_of(from.start) - first;
            stretch.copy_within(from.start - first..from.end - first, to);
        }
    };
    moves().filter(|m| m.to < m.from.start).for_each(&mut make);
    let up = moves().rev().filter(|m| m.to > m.from.start);
    up.for_each(&mut make);
}

impl PairChunk {
    /// Whether its manifolds lie, or will lie, in more than one stretch of `size` places.
    fn is_astride(&self, size: usize) -> bool {
        let [Some(first), Some(last)] = [self.moves.first(), self.moves.last()] else {
            return false;
        };
        let (start, end) = (first.from.start, last.from.end);
        let low = start.min(self.first);
        let high = end.max(self.first + self.count);
        low / size != (high - 1) / size
    }
}

impl Move {
    /// Where the manifold at a place goes.
    fn place_of(&self, at: usize) -> usize {
        at + self.to - self.from.start
    }

    /// Those that are within some places before and after.
    fn within(&self, places: &Range<usize>) -> Range<usize> {
        let back = |place: usize| (place + self.from.start).saturating_sub(self.to);
        let start = places.start.max(back(places.start)).max(self.from.start);
        start..places.end.min(back(places.end)).min(self.from.end)
    }

    /// The borders between stretches of `size` places that some go over.
    fn borders(&self, size: usize) -> impl Iterator<Item = usize> + use<> {
        let (low, high) = (self.to.min(self.from.start), self.to.max(self.from.start));
        let first = (low / size + 1) * size;
        (first..high + self.from.len()).step_by(size)
    }

    /// Those that go over a border, up or down.
    fn over(&self, border: usize) -> Range<usize> {
        let back = (border + self.from.start).saturating_sub(self.to);
        let [low, high] = [border.min(back), border.max(back)];
        low.max(self.from.start)..high.min(self.from.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::chance;
    use crate::frame::Changed;
    use rb_contact::broad::Paired;
    use rb_core::manifold::ManifoldKey;

    /// A manifold that can be told from others.
    fn named(name: u32) -> Manifold {
        Manifold {
            key: ManifoldKey {
                pair: [name; 2],
                ..ManifoldKey::default()
            },
            ..Manifold::default()
        }
    }

    /// Pairs that keep, change, lose or gain manifolds, or go with theirs, against lists made anew.
    #[test]
    fn every_pair_finds_its_manifolds_again() {
        let mut random = chance(7);
        let (mut pairs, mut contacts) = (Vec::new(), Vec::new());
        let mut expected: Vec<Vec<u32>> = Vec::new();
        let (mut frame, mut names, mut moved, mut crossed) = (Frame::default(), 0, [0; 2], 0);
        for _ in 0..200 {
            // As the broad phase leaves the list: some pairs are gone, some are new.
            let stays: Vec<bool> = pairs.iter().map(|_| random(8) > 0).collect();
            let mut stay = stays.iter();
            pairs.retain(|_: &Pair| *stay.next().unwrap());
            let mut stay = stays.iter();
            expected.retain(|_| *stay.next().unwrap());
            for _ in 0..random(60) {
                let at = random(pairs.len() as u32 + 1) as usize;
                pairs.insert(at, Pair::new([0, 1]));
                expected.insert(at, Vec::new());
            }
            let chunks = pairs.len().div_ceil(CHUNK);
            frame.chunks.clear();
            frame.chunks.resize_with(chunks, PairChunk::default);
            for (k, list) in expected.iter_mut().enumerate() {
                let count = random(6);
                if random(4) > 0 || count as usize == list.len() {
                    continue;
                }
                let chunk = &mut frame.chunks[k / CHUNK];
                let pair = (k % CHUNK) as u32;
                chunk.changed.push(Changed { pair, count });
                list.clear();
                list.extend(names..names + count);
                names += count;
                chunk.found.extend(list.iter().map(|&n| named(n)));
            }
            for (chunk, lists) in frame.chunks.iter_mut().zip(expected.chunks(CHUNK)) {
                chunk.count = lists.iter().map(Vec::len).sum();
            }
            settle(&mut pairs, &mut contacts, &mut frame);
            let places = pairs.iter().map(|p| &contacts[p.manifolds()]);
            let names = places.map(|m| m.iter().map(|m| m.key.pair[0]).collect::<Vec<_>>());
            assert!(names.eq(expected.iter().cloned()));
            assert_eq!(contacts.len(), expected.iter().map(Vec::len).sum::<usize>());
            crossed += frame.crossing.len();
            for m in frame.chunks.iter().flat_map(|c| &c.moves) {
                moved[usize::from(m.to > m.from.start)] += 1;
            }
        }
        assert!(moved.iter().all(|&n| n > 1000), "{moved:?}");
        assert!(crossed > 1000, "{crossed}");
    }
}

//! Where the manifolds of the pairs lie: in the order of the pairs, one after the other.

use crate::frame::{Frame, PairChunk};
use crate::state::Pair;
use rb_core::manifold::Manifold;
use rb_core::room::fit;
use rb_solve::parallel::{self, Parts};

/// Manifolds per task when they go to new places.
const STRETCH: usize = 512;

/// Pairs, `size` to a task, with the contacts known of them.
pub(super) struct Tasks<'a> {
    chunks: &'a mut [PairChunk],
    pairs: &'a mut [Pair],
    size: usize,
    known: Known<'a>,
}

/// A run of the contacts with whether each is another than it was, and the number of its first.
pub(super) struct Known<'a> {
    contacts: &'a mut [Manifold],
    fresh: &'a mut [bool],
    first: usize,
}

impl<'a> Tasks<'a> {
    /// All pairs with all contacts.
    pub(super) fn new(
        chunks: &'a mut [PairChunk],
        pairs: &'a mut [Pair],
        size: usize,
        (contacts, fresh): (&'a mut [Manifold], &'a mut [bool]),
    ) -> Self {
        let known = Known {
            contacts,
            fresh,
            first: 0,
        };
        Self {
            chunks,
            pairs,
            size,
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

    /// Notes that the manifolds of a pair are others than they were.
    pub(super) fn note(&mut self, pair: &Pair) {
        if pair.count > 0 {
            self.fresh[pair.first as usize - self.first..][..pair.count as usize].fill(true);
        }
    }
}

impl Parts for Tasks<'_> {
    fn parts(&self) -> usize {
        self.chunks.len()
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let (chunks, chunks2) = self.chunks.split_at_mut(parts);
        let (pairs, pairs2) = self.pairs.split_at_mut(parts * self.size);
        let last = pairs.iter().rev().find(|p| p.count > 0);
        let Known {
            contacts,
            fresh,
            first,
        } = self.known;
        let second = last.map_or(first, |p| p.manifolds().end);
        let (contacts, contacts2) = contacts.split_at_mut(second - first);
        let (fresh, fresh2) = fresh.split_at_mut(second - first);
        let of = |chunks, pairs, contacts, fresh, first| Tasks {
            chunks,
            pairs,
            size: self.size,
            known: Known {
                contacts,
                fresh,
                first,
            },
        };
        (
            of(chunks, pairs, contacts, fresh, first),
            of(chunks2, pairs2, contacts2, fresh2, second),
        )
    }
}

/// Moves the manifolds that stay to their places in the order of the pairs, and puts those of changed
/// pairs in between. Whether any have come or gone: `meanwhile` is done then, on the way, with the rest of the frame and
/// these tasks, whose links are known.
pub(super) fn settle(
    pairs: &mut [Pair],
    size: usize,
    contacts: &mut Vec<Manifold>,
    frame: &mut Frame,
    meanwhile: impl FnOnce(&mut Frame, &[PairChunk]) + Send,
) -> bool {
    let mut len = 0;
    let chunks = &mut frame.chunks;
    for chunk in chunks.iter_mut() {
        chunk.first = len;
        len += chunk.count;
    }
    // No pair has changed or gone.
    if len == contacts.len() && chunks.iter().all(|c| c.changed.is_empty()) {
        return false;
    }
    let before = &contacts[..];
    parallel::for_each_with_run(chunks, pairs, size, |chunk, pairs| {
        number(chunk, pairs, before);
    });
    let mut chunks = std::mem::take(chunks);
    let mut shift = std::mem::take(&mut frame.shift);
    let mut crossing = std::mem::take(&mut frame.crossing);
    shift.clear();
    chunks.iter().for_each(|c| shift.append(&c.shift));
    let (run, blank) = (parallel::stretch(STRETCH), Manifold::default());
    parallel::both(
        || {
            shift.make(contacts, len, blank, run, &mut crossing, |all, within| {
                parallel::for_each_run(all, run, within);
            });
        },
        || meanwhile(frame, &chunks),
    );
    let fresh = &mut frame.fresh;
    fresh.clear();
    fresh.resize(len, true);
    parallel::for_each_part(
        Tasks::new(&mut chunks, pairs, size, (contacts, fresh)),
        &put,
    );
    (frame.chunks, frame.shift, frame.crossing) = (chunks, shift, crossing);
    true
}

/// Tells the pairs of a chunk where their manifolds will be, and notes how those that stay get there and which bodies
/// have some.
fn number(chunk: &mut PairChunk, pairs: &mut [Pair], before: &[Manifold]) {
    chunk.shift.clear();
    chunk.links.clear();
    let mut changed = chunk.changed.iter().peekable();
    let mut known = chunk.known.iter().copied().peekable();
    let (mut next, mut found) = (chunk.first, &chunk.found[..]);
    // Most pairs have none, and had none.
    while let Some(k) = lower(known.peek(), changed.peek().map(|c| &c.pair)) {
        known.next_if_eq(&k);
        let pair = &mut pairs[k as usize];
        let manifolds = match changed.next_if(|c| c.pair == k) {
            Some(now) => {
                let (of_pair, others) = found.split_at(now.count as usize);
                pair.count = now.count;
                found = others;
                of_pair
            }
            None => {
                chunk.shift.note(pair.manifolds(), next);
                &before[pair.manifolds()]
            }
        };
        chunk.links.extend(manifolds.first().map(|m| m.bodies));
        next = pair.put(next);
    }
}

/// The lower of two numbers, or the one there is.
fn lower(a: Option<&u32>, b: Option<&u32>) -> Option<u32> {
    a.into_iter().chain(b).min().copied()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::chance;
    use crate::frame::Changed;
    use crate::stage::narrow::CHUNK;
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
        for size in [7, CHUNK] {
            find_again(size);
        }
    }

    /// With so many pairs to a task.
    fn find_again(size: usize) {
        let mut random = chance(7);
        let (mut pairs, mut contacts) = (Vec::new(), Vec::new());
        let mut expected: Vec<Vec<u32>> = Vec::new();
        let (mut frame, mut names) = (Frame::default(), 0);
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
            let chunks = pairs.len().div_ceil(size);
            frame.chunks.clear();
            frame.chunks.resize_with(chunks, PairChunk::default);
            for (k, list) in expected.iter_mut().enumerate() {
                let count = random(6);
                if random(4) > 0 || count as usize == list.len() {
                    continue;
                }
                let chunk = &mut frame.chunks[k / size];
                let pair = (k % size) as u32;
                chunk.changed.push(Changed { pair, count });
                list.clear();
                list.extend(names..names + count);
                names += count;
                chunk.found.extend(list.iter().map(|&n| named(n)));
            }
            for (chunk, pairs) in frame.chunks.iter_mut().zip(pairs.chunks(size)) {
                let known = (0..).zip(pairs).filter(|(_, pair)| pair.count > 0);
                chunk.known = known.map(|(k, _)| k).collect();
            }
            for (chunk, lists) in frame.chunks.iter_mut().zip(expected.chunks(size)) {
                chunk.count = lists.iter().map(Vec::len).sum();
            }
            let mut told = None;
            settle(&mut pairs, size, &mut contacts, &mut frame, |_, chunks| {
                told = Some(chunks.iter().map(|c| c.links.len()).sum::<usize>());
            });
            let touching = expected.iter().filter(|list| !list.is_empty()).count();
            assert!(told.is_none_or(|links| links == touching));
            let places = pairs.iter().map(|p| &contacts[p.manifolds()]);
            let names = places.map(|m| m.iter().map(|m| m.key.pair[0]).collect::<Vec<_>>());
            assert!(names.eq(expected.iter().cloned()));
            assert_eq!(contacts.len(), expected.iter().map(Vec::len).sum::<usize>());
        }
    }
}

//! Which pairs touch, and what has changed in that: run by run of contacts, since every manifold is asked, and they are
//! many and large.

use super::contacts::CONTACTS;
use super::{contact_event, is_told_of};
use crate::events::{ContactEvent, Events};
use crate::frame::Frame;
use crate::state::{PairList, State, Touching};
use rb_core::manifold::Manifold;
use rb_core::room::{bytes, empty, fit};
use rb_solve::parallel;

/// What one task found among its contacts.
#[derive(Debug, Default)]
pub(crate) struct TouchingRun {
    /// Pairs that touch now, those of them that did not before, and those that did and do not any more.
    now: Vec<Touching>,
    begun: PairList,
    ended: PairList,
}

/// Lists the pairs that touch now, and tells in what the list differs from the last.
///
/// A pair touches while one of its manifolds is closed; it goes on touching until no point is within the margin, so that
/// a resting contact does not flicker.
pub(super) fn list_touching(state: &mut State, frame: &mut Frame, events: &mut Events) {
    let count = state.contacts.len().div_ceil(CONTACTS).max(1);
    frame.touching.truncate(count + count / 8 + 1);
    if frame.touching.len() < count {
        frame.touching.resize_with(count, TouchingRun::default);
    }
    let runs = &mut frame.touching[..count];
    let (contacts, before) = (&state.contacts[..], &state.touching[..]);
    let stored = |k: usize| frame.stored.get(k);
    let same = |k| frame.contacts_stay && stored(k).is_some_and(|(_, changed)| !changed);
    parallel::for_each_run(runs, 1, |first, runs| {
        for (k, run) in (first..).zip(runs) {
            run.list(contacts, before, k, same(k));
        }
    });
    state.touching.clear();
    fit(&mut state.touching, runs.iter().map(|r| r.now.len()).sum());
    for run in &*runs {
        state.touching.extend_from_slice(&run.now);
    }
    let told = |pairs: &PairList, list: &mut Vec<ContactEvent>| {
        let told = pairs.iter().filter(|pair| is_told_of(state, pair));
        list.extend(told.map(|pair| contact_event(state, *pair)));
    };
    for run in runs {
        told(&run.begun, &mut events.contact_begin);
        told(&run.ended, &mut events.contact_end);
    }
}

impl TouchingRun {
    /// Lists the pairs whose first manifold is in run `k` of the contacts, and those that touched `before` and would
    /// stand among them. In a run that is the `same` no contact has come, gone, closed or opened.
    fn list(&mut self, contacts: &[Manifold], before: &[Touching], k: usize, same: bool) {
        empty(&mut self.now);
        empty(&mut self.begun);
        empty(&mut self.ended);
        let [start, end] = [k, k + 1].map(|k| border(contacts, k));
        let before = &before[place(contacts, before, k)..place(contacts, before, k + 1)];
        if same && end <= (k + 1) * CONTACTS {
            return self.now.extend_from_slice(before);
        }
        self.compare(&contacts[start..end], before);
    }

    /// Lists the pairs of some contacts, and those that touched `before` and have none among these.
    fn compare(&mut self, contacts: &[Manifold], before: &[Touching]) {
        let mut before = before.iter().copied().peekable();
        // Contacts come in the order of their pairs, like the list.
        for of_pair in contacts.chunk_by(|a, b| a.key.pair == b.key.pair) {
            let contact = Touching::of(&of_pair[0]);
            while let Some(gone) = before.next_if(|t| *t < contact) {
                self.ended.push(gone.pair);
            }
            let touched = before.next_if_eq(&contact).is_some();
            let closed = of_pair.iter().any(Manifold::is_closed);
            if closed && !touched {
                self.begun.push(contact.pair);
            }
            if closed || touched {
                self.now.push(contact);
            }
        }
        self.ended.extend(before.map(|gone| gone.pair));
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        bytes(&self.now) + bytes(&self.begun) + bytes(&self.ended)
    }
}

/// Number of the first contact from run `k` on that is not of a pair that begins before it.
fn border(contacts: &[Manifold], k: usize) -> usize {
    let at = (k * CONTACTS).min(contacts.len());
    let Some(last) = at.checked_sub(1) else {
        return 0;
    };
    let last = contacts[last].key.pair;
    let rest = contacts[at..].iter();
    at + rest.take_while(|m| m.key.pair == last).count()
}

/// Number of the first pair that touched before and stands from run `k` of the contacts on.
fn place(contacts: &[Manifold], before: &[Touching], k: usize) -> usize {
    match (k * CONTACTS).checked_sub(1) {
        None => 0,
        Some(last) if last + 1 >= contacts.len() => before.len(),
        Some(last) => {
            let last = Touching::of(&contacts[last]);
            before.partition_point(|t| *t <= last)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::chance;
    use rb_core::manifold::{ManifoldKey, Marks};

    /// Manifolds of many pairs, one of them longer than two runs, some closed; and pairs that touched before, some of which
    /// have no manifold any more.
    fn some(seed: u32) -> (Vec<Manifold>, Vec<Touching>) {
        let mut random = chance(seed);
        let (mut contacts, mut before) = (Vec::new(), Vec::new());
        let long = random(300);
        for pair in 0..300 {
            let touching = Touching {
                pair: [pair, pair + 1],
                bodies: [pair, pair + 7],
            };
            if random(2) == 0 {
                before.push(touching);
            }
            let count = if pair == long { 300 } else { random(6) };
            for sub in 0..count {
                let mut manifold = Manifold {
                    bodies: touching.bodies,
                    key: ManifoldKey {
                        pair: touching.pair,
                        sub: [0, sub],
                    },
                    ..Manifold::default()
                };
                manifold.marks.set(Marks::CLOSED, random(3) == 0);
                contacts.push(manifold);
            }
        }
        (contacts, before)
    }

    #[test]
    fn runs_find_what_all_contacts_at_once_do() {
        for seed in 1..20 {
            let (contacts, before) = some(seed);
            let mut whole = TouchingRun::default();
            whole.compare(&contacts, &before);
            let mut parts = TouchingRun::default();
            for k in 0..contacts.len().div_ceil(CONTACTS) {
                let mut run = TouchingRun::default();
                run.list(&contacts, &before, k, false);
                parts.now.extend(run.now);
                parts.begun.extend(run.begun);
                parts.ended.extend(run.ended);
            }
            assert_eq!(parts.now, whole.now, "{seed}");
            assert_eq!(parts.begun, whole.begun, "{seed}");
            assert_eq!(parts.ended, whole.ended, "{seed}");
            assert!(!(parts.begun.is_empty() || parts.ended.is_empty()));
        }
    }

    /// Where nothing has come, gone, closed or opened since the list was made.
    #[test]
    fn what_is_the_same_touches_as_before() {
        let (contacts, before) = some(5);
        let mut whole = TouchingRun::default();
        whole.compare(&contacts, &before);
        for k in 0..contacts.len().div_ceil(CONTACTS) {
            let [mut asked, mut same] = [TouchingRun::default(), TouchingRun::default()];
            asked.list(&contacts, &whole.now, k, false);
            same.list(&contacts, &whole.now, k, true);
            assert_eq!(asked.now, same.now, "{k}");
            assert!(asked.begun.is_empty() && asked.ended.is_empty());
        }
    }

    #[test]
    fn without_contacts_all_have_parted() {
        let (_, before) = some(3);
        let mut run = TouchingRun::default();
        run.list(&[], &before, 0, false);
        assert!(run.now.is_empty() && run.ended.len() == before.len());
    }
}

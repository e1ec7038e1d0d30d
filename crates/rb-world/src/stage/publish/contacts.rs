//! Impulses of contacts to where they persist.

use crate::frame::{Frame, NOWHERE};
use crate::state::State;
use rb_core::manifold::{Manifold, Marks};
use rb_solve::parallel;

/// Contacts per task.
pub(super) const CONTACTS: usize = 128;

/// Stores what became of every contact of an island, and notes which are closed; impulses of the others times `scale`.
/// Of each run of contacts is noted whether any closed or opened.
pub(super) fn store_contacts(state: &mut State, frame: &mut Frame, scale: f64) {
    find_clustered(frame);
    let (contacts, mut stored) = (&mut state.contacts, std::mem::take(&mut frame.stored));
    stored.clear();
    stored.extend(
        (0..contacts.len())
            .step_by(CONTACTS)
            .map(|first| (first, false)),
    );
    let shared = &*frame;
    parallel::for_each_with_run(&mut stored, contacts, CONTACTS, |(first, changed), run| {
        for (manifold, home) in run.iter_mut().zip(&shared.homes[*first..]) {
            let before = manifold.is_closed();
            store(shared, *home, scale, manifold);
            *changed |= manifold.is_closed() != before;
        }
    });
    frame.stored = stored;
}

/// Contacts of an island with stiff clusters have been sorted by these.
fn find_clustered(frame: &mut Frame) {
    let islands = frame.islands[..frame.island_count].iter().enumerate();
    for (k, island) in islands.filter(|(_, i)| !i.clusters.is_empty()) {
        for (c, contact) in island.contacts.iter().enumerate() {
            frame.homes[contact.manifold as usize] = [k as u32, c as u32];
        }
    }
}

/// Stores what became of a manifold, if it is of an island.
fn store(frame: &Frame, [island, contact]: [u32; 2], scale: f64, manifold: &mut Manifold) {
    manifold.marks.remove(Marks::CLOSED | Marks::STIFF);
    if island != NOWHERE {
        let lanes = frame.lanes(island as usize);
        let (island, contact) = (&frame.islands[island as usize], contact as usize);
        island.settle(lanes, contact, manifold);
        manifold
            .marks
            .set(Marks::STIFF, island.stays_stiff(contact));
    } else {
        manifold.scale(scale);
    }
}

//! Impulses of contacts to where they persist, block by block.

use crate::frame::{Frame, NOWHERE};
use crate::state::State;
use rb_core::contact_block::{ContactBlock, LANES};
use rb_solve::parallel::{self, Parts};

/// Blocks of contacts per task.
const RUN: usize = 32;

/// Blocks of contacts, and whether each manifold of theirs is closed.
struct Shelf<'a> {
    /// Number of the first manifold.
    first: usize,
    blocks: &'a mut [ContactBlock],
    closed: &'a mut [bool],
}

impl Parts for Shelf<'_> {
    fn parts(&self) -> usize {
        self.blocks.len().div_ceil(RUN)
    }

    fn split_at(self, parts: usize) -> (Self, Self) {
        let at = parts * RUN;
        let (blocks, blocks2) = self.blocks.split_at_mut(at);
        let (closed, closed2) = self.closed.split_at_mut(at * LANES);
        let of = |first, blocks, closed| Shelf {
            first,
            blocks,
            closed,
        };
        let second = self.first + at * LANES;
        (of(self.first, blocks, closed), of(second, blocks2, closed2))
    }
}

/// Stores what became of every contact of an island, and notes which are closed.
pub(super) fn store_contacts(state: &mut State, frame: &mut Frame) {
    find_clustered(frame);
    let mut closed = std::mem::take(&mut frame.closed);
    closed.clear();
    closed.resize(state.contacts.len(), false);
    let shelf = Shelf {
        first: 0,
        blocks: state.contacts.blocks_mut(),
        closed: &mut closed,
    };
    let frame_now = &*frame;
    parallel::for_each_part(shelf, &|shelf: Shelf| {
        for (k, closed) in shelf.closed.iter_mut().enumerate() {
            let (block, lane) = (&mut shelf.blocks[k / LANES], k % LANES);
            *closed = store(frame_now, shelf.first + k, block, lane);
        }
    });
    frame.closed = closed;
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

/// Stores what became of a manifold, if it is of an island; says whether it is closed.
fn store(frame: &Frame, manifold: usize, block: &mut ContactBlock, lane: usize) -> bool {
    let [island, contact] = frame.homes[manifold];
    if island == NOWHERE {
        return false;
    }
    let points = block.count[lane] as usize;
    let settled = frame.islands[island as usize].settled(contact as usize, points);
    for (q, impulse) in block.points.iter_mut().zip(&settled.impulse).take(points) {
        for (to, x) in q.impulse.iter_mut().zip(impulse) {
            to[lane] = *x;
        }
    }
    block.put_spin(lane, settled.spin);
    settled.closed
}

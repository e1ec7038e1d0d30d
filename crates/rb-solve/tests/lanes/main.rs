//! Contacts in lanes against rows: the same certificate, the same fixed point, the same order.

mod kept;
mod laws;
mod one_by_one;
mod order;
#[path = "../random/mod.rs"]
mod random;
mod scene;
mod single;
mod watch;

use rb_core::manifold::{Impulses, Manifold};
use rb_solve::lanes::ContactLanes;

/// Impulses of a manifold, as they are stored.
fn impulses(lanes: &ContactLanes, manifold: usize) -> Impulses {
    let mut stored = Manifold::default();
    lanes.store(manifold, &mut stored);
    stored.impulses()
}

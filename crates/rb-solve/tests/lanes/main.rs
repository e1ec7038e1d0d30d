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

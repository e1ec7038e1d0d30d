//! What is going to be asked for, fetched while something else is done.
//!
//! Lists are many times as long as what the inner caches hold where there are tens of thousands of bodies. Whoever goes
//! through one list and asks another for what belongs to each of its entries, which lies anywhere, waits for memory at
//! each of them. A processor begins to read ahead what a loop asks for next, but no farther than some hundreds of
//! instructions.
//!
//! Nothing that a program computes is another for it. On processors other than x86-64 it does nothing.
#![allow(
    unsafe_code,
    reason = "the instruction takes an address, and has none to go wrong with"
)]

/// Entries by which loops look ahead that do little with each.
pub const NEAR: usize = 8;

/// Fetches all cache lines of a value, without waiting for them.
#[inline(always)]
pub fn fetch<T: ?Sized>(value: &T) {
    let (first, size) = ((&raw const *value).cast::<i8>(), size_of_val(value));
    for at in (0..size).step_by(LINE) {
        touch(first.wrapping_add(at));
    }
    // It may begin in the midst of one.
    touch(first.wrapping_add(size.max(1) - 1));
}

/// Bytes of a cache line.
const LINE: usize = 64;

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn touch(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is in every processor of this kind. It reads nothing into the program, and does nothing
    // for an address that is none.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
fn touch(_: *const i8) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of any size and place, those without any, and those that nobody may read.
    #[test]
    fn whatever_is_fetched_stays_as_it_is() {
        let bytes: Vec<u8> = (0..=255).collect();
        for from in 0..=bytes.len() {
            for to in from..=bytes.len() {
                fetch(&bytes[from..to]);
            }
        }
        assert!((0..=255).eq(bytes.iter().copied()));
        fetch(&());
        touch(core::ptr::null());
        touch(core::ptr::without_provenance(usize::MAX));
    }
}

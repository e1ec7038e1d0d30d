//! The lines at eight places, or at four.
//!
//! All places are compared with the number of lines at once. One by one, a visit of a batch would do so 48 times,
//! a sixth of its instructions.
#![allow(
    unsafe_code,
    reason = "places are checked together, not one by one, and then read again"
)]

use super::{AllLanes, Stored};

/// Reads them.
///
/// # Panics
///
/// If there is no line at one of the places.
#[inline(always)]
pub(super) fn read<S: AllLanes, L: Stored, const N: usize>(lines: &[L], at: &[u32; N]) -> [S; N] {
    check(lines, at);
    let mut rows = [S::zero(); N];
    for k in 0..N {
        // SAFETY: every place has been compared with the number of lines.
        rows[k] = unsafe { lines.get_unchecked(place(at, k)) }.row();
    }
    rows
}

/// Writes them; of two to the same place the later one stays.
///
/// # Panics
///
/// If there is no line at one of the places.
#[inline(always)]
pub(super) fn write<S: AllLanes, L: Stored, const N: usize>(
    lines: &mut [L],
    at: &[u32; N],
    rows: [S; N],
) {
    check(lines, at);
    for k in 0..N {
        // SAFETY: every place has been compared with the number of lines.
        unsafe { lines.get_unchecked_mut(place(at, k)) }.set_row(rows[k]);
    }
}

/// A place, read from memory once more: the read is volatile, or else the compiler takes the place out of the register in
/// which all of them were compared, at several instructions each (by turns 4 to 5 % of solving a pyramid).
#[inline(always)]
fn place<const N: usize>(at: &[u32; N], k: usize) -> usize {
    // SAFETY: a shared reference leads to an initialised number that nobody changes meanwhile, so that this is the one
    // that was compared.
    let place = unsafe { core::ptr::read_volatile(&raw const at[k]) };
    place as usize
}

#[inline(always)]
fn check<L, const N: usize>(lines: &[L], at: &[u32; N]) {
    let len = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let mut inside = true;
    for place in at {
        inside &= *place < len;
    }
    assert!(inside, "a body that is not there");
}

#[cfg(test)]
mod tests {
    use super::super::{LANES, Line, Plain, Simd};
    use super::*;

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn every_place_is_checked_before_a_line_is_read() {
        let lines = [Line::default(); 5];
        let _ = read::<Plain, _, LANES>(&lines, &[0, 1, 2, 3, 4, 3, 2, 5]);
    }

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn every_place_of_a_half_is_checked() {
        let lines = [Line::default(); 5];
        let _ = read::<Plain, _, 4>(&lines, &[0, 1, 5, 2]);
    }

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn every_place_is_checked_before_a_line_is_written() {
        let mut lines = [Line::default(); 5];
        let rows = [Plain::zero(); LANES];
        write(&mut lines, &[u32::MAX, 1, 2, 3, 4, 3, 2, 1], rows);
    }
}

//! The lines at eight places, or at four.
//!
//! All places of a visit are compared with the number of lines at once, before it reads any. One by one, a visit of a
//! batch would do so 32 times, and as often again before it writes.
#![allow(
    unsafe_code,
    reason = "places are checked together, not one by one, and then read again"
)]

use super::{AllLanes, LANES, Stored};

/// Place of a line: eight times its number. That is how many steps of four or of eight bytes, which an address can be
/// scaled by, lead there with lines of either precision; else a visit would shift 32 places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Place(u32);

/// What the number of a line is multiplied by.
const STEPS: u32 = 8;

/// The last place, which is compared as if it were none.
const NOWHERE: u32 = u32::MAX / STEPS * STEPS;

impl Place {
    /// That of a line. Of so many lines that a list of them would not fit into any memory, one that is nowhere.
    #[inline(always)]
    pub(in crate::lanes) fn new(line: u32) -> Self {
        Self(line.min(NOWHERE / STEPS) * STEPS)
    }

    /// The number of the line.
    #[inline(always)]
    pub(in crate::lanes) fn line(self) -> u32 {
        self.0 / STEPS
    }

    /// Where it is in bytes, without remainder: a place is a multiple of eight, and so is the size of a line.
    #[inline(always)]
    fn bytes<L: Stored>(self) -> usize {
        const { assert!(size_of::<L>().is_multiple_of(STEPS as usize)) };
        self.0 as usize * (size_of::<L>() / STEPS as usize)
    }
}

/// Eight places that have been compared with a number of lines: each is that of one of them.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a> {
    at: &'a [Place; LANES],
    lines: usize,
}

impl<'a> Within<'a> {
    /// # Panics
    ///
    /// If one of the places is none of these lines.
    #[inline(always)]
    pub(in crate::lanes) fn new<L>(at: &'a [Place; LANES], lines: &[L]) -> Self {
        let (end, mut inside) = (end(lines), true);
        for k in 0..LANES {
            inside &= at[k].0 < end;
        }
        assert!(inside, "a body that is not there");
        let lines = lines.len();
        Self { at, lines }
    }

    /// Those of both bodies of each lane.
    ///
    /// # Panics
    ///
    /// If one of the places is none of these lines.
    #[inline(always)]
    pub(in crate::lanes) fn both<L>(at: &'a [[Place; LANES]; 2], lines: &[L]) -> [Self; 2] {
        let (end, mut inside) = (end(lines), true);
        for k in 0..LANES {
            inside &= at[0][k].0.max(at[1][k].0) < end;
        }
        assert!(inside, "a body that is not there");
        let lines = lines.len();
        [Self { at: &at[0], lines }, Self { at: &at[1], lines }]
    }

    /// Bytes from the first line to that of a lane: to one of the lines that its place has been compared with.
    ///
    /// The place is read from memory once more, and the read is volatile, or else the compiler takes it out of the register
    /// in which all of them were compared, at several instructions each (by turns 4 to 5 % of solving a pyramid).
    #[inline(always)]
    fn bytes<L: Stored>(&self, lane: usize) -> usize {
        let place = &raw const self.at[lane];
        // SAFETY: a shared reference leads to an initialised number that nobody changes meanwhile, so that this is the
        // one that was compared.
        unsafe { core::ptr::read_volatile(place) }.bytes::<L>()
    }
}

/// The place after the last of some lines.
#[inline(always)]
fn end<L>(lines: &[L]) -> u32 {
    Place::new(u32::try_from(lines.len()).unwrap_or(u32::MAX)).0
}

/// Reads the lines of `N` lanes from the `first` on.
///
/// # Panics
///
/// If there are fewer lines than the places were compared with.
#[inline(always)]
pub(super) fn read<S: AllLanes, L: Stored, const N: usize>(
    lines: &[L],
    at: Within,
    first: usize,
) -> [S; N] {
    assert!(at.lines <= lines.len(), "fewer bodies than there were");
    let mut rows = [S::zero(); N];
    for k in 0..N {
        // SAFETY: the place is that of a line, and has been compared with a number of lines that are all here.
        let line = unsafe { &*lines.as_ptr().byte_add(at.bytes::<L>(first + k)) };
        rows[k] = line.row();
    }
    rows
}

/// Writes them; of two to the same place the later one stays.
///
/// # Panics
///
/// If there are fewer lines than the places were compared with.
#[inline(always)]
pub(super) fn write<S: AllLanes, L: Stored, const N: usize>(
    lines: &mut [L],
    at: Within,
    first: usize,
    rows: [S; N],
) {
    assert!(at.lines <= lines.len(), "fewer bodies than there were");
    for k in 0..N {
        // SAFETY: the place is that of a line, and has been compared with a number of lines that are all here.
        let line = unsafe { &mut *lines.as_mut_ptr().byte_add(at.bytes::<L>(first + k)) };
        line.set_row(rows[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LANES, Line, Narrow, Plain, Simd, Wide};
    use super::*;

    fn places(lines: [u32; LANES]) -> [Place; LANES] {
        lines.map(Place::new)
    }

    #[test]
    fn a_place_is_that_of_its_line_in_either_precision() {
        let double: Vec<_> = (0..9).map(|k| Wide([f64::from(k); LANES])).collect();
        let single: Vec<_> = (0..9).map(|k| Narrow([k as f32; LANES])).collect();
        let numbers = [3, 0, 8, 1, 7, 7, 2, 5];
        let at = places(numbers);
        assert_eq!(at.map(Place::line), numbers);
        let rows: [Plain; LANES] = read(&double, Within::new(&at, &double), 0);
        let halves: [Plain; 4] = read(&single, Within::new(&at, &single), 4);
        for (k, number) in numbers.into_iter().enumerate() {
            let mut row = Line::default();
            rows[k].store(&mut row);
            assert_eq!(row, double[number as usize]);
        }
        for (half, number) in halves.into_iter().zip(&numbers[4..]) {
            let mut row = Line::default();
            half.store(&mut row);
            assert_eq!(row, double[*number as usize]);
        }
    }

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn every_place_is_checked() {
        let lines = [Line::default(); 5];
        let _ = Within::new(&places([0, 1, 2, 3, 4, 3, 2, 5]), &lines);
    }

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn every_place_of_either_side_is_checked() {
        let lines = [Line::default(); 5];
        let _ = Within::both(
            &[places([0; LANES]), places([0, 0, 0, 0, 0, 5, 0, 0])],
            &lines,
        );
    }

    #[test]
    #[should_panic(expected = "fewer bodies than there were")]
    fn lines_are_not_fewer_than_places_were_compared_with() {
        let lines = [Line::default(); 5];
        let at = places([0, 1, 2, 3, 4, 3, 2, 1]);
        let _: [Plain; LANES] = read(&lines[..4], Within::new(&at, &lines), 0);
    }

    #[test]
    #[should_panic(expected = "a body that is not there")]
    fn a_line_beyond_all_memory_is_not_there() {
        let lines = [Line::default(); 5];
        let _ = Within::new(&[Place::new(1 << 29); LANES], &lines);
    }
}

//! The stream: tables of integers that change little from frame to frame.
//!
//! One table in one frame is written as
//!
//! | field | encoding |
//! |---|---|
//! | number of rows | varint |
//! | which rows differ from the previous frame | one bit per row, least significant first |
//! | for each such row, for each column: the difference | zigzag varint |
//!
//! A row that was not there in the previous frame counts as all zero, and so does every row in
//! the first frame of a chunk: chunks decode independently.

/// The rows as of the previous frame.
#[derive(Clone, Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    rows: Vec<[i32; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// Forgets the previous frame: what is encoded next can be decoded on its own.
    pub(crate) fn restart(&mut self) {
        self.rows.clear();
    }

    /// Appends `rows` to `out` as differences to the previous frame.
    pub(crate) fn encode(&mut self, rows: &[[i32; COLUMNS]], out: &mut Vec<u8>) {
        push_varint(out, rows.len() as u32);
        self.rows.resize(rows.len(), [0; COLUMNS]);
        let bits = out.len();
        out.resize(bits + rows.len().div_ceil(8), 0);
        for (index, (old, new)) in self.rows.iter_mut().zip(rows).enumerate() {
            if old == new {
                continue;
            }
            out[bits + index / 8] |= 1 << (index % 8);
            for (before, now) in old.iter().zip(new) {
                push_varint(out, zigzag(now.wrapping_sub(*before)));
            }
            *old = *new;
        }
    }
}

/// Small magnitudes of either sign to small unsigned numbers: 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4.
const fn zigzag(difference: i32) -> u32 {
    ((difference << 1) ^ (difference >> 31)) as u32
}

/// Seven bits a byte, least significant first; the top bit says that more follow.
fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull_varint(bytes: &mut &[u8]) -> u32 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = bytes.split_first().expect("the stream ended early");
            *bytes = rest;
            value |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }

    /// What the player does.
    fn decode<const N: usize>(rows: &mut Vec<[i32; N]>, bytes: &mut &[u8]) {
        let count = pull_varint(bytes) as usize;
        rows.resize(count, [0; N]);
        let (bits, rest) = bytes.split_at(count.div_ceil(8));
        *bytes = rest;
        for (index, row) in rows.iter_mut().enumerate() {
            if bits[index / 8] >> (index % 8) & 1 == 1 {
                for column in row {
                    let code = pull_varint(bytes);
                    let difference = (code >> 1) as i32 ^ -((code & 1) as i32);
                    *column = column.wrapping_add(difference);
                }
            }
        }
    }

    #[test]
    fn rows_return_as_they_come_and_go() {
        let extremes = [i32::MIN, i32::MAX, 0];
        let frames: [&[[i32; 3]]; 6] = [
            &[],
            &[[1, -2, 3], [0, 0, 0], extremes],
            &[[1, -2, 3], [5, 0, 0], [i32::MAX, i32::MIN, -1]],
            &[[1, -2, 3]],
            &[[1, -2, 4], [0, 9, 0]],
            &[[64; 3]; 17],
        ];
        let (mut table, mut bytes) = (Table::new(), Vec::new());
        for rows in frames {
            table.encode(rows, &mut bytes);
        }
        let (mut rows, mut rest) = (Vec::new(), bytes.as_slice());
        for expected in frames {
            decode(&mut rows, &mut rest);
            assert_eq!(rows, expected);
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn an_unchanged_row_costs_one_bit() {
        let (mut table, mut bytes) = (Table::new(), Vec::new());
        table.encode(&[[7, 7]; 80], &mut bytes);
        let before = bytes.len();
        table.encode(&[[7, 7]; 80], &mut bytes);
        assert_eq!(bytes.len() - before, 1 + 80 / 8);
    }

    #[test]
    fn after_a_restart_nothing_earlier_is_needed() {
        let (mut table, mut bytes) = (Table::new(), Vec::new());
        table.encode(&[[3, 4]], &mut Vec::new());
        table.restart();
        table.encode(&[[3, 4]], &mut bytes);
        let mut rows = Vec::new();
        decode(&mut rows, &mut bytes.as_slice());
        assert_eq!(rows, [[3, 4]]);
    }
}

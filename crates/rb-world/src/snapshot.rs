//! Saving and restoring the whole state as bytes.
//!
//! Contract: restoring and stepping gives the same bits as not having saved. Hooks, solver, threads
//! and the behaviour of custom joints are not part of the state; supply them again.

use crate::state::State;
use crate::world::World;
use rb_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Version of the byte format; raised with every change of the stored state.
const FORMAT: u32 = 16;

#[derive(Serialize)]
struct SnapshotRef<'a> {
    format: u32,
    state: &'a State,
}

#[derive(Deserialize)]
struct Snapshot {
    state: State,
}

impl World {
    /// The whole state as bytes.
    ///
    /// # Errors
    /// None in practice: the state holds nothing that cannot be written.
    pub fn save(&self) -> Result<Vec<u8>> {
        let snapshot = SnapshotRef {
            format: FORMAT,
            state: &self.state,
        };
        postcard::to_allocvec(&snapshot).map_err(|e| malformed(&e))
    }

    /// A world from the bytes of [`save`](Self::save).
    ///
    /// # Errors
    /// The bytes are of another format version, truncated or not a snapshot.
    pub fn restore(bytes: &[u8]) -> Result<Self> {
        let (format, rest) = postcard::take_from_bytes::<u32>(bytes).map_err(|e| malformed(&e))?;
        if format != FORMAT {
            let reason = format!("format {format}, this build reads format {FORMAT}");
            return Err(Error::Malformed {
                what: "snapshot",
                reason,
            });
        }
        let snapshot: Snapshot = postcard::from_bytes(rest).map_err(|e| malformed(&e))?;
        snapshot.state.params.validate()?;
        Ok(Self::from_state(snapshot.state))
    }

    /// Hash (FNV-1a) of all poses and velocities: equal exactly when two runs agree bit for bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for (_, b) in self.bodies() {
            let numbers = b.com.to_array().into_iter().chain(b.q.to_array());
            let rates = b.vel.lin.to_array().into_iter().chain(b.vel.ang.to_array());
            for byte in numbers.chain(rates).flat_map(|x| x.to_bits().to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        hash
    }
}

fn malformed(e: &postcard::Error) -> Error {
    Error::Malformed {
        what: "snapshot",
        reason: e.to_string(),
    }
}

//! Saving and restoring the whole state as bytes.
//!
//! Contract: restoring and stepping gives the same bits as not having saved. Hooks, solver, threads
//! and the behaviour of custom joints are not part of the state; supply them again.

use crate::state::State;
use crate::world::World;
use rb_core::{Error, Result};

/// Version of the byte format; raised with every change of the stored state.
const FORMAT: u32 = 30;

/// What a hash of no bytes is.
const NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

impl World {
    /// The whole state as bytes.
    ///
    /// # Errors
    /// None in practice: the state holds nothing that cannot be written.
    pub fn save(&self) -> Result<Vec<u8>> {
        let mut bytes = postcard::to_allocvec(&FORMAT).map_err(|e| malformed(&e))?;
        let state = postcard::to_allocvec(&self.state).map_err(|e| malformed(&e))?;
        bytes.extend(fnv(NOTHING, &state).to_le_bytes());
        bytes.extend(state);
        Ok(bytes)
    }

    /// A world from the bytes of [`save`](Self::save).
    ///
    /// # Errors
    /// The bytes are of another format version, truncated, changed since they were saved, or not a snapshot.
    pub fn restore(bytes: &[u8]) -> Result<Self> {
        let (format, rest) = postcard::take_from_bytes::<u32>(bytes).map_err(|e| malformed(&e))?;
        if format != FORMAT {
            let reason = format!("format {format}, this build reads format {FORMAT}");
            return Err(refused(reason));
        }
        let (sum, stored) = rest
            .split_first_chunk()
            .ok_or_else(|| refused("it ends before the state".into()))?;
        // A state refers to itself by numbers everywhere; a step over one that was damaged would panic.
        if fnv(NOTHING, stored) != u64::from_le_bytes(*sum) {
            return Err(refused("its bytes are not those that were saved".into()));
        }
        let state: State = postcard::from_bytes(stored).map_err(|e| malformed(&e))?;
        state.params.validate()?;
        Ok(Self::from_state(state))
    }

    /// Hash (FNV-1a) of all poses and velocities: equal exactly when two runs agree bit for bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = NOTHING;
        for (_, b) in self.bodies() {
            let numbers = b.com.to_array().into_iter().chain(b.q.to_array());
            let rates = b.vel.lin.to_array().into_iter().chain(b.vel.ang.to_array());
            for x in numbers.chain(rates) {
                hash = fnv(hash, &x.to_bits().to_le_bytes());
            }
        }
        hash
    }
}

/// Hash (FNV-1a) of what was hashed before, and `bytes`. It tells damage, not forgery.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(hash, mix)
}

fn malformed(e: &postcard::Error) -> Error {
    refused(e.to_string())
}

fn refused(reason: String) -> Error {
    Error::Malformed {
        what: "snapshot",
        reason,
    }
}

//! Ids made of UUIDs, and those of the machine's random numbers.

use crate::ids::IdSource;

/// Draws random bits in batches, for each draw is a call into the host.
pub(super) struct RandomIds {
    pool: [u8; POOL],
    used: usize,
}

/// The machine has no random numbers to give.
pub(super) struct NoRandomness;

impl RandomIds {
    /// Draws the first batch.
    pub(super) fn new() -> Result<Self, NoRandomness> {
        let mut pool = [0; POOL];
        getrandom::fill(&mut pool).map_err(|_| NoRandomness)?;
        Ok(Self { pool, used: 0 })
    }
}

impl RandomIds {
    fn hash_on(&mut self) {
        let key = *blake3::hash(&self.pool).as_bytes();
        for (place, chunk) in (0_u64..).zip(self.pool.as_chunks_mut::<32>().0) {
            *chunk = *blake3::keyed_hash(&key, &place.to_le_bytes()).as_bytes();
        }
    }
}

impl IdSource for RandomIds {
    fn random_u128(&mut self) -> u128 {
        if self.used + 16 > POOL {
            // It worked when the engine was made. Should it ever stop working, the old batch is
            // hashed on rather than used again.
            if getrandom::fill(&mut self.pool).is_err() {
                self.hash_on();
            }
            self.used = 0;
        }
        let chunk = self.pool.get(self.used..).and_then(|rest| rest.first_chunk::<16>());
        self.used += 16;
        uuid::Builder::from_random_bytes(chunk.copied().unwrap_or_default()).into_uuid().as_u128()
    }
}

/// 64 ids a batch.
const POOL: usize = 1024;

//! Passwords: Argon2id (RFC 9106) in memory that one hash hands on to the next.

use argon2::{Algorithm, Argon2, Block, Params, PasswordHash, Version};
use subtle::ConstantTimeEq as _;

use crate::clock::Clock;

/// Bytes of a salt (RFC 9106, section 3.1).
const SALT_BYTES: usize = 16;
/// The longest output that a stored hash may have (the PHC string format).
const OUTPUT_BYTES_MAX: usize = 64;
/// Blocks of 1 KiB for which room is made; hashes use 19 MiB of it, and only what is used becomes resident. Unless it is told
/// otherwise (`app/memory.rs`), the C library takes anything smaller than 32 MiB out of heaps that it keeps after the first few times
/// (`mallopt(3)`, `M_MMAP_THRESHOLD`); what is larger is always mapped by itself, and goes back to the system when it is freed.
const ROOM_BLOCKS: usize = 40 * 1024;

/// Memory to hash passwords in, one after the other.
#[derive(Default)]
pub struct HashMemory(Vec<Block>);

impl HashMemory {
    /// Hashes a password in the form in which it is stored; takes tens of milliseconds, so it belongs on a blocking thread. `None` only
    /// if the library refuses, which no password causes.
    pub fn hash(&mut self, password: &str, clock: &dyn Clock) -> Option<String> {
        let mut salt = [0_u8; SALT_BYTES];
        clock.fill_random(&mut salt);
        let argon2 = Argon2::default();
        let mut output = [0_u8; Params::DEFAULT_OUTPUT_LEN];
        let blocks = self.blocks(argon2.params());
        argon2.hash_password_into_with_memory(password.as_bytes(), &salt, &mut output, blocks).ok()?;
        let hash = PasswordHash {
            algorithm: Algorithm::default().ident(),
            version: Some(Version::default().into()),
            params: argon2.params().try_into().ok()?,
            salt: Some((&salt[..]).try_into().ok()?),
            hash: Some((&output[..]).try_into().ok()?),
        };
        Some(hash.to_string())
    }

    /// Whether a password belongs to a stored hash; as slow as hashing.
    pub fn verify(&mut self, password: &str, stored: &str) -> bool {
        self.try_verify(password, stored).unwrap_or(false)
    }

    fn try_verify(&mut self, password: &str, stored: &str) -> Option<bool> {
        let stored = PasswordHash::new(stored).ok()?;
        let (salt, expected) = (stored.salt?, stored.hash?);
        let version = stored.version.map(Version::try_from).transpose().ok()?.unwrap_or_default();
        let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
        let argon2 = Argon2::new(algorithm, version, Params::try_from(&stored).ok()?);
        let mut buffer = [0_u8; OUTPUT_BYTES_MAX];
        let output = buffer.get_mut(..expected.len())?;
        let blocks = self.blocks(argon2.params());
        argon2.hash_password_into_with_memory(password.as_bytes(), &salt, output, blocks).ok()?;
        Some(output.ct_eq(expected.as_bytes()).into())
    }

    fn blocks(&mut self, params: &Params) -> &mut [Block] {
        let needed = params.block_count();
        if self.0.capacity() == 0 {
            self.0.reserve_exact(needed.max(ROOM_BLOCKS));
        }
        if self.0.len() < needed {
            self.0.resize(needed, Block::default());
        }
        &mut self.0
    }
}

/// Hashes one password, for commands.
pub fn hash_password(password: &str, clock: &dyn Clock) -> Option<String> {
    HashMemory::default().hash(password, clock)
}

#[cfg(test)]
mod tests {
    use argon2::PasswordVerifier as _;

    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn passwords_verify_only_against_their_own_hash() {
        let clock = ManualClock::at_ms(0);
        let mut memory = HashMemory::default();
        let hash = memory.hash("correct horse battery", &clock).expect("hashed");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let other = memory.hash("another password", &clock).expect("hashed");
        // What an earlier password left in the memory has no part in it.
        assert!(memory.verify("correct horse battery", &hash) && memory.verify("another password", &other));
        assert!(HashMemory::default().verify("correct horse battery", &hash));
        for (password, stored) in [
            ("correct horse batter", &*hash),
            ("correct horse battery", &other),
            ("x", "not a hash"),
            ("x", "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA"),
        ] {
            assert!(!memory.verify(password, stored), "{stored}");
        }
        // The library by itself agrees.
        assert!(Argon2::default().verify_password(b"correct horse battery", &*hash).is_ok());
    }
}

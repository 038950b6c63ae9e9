//! The form of an API key: `key_<prefix>_<secret>`, base62, with a checksum at the end.
//!
//! The prefix (12 characters) is the public look-up handle. The secret is 37 random characters and 6 that hold the
//! CRC-32 (IEEE 802.3) of everything before them, so that a mistyped key is refused without a look-up and a secret
//! scanner can tell a leaked key from a look-alike. The secret carries over 200 bits, so a fast hash (SHA-256) is
//! enough for storage; a slow password hash would only be a lever for denial of service.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What every key starts with.
pub const KEY_LITERAL: &str = "key_";
/// Characters in the look-up handle.
pub const PREFIX_LENGTH: usize = 12;
/// Characters in the secret, checksum included.
pub const SECRET_LENGTH: usize = RANDOM_LENGTH + CHECKSUM_LENGTH;
/// Characters in the whole key.
pub const KEY_LENGTH: usize = KEY_LITERAL.len() + PREFIX_LENGTH + 1 + SECRET_LENGTH;

const RANDOM_LENGTH: usize = 37;
const CHECKSUM_LENGTH: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The look-up handle of a key.
pub type KeyPrefix = [u8; PREFIX_LENGTH];

/// SHA-256 of a whole key, the only form that is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// Compares in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        // Four words compare as constantly as 32 bytes and in a fraction of the time.
        lanes(&self.0).ct_eq(&lanes(&other.0)).into()
    }
}

fn lanes(bytes: &[u8; 32]) -> [u64; 4] {
    let mut lanes = [0; 4];
    for (lane, chunk) in lanes.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *lane = u64::from_ne_bytes(*chunk);
    }
    lanes
}

/// A key that was just minted; the plaintext exists only here.
pub struct MintedKey {
    /// The whole key, shown to its owner exactly once.
    pub plaintext: String,
    /// The look-up handle.
    pub prefix: String,
    /// What is stored.
    pub hash: KeyHash,
}

/// A presented key that has the right form.
#[derive(Clone, Copy)]
pub struct PresentedKey {
    /// The look-up handle.
    pub prefix: KeyPrefix,
    /// To be compared with the stored hash.
    pub hash: KeyHash,
}

/// Mints a key from a source of random bytes.
pub fn mint(mut fill_random: impl FnMut(&mut [u8])) -> MintedKey {
    let prefix = random_base62(PREFIX_LENGTH, &mut fill_random);
    let random = random_base62(RANDOM_LENGTH, &mut fill_random);
    let mut plaintext = format!("{KEY_LITERAL}{prefix}_{random}");
    let checksum = checksum_digits(plaintext.as_bytes());
    plaintext.extend(checksum.map(char::from));
    let hash = hash(plaintext.as_bytes());
    MintedKey { plaintext, prefix, hash }
}

/// Reads a presented key; `None` when its form or checksum is wrong.
pub fn parse(text: &str) -> Option<PresentedKey> {
    let bytes = text.as_bytes();
    if bytes.len() != KEY_LENGTH || !text.starts_with(KEY_LITERAL) {
        return None;
    }
    let (handle, secret) = bytes.get(KEY_LITERAL.len()..)?.split_at_checked(PREFIX_LENGTH)?;
    if secret.first() != Some(&b'_') || !handle.iter().chain(secret.get(1..)?).all(u8::is_ascii_alphanumeric) {
        return None;
    }
    let (before, checksum) = bytes.split_at_checked(KEY_LENGTH - CHECKSUM_LENGTH)?;
    if checksum_digits(before) != checksum {
        return None;
    }
    Some(PresentedKey { prefix: handle.try_into().ok()?, hash: hash(bytes) })
}

fn hash(bytes: &[u8]) -> KeyHash {
    KeyHash(Sha256::digest(bytes).into())
}

fn random_base62(length: usize, fill_random: &mut impl FnMut(&mut [u8])) -> String {
    let mut text = String::with_capacity(length);
    let mut block = [0_u8; 64];
    while text.len() < length {
        fill_random(&mut block);
        // 248 is the largest multiple of 62 in a byte: rejecting the rest keeps every character equally likely.
        for byte in block.iter().filter(|byte| **byte < 248).take(length - text.len()) {
            text.push(char::from(base62_digit(u32::from(*byte))));
        }
    }
    text
}

fn base62_digit(value: u32) -> u8 {
    let digit = usize::try_from(value % 62).unwrap_or_default();
    BASE62.get(digit).copied().unwrap_or(b'0')
}

fn checksum_digits(bytes: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(bytes);
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = base62_digit(rest);
        rest /= 62;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> impl FnMut(&mut [u8]) {
        let mut next = 0_u8;
        move |block| {
            for byte in block {
                *byte = next;
                next = next.wrapping_add(7);
            }
        }
    }

    #[test]
    fn a_minted_key_parses_and_matches_its_hash() {
        let minted = mint(counter());
        assert_eq!(minted.plaintext.len(), KEY_LENGTH);
        let presented = parse(&minted.plaintext).expect("well formed");
        assert_eq!(presented.prefix, minted.prefix.as_bytes());
        assert!(presented.hash.matches(&minted.hash));
    }

    #[test]
    fn any_single_changed_character_is_refused_without_a_look_up() {
        let key = mint(counter()).plaintext;
        for position in 0..key.len() {
            let mut bytes = key.clone().into_bytes();
            bytes[position] = if bytes[position] == b'x' { b'y' } else { b'x' };
            assert!(parse(std::str::from_utf8(&bytes).expect("ascii")).is_none(), "position {position}");
        }
        assert!(parse("").is_none());
        assert!(parse(&format!("{key}0")).is_none());
        assert!(parse("key_é").is_none());
    }
}

//! What secrets that programs carry are made of: random characters of base62 and, at the end, six that hold the CRC-32 of all
//! before, so that what is mistyped or made up is refused without a look-up and a secret scanner knows a leaked one.

use sha2::{Digest as _, Sha256};

/// Characters of the checksum.
pub(super) const CHECKSUM_LENGTH: usize = 6;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// SHA-256, the only form of a secret that is stored.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// So many random characters of base62.
pub(super) fn random_base62(length: usize, fill_random: &mut impl FnMut(&mut [u8])) -> String {
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

/// The characters that hold the CRC-32 (IEEE 802.3) of everything before them.
pub(super) fn checksum_digits(bytes: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(bytes);
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = base62_digit(rest);
        rest /= 62;
    }
    digits
}

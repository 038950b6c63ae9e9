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

/// What keys and tokens begin with.
const PREFIXES: [&str; 6] = ["key_", "oat_", "ort_", "oac_", "ocs_", "oar_"];
/// What a signed token begins with: an object of JSON in base64 (RFC 7519).
const SIGNED_TOKEN_PREFIX: &str = "eyJ";

/// Whether a text that a caller chose may have a key, a token or a web session in it, so that no log should.
pub fn may_be_in(text: &str) -> bool {
    let has_signed_token =
        || text.contains(SIGNED_TOKEN_PREFIX) && text.bytes().filter(|byte| *byte == b'.').count() >= 2;
    PREFIXES.iter().any(|prefix| text.contains(prefix)) || has_signed_token()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_credential_is_told_from_other_words() {
        for credential in [
            "key_AbCd1234_0123456789abcdef",
            "Bearer oat_0123456789",
            "x;ort_1",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        ] {
            assert!(may_be_in(credential), "{credential}");
        }
        for id in ["", "7f0c", "req_018f3c", "order-17.a.b", "eyJ", "monkey-1"] {
            assert!(!may_be_in(id), "{id}");
        }
    }
}

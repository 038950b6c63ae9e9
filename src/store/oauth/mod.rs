//! Connections by OAuth: clients, authorization requests, grants and their tokens. Of every secret only the hash is here.

mod clients;
mod exchange;
mod grants;
mod housekeeping;
mod requests;

pub use clients::{ClientRow, NewClient};
pub use exchange::{CodeRedemption, ExchangeRefusal, Exchanged, IssuedTokens, NewTokens, RefreshExchange};
pub use grants::{FoundToken, GrantRow, LoadedGrants, RevokedToken, TokenRow};
pub use requests::{Consent, ConsentOutcome, Decided, NewRequest, RequestRow};

use crate::domain::oauth::token::TokenHash;
use crate::store::StoreError;

/// The stored form of a hash.
fn hex(hash: &TokenHash) -> String {
    let mut text = String::with_capacity(64);
    for byte in hash.0 {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text
}

/// Reads the stored form of a hash.
fn hash_of(text: &str) -> Result<TokenHash, StoreError> {
    let corrupt = || StoreError::corrupt("hash of a token", text);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut hash = [0; 32];
    if pairs.len() != hash.len() || !rest.is_empty() {
        return Err(corrupt());
    }
    for (byte, pair) in hash.iter_mut().zip(pairs) {
        let digits = std::str::from_utf8(pair).map_err(|_| corrupt())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| corrupt())?;
    }
    Ok(TokenHash(hash))
}

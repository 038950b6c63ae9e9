//! Tokens that confirm a preview: minted here, stored as their hash.

use sha2::{Digest as _, Sha256};

use crate::domain::books::records::preview::NewPreview;
use crate::http::books::change::WriteAccess;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The request as it may be confirmed under a new token.
pub fn preview(call: &Call<Products>, prefix: &str) -> NewPreview {
    NewPreview { body: String::from_utf8_lossy(&call.body).into_owned(), ..mint(call, prefix) }
}

/// A new token, for nothing yet.
pub fn mint(call: &Call<Products>, prefix: &str) -> NewPreview {
    let mut random = [0_u8; 26];
    call.clock().fill_random(&mut random);
    let letters = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32)));
    let token: String = prefix.chars().chain(letters.map(|letter| char::from(*letter))).collect();
    let token_hash = hash(&token);
    NewPreview { token, token_hash, body: String::new() }
}

/// What is stored of a token.
pub fn hash(token: &str) -> String {
    Sha256::digest(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The request that was previewed under a token; none when it cannot be confirmed any more.
pub async fn request(call: &Call<Products>, access: &WriteAccess, hash: &str) -> Result<Option<String>, ApiError> {
    let key = call.key()?;
    Ok(call.state().reader.previewed(access.organisation.id, key.user_id, hash).await?)
}

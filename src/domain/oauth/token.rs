//! What the authorization server hands out: `oat_` access tokens, `ort_` refresh tokens, `oac_` codes, all of one form. The prefix
//! lets secret scanners find a leaked one; 37 random characters of base62 carry over 200 bits, so that SHA-256 is enough for
//! storage and the hash may be looked up; the checksum at the end refuses what is mistyped or guessed without a look-up.

use crate::domain::secret::{CHECKSUM_LENGTH, checksum_digits, random_base62, sha256};

const RANDOM_LENGTH: usize = 37;
const PREFIX_LENGTH: usize = 4;
const LENGTH: usize = PREFIX_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;

/// What a secret is for; one kind is never taken for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Presented with every request.
    Access,
    /// Exchanged for the next pair of tokens.
    Refresh,
    /// Exchanged for the first pair of tokens.
    Code,
    /// What a confidential client authenticates itself with.
    ClientSecret,
    /// Names an authorization request on the page that asks the person.
    Request,
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Access => "oat_",
            Self::Refresh => "ort_",
            Self::Code => "oac_",
            Self::ClientSecret => "ocs_",
            Self::Request => "oar_",
        }
    }
}

/// SHA-256 of a secret, the only form that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

/// An access token of the right form, as a request presents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresentedToken(pub TokenHash);

/// A secret that was just minted; its text exists only here and in the answer.
pub struct MintedToken {
    /// The secret.
    pub text: String,
    /// What is stored.
    pub hash: TokenHash,
}

/// Mints a secret from a source of random bytes.
pub fn mint(kind: TokenKind, mut fill_random: impl FnMut(&mut [u8])) -> MintedToken {
    let mut text = format!("{}{}", kind.prefix(), random_base62(RANDOM_LENGTH, &mut fill_random));
    let checksum = checksum_digits(text.as_bytes());
    text.extend(checksum.map(char::from));
    let hash = TokenHash(sha256(text.as_bytes()));
    MintedToken { text, hash }
}

/// Whether a text claims to be an access token, whatever else is wrong with it.
pub fn is_access_token(text: &str) -> bool {
    text.starts_with(TokenKind::Access.prefix())
}

/// The hash of a presented secret; none when its form or checksum is wrong.
pub fn parse(kind: TokenKind, text: &str) -> Option<TokenHash> {
    let bytes = text.as_bytes();
    if bytes.len() != LENGTH || !text.starts_with(kind.prefix()) {
        return None;
    }
    let (before, checksum) = bytes.split_at_checked(LENGTH - CHECKSUM_LENGTH)?;
    let is_base62 = bytes.get(PREFIX_LENGTH..)?.iter().all(u8::is_ascii_alphanumeric);
    (is_base62 && checksum_digits(before) == checksum).then(|| TokenHash(sha256(bytes)))
}

/// Mints the identifier of a client, which is no secret.
pub fn mint_client_id(fill_random: impl FnMut(&mut [u8])) -> String {
    let mut fill_random = fill_random;
    format!("client_{}", random_base62(22, &mut fill_random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_token_is_read_and_nothing_like_it_is() {
        for kind in
            [TokenKind::Access, TokenKind::Refresh, TokenKind::Code, TokenKind::ClientSecret, TokenKind::Request]
        {
            let minted = mint(kind, |block| block.fill(7));
            assert_eq!(parse(kind, &minted.text), Some(minted.hash));
            for other in [TokenKind::Access, TokenKind::Refresh, TokenKind::Code] {
                assert_eq!(parse(other, &minted.text).is_some(), other == kind);
            }
            for place in 0..minted.text.len() {
                let mut wrong = minted.text.clone().into_bytes();
                wrong[place] = if wrong[place] == b'x' { b'y' } else { b'x' };
                let wrong = String::from_utf8(wrong).expect("ASCII");
                assert_eq!(parse(kind, &wrong), None, "{wrong}");
            }
            for wrong in ["", "oat_", &minted.text[1..], &format!("{}0", minted.text), &minted.text.to_uppercase()] {
                assert_eq!(parse(kind, wrong), None, "{wrong}");
            }
        }
    }
}

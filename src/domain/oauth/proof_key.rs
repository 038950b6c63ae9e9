//! Proof keys (RFC 7636): the challenge that comes with the request, and the verifier that comes with the code. Only the method
//! S256 is known; OAuth 2.1 asks it of every client.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

use crate::domain::secret::sha256;

/// The characters of a challenge: SHA-256 in base64url without padding.
const CHALLENGE_LENGTH: usize = 43;

/// A challenge of the method S256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge(String);

impl Challenge {
    /// Reads a challenge; none unless it can be the hash of a verifier.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        (text.len() == CHALLENGE_LENGTH && hash.len() == 32).then(|| Self(text.to_owned()))
    }

    /// The challenge that a verifier answers; none unless the verifier has the form of section 4.1.
    pub fn of_verifier(verifier: &str) -> Option<Self> {
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        let has_form = (43..=128).contains(&verifier.len()) && verifier.bytes().all(is_unreserved);
        has_form.then(|| Self(BASE64_URL_SAFE_NO_PAD.encode(sha256(verifier.as_bytes()))))
    }

    /// The text, as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in constant time with a stored one.
    pub fn matches(&self, stored: &str) -> bool {
        self.0.as_bytes().ct_eq(stored.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard_is_answered() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = Challenge::of_verifier(verifier).expect("a verifier");
        assert!(challenge.matches("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
        assert!(!challenge.matches(verifier));
        assert_eq!(Challenge::parse(challenge.as_str()), Some(challenge));
    }

    #[test]
    fn what_has_another_form_is_refused() {
        for verifier in
            ["", "short", &"a".repeat(42), &"a".repeat(129), &format!("{}+", "a".repeat(43)), &"é".repeat(30)]
        {
            assert_eq!(Challenge::of_verifier(verifier), None, "{verifier}");
        }
        for challenge in ["", "a", &"a".repeat(42), &"a".repeat(44), &format!("{}=", "a".repeat(42)), &"+".repeat(43)] {
            assert_eq!(Challenge::parse(challenge), None, "{challenge}");
        }
    }
}

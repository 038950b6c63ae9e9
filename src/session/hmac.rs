//! HMAC with SHA-256 (RFC 2104, FIPS 180-4) as the only cryptography the JWT library is given.
//!
//! The library's own provider brings RSA and elliptic curves along, which no token here may use and which cost more to
//! build than everything else of it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use sha2::Sha256;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| Ok(Box::new(HmacSha256::for_signing(*algorithm, key)?)),
    verifier_factory: |algorithm, key| Ok(Box::new(HmacSha256::for_verifying(*algorithm, key)?)),
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes it the library's cryptography; to be called before the first token is signed or read.
pub(super) fn install() {
    // An error says that it is installed already.
    let _ = PROVIDER.install_default();
}

/// The code of a message, for what is no token.
pub(super) fn code(secret: &[u8], message: &[u8]) -> Option<[u8; 32]> {
    let keyed = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    Some(keyed.chain_update(message).finalize().into_bytes().into())
}

/// A key that signs and verifies.
struct HmacSha256(Hmac<Sha256>);

impl HmacSha256 {
    fn for_signing(algorithm: Algorithm, key: &EncodingKey) -> Result<Self> {
        Self::new(algorithm, key.family(), key.as_bytes())
    }

    fn for_verifying(algorithm: Algorithm, key: &DecodingKey) -> Result<Self> {
        Self::new(algorithm, key.family(), key.try_get_as_bytes()?)
    }

    fn new(algorithm: Algorithm, family: AlgorithmFamily, secret: &[u8]) -> Result<Self> {
        if algorithm != Algorithm::HS256 || family != AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        let keyed = Hmac::new_from_slice(secret).map_err(|_| ErrorKind::InvalidKeyFormat)?;
        Ok(Self(keyed))
    }
}

impl Signer<Vec<u8>> for HmacSha256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for HmacSha256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        // Compares in constant time.
        self.0.clone().chain_update(message).verify_slice(signature).map_err(|_| signature::Error::new())
    }
}

impl JwtSigner for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    const SECRET: &[u8] = b"Jefe";
    const MESSAGE: &[u8] = b"what do ya want for nothing?";
    const CODE: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    #[test]
    fn the_code_is_that_of_the_standard_and_no_other_is_accepted() {
        let signer = HmacSha256::for_signing(Algorithm::HS256, &EncodingKey::from_secret(SECRET)).expect("a key");
        let code = signer.try_sign(MESSAGE).expect("signed");
        let text: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, CODE);
        let verifier = HmacSha256::for_verifying(Algorithm::HS256, &DecodingKey::from_secret(SECRET)).expect("a key");
        assert!(verifier.verify(MESSAGE, &code).is_ok());
        for place in 0..code.len() {
            let mut forged = code.clone();
            forged[place] ^= 1;
            assert!(verifier.verify(MESSAGE, &forged).is_err());
        }
        assert!(verifier.verify(MESSAGE, &Vec::new()).is_err());
        assert!(verifier.verify(MESSAGE, &code[..31].to_vec()).is_err());
    }

    #[test]
    fn other_algorithms_are_refused() {
        for algorithm in [Algorithm::HS384, Algorithm::HS512, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
            assert!(HmacSha256::for_signing(algorithm, &EncodingKey::from_secret(SECRET)).is_err());
            assert!(HmacSha256::for_verifying(algorithm, &DecodingKey::from_secret(SECRET)).is_err());
        }
    }
}

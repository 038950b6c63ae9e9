//! The DKIM signature of an e-mail (RFC 6376; Ed25519 by RFC 8463), relaxed in headers and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};

/// The headers that are signed, as far as a message has them.
const SIGNED: [&str; 10] =
    ["from", "reply-to", "to", "cc", "subject", "date", "message-id", "auto-submitted", "mime-version", "content-type"];

/// What signs.
pub struct DkimKey {
    domain: String,
    selector: String,
    pair: Pair,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl DkimKey {
    /// Reads a private key in PEM; an error says what is wrong with it.
    pub fn read(pem: &[u8], domain: &str, selector: &str) -> Result<Self, String> {
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| format!("no private key in PEM: {error}"))?;
        let pair = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok().map(Pair::Rsa),
            PrivateKeyDer::Pkcs8(der) => {
                let der = der.secret_pkcs8_der();
                let rsa = || RsaKeyPair::from_pkcs8(der).ok().map(Pair::Rsa);
                Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Pair::Ed25519).or_else(rsa)
            }
            _ => None,
        };
        let pair = pair.ok_or("neither an RSA key of at least 2048 bits nor an Ed25519 key")?;
        Ok(Self { domain: domain.to_owned(), selector: selector.to_owned(), pair })
    }

    /// The header that signs a message, with its line end; `now_s` is the moment in seconds.
    pub fn signature(&self, message: &[u8], now_s: i64) -> Result<String, String> {
        let text = std::str::from_utf8(message).map_err(|error| error.to_string())?;
        let (head, body) = text.split_once("\r\n\r\n").ok_or("a message without a body")?;
        let headers = unfolded(head);
        let mut hashed = String::new();
        let mut names = Vec::new();
        for name in SIGNED {
            for (known, value) in headers.iter().filter(|(known, _)| known == name) {
                hashed.push_str(&format!("{known}:{value}\r\n"));
                names.push(name);
            }
        }
        // Named once more than it is there: another one added on the way breaks the signature.
        names.push("from");
        let algorithm = match self.pair {
            Pair::Rsa(_) => "rsa-sha256",
            Pair::Ed25519(_) => "ed25519-sha256",
        };
        let body_hash = STANDARD.encode(Sha256::digest(relaxed_body(body)));
        let (domain, selector, names) = (&self.domain, &self.selector, names.join(":"));
        let value = format!(
            "v=1; a={algorithm}; c=relaxed/relaxed; d={domain}; s={selector}; t={now_s}; h={names}; bh={body_hash}; b="
        );
        hashed.push_str(&format!("dkim-signature:{value}"));
        let signature = self.sign(hashed.as_bytes())?;
        let folded = value.replace("; ", ";\r\n ");
        let lines = STANDARD.encode(signature);
        let lines: Vec<&str> =
            lines.as_bytes().chunks(70).filter_map(|chunk| std::str::from_utf8(chunk).ok()).collect();
        Ok(format!("DKIM-Signature: {folded}{}\r\n", lines.join("\r\n ")))
    }

    fn sign(&self, hashed: &[u8]) -> Result<Vec<u8>, String> {
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), hashed, &mut signature)
                    .map_err(|_| "the key does not sign".to_owned())?;
                Ok(signature)
            }
            // RFC 8463: what is signed is the hash.
            Pair::Ed25519(pair) => Ok(pair.sign(&Sha256::digest(hashed)).as_ref().to_vec()),
        }
    }
}

/// The headers on one line each, their names in lower case, their blanks reduced to one.
fn unfolded(head: &str) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in head.split("\r\n") {
        match (line.starts_with([' ', '\t']), headers.last_mut()) {
            (true, Some((_, value))) => {
                value.push(' ');
                value.push_str(line);
            }
            _ => {
                let (name, value) = line.split_once(':').unwrap_or((line, ""));
                headers.push((name.trim_end().to_ascii_lowercase(), value.to_owned()));
            }
        }
    }
    for (_, value) in &mut headers {
        *value = value.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    }
    headers
}

/// The body with blanks reduced to one, none at the ends of lines, and no empty lines at its end.
fn relaxed_body(body: &str) -> String {
    let mut relaxed = String::with_capacity(body.len());
    for line in body.split("\r\n") {
        let mut is_blank = false;
        for character in line.trim_end_matches([' ', '\t']).chars() {
            let blank = matches!(character, ' ' | '\t');
            if !blank {
                relaxed.push(character);
            } else if !is_blank {
                relaxed.push(' ');
            }
            is_blank = blank;
        }
        relaxed.push_str("\r\n");
    }
    let length = relaxed.trim_end_matches("\r\n").len();
    relaxed.truncate(length);
    if !relaxed.is_empty() {
        relaxed.push_str("\r\n");
    }
    relaxed
}

#[cfg(test)]
mod tests {
    use ring::signature::{ED25519, KeyPair as _, UnparsedPublicKey};

    use super::*;

    #[test]
    fn canonical_forms_are_those_of_the_rfc() {
        // RFC 6376, 3.4.5.
        let headers = unfolded("A: X\r\nB : Y\t\r\n\tZ  ");
        assert_eq!(headers, [("a".to_owned(), "X".to_owned()), ("b".to_owned(), "Y Z".to_owned())]);
        assert_eq!(relaxed_body(" C \r\nD \t E\r\n\r\n\r\n"), " C\r\nD E\r\n");
        assert_eq!(relaxed_body("\r\n\r\n"), "");
        assert_eq!(relaxed_body("x"), "x\r\n");
        // RFC 6376, 3.4.4: the hash of an empty body.
        assert_eq!(STANDARD.encode(Sha256::digest(relaxed_body(""))), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn the_signature_holds_over_the_headers_it_names_and_the_body() {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pem =
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(document.as_ref()));
        let key = DkimKey::read(pem.as_bytes(), "books.example", "b1").unwrap();
        let message = "From: A <a@books.example>\r\nSubject: x\r\n  y\r\nX-Other: z\r\n\r\nHello  you \r\n";
        let header = key.signature(message.as_bytes(), 5).unwrap();
        let (_, value) = unfolded(header.trim_end()).remove(0);
        let (signed, signature) = value.rsplit_once("b=").unwrap();
        assert!(signed.contains("h=from:subject:from;") && signed.contains("d=books.example; s=b1; t=5;"), "{signed}");
        assert!(signed.contains(&format!("bh={}", STANDARD.encode(Sha256::digest("Hello you\r\n")))), "{signed}");
        let hashed = format!("from:A <a@books.example>\r\nsubject:x y\r\ndkim-signature:{signed}b=");
        let signature = STANDARD.decode(signature.replace(' ', "")).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        UnparsedPublicKey::new(&ED25519, pair.public_key().as_ref())
            .verify(&Sha256::digest(hashed.as_bytes()), &signature)
            .unwrap();
        assert!(DkimKey::read(b"rubbish", "books.example", "b1").is_err());
    }
}

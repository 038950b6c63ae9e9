//! Certificates made for a test (RFC 5280), with keys that nobody has before or after it.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const UTF8_STRING: u8 = 0x0c;
const GENERALIZED_TIME: u8 = 0x18;
/// `TRUE`.
const TRUE: [u8; 3] = [0x01, 0x01, 0xff];

/// Object identifiers, encoded: 1.2.840.10045.4.3.2, 1.2.840.10045.2.1, 1.2.840.10045.3.1.7, 2.5.4.3, 2.5.29.17, 2.5.29.19.
const ECDSA_WITH_SHA256: [u8; 10] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const EC_PUBLIC_KEY: [u8; 9] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const PRIME256V1: [u8; 10] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const COMMON_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS: [u8; 5] = [0x06, 0x03, 0x55, 0x1d, 0x13];

/// Something encoded: tag, length, content.
fn encoded(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = content.len();
    let mut bytes = match u8::try_from(length) {
        Ok(short @ ..0x80) => vec![tag, short],
        Ok(long) => vec![tag, 0x81, long],
        Err(_) => [&[tag, 0x82], &u16::try_from(length).expect("short").to_be_bytes()[..]].concat(),
    };
    bytes.extend(content);
    bytes
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    encoded(BIT_STRING, &[&[0], bytes])
}

fn name(common: &str) -> Vec<u8> {
    let attribute = encoded(SEQUENCE, &[&COMMON_NAME, &encoded(UTF8_STRING, &[common.as_bytes()])]);
    encoded(SEQUENCE, &[&encoded(SET, &[&attribute])])
}

/// A key, and itself as PKCS #8.
fn new_key() -> (EcdsaKeyPair, Vec<u8>) {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref(), &random).expect("a key");
    (key, pkcs8.as_ref().to_vec())
}

/// An authority that certifies names.
pub struct Authority {
    name: String,
    key: EcdsaKeyPair,
}

impl Authority {
    /// A new one.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), key: new_key().0 }
    }

    /// Its own certificate.
    pub fn certificate(&self) -> CertificateDer<'static> {
        let is_authority = encoded(OCTET_STRING, &[&encoded(SEQUENCE, &[&TRUE])]);
        let extension = encoded(SEQUENCE, &[&BASIC_CONSTRAINTS, &TRUE, &is_authority]);
        self.signed(&self.name, &self.key, 2100, &extension)
    }

    /// A certificate for a name of hosts, from 2020 to the beginning of a year, with its key.
    pub fn issue(&self, host: &str, until_year: u16) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let (key, pkcs8) = new_key();
        let names = encoded(SEQUENCE, &[&encoded(0x82, &[host.as_bytes()])]);
        let extension = encoded(SEQUENCE, &[&SUBJECT_ALT_NAME, &encoded(OCTET_STRING, &[&names])]);
        let certificate = self.signed("Site", &key, until_year, &extension);
        (certificate, PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pkcs8)))
    }

    fn signed(&self, subject: &str, key: &EcdsaKeyPair, until_year: u16, extension: &[u8]) -> CertificateDer<'static> {
        let algorithm = encoded(SEQUENCE, &[&ECDSA_WITH_SHA256]);
        let moment = |year: u16| encoded(GENERALIZED_TIME, &[format!("{year}0101000000Z").as_bytes()]);
        let public_key =
            encoded(SEQUENCE, &[&encoded(SEQUENCE, &[&EC_PUBLIC_KEY, &PRIME256V1]), &bits(key.public_key().as_ref())]);
        let to_be_signed = encoded(
            SEQUENCE,
            &[
                // Version 3, serial number 1.
                &encoded(0xa0, &[&encoded(INTEGER, &[&[2]])]),
                &encoded(INTEGER, &[&[1]]),
                &algorithm,
                &name(&self.name),
                &encoded(SEQUENCE, &[&moment(2020), &moment(until_year)]),
                &name(subject),
                &public_key,
                &encoded(0xa3, &[&encoded(SEQUENCE, &[extension])]),
            ],
        );
        let signature = self.key.sign(&SystemRandom::new(), &to_be_signed).expect("a signature");
        encoded(SEQUENCE, &[&to_be_signed, &algorithm, &bits(signature.as_ref())]).into()
    }
}

//! Web sessions: a short-lived JWT (RFC 7519) for people who manage their keys, and the passwords behind it.
//!
//! One algorithm (HS256), `iss`, `aud` and `exp` always checked, against the injected clock. Passwords are Argon2id
//! (RFC 9106); a password is never logged and never stored.

mod hmac;
mod passwords;

pub use passwords::{HashMemory, hash_password};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::clock::Clock;
use crate::domain::ids::UserId;

const ISSUER: &str = "bookkeeping-suite";
const AUDIENCE: &str = "bookkeeping-web-session";
/// Longer tokens are refused unread.
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// Clocks may differ by this much.
const LEEWAY_S: i64 = 5;
/// Seconds a session lasts by default.
pub const SESSION_TTL_S: i64 = 3600;
/// Bytes of the signing secret.
pub const SECRET_BYTES: usize = 32;

/// Signs and reads session tokens.
pub struct Sessions {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
    secret: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    iat: i64,
    exp: i64,
    /// Which session it is; tokens of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
}

/// What a session token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The person.
    pub user_id: UserId,
    /// Which session it is: another one after each sign-in.
    pub id: Option<String>,
    /// When it ends, in milliseconds since 1970.
    pub ends_at_ms: i64,
}

/// The token is malformed, wrongly signed, meant for somebody else, or expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("session token refused")]
pub struct SessionRefused;

/// How far the clock may have been set back since a token was issued: who logged in before need not do so again.
const SET_BACK_S: i64 = 2 * 24 * 60 * 60;

impl Sessions {
    /// Sessions signed with a secret.
    pub fn new(secret: &[u8]) -> Self {
        hmac::install();
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["iss", "aud", "exp", "sub"]);
        // The library reads the machine's clock; expiry is checked below against the injected one.
        validation.validate_exp = false;
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            validation,
            secret: secret.to_vec(),
        }
    }

    /// A token for a person; `None` only if the library cannot sign, which no input causes.
    pub fn issue(&self, user: UserId, ttl_s: i64, clock: &dyn Clock) -> Option<String> {
        let now_s = clock.now_ms().div_euclid(1000);
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: user.to_string(),
            iat: now_s,
            exp: now_s.saturating_add(ttl_s),
            jti: Some(clock.unique().simple().to_string()),
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).ok()
    }

    /// The person a token speaks for.
    pub fn verify(&self, token: &str, clock: &dyn Clock) -> Result<UserId, SessionRefused> {
        self.read(token, clock).map(|session| session.user_id)
    }

    /// The session a token is of.
    pub fn read(&self, token: &str, clock: &dyn Clock) -> Result<Session, SessionRefused> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(SessionRefused);
        }
        let claims =
            jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation).map_err(|_| SessionRefused)?.claims;
        let now_s = clock.now_ms().div_euclid(1000);
        if claims.exp.saturating_add(LEEWAY_S) <= now_s || claims.iat > now_s.saturating_add(SET_BACK_S) {
            return Err(SessionRefused);
        }
        let user_id = UserId::parse(&claims.sub).ok_or(SessionRefused)?;
        let ends_at_ms = claims.exp.saturating_add(LEEWAY_S).saturating_mul(1000);
        Ok(Session { user_id, id: claims.jti, ends_at_ms })
    }

    /// What a form carries that was made for a session, so that no other site can have it sent (RFC 9700, section 4.7).
    pub fn form_token(&self, session: &str, form: &str) -> String {
        // No token that is signed begins like this, and neither part can be taken for the other.
        let message = format!("form\0{session}\0{form}");
        let code = hmac::code(&self.secret, message.as_bytes()).unwrap_or_default();
        code.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether a form was made for a session; compares in constant time.
    pub fn is_form_token(&self, session: &str, form: &str, given: &str) -> bool {
        self.form_token(session, form).as_bytes().ct_eq(given.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn a_session_speaks_for_its_person_until_it_expires() {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let sessions = Sessions::new(&[7; SECRET_BYTES]);
        let token = sessions.issue(UserId(42), 60, &clock).expect("signed");
        assert_eq!(sessions.verify(&token, &clock), Ok(UserId(42)));
        clock.advance_ms(64_999);
        assert_eq!(sessions.verify(&token, &clock), Ok(UserId(42)));
        clock.advance_ms(1_000);
        assert_eq!(sessions.verify(&token, &clock), Err(SessionRefused));
    }

    #[test]
    fn forged_and_foreign_tokens_are_refused() {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let sessions = Sessions::new(&[7; SECRET_BYTES]);
        let other = Sessions::new(&[8; SECRET_BYTES]).issue(UserId(1), 60, &clock).expect("signed");
        // {"alg":"none"} with the claims of a real token.
        let real = sessions.issue(UserId(1), 60, &clock).expect("signed");
        let claims = real.split('.').nth(1).expect("claims");
        let unsigned = format!("eyJhbGciOiJub25lIn0.{claims}.");
        let long = "a".repeat(TOKEN_BYTES_MAX + 1);
        for token in [other.as_str(), &unsigned, "", "a.b.c", &long, &real[..real.len() - 2]] {
            assert_eq!(sessions.verify(token, &clock), Err(SessionRefused));
        }
    }

    #[test]
    fn a_form_belongs_to_one_session() {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let sessions = Sessions::new(&[7; SECRET_BYTES]);
        let ids = [1, 1].map(|user| {
            let token = sessions.issue(UserId(user), 60, &clock).expect("signed");
            sessions.read(&token, &clock).expect("read").id.expect("an id")
        });
        assert_ne!(ids[0], ids[1], "each sign-in is a session of its own");
        let token = sessions.form_token(&ids[0], "consent");
        assert!(sessions.is_form_token(&ids[0], "consent", &token));
        for (session, form, given) in [
            (&ids[1], "consent", &*token),
            (&ids[0], "other", &token),
            (&ids[0], "consent", ""),
            (&ids[0], "consent", &token[1..]),
        ] {
            assert!(!sessions.is_form_token(session, form, given));
        }
        assert!(!Sessions::new(&[8; SECRET_BYTES]).is_form_token(&ids[0], "consent", &token));
    }
}

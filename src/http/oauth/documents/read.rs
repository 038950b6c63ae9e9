//! What a client's document says (draft-ietf-oauth-client-id-metadata-document-02, section 4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::domain::oauth::client_url::ClientUrl;
use crate::http::oauth::client_metadata::{ClientMetadata, text, unusable};
use crate::http::oauth::failure::Failure;
use crate::store::NewClient;

/// The only way such a client authenticates itself here: not at all, as a public client does.
const AUTH_METHOD: &str = "none";
/// What begins the names of the methods that need a secret both sides know.
const SHARED_SECRET: &str = "client_secret_";
/// Members of a key that belong to its private part, or are all of it (RFC 7518, section 6).
const PRIVATE_KEY_PARTS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Reads a document that came from an address; `schemes` are the private ones that redirect URIs may have.
pub(super) fn read(url: &ClientUrl, body: &[u8], schemes: &[String]) -> Result<NewClient, Failure> {
    let no_object = || unusable("it must be a JSON object in which no member is twice");
    let Ok(Unambiguous(Value::Object(given))) = serde_json::from_slice(body) else { return Err(no_object()) };
    if given.get("client_id").and_then(Value::as_str) != Some(url.as_str()) {
        return Err(unusable("its client_id must be the very address it came from"));
    }
    check_secrets(&given)?;
    if !may_be_public(&given)? {
        return Err(unusable("token_endpoint_auth_method must be none, or none among those supported"));
    }
    let said = ClientMetadata::read(&given, schemes, true)?;
    Ok(NewClient {
        id: url.as_str().to_owned(),
        name: Some(said.name.ok_or(unusable("client_name is required"))?),
        uri: said.uri,
        redirect_uris: said.redirect_uris,
        auth_method: AUTH_METHOD,
        secret: None,
        scopes: said.scopes,
    })
}

/// A document is public: it has no secret and no private key.
fn check_secrets(given: &Map<String, Value>) -> Result<(), Failure> {
    if given.contains_key("client_secret") || given.contains_key("client_secret_expires_at") {
        return Err(unusable("it must have no client_secret and no client_secret_expires_at"));
    }
    let keys = given.get("jwks").and_then(|set| set.get("keys")).and_then(Value::as_array);
    let is_private = |key: &Value| PRIVATE_KEY_PARTS.iter().any(|part| key.get(part).is_some());
    if keys.is_some_and(|keys| keys.iter().any(is_private)) {
        return Err(unusable("it must have no private key"));
    }
    Ok(())
}

/// Whether the client may do without authentication: it says so, or says nothing, or prefers a key but can do without. The last is
/// what a client writes that meets many servers, and is for them alone who publish a key, never for a shared secret.
fn may_be_public(given: &Map<String, Value>) -> Result<bool, Failure> {
    let supported = given.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
    let is_among = || supported.is_some_and(|methods| methods.iter().any(|method| method == AUTH_METHOD));
    Ok(match text(given, "token_endpoint_auth_method")? {
        None | Some(AUTH_METHOD) => true,
        Some(method) => !method.starts_with(SHARED_SECRET) && is_among(),
    })
}

/// JSON in which no object has a member twice: two readers could see two documents.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UnambiguousVisitor).map(Self)
    }
}

struct UnambiguousVisitor;

impl<'de> Visitor<'de> for UnambiguousVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON in which no object has a member twice")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Unambiguous(value))) = members.next_entry::<String, Unambiguous>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

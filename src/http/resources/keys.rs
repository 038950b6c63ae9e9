//! API keys: created, listed and revoked by their owner's web session.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;

use crate::domain::caller;
use crate::domain::ids::KeyId;
use crate::domain::problem::Issues;
use crate::http::call::Call;
use crate::http::envelope::{Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{array, named, string, text};
use crate::http::products::Products;
use crate::http::wire::key::parse;
use crate::http::{call, envelope};
use crate::store::{KeyCreated, KeyRow, NewKey};

/// The plaintext of a key is never stored, so its creation cannot be replayed.
fn refuse_idempotency_key(call: &Call<Products>) -> Result<(), ApiError> {
    if call.header(call::IDEMPOTENCY_KEY.as_str()).is_none() {
        return Ok(());
    }
    let mut issues = Issues::default();
    issues.field("headers", "Idempotency-Key", "is not allowed on key endpoints: a key is shown once and never stored");
    Err(ApiError::validation(&issues))
}

/// `POST /api/v1/keys`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    refuse_idempotency_key(&call)?;
    let request = parse(&call.body).map_err(|issues| ApiError::validation(&issues))?;
    let products = call.state();
    let minted = caller::mint_key(|block| products.clock.fill_random(block));
    let new = NewKey {
        user_id: call.caller()?.user_id,
        name: request.name,
        prefix: minted.prefix,
        hash: minted.hash,
        scopes: request.scopes,
        allow_overage: request.allow_overage,
        organisation_ids: request.organisation_ids,
        live_max: Some(products.limits.max_keys_per_person),
    };
    match products.actors.keys.create(new).await? {
        KeyCreated::Created(row) => envelope::json(StatusCode::CREATED, &CreatedKeyJson::new(&row, &minted.plaintext)),
        KeyCreated::UnknownOrganisation { index, id } => {
            Err(ApiError::unprocessable("unknown_reference", format!("you are not a member of organisation {id}"))
                .with_detail("field", format!("organisation_ids[{index}]"))
                .with_detail("id", id.0))
        }
        KeyCreated::TooMany { live_max } => Err(ApiError::limit_reached(
            format!("a person may have {live_max} live keys; revoke one that is not needed"),
            live_max,
        )),
    }
}

/// `GET /api/v1/keys`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = call.state();
    let rows = products.reader.list_keys(call.caller()?.user_id).await?;
    let used = |id: KeyId| {
        let key = products.actors.keys.published.by_id(id)?;
        Some(key.access.usage.last_used_ms())
    };
    let keys = rows.iter().map(|row| KeyJson::new(row, used(row.id))).collect();
    envelope::json(StatusCode::OK, &KeysJson { keys })
}

/// `DELETE /api/v1/keys/{id}`.
pub async fn revoke(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    refuse_idempotency_key(&call)?;
    let Some(key_id) = KeyId::parse(call.parameter("id")) else {
        let mut issues = Issues::default();
        issues.field("path", "id", "must be an integer of at least 1");
        return Err(ApiError::validation(&issues));
    };
    let row = call.state().actors.keys.revoke(call.caller()?.user_id, key_id).await?.ok_or_else(ApiError::not_found)?;
    tracing::info!(key = row.prefix, user = row.user_id.0, request_id = call.request_id.as_str(), "a key was revoked");
    envelope::json(StatusCode::OK, &RevocationJson { revoked: RevokedKeyJson::from(&row) })
}

/// A new key with its plaintext, which is in this answer only.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedKey, example = created_example)]
pub struct CreatedKeyJson<'a> {
    id: Id,
    #[schema(min_length = 1, max_length = 120)]
    name: &'a str,
    #[schema(schema_with = prefix)]
    prefix: &'a str,
    #[schema(schema_with = scopes)]
    scopes: Vec<&'static str>,
    allow_overage: bool,
    #[schema(schema_with = plaintext)]
    key: &'a str,
}

/// The keys of a person.
#[derive(Serialize, ToSchema)]
#[schema(as = KeyList, example = list_example)]
pub struct KeysJson<'a> {
    keys: Vec<KeyJson<'a>>,
}

/// A key as it is listed.
#[derive(Serialize, ToSchema)]
#[schema(as = Key)]
struct KeyJson<'a> {
    allow_overage: bool,
    created_at: Moment,
    id: Id,
    #[schema(required)]
    last_used_at: Option<Moment>,
    #[schema(min_length = 1, max_length = 120)]
    name: &'a str,
    #[schema(schema_with = prefix)]
    prefix: &'a str,
    #[schema(required)]
    revoked_at: Option<Moment>,
    #[schema(schema_with = scopes)]
    scopes: Vec<&'static str>,
}

/// The key that was revoked.
#[derive(Serialize, ToSchema)]
#[schema(as = Revocation, example = revocation_example)]
pub struct RevocationJson<'a> {
    revoked: RevokedKeyJson<'a>,
}

/// A revoked key.
#[derive(Serialize, ToSchema)]
#[schema(as = RevokedKey)]
struct RevokedKeyJson<'a> {
    id: Id,
    #[schema(min_length = 1, max_length = 120)]
    name: &'a str,
    #[schema(schema_with = prefix)]
    prefix: &'a str,
    #[schema(value_type = Moment)]
    revoked_at: Option<Moment>,
}

fn prefix() -> ObjectBuilder {
    text(12, 12).description(Some("The look-up handle: the middle segment of the key."))
}

fn scopes() -> Array {
    array(named("Scope")).unique_items(true).min_items(Some(1)).build()
}

fn plaintext() -> ObjectBuilder {
    string().pattern(Some("^key_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$"))
}

fn created_example() -> Value {
    json!({
        "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "scopes": ["reconcile:read", "reconcile:write"],
        "allow_overage": false, "key": "key_4fK9zQ2mXw7B_8Vx0nYt3LrQ5uWc7ZaBd1EfGh2JkMpNsRv4Ty0AbCdE"
    })
}

fn list_example() -> Value {
    json!({ "keys": [{
        "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "scopes": ["reconcile:read", "reconcile:write"],
        "allow_overage": false, "created_at": "2026-11-20T16:00:00.000Z", "last_used_at": "2026-11-21T09:30:00.000Z",
        "revoked_at": null
    }] })
}

fn revocation_example() -> Value {
    json!({ "revoked": {
        "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "revoked_at": "2026-11-21T09:31:00.000Z"
    } })
}

impl<'a> CreatedKeyJson<'a> {
    /// A record with its plaintext.
    fn new(row: &'a KeyRow, plaintext: &'a str) -> Self {
        Self {
            id: Id(row.id.0),
            name: &row.name,
            prefix: &row.prefix,
            scopes: row.scopes.names(),
            allow_overage: row.allow_overage,
            key: plaintext,
        }
    }
}

impl<'a> KeyJson<'a> {
    /// A record, with a more recent use than the stored one when there was one.
    fn new(row: &'a KeyRow, used_ms: Option<i64>) -> Self {
        Self {
            allow_overage: row.allow_overage,
            created_at: Moment(row.created_at_ms),
            id: Id(row.id.0),
            last_used_at: row.last_used_at_ms.max(used_ms.filter(|used_ms| *used_ms > 0)).map(Moment),
            name: &row.name,
            prefix: &row.prefix,
            revoked_at: row.revoked_at_ms.map(Moment),
            scopes: row.scopes.names(),
        }
    }
}

impl<'a> From<&'a KeyRow> for RevokedKeyJson<'a> {
    fn from(row: &'a KeyRow) -> Self {
        Self { id: Id(row.id.0), name: &row.name, prefix: &row.prefix, revoked_at: row.revoked_at_ms.map(Moment) }
    }
}

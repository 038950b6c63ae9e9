//! API keys: created, listed and revoked by their owner's web session.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::json;

use super::call::Call;
use super::error::ApiError;
use super::products::Products;
use super::wire::key::{CreatedKey, ListedKey, RevokedKey, parse};
use super::{envelope, headers};
use crate::domain::api_key;
use crate::domain::ids::KeyId;
use crate::domain::problem::Issues;
use crate::store::{KeyCreated, NewKey};

/// The plaintext of a key is never stored, so its creation cannot be replayed.
fn refuse_idempotency_key(call: &Call<Products>) -> Result<(), ApiError> {
    if call.header(headers::IDEMPOTENCY_KEY.as_str()).is_none() {
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
    let minted = api_key::mint(|block| products.clock.fill_random(block));
    let new = NewKey {
        user_id: call.caller()?.user_id,
        name: request.name,
        prefix: minted.prefix,
        hash: minted.hash,
        scopes: request.scopes,
        allow_overage: request.allow_overage,
        organisation_ids: request.organisation_ids,
    };
    match products.actors.keys.create(new).await? {
        KeyCreated::Created(row) => envelope::json(StatusCode::CREATED, &CreatedKey::new(&row, &minted.plaintext)),
        KeyCreated::UnknownOrganisation { index, id } => {
            Err(ApiError::unprocessable("unknown_reference", format!("you are not a member of organisation {id}"))
                .with_detail("field", format!("organisation_ids[{index}]"))
                .with_detail("id", id.0))
        }
    }
}

/// `GET /api/v1/keys`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = call.state();
    let rows = products.reader.list_keys(call.caller()?.user_id).await?;
    let used = |id: KeyId| {
        let key = products.actors.keys.published.by_id(id)?;
        Some(key.last_used_ms.load(std::sync::atomic::Ordering::Relaxed))
    };
    let keys: Vec<_> = rows.iter().map(|row| ListedKey::new(row, used(row.id))).collect();
    envelope::json(StatusCode::OK, &json!({ "keys": serde_json::to_value(keys).map_err(ApiError::internal)? }))
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
    let revoked = serde_json::to_value(RevokedKey::new(&row)).map_err(ApiError::internal)?;
    envelope::json(StatusCode::OK, &json!({ "revoked": revoked }))
}

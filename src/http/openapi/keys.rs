//! API keys.

use serde_json::json;

use super::operation::Operation;
use super::schema::{Any, array, boolean, id, integer, named, optional, required, strict, text};
use crate::http::error::ErrorCode;
use crate::http::resources::keys::{CreatedKeyJson, KeysJson, RevocationJson};

const TAG: &str = "API keys";

/// U+0000 cannot be stored by every database, so it is refused.
const WITHOUT_NUL: &str = "^[^\\u0000]*$";

/// `POST /api/v1/keys`.
pub fn create_key() -> Operation {
    Operation::new(
        TAG,
        "Create an API key",
        "The plaintext `key` is in this answer only and can never be recovered. With `organisation_ids` the key covers \
         those organisations only; without it every organisation the person is an accepted member of. `Idempotency-Key` is refused here, \
         because the answer is never stored.",
    )
    .request(
        named("CreateKey"),
        json!({ "name": "Nightly import", "scopes": ["reconcile:read", "reconcile:write"], "allow_overage": false }),
    )
    .answer::<CreatedKeyJson>(201, "The key was made.")
    .error(ErrorCode::ValidationError)
    .error_with(ErrorCode::Conflict, json!({ "reason": "limit_reached", "limit": 100 }))
    .error_with(
        ErrorCode::UnprocessableEntity,
        json!({ "reason": "unknown_reference", "field": "organisation_ids", "id": 99 }),
    )
}

/// `GET /api/v1/keys`.
pub fn list_keys() -> Operation {
    Operation::new(TAG, "List API keys", "The person's keys, newest first, revoked ones included; no secrets.")
        .answer::<KeysJson>(200, "The keys.")
}

/// `DELETE /api/v1/keys/{id}`.
pub fn revoke_key() -> Operation {
    Operation::new(TAG, "Revoke an API key", "The key is refused from now on. 404 when it is revoked already or is not the caller's.")
        .path("id", "The id of the key.", id(), 12.into())
        .answer::<RevocationJson>(200, "The key is revoked.")
        .error_with(
            ErrorCode::ValidationError,
            json!({ "issues": [{ "section": "path", "row": null, "field": "id", "path": "path.id", "message": "must be an integer of at least 1" }], "issue_count": 1 }),
        )
        .error(ErrorCode::NotFound)
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let scopes = array(named("Scope")).unique_items(true).min_items(Some(1)).build();
    let create = strict(
        "What a new key shall be.",
        vec![
            required("name", text(1, 120).pattern(Some(WITHOUT_NUL))),
            required("scopes", scopes),
            optional("allow_overage", boolean().default(Some(false.into()))),
            optional("organisation_ids", organisations()),
        ],
    );
    vec![("CreateKey", create.into())]
}

/// 1 to 100 distinct ids, or null for all.
fn organisations() -> Any {
    use utoipa::openapi::schema::Type;
    // Beyond this a JSON number is not exact everywhere; no id gets there.
    let mut list = array(integer(1).maximum(Some(9_007_199_254_740_991_isize)))
        .unique_items(true)
        .min_items(Some(1))
        .max_items(Some(100))
        .description(Some("The organisations the key shall be restricted to; absent or null for all."))
        .build();
    list.schema_type = [Type::Array, Type::Null].into_iter().collect();
    list.into()
}

//! API keys.

use serde_json::json;

use super::operation::Operation;
use super::schema::{
    Any, array, boolean, id, integer, moment, named, nullable, object, optional, required, strict, string, text,
};
use crate::http::error::ErrorCode;

const TAG: &str = "API keys";

/// U+0000 cannot be stored by every database, so it is refused.
const WITHOUT_NUL: &str = "^[^\\u0000]*$";

/// `POST /api/v1/keys`.
pub fn create_key() -> Operation {
    Operation::new(
        TAG,
        "Make an API key",
        "The plaintext `key` is in this answer only and can never be recovered. With `organisation_ids` the key covers \
         those organisations only; without it every organisation the person is an accepted member of. `Idempotency-Key` is refused here, \
         because the answer is never stored.",
    )
    .request(
        named("CreateKey"),
        json!({ "name": "Nightly import", "scopes": ["reconcile:read", "reconcile:write"], "allow_overage": false }),
    )
    .success(
        201,
        "The key was made.",
        named("CreatedKey"),
        json!({
            "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "scopes": ["reconcile:read", "reconcile:write"],
            "allow_overage": false, "key": "key_4fK9zQ2mXw7B_8Vx0nYt3LrQ5uWc7ZaBd1EfGh2JkMpNsRv4Ty0AbCdE"
        }),
    )
    .error(ErrorCode::ValidationError)
    .error_with(
        ErrorCode::UnprocessableEntity,
        json!({ "reason": "unknown_reference", "field": "organisation_ids", "id": 99 }),
    )
}

/// `GET /api/v1/keys`.
pub fn list_keys() -> Operation {
    Operation::new(TAG, "List API keys", "The person's keys, newest first, revoked ones included; no secrets.").success(
        200,
        "The keys.",
        named("KeyList"),
        json!({ "keys": [{
            "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "scopes": ["reconcile:read", "reconcile:write"],
            "allow_overage": false, "created_at": "2026-11-20T16:00:00Z", "last_used_at": "2026-11-21T09:30:00Z", "revoked_at": null
        }] }),
    )
}

/// `DELETE /api/v1/keys/{id}`.
pub fn revoke_key() -> Operation {
    Operation::new(TAG, "Revoke an API key", "The key is refused from now on. 404 when it is revoked already or is not the caller's.")
        .path("id", "The id of the key.", id(), 12.into())
        .success(
            200,
            "The key is revoked.",
            named("RevokedKey"),
            json!({ "revoked": { "id": 12, "name": "Nightly import", "prefix": "4fK9zQ2mXw7B", "revoked_at": "2026-11-21T09:31:00Z" } }),
        )
        .error_with(
            ErrorCode::ValidationError,
            json!({ "issues": [{ "section": "path", "row": null, "field": "id", "path": "path.id", "message": "must be an integer of at least 1" }], "issue_count": 1 }),
        )
        .error(ErrorCode::NotFound)
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let scopes = || array(named("Scope")).unique_items(true).min_items(Some(1)).build();
    let prefix = || text(12, 12).description(Some("The look-up handle: the middle segment of the key."));
    let create = strict(
        "What a new key shall be.",
        vec![
            required("name", text(1, 120).pattern(Some(WITHOUT_NUL))),
            required("scopes", scopes()),
            optional("allow_overage", boolean().default(Some(false.into()))),
            optional("organisation_ids", organisations()),
        ],
    );
    let created = object(
        "A new key with its plaintext.",
        vec![
            required("id", id()),
            required("name", text(1, 120)),
            required("prefix", prefix()),
            required("scopes", scopes()),
            required("allow_overage", boolean()),
            required("key", string().pattern(Some("^key_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$"))),
        ],
    );
    let key = object(
        "A key as it is listed.",
        vec![
            required("id", id()),
            required("name", text(1, 120)),
            required("prefix", prefix()),
            required("scopes", scopes()),
            required("allow_overage", boolean()),
            required("created_at", moment()),
            required("last_used_at", nullable(moment())),
            required("revoked_at", nullable(moment())),
        ],
    );
    let revoked = object(
        "The revoked key.",
        vec![
            required("id", id()),
            required("name", text(1, 120)),
            required("prefix", prefix()),
            required("revoked_at", moment()),
        ],
    );
    vec![
        ("CreateKey", create.into()),
        ("CreatedKey", created.into()),
        ("Key", key.into()),
        ("KeyList", object("Keys.", vec![required("keys", array(named("Key")).build())]).into()),
        ("RevokedKey", object("Confirmation.", vec![required("revoked", revoked)]).into()),
    ]
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

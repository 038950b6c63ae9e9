//! Health and identity.

use serde_json::json;

use super::operation::Operation;
use super::schema::{Any, array, choice, id, integer, moment, named, object, required};
use crate::domain::access::Scope;

const TAG: &str = "Health and identity";

/// `GET /api/v1/health`.
pub fn health() -> Operation {
    Operation::new(
        TAG,
        "Whether the service is up",
        "Always 200, without authentication or rate limit. `degraded` means that something needs an operator, such as a \
         database that cannot be reached; requests that do not need it are still served.",
    )
    .success(200, "The service answers.", named("Health"), json!({ "status": "ok", "version": "v1", "time": "2026-11-21T09:30:00Z" }))
}

/// `GET /api/v1/me`.
pub fn me() -> Operation {
    Operation::new(TAG, "Who is calling", "The person behind the key, the key's scopes, and the person's credits.")
        .success(
            200,
            "The caller.",
            named("Me"),
            json!({
                "user_id": 7,
                "scopes": ["reconcile:read", "reconcile:write"],
                "credits": { "remainingMonthly": 940, "bonusCredits": 50 }
            }),
        )
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let health = object(
        "Health record.",
        vec![
            required("status", choice(&["ok", "degraded"])),
            required("version", choice(&["v1"])),
            required("time", moment()),
        ],
    );
    let credits =
        object("Credits left.", vec![required("remainingMonthly", integer(0)), required("bonusCredits", integer(0))]);
    let me = object(
        "Caller identity.",
        vec![
            required("user_id", id()),
            required("scopes", array(named("Scope")).unique_items(true).build()),
            required("credits", credits),
        ],
    );
    let scope = choice(&Scope::ALL.map(Scope::as_str)).description(Some("One permission of an API key."));
    vec![("Health", health.into()), ("Me", me.into()), ("Scope", scope.into())]
}

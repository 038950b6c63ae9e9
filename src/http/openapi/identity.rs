//! Health and identity.

use super::operation::Operation;
use super::schema::{Any, choice};
use crate::domain::caller::Scope;
use crate::http::resources::identity::{HealthJson, MeJson};

const TAG: &str = "Health and identity";

/// `GET /api/v1/health`.
pub fn health() -> Operation {
    Operation::new(
        TAG,
        "Whether the service is up",
        "Always 200, without authentication or rate limit. `degraded` means that something needs an operator, such as a \
         database that cannot be reached; requests that do not need it are still served.",
    )
    .answer::<HealthJson>(200, "The service answers.")
}

/// `GET /api/v1/me`.
pub fn me() -> Operation {
    Operation::new(TAG, "Who is calling", "The person behind the key, the key's scopes, and the person's credits.")
        .answer::<MeJson>(200, "The caller.")
}

/// The schemas that answers refer to.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let scope = choice(&Scope::ALL.map(Scope::as_str)).description(Some("One permission of an API key."));
    vec![("Scope", scope.into())]
}

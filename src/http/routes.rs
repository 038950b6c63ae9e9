//! THE table of routes. A route is added here and nowhere else: its handler, who may call it, its documentation.
//!
//! The order of the entries is the order of the OpenAPI document's operations within a path; a path may stand in
//! several entries, one per method.

use super::books::organisations;
use super::first_party::{account, progress};
use super::products::Products;
use super::route_table::{Access, BodyRule, Route};
use super::{identity, keys, reconciliations};
use crate::domain::access::Scope;

/// Strangers may send no more than this.
const FIRST_PARTY_BODY_BYTES: u64 = 16 * 1024;

/// Every route of the public listener.
pub fn routes() -> Vec<Route<Products>> {
    let small = BodyRule::Json { max_bytes: Some(FIRST_PARTY_BODY_BYTES) };
    vec![
        Route::get("/api/v1/health", "getHealth", Access::Public, identity::health),
        Route::get("/api/v1/me", "getMe", Access::AnyKey, identity::me),
        Route::post("/api/v1/keys", "createKey", Access::Session, keys::create),
        Route::get("/api/v1/keys", "listKeys", Access::Session, keys::list),
        Route::delete("/api/v1/keys/{id}", "revokeKey", Access::Session, keys::revoke),
        Route::post(
            "/api/v1/reconciliations",
            "submitReconciliation",
            Access::Key(Scope::ReconcileWrite),
            reconciliations::submit,
        ),
        Route::get(
            "/api/v1/reconciliations/{id}",
            "pollReconciliation",
            Access::JobPoll(Scope::ReconcileRead),
            reconciliations::poll,
        ),
        Route::get(
            "/api/v1/books/organisations",
            "listOrganisations",
            Access::Key(Scope::BooksRead),
            organisations::list,
        ),
        Route::get(
            "/api/v1/books/organisations/{organisationId}",
            "getOrganisation",
            Access::Key(Scope::BooksRead),
            organisations::show,
        ),
        Route::post("/app/v1/register", "register", Access::Public, account::register).body(small),
        Route::post("/app/v1/login", "login", Access::Public, account::login).body(small),
        Route::get("/app/v1/progress", "progressSocket", Access::Public, progress::socket).body(BodyRule::Upgrade),
    ]
}

//! THE table of routes. A route is added here and nowhere else: its handler, who may call it, its documentation.
//!
//! The order of the entries is the order of the OpenAPI document's operations within a path; a path may stand in
//! several entries, one per method.

use super::books::organisations;
use super::docs;
use super::first_party::{account, progress};
use super::openapi;
use super::products::Products;
use super::route_table::{Access, BodyRule, Route};
use super::{coding_jobs, identity, keys, reconciliations};
use crate::domain::access::Scope;

/// Strangers may send no more than this.
const FIRST_PARTY_BODY_BYTES: u64 = 16 * 1024;

/// Every route of the public listener.
pub fn routes() -> Vec<Route<Products>> {
    let small = BodyRule::Json { max_bytes: Some(FIRST_PARTY_BODY_BYTES) };
    let mut routes = vec![
        Route::get("/api/v1/health", "getHealth", Access::Public, identity::health).doc(openapi::health),
        Route::get("/api/v1/me", "getMe", Access::AnyKey, identity::me).doc(openapi::me),
        Route::post("/api/v1/keys", "createKey", Access::Session, keys::create).doc(openapi::create_key),
        Route::get("/api/v1/keys", "listKeys", Access::Session, keys::list).doc(openapi::list_keys),
        Route::delete("/api/v1/keys/{id}", "revokeKey", Access::Session, keys::revoke).doc(openapi::revoke_key),
        Route::post(
            "/api/v1/reconciliations",
            "submitReconciliation",
            Access::Key(Scope::ReconcileWrite),
            reconciliations::submit,
        )
        .doc(openapi::submit_reconciliation),
        Route::get(
            "/api/v1/reconciliations/{id}",
            "pollReconciliation",
            Access::JobPoll(Scope::ReconcileRead),
            reconciliations::poll,
        )
        .doc(openapi::poll_reconciliation),
        Route::post(
            "/api/v1/coding/coding-jobs",
            "submitCodingJob",
            Access::Key(Scope::CodingWrite),
            coding_jobs::submit,
        )
        .doc(openapi::submit_coding_job),
        Route::get(
            "/api/v1/coding/coding-jobs/{id}",
            "pollCodingJob",
            Access::JobPoll(Scope::CodingRead),
            coding_jobs::poll,
        )
        .doc(openapi::poll_coding_job),
        Route::get(
            "/api/v1/books/organisations",
            "listOrganisations",
            Access::Key(Scope::BooksRead),
            organisations::list,
        )
        .doc(openapi::list_organisations),
        Route::get(
            "/api/v1/books/organisations/{organisationId}",
            "getOrganisation",
            Access::Key(Scope::BooksRead),
            organisations::show,
        )
        .doc(openapi::get_organisation),
        Route::post("/app/v1/register", "register", Access::Public, account::register).body(small),
        Route::post("/app/v1/login", "login", Access::Public, account::login).body(small),
        Route::get("/app/v1/progress", "progressSocket", Access::Public, progress::socket).body(BodyRule::Upgrade),
    ];
    routes.extend(documents());
    routes
}

/// The documentation, whatever the products share.
pub fn documents<S: 'static>() -> [Route<S>; 3] {
    [
        Route::get("/openapi.json", "getOpenApi", Access::Public, docs::document),
        Route::get("/docs", "redirectToDocs", Access::Public, docs::redirect),
        Route::get("/docs/{file*}", "getDocs", Access::Public, docs::file),
    ]
}

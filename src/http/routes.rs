//! THE table of routes. A route is added here and nowhere else: its handler, who may call it, its documentation.
//!
//! The order of the entries is the order of the OpenAPI document's operations within a path; a path may stand in
//! several entries, one per method.

use actix_web::HttpResponse;

use super::call::Call;
use super::docs;
use super::error::ApiError;
use super::openapi;
use super::route_table::{Access, Route};
use crate::domain::access::Scope;

/// Every route of the public listener.
pub fn routes<S: 'static>() -> Vec<Route<S>> {
    vec![
        Route::get("/api/v1/health", "getHealth", Access::Public, later).doc(openapi::health),
        Route::get("/api/v1/me", "getMe", Access::AnyKey, later).doc(openapi::me),
        Route::post("/api/v1/keys", "createKey", Access::Session, later).doc(openapi::create_key),
        Route::get("/api/v1/keys", "listKeys", Access::Session, later).doc(openapi::list_keys),
        Route::delete("/api/v1/keys/{id}", "revokeKey", Access::Session, later).doc(openapi::revoke_key),
        Route::post("/api/v1/reconciliations", "submitReconciliation", Access::Key(Scope::ReconcileWrite), later)
            .doc(openapi::submit_reconciliation),
        Route::get("/api/v1/reconciliations/{id}", "pollReconciliation", Access::JobPoll(Scope::ReconcileRead), later)
            .doc(openapi::poll_reconciliation),
        Route::get("/api/v1/books/organisations", "listOrganisations", Access::Key(Scope::BooksRead), later)
            .doc(openapi::list_organisations),
        Route::get(
            "/api/v1/books/organisations/{organisationId}",
            "getOrganisation",
            Access::Key(Scope::BooksRead),
            later,
        )
        .doc(openapi::get_organisation),
        Route::get("/openapi.json", "getOpenApi", Access::Public, docs::document),
        Route::get("/docs", "redirectToDocs", Access::Public, docs::redirect),
        Route::get("/docs/{file*}", "getDocs", Access::Public, docs::file),
    ]
}

/// Stands in for the handlers of products that are not wired yet.
async fn later<S>(_: Call<S>) -> Result<HttpResponse, ApiError> {
    Err(ApiError::busy("this operation is not wired yet", 1))
}

//! What a person has connected, as a page and as JSON, and how a connection is ended.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::form::Parameters;
use super::sign_in::{PageSession, sign_in_first};
use super::{base_url, pages, see_other};
use crate::domain::caller::KeyReach;
use crate::domain::ids::{GrantId, OrganisationId, UserId};
use crate::http::call::Call;
use crate::http::envelope::{self, Moment};
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::store::GrantRow;

/// The form that ends connections, as its token names it.
const FORM: &str = "connections";

/// A connection as JSON.
#[derive(Serialize)]
struct ConnectionJson<'a> {
    id: GrantId,
    client_name: &'a str,
    client_id: &'a str,
    redirect_host: &'a str,
    scopes: Vec<&'static str>,
    organisations: Option<Vec<OrganisationId>>,
    created_at: Moment,
    last_used_at: Option<Moment>,
    revoked_at: Option<Moment>,
}

/// Every connection of a person.
#[derive(Serialize)]
struct ConnectionsJson<'a> {
    connections: Vec<ConnectionJson<'a>>,
}

impl<'a> ConnectionJson<'a> {
    fn new(grant: &'a GrantRow) -> Self {
        Self {
            id: grant.id,
            client_name: &grant.client_name,
            client_id: &grant.client_id,
            redirect_host: &grant.redirect_host,
            scopes: grant.scopes.names(),
            organisations: match &grant.reach {
                KeyReach::All => None,
                KeyReach::Only(organisations) => Some(organisations.iter().copied().collect()),
            },
            created_at: Moment(grant.created_at_ms),
            last_used_at: grant.last_used_at_ms.map(Moment),
            revoked_at: grant.revoked_at_ms.map(Moment),
        }
    }
}

/// A person's connections, newest first, with what this process knows of their use.
async fn connections_of(call: &Call<Products>, user: UserId) -> Result<Vec<GrantRow>, ApiError> {
    let mut grants = call.state().reader.oauth_grants_of(user).await?;
    for grant in &mut grants {
        let used_ms = call.state().actors.grants.published.last_used_ms(grant.id);
        grant.last_used_at_ms = grant.last_used_at_ms.max((used_ms > 0).then_some(used_ms));
    }
    Ok(grants)
}

/// `GET /app/v1/connections`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let grants = connections_of(&call, call.caller()?.user_id).await?;
    envelope::json(StatusCode::OK, &ConnectionsJson { connections: grants.iter().map(ConnectionJson::new).collect() })
}

/// `DELETE /app/v1/connections/{id}`.
pub async fn revoke(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let id = GrantId::parse(call.parameter("id")).ok_or_else(ApiError::not_found)?;
    let revoked = call.state().actors.grants.revoke(call.caller()?.user_id, id).await?;
    let revoked_at = Moment(revoked.ok_or_else(ApiError::not_found)?);
    tracing::info!(connection = id.0, request_id = call.request_id.as_str(), "a connection was revoked");
    envelope::json(StatusCode::OK, &json!({ "revoked": { "id": id, "revoked_at": revoked_at } }))
}

/// `GET /app/connections`.
pub async fn page(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let Some(session) = PageSession::of(&call) else { return sign_in_first(&call) };
    let reader = &call.state().reader;
    let Some(person) = reader.find_user(session.user_id).await? else { return sign_in_first(&call) };
    let organisations = reader.organisations_of(session.user_id).await?;
    let grants = connections_of(&call, session.user_id).await?;
    let (csrf, sign_out) = (session.form_token(&call, FORM), session.form_token(&call, "sign-out"));
    Ok(pages::connections(&person.email, &grants, &organisations, (&csrf, &sign_out)))
}

/// `POST /app/connections`: ends one.
pub async fn submit(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let refused = || {
        let words = "The page was out of date. Go back to your connections and try again.";
        Ok(pages::message(StatusCode::BAD_REQUEST, "Nothing was changed", words))
    };
    let Some(session) = PageSession::of(&call) else { return sign_in_first(&call) };
    let Ok(form) = Parameters::of_body(&call) else { return refused() };
    let is_own = session.is_form_token(&call, FORM, form.one("csrf").unwrap_or_default());
    match form.one("revoke").and_then(GrantId::parse).filter(|_| is_own && !form.any_repeated(&[])) {
        Some(id) => {
            // One that has ended already is not on the page that follows.
            call.state().actors.grants.revoke(session.user_id, id).await?;
            tracing::info!(connection = id.0, request_id = call.request_id.as_str(), "a connection was revoked");
            see_other("/app/connections")
        }
        None => refused(),
    }
}

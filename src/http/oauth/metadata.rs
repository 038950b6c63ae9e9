//! What clients find out by themselves: about the resource (RFC 9728) and about the authorization server (RFC 8414).

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use serde_json::{Value, json};

use super::{base_url, json as json_answer};
use crate::domain::caller::Scope;
use crate::domain::oauth::first_scopes;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;

/// How clients authenticate themselves; `none` is what public ones do.
const AUTH_METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

/// `GET /.well-known/oauth-protected-resource…`: `resource` is the very thing asked about (RFC 9728, section 3.3).
pub async fn resource(call: Call<Products>, path: &'static str) -> Result<HttpResponse, ApiError> {
    let base_url = base_url(&call)?;
    Ok(public(&json!({
        "resource": format!("{base_url}{path}"),
        "authorization_servers": [base_url],
        "scopes_supported": first_scopes().names(),
        "bearer_methods_supported": ["header"],
        "resource_name": "Bookkeeping Suite",
        "resource_documentation": format!("{base_url}/docs"),
    })))
}

/// `GET /.well-known/oauth-authorization-server`.
pub async fn server(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let base_url = base_url(&call)?;
    let mut about = json!({
        "issuer": base_url,
        "authorization_endpoint": format!("{base_url}/oauth/authorize"),
        "token_endpoint": format!("{base_url}/oauth/token"),
        "registration_endpoint": format!("{base_url}/oauth/register"),
        "revocation_endpoint": format!("{base_url}/oauth/revoke"),
        "scopes_supported": Scope::ALL.map(Scope::as_str),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": AUTH_METHODS,
        "revocation_endpoint_auth_methods_supported": AUTH_METHODS,
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{base_url}/docs"),
    });
    if call.state().client_documents.is_some()
        && let Some(about) = about.as_object_mut()
    {
        about.insert("client_id_metadata_document_supported".to_owned(), true.into());
    }
    Ok(public(&about))
}

/// For anybody, for an hour.
fn public(value: &Value) -> HttpResponse {
    let mut answer = json_answer(StatusCode::OK, value);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    answer
}

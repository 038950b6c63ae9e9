//! How a refused program is told to be let in: `WWW-Authenticate` with the address of the metadata and the scopes to ask for (RFC 6750,
//! section 3; RFC 9728, section 5.1).

use actix_web::http::header::HeaderValue;

use crate::domain::oauth::first_scopes;
use crate::http::error::Challenge;

/// The value of the header for an answer at a path.
pub(in crate::http) fn header(base_url: &str, path: &str, challenge: Challenge) -> Option<HeaderValue> {
    let resource = if path.starts_with("/mcp") { "/mcp" } else { "/api/v1" };
    let (error, scopes) = match challenge {
        Challenge::Missing => ("", first_scopes()),
        Challenge::InvalidToken => ("error=\"invalid_token\", ", first_scopes()),
        Challenge::InsufficientScope(scopes) => ("error=\"insufficient_scope\", ", scopes),
    };
    let metadata = format!("{base_url}/.well-known/oauth-protected-resource{resource}");
    let value = format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"{}\"", scopes.to_stored());
    HeaderValue::from_str(&value).ok()
}

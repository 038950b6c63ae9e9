//! What tools that change something share: asking a route to change it, and tokens that confirm what was previewed.

use actix_web::HttpResponse;
use actix_web::body::MessageBody as _;
use actix_web::http::header::{HeaderValue, IF_MATCH};
use bytes::Bytes;
use serde_json::Value;

use super::{ORGANISATION, OrganisationName, fault, question, refused, visible};
use crate::domain::ids::OrganisationId;
use crate::http::body::Body;
use crate::http::books::token;
use crate::http::call::{self, Call};
use crate::http::error::ApiError;
use crate::http::mcp::outcome::{Failure, Refused};
use crate::http::products::Products;
use crate::store::ToolPreview;

/// A change that a tool asks a route for.
pub(super) struct Change<'a> {
    pub(super) call: &'a Call<Products>,
    /// The tool that is called.
    pub(super) tool: &'static str,
    /// The organisation; none to make one.
    pub(super) organisation: Option<i64>,
}

/// What a route answered to a change.
pub(super) struct Changed {
    pub(super) body: Bytes,
    /// Whether it was answered before and nothing was done again.
    pub(super) is_replayed: bool,
}

impl Change<'_> {
    /// Asks the route of an operation.
    pub(super) async fn ask(
        &self,
        operation: &str,
        id: Option<i64>,
        body: &Value,
        options: ChangeHeaders<'_>,
    ) -> Result<Result<Changed, ApiError>, Refused> {
        let mut parameters: Vec<_> = self.organisation.map(|id| (ORGANISATION, id.to_string())).into_iter().collect();
        parameters.extend(id.map(|id| ("id", id.to_string())));
        let (route, mut asked) = question(self.call, operation, &parameters, String::new())?;
        asked.tool = Some(self.tool);
        asked.body = Body::from(body.to_string().into_bytes());
        let header = |text: &str| HeaderValue::from_str(text).map_err(|error| fault(ApiError::internal(error)));
        if let Some(version) = options.expected_version {
            asked.headers.insert(IF_MATCH, header(&format!("\"{version}\""))?);
        }
        if let Some(key) = options.idempotency_key {
            asked.headers.insert(call::IDEMPOTENCY_KEY, header(key)?);
        }
        match route.answer(self.call.of_tool(asked)).await {
            Ok(response) => changed(response).map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// What a change asks for beside its body.
#[derive(Default)]
pub(super) struct ChangeHeaders<'a> {
    /// The version the caller has seen.
    pub(super) expected_version: Option<i64>,
    /// The answer is given again to whoever asks again with it.
    pub(super) idempotency_key: Option<&'a str>,
}

fn changed(response: HttpResponse) -> Result<Changed, Refused> {
    let is_replayed = response.headers().contains_key(call::IDEMPOTENCY_REPLAYED);
    let body = response.into_body().try_into_bytes();
    let body = body.map_err(|_| fault(ApiError::internal("an answer that is a stream")))?;
    Ok(Changed { body, is_replayed })
}

/// The reason that an error names.
pub(super) fn reason(error: &ApiError) -> Option<&str> {
    error.details()?.get("reason")?.as_str()
}

/// What a token of a tool confirms, and where.
pub(super) struct Confirmed {
    pub(super) preview: ToolPreview,
    pub(super) token_hash: String,
    pub(super) organisation: i64,
    pub(super) name: String,
}

impl Confirmed {
    pub(super) fn name(&self) -> OrganisationName<'_> {
        OrganisationName { id: self.organisation, name: &self.name }
    }
}

/// What this person and connection previewed with a tool under a token.
pub(super) async fn confirmed(call: &Call<Products>, tool: &'static str, given: &str) -> Result<Confirmed, Refused> {
    let token_hash = token::hash(given);
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection().ok_or_else(|| fault(ApiError::internal("a caller without connection")))?;
    let found = call.state().reader.tool_preview(principal.user_id, connection, tool, &token_hash).await;
    let Some(preview) = found.map_err(|error| fault(error.into()))? else {
        let failure = Failure::new("confirm_not_found", "no preview of this connection has this token");
        return Err(failure.next(format!("call {tool} without confirm_token to make a preview")).into());
    };
    let organisation = visible(call, preview.organisation).await.map_err(refused)?;
    let OrganisationId(id) = organisation.id;
    Ok(Confirmed { preview, token_hash, organisation: id, name: organisation.name })
}

/// Why a preview cannot be confirmed, with the code of tools.
pub(super) fn not_confirmed(error: ApiError) -> Refused {
    let (code, next) = match reason(&error) {
        Some("token_expired") => ("confirm_expired", "a preview lives 30 minutes: make it again"),
        Some("stale_version") => ("confirm_stale", "make the preview again and show it"),
        _ => return refused(error),
    };
    Failure::new(code, format!("nothing was changed: {}", error.message())).next(next).into()
}

/// Refuses a call that brings both something to preview and a token, or neither.
pub(super) fn preview_or_token(has_input: bool, token: Option<&str>, inputs: &str) -> Result<(), Failure> {
    match (has_input, token) {
        (true, Some(_)) => {
            Err(Failure::new("invalid_request_format", "confirm_token: must stand alone, without anything to preview")
                .next(format!("leave {inputs} out: what was previewed is stored with the token")))
        }
        (false, None) => {
            Err(Failure::new("invalid_request_format", format!("{inputs}, or confirm_token, is required")))
        }
        _ => Ok(()),
    }
}

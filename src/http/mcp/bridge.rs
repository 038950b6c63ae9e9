//! Between the two HTTP libraries: a request of ours becomes one of rmcp's, its answer one of ours. rmcp runs what it serves as
//! tasks that may move between threads; what a tool asks of the routes may not, so a call comes back over a channel and runs
//! here. The JSON of a tool never becomes a value of rmcp's: a mark stands for it, which is replaced in the bytes of the answer,
//! so that a record reads byte for byte as the REST API prints it.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use rmcp::ErrorData;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::arguments::Arguments;
use super::definitions::Definition;
use super::direct::{Direct, Step};
use super::outcome::{Outcome, Refused};
use super::server::{ToolServer, stand_in};
use super::tools;
use crate::http::call::{Call, missing_scopes};
use crate::http::connection::Parts;
use crate::http::envelope::{self, JSON_RPC_INVALID_REQUEST};
use crate::http::error::ApiError;
use crate::http::products::Products;

/// Headers of a request that rmcp has no use for.
const PRIVATE_HEADERS: [&str; 3] = ["authorization", "x-api-key", "cookie"];

/// What a page may send, and for how many seconds its browser need not ask again.
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, X-API-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, \
         Last-Event-ID, X-Request-Id",
    ),
    (header::ACCESS_CONTROL_MAX_AGE, "7200"),
];

/// A tool that a client calls, on its way to where it can run.
struct ToolCall {
    definition: &'static Definition,
    arguments: Arguments,
    answer: oneshot::Sender<Result<Given, ErrorData>>,
}

/// What rmcp is given of what a tool gave.
pub(super) enum Given {
    /// Stand-ins of its JSON: as text, and as a value.
    Json(String, Value),
    /// Why it did nothing.
    Failure(String),
}

/// The way of calls to the request they belong to.
#[derive(Clone)]
pub(super) struct Calls(mpsc::Sender<ToolCall>);

impl Calls {
    /// Runs a tool where its request is answered.
    pub(super) async fn call(&self, definition: &'static Definition, arguments: Arguments) -> Result<Given, ErrorData> {
        let (answer, answered) = oneshot::channel();
        let gone = || ErrorData::internal_error("the request is gone", None);
        self.0.send(ToolCall { definition, arguments, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

/// `POST /mcp`. What only some messages need is boxed: whatever one message takes from the allocator becomes resident, and lies in the
/// buffers of the connections that come after it.
pub async fn endpoint(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    if call.body.trim_ascii_start().first() == Some(&b'[') {
        let message = "several messages in one body are not accepted; send one";
        return Ok(envelope::json_rpc_error(StatusCode::BAD_REQUEST, JSON_RPC_INVALID_REQUEST, message));
    }
    refuse_missing_scopes(&call).await?;
    match Direct::of(&call, host(&call)) {
        Some(message) => directly(&call, message).await,
        None => Box::pin(through_rmcp(&call)).await,
    }
}

/// Runs a tool, which is counted.
async fn run(call: &Call<Products>, definition: &'static Definition, arguments: Arguments) -> Outcome {
    let begun = Instant::now();
    let outcome = tools::run(call, definition, arguments).await;
    let word = match &outcome {
        Ok(_) => "done",
        Err(Refused::Failure(_)) => "refused",
        Err(Refused::Fault(_)) => "failed",
    };
    call.message_answered("tools/call", definition.tool.name.as_ref(), word, begun.elapsed());
    outcome
}

/// What a call of a tool says of what it needs.
#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: Option<AskedTool<'a>>,
}

#[derive(Deserialize)]
struct AskedTool<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    arguments: Option<Arguments>,
}

/// A connection by OAuth that lacks a scope is refused before the call is looked at, in the way that makes its client ask the person
/// (RFC 6750, section 3.1). A key cannot ask: its call is answered in words. Whatever else is wrong with a message is found later.
async fn refuse_missing_scopes(call: &Call<Products>) -> Result<(), ApiError> {
    let caller = call.caller()?;
    if !caller.may_step_up() {
        return Ok(());
    }
    let Ok(Asked { method, params: Some(params) }) = serde_json::from_slice(&call.body) else { return Ok(()) };
    let definition = params.name.filter(|_| method == "tools/call").and_then(|name| Definition::named(&name));
    let Some(definition) = definition else { return Ok(()) };
    let arguments = params.arguments.unwrap_or_default();
    let needed = Box::pin(tools::needed_scopes(call, definition, &arguments)).await?;
    let held = caller.access().map(|access| access.scopes).unwrap_or_default();
    if needed.without(held).is_empty() { Ok(()) } else { Err(missing_scopes(caller, needed)) }
}

/// Answers a message that is understood completely.
async fn directly(call: &Call<Products>, message: Direct<'_>) -> Result<HttpResponse, ApiError> {
    let (method, begun) = (message.method(), Instant::now());
    let body = match message.step()? {
        Step::Answer(parts) => {
            call.message_answered(method, "", "answered", begun.elapsed());
            BoxBody::new(Parts(parts))
        }
        Step::Accept => {
            call.message_answered(method, "", "answered", begun.elapsed());
            return Ok(HttpResponse::new(StatusCode::ACCEPTED));
        }
        Step::Run(reply, definition, arguments) => {
            BoxBody::new(match Box::pin(run(call, definition, arguments)).await {
                Ok(json) => reply.given(json.get())?,
                Err(Refused::Failure(failure)) => reply.failed(&failure.to_string())?.into(),
                Err(Refused::Fault(error)) => reply.faulted(&fault_in_words(call, &error))?.into(),
            })
        }
    };
    let mut answer = HttpResponse::with_body(StatusCode::OK, body);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(answer)
}

/// The log has the cause of a fault; the client has the id of the request.
fn fault_in_words(call: &Call<Products>, error: &ApiError) -> String {
    let request = call.request_id.as_str();
    tracing::error!(request.id = request, cause = error.cause(), "tool failed");
    format!("internal error, request {request}")
}

async fn through_rmcp(call: &Call<Products>) -> Result<HttpResponse, ApiError> {
    let begun = Instant::now();
    let (sender, mut calls) = mpsc::channel(1);
    let request = request_of(call, Calls(sender))?;
    let service = service(call);
    let mut handling = pin!(service.handle(request));
    // Stands for the JSON of the tool; nobody outside can know it.
    let mark = format!("json-{}", call.worker.shared.clock.unique().simple());
    let (mut given, mut is_call) = (None, false);
    let response = loop {
        tokio::select! {
            biased;
            response = &mut handling => break response,
            Some(asked) = calls.recv() => {
                is_call = true;
                let outcome = Box::pin(run(call, asked.definition, asked.arguments)).await;
                let answer = match outcome {
                    Ok(json) => {
                        given = Some(json);
                        Ok(Given::Json(mark.clone(), stand_in(&mark)))
                    }
                    Err(Refused::Failure(failure)) => Ok(Given::Failure(failure.to_string())),
                    Err(Refused::Fault(error)) => {
                        Err(ErrorData::internal_error(fault_in_words(call, &error), None))
                    }
                };
                // Nobody waits where the client went away.
                let _ = asked.answer.send(answer);
            }
        }
    };
    // A tool that was called is counted already.
    if !is_call {
        let outcome = if response.status().is_success() { "answered" } else { "refused" };
        call.message_answered("other", "", outcome, begun.elapsed());
    }
    answer_of(response, given.as_deref().map(|json| (mark.as_str(), json))).await
}

/// `OPTIONS /mcp`: what a browser asks before it sends what a page of another origin wants to send.
pub async fn options(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let mut answer = HttpResponse::new(StatusCode::NO_CONTENT);
    answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static("OPTIONS, POST"));
    match call.header("origin") {
        Some(origin) if !call.worker.shared.origins.allow(origin) => {
            return Err(ApiError::forbidden("pages of this origin are not allowed"));
        }
        Some(_) => {
            for (name, value) in PREFLIGHT {
                answer.headers_mut().insert(name, HeaderValue::from_static(value));
            }
        }
        None => {}
    }
    Ok(answer)
}

/// The host of the public URL, which requests have to name.
fn host(call: &Call<Products>) -> &str {
    let base_url = call.state().base_url.get().map_or("", String::as_str);
    base_url.split_once("://").map_or(base_url, |(_, rest)| rest).trim_end_matches('/')
}

/// rmcp's service: one for each request, because it keeps nothing between them.
fn service(call: &Call<Products>) -> StreamableHttpService<ToolServer, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_allowed_hosts([host(call).to_owned()])
        .with_allowed_origins(call.worker.shared.origins.all().iter().cloned())
        .enforce_origin_validation()
        .with_max_request_body_bytes(usize::MAX);
    StreamableHttpService::new(|| Ok(ToolServer), Arc::new(NeverSessionManager::default()), config)
}

fn request_of(call: &Call<Products>, calls: Calls) -> Result<http::Request<Full<Bytes>>, ApiError> {
    let mut builder = http::Request::builder().method(http::Method::POST).uri(call.path());
    for (name, value) in call.header_pairs() {
        if !PRIVATE_HEADERS.contains(&name) {
            builder = builder.header(name, value);
        }
    }
    builder = builder.extension(calls);
    builder.body(Full::new(Bytes::copy_from_slice(&call.body))).map_err(ApiError::internal)
}

/// The answer, with the JSON of the tool in the place of its stand-ins.
async fn answer_of<B>(response: http::Response<B>, given: Option<(&str, &RawValue)>) -> Result<HttpResponse, ApiError>
where
    B: BodyExt,
    B::Data: Into<Bytes>,
    B::Error: std::fmt::Display,
{
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(ApiError::internal)?.to_bytes();
    let is_json = parts.headers.get(http::header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !is_json && !body.is_empty() {
        return refused(parts.status, &String::from_utf8_lossy(&body));
    }
    let body = match given {
        Some((mark, json)) => replaced(&body, mark, json.get())?,
        None => body,
    };
    let status = StatusCode::from_u16(parts.status.as_u16()).map_err(ApiError::internal)?;
    let mut answer = HttpResponse::with_body(status, BoxBody::new(body));
    for (name, value) in &parts.headers {
        let name = HeaderName::from_bytes(name.as_str().as_bytes()).map_err(ApiError::internal)?;
        answer.headers_mut().insert(name, HeaderValue::from_bytes(value.as_bytes()).map_err(ApiError::internal)?);
    }
    Ok(answer)
}

/// What rmcp refuses in plain text, in one of our forms: what is wrong with the message in that of JSON-RPC, what is wrong with
/// the request in that of every answer.
fn refused(status: http::StatusCode, text: &str) -> Result<HttpResponse, ApiError> {
    match status {
        http::StatusCode::FORBIDDEN => Err(ApiError::forbidden(text.to_owned())),
        http::StatusCode::UNSUPPORTED_MEDIA_TYPE | http::StatusCode::BAD_REQUEST => {
            Ok(envelope::json_rpc_error(StatusCode::BAD_REQUEST, JSON_RPC_INVALID_REQUEST, text))
        }
        status if status.is_client_error() => {
            let status = StatusCode::from_u16(status.as_u16()).map_err(ApiError::internal)?;
            Ok(envelope::json_rpc_error(status, JSON_RPC_INVALID_REQUEST, text))
        }
        _ => Err(ApiError::internal(text.to_owned())),
    }
}

/// Puts the JSON of a tool where its stand-ins are.
fn replaced(body: &[u8], mark: &str, json: &str) -> Result<Bytes, ApiError> {
    let text = std::str::from_utf8(body).map_err(ApiError::internal)?;
    let value = stand_in(mark).to_string();
    let as_text = serde_json::to_string(json).map_err(ApiError::internal)?;
    let text = text.replacen(&value, json, 1).replacen(&format!("\"{mark}\""), &as_text, 1);
    Ok(Bytes::from(text))
}

//! Messages that are understood completely are answered without rmcp, whose service, tasks and channels take longer than most
//! tools: calls and the list of tools, `initialize`, what follows it, and `server/discover`, in the form in which clients send them. Whatever is in doubt (a
//! header or member that is not known here, an identifier or a revision that is written otherwise, an origin) is left to rmcp,
//! and the answers are those it gives, to the byte.

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderName};
use bytes::Bytes;
use rmcp::model::{ClientCapabilities, Implementation};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::arguments::Arguments;
use super::definitions::Definition;
use super::server;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;

/// The revisions with a handshake, and the one without.
const OLDER: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];
const NEWER: &str = "2026-07-28";
/// Headers of messages, which are asked for in every one: a name that is a text would be read each time.
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// What answers of the newer revision say before anything else.
const COMPLETE: &str = "\"resultType\":\"complete\",";

/// A message that is answered here.
pub(super) struct Direct<'a> {
    id: &'a str,
    is_newer: bool,
    asked: Asked<'a>,
}

/// What it asks.
enum Asked<'a> {
    Initialize(&'a str),
    /// Nothing: the client says that it is ready.
    Nothing,
    Discover,
    List,
    Call(&'static Definition, Arguments),
}

/// What is done about a message.
pub(super) enum Step<'a> {
    /// The answer is this text, in parts.
    Answer([Bytes; 3]),
    /// A notification is accepted, and that is all.
    Accept,
    /// The tool runs with these arguments; what it gives is then printed.
    Run(Reply<'a>, &'static Definition, Arguments),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// A message that wants no answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notification<'a> {
    jsonrpc: &'a str,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams<'a> {
    name: &'a str,
    arguments: Option<Arguments>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    _capabilities: ClientCapabilities,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    _client: Implementation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct InitializeParams<'a> {
    protocol_version: &'a str,
    #[serde(rename = "capabilities")]
    _capabilities: ClientCapabilities,
    #[serde(rename = "clientInfo")]
    _client: Implementation,
}

impl<'a> Direct<'a> {
    /// The message, if it is understood completely; `host` is the one requests may be sent to.
    pub(super) fn of(call: &'a Call<Products>, host: &str) -> Option<Self> {
        if !has_plain_headers(call, host) {
            return None;
        }
        let Ok(message) = serde_json::from_slice::<Message<'a>>(&call.body) else { return Self::of_notification(call) };
        let id = plain_id(message.id.get()).filter(|_| message.jsonrpc == "2.0")?;
        let version = call.header(PROTOCOL_VERSION);
        let params = message.params.map_or("{}", RawValue::get);
        let (is_newer, asked) = match message.method {
            "tools/call" => {
                let params: CallParams<'a> = serde_json::from_str(params).ok()?;
                let definition = Definition::named(params.name)?;
                let is_newer = match params.meta {
                    Some(meta) => is_newer(call, &meta, "tools/call", Some(params.name)).then_some(true)?,
                    None => is_older(call, version?).then_some(false)?,
                };
                (is_newer, Asked::Call(definition, params.arguments.unwrap_or_default()))
            }
            "initialize" => {
                let params: InitializeParams<'a> = serde_json::from_str(params).ok()?;
                let known = OLDER.iter().find(|known| **known == params.protocol_version)?;
                let is_agreed = version.is_none_or(|version| version == *known);
                (is_agreed && is_older(call, known)).then_some(())?;
                (false, Asked::Initialize(known))
            }
            "server/discover" => {
                let NoParams { meta } = serde_json::from_str(params).ok()?;
                is_newer(call, &meta?, "server/discover", None).then_some((true, Asked::Discover))?
            }
            "tools/list" => {
                let NoParams { meta } = serde_json::from_str(params).ok()?;
                let is_newer = match meta {
                    Some(meta) => is_newer(call, &meta, "tools/list", None).then_some(true)?,
                    None => is_older(call, version?).then_some(false)?,
                };
                (is_newer, Asked::List)
            }
            _ => return None,
        };
        Some(Self { id, is_newer, asked })
    }

    /// What a client of an older revision says once it was answered `initialize`.
    fn of_notification(call: &'a Call<Products>) -> Option<Self> {
        let Notification { jsonrpc, method, params } = serde_json::from_slice(&call.body).ok()?;
        let says_nothing_more = params.is_none_or(|params| params.get() == "{}");
        let is_known = jsonrpc == "2.0" && method == "notifications/initialized" && says_nothing_more;
        let is_plain = is_known && is_older(call, call.header(PROTOCOL_VERSION)?);
        is_plain.then_some(Self { id: "", is_newer: false, asked: Asked::Nothing })
    }

    /// The method of the message.
    pub(super) const fn method(&self) -> &'static str {
        match self.asked {
            Asked::Call(..) => "tools/call",
            Asked::List => "tools/list",
            Asked::Discover => "server/discover",
            Asked::Initialize(_) => "initialize",
            Asked::Nothing => "other",
        }
    }

    /// Answers it, or says which tool has to run first.
    pub(super) fn step(self) -> Result<Step<'a>, ApiError> {
        let reply = Reply { id: self.id, is_newer: self.is_newer };
        Ok(match self.asked {
            Asked::Nothing => Step::Accept,
            Asked::Call(definition, arguments) => Step::Run(reply, definition, arguments),
            Asked::List => Step::Answer(reply.shared(reply.complete(), &LISTED)?),
            Asked::Discover => Step::Answer(reply.shared("", &DISCOVERED)?),
            Asked::Initialize(version) => {
                Step::Answer(reply.shared(&format!("\"protocolVersion\":\"{version}\","), &INITIALIZED)?)
            }
        })
    }
}

fn unprinted() -> ApiError {
    ApiError::internal("what the server says of itself cannot be printed")
}

/// The members of a result that every client asks for, from after its first brace: their text is shared between answers.
type Shared = LazyLock<serde_json::Result<Bytes>>;

fn members(result: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(result).map(|text| text.trim_start_matches('{').to_owned())
}

/// What `server/discover` is answered.
static DISCOVERED: Shared = LazyLock::new(|| members(&server::discovered()).map(Bytes::from));

/// What `tools/list` is answered, after what says that the answer is complete.
static LISTED: Shared = LazyLock::new(|| {
    let list = members(&server::listed())?;
    Ok(Bytes::copy_from_slice(list.trim_start_matches(COMPLETE).as_bytes()))
});

/// What `initialize` is answered, after the revision.
static INITIALIZED: Shared = LazyLock::new(|| {
    let info = server::info();
    let said = Said { capabilities: info.capabilities, server_info: info.server_info, instructions: info.instructions };
    members(&said).map(Bytes::from)
});

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said<C> {
    capabilities: C,
    server_info: Implementation,
    instructions: Option<String>,
}

/// How a message is answered.
pub(super) struct Reply<'a> {
    id: &'a str,
    is_newer: bool,
}

impl Reply<'_> {
    fn with_result(&self, result: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", self.id)
    }

    /// The answer whose result begins with these members and goes on with shared ones.
    fn shared(&self, first: &str, rest: &Shared) -> Result<[Bytes; 3], ApiError> {
        let rest = rest.as_ref().map_err(|_| unprinted())?;
        let before = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{first}", self.id);
        Ok([before.into(), rest.clone(), Bytes::from_static(b"}")])
    }

    /// The answer with what a tool gave.
    pub(super) fn given(&self, json: &str) -> Result<Bytes, ApiError> {
        // Long answers are written once: the JSON itself, and as text with its quotation marks escaped.
        let mut reply = Vec::with_capacity(2 * json.len() + json.len() / 2 + 256);
        let (id, complete) = (self.id, self.complete());
        let before = "\"content\":[{\"type\":\"text\",\"text\":";
        for part in ["{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"result\":{", complete, before] {
            reply.extend_from_slice(part.as_bytes());
        }
        serde_json::to_writer(&mut reply, json).map_err(ApiError::internal)?;
        for part in ["}],\"structuredContent\":", json, ",\"isError\":false}}"] {
            reply.extend_from_slice(part.as_bytes());
        }
        Ok(reply.into())
    }

    /// The answer of a tool that did nothing.
    pub(super) fn failed(&self, words: &str) -> Result<String, ApiError> {
        let text = serde_json::to_string(words).map_err(ApiError::internal)?;
        let complete = self.complete();
        Ok(self.with_result(&format!(
            "{{{complete}\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":true}}"
        )))
    }

    /// The answer of a tool that could not be run.
    pub(super) fn faulted(&self, words: &str) -> Result<String, ApiError> {
        let words = serde_json::to_string(words).map_err(ApiError::internal)?;
        let (id, code) = (self.id, rmcp::model::ErrorCode::INTERNAL_ERROR.0);
        Ok(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{words}}}}}"))
    }

    fn complete(&self) -> &'static str {
        if self.is_newer { COMPLETE } else { "" }
    }
}

/// Whether the headers that both eras have are those clients send, and no browser's.
fn has_plain_headers(call: &Call<Products>, host: &str) -> bool {
    let accept = call.header(header::ACCEPT).unwrap_or_default();
    let accepts = |wanted: &str| accept.split(',').any(|one| one.trim() == wanted);
    accepts("application/json")
        && accepts("text/event-stream")
        && call.header(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
        && call.header(header::HOST) == Some(host)
        && [header::ORIGIN, SESSION_ID].iter().all(|name| call.header(name).is_none())
}

/// Whether a request says nothing beside an older revision.
fn is_older(call: &Call<Products>, version: &str) -> bool {
    OLDER.contains(&version) && [METHOD, NAME].iter().all(|name| call.header(name).is_none())
}

/// Whether headers and message of the newer revision say the same.
fn is_newer(call: &Call<Products>, meta: &Meta<'_>, method: &str, name: Option<&str>) -> bool {
    meta.version == NEWER
        && call.header(PROTOCOL_VERSION) == Some(NEWER)
        && call.header(METHOD) == Some(method)
        && call.header(NAME) == name
}

/// An identifier that is repeated as it is: an integer in its plain form, or a text without escapes.
fn plain_id(id: &str) -> Option<&str> {
    let is_integer = || id.parse::<i64>().is_ok_and(|number| number.to_string() == id);
    let is_text = || id.starts_with('"') && !id.contains('\\');
    (is_text() || is_integer()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::plain_id;

    #[test]
    fn identifiers_that_would_be_printed_otherwise_are_left_alone() {
        for id in ["0", "-7", "9223372036854775807", "\"\"", "\"a b\"", "\"é\""] {
            assert_eq!(plain_id(id), Some(id));
        }
        for id in ["-0", "1e3", "1.0", "9223372036854775808", "null", "true", "\"\\u0041\"", "\"\\n\"", "{}", "[1]"] {
            assert_eq!(plain_id(id), None, "{id}");
        }
    }
}

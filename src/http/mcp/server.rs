//! The protocol's side of the tool server: what it can do, which tools there are, and how a call reaches the bridge.

use std::borrow::Cow;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::bridge::{Calls, Given};
use super::definitions::{DEFINITIONS, Definition};

/// The revisions spoken, oldest first. That of 2024 has a transport of its own, which is not offered.
const REVISIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// How long a client may keep what it was told of the server and of the tools: both change with a new version only.
const LIFETIME_MS: u64 = 3_600_000;
/// What an agent is told before anything else.
const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// What the server says of itself.
pub(super) fn info() -> ServerConfig {
    let name = Implementation::new("bookkeeping-suite", env!("CARGO_PKG_VERSION")).with_title("Bookkeeping Suite");
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(name)
        .with_instructions(INSTRUCTIONS)
}

/// The same for clients without a handshake, with the revisions spoken.
pub(super) fn discovered() -> DiscoverResult {
    let info = info();
    let mut result = DiscoverResult::new(REVISIONS.to_vec(), info.capabilities);
    result.instructions = info.instructions;
    result.ttl_ms = LIFETIME_MS;
    result.cache_scope = CacheScope::Public;
    result.set_server_info(info.server_info);
    result
}

/// The tools.
pub(super) fn listed() -> ListToolsResult {
    let tools = DEFINITIONS.iter().map(|definition| definition.tool.clone()).collect();
    let mut result = ListToolsResult::with_all_items(tools);
    result.ttl_ms = Some(LIFETIME_MS);
    result.cache_scope = Some(CacheScope::Public);
    result
}

/// One request's server. It knows nothing of the caller: calls go to the bridge, which does.
#[derive(Clone, Copy)]
pub(super) struct ToolServer;

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&REVISIONS)
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        Ok(discovered())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("there is one page of tools", None));
        }
        Ok(listed())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Definition::named(name).map(|definition| definition.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(definition) = Definition::named(&request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None));
        };
        let calls = context.extensions.get::<http::request::Parts>().and_then(|parts| parts.extensions.get::<Calls>());
        let calls = calls.ok_or_else(|| ErrorData::internal_error("a call outside of the bridge", None))?;
        let mut result = match calls.call(definition, request.arguments.unwrap_or_default()).await? {
            Given::Json(text, value) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(value);
                result
            }
            Given::Failure(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        result.is_error = Some(result.is_error == Some(true));
        Ok(result.into())
    }

    // What is not declared is not there: an empty list would be an answer.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(absent("prompts/list"))
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(absent("prompts/get"))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(absent("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(absent("resources/templates/list"))
    }

    async fn read_resource(
        &self,
        _request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Err(absent("resources/read"))
    }
}

fn absent(method: &str) -> ErrorData {
    ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

/// What stands in a result for the JSON of a tool until the bridge puts it there.
pub(super) fn stand_in(mark: &str) -> Value {
    json!({ mark: 0 })
}

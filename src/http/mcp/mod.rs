//! `/mcp`: the tool server for agents (Model Context Protocol, revisions 2025-03-26 to 2026-07-28). The protocol is spoken by the
//! rmcp library behind a bridge of our own (`bridge`), which is the only place that knows both HTTP libraries; what tools do
//! (`tools`) is asked of the routes of the REST API, so that an answer holds the very JSON a request gets.

mod arguments;
mod bridge;
mod comparisons;
mod definitions;
mod direct;
mod outcome;
mod server;
mod tools;

pub use bridge::{endpoint, options};
pub use comparisons::Comparisons;

//! The HTTP layer: one table of routes, one order of checks, one envelope for every failure.

mod body;
pub mod books;
pub mod call;
pub mod coding_jobs;
mod connection;
pub mod dispatch;
pub mod docs;
pub mod envelope;
pub mod error;
mod file;
pub mod first_party;
mod job_view;
pub mod json_syntax;
pub mod mcp;
pub mod oauth;
pub mod openapi;
pub mod ops;
mod origins;
pub mod products;
pub mod query;
pub mod reconciliations;
mod refusal_turns;
pub mod resources;
pub mod route_table;
pub mod routes;
pub mod server;
mod shared_text;
pub mod starting;
pub mod submission;
pub mod wire;

pub use body::{Body, BodyLimits};

//! The HTTP layer: one table of routes, one order of checks, one envelope for every failure.

mod body;
pub mod call;
mod connection;
mod dispatch;
pub mod envelope;
pub mod error;
pub mod headers;
pub mod json_syntax;
pub mod ops;
pub mod openapi;
pub mod paging;
mod panic_guard;
pub mod request_id;
pub mod route_table;
pub mod server;
pub mod wire;

pub use body::{Body, BodyLimits};

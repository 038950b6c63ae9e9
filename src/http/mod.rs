//! The HTTP layer: one table of routes, one order of checks, one envelope for every failure.

pub mod envelope;
pub mod error;
pub mod headers;
pub mod json_syntax;
pub mod paging;
pub mod request_id;
pub mod wire;

//! The HTTP foundation: order of checks, bodies, envelope, headers, the connection after an error.

mod bodies;
mod connections;
mod documents;
mod flood;
mod order;
pub mod support;

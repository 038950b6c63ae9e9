//! The service.

pub mod domain;
pub mod http;

//! The wire format: the strict reader of JSON bodies, and most bodies; answers, and the bodies of contacts and
//! documents, are beside their handlers in `http::resources`.

pub mod books;
pub mod coding;
pub mod key;
pub mod object;
pub mod person;
mod print;
pub mod recon;
mod rules;
pub(in crate::http) mod strict;

//! The wire format of each resource: JSON into domain types, domain types into JSON. Shared by REST and the tools.

pub mod books;
pub mod coding;
pub mod key;
pub mod object;
pub mod person;
mod print;
pub mod recon;
mod rules;
pub(in crate::http) mod strict;

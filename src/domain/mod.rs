//! Pure bookkeeping rules: no async, no I/O, no database, no actors, no clock reads.
//!
//! Everything here takes values and returns values, so that every rule can be tested without a server.

pub mod amount;
pub mod books;
pub mod caller;
pub mod characters;
pub mod coding;
pub mod coding_session;
pub mod control;
pub mod credits;
pub mod date;
pub mod idempotency;
pub mod ids;
pub mod job;
pub mod ledger;
pub mod mail;
pub mod oauth;
pub mod parallel;
pub mod password;
pub mod problem;
pub mod recon;
pub mod refusal_reason;
pub mod reports;
pub mod secret;
pub mod suggestions;

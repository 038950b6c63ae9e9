//! Bookkeeping Suite: reconciliation, coding and double-entry books behind one REST API.
//!
//! `main → cli → app → { http → { actors → { store → entity }, render → domain } }`; see `ARCHITECTURE.md`.

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit it was built from, as whoever built it said in `BOOKKEEPING_COMMIT`.
pub const COMMIT: &str = match option_env!("BOOKKEEPING_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

pub mod actors;
pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod render;
pub mod session;
pub mod store;

//! Bookkeeping Suite: reconciliation, coding and double-entry books behind one REST API.
//!
//! `main → cli → app → { http → { actors → { store → entity }, render → domain } }`; see `ARCHITECTURE.md`.

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

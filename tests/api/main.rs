//! What the service does, said over HTTP: one module per resource, one fixture (`support`).
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "tests may fail loudly"
)]

mod support;

#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/postgres.rs"]
mod postgres;

mod authentication;
mod books;
mod coding_format;
mod coding_jobs;
mod coding_sample;
mod command_line;
mod counters;
mod credits;
mod dataset_format;
mod first_party;
mod foundation;
mod health;
mod idempotency;
mod job_states;
mod jobs;
mod keys;
mod log;
mod mail;
mod mcp;
mod me;
mod oauth;
mod organisations;
mod outage;
mod processes;
mod progress;
mod rate_limit;
mod reconciliation_groups;
mod reconciliations;
mod recorded;
mod restart;
mod shares;
mod truth;
mod unread_answers;
mod verification;
mod wall_clock;

//! Tests that reach behind the HTTP surface, one binary, one module per part.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

#[path = "../support/postgres.rs"]
mod postgres;
mod store;

//! What cannot be seen over HTTP: the parts inside, driven directly. One binary, one module per part.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod actors;
mod architecture;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/postgres.rs"]
mod postgres;
mod store;

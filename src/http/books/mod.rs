//! The ledger over REST. `organisations.rs` is the whole of it so far.

pub mod organisations;

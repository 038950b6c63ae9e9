//! The ledger over REST: reads are queries, changes go to the books' actor.

pub mod change;
pub(super) mod engine_request;
pub(super) mod suggest;
pub(super) mod token;

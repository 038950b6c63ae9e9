//! The ledger over REST: reads are queries, changes go to the books' actor.

pub mod access;
pub mod change;
pub(super) mod query;
pub(super) mod token;

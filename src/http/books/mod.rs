//! The ledger over REST: reads are queries, changes go to the books' actor.

pub mod access;
pub mod change;
pub mod imports;
pub(super) mod query;
pub mod token;

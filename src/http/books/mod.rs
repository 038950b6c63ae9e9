//! The ledger over REST: reads are queries, changes go to the books' actor.

pub mod access;
pub mod change;
pub mod changes;
pub mod cis;
pub mod contacts;
pub mod documents;
pub mod opening;
pub mod organisations;
pub(super) mod query;
pub mod settlements;
pub mod status;
pub(super) mod token;

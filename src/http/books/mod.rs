//! The ledger over REST: reads are queries, changes go to the books' actor.

pub mod accounts;
pub mod bank;
pub mod change;
pub mod changes;
pub mod cis;
pub mod contacts;
pub mod documents;
pub mod imports;
pub mod journals;
pub mod opening;
pub mod organisations;
mod query;
pub mod settlements;
pub mod status;
mod token;

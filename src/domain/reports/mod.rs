//! Reports: pure functions from loaded rows and a period to the figures of a report.

pub mod cis_position;
pub mod contact_balances;

//! Reports: each a pure function from loaded rows and a period to its figures, which are printed as they are declared.
//!
//! The rows are loaded in `store/books/report_rows.rs`; the table of `http/resources/reports.rs` joins both to a route.

pub mod account_balances;
pub mod cis_position;
pub mod contact_balances;
pub mod table;

use crate::domain::date::Date;

/// The first and the last day of a report about what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The last day, not before the first.
    pub last: Date,
}

/// The day of a report about what there is: balances are those at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsOf(pub Date);

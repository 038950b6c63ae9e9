//! Reports: each a pure function from loaded rows and a period to its figures, which are printed as they are declared.
//!
//! The rows are loaded in `store/books/report_rows.rs`; the table of `http/resources/reports.rs` joins both to a route.

pub mod account_balances;
pub mod ageing;
pub mod balance_comparison;
pub mod balance_sheet;
pub mod cash_flow;
pub mod cis_position;
pub mod cis_return;
pub mod cis_statement;
pub mod contact_balances;
pub mod dashboard;
pub mod deadlines;
pub mod period_comparison;
pub mod profit_loss;
pub mod profit_loss_monthly;
pub mod statement;
pub mod table;
pub mod trade;
pub mod trial_balance;
pub mod vat_obligations;
pub mod vat_return;
pub mod vat_return_lines;
mod vat_return_tables;

use serde::Serialize;

use crate::domain::date::Date;

/// The first and the last day of a report about what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Period {
    /// The first day.
    #[serde(rename = "period_start")]
    pub first: Date,
    /// The last day, not before the first.
    #[serde(rename = "period_end")]
    pub last: Date,
}

/// The days that a report is about, as they are written on it.
pub trait ReportDays: Copy {
    /// Those in the name of its file.
    fn days(self) -> Vec<Date>;

    /// The last of them, which the file is of.
    fn last(self) -> Date;

    /// Below its title.
    fn caption(self) -> String;
}

impl ReportDays for Period {
    fn days(self) -> Vec<Date> {
        vec![self.first, self.last]
    }

    fn last(self) -> Date {
        self.last
    }

    fn caption(self) -> String {
        format!("{} to {}", self.first.written_out(), self.last.written_out())
    }
}

impl ReportDays for AsOf {
    fn days(self) -> Vec<Date> {
        vec![self.date]
    }

    fn last(self) -> Date {
        self.date
    }

    fn caption(self) -> String {
        format!("At {}", self.date.written_out())
    }
}

impl Period {
    /// The longest period of a report, in days.
    pub const DAYS_MAX: i32 = 3_660;

    /// How many days it has.
    pub fn length_days(self) -> i32 {
        self.last - self.first + 1
    }
}

/// The day of a report about what there is: balances are those at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AsOf {
    /// The day.
    #[serde(rename = "as_of")]
    pub date: Date,
}

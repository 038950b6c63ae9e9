//! Financial years: which one a date lies in.

use crate::domain::date::Date;
use crate::domain::ledger::organisation::YearEnd;

/// The financial years of an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinancialYears(YearEnd);

impl FinancialYears {
    /// Years that all end on the same day of the year.
    pub const fn ending(year_end: YearEnd) -> Self {
        Self(year_end)
    }

    /// The first day of the financial year that a date lies in.
    pub fn start(&self, date: Date) -> Date {
        let (year, _, _) = date.civil();
        let this_year = self.0.in_year(year);
        if date > this_year { this_year + 1 } else { self.0.in_year(year - 1) + 1 }
    }
}

//! Financial years: what callers see of them.

use crate::domain::ledger::financial_year::FinancialYear;
use crate::domain::ledger::money::Pence;

/// The view of a financial year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinancialYearView {
    /// Whose.
    pub organisation_id: i64,
    /// The year.
    pub year: FinancialYear,
    /// Whether it is closed.
    pub is_closed: bool,
    /// Its profit.
    pub net_profit: Pence,
    /// What is retained at its end: its own profit among it, less what its closing transferred.
    pub retained_earnings: Pence,
    /// The journal that closed it.
    pub journal_id: Option<i64>,
}

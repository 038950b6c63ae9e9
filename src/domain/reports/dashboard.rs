//! The figures of the dashboard: each is that of its report at today.

use serde::Serialize;
use utoipa::ToSchema;

use super::Period;
use super::account_balances::AccountRows;
use super::ageing::{AgeBy, AgedAmounts, AgedItem, age};
use super::cash_flow::cash;
use super::period_comparison::ComparedPeriods;
use super::profit_loss::ProfitLossTotals;
use crate::domain::date::Date;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::Money;

/// What the figures are computed from.
#[derive(Debug)]
pub struct DashboardRows {
    /// The balances at [`Dashboard::days`].
    pub accounts: AccountRows,
    /// What is open of customers at the end of today.
    pub debtors: Vec<AgedItem>,
    /// What is open of suppliers at the end of today.
    pub creditors: Vec<AgedItem>,
}

/// The figures of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dashboard {
    /// On all bank accounts: `closing_cash` of the cash flow.
    pub cash: Money,
    /// Of customers.
    pub debtors: Owed,
    /// Of suppliers.
    pub creditors: Owed,
    /// Of the financial year.
    pub profit: ProfitSoFar,
}

/// What is owed, as the ageing has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Owed {
    /// `total` of the ageing: less credit notes and money that is not allocated.
    pub total: Money,
    /// What of it is past its due date.
    pub overdue: Money,
}

/// The profit of the financial year so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfitSoFar {
    /// `net_profit` from the first day of the year to today.
    pub this_year: Money,
    /// That of the same days a year earlier.
    pub last_year_same_days: Money,
}

impl Dashboard {
    /// Today, the day before the financial year, and both ends of the same days a year earlier.
    pub fn days(years: &FinancialYears, today: Date) -> Vec<Date> {
        let so_far = Period { first: years.year_of(today).first, last: today };
        let ComparedPeriods { compare_start, compare_end, .. } = ComparedPeriods::with_year_before(so_far);
        vec![so_far.first - 1, today, compare_start - 1, compare_end]
    }

    /// The figures of a day, from balances at [`Self::days`].
    pub fn compute(rows: &DashboardRows, today: Date) -> Self {
        let profit = |from, to| ProfitLossTotals::between(&rows.accounts, from, to).net_profit().into();
        Self {
            cash: cash(&rows.accounts, 1).into(),
            debtors: owed(ContactKind::Customer, &rows.debtors, today),
            creditors: owed(ContactKind::Supplier, &rows.creditors, today),
            profit: ProfitSoFar { this_year: profit(0, 1), last_year_same_days: profit(2, 3) },
        }
    }
}

fn owed(side: ContactKind, items: &[AgedItem], today: Date) -> Owed {
    let items: Vec<&AgedItem> = items.iter().collect();
    let (_, AgedAmounts { total, days_1_30, days_31_60, days_61_90, days_over_90, .. }) =
        age(side, &items, today, AgeBy::DueDate);
    Owed { total, overdue: Money([days_1_30, days_31_60, days_61_90, days_over_90].iter().map(|one| one.0).sum()) }
}

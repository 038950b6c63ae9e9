//! The profit and loss accounts of two periods side by side.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::account_balances::{
    AccountBalances, AccountRows, Transactions, account_columns, account_row, transactions_example,
};
use super::profit_loss::{ProfitLossTotals, Section, profit_loss_rows};
use super::profit_loss_monthly::section;
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::{Period, ReportDays};
use crate::domain::date::{Date, Month};
use crate::domain::ids::Id;
use crate::domain::ledger::money::{Money, Pence, Percentage};

/// Two periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparedPeriods {
    /// The period asked for.
    #[serde(flatten)]
    pub current: Period,
    /// The first day of the period it is compared with.
    pub compare_start: Date,
    /// The last day of the period it is compared with.
    pub compare_end: Date,
}

impl ReportDays for ComparedPeriods {
    fn days(self) -> Vec<Date> {
        self.current.days()
    }

    fn last(self) -> Date {
        self.current.last
    }

    fn caption(self) -> String {
        format!("{}, compared with {}", self.current.caption(), self.previous().caption())
    }
}

impl ComparedPeriods {
    const fn previous(self) -> Period {
        Period { first: self.compare_start, last: self.compare_end }
    }

    /// With the period just before: as many calendar months when the period is whole months, else as many days.
    pub fn with_period_before(current: Period) -> Self {
        let (first, last) = (Month::of(current.first), Month::of(current.last));
        let is_whole = current.first == first.first_day() && current.last == last.last_day();
        let compare_start = match is_whole {
            true => Month(first.0 - (last.0 - first.0 + 1)).first_day(),
            false => current.first - current.length_days(),
        };
        Self { current, compare_start, compare_end: current.first - 1 }
    }

    /// With the same days a year earlier; 29 February becomes the 28th.
    pub fn with_year_before(current: Period) -> Self {
        Self { current, compare_start: current.first.year_before(), compare_end: current.last.year_before() }
    }
}

/// A figure of two periods or days, and what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = compared_example)]
pub struct Compared {
    /// Of the period or day asked for.
    pub current: Money,
    /// Of the one it is compared with.
    pub previous: Money,
    /// Current less previous.
    pub change: Money,
    /// The change in percent of the magnitude of `previous`, with two decimals; null where that is 0.
    #[schema(required)]
    pub change_percent: Option<Percentage>,
}

impl Compared {
    pub(super) fn new(current: Pence, previous: Pence) -> Self {
        let change = current - previous;
        Self {
            current: current.into(),
            previous: previous.into(),
            change: change.into(),
            change_percent: Percentage::of(change, previous.abs()),
        }
    }
}

impl Compared {
    /// The columns of its figures.
    pub(super) fn columns() -> Vec<ReportColumn> {
        vec![
            ReportColumn::figure("current", "Current"),
            ReportColumn::figure("previous", "Previous"),
            ReportColumn::figure("change", "Change"),
            ReportColumn::figure("change_percent", "Change %"),
        ]
    }

    /// Its cells in them.
    pub(super) fn cells(self) -> Vec<ReportCell> {
        vec![self.current.into(), self.previous.into(), self.change.into(), self.change_percent.into()]
    }
}

fn compared_example() -> Value {
    json!({ "current": 12433.00, "previous": 10361.00, "change": 2072.00, "change_percent": 20.00 })
}

/// The profit and loss accounts of two periods side by side.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct PeriodComparison {
    /// By section, then by account code.
    pub rows: Vec<PeriodComparisonRow>,
    /// The totals of the two profit and loss accounts.
    pub totals: ComparedProfitLoss,
}

/// An account with its figures of both periods.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PeriodComparisonRow {
    /// Where it stands in the profit and loss account.
    #[schema(schema_with = section)]
    pub section: &'static str,
    /// The account.
    pub account_id: Id,
    /// What people call it today.
    pub code: String,
    /// Its name today.
    pub name: String,
    /// Of the period asked for, in the direction of the section.
    pub current: Money,
    /// Of the period it is compared with.
    pub previous: Money,
    /// Current less previous.
    pub change: Money,
    /// The change in percent of the magnitude of `previous`, with two decimals; null where that is 0.
    #[schema(required)]
    pub change_percent: Option<Percentage>,
    /// The lines behind `current`.
    pub transactions: Transactions,
}

/// The eight totals of a profit and loss account, each of both periods.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ComparedProfitLoss {
    /// Revenue without other income.
    pub total_revenue: Compared,
    /// Cost of sales.
    pub total_cost_of_sales: Compared,
    /// Revenue less cost of sales.
    pub gross_profit: Compared,
    /// Other income.
    pub total_other_income: Compared,
    /// Expenses.
    pub total_expenses: Compared,
    /// Gross profit and other income, less expenses.
    pub profit_before_tax: Compared,
    /// Corporation tax.
    pub total_corporation_tax: Compared,
    /// Profit before tax, less corporation tax.
    pub net_profit: Compared,
}

impl PeriodComparison {
    /// The ends of the days before both periods, and of their last days.
    pub fn days(periods: ComparedPeriods) -> Vec<Date> {
        vec![periods.current.first - 1, periods.current.last, periods.compare_start - 1, periods.compare_end]
    }

    /// The comparison, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, periods: ComparedPeriods) -> Self {
        let (current, previous) = (ProfitLossTotals::between(rows, 0, 1), ProfitLossTotals::between(rows, 2, 3));
        let total = |of: fn(&ProfitLossTotals) -> Pence| Compared::new(of(&current), of(&previous));
        Self {
            rows: Section::ALL.into_iter().flat_map(|section| rows_of(rows, section, periods.current)).collect(),
            totals: ComparedProfitLoss {
                total_revenue: total(|one| one.revenue),
                total_cost_of_sales: total(|one| one.cost_of_sales),
                gross_profit: total(ProfitLossTotals::gross_profit),
                total_other_income: total(|one| one.other_income),
                total_expenses: total(|one| one.expenses),
                profit_before_tax: total(ProfitLossTotals::profit_before_tax),
                total_corporation_tax: total(|one| one.corporation_tax),
                net_profit: total(ProfitLossTotals::net_profit),
            },
        }
    }
}

impl Tabulated<ComparedPeriods> for PeriodComparison {
    fn tables(&self, _: ComparedPeriods) -> ReportTables {
        let of_section = |section: Section| -> Vec<ReportRow> {
            self.rows.iter().filter(|row| row.section == section.as_str()).map(PeriodComparisonRow::row).collect()
        };
        let totals = &self.totals;
        let totals = [
            totals.total_revenue,
            totals.total_cost_of_sales,
            totals.gross_profit,
            totals.total_other_income,
            totals.total_expenses,
            totals.profit_before_tax,
            totals.total_corporation_tax,
            totals.net_profit,
        ];
        let rows = profit_loss_rows(of_section, totals.map(Compared::cells));
        ReportTables::of(vec![ReportPart::new(account_columns(Compared::columns()), rows)])
    }
}

impl PeriodComparisonRow {
    fn row(&self) -> ReportRow {
        let Self { current, previous, change, change_percent, .. } = *self;
        let figures = Compared { current, previous, change, change_percent }.cells();
        account_row(self.section, (self.account_id, self.code.as_str(), &self.name), figures, self.transactions)
    }
}

fn rows_of(rows: &AccountRows, section: Section, period: Period) -> Vec<PeriodComparisonRow> {
    let row = |account: &AccountBalances| {
        let moved = |from, to| account.in_direction(account.movement(from, to));
        let (current, previous) = (moved(0, 1), moved(2, 3));
        let Compared { current, previous, change, change_percent } =
            (!current.is_zero() || !previous.is_zero()).then(|| Compared::new(current, previous))?;
        Some(PeriodComparisonRow {
            section: section.as_str(),
            account_id: Id(account.account_id),
            code: account.code.clone(),
            name: account.name.clone(),
            current,
            previous,
            change,
            change_percent,
            transactions: rows.transactions(account, Some(period.first), period.last),
        })
    };
    rows.accounts.iter().filter(|account| Section::of(account) == Some(section)).filter_map(row).collect()
}

fn example() -> Value {
    let compared = |current: f64, previous: f64, percent: Value| json!({ "current": current, "previous": previous, "change": current - previous, "change_percent": percent });
    let nothing = || compared(0.00, 0.00, Value::Null);
    json!({
        "rows": [{
            "section": "revenue", "account_id": 16, "code": "4000", "name": "Sales",
            "current": 12433.00, "previous": 10361.00, "change": 2072.00, "change_percent": 20.00,
            "transactions": transactions_example(16, "date_from=2026-01-01&date_to=2026-03-31")
        }],
        "totals": {
            "total_revenue": compared(12433.00, 10361.00, 20.00.into()), "total_cost_of_sales": nothing(),
            "gross_profit": compared(12433.00, 10361.00, 20.00.into()), "total_other_income": nothing(),
            "total_expenses": nothing(), "profit_before_tax": compared(12433.00, 10361.00, 20.00.into()),
            "total_corporation_tax": nothing(), "net_profit": compared(12433.00, 10361.00, 20.00.into())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn period(first: &str, last: &str) -> Period {
        Period { first: date(first), last: date(last) }
    }

    #[test]
    fn whole_months_are_compared_with_as_many_months_before_and_other_periods_with_as_many_days() {
        for (first, last, start, end) in [
            ("2024-02-01", "2024-02-29", "2024-01-01", "2024-01-31"),
            ("2025-03-01", "2025-03-31", "2025-02-01", "2025-02-28"),
            ("2025-01-01", "2025-03-31", "2024-10-01", "2024-12-31"),
            ("2025-01-01", "2025-12-31", "2024-01-01", "2024-12-31"),
            ("2025-02-01", "2025-02-27", "2025-01-05", "2025-01-31"),
            ("2025-04-06", "2025-05-05", "2025-03-07", "2025-04-05"),
            ("2025-03-01", "2025-03-01", "2025-02-28", "2025-02-28"),
        ] {
            let compared = ComparedPeriods::with_period_before(period(first, last));
            assert_eq!((compared.compare_start, compared.compare_end), (date(start), date(end)), "{first} to {last}");
        }
    }

    #[test]
    fn a_year_earlier_is_the_same_days() {
        for (first, last, start, end) in [
            ("2025-01-01", "2025-03-31", "2024-01-01", "2024-03-31"),
            ("2024-02-01", "2024-02-29", "2023-02-01", "2023-02-28"),
            ("2025-02-28", "2025-02-28", "2024-02-28", "2024-02-28"),
        ] {
            let compared = ComparedPeriods::with_year_before(period(first, last));
            assert_eq!((compared.compare_start, compared.compare_end), (date(start), date(end)), "{first} to {last}");
        }
    }

    #[test]
    fn a_change_is_in_percent_of_the_magnitude_before() {
        for (current, previous, percent) in [
            (15_000, 10_000, Some("50.00")),
            (0, 10_000, Some("-100.00")),
            (10_000, -10_000, Some("200.00")),
            (1, 3, Some("-66.67")),
            (2, 3, Some("-33.33")),
            (5, 0, None),
            (0, 0, None),
        ] {
            let compared = Compared::new(Pence(current), Pence(previous));
            let printed = compared.change_percent.map(|percent| serde_json::to_string(&percent).unwrap());
            assert_eq!(printed.as_deref(), percent, "{current} after {previous}");
        }
    }
}

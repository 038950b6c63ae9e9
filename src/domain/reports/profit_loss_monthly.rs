//! The profit and loss account month by month.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::account_balances::{
    AccountBalances, AccountRows, Transactions, account_columns, account_row, transactions_example,
};
use super::profit_loss::{ProfitLossTotals, Section, profit_loss_rows};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::{Period, ReportDays};
use crate::domain::date::{Date, Month};
use crate::domain::ids::Id;
use crate::domain::ledger::money::{Money, Pence};

/// A period of at most [`ProfitLossMonthly::MONTHS_MAX`] months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MonthlyPeriod {
    /// The first and the last day.
    #[serde(flatten)]
    pub period: Period,
}

impl ReportDays for MonthlyPeriod {
    fn days(self) -> Vec<Date> {
        self.period.days()
    }

    fn last(self) -> Date {
        self.period.last
    }

    fn caption(self) -> String {
        self.period.caption()
    }
}

/// What was earned and spent in each month of a period.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct ProfitLossMonthly {
    /// The months; the first and the last may be parts of months.
    pub months: Vec<ProfitLossMonth>,
    /// By section, then by account code.
    pub rows: Vec<ProfitLossMonthlyRow>,
    /// Of the whole period: those of `profit-loss`.
    pub totals: ProfitLossSummary,
}

/// A month, clipped to the period, and its totals.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfitLossMonth {
    /// `YYYY-MM`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$")]
    pub month: String,
    /// The first day of it that counts.
    pub period_start: Date,
    /// The last day of it that counts.
    pub period_end: Date,
    /// Revenue without other income.
    pub total_revenue: Money,
    /// Cost of sales.
    pub total_cost_of_sales: Money,
    /// Revenue less cost of sales.
    pub gross_profit: Money,
    /// Other income.
    pub total_other_income: Money,
    /// Expenses.
    pub total_expenses: Money,
    /// Gross profit and other income, less expenses.
    pub profit_before_tax: Money,
    /// Corporation tax.
    pub total_corporation_tax: Money,
    /// Profit before tax, less corporation tax.
    pub net_profit: Money,
}

/// The eight totals of a profit and loss account.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfitLossSummary {
    /// Revenue without other income.
    pub total_revenue: Money,
    /// Cost of sales.
    pub total_cost_of_sales: Money,
    /// Revenue less cost of sales.
    pub gross_profit: Money,
    /// Other income.
    pub total_other_income: Money,
    /// Expenses.
    pub total_expenses: Money,
    /// Gross profit and other income, less expenses.
    pub profit_before_tax: Money,
    /// Corporation tax.
    pub total_corporation_tax: Money,
    /// Profit before tax, less corporation tax.
    pub net_profit: Money,
}

/// An account with its figure of each month.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfitLossMonthlyRow {
    /// The account.
    pub account_id: Id,
    /// What people call it today.
    pub code: String,
    /// Its name today.
    pub name: String,
    /// Where it stands in the profit and loss account.
    #[schema(schema_with = section)]
    pub section: &'static str,
    /// One for each month, in the direction of the section.
    pub amounts: Vec<Money>,
    /// Their sum.
    pub total: Money,
    /// The lines behind the total.
    pub transactions: Transactions,
}

/// The schema of the section of an account.
pub(super) fn section() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Section::ALL.map(Section::as_str)))
}

impl ProfitLossMonthly {
    /// The most months of a report, parts of months among them.
    pub const MONTHS_MAX: i64 = 60;

    /// How many months a period touches.
    pub fn months(period: Period) -> i64 {
        Month::of(period.last).0 - Month::of(period.first).0 + 1
    }

    /// The ends of the day before the period, of its months, and of its last day.
    pub fn days(MonthlyPeriod { period }: MonthlyPeriod) -> Vec<Date> {
        let months = Month::of(period.first).0..Month::of(period.last).0;
        let ends = months.map(|month| Month(month).last_day());
        std::iter::once(period.first - 1).chain(ends).chain([period.last]).collect()
    }

    /// The profit and loss account of each month, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, MonthlyPeriod { period }: MonthlyPeriod) -> Self {
        let last = rows.days.len().saturating_sub(1);
        Self {
            months: (0..last).map(|at| month(rows, at)).collect(),
            rows: Section::ALL.into_iter().flat_map(|section| rows_of(rows, section, period)).collect(),
            totals: ProfitLossTotals::between(rows, 0, last).into(),
        }
    }
}

impl Tabulated<MonthlyPeriod> for ProfitLossMonthly {
    fn tables(&self, _: MonthlyPeriod) -> ReportTables {
        let of_section = |section: Section| -> Vec<ReportRow> {
            self.rows.iter().filter(|row| row.section == section.as_str()).map(ProfitLossMonthlyRow::row).collect()
        };
        let mut totals = [const { Vec::new() }; 8];
        let months = self.months.iter().map(ProfitLossMonth::totals).chain([self.totals.totals()]);
        for month in months {
            for (cells, total) in totals.iter_mut().zip(month) {
                cells.push(ReportCell::from(total));
            }
        }
        let month = |month: &ProfitLossMonth| ReportColumn {
            key: month.month.clone().into(),
            ..ReportColumn::figure("", &Month::of(month.period_end).written_out())
        };
        let figures = self.months.iter().map(month).chain([ReportColumn::figure("total", "Total")]);
        let columns = account_columns(figures.collect());
        ReportTables::of(vec![ReportPart::new(columns, profit_loss_rows(of_section, totals))])
    }
}

impl ProfitLossMonthlyRow {
    fn row(&self) -> ReportRow {
        let figures = self.amounts.iter().copied().chain([self.total]).map(ReportCell::from).collect();
        account_row(self.section, (self.account_id, self.code.as_str(), &self.name), figures, self.transactions)
    }
}

impl ProfitLossMonth {
    fn totals(&self) -> [Money; 8] {
        [
            self.total_revenue,
            self.total_cost_of_sales,
            self.gross_profit,
            self.total_other_income,
            self.total_expenses,
            self.profit_before_tax,
            self.total_corporation_tax,
            self.net_profit,
        ]
    }
}

impl ProfitLossSummary {
    fn totals(&self) -> [Money; 8] {
        [
            self.total_revenue,
            self.total_cost_of_sales,
            self.gross_profit,
            self.total_other_income,
            self.total_expenses,
            self.profit_before_tax,
            self.total_corporation_tax,
            self.net_profit,
        ]
    }
}

/// The month between one of the requested days and the next.
fn month(rows: &AccountRows, at: usize) -> ProfitLossMonth {
    let totals = ProfitLossTotals::between(rows, at, at + 1);
    ProfitLossMonth {
        month: Month::of(rows.day(at + 1)).to_string(),
        period_start: rows.day(at) + 1,
        period_end: rows.day(at + 1),
        total_revenue: totals.revenue.into(),
        total_cost_of_sales: totals.cost_of_sales.into(),
        gross_profit: totals.gross_profit().into(),
        total_other_income: totals.other_income.into(),
        total_expenses: totals.expenses.into(),
        profit_before_tax: totals.profit_before_tax().into(),
        total_corporation_tax: totals.corporation_tax.into(),
        net_profit: totals.net_profit().into(),
    }
}

impl From<ProfitLossTotals> for ProfitLossSummary {
    fn from(totals: ProfitLossTotals) -> Self {
        Self {
            total_revenue: totals.revenue.into(),
            total_cost_of_sales: totals.cost_of_sales.into(),
            gross_profit: totals.gross_profit().into(),
            total_other_income: totals.other_income.into(),
            total_expenses: totals.expenses.into(),
            profit_before_tax: totals.profit_before_tax().into(),
            total_corporation_tax: totals.corporation_tax.into(),
            net_profit: totals.net_profit().into(),
        }
    }
}

fn rows_of(rows: &AccountRows, section: Section, period: Period) -> Vec<ProfitLossMonthlyRow> {
    let accounts = rows.accounts.iter().filter(|account| Section::of(account) == Some(section));
    accounts.filter_map(|account| row(rows, account, section, period)).collect()
}

/// The row of an account; none when no month has a figure.
fn row(
    rows: &AccountRows,
    account: &AccountBalances,
    section: Section,
    period: Period,
) -> Option<ProfitLossMonthlyRow> {
    let last = rows.days.len().saturating_sub(1);
    let amounts: Vec<Pence> = (0..last).map(|at| account.in_direction(account.movement(at, at + 1))).collect();
    amounts.iter().any(|amount| !amount.is_zero()).then(|| ProfitLossMonthlyRow {
        account_id: Id(account.account_id),
        code: account.code.clone(),
        name: account.name.clone(),
        section: section.as_str(),
        total: amounts.iter().copied().sum::<Pence>().into(),
        amounts: amounts.into_iter().map(Money::from).collect(),
        transactions: rows.transactions(account, Some(period.first), period.last),
    })
}

fn example() -> Value {
    let totals = |revenue: f64, expenses: f64, profit: f64| {
        json!({
            "total_revenue": revenue, "total_cost_of_sales": 0.00, "gross_profit": revenue, "total_other_income": 0.00,
            "total_expenses": expenses, "profit_before_tax": profit, "total_corporation_tax": 0.00, "net_profit": profit
        })
    };
    let month = |month: &str, start: &str, end: &str, totals: Value| {
        let mut object = json!({ "month": month, "period_start": start, "period_end": end });
        if let (Some(object), Value::Object(totals)) = (object.as_object_mut(), totals) {
            object.extend(totals);
        }
        object
    };
    let row = |account_id: i64, code: &str, name: &str, section: &str, amounts: [f64; 2], total: f64| {
        json!({
            "account_id": account_id, "code": code, "name": name, "section": section, "amounts": amounts, "total": total,
            "transactions": transactions_example(account_id, "date_from=2026-02-01&date_to=2026-03-15")
        })
    };
    json!({
        "months": [
            month("2026-02", "2026-02-01", "2026-02-28", totals(3100.00, 845.00, 2255.00)),
            month("2026-03", "2026-03-01", "2026-03-15", totals(1480.00, 845.00, 635.00))
        ],
        "rows": [
            row(16, "4000", "Sales", "revenue", [3100.00, 1480.00], 4580.00),
            row(30, "7200", "Rent", "expenses", [800.00, 800.00], 1600.00),
            row(33, "7500", "Telephone and internet", "expenses", [45.00, 45.00], 90.00)
        ],
        "totals": totals(4580.00, 1690.00, 2890.00)
    })
}

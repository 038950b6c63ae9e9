//! The profit and loss account, in the layout of UK accounts: other income below gross profit, corporation tax below profit
//! before tax.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Period;
use super::account_balances::{
    AccountAmount, AccountBalances, AccountRows, account_columns, account_total, transactions_example,
};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::money::{Money, Pence};

/// What was earned and spent in a period.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct ProfitLoss {
    /// Accounts of type `REVENUE`, but for other income.
    pub revenue: Vec<AccountAmount>,
    /// Role `cost_of_sales`.
    pub cost_of_sales: Vec<AccountAmount>,
    /// Role `other_income`.
    pub other_income: Vec<AccountAmount>,
    /// The other accounts of type `EXPENSE`.
    pub expenses: Vec<AccountAmount>,
    /// Role `corporation_tax`.
    pub corporation_tax: Vec<AccountAmount>,
    /// Of the section.
    pub total_revenue: Money,
    /// Of the section.
    pub total_cost_of_sales: Money,
    /// Revenue less cost of sales.
    pub gross_profit: Money,
    /// Of the section.
    pub total_other_income: Money,
    /// Of the section.
    pub total_expenses: Money,
    /// Gross profit and other income, less expenses.
    pub profit_before_tax: Money,
    /// Of the section.
    pub total_corporation_tax: Money,
    /// Profit before tax, less corporation tax.
    pub net_profit: Money,
}

/// A section of the profit and loss account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Section {
    Revenue,
    CostOfSales,
    OtherIncome,
    Expenses,
    CorporationTax,
}

impl Section {
    /// Every section, in the order of the report.
    pub(crate) const ALL: [Self; 5] =
        [Self::Revenue, Self::CostOfSales, Self::OtherIncome, Self::Expenses, Self::CorporationTax];

    /// The section of an account; none of an account of the balance sheet.
    pub(crate) fn of(account: &AccountBalances) -> Option<Self> {
        match (account.account_type, &account.role) {
            (AccountType::Revenue, Some(Role::OtherIncome)) => Some(Self::OtherIncome),
            (AccountType::Revenue, _) => Some(Self::Revenue),
            (AccountType::Expense, Some(Role::CostOfSales)) => Some(Self::CostOfSales),
            (AccountType::Expense, Some(Role::CorporationTax)) => Some(Self::CorporationTax),
            (AccountType::Expense, _) => Some(Self::Expenses),
            _ => None,
        }
    }

    /// The word of the API.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Revenue => "revenue",
            Self::CostOfSales => "cost_of_sales",
            Self::OtherIncome => "other_income",
            Self::Expenses => "expenses",
            Self::CorporationTax => "corporation_tax",
        }
    }
}

/// The totals of the sections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProfitLossTotals {
    pub(crate) revenue: Pence,
    pub(crate) cost_of_sales: Pence,
    pub(crate) other_income: Pence,
    pub(crate) expenses: Pence,
    pub(crate) corporation_tax: Pence,
}

impl ProfitLossTotals {
    /// The totals between two of the requested days.
    pub(crate) fn between(rows: &AccountRows, from: usize, to: usize) -> Self {
        let mut totals = Self::default();
        for account in &rows.accounts {
            if let Some(section) = Section::of(account) {
                totals.add(section, account.in_direction(account.movement(from, to)));
            }
        }
        totals
    }

    /// Adds an amount to a section.
    pub(crate) fn add(&mut self, section: Section, amount: Pence) {
        *match section {
            Section::Revenue => &mut self.revenue,
            Section::CostOfSales => &mut self.cost_of_sales,
            Section::OtherIncome => &mut self.other_income,
            Section::Expenses => &mut self.expenses,
            Section::CorporationTax => &mut self.corporation_tax,
        } += amount;
    }

    pub(crate) fn gross_profit(&self) -> Pence {
        self.revenue - self.cost_of_sales
    }

    pub(crate) fn profit_before_tax(&self) -> Pence {
        self.gross_profit() + self.other_income - self.expenses
    }

    pub(crate) fn net_profit(&self) -> Pence {
        self.profit_before_tax() - self.corporation_tax
    }
}

impl ProfitLoss {
    /// The ends of the day before the period and of its last day.
    pub fn days(period: Period) -> Vec<Date> {
        vec![period.first - 1, period.last]
    }

    /// The profit and loss account of a period, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, period: Period) -> Self {
        let section = |section: Section| -> Vec<AccountAmount> {
            let accounts = rows.accounts.iter().filter(|account| Section::of(account) == Some(section));
            accounts.filter_map(|account| row(rows, account, period)).collect()
        };
        let totals = ProfitLossTotals::between(rows, 0, 1);
        Self {
            revenue: section(Section::Revenue),
            cost_of_sales: section(Section::CostOfSales),
            other_income: section(Section::OtherIncome),
            expenses: section(Section::Expenses),
            corporation_tax: section(Section::CorporationTax),
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

/// What stands in a profit and loss account one below the other.
enum Step {
    /// A section under its heading.
    Rows(Section, &'static str),
    /// A total by its name in the API and on paper.
    Total(&'static str, &'static str),
}

const LAYOUT: [Step; 13] = [
    Step::Rows(Section::Revenue, "Revenue"),
    Step::Total("total_revenue", "Total revenue"),
    Step::Rows(Section::CostOfSales, "Cost of sales"),
    Step::Total("total_cost_of_sales", "Total cost of sales"),
    Step::Total("gross_profit", "Gross profit"),
    Step::Rows(Section::OtherIncome, "Other income"),
    Step::Total("total_other_income", "Total other income"),
    Step::Rows(Section::Expenses, "Expenses"),
    Step::Total("total_expenses", "Total expenses"),
    Step::Total("profit_before_tax", "Profit before tax"),
    Step::Rows(Section::CorporationTax, "Corporation tax"),
    Step::Total("total_corporation_tax", "Total corporation tax"),
    Step::Total("net_profit", "Net profit"),
];

/// The rows of a profit and loss account: each section with its rows and its total, and what is left after them. The cells
/// are those of the eight totals, in the order of the report.
pub(super) fn profit_loss_rows(
    section: impl Fn(Section) -> Vec<ReportRow>,
    totals: [Vec<ReportCell>; 8],
) -> Vec<ReportRow> {
    let mut rows = Vec::new();
    let mut totals = totals.into_iter();
    for step in LAYOUT {
        match step {
            Step::Rows(of, heading) => push_section(&mut rows, heading, section(of)),
            Step::Total(key, name) => rows.push(account_total(key, name, totals.next().unwrap_or_default())),
        }
    }
    rows
}

/// Adds rows below their heading; without rows there is none.
pub(super) fn push_section(rows: &mut Vec<ReportRow>, heading: &str, of_section: Vec<ReportRow>) {
    if !of_section.is_empty() {
        rows.push(ReportRow::heading(heading));
        rows.extend(of_section);
    }
}

impl Tabulated<Period> for ProfitLoss {
    fn tables(&self, _: Period) -> ReportTables {
        let section = |section: Section| {
            let accounts = match section {
                Section::Revenue => &self.revenue,
                Section::CostOfSales => &self.cost_of_sales,
                Section::OtherIncome => &self.other_income,
                Section::Expenses => &self.expenses,
                Section::CorporationTax => &self.corporation_tax,
            };
            accounts.iter().map(|account| account.row(section.as_str())).collect()
        };
        let totals = [
            self.total_revenue,
            self.total_cost_of_sales,
            self.gross_profit,
            self.total_other_income,
            self.total_expenses,
            self.profit_before_tax,
            self.total_corporation_tax,
            self.net_profit,
        ];
        let rows = profit_loss_rows(section, totals.map(|total| vec![total.into()]));
        let columns = account_columns(vec![ReportColumn::figure("amount", "Amount")]);
        ReportTables::of(vec![ReportPart::new(columns, rows)])
    }
}

/// The row of an account; none when nothing moved.
fn row(rows: &AccountRows, account: &AccountBalances, period: Period) -> Option<AccountAmount> {
    let amount = account.in_direction(account.movement(0, 1));
    (!amount.is_zero()).then(|| AccountAmount {
        account_id: Id(account.account_id),
        code: account.code.clone(),
        name: account.name.clone(),
        amount: amount.into(),
        transactions: rows.transactions(account, Some(period.first), period.last),
    })
}

fn example() -> Value {
    let row = |account_id: i64, code: &str, name: &str, amount: f64| {
        json!({
            "account_id": account_id, "code": code, "name": name, "amount": amount,
            "transactions": transactions_example(account_id, "date_from=2026-01-01&date_to=2026-03-31")
        })
    };
    json!({
        "revenue": [row(16, "4000", "Sales", 12433.00)],
        "cost_of_sales": [row(21, "5000", "Materials", 4120.50)],
        "other_income": [row(19, "4900", "Other income", 310.00)],
        "expenses": [row(30, "7200", "Rent", 2400.00), row(33, "7500", "Telephone and internet", 135.00)],
        "corporation_tax": [],
        "total_revenue": 12433.00, "total_cost_of_sales": 4120.50, "gross_profit": 8312.50, "total_other_income": 310.00,
        "total_expenses": 2535.00, "profit_before_tax": 6087.50, "total_corporation_tax": 0.00, "net_profit": 6087.50
    })
}

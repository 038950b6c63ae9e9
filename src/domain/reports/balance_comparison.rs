//! The balance sheets of two days side by side.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::ReportDays;
use super::account_balances::{
    AccountBalances, AccountRows, Transactions, account_columns, account_row, account_total, transactions_example,
};
use super::balance_sheet::{Position, RETAINED_EARNINGS, type_of};
use super::period_comparison::Compared;
use super::profit_loss::push_section;
use super::table::{ReportCell, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::chart::AccountType;
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::{Money, Pence, Percentage};

/// Two days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparedDays {
    /// The day asked for.
    pub as_of: Date,
    /// The day it is compared with.
    pub compare_as_of: Date,
}

impl ReportDays for ComparedDays {
    fn days(self) -> Vec<Date> {
        vec![self.as_of]
    }

    fn last(self) -> Date {
        self.as_of
    }

    fn caption(self) -> String {
        format!("At {}, compared with {}", self.as_of.written_out(), self.compare_as_of.written_out())
    }
}

/// The balance sheets of two days side by side.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct BalanceComparison {
    /// By section, then by account code.
    pub rows: Vec<BalanceComparisonRow>,
    /// The profit of the financial year so far, of each day's own year.
    pub current_year_earnings: Compared,
    /// What remains for the owners.
    pub net_assets: Compared,
}

/// An account with its balances on both days.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BalanceComparisonRow {
    /// Where it stands on the balance sheet.
    #[schema(schema_with = section)]
    pub section: &'static str,
    /// Null where the profit of earlier years has no account with the role `retained_earnings`.
    #[schema(required)]
    pub account_id: Option<Id>,
    /// What people call it today; null with `account_id`.
    #[schema(required)]
    pub code: Option<String>,
    /// Its name today.
    pub name: String,
    /// On the day asked for, in the direction of the section.
    pub current: Money,
    /// On the day it is compared with.
    pub previous: Money,
    /// Current less previous.
    pub change: Money,
    /// The change in percent of the magnitude of `previous`, with two decimals; null where that is 0.
    #[schema(required)]
    pub change_percent: Option<Percentage>,
    /// The lines behind `current`; null with `account_id`.
    #[schema(required)]
    pub transactions: Option<Transactions>,
}

/// The sections of the balance sheet, in its order.
const SECTIONS: [(AccountType, &str); 4] = [
    (AccountType::Asset, "assets"),
    (AccountType::Liability, "liabilities"),
    (AccountType::Suspense, "suspense"),
    (AccountType::Equity, "equity"),
];

fn section() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(SECTIONS.map(|(_, word)| word)))
}

impl BalanceComparison {
    /// Of each day, the last day of the financial year before, and the day.
    pub fn days(years: &FinancialYears, days: ComparedDays) -> Vec<Date> {
        [days.as_of, days.compare_as_of].into_iter().flat_map(|date| [years.year_of(date).first - 1, date]).collect()
    }

    /// The comparison, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, days: ComparedDays) -> Self {
        let (current, previous) = (Position::at(rows, 0, 1), Position::at(rows, 2, 3));
        let balances = (current.by_account(), previous.by_account());
        Self {
            rows: SECTIONS.into_iter().flat_map(|section| rows_of(rows, section, &balances, days)).collect(),
            current_year_earnings: Compared::new(current.current_year_earnings, previous.current_year_earnings),
            net_assets: Compared::new(current.net_assets(), previous.net_assets()),
        }
    }
}

impl Tabulated<ComparedDays> for BalanceComparison {
    fn tables(&self, _: ComparedDays) -> ReportTables {
        let mut rows = Vec::new();
        for (account_type, section) in SECTIONS {
            let of_section = self.rows.iter().filter(|row| row.section == section);
            let heading = match account_type {
                AccountType::Asset => "Assets",
                AccountType::Liability => "Liabilities",
                AccountType::Suspense => "Suspense",
                // What is left of the sections before is what the last is about.
                _ => {
                    rows.push(account_total("net_assets", "Net assets", self.net_assets.cells()));
                    "Equity"
                }
            };
            push_section(&mut rows, heading, of_section.map(BalanceComparisonRow::row).collect());
        }
        let nobody = (ReportCell::Empty, ReportCell::Empty, "Profit of the year so far");
        let earnings = self.current_year_earnings.cells();
        rows.push(account_row("current_year_earnings", nobody, earnings, ReportCell::Empty));
        ReportTables::of(vec![ReportPart::new(account_columns(Compared::columns()), rows)])
    }
}

impl BalanceComparisonRow {
    fn row(&self) -> ReportRow {
        let Self { current, previous, change, change_percent, .. } = *self;
        let figures = Compared { current, previous, change, change_percent }.cells();
        account_row(self.section, (self.account_id, self.code.as_deref(), &self.name), figures, self.transactions)
    }
}

/// Debits less credits by account.
type BalancesByAccount = HashMap<Option<i64>, Pence>;

fn rows_of(
    rows: &AccountRows,
    (account_type, section): (AccountType, &'static str),
    (current, previous): &(BalancesByAccount, BalancesByAccount),
    days: ComparedDays,
) -> Vec<BalanceComparisonRow> {
    let signed = |balance: Pence| if account_type.is_debit() { balance } else { -balance };
    // Both positions hold the same accounts; one may have a profit of earlier years without an account, and the other not.
    let accounts = rows.accounts.iter().map(Some).chain([None]).filter(|account| type_of(*account) == account_type);
    let figure = |balances: &BalancesByAccount, account: Option<&AccountBalances>| {
        balances.get(&account.map(|one| one.account_id)).copied().unwrap_or_default()
    };
    let figures = accounts.map(|account| (account, figure(current, account), figure(previous, account)));
    let row = |(account, current, previous): (Option<&AccountBalances>, Pence, Pence)| {
        let Compared { current, previous, change, change_percent } = Compared::new(signed(current), signed(previous));
        BalanceComparisonRow {
            section,
            account_id: account.map(|account| Id(account.account_id)),
            code: account.map(|account| account.code.clone()),
            name: account.map_or_else(|| RETAINED_EARNINGS.to_owned(), |account| account.name.clone()),
            current,
            previous,
            change,
            change_percent,
            transactions: account.map(|account| rows.transactions(account, None, days.as_of)),
        }
    };
    figures.filter(|(_, current, previous)| !current.is_zero() || !previous.is_zero()).map(row).collect()
}

fn example() -> Value {
    json!({
        "rows": [{
            "section": "assets", "account_id": 10, "code": "1200", "name": "Current account",
            "current": 7120.46, "previous": 5696.37, "change": 1424.09, "change_percent": 25.00,
            "transactions": transactions_example(10, "date_to=2026-03-31")
        }],
        "current_year_earnings": { "current": 220.46, "previous": 0.00, "change": 220.46, "change_percent": null },
        "net_assets": { "current": 7120.46, "previous": 5696.37, "change": 1424.09, "change_percent": 25.00 }
    })
}

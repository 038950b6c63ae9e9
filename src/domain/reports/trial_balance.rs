//! The trial balance: every account with its balance on the side where it stands.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::AsOf;
use super::account_balances::{
    AccountBalances, AccountRows, Transactions, account_columns, account_row, account_total, transactions_example,
};
use super::balance_sheet::{Position, RETAINED_EARNINGS};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::chart::{AccountType, natural_order};
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::{Money, Pence};

/// The balances of all accounts at the end of a day.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct TrialBalance {
    /// By account code. Income and expenses since the first day of the financial year; earlier years are in retained earnings.
    pub rows: Vec<TrialBalanceRow>,
    /// The same as `total_credit`.
    pub total_debit: Money,
    /// The same as `total_debit`.
    pub total_credit: Money,
    /// The first day of the financial year.
    pub financial_year_start: Date,
}

/// An account of the trial balance.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TrialBalanceRow {
    /// Null where the profit of earlier years has no account with the role `retained_earnings`.
    #[schema(required)]
    pub account_id: Option<Id>,
    /// Null with `account_id`.
    #[schema(required)]
    pub code: Option<String>,
    /// Its name today.
    pub name: String,
    /// Its type.
    #[schema(schema_with = account_type)]
    pub account_type: &'static str,
    /// 0.00 when it stands on the other side.
    pub debit: Money,
    /// 0.00 when it stands on the other side.
    pub credit: Money,
    /// The lines behind it; null with `account_id`.
    #[schema(required)]
    pub transactions: Option<Transactions>,
}

fn account_type() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(AccountType::ALL.map(AccountType::as_str)))
}

impl TrialBalance {
    /// The last day of the financial year before, and the day.
    pub fn days(years: &FinancialYears, as_of: AsOf) -> Vec<Date> {
        vec![years.year_of(as_of.date).first - 1, as_of.date]
    }

    /// The trial balance, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, AsOf { date }: AsOf) -> Self {
        let financial_year_start = rows.day(0) + 1;
        let nominal = rows.accounts.iter().filter(|account| account.account_type.is_profit_and_loss());
        let nominal = nominal.map(|account| (Some(account), account.movement(0, 1)));
        let mut balances: Vec<_> = Position::at(rows, 0, 1).balances;
        balances.extend(nominal);
        balances.retain(|(_, balance)| !balance.is_zero());
        // The profit of earlier years without an account stays last.
        balances.sort_by(|(one, _), (other, _)| match (one, other) {
            (Some(one), Some(other)) => natural_order(&one.code, &other.code),
            _ => one.is_none().cmp(&other.is_none()),
        });
        let row = |(account, balance): (Option<&AccountBalances>, Pence)| {
            let is_nominal = account.is_some_and(|account| account.account_type.is_profit_and_loss());
            TrialBalanceRow {
                account_id: account.map(|account| Id(account.account_id)),
                code: account.map(|account| account.code.clone()),
                name: account.map_or_else(|| RETAINED_EARNINGS.to_owned(), |account| account.name.clone()),
                account_type: account.map_or(AccountType::Equity, |account| account.account_type).as_str(),
                debit: balance.max(Pence::ZERO).into(),
                credit: (-balance).max(Pence::ZERO).into(),
                transactions: account
                    .map(|account| rows.transactions(account, is_nominal.then_some(financial_year_start), date)),
            }
        };
        let rows: Vec<_> = balances.into_iter().map(row).collect();
        Self {
            total_debit: Money(rows.iter().map(|row| row.debit.0).sum()),
            total_credit: Money(rows.iter().map(|row| row.credit.0).sum()),
            financial_year_start,
            rows,
        }
    }
}

impl Tabulated<AsOf> for TrialBalance {
    fn tables(&self, _: AsOf) -> ReportTables {
        let side = |amount: Money| ReportCell::Side(Pence(amount.0));
        let row = |row: &TrialBalanceRow| {
            let figures = vec![ReportCell::Word(row.account_type), side(row.debit), side(row.credit)];
            account_row("rows", (row.account_id, row.code.as_deref(), &row.name), figures, row.transactions)
        };
        let totals = vec![ReportCell::Empty, self.total_debit.into(), self.total_credit.into()];
        let rows = self.rows.iter().map(row).chain([account_total("totals", "Total", totals)]).collect();
        let columns = account_columns(vec![
            ReportColumn::mark("account_type", "Type"),
            ReportColumn::figure("debit", "Debit"),
            ReportColumn::figure("credit", "Credit"),
        ]);
        let year = format!("Income and expenses count from {}.", self.financial_year_start.written_out());
        ReportTables { notes: vec![year], ..ReportTables::of(vec![ReportPart::new(columns, rows)]) }
    }
}

fn example() -> Value {
    json!({
        "rows": [
            {
                "account_id": 10, "code": "1200", "name": "Current account", "account_type": "ASSET",
                "debit": 6187.50, "credit": 0.00, "transactions": transactions_example(10, "date_to=2026-03-31")
            },
            {
                "account_id": 24, "code": "3000", "name": "Share capital", "account_type": "EQUITY",
                "debit": 0.00, "credit": 100.00, "transactions": transactions_example(24, "date_to=2026-03-31")
            },
            {
                "account_id": 16, "code": "4000", "name": "Sales", "account_type": "REVENUE",
                "debit": 0.00, "credit": 12433.00,
                "transactions": transactions_example(16, "date_from=2026-01-01&date_to=2026-03-31")
            },
            {
                "account_id": 21, "code": "5000", "name": "Materials", "account_type": "EXPENSE",
                "debit": 6345.50, "credit": 0.00,
                "transactions": transactions_example(21, "date_from=2026-01-01&date_to=2026-03-31")
            }
        ],
        "total_debit": 12533.00, "total_credit": 12533.00, "financial_year_start": "2026-01-01"
    })
}

//! The balance sheet, in the layout of UK accounts: fixed and current assets, less what is owed within a year and later, are
//! what belongs to the owners.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::AsOf;
use super::account_balances::{
    AccountBalances, AccountRows, Transactions, account_columns, account_row, account_total, transactions_example,
};
use super::profit_loss::{ProfitLossTotals, push_section};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::{Money, Pence};

/// What there is and what is owed at the end of a day.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct BalanceSheet {
    /// Accounts of type `ASSET`.
    pub assets: Vec<BalanceSheetRow>,
    /// Accounts of type `LIABILITY`.
    pub liabilities: Vec<BalanceSheetRow>,
    /// Accounts of type `SUSPENSE`, debits as positive.
    pub suspense: Vec<BalanceSheetRow>,
    /// Accounts of type `EQUITY`, with the profit of earlier financial years in retained earnings.
    pub equity: Vec<BalanceSheetRow>,
    /// The balance of the retained earnings account and the profit of all earlier financial years.
    pub retained_earnings_brought_forward: Money,
    /// The profit of this financial year so far.
    pub current_year_earnings: Money,
    /// Of the section.
    pub total_assets: Money,
    /// Of the section.
    pub total_liabilities: Money,
    /// Of the section, debits as positive.
    pub total_suspense: Money,
    /// Of the group.
    pub total_fixed_assets: Money,
    /// Of the group, suspense among it.
    pub total_current_assets: Money,
    /// Of the group.
    pub total_creditors_within_one_year: Money,
    /// Current assets less what is owed within a year.
    pub net_current_assets: Money,
    /// Fixed assets and net current assets.
    pub total_assets_less_current_liabilities: Money,
    /// Of the group.
    pub total_creditors_after_one_year: Money,
    /// What remains for the owners; the same as `total_equity`.
    pub net_assets: Money,
    /// Equity with the earnings of this year.
    pub total_equity: Money,
    /// Whether net assets are the equity: always.
    pub balanced: bool,
    /// The first day of the financial year.
    pub financial_year_start: Date,
}

/// A row of the balance sheet: an account and its balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BalanceSheetRow {
    /// Null where the profit of earlier years has no account with the role `retained_earnings`.
    #[schema(required)]
    pub account_id: Option<Id>,
    /// What people call it today; null with `account_id`.
    #[schema(required)]
    pub code: Option<String>,
    /// Its name today.
    pub name: String,
    /// In the direction of its section.
    pub amount: Money,
    /// Where it stands in UK accounts.
    #[schema(schema_with = group)]
    pub group: &'static str,
    /// The lines behind it; null with `account_id`.
    #[schema(required)]
    pub transactions: Option<Transactions>,
}

/// A group of rows, as UK accounts are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    FixedAssets,
    CurrentAssets,
    CreditorsWithinOneYear,
    CreditorsAfterOneYear,
    CapitalAndReserves,
}

impl Group {
    const ALL: [Self; 5] = [
        Self::FixedAssets,
        Self::CurrentAssets,
        Self::CreditorsWithinOneYear,
        Self::CreditorsAfterOneYear,
        Self::CapitalAndReserves,
    ];

    /// The group of an account of the balance sheet.
    fn of(account: &AccountBalances) -> Option<Self> {
        match (account.account_type, &account.role) {
            (AccountType::Asset, Some(Role::FixedAsset)) => Some(Self::FixedAssets),
            (AccountType::Asset | AccountType::Suspense, _) => Some(Self::CurrentAssets),
            (AccountType::Liability, Some(Role::LongTermLiability)) => Some(Self::CreditorsAfterOneYear),
            (AccountType::Liability, _) => Some(Self::CreditorsWithinOneYear),
            (AccountType::Equity, _) => Some(Self::CapitalAndReserves),
            (AccountType::Revenue | AccountType::Expense, _) => None,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::FixedAssets => "fixed_assets",
            Self::CurrentAssets => "current_assets",
            Self::CreditorsWithinOneYear => "creditors_within_one_year",
            Self::CreditorsAfterOneYear => "creditors_after_one_year",
            Self::CapitalAndReserves => "capital_and_reserves",
        }
    }
}

fn group() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Group::ALL.map(Group::as_str)))
}

/// The name of the profit of earlier years where no account has the role.
pub(super) const RETAINED_EARNINGS: &str = "Retained earnings";

/// The balances of the accounts of the balance sheet on one day, with the profit of earlier years in retained earnings.
pub(super) struct Position<'a> {
    /// By account code; last, without an account, the profit of earlier years that no account takes.
    pub(super) balances: Vec<(Option<&'a AccountBalances>, Pence)>,
    /// The profit of the financial year so far.
    pub(super) current_year_earnings: Pence,
}

impl<'a> Position<'a> {
    /// The position at the requested days with these places: the last day of the financial year before, and the day.
    pub(super) fn at(rows: &'a AccountRows, year_before: usize, day: usize) -> Self {
        // Before the first of all financial years there was nothing.
        let earlier: Pence = rows
            .accounts
            .iter()
            .filter(|one| one.account_type.is_profit_and_loss())
            .map(|one| one.balance(year_before))
            .sum();
        let mut left = earlier;
        let mut balances = Vec::new();
        for account in rows.accounts.iter().filter(|one| !one.account_type.is_profit_and_loss()) {
            let mut balance = account.balance(day);
            if account.has_role(&Role::RetainedEarnings) {
                balance += std::mem::take(&mut left);
            }
            balances.push((Some(account), balance));
        }
        if !left.is_zero() {
            balances.push((None, left));
        }
        let totals = ProfitLossTotals::between(rows, year_before, day);
        Self { balances, current_year_earnings: totals.net_profit() }
    }

    /// Retained earnings: what the account holds and the profit of earlier years.
    fn retained_earnings(&self) -> Pence {
        let of_account =
            |account: Option<&AccountBalances>| account.is_none_or(|one| one.has_role(&Role::RetainedEarnings));
        -self.balances.iter().filter(|(account, _)| of_account(*account)).map(|(_, balance)| *balance).sum::<Pence>()
    }

    /// Debits less credits by account; without one, the profit of earlier years that no account takes.
    pub(super) fn by_account(&self) -> HashMap<Option<i64>, Pence> {
        self.balances.iter().map(|(account, balance)| (account.map(|one| one.account_id), *balance)).collect()
    }

    /// The sum of the accounts of a type, in its direction.
    pub(super) fn total(&self, account_type: AccountType) -> Pence {
        let of_type = |account: Option<&AccountBalances>| type_of(account) == account_type;
        let sum: Pence =
            self.balances.iter().filter(|(account, _)| of_type(*account)).map(|(_, balance)| *balance).sum();
        if account_type.is_debit() { sum } else { -sum }
    }

    /// What remains for the owners.
    pub(super) fn net_assets(&self) -> Pence {
        self.total(AccountType::Asset) + self.total(AccountType::Suspense) - self.total(AccountType::Liability)
    }

    fn total_of_group(&self, group: Group) -> Pence {
        let of_group = |account: Option<&AccountBalances>| account.and_then(Group::of) == Some(group);
        self.balances.iter().filter(|(account, _)| of_group(*account)).map(|(_, balance)| *balance).sum()
    }
}

impl Tabulated<AsOf> for BalanceSheet {
    fn tables(&self, _: AsOf) -> ReportTables {
        let mut rows = Vec::new();
        let total = |key, name: &str, amount: Money| account_total(key, name, vec![ReportCell::Empty, amount.into()]);
        push_section(&mut rows, "Fixed assets", self.group(Group::FixedAssets));
        rows.push(total("total_fixed_assets", "Total fixed assets", self.total_fixed_assets));
        push_section(&mut rows, "Current assets", self.group(Group::CurrentAssets));
        rows.push(total("total_current_assets", "Total current assets", self.total_current_assets));
        let within = self.total_creditors_within_one_year;
        push_section(&mut rows, "Creditors due within one year", self.group(Group::CreditorsWithinOneYear));
        rows.push(total("total_creditors_within_one_year", "Total creditors due within one year", within));
        rows.push(total("net_current_assets", "Net current assets", self.net_current_assets));
        let less_current = self.total_assets_less_current_liabilities;
        rows.push(total(
            "total_assets_less_current_liabilities",
            "Total assets less current liabilities",
            less_current,
        ));
        let after = self.total_creditors_after_one_year;
        push_section(&mut rows, "Creditors due after more than one year", self.group(Group::CreditorsAfterOneYear));
        rows.push(total("total_creditors_after_one_year", "Total creditors due after more than one year", after));
        rows.push(total("net_assets", "Net assets", self.net_assets));
        let earnings = vec![ReportCell::Empty, self.current_year_earnings.into()];
        let nobody = (ReportCell::Empty, ReportCell::Empty, "Profit of the year so far");
        let mut capital = self.group(Group::CapitalAndReserves);
        capital.push(account_row("current_year_earnings", nobody, earnings, ReportCell::Empty));
        push_section(&mut rows, "Capital and reserves", capital);
        rows.push(total("total_equity", "Total capital and reserves", self.total_equity));
        let columns = account_columns(vec![ReportColumn::unprinted("group"), ReportColumn::figure("amount", "Amount")]);
        let line = |key, name: &str, amount: Money| ReportRow::line(key, vec![name.into(), amount.into()]);
        let columns_by_type = vec![ReportColumn::text("name", "Total"), ReportColumn::figure("amount", "Amount")];
        let by_type = vec![
            line("total_assets", "Total assets", self.total_assets),
            line("total_liabilities", "Total liabilities", self.total_liabilities),
            line("total_suspense", "Total suspense", self.total_suspense),
            line(
                "retained_earnings_brought_forward",
                "Retained earnings brought forward",
                self.retained_earnings_brought_forward,
            ),
        ];
        let parts =
            vec![ReportPart::new(columns, rows), ReportPart::headed("By type of account", columns_by_type, by_type)];
        let year = format!("The financial year began on {}.", self.financial_year_start.written_out());
        ReportTables { notes: vec![year], ..ReportTables::of(parts) }
    }
}

impl BalanceSheet {
    /// The rows of a group, each under the section that it has in the JSON.
    fn group(&self, group: Group) -> Vec<ReportRow> {
        let sections = [
            ("assets", &self.assets),
            ("liabilities", &self.liabilities),
            ("suspense", &self.suspense),
            ("equity", &self.equity),
        ];
        let rows = sections.into_iter().flat_map(|(section, rows)| rows.iter().map(move |row| (section, row)));
        let of_group = rows.filter(|(_, row)| row.group == group.as_str());
        let printed = |(section, row): (&'static str, &BalanceSheetRow)| {
            let figures = vec![ReportCell::Word(row.group), row.amount.into()];
            account_row(section, (row.account_id, row.code.as_deref(), &row.name), figures, row.transactions)
        };
        of_group.map(printed).collect()
    }
}

/// The type of an account of the balance sheet; retained earnings are equity without an account too.
pub(super) fn type_of(account: Option<&AccountBalances>) -> AccountType {
    account.map_or(AccountType::Equity, |account| account.account_type)
}

impl BalanceSheet {
    /// The last day of the financial year before, and the day.
    pub fn days(years: &FinancialYears, AsOf { date }: AsOf) -> Vec<Date> {
        vec![years.year_of(date).first - 1, date]
    }

    /// The balance sheet, from balances at [`Self::days`].
    pub fn compute(rows: &AccountRows, AsOf { date }: AsOf) -> Self {
        let position = Position::at(rows, 0, 1);
        let section = |account_type| {
            let of_section = position.balances.iter().filter(|(account, _)| type_of(*account) == account_type);
            of_section.filter_map(|(account, balance)| row(rows, *account, *balance, date)).collect()
        };
        let fixed = position.total_of_group(Group::FixedAssets);
        let current = position.total_of_group(Group::CurrentAssets);
        let within = -position.total_of_group(Group::CreditorsWithinOneYear);
        let after = -position.total_of_group(Group::CreditorsAfterOneYear);
        let net_assets = position.net_assets();
        let total_equity = position.total(AccountType::Equity) + position.current_year_earnings;
        Self {
            assets: section(AccountType::Asset),
            liabilities: section(AccountType::Liability),
            suspense: section(AccountType::Suspense),
            equity: section(AccountType::Equity),
            retained_earnings_brought_forward: position.retained_earnings().into(),
            current_year_earnings: position.current_year_earnings.into(),
            total_assets: position.total(AccountType::Asset).into(),
            total_liabilities: position.total(AccountType::Liability).into(),
            total_suspense: position.total(AccountType::Suspense).into(),
            total_fixed_assets: fixed.into(),
            total_current_assets: current.into(),
            total_creditors_within_one_year: within.into(),
            net_current_assets: (current - within).into(),
            total_assets_less_current_liabilities: (fixed + current - within).into(),
            total_creditors_after_one_year: after.into(),
            net_assets: net_assets.into(),
            total_equity: total_equity.into(),
            balanced: net_assets == total_equity,
            financial_year_start: rows.day(0) + 1,
        }
    }
}

/// The row of an account; none when there is nothing on it.
fn row(rows: &AccountRows, account: Option<&AccountBalances>, balance: Pence, date: Date) -> Option<BalanceSheetRow> {
    let amount = if type_of(account).is_debit() { balance } else { -balance };
    (!amount.is_zero()).then(|| BalanceSheetRow {
        account_id: account.map(|account| Id(account.account_id)),
        code: account.map(|account| account.code.clone()),
        name: account.map_or_else(|| RETAINED_EARNINGS.to_owned(), |account| account.name.clone()),
        amount: amount.into(),
        group: account.and_then(Group::of).unwrap_or(Group::CapitalAndReserves).as_str(),
        transactions: account.map(|account| rows.transactions(account, None, date)),
    })
}

fn example() -> Value {
    let row = |account_id: i64, code: &str, name: &str, amount: f64, group: &str| {
        json!({
            "account_id": account_id, "code": code, "name": name, "amount": amount, "group": group,
            "transactions": transactions_example(account_id, "date_to=2026-03-31")
        })
    };
    json!({
        "assets": [
            row(2, "0040", "Plant and machinery", 5200.00, "fixed_assets"),
            row(9, "1100", "Accounts receivable", 3644.04, "current_assets"),
            row(10, "1200", "Current account", 7120.46, "current_assets")
        ],
        "liabilities": [
            row(13, "2100", "Accounts payable", 2214.72, "creditors_within_one_year"),
            row(14, "2200", "VAT Control", 662.28, "creditors_within_one_year")
        ],
        "suspense": [],
        "equity": [
            row(24, "3000", "Share capital", 100.00, "capital_and_reserves"),
            row(26, "3200", "Retained earnings", 6900.00, "capital_and_reserves")
        ],
        "retained_earnings_brought_forward": 6900.00, "current_year_earnings": 6087.50,
        "total_assets": 15964.50, "total_liabilities": 2877.00, "total_suspense": 0.00,
        "total_fixed_assets": 5200.00, "total_current_assets": 10764.50, "total_creditors_within_one_year": 2877.00,
        "net_current_assets": 7887.50, "total_assets_less_current_liabilities": 13087.50,
        "total_creditors_after_one_year": 0.00, "net_assets": 13087.50, "total_equity": 13087.50, "balanced": true,
        "financial_year_start": "2026-01-01"
    })
}

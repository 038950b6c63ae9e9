//! Balances of accounts at the ends of days, which the reports about accounts are computed from, and what these reports print
//! of an account.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::table::{ReportCell, ReportColumn, ReportRow};
use crate::domain::date::Date;
use crate::domain::ids::{Id, OrganisationId};
use crate::domain::ledger::chart::{AccountType, Role, natural_order};
use crate::domain::ledger::money::{Money, Pence};

/// An account with its balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBalances {
    /// Identifier.
    pub account_id: i64,
    /// What people call it.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub account_type: AccountType,
    /// What it does beside holding a balance.
    pub role: Option<Role>,
    /// Debits less credits up to the end of each requested day, in the order of the days.
    pub balances: Vec<Pence>,
}

impl AccountBalances {
    /// Debits less credits up to the end of a requested day, given by its place.
    pub(crate) fn balance(&self, at: usize) -> Pence {
        self.balances.get(at).copied().unwrap_or_default()
    }

    /// Debits less credits after the end of one requested day, up to the end of another.
    pub(crate) fn movement(&self, from: usize, to: usize) -> Pence {
        self.balance(to) - self.balance(from)
    }

    /// Debits less credits, in the direction in which the account grows.
    pub(crate) fn in_direction(&self, balance: Pence) -> Pence {
        if self.account_type.is_debit() { balance } else { -balance }
    }

    /// Whether it has this role.
    pub(crate) fn has_role(&self, role: &Role) -> bool {
        self.role.as_ref() == Some(role)
    }
}

/// The accounts of an organisation with their balances, read in one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRows {
    /// Whose.
    pub organisation_id: OrganisationId,
    /// The requested days.
    pub days: Vec<Date>,
    /// In the natural order of their codes.
    pub accounts: Vec<AccountBalances>,
}

impl AccountRows {
    /// The accounts, put in order.
    pub fn new(organisation_id: OrganisationId, days: Vec<Date>, mut accounts: Vec<AccountBalances>) -> Self {
        accounts.sort_by(|one, other| natural_order(&one.code, &other.code));
        Self { organisation_id, days, accounts }
    }

    /// A requested day, given by its place.
    pub(crate) fn day(&self, at: usize) -> Date {
        self.days.get(at).copied().unwrap_or(Date::MIN)
    }

    /// The general ledger of an account.
    pub(crate) fn transactions(&self, account: &AccountBalances, from: Option<Date>, to: Date) -> Transactions {
        Transactions { organisation_id: self.organisation_id, account_id: account.account_id, from, to }
    }
}

/// The path of the general ledger of an account between two days: the lines that make up a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transactions {
    organisation_id: OrganisationId,
    account_id: i64,
    from: Option<Date>,
    to: Date,
}

impl fmt::Display for Transactions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (organisation, account) = (self.organisation_id.0, self.account_id);
        write!(formatter, "/api/v1/books/organisations/{organisation}/accounts/{account}/transactions?")?;
        if let Some(from) = self.from {
            write!(formatter, "date_from={from}&")?;
        }
        write!(formatter, "date_to={}", self.to)
    }
}

impl From<Transactions> for ReportCell {
    fn from(transactions: Transactions) -> Self {
        Self::Text(transactions.to_string())
    }
}

impl Serialize for Transactions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PartialSchema for Transactions {
    fn schema() -> RefOr<Schema> {
        let description =
            "The path of the general ledger with the dates of the figure; the sum of its lines is the figure.";
        ObjectBuilder::new().schema_type(Type::String).description(Some(description)).into()
    }
}

impl ToSchema for Transactions {}

/// A row of a report: an account and its figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = amount_example)]
pub struct AccountAmount {
    /// The account.
    pub account_id: Id,
    /// What people call it today.
    pub code: String,
    /// Its name today.
    pub name: String,
    /// In the direction of its section.
    pub amount: Money,
    /// The lines behind it.
    pub transactions: Transactions,
}

/// The columns of a table of accounts around those of its figures.
pub(super) fn account_columns(figures: Vec<ReportColumn>) -> Vec<ReportColumn> {
    let account = [
        ReportColumn::unprinted("account_id"),
        ReportColumn::mark("code", "Code"),
        ReportColumn::text("name", "Account"),
    ];
    account.into_iter().chain(figures).chain([ReportColumn::unprinted("transactions")]).collect()
}

/// A row of an account in such a table.
pub(super) fn account_row(
    section: &'static str,
    (account_id, code, name): (impl Into<ReportCell>, impl Into<ReportCell>, &str),
    figures: Vec<ReportCell>,
    transactions: impl Into<ReportCell>,
) -> ReportRow {
    let account = [account_id.into(), code.into(), name.into()];
    ReportRow::line(section, account.into_iter().chain(figures).chain([transactions.into()]).collect())
}

/// A total in such a table.
pub(super) fn account_total(key: &'static str, name: &str, figures: Vec<ReportCell>) -> ReportRow {
    let account = [ReportCell::Empty, ReportCell::Empty, name.into()];
    ReportRow::total(key, account.into_iter().chain(figures).collect())
}

impl AccountAmount {
    /// Its row in a table of accounts.
    pub(super) fn row(&self, section: &'static str) -> ReportRow {
        let account = (self.account_id, self.code.as_str(), self.name.as_str());
        account_row(section, account, vec![self.amount.into()], self.transactions)
    }
}

fn amount_example() -> Value {
    json!({
        "account_id": 16, "code": "4000", "name": "Sales", "amount": 12433.00,
        "transactions": transactions_example(16, "date_from=2026-01-01&date_to=2026-03-31")
    })
}

/// An example of [`Transactions`].
pub(super) fn transactions_example(account_id: i64, days: &str) -> String {
    format!("/api/v1/books/organisations/7/accounts/{account_id}/transactions?{days}")
}

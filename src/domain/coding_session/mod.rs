//! Coding sessions: the workspace in which an agent codes bank lines in several steps. What it holds is stored as the JSON of
//! these types; nothing here reads or writes it.

mod review;
mod run;
mod statement;

use serde::{Deserialize, Serialize};

use super::ids::{CodingSessionId, ConnectionId, JobId, OrganisationId, UserId};
use crate::domain::date::Date;
use crate::domain::ledger::money::Money;

pub use review::{Coding, RECODED, ReviewedLine, near_codes, reviewed, vat_inside};
pub use run::{
    Decisions, MERCHANT_STATEMENT, POLICY_RULE, RunInput, RunReferences, RunResult, decide, is_uncoded, read_payload,
};
pub use statement::{MerchantStatement, Payout, Payouts, RowKind, StatementRow};

/// Credits that a line costs when it is loaded.
pub const CREDITS_PER_LINE: i64 = 4;

/// How long a session lives after it was last used.
pub const LIFE_MS: i64 = 24 * 3_600 * 1_000;

/// Most lines of a session.
pub const LINES_MAX: i64 = 20_000;

/// Most invoices, bills and credit notes of a session.
pub const INVOICES_MAX: usize = 10_000;

/// The bank's own identifier of a line that is entered into the books when it is posted: by it the line is known again.
pub fn external_id(session: &CodingSessionId, line: i64) -> String {
    format!("coding:{}:{line}", session.as_str())
}

/// Where transactions come from and go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// The books of an organisation of this service.
    Books,
    /// A chart of the caller's own; the result is all there is.
    Manual,
}

impl Platform {
    /// The word of the tools.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Books => "books",
            Self::Manual => "manual",
        }
    }
}

/// An account of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionAccount {
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// `INCOME`, `EXPENSE`, `ASSET`, `LIABILITY` or `EQUITY`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A VAT code of the caller's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionVatCode {
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Percent, in hundredths.
    pub rate_hundredths: i64,
}

/// What a session was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDetails {
    /// Where it codes to.
    pub platform: Platform,
    /// The chart; empty for the books, whose chart is read when it is needed.
    pub accounts: Vec<SessionAccount>,
    /// The VAT codes; none means the five universal ones.
    pub vat_codes: Option<Vec<SessionVatCode>>,
    /// What the caller says about the business.
    pub business_context: String,
}

/// Which lines a run decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunScope {
    /// All of them.
    All,
    /// Those without an account, and those left to the fallback.
    Uncoded,
}

impl RunScope {
    /// The word of the tools.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Uncoded => "uncoded",
        }
    }

    /// Reads the word of the tools.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::All, Self::Uncoded].into_iter().find(|scope| scope.as_str() == text)
    }
}

/// A session as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Identifier.
    pub id: CodingSessionId,
    /// The person.
    pub user_id: UserId,
    /// What the person acts by.
    pub connection: ConnectionId,
    /// The organisation whose books it works on.
    pub organisation_id: Option<OrganisationId>,
    /// The first and the last day of the period.
    pub period: (Option<Date>, Option<Date>),
    /// What it was started with.
    pub details: SessionDetails,
    /// How many lines it has.
    pub lines: i64,
    /// The run that has not been taken over: its job, and the lines it decides.
    pub run: Option<(JobId, RunScope)>,
    /// How the last run ended that was taken over: `completed` or `failed`.
    pub run_status: Option<String>,
    /// What the last run warned of.
    pub warnings: Vec<String>,
    /// When it was last used, in milliseconds.
    pub expires_at_ms: i64,
    /// Whether it has ended and what it held is deleted.
    pub is_cleared: bool,
}

/// A bank line in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDetails {
    /// The bank account, as the caller names it.
    pub bank_account: String,
    /// Its day number.
    pub day: i32,
    /// Money in is positive.
    pub amount_pence: i64,
    /// What the bank says of it.
    pub description: String,
    /// Whom a card was used at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merchant: Option<String>,
    /// The payer's reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The trade of the merchant (ISO 18245).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merchant_category_code: Option<String>,
    /// The line of the books that it was loaded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_transaction_id: Option<i64>,
}

impl LineDetails {
    /// Its date.
    pub fn date(&self) -> Date {
        Date::from_day_number(self.day).unwrap_or(Date::MIN)
    }

    /// Whether it is probably the same line as another.
    pub fn repeats(&self, other: &Self) -> bool {
        match (self.bank_transaction_id, other.bank_transaction_id) {
            (Some(one), Some(other)) => one == other,
            _ => {
                (self.day, self.amount_pence) == (other.day, other.amount_pence)
                    && self.description == other.description
                    && self.bank_account == other.bank_account
            }
        }
    }

    /// The texts that rules look in.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        [Some(&self.description), self.merchant.as_ref(), self.reference.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}

/// A part of a line that goes to an account of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The account.
    pub account_code: String,
    /// The VAT code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_code: Option<String>,
    /// With the sign of money.
    pub amount_pence: i64,
}

/// An open item that a line settles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedSettlement {
    /// What names it in the session.
    pub invoice_ref: String,
    /// Its number.
    pub number: String,
    /// How much of it is settled.
    pub amount_pence: i64,
    /// `exact`, `sum`, `part`, `cis_deduction` or `fee_deducted`.
    #[serde(rename = "match")]
    pub kind: String,
}

/// What a run suggests for a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The account.
    pub account_code: String,
    /// The VAT code.
    pub vat_code: String,
    /// The VAT inside the amount.
    pub vat_pence: i64,
    /// Thousandths.
    pub confidence: u16,
    /// How it was decided.
    pub method: String,
    /// One sentence why.
    pub reason: String,
    /// Other accounts with their confidence, best first.
    pub alternatives: Vec<(String, u16)>,
    /// What it settles.
    pub settles: Vec<SuggestedSettlement>,
    /// The line that is the other side of a transfer.
    pub transfer_line: Option<i64>,
    /// The parts of a payout.
    pub splits: Vec<Split>,
}

/// What the caller set for a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recoding {
    /// The account.
    pub account_code: Option<String>,
    /// The VAT code.
    pub vat_code: Option<String>,
    /// The invoice, bill or credit note it settles.
    pub invoice_ref: Option<String>,
    /// The parts.
    pub splits: Vec<Split>,
    /// A note.
    pub note: Option<String>,
}

/// A line with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// Its number in the session, from 1.
    pub line: i64,
    /// The line.
    pub details: LineDetails,
    /// What the last run suggests.
    pub suggestion: Option<Suggestion>,
    /// What the caller set.
    pub recoding: Option<Recoding>,
}

/// A line of the books that was coded before, as the engine learns from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastCoding {
    /// What the bank said, or whose bill it was.
    pub description: String,
    /// The account.
    pub account_code: String,
    /// Its date.
    pub date: Date,
    /// Money in is positive.
    pub amount: Money,
    /// Whom a card was used at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merchant: Option<String>,
    /// The VAT code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_code: Option<String>,
    /// The bank account, as lines to be coded name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_account: Option<String>,
}

/// An open invoice, bill or credit note in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionInvoice {
    /// What it is named by.
    pub invoice_ref: String,
    /// `invoice`, `bill` or `credit_note`.
    pub kind: String,
    /// Its number.
    pub number: String,
    /// The customer or supplier.
    pub contact: String,
    /// Its day number.
    pub day: i32,
    /// The day number of when it is due.
    pub due_day: Option<i32>,
    /// What it came to.
    pub total_pence: Option<i64>,
    /// What is still open.
    pub due_pence: i64,
    /// ISO 4217.
    pub currency: String,
    /// A purchase order number or the like.
    pub reference: Option<String>,
    /// Where a payment goes if the chart has no debtors or creditors.
    pub account_code: Option<String>,
    /// The document of the books that it was fetched from: its kind, itself and its contact.
    pub document: Option<(String, i64, i64)>,
}

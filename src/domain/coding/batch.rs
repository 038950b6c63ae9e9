//! What a caller submits: transactions, the chart, VAT codes, open invoices and words about the business.

use crate::domain::date::Date;
use std::borrow::Cow;

/// Of so many purchases one may be given back.
const MONEY_IN_OF_PURCHASES: usize = 20;

/// A whole submission, in the order it was given.
#[derive(Debug, Clone, Default)]
pub struct Batch<'a> {
    /// The bank transactions to code.
    pub transactions: Vec<Transaction<'a>>,
    /// The caller's chart of accounts; codes are unique.
    pub accounts: Vec<Account<'a>>,
    /// The VAT codes the caller has; none means the five universal ones.
    pub vat_codes: Option<Vec<VatCode<'a>>>,
    /// Open invoices, bills and credit notes; none means that the caller gave no list.
    pub invoices: Option<Vec<Invoice<'a>>>,
    /// What the caller says about the business, perhaps nothing.
    pub business_context: Cow<'a, str>,
    /// Lines the caller coded before, in any order; without any, nothing is learned.
    pub history: Vec<PastLine<'a>>,
}

impl Batch<'_> {
    /// Whether these are purchases alone and nothing says how the caller coded others: no past, no invoices, and hardly a line of
    /// money in, as in lists of payments by card.
    pub fn is_purchases_alone(&self) -> bool {
        let has_invoices = self.invoices.as_ref().is_some_and(|invoices| !invoices.is_empty());
        let money_in = self.transactions.iter().filter(|line| line.amount > 0).count();
        let is_silent = !has_invoices && self.history.is_empty();
        is_silent && money_in.saturating_mul(MONEY_IN_OF_PURCHASES) <= self.transactions.len()
    }
}

/// A bank line of the caller's past, with the account a person gave it.
#[derive(Debug, Clone)]
pub struct PastLine<'a> {
    /// 1 to 500 characters.
    pub description: Cow<'a, str>,
    /// The account it was coded to; one that the chart no longer has teaches nothing.
    pub account_code: Cow<'a, str>,
    /// When it was paid; none is older than any day.
    pub date: Option<Date>,
    /// Units as in [`crate::domain::amount`]; money out is negative, none or zero is of no direction.
    pub amount: Option<i128>,
    /// The merchant as the bank named it.
    pub merchant: Option<Cow<'a, str>>,
    /// The VAT code it was given; one that is not among the caller's teaches nothing.
    pub vat_code: Option<Cow<'a, str>>,
    /// Which of the caller's own accounts it was from.
    pub bank_account: Option<Cow<'a, str>>,
}

/// A bank transaction.
#[derive(Debug, Clone)]
pub struct Transaction<'a> {
    /// Date number as in [`crate::domain::date`].
    pub date: Date,
    /// 1 to 500 characters.
    pub description: Cow<'a, str>,
    /// Units as in [`crate::domain::amount`]; money out is negative.
    pub amount: i128,
    /// The merchant as the bank names it.
    pub merchant: Option<Cow<'a, str>>,
    /// The payment reference.
    pub reference: Option<Cow<'a, str>>,
    /// Which of the caller's own accounts the line is from; any stable label.
    pub bank_account: Option<Cow<'a, str>>,
    /// The trade of the merchant as the card network knows it (ISO 18245), 0 to 9999; one that nobody knows says nothing.
    pub merchant_category_code: Option<u16>,
}

/// The kind of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountType {
    /// Income, also called revenue.
    Income,
    /// Expense.
    Expense,
    /// Asset.
    Asset,
    /// Liability.
    Liability,
    /// Equity.
    Equity,
}

impl AccountType {
    /// Every type.
    pub const ALL: [Self; 5] = [Self::Income, Self::Expense, Self::Asset, Self::Liability, Self::Equity];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Income => "INCOME",
            Self::Expense => "EXPENSE",
            Self::Asset => "ASSET",
            Self::Liability => "LIABILITY",
            Self::Equity => "EQUITY",
        }
    }

    /// Reads the wire form in any case; `REVENUE` is another word for income.
    pub fn parse(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("REVENUE") {
            return Some(Self::Income);
        }
        Self::ALL.into_iter().find(|kind| text.eq_ignore_ascii_case(kind.as_str()))
    }
}

/// An account of the caller's chart.
#[derive(Debug, Clone)]
pub struct Account<'a> {
    /// Its code, unique in the chart.
    pub code: Cow<'a, str>,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its type.
    pub kind: AccountType,
}

/// A VAT code of the caller's.
#[derive(Debug, Clone)]
pub struct VatCode<'a> {
    /// Its code.
    pub code: Cow<'a, str>,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Percent, 0 to 100, in the units of [`crate::domain::amount`].
    pub rate: i128,
}

/// What kind of document an open item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvoiceKind {
    /// The caller is owed.
    Invoice,
    /// The caller owes.
    Bill,
    /// The caller owes a customer, or a supplier owes the caller: the other side of either.
    CreditNote,
}

impl InvoiceKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Invoice, Self::Bill, Self::CreditNote];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Bill => "bill",
            Self::CreditNote => "credit_note",
        }
    }

    /// Reads the wire form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text == kind.as_str())
    }
}

/// An open invoice, bill or credit note.
#[derive(Debug, Clone)]
pub struct Invoice<'a> {
    /// Its number as printed on it.
    pub number: Cow<'a, str>,
    /// Which way it points.
    pub kind: InvoiceKind,
    /// The customer or supplier.
    pub contact: Cow<'a, str>,
    /// Its day.
    pub date: Date,
    /// When it is due.
    pub due_date: Option<Date>,
    /// What it came to.
    pub total: Option<i128>,
    /// What is still open; above zero.
    pub amount_due: i128,
    /// ISO 4217; none means GBP.
    pub currency: Option<Cow<'a, str>>,
    /// A purchase order number or the like.
    pub reference: Option<Cow<'a, str>>,
    /// Index of the account the document was coded to, for charts without debtors and creditors.
    pub account: Option<usize>,
}

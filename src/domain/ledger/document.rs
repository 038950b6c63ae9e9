//! Invoices and credit notes, sales and purchase: what they are before and after they are issued.

use std::borrow::Cow;

use super::account::Role;
use super::books::Books;
use super::cis;
use super::code_totals::CodeTotals;
use super::contact::{self, Contact, ContactKind};
use super::document_line::{EnteredLine, PricedLine, price, total};
use super::ids::ContactId;
use super::journal::SourceType;
use super::money::Pence;
use super::period::LAST_DATE;
use super::refusal::{Refusal, VatPosting};
use super::vat::{Side, Split};
use crate::domain::date::Date;

/// Which document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// We charge a customer.
    SalesInvoice,
    /// We give a customer credit.
    SalesCreditNote,
    /// A supplier charges us.
    PurchaseInvoice,
    /// A supplier gives us credit.
    PurchaseCreditNote,
}

impl DocumentKind {
    /// Every kind.
    pub const ALL: [Self; 4] =
        [Self::SalesInvoice, Self::SalesCreditNote, Self::PurchaseInvoice, Self::PurchaseCreditNote];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        self.source_type().as_str()
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// What its journal is made by.
    pub const fn source_type(self) -> SourceType {
        match self {
            Self::SalesInvoice => SourceType::SalesInvoice,
            Self::SalesCreditNote => SourceType::SalesCreditNote,
            Self::PurchaseInvoice => SourceType::PurchaseInvoice,
            Self::PurchaseCreditNote => SourceType::PurchaseCreditNote,
        }
    }

    /// What it is called in descriptions.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SalesInvoice => "Sales invoice",
            Self::SalesCreditNote => "Sales credit note",
            Self::PurchaseInvoice => "Purchase invoice",
            Self::PurchaseCreditNote => "Purchase credit note",
        }
    }

    /// Sales are output, purchases input, whatever the accounts of the lines.
    pub const fn side(self) -> Side {
        match self {
            Self::SalesInvoice | Self::SalesCreditNote => Side::Output,
            Self::PurchaseInvoice | Self::PurchaseCreditNote => Side::Input,
        }
    }

    /// Whom it is with.
    pub const fn contact_kind(self) -> ContactKind {
        match self.side() {
            Side::Output => ContactKind::Customer,
            Side::Input => ContactKind::Supplier,
        }
    }

    /// Whether it takes back what invoices charge.
    pub const fn is_credit_note(self) -> bool {
        matches!(self, Self::SalesCreditNote | Self::PurchaseCreditNote)
    }

    /// The invoice of the same side.
    pub const fn invoice(self) -> Self {
        match self.side() {
            Side::Output => Self::SalesInvoice,
            Side::Input => Self::PurchaseInvoice,
        }
    }

    /// The credit note of the same side.
    pub const fn credit_note(self) -> Self {
        match self.side() {
            Side::Output => Self::SalesCreditNote,
            Side::Input => Self::PurchaseCreditNote,
        }
    }

    /// The key of a body that holds its number.
    pub const fn number_field(self) -> &'static str {
        if self.is_credit_note() { "credit_note_number" } else { "invoice_number" }
    }

    /// The role of the account it is owed on.
    pub const fn control_role(self) -> Role {
        match self.side() {
            Side::Output => Role::AccountsReceivable,
            Side::Input => Role::AccountsPayable,
        }
    }

    /// 1 when its gross is debited to the control account, −1 when it is credited.
    pub const fn control_sign(self) -> i64 {
        match self {
            Self::SalesInvoice | Self::PurchaseCreditNote => 1,
            Self::PurchaseInvoice | Self::SalesCreditNote => -1,
        }
    }

    /// Who wants VAT Control when it is issued.
    pub const fn vat_posting(self) -> VatPosting {
        if self.is_credit_note() { VatPosting::CreditNote } else { VatPosting::Invoice }
    }
}

/// A document as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredDocument<'a> {
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date, which is its tax point.
    pub date: Date,
    /// When it is to be paid; by the terms when absent. Credit notes have none.
    pub due_date: Option<Date>,
    /// The currency, when given.
    pub currency: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// Its lines.
    pub lines: Cow<'a, [EnteredLine]>,
}

/// A document with its amounts, drafted or about to be issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date.
    pub date: Date,
    /// When it is to be paid; credit notes have none.
    pub due_date: Option<Date>,
    /// Its lines.
    pub lines: Vec<PricedLine>,
    /// Net and VAT.
    pub total: Split,
    /// The part of the gross that will be withheld under CIS.
    pub cis: Option<cis::Terms>,
}

impl Draft {
    /// Net and VAT by code.
    pub fn by_code(&self) -> CodeTotals {
        self.lines.iter().map(|line| (line.vat_code, line.amount)).collect()
    }
}

/// Decides what a document is worth: everything but the posting, which drafts do without.
///
/// `default_terms_days` are the organisation's.
pub fn draft(
    books: &Books<'_>,
    contact: Option<&Contact>,
    default_terms_days: i32,
    entered: &EnteredDocument<'_>,
) -> Result<Draft, Refusal> {
    let kind = entered.kind;
    let contact = contact::for_new_document(contact, kind.contact_kind(), entered.contact_id)?;
    if let Some(currency) = entered.currency.as_deref().filter(|currency| *currency != "GBP") {
        return Err(Refusal::CurrencyNotSupported { currency: currency.to_owned() });
    }
    let lines = price(books, contact, kind.side(), entered.is_vat_inclusive, &entered.lines)?;
    let total = total(&lines);
    if total.gross().is_negative() {
        let refusal = Refusal::NegativeTotal { total: total.gross() };
        return Err(match kind.is_credit_note() {
            true => refusal.with_message(format!("the total is {}: a credit note must not be negative", total.gross())),
            false => refusal,
        });
    }
    if !total.gross().is_in_range() {
        return Err(Refusal::field("lines", format!("the total must be at most {}", Pence::MAX)));
    }
    let due_date = match entered.due_date {
        _ if kind.is_credit_note() => None,
        Some(due_date) if due_date < entered.date => {
            return Err(Refusal::field("due_date", "must not be before invoice_date"));
        }
        Some(due_date) => Some(due_date),
        None => Some(due_by_terms(entered.date, contact.payment_terms_days.unwrap_or(default_terms_days))?),
    };
    let cis = contact.cis_rate.map(|rate| cis::Terms::of(rate, &lines));
    Ok(Draft { kind, contact_id: contact.id, date: entered.date, due_date, lines, total, cis })
}

/// The due date that follows from the terms.
pub fn due_by_terms(date: Date, terms_days: i32) -> Result<Date, Refusal> {
    let due_date = date + terms_days;
    if due_date > LAST_DATE {
        return Err(Refusal::field("due_date", "must be given: by the terms it would be after 2199-12-31"));
    }
    Ok(due_date)
}

/// Where a document is in its life, before what settled it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Not posted, no number.
    Draft,
    /// Posted.
    Issued,
    /// Undone.
    Void,
}

/// The status of a document, from its stage and how much of its gross is settled. Nothing stores it as a fact of its own.
pub fn status(kind: DocumentKind, stage: Stage, gross: Pence, settled: Pence) -> &'static str {
    match stage {
        Stage::Draft => "draft",
        Stage::Void => "void",
        Stage::Issued if settled >= gross && kind.is_credit_note() => "allocated",
        Stage::Issued if settled >= gross => "paid",
        Stage::Issued if settled.is_zero() => "issued",
        Stage::Issued if kind.is_credit_note() => "part_allocated",
        Stage::Issued => "part_paid",
    }
}

#[cfg(test)]
mod tests;

//! Customer receipts, supplier payments and refunds: the input, the record, the view, and the filter of the list.

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::date::{Date, date_time_text};
use crate::domain::ids::{ContactId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, Settlement, SettlementKind};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;

/// How money changed hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the API")]
pub enum PaymentMethod {
    BankTransfer,
    Card,
    Cash,
    Cheque,
    DirectDebit,
    Other,
}

/// A settlement as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementInput {
    /// Receipt, payment, or refund of one.
    pub kind: SettlementKind,
    /// The customer or supplier.
    pub contact_id: i64,
    /// Its date.
    pub date: Date,
    /// The cash.
    pub amount_pence: i64,
    /// The account that the cash moves through.
    pub through: NamedSettlementAccount,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// A note.
    pub memo: Option<String>,
    /// The method of payment.
    pub method: Option<PaymentMethod>,
    /// The documents and settlements it is allocated to.
    pub allocations: Vec<AllocationInput>,
    /// Whether the rest is allocated to the oldest open invoices.
    pub is_auto_allocated: bool,
}

/// The account that the cash of a settlement moves through, as a body names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedSettlementAccount {
    /// A bank account (`bank_account_id`).
    Bank(i64),
    /// Another account (`account_id`, `account_code`).
    Account(AccountReference),
}

/// The document or settlement that an allocation goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationTarget {
    /// An invoice (`invoice_id`).
    Invoice(i64),
    /// For refunds, a credit note (`credit_note_id`).
    CreditNote(i64),
    /// For refunds, the receipt or payment given back (`receipt_id`, `payment_id`).
    Settlement(i64),
}

/// An allocation as entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocationInput {
    /// The document or settlement it goes to.
    pub to: AllocationTarget,
    /// The cash or credit, above 0.
    pub amount_pence: i64,
    /// The amount that the customer withheld under CIS beside the cash.
    pub cis_suffered_pence: i64,
}

/// A changed field of a settlement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementField {
    /// The caller's own reference.
    Reference(Option<String>),
    /// A note.
    Memo(Option<String>),
}

/// The kind of the other end of an allocation that is a write-off.
pub const WRITE_OFF: &str = SourceType::WriteOff.as_str();

/// An allocation, seen from one of its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocationView {
    /// Identifier; 0 in a dry run.
    pub id: i64,
    /// The kind of the other end: the word of a document (`sales_invoice`, `sales_credit_note`, …) or of a settlement
    /// (`customer_receipt`, `customer_refund`, …), or [`WRITE_OFF`].
    pub other_type: &'static str,
    /// Its id.
    pub other_id: i64,
    /// Its number.
    pub other_number: Option<String>,
    /// The day from which it counts.
    pub date: Date,
    /// Cash, or credit.
    pub amount_pence: i64,
    /// The amount that CIS withheld beside the cash; 0 for credit.
    pub cis_pence: i64,
}

/// The view of a settlement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementView {
    /// Identifier; 0 in a dry run.
    pub id: i64,
    /// Receipt, payment, or refund of one.
    pub kind: SettlementKind,
    /// `RCP-00001`, `PAY-00001`; none in a dry run.
    pub number: Option<String>,
    /// Whether it is void.
    pub is_void: bool,
    /// The customer or supplier.
    pub contact_id: i64,
    /// The name of the customer or supplier.
    pub contact_name: String,
    /// Its date.
    pub date: Date,
    /// The cash.
    pub amount_pence: i64,
    /// The bank account, if the cash moved through one.
    pub bank_account_id: Option<i64>,
    /// The other account that it moved through: its id, and the code it has now.
    pub account: Option<(i64, String)>,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// A note.
    pub memo: Option<String>,
    /// The method of payment.
    pub method: Option<PaymentMethod>,
    /// The cash that is allocated.
    pub allocated_pence: i64,
    /// The amount that CIS withheld beside the cash.
    pub cis_pence: i64,
    /// Its active allocations, oldest first.
    pub allocations: Vec<AllocationView>,
    /// The line of a statement that shows it.
    pub bank_transaction_id: Option<i64>,
    /// Its journal.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// The day from which it is void.
    pub void_date: Option<Date>,
    /// The reason given.
    pub void_reason: Option<String>,
    /// When its e-mail was queued last.
    pub last_emailed_at_ms: Option<i64>,
    /// How many e-mails of it were queued.
    pub email_count: i64,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl SettlementView {
    /// Whether it is a customer's or a supplier's.
    pub const fn side(&self) -> ContactKind {
        self.kind.document_kind().contact_kind()
    }
}

/// The filter of the list of customer receipts with their refunds, or of supplier payments with theirs.
#[derive(Debug, Clone)]
pub struct SettlementFilter {
    /// Whether they are of customers or suppliers.
    pub side: ContactKind,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
    /// The bank account.
    pub bank_account_id: Option<i64>,
    /// On this day or later.
    pub from_date: Option<Date>,
    /// On this day or before.
    pub to_date: Option<Date>,
    /// Whether they are void.
    pub is_void: Option<bool>,
    /// Whether a part of the amount is not allocated.
    pub has_unallocated: Option<bool>,
    /// Changed at this moment or later, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

/// A settlement as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettlementRecord {
    pub(crate) id: i64,
    pub(crate) kind: SettlementKind,
    pub(crate) number: String,
    pub(crate) contact_id: i64,
    pub(crate) date: Date,
    pub(crate) amount_pence: i64,
    /// The bank account that the cash moved through, or none and the account.
    pub(crate) bank_account_id: Option<i64>,
    pub(crate) account_id: Option<i64>,
    pub(crate) reference: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) method: Option<PaymentMethod>,
    /// The cash that is allocated: the sum of the active allocations, stored for lists.
    pub(crate) allocated_pence: i64,
    /// The amount that CIS withheld beside the cash, stored for lists.
    pub(crate) cis_pence: i64,
    /// The line of a statement that shows it.
    pub(crate) bank_transaction_id: Option<i64>,
    pub(crate) journal_id: i64,
    pub(crate) void_journal_id: Option<i64>,
    pub(crate) void_date: Option<Date>,
    pub(crate) void_reason: Option<String>,
    pub(crate) last_emailed_at_ms: Option<i64>,
    /// How many e-mails of it were queued, each of which made a version.
    pub(crate) email_count: i64,
    pub(crate) created_at_ms: i64,
    pub(crate) updated_at_ms: i64,
    pub(crate) version: i64,
}

impl PaymentMethod {
    /// Every method.
    pub const ALL: [Self; 6] =
        [Self::BankTransfer, Self::Card, Self::Cash, Self::Cheque, Self::DirectDebit, Self::Other];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BankTransfer => "bank_transfer",
            Self::Card => "card",
            Self::Cash => "cash",
            Self::Cheque => "cheque",
            Self::DirectDebit => "direct_debit",
            Self::Other => "other",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

impl AllocationTarget {
    /// The id of the document or settlement.
    pub const fn id(self) -> i64 {
        match self {
            Self::Invoice(id) | Self::CreditNote(id) | Self::Settlement(id) => id,
        }
    }
}

impl SettlementRecord {
    /// Whether it is a customer's or a supplier's.
    pub(crate) const fn side(&self) -> ContactKind {
        self.kind.document_kind().contact_kind()
    }

    /// Counts the changes of what is printed: e-mails are versions of their own, and print alike.
    pub(crate) const fn printed_version(&self) -> i64 {
        self.version - self.email_count
    }

    /// Whether it is void.
    pub(crate) const fn is_void(&self) -> bool {
        self.void_date.is_some()
    }

    /// The settlement as the rules read it.
    pub(crate) fn to_domain(&self, allocations: Vec<Allocation>) -> Settlement {
        Settlement {
            id: Some(SettlementId(self.id)),
            kind: self.kind,
            contact_id: ContactId(self.contact_id),
            date: self.date,
            amount: Pence(self.amount_pence),
            is_void: self.is_void(),
            allocations,
        }
    }

    /// Its view, with the name of the contact, the code of the account in place of a bank account, and the active
    /// allocations.
    pub(crate) fn into_view(
        self,
        contact_name: String,
        account_code: Option<String>,
        allocations: Vec<AllocationView>,
    ) -> SettlementView {
        SettlementView {
            id: self.id,
            kind: self.kind,
            is_void: self.is_void(),
            number: Some(self.number).filter(|_| self.id > 0),
            contact_id: self.contact_id,
            contact_name,
            date: self.date,
            amount_pence: self.amount_pence,
            bank_account_id: self.bank_account_id,
            account: self.account_id.zip(account_code),
            reference: self.reference,
            memo: self.memo,
            method: self.method,
            allocated_pence: self.allocated_pence,
            cis_pence: self.cis_pence,
            allocations,
            bank_transaction_id: self.bank_transaction_id,
            journal_id: Some(self.journal_id).filter(|id| *id > 0),
            void_journal_id: self.void_journal_id.filter(|id| *id > 0),
            void_date: self.void_date,
            void_reason: self.void_reason,
            last_emailed_at_ms: self.last_emailed_at_ms,
            email_count: self.email_count,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            version: self.version,
        }
    }

    /// The kind of record, as the history names it.
    pub(crate) fn resource(&self) -> Resource {
        match self.side() {
            ContactKind::Customer => Resource::CustomerReceipt,
            ContactKind::Supplier => Resource::SupplierPayment,
        }
    }

    /// Its name in a summary of the history.
    pub(crate) fn title(&self) -> String {
        let kind = match self.side() {
            ContactKind::Customer => "Customer receipt",
            ContactKind::Supplier => "Supplier payment",
        };
        format!("{kind} {}", self.number)
    }

    /// The action that led from the record before to this one.
    pub(crate) fn action_since(&self, before: Option<&Self>) -> ChangeAction {
        let Some(before) = before else { return ChangeAction::Create };
        match (before.is_void(), self.is_void()) {
            (false, true) => ChangeAction::Void,
            _ if self.allocated_pence > before.allocated_pence => ChangeAction::Allocate,
            _ if self.allocated_pence < before.allocated_pence => ChangeAction::Unallocate,
            _ if self.bank_transaction_id != before.bank_transaction_id => ChangeAction::Link,
            _ => ChangeAction::Update,
        }
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .text("number", self.number.as_str())
            .text("kind", self.kind.source_type().as_str())
            .text("status", if self.is_void() { "void" } else { "posted" })
            .number("contact_id", self.contact_id)
            .date("date", self.date)
            .money("amount", self.amount_pence)
            .money("allocated_amount", self.allocated_pence)
            .money("cis_amount", self.cis_pence)
            .number("bank_account_id", self.bank_account_id)
            .number("account_id", self.account_id)
            .number("bank_transaction_id", self.bank_transaction_id)
            .text("reference", self.reference.as_deref())
            .text("memo", self.memo.as_deref())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .date("void_date", self.void_date)
            .text("void_reason", self.void_reason.as_deref())
            .text("last_emailed_at", self.last_emailed_at_ms.map(date_time_text).as_deref())
    }
}

/// The name of the list that counts the settlements of a side.
pub(crate) const fn list_name(side: ContactKind) -> &'static str {
    match side {
        ContactKind::Customer => "customer_receipt",
        ContactKind::Supplier => "supplier_payment",
    }
}

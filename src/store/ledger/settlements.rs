//! Customer receipts, supplier payments and refunds, and what they and credit notes are set against.

use super::shelf::day;
use crate::domain::ledger::allocation::{Allocation, Settlement, SettlementKind};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::ids::{ContactId, SettlementId};
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::sql::Row;

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

/// A settlement as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementEntry {
    /// Receipt, payment, or refund of one.
    pub kind: SettlementKind,
    /// With whom.
    pub contact_id: i64,
    /// Its date.
    pub day: i32,
    /// The cash.
    pub amount_pence: i64,
    /// Where the money was paid in or out.
    pub bank_account_id: i64,
    /// The caller's reference.
    pub reference: Option<String>,
    /// A note.
    pub memo: Option<String>,
    /// How.
    pub method: Option<PaymentMethod>,
    /// What it is set against.
    pub allocations: Vec<AllocationEntry>,
    /// Whether what is left goes to the oldest open invoices.
    pub is_auto_allocated: bool,
}

/// What an allocation is asked to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationTarget {
    /// An invoice (`invoice_id`).
    Invoice(i64),
    /// For refunds, a credit note (`credit_note_id`).
    CreditNote(i64),
    /// For refunds, the receipt or payment given back (`receipt_id`, `payment_id`).
    Settlement(i64),
}

impl AllocationTarget {
    /// The id of the document or settlement.
    pub const fn id(self) -> i64 {
        match self {
            Self::Invoice(id) | Self::CreditNote(id) | Self::Settlement(id) => id,
        }
    }
}

/// An allocation as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocationEntry {
    /// Where to.
    pub to: AllocationTarget,
    /// Cash, or credit; more than nothing.
    pub amount_pence: i64,
    /// What the customer withheld under CIS beside the cash.
    pub cis_suffered_pence: i64,
}

/// One thing said anew about a settlement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementField {
    /// The caller's reference.
    Reference(Option<String>),
    /// A note.
    Memo(Option<String>),
}

/// What one end of an allocation is, seen from the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocationView {
    /// Identifier; 0 in a rehearsal.
    pub id: i64,
    /// What the other end is: the word of a document (`sales_invoice`, `sales_credit_note`, …) or of a settlement
    /// (`customer_receipt`, `customer_refund`, …).
    pub other_type: &'static str,
    /// Its id.
    pub other_id: i64,
    /// Its number.
    pub other_number: Option<String>,
    /// From when it counts.
    pub day: i32,
    /// Cash, or credit.
    pub amount_pence: i64,
    /// What CIS withheld beside cash; 0 for credit.
    pub cis_pence: i64,
}

/// A settlement with all that a caller sees of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementView {
    /// Identifier; 0 in a rehearsal.
    pub id: i64,
    /// Receipt, payment, or refund of one.
    pub kind: SettlementKind,
    /// `RCP-00001`, `PAY-00001`; none in a rehearsal.
    pub number: Option<String>,
    /// Whether it is undone.
    pub is_void: bool,
    /// With whom.
    pub contact_id: i64,
    /// Their name now.
    pub contact_name: String,
    /// Its date.
    pub day: i32,
    /// The cash.
    pub amount_pence: i64,
    /// Where the money was paid in or out.
    pub bank_account_id: i64,
    /// The caller's reference.
    pub reference: Option<String>,
    /// A note.
    pub memo: Option<String>,
    /// How.
    pub method: Option<PaymentMethod>,
    /// Cash that is set against something.
    pub allocated_pence: i64,
    /// What CIS withheld beside it.
    pub cis_pence: i64,
    /// What it is set against now, oldest first.
    pub allocations: Vec<AllocationView>,
    /// The line of a statement that shows it.
    pub bank_transaction_id: Option<i64>,
    /// Its journal.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// From when it is void.
    pub void_day: Option<i32>,
    /// Why.
    pub void_reason: Option<String>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// Which settlements of one side: customers' receipts with their refunds, or suppliers' payments with theirs.
#[derive(Debug, Clone)]
pub struct SettlementFilter {
    /// Whose.
    pub side: ContactKind,
    /// With whom.
    pub contact_id: Option<i64>,
    /// Paid in or out where.
    pub bank_account_id: Option<i64>,
    /// Dated from.
    pub from_day: Option<i32>,
    /// Dated to.
    pub to_day: Option<i32>,
    /// `Some(true)` void ones, `Some(false)` posted ones.
    pub is_void: Option<bool>,
    /// Whether some of it is not allocated.
    pub has_unallocated: Option<bool>,
    /// Changed since, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

/// What CIS withheld and was withheld in a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CisPosition {
    /// By subcontractor and rate, by name, id and rate; those paid in the period.
    pub subcontractors: Vec<CisSubcontractor>,
    /// What is owed to HMRC at the period's end.
    pub payable_balance_pence: i64,
    /// What customers withheld from us in the period.
    pub suffered_pence: i64,
}

/// What was paid to a subcontractor in a period of bills with one rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CisSubcontractor {
    /// Who.
    pub supplier_id: i64,
    /// Their name now.
    pub name: String,
    /// Unique taxpayer reference.
    pub utr: Option<String>,
    /// HMRC's verification.
    pub verification_number: Option<String>,
    /// Percent, that of the bills.
    pub deduction_rate: i64,
    /// Payments without VAT.
    pub payments_pence: i64,
    /// Of which materials.
    pub materials_pence: i64,
    /// Of which liable to deduction.
    pub liable_pence: i64,
    /// Deducted.
    pub deducted_pence: i64,
}

/// A settlement as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettlementRow {
    pub(super) id: i64,
    pub(super) kind: SettlementKind,
    pub(super) number: String,
    pub(super) contact_id: i64,
    pub(super) day: i32,
    pub(super) amount_pence: i64,
    pub(super) bank_account_id: i64,
    pub(super) reference: Option<String>,
    pub(super) memo: Option<String>,
    pub(super) method: Option<PaymentMethod>,
    /// Cash that is set against something: the sum of what counts of its allocations, kept for lists.
    pub(super) allocated_pence: i64,
    /// What CIS withheld beside it, kept likewise.
    pub(super) cis_pence: i64,
    /// The line of a statement that shows it.
    pub(super) bank_transaction_id: Option<i64>,
    pub(super) journal_id: i64,
    pub(super) void_journal_id: Option<i64>,
    pub(super) void_day: Option<i32>,
    pub(super) void_reason: Option<String>,
    pub(super) created_at_ms: i64,
    pub(super) updated_at_ms: i64,
    pub(super) version: i64,
}

impl SettlementRow {
    /// Whether it is a customer's or a supplier's.
    pub(super) const fn side(&self) -> ContactKind {
        self.kind.document_kind().contact_kind()
    }

    pub(super) const fn is_void(&self) -> bool {
        self.void_day.is_some()
    }

    /// The settlement as the rules know it.
    pub(super) fn for_rules(&self, allocations: Vec<Allocation>) -> Settlement {
        Settlement {
            id: Some(SettlementId(self.id)),
            kind: self.kind,
            contact_id: ContactId(self.contact_id),
            date: self.day,
            amount: Pence(self.amount_pence),
            is_void: self.is_void(),
            allocations,
        }
    }

    /// What a caller sees of it, once its contact and its allocations are known.
    pub(super) fn view(self, contact_name: String, allocations: Vec<AllocationView>) -> SettlementView {
        SettlementView {
            id: self.id,
            kind: self.kind,
            is_void: self.is_void(),
            number: Some(self.number).filter(|_| self.id > 0),
            contact_id: self.contact_id,
            contact_name,
            day: self.day,
            amount_pence: self.amount_pence,
            bank_account_id: self.bank_account_id,
            reference: self.reference,
            memo: self.memo,
            method: self.method,
            allocated_pence: self.allocated_pence,
            cis_pence: self.cis_pence,
            allocations,
            bank_transaction_id: self.bank_transaction_id,
            journal_id: Some(self.journal_id).filter(|id| *id > 0),
            void_journal_id: self.void_journal_id.filter(|id| *id > 0),
            void_day: self.void_day,
            void_reason: self.void_reason,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            version: self.version,
        }
    }
}

pub(super) const SETTLEMENT_COLUMNS: &str = "s.id, s.kind, s.number, s.contact_id, s.day, s.amount, \
     s.bank_account_id, s.reference, s.memo, s.method, s.allocated, s.cis, s.bank_transaction_id, s.journal_id, \
     s.void_journal_id, s.void_day, s.void_reason, s.created_at, s.updated_at, s.version";

/// How many columns that is.
pub(super) const COLUMNS: usize = 20;

pub(super) fn read_settlement(row: &Row) -> Result<SettlementRow, StoreError> {
    let (method, void_day): (Option<String>, Option<i64>) = (row.get(9)?, row.get(15)?);
    Ok(SettlementRow {
        id: row.get(0)?,
        kind: row.parsed(1, SettlementKind::parse)?,
        number: row.get(2)?,
        contact_id: row.get(3)?,
        day: day(row, 4)?,
        amount_pence: row.get(5)?,
        bank_account_id: row.get(6)?,
        reference: row.get(7)?,
        memo: row.get(8)?,
        method: method.as_deref().and_then(PaymentMethod::parse),
        allocated_pence: row.get(10)?,
        cis_pence: row.get(11)?,
        bank_transaction_id: row.get(12)?,
        journal_id: row.get(13)?,
        void_journal_id: row.get(14)?,
        void_day: void_day.and_then(|day| i32::try_from(day).ok()),
        void_reason: row.get(16)?,
        created_at_ms: row.get(17)?,
        updated_at_ms: row.get(18)?,
        version: row.get(19)?,
    })
}

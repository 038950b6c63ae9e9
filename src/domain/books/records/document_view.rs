//! Invoices and credit notes as callers see them: the record with names, account codes and allocations.

use crate::domain::books::records::document::{DocumentLineRecord, DocumentRecord};
use crate::domain::books::records::settlement::AllocationView;
use crate::domain::date::Date;
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::document::{DocumentKind, Stage, status};
use crate::domain::ledger::money::Pence;

/// The view of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentView {
    /// Identifier; 0 in a dry run.
    pub id: i64,
    /// The kind of document.
    pub kind: DocumentKind,
    /// Whether it is a draft, issued or void.
    pub stage: Stage,
    /// Its number, once it has one; a draft may have one of its own.
    pub number: Option<String>,
    /// The supplier's number.
    pub supplier_reference: Option<String>,
    /// The customer or supplier.
    pub contact_id: i64,
    /// The name of the customer or supplier.
    pub contact_name: String,
    /// Its date.
    pub date: Date,
    /// The day on which it is due.
    pub due_date: Option<Date>,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// The invoice that a credit note corrects.
    pub origin_id: Option<i64>,
    /// Its lines, in order.
    pub lines: Vec<DocumentLineRecord>,
    /// The code each line's account has now.
    pub account_codes: Vec<String>,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// The cash allocated to it and the CIS withheld; of a credit note, the amount refunded.
    pub paid_pence: i64,
    /// The credit allocated to it; of a credit note, the credit allocated from it.
    pub credited_pence: i64,
    /// The cash allocated to it, without the CIS withheld.
    pub cash_pence: i64,
    /// Its active allocations, oldest first.
    pub allocations: Vec<AllocationView>,
    /// The CIS of a purchase.
    pub cis: Option<DocumentCis>,
    /// The journal of its issue.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// The day from which it is void.
    pub void_date: Option<Date>,
    /// The reason given.
    pub void_reason: Option<String>,
    /// Whether it is a part of the opening balances.
    pub is_opening: bool,
    /// When it was issued.
    pub issued_at_ms: Option<i64>,
    /// When it was last e-mailed.
    pub last_emailed_at_ms: Option<i64>,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// The CIS of a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentCis {
    /// Percent.
    pub rate: i64,
    /// The base of the deduction, as billed.
    pub labour_net_pence: i64,
    /// The part without a deduction, as billed.
    pub materials_net_pence: i64,
    /// The whole deduction, before credit.
    pub deduction_pence: i64,
    /// The whole cash to be paid, before credit.
    pub payable_pence: i64,
    /// The amount deducted with the payments so far.
    pub deducted_to_date_pence: i64,
}

impl DocumentView {
    /// Net and VAT together.
    pub const fn gross_pence(&self) -> i64 {
        self.net_pence + self.vat_pence
    }

    /// The amount due of an invoice, or the unallocated amount of a credit note; 0 for drafts and void documents.
    pub const fn due_pence(&self) -> i64 {
        match self.stage {
            Stage::Issued => self.gross_pence() - self.paid_pence - self.credited_pence,
            Stage::Draft | Stage::Void => 0,
        }
    }

    /// What follows from the stage and from what settles it.
    pub fn status(&self) -> &'static str {
        status(self.kind, self.stage, Pence(self.gross_pence()), Pence(self.paid_pence + self.credited_pence))
    }

    /// Days since it should have been paid; 0 when nothing is overdue.
    pub fn days_overdue(&self, today: Date) -> i32 {
        let due = self.due_date.filter(|_| self.due_pence() > 0);
        due.map_or(0, |due| (today - due).max(0))
    }
}

impl DocumentRecord {
    /// Its view: `shown` are the active allocations, `all` are all allocations as the rules read them.
    pub(crate) fn view(
        &self,
        contact_name: String,
        shown: Vec<AllocationView>,
        all: &[Allocation],
        code_of: impl Fn(i64) -> String,
    ) -> DocumentView {
        let cash = || all.iter().filter(|one| one.is_active() && one.is_cash());
        let deducted = cash().map(|one| one.cis.0).sum();
        // A number that a dry run would have consumed is not known.
        let number = self.number.clone().filter(|number| !number.is_empty());
        DocumentView {
            id: self.id,
            kind: self.kind,
            stage: self.stage,
            number,
            supplier_reference: self.supplier_reference.clone(),
            contact_id: self.contact_id,
            contact_name,
            date: self.date,
            due_date: self.due_date,
            reference: self.reference.clone(),
            notes: self.notes.clone(),
            is_vat_inclusive: self.is_vat_inclusive,
            origin_id: self.origin_id,
            lines: self.lines.clone(),
            account_codes: self.lines.iter().map(|line| code_of(line.account_id)).collect(),
            net_pence: self.net_pence,
            vat_pence: self.vat_pence,
            paid_pence: self.paid_pence,
            credited_pence: self.credited_pence,
            cash_pence: cash().map(|one| one.amount.0).sum(),
            allocations: shown,
            cis: self.cis.map(|terms| {
                let (deduction, payable) = self.to_domain(all.to_vec()).cis_totals();
                DocumentCis {
                    rate: terms.rate.percent(),
                    labour_net_pence: terms.labour_net.0,
                    materials_net_pence: terms.materials_net.0,
                    deduction_pence: deduction.0,
                    payable_pence: payable.0,
                    deducted_to_date_pence: deducted,
                }
            }),
            journal_id: self.journal_id.filter(|id| *id > 0),
            void_journal_id: self.void_journal_id.filter(|id| *id > 0),
            void_date: self.void_date,
            void_reason: self.void_reason.clone(),
            is_opening: self.is_opening,
            issued_at_ms: self.issued_at_ms.filter(|_| self.stage != Stage::Draft),
            last_emailed_at_ms: self.last_emailed_at_ms,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            version: self.version,
        }
    }
}

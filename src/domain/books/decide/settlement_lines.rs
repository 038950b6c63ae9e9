//! Decides statement lines that are receipts, payments or refunds: confirmed as new ones, or matched with posted ones.

use crate::domain::books::decide::settlements::{SettlementDetails, requests};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::records::settlement::{AllocationInput, SettlementRecord};
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::books::request::CommandRequest;
use crate::domain::ids::{BankTransactionId, ContactId, JournalId};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::ConfirmType;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::settlement::SettlementAccount;
use crate::domain::ledger::{bank, settlement};

impl BooksTransaction<'_> {
    /// Confirms a line as a new receipt, payment or refund.
    pub(crate) fn confirm_settlement(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        (kind, contact_id): (SettlementKind, i64),
        allocations: &[AllocationInput],
    ) -> Result<StatementLineRecord, Rejection> {
        let bank = self.bank_of(&row)?;
        let confirm_type = confirmed_as(kind);
        let entered =
            settlement::from_bank(&row.to_domain(), confirm_type, ContactId(contact_id), requests(allocations))?;
        let details = SettlementDetails {
            reference: row.reference.clone(),
            memo: row.memo.clone(),
            method: None,
            bank_transaction_id: Some(row.id),
        };
        let through = SettlementAccount::Bank(bank);
        let settlement = self.post_settlement(request, &entered, &through, details)?;
        Ok(self.confirmed(request, showing(row, &settlement, confirm_type)))
    }

    /// Confirms a line as a receipt, payment or refund that was posted already and that this field of the request names.
    pub(crate) fn match_settlement(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        (side, id): (ContactKind, i64),
        field: &'static str,
    ) -> Result<StatementLineRecord, Rejection> {
        let unknown = || Refusal::UnknownReference { field: field.to_owned(), id };
        let known = self.known_settlement(side, id).ok_or_else(unknown)?.clone();
        self.bank_of(&row)?.require_open()?;
        let moved = Pence(known.amount_pence * known.kind.bank_sign());
        let posted = bank::Posted {
            field,
            id: if field == "journal_id" { known.journal_id } else { id },
            journal_id: JournalId(known.journal_id),
            is_void: known.is_void(),
            amount: (known.bank_account_id == Some(row.bank_account_id)).then_some(moved),
            linked_to: known.bank_transaction_id.map(BankTransactionId),
        };
        bank::confirm_match(&row.to_domain(), &posted)?;
        self.write_changed_settlement(SettlementRecord { bank_transaction_id: Some(row.id), ..known.clone() });
        Ok(self.confirmed(request, showing(row, &known, ConfirmType::Match)))
    }

    /// The receipt, payment or refund whose own journal this is.
    pub(crate) fn settlement_of_journal(&self, journal: i64) -> Option<(ContactKind, i64)> {
        let organisation = self.organisation();
        let mut settlements = self.facts.settlements.values();
        let (_, row) = settlements.find(|(of, row)| *of == organisation && row.journal_id == journal)?;
        Some((row.side(), row.id))
    }

    /// Undoes the confirmation of a line that shows a receipt, payment or refund: one that the line created is voided, a
    /// matched one is only unlinked.
    pub(crate) fn unconfirm_settlement(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        settlement: (ContactKind, i64),
    ) -> Result<StatementLineRecord, Rejection> {
        // A line that the same group confirmed was not confirmed when this request was made.
        let unconfirmed = || Refusal::InvalidState { current: "unconfirmed", allowed: &["confirmed"] };
        let (side, id) = settlement;
        let known = self.known_settlement(side, id).ok_or_else(unconfirmed)?.clone();
        if row.kind == Some(ConfirmType::Match) {
            self.write_changed_settlement(SettlementRecord { bank_transaction_id: None, ..known });
        } else {
            self.facts.settlement_journals.get(&id).ok_or_else(unconfirmed)?;
            self.reverse_settlement(request, id, None, None)?;
        }
        Ok(self.set_back(row))
    }
}

/// The type of confirmation by a kind of settlement.
const fn confirmed_as(kind: SettlementKind) -> ConfirmType {
    match kind {
        SettlementKind::CustomerReceipt => ConfirmType::CustomerReceipt,
        SettlementKind::CustomerRefund => ConfirmType::CustomerRefund,
        SettlementKind::SupplierPayment => ConfirmType::SupplierPayment,
        SettlementKind::SupplierRefund => ConfirmType::SupplierRefund,
    }
}

/// The line as it shows a settlement.
fn showing(row: StatementLineRecord, settlement: &SettlementRecord, kind: ConfirmType) -> StatementLineRecord {
    StatementLineRecord {
        kind: Some(kind),
        journal_id: Some(settlement.journal_id),
        settlement: Some((settlement.side(), settlement.id)),
        contact_id: Some(settlement.contact_id),
        lines: Vec::new(),
        ..row
    }
}

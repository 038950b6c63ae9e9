//! Decides what becomes of the coding engine's suggestions: they are written by the job that found them, and confirmed one by
//! one over the books as they are.

use std::collections::BTreeSet;

use crate::domain::books::audit_fields::ChangeAction;
use crate::domain::books::command::{Confirmation, SuggestionsConfirmed};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::records::engine_suggestion::{EngineSuggestion, SuggestedConfirmation, vat_status};
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::books::request::{CommandRequest, CommandResult, LineOutcome, SuggestionsOutcome};
use crate::domain::ids::ContactId;
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::refusal::{Refusal, RefusalClass};
use crate::domain::suggestions::{FoundSuggestions, SuggestionsWritten};

impl BooksTransaction<'_> {
    /// Writes what a job found, each with the line it was found for as it was: one that has changed since keeps what it has.
    pub(crate) fn save_suggestions(&mut self, found: &FoundSuggestions) -> CommandResult {
        let mut counts = SuggestionsWritten { written: 0, skipped: found.without };
        for one in &found.lines {
            let row = self.facts.transactions.get(&one.line).filter(|(of, _)| *of == self.organisation());
            let unchanged = row.filter(|(_, row)| row.status == BankStatus::Unconfirmed && row.version == one.version);
            let Some((_, row)) = unchanged.cloned() else {
                counts.skipped += 1;
                continue;
            };
            let suggestion = EngineSuggestion { suggested_at_ms: self.now_ms, ..one.suggestion.clone() };
            let row = StatementLineRecord { suggestion: Some(Box::new(suggestion)), ..row };
            self.changed_transaction(ChangeAction::Suggest, row);
            counts.written += 1;
        }
        CommandResult::SuggestionsWritten(counts)
    }

    /// Confirms a line as the engine suggests. What the suggestion names is decided anew; what is no longer there, or was found
    /// under other rules of VAT, makes it stale.
    pub(crate) fn confirm_suggestion(
        &mut self,
        request: &CommandRequest,
        row: &StatementLineRecord,
        suggestion: &EngineSuggestion,
    ) -> Result<StatementLineRecord, Rejection> {
        let is_coded = matches!(suggestion.confirmation, SuggestedConfirmation::Coded { .. });
        if is_coded && suggestion.vat_status != vat_status(&self.books.organisation) {
            return Err(Refusal::StaleSuggestion.into());
        }
        self.require_open_contact(&suggestion.confirmation)?;
        let corrupt = || Rejection::Corrupt(format!("the suggestion of bank transaction {}", row.id));
        let confirmation = suggestion.confirmation.to_confirmation().ok_or_else(corrupt)?;
        self.confirm(request, row.id, &confirmation).map_err(|rejection| match rejection {
            Rejection::Refused(refusal) if is_stale(&refusal) => Refusal::StaleSuggestion.into(),
            other => other,
        })
    }

    /// Money of a contact that is archived may still be entered by whoever names the contact; a suggestion of before holds no longer.
    fn require_open_contact(&self, confirmation: &SuggestedConfirmation) -> Result<(), Refusal> {
        let SuggestedConfirmation::Settlement { contact_id, .. } = confirmation else { return Ok(()) };
        let contact = self.facts.contacts.get(contact_id).filter(|(of, _)| *of == self.organisation());
        match contact {
            Some((_, row)) if row.archived_at_ms.is_some() => {
                Err(Refusal::ContactArchived { field: "contact_id".to_owned(), id: ContactId(*contact_id) })
            }
            _ => Ok(()),
        }
    }

    /// Confirms lines as the engine suggests, each for itself: one that is refused leaves nothing and harms no other.
    pub(crate) fn confirm_suggestions(
        &mut self,
        request: &CommandRequest,
        asked: &SuggestionsConfirmed,
    ) -> Result<CommandResult, Rejection> {
        let mut lines = Vec::with_capacity(asked.lines.len());
        // The other sides of transfers are confirmed with the first.
        let mut moved = BTreeSet::new();
        for (at, id) in asked.lines.iter().enumerate() {
            let outcome = self.confirm_suggested(request, asked, (at, *id), &mut moved)?;
            lines.push((*id, outcome));
        }
        let outcome = SuggestionsOutcome { lines, remaining: asked.remaining };
        Ok(CommandResult::SuggestionsConfirmed(Box::new(outcome)))
    }

    fn confirm_suggested(
        &mut self,
        request: &CommandRequest,
        asked: &SuggestionsConfirmed,
        (at, id): (usize, i64),
        moved: &mut BTreeSet<i64>,
    ) -> Result<LineOutcome, Rejection> {
        let found = self.facts.transactions.get(&id).filter(|(of, _)| *of == self.organisation());
        let Some((_, row)) = found else {
            let field = if asked.is_named { format!("transaction_ids[{at}]") } else { "id".to_owned() };
            return Ok(LineOutcome::Refused(Refusal::UnknownReference { field, id }));
        };
        if asked.bank_account_id.is_some_and(|bank| bank != row.bank_account_id) {
            let field = format!("transaction_ids[{at}]");
            return Ok(LineOutcome::Refused(Refusal::BankAccountMismatch { field, id }));
        }
        if moved.contains(&id) {
            return Ok(LineOutcome::Confirmed(row.journal_id));
        }
        if let Err(refusal) = row.status.require_unconfirmed() {
            return Ok(LineOutcome::Refused(refusal));
        }
        let is_sure = |suggestion: &EngineSuggestion| suggestion.confidence >= asked.min_confidence;
        if !row.suggestion.as_deref().is_some_and(is_sure) {
            return Ok(LineOutcome::Skipped);
        }
        let before = self.savepoint();
        match self.confirm(request, id, &Confirmation::Suggested) {
            Ok(row) => {
                moved.extend(row.transfer_id);
                Ok(LineOutcome::Confirmed(row.journal_id))
            }
            Err(Rejection::Refused(refusal)) => {
                self.undo_to(before);
                Ok(LineOutcome::Refused(refusal))
            }
            Err(other) => Err(other),
        }
    }
}

/// Whether a refusal says that what a suggestion names is not there any more or is something else: the caller, who sent none of
/// it, could not make anything of the field it is about.
fn is_stale(refusal: &Refusal) -> bool {
    let is_about_what_was_sent = matches!(
        refusal.reason(),
        "unknown_reference" | "amount_mismatch" | "contact_mismatch" | "bank_account_mismatch"
    );
    is_about_what_was_sent || refusal.class() == RefusalClass::Field
}

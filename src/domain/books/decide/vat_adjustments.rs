//! Decides adjustments of the VAT return: made and voided.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::{Effect, ListCounters};
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::vat_adjustment::{LIST, VatAdjustmentRecord, VatAdjustmentView};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ledger::vat_adjustment;
use crate::domain::ledger::vat_adjustment::EnteredAdjustment;

impl BooksTransaction<'_> {
    pub(crate) fn create_vat_adjustment(
        &mut self,
        request: &CommandRequest,
        entered: &EnteredAdjustment,
    ) -> Result<CommandResult, Rejection> {
        let posted = vat_adjustment::post(&self.books.books(), entered)?;
        let id = self.identifiers.next(IdSequence::VatAdjustment);
        let account_id = posted.as_ref().map(|(account, _)| account.0);
        let journal_id = posted.map(|(_, mut journal)| {
            journal.source.id = Some(id);
            self.effects.count(self.books.organisation.id.0, "journal", "posted", 1);
            self.write_journal(request, journal).id
        });
        let row = VatAdjustmentRecord {
            id,
            date: entered.date,
            reason: entered.reason,
            description: entered.description.clone(),
            entries: entered.entries.clone(),
            account_id,
            journal_id,
            void_journal_id: None,
            void_date: None,
            void_reason: None,
            user_id: self.actor.user_id.0,
            key_prefix: self.actor.key_prefix.clone(),
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        Ok(self.put_vat_adjustment(ChangeAction::Create, row))
    }

    pub(crate) fn void_vat_adjustment(
        &mut self,
        request: &CommandRequest,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let found = self.facts.vat_adjustments.get(&id).filter(|(of, _)| *of == organisation);
        let (_, row) = found.cloned().ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        let loaded = row.journal_id.and_then(|journal| self.facts.journals.get(&journal));
        let journal = loaded.map(as_posted).transpose()?;
        if journal.is_none() && row.journal_id.is_some() {
            return Err(Rejection::Unknown);
        }
        let (date, reversal) =
            vat_adjustment::void(row.date, row.journal_status(), journal.as_ref(), void_date, self.books.lock_date())?;
        let void_journal_id = reversal.map(|reversal| self.reverse(request, reversal, reason));
        let row = VatAdjustmentRecord {
            void_journal_id,
            void_date: Some(date),
            void_reason: reason.map(str::to_owned),
            updated_at_ms: self.now_ms,
            version: row.version + 1,
            ..row
        };
        Ok(self.put_vat_adjustment(ChangeAction::Void, row))
    }

    /// Writes an adjustment with its counters and its entry of the history; gives the answer.
    fn put_vat_adjustment(&mut self, action: ChangeAction, row: VatAdjustmentRecord) -> CommandResult {
        let organisation = self.organisation();
        let before = self.facts.vat_adjustments.get(&row.id).map(|(_, before)| before.clone());
        if let Some(before) = &before {
            self.effects.count(organisation, LIST, before.status(), -1);
        }
        self.effects.count(organisation, LIST, row.status(), 1);
        let counters = before.as_ref().map(ListCounters::from);
        self.effects.move_counters(organisation, counters, Some(ListCounters::from(&row)));
        self.effects.push(organisation, Effect::VatAdjustment(row.id));
        self.facts.vat_adjustments.insert(row.id, (organisation, row.clone()));
        let summary = format!("VAT adjustment {}: {}", action.done(), row.description);
        let before = before.map(|before| before.audit_fields());
        self.record_change(action, (Resource::VatAdjustment, row.id), summary, before, Some(row.audit_fields()));
        let account = row.account_id.and_then(|account| self.books.accounts.get(&account));
        let account_code = account.map(|account| account.code.clone());
        CommandResult::VatAdjustment(Box::new(VatAdjustmentView { row, account_code }))
    }
}

//! Decides write-offs of sales invoices: made and voided.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::Effect;
use crate::domain::books::facts::LoadedJournal;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::write_off::{WriteOffRecord, WriteOffView};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::{DocumentId, WriteOffId};
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::write_off;
use crate::domain::ledger::write_off::{EnteredWriteOff, PostedWriteOff};

impl BooksTransaction<'_> {
    pub(crate) fn write_off(
        &mut self,
        request: &CommandRequest,
        invoice_id: i64,
        entered: &EnteredWriteOff,
    ) -> Result<CommandResult, Rejection> {
        let invoice = self.document_row(request, DocumentKind::SalesInvoice, invoice_id)?;
        let register = self.register([invoice_id], []);
        let number = invoice.number.as_deref().unwrap_or_default();
        let of = (DocumentId(invoice_id), number, invoice.due_date);
        let written = write_off::write_off(&self.books.books(), &register, of, entered)?;
        let organisation = self.organisation();
        let id = self.identifiers.next(IdSequence::WriteOff);
        let mut journal = written.journal;
        journal.source.id = Some(id);
        let view = self.write_journal(request, journal);
        self.effects.count(organisation, "journal", "posted", 1);
        let journal_id = view.id;
        // A later command of the group may void it.
        self.facts.journals.insert(journal_id, LoadedJournal { organisation, view, vat: Vec::new() });
        self.apply_allocations(&written.effects, Some(AllocationEnd::WriteOff(Some(WriteOffId(id)))))?;
        let row = WriteOffRecord {
            id,
            invoice_id,
            date: entered.date,
            amount_pence: written.amount.0,
            vat_pence: written.vat.0,
            account_id: written.account_id.0,
            relief: written.relief,
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
        Ok(self.put_write_off(ChangeAction::Create, row))
    }

    pub(crate) fn void_write_off(
        &mut self,
        request: &CommandRequest,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let found = self.facts.write_offs.get(&id).filter(|(of, _)| *of == organisation);
        let (_, row) = found.cloned().ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        let journal = self.facts.journals.get(&row.journal_id).map(as_posted).transpose()?;
        let journal = journal.ok_or(Rejection::Unknown)?;
        let invoice = DocumentId(row.invoice_id);
        let register = self.register([row.invoice_id], []);
        let from = AllocationEnd::WriteOff(Some(WriteOffId(id)));
        let known = register.documents.get(&invoice).ok_or(Rejection::Unknown)?;
        let own = known.allocations.iter().find(|one| one.from == from).and_then(|one| one.id);
        let posted = PostedWriteOff {
            date: row.date,
            status: row.journal_status(),
            invoice,
            allocation: own.ok_or(Rejection::Unknown)?,
            journal: &journal,
        };
        let voided = write_off::void(&self.books.books(), &register, &posted, void_date)?;
        let void_journal_id = Some(self.reverse(request, voided.reversal, reason));
        self.apply_allocations(&voided.effects, None)?;
        let row = WriteOffRecord {
            void_journal_id,
            void_date: Some(voided.date),
            void_reason: reason.map(str::to_owned),
            updated_at_ms: self.now_ms,
            version: row.version + 1,
            ..row
        };
        Ok(self.put_write_off(ChangeAction::Void, row))
    }

    /// Writes a write-off with its entry of the history; gives the answer.
    fn put_write_off(&mut self, action: ChangeAction, row: WriteOffRecord) -> CommandResult {
        let organisation = self.organisation();
        let before = self.facts.write_offs.get(&row.id).map(|(_, before)| before.audit_fields());
        self.effects.push(organisation, Effect::WriteOff(row.id));
        self.facts.write_offs.insert(row.id, (organisation, row.clone()));
        let invoice = self.facts.document(organisation, row.invoice_id);
        let invoice_number = invoice.and_then(|invoice| invoice.number.clone());
        let number = invoice_number.as_deref().unwrap_or_default();
        let summary = format!("Write-off of sales invoice {number} {}", action.done());
        self.record_change(action, (Resource::WriteOff, row.id), summary, before, Some(row.audit_fields()));
        let account = self.books.accounts.get(&row.account_id);
        let account_code = account.map(|account| account.code.clone()).unwrap_or_default();
        CommandResult::WriteOff(Box::new(WriteOffView { row, invoice_number, account_code }))
    }
}

//! Decides manual journals, and writes the journals and the entries of VAT that other decisions post.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::{CashMovement, Effect, JournalEntry, ListDay, VatCause, VatEntryRecord};
use crate::domain::books::facts::LoadedJournal;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::journal::{JournalLineView, JournalView};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId, DocumentId, JournalId};
use crate::domain::ledger::allocation::Document;
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::journal::{Journal, JournalStatus, Line, PostedJournal, Source, SourceType, Target};
use crate::domain::ledger::manual_journal::ManualJournal;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::open_item::{OpenItem, OpenItemSource};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatEntry;
use crate::domain::ledger::vat::{VatCode, VatOrigin};
use crate::domain::ledger::year_end;
use crate::domain::ledger::year_end::NO_DAY;
use crate::domain::ledger::{journal, manual_journal};

impl BooksTransaction<'_> {
    pub(crate) fn post_journal(
        &mut self,
        request: &CommandRequest,
        entered: &ManualJournal,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let named = entered.lines.iter().filter_map(|line| line.contact_id);
        let of_here = |id: &ContactId| self.facts.contacts.get(&id.0).filter(|(of, _)| *of == organisation);
        let known: Vec<_> = named.filter_map(|id| Some((id, of_here(&id)?.1.kind))).collect();
        let journal = manual_journal::post(&self.books.books(), entered, &known)?;
        let view = self.write_journal(request, journal);
        self.effects.count(organisation, "journal", "posted", 1);
        Ok(CommandResult::Journal(Box::new(view)))
    }

    pub(crate) fn void_journal(
        &mut self,
        request: &CommandRequest,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let loaded = self.facts.journals.get(&id).filter(|journal| journal.organisation == organisation);
        let loaded = loaded.ok_or(Rejection::Unknown)?;
        let posted = as_posted(loaded)?;
        let mut voided = loaded.view.clone();
        // A journal has two versions: as posted, and void.
        require_version(request, voided.version())?;
        if let Some(transaction) = self.facts.linked.get(&id) {
            let source_type = SourceType::BankTransaction;
            return Err(Refusal::LinkedToDocument { source_type, source_id: Some(*transaction) }.into());
        }
        let documents = self.opening_documents(&voided);
        let known = documents.iter().filter_map(|row| self.facts.register.documents.get(&DocumentId(row.id)));
        let allocations: Vec<_> = known.clone().flat_map(Document::active_allocation_ids).collect();
        // What was once settled with a document stood until it was released.
        let earliest = known.map(Document::earliest_change_date).fold(voided.entry_date, Date::max);
        let is_open = journal::require_open(voided.entry_date, self.books.lock_date()).is_ok();
        let asked = void_date.or(Some(earliest).filter(|date| is_open && *date > voided.entry_date));
        let reversal = manual_journal::void(&posted, asked, &allocations, self.books.lock_date())?;
        let date = journal::void_date(voided.entry_date, earliest, Some(reversal.entry_date), self.books.lock_date())?;
        self.reopen_if_opening(&voided);
        let reversed = self.reverse(request, reversal, reason);
        self.void_opening_documents(documents, (reversed, date), reason);
        voided.reversed_by = Some(reversed);
        Ok(CommandResult::Journal(Box::new(voided)))
    }

    /// Notes a journal for writing, with the accounts it needs first.
    pub(crate) fn write_journal(&mut self, request: &CommandRequest, journal: Journal) -> JournalView {
        self.write_journal_of(request, journal, None)
    }

    /// The same for the journal of a document, to whose lines its VAT belongs.
    pub(crate) fn write_journal_of(
        &mut self,
        request: &CommandRequest,
        mut journal: Journal,
        of: Option<&DocumentRecord>,
    ) -> JournalView {
        let roles: Vec<Role> = journal.roles_to_make().cloned().collect();
        for role in roles {
            // Another journal of the same decision may have made it.
            let known = self.books.chart.with_role(&role).map(|account| account.id);
            let made = known.or_else(|| {
                let new = self.books.chart.first_use(&role)?;
                Some(AccountId(self.add_account(new).id))
            });
            if let Some(made) = made {
                journal.made(&role, made);
            }
        }
        let id = self.identifiers.next(IdSequence::Journal);
        let number = self.books.next_journal_number;
        self.books.next_journal_number += 1;
        let mut view = JournalView {
            id,
            number,
            entry_date: journal.entry_date,
            description: journal.description.clone(),
            reference: journal.reference.clone(),
            source_type: journal.source.kind.as_str().to_owned(),
            source_id: journal.source.id,
            reverses: journal.reverses.map(|id| id.0),
            reversed_by: None,
            total_pence: journal.total_debit().0,
            created_at_ms: self.now_ms,
            user_id: request.actor.user_id.0,
            key_prefix: request.actor.key_prefix.clone(),
            lines: Vec::with_capacity(journal.lines.len()),
        };
        let is_direct = self.is_direct(&journal);
        let mut direct = Vec::with_capacity(journal.lines.len());
        let counting_days = self.closing_of(&journal).map(|last| self.counting_days(&journal, last));
        for (at, line) in journal.lines.iter().enumerate() {
            let line = self.line_view(&view, line);
            let day = counting_days.as_ref().and_then(|days| days.get(at)).copied().unwrap_or(view.entry_date);
            direct.push(self.move_balances(day, &line, is_direct));
            view.lines.push(line);
        }
        if !self.facts.vat_postings.is_empty() {
            self.note_vat_posting(&view, of);
        }
        let organisation = self.organisation();
        self.effects.count_day(organisation, ListDay::dated("journal", None, view.entry_date), 1);
        self.effects.count_day(organisation, ListDay::changed("journal", None, self.now_ms), 1);
        self.effects.count(organisation, "journal type", journal.source.kind.as_str(), 1);
        if self.is_plan {
            // As it would be loaded: its VAT belongs to the document, not to one of its lines.
            let document = of.map(|row| VatOrigin::Document(DocumentId(row.id)));
            let mut vat = journal.vat.clone();
            for entry in vat.iter_mut().filter(|entry| matches!(entry.origin, VatOrigin::DocumentLine(_))) {
                entry.origin = document.unwrap_or(entry.origin);
            }
            self.facts.journals.insert(id, LoadedJournal { organisation, view: view.clone(), vat });
        }
        let cash = self.cash_movement(&view);
        let open_items = self.open_lines(&view, is_direct);
        let entry = JournalEntry { view: view.clone(), direct, cash, open_items, counting_days };
        self.effects.push(organisation, Effect::Journal(Box::new(entry)));
        for entry in &journal.vat {
            let line = match entry.origin {
                VatOrigin::JournalLine(at) => view.lines.get(at).map(|line| line.id),
                VatOrigin::DocumentLine(_) | VatOrigin::Document(_) => None,
            };
            self.write_vat_entry(entry, VatCause::Journal(id, line), of);
        }
        let summary = format!("Journal {number} posted: {}", view.description);
        self.record_change(ChangeAction::Create, (Resource::Journal, id), summary, None, Some(view.audit_fields()));
        view
    }

    /// Notes a journal with VAT, by its own lines or by those of its document, for a VAT scheme that is to begin.
    fn note_vat_posting(&mut self, journal: &JournalView, of: Option<&DocumentRecord>) {
        let own = journal.lines.iter().filter_map(|line| line.vat_code.as_deref().and_then(VatCode::parse));
        let of_document = of.iter().flat_map(|row| row.lines.iter().map(|line| line.vat_code));
        if journal.reverses.is_some() || !own.chain(of_document).any(VatCode::is_in_return) {
            return;
        }
        let origin = of.and_then(|row| self.facts.document(self.organisation(), row.origin_id?));
        let origin_date = origin.filter(|origin| origin.basis.is_some()).map(|origin| origin.date);
        self.facts.note_vat_posting(self.organisation(), (journal.entry_date, journal.id), origin_date);
    }

    /// Writes an entry of VAT.
    pub(crate) fn write_vat_entry(&mut self, entry: &VatEntry, cause: VatCause, of: Option<&DocumentRecord>) {
        let (document, line) = match entry.origin {
            VatOrigin::JournalLine(_) => (None, None),
            VatOrigin::DocumentLine(at) => {
                (of.map(|row| row.id), of.and_then(|row| row.lines.get(at)).map(|line| line.id))
            }
            VatOrigin::Document(id) => (Some(id.0), None),
        };
        let id = self.identifiers.next(IdSequence::VatEntry);
        let organisation = self.organisation();
        let record = VatEntryRecord {
            id,
            cause,
            document,
            document_line: line,
            cursor: self.books.next_change,
            entry: entry.clone(),
        };
        self.effects.push(organisation, Effect::VatEntry(Box::new(record)));
    }

    fn line_view(&mut self, journal: &JournalView, line: &Line) -> JournalLineView {
        let account_id = match &line.target {
            Target::Account(id) => id.0,
            // Made before; 0 is an account nobody has, which the schema refuses.
            Target::FirstUse(_) => 0,
        };
        let account = self.books.accounts.get(&account_id);
        JournalLineView {
            id: self.identifiers.next(IdSequence::JournalLine),
            line_number: i64::try_from(journal.lines.len()).unwrap_or(i64::MAX).saturating_add(1),
            account_id,
            account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
            account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
            debit_pence: line.debit().0,
            credit_pence: line.credit().0,
            memo: line.memo.clone(),
            vat_code: line.vat_code.map(|code| code.code().to_owned()),
            vat_pence: line.vat_amount.map(|vat| vat.0),
            contact_id: line.contact_id.map(|id| id.0),
            system: line.is_system,
        }
    }

    /// Whether what a journal posts to customers and suppliers is due on its day, no document saying otherwise.
    fn is_direct(&self, journal: &Journal) -> bool {
        let of_reversed = journal.reverses.and_then(|id| self.facts.journals.get(&id.0));
        let source = match of_reversed {
            Some(reversed) => SourceType::parse(&reversed.view.source_type),
            None => Some(journal.source.kind),
        };
        match source {
            Some(kind) => !kind.is_documented(),
            None => true,
        }
    }

    /// The lines of a journal among debtors and creditors that no document or settlement stands behind. A reversal has none:
    /// it ends those of what it reverses.
    fn open_lines(&self, journal: &JournalView, is_direct: bool) -> Vec<OpenItem> {
        let reversed = journal.reverses.and_then(|id| self.facts.journals.get(&id)).map(|loaded| &loaded.view);
        let (begun, reversed) = match reversed {
            Some(begun) => (begun, Some(journal.entry_date)),
            None if journal.reverses.is_some() => return Vec::new(),
            None => (journal, None),
        };
        let item = |line: &JournalLineView| {
            let account = self.books.chart.get(AccountId(line.account_id))?;
            let side = match account.role {
                Some(Role::AccountsReceivable) => ContactKind::Customer,
                Some(Role::AccountsPayable) => ContactKind::Supplier,
                _ => return None,
            };
            let contact_id = line.contact_id.map(ContactId);
            let source = OpenItemSource::JournalLine(side, line.id);
            let is_own = is_direct || contact_id.is_none();
            is_own.then(|| OpenItem::of_line(source, contact_id, begun.entry_date, reversed))
        };
        begun.lines.iter().filter_map(item).collect()
    }

    /// What a journal moves on all bank accounts taken together.
    fn cash_movement(&self, journal: &JournalView) -> Option<CashMovement> {
        let is_bank = |account| self.books.chart.get(AccountId(account)).is_some_and(|one| one.has_role(&Role::Bank));
        let of_banks = journal.lines.iter().filter(|line| is_bank(line.account_id));
        let pence: Pence = of_banks.map(|line| Pence(line.debit_pence - line.credit_pence)).sum();
        let reversed = journal.reverses.and_then(|id| self.facts.journals.get(&id));
        let reversed = reversed.map(|loaded| loaded.view.entry_date);
        (!pence.is_zero()).then_some(CashMovement { pence: pence.0, reversed })
    }

    /// The last day of the financial year that a journal closes, or whose closing it undoes.
    fn closing_of(&self, journal: &Journal) -> Option<Date> {
        let reversed = journal.reverses.and_then(|id| self.facts.journals.get(&id.0)).map(|loaded| &loaded.view);
        let is_closing = match reversed {
            Some(reversed) => SourceType::parse(&reversed.source_type) == Some(SourceType::YearEndClose),
            None => journal.source.kind == SourceType::YearEndClose,
        };
        is_closing.then_some(journal.entry_date)
    }

    /// The days from which the lines of a closing count.
    pub(crate) fn counting_days(&self, journal: &Journal, last: Date) -> Vec<Date> {
        let line = |line: &Line| {
            let account = match &line.target {
                Target::Account(id) => self.books.chart.get(*id),
                Target::FirstUse(_) => None,
            };
            (account.is_some_and(|account| account.account_type.is_profit_and_loss()), line.amount)
        };
        year_end::counting_days(journal.lines.iter().map(line), last)
    }

    /// Moves the loaded balances by a line; gives whether it counts as direct, when its account keeps balances by contact.
    fn move_balances(&mut self, date: Date, line: &JournalLineView, is_direct: bool) -> Option<bool> {
        let account = self.books.chart.get(AccountId(line.account_id));
        let is_control = account.is_some_and(|account| {
            account.has_role(&Role::AccountsReceivable) || account.has_role(&Role::AccountsPayable)
        });
        let direct = is_control.then_some(is_direct);
        if date != NO_DAY {
            self.facts.move_balances(date, line, direct, self.today);
            self.facts.add_to_closing(self.organisation(), date, line);
        }
        if let Some(contact) = line.contact_id {
            self.mark_used(contact);
        }
        direct
    }
}

/// A stored journal as the rules know it.
pub(crate) fn as_posted(loaded: &LoadedJournal) -> Result<PostedJournal, Rejection> {
    let view = &loaded.view;
    let kind = SourceType::parse(&view.source_type)
        .ok_or_else(|| Rejection::Corrupt(format!("source type: {}", view.source_type)))?;
    let lines = view.lines.iter().map(|line| Line {
        target: Target::Account(AccountId(line.account_id)),
        amount: Pence(line.debit_pence - line.credit_pence),
        memo: line.memo.clone(),
        vat_code: line.vat_code.as_deref().and_then(VatCode::parse),
        vat_amount: line.vat_pence.map(Pence),
        contact_id: line.contact_id.map(ContactId),
        is_system: line.system,
    });
    Ok(PostedJournal {
        id: JournalId(view.id),
        number: view.number,
        status: if view.reversed_by.is_some() { JournalStatus::Void } else { JournalStatus::Posted },
        journal: Journal {
            entry_date: view.entry_date,
            description: view.description.clone(),
            reference: view.reference.clone(),
            memo: None,
            source: Source { kind, id: view.source_id },
            reverses: view.reverses.map(JournalId),
            lines: lines.collect(),
            vat: loaded.vat.clone(),
        },
    })
}

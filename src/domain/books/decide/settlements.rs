//! Decides receipts, payments and refunds: what they post, what they are allocated to, and how they are voided.

use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::{Effect, ListCounters};
use crate::domain::books::facts::LoadedJournal;
use crate::domain::books::numbers::{IdSequence, Numbered};
use crate::domain::books::records::settlement::{
    AllocationInput, AllocationTarget, NamedSettlementAccount, PaymentMethod, SettlementField, SettlementInput,
    SettlementRecord, SettlementView, list_name,
};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, ContactId, DocumentId, SettlementId};
use crate::domain::ledger::allocate::{AllocateRequest, AllocateTo};
use crate::domain::ledger::allocation::{AllocationEnd, Register};
use crate::domain::ledger::contact::{Contact, ContactKind};
use crate::domain::ledger::journal::Journal;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::settlement;
use crate::domain::ledger::settlement::{EnteredSettlement, Reallocated, SettlementAccount};

/// The fields of a settlement that no rule reads.
#[derive(Default)]
pub(crate) struct SettlementDetails {
    pub(crate) reference: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) method: Option<PaymentMethod>,
    /// The statement line that creates the settlement.
    pub(crate) bank_transaction_id: Option<i64>,
}

impl BooksTransaction<'_> {
    pub(crate) fn create_settlement(
        &mut self,
        request: &CommandRequest,
        entry: &SettlementInput,
    ) -> Result<CommandResult, Rejection> {
        let through = self.settlement_account(&entry.through)?;
        let entered = EnteredSettlement {
            kind: entry.kind,
            contact_id: ContactId(entry.contact_id),
            date: entry.date,
            amount: Pence(entry.amount_pence),
            allocations: requests(&entry.allocations),
            is_auto_allocated: entry.is_auto_allocated,
        };
        let details = SettlementDetails {
            reference: entry.reference.clone(),
            memo: entry.memo.clone(),
            method: entry.method,
            bank_transaction_id: None,
        };
        let row = self.post_settlement(request, &entered, &through, details)?;
        self.settlement_result(row.id)
    }

    /// The account that the cash of a settlement moves through. That of a bank account is the bank account, whichever key
    /// names it.
    fn settlement_account(&self, named: &NamedSettlementAccount) -> Result<SettlementAccount, Refusal> {
        match named {
            NamedSettlementAccount::Bank(id) => {
                let unknown = || Refusal::UnknownReference { field: "bank_account_id".to_owned(), id: *id };
                self.bank(*id).map(SettlementAccount::Bank).ok_or_else(unknown)
            }
            NamedSettlementAccount::Account(name) => {
                let account = self.books.books().named_account(name, str::to_owned)?.clone();
                let bank = self.books.bank_accounts.values().find(|bank| bank.account_id == account.id.0);
                let other = SettlementAccount::Other { account, field: name.key() };
                Ok(bank.map_or(other, |bank| SettlementAccount::Bank(bank.to_domain())))
            }
        }
    }

    /// Posts a settlement and allocates it.
    pub(crate) fn post_settlement(
        &mut self,
        request: &CommandRequest,
        entered: &EnteredSettlement,
        through: &SettlementAccount,
        details: SettlementDetails,
    ) -> Result<SettlementRecord, Rejection> {
        let (kind, organisation) = (entered.kind, self.organisation());
        let found = self.facts.contacts.get(&entered.contact_id.0).filter(|(of, _)| *of == organisation);
        let contact: Option<Contact> = found.map(|(_, row)| row.to_domain());
        let mut register = self.allocation_register(&entered.allocations, None);
        if entered.is_auto_allocated {
            let open = self.open_invoices(kind.document_kind(), entered.contact_id.0);
            let more = self.register(open, []);
            register.documents.extend(more.documents);
            register.settlements.extend(more.settlements);
        }
        let numbered = Numbered::Settlements(kind.document_kind().side());
        let number = self.upcoming_number(numbered);
        let settled = settlement::settle(&self.books.books(), contact.as_ref(), through, &register, entered, &number)?;
        let number = self.next_number(numbered);
        let id = self.identifiers.next(IdSequence::Settlement);
        let journal_id = self.write_settlement_journal(request, id, settled.journal);
        for journal in settled.later {
            self.write_settlement_journal(request, id, journal);
        }
        let (bank_account_id, account_id) = match through {
            SettlementAccount::Bank(bank) => (Some(bank.id.0), None),
            SettlementAccount::Other { account, .. } => (None, Some(account.id.0)),
        };
        let row = SettlementRecord {
            id,
            kind,
            number,
            contact_id: entered.contact_id.0,
            date: entered.date,
            amount_pence: entered.amount.0,
            bank_account_id,
            account_id,
            reference: details.reference,
            memo: details.memo,
            method: details.method,
            allocated_pence: 0,
            cis_pence: settled.withheld.0,
            bank_transaction_id: details.bank_transaction_id,
            journal_id,
            void_journal_id: None,
            void_date: None,
            void_reason: None,
            last_emailed_at_ms: None,
            email_count: 0,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        self.effects.count(organisation, list_name(row.side()), "posted", 1);
        self.put_settlement(row.clone());
        self.apply_allocations(&settled.effects, Some(AllocationEnd::Settlement(Some(SettlementId(id)))))?;
        self.record_settlement_change(None, id);
        Ok(row)
    }

    /// Writes a journal of a settlement; returns its identifier.
    fn write_settlement_journal(&mut self, request: &CommandRequest, id: i64, mut journal: Journal) -> i64 {
        journal.source.id = Some(id);
        let view = self.write_journal(request, journal);
        let organisation = self.organisation();
        self.effects.count(organisation, "journal", "posted", 1);
        let written = view.id;
        if self.is_plan && !self.facts.settlement_journals.contains_key(&id) {
            self.facts.settlement_journals.insert(id, Vec::new());
        }
        // A later command of the group may void the settlement.
        if self.facts.settlement_journals.contains_key(&id) {
            self.facts.settlement_journals.update(&id, |known| known.push(written));
            self.facts.journals.insert(written, LoadedJournal { organisation, view, vat: Vec::new() });
        }
        written
    }

    /// Sets a settlement.
    pub(crate) fn put_settlement(&mut self, row: SettlementRecord) {
        let organisation = self.organisation();
        self.facts.register.put_settlement(SettlementId(row.id), row.to_domain(Vec::new()));
        let (id, after) = (row.id, ListCounters::from(&row));
        let before = self.facts.settlements.insert(id, (organisation, row));
        self.effects.move_counters(organisation, before.map(|(_, row)| ListCounters::from(row)), Some(after));
        self.effects.push(organisation, Effect::Settlement(id));
    }

    /// Writes a changed settlement, with an entry of the history.
    pub(crate) fn write_changed_settlement(&mut self, row: SettlementRecord) {
        let (id, before) = (row.id, self.facts.settlements.get(&row.id).map(|(_, before)| before.clone()));
        self.put_settlement(SettlementRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row });
        self.record_settlement_change(before.as_ref(), id);
    }

    /// Adds the change of a settlement to the history.
    fn record_settlement_change(&mut self, before: Option<&SettlementRecord>, id: i64) {
        let Some((_, row)) = self.facts.settlements.get(&id) else { return };
        let action = row.action_since(before);
        let (summary, after) = (format!("{} {}", row.title(), action.done()), row.audit_fields());
        let on = (row.resource(), id);
        self.record_change(action, on, summary, before.map(SettlementRecord::audit_fields), Some(after));
    }

    /// A settlement, if it is of this organisation and side.
    pub(crate) fn known_settlement(&self, side: ContactKind, id: i64) -> Option<&SettlementRecord> {
        let found =
            self.facts.settlements.get(&id).filter(|(of, row)| *of == self.organisation() && row.side() == side);
        found.map(|(_, row)| row)
    }

    /// A settlement, if the caller has seen its version.
    fn settlement(&self, request: &CommandRequest, side: ContactKind, id: i64) -> Result<SettlementRecord, Rejection> {
        let row = self.known_settlement(side, id).cloned().ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row)
    }

    /// The register of the documents and settlements that allocations go to, and of the settlement they come from.
    fn allocation_register(&self, requests: &[AllocateRequest], of: Option<i64>) -> Register {
        let documents = requests.iter().filter_map(|request| match request.to {
            AllocateTo::Document(id) => Some(id.0),
            AllocateTo::Settlement(_) => None,
        });
        let settlements = requests.iter().filter_map(|request| match request.to {
            AllocateTo::Settlement(id) => Some(id.0),
            AllocateTo::Document(_) => None,
        });
        self.register(documents, settlements.chain(of))
    }

    pub(crate) fn patch_settlement(
        &mut self,
        request: &CommandRequest,
        side: ContactKind,
        id: i64,
        fields: &[SettlementField],
    ) -> Result<CommandResult, Rejection> {
        let mut row = self.settlement(request, side, id)?;
        if row.is_void() {
            return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] }.into());
        }
        for field in fields {
            match field {
                SettlementField::Reference(reference) => row.reference.clone_from(reference),
                SettlementField::Memo(memo) => row.memo.clone_from(memo),
            }
        }
        self.write_changed_settlement(row);
        self.settlement_result(id)
    }

    pub(crate) fn allocate_settlement(
        &mut self,
        request: &CommandRequest,
        side: ContactKind,
        id: i64,
        entries: &[AllocationInput],
    ) -> Result<CommandResult, Rejection> {
        self.settlement(request, side, id)?;
        let requests = requests(entries);
        let register = self.allocation_register(&requests, Some(id));
        let known = register.settlements.get(&SettlementId(id)).ok_or(Rejection::Unknown)?;
        let changed = settlement::allocate(&self.books.books(), &register, known, &requests)?;
        self.write_reallocation(request, id, changed)
    }

    pub(crate) fn unallocate_settlement(
        &mut self,
        request: &CommandRequest,
        side: ContactKind,
        id: i64,
        allocation_ids: &[i64],
    ) -> Result<CommandResult, Rejection> {
        self.settlement(request, side, id)?;
        let ids: Vec<AllocationId> = allocation_ids.iter().copied().map(AllocationId).collect();
        let register = self.register([], [id]);
        let known = register.settlements.get(&SettlementId(id)).ok_or(Rejection::Unknown)?;
        let changed = settlement::unallocate(&self.books.books(), &register, known, &ids)?;
        self.write_reallocation(request, id, changed)
    }

    /// Writes the journals and allocations of a settlement whose allocations changed.
    fn write_reallocation(
        &mut self,
        request: &CommandRequest,
        id: i64,
        changed: Reallocated,
    ) -> Result<CommandResult, Rejection> {
        for journal in changed.journals {
            self.write_settlement_journal(request, id, journal);
        }
        self.apply_allocations(&changed.effects, None)?;
        self.settlement_result(id)
    }

    pub(crate) fn void_settlement(
        &mut self,
        request: &CommandRequest,
        side: ContactKind,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let row = self.settlement(request, side, id)?;
        self.reverse_settlement(request, id, void_date, reason)?;
        let shown_by = row.bank_transaction_id.and_then(|line| self.facts.transactions.get(&line));
        if let Some(line) = shown_by.map(|(_, line)| line.clone()) {
            self.set_back(line);
        }
        self.settlement_result(id)
    }

    /// Reverses the journals of a settlement and releases its allocations. The caller sets back the statement line that
    /// shows it.
    pub(crate) fn reverse_settlement(
        &mut self,
        request: &CommandRequest,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<(), Rejection> {
        let organisation = self.organisation();
        // A settlement of the same group did not exist when the request to void it was made.
        let written = self.facts.settlement_journals.get(&id).cloned().ok_or(Rejection::Unknown)?;
        let journals = written.iter().filter_map(|journal| self.facts.journals.get(journal));
        let journals = journals.map(as_posted).collect::<Result<Vec<_>, _>>()?;
        let register = self.register([], [id]);
        let known = register.settlements.get(&SettlementId(id)).ok_or(Rejection::Unknown)?;
        let voided = settlement::void(&self.books.books(), &register, known, &journals, void_date)?;
        let (_, row) = self.facts.settlements.get(&id).cloned().ok_or(Rejection::Unknown)?;
        let mut void_journal_id = None;
        for (posted, reversal) in journals.iter().zip(voided.reversals) {
            let (journal, date) = (posted.id.0, posted.journal.entry_date);
            let reversed = self.write_journal(request, reversal).id;
            self.push_reversal((journal, date), reversed, reason);
            self.facts.linked.remove(&journal);
            if journal == row.journal_id {
                void_journal_id = Some(reversed);
            }
        }
        self.apply_allocations(&voided.effects, Some(AllocationEnd::Settlement(Some(SettlementId(id)))))?;
        self.effects.count(organisation, list_name(row.side()), "posted", -1);
        self.effects.count(organisation, list_name(row.side()), "void", 1);
        let Some((_, released)) = self.facts.settlements.get(&id).cloned() else { return Err(Rejection::Unknown) };
        self.put_settlement(SettlementRecord {
            bank_transaction_id: None,
            void_journal_id,
            void_date: Some(voided.date),
            void_reason: reason.map(str::to_owned),
            updated_at_ms: self.now_ms,
            version: released.version + 1,
            ..released
        });
        self.record_settlement_change(Some(&row), id);
        Ok(())
    }

    /// The answer about a settlement.
    fn settlement_result(&self, id: i64) -> Result<CommandResult, Rejection> {
        let view = self.settlement_view(id).ok_or(Rejection::Unknown)?;
        Ok(CommandResult::Settlement(Box::new(view)))
    }

    /// The view of a settlement.
    pub(crate) fn settlement_view(&self, id: i64) -> Option<SettlementView> {
        let (_, row) = self.facts.settlements.get(&id)?;
        let known = self.facts.register.settlements.get(&SettlementId(id))?;
        let end = AllocationEnd::Settlement(known.id);
        let account = row.account_id.and_then(|id| self.books.accounts.get(&id));
        let code = account.map(|account| account.code.clone());
        let allocations = self.allocation_views(&known.allocations, end);
        Some(row.clone().into_view(self.contact_name(row.contact_id), code, allocations))
    }
}

/// Allocations as the rules read them.
pub(crate) fn requests(entries: &[AllocationInput]) -> Vec<AllocateRequest> {
    let request = |entry: &AllocationInput| AllocateRequest {
        to: match entry.to {
            AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => AllocateTo::Document(DocumentId(id)),
            AllocationTarget::Settlement(id) => AllocateTo::Settlement(SettlementId(id)),
        },
        amount: Pence(entry.amount_pence),
        cis_suffered: Pence(entry.cis_suffered_pence),
    };
    entries.iter().map(request).collect()
}

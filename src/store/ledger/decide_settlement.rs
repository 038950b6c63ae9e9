//! Decides receipts, payments and refunds: what they post, what they are set against, and how they are undone.

use super::decide::{Desk, Stop, require_version};
use super::decide_journal::as_posted;
use super::facts::LoadedJournal;
use super::ids::Kind;
use super::numbers::Numbered;
use super::post::{Post, Posted};
use super::settlements::{
    AllocationEntry, AllocationTarget, PaymentMethod, SettlementEntry, SettlementField, SettlementRow, SettlementView,
};
use super::tallies::Tally;
use crate::domain::ledger::allocate::{AllocateRequest, AllocateTo};
use crate::domain::ledger::allocation::{AllocationEnd, Register};
use crate::domain::ledger::bank::BankAccount;
use crate::domain::ledger::contact::{Contact, ContactKind};
use crate::domain::ledger::ids::{AllocationId, ContactId, DocumentId, SettlementId};
use crate::domain::ledger::journal::Journal;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::settlement::{self, EnteredSettlement, Reallocated};

/// What is said of a settlement beside what it settles.
#[derive(Default)]
pub(super) struct Said {
    pub(super) reference: Option<String>,
    pub(super) memo: Option<String>,
    pub(super) method: Option<PaymentMethod>,
    /// The line of a statement that makes it.
    pub(super) bank_transaction_id: Option<i64>,
}

/// The list that counts the settlements of a side.
pub(super) const fn list(side: ContactKind) -> &'static str {
    match side {
        ContactKind::Customer => "customer_receipt",
        ContactKind::Supplier => "supplier_payment",
    }
}

impl Desk<'_> {
    pub(super) fn create_settlement(&mut self, post: &Post, entry: &SettlementEntry) -> Result<Posted, Stop> {
        let unknown = || Refusal::UnknownReference { field: "bank_account_id".to_owned(), id: entry.bank_account_id };
        let bank = self.bank(entry.bank_account_id).ok_or_else(unknown)?;
        let entered = EnteredSettlement {
            kind: entry.kind,
            contact_id: ContactId(entry.contact_id),
            date: entry.day,
            amount: Pence(entry.amount_pence),
            allocations: requests(&entry.allocations),
            is_auto_allocated: entry.is_auto_allocated,
        };
        let said = Said {
            reference: entry.reference.clone(),
            memo: entry.memo.clone(),
            method: entry.method,
            bank_transaction_id: None,
        };
        let row = self.settle(post, &entered, &bank, said)?;
        self.shown_settlement(row.id)
    }

    /// Posts a settlement and sets it against what it names.
    pub(super) fn settle(
        &mut self,
        post: &Post,
        entered: &EnteredSettlement,
        bank: &BankAccount,
        said: Said,
    ) -> Result<SettlementRow, Stop> {
        let (kind, organisation) = (entered.kind, self.organisation());
        let found = self.facts.contacts.get(&entered.contact_id.0).filter(|(of, _)| *of == organisation);
        let contact: Option<Contact> = found.map(|(_, row)| row.for_rules());
        let mut register = self.named_register(&entered.allocations, None);
        if entered.is_auto_allocated {
            let open = self.open_invoices(kind.document_kind(), entered.contact_id.0);
            let more = self.register(open, []);
            register.documents.extend(more.documents);
            register.settlements.extend(more.settlements);
        }
        let numbered = Numbered::Settlements(kind.document_kind().side());
        let number = self.coming_number(numbered);
        let settled = settlement::settle(&self.books.books(), contact.as_ref(), bank, &register, entered, &number)?;
        let number = self.next_number(numbered);
        let id = self.identifiers.next(Kind::Settlement);
        let journal_id = self.post_of_settlement(post, id, settled.journal);
        for journal in settled.later {
            self.post_of_settlement(post, id, journal);
        }
        let row = SettlementRow {
            id,
            kind,
            number,
            contact_id: entered.contact_id.0,
            day: entered.date,
            amount_pence: entered.amount.0,
            bank_account_id: bank.id.0,
            reference: said.reference,
            memo: said.memo,
            method: said.method,
            allocated_pence: 0,
            cis_pence: settled.withheld.0,
            bank_transaction_id: said.bank_transaction_id,
            journal_id,
            void_journal_id: None,
            void_day: None,
            void_reason: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        self.effects.count(organisation, list(row.side()), "posted", 1);
        self.put_settlement(row.clone());
        self.apply_allocations(&settled.effects, Some(SettlementId(id)))?;
        self.tell_settlement(None, id);
        Ok(row)
    }

    /// Writes a journal of a settlement; gives its id.
    fn post_of_settlement(&mut self, post: &Post, id: i64, mut journal: Journal) -> i64 {
        journal.source.id = Some(id);
        let view = self.write_journal(post, journal);
        let organisation = self.organisation();
        self.effects.count(organisation, "journal", "posted", 1);
        let written = view.id;
        // A posting later in the group may undo it.
        if let Some(known) = self.facts.settlement_journals.get_mut(&id) {
            known.push(written);
            self.facts.journals.insert(written, LoadedJournal { organisation, view, vat: Vec::new() });
        }
        written
    }

    /// The settlement as it is from now on.
    pub(super) fn put_settlement(&mut self, row: SettlementRow) {
        let organisation = self.organisation();
        let id = SettlementId(row.id);
        let known = self.facts.register.settlements.remove(&id).map(|known| known.allocations);
        self.facts.register.settlements.insert(id, row.for_rules(known.unwrap_or_default()));
        let before = self.facts.settlements.insert(row.id, (organisation, row.clone()));
        self.effects.tally(organisation, before.map(|(_, row)| Tally::from(&row)), Some(Tally::from(&row)));
        self.effects.settlement(organisation, row);
    }

    /// The same for one that is changed, which is counted and told.
    pub(super) fn changed_settlement(&mut self, row: SettlementRow) {
        let (id, before) = (row.id, self.facts.settlements.get(&row.id).map(|(_, before)| before.clone()));
        self.put_settlement(SettlementRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row });
        self.tell_settlement(before.as_ref(), id);
    }

    fn tell_settlement(&mut self, before: Option<&SettlementRow>, id: i64) {
        let Some((_, row)) = self.facts.settlements.get(&id) else { return };
        let action = row.action_since(before);
        let (summary, after) = (format!("{} {}", row.title(), action.done()), row.told());
        let on = (row.resource(), id);
        self.note_change(action, on, summary, before.map(SettlementRow::told), Some(after));
    }

    /// A settlement of this organisation.
    pub(super) fn known_settlement(&self, side: ContactKind, id: i64) -> Option<&SettlementRow> {
        let found =
            self.facts.settlements.get(&id).filter(|(of, row)| *of == self.organisation() && row.side() == side);
        found.map(|(_, row)| row)
    }

    fn settlement(&self, post: &Post, side: ContactKind, id: i64) -> Result<SettlementRow, Stop> {
        let row = self.known_settlement(side, id).cloned().ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row)
    }

    /// What requests name, with the settlement they are of.
    fn named_register(&self, requests: &[AllocateRequest], of: Option<i64>) -> Register {
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

    pub(super) fn patch_settlement(
        &mut self,
        post: &Post,
        side: ContactKind,
        id: i64,
        fields: &[SettlementField],
    ) -> Result<Posted, Stop> {
        let mut row = self.settlement(post, side, id)?;
        if row.is_void() {
            return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] }.into());
        }
        for field in fields {
            match field {
                SettlementField::Reference(reference) => row.reference.clone_from(reference),
                SettlementField::Memo(memo) => row.memo.clone_from(memo),
            }
        }
        self.changed_settlement(row);
        self.shown_settlement(id)
    }

    pub(super) fn allocate_settlement(
        &mut self,
        post: &Post,
        side: ContactKind,
        id: i64,
        entries: &[AllocationEntry],
    ) -> Result<Posted, Stop> {
        self.settlement(post, side, id)?;
        let requests = requests(entries);
        let register = self.named_register(&requests, Some(id));
        let known = register.settlements.get(&SettlementId(id)).ok_or(Stop::Unknown)?;
        let changed = settlement::allocate(&self.books.books(), &register, known, &requests)?;
        self.reallocated(post, id, changed)
    }

    pub(super) fn unallocate_settlement(
        &mut self,
        post: &Post,
        side: ContactKind,
        id: i64,
        allocation_ids: &[i64],
    ) -> Result<Posted, Stop> {
        self.settlement(post, side, id)?;
        let ids: Vec<AllocationId> = allocation_ids.iter().copied().map(AllocationId).collect();
        let register = self.register([], [id]);
        let known = register.settlements.get(&SettlementId(id)).ok_or(Stop::Unknown)?;
        let changed = settlement::unallocate(&self.books.books(), &register, known, &ids)?;
        self.reallocated(post, id, changed)
    }

    fn reallocated(&mut self, post: &Post, id: i64, changed: Reallocated) -> Result<Posted, Stop> {
        for journal in changed.journals {
            self.post_of_settlement(post, id, journal);
        }
        self.apply_allocations(&changed.effects, None)?;
        self.shown_settlement(id)
    }

    pub(super) fn void_settlement(
        &mut self,
        post: &Post,
        side: ContactKind,
        id: i64,
        void_day: Option<i32>,
        reason: Option<&str>,
    ) -> Result<Posted, Stop> {
        let row = self.settlement(post, side, id)?;
        self.undo_settlement(post, id, void_day, reason)?;
        let shown_by = row.bank_transaction_id.and_then(|line| self.facts.transactions.get(&line));
        if let Some(line) = shown_by.map(|(_, line)| line.clone()) {
            self.set_back(line);
        }
        self.shown_settlement(id)
    }

    /// Reverses the journals of a settlement and releases its allocations. The line of a statement that shows it is the
    /// caller's to set back.
    pub(super) fn undo_settlement(
        &mut self,
        post: &Post,
        id: i64,
        asked_day: Option<i32>,
        reason: Option<&str>,
    ) -> Result<(), Stop> {
        let organisation = self.organisation();
        // One that this very group made was not there yet when its undoing was asked for.
        let written = self.facts.settlement_journals.get(&id).cloned().ok_or(Stop::Unknown)?;
        let journals = written.iter().filter_map(|journal| self.facts.journals.get(journal));
        let journals = journals.map(as_posted).collect::<Result<Vec<_>, _>>()?;
        let register = self.register([], [id]);
        let known = register.settlements.get(&SettlementId(id)).ok_or(Stop::Unknown)?;
        let voided = settlement::void(&self.books.books(), &register, known, &journals, asked_day)?;
        let (_, row) = self.facts.settlements.get(&id).cloned().ok_or(Stop::Unknown)?;
        let mut void_journal_id = None;
        for (posted, reversal) in journals.iter().zip(voided.reversals) {
            let (journal, day) = (posted.id.0, posted.journal.entry_date);
            let reversed = self.write_journal(post, reversal).id;
            self.effects.reversal(organisation, journal, day, reversed, reason);
            // The reversal stands, the original does not.
            self.effects.count(organisation, "journal", "void", 1);
            if let Some(kept) = self.facts.journals.get_mut(&journal) {
                kept.view.reversed_by = Some(reversed);
            }
            self.facts.linked.remove(&journal);
            if journal == row.journal_id {
                void_journal_id = Some(reversed);
            }
        }
        self.apply_allocations(&voided.effects, Some(SettlementId(id)))?;
        self.effects.count(organisation, list(row.side()), "posted", -1);
        self.effects.count(organisation, list(row.side()), "void", 1);
        let Some((_, released)) = self.facts.settlements.get(&id).cloned() else { return Err(Stop::Unknown) };
        self.put_settlement(SettlementRow {
            bank_transaction_id: None,
            void_journal_id,
            void_day: Some(voided.date),
            void_reason: reason.map(str::to_owned),
            updated_at_ms: self.now_ms,
            version: released.version + 1,
            ..released
        });
        self.tell_settlement(Some(&row), id);
        Ok(())
    }

    fn shown_settlement(&self, id: i64) -> Result<Posted, Stop> {
        let view = self.settlement_view(id).ok_or(Stop::Unknown)?;
        Ok(Posted::Settlement(Box::new(view)))
    }

    /// What a caller sees of a settlement, from what is at hand.
    pub(super) fn settlement_view(&self, id: i64) -> Option<SettlementView> {
        let (_, row) = self.facts.settlements.get(&id)?;
        let known = self.facts.register.settlements.get(&SettlementId(id))?;
        let end = AllocationEnd::Settlement(known.id);
        Some(row.clone().view(self.contact_name(row.contact_id), self.allocation_views(&known.allocations, end)))
    }
}

pub(super) fn requests(entries: &[AllocationEntry]) -> Vec<AllocateRequest> {
    let request = |entry: &AllocationEntry| AllocateRequest {
        to: match entry.to {
            AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => AllocateTo::Document(DocumentId(id)),
            AllocationTarget::Settlement(id) => AllocateTo::Settlement(SettlementId(id)),
        },
        amount: Pence(entry.amount_pence),
        cis_suffered: Pence(entry.cis_suffered_pence),
    };
    entries.iter().map(request).collect()
}

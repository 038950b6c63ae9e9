//! What the commands of a group are decided over: the books of each organisation, which stay in memory between groups, and
//! the facts, the records that the commands refer to, loaded beforehand. Among the facts is the register of documents and
//! settlements with their allocations, whose changes can be undone back to a mark.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::Arc;

use crate::domain::books::effects::{UndoMap, UndoMark};
use crate::domain::books::numbers::{Numbered, Sequences};
use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::BankAccountRecord;
use crate::domain::books::records::coding_policy::CodingPolicy;
use crate::domain::books::records::contact::ContactRecord;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::email::EmailRecord;
use crate::domain::books::records::import::ImportRecord;
use crate::domain::books::records::journal::{JournalLineView, JournalView};
use crate::domain::books::records::organisation::{LockChange, OrganisationRecord};
use crate::domain::books::records::preview::PreviewRecord;
use crate::domain::books::records::settlement::SettlementRecord;
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::books::records::vat_adjustment::VatAdjustmentRecord;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::books::records::write_off::WriteOffRecord;
use crate::domain::date::Date;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{AccountId, AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Document, Register, Settlement};
use crate::domain::ledger::bank_import::{AwaitedTransfer, StoredStatementLine};
use crate::domain::ledger::chart::{Account, Books, Chart, Role};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{VatEntry, VatHistory};
use crate::domain::ledger::vat_return::VatTotal;
use crate::domain::ledger::year_end::{ClosedYear, ClosingBalances};
use crate::domain::reports::contact_balances::ContactBalance;

/// A journal that commands may void, with its entries of VAT.
#[derive(Debug, Clone)]
pub(crate) struct LoadedJournal {
    pub(crate) organisation: i64,
    pub(crate) view: JournalView,
    pub(crate) vat: Vec<VatEntry>,
}

/// The scope of an `Idempotency-Key`: the person, the method, the path and the key.
pub(crate) type ReplayKey = (i64, String, String, String);

/// Declares the facts, and how all of them are marked and undone together.
macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// The facts of a group of commands. A pair of a number and a record is the record with its organisation.
        #[derive(Default)]
        pub(crate) struct Facts {
            $($(#[$doc])* pub(crate) $name: $type,)*
            /// Documents and settlements with their allocations.
            pub(crate) register: UndoRegister,
            /// The day of the latest statement line, by bank account.
            pub(crate) last_dates: HashMap<i64, Date>,
        }

        /// A state of the facts that can be returned to.
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct FactsMark {
            $($name: UndoMark,)*
            register: RegisterMark,
        }

        impl Facts {
            /// The present state.
            pub(crate) const fn mark(&self) -> FactsMark {
                FactsMark { $($name: self.$name.mark(),)* register: self.register.mark() }
            }

            /// Undoes every change since a mark.
            pub(crate) fn undo_to(&mut self, mark: FactsMark) {
                $(self.$name.undo_to(mark.$name);)*
                self.register.undo_to(mark.register);
            }
        }
    };
}

facts! {
    contacts: UndoMap<i64, (i64, ContactRecord)>,
    /// Balances of contacts, by contact.
    owed: UndoMap<i64, ContactBalance>,
    /// Contacts by organisation, kind and the caller's own reference.
    references: UndoMap<(i64, ContactKind, String), i64>,
    journals: UndoMap<i64, LoadedJournal>,
    /// Documents; only those that commands refer to have their lines.
    documents: UndoMap<i64, (i64, DocumentRecord)>,
    settlements: UndoMap<i64, (i64, SettlementRecord)>,
    /// The journals of settlements that are voided.
    settlement_journals: UndoMap<i64, Vec<i64>>,
    /// Both ends of allocations, by allocation.
    ends: UndoMap<i64, [AllocationEnd; 2]>,
    /// The holders of document numbers, by organisation and kind; drafts hold none.
    numbers: UndoMap<(i64, DocumentKind, String), i64>,
    /// The holders of suppliers' references, by supplier and kind.
    supplier_references: UndoMap<(i64, DocumentKind, String), i64>,
    /// Debits less credits by account, and whether anything was posted.
    balances: UndoMap<i64, (i64, bool)>,
    transactions: UndoMap<i64, (i64, StatementLineRecord)>,
    /// The statement line that shows a journal, by journal.
    linked: UndoMap<i64, i64>,
    /// Statement lines that an import may repeat, with their bank account, by line.
    stored_rows: UndoMap<i64, (i64, StoredStatementLine)>,
    /// Transfers whose other side is awaited, with their organisation, by line.
    awaited: UndoMap<i64, (i64, AwaitedTransfer)>,
    /// The latest changes of the period lock by organisation, newest first.
    lock_changes: UndoMap<i64, Vec<LockChange>>,
    replays: UndoMap<ReplayKey, StoredResponse>,
    /// Previews by the hash of their token.
    previews: UndoMap<String, PreviewRecord>,
    imports: UndoMap<i64, (i64, ImportRecord)>,
    vat_adjustments: UndoMap<i64, (i64, VatAdjustmentRecord)>,
    vat_returns: UndoMap<i64, (i64, VatReturnRecord)>,
    /// The sums of VAT of an organisation that a return up to a day may declare, and those of what was declared before it.
    vat_totals: UndoMap<(i64, Date), Vec<VatTotal>>,
    write_offs: UndoMap<i64, (i64, WriteOffRecord)>,
    emails: UndoMap<i64, (i64, EmailRecord)>,
    /// Coding policies by organisation.
    coding_policies: UndoMap<i64, CodingPolicy>,
    /// How many e-mails wait, by organisation; counted up to the limit.
    waiting_emails: UndoMap<i64, i64>,
    /// The opening journal that is not void, by organisation.
    opening_journals: UndoMap<i64, i64>,
    /// The closed financial years of an organisation, in their order.
    closed_years: UndoMap<i64, Vec<ClosedYear>>,
    /// The balances of years that are to be closed or reopened, by organisation and last day.
    closing_balances: UndoMap<(i64, Date), ClosingBalances>,
    /// The earliest journal with VAT that stands from a day on, with its date, by organisation and that day; only of the
    /// days on which a command would have a VAT scheme begin.
    vat_postings: UndoMap<(i64, Date), Option<(Date, i64)>>,
}

impl Facts {
    /// Adds a posted line to the loaded balances; `direct` is that of [`super::effects::JournalEntry`].
    pub(crate) fn move_balances(
        &mut self,
        entry_date: Date,
        line: &JournalLineView,
        direct: Option<bool>,
        today: Date,
    ) {
        let debit = line.debit_pence - line.credit_pence;
        self.balances.update(&line.account_id, |(balance, has_postings)| {
            *balance += debit;
            *has_postings = true;
        });
        if let Some((contact, is_direct)) = line.contact_id.zip(direct) {
            self.owed.update(&contact, |owed| {
                owed.add((line.debit_pence, line.credit_pence), is_direct, entry_date >= today);
            });
        }
    }

    /// Adds a posted line to the balances of years that are to be closed.
    pub(crate) fn add_to_closing(&mut self, organisation: i64, date: Date, line: &JournalLineView) {
        let years = self.closing_balances.keys().filter(|(of, last)| *of == organisation && date <= *last);
        let years: Vec<_> = years.copied().collect();
        for year in years {
            let amount = Pence(line.debit_pence - line.credit_pence);
            self.closing_balances.update(&year, |balances| balances.add(line.account_id, date, amount));
        }
    }

    /// Adds to the overdue amount of a contact.
    pub(crate) fn move_overdue(&mut self, contact_id: i64, kind: DocumentKind, by: i64) {
        if by != 0 && !kind.is_credit_note() {
            self.owed.update(&contact_id, |owed| owed.overdue_pence += by);
        }
    }

    /// Adds a posted journal with VAT to the loaded earliest ones. `origin_date` is that of the invoice whose basis a
    /// credit note has.
    pub(crate) fn note_vat_posting(&mut self, organisation: i64, posted: (Date, i64), origin_date: Option<Date>) {
        let counts = |(of, from): &(i64, Date)| {
            *of == organisation && posted.0 >= *from && origin_date.is_none_or(|origin| origin >= *from)
        };
        let counted: Vec<_> = self.vat_postings.keys().filter(|key| counts(key)).copied().collect();
        for key in counted {
            self.vat_postings.update(&key, |earliest| {
                *earliest = Some(earliest.map_or(posted, |earliest| earliest.min(posted)));
            });
        }
    }

    /// A document, if it is of this organisation.
    pub(crate) fn document(&self, organisation: i64, id: i64) -> Option<&DocumentRecord> {
        self.documents.get(&id).filter(|(of, _)| *of == organisation).map(|(_, row)| row)
    }

    /// The known lines of a bank account's statements, the oldest first.
    pub(crate) fn stored_lines(&self, bank_account_id: i64) -> Vec<StoredStatementLine> {
        let of_bank = self.stored_rows.values().filter(|(bank, _)| *bank == bank_account_id);
        let mut lines: Vec<_> = of_bank.map(|(_, line)| line.clone()).collect();
        // Provisional identifiers are negative and count down: they are the latest.
        lines.sort_by_key(|line| (line.id.0 < 0, line.id.0.abs()));
        lines
    }

    /// The transfers of an organisation whose other side is awaited, the oldest first.
    pub(crate) fn awaited_transfers(&self, organisation: i64) -> Vec<AwaitedTransfer> {
        let mut awaited: Vec<_> =
            self.awaited.values().filter(|(of, _)| *of == organisation).map(|(_, transfer)| *transfer).collect();
        awaited.sort_by_key(|transfer| (transfer.transaction_id.0 < 0, transfer.transaction_id.0.abs()));
        awaited
    }
}

/// A [`Register`] whose changes are logged. It reads like the register.
#[derive(Debug, Default)]
pub(crate) struct UndoRegister {
    register: Register,
    log: Vec<Change>,
}

/// A state of an [`UndoRegister`]: the length of its log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegisterMark(usize);

/// A change of the register, with what is needed to undo it.
#[derive(Debug)]
enum Change {
    /// A document was set; this was the one before, whose allocations the new one has.
    Document(DocumentId, Option<Box<Document>>),
    /// A document was removed.
    DocumentRemoved(Box<Document>),
    /// A settlement was set; this was the one before, whose allocations the new one has.
    Settlement(SettlementId, Option<Box<Settlement>>),
    /// An allocation was added as the last of an end.
    Added(AllocationEnd),
    /// An allocation of an end was released; before, it was released on this day or not at all.
    Released(AllocationEnd, AllocationId, Option<Date>),
}

impl Deref for UndoRegister {
    type Target = Register;

    fn deref(&self) -> &Register {
        &self.register
    }
}

impl UndoRegister {
    /// The register itself, for records that are loaded before any command is decided; such changes are never undone.
    pub(crate) const fn loading(&mut self) -> &mut Register {
        &mut self.register
    }

    /// Sets a document. Its allocations are those of the document before.
    pub(crate) fn put_document(&mut self, mut document: Document) {
        let id = document.id;
        let before = self.register.documents.remove(&id).map(|mut before| {
            document.allocations = std::mem::take(&mut before.allocations);
            Box::new(before)
        });
        self.register.documents.insert(id, document);
        self.log.push(Change::Document(id, before));
    }

    /// Removes a document.
    pub(crate) fn remove_document(&mut self, id: DocumentId) {
        if let Some(document) = self.register.documents.remove(&id) {
            self.log.push(Change::DocumentRemoved(Box::new(document)));
        }
    }

    /// Sets a settlement. Its allocations are those of the settlement before.
    pub(crate) fn put_settlement(&mut self, id: SettlementId, mut settlement: Settlement) {
        let before = self.register.settlements.remove(&id).map(|mut before| {
            settlement.allocations = std::mem::take(&mut before.allocations);
            Box::new(before)
        });
        self.register.settlements.insert(id, settlement);
        self.log.push(Change::Settlement(id, before));
    }

    /// Adds an allocation to one of its ends.
    pub(crate) fn add(&mut self, end: AllocationEnd, allocation: Allocation) {
        if let Some(known) = self.allocations_of(end) {
            known.push(allocation);
            self.log.push(Change::Added(end));
        }
    }

    /// Releases an allocation of one of its ends from a day on; returns the released allocation.
    pub(crate) fn release(&mut self, end: AllocationEnd, id: AllocationId, date: Date) -> Option<Allocation> {
        let known = self.allocations_of(end)?.iter_mut().find(|known| known.id == Some(id))?;
        let before = known.released_on.replace(date);
        let released = known.clone();
        self.log.push(Change::Released(end, id, before));
        Some(released)
    }

    /// The allocations of a document or settlement.
    fn allocations_of(&mut self, end: AllocationEnd) -> Option<&mut Vec<Allocation>> {
        match end {
            AllocationEnd::Document(id) => self.register.documents.get_mut(&id).map(|known| &mut known.allocations),
            AllocationEnd::Settlement(id) => {
                self.register.settlements.get_mut(&id?).map(|known| &mut known.allocations)
            }
            AllocationEnd::WriteOff(_) => None,
        }
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> RegisterMark {
        RegisterMark(self.log.len())
    }

    /// Undoes every change since a mark, the latest first.
    pub(crate) fn undo_to(&mut self, mark: RegisterMark) {
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some(Change::Document(id, before)) => {
                    let current = self.register.documents.remove(&id);
                    if let (Some(mut before), Some(current)) = (before, current) {
                        before.allocations = current.allocations;
                        self.register.documents.insert(id, *before);
                    }
                }
                Some(Change::DocumentRemoved(document)) => {
                    self.register.documents.insert(document.id, *document);
                }
                Some(Change::Settlement(id, before)) => {
                    let current = self.register.settlements.remove(&id);
                    if let (Some(mut before), Some(current)) = (before, current) {
                        before.allocations = current.allocations;
                        self.register.settlements.insert(id, *before);
                    }
                }
                Some(Change::Added(end)) => {
                    self.allocations_of(end).and_then(Vec::pop);
                }
                Some(Change::Released(end, id, before)) => {
                    let mut known = self.allocations_of(end).into_iter().flatten();
                    if let Some(known) = known.find(|known| known.id == Some(id)) {
                        known.released_on = before;
                    }
                }
                None => return,
            }
        }
    }
}

/// The books of one organisation. A clone is cheap, because a part is copied only when it changes while a clone exists;
/// restoring the clone undoes the changes of a refused command.
#[derive(Debug, Clone)]
pub(crate) struct CachedBooks {
    pub(crate) organisation: Arc<OrganisationRecord>,
    pub(crate) version: i64,
    pub(crate) next_journal_number: i64,
    /// The number of the next entry of the history.
    pub(crate) next_change: i64,
    pub(crate) accounts: Arc<BTreeMap<i64, AccountRecord>>,
    pub(crate) chart: Arc<Chart>,
    pub(crate) vat: Arc<VatHistory>,
    pub(crate) years: Arc<FinancialYears>,
    pub(crate) bank_accounts: Arc<BTreeMap<i64, BankAccountRecord>>,
    pub(crate) sequences: Arc<Sequences>,
    /// Whether the group changed the books.
    pub(crate) changed: bool,
    /// Whether the group changed the organisation's own row.
    pub(crate) organisation_changed: bool,
}

impl CachedBooks {
    /// The books of a new organisation, without accounts.
    pub(crate) fn new(organisation: OrganisationRecord) -> Self {
        Self {
            years: Arc::new(organisation.constant_years()),
            organisation: Arc::new(organisation),
            version: 1,
            next_journal_number: 1,
            next_change: 1,
            accounts: Arc::default(),
            chart: Arc::default(),
            vat: Arc::default(),
            bank_accounts: Arc::default(),
            sequences: Arc::default(),
            changed: false,
            organisation_changed: false,
        }
    }

    /// The books as the rules read them.
    pub(crate) fn books(&self) -> Books<'_> {
        Books { chart: &self.chart, vat: &self.vat, lock_date: self.lock_date() }
    }

    /// The account with a role that the rules post to; 0, which no account has, before it is created.
    pub(crate) fn control_id(&self, role: Role) -> i64 {
        self.chart.with_role(&role).map_or(0, |account| account.id.0)
    }

    /// The last locked day.
    pub(crate) fn lock_date(&self) -> Option<Date> {
        self.organisation.lock_date
    }

    /// Sets an account.
    pub(crate) fn put_account(&mut self, row: AccountRecord) {
        Arc::make_mut(&mut self.chart).insert(Account {
            id: AccountId(row.id),
            code: row.code.clone(),
            name: row.name.clone(),
            account_type: row.account_type,
            role: row.role.as_deref().map(Role::parse),
            is_archived: row.archived_at_ms.is_some(),
        });
        Arc::make_mut(&mut self.accounts).insert(row.id, row);
    }

    /// Sets a bank account.
    pub(crate) fn put_bank_account(&mut self, row: BankAccountRecord) {
        Arc::make_mut(&mut self.bank_accounts).insert(row.id, row);
    }

    /// The record of the organisation, to be changed.
    pub(crate) fn change_organisation(&mut self) -> &mut OrganisationRecord {
        self.organisation_changed = true;
        Arc::make_mut(&mut self.organisation)
    }

    /// Sets the highest number of a sequence.
    pub(crate) fn put_sequence(&mut self, of: Numbered, prefix: &str, highest: u64) {
        Arc::make_mut(&mut self.sequences).insert((of, prefix.to_owned()), highest);
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod cached_books_tests {
    use super::*;
    use crate::domain::books::records::organisation::blank;
    use crate::domain::ledger::chart::AccountType;
    use crate::domain::ledger::document::DocumentKind;

    fn account(id: i64, code: &str) -> AccountRecord {
        let account = Account {
            id: AccountId(id),
            code: code.to_owned(),
            name: "Sales".to_owned(),
            account_type: AccountType::Revenue,
            role: None,
            is_archived: false,
        };
        AccountRecord::of(&account, 1_000)
    }

    #[test]
    fn a_clone_is_unaffected_by_later_changes() {
        let sequence = (Numbered::Documents(DocumentKind::SalesInvoice), "INV-".to_owned());
        let mut books = CachedBooks::new(blank(1_000));
        books.put_account(account(1, "4000"));
        books.put_bank_account(BankAccountRecord::first(1, 1, 1_000));
        books.put_sequence(sequence.0, &sequence.1, 3);
        let before = books.clone();

        books.put_account(account(1, "4999"));
        books.put_account(account(2, "5000"));
        books.put_bank_account(BankAccountRecord::first(2, 2, 1_000));
        books.put_sequence(sequence.0, &sequence.1, 4);
        books.change_organisation().name = "Changed".to_owned();
        books.version += 1;

        assert_eq!(before.accounts.values().map(|row| row.code.as_str()).collect::<Vec<_>>(), ["4000"]);
        assert_eq!(before.chart.get(AccountId(1)).map(|account| account.code.as_str()), Some("4000"));
        assert!(before.chart.get(AccountId(2)).is_none());
        assert_eq!(before.bank_accounts.len(), 1);
        assert_eq!(before.sequences.get(&sequence), Some(&3));
        assert_eq!((before.organisation.name.as_str(), before.organisation_changed), ("", false));
        assert_eq!(before.version, 1);
        assert_eq!((books.accounts.len(), books.organisation.name.as_str()), (2, "Changed"));
    }

    #[test]
    fn a_clone_shares_the_parts_that_do_not_change() {
        let mut books = CachedBooks::new(blank(1_000));
        books.put_account(account(1, "4000"));
        let before = books.clone();
        books.put_bank_account(BankAccountRecord::first(1, 1, 1_000));
        assert!(Arc::ptr_eq(&before.accounts, &books.accounts));
        assert!(!Arc::ptr_eq(&before.bank_accounts, &books.bank_accounts));
    }
}

//! The facts over which the commands of a group are decided, beside the books: the records that the commands refer to,
//! loaded beforehand.

use std::collections::HashMap;

use super::records::contact::ContactRecord;
use super::records::document::DocumentRecord;
use super::records::import::ImportRecord;
use super::records::journal::{JournalLineView, JournalView};
use super::records::organisation::LockChange;
use super::records::preview::PreviewRecord;
use super::records::settlement::SettlementRecord;
use super::records::statement_line::StatementLineRecord;
use super::register::{RegisterMark, UndoRegister};
use super::undo::{UndoMap, UndoMark};
use crate::domain::date::Date;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::bank_import::{AwaitedTransfer, StoredStatementLine};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::vat_entry::VatEntry;
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
    /// The opening journal that is not void, by organisation.
    opening_journals: UndoMap<i64, i64>,
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

    /// Adds to the overdue amount of a contact.
    pub(crate) fn move_overdue(&mut self, contact_id: i64, kind: DocumentKind, by: i64) {
        if by != 0 && !kind.is_credit_note() {
            self.owed.update(&contact_id, |owed| owed.overdue_pence += by);
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

//! What the postings of a group change, merged: one statement for each table, all of them in one hand-over.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use sea_orm::Value;

use super::bank_accounts::BankAccountRow;
use super::bank_transactions::BankTransactionRow;
use super::changes::VIA;
use super::contacts::ContactRow;
use super::document_rows::{DocumentRow, allocation_rows, document_line_rows, document_rows};
use super::entry_rows::{self, ChangeEntry, JournalRow, LineRow, ReplayRow};
use super::import_rows::{ImportRow, import_rows};
use super::previews::{PreviewRow, preview_rows};
use super::record_rows::{account_rows, bank_account_rows, bank_transaction_rows, contact_rows, settlement_rows};
use super::rows::{Cell, Column::Number, Rows};
use super::settlements::SettlementRow;
use super::tallies::{ListDay, Tally};
use super::total_rows::{
    AccountSums, ContactSides, VatDays, account_totals, contact_totals, count_rows, list_day_rows, sequence_rows,
    vat_totals,
};
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::vat_entry::VatEntry;
use crate::store::sql::Unit;
use crate::store::{AccountRow, StoreError};

/// Rows to be written.
#[derive(Clone)]
pub(super) struct Effects {
    accounts: BTreeMap<i64, (i64, AccountRow)>,
    contacts: BTreeMap<i64, (i64, ContactRow)>,
    deleted_contacts: Vec<i64>,
    documents: BTreeMap<i64, (i64, DocumentRow)>,
    /// Those of them whose lines are to be written.
    documents_with_lines: BTreeSet<i64>,
    /// Documents whose lines are to go first.
    lineless_documents: BTreeSet<i64>,
    deleted_documents: Vec<i64>,
    allocations: BTreeMap<i64, (i64, Allocation)>,
    sequences: BTreeMap<(i64, &'static str, String), u64>,
    bank_accounts: BTreeMap<i64, (i64, BankAccountRow)>,
    bank_transactions: BTreeMap<i64, (i64, BankTransactionRow)>,
    deleted_bank_transactions: Vec<i64>,
    settlements: BTreeMap<i64, (i64, SettlementRow)>,
    journals: Rows,
    lines: Rows,
    reversals: Rows,
    vat_entries: Rows,
    lock_changes: Rows,
    vat_schemes: Rows,
    replays: Rows,
    changes: Rows,
    previews: Rows,
    imports: BTreeMap<i64, (i64, ImportRow)>,
    /// Sum of the debits of the journals.
    debits: i64,
    account_days: BTreeMap<(i64, i32), AccountSums>,
    contact_days: BTreeMap<(i64, i64, i64, i32), ContactSides>,
    vat_days: VatDays,
    counts: BTreeMap<(i64, &'static str, Cow<'static, str>), i64>,
    list_days: BTreeMap<(i64, ListDay), i64>,
    /// The journal whose lines are being written, and the accounts it has lines of so far.
    journal_accounts: (i64, Vec<i64>),
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            accounts: BTreeMap::new(),
            contacts: BTreeMap::new(),
            deleted_contacts: Vec::new(),
            documents: BTreeMap::new(),
            documents_with_lines: BTreeSet::new(),
            lineless_documents: BTreeSet::new(),
            deleted_documents: Vec::new(),
            allocations: BTreeMap::new(),
            sequences: BTreeMap::new(),
            bank_accounts: BTreeMap::new(),
            bank_transactions: BTreeMap::new(),
            deleted_bank_transactions: Vec::new(),
            settlements: BTreeMap::new(),
            journals: entry_rows::journals(),
            lines: entry_rows::lines(),
            reversals: entry_rows::reversals(),
            vat_entries: entry_rows::vat_entries(),
            lock_changes: entry_rows::lock_changes(),
            vat_schemes: entry_rows::vat_schemes(),
            replays: entry_rows::replays(),
            changes: entry_rows::changes(),
            previews: preview_rows(),
            imports: BTreeMap::new(),
            debits: 0,
            account_days: BTreeMap::new(),
            contact_days: BTreeMap::new(),
            vat_days: BTreeMap::new(),
            counts: BTreeMap::new(),
            list_days: BTreeMap::new(),
            journal_accounts: (0, Vec::new()),
        }
    }
}

impl Effects {
    /// The account as it is from now on.
    pub(super) fn account(&mut self, organisation: i64, row: AccountRow) {
        self.accounts.insert(row.id, (organisation, row));
    }

    /// The contact as it is from now on.
    pub(super) fn contact(&mut self, organisation: i64, row: ContactRow) {
        self.contacts.insert(row.id, (organisation, row));
    }

    /// A contact that goes.
    pub(super) fn delete_contact(&mut self, id: i64) {
        self.contacts.remove(&id);
        self.deleted_contacts.push(id);
    }

    /// The document as it is from now on, without its lines.
    pub(super) fn document(&mut self, organisation: i64, row: DocumentRow) {
        self.documents.insert(row.id, (organisation, row));
    }

    /// A document's lines are those of its row from now on.
    pub(super) fn document_lines(&mut self, id: i64, is_new: bool) {
        self.documents_with_lines.insert(id);
        if !is_new {
            self.lineless_documents.insert(id);
        }
    }

    /// A draft that goes.
    pub(super) fn delete_document(&mut self, id: i64) {
        self.documents.remove(&id);
        self.documents_with_lines.remove(&id);
        self.lineless_documents.insert(id);
        self.deleted_documents.push(id);
    }

    /// The allocation as it is from now on.
    pub(super) fn allocation(&mut self, organisation: i64, row: Allocation) {
        self.allocations.insert(row.id.map_or(0, |id| id.0), (organisation, row));
    }

    /// How far a sequence of numbers has come.
    pub(super) fn sequence(&mut self, organisation: i64, family: &'static str, prefix: &str, highest: u64) {
        self.sequences.insert((organisation, family, prefix.to_owned()), highest);
    }

    /// The bank account as it is from now on.
    pub(super) fn bank_account(&mut self, organisation: i64, row: BankAccountRow) {
        self.bank_accounts.insert(row.id, (organisation, row));
    }

    /// The line of a statement as it is from now on.
    pub(super) fn bank_transaction(&mut self, organisation: i64, row: BankTransactionRow) {
        self.bank_transactions.insert(row.id, (organisation, row));
    }

    /// A line of a statement that goes.
    pub(super) fn delete_bank_transaction(&mut self, id: i64) {
        self.bank_transactions.remove(&id);
        self.deleted_bank_transactions.push(id);
    }

    /// The receipt, payment or refund as it is from now on.
    pub(super) fn settlement(&mut self, organisation: i64, row: SettlementRow) {
        self.settlements.insert(row.id, (organisation, row));
    }

    /// Counts rows of a list in or out.
    pub(super) fn count(
        &mut self,
        organisation: i64,
        list: &'static str,
        status: impl Into<Cow<'static, str>>,
        by: i64,
    ) {
        *self.counts.entry((organisation, list, status.into())).or_default() += by;
    }

    /// The same for the rows of a day.
    pub(super) fn count_day(&mut self, organisation: i64, of: ListDay, by: i64) {
        *self.list_days.entry((organisation, of)).or_default() += by;
    }

    /// Counts a row by its date, its last change and its type: out as it was before, in as it is from now on.
    pub(super) fn tally(&mut self, organisation: i64, before: Option<Tally>, after: Option<Tally>) {
        for (tally, by) in before.into_iter().map(|tally| (tally, -1)).chain(after.into_iter().map(|tally| (tally, 1)))
        {
            for (day, many) in tally.days() {
                self.count_day(organisation, day, by * many);
            }
            for (list, status, many) in tally.counts() {
                self.count(organisation, list, status, by * many);
            }
        }
    }

    pub(super) fn journal(&mut self, row: &JournalRow<'_>) {
        self.count_day(row.organisation, ListDay::dated("journal", None, row.day), 1);
        self.count_day(row.organisation, ListDay::changed("journal", None, row.at_ms), 1);
        self.count(row.organisation, "journal type", row.source_type, 1);
        self.debits += row.total;
        let mut search = format!("{} {}", row.number, row.description.to_lowercase());
        if let Some(reference) = row.reference {
            search.push('\n');
            search.push_str(&reference.to_lowercase());
        }
        self.journals.push([
            row.id.into(),
            row.organisation.into(),
            row.number.into(),
            i64::from(row.day).into(),
            row.description.into(),
            row.reference.into(),
            Cell::Text(&search),
            row.source_type.into(),
            row.source_id.into(),
            row.reverses.into(),
            row.total.into(),
            row.line_count.into(),
            row.at_ms.into(),
            row.user_id.into(),
            row.key_prefix.into(),
        ]);
    }

    /// A line, and what it adds to the totals of its account; `of_contact` when the account is one whose balance is kept
    /// by customer or supplier, and then whether no document stands behind it.
    pub(super) fn line(&mut self, row: &LineRow<'_>, of_contact: Option<bool>) {
        self.lines.push([
            row.id.into(),
            row.organisation.into(),
            row.journal.into(),
            row.number.into(),
            row.account.into(),
            i64::from(row.day).into(),
            row.debit.into(),
            row.credit.into(),
            row.memo.into(),
            row.vat_code.into(),
            row.vat_amount.into(),
            row.contact.into(),
            row.system.into(),
        ]);
        let (journal, accounts) = &mut self.journal_accounts;
        if *journal != row.journal {
            (*journal, *accounts) = (row.journal, Vec::new());
        }
        let is_first = !accounts.contains(&row.account);
        if is_first {
            accounts.push(row.account);
        }
        let sums = self.account_days.entry((row.account, row.day)).or_default();
        sums.organisation = row.organisation;
        sums.sides.0 += row.debit;
        sums.sides.1 += row.credit;
        sums.lines += 1;
        sums.journals += i64::from(is_first);
        if let Some(is_direct) = of_contact {
            let contact = row.contact.unwrap_or(0);
            let key = (row.organisation, row.account, contact, row.day);
            self.contact_days.entry(key).or_default().add((row.debit, row.credit), is_direct);
        }
    }

    /// That a journal of this day is void.
    pub(super) fn reversal(&mut self, organisation: i64, journal: i64, day: i32, by: i64, reason: Option<&str>) {
        self.count_day(organisation, ListDay::dated("journal", Some("void"), day), 1);
        self.reversals.push([journal.into(), organisation.into(), i64::from(day).into(), by.into(), reason.into()]);
    }

    /// An entry of the VAT sub-ledger, with the journal and the document it comes from, and the lines of both.
    pub(super) fn vat_entry(
        &mut self,
        (id, organisation): (i64, i64),
        journal: Option<(i64, Option<i64>)>,
        (document, document_line): (Option<i64>, Option<i64>),
        entry: &VatEntry,
    ) {
        let (side, code, basis) = (entry.side.as_str(), entry.code.code(), entry.basis.as_str());
        let day = entry.tax_point;
        let (net, vat) = (entry.amount.net.0, entry.amount.vat.0);
        self.vat_entries.push([
            id.into(),
            organisation.into(),
            journal.map(|(journal, _)| journal).into(),
            journal.and_then(|(_, line)| line).into(),
            document.into(),
            document_line.into(),
            side.into(),
            code.into(),
            basis.into(),
            net.into(),
            vat.into(),
            i64::from(day).into(),
        ]);
        let total = self.vat_days.entry((organisation, side, code, basis, day)).or_default();
        total.0 += net;
        total.1 += vat;
        total.2 += 1;
    }

    pub(super) fn lock_change(
        &mut self,
        (id, organisation, user): (i64, i64, i64),
        day: Option<i32>,
        reason: Option<&str>,
        at_ms: i64,
    ) {
        let day = day.map(i64::from);
        self.lock_changes.push([id.into(), organisation.into(), day.into(), reason.into(), user.into(), at_ms.into()]);
    }

    pub(super) fn vat_scheme(&mut self, organisation: i64, from: i32, scheme: &str, flat_rate: Option<i64>) {
        self.vat_schemes.push([organisation.into(), i64::from(from).into(), scheme.into(), flat_rate.into()]);
    }

    /// A preview under the hash of its token.
    pub(super) fn preview(&mut self, hash: &str, row: &PreviewRow, body: &str) {
        row.push(&mut self.previews, hash, body);
    }

    /// Whether there are any.
    pub(super) fn has_previews(&self) -> bool {
        !self.previews.is_empty()
    }

    /// The bulk import as it is from now on.
    pub(super) fn import(&mut self, organisation: i64, row: ImportRow) {
        self.imports.insert(row.id, (organisation, row));
    }

    /// Sum of the debits of the journals.
    pub(super) const fn debits_pence(&self) -> i64 {
        self.debits
    }

    /// An entry of the history.
    pub(super) fn change(&mut self, entry: &ChangeEntry<'_>) {
        self.changes.push([
            entry.organisation.into(),
            entry.cursor.into(),
            entry.at_ms.into(),
            entry.user_id.into(),
            entry.key_prefix.into(),
            VIA.into(),
            entry.action.into(),
            entry.resource.into(),
            entry.id.into(),
            entry.summary.into(),
            (&entry.before).into(),
            (&entry.after).into(),
        ]);
    }

    pub(super) fn replay(&mut self, row: &ReplayRow<'_>) {
        self.replays.push([
            row.user_id.into(),
            row.method.into(),
            row.path.into(),
            row.key.into(),
            row.body_hash.into(),
            row.status.into(),
            row.body.into(),
            row.at_ms.into(),
            row.expires_ms.into(),
        ]);
    }

    /// Writes everything. `heads` are the books that changed: organisation, new version, next journal number, next entry
    /// of the history.
    pub(super) async fn write(self, unit: &Unit<'_>, heads: &[(i64, i64, i64, i64)]) -> Result<(), StoreError> {
        self.delete(unit).await?;
        let mut head_rows = Rows::new(
            "books",
            &[Number("organisation_id"), Number("version"), Number("next_journal_number"), Number("next_change")],
            "on conflict (organisation_id) do update set version = excluded.version, \
             next_journal_number = excluded.next_journal_number, next_change = excluded.next_change",
        );
        for (organisation, version, next_number, next_change) in heads {
            head_rows.push([organisation.into(), version.into(), next_number.into(), next_change.into()]);
        }
        let mut imports = import_rows();
        for (organisation, row) in self.imports.values() {
            row.push(&mut imports, *organisation);
        }
        let (account_days, account_months) = account_totals(&self.account_days);
        let (contact_days, contact_months) = contact_totals(&self.contact_days);
        let (vat_days, vat_months) = vat_totals(&self.vat_days);
        let tables = [
            head_rows,
            account_rows(&self.accounts),
            contact_rows(&self.contacts),
            bank_account_rows(&self.bank_accounts),
            self.journals,
            settlement_rows(&self.settlements),
            document_rows(&self.documents),
            document_line_rows(&self.documents, &self.documents_with_lines),
            allocation_rows(&self.allocations, unit.now_ms),
            sequence_rows(&self.sequences),
            bank_transaction_rows(&self.bank_transactions),
            self.lines,
            self.reversals,
            self.vat_entries,
            account_days,
            account_months,
            contact_days,
            contact_months,
            vat_days,
            vat_months,
            self.lock_changes,
            self.vat_schemes,
            count_rows(&self.counts),
            list_day_rows(&self.list_days),
            self.replays,
            self.changes,
            imports,
            self.previews,
        ];
        let mut statements = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for rows in tables.into_iter().filter(|rows| !rows.is_empty()) {
            statements.push(rows.statement(unit.backend, values.len() + 1));
            values.push(rows.parameter().into());
        }
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        unit.batch(&statements, values).await
    }
}

impl Effects {
    async fn delete(&self, unit: &Unit<'_>) -> Result<(), StoreError> {
        let lineless: Vec<i64> = self.lineless_documents.iter().copied().collect();
        for (table, column, ids) in [
            ("document_line", "document_id", &lineless),
            ("document", "id", &self.deleted_documents),
            ("contact", "id", &self.deleted_contacts),
            ("bank_transaction", "id", &self.deleted_bank_transactions),
        ] {
            if !ids.is_empty() {
                let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
                let sql = format!("delete from {table} where {column} in {}", unit.numbers_of_json());
                unit.execute(&sql, vec![format!("[{}]", ids.join(",")).into()]).await?;
            }
        }
        Ok(())
    }
}

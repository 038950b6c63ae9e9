//! What a group loads beside the books: everything its postings name, with one query a table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::action::Action;
use super::bank_transactions::{self, BANK_TRANSACTION_COLUMNS, BankTransactionRow, read_bank_transaction};
use super::contacts::{CONTACT_COLUMNS, ContactRow, Owed, owed_columns, read_contact, read_owed};
use super::document_rows::DocumentRow;
use super::import_rows::{ImportRow, imports_by_id};
use super::imports::{ImportEntries, statement_rows};
use super::journals::{JournalLineView, JournalView, journals_by_id};
use super::named::Named;
use super::organisation::{LOCK_CHANGES, LOCK_CHANGES_MAX, LockChange, read_lock_change};
use super::post::{BankRow, Post};
use super::previews::{self, PreviewRow};
use super::register;
use super::settlement_facts;
use super::settlements::SettlementRow;
use super::shelf::day;
use crate::domain::ledger::allocation::{AllocationEnd, Register};
use crate::domain::ledger::bank_import::{AwaitedTransfer, RowKey, StoredRow, TRANSFER_DAYS_MAX};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::ids::{BankAccountId, BankTransactionId, DocumentId, JournalId};
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{Side, Split, VatCode};
use crate::domain::ledger::vat_entry::{Basis, VatEntry, VatOrigin};
use crate::store::sql::{Unit, params};
use crate::store::{StoreError, StoredResponse};

/// A journal that is to be voided.
#[derive(Debug, Clone)]
pub(super) struct LoadedJournal {
    pub(super) organisation: i64,
    pub(super) view: JournalView,
    pub(super) vat: Vec<VatEntry>,
}

/// The scope of an `Idempotency-Key`: whose, and for what.
pub(super) type ReplayKey = (i64, String, String, String);

/// What a group loads beside the books.
#[derive(Clone, Default)]
pub(super) struct Facts {
    pub(super) contacts: HashMap<i64, (i64, ContactRow)>,
    /// What contacts owe and are owed.
    pub(super) owed: HashMap<i64, Owed>,
    /// Contacts by organisation, kind and the caller's own reference.
    pub(super) references: HashMap<(i64, ContactKind, String), i64>,
    pub(super) journals: HashMap<i64, LoadedJournal>,
    /// Documents with their organisation; lines only of those that are named.
    pub(super) documents: HashMap<i64, (i64, DocumentRow)>,
    pub(super) settlements: HashMap<i64, (i64, SettlementRow)>,
    /// The journals of settlements that are to be voided.
    pub(super) settlement_journals: HashMap<i64, Vec<i64>>,
    /// The same with what is set against what.
    pub(super) register: Register,
    /// Both ends of allocations, by their ids.
    pub(super) ends: HashMap<i64, [AllocationEnd; 2]>,
    /// Who has the numbers asked for, by organisation and kind; drafts have none.
    pub(super) numbers: HashMap<(i64, DocumentKind, String), i64>,
    /// Who has the suppliers' references asked for, by supplier and kind.
    pub(super) supplier_references: HashMap<(i64, DocumentKind, String), i64>,
    /// Debits less credits by account, and whether there are any.
    pub(super) balances: HashMap<i64, (i64, bool)>,
    pub(super) transactions: HashMap<i64, (i64, BankTransactionRow)>,
    /// The line of a statement that shows a journal, by the journal.
    pub(super) linked: HashMap<i64, i64>,
    /// Lines that an import may repeat, by bank account.
    pub(super) stored_rows: HashMap<i64, Vec<StoredRow>>,
    /// Transfers whose other side is awaited, by organisation.
    pub(super) awaited: HashMap<i64, Vec<AwaitedTransfer>>,
    /// The day of the latest line, by bank account.
    pub(super) last_days: HashMap<i64, i32>,
    /// The latest moves of the period lock by organisation, newest first.
    pub(super) lock_changes: HashMap<i64, Vec<LockChange>>,
    pub(super) replays: HashMap<ReplayKey, StoredResponse>,
    /// Previews by the hash of their token.
    pub(super) previews: HashMap<String, PreviewRow>,
    pub(super) imports: HashMap<i64, (i64, ImportRow)>,
    /// The opening journal that stands, by organisation.
    pub(super) opening_journals: HashMap<i64, i64>,
}

pub(super) fn json<T: serde::Serialize>(values: &BTreeSet<T>) -> String {
    // Numbers and texts always print.
    serde_json::to_string(values).unwrap_or_default()
}

/// Loads what these postings name, with one query a table.
pub(super) async fn facts(unit: &Unit<'_>, posts: &[&Post], today: i32) -> Result<Facts, StoreError> {
    let mut named = Named::default();
    for post in posts {
        named.note(post);
    }
    let mut facts = Facts::default();
    let numbers = unit.numbers_of_json();
    load_openings(unit, &mut named, &mut facts).await?;
    settlement_facts::find(unit, posts, &mut named, &mut facts).await?;
    register::load(unit, &mut named, &mut facts).await?;
    let organisations = posts.iter().map(|post| post.organisation.0).collect();
    register::load_numbers(unit, &organisations, &named, &mut facts).await?;
    if !named.contacts.is_empty() {
        let sql = format!("select {CONTACT_COLUMNS}, c.organisation_id from contact c where c.id in {numbers}");
        for row in unit.all(&sql, params![json(&named.contacts)]).await? {
            let contact = read_contact(&row)?;
            facts.contacts.insert(contact.id, (row.get(super::contacts::COLUMNS)?, contact));
        }
    }
    if !named.balances_of_contacts.is_empty() {
        load_contact_balances(unit, &named.balances_of_contacts, today, &mut facts).await?;
    }
    if !named.references.is_empty() {
        let sql = format!(
            "select organisation_id, kind, reference, id from contact where reference in {}",
            unit.texts_of_json()
        );
        for row in unit.all(&sql, params![json(&named.references)]).await? {
            let key = (row.get(0)?, row.parsed(1, ContactKind::parse)?, row.get(2)?);
            facts.references.insert(key, row.get(3)?);
        }
    }
    previews::load(unit, posts, &mut facts).await?;
    if !named.imports.is_empty() {
        let imports = imports_by_id(unit, &json(&named.imports)).await?;
        facts.imports = imports.into_iter().map(|(of, row)| (row.id, (of, row))).collect();
    }
    load_bank(unit, posts, &mut named, &mut facts).await?;
    if !named.journals.is_empty() {
        load_journals(unit, &json(&named.journals), &mut facts).await?;
    }
    if !named.accounts.is_empty() {
        let sql = format!(
            "select account_id, cast(sum(debit - credit) as bigint) from account_month where account_id in {numbers} \
             group by account_id"
        );
        for row in unit.all(&sql, params![json(&named.accounts)]).await? {
            facts.balances.insert(row.get(0)?, (row.get(1)?, true));
        }
    }
    for organisation in named.locks {
        let rows = unit.all(LOCK_CHANGES, params![organisation, LOCK_CHANGES_MAX]).await?;
        let changes = rows.iter().map(read_lock_change).collect::<Result<_, _>>()?;
        facts.lock_changes.insert(organisation, changes);
    }
    if !named.replay_keys.is_empty() {
        let sql = format!(
            "select user_id, method, path, key, body_hash, status, body from idempotency_key where key in {} \
             and expires_at > $2",
            unit.texts_of_json()
        );
        for row in unit.all(&sql, params![json(&named.replay_keys), unit.now_ms]).await? {
            let key = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            let hash: Vec<u8> = row.get(4)?;
            let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
            let response = StoredResponse { body_hash, status: row.unsigned(5)?, body: row.get(6)? };
            facts.replays.insert(key, response);
        }
    }
    Ok(facts)
}

/// The opening journals that stand; their lines are loaded with the other journals.
async fn load_openings(unit: &Unit<'_>, named: &mut Named, facts: &mut Facts) -> Result<(), StoreError> {
    if named.openings.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select j.organisation_id, j.id from journal j where j.organisation_id in {} and j.source_type = $2 \
         and not exists (select 1 from journal_reversal v where v.journal_id = j.id)",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json(&named.openings), SourceType::OpeningBalance.as_str()]).await? {
        let (organisation, journal) = (row.get(0)?, row.get(1)?);
        facts.opening_journals.insert(organisation, journal);
    }
    // What is voided takes its documents with it.
    let voided: BTreeSet<i64> =
        facts.opening_journals.values().copied().filter(|id| named.replaces || named.journals.contains(id)).collect();
    if !voided.is_empty() {
        let sql = format!(
            "select id from document where opening and stage = 'issued' and journal_id in {}",
            unit.numbers_of_json()
        );
        for row in unit.all(&sql, params![json(&voided)]).await? {
            named.documents.insert(row.get(0)?);
        }
    }
    named.journals.extend(facts.opening_journals.values());
    Ok(())
}

async fn load_contact_balances(
    unit: &Unit<'_>,
    contacts: &BTreeSet<i64>,
    today: i32,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let sql = format!("select c.id, {} from contact c where c.id in {}", owed_columns("$2"), unit.numbers_of_json());
    for row in unit.all(&sql, params![json(contacts), i64::from(today)]).await? {
        facts.owed.insert(row.get(0)?, read_owed(&row, 1)?);
    }
    Ok(())
}

impl Facts {
    /// A line was posted: the balances at hand follow. `of_contact` as in [`super::effects::Effects::line`].
    pub(super) fn move_balances(
        &mut self,
        entry_day: i32,
        line: &JournalLineView,
        of_contact: Option<bool>,
        today: i32,
    ) {
        let debit = line.debit_pence - line.credit_pence;
        if let Some((balance, has_postings)) = self.balances.get_mut(&line.account_id) {
            *balance += debit;
            *has_postings = true;
        }
        let owed = line.contact_id.zip(of_contact).and_then(|(id, direct)| self.owed.get_mut(&id).zip(Some(direct)));
        if let Some((owed, is_direct)) = owed {
            owed.add((line.debit_pence, line.credit_pence), is_direct, entry_day >= today);
        }
    }

    /// So much more of a contact's invoices is overdue.
    pub(super) fn move_overdue(&mut self, contact_id: i64, kind: DocumentKind, by: i64) {
        if !kind.is_credit_note()
            && let Some(owed) = self.owed.get_mut(&contact_id)
        {
            owed.overdue_pence += by;
        }
    }
}

/// Lines of statements, with the journals behind those that are taken out of the books.
async fn load_bank(unit: &Unit<'_>, posts: &[&Post], named: &mut Named, facts: &mut Facts) -> Result<(), StoreError> {
    let numbers = unit.numbers_of_json();
    if !named.transactions.is_empty() {
        let sql = format!(
            "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t \
             where t.id in {numbers} or t.transfer_id in {numbers}"
        );
        for row in unit.all(&sql, params![json(&named.transactions)]).await? {
            let transaction = read_bank_transaction(&row)?;
            facts.transactions.insert(transaction.id, (row.get(bank_transactions::COLUMNS)?, transaction));
        }
    }
    for post in posts {
        if let Action::Unconfirm { id } = &post.action {
            let journal = facts.transactions.get(id).and_then(|(_, row)| row.journal_id);
            named.journals.extend(journal);
        }
    }
    if !named.journals.is_empty() {
        let sql = format!("select journal_id, id from bank_transaction where journal_id in {numbers} order by id");
        for row in unit.all(&sql, params![json(&named.journals)]).await? {
            facts.linked.insert(row.get(0)?, row.get(1)?);
        }
    }
    if !named.banks.is_empty() {
        let sql = format!(
            "select b.id, b.account_id, (select cast(coalesce(sum(m.debit - m.credit), 0) as bigint) \
             from account_month m where m.account_id = b.account_id), \
             (select max(t.day) from bank_transaction t where t.bank_account_id = b.id) \
             from bank_account b where b.id in {numbers}"
        );
        for row in unit.all(&sql, params![json(&named.banks)]).await? {
            facts.balances.insert(row.get(1)?, (row.get(2)?, true));
            let last: Option<i64> = row.get(3)?;
            if let Some(last) = last.and_then(|day| i32::try_from(day).ok()) {
                facts.last_days.insert(row.get(0)?, last);
            }
        }
    }
    load_awaited(unit, named, facts).await?;
    load_other_sides(unit, named, facts).await?;
    for post in posts {
        match &post.action {
            Action::CreateBankTransaction { bank_account_id, row } => {
                load_stored_rows(unit, *bank_account_id, std::slice::from_ref(row), facts).await?;
            }
            Action::ImportBankTransactions(import) => {
                load_stored_rows(unit, import.bank_account_id, &import.rows, facts).await?;
            }
            Action::PreviewImport { entries, .. } => load_imported_rows(unit, Some(&**entries), facts).await?,
            Action::ConfirmImport(confirmed) => load_imported_rows(unit, confirmed.entries.as_ref(), facts).await?,
            _ => {}
        }
    }
    Ok(())
}

/// The same for the rows of a bulk import, by bank account.
async fn load_imported_rows(
    unit: &Unit<'_>,
    entries: Option<&ImportEntries>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let mut of_bank: BTreeMap<i64, Vec<&BankRow>> = BTreeMap::new();
    for (bank, row) in entries.into_iter().flat_map(statement_rows) {
        of_bank.entry(bank).or_default().push(row);
    }
    for (bank, rows) in of_bank {
        load_stored_rows(unit, bank, &rows, facts).await?;
    }
    Ok(())
}

async fn load_awaited(unit: &Unit<'_>, named: &Named, facts: &mut Facts) -> Result<(), StoreError> {
    if named.entering.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t \
         where t.organisation_id in {} and t.awaited_on is not null",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json(&named.entering)]).await? {
        let (organisation, first): (i64, _) = (row.get(bank_transactions::COLUMNS)?, read_bank_transaction(&row)?);
        if let (Some(on), Some(journal)) = (first.awaited_on, first.journal_id) {
            facts.awaited.entry(organisation).or_default().push(AwaitedTransfer {
                transaction_id: BankTransactionId(first.id),
                journal_id: JournalId(journal),
                bank_account_id: BankAccountId(on),
                date: first.day,
                amount: Pence(-first.amount_pence),
            });
            facts.transactions.insert(first.id, (organisation, first));
        }
    }
    Ok(())
}

/// The lines that may be the other sides of transfers: not confirmed, with the opposite amount, and near enough.
async fn load_other_sides(unit: &Unit<'_>, named: &Named, facts: &mut Facts) -> Result<(), StoreError> {
    let mut of_bank: BTreeMap<i64, (BTreeSet<i64>, i32, i32)> = BTreeMap::new();
    for (id, bank) in &named.transfers {
        let Some((_, row)) = facts.transactions.get(id) else { continue };
        let (amounts, first, last) = of_bank.entry(*bank).or_insert((BTreeSet::new(), row.day, row.day));
        amounts.insert(-row.amount_pence);
        (*first, *last) = ((*first).min(row.day), (*last).max(row.day));
    }
    let sql = format!(
        "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t where t.bank_account_id = $2 \
         and t.day between $3 and $4 and t.status = 'unconfirmed' and t.amount in {}",
        unit.numbers_of_json()
    );
    for (bank, (amounts, first, last)) in of_bank {
        let (first, last) = (first.saturating_sub(TRANSFER_DAYS_MAX), last.saturating_add(TRANSFER_DAYS_MAX));
        for row in unit.all(&sql, params![json(&amounts), bank, i64::from(first), i64::from(last)]).await? {
            let other = read_bank_transaction(&row)?;
            facts.transactions.entry(other.id).or_insert((row.get(bank_transactions::COLUMNS)?, other));
        }
    }
    Ok(())
}

/// The lines of a bank account that these rows may repeat: those of their days, and those with their ids.
async fn load_stored_rows<R: std::borrow::Borrow<BankRow>>(
    unit: &Unit<'_>,
    bank_account_id: i64,
    rows: &[R],
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let rows = || rows.iter().map(std::borrow::Borrow::borrow);
    let days: BTreeSet<i64> = rows().map(|row| i64::from(row.day)).collect();
    let external_ids: BTreeSet<&str> = rows().filter_map(|row| row.external_id.as_deref()).collect();
    let sql = format!(
        "select id, day, amount, description, external_id from bank_transaction where bank_account_id = $2 \
         and day in {} union select id, day, amount, description, external_id from bank_transaction \
         where bank_account_id = $2 and external_id in {}",
        unit.numbers_of_json(),
        unit.texts_of_json().replace("$1", "$3")
    );
    let values = params![json(&days), bank_account_id, json(&external_ids)];
    let known = facts.stored_rows.entry(bank_account_id).or_default();
    for row in unit.all(&sql, values).await? {
        let id = BankTransactionId(row.get(0)?);
        if known.iter().all(|known| known.id != id) {
            let key = RowKey { date: day(&row, 1)?, amount: Pence(row.get(2)?), description: row.get(3)? };
            known.push(StoredRow { id, key, external_id: row.get(4)? });
        }
    }
    known.sort_by_key(|row| row.id);
    Ok(())
}

async fn load_journals(unit: &Unit<'_>, ids: &str, facts: &mut Facts) -> Result<(), StoreError> {
    for (organisation, view) in journals_by_id(unit, ids).await? {
        facts.journals.insert(view.id, LoadedJournal { organisation, view, vat: Vec::new() });
    }
    let sql = format!(
        "select e.journal_id, e.side, e.vat_code, e.basis, e.net, e.vat, e.tax_day, l.line_number, e.document_id \
         from vat_entry e \
         left join journal_line l on l.id = e.journal_line_id where e.journal_id in {} order by e.id",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![ids]).await? {
        let number: Option<i64> = row.get(7)?;
        let at = number.and_then(|number| usize::try_from(number - 1).ok()).unwrap_or(0);
        let document: Option<i64> = row.get(8)?;
        let entry = VatEntry {
            side: row.parsed(1, Side::parse)?,
            code: row.parsed(2, VatCode::parse)?,
            basis: row.parsed(3, Basis::parse)?,
            amount: Split { net: Pence(row.get(4)?), vat: Pence(row.get(5)?) },
            tax_point: day(&row, 6)?,
            origin: document.map_or(VatOrigin::JournalLine(at), |id| VatOrigin::Document(DocumentId(id))),
        };
        if let Some(journal) = facts.journals.get_mut(&row.get::<i64>(0)?) {
            journal.vat.push(entry);
        }
    }
    Ok(())
}

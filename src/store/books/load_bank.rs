//! Loads what commands about statement lines refer to.

use crate::domain::books::command::BooksCommand;
use crate::domain::books::facts::Facts;
use crate::domain::books::imports::{ImportInput, statement_rows};
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::CommandRequest;
use crate::domain::ledger::bank_import::{AwaitedTransfer, StatementLineKey, StoredStatementLine, TRANSFER_DAYS_MAX};
use crate::domain::ledger::ids::{BankAccountId, BankTransactionId, JournalId};
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::books::bank_transactions;
use crate::store::books::bank_transactions::{BANK_TRANSACTION_COLUMNS, read_bank_transaction};
use crate::store::books::cache::day;
use crate::store::books::load::json;
use crate::store::sql::{Unit, params};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of statements, with the journals behind those that are taken out of the books.
pub(super) async fn load_bank(
    unit: &Unit<'_>,
    posts: &[&CommandRequest],
    named: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let numbers = unit.numbers_of_json();
    if !named.transactions.is_empty() {
        let sql = format!(
            "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t \
             where t.id in {numbers} or t.transfer_id in {numbers}"
        );
        for row in unit.all(&sql, params![json(&named.transactions)]).await? {
            let transaction = read_bank_transaction(&row)?;
            facts.transactions.loading().insert(transaction.id, (row.get(bank_transactions::COLUMNS)?, transaction));
        }
    }
    for request in posts {
        if let BooksCommand::Unconfirm { id } = &request.command {
            let journal = facts.transactions.get(id).and_then(|(_, row)| row.journal_id);
            named.journals.extend(journal);
        }
    }
    if !named.journals.is_empty() {
        let sql = format!("select journal_id, id from bank_transaction where journal_id in {numbers} order by id");
        for row in unit.all(&sql, params![json(&named.journals)]).await? {
            facts.linked.loading().insert(row.get(0)?, row.get(1)?);
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
            facts.balances.loading().insert(row.get(1)?, (row.get(2)?, true));
            let last: Option<i64> = row.get(3)?;
            if let Some(last) = last.and_then(|day| i32::try_from(day).ok()) {
                facts.last_days.insert(row.get(0)?, last);
            }
        }
    }
    load_awaited(unit, named, facts).await?;
    load_other_sides(unit, named, facts).await?;
    for request in posts {
        match &request.command {
            BooksCommand::CreateBankTransaction { bank_account_id, row } => {
                load_stored_rows(unit, *bank_account_id, std::slice::from_ref(row), facts).await?;
            }
            BooksCommand::ImportBankTransactions(import) => {
                load_stored_rows(unit, import.bank_account_id, &import.rows, facts).await?;
            }
            BooksCommand::PreviewImport { entries, .. } => load_imported_rows(unit, Some(&**entries), facts).await?,
            BooksCommand::ConfirmImport(confirmed) => {
                load_imported_rows(unit, confirmed.entries.as_ref(), facts).await?
            }
            _ => {}
        }
    }
    Ok(())
}

/// The same for the rows of a bulk import, by bank account.
async fn load_imported_rows(
    unit: &Unit<'_>,
    entries: Option<&ImportInput>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let mut of_bank: BTreeMap<i64, Vec<&StatementLineInput>> = BTreeMap::new();
    for (bank, row) in entries.into_iter().flat_map(statement_rows) {
        of_bank.entry(bank).or_default().push(row);
    }
    for (bank, rows) in of_bank {
        load_stored_rows(unit, bank, &rows, facts).await?;
    }
    Ok(())
}

async fn load_awaited(unit: &Unit<'_>, named: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
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
            let transfer = AwaitedTransfer {
                transaction_id: BankTransactionId(first.id),
                journal_id: JournalId(journal),
                bank_account_id: BankAccountId(on),
                date: first.day,
                amount: Pence(-first.amount_pence),
            };
            facts.awaited.loading().insert(first.id, (organisation, transfer));
            facts.transactions.loading().insert(first.id, (organisation, first));
        }
    }
    Ok(())
}

/// The lines that may be the other sides of transfers: not confirmed, with the opposite amount, and near enough.
async fn load_other_sides(unit: &Unit<'_>, named: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
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
            facts.transactions.loading().entry(other.id).or_insert((row.get(bank_transactions::COLUMNS)?, other));
        }
    }
    Ok(())
}

/// The lines of a bank account that these rows may repeat: those of their days, and those with their ids.
async fn load_stored_rows<R: std::borrow::Borrow<StatementLineInput>>(
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
    for row in unit.all(&sql, values).await? {
        let id = BankTransactionId(row.get(0)?);
        let key = StatementLineKey { date: day(&row, 1)?, amount: Pence(row.get(2)?), description: row.get(3)? };
        let line = StoredStatementLine { id, key, external_id: row.get(4)? };
        facts.stored_rows.loading().insert(id.0, (bank_account_id, line));
    }
    Ok(())
}

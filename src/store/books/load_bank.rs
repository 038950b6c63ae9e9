//! Loads what commands about bank accounts and statement lines refer to.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::facts::Facts;
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::CommandRequest;
use crate::domain::date::Date;
use crate::domain::ids::{BankAccountId, BankTransactionId, JournalId};
use crate::domain::ledger::bank_import::{AwaitedTransfer, StatementLineKey, StoredStatementLine, TRANSFER_DAYS_MAX};
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::books::bank_transactions::{BANK_TRANSACTION_COLUMNS, COLUMNS, read_bank_transaction};
use crate::store::sql::{Unit, json_array, params};

/// Loads statement lines, the journals behind those that are unconfirmed, and the balances of bank accounts.
pub(super) async fn load_bank(
    unit: &Unit<'_>,
    requests: &[&CommandRequest],
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    if !ids.transactions.is_empty() {
        let sql = format!(
            "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t \
             where t.id in {among} or t.transfer_id in {among}"
        );
        for row in unit.all(&sql, params![json_array(&ids.transactions)]).await? {
            let transaction = read_bank_transaction(&row)?;
            facts.transactions.loading().insert(transaction.id, (row.get(COLUMNS)?, transaction));
        }
    }
    for command in requests.iter().flat_map(|request| request.command.parts()) {
        if let BooksCommand::Unconfirm { id } = command {
            let journal = facts.transactions.get(id).and_then(|(_, row)| row.journal_id);
            ids.journals.extend(journal);
        }
    }
    if !ids.journals.is_empty() {
        let sql = format!("select journal_id, id from bank_transaction where journal_id in {among} order by id");
        for row in unit.all(&sql, params![json_array(&ids.journals)]).await? {
            facts.linked.loading().insert(row.get(0)?, row.get(1)?);
        }
    }
    load_bank_balances(unit, ids, facts).await?;
    load_awaited(unit, ids, facts).await?;
    load_other_sides(unit, ids, facts).await?;
    Ok(())
}

/// Loads the balances of bank accounts and the days of their latest statement lines.
async fn load_bank_balances(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.bank_accounts.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select b.id, b.account_id, (select cast(coalesce(sum(m.debit - m.credit), 0) as bigint) \
         from account_month m where m.account_id = b.account_id), \
         (select max(t.day) from bank_transaction t where t.bank_account_id = b.id) \
         from bank_account b where b.id in {}",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(&ids.bank_accounts)]).await? {
        facts.balances.loading().insert(row.get(1)?, (row.get(2)?, true));
        if let Some(last) = row.maybe_date(3)? {
            facts.last_dates.insert(row.get(0)?, last);
        }
    }
    Ok(())
}

/// Loads the transfers of organisations whose other side is awaited.
async fn load_awaited(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.transfer_organisations.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t \
         where t.organisation_id in {} and t.awaited_on is not null",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(&ids.transfer_organisations)]).await? {
        let (organisation, first): (i64, _) = (row.get(COLUMNS)?, read_bank_transaction(&row)?);
        if let (Some(on), Some(journal)) = (first.awaited_on, first.journal_id) {
            let transfer = AwaitedTransfer {
                transaction_id: BankTransactionId(first.id),
                journal_id: JournalId(journal),
                bank_account_id: BankAccountId(on),
                date: first.date,
                amount: Pence(-first.amount_pence),
            };
            facts.awaited.loading().insert(first.id, (organisation, transfer));
            facts.transactions.loading().insert(first.id, (organisation, first));
        }
    }
    Ok(())
}

/// Loads the lines that may be the other sides of transfers: not confirmed, of the opposite amount and near in time.
async fn load_other_sides(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    let mut of_bank: BTreeMap<i64, (BTreeSet<i64>, Date, Date)> = BTreeMap::new();
    for (id, bank) in &ids.transfers {
        let Some((_, row)) = facts.transactions.get(id) else { continue };
        let (amounts, first, last) = of_bank.entry(*bank).or_insert((BTreeSet::new(), row.date, row.date));
        amounts.insert(-row.amount_pence);
        (*first, *last) = ((*first).min(row.date), (*last).max(row.date));
    }
    let sql = format!(
        "select {BANK_TRANSACTION_COLUMNS}, t.organisation_id from bank_transaction t where t.bank_account_id = $2 \
         and t.day between $3 and $4 and t.status = 'unconfirmed' and t.amount in {}",
        unit.numbers_of_json()
    );
    for (bank, (amounts, first, last)) in of_bank {
        let (first, last) = (first - TRANSFER_DAYS_MAX, last + TRANSFER_DAYS_MAX);
        for row in unit.all(&sql, params![json_array(&amounts), bank, i64::from(first), i64::from(last)]).await? {
            let other = read_bank_transaction(&row)?;
            facts.transactions.loading().entry(other.id).or_insert((row.get(COLUMNS)?, other));
        }
    }
    Ok(())
}

/// Loads the lines of a bank account that these rows may repeat: those of their days, and those with their ids.
pub(super) async fn load_stored_rows<R: Borrow<StatementLineInput>>(
    unit: &Unit<'_>,
    bank_account_id: i64,
    rows: &[R],
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let rows = || rows.iter().map(Borrow::borrow);
    let days: BTreeSet<i64> = rows().map(|row| i64::from(row.date)).collect();
    let external_ids: BTreeSet<&str> = rows().filter_map(|row| row.external_id.as_deref()).collect();
    let sql = format!(
        "select id, day, amount, description, external_id from bank_transaction where bank_account_id = $2 \
         and day in {} union select id, day, amount, description, external_id from bank_transaction \
         where bank_account_id = $2 and external_id in {}",
        unit.numbers_of_json(),
        unit.texts_of_json().replace("$1", "$3")
    );
    let values = params![json_array(&days), bank_account_id, json_array(&external_ids)];
    for row in unit.all(&sql, values).await? {
        let id = BankTransactionId(row.get(0)?);
        let key = StatementLineKey { date: row.date(1)?, amount: Pence(row.get(2)?), description: row.get(3)? };
        let line = StoredStatementLine { id, key, external_id: row.get(4)? };
        facts.stored_rows.loading().insert(id.0, (bank_account_id, line));
    }
    Ok(())
}

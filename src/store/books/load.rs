//! Loads what a group of commands refers to, with one query a table.

use crate::domain::books::facts::{Facts, LoadedJournal};
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::CommandRequest;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::ids::DocumentId;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{Side, Split, VatCode};
use crate::domain::ledger::vat_entry::{Basis, VatEntry, VatOrigin};
use crate::store::books::cache::day;
use crate::store::books::contacts::{CONTACT_COLUMNS, read_contact};
use crate::store::books::import_rows::imports_by_id;
use crate::store::books::journals::journals_by_id;
use crate::store::books::load_bank::load_bank;
use crate::store::books::organisation::{LOCK_CHANGES, LOCK_CHANGES_MAX, read_lock_change};
use crate::store::books::report_rows::load_contact_balances;
use crate::store::books::{load_register, load_settlements, previews};
use crate::store::sql::{Unit, params};
use crate::store::{StoreError, StoredResponse};
use std::collections::BTreeSet;

pub(super) fn json<T: serde::Serialize>(values: &BTreeSet<T>) -> String {
    // Numbers and texts always print.
    serde_json::to_string(values).unwrap_or_default()
}

/// Loads what these postings name, with one query a table.
pub(super) async fn facts(unit: &Unit<'_>, posts: &[&CommandRequest], today: i32) -> Result<Facts, StoreError> {
    let mut named = ReferencedIds::default();
    for request in posts {
        named.collect(request);
    }
    let mut facts = Facts::default();
    let numbers = unit.numbers_of_json();
    load_openings(unit, &mut named, &mut facts).await?;
    load_settlements::find(unit, posts, &mut named, &mut facts).await?;
    load_register::load(unit, &mut named, &mut facts).await?;
    let organisations = posts.iter().map(|request| request.organisation.0).collect();
    load_register::load_numbers(unit, &organisations, &named, &mut facts).await?;
    if !named.contacts.is_empty() {
        let sql = format!("select {CONTACT_COLUMNS}, c.organisation_id from contact c where c.id in {numbers}");
        for row in unit.all(&sql, params![json(&named.contacts)]).await? {
            let contact = read_contact(&row)?;
            facts.contacts.loading().insert(contact.id, (row.get(super::contacts::COLUMNS)?, contact));
        }
    }
    if !named.contact_balances.is_empty() {
        facts.owed.loading().extend(load_contact_balances(unit, &json(&named.contact_balances), today).await?);
    }
    if !named.references.is_empty() {
        let sql = format!(
            "select organisation_id, kind, reference, id from contact where reference in {}",
            unit.texts_of_json()
        );
        for row in unit.all(&sql, params![json(&named.references)]).await? {
            let key = (row.get(0)?, row.parsed(1, ContactKind::parse)?, row.get(2)?);
            facts.references.loading().insert(key, row.get(3)?);
        }
    }
    previews::load(unit, posts, &mut facts).await?;
    if !named.imports.is_empty() {
        let imports = imports_by_id(unit, &json(&named.imports)).await?;
        facts.imports.loading().extend(imports.into_iter().map(|(of, row)| (row.id, (of, row))));
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
            facts.balances.loading().insert(row.get(0)?, (row.get(1)?, true));
        }
    }
    for organisation in named.locks {
        let rows = unit.all(LOCK_CHANGES, params![organisation, LOCK_CHANGES_MAX]).await?;
        let changes = rows.iter().map(read_lock_change).collect::<Result<_, _>>()?;
        facts.lock_changes.loading().insert(organisation, changes);
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
            facts.replays.loading().insert(key, response);
        }
    }
    Ok(facts)
}

/// The opening journals that stand; their lines are loaded with the other journals.
async fn load_openings(unit: &Unit<'_>, named: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
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
        facts.opening_journals.loading().insert(organisation, journal);
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

async fn load_journals(unit: &Unit<'_>, ids: &str, facts: &mut Facts) -> Result<(), StoreError> {
    for (organisation, view) in journals_by_id(unit, ids).await? {
        facts.journals.loading().insert(view.id, LoadedJournal { organisation, view, vat: Vec::new() });
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
        if let Some(journal) = facts.journals.loading().get_mut(&row.get::<i64>(0)?) {
            journal.vat.push(entry);
        }
    }
    Ok(())
}

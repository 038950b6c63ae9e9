//! Loads what the commands of a group refer to, with one query a table.

use std::collections::BTreeSet;

use crate::domain::books::facts::{Facts, LoadedJournal};
use crate::domain::books::request::{CommandRequest, ReferencedIds};
use crate::domain::date::Date;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{Side, Split, VatCode};
use crate::domain::ledger::vat_entry::{Basis, VatEntry, VatOrigin};
use crate::store::StoreError;
use crate::store::books::contacts::{CONTACT_COLUMNS, read_contact};
use crate::store::books::imports::imports_by_id;
use crate::store::books::journals::journals_by_id;
use crate::store::books::load_bank::load_bank;
use crate::store::books::load_register::{load_number_holders, load_register};
use crate::store::books::load_settlements::find_settlements;
use crate::store::books::organisation::{LOCK_CHANGES, LOCK_CHANGES_MAX, read_lock_change};
use crate::store::books::previews::load_previews;
use crate::store::books::report_rows::load_contact_balances;
use crate::store::sql::{Unit, json_array, params};

/// Loads what these commands refer to.
pub(super) async fn facts(unit: &Unit<'_>, requests: &[&CommandRequest], today: Date) -> Result<Facts, StoreError> {
    let mut ids = ReferencedIds::default();
    for request in requests {
        ids.collect(request);
    }
    let mut facts = Facts::default();
    load_openings(unit, &mut ids, &mut facts).await?;
    find_settlements(unit, requests, &mut ids, &mut facts).await?;
    load_register(unit, &mut ids, &mut facts).await?;
    let organisations = requests.iter().map(|request| request.organisation.0).collect();
    load_number_holders(unit, &organisations, &ids, &mut facts).await?;
    load_contacts(unit, &ids, today, &mut facts).await?;
    load_previews(unit, requests, &mut facts).await?;
    if !ids.imports.is_empty() {
        let imports = imports_by_id(unit, &json_array(&ids.imports)).await?;
        facts.imports.loading().extend(imports.into_iter().map(|(of, row)| (row.id, (of, row))));
    }
    load_bank(unit, requests, &mut ids, &mut facts).await?;
    if !ids.journals.is_empty() {
        load_journals(unit, &json_array(&ids.journals), &mut facts).await?;
    }
    load_account_balances(unit, &ids, &mut facts).await?;
    for organisation in &ids.locks {
        let rows = unit.all(LOCK_CHANGES, params![*organisation, LOCK_CHANGES_MAX]).await?;
        let changes = rows.iter().map(read_lock_change).collect::<Result<_, _>>()?;
        facts.lock_changes.loading().insert(*organisation, changes);
    }
    load_replays(unit, &ids, &mut facts).await?;
    Ok(facts)
}

/// Loads the opening journals that are not void; their lines are loaded with the other journals.
async fn load_openings(unit: &Unit<'_>, ids: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.openings.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select j.organisation_id, j.id from journal j where j.organisation_id in {} and j.source_type = $2 \
         and not exists (select 1 from journal_reversal v where v.journal_id = j.id)",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(&ids.openings), SourceType::OpeningBalance.as_str()]).await? {
        let (organisation, journal) = (row.get(0)?, row.get(1)?);
        facts.opening_journals.loading().insert(organisation, journal);
    }
    // An opening journal that is voided takes its documents with it.
    let voided: BTreeSet<i64> = facts
        .opening_journals
        .values()
        .copied()
        .filter(|id| ids.replaces_opening || ids.journals.contains(id))
        .collect();
    if !voided.is_empty() {
        let sql = format!(
            "select id from document where opening and stage = 'issued' and journal_id in {}",
            unit.numbers_of_json()
        );
        for row in unit.all(&sql, params![json_array(&voided)]).await? {
            ids.documents.insert(row.get(0)?);
        }
    }
    ids.journals.extend(facts.opening_journals.values());
    Ok(())
}

/// Loads contacts, their balances, and the holders of the callers' own references.
async fn load_contacts(unit: &Unit<'_>, ids: &ReferencedIds, today: Date, facts: &mut Facts) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    if !ids.contacts.is_empty() {
        let sql = format!("select {CONTACT_COLUMNS}, c.organisation_id from contact c where c.id in {among}");
        for row in unit.all(&sql, params![json_array(&ids.contacts)]).await? {
            let contact = read_contact(&row)?;
            facts.contacts.loading().insert(contact.id, (row.get(super::contacts::COLUMNS)?, contact));
        }
    }
    if !ids.contact_balances.is_empty() {
        let balances = load_contact_balances(unit, &json_array(&ids.contact_balances), today).await?;
        facts.owed.loading().extend(balances);
    }
    if !ids.contact_references.is_empty() {
        let sql = format!(
            "select organisation_id, kind, reference, id from contact where reference in {}",
            unit.texts_of_json()
        );
        for row in unit.all(&sql, params![json_array(&ids.contact_references)]).await? {
            let key = (row.get(0)?, row.parsed(1, ContactKind::parse)?, row.get(2)?);
            facts.references.loading().insert(key, row.get(3)?);
        }
    }
    Ok(())
}

/// Loads journals with their lines and entries of VAT.
async fn load_journals(unit: &Unit<'_>, ids_json: &str, facts: &mut Facts) -> Result<(), StoreError> {
    for (organisation, view) in journals_by_id(unit, ids_json).await? {
        facts.journals.loading().insert(view.id, LoadedJournal { organisation, view, vat: Vec::new() });
    }
    let sql = format!(
        "select e.journal_id, e.side, e.vat_code, e.basis, e.net, e.vat, e.tax_day, l.line_number, e.document_id \
         from vat_entry e \
         left join journal_line l on l.id = e.journal_line_id where e.journal_id in {} order by e.id",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![ids_json]).await? {
        let number: Option<i64> = row.get(7)?;
        let at = number.and_then(|number| usize::try_from(number - 1).ok()).unwrap_or(0);
        let document: Option<i64> = row.get(8)?;
        let entry = VatEntry {
            side: row.parsed(1, Side::parse)?,
            code: row.parsed(2, VatCode::parse)?,
            basis: row.parsed(3, Basis::parse)?,
            amount: Split { net: Pence(row.get(4)?), vat: Pence(row.get(5)?) },
            tax_point: row.date(6)?,
            origin: document.map_or(VatOrigin::JournalLine(at), |id| VatOrigin::Document(DocumentId(id))),
        };
        if let Some(journal) = facts.journals.loading().get_mut(&row.get::<i64>(0)?) {
            journal.vat.push(entry);
        }
    }
    Ok(())
}

async fn load_account_balances(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.accounts.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select account_id, cast(sum(debit - credit) as bigint) from account_month where account_id in {} \
         group by account_id",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(&ids.accounts)]).await? {
        facts.balances.loading().insert(row.get(0)?, (row.get(1)?, true));
    }
    Ok(())
}

/// Loads the answers that are stored under the commands' `Idempotency-Key`s and have not expired.
async fn load_replays(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.replay_keys.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select user_id, method, path, key, body_hash, status, body from idempotency_key where key in {} \
         and expires_at > $2",
        unit.texts_of_json()
    );
    for row in unit.all(&sql, params![json_array(&ids.replay_keys), unit.now_ms]).await? {
        let key = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let hash: Vec<u8> = row.get(4)?;
        let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
        let response = StoredResponse { body_hash, status: row.unsigned(5)?, body: row.get(6)? };
        facts.replays.loading().insert(key, response);
    }
    Ok(())
}

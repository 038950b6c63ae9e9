//! Loads what the commands of a group refer to, with one query a table, and nothing that they do not refer to.
//! [`facts`] is the order; what commands about bank accounts refer to is in `load_bank`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::facts::{Facts, LoadedJournal};
use crate::domain::books::records::document::DocumentLineRecord;
use crate::domain::books::records::engine_suggestion::EngineSuggestion;
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::books::request::CommandRequest;
use crate::domain::date::Date;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{DocumentId, OrganisationId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side, Split, VatCode, VatEntry, VatOrigin};
use crate::domain::ledger::year_end::NO_DAY;
use crate::store::StoreError;
use crate::store::books::allocations::{ALLOCATION_COLUMNS, read_allocation};
use crate::store::books::coding_policies::load_coding_policies;
use crate::store::books::contacts::{CONTACT_COLUMNS, read_contact};
use crate::store::books::documents::{DOCUMENT_COLUMNS, LINE_COLUMNS, read_document, read_line};
use crate::store::books::emails::load_emails;
use crate::store::books::financial_years::{closed_years, closing_balances};
use crate::store::books::imports::imports_by_id;
use crate::store::books::journals::journals_by_id;
use crate::store::books::load_bank::{load_bank, load_stored_rows};
use crate::store::books::organisation::{LOCK_CHANGES, LOCK_CHANGES_MAX, read_lock_change};
use crate::store::books::previews::load_previews;
use crate::store::books::report_rows::load_contact_balances;
use crate::store::books::settlements::{SETTLEMENT_COLUMNS, read_settlement};
use crate::store::books::vat_adjustments::adjustments_by_id;
use crate::store::books::vat_returns::load_vat_returns;
use crate::store::books::write_offs::write_offs_by_id;
use crate::store::books::{documents, settlements};
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
    find_suggestions(unit, requests, &mut ids).await?;
    load_write_offs(unit, &mut ids, &mut facts).await?;
    load_closings(unit, &mut ids, &mut facts).await?;
    load_register(unit, &mut ids, &mut facts).await?;
    let organisations = requests.iter().map(|request| request.organisation.0).collect();
    load_number_holders(unit, &organisations, &ids, &mut facts).await?;
    load_contacts(unit, &ids, today, &mut facts).await?;
    let tokens: Vec<&str> = requests.iter().filter_map(|request| request.command.token_hash()).collect();
    if !tokens.is_empty() {
        load_previews(unit, tokens, &mut facts).await?;
    }
    if !ids.imports.is_empty() {
        let imports = imports_by_id(unit, &json_array(&ids.imports)).await?;
        facts.imports.loading().extend(imports.into_iter().map(|(of, row)| (row.id, (of, row))));
    }
    load_vat_adjustments(unit, &mut ids, &mut facts).await?;
    load_coding_policies(unit, &ids.coding_policies, &mut facts).await?;
    load_vat_returns(unit, &ids.vat_returns, &ids.vat_return_ends, &mut facts).await?;
    if !ids.mail_organisations.is_empty() {
        load_emails(unit, &ids, &mut facts).await?;
    }
    if ids.refers_to_bank() {
        load_bank(unit, requests, &mut ids, &mut facts).await?;
    }
    load_repeated_rows(unit, requests, &mut facts).await?;
    if !ids.journals.is_empty() {
        load_journals(unit, &json_array(&ids.journals), &mut facts).await?;
    }
    load_account_balances(unit, &ids, &mut facts).await?;
    for organisation in &ids.locks {
        let rows = unit.all(LOCK_CHANGES, params![*organisation, LOCK_CHANGES_MAX]).await?;
        let changes = rows.iter().map(read_lock_change).collect::<Result<_, _>>()?;
        facts.lock_changes.loading().insert(*organisation, changes);
    }
    for start in &ids.vat_scheme_starts {
        let earliest = earliest_vat_posting(unit, *start).await?;
        facts.vat_postings.loading().insert(*start, earliest);
    }
    load_replays(unit, requests, &mut facts).await?;
    Ok(facts)
}

/// Loads adjustments of the VAT return, whose journals are loaded with the others.
async fn load_vat_adjustments(unit: &Unit<'_>, ids: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.vat_adjustments.is_empty() {
        return Ok(());
    }
    for (organisation, row) in adjustments_by_id(unit, &json_array(&ids.vat_adjustments)).await? {
        ids.journals.extend(row.journal_id);
        facts.vat_adjustments.loading().insert(row.id, (organisation, row));
    }
    Ok(())
}

/// Loads write-offs, whose invoices and journals are loaded with the others.
async fn load_write_offs(unit: &Unit<'_>, ids: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.write_offs.is_empty() {
        return Ok(());
    }
    for (organisation, row) in write_offs_by_id(unit, &json_array(&ids.write_offs)).await? {
        ids.documents.insert(row.invoice_id);
        ids.journals.insert(row.journal_id);
        facts.write_offs.loading().insert(row.id, (organisation, row));
    }
    Ok(())
}

/// Loads closed financial years, whose journals are loaded with the others, and the balances of years to close or reopen.
async fn load_closings(unit: &Unit<'_>, ids: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    for organisation in &ids.closed_years {
        let closed = closed_years(unit, OrganisationId(*organisation)).await?;
        if ids.year_ends.iter().any(|(of, _)| of == organisation) {
            ids.journals.extend(closed.iter().filter_map(|known| known.journal_id));
        }
        facts.closed_years.loading().insert(*organisation, closed);
    }
    for (organisation, last) in &ids.year_ends {
        let balances = closing_balances(unit, OrganisationId(*organisation), *last).await?;
        facts.closing_balances.loading().insert((*organisation, *last), balances);
    }
    Ok(())
}

/// Loads the statement lines that entered rows may repeat, with one query a bank account.
async fn load_repeated_rows(
    unit: &Unit<'_>,
    requests: &[&CommandRequest],
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let mut of_bank: BTreeMap<i64, Vec<&StatementLineInput>> = BTreeMap::new();
    for command in requests.iter().flat_map(|request| request.command.parts()) {
        match command {
            BooksCommand::CreateBankTransaction { bank_account_id, row } => {
                of_bank.entry(*bank_account_id).or_default().push(row);
            }
            BooksCommand::ImportBankTransactions(import) => {
                of_bank.entry(import.bank_account_id).or_default().extend(&import.rows);
            }
            _ => {}
        }
    }
    for (bank, rows) in of_bank {
        load_stored_rows(unit, bank, &rows, facts).await?;
    }
    Ok(())
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
        "select e.journal_id, e.side, e.vat_code, e.basis, e.net, e.vat, e.tax_day, l.line_number, e.document_id, \
         e.reverse_charge, e.rate_day from vat_entry e \
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
            reverse_charge: row.get::<Option<String>>(9)?.as_deref().and_then(ReverseCharge::parse),
            amount: Split { net: Pence(row.get(4)?), vat: Pence(row.get(5)?) },
            tax_point: row.date(6)?,
            rate_date: Some(row.date(10)?).filter(|date| *date != NO_DAY),
            origin: document.map_or(VatOrigin::JournalLine(at), |id| VatOrigin::Document(DocumentId(id))),
        };
        if let Some(journal) = facts.journals.loading().get_mut(&row.get::<i64>(0)?) {
            journal.vat.push(entry);
        }
    }
    Ok(())
}

/// Loads the balances of accounts that commands change or show.
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

/// The earliest journal of an organisation with VAT, by its own lines or by those of its document, from a day on. One that
/// was undone on its own day counts nowhere; a credit note counts with the invoice whose basis it has.
const VAT_POSTING: &str = "select j.entry_day, j.id from journal j \
     where j.organisation_id = $1 and j.entry_day >= $2 and j.reverses_journal_id is null \
     and (exists (select 1 from journal_line l where l.journal_id = j.id and l.vat_code <> 'NV') \
     or exists (select 1 from document d join document_line l on l.document_id = d.id \
     where d.journal_id = j.id and l.vat_code <> 'NV' and not exists (select 1 from document o \
     where o.id = d.origin_id and o.vat_basis is not null and o.day < $2))) \
     and not exists (select 1 from journal_reversal v join journal r on r.id = v.reversal_id \
     where v.journal_id = j.id and r.entry_day = j.entry_day) order by j.entry_day, j.id limit 1";

async fn earliest_vat_posting(
    unit: &Unit<'_>,
    (organisation, from): (i64, Date),
) -> Result<Option<(Date, i64)>, StoreError> {
    let row = unit.one(VAT_POSTING, params![organisation, i64::from(from)]).await?;
    row.map(|row| Ok((row.date(0)?, row.get(1)?))).transpose()
}

/// Loads the answers that are stored under the commands' `Idempotency-Key`s and have not expired.
async fn load_replays(unit: &Unit<'_>, requests: &[&CommandRequest], facts: &mut Facts) -> Result<(), StoreError> {
    // The answer to a plan is stored together with the mark that it is used.
    let may_be_stored = |request: &CommandRequest| match &request.command {
        BooksCommand::CommitPlan(plan) => {
            facts.previews.get(&plan.token_hash).is_some_and(|row| row.used_at_ms.is_some())
        }
        _ => true,
    };
    let asked = requests.iter().filter(|request| may_be_stored(request));
    let keys: BTreeSet<&str> = asked.filter_map(|request| Some(request.replay.as_ref()?.key.as_str())).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select user_id, method, path, key, body_hash, status, body from idempotency_key where key in {} \
         and expires_at > $2",
        unit.texts_of_json()
    );
    for row in unit.all(&sql, params![json_array(keys), unit.served_ms()]).await? {
        let key = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let hash: Vec<u8> = row.get(4)?;
        let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
        let response = StoredResponse { body_hash, status: row.unsigned(5)?, body: row.get(6)? };
        facts.replays.loading().insert(key, response);
    }
    Ok(())
}

/// Loads the documents and settlements with every allocation to them or from them, and the other ends of these with
/// theirs. Adds to `ids` what their answers show and what is voided with them.
async fn load_register(unit: &Unit<'_>, ids: &mut ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    let mut open = BTreeSet::new();
    if !ids.auto_allocated_contacts.is_empty() {
        let sql = format!(
            "select id from document where contact_id in {} and due > 0 and kind in ('sales_invoice', 'purchase_invoice')",
            unit.numbers_of_json()
        );
        for row in unit.all(&sql, params![json_array(&ids.auto_allocated_contacts)]).await? {
            open.insert(row.get::<i64>(0)?);
        }
    }
    open.extend(&ids.documents);
    if open.is_empty() && ids.settlements.is_empty() {
        return Ok(());
    }
    let mut allocations = BTreeMap::new();
    load_allocations(unit, &open, &ids.settlements, &mut allocations).await?;
    let (mut documents, mut settlements) = (open.clone(), ids.settlements.clone());
    for end in allocations.values().flat_map(|one| [one.from, one.to]) {
        match end {
            AllocationEnd::Document(id) => documents.insert(id.0),
            AllocationEnd::Settlement(id) => id.is_some_and(|id| settlements.insert(id.0)),
            AllocationEnd::WriteOff(_) => false,
        };
    }
    let others = (&documents - &open, &settlements - &ids.settlements);
    if !others.0.is_empty() || !others.1.is_empty() {
        load_allocations(unit, &others.0, &others.1, &mut allocations).await?;
    }
    load_documents(unit, &documents, ids, facts).await?;
    load_settlements(unit, &settlements, ids, facts).await?;
    attach_allocations(facts, allocations);
    Ok(())
}

/// Loads the allocations to and from documents and settlements.
async fn load_allocations(
    unit: &Unit<'_>,
    documents: &BTreeSet<i64>,
    settlements: &BTreeSet<i64>,
    allocations: &mut BTreeMap<i64, Allocation>,
) -> Result<(), StoreError> {
    let ends = [
        ("from_document_id", documents),
        ("to_document_id", documents),
        ("from_settlement_id", settlements),
        ("to_settlement_id", settlements),
    ];
    let mut arms = Vec::new();
    let mut values = Vec::new();
    for (column, ids) in ends.into_iter().filter(|(_, ids)| !ids.is_empty()) {
        values.push(json_array(ids).into());
        let among = unit.numbers_of_json().replace("$1", &format!("${}", values.len()));
        arms.push(format!("select {ALLOCATION_COLUMNS} from allocation a where a.{column} in {among}"));
    }
    if arms.is_empty() {
        return Ok(());
    }
    for row in unit.all(&arms.join(" union "), values).await? {
        let allocation = read_allocation(&row)?;
        allocations.insert(allocation.id.map_or(0, |id| id.0), allocation);
    }
    Ok(())
}

/// Loads documents, with the lines of those that commands refer to and of their origins.
async fn load_documents(
    unit: &Unit<'_>,
    document_ids: &BTreeSet<i64>,
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    if document_ids.is_empty() {
        return Ok(());
    }
    read_documents(unit, document_ids, facts).await?;
    let mut origins = BTreeSet::new();
    for (_, document) in facts.documents.values() {
        ids.collect_of_document(document);
        if ids.documents.contains(&document.id) {
            origins.extend(document.origin_id);
        }
    }
    // The origin of a credit note decides how the credit note is treated and priced.
    read_documents(unit, &(&origins - document_ids), facts).await?;
    if !ids.documents.is_empty() {
        let priced = &ids.documents | &origins;
        let mut lines = lines_of(unit, &json_array(&priced)).await?;
        for id in &priced {
            if let Some((_, document)) = facts.documents.loading().get_mut(id) {
                document.lines = lines.remove(id).unwrap_or_default();
            }
        }
    }
    Ok(())
}

/// Loads documents without their lines.
async fn read_documents(unit: &Unit<'_>, ids: &BTreeSet<i64>, facts: &mut Facts) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let among = unit.numbers_of_json();
    let sql = format!("select {DOCUMENT_COLUMNS}, d.organisation_id from document d where d.id in {among}");
    for row in unit.all(&sql, params![json_array(ids)]).await? {
        let document = read_document(&row)?;
        facts.documents.loading().insert(document.id, (row.get(documents::COLUMNS)?, document));
    }
    Ok(())
}

/// The lines of documents, given as a JSON array of their ids, in order.
async fn lines_of(unit: &Unit<'_>, ids: &str) -> Result<HashMap<i64, Vec<DocumentLineRecord>>, StoreError> {
    let sql = format!(
        "select {LINE_COLUMNS} from document_line l where l.document_id in {} order by l.document_id, l.line_number",
        unit.numbers_of_json()
    );
    let mut lines: HashMap<i64, Vec<_>> = HashMap::new();
    for row in unit.all(&sql, params![ids]).await? {
        let (document, line) = read_line(&row)?;
        lines.entry(document).or_default().push(line);
    }
    Ok(lines)
}

/// Loads settlements.
async fn load_settlements(
    unit: &Unit<'_>,
    settlement_ids: &BTreeSet<i64>,
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    if settlement_ids.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select {SETTLEMENT_COLUMNS}, s.organisation_id from settlement s where s.id in {}",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(settlement_ids)]).await? {
        let settlement = read_settlement(&row)?;
        if ids.settlements.contains(&settlement.id) {
            ids.contacts.insert(settlement.contact_id);
        }
        facts.settlements.loading().insert(settlement.id, (row.get(settlements::COLUMNS)?, settlement));
    }
    Ok(())
}

/// Adds the allocations, in the order they were made, to both of their ends.
fn attach_allocations(facts: &mut Facts, allocations: BTreeMap<i64, Allocation>) {
    let mut of_documents: HashMap<i64, Vec<Allocation>> = HashMap::new();
    let mut of_settlements: HashMap<i64, Vec<Allocation>> = HashMap::new();
    for allocation in allocations.into_values() {
        facts.ends.loading().insert(allocation.id.map_or(0, |id| id.0), [allocation.from, allocation.to]);
        for end in [allocation.from, allocation.to] {
            match end {
                AllocationEnd::Document(id) => of_documents.entry(id.0).or_default().push(allocation.clone()),
                AllocationEnd::Settlement(Some(id)) => {
                    of_settlements.entry(id.0).or_default().push(allocation.clone());
                }
                AllocationEnd::Settlement(None) | AllocationEnd::WriteOff(_) => {}
            }
        }
    }
    for (id, (_, row)) in facts.documents.iter() {
        let known = row.to_domain(of_documents.remove(id).unwrap_or_default());
        facts.register.loading().documents.insert(known.id, known);
    }
    for (id, (_, row)) in facts.settlements.iter() {
        let known = row.to_domain(of_settlements.remove(id).unwrap_or_default());
        facts.register.loading().settlements.insert(SettlementId(*id), known);
    }
}

/// Loads which documents hold the numbers and the suppliers' references that commands want to use.
async fn load_number_holders(
    unit: &Unit<'_>,
    organisations: &BTreeSet<i64>,
    ids: &ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let (of, texts) = (unit.numbers_of_json(), unit.texts_of_json().replace("$1", "$2"));
    if !ids.document_numbers.is_empty() {
        let sql = format!(
            "select organisation_id, kind, number, id from document where organisation_id in {of} \
             and kind in ('sales_invoice', 'sales_credit_note') and number in {texts} \
             and number is not null and stage <> 'draft'"
        );
        for row in unit.all(&sql, params![json_array(organisations), json_array(&ids.document_numbers)]).await? {
            let key = (row.get(0)?, row.parsed(1, DocumentKind::parse)?, row.get(2)?);
            facts.numbers.loading().insert(key, row.get(3)?);
        }
    }
    if !ids.supplier_references.is_empty() {
        let sql = format!(
            "select contact_id, kind, supplier_reference, id from document where contact_id in {of} \
             and kind in ('purchase_invoice', 'purchase_credit_note') and supplier_reference in {texts} \
             and stage <> 'void'"
        );
        for row in unit.all(&sql, params![json_array(&ids.contacts), json_array(&ids.supplier_references)]).await? {
            let key = (row.get(0)?, row.parsed(1, DocumentKind::parse)?, row.get(2)?);
            facts.supplier_references.loading().insert(key, row.get(3)?);
        }
    }
    Ok(())
}

/// Finds what the suggestions refer to by which lines are confirmed.
async fn find_suggestions(
    unit: &Unit<'_>,
    requests: &[&CommandRequest],
    ids: &mut ReferencedIds,
) -> Result<(), StoreError> {
    let mut suggested = BTreeSet::new();
    for command in requests.iter().flat_map(|request| request.command.parts()) {
        match command {
            BooksCommand::Confirm { items, .. } => {
                let taken = items.iter().filter(|(_, confirmation)| *confirmation == Confirmation::Suggested);
                suggested.extend(taken.map(|(id, _)| *id));
            }
            BooksCommand::ConfirmSuggestions(asked) => suggested.extend(&asked.lines),
            _ => {}
        }
    }
    if suggested.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "select id, organisation_id, suggestion from bank_transaction where id in {} and suggestion is not null",
        unit.numbers_of_json()
    );
    for row in unit.all(&sql, params![json_array(&suggested)]).await? {
        let text: String = row.get(2)?;
        let suggestion: EngineSuggestion =
            serde_json::from_str(&text).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        if let Some(confirmation) = suggestion.confirmation.to_confirmation() {
            ids.collect_confirmation(row.get(1)?, row.get(0)?, &confirmation);
        }
    }
    Ok(())
}

/// Finds the settlements behind statement lines that are unconfirmed and behind journals that lines are matched with;
/// then the journals of those that are voided, and the statement lines that show them.
async fn find_settlements(
    unit: &Unit<'_>,
    requests: &[&CommandRequest],
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    let (mut unconfirmed, mut matched) = (BTreeSet::new(), BTreeSet::new());
    for command in requests.iter().flat_map(|request| request.command.parts()) {
        match command {
            BooksCommand::Unconfirm { id } => {
                unconfirmed.insert(*id);
            }
            BooksCommand::Confirm { items, .. } => {
                matched.extend(items.iter().filter_map(|(_, confirmation)| match confirmation {
                    Confirmation::MatchJournal(journal) => Some(*journal),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    if !unconfirmed.is_empty() {
        let sql = format!(
            "select settlement_id, kind from bank_transaction where id in {among} and settlement_id is not null"
        );
        for row in unit.all(&sql, params![json_array(&unconfirmed)]).await? {
            let (id, kind): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
            ids.settlements.insert(id);
            if kind.as_deref() != Some("match") {
                ids.voided_settlements.insert(id);
            }
        }
    }
    if !matched.is_empty() {
        let sql = format!("select id from settlement where journal_id in {among}");
        for row in unit.all(&sql, params![json_array(&matched)]).await? {
            ids.settlements.insert(row.get(0)?);
        }
    }
    if !ids.voided_settlements.is_empty() {
        let sql = format!(
            "select s.id, s.bank_transaction_id, j.id from settlement s join journal j \
             on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
             where s.id in {among} order by j.id"
        );
        for row in unit.all(&sql, params![json_array(&ids.voided_settlements)]).await? {
            let journal: i64 = row.get(2)?;
            ids.transactions.extend(row.get::<Option<i64>>(1)?);
            ids.journals.insert(journal);
            facts.settlement_journals.loading().entry(row.get(0)?).or_default().push(journal);
        }
    }
    Ok(())
}

//! Loads documents and settlements with their allocations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::books::facts::Facts;
use crate::domain::books::records::document::DocumentLineRecord;
use crate::domain::books::request::ReferencedIds;
use crate::domain::ids::SettlementId;
use crate::domain::ledger::allocation::{Allocation, AllocationEnd};
use crate::domain::ledger::document::DocumentKind;
use crate::store::StoreError;
use crate::store::books::allocations::{ALLOCATION_COLUMNS, read_allocation};
use crate::store::books::documents::{DOCUMENT_COLUMNS, LINE_COLUMNS, read_document, read_line};
use crate::store::books::settlements::{SETTLEMENT_COLUMNS, read_settlement};
use crate::store::books::{documents, settlements};
use crate::store::sql::{Unit, json_array, params};

/// Loads the documents and settlements with every allocation to them or from them, and the other ends of these with
/// theirs. Adds to `ids` what their answers show and what is voided with them.
pub(super) async fn load_register(
    unit: &Unit<'_>,
    ids: &mut ReferencedIds,
    facts: &mut Facts,
) -> Result<(), StoreError> {
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
        };
    }
    let others = (&documents - &open, &settlements - &ids.settlements);
    if !others.0.is_empty() || !others.1.is_empty() {
        load_allocations(unit, &others.0, &others.1, &mut allocations).await?;
    }
    load_documents(unit, &documents, ids, facts).await?;
    load_settlements(unit, &settlements, ids, facts).await?;
    join(facts, allocations);
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
fn join(facts: &mut Facts, allocations: BTreeMap<i64, Allocation>) {
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
                AllocationEnd::Settlement(None) => {}
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
pub(super) async fn load_number_holders(
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

//! What is asked about invoices and credit notes.

use std::collections::HashMap;

use super::contacts::signed;
use super::document_rows::{
    self, ALLOCATION_COLUMNS, DOCUMENT_COLUMNS, DocumentRow, LINE_COLUMNS, read_allocation, read_document, read_line,
};
use super::documents::{DocumentFilter, DocumentView};
use super::query::{Conditions, contains};
use super::settlements::AllocationView;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::document::DocumentKind;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::{Row, Unit, params};

/// A page asked for: whose, which, how many, after how many.
type Page<'a> = (OrganisationId, DocumentKind, &'a DocumentFilter, (u64, u64));

impl DocumentFilter {
    /// The statuses whose kept counters say how many there are, if they do.
    fn list_status(&self, kind: DocumentKind) -> Option<Vec<&'static str>> {
        let plain = self.contact_id.is_none()
            && self.from_day.is_none()
            && self.to_day.is_none()
            && self.due_before_day.is_none()
            && self.overdue_on.is_none()
            && self.search.is_none()
            && self.updated_since_ms.is_none();
        let all: &[&str] = if kind.is_credit_note() {
            &["draft", "issued", "part_allocated", "allocated", "void"]
        } else {
            &["draft", "issued", "part_paid", "paid", "void"]
        };
        plain.then(|| if self.statuses.is_empty() { all.to_vec() } else { self.statuses.clone() })
    }

    fn conditions(&self, organisation: OrganisationId, kind: DocumentKind) -> Conditions {
        let mut conditions = Conditions::new("d.organisation_id = $1", organisation.0);
        conditions.and("d.kind = {}", kind.as_str());
        conditions.and_if("d.contact_id = {}", self.contact_id);
        conditions.and_if("d.day >= {}", self.from_day.map(i64::from));
        conditions.and_if("d.day <= {}", self.to_day.map(i64::from));
        conditions.and_if("d.due_day < {}", self.due_before_day.map(i64::from));
        conditions.and_if("d.due > 0 and d.due_day < {}", self.overdue_on.map(i64::from));
        conditions.and_if("d.updated_at >= {}", self.updated_since_ms);
        conditions.and_if(
            // A contact's search text begins with its name.
            "(d.search like {} escape '\\' or d.contact_id in (select c.id from contact c where c.organisation_id = $1 \
             and substr(c.search, 1, length(c.name)) like {} escape '\\'))",
            self.search.as_deref().map(contains),
        );
        conditions
    }
}

impl Reader {
    /// A page of the documents of a kind, newest first, and how many there are.
    pub async fn documents(
        &self,
        organisation: OrganisationId,
        kind: DocumentKind,
        filter: &DocumentFilter,
        page: (u64, u64),
    ) -> Result<(Vec<DocumentView>, Option<u64>), StoreError> {
        let mut statuses = filter.statuses.clone();
        statuses.sort_unstable();
        statuses.dedup();
        let filter = DocumentFilter { statuses, ..filter.clone() };
        let mut conditions = filter.conditions(organisation, kind);
        if !filter.statuses.is_empty() {
            conditions.and_plain(&among(&filter.statuses));
        }
        let kept = filter.list_status(kind);
        let kept = kept.as_ref().map(|statuses| (kind.as_str(), statuses.as_slice()));
        let counted = self.counted(organisation, "document d", &conditions, kept).await?;
        let views = self
            .snapshot(move |unit| {
                let filter = filter.clone();
                Box::pin(async move { page_of(unit, (organisation, kind, &filter, page)).await })
            })
            .await?;
        Ok((views, counted))
    }

    /// One document of a kind.
    pub async fn document(
        &self,
        organisation: OrganisationId,
        kind: DocumentKind,
        id: i64,
    ) -> Result<Option<DocumentView>, StoreError> {
        let views = self
            .snapshot(move |unit| {
                Box::pin(async move {
                    let sql = format!(
                        "select {DOCUMENT_COLUMNS}, c.name from document d join contact c on c.id = d.contact_id \
                         where d.organisation_id = $1 and d.kind = $2 and d.id = $3"
                    );
                    let rows = unit.all(&sql, params![organisation.0, kind.as_str(), id]).await?;
                    views(unit, &rows).await
                })
            })
            .await?;
        Ok(views.into_iter().next())
    }
}

/// `d.status in (…)`; the words are ours.
fn among(statuses: &[&str]) -> String {
    format!("d.status in ('{}')", statuses.join("', '"))
}

async fn page_of(
    unit: &Unit<'_>,
    (organisation, kind, filter, (limit, offset)): Page<'_>,
) -> Result<Vec<DocumentView>, StoreError> {
    let mut conditions = filter.conditions(organisation, kind);
    let until = conditions.value(signed(limit.saturating_add(offset)));
    let (limit, offset) = (conditions.value(signed(limit)), conditions.value(signed(offset)));
    const ORDER: &str = "order by day desc, id desc";
    // Each status comes in order from its own index; together they would have to be sorted.
    let arm = |and: &str| {
        let conditions = conditions.text();
        format!("select * from (select d.id, d.day from document d where {conditions}{and} {ORDER} limit {until}) as a")
    };
    let arms: Vec<String> = match filter.statuses.as_slice() {
        [] => vec![arm("")],
        statuses => statuses.iter().map(|status| arm(&format!(" and d.status = '{status}'"))).collect(),
    };
    let sql = format!(
        "select {DOCUMENT_COLUMNS}, c.name from (select * from ({}) as u {ORDER} limit {limit} offset {offset}) as p \
         join document d on d.id = p.id join contact c on c.id = d.contact_id order by d.day desc, d.id desc",
        arms.join(" union all ")
    );
    let rows = unit.all(&sql, conditions.values()).await?;
    views(unit, &rows).await
}

/// Documents as callers see them, in the order of the rows.
async fn views(unit: &Unit<'_>, rows: &[Row]) -> Result<Vec<DocumentView>, StoreError> {
    let mut documents: Vec<(DocumentRow, String)> = Vec::with_capacity(rows.len());
    for row in rows {
        documents.push((read_document(row)?, row.get(document_rows::COLUMNS)?));
    }
    if documents.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = documents.iter().map(|(row, _)| row.id.to_string()).collect();
    let ids = format!("[{}]", ids.join(","));
    let numbers = unit.numbers_of_json();
    let sql = format!(
        "select {LINE_COLUMNS}, a.code from document_line l join account a on a.id = l.account_id \
         where l.document_id in {numbers} order by l.document_id, l.line_number"
    );
    let mut codes: HashMap<i64, String> = HashMap::new();
    let mut lines: HashMap<i64, Vec<_>> = HashMap::new();
    for row in unit.all(&sql, params![ids.as_str()]).await? {
        let (document, line) = read_line(&row)?;
        codes.insert(line.account_id, row.get(12)?);
        lines.entry(document).or_default().push(line);
    }
    let mut settled = settled(unit, &ids).await?;
    let views = documents.into_iter().map(|(mut row, contact)| {
        row.lines = lines.remove(&row.id).unwrap_or_default();
        let (allocations, shown): (Vec<_>, Vec<_>) = settled.remove(&row.id).unwrap_or_default().into_iter().unzip();
        row.view(contact, shown, &allocations, |account| codes.get(&account).cloned().unwrap_or_default())
    });
    Ok(views.collect())
}

/// What counts of the allocations of documents, seen from them, oldest first.
async fn settled(unit: &Unit<'_>, ids: &str) -> Result<HashMap<i64, Vec<(Allocation, AllocationView)>>, StoreError> {
    let among = unit.numbers_of_json();
    let arm = |own: &str, document: &str, settlement: &str| {
        format!(
            "select {ALLOCATION_COLUMNS}, a.{own} as own_id, d.kind as document_kind, d.id as document_id, \
             d.number as document_number, s.kind as settlement_kind, s.id as settlement_id, \
             s.number as settlement_number from allocation a left join document d on d.id = a.{document} \
             left join settlement s on s.id = a.{settlement} where a.{own} in {among} and a.released_day is null"
        )
    };
    let sql = format!(
        "select * from ({} union all {}) as f order by own_id, day, id",
        arm("to_document_id", "from_document_id", "from_settlement_id"),
        arm("from_document_id", "to_document_id", "to_settlement_id"),
    );
    let mut settled: HashMap<i64, Vec<(Allocation, AllocationView)>> = HashMap::new();
    for row in unit.all(&sql, params![ids]).await? {
        let allocation = read_allocation(&row)?;
        let document: Option<i64> = row.get(13)?;
        let (other_type, other_id, other_number) = match document {
            Some(id) => (row.parsed(12, DocumentKind::parse)?.as_str(), id, row.get(14)?),
            None => (row.parsed(15, SettlementKind::parse)?.as_str(), row.get(16)?, row.get(17)?),
        };
        let view = AllocationView {
            id: allocation.id.map_or(0, |id| id.0),
            other_type,
            other_id,
            other_number,
            day: allocation.date,
            amount_pence: allocation.amount.0,
            cis_pence: if allocation.is_cash() { allocation.cis.0 } else { 0 },
        };
        settled.entry(row.get(11)?).or_default().push((allocation, view));
    }
    Ok(settled)
}

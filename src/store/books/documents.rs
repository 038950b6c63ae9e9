//! Invoices and credit notes: how their rows are read and written, and the queries about them.

use std::collections::HashMap;

use Column::{Flag, Number, Text};
use futures_util::future::try_join;
use sea_orm::{DbBackend, Value};

use crate::domain::books::records::document::{DocumentFilter, DocumentLineRecord, DocumentRecord, DocumentView};
use crate::domain::books::records::settlement::{AllocationView, WRITE_OFF};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, SettlementKind};
use crate::domain::ledger::cis;
use crate::domain::ledger::contact::CisRate;
use crate::domain::ledger::document::{CisType, DocumentKind, Stage};
use crate::domain::ledger::money::{Decimal4, Pence, Percent};
use crate::domain::ledger::vat::{Basis, CodeTotals, ReverseCharge, ReverseCharged, VatCode};
use crate::store::StoreError;
use crate::store::books::allocations::{ALLOCATION_COLUMN_COUNT, ALLOCATION_COLUMNS, read_allocation};
use crate::store::books::conditions::{Conditions, contains};
use crate::store::books::lists::{PagePlan, is_whole, prefix_scan, trigrams};
use crate::store::books::totals::{COUNTED_MAX, TotalSource};
use crate::store::sql::{Cell, Column, Reader, Row, Rows, Unit, json_array, params, signed};

/// The columns of [`read_document`], of the document `d`.
pub(super) const DOCUMENT_COLUMNS: &str = "d.id, d.kind, d.stage, d.number, d.supplier_reference, d.contact_id, d.day, \
     d.due_day, d.reference, d.notes, d.vat_inclusive, d.origin_id, d.net, d.vat, d.by_code, d.paid, d.credited, \
     d.cis_rate, d.cis_labour, d.cis_materials, d.cis_deduction, d.opening, d.journal_id, d.void_journal_id, \
     d.void_day, d.void_reason, d.issued_at, d.last_emailed_at, d.created_at, d.updated_at, d.version, \
     d.vat_basis, d.given_vat_basis, d.email_count, \
     case when d.opening then (select o.entry_day from journal o where o.id = d.journal_id) end";

/// How many columns these are.
pub(super) const COLUMNS: usize = 35;

/// The columns of [`read_line`], of the line `l`.
pub(super) const LINE_COLUMNS: &str = "l.document_id, l.id, l.description, l.account_id, l.quantity, l.unit_price, \
     l.discount, l.vat_code, l.given_vat, l.net, l.vat, l.cis_type, l.given_cis_type, l.reverse_charge, \
     l.reverse_charge_vat, l.vat_basis";

/// How many columns these are.
const LINE_COLUMN_COUNT: usize = 16;

/// The order of the list of documents.
const ORDER: &str = "order by day desc, id desc";

/// All documents of a kind.
const ALL: &str = "document b where b.organisation_id = $1 and b.kind = $2";

impl DocumentFilter {
    /// Where the total of the list is read from.
    fn total_source(&self, kind: DocumentKind) -> TotalSource {
        if self.contact_id.is_some() || self.search.is_some() {
            return TotalSource::Nothing;
        }
        let until = match (self.overdue_on, self.due_before_date) {
            (None, None) => None,
            (Some(today), Some(date)) => Some(("open", today.min(date))),
            (Some(today), None) => Some(("open", today)),
            (None, Some(date)) => Some(("due", date)),
        };
        if let Some((what, date)) = until {
            let others = !self.statuses.is_empty()
                || self.from_date.is_some()
                || self.to_date.is_some()
                || self.updated_since_ms.is_some();
            let lists = vec![format!("{} {what}", kind.as_str())];
            let due = TotalSource::Dated { lists, less: None, from: None, to: Some(date - 1) };
            return if others { TotalSource::Nothing } else { due };
        }
        let all: &[&str] = if kind.is_credit_note() {
            &["draft", "issued", "part_allocated", "allocated", "void"]
        } else {
            &["draft", "issued", "part_paid", "paid", "void"]
        };
        let statuses = if self.statuses.is_empty() { all.to_vec() } else { self.statuses.clone() };
        let changed = self.updated_since_ms.map(|since_ms| ("d.updated_at", since_ms));
        TotalSource::of_list(kind.as_str(), statuses, (self.from_date, self.to_date), changed)
    }

    /// The conditions of the filter, without its search text and statuses.
    fn conditions(&self, organisation: OrganisationId, kind: DocumentKind) -> Conditions {
        // The index of contacts does not hold the organisation.
        let own = match self.contact_id {
            Some(_) => "(select c.organisation_id from contact c where c.id = $3) = $1",
            None => "d.organisation_id = $1",
        };
        let mut conditions = Conditions::new(own, organisation.0);
        conditions.and("d.kind = {}", kind.as_str());
        conditions.and_if("d.contact_id = {}", self.contact_id);
        conditions.and_if("d.day >= {}", self.from_date.map(i64::from));
        conditions.and_if("d.day <= {}", self.to_date.map(i64::from));
        // No document is due before its own date, so that newer documents need not be read.
        conditions.and_if("~d.due_day < {} and d.day < {}", self.due_before_date.map(i64::from));
        conditions.and_if("~d.due > 0 and ~d.due_day < {}", self.overdue_on.map(i64::from));
        conditions.and_if("~d.updated_at >= {}", self.updated_since_ms);
        conditions
    }

    /// The condition of the statuses, whose words are our own.
    fn status_condition(&self) -> String {
        match self.statuses.as_slice() {
            [] => String::new(),
            statuses => format!(" and d.status in ('{}')", statuses.join("', '")),
        }
    }

    /// The query of a page in the order of the list. Each status has an index in this order; an index of several
    /// statuses would have to be sorted.
    fn ordered_page_sql(&self, conditions: &str, (limit, offset): (u64, u64)) -> String {
        let until = signed(limit.saturating_add(offset));
        let arm = |and: &str| {
            format!(
                "select * from (select d.id, d.day from document d where {conditions}{and} {ORDER} limit {until}) as a"
            )
        };
        let arms: Vec<String> = match self.statuses.as_slice() {
            [] => vec![arm("")],
            statuses => statuses.iter().map(|status| arm(&format!(" and d.status = '{status}'"))).collect(),
        };
        page_of(&format!("({}) as u", arms.join(" union all ")), (limit, offset))
    }

    /// The query of a page of few documents, found by whichever index leads to them; the last column is their number.
    fn filtered_page_sql(&self, few: &str, conditions: &str, page: (u64, u64)) -> String {
        let statuses = self.status_condition();
        format!(
            "with m as materialized (select d.id, d.day from {few} where {conditions}{statuses} limit {}) {}",
            COUNTED_MAX + 1,
            page_of("m", page).replacen("c.name from", "c.name, (select count(*) from m) from", 1)
        )
    }
}

impl Reader {
    /// A page of the documents of a kind, newest first, and the total.
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
        let plan = self.page_plan(&filter, &mut conditions);
        let mut counting = conditions.clone();
        counting.end_with(&filter.status_condition());
        let (values, in_order, total_source) = (conditions.values(), conditions.in_order(), filter.total_source(kind));
        match plan {
            PagePlan::InOrder => {
                let views = self.document_views(filter.ordered_page_sql(&in_order, page), values);
                try_join(views, self.counted(organisation, "document d", &counting, &total_source)).await
            }
            PagePlan::FilterFirst(few) => {
                let first = prefix_scan("d.day", ALL, true, page);
                let near = filter.ordered_page_sql(&format!("{in_order} and {first}"), page);
                let counted = self.counted(organisation, &few, &counting, &total_source);
                let (views, total) = try_join(self.document_views(near, values.clone()), counted).await?;
                if is_whole(views.len(), total, page) {
                    return Ok((views, total));
                }
                let far = match total {
                    Some(_) => filter.filtered_page_sql(&few, &conditions.text(), page),
                    None => filter.ordered_page_sql(&in_order, page),
                };
                Ok((self.document_views(far, values).await?, total))
            }
            PagePlan::Search(few) => {
                let filtered_page_sql = filter.filtered_page_sql(&few, &conditions.text(), page);
                let (views, total) = self.document_views_of(filtered_page_sql, values.clone()).await?;
                let total = match total {
                    Some(total) => total,
                    None if page.1 == 0 => 0,
                    None => return Ok((views, self.counted(organisation, &few, &counting, &total_source).await?)),
                };
                if total <= COUNTED_MAX {
                    return Ok((views, u64::try_from(total).ok()));
                }
                Ok((self.document_views(filter.ordered_page_sql(&in_order, page), values).await?, None))
            }
        }
    }

    /// Plans how documents are found. A search text adds the condition that the document contains it, or the name of its
    /// contact does.
    fn page_plan(&self, filter: &DocumentFilter, conditions: &mut Conditions) -> PagePlan {
        let Some(text) = filter.search.as_deref() else {
            let is_rare = filter.overdue_on.is_some() || filter.updated_since_ms.is_some();
            return if is_rare { PagePlan::FilterFirst("document d".to_owned()) } else { PagePlan::InOrder };
        };
        let pattern = conditions.value(contains(text));
        let own = format!("like {pattern} escape '\\'");
        // The search text of a contact begins with its name.
        let name = format!("substr(c.search, 1, length(c.name)) {own}");
        conditions.and_plain(&format!(
            "(d.search {own} or exists (select 1 from contact c where c.id = d.contact_id and {name}))"
        ));
        let is_sqlite = matches!(self.shared().backend, DbBackend::Sqlite);
        // On SQLite the cross join decides the order of the tables: the few identifiers found come first.
        let join = if is_sqlite { "cross join" } else { "join" };
        let (documents, contacts) = if is_sqlite {
            let Some(trigrams) = trigrams(text) else { return PagePlan::InOrder };
            let trigrams = conditions.value(trigrams);
            (
                format!(
                    "document_trigram f cross join document e on e.id = f.rowid and document_trigram match {trigrams}"
                ),
                format!(
                    "contact_trigram f cross join contact c on c.id = f.rowid and contact_trigram match {trigrams}"
                ),
            )
        } else {
            ("document e".to_owned(), "contact c".to_owned())
        };
        PagePlan::Search(format!(
            "(select e.id from {documents} where e.organisation_id = $1 and e.kind = $2 and e.search {own} union all \
             select e.id from {contacts} cross join document e where e.contact_id = c.id and e.kind = $2 \
             and c.organisation_id = $1 and c.search {own} and {name} and not (e.search {own})) u \
             {join} document d on d.id = u.id"
        ))
    }

    /// The documents of a query.
    async fn document_views(&self, sql: String, values: Vec<Value>) -> Result<Vec<DocumentView>, StoreError> {
        Ok(self.document_views_of(sql, values).await?.0)
    }

    /// The documents of a query, and the number in the column behind theirs in the first row, if there is one.
    async fn document_views_of(
        &self,
        sql: String,
        values: Vec<Value>,
    ) -> Result<(Vec<DocumentView>, Option<i64>), StoreError> {
        let query = (sql, values);
        self.snapshot(move |unit| {
            let (sql, values) = query.clone();
            Box::pin(async move {
                let rows = unit.all(&sql, values).await?;
                let last = rows.first().filter(|row| row.width() > COLUMNS + 1);
                let last = last.map(|row| row.get(COLUMNS + 1)).transpose()?;
                Ok((views(unit, &rows).await?, last))
            })
        })
        .await
    }

    /// One document of a kind.
    pub async fn document(
        &self,
        organisation: OrganisationId,
        kind: DocumentKind,
        id: i64,
    ) -> Result<Option<DocumentView>, StoreError> {
        let sql = format!(
            "select {DOCUMENT_COLUMNS}, c.name from document d join contact c on c.id = d.contact_id \
             where d.organisation_id = $1 and d.kind = $2 and d.id = $3"
        );
        let views = self.document_views(sql, params![organisation.0, kind.as_str(), id]).await?;
        Ok(views.into_iter().next())
    }
}

/// The query of a page of the documents of a table of identifiers and days.
fn page_of(from: &str, (limit, offset): (u64, u64)) -> String {
    format!(
        "select {DOCUMENT_COLUMNS}, c.name from (select * from {from} {ORDER} limit {} offset {}) as p \
         join document d on d.id = p.id join contact c on c.id = d.contact_id order by d.day desc, d.id desc",
        signed(limit),
        signed(offset)
    )
}

/// The views of documents, in the order of the rows.
async fn views(unit: &Unit<'_>, rows: &[Row]) -> Result<Vec<DocumentView>, StoreError> {
    let mut documents: Vec<(DocumentRecord, String)> = Vec::with_capacity(rows.len());
    for row in rows {
        documents.push((read_document(row)?, row.get(COLUMNS)?));
    }
    if documents.is_empty() {
        return Ok(Vec::new());
    }
    let ids = json_array(documents.iter().map(|(row, _)| row.id));
    let numbers = unit.numbers_of_json();
    let sql = format!(
        "select {LINE_COLUMNS}, a.code from document_line l join account a on a.id = l.account_id \
         where l.document_id in {numbers} order by l.document_id, l.line_number"
    );
    let mut codes: HashMap<i64, String> = HashMap::new();
    let mut lines: HashMap<i64, Vec<_>> = HashMap::new();
    for row in unit.all(&sql, params![ids.as_str()]).await? {
        let (document, line) = read_line(&row)?;
        codes.insert(line.account_id, row.get(LINE_COLUMN_COUNT)?);
        lines.entry(document).or_default().push(line);
    }
    let mut allocations_of = active_allocations(unit, &ids).await?;
    let views = documents.into_iter().map(|(mut row, contact)| {
        row.lines = lines.remove(&row.id).unwrap_or_default();
        let (allocations, shown): (Vec<_>, Vec<_>) =
            allocations_of.remove(&row.id).unwrap_or_default().into_iter().unzip();
        row.view(contact, shown, &allocations, |account| codes.get(&account).cloned().unwrap_or_default())
    });
    Ok(views.collect())
}

/// The active allocations of documents with their views, by document, oldest first.
async fn active_allocations(
    unit: &Unit<'_>,
    ids_json: &str,
) -> Result<HashMap<i64, Vec<(Allocation, AllocationView)>>, StoreError> {
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
    let mut allocations_of: HashMap<i64, Vec<(Allocation, AllocationView)>> = HashMap::new();
    for row in unit.all(&sql, params![ids_json]).await? {
        let allocation = read_allocation(&row)?;
        let own = ALLOCATION_COLUMN_COUNT;
        let document: Option<i64> = row.get(own + 2)?;
        let (other_type, other_id, other_number) = match (document, allocation.from) {
            (Some(id), _) => (row.parsed(own + 1, DocumentKind::parse)?.as_str(), id, row.get(own + 3)?),
            (None, AllocationEnd::WriteOff(id)) => (WRITE_OFF, id.map_or(0, |id| id.0), None),
            (None, _) => (row.parsed(own + 4, SettlementKind::parse)?.as_str(), row.get(own + 5)?, row.get(own + 6)?),
        };
        let view = AllocationView {
            id: allocation.id.map_or(0, |id| id.0),
            other_type,
            other_id,
            other_number,
            date: allocation.date,
            amount_pence: allocation.amount.0,
            cis_pence: if allocation.is_cash() { allocation.cis.0 } else { 0 },
        };
        allocations_of.entry(row.get(own)?).or_default().push((allocation, view));
    }
    Ok(allocations_of)
}

/// The word of a stage, as stored.
pub(super) const fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Draft => "draft",
        Stage::Issued => "issued",
        Stage::Void => "void",
    }
}

/// Reads the word of a stage.
fn parse_stage(word: &str) -> Option<Stage> {
    [Stage::Draft, Stage::Issued, Stage::Void].into_iter().find(|stage| stage_word(*stage) == word)
}

/// Reads a document without its lines.
pub(super) fn read_document(row: &Row) -> Result<DocumentRecord, StoreError> {
    let rate: Option<i64> = row.get(17)?;
    let terms = |rate| -> Result<cis::Terms, StoreError> {
        Ok(cis::Terms {
            rate: CisRate::from_percent(rate).ok_or_else(|| StoreError::corrupt("CIS rate", rate))?,
            labour_net: Pence(row.get(18)?),
            materials_net: Pence(row.get(19)?),
            deduction: Pence(row.get(20)?),
        })
    };
    let basis = |column| -> Result<Option<Basis>, StoreError> {
        let word: Option<String> = row.get(column)?;
        word.map(|word| Basis::parse(&word).ok_or_else(|| StoreError::corrupt("VAT basis", word))).transpose()
    };
    Ok(DocumentRecord {
        id: row.get(0)?,
        kind: row.parsed(1, DocumentKind::parse)?,
        stage: row.parsed(2, parse_stage)?,
        number: row.get(3)?,
        supplier_reference: row.get(4)?,
        contact_id: row.get(5)?,
        date: row.date(6)?,
        due_date: row.maybe_date(7)?,
        reference: row.get(8)?,
        notes: row.get(9)?,
        is_vat_inclusive: row.get(10)?,
        origin_id: row.get(11)?,
        lines: Vec::new(),
        net_pence: row.get(12)?,
        vat_pence: row.get(13)?,
        by_code: row.parsed(14, CodeTotals::parse)?,
        paid_pence: row.get(15)?,
        credited_pence: row.get(16)?,
        cis: rate.map(terms).transpose()?,
        is_opening: row.get(21)?,
        opened_on: row.maybe_date(34)?,
        basis: basis(31)?,
        given_basis: basis(32)?,
        journal_id: row.get(22)?,
        void_journal_id: row.get(23)?,
        void_date: row.maybe_date(24)?,
        void_reason: row.get(25)?,
        issued_at_ms: row.get(26)?,
        last_emailed_at_ms: row.get(27)?,
        email_count: row.get(33)?,
        created_at_ms: row.get(28)?,
        updated_at_ms: row.get(29)?,
        version: row.get(30)?,
    })
}

/// Reads a line, with the identifier of its document.
pub(super) fn read_line(row: &Row) -> Result<(i64, DocumentLineRecord), StoreError> {
    let given: Option<String> = row.get(12)?;
    let given =
        given.map(|word| CisType::parse(&word).ok_or_else(|| StoreError::corrupt("CIS type", word))).transpose()?;
    let charge: Option<String> = row.get(13)?;
    let charged = |word: String| -> Result<ReverseCharged, StoreError> {
        let kind = ReverseCharge::parse(&word).ok_or_else(|| StoreError::corrupt("reverse charge", word))?;
        Ok(ReverseCharged { kind, vat: Pence(row.get(14)?) })
    };
    let line = DocumentLineRecord {
        id: row.get(1)?,
        description: row.get(2)?,
        account_id: row.get(3)?,
        quantity: Decimal4(row.get(4)?),
        unit_price: Decimal4(row.get(5)?),
        discount: Percent(row.get(6)?),
        vat_code: row.parsed(7, VatCode::parse)?,
        reverse_charge: charge.map(charged).transpose()?,
        has_standard_basis: row.get::<Option<String>>(15)?.is_some(),
        given_vat_pence: row.get(8)?,
        net_pence: row.get(9)?,
        vat_pence: row.get(10)?,
        cis_type: row.parsed(11, CisType::parse)?,
        given_cis_type: given,
    };
    Ok((row.get(0)?, line))
}

const DOCUMENT: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Text("kind"),
    Text("stage"),
    Text("status"),
    Text("number"),
    Text("supplier_reference"),
    Number("contact_id"),
    Number("day"),
    Number("due_day"),
    Text("reference"),
    Text("notes"),
    Flag("vat_inclusive"),
    Number("origin_id"),
    Number("net"),
    Number("vat"),
    Text("by_code"),
    Number("paid"),
    Number("credited"),
    Number("due"),
    Number("cis_rate"),
    Number("cis_labour"),
    Number("cis_materials"),
    Number("cis_deduction"),
    Flag("opening"),
    Text("vat_basis"),
    Number("journal_id"),
    Number("void_journal_id"),
    Number("void_day"),
    Text("void_reason"),
    Text("search"),
    Number("issued_at"),
    Number("last_emailed_at"),
    Number("created_at"),
    Number("updated_at"),
    Number("version"),
    Text("given_vat_basis"),
    Number("email_count"),
];

const DOCUMENT_CONFLICT: &str = "on conflict (id) do update set stage = excluded.stage, status = excluded.status, \
     number = excluded.number, supplier_reference = excluded.supplier_reference, \
     contact_id = excluded.contact_id, day = excluded.day, due_day = excluded.due_day, \
     reference = excluded.reference, notes = excluded.notes, vat_inclusive = excluded.vat_inclusive, \
     origin_id = excluded.origin_id, net = excluded.net, vat = excluded.vat, by_code = excluded.by_code, \
     paid = excluded.paid, credited = excluded.credited, due = excluded.due, cis_rate = excluded.cis_rate, \
     cis_labour = excluded.cis_labour, cis_materials = excluded.cis_materials, \
     cis_deduction = excluded.cis_deduction, vat_basis = excluded.vat_basis, journal_id = excluded.journal_id, \
     void_journal_id = excluded.void_journal_id, void_day = excluded.void_day, \
     void_reason = excluded.void_reason, search = excluded.search, issued_at = excluded.issued_at, \
     last_emailed_at = excluded.last_emailed_at, updated_at = excluded.updated_at, version = excluded.version, \
     given_vat_basis = excluded.given_vat_basis, email_count = excluded.email_count";

const DOCUMENT_LINE: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("document_id"),
    Number("line_number"),
    Text("description"),
    Number("account_id"),
    Number("quantity"),
    Number("unit_price"),
    Number("discount"),
    Text("vat_code"),
    Number("given_vat"),
    Number("net"),
    Number("vat"),
    Text("cis_type"),
    Text("given_cis_type"),
    Text("reverse_charge"),
    Number("reverse_charge_vat"),
    Text("vat_basis"),
];

/// The rows of documents, without their lines.
pub(super) fn document_rows<'a>(documents: impl Iterator<Item = &'a (i64, DocumentRecord)>) -> Rows {
    let mut rows = Rows::new("document", DOCUMENT, DOCUMENT_CONFLICT);
    for (organisation, row) in documents {
        let (by_code, search) = (row.by_code.to_text(), row.search_text());
        let cis = |amount: fn(&cis::Terms) -> Pence| Cell::Number(row.cis.as_ref().map_or(0, |terms| amount(terms).0));
        rows.push([
            row.id.into(),
            organisation.into(),
            row.kind.as_str().into(),
            stage_word(row.stage).into(),
            row.status().into(),
            (&row.number).into(),
            (&row.supplier_reference).into(),
            row.contact_id.into(),
            i64::from(row.date).into(),
            row.due_date.map(i64::from).into(),
            (&row.reference).into(),
            (&row.notes).into(),
            row.is_vat_inclusive.into(),
            row.origin_id.into(),
            row.net_pence.into(),
            row.vat_pence.into(),
            Cell::Text(&by_code),
            row.paid_pence.into(),
            row.credited_pence.into(),
            row.due_pence().into(),
            row.cis.map(|terms| terms.rate.percent()).into(),
            cis(|terms| terms.labour_net),
            cis(|terms| terms.materials_net),
            cis(|terms| terms.deduction),
            row.is_opening.into(),
            row.basis.map(Basis::as_str).into(),
            row.journal_id.into(),
            row.void_journal_id.into(),
            row.void_date.map(i64::from).into(),
            (&row.void_reason).into(),
            Cell::Text(&search),
            row.issued_at_ms.into(),
            row.last_emailed_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
            row.given_basis.map(Basis::as_str).into(),
            row.email_count.into(),
        ]);
    }
    rows
}

/// The rows of the lines of documents.
pub(super) fn document_line_rows<'a>(documents: impl Iterator<Item = &'a (i64, DocumentRecord)>) -> Rows {
    let mut rows = Rows::new("document_line", DOCUMENT_LINE, "");
    for (organisation, row) in documents {
        for (number, line) in (1_i64..).zip(&row.lines) {
            rows.push([
                line.id.into(),
                organisation.into(),
                row.id.into(),
                number.into(),
                (&line.description).into(),
                line.account_id.into(),
                line.quantity.0.into(),
                line.unit_price.0.into(),
                line.discount.0.into(),
                line.vat_code.code().into(),
                line.given_vat_pence.into(),
                line.net_pence.into(),
                line.vat_pence.into(),
                line.cis_type.as_str().into(),
                line.given_cis_type.map(CisType::as_str).into(),
                line.reverse_charge.map(|charged| charged.kind.as_str()).into(),
                line.reverse_charge.map(|charged| charged.vat.0).into(),
                line.has_standard_basis.then_some(Basis::Standard.as_str()).into(),
            ]);
        }
    }
    rows
}

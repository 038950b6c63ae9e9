//! Customer receipts, supplier payments and refunds: how their rows are read, and the queries about them.

use std::collections::HashMap;

use futures_util::future::try_join;
use sea_orm::Value;

use crate::domain::books::effects::type_list;
use crate::domain::books::records::settlement::{
    AllocationView, PaymentMethod, SettlementFilter, SettlementRecord, SettlementView, list_name,
};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::{is_whole, prefix_scan};
use crate::store::books::totals::{COUNTED_MAX, TotalSource};
use crate::store::sql::{Reader, Row, Unit, json_array, params, signed};

/// The columns of [`read_settlement`], of the settlement `s`.
pub(super) const SETTLEMENT_COLUMNS: &str = "s.id, s.kind, s.number, s.contact_id, s.day, s.amount, \
     s.bank_account_id, s.reference, s.memo, s.method, s.allocated, s.cis, s.bank_transaction_id, s.journal_id, \
     s.void_journal_id, s.void_day, s.void_reason, s.created_at, s.updated_at, s.version, s.account_id, s.last_emailed_at, \
     s.email_count";

/// How many columns these are.
pub(super) const COLUMNS: usize = 23;

/// What a view shows beside: the name of the contact, and the code of the account in place of a bank account.
const VIEW_COLUMNS: &str = "c.name, (select a.code from account a where a.id = s.account_id)";

/// All settlements of a side.
const ALL: &str = "settlement b where b.organisation_id = $1 and b.side = $2";

/// The order of the list of settlements.
const ORDER: &str = "order by day desc, id desc";

impl SettlementFilter {
    /// Where the total of the list is read from.
    fn total_source(&self) -> TotalSource {
        if self.contact_id.is_some() || self.bank_account_id.is_some() {
            return TotalSource::Nothing;
        }
        let statuses = match self.is_void {
            None => vec!["posted", "void"],
            Some(true) => vec!["void"],
            Some(false) => vec!["posted"],
        };
        let changed = self.updated_since_ms.map(|since_ms| ("s.updated_at", since_ms));
        let list = list_name(self.side);
        if let Some(has_unallocated) = self.has_unallocated {
            let others = self.is_void.or(self.from_date.or(self.to_date).map(|_| true)).is_some() || changed.is_some();
            let Some(counter) = type_list(list) else { return TotalSource::Nothing };
            return match has_unallocated {
                _ if others => TotalSource::Nothing,
                true => TotalSource::Counters(counter, vec!["unallocated".to_owned()]),
                false => TotalSource::Without(list, statuses, (counter, "unallocated")),
            };
        }
        TotalSource::of_list(list, statuses, (self.from_date, self.to_date), changed)
    }

    /// The conditions of the filter.
    fn conditions(&self, organisation: OrganisationId) -> Conditions {
        // The indexes of contacts and bank accounts do not hold the organisation.
        let own = match (self.contact_id, self.bank_account_id) {
            (Some(_), _) => "(select c.organisation_id from contact c where c.id = $3) = $1",
            (None, Some(_)) => "(select b.organisation_id from bank_account b where b.id = $3) = $1",
            (None, None) => "s.organisation_id = $1",
        };
        let mut conditions = Conditions::new(own, organisation.0);
        conditions.and("s.side = {}", self.side.as_str());
        conditions.and_if("s.contact_id = {}", self.contact_id);
        conditions.and_if("s.bank_account_id = {}", self.bank_account_id);
        conditions.and_if("s.day >= {}", self.from_date.map(i64::from));
        conditions.and_if("s.day <= {}", self.to_date.map(i64::from));
        conditions.and_if("~s.updated_at >= {}", self.updated_since_ms);
        match self.is_void {
            Some(true) => conditions.and_plain("s.void_day is not null"),
            Some(false) => conditions.and_plain("s.void_day is null"),
            None => {}
        }
        match self.has_unallocated {
            // The unallocated amount of a void settlement cannot be used.
            Some(true) => conditions.and_plain("s.void_day is null and s.allocated < s.amount"),
            Some(false) => conditions.and_plain("(s.void_day is not null or s.allocated >= s.amount)"),
            None => {}
        }
        conditions
    }
}

impl Reader {
    /// A page of the receipts or payments of an organisation with their refunds, newest first, and the total.
    pub async fn settlements(
        &self,
        organisation: OrganisationId,
        filter: &SettlementFilter,
        page: (u64, u64),
    ) -> Result<(Vec<SettlementView>, Option<u64>), StoreError> {
        let conditions = filter.conditions(organisation);
        let (values, in_order, total_source) = (conditions.values(), conditions.in_order(), filter.total_source());
        let counted = self.counted(organisation, "settlement s", &conditions, &total_source);
        if filter.updated_since_ms.is_none() {
            return try_join(self.settlement_views(page_of(&in_order, page, false), values), counted).await;
        }
        let near = format!("{in_order} and {}", prefix_scan("s.day", ALL, true, page));
        let near = self.settlement_views(page_of(&near, page, false), values.clone());
        let (views, total) = try_join(near, counted).await?;
        if is_whole(views.len(), total, page) {
            return Ok((views, total));
        }
        let far = match total {
            Some(_) => page_of(&conditions.text(), page, true),
            None => page_of(&in_order, page, false),
        };
        Ok((self.settlement_views(far, values).await?, total))
    }

    /// One receipt, payment or refund of an organisation.
    pub async fn settlement(
        &self,
        organisation: OrganisationId,
        side: ContactKind,
        id: i64,
    ) -> Result<Option<SettlementView>, StoreError> {
        let sql = format!(
            "select {SETTLEMENT_COLUMNS}, {VIEW_COLUMNS} from settlement s join contact c on c.id = s.contact_id \
             where s.organisation_id = $1 and s.side = $2 and s.id = $3"
        );
        Ok(self.settlement_views(sql, params![organisation.0, side.as_str(), id]).await?.pop())
    }

    /// The suppliers' own numbers of documents of an organisation, by identifier.
    pub async fn supplier_references(
        &self,
        organisation: OrganisationId,
        ids: &[i64],
    ) -> Result<Vec<(i64, Option<String>)>, StoreError> {
        let among = self.numbers_of_json();
        let sql = format!(
            "select id, supplier_reference from document where id in {among} and organisation_id = $2 order by id"
        );
        let rows = self.all(&sql, params![json_array(ids), organisation.0]).await?;
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
    }

    /// The settlements of a query with their allocations, in one snapshot.
    async fn settlement_views(&self, sql: String, values: Vec<Value>) -> Result<Vec<SettlementView>, StoreError> {
        let query = (sql, values);
        self.snapshot(move |unit| {
            let (sql, values) = query.clone();
            Box::pin(async move { views(unit, &sql, values).await })
        })
        .await
    }
}

/// The query of a page of the settlements that pass conditions. When few pass, they are found by any index and then
/// ordered.
fn page_of(conditions: &str, (limit, offset): (u64, u64), is_rare: bool) -> String {
    let (with, from) = if is_rare {
        let all = format!("select s.id, s.day from settlement s where {conditions} limit {}", COUNTED_MAX + 1);
        (format!("with m as materialized ({all}) "), format!("select id from m {ORDER}"))
    } else {
        (String::new(), format!("select s.id from settlement s where {conditions} order by s.day desc, s.id desc"))
    };
    format!(
        "{with}select {SETTLEMENT_COLUMNS}, {VIEW_COLUMNS} from ({from} limit {} offset {}) p join settlement s on s.id = p.id \
         join contact c on c.id = s.contact_id order by s.day desc, s.id desc",
        signed(limit),
        signed(offset)
    )
}

/// The views of the settlements of a query.
async fn views(unit: &Unit<'_>, sql: &str, values: Vec<Value>) -> Result<Vec<SettlementView>, StoreError> {
    let mut found: Vec<(SettlementRecord, String, Option<String>)> = Vec::new();
    for row in unit.all(sql, values).await? {
        found.push((read_settlement(&row)?, row.get(COLUMNS)?, row.get(COLUMNS + 1)?));
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let mut allocations = allocations(unit, &json_array(found.iter().map(|(row, ..)| row.id))).await?;
    let view = |(row, name, code): (SettlementRecord, String, Option<String>)| {
        let allocations = allocations.remove(&row.id).unwrap_or_default();
        row.into_view(name, code, allocations)
    };
    Ok(found.into_iter().map(view).collect())
}

/// The active allocations of settlements, by settlement, oldest first.
async fn allocations(unit: &Unit<'_>, ids: &str) -> Result<HashMap<i64, Vec<AllocationView>>, StoreError> {
    let among = unit.numbers_of_json();
    let sql = format!(
        "select a.from_settlement_id, a.id, coalesce(d.kind, o.kind), coalesce(d.id, o.id), \
         coalesce(d.number, o.number), a.day, a.amount, a.cis from allocation a \
         left join document d on d.id = a.to_document_id left join settlement o on o.id = a.to_settlement_id \
         where a.from_settlement_id in {among} and a.released_day is null \
         union all select a.to_settlement_id, a.id, o.kind, o.id, o.number, a.day, a.amount, a.cis \
         from allocation a join settlement o on o.id = a.from_settlement_id \
         where a.to_settlement_id in {among} and a.released_day is null"
    );
    let mut found: HashMap<i64, Vec<AllocationView>> = HashMap::new();
    for row in unit.all(&sql, params![ids]).await? {
        found.entry(row.get(0)?).or_default().push(read_allocation_view(&row)?);
    }
    for views in found.values_mut() {
        views.sort_by_key(|view| (view.date, view.id));
    }
    Ok(found)
}

/// Reads the view of an allocation from one of its settlements.
fn read_allocation_view(row: &Row) -> Result<AllocationView, StoreError> {
    let word = |word: &str| {
        let document = DocumentKind::parse(word).map(DocumentKind::as_str);
        document.or_else(|| SettlementKind::parse(word).map(SettlementKind::as_str))
    };
    Ok(AllocationView {
        id: row.get(1)?,
        other_type: row.parsed(2, word)?,
        other_id: row.get(3)?,
        other_number: row.get(4)?,
        date: row.date(5)?,
        amount_pence: row.get(6)?,
        cis_pence: row.get(7)?,
    })
}

/// Reads a settlement from the first columns of a row.
pub(super) fn read_settlement(row: &Row) -> Result<SettlementRecord, StoreError> {
    let method: Option<String> = row.get(9)?;
    Ok(SettlementRecord {
        id: row.get(0)?,
        kind: row.parsed(1, SettlementKind::parse)?,
        number: row.get(2)?,
        contact_id: row.get(3)?,
        date: row.date(4)?,
        amount_pence: row.get(5)?,
        bank_account_id: row.get(6)?,
        reference: row.get(7)?,
        memo: row.get(8)?,
        method: method.as_deref().and_then(PaymentMethod::parse),
        allocated_pence: row.get(10)?,
        cis_pence: row.get(11)?,
        bank_transaction_id: row.get(12)?,
        journal_id: row.get(13)?,
        void_journal_id: row.get(14)?,
        void_date: row.maybe_date(15)?,
        void_reason: row.get(16)?,
        created_at_ms: row.get(17)?,
        updated_at_ms: row.get(18)?,
        version: row.get(19)?,
        account_id: row.get(20)?,
        last_emailed_at_ms: row.get(21)?,
        email_count: row.get(22)?,
    })
}

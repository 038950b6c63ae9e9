//! What is asked about receipts, payments and refunds.

use std::collections::HashMap;

use sea_orm::Value;

use super::contacts::signed;
use super::query::Conditions;
use super::settlements::{
    AllocationView, COLUMNS, SETTLEMENT_COLUMNS, SettlementFilter, SettlementRow, SettlementView, read_settlement,
};
use super::shelf::day;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::{Row, Unit, params};

impl SettlementFilter {
    /// The kept counter that says how many there are, when there is one.
    fn list_status(&self) -> Option<(&'static str, &'static [&'static str])> {
        let plain = self.contact_id.is_none()
            && self.bank_account_id.is_none()
            && self.from_day.is_none()
            && self.to_day.is_none()
            && self.has_unallocated.is_none()
            && self.updated_since_ms.is_none();
        let statuses: &[&str] = match self.is_void {
            None => &["posted", "void"],
            Some(true) => &["void"],
            Some(false) => &["posted"],
        };
        plain.then_some((super::decide_settlement::list(self.side), statuses))
    }
}

impl Reader {
    /// A page of the receipts or payments of an organisation with their refunds, newest first, and how many there are.
    pub async fn settlements(
        &self,
        organisation: OrganisationId,
        filter: &SettlementFilter,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<SettlementView>, Option<u64>), StoreError> {
        let mut conditions = Conditions::new("s.organisation_id = $1", organisation.0);
        conditions.and("s.side = {}", filter.side.as_str());
        conditions.and_if("s.contact_id = {}", filter.contact_id);
        conditions.and_if("s.bank_account_id = {}", filter.bank_account_id);
        conditions.and_if("s.day >= {}", filter.from_day.map(i64::from));
        conditions.and_if("s.day <= {}", filter.to_day.map(i64::from));
        conditions.and_if("s.updated_at >= {}", filter.updated_since_ms);
        match filter.is_void {
            Some(true) => conditions.and_plain("s.void_day is not null"),
            Some(false) => conditions.and_plain("s.void_day is null"),
            None => {}
        }
        match filter.has_unallocated {
            // Nothing can be done with what is left of a void one.
            Some(true) => conditions.and_plain("s.void_day is null and s.allocated < s.amount"),
            Some(false) => conditions.and_plain("(s.void_day is not null or s.allocated >= s.amount)"),
            None => {}
        }
        let counted = self.counted(organisation, "settlement s", &conditions, filter.list_status()).await?;
        let (limit, offset) = (conditions.value(signed(limit)), conditions.value(signed(offset)));
        let condition = format!("{} order by s.day desc, s.id desc limit {limit} offset {offset}", conditions.text());
        Ok((self.settlement_views(&condition, conditions.values()).await?, counted))
    }

    /// One receipt or payment, or refund, of an organisation.
    pub async fn settlement(
        &self,
        organisation: OrganisationId,
        side: ContactKind,
        id: i64,
    ) -> Result<Option<SettlementView>, StoreError> {
        let condition = "s.organisation_id = $1 and s.side = $2 and s.id = $3";
        Ok(self.settlement_views(condition, params![organisation.0, side.as_str(), id]).await?.pop())
    }

    /// Settlements with their allocations, as of one moment.
    async fn settlement_views(&self, condition: &str, values: Vec<Value>) -> Result<Vec<SettlementView>, StoreError> {
        let sql = format!(
            "select {SETTLEMENT_COLUMNS}, c.name from settlement s join contact c on c.id = s.contact_id \
             where {condition}"
        );
        let asked = (sql, values);
        self.snapshot(move |unit| {
            let (sql, values) = asked.clone();
            Box::pin(async move { views(unit, &sql, values).await })
        })
        .await
    }
}

async fn views(unit: &Unit<'_>, sql: &str, values: Vec<Value>) -> Result<Vec<SettlementView>, StoreError> {
    let mut found: Vec<(SettlementRow, String)> = Vec::new();
    for row in unit.all(sql, values).await? {
        found.push((read_settlement(&row)?, row.get(COLUMNS)?));
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = found.iter().map(|(row, _)| row.id.to_string()).collect();
    let mut allocations = allocations(unit, &format!("[{}]", ids.join(","))).await?;
    let view = |(row, name): (SettlementRow, String)| {
        let allocations = allocations.remove(&row.id).unwrap_or_default();
        row.view(name, allocations)
    };
    Ok(found.into_iter().map(view).collect())
}

/// What settlements are set against now, by settlement, oldest first.
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
        found.entry(row.get(0)?).or_default().push(read_allocation(&row)?);
    }
    for views in found.values_mut() {
        views.sort_by_key(|view| (view.day, view.id));
    }
    Ok(found)
}

fn read_allocation(row: &Row) -> Result<AllocationView, StoreError> {
    let word = |word: &str| {
        let document = DocumentKind::parse(word).map(DocumentKind::as_str);
        document.or_else(|| SettlementKind::parse(word).map(SettlementKind::as_str))
    };
    Ok(AllocationView {
        id: row.get(1)?,
        other_type: row.parsed(2, word)?,
        other_id: row.get(3)?,
        other_number: row.get(4)?,
        day: day(row, 5)?,
        amount_pence: row.get(6)?,
        cis_pence: row.get(7)?,
    })
}

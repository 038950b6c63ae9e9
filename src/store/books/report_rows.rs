//! Loads the rows that reports are computed from, each report in one snapshot.

use crate::domain::ids::OrganisationId;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::domain::reports::cis_position::{Bill, CisPosition, CisSubcontractor, Event, Figures, Paid, Parts};
use crate::store::StoreError;
use crate::store::books::journals::balance_before;
use crate::store::reader::Reader;
use crate::store::sql::{Unit, params};
use std::collections::BTreeMap;

/// Payments of bills under the scheme, of which something was paid or released in a period, and credit against them.
const PAYMENTS: &str = "select d.id, d.kind, d.contact_id, d.cis_rate, d.net, d.vat, d.cis_labour, d.cis_materials, \
     a.day, a.released_day, a.amount, a.cis, n.net, n.vat, n.cis_labour, n.cis_materials \
     from document d join allocation a on a.to_document_id = d.id left join document n on n.id = a.from_document_id \
     where d.organisation_id = $1 and d.kind in ('purchase_invoice', 'purchase_credit_note') \
     and d.cis_rate is not null and a.day <= $3 \
     and exists (select 1 from allocation m where m.to_document_id = d.id and m.from_settlement_id is not null \
     and (m.day between $2 and $3 or m.released_day between $2 and $3)) order by d.id, a.id";

/// What customers withheld, less what was released of that.
const SUFFERED: &str = "select cast(coalesce(sum(case when a.day between $2 and $3 then a.cis else 0 end), 0) \
     - coalesce(sum(case when a.released_day between $2 and $3 then a.cis else 0 end), 0) as bigint) \
     from allocation a join settlement s on s.id = a.from_settlement_id and s.side = 'customer' and s.day <= $3 \
     where a.organisation_id = $1 and a.cis <> 0 and a.day <= $3";

const SUBCONTRACTOR: &str = "select c.id, c.name, c.cis_utr, c.cis_verification_number from contact c where c.id in ";

impl Reader {
    /// What was paid to subcontractors between two days, and what was withheld of it and from us.
    pub async fn cis_position(
        &self,
        organisation: OrganisationId,
        from_day: i32,
        to_day: i32,
    ) -> Result<CisPosition, StoreError> {
        self.snapshot(move |unit| Box::pin(position(unit, organisation, from_day, to_day))).await
    }
}

async fn bills(
    unit: &Unit<'_>,
    (organisation, from_day, to_day): (OrganisationId, i32, i32),
) -> Result<BTreeMap<i64, Bill>, StoreError> {
    let mut bills: BTreeMap<i64, Bill> = BTreeMap::new();
    let period = params![organisation.0, i64::from(from_day), i64::from(to_day)];
    for row in unit.all(PAYMENTS, period).await? {
        let kind = row.parsed(1, DocumentKind::parse)?;
        let (contact_id, rate) = (row.get(2)?, row.get(3)?);
        let parts = Parts::of(row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?);
        let bill = bills.entry(row.get(0)?).or_insert_with(|| Bill {
            contact_id,
            rate,
            sign: if kind.is_credit_note() { -1 } else { 1 },
            parts,
            payments: Vec::new(),
            credit: Vec::new(),
        });
        let from = row.day(8)?;
        let released = row.maybe_day(9)?;
        let (amount, cis) = (Pence(row.get(10)?), Pence(row.get(11)?));
        match row.get::<Option<i64>>(12)? {
            None => {
                let what = Paid { settled: amount + cis, deducted: cis };
                bill.payments.push(Event { from, released, what });
            }
            Some(net) => {
                let what = Parts::of(net, row.get(13)?, row.get(14)?, row.get(15)?).part(amount);
                bill.credit.push(Event { from, released, what });
            }
        }
    }
    Ok(bills)
}

async fn position(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    from_day: i32,
    to_day: i32,
) -> Result<CisPosition, StoreError> {
    let mut by_rate: BTreeMap<(i64, i64), Figures> = BTreeMap::new();
    for bill in bills(unit, (organisation, from_day, to_day)).await?.values() {
        let of_bill = bill.of_period(from_day, to_day);
        let sum = by_rate.entry((bill.contact_id, bill.rate)).or_default();
        sum.payments += of_bill.payments;
        sum.materials += of_bill.materials;
        sum.liable += of_bill.liable;
        sum.deducted += of_bill.deducted;
    }
    let payable = "select id from account where organisation_id = $1 and role = 'cis_payable'";
    let payable_balance_pence = match unit.one(payable, params![organisation.0]).await? {
        Some(account) => -balance_before(unit, account.get(0)?, to_day.saturating_add(1)).await?,
        None => 0,
    };
    let suffered = unit.one(SUFFERED, params![organisation.0, i64::from(from_day), i64::from(to_day)]).await?;
    Ok(CisPosition {
        subcontractors: subcontractors(unit, &by_rate).await?,
        payable_balance_pence,
        suffered_pence: suffered.map_or(Ok(0), |row| row.get(0))?,
    })
}

/// By name, id and rate; those with nothing in the period are left out.
async fn subcontractors(
    unit: &Unit<'_>,
    figures: &BTreeMap<(i64, i64), Figures>,
) -> Result<Vec<CisSubcontractor>, StoreError> {
    let is_nothing =
        |figures: &Figures| figures.payments.is_zero() && figures.materials.is_zero() && figures.deducted.is_zero();
    let paid = figures.iter().filter(|(_, figures)| !is_nothing(figures));
    let ids: Vec<String> = paid.map(|((id, _), _)| id.to_string()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("{SUBCONTRACTOR}{} order by c.name, c.id", unit.numbers_of_json());
    let mut subcontractors = Vec::with_capacity(ids.len());
    for row in unit.all(&sql, params![format!("[{}]", ids.join(","))]).await? {
        let supplier_id: i64 = row.get(0)?;
        let of_supplier = figures.range((supplier_id, i64::MIN)..=(supplier_id, i64::MAX));
        for ((_, rate), sums) in of_supplier.filter(|(_, sums)| !is_nothing(sums)) {
            subcontractors.push(CisSubcontractor {
                supplier_id,
                name: row.get(1)?,
                utr: row.get(2)?,
                verification_number: row.get(3)?,
                deduction_rate: *rate,
                payments_pence: sums.payments.0,
                materials_pence: sums.materials.0,
                liable_pence: sums.liable.0,
                deducted_pence: sums.deducted.0,
            });
        }
    }
    Ok(subcontractors)
}

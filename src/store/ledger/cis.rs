//! The position under the Construction Industry Scheme: what was paid to subcontractors and withheld, by payment date.

use std::collections::BTreeMap;

use super::journals::balance_before;
use super::settlements::{CisPosition, CisSubcontractor};
use super::shelf::day;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::cis::net_of_settled;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::{Unit, params};

/// Payments of bills under the scheme of which something was paid or released in a period.
const PAYMENTS: &str = "select d.id, d.kind, d.contact_id, d.net, d.vat, d.cis_labour, d.cis_materials, a.day, \
     a.released_day, a.amount, a.cis from document d join allocation a on a.to_document_id = d.id \
     where d.organisation_id = $1 and d.kind in ('purchase_invoice', 'purchase_credit_note') \
     and d.cis_rate is not null and a.from_settlement_id is not null and a.day <= $3 \
     and exists (select 1 from allocation m where m.to_document_id = d.id and m.from_settlement_id is not null \
     and (m.day between $2 and $3 or m.released_day between $2 and $3)) order by d.id, a.id";

/// What customers withheld, less what was released of that.
const SUFFERED: &str = "select cast(coalesce(sum(case when a.day between $2 and $3 then a.cis else 0 end), 0) \
     - coalesce(sum(case when a.released_day between $2 and $3 then a.cis else 0 end), 0) as bigint) \
     from allocation a join settlement s on s.id = a.from_settlement_id and s.side = 'customer' and s.day <= $3 \
     where a.organisation_id = $1 and a.cis <> 0 and a.day <= $3";

const SUBCONTRACTOR: &str =
    "select c.id, c.name, c.cis_utr, c.cis_verification_number, c.cis_deduction_rate from contact c where c.id in ";

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

/// What a bill is, with what was paid of it before the period and to its end.
struct Bill {
    contact_id: i64,
    /// −1 of a credit note, whose refunds take payments back.
    sign: i64,
    gross: Pence,
    net: Pence,
    materials: Pence,
    /// What is neither work nor materials.
    rest: Pence,
    before: Paid,
    after: Paid,
}

#[derive(Clone, Copy, Default)]
struct Paid {
    settled: Pence,
    deducted: Pence,
}

#[derive(Clone, Copy, Default)]
struct Figures {
    payments: Pence,
    materials: Pence,
    liable: Pence,
    deducted: Pence,
}

impl Bill {
    /// What stands for the part that is settled, without VAT; the last payment completes it.
    fn figures(&self, paid: Paid) -> Figures {
        let part = |of: Pence| net_of_settled(of, paid.settled, self.gross);
        let (payments, materials) = (part(self.net), part(self.materials));
        Figures { payments, materials, liable: payments - materials - part(self.rest), deducted: paid.deducted }
    }

    fn of_period(&self) -> Figures {
        let (before, after) = (self.figures(self.before), self.figures(self.after));
        let between = |before: Pence, after: Pence| Pence((after - before).0 * self.sign);
        Figures {
            payments: between(before.payments, after.payments),
            materials: between(before.materials, after.materials),
            liable: between(before.liable, after.liable),
            deducted: between(before.deducted, after.deducted),
        }
    }
}

async fn position(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    from_day: i32,
    to_day: i32,
) -> Result<CisPosition, StoreError> {
    let period = || params![organisation.0, i64::from(from_day), i64::from(to_day)];
    let mut bills: BTreeMap<i64, Bill> = BTreeMap::new();
    for row in unit.all(PAYMENTS, period()).await? {
        let (net, vat, labour): (i64, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let materials: i64 = row.get(6)?;
        let kind = row.parsed(1, DocumentKind::parse)?;
        let contact_id = row.get(2)?;
        let bill = bills.entry(row.get(0)?).or_insert_with(|| Bill {
            contact_id,
            sign: if kind.is_credit_note() { -1 } else { 1 },
            gross: Pence(net + vat),
            net: Pence(net),
            materials: Pence(materials),
            rest: Pence(net - labour - materials),
            before: Paid::default(),
            after: Paid::default(),
        });
        let released: Option<i64> = row.get(8)?;
        let (paid_on, cis) = (day(&row, 7)?, Pence(row.get(10)?));
        let settled = Pence(row.get(9)?) + cis;
        let counts = |end: i32| paid_on <= end && released.is_none_or(|released| i64::from(end) < released);
        for (end, paid) in [(from_day.saturating_sub(1), &mut bill.before), (to_day, &mut bill.after)] {
            if counts(end) {
                paid.settled += settled;
                paid.deducted += cis;
            }
        }
    }
    let mut by_supplier: BTreeMap<i64, Figures> = BTreeMap::new();
    for bill in bills.values() {
        let of_bill = bill.of_period();
        let sum = by_supplier.entry(bill.contact_id).or_default();
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
    let suffered = unit.one(SUFFERED, period()).await?;
    Ok(CisPosition {
        subcontractors: subcontractors(unit, &by_supplier).await?,
        payable_balance_pence,
        suffered_pence: suffered.map_or(Ok(0), |row| row.get(0))?,
    })
}

/// By name, then id; those with nothing in the period are left out.
async fn subcontractors(
    unit: &Unit<'_>,
    figures: &BTreeMap<i64, Figures>,
) -> Result<Vec<CisSubcontractor>, StoreError> {
    let is_nothing =
        |figures: &Figures| figures.payments.is_zero() && figures.materials.is_zero() && figures.deducted.is_zero();
    let paid = figures.iter().filter(|(_, figures)| !is_nothing(figures));
    let ids: Vec<String> = paid.map(|(id, _)| id.to_string()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("{SUBCONTRACTOR}{} order by c.name, c.id", unit.numbers_of_json());
    let rows = unit.all(&sql, params![format!("[{}]", ids.join(","))]).await?;
    let one = |row: &crate::store::sql::Row| -> Result<CisSubcontractor, StoreError> {
        let supplier_id: i64 = row.get(0)?;
        let sums = figures.get(&supplier_id).copied().unwrap_or_default();
        Ok(CisSubcontractor {
            supplier_id,
            name: row.get(1)?,
            utr: row.get(2)?,
            verification_number: row.get(3)?,
            deduction_rate: row.get(4)?,
            payments_pence: sums.payments.0,
            materials_pence: sums.materials.0,
            liable_pence: sums.liable.0,
            deducted_pence: sums.deducted.0,
        })
    };
    rows.iter().map(one).collect()
}

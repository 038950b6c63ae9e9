//! Allocations: how their rows are read and written.

use crate::domain::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::CodeTotals;
use crate::store::StoreError;
use crate::store::sql::{Cell, Column, Row, Rows};
use Column::{Flag, Number, Text};

/// The columns of [`read_allocation`], of the allocation `a`.
pub(super) const ALLOCATION_COLUMNS: &str = "a.id, a.from_document_id, a.from_settlement_id, a.to_document_id, \
     a.to_settlement_id, a.day, a.released_day, a.amount, a.cis, a.credit, a.as_payment";

/// How many columns these are.
pub(super) const ALLOCATION_COLUMN_COUNT: usize = 11;

const COLUMNS: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("from_document_id"),
    Number("from_settlement_id"),
    Number("to_document_id"),
    Number("to_settlement_id"),
    Number("day"),
    Number("released_day"),
    Number("amount"),
    Number("cis"),
    Text("credit"),
    Flag("as_payment"),
    Number("created_at"),
    Number("released_at"),
];

/// Reads an allocation from the first columns of a row.
pub(super) fn read_allocation(row: &Row) -> Result<Allocation, StoreError> {
    let end = |document: usize, settlement: usize| -> Result<AllocationEnd, StoreError> {
        let document: Option<i64> = row.get(document)?;
        let settlement: Option<i64> = row.get(settlement)?;
        Ok(match document {
            Some(id) => AllocationEnd::Document(DocumentId(id)),
            None => AllocationEnd::Settlement(settlement.map(SettlementId)),
        })
    };
    Ok(Allocation {
        id: Some(AllocationId(row.get(0)?)),
        from: end(1, 2)?,
        to: end(3, 4)?,
        date: row.date(5)?,
        released_on: row.maybe_date(6)?,
        amount: Pence(row.get(7)?),
        cis: Pence(row.get(8)?),
        credit: row.parsed(9, CodeTotals::parse)?,
        as_payment: row.get(10)?,
    })
}

/// The rows of allocations that were added or released, by identifier and with their organisation.
pub(super) fn allocation_rows<'a>(
    allocations: impl Iterator<Item = (&'a i64, &'a (i64, &'a Allocation))>,
    now_ms: i64,
) -> Rows {
    let mut rows = Rows::new(
        "allocation",
        COLUMNS,
        "on conflict (id) do update set released_day = excluded.released_day, released_at = excluded.released_at",
    );
    let ends = |end: AllocationEnd| match end {
        AllocationEnd::Document(id) => (Some(id.0), None),
        AllocationEnd::Settlement(id) => (None, id.map(|id| id.0)),
    };
    for (id, (organisation, row)) in allocations {
        let (from, to, credit) = (ends(row.from), ends(row.to), row.credit.to_text());
        rows.push([
            id.into(),
            organisation.into(),
            from.0.into(),
            from.1.into(),
            to.0.into(),
            to.1.into(),
            i64::from(row.date).into(),
            row.released_on.map(i64::from).into(),
            row.amount.0.into(),
            row.cis.0.into(),
            Cell::Text(&credit),
            row.as_payment.into(),
            now_ms.into(),
            row.released_on.map(|_| now_ms).into(),
        ]);
    }
    rows
}

//! The rows of documents and allocations: read, and written as they are from now on.

use crate::domain::books::records::document::{DocumentLineRecord, DocumentRecord};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd};
use crate::domain::ledger::cis;
use crate::domain::ledger::code_totals::CodeTotals;
use crate::domain::ledger::contact::CisRate;
use crate::domain::ledger::decimal::{Decimal4, Percent};
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::document_line::CisType;
use crate::domain::ledger::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use crate::domain::ledger::vat_entry::Basis;
use crate::store::StoreError;
use crate::store::books::rows::{Cell, Column, Rows};
use crate::store::sql::Row;
use Column::{Flag, Number, Text};
use std::collections::BTreeMap;

const fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Draft => "draft",
        Stage::Issued => "issued",
        Stage::Void => "void",
    }
}

fn parse_stage(word: &str) -> Option<Stage> {
    [Stage::Draft, Stage::Issued, Stage::Void].into_iter().find(|stage| stage_word(*stage) == word)
}

fn day(row: &Row, index: usize) -> Result<Option<i32>, StoreError> {
    let day: Option<i64> = row.get(index)?;
    day.map(|day| i32::try_from(day).map_err(|_| StoreError::corrupt("day out of range", day))).transpose()
}

fn some_day(row: &Row, index: usize) -> Result<i32, StoreError> {
    day(row, index)?.ok_or_else(|| StoreError::corrupt("missing day in column", index))
}

fn totals(row: &Row, index: usize) -> Result<CodeTotals, StoreError> {
    row.parsed(index, CodeTotals::parse)
}

pub(super) const DOCUMENT_COLUMNS: &str = "d.id, d.kind, d.stage, d.number, d.supplier_reference, d.contact_id, d.day, \
     d.due_day, d.reference, d.notes, d.vat_inclusive, d.origin_id, d.net, d.vat, d.by_code, d.paid, d.credited, \
     d.cis_rate, d.cis_labour, d.cis_materials, d.cis_deduction, d.opening, d.journal_id, d.void_journal_id, \
     d.void_day, d.void_reason, d.issued_at, d.last_emailed_at, d.created_at, d.updated_at, d.version, \
     d.vat_basis";

/// How many columns that is.
pub(super) const COLUMNS: usize = 32;

/// A document without its lines.
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
    let basis: Option<String> = row.get(31)?;
    let basis =
        basis.map(|word| Basis::parse(&word).ok_or_else(|| StoreError::corrupt("VAT basis", word))).transpose()?;
    Ok(DocumentRecord {
        id: row.get(0)?,
        kind: row.parsed(1, DocumentKind::parse)?,
        stage: row.parsed(2, parse_stage)?,
        number: row.get(3)?,
        supplier_reference: row.get(4)?,
        contact_id: row.get(5)?,
        day: some_day(row, 6)?,
        due_day: day(row, 7)?,
        reference: row.get(8)?,
        notes: row.get(9)?,
        is_vat_inclusive: row.get(10)?,
        origin_id: row.get(11)?,
        lines: Vec::new(),
        net_pence: row.get(12)?,
        vat_pence: row.get(13)?,
        by_code: totals(row, 14)?,
        paid_pence: row.get(15)?,
        credited_pence: row.get(16)?,
        cis: rate.map(terms).transpose()?,
        is_opening: row.get(21)?,
        basis,
        journal_id: row.get(22)?,
        void_journal_id: row.get(23)?,
        void_day: day(row, 24)?,
        void_reason: row.get(25)?,
        issued_at_ms: row.get(26)?,
        last_emailed_at_ms: row.get(27)?,
        created_at_ms: row.get(28)?,
        updated_at_ms: row.get(29)?,
        version: row.get(30)?,
    })
}

pub(super) const LINE_COLUMNS: &str = "l.document_id, l.id, l.description, l.account_id, l.quantity, l.unit_price, \
     l.discount, l.vat_code, l.given_vat, l.net, l.vat, l.cis_type";

/// A line, and the document it is of.
pub(super) fn read_line(row: &Row) -> Result<(i64, DocumentLineRecord), StoreError> {
    let line = DocumentLineRecord {
        id: row.get(1)?,
        description: row.get(2)?,
        account_id: row.get(3)?,
        quantity: Decimal4(row.get(4)?),
        unit_price: Decimal4(row.get(5)?),
        discount: Percent(row.get(6)?),
        vat_code: row.parsed(7, VatCode::parse)?,
        given_vat_pence: row.get(8)?,
        net_pence: row.get(9)?,
        vat_pence: row.get(10)?,
        cis_type: row.parsed(11, CisType::parse)?,
    };
    Ok((row.get(0)?, line))
}

pub(super) const ALLOCATION_COLUMNS: &str = "a.id, a.from_document_id, a.from_settlement_id, a.to_document_id, \
     a.to_settlement_id, a.day, a.released_day, a.amount, a.cis, a.credit, a.as_payment";

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
        date: some_day(row, 5)?,
        released_on: day(row, 6)?,
        amount: Pence(row.get(7)?),
        cis: Pence(row.get(8)?),
        credit: totals(row, 9)?,
        as_payment: row.get(10)?,
    })
}

pub(super) fn document_rows<'a>(documents: impl Iterator<Item = &'a (i64, DocumentRecord)>) -> Rows {
    const COLUMNS: &[Column] = &[
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
    ];
    const CONFLICT: &str = "on conflict (id) do update set stage = excluded.stage, status = excluded.status, \
         number = excluded.number, supplier_reference = excluded.supplier_reference, \
         contact_id = excluded.contact_id, day = excluded.day, due_day = excluded.due_day, \
         reference = excluded.reference, notes = excluded.notes, vat_inclusive = excluded.vat_inclusive, \
         origin_id = excluded.origin_id, net = excluded.net, vat = excluded.vat, by_code = excluded.by_code, \
         paid = excluded.paid, credited = excluded.credited, due = excluded.due, cis_rate = excluded.cis_rate, \
         cis_labour = excluded.cis_labour, cis_materials = excluded.cis_materials, \
         cis_deduction = excluded.cis_deduction, vat_basis = excluded.vat_basis, journal_id = excluded.journal_id, \
         void_journal_id = excluded.void_journal_id, void_day = excluded.void_day, \
         void_reason = excluded.void_reason, search = excluded.search, issued_at = excluded.issued_at, \
         last_emailed_at = excluded.last_emailed_at, updated_at = excluded.updated_at, version = excluded.version";
    let mut rows = Rows::new("document", COLUMNS, CONFLICT);
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
            i64::from(row.day).into(),
            row.due_day.map(i64::from).into(),
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
            row.void_day.map(i64::from).into(),
            (&row.void_reason).into(),
            Cell::Text(&search),
            row.issued_at_ms.into(),
            row.last_emailed_at_ms.into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

/// The lines of the documents whose lines are new.
pub(super) fn document_line_rows<'a>(documents: impl Iterator<Item = &'a (i64, DocumentRecord)>) -> Rows {
    const COLUMNS: &[Column] = &[
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
    ];
    let mut rows = Rows::new("document_line", COLUMNS, "");
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
            ]);
        }
    }
    rows
}

pub(super) fn allocation_rows(allocations: &BTreeMap<i64, (i64, &Allocation)>, now_ms: i64) -> Rows {
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

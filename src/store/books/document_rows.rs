//! The rows of documents and their lines: a document that is stored already is updated.

use crate::domain::books::records::document::DocumentRecord;
use crate::domain::ledger::cis;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat_entry::Basis;
use crate::store::books::documents::stage_word;
use crate::store::books::rows::{Cell, Column, Rows};
use Column::{Flag, Number, Text};

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
     last_emailed_at = excluded.last_emailed_at, updated_at = excluded.updated_at, version = excluded.version";

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
            ]);
        }
    }
    rows
}

//! Receipts of what customers paid, and remittance advices of what suppliers are paid.

use super::blocks::{Block, heading, paragraph, side_by_side, title};
use super::figures::{amount, pounds};
use super::page::{Element, Layout, Orientation, Running};
use super::table::{Align, Column, Row, Table};
use super::{Pdf, RenderError};
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::settlement::{AllocationView, PaymentMethod, SettlementView};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::document::DocumentKind;

/// A receipt, a payment or a refund of one, with what is printed beside it.
#[derive(Debug, Clone, Copy)]
pub struct Payment<'a> {
    /// The settlement.
    pub view: &'a SettlementView,
    /// Whose books they are.
    pub organisation: &'a OrganisationRecord,
    /// The customer or supplier.
    pub contact: &'a ContactDetails,
    /// The numbers under which a supplier knows the documents that are paid.
    pub references: &'a [PaidDocument],
}

/// A document of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidDocument {
    /// Its id.
    pub id: i64,
    /// The supplier's number of it.
    pub supplier_reference: Option<String>,
}

const fn name(kind: SettlementKind) -> &'static str {
    match kind {
        SettlementKind::CustomerReceipt => "Receipt",
        SettlementKind::CustomerRefund => "Refund",
        SettlementKind::SupplierPayment => "Remittance advice",
        SettlementKind::SupplierRefund => "Receipt of a refund",
    }
}

/// Prints a receipt or a remittance advice.
pub(super) fn print(payment: &Payment<'_>) -> Result<Pdf, RenderError> {
    let view = payment.view;
    let name = format!("{} {}", name(view.kind), view.number.as_deref().unwrap_or_default());
    let stamp = view.is_void.then_some("VOID");
    let author = payment.organisation.name.clone();
    let mut layout =
        Layout::new(Running { title: name.clone(), author, date: view.date, stamp }, Orientation::Portrait)?;
    let parts = body(payment, &mut layout, &name);
    layout.finish(parts)
}

fn body(payment: &Payment<'_>, layout: &mut Layout, name: &str) -> Vec<Element> {
    let view = payment.view;
    let mut parts = vec![title(layout, name)];
    if view.is_void {
        let from = view.void_date.map_or_else(String::new, |date| format!(" from {}", date.written_out()));
        parts.push(heading(layout, &format!("VOID{from}")));
    }
    layout.y += 8.0;
    let is_received = view.kind.bank_sign() > 0;
    let own = |label| Block::labelled(label).of_organisation(payment.organisation);
    let other = |label| Block::labelled(label).of_contact(&view.contact_name, payment.contact);
    let (first, second) = match is_received {
        true => (own("Received by"), other("Received from")),
        false => (own("Paid by"), other("Paid to")),
    };
    parts.push(side_by_side(layout, &first, &second));
    layout.y += 10.0;
    let (left, width) = (layout.left(), layout.width());
    parts.push(terms(view).print(layout, left, width));
    layout.y += 12.0;
    if !view.allocations.is_empty() {
        let heading_text = if is_received { "Set against" } else { "In payment of" };
        parts.push(heading(layout, heading_text));
        parts.push(allocations(payment).without_empty_columns().print(layout, left, width));
        layout.y += 8.0;
    }
    parts.push(totals(view).print(layout, left + width * 0.45, width * 0.55));
    if let Some(memo) = &view.memo {
        layout.y += 8.0;
        parts.push(paragraph(layout, memo));
    }
    parts
}

fn terms(view: &SettlementView) -> Table {
    let mut columns = Vec::new();
    let mut cells = Vec::new();
    let mut term = |heading: &str, value: Option<String>| {
        if let Some(value) = value {
            columns.push(Column::of_texts(heading));
            cells.push(value);
        }
    };
    term("Number", view.number.clone());
    term("Date", Some(view.date.written_out()));
    term("Amount", Some(pounds(view.amount_pence)));
    term("Method", view.method.map(|method| self::method(method).to_owned()));
    term("Reference", view.reference.clone());
    Table { columns, rows: vec![Row::of(cells)] }
}

const fn method(method: PaymentMethod) -> &'static str {
    match method {
        PaymentMethod::BankTransfer => "Bank transfer",
        PaymentMethod::Card => "Card",
        PaymentMethod::Cash => "Cash",
        PaymentMethod::Cheque => "Cheque",
        PaymentMethod::DirectDebit => "Direct debit",
        PaymentMethod::Other => "Other",
    }
}

/// What the money is set against, with the numbers that the other side knows.
fn allocations(payment: &Payment<'_>) -> Table {
    let mut columns = vec![Column::of_texts("Document"), Column::of_texts("Number"), Column::of_texts("Your number")];
    for heading in ["Settled", "CIS deducted", "Paid"] {
        columns.push(Column::of_content(heading, Align::Right));
    }
    let row = |allocation: &AllocationView| {
        let known = payment
            .references
            .iter()
            .find(|known| known.id == allocation.other_id && DocumentKind::parse(allocation.other_type).is_some());
        let reference = known.and_then(|known| known.supplier_reference.clone()).unwrap_or_default();
        let cis = if allocation.cis_pence == 0 { String::new() } else { amount(allocation.cis_pence) };
        Row::of(vec![
            kind(allocation.other_type),
            allocation.other_number.clone().unwrap_or_default(),
            reference,
            amount(allocation.amount_pence + allocation.cis_pence),
            cis,
            amount(allocation.amount_pence),
        ])
    };
    Table { columns, rows: payment.view.allocations.iter().map(row).collect() }
}

/// What the other end of an allocation is called by those who get the document.
fn kind(word: &str) -> String {
    let name = match (DocumentKind::parse(word), SettlementKind::parse(word)) {
        (Some(kind), _) if kind.is_credit_note() => "Credit note",
        (Some(_), _) => "Invoice",
        (None, Some(SettlementKind::CustomerReceipt)) => "Receipt",
        (None, Some(SettlementKind::SupplierPayment)) => "Payment",
        (None, _) => "Refund",
    };
    name.to_owned()
}

fn totals(view: &SettlementView) -> Table {
    let columns = vec![Column::of_texts(""), Column::of_content("", Align::Right)];
    let row = |name: &str, pence: i64| Row::of(vec![name.to_owned(), amount(pence)]);
    let mut rows = Vec::new();
    if view.cis_pence != 0 {
        rows.push(row("Settled", view.allocated_pence + view.cis_pence));
        rows.push(row("Deducted under the Construction Industry Scheme", -view.cis_pence));
    }
    let open = view.amount_pence - view.allocated_pence;
    if open != 0 && !view.is_void {
        rows.push(row("Not yet set against a document", open));
    }
    let name = if view.kind.bank_sign() > 0 { "Amount received" } else { "Amount paid" };
    rows.push(Row::total(vec![name.to_owned(), pounds(view.amount_pence)]));
    Table { columns, rows }
}

//! Sales invoices and credit notes, with what VAT Notice 700, section 16 asks of them.

use super::blocks::{Block, heading, paragraph, side_by_side, title};
use super::figures::{amount, decimal, pounds, price};
use super::page::{Element, Layout, Orientation, Running};
use super::table::{Align, Column, Row, Table};
use super::{Pdf, RenderError};
use crate::domain::books::records::bank_account::BankAccountDetails;
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::document::{DocumentLineRecord, DocumentView};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::Date;
use crate::domain::ledger::document::Stage;
use crate::domain::ledger::vat::VatCode;

/// A sales invoice or credit note with what is printed beside it.
#[derive(Debug, Clone, Copy)]
pub struct SalesDocument<'a> {
    /// The document.
    pub view: &'a DocumentView,
    /// Who sells.
    pub organisation: &'a OrganisationRecord,
    /// Who buys.
    pub customer: &'a ContactDetails,
    /// The bank account to pay to.
    pub bank_account: Option<&'a BankAccountDetails>,
    /// The number of the invoice that a credit note takes back.
    pub origin_number: Option<&'a str>,
}

impl SalesDocument<'_> {
    fn name(&self) -> &'static str {
        if self.view.kind.is_credit_note() { "Credit note" } else { "Invoice" }
    }

    /// Whether VAT is spoken of at all: without a registration and without VAT it is not.
    fn shows_vat(&self) -> bool {
        let has_code = |line: &DocumentLineRecord| line.vat_code != VatCode::NoVat;
        self.organisation.vat_number.is_some() || self.view.vat_pence != 0 || self.view.lines.iter().any(has_code)
    }
}

/// Prints a sales document.
pub(super) fn print(document: &SalesDocument<'_>) -> Result<Pdf, RenderError> {
    let view = document.view;
    let number = view.number.as_deref().unwrap_or_default();
    let name = format!("{} {number}", document.name());
    let name = name.trim_end();
    let stamp = match view.stage {
        Stage::Draft => Some("DRAFT"),
        Stage::Void => Some("VOID"),
        Stage::Issued => None,
    };
    let author = document.organisation.name.clone();
    let mut layout =
        Layout::new(Running { title: name.to_owned(), author, date: view.date, stamp }, Orientation::Portrait)?;
    let parts = body(document, &mut layout, name);
    layout.finish(parts)
}

/// What a supplier has to say where the customer accounts for the VAT (VAT Notice 735, section 11).
const REVERSE_CHARGE: &str = "Reverse charge: customer to account for the VAT to HMRC.";

/// Everything below the running header.
fn body(document: &SalesDocument<'_>, layout: &mut Layout, name: &str) -> Vec<Element> {
    let view = document.view;
    let mut parts = vec![title(layout, name)];
    match (view.stage, view.void_date) {
        (Stage::Draft, _) => parts.push(heading(layout, "DRAFT")),
        (Stage::Void, date) => {
            let from = date.map_or_else(String::new, |date| format!(" from {}", date.written_out()));
            parts.push(heading(layout, &format!("VOID{from}")));
        }
        (Stage::Issued, _) => {}
    }
    layout.y += 8.0;
    let from = Block::labelled("From").of_organisation(document.organisation);
    let to = Block::labelled("To").of_contact(&view.contact_name, document.customer);
    parts.push(side_by_side(layout, &from, &to));
    layout.y += 10.0;
    let (left, width) = (layout.left(), layout.width());
    parts.push(terms(document).print(layout, left, width));
    layout.y += 12.0;
    parts.push(lines(document).without_empty_columns().print(layout, left, width));
    if view.is_vat_inclusive && document.shows_vat() {
        layout.y += 4.0;
        parts.push(paragraph(layout, "Unit prices include VAT."));
    }
    layout.y += 8.0;
    parts.push(totals(document).print(layout, left + width * 0.45, width * 0.55));
    if view.lines.iter().any(|line| line.reverse_charge.is_some()) {
        layout.y += 8.0;
        parts.push(paragraph(layout, REVERSE_CHARGE));
    }
    parts.extend(payment_details(document, layout));
    if let Some(notes) = &view.notes {
        parts.push(heading(layout, "Notes"));
        parts.push(paragraph(layout, notes));
    }
    if let Some(footer) = &document.organisation.invoice_footer {
        layout.y += 10.0;
        parts.push(paragraph(layout, footer));
    }
    parts
}

/// The dates and references.
fn terms(document: &SalesDocument<'_>) -> Table {
    let view = document.view;
    let mut columns = Vec::new();
    let mut cells = Vec::new();
    let mut term = |heading: &str, value: Option<String>| {
        if let Some(value) = value {
            columns.push(Column::of_texts(heading));
            cells.push(value);
        }
    };
    let number = view.number.clone();
    term(&format!("{} number", document.name()), number);
    let dated = match (view.kind.is_credit_note(), document.shows_vat()) {
        (true, _) => "Date",
        (false, true) => "Invoice date and tax point",
        (false, false) => "Invoice date",
    };
    term(dated, Some(view.date.written_out()));
    term("Due date", view.due_date.map(Date::written_out));
    term("For invoice", document.origin_number.map(str::to_owned));
    term("Reference", view.reference.clone());
    Table { columns, rows: vec![Row::of(cells)] }
}

/// What was sold.
fn lines(document: &SalesDocument<'_>) -> Table {
    let shows_vat = document.shows_vat();
    let mut columns = vec![Column::of_texts("Description")];
    for heading in ["Quantity", "Unit price", "Discount", "VAT rate", "Net", "VAT"] {
        columns.push(Column::of_content(heading, Align::Right));
    }
    let row = |line: &DocumentLineRecord| {
        let of_vat = |text: String| if shows_vat { text } else { String::new() };
        let discount = if line.discount.0 == 0 { String::new() } else { format!("{}%", line.discount) };
        Row::of(vec![
            line.description.clone(),
            decimal(&line.quantity.to_string()),
            price(&line.unit_price.to_string()),
            discount,
            of_vat(rate(line.vat_code)),
            amount(line.net_pence),
            of_vat(amount(line.vat_pence)),
        ])
    };
    Table { columns, rows: document.view.lines.iter().map(row).collect() }
}

fn rate(code: VatCode) -> String {
    match code {
        VatCode::Standard | VatCode::Reduced | VatCode::Zero => format!("{}%", code.percent()),
        VatCode::Exempt | VatCode::NoVat => code.name().to_owned(),
    }
}

/// The sums, with the VAT by rate, what is settled and what is left.
fn totals(document: &SalesDocument<'_>) -> Table {
    let view = document.view;
    let columns = vec![Column::of_texts(""), Column::of_content("", Align::Right)];
    let row = |name: &str, pence: i64| Row::of(vec![name.to_owned(), amount(pence)]);
    let mut rows = Vec::new();
    if document.shows_vat() {
        rows.push(row("Total without VAT", view.net_pence));
        for code in VatCode::ALL {
            let of_charge = |is_reversed: bool| {
                let of_code = view.lines.iter().filter(move |line| line.vat_code == code);
                of_code.filter(move |line| line.reverse_charge.is_some() == is_reversed)
            };
            let of_code = || of_charge(false);
            if of_code().next().is_some() {
                let net = of_code().map(|line| line.net_pence).sum();
                let name = match code {
                    VatCode::Exempt | VatCode::NoVat => format!("{} on {}", code.name(), amount(net)),
                    _ => format!("VAT at {} on {}", rate(code), amount(net)),
                };
                rows.push(row(&name, of_code().map(|line| line.vat_pence).sum()));
            }
            if of_charge(true).next().is_some() {
                let net = of_charge(true).map(|line| line.net_pence).sum();
                rows.push(row(&format!("Reverse charge at {} on {}", rate(code), amount(net)), 0));
            }
        }
        rows.push(row("Total VAT", view.vat_pence));
    }
    rows.push(Row::total(vec!["Total".to_owned(), pounds(view.gross_pence())]));
    if view.stage == Stage::Issued {
        let deducted = view.paid_pence - view.cash_pence;
        let settled = match view.kind.is_credit_note() {
            false => [("Paid", view.cash_pence), ("CIS deducted", deducted), ("Credited", view.credited_pence)],
            true => [("Refunded", view.cash_pence), ("CIS", deducted), ("Set against invoices", view.credited_pence)],
        };
        let settled: Vec<_> = settled.into_iter().filter(|(_, pence)| *pence != 0).collect();
        rows.extend(settled.iter().map(|(name, pence)| row(name, -pence)));
        let left = if view.kind.is_credit_note() { "Left to credit" } else { "Amount due" };
        rows.push(Row::total(vec![left.to_owned(), pounds(view.due_pence())]));
    }
    Table { columns, rows }
}

/// How to pay an invoice that is not paid yet.
fn payment_details(document: &SalesDocument<'_>, layout: &mut Layout) -> Vec<Element> {
    let view = document.view;
    let is_open = !view.kind.is_credit_note()
        && match view.stage {
            Stage::Draft => true,
            Stage::Issued => view.due_pence() > 0,
            Stage::Void => false,
        };
    let Some(bank_account) = document.bank_account.filter(|_| is_open) else { return Vec::new() };
    let organisation = document.organisation;
    let payee = organisation.legal_name.as_deref().unwrap_or(&organisation.name);
    let heading = heading(layout, "Payment details");
    let mut block = Block::default().of_bank_account(payee, bank_account);
    if let Some(number) = &view.number {
        block = block.reference(number);
    }
    vec![heading, block.print(layout)]
}

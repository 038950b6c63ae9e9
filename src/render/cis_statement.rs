//! Payment and deduction statements of the Construction Industry Scheme: what CIS340 asks a contractor to give each
//! subcontractor from whom something was withheld.

use super::blocks::{Block, heading, paragraph, side_by_side, title};
use super::figures::{amount, pounds};
use super::page::{Element, Layout, Orientation, Running};
use super::table::{Align, Column, Row, Table};
use super::{Pdf, RenderError};
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ledger::money::Money;
use crate::domain::reports::cis_statement::{CisDeduction, CisStatement};

const TITLE: &str = "Payment and deduction statement";

/// A statement, with what is printed beside it.
#[derive(Debug, Clone, Copy)]
pub struct PaymentAndDeductionStatement<'a> {
    /// The figures.
    pub statement: &'a CisStatement,
    /// The contractor.
    pub organisation: &'a OrganisationRecord,
    /// The subcontractor.
    pub supplier: &'a ContactDetails,
}

/// Prints a statement.
pub(super) fn print(printed: &PaymentAndDeductionStatement<'_>) -> Result<Pdf, RenderError> {
    let statement = printed.statement;
    let running = Running {
        title: format!("{TITLE}, tax month to {}", statement.tax_month_end.written_out()),
        author: printed.organisation.name.clone(),
        date: statement.tax_month_end,
        stamp: None,
    };
    let mut layout = Layout::new(running, Orientation::Portrait)?;
    let parts = body(printed, &mut layout);
    layout.finish(parts)
}

fn body(printed: &PaymentAndDeductionStatement<'_>, layout: &mut Layout) -> Vec<Element> {
    let statement = printed.statement;
    let mut parts = vec![title(layout, TITLE), paragraph(layout, "Construction Industry Scheme")];
    layout.y += 8.0;
    let contractor = Block::labelled("Contractor").of_contractor(&statement.contractor, printed.organisation);
    let subcontractor = Block::labelled("Subcontractor").of_subcontractor(&statement.subcontractor, printed.supplier);
    parts.push(side_by_side(layout, &contractor, &subcontractor));
    layout.y += 10.0;
    let (left, width) = (layout.left(), layout.width());
    parts.push(terms(statement).print(layout, left, width));
    layout.y += 6.0;
    for deduction in &statement.deductions {
        parts.push(heading(layout, &format!("Deducted at {}%", deduction.deduction_rate)));
        parts.push(figures(deduction).print(layout, left, width));
        layout.y += 4.0;
    }
    if statement.deductions.len() != 1 {
        parts.push(heading(layout, "Total"));
        parts.push(totals(statement).print(layout, left, width));
    }
    parts
}

fn terms(statement: &CisStatement) -> Table {
    let columns = ["Tax month ended", "Employer's reference", "Taxpayer reference (UTR)", "Verification number"];
    let subcontractor = &statement.subcontractor;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let cells = vec![
        statement.tax_month_end.written_out(),
        text(&statement.contractor.paye_reference),
        text(&subcontractor.utr),
        text(&subcontractor.verification_number),
    ];
    Table { columns: columns.map(Column::of_texts).into(), rows: vec![Row::of(cells)] }.without_empty_columns()
}

fn row(name: &str, money: Money) -> Row {
    Row::of(vec![name.to_owned(), amount(money.0)])
}

/// The columns of a name and a figure.
fn columns() -> Vec<Column> {
    vec![Column::of_texts(""), Column::of_content("", Align::Right)]
}

fn figures(deduction: &CisDeduction) -> Table {
    let rows = vec![
        row("Gross amount paid, without VAT", deduction.total_payments),
        row("Cost of materials", deduction.cost_of_materials),
        row("Amount liable to deduction", deduction.liable),
        Row::total(vec!["Amount deducted".to_owned(), pounds(deduction.total_deducted.0)]),
    ];
    Table { columns: columns(), rows }
}

fn totals(statement: &CisStatement) -> Table {
    let totals = &statement.totals;
    let rows = vec![
        row("Gross amount paid, without VAT", totals.total_payments),
        row("Cost of materials", totals.cost_of_materials),
        Row::total(vec!["Amount deducted".to_owned(), pounds(totals.total_deducted.0)]),
    ];
    Table { columns: columns(), rows }
}

//! What the documents share: their title, the names and addresses of both sides, and the bank details.

use std::rc::Rc;

use krilla::tagging::Tag;

use super::page::{Element, Layout, Style};
use super::text::{Line, SetText, paragraphs};
use crate::domain::books::records::address::Address;
use crate::domain::books::records::bank_account::BankAccountDetails;
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::reports::cis_statement::{CisContractor, CisStatementSubcontractor};

const TITLE: Style = Style::bold(20.0);
const HEADING: Style = Style::bold(10.0);
const TEXT: Style = Style::regular(9.0);
const LABEL: Style = Style::dim(8.0);
/// The space between two columns.
const GAP: f32 = 20.0;

/// Prints the title of a document.
pub(super) fn title(layout: &mut Layout, text: &str) -> Element {
    let (left, width) = (layout.left(), layout.width());
    let parts = layout.flow(text, left, width, TITLE);
    layout.y += 4.0;
    Element::heading(1, text, parts)
}

/// Prints a heading that stays with what is below it.
pub(super) fn heading(layout: &mut Layout, text: &str) -> Element {
    layout.y += 8.0;
    layout.need(HEADING.leading() + 3.0 * TEXT.leading());
    let (left, width) = (layout.left(), layout.width());
    let parts = layout.flow(text, left, width, HEADING);
    layout.y += 2.0;
    Element::heading(2, text, parts)
}

/// Prints a paragraph over the whole width.
pub(super) fn paragraph(layout: &mut Layout, text: &str) -> Element {
    let (left, width) = (layout.left(), layout.width());
    Element::paragraph(layout.flow(text, left, width, TEXT))
}

/// Lines of text that stand together: who somebody is, how to pay.
#[derive(Default)]
pub(super) struct Block {
    lines: Vec<(String, Style)>,
}

impl Block {
    /// A block with a label over it.
    pub(super) fn labelled(label: &str) -> Self {
        Self { lines: vec![(label.to_owned(), LABEL)] }
    }

    /// The same with a line that stands out.
    pub(super) fn bold(mut self, text: &str) -> Self {
        self.lines.push((text.to_owned(), HEADING));
        self
    }

    fn text(mut self, text: &str) -> Self {
        self.lines.push((text.to_owned(), TEXT));
        self
    }

    fn maybe(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(text),
            None => self,
        }
    }

    fn maybe_named(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(&format!("{name} {text}")),
            None => self,
        }
    }

    fn address(self, address: &Address) -> Self {
        let lines = [&address.line1, &address.line2, &address.city, &address.region, &address.postcode];
        let block = lines.into_iter().fold(self, |block, line| block.maybe(line.as_deref()));
        block.maybe(address.country.as_deref().filter(|country| *country != "GB"))
    }

    /// The organisation: its names, where it is, its numbers.
    pub(super) fn of_organisation(mut self, organisation: &OrganisationRecord) -> Self {
        self = self.bold(&organisation.name);
        let legal_name = organisation.legal_name.as_deref().filter(|legal| *legal != organisation.name);
        self = self
            .maybe(legal_name)
            .address(&organisation.address)
            .maybe(organisation.phone.as_deref())
            .maybe(organisation.email.as_deref())
            .maybe_named("Company number", organisation.company_number.as_deref())
            .maybe_named("VAT number", organisation.vat_number.as_deref());
        self
    }

    /// A customer or supplier under the name that a document gives.
    pub(super) fn of_contact(self, name: &str, contact: &ContactDetails) -> Self {
        self.bold(name)
            .maybe(contact.contact_name.as_deref())
            .address(&contact.address)
            .maybe_named("VAT number", contact.vat_number.as_deref())
    }

    /// A contractor under the Construction Industry Scheme.
    pub(super) fn of_contractor(self, contractor: &CisContractor, organisation: &OrganisationRecord) -> Self {
        self.bold(&contractor.name).address(&organisation.address)
    }

    /// A subcontractor under the Construction Industry Scheme.
    pub(super) fn of_subcontractor(self, subcontractor: &CisStatementSubcontractor, contact: &ContactDetails) -> Self {
        self.bold(&subcontractor.name).address(&contact.address)
    }

    /// The bank account to pay to.
    pub(super) fn of_bank_account(self, payee: &str, bank_account: &BankAccountDetails) -> Self {
        self.maybe_named("Account name", Some(payee))
            .maybe_named("Bank", bank_account.bank_name.as_deref())
            .maybe_named("Sort code", bank_account.sort_code.as_deref())
            .maybe_named("Account number", bank_account.account_number.as_deref())
            .maybe_named("IBAN", bank_account.iban.as_deref())
    }

    /// What a payer shall quote.
    pub(super) fn reference(self, number: &str) -> Self {
        self.maybe_named("Reference", Some(number))
    }

    fn set(&self, layout: &mut Layout, width: f32) -> Vec<(Rc<SetText>, Line, Style)> {
        let mut lines = Vec::new();
        for (text, style) in &self.lines {
            for paragraph in paragraphs(text) {
                let set = layout.set(paragraph, style.weight);
                lines.extend(set.lines(width / style.size).into_iter().map(|line| (Rc::clone(&set), line, *style)));
            }
        }
        lines
    }

    /// Prints the block over the whole width, on one page where it fits on one.
    pub(super) fn print(&self, layout: &mut Layout) -> Element {
        let (left, width) = (layout.left(), layout.width());
        let lines = self.set(layout, width);
        let height = height(&lines);
        if height <= layout.height() {
            layout.need(height);
        }
        Element::group(Tag::Div, vec![print_lines(layout, &lines, left)])
    }
}

fn height(lines: &[(Rc<SetText>, Line, Style)]) -> f32 {
    lines.iter().map(|(_, _, style)| style.leading()).sum()
}

fn print_lines(layout: &mut Layout, lines: &[(Rc<SetText>, Line, Style)], left: f32) -> Element {
    let mut parts = Vec::new();
    for (text, line, style) in lines {
        layout.need(style.leading());
        let at = (left, layout.y);
        parts.push(layout.print(text, line, at, *style));
        layout.y += style.leading();
    }
    Element::paragraph(parts)
}

/// Prints two blocks side by side, or one after the other where they are longer than a page.
pub(super) fn side_by_side(layout: &mut Layout, first: &Block, second: &Block) -> Element {
    let (left, width) = (layout.left(), (layout.width() - GAP) / 2.0);
    let (one, two) = (first.set(layout, width), second.set(layout, width));
    let tallest = height(&one).max(height(&two));
    if tallest > layout.height() {
        let parts = vec![print_lines(layout, &one, left), print_lines(layout, &two, left)];
        return Element::group(Tag::Div, parts);
    }
    layout.need(tallest);
    let top = layout.y;
    let first = print_lines(layout, &one, left);
    layout.y = top;
    let second = print_lines(layout, &two, left + width + GAP);
    layout.y = top + tallest;
    Element::group(Tag::Div, vec![first, second])
}

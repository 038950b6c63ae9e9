//! One sentence that tells an accountant why a line settles what it settles.

use std::fmt::Write as _;

use crate::domain::amount::{UNITS_PER_PENNY, money};
use crate::domain::coding::batch::{Invoice, InvoiceKind};
use crate::domain::coding::line::Line;

use super::amounts::Relation;
use super::book::Book;
use super::proposal::{Part, Proposal};

/// Items that are named one by one; a long statement is summed up.
const MOST_NAMED: usize = 6;

/// Writes the remark on a proposal, before it is booked.
pub(super) fn write(proposal: &Proposal, invoices: &[Invoice<'_>], book: &Book, line: &Line<'_>) -> String {
    let mut remark = String::with_capacity(160);
    let contact =
        proposal.parts.first().and_then(|part| invoices.get(part.item)).map_or("", |invoice| &invoice.contact);
    let partly = proposal.parts.iter().any(|part| !part.whole);
    let verb = if partly && proposal.parts.len() == 1 { "pays a part of " } else { "settles " };
    remark.push_str(verb);
    for (place, part) in proposal.parts.iter().take(MOST_NAMED).enumerate() {
        name(&mut remark, place, part, proposal, invoices);
    }
    if let Some(more @ 1..) = proposal.parts.len().checked_sub(MOST_NAMED) {
        let _ = write!(remark, " and {more} more");
    }
    let _ = write!(remark, " of {contact}");
    relate(&mut remark, proposal, book, line);
    if let Some(rival) = proposal.rival.and_then(|item| invoices.get(item)) {
        let _ = write!(
            remark,
            "; {} of {} fits as well, so a person has to say which is meant",
            rival.number, rival.contact
        );
        return remark;
    }
    remark.push_str(match (proposal.number, proposal.likeness) {
        (Some(_), 400..) => "; number and name are in the line",
        (Some(_), _) => "; the number is in the line",
        (None, _) if proposal.is_mistyped => "; the name is in the line, the number with two digits exchanged",
        (None, _) if proposal.ambiguous => "; the name is in the line, another open item would fit as well",
        (None, _) => "; the name is in the line and the amount fits",
    });
    remark
}

fn name(remark: &mut String, place: usize, part: &Part, proposal: &Proposal, invoices: &[Invoice<'_>]) {
    let Some(invoice) = invoices.get(part.item) else { return };
    let credit = invoice.kind == InvoiceKind::CreditNote && place > 0;
    let before = match (place, credit) {
        (0, _) => "",
        (_, true) => " less ",
        (_, false) if place + 1 == proposal.parts.len() => " and ",
        _ => ", ",
    };
    let first_of_kind = place == 0 || credit;
    let kind = match invoice.kind {
        _ if !first_of_kind => "",
        InvoiceKind::Invoice => "invoice ",
        InvoiceKind::Bill => "bill ",
        InvoiceKind::CreditNote => "credit note ",
    };
    let _ = write!(remark, "{before}{kind}{} ({})", invoice.number, pounds(part.pence));
}

fn relate(remark: &mut String, proposal: &Proposal, book: &Book, line: &Line<'_>) {
    let credit = |part: &&Part| book.items.get(part.item).is_some_and(|item| item.kind == InvoiceKind::CreditNote);
    let credits: i128 =
        if proposal.parts.len() > 1 { proposal.parts.iter().filter(credit).map(|part| part.pence).sum() } else { 0 };
    let total = proposal.parts.iter().map(|part| part.pence).sum::<i128>() - 2 * credits;
    let short = total - line.pence.abs();
    let _ = match proposal.relation {
        Relation::Exact => Ok(()),
        Relation::Deducted(deduction) => {
            write!(remark, ", less {} ({} %) deducted under CIS", pounds(short), deduction.percent)
        }
        Relation::DeductedFromPart => write!(remark, ", less {} deducted under CIS from the labour", pounds(short)),
        Relation::Short => write!(remark, ", {} short: a charge on the way, it seems", pounds(short)),
        Relation::Exchanged => write!(remark, ", paid with {} in another currency", pounds(line.pence.abs())),
        Relation::Over => write!(remark, ", paid {} too much", pounds(-short)),
        Relation::Part => {
            let left: i128 = proposal
                .parts
                .iter()
                .filter(|part| !part.whole)
                .map(|part| book.items.get(part.item).map_or(0, |item| item.open_pence - part.pence))
                .sum();
            match left {
                0 => write!(remark, ", nothing stays open"),
                _ => write!(remark, ", {} stays open", pounds(left)),
            }
        }
    };
}

fn pounds(pence: i128) -> String {
    money(pence.saturating_mul(UNITS_PER_PENNY))
}

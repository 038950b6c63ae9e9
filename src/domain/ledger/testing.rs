//! What the tests of several rules share.

use super::allocation::{Document, Register};
use super::chart::Chart;
use super::contact::{Contact, ContactKind};
use super::document::{DocumentKind, Stage};
use super::journal::{Journal, Target};
use super::money::Pence;
use super::standard_chart;
use super::vat::{Split, VatCode};
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, ContactId, DocumentId};
use crate::domain::ledger::chart::Books;
use crate::domain::ledger::vat::{Basis, CodeTotals, VatHistory, VatScheme};

/// The standard chart, its ids counted from 1.
pub fn chart(vat_control: bool) -> Chart {
    (1..).zip(standard_chart::at_creation(vat_control)).map(|(id, new)| new.with_id(AccountId(id))).collect()
}

/// A history of one scheme.
pub fn since_ever(scheme: VatScheme) -> VatHistory {
    VatHistory::new(vec![(Date::MIN, scheme)])
}

/// Books without a lock.
pub fn books<'a>(chart: &'a Chart, vat: &'a VatHistory) -> Books<'a> {
    Books { chart, vat, lock_date: None }
}

/// The lines of a journal as code (or role, when the account is yet to be made) and pence, debits positive.
pub fn shown(chart: &Chart, journal: &Journal) -> Vec<(String, i64)> {
    let code = |target: &Target| match target {
        Target::Account(id) => chart.get(*id).unwrap().code.clone(),
        Target::FirstUse(role) => role.as_str().to_owned(),
    };
    journal.lines.iter().map(|line| (code(&line.target), line.amount.0)).collect()
}

/// Lines to compare with.
pub fn posted(lines: &[(&str, i64)]) -> Vec<(String, i64)> {
    lines.iter().map(|(code, pence)| ((*code).to_owned(), *pence)).collect()
}

/// A customer or supplier with the id 3.
pub fn contact(kind: ContactKind) -> Contact {
    Contact {
        id: ContactId(3),
        kind,
        is_archived: false,
        payment_terms_days: None,
        default_account_id: None,
        default_vat_code: None,
        cis_rate: None,
    }
}

/// An issued document of contact 3 with the VAT of its codes, declared at its date.
pub fn document(id: i64, kind: DocumentKind, date: Date, amounts: &[(VatCode, i64)]) -> Document {
    let split = |(code, net): &(VatCode, i64)| {
        let net = Pence(*net);
        (*code, Split { net, vat: code.vat_on_net(net) })
    };
    let by_code: CodeTotals = amounts.iter().map(split).collect();
    Document {
        id: DocumentId(id),
        kind,
        contact_id: ContactId(3),
        stage: Stage::Issued,
        date,
        opened_on: None,
        gross: by_code.total().gross(),
        deduction: Pence::ZERO,
        by_code,
        basis: Some(Basis::Standard),
        allocations: Vec::new(),
    }
}

/// A register of documents.
pub fn register(documents: impl IntoIterator<Item = Document>) -> Register {
    let documents = documents.into_iter().map(|document| (document.id, document)).collect();
    Register { documents, ..Register::default() }
}

/// Carries out what a decision added and released, as the store does: ids are given in order.
pub fn carry_out(register: &mut Register, effects: &super::allocate::AllocationEffects, next_id: &mut i64) {
    use super::allocation::{Allocation, AllocationEnd};
    let mut each = |end: AllocationEnd, change: &mut dyn FnMut(&mut Vec<Allocation>)| match end {
        AllocationEnd::Document(id) => register.documents.get_mut(&id).map(|known| change(&mut known.allocations)),
        AllocationEnd::Settlement(Some(id)) => {
            register.settlements.get_mut(&id).map(|known| change(&mut known.allocations))
        }
        AllocationEnd::Settlement(None) | AllocationEnd::WriteOff(_) => None,
    };
    for added in &effects.added {
        *next_id += 1;
        let added = Allocation { id: Some(AllocationId(*next_id)), ..added.clone() };
        for end in [added.from, added.to] {
            each(end, &mut |known| known.push(added.clone()));
        }
    }
    let release = |known: &mut Vec<Allocation>| {
        for allocation in known {
            let released = effects.released.iter().find(|(id, _)| allocation.id == Some(*id));
            allocation.released_on = released.map(|(_, date)| *date).or(allocation.released_on);
        }
    };
    register.documents.values_mut().for_each(|known| release(&mut known.allocations));
    register.settlements.values_mut().for_each(|known| release(&mut known.allocations));
}

//! Journals as entered: what is refused, how VAT is split off, and what may be voided.

use super::*;
use crate::domain::ids::{AccountId, JournalId};
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat::{FlatRateBasis, VatHistory};
use crate::domain::ledger::vat_return::boxes_of_entries as boxes;

const DAY: Date = Date::numbered(20_200);

fn chart(vat_control: bool) -> Chart {
    (1..).zip(standard_chart::at_creation(vat_control)).map(|(id, new)| new.with_id(AccountId(id))).collect()
}

fn line(chart: &Chart, code: &str, amount: i64, vat_code: Option<VatCode>) -> ManualLine {
    let side = Some(Pence(amount.abs()));
    ManualLine {
        account: AccountReference::Id(chart.with_code(code).unwrap().id),
        debit: side.filter(|_| amount > 0),
        credit: side.filter(|_| amount < 0),
        memo: None,
        vat_code,
        vat_amount: None,
        contact_id: None,
    }
}

fn entered(lines: Vec<ManualLine>) -> ManualJournal {
    ManualJournal { entry_date: DAY, description: "Adjustment".to_owned(), reference: None, memo: None, lines }
}

fn decide(chart: &Chart, scheme: VatScheme, journal: &ManualJournal) -> Result<Journal, Refusal> {
    let vat = VatHistory::new(vec![(Date::MIN, scheme)]);
    post(&Books { chart, vat: &vat, lock_date: Some(DAY - 1) }, journal, &[(ContactId(5), ContactKind::Customer)])
}

/// The lines as (code, pence), debits positive.
fn shown(chart: &Chart, journal: &Journal) -> Vec<(String, i64)> {
    let code = |line: &Line| match &line.target {
        Target::Account(id) => chart.get(*id).unwrap().code.clone(),
        Target::FirstUse(role) => role.as_str().to_owned(),
    };
    journal.lines.iter().map(|line| (code(line), line.amount.0)).collect()
}

#[test]
fn vat_is_separated_from_the_gross_that_was_entered() {
    let chart = chart(true);
    let entered =
        entered(vec![line(&chart, "7500", 5_400, Some(VatCode::Standard)), line(&chart, "2400", -5_400, None)]);
    let journal = decide(&chart, VatScheme::Standard, &entered).unwrap();
    assert_eq!(
        shown(&chart, &journal),
        [("7500".to_owned(), 4_500), ("2200".to_owned(), 900), ("2400".to_owned(), -5_400)]
    );
    let system: Vec<bool> = journal.lines.iter().map(|line| line.is_system).collect();
    assert_eq!(system, [false, true, false]);
    assert_eq!(journal.lines[0].vat_amount, Some(Pence(900)));
    assert_eq!(journal.vat.len(), 1);
    let sum = boxes(&journal.vat, VatScheme::Standard);
    assert_eq!((sum.box4, sum.box7), (Pence(900), Pence(4_500)));
}

#[test]
fn income_is_output_and_a_debit_of_income_reduces_it() {
    let chart = chart(true);
    let sale =
        entered(vec![line(&chart, "4000", -12_000, Some(VatCode::Standard)), line(&chart, "1310", 12_000, None)]);
    let back =
        entered(vec![line(&chart, "4000", 12_000, Some(VatCode::Standard)), line(&chart, "1310", -12_000, None)]);
    let sale = boxes(&decide(&chart, VatScheme::Standard, &sale).unwrap().vat, VatScheme::Standard);
    let back = boxes(&decide(&chart, VatScheme::Standard, &back).unwrap().vat, VatScheme::Standard);
    assert_eq!((sale.box1, sale.box6), (Pence(2_000), Pence(10_000)));
    assert_eq!((back.box1, back.box6), (Pence(-2_000), Pence(-10_000)));
}

#[test]
fn a_line_straight_to_vat_control_moves_no_box() {
    let chart = chart(true);
    let entered = entered(vec![line(&chart, "2200", 5_000, None), line(&chart, "1200", -5_000, None)]);
    assert!(decide(&chart, VatScheme::Standard, &entered).unwrap().vat.is_empty());
}

#[test]
fn under_the_flat_rate_purchases_stay_gross_but_for_large_capital_goods() {
    let chart = chart(true);
    let flat = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
    let rent =
        entered(vec![line(&chart, "7100", 12_000, Some(VatCode::Standard)), line(&chart, "2400", -12_000, None)]);
    let journal = decide(&chart, flat, &rent).unwrap();
    assert_eq!(shown(&chart, &journal), [("7100".to_owned(), 12_000), ("2400".to_owned(), -12_000)]);
    assert!(journal.vat.is_empty());
    let machine =
        entered(vec![line(&chart, "0030", 240_000, Some(VatCode::Standard)), line(&chart, "2400", -240_000, None)]);
    let journal = decide(&chart, flat, &machine).unwrap();
    assert_eq!(boxes(&journal.vat, flat).box4, Pence(40_000));
}

#[test]
fn the_callers_own_vat_figure_is_a_magnitude_within_the_tolerance() {
    let chart = chart(true);
    let with_vat = |code: &str, amount: i64, vat: i64| {
        let mut first = line(&chart, code, amount, Some(VatCode::Standard));
        first.vat_amount = Some(Pence(vat));
        decide(&chart, VatScheme::Standard, &entered(vec![first, line(&chart, "2400", -amount, None)]))
    };
    assert_eq!(with_vat("4000", -12_000, 1_999).unwrap().lines[1].amount, Pence(-1_999));
    let refused = with_vat("4000", -12_000, 1_998).unwrap_err();
    assert_eq!(refused.reason(), "vat_amount_out_of_tolerance");
    assert_eq!(with_vat("7100", 12_000, 2_100).unwrap().lines[1].amount, Pence(2_100));
}

#[test]
fn each_way_a_journal_is_refused() {
    let chart = chart(false);
    let pair = |first: ManualLine| entered(vec![first, line(&chart, "2400", -5_000, None)]);
    let decide = |journal: &ManualJournal| decide(&chart, VatScheme::Standard, journal).unwrap_err();

    assert_eq!(decide(&entered(vec![line(&chart, "7100", 5_000, None)])), Refusal::TooFewLines);
    let both = ManualLine { credit: Some(Pence(1)), ..line(&chart, "7100", 5_000, None) };
    assert_eq!(decide(&pair(both)), Refusal::OneSidedLine { row: 0 });
    let neither = ManualLine { debit: Some(Pence::ZERO), ..line(&chart, "7100", 0, None) };
    assert_eq!(decide(&pair(neither)), Refusal::OneSidedLine { row: 0 });
    let unbalanced = Refusal::Unbalanced { total_debit: Pence(4_999), total_credit: Pence(5_000) };
    assert_eq!(decide(&pair(line(&chart, "7100", 4_999, None))), unbalanced);
    let unknown = ManualLine { account: AccountReference::Id(AccountId(999)), ..line(&chart, "7100", 5_000, None) };
    assert_eq!(decide(&pair(unknown)), Refusal::UnknownReference { field: "lines[0].account_id".to_owned(), id: 999 });
    let stranger = ManualLine { contact_id: Some(ContactId(6)), ..line(&chart, "1100", 5_000, None) };
    assert_eq!(decide(&pair(stranger)), Refusal::UnknownReference { field: "lines[0].contact_id".to_owned(), id: 6 });
    let vat = decide(&pair(line(&chart, "7100", 5_000, Some(VatCode::Standard))));
    assert_eq!(vat, Refusal::VatControlRequired { posting: VatPosting::Journal });
    let equity = decide(&pair(line(&chart, "3000", 5_000, Some(VatCode::Zero))));
    assert_eq!(equity.reason(), "wrong_account_type");
    let locked = ManualJournal { entry_date: DAY - 1, ..pair(line(&chart, "7100", 5_000, None)) };
    assert_eq!(decide(&locked).reason(), "period_locked");
}

#[test]
fn zero_rates_need_no_vat_control_account() {
    let chart = chart(false);
    let entered = entered(vec![line(&chart, "7100", 5_000, Some(VatCode::Exempt)), line(&chart, "2400", -5_000, None)]);
    let journal = decide(&chart, VatScheme::Standard, &entered).unwrap();
    assert_eq!(boxes(&journal.vat, VatScheme::Standard).box7, Pence(5_000));
}

#[test]
fn archived_accounts_take_no_new_postings() {
    let mut chart = chart(false);
    let rent = chart.with_code("7100").unwrap().clone();
    chart.insert(Account { is_archived: true, ..rent.clone() });
    let entered = entered(vec![line(&chart, "2400", -5_000, None), line(&chart, "7100", 5_000, None)]);
    let refused = decide(&chart, VatScheme::Standard, &entered).unwrap_err();
    assert_eq!(refused, Refusal::AccountArchived { field: "lines[1].account_id".to_owned(), id: rent.id });
}

#[test]
fn only_a_standing_journal_of_nobody_else_is_voided() {
    let chart = chart(false);
    let entered = entered(vec![line(&chart, "7100", 5_000, None), line(&chart, "2400", -5_000, None)]);
    let journal = decide(&chart, VatScheme::Standard, &entered).unwrap();
    let posted = PostedJournal { id: JournalId(3), number: 3, status: JournalStatus::Posted, journal };
    let of = |kind| {
        let mut posted = posted.clone();
        posted.journal.source = Source { kind, id: Some(8) };
        posted
    };
    assert_eq!(void(&posted, None, &[], None).unwrap().entry_date, DAY);
    assert_eq!(void(&posted, Some(DAY + 9), &[], Some(DAY)).unwrap().entry_date, DAY + 9);
    assert_eq!(void(&posted, None, &[], Some(DAY)).unwrap_err().reason(), "period_locked");
    assert!(void(&of(SourceType::OpeningBalance), None, &[], None).is_ok());
    let settled = void(&of(SourceType::OpeningBalance), None, &[AllocationId(4)], None).unwrap_err();
    assert_eq!(settled, Refusal::HasAllocations { allocation_ids: vec![AllocationId(4)] });
    let linked = void(&of(SourceType::SalesInvoice), None, &[], None).unwrap_err();
    assert_eq!(linked, Refusal::LinkedToDocument { source_type: SourceType::SalesInvoice, source_id: Some(8) });
    assert_eq!(void(&of(SourceType::Reversal), None, &[], None).unwrap_err().reason(), "invalid_state");
    let voided = PostedJournal { status: JournalStatus::Void, ..posted };
    assert_eq!(void(&voided, None, &[], None).unwrap_err().reason(), "invalid_state");
}

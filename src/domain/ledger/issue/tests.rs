//! Issuing and voiding documents.

use super::*;
use crate::domain::ids::{ContactId, JournalId};
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::document::{CisType, DocumentKind, total};
use crate::domain::ledger::journal::JournalStatus;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::refusal::VatPosting;
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat::{FlatRateBasis, VatCode, VatHistory, VatScheme};
use crate::domain::ledger::vat_return::boxes_of_entries as boxes;

const DAY: Date = Date::numbered(20_192);

fn chart(vat_control: bool) -> Chart {
    (1..).zip(standard_chart::at_creation(vat_control)).map(|(id, new)| new.with_id(AccountId(id))).collect()
}

fn drafted(chart: &Chart, kind: DocumentKind, lines: &[(&str, VatCode, i64)]) -> Draft {
    let lines: Vec<PricedLine> = lines
        .iter()
        .map(|(code, vat_code, net)| PricedLine {
            account_id: chart.with_code(code).unwrap().id,
            account_key: "account_id",
            vat_code: *vat_code,
            reverse_charge: None,
            has_standard_basis: false,
            amount: Split { net: Pence(*net), vat: vat_code.vat_on_net(Pence(*net)) },
            cis_type: CisType::None,
        })
        .collect();
    let total = total(&lines);
    Draft { kind, contact_id: ContactId(3), date: DAY, due_date: None, vat_basis: None, lines, total, cis: None }
}

fn decide(chart: &Chart, scheme: VatScheme, draft: &Draft) -> Result<Option<Journal>, Refusal> {
    let vat = VatHistory::new(vec![(Date::MIN, scheme)]);
    let books = Books { chart, vat: &vat, lock_date: Some(DAY - 1) };
    issue(&books, draft, VatTreatment::of(&books, draft), "INV-0103")
}

fn shown(chart: &Chart, journal: &Journal) -> Vec<(String, i64)> {
    let code = |line: &Line| match &line.target {
        Target::Account(id) => chart.get(*id).unwrap().code.clone(),
        Target::FirstUse(role) => role.as_str().to_owned(),
    };
    journal.lines.iter().map(|line| (code(line), line.amount.0)).collect()
}

fn posted(lines: &[(&str, i64)]) -> Vec<(String, i64)> {
    lines.iter().map(|(code, pence)| ((*code).to_owned(), *pence)).collect()
}

#[test]
fn sales_and_purchases_post_as_in_the_book() {
    let chart = chart(true);
    let st = VatCode::Standard;
    let of = |kind, lines: &[(&str, VatCode, i64)]| {
        let journal = decide(&chart, VatScheme::Standard, &drafted(&chart, kind, lines)).unwrap().unwrap();
        shown(&chart, &journal)
    };
    let sale = of(DocumentKind::SalesInvoice, &[("4000", st, 147_580)]);
    assert_eq!(sale, posted(&[("1100", 177_096), ("4000", -147_580), ("2200", -29_516)]));
    let bill = of(DocumentKind::PurchaseInvoice, &[("5000", st, 184_560)]);
    assert_eq!(bill, posted(&[("2100", -221_472), ("5000", 184_560), ("2200", 36_912)]));
    let note = of(DocumentKind::SalesCreditNote, &[("4000", st, 2_006)]);
    assert_eq!(note, posted(&[("1100", -2_407), ("4000", 2_006), ("2200", 401)]));
    let back = of(DocumentKind::PurchaseCreditNote, &[("5000", st, 1_000)]);
    assert_eq!(back, posted(&[("2100", 1_200), ("5000", -1_000), ("2200", -200)]));
}

#[test]
fn lines_of_an_account_are_merged_and_the_vat_data_stay_by_line() {
    let chart = chart(true);
    let lines = [
        ("4000", VatCode::Standard, 1_003),
        ("4100", VatCode::Reduced, 264_000),
        ("4000", VatCode::Standard, 1_003),
        ("4000", VatCode::Zero, 86_000),
        ("4000", VatCode::Standard, 1_003),
    ];
    let draft = drafted(&chart, DocumentKind::SalesInvoice, &lines);
    let journal = decide(&chart, VatScheme::Standard, &draft).unwrap().unwrap();
    assert_eq!(
        shown(&chart, &journal),
        posted(&[("1100", 366_812), ("4000", -89_009), ("4100", -264_000), ("2200", -13_803)])
    );
    assert_eq!(journal.description, "Sales invoice INV-0103");
    assert_eq!(journal.vat.len(), 5);
    let sum = boxes(&journal.vat, VatScheme::Standard);
    assert_eq!((sum.box1, sum.box6), (Pence(13_803), Pence(353_009)));
    assert_eq!(journal.lines.first().and_then(|line| line.contact_id), Some(ContactId(3)));
}

#[test]
fn a_document_of_nothing_posts_nothing() {
    let chart = chart(true);
    let none = drafted(&chart, DocumentKind::SalesInvoice, &[("4000", VatCode::Standard, 0)]);
    assert_eq!(decide(&chart, VatScheme::Standard, &none), Ok(None));
    let even = drafted(
        &chart,
        DocumentKind::SalesInvoice,
        &[("4000", VatCode::Standard, 1_000), ("4100", VatCode::Standard, -1_000)],
    );
    let journal = decide(&chart, VatScheme::Standard, &even).unwrap().unwrap();
    assert_eq!(shown(&chart, &journal), posted(&[("4000", -1_000), ("4100", 1_000)]));
}

#[test]
fn vat_needs_its_control_account_and_zero_rates_do_not() {
    let chart = chart(false);
    let of =
        |kind, code, vat_code| decide(&chart, VatScheme::Standard, &drafted(&chart, kind, &[(code, vat_code, 1_000)]));
    let refused = of(DocumentKind::SalesInvoice, "4000", VatCode::Standard).unwrap_err();
    assert_eq!(refused, Refusal::VatControlRequired { posting: VatPosting::Invoice });
    let refused = of(DocumentKind::SalesCreditNote, "4000", VatCode::Reduced).unwrap_err();
    assert_eq!(refused, Refusal::VatControlRequired { posting: VatPosting::CreditNote });
    for vat_code in [VatCode::Zero, VatCode::Exempt, VatCode::NoVat] {
        assert!(of(DocumentKind::SalesInvoice, "4000", vat_code).is_ok());
    }
}

#[test]
fn a_sale_of_an_asset_or_a_deposit_is_output_all_the_same() {
    let chart = chart(true);
    let lines = [("0050", VatCode::Standard, 500_000), ("2410", VatCode::Standard, 100_000)];
    let draft = drafted(&chart, DocumentKind::SalesInvoice, &lines);
    let journal = decide(&chart, VatScheme::Standard, &draft).unwrap().unwrap();
    let sum = boxes(&journal.vat, VatScheme::Standard);
    assert_eq!((sum.box1, sum.box6, sum.box4), (Pence(120_000), Pence(600_000), Pence::ZERO));
}

#[test]
fn accounts_that_money_and_debts_are_posted_to_are_no_lines() {
    let mut chart = chart(true);
    let of = |chart: &Chart, code, vat_code| {
        let draft = drafted(chart, DocumentKind::PurchaseInvoice, &[(code, vat_code, 1_000)]);
        decide(chart, VatScheme::Standard, &draft)
    };
    for code in ["1200", "1100", "2100"] {
        assert_eq!(of(&chart, code, VatCode::NoVat).unwrap_err().reason(), "wrong_account_type", "{code}");
    }
    assert!(of(&chart, "2200", VatCode::NoVat).is_ok());
    assert_eq!(of(&chart, "2200", VatCode::Zero).unwrap_err().reason(), "wrong_account_type");
    let mut rent = chart.with_code("7100").unwrap().clone();
    rent.is_archived = true;
    chart.insert(rent);
    assert_eq!(of(&chart, "7100", VatCode::NoVat).unwrap_err().reason(), "account_archived");
}

#[test]
fn the_flat_rate_leaves_the_vat_of_purchases_in_the_expense() {
    let chart = chart(true);
    let flat = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
    let bill = |lines: &[(&str, VatCode, i64)]| {
        let draft = drafted(&chart, DocumentKind::PurchaseInvoice, lines);
        let journal = decide(&chart, flat, &draft).unwrap().unwrap();
        (shown(&chart, &journal), boxes(&journal.vat, flat))
    };
    let (lines, sum) = bill(&[("7100", VatCode::Standard, 100_000)]);
    assert_eq!(lines, posted(&[("2100", -120_000), ("7100", 120_000)]));
    assert_eq!(sum.box4, Pence::ZERO);
    let (lines, sum) = bill(&[("0030", VatCode::Standard, 200_000), ("7100", VatCode::Standard, 100_000)]);
    assert_eq!(lines, posted(&[("2100", -360_000), ("0030", 200_000), ("7100", 120_000), ("2200", 40_000)]));
    assert_eq!((sum.box4, sum.box7), (Pence(40_000), Pence(200_000)));
    let sale = drafted(&chart, DocumentKind::SalesInvoice, &[("4000", VatCode::Exempt, 43_300)]);
    let sale = decide(&chart, flat, &sale).unwrap().unwrap();
    assert_eq!(boxes(&sale.vat, flat).box6, Pence(43_300));
}

#[test]
fn under_cash_accounting_issuing_posts_but_declares_nothing() {
    let chart = chart(true);
    let draft = drafted(&chart, DocumentKind::SalesInvoice, &[("4000", VatCode::Standard, 10_000)]);
    let journal = decide(&chart, VatScheme::Cash, &draft).unwrap().unwrap();
    assert_eq!(shown(&chart, &journal), posted(&[("1100", 12_000), ("4000", -10_000), ("2200", -2_000)]));
    assert!(journal.vat.is_empty());

    // There is nothing to wait for when nothing is to be paid.
    let lines = [("4000", VatCode::Standard, 10_000), ("4000", VatCode::Zero, -12_000)];
    let journal = decide(&chart, VatScheme::Cash, &drafted(&chart, DocumentKind::SalesInvoice, &lines)).unwrap();
    let journal = journal.unwrap();
    assert_eq!(shown(&chart, &journal), posted(&[("4000", 2_000), ("2200", -2_000)]));
    let sum = boxes(&journal.vat, VatScheme::Cash);
    assert_eq!((sum.box1, sum.box6), (Pence(2_000), Pence(-2_000)));
    assert!(journal.vat.iter().all(|entry| entry.basis == Basis::Cash));
}

#[test]
fn a_credit_note_is_treated_as_the_invoice_it_takes_back() {
    let chart = chart(true);
    let vat = VatHistory::new(vec![(Date::MIN, VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice))]);
    let books = Books { chart: &chart, vat: &vat, lock_date: None };
    let of = |basis, capital_gross, code| {
        let draft = drafted(&chart, DocumentKind::PurchaseCreditNote, &[(code, VatCode::Standard, 2_000)]);
        let treatment = VatTreatment { basis, capital_gross: Pence(capital_gross), origin_date: None };
        let journal = issue(&books, &draft, treatment, "PCN-00001").unwrap().unwrap();
        (shown(&chart, &journal), boxes(&journal.vat, VatScheme::Standard).box4)
    };
    let (lines, box4) = of(Basis::Cash, 0, "7100");
    assert_eq!(lines, posted(&[("2100", 2_400), ("7100", -2_000), ("2200", -400)]));
    assert_eq!(box4, Pence::ZERO);
    assert_eq!(of(Basis::Standard, 0, "7100").1, Pence(-400));
    let (lines, box4) = of(Basis::FlatRate, 240_000, "0030");
    assert_eq!((lines, box4), (posted(&[("2100", 2_400), ("0030", -2_000), ("2200", -400)]), Pence(-400)));
    let (lines, box4) = of(Basis::FlatRate, 100_000, "0030");
    assert_eq!((lines, box4), (posted(&[("2100", 2_400), ("0030", -2_400)]), Pence::ZERO));
}

#[test]
fn a_void_is_the_exact_reversal_on_a_day_that_is_open() {
    let chart = chart(true);
    let draft = drafted(&chart, DocumentKind::SalesInvoice, &[("4000", VatCode::Reduced, 30)]);
    let journal = decide(&chart, VatScheme::Standard, &draft).unwrap().unwrap();
    let posted = PostedJournal { id: JournalId(9), number: 9, status: JournalStatus::Posted, journal };
    let standing = Voidable {
        stage: Stage::Issued,
        date: DAY,
        earliest: DAY,
        is_opening: false,
        allocations: &[],
        journal: Some(&posted),
    };
    let (date, reversal) = void(&standing, None, None).unwrap();
    let reversal = reversal.unwrap();
    assert_eq!((date, reversal.entry_date), (DAY, DAY));
    let both: Vec<VatEntry> = posted.journal.vat.iter().chain(&reversal.vat).cloned().collect();
    assert_eq!(boxes(&both, VatScheme::Standard), boxes([], VatScheme::Standard));

    assert_eq!(void(&standing, None, Some(DAY)).unwrap_err().reason(), "period_locked");
    let (date, later) = void(&standing, Some(DAY + 40), Some(DAY)).unwrap();
    assert_eq!((date, later.unwrap().vat[0].tax_point), (DAY + 40, DAY + 40));
    assert_eq!(void(&standing, Some(DAY - 1), None).unwrap_err().reason(), "invalid_field");
}

#[test]
fn what_is_settled_opening_or_void_is_not_voided() {
    let document = |stage, is_opening, allocations| Voidable {
        stage,
        date: DAY,
        earliest: DAY,
        is_opening,
        allocations,
        journal: None,
    };
    let settled = void(&document(Stage::Issued, false, &[AllocationId(5)]), None, None).unwrap_err();
    assert_eq!(settled, Refusal::HasAllocations { allocation_ids: vec![AllocationId(5)] });
    assert_eq!(void(&document(Stage::Void, false, &[]), None, None).unwrap_err().reason(), "invalid_state");
    assert_eq!(void(&document(Stage::Issued, true, &[]), None, None).unwrap_err().reason(), "invalid_state");
    assert_eq!(void(&document(Stage::Draft, false, &[]), None, Some(DAY)), Ok((DAY, None)));
    assert!(require_draft(Stage::Draft).is_ok());
    assert!(require_draft(Stage::Issued).is_err() && require_draft(Stage::Void).is_err());
}

#[test]
fn the_due_date_moves_while_the_period_is_open() {
    assert!(change_due_date(Stage::Issued, DAY, DAY, None).is_ok());
    assert_eq!(change_due_date(Stage::Issued, DAY, DAY - 1, None).unwrap_err().reason(), "invalid_field");
    assert_eq!(change_due_date(Stage::Issued, DAY, DAY + 9, Some(DAY)).unwrap_err().reason(), "period_locked");
    assert_eq!(change_due_date(Stage::Void, DAY, DAY, None).unwrap_err().reason(), "invalid_state");
}

//! Coded bank lines: what is posted and refused.

use super::*;
use crate::domain::date::Date;
use crate::domain::ids::{BankAccountId, BankTransactionId};
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat::{FlatRateBasis, VatHistory, VatScheme};
use crate::domain::ledger::vat_return::boxes_of_entries as boxes;

const DAY: Date = Date::numbered(20_200);

fn chart(vat_control: bool) -> Chart {
    (1..).zip(standard_chart::at_creation(vat_control)).map(|(id, new)| new.with_id(AccountId(id))).collect()
}

fn part(chart: &Chart, code: &str, pence: i64, vat_code: VatCode) -> CodedLine {
    let account = AccountReference::Id(chart.with_code(code).unwrap().id);
    CodedLine { account, gross: Pence(pence), vat_code, vat_amount: None, memo: None }
}

fn amounts(coded: &Coded) -> Vec<Split> {
    coded.parts.iter().map(|(_, amount)| *amount).collect()
}

fn transaction(pence: i64) -> BankTransaction {
    BankTransaction {
        id: BankTransactionId(41),
        bank_account_id: BankAccountId(1),
        date: DAY,
        amount: Pence(pence),
        description: "CARD PAYMENT".to_owned(),
        status: BankStatus::Unconfirmed,
    }
}

fn decide(
    chart: &Chart,
    scheme: VatScheme,
    transaction: &BankTransaction,
    lines: Vec<CodedLine>,
) -> Result<Coded, Refusal> {
    let vat = VatHistory::new(vec![(Date::MIN, scheme)]);
    let account_id = chart.with_code("1200").unwrap().id;
    let bank = BankAccount { id: BankAccountId(1), account_id, is_archived: false };
    let books = Books { chart, vat: &vat, lock_date: Some(DAY - 1) };
    confirm(&books, &bank, transaction, &Coding { is_short: lines.len() == 1, lines })
}

fn coded(pence: i64, parts: &[(&str, i64, VatCode)]) -> (Vec<(String, i64)>, Coded) {
    let chart = chart(true);
    let lines = parts.iter().map(|(code, pence, vat)| part(&chart, code, *pence, *vat)).collect();
    let coded = decide(&chart, VatScheme::Standard, &transaction(pence), lines).unwrap();
    let code = |line: &Line| match &line.target {
        Target::Account(id) => chart.get(*id).unwrap().code.clone(),
        Target::FirstUse(role) => role.as_str().to_owned(),
    };
    (coded.journal.lines.iter().map(|line| (code(line), line.amount.0)).collect(), coded)
}

fn posted(lines: &[(&str, i64)]) -> Vec<(String, i64)> {
    lines.iter().map(|(code, pence)| ((*code).to_owned(), *pence)).collect()
}

#[test]
fn money_in_and_out_post_as_in_the_book() {
    let (lines, income) = coded(12_000, &[("4000", 12_000, VatCode::Standard)]);
    assert_eq!(lines, posted(&[("1200", 12_000), ("4000", -10_000), ("2200", -2_000)]));
    assert_eq!(amounts(&income), [Split { net: Pence(10_000), vat: Pence(2_000) }]);
    assert_eq!(income.journal.vat[0].origin, VatOrigin::JournalLine(1));
    let (lines, expense) = coded(-8_437, &[("7200", -8_437, VatCode::Standard)]);
    assert_eq!(lines, posted(&[("7200", 7_031), ("2200", 1_406), ("1200", -8_437)]));
    let sum = boxes(&expense.journal.vat, VatScheme::Standard);
    assert_eq!((sum.box4, sum.box7), (Pence(1_406), Pence(7_031)));
    assert_eq!(expense.journal.vat[0].origin, VatOrigin::JournalLine(0));
}

#[test]
fn refunds_reduce_the_boxes_of_their_account() {
    let (_, refund) = coded(1_200, &[("7200", 1_200, VatCode::Standard)]);
    let sum = boxes(&refund.journal.vat, VatScheme::Standard);
    assert_eq!((sum.box1, sum.box4, sum.box7), (Pence::ZERO, Pence(-200), Pence(-1_000)));
    let (_, refund) = coded(-1_200, &[("4000", -1_200, VatCode::Standard)]);
    let sum = boxes(&refund.journal.vat, VatScheme::Standard);
    assert_eq!((sum.box1, sum.box6, sum.box4), (Pence(-200), Pence(-1_000), Pence::ZERO));
}

#[test]
fn each_part_of_a_split_has_its_own_vat_and_sign() {
    let (lines, payout) = coded(9_700, &[("4000", 10_500, VatCode::Reduced), ("7920", -800, VatCode::Exempt)]);
    assert_eq!(lines, posted(&[("1200", 9_700), ("4000", -10_000), ("7920", 800), ("2200", -500)]));
    let sum = boxes(&payout.journal.vat, VatScheme::Standard);
    assert_eq!((sum.box1, sum.box6, sum.box4, sum.box7), (Pence(500), Pence(10_000), Pence::ZERO, Pence(800)));
    let (lines, _) = coded(-41_000, &[("2500", -35_000, VatCode::NoVat), ("7910", -6_000, VatCode::NoVat)]);
    assert_eq!(lines, posted(&[("2500", 35_000), ("7910", 6_000), ("1200", -41_000)]));
}

#[test]
fn a_payment_of_vat_moves_the_control_and_no_box() {
    let (lines, payment) = coded(-50_000, &[("2200", -50_000, VatCode::NoVat)]);
    assert_eq!(lines, posted(&[("2200", 50_000), ("1200", -50_000)]));
    assert!(payment.journal.vat.is_empty());
}

#[test]
fn under_the_flat_rate_expenses_stay_gross() {
    let chart = chart(true);
    let flat = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
    let rent = vec![part(&chart, "7100", -12_000, VatCode::Standard)];
    let coded = decide(&chart, flat, &transaction(-12_000), rent).unwrap();
    assert_eq!(amounts(&coded), [Split { net: Pence(-12_000), vat: Pence::ZERO }]);
    assert_eq!((coded.journal.lines.len(), coded.journal.vat.len()), (2, 0));
    let sale = vec![part(&chart, "4000", 12_000, VatCode::Standard)];
    let coded = decide(&chart, flat, &transaction(12_000), sale).unwrap();
    assert_eq!(boxes(&coded.journal.vat, flat).box1, Pence(1_140));
}

#[test]
fn each_way_a_coding_is_refused() {
    let chart = chart(false);
    let refused = |transaction: &BankTransaction, lines: Vec<CodedLine>| {
        decide(&chart, VatScheme::Standard, transaction, lines).unwrap_err()
    };
    let one = |code: &str, pence, vat| vec![part(&chart, code, pence, vat)];
    let out = transaction(-5_000);
    let sum = refused(&out, one("7100", -4_999, VatCode::NoVat));
    assert_eq!(sum, Refusal::AmountMismatch { expected: Pence(-5_000), actual: Pence(-4_999) });
    let sign = refused(&out, one("7100", 5_000, VatCode::NoVat));
    assert_eq!(sign.reason(), "amount_mismatch");
    let vat = refused(&out, one("7100", -5_000, VatCode::Standard));
    assert_eq!(vat, Refusal::VatControlRequired { posting: VatPosting::BankTransaction });
    for (code, vat_code) in [("1200", VatCode::NoVat), ("2500", VatCode::Standard), ("1100", VatCode::Zero)] {
        assert_eq!(refused(&out, one(code, -5_000, vat_code)).reason(), "wrong_account_type", "{code}");
    }
    let unknown = vec![CodedLine {
        account: AccountReference::Id(AccountId(999)),
        ..part(&chart, "7100", -5_000, VatCode::NoVat)
    }];
    let unknown = refused(&out, unknown);
    assert_eq!(unknown, Refusal::UnknownReference { field: "account_id".to_owned(), id: 999 });
    let own = vec![CodedLine { vat_amount: Some(Pence(833)), ..part(&chart, "7100", -5_000, VatCode::Standard) }];
    assert_eq!(refused(&out, own).reason(), "vat_amount_out_of_tolerance");
    let confirmed = BankTransaction { status: BankStatus::Confirmed, ..out.clone() };
    assert_eq!(refused(&confirmed, one("7100", -5_000, VatCode::NoVat)).reason(), "invalid_state");
    let locked = BankTransaction { date: DAY - 1, ..out };
    assert_eq!(refused(&locked, one("7100", -5_000, VatCode::NoVat)).reason(), "period_locked");
}

//! The second opinion against the examples of the Notices and of the specification.

use super::vat_notice_model::{
    Account, Code, Day, Document, EnteredLine, Event, Kind, Line, Notices, Pence, ReverseCharge, Scheme, Source,
    Turnover, VatReturn, date, day, share, vat_within,
};

fn line(code: Code, net: Pence) -> Line {
    let vat = share(net, code.rate(), 100);
    Line { fixed_asset: false, code, net, vat, reverse_charge: None, outside_turnover: false }
}

fn asset(net: Pence) -> Line {
    Line { fixed_asset: true, ..line(Code::Standard, net) }
}

fn issued(document: usize, kind: Kind, date: Day, lines: &[Line]) -> Event {
    let lines = lines.to_vec();
    let is = Document { kind, date, due: None, lines, outside_cash_accounting: false, origin: None, opening: None };
    Event::Issued { document, is }
}

fn credit_of(document: usize, origin: usize, date: Day, lines: &[Line]) -> Event {
    let mut event = issued(document, Kind::SalesCreditNote, date, lines);
    if let Event::Issued { is, .. } = &mut event {
        is.origin = Some(origin);
    }
    event
}

fn paid(allocation: usize, to: usize, settled: Pence, on: Day) -> Event {
    Event::Allocated { allocation, source: Source::Money, to, settled, on }
}

fn set_off(allocation: usize, from: usize, to: usize, settled: Pence, on: Day) -> Event {
    Event::Allocated { allocation, source: Source::Credit(from), to, settled, on }
}

fn begin(scheme: Scheme) -> Event {
    Event::Registered { from: day(2024, 1, 1), scheme }
}

fn flat(percent_hundredths: i64, turnover: Turnover) -> Scheme {
    Scheme::FlatRate { percent_hundredths, turnover }
}

fn returned(events: &[Event], from: Day, to: Day) -> VatReturn {
    Notices::of(events).vat_return(from, to)
}

fn boxes(events: &[Event], from: Day, to: Day) -> [Pence; 4] {
    [1, 4, 6, 7].map(|number| returned(events, from, to).boxes[number])
}

const APRIL: Day = 20_179;
const JULY: Day = APRIL + 91;
const OCTOBER: Day = JULY + 92;

#[test]
fn days_are_dates() {
    assert_eq!((day(1970, 1, 1), day(2000, 2, 29), APRIL), (0, 11_016, day(2025, 4, 1)));
    for number in -60_000..60_000 {
        let (year, month, day_of_month) = date(number);
        assert_eq!(day(year, month, day_of_month), number);
    }
}

#[test]
fn half_a_penny_goes_away_from_zero() {
    let vat = |net| share(net, 5, 100);
    assert_eq!((vat(70), vat(230), vat(30), vat(50), vat(-30)), (4, 12, 2, 3, -2));
    assert_eq!((vat_within(250_000, Code::Standard), vat_within(3, Code::Standard)), (41_667, 1));
}

#[test]
fn part_payments_complete_the_vat() {
    let invoice = Line { vat: 2_000, ..line(Code::Standard, 10_001) };
    let events = [
        begin(Scheme::Cash),
        issued(1, Kind::SalesInvoice, APRIL, &[invoice]),
        paid(1, 1, 4_000, APRIL + 1),
        paid(2, 1, 4_000, APRIL + 2),
        paid(3, 1, 4_001, APRIL + 3),
    ];
    let on = |number| boxes(&events, APRIL + number, APRIL + number);
    assert_eq!(on(0), [0, 0, 0, 0]);
    assert_eq!([on(1)[0], on(2)[0], on(3)[0]], [667, 666, 667]);
    assert_eq!([on(1)[2], on(2)[2], on(3)[2]], [3_333, 3_334, 3_334]);
}

#[test]
fn turnover_is_inclusive_and_rounded_once() {
    let sale = |document, gross| issued(document, Kind::SalesInvoice, APRIL, &[line(Code::Exempt, gross)]);
    let events = [
        begin(flat(950, Turnover::Invoiced)),
        issued(1, Kind::SalesInvoice, APRIL, &[line(Code::Standard, 1_000_000)]),
        sale(2, 43_300),
    ];
    let whole = returned(&events, APRIL, JULY - 1);
    assert_eq!((whole.boxes[1], whole.boxes[6], whole.pounds[0]), (118_114, 1_243_300, 12_433));
    assert_eq!(whole.flat_rate.surplus, 200_000 - 118_114);
}

#[test]
fn a_change_of_percentage_has_two_calculations() {
    let mut events = vec![begin(flat(950, Turnover::Invoiced))];
    events.push(Event::Registered { from: APRIL + 10, scheme: flat(1_050, Turnover::Invoiced) });
    events.push(issued(1, Kind::SalesInvoice, APRIL + 9, &[line(Code::Zero, 105)]));
    events.push(issued(2, Kind::SalesInvoice, APRIL + 10, &[line(Code::Zero, 105)]));
    assert_eq!(boxes(&events, APRIL, JULY - 1), [10 + 11, 0, 210, 0]);
}

#[test]
fn only_capital_goods_of_2000_are_reclaimed_under_the_flat_rate() {
    let events = [
        begin(flat(950, Turnover::Received)),
        issued(1, Kind::PurchaseInvoice, APRIL, &[asset(100_000), asset(66_667), line(Code::Standard, 500)]),
        issued(2, Kind::PurchaseInvoice, APRIL, &[asset(166_665)]),
    ];
    assert_eq!(boxes(&events, APRIL, APRIL), [0, 33_333, 0, 166_667]);
}

#[test]
fn a_document_keeps_its_scheme_over_a_change() {
    let mut events = vec![begin(Scheme::Standard), Event::Registered { from: JULY, scheme: Scheme::Cash }];
    events.push(Event::Registered { from: OCTOBER, scheme: flat(1_000, Turnover::Received) });
    let sale = |document, on| issued(document, Kind::SalesInvoice, on, &[line(Code::Standard, 10_000)]);
    events.extend([sale(1, APRIL), sale(2, JULY), sale(3, OCTOBER)]);
    events.extend([1, 2, 3].map(|document| paid(document, document, 6_000, OCTOBER + 1)));
    assert_eq!(boxes(&events, APRIL, JULY - 1), [2_000, 0, 10_000, 0]);
    assert_eq!(boxes(&events, JULY, OCTOBER - 1), [0, 0, 0, 0]);
    // Half of the VAT of the second, a tenth of what was received of the third.
    assert_eq!(boxes(&events, OCTOBER, OCTOBER + 1), [1_000 + 600, 0, 5_000 + 6_000, 0]);
}

#[test]
fn credit_gives_relief_once() {
    let sale = |document, on| issued(document, Kind::SalesInvoice, on, &[line(Code::Standard, 10_000)]);
    let mut events = vec![begin(Scheme::Cash), Event::Registered { from: JULY, scheme: Scheme::Standard }];
    events.push(sale(1, APRIL));
    // Credit for the invoice moves nothing; other credit under the new scheme counts as its payment.
    events.push(credit_of(2, 1, JULY, &[line(Code::Standard, 5_000)]));
    events.push(set_off(1, 2, 1, 6_000, JULY));
    assert_eq!(boxes(&events, APRIL, JULY), [0, 0, 0, 0]);
    events.push(issued(3, Kind::SalesCreditNote, JULY, &[line(Code::Standard, 5_000)]));
    assert_eq!(boxes(&events, APRIL, JULY), [-1_000, 0, -5_000, 0]);
    events.push(set_off(2, 3, 1, 6_000, JULY + 1));
    assert_eq!(boxes(&events, APRIL, JULY + 1), [0, 0, 0, 0]);
}

#[test]
fn a_void_counts_from_its_day() {
    let events = [
        begin(flat(1_000, Turnover::Invoiced)),
        Event::Registered { from: JULY, scheme: Scheme::Standard },
        issued(1, Kind::SalesInvoice, APRIL, &[line(Code::Standard, 10_000)]),
        Event::DocumentVoided { document: 1, on: JULY },
    ];
    assert_eq!(boxes(&events, APRIL, JULY - 1), [1_200, 0, 12_000, 0]);
    assert_eq!(boxes(&events, JULY, JULY), [-1_200, 0, -12_000, 0]);
}

#[test]
fn reverse_charges_are_declared_at_their_date() {
    for scheme in [Scheme::Standard, Scheme::Cash, flat(1_000, Turnover::Received)] {
        let charged = |kind| Line { vat: 0, reverse_charge: Some(kind), ..line(Code::Standard, 10_000) };
        let events = [
            begin(scheme),
            issued(1, Kind::PurchaseInvoice, APRIL, &[charged(ReverseCharge::Domestic)]),
            issued(2, Kind::PurchaseInvoice, APRIL + 1, &[charged(ReverseCharge::ImportedServices)]),
            issued(3, Kind::SalesInvoice, APRIL + 2, &[charged(ReverseCharge::Domestic)]),
        ];
        assert_eq!(boxes(&events, APRIL, APRIL), [2_000, 2_000, 0, 10_000]);
        assert_eq!(boxes(&events, APRIL + 1, APRIL + 1), [2_000, 2_000, 10_000, 10_000]);
        assert_eq!(boxes(&events, APRIL + 2, APRIL + 2), [0, 0, 10_000, 0]);
    }
}

#[test]
fn money_in_is_an_asset_sold_or_an_expense_given_back() {
    let line =
        |account, gross| EnteredLine { account, code: Code::Standard, gross, vat: vat_within(gross, Code::Standard) };
    let lines = vec![line(Account::FixedAsset, 12_000), line(Account::Expense, 6_000), line(Account::Expense, -1_200)];
    let events = |scheme| [begin(scheme), Event::Entered { entry: 1, on: APRIL, lines: lines.clone() }];
    assert_eq!(boxes(&events(Scheme::Cash), APRIL, APRIL), [2_000, -800, 10_000, -4_000]);
    assert_eq!(boxes(&events(flat(1_000, Turnover::Received)), APRIL, APRIL), [1_200, 0, 12_000, 0]);
}

#[test]
fn due_after_six_months_is_outside_cash_accounting() {
    let due = |due| {
        let mut event = issued(1, Kind::SalesInvoice, day(2025, 8, 31), &[line(Code::Standard, 10_000)]);
        if let Event::Issued { is, .. } = &mut event {
            is.due = Some(due);
        }
        boxes(&[begin(Scheme::Cash), event], APRIL, day(2025, 12, 31))[0]
    };
    assert_eq!((due(day(2026, 2, 28)), due(day(2026, 3, 1))), (0, 2_000));
}

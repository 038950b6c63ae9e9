//! What settles what, and what does not: one rule a test.

use std::borrow::Cow;

use crate::domain::amount;
use crate::domain::coding::batch::{Batch, Invoice, InvoiceKind, Transaction};
use crate::domain::coding::line::Line;
use crate::domain::coding::outcome::SettledKind::{self, CisDeduction, Exact, FeeDeducted, Part, Sum};
use crate::domain::control::{Control, Stopped, Unattended};
use crate::domain::date::Date;

use super::{Settlement, settle, settle_in_context};

/// Days in these tests count from here.
const START: Date = Date::numbered(20_000);

fn units(text: &str) -> i128 {
    amount::parse(text).unwrap()
}

fn line<'a>(description: &'a str, amount: &str, days: i32) -> Transaction<'a> {
    let (description, reference) = match description.split_once('|') {
        Some((description, reference)) => (description, Some(Cow::from(reference))),
        None => (description, None),
    };
    Transaction {
        date: START + days,
        description: Cow::from(description),
        amount: units(amount),
        merchant: None,
        reference,
        bank_account: None,
        merchant_category_code: None,
    }
}

fn item<'a>(kind: InvoiceKind, number: &'a str, contact: &'a str, open: &str) -> Invoice<'a> {
    Invoice {
        number: Cow::from(number),
        kind,
        contact: Cow::from(contact),
        date: START - 20,
        due_date: Some(START + 10),
        total: None,
        amount_due: units(open),
        currency: None,
        reference: None,
        account: None,
    }
}

fn invoice<'a>(number: &'a str, contact: &'a str, open: &str) -> Invoice<'a> {
    item(InvoiceKind::Invoice, number, contact, open)
}

fn bill<'a>(number: &'a str, contact: &'a str, open: &str) -> Invoice<'a> {
    item(InvoiceKind::Bill, number, contact, open)
}

fn credit<'a>(number: &'a str, contact: &'a str, open: &str) -> Invoice<'a> {
    item(InvoiceKind::CreditNote, number, contact, open)
}

fn answers(lines: &[Transaction<'_>], invoices: &[Invoice<'_>]) -> Vec<Option<Settlement>> {
    let batch = Batch { transactions: lines.to_vec(), ..Batch::default() };
    let (lines, _) = Line::read_all(&batch);
    settle(&lines, invoices, &Unattended).unwrap()
}

/// What each line settles: number, amount and how.
type Links<'a> = Vec<(&'a str, String, SettledKind)>;

fn links<'a>(answer: Option<&Settlement>, invoices: &'a [Invoice<'_>]) -> Links<'a> {
    let settled = answer.iter().flat_map(|settlement| &settlement.settled);
    settled
        .map(|settled| (invoices[settled.invoice].number.as_ref(), amount::money(settled.amount), settled.kind))
        .collect()
}

fn numbers(lines: &[Transaction<'_>], invoices: &[Invoice<'_>]) -> Vec<String> {
    let answers = answers(lines, invoices);
    answers
        .iter()
        .map(|answer| links(answer.as_ref(), invoices).iter().map(|link| link.0).collect::<Vec<_>>().join("+"))
        .collect()
}

fn one(description: &str, amount: &str, invoices: &[Invoice<'_>]) -> String {
    numbers(&[line(description, amount, 0)], invoices).remove(0)
}

#[test]
fn a_number_is_found_however_it_is_written() {
    for (number, text) in [
        ("INV-0031", "PAYER INV 31 BGC"),
        ("INV-0031", "PAYER INV31"),
        ("INV-0031", "PAYER INVOICE NO. 0031"),
        ("INV-0031", "PAYER invoice 31"),
        ("INV-0031", "PAYERINV0031"),
        ("QR-2025-118", "PAYER QR118"),
        ("QR-2025-118", "PAYER QR-25-118"),
        ("QR-2025-118", "PAYER QR2025118"),
        ("QR-2025-118", "PAYER inv 118"),
        ("31/24", "PAYER INV 31/24"),
        ("2024/067", "PAYER 2024/067"),
        ("INV/24/049", "PAYER INV/24/049"),
        ("BG-0031", "PAYER BG31"),
        ("BG-0031", "PAYER REF BG 0031"),
        ("FT/24/1187", "TT PAYER FT/24/1187"),
        ("77120", "PAYER 77120 BBP"),
        ("0094418", "PAYER 94418"),
        ("HH-C12", "PAYER HHC12"),
        ("AB-INV-437", "PAYER AB437"),
        ("S-44128", "PAYER S 44128"),
        ("SIN884120", "PAYER SIN884120 DDR"),
        ("40512884", "PAYER|DD 7740129 40512884"),
    ] {
        let found = one(text, "486.00", &[invoice(number, "Somebody Else Entirely", "486.00")]);
        assert_eq!(found, number, "{text}");
    }
}

#[test]
fn a_contact_is_found_however_it_is_written() {
    for (contact, text) in [
        ("Harbourside Coworking Ltd", "HARBOURSIDE COWORKING BGC"),
        ("Harbourside Coworking Ltd", "HARBOURSIDECOWORK"),
        ("Bardsley Construction Ltd", "BARDSLEY CONSTR"),
        ("Miller & Rowe Bakers Ltd", "MILLER AND ROWE BKRS"),
        ("Minster Insulation and Dry Lining", "MINSTER INSULATN"),
        ("Whitley Medical Centre", "WHITLEY MED CTR"),
        ("Marlowe Hotel Group", "MARLOWE HOTEL GRP"),
        ("Fern & Hart Solicitors LLP", "FERN AND HART SOLS"),
        ("Mrs J Whitworth", "WHITWORTH J"),
        ("Daniel Osei", "D OSEI"),
        ("Mrs J Oldham", "MRS JEAN OLDHAM"),
        ("Walter Codling dec'd (Mrs A Harker)", "HARKER ANNE FUNERAL"),
        ("Est. of Doris Quillan", "EXORS D QUILLAN"),
        ("Hartburn RFC", "HARTBURN RUGBY CLUB"),
        ("Northern Care Alliance NHS FT", "NCA NHS FOUNDATION 0088127 BGC"),
        ("Rochdale Borough Council", "ROCHDALE BC CREDITORS"),
        ("Trustees of Capel Seion", "CAPEL SEION TRUSTEES"),
        ("J Smith T/A Hilltop Joinery", "HILLTOP JOINERY"),
        ("Kelly Doyle (Zumba)", "K DOYLE"),
        ("Müller Maschinenbau GmbH", "MULLER MASCHINENBAU"),
        ("Okonkwo DevOps Ltd", "OKONWKO DEVOPS"),
        ("Trustees of Capel Seion", "TRUSTEESOFCAPELSEI"),
    ] {
        let found = one(text, "486.00", &[invoice("A-1", contact, "486.00")]);
        assert_eq!(found, "A-1", "{contact}: {text}");
    }
}

#[test]
fn initials_count_beside_a_number_only() {
    let list = [invoice("INV-0018", "Penrhyn Farm Shop", "486"), bill("X-1063", "D Popescu Decorating", "950")];
    assert_eq!(one("PFS 18", "486", &list), "INV-0018");
    assert_eq!(one("PFS JUNE", "486", &list), "");
    assert_eq!(one("DD DPD LOCAL UK LTD", "-950", &list), "");
}

#[test]
fn what_the_caller_noted_on_an_invoice_counts_beside_the_name() {
    let mut list = [invoice("5019", "Tarrant Aerospace", "486"), invoice("5020", "Tarrant Aerospace", "90")];
    list[0].reference = Some(Cow::from("PO TAS-4471"));
    assert_eq!(one("TARRANT AEROSPACE S TAS4471 ON ACC", "100", &list), "5019");
    assert_eq!(one("TESCO STORES 4471", "486", &list), "");
}

#[test]
fn an_amount_alone_settles_nothing() {
    assert_eq!(one("CLIFTON AUTOS", "486", &[invoice("X-9", "Clifton Arts Trust", "486")]), "");
    for text in [
        "TESCO STORES 3297",
        "BOXES LEICESTER CITY COUNCIL NNDR",
        "LEICESTER CITY COUNCIL",
        "PIMLICO PLUMBERS LEICESTER",
        "COMPANY LTD",
        "SERVICES",
        "",
        "486.00",
        "🎉🎉",
    ] {
        assert_eq!(
            one(text, "486.00", &[invoice("LB-77", "Leicester Box Company Services Ltd", "486.00")]),
            "",
            "{text}"
        );
    }
    assert_eq!(one("K WHITWORTH", "75", &[invoice("X-9", "Mrs J Whitworth", "75")]), "");
    assert_eq!(one("GARDEN BAKERY WHITWORTH", "75", &[invoice("X-9", "Mrs J Whitworth", "75")]), "");
}

#[test]
fn another_number_is_a_veto() {
    let list = [invoice("BG-0031", "Clifton Arts Trust", "486"), bill("MR-88213", "Miller Bakers", "642.18")];
    for text in [
        "CLIFTON ARTS TRUST BG-0029",
        "CLIFTON ARTS TRUST BG 29",
        "CLIFTON ARTS TRUST INV 29",
        "CLIFTON ARTS TRUST INVOICE 7712",
        "CLIFTON ARTS TRUST 0029",
    ] {
        assert_eq!(one(text, "486", &list), "", "{text}");
    }
    assert_eq!(one("MILLER BAKERS MR-88250", "-642.18", &list), "");
    let years = [invoice("2024/067", "Clifton Arts Trust", "486"), invoice("QR-2024-451", "Halden Energy", "90")];
    assert_eq!(one("CLIFTON ARTS TRUST 2024/071", "486", &years), "");
    assert_eq!(one("HALDEN ENERGY QR-2024-460", "90", &years), "");
    let lettered = [invoice("AB-INV-238", "Dev Patel", "486")];
    assert_eq!(one("DEV PATEL AB-INV-247", "486", &lettered), "");
    let bare = [bill("10442", "Leicester Box Company", "418.80")];
    assert_eq!(one("LEICESTER BOX COMPANY 10391", "-418.80", &bare), "");
}

#[test]
fn two_digits_of_a_number_may_be_exchanged_where_contact_and_amount_agree() {
    let list = [bill("SI-88954", "Shipton Mill", "902.10"), bill("WSH2208", "Weldon Skips", "288")];
    assert_eq!(one("SHIPTON MILL LTD 88594", "-902.10", &list), "SI-88954");
    assert_eq!(one("WELDON SKIPS WSH 2280", "-288", &list), "WSH2208");
    let settled = answers(&[line("WELDON SKIPS WSH 2280", "-288", 1)], &list);
    let remark = &settled[0].as_ref().unwrap().remark;
    assert!(remark.ends_with("the name is in the line, the number with two digits exchanged"), "{remark}");
    assert_eq!(one("WELDON SKIPS WSH 2280", "-280", &list), "", "another amount");
    assert_eq!(one("SHIPLEY SKIPS WSH 2280", "-288", &list), "", "another contact");
    assert_eq!(one("WELDON SKIPS WSH 8202", "-288", &list), "", "another number");
}

#[test]
fn the_number_of_another_item_is_a_veto_unless_it_explains_the_payment() {
    let list = [invoice("A-101", "Acme Foods", "500"), invoice("A-102", "Acme Foods", "300")];
    assert_eq!(one("ACME FOODS A-102", "500", &list), "", "the amount of A-101, the number of A-102");
    assert_eq!(one("ACME FOODS A-102", "800", &list), "A-101+A-102");
}

#[test]
fn numbers_of_other_things_are_no_veto() {
    let list = [invoice("BG-0031", "Clifton Arts Trust", "486")];
    for text in [
        "CLIFTON ARTS TRUST 300000001519204418 402214 10 02JUN25 08:41",
        "CLIFTON ARTS TRUST 20-11-43 30441209 FT",
        "CLIFTON ARTS TRUST ON 02 JUN",
        "CLIFTON ARTS TRUST TEL 0117 4960123",
        "CLIFTON ARTS TRUST , MANDATE NO 9",
        "CLIFTON ARTS TRUST 01/06/2025",
        "CLIFTON ARTS TRUST CD 7719",
        "CLIFTON ARTS TRUST 486.00",
        "CLIFTON ARTS TRUST PAYMENT 2 OF 3",
        "CLIFTON ARTS TRUST BACS 00044391",
        "CLIFTON ARTS TRUST INV MAY 2025",
    ] {
        assert_eq!(one(text, "486", &list), "BG-0031", "{text}");
    }
}

#[test]
fn money_must_move_the_right_way_and_not_before_the_invoice() {
    let list = [invoice("BG-0031", "Clifton Arts", "486"), bill("77120", "Severn Cooling", "294")];
    assert_eq!(one("CLIFTON ARTS BG-0031", "-486", &list), "");
    assert_eq!(one("SEVERN COOLING 77120", "294", &list), "");
    let early = |date| numbers(&[line("CLIFTON ARTS BG-0031", "486", date)], &list).remove(0);
    assert_eq!((early(-23), early(-24)), ("BG-0031".to_owned(), String::new()));
}

#[test]
fn several_items_are_paid_at_once() {
    let list = [
        invoice("LL-0891", "Hunter & Vale Interiors", "1188"),
        invoice("LL-0893", "Hunter & Vale Interiors", "396"),
        invoice("LL-0899", "Hunter & Vale Interiors", "77.10"),
        invoice("LL-0892", "Orchard Gift Barn", "1188"),
    ];
    assert_eq!(one("HUNTER & VALE INTER LL-0891 LL-0893", "1584", &list), "LL-0891+LL-0893");
    assert_eq!(one("HUNTER VALE LL0891/893", "1584", &list), "LL-0891+LL-0893");
    assert_eq!(one("HUNTER & VALE INTER STATEMENT", "1661.10", &list), "LL-0891+LL-0893+LL-0899");
    assert_eq!(one("HUNTER & VALE INTER", "473.10", &list), "LL-0893+LL-0899");
    assert_eq!(one("SOMEBODY", "1584", &list), "");
    let years = [
        bill("INV/25/501", "Miller & Rowe", "1000.24"),
        bill("INV/25/160", "Miller & Rowe", "1480"),
        bill("INV160", "Café", "9"),
    ];
    assert_eq!(
        one("CARD PAYMENT TO Miller & Rowe Bakers Ltd INV 501, INV160 ON 02 JUN BCC", "-2480.24", &years),
        "INV/25/160+INV/25/501"
    );
    let many: Vec<Invoice<'_>> =
        ["11", "13", "17", "19", "23", "29", "31"].map(|open| invoice("N", "Acme Foods", open)).to_vec();
    let all = answers(&[line("ACME FOODS STATEMENT", "143", 0)], &many);
    assert_eq!(all[0].as_ref().unwrap().settled.len(), 7);
}

#[test]
fn credit_notes_count_against_and_are_refunded() {
    let list = [
        bill("RX771208", "Rexel UK Ltd", "318.60"),
        credit("RXC-0118", "Rexel UK Ltd", "42"),
        invoice("HH233", "Rochdale U3A", "96"),
        credit("HHC12", "Rochdale U3A", "24"),
    ];
    assert_eq!(one("Rexel UK Ltd|RX771208 less CN", "-276.60", &list), "RX771208+RXC-0118");
    assert_eq!(one("U3A ROCHDALE HH233 LESS HHC12", "72", &list), "HH233+HHC12");
    assert_eq!(one("ROCHDALE U3A", "72", &list), "HH233+HHC12");
    assert_eq!(one("REXEL UK REFUND RXC-0118", "42", &list), "RXC-0118");
    assert_eq!(one("ROCHDALE U3A HHC12", "-24", &list), "HHC12");
    assert_eq!(one("REXEL UK RXC-0118", "-42", &list), "", "the supplier owes us, not we them");
}

#[test]
fn parts_are_paid_where_the_line_says_so() {
    let list = [invoice("BG-0033", "Redland Primary PTA", "150"), invoice("BG-0040", "Ashworth Roofing", "4800")];
    let paid = answers(&[line("REDLAND PRIMARY PTA PART PMT BG-0033", "75", 0)], &list);
    assert_eq!(links(paid[0].as_ref(), &list), [("BG-0033", "75.00".to_owned(), Part)]);
    assert!(paid[0].as_ref().unwrap().remark.contains("75.00 stays open"), "{:?}", paid[0]);
    for text in ["ASHWORTH ROOFING STAGE 1", "ASHWORTH ROOFING PAYMT 1 OF 2", "ASHWORTH ROOFING ON ACCOUNT"] {
        assert_eq!(one(text, "2400", &list), "BG-0040", "{text}");
    }
    assert_eq!(one("ASHWORTH ROOFING", "2400", &list), "");
    assert_eq!(one("SOMEBODY PART", "2400", &list), "");
}

#[test]
fn the_rest_is_tracked_over_several_payments() {
    let list = [invoice("BG-0033", "Redland Primary PTA", "150")];
    let lines = [
        line("REDLAND PRIMARY PTA BG-0033", "50", 12),
        line("REDLAND PRIMARY PTA", "40", 20),
        line("REDLAND PRIMARY PTA BG-0033 PART", "60", 3),
        line("REDLAND PRIMARY PTA BG-0033", "5", 21),
    ];
    let paid = answers(&lines, &list);
    let kinds: Vec<_> = paid
        .iter()
        .map(|answer| links(answer.as_ref(), &list).into_iter().map(|link| (link.1, link.2)).next())
        .collect();
    assert_eq!(kinds[2], Some(("60.00".to_owned(), Part)));
    assert_eq!(kinds[0], Some(("50.00".to_owned(), Part)));
    assert_eq!(kinds[3], Some(("5.00".to_owned(), Part)));
    assert_eq!(kinds[1], None, "35.00 is left and nothing says that 40.00 is for it");
}

#[test]
fn tax_deducted_by_contractors_is_seen() {
    let list =
        [invoice("K-204", "Bardsley Construction Ltd", "4120"), invoice("K-207", "Bardsley Construction Ltd", "1980")];
    let kind = |text, amount| {
        let paid = answers(&[line(text, amount, 0)], &list);
        links(paid[0].as_ref(), &list).into_iter().map(|link| (link.0, link.1, link.2)).next()
    };
    assert_eq!(kind("BARDSLEY CONSTR K-204 LESS CIS", "3296"), Some(("K-204", "4,120.00".to_owned(), CisDeduction)));
    assert_eq!(kind("BARDSLEY CONSTR K204", "2884"), Some(("K-204", "4,120.00".to_owned(), CisDeduction)), "30 %");
    assert_eq!(kind("BARDSLEY CONSTR LESS CIS", "1584").map(|link| link.0), Some("K-207"));
    assert_eq!(kind("BARDSLEY CONSTR K207", "1650").map(|link| link.2), Some(CisDeduction), "20 % of the net amount");
    assert_eq!(
        kind("BARDSLEY CONSTR K207 LESS CIS 200", "1780").map(|link| link.2),
        Some(CisDeduction),
        "of the labour"
    );
    assert_eq!(kind("BARDSLEY CONSTR K204 K207 LESS CIS", "4880").map(|link| link.2), Some(CisDeduction));
    assert_eq!(kind("SOMEBODY LESS CIS", "3296"), None);
    let batch = Batch { transactions: vec![line("BARDSLEY CONSTR", "4880", 0)], ..Batch::default() };
    let (lines, _) = Line::read_all(&batch);
    let told =
        settle_in_context(&lines, &list, "Sub-contractor under CIS, gross status pending.", &Unattended).unwrap();
    assert_eq!(told[0].as_ref().unwrap().settled.len(), 2);
}

#[test]
fn fees_and_other_currencies_make_a_payment_short() {
    let mut list = [invoice("PI-1011", "De Fietsvrienden Utrecht", "560"), invoice("QR-121", "Pebblr Inc", "2500")];
    list[1].currency = Some(Cow::from("USD"));
    let paid = answers(
        &[line("DE FIETSVRIENDEN PI-1011 LESS CHGS", "554", 0), line("WISE PEBBLR INC QR121", "1931.77", 0)],
        &list,
    );
    assert_eq!(links(paid[0].as_ref(), &list), [("PI-1011", "560.00".to_owned(), FeeDeducted)]);
    assert_eq!(links(paid[1].as_ref(), &list), [("QR-121", "2,500.00".to_owned(), FeeDeducted)]);
    assert_eq!(one("STRIPE DE FIETSVRIENDEN UTRECHT", "549", &list[..1]), "PI-1011");
    assert_eq!(one("DE FIETSVRIENDEN UTRECHT", "540", &list[..1]), "", "4 % less and nobody says why");
    assert_eq!(one("PEBBLR INC", "1931.77", &list), "");
}

#[test]
fn a_little_too_much_needs_the_number() {
    let list = [invoice("PI-1011", "De Fietsvrienden", "560")];
    assert_eq!(one("DE FIETSVRIENDEN PI-1011", "561", &list), "PI-1011");
    assert_eq!(one("DE FIETSVRIENDEN PI-1011", "620", &list), "");
    assert_eq!(one("DE FIETSVRIENDEN", "561", &list), "");
}

#[test]
fn equal_invoices_are_paid_oldest_first() {
    let mut list = [
        invoice("R-3", "Kutz Barbers", "700"),
        invoice("R-1", "Kutz Barbers", "700"),
        invoice("R-2", "Kutz Barbers", "700"),
    ];
    for (place, due) in [(0, 40), (1, -20), (2, 10)] {
        list[place].due_date = Some(START + due);
    }
    let lines = [
        line("KUTZ BARBERS", "700", 30),
        line("KUTZ BARBERS", "700", 1),
        line("KUTZ BARBERS R-2", "700", 2),
        line("KUTZ BARBERS", "700", 60),
    ];
    assert_eq!(numbers(&lines, &list), ["R-3", "R-1", "R-2", ""]);
}

#[test]
fn a_bare_number_is_no_invoice_of_a_stranger() {
    let list = [bill("77120", "Severn Refrigeration", "294"), invoice("FA-71", "Whitley Surgery", "1350")];
    assert_eq!(one("VIS UNKNOWN MERCHANT REF 77120", "-14.20", &list), "");
    assert_eq!(one("LLOYDS BANK LOAN 77120 DD", "-196.43", &list), "");
    assert_eq!(one("FLAT 71 RENT", "1350", &list), "");
    assert_eq!(one("WHITLEY SURGERY 71", "1350", &list), "FA-71");
}

#[test]
fn which_of_two_contacts_is_meant_is_left_to_a_person() {
    let list = [invoice("INV-0009", "Dalton & Sons Ltd", "600"), invoice("INV-0010", "Dalton Estates LLP", "600")];
    let doubtful = |lines: &[Transaction<'_>]| -> Vec<Option<bool>> {
        let batch = Batch { transactions: lines.to_vec(), ..Batch::default() };
        let (lines, _) = Line::read_all(&batch);
        let settled = settle(&lines, &list, &Unattended).unwrap();
        settled.into_iter().map(|settlement| settlement.map(|settlement| settlement.is_doubtful)).collect()
    };
    assert_eq!(doubtful(&[line("FPI DALTON", "600", 0)]), [Some(true)]);
    assert_eq!(doubtful(&[line("FPI DALTON ESTATES", "600", 0)]), [Some(false)]);
    assert_eq!(doubtful(&[line("FPI DALTON INV-0010", "600", 0)]), [Some(false)]);
    // Once one of them is told apart, the other line can only mean the other.
    let both = [line("FPI DALTON", "600", 0), line("FPI DALTON AND SONS", "600", 5)];
    assert_eq!(doubtful(&both), [Some(false), Some(false)]);
    assert_eq!(numbers(&both, &list), ["INV-0010", "INV-0009"]);
}

#[test]
fn a_run_that_nobody_wants_stops() {
    struct Cancelled;
    impl Control for Cancelled {
        fn is_cancelled(&self) -> bool {
            true
        }
        fn progress(&self, _rows_done: u64) {}
    }
    let batch = Batch { transactions: vec![line("ACME", "1", 0)], ..Batch::default() };
    let (lines, _) = Line::read_all(&batch);
    assert_eq!(settle(&lines, &[invoice("1", "Acme", "1")], &Cancelled), Err(Stopped));
    assert_eq!(settle(&lines, &[], &Unattended), Ok(vec![None]));
}

#[test]
fn remarks_name_numbers_amounts_and_what_is_missing() {
    let list =
        [invoice("K-204", "Bardsley Construction Ltd", "4120"), invoice("K-205", "Bardsley Construction Ltd", "10")];
    let remark = |text, amount| answers(&[line(text, amount, 0)], &list).remove(0).unwrap().remark;
    assert_eq!(
        remark("BARDSLEY CONSTR K-204 LESS CIS", "3296"),
        "settles invoice K-204 (4,120.00) of Bardsley Construction Ltd, less 824.00 (20 %) deducted under CIS; number and \
         name are in the line"
    );
    assert_eq!(
        remark("BARDSLEY CONSTR", "4130"),
        "settles invoice K-204 (4,120.00) and K-205 (10.00) of Bardsley Construction Ltd; the name is in the line and the \
         amount fits"
    );
    assert_eq!(
        Sum.as_str(),
        links(answers(&[line("BARDSLEY CONSTR", "4130", 0)], &list)[0].as_ref(), &list)[0].2.as_str()
    );
    assert_eq!(Exact, links(answers(&[line("BARDSLEY CONSTR", "10", 0)], &list)[0].as_ref(), &list)[0].2);
}

#[test]
fn the_only_item_of_an_odd_amount_needs_less_of_the_name() {
    let list = [bill("0377", "Coldbrook Refrigeration", "342"), invoice("204", "Crossed Keys Inn", "187.50")];
    let settles = |text: &str, amount: &str, list: &[Invoice<'_>]| answers(&[line(text, amount, 0)], list)[0].is_some();
    assert!(settles("CROSSED KEYS LAMB", "187.50", &list));
    // The word that the name begins with where the line begins with it and names nothing else; beside pence its initials.
    assert!(settles("COLDBROOK TRADING LTD ACC PEN004", "-342", &list));
    assert!(settles("COLDBROOK REFRIG REF 2210", "-342", &list));
    assert!(!settles("COLDBROOK FRIDGE REPAIR", "-342", &list));
    let supplies = [bill("88", "National Veterinary Supplies", "842.16"), bill("89", "Ludlow Timber", "613.20")];
    assert!(settles("NVS JAN STATEMENT DD", "-842.16", &supplies));
    // Not where it stands elsewhere, is a town's, or the amount is round; nor another amount, or one that two owe.
    assert!(!settles("HARLAND COLDBROOK", "-342", &list));
    assert!(!settles("LUDLOW GARAGE", "-613.20", &supplies));
    let round = [bill("0377", "Coldbrook Refrigeration", "340"), bill("90", "North Vale Seeds", "842")];
    assert!(!settles("COLDBROOK TRADING LTD", "-340", &round));
    assert!(!settles("NVS JAN STATEMENT DD", "-842", &round));
    assert!(!settles("CROSSED KEYS LAMB", "187.40", &list));
    let two = [invoice("204", "Crossed Keys Inn", "187.50"), invoice("9", "Harwick Steel", "187.50")];
    assert!(!settles("CROSSED KEYS LAMB", "187.50", &two));
    let couple = [invoice("1035", "Chloe Barrowclough & Sam Dyer", "1650")];
    assert!(settles("BARROWCLOUGH C WEDDING", "1650", &couple));
    assert!(!settles("BARROWCLOUGH T WEDDING", "1650", &couple));
    // Either of them pays, whoever is named first.
    assert!(settles("SAM DYER", "1650", &couple));
    assert!(settles("DYER S wedding 30 aug", "1650", &couple));
    assert!(!settles("DYER T wedding 30 aug", "1650", &couple));
    // Partners of a firm are no couple.
    let firm = [invoice("1036", "Barrowclough & Dyer", "1650")];
    assert!(!settles("SAM DYER", "1650", &firm));
}

#[test]
fn payments_that_together_come_to_the_only_open_item_pay_it_in_parts() {
    let invoices = [invoice("F-31", "Mrs J Oldham", "2340.00"), invoice("F-32", "Harker & Co", "500.00")];
    let paid = [line("OLDHAM J GARAGE ROOF", "1340.00", 0), line("MRS JEAN OLDHAM REST", "1000.00", 9)];
    assert_eq!(numbers(&paid, &invoices), ["F-31", "F-31"]);
    let remarks = answers(&paid, &invoices).into_iter().map(|answer| answer.unwrap().remark);
    for (remark, left) in remarks.zip(["1,000.00 stays open", "nothing stays open"]) {
        assert!(remark.contains(left), "{remark}");
    }
    // A penny less is no sum, and what two sets come to is nobody's.
    let short = [line("OLDHAM J GARAGE ROOF", "1340.00", 0), line("MRS JEAN OLDHAM REST", "999.99", 9)];
    assert_eq!(numbers(&short, &invoices), ["", ""]);
    let open = [paid[0].clone(), paid[1].clone(), line("OLDHAM J GUTTER", "1000.00", 11)];
    assert_eq!(numbers(&open, &invoices), ["", "", ""]);
    // With another item open the parts may be of either.
    let several = [invoices[0].clone(), invoice("F-33", "Mrs J Oldham", "610.00")];
    assert_eq!(numbers(&paid, &several), ["", ""]);
}

#[test]
fn equal_payments_that_go_into_the_only_open_item_pay_it_in_parts() {
    let demand = [invoice("D25B-02", "Flat 2 - Mr P Osgood", "780.00")];
    let month = |amount, date| line("P OSGOOD FLAT 2 LODGE", amount, date);
    assert_eq!(numbers(&[month("130", 0), month("130", 31), month("130", 61)], &demand), ["D25B-02"; 3]);
    let remarks =
        answers(&[month("130", 0), month("130", 31)], &demand).into_iter().map(|answer| answer.unwrap().remark);
    for (remark, left) in remarks.zip(["650.00 stays open", "520.00 stays open"]) {
        assert!(remark.contains(left), "{remark}");
    }
    // One payment says nothing of others, 140 does not go into 780, and thirteen parts are none of a year's.
    assert_eq!(numbers(&[month("130", 0)], &demand), [""]);
    assert_eq!(numbers(&[month("140", 0), month("140", 31)], &demand), ["", ""]);
    assert_eq!(numbers(&[month("60", 0), month("60", 31)], &demand), ["", ""]);
    // Two amounts that both go into it may be for two things.
    let mixed = [month("130", 0), month("130", 31), month("78", 3), month("78", 33)];
    assert_eq!(numbers(&mixed, &demand), [""; 4]);
    // With another item open they may be parts of either.
    let several = [demand[0].clone(), invoice("D25A-02", "Flat 2 - Mr P Osgood", "390.00")];
    assert_eq!(numbers(&[month("130", 0), month("130", 31)], &several), ["", ""]);
}

//! The VAT return over HTTP: under each scheme, with figures worked by hand.

use serde_json::{Value, json};

use super::Books;
use super::cases::Case;
use super::figures::pence;
use super::trade::{fields, refusal};
use crate::support::database::{Database, on_both_databases};

const BOXES: [&str; 9] = ["box1", "box2", "box3", "box4", "box5", "box6", "box7", "box8", "box9"];

impl Books {
    /// The VAT return of a period.
    #[track_caller]
    pub fn vat_return(&self, first: &str, last: &str) -> Value {
        self.get(&format!("/reports/vat-return?period_start={first}&period_end={last}&detail=true"))["data"].clone()
    }

    /// Boxes 1, 4, 6 and 7 of a period in pence; every box and line of it must tie.
    #[track_caller]
    pub fn boxes(&self, first: &str, last: &str) -> [i64; 4] {
        let found = self.vat_return(first, last);
        assert_ties(&found);
        ["box1", "box4", "box6", "box7"].map(|name| pence(&found[name]))
    }

    /// Registers for VAT under a scheme from the start of 2024.
    #[track_caller]
    pub fn registered(&self, scheme: &str, percent: Value) {
        let body = json!({
            "vat_registered": true, "vat_scheme": scheme, "vat_scheme_from": "2024-01-01", "flat_rate_percent": percent
        });
        self.request("PATCH", "").json(&body).send().expect(200);
    }

    /// Goes over to another scheme.
    #[track_caller]
    pub fn goes_over(&self, scheme: &str, percent: Value, from: &str) {
        let body = json!({ "vat_scheme": scheme, "vat_scheme_from": from, "flat_rate_percent": percent });
        self.request("PATCH", "").json(&body).send().expect(200);
    }
}

/// Everything in a return that follows from something else in it.
#[track_caller]
pub fn assert_ties(found: &Value) {
    let of = |name: &str| pence(&found[name]);
    assert_eq!(of("box3"), of("box1") + of("box2"));
    assert_eq!(of("net_vat"), of("box3") - of("box4"));
    assert_eq!(of("box5"), of("net_vat").abs());
    let word = match of("net_vat") {
        0 => "nil",
        net if net > 0 => "payable",
        _ => "reclaimable",
    };
    assert_eq!(found["direction"], word);
    // Each box is the sum of its entries and adjustments.
    let mut sums = [0; 10];
    let mut by_code = std::collections::BTreeMap::new();
    let mut turnover = 0;
    let mut charged = 0;
    for entry in found["entries"].as_array().unwrap() {
        let (net, vat) = (pence(&entry["net_amount"]), pence(&entry["vat_amount"]));
        let is_turnover = entry["basis"] == "flat_rate" && entry["side"] == "output";
        if is_turnover {
            turnover += net + vat;
            charged += vat;
        }
        for number in entry["boxes"].as_array().unwrap() {
            sums[usize::try_from(number.as_i64().unwrap()).unwrap()] += match number.as_i64().unwrap() {
                1 if is_turnover => 0,
                1 | 4 => vat,
                6 if is_turnover => net + vat,
                _ => net,
            };
        }
        let key = ["side", "vat_code", "basis"].map(|name| entry[name].as_str().unwrap().to_owned());
        let sum: &mut (i64, i64, i64) = by_code.entry(key).or_default();
        *sum = (sum.0 + net, sum.1 + vat, sum.2 + 1);
    }
    let mut shown = std::collections::BTreeMap::new();
    for row in found["by_code"].as_array().unwrap() {
        let key = ["side", "vat_code", "basis"].map(|name| row[name].as_str().unwrap().to_owned());
        let sum: &mut (i64, i64, i64) = shown.entry(key).or_default();
        *sum = (
            sum.0 + pence(&row["net_amount"]),
            sum.1 + pence(&row["vat_amount"]),
            sum.2 + row["count"].as_i64().unwrap(),
        );
    }
    assert_eq!(shown, by_code);
    for adjustment in found["adjustments"].as_array().unwrap() {
        sums[usize::try_from(adjustment["box"].as_i64().unwrap()).unwrap()] += pence(&adjustment["amount"]);
    }
    if found["flat_rate"].is_object() {
        let flat = &found["flat_rate"];
        assert_eq!((pence(&flat["turnover"]), pence(&flat["surplus"])), (turnover, charged - pence(&flat["vat"])));
        sums[1] += pence(&flat["vat"]);
    } else {
        assert_eq!(turnover, 0);
    }
    for number in [1, 2, 4, 6, 7, 8, 9] {
        assert_eq!(of(BOXES[number - 1]), sums[number], "box {number} of {found}");
    }
    assert_sent(found);
}

/// The object that is sent is the boxes, with what came late where that goes into the return.
#[track_caller]
fn assert_sent(found: &Value) {
    let late = |name: &str| if found["late"]["method"] == "next_return" { pence(&found["late"][name]) } else { 0 };
    let with_late = |name: &str| pence(&found[name]) + late(name);
    let (due, reclaimed) = (with_late("box1") + with_late("box2"), with_late("box4"));
    let hmrc = &found["hmrc"];
    let sent = ["vatDueSales", "vatDueAcquisitions", "totalVatDue", "vatReclaimedCurrPeriod", "netVatDue"];
    assert_eq!(
        sent.map(|name| pence(&hmrc[name])),
        [with_late("box1"), with_late("box2"), due, reclaimed, (due - reclaimed).abs()]
    );
    let whole =
        ["totalValueSalesExVAT", "totalValuePurchasesExVAT", "totalValueGoodsSuppliedExVAT", "totalAcquisitionsExVAT"];
    for (name, of) in whole.into_iter().zip(["box6", "box7", "box8", "box9"]) {
        assert_eq!(hmrc[name].as_i64(), Some(with_late(of) / 100), "{name}");
    }
    assert_eq!(hmrc.as_object().unwrap().len(), 9);
    assert_eq!(pence(&found["late"]["net_vat"]), late_net(found));
}

fn late_net(found: &Value) -> i64 {
    let late = |name: &str| pence(&found["late"][name]);
    late("box1") + late("box2") - late("box4")
}

fn case(database: &Database, scheme: &str, percent: Value) -> Case {
    let case = Case::on(database);
    case.registered(scheme, percent);
    case
}

const FIRST: (&str, &str) = ("2025-07-01", "2025-09-30");
const SECOND: (&str, &str) = ("2025-10-01", "2025-12-31");

on_both_databases! {
    fn the_standard_scheme_counts_by_the_dates_of_documents(database) {
        let case = case(&database, "standard", Value::Null);
        let lines = [case.line("4000", "10.03", "ST"), case.line("4000", "10.03", "ST"), case.line("4000", "10.03", "ST"),
            case.line("4000", "0.70", "RR"), case.line("4000", "100", "ZR"), case.line("4000", "50", "EX"), case.line("4000", "7", "NV")];
        let sale = case.made("/sales-invoices", &case.sale("2025-09-30", &lines));
        let bill = case.made("/purchase-invoices", &case.bill("2025-07-01", &[case.line("5000", "200", "ST"), case.line("5000", "5", "NV")]));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [607, 4000, 18_079, 20_000]);
        assert_eq!(case.boxes(SECOND.0, SECOND.1), [0; 4]);
        let found = case.vat_return(FIRST.0, FIRST.1);
        assert_eq!(
            fields(&found, &["report", "scheme", "due_date", "direction", "flat_rate", "recorded", "basis", "period_start", "period_end"]),
            json!(["vat-return", "standard", "2025-11-07", "reclaimable", null, null, "accrual", FIRST.0, FIRST.1])
        );
        assert_eq!(found["by_code"][0], json!({
            "side": "output", "vat_code": "ST", "basis": "standard", "reverse_charge": null, "net_amount": 30.09, "vat_amount": 6.03, "count": 3
        }));
        assert_eq!(found["entries"][0], json!({
            "id": found["entries"][0]["id"], "date": "2025-07-01", "side": "input", "vat_code": "ST", "basis": "standard",
            "net_amount": 200.0, "vat_amount": 40.0, "boxes": [4, 7], "document_type": "purchase_invoice", "document_id": bill["id"],
            "number": "BILL-00001", "journal_id": bill["journal_id"], "contact_id": case.supplier, "settlement_id": null
        }));
        assert!(case.get("/reports/vat-return?period_start=2025-07-01&period_end=2025-09-30")["data"].get("entries").is_none());
        // Voided later, it corrects the later return.
        case.done(&format!("/sales-invoices/{}/void", sale["id"]), &json!({ "void_date": "2025-10-01" }));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [607, 4000, 18_079, 20_000]);
        assert_eq!(case.boxes(SECOND.0, SECOND.1), [-607, 0, -18_079, 0]);
        assert_eq!(case.boxes("2025-07-01", "2025-12-31"), [0, 4000, 0, 20_000]);
    }

    fn bank_lines_and_journals_count_at_their_dates(database) {
        let case = case(&database, "cash", Value::Null);
        let row = case.row("2025-08-10", "-12.00");
        let coded = json!({ "account_id": case.account_id("7200"), "vat_code": "ST" });
        let confirmed = case.confirm(&row, &coded).expect(200)["data"].clone();
        let refund = case.row("2025-08-11", "2.40");
        case.confirm(&refund, &coded).expect(200);
        // Money to VAT Control is in no box.
        let paid = case.row("2025-08-12", "-99.00");
        case.confirm(&paid, &json!({ "account_id": case.account_id("2200"), "vat_code": "NV" })).expect(200);
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [0, 160, 0, 800]);
        let entry = case.vat_return(FIRST.0, FIRST.1)["entries"][0].clone();
        assert_eq!(
            fields(&entry, &["document_type", "document_id", "journal_id", "basis", "net_amount", "vat_amount"]),
            json!(["bank_transaction", null, confirmed["journal_id"], "cash", 10.0, 2.0])
        );
    }

    fn cash_accounting_counts_what_is_paid_and_the_last_payment_completes_it(database) {
        let case = case(&database, "cash", Value::Null);
        let sale = case.made("/sales-invoices", &case.sale("2025-07-05", &[case.line("4000", "100.01", "ST")]));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [0; 4]);
        let first = case.receipt("2025-08-01", "40.00", &[(&sale, "40.00")]);
        case.receipt("2025-09-30", "40.00", &[(&sale, "40.00")]);
        let last = case.receipt("2025-10-01", "50.00", &[(&sale, "40.01")]);
        assert_eq!(case.boxes("2025-08-01", "2025-08-31"), [667, 0, 3333, 0]);
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [667 + 666, 0, 3333 + 3334, 0]);
        assert_eq!(case.boxes(SECOND.0, SECOND.1), [667, 0, 3334, 0]);
        let found = case.vat_return(FIRST.0, FIRST.1);
        assert_eq!(
            fields(&found["entries"][0], &["date", "document_id", "settlement_id", "journal_id", "basis", "boxes"]),
            json!(["2025-08-01", sale["id"], first["id"], first["journal_id"], "cash", [1, 6]])
        );
        assert_eq!(found["warnings"], json!([]));
        // What is left of a receipt is told, from its day on, until it is set against something.
        let warned = case.vat_return(SECOND.0, SECOND.1)["warnings"].clone();
        assert_eq!(fields(&warned[0], &["code", "amount", "ids"]), json!(["unallocated_receipts", 9.99, [last["id"]]]));
        assert_eq!(warned.as_array().unwrap().len(), 1);
    }

    fn a_credit_note_against_an_unpaid_invoice_moves_nothing(database) {
        let case = case(&database, "cash", Value::Null);
        let sale = case.made("/sales-invoices", &case.sale("2025-07-05", &[case.line("4000", "100", "ST")]));
        let note = case.made("/sales-credit-notes", &json!({
            "customer_id": case.customer, "credit_note_date": "2025-07-06", "invoice_id": sale["id"], "lines": [case.line("4000", "40", "ST")]
        }));
        case.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": [{ "invoice_id": sale["id"], "amount": "48.00" }] }));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [0; 4]);
        case.receipt("2025-08-01", "72.00", &[(&sale, "72.00")]);
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [1200, 0, 6000, 0]);
    }

    fn the_flat_rate_takes_its_percentage_of_the_turnover_once(database) {
        let case = case(&database, "flat_rate", json!(9.5));
        case.made("/sales-invoices", &case.sale("2025-07-05", &[
            case.line("4000", "10000", "ST"), case.line("4000", "400", "EX"), case.line("4000", "33", "ZR"), case.line("4000", "9", "NV"),
        ]));
        case.made("/purchase-invoices", &case.bill("2025-07-06", &[case.line("5000", "500", "ST")]));
        // Below £2,000 capital goods are not reclaimed either.
        case.made("/purchase-invoices", &case.bill("2025-07-06", &[case.line("0040", "1666.66", "ST")]));
        case.made("/purchase-invoices", &case.bill("2025-07-06", &[case.line("0040", "1666.67", "ST")]));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [118_114, 33_333, 1_243_300, 166_667]);
        let found = case.vat_return(FIRST.0, FIRST.1);
        assert_eq!(found["flat_rate"], json!({ "percent": 9.5, "turnover": 12433.0, "vat": 1181.14, "surplus": 818.86 }));
        assert_eq!(found["scheme"], "flat_rate");
        assert_eq!(case.vat_return(SECOND.0, SECOND.1)["flat_rate"], json!({ "percent": 9.5, "turnover": 0.0, "vat": 0.0, "surplus": 0.0 }));
    }

    fn another_percentage_within_a_period_is_rounded_once_a_stretch(database) {
        let case = case(&database, "flat_rate", json!(9.5));
        case.goes_over("flat_rate", json!(12), "2025-08-17");
        for (date, net) in [("2025-08-16", "100.01"), ("2025-08-17", "100.01"), ("2025-08-01", "0.10"), ("2025-09-30", "33.33")] {
            case.made("/sales-invoices", &case.sale(date, &[case.line("4000", net, "ZR")]));
        }
        // 9.5 % of 100.11 and 12 % of 133.34.
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [951 + 1600, 0, 23_345, 0]);
        assert_eq!(case.vat_return(FIRST.0, FIRST.1)["flat_rate"]["percent"], 12.0);
        assert_eq!(case.boxes("2025-07-01", "2025-08-16"), [951, 0, 10_011, 0]);
        assert_eq!(case.boxes("2025-08-17", "2025-08-17"), [1200, 0, 10_001, 0]);
    }

    fn the_turnover_of_the_flat_rate_may_count_when_it_is_paid(database) {
        let case = Case::on(&database);
        let body = json!({
            "vat_registered": true, "vat_scheme": "flat_rate", "vat_scheme_from": "2024-01-01", "flat_rate_percent": 10,
            "flat_rate_basis": "cash"
        });
        let changed = case.request("PATCH", "").json(&body).send().expect(200);
        assert_eq!(changed["data"]["flat_rate_basis"], "cash");
        let sale = case.made("/sales-invoices", &case.sale("2025-07-05", &[
            case.line("4000", "100.01", "ST"), case.line("4000", "60", "EX"), case.line("4000", "10", "NV"),
        ]));
        assert_eq!(sale["vat_basis"], "flat_rate_cash");
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [0; 4]);
        // A third of 190.01, of which 180.01 is turnover.
        case.receipt("2025-08-01", "63.34", &[(&sale, "63.34")]);
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [600, 0, 6001, 0]);
        let found = case.vat_return(FIRST.0, FIRST.1);
        assert_eq!(fields(&found["by_code"][0], &["basis", "vat_code", "net_amount", "vat_amount"]), json!(["flat_rate", "ST", 33.34, 6.67]));
        case.receipt("2025-10-01", "126.67", &[(&sale, "126.67")]);
        assert_eq!(case.boxes(SECOND.0, SECOND.1), [1200, 0, 12_000, 0]);
        assert_eq!(case.boxes("2025-07-01", "2025-12-31"), [1800, 0, 18_001, 0]);
        // What is bought is no turnover: capital goods are reclaimed at their date, the rest never.
        let van = case.made("/purchase-invoices", &case.bill("2025-07-06", &[case.line("0040", "2000", "ST"), case.line("5000", "10", "ST")]));
        assert_eq!(van["vat_basis"], "flat_rate");
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [600, 40_000, 6001, 200_000]);
        // An asset whose input tax was reclaimed is sold outside the turnover, at once.
        let mut asset = case.line("0040", "500", "ST");
        asset["vat_basis"] = json!("standard");
        let sold = case.made("/sales-invoices", &case.sale("2025-12-01", &[asset, case.line("4000", "50", "ST")]));
        assert_eq!(case.boxes("2025-12-01", "2025-12-31"), [10_000, 0, 50_000, 0]);
        case.receipt("2025-12-31", "330", &[(&sold, "330")]);
        assert_eq!(case.boxes("2025-12-31", "2025-12-31"), [300, 0, 3000, 0]);
        case.receipt("2026-01-01", "330", &[(&sold, "330")]);
        assert_eq!(case.boxes("2026-01-01", "2026-03-31"), [300, 0, 3000, 0]);
        // Bank lines are money.
        let row = case.row("2026-01-10", "24.00");
        case.confirm(&row, &json!({ "account_id": case.account_id("4000"), "vat_code": "ST" })).expect(200);
        assert_eq!(case.boxes("2026-01-10", "2026-01-10"), [240, 0, 2400, 0]);
    }

    fn another_turnover_begins_with_a_period_in_which_nothing_is_posted(database) {
        let case = case(&database, "flat_rate", json!(10));
        let before = case.made("/sales-invoices", &case.sale("2025-09-30", &[case.line("4000", "100", "ST")]));
        let change = |from: Value| {
            let mut body = json!({ "flat_rate_basis": "cash" });
            if !from.is_null() {
                body["vat_scheme_from"] = from;
            }
            case.request("PATCH", "").json(&body).send()
        };
        assert_eq!(change(Value::Null).status, 422);
        assert_eq!(change(json!("2025-10-02")).status, 422);
        assert_eq!(refusal(&change(json!("2025-07-01"))), json!({ "reason": "vat_already_posted", "date": "2025-09-30", "journal_id": before["journal_id"] }));
        change(json!("2025-10-01")).expect(200);
        let after = case.made("/sales-invoices", &case.sale("2025-10-01", &[case.line("4000", "100", "ST")]));
        assert_eq!((&before["vat_basis"], &after["vat_basis"]), (&json!("flat_rate"), &json!("flat_rate_cash")));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [1200, 0, 12_000, 0]);
        case.receipt("2025-10-05", "180", &[(&before, "120"), (&after, "60")]);
        assert_eq!(case.boxes(SECOND.0, SECOND.1), [600, 0, 6000, 0]);
        // What was turnover stays it after the flat rate, at its last percentage.
        case.goes_over("standard", Value::Null, "2026-01-01");
        case.receipt("2026-01-05", "60", &[(&after, "60")]);
        assert_eq!(case.boxes("2026-01-01", "2026-03-31"), [600, 0, 6000, 0]);
        assert_eq!(case.vat_return("2026-01-01", "2026-03-31")["flat_rate"], json!({ "percent": 10.0, "turnover": 60.0, "vat": 6.0, "surplus": 4.0 }));
    }

    fn between_any_two_schemes_a_document_keeps_its_own(database) {
        const SCHEMES: [(&str, Option<f64>); 3] = [("standard", None), ("cash", None), ("flat_rate", Some(10.0))];
        for (from, from_percent) in SCHEMES {
            for (to, to_percent) in SCHEMES.into_iter().filter(|(to, _)| *to != from) {
                let case = case(&database, from, json!(from_percent));
                let sale = case.made("/sales-invoices", &case.sale("2025-09-10", &[case.line("4000", "100", "ST")]));
                let bill = case.made("/purchase-invoices", &case.bill("2025-09-11", &[case.line("5000", "50", "ST")]));
                case.receipt("2025-09-20", "30", &[(&sale, "30")]);
                case.goes_over(to, json!(to_percent), "2025-10-01");
                case.receipt("2025-10-20", "90", &[(&sale, "90")]);
                case.payment(case.supplier, "2025-10-21", "60", &[(&bill, "60")]);
                let later = case.made("/sales-invoices", &case.sale("2025-10-22", &[case.line("4000", "200", "ST")]));
                case.receipt("2025-10-23", "120", &[(&later, "120")]);
                let (first, second) = (case.boxes(FIRST.0, FIRST.1), case.boxes(SECOND.0, SECOND.1));
                let of_first = match from {
                    "standard" => ([2000, 1000, 10_000, 5000], [0; 4]),
                    "cash" => ([500, 0, 2500, 0], [1500, 1000, 7500, 5000]),
                    _ => ([1200, 0, 12_000, 0], [0; 4]),
                };
                let of_later = match to {
                    "standard" => [4000, 0, 20_000, 0],
                    "cash" => [2000, 0, 10_000, 0],
                    _ => [2400, 0, 24_000, 0],
                };
                let expected: Vec<i64> = of_first.1.iter().zip(of_later).map(|(one, other)| one + other).collect();
                assert_eq!((first, second.to_vec()), (of_first.0, expected), "from {from} to {to}");
                assert_eq!(case.vat_return(SECOND.0, SECOND.1)["scheme"], to);
            }
        }
    }

    fn what_waits_six_months_after_cash_accounting_is_told(database) {
        let case = case(&database, "cash", Value::Null);
        let sale = case.made("/sales-invoices", &case.sale("2025-05-10", &[case.line("4000", "100", "ST")]));
        let bill = case.made("/purchase-invoices", &case.bill("2025-05-11", &[case.line("5000", "50", "ST")]));
        let paid = case.made("/sales-invoices", &case.sale("2025-05-12", &[case.line("4000", "100", "ST")]));
        case.receipt("2025-05-20", "30", &[(&sale, "30")]);
        case.receipt("2025-05-21", "120", &[(&paid, "120")]);
        let note = case.made("/sales-credit-notes", &json!({
            "customer_id": case.customer, "credit_note_date": "2025-05-22", "invoice_id": sale["id"], "lines": [case.line("4000", "20", "ST")]
        }));
        case.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": [{ "invoice_id": sale["id"], "amount": "24.00" }] }));
        case.goes_over("standard", Value::Null, "2025-07-01");
        let later = case.made("/sales-invoices", &case.sale("2025-07-05", &[case.line("4000", "100", "ST")]));
        let warned = |first: &str, last: &str| case.vat_return(first, last)["warnings"].clone();
        assert_eq!(warned("2025-07-01", "2025-12-29"), json!([]));
        // The last day under it was 30 June.
        assert_ne!(warned("2025-07-01", "2025-12-31"), json!([]));
        // 16.00 less 5.00 (30.00 of 96.00) is due, 10.00 may be reclaimed.
        let found = warned("2025-10-01", "2026-01-01");
        assert_eq!(fields(&found[0], &["code", "amount", "ids"]), json!(["cash_scheme_overdue", 1.0, [sale["id"], bill["id"]]]));
        case.payment(case.supplier, "2026-01-02", "60", &[(&bill, "60")]);
        assert_eq!(warned("2026-01-01", "2026-01-02")[0]["ids"], json!([sale["id"]]));
        assert_eq!(warned("2025-10-01", "2026-01-01"), found);
        assert_eq!(later["vat_basis"], "standard");
        // Under cash accounting again nothing is overdue.
        case.goes_over("cash", Value::Null, "2026-04-01");
        assert_eq!(warned("2026-04-01", "2026-04-01"), json!([]));
    }

    fn adjustments_and_their_voids_are_in_the_boxes_and_listed(database) {
        let case = case(&database, "standard", Value::Null);
        let made = case.made("/vat-adjustments", &json!({
            "date": "2025-09-30", "reason": "fuel_scale_charge", "description": "Car", "account_code": "7400",
            "entries": [{ "box": 1, "amount": 61.17 }, { "box": 6, "amount": 305.83 }, { "box": 2, "amount": 1 }, { "box": 8, "amount": 7.99 }, { "box": 9, "amount": -3.5 }]
        }));
        assert_eq!(case.boxes(FIRST.0, FIRST.1), [6117, 0, 30_583, 0]);
        let found = case.vat_return(FIRST.0, FIRST.1);
        assert_eq!(found["adjustments"][0], json!({ "id": made["id"], "date": "2025-09-30", "reason": "fuel_scale_charge", "box": 1, "amount": 61.17 }));
        assert_eq!(fields(&found, &["box2", "box3", "box5", "box8", "box9"]), json!([1.0, 62.17, 62.17, 7.99, -3.5]));
        assert_eq!(fields(&found["hmrc"], &["totalValueGoodsSuppliedExVAT", "totalAcquisitionsExVAT", "totalValueSalesExVAT"]), json!([7, -3, 305]));
        case.done(&format!("/vat-adjustments/{}/void", made["id"]), &json!({ "void_date": "2025-10-01" }));
        assert_eq!(case.vat_return(FIRST.0, FIRST.1)["adjustments"], found["adjustments"]);
        let later = case.vat_return(SECOND.0, SECOND.1);
        assert_ties(&later);
        assert_eq!(fields(&later, &["box1", "box6", "net_vat", "direction"]), json!([-61.17, -305.83, -62.17, "reclaimable"]));
        assert_eq!(fields(&later["hmrc"], &["vatDueSales", "netVatDue"]), json!([-61.17, 62.17]));
        assert_eq!(later["adjustments"].as_array().unwrap().len(), 5);
        assert_eq!(case.vat_return(FIRST.0, SECOND.1)["direction"], "nil");
    }

    fn dates_that_are_no_period_have_no_due_date(database) {
        let case = Case::on(&database);
        let due = |first: &str, last: &str| case.vat_return(first, last)["due_date"].clone();
        // Who is not registered has no periods; the figures are there all the same.
        case.made("/sales-invoices", &case.sale("2025-09-10", &[case.line("4000", "100", "ST")]));
        assert_eq!((due(FIRST.0, FIRST.1), case.boxes(FIRST.0, FIRST.1)), (Value::Null, [2000, 0, 10_000, 0]));
        let scheme = |last: &str| case.vat_return("2025-09-01", last)["scheme"].clone();
        assert_eq!(scheme("2025-09-30"), Value::Null);
        case.request("PATCH", "").json(&json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2025-10-01", "vat_number": "XI123456789", "vat_period_end_month": 2 })).send().expect(200);
        assert_eq!((due(FIRST.0, FIRST.1), case.boxes(FIRST.0, FIRST.1)), (Value::Null, [2000, 0, 10_000, 0]));
        assert_eq!((scheme("2025-09-30"), scheme("2025-10-01")), (Value::Null, json!("standard")));
        assert_eq!(due("2025-12-01", "2026-02-28"), "2026-04-07");
        assert_eq!(due("2023-12-01", "2024-02-29"), "2024-04-07");
        assert_eq!(due("2025-12-02", "2026-02-28"), Value::Null);
        assert_eq!(due("2025-09-01", "2026-02-28"), Value::Null);
        let found = case.vat_return("2025-12-01", "2026-02-28");
        assert_eq!(fields(&found["warnings"][0], &["code", "amount", "ids"]), json!(["northern_ireland", null, []]));
        case.request("PATCH", "").json(&json!({ "vat_period_months": 12, "vat_period_end_month": 3 })).send().expect(200);
        assert_eq!(due("2025-04-01", "2026-03-31"), "2026-05-07");
        assert_eq!(due("2025-12-01", "2026-02-28"), Value::Null);
        // Long before and long after everything there is nothing.
        for (first, last) in [("1900-01-01", "1900-03-31"), ("2199-10-01", "2199-12-31")] {
            assert_eq!(case.boxes(first, last), [0; 4]);
        }
    }
}

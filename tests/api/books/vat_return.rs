//! The VAT return over HTTP: under each scheme, with figures worked by hand.

use serde_json::{Value, json};

use super::Books;
use super::cases::Case;
use super::figures::pence;
use super::trade::fields;
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
}

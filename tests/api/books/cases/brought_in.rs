//! Open documents brought into cash accounting: what was unpaid has not been declared, so those that say their VAT declare
//! it as they are paid, like documents made here (VAT Notice 731). Those that say none count as accounted for.

use serde_json::{Value, json};

use super::{Case, TOTALS, entry, figures, to_invoices};
use crate::books::format_paths;
use crate::support::database::on_both_databases;

const PREVIEW: &str = "/opening-balances/preview";
const SET: &str = "/opening-balances";
const NOTES: &str = "/sales-credit-notes";

impl Case {
    /// An open document of the last day of November 2025.
    fn open(&self, kind: &str, number: &str, amount_due: &str, vat: &[(&str, &str, &str)]) -> Value {
        let contact =
            if kind.starts_with("sales") { ("customer_id", self.customer) } else { ("supplier_id", self.supplier) };
        let mut document = json!({ "type": kind, contact.0: contact.1, "number": number, "date": "2025-11-30", "amount_due": amount_due });
        if !vat.is_empty() {
            let one = |(code, net, vat): &(&str, &str, &str)| json!({ "vat_code": code, "net_amount": net, "vat_amount": vat });
            document["vat"] = vat.iter().map(one).collect();
        }
        document
    }

    /// Opening balances of the end of 2025: these documents, these accounts, the rest to equity.
    fn opening(&self, documents: &[Value], lines: &[(&str, &str)]) -> Value {
        let line = |(account, amount): &(&str, &str)| {
            let (side, amount) = amount.strip_prefix('-').map_or(("debit", *amount), |amount| ("credit", amount));
            json!({ "account_code": account, side: amount })
        };
        json!({
            "as_of": "2025-12-31", "open_documents": documents, "lines": lines.iter().map(line).collect::<Vec<_>>(),
            "balance_to_account_code": "3200",
        })
    }

    /// The warnings of a preview, without that of the difference that goes to equity and those of days that follow from terms.
    fn warnings(&self, body: &Value) -> Vec<String> {
        let told = self.done(PREVIEW, body)["warnings"].clone();
        let told = told.as_array().unwrap().iter().map(|warning| warning.as_str().unwrap().to_owned());
        let others = ["debits and credits differ", "open_documents["];
        told.filter(|warning| !others.iter().any(|other| warning.starts_with(other))).collect()
    }

    /// What must not move when something is refused.
    fn kept(&self) -> (Value, Vec<i64>) {
        let tables = ["journal", "document", "vat_entry", "allocation"].map(|table| self.server.rows_of(table));
        (self.get("/changes?limit=200"), tables.into())
    }
}

on_both_databases! {
    fn an_open_invoice_declares_its_vat_as_it_is_paid(database) {
        let case = Case::under(&database, "cash");
        let open = case.open("sales_invoice", "OLD-1", "120.01", &[("ST", "100.01", "20.00")]);
        let body = case.opening(&[open], &[("1100", "120.01"), ("2200", "-20.00")]);
        assert_eq!(case.warnings(&body), Vec::<String>::new());
        let token = case.done(PREVIEW, &body)["token"].clone();
        let set = case.made(SET, &json!({ "token": token }));
        let invoice = set["documents"][0].clone();
        assert_eq!((figures(&invoice, TOTALS), &invoice["opening"]), ([10_001, 2_000, 12_001], &json!(true)));
        let summary = json!([{ "vat_code": "ST", "reverse_charge": null, "net_amount": 100.01, "vat_amount": 20.00 }]);
        assert_eq!(invoice["vat_summary"], summary);
        assert_eq!(invoice, case.shown(&format!("/sales-invoices/{}", invoice["id"])));
        assert_eq!(case.vat(), []);
        // Rounded cumulatively, so that the last payment completes it.
        case.receipt("2026-01-10", "40.00", &[(&invoice, "40.00")]);
        let second = case.receipt("2026-02-10", "40.00", &[(&invoice, "40.00")]);
        case.receipt("2026-03-05", "40.01", &[(&invoice, "40.01")]);
        assert_eq!(case.vat_on("2026-01-10"), [entry("output", "ST", 3_333, 667)]);
        assert_eq!(case.vat_on("2026-02-10"), [entry("output", "ST", 3_334, 666)]);
        assert_eq!(case.vat_on("2026-03-05"), [entry("output", "ST", 3_334, 667)]);
        assert_eq!(case.vat(), [entry("output", "ST", 10_001, 2_000)]);
        case.assert_all_declared();
        // A payment taken back takes its part back.
        case.done(&format!("/customer-receipts/{}/void", second["id"]), &json!({}));
        assert_eq!(case.vat(), [entry("output", "ST", 6_668, 1_333)]);
        let row = case.row("2026-03-06", "40.00");
        let body = json!({ "type": "customer_receipt", "customer_id": case.customer, "allocations": to_invoices(&[(&invoice, "40.00")]) });
        case.confirm(&row, &body).expect(200);
        assert_eq!(case.vat(), [entry("output", "ST", 10_001, 2_000)]);
        case.assert_all_declared();
    }

    fn an_open_bill_of_several_codes_does_too(database) {
        let case = Case::under(&database, "cash");
        let vat = [("ST", "500.00", "100.00"), ("RR", "100.00", "5.00"), ("NV", "95.00", "0.00")];
        let open = case.open("purchase_invoice", "S-7", "800.00", &vat);
        let set = case.made(SET, &case.opening(&[open], &[("2100", "-800.00"), ("2200", "105.00")]));
        let bill = set["documents"][0].clone();
        assert_eq!((figures(&bill, TOTALS), &bill["supplier_reference"]), ([69_500, 10_500, 80_000], &json!("S-7")));
        case.pays("2026-01-20", "400.00", &bill);
        // Half of it: 605.00 of 705.00 with a code is ST 600.00 and RR 105.00.
        assert_eq!(case.vat(), [entry("input", "RR", 5_000, 250), entry("input", "ST", 25_000, 5_000)]);
        // The rest is set off by a credit note of its own codes and paid.
        let lines = [("7100", "100.00", "ST")];
        let note = case.document("/purchase-credit-notes", "2026-02-01", Some(&bill), &lines);
        case.set_off("/purchase-credit-notes", &note, &bill, "120.00");
        case.pays("2026-02-20", "280.00", &bill);
        assert_eq!(case.vat(), [entry("input", "RR", 10_000, 500), entry("input", "ST", 40_000, 8_000)]);
        case.assert_all_declared();
    }

    fn open_credit_notes_keep_to_the_same_rule(database) {
        let case = Case::under(&database, "cash");
        let documents = [
            case.open("sales_invoice", "OLD-1", "240.00", &[("ST", "200.00", "40.00")]),
            case.open("sales_credit_note", "OLD-C", "60.00", &[("ST", "50.00", "10.00")]),
        ];
        let set = case.made(SET, &case.opening(&documents, &[("1100", "180.00"), ("2200", "-30.00")]));
        let (invoice, note) = (set["documents"][0].clone(), set["documents"][1].clone());
        // Credit set against what waits too moves nothing.
        let allocation = case.set_off(NOTES, &note, &invoice, "24.00");
        assert_eq!(case.vat(), []);
        case.receipt("2026-01-10", "216.00", &[(&invoice, "216.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 18_000, 3_600)]);
        // Money given back for the rest is declared when it goes.
        let refund = json!({
            "customer_id": case.customer, "date": "2026-02-01", "amount": "36.00", "bank_account_id": case.bank, "kind": "refund",
            "allocations": [{ "credit_note_id": note["id"], "amount": "36.00" }],
        });
        case.made("/customer-receipts", &refund);
        assert_eq!(case.vat_on("2026-02-01"), [entry("output", "ST", -3_000, -600)]);
        case.assert_all_declared();
        case.take_off(NOTES, &note, &allocation);
        let other = case.document("/sales-invoices", "2026-02-02", None, &[("4000", "20.00", "ST")]);
        case.set_off(NOTES, &note, &other, "24.00");
        case.receipt("2026-02-03", "24.00", &[(&invoice, "24.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 17_000, 3_400)]);
        case.assert_all_declared();
    }

    fn what_credits_an_open_invoice_keeps_its_basis(database) {
        let case = Case::under(&database, "cash");
        let documents = [
            case.open("sales_invoice", "OLD-1", "120.00", &[("ST", "100.00", "20.00")]),
            case.open("sales_invoice", "OLD-2", "120.00", &[]),
        ];
        let set = case.made(SET, &case.opening(&documents, &[("1100", "240.00"), ("2200", "-20.00")]));
        let (waiting, declared) = (set["documents"][0].clone(), set["documents"][1].clone());
        case.change_scheme("standard", "2026-04-01");
        let note = case.document(NOTES, "2026-04-10", Some(&waiting), &[("4000", "20.00", "ST")]);
        assert_eq!(case.vat(), []);
        case.set_off(NOTES, &note, &waiting, "24.00");
        case.receipt("2026-04-15", "96.00", &[(&waiting, "96.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 8_000, 1_600)]);
        case.assert_all_declared();
        // One that is accounted for declares nothing more, whatever pays it.
        case.receipt("2026-04-16", "120.00", &[(&declared, "120.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 8_000, 1_600)]);
    }

    fn voiding_the_opening_journal_takes_it_back(database) {
        let case = Case::under(&database, "cash");
        let open = case.open("sales_invoice", "OLD-1", "120.00", &[("ST", "100.00", "20.00")]);
        let mut body = case.opening(&[open], &[("1100", "120.00"), ("2200", "-20.00")]);
        body["lock_period"] = json!(false);
        let set = case.made(SET, &body);
        let invoice = set["documents"][0].clone();
        let receipt = case.receipt("2026-01-10", "60.00", &[(&invoice, "60.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 5_000, 1_000)]);
        let void = format!("/journals/{}/void", set["journal"]["id"]);
        let held = case.post(&void, &json!({}));
        assert_eq!(held.details(409, "conflict")["reason"], "has_allocations");
        case.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({}));
        case.done(&void, &json!({}));
        assert_eq!(case.vat(), [entry("output", "ST", 0, 0)]);
        assert_eq!(case.shown(&format!("/sales-invoices/{}", invoice["id"]))["status"], "void");
        let again = case.made(SET, &body);
        case.receipt("2026-01-11", "120.00", &[(&again["documents"][0], "120.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 10_000, 2_000)]);
        case.assert_all_declared();
    }

    fn cash_accounting_without_it_is_warned_of(database) {
        let case = Case::under(&database, "cash");
        let missing = |body: &Value| -> Vec<String> {
            let warnings = case.warnings(body).into_iter();
            warnings.map(|warning| warning.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
        };
        let without = [case.open("sales_invoice", "OLD-1", "120.00", &[]), case.open("sales_invoice", "OLD-2", "60.00", &[])];
        let mut body = case.opening(&without, &[("1100", "180.00")]);
        body.as_object_mut().unwrap().remove("balance_to_account_code");
        body["lines"].as_array_mut().unwrap().push(json!({ "account_code": "3200", "credit": "180.00" }));
        assert_eq!(missing(&body), ["opening_vat_missing: 2"]);
        body["open_documents"][0] = case.open("sales_invoice", "OLD-1", "120.00", &[("ST", "100.00", "20.00")]);
        assert_eq!(missing(&body), ["opening_vat_missing: 1"]);
        body["open_documents"][1]["vat"] = Value::Null;
        assert_eq!(missing(&body), ["opening_vat_missing: 1"]);
        body["open_documents"][1] = case.open("sales_invoice", "OLD-2", "60.00", &[("EX", "60.00", "0.00")]);
        assert_eq!(missing(&body), Vec::<String>::new());
        let none = json!({ "as_of": "2025-12-31", "lines": [{ "account_code": "1200", "debit": 5 }, { "account_code": "3200", "credit": 5 }] });
        assert_eq!(missing(&none), Vec::<String>::new());
        // The day after is what counts: the old books may have been under another scheme, or the new ones may be.
        let mut standard = case.opening(&without, &[("1100", "180.00"), ("3200", "-180.00")]);
        standard.as_object_mut().unwrap().remove("balance_to_account_code");
        standard["as_of"] = json!("2025-12-30");
        assert_eq!(missing(&standard), Vec::<String>::new());
    }

    fn vat_that_is_not_declared_on_payment_is_refused(database) {
        let case = Case::on(&database);
        let of = |date: &str, as_of: &str| {
            let mut open = case.open("sales_invoice", "OLD-1", "120.00", &[("ST", "100.00", "20.00")]);
            open["date"] = json!(date);
            let mut body = case.opening(&[open], &[("1100", "120.00")]);
            body["as_of"] = json!(as_of);
            body["lock_period"] = json!(false);
            body
        };
        let refused = |body: &Value| {
            let before = case.kept();
            for path in [PREVIEW, SET] {
                assert_eq!(format_paths(&case.post(path, body)), ["open_documents[0].vat"], "{body}");
            }
            assert_eq!(case.kept(), before);
        };
        refused(&of("2025-11-30", "2025-12-31"));
        for scheme in ["standard", "flat_rate"] {
            case.change_scheme(scheme, "2026-01-01");
            refused(&of("2025-11-30", "2025-12-31"));
        }
        // After cash accounting, what was issued under it still waits to be paid.
        case.change_scheme("cash", "2026-01-01");
        case.change_scheme("standard", "2026-04-01");
        refused(&of("2025-12-31", "2026-03-31"));
        let set = case.made(SET, &of("2026-01-31", "2026-03-31"));
        case.receipt("2026-04-05", "120.00", &[(&set["documents"][0], "120.00")]);
        assert_eq!(case.vat_on("2026-04-05"), [entry("output", "ST", 10_000, 2_000)]);
    }

    fn vat_that_does_not_add_up_is_refused(database) {
        let case = Case::under(&database, "cash");
        let of = |vat: Value| {
            let mut open = case.open("sales_invoice", "OLD-1", "120.00", &[]);
            open["vat"] = vat;
            case.opening(&[open], &[("1100", "120.00")])
        };
        let one = |code: &str, net: &str, vat: &str| json!({ "vat_code": code, "net_amount": net, "vat_amount": vat });
        let before = case.kept();
        for (vat, path) in [
            (json!([one("ST", "100.00", "19.99")]), "open_documents[0].vat"),
            (json!([one("ST", "50.00", "10.00"), one("ZR", "60.01", "0.00")]), "open_documents[0].vat"),
            (json!([]), "open_documents[0].vat"),
            (json!(7), "open_documents[0].vat"),
            (json!([one("XX", "100.00", "20.00")]), "open_documents[0].vat[0].vat_code"),
            (json!([one("ST", "100.001", "20.00")]), "open_documents[0].vat[0].net_amount"),
            (json!([one("ST", "100.00", "20.00"), 7]), "open_documents[0].vat[1]"),
        ] {
            for place in [PREVIEW, SET] {
                assert_eq!(format_paths(&case.post(place, &of(vat.clone()))), [path], "{vat}");
            }
        }
        let absent = of(json!([{ "vat_code": "ST" }]));
        let absent = format_paths(&case.post(SET, &absent));
        assert_eq!(absent, ["open_documents[0].vat[0].net_amount", "open_documents[0].vat[0].vat_amount"]);
        for (vat, at) in [
            (json!([one("ST", "101.01", "18.99")]), 0),
            (json!([one("ZR", "119.99", "0.01")]), 0),
            (json!([one("ST", "50.00", "10.00"), one("NV", "58.00", "2.00")]), 1),
            (json!([one("ST", "140.00", "-20.00")]), 0),
        ] {
            let refused = case.post(SET, &of(vat.clone())).details(422, "unprocessable_entity");
            let expected = (json!("vat_amount_out_of_tolerance"), json!(format!("open_documents[0].vat[{at}].vat_amount")));
            assert_eq!((refused["reason"].clone(), refused["field"].clone()), expected, "{vat}");
        }
        assert_eq!(case.kept(), before);
        // What is left of many lines, or of a part payment, need not be the rate to the penny; lines may be below nothing.
        let set = case.made(SET, &of(json!([one("ST", "110.50", "22.40"), one("ZR", "-12.90", "0.00")])));
        case.receipt("2026-01-10", "120.00", &[(&set["documents"][0], "120.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 11_050, 2_240), entry("output", "ZR", -1_290, 0)]);
    }
}

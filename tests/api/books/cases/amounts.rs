//! Rounding, prices and numbers of documents.

use serde_json::{Value, json};

use super::{Case, TOTALS, entry, figures, these};
use crate::books::{format_paths, reason};
use crate::support::database::on_both_databases;

/// Net, VAT and gross of the only line.
fn only_line(document: &Value) -> [i64; 3] {
    figures(&document["lines"][0], TOTALS)
}

on_both_databases! {
    fn vat_is_counted_by_line(database) {
        let case = Case::on(&database);
        // 10.03 at 20 % is 2.006; three lines are 6.03, where 30.09 would be 6.018, 6.02.
        let line = case.line("4000", "10.03", "ST");
        let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &[line.clone(), line.clone(), line]));
        assert_eq!(figures(&invoice, TOTALS), [3_009, 603, 3_612]);
        assert_eq!(invoice["vat_summary"], json!([{ "vat_code": "ST", "reverse_charge": null, "net_amount": 30.09, "vat_amount": 6.03 }]));
        assert_eq!(case.posted_by(&invoice), these(&[("1100", 3_612), ("4000", -3_009), ("2200", -603)]));
        let journal = case.shown(&format!("/journals/{}", invoice["journal_id"]));
        assert_eq!(journal["lines"].as_array().unwrap().len(), 3, "lines of one account are one");
        assert_eq!(case.vat(), [entry("output", "ST", 3_009, 603)]);
    }

    fn half_a_penny_goes_away_from_nothing(database) {
        let case = Case::on(&database);
        // 5 % of 0.70 is 0.035, of 2.30 is 0.115, of 0.30 is 0.015, of 0.50 is 0.025.
        for (price, vat) in [("0.70", 4), ("2.30", 12), ("0.30", 2), ("0.50", 3), ("0.29", 1), ("0.10", 1), ("0.09", 0)] {
            let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &[case.line("4000", price, "RR")]));
            assert_eq!(only_line(&invoice)[1], vat, "{price}");
            let bill = case.made("/purchase-invoices", &case.bill("2026-03-01", &[case.line("5000", price, "RR")]));
            assert_eq!(only_line(&bill)[1], vat, "{price}");
        }
        // The mirror image, beside something that keeps the total from being negative.
        let lines = [case.line("4000", "-0.30", "RR"), case.line("4000", "5.00", "ZR")];
        let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &lines));
        assert_eq!(only_line(&invoice), [-30, -2, -32]);
        let note = json!({ "customer_id": case.customer, "credit_note_date": "2026-03-01", "lines": [case.line("4000", "0.30", "RR")] });
        let note = case.made("/sales-credit-notes", &note);
        assert_eq!(only_line(&note), [30, 2, 32]);
        assert_eq!(case.posted_by(&note), these(&[("1100", -32), ("4000", 30), ("2200", 2)]));
    }

    fn a_credit_note_of_everything_leaves_nothing(database) {
        let case = Case::on(&database);
        let lines = [case.line("4000", "10.03", "ST"), case.line("4000", "10.03", "ST"), case.line("4100", "2.30", "RR"),
            case.line("4100", "-0.30", "RR"), case.line("4000", "7.77", "EX")];
        let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &lines));
        let note = json!({ "customer_id": case.customer, "credit_note_date": "2026-03-02", "invoice_id": invoice["id"], "lines": lines });
        let note = case.made("/sales-credit-notes", &note);
        assert_eq!(figures(&note, TOTALS), figures(&invoice, TOTALS));
        for code in ["1100", "4000", "4100", "2200"] {
            assert_eq!(case.balance(code), 0, "{code}");
        }
        assert_eq!(case.vat(), [entry("output", "EX", 0, 0), entry("output", "RR", 0, 0), entry("output", "ST", 0, 0)]);
        let allocate = json!({ "allocations": [{ "invoice_id": invoice["id"], "amount": invoice["gross_amount"] }] });
        assert_eq!(case.done(&format!("/sales-credit-notes/{}/allocate", note["id"]), &allocate)["status"], "allocated");
        let invoice = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
        assert_eq!((&invoice["status"], &invoice["amount_paid"], &invoice["amount_due"]), (&json!("paid"), &json!(0.0), &json!(0.0)));
    }

    fn prices_with_vat_in_them(database) {
        let case = Case::on(&database);
        // 2,500.00 / 6 = 416.666; 0.03 / 6 = 0.005; 63.00 / 21 = 3.00.
        for (price, code, expected) in
            [("2500.00", "ST", [208_333, 41_667, 250_000]), ("0.03", "ST", [2, 1, 3]), ("63", "RR", [6_000, 300, 6_300]), ("9.99", "EX", [999, 0, 999])]
        {
            let mut body = case.sale("2026-03-01", &[case.line("4000", price, code)]);
            body["vat_inclusive"] = json!(true);
            let invoice = case.made("/sales-invoices", &body);
            assert_eq!(only_line(&invoice), expected, "{price}");
            assert_eq!(figures(&invoice, TOTALS), expected, "{price}");
        }
    }

    fn a_price_is_rounded_once_after_the_multiplication(database) {
        let case = Case::on(&database);
        for (quantity, price, discount, net) in [
            ("7.5", "38.50", "0", 28_875),
            ("1", "1.005", "0", 101),
            ("3", "0.3333", "0", 100),
            ("0.3333", "3", "0", 100),
            ("12.5", "36.00", "7.5", 41_625),
            ("3", "0.335", "50", 50),
            ("1", "99.99", "33.33", 6_666),
            ("1", "10.00", "100", 0),
        ] {
            let mut line = case.line("4000", price, "NV");
            line["quantity"] = json!(quantity);
            line["discount_percent"] = serde_json::from_str(discount).unwrap();
            let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &[line, case.line("4100", "1.00", "NV")]));
            assert_eq!(only_line(&invoice)[0], net, "{quantity} x {price} less {discount} %");
        }
    }

    fn what_is_no_amount_is_refused(database) {
        let case = Case::on(&database);
        for (field, value) in [("unit_price", json!("10.00005")), ("unit_price", json!("£5")), ("quantity", json!(0)),
            ("quantity", json!("1.00001")), ("discount_percent", json!(100.01)), ("discount_percent", json!(-1)), ("vat_code", json!("VAT")),
            ("vat_amount", json!("0.001"))]
        {
            let mut line = case.line("4000", "10.00", "ST");
            line[field] = value.clone();
            let refused = case.post("/sales-invoices", &case.sale("2026-03-01", &[line]));
            assert_eq!(format_paths(&refused), [format!("lines[0].{field}")], "{value}");
        }
        for amount in [json!(10.005), json!("£5"), json!("1e3"), json!(0), json!(-1)] {
            let mut body = case.receipt_body("2026-03-01", "1.00", &[]);
            body["amount"] = amount.clone();
            assert_eq!(format_paths(&case.post("/customer-receipts", &body)), ["amount"], "{amount}");
        }
        let exponent = case.receipt_body("2026-03-01", "1.00", &[]).to_string().replace("\"1.00\"", "1e3");
        let receipt = case.request("POST", "/customer-receipts").body(exponent).send().expect(201);
        assert_eq!(receipt["data"]["amount"], json!(1000.0));
        assert_eq!(case.server.rows_of("journal"), 1);
    }

    fn a_given_vat_amount_may_be_a_little_off(database) {
        let case = Case::on(&database);
        let with = |account: &str, code: &str, vat: &str| {
            let mut line = case.line(account, "100.00", code);
            line["vat_amount"] = json!(vat);
            [line]
        };
        for (vat, fits) in [("20.01", true), ("19.99", true), ("20.02", false), ("19.98", false)] {
            let answer = case.post("/sales-invoices", &case.sale("2026-03-01", &with("4000", "ST", vat)));
            assert_eq!(answer.status, if fits { 201 } else { 422 }, "{answer}");
            if !fits {
                assert_eq!(reason(&answer), "vat_amount_out_of_tolerance");
            }
        }
        for (vat, fits) in [("21.00", true), ("19.00", true), ("21.01", false), ("18.99", false)] {
            let answer = case.post("/purchase-invoices", &case.bill("2026-03-01", &with("5000", "ST", vat)));
            assert_eq!(answer.status, if fits { 201 } else { 422 }, "{answer}");
        }
        for code in ["ZR", "EX", "NV"] {
            let answer = case.post("/purchase-invoices", &case.bill("2026-03-01", &with("5000", code, "0.01")));
            assert_eq!(reason(&answer), "vat_amount_out_of_tolerance", "{code}");
        }
        assert_eq!(case.balance("2200"), -2_001 - 1_999 + 2_100 + 1_900);
    }

    fn numbers_go_on_from_the_greatest_and_are_never_used_again(database) {
        let case = Case::on(&database);
        let sale = |number: Option<&str>| {
            let mut body = case.sale("2026-03-01", &[case.line("4000", "10.00", "NV")]);
            body["invoice_number"] = json!(number);
            case.post("/sales-invoices", &body)
        };
        let number = |number: Option<&str>| {
            let made = sale(number).expect(201)["data"].clone();
            (made["invoice_number"].as_str().unwrap().to_owned(), made["id"].clone())
        };
        assert_eq!(number(None).0, "INV-0001");
        let (second, id) = number(None);
        assert_eq!(second, "INV-0002");
        case.done(&format!("/sales-invoices/{id}/void"), &json!({}));
        assert_eq!(number(None).0, "INV-0003");
        assert_eq!((sale(Some("INV-0002")).status, reason(&sale(Some("INV-0002")))), (409, "duplicate_number".to_owned()));
        assert_eq!(number(Some("INV-0050")).0, "INV-0050");
        assert_eq!(number(None).0, "INV-0051");
        assert_eq!(number(Some("2026/17")).0, "2026/17");
        assert_eq!(number(None).0, "INV-0052");
        // What is refused or only rehearsed takes no number; neither does a draft.
        let refused = case.post("/sales-invoices", &case.sale("2026-03-01", &[case.line("4000", "-10.00", "NV")]));
        assert_eq!(reason(&refused), "negative_total");
        case.post("/sales-invoices?dry_run=true", &case.sale("2026-03-01", &[case.line("4000", "1.00", "NV")])).expect(200);
        let mut draft = case.sale("2026-03-01", &[case.line("4000", "1.00", "NV")]);
        draft["issue"] = json!(false);
        let draft = case.made("/sales-invoices", &draft);
        assert_eq!(draft["invoice_number"], Value::Null);
        assert_eq!(number(None).0, "INV-0053");
        assert_eq!(case.done(&format!("/sales-invoices/{}/issue", draft["id"]), &json!({}))["invoice_number"], "INV-0054");
    }

    fn an_invoice_of_nothing_is_paid(database) {
        let case = Case::on(&database);
        let lines = [case.line("4000", "100.00", "ST"), case.line("4100", "-100.00", "ST")];
        let invoice = case.made("/sales-invoices", &case.sale("2026-03-01", &lines));
        assert_eq!((&invoice["status"], &invoice["amount_due"]), (&json!("paid"), &json!(0.0)));
        assert_eq!(case.posted_by(&invoice), these(&[("4000", -10_000), ("4100", 10_000)]));
        let free = case.made("/sales-invoices", &case.sale("2026-03-01", &[case.line("4000", "0.00", "ZR")]));
        assert_eq!((&free["status"], &free["invoice_number"]), (&json!("paid"), &json!("INV-0002")));
        let void = case.done(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
        assert_eq!(void["status"], "void");
        assert_eq!((case.balance("4000"), case.balance("4100")), (0, 0));
    }

    fn terms_are_counted_in_days(database) {
        let case = Case::on(&database);
        for (date, due) in [("2024-01-30", "2024-02-29"), ("2025-01-30", "2025-03-01"), ("2025-12-15", "2026-01-14")] {
            assert_eq!(case.invoice(date, "1.00")["due_date"], due);
        }
        for (date, due) in [("2025-02-29", json!(null)), ("2024-02-30", json!(null)), ("2025-13-01", json!(null))] {
            let mut body = case.sale(date, &[case.line("4000", "1.00", "NV")]);
            body["due_date"] = due;
            assert_eq!(format_paths(&case.post("/sales-invoices", &body)), ["invoice_date"], "{date}");
        }
        let mut body = case.sale("2026-02-01", &[case.line("4000", "1.00", "NV")]);
        body["due_date"] = json!("2026-01-31");
        assert_eq!(format_paths(&case.post("/sales-invoices", &body)), ["due_date"]);
    }

    fn under_the_flat_rate_purchases_are_gross(database) {
        let case = Case::on(&database);
        let patch = json!({ "vat_registered": true, "vat_scheme": "flat_rate", "vat_scheme_from": "2026-01-01", "flat_rate_percent": 9.5,
            "vat_period_months": 3, "vat_period_end_month": 3 });
        case.request("PATCH", "").json(&patch).send().expect(200);
        let bill = case.made("/purchase-invoices", &case.bill("2026-02-01", &[case.line("5000", "100.00", "ST")]));
        assert_eq!(case.posted_by(&bill), these(&[("5000", 12_000), ("2100", -12_000)]));
        // Single capital goods from 2,000.00 with VAT are the exception; 1,999.99 are not.
        let bill = case.made("/purchase-invoices", &case.bill("2026-02-01", &[case.line("0030", "1666.67", "ST")]));
        assert_eq!(case.posted_by(&bill), these(&[("0030", 166_667), ("2200", 33_333), ("2100", -200_000)]));
        let bill = case.made("/purchase-invoices", &case.bill("2026-02-01", &[case.line("0030", "1666.66", "ST")]));
        assert_eq!(case.posted_by(&bill), these(&[("0030", 199_999), ("2100", -199_999)]));
        let sale = case.made("/sales-invoices", &case.sale("2026-02-01", &[case.line("4000", "100.00", "ST")]));
        assert_eq!(case.posted_by(&sale), these(&[("1100", 12_000), ("4000", -10_000), ("2200", -2_000)]));
        // Before the scheme the old basis holds.
        let bill = case.made("/purchase-invoices", &case.bill("2025-12-31", &[case.line("5000", "100.00", "ST")]));
        assert_eq!(case.posted_by(&bill), these(&[("5000", 10_000), ("2200", 2_000), ("2100", -12_000)]));
    }
}

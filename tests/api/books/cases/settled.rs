//! What is paid with what, and what happens when it is taken back.

use serde_json::{Value, json};

use super::{Case, entry, figures, these, to_invoices};
use crate::books::{format_paths, reason};
use crate::support::database::on_both_databases;

const LEFT: [&str; 3] = ["amount_paid", "amount_credited", "amount_due"];

on_both_databases! {
    fn a_deposit_waits_for_its_invoice(database) {
        let case = Case::on(&database);
        let deposit = case.receipt("2025-05-01", "100.00", &[]);
        assert_eq!(figures(&deposit, ["allocated_amount", "unallocated_amount"]), [0, 10_000]);
        let invoice = case.invoice("2025-06-01", "250.00");
        let body = json!({ "allocations": to_invoices(&[(&invoice, "100.00")]) });
        let deposit = case.done(&format!("/customer-receipts/{}/allocate", deposit["id"]), &body);
        assert_eq!((&deposit["allocations"][0]["date"], &deposit["date"]), (&json!("2025-06-01"), &json!("2025-05-01")));
        let invoice = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
        assert_eq!((&invoice["status"], &invoice["allocations"][0]["date"]), (&json!("part_paid"), &json!("2025-06-01")));
        // After the lock the earliest open day counts.
        case.lock("2025-07-31");
        let late = json!({ "allocations": to_invoices(&[(&invoice, "50.00")]) });
        let other = case.receipt("2025-08-01", "50.00", &[]);
        case.lock("2025-08-31");
        let other = case.done(&format!("/customer-receipts/{}/allocate", other["id"]), &late);
        assert_eq!(other["allocations"][0]["date"], "2025-09-01");
    }

    fn a_void_in_a_closed_month_lands_in_an_open_one(database) {
        let case = Case::on(&database);
        let invoice = case.made("/sales-invoices", &case.sale("2026-01-20", &[case.line("4000", "600.00", "ST")]));
        let path = format!("/sales-invoices/{}", invoice["id"]);
        case.lock("2026-01-31");
        for body in [json!({}), json!({ "void_date": "2026-01-31" })] {
            let details = case.post(&format!("{path}/void"), &body).details(422, "unprocessable_entity");
            assert_eq!((&details["reason"], &details["earliest_date"]), (&json!("period_locked"), &json!("2026-02-01")));
        }
        assert_eq!(format_paths(&case.post(&format!("{path}/void"), &json!({ "void_date": "2026-01-19" }))), ["void_date"]);
        let january = case.server.vat_by_code(case.id, "2026-01-01", "2026-01-31");
        let void = case.done(&format!("{path}/void"), &json!({ "void_date": "2026-02-05" }));
        assert_eq!((&void["status"], &void["void_date"]), (&json!("void"), &json!("2026-02-05")));
        let reversal = case.shown(&format!("/journals/{}", void["void_journal_id"]));
        assert_eq!((&reversal["entry_date"], &reversal["source_type"]), (&json!("2026-02-05"), &json!("reversal")));
        assert_eq!(case.server.vat_by_code(case.id, "2026-01-01", "2026-01-31"), january);
        let february = case.server.vat_by_code(case.id, "2026-02-01", "2026-02-28");
        assert_eq!(february, [entry("output", "ST", -60_000, -12_000)]);
        assert_eq!(case.balance("1100"), 0);
    }

    fn what_is_paid_is_not_voided_before_it_is_released(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "100.00");
        let receipt = case.receipt("2026-02-02", "40.00", &[(&invoice, "40.00")]);
        let path = format!("/sales-invoices/{}/void", invoice["id"]);
        let details = case.post(&path, &json!({})).details(409, "conflict");
        let allocation = receipt["allocations"][0]["id"].clone();
        assert_eq!(details, json!({ "reason": "has_allocations", "allocation_ids": [allocation] }));
        let release = json!({ "allocation_ids": [allocation] });
        let receipt = case.done(&format!("/customer-receipts/{}/unallocate", receipt["id"]), &release);
        assert_eq!((&receipt["unallocated_amount"], &receipt["allocations"]), (&json!(40.0), &json!([])));
        assert_eq!(case.done(&path, &json!({}))["status"], "void");
        assert_eq!(case.shown(&format!("/customers/{}", case.customer))["balance"], json!(-40.0));
    }

    fn figures_are_counted_again_when_a_receipt_goes(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "100.00");
        let path = format!("/sales-invoices/{}", invoice["id"]);
        let row = case.row("2026-02-03", "100.00");
        let body = json!({ "type": "customer_receipt", "customer_id": case.customer, "allocations": to_invoices(&[(&invoice, "100.00")]) });
        let first = case.confirm(&row, &body).expect(200)["data"]["customer_receipt_id"].clone();
        let allocation = case.shown(&format!("/customer-receipts/{first}"))["allocations"][0]["id"].clone();
        case.done(&format!("/customer-receipts/{first}/unallocate"), &json!({ "allocation_ids": [allocation] }));
        case.receipt("2026-02-04", "100.00", &[(&invoice, "100.00")]);
        assert_eq!(case.shown(&path)["status"], "paid");
        case.request("POST", &format!("/bank-transactions/{}/unconfirm", row["id"])).send().expect(200);
        let after = case.shown(&path);
        assert_eq!((after["status"].as_str(), figures(&after, LEFT)), (Some("paid"), [10_000, 0, 0]));
        assert_eq!(case.shown(&format!("/customer-receipts/{first}"))["status"], "void");
        assert_eq!((case.balance("1100"), case.balance("1200")), (0, 10_000));
        // One that is taken back with what it paid opens the invoice again.
        let second = case.invoice("2026-02-05", "60.00");
        let body = json!({ "type": "customer_receipt", "customer_id": case.customer, "allocations": to_invoices(&[(&second, "60.00")]) });
        let row = case.row("2026-02-06", "60.00");
        case.confirm(&row, &body).expect(200);
        case.request("POST", &format!("/bank-transactions/{}/unconfirm", row["id"])).send().expect(200);
        let after = case.shown(&format!("/sales-invoices/{}", second["id"]));
        assert_eq!((after["status"].as_str(), figures(&after, LEFT)), (Some("issued"), [0, 0, 6_000]));
    }

    fn too_much_stays_on_the_account_until_it_is_refunded(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "100.00");
        let over = case.post("/customer-receipts", &case.receipt_body("2026-02-02", "130.00", &[(&invoice, "130.00")]));
        let details = over.details(422, "unprocessable_entity");
        assert_eq!(details, json!({
            "reason": "over_allocated", "available": 100.0, "requested": 130.0,
            "field": "allocations[0].invoice_id", "id": invoice["id"]
        }));
        let receipt = case.receipt("2026-02-02", "130.00", &[(&invoice, "100.00")]);
        assert_eq!(figures(&receipt, ["allocated_amount", "unallocated_amount"]), [10_000, 3_000]);
        let customer = || case.shown(&format!("/customers/{}", case.customer))["balance"].clone();
        assert_eq!((customer(), case.balance("1100")), (json!(-30.0), -3_000));
        let refund = |amount: &str| json!({
            "customer_id": case.customer, "date": "2026-02-10", "amount": amount, "bank_account_id": case.bank, "kind": "refund",
            "allocations": [{ "receipt_id": receipt["id"], "amount": amount }],
        });
        assert_eq!(reason(&case.post("/customer-receipts", &refund("30.01"))), "over_allocated");
        let refund = case.made("/customer-receipts", &refund("30.00"));
        assert_eq!(case.posted_by(&refund), these(&[("1100", 3_000), ("1200", -3_000)]));
        assert_eq!((customer(), case.balance("1100")), (json!(0.0), 0));
        assert_eq!(case.shown(&format!("/customer-receipts/{}", receipt["id"]))["unallocated_amount"], json!(0.0));
    }

    fn allocating_adds_and_never_replaces(database) {
        let case = Case::on(&database);
        let (one, two) = (case.invoice("2026-02-01", "100.00"), case.invoice("2026-02-02", "100.00"));
        let receipt = case.receipt("2026-02-03", "150.00", &[(&one, "60.00")]);
        let path = format!("/customer-receipts/{}/allocate", receipt["id"]);
        let both = json!({ "allocations": to_invoices(&[(&one, "40.00"), (&two, "50.00")]) });
        let receipt = case.done(&path, &both);
        assert_eq!(figures(&receipt, ["allocated_amount", "unallocated_amount"]), [15_000, 0]);
        assert_eq!(reason(&case.post(&path, &json!({ "allocations": to_invoices(&[(&two, "0.01")]) }))), "over_allocated");
        assert_eq!(case.shown(&format!("/sales-invoices/{}", one["id"]))["status"], "paid");
        assert_eq!(case.shown(&format!("/sales-invoices/{}", two["id"]))["amount_due"], json!(50.0));
        // Oldest first when it is left to the service.
        let mut body = case.receipt_body("2026-02-04", "70.00", &[]);
        body["auto_allocate"] = json!(true);
        let third = case.invoice("2026-01-15", "30.00");
        let auto = case.made("/customer-receipts", &body);
        let allocated: Vec<(Value, Value)> =
            auto["allocations"].as_array().unwrap().iter().map(|one| (one["invoice_id"].clone(), one["amount"].clone())).collect();
        assert_eq!(allocated, [(third["id"].clone(), json!(30.0)), (two["id"].clone(), json!(40.0))]);
    }

    fn another_contacts_invoice_is_not_paid(database) {
        let case = Case::on(&database);
        let other = case.made("/customers", &json!({ "name": "Other" }))["id"].clone();
        let mut body = case.sale("2026-02-01", &[case.line("4000", "10.00", "NV")]);
        body["customer_id"] = other;
        let theirs = case.made("/sales-invoices", &body);
        let pay = |invoice: &Value| case.post("/customer-receipts", &case.receipt_body("2026-02-02", "10.00", &[(invoice, "10.00")]));
        assert_eq!(reason(&pay(&theirs)), "contact_mismatch");
        let mut draft = case.sale("2026-02-01", &[case.line("4000", "10.00", "NV")]);
        draft["issue"] = json!(false);
        let draft = case.made("/sales-invoices", &draft);
        assert_eq!((pay(&draft).status, reason(&pay(&draft))), (409, "invalid_state".to_owned()));
        assert_eq!(reason(&pay(&json!({ "id": 999_999 }))), "unknown_reference");
        assert_eq!(case.server.rows_of("journal"), 1);
        assert_eq!(case.balance("1200"), 0);
    }

    fn a_match_counts_a_receipt_once(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "75.00");
        let receipt = case.receipt("2026-02-03", "75.00", &[(&invoice, "75.00")]);
        let row = case.row("2026-02-05", "75.00");
        let journals = case.server.rows_of("journal");
        let matched = case.confirm(&row, &json!({ "type": "match", "customer_receipt_id": receipt["id"] })).expect(200)["data"].clone();
        assert_eq!((&matched["customer_receipt_id"], &matched["journal_id"]), (&receipt["id"], &receipt["journal_id"]));
        assert_eq!(case.shown(&format!("/customer-receipts/{}", receipt["id"]))["bank_transaction_id"], row["id"]);
        assert_eq!((case.server.rows_of("journal"), case.balance("1200")), (journals, 7_500));
        let twin = case.row("2026-02-05", "75.00");
        let again = case.confirm(&twin, &json!({ "type": "match", "customer_receipt_id": receipt["id"] }));
        assert_eq!((again.status, reason(&again)), (409, "invalid_state".to_owned()));
        // Voiding the receipt frees the row.
        case.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({}));
        let row = case.shown(&format!("/bank-transactions/{}", row["id"]));
        assert_eq!((&row["status"], &row["journal_id"], &row["customer_receipt_id"]), (&json!("unconfirmed"), &Value::Null, &Value::Null));
        assert_eq!(case.balance("1200"), 0);
    }

    fn cis_is_withheld_from_labour_when_it_is_paid(database) {
        let case = Case::on(&database);
        let cis = json!({ "name": "Reed", "cis": { "is_subcontractor": true, "deduction_rate": 20 } });
        let reed = case.made("/suppliers", &cis)["id"].clone();
        let mut labour = case.line("5100", "1500.00", "ST");
        labour["cis_type"] = json!("labour");
        let mut materials = case.line("5000", "420.00", "ST");
        materials["cis_type"] = json!("materials");
        let body = json!({ "supplier_id": reed, "invoice_date": "2026-01-10", "lines": [labour, materials] });
        let bill = case.made("/purchase-invoices", &body);
        assert_eq!(case.posted_by(&bill), these(&[("5100", 150_000), ("5000", 42_000), ("2200", 38_400), ("2100", -230_400)]));
        let parts = ["labour_net", "materials_net", "deduction", "payable", "deducted_to_date"];
        assert_eq!(figures(&bill["cis"], parts), [150_000, 42_000, 30_000, 200_400, 0]);
        let pay = |date: &str, amount: &str| json!({
            "supplier_id": reed, "date": date, "amount": amount, "bank_account_id": case.bank,
            "allocations": to_invoices(&[(&bill, amount)]),
        });
        // 2,304.00 x 700.00 / 2,004.00 = 804.790; the rest is 1,499.21.
        let first = case.made("/supplier-payments", &pay("2026-01-15", "700.00"));
        assert_eq!(figures(&first, ["amount", "cis_amount", "settled_amount", "unallocated_amount"]), [70_000, 10_479, 80_479, 0]);
        assert_eq!(case.posted_by(&first), these(&[("2100", 80_479), ("1200", -70_000), ("2220", -10_479)]));
        assert_eq!(reason(&case.post("/supplier-payments", &pay("2026-01-20", "1304.01"))), "over_allocated");
        let second = case.made("/supplier-payments", &pay("2026-01-20", "1304.00"));
        assert_eq!(case.posted_by(&second), these(&[("2100", 149_921), ("1200", -130_400), ("2220", -19_521)]));
        let bill = case.shown(&format!("/purchase-invoices/{}", bill["id"]));
        assert_eq!((&bill["status"], figures(&bill["cis"], parts)[4]), (&json!("paid"), 30_000));
        assert_eq!((case.balance("2100"), case.balance("2220")), (0, -30_000));
        assert_eq!(case.shown(&format!("/suppliers/{reed}"))["balance"], json!(0.0));
        // HMRC's own example: 2,567.00 less 367.00 materials at 20 % and 30 %.
        for (rate, deduction) in [(20, 44_000), (30, 66_000)] {
            let cis = json!({ "name": "HMRC", "cis": { "is_subcontractor": true, "deduction_rate": rate } });
            let supplier = case.made("/suppliers", &cis)["id"].clone();
            let mut labour = case.line("5100", "2200.00", "NV");
            labour["cis_type"] = json!("labour");
            let mut materials = case.line("5000", "367.00", "NV");
            materials["cis_type"] = json!("materials");
            let body = json!({ "supplier_id": supplier, "invoice_date": "2026-01-10", "lines": [labour, materials] });
            assert_eq!(figures(&case.made("/purchase-invoices", &body)["cis"], ["deduction"]), [deduction]);
        }
    }

    fn cis_suffered_pays_the_rest_of_an_invoice(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "1800.00");
        let mut body = case.receipt_body("2026-02-10", "1600.00", &[(&invoice, "1600.00")]);
        body["allocations"][0]["cis_suffered"] = json!("200.00");
        let receipt = case.made("/customer-receipts", &body);
        assert_eq!(case.posted_by(&receipt), these(&[("1200", 160_000), ("1320", 20_000), ("1100", -180_000)]));
        assert_eq!(figures(&receipt, ["amount", "cis_amount", "settled_amount"]), [160_000, 20_000, 180_000]);
        assert_eq!(case.shown(&format!("/sales-invoices/{}", invoice["id"]))["status"], "paid");
    }

    fn a_bounced_cheque_opens_its_invoice_again(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "500.00");
        let receipt = case.receipt("2026-02-10", "500.00", &[(&invoice, "500.00")]);
        case.lock("2026-02-12");
        let path = format!("/customer-receipts/{}/void", receipt["id"]);
        assert_eq!(reason(&case.post(&path, &json!({}))), "period_locked");
        let void = case.done(&path, &json!({ "void_date": "2026-02-14", "reason": "bounced" }));
        assert_eq!((&void["status"], &void["allocations"]), (&json!("void"), &json!([])));
        let invoice = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
        assert_eq!((invoice["status"].as_str(), figures(&invoice, LEFT)), (Some("issued"), [0, 0, 50_000]));
        assert_eq!(case.post(&path, &json!({})).status, 409);
        assert_eq!((case.balance("1200"), case.balance("1100")), (0, 50_000));
    }
}

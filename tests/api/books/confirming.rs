//! Lines of statements that are receipts, payments and refunds: confirmed as new ones, matched with posted ones, taken
//! back.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side, to_invoices};
use super::{Books, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;

/// Enters a line of the first bank account.
#[track_caller]
fn entered(books: &Books, date: &str, amount: &str, description: &str) -> Value {
    let body = json!({
        "bank_account_id": books.bank_id(), "date": date, "amount": amount, "description": description
    });
    books.made("/bank-transactions", &body)
}

fn confirm(books: &Books, line: &Value, body: &Value) -> Answer {
    books.post(&format!("/bank-transactions/{}/confirm", line["id"]), body)
}

fn unconfirm(books: &Books, line: &Value) -> Answer {
    books.request("POST", &format!("/bank-transactions/{}/unconfirm", line["id"])).send()
}

fn receipt_of(customer: i64, allocations: &[(&Value, &str)]) -> Value {
    json!({ "type": "customer_receipt", "customer_id": customer, "allocations": to_invoices(allocations) })
}

/// Nothing is posted to the bank account beside its confirmed lines.
#[track_caller]
fn assert_ties(books: &Books) {
    let bank = books.get("/bank-accounts")["data"][0].clone();
    let pence = |field: &str| (bank[field].as_f64().unwrap() * 100.0).round() as i64;
    assert_eq!(pence("ledger_balance"), pence("statement_balance") - pence("unconfirmed_total"), "{bank}");
}

on_both_databases! {
    fn money_in_is_a_receipt_of_its_own(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-05", "1000");
        let line = entered(&books, "2026-02-01", "1000.00", "FPI A");
        let confirmed = confirm(&books, &line, &receipt_of(customer, &[(&invoice, "900")])).expect(200)["data"].clone();
        assert_eq!(
            fields(&confirmed, &["status", "type", "contact_id", "vat_code", "net_amount", "vat_amount", "lines", "supplier_payment_id"]),
            json!(["confirmed", "customer_receipt", customer, "NV", 1000.0, 0.0, [], null])
        );
        let path = format!("/customer-receipts/{}", confirmed["customer_receipt_id"]);
        let receipt = books.get(&path)["data"].clone();
        assert_eq!(
            fields(&receipt, &["number", "date", "amount", "bank_transaction_id", "journal_id", "unallocated_amount"]),
            json!(["RCP-00001", "2026-02-01", 1000.0, line["id"], confirmed["journal_id"], 100.0])
        );
        assert_eq!(books.sides(&confirmed["journal_id"]), [side("1200", 1000.0, 0.0), side("1100", 0.0, 1000.0)]);
        assert_eq!(books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"]["amount_due"], 100.0);
        assert_ties(&books);
        assert_eq!(refusal(&confirm(&books, &line, &receipt_of(customer, &[])))["reason"], "invalid_state");

        // Taking it back voids the receipt and releases the invoice.
        let back = unconfirm(&books, &line).expect(200)["data"].clone();
        assert_eq!(fields(&back, &["status", "customer_receipt_id", "journal_id"]), json!(["unconfirmed", null, null]));
        let voided = books.get(&path)["data"].clone();
        assert_eq!(fields(&voided, &["status", "allocations"]), json!(["void", []]));
        assert_eq!(books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"]["status"], "issued");
        assert_eq!((books.owed().0, books.account("1200")["balance"].clone()), (json!(1000.0), json!(0.0)));
        assert_ties(&books);

        // So does voiding the receipt.
        let again = confirm(&books, &line, &receipt_of(customer, &[(&invoice, "1000")])).expect(200)["data"].clone();
        books.done(&format!("/customer-receipts/{}/void", again["customer_receipt_id"]), &json!({}));
        let line = books.get(&format!("/bank-transactions/{}", line["id"]))["data"].clone();
        assert_eq!(fields(&line, &["status", "customer_receipt_id"]), json!(["unconfirmed", null]));
        assert_eq!(books.owed().0, json!(1000.0));
        assert_ties(&books);
    }

    fn the_sign_of_the_line_belongs_to_the_type(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (customer, supplier) = (books.customer("A"), books.subcontractor("Reed Carpentry", 20));
        let mut labour = books.item("5100", "1500", "ST");
        labour["cis_type"] = json!("labour");
        let mut materials = books.item("5100", "420", "ST");
        materials["cis_type"] = json!("materials");
        let bill = books.made("/purchase-invoices", &json!({
            "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": [labour, materials]
        }));
        let out = entered(&books, "2026-01-20", "-700.00", "FPO REED CARPENTRY");
        let paid = json!({ "type": "supplier_payment", "supplier_id": supplier, "allocations": to_invoices(&[(&bill, "700")]) });
        let confirmed = confirm(&books, &out, &paid).expect(200)["data"].clone();
        assert_eq!(
            fields(&confirmed, &["type", "contact_id", "net_amount", "vat_amount", "customer_receipt_id"]),
            json!(["supplier_payment", supplier, -700.0, 0.0, null])
        );
        assert_eq!(
            books.sides(&confirmed["journal_id"]),
            [side("2100", 804.79, 0.0), side("1200", 0.0, 700.0), side("2220", 0.0, 104.79)]
        );
        let payment = books.get(&format!("/supplier-payments/{}", confirmed["supplier_payment_id"]))["data"].clone();
        assert_eq!(fields(&payment, &["number", "cis_amount", "bank_transaction_id"]), json!(["PAY-00001", 104.79, out["id"]]));

        let (money_in, money_out) = (entered(&books, "2026-01-21", "25", "in"), entered(&books, "2026-01-21", "-25", "out"));
        let of = |kind: &str, contact: &str, id: i64| json!({ "type": kind, contact: id });
        let before = books.picture();
        for (line, body) in [
            (&money_out, of("customer_receipt", "customer_id", customer)),
            (&money_in, of("customer_refund", "customer_id", customer)),
            (&money_in, of("supplier_payment", "supplier_id", supplier)),
            (&money_out, of("supplier_refund", "supplier_id", supplier)),
        ] {
            let refused = confirm(&books, line, &body);
            assert_eq!((refused.status, reason(&refused)), (422, "amount_mismatch".to_owned()), "{body}");
        }
        let unknown = confirm(&books, &money_in, &of("customer_receipt", "customer_id", supplier));
        assert_eq!(refusal(&unknown), json!({ "reason": "unknown_reference", "field": "customer_id", "id": supplier }));
        let over = confirm(&books, &money_in, &receipt_of(customer, &[(&json!({ "id": 999_999 }), "1")]));
        assert_eq!(reason(&over), "unknown_reference");
        assert_eq!(format_paths(&confirm(&books, &money_in, &json!({ "type": "customer_receipt" }))), ["customer_id"]);
        assert_eq!(books.picture(), before);
        let note = books.credit(customer, "2026-01-10", "25");
        let refund = json!({
            "type": "customer_refund", "customer_id": customer,
            "allocations": [{ "credit_note_id": note["id"], "amount": 25 }]
        });
        let confirmed = confirm(&books, &money_out, &refund).expect(200)["data"].clone();
        assert_eq!(books.sides(&confirmed["journal_id"]), [side("1100", 25.0, 0.0), side("1200", 0.0, 25.0)]);
        let made = books.get(&format!("/customer-receipts/{}", confirmed["customer_receipt_id"]))["data"].clone();
        assert_eq!(fields(&made, &["kind", "unallocated_amount"]), json!(["refund", 0.0]));
        let confirmed = confirm(&books, &money_in, &of("supplier_refund", "supplier_id", supplier)).expect(200)["data"].clone();
        assert_eq!(books.sides(&confirmed["journal_id"]), [side("1200", 25.0, 0.0), side("2100", 0.0, 25.0)]);
        assert_ties(&books);
    }

    fn a_match_does_not_double(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("A"), books.supplier("S"));
        let invoice = books.sale(customer, "2026-01-05", "100");
        let receipt = books.receipt(customer, "2026-01-10", "100", &[(&invoice, "100")]);
        let payment = books.payment(supplier, "2026-01-10", "40", &[]);
        let line = entered(&books, "2026-01-12", "100.00", "FPI");
        let out = entered(&books, "2026-01-12", "-40", "FPO");
        let other = entered(&books, "2026-01-12", "99.99", "other");
        let candidates = books.get(&format!("/bank-transactions/{}/candidates", line["id"]))["data"].clone();
        let kinds = |kind: &str| candidates.as_array().unwrap().iter().any(|one| one["kind"] == kind && one["id"] == receipt["id"]);
        assert!(kinds("customer_receipt"), "{candidates}");
        let of = |receipt: &Value| json!({ "type": "match", "customer_receipt_id": receipt["id"] });
        let before = books.picture();
        assert_eq!(refusal(&confirm(&books, &other, &of(&receipt))), json!({ "reason": "amount_mismatch", "expected": 99.99, "actual": 100.0 }));
        assert_eq!(
            refusal(&confirm(&books, &line, &of(&payment))),
            json!({ "reason": "unknown_reference", "field": "customer_receipt_id", "id": payment["id"] })
        );
        assert_eq!(
            format_paths(&confirm(&books, &line, &json!({ "type": "match", "customer_receipt_id": 1, "supplier_payment_id": 1 }))),
            ["journal_id"]
        );
        assert_eq!(books.picture(), before);
        let journals = books.server.rows_of("journal");
        let matched = confirm(&books, &line, &of(&receipt)).expect(200)["data"].clone();
        assert_eq!(
            fields(&matched, &["status", "type", "customer_receipt_id", "journal_id"]),
            json!(["confirmed", "match", receipt["id"], receipt["journal_id"]])
        );
        let paid = confirm(&books, &out, &json!({ "type": "match", "supplier_payment_id": payment["id"] })).expect(200)["data"].clone();
        assert_eq!(paid["supplier_payment_id"], payment["id"]);
        assert_eq!(books.server.rows_of("journal"), journals);
        assert_eq!(books.account("1200")["balance"], json!(60.0));
        let linked = books.get(&format!("/customer-receipts/{}", receipt["id"]))["data"].clone();
        assert_eq!(linked["bank_transaction_id"], line["id"]);
        let twin = entered(&books, "2026-01-13", "100.00", "twin");
        assert_eq!(reason(&confirm(&books, &twin, &of(&receipt))), "invalid_state");
        let candidates = books.get(&format!("/bank-transactions/{}/candidates", twin["id"]))["data"].clone();
        assert_eq!(candidates, json!([]), "what is linked is not offered");
        // Unconfirming a match only unlinks it.
        unconfirm(&books, &line).expect(200);
        assert_eq!(books.server.rows_of("journal"), journals);
        let unlinked = books.get(&format!("/customer-receipts/{}", receipt["id"]))["data"].clone();
        assert_eq!(fields(&unlinked, &["status", "bank_transaction_id", "allocated_amount"]), json!(["posted", null, 100.0]));
        confirm(&books, &twin, &of(&receipt)).expect(200);
        // A void receipt sets its line back.
        books.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({}));
        let twin = books.get(&format!("/bank-transactions/{}", twin["id"]))["data"].clone();
        assert_eq!(fields(&twin, &["status", "type", "customer_receipt_id", "journal_id"]), json!(["unconfirmed", null, null, null]));
        let gone = confirm(&books, &twin, &of(&receipt));
        assert_eq!(refusal(&gone)["reason"], "invalid_state");
        unconfirm(&books, &out).expect(200);
        assert_eq!(books.account("1200")["balance"], json!(-40.0));
    }

    fn open_invoices_are_offered(database) {
        let books = Books::on(&database);
        let customer = books.customer("Brightwell School");
        let named = books.sale(customer, "2026-01-05", "480");
        let equal = books.sale(customer, "2026-01-06", "120");
        books.sale(customer, "2026-01-06", "77");
        let bill = books.bill(books.supplier("S"), "2026-01-05", "120");
        let candidates = |line: &Value| {
            let found = books.get(&format!("/bank-transactions/{}/candidates", line["id"]))["data"].clone();
            found.as_array().unwrap().iter().map(|one| (one["kind"].clone(), one["id"].clone(), one["amount"].clone())).collect::<Vec<_>>()
        };
        let line = entered(&books, "2026-01-20", "120.00", "FPI BRIGHTWELL INV 0001");
        assert_eq!(candidates(&line), [
            (json!("sales_invoice"), equal["id"].clone(), json!(120.0)),
            (json!("sales_invoice"), named["id"].clone(), json!(480.0)),
        ]);
        let out = entered(&books, "2026-01-20", "-120.00", "FPO");
        assert_eq!(candidates(&out), [(json!("purchase_invoice"), bill["id"].clone(), json!(-120.0))]);
    }

    fn a_batch_of_receipts_is_all_or_nothing(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-05", "100");
        let lines: Vec<Value> = (0..2).map(|at| entered(&books, "2026-01-10", "60", &format!("line {at}"))).collect();
        let item = |line: &Value, amount: &str| {
            let mut body = receipt_of(customer, &[(&invoice, amount)]);
            body["id"] = line["id"].clone();
            body
        };
        let before = books.picture();
        let refused = books.post("/bank-transactions/confirm-batch", &json!({ "items": [item(&lines[0], "60"), item(&lines[1], "60")] }));
        assert_eq!(
            refused.details(422, "unprocessable_entity"),
            json!({ "reason": "over_allocated", "available": 40.0, "requested": 60.0, "field": "allocations[0].invoice_id", "id": invoice["id"], "row": 1 })
        );
        assert_eq!(books.picture(), before);
        let bad = json!({ "items": [{ "id": 1, "type": "customer_receipt", "customer_id": 1, "allocations": [{ "receipt_id": 1, "amount": 1 }] }] });
        let refused = books.post("/bank-transactions/confirm-batch", &bad);
        assert_eq!(format_paths(&refused), ["items[0].allocations[0].receipt_id"]);
        let done = books.done("/bank-transactions/confirm-batch", &json!({ "items": [item(&lines[0], "60"), item(&lines[1], "40")] }));
        assert_eq!(done.as_array().unwrap().len(), 2);
        assert_eq!(books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"]["status"], "paid");
        assert_eq!(books.listed("/customer-receipts").1, Some(2));
        // The first is taken back though the invoice was then paid by the other too: amounts follow the allocations.
        unconfirm(&books, &lines[0]).expect(200);
        let now = books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"].clone();
        assert_eq!(fields(&now, &["status", "amount_paid", "amount_due"]), json!(["part_paid", 40.0, 60.0]));
        assert_ties(&books);
    }

    fn a_locked_period_keeps_its_lines(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let line = entered(&books, "2026-01-10", "60", "x");
        let late = entered(&books, "2026-01-11", "60", "y");
        confirm(&books, &line, &receipt_of(customer, &[])).expect(200);
        let posted = books.receipt(customer, "2026-01-12", "60", &[]);
        books.lock("2026-01-31");
        let before = books.picture();
        assert_eq!(reason(&unconfirm(&books, &line)), "period_locked");
        assert_eq!(reason(&confirm(&books, &late, &receipt_of(customer, &[]))), "period_locked");
        assert_eq!(books.picture(), before);
        // A match posts nothing.
        confirm(&books, &late, &json!({ "type": "match", "customer_receipt_id": posted["id"] })).expect(200);
        unconfirm(&books, &late).expect(200);
    }
}

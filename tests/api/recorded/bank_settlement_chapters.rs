//! Statement lines that are receipts, payments and refunds: confirmed as new ones, matched with posted ones, taken back.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::to_invoices;

super::chapters!(lines_as_settlements, matched_lines);

fn confirm(line: i64) -> String {
    format!("/bank-transactions/{line}/confirm")
}

fn lines_as_settlements(s: &mut Session) {
    s.books();
    let (customer, supplier) = (s.customer("Brightwell School"), s.subcontractor("Reed Carpentry", 20));
    let invoice = s.sale(customer, "2026-01-05", "1000", "NV");
    let line = s.entered("2026-02-01", "1000.00", "FPI BRIGHTWELL INV-0001");
    s.get(&format!("/bank-transactions/{line}/candidates"));
    let receipt =
        |allocations: Value| json!({ "type": "customer_receipt", "customer_id": customer, "allocations": allocations });
    for body in [
        receipt(to_invoices(&[(invoice, "1000.01")])),
        receipt(to_invoices(&[(999_999, "1")])),
        receipt(json!([{ "receipt_id": 1, "amount": 1 }])),
        json!({ "type": "customer_receipt" }),
        json!({ "type": "customer_receipt", "customer_id": supplier }),
        json!({ "type": "customer_refund", "customer_id": customer }),
        json!({ "type": "supplier_payment", "supplier_id": supplier }),
        json!({ "type": "customer_receipt", "customer_id": customer, "account_id": 1, "vat_code": "NV" }),
    ] {
        s.post(&confirm(line), body);
    }
    let done = s.both("POST", &confirm(line), receipt(to_invoices(&[(invoice, "900")])));
    let path = format!("/customer-receipts/{}", done["data"]["customer_receipt_id"]);
    s.get(&path);
    s.get(&format!("/journals/{}", done["data"]["journal_id"]));
    s.post(&confirm(line), receipt(json!([])));
    s.both_bare("POST", &format!("/bank-transactions/{line}/unconfirm"));
    s.get(&path);
    s.get(&format!("/sales-invoices/{invoice}"));
    let again = s.both("POST", &confirm(line), receipt(to_invoices(&[(invoice, "1000")])));
    s.both("POST", &format!("/customer-receipts/{}/void", again["data"]["customer_receipt_id"]), json!({}));
    s.get(&format!("/bank-transactions/{line}"));
    let labour = json!({ "description": "Fitting", "account_id": s.account("5100"), "unit_price": "1500", "vat_code": "ST", "cis_type": "labour" });
    let lines = [labour, s.item("5100", "420", "ST")];
    let bill =
        s.made("/purchase-invoices", json!({ "supplier_id": supplier, "invoice_date": "2026-01-05", "lines": lines }));
    let out = s.entered("2026-01-20", "-700.00", "FPO REED CARPENTRY");
    s.get(&format!("/bank-transactions/{out}/candidates"));
    let paid = s.both(
        "POST",
        &confirm(out),
        json!({ "type": "supplier_payment", "supplier_id": supplier, "allocations": to_invoices(&[(bill, "700")]) }),
    );
    s.get(&format!("/supplier-payments/{}", paid["data"]["supplier_payment_id"]));
    let note = s.credit(customer, "2026-01-10", "25", "NV");
    let (back, from) = (s.entered("2026-01-21", "-25", "REFUND"), s.entered("2026-01-21", "25", "REFUND FROM REED"));
    s.both("POST", &confirm(back), json!({ "type": "customer_refund", "customer_id": customer, "allocations": [{ "credit_note_id": note, "amount": 25 }] }));
    s.both("POST", &confirm(from), json!({ "type": "supplier_refund", "supplier_id": supplier }));
    let (first, second) = (s.entered("2026-02-10", "600", "ONE"), s.entered("2026-02-10", "600", "TWO"));
    let item = |line: i64, amount: &str| json!({ "id": line, "type": "customer_receipt", "customer_id": customer, "allocations": to_invoices(&[(invoice, amount)]) });
    s.post("/bank-transactions/confirm-batch", json!({ "items": [item(first, "600"), item(second, "600")] }));
    s.both("POST", "/bank-transactions/confirm-batch", json!({ "items": [item(first, "600"), item(second, "400")] }));
    s.act(&format!("/bank-transactions/{first}/unconfirm"));
    s.get(&format!("/sales-invoices/{invoice}"));
    s.get("/bank-transactions");
    s.get("/bank-accounts");
    s.get("/customer-receipts");
}

fn matched_lines(s: &mut Session) {
    s.books();
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let invoice = s.sale(customer, "2026-01-05", "100", "NV");
    let body = s.receipt(customer, "2026-01-10", "100", to_invoices(&[(invoice, "100")]));
    let receipt = s.made("/customer-receipts", body);
    let body = s.payment(supplier, "2026-01-10", "40", json!([]));
    let payment = s.made("/supplier-payments", body);
    let body = s.two_lines("2026-01-11", "7100", "1200", json!("15.00"));
    let journal = s.made("/journals", body);
    let (line, out, other, fee) = (
        s.entered("2026-01-12", "100.00", "FPI"),
        s.entered("2026-01-12", "-40", "FPO"),
        s.entered("2026-01-12", "99.99", "OTHER"),
        s.entered("2026-01-12", "-15.00", "RENT"),
    );
    for line in [line, out, other, fee] {
        s.get(&format!("/bank-transactions/{line}/candidates"));
    }
    let of_receipt = |receipt: i64| json!({ "type": "match", "customer_receipt_id": receipt });
    s.post(&confirm(other), of_receipt(receipt));
    s.post(&confirm(line), of_receipt(999_999));
    s.post(&confirm(line), json!({ "type": "match", "supplier_payment_id": payment }));
    s.post(&confirm(line), json!({ "type": "match", "customer_receipt_id": receipt, "supplier_payment_id": payment }));
    s.post(&confirm(line), json!({ "type": "match", "journal_id": journal }));
    s.both("POST", &confirm(line), of_receipt(receipt));
    s.both("POST", &confirm(out), json!({ "type": "match", "supplier_payment_id": payment }));
    s.both("POST", &confirm(fee), json!({ "type": "match", "journal_id": journal }));
    s.get(&format!("/customer-receipts/{receipt}"));
    s.get(&format!("/journals/{journal}"));
    s.act(&format!("/journals/{journal}/void"));
    let twin = s.entered("2026-01-13", "100.00", "TWIN");
    s.post(&confirm(twin), of_receipt(receipt));
    s.get(&format!("/bank-transactions/{twin}/candidates"));
    s.both_bare("POST", &format!("/bank-transactions/{line}/unconfirm"));
    s.both("POST", &confirm(twin), of_receipt(receipt));
    s.act(&format!("/customer-receipts/{receipt}/void"));
    s.get(&format!("/bank-transactions/{twin}"));
    s.post(&confirm(twin), of_receipt(receipt));
    s.both_bare("POST", &format!("/bank-transactions/{fee}/unconfirm"));
    s.both_bare("POST", &format!("/bank-transactions/{out}/unconfirm"));
    s.post("/bank-transactions/confirm-batch", json!({ "items": [{ "id": fee, "type": "match", "journal_id": journal }, { "id": out, "type": "match", "supplier_payment_id": payment }] }));
    s.get("/bank-accounts");
    s.get("/journals");
    s.get("/bank-transactions?status=confirmed&type=match");
}

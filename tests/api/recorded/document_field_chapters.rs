//! Every field of the bodies of documents and settlements in every wrong way.

use serde_json::json;

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(invoice_fields, credit_note_fields, settlement_fields);

fn invoice_fields(s: &mut Session) {
    s.books();
    sales_invoice_fields(s);
    purchase_invoice_fields(s);
}

fn credit_note_fields(s: &mut Session) {
    s.books();
    sales_credit_note_fields(s);
    purchase_credit_note_fields(s);
}

fn settlement_fields(s: &mut Session) {
    s.books();
    receipt_fields(s);
    payment_fields(s);
}

fn sales_invoice_fields(s: &mut Session) {
    let customer = s.customer("Brightwell School");
    let line =
        with(&s.item("4000", "10.00", "ST"), json!({ "quantity": 2, "discount_percent": "5", "vat_amount": "3.80" }));
    let body = json!({
        "customer_id": customer, "invoice_date": "2026-03-01", "due_date": "2026-03-31", "invoice_number": "X-1", "reference": "R", "notes": "n",
        "currency": "GBP", "vat_inclusive": false, "issue": true, "lines": [line]
    });
    s.fields("POST", "/sales-invoices", &body);
    let draft = s.made("/sales-invoices", with(&body, json!({ "issue": false })));
    s.fields(
        "PATCH",
        &format!("/sales-invoices/{draft}"),
        &json!({ "invoice_date": "2026-03-02", "customer_id": customer, "notes": "n" }),
    );
    s.fields(
        "POST",
        &format!("/sales-invoices/{draft}/void"),
        &json!({ "void_date": "2026-03-02", "reason": "twice" }),
    );
}

fn purchase_invoice_fields(s: &mut Session) {
    let supplier = s.subcontractor("Reed Carpentry", 20);
    let line = with(&s.item("5100", "10.00", "ST"), json!({ "cis_type": "labour" }));
    let body = json!({
        "supplier_id": supplier, "invoice_date": "2026-03-01", "due_date": "2026-03-31", "supplier_reference": "X-1", "issue": true, "lines": [line]
    });
    s.fields("POST", "/purchase-invoices", &body);
    let draft = s.made("/purchase-invoices", with(&body, json!({ "issue": false })));
    s.fields(
        "PATCH",
        &format!("/purchase-invoices/{draft}"),
        &json!({ "supplier_reference": "X-2", "vat_inclusive": true, "lines": [line] }),
    );
}

fn sales_credit_note_fields(s: &mut Session) {
    let customer = s.customer("Brightwell School");
    let invoice = s.sale(customer, "2026-01-05", "100", "NV");
    let body = json!({
        "customer_id": customer, "credit_note_date": "2026-03-01", "credit_note_number": "C-1", "invoice_id": invoice, "reference": "R",
        "lines": [{ "description": "Work", "account_id": s.account("4000"), "unit_price": 10, "vat_code": "ST" }]
    });
    s.fields("POST", "/sales-credit-notes", &body);
    let note = s.credit(customer, "2026-03-01", "50", "NV");
    s.fields(
        "POST",
        &format!("/sales-credit-notes/{note}/allocate"),
        &json!({ "allocations": to_invoices(&[(invoice, "10.00")]), "date": "2026-03-02" }),
    );
    s.fields("POST", &format!("/sales-credit-notes/{note}/unallocate"), &json!({ "allocation_ids": [1] }));
}

fn purchase_credit_note_fields(s: &mut Session) {
    let supplier = s.supplier("Timber Ltd");
    let line = s.item("5000", "10", "ST");
    let body = json!({ "supplier_id": supplier, "credit_note_date": "2026-03-01", "supplier_reference": "C-1", "issue": false, "lines": [line] });
    s.fields("POST", "/purchase-credit-notes", &body);
    let draft = s.made("/purchase-credit-notes", body);
    s.fields(
        "PATCH",
        &format!("/purchase-credit-notes/{draft}"),
        &json!({ "credit_note_date": "2026-03-02", "supplier_reference": "C-2", "invoice_id": 999 }),
    );
}

fn receipt_fields(s: &mut Session) {
    let customer = s.customer("Brightwell School");
    let invoice = s.sale(customer, "2026-01-05", "100", "NV");
    let mut body = with(
        &s.receipt(customer, "2026-03-01", "60.00", to_invoices(&[(invoice, "50.00")])),
        json!({ "kind": "receipt", "method": "card", "reference": "R", "memo": "m", "auto_allocate": false }),
    );
    body["allocations"][0]["cis_suffered"] = json!("1.00");
    s.fields("POST", "/customer-receipts", &body);
    let receipt = s.made("/customer-receipts", body);
    let path = format!("/customer-receipts/{receipt}");
    s.fields("PATCH", &path, &json!({ "reference": "R", "memo": "m" }));
    s.fields("POST", &format!("{path}/allocate"), &json!({ "allocations": to_invoices(&[(invoice, "5.00")]) }));
    s.fields("POST", &format!("{path}/unallocate"), &json!({ "allocation_ids": [1] }));
    s.fields("POST", &format!("{path}/void"), &json!({ "void_date": "2026-03-02", "reason": "bounced" }));
}

fn payment_fields(s: &mut Session) {
    let supplier = s.supplier("Timber Ltd");
    let bill = s.bill(supplier, "2026-01-05", "100", "NV");
    let body = with(
        &s.payment(supplier, "2026-03-01", "60.00", to_invoices(&[(bill, "50.00")])),
        json!({ "method": "cheque" }),
    );
    s.fields("POST", "/supplier-payments", &body);
    let payment = s.made("/supplier-payments", body);
    let refund = with(
        &s.payment(supplier, "2026-03-02", "10.00", json!([{ "payment_id": payment, "amount": "10.00" }])),
        json!({ "kind": "refund" }),
    );
    s.fields("POST", "/supplier-payments", &refund);
    s.fields(
        "POST",
        &format!("/supplier-payments/{payment}/allocate"),
        &json!({ "allocations": to_invoices(&[(bill, "5.00")]) }),
    );
    s.fields("POST", &format!("/supplier-payments/{payment}/void"), &json!({ "reason": "lost" }));
}

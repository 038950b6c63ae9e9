//! Receipts, payments and refunds: posted whole, set against invoices by hand or by age, released, voided, refused.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(customer_receipts, supplier_payments, settled_elsewhere, settlements_refused, settlements_found);

fn customer_receipts(s: &mut Session) {
    s.books();
    let customer = s.customer("Brightwell School");
    let (first, second, third) = (
        s.sale(customer, "2026-01-05", "500", "ST"),
        s.sale(customer, "2026-02-20", "300", "NV"),
        s.sale(customer, "2026-01-20", "80", "RR"),
    );
    let body = with(
        &s.receipt(customer, "2026-02-10", "1000.00", to_invoices(&[(first, "600"), (second, "150.50")])),
        json!({ "method": "bank_transfer", "reference": "FPI 7", "memo": "with thanks" }),
    );
    s.header("Idempotency-Key", "r").post("/customer-receipts?dry_run=true", body.clone());
    let made = s.header("Idempotency-Key", "r").post("/customer-receipts", body.clone());
    s.header("Idempotency-Key", "r").post("/customer-receipts", body.clone());
    s.header("Idempotency-Key", "r").post("/customer-receipts", with(&body, json!({ "amount": 1001 })));
    let path = format!("/customer-receipts/{}", made["data"]["id"]);
    s.get(&path);
    s.get(&format!("/sales-invoices/{first}"));
    s.get(&format!("/customers/{customer}"));
    s.both("PATCH", &path, json!({ "memo": "thanks", "reference": null }));
    for wrong in [json!({ "amount": 1 }), json!({}), json!({ "memo": 7 }), json!({ "reference": "r".repeat(101) })] {
        s.patch(&path, wrong);
    }
    s.header("If-Match", "\"1\"").patch(&path, json!({ "memo": "stale" }));
    let auto = with(
        &s.receipt(customer, "2026-03-02", "120", to_invoices(&[(second, "20")])),
        json!({ "auto_allocate": true }),
    );
    let auto = s.both("POST", "/customer-receipts", auto);
    s.get(&format!("/sales-invoices/{third}"));
    s.both("POST", &format!("{path}/allocate"), json!({ "allocations": to_invoices(&[(second, "29.50")]) }));
    s.post(&format!("{path}/allocate"), json!({ "allocations": to_invoices(&[(second, "500")]) }));
    s.post(&format!("{path}/allocate"), json!({ "allocations": to_invoices(&[(first, "1")]) }));
    let refund = json!({
        "customer_id": customer, "date": "2026-03-03", "amount": "50", "bank_account_id": s.bank(), "kind": "refund",
        "allocations": [{ "receipt_id": made["data"]["id"], "amount": 50 }]
    });
    s.post(
        "/customer-receipts",
        with(&refund, json!({ "amount": 500, "allocations": [{ "receipt_id": made["data"]["id"], "amount": 500 }] })),
    );
    s.post("/customer-receipts", with(&refund, json!({ "allocations": [{ "invoice_id": first, "amount": 1 }] })));
    let refunded = s.both("POST", "/customer-receipts", refund);
    s.get(&path);
    s.act(&format!("{path}/void?dry_run=true"));
    s.post(
        &format!("/customer-receipts/{}/allocate", refunded["data"]["id"]),
        json!({ "allocations": to_invoices(&[(first, "1")]) }),
    );
    s.both(
        "POST",
        &format!("/customer-receipts/{}/void", refunded["data"]["id"]),
        json!({ "void_date": "2026-03-04" }),
    );
    let allocation = auto["data"]["allocations"][0]["id"].clone();
    s.both(
        "POST",
        &format!("/customer-receipts/{}/unallocate", auto["data"]["id"]),
        json!({ "allocation_ids": [allocation] }),
    );
    s.post(&format!("/customer-receipts/{}/unallocate", auto["data"]["id"]), json!({ "allocation_ids": [allocation] }));
    s.post(&format!("{path}/void"), json!({ "void_date": "2026-02-09" }));
    s.both("POST", &format!("{path}/void"), json!({ "void_date": "2026-03-05", "reason": "bounced" }));
    s.act(&format!("{path}/void"));
    s.get(&format!("/journals/{}", made["data"]["journal_id"]));
    s.act(&format!("/journals/{}/void", auto["data"]["journal_id"]));
    s.get(&format!("{path}/history"));
    s.get(&format!("/sales-invoices/{first}/history"));
    s.see(&["1100", "1200"]);
    s.get("/status");
}

fn settled_elsewhere(s: &mut Session) {
    s.books();
    let supplier = s.supplier("Timber Ltd");
    let bill = s.bill(supplier, "2026-01-05", "500", "ST");
    let (bank, loan) = (s.bank(), s.account("2300"));
    let body = json!({
        "supplier_id": supplier, "date": "2026-02-10", "amount": "400.00", "account_id": loan,
        "allocations": to_invoices(&[(bill, "400")])
    });
    let made = s.both("POST", "/supplier-payments", body.clone());
    s.get(&format!("/supplier-payments/{}", made["data"]["id"]));
    s.get(&format!("/journals/{}", made["data"]["journal_id"]));
    for keys in [
        json!({ "account_id": null, "account_code": "1310", "amount": "100", "allocations": to_invoices(&[(bill, "100")]) }),
        json!({ "account_id": null, "account_code": "1200", "amount": "50", "allocations": to_invoices(&[(bill, "50")]) }),
        json!({ "account_id": null }),
        json!({ "bank_account_id": bank }),
        json!({ "account_code": "2300" }),
        json!({ "account_id": 999_999 }),
        json!({ "account_id": null, "account_code": "nope" }),
        json!({ "account_id": s.account("4000") }),
        json!({ "account_id": s.account("2100") }),
    ] {
        s.post("/supplier-payments", with(&body, keys));
    }
    s.fields("POST", "/supplier-payments", &with(&body, json!({ "allocations": [] })));
    s.get("/supplier-payments");
    s.get(&format!("/supplier-payments?bank_account_id={bank}"));
    let line = s.entered("2026-02-10", "-400.00", "FPO");
    s.get(&format!("/bank-transactions/{line}/candidates"));
    s.post(
        &format!("/bank-transactions/{line}/confirm"),
        json!({ "type": "match", "supplier_payment_id": made["data"]["id"] }),
    );
    let path = format!("/supplier-payments/{}", made["data"]["id"]);
    s.both("POST", &format!("{path}/void"), json!({ "reason": "twice" }));
    s.get(&format!("{path}/history"));
    s.see(&["1310", "2100", "2300"]);
}

fn supplier_payments(s: &mut Session) {
    s.books();
    let supplier = s.supplier("Timber Ltd");
    let (first, second) = (s.bill(supplier, "2026-01-05", "500", "ST"), s.bill(supplier, "2026-02-20", "300", "NV"));
    let body = with(
        &s.payment(supplier, "2026-02-10", "700.00", to_invoices(&[(first, "600"), (second, "50.50")])),
        json!({ "method": "cheque", "reference": "000412" }),
    );
    let made = s.both("POST", "/supplier-payments", body);
    let path = format!("/supplier-payments/{}", made["data"]["id"]);
    s.get(&path);
    s.get(&format!("/purchase-invoices/{first}"));
    s.get(&format!("/suppliers/{supplier}"));
    s.both("PATCH", &path, json!({ "memo": "by post" }));
    s.patch(&path, json!({ "method": "cash" }));
    let auto =
        with(&s.payment(supplier, "2026-03-02", "400", json!([])), json!({ "auto_allocate": true, "method": null }));
    let auto = s.both("POST", "/supplier-payments", auto);
    let over = auto["data"]["id"].clone();
    let refund = json!({
        "supplier_id": supplier, "date": "2026-03-03", "amount": "100", "bank_account_id": s.bank(), "kind": "refund",
        "allocations": [{ "payment_id": over, "amount": "100.00" }]
    });
    s.both("POST", "/supplier-payments", refund.clone());
    s.post("/supplier-payments", refund);
    s.post(
        "/supplier-payments",
        with(&s.payment(supplier, "2026-03-03", "1", json!([{ "receipt_id": 1, "amount": 1 }])), json!({})),
    );
    let mut suffered = s.payment(supplier, "2026-03-03", "1", to_invoices(&[(second, "1")]));
    suffered["allocations"][0]["cis_suffered"] = json!("1");
    s.post("/supplier-payments", suffered);
    s.both("POST", &format!("{path}/allocate"), json!({ "allocations": to_invoices(&[(second, "10")]) }));
    let allocations: Vec<Value> =
        made["data"]["allocations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    s.both("POST", &format!("{path}/unallocate"), json!({ "allocation_ids": allocations }));
    s.post(&format!("{path}/unallocate"), json!({ "allocation_ids": allocations }));
    s.post(&format!("{path}/unallocate"), json!({ "allocation_ids": [999_999] }));
    s.post(&format!("/purchase-invoices/{first}/void"), json!({ "void_date": "2026-03-01" }));
    s.both("POST", &format!("{path}/void"), json!({ "reason": "lost in the post" }));
    s.get(&format!("{path}/history"));
    s.get(&format!("/customer-receipts/{}", made["data"]["id"]));
    s.get("/journals?limit=8");
    s.see(&["2100", "1200"]);
}

fn settlements_refused(s: &mut Session) {
    s.books();
    let (customer, other, supplier) =
        (s.customer("Brightwell School"), s.customer("Harbour Hotels"), s.supplier("Timber Ltd"));
    let (invoice, foreign, bill) = (
        s.sale(customer, "2026-01-05", "100", "NV"),
        s.sale(other, "2026-01-05", "100", "NV"),
        s.bill(supplier, "2026-01-05", "100", "NV"),
    );
    let lines = [s.item("4000", "50", "NV")];
    let draft = s.made(
        "/sales-invoices",
        json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": lines, "issue": false }),
    );
    let gone = s.sale(customer, "2026-01-05", "5", "NV");
    s.act(&format!("/sales-invoices/{gone}/void"));
    let shut = s.made("/bank-accounts", json!({ "name": "Old", "code": "1299" }));
    s.both_bare("POST", &format!("/bank-accounts/{shut}/archive"));
    let retired = s.customer("Retired");
    s.act(&format!("/customers/{retired}/archive"));
    s.put("/period-lock", json!({ "lock_date": "2025-12-31" }));
    let body = s.receipt(customer, "2026-01-10", "150", json!([]));
    let to = |allocations: Value| json!({ "allocations": allocations });
    for wrong in [
        json!({ "customer_id": 999_999 }),
        json!({ "customer_id": supplier }),
        json!({ "customer_id": retired }),
        json!({ "bank_account_id": 999_999 }),
        json!({ "bank_account_id": shut }),
        json!({ "date": "2025-12-31" }),
        json!({ "date": "2199-12-31" }),
        json!({ "date": "2026-02-30" }),
        json!({ "amount": 0 }),
        json!({ "amount": -1 }),
        json!({ "amount": "1.005" }),
        json!({ "amount": 1e12 }),
        json!({ "kind": "gift" }),
        json!({ "method": "barter" }),
        json!({ "memo": "m".repeat(1001) }),
        json!({ "odd": 1 }),
        json!({ "currency": "GBP" }),
        json!({ "kind": "refund", "auto_allocate": true }),
        json!({ "kind": "refund" }),
        to(to_invoices(&[(foreign, "1")])),
        to(to_invoices(&[(bill, "1")])),
        to(to_invoices(&[(draft, "1")])),
        to(to_invoices(&[(gone, "1")])),
        to(to_invoices(&[(invoice, "100.01")])),
        to(to_invoices(&[(invoice, "60"), (invoice, "60")])),
        to(to_invoices(&[(invoice, "0")])),
        to(json!([{ "invoice_id": invoice }])),
        to(json!([{ "amount": 1 }])),
        to(json!([{ "invoice_id": invoice, "receipt_id": 1, "amount": 1 }])),
        to(json!([{ "invoice_id": invoice, "amount": 1, "cis_suffered": 100 }])),
        to(json!([{ "invoice_id": invoice, "amount": 1, "cis_suffered": -1 }])),
        to(json!([7])),
        to(json!({})),
        json!({ "amount": 50, "allocations": to_invoices(&[(invoice, "51")]) }),
        json!({ "auto_allocate": "yes" }),
        json!({ "kind": "refund", "allocations": [{ "receipt_id": 999_999, "amount": 1 }] }),
        json!({ "kind": "refund", "allocations": [{ "credit_note_id": invoice, "amount": 1 }] }),
    ] {
        s.post("/customer-receipts", with(&body, wrong));
    }
    let payment = s.payment(supplier, "2026-01-10", "150", json!([]));
    for wrong in [
        json!({ "supplier_id": customer }),
        json!({ "kind": "receipt" }),
        to(to_invoices(&[(invoice, "1")])),
        to(to_invoices(&[(bill, "100.01")])),
        json!({ "kind": "refund", "allocations": [{ "payment_id": 999_999, "amount": 1 }] }),
        json!({ "date": "2025-12-31" }),
        json!({ "customer_id": 1 }),
    ] {
        s.post("/supplier-payments", with(&payment, wrong));
    }
    s.get("/journals");
}

fn settlements_found(s: &mut Session) {
    s.books();
    let (customer, other, supplier) =
        (s.customer("Brightwell School"), s.customer("Harbour Hotels"), s.supplier("Timber Ltd"));
    let savings = s.made("/bank-accounts", json!({ "name": "Savings", "type": "savings", "code": "1210" }));
    let invoice = s.sale(customer, "2026-01-05", "100", "NV");
    for (contact, date, amount, allocations) in [
        (customer, "2026-01-10", "100", to_invoices(&[(invoice, "100")])),
        (customer, "2026-02-10", "30", json!([])),
        (other, "2026-03-10", "7", json!([])),
    ] {
        let body = s.receipt(contact, date, amount, allocations);
        s.made("/customer-receipts", body);
    }
    let body = with(&s.receipt(other, "2026-03-01", "5", json!([])), json!({ "bank_account_id": savings }));
    s.made("/customer-receipts", body);
    s.act("/customer-receipts/3/void");
    let body = s.payment(supplier, "2026-03-01", "5", json!([]));
    s.made("/supplier-payments", body);
    for list in ["/customer-receipts", "/supplier-payments"] {
        let contact =
            if list.starts_with("/c") { format!("customer_id={other}") } else { format!("supplier_id={supplier}") };
        for query in [
            String::new(),
            format!("?{contact}"),
            format!("?bank_account_id={savings}"),
            "?bank_account_id=x".to_owned(),
            "?status=void".to_owned(),
            "?status=posted&limit=1".to_owned(),
            "?status=draft".to_owned(),
            "?has_unallocated=true".to_owned(),
            "?has_unallocated=false".to_owned(),
            "?has_unallocated=1".to_owned(),
            "?date_from=2026-02-01&date_to=2026-02-28".to_owned(),
            "?date_from=2026-02-02&date_to=2026-02-01".to_owned(),
            "?updated_since=2026-03-10T12:00:00Z&limit=1".to_owned(),
            "?limit=1&offset=1".to_owned(),
            "?limit=0".to_owned(),
            format!("?{contact}&status=posted&has_unallocated=true"),
        ] {
            s.get(&format!("{list}{query}"));
        }
    }
}

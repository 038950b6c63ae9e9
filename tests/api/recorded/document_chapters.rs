//! Sales and purchase invoices: drafts, issued, changed, voided, numbered; their VAT under each scheme; CIS.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(
    sales_invoices,
    purchase_invoices,
    document_amounts,
    document_numbers,
    cash_scheme,
    flat_rate_scheme,
    construction
);

fn sales_invoices(s: &mut Session) {
    s.books();
    let customer = s.made("/customers", json!({ "name": "Brightwell School", "payment_terms_days": 7, "default_account_id": s.account("4100"), "default_vat_code": "RR" }));
    let draft = json!({
        "customer_id": customer, "invoice_date": "2026-02-20", "reference": "PO 7", "notes": "Thank you", "issue": false,
        "lines": [
            with(&s.item("4000", "100.00", "ST"), json!({ "quantity": "2.5", "discount_percent": "12.5" })),
            { "description": "By default", "unit_price": "10" },
        ]
    });
    let made = s.both("POST", "/sales-invoices", draft.clone());
    let path = format!("/sales-invoices/{}", made["data"]["id"]);
    s.get(&path);
    for body in [
        json!({ "invoice_date": "2026-02-25" }),
        json!({ "due_date": "2026-03-31" }),
        json!({ "due_date": "2026-02-01" }),
        json!({ "due_date": null }),
        json!({ "lines": [s.item("4000", "9.99", "EX")] }),
        json!({ "lines": [] }),
        json!({ "notes": null, "reference": null }),
        json!({ "vat_inclusive": true }),
        json!({ "currency": "USD" }),
        json!({}),
        json!({ "invoice_number": "DRAFT-1" }),
        json!({ "issue": true }),
        json!({ "customer_id": 999_999 }),
    ] {
        s.patch(&path, body);
    }
    s.header("If-Match", "\"1\"").act(&format!("{path}/issue"));
    s.post(&format!("{path}/issue"), json!({ "now": 1 }));
    s.both_bare("POST", &format!("{path}/issue"));
    s.act(&format!("{path}/issue"));
    s.get(&path);
    s.patch(&path, json!({ "reference": "PO 8", "notes": "changed after the issue" }));
    s.patch(&path, json!({ "invoice_date": "2026-02-26" }));
    s.patch(&path, json!({ "due_date": "2026-05-01" }));
    s.delete(&path);
    s.post(&format!("{path}/void"), json!({ "void_date": "2026-02-01" }));
    s.both("POST", &format!("{path}/void"), json!({ "reason": "wrong customer" }));
    s.act(&format!("{path}/void"));
    s.patch(&path, json!({ "reference": "x" }));
    s.get(&format!("{path}/history"));
    let second = s.made("/sales-invoices", draft);
    s.both_bare("DELETE", &format!("/sales-invoices/{second}"));
    s.delete(&format!("/sales-invoices/{second}"));
    s.act(&format!("/sales-invoices/{second}/void"));
    let third = s.sale(customer, "2026-03-01", "50", "ST");
    s.get("/journals?limit=2");
    s.post(&format!("/sales-invoices/{third}/void"), json!({ "void_date": "2026-03-09" }));
    s.see(&["1100", "2200", "4000", "4100"]);
    s.get(&format!("/customers/{customer}"));
    s.get("/status");
}

fn purchase_invoices(s: &mut Session) {
    s.books();
    let (first, second) = (s.supplier("Timber Ltd"), s.supplier("Veneers Ltd"));
    let bill = json!({
        "supplier_id": first, "invoice_date": "2026-02-20", "supplier_reference": "T-77", "notes": "n",
        "lines": [s.item("5000", "1845.60", "ST")]
    });
    let made = s.both("POST", "/purchase-invoices", bill.clone());
    let path = format!("/purchase-invoices/{}", made["data"]["id"]);
    s.get(&path);
    s.post("/purchase-invoices", bill.clone());
    s.post("/purchase-invoices", with(&bill, json!({ "issue": false })));
    s.post("/purchase-invoices", with(&bill, json!({ "supplier_id": second })));
    s.post("/purchase-invoices", with(&bill, json!({ "supplier_reference": null })));
    s.post("/purchase-invoices", with(&bill, json!({ "invoice_number": "X" })));
    for (price, vat) in [("100", "19.00"), ("100", "18.99"), ("100", "21.00"), ("100", "21.01"), ("0.01", "0")] {
        let line = with(&s.item("5000", price, "ST"), json!({ "vat_amount": vat }));
        s.post("/purchase-invoices?dry_run=true", with(&bill, json!({ "supplier_reference": null, "lines": [line] })));
    }
    let draft = s.made("/purchase-invoices", with(&bill, json!({ "issue": false, "supplier_reference": "T-78" })));
    let draft = format!("/purchase-invoices/{draft}");
    s.patch(&draft, json!({ "supplier_reference": "T-77" }));
    s.patch(&draft, json!({ "supplier_id": second }));
    s.patch(&draft, json!({ "supplier_id": first, "supplier_reference": "T-79", "invoice_date": "2026-03-01" }));
    s.patch(&draft, json!({ "lines": [s.item("5000", "5", "RR"), s.item("7100", "6", "NV")] }));
    s.both_bare("POST", &format!("{draft}/issue"));
    s.act(&format!("{draft}/issue"));
    s.delete(&draft);
    s.patch(&draft, json!({ "supplier_reference": "T-80" }));
    let unwanted = s.made("/purchase-invoices", with(&bill, json!({ "issue": false, "supplier_reference": "T-81" })));
    s.both_bare("DELETE", &format!("/purchase-invoices/{unwanted}"));
    s.both("POST", &format!("{path}/void"), json!({ "void_date": "2026-03-01", "reason": "sent back" }));
    s.post("/purchase-invoices", bill);
    s.get(&format!("{path}/history"));
    s.get(&format!("/suppliers/{first}"));
    for query in [
        "",
        "?status=issued",
        "?status=void",
        "?status=odd",
        "?search=t-7",
        "?search=timber",
        "?supplier_id=2",
        "?supplier_id=x",
        "?date_from=2026-03-01",
        "?due_before=2026-03-25",
        "?overdue=true",
        "?overdue=false&limit=1",
        "?overdue=1",
        "?updated_since=2026-03-10T12:00:00Z&limit=1&offset=2",
        "?limit=1",
        "?date_from=2026-03-02&date_to=2026-03-01",
    ] {
        s.get(&format!("/purchase-invoices{query}"));
    }
    s.see(&["2100", "2200", "5000"]);
}

fn document_amounts(s: &mut Session) {
    s.books();
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let sale = json!({ "customer_id": customer, "invoice_date": "2026-03-01" });
    let rehearsed = |s: &mut Session, lines: Value, more: Value| {
        s.post("/sales-invoices?dry_run=true", with(&with(&sale, json!({ "lines": lines })), more));
    };
    for (price, code) in [
        ("0.70", "RR"),
        ("2.30", "RR"),
        ("0.30", "RR"),
        ("0.50", "RR"),
        ("0.29", "RR"),
        ("10.03", "ST"),
        ("99999999.99", "ST"),
    ] {
        let line = s.item("4000", price, code);
        rehearsed(s, json!([line, line, line]), json!({}));
    }
    for (price, code) in [("2500.00", "ST"), ("0.03", "ST"), ("63", "RR"), ("9.99", "EX"), ("0.01", "ST")] {
        let line = s.item("4000", price, code);
        rehearsed(s, json!([line]), json!({ "vat_inclusive": true }));
    }
    for (quantity, price, discount) in [
        ("7.5", "38.50", "0"),
        ("1", "1.005", "0"),
        ("3", "0.3333", "0"),
        ("0.3333", "3", "0"),
        ("12.5", "36.00", "7.5"),
        ("3", "0.335", "50"),
        ("1", "99.99", "33.33"),
        ("1", "10.00", "100"),
        ("-1", "10.00", "0"),
        ("0", "1", "0"),
        ("1.00001", "1", "0"),
        ("999999999", "999999999", "0"),
        ("1", "1", "100.01"),
        ("1", "1", "-1"),
        ("1", "1", "12.555"),
    ] {
        let line = with(&s.item("4000", price, "NV"), json!({ "quantity": quantity, "discount_percent": discount }));
        let other = s.item("4100", "1.00", "NV");
        rehearsed(s, json!([line, other]), json!({}));
    }
    for vat in ["20.01", "19.99", "20.02", "19.98", "-20", "0.001"] {
        let line = with(&s.item("4000", "100", "ST"), json!({ "vat_amount": vat }));
        rehearsed(s, json!([line]), json!({}));
    }
    let lines = json!([s.item("4000", "100.00", "ST"), s.item("4100", "-100.00", "ST")]);
    s.both("POST", "/sales-invoices", with(&sale, json!({ "lines": lines })));
    let lines = json!([s.item("4000", "-0.30", "RR"), s.item("4000", "5.00", "ZR")]);
    s.both("POST", "/sales-invoices", with(&sale, json!({ "lines": lines })));
    let lines = json!([s.item("4000", "-5.00", "ZR")]);
    s.post("/sales-invoices", with(&sale, json!({ "lines": lines })));
    s.post(
        "/purchase-invoices",
        json!({ "supplier_id": supplier, "invoice_date": "2026-03-01", "lines": [s.item("5000", "-5.00", "ZR")] }),
    );
    for code in ["1100", "1200", "2200", "2100"] {
        let line = s.item(code, "5", "NV");
        rehearsed(s, json!([line]), json!({}));
    }
    for (date, due) in [
        ("2024-01-30", Value::Null),
        ("2025-02-29", Value::Null),
        ("2199-12-31", Value::Null),
        ("2199-12-31", json!("2199-12-31")),
    ] {
        let line = s.item("4000", "5", "NV");
        s.post(
            "/sales-invoices?dry_run=true",
            json!({ "customer_id": customer, "invoice_date": date, "due_date": due, "lines": [line] }),
        );
    }
    s.get("/journals");
}

fn document_numbers(s: &mut Session) {
    s.books_of(json!({ "name": "Numbers Ltd", "sales_invoice_prefix": "LJ-", "sales_credit_note_prefix": "LC-" }));
    let customer = s.customer("Brightwell School");
    let sale = |s: &Session, number: Value| json!({ "customer_id": customer, "invoice_date": "2026-03-01", "invoice_number": number, "lines": [s.item("4000", "1", "NV")] });
    for number in [
        Value::Null,
        json!("LJ-0050"),
        Value::Null,
        json!("LJ-0050"),
        json!("lj-0050"),
        json!("2026/17"),
        Value::Null,
        json!(""),
        json!("n".repeat(60)),
        json!("LJ-0051"),
        json!(" LJ-0060 "),
        json!("LJ-9999"),
        Value::Null,
    ] {
        let body = sale(s, number);
        s.post("/sales-invoices", body);
    }
    let draft = with(&sale(s, json!("LJ-0050")), json!({ "issue": false }));
    s.post("/sales-invoices", draft);
    let draft = with(&sale(s, json!("LJ-0100")), json!({ "issue": false }));
    let draft = s.made("/sales-invoices", draft);
    let taken = sale(s, json!("LJ-0100"));
    s.post("/sales-invoices", taken);
    s.patch(&format!("/sales-invoices/{draft}"), json!({ "invoice_number": null }));
    s.both_bare("POST", &format!("/sales-invoices/{draft}/issue"));
    s.patch("", json!({ "sales_invoice_prefix": "NEW-" }));
    let body = sale(s, Value::Null);
    s.both("POST", "/sales-invoices", body);
    for number in [Value::Null, json!("LC-0009"), Value::Null, json!("LC-0009")] {
        let lines = [s.item("4000", "1", "NV")];
        s.post("/sales-credit-notes", json!({ "customer_id": customer, "credit_note_date": "2026-03-01", "credit_note_number": number, "lines": lines }));
    }
    for query in [
        "",
        "?search=lj-00",
        "?search=2026",
        "?status=draft",
        "?status=issued&limit=2",
        "?customer_id=1&limit=1&offset=3",
        "?overdue=true",
        "?due_before=2026-03-31",
        "?due_before=2026-04-01&limit=1",
        "?date_from=2026-03-02",
        "?status=paid",
        "?customer_id=0",
        "?search=brightwell&limit=1",
    ] {
        s.get(&format!("/sales-invoices{query}"));
    }
}

fn cash_scheme(s: &mut Session) {
    s.books_of(json!({
        "name": "Cash Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "cash", "vat_scheme_from": "2025-04-01"
    }));
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let sale = s.sale(customer, "2026-01-05", "100", "ST");
    let bill = s.bill(supplier, "2026-01-06", "50", "ST");
    s.get(&format!("/sales-invoices/{sale}"));
    s.get("/journals");
    let receipt = s.receipt(customer, "2026-01-20", "60", to_invoices(&[(sale, "60")]));
    s.both("POST", "/customer-receipts", receipt);
    let payment = s.payment(supplier, "2026-01-21", "60", to_invoices(&[(bill, "60")]));
    s.both("POST", "/supplier-payments", payment);
    s.get("/journals");
    s.see(&["1100", "2100", "2200", "4000", "5000"]);
    s.act("/customer-receipts/1/void");
    let credit = s.credit(customer, "2026-02-01", "50", "ST");
    s.both(
        "POST",
        &format!("/sales-credit-notes/{credit}/allocate"),
        json!({ "allocations": to_invoices(&[(sale, "60")]) }),
    );
    s.act(&format!("/sales-invoices/{sale}/void"));
    let rest = s.receipt(customer, "2026-02-20", "60", to_invoices(&[(sale, "60")]));
    s.post("/customer-receipts", rest);
    s.get(&format!("/sales-invoices/{sale}"));
    let line = s.entered("2026-02-21", "-24.00", "STAPLES");
    s.post(&format!("/bank-transactions/{line}/confirm"), json!({ "account_id": s.account("7100"), "vat_code": "ST" }));
    s.patch("", json!({ "vat_scheme": "standard", "vat_scheme_from": "2026-04-01" }));
    s.sale(customer, "2026-04-02", "10", "ST");
    s.see(&["1100", "2100", "2200", "4000", "5000"]);
    s.get("/journals?limit=5");
}

fn flat_rate_scheme(s: &mut Session) {
    s.books_of(json!({
        "name": "Flat Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "flat_rate", "flat_rate_percent": 9.5,
        "vat_scheme_from": "2026-01-01"
    }));
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    s.sale(customer, "2026-02-01", "100", "ST");
    for (date, code, price) in [
        ("2026-02-01", "5000", "100.00"),
        ("2026-02-01", "0030", "1666.67"),
        ("2026-02-01", "0030", "1666.66"),
        ("2025-12-31", "5000", "100.00"),
    ] {
        let bill = json!({ "supplier_id": supplier, "invoice_date": date, "lines": [s.item(code, price, "ST")] });
        s.both("POST", "/purchase-invoices", bill);
    }
    let line = s.entered("2026-02-21", "-24.00", "STAPLES");
    s.both(
        "POST",
        &format!("/bank-transactions/{line}/confirm"),
        json!({ "account_id": s.account("7100"), "vat_code": "ST" }),
    );
    let line = s.entered("2026-02-22", "24.00", "COUNTER SALE");
    s.both(
        "POST",
        &format!("/bank-transactions/{line}/confirm"),
        json!({ "account_id": s.account("4000"), "vat_code": "ST" }),
    );
    let note =
        json!({ "supplier_id": supplier, "credit_note_date": "2026-02-23", "lines": [s.item("5000", "10", "ST")] });
    s.both("POST", "/purchase-credit-notes", note);
    s.get("/journals");
    s.see(&["1100", "2100", "2200", "4000", "5000", "0030", "7100"]);
}

fn construction(s: &mut Session) {
    s.books();
    let (reed, customer, plain) =
        (s.subcontractor("Reed Carpentry", 20), s.customer("Main Contractor"), s.supplier("Timber Ltd"));
    let line = |s: &Session, price: &str, cis: &str| with(&s.item("5100", price, "ST"), json!({ "cis_type": cis }));
    let lines = [line(s, "1500", "labour"), line(s, "420", "materials"), line(s, "10", "none")];
    let bill = json!({ "supplier_id": reed, "invoice_date": "2026-01-05", "lines": lines });
    let made = s.both("POST", "/purchase-invoices", bill.clone());
    let bill_id = made["data"]["id"].as_i64().unwrap();
    s.post("/purchase-invoices", with(&bill, json!({ "supplier_id": plain })));
    s.post(
        "/sales-invoices",
        json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [line(s, "1", "labour")] }),
    );
    s.post("/purchase-invoices", with(&bill, json!({ "lines": [line(s, "1", "plant")] })));
    let payment = s.payment(reed, "2026-01-20", "700", to_invoices(&[(bill_id, "700")]));
    s.both("POST", "/supplier-payments", payment.clone());
    s.get(&format!("/purchase-invoices/{bill_id}"));
    s.post(
        "/supplier-payments",
        with(&payment, json!({ "amount": 2000, "allocations": to_invoices(&[(bill_id, "1500")]) })),
    );
    let later = s.payment(reed, "2026-02-20", "500", json!([]));
    let later = s.made("/supplier-payments", later);
    let given = s.both(
        "POST",
        &format!("/supplier-payments/{later}/allocate"),
        json!({ "allocations": to_invoices(&[(bill_id, "500")]) }),
    );
    for query in [
        "?period_start=2026-01-06&period_end=2026-02-05",
        "?period_start=2026-02-06&period_end=2026-03-05",
        "?period_start=2026-01-06&period_end=2026-03-05",
        "?period_start=2026-03-06&period_end=2026-04-05",
        "",
        "?period_start=2026-01-06",
        "?period_start=2026-02-30&period_end=2026-03-05",
        "?period_start=2026-03-06&period_end=2026-03-05",
        "?period_end=x&period_start=y",
    ] {
        s.get(&format!("/cis/position{query}"));
    }
    let allocation = given["data"]["allocations"][0]["id"].clone();
    s.both("POST", &format!("/supplier-payments/{later}/unallocate"), json!({ "allocation_ids": [allocation] }));
    let invoice = s.sale(customer, "2026-01-05", "1500", "ST");
    let mut receipt = s.receipt(customer, "2026-01-20", "1600", to_invoices(&[(invoice, "1600")]));
    receipt["allocations"][0]["cis_suffered"] = json!("200.00");
    s.both("POST", "/customer-receipts", receipt.clone());
    receipt["allocations"][0]["cis_suffered"] = json!("300.01");
    s.post("/customer-receipts", receipt);
    s.get(&format!("/sales-invoices/{invoice}"));
    s.both("POST", "/supplier-payments/1/void", json!({ "reason": "bounced" }));
    s.get(&format!("/purchase-invoices/{bill_id}"));
    s.get("/cis/position?period_start=2026-01-06&period_end=2026-03-05");
    s.get("/journals?limit=10");
    s.learn_accounts();
    s.see(&["2220", "1320", "2100", "1100"]);
    s.patch(&format!("/suppliers/{reed}"), json!({ "cis": { "deduction_rate": 30 } }));
    s.post("/purchase-invoices?dry_run=true", bill);
}

//! VAT: adjustments of the return, reverse charges, and the basis of documents.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(vat_adjustments, vat_treatments, vat_returns);

fn vat_adjustments(s: &mut Session) {
    s.books();
    let fuel = s.account("7400");
    let body = json!({
        "date": "2026-03-31", "reason": "fuel_scale_charge", "description": "Scale charge, one car",
        "entries": [{ "box": 1, "amount": 61.17 }, { "box": 6, "amount": "305.83" }], "account_id": fuel
    });
    s.both("POST", "/vat-adjustments", body.clone());
    let import = json!({
        "date": "2026-02-28", "reason": "postponed_import", "description": "February statement",
        "entries": [{ "box": 1, "amount": 500 }, { "box": 4, "amount": 500 }, { "box": 7, "amount": 2500 }]
    });
    s.both("POST", "/vat-adjustments", import.clone());
    let relief = json!({ "entries": [{ "box": 4, "amount": 20 }], "reason": "bad_debt_relief", "account_id": null, "account_code": "8100" });
    s.post("/vat-adjustments", with(&body, relief));
    s.header("Idempotency-Key", "v").post("/vat-adjustments", body.clone());
    s.header("Idempotency-Key", "v").post("/vat-adjustments", body.clone());
    for changes in [
        json!({ "account_id": null }),
        json!({ "account_id": s.account("1200") }),
        json!({ "account_id": s.account("2200") }),
        json!({ "account_id": 999_999 }),
        json!({ "account_code": "7400" }),
        json!({ "entries": [] }),
        json!({ "entries": [{ "box": 3, "amount": 1 }, { "box": 1, "amount": 0 }, { "amount": "x" }, 7] }),
        json!({ "entries": [{ "box": 1, "amount": 1 }, { "box": 4, "amount": 1 }] }),
        json!({ "reason": "generosity", "date": "2026-02-30", "description": "" }),
        json!({ "odd": 1 }),
    ] {
        s.post("/vat-adjustments", with(&body, changes));
    }
    s.post("/vat-adjustments", json!({}));
    s.get("/vat-adjustments");
    for query in ["?date_from=2026-03-01", "?date_to=2026-03-01", "?status=void", "?status=odd", "?reason=other"] {
        s.get(&format!("/vat-adjustments{query}"));
    }
    s.get("/vat-adjustments/1");
    s.get("/vat-adjustments/99");
    s.header("If-Match", "\"7\"").post("/vat-adjustments/1/void", json!({}));
    s.post("/vat-adjustments/1/void", json!({ "void_date": "2026-03-30" }));
    s.both("POST", "/vat-adjustments/1/void", json!({ "void_date": "2026-04-01", "reason": "not used privately" }));
    s.act("/vat-adjustments/1/void");
    s.act("/vat-adjustments/99/void");
    s.put("/period-lock", json!({ "lock_date": "2026-02-28" }));
    s.post("/vat-adjustments/2/void", Value::Null);
    s.act("/vat-adjustments/2/void");
    s.post("/vat-adjustments", import);
    s.get("/vat-adjustments?limit=2");
    s.get("/vat-adjustments/1/history");
    s.get("/vat-adjustments/99/history");
    s.get("/journals?source_type=vat_adjustment");
    s.see(&["2200", "7400", "8100"]);
}

fn vat_treatments(s: &mut Session) {
    s.books_of(json!({
        "name": "Cash Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "cash", "vat_scheme_from": "2025-04-01"
    }));
    let (customer, supplier) = (s.customer("Main contractor"), s.supplier("Reed Carpentry"));
    let charged = |line: Value, charge: &str| with(&line, json!({ "reverse_charge": charge }));
    let services = charged(s.item("5100", "1000.03", "ST"), "domestic");
    let bill = json!({
        "supplier_id": supplier, "invoice_date": "2026-01-05",
        "lines": [services, charged(s.item("7500", "10", "RR"), "imported_services"), s.item("5000", "100", "ST")]
    });
    s.both("POST", "/purchase-invoices", bill.clone());
    s.get("/journals/1");
    for line in [
        charged(s.item("5100", "10", "ZR"), "domestic"),
        charged(s.item("5100", "10", "ST"), "foreign"),
        with(&services, json!({ "vat_amount": "0.01" })),
        with(&services, json!({ "vat_basis": "standard" })),
    ] {
        s.post("/purchase-invoices", with(&bill, json!({ "lines": [line] })));
    }
    let note =
        json!({ "supplier_id": supplier, "credit_note_date": "2026-01-06", "invoice_id": 1, "lines": [services] });
    s.made("/purchase-credit-notes", note);
    let sale = json!({
        "customer_id": customer, "invoice_date": "2026-01-05", "vat_inclusive": true,
        "lines": [charged(s.item("4000", "120", "ST"), "domestic"), s.item("4000", "120", "ST")]
    });
    s.made("/sales-invoices", sale.clone());
    s.post(
        "/sales-invoices",
        with(&sale, json!({ "lines": [charged(s.item("4000", "1", "ST"), "imported_services")] })),
    );
    for basis in [json!("standard"), json!("cash"), Value::Null] {
        s.post("/sales-invoices", with(&sale, json!({ "vat_basis": basis })));
    }
    s.post("/sales-invoices", with(&sale, json!({ "due_date": "2026-07-05" })));
    s.post("/sales-invoices", with(&sale, json!({ "due_date": "2026-07-06" })));
    let van = with(&s.item("0050", "1000", "ST"), json!({ "vat_basis": "standard" }));
    s.post(
        "/sales-invoices",
        with(&sale, json!({ "lines": [van, with(&s.item("4000", "1", "ST"), json!({ "vat_basis": "standard" }))] })),
    );
    s.made("/sales-invoices", with(&sale, json!({ "lines": [van], "issue": false })));
    s.see(&["2100", "2200", "4000", "5000", "5100"]);
    s.get("/journals");
}

fn vat_returns(s: &mut Session) {
    s.books_of(json!({
        "name": "Cash Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "cash", "vat_scheme_from": "2024-04-01"
    }));
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Reed Carpentry"));
    let sale = json!({
        "customer_id": customer, "invoice_date": "2025-08-05", "lines": [s.item("4000", "100.01", "ST"), s.item("4000", "20", "ZR")]
    });
    let sale = s.post("/sales-invoices", sale)["data"]["id"].as_i64().unwrap();
    let charged = with(&s.item("7500", "10", "RR"), json!({ "reverse_charge": "imported_services" }));
    let bill = json!({ "supplier_id": supplier, "invoice_date": "2025-09-01", "lines": [s.item("5000", "50", "ST"), charged] });
    s.post("/purchase-invoices", bill);
    let receipt = s.receipt(customer, "2025-09-10", "60", to_invoices(&[(sale, "50")]));
    s.post("/customer-receipts", receipt);
    let quarter = "/reports/vat-return?period_start=2025-07-01&period_end=2025-09-30";
    s.get(quarter);
    s.get(&format!("{quarter}&detail=true"));
    s.get("/reports/vat-return?period_start=2025-07-02&period_end=2025-09-30&detail=odd&odd=1");
    s.get("/reports/vat-return?period_end=2025-09-30");
    let body = json!({ "period_end": "2025-09-30", "filed_on": "2025-11-01", "hmrc_receipt": "256660290587" });
    s.both("POST", "/vat-returns", body.clone());
    s.post("/vat-returns", body);
    for body in [
        json!({}),
        json!({ "period_end": "2025-09-29" }),
        json!({ "period_end": "2199-12-31" }),
        json!({ "period_end": "2025-06-30", "filed_on": "2025-06-30" }),
        json!({ "period_end": "x", "filed_on": 7, "hmrc_receipt": 7, "odd": 1 }),
    ] {
        s.post("/vat-returns", body);
    }
    let late = json!({ "customer_id": customer, "invoice_date": "2025-09-30", "vat_basis": "standard", "lines": [s.item("4000", "5", "ST")] });
    s.post("/sales-invoices", late);
    s.get("/reports/vat-return?period_start=2025-10-01&period_end=2025-12-31");
    s.get(quarter);
    s.get("/vat-returns");
    s.get("/vat-returns?limit=0");
    s.get("/vat-returns/1?detail=true");
    s.get("/vat-returns/1?odd=1");
    s.get("/vat-returns/99");
    let flat = json!({
        "vat_scheme": "flat_rate", "vat_scheme_from": "2026-01-01", "flat_rate_percent": 9.5, "flat_rate_basis": "cash"
    });
    s.patch("", flat);
    let sale =
        json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [s.item("4000", "1000", "ST")] });
    let sale = s.post("/sales-invoices", sale)["data"]["id"].as_i64().unwrap();
    let receipt = s.receipt(customer, "2026-01-10", "600", to_invoices(&[(sale, "600")]));
    s.post("/customer-receipts", receipt);
    s.get("/reports/vat-return?period_start=2026-01-01&period_end=2026-03-31&detail=true");
    s.both_bare("DELETE", "/vat-returns/1");
    s.delete("/vat-returns/1");
    s.get("/vat-returns/1/history");
    s.get("/vat-returns/99/history");
}

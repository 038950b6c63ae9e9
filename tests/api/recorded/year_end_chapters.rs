//! Write-offs of sales invoices, and the ends of financial years.

use serde_json::{Value, json};

use super::session::Session;

super::chapters!(write_offs, financial_years);

fn write_offs(s: &mut Session) {
    s.books();
    s.post("/customers", json!({ "name": "Brightwell School" }));
    let line = json!({ "description": "Hinges", "account_id": s.account("4000"), "unit_price": 100, "vat_code": "ST" });
    for date in ["2026-01-10", "2026-01-11", "2026-01-12"] {
        s.post("/sales-invoices", json!({ "customer_id": 1, "invoice_date": date, "lines": [line] }));
    }
    s.post(
        "/sales-invoices",
        json!({ "customer_id": 1, "invoice_date": "2026-01-13", "lines": [line], "issue": false }),
    );
    s.both("POST", "/sales-invoices/1/write-off", json!({ "date": "2026-03-01" }));
    s.post("/sales-invoices/1/write-off", json!({ "date": "2026-03-01" }));
    s.post("/sales-invoices/4/write-off", json!({ "date": "2026-03-01" }));
    s.post("/sales-invoices/99/write-off", json!({ "date": "2026-03-01" }));
    for body in [
        json!({}),
        json!({ "date": "2026-01-10" }),
        json!({ "date": "2026-03-01", "amount": 120.01 }),
        json!({ "date": "2026-03-01", "amount": 0 }),
        json!({ "date": "2026-03-01", "account_code": "1200" }),
        json!({ "date": "2026-03-01", "account_code": "9998" }),
        json!({ "date": "2026-03-01", "account_id": 1, "account_code": "8100", "odd": 1 }),
        Value::Null,
    ] {
        s.post("/sales-invoices/2/write-off", body);
    }
    let part = json!({ "date": "2026-03-02", "amount": "20.00", "account_code": "8200" });
    s.header("Idempotency-Key", "w").post("/sales-invoices/2/write-off", part.clone());
    s.header("Idempotency-Key", "w").post("/sales-invoices/2/write-off", part);
    s.header("If-Match", "\"9\"").post("/sales-invoices/3/write-off", json!({ "date": "2026-03-02" }));
    s.get("/sales-invoices/2");
    s.get("/write-offs/1");
    s.get("/write-offs/99");
    s.get("/write-offs/1?odd=1");
    s.get("/journals?source_type=write_off");
    s.get("/reports/customer-statement/1?period_start=2026-01-01&period_end=2026-03-31");
    s.act("/sales-invoices/1/void");
    s.post("/write-offs/1/void", json!({ "void_date": "2026-02-28" }));
    s.both("POST", "/write-offs/1/void", json!({ "void_date": "2026-03-05", "reason": "paid after all" }));
    s.act("/write-offs/1/void");
    s.act("/write-offs/99/void");
    s.get("/write-offs/1/history");
    s.get("/write-offs/99/history");
    s.get("/reports/customer-statement/1?period_start=2026-01-01&period_end=2026-03-31");
}

fn financial_years(s: &mut Session) {
    s.books();
    let (bank, sales, rent) = (s.account("1200"), s.account("4000"), s.account("7100"));
    let dividends = s.account("3100");
    for (date, debit, credit, amount) in [
        ("2024-05-01", bank, sales, "700.00"),
        ("2025-02-01", rent, bank, "200.00"),
        ("2025-03-31", dividends, bank, "50.00"),
        ("2025-04-01", bank, sales, "30.00"),
    ] {
        let lines = json!([{ "account_id": debit, "debit": amount }, { "account_id": credit, "credit": amount }]);
        s.post("/journals", json!({ "entry_date": date, "description": "Trade", "lines": lines }));
    }
    s.get("/financial-years");
    s.get("/financial-years?odd=1");
    s.get("/status");
    for body in [
        json!({ "transfer_account_ids": [sales] }),
        json!({ "transfer_account_ids": [999_999] }),
        json!({ "transfer_account_ids": ["x"], "odd": 1 }),
        Value::Null,
    ] {
        s.post("/financial-years/2025-03-31/close", body);
    }
    s.act("/financial-years/2025-03-30/close");
    s.act("/financial-years/2026-03-31/close");
    s.act("/financial-years/2025-03-31/reopen");
    s.both("POST", "/financial-years/2025-03-31/close", json!({ "transfer_account_ids": [dividends] }));
    s.act("/financial-years/2025-03-31/close");
    s.act("/financial-years/2024-03-31/close");
    s.get("/financial-years");
    s.get("/period-lock");
    s.get("/journals?source_type=year_end_close");
    s.get("/reports/trial-balance?as_of=2025-03-31");
    s.get("/reports/trial-balance?as_of=2025-04-01");
    s.get(&format!("/accounts/{dividends}/transactions"));
    s.get(&format!("/accounts/{sales}/transactions"));
    s.act("/financial-years/2025-03-31/reopen?dry_run=true");
    s.act("/financial-years/2025-03-31/reopen");
    s.get("/financial-years");
    s.get("/period-lock");
    s.get("/changes");
}

//! The return of a contractor and the statements of its subcontractors. The bytes of a printed statement are compared elsewhere.

use serde_json::json;

use super::session::Session;
use super::trade::to_invoices;

super::chapters!(cis_returns);

fn cis_returns(s: &mut Session) {
    s.books();
    s.get("/cis/returns/2026-02-05");
    s.patch("", json!({ "paye_reference": "123/AB456", "accounts_office_reference": "123PA00045678" }));
    let cis = |rate: i64| json!({ "is_subcontractor": true, "deduction_rate": rate, "utr": "1234567890", "verification_number": "V1" });
    let reed = s.made("/suppliers", json!({ "name": "Reed Carpentry", "cis": cis(20) }));
    let elm = json!({ "name": "Elm Roofing", "cis": { "is_subcontractor": true, "deduction_rate": 30 } });
    let elm = s.made("/suppliers", elm);
    let plain = s.supplier("Timber Ltd");
    let line = |s: &mut Session, price: &str, kind: &str| {
        let mut line = s.item("5100", price, "ST");
        line["cis_type"] = json!(kind);
        line
    };
    let lines = [line(s, "1500", "labour"), line(s, "420", "materials")];
    let bill =
        s.made("/purchase-invoices", json!({ "supplier_id": reed, "invoice_date": "2026-01-05", "lines": lines }));
    let payment = s.payment(reed, "2026-01-20", "700", to_invoices(&[(bill, "700")]));
    let payment = s.made("/supplier-payments", payment);
    let lines = [line(s, "1000", "labour")];
    let bill =
        s.made("/purchase-invoices", json!({ "supplier_id": elm, "invoice_date": "2026-01-05", "lines": lines }));
    let paid = s.payment(elm, "2026-01-20", "900", to_invoices(&[(bill, "900")]));
    s.made("/supplier-payments", paid);
    let advance = s.payment(reed, "2026-02-05", "60", json!([]));
    s.made("/supplier-payments", advance);
    s.post(&format!("/supplier-payments/{payment}/void"), json!({ "void_date": "2026-02-20" }));
    for end in ["2026-01-05", "2026-02-05", "2026-03-05", "2026-03-06", "2026-02-30", "x"] {
        s.get(&format!("/cis/returns/{end}"));
    }
    s.get("/cis/returns/2026-02-05?month=1");
    s.get("/cis/returns/2026-02-05?format=xlsx");
    s.head_of("/cis/returns/2026-02-05?format=csv");
    s.head_of("/cis/returns/2026-02-05?format=pdf");
    s.act("/cis/returns/2026-02-05");
    for supplier in [reed, elm] {
        s.get(&format!("/suppliers/{supplier}/cis-statement?tax_month_end=2026-02-05"));
        s.head_of(&format!("/suppliers/{supplier}/cis-statement/pdf?tax_month_end=2026-02-05"));
    }
    for supplier in [reed, plain, 999_999] {
        for rest in ["", "/pdf"] {
            s.get(&format!("/suppliers/{supplier}/cis-statement{rest}?tax_month_end=2026-03-05"));
        }
    }
    for query in ["", "?tax_month_end=2026-02-06", "?tax_month_end=2026-02-05&page=1"] {
        s.get(&format!("/suppliers/{reed}/cis-statement{query}"));
        s.get(&format!("/suppliers/{reed}/cis-statement/pdf{query}"));
    }
    let path = format!("/suppliers/{reed}/cis-statement/email");
    let body = json!({ "tax_month_end": "2026-02-05" });
    s.post(&path, json!({}));
    s.post(&path, json!({ "tax_month_end": "2026-02-06", "cc": "a", "month": 1 }));
    s.key("sender", "owner", &["books:read", "books:send"]);
    s.post(&path, json!({}));
    s.post(&path, json!({ "tax_month_end": "2026-02-06", "cc": "a", "month": 1 }));
    s.post(&path, body.clone());
    s.post(&path, json!({ "tax_month_end": "2026-03-05", "to": ["reed@example.com"] }));
    s.post(&path, json!({ "tax_month_end": "2026-02-05", "to": ["reed@example.com"] }));
    s.get(&format!("/suppliers/{reed}/history"));
    for path in [
        "/cis/returns/2026-02-05".to_owned(),
        format!("/suppliers/{reed}/cis-statement?tax_month_end=2026-02-05"),
        format!("/suppliers/{reed}/cis-statement/pdf?tax_month_end=2026-02-05"),
    ] {
        s.by("nobody").get(&path);
        s.by("owner");
    }
}

//! The reports about customers and suppliers, of books with a little of everything.

use serde_json::json;

use super::session::Session;
use super::trade::{to_invoices, with};

super::chapters!(contact_reports);

fn contact_reports(s: &mut Session) {
    s.books();
    let (school, builder, timber) =
        (s.customer("Brightwell School"), s.customer("Abbey Homes"), s.supplier("Timber Ltd"));
    let reed = s.subcontractor("Reed Carpentry", 20);
    let invoice = s.sale(school, "2025-12-20", "100", "ST");
    let voided = s.sale(builder, "2026-01-05", "30", "ZR");
    let receipt = s.receipt(school, "2026-01-20", "90", to_invoices(&[(invoice, "70")]));
    s.post("/customer-receipts", receipt);
    let note =
        json!({ "customer_id": school, "credit_note_date": "2026-02-01", "lines": [s.item("4000", "12", "NV")] });
    s.post("/sales-credit-notes", note);
    s.post(&format!("/sales-invoices/{voided}/void"), json!({ "void_date": "2026-02-10" }));
    let labour = with(&s.item("5100", "500", "ST"), json!({ "cis_type": "labour" }));
    let bill =
        json!({ "supplier_id": reed, "invoice_date": "2026-01-10", "supplier_reference": "RC-7", "lines": [labour] });
    let bill = s.post("/purchase-invoices", bill)["data"]["id"].as_i64().unwrap();
    let payment = s.payment(reed, "2026-01-31", "250", to_invoices(&[(bill, "250")]));
    s.post("/supplier-payments", payment);
    let entered = json!({
        "entry_date": "2026-01-15", "description": "Direct", "lines": [
            { "account_id": s.account("1100"), "debit": 15, "contact_id": builder },
            { "account_id": s.account("2100"), "credit": 10, "contact_id": timber },
            { "account_id": s.account("2100"), "credit": 5 },
        ]
    });
    s.post("/journals", entered);
    for (name, contact, other) in [("aged-debtors", school, timber), ("aged-creditors", reed, school)] {
        for query in [
            String::new(),
            "?as_of=2025-12-19".to_owned(),
            "?as_of=2026-01-31".to_owned(),
            "?as_of=2026-01-31&age_by=invoice_date".to_owned(),
            format!("?as_of=2026-01-31&contact_id={contact}"),
            format!("?as_of=2026-01-31&contact_id={other}"),
            "?as_of=2026-02-30&age_by=age&contact_id=x&odd=1".to_owned(),
        ] {
            s.get(&format!("/reports/{name}{query}"));
        }
    }
    for (name, contact) in [("sales-by-customer", school), ("purchases-by-supplier", reed)] {
        for query in [
            "?period_start=2025-12-01&period_end=2026-01-31".to_owned(),
            "?period_start=2026-02-01&period_end=2026-02-28".to_owned(),
            format!("?period_start=2025-12-01&period_end=2026-02-28&contact_id={contact}"),
            "?period_start=2026-02-01&contact_id=0".to_owned(),
        ] {
            s.get(&format!("/reports/{name}{query}"));
        }
    }
    for (name, contact, other) in [("customer-statement", school, reed), ("supplier-statement", reed, school)] {
        for rest in [
            format!("{contact}?period_start=2026-01-01&period_end=2026-01-31"),
            format!("{contact}?period_start=2026-02-01&period_end=2026-02-28"),
            format!("{contact}?period_start=2026-02-01"),
            format!("{contact}?period_start=2026-02-01&period_end=2026-02-28&contact_id=1"),
            format!("{other}?period_start=2026-01-01&period_end=2026-01-31"),
            "999?period_start=2026-01-01".to_owned(),
            "x".to_owned(),
        ] {
            s.get(&format!("/reports/{name}/{rest}"));
        }
    }
    s.get("/reports/aged-everything");
}

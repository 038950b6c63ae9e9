//! How the books stand.

use serde_json::{Value, json};

use super::Books;
use crate::support::database::on_both_databases;

on_both_databases! {
    fn the_status_tells_what_waits(database) {
        let books = Books::on(&database);
        let status = || books.get("/status")["data"].clone();
        let codes = |status: &Value| -> Vec<Value> {
            status["gaps"].as_array().unwrap().iter().map(|gap| gap["code"].clone()).collect()
        };
        let new = status();
        assert_eq!(codes(&new), [json!("no_vat_control_account"), json!("no_opening_balances")]);
        assert_eq!((&new["drafts"], &new["locked_through"], &new["organisation_id"]), (&json!(0), &Value::Null, &json!(books.id)));

        books.vat_control();
        let opening = json!({
            "as_of": "2026-01-31",
            "lines": [{ "account_code": "1200", "debit": "10.10" }, { "account_code": "3000", "credit": "10.10" }]
        });
        books.post("/opening-balances", &opening).expect(201);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let line = json!({ "bank_account_id": bank, "date": "2026-02-20", "amount": -5, "description": "x" });
        books.post("/bank-transactions", &line).expect(201);
        let ann = books.post("/customers", &json!({ "name": "Ann" })).expect(201)["data"]["id"].clone();
        let lines = json!([{ "description": "x", "account_id": books.account_id("4000"), "unit_price": 10, "vat_code": "ST" }]);
        let invoice = |due: &str, issue: bool| json!({
            "customer_id": ann, "invoice_date": "2026-02-01", "due_date": due, "issue": issue, "lines": lines
        });
        for (due, issue) in [("2026-02-02", true), ("2199-01-01", true), ("2026-02-02", false)] {
            books.post("/sales-invoices", &invoice(due, issue)).expect(201);
        }
        let status = status();
        assert_eq!(codes(&status), [] as [Value; 0]);
        assert_eq!((&status["drafts"], &status["locked_through"]), (&json!(1), &json!("2026-01-31")));
        assert_eq!(status["overdue"], json!({
            "sales_invoices": { "count": 1, "amount_due": 12.0 }, "purchase_invoices": { "count": 0, "amount_due": 0.0 }
        }));
        assert_eq!(status["bank_accounts"], json!([
            { "id": bank, "name": "Current account", "balance": 10.1, "unconfirmed": 1, "last_date": "2026-02-20" }
        ]));
    }
}

//! Short words for trade: contacts, documents and money, and a picture of the books that a refusal must leave as it is.

use serde_json::{Value, json};

use super::Books;
use crate::support::client::Answer;

/// Every list of an organisation.
const LISTS: [&str; 14] = [
    "/accounts?include_archived=true",
    "/customers?include_archived=true&limit=200",
    "/suppliers?include_archived=true&limit=200",
    "/bank-accounts?include_archived=true",
    "/bank-transactions?limit=200",
    "/journals?limit=200",
    "/sales-invoices?limit=200",
    "/purchase-invoices?limit=200",
    "/sales-credit-notes?limit=200",
    "/purchase-credit-notes?limit=200",
    "/customer-receipts?limit=200",
    "/supplier-payments?limit=200",
    "/vat-adjustments?limit=200",
    "/vat-returns?limit=200",
];

impl Books {
    /// Makes something that must be accepted; its record.
    #[track_caller]
    pub fn made(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).expect(201)["data"].clone()
    }

    /// Does something that must be accepted; the record.
    #[track_caller]
    pub fn done(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).expect(200)["data"].clone()
    }

    #[track_caller]
    pub fn customer(&self, name: &str) -> i64 {
        self.made("/customers", &json!({ "name": name }))["id"].as_i64().unwrap()
    }

    #[track_caller]
    pub fn supplier(&self, name: &str) -> i64 {
        self.made("/suppliers", &json!({ "name": name }))["id"].as_i64().unwrap()
    }

    /// A supplier from whom CIS is withheld.
    #[track_caller]
    pub fn subcontractor(&self, name: &str, rate: i64) -> i64 {
        let cis = json!({
            "is_subcontractor": true, "deduction_rate": rate, "utr": "1234567890", "verification_number": "V1"
        });
        self.made("/suppliers", &json!({ "name": name, "cis": cis }))["id"].as_i64().unwrap()
    }

    /// The bank account every organisation starts with.
    #[track_caller]
    pub fn bank_id(&self) -> i64 {
        self.get("/bank-accounts")["data"][0]["id"].as_i64().unwrap()
    }

    /// A line of a document.
    #[track_caller]
    pub fn item(&self, code: &str, price: &str, vat_code: &str) -> Value {
        json!({ "description": "x", "account_id": self.account_id(code), "unit_price": price, "vat_code": vat_code })
    }

    /// A sales invoice of one line without VAT, issued.
    #[track_caller]
    pub fn sale(&self, customer: i64, date: &str, gross: &str) -> Value {
        let lines = [self.item("4000", gross, "NV")];
        self.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": date, "lines": lines }))
    }

    /// A purchase invoice of one line without VAT, issued.
    #[track_caller]
    pub fn bill(&self, supplier: i64, date: &str, gross: &str) -> Value {
        let lines = [self.item("5000", gross, "NV")];
        self.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines }))
    }

    /// A sales credit note of one line without VAT, issued.
    #[track_caller]
    pub fn credit(&self, customer: i64, date: &str, gross: &str) -> Value {
        let lines = [self.item("4000", gross, "NV")];
        self.made("/sales-credit-notes", &json!({ "customer_id": customer, "credit_note_date": date, "lines": lines }))
    }

    /// The body of a receipt into the first bank account.
    pub fn receipt_body(&self, customer: i64, date: &str, amount: &str, allocations: &[(&Value, &str)]) -> Value {
        json!({
            "customer_id": customer, "date": date, "amount": amount, "bank_account_id": self.bank_id(),
            "allocations": to_invoices(allocations)
        })
    }

    #[track_caller]
    pub fn receipt(&self, customer: i64, date: &str, amount: &str, allocations: &[(&Value, &str)]) -> Value {
        self.made("/customer-receipts", &self.receipt_body(customer, date, amount, allocations))
    }

    #[track_caller]
    pub fn payment(&self, supplier: i64, date: &str, amount: &str, allocations: &[(&Value, &str)]) -> Value {
        let body = json!({
            "supplier_id": supplier, "date": date, "amount": amount, "bank_account_id": self.bank_id(),
            "allocations": to_invoices(allocations)
        });
        self.made("/supplier-payments", &body)
    }

    /// The sides of a journal: code, debit, credit.
    #[track_caller]
    pub fn sides(&self, journal: &Value) -> Vec<(String, f64, f64)> {
        let journal = self.get(&format!("/journals/{journal}"))["data"].clone();
        let lines = journal["lines"].as_array().unwrap();
        let side = |line: &Value| {
            let amount = |field: &str| line[field].as_f64().unwrap();
            (line["account_code"].as_str().unwrap().to_owned(), amount("debit"), amount("credit"))
        };
        lines.iter().map(side).collect()
    }

    /// What is owed to us and by us, as the control accounts have it.
    #[track_caller]
    pub fn owed(&self) -> (Value, Value) {
        (self.account("1100")["balance"].clone(), self.account("2100")["balance"].clone())
    }

    /// Everything that can be listed.
    #[track_caller]
    pub fn picture(&self) -> Vec<Value> {
        LISTS.iter().map(|list| self.get(list)).collect()
    }

    /// The ids of a list with these parameters, and its total.
    #[track_caller]
    pub fn listed(&self, list: &str) -> (Vec<i64>, Option<i64>) {
        let page = self.get(list);
        let ids = page["data"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap());
        (ids.collect(), page["pagination"]["total"].as_i64())
    }
}

/// Allocations to invoices.
pub fn to_invoices(allocations: &[(&Value, &str)]) -> Value {
    allocations.iter().map(|(invoice, amount)| json!({ "invoice_id": invoice["id"], "amount": amount })).collect()
}

/// A side of a journal.
pub fn side(code: &str, debit: f64, credit: f64) -> (String, f64, f64) {
    (code.to_owned(), debit, credit)
}

/// The details of a refusal of the rules, after checking that its status belongs to its reason.
#[track_caller]
pub fn refusal(answer: &Answer) -> Value {
    super::reason(answer);
    answer.value()["error"]["details"].clone()
}

/// The fields of a record.
pub fn fields(record: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| record[*name].clone()).collect()
}

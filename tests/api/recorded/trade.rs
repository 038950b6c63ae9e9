//! Short words for what chapters post: contacts, lines of documents, documents, money, statement lines, journals.

use serde_json::{Value, json};

use super::session::Session;

impl Session {
    #[track_caller]
    pub fn customer(&mut self, name: &str) -> i64 {
        self.made("/customers", json!({ "name": name }))
    }

    #[track_caller]
    pub fn supplier(&mut self, name: &str) -> i64 {
        self.made("/suppliers", json!({ "name": name }))
    }

    /// A supplier from whom CIS is withheld.
    #[track_caller]
    pub fn subcontractor(&mut self, name: &str, rate: i64) -> i64 {
        let cis = json!({ "is_subcontractor": true, "deduction_rate": rate, "utr": "1234567890", "verification_number": "V1" });
        self.made("/suppliers", json!({ "name": name, "cis": cis }))
    }

    /// A line of a document.
    pub fn item(&self, code: &str, price: &str, vat_code: &str) -> Value {
        json!({ "description": "Work", "account_id": self.account(code), "unit_price": price, "vat_code": vat_code })
    }

    /// A sales invoice of one line, issued.
    #[track_caller]
    pub fn sale(&mut self, customer: i64, date: &str, price: &str, vat_code: &str) -> i64 {
        let lines = [self.item("4000", price, vat_code)];
        self.made("/sales-invoices", json!({ "customer_id": customer, "invoice_date": date, "lines": lines }))
    }

    /// A purchase invoice of one line, issued.
    #[track_caller]
    pub fn bill(&mut self, supplier: i64, date: &str, price: &str, vat_code: &str) -> i64 {
        let lines = [self.item("5000", price, vat_code)];
        self.made("/purchase-invoices", json!({ "supplier_id": supplier, "invoice_date": date, "lines": lines }))
    }

    /// A sales credit note of one line, issued.
    #[track_caller]
    pub fn credit(&mut self, customer: i64, date: &str, price: &str, vat_code: &str) -> i64 {
        let lines = [self.item("4000", price, vat_code)];
        self.made("/sales-credit-notes", json!({ "customer_id": customer, "credit_note_date": date, "lines": lines }))
    }

    /// The body of a receipt or a refund.
    pub fn receipt(&self, customer: i64, date: &str, amount: &str, allocations: Value) -> Value {
        json!({
            "customer_id": customer, "date": date, "amount": amount, "bank_account_id": self.bank(), "allocations": allocations
        })
    }

    /// The body of a payment.
    pub fn payment(&self, supplier: i64, date: &str, amount: &str, allocations: Value) -> Value {
        json!({
            "supplier_id": supplier, "date": date, "amount": amount, "bank_account_id": self.bank(), "allocations": allocations
        })
    }

    /// A line of the first bank account's statement.
    #[track_caller]
    pub fn entered(&mut self, date: &str, amount: &str, description: &str) -> i64 {
        self.entered_in(self.bank(), date, amount, description)
    }

    #[track_caller]
    pub fn entered_in(&mut self, bank: i64, date: &str, amount: &str, description: &str) -> i64 {
        self.made(
            "/bank-transactions",
            json!({ "bank_account_id": bank, "date": date, "amount": amount, "description": description }),
        )
    }

    /// A journal of two lines.
    pub fn two_lines(&self, date: &str, debit: &str, credit: &str, amount: Value) -> Value {
        json!({
            "entry_date": date, "description": "Correction",
            "lines": [
                { "account_id": self.account(debit), "debit": amount },
                { "account_id": self.account(credit), "credit": amount },
            ]
        })
    }

    /// The balances of the accounts with these codes, as the list of accounts has them.
    pub fn see(&mut self, codes: &[&str]) {
        for code in codes {
            let id = self.account(code);
            self.get(&format!("/accounts/{id}"));
        }
    }
}

/// Allocations to invoices.
pub fn to_invoices(allocations: &[(i64, &str)]) -> Value {
    allocations.iter().map(|(invoice, amount)| json!({ "invoice_id": invoice, "amount": amount })).collect()
}

/// A body with other values.
pub fn with(body: &Value, changes: Value) -> Value {
    let mut body = body.clone();
    for (key, value) in changes.as_object().expect("an object") {
        body[key] = value.clone();
    }
    body
}

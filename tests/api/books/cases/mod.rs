//! The cases simple implementations get wrong, one by one, with figures worked by hand.

mod amounts;
mod assets;
mod brought_in;
mod kept;
mod recognised;
mod set_off;
mod settled;
mod together;
mod withheld;
mod written_off;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Books;
use super::figures::{assert_is_a_journal, pence, sides};
use crate::support::client::Answer;
use crate::support::database::Database;

/// An organisation with a VAT Control account, one customer and one supplier.
pub struct Case {
    pub books: Books,
    pub customer: i64,
    pub supplier: i64,
    pub bank: i64,
}

impl std::ops::Deref for Case {
    type Target = Books;

    fn deref(&self) -> &Books {
        &self.books
    }
}

impl Case {
    #[track_caller]
    pub fn on(database: &Database) -> Self {
        Self::of(Books::on(database))
    }

    #[track_caller]
    pub fn of(books: Books) -> Self {
        books.vat_control();
        let id =
            |path: &str| books.post(path, &json!({ "name": "Somebody" })).expect(201)["data"]["id"].as_i64().unwrap();
        let (customer, supplier) = (id("/customers"), id("/suppliers"));
        let bank = books.get("/bank-accounts")["data"][0]["id"].as_i64().unwrap();
        Self { books, customer, supplier, bank }
    }

    /// A line of a document.
    pub fn line(&self, account: &str, price: &str, vat_code: &str) -> Value {
        json!({ "description": "x", "account_id": self.account_id(account), "unit_price": price, "vat_code": vat_code })
    }

    pub fn sale(&self, date: &str, lines: &[Value]) -> Value {
        json!({ "customer_id": self.customer, "invoice_date": date, "lines": lines })
    }

    pub fn bill(&self, date: &str, lines: &[Value]) -> Value {
        json!({ "supplier_id": self.supplier, "invoice_date": date, "lines": lines })
    }

    /// An invoice of one line without VAT.
    #[track_caller]
    pub fn invoice(&self, date: &str, amount: &str) -> Value {
        self.made("/sales-invoices", &self.sale(date, &[self.line("4000", amount, "NV")]))
    }

    /// What is made by a body that must be taken.
    #[track_caller]
    pub fn made(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).expect(201)["data"].clone()
    }

    /// What an action that must be done leaves.
    #[track_caller]
    pub fn done(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).expect(200)["data"].clone()
    }

    #[track_caller]
    pub fn shown(&self, path: &str) -> Value {
        self.get(path)["data"].clone()
    }

    pub fn receipt_body(&self, date: &str, amount: &str, allocations: &[(&Value, &str)]) -> Value {
        json!({
            "customer_id": self.customer, "date": date, "amount": amount, "bank_account_id": self.bank,
            "allocations": to_invoices(allocations),
        })
    }

    #[track_caller]
    pub fn receipt(&self, date: &str, amount: &str, allocations: &[(&Value, &str)]) -> Value {
        self.made("/customer-receipts", &self.receipt_body(date, amount, allocations))
    }

    /// A row of the statement.
    #[track_caller]
    pub fn row(&self, date: &str, amount: &str) -> Value {
        let body = json!({ "bank_account_id": self.bank, "date": date, "amount": amount, "description": "x" });
        self.made("/bank-transactions", &body)
    }

    pub fn confirm(&self, row: &Value, body: &Value) -> Answer {
        self.post(&format!("/bank-transactions/{}/confirm", row["id"]), body)
    }

    /// The journal something was posted with, by account code, in pence.
    #[track_caller]
    pub fn posted_by(&self, thing: &Value) -> BTreeMap<String, i64> {
        let journal = self.shown(&format!("/journals/{}", thing["journal_id"]));
        assert_is_a_journal(&journal);
        sides(&journal)
    }

    /// Debits less credits of an account.
    #[track_caller]
    pub fn balance(&self, code: &str) -> i64 {
        let account = self.account(code);
        let direction = if account["normal_balance"] == "debit" { 1 } else { -1 };
        direction * pence(&account["balance"])
    }

    /// The VAT sub-ledger of all time: side, code, net, VAT.
    pub fn vat(&self) -> Vec<(String, String, i64, i64)> {
        self.server.vat_by_code(self.id, "1900-01-01", "2199-12-31")
    }
}

pub fn to_invoices(allocations: &[(&Value, &str)]) -> Value {
    allocations.iter().map(|(invoice, amount)| json!({ "invoice_id": invoice["id"], "amount": amount })).collect()
}

/// Sides as text: `[("1100", 120_00)]` with what they must be.
pub fn these(expected: &[(&str, i64)]) -> BTreeMap<String, i64> {
    expected.iter().map(|(code, amount)| ((*code).to_owned(), *amount)).collect()
}

/// Amounts of an answer in pence.
#[track_caller]
pub fn figures<const N: usize>(of: &Value, fields: [&str; N]) -> [i64; N] {
    fields.map(|field| pence(&of[field]))
}

/// Net, VAT and gross.
pub const TOTALS: [&str; 3] = ["net_amount", "vat_amount", "gross_amount"];

/// An entry of the VAT sub-ledger.
pub fn entry(side: &str, code: &str, net: i64, vat: i64) -> (String, String, i64, i64) {
    (side.to_owned(), code.to_owned(), net, vat)
}

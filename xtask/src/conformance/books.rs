//! Books to begin with, so that the documented examples of the ledger find what they name and are answered with success.
//! Examples may rely on: organisation 1 with VAT Control and the standard chart (account 13 is VAT Control, 19 Accruals,
//! 31 Other income, 48 Telephone and internet), under cash accounting until March 2026 and with its returns 1 to 12 recorded up to
//! September 2025, bank accounts 1 and 2, unconfirmed bank transactions 1 to 16 of the second
//! but for 13, which is confirmed, and 14, which is excluded, manual journals 1 to 12, VAT adjustments 1
//! to 12, customers 1 to 12, supplier 13, and subcontractor 14, who is paid 80.00 of bill 33 in the tax month to 2026-04-05;
//! documents 1 to 32, eight of each kind: the third and fourth are drafts, the last invoice is open to allocations 1 to 4,
//! which are of credit notes 23 and 31, receipt 4 and payment 9; receipts 1 to 5 and payments 6 to 10; and e-mails 1 to 3, which
//! are sent, failed and queued.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    http::{Connection, Request},
    mail_server::{Reaction, Step},
};

const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// What the mail server does with what is sent to two of the addresses.
pub(super) fn react(step: &Step) -> Reaction {
    match step {
        Step::Command(line) if line.contains("<failed@example.com>") => Reaction::Say("550 5.1.1 no such user"),
        Step::Command(line) if line.contains("<queued@example.com>") => Reaction::Say("450 4.2.1 mailbox busy"),
        _ => Reaction::Accept,
    }
}

pub(super) fn prepare(connection: &mut Connection, key: &str) -> Result<()> {
    let mut post = |path: &str, body: &Value| -> Result<()> {
        let body = body.to_string();
        let reply = connection.send(&Request::post(path, Some(key), body.as_bytes()))?;
        ensure!(matches!(reply.status, 200..=202), "{path} answered {}", reply.summary());
        Ok(())
    };
    let registered = json!({
        "name": "Conformance Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "cash",
        "vat_scheme_from": "2022-01-01"
    });
    post(ORGANISATIONS, &registered)?;
    let path = |rest: &str| format!("{ORGANISATIONS}/1/{rest}");
    post(&path("bank-accounts"), &json!({ "name": "Savings", "type": "savings", "code": "1290" }))?;
    let row =
        |number: i64| json!({ "date": "2026-03-10", "amount": -84.37, "description": format!("payment {number}") });
    let rows: Vec<Value> = (1..=16).map(row).collect();
    post(&path("bank-transactions/import"), &json!({ "bank_account_id": 2, "rows": rows }))?;
    for number in 1..=12 {
        let lines = json!([{ "account_id": 48, "debit": number }, { "account_id": 19, "credit": number }]);
        post(&path("journals"), &json!({ "entry_date": "2026-03-10", "description": "accrued", "lines": lines }))?;
        post(&path("customers"), &json!({ "name": format!("Customer {number}") }))?;
    }
    post(&path("suppliers"), &json!({ "name": "Supplier" }))?;
    post(&path("bank-transactions/13/confirm"), &json!({ "account_id": 48, "vat_code": "ST" }))?;
    post(&path("bank-transactions/14/exclude"), &json!({}))?;
    for (list, contact, contact_id, date, account) in [
        ("sales-invoices", "customer_id", 3, "invoice_date", 28),
        ("purchase-invoices", "supplier_id", 13, "invoice_date", 34),
        ("sales-credit-notes", "customer_id", 3, "credit_note_date", 28),
        ("purchase-credit-notes", "supplier_id", 13, "credit_note_date", 34),
    ] {
        let line = json!({ "description": "hinges", "account_id": account, "unit_price": 10.03, "vat_code": "ST" });
        for number in 1..=8 {
            let is_issued = number != 3 && number != 4;
            let body = json!({ contact: contact_id, date: "2026-03-10", "lines": [line], "issue": is_issued });
            post(&path(list), &body)?;
        }
    }
    let to = |invoice: i64| json!([{ "invoice_id": invoice, "amount": 1 }]);
    post(&path("sales-credit-notes/23/allocate"), &json!({ "allocations": to(8) }))?;
    post(&path("purchase-credit-notes/31/allocate"), &json!({ "allocations": to(16) }))?;
    for (list, contact, contact_id, invoice) in
        [("customer-receipts", "customer_id", 3, 8), ("supplier-payments", "supplier_id", 13, 16)]
    {
        for number in 1..=5 {
            let allocations = if number == 4 { to(invoice) } else { json!([]) };
            let body = json!({
                contact: contact_id, "date": "2026-03-10", "amount": 10, "bank_account_id": 2, "allocations": allocations
            });
            post(&path(list), &body)?;
        }
    }
    let cis = json!({ "is_subcontractor": true, "deduction_rate": 20 });
    post(&path("suppliers"), &json!({ "name": "Subcontractor", "cis": cis }))?;
    let work = json!({ "description": "work", "account_id": 34, "unit_price": 100, "vat_code": "NV" });
    let bill = json!({ "supplier_id": 14, "invoice_date": "2026-03-10", "lines": [work] });
    post(&path("purchase-invoices"), &bill)?;
    let paid = json!({
        "supplier_id": 14, "date": "2026-03-10", "amount": 80, "bank_account_id": 2,
        "allocations": [{ "invoice_id": 33, "amount": 80 }]
    });
    post(&path("supplier-payments"), &paid)?;
    for number in 1..=12 {
        let entries = json!([{ "box": 1, "amount": number }]);
        let body = json!({
            "date": "2026-03-10", "reason": "private_use", "description": "own use", "entries": entries, "account_id": 48
        });
        post(&path("vat-adjustments"), &body)?;
    }
    for (year, end) in
        (2022..=2025).flat_map(|year| ["03-31", "06-30", "09-30", "12-31"].map(|end| (year, end))).skip(3).take(12)
    {
        post(&path("vat-returns"), &json!({ "period_end": format!("{year}-{end}") }))?;
    }
    // Number 45 is still to be written off.
    for number in 34..=46 {
        let line = json!({ "description": "hinges", "account_id": 28, "unit_price": 10.03, "vat_code": "ST" });
        post(&path("sales-invoices"), &json!({ "customer_id": 3, "invoice_date": "2026-03-10", "lines": [line] }))?;
        if number != 45 {
            post(&path(&format!("sales-invoices/{number}/write-off")), &json!({ "date": "2026-03-10" }))?;
        }
    }
    post(&path("financial-years/2023-03-31/close"), &json!({}))?;
    let emails = [(1, "sent"), (2, "failed"), (3, "queued")];
    for (_, state) in emails {
        post(&path("sales-invoices/8/email"), &json!({ "to": [format!("{state}@example.com")] }))?;
    }
    for (number, state) in emails {
        wait_for_email(connection, key, number, state)?;
    }
    Ok(())
}

/// Waits until an e-mail that was tried once is in this state.
fn wait_for_email(connection: &mut Connection, key: &str, number: i64, state: &str) -> Result<()> {
    let path = format!("{ORGANISATIONS}/1/emails/{number}");
    let begun = Instant::now();
    loop {
        let reply = connection.send(&Request::get(&path, Some(key)))?;
        let email = reply.json();
        let is_tried = email.pointer("/data/attempts").and_then(Value::as_u64) == Some(1);
        if is_tried && email.pointer("/data/status").and_then(Value::as_str) == Some(state) {
            return Ok(());
        }
        ensure!(begun.elapsed() < Duration::from_secs(30), "e-mail {number} is not {state}: {}", reply.summary());
        thread::sleep(Duration::from_millis(10));
    }
}

//! Two companies, each over two VAT quarters and a year end, worked by hand: `company_a.md` under the standard scheme,
//! `company_b.md` under cash accounting and then the flat rate. A worksheet says what is asked of the service and every
//! journal it must post; `company_*.figures.json`, added up from it by `add_up.py`, every figure of every report.

mod worksheet;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::account_reports::assert_account_reports;
use super::contact_reports_naive::assert_contact_reports;
use super::figures::{badly_printed, pence, sides};
use super::independent;
use super::quarter::{Quarter, all_journals};
use crate::support::client::Answer;
use crate::support::database::{Database, on_both_databases};
use worksheet::{Call, Event};

/// What a worksheet cannot know, or says in its own way: identifiers, moments, and the paths that `follow` walks.
const NOT_WORKED: [&str; 11] = [
    "organisation_id",
    "account_id",
    "contact_id",
    "id",
    "document_id",
    "journal_id",
    "transactions",
    "generated_at",
    "cursor",
    "ids",
    "message",
];

/// Posts everything of a worksheet, compares the journals, then every report.
#[track_caller]
fn assert_is_as_worked(database: &Database, sheet: &str, figures: &str) {
    let mut quarter = Quarter::on(database);
    let events = worksheet::read(sheet);
    for event in &events {
        for call in &event.calls {
            if let Err(said) = ask(&mut quarter, event, call) {
                quarter.complaints.push(said);
            }
        }
    }
    assert_no_complaints(&mut quarter);
    compare_journals(&mut quarter, &events);
    let figures: Vec<Value> = serde_json::from_str(figures).unwrap();
    let mut followed = BTreeSet::new();
    for figure in &figures {
        let path = figure["path"].as_str().unwrap();
        let answer =
            quarter.filled_path(&format!("/reports/{path}")).map(|filled| quarter.answer("GET", &filled, None));
        let data = answer.and_then(|answer| report(&answer));
        let Ok(data) = data.map_err(|said| quarter.complaints.push(format!("{path}: {said}"))) else { continue };
        let mut different = Vec::new();
        compare("", &figure["data"], &data, &mut different);
        quarter.complaints.extend(different.iter().map(|said| format!("{path}{said}")));
        if let Some(period) = path.strip_prefix("vat-return?period_start=") {
            // Entries and adjustments come to the boxes.
            let (first, last) = period.split_once("&period_end=").unwrap();
            quarter.books.boxes(first, last);
        }
        if followed.insert(path.split('?').next().unwrap().to_owned()) {
            follow(&mut quarter, path, &data);
        }
    }
    assert_no_complaints(&mut quarter);
    let accounts = quarter.books.get("/accounts?include_archived=true");
    independent::assert_agrees(&all_journals(&quarter.books), accounts["data"].as_array().unwrap());
    assert_account_reports(&quarter.books);
    assert_contact_reports(&quarter.books);
}

#[track_caller]
fn assert_no_complaints(quarter: &mut Quarter) {
    let complaints = std::mem::take(&mut quarter.complaints);
    assert!(complaints.is_empty(), "{} differences:\n{}", complaints.len(), complaints.join("\n"));
}

/// Asks one thing and keeps what it is known as.
fn ask(quarter: &mut Quarter, event: &Event, call: &Call) -> Result<(), String> {
    let mut answer = match call {
        Call::Bank { account, amount, description, .. } => {
            let bank = quarter.filled(&json!(format!("@{account}")))?;
            let row =
                json!({ "bank_account_id": bank, "date": event.date, "amount": amount, "description": description });
            quarter.answer("POST", "/bank-transactions", Some(&row))
        }
        Call::Request { method, path, body, .. } => {
            let body = body.as_ref().map(|body| quarter.filled(body)).transpose()?;
            quarter.answer(method, &quarter.filled_path(path)?, body.as_ref())
        }
    };
    if let Call::Bank { confirm, .. } = call
        && answer.status == 201
    {
        let path = format!("/bank-transactions/{}/confirm", answer.value()["data"]["id"]);
        answer = quarter.answer("POST", &path, Some(&quarter.filled(confirm)?));
    }
    if !(200..300).contains(&answer.status) {
        return Err(format!("{} {}: {answer}", event.date, event.kind));
    }
    keep(quarter, event, call, &answer.value())
}

fn keep(quarter: &mut Quarter, event: &Event, call: &Call, answer: &Value) -> Result<(), String> {
    let settled = ["customer_receipt_id", "supplier_payment_id"].map(|field| answer["data"][field].clone());
    let (name, kept) = match (call, &event.number) {
        (Call::Request { keep: Some((name, pointer)), .. }, _) => (name, answer.pointer(pointer).cloned()),
        (Call::Bank { .. }, Some(number)) => {
            (number, settled.into_iter().chain([answer["data"]["id"].clone()]).find(|id| !id.is_null()))
        }
        (Call::Request { path, .. }, Some(number)) if path.matches('/').count() == 1 && !event.lines.is_empty() => {
            (number, Some(answer["data"]["id"].clone()))
        }
        _ => return Ok(()),
    };
    let kept = kept.filter(|id| !id.is_null()).ok_or_else(|| format!("nothing to be kept as {name}: {answer}"))?;
    if name == "organisation" {
        quarter.books.id = kept.as_i64().unwrap();
    }
    quarter.names.insert(name.clone(), kept);
    Ok(())
}

/// The journals that were posted are those of the worksheet, in its order.
fn compare_journals(quarter: &mut Quarter, events: &[Event]) {
    let posted = all_journals(&quarter.books);
    let worked: Vec<_> = events.iter().filter(|event| !event.lines.is_empty()).collect();
    if posted.len() != worked.len() {
        quarter.complaints.push(format!("{} journals were posted, {} worked", posted.len(), worked.len()));
    }
    for (journal, event) in posted.iter().zip(worked) {
        let found = (journal["entry_date"].as_str().unwrap(), journal["source_type"].as_str().unwrap(), sides(journal));
        let expected = (event.date.as_str(), event.kind.as_str(), event.lines.clone());
        if found != expected {
            quarter.complaints.push(format!("journal: {expected:?} was worked, {found:?} was posted"));
        }
    }
}

fn report(answer: &Answer) -> Result<Value, String> {
    match badly_printed(answer) {
        _ if answer.status != 200 => Err(answer.to_string()),
        Some(badly) => Err(badly),
        None => Ok(answer.value()["data"].clone()),
    }
}

/// What differs between two values, by where it stands.
fn compare(at: &str, worked: &Value, found: &Value, different: &mut Vec<String>) {
    match (worked, found) {
        (Value::Object(worked), Value::Object(found)) => {
            let is_known = |name: &&String| !NOT_WORKED.contains(&name.as_str());
            let names: BTreeSet<&String> = worked.keys().chain(found.keys().filter(is_known)).collect();
            for name in names {
                let field = |of: &Map<String, Value>| of.get(name).cloned().unwrap_or_else(|| json!("missing"));
                compare(&format!("{at}/{name}"), &field(worked), &field(found), different);
            }
        }
        (Value::Array(worked), Value::Array(found)) if at.ends_with("/by_code") => {
            let order = |rows: &[Value]| {
                let key =
                    |row: &Value| ["side", "vat_code", "basis", "reverse_charge"].map(|name| row[name].to_string());
                let rows = rows.iter().map(|row| (format!("{:?}", key(row)), row.clone()));
                Value::Object(rows.collect())
            };
            compare(&at.replace("by_code", "codes"), &order(worked), &order(found), different);
        }
        (Value::Array(worked), Value::Array(found)) if worked.len() == found.len() => {
            for (row, (worked, found)) in worked.iter().zip(found).enumerate() {
                compare(&format!("{at}/{row}"), worked, found, different);
            }
        }
        _ if worked == found => {}
        _ => different.push(format!("{at}: worked {worked}, found {found}")),
    }
}

/// The lines behind each row with a path come to its figure, whichever side that figure is signed for. Retained earnings
/// hold the profit of earlier years besides their own lines.
fn follow(quarter: &mut Quarter, report: &str, data: &Value) {
    let mut rows = Vec::new();
    collect_rows(data, &mut rows);
    for row in rows {
        let Some(path) = row["transactions"].as_str().filter(|_| row["code"] != "3200") else { continue };
        let answer = quarter.answer("GET", &format!("{path}&limit=200"), None).value();
        let lines = answer["data"]["lines"].as_array().cloned().unwrap_or_default();
        let sum: i64 = lines.iter().map(|line| pence(&line["debit"]) - pence(&line["credit"])).sum();
        let figure = ["amount", "total", "current"].iter().find_map(|name| row.get(*name)).map(pence);
        let figure = figure.unwrap_or_else(|| pence(&row["debit"]) - pence(&row["credit"]));
        if sum.abs() != figure.abs() || lines.len() == 200 {
            quarter.complaints.push(format!("{report}: {path} comes to {sum}, its row is {row}"));
        }
    }
}

fn collect_rows(value: &Value, rows: &mut Vec<Value>) {
    match value {
        Value::Object(fields) if fields.contains_key("transactions") => rows.push(value.clone()),
        Value::Object(fields) => fields.values().for_each(|field| collect_rows(field, rows)),
        Value::Array(items) => items.iter().for_each(|item| collect_rows(item, rows)),
        _ => {}
    }
}

on_both_databases! {
    fn every_report_of_a_company_under_the_standard_scheme_is_as_worked_by_hand(database) {
        assert_is_as_worked(&database, include_str!("company_a.md"), include_str!("company_a.figures.json"));
    }

    fn every_report_of_a_trader_under_cash_accounting_then_the_flat_rate_is_as_worked_by_hand(database) {
        assert_is_as_worked(&database, include_str!("company_b.md"), include_str!("company_b.figures.json"));
    }
}

//! What the demonstration prints of its jobs: results as tables for a reader, not for a program.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::amount::{self, money};
use crate::domain::coding::Method;

/// Confidence from which a line may be posted as it is, and below which a person should decide.
const SURE: f64 = 0.9;
const UNSURE: f64 = 0.6;

pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Cow<'a, str> {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.as_str().into(),
        Some(other) => other.to_string().into(),
        None => "".into(),
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn pounds(value: &Value, pointer: &str) -> String {
    amount::parse(&text(value, pointer)).map(money).unwrap_or_default()
}

fn shortened(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

fn row(row: &Value, prefix: &str) -> String {
    let at = |name: &str| format!("{prefix}/{name}");
    let description = shortened(&text(row, &at("description")), 34);
    format!("{}  {:>10}  {description:<34}", text(row, &at("date")), pounds(row, &at("amount")))
}

/// The result of the sample reconciliation.
pub(super) fn reconciliation(result: &Value) -> String {
    let mut lines = vec![
        format!(
            "Reconciliation of a sample statement: {} bank rows, {} book rows, {} matched",
            text(result, "/summary/bank_rows"),
            text(result, "/summary/book_rows"),
            text(result, "/summary/matched_count")
        ),
        String::new(),
        "  matched (the first eight)".to_owned(),
    ];
    for pair in list(result, "/matched").iter().take(8) {
        lines.push(format!("    {}  |  {}", row(pair, "/bank"), row(pair, "/book")));
    }
    for (title, pointer) in [
        ("at the bank, not in the books", "/missing_from_books"),
        ("in the books, not at the bank", "/remove_from_books"),
    ] {
        lines.push(format!("  {title}"));
        lines.extend(list(result, pointer).iter().map(|item| format!("    {}", row(item, ""))));
    }
    let explanations = list(result, "/explanations");
    if !explanations.is_empty() {
        lines.push("  worth a look".to_owned());
        lines.extend(explanations.iter().map(|item| format!("    {}", text(item, "/detail"))));
    }
    lines.push(String::new());
    lines.push(format!(
        "  verified: {}, {} credits charged",
        text(result, "/verification/is_verified"),
        text(result, "/credits_charged")
    ));
    lines.push(format!("  {}", text(result, "/verification/reason")));
    lines.join("\n")
}

/// The books: what the bank accounts hold, who owes and who is owed.
pub(super) fn books(banks: &Value, customers: &Value, suppliers: &Value) -> String {
    let mut lines = vec!["Books of three months".to_owned(), String::new(), "  bank accounts".to_owned()];
    for bank in list(banks, "/data") {
        lines.push(format!(
            "    {:<28}  {:>10}  {} lines to confirm",
            shortened(&text(bank, "/name"), 28),
            pounds(bank, "/ledger_balance"),
            text(bank, "/unconfirmed_count")
        ));
    }
    for (title, contacts) in [("owed by customers", customers), ("owed to suppliers", suppliers)] {
        lines.push(format!("  {title}"));
        let owing = list(contacts, "/data").iter().filter(|contact| text(contact, "/balance") != "0.0");
        lines.extend(owing.map(|contact| {
            let name = shortened(&text(contact, "/name"), 28);
            format!("    {name:<28}  {:>10}  {:>10} overdue", pounds(contact, "/balance"), pounds(contact, "/overdue"))
        }));
    }
    lines.join("\n")
}

/// What was confirmed of suggestions, and the lines that are left.
pub(super) fn suggestions(taken: &Value, left: &[Value]) -> String {
    let mut lines = vec![
        format!(
            "Suggestions for an imported statement: {} lines at least {SURE} sure confirmed, {} refused, {} left",
            text(taken, "/confirmed"),
            text(taken, "/refused"),
            left.len()
        ),
        String::new(),
        "  left for a person".to_owned(),
    ];
    for line in left {
        let suggestion = |field: &str| text(line, &format!("/suggestion/{field}")).into_owned();
        let to = match suggestion("type").as_str() {
            "coded" => format!("{} {}", suggestion("account_code"), suggestion("vat_code")),
            other => other.replace('_', " "),
        };
        lines.push(format!("    {}  {to:<20}  {:>5}", row(line, ""), suggestion("confidence")));
    }
    lines.join("\n")
}

/// The state of the sample coding job.
pub(super) fn coding(state: &Value) -> String {
    let coded = list(state, "/result/transactions");
    let mut lines = vec![
        format!("Coding of a sample month: {} bank lines", coded.len()),
        String::new(),
        format!(
            "    {:<10}  {:<36}  {:>9}  {:<28}  VAT  {:>9}  sure   how",
            "date", "what the line says", "amount", "account", "VAT in it"
        ),
    ];
    lines.extend(coded.iter().map(coded_row));
    // In the order of the stages, which the object of a result does not keep.
    let methods: Vec<String> = Method::ALL
        .into_iter()
        .filter_map(|method| {
            let count = state.pointer("/result/summary/by_method")?.get(method.as_str())?;
            Some(format!("{} {count}", method.as_str()))
        })
        .collect();
    let warnings: Vec<Cow<'_, str>> =
        list(state, "/result/summary/warnings").iter().map(|item| text(item, "")).collect();
    let mut bands: BTreeMap<u8, usize> = BTreeMap::new();
    for row in coded {
        let confidence = row.get("confidence").and_then(Value::as_f64).unwrap_or_default();
        let band = if confidence >= SURE { 0 } else { u8::from(confidence < UNSURE) + 1 };
        *bands.entry(band).or_default() += 1;
    }
    let band = |band: u8| bands.get(&band).copied().unwrap_or_default();
    lines.extend([
        String::new(),
        format!(
            "  {} of {} coded ({}), {} credits charged",
            text(state, "/result/summary/coded_count"),
            text(state, "/result/summary/transaction_count"),
            methods.join(", "),
            text(state, "/credits_charged")
        ),
        format!(
            "  confidence: {} at {SURE} and above (post as they are), {} from {UNSURE} (review), {} below (decide)",
            band(0),
            band(1),
            band(2)
        ),
        format!("  warnings: {}", if warnings.is_empty() { "none".to_owned() } else { warnings.join(", ") }),
    ]);
    lines.join("\n")
}

/// A profit and loss account.
pub(super) fn profit_loss(report: &Value) -> String {
    let total = |label: &str, field: &str| format!("    {label:<44}  {:>11}", pounds(report, &format!("/{field}")));
    let section = |field: &str| {
        let amount = |row: &Value| {
            let account = format!("{} {}", text(row, "/code"), text(row, "/name"));
            format!("      {:<42}  {:>11}", shortened(&account, 42), pounds(row, "/amount"))
        };
        list(report, &format!("/{field}")).iter().map(amount).collect::<Vec<String>>()
    };
    let mut lines = vec![
        format!(
            "Profit and loss of {}, {} to {}",
            text(report, "/organisation_name"),
            text(report, "/period_start"),
            text(report, "/period_end")
        ),
        String::new(),
    ];
    for (field, label, total_field) in [
        ("revenue", "revenue", "total_revenue"),
        ("cost_of_sales", "cost of sales", "total_cost_of_sales"),
        ("", "gross profit", "gross_profit"),
        ("other_income", "other income", "total_other_income"),
        ("expenses", "expenses", "total_expenses"),
        ("", "profit before tax", "profit_before_tax"),
        ("corporation_tax", "corporation tax", "total_corporation_tax"),
        ("", "net profit", "net_profit"),
    ] {
        let rows = section(field);
        if field.is_empty() || !rows.is_empty() {
            lines.extend(rows);
            lines.push(total(label, total_field));
        }
    }
    lines.join("\n")
}

/// A VAT return.
pub(super) fn vat_return(report: &Value) -> String {
    let mut lines = vec![
        format!(
            "VAT return for {} to {}, due by {}",
            text(report, "/period_start"),
            text(report, "/period_end"),
            text(report, "/due_date")
        ),
        String::new(),
    ];
    for (field, label) in [
        ("box1", "VAT due on sales"),
        ("box2", "VAT due on acquisitions in Northern Ireland"),
        ("box3", "total VAT due"),
        ("box4", "VAT reclaimed on purchases"),
        ("box5", "net VAT"),
        ("box6", "sales without VAT"),
        ("box7", "purchases without VAT"),
        ("box8", "goods from Northern Ireland to the EU"),
        ("box9", "goods from the EU to Northern Ireland"),
    ] {
        let end = if field == "box5" { format!("  {}", text(report, "/direction")) } else { String::new() };
        lines.push(format!("    {field}  {label:<44}  {:>11}{end}", pounds(report, &format!("/{field}"))));
    }
    lines.join("\n")
}

fn coded_row(row: &Value) -> String {
    let account = format!("{} {}", text(row, "/suggested_account_code"), text(row, "/suggested_account_name"));
    let confidence = row.get("confidence").and_then(Value::as_f64).unwrap_or_default();
    let mut how = text(row, "/coding_method").into_owned();
    let settles: Vec<String> = list(row, "/settles")
        .iter()
        .map(|settled| format!("{} ({})", text(settled, "/number"), text(settled, "/match")))
        .collect();
    if !settles.is_empty() {
        how = format!("{how}: {}", settles.join(", "));
    }
    if row.get("transfer_pair").is_some() {
        how.push_str(": both sides seen");
    }
    format!(
        "    {:<10}  {:<36}  {:>9}  {:<28}  {:<3}  {:>9}  {confidence:.3}  {how}",
        text(row, "/input/date"),
        shortened(&text(row, "/input/description"), 36),
        pounds(row, "/input/amount"),
        shortened(&account, 28),
        text(row, "/vat_code"),
        pounds(row, "/vat_amount"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_coded_month_is_readable() {
        let state = json!({
            "credits_charged": 2,
            "result": {
                "summary": { "transaction_count": 2, "coded_count": 1, "by_method": { "invoice_settlement": 1, "fallback": 1 },
                    "warnings": ["bank_account_missing"] },
                "transactions": [
                    { "input": { "date": "2026-04-01", "amount": 1840.0, "description": "FPI PEMBERTON KITCHENS INV-1041" },
                      "suggested_account_code": "1100", "suggested_account_name": "Trade debtors", "vat_code": "NV",
                      "vat_amount": 0, "confidence": 0.985, "coding_method": "invoice_settlement",
                      "settles": [{ "number": "INV-1041", "amount": 1840, "match": "exact" }] },
                    { "input": { "date": "2026-04-02", "amount": -75, "description": "QZX" },
                      "suggested_account_code": "9998", "suggested_account_name": "Suspense", "vat_code": "NV",
                      "vat_amount": 0, "confidence": 0.08, "coding_method": "fallback" }
                ]
            }
        });
        let table = coding(&state);
        for line in [
            "2026-04-01  FPI PEMBERTON KITCHENS INV-1041        1,840.00  1100 Trade debtors            NV        0.00  0.985  invoice_settlement: INV-1041 (exact)",
            "2026-04-02  QZX                                      -75.00  9998 Suspense                 NV        0.00  0.080  fallback",
            "1 of 2 coded (invoice_settlement 1, fallback 1), 2 credits charged",
            "1 at 0.9 and above (post as they are), 0 from 0.6 (review), 1 below (decide)",
            "warnings: bank_account_missing",
        ] {
            assert!(table.contains(line), "{line}\n{table}");
        }
    }
}

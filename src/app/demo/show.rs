//! Runs the sample through the service's own HTTP API, as a stranger's program would, and prints what came of it.

use std::time::Duration;

use anyhow::{Context as _, bail};
use chrono::NaiveDate;
use serde_json::Value;

use super::{coding_sample, sample};

/// Polls before the demonstration gives up.
const POLLS_MAX: u32 = 600;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

struct Api<'a> {
    agent: ureq::Agent,
    base_url: &'a str,
    key: &'a str,
}

impl Api<'_> {
    fn post(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .send(body)?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    fn get(&self, path: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .get(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .call()?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    /// Submits a job and polls until it has ended.
    fn run_job(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let accepted = self.post(path, body)?;
        let poll_url = accepted.get("poll_url").and_then(Value::as_str).context("the answer has no poll_url")?;
        for _ in 0..POLLS_MAX {
            let state = self.get(poll_url)?;
            match state.get("status").and_then(Value::as_str) {
                Some("completed") => return Ok(state),
                Some("failed") => bail!("the job failed: {state}"),
                _ => std::thread::sleep(POLL_INTERVAL),
            }
        }
        bail!("the job did not end");
    }
}

fn read(status: u16, text: &str) -> anyhow::Result<Value> {
    if !(200..300).contains(&status) {
        bail!("answered {status}: {text}");
    }
    serde_json::from_str(text).context("the answer is not JSON")
}

/// Runs the sample through the API at `base_url` and prints the outcome and `curl` lines to standard output.
pub fn show(base_url: &str, ops_url: &str, key: &str, today: NaiveDate, session: &str) -> anyhow::Result<()> {
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(30)));
    let api = Api { agent: config.build().into(), base_url, key };
    let state = api.run_job("/api/v1/reconciliations", &sample::reconciliation_body(today))?;
    let result = state.get("result").context("no result")?;
    println!("{}", reconciliation_table(result));
    let state = api.run_job("/api/v1/coding/coding-jobs", &coding_sample::coding_body(today))?;
    println!("\n{}", coding_table(&state));
    println!("{}", next_steps(base_url, ops_url, key, session));
    Ok(())
}

fn text<'a>(value: &'a Value, pointer: &str) -> std::borrow::Cow<'a, str> {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.as_str().into(),
        Some(other) => other.to_string().into(),
        None => "".into(),
    }
}

fn amount(value: &Value, pointer: &str) -> String {
    // For the eye only: the API answers with the submitted digits.
    value.pointer(pointer).and_then(Value::as_f64).map_or_else(String::new, |amount| format!("{amount:>10.2}"))
}

fn row(row: &Value, prefix: &str) -> String {
    let description: String = text(row, &format!("{prefix}/description")).chars().take(34).collect();
    format!("{}  {}  {description:<34}", text(row, &format!("{prefix}/date")), amount(row, &format!("{prefix}/amount")))
}

fn reconciliation_table(result: &Value) -> String {
    let mut lines = vec![
        format!(
            "Reconciliation of a sample statement: {} bank rows, {} book rows, {} matched",
            text(result, "/summary/bank_rows"),
            text(result, "/summary/book_rows"),
            text(result, "/summary/matched_count")
        ),
        String::new(),
    ];
    let list = |name: &str| result.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let matched = list("matched");
    lines.push("  matched (the first eight)".to_owned());
    for pair in matched.iter().take(8) {
        lines.push(format!("    {}  |  {}", row(pair, "/bank"), row(pair, "/book")));
    }
    for (title, name) in [
        ("at the bank, not in the books", "missing_from_books"),
        ("in the books, not at the bank", "remove_from_books"),
    ] {
        lines.push(format!("  {title}"));
        lines.extend(list(name).iter().map(|item| format!("    {}", row(item, ""))));
    }
    let explanations = list("explanations");
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

fn coding_table(state: &Value) -> String {
    let mut lines = vec![
        format!(
            "Coding of the same weeks: {} transactions, {} of them coded",
            text(state, "/result/summary/transaction_count"),
            text(state, "/result/summary/coded_count")
        ),
        String::new(),
        format!("    {:<58}  {:<33} {:<3} {:>8}  sure", "transaction", "account", "VAT", "of it"),
    ];
    for coded in state.pointer("/result/transactions").and_then(Value::as_array).into_iter().flatten() {
        let account = format!("{} {}", text(coded, "/suggested_account_code"), text(coded, "/suggested_account_name"));
        let account: String = account.chars().take(33).collect();
        let vat = coded.get("vat_amount").and_then(Value::as_f64).unwrap_or_default();
        let confidence = coded.get("confidence").and_then(Value::as_f64).unwrap_or_default() * 100.0;
        lines.push(format!(
            "    {}  {account:<33} {:<3} {vat:>8.2}  {confidence:>3.0}%",
            row(coded, "/input"),
            text(coded, "/vat_code")
        ));
    }
    lines.push(String::new());
    for warning in state.pointer("/result/summary/warnings").and_then(Value::as_array).into_iter().flatten() {
        lines.push(format!("  warning: {}", text(warning, "")));
    }
    lines.push(format!("  {} credits charged", text(state, "/credits_charged")));
    lines.join("\n")
}

fn next_steps(base_url: &str, ops_url: &str, key: &str, session: &str) -> String {
    format!(
        r#"
Try it yourself (a key with every scope, for this demonstration only):

  export KEY={key}

  curl {base_url}/api/v1/me -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/reconciliations -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"bank": [{{"date": "2026-04-01", "amount": 100.00, "description": "BGC ACME INV 7"}}],
     "book": [{{"date": "2026-04-02", "amount": 100.00, "description": "Acme invoice 7"}}]}}'

  curl {base_url}/api/v1/reconciliations/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/coding/coding-jobs -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"transactions": [{{"date": "2026-04-01", "amount": -23.99, "description": "CARD PAYMENT TO RYMAN 0482"}}],
     "chart_of_accounts": [{{"code": "200", "name": "Sales", "type": "REVENUE"}},
                           {{"code": "461", "name": "Printing and stationery", "type": "EXPENSE"}}]}}'

  curl {base_url}/api/v1/coding/coding-jobs/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/books/organisations -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/keys -H "Authorization: Bearer {session}"

API documentation  {base_url}/docs
Operators' page    {ops_url}/
"#
    )
}

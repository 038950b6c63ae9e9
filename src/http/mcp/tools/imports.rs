//! `bulk_import`: rows that are previewed under a token and imported by it, once.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::changing::{Change, ChangeHeaders, Changed, confirmed, not_confirmed, preview_or_token, reason};
use super::{
    ANSWER_BYTES_MAX, Data, Inside, ORGANISATION, OrganisationName, answer, ask, csv_rows, part, refused,
    rows_that_fit, wrong,
};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

/// The tool.
const TOOL: &str = "bulk_import";

/// The most rows of one import through tools.
const ROWS_MAX: usize = 2_000;

/// The most bytes of results and of issues in an answer: each has a half.
const LIST_BYTES_MAX: usize = ANSWER_BYTES_MAX / 2 - 1_000;

/// `bulk_import`, of either kind.
pub(super) async fn import(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let token = arguments.get("confirm_token").and_then(Value::as_str);
    let inputs = ["kind", "rows", "csv", "bank_account_id", "on_duplicate"];
    preview_or_token(inputs.iter().any(|name| arguments.contains_key(*name)), token, "kind with rows or csv")?;
    match token {
        Some(token) => confirm(call, token, arguments.get("skip_invalid") == Some(&Value::Bool(true))).await,
        None if arguments.contains_key("skip_invalid") => {
            Err(wrong("skip_invalid", "goes with confirm_token: a preview shows every row").into())
        }
        None => preview(&Inside::of(call, arguments).await?, arguments).await,
    }
}

async fn preview(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let body = body(arguments)?;
    let change = Change { call: inside.call, tool: TOOL, organisation: Some(inside.id) };
    let asked = change.ask("previewImport", None, &body, ChangeHeaders::default()).await?;
    shown("preview", inside.name(), &asked.map_err(refused)?)
}

async fn confirm(call: &Call<Products>, token: &str, skips_invalid: bool) -> Outcome {
    let confirmed = confirmed(call, TOOL, token).await?;
    let change = Change { call, tool: TOOL, organisation: Some(confirmed.organisation) };
    let body = json!({ "token": token, "skip_invalid": skips_invalid });
    let headers = ChangeHeaders { expected_version: None, idempotency_key: Some(&confirmed.token_hash) };
    let is_done_before = |error: &ApiError| matches!(reason(error), Some("token_used" | "idempotency_key_reused"));
    let done = match change.ask("confirmImport", confirmed.preview.import_id, &body, headers).await? {
        Ok(done) if !done.is_replayed => done,
        Err(error) if !is_done_before(&error) => return Err(not_confirmed(error)),
        // It was carried out before: the import has the result, however long it is and however long ago that was.
        _ => {
            let mut parameters = vec![(ORGANISATION, confirmed.organisation.to_string())];
            parameters.extend(confirmed.preview.import_id.map(|id| ("id", id.to_string())));
            Changed { body: ask(call, "getImport", &parameters, String::new()).await?, is_replayed: true }
        }
    };
    shown("done", confirmed.name(), &done)
}

/// What REST takes of what the tool takes.
fn body(arguments: &Arguments) -> Result<Value, Failure> {
    let kind = arguments.get("kind").and_then(Value::as_str);
    let Some(kind) = kind else { return Err(wrong("kind", "is required")) };
    let mut rows = match (arguments.get("rows"), arguments.get("csv").and_then(Value::as_str)) {
        (Some(_), Some(_)) => return Err(wrong("csv", "not together with rows")),
        (None, None) => return Err(wrong("rows", "rows or csv is required")),
        (Some(rows), None) => rows.as_array().cloned().unwrap_or_default(),
        (None, Some(text)) => csv_rows::rows(text)?,
    };
    if rows.is_empty() || rows.len() > ROWS_MAX {
        let message = format!("must have 1 to {ROWS_MAX} rows; it has {}", rows.len());
        return Err(wrong(if arguments.contains_key("csv") { "csv" } else { "rows" }, message));
    }
    let is_bank = kind == "bank_transactions";
    for name in ["bank_account_id", "on_duplicate"] {
        if !is_bank && arguments.contains_key(name) {
            return Err(wrong(name, "goes with bank_transactions"));
        }
    }
    if let Some(bank) = arguments.get("bank_account_id") {
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            row.entry("bank_account_id").or_insert_with(|| bank.clone());
        }
    }
    let mut body = Map::new();
    body.insert("kind".to_owned(), json!(kind));
    body.insert("rows".to_owned(), Value::Array(rows));
    if let Some(on_duplicate) = arguments.get("on_duplicate") {
        body.insert("options".to_owned(), json!({ "on_duplicate": on_duplicate }));
    }
    Ok(Value::Object(body))
}

/// An import as REST prints it.
#[derive(Deserialize)]
struct Import<'a> {
    id: i64,
    #[serde(borrow)]
    token: Option<&'a str>,
    expires_at: &'a str,
    rows_total: i64,
    rows_valid: i64,
    rows_invalid: i64,
    rows_duplicate: i64,
    #[serde(borrow)]
    issues: Vec<Issue<'a>>,
    effects: Map<String, Value>,
    #[serde(borrow, default)]
    results: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    suggest: Option<&'a RawValue>,
}

/// What is wrong with a row.
#[derive(Deserialize, Serialize)]
struct Issue<'a> {
    row: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(borrow)]
    message: std::borrow::Cow<'a, str>,
}

/// An import as the tool shows it.
#[derive(Serialize)]
struct Shown<'a> {
    organisation: OrganisationName<'a>,
    stage: &'static str,
    import_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<&'a str>,
    rows_total: i64,
    rows_valid: i64,
    rows_invalid: i64,
    rows_duplicate: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<Issue<'a>>,
    effects: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggest: Option<&'a RawValue>,
    replayed: bool,
}

/// The answer, with as many rows as fit; `effects` says how many there are and where all of them are.
fn shown(stage: &'static str, organisation: OrganisationName<'_>, changed: &Changed) -> Result<Box<RawValue>, Refused> {
    let data: Data<'_> = part(&changed.body)?;
    let import: Import<'_> = part(data.data.get().as_bytes())?;
    let is_preview = stage == "preview";
    // Where no row is valid there is nothing to confirm.
    let confirm_token = import.token.filter(|_| import.rows_valid > 0);
    let Import { issues, results, mut effects, .. } = import;
    let all_results = results.len();
    let (issues, _) = fitting(issues, |issue| serde_json::to_string(issue).map_or(0, |text| text.len()));
    let (results, is_cut) = fitting(results, |row| row.get().len());
    if is_cut {
        let path = format!("/api/v1/books/organisations/{}/imports/{}", organisation.id, import.id);
        effects.insert("results_shown".to_owned(), json!(results.len()));
        effects.insert("results_total".to_owned(), json!(all_results));
        effects.insert("whole".to_owned(), json!(format!("GET {path}")));
    }
    answer(&Shown {
        organisation,
        stage,
        import_id: import.id,
        confirm_token,
        expires_at: (is_preview && confirm_token.is_some()).then_some(import.expires_at),
        rows_total: import.rows_total,
        rows_valid: import.rows_valid,
        rows_invalid: import.rows_invalid,
        rows_duplicate: import.rows_duplicate,
        issues,
        effects,
        results,
        suggest: import.suggest,
        replayed: changed.is_replayed,
    })
}

/// The rows that fit into a half of an answer.
fn fitting<R>(rows: Vec<R>, length: impl Fn(&R) -> usize) -> (Vec<R>, bool) {
    rows_that_fit(rows, LIST_BYTES_MAX, length)
}

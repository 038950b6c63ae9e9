//! `set_opening_balances`: previewed under a token and set by it, once.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::changing::{Change, ChangeHeaders, Changed, confirmed, not_confirmed, preview_or_token, reason};
use super::{
    ANSWER_BYTES_MAX, Data, Inside, ORGANISATION, OrganisationName, answer, ask, part, refused, rows_that_fit,
};
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

/// The tool.
const TOOL: &str = "set_opening_balances";

/// `set_opening_balances`, of either kind.
pub(super) async fn set(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let token = arguments.get("confirm_token").and_then(Value::as_str);
    let has_input = arguments.keys().any(|name| !matches!(name.as_str(), "organisation_id" | "confirm_token"));
    preview_or_token(has_input, token, "as_of with lines")?;
    match token {
        Some(token) => confirm(call, token).await,
        None => preview(&Inside::of(call, arguments).await?, arguments).await,
    }
}

/// A list of journals, of which the first is asked for.
#[derive(Deserialize)]
struct Journals {
    data: Vec<Journal>,
}

#[derive(Deserialize)]
struct Journal {
    id: i64,
}

/// The journal of the opening balances that stand.
async fn standing(inside: &Inside<'_>) -> Result<Option<i64>, Refused> {
    let query = "source_type=opening_balance&status=posted&limit=1".to_owned();
    let listed = inside.ask_with("listJournals", None, query).await?;
    Ok(part::<Journals>(&listed)?.data.first().map(|journal| journal.id))
}

/// What opening balances would do, as REST prints it.
#[derive(Deserialize)]
struct Preview<'a> {
    #[serde(borrow)]
    token: Option<&'a str>,
    expires_at: &'a str,
    as_of: &'a str,
    #[serde(borrow)]
    lines: Vec<&'a RawValue>,
    #[serde(borrow)]
    total_debit: &'a RawValue,
    #[serde(borrow)]
    total_credit: &'a RawValue,
    #[serde(borrow)]
    difference: &'a RawValue,
    warnings: Vec<String>,
    #[serde(borrow)]
    lock_date: Option<&'a str>,
}

/// The answer of the tool.
#[derive(Serialize)]
struct Shown<'a> {
    organisation: OrganisationName<'a>,
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<&'a str>,
    as_of: &'a str,
    lines: Vec<&'a RawValue>,
    total_debit: &'a RawValue,
    total_credit: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    voids_journal_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_date: Option<&'a str>,
    replayed: bool,
}

async fn preview(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let mut body = arguments.clone();
    body.remove("organisation_id");
    let replaces = body.get("replace") == Some(&Value::Bool(true));
    let voids_journal_id = if replaces { standing(inside).await? } else { None };
    let change = Change { call: inside.call, tool: TOOL, organisation: Some(inside.id) };
    let asked = change.ask("previewOpeningBalances", None, &Value::Object(body), ChangeHeaders::default()).await?;
    let asked = asked.map_err(refused)?;
    let preview: Preview<'_> = part(part::<Data<'_>>(&asked.body)?.data.get().as_bytes())?;
    let mut warnings = preview.warnings;
    let lines = cut(preview.lines, &mut warnings);
    answer(&Shown {
        organisation: inside.name(),
        stage: "preview",
        confirm_token: preview.token,
        expires_at: Some(preview.expires_at),
        as_of: preview.as_of,
        lines,
        total_debit: preview.total_debit,
        total_credit: preview.total_credit,
        difference: Some(preview.difference),
        warnings,
        voids_journal_id,
        journal_id: None,
        lock_date: preview.lock_date,
        replayed: false,
    })
}

/// As many lines as fit into an answer; a warning says what is left out.
fn cut<'a>(lines: Vec<&'a RawValue>, warnings: &mut Vec<String>) -> Vec<&'a RawValue> {
    let all = lines.len();
    let of_warnings: usize = warnings.iter().map(String::len).sum();
    let (lines, is_cut) =
        rows_that_fit(lines, ANSWER_BYTES_MAX.saturating_sub(of_warnings + 1_000), |line| line.get().len());
    if is_cut {
        warnings.push(format!("{} of {all} lines are shown, because the answer would be too long", lines.len()));
    }
    lines
}

/// Opening balances that were set, as REST prints them.
#[derive(Deserialize)]
struct Set<'a> {
    #[serde(borrow)]
    journal: SetJournal<'a>,
    #[serde(borrow)]
    lock_date: Option<&'a str>,
}

#[derive(Deserialize)]
struct SetJournal<'a> {
    id: i64,
    entry_date: &'a str,
    #[serde(borrow)]
    lines: Vec<&'a RawValue>,
    #[serde(borrow)]
    total_debit: &'a RawValue,
    #[serde(borrow)]
    total_credit: &'a RawValue,
}

async fn confirm(call: &Call<Products>, token: &str) -> Outcome {
    let confirmed = confirmed(call, TOOL, token).await?;
    let change = Change { call, tool: TOOL, organisation: Some(confirmed.organisation) };
    let headers = ChangeHeaders { expected_version: None, idempotency_key: Some(&confirmed.token_hash) };
    let asked = change.ask("setOpeningBalances", None, &json!({ "token": token }), headers).await?;
    let Changed { body, is_replayed } = match asked {
        Ok(done) => done,
        Err(error) if reason(&error) == Some("token_used") => {
            let failure =
                Failure::new("conflict (token_used)", "these opening balances were set, and the answer is forgotten");
            return Err(failure.next("books_status says whether opening balances are set").into());
        }
        Err(error) => return Err(not_confirmed(error)),
    };
    let data: Data<'_> = part(&body)?;
    let (of_journal, journal, lock_date);
    match serde_json::from_str::<Set<'_>>(data.data.get()) {
        Ok(set) => (journal, lock_date) = (set.journal, set.lock_date),
        // Of a long answer only the identifier of the journal is kept.
        Err(_) => {
            let id = part::<Journal>(data.data.get().as_bytes())?.id;
            let parameters = [(ORGANISATION, confirmed.organisation.to_string()), ("id", id.to_string())];
            of_journal = ask(call, "getJournal", &parameters, String::new()).await?;
            journal = part(part::<Data<'_>>(&of_journal)?.data.get().as_bytes())?;
            lock_date = None;
        }
    }
    let mut warnings = Vec::new();
    let lines = cut(journal.lines, &mut warnings);
    answer(&Shown {
        organisation: confirmed.name(),
        stage: "done",
        confirm_token: None,
        expires_at: None,
        as_of: journal.entry_date,
        lines,
        total_debit: journal.total_debit,
        total_credit: journal.total_credit,
        difference: None,
        warnings,
        voids_journal_id: None,
        journal_id: Some(journal.id),
        lock_date,
        replayed: is_replayed,
    })
}

//! `post_to_platform`: coded lines into the books of the organisation, previewed and then posted once, all of them or none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::super::{OrganisationName, answer, fault, part, refused, visible, wrong};
use super::postings::{Poster, RefusedRow};
use super::review::Reviewing;
use super::{Session, hash_of, not_on_platform, text};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::coded_posting::{CodedPosting, CodedPostings, PostedLines, PostingOutcome};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult, Replay};
use crate::domain::coding_session::ReviewedLine;
use crate::domain::date::date_time_text;
use crate::domain::ids::CodingSessionId;
use crate::domain::ledger::money::Money;
use crate::domain::ledger::refusal::Refusal;
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::http::wire::books;
use crate::store::NewToolToken;

const TOOL: &str = "post_to_platform";

/// How long the result of a token is given again.
const RESULT_KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// The most refused rows that are named.
const REFUSED_NAMED_MAX: usize = 100;

/// What is posted once it is confirmed.
#[derive(Serialize, Deserialize)]
struct Previewed {
    session: String,
    rows: Vec<i64>,
    /// What the rows were coded to.
    postings_hash: String,
    /// What they do.
    outline: String,
}

#[derive(Serialize)]
struct AccountRow {
    account_code: String,
    account_name: String,
    debit: Money,
    credit: Money,
}

#[derive(Serialize)]
struct RefusedJson {
    row_id: i64,
    reason: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Posted<'a> {
    session_id: &'a str,
    organisation: OrganisationName<'a>,
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    by_account: Vec<AccountRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    would_post: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<Vec<RefusedJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<bool>,
}

/// Previews postings, or posts what was previewed.
pub(super) async fn post(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    match (text(arguments, "confirm_token"), arguments.get("row_ids").and_then(Value::as_array)) {
        (Some(_), Some(_)) => Err(wrong("row_ids", "does not go with confirm_token, which knows its rows").into()),
        (Some(given), None) => confirmed(call, arguments, given).await,
        (None, rows) => preview(call, arguments, rows.map(Vec::as_slice)).await,
    }
}

/// The organisation of a session; a session with a chart of its own has none.
fn organisation<'s>(session: &'s Session<'_>) -> Result<&'s OrganisationRecord, Refused> {
    let organisation = session.organisation.as_ref();
    organisation.ok_or_else(|| not_on_platform("a session on platform manual has no books to post to"))
}

/// The postings of rows of a session, and the rows that cannot be posted.
async fn postings(
    session: &Session<'_>,
    wanted: impl Fn(&ReviewedLine<'_>) -> bool,
) -> Result<(Vec<CodedPosting>, Vec<RefusedRow>), Refused> {
    let organisation = organisation(session)?.id;
    let reader = &session.call.state().reader;
    let reviewing = Reviewing::of(session).await?;
    let chart = session.chart().await?;
    let banks = reader.bank_accounts(organisation, false).await.map_err(|error| fault(error.into()))?;
    let invoices = reader.coding_session_invoices(session.id()).await.map_err(|error| fault(error.into()))?;
    let lines: Vec<ReviewedLine<'_>> = reviewing.lines().filter(|line| wanted(line)).collect();
    let poster = Poster { session: session.id(), chart: &chart, banks: &banks, invoices: &invoices };
    Ok(poster.postings(&lines))
}

/// A fingerprint of what is to be posted.
fn fingerprint(postings: &[CodedPosting]) -> Result<String, Refused> {
    hash_of(&format!("{postings:?}"))
}

/// Says what would be posted.
async fn preview(call: &Call<Products>, arguments: &Arguments, rows: Option<&[Value]>) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let organisation = organisation(&session)?;
    let named: Option<BTreeSet<i64>> = rows.map(|rows| rows.iter().filter_map(Value::as_i64).collect());
    let wanted = |line: &ReviewedLine<'_>| match &named {
        Some(named) => named.contains(&line.line.line),
        None => !line.needs_review,
    };
    let (postings, mut refused_rows) = postings(&session, wanted).await?;
    for unknown in named.iter().flatten().filter(|row| **row > session.record.lines) {
        let message = "the session has no such line".to_owned();
        refused_rows.push(RefusedRow { row_id: *unknown, reason: "unknown_reference", message });
    }
    let all = CodedPostings { postings: postings.clone(), previewed: None };
    let outcome = match postings.is_empty() {
        true => PostedLines { outcomes: Vec::new() },
        false => execute(call, organisation, all, ChangeOptions { dry_run: true, ..ChangeOptions::default() }).await?,
    };
    let accepted = sort_out(&outcome, named.is_some(), &mut refused_rows);
    let outline = outcome.outline();
    let kept: Vec<CodedPosting> =
        postings.into_iter().filter(|posting| posting.rows.iter().all(|row| accepted.contains(row))).collect();
    let mut answered = Posted {
        session_id: session.id().as_str(),
        organisation: OrganisationName::of(organisation),
        stage: "preview",
        confirm_token: None,
        expires_at: None,
        by_account: by_account(&outcome),
        would_post: Some(accepted.len()),
        posted: None,
        refused: Some(named_refusals(refused_rows)),
        replayed: None,
    };
    if kept.is_empty() {
        return answer(&answered);
    }
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection();
    let minted = token::preview(call, "post_");
    let body = Previewed {
        session: session.id().as_str().to_owned(),
        rows: accepted.iter().copied().collect(),
        postings_hash: fingerprint(&kept)?,
        outline,
    };
    let new = NewToolToken {
        token_hash: minted.token_hash,
        organisation: organisation.id,
        user_id: principal.user_id,
        connection: connection.ok_or_else(|| fault(ApiError::internal("a caller without a connection")))?,
        tool: TOOL,
        body: serde_json::to_string(&body).map_err(|error| fault(ApiError::internal(error)))?,
    };
    let expires_at = call.state().actors.coding_sessions.put_token(new).await;
    answered.expires_at = Some(date_time_text(expires_at.map_err(|error| fault(error.into()))?));
    answered.confirm_token = Some(&minted.token);
    answer(&answered)
}

/// The rows that would be posted; the others are named with why. A line that was posted before is passed over, unless the
/// caller named it.
fn sort_out(outcome: &PostedLines, is_named: bool, refused_rows: &mut Vec<RefusedRow>) -> BTreeSet<i64> {
    let mut accepted = BTreeSet::new();
    for (rows, outcome) in &outcome.outcomes {
        let (reason, message) = match outcome {
            PostingOutcome::Posted(_) => {
                accepted.extend(rows.iter().copied());
                continue;
            }
            PostingOutcome::Refused(refusal) if is_posted_before(refusal) => {
                if !is_named {
                    continue;
                }
                ("already_posted", "the line is in the books already".to_owned())
            }
            PostingOutcome::Refused(refusal) => (refusal.reason(), refusal.message()),
            PostingOutcome::Unknown => ("not_found", "the line is not in the books any more".to_owned()),
        };
        let refused = |row: &i64| RefusedRow { row_id: *row, reason, message: message.clone() };
        refused_rows.extend(rows.iter().map(refused));
    }
    accepted
}

/// Whether a line is refused because it was posted before.
fn is_posted_before(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::InvalidState { current: "confirmed", .. } | Refusal::DuplicateExternalId { existing_id: Some(_), .. }
    )
}

fn named_refusals(mut rows: Vec<RefusedRow>) -> Vec<RefusedJson> {
    rows.sort_by_key(|row| row.row_id);
    let json = |row: RefusedRow| RefusedJson { row_id: row.row_id, reason: row.reason, message: row.message };
    rows.into_iter().take(REFUSED_NAMED_MAX).map(json).collect()
}

/// What the postings move, by account.
fn by_account(outcome: &PostedLines) -> Vec<AccountRow> {
    let mut accounts: BTreeMap<&str, (&str, i64, i64)> = BTreeMap::new();
    for (_, outcome) in &outcome.outcomes {
        let PostingOutcome::Posted(movements) = outcome else { continue };
        for one in movements {
            let sums = accounts.entry(&one.account_code).or_insert((&one.account_name, 0, 0));
            sums.1 += one.debit_pence;
            sums.2 += one.credit_pence;
        }
    }
    let row = |(code, (name, debit, credit)): (&str, (&str, i64, i64))| AccountRow {
        account_code: code.to_owned(),
        account_name: name.to_owned(),
        debit: Money(debit),
        credit: Money(credit),
    };
    accounts.into_iter().map(row).collect()
}

/// Gives the command to the books of the organisation.
async fn execute(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    all: CodedPostings,
    options: ChangeOptions,
) -> Result<PostedLines, Refused> {
    let principal = call.caller().map_err(fault)?;
    let command = BooksCommand::PostCodedLines(Box::new(all));
    let options = ChangeOptions { tool: Some(TOOL), ..options };
    let outcome = call.state().actors.ledgers.execute(principal, organisation.id, command, options).await;
    match outcome.map_err(|error| fault(error.into()))? {
        CommandOutcome::Done(CommandResult::PostedLines(posted)) => Ok(*posted),
        CommandOutcome::Denied(denied) => Err(refused(denied.into())),
        CommandOutcome::Refused(Refusal::IdempotencyInProgress) => {
            Err(refused(books::refused(&Refusal::IdempotencyInProgress)))
        }
        CommandOutcome::Refused(refusal) => Err(stale(&refusal.message())),
        CommandOutcome::RefusedItem(_, refusal) => Err(stale(&refusal.message())),
        CommandOutcome::UnknownItem(_) => Err(stale("a line is not in the books any more")),
        _ => Err(fault(ApiError::internal("coded lines are answered by something else"))),
    }
}

fn stale(why: &str) -> Refused {
    let failure = Failure::new("confirm_stale", format!("nothing was posted: {why}"));
    failure.next("preview again and confirm that").into()
}

fn not_found() -> Refused {
    let failure = Failure::new("confirm_not_found", "this connection was given no such confirm_token for this session");
    failure.next("preview without confirm_token and confirm that").into()
}

/// Posts what was previewed under a token, or gives the result of the first time again.
async fn confirmed(call: &Call<Products>, arguments: &Arguments, given: &str) -> Outcome {
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection();
    let connection = connection.ok_or_else(|| fault(ApiError::internal("a caller without a connection")))?;
    let token_hash = token::hash(given);
    let named = text(arguments, "session_id").unwrap_or_default();
    // Whether there is such a session of the caller's is said first, as by every tool of sessions.
    Session::require_own(call, &CodingSessionId(named.to_owned())).await?;
    let caller = (principal.user_id, connection);
    let found = call.state().reader.tool_token(caller, TOOL, &token_hash).await;
    let found = found.map_err(|error| fault(error.into()))?.ok_or_else(not_found)?;
    let previewed: Previewed = part(found.body.as_bytes())?;
    if previewed.session != named {
        return Err(not_found());
    }
    let organisation = visible(call, found.organisation).await.map_err(refused)?;
    if let Some(stored) = replay(call, &token_hash).await? {
        return Ok(stored);
    }
    if found.expires_at_ms <= call.state().actors.store_now_ms() {
        let failure = Failure::new("confirm_expired", "the preview is older than 30 minutes; nothing was posted");
        return Err(failure.next("preview again and confirm that").into());
    }
    let result = carry_out(call, arguments, &organisation, (previewed, &token_hash, given)).await;
    match result {
        // Another call with the token posted in the meantime.
        Err(refused) => replay(call, &token_hash).await?.map_or(Err(refused), Ok),
        done => done,
    }
}

async fn carry_out(
    call: &Call<Products>,
    arguments: &Arguments,
    organisation: &OrganisationRecord,
    (previewed, token_hash, given): (Previewed, &str, &str),
) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let rows: BTreeSet<i64> = previewed.rows.iter().copied().collect();
    let (postings, _) = postings(&session, |line| rows.contains(&line.line.line)).await?;
    if fingerprint(&postings)? != previewed.postings_hash {
        return Err(stale("the lines were coded otherwise since the preview"));
    }
    let count = rows.len();
    let print = {
        let (id, organisation) = (session.id().clone(), organisation.clone());
        move |result: &CommandResult| match result {
            CommandResult::PostedLines(posted) => {
                Some((200, serde_json::to_string(&done(&id, &organisation, count, posted)).ok()?))
            }
            _ => None,
        }
    };
    let idempotency = Replay {
        method: TOOL.to_owned(),
        path: TOOL.to_owned(),
        key: token_hash.to_owned(),
        body_hash: Sha256::digest(given.as_bytes()).into(),
        retention_ms: RESULT_KEPT_MS,
        print: Arc::new(print),
    };
    let options = ChangeOptions { idempotency: Some(idempotency), ..ChangeOptions::default() };
    let all = CodedPostings { postings, previewed: Some(previewed.outline) };
    let posted = execute(call, organisation, all, options).await?;
    answer(&done(session.id(), organisation, count, &posted))
}

/// The answer to postings that are done.
fn done<'a>(
    session: &'a CodingSessionId,
    organisation: &'a OrganisationRecord,
    posted_rows: usize,
    posted: &PostedLines,
) -> Posted<'a> {
    Posted {
        session_id: session.as_str(),
        organisation: OrganisationName::of(organisation),
        stage: "done",
        confirm_token: None,
        expires_at: None,
        by_account: by_account(posted),
        would_post: None,
        posted: Some(posted_rows),
        refused: None,
        replayed: Some(false),
    }
}

/// The result of a token that was used, if it was.
async fn replay(call: &Call<Products>, token_hash: &str) -> Result<Option<Box<RawValue>>, Refused> {
    let user = call.caller().map_err(fault)?.user_id;
    let stored = call.state().reader.find_replay(user, TOOL, TOOL, token_hash).await;
    let Some(stored) = stored.map_err(|error| fault(error.into()))? else { return Ok(None) };
    let text = String::from_utf8_lossy(&stored.body);
    // The printed answer ends with this member, and no text in it can: quotation marks in texts are escaped.
    let again = text.replace("\"replayed\":false", "\"replayed\":true");
    RawValue::from_string(again).map(Some).map_err(|error| fault(ApiError::internal(error)))
}

//! `post_to_platform`: coded lines into the books of the organisation, previewed and then posted once, all of them or none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::super::{OrganisationName, answer, fault, part, refused, rows_that_fit, visible, wrong};
use super::by_account::{AccountRow, ShownLine, by_account, with_lines};
use super::postings::{CodedPosting, Poster, RefusedRow};
use super::review::Reviewing;
use super::{Session, hash_of, not_on_platform, text};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::plan::{
    NewPlan, OperationOutcome, PlanConfirmation, PlanOutcome, PlanStored, PlannedOperation,
};
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult, Replay};
use crate::domain::caller::Role;
use crate::domain::coding_session::ReviewedLine;
use crate::domain::date::date_time_text;
use crate::domain::ids::CodingSessionId;
use crate::domain::ledger::refusal::Refusal;
use crate::http::books::change::rejected;
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

const TOOL: &str = "post_to_platform";

/// How long the result of a token is given again.
const RESULT_KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// The most rows that are posted at once.
const ROWS_MAX: usize = 1_000;

/// The most bytes of the refused rows of an answer.
const REFUSED_BYTES_MAX: usize = 9_000;

/// What is posted once it is confirmed.
#[derive(Serialize, Deserialize)]
struct Previewed {
    session: String,
    rows: Vec<i64>,
    /// What the rows were coded to.
    postings_hash: String,
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

/// What is to be posted, and what is not.
struct Wanted {
    /// The postings of the rows that are wanted and not posted yet, of at most a thousand rows.
    postings: Vec<CodedPosting>,
    /// The rows that cannot be posted.
    refused: Vec<RefusedRow>,
    /// The rows that were posted before.
    before: BTreeSet<i64>,
    /// The rows as a preview lists them.
    shown: BTreeMap<i64, ShownLine>,
    /// The accounts of the organisation's bank accounts.
    bank_codes: BTreeSet<String>,
}

/// The postings of the rows that are wanted.
async fn postings(session: &Session<'_>, wanted: impl Fn(&ReviewedLine<'_>) -> bool) -> Result<Wanted, Refused> {
    let organisation = organisation(session)?.id;
    let reader = &session.call.state().reader;
    let reviewing = Reviewing::of(session).await?;
    let chart = session.chart().await?;
    let banks = reader.bank_accounts(organisation, false).await.map_err(|error| fault(error.into()))?;
    let invoices = reader.coding_session_invoices(session.id()).await.map_err(|error| fault(error.into()))?;
    let posted = reader.posted_lines(organisation, session.id(), reviewing.all()).await;
    let posted = posted.map_err(|error| fault(error.into()))?;
    let (before, lines): (Vec<_>, Vec<_>) =
        reviewing.lines().filter(|line| wanted(line)).partition(|line| posted.contains(&line.line.line));
    let lines: Vec<ReviewedLine<'_>> = lines.into_iter().take(ROWS_MAX).collect();
    let poster = Poster { session: session.id(), chart: &chart, banks: &banks, invoices: &invoices };
    let (postings, refused) = poster.postings(&lines);
    Ok(Wanted {
        postings,
        refused,
        before: before.iter().map(|line| line.line.line).collect(),
        shown: lines.iter().map(|line| (line.line.line, ShownLine::new(line, &invoices))).collect(),
        bank_codes: banks.iter().map(|bank| bank.account_code.clone()).collect(),
    })
}

/// A fingerprint of what is to be posted.
fn fingerprint(postings: &[CodedPosting]) -> Result<String, Refused> {
    hash_of(&format!("{postings:?}"))
}

/// The operations of postings, with the place of the last of each.
fn operations(postings: &[CodedPosting]) -> (Vec<PlannedOperation>, Vec<usize>) {
    let (mut operations, mut places) = (Vec::new(), Vec::with_capacity(postings.len()));
    for posting in postings {
        posting.add_to(&mut operations);
        places.push(operations.len().saturating_sub(1));
    }
    (operations, places)
}

/// What postings would do, and the role of the caller.
async fn planned(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    postings: &[CodedPosting],
) -> Result<(PlanOutcome, Role), Refused> {
    let (principal, ledgers) = (call.caller().map_err(fault)?, &call.state().actors.ledgers);
    let answered = ledgers.preview_plan(principal, organisation.id, operations(postings).0, TOOL).await;
    let (outcome, role) = answered.map_err(|error| fault(error.into()))?.map_err(|denied| refused(denied.into()))?;
    match outcome {
        CommandOutcome::Done(CommandResult::Plan(outcome)) => Ok((*outcome, role)),
        other => Err(refused(rejected(other))),
    }
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
    let Wanted { postings, refused: mut refused_rows, before, shown, bank_codes } = postings(&session, wanted).await?;
    let mut refuse = |row_id: i64, reason: &'static str, message: &str| {
        refused_rows.push(RefusedRow { row_id, reason, message: message.to_owned() });
    };
    for row in named.iter().flatten() {
        if before.contains(row) {
            refuse(*row, "already_posted", "the line is in the books already");
        } else if *row > session.record.lines {
            refuse(*row, "unknown_reference", "the session has no such line");
        }
    }
    let (mut outcome, role) = planned(call, organisation, &postings).await?;
    let tried = postings.len();
    let kept = sort_out(&outcome, postings, &mut refused_rows);
    if kept.len() < tried {
        // What is refused leaves nothing that the others could rely on.
        outcome = planned(call, organisation, &kept).await?.0;
    }
    let (_, places) = operations(&kept);
    let kept: Vec<(CodedPosting, usize)> = kept.into_iter().zip(places).collect();
    let by_account = with_lines(&outcome, &kept, &shown, &bank_codes);
    let kept: Vec<CodedPosting> = kept.into_iter().map(|(posting, _)| posting).collect();
    let would_post: Vec<i64> = kept.iter().flat_map(|posting| posting.rows.iter().copied()).collect();
    let mut answered = Posted {
        session_id: session.id().as_str(),
        organisation: OrganisationName::of(organisation),
        stage: "preview",
        confirm_token: None,
        expires_at: None,
        by_account,
        would_post: Some(would_post.len()),
        posted: None,
        refused: Some(named_refusals(refused_rows)),
        replayed: None,
    };
    if kept.is_empty() || !role.may_write() {
        return answer(&answered);
    }
    let body =
        Previewed { session: session.id().as_str().to_owned(), rows: would_post, postings_hash: fingerprint(&kept)? };
    let minted = token::mint(call, "post_");
    answered.expires_at = Some(store(call, organisation, (&minted.token_hash, &body), outcome).await?);
    answered.confirm_token = Some(&minted.token);
    answer(&answered)
}

/// Stores what was previewed under a token; gives the moment until which it may be confirmed.
async fn store(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    (token_hash, body): (&str, &Previewed),
    outcome: PlanOutcome,
) -> Result<String, Refused> {
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection();
    let plan = NewPlan {
        organisation: organisation.id,
        user_id: principal.user_id,
        connection: connection.ok_or_else(|| fault(ApiError::internal("a caller without a connection")))?,
        tool: TOOL,
        token_hash: token_hash.to_owned(),
        body: serde_json::to_string(body).map_err(|error| fault(ApiError::internal(error)))?,
        outline: outcome.outline,
        identifiers: outcome.identifiers,
    };
    match call.state().actors.ledgers.store_plan(plan).await.map_err(|error| fault(error.into()))? {
        PlanStored::Until(until_ms) => Ok(date_time_text(until_ms)),
        PlanStored::TooMany => {
            let failure = Failure::new("conflict (too_many_plans)", "this connection has 100 previews that wait");
            Err(failure.next("confirm one of them, or let them expire: a preview lives 30 minutes").into())
        }
    }
}

/// The postings that would be made; the rows of the others are named with why.
fn sort_out(
    outcome: &PlanOutcome,
    postings: Vec<CodedPosting>,
    refused_rows: &mut Vec<RefusedRow>,
) -> Vec<CodedPosting> {
    let (_, places) = operations(&postings);
    let mut kept = Vec::with_capacity(postings.len());
    for (posting, place) in postings.into_iter().zip(places) {
        match refusal(outcome, place) {
            None => kept.push(posting),
            Some((reason, message)) => {
                refused_rows.extend(posting.rows.iter().map(|row| RefusedRow {
                    row_id: *row,
                    reason,
                    message: message.clone(),
                }));
            }
        }
    }
    kept
}

/// Why an operation is refused, or the one that it relies on.
fn refusal(outcome: &PlanOutcome, place: usize) -> Option<(&'static str, String)> {
    match outcome.operations.get(place)? {
        OperationOutcome::Done(_) => None,
        OperationOutcome::DependsOn(other) => refusal(outcome, *other),
        OperationOutcome::Refused(refused) => Some(match &**refused {
            CommandOutcome::Refused(refusal) => (refusal.reason(), refusal.message()),
            _ => ("not_found", "the line is not in the books any more".to_owned()),
        }),
    }
}

fn named_refusals(mut rows: Vec<RefusedRow>) -> Vec<RefusedJson> {
    rows.sort_by_key(|row| row.row_id);
    let json = |row: RefusedRow| RefusedJson { row_id: row.row_id, reason: row.reason, message: row.message };
    that_fit(rows.into_iter().map(json).collect(), REFUSED_BYTES_MAX)
}

/// The first rows that fit into an answer.
fn that_fit<R: Serialize>(rows: Vec<R>, bytes_max: usize) -> Vec<R> {
    let length = |row: &R| serde_json::to_string(row).map_or(0, |text| text.len());
    rows_that_fit(rows, bytes_max, length).0
}

/// The refusal of a token that would not do what its preview showed; the token is dead from now on.
async fn stale(call: &Call<Products>, organisation: &OrganisationRecord, token_hash: &str, why: &str) -> Refused {
    let ledgers = &call.state().actors.ledgers;
    let marked = ledgers.mark_plan_dead(organisation.id, token_hash.to_owned(), why.to_owned()).await;
    if let Err(error) = marked {
        return fault(error.into());
    }
    let failure = Failure::new("confirm_stale", format!("nothing was posted: {why}"));
    failure.next("preview again and confirm that").into()
}

fn not_found() -> Refused {
    let failure = Failure::new("confirm_not_found", "this connection was given no such confirm_token for this session");
    failure.next("preview without confirm_token and confirm that").into()
}

fn expired() -> Refused {
    let failure = Failure::new("confirm_expired", "the preview is older than 30 minutes; nothing was posted");
    failure.next("preview again and confirm that").into()
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
    let found = call.state().reader.plan(principal.user_id, connection, TOOL, &token_hash).await;
    let found = found.map_err(|error| fault(error.into()))?.ok_or_else(not_found)?;
    let previewed: Previewed = part(found.body.as_bytes())?;
    if previewed.session != named {
        return Err(not_found());
    }
    let organisation = visible(call, found.organisation).await.map_err(refused)?;
    // The result is given again after the session has ended, too.
    let path = format!("/mcp/{TOOL}/{}", connection.to_stored());
    let stored = call.state().reader.find_replay(principal.user_id, "POST", &path, &token_hash).await;
    if let Some(stored) = stored.map_err(|error| fault(error.into()))? {
        return again(&stored.body);
    }
    carry_out(call, arguments, &organisation, (previewed, token_hash, given, path)).await
}

async fn carry_out(
    call: &Call<Products>,
    arguments: &Arguments,
    organisation: &OrganisationRecord,
    (previewed, token_hash, given, path): (Previewed, String, &str, String),
) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let rows: BTreeSet<i64> = previewed.rows.iter().copied().collect();
    let Wanted { postings, before, .. } = postings(&session, |line| rows.contains(&line.line.line)).await?;
    // Lines that were posted meanwhile may be those of this token: the books say so.
    if before.is_empty() && fingerprint(&postings)? != previewed.postings_hash {
        return Err(stale(call, organisation, &token_hash, "the lines were coded otherwise since the preview").await);
    }
    let count = rows.len();
    let print = {
        let (id, organisation) = (session.id().clone(), organisation.clone());
        move |result: &CommandResult| match result {
            CommandResult::Plan(outcome) => {
                Some((200, serde_json::to_string(&done(&id, &organisation, count, outcome)).ok()?))
            }
            _ => None,
        }
    };
    let idempotency = Replay {
        method: "POST".to_owned(),
        path,
        key: token_hash.clone(),
        body_hash: Sha256::digest(given.as_bytes()).into(),
        retention_ms: RESULT_KEPT_MS,
        print: Arc::new(print),
    };
    let options = ChangeOptions { idempotency: Some(idempotency), tool: Some(TOOL), ..ChangeOptions::default() };
    let (operations, _) = operations(&postings);
    let confirmation = PlanConfirmation { token_hash: token_hash.clone(), operations, shows_journals: true };
    let command = BooksCommand::CommitPlan(Box::new(confirmation));
    let (principal, ledgers) = (call.caller().map_err(fault)?, &call.state().actors.ledgers);
    let outcome = ledgers.execute(principal, organisation.id, command, options).await;
    match outcome.map_err(|error| fault(error.into()))? {
        CommandOutcome::Done(CommandResult::Plan(outcome)) => {
            answer(&done(session.id(), organisation, count, &outcome))
        }
        CommandOutcome::Replayed(stored) => again(&stored.body),
        CommandOutcome::Unknown => Err(not_found()),
        CommandOutcome::Refused(Refusal::TokenExpired) => Err(expired()),
        CommandOutcome::StalePlan(why) => Err(stale(call, organisation, &token_hash, &why).await),
        other => Err(refused(rejected(other))),
    }
}

/// The answer to postings that are done.
fn done<'a>(
    session: &'a CodingSessionId,
    organisation: &'a OrganisationRecord,
    posted_rows: usize,
    outcome: &PlanOutcome,
) -> Posted<'a> {
    Posted {
        session_id: session.as_str(),
        organisation: OrganisationName::of(organisation),
        stage: "done",
        confirm_token: None,
        expires_at: None,
        by_account: by_account(outcome),
        would_post: None,
        posted: Some(posted_rows),
        refused: None,
        replayed: Some(false),
    }
}

/// A stored answer, given again.
fn again(stored: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(stored);
    // No text in it can hold this: quotation marks in texts are escaped.
    let text = text.replace("\"replayed\":false", "\"replayed\":true");
    RawValue::from_string(text).map_err(|error| fault(ApiError::internal(error)))
}

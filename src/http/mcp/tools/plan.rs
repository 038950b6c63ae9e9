//! `plan_bookkeeping` and `commit_plan`: several writes of the REST API previewed together, and carried out exactly so, once.
//!
//! A plan reads every operation by asking its route for the command it would execute, so that a plan refuses what REST
//! refuses, in the same words. The commands are decided in order over a snapshot of the books, and nothing but the plan itself
//! is stored. To commit, they are read and decided again in the books' own order and have to come to the same outline.

mod answers;
pub(in crate::http::mcp) mod operations;
mod reading;
mod references;
mod sent;

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use self::answers::{Committed, Previewed, kinds};
use self::reading::{all_of, read};
use self::sent::SentPlan;
use super::{Inside, answer, fault, refused, visible};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::plan::{NewPlan, OperationOutcome, PlanConfirmation, PlanOutcome, PlanStored};
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult, PrintAnswer, Replay};
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;
use crate::http::books::change::rejected;
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::envelope::Moment;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

/// The most bytes of a plan as it was sent.
const PLAN_BYTES_MAX: usize = 1_000_000;

/// How long the answer to a committed plan is given again.
const RESULT_RETENTION_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// `plan_bookkeeping`.
pub(super) async fn preview(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let sent = SentPlan::of(arguments);
    let body = serde_json::to_string(&sent).map_err(|error| fault(ApiError::internal(error)))?;
    if body.len() > PLAN_BYTES_MAX {
        let message = format!("operations: a plan may hold {PLAN_BYTES_MAX} bytes; it has {}", body.len());
        return Err(Failure::new("invalid_request_format", message).next("make several plans of it").into());
    }
    let planned = read(inside, &sent).await?;
    let (principal, ledgers) = (inside.call.caller().map_err(fault)?, &inside.call.state().actors.ledgers);
    let organisation = OrganisationId(inside.id);
    let answered = ledgers.preview_plan(principal, organisation, planned, PLAN).await;
    let (outcome, role) = answered.map_err(|error| fault(error.into()))?.map_err(|denied| refused(denied.into()))?;
    let outcome = match outcome {
        CommandOutcome::Done(CommandResult::Plan(outcome)) => outcome,
        other => return Err(refused(rejected(other))),
    };
    if let Some(failure) = refusals(&sent, &outcome) {
        return Err(failure.into());
    }
    let mut warnings = Vec::new();
    if !role.may_write() {
        warnings.push("the role viewer may read the books and not change them: it cannot commit this plan".to_owned());
    }
    let missing = missing_scopes(inside.call, &sent)?;
    if !missing.is_empty() {
        warnings.push(format!("this connection lacks the scope {}: it cannot commit this plan", missing.join(" and ")));
    }
    let minted = token::mint(inside.call, "plan_");
    let mut previewed = Previewed::new((inside.name(), plan_id(&minted.token_hash)), (&sent, &outcome), warnings);
    if missing.is_empty() && role.may_write() {
        let connection =
            principal.connection().ok_or_else(|| fault(ApiError::internal("a caller without connection")))?;
        let plan = NewPlan {
            organisation,
            user_id: principal.user_id,
            connection,
            tool: PLAN,
            token_hash: minted.token_hash.clone(),
            body,
            outline: outcome.outline.clone(),
            identifiers: outcome.identifiers.clone(),
        };
        match ledgers.store_plan(plan).await.map_err(|error| fault(error.into()))? {
            PlanStored::Until(until_ms) => {
                previewed.plan_token = Some(&minted.token);
                previewed.expires_at = Some(Moment(until_ms));
            }
            PlanStored::TooMany => {
                let failure = Failure::new("conflict (too_many_plans)", "this connection has 100 plans that wait");
                return Err(failure.next("commit one of them, or let them expire: a plan lives 30 minutes").into());
            }
        }
    }
    answer(&previewed)
}

/// `commit_plan`.
pub(super) async fn commit(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let given = arguments.get("plan_token").and_then(Value::as_str).unwrap_or_default();
    let token_hash = token::hash(given);
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection().ok_or_else(|| fault(ApiError::internal("a caller without connection")))?;
    let stored = call.state().reader.plan(principal.user_id, connection, PLAN, &token_hash).await;
    let Some(stored) = stored.map_err(|error| fault(error.into()))? else { return Err(not_found().into()) };
    let sent: SentPlan = serde_json::from_str(&stored.body).map_err(|error| fault(ApiError::internal(error)))?;
    require_scopes(call, &sent)?;
    let organisation = visible(call, stored.organisation).await.map_err(refused)?;
    let inside = Inside { call, id: organisation.id.0, name: organisation.name };
    let operations = match read(&inside, &sent).await {
        Ok(operations) => operations,
        // What could be read when it was previewed cannot be read now: the plan's own decision says what became of it.
        Err(Refused::Failure(failure)) => return stale(&inside, &token_hash, failure.message()).await,
        Err(other) => return Err(other),
    };
    let print = print(&inside, &token_hash, &sent);
    let replay = Replay {
        method: "POST".to_owned(),
        path: format!("/mcp/{COMMIT}/{}", connection.to_stored()),
        key: token_hash.clone(),
        body_hash: Sha256::digest(given.as_bytes()).into(),
        retention_ms: RESULT_RETENTION_MS,
        print: Arc::clone(&print),
    };
    let confirmation = PlanConfirmation { token_hash: token_hash.clone(), operations, shows_journals: false };
    let options = ChangeOptions {
        idempotency: Some(replay),
        tool: Some(COMMIT),
        note: sent.note.as_deref().map(Arc::from),
        ..ChangeOptions::default()
    };
    let ledgers = &call.state().actors.ledgers;
    let command = BooksCommand::CommitPlan(Box::new(confirmation));
    let outcome = ledgers.execute(principal, stored.organisation, command, options).await;
    match outcome.map_err(|error| fault(error.into()))? {
        CommandOutcome::Done(result) => {
            if sent.needs().contains(&Scope::BooksSend) {
                call.state().actors.mail.wake();
            }
            let (_, body) = print(&result).ok_or_else(|| fault(ApiError::internal("a result that does not print")))?;
            raw(body)
        }
        CommandOutcome::Replayed(stored) => {
            let body = std::str::from_utf8(&stored.body).map_err(|error| fault(ApiError::internal(error)))?;
            raw(body.replacen("\"replayed\":false", "\"replayed\":true", 1))
        }
        CommandOutcome::Unknown => Err(not_found().into()),
        CommandOutcome::Refused(Refusal::TokenExpired) => {
            let failure = Failure::new("plan_expired", "a plan lives 30 minutes, and nothing was changed");
            Err(failure.next("plan_bookkeeping with the same operations gives a new token").into())
        }
        CommandOutcome::StalePlan(reason) => stale(&inside, &token_hash, &reason).await,
        other => Err(refused(rejected(other))),
    }
}

/// Prints what a plan did.
fn print(inside: &Inside<'_>, token_hash: &str, sent: &SentPlan) -> PrintAnswer {
    let (organisation, name, id, kinds) = (inside.id, inside.name.clone(), plan_id(token_hash), kinds(sent));
    Arc::new(move |result| {
        let CommandResult::Plan(outcome) = result else { return None };
        let committed = Committed::of((organisation, &name), &id, outcome, &kinds);
        Some((200, serde_json::to_string(&committed).ok()?))
    })
}

/// What the caller lacks of what the operations of a plan need.
fn missing_scopes(call: &Call<Products>, sent: &SentPlan) -> Result<Vec<&'static str>, Refused> {
    let access = call.access().map_err(fault)?;
    Ok(sent.needs().into_iter().filter(|scope| !access.has(*scope)).map(Scope::as_str).collect())
}

/// The scopes that committing needs: those of the plan's operations; to change the books where no plan has the token.
pub(super) async fn needed_to_commit(call: &Call<Products>, arguments: &Arguments) -> Result<ScopeSet, ApiError> {
    let given = arguments.get("plan_token").and_then(Value::as_str).unwrap_or_default();
    let principal = call.caller()?;
    let connection = principal.connection().ok_or_else(|| ApiError::internal("a caller without connection"))?;
    let stored = call.state().reader.plan(principal.user_id, connection, PLAN, &token::hash(given)).await?;
    let sent = stored.and_then(|stored| serde_json::from_str::<SentPlan>(&stored.body).ok());
    Ok(sent.map_or_else(|| std::iter::once(Scope::BooksWrite).collect(), |sent| sent.needs().into_iter().collect()))
}

/// Refuses to commit a plan whose operations need more than the caller holds.
fn require_scopes(call: &Call<Products>, sent: &SentPlan) -> Result<(), Refused> {
    let missing = missing_scopes(call, sent)?;
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("the key lacks the scope {}", missing.join(" and "));
    Err(Failure::new("forbidden", message).next("ask the person for a key with it").into())
}

/// The tool that previews.
const PLAN: &str = "plan_bookkeeping";

/// The tool that commits.
const COMMIT: &str = "commit_plan";

fn not_found() -> Failure {
    Failure::new("plan_not_found", "no plan of this connection has this token")
        .next("plan_bookkeeping makes a plan and gives its token")
}

/// The refusal of a plan that would not do what its preview showed; the plan is dead from now on.
async fn stale(inside: &Inside<'_>, token_hash: &str, reason: &str) -> Outcome {
    let organisation = OrganisationId(inside.id);
    let ledgers = &inside.call.state().actors.ledgers;
    let marked = ledgers.mark_plan_dead(organisation, token_hash.to_owned(), reason.to_owned()).await;
    marked.map_err(|error| fault(error.into()))?;
    let failure = Failure::new("plan_stale", format!("nothing was changed: {reason}"));
    Err(failure.next("look at what changed, then plan_bookkeeping again and show the new preview").into())
}

/// The public name of a plan; its token cannot be guessed from it.
fn plan_id(token_hash: &str) -> String {
    format!("pln_{}", token_hash.get(..16).unwrap_or(token_hash))
}

fn raw(body: String) -> Outcome {
    RawValue::from_string(body).map_err(|error| fault(ApiError::internal(error)))
}

/// What is said of records that the plan would make, which have provisional identifiers, by the operations that would make them.
fn named(said: &str, outcome: &PlanOutcome) -> String {
    let mut said = said.to_owned();
    for (at, operation) in outcome.operations.iter().enumerate() {
        if let OperationOutcome::Done(effects) = operation
            && effects.result.id() < 0
        {
            for end in [":", ";", ",", " "] {
                said = said.replace(&format!(" {}{end}", effects.result.id()), &format!(" of operations[{at}]{end}"));
            }
        }
    }
    said
}

/// Every operation that is refused, in words; nothing when none is.
fn refusals(sent: &SentPlan, outcome: &PlanOutcome) -> Option<Failure> {
    let mut said = Vec::new();
    let mut only: Option<Failure> = None;
    for (at, operation) in outcome.operations.iter().enumerate() {
        let op = sent.operations.get(at).map_or("", |sent| sent.op.as_str());
        match operation {
            OperationOutcome::Done(_) => {}
            OperationOutcome::Refused(refused) => {
                let error = rejected((**refused).clone());
                let failure = Failure::of_route(error.code(), &error).with_message(|said| named(said, outcome));
                said.push(format!("operations[{at}] ({op}): {failure}"));
                only = Some(failure.within(&format!("operations[{at}] ({op})")));
            }
            OperationOutcome::DependsOn(other) => {
                said.push(format!("operations[{at}] ({op}): uses what operations[{other}] would make"));
            }
        }
    }
    let next = "change these operations and plan again; nothing was stored";
    match (said.len(), only) {
        (0, _) => None,
        (1, Some(failure)) => Some(failure.next(next)),
        _ => Some(Failure::new("unprocessable_entity", all_of(&said)).next(next)),
    }
}

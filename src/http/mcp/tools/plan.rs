//! `plan_bookkeeping` and `commit_plan`: several writes of the REST API previewed together, and carried out exactly so, once.
//!
//! A plan reads every operation by asking its route for the command it would execute, so that a plan refuses what REST
//! refuses, in the same words. The commands are decided in order over a snapshot of the books, and nothing but the plan itself
//! is stored. To commit, they are read and decided again in the books' own order and have to come to the same outline.

pub(in crate::http::mcp) mod operations;
mod references;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use self::operations::Operation;
use self::references::Made;
use super::{Inside, ORGANISATION, OrganisationName, answer, fault, question, refused, visible};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::plan::{
    NewPlan, OperationEffects, OperationOutcome, PlanConfirmation, PlanOutcome, PlanStored, PlannedOperation,
};
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult, Replay};
use crate::domain::caller::Scope;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;
use crate::http::body::Body;
use crate::http::books::change::rejected;
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::envelope::{Moment, Money};
use crate::http::error::{ApiError, ErrorCode};
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::http::route_table::BodyRule;

/// The most bytes of a plan as it was sent.
const PLAN_BYTES_MAX: usize = 1_000_000;

/// How long the answer to a committed plan is given again.
const RESULT_RETENTION_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// The most bytes of journal lines in the answer to a plan.
const JOURNAL_BYTES_MAX: usize = 14_000;

/// What a plan was sent as, and is stored as.
#[derive(Debug, Serialize, Deserialize)]
struct SentPlan {
    operations: Vec<SentOperation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An operation as it was sent.
#[derive(Debug, Serialize, Deserialize)]
struct SentOperation {
    op: String,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    params: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_version: Option<i64>,
}

impl SentPlan {
    /// The operations by their names.
    fn known(&self) -> Vec<Option<&'static Operation>> {
        self.operations.iter().map(|sent| operations::named(&sent.op)).collect()
    }

    /// What carrying it out needs.
    fn needs(&self) -> Vec<Scope> {
        let needed: BTreeSet<Scope> = self.known().into_iter().flatten().map(|operation| operation.scope).collect();
        needed.into_iter().collect()
    }
}

/// `plan_bookkeeping`.
pub(super) async fn preview(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let sent = SentPlan {
        operations: arguments.get("operations").map_or_else(Vec::new, operations_of),
        note: arguments.get("note").and_then(Value::as_str).map(str::to_owned),
    };
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
    let needs = sent.needs();
    let missing: Vec<&str> = needs
        .iter()
        .filter(|scope| !inside.call.key().is_ok_and(|key| key.has(**scope)))
        .map(|scope| scope.as_str())
        .collect();
    let mut warnings = Vec::new();
    if !role.may_write() {
        warnings.push(
            "the role viewer may read the books and not change them: nobody can commit this plan here".to_owned(),
        );
    }
    if !missing.is_empty() {
        warnings.push(format!("this connection lacks the scope {}: it cannot commit this plan", missing.join(" and ")));
    }
    let can_commit = role.may_write() && missing.is_empty();
    let minted = token::mint(inside.call, "plan_");
    let mut expires_at = None;
    if can_commit {
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
        };
        match ledgers.store_plan(plan).await.map_err(|error| fault(error.into()))? {
            PlanStored::Until(until_ms) => expires_at = Some(Moment(until_ms)),
            PlanStored::TooMany => {
                let failure = Failure::new("conflict (too_many_plans)", "this connection has 100 plans that wait");
                return Err(failure.next("commit one of them, or let them expire: a plan lives 30 minutes").into());
            }
        }
    }
    let previewed = Previewed {
        organisation: inside.name(),
        plan_id: plan_id(&minted.token_hash),
        plan_token: can_commit.then_some(minted.token.as_str()),
        expires_at,
        operations: Vec::new(),
        totals: Totals::of(&outcome),
        warnings,
        needs_scopes: needs.iter().map(|scope| scope.as_str()).collect(),
        can_commit,
    };
    answer(&previewed.with_operations(&sent, &outcome)?)
}

/// `commit_plan`.
pub(super) async fn commit(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let given = arguments.get("plan_token").and_then(Value::as_str).unwrap_or_default();
    let token_hash = token::hash(given);
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection().ok_or_else(|| fault(ApiError::internal("a caller without connection")))?;
    let stored = call.state().reader.plan(principal.user_id, connection, &token_hash).await;
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
    let id = plan_id(&token_hash);
    let replay = Replay {
        method: "POST".to_owned(),
        path: format!("/mcp/{COMMIT}/{}", connection.to_stored()),
        key: token_hash.clone(),
        body_hash: Sha256::digest(given.as_bytes()).into(),
        retention_ms: RESULT_RETENTION_MS,
        print: {
            let kinds = kinds(&sent);
            let (id, name) = (id.clone(), inside.name.clone());
            let organisation = inside.id;
            Arc::new(move |result| {
                let CommandResult::Plan(outcome) = result else { return None };
                let committed = Committed::of(organisation, &name, &id, outcome, &kinds);
                Some((200, serde_json::to_string(&committed).ok()?))
            })
        },
    };
    let print = Arc::clone(&replay.print);
    let confirmation = PlanConfirmation { token_hash: token_hash.clone(), operations };
    let options =
        ChangeOptions { dry_run: false, expected_version: None, idempotency: Some(replay), tool: Some(COMMIT) };
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

/// What a call of `commit_plan` needs beside `books:read`: what the operations of its plan need, or `books:write` where there is
/// no such plan.
fn require_scopes(call: &Call<Products>, sent: &SentPlan) -> Result<(), Refused> {
    let key = call.key().map_err(fault)?;
    let missing: Vec<&str> = sent.needs().into_iter().filter(|scope| !key.has(*scope)).map(Scope::as_str).collect();
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

/// The operations of arguments that fit the schema.
fn operations_of(given: &Value) -> Vec<SentOperation> {
    serde_json::from_value(given.clone()).unwrap_or_default()
}

/// Reads the commands of all operations, or gives every problem of all of them.
async fn read(inside: &Inside<'_>, sent: &SentPlan) -> Result<Vec<PlannedOperation>, Refused> {
    let mut problems: Vec<String> = Vec::new();
    let mut not_read: Option<Failure> = None;
    let mut made = Made::default();
    let mut planned = Vec::with_capacity(sent.operations.len());
    for (at, operation) in sent.operations.iter().enumerate() {
        let path = format!("operations[{at}]");
        let mut params = operation.params.clone();
        let mut of_references = Vec::new();
        made.resolve(&mut params, &format!("{path}.params"), &mut of_references);
        if let Some(label) = &operation.label
            && !made.add(label, at)
        {
            of_references.push(format!("{path}.ref: {label:?} is the ref of an operation before it"));
        }
        let Some(known) = operations::named(&operation.op) else {
            problems.push(format!("{path}.op: {}", operations::unknown_message(&operation.op)));
            continue;
        };
        if !of_references.is_empty() {
            problems.append(&mut of_references);
            continue;
        }
        match command(inside, known, params, &path).await? {
            Ok(command) => planned.push(PlannedOperation { command, expected_version: operation.expected_version }),
            Err(Unread::Problems(own)) => problems.extend(own),
            Err(Unread::Refused(failure)) => {
                problems.push(format!("{path}: {failure}"));
                not_read = not_read.or(Some(failure));
            }
        }
    }
    match (problems.as_slice(), not_read) {
        ([], _) => Ok(planned),
        // One refusal alone keeps its code.
        ([_], Some(failure)) => {
            let at = planned.len();
            Err(failure.within(&format!("operations[{at}]")).into())
        }
        _ => {
            let failure = Failure::new("invalid_request_format", problems.join("; "));
            Err(failure.next("list_operations with op has the schema of an operation's params").into())
        }
    }
}

/// Why there is no command of an operation.
enum Unread {
    /// What is wrong with it, each with its path.
    Problems(Vec<String>),
    /// What its route refuses.
    Refused(Failure),
}

/// The command that the route of an operation would execute.
async fn command(
    inside: &Inside<'_>,
    operation: &Operation,
    mut params: Map<String, Value>,
    path: &str,
) -> Result<Result<BooksCommand, Unread>, Refused> {
    let one = |message: String| Ok(Err(Unread::Problems(vec![message])));
    let of_type = match operation.has_types() {
        true => params.remove("type").and_then(|of_type| of_type.as_str().map(str::to_owned)),
        false => None,
    };
    let route = match operation.route(of_type.as_deref()) {
        Ok(route) => route,
        Err(message) => return one(format!("{path}.params.type: {message}")),
    };
    let missing = || fault(ApiError::internal(format!("no operation {route}")));
    let route = inside.call.route(route).ok_or_else(missing)?;
    let mut parameters = vec![(ORGANISATION, inside.id.to_string())];
    if route.path.contains("{id}") {
        match params.remove("id") {
            Some(Value::Number(id)) if id.as_i64().is_some_and(|id| id >= 1) => parameters.push(("id", id.to_string())),
            Some(_) => return one(format!("{path}.params.id: must be the id of a record, or {{\"$from\": ref}}")),
            None => return one(format!("{path}.params.id: is required")),
        }
    }
    let takes_body = !matches!(route.body, BodyRule::NoKeys | BodyRule::Ignored);
    if let Some(unknown) = params.keys().next().filter(|_| !takes_body) {
        return one(format!("{path}.params.{unknown}: is not known; only id is taken here"));
    }
    let mut asked = question(inside.call, route.operation_id, &parameters, String::new())?;
    if takes_body && !(params.is_empty() && matches!(route.body, BodyRule::OptionalJson)) {
        asked.body = Body::from(Value::Object(params).to_string().into_bytes());
    }
    let slot = Rc::new(RefCell::new(None));
    asked.planned = Some(Rc::clone(&slot));
    match route.answer(inside.call.of_tool(asked)).await {
        Ok(_) => {
            let command = slot.borrow_mut().take();
            command.map(Ok).ok_or_else(|| fault(ApiError::internal(format!("{} has no command", operation.name))))
        }
        Err(error) => unread(&error, path).map(Err),
    }
}

/// What a route says against an operation.
fn unread(error: &ApiError, path: &str) -> Result<Unread, Refused> {
    let issues = error.details().and_then(|details| details.get("issues")).and_then(Value::as_array);
    if let Some(issues) = issues.filter(|issues| !issues.is_empty()) {
        let said = issues.iter().map(|issue| {
            let text = |name: &str| issue.get(name).and_then(Value::as_str).unwrap_or_default();
            match text("path") {
                "" | "body" => format!("{path}.params: {}", text("message")),
                field => format!("{path}.params.{field}: {}", text("message")),
            }
        });
        return Ok(Unread::Problems(said.collect()));
    }
    match error.code() {
        ErrorCode::InternalError => Err(fault(ApiError::internal(error.message().to_owned()))),
        code => Ok(Unread::Refused(Failure::of_route(code, error))),
    }
}

/// Every operation that is refused, in words; nothing when none is.
fn refusals(sent: &SentPlan, outcome: &PlanOutcome) -> Option<Failure> {
    let mut said = Vec::new();
    let mut only: Option<Failure> = None;
    for (at, operation) in outcome.operations.iter().enumerate() {
        let op = sent.operations.get(at).map_or("", |sent| sent.op.as_str());
        match operation {
            OperationOutcome::Done(_) => {}
            OperationOutcome::Refused(outcome) => {
                let error = rejected((**outcome).clone());
                let failure = Failure::of_route(error.code(), &error);
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
        _ => Some(Failure::new("unprocessable_entity", said.join("; ")).next(next)),
    }
}

/// The answer to `plan_bookkeeping`.
#[derive(Serialize)]
struct Previewed<'a> {
    organisation: OrganisationName<'a>,
    plan_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Moment>,
    operations: Vec<Value>,
    totals: Totals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    needs_scopes: Vec<&'static str>,
    can_commit: bool,
}

/// What all journals of a plan debit and credit.
#[derive(Serialize)]
struct Totals {
    debit: Money,
    credit: Money,
}

impl Totals {
    fn of(outcome: &PlanOutcome) -> Self {
        let lines = || effects(outcome).flat_map(|effects| &effects.journals).flat_map(|journal| &journal.lines);
        Self {
            debit: Money(lines().map(|line| line.debit_pence).sum()),
            credit: Money(lines().map(|line| line.credit_pence).sum()),
        }
    }
}

fn effects(outcome: &PlanOutcome) -> impl Iterator<Item = &OperationEffects> {
    outcome.operations.iter().filter_map(|operation| match operation {
        OperationOutcome::Done(effects) => Some(&**effects),
        OperationOutcome::Refused(_) | OperationOutcome::DependsOn(_) => None,
    })
}

impl<'a> Previewed<'a> {
    /// With what each operation does. Journal lines beyond what fits into an answer are left out, which a warning says.
    fn with_operations(mut self, sent: &SentPlan, outcome: &PlanOutcome) -> Result<Self, Refused> {
        let mut used = 0;
        let mut cut_from = None;
        for (at, effects) in effects(outcome).enumerate() {
            let op = sent.operations.get(at).map_or("", |sent| sent.op.as_str());
            let journal: Vec<Value> = effects.journals.iter().flat_map(journal_lines).collect();
            let journal = Value::Array(journal);
            used += journal.to_string().len();
            let mut shown = json!({ "index": at, "op": op, "summary": effects.summary });
            if used <= JOURNAL_BYTES_MAX {
                if journal.as_array().is_some_and(|lines| !lines.is_empty()) {
                    shown["journal"] = journal;
                }
            } else {
                cut_from = cut_from.or(Some(at));
            }
            if let CommandResult::Email(email) = &effects.result {
                shown["emails"] = json!(email.to);
            }
            self.operations.push(shown);
        }
        if let Some(at) = cut_from {
            self.warnings.push(format!(
                "the journal lines of operations[{at}] and later are left out, because the answer would be too long; totals counts them"
            ));
        }
        Ok(self)
    }
}

/// The lines of a journal, each with its date.
fn journal_lines(journal: &JournalView) -> impl Iterator<Item = Value> {
    journal.lines.iter().map(|line| {
        let mut shown = json!({
            "date": journal.entry_date, "account_code": line.account_code, "account_name": line.account_name,
            "debit": Money(line.debit_pence), "credit": Money(line.credit_pence),
        });
        if let Some(code) = &line.vat_code {
            shown["vat_code"] = json!(code);
        }
        if let Some(memo) = &line.memo {
            shown["memo"] = json!(memo);
        }
        shown
    })
}

/// The answer to `commit_plan`.
#[derive(Serialize)]
struct Committed<'a> {
    organisation: OrganisationName<'a>,
    plan_id: &'a str,
    committed_at: Moment,
    replayed: bool,
    results: Vec<CommittedOperation<'a>>,
}

/// A record that a plan made or changed.
#[derive(Serialize)]
struct CommittedOperation<'a> {
    index: usize,
    op: &'a str,
    kind: &'static str,
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
}

/// The name of each operation, and the kind of the record it makes or changes.
fn kinds(sent: &SentPlan) -> Vec<(String, &'static str)> {
    let known = sent.known().into_iter();
    sent.operations
        .iter()
        .zip(known)
        .map(|(sent, known)| (sent.op.clone(), known.map_or("", Operation::kind)))
        .collect()
}

impl<'a> Committed<'a> {
    fn of(
        organisation: i64,
        name: &'a str,
        plan_id: &'a str,
        outcome: &PlanOutcome,
        kinds: &'a [(String, &'static str)],
    ) -> Self {
        let results = effects(outcome).zip(kinds).enumerate().map(|(index, (effects, (op, kind)))| {
            let (number, version) = number_and_version(&effects.result);
            CommittedOperation { index, op, kind, id: effects.result.id(), number, version }
        });
        Self {
            organisation: OrganisationName { id: organisation, name },
            plan_id,
            committed_at: Moment(outcome.at_ms),
            replayed: false,
            results: results.collect(),
        }
    }
}

/// The number and version of a record.
fn number_and_version(result: &CommandResult) -> (Option<String>, Option<i64>) {
    match result {
        CommandResult::Organisation(row) | CommandResult::Lock(row, _) => (None, Some(row.version)),
        CommandResult::Account(view) => (Some(view.row.code.clone()), Some(view.row.version)),
        CommandResult::Contact(view) => (None, Some(view.row.version)),
        CommandResult::BankAccount(view) => (None, Some(view.row.version)),
        CommandResult::BankTransaction(row) => (None, Some(row.version)),
        CommandResult::BankTransactions(rows) => (None, rows.first().map(|row| row.version)),
        CommandResult::Journal(view) => (Some(view.number.to_string()), Some(view.version())),
        CommandResult::Document(view) => (view.number.clone(), Some(view.version)),
        CommandResult::Settlement(view) => (view.number.clone(), Some(view.version)),
        CommandResult::VatAdjustment(view) => (None, Some(view.row.version)),
        CommandResult::WriteOff(view) => (None, Some(view.row.version)),
        _ => (None, None),
    }
}

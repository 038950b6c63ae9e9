//! Reads the operations of a plan: each route is asked for the command it would execute.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::operations::{self, Operation};
use super::references::Made;
use super::sent::{SentOperation, SentPlan};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::plan::PlannedOperation;
use crate::domain::caller::Scope;
use crate::http::body::Body;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::mcp::outcome::{Failure, Refused};
use crate::http::mcp::tools::{Inside, ORGANISATION, fault, question};
use crate::http::route_table::BodyRule;

/// How many problems are named; the count goes on.
const PROBLEMS_NAMED_MAX: usize = 40;

/// Problems in one text.
pub(super) fn all_of(problems: &[String]) -> String {
    let named = problems.get(..PROBLEMS_NAMED_MAX).unwrap_or(problems);
    let mut text = named.join("; ");
    if named.len() < problems.len() {
        // Nothing fails that is written to a text.
        let _ = write!(text, "; and {} more", problems.len() - named.len());
    }
    text
}

/// Reads the commands of all operations, or gives every problem of all of them.
pub(super) async fn read(inside: &Inside<'_>, sent: &SentPlan) -> Result<Vec<PlannedOperation>, Refused> {
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
        if known.scope == Scope::BooksSend
            && is_touched_before(sent.operations.get(..at).unwrap_or_default(), operation)
        {
            problems.push(format!("{path}.params.id: {SENT_AFTERWARDS}"));
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
            let failure = Failure::new("invalid_request_format", all_of(&problems));
            Err(failure.next("list_operations with op has the schema of an operation's params").into())
        }
    }
}

/// Why what a plan makes or changes is not e-mailed by the same plan.
const SENT_AFTERWARDS: &str = "an e-mail shows its document as it is in the books, with its number: commit what makes or changes it \
                               first, then e-mail it by a plan of its own";

/// Whether an e-mail is of a record that an operation before it makes or changes.
fn is_touched_before(before: &[SentOperation], email: &SentOperation) -> bool {
    let Some(id) = email.params.get("id") else { return false };
    let of_type = email.params.get("type").and_then(Value::as_str).unwrap_or_default();
    let kind = match of_type {
        "customer_statement" => "customer",
        "cis_statement" => "supplier",
        of_type => of_type,
    };
    let same = |one: &SentOperation| one.op.split('.').next() == Some(kind) && one.params.get("id") == Some(id);
    id.is_object() || before.iter().any(same)
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
    let (_, mut asked) = question(inside.call, route.operation_id, &parameters, String::new())?;
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

//! Changes of the books over REST: who may see and change them, headers, the command, the answer. What differs between
//! resources is the body that is read and the function that prints the answer.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::{ChangeOptions, CommandOutcome, CommandResult, PrintAnswer, Replay};
use crate::domain::caller::{AccessDenied, Role};
use crate::domain::date::{Date, date_in};
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{self, OrganisationId};
use crate::domain::problem::Issues;
use crate::domain::refusal_reason::RefusalReason;
use crate::http::call::Call;
use crate::http::envelope::{Data, Id};
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::{refused, refused_item};
use crate::http::{call, envelope};

/// When to come back once too many e-mails wait.
const MAIL_RETRY_AFTER_S: u64 = 60;

/// Prints the body of an answer: the result, who sees it and when, and whether it is that of a dry run.
pub type Print = fn(&CommandResult, AnswerContext, bool) -> Option<String>;

/// What a changing request asks for beside its body.
pub struct ChangeHeaders {
    /// Only what would happen.
    pub dry_run: bool,
    /// The version the caller has seen.
    pub expected_version: Option<i64>,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
}

impl ChangeHeaders {
    /// Reads the headers and the query string.
    pub fn of(call: &Call<Products>) -> Result<Self, ApiError> {
        let key = call.idempotency_key()?.map(str::to_owned);
        let expected_version = call.if_match().map(version).transpose()?;
        let mut query = Query::new(call.query());
        let dry_run = query.flag("dry_run");
        query.finish()?;
        Ok(Self { dry_run, expected_version, key })
    }

    /// The `Idempotency-Key` with what it needs, if there is one.
    pub fn replay(self, call: &Call<Products>, print: PrintAnswer) -> Option<Replay> {
        Some(Replay {
            method: call.method().as_str().to_owned(),
            path: call.path().to_owned(),
            key: self.key?,
            body_hash: Sha256::digest(&call.body[..]).into(),
            retention_ms: call.state().limits.idempotency_retention_ms,
            print,
        })
    }
}

/// `If-Match: "3"`, also without the quotes. A number no record can have is a version that is not the current one.
fn version(text: &str) -> Result<i64, ApiError> {
    let digits = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(digits.parse().unwrap_or(i64::MAX));
    }
    let mut issues = Issues::default();
    issues.field("headers", "If-Match", "must be the version in quotes, such as \"3\"");
    Err(ApiError::validation(&issues))
}

/// Executes a command and answers it with this status.
pub async fn execute(
    call: &Call<Products>,
    access: &WriteAccess,
    status: StatusCode,
    command: BooksCommand,
    print: Print,
) -> Result<HttpResponse, ApiError> {
    let today = date_in(&access.organisation.timezone, call.began_at_ms());
    execute_as(call, (access.organisation.id, AnswerContext { role: access.role, today }), status, (command, print))
        .await
}

/// The same for a caller whose role is known.
pub async fn execute_as(
    call: &Call<Products>,
    (organisation, context): (OrganisationId, AnswerContext),
    status: StatusCode,
    (command, print): (BooksCommand, Print),
) -> Result<HttpResponse, ApiError> {
    if let Some(planned) = call.planned() {
        planned.replace(Some(command));
        return Ok(HttpResponse::new(StatusCode::NO_CONTENT));
    }
    let headers = ChangeHeaders::of(call)?;
    let (principal, ledgers) = (call.caller()?, &call.state().actors.ledgers);
    if let Some(error) = call.unexpected_body() {
        // Nothing is done; whether the path names something is answered first.
        let options = ChangeOptions { dry_run: true, ..ChangeOptions::default() };
        return match ledgers.execute(principal, organisation, command, options).await? {
            CommandOutcome::Unknown => Err(ApiError::not_found()),
            _ => Err(error),
        };
    }
    call.still_accepted()?;
    let (dry_run, expected_version) = (headers.dry_run, headers.expected_version);
    let stored: PrintAnswer = Arc::new(move |result| Some((status.as_u16(), print(result, context, false)?)));
    let idempotency = headers.replay(call, stored);
    let options = ChangeOptions { dry_run, expected_version, idempotency, tool: call.tool(), note: None };
    match ledgers.execute(principal, organisation, command, options).await? {
        CommandOutcome::Done(result) => answer(&result, context, status, (dry_run, print)),
        CommandOutcome::Replayed(stored) => replayed(stored),
        not_done => Err(rejected(not_done)),
    }
}

/// Why a command was not carried out.
pub fn rejected(outcome: CommandOutcome) -> ApiError {
    match outcome {
        CommandOutcome::Refused(refusal) => refused(&refusal),
        CommandOutcome::RefusedItem(row, refusal) => refused_item(row, &refusal),
        CommandOutcome::UnknownItem(row) => ApiError::not_found().with_detail("row", row),
        CommandOutcome::Unknown => ApiError::not_found(),
        CommandOutcome::Forbidden => ApiError::forbidden("only an owner or admin may open a locked period again"),
        CommandOutcome::MailQueueFull => {
            let message = "too many e-mails of this organisation wait to be sent";
            ApiError::busy(RefusalReason::MailQueue, message, MAIL_RETRY_AFTER_S)
        }
        CommandOutcome::StalePlan(reason) => ApiError::internal(format!("a plan over REST: {reason}")),
        CommandOutcome::Denied(denied) => denied.into(),
        CommandOutcome::Done(_) | CommandOutcome::Replayed(_) => ApiError::internal("a command that was carried out"),
    }
}

/// The answer to a command that was executed, or only tried.
pub fn answer(
    result: &CommandResult,
    context: AnswerContext,
    status: StatusCode,
    (dry_run, print): (bool, Print),
) -> Result<HttpResponse, ApiError> {
    let body = print(result, context, dry_run).ok_or_else(|| ApiError::internal("an answer does not print"))?;
    Ok(envelope::json_bytes(if dry_run { StatusCode::OK } else { status }, body))
}

/// An answer given before.
pub fn replayed(stored: StoredResponse) -> Result<HttpResponse, ApiError> {
    let status = StatusCode::from_u16(stored.status).map_err(ApiError::internal)?;
    let mut response = envelope::json_bytes(status, stored.body);
    response.headers_mut().insert(call::IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

/// A record that is deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = Deleted, example = deleted_example)]
pub struct DeletedJson {
    id: Id,
    deleted: bool,
}

fn deleted_example() -> Value {
    json!({ "id": 12, "deleted": true })
}

/// The body of an answer about a deleted record.
pub fn printed_deleted(id: i64, dry_run: bool) -> Option<String> {
    printed(&DeletedJson { id: Id(id), deleted: true }, dry_run)
}

/// Data as the body of an answer.
pub fn printed<T: Serialize>(data: &T, dry_run: bool) -> Option<String> {
    serde_json::to_string(&Data::new(data, dry_run)).ok()
}

/// 404 when the path names nothing, else what is wrong with the body: a path comes before a body.
pub fn body_or_path<T>(read: Result<T, Issues>, exists: bool) -> Result<T, ApiError> {
    if !exists {
        return Err(ApiError::not_found());
    }
    read.map_err(|issues| ApiError::invalid_request_format(&issues))
}

/// An identifier in the path; a text that is none names nothing.
pub fn path_id(call: &Call<Products>) -> Result<i64, ApiError> {
    integer_id(call.parameter("id"))
}

/// The identifier of a path: a text that is no integer of at least 1 in its one form is unknown.
pub fn integer_id(text: &str) -> Result<i64, ApiError> {
    ids::integer(text).ok_or_else(ApiError::not_found)
}

impl From<AccessDenied> for ApiError {
    fn from(denied: AccessDenied) -> Self {
        match denied {
            AccessDenied::Unknown => Self::not_found(),
            AccessDenied::OutOfReach => Self::forbidden("the key is restricted to other organisations"),
            AccessDenied::ReadOnly => Self::forbidden("the role viewer may read the books and not change them"),
            AccessDenied::AdministratorsOnly => Self::forbidden("only an owner or admin may do this"),
            AccessDenied::OwnersOnly => Self::forbidden("only an owner may do this"),
            AccessDenied::PersonsOnly => Self::forbidden(
                "a connected application cannot record a return or close a year; the person does it with a key",
            ),
        }
    }
}

/// A member who may change the books.
pub struct WriteAccess {
    /// The organisation.
    pub organisation: OrganisationRecord,
    /// The member's role.
    pub role: Role,
}

/// Who sees an answer, and when.
#[derive(Debug, Clone, Copy)]
pub struct AnswerContext {
    /// The role of the person.
    pub role: Role,
    /// The organisation's day, which decides what is overdue.
    pub today: Date,
}

impl AnswerContext {
    /// For answers in which nothing can be overdue.
    pub const fn on_no_day(role: Role) -> Self {
        Self { role, today: Date::MIN }
    }
}

/// The organisation of the path, as the caller may see it: 404 for strangers whether it exists or not, 403 for members
/// whose key is restricted to others. What another process changed is seen when the follower of the epochs has seen it.
pub async fn member(call: &Call<Products>) -> Result<(OrganisationRecord, Role), ApiError> {
    let (access, id) = (call.access()?, path_organisation(call)?);
    let found = call.state().reader.recent_organisation_for(access.user_id, id).await?;
    covered(call, id, found.map(Arc::unwrap_or_clone))
}

/// The same as the database has it now.
pub async fn stored_member(call: &Call<Products>) -> Result<(OrganisationRecord, Role), ApiError> {
    let (access, id) = (call.access()?, path_organisation(call)?);
    covered(call, id, call.state().reader.organisation_for(access.user_id, id).await?)
}

fn covered<T>(call: &Call<Products>, id: OrganisationId, found: Option<T>) -> Result<T, ApiError> {
    let found = found.ok_or_else(ApiError::not_found)?;
    if call.access()?.reach.covers(id) { Ok(found) } else { Err(AccessDenied::OutOfReach.into()) }
}

/// The organisation of the path, for a member whose role may write.
pub async fn require_write_access(call: &Call<Products>) -> Result<WriteAccess, ApiError> {
    write_access(call, require_write).await
}

/// The same for owners and administrators only.
pub async fn require_administrator_access(call: &Call<Products>) -> Result<WriteAccess, ApiError> {
    write_access(call, |role| match role {
        Role::Owner | Role::Admin => Ok(()),
        role => require_write(role).and(Err(AccessDenied::AdministratorsOnly)),
    })
    .await
}

/// The same for owners only.
pub async fn require_owner_access(call: &Call<Products>) -> Result<WriteAccess, ApiError> {
    write_access(call, |role| match role {
        Role::Owner => Ok(()),
        role => require_write(role).and(Err(AccessDenied::OwnersOnly)),
    })
    .await
}

async fn write_access(
    call: &Call<Products>,
    require: impl FnOnce(Role) -> Result<(), AccessDenied>,
) -> Result<WriteAccess, ApiError> {
    let found = member(call).await;
    call.permitted(found.and_then(|(organisation, role)| {
        // Whoever reads the books may see what a change would do.
        if call.planned().is_none() {
            require(role)?;
        }
        Ok(WriteAccess { organisation, role })
    }))
}

const fn require_write(role: Role) -> Result<(), AccessDenied> {
    if role.may_write() { Ok(()) } else { Err(AccessDenied::ReadOnly) }
}

/// The organisation of the path and the caller's role in it, from what is published alone: for changes whose answers do
/// not depend on the organisation's record or day. Refused as [`require_write_access`] refuses.
pub async fn published_write_access(call: &Call<Products>) -> Result<(OrganisationId, AnswerContext), ApiError> {
    let found = async {
        let id = path_organisation(call)?;
        let role = call.state().actors.ledgers.access(call.caller()?, id).await??;
        if call.planned().is_none() {
            require_write(role)?;
        }
        Ok((id, AnswerContext::on_no_day(role)))
    };
    call.permitted(found.await)
}

fn path_organisation(call: &Call<Products>) -> Result<OrganisationId, ApiError> {
    OrganisationId::parse(call.parameter("organisationId")).ok_or_else(ApiError::not_found)
}

//! The period lock of an organisation: where it is, how it came there, and its move.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::{LockChange, OrganisationRecord};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::http::books::change::{AnswerContext, body_or_path, execute, member, printed, require_write_access};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{Id, Moment};
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::organisation::parse_lock;

/// `GET …/period-lock`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let changes = call.state().reader.lock_changes(organisation.id).await?;
    envelope::data(StatusCode::OK, &PeriodLockJson::new(&organisation, &changes))
}

/// `PUT …/period-lock`.
pub async fn set(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let request = body_or_path(parse_lock(&call.body), true)?;
    let command = BooksCommand::LockPeriod { lock_date: request.lock_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, command, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Lock(row, changes) => printed(&PeriodLockJson::new(row, changes), dry_run),
        _ => None,
    }
}

/// Up to when nothing is posted any more.
#[derive(Serialize, ToSchema)]
#[schema(as = PeriodLock, example = example)]
pub struct PeriodLockJson<'a> {
    #[schema(required)]
    lock_date: Option<Date>,
    #[schema(required)]
    locked_by: Option<Id>,
    #[schema(required)]
    locked_at: Option<Moment>,
    #[schema(required)]
    reason: Option<&'a str>,
    /// Newest first.
    history: Vec<LockChangeJson<'a>>,
}

/// A move of the lock.
#[derive(Serialize, ToSchema)]
#[schema(as = PeriodLockChange)]
struct LockChangeJson<'a> {
    /// Null when the lock was cleared.
    #[schema(required)]
    lock_date: Option<Date>,
    locked_by: Id,
    locked_at: Moment,
    #[schema(required)]
    reason: Option<&'a str>,
}

fn example() -> Value {
    let change = json!({
        "lock_date": "2026-02-28", "locked_by": 3, "locked_at": "2026-03-10T12:00:00.000Z", "reason": "February is done"
    });
    json!({
        "lock_date": "2026-02-28", "locked_by": 3, "locked_at": "2026-03-10T12:00:00.000Z", "reason": "February is done",
        "history": [change]
    })
}

impl<'a> PeriodLockJson<'a> {
    /// The lock of an organisation and how it came there, newest first.
    pub fn new(organisation: &OrganisationRecord, changes: &'a [LockChange]) -> Self {
        let last = changes.first();
        Self {
            lock_date: organisation.lock_date,
            locked_by: last.map(|change| Id(change.user_id)),
            locked_at: last.map(|change| Moment(change.at_ms)),
            reason: last.and_then(|change| change.reason.as_deref()),
            history: changes.iter().map(LockChangeJson::from).collect(),
        }
    }
}

impl<'a> From<&'a LockChange> for LockChangeJson<'a> {
    fn from(change: &'a LockChange) -> Self {
        Self {
            lock_date: change.lock_date,
            locked_by: Id(change.user_id),
            locked_at: Moment(change.at_ms),
            reason: change.reason.as_deref(),
        }
    }
}

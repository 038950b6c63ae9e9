//! The one way changes go: the door, the body, the books' actor, the answer. What differs is what is read and what is
//! printed.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::organisations::{member, require_reach};
use super::query::Query;
use crate::domain::access::Role;
use crate::domain::calendar::day_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::period::Day;
use crate::domain::problem::Issues;
use crate::http::call::Call;
use crate::http::envelope::{self, Data};
use crate::http::error::ApiError;
use crate::http::headers;
use crate::http::products::Products;
use crate::http::resources::accounts::AccountJson;
use crate::http::resources::journals::JournalJson;
use crate::http::wire::books::bank_json::{BankAccountJson, BankTransactionJson, ImportJson};
use crate::http::wire::books::contact::ContactJson;
use crate::http::wire::books::document_json::DocumentJson;
use crate::http::wire::books::imports::ImportJson as BulkImportJson;
use crate::http::wire::books::opening::{OpeningJson, OpeningPreviewJson};
use crate::http::wire::books::organisation::LockJson;
use crate::http::wire::books::settlement::SettlementJson;
use crate::http::wire::books::{refused, refused_item};
use crate::http::wire::organisation::organisation_json;
use crate::store::{Action, OrganisationRow, Post, PostOutcome, Posted, Poster, PrintAnswer, Replay, StoredResponse};

/// A member who may change the books.
pub struct Keeper {
    /// The organisation.
    pub organisation: OrganisationRow,
    /// As what.
    pub role: Role,
}

/// The organisation of the path, for a member whose role may write.
pub async fn keeper(call: &Call<Products>) -> Result<Keeper, ApiError> {
    keeper_as(call, require_write).await
}

/// The same for a member whose role passes another check.
pub async fn keeper_as(
    call: &Call<Products>,
    require: impl FnOnce(Role) -> Result<(), ApiError>,
) -> Result<Keeper, ApiError> {
    let found = member(call).await;
    call.permitted(found.and_then(|(organisation, role)| require(role).map(|()| Keeper { organisation, role })))
}

/// Refuses a role that only reads.
pub fn require_write(role: Role) -> Result<(), ApiError> {
    if role.may_write() {
        return Ok(());
    }
    Err(ApiError::forbidden("the role viewer may read the books and not change them"))
}

/// The organisation of the path and the caller's role in it, by what is published alone: for changes that need no more of
/// it, and whose answers do not depend on the day. Refused as [`keeper`] refuses.
pub async fn writer(call: &Call<Products>) -> Result<(OrganisationId, Seen), ApiError> {
    let key = call.key()?;
    let found = async {
        let id = OrganisationId::parse(call.parameter("organisationId")).ok_or_else(ApiError::not_found)?;
        let role = call.state().actors.ledgers.role_of(key.user_id, id).await?.ok_or_else(ApiError::not_found)?;
        require_reach(call, id)?;
        require_write(role)?;
        Ok((id, Seen::on_no_day(role)))
    };
    call.permitted(found.await)
}

/// What a request asks for beside its body.
pub struct Asked {
    /// Only what would happen.
    pub rehearsal: bool,
    /// The version the caller has seen.
    pub if_match: Option<i64>,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
}

impl Asked {
    /// Reads the headers and the query string.
    pub fn of(call: &Call<Products>) -> Result<Self, ApiError> {
        let key = call.idempotency_key()?.map(str::to_owned);
        let if_match = call.if_match().map(version).transpose()?;
        let mut query = Query::new(call.query());
        let rehearsal = query.flag("dry_run");
        query.finish()?;
        Ok(Self { rehearsal, if_match, key })
    }

    /// The `Idempotency-Key` with what it needs, if there is one.
    pub fn replay(self, call: &Call<Products>, print: PrintAnswer) -> Option<Replay> {
        Some(Replay {
            method: call.method().as_str().to_owned(),
            path: call.request.path().to_owned(),
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

/// Carries out a change and answers it with this status.
pub async fn carry_out(
    call: &Call<Products>,
    keeper: &Keeper,
    status: StatusCode,
    action: Action,
) -> Result<HttpResponse, ApiError> {
    let seen = Seen { role: keeper.role, today: day_in(&keeper.organisation.timezone, call.began_at_ms()) };
    change(call, (keeper.organisation.id, seen), status, action).await
}

/// The same for a caller whose role is known.
pub async fn change(
    call: &Call<Products>,
    (organisation, seen): (OrganisationId, Seen),
    status: StatusCode,
    action: Action,
) -> Result<HttpResponse, ApiError> {
    let asked = Asked::of(call)?;
    let (rehearsal, if_match) = (asked.rehearsal, asked.if_match);
    let print: PrintAnswer = Arc::new(move |posted| Some((status.as_u16(), body_of(posted, seen, false)?)));
    let key = call.key()?;
    let post = Post {
        organisation,
        actor: Poster {
            user_id: key.user_id,
            key_prefix: Some(key.prefix.clone()),
            may_reopen: matches!(seen.role, Role::Owner | Role::Admin),
        },
        command: action,
        expected_version: if_match,
        replay: asked.replay(call, print),
    };
    let ledgers = &call.state().actors.ledgers;
    if let Some(error) = call.unexpected_body() {
        // Nothing is done; whether the path names something is answered first.
        return match ledgers.rehearse(Post { replay: None, expected_version: None, ..post }).await? {
            PostOutcome::Unknown => Err(ApiError::not_found()),
            _ => Err(error),
        };
    }
    let outcome = if rehearsal {
        ledgers.rehearse(Post { replay: None, ..post }).await?
    } else {
        let _lock = call.idempotency_lock().await?;
        ledgers.change(organisation, post).await?
    };
    match outcome {
        PostOutcome::Done(posted) => answer(&posted, seen, status, rehearsal),
        PostOutcome::Refused(refusal) => Err(refused(&refusal)),
        PostOutcome::RefusedItem(row, refusal) => Err(refused_item(row, &refusal)),
        PostOutcome::UnknownItem(row) => Err(ApiError::not_found().with_detail("row", row)),
        PostOutcome::Unknown => Err(ApiError::not_found()),
        PostOutcome::Forbidden => Err(ApiError::forbidden("only an owner or admin may open a locked period again")),
        PostOutcome::Replayed(stored) => replayed(stored),
    }
}

/// Who sees an answer, and when.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// As what.
    pub role: Role,
    /// The organisation's day, which decides what is overdue.
    pub today: Day,
}

impl Seen {
    /// For answers in which nothing can be overdue.
    const fn on_no_day(role: Role) -> Self {
        Self { role, today: Day::MIN }
    }
}

/// The answer to a change that was carried out, or rehearsed.
pub fn answer(posted: &Posted, seen: Seen, status: StatusCode, rehearsal: bool) -> Result<HttpResponse, ApiError> {
    let body = body_of(posted, seen, rehearsal).ok_or_else(|| ApiError::internal("an answer does not print"))?;
    Ok(envelope::json_bytes(if rehearsal { StatusCode::OK } else { status }, body))
}

/// An answer given before.
pub fn replayed(stored: StoredResponse) -> Result<HttpResponse, ApiError> {
    let status = StatusCode::from_u16(stored.status).map_err(ApiError::internal)?;
    let mut response = envelope::json_bytes(status, stored.body);
    response.headers_mut().insert(headers::IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

/// The body of an answer.
pub fn body_of(posted: &Posted, seen: Seen, rehearsal: bool) -> Option<String> {
    #[derive(Serialize)]
    struct Deleted {
        id: i64,
        deleted: bool,
    }
    match posted {
        Posted::Organisation(row) => wrapped(&organisation_json(row, seen.role), rehearsal),
        Posted::Lock(row, changes) => wrapped(&LockJson::new(row, changes), rehearsal),
        Posted::Account(view) => wrapped(&AccountJson::from(&**view), rehearsal),
        Posted::Contact(view) => wrapped(&ContactJson::from(&**view), rehearsal),
        Posted::Deleted(id) => wrapped(&Deleted { id: *id, deleted: true }, rehearsal),
        Posted::BankAccount(view) => wrapped(&BankAccountJson::from(&**view), rehearsal),
        Posted::BankTransaction(row) => wrapped(&BankTransactionJson::from(&**row), rehearsal),
        Posted::BankTransactions(rows) => {
            let rows: Vec<_> = rows.iter().map(BankTransactionJson::from).collect();
            wrapped(&rows, rehearsal)
        }
        Posted::Import { id, rows } => wrapped(&ImportJson::new(*id, rows), rehearsal),
        Posted::Document(view) => wrapped(&DocumentJson::new(view, seen.today), rehearsal),
        Posted::Settlement(view) => wrapped(&SettlementJson(view), rehearsal),
        Posted::Journal(view) => wrapped(&JournalJson::from(&**view), rehearsal),
        Posted::OpeningPreview(preview) => wrapped(&OpeningPreviewJson::new(preview, rehearsal), rehearsal),
        Posted::Opening(set) => wrapped(&OpeningJson::new(set, seen.today), rehearsal),
        Posted::BulkImport(row, token) => {
            let token = token.as_deref().filter(|_| !rehearsal);
            // It was carried out, or previewed, this very moment.
            let import = BulkImportJson::new(row, row.created_at_ms).with_token(token);
            wrapped(&if row.is_confirmed { import.with_results(&row.results) } else { import }, rehearsal)
        }
    }
}

fn wrapped<T: Serialize>(data: &T, rehearsal: bool) -> Option<String> {
    serde_json::to_string(&Data::new(data, rehearsal)).ok()
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
    let text = call.parameter("id");
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|id| *id >= 1).ok_or_else(ApiError::not_found)
}

//! Organisations the caller may see, and the one door to everything inside an organisation.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::{member, require_administrator_access, require_write_access};
use super::change::{AnswerContext, ChangeHeaders, answer, body_or_path, execute, printed, replayed};
use super::query::Query;
use crate::domain::access::{KeyReach, Role};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::request::CommandResult;
use crate::domain::ledger::refusal::Refusal;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::organisation::{LockJson, parse_lock, parse_new, parse_patch};
use crate::http::wire::books::{CURRENCY, refused};
use crate::http::wire::organisation::organisation_json;
use crate::store::{CreateOrganisation, OrganisationCreated, PrintAnswer};

/// `GET /api/v1/books/organisations`: accepted memberships the key covers.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    Query::none(call.query())?;
    let key = call.key()?;
    let reader = &call.state().reader;
    let mut rows = reader.organisations_of(key.user_id).await?;
    reader.with_next_numbers(rows.iter_mut().map(|(row, _)| row)).await?;
    let visible: Vec<_> = rows
        .iter()
        .filter(|(row, _)| key.reach.covers(row.id))
        .map(|(row, role)| organisation_json(row, *role))
        .collect();
    envelope::data(StatusCode::OK, &visible)
}

/// `GET /api/v1/books/organisations/{organisationId}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (mut row, role) = member(&call).await?;
    Query::none(call.query())?;
    call.state().reader.with_next_numbers([&mut row]).await?;
    envelope::data(StatusCode::OK, &organisation_json(&row, role))
}

/// `POST /api/v1/books/organisations`: the caller becomes its owner.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let key = Arc::clone(call.key()?);
    let all = match key.reach {
        KeyReach::All => Ok(()),
        _ => Err(ApiError::forbidden("a key restricted to organisations cannot make another")),
    };
    call.permitted(all)?;
    let new = body_or_path(parse_new(&call.body), true)?;
    if let Some(currency) = new.currency.filter(|currency| currency != CURRENCY) {
        return Err(refused(&Refusal::CurrencyNotSupported { currency }));
    }
    let headers = ChangeHeaders::of(&call)?;
    let dry_run = headers.dry_run;
    let context = AnswerContext { role: Role::Owner, today: 0 };
    let stored: PrintAnswer =
        Arc::new(move |result| Some((StatusCode::CREATED.as_u16(), print(result, context, false)?)));
    let new = CreateOrganisation {
        owner: key.user_id,
        key_prefix: Some(key.prefix.clone()),
        change: new.change,
        vat_control: new.vat_control,
        replay: headers.replay(&call, stored).filter(|_| !dry_run),
        dry_run,
    };
    match call.state().actors.ledgers.create(new).await? {
        OrganisationCreated::Created(row) => {
            answer(&CommandResult::Organisation(row), context, StatusCode::CREATED, (dry_run, print))
        }
        OrganisationCreated::Refused(refusal) => Err(refused(&refusal)),
        OrganisationCreated::Replayed(stored) => replayed(stored),
    }
}

/// `PATCH /api/v1/books/organisations/{organisationId}`: owners and administrators only.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_administrator_access(&call).await?;
    let change = body_or_path(parse_patch(&call.body), true)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchOrganisation(Box::new(change)), print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Organisation(row) => printed(&organisation_json(row, context.role), dry_run),
        CommandResult::Lock(row, changes) => printed(&LockJson::new(row, changes), dry_run),
        _ => None,
    }
}

/// `GET …/period-lock`.
pub async fn show_lock(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let changes = call.state().reader.lock_changes(organisation.id).await?;
    envelope::data(StatusCode::OK, &LockJson::new(&organisation, &changes))
}

/// `PUT …/period-lock`.
pub async fn lock(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let request = body_or_path(parse_lock(&call.body), true)?;
    let action = BooksCommand::LockPeriod { lock_day: request.lock_day, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

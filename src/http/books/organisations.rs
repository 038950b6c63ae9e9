//! Organisations the caller may see, and the one door to everything inside an organisation.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::change::{
    Asked, Seen, answer, body_of, body_or_path, carry_out, keeper, keeper_as, replayed, require_write,
};
use super::query::Query;
use crate::domain::access::{KeyReach, Role};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::refusal::Refusal;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::organisation::{LockJson, parse_lock, parse_new, parse_patch};
use crate::http::wire::books::{CURRENCY, refused};
use crate::http::wire::organisation::organisation_json;
use crate::store::{Action, CreateOrganisation, OrganisationCreated, OrganisationRow, Posted, PrintAnswer};

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
    let asked = Asked::of(&call)?;
    let rehearsal = asked.rehearsal;
    let seen = Seen { role: Role::Owner, today: 0 };
    let print: PrintAnswer =
        Arc::new(move |posted| Some((StatusCode::CREATED.as_u16(), body_of(posted, seen, false)?)));
    let new = CreateOrganisation {
        owner: key.user_id,
        key_prefix: Some(key.prefix.clone()),
        change: new.change,
        vat_control: new.vat_control,
        replay: asked.replay(&call, print).filter(|_| !rehearsal),
        dry_run: rehearsal,
    };
    let _lock = if rehearsal { None } else { call.idempotency_lock().await? };
    match call.state().actors.ledgers.create(new).await? {
        OrganisationCreated::Created(row) => answer(&Posted::Organisation(row), seen, StatusCode::CREATED, rehearsal),
        OrganisationCreated::Refused(refusal) => Err(refused(&refusal)),
        OrganisationCreated::Replayed(stored) => replayed(stored),
    }
}

/// `PATCH /api/v1/books/organisations/{organisationId}`: owners and administrators only.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper_as(&call, |role| {
        require_write(role)?;
        match role {
            Role::Owner | Role::Admin => Ok(()),
            _ => Err(ApiError::forbidden("only an owner or admin may change the organisation")),
        }
    });
    let keeper = keeper.await?;
    let change = body_or_path(parse_patch(&call.body), true)?;
    carry_out(&call, &keeper, StatusCode::OK, Action::PatchOrganisation(Box::new(change))).await
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
    let keeper = keeper(&call).await?;
    let request = body_or_path(parse_lock(&call.body), true)?;
    let action = Action::LockPeriod { lock_day: request.lock_day, reason: request.reason };
    carry_out(&call, &keeper, StatusCode::OK, action).await
}

/// The organisation of the path, as the caller may see it: 404 for strangers whether it exists or not, 403 for members
/// whose key is restricted to others.
pub async fn member(call: &Call<Products>) -> Result<(OrganisationRow, Role), ApiError> {
    let key = call.key()?;
    let id = OrganisationId::parse(call.parameter("organisationId")).ok_or_else(ApiError::not_found)?;
    let found = call.state().reader.organisation_for(key.user_id, id).await?.ok_or_else(ApiError::not_found)?;
    require_reach(call, id)?;
    Ok(found)
}

/// Refuses a key that is restricted to other organisations.
pub fn require_reach(call: &Call<Products>, id: OrganisationId) -> Result<(), ApiError> {
    if call.key()?.reach.covers(id) {
        return Ok(());
    }
    Err(ApiError::forbidden("the key is restricted to other organisations"))
}

//! Customers and suppliers: the same operations, on paths of their own.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::{member, require_write_access};
use super::change::{AnswerContext, body_or_path, execute, path_id, printed, printed_deleted};
use super::query::Query;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::request::CommandResult;
use crate::domain::calendar::day_in;
use crate::domain::ledger::contact::ContactKind;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::contact::{ContactJson, parse};
use crate::store::{ContactFilter, ContactView, OrganisationRow};

async fn found(
    call: &Call<Products>,
    organisation: &OrganisationRow,
    kind: ContactKind,
    id: i64,
) -> Result<Option<ContactView>, ApiError> {
    let today = day_in(&organisation.timezone, call.began_at_ms());
    Ok(call.state().reader.contact(organisation.id, kind, id, today).await?)
}

/// `GET …/customers`, `GET …/suppliers`.
pub async fn list(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let filter = ContactFilter {
        search: query.search("search"),
        include_archived: query.flag("include_archived"),
        updated_since_ms: query.moment("updated_since"),
    };
    let page = query.page(call.query());
    query.finish()?;
    let today = day_in(&organisation.timezone, call.began_at_ms());
    let reader = &call.state().reader;
    let (contacts, total) = reader.contacts(organisation.id, kind, &filter, today, (page.limit, page.offset)).await?;
    let contacts: Vec<_> = contacts.iter().map(ContactJson::from).collect();
    envelope::page(page, contacts, total)
}

/// `GET …/customers/{id}`, `GET …/suppliers/{id}`.
pub async fn show(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = found(&call, &organisation, kind, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &ContactJson::from(&found))
}

/// `POST …/customers`, `POST …/suppliers`.
pub async fn create(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let fields = body_or_path(parse(&call.body, kind, true), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::CreateContact { kind, fields }, print).await
}

/// `PATCH …/customers/{id}`, `PATCH …/suppliers/{id}`.
pub async fn patch(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse(&call.body, kind, false);
    let exists = read.is_ok() || found(&call, &access.organisation, kind, id).await?.is_some();
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchContact { kind, id, fields }, print).await
}

/// `POST …/{id}/archive` and `POST …/{id}/unarchive`.
pub async fn set_archived(call: Call<Products>, kind: ContactKind, archived: bool) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ArchiveContact { kind, id, archived }, print).await
}

/// `DELETE …/customers/{id}`, `DELETE …/suppliers/{id}`.
pub async fn delete(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteContact { kind, id }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Contact(view) => printed(&ContactJson::from(&**view), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

//! Customer receipts, supplier payments and their refunds: posted, set against documents, voided.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::{member, require_write_access};
use super::change::{AnswerContext, body_or_path, execute, path_id, printed};
use super::query::Query;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::request::CommandResult;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::allocation::{parse_release, parse_settlement_allocations};
use crate::http::wire::books::journal::parse_void;
use crate::http::wire::books::settlement::{SettlementJson, parse_new, parse_patch};
use crate::store::SettlementFilter;

/// `GET …/customer-receipts`, `GET …/supplier-payments`.
pub async fn list(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let status = |word: &str| match word {
        "posted" => Some(false),
        "void" => Some(true),
        _ => None,
    };
    let contact = match side {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    };
    let filter = SettlementFilter {
        side,
        contact_id: query.id(contact),
        bank_account_id: query.id("bank_account_id"),
        from_day: query.day("date_from"),
        to_day: query.day("date_to"),
        is_void: query.word("status", "posted or void", status),
        has_unallocated: query.maybe_flag("has_unallocated"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_day, filter.to_day);
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (settlements, total) = reader.settlements(organisation.id, &filter, (page.limit, page.offset)).await?;
    let settlements: Vec<_> = settlements.iter().map(SettlementJson).collect();
    envelope::page(page, settlements, total)
}

/// `GET …/customer-receipts/{id}`, `GET …/supplier-payments/{id}`.
pub async fn show(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.settlement(organisation.id, side, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &SettlementJson(&found))
}

/// `POST …/customer-receipts`, `POST …/supplier-payments`.
pub async fn create(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let entry = body_or_path(parse_new(&call.body, side), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::CreateSettlement(Box::new(entry)), print).await
}

async fn exists(
    call: &Call<Products>,
    organisation: OrganisationId,
    side: ContactKind,
    id: i64,
) -> Result<bool, ApiError> {
    Ok(call.state().reader.settlement(organisation, side, id).await?.is_some())
}

/// `PATCH …/customer-receipts/{id}`, `PATCH …/supplier-payments/{id}`.
pub async fn patch(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, side, id).await?;
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchSettlement { side, id, fields }, print).await
}

/// `POST …/{id}/allocate`.
pub async fn allocate(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_settlement_allocations(&call.body, side);
    let exists = read.is_ok() || exists(&call, access.organisation.id, side, id).await?;
    let allocations = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::AllocateSettlement { side, id, allocations }, print).await
}

/// `POST …/{id}/unallocate`.
pub async fn unallocate(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_release(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, side, id).await?;
    let allocation_ids = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::UnallocateSettlement { side, id, allocation_ids }, print)
        .await
}

/// `POST …/{id}/void`.
pub async fn void(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, side, id).await?;
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidSettlement { side, id, void_day: request.void_day, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Settlement(view) => printed(&SettlementJson(view), dry_run),
        _ => None,
    }
}

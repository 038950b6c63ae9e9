//! The lines of bank statements: entered, coded, brought into the books and taken out again.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::{member, require_write_access};
use super::change::{AnswerContext, body_or_path, execute, path_id, printed, printed_deleted};
use super::query::Query;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::request::CommandResult;
use crate::domain::calendar::day_in;
use crate::domain::ledger::bank::{BankStatus, ConfirmType};
use crate::domain::ledger::bank_candidates::{Candidate, CandidateKind, TRANSFER_CANDIDATE_DAYS, ranked};
use crate::domain::ledger::money::Pence;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::bank::{parse_import, parse_row, parse_suggestion};
use crate::http::wire::books::bank_json::{BankTransactionJson, CandidateJson, ImportJson};
use crate::http::wire::books::batch_format;
use crate::http::wire::books::confirmation::{parse_batch, parse_confirmation};
use crate::store::BankTransactionFilter;

/// `GET …/bank-transactions`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let kinds = format!("one of {}", ConfirmType::ALL.map(ConfirmType::as_str).join(", "));
    let filter = BankTransactionFilter {
        status: query.word("status", "unconfirmed, confirmed or excluded", BankStatus::parse),
        bank_account_id: query.id("bank_account_id"),
        from_day: query.day("date_from"),
        to_day: query.day("date_to"),
        search: query.search("search"),
        kind: query.word("type", &kinds, ConfirmType::parse),
        min_pence: query.money("min_amount"),
        max_pence: query.money("max_amount"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_day, filter.to_day);
    let page = query.page(call.query());
    query.finish()?;
    let (rows, total) =
        call.state().reader.bank_transactions(organisation.id, &filter, (page.limit, page.offset)).await?;
    let rows: Vec<_> = rows.iter().map(BankTransactionJson::from).collect();
    envelope::page(page, rows, total)
}

/// `GET …/bank-transactions/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.bank_transaction(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &BankTransactionJson::from(&found))
}

/// `GET …/bank-transactions/{id}/candidates`.
pub async fn candidates(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let row = reader.bank_transaction(organisation.id, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let today = day_in(&organisation.timezone, call.began_at_ms());
    let mut candidates = reader.match_candidates(organisation.id, &row, today).await?;
    let others = reader.opposite_bank_transactions(organisation.id, &row, TRANSFER_CANDIDATE_DAYS).await?;
    candidates.extend(others.iter().map(|other| Candidate {
        kind: CandidateKind::BankTransaction,
        id: other.id,
        amount: Pence(-other.amount_pence),
        date: other.day,
        references: Vec::new(),
    }));
    let ranked = ranked(Pence(row.amount_pence), row.day, &row.description, candidates);
    let shown: Vec<_> = ranked.iter().map(|(candidate, score)| CandidateJson::new(candidate, *score)).collect();
    envelope::data(StatusCode::OK, &shown)
}

/// `POST …/bank-transactions`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let (bank_account_id, row) = body_or_path(parse_row(&call.body), true)?;
    let action = BooksCommand::CreateBankTransaction { bank_account_id, row: Box::new(row) };
    execute(&call, &access, StatusCode::CREATED, action, print).await
}

/// `POST …/bank-transactions/import`.
pub async fn import(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let place = call.parse_place(call.body.len()).await;
    let import = body_or_path(parse_import(&call.body), true)?;
    drop(place);
    execute(&call, &access, StatusCode::CREATED, BooksCommand::ImportBankTransactions(import), print).await
}

/// `POST …/bank-transactions/confirm-batch`.
pub async fn confirm_batch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let items = parse_batch(&call.body).map_err(|issues| batch_format(&issues))?;
    execute(&call, &access, StatusCode::OK, BooksCommand::Confirm { items, is_batch: true }, print).await
}

async fn exists(
    call: &Call<Products>,
    organisation: crate::domain::ids::OrganisationId,
    id: i64,
) -> Result<bool, ApiError> {
    Ok(call.state().reader.bank_transaction(organisation, id).await?.is_some())
}

/// `PATCH …/bank-transactions/{id}`.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_suggestion(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, id).await?;
    let suggestion = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchBankTransaction { id, suggestion }, print).await
}

/// `DELETE …/bank-transactions/{id}`.
pub async fn delete(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteBankTransaction { id }, print).await
}

/// `POST …/bank-transactions/{id}/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_confirmation(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, id).await?;
    let items = vec![(id, body_or_path(read, exists)?)];
    execute(&call, &access, StatusCode::OK, BooksCommand::Confirm { items, is_batch: false }, print).await
}

/// `POST …/bank-transactions/{id}/unconfirm`.
pub async fn unconfirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::Unconfirm { id }, print).await
}

/// `POST …/bank-transactions/{id}/exclude`.
pub async fn exclude(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_excluded(call, true).await
}

/// `POST …/bank-transactions/{id}/restore`.
pub async fn restore(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_excluded(call, false).await
}

async fn set_excluded(call: Call<Products>, excluded: bool) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ExcludeBankTransaction { id, excluded }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::BankTransaction(row) => printed(&BankTransactionJson::from(&**row), dry_run),
        CommandResult::BankTransactions(rows) => {
            printed(&rows.iter().map(BankTransactionJson::from).collect::<Vec<_>>(), dry_run)
        }
        CommandResult::Import { id, rows } => printed(&ImportJson::new(*id, rows), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

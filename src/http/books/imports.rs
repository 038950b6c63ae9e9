//! Bulk imports: previewed, confirmed with a token, listed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::{member, require_write_access};
use super::change::{AnswerContext, body_or_path, execute, path_id, printed};
use super::query::Query;
use super::token;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::command::ImportConfirmation;
use crate::domain::books::request::CommandResult;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::imports::{ImportJson, parse_confirmation, parse_import};

/// `GET …/imports`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let page = query.page(call.query());
    query.finish()?;
    let (imports, total) = call.state().reader.imports(organisation.id, (page.limit, page.offset)).await?;
    let now_ms = call.began_at_ms();
    let imports: Vec<_> = imports.iter().map(|row| ImportJson::new(row, now_ms)).collect();
    envelope::page(page, imports, total)
}

/// `GET …/imports/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.import(organisation.id, path_id(&call)?).await?;
    let row = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &ImportJson::new(&row, call.began_at_ms()).with_results(&row.results))
}

/// `POST …/imports`.
pub async fn preview(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let place = call.parse_place(call.body.len()).await;
    let entries = Box::new(body_or_path(parse_import(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "imp_"));
    drop(place);
    execute(&call, &access, StatusCode::CREATED, BooksCommand::PreviewImport { entries, preview }, print).await
}

/// `POST …/imports/{id}/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_confirmation(&call.body);
    let exists = read.is_ok() || call.state().reader.import(access.organisation.id, id).await?.is_some();
    let (token, skips_invalid) = body_or_path(read, exists)?;
    let token_hash = token::hash(&token);
    let kept = token::request(&call, &access, &token_hash).await?;
    let place = call.parse_place(kept.as_ref().map_or(0, String::len)).await;
    // Whether the token is still good is decided with the books; what it was given for was read before.
    let entries = kept.and_then(|body| parse_import(body.as_bytes()).ok());
    drop(place);
    let confirmed = ImportConfirmation { id, token_hash, entries, skips_invalid };
    execute(&call, &access, StatusCode::OK, BooksCommand::ConfirmImport(Box::new(confirmed)), print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::BulkImport(row, token) => {
            let token = token.as_deref().filter(|_| !dry_run);
            // It was previewed or confirmed at this very moment.
            let import = ImportJson::new(row, row.created_at_ms).with_token(token);
            printed(&if row.is_confirmed { import.with_results(&row.results) } else { import }, dry_run)
        }
        _ => None,
    }
}

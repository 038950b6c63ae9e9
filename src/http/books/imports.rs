//! Bulk imports: previewed, confirmed with a token, listed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::change::{body_or_path, carry_out, keeper, path_id};
use super::organisations::member;
use super::query::Query;
use super::token;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::imports::{ImportJson, parse_confirmation, parse_import};
use crate::store::{Action, ImportConfirmation};

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
    let keeper = keeper(&call).await?;
    let place = call.parse_place(call.body.len()).await;
    let entries = Box::new(body_or_path(parse_import(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "imp_"));
    drop(place);
    carry_out(&call, &keeper, StatusCode::CREATED, Action::PreviewImport { entries, preview }).await
}

/// `POST …/imports/{id}/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let id = path_id(&call)?;
    let read = parse_confirmation(&call.body);
    let exists = read.is_ok() || call.state().reader.import(keeper.organisation.id, id).await?.is_some();
    let (token, skips_invalid) = body_or_path(read, exists)?;
    let token_hash = token::hash(&token);
    let kept = token::request(&call, &keeper, &token_hash).await?;
    let place = call.parse_place(kept.as_ref().map_or(0, String::len)).await;
    // Whether the token is still good is decided with the books; what it was given for was read before.
    let entries = kept.and_then(|body| parse_import(body.as_bytes()).ok());
    drop(place);
    let confirmed = ImportConfirmation { id, token_hash, entries, skips_invalid };
    carry_out(&call, &keeper, StatusCode::OK, Action::ConfirmImport(Box::new(confirmed))).await
}

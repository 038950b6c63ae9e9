//! Journals: posted, listed, shown, voided by their reversal; never changed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::change::{body_or_path, carry_out, change, keeper, path_id, writer};
use super::organisations::member;
use super::query::Query;
use crate::domain::ledger::journal::SourceType;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::journal::{JournalJson, parse_new, parse_void};
use crate::store::{Action, JournalFilter};

/// `GET …/journals`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let known_source = |word: &str| SourceType::parse(word).map(|source| source.as_str().to_owned());
    let status = |word: &str| match word {
        "posted" => Some(false),
        "void" => Some(true),
        _ => None,
    };
    let filter = JournalFilter {
        source_type: query.word("source_type", &source_rule(), known_source),
        source_id: query.id("source_id"),
        account_id: query.id("account_id"),
        from_day: query.day("date_from"),
        to_day: query.day("date_to"),
        voided: query.word("status", "posted or void", status),
        search: query.search("search"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_day, filter.to_day);
    let page = query.page(call.query());
    query.finish()?;
    let (journals, total) = call.state().reader.journals(organisation.id, &filter, (page.limit, page.offset)).await?;
    let journals: Vec<_> = journals.iter().map(JournalJson::from).collect();
    envelope::page(page, &journals, total)
}

fn source_rule() -> String {
    format!("one of {}", SourceType::ALL.map(SourceType::as_str).join(", "))
}

/// `GET …/journals/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.journal(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &JournalJson::from(&found))
}

/// `POST …/journals`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let writer = writer(&call).await?;
    let journal = body_or_path(parse_new(&call.body), true)?;
    change(&call, writer, StatusCode::CREATED, Action::PostJournal(journal)).await
}

/// `POST …/journals/{id}/void`.
pub async fn void(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || call.state().reader.journal(keeper.organisation.id, id).await?.is_some();
    let request = body_or_path(read, exists)?;
    let action = Action::VoidJournal { id, void_day: request.void_day, reason: request.reason };
    carry_out(&call, &keeper, StatusCode::OK, action).await
}

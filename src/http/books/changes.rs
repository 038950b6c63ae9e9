//! The history of the books: all of it, or that of one record.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::member;
use super::change::path_id;
use super::query::Query;
use crate::domain::ledger::change::Resource;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::changes::{ChangesJson, SINCE_RULE, parse_since};
use crate::store::Since;

/// `GET …/changes`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    show(&call, |_| Ok(None)).await
}

/// `GET …/{id}/history`.
pub async fn history(call: Call<Products>, resource: Resource) -> Result<HttpResponse, ApiError> {
    show(&call, |call| Ok(Some((resource, path_id(call)?)))).await
}

async fn show(
    call: &Call<Products>,
    of: impl FnOnce(&Call<Products>) -> Result<Option<(Resource, i64)>, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(call).await?;
    let reader = &call.state().reader;
    let of = of(call)?;
    if let Some(record) = of
        && !reader.has_history(organisation.id, record).await?
    {
        return Err(ApiError::not_found());
    }
    let mut query = Query::new(call.query());
    let since = query.word("since", SINCE_RULE, parse_since).unwrap_or(Since::Cursor(0));
    let limit = query.limit();
    query.finish()?;
    let changes = reader.changes(organisation.id, of, since, limit).await?;
    envelope::json(StatusCode::OK, &ChangesJson::new(&changes))
}

//! The Construction Industry Scheme: what was withheld in a period.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::member;
use super::query::Query;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::cis::PositionJson;

/// `GET …/cis/position`.
pub async fn position(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let period = query.period("period_start", "period_end");
    query.finish()?;
    let (from, to) = period.ok_or_else(|| ApiError::internal("a period that was not refused is there"))?;
    let position = call.state().reader.cis_position(organisation.id, from, to).await?;
    envelope::data(StatusCode::OK, &PositionJson::new(&position, (from, to)))
}

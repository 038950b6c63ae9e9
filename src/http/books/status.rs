//! How the books stand.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::access::member;
use super::query::Query;
use crate::domain::calendar::day_in;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::status::StatusJson;

/// `GET …/status`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let today = day_in(&organisation.timezone, call.began_at_ms());
    let status = call.state().reader.books_status(organisation.id, today).await?;
    envelope::data(StatusCode::OK, &StatusJson::new(&organisation, &status, today))
}

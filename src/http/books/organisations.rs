//! Organisations the caller may see, and the one door to everything inside an organisation.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::domain::access::Role;
use crate::domain::ids::OrganisationId;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::organisation::organisation_json;
use crate::store::OrganisationRow;

/// `GET /api/v1/books/organisations`: accepted memberships the key covers.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let key = call.key()?;
    let rows = call.state().reader.organisations_of(key.user_id).await?;
    let visible: Vec<_> = rows
        .iter()
        .filter(|(row, _)| key.reach.covers(row.id))
        .map(|(row, role)| organisation_json(row, *role))
        .collect();
    envelope::data(StatusCode::OK, &visible)
}

/// `GET /api/v1/books/organisations/{organisationId}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (row, role) = member(&call).await?;
    envelope::data(StatusCode::OK, &organisation_json(&row, role))
}

/// The organisation of the path, as the caller may see it: 404 for strangers whether it exists or not, 403 for members
/// whose key is restricted to others.
pub async fn member(call: &Call<Products>) -> Result<(OrganisationRow, Role), ApiError> {
    let key = call.key()?;
    let id = OrganisationId::parse(call.parameter("organisationId")).ok_or_else(ApiError::not_found)?;
    let found = call.state().reader.organisation_for(key.user_id, id).await?.ok_or_else(ApiError::not_found)?;
    if !key.reach.covers(id) {
        return Err(ApiError::forbidden("the key is restricted to other organisations"));
    }
    Ok(found)
}

//! Access to everything inside an organisation: who may see its books, and who may change them.

use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::{AccessDenied, Role};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::products::Products;

impl From<AccessDenied> for ApiError {
    fn from(denied: AccessDenied) -> Self {
        match denied {
            AccessDenied::Unknown => Self::not_found(),
            AccessDenied::OutOfReach => Self::forbidden("the key is restricted to other organisations"),
            AccessDenied::ReadOnly => Self::forbidden("the role viewer may read the books and not change them"),
            AccessDenied::AdministratorsOnly => Self::forbidden("only an owner or admin may change the organisation"),
        }
    }
}

/// A member who may change the books.
pub struct WriteAccess {
    /// The organisation.
    pub organisation: OrganisationRecord,
    /// The member's role.
    pub role: Role,
}

/// Who sees an answer, and when.
#[derive(Debug, Clone, Copy)]
pub struct AnswerContext {
    /// The role of the person.
    pub role: Role,
    /// The organisation's day, which decides what is overdue.
    pub today: Date,
}

impl AnswerContext {
    /// For answers in which nothing can be overdue.
    pub const fn on_no_day(role: Role) -> Self {
        Self { role, today: Date::MIN }
    }
}

/// The organisation of the path, as the caller may see it: 404 for strangers whether it exists or not, 403 for members
/// whose key is restricted to others.
pub async fn member(call: &Call<Products>) -> Result<(OrganisationRecord, Role), ApiError> {
    let key = call.key()?;
    let id = path_organisation(call)?;
    let found = call.state().reader.organisation_for(key.user_id, id).await?.ok_or_else(ApiError::not_found)?;
    if key.reach.covers(id) { Ok(found) } else { Err(AccessDenied::OutOfReach.into()) }
}

/// The organisation of the path, for a member whose role may write.
pub async fn require_write_access(call: &Call<Products>) -> Result<WriteAccess, ApiError> {
    write_access(call, require_write).await
}

/// The same for owners and administrators only.
pub async fn require_administrator_access(call: &Call<Products>) -> Result<WriteAccess, ApiError> {
    write_access(call, |role| match role {
        Role::Owner | Role::Admin => Ok(()),
        role => require_write(role).and(Err(AccessDenied::AdministratorsOnly)),
    })
    .await
}

async fn write_access(
    call: &Call<Products>,
    require: impl FnOnce(Role) -> Result<(), AccessDenied>,
) -> Result<WriteAccess, ApiError> {
    let found = member(call).await;
    call.permitted(found.and_then(|(organisation, role)| {
        require(role)?;
        Ok(WriteAccess { organisation, role })
    }))
}

const fn require_write(role: Role) -> Result<(), AccessDenied> {
    if role.may_write() { Ok(()) } else { Err(AccessDenied::ReadOnly) }
}

/// The organisation of the path and the caller's role in it, from what is published alone: for changes whose answers do
/// not depend on the organisation's record or day. Refused as [`require_write_access`] refuses.
pub async fn published_write_access(call: &Call<Products>) -> Result<(OrganisationId, AnswerContext), ApiError> {
    let found = async {
        let id = path_organisation(call)?;
        let role = call.state().actors.ledgers.access(call.caller()?, id).await??;
        require_write(role)?;
        Ok((id, AnswerContext::on_no_day(role)))
    };
    call.permitted(found.await)
}

fn path_organisation(call: &Call<Products>) -> Result<OrganisationId, ApiError> {
    OrganisationId::parse(call.parameter("organisationId")).ok_or_else(ApiError::not_found)
}

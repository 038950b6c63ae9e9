//! `select_organisation`: what a connection works on when a call names no organisation.

use serde::Serialize;

use super::{Inside, OrganisationName, answer, fault, refused, visible};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ids::OrganisationId;
use crate::http::call::Call;
use crate::http::error::ErrorCode;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Outcome, Refused};
use crate::http::products::Products;

/// The organisation a connection has selected, while the connection still reaches it.
pub(super) async fn selected(call: &Call<Products>) -> Result<Option<OrganisationRecord>, Refused> {
    let access = call.access().map_err(fault)?;
    let selected = call.state().reader.selected_organisation(access.id).await.map_err(|error| fault(error.into()))?;
    match selected {
        Some(id) => still_visible(call, id).await,
        None => Ok(None),
    }
}

/// An organisation, unless the connection does not reach it any more.
async fn still_visible(call: &Call<Products>, id: OrganisationId) -> Result<Option<OrganisationRecord>, Refused> {
    match visible(call, id).await {
        Ok(organisation) => Ok(Some(organisation)),
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::Forbidden) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Selects an organisation.
pub(super) async fn select(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    #[derive(Serialize)]
    struct Selected<'a> {
        organisation: OrganisationName<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        previous: Option<OrganisationName<'a>>,
    }
    let inside = Inside::of(call, arguments).await?;
    let access = call.access().map_err(fault)?;
    let before = call.state().actors.keys.select_organisation(access.id, OrganisationId(inside.id)).await;
    let before = before.map_err(|error| fault(error.into()))?.filter(|before| before.0 != inside.id);
    let previous = match before {
        Some(id) => still_visible(call, id).await?,
        None => None,
    };
    answer(&Selected { organisation: inside.name(), previous: previous.as_ref().map(OrganisationName::of) })
}

//! Reconciliations: submit and poll.

use actix_web::HttpResponse;

use super::body::Body;
use super::call::Call;
use super::error::ApiError;
use super::job_view;
use super::products::{ProductLimits, Products};
use super::route_table::Look;
use super::submission::{self, Parsed, Submission, count};
use super::wire::recon::{self, FormatProblems, Limits};
use crate::actors::queue_board::Reservation;
use crate::actors::recon_work::{pack_dataset, store_parameters};
use crate::domain::caller::{Principal, Scope};
use crate::domain::job::Product;

const ID_FIELD: &str = "reconciliation_id";

const SUBMISSION: Submission = Submission {
    product: Product::Reconciliation,
    path: "/api/v1/reconciliations",
    id_field: ID_FIELD,
    queue_full: "the queue of reconciliations is full; retry shortly",
    parse,
};

/// `POST /api/v1/reconciliations`.
pub async fn submit(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    submission::submit(call, &SUBMISSION).await
}

/// Reserves room for another job of the caller.
pub fn room(products: &Products, caller: &Principal, look: Look) -> Result<Reservation, ApiError> {
    submission::room(products, caller.user_id, &SUBMISSION, look)
}

/// `GET /api/v1/reconciliations/{id}`.
pub async fn poll(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    job_view::poll(&call, Product::Reconciliation, ID_FIELD, Scope::ReconcileRead).await
}

/// Parses, then gives the body back before packing, so that the two are never held together.
fn parse(body: Body, limits: &ProductLimits) -> Result<Parsed, ApiError> {
    let limits = Limits { max_rows_per_dataset: limits.max_rows_per_dataset };
    let submission = recon::parse(&body, &limits).map_err(|problems| format_error(&problems))?;
    drop(body);
    let dataset = &submission.dataset;
    Ok(Parsed {
        cost: count(dataset.bank.len()),
        rows_total: count(dataset.bank.len() + dataset.book.len()),
        parameters: store_parameters(&submission.options),
        allow_overage: submission.allow_overage,
        payload: pack_dataset(dataset).map_err(ApiError::internal)?,
    })
}

fn format_error(problems: &FormatProblems) -> ApiError {
    match serde_json::to_value(&problems.errors) {
        Ok(errors) => ApiError::invalid_dataset_format(errors, problems.error_count),
        Err(error) => ApiError::internal(error),
    }
}

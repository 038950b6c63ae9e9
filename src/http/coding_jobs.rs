//! Coding jobs: submit and poll.

use actix_web::HttpResponse;

use super::body::Body;
use super::call::Call;
use super::error::ApiError;
use super::job_view;
use super::products::{ProductLimits, Products};
use super::route_table::Look;
use super::submission::{self, Parsed, Submission, count};
use super::wire::coding;
use crate::actors::coding_work::pack_body;
use crate::actors::queue_board::Reservation;
use crate::domain::caller::{Principal, Scope};
use crate::domain::job::Product;

const ID_FIELD: &str = "coding_job_id";

/// What a submission is answered when the queue has no place.
pub(super) const QUEUE_FULL: &str = "the queue of coding jobs is full; retry shortly";

const SUBMISSION: Submission = Submission {
    product: Product::Coding,
    path: "/api/v1/coding/coding-jobs",
    id_field: ID_FIELD,
    queue_full: QUEUE_FULL,
    parse,
};

/// `POST /api/v1/coding/coding-jobs`.
pub async fn submit(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    submission::submit(call, &SUBMISSION).await
}

/// Reserves room for another job of the caller.
pub fn room(products: &Products, caller: &Principal, look: Look) -> Result<Reservation, ApiError> {
    submission::room(products, caller.user_id, &SUBMISSION, look)
}

/// `GET /api/v1/coding/coding-jobs/{id}`.
pub async fn poll(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    job_view::poll(&call, Product::Coding, ID_FIELD, Scope::CodingRead).await
}

/// Checks the body and keeps it as it is: the worker reads it again, and the result repeats its rows to the digit.
fn parse(body: Body, limits: &ProductLimits) -> Result<Parsed, ApiError> {
    let submission =
        coding::parse(&body, &limits.coding).map_err(|issues| ApiError::invalid_request_format(&issues))?;
    let rows = count(submission.inputs.len());
    let allow_overage = submission.allow_overage;
    drop(submission);
    let payload = pack_body(&body).map_err(ApiError::internal)?;
    Ok(Parsed { cost: rows, rows_total: rows, parameters: String::new(), allow_overage, payload })
}

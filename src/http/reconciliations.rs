//! Reconciliations: submit and poll.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use sha2::{Digest as _, Sha256};

use super::body::Body;
use super::call::Call;
use super::error::ApiError;
use super::products::{ProductLimits, Products};
use super::wire::recon::{self, FormatProblems, Limits};
use super::{envelope, job_view};
use crate::actors::recon_work::{pack_dataset, store_parameters};
use crate::domain::access::Scope;
use crate::domain::calendar::Month;
use crate::domain::caller::KeySnapshot;
use crate::domain::ids::JobId;
use crate::domain::job::Product;
use crate::store::{Idempotency, NewJob, StoredResponse, Submitted};

const PATH: &str = "/api/v1/reconciliations";

/// Parsing and packing a body above this size is worth a blocking thread.
const INLINE_PARSE_BYTES: usize = 32 * 1024;

/// A submission that keeps to the format, ready to be stored.
struct Parsed {
    bank_rows: i64,
    rows_total: i64,
    parameters: String,
    allow_overage: bool,
    payload: Vec<Vec<u8>>,
}

/// `POST /api/v1/reconciliations`.
pub async fn submit(mut call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = std::sync::Arc::clone(call.state());
    let key = std::sync::Arc::clone(call.key()?);
    let idempotency_key = call.idempotency_key()?.map(str::to_owned);
    let body_hash: [u8; 32] = if idempotency_key.is_some() { Sha256::digest(&call.body[..]).into() } else { [0; 32] };
    if let Some(idempotency_key) = &idempotency_key
        && let Some(stored) = products.reader.find_replay(key.user_id, "POST", PATH, idempotency_key).await?
    {
        return replay(stored, &body_hash);
    }
    let body = std::mem::take(&mut call.body);
    let place = call.parse_place(body.len()).await;
    let parsed = parse(body, &products.limits).await?;
    drop(place);
    affordable(&products, &key, &parsed).await?;

    let id = JobId::mint(Product::Reconciliation.id_prefix(), products.clock.unique());
    let accepted = accepted_json(&id);
    let job = NewJob {
        id,
        product: Product::Reconciliation,
        user_id: key.user_id,
        key_id: Some(key.key_id),
        cost: parsed.bank_rows,
        allow_overage: key.allow_overage && parsed.allow_overage,
        rows_total: parsed.rows_total,
        parameters: parsed.parameters,
        capacity: products.actors.reconciliation.queue_capacity(),
        idempotency: idempotency_key.map(|key| Idempotency {
            method: "POST".to_owned(),
            path: PATH.to_owned(),
            key,
            body_hash,
            status: StatusCode::ACCEPTED.as_u16(),
            body: accepted.clone().into_bytes(),
            retention_ms: products.limits.idempotency_retention_ms,
        }),
    };
    match products.actors.reconciliation.submit(job, parsed.payload).await? {
        Submitted::Accepted { .. } => Ok(envelope::json_bytes(StatusCode::ACCEPTED, accepted)),
        Submitted::QueueFull => Err(ApiError::busy("the queue of reconciliations is full; retry shortly", 2)),
        Submitted::Replayed(stored) => replay(stored, &body_hash),
        Submitted::KeyReused => Err(key_reused()),
    }
}

/// `GET /api/v1/reconciliations/{id}`.
pub async fn poll(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    job_view::poll(&call, Product::Reconciliation, "reconciliation_id", Scope::ReconcileRead).await
}

fn accepted_json(id: &JobId) -> String {
    format!(r#"{{"reconciliation_id":"{id}","status":"queued","poll_url":"{PATH}/{id}"}}"#)
}

fn key_reused() -> ApiError {
    ApiError::unprocessable("idempotency_key_reused", "this Idempotency-Key was used with another body")
}

fn replay(stored: StoredResponse, body_hash: &[u8; 32]) -> Result<HttpResponse, ApiError> {
    if stored.body_hash != *body_hash {
        return Err(key_reused());
    }
    let status = StatusCode::from_u16(stored.status).map_err(ApiError::internal)?;
    let mut response = envelope::json_bytes(status, stored.body);
    response.headers_mut().insert(super::headers::IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

async fn parse(body: Body, limits: &ProductLimits) -> Result<Parsed, ApiError> {
    let limits = Limits { max_rows_per_dataset: limits.max_rows_per_dataset };
    let parsed = if body.len() <= INLINE_PARSE_BYTES {
        parse_now(body, &limits)
    } else {
        actix_web::web::block(move || parse_now(body, &limits)).await.map_err(ApiError::internal)?
    };
    parsed?.map_err(|problems| format_error(&problems))
}

/// Parses, then gives the body back before packing, so that the two are never held together.
fn parse_now(body: Body, limits: &Limits) -> Result<Result<Parsed, FormatProblems>, ApiError> {
    let submission = match recon::parse(&body, limits) {
        Ok(submission) => submission,
        Err(problems) => return Ok(Err(problems)),
    };
    drop(body);
    let dataset = &submission.dataset;
    let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
    Ok(Ok(Parsed {
        bank_rows: count(dataset.bank.len()),
        rows_total: count(dataset.bank.len() + dataset.book.len()),
        parameters: store_parameters(&submission.options),
        allow_overage: submission.allow_overage,
        payload: pack_dataset(dataset).map_err(ApiError::internal)?,
    }))
}

fn format_error(problems: &FormatProblems) -> ApiError {
    match serde_json::to_value(&problems.errors) {
        Ok(errors) => ApiError::invalid_dataset_format(errors, problems.error_count),
        Err(error) => ApiError::internal(error),
    }
}

/// 402 when the job obviously cannot be paid for: not by what is published, and not by the row either.
async fn affordable(products: &Products, key: &KeySnapshot, parsed: &Parsed) -> Result<(), ApiError> {
    let month = Month::of_ms(products.actors.store_now_ms());
    let overage = key.allow_overage && parsed.allow_overage;
    let cost = parsed.bank_rows;
    if let Some(account) = products.actors.credits.published(key.user_id)
        && account.rolled_over(month).0.charge(cost, overage).is_ok()
    {
        return Ok(());
    }
    let account = products.reader.credit_account(key.user_id).await?;
    let account = account.ok_or_else(|| ApiError::internal("a person without a credit account"))?;
    match account.rolled_over(month).0.charge(cost, overage) {
        Ok(_) => Ok(()),
        Err(short) => {
            let count = |credits: i64| u64::try_from(credits).unwrap_or_default();
            Err(ApiError::insufficient_credits(count(short.required), count(short.available)))
        }
    }
}

//! Submitting a job, for every product: replay, parse, 402, one unit, 202. What differs is [`Submission`].

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use sha2::{Digest as _, Sha256};

use super::body::Body;
use super::call::Call;
use super::envelope;
use super::error::ApiError;
use super::products::{ProductLimits, Products};
use super::route_table::Look;
use super::wire::books::refused;
use crate::actors::idempotency_lock::IdempotencyLock;
use crate::actors::queue_board::{QueueRefusal, Reservation};
use crate::domain::caller::ConnectionAccess;
use crate::domain::date::Month;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::Product;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::refusal_reason::RefusalReason;
use crate::store::{Idempotency, NewJob, Submitted};

/// Parsing and packing a body above this size is worth a blocking thread.
const INLINE_PARSE_BYTES: usize = 32 * 1024;

/// How the jobs of a product are submitted.
pub struct Submission {
    /// Which product.
    pub product: Product,
    /// Where they are submitted; polls have the id after it.
    pub path: &'static str,
    /// The key of the id in answers.
    pub id_field: &'static str,
    /// The message of the refusal when the queue is full.
    pub queue_full: &'static str,
    /// Reads a body and packs it. It owns the body, so that it can give it back before or while packing.
    pub parse: fn(Body, &ProductLimits) -> Result<Parsed, ApiError>,
}

/// A submission that keeps to the format, ready to be stored.
pub struct Parsed {
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// For progress.
    pub rows_total: i64,
    /// The options stored with the job.
    pub parameters: String,
    /// Whether the caller accepts overage for this request.
    pub allow_overage: bool,
    /// What the job will need, packed.
    pub payload: Vec<Vec<u8>>,
}

/// Answers a submission.
pub async fn submit(mut call: Call<Products>, how: &'static Submission) -> Result<HttpResponse, ApiError> {
    let products = std::sync::Arc::clone(call.state());
    let access = call.access()?.clone();
    let idempotency_key = call.idempotency_key()?.map(str::to_owned);
    let _lock = idempotency_lock(&call).await?;
    let body_hash: [u8; 32] = if idempotency_key.is_some() { Sha256::digest(&call.body[..]).into() } else { [0; 32] };
    if let Some(idempotency_key) = &idempotency_key
        && let Some(stored) = products.reader.find_replay(access.user_id, "POST", how.path, idempotency_key).await?
    {
        return replay(stored, &body_hash);
    }
    let body = std::mem::take(&mut call.body);
    let reserved = call.reserved.take();
    let place = call.parse_place(body.len()).await;
    // The queue may have filled while a slow body was on its way, and parsing is most of what a submission costs.
    let _reserved = match reserved {
        Some(reserved) => reserved,
        None => reserve(&products, access.user_id, how.product, how.queue_full)?,
    };
    let parsed = parse(body, how, &products).await?;
    drop(place);
    affordable(&products, &access, &parsed).await?;
    call.still_accepted()?;

    let engine = products.actors.engine(how.product);
    let id = JobId::mint(how.product.id_prefix(), products.clock.unique());
    let accepted = accepted_json(how, &id);
    let job = NewJob {
        id,
        product: how.product,
        user_id: access.user_id,
        connection: Some(access.id),
        cost: parsed.cost,
        allow_overage: access.allow_overage && parsed.allow_overage,
        rows_total: parsed.rows_total,
        parameters: parsed.parameters,
        capacity: engine.queue_limits().capacity,
        share: engine.queue_limits().share,
        idempotency: idempotency_key.map(|key| Idempotency {
            method: "POST".to_owned(),
            path: how.path.to_owned(),
            key,
            body_hash,
            status: StatusCode::ACCEPTED.as_u16(),
            body: accepted.clone().into_bytes(),
            retention_ms: products.limits.idempotency_retention_ms,
        }),
        session: None,
    };
    match engine.submit(job, parsed.payload).await? {
        Submitted::Accepted { .. } => Ok(envelope::json_bytes(StatusCode::ACCEPTED, accepted)),
        Submitted::QueueFull => Err(no_place(how.queue_full, QueueRefusal::Full)),
        Submitted::ShareFull(_) => Err(no_place(how.queue_full, QueueRefusal::ShareFull)),
        Submitted::Replayed(stored) => replay(stored, &body_hash),
        Submitted::KeyReused => Err(key_reused()),
        Submitted::SessionBusy => Err(ApiError::internal("a job of no session is a run of one")),
    }
}

/// A place in the queue for a job of a person whose body is on its way.
pub fn room(products: &Products, user: UserId, how: &Submission, look: Look) -> Result<Reservation, ApiError> {
    match look {
        Look::First => products.actors.engine(how.product).reserve(user).map_err(|why| no_place(how.queue_full, why)),
        Look::Last => reserve(products, user, how.product, how.queue_full),
    }
}

/// A place in the queue for a job of a person, to be kept until it is submitted; a refusal is counted.
pub(super) fn reserve(
    products: &Products,
    user: UserId,
    product: Product,
    queue_full: &'static str,
) -> Result<Reservation, ApiError> {
    let engine = products.actors.engine(product);
    engine.reserve(user).map_err(|refusal| {
        engine.stats().count_rejected();
        no_place(queue_full, refusal)
    })
}

/// 503 where no place in the queue is left, for anybody or for this person.
pub(super) fn no_place(queue_full: &'static str, refusal: QueueRefusal) -> ApiError {
    match refusal {
        QueueRefusal::Full => ApiError::busy(RefusalReason::QueueFull, queue_full, 2),
        QueueRefusal::ShareFull => ApiError::busy(
            RefusalReason::QueueShare,
            "as many of your jobs wait as one person may have waiting; retry when one has begun",
            2,
        ),
    }
}

/// A count as it is stored.
pub fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

fn accepted_json(how: &Submission, id: &JobId) -> String {
    let (id_field, path) = (how.id_field, how.path);
    format!(r#"{{"{id_field}":"{id}","status":"queued","poll_url":"{path}/{id}"}}"#)
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
    response.headers_mut().insert(super::call::IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

async fn parse(body: Body, how: &'static Submission, products: &std::sync::Arc<Products>) -> Result<Parsed, ApiError> {
    if body.len() <= INLINE_PARSE_BYTES {
        return (how.parse)(body, &products.limits);
    }
    let products = std::sync::Arc::clone(products);
    actix_web::web::block(move || (how.parse)(body, &products.limits)).await.map_err(ApiError::internal)?
}

/// 402 when the job obviously cannot be paid for: not by what is published, and not by the row either.
pub(super) async fn affordable(
    products: &Products,
    access: &ConnectionAccess,
    parsed: &Parsed,
) -> Result<(), ApiError> {
    let month = Month::of_ms(products.actors.store_now_ms());
    let overage = access.allow_overage && parsed.allow_overage;
    let cost = parsed.cost;
    if let Some(account) = products.actors.credits.published(access.user_id)
        && account.rolled_over(month).0.charge(cost, overage).is_ok()
    {
        return Ok(());
    }
    let account = products.reader.credit_account(access.user_id).await?;
    let account = account.ok_or_else(|| ApiError::internal("a person without a credit account"))?;
    match account.rolled_over(month).0.charge(cost, overage) {
        Ok(_) => Ok(()),
        Err(short) => {
            let count = |credits: i64| u64::try_from(credits).unwrap_or_default();
            Err(ApiError::insufficient_credits(count(short.required), count(short.available)))
        }
    }
}

/// The lock of the request's `Idempotency-Key`, held until it is answered; 409 `idempotency_in_progress` when another
/// request with the key still runs after ten seconds.
pub(super) async fn idempotency_lock(call: &Call<Products>) -> Result<Option<IdempotencyLock>, ApiError> {
    let Some(key) = call.idempotency_key()? else { return Ok(None) };
    let locks = &call.state().actors.idempotency_locks;
    let lock = locks.lock(call.access()?.user_id, call.method().as_str(), call.path(), key).await;
    lock.map(Some).ok_or_else(|| refused(&Refusal::IdempotencyInProgress))
}

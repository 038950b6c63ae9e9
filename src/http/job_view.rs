//! What polling a job answers, for every product: the state, and the stored result passed through as it is stored.

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, SizedStream};
use actix_web::http::StatusCode;
use bytes::{Buf as _, Bytes};
use futures_util::stream;
use serde_json::json;
use zstd::stream::raw::{Decoder, Operation as _};

use super::call::Call;
use super::envelope;
use super::error::ApiError;
use super::products::Products;
use super::wire::coding;
use crate::domain::caller::Scope;
use crate::domain::date::date_time_text;
use crate::domain::ids::{JOB_ID_LENGTH_MAX, JobId};
use crate::domain::job::{JobFailure, JobStatus, Product};
use crate::store::{JobRow, Reader};

/// Results up to this size are sent in one piece.
const INLINE_RESULT_BYTES: u64 = 256 * 1024;
/// Bytes unpacked at once: well under a millisecond of work.
const UNPACK_STEP_BYTES: usize = 128 * 1024;

/// Answers a poll. The job must belong to the user of the key, and the key must have the scope or have made the job.
pub async fn poll(
    call: &Call<Products>,
    product: Product,
    id_field: &'static str,
    scope: Scope,
) -> Result<HttpResponse, ApiError> {
    let access = call.access()?;
    let id = call.parameter("id");
    let job = if id.is_empty() || id.chars().count() > JOB_ID_LENGTH_MAX || id.contains('\0') {
        None
    } else {
        call.state().reader.find_visible(product, &JobId(id.to_owned()), access.user_id).await?
    };
    if !access.has(scope) && job.as_ref().is_none_or(|job| job.connection != Some(access.id)) {
        return Err(call.missing_scope(scope));
    }
    let job = job.ok_or_else(ApiError::not_found)?;
    let state = state_json(&job, id_field, call.state());
    if job.status != JobStatus::Completed {
        return Ok(envelope::json_bytes(StatusCode::OK, format!("{state}}}")));
    }
    completed(job, format!("{state},\"result\":"), call.state().reader.clone()).await
}

/// The state without its closing brace, so that a result can follow.
fn state_json(job: &JobRow, id_field: &str, products: &Products) -> String {
    let mut text = format!(
        r#"{{"{id_field}":"{}","status":"{}","created_at":"{}""#,
        job.id,
        job.status.as_str(),
        date_time_text(job.created_at_ms)
    );
    match job.status {
        JobStatus::Queued => {}
        JobStatus::Processing => {
            let total = u64::try_from(job.rows_total).unwrap_or_default();
            let (done, total) = products.actors.board.running(&job.id).map_or((0, total), |running| running.rows());
            text.push_str(&format!(r#","progress":{{"rows_done":{done},"rows_total":{total}}}"#));
        }
        JobStatus::Completed | JobStatus::Failed => {
            let at_ms = job.completed_at_ms.unwrap_or(job.created_at_ms);
            text.push_str(&format!(r#","completed_at":"{}""#, date_time_text(at_ms)));
        }
    }
    if job.status == JobStatus::Completed {
        text.push_str(&format!(r#","credits_charged":{}"#, job.credits_charged.unwrap_or(0)));
    }
    if job.status == JobStatus::Failed {
        let failure = job.failure.as_ref().unwrap_or(&JobFailure::EngineFailed);
        text.push_str(&format!(r#","error":{}"#, failure_json(job.product, failure)));
    }
    text
}

/// The error of a failed job. Reconciliation has a code for too few credits, and `internal_error` for the rest; coding has
/// one code, with the reason in its details.
fn failure_json(product: Product, failure: &JobFailure) -> serde_json::Value {
    let code = match (product, failure) {
        (Product::Coding, _) => "coding_failed",
        (Product::Reconciliation, JobFailure::InsufficientCredits { .. }) => failure.as_str(),
        (Product::Reconciliation, _) => "internal_error",
    };
    let message = match failure {
        JobFailure::InsufficientCredits { required, available } => {
            format!("the job costs {required} credits and {available} were available; nothing was charged")
        }
        JobFailure::DeadlineExceeded => "the job took longer than the service allows; nothing was charged".to_owned(),
        JobFailure::EngineFailed => "the job could not be completed; nothing was charged".to_owned(),
    };
    let details = match (product, failure) {
        (Product::Reconciliation, JobFailure::InsufficientCredits { required, available }) => {
            json!({ "required": required, "available": available })
        }
        (Product::Coding, JobFailure::InsufficientCredits { required, available }) => {
            json!({ "reason": failure.as_str(), "required": required, "available": available })
        }
        _ => json!({ "reason": failure.as_str() }),
    };
    json!({ "code": code, "message": message, "details": details })
}

async fn completed(job: JobRow, head: String, reader: Reader) -> Result<HttpResponse, ApiError> {
    let mut tail = job.suggestions.map(coding::result_end).unwrap_or_default();
    tail.push('}');
    let size = u64::try_from(head.len() + tail.len()).unwrap_or_default() + job.result_size;
    let mut unpacking = Unpacking::new((head, tail), &job, reader).map_err(ApiError::internal)?;
    if job.result_size <= INLINE_RESULT_BYTES {
        let mut body = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        while let Some(bytes) = unpacking.next().await? {
            body.extend_from_slice(&bytes);
        }
        return Ok(envelope::json_bytes(StatusCode::OK, body));
    }
    let pieces = stream::try_unfold(unpacking, |mut unpacking| async move {
        match unpacking.next().await {
            Ok(Some(bytes)) => Ok(Some((bytes, unpacking))),
            Ok(None) => Ok(None),
            // The head is sent; all that is left is to break the connection, and to say why here.
            Err(error) => {
                tracing::error!(cause = error.cause(), "a stored result cannot be read");
                Err(std::io::Error::other("the stored result cannot be read"))
            }
        }
    });
    let mut response = envelope::json_bytes(StatusCode::OK, Bytes::new());
    response = response.set_body(BoxBody::new(SizedStream::new(size, Box::pin(pieces))));
    Ok(response)
}

/// A stored result on its way out: read part by part, unpacked step by step, never whole in memory. A step is
/// measured in unpacked bytes, because a few stored bytes may unpack to a thousand times as many.
struct Unpacking {
    head: Option<String>,
    tail: Option<String>,
    reader: Reader,
    job: JobId,
    parts: u32,
    next_part: u32,
    compressed: Bytes,
    decoder: Decoder<'static>,
}

impl Unpacking {
    fn new((head, tail): (String, String), job: &JobRow, reader: Reader) -> std::io::Result<Self> {
        let inline = job.result.clone();
        Ok(Self {
            head: Some(head),
            tail: Some(tail),
            reader,
            job: job.id.clone(),
            parts: job.result_parts,
            next_part: u32::from(inline.is_some()),
            compressed: inline.map_or_else(Bytes::new, Bytes::from),
            decoder: Decoder::new()?,
        })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        if let Some(head) = self.head.take() {
            return Ok(Some(head.into()));
        }
        loop {
            if let Some(unpacked) = self.step().map_err(ApiError::internal)? {
                return Ok(Some(unpacked));
            }
            if self.next_part >= self.parts {
                return Ok(self.tail.take().map(Bytes::from));
            }
            let part = self.reader.result_part(&self.job, self.next_part).await?;
            self.compressed =
                part.map(Bytes::from).ok_or_else(|| ApiError::internal("a part of the result is gone"))?;
            self.next_part += 1;
        }
    }

    /// Unpacks the next piece; `None` when that needs another part.
    fn step(&mut self) -> std::io::Result<Option<Bytes>> {
        let mut unpacked = vec![0; UNPACK_STEP_BYTES];
        loop {
            let status = self.decoder.run_on_buffers(&self.compressed, &mut unpacked)?;
            self.compressed.advance(status.bytes_read);
            if status.bytes_written > 0 {
                unpacked.truncate(status.bytes_written);
                return Ok(Some(unpacked.into()));
            }
            if self.compressed.is_empty() {
                return Ok(None);
            }
            if status.bytes_read == 0 {
                return Err(std::io::Error::other("the stored result does not unpack"));
            }
        }
    }
}

//! What polling a job answers, for every product: the state, and the stored result passed through as it is stored.

use std::cell::RefCell;
use std::io;

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, SizedStream};
use actix_web::http::StatusCode;
use bytes::{Buf as _, Bytes};
use futures_util::stream;
use serde_json::json;
use tokio::sync::{Semaphore, SemaphorePermit};
use zstd::bulk::Decompressor;
use zstd::stream::raw::{Decoder, Operation as _};
use zstd::zstd_safe;

use super::call::Call;
use super::envelope;
use super::error::ApiError;
use super::products::Products;
use super::wire::coding;
use crate::actors::pack::RESULT_FRAME_BYTES;
use crate::domain::caller::Scope;
use crate::domain::date::date_time_text;
use crate::domain::ids::{JOB_ID_LENGTH_MAX, JobId};
use crate::domain::job::{JobFailure, JobStatus, Product};
use crate::store::{JobRow, Reader};

/// Results up to this size are sent in one piece, which a client that does not read makes the service hold.
const INLINE_RESULT_BYTES: u64 = 32 * 1024;
/// Results in one stream that are on their way out at once: each takes a window and a part, well over a megabyte. They were stored
/// before results had frames, and are gone after the retention.
static WHOLE_STREAMS: Semaphore = Semaphore::const_new(8);

thread_local! {
    /// What frames are unpacked with. One for each thread does, because a frame is unpacked in one go.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

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
    let mut unpacking = Unpacking::new((head, tail), &job, reader);
    drop(job.result);
    if !unpacking.is_large {
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
                Err(io::Error::other("the stored result cannot be read"))
            }
        }
    });
    let mut response = envelope::json_bytes(StatusCode::OK, Bytes::new());
    response = response.set_body(BoxBody::new(SizedStream::new(size, Box::pin(pieces))));
    Ok(response)
}

/// A stored result on its way out: read part by part, unpacked frame by frame, never whole in memory. Between two pieces it holds the
/// rest of a part and nothing else, so that clients that do not read cost little.
struct Unpacking {
    head: Option<String>,
    tail: Option<String>,
    reader: Reader,
    job: JobId,
    parts: u32,
    next_part: u32,
    compressed: Bytes,
    /// Whether it is sent in pieces.
    is_large: bool,
    /// For a result in one stream.
    whole: Option<Box<WholeStream>>,
}

struct WholeStream {
    decoder: Decoder<'static>,
    _counted: Option<SemaphorePermit<'static>>,
}

impl Unpacking {
    fn new((head, tail): (String, String), job: &JobRow, reader: Reader) -> Self {
        let inline = job.result.clone();
        Self {
            head: Some(head),
            tail: Some(tail),
            reader,
            job: job.id.clone(),
            parts: job.result_parts,
            next_part: u32::from(inline.is_some()),
            compressed: inline.map_or_else(Bytes::new, Bytes::from),
            is_large: job.result_size > INLINE_RESULT_BYTES,
            whole: None,
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        if let Some(head) = self.head.take() {
            return Ok(Some(head.into()));
        }
        loop {
            if self.whole.is_none() && !self.compressed.is_empty() && !is_frame(&self.compressed) {
                // A small one is unpacked at once. The semaphore is never closed; if it were, the result would still be right.
                let counted = if self.is_large { WHOLE_STREAMS.acquire().await.ok() } else { None };
                let decoder = Decoder::new().map_err(ApiError::internal)?;
                self.whole = Some(Box::new(WholeStream { decoder, _counted: counted }));
            }
            let step = match &mut self.whole {
                Some(whole) => step(&mut whole.decoder, &mut self.compressed),
                None => unpack_frame(&mut self.compressed),
            };
            if let Some(unpacked) = step.map_err(ApiError::internal)? {
                return Ok(Some(unpacked));
            }
            self.compressed = Bytes::new();
            if self.next_part >= self.parts {
                self.whole = None;
                return Ok(self.tail.take().map(Bytes::from));
            }
            let part = self.reader.result_part(&self.job, self.next_part).await?;
            self.compressed =
                part.map(Bytes::from).ok_or_else(|| ApiError::internal("a part of the result is gone"))?;
            self.next_part += 1;
        }
    }
}

/// Whether a frame begins here that says that it is small.
fn is_frame(compressed: &[u8]) -> bool {
    let size = zstd_safe::get_frame_content_size(compressed).ok().flatten();
    size.and_then(|size| usize::try_from(size).ok()).is_some_and(|size| size <= RESULT_FRAME_BYTES)
}

/// Unpacks the next frame; `None` when there is none.
fn unpack_frame(compressed: &mut Bytes) -> io::Result<Option<Bytes>> {
    while !compressed.is_empty() {
        let damaged = || io::Error::other("the stored result does not unpack");
        if !is_frame(compressed) {
            return Err(damaged());
        }
        let length = zstd_safe::find_frame_compressed_size(compressed).map_err(|_| damaged())?;
        if length > compressed.len() {
            return Err(damaged());
        }
        let frame = compressed.split_to(length);
        let unpacked = DECOMPRESSOR.with_borrow_mut(|kept| {
            let decompressor = match kept {
                Some(decompressor) => decompressor,
                None => kept.insert(Decompressor::new()?),
            };
            decompressor.decompress(&frame, RESULT_FRAME_BYTES)
        })?;
        if compressed.is_empty() {
            *compressed = Bytes::new();
        }
        if !unpacked.is_empty() {
            return Ok(Some(unpacked.into()));
        }
    }
    Ok(None)
}

/// Unpacks the next piece of a stream; `None` when that needs another part. A step is measured in unpacked bytes, because a few stored
/// bytes may unpack to a thousand times as many.
fn step(decoder: &mut Decoder<'static>, compressed: &mut Bytes) -> io::Result<Option<Bytes>> {
    let mut unpacked = vec![0; RESULT_FRAME_BYTES];
    loop {
        let status = decoder.run_on_buffers(compressed, &mut unpacked)?;
        compressed.advance(status.bytes_read);
        if status.bytes_written > 0 {
            unpacked.truncate(status.bytes_written);
            return Ok(Some(unpacked.into()));
        }
        if compressed.is_empty() {
            return Ok(None);
        }
        if status.bytes_read == 0 {
            return Err(io::Error::other("the stored result does not unpack"));
        }
    }
}

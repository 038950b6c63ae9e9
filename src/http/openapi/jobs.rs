//! What the jobs of every product have in common.

use utoipa::openapi::Object;

use super::operation::Operation;
use super::schema::{choice, integer, moment, named, object, optional, required, string, text};
use crate::http::error::ErrorCode;

const STATUSES: [&str; 4] = ["queued", "processing", "completed", "failed"];

/// A submission, with what every submission takes and can be refused for.
pub(super) fn submission(tag: &'static str, summary: &'static str, description: &'static str) -> Operation {
    Operation::new(tag, summary, description)
        .idempotent()
        .error(ErrorCode::ValidationError)
        .error(ErrorCode::InsufficientCredits)
}

/// The answer to a submission.
pub(super) fn accepted(id_field: &'static str) -> Object {
    object(
        "The job that was queued.",
        vec![
            required(id_field, text(1, 64)),
            required("status", choice(&STATUSES)),
            required("poll_url", string().description(Some("The path to poll."))),
        ],
    )
}

/// Why a job failed.
pub(super) fn failure(description: &str, codes: &[&str]) -> Object {
    object(
        description,
        vec![
            required("code", choice(codes)),
            required("message", string()),
            optional("details", object("Depends on the code.", Vec::new())),
        ],
    )
}

/// The answer to a poll.
pub(super) fn state(id_field: &'static str, result: &str, failure: &str) -> Object {
    let progress =
        object("Only while processing.", vec![required("rows_done", integer(0)), required("rows_total", integer(0))]);
    object(
        "A job. `result` is there when it is completed, `error` when it failed.",
        vec![
            required(id_field, text(1, 64)),
            required("status", choice(&STATUSES)),
            required("created_at", moment()),
            optional("completed_at", moment()),
            optional("progress", progress),
            optional("credits_charged", integer(0)),
            optional("result", named(result)),
            optional("error", named(failure)),
        ],
    )
}

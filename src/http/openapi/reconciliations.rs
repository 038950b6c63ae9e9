//! Reconciliation.

use serde_json::{Value, json};

use super::jobs;
use super::operation::Operation;
use super::schema::{
    Any, array, boolean, choice, date, integer, named, number, object, optional, required, strict, string, text,
};
use crate::http::error::ErrorCode;

const TAG: &str = "Reconciliation";
const FAILURES: &str =
    "Why a job failed. `insufficient_credits` comes with `required` and `available`, `internal_error` with a `reason`.";
const JOB: &str = "rec_019351b7c8a07a3e9f5c2b1d4e6f8a90";

/// `POST /api/v1/reconciliations`.
pub fn submit_reconciliation() -> Operation {
    jobs::submission(
        TAG,
        "Submit a reconciliation",
        "Queues a run that matches the two datasets one to one. It costs as many credits as there are bank rows, charged only when the \
         run ends verified. Poll `poll_url` until `status` is `completed` or `failed`. The datasets are deleted as soon as the result is \
         stored.",
    )
    .request(named("ReconciliationRequest"), request_example())
    .success(
        202,
        "Queued.",
        named("ReconciliationAccepted"),
        json!({ "reconciliation_id": JOB, "status": "queued", "poll_url": format!("/api/v1/reconciliations/{JOB}") }),
    )
    .error(ErrorCode::InvalidDatasetFormat)
}

/// `GET /api/v1/reconciliations/{id}`.
pub fn poll_reconciliation() -> Operation {
    Operation::new(
        TAG,
        "Poll a reconciliation",
        "Only its owner sees a job. A run that could not be verified is `completed` with `verified` false and no charge: decide by \
         `verification.is_verified`, never by `status` alone.",
    )
    .path("id", "The id of the job.", text(1, 64), JOB.into())
    .success(200, "The state of the job.", named("Reconciliation"), state_example())
    .error(ErrorCode::NotFound)
}

fn request_example() -> Value {
    json!({
        "bank": [
            { "date": "2026-11-03", "amount": -42.5, "description": "CARD 4411 ACME SUPPLIES" },
            { "date": "2026-11-05", "amount": 1200, "description": "FASTER PAYMENT LARKSPUR" }
        ],
        "book": [{ "date": "2026-11-02", "amount": -42.5, "description": "Acme Supplies Ltd" }],
        "options": { "allowedDateDifferenceInDays": 3, "includeMatched": false, "allowOverage": false }
    })
}

fn state_example() -> Value {
    json!({
        "reconciliation_id": JOB,
        "status": "completed",
        "created_at": "2026-11-21T09:30:00Z",
        "completed_at": "2026-11-21T09:30:01Z",
        "credits_charged": 2,
        "result": {
            "summary": {
                "bank_rows": 2, "book_rows": 1, "matched_count": 1, "missing_from_books_count": 1,
                "remove_from_books_count": 0, "verified": true
            },
            "credits_charged": 2,
            "missing_from_books": [{ "date": "2026-11-05", "amount": 1200, "description": "FASTER PAYMENT LARKSPUR" }],
            "remove_from_books": [],
            "verification": {
                "is_verified": true, "expected_net_discrepancy": 1200, "actual_net_effect": 1200,
                "reason": "Verified: 1 pair matched; 1 bank row, 1200.00, not in the books; 0 book rows, 0.00, not at the bank; the difference of 1200.00 agrees."
            }
        }
    })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    vec![
        ("StatementRow", row().into()),
        ("ReconciliationRequest", request().into()),
        ("ReconciliationAccepted", jobs::accepted("reconciliation_id").into()),
        ("ReconciliationFailure", jobs::failure(FAILURES, &["insufficient_credits", "internal_error"]).into()),
        ("ReconciliationResult", result().into()),
        ("Reconciliation", jobs::state("reconciliation_id", "ReconciliationResult", "ReconciliationFailure").into()),
    ]
}

fn row() -> utoipa::openapi::Object {
    let limit = 1e18_f64;
    strict(
        "One line of a statement or of the books.",
        vec![
            required("date", date().pattern(Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))),
            required(
                "amount",
                number()
                    .exclusive_minimum(Some(-limit))
                    .exclusive_maximum(Some(limit))
                    .description(Some("Signed. Echoed with the digits that were sent.")),
            ),
            required("description", text(1, 500).pattern(Some("^[^\\u0000]*$"))),
        ],
    )
}

fn request() -> utoipa::openapi::Object {
    let rows = || array(named("StatementRow")).max_items(Some(250_000)).build();
    let options = strict(
        "How the run shall be made.",
        vec![
            optional("allowedDateDifferenceInDays", integer(0).maximum(Some(30_isize)).default(Some(3.into()))),
            optional("includeMatched", boolean().default(Some(false.into()))),
            optional("allowOverage", boolean().default(Some(false.into()))),
        ],
    );
    strict(
        "Two datasets in the canonical format.",
        vec![required("bank", rows()), required("book", rows()), optional("options", options)],
    )
}

fn result() -> utoipa::openapi::Object {
    let rows = || array(named("StatementRow")).build();
    let summary = object(
        "Counts.",
        vec![
            required("bank_rows", integer(0)),
            required("book_rows", integer(0)),
            required("matched_count", integer(0)),
            required("missing_from_books_count", integer(0)),
            required("remove_from_books_count", integer(0)),
            required("verified", boolean()),
        ],
    );
    let verification = object(
        "Whether the differences explain the balances.",
        vec![
            required("is_verified", boolean()),
            required("expected_net_discrepancy", number().description(Some("Total bank minus total book."))),
            required(
                "actual_net_effect",
                number().description(Some("Missing from the books minus to be removed from them.")),
            ),
            required("reason", string()),
        ],
    );
    let pair = object(
        "A bank row and the book row it is.",
        vec![
            required("bank", named("StatementRow")),
            required("book", named("StatementRow")),
            required("date_difference", number()),
        ],
    );
    let kinds = [
        "group",
        "date_outside_window",
        "digits_transposed",
        "sign_reversed",
        "decimal_point_moved",
        "small_difference",
        "possibly_keyed_twice",
    ];
    let explanation = object(
        "A guess why a row was left over; never a match.",
        vec![
            required("dataset", choice(&["bank", "book"])),
            required("row", integer(0).description(Some("Zero-based index in the submitted dataset."))),
            required("kind", choice(&kinds)),
            optional(
                "other_row",
                integer(0).description(Some("The row it should perhaps go with: of the books; not of a group.")),
            ),
            optional(
                "other_rows",
                array(integer(0))
                    .min_items(Some(2))
                    .max_items(Some(50))
                    .description(Some("Of a group: the rows of the other dataset that add up to the row, ascending."))
                    .build(),
            ),
            optional(
                "difference",
                number().minimum(Some(0.0)).maximum(Some(0.0)).description(Some("Of a group: 0, as the sum is exact.")),
            ),
            required("detail", string()),
        ],
    );
    object(
        "What is left over and whether it adds up.",
        vec![
            required("summary", summary),
            required("credits_charged", integer(0)),
            required("missing_from_books", rows()),
            required("remove_from_books", rows()),
            required("verification", verification),
            optional("matched", array(pair).description(Some("Only when `includeMatched` was true.")).build()),
            optional(
                "explanations",
                array(explanation)
                    .max_items(Some(2_000))
                    .description(Some("At most 1,000 groups, which come first, and 1,000 others."))
                    .build(),
            ),
        ],
    )
}

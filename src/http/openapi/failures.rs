//! The error answers: one envelope, a schema of details per code, headers and examples.

use serde_json::{Value, json};
use utoipa::openapi::header::Header;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ComponentsBuilder, Content, ContentBuilder, Object, Ref};

use super::schema::{Any, Field, array, choice, integer, named, nullable, object, one_of, optional, required, string};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::refusal_reason::RefusalReason;
use crate::http::error::ErrorCode;

const REQUEST_ID: &str = "req_019351b7c8a07a3e9f5c2b1d4e6f8a90";

/// Whether an answer carries the rate-limit headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RateLimited {
    /// It always does.
    Always,
    /// It does when a credential was accepted before the request failed.
    Sometimes,
    /// It never does.
    Never,
}

/// Errors, each with its details where they are known.
pub(super) type Errors = Vec<(ErrorCode, Option<Value>)>;

/// The reason in the details of an error.
pub(super) fn reason_of(details: Option<&Value>) -> Option<&str> {
    details?.get("reason")?.as_str()
}

/// The answer for all codes of one status an operation may give. The codes are sorted, so that equal ones are adjacent.
pub(super) fn response(codes: &[(ErrorCode, Option<Value>)]) -> Response {
    let mut known: Vec<ErrorCode> = codes.iter().map(|(code, _)| *code).collect();
    known.dedup();
    let lines: Vec<String> = known.iter().map(|code| format!("`{}`: {}", code.as_str(), code.meaning())).collect();
    let examples = codes.iter().map(|(code, details)| {
        let times = codes.iter().filter(|(other, _)| other == code).count();
        let reason = reason_of(details.as_ref());
        // An example is named by its code; where a code has several, by the reason.
        let name = reason.filter(|_| times > 1).unwrap_or_else(|| code.as_str());
        let example = utoipa::openapi::example::ExampleBuilder::new()
            .summary(name)
            .value(Some(envelope_example(*code, details.as_ref())))
            .build();
        (name.to_owned(), example)
    });
    let content = ContentBuilder::new().schema(Some(envelope_of(codes))).examples_from_iter(examples).build();
    let has = |wanted: &[ErrorCode]| codes.iter().any(|(code, _)| wanted.contains(code));
    let mut response = with_shared_headers(ResponseBuilder::new().description(lines.join("\n\n")), rate_of(codes))
        .content("application/json", content);
    if has(&[ErrorCode::Unauthorized, ErrorCode::InvalidToken]) {
        response = header(response, "WWW-Authenticate", "WwwAuthenticate");
    }
    if has(&[ErrorCode::RateLimited, ErrorCode::Busy]) {
        response = header(response, "Retry-After", "RetryAfter");
    }
    if has(&[ErrorCode::MethodNotAllowed]) {
        response = header(response, "Allow", "Allow");
    }
    response.build()
}

/// Whether the answers of one status carry the rate-limit headers.
fn rate_of(codes: &[(ErrorCode, Option<Value>)]) -> RateLimited {
    use ErrorCode::{Busy, InternalError, InvalidJson, InvalidToken, PayloadTooLarge, RequestTimeout, Unauthorized};
    let before_credentials = |code: &ErrorCode| matches!(code, InvalidJson | Unauthorized | InvalidToken);
    let before_or_after = |code: &ErrorCode| matches!(code, PayloadTooLarge | RequestTimeout | Busy | InternalError);
    if codes.iter().all(|(code, _)| before_credentials(code)) {
        RateLimited::Never
    } else if codes.iter().any(|(code, _)| before_credentials(code) || before_or_after(code)) {
        RateLimited::Sometimes
    } else {
        RateLimited::Always
    }
}

/// Adds the headers that all answers have: the request identifier and, by `rate`, the rate limit.
pub(super) fn with_shared_headers(response: ResponseBuilder, rate: RateLimited) -> ResponseBuilder {
    let mut response = header(response, "X-Request-Id", "RequestId");
    if rate != RateLimited::Never {
        for name in ["Limit", "Policy", "Remaining", "Reset"] {
            let component = match rate {
                RateLimited::Always => format!("RateLimit{name}"),
                _ => format!("RateLimit{name}WhenAccepted"),
            };
            response = header(response, &format!("RateLimit-{name}"), &component);
        }
    }
    response
}

fn header(response: ResponseBuilder, name: &str, component: &str) -> ResponseBuilder {
    response.header_ref(name, Ref::new(format!("#/components/headers/{component}")))
}

/// A JSON body and its example.
pub(super) fn content(schema: Any, example: Option<Value>) -> Content {
    ContentBuilder::new().schema(Some(schema)).example(example).build()
}

fn envelope_of(codes: &[(ErrorCode, Option<Value>)]) -> Object {
    let mut names: Vec<&str> = codes.iter().map(|(code, _)| code.as_str()).collect();
    names.dedup();
    let mut shapes: Vec<&str> = codes.iter().filter_map(|(code, _)| details_schema(*code)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    let details: Option<Any> = match shapes.as_slice() {
        [] => None,
        [one] => Some(named(one)),
        several => Some(one_of(several.iter().map(|name| named(name)).collect()).into()),
    };
    // A status with one code and known details always has them; where codes differ, they may be absent.
    let always = names.len() == 1 && details.is_some();
    let mut fields = vec![required("code", choice(&names)), required("message", string())];
    fields.extend(details.map(|schema| if always { required("details", schema) } else { optional("details", schema) }));
    envelope(object("What went wrong.", fields).into())
}

fn envelope(error: Any) -> Object {
    object(
        "The one shape of every error.",
        vec![required("error", error), required("request_id", string().description(Some("Equal to X-Request-Id.")))],
    )
}

fn envelope_example(code: ErrorCode, details: Option<&Value>) -> Value {
    let mut error = json!({ "code": code.as_str(), "message": example_message(code) });
    if let (Some(details), Some(entries)) = (details.cloned().or_else(|| example_details(code)), error.as_object_mut())
    {
        entries.insert("details".to_owned(), details);
    }
    json!({ "error": error, "request_id": REQUEST_ID })
}

fn details_schema(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::InvalidJson => Some("InvalidJsonDetails"),
        ErrorCode::ValidationError | ErrorCode::InvalidRequestFormat => Some("IssueDetails"),
        ErrorCode::InvalidDatasetFormat => Some("DatasetErrorDetails"),
        ErrorCode::InsufficientCredits => Some("CreditDetails"),
        ErrorCode::PayloadTooLarge => Some("SizeDetails"),
        ErrorCode::Conflict => Some("ConflictDetails"),
        ErrorCode::UnprocessableEntity => Some("RefusalDetails"),
        ErrorCode::Busy => Some("BusyDetails"),
        _ => None,
    }
}

fn example_details(code: ErrorCode) -> Option<Value> {
    Some(match code {
        ErrorCode::InvalidJson => json!({ "reason": "expected a key at byte 7", "offset": 7 }),
        ErrorCode::ValidationError => json!({
            "issues": [{ "section": "body", "row": null, "field": "name", "path": "name", "message": "must have 1 to 120 characters" }],
            "issue_count": 1
        }),
        ErrorCode::InvalidRequestFormat => json!({
            "issues": [{ "section": "query", "row": null, "field": "limit", "path": "query.limit", "message": "must be an integer from 1 to 200" }],
            "issue_count": 1
        }),
        ErrorCode::InvalidDatasetFormat => json!({
            "errors": [{ "dataset": "bank", "row": 3, "field": "date", "message": "date must be a string YYYY-MM-DD" }],
            "error_count": 1
        }),
        ErrorCode::InsufficientCredits => json!({ "required": 250, "available": 100 }),
        ErrorCode::PayloadTooLarge => json!({ "max_bytes": 26_214_400 }),
        ErrorCode::Conflict => json!({ "reason": "idempotency_in_progress" }),
        ErrorCode::UnprocessableEntity => {
            json!({ "reason": "unknown_reference", "field": "organisation_ids", "id": 7 })
        }
        ErrorCode::Busy => json!({ "reason": "queue_full" }),
        _ => return None,
    })
}

fn example_message(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidJson => "the body is not valid JSON",
        ErrorCode::ValidationError => "the request is not valid",
        ErrorCode::Unauthorized => "a valid API key is required",
        ErrorCode::InvalidToken => "the web-session token is invalid or has expired",
        ErrorCode::InsufficientCredits => "not enough credits",
        ErrorCode::Forbidden => "the key lacks the scope reconcile:write",
        ErrorCode::NotFound => "not found",
        ErrorCode::MethodNotAllowed => "the path does not have this method",
        ErrorCode::RequestTimeout => "the body arrived too slowly",
        ErrorCode::Conflict => "the request conflicts with the current state",
        ErrorCode::PayloadTooLarge => "the body is larger than 26214400 bytes",
        ErrorCode::UnsupportedMediaType => "the body must be application/json",
        ErrorCode::InvalidDatasetFormat => "the datasets do not have the canonical format",
        ErrorCode::InvalidRequestFormat => "the request does not have the required format",
        ErrorCode::UnprocessableEntity => "an organisation is not one you are a member of",
        ErrorCode::RateLimited => "too many requests; wait for the window to end",
        ErrorCode::InternalError => "an unexpected error happened",
        ErrorCode::Busy => "the queue is full",
    }
}

/// The schemas and headers the error answers refer to.
pub(super) fn components(components: ComponentsBuilder) -> ComponentsBuilder {
    let issue = object(
        "One problem of a request.",
        vec![
            required("section", string().description(Some("The array or object: `body`, `query`, `lines`."))),
            required("row", nullable(integer(0))),
            required("field", nullable(string())),
            required("path", string()),
            required("message", string()),
        ],
    );
    let dataset_error = object(
        "One deviation from the canonical format.",
        vec![
            required("dataset", nullable(choice(&["bank", "book", "options"]))),
            required("row", nullable(integer(0).description(Some("Zero-based.")))),
            required("field", nullable(string())),
            required("message", string()),
        ],
    );
    let busy: Vec<&str> = RefusalReason::ALL
        .into_iter()
        .filter(|reason| *reason != RefusalReason::RateLimited)
        .map(RefusalReason::as_str)
        .collect();
    let busy = choice(&busy);
    let list = |name, count, items| -> Vec<Field> {
        vec![required(name, array(named(items)).max_items(Some(100)).build()), required(count, integer(1))]
    };
    let conflict = object(
        "What the request conflicts with. The other keys depend on the reason.",
        vec![required("reason", choice(&Refusal::CONFLICT_REASONS))],
    );
    let refusal = object(
        "Why a well-formed request was refused. The other keys depend on the reason.",
        vec![required("reason", choice(&Refusal::UNPROCESSABLE_REASONS))],
    );
    let invalid_json =
        object("What is wrong and at which byte.", vec![required("reason", string()), required("offset", integer(0))]);
    let credit = object("Credits.", vec![required("required", integer(0)), required("available", integer(0))]);
    let any = object(
        "What went wrong.",
        vec![
            required("code", choice(&ErrorCode::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>())),
            required("message", string()),
            optional("details", object("Depends on the code.", Vec::new())),
        ],
    );
    let components = components
        .schema("Error", envelope(any.into()))
        .schema("Issue", issue)
        .schema(
            "IssueDetails",
            object("All problems, in document order, at most 100 listed.", list("issues", "issue_count", "Issue")),
        )
        .schema("DatasetError", dataset_error)
        .schema(
            "DatasetErrorDetails",
            object(
                "All deviations, in document order, at most 100 listed.",
                list("errors", "error_count", "DatasetError"),
            ),
        )
        .schema("ConflictDetails", conflict)
        .schema("RefusalDetails", refusal)
        .schema("InvalidJsonDetails", invalid_json)
        .schema("CreditDetails", credit)
        .schema("BusyDetails", object("Why the service does not take the request now.", vec![required("reason", busy)]))
        .schema("SizeDetails", object("The limit.", vec![required("max_bytes", integer(1))]))
        .response("MethodNotAllowed", response(&[(ErrorCode::MethodNotAllowed, None)]));
    shared_headers().into_iter().fold(components, |components, (name, header)| components.header(name, header))
}

fn shared_headers() -> Vec<(&'static str, Header)> {
    let make = |schema: Object, description: &str, example: Value| {
        let mut header = Header::new(schema);
        header.description = Some(description.to_owned());
        header.example = Some(example);
        header
    };
    let count = || integer(0).build();
    let accepted = "Only when a credential was accepted. ";
    vec![
        (
            "RequestId",
            make(string().build(), "The id of this request; quote it when something went wrong.", REQUEST_ID.into()),
        ),
        ("RateLimitLimit", make(count(), "Requests per window.", 120.into())),
        ("RateLimitPolicy", make(string().build(), "The limit and the window in seconds.", "120;w=60".into())),
        ("RateLimitRemaining", make(count(), "Requests left in the window.", 119.into())),
        ("RateLimitReset", make(integer(1).build(), "Seconds until the window ends.", 60.into())),
        ("RateLimitLimitWhenAccepted", make(count(), &format!("{accepted}Requests per window."), 120.into())),
        (
            "RateLimitPolicyWhenAccepted",
            make(string().build(), &format!("{accepted}The limit and the window in seconds."), "120;w=60".into()),
        ),
        (
            "RateLimitRemainingWhenAccepted",
            make(count(), &format!("{accepted}Requests left in the window."), 119.into()),
        ),
        (
            "RateLimitResetWhenAccepted",
            make(integer(1).build(), &format!("{accepted}Seconds until the window ends."), 60.into()),
        ),
        ("RetryAfter", make(integer(1).build(), "Seconds to wait before trying again.", 2.into())),
        ("Allow", make(string().build(), "The methods the path has.", "GET, HEAD".into())),
        (
            "WwwAuthenticate",
            make(
                string().build(),
                "The scheme to authenticate with and, where connections by OAuth are offered, where to ask for one.",
                "Bearer".into(),
            ),
        ),
    ]
}

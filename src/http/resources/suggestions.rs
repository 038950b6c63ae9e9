//! Suggestions of the coding engine for lines of statements: asked for, shown with their lines, taken by many at once.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::amount::{self, UNITS_PER_WHOLE};
use crate::domain::books::command::{BooksCommand, SuggestionsConfirmed};
use crate::domain::books::records::engine_suggestion::{
    EngineSuggestion, SuggestedAllocation, SuggestedAlternative, SuggestedConfirmation,
};
use crate::domain::books::request::{CommandResult, LineOutcome};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::suggestions::LINES_MAX;
use crate::http::books::change::{AnswerContext, body_or_path, execute, printed, replayed, require_write_access};
use crate::http::books::suggest::{self, Asked, ReplayScope, Suggesting};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, Exact, Id, Moment, Money, vat_code};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable, number, object};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::submission::idempotency_lock;
use crate::http::wire::books::refused;
use crate::http::wire::books::suggestions::{parse_suggest, parse_taken};

/// `POST …/bank-transactions/suggest`.
pub async fn suggest(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let filter = body_or_path(parse_suggest(&call.body), true)?;
    Query::none(call.query())?;
    let _lock = idempotency_lock(&call).await?;
    let replay = ReplayScope::of(&call, call.path().to_owned())?;
    let asked = Asked { organisation: &access.organisation, filter, lines_max: LINES_MAX, is_lenient: false, replay };
    match suggest::submit(&call, asked).await? {
        Suggesting::Queued(queued) => envelope::data(StatusCode::ACCEPTED, &queued),
        Suggesting::Replayed(stored, true) => replayed(stored),
        Suggesting::Replayed(_, false) => Err(refused(&Refusal::IdempotencyKeyReused)),
    }
}

/// `POST …/bank-transactions/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let taken = body_or_path(parse_taken(&call.body), true)?;
    let (reader, organisation) = (&call.state().reader, access.organisation.id);
    if let Some(id) = taken.bank_account_id
        && reader.bank_account(organisation, id).await?.is_none()
    {
        return Err(refused(&Refusal::UnknownReference { field: "bank_account_id".to_owned(), id }));
    }
    let min_confidence = taken.min_confidence;
    let is_named = taken.lines.is_some();
    let (lines, remaining) = match taken.lines {
        Some(lines) => (lines, 0),
        None => reader.suggested_lines(organisation, taken.bank_account_id, min_confidence, LINES_MAX).await?,
    };
    let bank_account_id = taken.bank_account_id;
    let asked = SuggestionsConfirmed { lines, bank_account_id, min_confidence, remaining, is_named };
    execute(&call, &access, StatusCode::OK, BooksCommand::ConfirmSuggestions(asked), print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::SuggestionsConfirmed(outcome) => {
            let results: Vec<ConfirmedLineJson> =
                outcome.lines.iter().map(|(id, outcome)| ConfirmedLineJson::new(*id, outcome)).collect();
            let count = |status: &str| results.iter().filter(|result| result.status == status).count();
            let (confirmed, refused) = (count(CONFIRMED), count(REFUSED));
            let answer = ConfirmedLinesJson { confirmed, refused, remaining: outcome.remaining, results };
            printed(&answer, dry_run)
        }
        _ => None,
    }
}

const CONFIRMED: &str = "confirmed";
const REFUSED: &str = "refused";
const SKIPPED: &str = "skipped";

/// What the coding engine suggests for a line: the confirm body of its type, with the reasons beside. What the type has no use
/// for is null.
#[derive(Serialize, ToSchema)]
#[schema(as = Suggestion)]
pub struct SuggestionJson<'a> {
    #[schema(schema_with = suggested_type)]
    r#type: &'a str,
    #[schema(required)]
    account_id: Option<Id>,
    #[schema(required)]
    account_code: Option<&'a str>,
    #[schema(schema_with = nullable_vat_code, required)]
    vat_code: Option<&'a str>,
    /// Null: what is suggested goes to one account.
    #[schema(schema_with = no_lines, required)]
    lines: Option<()>,
    #[schema(required)]
    contact_id: Option<Id>,
    /// What a receipt, payment or refund is set against.
    #[schema(required)]
    allocations: Option<Vec<SuggestionAllocationJson>>,
    /// The other side of a transfer.
    #[schema(required)]
    bank_transaction_id: Option<Id>,
    /// Where the other side of a transfer is awaited.
    #[schema(required)]
    bank_account_id: Option<Id>,
    /// The chance that it is right.
    #[schema(schema_with = confidence)]
    confidence: Exact,
    /// How it was decided, as `coding_method` of coding jobs.
    method: &'a str,
    /// One sentence why.
    reason: &'a str,
    /// Other accounts that were considered, best first.
    alternatives: Vec<SuggestionAlternativeJson<'a>>,
    coding_job_id: &'a str,
    suggested_at: Moment,
}

/// What a suggested receipt, payment or refund is set against.
#[derive(Serialize, ToSchema)]
#[schema(as = SuggestionAllocation)]
struct SuggestionAllocationJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    invoice_id: Option<Id>,
    /// Of a refund.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    credit_note_id: Option<Id>,
    amount: Money,
    /// What the customer withheld under CIS beside the cash.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cis_suffered: Option<Money>,
}

/// Another account that was considered.
#[derive(Serialize, ToSchema)]
#[schema(as = SuggestionAlternative)]
struct SuggestionAlternativeJson<'a> {
    account_id: Id,
    account_code: &'a str,
    #[schema(schema_with = vat_code)]
    vat_code: &'a str,
    #[schema(schema_with = confidence)]
    confidence: Exact,
}

/// What became of lines that were to be confirmed as suggested.
#[derive(Serialize, ToSchema)]
#[schema(as = SuggestionsConfirmed, example = confirmed_example)]
pub struct ConfirmedLinesJson {
    #[schema(minimum = 0)]
    confirmed: usize,
    #[schema(minimum = 0)]
    refused: usize,
    /// Lines with a suggestion that are left for another request.
    #[schema(minimum = 0)]
    remaining: i64,
    /// In the order of `transaction_ids`, else by date and identifier.
    results: Vec<ConfirmedLineJson>,
}

/// What became of a line that was to be confirmed as suggested.
#[derive(Serialize, ToSchema)]
#[schema(as = SuggestionConfirmed)]
struct ConfirmedLineJson {
    id: Id,
    #[schema(schema_with = line_status)]
    status: &'static str,
    #[schema(value_type = crate::http::envelope::RelatedId)]
    journal_id: Option<AssignedId>,
    #[schema(required)]
    error: Option<LineErrorJson>,
}

/// Why a line was refused, as it would be refused alone.
#[derive(Serialize, ToSchema)]
#[schema(as = LineError)]
struct LineErrorJson {
    code: &'static str,
    message: String,
    #[schema(value_type = Object)]
    details: Box<RawValue>,
}

fn no_lines() -> Object {
    nullable(object("Reserved.", Vec::new()))
}

fn suggested_type() -> ObjectBuilder {
    choice(&["coded", "customer_receipt", "customer_refund", "supplier_payment", "supplier_refund", "transfer"])
}

fn nullable_vat_code() -> Object {
    nullable(vat_code())
}

fn confidence() -> ObjectBuilder {
    number().minimum(Some(0.0)).maximum(Some(1.0))
}

fn line_status() -> ObjectBuilder {
    choice(&[CONFIRMED, REFUSED, SKIPPED])
}

/// A suggestion as documents show it.
pub fn suggestion_example() -> Value {
    json!({
        "type": "coded", "account_id": 48, "account_code": "7200", "vat_code": "RR", "lines": null, "contact_id": null,
        "allocations": null, "bank_transaction_id": null, "bank_account_id": null, "confidence": 0.94, "method": "history",
        "reason": "coded 14 times to 7200 Light and heat, last 2026-02-10",
        "alternatives": [{ "account_id": 61, "account_code": "7605", "vat_code": "RR", "confidence": 0.03 }],
        "coding_job_id": "cod_019b8a6f41d87c2fb2b0d9e5a3c7714e", "suggested_at": "2026-03-10T12:00:00.000Z"
    })
}

fn confirmed_example() -> Value {
    json!({
        "confirmed": 1, "refused": 1, "remaining": 0,
        "results": [
            { "id": 41, "status": "confirmed", "journal_id": 19, "error": null },
            {
                "id": 42, "status": "refused", "journal_id": null,
                "error": {
                    "code": "unprocessable_entity", "message": "100.00 was to be allocated, 0.00 is available",
                    "details": { "reason": "over_allocated", "available": 0.00, "requested": 100.00 }
                }
            }
        ]
    })
}

impl<'a> From<&'a EngineSuggestion> for SuggestionJson<'a> {
    fn from(suggestion: &'a EngineSuggestion) -> Self {
        let confirmation = &suggestion.confirmation;
        let mut json = Self {
            r#type: confirmation.kind(),
            account_id: None,
            account_code: None,
            vat_code: None,
            lines: None,
            contact_id: None,
            allocations: None,
            bank_transaction_id: None,
            bank_account_id: None,
            confidence: thousandths(suggestion.confidence),
            method: &suggestion.method,
            reason: &suggestion.reason,
            alternatives: suggestion.alternatives.iter().map(SuggestionAlternativeJson::from).collect(),
            coding_job_id: &suggestion.coding_job_id,
            suggested_at: Moment(suggestion.suggested_at_ms),
        };
        match confirmation {
            SuggestedConfirmation::Coded { account_id, account_code, vat_code } => {
                json.account_id = Some(Id(*account_id));
                json.account_code = Some(account_code);
                json.vat_code = Some(vat_code);
            }
            SuggestedConfirmation::Settlement { contact_id, allocations, .. } => {
                let is_refund = confirmation.is_refund();
                json.contact_id = Some(Id(*contact_id));
                json.allocations = Some(allocations.iter().map(|one| allocation(one, is_refund)).collect());
            }
            SuggestedConfirmation::TransferWith(id) => json.bank_transaction_id = Some(Id(*id)),
            SuggestedConfirmation::TransferTo(id) => json.bank_account_id = Some(Id(*id)),
        }
        json
    }
}

fn allocation(one: &SuggestedAllocation, is_refund: bool) -> SuggestionAllocationJson {
    let document = Id(one.document_id);
    SuggestionAllocationJson {
        invoice_id: (!is_refund).then_some(document),
        credit_note_id: is_refund.then_some(document),
        amount: Money(one.amount_pence),
        cis_suffered: Some(Money(one.cis_suffered_pence)).filter(|_| one.cis_suffered_pence != 0),
    }
}

impl<'a> From<&'a SuggestedAlternative> for SuggestionAlternativeJson<'a> {
    fn from(other: &'a SuggestedAlternative) -> Self {
        Self {
            account_id: Id(other.account_id),
            account_code: &other.account_code,
            vat_code: &other.vat_code,
            confidence: thousandths(other.confidence),
        }
    }
}

fn thousandths(confidence: u16) -> Exact {
    Exact::from(amount::plain_decimal(i128::from(confidence) * (UNITS_PER_WHOLE / 1_000)))
}

impl ConfirmedLineJson {
    fn new(id: i64, outcome: &LineOutcome) -> Self {
        let (status, journal_id, refusal) = match outcome {
            LineOutcome::Confirmed(journal) => (CONFIRMED, *journal, None),
            LineOutcome::Refused(refusal) => (REFUSED, None, Some(refusal)),
            LineOutcome::Skipped => (SKIPPED, None, None),
        };
        Self { id: Id(id), status, journal_id: journal_id.map(AssignedId), error: refusal.and_then(line_error) }
    }
}

/// A refusal in the form of the errors.
fn line_error(refusal: &Refusal) -> Option<LineErrorJson> {
    let error = refused(refusal);
    let details = match error.details_text() {
        Some(text) => text.to_owned(),
        None => serde_json::value::to_raw_value(&error.details()).ok()?,
    };
    Some(LineErrorJson { code: error.code().as_str(), message: error.message().to_owned(), details })
}

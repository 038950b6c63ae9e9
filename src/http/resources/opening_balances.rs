//! Opening balances: previewed, and set once.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::Array;

use super::journals::{self, JournalJson};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::opening::{OpeningPreview, OpeningPreviewLine, OpeningSet};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::http::books::change::{AnswerContext, body_or_path, execute, printed, require_write_access};
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{array, named, one_of};
use crate::http::products::Products;
use crate::http::resources::documents::DocumentJson;
use crate::http::wire::books::opening::{OpeningRequest, parse_opening, parse_preview};

/// `POST …/opening-balances/preview`.
pub async fn preview(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let entry = Box::new(body_or_path(parse_preview(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "opn_"));
    execute(&call, &access, StatusCode::OK, BooksCommand::PreviewOpening { entry, preview }, print).await
}

/// `POST …/opening-balances`.
pub async fn set(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let command = match body_or_path(parse_opening(&call.body), true)? {
        OpeningRequest::Entry(entry) => BooksCommand::SetOpening { entry: Some(Box::new(entry)), token_hash: None },
        OpeningRequest::Token(token) => {
            let hash = token::hash(&token);
            let previewed = token::request(&call, &access, &hash).await?;
            // Whether the token is still good is decided with the books; what it was given for was read before.
            let entry = previewed.and_then(|body| parse_preview(body.as_bytes()).ok()).map(Box::new);
            BooksCommand::SetOpening { entry, token_hash: Some(hash) }
        }
    };
    execute(&call, &access, StatusCode::CREATED, command, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::OpeningPreview(preview) => printed(&OpeningPreviewJson::new(preview, dry_run), dry_run),
        CommandResult::Opening(set) => printed(&OpeningSetJson::new(set, context.today), dry_run),
        _ => None,
    }
}

/// What opening balances would do.
#[derive(Serialize, ToSchema)]
#[schema(as = OpeningPreview, example = preview_example)]
pub struct OpeningPreviewJson<'a> {
    /// Sets them as previewed; null in the answer to a dry run.
    #[schema(required)]
    token: Option<&'a str>,
    expires_at: Moment,
    as_of: Date,
    currency: &'static str,
    lines: Vec<OpeningPreviewLineJson<'a>>,
    total_debit: Money,
    total_credit: Money,
    /// Debits less credits.
    difference: Money,
    /// What a person should look at, as days that open documents are due by payment terms because none was given.
    warnings: &'a [String],
    /// Through which day the books will be locked.
    #[schema(required)]
    lock_date: Option<Date>,
}

/// A line of the journal.
#[derive(Serialize, ToSchema)]
#[schema(as = OpeningPreviewLine)]
struct OpeningPreviewLineJson<'a> {
    account_id: AssignedId,
    account_code: &'a str,
    account_name: &'a str,
    #[schema(required)]
    contact_id: Option<Id>,
    debit: Money,
    credit: Money,
}

/// Opening balances.
#[derive(Serialize, ToSchema)]
#[schema(as = OpeningSet, example = set_example)]
pub struct OpeningSetJson<'a> {
    journal: JournalJson<'a>,
    #[schema(schema_with = documents)]
    documents: Vec<DocumentJson<'a>>,
    #[schema(required)]
    lock_date: Option<Date>,
}

fn documents() -> Array {
    let kinds = ["SalesInvoice", "SalesCreditNote", "PurchaseInvoice", "PurchaseCreditNote"];
    array(one_of(kinds.map(named).into())).build()
}

fn preview_example() -> Value {
    let line = |account: i64, code: &str, name: &str, debit: f64, credit: f64| {
        json!({
            "account_id": account, "account_code": code, "account_name": name, "contact_id": null,
            "debit": debit, "credit": credit
        })
    };
    json!({
        "token": "opn_5dqk3zv7mh2xw4cnb6aytr7uee", "expires_at": "2026-04-02T10:30:00.000Z", "as_of": "2026-03-31", "currency": "GBP",
        "lines": [line(12, "1200", "Current account", 5000.00, 0.00), line(30, "3000", "Share capital", 0.00, 5000.00)],
        "total_debit": 5000.00, "total_credit": 5000.00, "difference": 0.00, "warnings": [],
        "lock_date": "2026-03-31"
    })
}

fn set_example() -> Value {
    let mut journal = journals::example();
    if let Some(journal) = journal.as_object_mut() {
        journal.insert("source_type".to_owned(), json!("opening_balance"));
        journal.insert("description".to_owned(), json!("Opening balances"));
    }
    json!({ "journal": journal, "documents": [], "lock_date": "2026-03-31" })
}

impl<'a> OpeningPreviewJson<'a> {
    /// A preview; that of a dry run has no token.
    pub fn new(preview: &'a OpeningPreview, dry_run: bool) -> Self {
        Self {
            token: (!dry_run).then_some(preview.token.as_str()),
            expires_at: Moment(preview.expires_at_ms),
            as_of: preview.as_of,
            currency: CURRENCY,
            lines: preview.lines.iter().map(OpeningPreviewLineJson::from).collect(),
            total_debit: Money(preview.debit_pence),
            total_credit: Money(preview.credit_pence),
            difference: Money(preview.debit_pence - preview.credit_pence),
            warnings: &preview.warnings,
            lock_date: preview.lock_date,
        }
    }
}

impl<'a> From<&'a OpeningPreviewLine> for OpeningPreviewLineJson<'a> {
    fn from(line: &'a OpeningPreviewLine) -> Self {
        Self {
            account_id: AssignedId(line.account_id),
            account_code: &line.account_code,
            account_name: &line.account_name,
            contact_id: line.contact_id.map(Id),
            debit: Money(line.amount_pence.max(0)),
            credit: Money((-line.amount_pence).max(0)),
        }
    }
}

impl<'a> OpeningSetJson<'a> {
    /// Opening balances as they are today.
    pub fn new(set: &'a OpeningSet, today: Date) -> Self {
        Self {
            journal: JournalJson::from(&set.journal),
            documents: set.documents.iter().map(|view| DocumentJson::new(view, today)).collect(),
            lock_date: set.lock_date,
        }
    }
}

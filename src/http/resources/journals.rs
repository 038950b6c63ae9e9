//! Journals: posted, listed, shown, voided by their reversal; never changed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::journal::{JournalFilter, JournalLineView, JournalView};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::journal::SourceType;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, execute_as, member, path_id, printed, published_write_access,
    require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money, RelatedId, vat_code};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::journal::{parse_new, parse_void};

/// `GET …/journals`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let known_source = |word: &str| SourceType::parse(word).map(|source| source.as_str().to_owned());
    let status = |word: &str| match word {
        "posted" => Some(false),
        "void" => Some(true),
        _ => None,
    };
    let filter = JournalFilter {
        source_type: query.word("source_type", &source_rule(), known_source),
        source_id: query.id("source_id"),
        account_id: query.id("account_id"),
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        voided: query.word("status", "posted or void", status),
        search: query.search("search"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let (journals, total) = call.state().reader.journals(organisation.id, &filter, (page.limit, page.offset)).await?;
    let journals: Vec<_> = journals.iter().map(JournalJson::from).collect();
    envelope::page(page, journals, total)
}

fn source_rule() -> String {
    format!("one of {}", SourceType::ALL.map(SourceType::as_str).join(", "))
}

/// `GET …/journals/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.journal(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &JournalJson::from(&found))
}

/// `POST …/journals`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = published_write_access(&call).await?;
    let journal = body_or_path(parse_new(&call.body), true)?;
    execute_as(&call, access, StatusCode::CREATED, (BooksCommand::PostJournal(journal), print)).await
}

/// `POST …/journals/{id}/void`.
pub async fn void(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || call.state().reader.journal(access.organisation.id, id).await?.is_some();
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidJournal { id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Journal(view) => printed(&JournalJson::from(&**view), dry_run),
        _ => None,
    }
}

/// A journal.
#[derive(Serialize, ToSchema)]
#[schema(as = Journal, example = example)]
pub struct JournalJson<'a> {
    id: AssignedId,
    /// Gap-free in its organisation; null in the answer to a dry run.
    journal_number: AssignedId,
    entry_date: Date,
    description: &'a str,
    #[schema(required)]
    reference: Option<&'a str>,
    #[schema(schema_with = status)]
    status: &'static str,
    #[schema(schema_with = source_type)]
    source_type: &'a str,
    #[schema(required)]
    source_id: Option<Id>,
    #[schema(required)]
    reverses_journal_id: Option<Id>,
    #[schema(value_type = RelatedId)]
    reversed_by_journal_id: Option<AssignedId>,
    currency: &'static str,
    total_debit: Money,
    total_credit: Money,
    lines: Vec<JournalLineJson<'a>>,
    created_at: Moment,
    created_by: CreatedByJson<'a>,
    #[schema(minimum = 1)]
    version: i64,
}

/// Who made it, and with which key.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedBy)]
pub struct CreatedByJson<'a> {
    user_id: Id,
    #[schema(required)]
    key_prefix: Option<&'a str>,
}

impl<'a> CreatedByJson<'a> {
    /// A person and the prefix of the key, if there was one.
    pub const fn new(user_id: i64, key_prefix: Option<&'a str>) -> Self {
        Self { user_id: Id(user_id), key_prefix }
    }
}

/// A line of a journal; the side that is not used is 0.00.
#[derive(Serialize, ToSchema)]
#[schema(as = JournalLine)]
struct JournalLineJson<'a> {
    id: AssignedId,
    #[schema(minimum = 1)]
    line_number: i64,
    account_id: Id,
    account_code: &'a str,
    account_name: &'a str,
    debit: Money,
    credit: Money,
    #[schema(required)]
    memo: Option<&'a str>,
    #[schema(schema_with = nullable_vat_code, required)]
    vat_code: Option<&'a str>,
    #[schema(required)]
    vat_amount: Option<Money>,
    #[schema(required)]
    contact_id: Option<Id>,
    /// Whether the service added it.
    system: bool,
}

fn status() -> ObjectBuilder {
    choice(&["posted", "void"])
}

fn source_type() -> ObjectBuilder {
    choice(&SourceType::ALL.map(SourceType::as_str))
}

/// The schema of a VAT code that may be null.
pub fn nullable_vat_code() -> Object {
    nullable(vat_code())
}

/// An example of a journal.
pub fn example() -> Value {
    let line = |number: i64, account: i64, code: &str, name: &str, debit: f64, credit: f64| {
        json!({
            "id": 200 + number, "line_number": number, "account_id": account, "account_code": code, "account_name": name,
            "debit": debit, "credit": credit, "memo": null, "vat_code": if number == 1 { json!("ST") } else { Value::Null },
            "vat_amount": if number == 1 { json!(9.00) } else { Value::Null }, "contact_id": null, "system": number == 2
        })
    };
    json!({
        "id": 40, "journal_number": 12, "entry_date": "2026-03-10", "description": "March phone bill", "reference": null,
        "status": "posted", "source_type": "manual", "source_id": null, "reverses_journal_id": null,
        "reversed_by_journal_id": null, "currency": "GBP", "total_debit": 54.00, "total_credit": 54.00,
        "lines": [
            line(1, 48, "7500", "Telephone and internet", 45.00, 0.00),
            line(2, 13, "2200", "VAT Control", 9.00, 0.00),
            line(3, 19, "2400", "Accruals", 0.00, 54.00)
        ],
        "created_at": "2026-03-10T12:00:00.000Z", "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "version": 1
    })
}

impl<'a> From<&'a JournalView> for JournalJson<'a> {
    fn from(view: &'a JournalView) -> Self {
        Self {
            id: AssignedId(view.id),
            journal_number: AssignedId(view.number),
            entry_date: view.entry_date,
            description: &view.description,
            reference: view.reference.as_deref(),
            status: if view.reversed_by.is_some() { "void" } else { "posted" },
            source_type: &view.source_type,
            source_id: view.source_id.map(Id),
            reverses_journal_id: view.reverses.map(Id),
            reversed_by_journal_id: view.reversed_by.map(AssignedId),
            currency: CURRENCY,
            total_debit: Money(view.total_pence),
            total_credit: Money(view.total_pence),
            lines: view.lines.iter().map(JournalLineJson::from).collect(),
            created_at: Moment(view.created_at_ms),
            created_by: CreatedByJson::new(view.user_id, view.key_prefix.as_deref()),
            version: view.version(),
        }
    }
}

impl<'a> From<&'a JournalLineView> for JournalLineJson<'a> {
    fn from(line: &'a JournalLineView) -> Self {
        Self {
            id: AssignedId(line.id),
            line_number: line.line_number,
            account_id: Id(line.account_id),
            account_code: &line.account_code,
            account_name: &line.account_name,
            debit: Money(line.debit_pence),
            credit: Money(line.credit_pence),
            memo: line.memo.as_deref(),
            vat_code: line.vat_code.as_deref(),
            vat_amount: line.vat_pence.map(Money),
            contact_id: line.contact_id.map(Id),
            system: line.system,
        }
    }
}

//! Write-offs of sales invoices: made, shown and voided; never changed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::write_off::WriteOffView;
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::document::DocumentKind;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money, RelatedId};
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::journals::CreatedByJson;
use crate::http::wire::books::journal::parse_void;
use crate::http::wire::books::write_off::parse_new;

/// `POST …/sales-invoices/{id}/write-off`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let invoice_id = path_id(&call)?;
    let read = parse_new(&call.body);
    let (reader, organisation) = (&call.state().reader, access.organisation.id);
    let is_there =
        read.is_ok() || reader.document(organisation, DocumentKind::SalesInvoice, invoice_id).await?.is_some();
    let entered = body_or_path(read, is_there)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::WriteOff { invoice_id, entered }, print).await
}

/// `GET …/write-offs/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.write_off(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &WriteOffJson::from(&found))
}

/// `POST …/write-offs/{id}/void`.
pub async fn void(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let is_there = read.is_ok() || call.state().reader.write_off(access.organisation.id, id).await?.is_some();
    let request = body_or_path(read, is_there)?;
    let action = BooksCommand::VoidWriteOff { id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::WriteOff(view) => printed(&WriteOffJson::from(&**view), dry_run),
        _ => None,
    }
}

/// A debt of a customer that is written off.
#[derive(Serialize, ToSchema)]
#[schema(as = WriteOff, example = example)]
pub struct WriteOffJson<'a> {
    id: AssignedId,
    /// The sales invoice.
    invoice_id: Id,
    #[schema(required)]
    invoice_number: Option<&'a str>,
    date: Date,
    #[schema(schema_with = status)]
    status: &'static str,
    currency: &'static str,
    /// The debt.
    amount: Money,
    /// The VAT in it. Under cash accounting it is taken off VAT Control, because it was never declared; otherwise it was, and is a
    /// cost until it is claimed back.
    vat_amount: Money,
    /// The account that bears it.
    account_id: Id,
    account_code: &'a str,
    #[schema(value_type = RelatedId)]
    journal_id: Option<AssignedId>,
    #[schema(value_type = Option<BadDebtReliefJson>, required)]
    relief: Option<BadDebtReliefJson>,
    #[schema(value_type = RelatedId)]
    void_journal_id: Option<AssignedId>,
    /// The day from which the invoice is due again.
    #[schema(required)]
    void_date: Option<Date>,
    #[schema(required)]
    void_reason: Option<&'a str>,
    created_at: Moment,
    created_by: CreatedByJson<'a>,
    updated_at: Moment,
    #[schema(minimum = 1)]
    version: i64,
}

/// The VAT that may be claimed back by a VAT adjustment (VAT Notice 700/18). None where the VAT was never declared, and of an
/// opening invoice that does not say its VAT.
#[derive(Serialize, ToSchema)]
#[schema(as = BadDebtRelief)]
struct BadDebtReliefJson {
    vat_amount: Money,
    /// The first day on which it may be claimed: six months after the due date or, if that is later, the invoice date.
    from: Date,
}

fn status() -> ObjectBuilder {
    choice(&["posted", "void"])
}

fn example() -> Value {
    json!({
        "id": 3, "invoice_id": 31, "invoice_number": "INV-0103", "date": "2026-03-31", "status": "posted", "currency": "GBP",
        "amount": 240.00, "vat_amount": 40.00, "account_id": 61, "account_code": "8100", "journal_id": 44,
        "relief": { "vat_amount": 40.00, "from": "2026-05-14" }, "void_journal_id": null, "void_date": null,
        "void_reason": null, "created_at": "2026-04-02T12:00:00.000Z",
        "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "updated_at": "2026-04-02T12:00:00.000Z",
        "version": 1
    })
}

impl<'a> From<&'a WriteOffView> for WriteOffJson<'a> {
    fn from(view: &'a WriteOffView) -> Self {
        let row = &view.row;
        Self {
            id: AssignedId(row.id),
            invoice_id: Id(row.invoice_id),
            invoice_number: view.invoice_number.as_deref(),
            date: row.date,
            status: row.status(),
            currency: CURRENCY,
            amount: Money(row.amount_pence),
            vat_amount: Money(row.vat_pence),
            account_id: Id(row.account_id),
            account_code: &view.account_code,
            journal_id: Some(AssignedId(row.journal_id)),
            relief: row.relief.map(|relief| BadDebtReliefJson { vat_amount: relief.vat.into(), from: relief.from }),
            void_journal_id: row.void_journal_id.map(AssignedId),
            void_date: row.void_date,
            void_reason: row.void_reason.as_deref(),
            created_at: Moment(row.created_at_ms),
            created_by: CreatedByJson::new(row.user_id, row.key_prefix.as_deref()),
            updated_at: Moment(row.updated_at_ms),
            version: row.version,
        }
    }
}

//! Adjustments of the VAT return: made, listed, shown and voided; never changed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::{SchemaType, Type};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::vat_adjustment::{VatAdjustmentFilter, VatAdjustmentView};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, VatBox};
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, execute_as, member, path_id, printed, published_write_access,
    require_write_access,
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
use crate::http::wire::books::vat_adjustment::parse_new;

/// `GET …/vat-adjustments`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let status = |word: &str| match word {
        "posted" => Some(false),
        "void" => Some(true),
        _ => None,
    };
    let filter = VatAdjustmentFilter {
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        voided: query.word("status", "posted or void", status),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (adjustments, total) = reader.vat_adjustments(organisation.id, &filter, (page.limit, page.offset)).await?;
    let adjustments: Vec<_> = adjustments.iter().map(VatAdjustmentJson::from).collect();
    envelope::page(page, adjustments, total)
}

/// `GET …/vat-adjustments/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.vat_adjustment(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &VatAdjustmentJson::from(&found))
}

/// `POST …/vat-adjustments`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = published_write_access(&call).await?;
    let entered = body_or_path(parse_new(&call.body), true)?;
    execute_as(&call, access, StatusCode::CREATED, (BooksCommand::CreateVatAdjustment(entered), print)).await
}

/// `POST …/vat-adjustments/{id}/void`.
pub async fn void(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || call.state().reader.vat_adjustment(access.organisation.id, id).await?.is_some();
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidVatAdjustment { id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::VatAdjustment(view) => printed(&VatAdjustmentJson::from(&**view), dry_run),
        _ => None,
    }
}

/// An adjustment of the VAT return.
#[derive(Serialize, ToSchema)]
#[schema(as = VatAdjustment, example = example)]
pub struct VatAdjustmentJson<'a> {
    id: AssignedId,
    /// The day it counts in the return.
    date: Date,
    #[schema(schema_with = reason)]
    reason: &'static str,
    description: &'a str,
    #[schema(schema_with = status)]
    status: &'static str,
    currency: &'static str,
    entries: Vec<BoxEntryJson>,
    /// The account that bears the VAT; null where boxes 1, 2 and 4 cancel.
    #[schema(required)]
    account_id: Option<Id>,
    #[schema(required)]
    account_code: Option<&'a str>,
    /// Null where boxes 1, 2 and 4 cancel, so that nothing is posted.
    #[schema(value_type = RelatedId)]
    journal_id: Option<AssignedId>,
    #[schema(value_type = RelatedId)]
    void_journal_id: Option<AssignedId>,
    /// The day from which it is undone in the return.
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

/// What an adjustment adds to a box.
#[derive(Serialize, ToSchema)]
#[schema(as = VatAdjustmentEntry)]
struct BoxEntryJson {
    #[serde(rename = "box")]
    #[schema(schema_with = box_number)]
    number: i64,
    /// Negative when it is taken off.
    amount: Money,
}

fn status() -> ObjectBuilder {
    choice(&["posted", "void"])
}

/// The schema of the reason of an adjustment.
pub fn reason() -> ObjectBuilder {
    choice(&AdjustmentReason::ALL.map(AdjustmentReason::as_str))
}

/// The schema of the number of a box.
pub fn box_number() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::new(Type::Integer)).enum_values(Some(VatBox::ALL.map(VatBox::number)))
}

fn example() -> Value {
    json!({
        "id": 2, "date": "2026-03-31", "reason": "fuel_scale_charge", "description": "Scale charge, one car, 180 g/km",
        "status": "posted", "currency": "GBP",
        "entries": [{ "box": 1, "amount": 61.17 }, { "box": 6, "amount": 305.83 }],
        "account_id": 52, "account_code": "7400", "journal_id": 41, "void_journal_id": null, "void_date": null,
        "void_reason": null, "created_at": "2026-04-02T12:00:00.000Z",
        "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "updated_at": "2026-04-02T12:00:00.000Z",
        "version": 1
    })
}

impl<'a> From<&'a VatAdjustmentView> for VatAdjustmentJson<'a> {
    fn from(view: &'a VatAdjustmentView) -> Self {
        let row = &view.row;
        Self {
            id: AssignedId(row.id),
            date: row.date,
            reason: row.reason.as_str(),
            description: &row.description,
            status: row.status(),
            currency: CURRENCY,
            entries: row.entries.iter().map(BoxEntryJson::from).collect(),
            account_id: row.account_id.map(Id),
            account_code: view.account_code.as_deref(),
            journal_id: row.journal_id.map(AssignedId),
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

impl From<&BoxEntry> for BoxEntryJson {
    fn from(entry: &BoxEntry) -> Self {
        Self { number: entry.vat_box.number(), amount: Money(entry.amount.0) }
    }
}

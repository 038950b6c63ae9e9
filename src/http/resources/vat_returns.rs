//! Recorded VAT returns: recorded, listed, shown and taken back; never changed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::vat_return::VatPeriods;
use crate::domain::reports::vat_return::{VatReturnDetail, direction};
use crate::domain::reports::vat_return_lines::{
    VatReturnAdjustment, VatReturnEntry, VatReturnLate, VatReturnSubmission,
};
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, printed_deleted, require_administrator_access,
    require_owner_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Moment, Money};
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::journals::CreatedByJson;
use crate::http::wire::books::vat_return::parse_new;

/// `GET …/vat-returns`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let page = query.page(call.query());
    query.finish()?;
    let (returns, total) = call.state().reader.vat_returns(organisation.id, (page.limit, page.offset)).await?;
    let returns: Vec<_> = returns.iter().map(|row| VatReturnJson::new(row, None)).collect();
    envelope::page(page, returns, Some(total))
}

/// `GET …/vat-returns/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let found = reader.vat_return(organisation.id, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    let mut query = Query::new(call.query());
    let has_detail = query.flag("detail");
    query.finish()?;
    let detail = if has_detail { Some(reader.vat_return_detail(organisation.id, &found).await?) } else { None };
    envelope::data(StatusCode::OK, &VatReturnJson::new(&found, detail.as_ref()))
}

/// `POST …/vat-returns`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_administrator_access(&call).await?;
    let input = body_or_path(parse_new(&call.body), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::RecordVatReturn(input), print).await
}

/// `DELETE …/vat-returns/{id}`.
pub async fn delete(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_owner_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteVatReturn { id }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::VatReturn(row) => printed(&VatReturnJson::new(row, None), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

/// A VAT return as it was recorded. What comes into its period later does not change it.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordedVatReturn, example = example)]
pub struct VatReturnJson<'a> {
    id: AssignedId,
    period_start: Date,
    period_end: Date,
    /// When the return and the payment are due.
    due_date: Date,
    /// The scheme at the end of the period: `standard`, `cash` or `flat_rate`.
    scheme: &'a str,
    currency: &'static str,
    box1: Money,
    box2: Money,
    box3: Money,
    box4: Money,
    box5: Money,
    box6: Money,
    box7: Money,
    box8: Money,
    box9: Money,
    /// Box 3 less box 4.
    net_vat: Money,
    /// `payable`, `reclaimable` or `nil`.
    direction: &'static str,
    /// How many entries and movements of adjustments the boxes were made of.
    count: i64,
    /// What had come into earlier recorded returns by then.
    late: VatReturnLate,
    hmrc: VatReturnSubmission,
    #[schema(required)]
    filed_on: Option<Date>,
    /// What HMRC answered.
    #[schema(required)]
    hmrc_receipt: Option<&'a str>,
    /// The position of its entry in the history: the figures are of what came before, and what came into its period later is in
    /// the changes after it.
    cursor: i64,
    created_at: Moment,
    created_by: CreatedByJson<'a>,
    /// The adjustments that were declared; only with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    adjustments: Option<Vec<VatReturnAdjustment>>,
    /// The entries that were declared; only with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    entries: Option<Vec<VatReturnEntry>>,
}

impl<'a> VatReturnJson<'a> {
    fn new(row: &'a VatReturnRecord, detail: Option<&VatReturnDetail>) -> Self {
        let boxes = &row.figures.own.boxes;
        Self {
            id: AssignedId(row.id),
            period_start: row.period.first,
            period_end: row.period.last,
            due_date: VatPeriods::due_date(row.period.last),
            scheme: &row.scheme,
            currency: CURRENCY,
            box1: boxes.box1.into(),
            box2: boxes.box2.into(),
            box3: boxes.box3().into(),
            box4: boxes.box4.into(),
            box5: boxes.net().abs().into(),
            box6: boxes.box6.into(),
            box7: boxes.box7.into(),
            box8: boxes.box8.into(),
            box9: boxes.box9.into(),
            net_vat: boxes.net().into(),
            direction: direction(boxes.net()),
            count: row.figures.own.count,
            late: VatReturnLate::of(&row.figures.late, row.figures.method),
            hmrc: VatReturnSubmission::from(&row.figures),
            filed_on: row.filed_on,
            hmrc_receipt: row.hmrc_receipt.as_deref(),
            cursor: row.cursor,
            created_at: Moment(row.created_at_ms),
            created_by: CreatedByJson::new(row.user_id, row.key_prefix.as_deref()),
            adjustments: detail.map(|detail| detail.adjustments.iter().map(VatReturnAdjustment::from).collect()),
            entries: detail.map(|detail| detail.entries.iter().map(VatReturnEntry::from).collect()),
        }
    }
}

fn example() -> Value {
    json!({
        "id": 3, "period_start": "2025-10-01", "period_end": "2025-12-31", "due_date": "2026-02-07", "scheme": "standard",
        "currency": "GBP", "box1": 199.20, "box2": 0.00, "box3": 199.20, "box4": 369.12, "box5": 169.92, "box6": 3835.83,
        "box7": 1845.60, "box8": 0.00, "box9": 0.00, "net_vat": -169.92, "direction": "reclaimable", "count": 9,
        "late": {
            "box1": 20.00, "box2": 0.00, "box4": 0.00, "box6": 100.00, "box7": 0.00, "box8": 0.00, "box9": 0.00,
            "net_vat": 20.00, "method": "next_return", "count": 1
        },
        "hmrc": {
            "vatDueSales": 219.20, "vatDueAcquisitions": 0.00, "totalVatDue": 219.20, "vatReclaimedCurrPeriod": 369.12,
            "netVatDue": 149.92, "totalValueSalesExVAT": 3935, "totalValuePurchasesExVAT": 1845,
            "totalValueGoodsSuppliedExVAT": 0, "totalAcquisitionsExVAT": 0
        },
        "filed_on": "2026-01-20", "hmrc_receipt": "256660290587", "cursor": 318, "created_at": "2026-01-20T12:00:00.000Z",
        "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "adjustments": [], "entries": []
    })
}

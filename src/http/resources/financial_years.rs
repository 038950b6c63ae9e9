//! Financial years: listed, closed and reopened.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::financial_year::FinancialYearView;
use crate::domain::books::request::CommandResult;
use crate::domain::date::{Date, date_in};
use crate::domain::problem::Issues;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, printed, require_administrator_access, require_owner_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Money, RelatedId};
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::read::strict_list;
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};

/// Accounts that one closing transfers.
pub const TRANSFERS_MAX: u64 = 100;

/// `GET …/financial-years`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let years = call.state().reader.list_financial_years(&organisation, today).await?;
    envelope::list(years.iter().map(FinancialYearJson::from).collect())
}

/// `POST …/financial-years/{end}/close`.
pub async fn close(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_administrator_access(&call).await?;
    let last = path_end(&call)?;
    let read = parse_close(&call.body);
    let reader = &call.state().reader;
    let is_year_end = read.is_ok() || reader.financial_years(access.organisation.id).await?.year_of(last).last == last;
    let transfers = body_or_path(read, is_year_end)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::CloseYear { last, transfers }, print).await
}

/// `POST …/financial-years/{end}/reopen`.
pub async fn reopen(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_owner_access(&call).await?;
    let last = path_end(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ReopenYear { last }, print).await
}

/// The last day of a year in the path; a text that is no date names no year.
fn path_end(call: &Call<Products>) -> Result<Date, ApiError> {
    Date::parse(call.parameter("end")).ok_or_else(ApiError::not_found)
}

/// Reads the body that closes a year; there need not be one.
fn parse_close(text: &[u8]) -> Result<Vec<i64>, Issues> {
    const NAMES: [&str; 1] = ["transfer_account_ids"];
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut transfers = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, _| {
        transfers = strict_list(reader, "transfer_account_ids", 0..=TRANSFERS_MAX, |reader, path| reader.id(path))?;
        Ok(())
    });
    reader.finish(read)?;
    Ok(transfers)
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::FinancialYear(view) => printed(&FinancialYearJson::from(&**view), dry_run),
        _ => None,
    }
}

/// A financial year.
#[derive(Serialize, ToSchema)]
#[schema(as = FinancialYear, example = example)]
pub struct FinancialYearJson {
    /// Its first day.
    start: Date,
    /// Its last day.
    end: Date,
    #[schema(schema_with = status)]
    status: &'static str,
    currency: &'static str,
    /// Its profit, that of the profit and loss account from `start` to `end`.
    net_profit: Money,
    /// What is retained at its end, its own profit among it, less what its closing transferred from other accounts.
    retained_earnings: Money,
    /// The journal that closed it; null where there was nothing to close.
    #[schema(value_type = RelatedId)]
    journal_id: Option<AssignedId>,
}

fn status() -> ObjectBuilder {
    choice(&["open", "closed"])
}

fn example() -> Value {
    json!({
        "start": "2023-04-01", "end": "2024-03-31", "status": "closed", "currency": "GBP", "net_profit": 6087.50,
        "retained_earnings": 12987.50, "journal_id": 214
    })
}

impl From<&FinancialYearView> for FinancialYearJson {
    fn from(view: &FinancialYearView) -> Self {
        Self {
            start: view.year.first,
            end: view.year.last,
            status: if view.is_closed { "closed" } else { "open" },
            currency: CURRENCY,
            net_profit: view.net_profit.into(),
            retained_earnings: view.retained_earnings.into(),
            journal_id: view.journal_id.map(AssignedId),
        }
    }
}

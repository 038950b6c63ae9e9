//! Accounts, the tax codes, and the general ledger of an account.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::change::{body_or_path, carry_out, keeper, path_id};
use super::organisations::member;
use super::query::Query;
use crate::domain::ledger::account::AccountType;
use crate::domain::ledger::vat::VatCode;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::wire::books::account::{AccountJson, HistoryJson, TYPES, parse_new, parse_patch};
use crate::store::{AccountFilter, Action};

/// `GET …/tax-codes`.
pub async fn tax_codes(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let codes = VatCode::ALL.map(|code| {
        let fraction = (code != VatCode::NoVat).then(|| json!(f64_of(code.percent())));
        json!({ "code": code.code(), "name": code.name(), "rate": code.percent(), "rate_fraction": fraction })
    });
    let body = json!({
        "data": codes,
        "vat_registered": organisation.vat_registered,
        "vat_scheme": organisation.vat_scheme,
    });
    envelope::json(StatusCode::OK, &body)
}

/// A percentage as a fraction, as a JSON number that prints exactly.
fn f64_of(percent: i64) -> serde_json::Value {
    let text = rust_decimal::Decimal::new(percent, 2).normalize().to_string();
    serde_json::from_str(&text).unwrap_or_default()
}

/// `GET …/accounts`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let filter = AccountFilter {
        account_type: query.word("account_type", TYPES, AccountType::parse),
        role: query.text("role", 50),
        include_archived: query.flag("include_archived"),
    };
    let since_ms = query.moment("updated_since");
    query.finish()?;
    let accounts = call.state().reader.accounts(organisation.id, &filter).await?;
    let changed = accounts.iter().filter(|account| since_ms.is_none_or(|since| account.row.updated_at_ms >= since));
    let accounts: Vec<_> = changed.map(AccountJson::from).collect();
    envelope::data(StatusCode::OK, &accounts)
}

/// `GET …/accounts/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.account(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &AccountJson::from(&found))
}

/// `GET …/accounts/{id}/transactions`: the general ledger.
pub async fn transactions(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    #[derive(Serialize)]
    struct Pagination {
        limit: u64,
        offset: u64,
        count: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    }
    #[derive(Serialize)]
    struct Answer<'a> {
        data: HistoryJson<'a>,
        pagination: Pagination,
    }
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let account = reader.account(organisation.id, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    let mut query = Query::new(call.query());
    let (from, to) = (query.day("date_from"), query.day("date_to"));
    query.in_order(from, to);
    let page = query.page(call.query());
    query.finish()?;
    let history = reader.account_history(account.row.id, from, to, (page.limit, page.offset)).await?;
    let data = HistoryJson::new(account.row.account_type, &history);
    let pagination = Pagination { limit: page.limit, offset: page.offset, count: data.len(), total: history.total };
    envelope::json(StatusCode::OK, &Answer { data, pagination })
}

/// `POST …/accounts`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let new = body_or_path(parse_new(&call.body), true)?;
    carry_out(&call, &keeper, StatusCode::CREATED, Action::CreateAccount(new)).await
}

/// `PATCH …/accounts/{id}`.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body);
    let exists = read.is_ok() || call.state().reader.account(keeper.organisation.id, id).await?.is_some();
    let (code, name) = body_or_path(read, exists)?;
    carry_out(&call, &keeper, StatusCode::OK, Action::PatchAccount { id, code, name }).await
}

/// `POST …/accounts/{id}/archive`.
pub async fn archive(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_archived(call, true).await
}

/// `POST …/accounts/{id}/unarchive`.
pub async fn unarchive(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_archived(call, false).await
}

async fn set_archived(call: Call<Products>, archived: bool) -> Result<HttpResponse, ApiError> {
    let keeper = keeper(&call).await?;
    let id = path_id(&call)?;
    carry_out(&call, &keeper, StatusCode::OK, Action::ArchiveAccount { id, archived }).await
}

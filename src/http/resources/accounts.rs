//! Accounts, the tax codes, and the general ledger of an account.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::account::{AccountFilter, AccountView};
use crate::domain::books::records::journal::AccountHistory;
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::chart::AccountType;
use crate::domain::ledger::vat::VatCode;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Exact, Id, Moment, Money, Pagination, vat_code};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::account::{TYPES, parse_new, parse_patch};

/// `GET …/tax-codes`.
pub async fn tax_codes(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    Query::none(call.query())?;
    let answer = TaxCodesJson {
        data: VatCode::ALL.map(TaxCodeJson::from).into(),
        vat_registered: organisation.vat_registered,
        vat_scheme: organisation.vat_scheme.as_deref(),
    };
    envelope::json(StatusCode::OK, &answer)
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
    envelope::list(changed.map(AccountJson::from).collect())
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
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let account = reader.account(organisation.id, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    let mut query = Query::new(call.query());
    let (from, to) = (query.date("date_from"), query.date("date_to"));
    query.in_order(from, to);
    let page = query.page(call.query());
    query.finish()?;
    let history = reader.account_history(organisation.id, &account.row, (from, to), (page.limit, page.offset)).await?;
    let data = AccountHistoryJson::new(account.row.account_type, &history);
    let pagination = Pagination::new(page, data.lines.len(), history.total);
    envelope::json(StatusCode::OK, &AccountTransactionsJson { data, pagination })
}

/// `POST …/accounts`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let new = body_or_path(parse_new(&call.body), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::CreateAccount(new), print).await
}

/// `PATCH …/accounts/{id}`.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body);
    let exists = read.is_ok() || call.state().reader.account(access.organisation.id, id).await?.is_some();
    let (code, name) = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchAccount { id, code, name }, print).await
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
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ArchiveAccount { id, archived }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Account(view) => printed(&AccountJson::from(&**view), dry_run),
        _ => None,
    }
}

/// The VAT codes.
#[derive(Serialize, ToSchema)]
#[schema(as = TaxCodeList, example = tax_codes_example)]
pub struct TaxCodesJson<'a> {
    data: Vec<TaxCodeJson>,
    vat_registered: bool,
    #[schema(schema_with = vat_scheme, required)]
    vat_scheme: Option<&'a str>,
}

/// A VAT code.
#[derive(Serialize, ToSchema)]
#[schema(as = TaxCode)]
struct TaxCodeJson {
    #[schema(schema_with = vat_code)]
    code: &'static str,
    name: &'static str,
    /// Percent.
    rate: i64,
    #[schema(required)]
    rate_fraction: Option<Exact>,
}

fn tax_codes_example() -> Value {
    json!({
        "data": [
            { "code": "ST", "name": "Standard rate", "rate": 20, "rate_fraction": 0.2 },
            { "code": "NV", "name": "No VAT", "rate": 0, "rate_fraction": null }
        ],
        "vat_registered": true, "vat_scheme": "standard"
    })
}

/// The schema of the VAT scheme of an organisation.
pub fn vat_scheme() -> Object {
    nullable(choice(&["standard", "cash", "flat_rate"]))
}

impl From<VatCode> for TaxCodeJson {
    fn from(code: VatCode) -> Self {
        let rate = code.percent();
        let fraction = (code != VatCode::NoVat).then(|| Decimal::new(rate, 2).normalize());
        Self { code: code.code(), name: code.name(), rate, rate_fraction: fraction.map(Exact::from) }
    }
}

/// An account of the chart.
#[derive(Serialize, ToSchema)]
#[schema(as = Account, example = example)]
pub struct AccountJson<'a> {
    id: AssignedId,
    #[schema(min_length = 1, max_length = 20)]
    code: &'a str,
    #[schema(min_length = 1, max_length = 255)]
    name: &'a str,
    #[schema(schema_with = account_type)]
    account_type: &'static str,
    #[schema(required)]
    role: Option<&'a str>,
    #[schema(schema_with = normal_balance)]
    normal_balance: &'static str,
    is_archived: bool,
    #[schema(required)]
    archived_at: Option<Moment>,
    #[schema(required)]
    bank_account_id: Option<Id>,
    balance: Money,
    currency: &'static str,
    has_postings: bool,
    created_at: Moment,
    updated_at: Moment,
    #[schema(minimum = 1)]
    version: i64,
}

/// The schema of an account's type.
pub fn account_type() -> ObjectBuilder {
    choice(&AccountType::ALL.map(AccountType::as_str))
}

fn normal_balance() -> ObjectBuilder {
    choice(&["debit", "credit"])
}

/// A part of an account's history.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountTransactions)]
pub struct AccountTransactionsJson<'a> {
    data: AccountHistoryJson<'a>,
    pagination: Pagination,
}

/// What was posted to an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountHistory, example = history_example)]
struct AccountHistoryJson<'a> {
    currency: &'static str,
    opening_balance: Money,
    lines: Vec<AccountHistoryLineJson<'a>>,
    closing_balance: Money,
}

/// A line of the general ledger.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountHistoryLine)]
struct AccountHistoryLineJson<'a> {
    date: Date,
    /// Null where the line is the profit of an earlier financial year, in the ledger of retained earnings.
    #[schema(required)]
    journal_id: Option<Id>,
    /// Null with `journal_id`.
    #[schema(required, minimum = 1)]
    journal_number: Option<i64>,
    /// What made the journal; `financial_year` of the profit of an earlier financial year.
    source_type: &'a str,
    /// The document or settlement behind the journal.
    #[schema(required)]
    source_id: Option<Id>,
    /// Its number.
    #[schema(required)]
    document_number: Option<&'a str>,
    /// The customer or supplier of the line.
    #[schema(required)]
    contact_id: Option<Id>,
    description: &'a str,
    debit: Money,
    credit: Money,
    balance: Money,
}

fn example() -> Value {
    json!({
        "id": 12, "code": "7500", "name": "Telephone and internet", "account_type": "EXPENSE", "role": null,
        "normal_balance": "debit", "is_archived": false, "archived_at": null, "bank_account_id": null,
        "balance": 45.00, "currency": "GBP", "has_postings": true,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    })
}

impl<'a> From<&'a AccountView> for AccountJson<'a> {
    fn from(view: &'a AccountView) -> Self {
        let row = &view.row;
        Self {
            id: AssignedId(row.id),
            code: &row.code,
            name: &row.name,
            account_type: row.account_type.as_str(),
            role: row.role.as_deref(),
            normal_balance: row.account_type.normal_balance(),
            is_archived: row.archived_at_ms.is_some(),
            archived_at: row.archived_at_ms.map(Moment),
            bank_account_id: view.bank_account_id.map(Id),
            balance: Money(in_direction(row.account_type, view.balance_pence)),
            currency: CURRENCY,
            has_postings: view.has_postings,
            created_at: Moment(row.created_at_ms),
            updated_at: Moment(row.updated_at_ms),
            version: row.version,
        }
    }
}

/// Debits less credits, in the direction in which the account grows.
const fn in_direction(account_type: AccountType, pence: i64) -> i64 {
    if account_type.is_debit() { pence } else { -pence }
}

fn history_example() -> Value {
    json!({
        "currency": "GBP", "opening_balance": 0.00,
        "lines": [{
            "date": "2026-03-10", "journal_id": 40, "journal_number": 12, "source_type": "purchase_invoice",
            "source_id": 31, "document_number": "BILL-00007", "contact_id": 12, "description": "March rent",
            "debit": 1200.00, "credit": 0.00, "balance": 1200.00
        }],
        "closing_balance": 1200.00
    })
}

impl<'a> AccountHistoryJson<'a> {
    /// The history of an account of this type.
    pub fn new(account_type: AccountType, history: &'a AccountHistory) -> Self {
        let mut balance = history.carried_pence;
        let lines = history.lines.iter().map(|line| {
            balance += line.debit_pence - line.credit_pence;
            AccountHistoryLineJson {
                date: line.entry_date,
                journal_id: line.journal.map(|(id, _)| Id(id)),
                journal_number: line.journal.map(|(_, number)| number),
                source_type: &line.source_type,
                source_id: line.source_id.map(Id),
                document_number: line.document_number.as_deref(),
                contact_id: line.contact_id.map(Id),
                description: &line.description,
                debit: Money(line.debit_pence),
                credit: Money(line.credit_pence),
                balance: Money(in_direction(account_type, balance)),
            }
        });
        Self {
            currency: CURRENCY,
            lines: lines.collect(),
            opening_balance: Money(in_direction(account_type, history.opening_pence)),
            closing_balance: Money(in_direction(account_type, history.closing_pence)),
        }
    }
}

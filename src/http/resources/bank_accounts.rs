//! Bank accounts: each over an account of the chart, with the balances of the books and of the statement.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::bank::BankAccountType;
use crate::domain::ledger::refusal::Refusal;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Moment, Money};
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::bank_account::{parse_account_patch, parse_new_account};
use crate::http::wire::books::refused;

/// `GET …/bank-accounts`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let include_archived = query.flag("include_archived");
    let since_ms = query.moment("updated_since");
    query.finish()?;
    let accounts = call.state().reader.bank_accounts(organisation.id, include_archived).await?;
    let changed = accounts.iter().filter(|account| since_ms.is_none_or(|since| account.row.updated_at_ms >= since));
    envelope::list(changed.map(BankAccountJson::from).collect())
}

/// `GET …/bank-accounts/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.bank_account(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &BankAccountJson::from(&found))
}

/// `POST …/bank-accounts`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let new = body_or_path(parse_new_account(&call.body), true)?;
    if let Some(currency) = new.currency.filter(|currency| currency != CURRENCY) {
        return Err(refused(&Refusal::CurrencyNotSupported { currency }));
    }
    let command = BooksCommand::CreateBankAccount { kind: new.kind, account: new.account, fields: new.fields };
    execute(&call, &access, StatusCode::CREATED, command, print).await
}

/// `PATCH …/bank-accounts/{id}`.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_account_patch(&call.body);
    let exists = read.is_ok() || call.state().reader.bank_account(access.organisation.id, id).await?.is_some();
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchBankAccount { id, fields }, print).await
}

/// `POST …/bank-accounts/{id}/archive`.
pub async fn archive(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ArchiveBankAccount { id }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::BankAccount(view) => printed(&BankAccountJson::from(&**view), dry_run),
        _ => None,
    }
}

/// A bank account.
#[derive(Serialize, ToSchema)]
#[schema(as = BankAccount, example = example)]
pub struct BankAccountJson<'a> {
    id: AssignedId,
    name: &'a str,
    #[schema(schema_with = bank_account_type)]
    r#type: &'static str,
    /// The account of the chart that carries its balance.
    account_id: AssignedId,
    account_code: &'a str,
    #[schema(required)]
    bank_name: Option<&'a str>,
    #[schema(required)]
    sort_code: Option<&'a str>,
    #[schema(required)]
    account_number: Option<&'a str>,
    #[schema(required)]
    iban: Option<&'a str>,
    currency: &'static str,
    ledger_balance: Money,
    /// The opening balance and every line that is not excluded.
    statement_balance: Money,
    opening_balance: Money,
    #[schema(minimum = 0)]
    unconfirmed_count: i64,
    unconfirmed_total: Money,
    #[schema(required)]
    last_transaction_date: Option<Date>,
    #[schema(required)]
    last_imported_at: Option<Moment>,
    is_archived: bool,
    #[schema(required)]
    archived_at: Option<Moment>,
    created_at: Moment,
    updated_at: Moment,
    #[schema(minimum = 1)]
    version: i64,
}

/// The schema of a kind of bank account.
pub fn bank_account_type() -> ObjectBuilder {
    choice(&BankAccountType::ALL.map(BankAccountType::as_str))
}

fn example() -> Value {
    json!({
        "id": 2, "name": "Current account", "type": "current", "account_id": 9, "account_code": "1200", "bank_name": "Starling",
        "sort_code": "12-34-56", "account_number": "12345678", "iban": null, "currency": "GBP", "ledger_balance": 1200.00,
        "statement_balance": 1115.63, "opening_balance": 0.00, "unconfirmed_count": 1, "unconfirmed_total": -84.37,
        "last_transaction_date": "2026-03-10", "last_imported_at": "2026-03-10T12:00:00.000Z", "is_archived": false,
        "archived_at": null, "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    })
}

impl<'a> From<&'a BankAccountView> for BankAccountJson<'a> {
    fn from(view: &'a BankAccountView) -> Self {
        let row = &view.row;
        Self {
            id: AssignedId(row.id),
            name: &row.details.name,
            r#type: row.kind.as_str(),
            account_id: AssignedId(row.account_id),
            account_code: &view.account_code,
            bank_name: row.details.bank_name.as_deref(),
            sort_code: row.details.sort_code.as_deref(),
            account_number: row.details.account_number.as_deref(),
            iban: row.details.iban.as_deref(),
            currency: CURRENCY,
            ledger_balance: Money(view.ledger_pence),
            statement_balance: Money(row.opening_pence.saturating_add(row.statement_pence)),
            opening_balance: Money(row.opening_pence),
            unconfirmed_count: row.unconfirmed_count,
            unconfirmed_total: Money(row.unconfirmed_pence),
            last_transaction_date: view.last_transaction_date,
            last_imported_at: row.last_imported_at_ms.map(Moment),
            is_archived: row.archived_at_ms.is_some(),
            archived_at: row.archived_at_ms.map(Moment),
            created_at: Moment(row.created_at_ms),
            updated_at: Moment(row.updated_at_ms),
            version: row.version,
        }
    }
}

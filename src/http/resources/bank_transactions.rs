//! The lines of bank statements: entered, coded, brought into the books and taken out again.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::statement_line::{
    StatementLineFilter, StatementLinePart, StatementLineRecord, StatementLineResult,
};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::{BankStatus, ConfirmType};
use crate::domain::ledger::bank_candidates::{Candidate, CandidateKind, TRANSFER_CANDIDATE_DAYS, ranked};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, printed_deleted, require_write_access,
};
use crate::http::books::suggest::{ImportSuggestJson, with_suggestions};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money, RelatedId, vat_code};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, nullable};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::suggestions::SuggestionJson;
use crate::http::wire::books::bank::{parse_import, parse_row, parse_suggestion};
use crate::http::wire::books::batch_format;
use crate::http::wire::books::confirmation::{parse_batch, parse_confirmation};

/// `GET …/bank-transactions`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let kinds = format!("one of {}", ConfirmType::ALL.map(ConfirmType::as_str).join(", "));
    let filter = StatementLineFilter {
        status: query.word("status", "unconfirmed, confirmed or excluded", BankStatus::parse),
        bank_account_id: query.id("bank_account_id"),
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        search: query.search("search"),
        kind: query.word("type", &kinds, ConfirmType::parse),
        min_pence: query.money("min_amount"),
        max_pence: query.money("max_amount"),
        updated_since_ms: query.moment("updated_since"),
    };
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let (rows, total) =
        call.state().reader.bank_transactions(organisation.id, &filter, (page.limit, page.offset)).await?;
    let rows: Vec<_> = rows.iter().map(BankTransactionJson::from).collect();
    envelope::page(page, rows, total)
}

/// `GET …/bank-transactions/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.bank_transaction(organisation.id, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &BankTransactionJson::from(&found))
}

/// `GET …/bank-transactions/{id}/candidates`.
pub async fn candidates(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let row = reader.bank_transaction(organisation.id, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let mut candidates = reader.match_candidates(organisation.id, &row).await?;
    let others = reader.opposite_bank_transactions(organisation.id, &row, TRANSFER_CANDIDATE_DAYS).await?;
    candidates.extend(others.iter().map(|other| Candidate {
        kind: CandidateKind::BankTransaction,
        id: other.id,
        amount: Pence(-other.amount_pence),
        date: other.date,
        references: Vec::new(),
    }));
    let ranked = ranked(Pence(row.amount_pence), row.date, &row.description, candidates);
    envelope::list(ranked.iter().map(|(candidate, score)| CandidateJson::new(candidate, *score)).collect())
}

/// `POST …/bank-transactions`.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let (bank_account_id, row) = body_or_path(parse_row(&call.body), true)?;
    let command = BooksCommand::CreateBankTransaction { bank_account_id, row: Box::new(row) };
    execute(&call, &access, StatusCode::CREATED, command, print).await
}

/// `POST …/bank-transactions/import`.
pub async fn import(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let place = call.parse_place(call.body.len()).await;
    let import = body_or_path(parse_import(&call.body), true)?;
    drop(place);
    let command = BooksCommand::ImportBankTransactions(import);
    let answer = execute(&call, &access, StatusCode::CREATED, command, print).await?;
    with_suggestions(&call, &access.organisation, answer).await
}

/// `POST …/bank-transactions/confirm-batch`.
pub async fn confirm_batch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let items = parse_batch(&call.body).map_err(|issues| batch_format(&issues))?;
    execute(&call, &access, StatusCode::OK, BooksCommand::Confirm { items, is_batch: true }, print).await
}

async fn exists(call: &Call<Products>, organisation: OrganisationId, id: i64) -> Result<bool, ApiError> {
    Ok(call.state().reader.bank_transaction(organisation, id).await?.is_some())
}

/// `PATCH …/bank-transactions/{id}`.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_suggestion(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, id).await?;
    let suggestion = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchBankTransaction { id, suggestion }, print).await
}

/// `DELETE …/bank-transactions/{id}`.
pub async fn delete(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteBankTransaction { id }, print).await
}

/// `POST …/bank-transactions/{id}/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_confirmation(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, id).await?;
    let items = vec![(id, body_or_path(read, exists)?)];
    execute(&call, &access, StatusCode::OK, BooksCommand::Confirm { items, is_batch: false }, print).await
}

/// `POST …/bank-transactions/{id}/unconfirm`.
pub async fn unconfirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::Unconfirm { id }, print).await
}

/// `POST …/bank-transactions/{id}/exclude`.
pub async fn exclude(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_excluded(call, true).await
}

/// `POST …/bank-transactions/{id}/restore`.
pub async fn restore(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    set_excluded(call, false).await
}

async fn set_excluded(call: Call<Products>, excluded: bool) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ExcludeBankTransaction { id, excluded }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::BankTransaction(row) => printed(&BankTransactionJson::from(&**row), dry_run),
        CommandResult::BankTransactions(rows) => {
            printed(&BankTransactionsJson(rows.iter().map(BankTransactionJson::from).collect()), dry_run)
        }
        CommandResult::Import { id, rows } => printed(&BankImportJson::new(*id, rows), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

/// A line of a bank statement.
#[derive(Serialize, ToSchema)]
#[schema(as = BankTransaction, example = example)]
pub struct BankTransactionJson<'a> {
    id: AssignedId,
    bank_account_id: Id,
    date: Date,
    /// Money in is positive.
    amount: Money,
    currency: &'static str,
    description: &'a str,
    #[schema(required)]
    reference: Option<&'a str>,
    #[schema(required)]
    merchant: Option<&'a str>,
    /// The bank's own identifier.
    #[schema(required)]
    external_id: Option<&'a str>,
    #[schema(value_type = RelatedId)]
    import_id: Option<AssignedId>,
    #[schema(schema_with = status)]
    status: &'static str,
    #[schema(schema_with = nullable_confirm_type, required)]
    r#type: Option<&'static str>,
    #[schema(required)]
    contact_id: Option<Id>,
    #[schema(required)]
    account_id: Option<Id>,
    #[schema(schema_with = nullable_vat_code, required)]
    vat_code: Option<&'a str>,
    #[schema(required)]
    net_amount: Option<Money>,
    #[schema(required)]
    vat_amount: Option<Money>,
    /// How it is coded; a suggestion until it is confirmed.
    lines: Vec<BankTransactionPartJson<'a>>,
    /// What the coding engine suggests, while it is not confirmed.
    #[schema(required)]
    suggestion: Option<SuggestionJson<'a>>,
    #[schema(value_type = RelatedId)]
    customer_receipt_id: Option<AssignedId>,
    #[schema(value_type = RelatedId)]
    supplier_payment_id: Option<AssignedId>,
    #[schema(value_type = RelatedId)]
    transfer_bank_transaction_id: Option<AssignedId>,
    #[schema(value_type = RelatedId)]
    journal_id: Option<AssignedId>,
    #[schema(required)]
    memo: Option<&'a str>,
    #[schema(required)]
    confirmed_at: Option<Moment>,
    #[schema(required)]
    confirmed_by: Option<Id>,
    created_at: Moment,
    updated_at: Moment,
    #[schema(minimum = 1)]
    version: i64,
}

/// A part of a coded line, with the sign of money.
#[derive(Serialize, ToSchema)]
#[schema(as = BankTransactionPart)]
struct BankTransactionPartJson<'a> {
    account_id: Id,
    /// VAT included.
    gross_amount: Money,
    #[schema(schema_with = vat_code)]
    vat_code: &'a str,
    net_amount: Money,
    vat_amount: Money,
    #[schema(required)]
    memo: Option<&'a str>,
}

/// Lines of bank statements, in the order of the request.
#[derive(Serialize, ToSchema)]
#[schema(as = BankTransactions)]
pub struct BankTransactionsJson<'a>(Vec<BankTransactionJson<'a>>);

/// The schema of a state.
pub fn status() -> ObjectBuilder {
    choice(&BankStatus::ALL.map(BankStatus::as_str))
}

/// The schema of a way to confirm a line.
pub fn confirm_type() -> ObjectBuilder {
    choice(&ConfirmType::ALL.map(ConfirmType::as_str))
}

fn nullable_confirm_type() -> Object {
    nullable(confirm_type())
}

fn nullable_vat_code() -> Object {
    nullable(vat_code())
}

/// What became of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = BankImport, example = import_example)]
pub struct BankImportJson {
    import_id: AssignedId,
    created: usize,
    skipped: usize,
    transactions: Vec<BankImportRowJson>,
    /// The suggestions that were asked for after it: of an organisation with `auto_suggest`, when it created lines and the key
    /// has the scope `coding:write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    suggest: Option<ImportSuggestJson>,
}

/// What became of a row of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = BankImportRow)]
struct BankImportRowJson {
    row: usize,
    id: AssignedId,
    #[schema(schema_with = import_row_status)]
    status: &'static str,
}

fn import_row_status() -> ObjectBuilder {
    choice(&["created", "duplicate"])
}

/// What a line may be.
#[derive(Serialize, ToSchema)]
#[schema(as = Candidate, example = candidate_example)]
pub struct CandidateJson {
    #[schema(schema_with = candidate_kind)]
    kind: &'static str,
    id: Id,
    /// What the line would be if it were this, with the sign of money on its statement. Of a line of another account its own
    /// amount, which has the other sign.
    amount: Money,
    date: Date,
    score: u32,
}

fn candidate_kind() -> ObjectBuilder {
    choice(&CandidateKind::ALL.map(CandidateKind::as_str))
}

fn example() -> Value {
    json!({
        "id": 41, "bank_account_id": 2, "date": "2026-03-10", "amount": -84.37, "currency": "GBP", "description": "EDF ENERGY",
        "reference": null, "merchant": null, "external_id": "b10", "import_id": 3, "status": "confirmed", "type": "coded",
        "contact_id": null, "account_id": 48, "vat_code": "ST", "net_amount": -70.31, "vat_amount": -14.06,
        "lines": [{
            "account_id": 48, "gross_amount": -84.37, "vat_code": "ST", "net_amount": -70.31, "vat_amount": -14.06, "memo": null
        }],
        "suggestion": null, "customer_receipt_id": null, "supplier_payment_id": null, "transfer_bank_transaction_id": null,
        "journal_id": 19, "memo": null, "confirmed_at": "2026-03-10T12:00:00.000Z", "confirmed_by": 3,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 2
    })
}

fn import_example() -> Value {
    json!({
        "import_id": 3, "created": 1, "skipped": 0, "transactions": [{ "row": 0, "id": 41, "status": "created" }],
        "suggest": { "coding_job_id": "cod_019351b7c8a07a3e9f5c2b1d4e6f8a90" },
    })
}

fn candidate_example() -> Value {
    json!({ "kind": "bank_transaction", "id": 42, "amount": -84.37, "date": "2026-03-11", "score": 65 })
}

impl<'a> From<&'a StatementLineRecord> for BankTransactionJson<'a> {
    fn from(row: &'a StatementLineRecord) -> Self {
        let only = match row.lines.as_slice() {
            [line] => Some(line),
            _ => None,
        };
        let without_code = row.lines.is_empty() && row.status == BankStatus::Confirmed;
        let is_coded = !row.lines.is_empty();
        let sum = |part: fn(&StatementLinePart) -> i64| row.lines.iter().map(part).sum::<i64>();
        let net = if is_coded { Some(sum(|line| line.net_pence)) } else { without_code.then_some(row.amount_pence) };
        let vat = if is_coded { Some(sum(|line| line.vat_pence)) } else { without_code.then_some(0) };
        let settlement_of = |side| row.settlement.filter(|(known, _)| *known == side).map(|(_, id)| AssignedId(id));
        Self {
            id: AssignedId(row.id),
            bank_account_id: Id(row.bank_account_id),
            date: row.date,
            amount: Money(row.amount_pence),
            currency: CURRENCY,
            description: &row.description,
            reference: row.reference.as_deref(),
            merchant: row.merchant.as_deref(),
            external_id: row.external_id.as_deref(),
            import_id: row.import_id.map(AssignedId),
            status: row.status.as_str(),
            r#type: row.kind.map(ConfirmType::as_str),
            contact_id: row.contact_id.map(Id),
            account_id: only.map(|line| Id(line.account_id)),
            vat_code: only.map(|line| line.vat_code.as_str()).or(without_code.then_some("NV")),
            net_amount: net.map(Money),
            vat_amount: vat.map(Money),
            lines: row.lines.iter().map(BankTransactionPartJson::from).collect(),
            suggestion: row.suggestion.as_deref().map(SuggestionJson::from),
            customer_receipt_id: settlement_of(ContactKind::Customer),
            supplier_payment_id: settlement_of(ContactKind::Supplier),
            transfer_bank_transaction_id: row.transfer_id.map(AssignedId),
            journal_id: row.journal_id.map(AssignedId),
            memo: row.memo.as_deref(),
            confirmed_at: row.confirmed_at_ms.map(Moment),
            confirmed_by: row.confirmed_by.map(Id),
            created_at: Moment(row.created_at_ms),
            updated_at: Moment(row.updated_at_ms),
            version: row.version,
        }
    }
}

impl<'a> From<&'a StatementLinePart> for BankTransactionPartJson<'a> {
    fn from(line: &'a StatementLinePart) -> Self {
        Self {
            account_id: Id(line.account_id),
            gross_amount: Money(line.gross_pence),
            vat_code: &line.vat_code,
            net_amount: Money(line.net_pence),
            vat_amount: Money(line.vat_pence),
            memo: line.memo.as_deref(),
        }
    }
}

impl BankImportJson {
    /// An import and its rows, in order.
    fn new(id: i64, rows: &[StatementLineResult]) -> Self {
        let created = rows.iter().filter(|row| row.is_new).count();
        let transactions = rows.iter().enumerate().map(|(at, row)| BankImportRowJson {
            row: at,
            id: AssignedId(row.id),
            status: if row.is_new { "created" } else { "duplicate" },
        });
        Self {
            import_id: AssignedId(id),
            created,
            skipped: rows.len() - created,
            transactions: transactions.collect(),
            suggest: None,
        }
    }
}

impl CandidateJson {
    /// A candidate and how likely it is.
    const fn new(candidate: &Candidate, score: u32) -> Self {
        let amount = match candidate.kind {
            CandidateKind::BankTransaction => -candidate.amount.0,
            _ => candidate.amount.0,
        };
        Self { kind: candidate.kind.as_str(), id: Id(candidate.id), amount: Money(amount), date: candidate.date, score }
    }
}

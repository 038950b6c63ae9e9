//! Bulk imports: previewed, confirmed with a token, listed.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;

use super::journals::CreatedByJson;
use crate::domain::books::command::{BooksCommand, ImportConfirmation};
use crate::domain::books::records::import::{ImportRecord, RowResult, RowStatus};
use crate::domain::books::request::CommandResult;
use crate::domain::problem::Issue;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::books::suggest::{ImportSuggestJson, with_suggestions};
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, Moment, Money, RelatedId};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{array, choice, named};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::imports::{ImportKind, parse_confirmation, parse_import};

/// `GET …/imports`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let page = query.page(call.query());
    query.finish()?;
    let (imports, total) = call.state().reader.imports(organisation.id, (page.limit, page.offset)).await?;
    let now_ms = call.began_at_ms();
    let imports: Vec<_> = imports.iter().map(|row| ImportJson::new(row, now_ms)).collect();
    envelope::page(page, imports, total)
}

/// `GET …/imports/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.import(organisation.id, path_id(&call)?).await?;
    let row = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &ImportJson::new(&row, call.began_at_ms()).with_results(&row.results))
}

/// `POST …/imports`.
pub async fn preview(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let place = call.parse_place(call.body.len()).await;
    let entries = Box::new(body_or_path(parse_import(&call.body), true)?);
    let preview = Box::new(token::preview(&call, "imp_"));
    drop(place);
    execute(&call, &access, StatusCode::CREATED, BooksCommand::PreviewImport { entries, preview }, print).await
}

/// `POST …/imports/{id}/confirm`.
pub async fn confirm(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_confirmation(&call.body);
    let exists = read.is_ok() || call.state().reader.import(access.organisation.id, id).await?.is_some();
    let (token, skips_invalid) = body_or_path(read, exists)?;
    let token_hash = token::hash(&token);
    let previewed = token::request(&call, &access, &token_hash).await?;
    let place = call.parse_place(previewed.as_ref().map_or(0, String::len)).await;
    // Whether the token is still good is decided with the books; what it was given for was read before.
    let entries = previewed.and_then(|body| parse_import(body.as_bytes()).ok());
    drop(place);
    let confirmed = ImportConfirmation { id, token_hash, entries, skips_invalid };
    let command = BooksCommand::ConfirmImport(Box::new(confirmed));
    let answer = execute(&call, &access, StatusCode::OK, command, print).await?;
    with_suggestions(&call, &access.organisation, answer).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::BulkImport(row, token) => {
            let token = token.as_deref().filter(|_| !dry_run);
            // It was previewed or confirmed at this very moment.
            let import = ImportJson::new(row, row.created_at_ms).with_token(token);
            printed(&if row.is_confirmed { import.with_results(&row.results) } else { import }, dry_run)
        }
        _ => None,
    }
}

/// A bulk import.
#[derive(Serialize, ToSchema)]
#[schema(as = Import, example = example)]
pub struct ImportJson<'a> {
    id: AssignedId,
    /// Only in the answer to the preview.
    #[schema(required)]
    token: Option<&'a str>,
    #[schema(schema_with = import_kind)]
    kind: &'a str,
    #[schema(schema_with = status)]
    status: &'static str,
    #[schema(minimum = 1)]
    rows_total: i64,
    #[schema(minimum = 0)]
    rows_valid: i64,
    rows_invalid: usize,
    /// Valid rows that are there already.
    rows_duplicate: usize,
    #[schema(schema_with = issues)]
    issues: &'a [Issue],
    issue_count: u64,
    effects: ImportEffectsJson,
    created_at: Moment,
    created_by: CreatedByJson<'a>,
    expires_at: Moment,
    #[schema(required)]
    confirmed_at: Option<Moment>,
    /// By row, once it was confirmed; never in the list of imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    results: Option<Vec<ImportRowJson>>,
    /// The suggestions that were asked for after an import of bank lines: of an organisation with `auto_suggest`, when it
    /// created lines and the key has the scope `coding:write`. Only in the answer that confirms it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    suggest: Option<ImportSuggestJson>,
}

/// What the valid rows post.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportEffects)]
struct ImportEffectsJson {
    #[schema(minimum = 0)]
    journals: i64,
    total_debit: Money,
}

/// What became of a row.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportRow)]
struct ImportRowJson {
    row: u64,
    #[schema(schema_with = row_status)]
    status: &'static str,
    #[schema(value_type = RelatedId)]
    id: Option<AssignedId>,
}

/// The schema of what is imported.
pub fn import_kind() -> ObjectBuilder {
    choice(&ImportKind::ALL.map(ImportKind::as_str))
}

fn status() -> ObjectBuilder {
    choice(&["previewed", "confirmed", "expired"])
}

fn row_status() -> ObjectBuilder {
    choice(&["created", "duplicate", "invalid"])
}

fn issues() -> Array {
    array(named("Issue")).description(Some("The first hundred.")).build()
}

fn example() -> Value {
    json!({
        "id": 4, "token": null, "kind": "bank_transactions", "status": "confirmed",
        "rows_total": 2, "rows_valid": 1, "rows_invalid": 1, "rows_duplicate": 0,
        "issues": [{
            "section": "rows", "row": 1, "field": "amount", "path": "rows[1].amount",
            "message": "must have at most two decimals, such as -12.34"
        }],
        "issue_count": 1, "effects": { "journals": 0, "total_debit": 0.00 }, "created_at": "2026-03-10T12:00:00.000Z",
        "created_by": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B" }, "expires_at": "2026-03-10T12:30:00.000Z",
        "confirmed_at": "2026-03-10T12:01:00.000Z",
        "results": [{ "row": 0, "status": "created", "id": 12 }, { "row": 1, "status": "invalid", "id": null }],
        "suggest": { "coding_job_id": "cod_019351b7c8a07a3e9f5c2b1d4e6f8a90" }
    })
}

impl<'a> ImportJson<'a> {
    /// Prints an import without what became of each row; `now_ms` decides whether it can still be confirmed.
    fn new(row: &'a ImportRecord, now_ms: i64) -> Self {
        let status = match row.is_confirmed {
            true => "confirmed",
            false if row.expires_at_ms <= now_ms => "expired",
            false => "previewed",
        };
        let invalid = i64::try_from(row.invalid.len()).unwrap_or(i64::MAX);
        Self {
            id: AssignedId(row.id),
            token: None,
            kind: &row.kind,
            status,
            rows_total: row.rows_total,
            rows_valid: row.rows_total - invalid,
            rows_invalid: row.invalid.len(),
            rows_duplicate: row.duplicates.len(),
            issues: &row.issues.listed,
            issue_count: row.issues.count,
            effects: ImportEffectsJson { journals: row.journals, total_debit: Money(row.debit_pence) },
            created_at: Moment(row.created_at_ms),
            created_by: CreatedByJson::new(row.user_id, row.key_prefix.as_deref()),
            expires_at: Moment(row.expires_at_ms),
            confirmed_at: row.confirmed_at_ms.map(Moment),
            results: None,
            suggest: None,
        }
    }

    /// With its token, which only the preview answers.
    #[must_use]
    fn with_token(self, token: Option<&'a str>) -> Self {
        Self { token, ..self }
    }

    /// With what became of each row.
    #[must_use]
    fn with_results(self, results: &[RowResult]) -> Self {
        Self { results: Some(results.iter().map(ImportRowJson::from).collect()), ..self }
    }
}

impl From<&RowResult> for ImportRowJson {
    fn from(result: &RowResult) -> Self {
        let status = match result.status {
            RowStatus::Created => "created",
            RowStatus::Duplicate => "duplicate",
            RowStatus::Invalid => "invalid",
        };
        Self { row: result.row, status, id: result.id.map(AssignedId) }
    }
}

//! Asking for suggestions: the lines of the books, with all that the engine is given beside them, as a coding job.

use std::collections::HashMap;

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::engine_request::{bank_labels, chart_account, cut, open_items, past};
use crate::actors::coding_work::{SUGGESTIONS, pack_body};
use crate::actors::queue_board::QueueRefusal;
use crate::domain::books::records::account::{AccountFilter, AccountView};
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::coding_policy::CodingPolicy;
use crate::domain::books::records::engine_suggestion::vat_status;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::caller::{Principal, Scope};
use crate::domain::coding_session::{
    LineDetails, PastCoding, RunInput, SessionAccount, SessionInvoice, SessionLine, SessionVatCode,
};
use crate::domain::date::date_in;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{ConnectionId, JobId};
use crate::domain::job::Product;
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::suggestions::{AccountIdentity, DocumentReference, LineReference, SuggestFilter, SuggestReferences};
use crate::http::call::Call;
use crate::http::coding_jobs::QUEUE_FULL;
use crate::http::envelope::Data;
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::submission::{self, Parsed, count};
use crate::http::wire::books::{refused, refused_item};
use crate::store::{Idempotency, NewJob, Submitted};

/// What the engine takes of words about the business.
const CONTEXT_CHARS_MAX: usize = 2_000;

/// What is asked for.
pub(in crate::http) struct Asked<'a> {
    /// Whose lines.
    pub organisation: &'a OrganisationRecord,
    /// Which.
    pub filter: SuggestFilter,
    /// At most so many.
    pub lines_max: usize,
    /// Whether named lines that wait for nothing are left out rather than refused.
    pub is_lenient: bool,
    /// The path and the `Idempotency-Key` under which the answer is kept, with the hash of the body.
    pub replay: Option<ReplayScope>,
}

/// Under which the answer to a request is kept.
pub(in crate::http) struct ReplayScope {
    /// The path.
    pub path: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// The SHA-256 of the body.
    pub body_hash: [u8; 32],
}

impl ReplayScope {
    /// That of a request with an `Idempotency-Key`.
    pub(in crate::http) fn of(call: &Call<Products>, path: String) -> Result<Option<Self>, ApiError> {
        let key = call.idempotency_key()?.map(str::to_owned);
        Ok(key.map(|key| Self { path, key, body_hash: Sha256::digest(&call.body[..]).into() }))
    }
}

/// What became of a request.
pub(in crate::http) enum Suggesting {
    /// A job waits.
    Queued(QueuedJson),
    /// The stored answer, with whether the body was the same.
    Replayed(StoredResponse, bool),
}

/// A coding job over lines of the books that waits.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SuggestionsQueued, example = queued_example)]
pub(in crate::http) struct QueuedJson {
    coding_job_id: String,
    #[schema(schema_with = queued_status)]
    status: &'static str,
    /// Where the job is polled.
    poll_url: String,
    /// The lines of the job, each of which costs a credit.
    #[schema(minimum = 1)]
    transaction_count: usize,
    /// Lines that fit and are left for another request.
    #[schema(minimum = 0)]
    remaining: i64,
}

fn queued_status() -> ObjectBuilder {
    choice(&["queued"])
}

fn queued_example() -> Value {
    let id = "cod_019b8a6f41d87c2fb2b0d9e5a3c7714e";
    let poll_url = format!("/api/v1/coding/coding-jobs/{id}");
    json!({ "coding_job_id": id, "status": "queued", "poll_url": poll_url, "transaction_count": 42, "remaining": 0 })
}

/// What an import answers about the suggestions that were asked for after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ImportSuggest)]
pub(in crate::http) struct ImportSuggestJson {
    /// The job that was submitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    coding_job_id: Option<String>,
    /// Why none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<ImportSuggestErrorJson>,
}

/// Why no job was submitted after an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ImportSuggestError)]
pub(in crate::http) struct ImportSuggestErrorJson {
    /// The code of the error.
    code: String,
}

/// The answer to an import that was carried out, with the suggestions that were asked for after it.
pub(in crate::http) async fn with_suggestions(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    answer: HttpResponse,
) -> Result<HttpResponse, ApiError> {
    if !answer.status().is_success() || call.planned().is_some() || !organisation.auto_suggest {
        return Ok(answer);
    }
    let (head, body) = answer.into_parts();
    let body = body.try_into_bytes().map_err(|_| ApiError::internal("the answer to an import is a stream"))?;
    let answered: ImportAnswered = serde_json::from_slice(&body).map_err(ApiError::internal)?;
    let text = std::str::from_utf8(&body).map_err(ApiError::internal)?;
    let is_of_lines = answered.data.kind.is_none_or(|kind| kind == BANK_TRANSACTIONS);
    let mut text = text.to_owned();
    if !answered.dry_run && is_of_lines {
        let created = answered.data.rows.into_iter().filter(|row| row.status.as_deref() == Some("created"));
        let suggest = after_import(call, organisation, created.filter_map(|row| row.id).collect()).await?;
        if let (Some(suggest), Some(open)) = (suggest, text.strip_suffix("}}")) {
            let suggest = serde_json::to_string(&suggest).map_err(ApiError::internal)?;
            text = format!("{open},\"suggest\":{suggest}}}}}");
        }
    }
    Ok(head.set_body(BoxBody::new(text)))
}

/// The kind of a bulk import of lines.
const BANK_TRANSACTIONS: &str = "bank_transactions";

/// What of the answer to an import says which lines it made.
#[derive(Deserialize)]
struct ImportAnswered {
    data: ImportAnsweredRows,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
struct ImportAnsweredRows {
    /// Of a bulk import.
    kind: Option<String>,
    /// A large answer is kept without.
    #[serde(default, alias = "transactions", alias = "results")]
    rows: Vec<ImportAnsweredRow>,
}

#[derive(Deserialize)]
struct ImportAnsweredRow {
    id: Option<i64>,
    status: Option<String>,
}

/// Asks for suggestions for the lines that an import made, where the organisation wants them and the caller may ask. What
/// cannot be paid or queued is said, and leaves the import as it is. An import that is repeated with its `Idempotency-Key` is
/// answered with the same job.
async fn after_import(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    created: Vec<i64>,
) -> Result<Option<ImportSuggestJson>, ApiError> {
    if !organisation.auto_suggest || !call.access()?.has(Scope::CodingWrite) {
        return Ok(None);
    }
    let lines_max = created.len();
    let filter = SuggestFilter { lines: Some(created), ..SuggestFilter::default() };
    // Under a path that is none, beside the answer to the import itself.
    let replay = ReplayScope::of(call, format!("{}#suggest", call.path()))?;
    let asked = Asked { organisation, filter, lines_max, is_lenient: true, replay };
    let submitted = match submit(call, asked).await {
        Ok(Suggesting::Queued(queued)) => Some(queued.coding_job_id),
        Ok(Suggesting::Replayed(stored, _)) => {
            let answer: Answered = serde_json::from_slice(&stored.body).map_err(ApiError::internal)?;
            Some(answer.data.coding_job_id)
        }
        Err(error) => {
            if is_nothing(&error) {
                return Ok(None);
            }
            let error = ImportSuggestErrorJson { code: error.code().as_str().to_owned() };
            return Ok(Some(ImportSuggestJson { coding_job_id: None, error: Some(error) }));
        }
    };
    Ok(submitted.map(|id| ImportSuggestJson { coding_job_id: Some(id), error: None }))
}

/// A stored answer.
#[derive(Deserialize)]
struct Answered {
    data: AnsweredJob,
}

#[derive(Deserialize)]
struct AnsweredJob {
    coding_job_id: String,
}

/// Whether there was no line to suggest anything for.
fn is_nothing(error: &ApiError) -> bool {
    let reason = Refusal::NothingToSuggest.reason();
    error.details_text().is_some_and(|details| details.get().contains(&format!("\"{reason}\"")))
}

/// Submits a coding job over lines of the books.
pub(in crate::http) async fn submit(call: &Call<Products>, asked: Asked<'_>) -> Result<Suggesting, ApiError> {
    let products = call.state();
    let access = call.access()?.clone();
    if let Some(scope) = &asked.replay
        && let Some(stored) = products.reader.find_replay(access.user_id, "POST", &scope.path, &scope.key).await?
    {
        let same = stored.body_hash == scope.body_hash;
        return Ok(Suggesting::Replayed(stored, same));
    }
    let (lines, remaining) = lines(products, &asked).await?;
    let given = Given::read(products, asked.organisation, lines, call.began_at_ms()).await?;
    let references = given.references(asked.organisation, call.caller()?);
    let transaction_count = given.lines.len();
    let _reserved = submission::reserve(products, access.user_id, Product::Coding, QUEUE_FULL)?;
    let payload = actix_web::web::block(move || {
        let body = given.body()?;
        pack_body(references.payload(&body)?.as_bytes())
    });
    let payload = payload.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
    let lines = count(transaction_count);
    let parsed =
        Parsed { cost: lines, rows_total: lines, parameters: SUGGESTIONS.to_owned(), allow_overage: false, payload };
    submission::affordable(products, &access, &parsed).await?;
    let id = JobId::mint(Product::Coding.id_prefix(), products.clock.unique());
    let queued = QueuedJson {
        coding_job_id: id.as_str().to_owned(),
        status: "queued",
        poll_url: format!("/api/v1/coding/coding-jobs/{id}"),
        transaction_count,
        remaining,
    };
    let answer = serde_json::to_vec(&Data::new(&queued, false)).map_err(ApiError::internal)?;
    let body_hash = asked.replay.as_ref().map(|scope| scope.body_hash);
    let engine = products.actors.engine(Product::Coding);
    let job = NewJob {
        id,
        product: Product::Coding,
        user_id: access.user_id,
        connection: Some(access.id),
        cost: parsed.cost,
        allow_overage: false,
        rows_total: parsed.rows_total,
        parameters: parsed.parameters,
        capacity: engine.queue_limits().capacity,
        share: engine.queue_limits().share,
        idempotency: asked.replay.map(|scope| Idempotency {
            method: "POST".to_owned(),
            path: scope.path,
            key: scope.key,
            body_hash: scope.body_hash,
            status: StatusCode::ACCEPTED.as_u16(),
            body: answer,
            retention_ms: products.limits.idempotency_retention_ms,
        }),
        session: None,
    };
    match engine.submit(job, parsed.payload).await? {
        Submitted::Accepted { .. } => Ok(Suggesting::Queued(queued)),
        Submitted::QueueFull => Err(submission::no_place(QUEUE_FULL, QueueRefusal::Full)),
        Submitted::ShareFull(_) => Err(submission::no_place(QUEUE_FULL, QueueRefusal::ShareFull)),
        Submitted::Replayed(stored) => {
            let same = body_hash == Some(stored.body_hash);
            Ok(Suggesting::Replayed(stored, same))
        }
        Submitted::KeyReused => Err(refused(&Refusal::IdempotencyKeyReused)),
        Submitted::SessionBusy => Err(ApiError::internal("a job of no session is a run of one")),
    }
}

/// The lines that are asked for, and how many are left.
async fn lines(products: &Products, asked: &Asked<'_>) -> Result<(Vec<StatementLineRecord>, i64), ApiError> {
    let organisation = asked.organisation.id;
    if let Some(id) = asked.filter.bank_account_id
        && products.reader.bank_account(organisation, id).await?.is_none()
    {
        return Err(refused(&Refusal::UnknownReference { field: "bank_account_id".to_owned(), id }));
    }
    let (mut found, total) = products.reader.lines_to_suggest(organisation, &asked.filter, asked.lines_max).await?;
    if asked.is_lenient {
        found.retain(|row| row.status == BankStatus::Unconfirmed);
    } else if let Some(named) = &asked.filter.lines {
        let by_id: HashMap<i64, &StatementLineRecord> = found.iter().map(|row| (row.id, row)).collect();
        for (row, id) in named.iter().enumerate() {
            let field = format!("transaction_ids[{row}]");
            let line = by_id.get(id).ok_or(Refusal::UnknownReference { field, id: *id });
            let known = line.and_then(|line| line.status.require_unconfirmed());
            known.map_err(|refusal| refused_item(row, &refusal))?;
        }
    }
    if found.is_empty() {
        return Err(refused(&Refusal::NothingToSuggest));
    }
    let left = if asked.filter.lines.is_some() { 0 } else { total - count(found.len()) };
    Ok((found, left.max(0)))
}

/// What the engine is given.
struct Given {
    lines: Vec<StatementLineRecord>,
    labels: HashMap<i64, String>,
    banks: Vec<BankAccountView>,
    chart: Vec<AccountView>,
    invoices: Vec<SessionInvoice>,
    history: Vec<PastCoding>,
    vat_codes: Option<Vec<SessionVatCode>>,
    context: String,
}

impl Given {
    async fn read(
        products: &Products,
        organisation: &OrganisationRecord,
        lines: Vec<StatementLineRecord>,
        now_ms: i64,
    ) -> Result<Self, ApiError> {
        let (reader, id) = (&products.reader, organisation.id);
        let banks = reader.bank_accounts(id, true).await?;
        let labels = bank_labels(&banks);
        let chart = reader.accounts(id, &AccountFilter::default()).await?;
        if chart.is_empty() {
            return Err(ApiError::internal("an organisation without accounts"));
        }
        let today = date_in(&organisation.timezone, now_ms);
        let until = lines.iter().map(|line| line.date).max().unwrap_or(today).min(today);
        let context = business_context(organisation, &reader.coding_policy(id).await?);
        Ok(Self {
            invoices: open_items(reader, id).await?,
            history: past(reader, id, until, &labels).await?,
            // Without its account no line with VAT could be posted.
            vat_codes: (!organisation.has_vat_control).then(|| vec![no_vat()]),
            context,
            lines,
            labels,
            banks,
            chart,
        })
    }

    fn references(&self, organisation: &OrganisationRecord, caller: &Principal) -> SuggestReferences {
        let lines = self.lines.iter().map(|line| LineReference {
            id: line.id,
            version: line.version,
            bank_account_id: line.bank_account_id,
            amount_pence: line.amount_pence,
        });
        let open: HashMap<i64, i64> = self
            .banks
            .iter()
            .filter(|bank| bank.row.archived_at_ms.is_none())
            .map(|bank| (bank.row.account_id, bank.row.id))
            .collect();
        let accounts = self.chart.iter().map(|view| AccountIdentity {
            id: view.row.id,
            bank_account_id: open.get(&view.row.id).copied(),
            takes_vat: takes_vat(view),
        });
        let documents = self.invoices.iter().map(|invoice| {
            let (kind, id, contact_id) = invoice.document.clone().unwrap_or_default();
            DocumentReference { kind, id, contact_id, due_pence: invoice.due_pence }
        });
        let grant_id = match caller.connection() {
            Some(ConnectionId::Grant(grant)) => Some(grant.0),
            _ => None,
        };
        SuggestReferences {
            organisation_id: organisation.id.0,
            key_prefix: caller.key_prefix().map(str::to_owned),
            grant_id,
            vat_status: vat_status(organisation),
            lines: lines.collect(),
            accounts: accounts.collect(),
            documents: documents.collect(),
        }
    }

    /// The body of the coding job.
    fn body(&self) -> serde_json::Result<String> {
        let line = |row: &StatementLineRecord| SessionLine {
            line: row.id,
            details: LineDetails {
                bank_account: self.labels.get(&row.bank_account_id).cloned().unwrap_or_default(),
                day: row.date.day_number(),
                amount_pence: row.amount_pence,
                description: row.description.clone(),
                merchant: row.merchant.clone(),
                reference: row.reference.clone(),
                merchant_category_code: None,
                bank_transaction_id: Some(row.id),
            },
            suggestion: None,
            recoding: None,
        };
        let lines: Vec<SessionLine> = self.lines.iter().map(line).collect();
        let accounts: Vec<SessionAccount> = self.chart.iter().map(chart_account).collect();
        let input = RunInput {
            lines: &lines,
            accounts: &accounts,
            vat_codes: self.vat_codes.as_deref(),
            invoices: &self.invoices,
            history: &self.history,
            business_context: &self.context,
        };
        input.body()
    }
}

fn no_vat() -> SessionVatCode {
    SessionVatCode { code: "NV".to_owned(), name: "No VAT".to_owned(), rate_hundredths: 0 }
}

/// Whether a line on an account may have VAT (`domain::ledger::vat::side_of_line`).
fn takes_vat(view: &AccountView) -> bool {
    let role = view.row.role.as_deref().map(Role::parse);
    let is_set_apart = role.is_some_and(|role| role == Role::Bank || role.is_unique());
    match view.row.account_type {
        AccountType::Revenue | AccountType::Expense => true,
        AccountType::Asset => !is_set_apart,
        _ => false,
    }
}

/// What the engine is told about the business: its registration, its name and form, and what the policy says of its trade.
fn business_context(organisation: &OrganisationRecord, policy: &CodingPolicy) -> String {
    let registration = if organisation.vat_registered { "VAT registered." } else { "Not VAT registered." };
    let form = organisation.entity_type.replace('_', " ");
    let text = format!("{registration} {}. {form}. {}", organisation.name, policy.business_context);
    cut(text.trim_end(), CONTEXT_CHARS_MAX)
}

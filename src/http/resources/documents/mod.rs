//! Sales and purchase invoices and credit notes: drawn up, issued, voided, and credit set against invoices.

mod kinds;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::document::DocumentFilter;
use crate::domain::books::request::CommandResult;
use crate::domain::date::date_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, printed_deleted, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::allocation::{parse_credit_allocations, parse_release};
use crate::http::wire::books::document::{parse_new, parse_patch};
use crate::http::wire::books::journal::parse_void;

pub use kinds::{DocumentJson, PurchaseCreditNoteJson, PurchaseInvoiceJson, SalesCreditNoteJson, SalesInvoiceJson};

/// The statuses a kind of document may have.
pub const fn statuses(kind: DocumentKind) -> [&'static str; 5] {
    if kind.is_credit_note() {
        ["draft", "issued", "part_allocated", "allocated", "void"]
    } else {
        ["draft", "issued", "part_paid", "paid", "void"]
    }
}

/// `GET …/sales-invoices` and the like.
pub async fn list(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let mut query = Query::new(call.query());
    let statuses = statuses(kind);
    let status = |word: &str| statuses.into_iter().find(|known| *known == word);
    let contact = match kind.contact_kind() {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    };
    let mut filter = DocumentFilter {
        statuses: query.words("status", &format!("one of {}", statuses.join(", ")), status),
        contact_id: query.id(contact),
        from_date: query.date("date_from"),
        to_date: query.date("date_to"),
        ..DocumentFilter::default()
    };
    if !kind.is_credit_note() {
        filter.due_before_date = query.date("due_before");
        filter.overdue_on = query.flag("overdue").then_some(today);
    }
    filter.search = query.search("search");
    filter.updated_since_ms = query.moment("updated_since");
    query.in_order(filter.from_date, filter.to_date);
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (documents, total) = reader.documents(organisation.id, kind, &filter, (page.limit, page.offset)).await?;
    let documents: Vec<_> = documents.iter().map(|view| DocumentJson::new(view, today)).collect();
    envelope::page(page, documents, total)
}

/// `GET …/sales-invoices/{id}` and the like.
pub async fn show(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.document(organisation.id, kind, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    envelope::data(StatusCode::OK, &DocumentJson::new(&found, today))
}

/// `POST …/sales-invoices` and the like.
pub async fn create(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let (entry, is_issued) = body_or_path(parse_new(&call.body, kind), true)?;
    let action = BooksCommand::CreateDocument { entry: Box::new(entry), is_issued };
    execute(&call, &access, StatusCode::CREATED, action, print).await
}

async fn exists(
    call: &Call<Products>,
    organisation: OrganisationId,
    kind: DocumentKind,
    id: i64,
) -> Result<bool, ApiError> {
    Ok(call.state().reader.document(organisation, kind, id).await?.is_some())
}

/// `PATCH …/sales-invoices/{id}` and the like.
pub async fn patch(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_patch(&call.body, kind);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchDocument { kind, id, fields }, print).await
}

/// `DELETE …/sales-invoices/{id}` and the like.
pub async fn delete(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteDocument { kind, id }, print).await
}

/// `POST …/sales-invoices/{id}/issue` and the like.
pub async fn issue(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::IssueDocument { kind, id }, print).await
}

/// `POST …/sales-invoices/{id}/void` and the like.
pub async fn void(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_void(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let request = body_or_path(read, exists)?;
    let action = BooksCommand::VoidDocument { kind, id, void_date: request.void_date, reason: request.reason };
    execute(&call, &access, StatusCode::OK, action, print).await
}

/// `POST …/sales-credit-notes/{id}/allocate` and the like.
pub async fn allocate(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_credit_allocations(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let (allocations, date) = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::AllocateCredit { kind, id, allocations, date }, print).await
}

/// `POST …/sales-credit-notes/{id}/unallocate` and the like.
pub async fn unallocate(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_release(&call.body);
    let exists = read.is_ok() || exists(&call, access.organisation.id, kind, id).await?;
    let allocation_ids = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::UnallocateCredit { kind, id, allocation_ids }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Document(view) => printed(&DocumentJson::new(view, context.today), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

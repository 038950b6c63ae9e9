//! PDF of sales invoices, sales credit notes, receipts and remittance advices.

use actix_web::HttpResponse;

use crate::domain::books::records::bank_account::BankAccountDetails;
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::document::DocumentView;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::settlement::{AllocationView, SettlementView};
use crate::domain::date::date_in;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::http::books::change::{member, path_id};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::file;
use crate::http::products::Products;
use crate::http::query::Query;
use crate::render::{self, PaidDocument, Payment, Pdf, SalesDocument};

/// `GET …/sales-invoices/{id}/pdf`, `GET …/sales-credit-notes/{id}/pdf`.
pub async fn sales_document(call: Call<Products>, kind: DocumentKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let view = reader.document(organisation.id, kind, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let (name, pdf) = print_document(&call, organisation, view).await?;
    file::pdf(&name, pdf)
}

/// A sales invoice or credit note as a file: its name and what is in it.
pub(super) async fn print_document(
    call: &Call<Products>,
    organisation: OrganisationRecord,
    view: DocumentView,
) -> Result<(String, Pdf), ApiError> {
    let (reader, kind) = (&call.state().reader, view.kind);
    let customer = contact(call, &organisation, kind.contact_kind(), view.contact_id).await?;
    let bank_account = payment_bank_account(call, &organisation).await?;
    let origin_number = match view.origin_id {
        Some(id) => reader.document(organisation.id, kind.invoice(), id).await?.and_then(|origin| origin.number),
        None => None,
    };
    let without = if kind.is_credit_note() { "credit-note-draft" } else { "invoice-draft" };
    let name = view.number.clone().unwrap_or_else(|| format!("{without}-{}", view.id));
    let print = move || {
        render::sales_document(&SalesDocument {
            view: &view,
            organisation: &organisation,
            customer: &customer,
            bank_account: bank_account.as_ref(),
            origin_number: origin_number.as_deref(),
        })
    };
    Ok((format!("{name}.pdf"), file::print(print).await?))
}

/// `GET …/customer-receipts/{id}/pdf`, `GET …/supplier-payments/{id}/pdf`.
pub async fn settlement(call: Call<Products>, side: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let reader = &call.state().reader;
    let view = reader.settlement(organisation.id, side, path_id(&call)?).await?.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    let (name, pdf) = print_settlement(&call, organisation, side, view).await?;
    file::pdf(&name, pdf)
}

/// A receipt or remittance advice as a file: its name and what is in it.
pub(super) async fn print_settlement(
    call: &Call<Products>,
    organisation: OrganisationRecord,
    side: ContactKind,
    view: SettlementView,
) -> Result<(String, Pdf), ApiError> {
    let contact = contact(call, &organisation, side, view.contact_id).await?;
    let references = match side {
        ContactKind::Customer => Vec::new(),
        ContactKind::Supplier => paid_documents(call, organisation.id, &view.allocations).await?,
    };
    let name = view.number.clone().unwrap_or_else(|| format!("payment-{}", view.id));
    let print = move || {
        let (organisation, contact) = (&organisation, &contact);
        render::payment(&Payment { view: &view, organisation, contact, references: &references })
    };
    Ok((format!("{name}.pdf"), file::print(print).await?))
}

async fn paid_documents(
    call: &Call<Products>,
    organisation: OrganisationId,
    allocations: &[AllocationView],
) -> Result<Vec<PaidDocument>, ApiError> {
    let documents = allocations.iter().filter(|allocation| DocumentKind::parse(allocation.other_type).is_some());
    let ids: Vec<i64> = documents.map(|allocation| allocation.other_id).collect();
    let references = call.state().reader.supplier_references(organisation, &ids).await?;
    let paid = |(id, supplier_reference)| PaidDocument { id, supplier_reference };
    Ok(references.into_iter().map(paid).collect())
}

async fn contact(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    kind: ContactKind,
    id: i64,
) -> Result<ContactDetails, ApiError> {
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let found = call.state().reader.contact(organisation.id, kind, id, today).await?;
    found.map(|view| view.row.details).ok_or_else(|| ApiError::internal("a document of no contact"))
}

async fn payment_bank_account(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
) -> Result<Option<BankAccountDetails>, ApiError> {
    let Some(id) = organisation.payment_bank_account_id else { return Ok(None) };
    let found = call.state().reader.bank_account(organisation.id, id).await?;
    Ok(found.map(|view| view.row.details))
}

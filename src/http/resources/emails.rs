//! E-mails of documents: queued, listed, queued again, cancelled.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::email::{
    Attachment, EmailFilter, EmailInput, EmailRecord, EmailedDocument, EmailedView,
};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::mail::{EmailStatus, EmailedType};
use crate::http::books::change::{
    AnswerContext, WriteAccess, body_or_path, execute, member, path_id, printed, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{array, choice, string};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::resources::cis::SupplierStatement;
use crate::http::resources::contact_reports::{CustomerStatement, contact};
use crate::http::resources::printed::{print_document, print_settlement};
use crate::http::wire::books::email::{EmailRequest, parse_cis_statement_email, parse_email, parse_statement_email};

/// `POST …/{id}/email`; `document` makes the document of the identifier in the path.
pub async fn send(call: Call<Products>, document: fn(i64) -> EmailedDocument) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let document = document(path_id(&call)?);
    let read = parse_email(&call.body);
    let exists = read.is_ok() || view(&call, access.organisation.id, document).await?.is_some();
    let request = body_or_path(read, exists)?;
    queue(&call, &access, document, request).await
}

/// `POST …/suppliers/{id}/cis-statement/email`.
pub async fn send_cis_statement(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_cis_statement_email(&call.body);
    let exists = read.is_ok() || contact(&call, &access.organisation, ContactKind::Supplier, id).await?.is_some();
    let (request, month) = body_or_path(read, exists)?;
    queue(&call, &access, EmailedDocument::CisStatement(id, month), request).await
}

/// `POST …/customers/{id}/statement/email`.
pub async fn send_customer_statement(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse_statement_email(&call.body);
    let exists = read.is_ok() || contact(&call, &access.organisation, ContactKind::Customer, id).await?.is_some();
    let (request, period) = body_or_path(read, exists)?;
    queue(&call, &access, EmailedDocument::CustomerStatement(id, period), request).await
}

/// Queues an e-mail of a document.
async fn queue(
    call: &Call<Products>,
    access: &WriteAccess,
    document: EmailedDocument,
    request: EmailRequest,
) -> Result<HttpResponse, ApiError> {
    let reply_to = match &access.organisation.email {
        Some(email) => email.clone(),
        None => {
            let person = call.state().reader.find_user(call.caller()?.user_id).await?;
            person.map(|person| person.email).unwrap_or_default()
        }
    };
    let mut entry = EmailInput {
        document,
        to: request.to,
        cc: request.cc,
        subject: request.subject,
        message: request.message,
        figures: Vec::new(),
        attachment: None,
        rendered_version: None,
        reply_to,
        message_id: format!("{}@{}", call.state().clock.unique(), call.state().mail.host),
    };
    let mut renderings = 0;
    let answer = loop {
        prepare(call, &access.organisation, &mut entry, request.attaches_pdf).await?;
        renderings += 1;
        let command = BooksCommand::SendEmail(Box::new(entry.clone()));
        match execute(call, access, StatusCode::ACCEPTED, command, print).await {
            Err(error) if is_outdated(call, &error) && renderings < RENDERINGS_MAX => {}
            answer => break answer?,
        }
    };
    call.state().actors.mail.wake();
    Ok(answer)
}

/// Adds to an e-mail what is read for it: the figures of a statement, none where there is no statement, and the PDF.
async fn prepare(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    entry: &mut EmailInput,
    attaches_pdf: bool,
) -> Result<(), ApiError> {
    let needs_nothing = !attaches_pdf && entry.document.period().is_none();
    let rendered =
        if needs_nothing { None } else { rendered(call, organisation, entry.document, attaches_pdf).await? };
    entry.rendered_version = rendered.as_ref().map(|rendered| rendered.version);
    (entry.figures, entry.attachment) =
        rendered.map(|rendered| (rendered.figures, rendered.attachment)).unwrap_or_default();
    Ok(())
}

/// How often the PDF of a document is rendered that changes meanwhile: with every payment of it, for instance.
const RENDERINGS_MAX: u32 = 16;

/// Whether the PDF shows a version of the document that is over, and the caller did not name that version.
fn is_outdated(call: &Call<Products>, error: &ApiError) -> bool {
    let reason = error.details().and_then(|details| details.get("reason"));
    call.if_match().is_none() && reason.is_some_and(|reason| reason == "stale_version")
}

/// The document as callers see it, if there is one: read for the PDF, and when the body is wrong, because 404 comes
/// before 422.
async fn view(
    call: &Call<Products>,
    organisation: OrganisationId,
    document: EmailedDocument,
) -> Result<Option<EmailedView>, ApiError> {
    let reader = &call.state().reader;
    Ok(match document {
        EmailedDocument::Document(kind, id) => {
            reader.document(organisation, kind, id).await?.map(|view| EmailedView::Document(Box::new(view)))
        }
        EmailedDocument::Settlement(side, id) => {
            reader.settlement(organisation, side, id).await?.map(|view| EmailedView::Settlement(Box::new(view)))
        }
        // A statement is of days that are in the body, and nothing to look at without them.
        EmailedDocument::CisStatement(..) | EmailedDocument::CustomerStatement(..) => None,
    })
}

/// What is read for an e-mail.
struct Rendered {
    /// What the text says of a statement; nothing where there is nothing to state.
    figures: Vec<(&'static str, Pence)>,
    /// The PDF, when it is asked for.
    attachment: Option<Attachment>,
    /// The version of the document that the PDF shows, e-mails not counted, or of the customer or supplier of a statement.
    version: i64,
}

/// What is read for an e-mail of the document, if there is one.
async fn rendered(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    document: EmailedDocument,
    attaches_pdf: bool,
) -> Result<Option<Rendered>, ApiError> {
    let (figures, version, file) = match document {
        EmailedDocument::Document(..) | EmailedDocument::Settlement(..) => {
            let Some(view) = view(call, organisation.id, document).await? else { return Ok(None) };
            let version = view.printed_version();
            let file = async {
                match view {
                    EmailedView::Document(view) => print_document(call, organisation.clone(), *view).await,
                    EmailedView::Settlement(view) => {
                        print_settlement(call, organisation.clone(), view.side(), *view).await
                    }
                }
            };
            (Vec::new(), version, if attaches_pdf { Some(file.await?) } else { None })
        }
        EmailedDocument::CisStatement(id, month) => {
            let Some(supplier) = contact(call, organisation, ContactKind::Supplier, id).await? else { return Ok(None) };
            let statement = SupplierStatement::of(call, organisation, supplier, month).await?;
            let (figures, version) = (statement.figures(), statement.supplier.version);
            let file = if attaches_pdf { Some(statement.print(organisation.clone()).await?) } else { None };
            (figures, version, file)
        }
        EmailedDocument::CustomerStatement(id, period) => {
            let Some(customer) = contact(call, organisation, ContactKind::Customer, id).await? else { return Ok(None) };
            let statement = CustomerStatement::of(call, organisation, customer, period).await?;
            let (figures, version) = (statement.figures(), statement.customer.version);
            let file = if attaches_pdf { Some(statement.print(call, organisation).await?) } else { None };
            (figures, version, file)
        }
    };
    let attachment = file.map(|(file_name, pdf)| Attachment { file_name, bytes: pdf.bytes });
    Ok(Some(Rendered { figures, attachment, version }))
}

/// `GET …/emails`.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let types = EmailedType::ALL.map(EmailedType::as_str).join(", ");
    let statuses = EmailStatus::ALL.map(EmailStatus::as_str).join(", ");
    let filter = EmailFilter {
        document_type: query.word("document_type", &format!("one of {types}"), EmailedType::parse),
        document_id: query.id("document_id"),
        status: query.word("status", &format!("one of {statuses}"), EmailStatus::parse),
        updated_since_ms: query.moment("updated_since"),
    };
    let page = query.page(call.query());
    query.finish()?;
    let reader = &call.state().reader;
    let (emails, total) = reader.emails(organisation.id, &filter, (page.limit, page.offset)).await?;
    let emails: Vec<_> = emails.iter().map(EmailJson::from).collect();
    envelope::page(page, emails, total)
}

/// `GET …/emails/{id}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = call.state().reader.email(organisation.id, path_id(&call)?).await?;
    let email = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &EmailJson::from(&email))
}

/// `POST …/emails/{id}/resend`.
pub async fn resend(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let mut renderings = 0;
    let answer = loop {
        let attachment = rendered_again(&call, &access.organisation, id).await?;
        renderings += 1;
        let command = BooksCommand::ResendEmail { id, attachment };
        match execute(&call, &access, StatusCode::ACCEPTED, command, print).await {
            Err(error) if is_outdated(&call, &error) && renderings < RENDERINGS_MAX => {}
            answer => break answer?,
        }
    };
    call.state().actors.mail.wake();
    Ok(answer)
}

/// The PDF of an e-mail whose bytes are dropped, made from the document as it is now.
async fn rendered_again(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    id: i64,
) -> Result<Option<Attachment>, ApiError> {
    let email = call.state().reader.email(organisation.id, id).await?;
    let Some(document) = email.filter(|email| email.is_pdf_dropped).and_then(|email| email.document()) else {
        return Ok(None);
    };
    Ok(rendered(call, organisation, document, true).await?.and_then(|rendered| rendered.attachment))
}

/// `POST …/emails/{id}/cancel`.
pub async fn cancel(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::CancelEmail { id }, print).await
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Email(row) => {
            let email = EmailJson::from(&**row);
            // What a dry run only shows is not queued, and nothing will have this name.
            printed(&EmailJson { message_id: email.message_id.filter(|_| row.id > 0), ..email }, dry_run)
        }
        _ => None,
    }
}

/// An e-mail of a document or statement.
#[derive(Serialize, ToSchema)]
#[schema(as = Email, example = example)]
pub struct EmailJson<'a> {
    id: AssignedId,
    #[schema(schema_with = document_type)]
    document_type: &'static str,
    /// The document, or the customer or supplier of a statement.
    document_id: Id,
    /// The first day of a statement; null for a document.
    #[schema(required)]
    period_start: Option<Date>,
    /// Its last day.
    #[schema(required)]
    period_end: Option<Date>,
    #[schema(schema_with = addresses)]
    to: &'a [String],
    #[schema(schema_with = addresses)]
    cc: &'a [String],
    subject: &'a str,
    message: &'a str,
    /// The same whenever it is sent, without the brackets of the header; null in a dry run.
    #[schema(required)]
    message_id: Option<&'a str>,
    /// `uncertain`: it may have been sent, and is not sent again by itself.
    #[schema(schema_with = status)]
    status: &'static str,
    #[schema(minimum = 0)]
    attempts: i64,
    #[schema(required)]
    next_attempt_at: Option<Moment>,
    /// What went wrong last.
    #[schema(required)]
    error: Option<&'a str>,
    /// Whether the bytes of the PDF were dropped after 30 days, it was rendered again to be sent again, and it is another file
    /// than before.
    pdf_changed: bool,
    created_at: Moment,
    #[schema(required)]
    sent_at: Option<Moment>,
}

/// The schema of what can be e-mailed.
pub fn document_type() -> ObjectBuilder {
    choice(&EmailedType::ALL.map(EmailedType::as_str))
}

/// The schema of what became of an e-mail.
pub fn status() -> ObjectBuilder {
    choice(&EmailStatus::ALL.map(EmailStatus::as_str))
}

fn addresses() -> Array {
    array(string()).build()
}

impl<'a> From<&'a EmailRecord> for EmailJson<'a> {
    fn from(row: &'a EmailRecord) -> Self {
        Self {
            id: AssignedId(row.id),
            document_type: row.document_type.as_str(),
            document_id: Id(row.document_id),
            period_start: row.period.map(|period| period.first),
            period_end: row.period.map(|period| period.last),
            to: &row.to,
            cc: &row.cc,
            subject: &row.subject,
            message: &row.message,
            message_id: Some(&row.message_id),
            status: row.status.as_str(),
            attempts: row.attempts,
            next_attempt_at: row.next_attempt_at_ms.map(Moment),
            error: row.error.as_deref(),
            pdf_changed: row.is_pdf_changed,
            created_at: Moment(row.created_at_ms),
            sent_at: row.sent_at_ms.map(Moment),
        }
    }
}

fn example() -> Value {
    json!({
        "id": 9, "document_type": "sales_invoice", "document_id": 31, "period_start": null, "period_end": null,
        "to": ["accounts@example.com"], "cc": [],
        "subject": "Invoice INV-0103 from Larkspur Joinery Ltd",
        "message": "Dear Brightwell School,\n\nInvoice INV-0103\nDate: 14 March 2026\nTotal: £1,200.00\nTo pay: £1,200.00\n\
                    Due: 13 April 2026\n\nYours faithfully\nLarkspur Joinery Ltd\n",
        "message_id": "0195a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b@books.example", "status": "queued", "attempts": 0,
        "next_attempt_at": "2026-03-14T12:00:00.000Z", "error": null, "pdf_changed": false, "created_at": "2026-03-14T12:00:00.000Z",
        "sent_at": null
    })
}

//! E-mails of documents.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, array, boolean, id, label, maybe, maybe_array, moment, named, required, strict, text};
use super::cis::{STATED, tax_month_in};
use super::shared::{about_one, date_in, inside};
use crate::domain::mail::{ADDRESSES_MAX, EmailedType, MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX};
use crate::http::envelope::{Data, PageOf};
use crate::http::error::ErrorCode;
use crate::http::resources::emails::{EmailJson, document_type, status};

/// The pattern of an address.
const ADDRESS: &str = "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:[.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:[.][A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$";

/// `POST …/{id}/email`, and of the statements of customers and suppliers.
pub fn email_document(document: EmailedType) -> Operation {
    let (what, id, summary, [current, allowed]) = match document {
        EmailedType::SalesInvoice => ("sales invoice", 8, "E-mail a sales invoice", ["draft", "issued"]),
        EmailedType::SalesCreditNote => ("sales credit note", 4, "E-mail a sales credit note", ["draft", "issued"]),
        EmailedType::CustomerReceipt => ("customer receipt", 1, "E-mail a receipt", ["void", "posted"]),
        EmailedType::SupplierPayment => ("supplier payment", 6, "E-mail a remittance advice", ["void", "posted"]),
        EmailedType::CisStatement => return email_cis_statement(),
        EmailedType::CustomerStatement => return email_customer_statement(),
    };
    let description = "Queues it and answers at once; `GET …/emails/{id}` says what became of it. Without `to` it goes to the address of the contact; \
         without `subject` and `message` the service writes them. The state of the document does not change. 503 `busy` when 10,000 \
         e-mails of the organisation wait.";
    let operation = about_one(what, id, summary, description)
        .request(named("SendEmail"), json!({ "to": ["accounts@example.com"], "subject": "Your invoice" }))
        .conflict(json!({ "reason": "invalid_state", "current": current, "allowed": [allowed] }));
    sends(operation)
}

fn email_cis_statement() -> Operation {
    let description = "Queues the payment and deduction statement of a tax month and answers at once; `GET …/emails/{id}` says what became of \
         it. Without `to` it goes to the address of the supplier; without `subject` and `message` the service writes them, with the \
         figures. 404 when nothing was withheld in the tax month. 503 `busy` when 10,000 e-mails of the organisation wait.";
    let example = json!({ "tax_month_end": "2026-04-05", "to": ["reed@example.com"] });
    let operation = about_one("supplier", STATED, "E-mail the CIS statement of a supplier", description);
    sends(operation.request(named("SendCisStatement"), example))
}

fn email_customer_statement() -> Operation {
    let description = "Queues the statement of account of a period and answers at once; `GET …/emails/{id}` says what became of it. Without `to` it \
         goes to the address of the customer; without `subject` and `message` the service writes them, with both balances. 503 `busy` \
         when 10,000 e-mails of the organisation wait.";
    let example = json!({ "period_start": "2026-01-01", "period_end": "2026-03-31", "to": ["accounts@example.com"] });
    let operation = about_one("customer", 3, "E-mail the statement of a customer", description)
        .request(named("SendStatement"), example)
        .rule("period_end", "must not be before the first day of the period")
        .rule("period_end", "must end a period of at most 3660 days");
    sends(operation)
}

/// What every operation that queues an e-mail has.
fn sends(operation: Operation) -> Operation {
    operation
        .answer::<Data<EmailJson>>(200, "Only with `dry_run=true`: what would have been queued, with null ids.")
        .answer::<Data<EmailJson>>(202, "The e-mail was queued.")
        .refusals(&["no_recipient"])
        .error(ErrorCode::Busy)
        .change()
        .versioned()
}

/// `GET …/emails`.
pub fn list_emails() -> Operation {
    inside("List e-mails", "Newest first.")
        .query("document_type", "Of this kind of document only.", document_type(), "sales_invoice".into())
        .query("document_id", "Of the document with this id only.", id(), 8.into())
        .query("status", "In this state only.", status(), "sent".into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .answer::<PageOf<EmailJson>>(200, "The e-mails.")
}

/// `GET …/emails/{id}`.
pub fn get_email() -> Operation {
    about_one(
        "e-mail",
        1,
        "Get an e-mail",
        "`sent`: the mail server accepted it. `failed`: it was refused for good, and `error` says why. `uncertain`: the service was \
         interrupted while it was leaving, so that it may have been sent or not.",
    )
    .answer::<Data<EmailJson>>(200, "The e-mail.")
}

/// `POST …/emails/{id}/resend`.
pub fn resend_email() -> Operation {
    about_one(
        "e-mail",
        2,
        "Send an e-mail again",
        "For one that failed or may have been sent. It keeps its `message_id`, by which a mailbox may know that it has it already. The \
         bytes of its PDF are dropped 30 days after it came to its end: then the PDF is rendered again from the document as it is now, \
         and `pdf_changed` says whether it is another file than the first.",
    )
    .answer::<Data<EmailJson>>(200, "Only with `dry_run=true`: what would have been queued.")
    .answer::<Data<EmailJson>>(202, "The e-mail was queued again.")
    .conflict(json!({ "reason": "invalid_state", "current": "sent", "allowed": ["failed", "uncertain"] }))
    .error(ErrorCode::Busy)
    .change()
}

/// `POST …/emails/{id}/cancel`.
pub fn cancel_email() -> Operation {
    about_one("e-mail", 3, "Cancel an e-mail", "Takes one out of the queue; what has begun to leave cannot be stopped.")
        .answer::<Data<EmailJson>>(200, "The cancelled e-mail.")
        .conflict(json!({ "reason": "invalid_state", "current": "sent", "allowed": ["queued"] }))
        .change()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let most = usize::try_from(ADDRESSES_MAX).unwrap_or(usize::MAX);
    let addresses = |least: usize| {
        let address = text(5, 254).pattern(Some(ADDRESS));
        array(address).min_items(Some(least)).max_items(Some(most))
    };
    let fields = || {
        vec![
            maybe_array("to", addresses(1)),
            maybe_array("cc", addresses(0)),
            maybe("subject", label(SUBJECT_CHARS_MAX)),
            maybe(
                "message",
                text(1, MESSAGE_CHARS_MAX).pattern(Some(r"^(?:[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\r\n)*$")),
            ),
            maybe("attach_pdf", boolean()),
        ]
    };
    let of_document = strict("What is to be sent; everything may be left out.", fields());
    let mut month = vec![required("tax_month_end", tax_month_in())];
    month.extend(fields());
    let of_month = strict("What is to be sent; only the tax month has to be said.", month);
    let mut days = vec![required("period_start", date_in()), required("period_end", date_in())];
    days.extend(fields());
    let of_days = strict("What is to be sent; only the days have to be said.", days);
    vec![("SendEmail", of_document.into()), ("SendCisStatement", of_month.into()), ("SendStatement", of_days.into())]
}

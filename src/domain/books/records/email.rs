//! E-mails of documents: the input, the record, and the filter of the list.

use sha2::{Digest as _, Sha256};

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::books::records::document::DocumentView;
use crate::domain::books::records::settlement::SettlementView;
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::domain::mail::{EmailStatus, EmailedType};
use crate::domain::reports::Period;

/// The document that an e-mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailedDocument {
    /// A sales invoice or credit note.
    Document(DocumentKind, i64),
    /// A customer receipt or supplier payment.
    Settlement(ContactKind, i64),
    /// The payment and deduction statement of a supplier for a tax month.
    CisStatement(i64, TaxMonth),
    /// The statement of a customer over a period.
    CustomerStatement(i64, Period),
}

impl EmailedDocument {
    /// The identifier of it, or of the customer or supplier of a statement.
    pub const fn id(self) -> i64 {
        match self {
            Self::Document(_, id)
            | Self::Settlement(_, id)
            | Self::CisStatement(id, _)
            | Self::CustomerStatement(id, _) => id,
        }
    }

    /// The same, to be replaced.
    pub(crate) const fn id_mut(&mut self) -> &mut i64 {
        match self {
            Self::Document(_, id)
            | Self::Settlement(_, id)
            | Self::CisStatement(id, _)
            | Self::CustomerStatement(id, _) => id,
        }
    }

    /// The days of a statement.
    pub fn period(self) -> Option<Period> {
        match self {
            Self::Document(..) | Self::Settlement(..) => None,
            Self::CisStatement(_, month) => Some(month.period()),
            Self::CustomerStatement(_, period) => Some(period),
        }
    }

    /// The word for it; none for a document that is never e-mailed.
    pub const fn document_type(self) -> Option<EmailedType> {
        match self {
            Self::Document(DocumentKind::SalesInvoice, _) => Some(EmailedType::SalesInvoice),
            Self::Document(DocumentKind::SalesCreditNote, _) => Some(EmailedType::SalesCreditNote),
            Self::Document(DocumentKind::PurchaseInvoice | DocumentKind::PurchaseCreditNote, _) => None,
            Self::Settlement(ContactKind::Customer, _) => Some(EmailedType::CustomerReceipt),
            Self::Settlement(ContactKind::Supplier, _) => Some(EmailedType::SupplierPayment),
            Self::CisStatement(..) => Some(EmailedType::CisStatement),
            Self::CustomerStatement(..) => Some(EmailedType::CustomerStatement),
        }
    }
}

/// What callers see of a document that is e-mailed, for the PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmailedView {
    /// A sales invoice or credit note.
    Document(Box<DocumentView>),
    /// A receipt or payment.
    Settlement(Box<SettlementView>),
}

impl EmailedView {
    /// Counts the changes of what is printed: e-mails are versions of their own, and print alike.
    pub const fn printed_version(&self) -> i64 {
        match self {
            Self::Document(view) => view.version - view.email_count,
            Self::Settlement(view) => view.version - view.email_count,
        }
    }
}

/// A PDF that goes with an e-mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The name of the file: `INV-0103.pdf`.
    pub file_name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// The SHA-256 of the file in hexadecimal.
    pub fn sha256(&self) -> String {
        Sha256::digest(&self.bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// An e-mail as asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailInput {
    /// The document.
    pub document: EmailedDocument,
    /// The addresses of `To`; the address of the contact when none is given.
    pub to: Option<Vec<String>>,
    /// The addresses of `Cc`.
    pub cc: Vec<String>,
    /// The subject, when the caller writes it.
    pub subject: Option<String>,
    /// The text, when the caller writes it.
    pub message: Option<String>,
    /// What the text says of a statement, unless the caller writes it; nothing where there is no statement to send.
    pub figures: Vec<(&'static str, Pence)>,
    /// The PDF of the document, where one is rendered.
    pub attachment: Option<Attachment>,
    /// The version of the document that the PDF shows, e-mails not counted, or of the customer or supplier of a statement.
    pub rendered_version: Option<i64>,
    /// The address answers go to.
    pub reply_to: String,
    /// The `Message-ID` without its brackets.
    pub message_id: String,
}

/// An e-mail as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailRecord {
    /// Identifier; 0 in a dry run.
    pub id: i64,
    /// The kind of document.
    pub document_type: EmailedType,
    /// The document, or the customer or supplier of a statement.
    pub document_id: i64,
    /// The days of a statement.
    pub period: Option<Period>,
    /// Who asked for it.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// The name in `From`.
    pub sender_name: String,
    /// The address answers go to.
    pub reply_to: String,
    /// The addresses of `To`.
    pub to: Vec<String>,
    /// The addresses of `Cc`.
    pub cc: Vec<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub message: String,
    /// The `Message-ID` without its brackets.
    pub message_id: String,
    /// The PDF; only of a new e-mail, of one that is about to be sent, and of one whose PDF was rendered again.
    pub attachment: Option<Attachment>,
    /// The SHA-256 of the PDF in hexadecimal.
    pub pdf_sha256: Option<String>,
    /// Whether there was a PDF whose bytes are dropped, so that it is rendered again before the e-mail is sent again.
    pub is_pdf_dropped: bool,
    /// Whether the PDF was rendered again and is another one than before.
    pub is_pdf_changed: bool,
    /// What became of it.
    pub status: EmailStatus,
    /// How often it was begun to be sent.
    pub attempts: i64,
    /// When it may be sent, in milliseconds; none unless it is queued.
    pub next_attempt_at_ms: Option<i64>,
    /// What went wrong last.
    pub error: Option<String>,
    /// When it was queued first.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// When it was accepted.
    pub sent_at_ms: Option<i64>,
}

impl EmailRecord {
    /// The document it is about.
    pub fn document(&self) -> Option<EmailedDocument> {
        let id = self.document_id;
        Some(match self.document_type {
            EmailedType::SalesInvoice => EmailedDocument::Document(DocumentKind::SalesInvoice, id),
            EmailedType::SalesCreditNote => EmailedDocument::Document(DocumentKind::SalesCreditNote, id),
            EmailedType::CustomerReceipt => EmailedDocument::Settlement(ContactKind::Customer, id),
            EmailedType::SupplierPayment => EmailedDocument::Settlement(ContactKind::Supplier, id),
            EmailedType::CisStatement => EmailedDocument::CisStatement(id, TaxMonth::ending(self.period?.last)?),
            EmailedType::CustomerStatement => EmailedDocument::CustomerStatement(id, self.period?),
        })
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .text("status", self.status.as_str())
            .number("attempts", self.attempts)
            .text("error", self.error.as_deref())
            .flag("pdf_changed", self.is_pdf_changed)
    }
}

/// Which e-mails.
#[derive(Debug, Clone, Default)]
pub struct EmailFilter {
    /// Of this kind of document.
    pub document_type: Option<EmailedType>,
    /// Of the document with this identifier.
    pub document_id: Option<i64>,
    /// In this state.
    pub status: Option<EmailStatus>,
    /// Changed at this moment or later, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

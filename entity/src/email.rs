//! An e-mail of a document.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An e-mail of a document: what waits, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "email")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose document it is.
    pub organisation_id: i64,
    /// Who asked for it.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// The kind of document, as the API words it.
    pub document_type: String,
    /// The document.
    pub document_id: i64,
    /// The name in `From`.
    pub sender_name: String,
    /// The address answers go to.
    pub reply_to: String,
    /// The addresses of `To`, as JSON.
    pub recipients: String,
    /// The addresses of `Cc`, as JSON.
    pub copies: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub message: String,
    /// The `Message-ID` without its brackets; the same whenever the e-mail is sent.
    pub message_id: String,
    /// The file name of the attached PDF.
    pub pdf_name: Option<String>,
    /// Its bytes, until some time after it was sent.
    pub pdf: Option<Vec<u8>>,
    /// Their SHA-256 in hexadecimal.
    pub pdf_sha256: Option<String>,
    /// `queued`, `sending`, `sent`, `failed`, `uncertain` or `cancelled`.
    pub status: String,
    /// How often it was begun to be sent.
    pub attempts: i64,
    /// When it may be sent; null unless it is queued.
    pub next_attempt_at: Option<i64>,
    /// What went wrong last.
    pub error: Option<String>,
    /// The fence of the right to send under which it was last begun to be sent.
    pub fence: i64,
    /// The outbox it is or was put into; null for a mail server.
    pub outbox: Option<String>,
    /// When it was last begun to be sent.
    pub left_at: Option<i64>,
    /// When it was queued first.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
    /// When it was accepted.
    pub sent_at: Option<i64>,
    /// The first day of a statement.
    pub period_start_day: Option<i64>,
    /// Its last day.
    pub period_end_day: Option<i64>,
    /// Whether the PDF was rendered again and is another one than before.
    pub pdf_changed: bool,
}

impl ActiveModelBehavior for ActiveModel {}

//! Decides commands about e-mails: what is queued, queued again, and taken out of the queue.

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::email::{Attachment, EmailInput, EmailRecord, EmailedDocument};
use crate::domain::books::records::settlement::SettlementRecord;
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::mail::{EmailStatus, EmailedType, Letter, WAITING_MAX, is_address, long_date, pounds};

impl BooksTransaction<'_> {
    /// Queues an e-mail of a document. The document says when it was e-mailed last; its status stays.
    pub(crate) fn send_email(
        &mut self,
        request: &CommandRequest,
        entry: &EmailInput,
    ) -> Result<CommandResult, Rejection> {
        let document_type = entry.document.document_type().ok_or(Rejection::Unknown)?;
        let (contact_id, version, letter) = self.letter_of(request, entry, document_type)?;
        if entry.rendered_version.is_some_and(|rendered| rendered != version) {
            return Err(Refusal::StaleVersion.into());
        }
        let to = match &entry.to {
            Some(to) => to.clone(),
            None => vec![self.address_of(contact_id).ok_or(Refusal::NoRecipient)?],
        };
        self.require_room()?;
        let row = EmailRecord {
            id: self.identifiers.next(IdSequence::Email),
            document_type,
            document_id: entry.document.id(),
            period: entry.document.period(),
            user_id: self.actor.user_id.0,
            key_prefix: self.actor.key_prefix.clone(),
            sender_name: self.books.organisation.name.clone(),
            reply_to: entry.reply_to.clone(),
            to,
            cc: entry.cc.clone(),
            subject: entry.subject.clone().unwrap_or(letter.0),
            message: entry.message.clone().unwrap_or(letter.1),
            message_id: entry.message_id.clone(),
            pdf_sha256: entry.attachment.as_ref().map(Attachment::sha256),
            attachment: entry.attachment.clone(),
            is_pdf_dropped: false,
            is_pdf_changed: false,
            status: EmailStatus::Queued,
            attempts: 0,
            next_attempt_at_ms: Some(self.now_ms),
            error: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            sent_at_ms: None,
        };
        self.note_emailed(entry)?;
        Ok(self.queue(row))
    }

    /// Queues an e-mail once more that failed or may have been sent. It keeps its `Message-ID`, so that a mailbox which has
    /// it already may know it. Where the bytes of its PDF are dropped, `rendered` takes their place, and the e-mail says
    /// whether that is another file.
    pub(crate) fn resend_email(&mut self, id: i64, rendered: Option<&Attachment>) -> Result<CommandResult, Rejection> {
        let row = self.email(id, &[EmailStatus::Failed, EmailStatus::Uncertain], &["failed", "uncertain"])?;
        self.require_room()?;
        if row.is_pdf_dropped && rendered.is_none() {
            return Err(Refusal::StaleVersion.into());
        }
        let attachment = rendered.filter(|_| row.is_pdf_dropped).cloned();
        let rendered_sha256 = attachment.as_ref().map(Attachment::sha256);
        let queued = EmailRecord {
            is_pdf_dropped: false,
            is_pdf_changed: row.is_pdf_changed || (attachment.is_some() && rendered_sha256 != row.pdf_sha256),
            pdf_sha256: rendered_sha256.or_else(|| row.pdf_sha256.clone()),
            attachment,
            status: EmailStatus::Queued,
            attempts: 0,
            next_attempt_at_ms: Some(self.now_ms),
            error: None,
            updated_at_ms: self.now_ms,
            ..row.clone()
        };
        self.record_email_change(ChangeAction::Resend, &row, &queued);
        Ok(self.queue(queued))
    }

    /// Takes an e-mail out of the queue.
    pub(crate) fn cancel_email(&mut self, id: i64) -> Result<CommandResult, Rejection> {
        let row = self.email(id, &[EmailStatus::Queued], &["queued"])?;
        let cancelled = EmailRecord {
            status: EmailStatus::Cancelled,
            next_attempt_at_ms: None,
            updated_at_ms: self.now_ms,
            ..row.clone()
        };
        self.record_email_change(ChangeAction::Cancel, &row, &cancelled);
        let organisation = self.organisation();
        self.facts.waiting_emails.update(&organisation, |waiting| *waiting -= 1);
        Ok(self.put_email(cancelled))
    }

    /// An e-mail of this organisation in one of these states.
    fn email(
        &self,
        id: i64,
        states: &[EmailStatus],
        allowed: &'static [&'static str],
    ) -> Result<EmailRecord, Rejection> {
        let found = self.facts.emails.get(&id).filter(|(of, _)| *of == self.organisation());
        let (_, row) = found.ok_or(Rejection::Unknown)?;
        if !states.contains(&row.status) {
            return Err(Refusal::InvalidState { current: row.status.as_str(), allowed }.into());
        }
        Ok(row.clone())
    }

    /// Refuses one more e-mail when too many wait.
    fn require_room(&self) -> Result<(), Rejection> {
        let waiting = self.facts.waiting_emails.get(&self.organisation()).copied().unwrap_or_default();
        if waiting < WAITING_MAX { Ok(()) } else { Err(Rejection::MailQueueFull) }
    }

    /// Sets an e-mail that waits.
    fn queue(&mut self, row: EmailRecord) -> CommandResult {
        let organisation = self.organisation();
        let waiting = self.facts.waiting_emails.get(&organisation).copied().unwrap_or_default();
        self.facts.waiting_emails.insert(organisation, waiting + 1);
        self.put_email(row)
    }

    /// Sets an e-mail.
    fn put_email(&mut self, row: EmailRecord) -> CommandResult {
        let organisation = self.organisation();
        self.facts.emails.insert(row.id, (organisation, row.clone()));
        self.effects.push(organisation, Effect::Email(row.id));
        CommandResult::Email(Box::new(row))
    }

    fn record_email_change(&mut self, action: ChangeAction, before: &EmailRecord, after: &EmailRecord) {
        let summary = format!("E-mail \"{}\" {}", before.subject, action.done());
        let (on, before, after) = ((Resource::Email, after.id), before.audit_fields(), after.audit_fields());
        self.record_change(action, on, summary, Some(before), Some(after));
    }

    /// The address of a contact, if it is one that can be written to.
    fn address_of(&self, contact_id: i64) -> Option<String> {
        let (_, contact) = self.facts.contacts.get(&contact_id)?;
        contact.details.email.clone().filter(|address| is_address(address))
    }

    /// The contact of a document that may be e-mailed, the version of what is printed, and the subject and text that go with it.
    fn letter_of(
        &self,
        request: &CommandRequest,
        entry: &EmailInput,
        document_type: EmailedType,
    ) -> Result<(i64, i64, (String, String)), Rejection> {
        let (contact_id, version, title, facts) = match entry.document {
            EmailedDocument::Document(kind, id) => {
                let row = self.document_row(request, kind, id)?;
                if row.stage != Stage::Issued {
                    return Err(Refusal::InvalidState { current: row.status(), allowed: &["issued"] }.into());
                }
                (row.contact_id, row.printed_version(), document_title(&row), document_facts(&row))
            }
            EmailedDocument::Settlement(side, id) => {
                let row = self.known_settlement(side, id).ok_or(Rejection::Unknown)?;
                require_version(request, row.version)?;
                if row.is_void() {
                    return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] }.into());
                }
                (row.contact_id, row.printed_version(), settlement_title(row, document_type), settlement_facts(row))
            }
            EmailedDocument::CisStatement(id, _) | EmailedDocument::CustomerStatement(id, _) => {
                let is_of_customer = matches!(entry.document, EmailedDocument::CustomerStatement(..));
                let kind = if is_of_customer { ContactKind::Customer } else { ContactKind::Supplier };
                let row = self.contact(request, kind, id)?;
                if entry.figures.is_empty() {
                    return Err(Rejection::Unknown);
                }
                let figures = entry.figures.iter().map(|(name, amount)| (*name, pounds(*amount)));
                (id, row.version, statement_title(entry.document), figures.collect())
            }
        };
        let contact = self.contact_name(contact_id);
        let letter = Letter { title, contact: &contact, organisation: &self.books.organisation.name, facts };
        Ok((contact_id, version, (letter.subject(), letter.message())))
    }

    /// Notes on the document, or in the history of the contact of a statement, that it was e-mailed.
    fn note_emailed(&mut self, entry: &EmailInput) -> Result<(), Rejection> {
        match entry.document {
            EmailedDocument::Document(_, id) => {
                let row = self.facts.document(self.organisation(), id).cloned().ok_or(Rejection::Unknown)?;
                // Another process may have read the clock before this one and committed after it.
                let last_emailed_at_ms = row.last_emailed_at_ms.max(Some(self.now_ms));
                let updated_at_ms = self.now_ms;
                let (email_count, version) = (row.email_count + 1, row.version + 1);
                let row = DocumentRecord { last_emailed_at_ms, email_count, updated_at_ms, version, ..row };
                self.put_document_as(ChangeAction::Email, row);
            }
            EmailedDocument::Settlement(side, id) => {
                let before = self.known_settlement(side, id).cloned().ok_or(Rejection::Unknown)?;
                let after = SettlementRecord {
                    last_emailed_at_ms: before.last_emailed_at_ms.max(Some(self.now_ms)),
                    email_count: before.email_count + 1,
                    updated_at_ms: self.now_ms,
                    version: before.version + 1,
                    ..before.clone()
                };
                let summary = format!("{} {}", after.title(), ChangeAction::Email.done());
                let (on, fields) = ((after.resource(), id), [before.audit_fields(), after.audit_fields()]);
                self.put_settlement(after);
                let [before, after] = fields.map(Some);
                self.record_change(ChangeAction::Email, on, summary, before, after);
            }
            EmailedDocument::CisStatement(id, _) | EmailedDocument::CustomerStatement(id, _) => {
                let (_, row) = self.facts.contacts.get(&id).ok_or(Rejection::Unknown)?;
                let what = statement_title(entry.document);
                let summary = format!("{what} of {} {}", row.details.name, ChangeAction::Email.done());
                let (on, nothing) = ((row.resource(), id), || Some(AuditFields::new()));
                self.record_change(ChangeAction::Email, on, summary, nothing(), nothing());
            }
        }
        Ok(())
    }
}

/// What a statement is called, with its days.
fn statement_title(document: EmailedDocument) -> String {
    let [first, last] =
        document.period().map_or_else(Default::default, |period| [period.first, period.last].map(long_date));
    match document {
        EmailedDocument::CustomerStatement(..) => format!("Statement of account from {first} to {last}"),
        _ => format!("Payment and deduction statement for the tax month to {last}"),
    }
}

fn document_title(row: &DocumentRecord) -> String {
    let what = if row.kind == DocumentKind::SalesCreditNote { "Credit note" } else { "Invoice" };
    format!("{what} {}", row.number.as_deref().unwrap_or_default())
}

fn document_facts(row: &DocumentRecord) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Date", long_date(row.date)), ("Total", pounds(Pence(row.gross_pence())))];
    if row.kind == DocumentKind::SalesInvoice {
        facts.push(("To pay", pounds(Pence(row.due_pence()))));
        facts.extend(row.due_date.map(|date| ("Due", long_date(date))));
    }
    facts
}

fn settlement_title(row: &SettlementRecord, document_type: EmailedType) -> String {
    let what = match (row.kind.is_refund(), document_type) {
        (true, _) => "Refund",
        (false, EmailedType::SupplierPayment) => "Remittance advice",
        (false, _) => "Receipt",
    };
    format!("{what} {}", row.number)
}

fn settlement_facts(row: &SettlementRecord) -> Vec<(&'static str, String)> {
    vec![("Date", long_date(row.date)), ("Amount", pounds(Pence(row.amount_pence)))]
}

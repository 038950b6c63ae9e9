//! The bytes of an e-mail: RFC 5322 with MIME. Every header is made from typed values; nothing a caller wrote reaches
//! one as it stands.

use std::time::{Duration, SystemTime};

use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment as Part, Mailbox, Message, MultiPart, SinglePart};

use super::dkim::DkimKey;
use crate::domain::books::records::email::EmailRecord;
use crate::domain::mail::one_line;

/// An e-mail as it goes over the wire or into a file.
pub struct Composed {
    /// The name of its file in an outbox: its `Message-ID`.
    pub message_id: String,
    /// From and to whom.
    pub envelope: Envelope,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Who sends.
pub struct Sender {
    /// The service's own address, in `From` and in the envelope.
    pub address: Address,
    /// What signs.
    pub dkim: Option<DkimKey>,
}

impl Sender {
    /// Composes an e-mail that is sent at a moment, given in milliseconds; an error says why that cannot be.
    pub fn compose(&self, email: &EmailRecord, now_ms: i64) -> Result<Composed, String> {
        let date = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).unwrap_or_default());
        let mut builder = Message::builder()
            .from(Mailbox::new(Some(one_line(&email.sender_name)), self.address.clone()))
            .subject(one_line(&email.subject))
            .date(date)
            .message_id(Some(format!("<{}>", email.message_id)));
        if let Some(reply_to) = address(&email.reply_to) {
            builder = builder.reply_to(Mailbox::new(None, reply_to));
        }
        for to in &email.to {
            builder = builder.to(mailbox(to)?);
        }
        for cc in &email.cc {
            builder = builder.cc(mailbox(cc)?);
        }
        // RFC 3834: no machine shall answer.
        let builder = builder.raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
        let message = match &email.attachment {
            None => builder.singlepart(SinglePart::plain(email.message.clone())),
            Some(pdf) => {
                let kind = ContentType::parse("application/pdf").map_err(|error| error.to_string())?;
                let part = Part::new(pdf.file_name.clone()).body(pdf.bytes.clone(), kind);
                let text = SinglePart::plain(email.message.clone());
                builder.multipart(MultiPart::mixed().singlepart(text).singlepart(part))
            }
        };
        let message = message.map_err(|error| error.to_string())?;
        let (envelope, mut bytes) = (message.envelope().clone(), message.formatted());
        if let Some(key) = &self.dkim {
            let mut signed = key.signature(&bytes, now_ms / 1000)?.into_bytes();
            signed.append(&mut bytes);
            bytes = signed;
        }
        Ok(Composed { message_id: email.message_id.clone(), envelope, bytes })
    }
}

fn address(text: &str) -> Option<Address> {
    text.parse().ok()
}

fn mailbox(text: &str) -> Result<Mailbox, String> {
    address(text).map(|address| Mailbox::new(None, address)).ok_or_else(|| format!("{text:?} is no e-mail address"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::email::Attachment;
    use crate::domain::mail::{EmailStatus, EmailedType};

    fn email() -> EmailRecord {
        EmailRecord {
            id: 1,
            document_type: EmailedType::SalesInvoice,
            document_id: 1,
            period: None,
            user_id: 1,
            key_prefix: None,
            sender_name: "Larkspur, \"Joinery\" Ltd".to_owned(),
            reply_to: "owner@example.com".to_owned(),
            to: vec!["a@example.com".to_owned(), "b@example.com".to_owned()],
            cc: vec!["c@example.com".to_owned()],
            subject: "Invoice £1".to_owned(),
            message: "Dear you,\n.\nBcc: x@example.com\n\n£5".to_owned(),
            message_id: "0195@books.example".to_owned(),
            attachment: None,
            pdf_sha256: None,
            is_pdf_dropped: false,
            is_pdf_changed: false,
            status: EmailStatus::Queued,
            attempts: 0,
            next_attempt_at_ms: None,
            error: None,
            created_at_ms: 0,
            updated_at_ms: 0,
            sent_at_ms: None,
        }
    }

    fn composed(email: &EmailRecord) -> (String, Envelope) {
        let sender = Sender { address: "books@books.example".parse().unwrap(), dkim: None };
        let composed = sender.compose(email, 1_773_144_000_000).unwrap();
        (String::from_utf8(composed.bytes).unwrap(), composed.envelope)
    }

    fn header<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
        let head = text.split("\r\n\r\n").next().unwrap();
        head.split("\r\n").filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect()
    }

    #[test]
    fn headers_say_who_sends_to_whom_and_that_a_machine_does() {
        let (text, envelope) = composed(&email());
        assert_eq!(header(&text, "From"), ["=?utf-8?b?TGFya3NwdXIsICJKb2luZXJ5IiBMdGQ=?= <books@books.example>"]);
        assert_eq!(header(&text, "Reply-To"), ["owner@example.com"]);
        assert_eq!(header(&text, "To"), ["a@example.com, b@example.com"]);
        assert_eq!(header(&text, "Cc"), ["c@example.com"]);
        assert_eq!(header(&text, "Bcc"), [""; 0]);
        assert_eq!(header(&text, "Message-ID"), ["<0195@books.example>"]);
        assert_eq!(header(&text, "Date"), ["Tue, 10 Mar 2026 12:00:00 +0000"]);
        assert_eq!(header(&text, "Auto-Submitted"), ["auto-generated"]);
        assert_eq!(header(&text, "Subject"), ["Invoice =?utf-8?b?wqMx?="]);
        assert_eq!(envelope.from().map(ToString::to_string).as_deref(), Some("books@books.example"));
        let to: Vec<String> = envelope.to().iter().map(ToString::to_string).collect();
        assert_eq!(to, ["a@example.com", "b@example.com", "c@example.com"]);
        assert!(text.is_ascii() && text.contains("Content-Transfer-Encoding: quoted-printable"), "{text}");
    }

    #[test]
    fn what_was_stored_with_line_breaks_makes_no_header() {
        let odd = EmailRecord {
            sender_name: "Larkspur\r\nBcc: x@example.com".to_owned(),
            subject: "Invoice\r\nBcc: x@example.com\r\n\r\nbody".to_owned(),
            ..email()
        };
        let (text, _) = composed(&odd);
        let head = text.split("\r\n\r\n").next().unwrap();
        assert!(!head.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc")), "{head}");
        let sender = Sender { address: "books@books.example".parse().unwrap(), dkim: None };
        let bad = EmailRecord { to: vec!["a@example.com\r\nBcc: x@example.com".to_owned()], ..email() };
        assert!(sender.compose(&bad, 0).is_err());
    }

    #[test]
    fn a_pdf_goes_with_it_as_a_file() {
        let pdf = Attachment { file_name: "INV-0103.pdf".to_owned(), bytes: b"%PDF-1.7 \xff\r\n.\r\n".to_vec() };
        let (text, _) = composed(&EmailRecord { attachment: Some(pdf), ..email() });
        assert!(text.contains("Content-Disposition: attachment; filename=\"INV-0103.pdf\""), "{text}");
        assert!(text.contains("Content-Type: application/pdf") && text.contains("base64"), "{text}");
        assert!(text.is_ascii());
    }
}

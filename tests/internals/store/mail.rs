//! The right to send e-mails and the moves of a message: leases, fences, what a dead process leaves, old PDFs.

use bookkeeping_suite::domain::mail::EmailStatus;
use bookkeeping_suite::store::{MailEnd, MailMove, MailSlot};

use super::fixture::{LEASE_MS, START_MS, StoreFixture, store_suite};

store_suite![
    only_the_holder_begins_a_message_and_only_once,
    what_a_dead_process_was_sending_is_uncertain,
    who_lost_the_right_still_says_what_became_of_its_message,
    organisations_stand_side_by_side_with_their_owner,
    the_bytes_of_a_pdf_go_a_month_after_its_end,
];

impl StoreFixture {
    /// Writes an e-mail of an organisation that may be sent at a moment.
    async fn email(&self, id: i64, organisation: i64, due_ms: i64) {
        let sql = format!(
            "insert into email (id, organisation_id, user_id, document_type, document_id, sender_name, reply_to, recipients, \
             copies, subject, message, message_id, status, attempts, next_attempt_at, fence, created_at, updated_at) \
             values ({id}, {organisation}, 1, 'customer_receipt', 1, 'A', 'a@example.com', '[\"b@example.com\"]', '[]', 'S', \
             'M', '{id}@books.example', 'queued', 0, {due_ms}, 0, {START_MS}, {START_MS})"
        );
        self.tamper(&sql).await;
    }

    async fn with_emails(&self, count: i64) -> i64 {
        let owner = self.user(1, 0).await;
        let organisation = self.organisation(owner, "Larkspur Joinery Ltd", false).await.id.0;
        for id in 1..=count {
            self.email(id, organisation, START_MS).await;
        }
        organisation
    }

    async fn held(&self, holder: &str) -> i64 {
        match self.store.writer.take_mail_slot(holder, LEASE_MS, false).await.unwrap() {
            MailSlot::Held { fence, .. } => fence,
            other => panic!("{other:?}"),
        }
    }

    async fn begin(&self, id: i64, holder: &str, fence: i64, outbox: Option<&str>) -> MailMove {
        self.store.writer.begin_email(id, (holder, fence, LEASE_MS), outbox).await.unwrap()
    }

    async fn end(&self, id: i64, fence: i64, status: EmailStatus) -> MailMove {
        let end = MailEnd { email: id, fence, status, next_attempt_at_ms: None, error: None, counts: true };
        self.store.writer.end_email(end).await.unwrap()
    }

    async fn status(&self, id: i64) -> (EmailStatus, i64) {
        let email = self.store.reader.email_to_send(id).await.unwrap().unwrap();
        (email.status, email.attempts)
    }
}

async fn only_the_holder_begins_a_message_and_only_once(bed: &StoreFixture) {
    bed.with_emails(1).await;
    let fence = bed.held("one").await;
    assert_eq!(bed.held("one").await, fence);
    assert_eq!(bed.begin(1, "two", fence, None).await, MailMove::Lost);
    assert_eq!(bed.begin(1, "one", fence - 1, None).await, MailMove::Lost);
    assert_eq!(bed.status(1).await, (EmailStatus::Queued, 0));
    assert_eq!(bed.begin(1, "one", fence, None).await, MailMove::Done);
    assert_eq!(bed.begin(1, "one", fence, None).await, MailMove::Gone);
    assert_eq!(bed.status(1).await, (EmailStatus::Sending, 1));
    assert_eq!(bed.end(1, fence - 1, EmailStatus::Failed).await, MailMove::Gone);
    assert_eq!(bed.end(1, fence, EmailStatus::Sent).await, MailMove::Done);
    assert_eq!(bed.end(1, fence, EmailStatus::Failed).await, MailMove::Gone);
    assert_eq!(bed.status(1).await, (EmailStatus::Sent, 1));
    bed.assert_sound().await;
}

async fn what_a_dead_process_was_sending_is_uncertain(bed: &StoreFixture) {
    bed.with_emails(3).await;
    let fence = bed.held("one").await;
    assert_eq!(bed.begin(1, "one", fence, None).await, MailMove::Done);
    assert_eq!(bed.begin(2, "one", fence, Some("box")).await, MailMove::Done);
    let take = || bed.store.writer.take_mail_slot("two", LEASE_MS, false);
    if bed.database.is_some() {
        bed.clock.advance_ms(LEASE_MS);
        assert!(
            matches!(take().await.unwrap(), MailSlot::HeldElsewhere { lease_until_ms } if lease_until_ms == START_MS + LEASE_MS)
        );
        bed.clock.advance_ms(1);
    }
    // With one process to a database the earlier holder is gone, whatever its lease.
    assert_eq!(take().await.unwrap(), MailSlot::Held { fence: fence + 1, uncertain: 1 });
    assert_eq!((bed.status(1).await.0, bed.status(3).await.0), (EmailStatus::Uncertain, EmailStatus::Queued));
    // What was leaving by an outbox is for whoever has the outbox.
    assert_eq!(bed.status(2).await.0, EmailStatus::Sending);
    assert_eq!(bed.store.reader.emails_in_outbox("box").await.unwrap(), [(2, "2@books.example".to_owned(), fence)]);
    assert!(bed.store.reader.emails_in_outbox("other").await.unwrap().is_empty());
    assert_eq!(take().await.unwrap(), MailSlot::Held { fence: fence + 1, uncertain: 0 });
    // The same process after a panic: what it was sending is given up.
    assert_eq!(bed.begin(3, "two", fence + 1, None).await, MailMove::Done);
    let again = bed.store.writer.take_mail_slot("two", LEASE_MS, true).await.unwrap();
    assert_eq!(again, MailSlot::Held { fence: fence + 2, uncertain: 1 });
    bed.assert_sound().await;
}

async fn who_lost_the_right_still_says_what_became_of_its_message(bed: &StoreFixture) {
    bed.with_emails(1).await;
    let fence = bed.held("one").await;
    bed.begin(1, "one", fence, None).await;
    bed.clock.advance_ms(LEASE_MS + 1);
    assert_eq!(bed.held("two").await, fence + 1);
    assert_eq!(bed.begin(1, "one", fence, None).await, MailMove::Lost);
    assert!(!bed.store.writer.keep_mail_slot("one", fence, LEASE_MS).await.unwrap());
    assert_eq!(bed.end(1, fence, EmailStatus::Sent).await, MailMove::Done);
    assert_eq!(bed.status(1).await.0, EmailStatus::Sent);
    bed.store.writer.release_mail_slot("one").await.unwrap();
    assert!(bed.store.writer.keep_mail_slot("two", fence + 1, LEASE_MS).await.unwrap());
    bed.store.writer.release_mail_slot("two").await.unwrap();
    assert_eq!(bed.held("three").await, fence + 2);
    bed.assert_sound().await;
}

async fn organisations_stand_side_by_side_with_their_owner(bed: &StoreFixture) {
    let mut expected = Vec::new();
    for place in 0..3 {
        let owner = bed.user(1, 0).await;
        let organisation = bed.organisation(owner, "Larkspur Joinery Ltd", false).await.id.0;
        bed.email(place * 10 + 1, organisation, START_MS + 5).await;
        bed.email(place * 10 + 2, organisation, START_MS + 1).await;
        expected.push((organisation, owner.0, place * 10 + 2));
    }
    let shown = |after: i64, limit: u64| {
        let reader = bed.store.reader.clone();
        async move {
            let heads = reader.mail_heads(after, limit).await.unwrap();
            heads.iter().map(|head| (head.organisation, head.owner, head.email)).collect::<Vec<_>>()
        }
    };
    assert_eq!(shown(0, 10).await, expected);
    assert_eq!(shown(0, 2).await, expected[..2]);
    assert_eq!(shown(expected[0].0, 10).await, expected[1..]);
    assert!(shown(expected[2].0, 10).await.is_empty());
    let waiting = bed.store.reader.mail_waiting().await.unwrap();
    assert_eq!((waiting.waiting, waiting.oldest_at_ms), (6, Some(START_MS)));
    assert_eq!(bed.store.reader.epochs().await.unwrap().mail_due_at_ms, Some(START_MS + 1));
    bed.assert_sound().await;
}

async fn the_bytes_of_a_pdf_go_a_month_after_its_end(bed: &StoreFixture) {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    bed.with_emails(3).await;
    let bytes = if bed.database.is_some() { "'\\x255044'" } else { "x'255044'" };
    bed.tamper(&format!("update email set pdf = {bytes}, pdf_name = 'INV-1.pdf', pdf_sha256 = 'abc'")).await;
    let fence = bed.held("one").await;
    for id in [1, 2] {
        bed.begin(id, "one", fence, None).await;
    }
    bed.end(1, fence, EmailStatus::Sent).await;
    bed.end(2, fence, EmailStatus::Uncertain).await;
    let attachment = |id: i64| {
        let reader = bed.store.reader.clone();
        async move { reader.email_to_send(id).await.unwrap().unwrap().attachment.map(|pdf| pdf.bytes) }
    };
    bed.clock.advance_ms(30 * DAY_MS);
    assert_eq!(bed.store.writer.drop_old_pdfs().await.unwrap(), 0);
    assert_eq!(attachment(1).await.as_deref(), Some(&b"%PD"[..]));
    bed.clock.advance_ms(1);
    assert_eq!(bed.store.writer.drop_old_pdfs().await.unwrap(), 1);
    assert_eq!(attachment(1).await, None);
    // What may be sent again keeps its own.
    assert!(attachment(2).await.is_some() && attachment(3).await.is_some());
    bed.assert_sound().await;
}

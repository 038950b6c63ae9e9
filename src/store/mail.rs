//! The queue of e-mails, as whoever sends them uses it. Rows are the queue. One process has the right to send, the slot,
//! with a fence that grows with every change of holder: each move of a row names the fence, so that a process that lost the
//! slot begins nothing more. What it had begun it may still finish, because nobody else knows what became of that.

use crate::domain::books::records::email::{Attachment, EmailRecord};
use crate::domain::mail::{EmailStatus, PDF_KEPT_MS};
use crate::store::StoreError;
use crate::store::books::{EMAIL_COLUMNS, EMAIL_COLUMNS_COUNT, read_email};
use crate::store::sql::{Reader, Unit, params, signed};
use crate::store::writer::{Locks, Writer};

/// What taking the slot got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailSlot {
    /// The caller holds it.
    Held {
        /// To be named in every later move.
        fence: i64,
        /// E-mails that were leaving by a mail server when another holder ended: now `uncertain`.
        uncertain: u64,
    },
    /// Another process holds it.
    HeldElsewhere {
        /// Until then, unless it extends its lease.
        lease_until_ms: i64,
    },
}

/// The first in the queue of an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailHead {
    /// The organisation.
    pub organisation: i64,
    /// The person who owns it.
    pub owner: i64,
    /// The e-mail.
    pub email: i64,
    /// When it may be sent.
    pub next_attempt_at_ms: i64,
}

/// What waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailWaiting {
    /// How many e-mails are queued or leave.
    pub waiting: u64,
    /// When the oldest of these was queued.
    pub oldest_at_ms: Option<i64>,
}

/// What a move of an e-mail came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailMove {
    /// The row was moved.
    Done,
    /// The row has been moved by somebody else.
    Gone,
    /// The caller no longer holds the slot.
    Lost,
}

/// What became of an e-mail that was begun to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailEnd {
    /// The e-mail.
    pub email: i64,
    /// The fence under which it was begun.
    pub fence: i64,
    /// Its state now.
    pub status: EmailStatus,
    /// When it may be sent again, if it is queued again.
    pub next_attempt_at_ms: Option<i64>,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether the attempt counts; not when the transport failed before anything of the message left.
    pub counts: bool,
}

#[derive(Clone)]
struct Take {
    holder: String,
    lease_ms: i64,
    renews: bool,
}

impl Writer {
    /// Takes the right to send, or keeps it. With `renews` the fence grows though the caller holds it: what the caller was
    /// sending is given up. On a database of one process an earlier holder is gone.
    pub async fn take_mail_slot(&self, holder: &str, lease_ms: i64, renews: bool) -> Result<MailSlot, StoreError> {
        let is_shared = self.shared().is_shared();
        let take = Take { holder: holder.to_owned(), lease_ms, renews };
        self.unit(Locks::MailSlot, (take, is_shared), |unit, (take, is_shared)| {
            Box::pin(take_slot(unit, take, *is_shared))
        })
        .await
    }

    /// Extends the lease; `false` means that the slot was lost.
    pub async fn keep_mail_slot(&self, holder: &str, fence: i64, lease_ms: i64) -> Result<bool, StoreError> {
        self.unit(Locks::MailSlot, (holder.to_owned(), fence, lease_ms), |unit, (holder, fence, lease_ms)| {
            Box::pin(keep_slot(unit, holder, *fence, *lease_ms))
        })
        .await
    }

    /// Gives the slot up.
    pub async fn release_mail_slot(&self, holder: &str) -> Result<(), StoreError> {
        self.unit(Locks::MailSlot, holder.to_owned(), |unit, holder| {
            Box::pin(async move {
                let sql = "update mail_slot set holder = null, lease_until = 0 where name = 'mail' and holder = $1";
                unit.execute(sql, params![holder.as_str()]).await.map(|_| ())
            })
        })
        .await
    }

    /// Begins to send a queued e-mail: committed before its first byte leaves. `outbox` is the outbox it goes into; none
    /// for a mail server.
    pub async fn begin_email(
        &self,
        email: i64,
        (holder, fence, lease_ms): (&str, i64, i64),
        outbox: Option<&str>,
    ) -> Result<MailMove, StoreError> {
        let input = (email, holder.to_owned(), fence, lease_ms, outbox.map(str::to_owned));
        self.unit(Locks::MailSlot, input, |unit, (email, holder, fence, lease_ms, outbox)| {
            Box::pin(async move {
                // The row of the slot stays locked until the commit: nobody takes it in between.
                if !keep_slot(unit, holder, *fence, *lease_ms).await? {
                    return Ok(MailMove::Lost);
                }
                let sql = "update email set status = 'sending', attempts = attempts + 1, next_attempt_at = null, \
                           fence = $2, outbox = $3, left_at = $4, updated_at = $4 where id = $1 and status = 'queued'";
                let moved = unit.execute(sql, params![*email, *fence, outbox.clone(), unit.now_ms]).await?;
                Ok(if moved == 1 { MailMove::Done } else { MailMove::Gone })
            })
        })
        .await
    }

    /// Notes what became of an e-mail. A holder that lost the slot while it was sending still knows best.
    pub async fn end_email(&self, end: MailEnd) -> Result<MailMove, StoreError> {
        self.unit(Locks::MailSlot, end, |unit, end| {
            Box::pin(async move {
                let sql = "update email set status = $3, next_attempt_at = $4, error = $5, updated_at = $6, \
                           attempts = attempts - $7, sent_at = case when $3 = 'sent' then $6 else sent_at end \
                           where id = $1 and fence = $2 and status in ('sending', 'uncertain')";
                let values = params![
                    end.email,
                    end.fence,
                    end.status.as_str(),
                    end.next_attempt_at_ms,
                    end.error.clone(),
                    unit.now_ms,
                    i64::from(!end.counts),
                ];
                Ok(if unit.execute(sql, values).await? == 1 { MailMove::Done } else { MailMove::Gone })
            })
        })
        .await
    }

    /// Drops the bytes of PDFs whose e-mails came to their end long ago; returns how many.
    pub async fn drop_old_pdfs(&self) -> Result<u64, StoreError> {
        self.unit(Locks::Organisations, (), |unit, ()| {
            Box::pin(async move {
                let sql = "update email set pdf = null where id in (select id from email where pdf is not null \
                           and updated_at < $1 and status in ('sent', 'failed', 'cancelled') limit 500)";
                unit.execute(sql, params![unit.now_ms.saturating_sub(PDF_KEPT_MS)]).await
            })
        })
        .await
    }
}

async fn keep_slot(unit: &Unit<'_>, holder: &str, fence: i64, lease_ms: i64) -> Result<bool, StoreError> {
    let now = unit.lease_now("$3");
    let sql =
        format!("update mail_slot set lease_until = {now} + $4 where name = 'mail' and holder = $1 and fence = $2");
    Ok(unit.execute(&sql, params![holder, fence, unit.now_ms, lease_ms]).await? == 1)
}

async fn take_slot(unit: &Unit<'_>, take: &Take, is_shared: bool) -> Result<MailSlot, StoreError> {
    let now = unit.lease_now("$2");
    let free = format!("(holder is null or holder = $1 or lease_until < {now})");
    let free = if is_shared { free.as_str() } else { "true" };
    let kept = if take.renews { "1" } else { "case when holder = $1 then 0 else 1 end" };
    let sql = format!(
        "update mail_slot set fence = fence + {kept}, holder = $1, lease_until = {now} + $3 where name = 'mail' and {free} returning fence"
    );
    let values = params![take.holder.as_str(), unit.now_ms, take.lease_ms];
    let Some(row) = unit.one(&sql, values).await? else {
        let row = unit.one("select lease_until from mail_slot where name = 'mail'", Vec::new()).await?;
        return Ok(MailSlot::HeldElsewhere { lease_until_ms: row.map_or(Ok(0), |row| row.get(0))? });
    };
    let fence: i64 = row.get(0)?;
    // Whoever was sending these is gone, and nobody else can say whether they arrived.
    let sql = "update email set status = 'uncertain', updated_at = $2, \
               error = 'the service was interrupted while this was leaving: it may have been sent' \
               where status = 'sending' and outbox is null and fence < $1";
    let uncertain = unit.execute(sql, params![fence, unit.now_ms]).await?;
    Ok(MailSlot::Held { fence, uncertain })
}

impl Reader {
    /// The heads of the queues of the organisations after one, in their order.
    pub async fn mail_heads(&self, after_organisation: i64, limit: u64) -> Result<Vec<MailHead>, StoreError> {
        // From one organisation to the next by the index, however much each of them has waiting.
        let sql = "with recursive o (id) as (\
                   select min(organisation_id) from email where status = 'queued' and organisation_id > $1 \
                   union all select (select min(organisation_id) from email where status = 'queued' \
                   and organisation_id > o.id) from o where o.id is not null) \
                   select o.id, coalesce((select min(m.user_id) from membership m where m.organisation_id = o.id \
                   and m.role = 'owner'), 0), e.id, e.next_attempt_at from o join email e on e.id = (select w.id \
                   from email w where w.organisation_id = o.id and w.status = 'queued' \
                   order by w.next_attempt_at, w.id limit 1) where o.id is not null limit $2";
        let rows = self.all(sql, params![after_organisation, signed(limit)]).await?;
        let head = |row: &crate::store::sql::Row| {
            let next: Option<i64> = row.get(3)?;
            Ok(MailHead {
                organisation: row.get(0)?,
                owner: row.get(1)?,
                email: row.get(2)?,
                next_attempt_at_ms: next.unwrap_or_default(),
            })
        };
        rows.iter().map(head).collect()
    }

    /// An e-mail with its PDF.
    pub async fn email_to_send(&self, email: i64) -> Result<Option<EmailRecord>, StoreError> {
        let sql = format!("select {EMAIL_COLUMNS}, e.pdf_name, e.pdf from email e where e.id = $1");
        let Some(row) = self.one(&sql, params![email]).await? else { return Ok(None) };
        let (file_name, bytes): (Option<String>, Option<Vec<u8>>) =
            (row.get(EMAIL_COLUMNS_COUNT)?, row.get(EMAIL_COLUMNS_COUNT + 1)?);
        let attachment = file_name.zip(bytes).map(|(file_name, bytes)| Attachment { file_name, bytes });
        Ok(Some(EmailRecord { attachment, ..read_email(&row)? }))
    }

    /// The e-mails that are leaving by an outbox, each with its `Message-ID` and fence.
    pub async fn emails_in_outbox(&self, outbox: &str) -> Result<Vec<(i64, String, i64)>, StoreError> {
        let sql = "select id, message_id, fence from email where status = 'sending' and outbox = $1 order by id";
        let rows = self.all(sql, params![outbox]).await?;
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).collect()
    }

    /// The e-mails that left since a moment: the organisation, the person who owns it, and when.
    pub async fn emails_left_since(&self, since_ms: i64) -> Result<Vec<(i64, i64, i64)>, StoreError> {
        let sql = "select e.organisation_id, coalesce((select min(m.user_id) from membership m \
                   where m.organisation_id = e.organisation_id and m.role = 'owner'), 0), e.left_at \
                   from email e where e.left_at > $1 order by e.left_at";
        let rows = self.all(sql, params![since_ms]).await?;
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).collect()
    }

    /// What waits, for the operators.
    pub async fn mail_waiting(&self) -> Result<MailWaiting, StoreError> {
        let sql = "select count(*), min(created_at) from email where status in ('queued', 'sending')";
        let Some(row) = self.one(sql, Vec::new()).await? else { return Ok(MailWaiting::default()) };
        Ok(MailWaiting { waiting: row.unsigned(0)?, oldest_at_ms: row.get(1)? })
    }
}

//! E-mails: how their rows are read and written with the books, and the queries about them. What sends them is in
//! `store::mail`.

use crate::domain::books::facts::Facts;
use crate::domain::books::records::email::{EmailFilter, EmailRecord};
use crate::domain::books::referenced_ids::ReferencedIds;
use crate::domain::ids::OrganisationId;
use crate::domain::mail::{EmailStatus, EmailedType, WAITING_MAX};
use crate::domain::reports::Period;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::totals::TotalSource;
use crate::store::sql::{Cell, Column, Reader, Row, Rows, Unit, for_update, json_array, params, signed};
use Column::{Flag, HexBytes, Number, Text};

const COLUMNS: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("user_id"),
    Text("key_prefix"),
    Text("document_type"),
    Number("document_id"),
    Text("sender_name"),
    Text("reply_to"),
    Text("recipients"),
    Text("copies"),
    Text("subject"),
    Text("message"),
    Text("message_id"),
    Text("pdf_name"),
    HexBytes("pdf"),
    Text("pdf_sha256"),
    Text("status"),
    Number("attempts"),
    Number("next_attempt_at"),
    Text("error"),
    Number("created_at"),
    Number("updated_at"),
    Number("sent_at"),
    Number("period_start_day"),
    Number("period_end_day"),
    Flag("pdf_changed"),
];

/// What a person changes of an e-mail that is there; the PDF where it was rendered again. The fence stays as it was, so that whoever began to send it before
/// still may say what became of that.
const CONFLICT: &str = "on conflict (id) do update set status = excluded.status, attempts = excluded.attempts, \
     next_attempt_at = excluded.next_attempt_at, error = excluded.error, updated_at = excluded.updated_at, \
     pdf = coalesce(excluded.pdf, t.pdf), pdf_sha256 = excluded.pdf_sha256, pdf_changed = excluded.pdf_changed";

/// The columns of [`read_email`].
pub(in crate::store) const EMAIL_COLUMNS: &str = "e.id, e.user_id, e.key_prefix, e.document_type, e.document_id, \
     e.sender_name, e.reply_to, e.recipients, e.copies, e.subject, e.message, e.message_id, e.status, e.attempts, \
     e.next_attempt_at, e.error, e.created_at, e.updated_at, e.sent_at, e.organisation_id, \
     e.period_start_day, e.period_end_day, e.pdf_sha256, \
     cast(case when e.pdf_sha256 is not null and e.pdf is null then 1 else 0 end as bigint), e.pdf_changed";

/// How many columns these are.
pub(in crate::store) const EMAIL_COLUMNS_COUNT: usize = 25;

impl Reader {
    /// A page of the e-mails of an organisation, newest first, and the total.
    pub async fn emails(
        &self,
        organisation: OrganisationId,
        filter: &EmailFilter,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<EmailRecord>, Option<u64>), StoreError> {
        let mut conditions = Conditions::new("e.organisation_id = $1", organisation.0);
        conditions.and_if("e.document_type = {}", filter.document_type.map(EmailedType::as_str));
        conditions.and_if("e.document_id = {}", filter.document_id);
        conditions.and_if("e.status = {}", filter.status.map(EmailStatus::as_str));
        conditions.and_if("e.updated_at >= {}", filter.updated_since_ms);
        let total = self.emails_counted(organisation, filter, &conditions).await?;
        let (limit, offset) = (conditions.value(signed(limit)), conditions.value(signed(offset)));
        let sql = format!(
            "select {EMAIL_COLUMNS} from email e where {} order by e.id desc limit {limit} offset {offset}",
            conditions.text()
        );
        let rows = self.all(&sql, conditions.values()).await?;
        Ok((rows.iter().map(read_email).collect::<Result<_, _>>()?, total))
    }

    /// One e-mail of an organisation.
    pub async fn email(&self, organisation: OrganisationId, id: i64) -> Result<Option<EmailRecord>, StoreError> {
        let sql = format!("select {EMAIL_COLUMNS} from email e where e.organisation_id = $1 and e.id = $2");
        self.one(&sql, params![organisation.0, id]).await?.map(|row| read_email(&row)).transpose()
    }

    /// The total of a list. Whoever sends changes the status of e-mails beside the books, so that no counters are kept:
    /// an index holds what is counted without another filter.
    async fn emails_counted(
        &self,
        organisation: OrganisationId,
        filter: &EmailFilter,
        conditions: &Conditions,
    ) -> Result<Option<u64>, StoreError> {
        let is_filtered =
            filter.document_type.is_some() || filter.document_id.is_some() || filter.updated_since_ms.is_some();
        if is_filtered {
            return self.counted(organisation, "email e", conditions, &TotalSource::Nothing).await;
        }
        let sql = format!("select count(*) from email e where {}", conditions.text());
        self.one(&sql, conditions.values()).await?.map(|row| row.unsigned(0)).transpose()
    }
}

/// The rows of e-mails, with their organisation.
pub(super) fn email_rows<'a>(records: impl Iterator<Item = &'a (i64, EmailRecord)>) -> Rows {
    let mut rows = Rows::new("email", COLUMNS, CONFLICT);
    for (organisation, record) in records {
        let (to, cc) = (json_array(&record.to), json_array(&record.cc));
        let attachment = record.attachment.as_ref();
        let pdf = attachment.map(|attachment| hexadecimal(&attachment.bytes));
        rows.push([
            record.id.into(),
            organisation.into(),
            record.user_id.into(),
            (&record.key_prefix).into(),
            record.document_type.as_str().into(),
            record.document_id.into(),
            (&record.sender_name).into(),
            (&record.reply_to).into(),
            Cell::Text(&to),
            Cell::Text(&cc),
            (&record.subject).into(),
            (&record.message).into(),
            (&record.message_id).into(),
            attachment.map(|attachment| attachment.file_name.as_str()).into(),
            (&pdf).into(),
            (&record.pdf_sha256).into(),
            record.status.as_str().into(),
            record.attempts.into(),
            record.next_attempt_at_ms.into(),
            (&record.error).into(),
            record.created_at_ms.into(),
            record.updated_at_ms.into(),
            record.sent_at_ms.into(),
            record.period.map(|period| i64::from(period.first)).into(),
            record.period.map(|period| i64::from(period.last)).into(),
            record.is_pdf_changed.into(),
        ]);
    }
    rows
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads an e-mail without its PDF.
pub(in crate::store) fn read_email(row: &Row) -> Result<EmailRecord, StoreError> {
    let addresses = |index: usize| -> Result<Vec<String>, StoreError> {
        let text: String = row.get(index)?;
        serde_json::from_str(&text).map_err(|error| StoreError::corrupt("addresses of an e-mail", error))
    };
    Ok(EmailRecord {
        id: row.get(0)?,
        user_id: row.get(1)?,
        key_prefix: row.get(2)?,
        document_type: row.parsed(3, EmailedType::parse)?,
        document_id: row.get(4)?,
        period: row.maybe_date(20)?.zip(row.maybe_date(21)?).map(|(first, last)| Period { first, last }),
        sender_name: row.get(5)?,
        reply_to: row.get(6)?,
        to: addresses(7)?,
        cc: addresses(8)?,
        subject: row.get(9)?,
        message: row.get(10)?,
        message_id: row.get(11)?,
        attachment: None,
        pdf_sha256: row.get(22)?,
        is_pdf_dropped: row.get::<i64>(23)? != 0,
        is_pdf_changed: row.get(24)?,
        status: row.parsed(12, EmailStatus::parse)?,
        attempts: row.get(13)?,
        next_attempt_at_ms: row.get(14)?,
        error: row.get(15)?,
        created_at_ms: row.get(16)?,
        updated_at_ms: row.get(17)?,
        sent_at_ms: row.get(18)?,
    })
}

/// Loads the e-mails that commands refer to, locked against whoever sends, and how many wait in their organisations.
pub(super) async fn load_emails(unit: &Unit<'_>, ids: &ReferencedIds, facts: &mut Facts) -> Result<(), StoreError> {
    if !ids.emails.is_empty() {
        let sql = format!(
            "select {EMAIL_COLUMNS} from email e where e.id in {} order by e.id{}",
            unit.numbers_of_json(),
            if unit.may_lock { for_update(unit.backend) } else { "" }
        );
        for row in unit.all(&sql, params![json_array(&ids.emails)]).await? {
            let email = read_email(&row)?;
            facts.emails.loading().insert(email.id, (row.get(19)?, email));
        }
    }
    let sql = "select count(*) from (select 1 as one from email where organisation_id = $1 and status = 'queued' \
               limit $2) as counted";
    for organisation in &ids.mail_organisations {
        let row = unit.one(sql, params![*organisation, WAITING_MAX]).await?;
        let waiting = row.map_or(Ok(0), |row| row.get(0))?;
        facts.waiting_emails.loading().insert(*organisation, waiting);
    }
    Ok(())
}

//! Rows of sessions, their lines, invoices and statements.

use serde::Serialize;
use serde::de::DeserializeOwned;

use Column::{Flag, Number, Text};

use crate::domain::coding_session::{
    LIFE_MS, MerchantStatement, Recoding, RunScope, SessionDetails, SessionInvoice, SessionLine, SessionRecord,
};
use crate::domain::date::Date;
use crate::domain::ids::{CodingSessionId, ConnectionId, JobId, OrganisationId, UserId};
use crate::store::StoreError;
use crate::store::sql::{Column, Reader, Row, Rows, Unit, params};
use crate::store::writer::{Locks, Writer};

/// A session that is to be started.
#[derive(Debug, Clone)]
pub struct NewCodingSession {
    /// Minted by the caller.
    pub id: CodingSessionId,
    /// The person.
    pub user_id: UserId,
    /// What the person acts by.
    pub connection: ConnectionId,
    /// The organisation whose books it works on.
    pub organisation_id: Option<OrganisationId>,
    /// The first and the last day of the period.
    pub period: (Option<Date>, Option<Date>),
    /// What it is started with.
    pub details: SessionDetails,
}

/// A statement that is to be added.
#[derive(Debug, Clone)]
pub struct SessionStatement {
    /// The caller's label.
    pub batch_ref: String,
    /// SHA-256 of what was sent, in hexadecimal.
    pub request_hash: String,
    /// The statement.
    pub statement: MerchantStatement,
}

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementAdded {
    /// It is in the session.
    Added,
    /// The same was added under this label before.
    Replayed,
    /// Another was added under this label before.
    OtherRows,
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Other(error.to_string()))
}

pub(super) fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(error.to_string()))
}

pub(super) const LINE_COLUMNS: &[Column] =
    &[Text("session_id"), Number("line"), Text("batch_ref"), Text("details"), Text("suggestion"), Text("recoding")];

const INVOICE_COLUMNS: &[Column] = &[Text("session_id"), Text("invoice_ref"), Flag("is_fetched"), Text("details")];

/// Whether an invoice that was there is replaced by one that is added.
const REPLACE_INVOICE: &str = "on conflict (session_id, invoice_ref) do update set \
                               is_fetched = excluded.is_fetched, details = excluded.details";

/// Inserts rows, if there are any.
pub(super) async fn insert(unit: &Unit<'_>, rows: Rows) -> Result<(), StoreError> {
    if !rows.is_empty() {
        let statement = rows.statement(unit.backend, 1);
        unit.execute(&statement, params![rows.parameter()]).await?;
    }
    Ok(())
}

/// Notes that a session is used now; it is locked until the unit ends. False when it has ended.
pub(super) async fn touch(unit: &Unit<'_>, session: &CodingSessionId) -> Result<bool, StoreError> {
    let sql = "update coding_session set expires_at = $2 where id = $1 and expires_at > $3 and not is_cleared";
    let until = unit.now_ms.saturating_add(LIFE_MS);
    Ok(unit.execute(sql, params![session.as_str(), until, unit.now_ms]).await? == 1)
}

impl Writer {
    /// Starts a session; gives the moment it ends unless it is used.
    pub async fn start_coding_session(&self, new: NewCodingSession) -> Result<i64, StoreError> {
        self.unit(Locks::Organisations, new, |unit, new| Box::pin(start(unit, new))).await
    }

    /// Notes that a session is used now.
    pub async fn touch_coding_session(&self, session: CodingSessionId) -> Result<bool, StoreError> {
        self.unit(Locks::Organisations, session, |unit, session| Box::pin(touch(unit, session))).await
    }

    /// Sets what the caller decided of lines; false when the session has ended.
    pub async fn recode_lines(
        &self,
        session: CodingSessionId,
        recodings: Vec<(i64, Recoding)>,
    ) -> Result<bool, StoreError> {
        self.unit(Locks::Organisations, (session, recodings), |unit, (session, recodings)| {
            Box::pin(recode(unit, session, recodings))
        })
        .await
    }

    /// Adds an invoice, or replaces the one of its name; none when the session has ended.
    pub async fn put_session_invoice(
        &self,
        session: CodingSessionId,
        invoice: SessionInvoice,
    ) -> Result<Option<i64>, StoreError> {
        self.unit(Locks::Organisations, (session, invoice), |unit, (session, invoice)| {
            Box::pin(async move {
                if !touch(unit, session).await? {
                    return Ok(None);
                }
                put_invoices(unit, session, std::slice::from_ref(invoice), false).await?;
                let sql = "select count(*) from coding_session_invoice where session_id = $1";
                let row = unit.one(sql, params![session.as_str()]).await?;
                row.map(|row| row.get(0)).transpose()
            })
        })
        .await
    }

    /// Replaces what was fetched from the books before; false when the session has ended.
    pub async fn replace_fetched_invoices(
        &self,
        session: CodingSessionId,
        invoices: Vec<SessionInvoice>,
    ) -> Result<bool, StoreError> {
        self.unit(Locks::Organisations, (session, invoices), |unit, (session, invoices)| {
            Box::pin(async move {
                if !touch(unit, session).await? {
                    return Ok(false);
                }
                let sql = "delete from coding_session_invoice where session_id = $1 and is_fetched";
                unit.execute(sql, params![session.as_str()]).await?;
                put_invoices(unit, session, invoices, true).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Adds a statement of a merchant; none when the session has ended.
    pub async fn add_session_statement(
        &self,
        session: CodingSessionId,
        statement: SessionStatement,
    ) -> Result<Option<StatementAdded>, StoreError> {
        self.unit(Locks::Organisations, (session, statement), |unit, (session, statement)| {
            Box::pin(add_statement(unit, session, statement))
        })
        .await
    }
}

async fn start(unit: &Unit<'_>, new: &NewCodingSession) -> Result<i64, StoreError> {
    let sql = "insert into coding_session (id, user_id, connection, organisation_id, start_day, end_day, details, last_line, \
               warnings, created_at, expires_at, is_cleared) values ($1, $2, $3, $4, $5, $6, $7, 0, '[]', $8, $9, false) \
               on conflict (id) do nothing";
    let expires_at_ms = unit.now_ms.saturating_add(LIFE_MS);
    let values = params![
        new.id.as_str(),
        new.user_id.0,
        new.connection.to_stored(),
        new.organisation_id.map(|organisation| organisation.0),
        new.period.0.map(i64::from),
        new.period.1.map(i64::from),
        json(&new.details)?,
        unit.now_ms,
        expires_at_ms
    ];
    unit.execute(sql, values).await?;
    Ok(expires_at_ms)
}

async fn recode(unit: &Unit<'_>, session: &CodingSessionId, recodings: &[(i64, Recoding)]) -> Result<bool, StoreError> {
    if !touch(unit, session).await? {
        return Ok(false);
    }
    let conflict = "on conflict (session_id, line) do update set recoding = excluded.recoding";
    let mut rows = Rows::new("coding_session_line", LINE_COLUMNS, conflict);
    for (line, recoding) in recodings {
        let recoding = json(recoding)?;
        rows.push([
            session.as_str().into(),
            line.into(),
            "".into(),
            "".into(),
            None::<&str>.into(),
            (&recoding).into(),
        ]);
    }
    insert(unit, rows).await?;
    Ok(true)
}

async fn put_invoices(
    unit: &Unit<'_>,
    session: &CodingSessionId,
    invoices: &[SessionInvoice],
    is_fetched: bool,
) -> Result<(), StoreError> {
    let mut rows = Rows::new("coding_session_invoice", INVOICE_COLUMNS, REPLACE_INVOICE);
    for invoice in invoices {
        let details = json(invoice)?;
        rows.push([session.as_str().into(), (&invoice.invoice_ref).into(), is_fetched.into(), (&details).into()]);
    }
    insert(unit, rows).await
}

async fn add_statement(
    unit: &Unit<'_>,
    session: &CodingSessionId,
    new: &SessionStatement,
) -> Result<Option<StatementAdded>, StoreError> {
    if !touch(unit, session).await? {
        return Ok(None);
    }
    let sql = "select request_hash from coding_session_statement where session_id = $1 and batch_ref = $2";
    if let Some(row) = unit.one(sql, params![session.as_str(), new.batch_ref.as_str()]).await? {
        let is_same = row.get::<String>(0)? == new.request_hash;
        return Ok(Some(if is_same { StatementAdded::Replayed } else { StatementAdded::OtherRows }));
    }
    let sql =
        "insert into coding_session_statement (session_id, batch_ref, request_hash, details) values ($1, $2, $3, $4)";
    let details = json(&new.statement)?;
    let values = params![session.as_str(), new.batch_ref.as_str(), new.request_hash.as_str(), details];
    unit.execute(sql, values).await?;
    Ok(Some(StatementAdded::Added))
}

impl Reader {
    /// A session, whoever it belongs to.
    pub async fn coding_session(&self, session: &CodingSessionId) -> Result<Option<SessionRecord>, StoreError> {
        let sql = "select id, user_id, connection, organisation_id, start_day, end_day, details, last_line, run_job_id, \
                   run_scope, run_status, warnings, expires_at, is_cleared from coding_session where id = $1";
        self.one(sql, params![session.as_str()]).await?.map(|row| read_session(&row)).transpose()
    }

    /// The lines of a session, by number.
    pub async fn coding_session_lines(&self, session: &CodingSessionId) -> Result<Vec<SessionLine>, StoreError> {
        let sql =
            "select line, details, suggestion, recoding from coding_session_line where session_id = $1 order by line";
        let optional = |text: Option<String>| text.filter(|text| !text.is_empty());
        let rows = self.all(sql, params![session.as_str()]).await?;
        rows.iter()
            .map(|row| {
                Ok(SessionLine {
                    line: row.get(0)?,
                    details: parsed(&row.get::<String>(1)?)?,
                    suggestion: optional(row.get(2)?).as_deref().map(parsed).transpose()?,
                    recoding: optional(row.get(3)?).as_deref().map(parsed).transpose()?,
                })
            })
            .collect()
    }

    /// The invoices, bills and credit notes of a session.
    pub async fn coding_session_invoices(&self, session: &CodingSessionId) -> Result<Vec<SessionInvoice>, StoreError> {
        let sql = "select details from coding_session_invoice where session_id = $1 order by invoice_ref";
        self.details(sql, session).await
    }

    /// The statements of merchants of a session.
    pub async fn coding_session_statements(
        &self,
        session: &CodingSessionId,
    ) -> Result<Vec<MerchantStatement>, StoreError> {
        let sql = "select details from coding_session_statement where session_id = $1 order by batch_ref";
        self.details(sql, session).await
    }

    async fn details<T: DeserializeOwned>(&self, sql: &str, session: &CodingSessionId) -> Result<Vec<T>, StoreError> {
        let rows = self.all(sql, params![session.as_str()]).await?;
        rows.iter().map(|row| parsed(&row.get::<String>(0)?)).collect()
    }
}

fn read_session(row: &Row) -> Result<SessionRecord, StoreError> {
    let run = row.get::<Option<String>>(8)?.zip(row.get::<Option<String>>(9)?);
    let run = run.map(|(job, scope)| {
        let scope = RunScope::parse(&scope).ok_or_else(|| StoreError::corrupt("unknown scope of a run", scope))?;
        Ok::<_, StoreError>((JobId(job), scope))
    });
    Ok(SessionRecord {
        id: CodingSessionId(row.get(0)?),
        user_id: UserId(row.get(1)?),
        connection: row.parsed(2, ConnectionId::from_stored)?,
        organisation_id: row.get::<Option<i64>>(3)?.map(OrganisationId),
        period: (row.maybe_date(4)?, row.maybe_date(5)?),
        details: parsed(&row.get::<String>(6)?)?,
        lines: row.get(7)?,
        run: run.transpose()?,
        run_status: row.get(10)?,
        warnings: parsed(&row.get::<String>(11)?)?,
        expires_at_ms: row.get(12)?,
        is_cleared: row.get(13)?,
    })
}

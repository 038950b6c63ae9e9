//! Coding sessions: what tools do with them. Loads go through the credit bank, which charges them; runs go through the coding
//! engine's queue; the rest are units of the writer.

use std::sync::Arc;

use super::coding_work::{SESSION_RUN, pack_body, unpack_run};
use super::credit_bank::CreditBankHandle;
use super::engine::EngineHandle;
use super::{AskError, Observer};
use crate::clock::Clock;
use crate::domain::coding_session::{Recoding, RunResult, RunScope, SessionInvoice};
use crate::domain::ids::{CodingSessionId, ConnectionId, JobId, UserId};
use crate::domain::job::Product;
use crate::store::{
    JobRow, Load, Loaded, NewCodingSession, NewJob, NewToolToken, RunEnded, SessionStatement, StatementAdded, Store,
    StoreError, Submitted,
};

/// How tools reach coding sessions.
#[derive(Clone)]
pub struct CodingSessionsHandle {
    pub(super) store: Store,
    pub(super) credits: CreditBankHandle,
    pub(super) engine: EngineHandle,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) observer: Arc<dyn Observer>,
}

impl CodingSessionsHandle {
    /// Starts a session; gives the moment it ends unless it is used.
    pub async fn start(&self, new: NewCodingSession) -> Result<i64, AskError> {
        Ok(self.store.writer.start_coding_session(new).await?)
    }

    /// Stores what a tool previewed; gives the moment until which it may be confirmed.
    pub async fn put_token(&self, token: NewToolToken) -> Result<i64, AskError> {
        Ok(self.store.writer.put_tool_token(token).await?)
    }

    /// Notes that a session is used; false when it has ended.
    pub async fn touch(&self, session: &CodingSessionId) -> Result<bool, AskError> {
        Ok(self.store.writer.touch_coding_session(session.clone()).await?)
    }

    /// Loads lines and charges them.
    pub async fn load(&self, load: Load) -> Result<Loaded, AskError> {
        let loaded = self.credits.load_coding_lines(load).await?;
        if let Loaded::Done(_, change) = &loaded {
            self.observer.credits_charged(Product::Coding, *change);
        }
        Ok(loaded)
    }

    /// Queues a run of a session, which costs nothing.
    pub async fn run(
        &self,
        (session, scope): (&CodingSessionId, RunScope),
        (user_id, connection): (UserId, ConnectionId),
        payload: &str,
        lines: i64,
    ) -> Result<(JobId, Submitted), AskError> {
        let id = JobId::mint(Product::Coding.id_prefix(), self.clock.unique());
        let job = NewJob {
            id: id.clone(),
            product: Product::Coding,
            user_id,
            connection: Some(connection),
            cost: 0,
            allow_overage: false,
            rows_total: lines,
            parameters: SESSION_RUN.to_owned(),
            capacity: self.engine.queue_limits().capacity,
            share: self.engine.queue_limits().share,
            idempotency: None,
            session: Some((session.clone(), scope)),
        };
        let parts = pack_body(payload.as_bytes()).map_err(|error| StoreError::Other(error.to_string()))?;
        Ok((id, self.engine.submit(job, parts).await?))
    }

    /// The result of a run that completed.
    pub async fn result_of(&self, job: &JobRow) -> Result<RunResult, AskError> {
        let mut parts = Vec::new();
        parts.extend(job.result.clone());
        for part in u32::from(job.result.is_some())..job.result_parts {
            let bytes = self.store.reader.result_part(&job.id, part).await?;
            parts.push(bytes.ok_or_else(|| StoreError::Corrupt(format!("job {} lacks result part {part}", job.id)))?);
        }
        Ok(unpack_run(parts).map_err(|error| StoreError::Corrupt(error.to_string()))?)
    }

    /// Writes what a run suggests into its session.
    pub async fn take_over(&self, ended: RunEnded) -> Result<(), AskError> {
        Ok(self.store.writer.take_over_run(ended).await?)
    }

    /// Sets what the caller decided of lines; false when the session has ended.
    pub async fn recode(&self, session: &CodingSessionId, recodings: Vec<(i64, Recoding)>) -> Result<bool, AskError> {
        Ok(self.store.writer.recode_lines(session.clone(), recodings).await?)
    }

    /// Adds an invoice or replaces the one of its name; gives how many there are, or nothing when the session has ended.
    pub async fn put_invoice(
        &self,
        session: &CodingSessionId,
        invoice: SessionInvoice,
    ) -> Result<Option<i64>, AskError> {
        Ok(self.store.writer.put_session_invoice(session.clone(), invoice).await?)
    }

    /// Replaces what was fetched from the books; false when the session has ended.
    pub async fn replace_fetched(
        &self,
        session: &CodingSessionId,
        invoices: Vec<SessionInvoice>,
    ) -> Result<bool, AskError> {
        Ok(self.store.writer.replace_fetched_invoices(session.clone(), invoices).await?)
    }

    /// Adds a statement of a merchant; nothing when the session has ended.
    pub async fn add_statement(
        &self,
        session: &CodingSessionId,
        statement: SessionStatement,
    ) -> Result<Option<StatementAdded>, AskError> {
        Ok(self.store.writer.add_session_statement(session.clone(), statement).await?)
    }
}

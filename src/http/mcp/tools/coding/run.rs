//! `run_coding`: the lines of a session through the coding engine, as a job of its queue that costs nothing.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::super::{answer, fault};
use super::review::Reviewing;
use super::{Session, text};
use crate::domain::coding_session::{PastCoding, RunInput, RunScope, SessionAccount, SessionLine, is_uncoded};
use crate::domain::job::JobStatus;
use crate::http::books::engine_request::{bank_labels, past};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::store::Submitted;

/// How long a call waits for its run.
const WAIT: Duration = Duration::from_secs(20);
/// How often a run is looked at that another process may work on.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Serialize)]
struct Ran<'a> {
    session_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<super::review::Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_review: Option<usize>,
}

/// Runs the engine over a session.
pub(super) async fn run(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let mut session = Session::open(call, arguments).await?;
    let scope = text(arguments, "scope").and_then(RunScope::parse).unwrap_or(RunScope::All);
    let status = run_session(&mut session, scope).await?;
    if status == JobStatus::Failed {
        let failure = Failure::new("coding_failed", "the run could not be completed; nothing was charged");
        return Err(failure.next("run it again; loaded lines and what you recoded are still there").into());
    }
    let reviewing = match status {
        JobStatus::Completed => Some(Reviewing::of(&session).await?),
        _ => None,
    };
    answer(&Ran {
        session_id: session.id().as_str(),
        status: status.as_str(),
        needs_review: reviewing.as_ref().map(Reviewing::needs_review),
        summary: reviewing.map(|reviewing| reviewing.summary(&session.record.warnings)),
    })
}

/// Starts a run, or joins the one there is, and waits for it; gives how it stands then.
pub(super) async fn run_session(session: &mut Session<'_>, scope: RunScope) -> Result<JobStatus, Refused> {
    let began = Instant::now();
    // Listening begins before the run does, so that nothing falls between the two.
    let board = &session.call.state().actors.board;
    let mut events = board.listen(session.record.user_id);
    let mut stopping = session.call.state().actors.stopping();
    if session.record.run.is_none() && !start(session, scope).await? {
        return Ok(JobStatus::Completed);
    }
    loop {
        let Some(status) = session.take_over_run().await? else {
            let is_failed = session.record.run_status.as_deref() == Some(JobStatus::Failed.as_str());
            return Ok(if is_failed { JobStatus::Failed } else { JobStatus::Completed });
        };
        let left = WAIT.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Ok(status);
        }
        tokio::select! {
            heard = events.recv() => if heard.is_err() { events = events.resubscribe() },
            changed = stopping.changed() => {
                if changed.is_ok() {
                    return Ok(status);
                }
            }
            () = tokio::time::sleep(left.min(LOOK_EVERY)) => {}
        }
    }
}

/// Starts a run; false when there is nothing for it to do.
async fn start(session: &mut Session<'_>, scope: RunScope) -> Result<bool, Refused> {
    let lines = session.lines().await?;
    if lines.is_empty() {
        let failure = Failure::new("unprocessable_entity", "the session has no lines");
        return Err(failure.next("load some with add_bank_transactions").into());
    }
    if scope == RunScope::Uncoded && !lines.iter().any(is_uncoded) {
        return Ok(false);
    }
    let (chart, policy) = (session.chart().await?, session.policy().await?);
    let accounts: Vec<SessionAccount> = chart.into_iter().map(|known| known.account).collect();
    if accounts.is_empty() {
        let failure = Failure::new("unprocessable_entity", "the organisation has no account that is not archived");
        return Err(failure.into());
    }
    let invoices = session.call.state().reader.coding_session_invoices(session.id()).await;
    let invoices = invoices.map_err(|error| fault(error.into()))?;
    let context = [policy.business_context.as_str(), session.record.details.business_context.as_str()];
    let context: Vec<&str> = context.into_iter().filter(|text| !text.is_empty()).collect();
    let history = past_of(session, &lines).await?;
    let (context, vat_codes) = (context.join(" "), session.vat_codes());
    let input = RunInput {
        lines: &lines,
        accounts: &accounts,
        vat_codes: vat_codes.as_deref(),
        invoices: &invoices,
        history: &history,
        // The engine takes two thousand characters of it.
        business_context: first_characters(&context),
    };
    let payload = input.payload().map_err(|error| fault(ApiError::internal(error)))?;
    let (sessions, record) = (&session.call.state().actors.coding_sessions, &session.record);
    let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
    let caller = (record.user_id, record.connection);
    let submitted = sessions.run((&record.id, scope), caller, &payload, count).await;
    let (_, submitted) = submitted.map_err(|error| fault(error.into()))?;
    match submitted {
        // Another call began a run in the meantime.
        Submitted::Accepted { .. } | Submitted::SessionBusy => {}
        Submitted::QueueFull => {
            let failure = Failure::new("busy", "the queue of coding jobs is full");
            return Err(failure.next("run it again in a moment; nothing is lost").into());
        }
        Submitted::ShareFull(_) => {
            let failure = Failure::new("busy", "as many of your coding jobs wait as one person may have waiting");
            return Err(failure.next("run it again when one of them has ended; nothing is lost").into());
        }
        Submitted::Replayed(_) | Submitted::KeyReused => {
            return Err(fault(ApiError::internal("a run has no Idempotency-Key")));
        }
    }
    session.reload().await?;
    Ok(true)
}

/// What the engine learns from: the past of the organisation; a session without one has none.
async fn past_of(session: &Session<'_>, lines: &[SessionLine]) -> Result<Vec<PastCoding>, Refused> {
    let Some(organisation) = &session.organisation else { return Ok(Vec::new()) };
    let Some(until) = lines.iter().map(|line| line.details.date()).max() else { return Ok(Vec::new()) };
    let reader = &session.call.state().reader;
    let banks = reader.bank_accounts(organisation.id, true).await.map_err(|error| fault(error.into()))?;
    past(reader, organisation.id, until, &bank_labels(&banks)).await.map_err(|error| fault(error.into()))
}

/// As much of a text as the engine takes.
fn first_characters(text: &str) -> &str {
    const CONTEXT_CHARS_MAX: usize = 2_000;
    text.char_indices().nth(CONTEXT_CHARS_MAX).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

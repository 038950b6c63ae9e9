//! `bookkeeping_run`: the unconfirmed lines of a period loaded, matched and coded in one go, once the person has seen what it
//! costs. The session is named by the token, and every step may be repeated: a call that is repeated goes on where the one
//! before ended, and charges nothing again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{Inside, OrganisationName, answer, fault, refused, visible, wrong};
use super::loading::{done, unconfirmed};
use super::review::Reviewing;
use super::run::run_session;
use super::{Session, hash_of, invoices, may_draw_overage, platforms, text};
use crate::domain::coding_session::{CREDITS_PER_LINE, LINES_MAX, LineDetails, Platform, RunScope, SessionDetails};
use crate::domain::date::Date;
use crate::domain::ids::{CodingSessionId, ConnectionId, OrganisationId, UserId};
use crate::domain::job::JobStatus;
use crate::http::books::token;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::store::{Load, NewCodingSession, NewToolToken, ToolToken};

const TOOL: &str = "bookkeeping_run";

/// The label of the load of a session that a run started.
const BATCH_REF: &str = "bookkeeping_run";

/// The digits of the hash of a token that name its session.
const SESSION_DIGITS: usize = 32;

/// What is done once it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Planned {
    start_day: Option<i32>,
    end_day: Option<i32>,
    /// Bank accounts with their names.
    bank_accounts: Vec<(i64, String)>,
    /// The lines, by their bank account and date.
    lines: Vec<i64>,
    allow_overage: bool,
}

#[derive(Serialize)]
struct Ran<'a> {
    organisation: OrganisationName<'a>,
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<&'a str>,
    lines: usize,
    credits: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready_to_post: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_review: Option<usize>,
    next: String,
}

impl Planned {
    fn period(&self) -> (Option<Date>, Option<Date>) {
        let date = |day: Option<i32>| day.and_then(Date::from_day_number);
        (date(self.start_day), date(self.end_day))
    }

    fn credits(&self) -> i64 {
        i64::try_from(self.lines.len()).unwrap_or(i64::MAX).saturating_mul(CREDITS_PER_LINE)
    }
}

/// Says what a run would load and cost, or runs what was confirmed.
pub(super) async fn bookkeeping_run(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    match text(arguments, "confirm_token") {
        None => estimate(&Inside::of(call, arguments).await?, arguments).await,
        Some(_) if arguments.len() > 1 => {
            Err(wrong("confirm_token", "stands alone; it knows what was estimated").into())
        }
        Some(given) => confirmed(call, given).await,
    }
}

/// The caller, and what it acts by.
fn caller(call: &Call<Products>) -> Result<(UserId, ConnectionId), Refused> {
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection();
    let connection = connection.ok_or_else(|| fault(ApiError::internal("a caller without a connection")))?;
    Ok((principal.user_id, connection))
}

/// What a run would load and cost.
async fn estimate(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let period = platforms::period(arguments)?;
    let mut planned = Planned {
        start_day: period.0.map(Date::day_number),
        end_day: period.1.map(Date::day_number),
        bank_accounts: bank_accounts(inside, arguments).await?,
        lines: Vec::new(),
        allow_overage: arguments.get("allow_overage").and_then(Value::as_bool).unwrap_or_default(),
    };
    let lines = lines_now(inside, &planned).await?;
    planned.lines = lines.iter().filter_map(|line| line.bank_transaction_id).collect();
    let ran = |confirm_token, next| Ran {
        organisation: inside.name(),
        stage: "estimate",
        confirm_token,
        lines: planned.lines.len(),
        credits: planned.credits(),
        session_id: None,
        ready_to_post: None,
        needs_review: None,
        next,
    };
    if planned.lines.is_empty() {
        return answer(&ran(None, "nothing to do: no bank line of the period waits to be confirmed".to_owned()));
    }
    if i64::try_from(planned.lines.len()).is_ok_and(|lines| lines > LINES_MAX) {
        let message = format!("a run has at most {LINES_MAX} lines");
        let failure = Failure::new("unprocessable_entity (limit_reached)", message);
        return Err(failure.next("give a shorter period or fewer bank accounts").into());
    }
    let (user_id, connection) = caller(inside.call)?;
    let organisation = OrganisationId(inside.id);
    let known = inside.call.state().reader.lines_in_sessions((user_id, connection), organisation).await;
    let known = known.map_err(|error| fault(error.into()))?;
    let again = planned.lines.iter().filter(|line| known.binary_search(line).is_ok()).count();
    let minted = token::mint(inside.call, "run_");
    let new = NewToolToken {
        token_hash: minted.token_hash,
        organisation,
        user_id,
        connection,
        tool: TOOL,
        body: serde_json::to_string(&planned).map_err(|error| fault(ApiError::internal(error)))?,
    };
    let stored = inside.call.state().actors.coding_sessions.put_token(new).await;
    stored.map_err(|error| fault(error.into()))?;
    let mut next = format!(
        "tell the person that {} lines cost {} credits; then call again with confirm_token alone, within 30 minutes",
        planned.lines.len(),
        planned.credits()
    );
    if again > 0 {
        next.push_str(&format!("; {again} of the lines were loaded into a session before and would be charged again"));
    }
    answer(&ran(Some(&minted.token), next))
}

/// The bank accounts that the arguments name, or all that are not archived, with their names.
async fn bank_accounts(inside: &Inside<'_>, arguments: &Arguments) -> Result<Vec<(i64, String)>, Refused> {
    let reader = &inside.call.state().reader;
    let all = reader.bank_accounts(OrganisationId(inside.id), true).await.map_err(|error| fault(error.into()))?;
    let Some(named) = arguments.get("bank_account_ids").and_then(Value::as_array) else {
        let open = all.into_iter().filter(|view| view.row.archived_at_ms.is_none());
        return Ok(open.map(|view| (view.row.id, view.row.details.name)).collect());
    };
    let mut found: Vec<(i64, String)> = Vec::with_capacity(named.len());
    for (at, id) in named.iter().filter_map(Value::as_i64).enumerate() {
        let Some(view) = all.iter().find(|view| view.row.id == id) else {
            let message = format!("bank_account_ids[{at}]: the organisation has no bank account {id}");
            return Err(Failure::new("not_found", message).next("find with kind bank_account lists them").into());
        };
        if found.iter().all(|(known, _)| *known != id) {
            found.push((id, view.row.details.name.clone()));
        }
    }
    Ok(found)
}

/// The lines that wait now.
async fn lines_now(inside: &Inside<'_>, planned: &Planned) -> Result<Vec<LineDetails>, Refused> {
    let mut lines = Vec::new();
    for (bank, name) in &planned.bank_accounts {
        let bank = (*bank, name.as_str());
        lines.extend(unconfirmed(inside.call, OrganisationId(inside.id), bank, planned.period()).await?);
    }
    Ok(lines)
}

/// Runs what was estimated under a token.
async fn confirmed(call: &Call<Products>, given: &str) -> Outcome {
    let (user_id, connection) = caller(call)?;
    let token_hash = token::hash(given);
    let found = call.state().reader.tool_token((user_id, connection), TOOL, &token_hash).await;
    let Some(token) = found.map_err(|error| fault(error.into()))? else {
        let failure = Failure::new("confirm_not_found", "this connection was given no such confirm_token");
        return Err(failure.next("ask for an estimate and confirm that").into());
    };
    let planned: Planned = serde_json::from_str(&token.body).map_err(|error| fault(ApiError::internal(error)))?;
    let organisation = visible(call, token.organisation).await.map_err(refused)?;
    let inside = Inside { call, id: organisation.id.0, name: organisation.name };
    let id = CodingSessionId(format!("cs_{}", token_hash.get(..SESSION_DIGITS).unwrap_or_default()));
    let known = call.state().reader.coding_session(&id).await.map_err(|error| fault(error.into()))?;
    if known.is_none() {
        begin(&inside, &id, (&token, &planned), (user_id, connection)).await?;
    }
    let mut session = Session::named(call, id).await?;
    if session.record.lines == 0 {
        load(&session, &inside, &planned).await?;
        session.reload().await?;
    }
    let status = match (session.take_over_run().await?, session.record.run_status.as_deref()) {
        (None, Some("completed")) => JobStatus::Completed,
        (None, _) => {
            invoices::fetch(&session, "both", planned.period().1).await?;
            run_session(&mut session, RunScope::All).await?
        }
        (Some(_), _) => run_session(&mut session, RunScope::All).await?,
    };
    report(&session, &inside, &planned, status).await
}

/// Starts the session of a token, as long as the token works.
async fn begin(
    inside: &Inside<'_>,
    id: &CodingSessionId,
    (token, planned): (&ToolToken, &Planned),
    (user_id, connection): (UserId, ConnectionId),
) -> Result<(), Refused> {
    if token.expires_at_ms <= inside.call.state().actors.store_now_ms() {
        let failure = Failure::new("confirm_expired", "the estimate is older than 30 minutes; nothing was done");
        return Err(failure.next("ask for another estimate and confirm that").into());
    }
    require_same(inside, planned).await?;
    let new = NewCodingSession {
        id: id.clone(),
        user_id,
        connection,
        organisation_id: Some(token.organisation),
        period: planned.period(),
        details: SessionDetails {
            platform: Platform::Books,
            accounts: Vec::new(),
            vat_codes: None,
            business_context: String::new(),
        },
    };
    let started = inside.call.state().actors.coding_sessions.start(new).await;
    started.map_err(|error| fault(error.into()))?;
    Ok(())
}

/// The lines that wait now, which must be those of the estimate.
async fn require_same(inside: &Inside<'_>, planned: &Planned) -> Result<Vec<LineDetails>, Refused> {
    let lines = lines_now(inside, planned).await?;
    if lines.iter().filter_map(|line| line.bank_transaction_id).eq(planned.lines.iter().copied()) {
        return Ok(lines);
    }
    let message = "the bank lines that wait are not those of the estimate any more; nothing was done";
    Err(Failure::new("confirm_stale", message).next("ask for another estimate and confirm that").into())
}

/// Loads the lines of the estimate and charges them, once for the token.
async fn load(session: &Session<'_>, inside: &Inside<'_>, planned: &Planned) -> Result<(), Refused> {
    let lines = require_same(inside, planned).await?;
    let load = Load {
        session: session.id().clone(),
        user_id: session.record.user_id,
        batch_ref: BATCH_REF.to_owned(),
        request_hash: hash_of(&planned.lines)?,
        lines,
        allow_overage: planned.allow_overage && may_draw_overage(session.call)?,
        dry_run: false,
        lines_max: LINES_MAX,
    };
    let loaded = session.call.state().actors.coding_sessions.load(load).await;
    done(loaded.map_err(|error| fault(error.into()))?).map(|_| ())
}

/// What became of the lines.
async fn report(session: &Session<'_>, inside: &Inside<'_>, planned: &Planned, status: JobStatus) -> Outcome {
    let ran = |stage, counts: Option<(usize, usize)>, next: &str| Ran {
        organisation: inside.name(),
        stage,
        confirm_token: None,
        lines: planned.lines.len(),
        credits: planned.credits(),
        session_id: Some(session.id().as_str()),
        ready_to_post: counts.map(|counts| counts.0),
        needs_review: counts.map(|counts| counts.1),
        next: next.to_owned(),
    };
    match status {
        JobStatus::Completed => {
            let needs_review = Reviewing::of(session).await?.needs_review();
            let ready = planned.lines.len().saturating_sub(needs_review);
            let next = "show the person review_coding; recode_transaction corrects lines, post_to_platform posts them";
            answer(&ran("done", Some((ready, needs_review)), next))
        }
        JobStatus::Failed => {
            let failure = Failure::new("coding_failed", "the lines are loaded, but the run could not be completed");
            Err(failure.next("repeat the same confirm_token; nothing is charged again").into())
        }
        JobStatus::Queued | JobStatus::Processing => {
            let next = "the run goes on; repeat the same confirm_token in a moment, nothing is charged again";
            answer(&ran("processing", None, next))
        }
    }
}

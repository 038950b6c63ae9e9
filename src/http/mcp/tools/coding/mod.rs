//! The tools of coding sessions: a session is named by its id and belongs to a person and a connection; what it holds is looked
//! at in `domain::coding_session`.

mod bookkeeping;
mod by_account;
mod invoices;
mod loading;
mod platforms;
mod policy;
mod post;
mod postings;
mod recode;
mod review;
mod run;
mod statements;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Inside, fault, refused, visible, wrong};
use crate::domain::books::records::account::{AccountFilter, AccountView};
use crate::domain::books::records::coding_policy::{CodingPolicy, CodingRule};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::Scope;
use crate::domain::coding_session::{
    Decisions, Payouts, Platform, RunResult, SessionAccount, SessionLine, SessionRecord, SessionVatCode, decide,
};
use crate::domain::ids::{CodingSessionId, OrganisationId};
use crate::domain::job::{JobStatus, Product};
use crate::domain::ledger::money::Pence;
use crate::http::books::engine_request::chart_account;
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::store::RunEnded;

/// The tools.
pub(super) const TOOLS: [&str; 12] = [
    "list_coding_platforms",
    "start_coding_session",
    "add_bank_transactions",
    "add_merchant_statement",
    "fetch_outstanding_invoices",
    "add_invoice_document",
    "run_coding",
    "review_coding",
    "recode_transaction",
    "post_to_platform",
    "coding_policy",
    "bookkeeping_run",
];

/// Does what a tool is for.
pub(super) async fn run_tool(name: &str, call: &Call<Products>, arguments: &Arguments) -> Outcome {
    for (name, value) in arguments {
        refuse_nul(value, name)?;
    }
    match name {
        "list_coding_platforms" => platforms::list_platforms(),
        "start_coding_session" => platforms::start_session(call, arguments).await,
        "add_bank_transactions" => loading::add_bank_transactions(call, arguments).await,
        "add_merchant_statement" => statements::add_statement(call, arguments).await,
        "fetch_outstanding_invoices" => invoices::fetch_invoices(call, arguments).await,
        "add_invoice_document" => invoices::add_invoice(call, arguments).await,
        "run_coding" => run::run(call, arguments).await,
        "review_coding" => review::review(call, arguments).await,
        "recode_transaction" => recode::recode(call, arguments).await,
        "post_to_platform" => post::post(call, arguments).await,
        "coding_policy" => policy::policy(&Inside::of(call, arguments).await?, arguments).await,
        "bookkeeping_run" => bookkeeping::bookkeeping_run(call, arguments).await,
        other => Err(Failure::new("not_found", format!("there is no tool {other}")).into()),
    }
}

/// An account of the chart of a session.
struct ChartAccount {
    account: SessionAccount,
    /// The account of the books.
    id: Option<i64>,
    role: Option<String>,
}

/// An open session of the caller.
struct Session<'a> {
    call: &'a Call<Products>,
    record: SessionRecord,
    /// The organisation whose books it works on.
    organisation: Option<OrganisationRecord>,
}

/// What a tool that needs the books says to a session with a chart of its own.
fn not_on_platform(message: &str) -> Refused {
    Failure::new("not_on_platform", message).next("start a session on platform books").into()
}

/// Refuses a key without a scope.
fn require_scope(call: &Call<Products>, scope: Scope) -> Result<(), Refused> {
    if call.access().map_err(fault)?.has(scope) {
        return Ok(());
    }
    let message = format!("the key lacks the scope {}", scope.as_str());
    Err(Failure::new("forbidden", message).next("ask the person for a key with it").into())
}

/// Whether loads of this connection may draw overage where the call asks for it.
fn may_draw_overage(call: &Call<Products>) -> Result<bool, Refused> {
    Ok(call.access().map_err(fault)?.allow_overage)
}

/// Refuses text with a NUL character, which no database takes.
fn refuse_nul(value: &Value, path: &str) -> Result<(), Failure> {
    match value {
        Value::String(text) if text.contains('\0') => Err(wrong(path, "must not have a NUL character")),
        Value::Array(items) => {
            let item = |(at, item): (usize, &Value)| refuse_nul(item, &format!("{path}[{at}]"));
            items.iter().enumerate().try_for_each(item)
        }
        Value::Object(members) => {
            let dot = if path.is_empty() { "" } else { "." };
            members.iter().try_for_each(|(name, member)| refuse_nul(member, &format!("{path}{dot}{name}")))
        }
        _ => Ok(()),
    }
}

/// What a session that has ended is answered with.
fn expired() -> Refused {
    let message = "the session was not used for 24 hours; its lines are gone, and nothing more was charged";
    Failure::new("session_expired", message).next("start a new one with start_coding_session").into()
}

impl<'a> Session<'a> {
    /// The session that the arguments name, which is used now. A run that has ended meanwhile is taken over.
    async fn open(call: &'a Call<Products>, arguments: &Arguments) -> Result<Self, Refused> {
        Self::named(call, CodingSessionId(text(arguments, "session_id").unwrap_or_default().to_owned())).await
    }

    /// The same for a session by its id.
    async fn named(call: &'a Call<Products>, id: CodingSessionId) -> Result<Self, Refused> {
        let record = Self::require_own(call, &id).await?;
        if record.is_cleared || record.expires_at_ms <= call.state().actors.store_now_ms() {
            return Err(expired());
        }
        let organisation = match record.organisation_id {
            Some(organisation) => {
                require_scope(call, Scope::BooksRead)?;
                Some(visible(call, organisation).await.map_err(refused)?)
            }
            None => None,
        };
        if !call.state().actors.coding_sessions.touch(&id).await.map_err(|error| fault(error.into()))? {
            return Err(expired());
        }
        let mut session = Self { call, record, organisation };
        session.take_over_run().await?;
        Ok(session)
    }

    /// A session, if it is the caller's; it may have ended.
    async fn require_own(call: &Call<Products>, id: &CodingSessionId) -> Result<SessionRecord, Refused> {
        let principal = call.caller().map_err(fault)?;
        let known = call.state().reader.coding_session(id).await.map_err(|error| fault(error.into()))?;
        let own = known
            .filter(|known| known.user_id == principal.user_id && Some(known.connection) == principal.connection());
        own.ok_or_else(|| {
            let failure = Failure::new("session_not_found", "this connection has no such session");
            failure.next("start one with start_coding_session").into()
        })
    }

    const fn id(&self) -> &CodingSessionId {
        &self.record.id
    }

    /// The organisation, of a session on the books.
    fn inside(&self) -> Option<Inside<'a>> {
        let organisation = self.organisation.as_ref()?;
        Some(Inside { call: self.call, id: organisation.id.0, name: organisation.name.clone() })
    }

    /// The VAT codes; none means the five universal ones.
    fn vat_codes(&self) -> Option<Vec<SessionVatCode>> {
        match &self.organisation {
            Some(organisation) if organisation.vat_registered => None,
            Some(_) => {
                Some(vec![SessionVatCode { code: "NV".to_owned(), name: "No VAT".to_owned(), rate_hundredths: 0 }])
            }
            None => self.record.details.vat_codes.clone(),
        }
    }

    /// The chart as it is now.
    async fn chart(&self) -> Result<Vec<ChartAccount>, Refused> {
        match &self.organisation {
            Some(organisation) => chart_of(self.call, organisation.id).await,
            None => {
                let own = |account: &SessionAccount| ChartAccount { account: account.clone(), id: None, role: None };
                Ok(self.record.details.accounts.iter().map(own).collect())
            }
        }
    }

    /// The policy of the organisation; the usual one without an organisation.
    async fn policy(&self) -> Result<CodingPolicy, Refused> {
        match &self.organisation {
            Some(organisation) => {
                self.call.state().reader.coding_policy(organisation.id).await.map_err(|error| fault(error.into()))
            }
            None => Ok(CodingPolicy::default()),
        }
    }

    async fn lines(&self) -> Result<Vec<SessionLine>, Refused> {
        self.call.state().reader.coding_session_lines(self.id()).await.map_err(|error| fault(error.into()))
    }

    async fn reload(&mut self) -> Result<(), Refused> {
        let record = self.call.state().reader.coding_session(self.id()).await.map_err(|error| fault(error.into()))?;
        self.record = record.ok_or_else(expired)?;
        Ok(())
    }

    /// Takes a run over that has ended; gives how it stands otherwise.
    async fn take_over_run(&mut self) -> Result<Option<JobStatus>, Refused> {
        let Some((job, scope)) = self.record.run.clone() else { return Ok(None) };
        let (state, user_id) = (self.call.state(), self.record.user_id);
        let found = state.reader.find_visible(Product::Coding, &job, user_id).await;
        let found = found.map_err(|error| fault(error.into()))?;
        let (status, result) = match &found {
            Some(row) if row.status == JobStatus::Completed => {
                let result = state.actors.coding_sessions.result_of(row).await.map_err(|error| fault(error.into()))?;
                (JobStatus::Completed, result)
            }
            Some(row) if !row.status.is_final() => return Ok(Some(row.status)),
            // Another call may have taken it over and deleted the job; then this changes nothing.
            _ => (JobStatus::Failed, RunResult::default()),
        };
        let warnings = result.warnings.clone();
        let suggestions = match status {
            JobStatus::Completed => self.decided(result, scope).await?,
            _ => Vec::new(),
        };
        let ended = RunEnded { session: self.id().clone(), job, status, warnings, suggestions };
        state.actors.coding_sessions.take_over(ended).await.map_err(|error| fault(error.into()))?;
        self.reload().await?;
        Ok(None)
    }

    /// What the lines are suggested by the answer of the engine, the rules of the policy and the statements of merchants.
    async fn decided(
        &self,
        result: RunResult,
        scope: crate::domain::coding_session::RunScope,
    ) -> Result<Vec<(i64, crate::domain::coding_session::Suggestion)>, Refused> {
        let (lines, chart, policy) = (self.lines().await?, self.chart().await?, self.policy().await?);
        let statements = self.call.state().reader.coding_session_statements(self.id()).await;
        let statements = statements.map_err(|error| fault(error.into()))?;
        let accounts: Vec<SessionAccount> = chart.iter().map(|known| known.account.clone()).collect();
        let payouts = Payouts::of(&statements, &accounts);
        let rules = with_codes(policy.rules, &chart);
        let vat_codes = self.vat_codes();
        let decisions = Decisions { scope, rules: &rules, vat_codes: vat_codes.as_deref(), payouts: &payouts };
        Ok(decide(&lines, result, &decisions))
    }
}

/// The accounts of an organisation that are not archived, as the engine takes them.
async fn chart_of(call: &Call<Products>, organisation: OrganisationId) -> Result<Vec<ChartAccount>, Refused> {
    let accounts = call.state().reader.accounts(organisation, &AccountFilter::default()).await;
    let accounts = accounts.map_err(|error| fault(error.into()))?;
    let one = |view: &AccountView| ChartAccount {
        account: chart_account(view),
        id: Some(view.row.id),
        role: view.row.role.clone(),
    };
    Ok(accounts.iter().map(one).collect())
}

/// Rules with the codes of their accounts; none of one that is archived.
fn with_codes(rules: Vec<CodingRule>, chart: &[ChartAccount]) -> Vec<(CodingRule, Option<String>)> {
    let code = |id: i64| chart.iter().find(|known| known.id == Some(id)).map(|known| known.account.code.clone());
    rules
        .into_iter()
        .map(|rule| {
            let code = code(rule.account_id);
            (rule, code)
        })
        .collect()
}

/// A text among the arguments.
fn text<'v>(arguments: &'v Arguments, name: &str) -> Option<&'v str> {
    arguments.get(name).and_then(Value::as_str)
}

/// An amount of money among the values of an object.
fn money(value: &Value, name: &str, path: &str, problems: &mut Vec<String>) -> Option<i64> {
    let given = value.get(name)?;
    // A number prints as the shortest decimal that is it.
    let amount = Pence::parse_number(&given.to_string());
    if amount.is_none() {
        problems.push(format!("{path}{name}: must be at most {} with at most two decimals", Pence::MAX));
    }
    amount.map(|amount| amount.0)
}

/// How many problems are named; the count goes on.
const PROBLEMS_NAMED_MAX: usize = 20;

/// The refusal of arguments with problems, if there are any.
fn without_problems(mut problems: Vec<String>) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let more = problems.len().saturating_sub(PROBLEMS_NAMED_MAX);
    problems.truncate(PROBLEMS_NAMED_MAX);
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    Err(Failure::new("invalid_request_format", problems.join("; ")))
}

/// The SHA-256 of what was sent, in hexadecimal: the same values in the same order give the same.
fn hash_of<T: Serialize>(value: &T) -> Result<String, Refused> {
    let text = serde_json::to_vec(value).map_err(|error| fault(crate::http::error::ApiError::internal(error)))?;
    Ok(hex(&Sha256::digest(&text)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A confidence as a number from 0 to 1.
fn confidence(thousandths: u16) -> f64 {
    f64::from(thousandths) / 1000.0
}

/// Whether a session codes to a chart of the caller's own.
const fn is_manual(record: &SessionRecord) -> bool {
    matches!(record.details.platform, Platform::Manual)
}

//! `list_coding_platforms` and `start_coding_session`.

use serde::Serialize;
use serde_json::Value;

use super::super::{Inside, OrganisationName, answer, fault, wrong};
use super::{chart_of, require_scope, text, without_problems};
use crate::domain::caller::Scope;
use crate::domain::coding::AccountType;
use crate::domain::coding_session::{CREDITS_PER_LINE, Platform, SessionAccount, SessionDetails, SessionVatCode};
use crate::domain::date::{Date, date_time_text};
use crate::domain::ids::{CodingSessionId, OrganisationId};
use crate::domain::ledger::money::Percent;
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::store::NewCodingSession;

#[derive(Serialize)]
struct PlatformRow {
    platform: &'static str,
    title: &'static str,
    fetch_chart: bool,
    fetch_invoices: bool,
    post: bool,
    note: &'static str,
}

#[derive(Serialize)]
struct Platforms {
    platforms: [PlatformRow; 2],
}

/// The platforms.
pub(super) fn list_platforms() -> Outcome {
    let books = PlatformRow {
        platform: Platform::Books.as_str(),
        title: "The books of an organisation here",
        fetch_chart: true,
        fetch_invoices: true,
        post: true,
        note: "Chart, VAT codes, policy and open invoices come from the books; coded lines are posted to them.",
    };
    let manual = PlatformRow {
        platform: Platform::Manual.as_str(),
        title: "A chart of your own",
        fetch_chart: false,
        fetch_invoices: false,
        post: false,
        note: "Give the chart of accounts when starting the session; review_coding gives the result.",
    };
    answer(&Platforms { platforms: [books, manual] })
}

#[derive(Serialize)]
struct Started<'a> {
    session_id: &'a str,
    platform: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    organisation: Option<OrganisationName<'a>>,
    accounts: usize,
    expires_at: String,
    credits_per_transaction: i64,
    next: &'static str,
}

/// Starts a session.
pub(super) async fn start_session(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let is_books = text(arguments, "platform") != Some(Platform::Manual.as_str());
    let period = period(arguments)?;
    let (inside, accounts, details) =
        if is_books { on_books(call, arguments).await? } else { (None, 0, manual(arguments)?) };
    let accounts = if is_books { accounts } else { details.accounts.len() };
    let (inside_name, platform) = (inside.as_ref().map(Inside::name), details.platform);
    let principal = call.caller().map_err(fault)?;
    let connection = principal.connection();
    let connection =
        connection.ok_or_else(|| fault(crate::http::error::ApiError::internal("a caller without a connection")))?;
    let new = NewCodingSession {
        id: CodingSessionId::mint(call.state().clock.unique()),
        user_id: principal.user_id,
        connection,
        organisation_id: inside.as_ref().map(|inside| OrganisationId(inside.id)),
        period,
        details,
    };
    let id = new.id.clone();
    let expires_at = call.state().actors.coding_sessions.start(new).await.map_err(|error| fault(error.into()))?;
    answer(&Started {
        session_id: id.as_str(),
        platform: platform.as_str(),
        organisation: inside_name,
        accounts,
        expires_at: date_time_text(expires_at),
        credits_per_transaction: CREDITS_PER_LINE,
        next: "load the lines of every bank account of the period with add_bank_transactions, then run_coding",
    })
}

fn date(arguments: &Arguments, name: &str) -> Option<Date> {
    text(arguments, name).and_then(Date::parse)
}

/// The period that the arguments name, which does not end before it begins.
pub(super) fn period(arguments: &Arguments) -> Result<(Option<Date>, Option<Date>), Failure> {
    let period = (date(arguments, "period_start"), date(arguments, "period_end"));
    match period {
        (Some(first), Some(last)) if last < first => Err(wrong("period_end", "must not be before period_start")),
        _ => Ok(period),
    }
}

/// What a session on the books is started with.
async fn on_books<'a>(
    call: &'a Call<Products>,
    arguments: &Arguments,
) -> Result<(Option<Inside<'a>>, usize, SessionDetails), Refused> {
    for name in ["chart_of_accounts", "vat_codes"] {
        if arguments.contains_key(name) {
            return Err(wrong(name, "is for platform manual; platform books takes those of the organisation").into());
        }
    }
    require_scope(call, Scope::BooksRead)?;
    let inside = Inside::of(call, arguments).await?;
    let accounts = chart_of(call, OrganisationId(inside.id)).await?.len();
    let details = SessionDetails {
        platform: Platform::Books,
        accounts: Vec::new(),
        vat_codes: None,
        business_context: text(arguments, "business_context").unwrap_or_default().to_owned(),
    };
    Ok((Some(inside), accounts, details))
}

/// What a session with a chart of the caller's own is started with.
fn manual(arguments: &Arguments) -> Result<SessionDetails, Failure> {
    if arguments.contains_key("organisation_id") {
        return Err(wrong("organisation_id", "is for platform books; platform manual has no organisation"));
    }
    let mut problems = Vec::new();
    let list = |name: &str| arguments.get(name).and_then(Value::as_array);
    let Some(rows) = list("chart_of_accounts") else {
        return Err(wrong("chart_of_accounts", "is required for platform manual"));
    };
    let mut codes = std::collections::BTreeSet::new();
    let mut accounts = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (code, kind) = (field("code"), AccountType::parse(&field("type")));
        if !codes.insert(code.clone()) {
            problems.push(format!("chart_of_accounts[{at}].code: is the code of an earlier account"));
        }
        match kind {
            Some(kind) => {
                accounts.push(SessionAccount { code, name: field("name"), kind: kind.as_str().to_owned() });
            }
            None => problems.push(format!(
                "chart_of_accounts[{at}].type: must be one of INCOME, EXPENSE, ASSET, LIABILITY, EQUITY"
            )),
        }
    }
    let vat_codes = list("vat_codes").filter(|codes| !codes.is_empty());
    let vat_codes = vat_codes.map(|codes| vat_codes_of(codes, &mut problems));
    without_problems(problems)?;
    Ok(SessionDetails {
        platform: Platform::Manual,
        accounts,
        vat_codes,
        business_context: text(arguments, "business_context").unwrap_or_default().to_owned(),
    })
}

fn vat_codes_of(rows: &[Value], problems: &mut Vec<String>) -> Vec<SessionVatCode> {
    let mut codes: Vec<SessionVatCode> = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = field("code");
        if codes.iter().any(|known| known.code == code) {
            problems.push(format!("vat_codes[{at}].code: is the code of an earlier one"));
        }
        let rate = row.get("rate").map(Value::to_string).unwrap_or_default();
        match Percent::parse_number(&rate) {
            Some(rate) => codes.push(SessionVatCode { code, name: field("name"), rate_hundredths: rate.0 }),
            None => problems.push(format!("vat_codes[{at}].rate: must be a percentage with at most two decimals")),
        }
    }
    codes
}

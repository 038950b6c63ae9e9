//! `add_bank_transactions`: lines into a session, at four credits each, charged once for a label.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::{answer, fault, wrong};
use super::{Session, hash_of, may_draw_overage, money, not_on_platform, text, without_problems};
use crate::domain::books::records::statement_line::StatementLineFilter;
use crate::domain::coding_session::{CREDITS_PER_LINE, LINES_MAX, LineDetails};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::BankStatus;
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;
use crate::store::{Load, LoadAnswer, Loaded};

#[derive(Serialize)]
struct Duplicate {
    /// The row of this load, from 0.
    row: usize,
    /// The line of the session that is probably the same.
    row_id: i64,
}

#[derive(Serialize)]
struct Added<'a> {
    session_id: &'a str,
    loaded: i64,
    possible_duplicates: Vec<Duplicate>,
    credits_charged: i64,
    credits_left: i64,
    total_in_session: i64,
    replayed: bool,
}

/// Loads lines into a session.
pub(super) async fn add_bank_transactions(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let sources = (arguments.get("rows").and_then(Value::as_array), arguments.get("from_books"));
    let bank_account = text(arguments, "bank_account").unwrap_or_default();
    let (lines, source) = match sources {
        (Some(rows), None) => (lines_of(rows, bank_account)?, json!({ "rows": rows })),
        (None, Some(from)) => (lines_of_books(&session, from, bank_account).await?, json!({ "from_books": from })),
        _ => return Err(wrong("rows", "give either rows or from_books").into()),
    };
    let flag = |name: &str| arguments.get(name).and_then(Value::as_bool).unwrap_or_default();
    let load = Load {
        session: session.id().clone(),
        user_id: session.record.user_id,
        batch_ref: text(arguments, "batch_ref").unwrap_or_default().to_owned(),
        request_hash: hash_of(&json!([bank_account, source]))?,
        lines,
        allow_overage: flag("allow_overage") && may_draw_overage(call)?,
        dry_run: flag("dry_run"),
        lines_max: LINES_MAX,
    };
    let loaded = call.state().actors.coding_sessions.load(load).await.map_err(|error| fault(error.into()))?;
    let (done, replayed) = done(loaded)?;
    answer(&Added {
        session_id: session.id().as_str(),
        loaded: done.loaded,
        possible_duplicates: done
            .possible_duplicates
            .iter()
            .map(|(row, row_id)| Duplicate { row: *row, row_id: *row_id })
            .collect(),
        credits_charged: done.credits_charged,
        credits_left: done.credits_left,
        total_in_session: done.total_in_session,
        replayed,
    })
}

/// What a load did, and whether it was done before.
pub(super) fn done(loaded: Loaded) -> Result<(LoadAnswer, bool), Refused> {
    match loaded {
        Loaded::Done(done, _) => Ok((done, false)),
        Loaded::Replayed(done) => Ok((done, true)),
        Loaded::OtherRows => {
            let failure = Failure::new("conflict", "batch_ref: other lines were loaded under this label");
            Err(failure.next("give other lines another batch_ref; repeat the label only with the same lines").into())
        }
        Loaded::Insufficient(short) => {
            let message = format!(
                "{} credits are required ({CREDITS_PER_LINE} a line) and {} are available; nothing was loaded",
                short.required, short.available
            );
            let failure = Failure::new("insufficient_credits", message);
            Err(failure.next("load fewer lines, or ask the person to add credits or to allow overage").into())
        }
        Loaded::TooMany => {
            let message = format!("a session has at most {LINES_MAX} lines; nothing was loaded or charged");
            let failure = Failure::new("unprocessable_entity (limit_reached)", message);
            Err(failure.next("start another session for the rest").into())
        }
        Loaded::Ended => Err(super::expired()),
    }
}

/// The lines that the caller gives.
fn lines_of(rows: &[Value], bank_account: &str) -> Result<Vec<LineDetails>, Failure> {
    let mut problems = Vec::new();
    let mut lines = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let text = |name: &str| row.get(name).and_then(Value::as_str);
        let owned = |name: &str| text(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let amount = money(row, "amount", &format!("rows[{at}]."), &mut problems);
        let trade = owned("merchant_category_code");
        if trade.as_deref().is_some_and(|code| code.len() != 4 || !code.bytes().all(|byte| byte.is_ascii_digit())) {
            problems.push(format!("rows[{at}].merchant_category_code: must be four digits"));
        }
        lines.push(LineDetails {
            bank_account: bank_account.to_owned(),
            day: text("date").and_then(Date::parse).unwrap_or(Date::MIN).day_number(),
            amount_pence: amount.unwrap_or_default(),
            description: owned("description").unwrap_or_default(),
            merchant: owned("merchant"),
            reference: owned("reference"),
            merchant_category_code: trade,
            bank_transaction_id: None,
        });
    }
    without_problems(problems)?;
    Ok(lines)
}

/// The unconfirmed lines of a bank account of the books, oldest first.
async fn lines_of_books(session: &Session<'_>, from: &Value, bank_account: &str) -> Result<Vec<LineDetails>, Refused> {
    let Some(inside) = session.inside() else {
        return Err(not_on_platform("from_books: a session on platform manual has no books"));
    };
    let date = |name: &str| from.get(name).and_then(Value::as_str).and_then(Date::parse);
    let bank = from.get("bank_account_id").and_then(Value::as_i64).unwrap_or_default();
    // The route says whether there is such a bank account.
    inside.ask("getBankAccount", Some(bank)).await?;
    let (first, last) = session.record.period;
    let period = (date("date_from").or(first), date("date_to").or(last));
    unconfirmed(session.call, OrganisationId(inside.id), (bank, bank_account), period).await
}

/// The unconfirmed lines of a bank account of the books in a period, oldest first.
pub(super) async fn unconfirmed(
    call: &Call<Products>,
    organisation: OrganisationId,
    (bank, bank_account): (i64, &str),
    (from_date, to_date): (Option<Date>, Option<Date>),
) -> Result<Vec<LineDetails>, Refused> {
    let filter = StatementLineFilter {
        status: Some(BankStatus::Unconfirmed),
        bank_account_id: Some(bank),
        from_date,
        to_date,
        ..StatementLineFilter::default()
    };
    let limit = u64::try_from(LINES_MAX).unwrap_or_default() + 1;
    let found = call.state().reader.bank_transactions(organisation, &filter, (limit, 0)).await;
    let (mut rows, _) = found.map_err(|error| fault(error.into()))?;
    rows.sort_by_key(|row| (row.date, row.id));
    let line = |row: crate::domain::books::records::statement_line::StatementLineRecord| LineDetails {
        bank_account: bank_account.to_owned(),
        day: row.date.day_number(),
        amount_pence: row.amount_pence,
        description: row.description,
        merchant: row.merchant,
        reference: row.reference,
        merchant_category_code: None,
        bank_transaction_id: Some(row.id),
    };
    Ok(rows.into_iter().map(line).collect())
}

//! `add_merchant_statement`: what the payouts of card processors and marketplaces are made of.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::{answer, fault};
use super::{Session, expired, hash_of, money, text, without_problems};
use crate::domain::coding_session::{MerchantStatement, Payout, RowKind, StatementRow};
use crate::domain::date::Date;
use crate::domain::ledger::money::Money;
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome};
use crate::http::products::Products;
use crate::store::{SessionStatement, StatementAdded};

/// The most payouts that are named.
const UNBALANCED_NAMED_MAX: usize = 100;

#[derive(Serialize)]
struct Unbalanced<'a> {
    date: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    payout_reference: Option<&'a str>,
    amount: Money,
    /// What sales, refunds, fees and adjustments come to.
    explained: Money,
    difference: Money,
}

#[derive(Serialize)]
struct Added<'a> {
    session_id: &'a str,
    added: usize,
    payouts: usize,
    payouts_matched: usize,
    unbalanced_payouts: Vec<Unbalanced<'a>>,
    replayed: bool,
}

/// Adds a statement.
pub(super) async fn add_statement(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let rows = arguments.get("rows").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let merchant = text(arguments, "merchant").unwrap_or_default();
    let statement = statement_of(merchant, rows)?;
    let new = SessionStatement {
        batch_ref: text(arguments, "batch_ref").unwrap_or_default().to_owned(),
        request_hash: hash_of(&json!([merchant, rows]))?,
        statement: statement.clone(),
    };
    let added = call.state().actors.coding_sessions.add_statement(session.id(), new).await;
    let replayed = match added.map_err(|error| fault(error.into()))?.ok_or_else(expired)? {
        StatementAdded::Added => false,
        StatementAdded::Replayed => true,
        StatementAdded::OtherRows => {
            let failure = Failure::new("conflict", "batch_ref: another statement was added under this label");
            return Err(failure.next("give another statement another batch_ref").into());
        }
    };
    let (lines, payouts) = (session.lines().await?, statement.payouts());
    let payouts_matched = payouts.iter().filter(|payout| lines.iter().any(|line| payout.fits(line))).count();
    answer(&Added {
        session_id: session.id().as_str(),
        added: rows.len(),
        payouts: payouts.len(),
        payouts_matched,
        unbalanced_payouts: payouts
            .iter()
            .filter(|payout| !payout.is_balanced())
            .take(UNBALANCED_NAMED_MAX)
            .map(unbalanced)
            .collect(),
        replayed,
    })
}

fn unbalanced(payout: &Payout) -> Unbalanced<'_> {
    Unbalanced {
        date: Date::from_day_number(payout.day).unwrap_or(Date::MIN),
        payout_reference: payout.reference.as_deref(),
        amount: Money(payout.amount_pence),
        explained: Money(payout.explained_pence()),
        difference: Money(payout.amount_pence - payout.explained_pence()),
    }
}

fn statement_of(merchant: &str, rows: &[Value]) -> Result<MerchantStatement, Failure> {
    let (mut problems, mut read) = (Vec::new(), Vec::with_capacity(rows.len()));
    for (at, row) in rows.iter().enumerate() {
        let text = |name: &str| row.get(name).and_then(Value::as_str);
        let amount = money(row, "amount", &format!("rows[{at}]."), &mut problems);
        let reference = text("payout_reference").filter(|text| !text.is_empty());
        read.push(StatementRow {
            day: text("date").and_then(Date::parse).unwrap_or(Date::MIN).day_number(),
            kind: text("type").and_then(RowKind::parse).unwrap_or(RowKind::Adjustment),
            amount_pence: amount.unwrap_or_default(),
            payout_reference: reference.map(str::to_owned),
        });
    }
    without_problems(problems)?;
    Ok(MerchantStatement { merchant: merchant.to_owned(), rows: read })
}

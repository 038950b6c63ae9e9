//! `review_coding`: what the lines of a session are coded to, least certain first.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{ANSWER_BYTES_MAX, answer, fault, limit_of, rows_that_fit, wrong};
use super::{Session, confidence, text};
use crate::domain::coding_session::{Coding, ReviewedLine, SessionLine, SessionVatCode, Split, reviewed};
use crate::domain::date::Date;
use crate::domain::ledger::money::Money;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Outcome, Refused};
use crate::http::products::Products;

/// The most bytes of the rows of an answer; the summary is beside them.
const ROWS_BYTES_MAX: usize = ANSWER_BYTES_MAX - 1_500;

/// What a session has, to be reviewed.
pub(super) struct Reviewing {
    lines: Vec<SessionLine>,
    review_below: u16,
    vat_codes: Option<Vec<SessionVatCode>>,
    /// The numbers of invoices by what names them.
    numbers: HashMap<String, String>,
}

/// What the lines are coded by.
#[derive(Serialize)]
pub(super) struct Summary {
    lines: usize,
    coded: usize,
    needs_review: usize,
    by_method: BTreeMap<String, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Reviewing {
    /// What a session has now.
    pub(super) async fn of(session: &Session<'_>) -> Result<Self, Refused> {
        let invoices = session.call.state().reader.coding_session_invoices(session.id()).await;
        let invoices = invoices.map_err(|error| fault(error.into()))?;
        Ok(Self {
            lines: session.lines().await?,
            review_below: session.policy().await?.review_below,
            vat_codes: session.vat_codes(),
            numbers: invoices.into_iter().map(|invoice| (invoice.invoice_ref, invoice.number)).collect(),
        })
    }

    /// All lines.
    pub(super) fn all(&self) -> &[SessionLine] {
        &self.lines
    }

    /// The lines with what they are coded to.
    pub(super) fn lines(&self) -> impl Iterator<Item = ReviewedLine<'_>> {
        let number = |invoice_ref: &str| self.numbers.get(invoice_ref).cloned();
        self.lines.iter().map(move |line| reviewed(line, self.review_below, self.vat_codes.as_deref(), number))
    }

    /// How many lines somebody should look at.
    pub(super) fn needs_review(&self) -> usize {
        self.lines().filter(|line| line.needs_review).count()
    }

    /// What the lines are coded by.
    pub(super) fn summary(&self, warnings: &[String]) -> Summary {
        let mut summary = Summary {
            lines: self.lines.len(),
            coded: 0,
            needs_review: 0,
            by_method: BTreeMap::new(),
            warnings: warnings.to_vec(),
        };
        for line in self.lines() {
            summary.needs_review += usize::from(line.needs_review);
            if let Some(coding) = line.coding {
                summary.coded += 1;
                *summary.by_method.entry(coding.method).or_default() += 1;
            }
        }
        summary
    }
}

#[derive(Serialize)]
struct AlternativeRow<'a> {
    code: &'a str,
    confidence: f64,
}

#[derive(Serialize)]
struct SettlesRow<'a> {
    invoice_ref: &'a str,
    number: &'a str,
    amount: Money,
    #[serde(rename = "match")]
    kind: &'a str,
}

/// A part of a line.
#[derive(Serialize)]
pub(super) struct SplitRow<'a> {
    account_code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_code: Option<&'a str>,
    amount: Money,
}

impl<'a> From<&'a Split> for SplitRow<'a> {
    fn from(split: &'a Split) -> Self {
        Self {
            account_code: &split.account_code,
            vat_code: split.vat_code.as_deref(),
            amount: Money(split.amount_pence),
        }
    }
}

#[derive(Serialize)]
struct Row<'a> {
    row_id: i64,
    date: Date,
    description: &'a str,
    amount: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vat_amount: Option<Money>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net_amount: Option<Money>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coding_method: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<AlternativeRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settles: Vec<SettlesRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_row_id: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    splits: Vec<SplitRow<'a>>,
}

#[derive(Serialize)]
struct Review<'a> {
    session_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summary>,
    rows: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    total: usize,
    truncated: bool,
}

/// Shows what lines are coded to.
pub(super) async fn review(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let mut session = Session::open(call, arguments).await?;
    let offset = match text(arguments, "cursor") {
        Some(cursor) => {
            cursor.parse::<usize>().map_err(|_| wrong("cursor", "must be next_cursor of an earlier answer"))?
        }
        None => 0,
    };
    let running = session.take_over_run().await?;
    let status = match (running, session.record.run_status.as_deref()) {
        (Some(status), _) => status.as_str(),
        (None, Some("failed")) => "failed",
        (None, Some(_)) => "completed",
        (None, None) => "queued",
    };
    let reviewing = Reviewing::of(&session).await?;
    let names: HashMap<String, String> =
        session.chart().await?.into_iter().map(|known| (known.account.code, known.account.name)).collect();
    let has_run = session.record.run_status.is_some();
    let wanted = Wanted::of(arguments);
    let mut lines: Vec<ReviewedLine<'_>> =
        reviewing.lines().filter(|line| (has_run || line.is_recoded()) && wanted.includes(line)).collect();
    lines.sort_by_key(ReviewedLine::order);
    let total = lines.len();
    let page = lines.iter().skip(offset).take(limit_of(arguments));
    let rows = page.map(|line| serde_json::value::to_raw_value(&row(line, &names)));
    let rows = rows.collect::<Result<Vec<_>, _>>().map_err(|error| fault(ApiError::internal(error)))?;
    let (rows, _) = rows_that_fit(rows, ROWS_BYTES_MAX, |row| row.get().len());
    let is_cut = offset + rows.len() < total;
    answer(&Review {
        session_id: session.id().as_str(),
        status,
        summary: has_run.then(|| reviewing.summary(&session.record.warnings)),
        next_cursor: is_cut.then(|| (offset + rows.len()).to_string()),
        rows,
        total,
        truncated: is_cut,
    })
}

/// Which lines the caller wants to see.
struct Wanted<'a> {
    filter: &'a str,
    account_code: Option<&'a str>,
    max_confidence: Option<f64>,
}

impl<'a> Wanted<'a> {
    fn of(arguments: &'a Arguments) -> Self {
        Self {
            filter: text(arguments, "filter").unwrap_or("needs_review"),
            account_code: text(arguments, "account_code"),
            max_confidence: arguments.get("max_confidence").and_then(Value::as_f64),
        }
    }

    fn includes(&self, line: &ReviewedLine<'_>) -> bool {
        let coding = line.coding.as_ref();
        let passes = match self.filter {
            "needs_review" => line.needs_review,
            "coded" => coding.is_some() && !line.needs_review,
            "recoded" => line.is_recoded(),
            "matched" => coding.is_some_and(|coding| !coding.settles.is_empty()),
            "transfers" => coding.is_some_and(|coding| coding.method == "transfer"),
            _ => true,
        };
        let is_on = |code: &str| {
            let on_part = |coding: &Coding| coding.splits.iter().any(|split| split.account_code == code);
            coding.is_some_and(|coding| coding.account_code.as_deref() == Some(code) || on_part(coding))
        };
        let is_doubtful =
            |most: f64| coding.and_then(|coding| coding.confidence).is_some_and(|known| confidence(known) <= most);
        passes && self.account_code.is_none_or(is_on) && self.max_confidence.is_none_or(is_doubtful)
    }
}

fn row<'a>(line: &'a ReviewedLine<'a>, names: &'a HashMap<String, String>) -> Row<'a> {
    let details = &line.line.details;
    let coding = line.coding.as_ref();
    let account_code = coding.and_then(|coding| coding.account_code.as_deref());
    Row {
        row_id: line.line.line,
        date: details.date(),
        description: &details.description,
        amount: Money(details.amount_pence),
        account_code,
        account_name: account_code.and_then(|code| names.get(code)).map(String::as_str),
        vat_code: coding.and_then(|coding| coding.vat_code.as_deref()),
        vat_amount: coding.map(|coding| Money(coding.vat_pence)),
        net_amount: coding.map(|coding| Money(details.amount_pence - coding.vat_pence)),
        confidence: coding.and_then(|coding| coding.confidence).map(confidence),
        coding_method: coding.map(|coding| coding.method.as_str()),
        reason: coding.map_or("", |coding| coding.reason.as_str()),
        alternatives: coding.map_or_else(Vec::new, |coding| {
            let one =
                |(code, thousandths): &'a (String, u16)| AlternativeRow { code, confidence: confidence(*thousandths) };
            coding.alternatives.iter().map(one).collect()
        }),
        settles: coding.map_or_else(Vec::new, |coding| {
            let one = |settled: &'a crate::domain::coding_session::SuggestedSettlement| SettlesRow {
                invoice_ref: &settled.invoice_ref,
                number: &settled.number,
                amount: Money(settled.amount_pence),
                kind: &settled.kind,
            };
            coding.settles.iter().map(one).collect()
        }),
        transfer_row_id: coding.and_then(|coding| coding.transfer_line),
        splits: coding.map_or_else(Vec::new, |coding| coding.splits.iter().map(SplitRow::from).collect()),
    }
}

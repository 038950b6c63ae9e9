//! `vat_obligations`: the VAT periods with due dates, state and net figure.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Inside, OrganisationName, answer, fault, part};
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::vat_return::VatPeriods;
use crate::domain::reports::Period;
use crate::domain::reports::vat_obligations::{VatCalendar, VatObligation, VatObligationStatus};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};

/// The most periods of an answer: two years of monthly ones.
const PERIODS_MAX: usize = 24;

/// How many recorded returns are read at once.
const PAGE: usize = 200;

#[derive(Deserialize)]
struct Organisation {
    timezone: String,
    books_start_date: Option<String>,
    vat_registered: bool,
    vat_period_months: i32,
    vat_period_end_month: i32,
}

/// A return as it was recorded.
#[derive(Deserialize)]
struct RecordedReturn {
    period_start: String,
    period_end: String,
    net_vat: Box<RawValue>,
}

/// What a route answers under `data`.
#[derive(Deserialize)]
struct Answered<T> {
    data: T,
}

#[derive(Serialize)]
struct VatObligations<'a> {
    organisation: OrganisationName<'a>,
    vat_registered: bool,
    obligations: Vec<Obligation>,
}

#[derive(Serialize)]
struct Obligation {
    #[serde(flatten)]
    period: Period,
    due_date: Date,
    status: &'static str,
    net_vat: Box<RawValue>,
}

/// The VAT periods from the first day of the books on, oldest first; of many the latest.
pub(super) async fn obligations(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let (from, to) = (text("date_from").and_then(Date::parse), text("date_to").and_then(Date::parse));
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(Failure::new("invalid_request_format", "date_to: must not be before date_from").into());
    }
    let status = text("status").filter(|status| *status != "all");
    let body = inside.ask("getOrganisation", None).await?;
    let Answered { data: organisation } = part::<Answered<Organisation>>(&body)?;
    let mut obligations = Vec::new();
    if organisation.vat_registered {
        let recorded = recorded(inside).await?;
        let calendar = VatCalendar {
            periods: VatPeriods {
                months: organisation.vat_period_months,
                end_month: organisation.vat_period_end_month,
            },
            recorded: recorded.iter().map(|(period, _)| *period).collect(),
            books_start_date: organisation.books_start_date.as_deref().and_then(Date::parse),
        };
        let today = date_in(&organisation.timezone, inside.call.began_at_ms());
        let of_these_days = calendar
            .obligations(today)
            .skip_while(|one| to.is_some_and(|to| to < one.period.first))
            .take_while(|one| from.is_none_or(|from| from <= one.period.last))
            .take(PERIODS_MAX)
            .filter(|one| status.is_none_or(|status| status == one.status.as_str()));
        for one in of_these_days {
            // Nothing is declared for what was before the registration.
            let Some(net_vat) = net_vat(inside, &one, &recorded).await? else { break };
            let VatObligation { period, due_date, status } = one;
            obligations.push(Obligation { period, due_date, status: status.as_str(), net_vat });
        }
        obligations.reverse();
    }
    answer(&VatObligations { organisation: inside.name(), vat_registered: organisation.vat_registered, obligations })
}

/// The periods of the recorded returns, with the net amount each declared.
async fn recorded(inside: &Inside<'_>) -> Result<Vec<(Period, Box<RawValue>)>, Refused> {
    let mut recorded = Vec::new();
    loop {
        let query = format!("limit={PAGE}&offset={}", recorded.len());
        let body = inside.ask_with("listVatReturns", None, query).await?;
        let Answered { data: page } = part::<Answered<Vec<RecordedReturn>>>(&body)?;
        let is_last = page.len() < PAGE;
        for one in page {
            let days = Date::parse(&one.period_start).zip(Date::parse(&one.period_end));
            let (first, last) = days.ok_or_else(|| fault(ApiError::internal("a recorded return without days")))?;
            recorded.push((Period { first, last }, one.net_vat));
        }
        if is_last {
            return Ok(recorded);
        }
    }
}

/// What a period comes to: what was recorded, else what its return would say now; none before the registration.
async fn net_vat(
    inside: &Inside<'_>,
    one: &VatObligation,
    recorded: &[(Period, Box<RawValue>)],
) -> Result<Option<Box<RawValue>>, Refused> {
    #[derive(Deserialize)]
    struct VatReturn {
        scheme: Option<String>,
        net_vat: Box<RawValue>,
    }
    if one.status == VatObligationStatus::Recorded {
        let found = recorded.iter().find(|(period, _)| *period == one.period);
        return Ok(found.map(|(_, net_vat)| net_vat.clone()));
    }
    let Period { first, last } = one.period;
    let query = format!("period_start={first}&period_end={last}");
    let body = inside.ask_with("getVatReturn", None, query).await?;
    let Answered { data } = part::<Answered<VatReturn>>(&body)?;
    Ok(data.scheme.map(|_| data.net_vat))
}

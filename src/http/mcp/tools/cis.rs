//! `cis_position`: the figures of a tax month under the Construction Industry Scheme.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ANSWER_BYTES_MAX, Data, Inside, OrganisationName, answer, part};
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::cis::TaxMonth;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};

/// The most bytes of the warnings, so that there is room for subcontractors.
const WARNINGS_BYTES_MAX: usize = 8_000;

#[derive(Deserialize)]
struct Answered<T> {
    data: T,
}

#[derive(Deserialize)]
struct Organisation {
    timezone: String,
    cis_contractor: bool,
    cis_subcontractor: bool,
}

/// What of the position is shown.
#[derive(Deserialize)]
struct Position<'a> {
    #[serde(borrow)]
    subcontractors: Vec<&'a RawValue>,
    #[serde(borrow)]
    totals: &'a RawValue,
    #[serde(borrow)]
    cis_payable_balance: &'a RawValue,
    #[serde(borrow)]
    suffered: &'a RawValue,
}

/// What of the monthly return is shown.
#[derive(Deserialize)]
struct Return<'a> {
    #[serde(borrow)]
    due_date: &'a RawValue,
    #[serde(borrow)]
    payment_due_date: &'a RawValue,
    #[serde(borrow)]
    warnings: Vec<&'a RawValue>,
}

#[derive(Serialize)]
struct CisPosition<'a> {
    organisation: OrganisationName<'a>,
    cis_contractor: bool,
    cis_subcontractor: bool,
    period_start: Date,
    period_end: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_date: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_due_date: Option<&'a RawValue>,
    totals: &'a RawValue,
    suffered: &'a RawValue,
    cis_payable_balance: &'a RawValue,
    subcontractors: Vec<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'a RawValue>,
}

/// A warning of the return, or that lists are not whole.
#[derive(Serialize)]
#[serde(untagged)]
enum Warning<'a> {
    OfReturn(&'a RawValue),
    Truncated { code: &'static str, message: String },
}

/// The position of a tax month, the days and warnings of its return, and the statement of a subcontractor.
pub(super) async fn position(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let body = inside.ask("getOrganisation", None).await?;
    let Answered { data: organisation } = part::<Answered<Organisation>>(&body)?;
    let month = match arguments.get("tax_month_ending").and_then(Value::as_str) {
        Some(day) => Date::parse(day).and_then(TaxMonth::ending).ok_or_else(|| {
            Failure::new("invalid_request_format", "tax_month_ending: must be the last day of a tax month, a 5th")
        })?,
        None => {
            let today = date_in(&organisation.timezone, inside.call.began_at_ms());
            TaxMonth::of(TaxMonth::of(today).first() - 1)
        }
    };
    let (period_start, period_end) = (month.first(), month.last());
    let query = format!("period_start={period_start}&period_end={period_end}");
    let body = inside.ask_with("getCisPosition", None, query).await?;
    let Answered { data: position } = part::<Answered<Position<'_>>>(&body)?;
    let statement = match arguments.get("supplier_id").and_then(Value::as_i64) {
        Some(supplier) => statement(inside, supplier, month).await?,
        None => None,
    };
    let statement: Option<Data<'_>> = statement.as_deref().map(part).transpose()?;
    let statement = statement.map(|statement| statement.data);
    // Who has paid nobody and is no contractor makes no return.
    let makes_return = organisation.cis_contractor || !position.subcontractors.is_empty();
    let body = match makes_return {
        true => {
            Some(inside.ask_with("getCisReturn", Some(("tax_month_end", period_end.to_string())), String::new()).await?)
        }
        false => None,
    };
    let found: Option<Answered<Return<'_>>> = body.as_deref().map(part).transpose()?;
    let found = found.map(|found| found.data);
    let (subcontractors, warnings) = fitting(
        &position.subcontractors,
        found.as_ref().map_or(&[], |found| &found.warnings),
        statement.map_or(0, |statement| statement.get().len()),
    );
    answer(&CisPosition {
        organisation: inside.name(),
        cis_contractor: organisation.cis_contractor,
        cis_subcontractor: organisation.cis_subcontractor,
        period_start,
        period_end,
        due_date: found.as_ref().map(|found| found.due_date),
        payment_due_date: found.as_ref().map(|found| found.payment_due_date),
        totals: position.totals,
        suffered: position.suffered,
        cis_payable_balance: position.cis_payable_balance,
        subcontractors,
        warnings,
        statement,
    })
}

/// The statement of a subcontractor; none where nothing was withheld.
async fn statement(inside: &Inside<'_>, supplier: i64, month: TaxMonth) -> Result<Option<bytes::Bytes>, Refused> {
    let query = format!("tax_month_end={}", month.last());
    match inside.ask_with("getCisStatement", Some(("id", supplier.to_string())), query).await {
        Err(Refused::Failure(failure)) if failure.is_not_found() => {
            // A supplier that is not there is another matter than one with no deduction.
            inside.ask("getSupplier", Some(supplier)).await.map_err(|refused| match refused {
                Refused::Failure(_) => {
                    Failure::new("not_found", format!("supplier_id: there is no supplier {supplier}")).into()
                }
                fault @ Refused::Fault(_) => fault,
            })?;
            Ok(None)
        }
        answered => answered.map(Some),
    }
}

/// The subcontractors and warnings that fit beside what else there is, with a warning where these are not all.
fn fitting<'a>(
    subcontractors: &[&'a RawValue],
    warnings: &[&'a RawValue],
    statement_bytes: usize,
) -> (Vec<&'a RawValue>, Vec<Warning<'a>>) {
    let take = |rows: &[&'a RawValue], bytes_max: usize| -> Vec<&'a RawValue> {
        let mut left = bytes_max;
        let fits = |row: &&&RawValue| {
            let fits = row.get().len() < left;
            left = left.saturating_sub(row.get().len() + 1);
            fits
        };
        rows.iter().take_while(fits).copied().collect()
    };
    let shown_warnings = take(warnings, WARNINGS_BYTES_MAX);
    let used: usize = shown_warnings.iter().map(|row| row.get().len() + 1).sum();
    let shown = take(subcontractors, ANSWER_BYTES_MAX.saturating_sub(statement_bytes + used));
    let mut list: Vec<Warning<'a>> = shown_warnings.iter().copied().map(Warning::OfReturn).collect();
    if shown.len() < subcontractors.len() || shown_warnings.len() < warnings.len() {
        let message = format!(
            "{} of {} subcontractors and {} of {} warnings are shown; the totals are of all",
            shown.len(),
            subcontractors.len(),
            shown_warnings.len(),
            warnings.len()
        );
        list.push(Warning::Truncated { code: "truncated", message });
    }
    (shown, list)
}

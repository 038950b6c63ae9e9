//! `get_report`: a report as its route prints it, in pages where it is long.

use serde_json::Value;
use serde_json::value::RawValue;

use super::pages::{Members, Page};
use super::{Data, Inside, OrganisationName, answer, fault, part, wrong};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::Outcome;

/// Arguments that a route takes under the same name.
const PASSED_ON: [&str; 8] =
    ["period_start", "period_end", "as_of", "compare_start", "compare_end", "compare_as_of", "compare", "age_by"];

/// The operation of a report.
fn operation(report: &str) -> Option<&'static str> {
    Some(match report {
        "profit-loss" => "getProfitLoss",
        "profit-loss-monthly" => "getProfitLossMonthly",
        "balance-sheet" => "getBalanceSheet",
        "trial-balance" => "getTrialBalance",
        "cash-flow" => "getCashFlow",
        "vat-return" => "getVatReturn",
        "period-comparison" => "getPeriodComparison",
        "balance-comparison" => "getBalanceComparison",
        "aged-debtors" => "getAgedDebtors",
        "aged-creditors" => "getAgedCreditors",
        "sales-by-customer" => "getSalesByCustomer",
        "purchases-by-supplier" => "getPurchasesBySupplier",
        "customer-statement" => "getCustomerStatement",
        "supplier-statement" => "getSupplierStatement",
        _ => return None,
    })
}

#[derive(serde::Serialize)]
struct Report<'a> {
    organisation: OrganisationName<'a>,
    report: &'a str,
    currency: &'a RawValue,
    data: Page<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    total: usize,
    truncated: bool,
}

/// A report.
pub(super) async fn get(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let report = text("report").unwrap_or_default();
    let operation = operation(report).ok_or_else(|| fault(ApiError::internal(format!("no operation for {report}"))))?;
    let offset = match text("cursor") {
        None => 0,
        Some(cursor) => {
            cursor.parse::<usize>().map_err(|_| wrong("cursor", "must be next_cursor of an earlier answer"))?
        }
    };
    let is_full = text("detail") == Some("full");
    let mut query = Vec::new();
    for name in PASSED_ON {
        query.extend(text(name).map(|value| format!("{name}={value}")));
    }
    query.extend(text("basis").filter(|basis| *basis != "accrual").map(|basis| format!("basis={basis}")));
    if is_full && report == "vat-return" {
        query.push("detail=true".to_owned());
    }
    let contact = arguments.get("contact_id").and_then(Value::as_i64);
    let mut parameter = None;
    if report.ends_with("-statement") {
        let contact = contact.ok_or_else(|| wrong("contact_id", "is required for a statement"))?;
        parameter = Some(("contactId", contact.to_string()));
    } else {
        query.extend(contact.map(|contact| format!("contact_id={contact}")));
    }
    let body = inside.ask_with(operation, parameter, query.join("&")).await?;
    let data: Data<'_> = part(&body)?;
    let members: Members<'_> = part(data.data.get().as_bytes())?;
    let currency = members.get("currency");
    let currency = currency.ok_or_else(|| fault(ApiError::internal("a report without a currency")))?;
    let (page, shown, total) = Page::of(members, is_full, offset)?;
    if offset > 0 && offset >= total {
        return Err(wrong("cursor", "is beyond the last row").into());
    }
    let is_cut = offset + shown < total;
    answer(&Report {
        organisation: inside.name(),
        report,
        currency,
        data: page,
        next_cursor: is_cut.then(|| (offset + shown).to_string()),
        total,
        truncated: is_cut,
    })
}

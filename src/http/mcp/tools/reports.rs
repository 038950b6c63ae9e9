//! `get_report`: a report as its route prints it, in pages where it is long.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ANSWER_BYTES_MAX, Data, Inside, OrganisationName, answer, fault, part, wrong};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Outcome, Refused};

/// What a summary leaves out: the documents behind a row, and the entries of a VAT return.
const DETAILS: [&str; 2] = ["documents", "entries"];

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
    let currency = members.0.iter().find(|(name, _)| *name == "currency").map(|(_, value)| *value);
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

/// The members of an object in their order.
struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A value of a page: as it is, or the rows of a list that are on it.
enum Shown<'a> {
    Whole(&'a RawValue),
    Rows(Vec<Row<'a>>),
}

/// A row, as it is or without its details.
enum Row<'a> {
    Whole(&'a RawValue),
    Summary(Members<'a>),
}

/// A part of a report: everything that is no list, and of the lists, taken one after the other, the rows from one on.
struct Page<'a>(Vec<(&'a str, Shown<'a>)>);

impl<'a> Page<'a> {
    /// The page that begins with a row; how many rows it has, and how many there are.
    fn of(members: Members<'a>, is_full: bool, offset: usize) -> Result<(Self, usize, usize), Refused> {
        let members = members.0.into_iter().filter(|(name, _)| is_full || !DETAILS.contains(name));
        let members: Vec<_> = members.collect();
        let is_list = |value: &RawValue| value.get().starts_with('[');
        let around: usize =
            members.iter().filter(|(_, value)| !is_list(value)).map(|(_, value)| value.get().len()).sum();
        let mut left =
            ANSWER_BYTES_MAX.saturating_sub(around + members.iter().map(|(name, _)| name.len() + 6).sum::<usize>());
        let (mut page, mut shown, mut at, mut is_over) = (Vec::with_capacity(members.len()), 0, 0, false);
        for (name, value) in members {
            if !is_list(value) {
                page.push((name, Shown::Whole(value)));
                continue;
            }
            let rows: Vec<&RawValue> = part(value.get().as_bytes())?;
            let mut on_page = Vec::new();
            for row in rows {
                at += 1;
                if at <= offset || is_over {
                    continue;
                }
                let row = Row::of(row, is_full)?;
                let length = row.length() + 1;
                // A row alone is shown whatever its length.
                is_over = length > left && shown > 0;
                if !is_over {
                    left = left.saturating_sub(length);
                    shown += 1;
                    on_page.push(row);
                }
            }
            page.push((name, Shown::Rows(on_page)));
        }
        Ok((Self(page), shown, at))
    }
}

impl<'a> Row<'a> {
    fn of(row: &'a RawValue, is_full: bool) -> Result<Self, Refused> {
        if is_full || !row.get().starts_with('{') {
            return Ok(Self::Whole(row));
        }
        let mut members: Members<'a> = part(row.get().as_bytes())?;
        let before = members.0.len();
        members.0.retain(|(name, _)| !DETAILS.contains(name));
        Ok(if members.0.len() == before { Self::Whole(row) } else { Self::Summary(members) })
    }

    fn length(&self) -> usize {
        match self {
            Self::Whole(row) => row.get().len(),
            Self::Summary(members) => {
                2 + members.0.iter().map(|(name, value)| name.len() + value.get().len() + 4).sum::<usize>()
            }
        }
    }
}

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, shown) in &self.0 {
            map.serialize_entry(name, shown)?;
        }
        map.end()
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(value) => value.serialize(serializer),
            Self::Rows(rows) => {
                let mut list = serializer.serialize_seq(Some(rows.len()))?;
                for row in rows {
                    match row {
                        Row::Whole(row) => list.serialize_element(row)?,
                        Row::Summary(members) => list.serialize_element(members)?,
                    }
                }
                list.end()
            }
        }
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

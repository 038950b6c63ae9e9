//! `find`: the lists of the REST API behind one door, in short rows. A filter that a kind does not have is refused, never
//! ignored; what the REST API does not search is searched here.

mod kinds;

use std::cmp::Reverse;

use bytes::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use self::kinds::{KINDS, Kind};
use super::pages::Members;
use super::{
    ANSWER_BYTES_MAX, Inside, LIMIT_DEFAULT, OrganisationName, answer, fault, limit_of, part, rows_that_fit, wrong,
};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};

/// The longest name of a row; more of a text is in its record.
const LABEL_CHARS_MAX: usize = 200;

/// Rows that are asked of a route whose list is searched here.
const ROUTE_PAGE_MAX: usize = 200;

/// Arguments that are no filters.
const NOT_FILTERS: [&str; 4] = ["organisation_id", "kind", "limit", "cursor"];

#[derive(Serialize)]
struct Found<'a> {
    organisation: OrganisationName<'a>,
    kind: &'a str,
    rows: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    truncated: bool,
}

/// Rows of a kind.
pub(super) async fn run(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let name = arguments.get("kind").and_then(Value::as_str).unwrap_or_default();
    let kind = KINDS.iter().find(|known| known.name == name);
    let kind = kind.ok_or_else(|| fault(ApiError::internal(format!("no list of {name}"))))?;
    let search = Search::read(kind, arguments)?;
    let mut bodies = Vec::new();
    for (query, offset) in search.queries.iter().zip(&search.offsets) {
        bodies.push(search.ask(inside, query, *offset).await?);
    }
    let mut lists = Vec::with_capacity(bodies.len());
    for pages in &bodies {
        lists.push(pages.iter().map(|page| List::read(kind, page)).collect::<Result<Vec<_>, _>>()?);
    }
    let chosen = search.choose(lists);
    let has_more = chosen.has_more;
    let printed =
        chosen.rows.iter().map(|(list, row)| Ok((*list, answer(row)?))).collect::<Result<Vec<_>, Refused>>()?;
    let (rows, is_cut) = rows_that_fit(printed, ANSWER_BYTES_MAX, |(_, row)| row.get().len());
    let mut offsets = search.offsets.clone();
    for (list, _) in &rows {
        if let Some(offset) = offsets.get_mut(*list) {
            *offset += 1;
        }
    }
    let next_cursor = offsets.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
    answer(&Found {
        organisation: inside.name(),
        kind: kind.name,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        next_cursor: (has_more || is_cut).then_some(next_cursor),
        total: chosen.total,
        truncated: has_more || is_cut,
    })
}

/// What is looked for, as routes are asked for it.
struct Search<'a> {
    kind: &'static Kind,
    arguments: &'a Arguments,
    /// The parameter of the path.
    parameter: Option<(&'static str, String)>,
    /// The filters of each list that is asked for: one for each status where a route takes one status only.
    queries: Vec<String>,
    /// How many rows of each were shown before.
    offsets: Vec<usize>,
    limit: usize,
}

impl<'a> Search<'a> {
    fn read(kind: &'static Kind, arguments: &'a Arguments) -> Result<Self, Failure> {
        let mut parameter = None;
        let mut shared = Vec::new();
        for (name, value) in arguments.iter().filter(|(name, _)| !NOT_FILTERS.contains(&name.as_str())) {
            // What is false filters nothing.
            if value == &Value::Bool(false) {
                continue;
            }
            let Some((_, route_name)) = kind.filters.iter().find(|(known, _)| known == name) else {
                let known = kind.filters.iter().map(|(known, _)| *known).collect::<Vec<_>>();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(wrong(name, format_args!("is no filter of {}; its filters are: {known}", kind.name)));
            };
            match (*route_name, value) {
                ("" | "status", _) => {}
                ("id", value) => parameter = Some(("id", value.to_string())),
                (route_name, Value::String(text)) => {
                    shared.push(format!("{route_name}={}", utf8_percent_encode(text, NON_ALPHANUMERIC)));
                }
                (route_name, value) => shared.push(format!("{route_name}={value}")),
            }
        }
        if kind.name == "account_transaction" && parameter.is_none() {
            return Err(wrong("account_id", "is required for account_transaction"));
        }
        let shared = shared.join("&");
        let and = |statuses: &[&str]| {
            let statuses = statuses.iter().map(|status| format!("status={status}"));
            std::iter::once(shared.clone())
                .filter(|shared| !shared.is_empty())
                .chain(statuses)
                .collect::<Vec<_>>()
                .join("&")
        };
        let statuses = statuses(kind, arguments)?;
        let takes_several = !kind.outstanding.is_empty();
        let queries: Vec<String> = if takes_several || statuses.len() <= 1 {
            vec![and(&statuses)]
        } else {
            statuses.iter().map(|status| and(&[*status])).collect()
        };
        let offsets = offsets(arguments, queries.len())?;
        Ok(Self { kind, arguments, parameter, queries, offsets, limit: limit_of(arguments) })
    }

    /// The pages of a list.
    async fn ask(&self, inside: &Inside<'_>, query: &str, offset: usize) -> Result<Vec<Bytes>, Refused> {
        let ask = |page: String| {
            let query =
                [query, page.as_str()].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("&");
            inside.ask_with(self.kind.operation, self.parameter.clone(), query)
        };
        if !self.kind.is_searched_here() {
            return Ok(vec![ask(format!("limit={}&offset={offset}", self.limit)).await?]);
        }
        if !self.kind.is_paged {
            return Ok(vec![ask(String::new()).await?]);
        }
        let mut pages = Vec::new();
        loop {
            let page = ask(format!("limit={ROUTE_PAGE_MAX}&offset={}", pages.len() * ROUTE_PAGE_MAX)).await?;
            let count = List::read(self.kind, &page)?.rows.len();
            pages.push(page);
            if count < ROUTE_PAGE_MAX {
                return Ok(pages);
            }
        }
    }

    /// The rows that are shown of what the routes gave.
    fn choose<'b>(&self, lists: Vec<Vec<List<'b>>>) -> Chosen<'b> {
        if self.kind.is_searched_here() {
            let rows = lists.into_iter().flatten().flat_map(|list| list.rows).map(|(_, row)| row);
            let rows: Vec<_> = rows.filter(|row| self.fits(row)).collect();
            let (from, total) = (self.offsets.first().copied().unwrap_or_default(), rows.len());
            let rows: Vec<_> = rows.into_iter().skip(from).take(self.limit).map(|row| (0, row)).collect();
            return Chosen { has_more: from + rows.len() < total, rows, total: u64::try_from(total).ok() };
        }
        let total: Option<u64> = lists.iter().flatten().map(|list| list.total).sum();
        let is_merged = lists.len() > 1;
        let rows = lists.into_iter().enumerate().flat_map(|(at, pages)| pages.into_iter().map(move |page| (at, page)));
        let mut rows: Vec<_> =
            rows.flat_map(|(at, list)| list.rows.into_iter().map(move |(order, row)| (at, order, row))).collect();
        if is_merged {
            rows.sort_by_key(|(_, order, _)| Reverse(order.clone()));
        }
        let rows: Vec<_> = rows.into_iter().take(self.limit).map(|(at, _, row)| (at, row)).collect();
        // A total that takes too long to count is left out; a full page then has another.
        let shown = self.offsets.iter().sum::<usize>() + rows.len();
        let has_more =
            total.map_or(rows.len() == self.limit, |total| u64::try_from(shown).is_ok_and(|shown| shown < total));
        Chosen { rows, has_more, total }
    }

    /// Whether a row of a list that is searched here is one that is looked for.
    fn fits(&self, row: &Row<'_>) -> bool {
        let text = |name: &str| self.arguments.get(name).and_then(Value::as_str);
        let date = row.date.as_deref().unwrap_or_default();
        text("search").is_none_or(|search| row.label.to_lowercase().contains(&search.to_lowercase()))
            && text("date_from").is_none_or(|from| date >= from)
            && text("date_to").is_none_or(|to| date <= to)
    }
}

/// Rows to show, each with the list it is from.
struct Chosen<'a> {
    rows: Vec<(usize, Row<'a>)>,
    has_more: bool,
    total: Option<u64>,
}

/// The statuses a list is limited to; none where all are wanted.
fn statuses(kind: &Kind, arguments: &Arguments) -> Result<Vec<&'static str>, Failure> {
    let given = arguments.get("status").and_then(Value::as_array);
    let is_outstanding = arguments.get("outstanding_only") == Some(&Value::Bool(true));
    let Some(given) = given else {
        return Ok(if is_outstanding { kind.outstanding.to_vec() } else { Vec::new() });
    };
    if is_outstanding && !kind.outstanding.is_empty() {
        return Err(wrong("outstanding_only", "is a choice of statuses; leave out either it or status"));
    }
    let mut wanted = Vec::new();
    for status in given.iter().filter_map(Value::as_str) {
        let Some(known) = kind.statuses.iter().find(|known| **known == status) else {
            return Err(wrong("status", format_args!("must be any of {}", kind.statuses.join(", "))));
        };
        if !wanted.contains(known) {
            wanted.push(*known);
        }
    }
    Ok(if wanted.len() == kind.statuses.len() { Vec::new() } else { wanted })
}

/// The rows of each list that were shown, from the cursor.
fn offsets(arguments: &Arguments, lists: usize) -> Result<Vec<usize>, Failure> {
    let Some(cursor) = arguments.get("cursor").and_then(Value::as_str) else { return Ok(vec![0; lists]) };
    let offsets =
        cursor.split('.').map(|offset| offset.parse::<u32>().ok().and_then(|offset| usize::try_from(offset).ok()));
    let offsets: Option<Vec<usize>> = offsets.collect();
    let offsets = offsets.filter(|offsets| offsets.len() == lists);
    offsets.ok_or_else(|| wrong("cursor", "must be next_cursor of an answer to the same search"))
}

/// What a list is in the order of: newest first, and of a day the last one.
type Order = (String, i64);

/// An answer of a route that lists records.
struct List<'a> {
    rows: Vec<(Order, Row<'a>)>,
    total: Option<u64>,
}

impl<'a> List<'a> {
    fn read(kind: &Kind, body: &'a [u8]) -> Result<Self, Refused> {
        #[derive(Deserialize)]
        struct Answer<'a> {
            #[serde(borrow)]
            data: Records<'a>,
            pagination: Option<Pagination>,
        }
        #[derive(Deserialize)]
        struct Pagination {
            total: Option<u64>,
        }
        let answer: Answer<'a> = part(body)?;
        let Records { records, currency } = answer.data;
        let rows = records.iter().map(|record| row(kind, record, currency)).collect::<Result<_, _>>()?;
        Ok(Self { rows, total: answer.pagination.and_then(|pagination| pagination.total) })
    }
}

/// The records of a list: the list itself, or the lines of a ledger, which are in the currency of it.
struct Records<'a> {
    records: Vec<Members<'a>>,
    currency: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Records<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrLedger;
        impl<'de> Visitor<'de> for ListOrLedger {
            type Value = Records<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a list or a ledger")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut records = Vec::with_capacity(LIMIT_DEFAULT);
                while let Some(record) = list.next_element()? {
                    records.push(record);
                }
                Ok(Records { records, currency: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                #[derive(Deserialize)]
                struct Ledger<'a> {
                    #[serde(borrow)]
                    lines: Vec<Members<'a>>,
                    #[serde(borrow)]
                    currency: &'a RawValue,
                }
                let Ledger { lines, currency } = Ledger::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Records { records: lines, currency: Some(currency) })
            }
        }
        deserializer.deserialize_any(ListOrLedger)
    }
}

/// A record in short. Its values are those of the record, as they are printed there.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outstanding: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'a RawValue>,
}

fn row<'a>(kind: &Kind, record: &Members<'a>, currency: Option<&'a RawValue>) -> Result<(Order, Row<'a>), Refused> {
    let field = |name: &str| record.get(name).filter(|value| value.get() != "null");
    let fields = &kind.row;
    let mut names = Vec::new();
    for name in fields.label {
        names.extend(field(name).map(text).transpose()?);
    }
    let joined = names.join(kind.between_labels());
    let label = match joined.as_str() {
        "" => field(fields.status).map(text).transpose()?.unwrap_or_else(|| kind.name.replace('_', " ")),
        _ => joined,
    };
    let amount = match (field("debit"), field("credit")) {
        (Some(debit), Some(credit)) => Some(signed(debit, credit)?),
        _ => field(fields.amount).map(ToOwned::to_owned),
    };
    let moment = field(fields.date).map(text).transpose()?;
    let outstanding = field(fields.outstanding);
    let has_money = amount.is_some() || outstanding.is_some();
    let id = field(fields.id);
    let order = (moment.clone().unwrap_or_default(), id.and_then(|id| id.get().parse().ok()).unwrap_or_default());
    let row = Row {
        id,
        label: cut(label),
        date: moment.map(|moment| moment.chars().take("YYYY-MM-DD".len()).collect()),
        contact: field(fields.contact),
        status: field(fields.status),
        amount,
        outstanding,
        currency: currency.or_else(|| field("currency")).filter(|_| has_money),
    };
    Ok((order, row))
}

/// A text of a record, or a number as text.
fn text(value: &RawValue) -> Result<String, Refused> {
    if value.get().starts_with('"') { part(value.get().as_bytes()) } else { Ok(value.get().to_owned()) }
}

fn cut(label: String) -> String {
    match label.char_indices().nth(LABEL_CHARS_MAX) {
        Some((end, _)) => format!("{}…", label.get(..end).unwrap_or_default()),
        None => label,
    }
}

/// The amount of a line of the ledger: a credit is negative.
fn signed(debit: &RawValue, credit: &RawValue) -> Result<Box<RawValue>, Refused> {
    let is_zero = |amount: &RawValue| amount.get().bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if is_zero(credit) {
        return Ok(debit.to_owned());
    }
    RawValue::from_string(format!("-{}", credit.get())).map_err(|error| fault(ApiError::internal(error)))
}

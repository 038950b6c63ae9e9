//! `recent_changes`: the history of the books, or of one record.

use serde::Serialize;
use serde_json::Value;

use super::{
    ANSWER_BYTES_MAX, Inside, ORGANISATION, OrganisationName, answer, limit_of, question, refused, rows_that_fit, wrong,
};
use crate::domain::books::audit_fields::Resource;
use crate::domain::books::records::change::{ChangeRecord, Since};
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::resources::changes::{self, ChangeJson};
use crate::http::wire::books::changes::{SINCE_RULE, parse_before, parse_since};

#[derive(Serialize)]
struct RecentChanges<'a> {
    organisation: OrganisationName<'a>,
    changes: Vec<ChangeJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    truncated: bool,
}

/// The operation that gives the history of a record of a kind.
fn history(resource_type: &str) -> Option<&'static str> {
    Some(match resource_type {
        "account" => "listAccountHistory",
        "customer" => "listCustomerHistory",
        "supplier" => "listSupplierHistory",
        "bank_account" => "listBankAccountHistory",
        "bank_transaction" => "listBankTransactionHistory",
        "journal" => "listJournalHistory",
        "sales_invoice" => "listSalesInvoiceHistory",
        "sales_credit_note" => "listSalesCreditNoteHistory",
        "purchase_invoice" => "listPurchaseInvoiceHistory",
        "purchase_credit_note" => "listPurchaseCreditNoteHistory",
        "customer_receipt" => "listCustomerReceiptHistory",
        "supplier_payment" => "listSupplierPaymentHistory",
        "write_off" => "listWriteOffHistory",
        "vat_adjustment" => "listVatAdjustmentHistory",
        "vat_return" => "listVatReturnHistory",
        _ => return None,
    })
}

/// What is read, and how the next part is asked for.
struct Wanted {
    operation: &'static str,
    record: Option<(Resource, i64)>,
    query: String,
}

impl Wanted {
    fn read(arguments: &Arguments, limit: usize) -> Result<Self, Failure> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let id = arguments.get("resource_id").and_then(Value::as_i64);
        let (operation, record) = match (text("resource_type"), id) {
            (None, None) => ("listChanges", None),
            (None, Some(_)) => return Err(wrong("resource_type", "is required with resource_id")),
            (Some(_), None) => return Err(wrong("resource_id", "is required with resource_type")),
            (Some(kind), Some(id)) => {
                let found = history(kind).zip(Resource::parse(kind));
                let (operation, resource) = found.ok_or_else(|| {
                    let message = format_args!("{kind} has no history of its own; leave both out for all changes");
                    wrong("resource_type", message)
                })?;
                (operation, Some((resource, id)))
            }
        };
        let since = text("since").map(|since| parse_since(since).map(|known| (since, known)));
        let since =
            since.map(|since| since.ok_or_else(|| wrong("since", format_args!("must be {SINCE_RULE}")))).transpose()?;
        let cursor = text("cursor")
            .map(parse_before)
            .map(|cursor| cursor.ok_or_else(|| wrong("cursor", "must be next_cursor of an earlier answer")));
        let cursor = cursor.transpose()?;
        let place = match (since, cursor) {
            // A part that follows begins at its cursor; a moment or cursor it began at is behind it.
            (Some(_), Some(cursor)) => format!("since={cursor}&"),
            (Some((_, Since::Cursor(cursor))), None) => format!("since={cursor}&"),
            (Some((moment, Since::Moment(_))), None) => format!("since={}&", moment.replace('+', "%2B")),
            (None, Some(cursor)) => format!("order=desc&before={cursor}&"),
            (None, None) => "order=desc&".to_owned(),
        };
        Ok(Self { operation, record, query: format!("{place}limit={}", limit + 1) })
    }
}

/// A part of the history. The route's own reading gives it and the route's own printer prints it; it is not taken from the text of an
/// answer, because taking apart a page of entries costs as much as printing them.
pub(super) async fn recent(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    let limit = limit_of(arguments);
    let wanted = Wanted::read(arguments, limit)?;
    let mut parameters = vec![(ORGANISATION, inside.id.to_string())];
    parameters.extend(wanted.record.map(|(_, id)| ("id", id.to_string())));
    let (_, asked) = question(inside.call, wanted.operation, &parameters, wanted.query)?;
    let resource = wanted.record.map(|(resource, _)| resource);
    let found = changes::read(&inside.call.of_tool(asked), resource).await.map_err(refused)?;
    let has_more = found.rows.len() > limit;
    let rows = found.rows.get(..limit).unwrap_or(&found.rows);
    let whole = printed(inside, rows, has_more)?;
    if whole.get().len() <= ANSWER_BYTES_MAX {
        return Ok(whole);
    }
    // What is too long is rare: it is printed once more, row by row, to see how much of it fits.
    let lengths = rows.iter().map(|row| Ok(answer(&ChangeJson::from(row))?.get().len()));
    let lengths: Vec<usize> = lengths.collect::<Result<_, Refused>>()?;
    let (fit, is_cut) = rows_that_fit(lengths, ANSWER_BYTES_MAX, |length| *length);
    if is_cut { printed(inside, rows.get(..fit.len()).unwrap_or(rows), true) } else { Ok(whole) }
}

fn printed(inside: &Inside<'_>, rows: &[ChangeRecord], is_cut: bool) -> Outcome {
    answer(&RecentChanges {
        organisation: inside.name(),
        changes: rows.iter().map(ChangeJson::from).collect(),
        next_cursor: rows.last().filter(|_| is_cut).map(|last| last.cursor.to_string()),
        truncated: is_cut,
    })
}

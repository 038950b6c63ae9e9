//! `recent_changes`: the history of the books, or of one record.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ANSWER_BYTES_MAX, Inside, OrganisationName, answer, limit_of, part, rows_that_fit, wrong};
use crate::domain::books::records::change::Since;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome};
use crate::http::wire::books::changes::{SINCE_RULE, parse_before, parse_since};

#[derive(Serialize)]
struct RecentChanges<'a> {
    organisation: OrganisationName<'a>,
    changes: Vec<&'a RawValue>,
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
    id: Option<i64>,
    query: String,
}

impl Wanted {
    fn read(arguments: &Arguments, limit: usize) -> Result<Self, Failure> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let id = arguments.get("resource_id").and_then(Value::as_i64);
        let operation = match (text("resource_type"), id) {
            (None, None) => "listChanges",
            (None, Some(_)) => return Err(wrong("resource_type", "is required with resource_id")),
            (Some(_), None) => return Err(wrong("resource_id", "is required with resource_type")),
            (Some(kind), Some(_)) => history(kind).ok_or_else(|| {
                wrong("resource_type", format_args!("{kind} has no history of its own; leave both out for all changes"))
            })?,
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
        Ok(Self { operation, id, query: format!("{place}limit={}", limit + 1) })
    }
}

/// A part of the history.
pub(super) async fn recent(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    #[derive(Deserialize)]
    struct List<'a> {
        #[serde(borrow)]
        data: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Change {
        cursor: i64,
    }
    let limit = limit_of(arguments);
    let wanted = Wanted::read(arguments, limit)?;
    let body = inside.ask_with(wanted.operation, wanted.id.map(|id| ("id", id.to_string())), wanted.query).await?;
    let list: List<'_> = part(&body)?;
    let has_more = list.data.len() > limit;
    let (changes, is_cut) =
        rows_that_fit(list.data.into_iter().take(limit).collect(), ANSWER_BYTES_MAX, |change| change.get().len());
    let is_cut = is_cut || has_more;
    let last: Option<Change> = changes.last().map(|change| part(change.get().as_bytes())).transpose()?;
    answer(&RecentChanges {
        organisation: inside.name(),
        changes,
        next_cursor: last.filter(|_| is_cut).map(|last| last.cursor.to_string()),
        truncated: is_cut,
    })
}

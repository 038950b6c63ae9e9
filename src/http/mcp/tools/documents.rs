//! `get_document`: one record.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::pages::Page;
use super::{ANSWER_BYTES_MAX, Data, Inside, OrganisationName, answer, fault, part};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome};

/// The operation that shows a record of a kind.
fn shows(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "account" => "getAccount",
        "customer" => "getCustomer",
        "supplier" => "getSupplier",
        "bank_account" => "getBankAccount",
        "bank_transaction" => "getBankTransaction",
        "sales_invoice" => "getSalesInvoice",
        "sales_credit_note" => "getSalesCreditNote",
        "purchase_invoice" => "getPurchaseInvoice",
        "purchase_credit_note" => "getPurchaseCreditNote",
        "customer_receipt" => "getCustomerReceipt",
        "supplier_payment" => "getSupplierPayment",
        "journal" => "getJournal",
        "write_off" => "getWriteOff",
        "vat_adjustment" => "getVatAdjustment",
        "vat_return" => "getRecordedVatReturn",
        "import" => "getImport",
        "email" => "getEmail",
        "organisation" => "getOrganisation",
        _ => return None,
    })
}

/// A record as its route prints it, or as much of it as fits into an answer.
#[derive(Serialize)]
#[serde(untagged)]
enum Record<'a> {
    Whole(&'a RawValue),
    Part(Page<'a>),
}

/// What a record that is cut says of itself.
#[derive(Serialize)]
struct Cut {
    /// How many rows of its lists are shown.
    rows_shown: usize,
    rows_total: usize,
    /// Where all of it is.
    whole: String,
}

/// The arguments with the organisation they name: its own record names it by its id.
pub(super) fn named(arguments: &Arguments) -> Arguments {
    let mut named = arguments.clone();
    if let (Some("organisation"), Some(id)) = (arguments.get("kind").and_then(Value::as_str), arguments.get("id")) {
        named.entry("organisation_id").or_insert_with(|| id.clone());
    }
    named
}

/// A record as its route prints it; with an unconfirmed bank line, what it may be.
pub(super) async fn get(inside: &Inside<'_>, arguments: &Arguments) -> Outcome {
    #[derive(Deserialize)]
    struct Known<'a> {
        version: Option<i64>,
        #[serde(borrow)]
        status: Option<&'a RawValue>,
    }
    #[derive(Serialize)]
    struct Document<'a> {
        organisation: OrganisationName<'a>,
        kind: &'a str,
        id: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<i64>,
        record: Record<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        candidates: Option<&'a RawValue>,
    }
    let kind = arguments.get("kind").and_then(Value::as_str).unwrap_or_default();
    let id = arguments.get("id").and_then(Value::as_i64).unwrap_or_default();
    let operation = shows(kind).ok_or_else(|| fault(ApiError::internal(format!("no operation shows {kind}"))))?;
    if kind == "organisation" && id != inside.id {
        return Err(Failure::new("not_found", "id: that of the organisation itself is expected").into());
    }
    let body = inside.ask(operation, (kind != "organisation").then_some(id)).await?;
    let data: Data<'_> = part(&body)?;
    let known: Known<'_> = part(data.data.get().as_bytes())?;
    let is_open = kind == "bank_transaction" && known.status.is_some_and(|status| status.get() == "\"unconfirmed\"");
    let candidates = if is_open { Some(inside.ask("listBankTransactionCandidates", Some(id)).await?) } else { None };
    let candidates: Option<Data<'_>> = candidates.as_deref().map(part).transpose()?;
    let room = ANSWER_BYTES_MAX.saturating_sub(candidates.as_ref().map_or(0, |candidates| candidates.data.get().len()));
    let truncated;
    let record = if data.data.get().len() <= room {
        Record::Whole(data.data)
    } else {
        let (mut page, shown, total) = Page::of(part(data.data.get().as_bytes())?, true, 0)?;
        let cut = Cut { rows_shown: shown, rows_total: total, whole: inside.path(operation, Some(id))? };
        truncated = answer(&cut)?;
        page.push("truncated", &truncated);
        Record::Part(page)
    };
    answer(&Document {
        organisation: inside.name(),
        kind,
        id,
        version: known.version,
        record,
        candidates: candidates.map(|candidates| candidates.data),
    })
}

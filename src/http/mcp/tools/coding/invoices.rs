//! `add_invoice_document` and `fetch_outstanding_invoices`: the open items that payments are matched to.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::{answer, fault};
use super::{Session, expired, hash_of, money, not_on_platform, text, without_problems};
use crate::domain::coding_session::{INVOICES_MAX, SessionInvoice};
use crate::domain::date::Date;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Money;
use crate::http::books::engine_request::{open_filter, open_item};
use crate::http::call::Call;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::{Failure, Outcome, Refused};
use crate::http::products::Products;

/// How many digits of a hash name an invoice.
const REFERENCE_DIGITS: usize = 20;

#[derive(Serialize)]
struct Added<'a> {
    session_id: &'a str,
    invoice_ref: &'a str,
    invoices_in_session: i64,
    replaced: bool,
}

/// Adds an open item by its details, or replaces the one of the same kind, contact and number.
pub(super) async fn add_invoice(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let invoice = invoice_of(arguments)?;
    if let Some(code) = &invoice.account_code
        && session.chart().await?.iter().all(|known| known.account.code != *code)
    {
        let message = format!("account_code: the chart has no account {code}");
        return Err(Failure::new("unprocessable_entity (unknown_reference)", message).into());
    }
    let known = call.state().reader.coding_session_invoices(session.id()).await;
    let known = known.map_err(|error| fault(error.into()))?;
    let replaced = known.iter().any(|known| known.invoice_ref == invoice.invoice_ref);
    if !replaced && known.len() >= INVOICES_MAX {
        return Err(too_many());
    }
    let invoice_ref = invoice.invoice_ref.clone();
    let count = call.state().actors.coding_sessions.put_invoice(session.id(), invoice).await;
    let invoices_in_session = count.map_err(|error| fault(error.into()))?.ok_or_else(expired)?;
    answer(&Added { session_id: session.id().as_str(), invoice_ref: &invoice_ref, invoices_in_session, replaced })
}

fn too_many() -> Refused {
    let message = format!("a session has at most {INVOICES_MAX} invoices, bills and credit notes");
    Failure::new("unprocessable_entity (limit_reached)", message).into()
}

/// The open item that the arguments describe.
fn invoice_of(arguments: &Arguments) -> Result<SessionInvoice, Refused> {
    let owned = |name: &str| text(arguments, name).unwrap_or_default().to_owned();
    let optional = |name: &str| text(arguments, name).filter(|text| !text.is_empty()).map(str::to_owned);
    let day = |name: &str| text(arguments, name).and_then(Date::parse).map(Date::day_number);
    let (values, mut problems) = (Value::Object(arguments.clone()), Vec::new());
    let due_pence = money(&values, "amount_due", "", &mut problems).unwrap_or_default();
    let total_pence = money(&values, "total", "", &mut problems);
    let currency = optional("currency").unwrap_or_else(|| "GBP".to_owned());
    if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        problems.push("currency: must be three capital letters, such as GBP".to_owned());
    }
    without_problems(problems)?;
    let (kind, number, contact) = (owned("kind"), owned("number"), owned("contact"));
    let hash = hash_of(&json!([kind, contact, number]))?;
    Ok(SessionInvoice {
        invoice_ref: format!("inv_{}", hash.get(..REFERENCE_DIGITS).unwrap_or_default()),
        kind,
        number,
        contact,
        day: day("date").unwrap_or_default(),
        due_day: day("due_date"),
        total_pence,
        due_pence,
        currency,
        reference: optional("reference"),
        account_code: optional("account_code"),
        document: None,
    })
}

#[derive(Serialize)]
struct Fetched<'a> {
    session_id: &'a str,
    sales: usize,
    purchases: usize,
    sales_outstanding: Money,
    purchases_outstanding: Money,
}

/// Fetches the open items of the organisation; they replace those fetched before.
pub(super) async fn fetch_invoices(call: &Call<Products>, arguments: &Arguments) -> Outcome {
    let session = Session::open(call, arguments).await?;
    let direction = text(arguments, "direction").unwrap_or("both");
    let as_of = text(arguments, "as_of").and_then(Date::parse).or(session.record.period.1);
    let counted = fetch(&session, direction, as_of).await?;
    let [(sales, sales_pence), (purchases, purchases_pence)] = counted;
    answer(&Fetched {
        session_id: session.id().as_str(),
        sales,
        purchases,
        sales_outstanding: Money(sales_pence),
        purchases_outstanding: Money(purchases_pence),
    })
}

/// The open items of sales and of purchases: how many, and what is open, credit notes against it.
pub(super) async fn fetch(
    session: &Session<'_>,
    direction: &str,
    as_of: Option<Date>,
) -> Result<[(usize, i64); 2], Refused> {
    let Some(organisation) = &session.organisation else {
        return Err(not_on_platform(
            "a session on platform manual has no invoices; give them with add_invoice_document",
        ));
    };
    let kinds = DocumentKind::ALL.into_iter().filter(|kind| match is_sale(*kind) {
        true => direction != "purchases",
        false => direction != "sales",
    });
    let (mut invoices, mut counted) = (Vec::new(), [(0, 0); 2]);
    let page = (u64::try_from(INVOICES_MAX).unwrap_or_default() + 1, 0);
    for kind in kinds {
        let filter = open_filter(kind, as_of);
        let found = session.call.state().reader.documents(organisation.id, kind, &filter, page).await;
        let (found, _) = found.map_err(|error| fault(error.into()))?;
        for view in &found {
            let Some(invoice) = open_item(view) else { continue };
            let place = if is_sale(kind) { &mut counted[0] } else { &mut counted[1] };
            place.0 += 1;
            place.1 += if is_credit(kind) { -invoice.due_pence } else { invoice.due_pence };
            invoices.push(invoice);
        }
        if invoices.len() > INVOICES_MAX {
            return Err(too_many());
        }
    }
    let replaced = session.call.state().actors.coding_sessions.replace_fetched(session.id(), invoices).await;
    match replaced.map_err(|error| fault(error.into()))? {
        true => Ok(counted),
        false => Err(expired()),
    }
}

const fn is_sale(kind: DocumentKind) -> bool {
    matches!(kind, DocumentKind::SalesInvoice | DocumentKind::SalesCreditNote)
}

const fn is_credit(kind: DocumentKind) -> bool {
    matches!(kind, DocumentKind::SalesCreditNote | DocumentKind::PurchaseCreditNote)
}

//! What the coding engine is given of the books: the chart, what is open of invoices and bills, and the past.

use std::collections::HashMap;

use crate::domain::books::records::account::{AccountFilter, AccountView};
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::document::{DocumentFilter, DocumentView};
use crate::domain::coding_session::{INVOICES_MAX, PastCoding, SessionAccount, SessionInvoice};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::chart::AccountType;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::domain::suggestions::{HISTORY_MAX, HISTORY_MONTHS};
use crate::store::{PastNames, Reader, StoreError};

/// What the engine takes of names, numbers, references and labels.
pub(in crate::http) const CONTACT_CHARS_MAX: usize = 200;
pub(in crate::http) const NUMBER_CHARS_MAX: usize = 100;
const ACCOUNT_NAME_CHARS_MAX: usize = 200;
const LABEL_CHARS_MAX: usize = 100;

/// An account as the engine takes it: REVENUE goes in as INCOME, SUSPENSE as ASSET.
pub(in crate::http) fn chart_account(view: &AccountView) -> SessionAccount {
    let kind = match view.row.account_type {
        AccountType::Revenue => "INCOME",
        AccountType::Suspense => "ASSET",
        other => other.as_str(),
    };
    SessionAccount {
        code: view.row.code.clone(),
        name: cut(&view.row.name, ACCOUNT_NAME_CHARS_MAX),
        kind: kind.to_owned(),
    }
}

/// How lines name their bank account, by bank account: the code of its account leads the engine to that account, its name to
/// what payments call it.
pub(in crate::http) fn bank_labels(banks: &[BankAccountView]) -> HashMap<i64, String> {
    let label = |bank: &BankAccountView| format!("{} {}", bank.account_code, bank.row.details.name);
    banks.iter().map(|bank| (bank.row.id, cut(&label(bank), LABEL_CHARS_MAX))).collect()
}

/// The documents of an organisation with something open: invoices, bills and credit notes, at most as many as the engine takes,
/// of each kind the latest first.
pub(in crate::http) async fn open_items(
    reader: &Reader,
    organisation: OrganisationId,
) -> Result<Vec<SessionInvoice>, StoreError> {
    let mut items = Vec::new();
    for kind in DocumentKind::ALL {
        let page = (u64::try_from(INVOICES_MAX - items.len()).unwrap_or_default(), 0);
        let (found, _) = reader.documents(organisation, kind, &open_filter(kind, None), page).await?;
        items.extend(found.iter().filter_map(open_item));
    }
    Ok(items)
}

/// The filter of the documents of a kind with something open.
pub(in crate::http) fn open_filter(kind: DocumentKind, to_date: Option<Date>) -> DocumentFilter {
    let statuses = match kind {
        DocumentKind::SalesCreditNote | DocumentKind::PurchaseCreditNote => vec!["issued", "part_allocated"],
        DocumentKind::SalesInvoice | DocumentKind::PurchaseInvoice => vec!["issued", "part_paid"],
    };
    DocumentFilter { statuses, to_date, ..DocumentFilter::default() }
}

/// A document with something open, as payments are matched to it.
pub(in crate::http) fn open_item(view: &DocumentView) -> Option<SessionInvoice> {
    let due = Pence(view.due_pence());
    // What is still to be withheld under the Construction Industry Scheme is not paid through the bank.
    let withheld =
        view.cis.map_or(Pence::ZERO, |cis| Pence(cis.deduction_pence).proportion(due, Pence(view.gross_pence())));
    let due_pence = due.0 - withheld.0;
    if due_pence <= 0 {
        return None;
    }
    // A payment names the supplier's own number.
    let number = view.supplier_reference.as_ref().or(view.number.as_ref())?;
    let kind = match view.kind {
        DocumentKind::SalesInvoice => "invoice",
        DocumentKind::PurchaseInvoice => "bill",
        DocumentKind::SalesCreditNote | DocumentKind::PurchaseCreditNote => "credit_note",
    };
    Some(SessionInvoice {
        invoice_ref: format!("{}:{}", view.kind.as_str(), view.id),
        kind: kind.to_owned(),
        number: cut(number, NUMBER_CHARS_MAX),
        contact: cut(&view.contact_name, CONTACT_CHARS_MAX),
        day: view.date.day_number(),
        due_day: view.due_date.map(Date::day_number),
        total_pence: Some(view.gross_pence()),
        due_pence,
        currency: "GBP".to_owned(),
        reference: view.reference.as_deref().map(|text| cut(text, NUMBER_CHARS_MAX)),
        account_code: None,
        document: Some((view.kind.as_str().to_owned(), view.id, view.contact_id)),
    })
}

/// What the engine learns from: lines and bills of the two years before a day that were coded to one account.
pub(in crate::http) async fn past(
    reader: &Reader,
    organisation: OrganisationId,
    until: Date,
    banks: &HashMap<i64, String>,
) -> Result<Vec<PastCoding>, StoreError> {
    // What went to accounts that are archived teaches nothing.
    let accounts = reader.accounts(organisation, &AccountFilter::default()).await?;
    let codes = accounts.into_iter().map(|view| (view.row.id, view.row.code)).collect();
    let from = until.months_later(-HISTORY_MONTHS);
    reader.past_codings(organisation, from, &PastNames { codes: &codes, banks }, HISTORY_MAX).await
}

/// The first characters of a text.
pub(in crate::http) fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

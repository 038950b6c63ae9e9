//! The ledger.

mod accounts;
mod bank;
mod changes;
mod contacts;
mod imports;
mod journals;
mod opening;
mod organisations;

use serde_json::{Value, json};
use utoipa::openapi::ObjectBuilder;

use super::operation::Operation;
use super::schema::{Any, boolean, id, integer, number, object, required, string};
use crate::http::error::ErrorCode;

pub use accounts::{
    archive_account, create_account, get_account, list_account_transactions, list_accounts, list_tax_codes,
    unarchive_account, update_account,
};
pub use bank::{
    archive_bank_account, confirm_bank_transaction, confirm_bank_transactions, create_bank_account,
    create_bank_transaction, delete_bank_transaction, exclude_bank_transaction, get_bank_account, get_bank_transaction,
    import_bank_transactions, list_bank_accounts, list_bank_transaction_candidates, list_bank_transactions,
    restore_bank_transaction, unconfirm_bank_transaction, update_bank_account, update_bank_transaction,
};
pub use changes::{
    list_account_history, list_bank_account_history, list_bank_transaction_history, list_changes,
    list_customer_history, list_journal_history, list_supplier_history,
};
pub use contacts::{
    archive_customer, archive_supplier, create_customer, create_supplier, delete_customer, delete_supplier,
    get_customer, get_supplier, list_customers, list_suppliers, unarchive_customer, unarchive_supplier,
    update_customer, update_supplier,
};
pub use imports::{confirm_import, get_import, list_imports, preview_import};
pub use journals::{create_journal, get_journal, list_journals, void_journal};
pub use opening::{preview_opening_balances, set_opening_balances};
pub use organisations::{
    create_organisation, get_organisation, get_period_lock, list_organisations, set_period_lock, update_organisation,
};

const TAG: &str = "Ledger";

/// An amount as it is printed.
fn money() -> ObjectBuilder {
    number().description(Some("Pounds, always with two decimals."))
}

/// An amount as it may be given.
fn money_in() -> ObjectBuilder {
    number()
        .description(Some("Pounds: a number that is a whole number of pence, or a string with at most two decimals."))
}

/// An operation inside an organisation.
fn inside(summary: &'static str, description: &'static str) -> Operation {
    Operation::new(TAG, summary, description)
        .path("organisationId", "The id of the organisation.", id(), 7.into())
        .error(ErrorCode::NotFound)
}

/// The same about one record.
fn about(what: &str, summary: &'static str, description: &'static str) -> Operation {
    inside(summary, description).path("id", &format!("The id of the {what}."), id(), 12.into())
}

impl Operation {
    /// What every change takes beside its body, and how it may be refused.
    fn change(self) -> Self {
        self.header(
            "Idempotency-Key",
            "The same key and body within 24 hours are answered as the first time, with `Idempotency-Replayed: true`.",
            string().min_length(Some(1)).max_length(Some(128)),
            "2026-03-10-rent".into(),
        )
        .query("dry_run", "`true`: decide and answer, and write nothing.", boolean(), true.into())
        .error(ErrorCode::ValidationError)
        .error(ErrorCode::InvalidRequestFormat)
    }

    /// The version the caller has seen.
    fn versioned(self) -> Self {
        self.header(
            "If-Match",
            "The version the caller has seen, in quotes; another one is 409 `stale_version`.",
            string(),
            "\"3\"".into(),
        )
    }

    /// A 409 with this reason.
    fn conflict(self, details: Value) -> Self {
        self.error_with(ErrorCode::Conflict, details)
    }

    /// A 422 with this reason.
    fn refused(self, details: Value) -> Self {
        self.error_with(ErrorCode::UnprocessableEntity, details)
    }
}

/// A record wrapped under `data`.
fn data(description: &str, record: Any) -> Any {
    object(description, vec![required("data", record)]).into()
}

/// A page of records.
fn page(description: &str, record: Any) -> Any {
    let pagination = object(
        "Which part of the list this is; `total` is left out when it is above ten thousand under a filter.",
        vec![
            required("limit", integer(1)),
            required("offset", integer(0)),
            required("count", integer(0)),
            super::schema::optional("total", integer(0)),
        ],
    );
    object(
        description,
        vec![required("data", super::schema::array(record).build()), required("pagination", pagination)],
    )
    .into()
}

/// An example of a page.
fn page_example(record: Value) -> Value {
    json!({ "data": [record], "pagination": { "limit": 50, "offset": 0, "count": 1, "total": 1 } })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let groups = [
        organisations::schemas(),
        accounts::schemas(),
        contacts::schemas(),
        bank::schemas(),
        journals::schemas(),
        changes::schemas(),
        opening::schemas(),
        imports::schemas(),
    ];
    groups.into_iter().flatten().collect()
}

//! The ledger.

mod accounts;
mod bank;
mod bank_accounts;
mod bank_records;
mod changes;
mod cis;
mod contacts;
mod document_schemas;
mod documents;
mod emails;
mod financial_years;
mod imports;
mod journals;
mod opening;
mod organisations;
mod reports;
mod settlements;
pub(in crate::http) mod shared;
mod status;
mod vat_adjustments;
mod vat_returns;
mod write_offs;

use super::schema::Any;
use crate::http::resources::contacts::body_schemas;

pub use accounts::{
    archive_account, create_account, get_account, list_account_transactions, list_accounts, list_tax_codes,
    unarchive_account, update_account,
};
pub use bank::{
    confirm_bank_transaction, confirm_bank_transactions, confirm_suggested_bank_transactions, create_bank_transaction,
    delete_bank_transaction, exclude_bank_transaction, get_bank_transaction, import_bank_transactions,
    list_bank_transaction_candidates, list_bank_transactions, restore_bank_transaction, suggest_bank_transactions,
    unconfirm_bank_transaction, update_bank_transaction,
};
pub use bank_accounts::{
    archive_bank_account, create_bank_account, get_bank_account, list_bank_accounts, update_bank_account,
};
pub use changes::{list_changes, list_history};
pub use cis::{get_cis_return, get_cis_statement, print_cis_statement};
pub use contacts::{
    archive_customer, archive_supplier, create_customer, create_supplier, delete_customer, delete_supplier,
    get_customer, get_supplier, list_customers, list_suppliers, unarchive_customer, unarchive_supplier,
    update_customer, update_supplier,
};
pub use documents::{
    allocate_credit_note, create_document, delete_document, get_document, issue_document, list_documents,
    print_sales_document, unallocate_credit_note, update_document, void_document,
};
pub use emails::{cancel_email, email_document, get_email, list_emails, resend_email};
pub use financial_years::{close_financial_year, list_financial_years, reopen_financial_year};
pub use imports::{confirm_import, get_import, list_imports, preview_import};
pub use journals::{create_journal, get_journal, list_journals, void_journal};
pub use opening::{preview_opening_balances, set_opening_balances};
pub use organisations::{
    create_organisation, get_organisation, get_period_lock, list_organisations, set_period_lock, update_organisation,
};
pub use reports::{
    COMPARE_RULE, MONTHS_RULE, as_of, compared_days, compared_periods, of_period, print_customer_statement, report,
};
pub use settlements::{
    allocate_settlement, create_settlement, get_settlement, list_settlements, print_settlement, unallocate_settlement,
    update_settlement, void_settlement,
};

pub(super) use shared::vocabulary;
pub use status::get_books_status;
pub use vat_adjustments::{create_vat_adjustment, get_vat_adjustment, list_vat_adjustments, void_vat_adjustment};
pub use vat_returns::{create_vat_return, delete_vat_return, get_vat_return, list_vat_returns};
pub use write_offs::{get_write_off, void_write_off, write_off_sales_invoice};

const TAG: &str = "Ledger";

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let groups = [
        organisations::schemas(),
        accounts::schemas(),
        body_schemas(),
        bank_accounts::schemas(),
        bank_records::schemas(),
        journals::schemas(),
        document_schemas::schemas(),
        settlements::schemas(),
        opening::schemas(),
        imports::schemas(),
        vat_adjustments::schemas(),
        vat_returns::schemas(),
        write_offs::schemas(),
        financial_years::schemas(),
        emails::schemas(),
    ];
    groups.into_iter().flatten().collect()
}

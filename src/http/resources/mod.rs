//! The resources of the API, one noun a file: its handlers and what they answer. Answers derive `Serialize` and
//! `ToSchema`, so that what is printed is what the OpenAPI document describes.

pub mod accounts;
pub mod address;
pub mod bank_accounts;
pub mod bank_transactions;
pub mod changes;
pub mod cis;
pub mod contact_reports;
pub mod contacts;
pub mod documents;
pub mod emails;
pub mod financial_years;
pub mod identity;
pub mod imports;
pub mod journals;
pub mod keys;
pub mod opening_balances;
pub mod organisations;
pub mod period_lock;
pub mod printed;
pub mod report_format;
mod report_parameters;
pub mod reports;
pub mod settlements;
pub mod status;
pub mod suggestions;
pub mod vat_adjustments;
pub mod vat_reports;
pub mod vat_returns;
pub mod write_offs;

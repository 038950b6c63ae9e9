//! The records of the books, one noun a file: what commands enter, what is stored, and what callers see.

pub mod account;
pub mod address;
pub mod bank_account;
pub mod bank_book;
pub mod change;
pub mod coding_policy;
pub mod contact;
pub mod document;
pub mod email;
pub mod engine_suggestion;
pub mod financial_year;
pub mod import;
pub mod journal;
pub mod opening;
pub mod organisation;
pub mod plan;
pub mod preview;
pub mod settlement;
pub mod statement_line;
pub mod status;
pub mod suggestion;
pub mod vat_adjustment;
pub mod vat_return;
pub mod write_off;

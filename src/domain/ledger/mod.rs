//! The books: commands and facts in, a journal and its effects or a refusal out.
//!
//! Nothing here knows of a database, a clock or HTTP, so the endpoints, the imports and the tools share every rule.
//! Dates are `domain::date::Date`, money is whole pence. A record that a decision creates has no id yet: where
//! an effect refers to it, it says so with `None`, and the store fills the id in.

pub mod allocate;
pub mod allocation;
pub mod bank;
pub mod bank_candidates;
pub mod bank_coding;
pub mod bank_import;
pub mod bank_transfer;
pub mod chart;
pub mod cis;
pub mod contact;
pub mod document;
pub mod financial_year;
pub mod issue;
pub mod journal;
pub mod manual_journal;
pub mod money;
pub mod open_item;
pub mod opening;
pub mod organisation;
pub mod refusal;
pub mod settlement;
pub mod standard_chart;
pub mod trade;
pub mod vat;
pub mod vat_adjustment;
pub mod vat_cash;
pub mod vat_return;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod testing;

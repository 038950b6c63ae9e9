//! Coding: for every bank transaction of a batch the account of the caller's own chart and the VAT code it belongs to,
//! with an honest confidence. Pure, offline and deterministic to the bit; no order of rows changes any row's answer.
//!
//! A batch is read as a whole: invoices that are settled and transfers between the caller's own accounts come first,
//! then what a line says is turned into a bookkeeping concept and the concept into an account of the chart.

mod batch;
mod chart;
mod chart_cache;
mod confidence;
mod context;
mod decide;
mod evidence;
mod form;
mod hints;
mod history;
mod instructions;
pub mod knowledge;
mod likeness;
pub mod line;
mod line_vat;
mod meaning;
mod name_index;
mod outcome;
mod payee_names;
mod person;
mod printed;
mod ranking;
mod settlement;
mod stages;
mod statements;
mod takings;
#[cfg(test)]
mod tests;
mod text;
mod text_model;
mod traits;
mod transfer;
mod vat;
mod vat_likelihood;
mod weights;
mod wording;

pub use batch::{Account, AccountType, Batch, Invoice, InvoiceKind, PastLine, Transaction, VatCode};
pub use confidence::{curve_name, curve_names};
pub use outcome::{Alternative, Basis, CodedRow, HistorySummary, Method, Outcome, Settled, SettledKind, Vat, Warning};

pub use ranking::{RankingAccount, RankingClue, RankingLine};
pub use stages::{ranking_inputs, trace, trace_chart};

use super::control::{Control, Stopped};

/// Codes every transaction of a batch. Asks `control` for cancellation often and tells it how many rows are done, up to
/// all of them. The batch must have at least one account.
pub fn run(batch: &Batch<'_>, control: &dyn Control) -> Result<Outcome, Stopped> {
    stages::run(batch, confidence::calibrated, control)
}

/// The same with raw scores in place of confidences: what the confidences are fitted to.
pub fn run_uncalibrated(batch: &Batch<'_>, control: &dyn Control) -> Result<Outcome, Stopped> {
    stages::run(batch, |_, _, raw| confidence::raw_thousandths(raw), control)
}

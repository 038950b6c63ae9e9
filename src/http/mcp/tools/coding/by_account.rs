//! What postings move, by account, and the lines behind it as far as they fit into an answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::rows_that_fit;
use super::postings::CodedPosting;
use crate::domain::books::audit_fields::truncated;
use crate::domain::books::records::plan::{OperationOutcome, PlanOutcome};
use crate::domain::coding_session::{ReviewedLine, SessionInvoice};
use crate::domain::date::Date;
use crate::domain::ledger::money::Money;

/// The most bytes of the accounts of an answer without and with their lines, and what lists of lines add to an account beside them.
const ACCOUNTS_BYTES_MAX: usize = 10_000;
const WITH_LINES_BYTES_MAX: usize = 14_000;
const LIST_BYTES: usize = 40;

/// The most characters of the bank's text of a line.
const DESCRIPTION_CHARS_MAX: usize = 100;

/// An account and what is moved on it.
#[derive(Serialize)]
pub(super) struct AccountRow {
    account_code: String,
    account_name: String,
    debit: Money,
    credit: Money,
    /// The lines of statements that come to it; of a preview only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<ShownLine>,
    /// How many more come to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_left_out: Option<usize>,
}

/// A line of a statement as a person knows it again.
#[derive(Serialize, Clone)]
pub(super) struct ShownLine {
    row_id: i64,
    date: Date,
    description: String,
    amount: Money,
    /// The numbers of the documents that it settles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settles: Vec<String>,
    /// Whose documents they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<String>,
}

impl ShownLine {
    /// A line, with the numbers and the contact of what it settles.
    pub(super) fn new(line: &ReviewedLine<'_>, invoices: &[SessionInvoice]) -> Self {
        let details = &line.line.details;
        let settles = line.coding.iter().flat_map(|coding| &coding.settles);
        let settled = |reference: &str| invoices.iter().find(|invoice| invoice.invoice_ref == reference);
        let contact = settles.clone().find_map(|one| settled(&one.invoice_ref)).map(|invoice| invoice.contact.clone());
        let mut numbers: Vec<String> = settles.map(|one| one.number.clone()).collect();
        numbers.dedup();
        Self {
            row_id: line.line.line,
            date: details.date(),
            description: truncated(&details.description, DESCRIPTION_CHARS_MAX).to_owned(),
            amount: Money(details.amount_pence),
            settles: numbers,
            contact,
        }
    }
}

/// What the postings move, by account.
pub(super) fn by_account(outcome: &PlanOutcome) -> Vec<AccountRow> {
    let mut accounts: BTreeMap<&str, (&str, i64, i64)> = BTreeMap::new();
    for operation in &outcome.operations {
        let OperationOutcome::Done(effects) = operation else { continue };
        for line in effects.journals.iter().flat_map(|journal| &journal.lines) {
            let sums = accounts.entry(&line.account_code).or_insert((&line.account_name, 0, 0));
            sums.1 += line.debit_pence;
            sums.2 += line.credit_pence;
        }
    }
    let row = |(code, (name, debit, credit)): (&str, (&str, i64, i64))| AccountRow {
        account_code: code.to_owned(),
        account_name: name.to_owned(),
        debit: Money(debit),
        credit: Money(credit),
        lines: Vec::new(),
        lines_left_out: None,
    };
    let rows = accounts.into_iter().map(row).collect();
    rows_that_fit(rows, ACCOUNTS_BYTES_MAX, length).0
}

/// The same with the lines behind each account but the one of their own statement, as many as fit.
pub(super) fn with_lines(
    outcome: &PlanOutcome,
    postings: &[(CodedPosting, usize)],
    shown: &BTreeMap<i64, ShownLine>,
    bank_codes: &BTreeSet<String>,
) -> Vec<AccountRow> {
    let mut of_accounts: BTreeMap<&str, Vec<&ShownLine>> = BTreeMap::new();
    for (posting, place) in postings {
        let Some(OperationOutcome::Done(effects)) = outcome.operations.get(*place) else { continue };
        let lines = || effects.journals.iter().flat_map(|journal| &journal.lines).filter(|line| !line.system);
        for line in posting.rows.iter().filter_map(|row| shown.get(row)) {
            // The account of the statement itself is moved in the direction of its line.
            let is_own = |code: &str, debit: i64| bank_codes.contains(code) && (debit > 0) == (line.amount.0 > 0);
            let others = lines().filter(|moved| !is_own(&moved.account_code, moved.debit_pence));
            let codes: BTreeSet<&str> = others.map(|moved| moved.account_code.as_str()).collect();
            codes.into_iter().for_each(|code| of_accounts.entry(code).or_default().push(line));
        }
    }
    let mut rows = by_account(outcome);
    let mut used: usize = rows.iter().map(|row| length(row) + LIST_BYTES).sum();
    for row in &mut rows {
        let lines = of_accounts.remove(row.account_code.as_str()).unwrap_or_default();
        let fit = lines.iter().take_while(|line| {
            let with_line = used + length(line) + 1;
            let fits = with_line <= WITH_LINES_BYTES_MAX;
            used = if fits { with_line } else { used };
            fits
        });
        row.lines = fit.map(|line| (*line).clone()).collect();
        row.lines_left_out = Some(lines.len() - row.lines.len()).filter(|left| *left > 0);
    }
    rows
}

fn length<R: Serialize>(row: &R) -> usize {
    serde_json::to_string(row).map_or(0, |text| text.len())
}

//! The result object of a coding job, printed row by row.

use std::io::{self, Write};

use crate::domain::amount::{self, UNITS_PER_WHOLE};
use crate::domain::coding::{Account, Batch, CodedRow, Outcome, Settled, Warning};
use crate::domain::suggestions::SuggestionsWritten;
use crate::http::wire::print::{write_list, write_string};

/// Confidence is stored in thousandths.
const UNITS_PER_THOUSANDTH: i128 = UNITS_PER_WHOLE / 1000;

/// Writes the `result` object of a completed run, piece by piece. `inputs` are the transactions as they were submitted.
pub fn write_result(out: &mut impl Write, batch: &Batch<'_>, inputs: &[&str], outcome: &Outcome) -> io::Result<()> {
    out.write_all(b"{")?;
    write_summary(out, batch, outcome)?;
    out.write_all(b"},")?;
    write_transactions(out, batch, inputs, outcome)?;
    out.write_all(b"}")
}

/// Writes the same with its summary at the end, which is left open.
pub fn write_open_result(
    out: &mut impl Write,
    batch: &Batch<'_>,
    inputs: &[&str],
    outcome: &Outcome,
) -> io::Result<()> {
    out.write_all(b"{")?;
    write_transactions(out, batch, inputs, outcome)?;
    out.write_all(b",")?;
    write_summary(out, batch, outcome)
}

/// What follows an open result: what became of the suggestions of its job.
pub fn result_end(suggestions: SuggestionsWritten) -> String {
    let SuggestionsWritten { written, skipped } = suggestions;
    format!(",\"suggestions\":{{\"written\":{written},\"skipped\":{skipped}}}}}}}")
}

fn write_transactions(out: &mut impl Write, batch: &Batch<'_>, inputs: &[&str], outcome: &Outcome) -> io::Result<()> {
    out.write_all(b"\"transactions\":")?;
    let rows = batch.transactions.iter().zip(inputs).zip(&outcome.rows);
    write_list(out, rows, |out, ((transaction, input), row)| write_row(out, batch, input, transaction.amount, row))
}

/// Writes the summary without its closing brace.
fn write_summary(out: &mut impl Write, batch: &Batch<'_>, outcome: &Outcome) -> io::Result<()> {
    write!(
        out,
        "\"summary\":{{\"transaction_count\":{},\"coded_count\":{},\"by_method\":{{",
        batch.transactions.len(),
        outcome.coded_count()
    )?;
    for (at, (method, count)) in outcome.by_method().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(out, "{comma}\"{}\":{count}", method.as_str())?;
    }
    out.write_all(b"},\"warnings\":")?;
    write_list(out, outcome.warnings.iter(), |out, warning| write!(out, "\"{}\"", warning.as_str()))?;
    if let Some(history) = &outcome.history {
        write!(out, ",\"history_rows\":{},\"history_payees_matched\":{}", history.rows, history.payees_matched)?;
        let left_out = [
            (Warning::HistoryAccountUnknown, history.unknown_accounts),
            (Warning::HistoryVatCodeUnknown, history.unknown_vat_codes),
        ];
        for (warning, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
            write!(out, ",\"{}\":{count}", warning.as_str())?;
        }
    }
    Ok(())
}

fn write_row(out: &mut impl Write, batch: &Batch<'_>, input: &str, amount: i128, row: &CodedRow) -> io::Result<()> {
    let account = account(batch, row.account)?;
    // As it was submitted, digits and order of keys included: it is JSON and was read strictly.
    out.write_all(b"{\"input\":")?;
    out.write_all(input.as_bytes())?;
    out.write_all(b",\"suggested_account_code\":")?;
    write_string(out, &account.code)?;
    out.write_all(b",\"suggested_account_name\":")?;
    write_string(out, &account.name)?;
    write!(
        out,
        ",\"suggested_account_type\":\"{}\",\"vat_code\":\"{}\",\"vat_rate\":{},\"net_amount\":{},\"vat_amount\":{},\
         \"confidence\":{},\"coding_method\":\"{}\"",
        account.kind.as_str(),
        row.vat.as_str(),
        amount::plain_decimal(row.vat_rate),
        amount::plain_decimal(amount - row.vat_amount),
        amount::plain_decimal(row.vat_amount),
        confidence(row.confidence),
        row.method.as_str(),
    )?;
    if !row.reason.is_empty() {
        out.write_all(b",\"reason\":")?;
        write_string(out, &row.reason)?;
    }
    if !row.alternatives.is_empty() {
        out.write_all(b",\"alternatives\":")?;
        write_list(out, row.alternatives.iter(), |out, alternative| {
            out.write_all(b"{\"code\":")?;
            write_string(out, &self::account(batch, alternative.account)?.code)?;
            write!(out, ",\"confidence\":{}}}", confidence(alternative.confidence))
        })?;
    }
    if !row.settles.is_empty() {
        out.write_all(b",\"settles\":")?;
        write_list(out, row.settles.iter(), |out, settled| write_settled(out, batch, settled))?;
    }
    if let Some(pair) = row.transfer_pair {
        write!(out, ",\"transfer_pair\":{pair}")?;
    }
    out.write_all(b"}")
}

fn write_settled(out: &mut impl Write, batch: &Batch<'_>, settled: &Settled) -> io::Result<()> {
    let invoice = batch.invoices.as_ref().and_then(|invoices| invoices.get(settled.invoice));
    let invoice = invoice.ok_or_else(|| io::Error::other("a row settles an invoice that was not submitted"))?;
    out.write_all(b"{\"number\":")?;
    write_string(out, &invoice.number)?;
    let settled_amount = amount::plain_decimal(settled.amount);
    write!(out, ",\"amount\":{settled_amount},\"match\":\"{}\"}}", settled.kind.as_str())
}

fn account<'b, 'a>(batch: &'b Batch<'a>, at: usize) -> io::Result<&'b Account<'a>> {
    batch.accounts.get(at).ok_or_else(|| io::Error::other("a row is coded to an account that was not submitted"))
}

fn confidence(thousandths: u16) -> String {
    amount::plain_decimal(i128::from(thousandths) * UNITS_PER_THOUSANDTH)
}

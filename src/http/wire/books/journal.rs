//! Journals on the wire.

use serde::Serialize;

use super::read::body;
use super::{CURRENCY, Date, Id, Money};
use crate::domain::calendar::date_time_text;
use crate::domain::ledger::ids::{AccountId, ContactId};
use crate::domain::ledger::manual_journal::{ManualJournal, ManualLine};
use crate::domain::ledger::period::Day;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};
use crate::store::{JournalLineView, JournalView};

/// Lines of one journal.
const LINES_MAX: u64 = 1_000;

/// Reads the body that posts a journal. One line is a matter of the rules, not of the format.
pub fn parse_new(text: &[u8]) -> Result<ManualJournal, Issues> {
    const NAMES: [&str; 4] = ["entry_date", "description", "lines", "reference"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut entry_date, mut description, mut reference) = (None, None, None);
    let mut lines = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => entry_date = reader.day(body("entry_date"))?,
            1 => description = reader.text(body("description"), 1..=500)?,
            2 => reader.list("lines", 0..=LINES_MAX, |reader, path| {
                lines.extend(line(reader, path)?);
                Ok(())
            })?,
            _ => reference = reader.maybe_text(body("reference"), 100)?.flatten(),
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 3);
        }
    });
    reader.finish(read)?;
    let (Some(entry_date), Some(description)) = (entry_date, description) else { return Err(Issues::default()) };
    Ok(ManualJournal { entry_date, description: description.into_owned(), reference, memo: None, lines })
}

fn line(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<ManualLine>> {
    const NAMES: [&str; 7] = ["account_id", "debit", "credit", "memo", "vat_code", "vat_amount", "contact_id"];
    let (mut account_id, mut debit, mut credit) = (None, None, None);
    let (mut memo, mut vat_code, mut vat_amount, mut contact_id) = (None, None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        let Some(name) = NAMES.get(at) else { return Ok(()) };
        let path = path.field(name);
        if at > 0 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => account_id = reader.id(path)?,
            1 => debit = reader.positive_money(path)?,
            2 => credit = reader.positive_money(path)?,
            3 => memo = reader.maybe_text(path, 500)?.flatten(),
            4 => vat_code = reader.vat_code(path)?,
            5 => vat_amount = reader.positive_money(path)?,
            _ => contact_id = reader.id(path)?,
        }
        Ok(())
    })?;
    if let Some(given) = given {
        reader.require(path, &NAMES, &given, 1);
    }
    Ok(account_id.map(|account_id| ManualLine {
        account_id: AccountId(account_id),
        debit,
        credit,
        memo,
        vat_code,
        vat_amount,
        contact_id: contact_id.map(ContactId),
    }))
}

/// When and why something is voided.
#[derive(Debug, Default)]
pub struct VoidRequest {
    /// The day of the reversal.
    pub void_day: Option<Day>,
    /// Why.
    pub reason: Option<String>,
}

/// Reads the body that voids something; there need not be one.
pub fn parse_void(text: &[u8]) -> Result<VoidRequest, Issues> {
    const NAMES: [&str; 2] = ["void_date", "reason"];
    let mut request = VoidRequest::default();
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(request);
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        if reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => request.void_day = reader.day(body("void_date"))?,
            _ => request.reason = reader.text(body("reason"), 1..=500)?.map(String::from),
        }
        Ok(())
    });
    reader.finish(read)?;
    Ok(request)
}

/// A journal, as answers show it.
#[derive(Serialize)]
pub struct JournalJson<'a> {
    id: Id,
    journal_number: Id,
    entry_date: Date,
    description: &'a str,
    reference: Option<&'a str>,
    status: &'static str,
    source_type: &'a str,
    source_id: Option<i64>,
    reverses_journal_id: Option<i64>,
    reversed_by_journal_id: Option<Id>,
    currency: &'static str,
    total_debit: Money,
    total_credit: Money,
    lines: Vec<LineJson<'a>>,
    created_at: String,
    created_by: CreatedBy<'a>,
    version: i64,
}

#[derive(Serialize)]
struct CreatedBy<'a> {
    user_id: i64,
    key_prefix: Option<&'a str>,
}

#[derive(Serialize)]
struct LineJson<'a> {
    id: Id,
    line_number: i64,
    account_id: i64,
    account_code: &'a str,
    account_name: &'a str,
    debit: Money,
    credit: Money,
    memo: Option<&'a str>,
    vat_code: Option<&'a str>,
    vat_amount: Option<Money>,
    contact_id: Option<i64>,
    system: bool,
}

impl<'a> From<&'a JournalView> for JournalJson<'a> {
    fn from(view: &'a JournalView) -> Self {
        Self {
            id: Id(view.id),
            journal_number: Id(view.number),
            entry_date: Date(view.entry_day),
            description: &view.description,
            reference: view.reference.as_deref(),
            status: if view.reversed_by.is_some() { "void" } else { "posted" },
            source_type: &view.source_type,
            source_id: view.source_id,
            reverses_journal_id: view.reverses,
            reversed_by_journal_id: view.reversed_by.map(Id),
            currency: CURRENCY,
            total_debit: Money(view.total_pence),
            total_credit: Money(view.total_pence),
            lines: view.lines.iter().map(LineJson::from).collect(),
            created_at: date_time_text(view.created_at_ms),
            created_by: CreatedBy { user_id: view.user_id, key_prefix: view.key_prefix.as_deref() },
            version: view.version(),
        }
    }
}

impl<'a> From<&'a JournalLineView> for LineJson<'a> {
    fn from(line: &'a JournalLineView) -> Self {
        Self {
            id: Id(line.id),
            line_number: line.line_number,
            account_id: line.account_id,
            account_code: &line.account_code,
            account_name: &line.account_name,
            debit: Money(line.debit_pence),
            credit: Money(line.credit_pence),
            memo: line.memo.as_deref(),
            vat_code: line.vat_code.as_deref(),
            vat_amount: line.vat_pence.map(Money),
            contact_id: line.contact_id,
            system: line.system,
        }
    }
}

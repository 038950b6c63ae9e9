//! The bodies that post and void journals.

use super::read::body;
use crate::domain::date::Date;
use crate::domain::ids::ContactId;
use crate::domain::ledger::manual_journal::{ManualJournal, ManualLine};
use crate::domain::problem::Issues;
use crate::http::wire::books::read::AccountRead;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

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
            0 => entry_date = reader.book_date(body("entry_date"))?,
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
    const NAMES: [&str; 8] =
        ["account_id", "account_code", "debit", "credit", "memo", "vat_code", "vat_amount", "contact_id"];
    let (mut account, mut debit, mut credit) = (AccountRead::default(), None, None);
    let (mut memo, mut vat_code, mut vat_amount, mut contact_id) = (None, None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        let Some(name) = NAMES.get(at) else { return Ok(()) };
        let path = path.field(name);
        if at > 1 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => account.id(reader, path)?,
            1 => account.code(reader, path)?,
            2 => debit = reader.positive_money(path)?,
            3 => credit = reader.positive_money(path)?,
            4 => memo = reader.maybe_text(path, 500)?.flatten(),
            5 => vat_code = reader.vat_code(path)?,
            6 => vat_amount = reader.positive_money(path)?,
            _ => contact_id = reader.id(path)?,
        }
        Ok(())
    })?;
    if given.is_none() {
        return Ok(None);
    }
    Ok(account.required(reader, path).map(|account| ManualLine {
        account,
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
    pub void_date: Option<Date>,
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
            0 => request.void_date = reader.book_date(body("void_date"))?,
            _ => request.reason = reader.text(body("reason"), 1..=500)?.map(String::from),
        }
        Ok(())
    });
    reader.finish(read)?;
    Ok(request)
}

//! The lines of bank statements on the wire.

use super::read::body;
use crate::domain::books::records::statement_line::{StatementImport, StatementLineInput};
use crate::domain::books::records::suggestion::StatementLineSuggestion;
use crate::domain::date::Date;
use crate::domain::ledger::bank_coding::CodedLine;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use crate::domain::problem::Issues;
use crate::http::wire::books::read::AccountRead;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// Rows of one import.
const IMPORT_ROWS_MAX: u64 = 5_000;
/// Parts of one line.
pub(super) const PARTS_MAX: u64 = 100;

const ROW_NAMES: [&str; 6] = ["date", "amount", "description", "reference", "merchant", "external_id"];

#[derive(Default)]
struct RowRead {
    date: Option<Date>,
    amount: Option<Pence>,
    description: Option<String>,
    reference: Option<String>,
    merchant: Option<String>,
    external_id: Option<String>,
}

impl RowRead {
    fn field(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'static>, at: usize) -> Reading<()> {
        let path = path.field(ROW_NAMES.get(at).copied().unwrap_or_default());
        match at {
            0 => self.date = reader.book_date(path)?,
            1 => {
                self.amount = reader.money(path)?;
                if self.amount.is_some_and(Pence::is_zero) {
                    reader.problem(path, "must not be zero");
                }
            }
            2 => self.description = reader.text(path, 1..=500)?.map(String::from),
            3 => self.reference = reader.maybe_text(path, 100)?.flatten(),
            4 => self.merchant = reader.maybe_text(path, 200)?.flatten(),
            _ => self.external_id = reader.maybe_text(path, 100)?.flatten(),
        }
        Ok(())
    }

    fn row(self) -> Option<StatementLineInput> {
        Some(StatementLineInput {
            date: self.date?,
            amount_pence: self.amount?.0,
            description: self.description?,
            reference: self.reference,
            merchant: self.merchant,
            external_id: self.external_id,
        })
    }
}

/// Reads the body that enters a line of a statement.
pub fn parse_row(text: &[u8]) -> Result<(i64, StatementLineInput), Issues> {
    const NAMES: [&str; 7] =
        ["date", "amount", "description", "bank_account_id", "reference", "merchant", "external_id"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut row, mut bank) = (RowRead::default(), None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| match at {
        0..=2 => row.field(reader, FieldPath::section(BODY), at),
        3 => {
            bank = reader.id(body("bank_account_id"))?;
            Ok(())
        }
        _ => row.field(reader, FieldPath::section(BODY), at - 1),
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 4);
        }
    });
    reader.finish(read)?;
    bank.zip(row.row()).ok_or_else(Issues::default)
}

/// Reads the body that imports lines of a statement.
pub fn parse_import(text: &[u8]) -> Result<StatementImport, Issues> {
    const NAMES: [&str; 3] = ["bank_account_id", "rows", "on_duplicate"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut bank, mut rows, mut reject) = (None, Vec::new(), None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => bank = reader.id(body("bank_account_id"))?,
            1 => reader.list("rows", 1..=IMPORT_ROWS_MAX, |reader, path| {
                let mut row = RowRead::default();
                let given = reader.object(path, &ROW_NAMES, |reader, at| row.field(reader, path, at))?;
                if let Some(given) = given {
                    reader.require(path, &ROW_NAMES, &given, 3);
                }
                rows.extend(row.row());
                Ok(())
            })?,
            _ => {
                let parse = |word: &str| match word {
                    "skip" => Some(false),
                    "reject" => Some(true),
                    _ => None,
                };
                reject = reader.word(body("on_duplicate"), parse, "skip or reject")?;
            }
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 2);
        }
    });
    reader.finish(read)?;
    let bank_account_id = bank.ok_or_else(Issues::default)?;
    Ok(StatementImport { bank_account_id, rows, reject_duplicates: reject.unwrap_or_default() })
}

/// A part of a coded line as given.
#[derive(Default)]
pub(super) struct PartRead {
    account: AccountRead,
    gross: Option<Pence>,
    vat_code: Option<VatCode>,
    vat_amount: Option<Pence>,
    memo: Option<String>,
}

impl PartRead {
    const NAMES: [&str; 6] = ["account_id", "account_code", "gross_amount", "vat_code", "vat_amount", "memo"];

    pub(super) fn read(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<CodedLine>> {
        let mut part = Self::default();
        let given = reader.object(path, &Self::NAMES, |reader, at| {
            let path = path.field(Self::NAMES.get(at).copied().unwrap_or_default());
            match at {
                0 => part.account.id(reader, path)?,
                1 => part.account.code(reader, path)?,
                2 => {
                    part.gross = reader.money(path)?;
                    if part.gross.is_some_and(Pence::is_zero) {
                        reader.problem(path, "must not be zero");
                    }
                }
                3 => part.vat_code = reader.vat_code(path)?,
                4 if reader.is_null()? => {}
                4 => part.vat_amount = reader.money(path)?,
                _ => part.memo = reader.maybe_text(path, 500)?.flatten(),
            }
            Ok(())
        })?;
        let Some([_, _, has_gross, has_vat_code, ..]) = given else { return Ok(None) };
        let account = part.account.required(reader, path);
        reader.require(path, &["gross_amount", "vat_code"], &[has_gross, has_vat_code], 2);
        let (Some(account), Some(gross), Some(vat_code)) = (account, part.gross, part.vat_code) else {
            return Ok(None);
        };
        Ok(Some(CodedLine { account, gross, vat_code, vat_amount: part.vat_amount, memo: part.memo }))
    }
}

/// Reads the body that saves a suggestion.
pub fn parse_suggestion(text: &[u8]) -> Result<StatementLineSuggestion, Issues> {
    const NAMES: [&str; 6] = ["account_id", "account_code", "vat_code", "lines", "contact_id", "memo"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut account = AccountRead::default();
    let mut suggestion = StatementLineSuggestion::default();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => account.id(reader, body("account_id"))?,
            1 => account.code(reader, body("account_code"))?,
            2 if reader.is_null()? => suggestion.vat_code = Some(None),
            2 => suggestion.vat_code = reader.vat_code(body("vat_code"))?.map(Some),
            3 => {
                let mut parts = Vec::new();
                reader.list("lines", 0..=PARTS_MAX, |reader, path| {
                    parts.extend(PartRead::read(reader, path)?);
                    Ok(())
                })?;
                suggestion.lines = Some(parts);
            }
            4 if reader.is_null()? => suggestion.contact_id = Some(None),
            4 => suggestion.contact_id = reader.id(body("contact_id"))?.map(Some),
            _ => suggestion.memo = reader.maybe_text(body("memo"), 500)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        reader.require_some(given);
        let Some([has_id, has_code, has_vat_code, has_lines, ..]) = given else { return };
        let has_account = has_id || has_code;
        // Null in one of the keys clears what is saved, unless the other names an account.
        suggestion.account = has_account.then(|| account.optional(&mut reader, FieldPath::section(BODY)));
        if (has_account || has_vat_code) && has_lines {
            reader.problem(body("lines"), "either account_id and vat_code, or lines");
        }
    });
    reader.finish(read)?;
    Ok(suggestion)
}

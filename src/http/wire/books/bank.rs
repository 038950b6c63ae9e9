//! The lines of bank statements on the wire.

use super::read::body;
use crate::domain::ledger::bank::ConfirmType;
use crate::domain::ledger::bank_coding::{CodedLine, Coding};
use crate::domain::ledger::ids::AccountId;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, Place, Reading, Strict};
use crate::store::{BankImport, BankLine, BankRow, BankSuggestion, Confirmation};

/// Rows of one import.
const IMPORT_ROWS_MAX: u64 = 5_000;
/// Items of one batch.
const BATCH_ITEMS_MAX: u64 = 500;
/// Parts of one line.
const PARTS_MAX: u64 = 100;

const ROW_NAMES: [&str; 6] = ["date", "amount", "description", "reference", "merchant", "external_id"];

#[derive(Default)]
struct RowRead {
    day: Option<i32>,
    amount: Option<Pence>,
    description: Option<String>,
    reference: Option<String>,
    merchant: Option<String>,
    external_id: Option<String>,
}

impl RowRead {
    fn field(&mut self, reader: &mut Strict<'_>, place: Place<'static>, at: usize) -> Reading<()> {
        let place = place.field(ROW_NAMES.get(at).copied().unwrap_or_default());
        match at {
            0 => self.day = reader.day(place)?,
            1 => {
                self.amount = reader.money(place)?;
                if self.amount.is_some_and(Pence::is_zero) {
                    reader.problem(place, "must not be zero");
                }
            }
            2 => self.description = reader.text(place, 1..=500)?.map(String::from),
            3 => self.reference = reader.maybe_text(place, 100)?.flatten(),
            4 => self.merchant = reader.maybe_text(place, 200)?.flatten(),
            _ => self.external_id = reader.maybe_text(place, 100)?.flatten(),
        }
        Ok(())
    }

    fn row(self) -> Option<BankRow> {
        Some(BankRow {
            day: self.day?,
            amount_pence: self.amount?.0,
            description: self.description?,
            reference: self.reference,
            merchant: self.merchant,
            external_id: self.external_id,
        })
    }
}

/// Reads the body that enters a line of a statement.
pub fn parse_row(text: &[u8]) -> Result<(i64, BankRow), Issues> {
    const NAMES: [&str; 7] =
        ["date", "amount", "description", "bank_account_id", "reference", "merchant", "external_id"];
    let mut reader = Strict::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut row, mut bank) = (RowRead::default(), None);
    let read = reader.object(Place::section(BODY), &NAMES, |reader, at| match at {
        0..=2 => row.field(reader, Place::section(BODY), at),
        3 => {
            bank = reader.id(body("bank_account_id"))?;
            Ok(())
        }
        _ => row.field(reader, Place::section(BODY), at - 1),
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(Place::section(BODY), &NAMES, &given, 4);
        }
    });
    reader.finish(read)?;
    bank.zip(row.row()).ok_or_else(Issues::default)
}

/// Reads the body that imports lines of a statement.
pub fn parse_import(text: &[u8]) -> Result<BankImport, Issues> {
    const NAMES: [&str; 3] = ["bank_account_id", "rows", "on_duplicate"];
    let mut reader = Strict::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut bank, mut rows, mut reject) = (None, Vec::new(), None);
    let read = reader.object(Place::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => bank = reader.id(body("bank_account_id"))?,
            1 => reader.list("rows", 1..=IMPORT_ROWS_MAX, |reader, place| {
                let mut row = RowRead::default();
                let given = reader.object(place, &ROW_NAMES, |reader, at| row.field(reader, place, at))?;
                if let Some(given) = given {
                    reader.require(place, &ROW_NAMES, &given, 3);
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
            reader.require(Place::section(BODY), &NAMES, &given, 2);
        }
    });
    reader.finish(read)?;
    let bank_account_id = bank.ok_or_else(Issues::default)?;
    Ok(BankImport { bank_account_id, rows, reject_duplicates: reject.unwrap_or_default() })
}

/// A part of a coded line as given.
#[derive(Default)]
struct PartRead {
    account_id: Option<i64>,
    gross: Option<Pence>,
    vat_code: Option<VatCode>,
    vat_amount: Option<Pence>,
    memo: Option<String>,
}

impl PartRead {
    const NAMES: [&str; 5] = ["account_id", "gross_amount", "vat_code", "vat_amount", "memo"];

    fn read(reader: &mut Strict<'_>, place: Place<'static>) -> Reading<Option<CodedLine>> {
        let mut part = Self::default();
        let given = reader.object(place, &Self::NAMES, |reader, at| {
            let place = place.field(Self::NAMES.get(at).copied().unwrap_or_default());
            match at {
                0 => part.account_id = reader.id(place)?,
                1 => {
                    part.gross = reader.money(place)?;
                    if part.gross.is_some_and(Pence::is_zero) {
                        reader.problem(place, "must not be zero");
                    }
                }
                2 => part.vat_code = reader.vat_code(place)?,
                3 if reader.is_null()? => {}
                3 => part.vat_amount = reader.money(place)?,
                _ => part.memo = reader.maybe_text(place, 500)?.flatten(),
            }
            Ok(())
        })?;
        if let Some(given) = given {
            reader.require(place, &Self::NAMES, &given, 3);
        }
        let (Some(account_id), Some(gross), Some(vat_code)) = (part.account_id, part.gross, part.vat_code) else {
            return Ok(None);
        };
        let account_id = AccountId(account_id);
        Ok(Some(CodedLine { account_id, gross, vat_code, vat_amount: part.vat_amount, memo: part.memo }))
    }
}

/// Reads the body that saves a suggestion.
pub fn parse_suggestion(text: &[u8]) -> Result<BankSuggestion, Issues> {
    const NAMES: [&str; 5] = ["account_id", "vat_code", "lines", "contact_id", "memo"];
    let mut reader = Strict::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut account_id, mut vat_code, mut lines) = (None, None, None);
    let mut suggestion = BankSuggestion::default();
    let read = reader.object(Place::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => account_id = reader.id(body("account_id"))?,
            1 => vat_code = reader.vat_code(body("vat_code"))?,
            2 => {
                let mut parts = Vec::new();
                reader.list("lines", 0..=PARTS_MAX, |reader, place| {
                    parts.extend(PartRead::read(reader, place)?);
                    Ok(())
                })?;
                lines = Some(parts);
            }
            3 if reader.is_null()? => suggestion.contact_id = Some(None),
            3 => suggestion.contact_id = reader.id(body("contact_id"))?.map(Some),
            _ => suggestion.memo = reader.maybe_text(body("memo"), 500)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        reader.require_some(given);
        if let Some([account, code, list, ..]) = given
            && ((account || code) && list || account != code)
        {
            reader.problem(body("account_id"), "account_id and vat_code go together, and not with lines");
        }
    });
    reader.finish(read)?;
    let stored = |line: CodedLine| BankLine {
        account_id: line.account_id.0,
        gross_pence: line.gross.0,
        vat_code: line.vat_code.code().to_owned(),
        given_vat_pence: line.vat_amount.map(|vat| vat.0),
        net_pence: 0,
        vat_pence: 0,
        memo: line.memo,
    };
    suggestion.lines = match (account_id, vat_code) {
        (Some(account_id), Some(vat_code)) => {
            let account_id = AccountId(account_id);
            let gross = Pence::ZERO;
            Some(vec![stored(CodedLine { account_id, gross, vat_code, vat_amount: None, memo: None })])
        }
        _ => lines.map(|lines| lines.into_iter().map(stored).collect()),
    };
    Ok(suggestion)
}

const CONFIRM_NAMES: [&str; 8] =
    ["type", "account_id", "vat_code", "vat_amount", "lines", "bank_transaction_id", "bank_account_id", "journal_id"];

/// The keys of a confirmation as given.
#[derive(Default)]
struct ConfirmRead {
    kind: Option<ConfirmType>,
    account_id: Option<i64>,
    vat_code: Option<VatCode>,
    vat_amount: Option<Pence>,
    lines: Option<Vec<CodedLine>>,
    transaction: Option<i64>,
    bank: Option<i64>,
    journal: Option<i64>,
}

impl ConfirmRead {
    fn field(&mut self, reader: &mut Strict<'_>, place: Place<'static>, at: usize) -> Reading<()> {
        let field = place.field(CONFIRM_NAMES.get(at).copied().unwrap_or_default());
        if at > 0 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => {
                let parse = |word: &str| match ConfirmType::parse(word) {
                    kind @ Some(ConfirmType::Coded | ConfirmType::Transfer | ConfirmType::Match) => kind,
                    _ => None,
                };
                self.kind = reader.word(field, parse, "one of coded, transfer, match")?;
            }
            1 => self.account_id = reader.id(field)?,
            2 => self.vat_code = reader.vat_code(field)?,
            3 => self.vat_amount = reader.money(field)?,
            4 => {
                let mut parts = Vec::new();
                reader.list_in(place, "lines", 1..=PARTS_MAX, |reader, place| {
                    parts.extend(PartRead::read(reader, place)?);
                    Ok(())
                })?;
                self.lines = Some(parts);
            }
            5 => self.transaction = reader.id(field)?,
            6 => self.bank = reader.id(field)?,
            _ => self.journal = reader.id(field)?,
        }
        Ok(())
    }

    /// What is meant, or what is wrong with it.
    fn meant(self) -> Result<Confirmation, (&'static str, &'static str)> {
        let is_coded = self.account_id.is_some() || self.lines.is_some();
        let kind = self.kind.or(is_coded.then_some(ConfirmType::Coded));
        let transfers = self.transaction.is_some() || self.bank.is_some();
        let others = transfers || self.journal.is_some();
        let codes = is_coded || self.vat_code.is_some() || self.vat_amount.is_some();
        match kind {
            None if others || codes => Err(("type", "is required with what is given")),
            None => Ok(Confirmation::Suggested),
            Some(ConfirmType::Coded) if others => Err(("type", "coded takes account_id and vat_code, or lines")),
            Some(ConfirmType::Coded) => match (self.account_id, self.vat_code, self.lines) {
                (None, None, None) if self.vat_amount.is_none() => Ok(Confirmation::Suggested),
                (None, None, Some(lines)) if self.vat_amount.is_none() => {
                    Ok(Confirmation::Coded(Coding { lines, is_short: false }))
                }
                (Some(account_id), Some(vat_code), None) => {
                    let (account_id, gross, memo) = (AccountId(account_id), Pence::ZERO, None);
                    let line = CodedLine { account_id, gross, vat_code, vat_amount: self.vat_amount, memo };
                    Ok(Confirmation::Coded(Coding { lines: vec![line], is_short: true }))
                }
                (Some(_), None, None) => Err(("vat_code", "is required beside account_id; NV for none")),
                _ => Err(("lines", "either account_id with vat_code, or lines")),
            },
            Some(ConfirmType::Transfer) if codes || self.journal.is_some() => {
                Err(("type", "transfer takes bank_transaction_id or bank_account_id"))
            }
            Some(ConfirmType::Transfer) => match (self.transaction, self.bank) {
                (Some(id), None) => Ok(Confirmation::TransferWith(id)),
                (None, Some(id)) => Ok(Confirmation::TransferTo(id)),
                _ => Err(("bank_transaction_id", "exactly one of bank_transaction_id and bank_account_id is required")),
            },
            _ if codes || transfers => Err(("type", "match takes journal_id")),
            _ => self.journal.map(Confirmation::MatchJournal).ok_or(("journal_id", "is required for a match")),
        }
    }
}

/// Reads the body that confirms a line; an empty one confirms its suggestion.
pub fn parse_confirmation(text: &[u8]) -> Result<Confirmation, Issues> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Confirmation::Suggested);
    }
    let mut reader = Strict::new(std::str::from_utf8(text).unwrap_or_default());
    let mut read = ConfirmRead::default();
    let given =
        reader.object(Place::section(BODY), &CONFIRM_NAMES, |reader, at| read.field(reader, Place::section(BODY), at));
    reader.finish(given)?;
    read.meant().map_err(|(field, message)| {
        let mut issues = Issues::default();
        issues.field(BODY, field, message);
        issues
    })
}

/// Reads the body that confirms many lines.
pub fn parse_batch(text: &[u8]) -> Result<Vec<(i64, Confirmation)>, Issues> {
    const NAMES: [&str; 1] = ["items"];
    const ITEM_NAMES: [&str; 9] = [
        "id",
        "type",
        "account_id",
        "vat_code",
        "vat_amount",
        "lines",
        "bank_transaction_id",
        "bank_account_id",
        "journal_id",
    ];
    let mut reader = Strict::new(std::str::from_utf8(text).unwrap_or_default());
    let mut items = Vec::new();
    let read = reader.object(Place::section(BODY), &NAMES, |reader, _| {
        reader.list("items", 1..=BATCH_ITEMS_MAX, |reader, place| {
            let (mut id, mut read) = (None, ConfirmRead::default());
            let given = reader.object(place, &ITEM_NAMES, |reader, at| match at.checked_sub(1) {
                None => {
                    id = reader.id(place.field("id"))?;
                    Ok(())
                }
                Some(at) => read.field(reader, place, at),
            })?;
            if let Some(given) = given {
                reader.require(place, &ITEM_NAMES, &given, 1);
                match read.meant() {
                    Ok(confirmation) => items.extend(id.map(|id| (id, confirmation))),
                    Err((field, message)) => reader.problem(place.field(field), message),
                }
            }
            Ok(())
        })
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(Place::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(items)
}

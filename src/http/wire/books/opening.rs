//! Reading the bodies that preview and set opening balances.

use super::read::body;
use crate::domain::books::records::opening::OpeningInput;
use crate::domain::date::Date;
use crate::domain::ids::ContactId;
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::opening::OpeningDocument;
use crate::domain::ledger::vat::{Split, VatCode};
use crate::domain::problem::Issues;
use crate::http::wire::books::read::AccountRead;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

const LINES_MAX: u64 = 1_000;
const DOCUMENTS_MAX: u64 = 5_000;
/// Each VAT code once.
const VAT_MAX: u64 = 5;
/// The longest token there may be; ours are shorter.
pub const TOKEN_CHARS_MAX: usize = 100;

const NAMES: [&str; 9] = [
    "as_of",
    "lines",
    "open_documents",
    "lock_period",
    "balance_to_account_id",
    "balance_to_account_code",
    "allow_unassigned",
    "replace",
    "token",
];
const KINDS: &str = "one of sales_invoice, sales_credit_note, purchase_invoice, purchase_credit_note";

/// What sets opening balances.
#[derive(Debug)]
pub enum OpeningRequest {
    /// As they were previewed.
    Token(String),
    /// As given.
    Entry(OpeningInput),
}

/// Reads the body that previews opening balances.
pub fn parse_preview(text: &[u8]) -> Result<OpeningInput, Issues> {
    match read(text, false)? {
        OpeningRequest::Entry(entry) => Ok(entry),
        OpeningRequest::Token(_) => Err(Issues::default()),
    }
}

/// Reads the body that sets opening balances: a token, or the balances.
pub fn parse_opening(text: &[u8]) -> Result<OpeningRequest, Issues> {
    read(text, true)
}

#[derive(Default)]
struct Read {
    as_of: Option<Date>,
    lines: Vec<Line>,
    documents: Vec<OpeningDocument>,
    locks_period: Option<bool>,
    balance_to: AccountRead,
    allows_unassigned: Option<bool>,
    replaces: Option<bool>,
    token: Option<String>,
}

fn read(text: &[u8], takes_token: bool) -> Result<OpeningRequest, Issues> {
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut body = Read::default();
    let read = if takes_token {
        reader.object(FieldPath::section(BODY), &NAMES, |reader, at| body.key(reader, at)).map(|given| {
            let Some(given) = given else { return };
            match given {
                [.., true] if given.iter().filter(|given| **given).count() > 1 => {
                    reader.problem(self::body("token"), "a token stands alone: what was previewed is what is set");
                }
                [.., true] => {}
                _ => body.finish(&mut reader, &given),
            }
        })
    } else {
        let names: [&'static str; 8] = std::array::from_fn(|at| NAMES.get(at).copied().unwrap_or_default());
        reader.object(FieldPath::section(BODY), &names, |reader, at| body.key(reader, at)).map(|given| {
            let Some(given) = given else { return };
            let mut all = [false; 9];
            for (known, given) in all.iter_mut().zip(given) {
                *known = given;
            }
            body.finish(&mut reader, &all);
        })
    };
    reader.finish(read)?;
    if let Some(token) = body.token {
        return Ok(OpeningRequest::Token(token));
    }
    Ok(OpeningRequest::Entry(OpeningInput {
        as_of: body.as_of.ok_or_else(Issues::default)?,
        lines: body.lines,
        documents: body.documents,
        locks_period: body.locks_period.unwrap_or(true),
        balance_to: body.balance_to.named(),
        allows_unassigned: body.allows_unassigned.unwrap_or_default(),
        replaces: body.replaces.unwrap_or_default(),
    }))
}

impl Read {
    fn key(&mut self, reader: &mut StrictReader<'_>, at: usize) -> Reading<()> {
        let path = body(NAMES.get(at).copied().unwrap_or_default());
        // Null is the same as leaving an optional key out.
        if (2..8).contains(&at) && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => self.as_of = reader.book_date(path)?,
            1 => reader.list("lines", 1..=LINES_MAX, |reader, path| {
                self.lines.extend(line(reader, path)?);
                Ok(())
            })?,
            2 => reader.list("open_documents", 0..=DOCUMENTS_MAX, |reader, path| {
                self.documents.extend(document(reader, path)?);
                Ok(())
            })?,
            3 => self.locks_period = reader.flag(path)?,
            4 => self.balance_to.id(reader, path)?,
            5 => self.balance_to.code(reader, path)?,
            6 => self.allows_unassigned = reader.flag(path)?,
            7 => self.replaces = reader.flag(path)?,
            _ => self.token = reader.text(path, 1..=TOKEN_CHARS_MAX)?.map(String::from),
        }
        Ok(())
    }

    fn finish(&self, reader: &mut StrictReader<'_>, given: &[bool; 9]) {
        reader.require(FieldPath::section(BODY), &NAMES, given, 2);
        if self.balance_to.is_ambiguous() {
            reader.problem(
                body("balance_to_account_id"),
                "only one of balance_to_account_id and balance_to_account_code",
            );
        }
    }
}

type Line = (AccountReference, Option<Pence>, Option<Pence>);

fn line(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<Line>> {
    const NAMES: [&str; 4] = ["account_id", "account_code", "debit", "credit"];
    let (mut account, mut debit, mut credit) = (AccountRead::default(), None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        let path = path.field(NAMES.get(at).copied().unwrap_or_default());
        if at > 1 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => account.id(reader, path)?,
            1 => account.code(reader, path)?,
            2 => debit = reader.positive_money(path)?,
            _ => credit = reader.positive_money(path)?,
        }
        Ok(())
    })?;
    if given.is_none() {
        return Ok(None);
    }
    Ok(account.required(reader, path).map(|account| (account, debit, credit)))
}

fn document(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<OpeningDocument>> {
    const NAMES: [&str; 8] = ["type", "number", "date", "amount_due", "customer_id", "supplier_id", "due_date", "vat"];
    let (mut kind, mut number, mut date, mut amount_due) = (None, None, None, None);
    let (mut customer, mut supplier, mut due_date, mut vat) = (None, None, None, None);
    let around = path;
    let given = reader.object(path, &NAMES, |reader, at| {
        let path = path.field(NAMES.get(at).copied().unwrap_or_default());
        if at > 3 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => kind = reader.word(path, DocumentKind::parse, KINDS)?,
            1 => number = reader.text(path, 1..=50)?,
            2 => date = reader.book_date(path)?,
            3 => {
                amount_due = reader.positive_money(path)?;
                if amount_due.is_some_and(Pence::is_zero) {
                    reader.problem(path, "must be more than zero");
                }
            }
            4 => customer = reader.id(path)?,
            5 => supplier = reader.id(path)?,
            6 => due_date = reader.book_date(path)?,
            _ => {
                let mut amounts = Vec::new();
                reader.list_in(around, "vat", 1..=VAT_MAX, |reader, path| {
                    amounts.extend(amount_of_code(reader, path)?);
                    Ok(())
                })?;
                vat = Some(amounts);
            }
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, 4);
    let Some(kind) = kind else { return Ok(None) };
    let wanted = kind.contact_kind().id_field();
    let (named, other) = if wanted == "customer_id" { (customer, supplier) } else { (supplier, customer) };
    if named.is_none() || other.is_some() {
        reader.problem(path.field(wanted), format_args!("a {} needs {wanted} and no other contact", kind.as_str()));
    }
    let (Some(id), Some(number), Some(date), Some(amount_due)) = (named, number, date, amount_due) else {
        return Ok(None);
    };
    let contact_id = ContactId(id);
    Ok(Some(OpeningDocument { kind, contact_id, number: number.into_owned(), date, due_date, amount_due, vat }))
}

/// Net and VAT of a code of an open document.
fn amount_of_code(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<(VatCode, Split)>> {
    const NAMES: [&str; 3] = ["vat_code", "net_amount", "vat_amount"];
    let (mut code, mut net, mut vat) = (None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        let path = path.field(NAMES.get(at).copied().unwrap_or_default());
        match at {
            0 => code = reader.vat_code(path)?,
            1 => net = reader.money(path)?,
            _ => vat = reader.money(path)?,
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, 3);
    Ok(code.zip(net.zip(vat)).map(|(code, (net, vat))| (code, Split { net, vat })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let issues = parse_opening(text.as_bytes()).unwrap_err();
        issues.listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn a_token_stands_alone() {
        let read = parse_opening(br#"{"token":"opn_1"}"#).unwrap();
        assert!(matches!(read, OpeningRequest::Token(token) if token == "opn_1"));
        assert_eq!(paths(r#"{"token":"x","as_of":"2026-03-31"}"#), ["token"]);
        let unknown = parse_preview(br#"{"token":"x"}"#).unwrap_err();
        let paths: Vec<_> = unknown.listed.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(paths, ["token", "as_of", "lines"]);
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        assert_eq!(paths("{}"), ["as_of", "lines"]);
        assert_eq!(
            paths(
                r#"{"as_of":"2026-02-30","lines":[{"account_id":1,"account_code":"2"},{"debit":-1}],"lock_period":1}"#
            ),
            ["as_of", "lines[0].account_id", "lines[1].debit", "lines[1].account_id", "lock_period"]
        );
        let documents = r#"{"as_of":"2026-03-31","lines":[{"account_code":"1200","debit":1}],
            "open_documents":[{"type":"sales_invoice","number":"1","date":"2026-03-01","amount_due":0,"supplier_id":4}]}"#;
        assert_eq!(paths(documents), ["open_documents[0].amount_due", "open_documents[0].customer_id"]);
        let vat = r#"{"as_of":"2026-03-31","lines":[{"account_code":"1200","debit":1}],
            "open_documents":[{"type":"sales_invoice","number":"1","date":"2026-03-01","amount_due":1,"customer_id":4,
            "vat":[{"vat_code":"XX","net_amount":"1.005","more":1},3]},{"vat":[]}]}"#;
        assert_eq!(
            paths(vat),
            [
                "open_documents[0].vat[0].vat_code",
                "open_documents[0].vat[0].net_amount",
                "open_documents[0].vat[0].more",
                "open_documents[0].vat[0].vat_amount",
                "open_documents[0].vat[1]",
                "open_documents[1].vat",
                "open_documents[1].type",
                "open_documents[1].number",
                "open_documents[1].date",
                "open_documents[1].amount_due",
            ]
        );
    }
}

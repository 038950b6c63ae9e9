//! Bank accounts on the wire.

use super::read::body;
use crate::domain::books::records::bank_account::{BankAccountField, LedgerAccount};
use crate::domain::ledger::bank::BankAccountType;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// What is allowed as a kind of bank account.
pub const KINDS: &str = "one of current, savings, credit_card, cash, payment_provider, loan";

const ACCOUNT_NAMES: [&str; 9] =
    ["name", "bank_name", "sort_code", "account_number", "iban", "type", "account_id", "code", "currency"];
/// Keys that may also change.
const PATCHABLE: usize = 5;

/// A bank account to be made.
pub struct NewBankAccount {
    /// What kind.
    pub kind: BankAccountType,
    /// What carries its balance.
    pub account: LedgerAccount,
    /// What is said of it.
    pub fields: Vec<BankAccountField>,
    /// The currency, where one is named.
    pub currency: Option<String>,
}

/// Reads the body that makes a bank account.
pub fn parse_new_account(text: &[u8]) -> Result<NewBankAccount, Issues> {
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut kind, mut account_id, mut code, mut currency) = (None, None, None, None);
    // null is the same as leaving it out.
    let (mut has_account, mut has_code) = (false, false);
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &ACCOUNT_NAMES, |reader, at| {
        match at {
            5 => kind = reader.word(body("type"), BankAccountType::parse, KINDS)?,
            6 if reader.is_null()? => {}
            6 => {
                has_account = true;
                account_id = reader.id(body("account_id"))?;
            }
            7 if reader.is_null()? => {}
            7 => {
                has_code = true;
                code = reader.code(body("code"), 1..=20)?.map(String::from);
            }
            8 => currency = reader.text(body("currency"), 3..=3)?.map(String::from),
            _ => fields.extend(account_field(reader, at)?),
        }
        Ok(())
    });
    let read = read.map(|given| {
        let Some(given) = given else { return };
        reader.require(FieldPath::section(BODY), &ACCOUNT_NAMES, &given, 1);
        if has_account == has_code {
            reader.problem(body("account_id"), "exactly one of account_id and code is required");
        }
    });
    reader.finish(read)?;
    let account = match (account_id, code) {
        (Some(id), _) => LedgerAccount::Existing(id),
        (None, Some(code)) => LedgerAccount::New(code),
        (None, None) => {
            let mut issues = Issues::default();
            issues.field(BODY, "account_id", "exactly one of account_id and code is required");
            return Err(issues);
        }
    };
    Ok(NewBankAccount { kind: kind.unwrap_or(BankAccountType::Current), account, fields, currency })
}

/// Reads the body that changes a bank account.
pub fn parse_account_patch(text: &[u8]) -> Result<Vec<BankAccountField>, Issues> {
    let mut names = [""; PATCHABLE];
    for (name, known) in names.iter_mut().zip(ACCOUNT_NAMES) {
        *name = known;
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        fields.extend(account_field(reader, at)?);
        Ok(())
    });
    let read = read.map(|given| reader.require_some(given));
    reader.finish(read)?;
    Ok(fields)
}

fn account_field(reader: &mut StrictReader<'_>, at: usize) -> Reading<Option<BankAccountField>> {
    let path = body(ACCOUNT_NAMES.get(at).copied().unwrap_or_default());
    Ok(match at {
        0 => reader.name(path, 1..=255)?.map(|name| BankAccountField::Name(name.into_owned())),
        1 => reader.maybe_label(path, 100)?.map(BankAccountField::BankName),
        2 => {
            let rule = "must be six digits, with or without dashes (NN-NN-NN), or null";
            shaped(reader, path, rule, sort_code)?.map(BankAccountField::SortCode)
        }
        3 => {
            shaped(reader, path, "must be eight digits, or null", account_number)?.map(BankAccountField::AccountNumber)
        }
        _ => reader.maybe_text(path, 34)?.map(BankAccountField::Iban),
    })
}

/// Text of a certain shape, or none.
fn shaped(
    reader: &mut StrictReader<'_>,
    path: FieldPath<'_>,
    rule: &str,
    shape: fn(&str) -> Option<String>,
) -> Reading<Option<Option<String>>> {
    let Some(text) = reader.maybe_text(path, 40)? else { return Ok(None) };
    let Some(text) = text else { return Ok(Some(None)) };
    let shaped = shape(&text);
    if shaped.is_none() {
        reader.problem(path, rule);
    }
    Ok(shaped.map(Some))
}

fn sort_code(text: &str) -> Option<String> {
    let has_dashes = matches!(text.as_bytes(), [_, _, b'-', _, _, b'-', _, _]);
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    let plain = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (one, rest) = digits.split_at_checked(2)?;
    let (two, three) = rest.split_at_checked(2)?;
    (plain && (has_dashes || text.len() == 6)).then(|| format!("{one}-{two}-{three}"))
}

fn account_number(text: &str) -> Option<String> {
    (text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}

//! The body that writes a sales invoice off.

use super::read::body;
use crate::domain::ledger::write_off::EnteredWriteOff;
use crate::domain::problem::Issues;
use crate::http::wire::books::read::{AccountRead, ONE_AT_MOST};
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};

/// Reads the body that writes a sales invoice off.
pub fn parse_new(text: &[u8]) -> Result<EnteredWriteOff, Issues> {
    const NAMES: [&str; 4] = ["date", "amount", "account_id", "account_code"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut date, mut amount, mut account) = (None, None, AccountRead::default());
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => date = reader.book_date(body("date"))?,
            1 if reader.is_null()? => {}
            1 => amount = reader.cash(body("amount"))?,
            2 => account.id(reader, body("account_id"))?,
            _ => account.code(reader, body("account_code"))?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    let account = if account.is_ambiguous() {
        reader.problem(body("account_id"), ONE_AT_MOST);
        None
    } else {
        account.named()
    };
    reader.finish(read)?;
    let Some(date) = date else { return Err(Issues::default()) };
    Ok(EnteredWriteOff { date, account, amount })
}

//! The bodies that make and change accounts.

use super::read::body;
use crate::domain::ledger::chart::{AccountType, NewAccount, Role};
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};

/// What is allowed as a type.
pub const TYPES: &str = "one of ASSET, LIABILITY, EQUITY, REVENUE, EXPENSE, SUSPENSE";

/// Reads the body that makes an account.
pub fn parse_new(text: &[u8]) -> Result<NewAccount, Issues> {
    const NAMES: [&str; 4] = ["code", "name", "account_type", "role"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut code, mut name, mut account_type, mut role) = (None, None, None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => code = reader.code(body("code"), 1..=20)?,
            1 => name = reader.name(body("name"), 1..=255)?,
            2 => account_type = reader.word(body("account_type"), AccountType::parse, TYPES)?,
            _ if reader.is_null()? => {}
            _ => role = reader.code(body("role"), 1..=50)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 3);
        }
        (code, name, account_type)
    });
    let (code, name, account_type) = reader.finish(read)?;
    let (Some(code), Some(name), Some(account_type)) = (code, name, account_type) else {
        return Err(Issues::default());
    };
    Ok(NewAccount {
        code: code.into_owned().into(),
        name: name.into_owned().into(),
        account_type,
        role: role.map(|role| Role::parse(&role)),
    })
}

/// Reads the body that changes an account: its code, its name.
pub fn parse_patch(text: &[u8]) -> Result<(Option<String>, Option<String>), Issues> {
    const NAMES: [&str; 2] = ["code", "name"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut code, mut name) = (None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => code = reader.code(body("code"), 1..=20)?,
            _ => name = reader.name(body("name"), 1..=255)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        reader.require_some(given);
        (code.map(String::from), name.map(String::from))
    });
    reader.finish(read)
}

//! The body that adjusts the VAT return.

use super::read::body;
use crate::domain::ledger::money::parse_number;
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, EnteredAdjustment, VatBox};
use crate::domain::problem::Issues;
use crate::http::wire::books::read::{AccountRead, ONE_AT_MOST, strict_list};
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// Entries of one adjustment.
pub const ENTRIES_MAX: u64 = 9;

/// What a box must be.
const BOX_RULE: &str = "must be 1, 2, 4, 6, 7, 8 or 9: boxes 3 and 5 follow from the others";

/// Reads the body that adjusts the VAT return.
pub fn parse_new(text: &[u8]) -> Result<EnteredAdjustment, Issues> {
    const NAMES: [&str; 6] = ["date", "reason", "description", "entries", "account_id", "account_code"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut date, mut reason, mut description) = (None, None, None);
    let (mut entries, mut account) = (Vec::new(), AccountRead::default());
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => date = reader.book_date(body("date"))?,
            1 => reason = reader.word(body("reason"), AdjustmentReason::parse, &reason_rule())?,
            2 => description = reader.text(body("description"), 1..=500)?,
            3 => entries = strict_list(reader, "entries", 1..=ENTRIES_MAX, entry)?,
            4 => account.id(reader, body("account_id"))?,
            _ => account.code(reader, body("account_code"))?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 4);
        }
    });
    let account = if account.is_ambiguous() {
        reader.problem(body("account_id"), ONE_AT_MOST);
        None
    } else {
        account.named()
    };
    reader.finish(read)?;
    let (Some(date), Some(reason), Some(description)) = (date, reason, description) else {
        return Err(Issues::default());
    };
    Ok(EnteredAdjustment { date, reason, description: description.into_owned(), entries, account })
}

fn reason_rule() -> String {
    format!("one of {}", AdjustmentReason::ALL.map(AdjustmentReason::as_str).join(", "))
}

fn entry(reader: &mut StrictReader<'_>, path: FieldPath<'static>) -> Reading<Option<BoxEntry>> {
    const NAMES: [&str; 2] = ["box", "amount"];
    let (mut vat_box, mut amount) = (None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => vat_box = box_number(reader, path.field("box"))?,
            _ => {
                let path = path.field("amount");
                amount = reader.money(path)?;
                if amount.is_some_and(|amount| amount.is_zero()) {
                    reader.problem(path, "must not be 0");
                }
            }
        }
        Ok(())
    })?;
    if let Some(given) = given {
        reader.require(path, &NAMES, &given, NAMES.len());
    }
    Ok(vat_box.zip(amount).map(|(vat_box, amount)| BoxEntry { vat_box, amount }))
}

fn box_number(reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<Option<VatBox>> {
    let vat_box = parse_number(reader.value()?, 0, i64::MAX).and_then(VatBox::numbered);
    if vat_box.is_none() {
        reader.problem(path, BOX_RULE);
    }
    Ok(vat_box)
}

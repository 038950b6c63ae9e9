//! Reading which lines suggestions are asked for, and which suggestions are taken.

use super::read::{body, strict_list};
use crate::domain::amount::UNITS_PER_WHOLE;
use crate::domain::problem::Issues;
use crate::domain::suggestions::{LINES_MAX, SuggestFilter};
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// Confidence is kept in thousandths.
const UNITS_PER_THOUSANDTH: i128 = UNITS_PER_WHOLE / 1_000;
const LINES: &str = "transaction_ids";

/// Reads the body that asks for suggestions; an empty one asks for those of all unconfirmed lines.
pub fn parse_suggest(text: &[u8]) -> Result<SuggestFilter, Issues> {
    const NAMES: [&str; 4] = ["bank_account_id", LINES, "date_from", "date_to"];
    let mut filter = SuggestFilter::default();
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(filter);
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        if reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => filter.bank_account_id = reader.id(body("bank_account_id"))?,
            1 => filter.lines = Some(lines(reader)?),
            2 => filter.from_date = reader.book_date(body("date_from"))?,
            _ => filter.to_date = reader.book_date(body("date_to"))?,
        }
        Ok(())
    });
    let read = read.map(|_| {
        let has_others = filter.bank_account_id.is_some() || filter.from_date.is_some() || filter.to_date.is_some();
        if filter.lines.is_some() && has_others {
            reader.problem(body(LINES), "is not combined with bank_account_id, date_from and date_to");
        }
        if filter.from_date.zip(filter.to_date).is_some_and(|(from, to)| to < from) {
            reader.problem(body("date_to"), "must not be before date_from");
        }
    });
    reader.finish(read)?;
    Ok(filter)
}

/// Which suggestions are taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenSuggestions {
    /// Of these lines.
    pub lines: Option<Vec<i64>>,
    /// Of the lines of this bank account.
    pub bank_account_id: Option<i64>,
    /// With this confidence at least, in thousandths.
    pub min_confidence: u16,
}

/// Reads the body that confirms lines as suggested.
pub fn parse_taken(text: &[u8]) -> Result<TakenSuggestions, Issues> {
    const NAMES: [&str; 3] = [LINES, "bank_account_id", "min_confidence"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut taken = TakenSuggestions::default();
    let mut given_confidence = false;
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        if reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => taken.lines = Some(lines(reader)?),
            1 => taken.bank_account_id = reader.id(body("bank_account_id"))?,
            _ => {
                given_confidence = true;
                let least = reader.bounded(body("min_confidence"), 0..=UNITS_PER_WHOLE, "a number from 0 to 1")?;
                // What is finer than a thousandth is asked for in full.
                let thousandths = least.map_or(0, |units| (units + UNITS_PER_THOUSANDTH - 1) / UNITS_PER_THOUSANDTH);
                taken.min_confidence = u16::try_from(thousandths).unwrap_or(u16::MAX);
            }
        }
        Ok(())
    });
    let read = read.map(|given| {
        let has_none = taken.lines.is_none() && taken.bank_account_id.is_none() && !given_confidence;
        if has_none && given.is_some() && reader.problems() == 0 {
            let message = "at least one of transaction_ids, bank_account_id and min_confidence is required";
            reader.problem(body(LINES), message);
        }
    });
    reader.finish(read)?;
    Ok(taken)
}

/// Lines, each once.
fn lines(reader: &mut StrictReader<'_>) -> Reading<Vec<i64>> {
    let most = u64::try_from(LINES_MAX).unwrap_or(u64::MAX);
    let mut known = std::collections::HashSet::new();
    strict_list(reader, LINES, 1..=most, |reader, path| {
        let id = reader.id(path)?;
        Ok(match id {
            Some(id) if !known.insert(id) => {
                reader.problem(path, "is there already");
                None
            }
            id => id,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths<T>(read: Result<T, Issues>) -> Vec<String> {
        read.err().unwrap_or_default().listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn lines_are_named_or_filtered() {
        assert_eq!(parse_suggest(b" "), Ok(SuggestFilter::default()));
        let named = parse_suggest(br#"{"transaction_ids": [5, 4], "date_to": null}"#).unwrap();
        assert_eq!(named.lines, Some(vec![5, 4]));
        assert!(paths(parse_suggest(br#"{"bank_account_id": 2, "date_from": "2026-01-01"}"#)).is_empty());
        for (text, wrong) in [
            (r#"{"transaction_ids": [5], "bank_account_id": 2}"#, vec!["transaction_ids"]),
            (r#"{"transaction_ids": []}"#, vec!["transaction_ids"]),
            (r#"{"transaction_ids": [5, 5, "6"]}"#, vec!["transaction_ids[1]", "transaction_ids[2]"]),
            (r#"{"date_from": "2026-02-01", "date_to": "2026-01-31"}"#, vec!["date_to"]),
            (r#"{"date_from": "2026-02-30", "lines": 1}"#, vec!["date_from", "lines"]),
        ] {
            assert_eq!(paths(parse_suggest(text.as_bytes())), wrong, "{text}");
        }
    }

    #[test]
    fn what_is_taken_is_said() {
        let taken = parse_taken(br#"{"bank_account_id": 2, "min_confidence": 0.9001}"#).unwrap();
        assert_eq!((taken.bank_account_id, taken.min_confidence), (Some(2), 901));
        assert_eq!(parse_taken(br#"{"min_confidence": 1}"#).unwrap().min_confidence, 1_000);
        for (text, wrong) in [
            ("{}", "transaction_ids"),
            (r#"{"min_confidence": null}"#, "transaction_ids"),
            (r#"{"min_confidence": 1.01}"#, "min_confidence"),
            (r#"{"min_confidence": -0.1}"#, "min_confidence"),
            (r#"{"min_confidence": "0.9"}"#, "min_confidence"),
        ] {
            assert_eq!(paths(parse_taken(text.as_bytes())), [wrong], "{text}");
        }
    }
}

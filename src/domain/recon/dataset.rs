//! The two submitted lists in as little memory as they need, and the binary form
//! in which they wait between submission and run.
//!
//! Each side keeps one arena of text (the digits of the amount, then the
//! description, row after row) beside flat columns; amounts are recomputed from
//! their digits when a run needs them.

use std::io::{self, Read, Write};

use crate::domain::amount;
use crate::domain::date::Date;

/// Longest description, in Unicode scalar values.
pub const MAX_DESCRIPTION_CHARS: usize = 500;

/// First bytes of an encoded dataset; the digit is the version of the form.
const MAGIC: &[u8; 8] = b"recon-1\n";

/// The submitted bank lines and book entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dataset {
    /// What the bank says happened.
    pub bank: Rows,
    /// What the books say happened.
    pub book: Rows,
}

/// What the caller chose for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Largest distance in days between two rows that may be paired, 0 to 30.
    pub window_days: u32,
    /// Whether the result lists the matched pairs.
    pub include_matched: bool,
}

/// One side's rows, in submitted order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    dates: Vec<Date>,
    /// End of each row's amount digits in `arena`.
    amount_ends: Vec<u32>,
    /// End of each row's description in `arena`, where the next row starts.
    row_ends: Vec<u32>,
    arena: String,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.dates.len()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.dates.is_empty()
    }

    /// Adds a row the caller has validated; false when the side is full (4 GiB of text).
    #[must_use]
    pub fn push(&mut self, date: Date, amount: &str, description: &str) -> bool {
        let Ok(amount_end) = u32::try_from(self.arena.len() + amount.len()) else { return false };
        let Ok(row_end) = u32::try_from(self.arena.len() + amount.len() + description.len()) else {
            return false;
        };
        self.arena.push_str(amount);
        self.arena.push_str(description);
        self.dates.push(date);
        self.amount_ends.push(amount_end);
        self.row_ends.push(row_end);
        true
    }

    /// Gives unused capacity back.
    pub fn shrink_to_fit(&mut self) {
        self.dates.shrink_to_fit();
        self.amount_ends.shrink_to_fit();
        self.row_ends.shrink_to_fit();
        self.arena.shrink_to_fit();
    }

    /// The date of a row; the first date there is when there is no such row.
    pub fn date(&self, row: usize) -> Date {
        self.dates.get(row).copied().unwrap_or(Date::MIN)
    }

    /// The digits of a row's amount as they were submitted.
    pub fn amount_text(&self, row: usize) -> &str {
        self.slice(self.start(row), end(&self.amount_ends, row))
    }

    /// A row's description.
    pub fn description(&self, row: usize) -> &str {
        self.slice(end(&self.amount_ends, row), end(&self.row_ends, row))
    }

    /// A row's amount in 10⁻¹² units.
    pub fn units(&self, row: usize) -> i128 {
        amount::parse(self.amount_text(row)).unwrap_or(0)
    }

    fn start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |previous| end(&self.row_ends, previous))
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.arena.get(from..to).unwrap_or("")
    }

    fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        write_varint(out, count(self.len()))?;
        write_varint(out, count(self.arena.len()))?;
        let mut previous = 0_i64;
        for (row, &date) in self.dates.iter().enumerate() {
            let day_number = i64::from(date);
            write_varint(out, zigzag(day_number - previous))?;
            write_varint(out, count(self.amount_text(row).len()))?;
            write_varint(out, count(self.description(row).len()))?;
            previous = day_number;
        }
        out.write_all(self.arena.as_bytes())
    }

    fn decode(input: &mut impl Read) -> Result<Self, DecodeError> {
        let rows = read_varint(input)?;
        let arena_bytes = read_varint(input)?;
        if rows > u64::from(u32::MAX) || arena_bytes > u64::from(u32::MAX) {
            return Err(DecodeError::Corrupt("more rows or text than a dataset can hold"));
        }
        // A false length must not reserve memory: what is not there is never read.
        let reserve = usize::try_from(rows.min(1 << 16)).unwrap_or(0);
        let mut decoded = Self {
            dates: Vec::with_capacity(reserve),
            amount_ends: Vec::with_capacity(reserve),
            row_ends: Vec::with_capacity(reserve),
            arena: String::new(),
        };
        let mut day_number = 0_i64;
        let mut text_end = 0_u64;
        for _ in 0..rows {
            day_number = day_number.saturating_add(unzigzag(read_varint(input)?));
            let date = i32::try_from(day_number).ok().and_then(Date::from_day_number);
            decoded.dates.push(date.ok_or(DecodeError::Corrupt("a date is out of range"))?);
            for ends in [&mut decoded.amount_ends, &mut decoded.row_ends] {
                text_end = text_end.saturating_add(read_varint(input)?);
                if text_end > arena_bytes {
                    return Err(DecodeError::Corrupt("text lengths exceed the text"));
                }
                ends.push(u32::try_from(text_end).unwrap_or(u32::MAX));
            }
        }
        if text_end != arena_bytes {
            return Err(DecodeError::Corrupt("text lengths do not add up"));
        }
        let mut bytes = Vec::new();
        input.by_ref().take(arena_bytes).read_to_end(&mut bytes)?;
        if count(bytes.len()) != arena_bytes {
            return Err(DecodeError::Corrupt("the text is cut short"));
        }
        decoded.arena = String::from_utf8(bytes).map_err(|_| DecodeError::Corrupt("the text is not UTF-8"))?;
        decoded.check_rows()?;
        decoded.shrink_to_fit();
        Ok(decoded)
    }

    fn check_rows(&self) -> Result<(), DecodeError> {
        for row in 0..self.len() {
            let (amount_start, amount_end) = (self.start(row), end(&self.amount_ends, row));
            let row_end = end(&self.row_ends, row);
            let digits = self.arena.get(amount_start..amount_end);
            if digits.is_none_or(|digits| amount::parse(digits).is_err()) {
                return Err(DecodeError::Corrupt("an amount is not a number"));
            }
            let description = self.arena.get(amount_end..row_end);
            if description.is_none_or(|text| !is_description(text)) {
                return Err(DecodeError::Corrupt("a description is not 1 to 500 characters"));
            }
        }
        Ok(())
    }
}

impl Dataset {
    /// Bank and book rows together.
    pub fn rows(&self) -> u64 {
        count(self.bank.len()) + count(self.book.len())
    }

    /// Writes the compact binary form; equal datasets give equal bytes.
    pub fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        self.bank.encode(out)?;
        self.book.encode(out)
    }

    /// Reads what [`Dataset::encode`] wrote and refuses anything else.
    pub fn decode(mut input: impl Read) -> Result<Self, DecodeError> {
        let mut magic = [0_u8; MAGIC.len()];
        input.read_exact(&mut magic)?;
        if &magic != MAGIC {
            return Err(DecodeError::Corrupt("not a reconciliation dataset"));
        }
        // Single bytes are read millions of times.
        let mut input = io::BufReader::with_capacity(1 << 16, input);
        let dataset = Self { bank: Rows::decode(&mut input)?, book: Rows::decode(&mut input)? };
        match input.read(&mut [0_u8])? {
            0 => Ok(dataset),
            _ => Err(DecodeError::Corrupt("bytes follow the dataset")),
        }
    }
}

/// Why stored bytes are not a dataset.
#[derive(Debug)]
pub enum DecodeError {
    /// Reading failed or ended early.
    Io(io::Error),
    /// The bytes contradict themselves.
    Corrupt(&'static str),
}

impl From<io::Error> for DecodeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(_) => formatter.write_str("the stored dataset could not be read"),
            Self::Corrupt(what) => write!(formatter, "the stored dataset is corrupt: {what}"),
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Corrupt(_) => None,
        }
    }
}

/// True for 1 to 500 Unicode scalar values without NUL.
pub fn is_description(text: &str) -> bool {
    let short = text.len() <= MAX_DESCRIPTION_CHARS || text.chars().count() <= MAX_DESCRIPTION_CHARS;
    !text.is_empty() && short && !text.as_bytes().contains(&0)
}

fn end(ends: &[u32], row: usize) -> usize {
    ends.get(row).map_or(0, |&end| usize::try_from(end).unwrap_or(0))
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn write_varint(out: &mut impl Write, mut value: u64) -> io::Result<()> {
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or(0);
        value >>= 7;
        if value == 0 {
            return out.write_all(&[low]);
        }
        out.write_all(&[low | 0x80])?;
    }
}

fn read_varint(input: &mut impl Read) -> Result<u64, DecodeError> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let mut byte = [0_u8];
        input.read_exact(&mut byte)?;
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DecodeError::Corrupt("a number is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Dataset {
        let mut dataset = Dataset::default();
        assert!(dataset.bank.push(Date::numbered(19_000), "-12.50", "CARD PAYMENT"));
        assert!(dataset.bank.push(Date::numbered(18_000), "1e3", "é"));
        assert!(dataset.book.push(Date::MIN, "0", "x"));
        dataset
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let mut bytes = Vec::new();
        sample().encode(&mut bytes).unwrap();
        let decoded = Dataset::decode(bytes.as_slice()).unwrap();
        assert_eq!(decoded, sample());
        assert_eq!(decoded.bank.amount_text(0), "-12.50");
        assert_eq!(decoded.bank.description(1), "é");
    }

    #[test]
    fn corrupt_bytes_are_an_error_and_never_a_panic() {
        let mut bytes = Vec::new();
        sample().encode(&mut bytes).unwrap();
        for cut in 0..bytes.len() {
            assert!(Dataset::decode(bytes.get(..cut).unwrap()).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for flip in 1..=255_u8 {
                let mut damaged = bytes.clone();
                *damaged.get_mut(at).unwrap() ^= flip;
                if let Ok(dataset) = Dataset::decode(damaged.as_slice()) {
                    for rows in [&dataset.bank, &dataset.book] {
                        rows.check_rows().unwrap();
                    }
                }
            }
        }
        bytes.push(0);
        assert!(Dataset::decode(bytes.as_slice()).is_err());
    }
}

//! A bank line as the stages of the engine read it: its money and one folded text with the words of its fields.

use std::collections::BTreeMap;

use crate::domain::amount::pence;
use crate::domain::date::Date;

use super::batch::{Batch, Transaction};
use super::text::fold;

/// Which field of a transaction a word is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The bank's description.
    Description,
    /// The merchant as the bank names it.
    Merchant,
    /// The payment reference.
    Reference,
}

/// A word of [`Line::text`]. A batch has millions of them, so that each is eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    start: u32,
    length: u16,
    /// True when only marks, and no white space, part it from the word before: `FT/25/1187`, `20-11-43`.
    pub glued: bool,
    /// Where it is from.
    pub field: Field,
}

/// A transaction, read once for every stage.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// What was submitted.
    pub source: &'a Transaction<'a>,
    /// Date number as in [`crate::domain::date`].
    pub date: Date,
    /// Units as in [`crate::domain::amount`]; money out is negative.
    pub amount: i128,
    /// The amount in whole pence.
    pub pence: i128,
    /// Description, merchant and reference folded, words parted by single spaces.
    pub text: String,
    /// The words of the text in order.
    pub words: Vec<Word>,
    /// Index in [`Tags`] of the own account the line is from.
    pub tag: Option<usize>,
}

impl<'a> Line<'a> {
    /// Reads a transaction; its tag must be among `tags` to be seen.
    pub fn new(source: &'a Transaction<'a>, tags: &Tags<'_>) -> Self {
        let mut line = Self {
            source,
            date: source.date,
            amount: source.amount,
            pence: pence(source.amount),
            text: String::with_capacity(source.description.len() + 16),
            words: Vec::new(),
            tag: source.bank_account.as_deref().and_then(|tag| tags.index_of(tag)),
        };
        line.push(&source.description, Field::Description);
        line.push(source.merchant.as_deref().unwrap_or(""), Field::Merchant);
        line.push(source.reference.as_deref().unwrap_or(""), Field::Reference);
        line.words.shrink_to_fit();
        line
    }

    /// The lines of a batch in its order, and the tags they are from.
    pub fn read_all(batch: &'a Batch<'a>) -> (Vec<Self>, Tags<'a>) {
        let tags = Tags::of(batch);
        let lines = batch.transactions.iter().map(|transaction| Self::new(transaction, &tags)).collect();
        (lines, tags)
    }

    /// The text of a word of this line.
    pub fn word(&self, word: &Word) -> &str {
        let start = usize::try_from(word.start).unwrap_or(usize::MAX);
        self.text.get(start..start.saturating_add(usize::from(word.length))).unwrap_or("")
    }

    /// The texts of the words in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| self.word(word))
    }

    fn push(&mut self, raw: &str, field: Field) {
        for chunk in raw.split_whitespace() {
            let plain = chunk.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if plain {
                self.open_word();
                let start = self.text.len();
                self.text.extend(chunk.bytes().map(|byte| char::from(byte.to_ascii_uppercase())));
                self.close_word(start, false, field);
                continue;
            }
            let folded = fold(chunk);
            for (place, part) in folded.split(' ').filter(|part| !part.is_empty()).enumerate() {
                self.open_word();
                let start = self.text.len();
                self.text.push_str(part);
                self.close_word(start, place > 0, field);
            }
        }
    }

    fn open_word(&mut self) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
    }

    fn close_word(&mut self, start: usize, glued: bool, field: Field) {
        // A field has at most five hundred characters.
        let length = u16::try_from(self.text.len() - start).unwrap_or(u16::MAX);
        self.words.push(Word { start: u32::try_from(start).unwrap_or(u32::MAX), length, glued, field });
    }
}

/// The caller's names for the accounts the lines are from, each once, in the order of their folded text: no order of rows
/// changes an index.
#[derive(Debug, Clone, Default)]
pub struct Tags<'a> {
    names: Vec<&'a str>,
    places: BTreeMap<String, usize>,
}

impl<'a> Tags<'a> {
    /// The tags of a batch; spellings that differ in case, accents and marks only are one tag.
    pub fn of(batch: &'a Batch<'a>) -> Self {
        let mut spellings: BTreeMap<&'a str, String> = BTreeMap::new();
        for tag in batch.transactions.iter().filter_map(|transaction| transaction.bank_account.as_deref()) {
            spellings.entry(tag).or_insert_with(|| key(tag));
        }
        let mut first: BTreeMap<String, &'a str> = BTreeMap::new();
        for (tag, key) in spellings.into_iter().filter(|(_, key)| !key.is_empty()) {
            first.entry(key).or_insert(tag);
        }
        let names = first.values().copied().collect();
        let places = first.into_keys().enumerate().map(|(place, key)| (key, place)).collect();
        Self { names, places }
    }

    /// The names as submitted; one of them where there are several spellings.
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// The place of a tag.
    pub fn index_of(&self, tag: &str) -> Option<usize> {
        self.places.get(&key(tag)).copied()
    }
}

const _: () = assert!(size_of::<Word>() == 8);

/// What tags are compared by; a tag of signs alone stays as it is.
fn key(tag: &str) -> String {
    let folded = fold(tag);
    if folded.is_empty() { tag.trim().to_owned() } else { folded }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn transaction<'a>(description: &'a str, reference: Option<&'a str>, tag: Option<&'a str>) -> Transaction<'a> {
        Transaction {
            date: Date::numbered(20_000),
            description: Cow::from(description),
            amount: -12_345_678_901_234,
            merchant: None,
            reference: reference.map(Cow::from),
            bank_account: tag.map(Cow::from),
            merchant_category_code: None,
        }
    }

    #[test]
    fn words_know_their_field_and_what_they_are_glued_to() {
        let source = transaction("TT Fabrica, Têxtil & Co FT/25/1187 ", Some("🎉 QR-118"), None);
        let line = Line::new(&source, &Tags::default());
        assert_eq!(line.text, "TT FABRICA TEXTIL AND CO FT 25 1187 QR 118");
        assert_eq!(line.text, fold(&format!("{} {}", source.description, "🎉 QR-118")));
        assert_eq!(line.words().collect::<Vec<_>>().join(" "), line.text);
        let glued: Vec<&str> = line.words.iter().filter(|word| word.glued).map(|word| line.word(word)).collect();
        assert_eq!(glued, ["25", "1187", "118"]);
        let of_reference = line.words.iter().filter(|word| word.field == Field::Reference).count();
        assert_eq!((of_reference, line.pence), (2, -1235));
    }

    #[test]
    fn tags_do_not_depend_on_the_order_of_rows() {
        let rows = [
            transaction("a", None, Some("Tax pot")),
            transaction("b", None, Some("CURRENT a/c")),
            transaction("c", None, Some("tax POT ")),
            transaction("d", None, Some("💰")),
            transaction("e", None, Some("  ")),
            transaction("f", None, None),
        ];
        let forward = Batch { transactions: rows.to_vec(), ..Batch::default() };
        let backward = Batch { transactions: rows.into_iter().rev().collect(), ..Batch::default() };
        let (lines, tags) = Line::read_all(&forward);
        let indexes: Vec<Option<usize>> = lines.iter().map(|line| line.tag).collect();
        assert_eq!(indexes, [Some(1), Some(0), Some(1), Some(2), None, None]);
        assert_eq!(tags.names(), Tags::of(&backward).names());
        assert_eq!(tags.names(), ["CURRENT a/c", "Tax pot", "💰"]);
    }
}

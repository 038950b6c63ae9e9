//! Descriptions as sets of small numbers: what counts as a word, which words the
//! two sides share, and which different spellings are taken for the same word.
//! It knows nothing about amounts, dates or how much a word is worth.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: every index is an id this file handed out, every number is bounded by the 25 MB body"
)]

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::domain::control::Stopped;

use super::pace::Pace;

/// Words kept of one description: the most telling ones, see [`Kind::weight`].
pub(super) const WORDS_PER_ROW: usize = 12;

/// Words of one code stem that are taken for it; more say nothing.
const WORDS_PER_STEM: usize = 16;

/// Longer words are cut; nobody tells two words apart by their 33rd letter.
const WORD_BYTES: usize = 32;

/// Spellings one letter apart are only looked for below this many candidates.
const TYPO_WORDS: usize = 60_000;

/// Letters and digits of the longest [`short_code`].
const LONGEST_SHORT_CODE: usize = 5;

/// Rows of one side that have to have a short code: where fewer have it a space may have been forgotten.
const SHORT_CODE_ROWS: u32 = 3;

/// Set in [`Side::letters`] beside the 26 initials: the row has a number of 4 or more digits.
pub(super) const HAS_NUMBER: u32 = 1 << 31;

/// What a word is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters only.
    Letters,
    /// Digits only, at least four of them: an invoice, order or cheque number.
    Number,
    /// Mixed codes and short numbers.
    Other,
}

impl Kind {
    fn of(word: &[u8]) -> Self {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        match digits {
            0 => Self::Letters,
            _ if digits == word.len() && digits >= 4 => Self::Number,
            _ => Self::Other,
        }
    }

    /// Which words are kept when a description has too many: numbers, then long words.
    fn weight(self, length: usize) -> usize {
        match self {
            Self::Number => 100 + length,
            Self::Letters | Self::Other => length,
        }
    }
}

/// The words of one side's rows, row after row in the order they were added.
#[derive(Debug, Default)]
pub(super) struct Side {
    starts: Vec<u32>,
    words: Vec<u32>,
    /// Single letters standing alone ("SMITH J"), one bit each.
    singles: Vec<u32>,
    /// First letters of the longer words, one bit each, and [`HAS_NUMBER`].
    letters: Vec<u32>,
}

impl Side {
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.words[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(super) fn singles(&self, row: usize) -> u32 {
        self.singles[row]
    }

    pub(super) fn letters(&self, row: usize) -> u32 {
        self.letters[row]
    }
}

/// How two different words were taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same word on both sides.
    Same,
    /// One is the beginning of the other: banks cut at 18 characters.
    Prefix,
    /// An initial is stuck to a name: `JSMITH` and `Smith`.
    Joined,
    /// The letters of an account code are the beginning of a name: `KINGF52` and `Kingfisher`.
    Code,
    /// One letter differs, is missing, is added or changed places with its neighbour.
    Typo,
}

/// A bank word and a book word that may stand for the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Related {
    pub(super) bank: u32,
    pub(super) book: u32,
    pub(super) likeness: Likeness,
}

/// Every distinct word of both sides, with the rows that carry it.
#[derive(Debug)]
pub(super) struct Vocabulary {
    hashes: Vec<u64>,
    kinds: Vec<Kind>,
    /// 1 for words that begin with a, 26 for z, 0 for the others.
    initials: Vec<u8>,
    /// Rows with the word on the bank side and on the book side.
    pub(super) bank_rows: Vec<u32>,
    pub(super) book_rows: Vec<u32>,
    spelling_starts: Vec<u32>,
    spellings: Vec<u8>,
    /// The letters that account codes begin with, as hashes, and the codes.
    stems: Vec<(u64, u32)>,
    /// Codes that the file keeps writing as one word, ascending, see [`short_code`].
    short_codes: Vec<u64>,
    slots: Vec<u32>,
    seed: u64,
}

const EMPTY: u32 = u32::MAX;

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self {
            hashes: Vec::new(),
            kinds: Vec::new(),
            initials: Vec::new(),
            bank_rows: Vec::new(),
            book_rows: Vec::new(),
            spelling_starts: vec![0],
            spellings: Vec::new(),
            stems: Vec::new(),
            short_codes: Vec::new(),
            slots: vec![EMPTY; 1 << 12],
            // Only the place in the table depends on the seed, never an id or an answer:
            // a caller cannot prepare words that all collide.
            seed: RandomState::new().hash_one(0_u8),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn kind(&self, word: u32) -> Kind {
        self.kinds[word as usize]
    }

    pub(super) fn spelling(&self, word: u32) -> &[u8] {
        let word = word as usize;
        &self.spellings[self.spelling_starts[word] as usize..self.spelling_starts[word + 1] as usize]
    }

    /// The id of a word, if any row has it.
    pub(super) fn id(&self, word: &[u8]) -> Option<u32> {
        self.find(hash_of(word)).ok()
    }

    /// The first letter of a word of two or more, as a bit; 0 for anything else.
    pub(super) fn initial(&self, word: u32) -> u32 {
        u32::from(self.initials[word as usize]).checked_sub(1).map_or(0, |letter| 1 << letter)
    }

    /// Learns which short codes one side keeps writing as one word, so that they are found where they are written as two.
    pub(super) fn learn_short_codes<'a>(
        &mut self,
        descriptions: impl Iterator<Item = &'a str>,
        pace: &Pace<'_>,
    ) -> Result<(), Stopped> {
        // The last row with a code, so that a row counts once, and how many have it.
        let mut rows_with: HashMap<u64, (usize, u32)> = HashMap::new();
        let mut word = [0; LONGEST_SHORT_CODE];
        for (row, description) in descriptions.enumerate() {
            pace.spend(16 + description.len() as u64)?;
            let runs = description.as_bytes().split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
            for run in runs.filter(|run| run.len() <= LONGEST_SHORT_CODE) {
                let lower = &mut word[..run.len()];
                lower.copy_from_slice(run);
                lower.make_ascii_lowercase();
                let Some(code) = short_code(lower) else { continue };
                let (last, rows) = rows_with.entry(code).or_insert((row, 1));
                if *last != row {
                    (*last, *rows) = (row, *rows + 1);
                }
            }
        }
        let is_kept = |&(_, (_, rows)): &(u64, (usize, u32))| rows >= SHORT_CODE_ROWS;
        self.short_codes.extend(rows_with.into_iter().filter(is_kept).map(|(code, _)| code));
        // What both sides write so is there twice.
        self.short_codes.sort_unstable();
        self.short_codes.dedup();
        pace.check()
    }

    /// Reads one side's descriptions. The order of rows decides the ids, so it must
    /// not depend on the order of submission.
    pub(super) fn read<'a>(&mut self, descriptions: impl Iterator<Item = &'a str>, bank: bool) -> Side {
        let mut side = Side { starts: vec![0], ..Side::default() };
        let mut tokens = Tokens::default();
        let mut previous: Option<&str> = None;
        let mut ids: Vec<u32> = Vec::with_capacity(WORDS_PER_ROW);
        for description in descriptions {
            if previous != Some(description) {
                tokens.read(description, &self.short_codes);
                ids.clear();
                ids.extend(tokens.kept().map(|word| self.intern(word)));
                ids.sort_unstable();
                ids.dedup();
                previous = Some(description);
            }
            let counts = if bank { &mut self.bank_rows } else { &mut self.book_rows };
            for &id in &ids {
                counts[id as usize] += 1;
            }
            side.words.extend_from_slice(&ids);
            side.starts.push(side.words.len() as u32);
            side.singles.push(tokens.singles);
            side.letters.push(tokens.letters);
        }
        side
    }

    fn intern(&mut self, word: &[u8]) -> u32 {
        let hash = hash_of(word);
        let slot = match self.find(hash) {
            Ok(id) => return id,
            Err(slot) => slot,
        };
        let id = self.hashes.len() as u32;
        self.slots[slot] = id;
        self.hashes.push(hash);
        let kind = Kind::of(word);
        self.kinds.push(kind);
        self.initials.push(match word {
            [letter @ b'a'..=b'z', _, ..] => letter - b'a' + 1,
            _ => 0,
        });
        self.bank_rows.push(0);
        self.book_rows.push(0);
        // Only letters are ever compared letter by letter.
        if kind == Kind::Letters && word.len() >= 4 {
            self.spellings.extend_from_slice(word);
        }
        self.spelling_starts.push(self.spellings.len() as u32);
        let letters = word.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        if letters >= 4 && letters < word.len() && word[letters..].iter().all(u8::is_ascii_digit) {
            self.stems.push((hash_of(&word[..letters]), id));
        }
        if self.hashes.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    fn find(&self, hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.slot(hash) & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                id if self.hashes[id as usize] == hash => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn slot(&self, hash: u64) -> usize {
        let mixed = (hash ^ self.seed).wrapping_mul(0x9fb2_1c65_1e98_df25);
        (mixed ^ (mixed >> 32)) as usize
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for (id, &hash) in self.hashes.iter().enumerate() {
            let mut slot = self.slot(hash) & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = id as u32;
        }
    }

    /// Every pair of a bank word and a book word that is the same word or looks like it,
    /// ordered by bank word. Drops the tables for
    /// look-ups by spelling, so it comes last.
    pub(super) fn related(&mut self, pace: &Pace<'_>) -> Result<Vec<Related>, Stopped> {
        let mut found = Vec::new();
        let mut stems = std::mem::take(&mut self.stems);
        stems.sort_unstable();
        pace.check()?;
        for id in 0..self.len() as u32 {
            if self.bank_rows[id as usize] > 0 && self.book_rows[id as usize] > 0 {
                found.push(Related { bank: id, book: id, likeness: Likeness::Same });
            }
            let spelling = self.spelling(id);
            pace.spend(16 * (1 + spelling.len() as u64))?;
            for length in 4..spelling.len() {
                self.relate(id, &spelling[..length], Likeness::Prefix, &mut found);
            }
            if spelling.len() >= 5 {
                self.relate(id, &spelling[1..], Likeness::Joined, &mut found);
            }
            for length in if stems.is_empty() { 1..1 } else { 4..spelling.len() + 1 } {
                let hash = hash_of(&spelling[..length]);
                let of_stem = &stems[stems.partition_point(|stem| stem.0 < hash)..];
                let of_stem = &of_stem[..of_stem.partition_point(|stem| stem.0 == hash).min(WORDS_PER_STEM + 1)];
                for &(_, code) in of_stem.iter().filter(|_| of_stem.len() <= WORDS_PER_STEM) {
                    self.push_both_ways(id, code, Likeness::Code, &mut found);
                }
            }
        }
        self.relate_typos(&mut found, pace)?;
        self.slots = Vec::new();
        self.hashes = Vec::new();
        found.sort_unstable();
        found.dedup_by_key(|related| (related.bank, related.book));
        Ok(found)
    }

    fn relate(&self, id: u32, part: &[u8], likeness: Likeness, found: &mut Vec<Related>) {
        let Ok(other) = self.find(hash_of(part)) else { return };
        self.push_both_ways(id, other, likeness, found);
    }

    fn push_both_ways(&self, one: u32, other: u32, likeness: Likeness, found: &mut Vec<Related>) {
        for (bank, book) in [(one, other), (other, one)] {
            if self.bank_rows[bank as usize] > 0 && self.book_rows[book as usize] > 0 {
                found.push(Related { bank, book, likeness });
            }
        }
    }

    /// Words one edit apart share a word with one letter deleted (the symmetric deletes of
    /// Garbe's SymSpell). Only for words the other side does not have: two common names that
    /// differ by a letter are two names.
    fn relate_typos(&self, found: &mut Vec<Related>, pace: &Pace<'_>) -> Result<(), Stopped> {
        let lonely = |id: u32| self.bank_rows[id as usize] == 0 || self.book_rows[id as usize] == 0;
        let words: Vec<u32> = (0..self.len() as u32).filter(|&id| self.spelling(id).len() >= 5).collect();
        if words.len() > TYPO_WORDS {
            return Ok(());
        }
        let mut deletions: Vec<(u64, u32)> = Vec::with_capacity(words.len() * 8);
        let mut shorter = Vec::with_capacity(WORD_BYTES);
        for &id in &words {
            let spelling = self.spelling(id);
            pace.spend(16 * spelling.len() as u64)?;
            deletions.push((hash_of(spelling), id));
            for gap in 0..spelling.len() {
                shorter.clear();
                shorter.extend_from_slice(&spelling[..gap]);
                shorter.extend_from_slice(&spelling[gap + 1..]);
                deletions.push((hash_of(&shorter), id));
            }
        }
        pace.check()?;
        deletions.sort_unstable();
        pace.check()?;
        for group in deletions.chunk_by(|left, right| left.0 == right.0) {
            if group.len() > 16 {
                continue;
            }
            for (at, &(_, one)) in group.iter().enumerate() {
                for &(_, other) in &group[at + 1..] {
                    if one != other && (lonely(one) || lonely(other)) {
                        self.push_both_ways(one, other, Likeness::Typo, found);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Multiply and rotate over the bytes, then mix; equal hashes are taken for equal words.
fn hash_of(word: &[u8]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64 ^ word.len() as u64;
    for &byte in word {
        hash = (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 29)
}

/// Whether two words are the parts of a British vehicle's registration of today's form (since 2001): `PN61`, `WPY`.
fn is_registration(mark: &[u8], letters: &[u8]) -> bool {
    let [area @ .., tens, units] = mark else { return false };
    let are_letters = |word: &[u8]| word.iter().all(u8::is_ascii_lowercase);
    let is_age = tens.is_ascii_digit() && units.is_ascii_digit();
    is_age && area.len() == 2 && are_letters(area) && letters.len() == 3 && are_letters(letters)
}

/// A code of two or three letters and a number of one or two digits, as a key: `rm46`, `wk7`.
fn short_code(word: &[u8]) -> Option<u64> {
    let letters = word.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let digits = &word[letters..];
    let is_short_code =
        (2..=3).contains(&letters) && (1..=2).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_short_code.then(|| word.iter().fold(0, |key, &byte| key << 8 | u64::from(byte)))
}

/// Whether letters and the number after them are one of the short codes when they are written as one word.
fn is_short_code_of(short_codes: &[u64], letters: &[u8], whole: &[u8]) -> bool {
    letters.iter().all(u8::is_ascii_lowercase)
        && short_code(whole).is_some_and(|code| short_codes.binary_search(&code).is_ok())
}

/// Cuts one description into words; reused from row to row.
#[derive(Debug, Default)]
struct Tokens {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    order: Vec<usize>,
    singles: u32,
    letters: u32,
}

impl Tokens {
    /// Lower-case runs of letters and digits; apostrophes vanish; `inv1234` is `inv`, `1234`. A code of several parts is a word
    /// as a whole, too: `BM6-09` is what others write `BM609`, and `PN61 WPY` is the vehicle `PN61WPY`.
    fn read(&mut self, description: &str, short_codes: &[u64]) {
        self.bytes.clear();
        self.ends.clear();
        self.singles = 0;
        self.letters = 0;
        let (mut start, mut code_start) = (0, 0);
        if description.is_ascii() {
            for byte in description.bytes() {
                match byte {
                    b'\'' => {}
                    _ if byte.is_ascii_alphanumeric() => self.bytes.push(byte.to_ascii_lowercase()),
                    _ => {
                        start = self.finish(start, short_codes);
                        if !matches!(byte, b'-' | b'/') {
                            code_start = self.finish_code(code_start);
                        }
                    }
                }
            }
        } else {
            for character in description.chars() {
                match character {
                    '\'' | '\u{2019}' => {}
                    _ if character.is_alphanumeric() => {
                        let mut encoded = [0; 4];
                        for lower in character.to_lowercase() {
                            self.bytes.extend_from_slice(lower.encode_utf8(&mut encoded).as_bytes());
                        }
                    }
                    _ => {
                        start = self.finish(start, short_codes);
                        if !matches!(character, '-' | '/') {
                            code_start = self.finish_code(code_start);
                        }
                    }
                }
            }
        }
        self.finish(start, short_codes);
        self.finish_code(code_start);
        self.choose();
    }

    /// Ends the word that began at `start`, cutting letters from digits where both are clear.
    fn finish(&mut self, start: usize, short_codes: &[u64]) -> usize {
        let end = self.bytes.len();
        if end == start {
            return end;
        }
        let word = &self.bytes[start..end];
        let leading_digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let leading_letters = word.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        let rest_digits = word[leading_letters..].iter().all(u8::is_ascii_digit);
        let rest_letters = word[leading_digits..].iter().all(|byte| !byte.is_ascii_digit());
        let letters_then_digits = leading_letters >= 2 && word.len() - leading_letters >= 3 && rest_digits;
        let digits_then_letters = leading_digits >= 3 && word.len() - leading_digits >= 2 && rest_letters;
        if letters_then_digits {
            self.push(start, start + leading_letters);
            self.push(start + leading_letters, end);
        } else if leading_letters == 1 && rest_digits && word.len() > 4 {
            // What one system writes before a number another leaves out.
            self.push(start + 1, end);
        } else if digits_then_letters {
            self.push(start, start + leading_digits);
            self.push(start + leading_digits, end);
        } else {
            let before = self.ends.last_chunk().copied();
            self.push(start, end);
            // The two parts of a vehicle's registration are one word, too, and so is `Rm 46` where the file has `Rm46`.
            if let Some([first, middle]) = before
                && middle == start
                && (is_registration(&self.bytes[first..middle], &self.bytes[start..end])
                    || is_short_code_of(short_codes, &self.bytes[first..middle], &self.bytes[first..end]))
            {
                self.push(first, end);
            }
        }
        end
    }

    /// Notes a short code as a whole that was noted in parts.
    fn finish_code(&mut self, start: usize) -> usize {
        const LENGTHS: std::ops::RangeInclusive<usize> = 4..=10;
        const DIGITS: std::ops::RangeInclusive<usize> = 2..=4;
        // More letters are a word with a number: `invoice-14`.
        const LETTERS: std::ops::RangeInclusive<usize> = 1..=3;
        let end = self.bytes.len();
        let code = &self.bytes[start..end];
        let is_code = LENGTHS.contains(&code.len())
            && DIGITS.contains(&code.iter().filter(|byte| byte.is_ascii_digit()).count())
            && LETTERS.contains(&code.iter().take_while(|byte| byte.is_ascii_lowercase()).count());
        let is_noted = self.ends.last_chunk().is_some_and(|&[from, _]| from <= start);
        if is_code && !is_noted {
            self.ends.push(start);
            self.ends.push(end);
        }
        end
    }

    /// Notes a word as its start and end, without the leading zeros of a number: flat 05 is flat 5.
    fn push(&mut self, start: usize, end: usize) {
        let word = &self.bytes[start..end];
        let zeros = word.iter().take_while(|&&byte| byte == b'0').count();
        let is_number = word.iter().all(u8::is_ascii_digit);
        let start = if is_number && zeros < word.len() { start + zeros } else { start };
        let word = &self.bytes[start..end];
        if let [letter @ b'a'..=b'z'] = word {
            self.singles |= 1 << (letter - b'a');
        } else if let [letter @ b'a'..=b'z', ..] = word {
            self.letters |= 1 << (letter - b'a');
        }
        if Kind::of(word) == Kind::Number {
            self.letters |= HAS_NUMBER;
        }
        self.ends.push(start);
        self.ends.push(end.min(start + WORD_BYTES));
    }

    fn choose(&mut self) {
        self.order.clear();
        self.order.extend(0..self.ends.len() / 2);
        if self.order.len() <= WORDS_PER_ROW {
            return;
        }
        let (bytes, ends) = (&self.bytes, &self.ends);
        let word = |at: usize| &bytes[ends[2 * at]..ends[2 * at + 1]];
        self.order.sort_by_key(|&at| std::cmp::Reverse(Kind::of(word(at)).weight(word(at).len())));
        self.order.truncate(WORDS_PER_ROW);
    }

    fn kept(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|&at| &self.bytes[self.ends[2 * at]..self.ends[2 * at + 1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(description: &str) -> Vec<String> {
        let mut tokens = Tokens::default();
        tokens.read(description, &[]);
        tokens.kept().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    #[test]
    fn descriptions_are_cut_into_words() {
        assert_eq!(words("Sainsbury's S/MKTS"), ["sainsburys", "s", "mkts"]);
        assert_eq!(words("ACME LTD INV1234"), ["acme", "ltd", "inv", "1234", "inv1234"]);
        assert_eq!(words("K932056 M1254 A12"), ["932056", "1254", "m1254", "a12"]);
        assert_eq!(words("June-24 Invoice-14"), ["june", "24", "invoice", "14"]);
        assert_eq!(words("INV-00123 K7Q2ZM"), ["inv", "123", "k7q2zm"]);
        assert_eq!(words("TQ1-03 0 000"), ["tq1", "3", "tq103", "0", "000"]);
        assert_eq!(words("BM609 Bm6-09, RH8/11"), ["bm", "609", "bm609", "bm6", "9", "bm609", "rh8", "11", "rh811"]);
        assert_eq!(words("Caf\u{e9} Z\u{dc}RICH"), ["caf\u{e9}", "z\u{fc}rich"]);
        assert_eq!(words("PN61 WPY tax, pn61wpy"), ["pn61", "wpy", "pn61wpy", "tax", "pn61wpy"]);
        assert!(words("--- !").is_empty());
        assert_eq!(words(&"word ".repeat(40)).len(), WORDS_PER_ROW);
    }

    #[test]
    fn short_codes_are_one_word_where_the_file_writes_them_so() {
        let pace = Pace::new(&crate::domain::control::Unattended);
        let mut vocabulary = Vocabulary::new();
        let codes = ["Rm46 fees", "RM46, papers", "hair rm46", "wk12 wk12", "Wk12 or wk12"];
        vocabulary.learn_short_codes(codes.into_iter(), &pace).unwrap();
        let side = vocabulary.read(["Rm 46 hair", "wk 12 wages", "46 Rm"].into_iter(), false);
        let code = vocabulary.id(b"rm46").unwrap();
        assert!(side.row(0).contains(&code) && !side.row(2).contains(&code));
        assert_eq!(vocabulary.id(b"wk12"), None, "two rows may have lost a space");
    }

    #[test]
    fn spellings_that_look_alike_are_related() {
        let mut vocabulary = Vocabulary::new();
        vocabulary.read(["COBALT CONSTRUCTIO JSMITH", "WLLIAMS", "KINGFISHER PLATING"].into_iter(), true);
        vocabulary.read(["Cobalt Construction Smith", "Williams", "PI55970 KINGF52"].into_iter(), false);
        let pace = Pace::new(&crate::domain::control::Unattended);
        let likenesses: Vec<Likeness> =
            vocabulary.related(&pace).unwrap_or_default().iter().map(|related| related.likeness).collect();
        assert_eq!(likenesses, [Likeness::Same, Likeness::Prefix, Likeness::Joined, Likeness::Typo, Likeness::Code]);
    }
}

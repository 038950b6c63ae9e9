//! Meaning of words as vectors: a static table with one row per WordPiece token. A text's vector is the mean of its
//! tokens' rows, which approximates what a sentence model says of short phrases at a thousandth of its cost.
//!
//! The table was derived from all-MiniLM-L6-v2 (Apache-2.0, see `embedding/NOTICE`); `tools/embedding` makes it.

use rustc_hash::FxHashMap;

use super::text::fold;

const TABLE: &[u8] = include_bytes!("embedding/tuned_128.bin");
const VOCABULARY: &str = include_str!("embedding/vocab.txt");

/// Numbers of a vector that are looked at first.
const HEAD: usize = 32;

/// No token has more bytes than this; what is longer is not looked up.
const LONGEST_PIECE: usize = 24;

/// Numbers in a vector.
pub const DIMENSIONS: usize = 128;

/// A direction in the space of meanings; unit length, or zero when nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector([f32; DIMENSIONS]);

impl Vector {
    /// No meaning at all.
    pub const fn zero() -> Self {
        Self([0.0; DIMENSIONS])
    }

    /// Adds another vector to a sum.
    pub fn add(&mut self, other: &Self) {
        self.add_part(other, 1.0);
    }

    /// Adds so much of another vector to a sum.
    #[expect(
        clippy::indexing_slicing,
        reason = "below the length of both; iterators are slow where tests are not optimised"
    )]
    pub fn add_part(&mut self, other: &Self, part: f32) {
        let mut at = 0;
        while at < DIMENSIONS {
            self.0[at] += other.0[at] * part;
            at += 1;
        }
    }

    /// Numbers below nothing are nothing.
    pub fn rectified(self) -> Self {
        Self(self.0.map(|value| value.max(0.0)))
    }

    /// The vector's numbers.
    pub const fn numbers(&self) -> &[f32; DIMENSIONS] {
        &self.0
    }

    /// A vector of such numbers.
    pub const fn of(numbers: [f32; DIMENSIONS]) -> Self {
        Self(numbers)
    }

    /// The same direction with unit length.
    pub fn normalised(mut self) -> Self {
        let length = self.cosine(&self).sqrt();
        if length > 0.0 {
            for value in &mut self.0 {
                *value /= length;
            }
        }
        self
    }

    /// The first numbers, which say most, and how long the rest is: enough to bound a cosine by.
    pub fn outline(&self) -> Outline {
        let mut head = [0.0; HEAD];
        head.copy_from_slice(self.0.first_chunk::<HEAD>().unwrap_or(&[0.0; HEAD]));
        Outline { head, rest: self.0.iter().skip(HEAD).map(|value| value * value).sum::<f32>().sqrt() }
    }

    /// How near two unit vectors are, −1 to 1. Sums in a fixed order, so that it is the same to the bit every time.
    pub fn cosine(&self, other: &Self) -> f32 {
        product(&self.0, &other.0)
    }
}

/// The scalar product, in eight sums that the processor adds to at once.
#[expect(
    clippy::indexing_slicing,
    reason = "below the length of both; iterators are slow where tests are not optimised"
)]
fn product<const LENGTH: usize>(left: &[f32; LENGTH], right: &[f32; LENGTH]) -> f32 {
    let ((left, _), (right, _)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    let mut at = 0;
    while at < LENGTH / 8 {
        let (mine, theirs) = (&left[at], &right[at]);
        let mut lane = 0;
        while lane < 8 {
            sums[lane] += mine[lane] * theirs[lane];
            lane += 1;
        }
        at += 1;
    }
    sums.iter().sum()
}

/// What of a vector is looked at before all of it is.
#[derive(Debug, Clone, Copy)]
pub struct Outline {
    head: [f32; HEAD],
    rest: f32,
}

impl Outline {
    /// Whether the cosine of two vectors may be above a bound: the rest adds no more than the product of its lengths.
    pub fn may_exceed(&self, other: &Self, bound: f32) -> bool {
        const ROUNDING: f32 = 1e-4;
        product(&self.head, &other.head) + self.rest * other.rest + ROUNDING > bound
    }
}

/// The table.
#[derive(Debug)]
pub struct Meaning {
    /// Token to row; tokens inside a word start with `##`.
    rows: FxHashMap<&'static str, u32>,
    scales: Vec<f32>,
}

impl Meaning {
    /// Reads the table that is part of the program.
    pub fn read() -> Self {
        let number = |at: usize| TABLE.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map(u16::from_le_bytes);
        let count = usize::from(number(0).unwrap_or(0)) + (usize::from(number(2).unwrap_or(0)) << 16);
        let tokens: Vec<&str> = VOCABULARY.lines().collect();
        let mut rows = FxHashMap::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher);
        let mut scales = Vec::with_capacity(count);
        for row in 0..count {
            let token = number(4 + 2 * row).and_then(|id| tokens.get(usize::from(id)));
            if let (Some(token), Ok(row)) = (token, u32::try_from(row)) {
                rows.insert(*token, row);
            }
            let at = 4 + 2 * count + 4 * row;
            let scale = TABLE.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            scales.push(scale.map_or(0.0, f32::from_le_bytes));
        }
        Self { rows, scales }
    }

    /// Whether a word of capitals is in the vocabulary as a whole.
    pub fn knows(&self, word: &str) -> bool {
        self.rows.contains_key(word.to_ascii_lowercase().as_str())
    }

    /// The vector of a text in any case; zero when no token of it is known.
    pub fn vector(&self, text: &str) -> Vector {
        let mut sum = Vector::zero();
        let lower = fold(text).to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            self.add_word(word, &mut sum);
        }
        sum.normalised()
    }

    /// WordPiece: the longest known piece from the left, again and again; a word with an unknown piece says nothing.
    fn add_word(&self, word: &str, sum: &mut Vector) {
        let mut pieces = Vec::new();
        let mut at = 0;
        let mut piece = String::new();
        while at < word.len() {
            let mut end = word.len().min(at + LONGEST_PIECE);
            let found = loop {
                if end <= at {
                    return;
                }
                if let Some(part) = word.get(at..end) {
                    piece.clear();
                    if at > 0 {
                        piece.push_str("##");
                    }
                    piece.push_str(part);
                    if let Some(row) = self.rows.get(piece.as_str()) {
                        break *row;
                    }
                }
                end -= 1;
            };
            pieces.push(found);
            at = end;
        }
        for row in pieces {
            self.add_row(row, sum);
        }
    }

    fn add_row(&self, row: u32, sum: &mut Vector) {
        let Ok(row) = usize::try_from(row) else { return };
        let count = self.scales.len();
        let start = 4 + 6 * count + DIMENSIONS * row;
        let (Some(bytes), Some(scale)) = (TABLE.get(start..start + DIMENSIONS), self.scales.get(row)) else { return };
        for (value, byte) in sum.0.iter_mut().zip(bytes) {
            *value += f32::from(i8::from_le_bytes([*byte])) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_like_meaning_are_near() {
        let meaning = Meaning::read();
        let near = |a: &str, b: &str| meaning.vector(a).cosine(&meaning.vector(b));
        assert!(near("petrol", "diesel fuel") > near("petrol", "accountant"));
        assert!(near("solicitors", "legal fees") > near("solicitors", "electricity"));
        assert!((near("rent", "RENT") - 1.0).abs() < 1e-5);
        assert_eq!(meaning.vector("\u{1f389} \u{5e9}"), Vector::zero());
    }
}

//! What a payee's name alone lets expect was bought: a linear model over the words of a name and pieces of them. It was
//! fitted to names of known trades by `tools/payee_model`, whose README says how; here it is only read.
//!
//! Weights are small integers and are added as integers, so that every machine finds the same sums.

use std::sync::OnceLock;

use super::knowledge::{ConceptId, Knowledge};

const MODEL: &[u8] = include_bytes!("knowledge/payees.bin");

/// A class that is less likely than this is not worth mentioning.
const WORTH_MENTIONING: f32 = 0.02;

/// How much an amount counts beside the words, which do not speak of it.
const AMOUNTS_COUNT: f32 = 0.5;

/// Words that say what kind of firm it is, never what it sells.
pub(super) const SILENT: &[&str] = &[
    "LTD", "LIMITED", "PLC", "LLP", "UK", "CO", "COM", "ORG", "NET", "WWW", "HTTP", "HTTPS", "THE", "AND", "OF", "FOR",
    "INC", "LLC", "GB", "EU",
];

/// The model that is part of the program.
#[derive(Debug)]
pub struct PayeeModel {
    /// What each class is; none where the knowledge has no such concept.
    concepts: Vec<Option<ConceptId>>,
    scales: Vec<f32>,
    biases: Vec<f32>,
    buckets: u32,
    /// One row of weights a bucket, one weight a class.
    weights: &'static [u8],
}

impl PayeeModel {
    /// The model, read once.
    pub fn get(knowledge: &Knowledge) -> &'static Self {
        static READ: OnceLock<PayeeModel> = OnceLock::new();
        READ.get_or_init(|| Self::read(knowledge).unwrap_or_else(Self::empty))
    }

    /// A model that knows no class.
    fn empty() -> Self {
        Self { concepts: Vec::new(), scales: Vec::new(), biases: Vec::new(), buckets: 1, weights: &[] }
    }

    /// Little-endian: u16 classes, u32 buckets, names of classes behind their lengths, a scale and a bias a class (f32), and a
    /// row of int8 weights a bucket.
    fn read(knowledge: &Knowledge) -> Option<Self> {
        let mut rest = MODEL;
        let classes = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let buckets = u32::from_le_bytes(take(&mut rest)?);
        let concepts = take_concepts(&mut rest, classes, knowledge)?;
        let mut numbers =
            || (0..classes).map(|_| take(&mut rest).map(f32::from_le_bytes)).collect::<Option<Vec<f32>>>();
        let (scales, biases) = (numbers()?, numbers()?);
        let rows = usize::try_from(buckets).ok()?;
        (rest.len() == rows.checked_mul(classes)?).then_some(Self { concepts, scales, biases, buckets, weights: rest })
    }

    /// What was probably bought, most likely first, each with its chance. `text` is folded: words of capitals, parted by spaces;
    /// `digits` is how many binary digits the amount has in pence.
    pub fn expect(&self, knowledge: &Knowledge, text: &str, digits: u32) -> Vec<(ConceptId, f32)> {
        let buckets = self.features(text);
        let classes = self.concepts.len();
        let Ok(count) = u16::try_from(buckets.len()) else { return Vec::new() };
        let mut sums = vec![0_i32; classes];
        for bucket in buckets {
            let at = usize::try_from(bucket).map_or(usize::MAX, |bucket| bucket.saturating_mul(classes));
            let row = at.checked_add(classes).and_then(|end| self.weights.get(at..end)).unwrap_or(&[]);
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += i32::from(i8::from_le_bytes([*weight]));
            }
        }
        let length = f32::from(count.max(1)).sqrt();
        let pounds = logarithm_of_pounds(digits);
        let scores: Vec<f32> = sums
            .iter()
            .zip(self.scales.iter().zip(&self.biases))
            .zip(&self.concepts)
            .map(|((sum, (scale, bias)), concept)| {
                // Only texts made to do so reach the bounds.
                let sum = i16::try_from(*sum).unwrap_or(if *sum < 0 { i16::MIN } else { i16::MAX });
                let suits = concept.map_or(0.0, |concept| knowledge.purchases.suits(concept, pounds));
                f32::from(sum) * scale / length + bias + AMOUNTS_COUNT * suits
            })
            .collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let parts: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f32 = parts.iter().sum();
        let mut expected: Vec<(ConceptId, f32)> = self
            .concepts
            .iter()
            .zip(parts)
            .filter_map(|(concept, part)| Some(((*concept)?, part / total)))
            .filter(|(_, chance)| *chance >= WORTH_MENTIONING)
            .collect();
        expected.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
        expected
    }

    /// The buckets of a text: its words, its pairs of words, and pieces of three to five letters of each word. The same function
    /// stands in `tools/payee_model/train.py`.
    fn features(&self, text: &str) -> Vec<u32> {
        let words: Vec<&str> = text.split(' ').filter(|word| tells(word)).collect();
        let mut found = Vec::new();
        let mut bounded = Vec::new();
        for word in &words {
            found.push(self.bucket(&[b"w", word.as_bytes()]));
            bounded.clear();
            bounded.push(b'^');
            bounded.extend_from_slice(word.as_bytes());
            bounded.push(b'$');
            for size in 3..=5 {
                found.extend(bounded.windows(size).map(|piece| self.bucket(&[b"p", piece])));
            }
        }
        found.extend(words.windows(2).filter_map(|pair| match pair {
            [first, second] => Some(self.bucket(&[b"b", first.as_bytes(), b" ", second.as_bytes()])),
            _ => None,
        }));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The bucket of a feature.
    fn bucket(&self, parts: &[&[u8]]) -> u32 {
        fnv1a(parts) % self.buckets
    }
}

/// FNV-1a of 32 bits of some bytes, part behind part.
pub(super) fn fnv1a(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The logarithm of an amount that has so many binary digits in pence, in pounds.
fn logarithm_of_pounds(digits: u32) -> f32 {
    const PENCE: f32 = 4.605_17;
    let digits = f32::from(u8::try_from(digits).unwrap_or(u8::MAX));
    (digits - 0.5) * std::f32::consts::LN_2 - PENCE
}

/// Whether a word can tell what was bought.
fn tells(word: &str) -> bool {
    word.len() >= 2 && word.is_ascii() && !SILENT.contains(&word) && !word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The concepts of a file, each name behind its length; none where the knowledge has no such concept.
pub(super) fn take_concepts(
    rest: &mut &'static [u8],
    count: usize,
    knowledge: &Knowledge,
) -> Option<Vec<Option<ConceptId>>> {
    let mut concepts = Vec::with_capacity(count);
    for _ in 0..count {
        let [length] = take::<1>(rest)?;
        let (name, behind) = rest.split_at_checked(usize::from(length))?;
        *rest = behind;
        concepts.push(std::str::from_utf8(name).ok().and_then(|name| knowledge.id(name)));
    }
    Some(concepts)
}

/// The first bytes of a slice, which moves on behind them.
pub(super) fn take<const N: usize>(rest: &mut &'static [u8]) -> Option<[u8; N]> {
    let (head, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_was_bought() {
        let knowledge = Knowledge::get();
        let model = PayeeModel::get(knowledge);
        assert!(model.concepts.len() > 60 && model.concepts.iter().all(Option::is_some));
        let best = |text: &str| knowledge.concept(model.expect(knowledge, text, 12)[0].0).name;
        for (text, concept) in [
            ("WETHERBY SCAFFOLD HIRE", "plant_hire"),
            ("TONERPLANET", "stationery"),
            ("THE OLD FORGE TEAROOMS", "subsistence"),
            ("KIRKHAM TYRE AND EXHAUST CENTRE", "vehicle_repairs"),
        ] {
            assert_eq!(best(text), concept, "{text}: {:?}", model.expect(knowledge, text, 12));
        }
        // What says nothing may be anything.
        for text in ["", "4471 2290", "ZORBLAX QUIFFLE"] {
            let (_, chance) = model.expect(knowledge, text, 12)[0];
            assert!(chance < 0.25, "{text}: {chance}");
        }
    }

    #[test]
    fn chances_are_at_most_one_together() {
        let knowledge = Knowledge::get();
        for text in ["SHELL", "A B C", "ZZZZZZZZZZ QQQQQ", &"X".repeat(500), "ΑΒΓ", &"AB ".repeat(160)] {
            let total: f32 =
                PayeeModel::get(knowledge).expect(knowledge, text, 12).iter().map(|(_, chance)| chance).sum();
            assert!((0.0..=1.001).contains(&total), "{text}: {total}");
        }
    }
}

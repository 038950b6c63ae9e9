//! What a text lets expect that was paid for: two linear models over the words of a text and pieces of them, one of payees'
//! names and one of whole lines of statements. `tools/payee_model` fitted them, and its README says how; here they are only read.
//!
//! Weights are small integers and are added as integers, so that every machine finds the same sums.

use std::sync::OnceLock;

use super::knowledge::{ConceptId, Knowledge};

const PAYEES: &[u8] = include_bytes!("knowledge/payees.bin");
const LINES: &[u8] = include_bytes!("knowledge/lines.bin");

/// A class that is less likely than this is not worth mentioning.
const WORTH_MENTIONING: f32 = 0.02;

/// How much an amount counts beside the words, which do not speak of it.
const AMOUNTS_COUNT: f32 = 0.5;

/// So many weights of eight bits add up to no more than sixteen bits hold, of which a machine adds twice as many at once as of thirty-two.
const WEIGHTS_IN_A_PART: usize = 256;

/// Words that say what kind of firm it is, never what it sells.
pub(super) const SILENT: &[&str] = &[
    "LTD", "LIMITED", "PLC", "LLP", "UK", "CO", "COM", "ORG", "NET", "WWW", "HTTP", "HTTPS", "THE", "AND", "OF", "FOR",
    "INC", "LLC", "GB", "EU",
];

/// A model that is part of the program.
#[derive(Debug)]
pub struct TextModel {
    /// What each class is; none where the knowledge has no such concept.
    concepts: Vec<Option<ConceptId>>,
    scales: Vec<f32>,
    biases: Vec<f32>,
    buckets: u32,
    /// One row of weights a bucket, one weight a class.
    weights: &'static [u8],
}

impl TextModel {
    /// What names of payees sell, read once.
    pub fn of_payees(knowledge: &Knowledge) -> &'static Self {
        static READ: OnceLock<TextModel> = OnceLock::new();
        READ.get_or_init(|| Self::read(PAYEES, knowledge).unwrap_or_else(Self::empty))
    }

    /// What whole lines are about, read once.
    pub fn of_lines(knowledge: &Knowledge) -> &'static Self {
        static READ: OnceLock<TextModel> = OnceLock::new();
        READ.get_or_init(|| Self::read(LINES, knowledge).unwrap_or_else(Self::empty))
    }

    /// A model that knows no class.
    fn empty() -> Self {
        Self { concepts: Vec::new(), scales: Vec::new(), biases: Vec::new(), buckets: 1, weights: &[] }
    }

    /// Little-endian: u16 classes, u32 buckets, names of classes behind their lengths, a scale and a bias a class (f32), and a
    /// row of int8 weights a bucket.
    fn read(mut rest: &'static [u8], knowledge: &Knowledge) -> Option<Self> {
        let classes = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let buckets = u32::from_le_bytes(take(&mut rest)?);
        let concepts = take_concepts(&mut rest, classes, knowledge)?;
        let mut numbers =
            || (0..classes).map(|_| take(&mut rest).map(f32::from_le_bytes)).collect::<Option<Vec<f32>>>();
        let (scales, biases) = (numbers()?, numbers()?);
        let rows = usize::try_from(buckets).ok()?;
        (rest.len() == rows.checked_mul(classes)?).then_some(Self { concepts, scales, biases, buckets, weights: rest })
    }

    /// What a payee of such a name was probably paid for, most likely first, each with its chance. `text` is folded: words of
    /// capitals, parted by spaces; `digits` is how many binary digits the amount has in pence.
    pub fn expect_of_payee(&self, knowledge: &Knowledge, text: &str, digits: u32) -> Vec<(ConceptId, f32)> {
        let pounds = logarithm_of_pounds(digits);
        self.expect(self.features(text), |concept| AMOUNTS_COUNT * knowledge.purchases.suits(concept, pounds))
    }

    /// What a line of such words, direction and amount is probably about, likewise.
    pub fn expect_of_line(&self, text: &str, money_in: bool, digits: u32) -> Vec<(ConceptId, f32)> {
        let mut features = self.features(text);
        let direction: &[u8] = if money_in { b"in" } else { b"out" };
        features.extend([self.bucket(&[b"d", direction]), self.bucket(&[b"D", direction])]);
        features.push(self.bucket(&[b"a", digits.to_string().as_bytes()]));
        self.expect(features, |_| 0.0)
    }

    /// Concepts that are likely after some features, each with its chance; `more` speaks for a concept beside them.
    fn expect(&self, buckets: Vec<u32>, more: impl Fn(ConceptId) -> f32) -> Vec<(ConceptId, f32)> {
        let Ok(count) = u16::try_from(buckets.len()) else { return Vec::new() };
        let sums = self.sums(&buckets);
        let length = f32::from(count.max(1)).sqrt();
        let scores: Vec<f32> = sums
            .iter()
            .zip(self.scales.iter().zip(&self.biases))
            .zip(&self.concepts)
            .map(|((sum, (scale, bias)), concept)| {
                // Only texts made to do so reach the bounds.
                let sum = i16::try_from(*sum).unwrap_or(if *sum < 0 { i16::MIN } else { i16::MAX });
                f32::from(sum) * scale / length + bias + concept.map_or(0.0, &more)
            })
            .collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let parts: Vec<f32> = scores.iter().map(|score| libm::expf(score - most)).collect();
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

    /// The weights of some buckets together, one sum a class.
    fn sums(&self, buckets: &[u32]) -> Vec<i32> {
        let classes = self.concepts.len();
        let mut sums = vec![0_i32; classes];
        let mut parts = vec![0_i16; classes];
        for some in buckets.chunks(WEIGHTS_IN_A_PART) {
            parts.fill(0);
            for bucket in some {
                for (part, weight) in parts.iter_mut().zip(self.row(*bucket)) {
                    // So few weights are never more than an i16 holds.
                    *part = part.wrapping_add(i16::from(i8::from_le_bytes([*weight])));
                }
            }
            for (sum, part) in sums.iter_mut().zip(&parts) {
                *sum += i32::from(*part);
            }
        }
        sums
    }

    /// The weights of a bucket, one a class.
    fn row(&self, bucket: u32) -> &'static [u8] {
        let classes = self.concepts.len();
        let at = usize::try_from(bucket).map_or(usize::MAX, |bucket| bucket.saturating_mul(classes));
        at.checked_add(classes).and_then(|end| self.weights.get(at..end)).unwrap_or(&[])
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
        let model = TextModel::of_payees(knowledge);
        assert!(model.concepts.len() > 60 && model.concepts.iter().all(Option::is_some));
        let best = |text: &str| knowledge.concept(model.expect_of_payee(knowledge, text, 12)[0].0).name;
        for (text, concept) in [
            ("WETHERBY SCAFFOLD HIRE", "plant_hire"),
            ("TONERPLANET", "stationery"),
            ("THE OLD FORGE TEAROOMS", "subsistence"),
            ("KIRKHAM TYRE AND EXHAUST CENTRE", "vehicle_repairs"),
        ] {
            assert_eq!(best(text), concept, "{text}: {:?}", model.expect_of_payee(knowledge, text, 12));
        }
        // What says nothing may be anything.
        for text in ["", "4471 2290", "ZORBLAX QUIFFLE"] {
            let (_, chance) = model.expect_of_payee(knowledge, text, 12)[0];
            assert!(chance < 0.25, "{text}: {chance}");
        }
    }

    #[test]
    fn sums_of_any_number_of_weights_are_exact() {
        let model = TextModel::of_lines(Knowledge::get());
        let weight = |bucket: u32, class: usize| i32::from(i8::from_le_bytes([model.row(bucket)[class]]));
        let lightest = (0..model.buckets).min_by_key(|bucket| weight(*bucket, 0)).unwrap();
        let heaviest = (0..model.buckets).max_by_key(|bucket| weight(*bucket, 0)).unwrap();
        for count in [0, 1, WEIGHTS_IN_A_PART - 1, WEIGHTS_IN_A_PART, WEIGHTS_IN_A_PART + 1, 3000] {
            let different: Vec<u32> = (0..).step_by(7).take(count).collect();
            for buckets in [different, vec![lightest; count], vec![heaviest; count]] {
                let exact: Vec<i32> = (0..model.concepts.len())
                    .map(|class| buckets.iter().map(|bucket| weight(*bucket, class)).sum())
                    .collect();
                assert_eq!(model.sums(&buckets), exact, "{count} weights");
            }
        }
    }

    #[test]
    fn chances_are_at_most_one_together() {
        let knowledge = Knowledge::get();
        for text in ["SHELL", "A B C", "ZZZZZZZZZZ QQQQQ", &"X".repeat(500), "ΑΒΓ", &"AB ".repeat(160)] {
            let total: f32 = TextModel::of_payees(knowledge)
                .expect_of_payee(knowledge, text, 12)
                .iter()
                .map(|(_, chance)| chance)
                .sum();
            assert!((0.0..=1.001).contains(&total), "{text}: {total}");
        }
    }
}

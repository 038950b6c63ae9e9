//! What words of a line say of the VAT inside it, whatever is usual for what the line is about (`vat_words.tsv`).

use rustc_hash::FxHashMap;

use super::ConceptId;
use crate::domain::coding::outcome::Vat;

const VAT_WORDS: &str = include_str!("vat_words.tsv");

/// This stands in place of words where the code is that of suppliers abroad.
const ABROAD: &str = "abroad";

/// This stands in place of concepts for whatever is paid for.
const ANYTHING: &str = "*";

/// Words that say the VAT of a line.
#[derive(Debug, Default)]
pub struct VatWords {
    /// What words say of whatever is paid for.
    of_payments: Vec<(Vec<&'static str>, Vat)>,
    by_concept: FxHashMap<ConceptId, Vec<(Vec<&'static str>, Vat)>>,
    /// The codes of what suppliers abroad bill.
    abroad: FxHashMap<ConceptId, Vat>,
}

impl VatWords {
    pub(super) fn read(by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) -> Self {
        let mut read = Self::default();
        for row in super::rows(VAT_WORDS) {
            let &[concepts, words, code, _] = row.as_slice() else {
                problems.push(format!("vat_words.tsv: four columns are wanted: {row:?}"));
                continue;
            };
            let Some(vat) = Vat::parse(code) else {
                problems.push(format!("vat_words.tsv: unknown code: {row:?}"));
                continue;
            };
            if concepts == ANYTHING {
                read.of_payments.push((words.split(',').collect(), vat));
                continue;
            }
            for name in concepts.split(',') {
                let Some(concept) = by_name.get(name) else {
                    problems.push(format!("vat_words.tsv: unknown concept {name}"));
                    continue;
                };
                if words == ABROAD {
                    read.abroad.insert(*concept, vat);
                } else {
                    read.by_concept.entry(*concept).or_default().push((words.split(',').collect(), vat));
                }
            }
        }
        read
    }

    /// The code that the words of a line say, where it is about a concept; `has` says whether one of some words is in the line.
    pub fn vat(&self, concept: ConceptId, money_out: bool, has: impl Fn(&[&str]) -> bool) -> Option<Vat> {
        let of_concept = self.by_concept.get(&concept).map_or(&[][..], Vec::as_slice);
        let of_payments = if money_out { self.of_payments.as_slice() } else { &[] };
        of_concept.iter().chain(of_payments).find(|(words, _)| has(words)).map(|(_, vat)| *vat)
    }

    /// The code of such a supply where the supplier is abroad; none where suppliers abroad bill no such supplies.
    pub fn vat_abroad(&self, concept: ConceptId) -> Option<Vat> {
        self.abroad.get(&concept).copied()
    }
}

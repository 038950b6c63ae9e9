//! Names of shops, firms and institutions, each with what is bought there, written from general knowledge and listed by
//! `tools/payee_model`, whose README says how; here they are only looked up.
//!
//! A name is known by its letters alone, without spaces, as banks and web addresses print it, and by its first letters
//! where a statement cuts it off.

use std::sync::OnceLock;

use super::knowledge::{ConceptId, Knowledge};
use super::text_model::{SILENT, fnv1a, take, take_concepts};

const TABLE: &[u8] = include_bytes!("knowledge/payee_names.bin");

/// So many letters of a longer name are enough to know it.
const ENOUGH_LETTERS: usize = 16;

/// A text of more letters was not cut off.
const CUT_LETTERS: usize = 20;

/// A name of fewer letters is too many firms'.
const FEWEST_LETTERS: usize = 5;

/// A name of so many letters is known where more words follow.
const ENOUGH_TO_BEGIN: usize = 9;

/// No listed name of which more follows has as many words.
const MOST_WORDS: usize = 8;

/// The names that are part of the program.
#[derive(Debug)]
pub struct PayeeNames {
    concepts: Vec<Option<ConceptId>>,
    /// Hashes of names in their order, four bytes each, least first.
    keys: &'static [[u8; 4]],
    /// The class of each.
    classes: &'static [u8],
}

impl PayeeNames {
    /// The names, read once.
    pub fn get(knowledge: &Knowledge) -> &'static Self {
        static READ: OnceLock<PayeeNames> = OnceLock::new();
        READ.get_or_init(|| Self::read(knowledge).unwrap_or(Self { concepts: Vec::new(), keys: &[], classes: &[] }))
    }

    /// Little-endian: u16 classes, u32 names, names of classes behind their lengths, u32 keys in their order, u8 class of each.
    fn read(knowledge: &Knowledge) -> Option<Self> {
        let mut rest = TABLE;
        let classes = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let names = usize::try_from(u32::from_le_bytes(take(&mut rest)?)).ok()?;
        let concepts = take_concepts(&mut rest, classes, knowledge)?;
        let (keys, classes) = rest.split_at_checked(names.checked_mul(4)?)?;
        let (keys, []) = keys.as_chunks() else { return None };
        (classes.len() == names).then_some(Self { concepts, keys, classes })
    }

    /// What is bought from the payee of a folded text (words of capitals, parted by spaces), if it is listed, and whether the
    /// text is the name: whole, cut off, or with a town behind it. Other words behind it may make it another firm.
    pub fn concept_of(&self, knowledge: &Knowledge, text: &str) -> Option<(ConceptId, bool)> {
        let words = telling_words(text);
        let letters = words.concat();
        let cut = || letters.get(..ENOUGH_LETTERS).filter(|_| letters.len() <= CUT_LETTERS);
        if let Some(concept) = self.look_up(&letters).or_else(|| self.look_up(cut()?)) {
            return Some((concept, true));
        }
        (1..words.len().min(MOST_WORDS)).rev().find_map(|count| {
            let (name, rest) = words.split_at_checked(count)?;
            let letters = name.concat();
            let is_town = rest.iter().all(|word| knowledge.words.town.has(word));
            let is_enough = is_town || count > 1 && letters.len() >= ENOUGH_TO_BEGIN;
            Some((self.look_up(&letters).filter(|_| is_enough)?, is_town))
        })
    }

    /// Whether a folded text is a listed name as a whole.
    #[cfg(test)]
    pub fn has(&self, text: &str) -> bool {
        self.look_up(&telling_words(text).concat()).is_some()
    }

    fn look_up(&self, letters: &str) -> Option<ConceptId> {
        if letters.len() < FEWEST_LETTERS {
            return None;
        }
        let key = fnv1a(&[letters.as_bytes()]);
        let at = self.keys.binary_search_by_key(&key, |bytes| u32::from_le_bytes(*bytes)).ok()?;
        self.concepts.get(usize::from(*self.classes.get(at)?)).copied().flatten()
    }
}

/// The words of a text, but for those that say what kind of firm it is.
fn telling_words(text: &str) -> Vec<&str> {
    text.split(' ').filter(|word| !SILENT.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_known_as_they_are_printed() {
        let knowledge = Knowledge::get();
        let names = PayeeNames::get(knowledge);
        assert!(names.keys.len() > 100_000 && names.concepts.iter().all(Option::is_some));
        assert!(names.keys.is_sorted_by_key(|bytes| u32::from_le_bytes(*bytes)));
        let known = |text: &str| {
            let (concept, is_name) = names.concept_of(knowledge, text)?;
            Some((knowledge.concept(concept).name, is_name))
        };
        let printed = [
            "YORKSHIRE SCULPTURE PARK",
            "YORKSHIRE SCULPTUR",
            "YORKSHIRESCULPTUREPARK",
            "YORKSHIRE SCULPTURE PARK LTD",
            "YORKSHIRE SCULPTURE PARK WAKEFIELD",
        ];
        for text in printed {
            assert_eq!(known(text), Some(("attractions", true)), "{text}");
        }
        assert_eq!(known("YORKSHIRE SCULPTURE PARK COUNTY COUNCIL"), Some(("attractions", false)));
        for text in ["", "A B C", "ZORBLAX QUIFFLE", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ"] {
            assert_eq!(known(text), None, "{text}");
        }
    }
}

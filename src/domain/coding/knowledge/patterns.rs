//! What bank lines say: payees, phrases and words, each pointing to a concept.

use rustc_hash::FxHashMap;

use super::phrases::Phrases;
use super::{Concept, ConceptId};

/// Every file of patterns.
const FILES: &[(&str, &str)] = &[
    ("patterns.txt", include_str!("patterns.txt")),
    ("patterns_brands.txt", include_str!("patterns_brands.txt")),
    ("patterns_income.txt", include_str!("patterns_income.txt")),
    ("patterns_money.txt", include_str!("patterns_money.txt")),
    ("patterns_office_it.txt", include_str!("patterns_office_it.txt")),
    ("patterns_people_professional.txt", include_str!("patterns_people_professional.txt")),
    ("patterns_phrases.txt", include_str!("patterns_phrases.txt")),
    ("patterns_premises.txt", include_str!("patterns_premises.txt")),
    ("patterns_stems.txt", include_str!("patterns_stems.txt")),
    ("patterns_trade_beauty_health.txt", include_str!("patterns_trade_beauty_health.txt")),
    ("patterns_trade_building.txt", include_str!("patterns_trade_building.txt")),
    ("patterns_trade_education_sport_events.txt", include_str!("patterns_trade_education_sport_events.txt")),
    ("patterns_trade_farm.txt", include_str!("patterns_trade_farm.txt")),
    ("patterns_trade_food.txt", include_str!("patterns_trade_food.txt")),
    ("patterns_trade_garage.txt", include_str!("patterns_trade_garage.txt")),
    ("patterns_trade_goods.txt", include_str!("patterns_trade_goods.txt")),
    ("patterns_trade_words.txt", include_str!("patterns_trade_words.txt")),
    ("patterns_trade_making.txt", include_str!("patterns_trade_making.txt")),
    ("patterns_trades_1.txt", include_str!("patterns_trades_1.txt")),
    ("patterns_trades_2.txt", include_str!("patterns_trades_2.txt")),
    ("patterns_trades_3.txt", include_str!("patterns_trades_3.txt")),
    ("patterns_trades_4.txt", include_str!("patterns_trades_4.txt")),
    ("patterns_vehicles_travel.txt", include_str!("patterns_vehicles_travel.txt")),
    ("patterns_words.txt", include_str!("patterns_words.txt")),
];

/// How much a pattern says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// A hint.
    Weak,
    /// A payee or phrase that names the concept.
    Usual,
    /// Words of intent that beat a payee.
    Decisive,
}

/// One concept a pattern points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The concept.
    pub concept: ConceptId,
    /// How much it says.
    pub strength: Strength,
    /// Only for money in, only for money out, or both.
    pub money_in: Option<bool>,
    /// Only when the line says nothing else.
    pub whole: bool,
}

/// A pattern found in a line.
#[derive(Debug, Clone, Copy)]
pub struct PatternMatch<'k> {
    /// Where it begins in the searched text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How many words it has.
    pub words: usize,
    /// What it points to.
    pub targets: &'k [Target],
}

/// All patterns.
#[derive(Debug)]
pub struct Patterns {
    phrases: Phrases,
    targets: Vec<Vec<Target>>,
    words: Vec<usize>,
    /// Patterns of two words and more by concept: phrases that tell what it is about.
    by_concept: Vec<Vec<usize>>,
}

impl Patterns {
    pub(super) fn read(
        by_name: &FxHashMap<&'static str, ConceptId>,
        concepts: &[Concept],
        problems: &mut Vec<String>,
    ) -> Self {
        let mut collected = Collected::default();
        for (file, text) in FILES {
            read_file(file, text, by_name, &mut collected, problems);
        }
        let Collected { place, targets } = collected;
        let mut texts = vec![String::new(); place.len()];
        for (pattern, at) in place {
            if let Some(text) = texts.get_mut(at) {
                *text = pattern;
            }
        }
        let words: Vec<usize> = texts.iter().map(|text| text.split_whitespace().count()).collect();
        let mut by_concept = vec![Vec::new(); concepts.len()];
        for (at, (targets, words)) in targets.iter().zip(&words).enumerate() {
            for target in targets.iter().filter(|target| *words > 1 || target.strength != Strength::Weak) {
                if let Some(list) = by_concept.get_mut(target.concept.index()) {
                    list.push(at);
                }
            }
        }
        Self { phrases: Phrases::new(texts), targets, words, by_concept }
    }

    /// Every pattern as it is looked for, without the spaces around it, and what it points to.
    pub fn all(&self) -> impl Iterator<Item = (&str, &[Target])> {
        self.phrases.texts().iter().map(|text| text.trim()).zip(self.targets.iter().map(Vec::as_slice))
    }

    /// Phrases of a concept.
    pub fn phrases(&self, concept: usize) -> impl Iterator<Item = &str> {
        let list = self.by_concept.get(concept).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|at| self.phrases.texts().get(*at)).map(|text| text.trim())
    }

    /// Every pattern in a text of words parted by single spaces, with a space before the first and behind the last.
    pub fn find<'k>(&'k self, padded: &str, found: &mut Vec<PatternMatch<'k>>) {
        found.clear();
        for hit in self.phrases.find(padded) {
            let (Some(targets), Some(words)) = (self.targets.get(hit.phrase), self.words.get(hit.phrase)) else {
                continue;
            };
            // The spaces around the words belong to their neighbours, too.
            let end = if padded.as_bytes().get(hit.end - 1) == Some(&b' ') { hit.end - 1 } else { hit.end };
            found.push(PatternMatch { start: hit.start + 1, end, words: *words, targets });
        }
    }
}

/// Patterns while their files are read.
#[derive(Default)]
struct Collected {
    place: FxHashMap<String, usize>,
    targets: Vec<Vec<Target>>,
}

impl Collected {
    fn add(&mut self, pattern: String, target: Target) {
        let at = *self.place.entry(pattern).or_insert(self.targets.len());
        match self.targets.get_mut(at) {
            Some(known) => {
                if !known.iter().any(|other| other.concept == target.concept && other.money_in == target.money_in) {
                    known.push(target);
                }
            }
            None => self.targets.push(vec![target]),
        }
    }
}

fn read_file(
    file: &str,
    text: &'static str,
    by_name: &FxHashMap<&'static str, ConceptId>,
    collected: &mut Collected,
    problems: &mut Vec<String>,
) {
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let Some((head, list)) = line.split_once(':') else {
            problems.push(format!("{file}: no colon in {line}"));
            continue;
        };
        let head = head.trim();
        let (head, money_in) = match (head.strip_prefix('+'), head.strip_prefix('-')) {
            (Some(rest), _) => (rest, Some(true)),
            (None, Some(rest)) => (rest, Some(false)),
            (None, None) => (head, None),
        };
        let (name, strength) = match (head.strip_suffix('!'), head.strip_suffix('?')) {
            (Some(rest), _) => (rest, Strength::Decisive),
            (None, Some(rest)) => (rest, Strength::Weak),
            (None, None) => (head, Strength::Usual),
        };
        let Some(&concept) = by_name.get(name.trim()) else {
            problems.push(format!("{file}: unknown concept {name}"));
            continue;
        };
        for pattern in list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
            // `=SERVICE CHARGES`: only when the line says nothing else.
            let (pattern, whole) = match pattern.strip_prefix('=') {
                Some(rest) => (rest, true),
                None => (pattern, false),
            };
            if !pattern.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ' || c == '*') {
                problems.push(format!("{file}: {name}: capital letters, digits, spaces and * only: {pattern}"));
                continue;
            }
            for spelled in spell_out(pattern) {
                collected.add(spelled, Target { concept, strength, money_in, whole });
            }
        }
    }
}

/// A pattern as it is looked for: a space in front, one behind unless it ends with `*`. A `*` inside stands for a plural.
pub(super) fn spell_out(pattern: &str) -> Vec<String> {
    let (body, end) = match pattern.strip_suffix('*') {
        Some(body) => (body, ""),
        None => (pattern, " "),
    };
    let mut spelled = vec![String::with_capacity(pattern.len() + 2)];
    for word in body.split_whitespace() {
        let (stem, is_plural_too) = word.strip_suffix('*').map_or((word, false), |stem| (stem, true));
        for text in &mut spelled {
            text.push(' ');
            text.push_str(stem);
        }
        if is_plural_too {
            let plurals: Vec<String> = spelled.iter().map(|text| format!("{text}S")).collect();
            spelled.extend(plurals);
        }
    }
    for text in &mut spelled {
        text.push_str(end);
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_words_and_stars_the_rest_of_one() {
        assert_eq!(spell_out("B AND Q"), [" B AND Q "]);
        assert_eq!(spell_out("AMZN*"), [" AMZN"]);
        assert_eq!(spell_out("DIRECTOR* LOAN*"), [" DIRECTOR LOAN", " DIRECTORS LOAN"]);
    }
}

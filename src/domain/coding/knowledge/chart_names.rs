//! Names that charts have for the accounts of concepts.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Concept, ConceptId};
use crate::domain::coding::text::fold;

const ACCOUNTS: &str = include_str!("accounts.txt");
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");

/// Stems of names of accounts for goods that are sold.
pub const GOODS: &[&str] = &["GOOD", "PRODUCT", "RETAIL", "SHOP"];

/// One name of an account, as stems that all have to occur in the account's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartName {
    /// Stems that must be there.
    pub words: Vec<String>,
    /// Stems that must not.
    pub without: Vec<String>,
    /// Whether the account's name has no other words.
    pub is_whole: bool,
    /// 0 for the concept's own account, 1 for a close one, 2 for a wide one.
    pub tier: u8,
    /// Place inside the tier.
    pub rank: u8,
}

impl ChartName {
    /// Its words.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

pub(super) fn read(concepts: &mut [Concept], by_name: &FxHashMap<&'static str, ConceptId>, problems: &mut Vec<String>) {
    check_abbreviations(problems);
    for line in ACCOUNTS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let Some((name, tiers)) = line.split_once(':') else {
            problems.push(format!("accounts.txt: no colon in {line}"));
            continue;
        };
        let Some(concept) = by_name.get(name.trim()).and_then(|id| concepts.get_mut(id.index())) else {
            problems.push(format!("accounts.txt: unknown concept {name}"));
            continue;
        };
        for (tier, names) in (0_u8..).zip(tiers.split(" / ")) {
            if tier > 2 {
                problems.push(format!("accounts.txt: {name}: more than three tiers"));
            }
            for (rank, text) in (0_u8..=250).zip(names.split(';').map(str::trim).filter(|text| !text.is_empty())) {
                let is_whole = text.starts_with('=');
                let (without, words): (Vec<&str>, Vec<&str>) =
                    text.trim_start_matches('=').split_whitespace().partition(|word| word.starts_with('!'));
                let words: Vec<String> = name_words(&words.join(" ")).into_iter().map(|word| word.stem).collect();
                let without: Vec<String> = without.iter().map(|word| stem(&fold(word))).collect();
                if words.is_empty() {
                    problems.push(format!("accounts.txt: {name}: a name without words: {text}"));
                    continue;
                }
                concept.chart_names.push(ChartName { words, without, is_whole, tier, rank });
            }
        }
    }
}

/// A word of an account's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameWord {
    /// Its stem.
    pub stem: String,
    /// Whether it is of the last level of a nested name (`Motor:Fuel`).
    pub is_leaf: bool,
    /// Which of the things listed in the name it belongs to: `Van tax & insurance` names two.
    pub part: u8,
}

/// The words of an account's name without stop words.
pub fn name_words(name: &str) -> Vec<NameWord> {
    let levels: Vec<&str> = name.split(':').collect();
    let mut words: Vec<NameWord> = Vec::new();
    let mut part = 0_u8;
    for (at, level) in levels.iter().enumerate() {
        let is_leaf = at + 1 == levels.len();
        for listed in level.split([',', '&', '/', '+', ';', '(', ')']) {
            for word in fold(listed).split(' ').filter(|word| !word.is_empty()) {
                if word == "AND" {
                    part = part.saturating_add(1);
                }
                if STOP_WORDS.contains(&word) {
                    continue;
                }
                for expanded in expand(word).split(' ') {
                    words.push(NameWord { stem: stem(expanded), is_leaf, part });
                }
            }
            part = part.saturating_add(1);
        }
    }
    words
}

const STOP_WORDS: &[&str] = &[
    "OF", "AND", "THE", "FOR", "TO", "A", "AN", "IN", "ON", "AT", "BY", "WITH", "FROM", "ETC", "OR", "OUR", "MY",
    "THAT",
];

/// Singular and plural are one word.
pub fn stem(word: &str) -> String {
    let cut = |end: &str| word.strip_suffix(end).filter(|rest| rest.chars().count() >= 3);
    if let Some(rest) = word.strip_suffix("XES").filter(|rest| rest.chars().count() >= 2) {
        return format!("{rest}X");
    }
    if let Some(rest) = cut("IES") {
        return format!("{rest}Y");
    }
    for (end, singular) in [("CHES", "CH"), ("SHES", "SH"), ("SSES", "SS")] {
        if let Some(rest) = cut(end) {
            return format!("{rest}{singular}");
        }
    }
    match cut("S") {
        Some(rest) if !rest.ends_with('S') => rest.to_owned(),
        _ => word.to_owned(),
    }
}

/// What an abbreviation or a regional word of a chart stands for; any other word as it is.
pub fn expand(word: &str) -> &str {
    static LONG_FORMS: OnceLock<FxHashMap<&'static str, &'static str>> = OnceLock::new();
    LONG_FORMS.get_or_init(|| abbreviations().collect()).get(word).copied().unwrap_or(word)
}

/// Every abbreviation with its long form.
fn abbreviations() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = ABBREVIATIONS.lines().filter(|line| !line.starts_with('#'));
    lines
        .flat_map(|line| line.split(','))
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(short, long)| (short.trim(), long.trim()))
}

/// Notes abbreviations without a long form and those given twice.
fn check_abbreviations(problems: &mut Vec<String>) {
    let mut known = FxHashSet::default();
    for (short, long) in abbreviations() {
        if short.is_empty() || long.is_empty() {
            problems.push(format!("abbreviations.txt: SHORT=LONG is wanted: {short}={long}"));
        }
        if !known.insert(short) {
            problems.push(format!("abbreviations.txt: {short} is there twice"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stems_without_stop_words() {
        let words = |name: &str| name_words(name).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        assert_eq!(words("Repairs & Renewals of the Premises"), ["REPAIR", "RENEWAL", "PREMISE"]);
        assert_eq!(words("Subsidies, taxes, bus fares, gas"), ["SUBSIDY", "TAX", "BUS", "FARE", "GAS"]);
        assert_eq!(words("Prof. fees"), ["PROFESSIONAL", "FEE"]);
        let nested: Vec<bool> = name_words("Motor expenses:Fuel").iter().map(|word| word.is_leaf).collect();
        assert_eq!(nested, [false, false, true]);
        let parts: Vec<u8> = name_words("Van tax & insurance, diesel").iter().map(|word| word.part).collect();
        assert_eq!(parts, [0, 0, 1, 2]);
    }
}

//! Names of people, told from names of firms.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

const FORENAMES: &str = include_str!("knowledge/forenames.txt");

/// Whether a word is a forename and no other word of bank lines.
pub fn is_forename(word: &str) -> bool {
    static KNOWN: OnceLock<FxHashSet<&'static str>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        FORENAMES.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
    });
    known.contains(word)
}

/// Whether a payee is a person's name: a title, initials or a forename with a surname, and nothing else.
pub fn is_person(payee: &str) -> bool {
    const TITLES: &[&str] = &["MR", "MRS", "MS", "MISS", "DR"];
    let words: Vec<&str> = payee.split(' ').filter(|word| !word.is_empty()).collect();
    let is_name = |word: &&str| word.chars().count() >= 3 && word.chars().all(char::is_alphabetic);
    // Couples: `A AND B SMITH`.
    if let [first, "AND", second, last, ..] = words.as_slice() {
        let is_short = |word: &str| word.chars().count() == 1 || is_forename(word);
        return is_short(first) && is_short(second) && is_name(last) && !FIRMS.contains(last);
    }
    if words.iter().any(|word| FIRMS.contains(word)) {
        return false;
    }
    match words.as_slice() {
        [title, .., last] if TITLES.contains(title) => is_name(last),
        [first, middle, last, ..] if first.chars().count() == 1 && middle.chars().count() == 1 => is_name(last),
        [first, middle, last, ..] if is_forename(first) && middle.chars().count() == 1 => is_name(last),
        [first, last, ..] => {
            (is_forename(first) || first.chars().count() == 1) && is_name(last)
                // The surname first, as banks print who pays in.
                || is_name(first) && first.chars().count() >= 4 && *last != "I"
                    && last.chars().count() == 1
                    && last.chars().all(char::is_alphabetic)
        }
        _ => false,
    }
}

/// Words that no person is called by.
const FIRMS: &[&str] = &[
    "LTD",
    "LIMITED",
    "PLC",
    "LLP",
    "AND",
    "SON",
    "SONS",
    "BROS",
    "CO",
    "COMPANY",
    "SERVICES",
    "SERVICE",
    "GROUP",
    "UK",
    "STORES",
    "STORE",
    "SHOP",
    "GARAGE",
    "MOTORS",
    "STREET",
    "ROAD",
    "LANE",
    "HOTEL",
    "BANK",
    "COUNCIL",
    "SUPPLIES",
    "SUPPLY",
    "TRUST",
    "SCHOOL",
    "CHURCH",
    "CLUB",
    "CAFE",
    "HIRE",
    "TRADING",
    "FARMERS",
    "BUILDING",
    "ROOFING",
    "PLUMBING",
    "ELECTRICAL",
    "JOINERY",
    "PRINT",
    "PRINTERS",
    "DESIGN",
    "MEDIA",
    "CONSULTING",
    "TOOLS",
    "TYRES",
    "FUELS",
    "BREWERY",
    "TRANSPORT",
    "LOGISTICS",
    "SOLUTIONS",
    "SYSTEMS",
    "ASSOCIATES",
    "PRODUCTS",
    "FOODS",
    "WINES",
    "FLOWERS",
    "HOLDINGS",
    "ENERGY",
    "INSURANCE",
    "OFFICE",
    "CLEANERS",
    "SKIPS",
    "SCAFFOLDING",
];

#[cfg(test)]
mod tests {
    use super::is_person;

    #[test]
    fn persons_are_told_from_firms() {
        for person in ["P NOWAK", "DEAN FARRELL", "MR T HALE", "SARAH J PATEL", "A B JONES"] {
            assert!(is_person(person), "{person}");
        }
        for firm in ["BOOTS", "DEAN STREET GARAGE LTD", "SHELL LEEDS", "EE LIMITED", ""] {
            assert!(!is_person(firm), "{firm}");
        }
    }
}

//! Patterns are what everybody's bank lines say, never the payee of one business that was written to measure by.

use serde_json::Value;

use super::super::knowledge::Knowledge;
use super::super::payee_names::PayeeNames;
use super::super::text::fold;
use super::labelled::files;
use super::*;

/// Patterns of firms that trade with the whole country and share a name with an entry: the entry is at fault.
const KNOWN_TO_ALL: &[&str] = &[
    // Wholesalers of groceries.
    "MUSGRAVE",
    "MUSGRAVE MARKETPLACE",
    "MUSGRAVE RETAIL",
    // A supplier of tools; the entry is a person's surname.
    "RENNIE TOOL",
    // An insurance broker for tradespeople.
    "TRADE DIRECT INS",
];

/// Businesses that were written to measure by; patterns came from the first four.
const FOLDERS: [&str; 135] = [
    "learn",
    "sealed",
    "sealed_second",
    "sealed_third",
    "sealed_fourth",
    "sealed_fifth",
    "sealed_sixth",
    "sealed_seventh",
    "sealed_eighth",
    "sealed_ninth",
    "sealed_tenth",
    "sealed_eleventh",
    "sealed_twelfth",
    "sealed_thirteenth",
    "sealed_fourteenth",
    "sealed_fifteenth",
    "sealed_sixteenth",
    "sealed_seventeenth",
    "sealed_eighteenth",
    "sealed_nineteenth",
    "sealed_twentieth",
    "sealed_twenty_first",
    "sealed_twenty_second",
    "sealed_twenty_third",
    "sealed_twenty_fourth",
    "sealed_twenty_fifth",
    "sealed_twenty_sixth",
    "sealed_twenty_seventh",
    "sealed_twenty_eighth",
    "sealed_twenty_ninth",
    "sealed_thirtieth",
    "sealed_thirty_first",
    "sealed_thirty_second",
    "sealed_thirty_third",
    "sealed_thirty_fourth",
    "sealed_thirty_fifth",
    "sealed_thirty_sixth",
    "sealed_thirty_seventh",
    "sealed_thirty_eighth",
    "sealed_thirty_ninth",
    "sealed_fortieth",
    "sealed_forty_first",
    "sealed_forty_second",
    "sealed_forty_third",
    "sealed_forty_fourth",
    "sealed_forty_fifth",
    "sealed_forty_sixth",
    "sealed_forty_seventh",
    "sealed_forty_eighth",
    "sealed_forty_ninth",
    "sealed_fiftieth",
    "sealed_fifty_first",
    "sealed_fifty_second",
    "sealed_fifty_third",
    "sealed_fifty_fourth",
    "sealed_fifty_fifth",
    "sealed_fifty_sixth",
    "sealed_fifty_seventh",
    "sealed_fifty_eighth",
    "sealed_fifty_ninth",
    "sealed_sixtieth",
    "sealed_sixty_first",
    "sealed_sixty_second",
    "sealed_sixty_third",
    "sealed_sixty_fourth",
    "sealed_sixty_fifth",
    "sealed_sixty_sixth",
    "sealed_sixty_seventh",
    "sealed_sixty_eighth",
    "sealed_sixty_ninth",
    "sealed_seventieth",
    "sealed_seventy_first",
    "sealed_seventy_second",
    "contexts",
    "extracts/ba",
    "extracts/bb",
    "extracts/bc",
    "extracts/bd",
    "extracts/be",
    "extracts/bf",
    "extracts/bg",
    "extracts/bh",
    "extracts/bi",
    "extracts/bj",
    "extracts/bk",
    "extracts/bl",
    "extracts/bm",
    "extracts/bn",
    "extracts/bo",
    "extracts/bp",
    "extracts/bq",
    "extracts/br",
    "extracts/bs",
    "extracts/bt",
    "extracts/bu",
    "extracts/bv",
    "extracts/bw",
    "months/cd",
    "months/ce",
    "months/cf",
    "months/cg",
    "months/ck",
    "months/cl",
    "months/cp",
    "months/cq",
    "months/cr",
    "months/cs",
    "months/ct",
    "months/cu",
    "months/cv",
    "months/cw",
    "months/cx",
    "months/cy",
    "months/fa",
    "months/fb",
    "months/fc",
    "months/fd",
    "months/fg",
    "months/fh",
    "extracts/bx",
    "extracts/by",
    "extracts/bz",
    "extracts/da",
    "extracts/db",
    "extracts/dc",
    "extracts/de",
    "extracts/df",
    "extracts/dg",
    "extracts/dh",
    "sealed_seventy_third",
    "sealed_seventy_fourth",
    "sealed_seventy_fifth",
    "sealed_seventy_sixth",
    "sealed_seventy_seventh",
    "sealed_seventy_eighth",
];

/// Words that stand in many payees' names and tell nobody.
const SHORTEST_TELLING_WORD: usize = 6;

#[test]
fn no_pattern_names_a_payee_of_one_business_only() {
    let mut entries: BTreeSet<Vec<String>> = BTreeSet::new();
    for folder in FOLDERS.into_iter().take(4) {
        for file in files(folder) {
            let list = file.get("local_payees").and_then(Value::as_array);
            for entry in list.into_iter().flatten().filter_map(Value::as_str) {
                let words: Vec<String> = fold(entry).split(' ').map(str::to_owned).collect();
                let single_and_short = words.len() == 1 && words[0].chars().count() < SHORTEST_TELLING_WORD;
                if !single_and_short && !words[0].is_empty() {
                    entries.insert(words);
                }
            }
        }
    }
    assert!(entries.len() > 100, "the businesses name their payees");
    let mut offending: Vec<&str> = Vec::new();
    let knowledge = Knowledge::get();
    let patterns = knowledge.patterns.all().map(|(pattern, _)| pattern);
    for pattern in patterns.chain(knowledge.affinities.all()) {
        let folded = fold(pattern);
        let words: Vec<&str> = folded.split(' ').collect();
        let names = |entry: &Vec<String>| {
            let mut rest = words.iter();
            entry.iter().all(|word| rest.any(|other| other == word))
        };
        if entries.iter().any(names) && !KNOWN_TO_ALL.contains(&pattern) {
            offending.push(pattern);
        }
    }
    assert!(offending.is_empty(), "patterns that name a payee of one business: {offending:?}");
}

#[test]
fn no_listed_name_is_a_payee_of_one_business_only() {
    let mut businesses_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in FOLDERS {
        for file in files(folder) {
            let id = file["id"].as_str().expect("an id").to_owned();
            let list = file.get("local_payees").and_then(Value::as_array);
            for entry in list.into_iter().flatten().filter_map(Value::as_str) {
                businesses_of.entry(fold(entry)).or_default().insert(id.clone());
            }
        }
    }
    assert!(businesses_of.len() > 500, "the businesses name their payees");
    let names = PayeeNames::get(Knowledge::get());
    let of_one = businesses_of.iter().filter(|(_, businesses)| businesses.len() == 1).map(|(entry, _)| entry);
    let offending: Vec<&String> = of_one.filter(|entry| names.has(entry)).collect();
    assert!(offending.is_empty(), "listed names that are a payee of one business: {offending:?}");
}

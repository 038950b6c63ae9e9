//! What a sentence of the context says of VAT.

use super::reading::ends_part;
use super::{Names, Token, VatSaid};
use crate::domain::coding::knowledge::{WordLists, stem};
use crate::domain::coding::outcome::Vat;

/// What is said of VAT here, if anything.
pub(super) fn vat_at(tokens: &[Token<'_>], at: usize, is_first: bool) -> Option<VatSaid> {
    /// Words before the one that speaks of VAT in which a denial is of it.
    const REACH: usize = 4;
    let token = tokens.get(at)?;
    let word = token.words.first().map_or("", String::as_str);
    let before: Vec<&str> = tokens
        .get(at.saturating_sub(REACH)..at)
        .unwrap_or_default()
        .iter()
        .flat_map(|token| token.words.iter().map(String::as_str))
        .collect();
    let next = tokens.get(at + 1).and_then(|token| token.words.first()).map_or("", String::as_str);
    const DENIALS: &[&str] = &[
        "NO", "NOT", "ISNT", "ARENT", "DOESNT", "DONT", "NEVER", "WITHOUT", "NEITHER", "NOR", "NON", "HASNT", "NONE",
        "SMALL",
    ];
    let is_denied = before.iter().any(|word| DENIALS.contains(word));
    let is_own = before.iter().any(|word| matches!(*word, "WE" | "I" | "WERE" | "IM"));
    let behind = if next == "RATED" { at + 1 } else { at };
    let ends = behind + 1 >= tokens.len()
        || tokens.get(behind).is_some_and(|token| token.raw.ends_with([',', ')', '.', ':']))
        || tokens
            .get(behind + 1)
            .is_some_and(|token| matches!(token.raw, "and" | "but" | "too" | "as" | "-" | "whoever"));
    let is_for_customers = ["FOR", "THE", "CUSTOMER"].iter().enumerate().all(|(place, word)| {
        tokens.get(behind + 1 + place).is_some_and(|token| token.words.iter().any(|known| known.starts_with(word)))
    });
    // "Standard-rated".
    let is_hyphened = token.words.get(1).is_some_and(|word| word == "RATED");
    let charged = Some(VatSaid::Code(Vat::Standard));
    match word {
        "VAT" | "VATABLE" if is_denied => (!is_own).then_some(VatSaid::NotCharged),
        "VATABLE" => charged,
        "VAT" => {
            // "Charge UK VAT".
            let last = before.iter().rev().copied().find(|word| *word != "UK").unwrap_or("");
            let is_in_it = token.raw.starts_with('+')
                || matches!(
                    last,
                    "PLUS"
                        | "WITH"
                        | "HAS"
                        | "HAVE"
                        | "CHARGE"
                        | "CHARGES"
                        | "ADD"
                        | "ADDS"
                        | "CARRY"
                        | "CARRIES"
                        | "20"
                        | "INC"
                        | "INCL"
                        | "INCLUDES"
                );
            (is_in_it && next != "NUMBER").then_some(VatSaid::Code(Vat::Standard))
        }
        "REGISTERED" if is_denied && !is_own => Some(VatSaid::NotCharged),
        "REGISTERED" if !is_denied && !is_own && !is_first && before.ends_with(&["IS", "VAT"]) => charged,
        "OPTED" if !is_denied => charged,
        "STANDARD" if (matches!(next, "RATED" | "RATE") || is_hyphened) && !is_denied => charged,
        "ZERO" if !is_denied && !is_own && (ends || is_for_customers) => Some(VatSaid::Code(Vat::Zero)),
        "EXEMPT" if !is_denied && !is_own && ends => Some(VatSaid::Code(Vat::Exempt)),
        _ if token.raw.starts_with("20%") && next != "VAT" && !is_denied => charged,
        _ if token.raw.starts_with("0%") && !is_denied => Some(VatSaid::Code(Vat::Zero)),
        _ if token.raw.starts_with("5%") && !is_denied => Some(VatSaid::Code(Vat::Reduced)),
        _ => None,
    }
}

/// Stems of what VAT is said of: the words of its part of the sentence that tell something. Of what a journal takes out of the sales
/// later, or what is only mostly so, nothing is said.
pub(super) fn subject(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Option<Vec<String>> {
    const LETTERS_MIN: usize = 4;
    const WORDS_MAX: usize = 6;
    const CORRECTED: &[&str] = &[
        "JOURNAL",
        "JOURNALS",
        "JOURNALLED",
        "MAINLY",
        "MOSTLY",
        "PARTLY",
        "SHARE",
        "SPLIT",
        "SPLITS",
        "TAKE",
        "TAKEN",
    ];
    const UNTELLING: &[&str] = &[
        "BUSINESS", "FARM", "GIFT", "JOB", "MAIN", "RATED", "RENT", "SALE", "SELL", "SHOP", "SOLD", "STOCK", "VOUCHER",
    ];
    let has = |words: &[&str]| tokens.iter().flat_map(|token| &token.words).any(|word| words.contains(&word.as_str()));
    if has(CORRECTED) {
        return None;
    }
    let mut part: Vec<&Token<'_>> = Vec::new();
    for token in tokens.get(..at)?.iter().rev().take_while(|token| !ends_part(token.raw)).take(WORDS_MAX) {
        part.push(token);
        if token.raw.starts_with('(') {
            break;
        }
    }
    let words = part.into_iter().rev().flat_map(|token| token.words.iter());
    let is_telling = |word: &&String| {
        let stem = stem(word);
        let is_plain = UNTELLING.contains(&stem.as_str()) || lists.account_plain.has(&stem);
        word.chars().count() >= LETTERS_MIN && word.chars().all(char::is_alphabetic) && !is_plain
    };
    let words: Vec<String> = words.filter(is_telling).map(|word| stem(word)).collect();
    (!words.is_empty()).then_some(words)
}

/// Names of which the same is denied: "isn't registered and nor is A".
pub(super) fn names_behind_nor(tokens: &[Token<'_>]) -> Names {
    const REACH: usize = 3;
    let words: Vec<&str> = tokens.iter().flat_map(|token| token.words.iter().map(String::as_str)).take(REACH).collect();
    let is_nor = matches!(words.as_slice(), ["AND", "NOR" | "NEITHER", ..] | ["NOR" | "NEITHER", ..]);
    let named = tokens.iter().skip(REACH - 1).filter(|token| !token.names.is_empty());
    named.take(usize::from(is_nor)).flat_map(|token| token.names.iter().cloned()).collect()
}

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
    // "None of them charges us VAT".
    let wider = tokens.get(at.saturating_sub(REACH + 2)..at).unwrap_or_default();
    let is_of_none =
        wider.iter().any(|token| token.words.iter().any(|word| matches!(word.as_str(), "NONE" | "NEITHER")));
    let is_denied = is_of_none || before.iter().any(|word| DENIALS.contains(word));
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
            // "Charge UK VAT", "charge us VAT".
            let last = before.iter().rev().copied().find(|word| !matches!(*word, "ME" | "UK" | "US")).unwrap_or("");
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
        "EXEMPT" if !is_denied && (!is_own || token.raw.ends_with(':')) && ends => Some(VatSaid::Code(Vat::Exempt)),
        _ if token.raw.starts_with("20%") && next != "VAT" && !is_denied => charged,
        _ if token.raw.starts_with("0%") && !is_denied => Some(VatSaid::Code(Vat::Zero)),
        _ if token.raw.starts_with("5%") && !is_denied => Some(VatSaid::Code(Vat::Reduced)),
        _ => None,
    }
}

/// Stems of what VAT is said of, once for each thing. Of what a journal takes out of the sales later, or what is only mostly so, nothing is
/// said.
pub(super) fn subjects(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Vec<Vec<String>> {
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
    let words: Vec<&str> = tokens.iter().flat_map(|token| token.words.iter().map(String::as_str)).collect();
    // Whoever is partly exempt may still say plainly of what.
    let is_status = |at: usize| words.get(at..at + 2) == Some(&["PARTLY", "EXEMPT"]);
    if words.iter().enumerate().any(|(at, word)| CORRECTED.contains(word) && !is_status(at)) {
        return Vec::new();
    }
    let behind = listed_behind(tokens, at, lists);
    if !behind.is_empty() {
        return behind;
    }
    subject(tokens, at, lists).into_iter().chain(listed(tokens, at, lists)).collect()
}

/// The same for each part of a list behind a colon: "most of what we do is exempt: tickets, youth theatre fees, letting the hall".
fn listed_behind(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Vec<Vec<String>> {
    if tokens.get(at).is_none_or(|token| !token.raw.ends_with(':')) {
        return Vec::new();
    }
    let parts = tokens.get(at + 1..).unwrap_or_default().split_inclusive(|token| token.raw.ends_with(','));
    parts.map(|part| telling(part.iter(), lists)).filter(|words| !words.is_empty()).collect()
}

/// Stems of what a denial of VAT is on, whether it is bought or sold: "put no VAT on antiques bought or sold".
pub(super) fn what_has_no_vat(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Vec<String> {
    const WORDS_MAX: usize = 2;
    let is = |place: usize, word: &str| {
        tokens.get(place).is_some_and(|token| token.words.first().is_some_and(|known| known == word))
    };
    let behind = tokens.get(at + 2..).unwrap_or_default();
    let is_both = behind.iter().take(4).any(|token| token.words.first().is_some_and(|word| word == "SOLD"));
    if !is(at + 1, "ON") || !is_both {
        return Vec::new();
    }
    telling(behind.iter().take(WORDS_MAX), lists)
}

/// Stems of who a sentence that denies VAT begins with: "drivers are self-employed and not registered".
pub(super) fn who_is_not_registered(tokens: &[Token<'_>], lists: &WordLists) -> Vec<String> {
    const SUBJECT_MAX: usize = 7;
    let is_verb = |token: &Token<'_>| matches!(token.raw, "are" | "aren't" | "have" | "do" | "don't");
    let until = tokens.iter().take(SUBJECT_MAX).position(is_verb).unwrap_or(0);
    telling(tokens.get(..until).unwrap_or_default().iter(), lists)
}

/// The words of its part of the sentence that tell something.
fn subject(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Option<Vec<String>> {
    const WORDS_MAX: usize = 7;
    let mut part: Vec<&Token<'_>> = Vec::new();
    let before = tokens.get(..at)?.iter().rev().enumerate();
    // The part that a comma ends here: "to that shop's dispensing sales, standard rated".
    let is_of_part =
        |(back, token): &(usize, &Token<'_>)| !ends_part(token.raw) || *back == 0 && token.raw.ends_with(',');
    for (_, token) in before.take_while(is_of_part).take(WORDS_MAX) {
        part.push(token);
        if token.raw.starts_with('(') {
            break;
        }
    }
    let words = telling(part.into_iter().rev(), lists);
    (!words.is_empty()).then_some(words)
}

/// Stems of the words of some tokens that tell what is sold.
fn telling<'t>(part: impl Iterator<Item = &'t Token<'t>>, lists: &WordLists) -> Vec<String> {
    const LETTERS_MIN: usize = 3;
    const UNTELLING: &[&str] = &[
        "ALL", "AND", "ANY", "ARE", "BUY", "CAN", "FOR", "GET", "HAS", "HER", "HIS", "HOW", "ITS", "MAY", "NEW", "NOT",
        "OFF", "OLD", "ONE", "OUR", "OUT", "OWN", "PAY", "PUT", "THE", "TOO", "TWO", "USE", "VAT", "WAS", "WHO", "YES",
        "BUSINESS", "FARM", "GIFT", "JOB", "MAIN", "RATED", "RENT", "SALE", "SELL", "SHOP", "SOLD", "STOCK", "VOUCHER",
    ];
    let is_telling = |word: &&String| {
        let stem = stem(word);
        let is_plain = UNTELLING.contains(&stem.as_str()) || lists.account_plain.has(&stem);
        word.chars().count() >= LETTERS_MIN && word.chars().all(char::is_alphabetic) && !is_plain
    };
    part.flat_map(|token| token.words.iter()).filter(is_telling).map(|word| stem(word)).collect()
}

/// The same for each part of a list before it: "subs, berths, training and the draw are exempt".
fn listed(tokens: &[Token<'_>], at: usize, lists: &WordLists) -> Vec<Vec<String>> {
    const PART_WORDS_MAX: usize = 5;
    const VERBS: &[&str] = &[
        "AM", "ARE", "BUT", "CHARGE", "DO", "FROM", "HAS", "HAVE", "I", "IS", "PAY", "PAYS", "PUT", "RUN", "SELL",
        "SELLS", "TAKE", "WE", "WITH",
    ];
    let is_link = |token: &Token<'_>| token.words.iter().all(|word| matches!(word.as_str(), "ARE" | "IS" | "ALL"));
    let before = tokens.get(..at).unwrap_or_default();
    let until = before.iter().rposition(|token| !is_link(token)).map_or(0, |last| last + 1);
    // "… and the accommodation that goes with them are": what a part goes on to say of itself.
    let relative = before.iter().take(until).rposition(|token| matches!(token.raw, "that" | "which"));
    let ends_before = |at: usize| before.get(at..until).unwrap_or_default().iter().any(|token| ends_part(token.raw));
    let until = relative.filter(|at| !ends_before(*at)).unwrap_or(until);
    let (mut found, mut part, mut is_joined) = (Vec::new(), Vec::new(), false);
    let end = |part: &mut Vec<&Token<'_>>, found: &mut Vec<Vec<String>>| {
        let words = telling(part.drain(..).rev(), lists);
        found.extend((!words.is_empty()).then_some(words));
    };
    for token in before.iter().take(until).rev() {
        let is_and = matches!(token.raw, "and" | "&");
        if token.raw.ends_with([';', ':', '.', ')']) {
            break;
        }
        // What a sentence with a verb of its own begins with is no part of the list.
        if token.words.iter().any(|word| VERBS.contains(&word.as_str())) {
            part.clear();
            break;
        }
        if token.raw.ends_with(',') || is_and {
            is_joined |= is_and;
            end(&mut part, &mut found);
        }
        if !is_and {
            part.push(token);
        }
        if part.len() > PART_WORDS_MAX {
            part.clear();
            break;
        }
    }
    end(&mut part, &mut found);
    if is_joined && found.len() >= 2 { found } else { Vec::new() }
}

/// Names of which the same is denied: "isn't registered and nor is A".
pub(super) fn names_behind_nor(tokens: &[Token<'_>]) -> Names {
    const REACH: usize = 3;
    let words: Vec<&str> = tokens.iter().flat_map(|token| token.words.iter().map(String::as_str)).take(REACH).collect();
    let is_nor = matches!(words.as_slice(), ["AND", "NOR" | "NEITHER", ..] | ["NOR" | "NEITHER", ..]);
    let named = tokens.iter().skip(REACH - 1).filter(|token| !token.names.is_empty());
    named.take(usize::from(is_nor)).flat_map(|token| token.names.iter().cloned()).collect()
}

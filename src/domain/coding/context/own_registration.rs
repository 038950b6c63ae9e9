//! What a context says of the registration for VAT of whoever writes it, told from what it says of others.

use super::has_phrase;
use crate::domain::coding::knowledge::{WordList, WordLists};
use crate::domain::coding::text::{fold, sentences};

/// Words for whoever writes.
pub(super) const OWN: &[&str] = &["I", "IM", "IVE", "WE", "WERE", "WEVE", "US", "OURS"];

/// What whoever writes says of the own registration, against what is said of others: "Gary isn't VAT registered. We are, since 2016",
/// "the farm shops are registered, I'm not", "I cancelled mine".
pub(super) fn own_registration(context: &str, lists: &WordLists) -> Option<bool> {
    let (mut speaks_of_vat, mut speaks_of_registration) = (false, false);
    let (mut first, mut latest) = (None, None);
    let context = context.replace("Us:", "Us").replace("us:", "us");
    for sentence in sentences(&context) {
        let whole = fold(sentence);
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(&whole, phrase));
        let names_vat = has(&["VAT", "REGISTERED", "THRESHOLD"]);
        let clauses = sentence.split([',', '(', ')', ':', '\u{2013}', '\u{2014}']);
        for clause in clauses.flat_map(|clause| clause.split(" - ")).filter(|_| names_vat || speaks_of_vat) {
            let folded = fold(clause);
            let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
            if is_cancelled(&words) {
                latest = Some(false);
            }
            first = first.or_else(|| said_of_own(&words, speaks_of_registration, lists));
        }
        speaks_of_vat = names_vat;
        speaks_of_registration = has(&["REGISTERED", "VAT REG"]);
    }
    latest.or(first).or_else(|| practised(&context, lists))
}

/// What whoever writes does about VAT, whatever others are: "we charge VAT on everything", "VAT doesn't come into it".
fn practised(context: &str, lists: &WordLists) -> Option<bool> {
    const DENIED: &[&str] =
        &["NOT", "NEVER", "DONT", "IF", "WOULD", "UNDER", "BELOW", "NEARLY", "ALMOST", "UNTIL", "CHARITY"];
    let says = |list: &WordList, clause: &str| list.iter().any(|phrase| has_phrase(clause, phrase));
    let mut does = None;
    for clause in sentences(context).flat_map(|sentence| sentence.split([',', '(', ')', ':'])) {
        let folded = fold(clause);
        if says(&lists.vat_not_practised, &folded) && !folded.contains(" ON ") && !folded.contains(" FOR THE ") {
            return Some(false);
        }
        let is_denied = folded.split(' ').any(|word| DENIED.contains(&word));
        let is_voluntary = has_phrase(&folded, "REGISTERED VOLUNTARILY");
        if says(&lists.vat_practised, &folded) && (!is_denied || is_voluntary) {
            does = Some(true);
        }
    }
    does
}

/// Whether a registration came to its end: "let us cancel our VAT registration", "I cancelled mine".
fn is_cancelled(words: &[&str]) -> bool {
    let is_cancel = |word: &&str| matches!(*word, "CANCEL" | "CANCELLED");
    words
        .iter()
        .position(is_cancel)
        .and_then(|at| words.get(at..))
        .is_some_and(|behind| behind.iter().any(|word| matches!(*word, "REGISTRATION" | "MINE" | "OURS")))
}

/// What a clause says of whoever writes; `of_registration` where the sentence before speaks of one, as in "Kev isn't VAT reg. The garage is".
fn said_of_own(words: &[&str], of_registration: bool, lists: &WordLists) -> Option<bool> {
    const ADVERBS: &[&str] =
        &["ALL", "ALREADY", "ALSO", "BEEN", "BOTH", "CURRENTLY", "MYSELF", "NOW", "OURSELVES", "STILL", "UK"];
    for (at, word) in words.iter().enumerate() {
        let behind = words.get(at + 1..).unwrap_or_default();
        let is_the =
            at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|the| matches!(*the, "THE" | "THAT"));
        let is_business = is_the && lists.own_business.has(word);
        if !(OWN.contains(word) || is_business) {
            continue;
        }
        // "We're registered", "I have been VAT registered from the start", "that one is registered".
        let mut rest = behind.iter().copied().peekable();
        let mut is_denied = false;
        let is_contracted = matches!(*word, "IM" | "IVE" | "WERE" | "WEVE");
        let verb = rest.peek().copied().unwrap_or("");
        let has_verb =
            matches!(verb, "AM" | "ARE" | "IS" | "HAVE" | "HAS" | "WERE" | "ARENT" | "ISNT" | "HAVENT" | "HASNT");
        if *word == "US" && verb != "YES" {
            continue;
        }
        if has_verb {
            is_denied = verb.ends_with("NT");
            rest.next();
        } else if !is_contracted && *word != "US" {
            continue;
        }
        while let Some(next) = rest.peek().copied() {
            if matches!(next, "NOT" | "NEVER") {
                is_denied = true;
            } else if !ADVERBS.contains(&next) {
                break;
            }
            rest.next();
        }
        match rest.next() {
            // "I am not"; "we are, since 2016": of the registration that was spoken of.
            None if has_verb && (!is_business || of_registration) || is_contracted && is_denied => {
                return Some(!is_denied);
            }
            Some("FOR" | "ON") if is_business && of_registration && matches!(verb, "IS" | "HAS") => {
                return Some(!is_denied);
            }
            Some("YES") if *word == "US" => return Some(true),
            Some("SINCE" | "QUARTERLY" | "FLAT") if has_verb => return Some(!is_denied),
            Some("REGISTERED" | "REGD") => {
                let what = rest.next();
                let is_of_vat = !matches!(what, Some("AS" | "WITH" | "CHARITY"));
                if is_of_vat {
                    return Some(!is_denied);
                }
            }
            Some("VAT") if rest.peek().is_some_and(|next| matches!(*next, "REGISTERED" | "REG" | "REGD")) => {
                return Some(!is_denied);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::own_registration;
    use crate::domain::coding::knowledge::Knowledge;

    #[test]
    fn what_is_said_of_others_is_not_said_of_the_business() {
        let lists = &Knowledge::get().words;
        for context in [
            "Plumbing and heating. My subby Gary isn't VAT registered. We are, since 2016, quarterly",
            "Solicitors. Counsel's fees come without VAT when a junior isn't registered. The firm is registered, on invoice basis",
            "Our mechanic Josh invoices us and he's not registered for VAT. The shop has been for 12 years",
            "Vets, two branches. We charge VAT on all fees and drugs. Locum vets are sole traders not registered for VAT",
            "Holiday lets. We are way over the threshold, so registered since 2014. The cleaners aren't registered",
            "Memorial mason. Letter cutter (Alan, 71) is not VAT registered. Us: yes, standard scheme, quarterly",
            "Although we're under the threshold we registered voluntarily",
            "Came onto VAT in June when we opened the second shop. Barbers are not registered",
            "Clinic. So VAT registered from 1 September. The podiatrist who rents from us isn't registered",
        ] {
            assert_eq!(own_registration(context, lists), Some(true), "{context}");
        }
        for context in [
            "Celebrant, paid by the funeral directors who are registered for VAT mostly. I'm not",
            "Cider. The bottle supplier and the farm shops are VAT registered, I'm not",
            "Furniture restorer. Upholsterer next door is VAT registered; I was, but last October I cancelled mine",
            "Social club. HMRC let us cancel our VAT registration the year before last",
            "Cut flowers. It's small so VAT doesn't come into it for me. One of the florists is registered",
            "Carpenter. Builder 1 is vat registered and builder 2 isnt. i dont charge vat, not registered",
            "Scouts. The hut is hired to a club (they're VAT registered, we aren't)",
        ] {
            assert_eq!(own_registration(context, lists), Some(false), "{context}");
        }
        for context in
            ["A bakery", "VAT registered, quarterly", "The landlord has opted to tax", "We are registered with Ofsted"]
        {
            assert_eq!(own_registration(context, lists), None, "{context}");
        }
    }
}

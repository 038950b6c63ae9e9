//! What a context says of the registration for VAT of whoever writes it, told from what it says of others.

use super::has_phrase;
use crate::domain::coding::text::{fold, sentences};

/// Words for whoever writes.
pub(super) const OWN: &[&str] = &["I", "IM", "IVE", "WE", "WERE", "WEVE", "US", "OURS"];

/// Words for the business, behind *the*.
pub(super) const OWN_BUSINESS: &[&str] = &[
    "BREWERY",
    "BUREAU",
    "BUSINESS",
    "CHARITY",
    "CHURCH",
    "CLUB",
    "COMPANY",
    "FARM",
    "FIRM",
    "GARAGE",
    "GROUP",
    "HALL",
    "ONE",
    "PARTNERSHIP",
    "PRACTICE",
    "PUB",
    "SCHOOL",
    "SHOP",
    "SOCIETY",
    "STUDIO",
    "TRUST",
];

/// What whoever writes says of the own registration, against what is said of others: "Gary isn't VAT registered. We are, since 2016",
/// "the farm shops are registered, I'm not", "I cancelled mine".
pub(super) fn own_registration(context: &str) -> Option<bool> {
    let (mut speaks_of_vat, mut speaks_of_registration) = (false, false);
    let (mut first, mut latest) = (None, None);
    let context = context.replace("Us:", "Us").replace("us:", "us");
    for sentence in sentences(&context) {
        let names_vat = |text: &str| ["VAT", "REGISTERED", "THRESHOLD"].iter().any(|word| has_phrase(text, word));
        let whole = fold(sentence);
        for clause in
            sentence.split([',', '(', ')', ':', '\u{2013}', '\u{2014}']).flat_map(|clause| clause.split(" - "))
        {
            let folded = fold(clause);
            let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
            let near = speaks_of_vat || names_vat(&whole);
            if near && (has_phrase(&whole, "CANCEL") || has_phrase(&whole, "CANCELLED")) && is_cancelled(&words) {
                latest = Some(false);
            }
            let said = if near { said_of_own(&words, speaks_of_registration) } else { None };
            first = first.or(said);
        }
        speaks_of_vat = names_vat(&whole);
        speaks_of_registration = ["REGISTERED", "VAT REG"].iter().any(|phrase| has_phrase(&whole, phrase));
    }
    latest.or(first).or_else(|| practised(&context))
}

/// What whoever writes does about VAT, whatever others are: "we charge VAT on everything", "VAT doesn't come into it".
fn practised(context: &str) -> Option<bool> {
    const DOES: &[&str] = &[
        "WE CHARGE VAT",
        "I CHARGE VAT",
        "WE ADD VAT",
        "I ADD VAT",
        "CHARGING 20",
        "20 GETS ADDED",
        "GET 20 ADDED",
        "DO OUR VAT RETURNS",
        "DO MY VAT RETURNS",
        "OUR VAT RETURN",
        "MY VAT RETURN",
        "SIGNED UP FOR VAT",
        "HAD TO REGISTER FOR VAT",
        "WE REGISTERED",
        "I REGISTERED",
        "SO REGISTERED",
        "REGISTERED VOLUNTARILY",
        "SO VAT REGISTERED",
        "ONTO VAT",
        "VAT ON THE FULL FEE",
        "VAT ON THE FULL PRICE",
        "VAT HAS BEEN ON",
        "VAT GOES ON",
        "RETURNS ARE QUARTERLY",
        "RETURNS QUARTERLY",
        "RETURNS ARE MONTHLY",
        "QUARTERLY RETURN",
        "QUARTERLY RETURNS",
        "FIRST RETURN",
        "OVER THE THRESHOLD",
        "PAST THE THRESHOLD",
        "OVER THE VAT THRESHOLD",
        "MANUAL VAT BOOK",
        "BEEN IN VAT",
        "PAYING VAT ON MY",
        "PAYING VAT ON OUR",
        "WE PUT VAT ON",
        "I PUT VAT ON",
        "OUR VAT CERTIFICATE",
        "VAT REGISTRATION SINCE",
        "OUR OWN VAT RETURNS",
        "MY OWN VAT RETURNS",
        "WE PAY OURS EVERY QUARTER",
        "CHARGE MY UK CUSTOMERS",
        "CHARGE OUR UK CUSTOMERS",
        "TO CHARGE 20",
        "ADD TWENTY PERCENT",
        "ADD 20",
        "VAT CHEQUE",
        "REFUND FROM HMRC",
        "HMRC USUALLY REFUNDS US",
        "MTD FILINGS",
        "MONTHLY RETURNS",
    ];
    const DOES_NOT: &[&str] = &[
        "VAT DOESNT COME INTO IT",
        "VAT DOES NOT COME INTO IT",
        "I DONT CHARGE VAT",
        "WE DONT CHARGE VAT",
        "I DO NOT CHARGE VAT",
        "WE DO NOT CHARGE VAT",
        "HAVENT GOT A VAT NUMBER",
        "NOT GOT A VAT NUMBER",
        "I DONT DO VAT",
        "WE DONT DO VAT",
        "TOO SMALL TO HAVE A VAT NUMBER",
        "NEITHER ARE WE",
        "NEITHER AM I",
        "NOR ARE WE",
        "NOR AM I",
        "CAME OFF VAT",
    ];
    const DENIED: &[&str] =
        &["NOT", "NEVER", "DONT", "IF", "WOULD", "UNDER", "BELOW", "NEARLY", "ALMOST", "UNTIL", "CHARITY"];
    let of = |phrases: &[&str], clause: &str| phrases.iter().any(|phrase| has_phrase(clause, phrase));
    let mut does = None;
    for clause in sentences(context).flat_map(|sentence| sentence.split([',', '(', ')', ':'])) {
        let folded = fold(clause);
        if of(DOES_NOT, &folded) && !folded.contains(" ON ") && !folded.contains(" FOR THE ") {
            return Some(false);
        }
        let is_denied = folded.split(' ').any(|word| DENIED.contains(&word));
        let is_voluntary = has_phrase(&folded, "REGISTERED VOLUNTARILY");
        if of(DOES, &folded) && (!is_denied || is_voluntary) {
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
fn said_of_own(words: &[&str], of_registration: bool) -> Option<bool> {
    const ADVERBS: &[&str] =
        &["ALL", "ALREADY", "ALSO", "BEEN", "BOTH", "CURRENTLY", "MYSELF", "NOW", "OURSELVES", "STILL", "UK"];
    for (at, word) in words.iter().enumerate() {
        let behind = words.get(at + 1..).unwrap_or_default();
        let is_the =
            at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|the| matches!(*the, "THE" | "THAT"));
        let is_business = is_the && OWN_BUSINESS.contains(word);
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

    #[test]
    fn what_is_said_of_others_is_not_said_of_the_business() {
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
            assert_eq!(own_registration(context), Some(true), "{context}");
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
            assert_eq!(own_registration(context), Some(false), "{context}");
        }
        for context in
            ["A bakery", "VAT registered, quarterly", "The landlord has opted to tax", "We are registered with Ofsted"]
        {
            assert_eq!(own_registration(context), None, "{context}");
        }
    }
}

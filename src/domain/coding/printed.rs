//! Words as banks and card networks print them: behind the name of a payment service, as web addresses, glued together, cut
//! off at the end of the field. What is found here is read like any other words; names of services and of the web say
//! nothing of what was bought.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::knowledge::{ConceptId, Knowledge, Strength};

const PREFIXES: &str = include_str!("knowledge/prefixes.tsv");

/// From this length on a word that nobody knows may be several.
const GLUED_FROM: usize = 8;

/// The shortest word in a glued one.
const SHORTEST_PIECE: usize = 3;

/// A word is not cut before so many letters.
const CUT_FROM: usize = 5;

/// The shortest text that a bank may have cut off.
const CUT_TEXTS_FROM: usize = 14;

/// Where banks and card networks cut: at eighteen, twenty-two and twenty-five characters, or one before where that was a space.
const CUT_AT: [usize; 6] = [17, 18, 21, 22, 24, 25];

/// Words that follow the name of a payment service when it is paid itself.
const OF_THE_SERVICE: &[&str] = &[
    "PAYMENT",
    "PAYMENTS",
    "EUROPE",
    "FEE",
    "FEES",
    "CHARGE",
    "CHARGES",
    "INST",
    "INSTANT",
    "CREDIT",
    "TRANSFER",
    "BALANCE",
    "PURCHASE",
    "LIMITED",
    "LTD",
    "UK",
    "PAYOUT",
    "PAYOUTS",
    "REFUND",
    "LOAN",
    "WORKING",
    "CAPITAL",
    "HERE",
    "GIVING",
    "PRO",
    "BUSINESS",
    "TOP",
    "ADD",
    "REVERSAL",
    "CASH",
    "SUBSCRIPTION",
    "READER",
    "TERMINAL",
    "CARD",
    "SERVICES",
    "EBAY",
];

/// Ends of web addresses.
const WEB: &[&str] = &["COM", "CO", "UK", "ORG", "NET", "GOV", "AC", "SCH", "EU", "IO", "HTTP", "HTTPS", "WWW"];

/// The payment services: word and whether it needs a mark behind it.
fn prefixes() -> &'static FxHashMap<&'static str, bool> {
    static SERVICES: OnceLock<FxHashMap<&'static str, bool>> = OnceLock::new();
    SERVICES.get_or_init(|| {
        let rows = PREFIXES.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| {
            let mut columns = line.split('\t');
            Some((columns.next()?, columns.next()? == "mark"))
        })
        .collect()
    })
}

/// Whether a first word is that of a payment service and what follows is the payee: `next` is the word behind it, `raw` the
/// description as it was submitted.
pub fn is_service(word: &str, next: Option<&str>, raw: &str) -> bool {
    let Some(needs_mark) = prefixes().get(word) else { return false };
    let has_payee = next.is_some_and(|next| {
        !OF_THE_SERVICE.contains(&next) && next.chars().filter(|character| character.is_alphabetic()).count() >= 2
    });
    has_payee && (!needs_mark || has_mark(raw, word))
}

/// Whether a word stands in a text with an asterisk, an underscore or a hyphen behind it.
pub fn has_mark(raw: &str, word: &str) -> bool {
    let upper = raw.to_ascii_uppercase();
    upper.match_indices(word).any(|(at, found)| {
        let before = upper.get(..at).is_none_or(|text| !text.ends_with(|c: char| c.is_alphanumeric()));
        let behind = upper.get(at + found.len()..).unwrap_or("").trim_start();
        before && behind.starts_with(['*', '_', '-', '.'])
    })
}

/// Whether a text is a web address or has one in it.
pub fn is_web(words: &[&str]) -> bool {
    words.iter().any(|word| word.starts_with("WWW"))
        || words.windows(2).any(|pair| matches!(pair, ["CO" | "ORG" | "GOV", "UK"]))
}

/// A word of a web address without what every address has; empty when nothing is left.
pub fn web_word(word: &str) -> &str {
    if WEB.contains(&word) {
        return "";
    }
    let word = word.strip_prefix("WWW").unwrap_or(word);
    let endings = ["COUK", "ORGUK", "GOVUK", "COM"];
    endings.into_iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 4)).unwrap_or(word)
}

/// What is known of words: those of patterns and those of the language.
struct Lexicon {
    /// Words of patterns.
    words: FxHashSet<&'static str>,
    /// Patterns by their text, with the one concept each names; none where it names several.
    texts: BTreeMap<&'static str, Option<ConceptId>>,
}

fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let mut known = FxHashSet::default();
        let mut texts = BTreeMap::new();
        for (text, targets) in Knowledge::get().patterns.all() {
            for word in text.split(' ') {
                known.insert(word);
            }
            let mut concepts = targets
                .iter()
                .filter(|target| target.strength >= Strength::Usual && target.money_in != Some(true))
                .map(|target| target.concept);
            if let Some(first) = concepts.next() {
                texts.insert(text, concepts.all(|other| other == first).then_some(first));
            }
        }
        Lexicon { words: known, texts }
    })
}

/// Words of three letters that others are glued to.
const SHORT_PIECES: &[&str] = &[
    "AIR", "ALL", "ART", "BAR", "BED", "BIG", "BUS", "CAR", "DIY", "EYE", "FUN", "GAS", "HOT", "ICE", "INK", "KEY",
    "KID", "LAB", "NEW", "OIL", "OLD", "ONE", "PET", "PUB", "RED", "SEA", "SKI", "SKY", "SUN", "TAX", "TEA", "THE",
    "TOP", "TOY", "VAN", "VET", "WEB", "ZOO",
];

fn is_piece(word: &str) -> bool {
    if word.len() == SHORTEST_PIECE { SHORT_PIECES.contains(&word) } else { is_known(word) }
}

/// Whether a word is one of the lexicon's, or one whose meaning the lists of examples have learned.
pub fn is_known(word: &str) -> bool {
    lexicon().words.contains(word) || Knowledge::get().meaning.knows(word)
}

/// Last pieces of names of places, and of the people who are called after them: `Fellgate` keeps no gate.
const PLACE_ENDINGS: &[&str] = &[
    "BRIDGE", "BROOK", "CHURCH", "CROFT", "DALE", "FIELD", "FIELDS", "FORD", "GARTH", "GATE", "GROVE", "HALL", "HILL",
    "MOOR", "STONE", "WATER", "WICK", "WICKS", "WOOD", "WORTH",
];

/// The words that an unknown long word is made of, in their order; none when it is not plainly made of some or is called like
/// a place.
pub fn pieces(word: &str) -> Option<Vec<&str>> {
    if word.len() < GLUED_FROM
        || word.len() > 24
        || !word.bytes().all(|byte| byte.is_ascii_uppercase())
        || is_known(word)
        || Knowledge::get().words.town.has(word)
    {
        return None;
    }
    // Fewest pieces; among equal ones, those of which the shortest is longest.
    let mut best: Vec<Option<(usize, std::cmp::Reverse<usize>, usize)>> = vec![None; word.len() + 1];
    if let Some(start) = best.first_mut() {
        *start = Some((0, std::cmp::Reverse(usize::MAX), 0));
    }
    for end in SHORTEST_PIECE..=word.len() {
        for start in 0..=end - SHORTEST_PIECE {
            let Some((count, std::cmp::Reverse(shortest), _)) = best.get(start).copied().flatten() else { continue };
            let Some(piece) = word.get(start..end) else { continue };
            if count >= 3 || !is_piece(piece) {
                continue;
            }
            let found = (count + 1, std::cmp::Reverse(shortest.min(piece.len())), start);
            if let Some(slot) = best.get_mut(end)
                && slot.is_none_or(|known| (found.0, found.1) < (known.0, known.1))
            {
                *slot = Some(found);
            }
        }
    }
    let mut cuts = Vec::new();
    let mut end = word.len();
    while end > 0 {
        let (_, _, start) = best.get(end).copied().flatten()?;
        cuts.push(word.get(start..end)?);
        end = start;
    }
    cuts.reverse();
    let letters = cuts.iter().filter(|piece| piece.len() > SHORTEST_PIECE).count();
    let is_place = cuts.last().is_some_and(|last| PLACE_ENDINGS.contains(last));
    (cuts.len() > 1 && letters > 0 && !is_place).then_some(cuts)
}

/// What a text that a bank cut off at its end goes on with, when every known phrase that begins so is about one thing.
/// `length` is that of the text as submitted.
pub fn completion(words: &[&str], length: usize) -> Option<&'static str> {
    let last = words.last()?;
    if length < CUT_TEXTS_FROM || last.len() < 2 || !last.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    // A phrase of two words that begins so, else the last word alone.
    let two = words.len().checked_sub(2).and_then(|at| words.get(at)).map(|before| format!("{before} {last}"));
    // `HOCKLEY SERVICE ST`, cut a little earlier: what else is called service goes on with an S.
    const SERVICED: &[&str] = &["ANNUAL", "BOILER", "CAR", "CHAINSAW", "FULL", "LENS", "MOT", "MOWER", "VAN"];
    let is_serviced = || words.iter().rev().nth(1).is_some_and(|before| SERVICED.contains(before));
    if CUT_AT.contains(&length) && words.len() > 1 && last.len() >= 4 && "SERVICE".starts_with(last) && !is_serviced() {
        return Some("STATION SERVICE STATION");
    }
    let is_known = is_known(last);
    let may_be_cut = CUT_AT.contains(&length) || (!is_known && last.len() >= 2);
    if let Some(text) = two.as_deref().filter(|tail| may_be_cut && tail.len() > CUT_FROM + 2).and_then(begins) {
        return Some(text);
    }
    if last.len() < CUT_FROM || is_known {
        return None;
    }
    begins(last)
}

/// The phrase that begins so, of as many words, when every such phrase is about one thing; of several the shortest.
fn begins(tail: &str) -> Option<&'static str> {
    let spaces = tail.matches(' ').count();
    let mut found: Option<(&'static str, ConceptId)> = None;
    for (text, concept) in lexicon()
        .texts
        .range::<str, _>((Bound::Included(tail), Bound::Unbounded))
        .take_while(|(text, _)| text.starts_with(tail))
        .take(60)
    {
        if text.matches(' ').count() != spaces {
            continue;
        }
        if text.len() == tail.len() {
            return None;
        }
        let concept = (*concept)?;
        match found {
            Some((_, known)) if known != concept => return None,
            Some(_) => {}
            None => found = Some((text, concept)),
        }
    }
    found.map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_told_from_payees() {
        assert!(is_service("PAYPAL", Some("TONERWORLD"), "paypal *tonerworld"));
        assert!(!is_service("PAYPAL", Some("PAYMENT"), "PAYPAL PAYMENT"));
        assert!(!is_service("PAYPAL", None, "PAYPAL"));
        assert!(is_service("SQ", Some("CORNER"), "SQ *CORNER CAFE"));
        assert!(!is_service("SP", Some("MOTORS"), "SP MOTORS"));
    }

    #[test]
    fn glued_words_are_parted_and_names_are_not() {
        assert_eq!(pieces("GARDENGAMES").as_deref(), Some(&["GARDEN", "GAMES"][..]));
        assert_eq!(pieces("KITEPACKAGING").as_deref(), Some(&["KITE", "PACKAGING"][..]));
        assert_eq!(pieces("PACKAGING"), None);
        for place in ["FELLGATE", "TIDEWATER", "HALLGARTH"] {
            assert_eq!(pieces(place), None);
        }
        assert_eq!(pieces("ZORBLAXQ"), None);
        assert_eq!(web_word("WWWASSEMBLYIDEASCOM"), "ASSEMBLYIDEAS");
        assert_eq!(web_word("UK"), "");
    }

    #[test]
    fn what_is_cut_off_goes_on_when_there_is_one_way() {
        assert_eq!(completion(&["HOCKLEY", "SERVICE", "STATIO"], 22), Some("SERVICE STATION"));
        assert_eq!(completion(&["HOCKLEY"], 22), None);
    }
}

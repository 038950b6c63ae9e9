//! Contacts: which customers and suppliers of the list a line may name, and how like the name it is.

use rustc_hash::FxHashMap;

use crate::domain::coding::batch::Invoice;
use crate::domain::coding::line::{Field, Line};
use crate::domain::coding::text::fold;

use super::words::{is_common, is_legal_form, is_noise, likeness, skeleton};

/// Words of a line and of a contact that are compared; names stand early and are short.
const MOST_LINE_WORDS: usize = 40;
const MOST_CONTACT_WORDS: usize = 8;

/// A word that more contacts than this share leads to none of them by itself.
const MOST_SHARING: usize = 48;

/// Contacts that are compared with one line at most, and spellings tried for one word.
const MOST_CANDIDATES: usize = 120;
const MOST_SPELLINGS: usize = 24;

/// A contact's word and what it counts.
#[derive(Debug)]
struct Token {
    text: String,
    weight: u32,
}

/// One way a contact is called.
#[derive(Debug)]
struct Name {
    tokens: Vec<Token>,
}

/// The contacts of a list, each once.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    names: Vec<Vec<Name>>,
    of_invoice: Vec<usize>,
    postings: FxHashMap<String, Vec<usize>>,
    skeletons: FxHashMap<String, Vec<usize>>,
    vocabulary: Vec<String>,
}

/// A word of a line that may be part of a name.
#[derive(Debug, Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    field: Field,
    noise: bool,
}

/// The words of a line as names are looked for among them.
#[derive(Debug)]
pub(super) struct Names<'t> {
    words: Vec<Word<'t>>,
}

impl<'t> Names<'t> {
    pub(super) fn of(line: &'t Line<'_>) -> Self {
        let words = line.words.iter().take(MOST_LINE_WORDS).map(|word| {
            let text = line.word(word);
            Word { text, field: word.field, noise: is_noise(text) }
        });
        Self { words: words.collect() }
    }
}

impl Contacts {
    pub(super) fn new(invoices: &[Invoice<'_>]) -> Self {
        let mut contacts = Self::default();
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        for invoice in invoices {
            let spellings = spellings(&invoice.contact);
            let key = spellings.first().map(|words| words.join(" ")).unwrap_or_default();
            let place = *known.entry(key).or_insert_with(|| {
                contacts.names.push(spellings.into_iter().map(Name::new).collect());
                contacts.names.len() - 1
            });
            contacts.of_invoice.push(place);
        }
        contacts.index();
        contacts
    }

    /// How many contacts there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The contact of an invoice.
    pub(super) fn of_invoice(&self, invoice: usize) -> usize {
        self.of_invoice.get(invoice).copied().unwrap_or(usize::MAX)
    }

    fn index(&mut self) {
        let mut skeletons: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let mut postings: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let add = |index: &mut FxHashMap<String, Vec<usize>>, key: String, contact: usize| {
            let entries = index.entry(key).or_default();
            if entries.last() != Some(&contact) {
                entries.push(contact);
            }
        };
        for (contact, names) in self.names.iter().enumerate() {
            for name in names {
                for token in name.tokens.iter().filter(|token| token.text.len() >= 2) {
                    add(&mut postings, token.text.clone(), contact);
                    if token.text.len() >= 4 {
                        add(&mut skeletons, skeleton(&token.text), contact);
                    }
                }
                let initials = name.initials(0, name.tokens.len());
                if name.tokens.len() >= 2 {
                    add(&mut postings, initials, contact);
                }
                for end in 3..name.tokens.len() {
                    add(&mut postings, name.initials(0, end), contact);
                }
                let joined: String = name.tokens.iter().take(2).map(|token| token.text.as_str()).collect();
                add(&mut postings, joined, contact);
            }
        }
        for names in &mut self.names {
            for token in names.iter_mut().flat_map(|name| name.tokens.iter_mut()) {
                let sharing = postings.get(&token.text).map_or(1, Vec::len);
                token.weight = match sharing {
                    0 | 1 => token.weight,
                    2..=4 => token.weight * 3 / 4,
                    _ => token.weight / 2,
                };
            }
        }
        self.vocabulary = postings.keys().cloned().collect();
        self.vocabulary.sort_unstable();
        (self.postings, self.skeletons) = (postings, skeletons);
    }

    /// The contacts that share a word or more with the line, and how like they are in thousandths, 300 and more.
    pub(super) fn named_by(&self, names: &Names<'_>) -> Vec<(usize, u32)> {
        let mut found: Vec<usize> = Vec::new();
        for (place, word) in names.words.iter().enumerate() {
            if word.text.len() < 2 || (word.noise && !self.postings.contains_key(word.text)) {
                continue;
            }
            self.lookup(word.text, &mut found);
            if let Some(next) =
                names.words.get(place + 1).filter(|next| !next.noise && word.text.len() >= 3 && next.text.len() >= 2)
            {
                self.take(self.postings.get(&format!("{}{}", word.text, next.text)), &mut found);
            }
            if found.len() > MOST_CANDIDATES {
                break;
            }
        }
        found.sort_unstable();
        found.dedup();
        let likeness = found.into_iter().map(|contact| (contact, self.likeness(contact, names)));
        likeness.filter(|(_, likeness)| *likeness >= 300).collect()
    }

    fn take(&self, postings: Option<&Vec<usize>>, found: &mut Vec<usize>) {
        if let Some(postings) = postings.filter(|postings| postings.len() <= MOST_SHARING) {
            found.extend(postings);
        }
    }

    fn lookup(&self, word: &str, found: &mut Vec<usize>) {
        self.take(self.postings.get(word), found);
        if word.len() < 3 || !word.is_ascii() || word.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let start = self.vocabulary.partition_point(|known| known.as_str() <= word);
        let longer =
            self.vocabulary.iter().skip(start).take(MOST_SPELLINGS).take_while(|known| known.starts_with(word));
        for known in longer {
            self.take(self.postings.get(known), found);
        }
        self.take(self.skeletons.get(&skeleton(word)), found);
        let shortest = if word.len() >= 9 { 5 } else { word.len().saturating_sub(2).max(4) };
        for end in shortest..word.len() {
            self.take(word.get(..end).and_then(|stem| self.postings.get(stem)), found);
        }
        if let Some(stem) = word.strip_suffix('S').filter(|stem| stem.len() >= 3) {
            let start = self.vocabulary.partition_point(|known| known.as_str() < stem);
            for known in
                self.vocabulary.iter().skip(start).take(MOST_SPELLINGS).take_while(|known| known.starts_with(stem))
            {
                self.take(self.postings.get(known), found);
            }
        }
    }

    /// How like a contact's name what the line says is, in thousandths.
    pub(super) fn likeness(&self, contact: usize, names: &Names<'_>) -> u32 {
        let Some(ways) = self.names.get(contact) else { return 0 };
        let ways = ways
            .iter()
            .enumerate()
            .map(|(place, name)| if place == 0 { name.likeness(names) } else { name.likeness(names) * 19 / 20 });
        ways.max().unwrap_or(0)
    }
}

/// How a word of a contact was found in a line.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    quality: u32,
    place: usize,
}

impl Name {
    fn new(words: Vec<String>) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        for text in words.into_iter().take(MOST_CONTACT_WORDS) {
            let weight = match text.chars().count() {
                1 => 30,
                _ if is_common(&text) => 50,
                _ => 100,
            };
            tokens.push(Token { text, weight });
        }
        if let Some(first) = tokens.iter_mut().find(|token| token.weight == 100) {
            first.weight = 150;
        }
        Self { tokens }
    }

    fn initials(&self, start: usize, end: usize) -> String {
        self.tokens.iter().take(end).skip(start).filter_map(|token| token.text.chars().next()).collect()
    }

    fn likeness(&self, names: &Names<'_>) -> u32 {
        let mut found = vec![Found::default(); self.tokens.len()];
        for (place, word) in names.words.iter().enumerate() {
            self.match_word(word, place, &mut found);
        }
        self.match_several(names, &mut found);
        self.match_spelled_out(names, &mut found);
        self.match_initials(names, &mut found);
        self.weigh(names, &found)
    }

    fn match_word(&self, word: &Word<'_>, place: usize, found: &mut [Found]) {
        for (token, found) in self.tokens.iter().zip(found.iter_mut()) {
            if token.text.len() < 2 || found.quality == 1000 {
                continue;
            }
            let quality = likeness(&token.text, word.text);
            let quality = if word.noise && quality < 1000 { 0 } else { quality };
            if quality > found.quality {
                *found = Found { quality, place };
            }
        }
    }

    /// Words written as one (`HARBOURSIDECOWORK`), one word written as two, and initials of several (`PFS`).
    fn match_several(&self, names: &Names<'_>, found: &mut [Found]) {
        for (place, word) in names.words.iter().enumerate().filter(|(_, word)| !word.noise && word.text.len() >= 2) {
            for start in 0..self.tokens.len() {
                if let Some((end, quality)) = self.several(start, word.text) {
                    for found in found.iter_mut().take(end).skip(start).filter(|found| found.quality < quality) {
                        *found = Found { quality, place };
                    }
                }
            }
            let Some(next) =
                names.words.get(place + 1).filter(|next| !next.noise && next.text.len() >= 2 && word.text.len() >= 3)
            else {
                continue;
            };
            for (token, found) in self.tokens.iter().zip(found.iter_mut()).filter(|(_, found)| found.quality < 850) {
                let rest = token.text.strip_prefix(word.text);
                if rest.is_some_and(|rest| {
                    !rest.is_empty() && (rest == next.text || next.text.len() >= 3 && rest.starts_with(next.text))
                }) {
                    *found = Found { quality: 850, place };
                }
            }
        }
    }

    /// The end of the tokens from `start` that a single word stands for.
    fn several(&self, start: usize, word: &str) -> Option<(usize, u32)> {
        let first = self.tokens.get(start)?;
        if word.len() >= 8 && word.len() > first.text.len() && first.text.len() >= 3 && word.starts_with(&first.text) {
            let mut rest = word;
            for (end, token) in self.tokens.iter().enumerate().skip(start) {
                match rest.strip_prefix(token.text.as_str()) {
                    Some("") => return Some((end + 1, 900)),
                    Some(after) => rest = after,
                    None if rest.len() >= 2 && token.text.starts_with(rest) => return Some((end + 1, 850)),
                    None => return None,
                }
            }
            return None;
        }
        let letters = word.chars().count();
        let end = start + letters;
        let is_initials = (2..=6).contains(&letters)
            && end <= self.tokens.len()
            && word.chars().zip(self.tokens.iter().skip(start)).all(|(letter, token)| token.text.starts_with(letter));
        is_initials.then_some((end, if letters == 2 { 450 } else { 650 }))
    }

    /// Letters of the contact that the line spells out: `NHS FT` is written `NHS FOUNDATION TRUST`, perhaps cut short.
    fn match_spelled_out(&self, names: &Names<'_>, found: &mut [Found]) {
        for index in 1..self.tokens.len() {
            let (Some(token), Some(before)) = (self.tokens.get(index), found.get(index - 1).copied()) else { return };
            let length = token.text.chars().count();
            if before.quality == 0
                || !(2..=4).contains(&length)
                || !token.text.bytes().all(|byte| byte.is_ascii_uppercase())
            {
                continue;
            }
            let words = || names.words.iter().skip(before.place + 1).take_while(|word| !word.noise);
            let same = words()
                .zip(token.text.chars())
                .take_while(|(word, letter)| word.text.len() >= 3 && word.text.starts_with(*letter))
                .count();
            let place = before.place + same;
            let quality = if same == length { 650 } else { 500 };
            let cut = same == words().count();
            if let Some(found) = found.get_mut(index).filter(|found| found.quality == 0 && same > 0 && cut) {
                *found = Found { quality, place };
            }
        }
    }

    /// Initials count next to a word that was found only.
    fn match_initials(&self, names: &Names<'_>, found: &mut [Found]) {
        let places: Vec<usize> = found.iter().filter(|found| found.quality > 0).map(|found| found.place).collect();
        for (place, word) in names.words.iter().enumerate().filter(|(_, word)| word.text.chars().count() == 1) {
            if !places.iter().any(|near| near.abs_diff(place) <= 2) {
                continue;
            }
            for (token, found) in self.tokens.iter().zip(found.iter_mut()).filter(|(_, found)| found.quality == 0) {
                if token.text.starts_with(word.text) {
                    *found = Found { quality: if token.text == word.text { 1000 } else { 600 }, place };
                    break;
                }
            }
        }
    }

    fn weigh(&self, names: &Names<'_>, found: &[Found]) -> u32 {
        let hits = || found.iter().zip(&self.tokens).filter(|(found, _)| found.quality > 0);
        let misses = || found.iter().zip(&self.tokens).filter(|(found, _)| found.quality == 0);
        let (Some(first), Some(last)) =
            (hits().map(|(found, _)| found.place).min(), hits().map(|(found, _)| found.place).max())
        else {
            return 0;
        };
        let hit: u32 = hits().map(|(found, token)| found.quality * token.weight).sum();
        let whole: u32 = hits().map(|(_, token)| token.weight).sum();
        let missing: u32 = misses().map(|(_, token)| token.weight).sum();
        let telling = misses().any(|(_, token)| token.weight >= 75);
        let initial_differs = misses().any(|(_, token)| token.text.chars().count() == 1)
            && names.words.iter().enumerate().any(|(place, word)| {
                word.text.len() == 1
                    && !word.noise
                    && (place + 1 == first || place == last + 1)
                    && !hits().any(|(found, _)| found.place == place)
            });
        let stranger = |place: Option<usize>, inside: usize| {
            let (Some(word), Some(inside)) = (place.and_then(|place| names.words.get(place)), names.words.get(inside))
            else {
                return false;
            };
            word.field == inside.field
                && !word.noise
                && word.text.len() >= 3
                && !word.text.bytes().any(|byte| byte.is_ascii_digit())
        };
        let conflict = telling && (stranger(first.checked_sub(1), first) || stranger(last.checked_add(1), last));
        let other_initial = telling && {
            let single = |place: Option<usize>| {
                place.and_then(|place| names.words.get(place)).is_some_and(|word| word.text.len() == 1 && !word.noise)
            };
            single(first.checked_sub(1)) || single(last.checked_add(1))
        };
        let missing = if conflict || other_initial { missing } else { missing / 2 };
        let mut likeness = hit / (whole + missing).max(1);
        if conflict {
            likeness = likeness * 4 / 5;
        }
        if initial_differs || other_initial {
            likeness = likeness / 2;
        }
        let common_only = hits().all(|(found, token)| token.weight <= 50 || found.quality <= 450);
        let complete = misses().next().is_none();
        let thin = hits().map(|(found, _)| found.place).all(|place| place == first)
            && names.words.get(first).is_some_and(|word| word.text.len() <= 3);
        match (common_only, complete, thin) {
            (true, false, _) => likeness.min(350),
            (_, false, true) => likeness.min(450),
            _ => likeness,
        }
    }
}

/// The words of every way a contact is called, the whole of it first.
fn spellings(contact: &str) -> Vec<Vec<String>> {
    let whole = fold(contact);
    let mut ways = vec![significant(&whole)];
    let mut add = |words: Vec<String>, least: usize| {
        let long = words.iter().any(|word| word.len() >= 4);
        if long && words.len() >= least && !ways.contains(&words) && ways.len() < 5 {
            ways.push(words);
        }
    };
    for mark in [" T A ", " TA ", " TRADING AS ", " DBA ", " C O "] {
        if let Some((before, after)) = whole.split_once(mark) {
            add(significant(before), 1);
            add(significant(after), 1);
        }
    }
    if let Some((before, rest)) = contact.split_once('(') {
        let after = rest.split_once(')').map_or("", |(_, after)| after);
        add(significant(&fold(&format!("{before} {after}"))), 1);
    }
    if let Some((before, after)) = contact.split_once(" - ") {
        add(significant(&fold(before)), 1);
        add(significant(&fold(after)), 2);
    }
    ways
}

fn significant(folded: &str) -> Vec<String> {
    let words = || folded.split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
    let kept: Vec<String> = words().filter(|word| !is_legal_form(word)).collect();
    if kept.is_empty() { words().collect() } else { kept }
}

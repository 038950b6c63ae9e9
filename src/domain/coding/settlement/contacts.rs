//! Contacts: which customers and suppliers of the list a line may name, and how like the name it is.

use rustc_hash::FxHashMap;

use crate::domain::coding::batch::Invoice;
use crate::domain::coding::text::fold;

use super::name::{Name, Names};
use super::words::{is_legal_form, skeleton};
use crate::domain::coding::person::is_person;

/// A word that more contacts than this share leads to none of them by itself.
const MOST_SHARING: usize = 48;

/// Contacts that are compared with one line at most, and spellings tried for one word.
const MOST_CANDIDATES: usize = 80;
const MOST_SPELLINGS: usize = 24;

/// The contacts of a list, each once.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    names: Vec<Vec<Name>>,
    of_invoice: Vec<usize>,
    postings: FxHashMap<String, Vec<usize>>,
    skeletons: FxHashMap<String, Vec<usize>>,
    vocabulary: Vec<String>,
}

impl Contacts {
    pub(super) fn new(invoices: &[Invoice<'_>]) -> Self {
        let mut contacts = Self::default();
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        for invoice in invoices {
            let spellings = spellings(&invoice.contact);
            let key = spellings.first().map(|(words, _)| words.join(" ")).unwrap_or_default();
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
        let mut joined = String::new();
        for (place, word) in names.words.iter().enumerate() {
            if word.text.len() < 2 || (word.noise && !self.postings.contains_key(word.text)) {
                continue;
            }
            self.lookup(word.text, &mut found);
            if let Some(next) =
                names.words.get(place + 1).filter(|next| !next.noise && word.text.len() >= 3 && next.text.len() >= 2)
            {
                joined.clear();
                joined.extend([word.text, next.text]);
                self.take(self.postings.get(joined.as_str()), &mut found);
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

    /// Whether the line has enough of a contact's name for a payment of the only open item of its amount.
    pub(super) fn is_hinted(&self, contact: usize, names: &Names<'_>, pence: i128) -> bool {
        self.names.get(contact).is_some_and(|ways| ways.iter().any(|name| name.is_hinted(names, pence)))
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

/// The words of every way a contact is called and the whole of it as one word; the full name first.
fn spellings(contact: &str) -> Vec<(Vec<String>, String)> {
    let whole = fold(contact);
    let way = |folded: &str| (significant(folded), folded.replace(' ', ""));
    let mut ways = vec![way(&whole)];
    let mut add = |folded: &str, least: usize| {
        let (words, joined) = way(folded);
        let long = words.iter().any(|word| word.len() >= 4);
        if long && words.len() >= least && ways.len() < 5 && !ways.iter().any(|(known, _)| *known == words) {
            ways.push((words, joined));
        }
    };
    for mark in [" T A ", " TA ", " TRADING AS ", " DBA ", " C O "] {
        if let Some((before, after)) = whole.split_once(mark) {
            add(before, 1);
            add(after, 1);
        }
    }
    if let Some((before, rest)) = contact.split_once('(') {
        let (inside, after) = rest.split_once(')').unwrap_or((rest, ""));
        add(&fold(&format!("{before} {after}")), 1);
        // Who pays for another, or acts for a firm.
        let inside = fold(inside);
        if is_person(&inside) {
            add(&inside, 2);
        }
    }
    // Of a couple either pays.
    for mark in [" & ", " and ", " AND "] {
        let Some((one, other)) = contact.split_once(mark) else { continue };
        let (one, other) = (fold(one), fold(other));
        if is_person(&one) && is_person(&other) {
            add(&one, 2);
            add(&other, 2);
        }
    }
    for (short, club) in [("RFC", "RUGBY CLUB"), ("AFC", "FOOTBALL CLUB"), ("CC", "CRICKET CLUB"), ("GC", "GOLF CLUB")]
    {
        if let Some(name) = whole.strip_suffix(short).filter(|name| name.ends_with(' ')) {
            add(&format!("{name}{club}"), 2);
        }
    }
    if let Some((before, after)) = contact.split_once(" - ") {
        add(&fold(before), 1);
        add(&fold(after), 2);
    }
    ways
}

fn significant(folded: &str) -> Vec<String> {
    let words = || folded.split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
    let kept: Vec<String> = words().filter(|word| !is_legal_form(word)).collect();
    if kept.is_empty() { words().collect() } else { kept }
}

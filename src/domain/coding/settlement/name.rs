//! A contact's name and the words of a line: which words are the name's, cut short, abbreviated, joined or as initials,
//! and how like the name they are together.

use crate::domain::coding::line::{Field, Line};

use crate::domain::coding::person::is_forename;

use super::words::{is_common, is_noise, is_town, likeness};

/// Words of a line and of a contact that are compared; names stand early and are short.
const MOST_DESCRIPTION_WORDS: usize = 24;
const MOST_FIELD_WORDS: usize = 12;
const MOST_CONTACT_WORDS: usize = 8;

/// A contact's word and what it counts.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) text: String,
    first: u8,
    letters: usize,
    pub(super) weight: u32,
}

/// One way a contact is called.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) tokens: Vec<Token>,
    /// All words of it written as one, small ones too.
    joined: String,
}

/// A word of a line that may be part of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    first: u8,
    letters: usize,
    field: Field,
    pub(super) noise: bool,
}

/// The words of a line as names are looked for among them.
#[derive(Debug)]
pub(super) struct Names<'t> {
    pub(super) words: Vec<Word<'t>>,
}

impl<'t> Names<'t> {
    pub(super) fn of(line: &'t Line<'_>) -> Self {
        let mut counts = [0_usize; 3];
        let near = line.words.iter().filter(|word| {
            let (count, most) = match (word.field, &mut counts) {
                (Field::Description, [count, _, _]) => (count, MOST_DESCRIPTION_WORDS),
                (Field::Merchant, [_, count, _]) | (Field::Reference, [_, _, count]) => (count, MOST_FIELD_WORDS),
            };
            *count += 1;
            *count <= most
        });
        let words = near.map(|word| {
            let text = line.word(word);
            Word { text, first: first(text), letters: text.chars().count(), field: word.field, noise: is_noise(text) }
        });
        Self { words: words.collect() }
    }

    /// True when a word is in the same field as another and is no part of a bank's wording: a name's, then.
    fn is_stranger(&self, place: usize, beside: usize) -> bool {
        let (Some(word), Some(beside)) = (self.words.get(place), self.words.get(beside)) else { return false };
        let letters = !word.text.bytes().any(|byte| byte.is_ascii_digit());
        word.field == beside.field && !word.noise && word.letters >= 3 && letters
    }

    fn is_link(&self, place: usize) -> bool {
        self.words.get(place).is_some_and(|word| matches!(word.text, "AND" | "OF" | "THE" | "FOR" | "Y"))
    }

    fn stranger_before(&self, first: usize) -> bool {
        let place = (0..first).rev().find(|place| !self.is_link(*place));
        place.is_some_and(|place| self.is_stranger(place, first))
    }

    fn stranger_after(&self, last: usize) -> bool {
        let place = (last + 1..self.words.len()).find(|place| !self.is_link(*place));
        place.is_some_and(|place| self.is_stranger(place, last))
    }

    /// True when a letter that is not the name's stands next to it.
    fn has_initial_beside(&self, first: usize, last: usize, known: &dyn Fn(usize) -> bool) -> bool {
        let single = |place: Option<usize>| {
            place.is_some_and(|place| {
                !known(place) && self.words.get(place).is_some_and(|word| word.letters == 1 && !word.noise)
            })
        };
        single(first.checked_sub(1)) || single(last.checked_add(1))
    }
}

/// Weights of words that many names share, and from which on a word tells names apart.
const COMMON: u32 = 50;
const TELLING: u32 = 75;

/// Fewest letters of a word that tells beside another, of one that tells beside an initial, and of one that may be misspelt.
const SHORT_WORD: usize = 4;
const TELLING_WORD: usize = 5;
const LONG_WORD: usize = 8;

/// Amounts of so many pence and their multiples are often the same by chance.
const ROUND_PENCE: i128 = 10_00;

/// From this likeness on a word may be one of the name's.
const ALIKE: u32 = 700;

/// From this likeness on a word is the name's, and from this on a long one.
const SAME: u32 = 950;
const MISSPELT: u32 = 800;

/// What a forename counts for its initial.
const FORENAME: u32 = 800;

/// How a word of a contact was found in a line.
#[derive(Debug, Clone, Copy, Default)]
struct WordMatch {
    quality: u32,
    place: usize,
}

impl Name {
    pub(super) fn new((words, joined): (Vec<String>, String)) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        for text in words.into_iter().take(MOST_CONTACT_WORDS) {
            let weight = match text.chars().count() {
                1 => 30,
                _ if text.bytes().all(|byte| byte.is_ascii_digit()) => 30,
                _ if is_common(&text) => 50,
                _ => 100,
            };
            tokens.push(Token { first: first(&text), letters: text.chars().count(), text, weight });
        }
        if let Some(first) = tokens.iter_mut().find(|token| token.weight == 100) {
            first.weight = 150;
        }
        Self { tokens, joined }
    }

    pub(super) fn initials(&self, start: usize, end: usize) -> String {
        self.tokens.iter().take(end).skip(start).filter_map(|token| token.text.chars().next()).collect()
    }

    pub(super) fn likeness(&self, names: &Names<'_>) -> u32 {
        let mut found = [WordMatch::default(); MOST_CONTACT_WORDS];
        for (place, word) in names.words.iter().enumerate() {
            self.match_word(word, place, &mut found);
        }
        self.match_several(names, &mut found);
        self.match_spelled_out(names, &mut found);
        self.match_initials(names, &mut found);
        self.weigh(names, &found)
    }

    /// Whether the line has enough of the name for a payment of the only open item of its amount: two telling words, or a surname
    /// with an initial beside it. Beside an amount that is not round the word that the name begins with is enough where the line
    /// begins with it too and names nothing else, and beside one with pence its initials (`NVS`).
    pub(super) fn is_hinted(&self, names: &Names<'_>, pence: i128) -> bool {
        let (is_round, has_pence) = (pence % ROUND_PENCE == 0, pence % 100 != 0);
        let tells = |token: &Token, word: &Word<'_>| {
            let least = if word.letters >= LONG_WORD { MISSPELT } else { SAME };
            token.weight > COMMON && !word.noise && likeness(&token.text, word.text) >= least
        };
        let shared: Vec<(usize, &Word<'_>)> = names
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.letters >= SHORT_WORD && self.tokens.iter().any(|token| tells(token, word)))
            .collect();
        let has_initial = |place: usize| {
            let beside = [place.checked_sub(1), place.checked_add(1)].into_iter().flatten();
            let mut initials = beside.filter_map(|beside| names.words.get(beside)).filter(|word| word.letters == 1);
            initials.any(|initial| self.tokens.iter().any(|token| token.text.starts_with(initial.text)))
        };
        let mut words = names.words.iter().filter(|word| !word.noise);
        let begins = !is_round && words.next().is_some_and(|word| self.begins(word, has_pence));
        // What follows is nobody else's name: *Clifton Autos* is not *Clifton Arts*.
        let is_alike = |word: &Word<'_>| self.tokens.iter().any(|token| likeness(&token.text, word.text) >= ALIKE);
        let is_name = |word: &Word<'_>| word.letters >= 3 && word.text.bytes().all(|byte| byte.is_ascii_alphabetic());
        begins && words.all(|word| !is_name(word) || is_common(word.text) || is_town(word.text) || is_alike(word))
            || shared.len() >= 2
            || shared.iter().any(|(place, word)| word.letters >= TELLING_WORD && has_initial(*place))
    }

    /// Whether a word is the one that the name begins with, or, beside pence, the initials of all of it.
    fn begins(&self, word: &Word<'_>, has_pence: bool) -> bool {
        let telling = self.tokens.iter().find(|token| token.weight >= TELLING);
        let is_first =
            telling.is_some_and(|token| token.text == word.text) && !is_forename(word.text) && !is_town(word.text);
        let count = self.tokens.len();
        let is_initials = has_pence && count >= 3 && word.letters == count && self.initials(0, count) == word.text;
        word.letters >= 3 && (is_first || is_initials)
    }

    fn match_word(&self, word: &Word<'_>, place: usize, found: &mut [WordMatch]) {
        for (token, found) in self.tokens.iter().zip(found.iter_mut()) {
            if token.first != word.first || token.text.len() < 2 || found.quality == 1000 {
                continue;
            }
            let quality = likeness(&token.text, word.text);
            let quality = if word.noise && quality < 1000 { 0 } else { quality };
            if quality > found.quality {
                *found = WordMatch { quality, place };
            }
        }
    }

    /// Words written as one (`HARBOURSIDECOWORK`), one word written as two, and initials of several (`PFS`).
    fn match_several(&self, names: &Names<'_>, found: &mut [WordMatch]) {
        for (place, word) in names.words.iter().enumerate().filter(|(_, word)| !word.noise && word.text.len() >= 2) {
            if word.text.len() >= 8
                && (self.joined.starts_with(word.text)
                    || (self.joined.len() >= 8 && word.text.starts_with(&self.joined)))
            {
                for (_, found) in
                    self.tokens.iter().zip(found.iter_mut()).filter(|(token, _)| word.text.contains(&token.text))
                {
                    *found = WordMatch { quality: found.quality.max(900), place };
                }
            }
            for (start, token) in self.tokens.iter().enumerate() {
                if token.first == word.first
                    && let Some((end, quality)) = self.several(start, word)
                {
                    for found in found.iter_mut().take(end).skip(start).filter(|found| found.quality < quality) {
                        *found = WordMatch { quality, place };
                    }
                }
            }
            let Some(next) =
                names.words.get(place + 1).filter(|next| !next.noise && next.text.len() >= 2 && word.text.len() >= 3)
            else {
                continue;
            };
            for (token, found) in self
                .tokens
                .iter()
                .zip(found.iter_mut())
                .filter(|(token, found)| found.quality < 850 && token.first == word.first)
            {
                let rest = token.text.strip_prefix(word.text);
                if rest.is_some_and(|rest| {
                    !rest.is_empty() && (rest == next.text || next.text.len() >= 3 && rest.starts_with(next.text))
                }) {
                    *found = WordMatch { quality: 850, place };
                }
            }
        }
    }

    /// The end of the tokens from `start` that a single word stands for.
    fn several(&self, start: usize, word: &Word<'_>) -> Option<(usize, u32)> {
        let first = self.tokens.get(start)?;
        let (word, letters) = (word.text, word.letters);
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
        let end = start + letters;
        let is_initials = (2..=6).contains(&letters)
            && end <= self.tokens.len()
            && word.chars().zip(self.tokens.iter().skip(start)).all(|(letter, token)| token.text.starts_with(letter));
        is_initials.then_some((end, if letters == 2 { 450 } else { 650 }))
    }

    /// Letters of the contact that the line spells out: `NHS FT` is written `NHS FOUNDATION TRUST`, perhaps cut short.
    fn match_spelled_out(&self, names: &Names<'_>, found: &mut [WordMatch]) {
        for index in 1..self.tokens.len() {
            let (Some(token), Some(before)) = (self.tokens.get(index), found.get(index - 1).copied()) else { return };
            let length = token.letters;
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
            // Cut short after the first word, only letters that are no word by themselves are believed.
            let vowels = token.text.bytes().any(|letter| b"AEIOU".contains(&letter));
            let cut = same > 0 && !vowels && same == words().count();
            if let Some(found) = found.get_mut(index).filter(|found| found.quality == 0 && (same == length || cut)) {
                *found = WordMatch { quality, place };
            }
        }
    }

    /// Initials count next to a word that was found only, and so does a forename whose initial the contact has.
    fn match_initials(&self, names: &Names<'_>, found: &mut [WordMatch]) {
        let places: Vec<usize> = found.iter().filter(|found| found.quality > 0).map(|found| found.place).collect();
        for (place, word) in names.words.iter().enumerate() {
            let is_near = |most: usize| places.iter().any(|near| (1..=most).contains(&near.abs_diff(place)));
            if word.letters > 1 {
                let initial = |token: &Token| token.letters == 1 && word.text.starts_with(&token.text);
                let mut unmatched = self.tokens.iter().zip(found.iter_mut()).filter(|(_, found)| found.quality == 0);
                if is_near(1)
                    && is_forename(word.text)
                    && let Some((_, found)) = unmatched.find(|(token, _)| initial(token))
                {
                    *found = WordMatch { quality: FORENAME, place };
                }
                continue;
            }
            if !is_near(2) {
                continue;
            }
            for (token, found) in self.tokens.iter().zip(found.iter_mut()).filter(|(_, found)| found.quality == 0) {
                if token.text.starts_with(word.text) {
                    *found = WordMatch { quality: if token.text == word.text { 1000 } else { 600 }, place };
                    break;
                }
            }
        }
    }

    fn weigh(&self, names: &Names<'_>, found: &[WordMatch]) -> u32 {
        let hits = || found.iter().zip(&self.tokens).filter(|(found, _)| found.quality > 0);
        let misses = || found.iter().zip(&self.tokens).filter(|(found, _)| found.quality == 0);
        let places = || hits().map(|(found, _)| found.place);
        let (Some(first), Some(last)) = (places().min(), places().max()) else { return 0 };
        let hit: u32 = hits().map(|(found, token)| found.quality * token.weight).sum();
        let whole: u32 = hits().map(|(_, token)| token.weight).sum();
        let missing: u32 = misses().map(|(_, token)| token.weight).sum();
        let complete = missing == 0;
        let telling = misses().any(|(_, token)| token.weight >= TELLING);
        let (before, after) = (names.stranger_before(first), names.stranger_after(last));
        let inside = (first..last).any(|place| !places().any(|hit| hit == place) && names.is_stranger(place, first));
        let single = last == first;
        let shortened = misses().any(|(_, token)| token.letters >= 2);
        let conflict = (telling && (before || after || inside)) || (single && shortened && after);
        let initial = names.has_initial_beside(first, last, &|place| places().any(|hit| hit == place));
        let other_initial = initial && (telling || misses().any(|(_, token)| token.letters == 1));
        // A name that is cut short keeps its head.
        let heaviest = self.tokens.iter().map(|token| token.weight).max();
        let headless = misses().any(|(_, token)| Some(token.weight) == heaviest);
        let missing = if conflict || other_initial || headless { missing } else { missing / 2 };
        let mut likeness = hit / (whole + missing).max(1);
        if conflict {
            likeness = likeness * 7 / 10;
        }
        if headless {
            likeness = likeness * 9 / 10;
        }
        if other_initial {
            likeness /= 2;
        }
        if last - first > 2 * self.tokens.len() + 2 {
            likeness /= 2;
        }
        let common_only = hits().all(|(found, token)| {
            token.weight <= COMMON
                || found.quality <= 450
                || names.words.get(found.place).is_some_and(|word| word.letters == 1)
        });
        // Three letters that happen to begin the words of a name may be anybody's.
        let initials_only = single && hits().count() > 1 && hits().all(|(found, _)| found.quality <= 650);
        let thin = single && names.words.get(first).is_some_and(|word| word.letters <= 3);
        if initials_only {
            likeness.min(450)
        } else if complete {
            likeness
        } else if common_only || (single && (conflict || before)) {
            likeness.min(350)
        } else if thin {
            likeness.min(450)
        } else {
            likeness
        }
    }
}

fn first(text: &str) -> u8 {
    text.bytes().next().unwrap_or(0)
}

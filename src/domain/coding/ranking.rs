//! Where a line goes that its words leave in doubt: to the account whose name is nearest to the line and to what the context says
//! near the line's words, in whatever words it says so.
//!
//! A linear model over a few measures of each account, fitted to decisions of engines that had not learned from the lines
//! (`docs/adr/0017-lines-in-doubt-are-ranked.md`); `cargo bench --bench engines -- coding_quality --fit-ranking` fits it to others.

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::AccountType;
use super::chart::Chart;
use super::confidence::calibrated;
use super::decide::{Decider, Decision};
use super::knowledge::{Knowledge, stem};
use super::meaning::Vector;
use super::outcome::{Basis, Method};
use super::text::{fold, sentences};
use super::wording::Wording;

/// How many measures there are of an account.
pub const MEASURES: usize = 12;

/// Measures of an account, in the order of their weights.
pub type Measures = [f32; MEASURES];

/// What each measure counts. Fitted.
const WEIGHTS: Measures = [2.9, 0.95, 1.2, 2.03, 1.65, 2.35, 2.03, -0.44, -0.44, 3.18, 1.41, 0.11];

/// What is decided more surely than this, in thousandths, stays as it is.
const SURE_FROM: u16 = 800;

/// Concepts that a line names whenever it is about them, so that none is guessed.
const ALWAYS_NAMED: &[&str] = &[
    "bank_charges",
    "business_rates",
    "corporation_tax",
    "council_tax",
    "depreciation",
    "interest_paid",
    "interest_received",
];

/// From this fit on an account is for one of them.
const ALWAYS_NAMED_FIT_MIN: f32 = 0.7;

/// How likely it is that none of the accounts is meant, as a score: where nothing is near, the likeliest of few is not likely.
const NONE: f32 = 1.5;

/// What must be near an account for a line to be left to it that was left to a person.
const NEAR_MIN: f32 = 1.5;

/// By so much another account must be ahead of the one that was decided.
const LEAD_MIN: f32 = 0.5;

/// From this chance on a line is decided by its ranking; below it is left to a person, with the account that is likeliest.
const CHANCE_MIN: f32 = 0.4;

/// Charts with more accounts are those of bodies that code by numbers and have a past.
const ACCOUNTS_MAX: usize = 300;

/// Words of the context on each side of a word of the line that are read with it.
const REACH: usize = 9;

/// A word that more sentences have is the subject of the context and not a payee of it.
const SENTENCES_MAX: usize = 2;

/// Letters at the beginning that two words share which are the same word in two forms: `PLANING`, *planes*.
const SAME_LETTERS: usize = 5;

/// Letters of an abbreviation of a word: `CONC` for *concession*.
const SHORT_LETTERS: usize = 3;

/// No more letters of a common beginning count.
const LETTERS_MAX: u8 = 6;

/// What a word further away in the context loses with each word between.
const LOSS_PER_WORD: f32 = 0.05;

/// Most places of a sentence that are read for one line.
const PLACES_MAX: usize = 3;

/// Words that say nothing of what a line is for.
const PLAIN: &[&str] = &[
    "A", "ALL", "ALSO", "AN", "AND", "ANY", "ARE", "AS", "AT", "BE", "BUT", "BY", "DO", "DOES", "FOR", "FROM", "GO",
    "GOES", "HAS", "HAVE", "HE", "HER", "HIS", "I", "IN", "IS", "IT", "ITS", "JUST", "ME", "MY", "NO", "NOT", "OF",
    "ON", "OR", "OUR", "PLEASE", "SHE", "SO", "THAT", "THE", "THEIR", "THEM", "THEY", "THIS", "THOSE", "TO", "US",
    "VAT", "WAS", "WE", "WHICH", "WHO", "WITH",
];

/// A word of the context.
#[derive(Debug)]
struct ContextWord {
    word: String,
    stem: String,
    sentence: usize,
    is_plain: bool,
    /// Written in capitals or with digits, as what lines say is quoted: *FC on a payment*, *V2*.
    is_code: bool,
    meaning: OnceLock<WordMeaning>,
}

/// What a word means, and how near it is to each telling word of the chart.
#[derive(Debug)]
struct WordMeaning {
    vector: Vector,
    likeness: Vec<f32>,
}

/// An account that a line may go to.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its index.
    pub account: usize,
    /// Its measures.
    pub measures: Measures,
}

/// Ranks the accounts of one batch.
#[derive(Debug)]
pub struct Ranking<'k> {
    knowledge: &'k Knowledge,
    chart: &'k Chart,
    words: Vec<ContextWord>,
    sentences: Vec<Range<usize>>,
    /// Places in `words` by stem, of words that no more than a few sentences have.
    places: FxHashMap<String, Vec<usize>>,
    /// The same words by their first letters.
    beginnings: FxHashMap<String, Vec<usize>>,
    /// Accounts that lines always name: of interest, charges of banks, taxes.
    always_named: FxHashSet<usize>,
    /// By telling word of the chart: one over the root of how many accounts have it.
    rarity: Vec<f32>,
}

/// A place of the context that has a word of a line, with the words around it.
struct Mention<'r> {
    meaning: Vector,
    /// Each with what is left of it at its distance.
    near: Vec<(&'r WordMeaning, f32)>,
}

impl<'k> Ranking<'k> {
    /// Reads a context; none where it is empty or the chart has too many accounts.
    pub fn read(context: &str, chart: &'k Chart, knowledge: &'k Knowledge) -> Option<Self> {
        if context.trim().is_empty() || chart.kinds.len() > ACCOUNTS_MAX {
            return None;
        }
        let (mut words, mut ranges) = (Vec::new(), Vec::new());
        for sentence in sentences(context) {
            let from = words.len();
            for raw in sentence.split_whitespace() {
                let is_code = raw.chars().filter(|sign| sign.is_alphanumeric()).count() >= 2
                    && !raw.chars().any(char::is_lowercase);
                for word in fold(raw).split(' ').filter(|word| !word.is_empty()) {
                    words.push(ContextWord {
                        stem: stem(word),
                        is_plain: PLAIN.contains(&word),
                        word: word.to_owned(),
                        sentence: ranges.len(),
                        is_code,
                        meaning: OnceLock::new(),
                    });
                }
            }
            ranges.push(from..words.len());
        }
        let mut places: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_plain) {
            places.entry(word.stem.clone()).or_default().push(at);
        }
        let sentence = |at: &usize| words.get(*at).map(|word: &ContextWord| word.sentence);
        places.retain(|_, places| places.iter().map(sentence).collect::<FxHashSet<_>>().len() <= SENTENCES_MAX);
        let mut beginnings: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for at in places.values().flatten() {
            if let Some(letters) = words.get(*at).and_then(|word| beginning(&word.word)) {
                beginnings.entry(letters.to_owned()).or_default().push(*at);
            }
        }
        let mut counts = vec![0.0_f32; chart.telling_meanings().len()];
        for account in 0..chart.kinds.len() {
            for place in chart.telling(account) {
                if let Some(count) = counts.get_mut(*place) {
                    *count += 1.0;
                }
            }
        }
        let always_named =
            ALWAYS_NAMED.iter().filter_map(|name| knowledge.id(name)).flat_map(|concept| chart.fits(concept));
        let fits = always_named.filter(|fit| fit.score >= ALWAYS_NAMED_FIT_MIN);
        let always_named = fits.map(|fit| fit.account).collect();
        let rarity = counts.into_iter().map(|count: f32| 1.0 / count.max(1.0).sqrt()).collect();
        Some(Self { knowledge, chart, words, sentences: ranges, places, beginnings, always_named, rarity })
    }

    /// The decision for a line, after its ranking.
    pub fn rank(&self, decider: &Decider<'_>, wording: &Wording, money_in: bool, decision: Decision) -> Decision {
        let Some(candidates) = self.candidates(wording, money_in, &decision) else { return decision };
        let scores: Vec<f32> = candidates.iter().map(|candidate| score(&candidate.measures)).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let parts: Vec<f32> = scores.iter().map(|score| libm::expf(score - most)).collect();
        let total = parts.iter().sum::<f32>() + libm::expf(NONE - most);
        let mut ranked: Vec<(usize, f32)> =
            candidates.iter().zip(parts).map(|(candidate, part)| (candidate.account, part / total)).collect();
        ranked.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
        let chosen = candidates.iter().zip(&scores).find(|(candidate, _)| candidate.account == decision.account);
        if chosen.is_some_and(|(_, score)| most - score <= LEAD_MIN) {
            ranked.sort_by_key(|(account, _)| *account != decision.account);
        }
        let Some((account, chance)) = ranked.first().copied() else { return decision };
        let is_same = account == decision.account;
        let is_of_kind = self.chart.kinds.get(account) == Some(&wanted(money_in));
        let is_near = || candidates.iter().any(|known| known.account == account && near(&known.measures) >= NEAR_MIN);
        if is_same && !(decision.is_open() && is_of_kind && is_near()) {
            return decision;
        }
        Decision {
            account,
            concept: if is_same { decision.concept } else { decider.sure_concept_of(account) },
            method: Method::Semantic,
            raw: chance,
            is_usual: false,
            is_weak: chance < CHANCE_MIN,
            is_to_person: decision.is_to_person,
            is_of_clients: false,
            is_stated: false,
            is_of_price: false,
            is_ranked: true,
            others: ranked.into_iter().skip(1).take(3).collect(),
        }
    }

    /// The accounts that a line may go to which is decided so, with their measures; none where that is sure enough.
    pub fn candidates(&self, wording: &Wording, money_in: bool, decision: &Decision) -> Option<Vec<Candidate>> {
        let is_open = decision.is_open();
        let sure = if is_open { 0 } else { calibrated(decision.method, Basis::Line, decision.raw) };
        let wanted = wanted(money_in);
        // What is owed, owned or taken out is not what is nearest, and its words say so.
        let is_of_kind = self.chart.kinds.get(decision.account) == Some(&wanted);
        let is_said = !is_open && (!is_of_kind || self.always_named.contains(&decision.account));
        if is_said || sure >= SURE_FROM || decision.is_of_clients || decision.is_stated || decision.is_of_price {
            return None;
        }
        let is_of_letters = |word: &&str| word.chars().all(char::is_alphabetic) && word.chars().count() >= 2;
        let all: Vec<&str> = wording.text().split(' ').filter(|word| !PLAIN.contains(word)).collect();
        let words: Vec<&str> = all.iter().copied().filter(is_of_letters).collect();
        let meanings: Vec<Vector> = words.iter().map(|word| self.knowledge.meaning.vector(word)).collect();
        let mut line = Vector::zero();
        meanings.iter().for_each(|meaning| line.add(meaning));
        let line = line.normalised();
        let mentions = self.mentions(&all);
        let rest = (1.0 - decision.raw).max(0.001);
        let left = 1.0 - f32::from(sure) / 1000.0;
        let sure = f32::from(sure) / 1000.0;
        let mut candidates = Vec::new();
        for (account, kind) in self.chart.kinds.iter().enumerate() {
            let is_chosen = account == decision.account;
            let is_of_kind = *kind == wanted;
            if !(is_chosen || is_of_kind && !self.always_named.contains(&account)) {
                continue;
            }
            let other = decision.others.iter().find(|(other, _)| *other == account).map(|(_, raw)| *raw);
            let Some(name) = self.chart.vectors.get(account) else { continue };
            let (mut alike, mut begun) = (0.0_f32, 0.0_f32);
            let (mut mentioned, mut near) = (0.0_f32, 0.0_f32);
            for place in self.chart.telling(account) {
                let (Some(meaning), Some(stem), Some(rarity)) = (
                    self.chart.telling_meanings().get(*place),
                    self.chart.telling_stems().get(*place),
                    self.rarity.get(*place),
                ) else {
                    continue;
                };
                for (word, vector) in words.iter().zip(&meanings) {
                    alike = alike.max(vector.cosine(meaning) * rarity);
                    begun = begun.max(shared_beginning(word, stem) * rarity);
                }
                for (word, part) in mentions.iter().flat_map(|mention| &mention.near) {
                    near = near.max(word.likeness.get(*place).copied().unwrap_or(0.0) * rarity * part);
                }
            }
            for mention in &mentions {
                mentioned = mentioned.max(mention.meaning.cosine(name));
            }
            let flag = |is_so: bool| if is_so { 1.0 } else { 0.0 };
            candidates.push(Candidate {
                account,
                measures: [
                    line.cosine(name),
                    alike,
                    begun,
                    mentioned,
                    near,
                    flag(is_chosen),
                    flag(is_chosen) * sure,
                    flag(is_chosen && is_open),
                    flag(is_chosen && !mentions.is_empty()),
                    other.map_or(0.0, |raw| left * (raw / rest).min(1.0)),
                    flag(other.is_some()),
                    flag(is_of_kind),
                ],
            });
        }
        Some(candidates)
    }

    /// Where the context has a word of a line.
    fn mentions(&self, line: &[&str]) -> Vec<Mention<'_>> {
        let stems: Vec<String> = line.iter().map(|word| stem(word)).collect();
        let mut found: Vec<usize> = Vec::new();
        for (word, stem) in line.iter().zip(&stems) {
            let is_telling = |at: &&usize| {
                self.words.get(**at).is_some_and(|known| {
                    known.is_code && known.word == *word
                        || word.chars().count() >= SHORT_LETTERS && word.chars().all(char::is_alphabetic)
                })
            };
            found.extend(self.places.get(stem).into_iter().flatten().filter(is_telling));
            found.extend(beginning(word).and_then(|letters| self.beginnings.get(letters)).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        let mut by_sentence: FxHashMap<usize, usize> = FxHashMap::default();
        let mut mentions = Vec::new();
        for at in found {
            let Some(sentence) = self.words.get(at).map(|word| word.sentence) else { continue };
            let Some(range) = self.sentences.get(sentence) else { continue };
            let count = by_sentence.entry(sentence).or_default();
            *count += 1;
            if *count > PLACES_MAX {
                continue;
            }
            let from = at.saturating_sub(REACH).max(range.start);
            let until = (at + REACH + 1).min(range.end);
            let around = (from..until).filter_map(|place| Some((place, self.words.get(place)?)));
            let telling = around.filter(|(place, word)| *place != at && !word.is_plain && !stems.contains(&word.stem));
            let mut meaning = Vector::zero();
            let near: Vec<(&WordMeaning, f32)> = telling
                .map(|(place, word)| {
                    let known = word.meaning.get_or_init(|| self.meaning(&word.word));
                    meaning.add(&known.vector);
                    let distance = u8::try_from(place.abs_diff(at)).unwrap_or(u8::MAX);
                    (known, 1.0 - LOSS_PER_WORD * f32::from(distance))
                })
                .collect();
            if !near.is_empty() {
                mentions.push(Mention { meaning: meaning.normalised(), near });
            }
        }
        mentions
    }

    fn meaning(&self, word: &str) -> WordMeaning {
        let vector = self.knowledge.meaning.vector(word);
        let likeness = self.chart.telling_meanings().iter().map(|meaning| vector.cosine(meaning)).collect();
        WordMeaning { vector, likeness }
    }
}

/// The type of the accounts that money of this direction goes to, as far as it is sales or costs.
const fn wanted(money_in: bool) -> AccountType {
    if money_in { AccountType::Income } else { AccountType::Expense }
}

/// What the measures of an account come to.
fn score(measures: &Measures) -> f32 {
    measures.iter().zip(&WEIGHTS).map(|(measure, weight)| measure * weight).sum()
}

/// What of that is nearness to the line and to the context, and not what the rules decided.
fn near(measures: &Measures) -> f32 {
    const OF_NEARNESS: usize = 5;
    measures.iter().zip(&WEIGHTS).take(OF_NEARNESS).map(|(measure, weight)| measure * weight).sum()
}

/// The letters by which two forms of a word are known as one.
fn beginning(word: &str) -> Option<&str> {
    let end = word.char_indices().nth(SAME_LETTERS).map_or(word.len(), |(at, _)| at);
    word.get(..end)
        .filter(|letters| letters.chars().count() == SAME_LETTERS && letters.chars().all(char::is_alphabetic))
}

/// How much of their beginning two words share, 0 to 1; nothing below a few letters.
fn shared_beginning(one: &str, other: &str) -> f32 {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let letters = u8::try_from(same).unwrap_or(u8::MAX).min(LETTERS_MAX);
    if same >= SHORT_LETTERS { f32::from(letters) / f32::from(LETTERS_MAX) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::domain::coding::batch::Account;
    use crate::domain::coding::wording::Channel;

    #[test]
    fn a_line_in_doubt_is_ranked_unless_it_goes_to_the_balance_sheet() {
        let account = |name: &'static str, kind| Account { code: Cow::Borrowed(name), name: Cow::Borrowed(name), kind };
        let accounts = [
            account("Staff salaries", AccountType::Expense),
            account("Net wages", AccountType::Liability),
            account("Interest paid", AccountType::Expense),
        ];
        let knowledge = Knowledge::get();
        let chart = Chart::read(&accounts, knowledge);
        let context = "Firth is on the staff and has a salary.";
        let ranking = Ranking::read(context, &chart, knowledge).expect("a context");
        let wording = Wording {
            padded: " FIRTH SALARY ".to_owned(),
            payee: "FIRTH".to_owned(),
            channel: Channel::Other,
            category: None,
        };
        let candidates = |account: usize, method| {
            let decision = Decision {
                account,
                concept: None,
                method,
                raw: 0.3,
                is_usual: false,
                is_weak: false,
                is_to_person: false,
                is_of_clients: false,
                is_stated: false,
                is_of_price: false,
                is_ranked: false,
                others: Vec::new(),
            };
            let found = ranking.candidates(&wording, false, &decision)?;
            Some(found.into_iter().map(|candidate| candidate.account).collect::<Vec<_>>())
        };
        assert_eq!(candidates(0, Method::UniversalPattern), Some(vec![0]));
        assert_eq!(candidates(1, Method::UniversalPattern), None);
        assert_eq!(candidates(2, Method::UniversalPattern), None);
        // What is left to a person was not said of the balance sheet.
        assert_eq!(candidates(1, Method::Fallback), Some(vec![0, 1]));
        assert!(Ranking::read(" \n ", &chart, knowledge).is_none());
    }
}

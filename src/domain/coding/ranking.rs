//! Where a line goes that its words leave in doubt: to the account whose name is nearest to the line and to what the context says
//! near the line's words, in whatever words it says so.
//!
//! A linear model over a few measures of each account, fitted to decisions of engines that had not learned from the lines
//! (`docs/adr/0017-lines-in-doubt-are-ranked.md`, `tools/ranking`).

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::AccountType;
use super::chart::Chart;
use super::confidence::calibrated_by_rules;
use super::decide::{Decider, Decision};
use super::instructions::is_payment_service;
use super::knowledge::{ConceptId, Knowledge, stem};
use super::likeness::Likeness;
use super::meaning::Vector;
use super::outcome::Method;
use super::text::{fold, sentences};
use super::traits::Traits;
use super::wording::Wording;

/// How many measures there are of an account.
const MEASURES: usize = 13;

/// Measures of an account, in the order of their weights.
type Measures = [f32; MEASURES];

/// What each measure counts. Fitted (`tools/ranking`).
const WEIGHTS: Measures = [0.68, 0.76, 0.79, 1.08, 1.14, -0.03, 2.55, 0.58, -0.29, 1.5, 0.97, 0.27, -0.22];

/// What is decided more surely than this, in thousandths, stays as it is.
const SURE_FROM: u16 = 900;

/// An account has lines of its own if some are decided more surely than this.
const USED_FROM: u16 = 800;

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

/// Concepts whose accounts of the balance sheet are paid like costs: what is kept for years, what is an owner's or a client's.
const PAID_LIKE_COSTS: &[&str] = &[
    "director_loan",
    "disbursements",
    "drawings",
    "fixtures_capital",
    "furniture_shop",
    "it_hardware_capital",
    "office_equipment",
    "plant_capital",
    "property_capital",
    "vehicle_purchase",
    "website_capital",
];

/// Concepts whose accounts of the balance sheet take what customers pay.
const PAID_LIKE_SALES: &[&str] = &["customer_deposits"];

/// Words of accounts that nothing is paid for.
const NEVER_PAID: &[&str] = &["ACCUMULATED", "AMORTISATION", "DEPN", "DEPRECIATION", "GOODWILL"];

/// From this fit on an account of the balance sheet is for what it fits best.
const BALANCE_SHEET_FIT_MIN: f32 = 0.6;

/// How likely it is that none of the accounts is meant, as a score, and what it loses with how near the nearest is. Fitted.
const NONE: f32 = -0.65;
const NONE_PER_NEARNESS: f32 = -0.35;

/// By so much another account must be ahead of the one that was decided.
const LEAD_MIN: f32 = 0.3;

/// No account is less likely by the line, or by the context, than so many natural logarithms.
const FARTHEST: f32 = -8.0;

/// What stands for the chance by the line of an account that is not compared.
const NOT_COMPARED: f32 = -3.0;

/// From this chance on a line is decided by its ranking; below it is left to a person, with the account that is likeliest.
const CHANCE_MIN: f32 = 0.3;

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

/// Most words of a line that are read.
const WORDS_MAX: usize = 8;

/// Most words of the context that are read for one line.
const NEAR_WORDS_MAX: usize = 24;

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
    /// Commas before it.
    clause: usize,
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

/// What lines of a batch that are surely decided make of its accounts.
#[derive(Debug)]
pub struct Usage {
    /// By account: how many lines, and the sum of the binary digits of their amounts in pence.
    lines: Vec<(u32, u32)>,
}

impl Usage {
    /// Of the decisions of lines, each with how many binary digits its amount has in pence.
    pub fn of<'d>(accounts: usize, decided: impl Iterator<Item = (&'d Decision, u32)>) -> Self {
        let mut lines = vec![(0, 0_u32); accounts];
        for (decision, digits) in decided {
            if sureness(decision) >= USED_FROM
                && let Some((count, sum)) = lines.get_mut(decision.account)
            {
                (*count, *sum) = (*count + 1, sum.saturating_add(digits));
            }
        }
        Self { lines }
    }

    fn is_unused(&self, account: usize) -> bool {
        self.lines.get(account).is_none_or(|(count, _)| *count == 0)
    }

    /// How alike an amount is to those of an account, 0 to 1: half with every doubling.
    fn likeness_of_amounts(&self, account: usize, digits: u32) -> f32 {
        let Some((count, sum)) = self.lines.get(account).filter(|(count, _)| *count > 0) else { return 0.0 };
        let mean = f64::from(*sum) / f64::from(*count);
        #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a measure between 0 and 1")]
        let apart = (f64::from(digits) - mean).abs() as f32;
        libm::exp2f(-apart)
    }
}

/// The accounts that a line in doubt may go to.
#[derive(Debug, Clone)]
struct Candidates {
    /// Each with its measures.
    accounts: Vec<Candidate>,
    /// How near the nearest is to the line and to the context.
    nearness: f32,
}

/// An account that a line may go to.
#[derive(Debug, Clone)]
struct Candidate {
    /// Its index.
    account: usize,
    /// Its measures.
    measures: Measures,
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
    /// Sentences that tell things apart by several numbers: they speak of a line that has one, around it.
    numbered: FxHashSet<usize>,
    /// Accounts that lines always name: of interest, charges of banks, taxes.
    always_named: FxHashSet<usize>,
    /// Accounts of the balance sheet that are compared beside costs, and beside sales.
    beside_costs: FxHashSet<usize>,
    beside_sales: FxHashSet<usize>,
    /// By telling word of the chart: one over the root of how many accounts have it.
    rarity: Vec<f32>,
}

/// How near accounts are to a line.
struct LikenessToAccounts {
    /// The logarithm of each one's chance by the line alone, among those that are compared.
    by_line: Vec<f32>,
    /// By how much each is behind the nearest to the context.
    by_context: Vec<f32>,
    /// How near the nearest name's words are, which is nothing where none is.
    nearness: f32,
}

/// A word of the context near a word of a line, with what is left of it at its distance.
type Near<'r> = (&'r ContextWord, f32);

/// What the forms and the weights are fitted to: of a line, the words that are compared.
#[derive(Debug, Clone)]
pub struct RankingLine {
    /// Its own words.
    pub words: Vec<String>,
    /// Words of the context near them, each with what is left of it at its distance.
    pub near: Vec<(String, f32)>,
    /// The numbers of its traits.
    pub traits: Vec<usize>,
    /// What its words may be about.
    pub clues: Vec<RankingClue>,
}

/// A concept that a line may be about: its place among all, its part of 1, and how well accounts fit it.
pub type RankingClue = (usize, f32, Vec<(usize, f32)>);

/// The same of an account.
#[derive(Debug, Clone)]
pub struct RankingAccount {
    /// The stems of its name's telling words, each with one over the root of how many accounts have it.
    pub telling: Vec<(String, f32)>,
    /// Whether lines always name it, so that none is ranked to it.
    pub is_always_named: bool,
    /// Whether it is of the balance sheet and compared beside costs, and beside sales.
    pub is_beside: (bool, bool),
}

impl<'k> Ranking<'k> {
    /// Reads a context; none where it is empty or the chart has too many accounts.
    pub fn read(context: &str, chart: &'k Chart, knowledge: &'k Knowledge) -> Option<Self> {
        if context.trim().is_empty() || chart.kinds.len() > ACCOUNTS_MAX {
            return None;
        }
        let (mut words, mut ranges, mut clause) = (Vec::new(), Vec::new(), 0);
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
                        clause,
                        is_code,
                        meaning: OnceLock::new(),
                    });
                }
                clause += usize::from(raw.ends_with(','));
            }
            ranges.push(from..words.len());
        }
        let mut places: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_plain) {
            places.entry(word.stem.clone()).or_default().push(at);
        }
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        for word in words.iter().filter(|word| is_number(word)) {
            *numbers.entry(word.sentence).or_default() += 1;
        }
        let numbered = numbers.into_iter().filter(|(_, count)| *count > 1).map(|(sentence, _)| sentence).collect();
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
        let beside = |concepts: &[&str]| {
            let is_meant = |account: &usize| {
                let is_of_results =
                    matches!(chart.kinds.get(*account), Some(AccountType::Income | AccountType::Expense));
                let best = chart.concept_of(*account).filter(|(_, fit)| *fit >= BALANCE_SHEET_FIT_MIN);
                !is_of_results
                    && best.is_some_and(|(id, _)| concepts.contains(&knowledge.concept(id).name))
                    && !NEVER_PAID.iter().any(|word| chart.has_word(*account, word))
            };
            (0..chart.kinds.len()).filter(is_meant).collect()
        };
        let (beside_costs, beside_sales) = (beside(PAID_LIKE_COSTS), beside(PAID_LIKE_SALES));
        let rarity = counts.into_iter().map(|count: f32| 1.0 / count.max(1.0).sqrt()).collect();
        Some(Self {
            knowledge,
            chart,
            words,
            sentences: ranges,
            places,
            numbered,
            beginnings,
            always_named,
            beside_costs,
            beside_sales,
            rarity,
        })
    }

    /// The decision for a line, after its ranking. `digits` are those of its amount in pence, in binary.
    pub fn rank(
        &self,
        decider: &Decider<'_>,
        (wording, traits, digits): (&Wording, Traits, u32),
        usage: &Usage,
        decision: Decision,
    ) -> Decision {
        let Some(candidates) = self.candidates((wording, traits, digits), usage, &decision) else { return decision };
        let none = NONE + NONE_PER_NEARNESS * candidates.nearness;
        let candidates = candidates.accounts;
        // An account is not likely for being the only one of its type.
        if candidates.len() < 2 {
            return decision;
        }
        let scores: Vec<f32> = candidates.iter().map(|candidate| score(&candidate.measures)).collect();
        let most = scores.iter().copied().fold(none, f32::max);
        let parts: Vec<f32> = scores.iter().map(|score| libm::expf(score - most)).collect();
        let total = parts.iter().sum::<f32>() + libm::expf(none - most);
        let mut ranked: Vec<(usize, f32)> =
            candidates.iter().zip(parts).map(|(candidate, part)| (candidate.account, part / total)).collect();
        ranked.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
        let best = scores.iter().copied().fold(f32::MIN, f32::max);
        let chosen = candidates.iter().zip(&scores).find(|(candidate, _)| candidate.account == decision.account);
        if chosen.is_some_and(|(_, score)| best - score <= LEAD_MIN) {
            ranked.sort_by_key(|(account, _)| *account != decision.account);
        }
        let Some((account, chance)) = ranked.first().copied() else { return decision };
        let is_same = account == decision.account;
        let is_compared = self.is_compared(account, traits.money_in);
        if is_same && !(decision.is_open() && is_compared && chance >= CHANCE_MIN) {
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
            clues: decision.clues,
        }
    }

    /// The accounts that a line may go to which is decided so, with their measures; none where that is sure enough.
    fn candidates(
        &self,
        (wording, traits, digits): (&Wording, Traits, u32),
        usage: &Usage,
        decision: &Decision,
    ) -> Option<Candidates> {
        let sure = sureness(decision);
        let is_open = decision.is_open();
        // What is owed is not what is nearest, and its words say so.
        let is_compared = self.is_compared(decision.account, traits.money_in);
        let is_said = !is_open && (!is_compared || self.always_named.contains(&decision.account));
        if is_said || sure >= SURE_FROM || decision.is_of_clients || decision.is_stated || decision.is_of_price {
            return None;
        }
        let all: Vec<&str> = words_of(wording).collect();
        let words: Vec<&str> = all.iter().copied().filter(is_of_letters).collect();
        let near = self.near(&all)?;
        // An account that is named for what the trade takes is meant by a service of which the context says nothing else.
        let is_service_alone =
            traits.money_in && !words.is_empty() && words.iter().all(|word| is_payment_service(word));
        if is_service_alone && near.is_empty() && decision.method == Method::AccountName {
            return None;
        }
        let mut accounts = Vec::new();
        for account in 0..self.chart.kinds.len() {
            let is_compared = self.is_compared(account, traits.money_in);
            if account == decision.account || is_compared && !self.always_named.contains(&account) {
                accounts.push((account, is_compared));
            }
        }
        let likeness = self.likeness(&words, &near, (traits, &decision.clues), &accounts);
        let fits = self.fits(&decision.clues, &accounts);
        let best_fit = fits.iter().map(|(_, best)| *best).fold(0.0, f32::max).max(f32::MIN_POSITIVE);
        let rest = (1.0 - decision.raw).max(0.001);
        let left = 1.0 - f32::from(sure) / 1000.0;
        let sure = f32::from(sure) / 1000.0;
        let flag = |is_so: bool| if is_so { 1.0 } else { 0.0 };
        let likenesses = likeness.by_line.iter().zip(&likeness.by_context);
        let measures = accounts.iter().zip(likenesses).zip(&fits).map(
            |(((account, _), (by_line, by_context)), (all_fits, fit))| {
                let is_of_kind = self.chart.kinds.get(*account) == Some(&wanted(traits.money_in));
                let is_chosen = *account == decision.account;
                let other = decision.others.iter().find(|(other, _)| other == account).map(|(_, raw)| *raw);
                let begun = self.chart.telling(*account).iter().filter_map(|place| {
                    let (stem, rarity) = (self.chart.telling_stems().get(*place)?, self.rarity.get(*place)?);
                    let shared = words.iter().map(|word| shared_beginning(word, stem)).fold(0.0, f32::max);
                    Some(shared * rarity)
                });
                let measures = [
                    *by_line,
                    *by_context,
                    begun.fold(0.0, f32::max),
                    flag(is_chosen),
                    flag(is_chosen) * sure,
                    flag(is_chosen && !near.is_empty()),
                    other.map_or(0.0, |raw| left * (raw / rest).min(1.0)),
                    flag(other.is_some()),
                    flag(is_of_kind),
                    flag(usage.is_unused(*account)),
                    usage.likeness_of_amounts(*account, digits),
                    *all_fits,
                    fit / best_fit,
                ];
                Candidate { account: *account, measures }
            },
        );
        Some(Candidates { accounts: measures.collect(), nearness: likeness.nearness })
    }

    /// Whether an account is compared with lines of this direction.
    fn is_compared(&self, account: usize, money_in: bool) -> bool {
        let beside = if money_in { &self.beside_sales } else { &self.beside_costs };
        self.chart.kinds.get(account) == Some(&wanted(money_in)) || beside.contains(&account)
    }

    /// Of each account, how well it fits what the line may be about: all of it, and the best of it.
    fn fits(&self, clues: &[(ConceptId, f32)], accounts: &[(usize, bool)]) -> Vec<(f32, f32)> {
        let mut found = vec![(0.0, 0.0_f32); accounts.len()];
        for (concept, part) in clues {
            let fits = self.chart.fits(*concept);
            for ((account, _), (sum, best)) in accounts.iter().zip(&mut found) {
                if let Some(fit) = fits.iter().find(|fit| fit.account == *account) {
                    *sum += fit.score * part;
                    *best = best.max(fit.score * part);
                }
            }
        }
        found
    }

    /// How near a line of some words, and the words of the context near them, are to accounts; each with whether it is compared.
    fn likeness(
        &self,
        words: &[&str],
        near: &[Near<'_>],
        (traits, clues): (Traits, &[(ConceptId, f32)]),
        accounts: &[(usize, bool)],
    ) -> LikenessToAccounts {
        let forms = Likeness::get();
        let meanings: Vec<Vector> =
            words.iter().take(WORDS_MAX).map(|word| self.knowledge.meaning.vector(word)).collect();
        let mut around = Vector::zero();
        let near: Vec<(&WordMeaning, f32)> = near
            .iter()
            .map(|(word, part)| {
                let known = word.meaning.get_or_init(|| self.meaning(&word.word));
                around.add_part(&known.vector, *part);
                (known, *part)
            })
            .collect();
        let around = forms.of_surroundings(around);
        let line = forms.of_line(&meanings, &around, (traits, clues));
        // Each telling word of the chart is in the names of several accounts, and is compared once.
        let places = self.chart.telling_meanings();
        let nearest_by_line: Vec<f32> =
            places.iter().map(|place| line.words.iter().map(|word| word.cosine(place)).fold(0.0, f32::max)).collect();
        let nearest = |account: usize, of: &dyn Fn(usize) -> f32| {
            self.chart.telling(account).iter().map(|place| of(*place)).fold(0.0, f32::max)
        };
        let (mut by_line, mut by_context) = (Vec::new(), Vec::new());
        let mut nearness = f32::MIN;
        for (account, _) in accounts {
            let name = self.chart.vectors.get(*account).copied().unwrap_or(Vector::zero());
            let by_words = nearest(*account, &|place| nearest_by_line.get(place).copied().unwrap_or(0.0));
            by_line.push(line.whole.cosine(&name) + by_words);
            let by_near = nearest(*account, &|place| {
                let parts = near.iter().map(|(word, part)| word.likeness.get(place).copied().unwrap_or(0.0) * part);
                parts.fold(0.0, f32::max)
            });
            by_context.push(if near.is_empty() { 0.0 } else { around.turned.cosine(&name) + by_near });
            nearness = nearness.max(by_words + by_near);
        }
        let compared = || by_line.iter().zip(accounts).filter(|(_, (_, is_compared))| *is_compared);
        let most = compared().map(|(score, _)| *score).fold(f32::MIN, f32::max);
        let total =
            libm::logf(compared().map(|(score, _)| libm::expf(score - most)).sum::<f32>().max(f32::MIN_POSITIVE));
        let of_line = by_line.iter().zip(accounts);
        let by_line = of_line
            .map(
                |(score, (_, is_compared))| {
                    if *is_compared { (score - most - total).max(FARTHEST) } else { NOT_COMPARED }
                },
            )
            .collect();
        let most = by_context.iter().copied().fold(f32::MIN, f32::max);
        let by_context = by_context.into_iter().map(|score| (score - most).max(FARTHEST)).collect();
        LikenessToAccounts { by_line, by_context, nearness }
    }

    /// The words of the context near words of a line, nearest first; none where it tells such lines apart by numbers that this one lacks.
    fn near(&self, line: &[&str]) -> Option<Vec<Near<'_>>> {
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
        let (mut is_numbered_line, mut has_number) = (false, false);
        let mut by_sentence: FxHashMap<usize, usize> = FxHashMap::default();
        let mut near: Vec<Near<'_>> = Vec::new();
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        for at in found {
            let Some(word) = self.words.get(at) else { continue };
            let Some(range) = self.sentences.get(word.sentence) else { continue };
            let is_numbered = self.numbered.contains(&word.sentence);
            let is_in_clause = |other: &ContextWord| !is_numbered || other.clause == word.clause;
            let count = by_sentence.entry(word.sentence).or_default();
            *count += 1;
            is_numbered_line |= is_numbered;
            has_number |= is_numbered && is_number(word);
            if *count > PLACES_MAX || is_numbered && !is_number(word) {
                continue;
            }
            let from = at.saturating_sub(REACH).max(range.start);
            let until = (at + REACH + 1).min(range.end);
            let around = (from..until).filter_map(|place| Some((place, self.words.get(place)?)));
            for (place, word) in around {
                if place == at || word.is_plain || !is_in_clause(word) || stems.contains(&word.stem) {
                    continue;
                }
                let distance = u8::try_from(place.abs_diff(at)).unwrap_or(u8::MAX);
                let part = 1.0 - LOSS_PER_WORD * f32::from(distance);
                let known = *places.entry(&word.word).or_insert_with(|| {
                    near.push((word, 0.0));
                    near.len() - 1
                });
                if let Some((_, most)) = near.get_mut(known) {
                    *most = most.max(part);
                }
            }
        }
        near.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        near.truncate(NEAR_WORDS_MAX);
        (has_number || !is_numbered_line).then_some(near)
    }

    /// What a line means, and what the context says near its words: unit length, or nothing.
    pub fn meanings(&self, wording: &Wording) -> (Vector, Vector) {
        let all: Vec<&str> = words_of(wording).collect();
        let (mut line, mut around) = (Vector::zero(), Vector::zero());
        for word in all.iter().filter(|word| is_of_letters(word)).take(WORDS_MAX) {
            line.add(&self.knowledge.meaning.vector(word));
        }
        for (word, part) in self.near(&all).unwrap_or_default() {
            around.add_part(&word.meaning.get_or_init(|| self.meaning(&word.word)).vector, part);
        }
        (line.normalised(), around.normalised())
    }

    /// What is compared of a line.
    pub fn line(&self, wording: &Wording, traits: Traits, clues: &[(ConceptId, f32)]) -> RankingLine {
        let all: Vec<&str> = words_of(wording).collect();
        let near = self.near(&all).unwrap_or_default().into_iter().map(|(word, part)| (word.word.clone(), part));
        let words = all.iter().filter(|word| is_of_letters(word)).map(|word| (*word).to_owned());
        let fits = |concept| self.chart.fits(concept).iter().map(|fit| (fit.account, fit.score)).collect();
        let clues = clues.iter().map(|(concept, part)| (concept.index(), *part, fits(*concept)));
        RankingLine {
            words: words.collect(),
            near: near.collect(),
            traits: traits.numbers().to_vec(),
            clues: clues.collect(),
        }
    }

    /// What is compared of each account.
    pub fn accounts(&self) -> Vec<RankingAccount> {
        let telling = |account: usize| {
            let known =
                self.chart.telling(account).iter().filter_map(|place| {
                    Some((self.chart.telling_stems().get(*place)?.clone(), *self.rarity.get(*place)?))
                });
            let is_always_named = self.always_named.contains(&account);
            let is_beside = (self.beside_costs.contains(&account), self.beside_sales.contains(&account));
            RankingAccount { telling: known.collect(), is_always_named, is_beside }
        };
        (0..self.chart.kinds.len()).map(telling).collect()
    }

    fn meaning(&self, word: &str) -> WordMeaning {
        let vector = self.knowledge.meaning.vector(word);
        let turned = Likeness::get().of_near_word(&vector);
        let likeness = self.chart.telling_meanings().iter().map(|meaning| turned.cosine(meaning)).collect();
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

/// How surely a line is decided by its words, in thousandths.
fn sureness(decision: &Decision) -> u16 {
    if decision.is_open() { 0 } else { calibrated_by_rules(decision.method, decision.raw) }
}

/// Whether a word of the context is a number, of a terminal or of a reference.
fn is_number(word: &ContextWord) -> bool {
    word.is_code && word.word.len() >= SHORT_LETTERS && word.word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a line that are compared.
fn words_of(wording: &Wording) -> impl Iterator<Item = &str> {
    wording.text().split(' ').filter(|word| !word.is_empty() && !PLAIN.contains(word))
}

fn is_of_letters(word: &&str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().count() >= 2
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

    fn decided(account: usize, method: Method, raw: f32) -> Decision {
        Decision {
            account,
            concept: None,
            method,
            raw,
            is_usual: false,
            is_weak: false,
            is_to_person: false,
            is_of_clients: false,
            is_stated: false,
            is_of_price: false,
            is_ranked: false,
            others: Vec::new(),
            clues: Vec::new(),
        }
    }

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
            let decision = decided(account, method, 0.3);
            let usage = Usage::of(accounts.len(), std::iter::empty());
            let found = ranking.candidates((&wording, Traits::of_amount(-4_000), 12), &usage, &decision)?;
            Some(found.accounts.into_iter().map(|candidate| candidate.account).collect::<Vec<_>>())
        };
        assert_eq!(candidates(0, Method::UniversalPattern), Some(vec![0]));
        assert_eq!(candidates(1, Method::UniversalPattern), None);
        assert_eq!(candidates(2, Method::UniversalPattern), None);
        // What is left to a person was not said of the balance sheet.
        assert_eq!(candidates(1, Method::Fallback), Some(vec![0, 1]));
        assert!(Ranking::read(" \n ", &chart, knowledge).is_none());
    }

    #[test]
    fn accounts_of_the_batch_are_unused_or_have_amounts_of_a_size() {
        let decided = |account, raw| decided(account, Method::Merchant, raw);
        let (sure, doubtful) = (decided(0, 1.0), decided(1, 0.1));
        let usage = Usage::of(3, [(&sure, 10), (&sure, 12), (&doubtful, 12)].into_iter());
        assert_eq!([0, 1, 2, 3].map(|account| usage.is_unused(account)), [false, true, true, true]);
        let alike = |account, digits| usage.likeness_of_amounts(account, digits);
        assert_eq!([alike(0, 11), alike(0, 12), alike(0, 9), alike(1, 12)], [1.0, 0.5, 0.25, 0.0]);
        assert_eq!(alike(0, u32::MAX), 0.0);
    }

    #[test]
    fn a_context_is_read_near_the_words_of_a_line() {
        let knowledge = Knowledge::get();
        let account = |name: &'static str| Account {
            code: Cow::Borrowed(name),
            name: Cow::Borrowed(name),
            kind: AccountType::Income,
        };
        let chart = Chart::read(&[account("Boarding"), account("Grooming")], knowledge);
        let near = |context: &str, line: &[&str]| {
            let ranking = Ranking::read(context, &chart, knowledge).expect("a context");
            let near = ranking.near(line)?;
            Some(near.into_iter().map(|(word, _)| word.word.clone()).collect::<Vec<_>>())
        };
        let some = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        // The nearest first, none of another sentence, and no plain words.
        assert_eq!(near("Kennels. Walks are with Ann, and Bob grooms.", &["BOB"]), some(&["GROOMS", "ANN", "WALKS"]));
        assert_eq!(near("Kennels.", &["BOB"]), some(&[]));
        // Numbers tell lines apart, each by what is said around it; of a line without one nothing is known.
        let numbered = "Kennels. Dojo 1141 is grooming, 2071 boarding.";
        assert_eq!(near(numbered, &["DOJO", "2071"]), some(&["BOARDING"]));
        assert_eq!(near(numbered, &["DOJO", "1141"]), some(&["GROOMING"]));
        assert_eq!(near(numbered, &["DOJO"]), None);
    }
}

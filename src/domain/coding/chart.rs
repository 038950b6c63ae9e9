//! The caller's chart, read once per batch: how well each account fits each concept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::batch::{Account, AccountType};
use super::knowledge::{Concept, ConceptId, Knowledge, NameWord, name_words};
use super::meaning::{Outline, Vector};
use super::name_index::{CONTROL_WORDS, NameIndex};
use super::printed::is_known;
use super::text::fold;
use super::weights::WEIGHTS;
use rustc_hash::FxHashMap;

/// The most accounts a concept is spread over.
const SPREAD_MAX: usize = 8;

/// One account's fit for a concept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Index in the chart.
    pub account: usize,
    /// 0 to 1.
    pub score: f32,
}

/// The chart as the engine reads it.
#[derive(Debug)]
pub struct Chart {
    /// Best accounts of each concept, best first; by concept index.
    fits: Vec<Vec<Fit>>,
    /// The concept that each account fits best, and how well; by account.
    best: Vec<Option<(ConceptId, f32)>>,
    /// The first account that is for sales.
    pub main_sales: Option<usize>,
    /// Account of invoices owed to the caller.
    pub receivables: Option<usize>,
    /// Account of bills the caller owes.
    pub payables: Option<usize>,
    /// Where a line goes about which nothing is known: money out, money in.
    pub unknown: (usize, usize),
    /// Significant stems of each account's name, rare ones first found; by account.
    pub words: Vec<Vec<NameWord>>,
    /// Meaning of each account's name.
    pub vectors: Vec<Vector>,
    /// Their outlines, close together: a line is compared with each.
    pub outlines: Vec<Outline>,
    /// Telling words of each account's name, as places in `word_meanings`.
    telling: Vec<Vec<usize>>,
    /// Meanings of telling words, each once.
    word_meanings: Vec<Vector>,
    /// Their stems.
    telling_stems: Vec<String>,
    /// Types by account.
    pub kinds: Vec<AccountType>,
    /// Accounts by the words of their names.
    pub by_name: NameIndex,
}

impl Chart {
    /// Reads a chart.
    pub fn read(accounts: &[Account<'_>], knowledge: &Knowledge) -> Self {
        let names: Vec<Cow<'_, str>> = accounts.iter().map(|account| parted(&account.name)).collect();
        let words = words_of_names(&names);
        let kinds: Vec<AccountType> = accounts.iter().map(|account| account.kind).collect();
        let vectors: Vec<Vector> = names.iter().map(|name| knowledge.meaning.vector(name)).collect();
        let mut raw = raw_scores(knowledge, &words, &kinds);
        keep_checks_apart(&mut raw, knowledge, &words);
        keep_reclaims_apart(&mut raw, knowledge, &words);
        add_examples(&mut raw, knowledge, &words, &kinds, &vectors);
        let mut own = vec![0.0_f32; accounts.len()];
        for row in raw.iter().flatten() {
            if let Some(best) = own.get_mut(row.account) {
                *best = best.max(row.score);
            }
        }
        let mut fits: Vec<Vec<Fit>> = raw
            .into_iter()
            .map(|row| {
                let reduced = row.into_iter().map(|fit| {
                    let best = own.get(fit.account).copied().unwrap_or(0.0);
                    Fit { score: fit.score - WEIGHTS.reverse_penalty * (best - fit.score), ..fit }
                });
                best_first(reduced.filter(|fit| fit.score > 0.05).collect())
            })
            .collect();
        inherit(&mut fits, knowledge);
        prefer_net_wages(&mut fits, knowledge, &kinds, &words);
        prefer_pensions_owed(&mut fits, knowledge, &kinds, &words);
        add_assets(&mut fits, knowledge, &kinds);
        let outlines: Vec<Outline> = vectors.iter().map(Vector::outline).collect();
        similar(&mut fits, knowledge, (&vectors, &outlines), &kinds, &own);
        let main_sales = add_main_sales(&mut fits, knowledge, &kinds);
        let first = |name: &str, kind: AccountType| {
            let id = knowledge.id(name)?;
            let list = fits.get(id.index())?;
            // What an account is better at is what it is for: tax that is due is no supplier's bill.
            let is_for = |fit: &&Fit| own.get(fit.account).is_some_and(|best| best - fit.score < 0.15);
            let mut fits = list.iter().filter(|fit| kinds.get(fit.account) == Some(&kind) && fit.score > 0.4);
            fits.find(is_for).map(|fit| fit.account)
        };
        let receivables =
            first("trade_debtors", AccountType::Asset).or_else(|| first_owed(&words, &kinds, AccountType::Asset));
        let payables = first("trade_creditors", AccountType::Liability)
            .or_else(|| first_owed(&words, &kinds, AccountType::Liability));
        let unknown = (unknown(knowledge, &fits, &kinds, false), unknown(knowledge, &fits, &kinds, true));
        let telling = |word: &&NameWord| word.stem.chars().count() >= 4 && !PLAIN_WORDS.contains(&word.stem.as_str());
        let (mut word_meanings, mut telling_stems) = (Vec::new(), Vec::new());
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        let mut told: Vec<Vec<usize>> = Vec::with_capacity(words.len());
        for words in &words {
            let mut list = Vec::new();
            for word in words.iter().filter(telling) {
                list.push(*places.entry(&word.stem).or_insert_with(|| {
                    word_meanings.push(knowledge.meaning.vector(&word.stem));
                    telling_stems.push(word.stem.clone());
                    word_meanings.len() - 1
                }));
            }
            told.push(list);
        }
        Self {
            by_name: NameIndex::read(&words, &kinds, &knowledge.affinities, &knowledge.words),
            main_sales,
            best: best_concepts(&fits, knowledge, accounts.len()),
            fits,
            receivables,
            payables,
            unknown,
            words,
            vectors,
            outlines,
            telling: told,
            word_meanings,
            telling_stems,
            kinds,
        }
    }

    /// Whether an account is kept by documents, statements and returns rather than by what lines say: debtors, creditors,
    /// VAT, control and bank accounts.
    pub fn is_control(&self, account: usize) -> bool {
        names_any(&self.words, account, CONTROL_WORDS) || self.is_of_documents(account)
    }

    /// Whether its name says that invoices, bills or returns keep it.
    pub fn is_kept_by_documents(&self, account: usize) -> bool {
        const WORDS: &[&str] = &["DEBTOR", "CREDITOR", "RECEIVABLE", "VAT"];
        let has_word = |word: &NameWord| WORDS.contains(&word.stem.as_str());
        self.is_of_documents(account) || self.words.get(account).is_some_and(|words| words.iter().any(has_word))
    }

    /// Whether its name has a word.
    pub fn has_word(&self, account: usize, stem: &str) -> bool {
        self.words.get(account).is_some_and(|words| words.iter().any(|word| word.stem == stem))
    }

    /// Whether an account of sales has a word in its name.
    pub fn sells(&self, stem: &str) -> bool {
        (0..self.kinds.len())
            .any(|account| self.kinds.get(account) == Some(&AccountType::Income) && self.has_word(account, stem))
    }

    /// Whether it is the account of debtors or creditors.
    pub fn is_of_documents(&self, account: usize) -> bool {
        [self.receivables, self.payables].contains(&Some(account))
    }

    /// The telling words of an account's name, as places among all of them.
    pub fn telling(&self, account: usize) -> &[usize] {
        self.telling.get(account).map_or(&[], Vec::as_slice)
    }

    /// Meanings of all telling words.
    pub fn telling_meanings(&self) -> &[Vector] {
        &self.word_meanings
    }

    /// Stems of all telling words.
    pub fn telling_stems(&self) -> &[String] {
        &self.telling_stems
    }

    /// Meanings of the telling words of an account's name.
    pub fn word_meanings(&self, account: usize) -> impl Iterator<Item = &Vector> {
        self.telling(account).iter().filter_map(|place| self.word_meanings.get(*place))
    }

    /// The accounts of a concept, best first.
    pub fn fits(&self, concept: ConceptId) -> &[Fit] {
        self.fits.get(concept.index()).map_or(&[], Vec::as_slice)
    }

    /// The concept that an account fits best, the first of equals, and how well.
    pub fn concept_of(&self, account: usize) -> Option<(ConceptId, f32)> {
        self.best.get(account).copied().flatten()
    }
}

/// By account: the concept that it fits best, the first of equals, and how well.
fn best_concepts(fits: &[Vec<Fit>], knowledge: &Knowledge, accounts: usize) -> Vec<Option<(ConceptId, f32)>> {
    let mut best: Vec<Option<(ConceptId, f32)>> = vec![None; accounts];
    for (id, _) in knowledge.concepts() {
        for fit in fits.get(id.index()).into_iter().flatten() {
            if let Some(known) = best.get_mut(fit.account)
                && known.is_none_or(|(_, score)| fit.score > score)
            {
                *known = Some((id, fit.score));
            }
        }
    }
    best
}

/// The first account of a type whose name says that money is owed, by or to whomever, and no tax, wages or loan:
/// `Clients and insurers owing` are debtors in a chart that has no account named so.
fn first_owed(words: &[Vec<NameWord>], kinds: &[AccountType], kind: AccountType) -> Option<usize> {
    const OWED: &[&str] = &["OWE", "OWED", "OWING", "UNPAID", "OUTSTANDING", "ARREAR", "INVOICED"];
    const APART: &[&str] = &[
        "TAX", "VAT", "PAYE", "NI", "NIC", "CIS", "HMRC", "PENSION", "WAGE", "SALARY", "PAY", "DIRECTOR", "OWNER",
        "LOAN", "INTEREST", "STAFF", "DEPOSIT", "BANK", "CARD", "FINANCE", "DIVIDEND", "GRANT", "CHARITY",
    ];
    let has = |account: &[NameWord], list: &[&str]| account.iter().any(|word| list.contains(&word.stem.as_str()));
    words.iter().zip(kinds).position(|(name, known)| *known == kind && has(name, OWED) && !has(name, APART))
}

/// The words of the accounts' names. What stands before a dash in several names is the name of a group (`Travel - Rail`,
/// `Travel - Air fares`), as it is before a colon.
fn words_of_names(names: &[Cow<'_, str>]) -> Vec<Vec<NameWord>> {
    const DASH: &str = " - ";
    let mut members: FxHashMap<&str, usize> = FxHashMap::default();
    for (group, _) in names.iter().filter_map(|name| name.split_once(DASH)) {
        *members.entry(group).or_default() += 1;
    }
    let words = |name: &str| match name.split_once(DASH) {
        Some((group, rest)) if members.get(group).is_some_and(|count| *count > 1) => {
            rest_of_group(name_words(&format!("{group}:{rest}")))
        }
        _ => rest_of_group(name_words(name)),
    };
    names.iter().map(|name| words(name)).collect()
}

/// What is left of a group for which none of its accounts is named: `Car - other` is for cars, not for anything else.
fn rest_of_group(words: Vec<NameWord>) -> Vec<NameWord> {
    const REST: &[&str] = &["OTHER", "MISC", "MISCELLANEOU", "SUNDRY", "GENERAL", "VARIOU"];
    let is_rest = |word: &NameWord| word.is_leaf && REST.contains(&word.stem.as_str());
    let tells =
        |word: &NameWord| !PLAIN_WORDS.contains(&word.stem.as_str()) && !OF_ANYTHING.contains(&word.stem.as_str());
    let is_of_group = words.iter().any(|word| !word.is_leaf)
        && words.iter().all(|word| if word.is_leaf { is_rest(word) } else { tells(word) });
    if !is_of_group {
        return words;
    }
    words.into_iter().filter(|word| !word.is_leaf).map(|word| NameWord { is_leaf: true, ..word }).collect()
}

/// Words of groups that hold all kinds of costs.
const OF_ANYTHING: &[&str] =
    &["OVERHEAD", "OFFICE", "ADMIN", "ADMINISTRATION", "SUNDRY", "MISCELLANEOU", "SUPPORT", "RUNNING", "OPERATING"];

/// An account's name with words parted that are glued by capitals, as plain-text books write them: `GasAndElectricity`,
/// `TVandInternet`. A word that is known as it is stays whole.
fn parted(name: &str) -> Cow<'_, str> {
    let is_glued = |word: &&str| {
        word.bytes().zip(word.bytes().skip(1)).any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase())
            && !is_known(&fold(word))
    };
    let is_part = |character: char| !character.is_ascii_alphanumeric();
    if !name.split(is_part).any(|word| is_glued(&word)) {
        return Cow::Borrowed(name);
    }
    let words = name.split_inclusive(is_part);
    Cow::Owned(words.map(|word| if is_glued(&word) { parted_word(word) } else { word.to_owned() }).collect())
}

/// A word with spaces before its inner capitals, and before the *and* between two capitals.
fn parted_word(word: &str) -> String {
    let mut text = String::with_capacity(word.len() + 4);
    let mut before = ' ';
    for (at, character) in word.char_indices() {
        let is_followed =
            word.get(at + 3..at + 4).is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_uppercase()));
        let is_and = before.is_ascii_uppercase() && is_followed && word.get(at..at + 3) == Some("and");
        if is_and || before.is_ascii_lowercase() && character.is_ascii_uppercase() {
            text.push(' ');
        }
        text.push(character);
        before = character;
    }
    text
}

/// What is checked is not what is supplied: *Gas, electric and fire checks* are for no energy.
fn keep_checks_apart(raw: &mut [Vec<Fit>], knowledge: &Knowledge, words: &[Vec<NameWord>]) {
    const SUPPLIED: &[&str] = &["electricity", "gas", "heating_fuel", "water"];
    const CHECKED: &[&str] = &["CERTIFICATE", "CHECK", "INSPECTION", "SAFETY", "TESTING"];
    const CHECK_FIT: f32 = 0.4;
    let is_check = |fit: &Fit| names_any(words, fit.account, CHECKED);
    for concept in SUPPLIED.iter().filter_map(|name| knowledge.id(name)) {
        let fits = raw.get_mut(concept.index()).map_or(&mut [][..], Vec::as_mut_slice);
        for fit in fits.iter_mut().filter(|fit| is_check(fit)) {
            fit.score *= CHECK_FIT;
        }
    }
}

/// Where an account is for the tax that is reclaimed on gifts, the gifts' own (*Planned giving - Gift Aid*) are not for it.
fn keep_reclaims_apart(raw: &mut [Vec<Fit>], knowledge: &Knowledge, words: &[Vec<NameWord>]) {
    const RECLAIMED: &[&str] =
        &["TAX", "RECLAIM", "RECLAIMED", "RECOVERABLE", "RECOVERED", "REFUND", "REPAYMENT", "HMRC", "GASDS"];
    const GIFT_FIT: f32 = 0.4;
    let Some(fits) = knowledge.id("gift_aid").and_then(|concept| raw.get_mut(concept.index())) else { return };
    let is_reclaim = |fit: &Fit| names_any(words, fit.account, RECLAIMED);
    if fits.iter().any(is_reclaim) {
        for fit in fits.iter_mut().filter(|fit| !is_reclaim(fit)) {
            fit.score *= GIFT_FIT;
        }
    }
}

/// Whether the name of an account has any of some stems.
fn names_any(words: &[Vec<NameWord>], account: usize, stems: &[&str]) -> bool {
    words.get(account).is_some_and(|words| words.iter().any(|word| stems.contains(&word.stem.as_str())))
}

fn best_first(mut fits: Vec<Fit>) -> Vec<Fit> {
    fits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.account.cmp(&b.account)));
    fits.truncate(SPREAD_MAX);
    fits
}

/// How well the names of accounts match the names that charts have for each concept.
fn raw_scores(knowledge: &Knowledge, words: &[Vec<NameWord>], kinds: &[AccountType]) -> Vec<Vec<Fit>> {
    let mut scores: Vec<Vec<Fit>> = vec![Vec::new(); knowledge.concept_count()];
    for (account, (words, kind)) in words.iter().zip(kinds).enumerate() {
        let words: Vec<Weighed> = words.iter().map(|word| Weighed::of(word, knowledge)).collect();
        for (at, word) in words.iter().enumerate() {
            let Some(number) = word.number else { continue };
            if words.iter().take(at).any(|before| before.number == Some(number)) {
                continue;
            }
            for name in knowledge.names_beginning_with(number) {
                let has = |wanted: &u32| words.iter().any(|word| word.number == Some(*wanted));
                let has_more = name.is_whole && words.len() > name.words.len();
                if has_more || !name.words.iter().skip(1).all(has) || name.without.iter().any(has) {
                    continue;
                }
                let Some(type_factor) = type_factor(knowledge.concept(name.concept), *kind) else { continue };
                let tier = match name.tier {
                    0 => 1.0,
                    1 => WEIGHTS.close_tier,
                    _ => WEIGHTS.wide_tier,
                };
                let rank = f32::from(name.rank.min(12));
                let Some(fits) = scores.get_mut(name.concept.index()) else { continue };
                let known = fits.last_mut().filter(|fit| fit.account == account);
                // No coverage makes more of a name than all of it, rounding included.
                const WHOLE: f32 = 1.0001;
                if known.as_ref().is_some_and(|fit| (tier - WEIGHTS.rank * rank) * WHOLE * type_factor <= fit.score) {
                    continue;
                }
                let score = (tier - WEIGHTS.rank * rank) * coverage(&words, &name.words) * type_factor;
                match known {
                    Some(fit) => fit.score = fit.score.max(score),
                    None => fits.push(Fit { account, score: score.max(0.0) }),
                }
            }
        }
    }
    scores
}

/// A word of an account's name with how much it says.
struct Weighed {
    number: Option<u32>,
    weight: f32,
    part: u8,
    is_leaf: bool,
    /// Whether a group of this name holds one kind of thing.
    is_of_a_kind: bool,
}

impl Weighed {
    fn of(word: &NameWord, knowledge: &Knowledge) -> Self {
        let plain = if PLAIN_WORDS.contains(&word.stem.as_str()) { WEIGHTS.generic_cap } else { 1.0 };
        let weight = if word.is_leaf { plain } else { plain * 0.5 };
        const KINDS: &[&str] = &[
            "PURCHASE",
            "SALE",
            "STOCK",
            "INCOME",
            "TAKING",
            "DIVIDEND",
            "DRAWING",
            "DIRECTOR",
            "CAPITAL",
            "PARTNER",
            "SUB",
            "SUBSCRIPTION",
            "MEMBERSHIP",
            "TICKET",
            "DONATION",
            "GRANT",
            "FEE",
        ];
        let is_of_a_kind = KINDS.contains(&word.stem.as_str());
        Self { number: knowledge.stem_number(&word.stem), weight, part: word.part, is_leaf: word.is_leaf, is_of_a_kind }
    }
}

/// What accounts of like names are for in other charts.
fn add_examples(
    raw: &mut [Vec<Fit>],
    knowledge: &Knowledge,
    words: &[Vec<NameWord>],
    kinds: &[AccountType],
    vectors: &[Vector],
) {
    for (account, ((words, kind), vector)) in words.iter().zip(kinds).zip(vectors).enumerate() {
        // Without a shared word no likeness in meaning is enough.
        let distinct =
            words.iter().enumerate().filter(|(at, word)| words.iter().take(*at).all(|before| before.stem != word.stem));
        let mut sharing: Vec<usize> =
            distinct.flat_map(|(_, word)| knowledge.examples_with(&word.stem)).copied().collect();
        sharing.sort_unstable();
        let mut near: Vec<(f32, usize)> = sharing
            .chunk_by(|a, b| a == b)
            .filter_map(|same| Some((same.len(), *same.first()?)))
            .filter_map(|(shared, at)| Some((shared, knowledge.account_examples.get(at)?, at)))
            .filter(|(_, example, _)| example.kind == *kind)
            .filter_map(|(shared, example, at)| {
                let all = example.stems.len() + words.len() - shared.min(words.len());
                let by_words = WEIGHTS.alike_stems * share(shared, all);
                if by_words + (1.0 - WEIGHTS.alike_stems) * MOST_ALIKE < WEIGHTS.alike_from {
                    return None;
                }
                Some((by_words + (1.0 - WEIGHTS.alike_stems) * vector.cosine(&example.vector), at))
            })
            .filter(|(likeness, _)| *likeness >= WEIGHTS.alike_from)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (likeness, at) in near.into_iter().take(3) {
            let Some(example) = knowledge.account_examples.get(at) else { continue };
            for (rank, concept) in (0_u8..6).zip(&example.concepts) {
                let score = likeness * (WEIGHTS.alike_best - 0.06 * f32::from(rank));
                let Some(list) = raw.get_mut(concept.index()) else { continue };
                // Accounts come in their order: where there is one already, only names of this account or later ones follow.
                match list.binary_search_by_key(&account, |fit| fit.account) {
                    Ok(place) => {
                        if let Some(fit) = list.get_mut(place) {
                            fit.score = fit.score.max(score);
                        }
                    }
                    Err(place) => list.insert(place, Fit { account, score }),
                }
            }
        }
    }
}

/// A cosine is no more than this, rounding included.
const MOST_ALIKE: f32 = 1.001;

fn share(part: usize, of: usize) -> f32 {
    let small = |count: usize| f32::from(u16::try_from(count).unwrap_or(u16::MAX));
    if of == 0 { 0.0 } else { small(part) / small(of) }
}

/// Words that say little about an account.
const PLAIN_WORDS: &[&str] = &[
    "EXPENSE", "COST", "ACCOUNT", "GENERAL", "OTHER", "CHARGE", "FEE", "PAYMENT", "BUSINESS", "COMPANY", "PAID",
    "PAYABLE", "INCOME", "ALL",
];

/// How much of an account's name some words cover: what they leave out may make it another account. A name that
/// lists several things says as much of each as of a single one.
fn coverage(words: &[Weighed], named: &[u32]) -> f32 {
    let is_named = |word: &&Weighed| word.number.is_some_and(|number| named.contains(&number));
    let share = |of: &dyn Fn(&Weighed) -> bool| {
        let total: f32 = words.iter().filter(|word| of(word)).map(|word| word.weight).sum();
        let covered: f32 = words.iter().filter(|word| of(word) && is_named(word)).map(|word| word.weight).sum();
        if total > 0.0 { covered / total } else { 0.0 }
    };
    let whole = share(&|_| true);
    let mut listed = 0.0_f32;
    let last = words.iter().map(|word| word.part).max().unwrap_or(0);
    for part in 0..=last {
        let is_all_here =
            named.iter().all(|stem| words.iter().any(|word| word.part == part && word.number == Some(*stem)));
        if is_all_here {
            listed = listed.max(share(&|word| word.part == part) * WEIGHTS.listed);
        }
    }
    // The name of a group says nothing about which of its accounts is meant, unless all are of a kind.
    let tells = |word: &&Weighed| word.is_leaf && word.weight >= 1.0 && word.number.is_some();
    let is_told = |word: &Weighed| (word.is_leaf || word.is_of_a_kind) && is_named(&word);
    let is_group_alone = words.iter().any(|word| tells(&word)) && !words.iter().any(is_told);
    let group = if is_group_alone { WEIGHTS.group_alone } else { 1.0 };
    (WEIGHTS.coverage_floor + (1.0 - WEIGHTS.coverage_floor) * whole.max(listed)) * group
}

fn type_factor(concept: &Concept, kind: AccountType) -> Option<f32> {
    match concept.types.iter().position(|known| *known == kind)? {
        0 => Some(1.0),
        _ => Some(WEIGHTS.second_type),
    }
}

/// A concept without a good account of its own goes to that of a wider concept.
fn inherit(fits: &mut [Vec<Fit>], knowledge: &Knowledge) {
    let own = fits.to_vec();
    for (id, concept) in knowledge.concepts() {
        let mut factor = WEIGHTS.parent;
        let mut parent = concept.parent;
        for _ in 0..4 {
            let Some(ancestor) = parent else { break };
            // General expenses and suspense take anything: that is no reason to go there before a likely account.
            let cap = if ["sundries", "suspense"].contains(&knowledge.concept(ancestor).name) {
                WEIGHTS.generic_cap
            } else {
                1.0
            };
            let inherited = own.get(ancestor.index()).map_or(&[][..], Vec::as_slice);
            if let Some(list) = fits.get_mut(id.index()) {
                let mut merged: BTreeMap<usize, f32> = list.iter().map(|fit| (fit.account, fit.score)).collect();
                for fit in inherited {
                    let best = merged.entry(fit.account).or_insert(0.0);
                    *best = best.max((fit.score * factor).min(cap));
                }
                *list = best_first(merged.into_iter().map(|(account, score)| Fit { account, score }).collect());
            }
            factor *= WEIGHTS.parent;
            parent = knowledge.concept(ancestor).parent;
        }
    }
}

/// Sales of a kind for which the chart has no words go to the first account that is for sales.
fn add_main_sales(fits: &mut [Vec<Fit>], knowledge: &Knowledge, kinds: &[AccountType]) -> Option<usize> {
    const ENOUGH: f32 = 0.5;
    const OTHERS: &[&str] = &[
        "interest_received",
        "other_income",
        "grant_income",
        "insurance_claim",
        "cashback",
        "asset_sale",
        "donation_income",
        "gift_aid",
    ];
    let claimed = |account: usize| {
        OTHERS
            .iter()
            .filter_map(|name| fits.get(knowledge.id(name)?.index()))
            .any(|list| list.iter().any(|fit| fit.account == account && fit.score > 0.6))
    };
    let other = knowledge.id("other_income").and_then(|id| fits.get(id.index())?.first().copied());
    let main = kinds.iter().enumerate().find(|(account, kind)| **kind == AccountType::Income && !claimed(*account));
    let (account, _) = main?;
    let root = knowledge.id("sales_services")?;
    for (id, concept) in knowledge.concepts() {
        let mut ancestor = Some(id);
        let is_sale = std::iter::from_fn(|| {
            let at = ancestor?;
            ancestor = knowledge.concept(at).parent;
            Some(at)
        })
        .take(6)
        .any(|at| at == root);
        let Some(list) = fits.get_mut(id.index()).filter(|_| is_sale && concept.is_income()) else { continue };
        if list.first().is_none_or(|fit| fit.score < ENOUGH) {
            // What is not sold goes to what is called other income, if anything is.
            let other = other.filter(|fit| OTHERS.contains(&concept.name) && fit.score > 0.3);
            let account = other.map_or(account, |fit| fit.account);
            list.retain(|fit| fit.account != account);
            list.insert(0, Fit { account, score: ENOUGH });
        }
    }
    Some(account)
}

/// Equipment of a small price for which no account of expense is kept goes to the asset that the same is at a large price.
fn add_assets(fits: &mut [Vec<Fit>], knowledge: &Knowledge, kinds: &[AccountType]) {
    for (id, concept) in knowledge.concepts() {
        let asset = capital_of(concept.name).and_then(|name| fits.get(knowledge.id(name)?.index())?.first().copied());
        let Some(asset) = asset.filter(|asset| asset.score >= WEIGHTS.own_account) else { continue };
        let Some(list) = fits.get_mut(id.index()) else { continue };
        let is_expense = |fit: &&Fit| kinds.get(fit.account) == Some(&AccountType::Expense);
        let best = list.iter().filter(is_expense).map(|fit| fit.score).fold(0.0, f32::max);
        if best < WEIGHTS.balance_sheet_fit {
            list.retain(|fit| fit.account != asset.account);
            list.push(Fit { score: asset.score * WEIGHTS.second_type, ..asset });
            *list = best_first(std::mem::take(list));
        }
    }
}

/// The concept of the asset that equipment of a concept is when it is dear enough.
pub fn capital_of(concept: &str) -> Option<&'static str> {
    match concept {
        "it_hardware_small" => Some("it_hardware_capital"),
        "office_equipment" => Some("fixtures_capital"),
        "small_tools" | "equipment_small" | "kitchen_equipment" | "sports_equipment" => Some("plant_capital"),
        _ => None,
    }
}

/// Where a chart keeps net wages as a liability, the payroll journal posts the cost, and what leaves the bank clears the
/// liability.
fn prefer_net_wages(fits: &mut [Vec<Fit>], knowledge: &Knowledge, kinds: &[AccountType], words: &[Vec<NameWord>]) {
    // A long name says less of each of its words: *Payroll clearing - net wages*.
    let is_net = |account: usize| {
        words
            .get(account)
            .is_some_and(|words| words.iter().any(|word| matches!(word.stem.as_str(), "NET" | "CLEARING")))
    };
    let salaries = knowledge.id("salaries").and_then(|id| fits.get(id.index()).cloned()).unwrap_or_default();
    // Tips that are shared out and what courts deduct are no pay.
    const APART: &[&str] = &["TRONC", "TIP", "ATTACHMENT", "PENSION"];
    let is_apart = |account: usize| names_any(words, account, APART);
    let is_liability = |fit: &&Fit| kinds.get(fit.account) == Some(&AccountType::Liability) && !is_apart(fit.account);
    let Some(net_wages) = salaries
        .iter()
        .find(|fit| is_liability(fit) && (fit.score > 0.5 || fit.score > 0.4 && is_net(fit.account)))
        .copied()
    else {
        return;
    };
    for name in ["salaries", "director_salary"] {
        let Some(list) = knowledge.id(name).and_then(|id| fits.get_mut(id.index())) else { continue };
        let best = list.iter().map(|fit| fit.score).fold(0.0, f32::max);
        list.retain(|fit| fit.account != net_wages.account);
        list.insert(0, Fit { account: net_wages.account, score: best + 0.05 });
    }
}

/// Where pensions have an account of what is owed, paying the provider clears it: it holds what employees paid as well as
/// the employer's share, which alone is a cost. The cost is no close second, so that a word of its name (*employer*) does not
/// decide.
fn prefer_pensions_owed(fits: &mut [Vec<Fit>], knowledge: &Knowledge, kinds: &[AccountType], words: &[Vec<NameWord>]) {
    let is_owed = |fit: &&Fit| {
        let is_named = |name: &Vec<NameWord>| name.iter().any(|word| word.stem == "PENSION");
        kinds.get(fit.account) == Some(&AccountType::Liability) && words.get(fit.account).is_some_and(is_named)
    };
    const AHEAD: f32 = 0.4;
    let Some(list) = knowledge.id("pension").and_then(|id| fits.get_mut(id.index())) else { return };
    let best = list.iter().map(|fit| fit.score).fold(0.0, f32::max);
    let Some(owed) = list.iter().find(is_owed).map(|fit| fit.account) else { return };
    list.retain(|fit| fit.account != owed);
    list.insert(0, Fit { account: owed, score: best + AHEAD });
}

/// A concept that still has no account worth the name goes to one of like meaning.
fn similar(
    fits: &mut [Vec<Fit>],
    knowledge: &Knowledge,
    (vectors, outlines): (&[Vector], &[Outline]),
    kinds: &[AccountType],
    own: &[f32],
) {
    const LEAST: f32 = 0.2;
    for (id, concept) in knowledge.concepts() {
        let Some(list) = fits.get_mut(id.index()) else { continue };
        if list.first().is_some_and(|fit| fit.score >= 0.45) {
            continue;
        }
        let mut merged: BTreeMap<usize, f32> = list.iter().map(|fit| (fit.account, fit.score)).collect();
        let outline = concept.vector.outline();
        for (account, ((vector, theirs), kind)) in vectors.iter().zip(outlines).zip(kinds).enumerate() {
            let Some(factor) = type_factor(concept, *kind) else { continue };
            // An account that is clearly for something else is not free for what it resembles.
            let taken = own.get(account).copied().unwrap_or(0.0);
            let free = if taken >= 0.7 { 0.4 } else { 1.0 };
            let weight = WEIGHTS.similar_account * factor * free;
            if !theirs.may_exceed(&outline, LEAST / weight) {
                continue;
            }
            let score = concept.vector.cosine(vector) * weight;
            if score > LEAST {
                let best = merged.entry(account).or_insert(0.0);
                *best = best.max(score);
            }
        }
        *list = best_first(merged.into_iter().map(|(account, score)| Fit { account, score }).collect());
    }
}

/// Suspense by name; else general expenses or other income; else the first account of a fitting type.
fn unknown(knowledge: &Knowledge, fits: &[Vec<Fit>], kinds: &[AccountType], money_in: bool) -> usize {
    let names = if money_in { ["suspense", "other_income"] } else { ["suspense", "sundries"] };
    for name in names {
        let best = knowledge.id(name).and_then(|id| fits.get(id.index())?.first().copied());
        if let Some(fit) = best.filter(|fit| fit.score > 0.4) {
            return fit.account;
        }
    }
    let wanted = if money_in { AccountType::Income } else { AccountType::Expense };
    kinds.iter().position(|kind| *kind == wanted).unwrap_or(0)
}

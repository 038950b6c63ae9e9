//! From the clues of one line to an account of the chart.

use std::collections::BTreeMap;

use super::batch::AccountType;
use super::chart::Chart;
use super::evidence::{Clue, Reader};
use super::hints::Hints;
use super::knowledge::{ConceptId, Knowledge, stem};
use super::outcome::Method;
use super::wording::{Channel, Wording};

/// What is decided about a line by itself.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Index of the account.
    pub account: usize,
    /// What the line is about; none when nothing is known.
    pub concept: Option<ConceptId>,
    /// How it was decided.
    pub method: Method,
    /// How sure the engine is before calibration, 0 to 1.
    pub raw: f32,
    /// Weight of the strongest evidence.
    pub strength: f32,
    /// Other accounts, best first.
    pub others: Vec<(usize, f32)>,
}

/// How sharply more evidence beats less.
const SHARPNESS: f32 = 1.7;
/// Weight that "something else entirely" has.
const NOTHING: f32 = 0.75;
/// What being named in the line adds to the fit of an account.
const NAMED_AMONG: f32 = 0.22;
/// How sharply a better account beats a worse one of the same concept.
const ACCOUNT_SHARPNESS: f32 = 14.0;
/// A rare word of the account's name in the line.
const ACCOUNT_WORD: f32 = 2.0;
/// A rare word of the account's name in what the context says about the payee.
const HINTED_WORD: f32 = 1.2;
/// An owner's name in the name of an account.
const OWNERS_ACCOUNT: f32 = 2.0;
/// The account's name and the line are alike from here.
const LIKE_FROM: f32 = 0.35;
/// And that counts this much.
const LIKE: f32 = 1.6;
/// Below this much evidence a receipt is taken as a sale.
const SALE_BELOW: f32 = 1.3;
/// Weight of that.
const SALE: f32 = 1.25;
/// Below this much evidence nothing is known.
const FALLBACK_BELOW: f32 = 0.42;

/// Decides lines of one batch.
#[derive(Debug)]
pub struct Decider<'k> {
    pub knowledge: &'k Knowledge,
    pub chart: &'k Chart,
    pub reader: Reader<'k>,
    /// What the context says about payees.
    pub hints: &'k Hints,
    /// What a receipt from an unknown payer is here.
    pub sales: Option<ConceptId>,
    /// Rare words of account names: word, account, how much of the name it is.
    rare: BTreeMap<String, Vec<(usize, f32)>>,
}

impl<'k> Decider<'k> {
    /// A decider for a chart.
    pub fn new(
        knowledge: &'k Knowledge,
        chart: &'k Chart,
        reader: Reader<'k>,
        hints: &'k Hints,
        sales: Option<ConceptId>,
    ) -> Self {
        Self { knowledge, chart, reader, hints, sales, rare: rare_words(chart) }
    }

    /// Decides a line by its own words.
    pub fn decide(&self, wording: &Wording, money_in: bool) -> Decision {
        let mut clues = self.reader.clues(wording, money_in);
        clues.truncate(12);
        // Money back to a customer comes out of the sales it was part of.
        for clue in &mut clues {
            if self.knowledge.concept(clue.concept).name == "customer_refund" {
                clue.concept = self.sales.unwrap_or(clue.concept);
            }
        }
        let named = self.named_accounts(wording, money_in);
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        if money_in
            && strongest < SALE_BELOW
            && wording.channel != Channel::Card
            && let Some(sales) = self.sales
        {
            clues.push(Clue { concept: sales, score: SALE, method: Method::Semantic });
        }
        let best_named = named.values().copied().fold(0.0, f32::max);
        if clues.iter().all(|clue| clue.score < FALLBACK_BELOW) && best_named == 0.0 {
            return self.unknown(money_in);
        }
        self.weigh(&clues, &named)
    }

    /// Spreads each concept over its accounts and takes the account with most weight.
    fn weigh(&self, clues: &[Clue], named: &BTreeMap<usize, f32>) -> Decision {
        let mut by_account: BTreeMap<usize, Weight> = BTreeMap::new();
        let mut total = (SHARPNESS * NOTHING).exp();
        for clue in clues {
            let fits = self.chart.fits(clue.concept);
            let Some(best) = fits.first() else { continue };
            // A chart without an account for a concept makes the concept less likely.
            let weight = (SHARPNESS * clue.score).exp() * (0.12 + 0.88 * best.score.min(1.0) * best.score.min(1.0));
            total += weight;
            // Among the accounts of a concept, one that the line names is meant.
            let scores: Vec<f32> = fits
                .iter()
                .map(|fit| fit.score + NAMED_AMONG * named.get(&fit.account).copied().unwrap_or(0.0).min(1.6))
                .collect();
            let top = scores.iter().copied().fold(0.0, f32::max);
            let shares: Vec<f32> = scores.iter().map(|score| (ACCOUNT_SHARPNESS * (score - top)).exp()).collect();
            let sum: f32 = shares.iter().sum();
            for (fit, share) in fits.iter().zip(shares) {
                let part = weight * share / sum;
                let account = by_account.entry(fit.account).or_default();
                account.sum += part;
                if part > account.best {
                    account.best = part;
                    account.concept = Some(clue.concept);
                    account.method = Some(clue.method);
                    account.strength = clue.score;
                }
            }
        }
        for (account, score) in named {
            let weight = (SHARPNESS * score).exp() - 1.0;
            total += weight;
            let entry = by_account.entry(*account).or_default();
            // With other evidence for the same account a shared word confirms; alone it decides.
            if weight > entry.best {
                entry.method = Some(Method::AccountName);
                entry.best = weight;
                entry.strength = entry.strength.max(*score);
            }
            entry.sum += weight;
        }
        let mut ranked: Vec<(usize, Weight)> = by_account.into_iter().collect();
        ranked.sort_by(|(a, left), (b, right)| right.sum.total_cmp(&left.sum).then(a.cmp(b)));
        let Some((account, weight)) = ranked.first().cloned() else { return self.unknown(false) };
        let concept = weight.concept.or_else(|| self.concept_of(account));
        let others = ranked.iter().skip(1).take(3).map(|(other, weight)| (*other, weight.sum / total)).collect();
        Decision {
            account,
            concept,
            method: weight.method.unwrap_or(Method::Semantic),
            raw: weight.sum / total,
            strength: weight.strength,
            others,
        }
    }

    /// The concept an account fits best.
    fn concept_of(&self, account: usize) -> Option<ConceptId> {
        let fits = self.knowledge.concepts().filter_map(|(id, _)| {
            let fit = self.chart.fits(id).iter().find(|fit| fit.account == account)?;
            Some((id, fit.score))
        });
        fits.max_by(|(a, left), (b, right)| left.total_cmp(right).then(b.cmp(a))).map(|(id, _)| id)
    }

    /// What is done with a line about which nothing is known.
    pub fn unknown(&self, money_in: bool) -> Decision {
        let (out, into) = self.chart.unknown;
        Decision {
            account: if money_in { into } else { out },
            concept: None,
            method: Method::Fallback,
            raw: 0.08,
            strength: 0.0,
            others: Vec::new(),
        }
    }

    /// Accounts that the line points to by itself: a rare word of the name is in the line, or in what the context says
    /// about its payee, or the name is like the line in meaning.
    pub fn named_accounts(&self, wording: &Wording, money_in: bool) -> BTreeMap<usize, f32> {
        let mut named: BTreeMap<usize, f32> = BTreeMap::new();
        let mut add = |word: &str, weight: f32| {
            for (account, part) in self.rare.get(word).map_or(&[][..], Vec::as_slice) {
                if self.takes(*account, money_in) {
                    *named.entry(*account).or_insert(0.0) += weight * part;
                }
            }
        };
        for word in wording.text().split(' ') {
            add(&stem(word), ACCOUNT_WORD);
        }
        // Of several owners' accounts, the one that has this owner's name.
        for name in self.reader.owner_of(wording).unwrap_or_default() {
            add(&stem(name), OWNERS_ACCOUNT);
        }
        for (hint, payee) in self.hints.about(wording.text()) {
            for word in hint.near(payee) {
                add(&word, HINTED_WORD);
            }
        }
        let vector = self.knowledge.meaning.vector(wording.text());
        for (account, theirs) in self.chart.vectors.iter().enumerate() {
            let near = vector.cosine(theirs) - LIKE_FROM;
            if near > 0.0 && self.takes(account, money_in) {
                *named.entry(account).or_insert(0.0) += LIKE * near;
            }
        }
        named
    }

    /// Whether a line of this direction may go to an account for its name alone.
    fn takes(&self, account: usize, money_in: bool) -> bool {
        match self.chart.kinds.get(account) {
            Some(AccountType::Income) => money_in,
            Some(AccountType::Expense) => !money_in,
            Some(AccountType::Liability | AccountType::Equity) => true,
            Some(AccountType::Asset) | None => false,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Weight {
    sum: f32,
    best: f32,
    strength: f32,
    concept: Option<ConceptId>,
    method: Option<Method>,
}

/// Words of four letters and more that only one or two accounts of the chart have.
fn rare_words(chart: &Chart) -> BTreeMap<String, Vec<(usize, f32)>> {
    const PLAIN: &[&str] = &[
        "BANK", "COST", "SALE", "INCOME", "EXPENSE", "ACCOUNT", "GENERAL", "OTHER", "BUSINESS", "STAFF", "OFFICE",
        "WORK", "SERVICE", "CHARGE", "PAYMENT", "CARD", "CASH", "PERSONAL", "COMPANY", "CUSTOMER", "SUPPLIER",
        "PURCHASE", "STOCK", "LOCAL", "PRIVATE", "DIRECT", "CURRENT", "HOUSE", "HOME", "PAID", "RECEIVED", "MONTHLY",
        "LIMITED", "CREDIT", "PROPERTY", "CENTRE", "CLUB", "STREET", "ROAD", "HIGH", "FROM", "WITH", "MISC", "UNIT",
    ];
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (account, words) in chart.words.iter().enumerate() {
        for word in words.iter().filter(|word| word.stem.chars().count() >= 4 && !PLAIN.contains(&word.stem.as_str())) {
            let accounts = holders.entry(&word.stem).or_default();
            if accounts.last() != Some(&account) {
                accounts.push(account);
            }
        }
    }
    let mut rare = BTreeMap::new();
    for (word, accounts) in holders.into_iter().filter(|(_, accounts)| accounts.len() <= 2) {
        let parts = accounts.iter().map(|account| {
            let count = chart.words.get(*account).map_or(1, Vec::len).clamp(1, 6);
            let words = f32::from(u8::try_from(count).unwrap_or(6));
            (*account, (0.55 + 0.45 / words) / f32::from(u8::try_from(accounts.len()).unwrap_or(2)))
        });
        rare.insert(word.to_owned(), parts.collect());
    }
    rare
}

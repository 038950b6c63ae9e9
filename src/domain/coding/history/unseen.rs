//! What the past says of payees it has not seen: the accounts this customer uses for such words, concepts and amounts.

use rustc_hash::FxHashMap;

use super::past::{Past, Payee, size_of};
use super::spread::Spread;
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::decide::{Decider, Decision, Size};
use crate::domain::coding::knowledge::{ConceptId, Knowledge, WordList};
use crate::domain::coding::line::Line;
use crate::domain::coding::outcome::{Method, Vat};
use crate::domain::coding::wording::Wording;
use crate::domain::control::{Control, Stopped};
use crate::domain::parallel;

/// The most payees that are read for what they teach about others, spread evenly over all.
const MOST_READ: usize = 4000;

/// What an account that no payee went to counts beside one that one did.
const NEVER_USED: f32 = 0.2;

/// A past of so many payees says of others half of what a long one says.
const FEW_PAYEES: f32 = 30.0;

/// Something a line has, by which payees are alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Feature {
    Word(String),
    Begin(String),
    Concept(ConceptId),
    Account(usize),
    Size(u32),
}

/// How much a feature says: payees that stand in for those it lacks, and how many square roots damp it.
struct Trust {
    beside: f32,
    roots: u8,
}

impl Feature {
    fn trust(&self) -> Trust {
        match self {
            Self::Word(_) => Trust { beside: 2.5, roots: 0 },
            Self::Begin(_) => Trust { beside: 10.0, roots: 0 },
            Self::Concept(_) => Trust { beside: 1.0, roots: 0 },
            Self::Account(_) => Trust { beside: 6.0, roots: 1 },
            Self::Size(_) => Trust { beside: 40.0, roots: 1 },
        }
    }

    /// Whether it is about what the payee is, rather than about the amount.
    fn tells(&self) -> bool {
        !matches!(self, Self::Size(_))
    }
}

/// What is likely for a line.
#[derive(Debug)]
pub struct Guess {
    /// Chances, together about one.
    pub spread: Spread,
    /// Whether anything about the payee speaks for the first.
    pub is_told: bool,
    /// Payees of the past that share something with this one and went there.
    pub alike: usize,
}

/// What was learned.
#[derive(Debug)]
pub struct Unseen {
    features: FxHashMap<Feature, Spread>,
    /// Where payees went: those that were paid, those that paid.
    paid: Spread,
    paying: Spread,
    accounts: f32,
    /// How often what the words alone say is what the customer does.
    agreement: f32,
    /// The commonest concept of the payees that went to each account.
    concepts: FxHashMap<usize, ConceptId>,
    /// The VAT codes of each account.
    vat: FxHashMap<usize, [u32; Vat::ALL.len()]>,
}

impl Unseen {
    pub fn learn(
        past: &Past,
        decider: &Decider<'_>,
        kinds: &[AccountType],
        control: &dyn Control,
    ) -> Result<Self, Stopped> {
        let mut learned = Self {
            features: FxHashMap::default(),
            paid: Spread::default(),
            paying: Spread::default(),
            accounts: f32::from(u16::try_from(kinds.len()).unwrap_or(u16::MAX)),
            agreement: 0.0,
            concepts: FxHashMap::default(),
            vat: FxHashMap::default(),
        };
        let towns = &decider.knowledge.words.town;
        let step = past.payees.len().div_ceil(MOST_READ).max(1);
        let (mut read, mut agreed) = (0.0_f32, 0.0_f32);
        let mut by_account: FxHashMap<usize, FxHashMap<ConceptId, f32>> = FxHashMap::default();
        let payees: Vec<&Payee> = past.payees.iter().step_by(step).collect();
        let decisions = parallel::map(
            &payees,
            control,
            |_| (),
            |payee| {
                decider.decide(&payee.wording, (payee.money_in, false), Size::of_past(size_of(payee.pence())), None)
            },
        )?;
        for (payee, decision) in payees.into_iter().zip(decisions) {
            let shares = payee.shares();
            for feature in features(towns, &payee.wording, payee.pence(), &decision) {
                let spread = learned.features.entry(feature).or_default();
                for (account, share) in shares.iter().filter(|(account, _)| is_trade(kinds, *account)) {
                    spread.add(account, share);
                }
            }
            let prior = if payee.money_in { &mut learned.paying } else { &mut learned.paid };
            for (account, share) in shares.iter() {
                if is_trade(kinds, account) {
                    prior.add(account, share);
                }
                if let Some(concept) = decision.concept {
                    *by_account.entry(account).or_default().entry(concept).or_default() += share;
                }
            }
            read += 1.0;
            agreed += shares.of(decision.account);
            learned.count_vat(payee);
        }
        learned.agreement = (agreed + 1.0) / (read + 3.0);
        learned.concepts = by_account
            .into_iter()
            .filter_map(|(account, concepts)| {
                let best = concepts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                best.map(|(concept, _)| (account, concept))
            })
            .collect();
        Ok(learned)
    }

    fn count_vat(&mut self, payee: &Payee) {
        for (account, vat) in payee.vat_codes() {
            let place = Vat::ALL.iter().position(|known| *known == vat);
            let counts = self.vat.entry(account).or_default();
            if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
                *count += 1;
            }
        }
    }

    /// What is likely for a line, from what it shares with payees of the past and from what its words alone say.
    pub fn guess(&self, wording: &Wording, line: &Line<'_>, decision: &Decision) -> Guess {
        let towns = &Knowledge::get().words.town;
        let prior = if line.amount > 0 { &self.paying } else { &self.paid };
        let told: Vec<(Feature, &Spread)> = features(towns, wording, line.pence, decision)
            .into_iter()
            .filter_map(|feature| self.features.get(&feature).map(|spread| (feature, spread)))
            .filter(|(_, spread)| spread.total() > 0.0)
            .collect();
        let mut chances = Spread::default();
        let all = prior.total() + NEVER_USED * self.accounts;
        let mut candidates: Vec<usize> =
            told.iter().flat_map(|(_, spread)| spread.iter().map(|(account, _)| account)).collect();
        candidates.extend(prior.iter().map(|(account, _)| account));
        candidates.sort_unstable();
        candidates.dedup();
        for account in candidates {
            let usual = (prior.of(account) + NEVER_USED) / all;
            let mut chance = usual;
            for (feature, spread) in &told {
                let trust = feature.trust();
                let here = (spread.of(account) + trust.beside * usual) / (spread.total() + trust.beside);
                let mut ratio = here / usual;
                for _ in 0..trust.roots {
                    ratio = ratio.sqrt();
                }
                chance *= ratio;
            }
            chances.add(account, chance);
        }
        let sum = chances.total();
        let mut spread = Spread::default();
        if sum > 0.0 {
            for (account, chance) in chances.iter() {
                spread.add(account, chance / sum);
            }
        }
        // What the words alone say, as far as this customer does what words say.
        let known: f32 = decision.raw + decision.others.iter().map(|(_, raw)| raw).sum::<f32>();
        let payees = self.paid.total() + self.paying.total();
        let words = 1.0 - 0.5 * payees / (payees + FEW_PAYEES);
        let share = if decision.method == Method::Fallback { 0.0 } else { words * self.agreement * known.min(1.0) };
        let share = if spread.total() > 0.0 { share } else { 1.0 };
        let mut mixed = Spread::default();
        for (account, chance) in spread.iter() {
            mixed.add(account, chance * (1.0 - share));
        }
        if known > 0.0 {
            for (account, raw) in
                std::iter::once((decision.account, decision.raw)).chain(decision.others.iter().copied())
            {
                mixed.add(account, share * raw / known);
            }
        }
        let first = mixed.ranked().first().map(|(account, _)| *account);
        let alike = told
            .iter()
            .filter(|(feature, _)| feature.tells())
            .filter_map(|(_, spread)| first.map(|account| spread.of(account)))
            .fold(0.0, f32::max);
        let is_told = alike > 0.0;
        Guess { spread: mixed, is_told, alike: whole(alike) }
    }

    /// What payees that went to an account are mostly about.
    pub fn concept_of(&self, account: usize) -> Option<ConceptId> {
        self.concepts.get(&account).copied()
    }

    /// The VAT code that most lines of an account have, where there are some and they agree.
    pub fn vat(&self, account: usize) -> Option<Vat> {
        let counts = self.vat.get(&account)?;
        let total: u32 = counts.iter().sum();
        let (vat, count) = Vat::ALL.into_iter().zip(*counts).max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (total >= 4 && count * 5 >= total * 3).then_some(vat)
    }
}

/// Income and expenses: what is learned from payees never leads others to any other account.
fn is_trade(kinds: &[AccountType], account: usize) -> bool {
    matches!(kinds.get(account), Some(AccountType::Income | AccountType::Expense))
}

fn features(towns: &WordList, wording: &Wording, pence: i128, decision: &Decision) -> Vec<Feature> {
    let mut features = Vec::new();
    for word in wording.text().split(' ').filter(|word| word.chars().count() >= 3).take(8) {
        if word.chars().any(|character| character.is_ascii_digit()) || towns.has(word) {
            continue;
        }
        features.push(Feature::Word(word.chars().take(24).collect()));
        if word.chars().count() > 5 {
            features.push(Feature::Begin(word.chars().take(5).collect()));
        }
    }
    if decision.method != Method::Fallback {
        features.extend(decision.concept.map(Feature::Concept));
        features.push(Feature::Account(decision.account));
    }
    features.push(Feature::Size(size_of(pence)));
    features.sort_unstable();
    features.dedup();
    features
}

/// A sum of shares as a whole number, at least one where there is any.
fn whole(sum: f32) -> usize {
    (0..4000_u16).rev().find(|count| f32::from(*count) <= sum + 0.25).map_or(0, usize::from)
}

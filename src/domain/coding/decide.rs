//! From the clues of one line to an account of the chart.

use std::collections::BTreeMap;

use super::batch::AccountType;
use super::chart::{CONTROL_WORDS, Chart, Fit, capital_of};
use super::evidence::{Clue, Reader, is_person};
use super::hints::Hints;
use super::knowledge::{ConceptId, Knowledge, Strength, Target, WordLists, stem};
use super::meaning::Vector;
use super::outcome::Method;
use super::weights::WEIGHTS;
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
    /// Decided by what is usual in the trade, for want of anything else.
    pub is_usual: bool,
    /// Decided by evidence too weak to decide anything: a distant likeness, what is usual in the trade.
    pub is_weak: bool,
    /// Money out to a private person.
    pub is_to_person: bool,
    /// Other accounts, best first.
    pub others: Vec<(usize, f32)>,
}

/// Words that limit what an account is for: its other words do not lead there by themselves.
const LIMITING_WORDS: &[&str] = &["ABROAD", "OVERSEA", "FOREIGN", "COMPUTER", "IT"];

/// Charts of more accounts are not compared with every line in meaning, account by account.
const COMPARED_WHOLE: usize = 400;

/// What people pay for by card at a counter.
const SOLD_BY_CARD: &[&str] =
    &["sales_services", "sales_goods", "health_income", "catering_sales", "vehicle_sales", "donation_income"];

/// What a concept is in a chart that has no account of its own for it.
struct Replacement {
    concept: &'static str,
    /// How well an account must fit the concept to be its own.
    own_fit: f32,
    /// Whether the rule is for this business and direction (money in or not).
    applies: fn(&Decider<'_>, bool) -> bool,
    replacement: fn(&Decider<'_>) -> Option<ConceptId>,
}

const REPLACEMENTS: &[Replacement] = &[
    // Deposits of customers are sales.
    Replacement {
        concept: "customer_deposits",
        own_fit: 0.5,
        applies: |_, money_in| money_in,
        replacement: |decider| decider.sales,
    },
    // What a card terminal takes is what is sold.
    Replacement {
        concept: "card_takings",
        own_fit: 0.6,
        applies: |decider, _| decider.sells_by_card(),
        replacement: |decider| decider.sales,
    },
    // Whoever is not registered pays HMRC for wages, if for anything the business owes.
    Replacement {
        concept: "hmrc_other",
        own_fit: 0.9,
        applies: |decider, money_in| !money_in && !decider.reader.is_vat_registered(),
        replacement: |decider| {
            decider.knowledge.id("paye").filter(|id| decider.best_fit(*id).is_some_and(|fit| fit >= 0.5))
        },
    },
    // Equipment that is leased is paid off where the chart keeps the agreement as a debt.
    Replacement {
        concept: "equipment_lease",
        own_fit: 0.5,
        applies: |_, money_in| !money_in,
        replacement: |decider| {
            decider.knowledge.id("hp_finance").filter(|id| decider.best_fit(*id).is_some_and(|fit| fit >= 0.7))
        },
    },
    // What an owner takes from a company is the director's loan.
    Replacement {
        concept: "drawings",
        own_fit: 0.75,
        applies: |decider, _| decider.reader.is_company(),
        replacement: |decider| decider.knowledge.id("director_loan"),
    },
];

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
    /// What a payment to an unknown supplier is here.
    pub purchases: Option<ConceptId>,
    /// The account of private customers, where there is one of their own.
    private_customers: Option<Fit>,
    /// Accounts of each group of words that tell accounts apart, and how much of the name it is.
    kin: Vec<Vec<(usize, f32)>>,
    /// Accounts of credit cards.
    cards: Vec<usize>,
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
        (sales, purchases): (Option<ConceptId>, Option<ConceptId>),
    ) -> Self {
        let private = knowledge.id("private_customer_sales").and_then(|id| chart.fits(id).first().copied());
        let private_customers = private.filter(|fit| fit.score >= 0.75);
        let cards = knowledge.id("credit_card").map_or(&[][..], |id| chart.fits(id));
        let cards = cards.iter().filter(|fit| fit.score >= 0.6).map(|fit| fit.account).collect();
        let kin = knowledge.affinities.accounts(&chart.words);
        let rare = rare_words(chart, &knowledge.words);
        Self { knowledge, chart, reader, hints, sales, purchases, private_customers, kin, cards, rare }
    }

    /// Decides a line by its own words. `is_large` says that equipment of this price is an asset, `digits` how many binary
    /// digits the amount has in pence.
    pub fn decide(&self, wording: &Wording, money_in: bool, is_large: bool, digits: u32) -> Decision {
        let vector = self.knowledge.meaning.vector(wording.text());
        let mut clues = self.reader.clues(wording, &vector, money_in, digits);
        clues.truncate(12);
        if is_large && !money_in {
            for clue in &mut clues {
                clue.concept = self.capital(clue.concept);
            }
        }
        self.replace(&mut clues, money_in);
        let gives_back = !money_in && self.is_about(clues.first(), &["customer_refund"]);
        let sold = if gives_back { self.sold(wording, &vector, digits) } else { None };
        self.reverse_sales(&mut clues, sold);
        let mut named = self.named_accounts(wording, &vector, &clues, money_in || gives_back);
        // What a bank charges is no payment of its card.
        if self.is_about(clues.first(), &["bank_charges", "card_fees", "interest_paid"]) {
            named.retain(|account, _| !self.is_card(*account));
        }
        let worded = clues.len();
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        self.add_usual(&mut clues, wording, money_in);
        // A person who pays is a private customer, where the chart keeps them apart.
        if money_in
            && is_person(&wording.payee)
            && let Some(fit) = self.private_customers
        {
            *named.entry(fit.account).or_insert(0.0) += WEIGHTS.account_word * 0.6;
        }
        let best_named = named.values().copied().fold(0.0, f32::max);
        let is_to_person = !money_in && wording.channel != Channel::Card && is_person(&wording.payee);
        if clues.iter().all(|clue| clue.score < WEIGHTS.fallback_below) && best_named == 0.0 {
            return Decision { is_to_person, ..self.unknown(money_in) };
        }
        self.add_alike_words(wording, &clues, &mut named, money_in);
        self.clear_net_wages(&clues, &mut named);
        if !money_in {
            self.drop_income(&mut clues, gives_back);
        }
        let decision = self.weigh(&clues, &named, money_in, gives_back);
        let usual = clues.get(worded..).unwrap_or_default().iter().any(|clue| Some(clue.concept) == decision.concept);
        let is_usual = usual && decision.method == Method::Semantic;
        let is_weak = match decision.method {
            Method::Semantic => decision.raw < WEIGHTS.weak_below || strongest < WEIGHTS.weak_alone,
            // One shared word that other accounts have as well, or that other evidence speaks against.
            Method::AccountName => decision.raw < WEIGHTS.weak_name_below,
            _ => false,
        };
        Decision { is_to_person, is_usual, is_weak, ..decision }
    }

    /// Whether a clue is about one of these concepts.
    fn is_about(&self, clue: Option<&Clue>, concepts: &[&str]) -> bool {
        clue.is_some_and(|clue| concepts.contains(&self.knowledge.concept(clue.concept).name))
    }

    /// How well the best account of the chart fits a concept.
    fn best_fit(&self, concept: ConceptId) -> Option<f32> {
        self.chart.fits(concept).first().map(|fit| fit.score)
    }

    /// Gives clues the concept that theirs is in this chart and this business: [`REPLACEMENTS`], in their order.
    fn replace(&self, clues: &mut [Clue], money_in: bool) {
        for rule in REPLACEMENTS.iter().filter(|rule| (rule.applies)(self, money_in)) {
            let concept = self.knowledge.id(rule.concept);
            let has_own = concept.and_then(|id| self.best_fit(id)).is_some_and(|fit| fit >= rule.own_fit);
            for clue in clues.iter_mut().filter(|clue| Some(clue.concept) == concept && !has_own) {
                clue.concept = (rule.replacement)(self).unwrap_or(clue.concept);
            }
        }
    }

    /// Whether what is sold here is paid for by card at a counter.
    fn sells_by_card(&self) -> bool {
        self.sales.is_some_and(|id| SOLD_BY_CARD.contains(&self.knowledge.concept(id).name))
    }

    /// Money back to a customer comes out of the sales it was part of: `sold` where the line names it, else the usual ones.
    fn reverse_sales(&self, clues: &mut [Clue], sold: Option<ConceptId>) {
        for clue in clues {
            let reverses = match self.knowledge.concept(clue.concept).name {
                "customer_refund" => true,
                // A receipt that bounced was a sale, unless the chart keeps bad debts.
                "bad_debt" => self.best_fit(clue.concept).is_none_or(|fit| fit < 0.6),
                _ => false,
            };
            if reverses {
                clue.concept = sold.or(self.sales).unwrap_or(clue.concept);
            }
        }
    }

    /// Adds what is usual in the trade where the words say little: an unknown payer buys what is sold here, and most
    /// unknown suppliers sell what the trade buys.
    fn add_usual(&self, clues: &mut Vec<Clue>, wording: &Wording, money_in: bool) {
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        let usual = if money_in {
            let is_sale = strongest < WEIGHTS.sale_below && wording.channel != Channel::Card;
            self.sales.filter(|_| is_sale).map(|concept| (concept, WEIGHTS.sale))
        } else {
            let is_purchase = strongest < WEIGHTS.purchase_below && !is_person(&wording.payee);
            let has_account = |concept: &ConceptId| self.best_fit(*concept).is_some_and(|fit| fit >= 0.5);
            let purchases = self.purchases.filter(|_| is_purchase).filter(has_account);
            purchases.map(|concept| (concept, WEIGHTS.purchase))
        };
        clues.extend(usual.map(|(concept, score)| Clue { concept, score, method: Method::Semantic }));
    }

    /// Pay clears what is owed as net wages, where the chart posts the cost by journal: the accounts of the cost are not
    /// meant then, although the line names them.
    fn clear_net_wages(&self, clues: &[Clue], named: &mut BTreeMap<usize, f32>) {
        let Some(pay) = clues.first().filter(|clue| self.is_about(Some(clue), &["salaries", "director_salary"])) else {
            return;
        };
        if let [owed, costs @ ..] = self.chart.fits(pay.concept)
            && self.chart.kinds.get(owed.account) == Some(&AccountType::Liability)
        {
            let is_cost = |account: usize| self.chart.kinds.get(account) == Some(&AccountType::Expense);
            named.retain(|account, _| !(is_cost(*account) && costs.iter().any(|fit| fit.account == *account)));
        }
    }

    /// What was sold, if a line that gives money back tells.
    fn sold(&self, wording: &Wording, vector: &Vector, digits: u32) -> Option<ConceptId> {
        let clues = self.reader.clues(wording, vector, true, digits);
        let income = |clue: &&Clue| {
            let concept = self.knowledge.concept(clue.concept);
            concept.is_income() && !matches!(concept.name, "customer_refund" | "cashback" | "other_income")
        };
        clues.iter().find(income).filter(|clue| clue.score >= 1.0).map(|clue| clue.concept)
    }

    /// The asset that equipment is when it is dear enough, if the chart has an account for it.
    fn capital(&self, concept: ConceptId) -> ConceptId {
        let fits = |id: &ConceptId| self.best_fit(*id).is_some_and(|fit| fit >= 0.5);
        let asset = capital_of(self.knowledge.concept(concept).name).and_then(|name| self.knowledge.id(name));
        asset.filter(fits).unwrap_or(concept)
    }

    /// Money that goes out is no income, unless it goes back to a customer.
    fn drop_income(&self, clues: &mut Vec<Clue>, gives_back: bool) {
        let has_other = clues.iter().any(|clue| !self.knowledge.concept(clue.concept).is_income());
        if !gives_back && has_other {
            clues.retain(|clue| !self.knowledge.concept(clue.concept).is_income());
        }
    }

    /// Whether money may go to an account on such evidence: to income only when it goes back to a customer; to own bank
    /// accounts and cards, debtors, creditors, VAT and other accounts of the balance sheet only on words that mean them.
    fn may_go(&self, account: usize, method: Option<Method>, money_in: bool, gives_back: bool) -> bool {
        match self.chart.kinds.get(account) {
            Some(AccountType::Expense) | None => true,
            Some(AccountType::Income) => money_in || gives_back,
            Some(AccountType::Asset | AccountType::Liability | AccountType::Equity) => match method {
                Some(Method::UniversalPattern) => true,
                // By a word of its name that is not the word for such accounts.
                Some(Method::AccountName) => !self.chart.is_kept_by_documents(account) && !self.is_card(account),
                Some(Method::Merchant) => !self.chart.is_control(account),
                _ => false,
            },
        }
    }

    /// Whether a concept is what customers owe or suppliers are owed.
    fn is_of_documents(&self, concept: ConceptId) -> bool {
        matches!(self.knowledge.concept(concept).name, "trade_debtors" | "trade_creditors")
    }

    /// Whether an account is income or expense.
    fn is_trade(&self, account: usize) -> bool {
        matches!(self.chart.kinds.get(account), Some(AccountType::Income | AccountType::Expense))
    }

    /// Spreads each concept over its accounts and takes the account with most weight.
    fn weigh(&self, clues: &[Clue], named: &BTreeMap<usize, f32>, money_in: bool, gives_back: bool) -> Decision {
        let mut by_account: BTreeMap<usize, Weight> = BTreeMap::new();
        let mut total = (WEIGHTS.sharpness * WEIGHTS.nothing).exp();
        for clue in clues {
            let fits = self.chart.fits(clue.concept);
            let Some(best) = fits.first() else { continue };
            // A chart without an account for a concept makes the concept less likely.
            let weight = (WEIGHTS.sharpness * clue.score).exp()
                * (WEIGHTS.fit_floor + (1.0 - WEIGHTS.fit_floor) * best.score.min(1.0) * best.score.min(1.0));
            total += weight;
            // Among the accounts of a concept, one that the line names is meant.
            let scores: Vec<f32> = fits
                .iter()
                .map(|fit| fit.score + WEIGHTS.named_among * named.get(&fit.account).copied().unwrap_or(0.0).min(1.6))
                .collect();
            let top = scores.iter().copied().fold(0.0, f32::max);
            let shares: Vec<f32> =
                scores.iter().map(|score| (WEIGHTS.account_sharpness * (score - top)).exp()).collect();
            let sum: f32 = shares.iter().sum();
            for (fit, share) in fits.iter().zip(shares) {
                // What a wide name or a distant likeness leads to is no reason to touch the balance sheet.
                let is_plain = clue.method == Method::UniversalPattern && !self.is_about(Some(clue), &["drawings"]);
                let is_meant = is_plain || self.is_trade(fit.account) || named.contains_key(&fit.account);
                if fit.score < WEIGHTS.balance_sheet_fit && !is_meant {
                    continue;
                }
                let part = weight * share / sum;
                let account = by_account.entry(fit.account).or_default();
                account.sum += part;
                if part > account.best {
                    account.best = part;
                    account.concept = Some(clue.concept);
                    account.method = Some(clue.method);
                }
            }
        }
        for (account, score) in named {
            let weight = (WEIGHTS.sharpness * score).exp() - 1.0;
            total += weight;
            let entry = by_account.entry(*account).or_default();
            // With other evidence for the same account a shared word confirms; alone it decides.
            if weight > entry.best {
                entry.method = Some(Method::AccountName);
                entry.best = weight;
            }
            entry.sum += weight;
        }
        let mut ranked: Vec<(usize, Weight)> = by_account.into_iter().collect();
        ranked.sort_by(|(a, left), (b, right)| right.sum.total_cmp(&left.sum).then(a.cmp(b)));
        ranked.retain(|(account, weight)| {
            let is_of_documents = self.chart.is_of_documents(*account)
                && !weight.concept.is_some_and(|concept| self.is_of_documents(concept));
            !is_of_documents && self.may_go(*account, weight.method, money_in, gives_back)
        });
        let Some((account, weight)) = ranked.first().cloned() else { return self.unknown(money_in) };
        let concept = weight.concept.or_else(|| self.concept_of(account));
        let others = ranked.iter().skip(1).take(3).map(|(other, weight)| (*other, weight.sum / total)).collect();
        Decision {
            account,
            concept,
            method: weight.method.unwrap_or(Method::Semantic),
            raw: weight.sum / total,
            is_usual: false,
            is_weak: false,
            is_to_person: false,
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
            is_usual: false,
            is_weak: false,
            is_to_person: false,
            others: Vec::new(),
        }
    }

    /// Accounts that the line points to by itself: a rare word of the name is in the line, or in what the context says
    /// about its payee, or the name is like the line in meaning.
    pub fn named_accounts(
        &self,
        wording: &Wording,
        vector: &Vector,
        clues: &[Clue],
        money_in: bool,
    ) -> BTreeMap<usize, f32> {
        let mut named: BTreeMap<usize, f32> = BTreeMap::new();
        for group in self.knowledge.affinities.find(&wording.padded, money_in) {
            let accounts = self.kin.get(group).map_or(&[][..], Vec::as_slice);
            // What is bought or sold, that is: nobody owes a butcher.
            let kind = if money_in { AccountType::Income } else { AccountType::Expense };
            let takers: Vec<&(usize, f32)> =
                accounts.iter().filter(|(account, _)| self.chart.kinds.get(*account) == Some(&kind)).collect();
            let shared = match takers.len() {
                0 | 1 => 1.0,
                2 => 0.75,
                _ => 0.5,
            };
            for (account, part) in takers {
                let score = named.entry(*account).or_insert(0.0);
                *score = score.max(WEIGHTS.affinity * part * shared);
            }
        }
        let mut add = |word: &str, weight: f32, phrase: Option<&Phrase>| {
            for (account, part) in self.rare.get(word).map_or(&[][..], Vec::as_slice) {
                if self.takes(*account, money_in) {
                    let meant = if is_meant(phrase, *account) { 1.0 } else { WEIGHTS.word_of_a_phrase };
                    *named.entry(*account).or_insert(0.0) += weight * part * meant;
                }
            }
        };
        let phrases = self.phrases(wording, money_in);
        let mut before = "";
        for (word, phrase) in words_within(wording.text(), &phrases) {
            add(&stem(word), WEIGHTS.account_word, phrase);
            // A name may join what the line parts: *Clubroom hire*.
            add(&stem(&[before, word].concat()), WEIGHTS.account_word, phrase);
            before = word;
        }
        // Of several owners' accounts, the one that has this owner's name.
        for name in self.reader.owner_of(wording).unwrap_or_default() {
            add(&stem(name), WEIGHTS.owners_account, None);
        }
        for (hint, payee) in self.hints.about(wording.text()) {
            for word in hint.near(payee) {
                add(&word, WEIGHTS.hinted_word, None);
            }
        }
        let outline = vector.outline();
        // Beside strong evidence of what was bought, likeness only settles ties.
        let is_known = !money_in && clues.first().is_some_and(|clue| clue.score >= WEIGHTS.usual);
        let like = WEIGHTS.like * if is_known { WEIGHTS.like_beside } else { 1.0 };
        let mut compare = |account: usize| {
            let Some(theirs) = self.chart.outlines.get(account) else { return };
            if !theirs.may_exceed(&outline, WEIGHTS.like_from) || !self.takes(account, money_in) {
                return;
            }
            let near = self.chart.vectors.get(account).map_or(0.0, |theirs| vector.cosine(theirs)) - WEIGHTS.like_from;
            if near > 0.0 {
                *named.entry(account).or_insert(0.0) += like * near;
            }
        };
        if self.chart.kinds.len() <= COMPARED_WHOLE {
            (0..self.chart.kinds.len()).for_each(&mut compare);
        } else {
            self.candidates(wording, clues).into_iter().for_each(&mut compare);
        }
        named
    }

    /// Accounts of a large chart that a line may be like: those with a rare word of it, and those of what it is about.
    fn candidates(&self, wording: &Wording, clues: &[Clue]) -> Vec<usize> {
        let words = wording.text().split(' ').filter_map(|word| self.rare.get(&stem(word)));
        let mut accounts: Vec<usize> = words.flatten().map(|(account, _)| *account).collect();
        accounts.extend(clues.iter().take(4).flat_map(|clue| self.chart.fits(clue.concept)).map(|fit| fit.account));
        accounts.sort_unstable();
        accounts.dedup();
        accounts
    }

    /// Known phrases of a line. What a word says inside one is what the phrase says: no skip hire is the hire of a hall.
    fn phrases(&self, wording: &Wording, money_in: bool) -> Vec<Phrase> {
        let mut found = Vec::new();
        self.knowledge.patterns.find(&wording.padded, &mut found);
        let phrases = found.iter().filter(|hit| hit.words >= 2).filter_map(|hit| {
            let fits = |target: &&Target| {
                target.strength >= Strength::Usual && target.money_in.is_none_or(|wanted| wanted == money_in)
            };
            let concepts: Vec<ConceptId> = hit.targets.iter().filter(fits).map(|target| target.concept).collect();
            let accounts = concepts.iter().flat_map(|concept| {
                let fits = self.chart.fits(*concept);
                let best = fits.first().map_or(0.0, |fit| fit.score);
                fits.iter().filter(move |fit| fit.score >= best - WEIGHTS.phrase_fit).map(|fit| fit.account)
            });
            (!concepts.is_empty()).then(|| Phrase { start: hit.start, end: hit.end, accounts: accounts.collect() })
        });
        phrases.collect()
    }

    /// Among the accounts of what a line is about, those with a word that is like one of the line's: eggs and dairy.
    fn add_alike_words(&self, wording: &Wording, clues: &[Clue], named: &mut BTreeMap<usize, f32>, money_in: bool) {
        let phrases = self.phrases(wording, money_in);
        let words: Vec<(Vector, Option<&Phrase>)> = words_within(wording.text(), &phrases)
            .filter(|(word, _)| word.chars().count() >= 4)
            .take(10)
            .map(|(word, phrase)| (self.knowledge.meaning.vector(word), phrase))
            .collect();
        let mut seen = Vec::new();
        for fit in clues.iter().take(2).flat_map(|clue| self.chart.fits(clue.concept)) {
            if seen.contains(&fit.account) {
                continue;
            }
            seen.push(fit.account);
            let theirs = self.chart.word_meanings(fit.account);
            let meant = |(_, phrase): &&(Vector, Option<&Phrase>)| is_meant(*phrase, fit.account);
            let near = theirs
                .flat_map(|their| words.iter().filter(meant).map(|(word, _)| word.cosine(their)))
                .fold(0.0, f32::max);
            if near > WEIGHTS.word_like_from {
                *named.entry(fit.account).or_insert(0.0) += WEIGHTS.word_like * (near - WEIGHTS.word_like_from);
            }
        }
    }

    /// Whether an account is that of a credit card.
    fn is_card(&self, account: usize) -> bool {
        self.cards.contains(&account)
    }

    /// Whether a line of this direction may go to an account for its name alone.
    fn takes(&self, account: usize, money_in: bool) -> bool {
        // What a card company pays in are takings, whatever card of its one has.
        if money_in && self.is_card(account) {
            return false;
        }
        match self.chart.kinds.get(account) {
            Some(AccountType::Income) => money_in,
            Some(AccountType::Expense) => !money_in,
            Some(AccountType::Liability | AccountType::Equity) => true,
            Some(AccountType::Asset) | None => false,
        }
    }
}

/// A phrase of a line that means something as a whole, with the accounts for that.
struct Phrase {
    start: usize,
    end: usize,
    accounts: Vec<usize>,
}

/// The words of a line, each with the phrase it is in. A text begins one place behind its padding.
fn words_within<'p>(text: &'p str, phrases: &'p [Phrase]) -> impl Iterator<Item = (&'p str, Option<&'p Phrase>)> {
    let mut at = 1;
    text.split(' ').map(move |word| {
        let (start, end) = (at, at + word.len());
        at = end + 1;
        (word, phrases.iter().find(|phrase| phrase.start <= start && end <= phrase.end))
    })
}

/// Whether a word speaks for an account: one of a phrase only for the accounts of what the phrase says.
fn is_meant(phrase: Option<&Phrase>, account: usize) -> bool {
    phrase.is_none_or(|phrase| phrase.accounts.contains(&account))
}

#[derive(Debug, Clone, Default)]
struct Weight {
    sum: f32,
    best: f32,
    concept: Option<ConceptId>,
    method: Option<Method>,
}

/// Words that only a few accounts of the chart have.
fn rare_words(chart: &Chart, lists: &WordLists) -> BTreeMap<String, Vec<(usize, f32)>> {
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (account, words) in chart.words.iter().enumerate() {
        for word in words.iter().filter(|word| {
            word.stem.chars().count() >= 3
                && !lists.account_plain.has(&word.stem)
                && !CONTROL_WORDS.contains(&word.stem.as_str())
        }) {
            let accounts = holders.entry(&word.stem).or_default();
            if accounts.last() != Some(&account) {
                accounts.push(account);
            }
        }
    }
    let mut rare = BTreeMap::new();
    for (word, accounts) in holders.into_iter().filter(|(_, accounts)| accounts.len() <= 4) {
        let shared = match accounts.len() {
            1 => 1.0,
            2 => 0.75,
            3 => 0.5,
            _ => 0.4,
        };
        let parts = accounts.iter().map(|account| {
            let count = chart.words.get(*account).map_or(1, Vec::len).clamp(1, 6);
            let words = f32::from(u8::try_from(count).unwrap_or(6));
            // The travel of *Travel abroad* says little without the abroad.
            let is_limited = !LIMITING_WORDS.contains(&word)
                && chart
                    .words
                    .get(*account)
                    .is_some_and(|words| words.iter().any(|other| LIMITING_WORDS.contains(&other.stem.as_str())));
            let meant = if is_limited { WEIGHTS.word_of_a_phrase } else { 1.0 };
            (*account, (0.55 + 0.45 / words) * shared * meant)
        });
        rare.insert(word.to_owned(), parts.collect());
    }
    rare
}

//! What the caller's own account that a line is from says of it: sales at the bar, money of clients, a payment service.

use std::collections::{BTreeMap, BTreeSet};

use super::{DEPOSITS, Decider, Decision};
use crate::domain::coding::batch::AccountType;
use crate::domain::coding::evidence::Clue;
use crate::domain::coding::knowledge::stem;
use crate::domain::coding::line::Tags;
use crate::domain::coding::outcome::Method;
use crate::domain::coding::person::is_person;
use crate::domain::coding::text::fold;
use crate::domain::coding::transfer::is_processor;
use crate::domain::coding::weights::WEIGHTS;
use crate::domain::coding::wording::{Channel, Wording};

/// Stems of whose money agents hold.
const CLIENTS: &[&str] = &["CLIENT", "LANDLORD", "TENANT"];

/// Concepts of what is bought to be sold.
const STOCK: &[&str] = &["alcohol_stock", "cogs", "food_stock"];

/// The same, and what clubs and halls otherwise buy in such shops.
const BOUGHT_TO_BE_SOLD: &[&str] = &[
    "alcohol_stock",
    "cogs",
    "event_costs",
    "flowers_stock",
    "food_stock",
    "general_store",
    "seeds_fertiliser",
    "supermarket",
];

/// Words of income accounts beside the main one of a part of the business.
const BESIDE: &[&str] = &["DONATION", "GIFT", "GRANT", "INTEREST", "OTHER", "SUNDRY"];

/// Words of bank accounts in which money is put aside: nothing is sold there.
const PUT_ASIDE: &[&str] = &["DEPOSIT", "FUND", "GENERAL", "INSTANT", "RESERVE", "SAVER", "SAVING"];

/// Whether a word of the name of a bank account says what it is for.
fn is_telling(word: &str) -> bool {
    const OF_BANKS: &[&str] = &[
        "ACCOUNT",
        "BANK",
        "BUSINESS",
        "CARD",
        "CASH",
        "CHARITY",
        "CLUB",
        "COMMUNITY",
        "CREDIT",
        "CURRENT",
        "DEPOSIT",
        "FARM",
        "FUND",
        "GENERAL",
        "INSTANT",
        "MAIN",
        "RESERVE",
        "SAVER",
        "SAVING",
        "TAX",
        "TRADING",
        "VAT",
    ];
    word.chars().count() >= 3 && !OF_BANKS.contains(&word)
}

impl Decider<'_> {
    /// Whether some of the caller's own accounts are for parts of the business.
    pub fn has_parts(&self) -> bool {
        self.home_sales.iter().any(Option::is_some)
            || self.home_stock.iter().any(Option::is_some)
            || self.home_divisions.iter().any(|accounts| !accounts.is_empty())
    }

    /// Reads the names of the caller's own accounts: whose money one holds, which is that of a payment service and, of several, what
    /// is sold where one's money comes from (the bar's account).
    pub fn of_accounts(mut self, tags: &Tags<'_>) -> Self {
        let sold = |tag: &&str| {
            let words: Vec<String> =
                fold(tag).split(' ').map(stem).filter(|word| !PUT_ASIDE.contains(&word.as_str())).collect();
            let named = words.iter().filter_map(|word| {
                let of_income = |account: &&(usize, f32)| self.chart.kinds.get(account.0) == Some(&AccountType::Income);
                let only = |mut accounts: Vec<(usize, f32)>| accounts.pop().filter(|_| accounts.is_empty());
                let rare = self.chart.by_name.of_rare_word(word);
                // *Hall lettings* rather than *Hall - other income*.
                let is_main =
                    |account: &&(usize, f32)| !BESIDE.iter().any(|beside| self.chart.has_word(account.0, beside));
                only(rare.iter().filter(of_income).copied().collect())
                    .or_else(|| only(rare.iter().filter(of_income).filter(is_main).copied().collect()))
            });
            let mut named: Vec<(usize, f32)> = named.collect();
            named.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            named.dedup_by_key(|(account, _)| *account);
            if let [account] = named.as_slice() { Some(*account) } else { None }
        };
        let owed = (0..self.chart.kinds.len()).find(|account| self.is_owed_to_clients(*account));
        let of_clients =
            |tag: &&str| owed.filter(|_| fold(tag).split(' ').any(|word| CLIENTS.contains(&stem(word).as_str())));
        let is_service = |tag: &&str| fold(tag).split(' ').any(is_processor);
        self.home_services = tags.names().iter().map(is_service).collect();
        self.home_clients = tags.names().iter().map(of_clients).collect();
        if tags.names().len() > 1 {
            self.home_sales = tags.names().iter().map(sold).collect();
            self.home_stock = tags.names().iter().map(|tag| self.stock_of(tag)).collect();
            let divisions: Vec<BTreeSet<usize>> = tags.names().iter().map(|tag| self.division_of(tag)).collect();
            if divisions.iter().any(|division| !division.is_empty()) {
                self.home_divisions = divisions;
            }
        }
        self
    }

    /// The accounts of the part of the business that one of the caller's own accounts is for: those with *Hall* in their names for the
    /// hall's account, where there are several.
    fn division_of(&self, tag: &str) -> BTreeSet<usize> {
        let words: Vec<String> = fold(tag).split(' ').map(stem).filter(|word| is_telling(word)).collect();
        let is_trade = |account: &usize| {
            matches!(self.chart.kinds.get(*account), Some(AccountType::Income | AccountType::Expense))
        };
        let accounts: BTreeSet<usize> = (0..self.chart.kinds.len())
            .filter(is_trade)
            .filter(|account| words.iter().any(|word| self.chart.has_word(*account, word)))
            .collect();
        let has_kind = |kind| accounts.iter().any(|account| self.chart.kinds.get(*account) == Some(&kind));
        if has_kind(AccountType::Income) && has_kind(AccountType::Expense) { accounts } else { BTreeSet::new() }
    }

    /// Of the accounts of what a line is about, those of the part of the business that its own account is for are meant, and of a line from
    /// another account those of no such part; these are the answer.
    pub(super) fn add_home_division(
        &self,
        home: Option<usize>,
        clues: &[Clue],
        named: &mut BTreeMap<usize, f32>,
    ) -> BTreeSet<usize> {
        const NEAR: f32 = 0.25;
        const FIT_MIN: f32 = 0.6;
        let Some(own) = home.and_then(|home| self.home_divisions.get(home)) else { return BTreeSet::new() };
        let is_of_division = |account: &usize| self.home_divisions.iter().any(|division| division.contains(account));
        let mut meant_at_all = BTreeSet::new();
        for clue in clues.iter().take(2) {
            let fits = self.chart.fits(clue.concept);
            let best = fits.first().map_or(0.0, |fit| fit.score);
            let near: Vec<usize> = fits
                .iter()
                .filter(|fit| fit.score >= best - NEAR && fit.score >= FIT_MIN)
                .map(|fit| fit.account)
                .collect();
            let is_sibling =
                |account: usize| near.iter().any(|other| is_of_division(other) && self.are_siblings(account, *other));
            // What both are for: *Hall repairs* for *Church repairs*; a bar's equipment is none of its beer.
            let is_alike = |account: usize| {
                near.iter().any(|other| !own.contains(other) && self.shared_words(account, *other) > 0)
            };
            let is_meant = |account: &usize| match own.is_empty() {
                true => !is_of_division(account) && is_sibling(*account),
                false => own.contains(account) && is_alike(*account),
            };
            let meant: Vec<usize> = near.iter().copied().filter(is_meant).collect();
            if meant.len() < near.len() {
                meant_at_all.extend(meant);
            }
        }
        for account in &meant_at_all {
            *named.entry(*account).or_insert(0.0) += WEIGHTS.account_word * WEIGHTS.home_word;
        }
        meant_at_all
    }

    /// The account of what is bought to be sold where one of the caller's own accounts is: *Bar stock* for the bar's account, which
    /// sells under its name as well.
    fn stock_of(&self, tag: &str) -> Option<usize> {
        let words: Vec<String> = fold(tag).split(' ').map(stem).filter(|word| is_telling(word)).collect();
        let is_of = |account: usize, kind, word: &str| {
            self.chart.kinds.get(account) == Some(&kind) && self.chart.has_word(account, word)
        };
        let sells = |word: &str| (0..self.chart.kinds.len()).any(|account| is_of(account, AccountType::Income, word));
        let word = words.iter().find(|word| sells(word))?;
        let is_stock = |account: &usize| {
            is_of(*account, AccountType::Expense, word)
                && STOCK.iter().any(|concept| self.fit(*account, concept) >= WEIGHTS.own_account)
        };
        self.only_account(is_stock)
    }

    /// What is bought from the account of a bar, a cafe or a shop is bought to be sold there, unless it is known for something else.
    pub(super) fn add_home_stock(
        &self,
        home: Option<usize>,
        clues: &[Clue],
        wording: &Wording,
        named: &mut BTreeMap<usize, f32>,
    ) {
        let Some(account) = home.and_then(|home| self.home_stock.get(home).copied().flatten()) else { return };
        let is_goods =
            clues.first().is_none_or(|clue| clue.score < WEIGHTS.usual || self.is_about(Some(clue), BOUGHT_TO_BE_SOLD));
        if is_goods && !is_person(&wording.payee) && wording.channel != Channel::Cash {
            *named.entry(account).or_insert(0.0) += WEIGHTS.account_word * WEIGHTS.home_word;
        }
    }

    /// What a payment service's own account takes is sold online, and what it keeps are its fees.
    pub(super) fn add_of_service(&self, clues: &mut Vec<Clue>, wording: &Wording, money_in: bool, home: Option<usize>) {
        if home.is_none_or(|home| self.home_services.get(home) != Some(&true)) {
            return;
        }
        let strongest = clues.first().map_or(0.0, |clue| clue.score);
        let is_fee = ["FEE", "PAYMENT FEE", "TRANSACTION FEE"].iter().any(|fee| wording.text().starts_with(fee));
        let concept = match money_in {
            true if strongest < WEIGHTS.usual => self.knowledge.id("online_sales"),
            false if is_fee => self.knowledge.id("card_fees"),
            _ => None,
        };
        if let Some(concept) = concept {
            clues.insert(
                0,
                Clue { concept, score: strongest.max(WEIGHTS.usual) + WEIGHTS.usual, method: Method::Merchant },
            );
        }
    }

    /// Whether an account is what clients are owed whose money is held, apart from deposits.
    fn is_owed_to_clients(&self, account: usize) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| self.chart.has_word(account, word));
        self.chart.kinds.get(account) == Some(&AccountType::Liability) && has(CLIENTS) && !has(&["DEPOSIT"])
    }

    /// What comes into an account of clients' money is theirs, and what leaves it is paid for them.
    pub(super) fn of_clients(&self, wording: &Wording, owed: usize, money_in: bool) -> Decision {
        const SURE: f32 = 0.95;
        let is_deposit = wording.text().split(' ').any(|word| DEPOSITS.contains(&word) && word != "KEY");
        // "Holding deposit": of several accounts the one that has most of the line's words.
        let words: Vec<String> = wording.text().split(' ').map(stem).collect();
        let shared = |account: usize| words.iter().filter(|word| self.chart.has_word(account, word)).count();
        let holding = (0..self.chart.kinds.len()).filter(|account| self.holds_deposits(*account));
        let deposits = holding.max_by_key(|account| (shared(*account), std::cmp::Reverse(*account)));
        let account = deposits.filter(|_| is_deposit).unwrap_or(owed);
        Decision { account, method: Method::AccountName, raw: SURE, is_of_clients: true, ..self.unknown(money_in) }
    }
}

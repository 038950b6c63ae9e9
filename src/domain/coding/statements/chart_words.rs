//! The accounts of a chart by the words that a context has for them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Token;
use super::reading::ends_part;
use crate::domain::coding::batch::{Account, AccountType};
use crate::domain::coding::instructions::{is_code, is_payment_service};
use crate::domain::coding::knowledge::{GOODS, name_words};

/// As many accounts may have the part of a name that is given: the income and the cost of one thing.
const TIED_MAX: usize = 2;
/// Most words of an account's name that are compared.
const ACCOUNT_WORDS_MAX: usize = 6;
/// A single word of an account's name tells it from so many letters on.
const TELLING_LETTERS_MIN: usize = 4;
/// Words of an account's name that a context may leave out where it gives one of them.
const LEFT_OUT_MAX: usize = 2;

/// Words of accounts that tell none where they stand alone.
const UNTELLING: &[&str] = &[
    "ACCOUNT",
    "BANK",
    "CARD",
    "CASH",
    "CHARGE",
    "COST",
    "EXPENSE",
    "FEE",
    "FUND",
    "GENERAL",
    "INCOME",
    "LIABILITY",
    "MONEY",
    "OTHER",
    "PAID",
    "PAYABLE",
    "PAYMENT",
    "PERSONAL",
    "RECEIVED",
];

/// Words of what is sold that tell no account of it.
const UNTELLING_SALES: &[&str] =
    &["CUSTOMER", "ONLINE", "OTHER", "SALE", "SERVICE", "SUNDRY", "TAKING", "WEB", "WEBSITE"];

/// Words of assets that payments go to: what customers owe, what a journal clears.
const KEPT: &[&str] =
    &["CLEARING", "CONTROL", "DEBTOR", "DISBURSEMENT", "DUE", "EQUIPMENT", "LOAN", "OWED", "RECEIVABLE", "TILL"];

/// The stems of an account's name, each once.
fn stems_of(name: &str) -> Vec<String> {
    let mut stems: Vec<String> = name_words(name).into_iter().map(|word| word.stem).collect();
    let mut seen = BTreeSet::new();
    stems.retain(|stem| seen.insert(stem.clone()));
    stems
}

/// The accounts of a chart by the stems of their names.
pub(super) struct ChartWords {
    stems: Vec<Vec<String>>,
    pub(super) by_stem: FxHashMap<String, Vec<usize>>,
    /// Codes that cannot be taken for words.
    by_code: FxHashMap<String, usize>,
    /// Accounts of what is sold.
    income: Vec<usize>,
}

/// Accounts that some words name: one, or an income and an expense of one name.
pub(super) struct Named {
    pub(super) accounts: Vec<usize>,
    /// The name is there in full, or all but a word of it.
    pub(super) is_whole: bool,
    /// Tokens of the context that it takes.
    pub(super) taken: usize,
}

impl ChartWords {
    pub(super) fn read(accounts: &[Account<'_>]) -> Self {
        let stems = accounts.iter().map(|account| {
            let stems = stems_of(&account.name);
            // Money is moved to an own account rather than spent on it, and "plus VAT" is no account.
            let has = |words: &[&str]| stems.iter().any(|stem| words.contains(&stem.as_str()));
            if has(&["VAT"]) || account.kind == AccountType::Asset && !has(KEPT) { Vec::new() } else { stems }
        });
        let stems: Vec<Vec<String>> = stems.collect();
        let mut by_stem: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (account, stems) in stems.iter().enumerate() {
            for stem in stems {
                by_stem.entry(stem.clone()).or_default().push(account);
            }
        }
        let is_meant = |at: usize| stems.get(at).is_some_and(|stems| !stems.is_empty());
        let codes = accounts.iter().enumerate().filter(|(at, account)| is_meant(*at) && is_code(&account.code));
        let by_code = codes.map(|(at, account)| (account.code.to_string(), at)).collect();
        let income = accounts.iter().enumerate().filter(|(_, account)| account.kind == AccountType::Income);
        let income = income.map(|(at, _)| at).collect();
        Self { stems, by_stem, by_code, income }
    }

    /// The income account that has most words of what a payment service is said to take: "Stripe is course bookings".
    pub(super) fn sales_of(&self, tokens: &[Token<'_>]) -> Option<usize> {
        const REACH: usize = 12;
        let mut said: BTreeSet<String> = BTreeSet::new();
        let is_verb = |token: &Token<'_>| matches!(token.raw, "is" | "are");
        let near = tokens.get(..REACH).unwrap_or(tokens);
        for (turn, clause) in near.split_inclusive(|token| token.raw.ends_with(',')).enumerate() {
            // What follows is about something else, unless it goes on about the same: "the web shop, which is leaflets".
            if turn > 0 && clause.iter().any(is_verb) && clause.first().is_none_or(|first| first.raw != "which") {
                break;
            }
            let is_service = |token: &Token<'_>| token.names.iter().any(|(name, _)| is_payment_service(name));
            let ends = |token: &Token<'_>| is_service(token) || token.raw.ends_with([';', ':', '.', ')']);
            let end = clause.iter().position(ends);
            let own = clause.iter().take(end.map_or(clause.len(), |end| end + 1)).filter(|token| !is_service(token));
            said.extend(own.flat_map(|token| name_words(token.raw)).map(|word| word.stem));
            if end.is_some() {
                break;
            }
        }
        let is_telling = |stem: &&String| {
            stem.chars().count() >= TELLING_LETTERS_MIN
                && !UNTELLING.contains(&stem.as_str())
                && !UNTELLING_SALES.contains(&stem.as_str())
                && said.contains(*stem)
        };
        let shared =
            |account: &usize| self.stems.get(*account).map_or(0, |stems| stems.iter().filter(is_telling).count());
        let is_goods = |stem: &String| GOODS.contains(&stem.as_str());
        let sells_goods = |account: &usize| self.stems.get(*account).is_some_and(|stems| stems.iter().any(is_goods));
        let most = self.income.iter().map(shared).max().unwrap_or(0);
        // "The reader on the desk takes shop sales only": what shops sell has many names.
        let is_of_goods = most == 0 && said.iter().any(is_goods);
        let is_meant = |account: &&usize| if is_of_goods { sells_goods(account) } else { shared(account) == most };
        let mut meant = self.income.iter().filter(is_meant).filter(|_| most > 0 || is_of_goods);
        let only = meant.next()?;
        meant.next().is_none().then_some(*only)
    }

    /// The account in whose name words beside each other begin with these letters, if it is the only one.
    pub(super) fn abbreviated(&self, letters: &str) -> Option<usize> {
        let begins =
            |stems: &[String]| stems.iter().zip(letters.chars()).all(|(stem, letter)| stem.starts_with(letter));
        let count = letters.chars().count();
        let mut having =
            self.stems.iter().enumerate().filter(|(_, stems)| stems.windows(count).any(begins)).map(|(at, _)| at);
        let only = having.next()?;
        having.next().is_none().then_some(only)
    }

    /// Whether a token is the code of an account: "are ordinary valets (001)".
    pub(super) fn has_code(&self, token: &Token<'_>) -> bool {
        self.by_code.contains_key(bare(token))
    }

    /// The account of the code that an *and* joins to the code that some tokens begin with.
    pub(super) fn second_code(&self, tokens: &[Token<'_>]) -> Option<usize> {
        let [first, and, second, ..] = tokens else { return None };
        let is_joined = and.raw == "and" && self.has_code(first);
        self.by_code.get(bare(second)).filter(|_| is_joined).copied()
    }

    /// The account whose name stands at the beginning of some tokens; a part of the name is enough where they say where something goes.
    pub(super) fn account_at(&self, tokens: &[Token<'_>], is_of_place: bool, are_references: bool) -> Option<Named> {
        if let Some(account) = tokens.first().and_then(|token| self.by_code.get(bare(token))) {
            return Some(Named { accounts: vec![*account], is_whole: true, taken: 1 });
        }
        let mut run: Vec<(String, usize)> = Vec::new();
        for (place, token) in tokens.iter().enumerate().take(ACCOUNT_WORDS_MAX) {
            let inner = name_words(token.raw.trim_end_matches([',', ':', ';', '.', ')']));
            run.extend(inner.into_iter().map(|word| (word.stem, place + 1)));
            if token.raw.ends_with([',', ':', ';', '.', ')']) {
                break;
            }
        }
        let leading = |account: &Vec<String>| run.iter().take_while(|(stem, _)| account.contains(stem)).count();
        let (first, _) = run.first()?;
        let having = self.by_stem.get(first)?.iter().filter_map(|at| Some((*at, self.stems.get(*at)?)));
        let ranked: Vec<(usize, usize, usize)> =
            having.map(|(at, account)| (at, leading(account), account.len())).collect();
        let count = ranked.iter().map(|(_, count, _)| *count).max().filter(|count| *count > 0)?;
        let best = ranked.iter().filter(|(_, known, _)| *known == count);
        let length = best.clone().map(|(.., length)| *length).min()?;
        let accounts: Vec<usize> = best.filter(|(.., known)| *known == length).map(|(at, ..)| *at).collect();
        let (last, taken) = run.get(count - 1)?;
        let is_told = last.chars().count() >= TELLING_LETTERS_MIN && !UNTELLING.contains(&last.as_str());
        let is_whole = count == length || count >= 2 && length == count + 1;
        // "Marked MKT are *markets*, …": nothing else is said of the reference.
        let ends = tokens.get(taken - 1).is_none_or(|token| ends_part(token.raw)) || *taken == tokens.len();
        let is_part =
            (is_of_place || ends && are_references) && length <= count + LEFT_OUT_MAX && (count >= 2 || is_told);
        let most = if count == length { 1 } else { TIED_MAX };
        (accounts.len() <= most && (is_whole || is_part)).then_some(Named { accounts, is_whole, taken: *taken })
    }
}

/// A token without the punctuation around it.
fn bare<'c>(token: &Token<'c>) -> &'c str {
    token.raw.trim_matches(|sign: char| !sign.is_alphanumeric())
}

//! What the context says of codes of the chart and of amounts: "delivery apps go to 4020", "net pay is posted to 814, NEST to 858",
//! "£34 a month is adult, £17 junior". A line with words of such a clause, or with its amount, is what the clause speaks of.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::Account;
use super::hints::sentences;
use super::knowledge::stem;
use super::text::fold;

/// How much an ordinary word of a clause counts beside a name.
const ORDINARY: f32 = 0.4;
/// The most that words of one clause count.
const MOST: f32 = 1.3;
/// A word of a clause that is no name has at least so many letters.
const SHORTEST_WORD: usize = 4;
/// A name has at least so many.
const SHORTEST_NAME: usize = 3;
/// Words on both sides of an amount that are about it.
const REACH: usize = 6;

/// What the context says of codes and amounts.
#[derive(Debug, Default)]
pub struct Instructions {
    /// Accounts by the words of the clauses that name their codes, with how much each word counts.
    accounts: BTreeMap<String, BTreeMap<usize, f32>>,
    /// Stems of the words beside amounts, in pence.
    amounts: BTreeMap<i128, BTreeSet<String>>,
}

/// A word of the context.
struct Token<'c> {
    raw: &'c str,
    /// It stands before a comma, so that a clause may end there.
    ends_clause: bool,
}

impl Instructions {
    /// Reads the context. `is_telling` says of a folded word whether it can name what a line is about.
    pub(super) fn read(context: &str, accounts: &[Account<'_>], is_telling: &dyn Fn(&str) -> bool) -> Self {
        let codes: BTreeMap<&str, usize> = accounts
            .iter()
            .enumerate()
            .filter(|(_, account)| is_code(&account.code))
            .map(|(at, account)| (account.code.as_ref(), at))
            .collect();
        let mut read = Self::default();
        for sentence in sentences(context) {
            let tokens: Vec<Token<'_>> = sentence
                .split_whitespace()
                .map(|raw| Token { raw: bare(raw), ends_clause: raw.ends_with([',', ':']) })
                .collect();
            read.add_codes(&tokens, &codes, is_telling);
            read.add_amounts(&tokens, is_telling);
        }
        read
    }

    /// Each code takes the words before it, back to the code before, and those behind it up to the end of its clause.
    fn add_codes(&mut self, tokens: &[Token<'_>], codes: &BTreeMap<&str, usize>, is_telling: &dyn Fn(&str) -> bool) {
        let named: Vec<(usize, usize)> = tokens
            .iter()
            .enumerate()
            .filter(|(at, token)| {
                *at > 0
                    && tokens.get(at - 1).is_some_and(|before| introduces(before.raw))
                    && codes.contains_key(token.raw)
            })
            .filter_map(|(at, token)| codes.get(token.raw).map(|account| (at, *account)))
            .collect();
        let mut start = 0;
        for (place, (at, account)) in named.iter().enumerate() {
            let next = named.get(place + 1).map_or(tokens.len(), |(next, _)| *next);
            let clause_end = (*at..next).find(|at| tokens.get(*at).is_some_and(|token| token.ends_clause));
            let end = clause_end.map_or(if next == tokens.len() { next } else { at + 1 }, |end| end + 1);
            // What goes somewhere else by name is over when that clause ends.
            let sent = (start..*at).rev().find(|place| {
                let clause_of = |place: usize| {
                    tokens.get(place..*at).is_some_and(|rest| rest.iter().any(|token| token.ends_clause))
                };
                let pair = (tokens.get(*place), tokens.get(place + 1));
                matches!(pair, (Some(verb), Some(to)) if sends(verb.raw) && leads(to.raw)) && clause_of(*place)
            });
            let start_here = sent.and_then(|sent| {
                (sent..*at)
                    .find(|place| tokens.get(*place).is_some_and(|token| token.ends_clause))
                    .map(|comma| comma + 1)
            });
            start = start_here.unwrap_or(start).max(start);
            for (place, token) in tokens.iter().enumerate().take(end).skip(start).filter(|(place, _)| place != at) {
                let is_name = place > 0 && token.raw.starts_with(char::is_uppercase);
                for word in fold(token.raw).split(' ').filter(|word| is_telling(word)) {
                    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
                    let counts = match is_name {
                        true if letters >= SHORTEST_NAME => 1.0,
                        false if letters >= SHORTEST_WORD => ORDINARY,
                        _ => continue,
                    };
                    let known = self.accounts.entry(stem(word)).or_default().entry(*account).or_default();
                    *known = known.max(counts);
                }
            }
            start = end;
        }
    }

    fn add_amounts(&mut self, tokens: &[Token<'_>], is_telling: &dyn Fn(&str) -> bool) {
        for (at, token) in tokens.iter().enumerate() {
            let Some(pence) = token.raw.strip_prefix('£').and_then(pence) else { continue };
            let from = (0..at).rev().find(|before| tokens.get(*before).is_some_and(|token| token.ends_clause));
            let from = from.map_or(0, |before| before + 1).max(at.saturating_sub(REACH));
            let to = (at..tokens.len()).find(|behind| tokens.get(*behind).is_some_and(|token| token.ends_clause));
            let to = to.map_or(tokens.len(), |behind| behind + 1).min(at + REACH + 1);
            let words = tokens.get(from..to).unwrap_or_default().iter().map(|token| fold(token.raw));
            let telling = words.filter(|word| word.chars().count() >= SHORTEST_WORD && is_telling(word));
            self.amounts.entry(pence).or_default().extend(telling.map(|word| stem(&word)));
        }
    }

    /// Accounts whose clause a line shares words with, and how well.
    pub fn accounts(&self, text: &str) -> BTreeMap<usize, f32> {
        let mut found: BTreeMap<usize, f32> = BTreeMap::new();
        if self.accounts.is_empty() {
            return found;
        }
        let words: Vec<&str> = text.split(' ').collect();
        // A compound name is parted where its words are known.
        let compounds = words.windows(2).map(|pair| stem(&pair.concat()));
        let words: BTreeSet<String> = words.iter().map(|word| stem(word)).chain(compounds).collect();
        for accounts in words.iter().filter_map(|word| self.accounts.get(word)) {
            // A word of several clauses says less of each.
            let clauses = f32::from(u8::try_from(accounts.len()).unwrap_or(u8::MAX));
            for (account, counts) in accounts {
                let sum = found.entry(*account).or_default();
                *sum = (*sum + counts / clauses).min(MOST);
            }
        }
        found
    }

    /// An amount, if the context speaks of it.
    pub fn named_amount(&self, pence: i128) -> Option<i128> {
        Some(pence.abs()).filter(|pence| self.amounts.contains_key(pence))
    }

    /// Stems of what the context says beside an amount of a line.
    pub fn beside_amount(&self, pence: i128) -> impl Iterator<Item = &str> {
        self.amounts.get(&pence).into_iter().flatten().map(String::as_str)
    }
}

/// Whether a code cannot be taken for a word: it has a digit and two signs, or is of three capital letters or more.
pub(super) fn is_code(code: &str) -> bool {
    let has_digit = code.chars().any(|sign| sign.is_ascii_digit());
    let signs = code.chars().count();
    has_digit && signs >= 2 || signs >= 3 && code.chars().all(|sign| sign.is_ascii_uppercase())
}

/// Words that stand before the code of an account.
pub(super) fn introduces(word: &str) -> bool {
    matches!(
        fold(word).as_str(),
        "TO" | "IN"
            | "INTO"
            | "IS"
            | "ARE"
            | "UNDER"
            | "AS"
            | "AGAINST"
            | "OF"
            | "CREDITS"
            | "DEBITS"
            | "ACCOUNT"
            | "CODE"
            | "USE"
    )
}

/// Words that send something to an account.
fn sends(word: &str) -> bool {
    matches!(
        fold(word).as_str(),
        "GO" | "GOES" | "POSTED" | "PAID" | "PUT" | "BOOKED" | "CODED" | "HELD" | "TREATED" | "BOUGHT"
    )
}

/// What stands between that and the account.
fn leads(word: &str) -> bool {
    matches!(fold(word).as_str(), "TO" | "IN" | "INTO" | "AS" | "UNDER" | "FROM")
}

/// A word without the punctuation around it; a sign of pounds stays.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '£')
}

/// Pence of an amount in pounds: `34`, `12.50`, `1,047.50`.
fn pence(text: &str) -> Option<i128> {
    let text = text.replace(',', "");
    let (pounds, pence) = text.split_once('.').unwrap_or((&text, "00"));
    let is_amount = pence.len() == 2 && (pounds.len() + pence.len()) <= 12;
    if !is_amount {
        return None;
    }
    Some(pounds.parse::<i128>().ok()? * 100 + pence.parse::<i128>().ok()?)
}

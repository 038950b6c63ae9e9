//! What the context says of codes of the chart and of amounts: "delivery apps go to 4020", "net pay is posted to 814, NEST to 858",
//! "£34 a month is adult, £17 junior". A line with words of such a clause, or with its amount, is what the clause speaks of.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::Account;
use super::knowledge::stem;
use super::person::is_forename;
use super::text::{fold, sentences};
use super::transfer::is_processor;

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

/// A word of the context, without the punctuation around it.
struct Token<'c> {
    raw: &'c str,
    /// It begins with a capital letter inside a sentence.
    is_name: bool,
    /// It stands in brackets of its own.
    is_bracketed: bool,
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
        let names: BTreeMap<String, usize> =
            accounts.iter().enumerate().map(|(at, account)| (fold(&account.name), at)).collect();
        let mut read = Self::default();
        for sentence in sentences(context) {
            let mut words = sentence.split_whitespace().enumerate().map(|(place, word)| {
                let raw = bare(word);
                let is_name = raw.starts_with(char::is_uppercase) && (place > 0 || is_payment_service(raw));
                let is_bracketed = word.starts_with('(') && word.trim_end_matches([',', ';', '.', ':']).ends_with(')');
                (Token { raw, is_name, is_bracketed }, word.ends_with([',', ':']))
            });
            let mut before = Vec::new();
            loop {
                let mut clause = Vec::new();
                for (token, is_last) in words.by_ref() {
                    clause.push(token);
                    if is_last {
                        break;
                    }
                }
                if clause.is_empty() {
                    break;
                }
                read.add_amounts(&clause, is_telling);
                read.add_named(&clause, &before, (&names, accounts), is_telling);
                read.add_codes(clause, &mut before, &codes, is_telling);
            }
        }
        read
    }

    /// Each code of a clause takes the words before it, back to the code before, the last one those behind it as well. `before` are
    /// the words of the sentence's clauses that wait for a code; where a clause sends them elsewhere by name there are none.
    fn add_codes<'c>(
        &mut self,
        clause: Vec<Token<'c>>,
        before: &mut Vec<Token<'c>>,
        codes: &BTreeMap<&str, usize>,
        is_telling: &dyn Fn(&str) -> bool,
    ) {
        let goes = clause.windows(2).any(|pair| matches!(pair, [verb, to] if sends(verb.raw) && leads(to.raw)));
        let mut last = None;
        let elsewhere: Vec<bool> = clause
            .iter()
            .enumerate()
            .map(|(at, token)| clears(token.raw) && clause.get(at + 1).is_none_or(|next| !codes.contains_key(next.raw)))
            .collect();
        let paired: Vec<Option<usize>> = (0..clause.len()).map(|at| second_code(&clause, at, codes)).collect();
        let mut passed = 0;
        for ((token, elsewhere), second) in clause.into_iter().zip(elsewhere).zip(paired) {
            if passed > 0 {
                passed -= 1;
                continue;
            }
            // "Loan and HP instalments are posted to 900 and 910": each to its own.
            if let (Some(first), Some(second)) = (codes.get(token.raw), second)
                && let Some(joined) = before.iter().rposition(|word| word.raw == "and")
            {
                let of_second = before.split_off(joined + 1);
                self.add_words(before.drain(..), *first, is_telling);
                self.add_words(of_second.into_iter(), second, is_telling);
                passed = 2;
                continue;
            }
            // What clears an account that is named is not what the next code is for.
            if elsewhere {
                before.clear();
                continue;
            }
            let is_introduced = before.last().is_some_and(|word: &Token<'_>| introduces(word.raw));
            // A code in brackets is that of the word before it: *tips are shared by tronc (2240)*.
            if token.is_bracketed
                && let Some(account) = codes.get(token.raw)
                && let Some(word) = before.last().map(|word| Token { is_name: true, ..*word })
            {
                self.add_words(std::iter::once(word), *account, is_telling);
                continue;
            }
            match codes.get(token.raw).filter(|_| is_introduced) {
                Some(account) => {
                    let is_cleared = before.last().is_some_and(|word| clears(word.raw));
                    self.add_words(before.drain(..), *account, is_telling);
                    last = Some((*account, is_cleared));
                }
                None => before.push(token),
            }
        }
        match last {
            // What stands behind an account that is cleared is about something else.
            Some((_, true)) => before.clear(),
            Some((account, false)) => self.add_words(before.drain(..), account, is_telling),
            None if goes => before.clear(),
            None => {}
        }
    }

    /// Where a clause sends something to an account by its whole name (*takings come through Example and are posted to Fees*), the names
    /// of whom it speaks lead there; its ordinary words may be about anything.
    fn add_named(
        &mut self,
        clause: &[Token<'_>],
        before: &[Token<'_>],
        (names, accounts): (&BTreeMap<String, usize>, &[Account<'_>]),
        is_telling: &dyn Fn(&str) -> bool,
    ) {
        const NAME_WORDS_MAX: usize = 5;
        let goes = |at: usize| clause.iter().take(at).rev().take(3).any(|token| sends(token.raw));
        let mut from = 0;
        for (at, _) in
            clause.iter().enumerate().filter(|(at, token)| clears(token.raw) || leads(token.raw) && goes(*at))
        {
            let rest: Vec<&str> = clause.iter().skip(at + 1).take(NAME_WORDS_MAX).map(|token| token.raw).collect();
            let account = (1..=rest.len()).rev().find_map(|count| names.get(&fold(&rest.get(..count)?.join(" "))));
            let Some(account) = account else { continue };
            let waiting = if from == 0 { before } else { &[] };
            let tokens: Vec<&Token<'_>> = waiting.iter().chain(clause.iter().take(at).skip(from)).collect();
            // People are told by what they do (`context/staff.rs`); their names may stand in any remark.
            let is_person = |place: usize| {
                [Some(place), place.checked_sub(1)]
                    .into_iter()
                    .flatten()
                    .filter_map(|place| tokens.get(place))
                    .any(|token| is_forename(&fold(token.raw)))
            };
            // Nor are those of whom a forename is not known: two names beside each other, where pay is spoken of.
            let is_pay = accounts.get(*account).is_some_and(|account| {
                fold(&account.name)
                    .split(' ')
                    .any(|word| matches!(word, "WAGES" | "WAGE" | "SALARIES" | "SALARY" | "PAY" | "PAYROLL"))
            });
            let is_pair = |place: usize| {
                let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
                beside.filter_map(|place| tokens.get(place)).any(|token| token.is_name)
            };
            let speaks_of = tokens
                .iter()
                .enumerate()
                .filter(|(place, token)| token.is_name && !is_person(*place) && !(is_pay && is_pair(*place)));
            self.add_words(speaks_of.map(|(_, token)| Token { ..**token }), *account, is_telling);
            from = at + 1;
        }
    }

    fn add_words<'c>(
        &mut self,
        tokens: impl Iterator<Item = Token<'c>>,
        account: usize,
        is_telling: &dyn Fn(&str) -> bool,
    ) {
        for token in tokens {
            for word in fold(token.raw).split(' ').filter(|word| is_telling(word)) {
                let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
                let counts = match token.is_name {
                    true if letters >= SHORTEST_NAME => 1.0,
                    false if letters >= SHORTEST_WORD => ORDINARY,
                    _ => continue,
                };
                let known = self.accounts.entry(stem(word)).or_default().entry(account).or_default();
                *known = known.max(counts);
            }
        }
    }

    /// An amount is about the words near it in its clause. Of several amounts each has the words before it, back to the amount before
    /// (*juniors £18 and social members £25*), or those behind it where the clause begins with one.
    fn add_amounts(&mut self, clause: &[Token<'_>], is_telling: &dyn Fn(&str) -> bool) {
        let amounts: Vec<(usize, i128)> =
            (0..clause.len()).filter_map(|at| Some((at, amount_at(clause, at)?))).collect();
        let leads = amounts.first().is_some_and(|(first, _)| *first == 0);
        for (turn, (at, pence)) in amounts.iter().enumerate() {
            let before = turn.checked_sub(1).and_then(|turn| amounts.get(turn)).map_or(0, |(before, _)| before + 1);
            let next = amounts.get(turn + 1).map_or(clause.len(), |(next, _)| *next);
            let (from, until) = match amounts.len() {
                1 => (0, clause.len()),
                _ if leads => (*at, next),
                _ => (before, *at),
            };
            let (from, until) = (from.max(at.saturating_sub(REACH)), until.min(at + REACH + 1));
            let near = clause.iter().take(until).skip(from).map(|token| fold(token.raw));
            let telling = near.filter(|word| word.chars().count() >= SHORTEST_WORD && is_telling(word));
            let about = self.amounts.entry(*pence).or_default();
            for word in telling {
                // What members pay is called both.
                if word == "SUBS" {
                    about.insert(stem("SUBSCRIPTIONS"));
                }
                about.insert(stem(&word));
            }
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

/// The account of the code that an *and* joins to the code at a place.
fn second_code(clause: &[Token<'_>], at: usize, codes: &BTreeMap<&str, usize>) -> Option<usize> {
    let and = clause
        .get(at + 1)
        .filter(|word| word.raw == "and" && codes.contains_key(clause.get(at).map_or("", |code| code.raw)));
    and.and_then(|_| codes.get(clause.get(at + 2)?.raw)).copied()
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
            | "CLEAR"
            | "CLEARS"
            | "CLEARED"
    )
}

/// Words that send something to an account.
fn sends(word: &str) -> bool {
    matches!(
        fold(word).as_str(),
        "GO" | "GOES"
            | "CHARGED"
            | "ENTERED"
            | "RECORDED"
            | "KEPT"
            | "COUNTED"
            | "COUNTS"
            | "POSTED"
            | "PAID"
            | "PUT"
            | "BOOKED"
            | "CODED"
            | "HELD"
            | "TREATED"
            | "BOUGHT"
    )
}

/// Whether a word is the name of somebody who passes on what customers pay: a payment service, a marketplace.
pub(super) fn is_payment_service(word: &str) -> bool {
    let passes_on = |part: &str| is_processor(part) || matches!(part, "AIRBNB" | "AMAZON" | "DELIVEROO" | "DOJO");
    fold(word).split(' ').any(passes_on)
}

/// Verbs of a payment that clears what a journal posted.
fn clears(word: &str) -> bool {
    matches!(fold(word).as_str(), "CLEAR" | "CLEARS" | "CLEARED")
}

/// What stands between that and the account.
fn leads(word: &str) -> bool {
    matches!(fold(word).as_str(), "TO" | "IN" | "INTO" | "AS" | "UNDER" | "FROM")
}

/// A word without the punctuation around it; a sign of pounds stays.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != '£')
}

/// Pence of an amount with its sign, `£34`, or of a number that words behind it make one: `350 a week`, `35 quid`.
fn amount_at(clause: &[Token<'_>], at: usize) -> Option<i128> {
    const PERIODS: &[&str] = &["WEEK", "MONTH", "QUARTER", "YEAR", "TERM", "SESSION", "HEAD"];
    let raw = clause.get(at)?.raw;
    if let Some(amount) = raw.strip_prefix('£') {
        return pence(amount);
    }
    let behind = |by: usize| clause.get(at + by).map_or(String::new(), |token| fold(token.raw));
    let (next, period) = (behind(1), behind(2));
    let is_by_period = matches!(next.as_str(), "A" | "PER" | "EACH" | "EVERY") && PERIODS.contains(&period.as_str());
    let is_amount = is_by_period || matches!(next.as_str(), "QUID" | "PW" | "PM" | "PCM" | "WEEKLY" | "MONTHLY");
    pence(raw).filter(|_| is_amount)
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

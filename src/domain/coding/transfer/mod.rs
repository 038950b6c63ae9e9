//! Which lines of a batch move money between the caller's own accounts.
//!
//! Two lines are the sides of a transfer when they are from different own accounts, of the same amount in opposite
//! directions, at most a few days apart, and say so: with a word for it, the other account's name, or what card companies
//! write. Equal amounts alone mean nothing. A line without its other side is a transfer only when it says so and names
//! the other account. No order of lines or accounts changes an answer.

mod own;
mod signals;
mod words;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use crate::domain::amount::money;
use crate::domain::date::Date;

use super::batch::Account;
use super::line::Line;

pub use own::OwnAccounts;
use signals::{Signals, signals};
use words::is_neutral;
pub use words::{Kind, is_bank, is_processor};

/// Days money takes: it may arrive two days earlier by the other bank's dates, and four days later.
const DAYS_EARLY: i32 = 2;
const DAYS_LATE: i32 = 4;

/// Pairs of one amount that are all compared; of more, each line meets the first few of each account and day.
const MOST_COMPARED: usize = 4096;
const FIRST_COMPARED: usize = 8;
const ACCOUNTS_COMPARED: usize = 16;

/// Words of a line that are read.
const MOST_WORDS: usize = 48;

/// How sure it is that cash paid in comes from where the context says, in thousandths.
const BANKED_CASH: u16 = 900;

/// What two lines must say together, see [`Side::says`].
const ENOUGH: i32 = 3;

/// A line that moves money between own accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Index in the chart of the other account.
    pub account: usize,
    /// Index of the line that is the other side.
    pub pair: Option<usize>,
    /// How sure it is, in thousandths.
    pub strength: u16,
    /// One sentence why.
    pub remark: String,
}

/// What a line says about a transfer.
#[derive(Debug)]
struct Side {
    line: usize,
    date: Date,
    tag: Option<usize>,
    /// Place among the sides when they are ordered by what they are.
    rank: usize,
    signals: Signals,
    /// Own accounts it names other than its own, and how well.
    named: Vec<(usize, u32)>,
    /// Words that are nobody's here: perhaps a person's or a firm's.
    strangers: Vec<String>,
    /// All its words of letters, in order; none unless an own account is of clients.
    letters: Vec<String>,
}

impl Side {
    fn read(line: &Line<'_>, place: usize, own: &OwnAccounts) -> Self {
        let words: Vec<&str> = line.words().take(MOST_WORDS).collect();
        let mut signals = signals(&words, |word| !own.named_by(word).is_empty());
        // What leaves a payment service's balance as a payout goes to the caller's bank.
        let is_payout = || words.iter().any(|word| matches!(*word, "PAYOUT" | "PAYOUTS"));
        if line.pence < 0 && line.tag.is_some_and(|tag| own.kind(tag) == Kind::Processor) && is_payout() {
            (signals.never, signals.transfer) = (false, true);
        }
        let mine = |word: &str| {
            line.tag
                .and_then(|tag| own.named_by(word).iter().find(|(known, _)| *known == tag))
                .map_or(0, |(_, weight)| *weight)
        };
        let mut named: Vec<(usize, u32)> = Vec::new();
        for word in &words {
            let of_this = mine(word);
            for (account, weight) in
                own.named_by(word).iter().filter(|(account, weight)| Some(*account) != line.tag && *weight > of_this)
            {
                match named.iter_mut().find(|(known, _)| known == account) {
                    // Two words of a name say more than either.
                    Some((_, known)) => {
                        *known = if *known == *weight { (weight + 1).min(3) } else { (*weight).max(*known) }
                    }
                    None => named.push((*account, *weight)),
                }
            }
        }
        let strange = |word: &&&str| own.named_by(word).is_empty() && !is_neutral(word) && !is_processor(word);
        let is_compared = |word: &&&str| own.has_clients() && word.chars().all(char::is_alphabetic);
        let letters = words.iter().filter(is_compared).map(|word| (*word).to_owned()).collect();
        // `CREDIT CAR`, cut off by the bank.
        let words = words.iter().filter(|word| !(signals.card && **word == "CAR"));
        let strangers = words.filter(strange).map(|word| (*word).to_owned()).collect();
        Self { line: place, date: line.date, tag: line.tag, rank: 0, signals, named, strangers, letters }
    }

    fn names(&self, own: usize) -> u32 {
        self.named.iter().find(|(known, _)| *known == own).map_or(0, |(_, weight)| *weight)
    }

    /// Nothing in the line hints at a transfer.
    fn is_silent(&self) -> bool {
        !self.signals.transfer && !self.signals.thanks && !self.signals.numbered && self.named.is_empty()
    }

    /// How much the line says for a transfer with another own account.
    fn says(&self, other: usize, thanked: bool) -> i32 {
        let named = i32::try_from(self.names(other)).unwrap_or(0);
        let mut says = named;
        says += if self.signals.transfer { 2 } else { 0 };
        says += if self.signals.thanks && thanked { 3 } else { 0 };
        says += if self.signals.numbered { 1 } else { 0 };
        says - if self.strangers.is_empty() { 0 } else { 1 }
    }
}

/// Two sides that fit, best first when ordered.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    value: Reverse<i32>,
    date: Date,
    ranks: (usize, usize),
    out: usize,
    into: usize,
    says: i32,
}

/// Finds the transfers among lines that `taken` does not claim for something else.
pub fn pair(
    lines: &[Line<'_>],
    accounts: &[Account<'_>],
    own: &OwnAccounts,
    taken: impl Fn(usize) -> bool,
) -> Vec<Option<Transfer>> {
    let mut answers: Vec<Option<Transfer>> = vec![None; lines.len()];
    if own.len() < 2 {
        return answers;
    }
    let (outs, ins) = sides(lines, own, taken);
    for (pence, (outs, ins)) in join(&outs, &ins) {
        let _ = pence;
        let mut used: (Vec<bool>, Vec<bool>) = (vec![false; outs.len()], vec![false; ins.len()]);
        for found in matches(own, outs, ins) {
            let free = used.0.get(found.out) == Some(&false) && used.1.get(found.into) == Some(&false);
            let (Some(out), Some(into)) = (outs.get(found.out), ins.get(found.into)) else { continue };
            let (Some(from), Some(to)) =
                (out.tag.and_then(|tag| own.account_of(tag)), into.tag.and_then(|tag| own.account_of(tag)))
            else {
                continue;
            };
            if !free {
                continue;
            }
            for (list, place) in [(&mut used.0, found.out), (&mut used.1, found.into)] {
                list.get_mut(place).into_iter().for_each(|used| *used = true);
            }
            let strength = pair_strength(&found, out, into);
            for (side, account, other) in [(out, to, into), (into, from, out)] {
                if let (Some(answer), Some(line)) = (answers.get_mut(side.line), lines.get(side.line)) {
                    let remark = remark(line, accounts, account, Where::Other(other.date));
                    *answer = Some(Transfer { account, pair: Some(other.line), strength, remark });
                }
            }
        }
    }
    one_sided(lines, accounts, own, &outs, &ins, &mut answers);
    answers
}

type Buckets = BTreeMap<i128, Vec<Side>>;

/// The lines that may be a side, by amount, ordered by day and by what they are.
fn sides(lines: &[Line<'_>], own: &OwnAccounts, taken: impl Fn(usize) -> bool) -> (Buckets, Buckets) {
    let (mut outs, mut ins) = (Buckets::new(), Buckets::new());
    for (place, line) in lines.iter().enumerate().filter(|(place, line)| line.pence != 0 && !taken(*place)) {
        let side = Side::read(line, place, own);
        // What an agent takes as fees out of clients' money is moved, not paid.
        let may_be_fees = own.has_clients() && side.tag.is_some();
        if !side.signals.never || may_be_fees || side.signals.cash {
            let buckets = if line.pence < 0 { &mut outs } else { &mut ins };
            buckets.entry(line.pence.abs()).or_default().push(side);
        }
    }
    for list in outs.values_mut().chain(ins.values_mut()) {
        list.sort_by_key(|side| {
            (side.date, side.tag, lines.get(side.line).map(|line| (line.text.as_str(), line.amount)), side.line)
        });
        for (rank, side) in list.iter_mut().enumerate() {
            side.rank = rank;
        }
    }
    (outs, ins)
}

fn join<'a>(outs: &'a Buckets, ins: &'a Buckets) -> impl Iterator<Item = (i128, (&'a [Side], &'a [Side]))> {
    outs.iter().filter_map(|(pence, outs)| Some((*pence, (outs.as_slice(), ins.get(pence)?.as_slice()))))
}

/// The pairs of one amount that say enough, best first.
fn matches(own: &OwnAccounts, outs: &[Side], ins: &[Side]) -> Vec<Match> {
    if outs.len().saturating_mul(ins.len()) > MOST_COMPARED {
        return matches_of_many(own, outs, ins);
    }
    let mut found = Vec::new();
    for (place, out) in outs.iter().enumerate() {
        let (first, last) = (out.date - DAYS_EARLY, out.date + DAYS_LATE);
        let near = ins.iter().enumerate().filter(|(_, into)| (first..=last).contains(&into.date));
        found.extend(near.filter_map(|(at, into)| compare(own, out, into, place, at)));
    }
    found.sort_unstable();
    found
}

/// Of very many equal amounts each line in turn takes the first that fits, the same day first: not the best for all
/// together, but in time that grows with their number.
fn matches_of_many(own: &OwnAccounts, outs: &[Side], ins: &[Side]) -> Vec<Match> {
    let mut waiting: BTreeMap<(Date, Option<usize>), VecDeque<usize>> = BTreeMap::new();
    for (place, into) in ins.iter().enumerate() {
        waiting.entry((into.date, into.tag)).or_default().push_back(place);
    }
    let mut found = Vec::new();
    for (place, out) in outs.iter().enumerate() {
        let taken = [0, 1, -1, 2, 3, 4, -2].into_iter().find_map(|days| {
            let date = out.date + days;
            let accounts = waiting.range_mut((date, None)..=(date, Some(usize::MAX)));
            accounts.filter(|((_, tag), list)| *tag != out.tag && !list.is_empty()).take(ACCOUNTS_COMPARED).find_map(
                |(_, list)| {
                    let fitting = list.iter().take(FIRST_COMPARED).enumerate();
                    let (at, matched) = fitting
                        .filter_map(|(at, into)| Some((at, compare(own, out, ins.get(*into)?, place, *into)?)))
                        .next()?;
                    list.remove(at);
                    Some(matched)
                },
            )
        });
        found.extend(taken);
    }
    found
}

fn compare(own: &OwnAccounts, out: &Side, into: &Side, at_out: usize, at_into: usize) -> Option<Match> {
    let (from, to) = (out.tag?, into.tag?);
    // Notes and coins go between a cash account and a bank.
    let is_cash =
        (own.kind(from) == Kind::Cash) != (own.kind(to) == Kind::Cash) && (out.signals.cash || into.signals.cash);
    if from == to {
        return None;
    }
    // On both sides of an agent's accounts the same words on one day: `FEES WK 5`.
    let is_same_text = out.date == into.date && !out.letters.is_empty() && out.letters == into.letters;
    let is_fees = match (own.is_of_clients(from), own.is_of_clients(to)) {
        (true, false) => into.names(from) > 0 || is_same_text,
        (false, true) => is_same_text,
        _ => false,
    };
    let is_silent = out.is_silent() && into.is_silent();
    if (is_silent || out.signals.never || into.signals.never) && !is_fees && !is_cash {
        return None;
    }
    let card = own.kind(to) == Kind::Card;
    let mut says = out.says(to, false) + into.says(from, card);
    let same_stranger = out.strangers.iter().any(|word| word.len() >= 4 && into.strangers.contains(word));
    says += match (out.strangers.is_empty(), into.strangers.is_empty()) {
        (true, true) => 1,
        (false, false) if same_stranger => 2,
        _ => 0,
    };
    // The caller's own name and an account number on both sides.
    let letters = |side: &Side| -> Vec<String> {
        side.strangers.iter().filter(|word| word.chars().all(char::is_alphabetic)).cloned().collect()
    };
    let is_mirrored =
        out.signals.numbered && into.signals.numbered && !out.strangers.is_empty() && letters(out) == letters(into);
    says += if is_mirrored { 2 } else { 0 };
    says += match (is_cash, is_fees) {
        (true, _) => 5,
        (false, true) => 3,
        (false, false) => 0,
    };
    let stranger_to_card = card && !out.strangers.is_empty() && out.names(to) == 0;
    let sign = is_mirrored
        || is_fees
        || is_cash
        || out.signals.transfer
        || into.signals.transfer
        || (into.signals.thanks && card)
        || out.names(to) >= 2
        || into.names(from) >= 2
        // Both name the other and nothing else: `Main → Tax`.
        || (out.strangers.is_empty() && into.strangers.is_empty() && out.names(to) > 0 && into.names(from) > 0);
    if says < ENOUGH || stranger_to_card || !sign {
        return None;
    }
    let days = into.date - out.date;
    let apart = if days >= 0 { 8 * days } else { 4 - 8 * days };
    Some(Match {
        value: Reverse(says.min(6) * 10 - apart),
        date: out.date,
        ranks: (out.rank, into.rank),
        out: at_out,
        into: at_into,
        says,
    })
}

fn pair_strength(found: &Match, out: &Side, into: &Side) -> u16 {
    let base = match found.says {
        6.. => 985,
        5 => 975,
        4 => 955,
        _ => 920,
    };
    let strange = if out.strangers.is_empty() || into.strangers.is_empty() { 0 } else { 20 };
    let apart = if (0..=1).contains(&(into.date - out.date)) { 0 } else { 15 };
    base - strange - apart
}

/// Lines without their other side that say they are a transfer and name where to.
fn one_sided(
    lines: &[Line<'_>],
    accounts: &[Account<'_>],
    own: &OwnAccounts,
    outs: &Buckets,
    ins: &Buckets,
    answers: &mut [Option<Transfer>],
) {
    for (here, there, out) in [(outs, ins, true), (ins, outs, false)] {
        for (pence, list) in here {
            for side in list {
                let Some(line) = lines.get(side.line).filter(|_| answers.get(side.line) == Some(&None)) else {
                    continue;
                };
                let returned = || there.get(pence).is_some_and(|others| is_met_at_home(side, others));
                let found = match own.till().filter(|_| !out && is_banked_cash(side, own)) {
                    Some(till) => Some((till, BANKED_CASH, Where::Context)),
                    None => alone(side, own, out)
                        .filter(|_| !returned())
                        .map(|(account, strength)| (account, strength, Where::Line)),
                };
                if let (Some((account, strength, known)), Some(answer)) = (found, answers.get_mut(side.line)) {
                    let remark = remark(line, accounts, account, known);
                    *answer = Some(Transfer { account, pair: None, strength, remark });
                }
            }
        }
    }
}

/// The other side is in the same account: as far as can be known, nothing moved between accounts.
fn is_met_at_home(side: &Side, others: &[Side]) -> bool {
    let first = others.partition_point(|other| other.date < side.date - DAYS_LATE);
    let untagged = side.tag.is_none();
    let near = others.iter().skip(first).take_while(|other| other.date <= side.date + DAYS_LATE);
    !untagged && near.take(FIRST_COMPARED).any(|other| other.tag == side.tag && !other.is_silent())
}

/// Where a line moves money to or from by itself, and how sure that is.
fn alone(side: &Side, own: &OwnAccounts, out: bool) -> Option<(usize, u16)> {
    if side.signals.never {
        return None;
    }
    let home = side.tag.and_then(|tag| own.account_of(tag));
    let mine = side.tag.map(|tag| own.kind(tag));
    let elsewhere = |account: &usize| Some(*account) != home;
    let quiet = side.strangers.is_empty();
    let leaves_processor = mine == Some(Kind::Processor) && out && side.signals.transfer && side.named.is_empty();
    if quiet && ((side.signals.thanks && mine == Some(Kind::Card) && !out) || leaves_processor) {
        let current = own.only(|kind| kind == Kind::Current, side.tag)?;
        return elsewhere(&current).then_some((current, 740));
    }
    // `NATWEST CREDITCARD` from the bank's current account: the only card there is.
    if side.signals.card && quiet && out && mine != Some(Kind::Card) {
        let card = own.only(|kind| kind == Kind::Card, side.tag).filter(elsewhere);
        if let Some(card) = card {
            return Some((card, 780));
        }
    }
    let Some(best) = side.named.iter().map(|(_, weight)| *weight).max() else {
        // A number instead of a name: between the bank's own accounts, if there is only one other.
        let other = own.only(|kind| matches!(kind, Kind::Current | Kind::Savings), side.tag).filter(elsewhere)?;
        // Savings accounts have to do with few others: a name beside the number is most likely the caller's own.
        let own_name = mine == Some(Kind::Savings) && own.only(|kind| kind == Kind::Current, side.tag) == Some(other);
        let moves = side.signals.transfer && side.signals.numbered && side.tag.is_some() && (quiet || own_name);
        return moves.then_some((other, if quiet { 680 } else { 640 }));
    };
    if side.tag.is_none()
        && side.named.len() > 1
        && best_named(side, own, best).is_some_and(|(_, kind)| kind == Kind::Processor)
    {
        // Without a tag nobody knows which of the two accounts the line is from.
        return None;
    }
    let (account, kind) = best_named(side, own, best)?;
    if !elsewhere(&account) {
        return None;
    }
    let pays_card = kind == Kind::Card && out && quiet && (best == 3 || side.signals.card);
    let from_processor = kind == Kind::Processor && !out && quiet && side.signals.wallet;
    let moves = match kind {
        Kind::Cash => best >= 2,
        Kind::Current | Kind::Savings | Kind::Processor | Kind::Card => best >= 2 || quiet,
    };
    let strength = if quiet { 780 } else { 700 };
    ((moves && side.signals.transfer) || pays_card || from_processor).then_some((account, strength))
}

/// The account that is named best; of several equally well named ones the current account, for whatever is no current
/// account itself.
fn best_named(side: &Side, own: &OwnAccounts, best: u32) -> Option<(usize, Kind)> {
    let named = || {
        side.named
            .iter()
            .filter(|(_, weight)| *weight == best)
            .filter_map(|(other, _)| Some((own.account(*other)?, own.kind(*other))))
    };
    let first = named().next()?;
    if named().all(|(account, _)| account == first.0) {
        return Some(first);
    }
    let mut currents = named().filter(|(_, kind)| *kind == Kind::Current);
    let current = currents.next().filter(|_| side.tag.is_some_and(|tag| own.kind(tag) != Kind::Current))?;
    currents.all(|(account, _)| account == current.0).then_some(current)
}

/// Whether notes and coins are paid in to a bank, as far as a line says.
fn is_banked_cash(side: &Side, own: &OwnAccounts) -> bool {
    side.signals.cash && side.tag.is_none_or(|tag| own.kind(tag) != Kind::Cash)
}

/// What says that a line is a side of a transfer.
enum Where {
    /// The other side, of a day.
    Other(Date),
    /// The line itself.
    Line,
    /// The business context.
    Context,
}

/// Says where the money goes or comes from, and on which day it is there.
fn remark(line: &Line<'_>, accounts: &[Account<'_>], account: usize, known: Where) -> String {
    let name = accounts.get(account).map_or("", |account| &account.name);
    let direction = if line.pence < 0 { "to" } else { "from" };
    let amount = money(line.amount.abs());
    match known {
        Where::Other(date) => format!("moves {amount} {direction} {name}; the other side is there on {date}"),
        Where::Line => {
            format!("moves {amount} {direction} {name}, which the line names; the other side is not in the batch")
        }
        Where::Context => {
            format!("moves {amount} {direction} {name}, which cash is banked out of by the business context")
        }
    }
}

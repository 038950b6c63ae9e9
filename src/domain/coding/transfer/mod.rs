//! Which lines of a batch move money between the caller's own accounts.
//!
//! Two lines are the sides of a transfer when they are from different own accounts, of the same amount in opposite
//! directions, at most a few days apart, and say so: with a word for it, the other account's name, or what card companies
//! write. Equal amounts alone mean nothing. A line without its other side is a transfer only when it says so and names
//! the other account. No order of lines or accounts changes an answer.

mod own;
mod words;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::domain::amount::money;
use crate::domain::date;

use super::batch::Account;
use super::line::Line;

pub use own::OwnAccounts;
pub use words::Kind;
use words::{Sayings, is_neutral, is_processor, sayings};

/// Days money takes: it may arrive two days earlier by the other bank's dates, and four days later.
const DAYS_EARLY: i32 = 2;
const DAYS_LATE: i32 = 4;

/// Pairs of one amount that are all compared; of more, each line meets the nearest few.
const MOST_COMPARED: usize = 4096;
const NEAREST_COMPARED: usize = 24;

/// Words of a line that are read.
const MOST_WORDS: usize = 48;

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
    day: i32,
    tag: Option<usize>,
    /// Place among the sides when they are ordered by what they are.
    rank: usize,
    said: Sayings,
    /// Own accounts it names other than its own, and how well.
    named: Vec<(usize, u32)>,
    /// Words that are nobody's here: perhaps a person's or a firm's.
    strangers: Vec<String>,
}

impl Side {
    fn read(line: &Line<'_>, place: usize, own: &OwnAccounts) -> Self {
        let words: Vec<&str> = line.words().take(MOST_WORDS).collect();
        let said = sayings(&words, |word| !own.named_by(word).is_empty());
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
                    Some((_, known)) => *known = if *known == 1 && *weight == 1 { 2 } else { (*weight).max(*known) },
                    None => named.push((*account, *weight)),
                }
            }
        }
        let strange = |word: &&&str| own.named_by(word).is_empty() && !is_neutral(word) && !is_processor(word);
        let strangers = words.iter().filter(strange).map(|word| (*word).to_owned()).collect();
        Self { line: place, day: line.day, tag: line.tag, rank: 0, said, named, strangers }
    }

    fn names(&self, own: usize) -> u32 {
        self.named.iter().find(|(known, _)| *known == own).map_or(0, |(_, weight)| *weight)
    }

    /// Nothing in the line hints at a transfer.
    fn is_silent(&self) -> bool {
        !self.said.transfer && !self.said.thanks && !self.said.numbered && self.named.is_empty()
    }

    /// How much the line says for a transfer with another own account.
    fn says(&self, other: usize, thanked: bool) -> i32 {
        let named = i32::try_from(self.names(other)).unwrap_or(0);
        let mut says = named;
        says += if self.said.transfer { 2 } else { 0 };
        says += if self.said.thanks && thanked { 3 } else { 0 };
        says += if self.said.numbered { 1 } else { 0 };
        says - if self.strangers.is_empty() { 0 } else { 1 }
    }
}

/// Two sides that fit, best first when ordered.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    value: Reverse<i32>,
    day: i32,
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
                    let remark = remark(line, accounts, account, Some(other.day));
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
        if !side.said.never {
            let buckets = if line.pence < 0 { &mut outs } else { &mut ins };
            buckets.entry(line.pence.abs()).or_default().push(side);
        }
    }
    for list in outs.values_mut().chain(ins.values_mut()) {
        list.sort_by_key(|side| {
            (side.day, side.tag, lines.get(side.line).map(|line| (line.text.as_str(), line.amount)), side.line)
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

/// Every pair of one amount that says enough, best first.
fn matches(own: &OwnAccounts, outs: &[Side], ins: &[Side]) -> Vec<Match> {
    let few = outs.len().saturating_mul(ins.len()) <= MOST_COMPARED;
    let mut found = Vec::new();
    for (place, out) in outs.iter().enumerate() {
        let first = ins.partition_point(|into| into.day < out.day.saturating_sub(DAYS_EARLY));
        let last = ins.partition_point(|into| into.day <= out.day.saturating_add(DAYS_LATE));
        let window = ins.get(first..last).unwrap_or(&[]).iter().enumerate();
        if few {
            found.extend(window.filter_map(|(at, into)| compare(own, out, into, place, first + at)));
        } else {
            // Of very many equal amounts each line meets those that stand where it stands among its own.
            let middle = (place.saturating_mul(ins.len()) / outs.len().max(1)).clamp(first, last.max(first)) - first;
            let from = middle.saturating_sub(NEAREST_COMPARED / 2);
            found.extend(
                window
                    .skip(from)
                    .take(NEAREST_COMPARED)
                    .filter_map(|(at, into)| compare(own, out, into, place, first + at)),
            );
        }
    }
    found.sort_unstable();
    found
}

fn compare(own: &OwnAccounts, out: &Side, into: &Side, at_out: usize, at_into: usize) -> Option<Match> {
    let (from, to) = (out.tag?, into.tag?);
    if from == to || (out.is_silent() && into.is_silent()) {
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
    let stranger_to_card = card && !out.strangers.is_empty() && out.names(to) == 0;
    let sign = out.said.transfer
        || into.said.transfer
        || (into.said.thanks && card)
        || out.names(to) >= 2
        || into.names(from) >= 2;
    if says < ENOUGH || stranger_to_card || !sign {
        return None;
    }
    let days = into.day - out.day;
    let apart = if days >= 0 { 8 * days } else { 4 - 8 * days };
    Some(Match {
        value: Reverse(says.min(6) * 10 - apart),
        day: out.day,
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
    let apart = if (0..=1).contains(&(into.day - out.day)) { 0 } else { 15 };
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
                let Some((account, strength)) = alone(side, own, out) else { continue };
                let returned = there.get(pence).is_some_and(|others| is_met_at_home(side, others));
                if !returned && let Some(answer) = answers.get_mut(side.line) {
                    *answer =
                        Some(Transfer { account, pair: None, strength, remark: remark(line, accounts, account, None) });
                }
            }
        }
    }
}

/// The other side is in the same account: as far as can be told, nothing moved between accounts.
fn is_met_at_home(side: &Side, others: &[Side]) -> bool {
    let first = others.partition_point(|other| other.day < side.day.saturating_sub(DAYS_LATE));
    let near = others.iter().skip(first).take_while(|other| other.day <= side.day.saturating_add(DAYS_LATE));
    near.take(NEAREST_COMPARED).any(|other| other.tag == side.tag && !other.is_silent())
}

/// Where a line moves money to or from by itself, and how sure that is.
fn alone(side: &Side, own: &OwnAccounts, out: bool) -> Option<(usize, u16)> {
    let home = side.tag.and_then(|tag| own.account_of(tag));
    let mine = side.tag.map(|tag| own.kind(tag));
    let elsewhere = |account: &usize| Some(*account) != home;
    if side.said.thanks && mine == Some(Kind::Card) && !out && side.strangers.is_empty() {
        let mut currents = (0..own.len())
            .filter(|other| Some(*other) != side.tag && own.kind(*other) == Kind::Current)
            .filter_map(|other| own.account(other));
        let account = currents.next().filter(elsewhere)?;
        return currents.all(|other| other == account).then_some((account, 740));
    }
    let best = side.named.iter().map(|(_, weight)| *weight).max()?;
    let mut named = side
        .named
        .iter()
        .filter(|(_, weight)| *weight == best)
        .filter_map(|(other, _)| Some((own.account(*other)?, own.kind(*other))));
    let (account, kind) = named.next()?;
    if named.any(|(other, _)| other != account) || !elsewhere(&account) {
        return None;
    }
    let pays_card = kind == Kind::Card && out && best == 3 && side.strangers.is_empty();
    let enough = match kind {
        Kind::Cash => side.said.transfer && best >= 2,
        Kind::Current | Kind::Savings | Kind::Processor | Kind::Card => {
            side.said.transfer && (best >= 2 || side.strangers.is_empty())
        }
    };
    let strength = if side.strangers.is_empty() { 780 } else { 700 };
    (enough || pays_card).then_some((account, strength))
}

/// Says where the money goes or comes from, and on which day it is there.
fn remark(line: &Line<'_>, accounts: &[Account<'_>], account: usize, other_day: Option<i32>) -> String {
    let name = accounts.get(account).map_or("", |account| &account.name);
    let direction = if line.pence < 0 { "to" } else { "from" };
    let amount = money(line.amount.abs());
    match other_day {
        Some(day) => {
            let day = date::format(day);
            let day = std::str::from_utf8(&day).unwrap_or("");
            format!("moves {amount} {direction} {name}; the other side is there on {day}")
        }
        None => format!("moves {amount} {direction} {name}, which the line names; the other side is not in the batch"),
    }
}

//! The lines of the past by payee.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxHashMap;

use super::Seen;
use super::spread::Spread;
use crate::domain::coding::batch::{Batch, PastLine, Transaction};
use crate::domain::coding::line::{Line, Tags};
use crate::domain::coding::outcome::{HistorySummary, Vat};
use crate::domain::coding::vat::AllowedVat;
use crate::domain::coding::wording::{Wording, begins_with_codes};
use crate::domain::control::{Control, Stopped};
use crate::domain::date::Date;

/// Letters from which on a name that another begins with is the same name cut off.
const LETTERS_OF_A_CUT_NAME: usize = 8;

/// The latest lines of a payee that are looked at one by one.
const LATEST: usize = 64;

/// Lines of the past whose VAT code is as good as unknown, beside those there are.
const VAT_UNSEEN: f32 = 0.6;

/// Rows between two questions whether the answer is still wanted.
const ROWS_PER_CHECK: usize = 512;

/// One line of a payee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    date: Option<Date>,
    pub account: usize,
    pence: i128,
    vat: Option<Vat>,
}

/// A payee in one direction of money.
#[derive(Debug)]
pub struct Payee {
    /// The letters of its lines; what equal payees share.
    pub key: String,
    /// One of its lines, the words of which stand for all.
    pub wording: Wording,
    /// Whether it paid.
    pub money_in: bool,
    /// Its lines, the latest last.
    events: Vec<Event>,
    /// How often it went to each account, by ascending account.
    counts: Vec<(usize, usize)>,
}

/// Every line of the past that teaches something.
#[derive(Debug)]
pub struct Past {
    pub payees: Vec<Payee>,
    by_key: FxHashMap<(String, bool), usize>,
    /// The same by the first words of the payee, where those say enough.
    by_name: FxHashMap<(String, bool), usize>,
    /// Letters of every payee in their order, for names that were cut off.
    sorted: BTreeMap<(bool, String), usize>,
    pub summary: HistorySummary,
}

impl Past {
    pub fn read(batch: &Batch<'_>, allowed: &AllowedVat, control: &dyn Control) -> Result<Self, Stopped> {
        let places: HashMap<&str, usize> =
            batch.accounts.iter().enumerate().map(|(at, account)| (account.code.as_ref(), at)).collect();
        let mut summary = HistorySummary { rows: batch.history.len(), ..HistorySummary::default() };
        let coded = lines_that_begin_with_codes(batch);
        let tags = Tags::default();
        let mut payees: Vec<Payee> = Vec::new();
        let mut by_key: FxHashMap<(String, bool), usize> = FxHashMap::default();
        for (at, row) in batch.history.iter().enumerate() {
            if at % ROWS_PER_CHECK == 0 && control.is_cancelled() {
                return Err(Stopped);
            }
            let vat = row.vat_code.as_deref().map(|code| allowed.meaning(code));
            summary.unknown_vat_codes += usize::from(matches!(vat, Some(None)));
            let Some(account) = places.get(row.account_code.as_ref()).copied() else {
                summary.unknown_accounts += 1;
                continue;
            };
            let source = transaction(row);
            let line = Line::new(&source, &tags);
            let is_coded = row.bank_account.as_deref().and_then(|tag| coded.get(tag)).copied().unwrap_or(false);
            let wording = Wording::of(&line, is_coded);
            let money_in = line.amount > 0;
            let key = (key(&wording), money_in);
            if key.0.is_empty() {
                continue;
            }
            let event = Event { date: row.date, account, pence: line.pence, vat: vat.flatten().flatten() };
            let place = *by_key.entry(key).or_insert_with_key(|(key, money_in)| {
                payees.push(Payee {
                    key: key.clone(),
                    wording: wording.clone(),
                    money_in: *money_in,
                    events: Vec::new(),
                    counts: Vec::new(),
                });
                payees.len() - 1
            });
            if let Some(payee) = payees.get_mut(place) {
                // Whichever of several wordings stands for the payee does not depend on the order of rows.
                if wording.padded < payee.wording.padded {
                    payee.wording = wording;
                }
                payee.events.push(event);
            }
        }
        // A payee's place does not depend on the order of rows.
        payees.sort_by(|a, b| (&a.key, a.money_in).cmp(&(&b.key, b.money_in)));
        for payee in &mut payees {
            payee.events.sort_unstable();
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for event in &payee.events {
                *counts.entry(event.account).or_default() += 1;
            }
            payee.counts = counts.into_iter().collect();
        }
        let by_key = payees.iter().enumerate().map(|(at, payee)| ((payee.key.clone(), payee.money_in), at)).collect();
        let mut by_name: FxHashMap<(String, bool), usize> = FxHashMap::default();
        for (at, payee) in payees.iter().enumerate() {
            let name = &payee.wording.payee;
            if name.chars().count() < 5 {
                continue;
            }
            // Of several lines with one name the one seen most often stands for it.
            let known = by_name.entry((name.clone(), payee.money_in)).or_insert(at);
            if payees.get(*known).is_some_and(|known| known.events.len() < payee.events.len()) {
                *known = at;
            }
        }
        let sorted = payees.iter().enumerate().map(|(at, payee)| ((payee.money_in, payee.key.clone()), at)).collect();
        Ok(Self { payees, by_key, by_name, sorted, summary })
    }

    /// The payee of a line, if the past has it: by all its letters, by its first words, as one that was cut off; a receipt
    /// from whom only payments are known is money back.
    pub fn payee(&self, wording: &Wording, money_in: bool) -> Option<&Payee> {
        self.payees.get(self.place(wording, money_in)?)
    }

    /// The place of that payee.
    pub fn place(&self, wording: &Wording, money_in: bool) -> Option<usize> {
        let key = key(wording);
        let found = |money_in: bool| {
            self.by_key
                .get(&(key.clone(), money_in))
                .or_else(|| self.by_name.get(&(wording.payee.clone(), money_in)))
                .copied()
                .or_else(|| self.cut_off(&key, money_in))
        };
        found(money_in).or_else(|| money_in.then(|| found(false)).flatten())
    }

    /// A payee whose letters begin with these, or these with the payee's; of several the longest shared.
    fn cut_off(&self, key: &str, money_in: bool) -> Option<usize> {
        if key.chars().count() < LETTERS_OF_A_CUT_NAME {
            return None;
        }
        let start = (money_in, key.to_owned());
        let longer = self
            .sorted
            .range(start..)
            .next()
            .filter(|((direction, theirs), _)| *direction == money_in && theirs.starts_with(key));
        if let Some((_, place)) = longer {
            return Some(*place);
        }
        let ends: Vec<usize> = key.char_indices().map(|(at, _)| at).skip(LETTERS_OF_A_CUT_NAME).take(60).collect();
        ends.into_iter().rev().find_map(|end| self.by_key.get(&(key.get(..end)?.to_owned(), money_in)).copied())
    }
}

impl Payee {
    /// What its past says of one line more: the latest and those of like amounts count most.
    pub fn spread(&self, line: &Line<'_>) -> Spread {
        let mut spread = Spread::default();
        for (event, recent) in self.latest() {
            spread.add(event.account, recent * alike(event.pence, line.pence));
        }
        spread
    }

    /// Its latest lines, the last first, with how much each counts.
    fn latest(&self) -> impl Iterator<Item = (&Event, f32)> {
        let ranks = (0_u8..).map(|rank| 6.0 / (6.0 + f32::from(rank)));
        self.events.iter().rev().take(LATEST).zip(ranks)
    }

    /// Where it went, all together one.
    pub fn shares(&self) -> Spread {
        let mut spread = Spread::default();
        let total: f32 = self.latest().map(|(_, recent)| recent).sum();
        for (event, recent) in self.latest() {
            spread.add(event.account, recent / total.max(f32::MIN_POSITIVE));
        }
        spread
    }

    /// How often it went to an account.
    pub fn times(&self, account: usize) -> usize {
        self.counts.iter().find(|(known, _)| *known == account).map_or(0, |(_, count)| *count)
    }

    /// How often it went where, and when last.
    pub fn seen(&self, account: usize) -> Seen {
        let last = self.events.iter().rev().find(|event| event.account == account).and_then(|event| event.date);
        let others = self.counts.iter().filter(|(known, _)| *known != account);
        let other = others.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).copied();
        Seen { times: self.times(account), last, other }
    }

    /// The VAT code it was given, in the lines of one account where there are any with a code.
    ///
    /// Beside it stands the share of the past that agrees.
    pub fn vat(&self, line: &Line<'_>, account: usize) -> Option<(Vat, f32)> {
        let vote = |only: Option<usize>| {
            let mut weights = [0.0_f32; Vat::ALL.len()];
            for (event, recent) in self.latest().filter(|(event, _)| only.is_none_or(|only| event.account == only)) {
                let place = event.vat.and_then(|vat| Vat::ALL.iter().position(|known| *known == vat));
                if let Some(weight) = place.and_then(|place| weights.get_mut(place)) {
                    *weight += recent * alike(event.pence, line.pence);
                }
            }
            let total: f32 = weights.iter().sum();
            let best = Vat::ALL.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
            let best = best.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            best.map(|(vat, weight)| (vat, (weight + VAT_UNSEEN / 2.0) / (total + VAT_UNSEEN)))
        };
        vote(Some(account)).or_else(|| vote(None))
    }

    /// Its VAT codes with how often each was given.
    pub fn vat_codes(&self) -> impl Iterator<Item = (usize, Vat)> {
        self.latest().filter_map(|(event, _)| Some((event.account, event.vat?)))
    }

    /// The latest amount, in pence.
    pub fn pence(&self) -> i128 {
        self.events.last().map_or(0, |event| event.pence)
    }
}

/// The letters of a line without spaces: banks and people part words as they like.
fn key(wording: &Wording) -> String {
    wording.padded.chars().filter(|character| character.is_alphabetic()).collect()
}

/// How much a line of one amount says about one of another.
fn alike(past: i128, now: i128) -> f32 {
    let (past, now) = (past.unsigned_abs(), now.unsigned_abs());
    if past == 0 || now == 0 {
        return 1.0;
    }
    let (low, high) = (past.min(now), past.max(now));
    if low == high {
        8.0
    } else if (high - low).saturating_mul(20) <= high {
        2.0
    } else if low.saturating_mul(4) >= high {
        1.0
    } else {
        0.6
    }
}

fn transaction<'r>(row: &'r PastLine<'_>) -> Transaction<'r> {
    Transaction {
        date: row.date.unwrap_or(Date::MIN),
        description: Cow::Borrowed(&row.description),
        amount: row.amount.unwrap_or(0),
        merchant: row.merchant.as_deref().map(Cow::Borrowed),
        reference: None,
        bank_account: None,
        merchant_category_code: None,
    }
}

/// Which tags of the past are of banks that begin lines with codes.
fn lines_that_begin_with_codes<'b>(batch: &'b Batch<'_>) -> FxHashMap<&'b str, bool> {
    let mut by_tag: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for row in &batch.history {
        if let Some(tag) = row.bank_account.as_deref() {
            by_tag.entry(tag).or_default().push(&row.description);
        }
    }
    by_tag.into_iter().map(|(tag, texts)| (tag, begins_with_codes(texts.into_iter()))).collect()
}

/// The size of an amount, in powers of two.
pub fn size_of(line_pence: i128) -> u32 {
    128 - line_pence.unsigned_abs().max(1).leading_zeros()
}

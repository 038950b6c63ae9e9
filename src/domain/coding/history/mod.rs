//! The customer's own past: which account a payee goes to, and which account this customer uses for what.
//!
//! A payee that was coded before goes where it went, the more so the more often, the later and the more alike the amounts;
//! where the past is divided, the answer says so. Every payee counts once in what is learned about words and concepts, and
//! a payee that went to several accounts counts in parts: one that is there twenty thousand times teaches as much about
//! others as one that is there once.
//!
//! Chances are products and sums of numbers in a fixed order: every machine and every order of rows gives the same.

mod past;
mod spread;
mod unseen;

use super::batch::{AccountType, Batch};
use super::chart::Chart;
use super::decide::{Decider, Decision};
use super::line::Line;
use super::outcome::{HistorySummary, Method, Vat};
use super::vat::AllowedVat;
use super::wording::Wording;
use crate::domain::control::{Control, Stopped};
use crate::domain::date::Date;
pub use past::size_of;
use past::{Past, Payee};
use rustc_hash::FxHashSet;
use unseen::Unseen;

/// How much what is likely for an unknown payee counts beside the payee's own past, in lines of it.
const BESIDE_OWN_PAST: f32 = 0.6;

/// What is known about a line from the past.
#[derive(Debug, Clone)]
pub struct Recall {
    /// Where it goes.
    pub decision: Decision,
    /// What the past says of the payee; none when it has not seen it.
    pub seen: Option<Seen>,
    /// Payees of the past that are like this one and went to the account.
    pub alike: usize,
    /// The VAT code the past gives it.
    pub vat: Option<Vat>,
}

/// How often a payee went where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Times it went to the account of the answer.
    pub times: usize,
    /// When it last did.
    pub last: Option<Date>,
    /// The account it went to next often, and how often.
    pub other: Option<(usize, usize)>,
}

/// The past of one customer, ready to be asked.
#[derive(Debug)]
pub struct History<'a> {
    past: Past,
    unseen: Unseen,
    /// Kinds of accounts that a payee nobody knows may go to.
    kinds: &'a [AccountType],
    /// Accounts of documents, where no line goes without its document unless it did so again and again.
    documents: [Option<usize>; 2],
}

impl<'a> History<'a> {
    /// Reads the past of a batch; none when there is nothing to learn from.
    pub fn read(
        batch: &Batch<'_>,
        chart: &'a Chart,
        decider: &Decider<'_>,
        allowed: &AllowedVat,
        control: &dyn Control,
    ) -> Result<Option<Self>, Stopped> {
        if batch.history.is_empty() {
            return Ok(None);
        }
        let past = Past::read(batch, allowed, control)?;
        let unseen = Unseen::learn(&past, decider, &chart.kinds, control)?;
        Ok(Some(Self { past, unseen, kinds: &chart.kinds, documents: [chart.receivables, chart.payables] }))
    }

    /// What the caller learns of the past of a batch.
    pub fn summary(&self) -> HistorySummary {
        self.past.summary
    }

    /// Counts the payees of the lines that the past has seen.
    pub fn count_payees<'w>(&mut self, lines: impl Iterator<Item = (&'w Line<'w>, &'w Wording)>) {
        let mut matched = FxHashSet::default();
        for (line, wording) in lines {
            matched.extend(self.past.place(wording, line.amount > 0));
        }
        self.past.summary.payees_matched = matched.len();
    }

    /// Where a line goes by the past, given what its words alone say.
    pub fn recall(&self, line: &Line<'_>, wording: &Wording, decision: &Decision) -> Option<Recall> {
        if self.past.payees.is_empty() {
            return None;
        }
        let money_in = line.amount > 0;
        let guess = self.unseen.guess(wording, line, decision);
        let Some(payee) = self.past.payee(wording, money_in) else {
            return self.of_unseen(line, decision, guess);
        };
        let own = payee.spread(line);
        let (chances, total) = (own.plus(&guess.spread, BESIDE_OWN_PAST), own.total() + BESIDE_OWN_PAST);
        let ranked = chances.ranked();
        let allowed = |account: usize| self.may_go(payee, account);
        let (account, weight) = ranked.iter().copied().find(|(account, _)| allowed(*account))?;
        let others = ranked.iter().copied().filter(|(other, _)| *other != account && allowed(*other)).take(3);
        let others: Vec<(usize, f32)> = others.map(|(other, weight)| (other, weight / total)).collect();
        let seen = payee.seen(account);
        let vat = payee.vat(line, account);
        // Sure of the account is not sure of the VAT code, where codes were given and differ.
        let agreement = vat.map_or(1.0, |(_, agreement)| agreement);
        let concept = if account == decision.account { decision.concept } else { self.unseen.concept_of(account) };
        Some(Recall {
            decision: Decision {
                account,
                concept: concept.or(decision.concept),
                method: Method::History,
                raw: weight / total * agreement,
                is_usual: false,
                is_weak: false,
                is_to_person: decision.is_to_person,
                is_of_clients: false,
                is_stated: false,
                is_of_price: false,
                is_ranked: false,
                others,
                clues: Vec::new(),
            },
            seen: Some(seen),
            alike: 0,
            vat: vat.map(|(vat, _)| vat).or_else(|| self.unseen.vat(account)),
        })
    }

    fn of_unseen(&self, line: &Line<'_>, decision: &Decision, guess: unseen::Guess) -> Option<Recall> {
        let ranked = guess.spread.ranked();
        let (account, chance) = ranked.first().copied()?;
        let is_ours = account == decision.account && decision.method != Method::Fallback;
        // For want of any evidence the customer's commonest account is a guess, and is called one.
        let method = match (is_ours, guess.is_told) {
            (true, _) => decision.method,
            (false, true) => Method::History,
            (false, false) => Method::Fallback,
        };
        let concept = if is_ours { decision.concept } else { self.unseen.concept_of(account).or(decision.concept) };
        let others = ranked.iter().copied().skip(1).take(3).collect();
        let vat = self.unseen.vat(account).filter(|_| line.amount < 0);
        Some(Recall {
            decision: Decision {
                account,
                concept,
                method,
                raw: chance,
                is_usual: is_ours && decision.is_usual,
                is_weak: is_ours && decision.is_weak && guess.alike == 0,
                is_to_person: decision.is_to_person,
                is_of_clients: false,
                is_stated: false,
                is_of_price: false,
                is_ranked: false,
                others,
                clues: Vec::new(),
            },
            seen: None,
            alike: guess.alike,
            vat,
        })
    }

    /// Whether a payee of the past may go to an account again: to debtors and creditors only when it did more than once,
    /// since what settled a document then may buy something now.
    fn may_go(&self, payee: &Payee, account: usize) -> bool {
        let is_document = self.documents.contains(&Some(account));
        let is_ledger = !matches!(self.kinds.get(account), Some(AccountType::Income | AccountType::Expense));
        let times = payee.times(account);
        if is_document { times >= 2 } else { !is_ledger || times >= 1 }
    }
}

/// Why a line goes where the past says, in one sentence.
pub fn reason(batch: &Batch<'_>, recall: &Recall, about: &str) -> String {
    let name = |account: usize| {
        batch.accounts.get(account).map_or_else(String::new, |account| format!("{} {}", account.code, account.name))
    };
    let account = name(recall.decision.account);
    let times = |count: usize| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    };
    match &recall.seen {
        Some(seen) if seen.times > 0 => {
            let last = seen.last.map_or_else(String::new, |date| format!(", last {date}"));
            let other =
                seen.other.map_or_else(String::new, |(other, count)| format!("; {} to {}", times(count), name(other)));
            format!("Coded {} to {account}{last}{other}.", times(seen.times))
        }
        Some(_) => format!("This payee was coded to several accounts before; {account} is the likeliest now."),
        None if recall.alike > 0 => {
            let payees = if recall.alike == 1 { "payee".to_owned() } else { "payees".to_owned() };
            format!("{} {payees} like this one went to {account} before ({about}).", recall.alike)
        }
        None => format!("Nothing is known of the payee; {account} is what this customer mostly uses."),
    }
}

//! Takings that are cleared: a context that has what a payment service pays out, or the cash that is banked, go to an account
//! from which a journal of the till takes the sales.

use super::batch::{Account, AccountType};
use super::instructions::is_payment_service;
use super::text::{fold, sentences};

/// Words of accounts that hold takings until the sales are posted.
const CLEARS: &[&str] = &["CLEARING", "TRANSIT", "UNDEPOSITED"];

/// Words that a sentence about takings has, where it names no payment service.
const TAKINGS: &[&str] = &["CARD", "CARDS", "PAYOUT", "PAYOUTS", "TAKING", "TAKINGS"];

/// Words that stand for what the sentence before is about.
const PRONOUNS: &[&str] = &["ALL", "BOTH", "IT", "THAT", "THESE", "THEY", "THIS", "THOSE"];

/// What stands before a code that something goes to.
const LEADS: &[&str] = &["ACCOUNT", "AS", "CODE", "IN", "INTO", "ON", "TO"];

const DENIALS: &[&str] = &["DONT", "NEVER", "NO", "NOT"];

/// So many words before the word that clears are of the account's name.
const NAME_WITHIN: usize = 4;

/// In so many words before the account's name a denial is of it.
const DENIAL_WITHIN: usize = 3;

/// Shorter codes are numbers of anything.
const CODE_DIGITS: usize = 3;

/// An account that takes what customers paid until it is posted as sales.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takings {
    /// Its index.
    pub account: usize,
    /// The payment services that are spoken of; none where cards are in general.
    services: Vec<String>,
    /// Whether the cash that is paid in goes there, too.
    takes_cash: bool,
}

impl Takings {
    /// What a context says of such an account; none where it speaks of none, or of several.
    pub fn read(context: &str, accounts: &[Account<'_>]) -> Option<Self> {
        let clearing: Vec<(usize, &str, Vec<String>)> = accounts
            .iter()
            .enumerate()
            .filter(|(_, account)| matches!(account.kind, AccountType::Asset | AccountType::Liability))
            .map(|(at, account)| (at, account.code.as_ref(), words(&account.name)))
            .filter(|(_, _, name)| name.iter().any(|word| CLEARS.contains(&word.as_str())))
            .collect();
        if clearing.is_empty() {
            return None;
        }
        let mut found: Vec<Self> = Vec::new();
        let mut before: Vec<String> = Vec::new();
        for sentence in sentences(context) {
            let own = words(sentence);
            for (account, code, name) in &clearing {
                let Some(place) = mention(&own, code, name) else { continue };
                let spoken = own.get(..place).unwrap_or_default();
                let is_about_before = own.first().is_some_and(|first| PRONOUNS.contains(&first.as_str()));
                let before = if is_about_before { before.as_slice() } else { &[] };
                let subject: Vec<&String> = before.iter().chain(spoken).chain(name).collect();
                let services: Vec<String> =
                    subject.iter().filter(|word| is_payment_service(word)).map(|word| (*word).clone()).collect();
                let has = |known: &[&str]| subject.iter().any(|word| known.contains(&word.as_str()));
                let takes_cash = before.iter().chain(spoken).any(|word| word == "CASH");
                if !services.is_empty() || has(TAKINGS) {
                    found.push(Self { account: *account, services, takes_cash });
                }
            }
            before = own;
        }
        let [one] = found.as_slice() else { return None };
        Some(one.clone())
    }

    /// Whether what a service pays out, by the words of a line, goes there.
    pub fn takes_payout(&self, text: &str) -> bool {
        let is_same = |word: &str| self.services.is_empty() || self.services.iter().any(|service| service == word);
        text.split(' ').any(|word| is_payment_service(word) && is_same(word))
    }

    /// Whether a line is of another payment service than those that are spoken of.
    pub fn is_of_others(&self, text: &str) -> bool {
        !self.services.is_empty() && text.split(' ').any(is_payment_service) && !self.takes_payout(text)
    }

    /// Whether the cash that is paid in goes there.
    pub const fn takes_cash(&self) -> bool {
        self.takes_cash
    }
}

/// The words of a text, folded.
fn words(text: &str) -> Vec<String> {
    fold(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Where the words of a sentence name an account, by its code or by words of its name up to the one that clears.
fn mention(sentence: &[String], code: &str, name: &[String]) -> Option<usize> {
    let is_code = |at: usize| {
        let lead = at.checked_sub(1).and_then(|before| sentence.get(before));
        code.len() >= CODE_DIGITS
            && sentence.get(at).is_some_and(|word| word == code)
            && lead.is_some_and(|lead| LEADS.contains(&lead.as_str()))
    };
    let by_name = |at: usize| {
        let word = sentence.get(at)?;
        if !CLEARS.contains(&word.as_str()) || !name.contains(word) {
            return None;
        }
        let from = at.saturating_sub(NAME_WITHIN);
        let is_of_name = |place: &usize| {
            sentence
                .get(*place)
                .is_some_and(|word| word.len() > 2 && word != "THE" && word != "AND" && name.contains(word))
        };
        (from..at).find(is_of_name)
    };
    let place = (0..sentence.len()).find_map(|at| if is_code(at) { Some(at) } else { by_name(at) })?;
    let denied = sentence.get(place.saturating_sub(DENIAL_WITHIN)..place).unwrap_or_default();
    (!denied.iter().any(|word| DENIALS.contains(&word.as_str()))).then_some(place)
}

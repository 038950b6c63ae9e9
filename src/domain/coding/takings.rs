//! Takings that are cleared: a context that has what a payment service pays out, or the cash that is banked, go to an account
//! from which a journal of the till takes the sales.

use super::batch::{Account, AccountType};
use super::instructions::is_payment_service;
use super::text::{fold, sentences};

/// Words of accounts that hold takings until the sales are posted.
const CLEARS: &[&str] = &["CLEARING", "TRANSIT", "UNDEPOSITED"];

/// Words of such accounts that hold something else.
const NO_TAKINGS: &[&str] = &[
    "EXPENSE", "EXPENSES", "GOODS", "LOAN", "NET", "PAYE", "PAYROLL", "PENSION", "SALARIES", "SALARY", "STOCK", "VAT",
    "WAGE", "WAGES",
];

/// Words that a sentence about takings has, where it names no payment service.
const TAKINGS: &[&str] = &["CARD", "CARDS", "PAYOUT", "PAYOUTS", "TAKING", "TAKINGS"];

/// Words that stand for what the sentence before is about.
const PRONOUNS: &[&str] = &["ALL", "BOTH", "IT", "THAT", "THESE", "THEY", "THIS", "THOSE"];

/// What stands before a code that something goes to.
const LEADS: &[&str] = &["ACCOUNT", "AS", "CODE", "IN", "INTO", "ON", "TO"];

/// Words that say where something goes.
const DESTINATIONS: &[&str] = &["INTO", "TO"];

/// Words of a sentence that denies that an account is used so.
const DENIALS: &[&str] = &["ARENT", "DOESNT", "DONT", "ISNT", "LONGER", "NEVER", "NO", "NOT", "STOPPED", "USED"];

/// So many words before the word that clears are of the account's name.
const NAME_WITHIN: usize = 4;

/// In so many words before and behind an account's name a denial is of it.
const DENIAL_BEFORE: usize = 6;
const DENIAL_BEHIND: usize = 5;

/// Shorter codes are numbers of anything.
const CODE_DIGITS: usize = 3;

/// The accounts that takings go to until they are posted as sales.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Takings(Vec<Cleared>);

/// What goes to one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cleared {
    /// The index of the account.
    account: usize,
    /// The payment services that are spoken of.
    services: Vec<String>,
    /// Whether cards are spoken of in general.
    takes_cards: bool,
    /// Whether the cash that is paid in goes there, too.
    takes_cash: bool,
}

impl Takings {
    /// What a context says of such accounts.
    pub fn read(context: &str, accounts: &[Account<'_>]) -> Self {
        let clearing: Vec<(usize, &str, Vec<String>)> = accounts
            .iter()
            .enumerate()
            .filter(|(_, account)| matches!(account.kind, AccountType::Asset | AccountType::Liability))
            .map(|(at, account)| (at, account.code.as_ref(), words(&account.name)))
            .filter(|(_, _, name)| has(name, CLEARS) && !has(name, NO_TAKINGS))
            .collect();
        let mut found: Vec<Cleared> = Vec::new();
        let mut before: Vec<String> = Vec::new();
        for sentence in sentences(context).filter(|_| !clearing.is_empty()) {
            let own = words(sentence);
            for (account, code, name) in &clearing {
                let Some(place) = mention(&own, code, name) else { continue };
                let spoken = own.get(..place).unwrap_or_default();
                let is_about_before = own.first().is_some_and(|first| PRONOUNS.contains(&first.as_str()));
                let before = if is_about_before { before.as_slice() } else { &[] };
                let subject = || before.iter().chain(spoken);
                let services: Vec<String> = subject().filter(|word| is_payment_service(word)).cloned().collect();
                let takes_cards = services.is_empty() && subject().any(|word| TAKINGS.contains(&word.as_str()));
                if services.is_empty() && !takes_cards {
                    continue;
                }
                let takes_cash = speaks_of_cash(spoken) || has(before, &["CASH"]) && goes_nowhere_else(before);
                match found.iter_mut().find(|known| known.account == *account) {
                    Some(known) => {
                        known.services.extend(services);
                        known.takes_cards |= takes_cards;
                        known.takes_cash |= takes_cash;
                    }
                    None => found.push(Cleared { account: *account, services, takes_cards, takes_cash }),
                }
            }
            before = own;
        }
        Self(found)
    }

    /// The account of what a service pays out, by the words of a line; none where several may be.
    pub fn of_payout(&self, text: &str) -> Option<usize> {
        let is_named = |known: &&Cleared| text.split(' ').any(|word| known.services.iter().any(|name| name == word));
        // Direct Debits are no cards.
        let is_card = || text.split(' ').any(|word| is_payment_service(word) && word != "GOCARDLESS");
        self.only(|known| is_named(&known)).or_else(|| self.only(|known| known.takes_cards && is_card()))
    }

    /// Whether a line is of a payment service, and others alone are spoken of.
    pub fn is_of_others(&self, text: &str) -> bool {
        !self.0.is_empty() && text.split(' ').any(is_payment_service) && self.of_payout(text).is_none()
    }

    /// The account of the cash that is paid in.
    pub fn of_cash(&self) -> Option<usize> {
        self.only(|known| known.takes_cash)
    }

    fn only(&self, is_meant: impl Fn(&Cleared) -> bool) -> Option<usize> {
        let mut meant = self.0.iter().filter(|known| is_meant(known));
        meant.next().filter(|_| meant.next().is_none()).map(|known| known.account)
    }
}

/// The words of a text, folded.
fn words(text: &str) -> Vec<String> {
    fold(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn has(words: &[String], known: &[&str]) -> bool {
    words.iter().any(|word| known.contains(&word.as_str()))
}

/// Whether the words before an account's name speak of cash that goes there, and nowhere else before it.
fn speaks_of_cash(spoken: &[String]) -> bool {
    let Some(at) = spoken.iter().rposition(|word| word == "CASH") else { return false };
    let behind = spoken.get(at..).unwrap_or_default();
    behind.iter().filter(|word| DESTINATIONS.contains(&word.as_str())).count() <= 1
}

/// Whether a sentence sends what it is about nowhere, or denies where.
fn goes_nowhere_else(sentence: &[String]) -> bool {
    !has(sentence, DESTINATIONS) || has(sentence, DENIALS)
}

/// Where the words of a sentence name an account, by its code or by words of its name up to the one that clears.
fn mention(sentence: &[String], code: &str, name: &[String]) -> Option<usize> {
    let is_code = |at: usize| {
        let lead = at.checked_sub(1).and_then(|before| sentence.get(before));
        code.len() >= CODE_DIGITS
            && sentence.get(at).is_some_and(|word| word == code)
            && lead.is_some_and(|lead| LEADS.contains(&lead.as_str()))
    };
    let is_of_name = |word: &String| word.len() > 2 && word != "THE" && word != "AND" && name.contains(word);
    let by_name = |at: usize| {
        let word = sentence.get(at)?;
        let from = at.saturating_sub(NAME_WITHIN);
        let is_meant = CLEARS.contains(&word.as_str()) && name.contains(word);
        (from..at).find(|place| is_meant && sentence.get(*place).is_some_and(is_of_name))
    };
    let (from, until) = (0..sentence.len())
        .find_map(|at| if is_code(at) { Some((at, at + 1)) } else { by_name(at).map(|from| (from, at + 1)) })?;
    let before = sentence.get(from.saturating_sub(DENIAL_BEFORE)..from).unwrap_or_default();
    let behind = sentence.iter().skip(until).take(DENIAL_BEHIND);
    let is_denied = has(before, DENIALS) || behind.into_iter().any(|word| DENIALS.contains(&word.as_str()));
    (!is_denied).then_some(from)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const CLEARING: usize = 1;

    fn read(context: &str) -> Takings {
        let account = |code: &'static str, name: &'static str, kind| Account {
            code: Cow::Borrowed(code),
            name: Cow::Borrowed(name),
            kind,
        };
        let accounts = [
            account("4000", "Card sales", AccountType::Income),
            account("1250", "Card & Cash Takings Clearing", AccountType::Asset),
            account("1251", "Stripe Clearing", AccountType::Asset),
            account("2250", "Wages Clearing", AccountType::Liability),
            account("1300", "Goods in Transit", AccountType::Asset),
        ];
        Takings::read(context, &accounts)
    }

    #[test]
    fn what_a_context_has_cleared_is_cleared_by_service() {
        for context in [
            "Please don't put SumUp payouts or the cash I pay in to sales. They all go to the takings clearing account.",
            "All takings, whether SumUp payouts or cash paid in at the Post Office, go to 1250; the journal does the sales.",
            "Takings on cards go to 1250. SumUp goes to the takings clearing account as well, and so does cash paid in to 1250.",
        ] {
            let takings = read(context);
            assert_eq!(takings.of_payout("SUMUP PAYMENTS PID"), Some(CLEARING), "{context}");
            assert_eq!(takings.of_payout("GOCARDLESS LTD"), None, "{context}");
        }
        let both = read("SumUp goes to the takings clearing account. Stripe is posted to Stripe Clearing.");
        assert_eq!(both.of_payout("SUMUP PAYMENTS"), Some(CLEARING));
        assert_eq!(both.of_payout("STRIPE PAYMENTS UK"), Some(CLEARING + 1));
        assert_eq!(both.of_payout("ZETTLE BY PAYPAL"), None);
        assert!(both.is_of_others("ZETTLE") && !both.is_of_others("STRIPE") && !both.is_of_others("J SMITH"));
    }

    #[test]
    fn cash_goes_there_where_it_goes_nowhere_else() {
        let cash = |context| read(context).of_cash();
        let all = "Please don't put SumUp or the cash I bank to sales. They all go to the takings clearing account.";
        assert_eq!(cash(all), Some(CLEARING));
        assert_eq!(cash("All takings, SumUp or cash paid in at the Post Office, go to 1250."), Some(CLEARING));
        assert_eq!(cash("Cash is banked to Card sales, and SumUp goes to the takings clearing account."), None);
        assert_eq!(cash("SumUp goes to the takings clearing account, and cash to sales."), None);
    }

    #[test]
    fn what_is_denied_or_said_of_something_else_clears_nothing() {
        for context in [
            "",
            "The takings clearing account is old and we stopped using it.",
            "We no longer post SumUp payouts to the takings clearing account.",
            "SumUp payouts aren't for the takings clearing account.",
            "Fuel goes on the company card and net pay to wages clearing.",
            "Stripe payouts are card sales, and stock on the way is goods in transit.",
            "SumUp takes 1250 a week.",
        ] {
            assert_eq!(read(context), Takings::default(), "{context}");
        }
    }
}

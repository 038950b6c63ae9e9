//! Words by which lines speak of accounts: what is rare in the names of a chart, what stands beside each other there, first letters.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::AccountType;
use super::knowledge::{Affinities, NameWord, WordLists};
use super::weights::WEIGHTS;

/// Words of accounts that are kept by documents, statements and returns.
pub const CONTROL_WORDS: &[&str] =
    &["CONTROL", "DEBTOR", "CREDITOR", "RECEIVABLE", "PAYABLE", "VAT", "BANK", "CURRENT", "CLEARING", "TRADE"];

/// Words that limit what an account is for: its other words do not lead there by themselves.
const LIMITING_WORDS: &[&str] = &["ABROAD", "OVERSEA", "FOREIGN", "COMPUTER", "IT", "CAR"];

/// Accounts of a chart by what lines call them. An account is its index; beside it is how much of its name the words are, 0 to 1.
#[derive(Debug)]
pub struct NameIndex {
    /// By the group of words that tell accounts apart.
    groups: Vec<Vec<(usize, f32)>>,
    /// By words that only a few accounts have.
    rare: BTreeMap<String, Vec<(usize, f32)>>,
    /// By words that stand beside each other in names.
    pairs: BTreeMap<String, Vec<usize>>,
    /// By first letters of names.
    initials: BTreeMap<String, usize>,
}

impl NameIndex {
    /// Reads the words of each account's name.
    pub fn read(names: &[Vec<NameWord>], kinds: &[AccountType], affinities: &Affinities, lists: &WordLists) -> Self {
        Self {
            groups: affinities.accounts(names),
            rare: rare_words(names, kinds, lists),
            pairs: name_pairs(names),
            initials: initials(names),
        }
    }

    /// The accounts of a group of [`Affinities`].
    pub fn of_group(&self, group: usize) -> &[(usize, f32)] {
        self.groups.get(group).map_or(&[], Vec::as_slice)
    }

    /// The accounts that have a rare word in their names, as a stem.
    pub fn of_rare_word(&self, word: &str) -> &[(usize, f32)] {
        self.rare.get(word).map_or(&[], Vec::as_slice)
    }

    /// The accounts that have two stems beside each other in their names; they are parted by a space.
    pub fn of_pair(&self, pair: &str) -> &[usize] {
        self.pairs.get(pair).map_or(&[], Vec::as_slice)
    }

    /// The account that is called by its first letters.
    pub fn of_initials(&self, letters: &str) -> Option<usize> {
        self.initials.get(letters).copied()
    }
}

/// Words that stand beside each other in the names of accounts, with the accounts.
fn name_pairs(names: &[Vec<NameWord>]) -> BTreeMap<String, Vec<usize>> {
    let mut pairs: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (account, words) in names.iter().enumerate() {
        for pair in words.windows(2) {
            let [first, second] = pair else { continue };
            let is_control = pair.iter().any(|word| CONTROL_WORDS.contains(&word.stem.as_str()));
            if first.part != second.part || is_control {
                continue;
            }
            let accounts = pairs.entry(format!("{} {}", first.stem, second.stem)).or_default();
            if accounts.last() != Some(&account) {
                accounts.push(account);
            }
        }
    }
    pairs
}

/// Accounts by the first letters of three words beside each other in their names, by which lines call them: *TFC* for tax-free childcare.
/// Letters of several accounts tell none.
fn initials(names: &[Vec<NameWord>]) -> BTreeMap<String, usize> {
    /// What these letters mean everywhere.
    const OF_OTHERS: &[&str] = &["AMC", "CIS", "NHS", "PPL", "PRS", "RPA", "VAT"];
    let mut holders: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (account, words) in names.iter().enumerate() {
        for letters in words.windows(3).filter_map(initials_of) {
            holders.entry(letters).or_default().insert(account);
        }
    }
    holders.retain(|letters, accounts| accounts.len() == 1 && !OF_OTHERS.contains(&letters.as_str()));
    holders.into_iter().filter_map(|(letters, accounts)| Some((letters, accounts.first().copied()?))).collect()
}

/// First letters of words of one part of an account's name.
fn initials_of(words: &[NameWord]) -> Option<String> {
    let part = words.first()?.part;
    let is_word = |word: &NameWord| word.part == part && word.stem.chars().count() >= 3;
    words.iter().all(is_word).then(|| words.iter().filter_map(|word| word.stem.chars().next()).collect())
}

/// Words that only a few accounts of the chart have.
fn rare_words(
    names: &[Vec<NameWord>],
    kinds: &[AccountType],
    lists: &WordLists,
) -> BTreeMap<String, Vec<(usize, f32)>> {
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (account, words) in names.iter().enumerate() {
        for word in words.iter().filter(|word| {
            word.stem.chars().count() >= 3
                && !lists.account_plain.has(&word.stem)
                && !CONTROL_WORDS.contains(&word.stem.as_str())
        }) {
            let accounts = holders.entry(&word.stem).or_default();
            if accounts.last() != Some(&account) {
                accounts.push(account);
            }
        }
    }
    let mut rare = BTreeMap::new();
    for (word, mut accounts) in holders {
        // Of a word that much of the chart has the accounts of what is spent are meant, where the others are what it is earned by.
        if accounts.len() > 4 {
            let is_of = |kind: AccountType| move |account: &usize| kinds.get(*account) == Some(&kind);
            accounts.retain(|account| !is_of(AccountType::Income)(account));
            if accounts.len() > 4 || !accounts.iter().all(is_of(AccountType::Expense)) {
                continue;
            }
        }
        let shared = match accounts.len() {
            1 => 1.0,
            2 => 0.75,
            3 => 0.5,
            _ => 0.4,
        };
        let parts = accounts.iter().map(|account| {
            let count = names.get(*account).map_or(1, Vec::len).clamp(1, 6);
            let words = f32::from(u8::try_from(count).unwrap_or(6));
            // The travel of *Travel abroad* says little without the abroad.
            let is_limited = !LIMITING_WORDS.contains(&word)
                && names.get(*account).is_some_and(|words| {
                    let parts = || words.iter().filter(|other| other.stem == word).map(|other| other.part);
                    let limits = |other: &NameWord| LIMITING_WORDS.contains(&other.stem.as_str());
                    words.iter().any(|other| limits(other) && parts().any(|part| part == other.part))
                });
            let meant = if is_limited { WEIGHTS.word_of_a_phrase } else { 1.0 };
            (*account, (0.55 + 0.45 / words) * shared * meant)
        });
        rare.insert(word.to_owned(), parts.collect());
    }
    rare
}

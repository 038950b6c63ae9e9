//! The caller's own accounts: which account of the chart a bank tag stands for, and which accounts hold money at all.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::domain::coding::batch::{Account, AccountType, Batch};
use crate::domain::coding::context::{banked_cash, has_phrase, is_banked_from, sentences_on_banking};
use crate::domain::coding::line::Tags;
use crate::domain::coding::text::fold;

use super::words::{Kind, is_bank, is_no_money, is_plain, is_weak, kind_of, spellings};

/// Tags and accounts that are compared word by word; nobody has more.
const MOST_COMPARED: usize = 80;

/// A word that more accounts than this share names none of them.
const MOST_SHARING: usize = 12;

/// An account lines may be from or money may go to.
#[derive(Debug, Clone)]
struct Own {
    account: Option<usize>,
    kind: Kind,
    /// Money of clients is held there, by its name.
    is_of_clients: bool,
}

/// The caller's own accounts: first those the tags stand for, in the order of [`Tags`], then the others of the chart.
#[derive(Debug, Clone, Default)]
pub struct OwnAccounts {
    owns: Vec<Own>,
    tags: usize,
    words: FxHashMap<String, Vec<(usize, u32)>>,
    money: Vec<bool>,
    /// The till or float out of which the context says that cash is banked.
    till: Option<usize>,
}

/// Names in words, for comparison.
struct Named {
    words: Vec<String>,
    kind: Option<Kind>,
}

impl Named {
    fn new(text: &str) -> Self {
        let words: Vec<String> = fold(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let kind = kind_of(words.iter().map(String::as_str));
        Self { words, kind }
    }

    fn banks(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| is_bank(word))
    }
}

/// The initials of three words that stand beside each other: *BMM* for a Business Money Manager.
fn initials(words: &[String]) -> Vec<String> {
    let first = |word: &String| word.chars().next().filter(|letter| letter.is_alphabetic());
    words.windows(3).filter_map(|words| words.iter().map(first).collect::<Option<String>>()).collect()
}

/// A name written as one word, as some banks do: `CAPITALONTAP`. Empty when that would be no name.
fn joined(name: &Named) -> String {
    const KINDS: [&str; 4] = ["CARD", "ACCOUNT", "BUSINESS", "CREDIT"];
    let telling: Vec<&str> = name.words.iter().map(String::as_str).filter(|word| !KINDS.contains(word)).collect();
    if telling.len() >= 2 && telling.iter().all(|word| word.chars().all(char::is_alphabetic)) {
        telling.concat()
    } else {
        String::new()
    }
}

impl OwnAccounts {
    /// Resolves the tags of a batch.
    pub fn resolve(batch: &Batch<'_>) -> Self {
        let tags = Tags::of(batch);
        let tagged: Vec<Named> = tags.names().iter().map(|tag| Named::new(tag)).collect();
        let charted: Vec<Named> = batch.accounts.iter().map(|account| Named::new(&account.name)).collect();
        let money: Vec<bool> =
            batch.accounts.iter().zip(&charted).map(|(account, name)| holds_money(account, name)).collect();
        let resolved = resolve(&tags, &tagged, &batch.accounts, &charted, &money);
        let mut own = Self { owns: Vec::new(), tags: tagged.len(), words: FxHashMap::default(), money, till: None };
        for (place, tag) in tagged.iter().enumerate() {
            let account = resolved.get(place).copied().flatten();
            let of_account = account.and_then(|account| charted.get(account));
            let kind = tag.kind.or(of_account.and_then(|name| name.kind)).unwrap_or(Kind::Current);
            let is_of_clients = std::iter::once(tag).chain(of_account).any(holds_clients_money);
            own.owns.push(Own { account, kind, is_of_clients });
            own.learn(place, tag.words.iter().chain(of_account.iter().flat_map(|name| &name.words)));
            own.learn(place, [joined(tag)].iter().chain(of_account.map(joined).iter()));
            for name in std::iter::once(tag).chain(of_account) {
                own.learn_initials(place, name);
            }
        }
        for (account, name) in charted.iter().enumerate() {
            if own.is_money(account) && !resolved.contains(&Some(account)) && own.owns.len() < own.tags + MOST_COMPARED
            {
                own.owns.push(Own {
                    account: Some(account),
                    kind: name.kind.unwrap_or(Kind::Current),
                    is_of_clients: holds_clients_money(name),
                });
                own.learn(own.owns.len() - 1, name.words.iter().chain([joined(name)].iter()));
                own.learn_initials(own.owns.len() - 1, name);
            }
        }
        own.till = own.till_of(batch, &charted, &resolved);
        own.learn_kinds();
        own.words.retain(|_, owns| owns.len() <= MOST_SHARING);
        own
    }

    /// The account of the chart that a tag stands for.
    pub fn account_of(&self, tag: usize) -> Option<usize> {
        if tag < self.tags { self.account(tag) } else { None }
    }

    /// True when an account of the chart holds money: a bank account, a card, a processor's balance or cash.
    pub fn is_money(&self, account: usize) -> bool {
        self.money.get(account).copied().unwrap_or(false)
    }

    /// True when money may go to an account, or come from it, otherwise than as notes and coins; from a card comes none.
    pub fn is_purse(&self, account: usize, money_in: bool) -> bool {
        let fits = |kind: Kind| kind != Kind::Cash && !(money_in && kind == Kind::Card);
        self.owns.iter().any(|own| own.account == Some(account) && fits(own.kind))
    }

    /// The account of cash that cash is banked out of, where the context says so.
    pub(super) fn till(&self) -> Option<usize> {
        self.till
    }

    /// The account of cash that a sentence on banking names best: "cash banked comes out of the till".
    fn till_of(&self, batch: &Batch<'_>, charted: &[Named], resolved: &[Option<usize>]) -> Option<usize> {
        let on_banking = sentences_on_banking(&batch.business_context);
        if on_banking.is_empty() {
            return None;
        }
        // A jar, a tin, a safe: whatever the account is called.
        let is_kept = |account: &usize| {
            batch.accounts.get(*account).is_some_and(|account| account.kind == AccountType::Asset)
                && !resolved.contains(&Some(*account))
        };
        let called = (0..charted.len()).filter(is_kept).filter(|account| {
            let words = charted.get(*account).map_or(&[][..], |name| name.words.as_slice());
            let name: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "ACCOUNT").collect();
            let is_other = name
                .iter()
                .any(|word| is_bank(word) || matches!(*word, "DEBTORS" | "PAYPAL" | "RESERVE" | "SAVINGS" | "STOCK"));
            !name.is_empty() && !is_other && is_banked_from(&on_banking, &name.join(" "))
        });
        let called: Vec<usize> = called.collect();
        if let [only] = called.as_slice() {
            return Some(*only);
        }
        let sentence = banked_cash(&on_banking)?;
        let of_cash = self.owns.iter().filter(|own| own.kind == Kind::Cash).filter_map(|own| own.account);
        let mut named: Vec<(usize, usize)> = of_cash
            .filter_map(|account| {
                let words = charted.get(account)?.words.iter();
                Some((words.filter(|word| has_phrase(sentence, word)).count(), account))
            })
            .collect();
        named.sort_unstable_by_key(|(count, account)| (std::cmp::Reverse(*count), *account));
        named.dedup_by_key(|(_, account)| *account);
        match named.as_slice() {
            [(_, only)] => Some(*only),
            [(first, account), (second, _), ..] if first > second => Some(*account),
            _ => None,
        }
    }

    /// How many own accounts are known; tags come first.
    pub(super) fn len(&self) -> usize {
        self.owns.len()
    }

    pub(super) fn account(&self, own: usize) -> Option<usize> {
        self.owns.get(own).and_then(|own| own.account)
    }

    /// Whether an own account holds money of clients: rents of landlords, deposits of tenants.
    pub fn is_of_clients(&self, own: usize) -> bool {
        self.owns.get(own).is_some_and(|own| own.is_of_clients)
    }

    /// Whether any of them is.
    pub(super) fn has_clients(&self) -> bool {
        self.owns.iter().any(|own| own.is_of_clients)
    }

    pub(super) fn kind(&self, own: usize) -> Kind {
        self.owns.get(own).map_or(Kind::Current, |own| own.kind)
    }

    /// The one account of fitting kinds, `tag`'s own left out; none when there are several.
    pub(super) fn only(&self, fits: impl Fn(Kind) -> bool, tag: Option<usize>) -> Option<usize> {
        let others = self.owns.iter().enumerate().filter(|(place, own)| Some(*place) != tag && fits(own.kind));
        let mut accounts = others.filter_map(|(_, own)| own.account);
        let first = accounts.next()?;
        accounts.all(|account| account == first).then_some(first)
    }

    /// The own accounts a word names and how well, 1 to 3.
    pub(super) fn named_by(&self, word: &str) -> &[(usize, u32)] {
        self.words.get(word).map_or(&[], Vec::as_slice)
    }

    fn learn<'t>(&mut self, own: usize, words: impl Iterator<Item = &'t String>) {
        let mut add = |word: &str, weight: u32| {
            let entries = self.words.entry(word.to_owned()).or_default();
            match entries.iter_mut().find(|(known, _)| *known == own) {
                Some((_, known)) => *known = weight.max(*known),
                None => entries.push((own, weight)),
            }
        };
        for word in words {
            if is_plain(word) || word.chars().count() < 2 {
                continue;
            }
            let weight = match () {
                () if is_weak(word) => 1,
                () if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                    if word.len() >= 4 {
                        3
                    } else {
                        continue;
                    }
                }
                () if word.len() <= 3 && !is_bank(word) => 2,
                () => 3,
            };
            add(word, weight);
            for spelling in spellings(word) {
                add(spelling, weight.min(2));
            }
            if word.len() >= 7 && word.is_ascii() {
                for end in 5..word.len() {
                    word.get(..end).into_iter().for_each(|cut| add(cut, weight.min(2)));
                }
            }
        }
    }

    /// The initials of a name are a weak name: they may be somebody else's.
    fn learn_initials(&mut self, own: usize, name: &Named) {
        for letters in initials(&name.words) {
            let entries = self.words.entry(letters).or_default();
            if entries.iter().all(|(known, _)| *known != own) {
                entries.push((own, 1));
            }
        }
    }

    /// Words for a kind of account name those of the kind, unless some account has the word in its name.
    fn learn_kinds(&mut self) {
        const WORDS: [(Kind, &str, u32); 15] = [
            (Kind::Savings, "SAVINGS", 2),
            (Kind::Savings, "SAVER", 2),
            (Kind::Savings, "SAV", 2),
            (Kind::Savings, "POT", 1),
            (Kind::Savings, "SPACE", 1),
            (Kind::Savings, "TAX", 1),
            (Kind::Savings, "VAT", 1),
            (Kind::Savings, "RESERVE", 1),
            (Kind::Savings, "DEPOSIT", 1),
            (Kind::Card, "CARD", 1),
            (Kind::Current, "CURRENT", 1),
            (Kind::Current, "BANK", 1),
            (Kind::Current, "MAIN", 1),
            (Kind::Current, "BALANCE", 1),
            (Kind::Current, "BUSINESS", 1),
        ];
        for (kind, word, weight) in WORDS {
            if !self.words.contains_key(word) {
                let of_kind = self.owns.iter().enumerate().filter(|(_, own)| own.kind == kind);
                let named: Vec<(usize, u32)> = of_kind.map(|(place, _)| (place, weight)).collect();
                self.words.insert(word.to_owned(), named);
            }
        }
    }
}

/// Which account each tag stands for.
fn resolve(
    tags: &Tags<'_>,
    tagged: &[Named],
    accounts: &[Account<'_>],
    charted: &[Named],
    money: &[bool],
) -> Vec<Option<usize>> {
    let mut resolved: Vec<Option<usize>> = vec![None; tagged.len()];
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (place, account) in accounts.iter().enumerate().filter(|(_, account)| on_balance_sheet(account)) {
        codes.entry(fold(&account.code)).or_insert(place);
        names.entry(fold(&account.name)).or_insert(place);
    }
    for (slot, tag) in resolved.iter_mut().zip(tags.names()) {
        let tag = fold(tag);
        // "1200 Current account": the code may stand before the name.
        let code = tag.split(' ').next().unwrap_or("");
        let found = codes
            .get(&tag)
            .or_else(|| names.get(&tag))
            .or_else(|| codes.get(code).filter(|_| code.bytes().any(|byte| byte.is_ascii_digit())));
        *slot = found.copied().filter(|_| !tag.is_empty());
    }
    let candidates: Vec<usize> =
        (0..accounts.len()).filter(|place| money.get(*place) == Some(&true)).take(MOST_COMPARED).collect();
    let mut scores: Vec<(i32, usize, usize)> = Vec::new();
    for (tag, name) in
        tagged.iter().enumerate().take(MOST_COMPARED).filter(|(tag, _)| resolved.get(*tag) == Some(&None))
    {
        for account in &candidates {
            let Some(other) = charted.get(*account) else { continue };
            scores.push((fit(name, other), tag, *account));
        }
    }
    scores.sort_unstable_by_key(|(score, tag, account)| (std::cmp::Reverse(*score), *tag, *account));
    let mut assign = |least: i32, shared: bool| {
        for (score, tag, account) in &scores {
            let free = shared || !resolved.contains(&Some(*account));
            if *score >= least
                && free
                && let Some(slot @ None) = resolved.get_mut(*tag)
            {
                *slot = Some(*account);
            }
        }
    };
    assign(4, false);
    assign(0, false);
    assign(-3, true);
    resolved
}

/// Whether an account is one for the money of clients, which agents and solicitors keep apart from their own.
fn holds_clients_money(name: &Named) -> bool {
    name.words.iter().any(|word| matches!(word.as_str(), "CLIENT" | "CLIENTS" | "LANDLORDS" | "TENANTS"))
}

fn on_balance_sheet(account: &Account<'_>) -> bool {
    matches!(account.kind, AccountType::Asset | AccountType::Liability)
}

/// How well the name of an account fits a tag.
fn fit(tag: &Named, account: &Named) -> i32 {
    let mut score = 0;
    for word in &tag.words {
        let same = account.words.iter().any(|other| is_same(word, other));
        let weight = match () {
            () if is_plain(word) => 0,
            () if word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_digit()) => 8,
            () if is_weak(word) => 2,
            () => 6,
        };
        score += if same { weight } else { 0 };
    }
    let has_initials_of =
        |one: &Named, other: &Named| initials(&other.words).iter().any(|letters| one.words.contains(letters));
    score += if has_initials_of(account, tag) || has_initials_of(tag, account) { 6 } else { 0 };
    score += match (tag.kind, account.kind) {
        (Some(tag), Some(account)) if tag == account => 5,
        (None | Some(Kind::Current), None | Some(Kind::Current)) => 3,
        (None, Some(Kind::Cash)) | (Some(Kind::Cash), _) | (_, Some(Kind::Cash)) => -8,
        (None, Some(_)) => -1,
        (Some(_), None) => -2,
        (Some(_), Some(_)) => -8,
    };
    let strange = tag.banks().next().is_some()
        && account.banks().next().is_some()
        && !tag.banks().any(|bank| account.banks().any(|other| is_same(bank, other)));
    score - if strange { 6 } else { 0 }
}

fn is_same(word: &str, other: &str) -> bool {
    let cut = |short: &str, long: &str| {
        short.len() >= 3 && long.starts_with(short) && !short.bytes().any(|byte| byte.is_ascii_digit())
    };
    let tail =
        word.len() >= 4 && other.len() >= 4 && word.bytes().chain(other.bytes()).all(|byte| byte.is_ascii_digit());
    word == other
        || cut(word, other)
        || cut(other, word)
        || spellings(word).contains(&other)
        || spellings(other).contains(&word)
        || (tail && (word.ends_with(other) || other.ends_with(word)))
}

/// True when an account holds money, by its name.
fn holds_money(account: &Account<'_>, name: &Named) -> bool {
    // The float of a van is cash, not the van.
    let is_of_cash = |word: &str| name.kind == Some(Kind::Cash) && matches!(word, "VAN" | "VANS");
    if !on_balance_sheet(account) || name.words.iter().any(|word| is_no_money(word) && !is_of_cash(word)) {
        return false;
    }
    let has = |test: fn(&str) -> bool| name.words.iter().any(|word| test(word));
    let bank = has(is_bank) || has(|word| word == "BANK") || name.words.windows(2).any(|pair| pair.concat() == "COOP");
    if account.kind == AccountType::Liability {
        return name.kind == Some(Kind::Card) || has(|word| word == "OVERDRAFT");
    }
    let account_word = has(|word| matches!(word, "ACCOUNT" | "AC" | "ACC" | "ACCT"));
    match name.kind {
        Some(Kind::Card | Kind::Cash | Kind::Processor) => true,
        Some(Kind::Savings) => {
            bank || account_word || has(|word| matches!(word, "POT" | "SAVINGS" | "SAVER" | "SPACE" | "RESERVE"))
        }
        Some(Kind::Current) => bank || account_word,
        None => bank || account_word,
    }
}

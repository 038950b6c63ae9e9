//! What the context states of payees by name: "Booker = bar stock", "the waller isn't registered", "Netflix and the gym are mine".
//!
//! A sentence is read from left to right. Names are words of the context that lines have as well; what follows a link (*is*, *=*,
//! *goes to*) is said of the names before it, up to the names of the next statement.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::{Account, AccountType};
use super::instructions::is_code;
use super::knowledge::{WordLists, name_words, stem};
use super::line::Line;
use super::outcome::Vat;
use super::person::is_forename;
use super::text::{fold, sentences};
use super::transfer::is_bank;

/// Tokens between a link and the account: "is all for *tools*".
const LINK_REACH: usize = 3;
/// Tokens between a verb that sends something and the word that leads to the account: "goes straight in to *wages*".
const SENDS_REACH: usize = 4;
/// Tokens from one name to the next of those of which something is said.
const BETWEEN_NAMES_MAX: usize = 3;
/// Tokens from the last name to what is said of it.
const BEFORE_LINK_MAX: usize = 6;
/// Tokens from a name to what is said of its VAT.
const BEFORE_VAT_MAX: usize = 10;
/// How much an account counts of whose name a part is given.
const PARTLY: f32 = 0.9;
/// As many accounts may have the part of a name that is given: the income and the cost of one thing.
const TIED_MAX: usize = 2;
/// The same where somebody is told to: "put all the takings of the counter to *sales*".
const ORDER_REACH: usize = 8;
/// Tokens in which those that "all" means are named.
const ALL_REACH: usize = 18;
/// Most words of an account's name that are compared.
const ACCOUNT_WORDS_MAX: usize = 6;
/// A single word of an account's name tells it from so many letters on.
const TELLING_LETTERS_MIN: usize = 4;
/// Words of an account's name that a context may leave out where it gives one of them.
const LEFT_OUT_MAX: usize = 2;

/// What is said of the VAT that a payee charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatSaid {
    /// There is VAT of this code in it.
    Code(Vat),
    /// There is none in it, whatever is sold.
    NotCharged,
}

/// What joins names and what is said of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link {
    at: usize,
    /// Tokens behind it in which an account may stand.
    reach: usize,
    /// It says where something goes, not what it is.
    is_of_place: bool,
    /// It is about everything that the sentence has named: "put it all to *sales*".
    is_of_all: bool,
}

/// What is said of the names before it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    /// It goes to an account, and how plainly that is said, up to 1.
    Account(usize, f32),
    Vat(VatSaid),
    Private,
}

#[derive(Debug)]
struct Statement {
    names: BTreeSet<String>,
    said: Said,
    /// It says nothing of a line with one of these words: "unless it says dividend".
    but: Vec<String>,
}

/// Every statement of a context, by the names it is about.
#[derive(Debug, Default)]
pub struct Statements {
    list: Vec<Statement>,
    by_name: FxHashMap<String, Vec<usize>>,
}

/// A word of the context.
struct Token<'c> {
    raw: &'c str,
    /// Folded, usually one word.
    words: Vec<String>,
    /// Those of its words that lines have.
    names: Names,
}

/// A word of a name, and whether the name begins with it: a line must have the word that a name begins with.
type Name = (String, bool);

/// Words of names.
type Names = BTreeSet<Name>;

/// Words of lines, by which names are known.
struct Vocabulary<'l> {
    words: FxHashSet<&'l str>,
    first_words: FxHashSet<&'l str>,
    account_stems: FxHashSet<String>,
    lists: &'l WordLists,
}

impl Statements {
    /// Reads the context. `is_common` says of a word whether lines of several payees have it.
    pub(super) fn read(
        context: &str,
        accounts: &[Account<'_>],
        lines: &[Line<'_>],
        lists: &WordLists,
        is_common: &dyn Fn(&str) -> bool,
    ) -> Self {
        if context.is_empty() {
            return Self::default();
        }
        let chart = ChartWords::read(accounts);
        let vocabulary = Vocabulary {
            words: lines
                .iter()
                .flat_map(Line::words)
                .filter(|word| !is_common(word) || SERVICES.contains(word))
                .collect(),
            first_words: lines.iter().flat_map(first_words).collect(),
            account_stems: chart.by_stem.keys().cloned().collect(),
            lists,
        };
        let mut read = Self::default();
        let mut before = Names::new();
        for (at, sentence) in sentences(context).enumerate() {
            let mut tokens: Vec<Token<'_>> =
                sentence.split_whitespace().enumerate().map(|(at, raw)| vocabulary.token(raw, at == 0)).collect();
            join_names(&mut tokens);
            vocabulary.add_card_services(&mut tokens);
            read.add_vat(&tokens, at == 0);
            read.add_lists(&tokens, &chart);
            forget_people(&mut tokens);
            read.add_accounts(&tokens, &chart, &before);
            before = tokens.iter().flat_map(|token| token.names.iter().cloned()).collect();
        }
        read
    }

    fn add(&mut self, names: &Names, said: Said) {
        self.add_but(names, said, &[]);
    }

    fn add_but(&mut self, names: &Names, said: Said, but: &[String]) {
        if names.is_empty() {
            return;
        }
        let place = self.list.len();
        for (name, _) in names.iter().filter(|(_, begins)| *begins) {
            self.by_name.entry(name.clone()).or_default().push(place);
        }
        let names = names.iter().map(|(name, _)| name.clone()).collect();
        self.list.push(Statement { names, said, but: but.to_vec() });
    }

    /// Statements that send names to an account, or call what is paid to them private.
    /// `before` are the names of the sentence before, of which the beginning of this one may speak.
    fn add_accounts(&mut self, tokens: &[Token<'_>], chart: &ChartWords, before: &Names) {
        let mut reading = Reading { tokens, ..Reading::default() };
        while let Some(token) = tokens.get(reading.at) {
            let rest = tokens.get(reading.at..).unwrap_or_default();
            if let Some(link) = reading.link.filter(|link| reading.at - link.at <= link.reach)
                && !token.raw.starts_with('(')
                && let Some(found) = chart.account_at(rest, link.is_of_place, reading.are_references)
            {
                let meant = reading.meant(link, before);
                let but = exceptions(rest.get(found.taken..).unwrap_or_default());
                for account in &found.accounts {
                    let said = Said::Account(*account, if found.is_whole { 1.0 } else { PARTLY });
                    self.add_but(&meant, said, &but);
                }
                if !meant.is_empty() {
                    (reading.link, reading.is_said) = (None, true);
                    reading.open.clear();
                    reading.at += found.taken;
                    continue;
                }
            }
            if is_private(tokens, reading.at) && !is_denied(tokens, reading.at) {
                self.add(&reading.names, Said::Private);
                self.add(&private_behind(tokens, reading.at), Said::Private);
                reading.is_said = true;
            } else if !token.names.is_empty() {
                reading.take_names(token);
            }
            reading.pass(token);
        }
    }

    /// An account's name before a colon, and behind it the names that go there: "Subcontractors: A, B and C".
    fn add_lists(&mut self, tokens: &[Token<'_>], chart: &ChartWords) {
        const NAME_TOKENS_MAX: usize = 4;
        for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.raw.ends_with(':')) {
            let account = (at.saturating_sub(NAME_TOKENS_MAX - 1)..=at).find_map(|from| {
                let is_first =
                    from.checked_sub(1).and_then(|at| tokens.get(at)).is_none_or(|before| ends_part(before.raw));
                let found =
                    chart.account_at(tokens.get(from..).unwrap_or_default(), false, false).filter(|_| is_first)?;
                let [account] = found.accounts.as_slice() else { return None };
                (found.is_whole && from + found.taken == at + 1).then_some(*account)
            });
            let Some(account) = account else { continue };
            let is_name = |token: &&Token<'_>| !matches!(token.raw, "-" | "=" | "is" | "are");
            let names = tokens.iter().skip(at + 1).take_while(is_name).flat_map(|token| token.names.iter().cloned());
            self.add(&names.collect(), Said::Account(account, 1.0));
        }
    }

    /// Statements on the VAT that names charge; the first sentence is about the business itself.
    fn add_vat(&mut self, tokens: &[Token<'_>], is_first: bool) {
        let said: Vec<(usize, VatSaid)> =
            (0..tokens.len()).filter_map(|at| Some((at, vat_at(tokens, at, is_first)?))).collect();
        let names_of = |from: usize, until: usize| -> Names {
            let part = tokens.get(from..until).unwrap_or_default();
            part.iter().flat_map(|token| token.names.iter().cloned()).collect()
        };
        let mut from = 0;
        for (turn, (at, vat)) in said.iter().enumerate() {
            let mut names = names_of(from.max(at.saturating_sub(BEFORE_VAT_MAX)), *at);
            let next = said.get(turn + 1).map_or(tokens.len(), |(next, _)| *next);
            let is_led = |word: &String| matches!(word.as_str(), "ON" | "FOR" | "FROM" | "TO");
            if names.is_empty() && tokens.get(*at + 1).and_then(|token| token.words.first()).is_some_and(is_led) {
                names = names_of(*at + 1, next.min(*at + 1 + BEFORE_VAT_MAX));
            }
            self.add(&names, Said::Vat(*vat));
            from = *at + 1;
        }
    }

    /// What is said of the names of a line: of several statements those that name most of it.
    fn about<'s, T: 's>(&'s self, text: &str, said: impl Fn(&Said) -> Option<T>) -> Vec<T> {
        let named: Vec<usize> = text.split(' ').filter_map(|word| self.by_name.get(word)).flatten().copied().collect();
        if named.is_empty() {
            return Vec::new();
        }
        let places: BTreeSet<usize> = named.into_iter().collect();
        let words: BTreeSet<&str> = text.split(' ').collect();
        let count = |statement: &Statement| statement.names.iter().filter(|name| words.contains(name.as_str())).count();
        let found: Vec<(usize, T)> = places
            .into_iter()
            .filter_map(|place| self.list.get(place))
            .filter(|statement| !statement.but.iter().any(|word| words.contains(word.as_str())))
            .filter_map(|statement| Some((count(statement), said(&statement.said)?)))
            .collect();
        let most = found.iter().map(|(count, _)| *count).max().unwrap_or(0);
        found.into_iter().filter(|(count, _)| *count == most).map(|(_, said)| said).collect()
    }

    /// The account that the context sends a line's names to, and how plainly; none where it names several.
    pub fn account(&self, text: &str, takes: impl Fn(usize) -> bool) -> Option<(usize, f32)> {
        let found = self.about(text, |said| match said {
            Said::Account(account, plainness) if takes(*account) => Some((*account, *plainness)),
            _ => None,
        });
        let (account, _) = *found.first()?;
        let plainest = found.iter().map(|(_, plainness)| *plainness).fold(0.0, f32::max);
        found.iter().all(|(other, _)| *other == account).then_some((account, plainest))
    }

    /// What the context says of the VAT that a line's names charge, where it says one thing.
    pub fn vat(&self, text: &str) -> Option<VatSaid> {
        let said = self.about(text, |said| if let Said::Vat(vat) = said { Some(*vat) } else { None });
        let first = *said.first()?;
        said.iter().all(|vat| *vat == first).then_some(first)
    }

    /// Whether the context calls what a line's names are paid private.
    pub fn is_private(&self, text: &str) -> bool {
        !self.about(text, |said| (*said == Said::Private).then_some(())).is_empty()
    }
}

/// A sentence as it is read from left to right.
#[derive(Default)]
struct Reading<'s, 'c> {
    tokens: &'s [Token<'c>],
    at: usize,
    /// Names of which something may be said: those that stand near.
    names: Names,
    /// All of the sentence of which nothing is said yet, with their places.
    open: Vec<(usize, Name)>,
    last_name: Option<usize>,
    /// The names are references in capitals, as payers write them.
    are_references: bool,
    link: Option<Link>,
    /// A verb that sends something somewhere, and whether it tells the reader to.
    sent: Option<usize>,
    is_order: bool,
    /// Something has been said of the names.
    is_said: bool,
    /// Inside brackets, which hold one list.
    is_listed: bool,
}

impl Reading<'_, '_> {
    fn is_near(&self, place: Option<usize>, reach: usize) -> bool {
        place.is_some_and(|place| self.at - place <= reach)
    }

    /// The names that a link joins to what stands here.
    fn meant(&self, link: Link, before: &Names) -> Names {
        if !link.is_of_all {
            return self.names.clone();
        }
        if self.open.is_empty() && is_anaphora(self.tokens.get(..link.at).unwrap_or_default()) {
            return before.clone();
        }
        let near = self.open.iter().filter(|(place, _)| self.at - place <= ALL_REACH);
        near.map(|(_, name)| name.clone()).collect()
    }

    /// Takes the names of a token, in place of those that are no list with them.
    fn take_names(&mut self, token: &Token<'_>) {
        let is_far = !self.is_listed && !self.is_near(self.last_name, BETWEEN_NAMES_MAX);
        if self.is_said || self.link.is_some() || is_far {
            self.names.clear();
            (self.link, self.is_said) = (None, false);
        }
        self.last_name = Some(self.at);
        let is_reference = token.raw.chars().all(|sign| !sign.is_lowercase());
        self.are_references = is_reference && (self.names.is_empty() || self.are_references);
        self.names.extend(token.names.iter().cloned());
        // Nothing is said of a bank that an account is with.
        let others = token.names.iter().filter(|(name, _)| !is_bank(name));
        self.open.extend(others.map(|name| (self.at, name.clone())));
    }

    /// Notes what a token says of those around it, and goes on.
    fn pass(&mut self, token: &Token<'_>) {
        if !self.is_listed && !self.is_near(self.last_name, BEFORE_LINK_MAX) {
            self.names.clear();
        }
        self.is_listed = (self.is_listed || token.raw.starts_with('(')) && !token.raw.contains(')');
        let word = token.words.first().map_or("", String::as_str);
        // "Are self-employed, and so is our tutor": what follows is about somebody else.
        if matches!(word, "AND" | "BUT" | "SO") && self.link.is_some() {
            self.names.clear();
        }
        if ORDERS.contains(&word) {
            (self.sent, self.is_order) = (Some(self.at), true);
        } else if SENDS.contains(&word) && !(self.is_order && self.is_near(self.sent, ORDER_REACH)) {
            (self.sent, self.is_order) = (Some(self.at), false);
        }
        if let Some(link) = self.link_of(token, word) {
            self.link = Some(link);
            // What is said next is said of a name that no line has.
            if self.is_said {
                self.names.clear();
                self.open.clear();
            }
        }
        self.at += 1;
    }

    /// What a token joins to the names before it, if it joins anything.
    fn link_of(&self, token: &Token<'_>, word: &str) -> Option<Link> {
        let at = self.at;
        let speaks_of_all = |from: usize| {
            let words = self.tokens.get(from..at).unwrap_or_default().iter().flat_map(|token| &token.words);
            words.into_iter().any(|word| ALL.contains(&word.as_str()))
        };
        if CLEARS.contains(&word) {
            return Some(Link { at, reach: LINK_REACH, is_of_place: true, is_of_all: false });
        }
        let sends_reach = if self.is_order { ORDER_REACH } else { SENDS_REACH };
        if LEADS.contains(&word) && self.is_near(self.sent, sends_reach) {
            let is_of_all = speaks_of_all(self.sent.unwrap_or(at).saturating_sub(2));
            return Some(Link { at, reach: LINK_REACH, is_of_place: true, is_of_all });
        }
        if matches!(token.raw, "=" | "->" | "\u{2192}") || matches!(word, "IS" | "ARE") {
            let is_of_all = speaks_of_all(at.saturating_sub(3)) && !self.is_near(self.last_name, 1);
            return Some(Link { at, reach: LINK_REACH, is_of_place: false, is_of_all });
        }
        let is_mark = matches!(token.raw, "-" | "\u{2013}" | "\u{2014}") || token.raw.ends_with(':');
        is_mark.then_some(Link { at, reach: 1, is_of_place: false, is_of_all: false })
    }
}

impl Vocabulary<'_> {
    fn token<'c>(&self, raw: &'c str, is_first: bool) -> Token<'c> {
        let folded = fold(raw);
        let words: Vec<String> = folded.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let bare = raw.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        let is_capital = bare.starts_with(|sign: char| sign.is_uppercase() || sign.is_ascii_digit());
        let is_capitals = bare.chars().all(|sign| !sign.is_lowercase());
        let named = words.iter().filter(|word| self.is_name(word, is_capital, is_capitals, is_first));
        let names = named.map(|word| (word.clone(), true)).collect();
        Token { raw, words, names }
    }

    /// "Card machine settlements" are those of the services that lines have, where the sentence names none.
    fn add_card_services(&self, tokens: &mut [Token<'_>]) {
        const TAKINGS: &[&str] = &["MACHINE", "PAYMENTS", "READER", "SETTLEMENTS", "TAKINGS", "TERMINAL"];
        let is_service = |token: &Token<'_>| token.names.iter().any(|(name, _)| SERVICES.contains(&name.as_str()));
        if tokens.iter().any(is_service) {
            return;
        }
        let is_word = |token: &Token<'_>, words: &[&str]| token.words.iter().any(|word| words.contains(&word.as_str()));
        let speaks = |pair: &[Token<'_>]| matches!(pair, [first, second] if is_word(first, &["CARD", "CARDS"]) && is_word(second, TAKINGS));
        let Some(at) = tokens.windows(2).position(speaks) else { return };
        let known = SERVICES
            .iter()
            .filter(|service| self.words.contains(*service))
            .map(|service| ((*service).to_owned(), true));
        if let Some(token) = tokens.get_mut(at) {
            token.names = known.collect();
        }
    }

    fn is_name(&self, word: &str, is_capital: bool, is_capitals: bool, is_first: bool) -> bool {
        /// What banks print beside a payee.
        const PRINTED: &[&str] = &[
            "VAT", "HMRC", "PAYE", "CIS", "LTD", "LIMITED", "AND", "THE", "DD", "DDR", "SO", "STO", "CR", "BP", "FP",
            "FPI", "FPO", "BACS", "GB", "UK", "REF", "INV", "ATM", "POS", "PLC", "CO", "FOR", "MR", "MRS", "DR", "OUR",
            "ALL", "NOT", "WE", "NO",
        ];
        let letters = word.chars().count();
        if letters < if is_capitals { 2 } else { 3 } || PRINTED.contains(&word) || !self.words.contains(word) {
            return false;
        }
        if ORDERS.contains(&word) || SENDS.contains(&word) || LEADS.contains(&word) || ALL.contains(&word) {
            return false;
        }
        if !word.chars().any(char::is_alphabetic) || self.lists.hint_plain.has(word) || self.lists.town.has(word) {
            return false;
        }
        let is_of_account = self.account_stems.contains(&stem(word));
        match (is_capital, is_first) {
            (true, false) => true,
            (true, true) => is_capitals || self.first_words.contains(word) && !is_of_account,
            (false, _) => self.first_words.contains(word) && !is_of_account,
        }
    }
}

/// The words of a line that a payee's name may begin with: the first, and what stands behind *from* and *to*.
fn first_words<'l>(line: &'l Line<'_>) -> impl Iterator<Item = &'l str> {
    let leads = |word: &str| matches!(word, "FROM" | "TO");
    let behind = line.words().zip(line.words().skip(1)).filter(move |(word, _)| leads(word)).map(|(_, next)| next);
    line.words().next().into_iter().chain(behind)
}

/// Words beside each other are one name, which begins with the first of them.
fn join_names(tokens: &mut [Token<'_>]) {
    let mut is_open = false;
    for token in tokens {
        if is_open {
            token.names = std::mem::take(&mut token.names).into_iter().map(|(name, _)| (name, false)).collect();
        }
        is_open = !token.names.is_empty() && !ends_part(token.raw);
    }
}

/// Takes people's names away: what they are paid for is told by what they do (`context/staff.rs`), and their names may stand in any
/// remark.
fn forget_people(tokens: &mut [Token<'_>]) {
    let is_person: Vec<bool> = tokens.iter().map(|token| token.words.iter().any(|word| is_forename(word))).collect();
    for (at, token) in tokens.iter_mut().enumerate() {
        let is_behind = at.checked_sub(1).and_then(|before| is_person.get(before)).copied().unwrap_or(false);
        if is_behind || is_person.get(at).copied().unwrap_or(false) {
            token.names.clear();
        }
    }
}

/// Card companies that pay out what a shop's machine takes.
const SERVICES: &[&str] =
    &["BARCLAYCARD", "DOJO", "ELAVON", "PAYMENTSENSE", "SQUARE", "SUMUP", "TAKEPAYMENTS", "WORLDPAY", "ZETTLE"];

/// Whether what follows is another part of the sentence.
fn ends_part(raw: &str) -> bool {
    raw.ends_with([',', ';', ':', '.', ')']) || matches!(raw, "-" | "\u{2013}" | "\u{2014}")
}

/// The words behind "unless it says" and "except", if they are next.
fn exceptions(tokens: &[Token<'_>]) -> Vec<String> {
    const LETTERS_MIN: usize = 4;
    let words: Vec<&String> = tokens.iter().flat_map(|token| &token.words).collect();
    let begins = words.iter().take(2).any(|word| matches!(word.as_str(), "UNLESS" | "EXCEPT"));
    let telling = words.into_iter().skip(1).filter(|word| word.chars().count() >= LETTERS_MIN);
    if begins { telling.cloned().collect() } else { Vec::new() }
}

/// What somebody is told to do with it.
const ORDERS: &[&str] = &["PUT", "POST", "CODE", "BOOK"];

/// Verbs that send something to an account.
const SENDS: &[&str] = &[
    "GO", "GOES", "GOING", "PUTS", "POSTED", "CODED", "PAID", "CHARGE", "CHARGED", "TREAT", "TREATED", "BOOKED",
    "KEEP", "HELD", "SITS", "SIT", "COUNT", "COUNTS", "CREDITED", "STRAIGHT", "DIRECT", "ALL", "ALWAYS", "COMES",
];

/// What stands between such a verb and the account.
const LEADS: &[&str] = &["TO", "IN", "INTO", "AS", "UNDER", "AGAINST", "OFF"];

/// Words for what has been named before.
const ALL: &[&str] =
    &["ALL", "LOT", "EVERYTHING", "IT", "THAT", "THEM", "THESE", "THEY", "THOSE", "WHAT", "WHATEVER", "BOTH"];

/// Words of accounts that tell none where they stand alone.
const UNTELLING: &[&str] = &[
    "ACCOUNT", "BANK", "CARD", "CASH", "CHARGE", "COST", "EXPENSE", "FEE", "FUND", "GENERAL", "INCOME", "MONEY",
    "OTHER", "PAID", "PAYABLE", "PAYMENT", "PERSONAL", "RECEIVED",
];

/// Verbs of a payment that clears an account.
const CLEARS: &[&str] = &["CLEAR", "CLEARS", "CLEARED"];

/// Words of assets that payments go to: what customers owe, what a journal clears.
const KEPT: &[&str] =
    &["CLEARING", "CONTROL", "DEBTOR", "DISBURSEMENT", "DUE", "EQUIPMENT", "LOAN", "OWED", "RECEIVABLE", "TILL"];

/// The stems of an account's name, each once.
fn stems_of(name: &str) -> Vec<String> {
    let mut stems: Vec<String> = name_words(name).into_iter().map(|word| word.stem).collect();
    let mut seen = BTreeSet::new();
    stems.retain(|stem| seen.insert(stem.clone()));
    stems
}

/// The accounts of a chart by the stems of their names.
struct ChartWords {
    stems: Vec<Vec<String>>,
    by_stem: FxHashMap<String, Vec<usize>>,
    /// Codes that cannot be taken for words.
    by_code: FxHashMap<String, usize>,
}

/// Accounts that some words name: one, or an income and an expense of one name.
struct Named {
    accounts: Vec<usize>,
    /// The name is there in full, or all but a word of it.
    is_whole: bool,
    /// Tokens of the context that it takes.
    taken: usize,
}

impl ChartWords {
    fn read(accounts: &[Account<'_>]) -> Self {
        let stems = accounts.iter().map(|account| {
            let stems = stems_of(&account.name);
            // Money is moved to an own account rather than spent on it, and "plus VAT" is no account.
            let has = |words: &[&str]| stems.iter().any(|stem| words.contains(&stem.as_str()));
            if has(&["VAT"]) || account.kind == AccountType::Asset && !has(KEPT) { Vec::new() } else { stems }
        });
        let stems: Vec<Vec<String>> = stems.collect();
        let mut by_stem: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (account, stems) in stems.iter().enumerate() {
            for stem in stems {
                by_stem.entry(stem.clone()).or_default().push(account);
            }
        }
        let is_meant = |at: usize| stems.get(at).is_some_and(|stems| !stems.is_empty());
        let codes = accounts.iter().enumerate().filter(|(at, account)| is_meant(*at) && is_code(&account.code));
        let by_code = codes.map(|(at, account)| (account.code.to_string(), at)).collect();
        Self { stems, by_stem, by_code }
    }

    /// The account whose name stands at the beginning of some tokens; a part of the name is enough where they say where something goes.
    fn account_at(&self, tokens: &[Token<'_>], is_of_place: bool, are_references: bool) -> Option<Named> {
        let bare = |token: &Token<'_>| token.raw.trim_matches(|sign: char| !sign.is_alphanumeric()).to_owned();
        if let Some(account) = tokens.first().and_then(|token| self.by_code.get(&bare(token))) {
            return Some(Named { accounts: vec![*account], is_whole: true, taken: 1 });
        }
        let mut run: Vec<(String, usize)> = Vec::new();
        for (place, token) in tokens.iter().enumerate().take(ACCOUNT_WORDS_MAX) {
            let inner = name_words(token.raw.trim_end_matches([',', ':', ';', '.', ')']));
            run.extend(inner.into_iter().map(|word| (word.stem, place + 1)));
            if token.raw.ends_with([',', ':', ';', '.', ')']) {
                break;
            }
        }
        let leading = |account: &Vec<String>| run.iter().take_while(|(stem, _)| account.contains(stem)).count();
        let (first, _) = run.first()?;
        let having = self.by_stem.get(first)?.iter().filter_map(|at| Some((*at, self.stems.get(*at)?)));
        let ranked: Vec<(usize, usize, usize)> =
            having.map(|(at, account)| (at, leading(account), account.len())).collect();
        let count = ranked.iter().map(|(_, count, _)| *count).max().filter(|count| *count > 0)?;
        let best = ranked.iter().filter(|(_, known, _)| *known == count);
        let length = best.clone().map(|(.., length)| *length).min()?;
        let accounts: Vec<usize> = best.filter(|(.., known)| *known == length).map(|(at, ..)| *at).collect();
        let (last, taken) = run.get(count - 1)?;
        let is_told = last.chars().count() >= TELLING_LETTERS_MIN && !UNTELLING.contains(&last.as_str());
        let is_whole = count == length || count >= 2 && length == count + 1;
        // "Marked MKT are *markets*, …": nothing else is said of the reference.
        let ends = tokens.get(taken - 1).is_none_or(|token| ends_part(token.raw)) || *taken == tokens.len();
        let is_part =
            (is_of_place || ends && are_references) && length <= count + LEFT_OUT_MAX && (count >= 2 || is_told);
        let most = if count == length { 1 } else { TIED_MAX };
        (accounts.len() <= most && (is_whole || is_part)).then_some(Named { accounts, is_whole, taken: *taken })
    }
}

/// Whether what stands here calls the names before it private: "are mine", "is me", "for home", "is Kate's own".
fn is_private(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).and_then(|token| token.words.first()).map_or("", String::as_str)
    };
    let before = word(at.checked_sub(1));
    let ends = tokens.get(at).is_some_and(|token| token.raw.ends_with([',', ')', '.', '!']) || at + 1 == tokens.len());
    match word(Some(at)) {
        "MINE" | "HERS" | "DLA" => true,
        "PRIVATE" | "PERSONAL" => ends,
        "ME" => {
            let is_shopping = word(Some(at + 1)) == "SHOPPING";
            let is_equal = at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.raw == "=");
            (ends || is_shopping)
                && (is_equal || matches!(before, "IS" | "ARE" | "WAS" | "WERE" | "ALL" | "JUST" | "ITS"))
        }
        "HOME" => ends && before == "FOR",
        "DAUGHTERS" | "SONS" | "KIDS" | "CHILDRENS" | "WIFES" | "HUSBANDS" | "MUMS" | "DADS" => {
            matches!(before, "MY" | "HER" | "HIS") || before == "FOR" && !matches!(word(Some(at)), "KIDS" | "CHILDRENS")
        }
        "OWN" => ends && (before.ends_with('S') || matches!(before, "MY" | "HER" | "HIS")),
        _ => false,
    }
}

/// Whether words speak of nothing but what the sentence before has named: "code the lot".
fn is_anaphora(tokens: &[Token<'_>]) -> bool {
    const BESIDE: &[&str] = &["JUST", "LOT", "OF", "PLEASE", "SO", "THE"];
    let mut words = tokens.iter().flat_map(|token| token.words.iter().map(String::as_str));
    words.all(|word| [BESIDE, ALL, ORDERS, SENDS].iter().any(|list| list.contains(&word)))
}

/// Names behind what calls something private: "also mine: A, B", "is mine, so is A".
fn private_behind(tokens: &[Token<'_>], at: usize) -> Names {
    let words = |from: usize| tokens.iter().skip(from).flat_map(|token| token.words.iter().map(String::as_str));
    let is_listed = tokens.get(at).is_some_and(|token| token.raw.ends_with(':'));
    let so =
        (at + 1..tokens.len()).find(|at| words(*at).take(2).eq(["SO", "IS"]) || words(*at).take(2).eq(["SO", "ARE"]));
    let from = if is_listed { Some(at + 1) } else { so.map(|so| so + 2) };
    let listed = from.into_iter().flat_map(|from| tokens.iter().skip(from));
    // Up to a name of which something else is said.
    let mut names = Names::new();
    let mut listed = listed.peekable();
    while let Some(token) = listed.next() {
        let is_said_of = listed.peek().is_some_and(|next| matches!(next.raw, "is" | "are" | "=" | "goes"));
        if is_said_of || token.names.is_empty() && !matches!(token.raw, "and" | "&" | "or" | "the") {
            break;
        }
        names.extend(token.names.iter().cloned());
    }
    names
}

/// Whether one of the two words before denies.
fn is_denied(tokens: &[Token<'_>], at: usize) -> bool {
    let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
    before.iter().flat_map(|token| &token.words).any(|word| matches!(word.as_str(), "NOT" | "ISNT" | "ARENT" | "NO"))
}

/// What is said of VAT here, if anything.
fn vat_at(tokens: &[Token<'_>], at: usize, is_first: bool) -> Option<VatSaid> {
    /// Words before the one that speaks of VAT in which a denial is of it.
    const REACH: usize = 4;
    let token = tokens.get(at)?;
    let word = token.words.first().map_or("", String::as_str);
    let before: Vec<&str> = tokens
        .get(at.saturating_sub(REACH)..at)
        .unwrap_or_default()
        .iter()
        .flat_map(|token| token.words.iter().map(String::as_str))
        .collect();
    let next = tokens.get(at + 1).and_then(|token| token.words.first()).map_or("", String::as_str);
    const DENIALS: &[&str] = &[
        "NO", "NOT", "ISNT", "ARENT", "DOESNT", "DONT", "NEVER", "WITHOUT", "NEITHER", "NOR", "NON", "HASNT", "NONE",
        "SMALL",
    ];
    let is_denied = before.iter().any(|word| DENIALS.contains(word));
    let is_own = before.iter().any(|word| matches!(*word, "WE" | "I" | "WERE" | "IM"));
    let behind = if next == "RATED" { at + 1 } else { at };
    let ends = behind + 1 >= tokens.len()
        || tokens.get(behind).is_some_and(|token| token.raw.ends_with([',', ')', '.', ':']))
        || tokens
            .get(behind + 1)
            .is_some_and(|token| matches!(token.raw, "and" | "but" | "too" | "as" | "-" | "whoever"));
    let charged = Some(VatSaid::Code(Vat::Standard));
    match word {
        "VAT" | "VATABLE" if is_denied => (!is_own).then_some(VatSaid::NotCharged),
        "VATABLE" => charged,
        "VAT" => {
            let last = before.last().copied().unwrap_or("");
            let is_in_it = token.raw.starts_with('+')
                || matches!(
                    last,
                    "PLUS"
                        | "WITH"
                        | "HAS"
                        | "HAVE"
                        | "CHARGE"
                        | "CHARGES"
                        | "ADD"
                        | "ADDS"
                        | "CARRY"
                        | "CARRIES"
                        | "20"
                        | "INC"
                        | "INCL"
                        | "INCLUDES"
                );
            (is_in_it && next != "NUMBER").then_some(VatSaid::Code(Vat::Standard))
        }
        "REGISTERED" if is_denied && !is_own => Some(VatSaid::NotCharged),
        "REGISTERED" if !is_denied && !is_own && !is_first && before.ends_with(&["IS", "VAT"]) => charged,
        "OPTED" if !is_denied => charged,
        "STANDARD" if matches!(next, "RATED" | "RATE") && !is_denied => charged,
        "ZERO" if !is_denied && !is_own && ends => Some(VatSaid::Code(Vat::Zero)),
        "EXEMPT" if !is_denied && !is_own && ends => Some(VatSaid::Code(Vat::Exempt)),
        _ if token.raw.starts_with("20%") && next != "VAT" && !is_denied => charged,
        _ if token.raw.starts_with("5%") && !is_denied => Some(VatSaid::Code(Vat::Reduced)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::domain::coding::batch::{Batch, Transaction};
    use crate::domain::coding::knowledge::Knowledge;
    use crate::domain::date::Date;

    const CHART: &[(&str, AccountType)] = &[
        ("Bar Stock", AccountType::Expense),
        ("Small Tools", AccountType::Expense),
        ("Sales:Books", AccountType::Income),
        ("Sales:Cafe", AccountType::Income),
        ("Salon Services Income", AccountType::Income),
        ("Patient Takings Control", AccountType::Liability),
        ("VAT Control", AccountType::Liability),
        ("Lloyds Current", AccountType::Asset),
    ];

    /// What a context states of lines with these descriptions.
    fn read(context: &str, descriptions: &[&str], check: impl Fn(&Statements)) {
        let accounts: Vec<Account<'_>> = CHART
            .iter()
            .map(|(name, kind)| Account { code: Cow::Borrowed("1"), name: Cow::Borrowed(*name), kind: *kind })
            .collect();
        let transactions: Vec<Transaction<'_>> = descriptions
            .iter()
            .map(|description| Transaction {
                date: Date::from_civil(2026, 1, 5),
                description: Cow::Borrowed(*description),
                amount: -1,
                merchant: None,
                reference: None,
                bank_account: None,
                merchant_category_code: None,
            })
            .collect();
        let batch = Batch { transactions, ..Batch::default() };
        let (lines, _) = Line::read_all(&batch);
        check(&Statements::read(context, &accounts, &lines, &Knowledge::get().words, &|_| false));
    }

    fn account(context: &str, description: &str) -> Option<&'static str> {
        let found = std::cell::Cell::new(None);
        read(context, &[description], |statements| {
            found.set(statements.account(&fold(description), |_| true).map(|(account, _)| account));
        });
        found.get().map(|account| CHART[account].0)
    }

    fn vat(context: &str, description: &str) -> Option<VatSaid> {
        let found = std::cell::Cell::new(None);
        read(context, &[description], |statements| found.set(statements.vat(&fold(description))));
        found.get()
    }

    #[test]
    fn names_are_sent_to_accounts_in_many_words() {
        for (context, description, name) in [
            ("Tressling = bar stock, Pelham is small tools", "TRESSLING LTD", "Bar Stock"),
            ("Tressling = bar stock, Pelham is small tools", "PELHAM DIRECT", "Small Tools"),
            ("What Tressling sends us goes to Bar Stock", "TRESSLING LTD", "Bar Stock"),
            ("We have a Zettle machine: put it all to Book Sales", "ZETTLE PAYOUT", "Sales:Books"),
            ("so just put all the Dojo and Tressling money to services.", "DOJO PAYOUT", "Salon Services Income"),
            (
                "Money from patients (card machine settlements, cash) goes to Patient Takings Control with no VAT",
                "WORLDPAY 0031",
                "Patient Takings Control",
            ),
        ] {
            assert_eq!(account(context, description), Some(name), "{context}");
        }
    }

    #[test]
    fn nothing_is_stated_of_people_of_other_names_and_of_vat_accounts() {
        for (context, description) in [
            ("Karen Tressling is small tools", "K TRESSLING"),
            ("Tressling charge us rent plus VAT", "TRESSLING RENT"),
            ("Tressling is next door, and Pelham is small tools", "TRESSLING LTD"),
            ("Tressling pays into Lloyds current", "TRESSLING LTD"),
        ] {
            assert_eq!(account(context, description), None, "{context}");
        }
    }

    #[test]
    fn what_suppliers_charge_is_read() {
        let standard = Some(VatSaid::Code(Vat::Standard));
        let none = Some(VatSaid::NotCharged);
        for (context, description, said) in [
            ("Tressling isn't VAT registered", "TRESSLING LTD", none),
            ("Tressling, one man band not registered", "TRESSLING LTD", none),
            ("The unit belongs to Pelham Estates, who charge VAT on the rent", "PELHAM ESTATES RENT", standard),
            ("Tressling have opted to tax", "TRESSLING LTD", standard),
            (
                "Malt from Pelham is zero rated. Hops from Tressling have VAT on",
                "PELHAM MALT",
                Some(VatSaid::Code(Vat::Zero)),
            ),
            ("Malt from Pelham is zero rated. Hops from Tressling have VAT on", "TRESSLING HOPS", standard),
            ("We don't charge VAT to Pelham", "PELHAM", None),
            ("Pelham sells the zero-rated books", "PELHAM", None),
        ] {
            assert_eq!(vat(context, description), said, "{context}: {description}");
        }
    }

    #[test]
    fn what_is_the_owners_own_is_private() {
        read("Netling, Pelham and the gym are mine; Tressling is not mine", &["NETLING", "TRESSLING"], |statements| {
            assert!(statements.is_private("NETLING COM"));
            assert!(!statements.is_private("TRESSLING LTD"));
        });
    }
}

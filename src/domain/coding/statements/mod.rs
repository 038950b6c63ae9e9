//! What the context states of payees by name: "Booker = bar stock", "the waller isn't registered", "Netflix and the gym are mine".
//!
//! A sentence is read from left to right. Names are words of the context that lines have as well; what follows a link (*is*, *=*,
//! *goes to*) is said of the names before it, up to the names of the next statement.

mod chart_words;
mod people;
mod reading;
#[cfg(test)]
mod tests;
mod vat;

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use self::chart_words::ChartWords;
pub use self::people::Paid;
use self::people::People;
use self::reading::{
    ALL, LEADS, ORDERS, Reading, SENDS, ends_part, exceptions, is_private, is_service, private_behind,
};
use self::vat::{names_behind_nor, subjects, vat_at, what_has_no_vat, who_is_not_registered};
use super::batch::Account;
use super::knowledge::{GOODS, NameWord, WordLists, stem};
use super::line::Line;
use super::outcome::Vat;
use super::person::is_forename;
use super::text::{fold, sentences};

/// Tokens from a name to what is said of its VAT.
const BEFORE_VAT_MAX: usize = 10;
/// Tokens before what is said of VAT in which a pronoun is whom it is said of.
const PRONOUN_WITHIN: usize = 3;
/// How much an account counts of whose name a part is given.
const PARTLY: f32 = 0.9;
/// The same where the line may say otherwise.
const USUALLY: f32 = 0.4;

/// As how many words of a name a number counts.
const NUMBER_WEIGHT: usize = 3;

/// Whether a word of a context is a number that it may tell the meaning of: of a terminal, an account or a card.
fn is_long_number(word: &str) -> bool {
    (5..=16).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The numbers of terminals and shops that a context tells the meaning of.
pub fn numbers_of(context: &str) -> Vec<String> {
    const NUMBERED: &[&str] = &[
        "MACHINE",
        "MACHINES",
        "MERCHANT",
        "MID",
        "OUTLET",
        "READER",
        "READERS",
        "SITE",
        "STORE",
        "TERMINAL",
        "TERMINALS",
        "TID",
    ];
    let speaks = |sentence: &String| sentence.split(' ').any(|word| NUMBERED.contains(&word));
    let spoken: Vec<String> = sentences(context).map(fold).filter(speaks).collect();
    let words = spoken.iter().flat_map(|sentence| sentence.split(' '));
    let mut numbers: Vec<String> = words.filter(|word| is_long_number(word)).map(str::to_owned).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// What is said of the VAT that a payee charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatSaid {
    /// There is VAT of this code in it.
    Code(Vat),
    /// There is none in it, whatever is sold.
    NotCharged,
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
    /// What is said of the VAT of what is sold, by stems of its words.
    sold: Vec<(Vec<String>, Vat)>,
    /// Stems of whoever is said to charge no VAT, in general: drivers, tutors.
    unregistered: BTreeSet<String>,
    /// Stems of what is said to have no VAT, bought or sold.
    without_vat: BTreeSet<String>,
    /// People who are paid something else than for work.
    pub people: People,
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
    /// Those behind what a bank prints before them.
    printed_words: FxHashSet<&'l str>,
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
                .filter(|word| !is_common(word) || SERVICES.contains(word) || *word == "CASH")
                .collect(),
            first_words: lines.iter().flat_map(first_words).collect(),
            printed_words: lines.iter().filter_map(word_behind_printed).collect(),
            account_stems: chart.by_stem.keys().cloned().collect(),
            lists,
        };
        let mut read = Self { people: People::read(context), ..Self::default() };
        let mut before = Names::new();
        for (at, sentence) in sentences(context).enumerate() {
            let mut tokens: Vec<Token<'_>> =
                sentence.split_whitespace().enumerate().map(|(at, raw)| vocabulary.token(raw, at == 0)).collect();
            forget_tools(&mut tokens);
            join_names(&mut tokens);
            vocabulary.add_card_services(&mut tokens);
            vocabulary.add_cash(&mut tokens);
            read.add_vat(&tokens, at == 0, lists);
            read.add_abbreviations(sentence, &chart);
            read.add_lists(&tokens, &chart);
            read.add_numbers(&tokens, &chart);
            read.add_ways(&tokens, &chart);
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
        let mut reading = Reading::of(tokens);
        while let Some(token) = tokens.get(reading.at) {
            let rest = tokens.get(reading.at..).unwrap_or_default();
            if let Some(link) = reading.link.filter(|link| reading.at - link.at <= link.reach)
                && (!token.raw.starts_with('(') || chart.has_code(token))
                && let Some(found) = chart.account_at(rest, link.is_of_place, reading.are_references)
            {
                // "HMRC and Nest payments clear 2210 and 2230": each its own.
                if let Some(second) = chart.second_code(rest)
                    && let Some((of_first, of_second)) = reading.parted(link)
                {
                    found.accounts.iter().for_each(|account| self.add(&of_first, Said::Account(*account, 1.0)));
                    self.add(&of_second, Said::Account(second, 1.0));
                    (reading.link, reading.is_said) = (None, true);
                    reading.open.clear();
                    reading.at += found.taken + 2;
                    continue;
                }
                let meant = reading.meant(link, before);
                let but = exceptions(rest.get(found.taken..).unwrap_or_default());
                // "Unless it says otherwise": what a line says counts as well.
                let is_usual = but.iter().any(|word| word == "OTHERWISE");
                for account in &found.accounts {
                    let plainness = if is_usual { USUALLY } else { 1.0 };
                    let said = Said::Account(*account, if found.is_whole { plainness } else { plainness * PARTLY });
                    self.add_but(&meant, said, &but);
                }
                if !meant.is_empty() {
                    (reading.link, reading.is_said) = (None, true);
                    reading.open.clear();
                    reading.at += found.taken;
                    continue;
                }
            }
            if reading.link.is_some_and(|link| link.is_what_it_is(tokens, reading.at))
                && !reading.names.is_empty()
                && reading.names.iter().all(is_service)
                && let Some(account) = chart.sales_of(rest)
            {
                self.add(&reading.names, Said::Account(account, PARTLY));
                reading.is_said = true;
            }
            if is_private(tokens, reading.at) {
                // "… comes out of the wrong account, so that's me": whatever the sentence has named.
                let is_of_all = reading.names.is_empty()
                    && reading
                        .at
                        .checked_sub(1)
                        .and_then(|before| tokens.get(before))
                        .is_some_and(|before| before.words == ["THATS"]);
                let open: Names = reading.open.iter().map(|(_, name)| name.clone()).collect();
                self.add(if is_of_all { &open } else { &reading.names }, Said::Private);
                self.add(&private_behind(tokens, reading.at), Said::Private);
                reading.is_said = true;
            } else if !token.names.is_empty() {
                reading.take_names(token);
            }
            reading.pass(token);
        }
    }

    /// Letters in quotes or brackets that begin the words of an account beside each other: "pocket money ("PA")" of
    /// *Personal Allowances Held*.
    fn add_abbreviations(&mut self, sentence: &str, chart: &ChartWords) {
        const LETTERS: std::ops::RangeInclusive<usize> = 2..=4;
        let quoted = |raw: &&str| raw.starts_with(['(', '"', '\'', '\u{201c}', '\u{2018}']);
        for raw in sentence.split_whitespace().filter(quoted) {
            let letters = raw.trim_matches(|sign: char| !sign.is_alphanumeric());
            let is_short = LETTERS.contains(&letters.len()) && letters.chars().all(|sign| sign.is_ascii_uppercase());
            let abbreviated = if is_short { chart.abbreviated(letters) } else { None };
            if let Some(account) = abbreviated {
                self.add(&Names::from([(letters.to_owned(), true)]), Said::Account(account, 1.0));
            }
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

    /// What comes in by a payment service: "touring bookings come through the Dojo machine".
    fn add_ways(&mut self, tokens: &[Token<'_>], chart: &ChartWords) {
        const REACH: usize = 5;
        let is = |at: usize, words: &[&str]| {
            tokens.get(at).and_then(|token| token.words.first()).is_some_and(|word| words.contains(&word.as_str()))
        };
        let comes = |at: &usize| is(*at, &["COME", "COMES", "GO", "GOES"]) && is(at + 1, &["THROUGH", "BY", "VIA"]);
        let Some(at) = (1..tokens.len()).find(comes) else { return };
        let behind = tokens.get(at + 2..).unwrap_or_default().iter().take(REACH).take_while(|token| token.raw != "to");
        let names: Names =
            behind.flat_map(|token| token.names.iter().filter(|name| is_service(name)).cloned()).collect();
        if let Some(account) = chart.sales_of(tokens.get(..at).unwrap_or_default()).filter(|_| !names.is_empty()) {
            self.add(&names, Said::Account(account, USUALLY));
        }
    }

    /// What numbers stand for that lines begin one of their own with: "merchant 4471001 is the shop, 4471002 the tea room".
    fn add_numbers(&mut self, tokens: &[Token<'_>], chart: &ChartWords) {
        let number = |token: &Token<'_>| match token.words.as_slice() {
            [word] if is_long_number(word) => Some(word.clone()),
            _ => None,
        };
        let places: Vec<usize> = (0..tokens.len()).filter(|at| tokens.get(*at).and_then(number).is_some()).collect();
        for (turn, at) in places.iter().enumerate() {
            let next = places.get(turn + 1).copied().unwrap_or(tokens.len());
            let said = tokens.get(at + 1..next).unwrap_or_default();
            let said = said.split(|token| token.raw == "and").next().unwrap_or_default();
            if let (Some(number), Some(account)) = (tokens.get(*at).and_then(number), chart.sales_of(said)) {
                self.add(&Names::from([(number, true)]), Said::Account(account, 1.0));
            }
        }
    }

    /// Statements on the VAT that names charge; the first sentence is about the business itself.
    fn add_vat(&mut self, tokens: &[Token<'_>], is_first: bool, lists: &WordLists) {
        let said: Vec<(usize, VatSaid)> =
            (0..tokens.len()).filter_map(|at| Some((at, vat_at(tokens, at, is_first)?))).collect();
        let names_of = |from: usize, until: usize| -> Names {
            let part = tokens.get(from..until).unwrap_or_default();
            part.iter().flat_map(|token| token.names.iter().cloned()).collect()
        };
        let mut from = 0;
        for (turn, (at, vat)) in said.iter().enumerate() {
            // "Mark Example is an engineer who helps out on installs, he isn't registered".
            let is_pronoun = |word: &String| matches!(word.as_str(), "HE" | "SHE" | "THEY" | "THEM");
            let near = tokens.get(at.saturating_sub(PRONOUN_WITHIN)..*at).unwrap_or_default();
            let is_of_subject = near.iter().any(|token| token.words.iter().any(is_pronoun));
            let reach = if is_of_subject { 2 * BEFORE_VAT_MAX } else { BEFORE_VAT_MAX };
            let mut names = names_of(from.max(at.saturating_sub(reach)), *at);
            let next = said.get(turn + 1).map_or(tokens.len(), |(next, _)| *next);
            let is_led = |word: &String| matches!(word.as_str(), "ON" | "FOR" | "FROM" | "TO");
            if names.is_empty() && tokens.get(*at + 1).and_then(|token| token.words.first()).is_some_and(is_led) {
                names = names_of(*at + 1, next.min(*at + 1 + BEFORE_VAT_MAX));
            }
            // How sales are paid for is not what is sold.
            if let VatSaid::Code(code) = vat
                && names.iter().all(|name| is_service(name) || name.0 == "CASH")
            {
                self.sold.extend(subjects(tokens, *at, lists).into_iter().map(|words| (words, *code)));
            }
            if *vat == VatSaid::NotCharged && names.is_empty() && !is_first {
                self.unregistered.extend(who_is_not_registered(tokens, lists));
                self.without_vat.extend(what_has_no_vat(tokens, *at, lists));
            }
            self.add(&names, Said::Vat(*vat));
            self.add(&names_behind_nor(tokens.get(*at + 1..next).unwrap_or_default()), Said::Vat(*vat));
            from = *at + 1;
        }
    }

    /// What is said of the names of a line: of several statements those that name most of it.
    fn about<'s, T: 's>(&'s self, text: &str, said: impl Fn(&Said) -> Option<T>) -> Vec<T> {
        if self.list.is_empty() {
            return Vec::new();
        }
        // A name that is two words glued together is parted in a line's wording.
        let compounds = text.split(' ').zip(text.split(' ').skip(1)).map(|(one, next)| [one, next].concat());
        let words: FxHashSet<Cow<'_, str>> =
            text.split(' ').map(Cow::Borrowed).chain(compounds.map(Cow::Owned)).collect();
        let places: BTreeSet<usize> =
            words.iter().filter_map(|word| self.by_name.get(word.as_ref())).flatten().copied().collect();
        // A number is told of one thing alone.
        let weight = |name: &String| if is_long_number(name) { NUMBER_WEIGHT } else { 1 };
        let count = |statement: &Statement| -> usize {
            statement.names.iter().filter(|name| words.contains(name.as_str())).map(weight).sum()
        };
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

    /// What the context says of the VAT of something that is sold: of what an income account, the words of whose names are `accounts`, has
    /// the name of, or of what a line has a word of, where it pays in advance.
    pub fn vat_of_sale<'w>(
        &self,
        name: &[NameWord],
        accounts: impl Iterator<Item = &'w Vec<NameWord>> + Clone,
        advance: Option<&str>,
    ) -> Option<Vat> {
        let is_goods = |stem: &str| GOODS.contains(&stem);
        let is_same = |word: &str, known: &str| word == known || is_goods(word) && is_goods(known);
        let shared = |words: &[String], name: &[NameWord]| {
            words.iter().filter(|word| name.iter().any(|known| is_same(word, &known.stem))).count()
        };
        let said = self.sold.iter().filter(|(words, _)| match advance {
            Some(text) => text.split(' ').any(|word| words.contains(&stem(word))),
            // "Heat pump jobs": the account that has most of the words.
            None => {
                let count = shared(words, name);
                count > 0 && accounts.clone().all(|other| shared(words, other) <= count)
            }
        });
        let codes: Vec<Vat> = said.map(|(_, code)| *code).collect();
        let first = *codes.first()?;
        codes.iter().all(|code| *code == first).then_some(first)
    }

    /// Whether an account's name has whoever the context says charges no VAT.
    pub fn is_unregistered(&self, name: &[NameWord]) -> bool {
        name.iter().any(|word| self.unregistered.contains(&word.stem))
    }

    /// Whether an account's name has something that the context says has no VAT, bought or sold.
    pub fn is_without_vat(&self, name: &[NameWord]) -> bool {
        name.iter().any(|word| self.without_vat.contains(&word.stem))
    }

    /// Whether the context calls what a line's names are paid private.
    pub fn is_private(&self, text: &str) -> bool {
        !self.about(text, |said| (*said == Said::Private).then_some(())).is_empty()
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

    /// "Cash banked" names the lines with which cash is paid in.
    fn add_cash(&self, tokens: &mut [Token<'_>]) {
        const BANKED: &[&str] = &["BANKED", "BANKINGS", "DEPOSITED", "PAID", "I", "WE"];
        let is_cash = |token: &Token<'_>| token.words.iter().any(|word| word == "CASH");
        let is_banked = |token: &Token<'_>| token.words.first().is_some_and(|word| BANKED.contains(&word.as_str()));
        let spoken =
            tokens.windows(2).position(|pair| matches!(pair, [cash, next] if is_cash(cash) && is_banked(next)));
        if let Some(token) = spoken.filter(|_| self.words.contains("CASH")).and_then(|at| tokens.get_mut(at)) {
            token.names.insert(("CASH".to_owned(), true));
        }
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
            "FPI", "FPO", "BACS", "GB", "UK", "REF", "INV", "ATM", "POS", "PLC", "LLP", "CO", "FOR", "MR", "MRS", "DR",
            "OUR", "ALL", "NOT", "WE", "NO",
        ];
        /// What members pay names none of them.
        const PAID_BY_ALL: &[&str] = &["SUBS", "SUBSCRIPTIONS", "FEES"];
        let letters = word.chars().count();
        if letters < if is_capitals { 2 } else { 3 }
            || PRINTED.contains(&word)
            || PAID_BY_ALL.contains(&word)
            || !self.words.contains(word)
        {
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
            (true, true) => {
                let begins_line = self.first_words.contains(word) || self.printed_words.contains(word);
                is_capitals || begins_line && !is_of_account
            }
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

/// The word behind what a bank prints before a payee.
fn word_behind_printed<'l>(line: &'l Line<'_>) -> Option<&'l str> {
    line.words().next().filter(|word| BEFORE_PAYEES.contains(word)).and_then(|_| line.words().nth(1))
}

/// What banks print before payees.
const BEFORE_PAYEES: &[&str] =
    &["BGC", "BP", "CR", "DD", "DDR", "DEB", "DPC", "FP", "FPI", "FPO", "POS", "SO", "STO", "TFR", "VIS"];

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

/// Takes the names of bookkeeping software away where it is what somebody works with, or does work itself: "I run a little payroll in
/// FreeAgent", "which Xero journals".
fn forget_tools(tokens: &mut [Token<'_>]) {
    const SOFTWARE: &[&str] = &["BRIGHTPAY", "DEXT", "FREEAGENT", "IRIS", "MONEYSOFT", "QUICKBOOKS", "SAGE", "XERO"];
    const LEADS: &[&str] = &["IN", "ON", "FROM", "THROUGH", "USING", "VIA", "WITH"];
    const WORKS: &[&str] = &["DOES", "HANDLES", "JOURNALS", "POSTS", "RECORDS", "RUNS", "WORKS"];
    let has = |token: Option<&Token<'_>>, words: &[&str]| {
        token.is_some_and(|token| token.words.iter().any(|word| words.contains(&word.as_str())))
    };
    for at in 1..tokens.len() {
        let is_tool = has(tokens.get(at - 1), LEADS) || has(tokens.get(at + 1), WORKS);
        if let Some(token) = tokens.get_mut(at).filter(|_| is_tool) {
            token.names.retain(|(name, _)| !SOFTWARE.contains(&name.as_str()));
        }
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

/// Services through which customers book and pay.
const BOOKED_BY: &[&str] =
    &["BOOKSY", "BOOKWHEN", "FRESHA", "MAGICBOOKING", "MOMENCE", "STRIPE", "TICKETSOURCE", "TREATWELL"];

/// Card companies that pay out what a shop's machine takes.
const SERVICES: &[&str] =
    &["BARCLAYCARD", "DOJO", "ELAVON", "PAYMENTSENSE", "SQUARE", "SUMUP", "TAKEPAYMENTS", "WORLDPAY", "ZETTLE"];

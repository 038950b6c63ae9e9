//! A sentence of the context as it is read from left to right: names, what joins them to an account, and what is private.

use super::{BOOKED_BY, Name, Names, Token};
use crate::domain::coding::instructions::is_payment_service;
use crate::domain::coding::person::is_forename;
use crate::domain::coding::text::fold;
use crate::domain::coding::transfer::is_bank;

/// Tokens between a link and the account: "is all for *tools*".
const LINK_REACH: usize = 3;
/// Tokens between a verb that sends something and the word that leads to the account: "goes straight in to *wages*".
const SENDS_REACH: usize = 4;
/// The same where somebody is told to: "put all the takings of the counter to *sales*".
const ORDER_REACH: usize = 8;
/// Tokens from one name to the next of those of which something is said.
const BETWEEN_NAMES_MAX: usize = 3;
/// Tokens from the last name to the end of a list that it is in.
const LIST_REACH: usize = 12;
/// Tokens from the last name to what is said of it.
const BEFORE_LINK_MAX: usize = 6;
/// Tokens in which those that "all" means are named.
const ALL_REACH: usize = 18;

/// What joins names and what is said of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) at: usize,
    /// Tokens behind it in which an account may stand.
    pub(super) reach: usize,
    /// It says where something goes, not what it is.
    pub(super) is_of_place: bool,
    /// It is about everything that the sentence has named: "put it all to *sales*".
    is_of_all: bool,
}

/// A sentence as it is read from left to right.
#[derive(Default)]
pub(super) struct Reading<'s, 'c> {
    tokens: &'s [Token<'c>],
    pub(super) at: usize,
    /// Names of which something may be said: those that stand near.
    pub(super) names: Names,
    /// All of the sentence of which nothing is said yet, with their places.
    pub(super) open: Vec<(usize, Name)>,
    last_name: Option<usize>,
    /// The last comma or *and* of the list that the names begin.
    last_in_list: Option<usize>,
    /// The names are references in capitals, as payers write them.
    pub(super) are_references: bool,
    pub(super) link: Option<Link>,
    /// A verb that sends something somewhere, and whether it tells the reader to.
    sent: Option<usize>,
    is_order: bool,
    /// Something has been said of the names.
    pub(super) is_said: bool,
    /// Inside brackets, which hold one list.
    is_listed: bool,
}

impl Link {
    /// Whether what stands at a place says what the names are, of whatever number.
    pub(super) fn is_what_it_is(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let before = tokens.get(self.at.saturating_sub(BETWEEN_NAMES_MAX)..self.at).unwrap_or_default();
        let is_numbered = before.iter().any(|token| token.raw.starts_with(|sign: char| sign.is_ascii_digit()));
        // "Stripe is the website: those belong to …" says more of what has been named.
        let next = tokens.get(at).and_then(|token| token.words.first()).map_or("", String::as_str);
        let goes_on = matches!(next, "THOSE" | "THESE" | "THEY");
        !self.is_of_place && at == self.at + 1 && !is_numbered && !goes_on
    }
}

impl<'s, 'c> Reading<'s, 'c> {
    pub(super) fn of(tokens: &'s [Token<'c>]) -> Self {
        Self { tokens, ..Self::default() }
    }

    fn is_near(&self, place: Option<usize>, reach: usize) -> bool {
        place.is_some_and(|place| self.at - place <= reach)
    }

    /// The names that a link joins to what stands here.
    pub(super) fn meant(&self, link: Link, before: &Names) -> Names {
        // "Stripe is the website: … so put the whole payout to held money": of what the sentence has named.
        let is_told = self.is_order
            && link.is_of_place
            && self.names.is_empty()
            && self.open.iter().all(|(_, name)| is_service(name));
        if !link.is_of_all && !is_told {
            return self.names.clone();
        }
        if self.open.is_empty() && is_anaphora(self.tokens.get(..link.at).unwrap_or_default()) {
            return before.clone();
        }
        let near = self.open.iter().filter(|(place, _)| self.at - place <= ALL_REACH);
        near.map(|(_, name)| name.clone()).collect()
    }

    /// The names of which nothing is said yet, before and behind the last *and* before a link.
    pub(super) fn parted(&self, link: Link) -> Option<(Names, Names)> {
        let and = self.tokens.get(..link.at)?.iter().rposition(|token| token.raw == "and")?;
        let (before, behind): (Vec<_>, Vec<_>) = self.open.iter().partition(|(place, _)| *place < and);
        let names = |part: Vec<&(usize, Name)>| part.into_iter().map(|(_, name)| name.clone()).collect();
        Some((names(before), names(behind)))
    }

    /// Takes the names of a token, in place of those that are no list with them.
    pub(super) fn take_names(&mut self, token: &Token<'_>) {
        let is_far = !self.is_listed && !self.is_near(self.last_name, BETWEEN_NAMES_MAX);
        if self.is_said || self.link.is_some() || is_far {
            self.names.clear();
            (self.link, self.is_said) = (None, false);
        }
        (self.last_name, self.last_in_list) = (Some(self.at), None);
        let is_reference = token.raw.chars().all(|sign| !sign.is_lowercase());
        self.are_references = is_reference && (self.names.is_empty() || self.are_references);
        self.names.extend(token.names.iter().cloned());
        // Nothing is said of a bank that an account is with.
        let others = token.names.iter().filter(|(name, _)| !is_bank(name));
        self.open.extend(others.map(|name| (self.at, name.clone())));
    }

    /// Notes what a token says of those around it, and goes on.
    pub(super) fn pass(&mut self, token: &Token<'_>) {
        // "Lidl, Tesco, toys, school dinners and housekeeping are": a list goes on from comma to comma, and to its last part.
        let goes_on = token.raw.ends_with(',') || matches!(token.raw, "and" | "or");
        if goes_on && !self.is_said && self.link.is_none() && self.is_near(self.last_name, LIST_REACH) {
            self.last_in_list = Some(self.at);
        }
        // "Money from Stripe or from a student with no invoice yet is": of a service more may be said.
        let is_or = self.last_in_list.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.raw == "or");
        let is_of_services = is_or && !self.names.is_empty() && self.names.iter().all(is_service);
        let is_in_list = self.is_near(self.last_in_list, BEFORE_LINK_MAX + if is_of_services { 2 } else { 0 });
        if !self.is_listed && !is_in_list && !self.is_near(self.last_name, BEFORE_LINK_MAX) {
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
        // "Call that group coaching".
        let called =
            at.checked_sub(1).and_then(|before| self.tokens.get(before)).and_then(|before| before.words.first());
        if ALL.contains(&word) && called.is_some_and(|called| called == "CALL") {
            return Some(Link { at: at - 1, reach: LINK_REACH, is_of_place: false, is_of_all: true });
        }
        // What a payment service takes is what it is for.
        let is_taken = word == "TAKES" && !self.names.is_empty() && self.names.iter().all(is_service);
        if matches!(token.raw, "=" | "->" | "\u{2192}") || matches!(word, "IS" | "ARE" | "PAYS" | "THATS") || is_taken {
            let is_of_all = speaks_of_all(at.saturating_sub(3)) && !self.is_near(self.last_name, 1);
            return Some(Link { at, reach: LINK_REACH, is_of_place: false, is_of_all });
        }
        let is_mark = matches!(token.raw, "-" | "\u{2013}" | "\u{2014}") || token.raw.ends_with(':');
        is_mark.then_some(Link { at, reach: 1, is_of_place: false, is_of_all: false })
    }
}

/// Whether a name is that of a service through which customers pay.
pub(super) fn is_service((name, _): &Name) -> bool {
    is_payment_service(name) || BOOKED_BY.contains(&name.as_str())
}

/// Whether what follows is another part of the sentence.
pub(super) fn ends_part(raw: &str) -> bool {
    raw.ends_with([',', ';', ':', '.', ')']) || matches!(raw, "-" | "\u{2013}" | "\u{2014}")
}

/// The words behind "unless it says" and "except", if they are next.
pub(super) fn exceptions(tokens: &[Token<'_>]) -> Vec<String> {
    const LETTERS_MIN: usize = 4;
    let words: Vec<&String> = tokens.iter().flat_map(|token| &token.words).collect();
    let begins = words.iter().take(2).any(|word| matches!(word.as_str(), "UNLESS" | "EXCEPT"));
    let telling = words.into_iter().skip(1).filter(|word| word.chars().count() >= LETTERS_MIN);
    if begins { telling.cloned().collect() } else { Vec::new() }
}

/// What somebody is told to do with it.
pub(super) const ORDERS: &[&str] = &["PUT", "POST", "CODE", "BOOK"];

/// Verbs that send something to an account.
pub(super) const SENDS: &[&str] = &[
    "GO", "GOES", "GOING", "PUTS", "POSTED", "CODED", "PAID", "CHARGE", "CHARGED", "TREAT", "TREATED", "BOOKED",
    "KEEP", "HELD", "SITS", "SIT", "COUNT", "COUNTS", "CREDITED", "STRAIGHT", "DIRECT", "ALL", "ALWAYS", "COMES",
    "CLASS", "CLASSED",
];

/// What stands between such a verb and the account.
pub(super) const LEADS: &[&str] = &["TO", "IN", "INTO", "AS", "UNDER", "AGAINST", "OFF"];

/// Words for what has been named before.
pub(super) const ALL: &[&str] =
    &["ALL", "LOT", "EVERYTHING", "IT", "THAT", "THEM", "THESE", "THEY", "THOSE", "WHAT", "WHATEVER", "BOTH"];

/// Verbs of a payment that clears an account.
const CLEARS: &[&str] = &["CLEAR", "CLEARS", "CLEARED"];

/// Words between a shop and what is said of what is bought there.
const BEHIND_SHOPS: &[&str] =
    &["BITS", "BUSINESS", "CARD", "COMPANY", "ON", "ORDERS", "SHOP", "SHOPPING", "SHOPS", "STUFF", "THE"];
/// Those that stand between at most.
const BEHIND_SHOPS_MAX: usize = 5;

/// Whether what stands here calls the names before it private: "are mine", "is me", "for home", "is Kate's own".
pub(super) fn is_private(tokens: &[Token<'_>], at: usize) -> bool {
    if is_denied(tokens, at) {
        return false;
    }
    let word = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).and_then(|token| token.words.first()).map_or("", String::as_str)
    };
    let before = word(at.checked_sub(1));
    let ends = tokens
        .get(at)
        .is_some_and(|token| token.raw.ends_with([',', ')', '.', '!', ':', ';']) || at + 1 == tokens.len());
    let next = |behind: usize| word(Some(at + behind));
    let raw_before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.raw);
    // "Zara, Nando's: me."
    let is_listed = raw_before.ends_with(':');
    let says = |wanted: &str| tokens.iter().take(at).any(|token| token.words.iter().any(|word| word == wanted));
    // "Boots, Reiss = Joanna's", "cafe stops: Baz's, loan account".
    let possessor = tokens.get(at).and_then(|token| {
        let bare = token.raw.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        bare.strip_suffix("'s").or_else(|| bare.strip_suffix("\u{2019}s"))
    });
    // What stands right before the link: "clothes are Megan's" says nothing of the shops before it.
    let is_of_name =
        |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at)).is_some_and(|token| !token.names.is_empty());
    // "Waitrose on the card is Ann's", "Tesco shop is Ann's".
    let is_between = |back: &usize| BEHIND_SHOPS.contains(&word(at.checked_sub(*back)));
    let named_back = 2 + (2..=BEHIND_SHOPS_MAX).take_while(is_between).count();
    let is_linked = is_listed && is_of_name(1) || matches!(raw_before, "=" | "is" | "are") && is_of_name(named_back);
    if is_linked && (ends || next(1) == "OWN") && possessor.is_some_and(|name| is_forename(&fold(name))) {
        return true;
    }
    match word(Some(at)) {
        "MINE" | "HERS" | "DLA" => true,
        "PRIVATE" | "PERSONAL" | "HOUSEHOLD" => ends,
        "ME" => {
            let is_shopping = word(Some(at + 1)) == "SHOPPING";
            let is_equal = at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.raw == "=");
            // "Next is clothes for me (Rosalind)".
            let said_of = (2..=4).filter_map(|behind| at.checked_sub(behind));
            let is_for = before == "FOR" && said_of.into_iter().any(|at| matches!(word(Some(at)), "IS" | "ARE"));
            let is_named = tokens.get(at + 1).is_some_and(|token| token.raw.starts_with('('));
            (ends || is_shopping || is_for && is_named)
                && (is_equal
                    || is_for
                    || ends && (is_listed || before == "TO" && says("PUT"))
                    || matches!(before, "IS" | "ARE" | "WAS" | "WERE" | "ALL" | "JUST" | "ITS" | "THATS"))
        }
        "HOME" => ends && matches!(before, "FOR" | "IS" | "ARE"),
        "OUR" => next(1) == "OWN" && matches!(next(2), "HOUSE" | "HOME" | "FLAT" | "KITCHEN"),
        "FAMILY" => {
            matches!(before, "THE" | "OUR" | "MY")
                && matches!(next(1), "SHOP" | "SHOPPING" | "SPENDING" | "LIVING" | "FOOD" | "CAR")
        }
        "NOTHING" => (next(1), next(2)) == ("TO", "DO") && (1..6).any(|behind| next(behind) == "BUSINESS"),
        "DAUGHTERS" | "SONS" | "KIDS" | "CHILDRENS" | "WIFES" | "HUSBANDS" | "MUMS" | "DADS" => {
            matches!(before, "MY" | "HER" | "HIS") || before == "FOR" && !matches!(word(Some(at)), "KIDS" | "CHILDRENS")
        }
        "OWN" => ends && (before.ends_with('S') || matches!(before, "MY" | "HER" | "HIS")),
        _ => false,
    }
}

/// Whether words speak of nothing but what the sentence before has named: "code the lot".
fn is_anaphora(tokens: &[Token<'_>]) -> bool {
    const BESIDE: &[&str] = &["JUST", "OF", "PLEASE", "SO", "THE"];
    let mut words = tokens.iter().flat_map(|token| token.words.iter().map(String::as_str));
    words.all(|word| [BESIDE, ALL, ORDERS, SENDS].iter().any(|list| list.contains(&word)))
}

/// Names behind what calls something private: "also mine: A, B", "is mine, so is A".
pub(super) fn private_behind(tokens: &[Token<'_>], at: usize) -> Names {
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

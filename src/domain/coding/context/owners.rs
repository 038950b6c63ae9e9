//! The people behind a business: names behind words such as "director" and "owner", and in the names of owners' accounts.

use std::collections::BTreeSet;

use super::has_phrase;
use crate::domain::coding::batch::{Account, AccountType, Batch};
use crate::domain::coding::knowledge::WordLists;
use crate::domain::coding::person::is_forename;
use crate::domain::coding::printed::is_known;
use crate::domain::coding::text::{fold, sentences};

/// Most words of a name.
const NAME_WORDS_MAX: usize = 3;

/// A name behind a role stands within so many words of it.
const ROLE_REACH: usize = 4;

/// Folded names of owners and directors, each as its words.
pub(super) fn owners(batch: &Batch<'_>, is_company: bool, lists: &WordLists) -> Vec<Vec<String>> {
    let mut names: BTreeSet<Vec<String>> = BTreeSet::new();
    for (at, sentence) in batch.business_context.split(['.', ';', '\n']).enumerate() {
        Sentence { words: sentence.split_whitespace().collect(), is_first: at == 0, lists }.add_owners(&mut names);
    }
    names.extend(with_firms_surname(&batch.business_context, &names));
    names.extend(writers(&batch.business_context));
    for account in &batch.accounts {
        names.extend(possessor(account, lists));
        names.extend(named_behind(account, lists).into_iter().flat_map(each_of));
        names.extend(named_before(account, lists));
    }
    if is_company {
        names.extend(with_companys_surname(&batch.business_context, &names));
        names.extend(of_loan_account(&batch.business_context));
    } else {
        names.extend(relatives(&batch.business_context, &names));
    }
    names.into_iter().filter(|name| name.iter().any(|word| word.chars().count() >= 3)).collect()
}

/// Owners of whom only forenames are given, with the surname that the firm has behind initials: "E & M Example & Son".
fn with_firms_surname(context: &str, owners: &BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    let mut words = context.split_whitespace().skip_while(|word| {
        let letters = bare(word);
        matches!(*word, "&" | "and") || letters.chars().count() == 1 && letters.chars().all(char::is_uppercase)
    });
    let has_initials =
        context.split_whitespace().next().is_some_and(|word| bare(word).chars().count() == 1 && bare(word) != "I");
    // "Example's Coaches is a partnership of two brothers".
    let possessor = context.split_whitespace().next().and_then(|word| {
        word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).filter(|name| !is_forename(&fold(name)))
    });
    let surname = words.next().map(fold).filter(|_| has_initials).or(possessor.map(fold));
    let surname = surname.filter(|word| word.chars().count() >= 4);
    let forenames = owners.iter().filter_map(|name| if let [only] = name.as_slice() { Some(only) } else { None });
    let forenames = forenames.filter(|only| Some(*only) != surname.as_ref());
    surname.iter().flat_map(|surname| forenames.clone().map(move |only| vec![only.clone(), surname.clone()])).collect()
}

/// Directors of whom only forenames are given, with the surname that a company's name begins with: "Example Groundworks Ltd. I'm Danny".
fn with_companys_surname(context: &str, owners: &BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    const NAME_REACH: usize = 5;
    let words: Vec<&str> = context.split_whitespace().take(NAME_REACH).collect();
    let is_company = words.iter().any(|word| matches!(bare(word), "Ltd" | "Limited"));
    let surname = words.first().filter(|word| bare(word) == **word && word.chars().count() >= 4).map(|word| fold(word));
    let Some(surname) = surname.filter(|surname| is_company && !is_forename(surname) && !is_known(surname)) else {
        return Vec::new();
    };
    let forenames = owners.iter().filter_map(|name| if let [only] = name.as_slice() { Some(only) } else { None });
    forenames.filter(|only| is_forename(only)).map(|only| vec![only.clone(), surname.clone()]).collect()
}

/// Directors of whom a sentence on the loan account gives forenames, with the surname that the company's name begins with: "Example
/// Roofing Ltd … other money to or from Lee or Karen is the loan account".
fn of_loan_account(context: &str) -> Vec<Vec<String>> {
    let mut words = context.split_whitespace();
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && bare(word) == word;
    let surname = words.next().filter(|word| is_name(word) && word.chars().count() >= 4).map(fold);
    let is_firm = words.next().is_some_and(|word| word.starts_with(char::is_uppercase));
    let Some(surname) = surname.filter(|surname| is_firm && !is_forename(surname)) else { return Vec::new() };
    let on_loan = sentences(context).filter(|sentence| has_phrase(&fold(sentence), "LOAN ACCOUNT"));
    // A forename behind which no surname follows.
    let forenames = on_loan.flat_map(|sentence| {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let next = |at: usize| words.get(at + 1).is_some_and(|word| word.starts_with(char::is_uppercase));
        let is_alone = |at: usize, word: &str| is_forename(&fold(word)) && (bare(word) != word || !next(at));
        let alone =
            words.iter().enumerate().filter(|(at, word)| word.starts_with(char::is_uppercase) && is_alone(*at, word));
        alone.map(|(_, word)| fold(word)).collect::<Vec<_>>()
    });
    forenames.map(|forename| vec![forename, surname.clone()]).collect()
}

/// Who writes, and whoever they run the business with: "Brian and I (Moira Example) have seven flats", where one surname is both of
/// theirs.
fn writers(context: &str) -> Vec<Vec<String>> {
    let words: Vec<&str> = context.split_whitespace().collect();
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && bare(word).chars().count() >= 2;
    let mut found = Vec::new();
    let Some(at) = words.windows(2).position(|pair| matches!(pair, ["I", next] if next.starts_with('('))) else {
        return found;
    };
    let name: Vec<String> = words
        .iter()
        .skip(at + 1)
        .take(NAME_WORDS_MAX)
        .scan(false, |is_closed, word| {
            let is_part = !*is_closed && is_name(bare(word));
            *is_closed |= word.contains(')');
            is_part.then(|| fold(word))
        })
        .collect();
    let last = words.get(at + name.len());
    if !last.is_some_and(|last| last.contains(')')) {
        return found;
    }
    let is_joined = at.checked_sub(1).and_then(|and| words.get(and)) == Some(&"and");
    let other: Vec<String> = words
        .get(..at.saturating_sub(1))
        .unwrap_or_default()
        .iter()
        .rev()
        .take(2)
        .take_while(|word| is_name(word) && bare(word) == **word)
        .map(|word| fold(word))
        .collect();
    if is_joined {
        match (other.as_slice(), name.last().filter(|_| name.len() >= 2)) {
            ([forename], Some(surname)) => found.push(vec![forename.clone(), surname.clone()]),
            ([forename], None) => found.push(vec![forename.clone()]),
            ([surname, forename], _) => found.push(vec![forename.clone(), surname.clone()]),
            _ => {}
        }
    }
    found.push(name);
    found
}

/// What a sole trader's relatives are called.
const RELATIVES: &[&str] =
    &["HUSBAND", "WIFE", "SPOUSE", "MUM", "DAD", "MOTHER", "FATHER", "DAUGHTER", "SON", "FIANCE", "FIANCEE"];

/// Relatives by the surname of an owner: "Steve is her husband", "her husband Steve".
fn relatives(context: &str, owners: &BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    let surnames: Vec<&String> = owners.iter().filter(|name| name.len() >= 2).filter_map(|name| name.last()).collect();
    let words: Vec<&str> = context.split_whitespace().map(bare).collect();
    let mut found = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| RELATIVES.contains(&fold(word).as_str())) {
        let is_whose =
            |word: Option<&&str>| word.is_some_and(|word| matches!(fold(word).as_str(), "HER" | "HIS" | "MY"));
        if !is_whose(at.checked_sub(1).and_then(|before| words.get(before))) {
            continue;
        }
        let is_verb = |word: Option<&&str>| word.is_some_and(|word| matches!(*word, "is" | "are"));
        let before = at.checked_sub(3).filter(|before| is_verb(words.get(before + 1)));
        for name in [before, Some(at + 1)].into_iter().flatten().filter_map(|place| words.get(place)) {
            if name.chars().next().is_some_and(char::is_uppercase) && is_forename(&fold(name)) {
                found.extend(surnames.iter().map(|surname| vec![fold(name), (*surname).clone()]));
            }
        }
    }
    found
}

/// A sentence of the context.
struct Sentence<'s> {
    words: Vec<&'s str>,
    /// The context begins with it.
    is_first: bool,
    lists: &'s WordLists,
}

impl Sentence<'_> {
    fn add_owners(&self, names: &mut BTreeSet<Vec<String>>) {
        let mut at = 0;
        let mut since_role = usize::MAX;
        while let Some(word) = self.words.get(at) {
            if self.lists.owner_role.has(&bare(word).to_lowercase())
                && !(bare(word) == "Dr" && self.is_about_associates())
            {
                // An "owner driver" has a trade; no name follows.
                let next = self.words.get(at + 1).map(|next| next.to_lowercase());
                let drives = next.as_ref().is_some_and(|next| next.starts_with("driver"));
                // "Me plus two stylists": who follows is somebody else.
                let is_alone = matches!(next.as_deref(), Some("plus" | "with")) && word.to_lowercase() == "me";
                // A choir's musical director owns nothing.
                let before =
                    at.checked_sub(1).and_then(|before| self.words.get(before)).map(|word| word.to_lowercase());
                let is_office = matches!(
                    before.as_deref(),
                    Some("musical" | "artistic" | "funeral" | "medical" | "associate" | "locum")
                );
                // "She rents a table and pays me, and Ada works for me": nobody is named by it.
                let is_object = bare(word).to_lowercase() == "me"
                    && matches!(
                        before.as_deref(),
                        Some("pays" | "paid" | "invoices" | "bills" | "helps" | "for" | "to" | "with")
                    );
                // "Myself, Luke full time and Mia on Saturdays": the others are not the owner.
                let is_listed = bare(word).to_lowercase() == "myself" && word.ends_with(',');
                since_role = if drives || is_alone || is_office || is_object || is_listed { usize::MAX } else { 0 };
                at += 1;
                continue;
            }
            // "The directors are A and B, and two employees, C and D", "sole trader, one lad (C) on the payroll".
            if matches!(bare(word).to_lowercase().as_str(), "employees" | "employee" | "lad" | "lads" | "apprentice") {
                since_role = usize::MAX;
                at += 1;
                continue;
            }
            if (since_role <= ROLE_REACH || self.is_named_role(at)) && self.is_name(word) && !self.is_place(at) {
                let (name, end) = self.name(at);
                if name.len() <= NAME_WORDS_MAX && !self.is_paid_wages(end) {
                    names.insert(name);
                }
                since_role = 1;
                at = end;
                continue;
            }
            since_role = since_role.saturating_add(1);
            at += 1;
        }
    }

    /// Whether the words behind a name say that its bearer has wages: "me and Ada Example who is on PAYE".
    fn is_paid_wages(&self, end: usize) -> bool {
        let behind: Vec<String> = self.words.iter().skip(end).take(5).map(|word| bare(word).to_lowercase()).collect();
        let is_wage = |word: &String| matches!(word.as_str(), "paye" | "payroll" | "wages");
        matches!(behind.first().map(String::as_str), Some("who" | "who's")) && behind.iter().any(is_wage)
    }

    /// Whether it is about doctors who work in somebody else's practice.
    fn is_about_associates(&self) -> bool {
        let is_word = |word: &&str| {
            matches!(
                bare(word).to_lowercase().as_str(),
                "self-employed" | "associate" | "associates" | "locum" | "locums" | "salaried" | "employed"
            )
        };
        self.words.iter().any(is_word)
    }

    fn is_name(&self, word: &str) -> bool {
        let bare = bare(word);
        bare.chars().next().is_some_and(char::is_uppercase)
            && !self.lists.no_name.has(bare)
            && bare.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '\u{2019}'))
    }

    fn is_name_at(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.is_name(word))
    }

    /// Whether a name begins here that is followed by a role: "Ray Staniforth is the only director."
    fn is_named_role(&self, at: usize) -> bool {
        let names_from = |at: usize| self.words.iter().skip(at).take_while(|word| self.is_name(word)).count();
        let names = names_from(at);
        // "Ada and Owen Quillan are the directors": of both.
        let is_joined = self.words.get(at + names).is_some_and(|word| matches!(*word, "&" | "and" | "+"));
        let end = if names == 1 && is_joined && names_from(at + 2) == 2 { at + 4 } else { at + names };
        let behind: Vec<String> = self.words.iter().skip(end).take(5).map(|word| bare(word).to_lowercase()).collect();
        // "Ruth Example trades as Twine": whoever trades under another name is its owner. No comma parts the two words of a name.
        let trades = behind.first().is_some_and(|verb| verb == "trades" || verb == "trading");
        if trades
            && behind.get(1).is_some_and(|word| word == "as")
            && (2..=NAME_WORDS_MAX).contains(&names)
            && self.words.get(at).is_some_and(|word| *word == bare(word))
        {
            return true;
        }
        // "Ruth Example is a florist in Leith, a sole trader": whoever a sentence begins with is what it says.
        let is_subject =
            at == 0 && (2..=NAME_WORDS_MAX).contains(&names) && behind.first().is_some_and(|verb| verb == "is");
        let words = || self.words.iter().map(|word| bare(word).to_lowercase());
        if is_subject && words().zip(words().skip(1)).any(|pair| pair == ("sole".to_owned(), "trader".to_owned())) {
            return true;
        }
        // "Ruth Example is a self-employed florist": so is whoever the context begins with.
        let works_alone = |word: &String| matches!(word.as_str(), "self-employed" | "freelance" | "self" | "sole");
        if self.is_first && is_subject && behind.iter().skip(1).take(2).any(works_alone) {
            return true;
        }
        // "Dean Example, director", "Dean Example the MD", "Dean Example = director".
        const TITLES: &[&str] =
            &["director", "directors", "md", "owner", "owners", "partner", "partners", "proprietor", "boss"];
        let is_title = |at: usize| behind.get(at).is_some_and(|word| TITLES.contains(&word.as_str()));
        let last = self.words.get(end.saturating_sub(1)).copied().unwrap_or_default();
        let is_equal = self.words.get(end).is_some_and(|word| *word == "=");
        let is_the = behind.first().is_some_and(|word| word == "the");
        // "Robin Example, sole trader".
        let is_sole = self.is_first && behind.iter().take(2).eq(["sole", "trader"]);
        // "Gaz Example, mobile mechanic": whoever the context begins with.
        let is_forename = self.words.get(at).is_some_and(|word| is_forename(&fold(word)));
        if self.is_first && at == 0 && names == 2 && last.ends_with(',') && is_forename {
            return true;
        }
        let is_whole = is_joined && names == 1 && end > at + names || (2..=NAME_WORDS_MAX).contains(&names);
        if is_whole && (last.ends_with(',') && (is_title(0) || is_sole) || (is_equal || is_the) && is_title(1)) {
            return true;
        }
        // Who "runs the office" works there.
        const PLACES: &[&str] = &["accounts", "bar", "books", "counter", "desk", "kitchen", "office", "reception"];
        let is_of_place = behind.get(1).is_some_and(|word| word == "the")
            && behind.get(2).is_some_and(|place| PLACES.contains(&place.as_str()));
        !is_of_place
            && (1..=NAME_WORDS_MAX).contains(&names)
            && behind.first().is_some_and(|verb| self.lists.owner_verb.has(verb))
            && behind.iter().any(|word| self.lists.owner_title.has(word))
    }

    /// Whether the word before says that this is a place.
    fn is_place(&self, at: usize) -> bool {
        let word = |back: usize| at.checked_sub(back).and_then(|at| self.words.get(at)).map(|word| word.to_lowercase());
        // "A partnership of Ada and Owen Example".
        let is_of_partners = word(1).as_deref() == Some("of") && word(2).as_deref() == Some("partnership");
        !is_of_partners && word(1).is_some_and(|before| self.lists.before_place.has(&before))
    }

    /// The name that begins here, and where the words behind it begin.
    fn name(&self, start: usize) -> (Vec<String>, usize) {
        let mut name = Vec::new();
        let mut at = start;
        while let Some(word) = self.words.get(at).filter(|word| self.is_name(word)) {
            name.extend(fold(word).split(' ').map(str::to_owned));
            at += 1;
            if word.ends_with([',', ')', ':']) {
                break;
            }
        }
        // "Tony & Sue Mallett", "Jock and Eilidh Geddes": the surname is both of theirs.
        if name.len() == 1
            && self.words.get(at).is_some_and(|word| matches!(*word, "&" | "and" | "+"))
            && self.is_name_at(at + 1)
            && let Some(surname) = self.words.get(at + 2).filter(|word| self.is_name(word))
        {
            name.push(fold(surname));
        }
        (name, at)
    }
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether an account may carry the name of an owner.
fn is_owners_account(account: &Account<'_>, lists: &WordLists) -> bool {
    let name = fold(&account.name);
    matches!(account.kind, AccountType::Equity | AccountType::Liability)
        && lists.owners_account.iter().any(|word| has_phrase(&name, word))
}

/// Whose account it is: "Gethin's drawings".
fn possessor(account: &Account<'_>, lists: &WordLists) -> Option<Vec<String>> {
    if !is_owners_account(account, lists) {
        return None;
    }
    let first = account.name.split_whitespace().next()?;
    let name = first.strip_suffix("'s").or_else(|| first.strip_suffix("\u{2019}s"))?;
    let is_name = name.chars().next().is_some_and(char::is_uppercase)
        && !matches!(name, "Director" | "Owner" | "Partner" | "Proprietor");
    is_name.then(|| vec![fold(name)])
}

/// The name behind the dash or in brackets: "Directors loan - J Example".
fn named_behind(account: &Account<'_>, lists: &WordLists) -> Option<Vec<String>> {
    if !is_owners_account(account, lists) {
        return None;
    }
    let tail =
        account.name.rsplit(['-', '\u{2013}', '(', ':']).next().filter(|tail| tail.len() < account.name.len())?;
    let words: Vec<String> = fold(tail).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let is_plain = |word: &String| lists.owners_account_plain.has(word) || word.chars().any(|c| c.is_ascii_digit());
    // The letters of an *A/C* are the initials of names as well.
    let is_initial = words.len() >= 2 && words.first().is_some_and(|first| first.chars().count() == 1);
    let names = words.get(usize::from(is_initial && words.get(1).is_none_or(|next| next != "C"))..).unwrap_or_default();
    let is_couple = words.len() == 4 && words.get(1).is_some_and(|word| word == "AND");
    let is_name = (1..=NAME_WORDS_MAX).contains(&words.len()) || is_couple;
    (is_name && !names.iter().any(is_plain)).then_some(words)
}

/// Each of two people with one surname: "Capital - E and F Example".
fn each_of(name: Vec<String>) -> Vec<Vec<String>> {
    match name.as_slice() {
        [first, and, second, surname] if and == "AND" => {
            vec![vec![first.clone(), surname.clone()], vec![second.clone(), surname.clone()]]
        }
        _ => vec![name],
    }
}

/// The name before the dash: "Mrs K Example - drawings", "Ray - own tax".
fn named_before(account: &Account<'_>, lists: &WordLists) -> Option<Vec<String>> {
    const TITLES: &[&str] = &["MR", "MRS", "MS", "MISS", "DR"];
    let (head, tail) = account.name.split_once(" - ")?;
    let tail = fold(tail);
    let is_drawn = tail.split(' ').any(|word| matches!(word, "DRAWINGS" | "CAPITAL" | "DRAWN"));
    if account.kind != AccountType::Equity || !is_drawn {
        return None;
    }
    let is_capital = head.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
    let words: Vec<String> = fold(head).split(' ').map(str::to_owned).collect();
    let names: Vec<String> = words.into_iter().filter(|word| !TITLES.contains(&word.as_str())).collect();
    let is_plain = |word: &String| {
        lists.owners_account_plain.has(word)
            || lists.owners_account.has(word)
            || matches!(word.as_str(), "PARTNER" | "PARTNERS" | "OWNER" | "OWNERS" | "PROPRIETOR")
            || !word.chars().all(char::is_alphabetic)
    };
    let last = names.last()?;
    let is_name = last.chars().count() >= 3 && (1..=NAME_WORDS_MAX).contains(&names.len());
    (is_capital && is_name && !names.iter().skip(usize::from(names.len() > 1)).any(is_plain)).then_some(names)
}

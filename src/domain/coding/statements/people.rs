//! What the context states that people are paid but wages, by name: "Wayne Example gets dividends", "S EXAMPLE: DLA", "Wife K EXAMPLE
//! housekeeping", "D. Example is self-employed".

use crate::domain::coding::person::{is_forename, is_person};
use crate::domain::coding::text::{fold, sentences};

/// What a person is paid, other than wages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// Dividends of shareholders.
    Dividends,
    /// What a director takes on the loan account.
    Loan,
    /// What the household of the owner lives on.
    Drawings,
    /// What people who work for themselves charge.
    SelfEmployed,
}

/// People and what they are paid.
#[derive(Debug, Default)]
pub struct People {
    list: Vec<Person>,
}

#[derive(Debug)]
struct Person {
    /// Or its first letter; none where the context gives the surname alone.
    forename: Option<String>,
    /// None where the context gives the forename alone.
    surname: Option<String>,
    paid: Paid,
}

/// Words of lines to a person that say what else is paid.
const REMARKS: &[&str] = &[
    "BONUS",
    "EXP",
    "EXPENSE",
    "EXPENSES",
    "EXPS",
    "FEE",
    "FEES",
    "INV",
    "INVOICE",
    "LOAN",
    "MILEAGE",
    "NET",
    "PAY",
    "PAYE",
    "REIMB",
    "REIMBURSE",
    "RENT",
    "SAL",
    "SALARY",
    "WAGE",
    "WAGES",
];

/// Words of lines with which owners pay themselves.
const OWN: &[&str] = &["DRAWINGS", "OWN", "PERSONAL", "PRIVATE"];

/// Words of a line to a person at most, what the bank prints among them.
const LINE_WORDS_MAX: usize = 5;
/// The same to one who works.
const WORK_WORDS_MAX: usize = 8;
/// Words from a name to what it is said to be.
const SELF_REACH: usize = 5;
/// Words from one name to the next of a list.
const JOINED_REACH: usize = 5;

/// What people are called who work as subcontractors.
const SUBCONTRACTORS: &[&str] = &["SUBBIE", "SUBBIES", "SUBCONTRACTOR", "SUBCONTRACTORS"];

impl People {
    /// Reads a context.
    pub fn read(context: &str) -> Self {
        let mut people = Self::default();
        for sentence in sentences(context) {
            let raw: Vec<&str> = sentence.split_whitespace().collect();
            let named = names(&raw);
            let mut found: Vec<Option<Paid>> = Vec::new();
            for (turn, (place, ..)) in named.iter().enumerate() {
                let until = named.get(turn + 1).map_or(raw.len(), |(next, ..)| *next);
                // "Ben and Lou Example": of both.
                let until = if until <= place + 2 { raw.len() } else { until };
                let said = raw.get(place + 1..until).unwrap_or_default();
                // The word before the forename.
                let before = place.checked_sub(2).and_then(|at| raw.get(at)).map_or(String::new(), |word| fold(word));
                found.push(said_paid(said, &before));
            }
            // "A and B are self-employed": of both.
            for turn in (1..found.len()).rev() {
                let is_near = matches!((named.get(turn - 1), named.get(turn)), (Some((one, ..)), Some((next, ..))) if next - one <= JOINED_REACH);
                let next = found.get(turn).copied().flatten().filter(|paid| is_near && *paid == Paid::SelfEmployed);
                if let Some(one) = found.get_mut(turn - 1) {
                    *one = one.or(next);
                }
            }
            // "Two self-employed lads, A and B": of those behind as well, up to a verb.
            let behind = self_employed_behind(&raw);
            for ((place, ..), paid) in named.iter().zip(&mut found) {
                let is_behind = behind.as_ref().is_some_and(|behind| behind.contains(place));
                *paid = paid.or(Some(Paid::SelfEmployed).filter(|_| is_behind));
            }
            let named = named.into_iter().zip(found);
            people.list.extend(named.filter_map(|((_, forename, surname), paid)| {
                Some(Person { forename: Some(forename), surname: Some(surname), paid: paid? })
            }));
            people.list.extend(self_employed_by_forename(&raw));
            people.list.extend(subcontractors_by_surname(&raw));
        }
        people
    }

    /// What a line pays to one of them, where it says nothing else.
    pub fn paid(&self, text: &str) -> Option<Paid> {
        if self.list.is_empty() {
            return None;
        }
        let words: Vec<&str> = text.split(' ').collect();
        let is_forename_of = |forename: &str, word: &&str| {
            *word == forename
                || word.chars().count() == 1 && forename.starts_with(*word)
                || forename.chars().count() == 1 && word.starts_with(forename)
        };
        let is_word = |word: &&str| word.chars().count() >= 3 && word.chars().all(char::is_alphabetic);
        let place = |surname: &String| words.iter().position(|word| word == surname);
        let is_meant = |person: &&Person| match (person.forename.as_deref(), &person.surname) {
            // Whose surname is not known is paid by forename and surname.
            (Some(forename), None) => words.first() == Some(&forename) && words.get(1).is_some_and(is_word),
            (None, Some(surname)) => place(surname) == Some(1) && is_person(text),
            // Who works begins the line, perhaps behind a title.
            (Some(forename), Some(surname)) => {
                place(surname).filter(|at| person.paid != Paid::SelfEmployed || *at <= 2).is_some_and(|at| {
                    let beside = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten();
                    beside.filter_map(|place| words.get(place)).any(|word| is_forename_of(forename, word))
                })
            }
            (None, None) => false,
        };
        let mut found = self.list.iter().filter(is_meant).map(|person| person.paid);
        let first = found.next().filter(|first| found.all(|other| other == *first))?;
        let has = |remarks: &[&str]| words.iter().any(|word| remarks.contains(word));
        let says_else = if first == Paid::SelfEmployed {
            words.len() > WORK_WORDS_MAX
        } else {
            words.len() > LINE_WORDS_MAX || has(REMARKS)
        };
        (!says_else && !has(OWN)).then_some(first)
    }
}

/// The places of a list of names behind people who are called self-employed: "two self-employed lads, Dean Example and …".
fn self_employed_behind(raw: &[&str]) -> Option<std::ops::Range<usize>> {
    let is_called = |word: &&str| matches!(fold(word).as_str(), "SELF EMPLOYED");
    let noun = raw.iter().position(is_called)? + 1;
    let begins = raw.get(noun).filter(|word| word.ends_with("s,") || word.ends_with("s:"));
    let list = begins.map(|_| noun + 1)?;
    let is_of_list = |word: &&&str| word.starts_with(char::is_uppercase) || matches!(**word, "and" | "&");
    Some(list..list + raw.get(list..)?.iter().take_while(is_of_list).count())
}

/// Those whom a sentence calls self-employed by their forenames: "Ceri, Tom and Anouk are self employed teachers".
fn self_employed_by_forename(raw: &[&str]) -> Vec<Person> {
    let folded: Vec<String> = raw.iter().map(|word| fold(word)).collect();
    let Some(said) = folded
        .windows(2)
        .position(|pair| matches!(pair, [one, next] if one == "SELF" && next == "EMPLOYED"))
        .or_else(|| folded.iter().position(|word| matches!(word.as_str(), "SELF EMPLOYED" | "FREELANCE")))
    else {
        return Vec::new();
    };
    let is_capital = |at: usize| raw.get(at).is_some_and(|word| word.starts_with(char::is_uppercase));
    let ends = |at: usize| raw.get(at).is_some_and(|word| word.ends_with([',', '.', ';', ')']));
    let is_alone = |at: &usize| {
        let is_name = is_capital(*at) && folded.get(*at).is_some_and(|word| is_forename(word));
        is_name && (ends(*at) || !is_capital(at + 1)) && (*at == 0 || ends(at - 1) || !is_capital(at - 1))
    };
    // From the last name back to the first of its list.
    let mut at = said;
    let mut names = Vec::new();
    while let Some(name) = (at.saturating_sub(if names.is_empty() { SELF_REACH } else { 2 })..at).rev().find(is_alone) {
        names.extend(folded.get(name).cloned());
        at = name;
    }
    let person = |forename| Person { forename: Some(forename), surname: None, paid: Paid::SelfEmployed };
    let is_denied = folded.get(at..said).unwrap_or_default().iter().any(|word| matches!(word.as_str(), "NOT" | "NO"));
    if is_denied { Vec::new() } else { names.into_iter().map(person).collect() }
}

/// Those whom a sentence calls subcontractors by their surnames: "Subbies Stobbs, Armstrong and Lisle do labour only".
fn subcontractors_by_surname(raw: &[&str]) -> Vec<Person> {
    let is_role = |word: &&str| SUBCONTRACTORS.contains(&fold(word).as_str());
    let Some(role) = raw.iter().position(is_role) else { return Vec::new() };
    // "Hodgson and Beattie are subbies": a sentence that begins with them.
    let is_said = role >= 2 && raw.get(role - 1) == Some(&"are");
    let raw = if is_said { raw.get(..role - 1).unwrap_or_default() } else { raw.get(role + 1..).unwrap_or_default() };
    let is_surname = |word: &str| {
        let letters = word.trim_end_matches(',');
        let is_word = letters.chars().count() >= 3 && letters.chars().all(char::is_alphabetic);
        is_word && letters.starts_with(char::is_uppercase) && !is_forename(&fold(letters))
    };
    let mut found = Vec::new();
    let mut ends_list = true;
    for word in raw {
        if matches!(*word, "and" | "&") {
            ends_list = true;
        } else if is_surname(word) && ends_list {
            found.push(Person { forename: None, surname: Some(fold(word)), paid: Paid::SelfEmployed });
            ends_list = word.ends_with(',');
        } else {
            // Two names beside each other are a forename and a surname.
            if is_surname(word) {
                found.pop();
            }
            break;
        }
    }
    found
}

/// People of a sentence: where the surname stands, forename and surname.
fn names(raw: &[&str]) -> Vec<(usize, String, String)> {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let bare = |word: &str| fold(word.trim_end_matches("'s").trim_end_matches("\u{2019}s"));
    let is_initial = |word: &str| word.chars().count() == 1 && word != "I" && word != "A";
    let mut found = Vec::new();
    for (at, pair) in raw.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let (forename, surname) = (bare(first), bare(second));
        let is_surname = is_capital(second)
            && surname.chars().count() >= 3
            && surname.chars().all(char::is_alphabetic)
            && !is_forename(&surname);
        // "A Example" only where the surname is in capitals too, as banks print it.
        let is_printed = second.chars().all(|sign| !sign.is_lowercase());
        let is_first = is_capital(first)
            && !first.ends_with([',', ':', ';'])
            && (is_forename(&forename) || is_initial(&forename) || forename == "A" && is_printed);
        // "Xanthe Example and Joe Sample", where only the second forename is known.
        let is_joined_first = is_capital(first)
            && is_surname
            && forename.chars().count() >= 3
            && forename.chars().all(char::is_alphabetic)
            && !first.ends_with([',', ':', ';', '.'])
            && raw.get(at + 2).is_some_and(|word| matches!(*word, "and" | "&" | "+"))
            && raw.get(at + 3).is_some_and(|word| is_capital(word) && is_forename(&bare(word)))
            && raw.get(at + 4).is_some_and(|word| is_capital(word) && !is_forename(&bare(word)));
        if is_surname && (is_first || is_joined_first) {
            // "Ben and Lou Example".
            let before = at.checked_sub(2).and_then(|at| raw.get(at)).map(|word| bare(word));
            let is_joined =
                at.checked_sub(1).and_then(|at| raw.get(at)).is_some_and(|word| matches!(*word, "and" | "&" | "+"));
            if let Some(other) = before.filter(|other| is_joined && is_forename(other)) {
                found.push((at + 1, other, surname.clone()));
            }
            found.push((at + 1, forename, surname));
        }
    }
    found
}

/// What the words behind a name say that its bearer is paid but wages; `before` is the word before the name.
fn said_paid(said: &[&str], before: &str) -> Option<Paid> {
    let words: Vec<String> =
        said.iter().flat_map(|raw| fold(raw).split(' ').map(str::to_owned).collect::<Vec<_>>()).collect();
    let is = |at: usize, wanted: &[&str]| words.get(at).is_some_and(|word| wanted.contains(&word.as_str()));
    let place = |wanted: &[&str]| (0..words.len()).find(|at| is(*at, wanted));
    let denied = |at: usize| {
        (1..=3).any(|back| at.checked_sub(back).is_some_and(|at| is(at, &["NO", "NOT", "NEVER", "WITHOUT"])))
    };
    // "Labour only", "CIS subbies".
    let works_alone = |at: usize| {
        is(at, &["SELF"]) && is(at + 1, &["EMPLOYED"])
            || is(at, &["LABOUR"]) && is(at + 1, &["ONLY"])
            || is(at, SUBCONTRACTORS) && at.checked_sub(1).is_some_and(|at| is(at, &["A", "ARE", "AS", "CIS", "IS"]))
    };
    let is_self = (0..words.len()).find(|at| works_alone(*at));
    if is_self.is_some_and(|at| !denied(at) && at <= SELF_REACH) {
        return Some(Paid::SelfEmployed);
    }
    let pay = place(&["SALARY", "WAGE", "WAGES", "PAYROLL", "PAID", "FREELANCE", "INVOICES"]).filter(|at| !denied(*at));
    let is_rest = place(&["OTHER", "ELSE", "BLANK", "REST", "EXTRA", "ANYTHING"]).is_some();
    let is_of_some =
        place(&["MARKED", "REF", "REFERENCE", "REFERENCED", "SAY", "SAYS", "SAYING", "UNLESS", "WHEN", "WITH"])
            .is_some();
    if (pay.is_some() || is_of_some) && !is_rest {
        return None;
    }
    let dividends = place(&["DIVIDEND", "DIVIDENDS", "DIV", "DIVS"]).filter(|at| !denied(*at));
    let loan = (0..words.len()).find(|at| {
        is(*at, &["DLA"])
            || is(*at, &["LOAN"]) && (is(at.wrapping_sub(1), &["DIRECTOR", "DIRECTORS"]) || is(at + 1, &["ACCOUNT"]))
    });
    let is_home = place(&["HOUSEKEEPING"]).is_some()
        || (0..words.len()).any(|at| is(at, &["HOME"]) && is(at + 1, &["MONEY"]))
        || matches!(before, "WIFE" | "HUSBAND" | "MISSUS") && place(&["DRAWINGS"]).is_some();
    match (dividends, loan) {
        (Some(dividends), Some(loan)) => Some(if dividends < loan { Paid::Dividends } else { Paid::Loan }),
        (Some(_), None) => Some(Paid::Dividends),
        (None, Some(_)) => Some(Paid::Loan),
        (None, None) => is_home.then_some(Paid::Drawings),
    }
}

#[cfg(test)]
mod tests {
    use super::{Paid, People};

    #[test]
    fn people_are_paid_what_the_context_says() {
        let context = "Skips. Donna Crabb also (salary). Wayne Crabb gets dividends. Joanna Fell: DLA. Ben and Lucy Cray - dividends only, \
                       no salary. Wife K SPRY £400 pm housekeeping. My wife Mary Hart is drawings. Money I send to Anna Demir is home money. Ruth Sibley is on the payroll, \
                       no dividends. Imogen Ware: net salary clears Salary Control, other sums are dividends";
        let people = People::read(context);
        for (text, paid) in [
            ("W CRABB", Some(Paid::Dividends)),
            ("CRABB WAYNE FPO", Some(Paid::Dividends)),
            ("D CRABB", None),
            ("W CRABB SALARY", None),
            ("JOANNA FELL", Some(Paid::Loan)),
            ("B CRAY", Some(Paid::Dividends)),
            ("L CRAY", Some(Paid::Dividends)),
            ("K SPRY", Some(Paid::Drawings)),
            ("M HART", Some(Paid::Drawings)),
            ("ANNA DEMIR", Some(Paid::Drawings)),
            ("RUTH SIBLEY", None),
            ("IMOGEN WARE", Some(Paid::Dividends)),
            ("FELL SIDE FARM SHOP", None),
        ] {
            assert_eq!(people.paid(text), paid, "{text}");
        }
        let working = People::read(
            "A boatyard. Shipwright C. Bolitho and welder D. Rowe are self-employed, not VAT registered. Ada Quill is not self-employed. \
             Baristas Mina Kaur and Joe Stott are self-employed, not VAT reg.",
        );
        for (text, paid) in [
            ("D ROWE WELDING WK37", Some(Paid::SelfEmployed)),
            ("C BOLITHO", Some(Paid::SelfEmployed)),
            ("D ROWE PERSONAL", None),
            ("ADA QUILL", None),
            ("MINA KAUR SHIFTS W E JUN", Some(Paid::SelfEmployed)),
        ] {
            assert_eq!(working.paid(text), paid, "{text}");
        }
        let lads = People::read(
            "Fencing. We use two self-employed lads, Dean Hadley and Marek Wojcik. Hodgson and Beattie are subbies. Danny Pickersgill and R \
             Mistry work for me as CIS subbies. Darren Hulme does our roof work, labour only. One lad (Dave Kettle) on PAYE, subbies on CIS. \
             Mick Stansfield is the self-employed groundsman, Lucy Sutcliffe serves behind the bar.",
        );
        for (text, paid) in [
            ("D HADLEY WE 04", Some(Paid::SelfEmployed)),
            ("M WOJCIK WK ENDING", Some(Paid::SelfEmployed)),
            ("M BEATTIE FENCING WK36", Some(Paid::SelfEmployed)),
            ("R MISTRY FENCING", Some(Paid::SelfEmployed)),
            ("D HULME ROOFING WK36", Some(Paid::SelfEmployed)),
            ("CSCS CARD RENEWAL T HADLEY D", None),
            ("D KETTLE WAGES WK9", None),
            ("LUCY SUTCLIFFE BAR SHIFTS", None),
        ] {
            assert_eq!(lads.paid(text), paid, "{text}");
        }
        assert_eq!(People::read("").paid("W CRABB"), None);
    }
}

//! Whom the business employs: the people that the context names beside pay.

use std::collections::BTreeSet;

use super::has_phrase;
use crate::domain::coding::knowledge::WordLists;
use crate::domain::coding::person::{is_forename, is_person};
use crate::domain::coding::text::{fold, sentences};

/// Words of people who work for themselves, whatever else a clause says of them.
const SELF_EMPLOYED: &[&str] =
    &["SELF", "FREELANCE", "BILLS", "SUBBIES", "SUBBY", "SUBCONTRACTOR", "SUBCONTRACTORS", "INVOICES"];

/// Words of people who are employed.
const EMPLOYED: &[&str] = &[
    "PAYROLL",
    "WAGES",
    "SALARY",
    "EMPLOYEE",
    "EMPLOYEES",
    "EMPLOYED",
    "EMPLOYS",
    "APPRENTICE",
    "APPRENTICES",
    "STAFF",
    "PAYE",
];

/// Words with which a clause says something of its own, so that it is not about the pay that its sentence speaks of.
const OF_ITS_OWN: &[&str] = &["IS", "ARE", "WHO", "USE", "USES", "DOES", "FOR", "FROM"];

/// What employees are called by what they do; whoever is called so works for the business where the context speaks of pay.
const ROLES: &[&str] = &[
    "MECHANIC",
    "MECHANICS",
    "MANAGER",
    "MANAGERS",
    "DEPUTY",
    "ASSISTANT",
    "ASSISTANTS",
    "APPRENTICES",
    "DRIVER",
    "DRIVERS",
    "CHEF",
    "COOK",
    "STYLIST",
    "STYLISTS",
    "RECEPTIONIST",
    "RECEPTIONISTS",
    "ADMINISTRATOR",
    "CARETAKER",
    "GROUNDSMAN",
    "NURSE",
    "NURSES",
    "LABOURER",
    "LABOURERS",
    "WARDEN",
    "BARISTA",
    "BARISTAS",
    "SUPERVISOR",
    "SUPERVISORS",
    "FOREMAN",
    "PRACTITIONER",
    "PRACTITIONERS",
    "BREWER",
    "BARMAN",
    "BARMAID",
    "BARTENDER",
    "HERDSMAN",
    "HOUSEKEEPER",
    "GARDENER",
    "BAKER",
    "FITTER",
    "FITTERS",
    "SATURDAYS",
    "WEEKENDS",
    "LEADER",
    "LEADERS",
    "CLERK",
    "HYGIENIST",
    "TECHNICIAN",
];

/// Folded names of employees, each as its words, without the owners.
pub(super) fn staff(context: &str, owners: &[Vec<String>], lists: &WordLists) -> Vec<Vec<String>> {
    let mut names: BTreeSet<Vec<String>> = BTreeSet::new();
    let speaks_of_pay = |text: &str| {
        let folded = fold(text).replace("SELF EMPLOYED", "SELF").replace("SUB CONTRACTOR", "SUBCONTRACTOR");
        lists.staff_context.iter().any(|phrase| has_phrase(&folded, phrase))
    };
    let employs = speaks_of_pay(context);
    for sentence in sentences(context) {
        let names_roles = |text: &str| employs && fold(text).split(' ').any(|word| ROLES.contains(&word));
        let is_about_staff = |text: &str| speaks_of_pay(text) || names_roles(text);
        if !is_about_staff(sentence) {
            continue;
        }
        let (mut goes_on, mut is_of_others) = (false, false);
        for clause in sentence.split([',', '(', ')', ':']) {
            let folded = fold(clause).replace("SUB CONTRACTOR", "SUBCONTRACTOR");
            let says = |words: &[&str]| folded.split(' ').any(|word| words.contains(&word));
            // Whoever follows subcontractors is one of them, until employees are spoken of.
            is_of_others = says(SELF_EMPLOYED) || is_of_others && !says(EMPLOYED);
            let found = people(clause, goes_on);
            // A name that goes on with a list of employees is one whatever the sentence says of them all.
            let begins = found.first().is_some_and(|(at, _)| *at == 0);
            if is_of_others || says(OF_ITS_OWN) && !is_about_staff(clause) && !(goes_on && begins) {
                goes_on = false;
                continue;
            }
            goes_on = found.last().is_some_and(|(at, _)| at + 2 == clause.split_whitespace().count());
            // Of a son or daughter who works there no more than the forename is given.
            for only in lone_forenames(clause) {
                let surnames = owners.iter().filter(|owner| owner.len() >= 2 && owner.first() != Some(&only));
                names.extend(surnames.filter_map(|owner| Some(vec![only.clone(), owner.last()?.clone()])));
            }
            let others = found.into_iter().map(|(_, name)| name);
            names.extend(others.filter(|name| !owners.iter().any(|owner| is_same(owner, name))));
        }
    }
    names.into_iter().filter(|name| !owners.iter().any(|owner| is_same(owner, name))).collect()
}

/// Forenames of a clause that stand alone: no surname follows and none is before.
fn lone_forenames(clause: &str) -> Vec<String> {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_capital = |at: Option<usize>| {
        at.and_then(|at| words.get(at)).is_some_and(|word| word.chars().next().is_some_and(char::is_uppercase))
    };
    let alone = |(at, word): (usize, &&str)| {
        let forename = fold(word);
        let before = at.checked_sub(1).filter(|before| *before > 0);
        (is_forename(&forename) && !is_capital(before) && !is_capital(Some(at + 1))).then_some(forename)
    };
    words.iter().enumerate().filter_map(alone).collect()
}

/// Whether an owner's name, which may be no more than a surname or have an initial, can be that of a person.
fn is_same(owner: &[String], name: &[String]) -> bool {
    let (Some(surname), Some(first)) = (owner.last(), owner.first().filter(|_| owner.len() > 1)) else {
        return owner.last() == name.last();
    };
    let begins = |short: &str| {
        name.first().is_some_and(|forename| forename.starts_with(short) || short.starts_with(forename.as_str()))
    };
    Some(surname) == name.last() && begins(first)
}

/// Pairs of words that begin with capital letters and are a person's name, with where they stand; behind a person and an *and* or
/// a comma (`goes_on`) any such pair is.
fn people(clause: &str, goes_on: bool) -> Vec<(usize, Vec<String>)> {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for (at, pair) in words.windows(2).enumerate().filter(|(_, pair)| pair.iter().all(is_capital)) {
        let name: Vec<String> = pair.iter().map(|word| fold(word)).collect();
        let is_joined =
            at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| matches!(*word, "and" | "&"));
        let follows = match found.last() {
            Some((last, _)) => is_joined && last + 3 == at,
            None => goes_on && (at == 0 || at == 1 && is_joined),
        };
        if is_person(&name.join(" ")) || follows && name.iter().all(|word| word.chars().all(char::is_alphabetic)) {
            found.push((at, name));
        }
    }
    found
}

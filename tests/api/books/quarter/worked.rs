//! The journals worked by hand: reads the part of a beancount file that `journals.beancount` uses.

use std::collections::BTreeMap;

use super::super::figures::pence_of_text;

/// A journal as it must be posted.
#[derive(Debug, PartialEq, Eq)]
pub struct Worked {
    pub date: String,
    pub source_type: String,
    /// Debits less credits by account code, in pence.
    pub sides: BTreeMap<String, i64>,
}

/// What the file says.
pub struct WorkedQuarter {
    /// In the order of posting.
    pub journals: Vec<Worked>,
    /// Debits less credits at the end by account code, in pence.
    pub balances: BTreeMap<String, i64>,
}

/// Reads the file.
pub fn read(text: &str) -> WorkedQuarter {
    let mut quarter = WorkedQuarter { journals: Vec::new(), balances: BTreeMap::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split(';').next().unwrap().split_whitespace().collect();
        match words.as_slice() {
            [date, "*", source_type, ..] => quarter.journals.push(Worked {
                date: (*date).to_owned(),
                source_type: source_type.trim_matches('"').to_owned(),
                sides: BTreeMap::new(),
            }),
            [_, "balance", account, amount, ..] => {
                quarter.balances.insert(code(account), pence_of_text(amount));
            }
            [account, amount, "GBP"] if line.starts_with("  ") => {
                let journal = quarter.journals.last_mut().unwrap();
                let before = journal.sides.insert(code(account), pence_of_text(amount));
                assert_eq!(before, None, "{account} twice in one journal: {line}");
            }
            _ => {}
        }
    }
    quarter
}

fn code(account: &str) -> String {
    account.split_once(':').unwrap().1.to_owned()
}

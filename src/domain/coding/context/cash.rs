//! Where the cash comes from that is banked, as far as the context says.

use super::has_phrase;
use crate::domain::coding::text::{fold, sentences};

/// Words of cash that is paid in to a bank.
const BANKED: &[&str] = &[
    "BANK",
    "BANKED",
    "BANKING",
    "BANKINGS",
    "PAID IN",
    "PAY IN",
    "PAYING IN",
    "PAYING IT IN",
    "PAYING CASH IN",
    "PAY IT IN",
    "PAY THEM INTO",
    "LODGED",
    "POST OFFICE",
];

/// What cash counts as that was no account's before.
const SALES: &[&str] = &["TAKINGS", "SALES", "INCOME"];

/// The folded sentences that speak of banking cash.
pub fn sentences_on_banking(context: &str) -> Vec<String> {
    let speaks = |sentence: &String| BANKED.iter().any(|phrase| has_phrase(sentence, phrase));
    sentences(context).map(fold).filter(speaks).collect()
}

/// Whether one of the [`sentences_on_banking`] has the folded name of an account, and does not say that there is none: "the notes sit in the
/// Till Float account until I walk them to the bank".
pub fn is_banked_from(sentences: &[String], name: &str) -> bool {
    const DENIED: &[&str] = &["NO", "ISNT", "DONT", "NEVER", "NOT"];
    sentences.iter().any(|sentence| {
        let denies = |before: &str| before.split(' ').rev().take(3).any(|word| DENIED.contains(&word));
        let named = sentence.split_once(name).filter(|_| has_phrase(sentence, name));
        named.is_some_and(|(before, behind)| {
            let has = |text: &str| BANKED.iter().any(|phrase| has_phrase(text, phrase));
            // Petty cash is drawn for change as well.
            let is_change = name.contains("PETTY") && !has_phrase(sentence, "ALREADY");
            !is_change && !denies(before.trim_end()) && (has(before) || has(behind)) && !counts_as_sales(behind)
        })
    })
}

/// Whether words say that it is counted so, and not that it has been already.
fn counts_as_sales(behind: &str) -> bool {
    let words: Vec<&str> = behind.split(' ').collect();
    let is_as_sales =
        |words: &[&str]| matches!(words, ["AS", next @ ..] if next.iter().any(|word| SALES.contains(word)));
    words.windows(3).any(is_as_sales) && !words.contains(&"ALREADY")
}

/// Which of the [`sentences_on_banking`] says that the cash was in an account before: "cash banked comes out of the till".
pub fn banked_cash(sentences: &[String]) -> Option<&String> {
    sentences.iter().find(|sentence| says_where_cash_is_from(sentence))
}

/// Whether a sentence on banking says of the cash that it was in an account before.
fn says_where_cash_is_from(sentence: &str) -> bool {
    const CASH: &[&str] = &["CASH", "COINS", "NOTES", "FLOAT"];
    const MOVED: &[&str] = &[
        "OUT OF",
        "COMES FROM",
        "COME FROM",
        "MOVING IT FROM",
        "MOVES TO AND FROM",
        "FROM THERE",
        "FROM THE TIN",
        "IS FROM THE TILL",
        "FROM THE SAFE",
        "FROM THE FLOAT",
        "AGAINST",
        "MOVES IT",
        "A MOVE",
        "A TRANSFER",
        "TILL BANKED",
        "UNTIL BANKED",
    ];
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(sentence, phrase));
    // "…, I just count it as takings"; what has already been counted so is only moved.
    let behind = MOVED.iter().find_map(|phrase| sentence.split_once(phrase)).map_or("", |(_, behind)| behind);
    has(CASH) && has(MOVED) && !counts_as_sales(behind)
}

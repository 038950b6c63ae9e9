//! Where the cash comes from that is banked, as far as the context says.

use super::has_phrase;
use crate::domain::coding::text::{fold, sentences};

/// The folded sentence that says of cash that is banked that it was in an account before: "cash banked comes out of the till".
pub fn banked_cash(context: &str) -> Option<String> {
    sentences(context).map(fold).find(|sentence| says_where_cash_is_from(sentence))
}

/// Whether a folded sentence says of cash that is banked that it was in an account before.
fn says_where_cash_is_from(sentence: &str) -> bool {
    const CASH: &[&str] = &["CASH", "COINS", "NOTES", "FLOAT"];
    const BANKED: &[&str] =
        &["BANK", "BANKED", "BANKING", "PAID IN", "PAYING IN", "PAYING IT IN", "PAY IT IN", "PAY THEM INTO"];
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
    const SALES: &[&str] = &["TAKINGS", "SALES", "INCOME"];
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(sentence, phrase));
    // "…, I just count it as takings"; what has already been counted so is only moved.
    let behind = MOVED.iter().find_map(|phrase| sentence.split_once(phrase)).map_or("", |(_, behind)| behind);
    let words: Vec<&str> = behind.split(' ').collect();
    let is_as_sales =
        |words: &[&str]| matches!(words, ["AS", next @ ..] if next.iter().any(|word| SALES.contains(word)));
    let is_sales = words.windows(3).any(is_as_sales) && !words.contains(&"ALREADY");
    has(CASH) && has(BANKED) && has(MOVED) && !is_sales
}

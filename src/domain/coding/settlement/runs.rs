//! The letters and digits of a text as invoice numbers are made of them, and which digits are no invoice number at all:
//! dates, times, sort codes, cards, mandates, flats.

use crate::domain::coding::line::{Field, Line};

/// Letters or digits in a row, within one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run<'t> {
    pub(super) text: &'t str,
    pub(super) digits: bool,
    /// No white space parts it from the run before.
    pub(super) glued: bool,
    /// Not even a mark parts it from the run before.
    pub(super) same_word: bool,
    pub(super) field: Field,
}

/// Runs beyond these are not read; numbers stand at the start or in a reference of at most 100 characters.
const MOST_RUNS: usize = 160;

/// The runs of a line.
pub(super) fn of_line<'t>(line: &'t Line<'_>) -> Vec<Run<'t>> {
    let mut runs = Vec::new();
    for word in &line.words {
        split(line.word(word), word.glued, word.field, &mut runs);
        if runs.len() >= MOST_RUNS {
            break;
        }
    }
    runs
}

/// The runs of folded text.
pub(super) fn of_text(folded: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for word in folded.split(' ') {
        split(word, !runs.is_empty(), Field::Reference, &mut runs);
    }
    runs.truncate(MOST_RUNS);
    runs
}

fn split<'t>(word: &'t str, glued: bool, field: Field, runs: &mut Vec<Run<'t>>) {
    let mut rest = word;
    let mut first = true;
    while let Some(start) = rest.bytes().next() {
        let digits = start.is_ascii_digit();
        let end = rest.bytes().position(|byte| byte.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        runs.push(Run { text, digits, glued: glued || !first, same_word: !first, field });
        rest = after;
        first = false;
    }
}

/// Without leading zeros.
pub(super) fn stripped(digits: &str) -> &str {
    let rest = digits.trim_start_matches('0');
    if rest.is_empty() { digits.get(..1).unwrap_or("") } else { rest }
}

/// Adds a run to a key: digits without leading zeros, and a mark between numbers.
pub(super) fn push_key(key: &mut String, run: &Run<'_>) {
    if run.digits {
        if key.ends_with(|last: char| last.is_ascii_digit()) {
            key.push('-');
        }
        key.push_str(stripped(run.text));
    } else {
        key.push_str(run.text);
    }
}

/// Four digits that are as likely a year.
pub(super) fn is_year(digits: &str) -> bool {
    digits.len() == 4 && ["199", "200", "201", "202", "203"].iter().any(|decade| digits.starts_with(decade))
}

/// Digits within a number that say when it was given: a year, two digits of one, or a year and month.
pub(super) fn is_period(digits: &str) -> bool {
    let month = |text: Option<&str>| text.is_some_and(|text| ("01"..="12").contains(&text));
    match digits.len() {
        2 => ("15".."40").contains(&digits),
        4 => is_year(digits) || (("15".."40").contains(&digits.get(..2).unwrap_or("")) && month(digits.get(2..))),
        6 => is_year(digits.get(..4).unwrap_or("")) && month(digits.get(4..)),
        _ => false,
    }
}

/// Words after which somebody's invoice number follows.
pub(super) fn is_lead(word: &str) -> bool {
    matches!(
        word,
        "INV" | "INVS" | "INVOICE" | "INVOICES" | "INVNO" | "INVNOS" | "INVOICENO" | "INVREF" | "INVCE" | "INVC"
    )
}

/// Letters before a number that many people use, and that say nothing about whose it is.
pub(super) fn is_generic(letters: &str) -> bool {
    is_lead(letters)
        || matches!(
            letters,
            "" | "SI"
                | "SIN"
                | "PI"
                | "IN"
                | "I"
                | "NO"
                | "REF"
                | "BILL"
                | "CN"
                | "CR"
                | "CRN"
                | "SCN"
                | "CREDIT"
                | "NOTE"
                | "DOC"
                | "ORDER"
                | "ORD"
                | "SO"
                | "PO"
                | "ACC"
                | "AC"
                | "DD"
                | "STMT"
                | "RE"
                | "N"
                | "NUM"
                | "NUMBER"
                | "NOS"
                | "NR"
        )
}

/// Words between a lead and its number, and between the numbers of a list.
pub(super) fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "NO" | "NOS" | "NUM" | "NUMBER" | "NUMBERS" | "NR" | "REF" | "REFS" | "AND" | "PLUS" | "N" | "ID" | "NUMS"
    )
}

/// The names of months, whole and short.
pub(super) fn is_month(word: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
    ];
    word == "SEPT" || MONTHS.iter().any(|month| word == *month || month.get(..3) == Some(word))
}

/// Words whose number is not an invoice's.
fn is_numbered_thing(word: &str) -> bool {
    matches!(
        word,
        "CD" | "CARD"
            | "MANDATE"
            | "AC"
            | "ACC"
            | "ACCT"
            | "ACCOUNT"
            | "SORT"
            | "SORTCODE"
            | "FLAT"
            | "FLATS"
            | "UNIT"
            | "UNITS"
            | "PLOT"
            | "PLOTS"
            | "WK"
            | "WKS"
            | "WEEK"
            | "WEEKS"
            | "ROOM"
            | "ROOMS"
            | "TEL"
            | "PHONE"
            | "MOB"
            | "STORE"
            | "HOUSE"
            | "APT"
            | "SITE"
            | "PHASE"
            | "STAGE"
            | "SUITE"
            | "PAGE"
            | "ITEM"
            | "LESS"
            | "DAY"
            | "DAYS"
            | "HRS"
            | "CIS"
            | "AT"
            | "UTR"
            | "VAT"
            | "TABLE"
            | "LOT"
            | "BLOCK"
            | "M"
            | "TERM"
            | "CHQ"
            | "CHEQUE"
    )
}

/// Things counted: `2 ROOMS`, `15 HIGH ST`, `22 PARK VIEW`.
fn is_counted_thing(word: &str) -> bool {
    matches!(
        word,
        "OF" | "X"
            | "DAYS"
            | "DAY"
            | "HRS"
            | "HOURS"
            | "WEEKS"
            | "WKS"
            | "ITEMS"
            | "ROOMS"
            | "NIGHTS"
            | "MILES"
            | "MONTHS"
            | "PC"
            | "PERCENT"
            | "AM"
            | "PM"
            | "ST"
            | "ND"
            | "RD"
            | "TH"
            | "YD"
            | "KG"
            | "GBP"
            | "USD"
            | "EUR"
    )
}

/// True when the digits at a place are a part of a date, a time, a sort code, an address or something else that has
/// numbers of its own. With `led`, a word for invoices stands before them and only what is plainly a date counts.
pub(super) fn is_other_number(runs: &[Run<'_>], place: usize, led: bool) -> bool {
    let Some(run) = runs.get(place) else { return false };
    let before = place.checked_sub(1).and_then(|place| runs.get(place));
    let after = runs.get(place + 1);
    if run.text.len() <= 2 || is_year(run.text) {
        let month = |near: Option<&Run<'_>>| near.is_some_and(|near| !near.digits && is_month(near.text));
        let year_of_month = month(before) && (run.text.len() != 2 || run.glued || led);
        if month(after) || year_of_month || (month(before) && !led) {
            return true;
        }
    }
    if is_triple(runs, place) {
        return true;
    }
    let counted = after.is_some_and(|after| !after.digits && is_counted_thing(after.text));
    if led {
        return counted && run.text.len() <= 2;
    }
    let pair = |near: Option<&Run<'_>>| near.is_some_and(|near| near.digits && near.text.len() <= 2);
    if run.text.len() <= 2 && ((run.glued && pair(before)) || (after.is_some_and(|after| after.glued) && pair(after))) {
        return true;
    }
    let numbered = before.is_some_and(|before| {
        let account =
            before.text == "C" && before.glued && place >= 2 && runs.get(place - 2).is_some_and(|run| run.text == "A");
        let mandate =
            before.text == "NO" && place >= 2 && runs.get(place - 2).is_some_and(|run| is_numbered_thing(run.text));
        let on_account =
            before.text.starts_with("AC") && place >= 2 && runs.get(place - 2).is_some_and(|run| run.text == "ON");
        !before.digits && !on_account && (is_numbered_thing(before.text) || account || mandate)
    });
    numbered || (counted && run.text.len() <= 3)
}

/// Three numbers joined by marks, each of one, two or four digits: a date or a sort code.
fn is_triple(runs: &[Run<'_>], place: usize) -> bool {
    let short = |place: usize, glued: bool| {
        runs.get(place).is_some_and(|run| {
            run.digits && (!glued || run.glued && !run.same_word) && matches!(run.text.len(), 1 | 2 | 4)
        })
    };
    (0..3).any(|back| {
        place
            .checked_sub(back)
            .is_some_and(|start| short(start, false) && short(start + 1, true) && short(start + 2, true))
    })
}

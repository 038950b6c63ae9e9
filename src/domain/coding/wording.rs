//! What a line says once the bank's own words are taken away.
//!
//! Every bank wraps payees in its own prefixes, suffixes, dates and card numbers; banks differ, payees do not. What is
//! stripped here says how money moved and when, never what for.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::knowledge::{ConceptId, Knowledge};
use super::line::{Field, Line};
use super::person::is_person;
use super::printed;

/// How many members the draws of clubs and halls have: the numbers are part of their names.
const DRAW_SIZES: &[&str] = &["50", "100", "150", "200", "250", "300", "500"];

/// Words of a line among which the name of a payment service is looked for.
const FIRST_WORDS: usize = 3;

/// How a line was paid, where the bank tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// By card.
    Card,
    /// By direct debit.
    DirectDebit,
    /// By standing order.
    StandingOrder,
    /// By cheque.
    Cheque,
    /// Over the counter or by a machine.
    Cash,
    /// By transfer, or untold.
    Other,
}

/// The words of a line that are not the bank's.
#[derive(Debug, Clone)]
pub struct Wording {
    /// Words that mean something, with a space before the first and behind the last; the key of equal lines.
    pub padded: String,
    /// The payee as far as it can be recognised: the first words without numbers.
    pub payee: String,
    /// How it was paid.
    pub channel: Channel,
    /// What a merchant of its category sells, where the category is given and tells.
    pub category: Option<ConceptId>,
}

/// Phrases that banks put before, behind and around payees; longest first where one begins another.
const BANK_PHRASES: &[(&str, Channel)] = &[
    ("BILL PAYMENT VIA FASTER PAYMENT TO", Channel::Other),
    ("FASTER PAYMENTS RECEIPT REF", Channel::Other),
    ("FASTER PAYMENTS RECEIPT", Channel::Other),
    ("FASTER PAYMENT RECEIVED FROM", Channel::Other),
    ("FASTER PAYMENT RECEIPT", Channel::Other),
    ("FASTER PAYMENT FROM", Channel::Other),
    ("FASTER PAYMENT TO", Channel::Other),
    ("FASTER PAYMENTS", Channel::Other),
    ("FASTER PAYMENT", Channel::Other),
    ("DIRECT DEBIT PAYMENT TO", Channel::DirectDebit),
    ("DIRECT DEBIT TO", Channel::DirectDebit),
    ("DIRECT DEBIT", Channel::DirectDebit),
    ("D D", Channel::DirectDebit),
    ("STANDING ORDER TO", Channel::StandingOrder),
    ("STANDING ORDER VIA FASTER PAYMENT TO", Channel::StandingOrder),
    ("STANDING ORDER", Channel::StandingOrder),
    ("CONTACTLESS CARD PAYMENT TO", Channel::Card),
    ("CONTACTLESS PAYMENT TO", Channel::Card),
    ("CONTACTLESS PAYMENT", Channel::Card),
    ("CARD PAYMENT TO", Channel::Card),
    ("CARD PAYMENT", Channel::Card),
    ("CARD PURCHASE", Channel::Card),
    ("CARD TRANSACTION AT", Channel::Card),
    ("CARD TXN", Channel::Card),
    ("DEBIT CARD", Channel::Card),
    ("CREDIT FROM", Channel::Other),
    ("DIRECT CREDIT FROM", Channel::Other),
    ("B P TO", Channel::Other),
    ("VISA PURCHASE", Channel::Card),
    ("VISA DEBIT", Channel::Card),
    ("APPLE PAY", Channel::Card),
    ("GOOGLE PAY", Channel::Card),
    ("POINT OF SALE", Channel::Card),
    ("BANK GIRO CREDIT REF", Channel::Other),
    ("BANK GIRO CREDIT", Channel::Other),
    ("ON LINE TRANSACTION", Channel::Other),
    ("ONLINE TRANSACTION", Channel::Other),
    ("AUTOMATED CREDIT", Channel::Other),
    ("BILL PAYMENT TO", Channel::Other),
    ("BILL PAYMENT", Channel::Other),
    ("MOBILE PAYMENT TO", Channel::Other),
    ("INTERNET PAYMENT TO", Channel::Other),
    ("PAYMENT TO", Channel::Other),
    ("PAYMENT FROM", Channel::Other),
    ("MANDATE NO", Channel::Other),
    ("VIA MOBILE", Channel::Other),
    ("MOBILE ONLINE", Channel::Other),
    ("VIA ONLINE", Channel::Other),
    ("VIA APPLE PAY", Channel::Card),
    ("MOBILE PYMT", Channel::Other),
    ("CHEQUE PAID", Channel::Cheque),
    ("BY PAYPAL", Channel::Other),
];

/// Short codes of the big banks: whole words that only say how money moved.
const BANK_CODES: &[(&str, Channel)] = &[
    ("BGC", Channel::Other),
    ("FPO", Channel::Other),
    ("FPI", Channel::Other),
    ("FP", Channel::Other),
    ("FPS", Channel::Other),
    ("BACS", Channel::Other),
    ("CHAPS", Channel::Other),
    ("BBP", Channel::Other),
    ("BCC", Channel::Card),
    ("DDR", Channel::DirectDebit),
    ("STO", Channel::StandingOrder),
    ("DD", Channel::DirectDebit),
    ("SO", Channel::StandingOrder),
    ("DEB", Channel::Card),
    ("CPT", Channel::Cash),
    ("POS", Channel::Card),
    ("VIS", Channel::Card),
    ("CR", Channel::Other),
    ("DR", Channel::Other),
    ("OTT", Channel::Other),
    ("EBP", Channel::Other),
    ("IBP", Channel::Other),
    ("BAC", Channel::Other),
    ("BP", Channel::Other),
    ("ACR", Channel::Other),
    ("C/L", Channel::Card),
    ("CLP", Channel::Card),
    ("PYMT", Channel::Other),
    ("REF", Channel::Other),
    ("REFERENCE", Channel::Other),
    ("MREF", Channel::Other),
    ("CD", Channel::Card),
    ("GBP", Channel::Other),
    ("GB", Channel::Other),
    ("GBR", Channel::Other),
    ("VIA", Channel::Other),
    ("ON", Channel::Other),
];

const MONTHS: &[&str] = &[
    "JAN",
    "FEB",
    "MAR",
    "APR",
    "MAY",
    "JUN",
    "JUL",
    "AUG",
    "SEP",
    "OCT",
    "NOV",
    "DEC",
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPT",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

/// Codes that are also somebody's name; they are the bank's only at the begin of a line of a bank that uses them.
const AMBIGUOUS_CODES: &[&str] = &["BP", "CR", "DR", "SO", "ON"];

/// Words that only say which way money went, where a line begins with them.
const LEADING: &[&str] = &["TO", "FROM", "IN", "OUT", "OUTWARD", "INWARD", "RECEIVED", "SENT", "PAID"];

/// Which tax a payment to HMRC is for, recognised by the form of its reference: a PAYE accounts office reference, a unique
/// taxpayer reference with K for Self Assessment or with A00101A for Corporation Tax; or a parent's Tax-Free Childcare account, whose
/// payments to a nursery have four letters of the child's name, digits and TFC.
fn hmrc_reference(words: &[&str]) -> &'static str {
    if !words.iter().any(|word| matches!(*word, "HMRC" | "REVENUE" | "CUMBERNAULD" | "SHIPLEY")) {
        return "";
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_childcare = |word: &&str| {
        let number = word.strip_suffix("TFC").and_then(|account| account.get(4..));
        number.is_some_and(digits) && word.bytes().take(4).all(|byte| byte.is_ascii_uppercase())
    };
    if words.iter().any(is_childcare) {
        return "TFC ";
    }
    for word in words {
        if let Some((number, rest)) = word.split_at_checked(10).filter(|(number, _)| digits(number)) {
            if rest.starts_with('K') {
                return "SELF ASSESSMENT ";
            }
            if rest.len() >= 5 && rest.starts_with('A') && rest.ends_with('A') && digits(rest.trim_matches('A')) {
                return "CORPORATION TAX ";
            }
            debug_assert!(number.len() == 10);
        }
        // Banks cut references.
        if word.len() >= 8
            && word.get(3..4) == Some("P")
            && word.get(..3).is_some_and(digits)
            && word.get(5..).is_some_and(digits)
        {
            return "PAYE ";
        }
    }
    ""
}

impl Wording {
    /// Reads a line. `prefixes` says whether its bank begins lines with codes (VIS, DD, BP, CR …).
    pub fn of(line: &Line<'_>, bank_begins_with_codes: bool) -> Self {
        let mut text = format!(" {} ", line.text);
        let mut channel = Channel::Other;
        static PHRASES: OnceLock<Option<AhoCorasick>> = OnceLock::new();
        let phrases = PHRASES.get_or_init(|| {
            let padded: Vec<String> = BANK_PHRASES.iter().map(|(phrase, _)| format!(" {phrase} ")).collect();
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(padded).ok()
        });
        // What is taken away may bring the next phrase to light.
        while let Some(hit) = phrases.as_ref().and_then(|phrases| phrases.find(&text)) {
            let means = BANK_PHRASES.get(hit.pattern().as_usize()).map_or(Channel::Other, |(_, means)| *means);
            if channel == Channel::Other {
                channel = means;
            }
            text.replace_range(hit.start()..hit.end() - 1, "");
        }
        let reference_words = line.words.iter().filter(|word| word.field == Field::Reference).count();
        let total = text.split_whitespace().count();
        let mut padded = String::with_capacity(text.len() + " CORPORATION TAX ".len());
        padded.push(' ');
        let mut payee: Vec<&str> = Vec::new();
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_web = printed::is_web(&words);
        let is_card = begins_with_card(&words);
        if is_card && channel == Channel::Other {
            channel = Channel::Card;
        }
        for (at, &word) in words.iter().enumerate() {
            if is_card && at == 2 && word == "C" {
                continue;
            }
            let is_edge = at == 0 || at + 1 == total;
            if let Some((_, means)) = BANK_CODES.iter().find(|(code, _)| *code == word) {
                let next = words.get(at + 1).copied();
                let is_referees = channel != Channel::DirectDebit
                    && next.is_some_and(|next| matches!(next, "FEE" | "FEES" | "MONEY"));
                let is_code = if word == "REF" && is_referees {
                    // A referee's.
                    false
                } else if word == "ON" || word == "FP" {
                    // The energy supplier prints a full stop that is read as a space.
                    let is_supplier = at > 0 && words.get(at - 1) == Some(&"E");
                    !is_supplier && next.is_none_or(|next| is_noise(next) || MONTHS.contains(&next))
                } else if AMBIGUOUS_CODES.contains(&word) {
                    // A person is paid by bill payment; nobody of that name sells fuel.
                    at == 0 && bank_begins_with_codes
                        || word == "BP"
                            && at > 0
                            && at + 1 == total
                            && is_person(&words.get(..at).unwrap_or_default().join(" "))
                } else {
                    is_edge || word.len() >= 3 || *means == Channel::Card
                };
                if is_code {
                    if channel == Channel::Other {
                        channel = *means;
                    }
                    continue;
                }
            }
            let draw = draw(word);
            let word = draw.unwrap_or_else(|| without_number(word));
            // "34.97 GBP, RATE 1.00/GBP".
            if word == "RATE" && words.get(at + 1).is_some_and(|next| is_noise(next)) {
                continue;
            }
            // What the card network adds of how a card was used.
            if word == "INTERNET" && at > 0 && at + 1 == words.len() && channel != Channel::DirectDebit {
                continue;
            }
            let is_draw = draw.is_some() || words.get(at + 1) == Some(&"CLUB") && DRAW_SIZES.contains(&word);
            // The number is part of the name of a registrar of domains.
            let is_registrar = word == "123" && words.get(at + 1) == Some(&"REG");
            // Over the counter: "paid in at" a post office.
            let is_paid_in = |at: usize| words.get(at..at + 2) == Some(&["PAID", "IN"]);
            let is_counter = is_paid_in(at) || at.checked_sub(1).is_some_and(is_paid_in);
            let is_leading = padded.len() == 1 && LEADING.contains(&word) && !is_counter;
            if is_noise(word) && !is_draw && !is_registrar || is_leading {
                continue;
            }
            if word == "PO" && at >= 3 && is_paid_in(at - 3) && words.get(at - 1) == Some(&"AT") {
                padded.push_str("POST OFFICE ");
                continue;
            }
            // What a customer pays by such a service is the service's to the caller; what the caller pays is the payee's.
            let next = words.get(at + 1).copied();
            let description = &line.source.description;
            if at < FIRST_WORDS && line.amount <= 0 && printed::is_service(word, next, description) {
                // Behind other words only its mark tells it from a name.
                let is_first = padded.len() == 1;
                if is_first || printed::has_mark(description, word) {
                    channel = Channel::Card;
                    padded.truncate(1);
                    continue;
                }
            }
            let word = if is_web { printed::web_word(word) } else { word };
            if word.is_empty() {
                continue;
            }
            // Square's payouts are printed as one word with that of its first company.
            let word = if word == "SQUAREUP" && line.amount > 0 { "SQUARE" } else { word };
            match printed::pieces(word) {
                Some(pieces) => padded.extend(pieces.into_iter().flat_map(|piece| [piece, " "])),
                None => padded.extend([word, " "]),
            }
            let is_month = MONTHS.contains(&word);
            if payee.len() < 3
                && at < total.saturating_sub(reference_words)
                && !is_month
                && !word.chars().any(|c| c.is_ascii_digit())
            {
                payee.push(word);
            }
        }
        if let Some(whole) = printed::completion(&words, line.source.description.chars().count()) {
            padded.extend([whole, " "]);
        }
        padded.push_str(hmrc_reference(&words));
        if padded.contains(" CHEQUE ") || padded.contains(" CHQ ") {
            channel = Channel::Cheque;
        }
        padded.shrink_to_fit();
        let payee = payee.join(" ");
        let category = line.source.merchant_category_code.and_then(|code| Knowledge::get().category(code));
        Self { padded, payee, channel, category }
    }

    /// The text without the spaces around it.
    pub fn text(&self) -> &str {
        self.padded.trim()
    }
}

/// Whether a line begins as NatWest and RBS print cards: the last four digits of the card and the day, `4471 01SEP25`, and
/// behind them a `C` where it was contactless.
fn begins_with_card(words: &[&str]) -> bool {
    let [card, day, ..] = words else { return false };
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = day
        .get(..2)
        .zip(day.get(2..5))
        .zip(day.get(5..))
        .is_some_and(|((number, month), year)| digits(number, 2) && MONTHS.contains(&month) && digits(year, 2));
    digits(card, 4) && is_day
}

/// The draw of a club that a word stands for: `100C`.
fn draw(word: &str) -> Option<&'static str> {
    match word {
        "50C" | "50CLUB" => Some("50 CLUB"),
        "100C" | "100CLUB" => Some("100 CLUB"),
        "200C" | "200CLUB" => Some("200 CLUB"),
        _ => None,
    }
}

/// A word that a number is glued to: `ADS8812044710`, `PID884120`.
fn without_number(word: &str) -> &str {
    let letters = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
    let (head, tail) = word.split_at(letters);
    let is_number = tail.len() >= 4 && tail.bytes().all(|byte| byte.is_ascii_digit());
    if letters >= 3 && is_number { head } else { word }
}

/// Whether a word is a month or short for one.
pub fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// Numbers, dates, times, card and account numbers.
fn is_noise(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return false;
    }
    let letters = word.chars().count() - digits;
    // What is mostly digits is a number; O2, 3M, B2B and 4IMPRINT are names.
    letters == 0 || digits >= 3 || (digits == 2 && letters <= 3 && word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the lines of a tag begin with codes as HSBC's do.
pub fn begins_with_codes<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let (mut lines, mut coded, mut kinds) = (0_u32, 0_u32, std::collections::BTreeSet::new());
    for text in texts {
        lines += 1;
        let first = text.split(' ').next().unwrap_or("");
        if matches!(first, "VIS" | "DD" | "BP" | "CR" | "SO" | "ATM" | "TFR" | "DR" | "OBP" | "CHQ") {
            coded += 1;
            kinds.insert(first);
        }
    }
    kinds.len() >= 2 && coded * 2 >= lines
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::domain::coding::batch::Transaction;
    use crate::domain::coding::line::Tags;
    use crate::domain::date::Date;

    fn wording(description: &str, reference: Option<&str>, codes: bool) -> Wording {
        let source = Transaction {
            date: Date::numbered(20_000),
            description: Cow::from(description.to_owned()),
            amount: -1,
            merchant: None,
            reference: reference.map(|text| Cow::from(text.to_owned())),
            bank_account: None,
            merchant_category_code: None,
        };
        Wording::of(&Line::new(&source, &Tags::default()), codes)
    }

    #[test]
    fn banks_words_are_taken_away() {
        for (description, codes, expected) in [
            ("CARD PAYMENT TO BRITISH GAS BUSINESS ON 06 JUN BCC", false, "BRITISH GAS BUSINESS JUN"),
            ("DIRECT DEBIT PAYMENT TO GMC REF 7012345, MANDATE NO 0004", false, "GMC"),
            ("SHELL TRAFFORD CD 7719", false, "SHELL TRAFFORD"),
            ("BP ACME SUPPLIES", true, "ACME SUPPLIES"),
            ("BP READING WEST", false, "BP READING WEST"),
            ("VIS SCREWFIX DIRECT", true, "SCREWFIX DIRECT"),
            ("REF FEES 1ST XI", false, "REF FEES 1ST XI"),
            ("O2 UK PAY MONTHLY 07700900123", false, "O2 UK PAY MONTHLY"),
        ] {
            assert_eq!(wording(description, None, codes).text(), expected, "{description}");
        }
        let with_reference = wording("Tariq Aziz", Some("SUBCON SEP"), false);
        assert_eq!(with_reference.payee, "TARIQ AZIZ");
    }
}

//! Words of contacts and of bank lines: which are part of a name, which say how a payment was made, and how alike two are.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::runs::is_month;
use crate::domain::coding::knowledge::Knowledge;

/// Words that have something in common.
type Words = LazyLock<FxHashSet<&'static str>>;

fn words(list: &'static str) -> FxHashSet<&'static str> {
    list.split_whitespace().collect()
}

/// What firms and people are, and small words.
static LEGAL_FORMS: Words = LazyLock::new(|| {
    words(
        "AB AG AND AS BV CIC CIO CO COMPANY CORP CORPORATION CYF DECD DECEASED DR EST EXECUTORS EXOR EXORS FOR GB GMBH INC \
         LDA LIMITED LLC LLP LP LTD MESSRS MISS MR MRS MS MX NV OF OY PLC PROF PTY PVT REV SA SARL SIR SPA SRL THE UK Y YR",
    )
});

/// Words that many names share.
static COMMON: Words = LazyLock::new(|| {
    words(
        "ASSOCIATES ASSOCIATION BROS BROTHERS BUILDERS BUILDING BUSINESS CENTER CENTRE CLUB CONSTRUCTION CONSULTANCY \
         CONSULTANTS CONSULTING CONTRACTORS COUNCIL DAUGHTERS DESIGN DESIGNS DEVELOPMENTS DIRECT EAST ENTERPRISES \
         EUROPE FIRST GREEN GROUP HIRE HOLDINGS HOMES HOUSE INTERNATIONAL LONDON MANAGEMENT NEW NORTH ONE ONLINE PARK \
         PARTNERS PARTNERSHIP PRODUCTS PROPERTIES PROPERTY ROAD SALES SCHOOL SERVICE SERVICES SHOP SOCIETY SOLUTIONS \
         SON SONS SOUTH STORE STORES STREET SUPPLIES SUPPLY SYSTEMS TRADE TRADING TRUST WEST WORKS",
    )
});

/// Words about a payment.
static NOISE: Words = LazyLock::new(|| {
    words(
        "A AC ACC ACCOUNT ACCOUNTS ACCT AT BAC BACS BAL BALANCE BANK BANKING BBP BCC BGC BIB BILL BP BY C CARD CD CHAPS \
         CHARGES CHGS CHQ CIS CN CONV CR CREDIT CREDITORS DD DDR DEB DEBIT DEPOSIT DIRECT DPC DR EUR FASTER FEE FEES \
         FINAL FP FPI FPO FPS FROM FT FULL FX GB0000 GBP GBR GIRO HALF IN INTERNET INTL INV INVOICE INVOICES INVS \
         INWARD LEDGER LESS MANDATE MOBILE NO NOTE ON ONLINE ORDER OTR OUT OUTWARD PAID PART PAY PAYMENT PAYMENTS PAYMT \
         PAYPAL PMNT PMT PO POS PURCHASE PYMT PYT RE RECEIPT RECEIVED REF REFERENCE RETENTION RETN REVOLUT SDP SEPA \
         SETTLEMENT SO STAGE STANDING STATEMENT STMT STO STRIPE SUBJECT SUPPLIER SWIFT TAX TFR THANK THANKS TO TRANSFER \
         TT USD VAT VIA VIS WISE XXXX YOU",
    )
});

/// Not part of what a contact is known by.
pub(super) fn is_legal_form(word: &str) -> bool {
    LEGAL_FORMS.contains(word)
}

/// Words that many names share.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word)
}

/// Words of banks and payers about the payment, never a name's.
pub(super) fn is_noise(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) || is_month(word) || is_legal_form(word) || NOISE.contains(word)
}

/// Whether a word is the name of a town, which is that of many firms.
pub(super) fn is_town(word: &str) -> bool {
    Knowledge::get().words.town.has(word)
}

/// How alike a word of a contact and a word of a line are, in thousandths: the same, cut short, abbreviated, misspelt.
pub(super) fn likeness(contact: &str, word: &str) -> u32 {
    if contact == word {
        return 1000;
    }
    let (contact, word) = (contact.as_bytes(), word.as_bytes());
    let same_start = contact.first() == word.first();
    let numeric = |text: &[u8]| text.iter().any(u8::is_ascii_digit);
    if contact.len() < 2 || word.len() < 2 || !same_start || numeric(contact) || numeric(word) {
        return if same_start && word.len() >= 3 && contact.starts_with(word) { 700 } else { 0 };
    }
    if contact.starts_with(word) {
        return match word.len() {
            2 => 400,
            3 => 750,
            4 => 880,
            _ => 930,
        };
    }
    if contact.len() >= 4 && word.starts_with(contact) && word.len() - contact.len() <= 2 {
        return 850;
    }
    if contact.len() >= 5 && word.len() >= 5 && one_edit(contact, word) {
        return 780;
    }
    abbreviation(contact, word)
}

fn abbreviation(contact: &[u8], word: &[u8]) -> u32 {
    if word.len() >= contact.len() || !is_subsequence(word, contact) {
        return plural_abbreviation(contact, word);
    }
    let same_end = word.last() == contact.last();
    let vowels = word.iter().skip(1).any(|letter| b"AEIOU".contains(letter));
    let short = match word.len() {
        2 if same_end => 450,
        2 => 0,
        _ if !vowels => 720,
        _ if same_end && word.len() * 10 >= contact.len() * 6 => 700,
        _ if same_end => 400,
        _ => 0,
    };
    short.max(plural_abbreviation(contact, word))
}

/// `SOLS` for solicitors, `CONTRS` for contractors: cut short, then the plural.
fn plural_abbreviation(contact: &[u8], word: &[u8]) -> u32 {
    match word {
        [stem @ .., b'S'] if stem.len() >= 3 && contact.starts_with(stem) && contact.last() == Some(&b'S') => 700,
        _ => 0,
    }
}

fn is_subsequence(short: &[u8], long: &[u8]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|letter| rest.any(|other| other == letter))
}

/// One letter more, less, other, or two swapped.
fn one_edit(left: &[u8], right: &[u8]) -> bool {
    let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    let same = long.iter().zip(short).take_while(|(one, other)| one == other).count();
    let (long, short) = (long.get(same..).unwrap_or(&[]), short.get(same..).unwrap_or(&[]));
    match (long, short) {
        ([_, long @ ..], short) if long.len() == short.len() => long == short,
        ([a, b, long @ ..], [c, d, short @ ..]) if a == d && b == c => long == short,
        ([_, long @ ..], [_, short @ ..]) => long == short,
        _ => false,
    }
}

/// First letter and the other consonants, doubles once: `INSULATION` and `INSULATN` have the same.
pub(super) fn skeleton(word: &str) -> String {
    let mut bones = String::with_capacity(word.len());
    for (place, letter) in word.chars().enumerate() {
        let vowel = matches!(letter, 'A' | 'E' | 'I' | 'O' | 'U');
        if (place == 0 || !vowel) && !bones.ends_with(letter) {
            bones.push(letter);
        }
    }
    bones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_alike_when_cut_abbreviated_or_misspelt() {
        for (contact, word, at_least) in [
            ("CONSTRUCTION", "CONSTR", 900),
            ("INTERIORS", "INTER", 900),
            ("INSULATION", "INSULATN", 700),
            ("SOLICITORS", "SOLS", 700),
            ("GROUP", "GRP", 700),
            ("CENTRE", "CTR", 700),
            ("MEDICAL", "MED", 700),
            ("BUILDERS", "BLDRS", 700),
            ("MANAGEMENT", "MGMT", 700),
            ("OKONKWO", "OKONWKO", 700),
            ("FARRELL", "FARREL", 900),
            ("BAKER", "BAKERS", 800),
        ] {
            assert!(likeness(contact, word) >= at_least, "{contact} {word} {}", likeness(contact, word));
        }
        for (contact, word) in [
            ("SMITH", "JONES"),
            ("CONTRACTORS", "CARS"),
            ("WHITLEY", "WHITBY"),
            ("U3A", "U2A"),
            ("77120", "77121"),
            ("BOX", "CITY"),
        ] {
            assert!(likeness(contact, word) <= 450, "{contact} {word} {}", likeness(contact, word));
        }
        assert_eq!(skeleton("INSULATION"), skeleton("INSULATN"));
    }
}

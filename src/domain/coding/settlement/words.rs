//! Words of contacts and of bank lines: which are part of a name, which say how a payment was made, and how alike two are.

use super::runs::is_month;

/// Not part of what a contact is known by.
pub(super) fn is_legal_form(word: &str) -> bool {
    matches!(
        word,
        "LTD" | "LIMITED" | "PLC" | "LLP" | "LP" | "INC" | "LLC" | "CORP" | "CORPORATION" | "GMBH" | "AG" | "BV" | "NV" | "SA" | "SARL"
            | "SRL" | "SPA" | "LDA" | "OY" | "AB" | "AS" | "CIC" | "CIO" | "PTY" | "PVT" | "CYF" | "THE" | "AND" | "OF" | "FOR" | "CO"
            | "COMPANY" | "MR" | "MRS" | "MS" | "MISS" | "MX" | "DR" | "PROF" | "SIR" | "REV" | "MESSRS" | "UK" | "GB" | "Y" | "YR"
    )
}

/// Words that many names share.
pub(super) fn is_common(word: &str) -> bool {
    matches!(
        word,
        "SERVICES" | "SERVICE" | "GROUP" | "SOLUTIONS" | "HOLDINGS" | "INTERNATIONAL" | "TRADING" | "ASSOCIATES" | "PARTNERS"
            | "PARTNERSHIP" | "SONS" | "SON" | "BROS" | "BROTHERS" | "DAUGHTERS" | "ENTERPRISES" | "CENTRE" | "CENTER" | "SHOP"
            | "STORE" | "STORES" | "SUPPLIES" | "SUPPLY" | "PRODUCTS" | "SYSTEMS" | "MANAGEMENT" | "CONSULTING" | "CONSULTANTS"
            | "CONSULTANCY" | "PROPERTIES" | "PROPERTY" | "BUSINESS" | "EUROPE" | "DESIGN" | "DESIGNS" | "LONDON" | "BUILDERS"
            | "BUILDING" | "CONSTRUCTION" | "CONTRACTORS" | "DEVELOPMENTS" | "HOMES" | "SCHOOL" | "COUNCIL" | "TRUST" | "CLUB"
            | "ASSOCIATION" | "SOCIETY" | "WORKS" | "HIRE" | "SALES" | "TRADE" | "DIRECT" | "ONLINE" | "SOUTH" | "NORTH" | "EAST"
            | "WEST" | "NEW" | "FIRST" | "ONE" | "GREEN" | "HOUSE" | "STREET" | "ROAD" | "PARK"
    )
}

/// Words of banks and payers about the payment, never a name's.
pub(super) fn is_noise(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || is_month(word)
        || is_legal_form(word)
        || matches!(
            word,
            "BGC" | "BBP" | "DDR" | "DD" | "SO" | "STO" | "FPO" | "FPI" | "FP" | "FPS" | "TFR" | "FT" | "CR" | "DR" | "BP" | "TT" | "CHQ"
                | "BACS" | "BAC" | "CHAPS" | "FASTER" | "PAYMENT" | "PAYMENTS" | "PYMT" | "PAYMT" | "PMT" | "PYT" | "PMNT" | "PAY"
                | "PAID" | "RECEIPT" | "RECEIVED" | "REF" | "REFERENCE" | "FROM" | "TO" | "MANDATE" | "NO" | "VIA" | "BILL" | "BANK"
                | "GIRO" | "CREDIT" | "DIRECT" | "DEBIT" | "CARD" | "ON" | "INV" | "INVS" | "INVOICE" | "INVOICES" | "PART" | "LESS"
                | "CIS" | "THANK" | "YOU" | "THANKS" | "CD" | "VIS" | "POS" | "DEB" | "BCC" | "STANDING" | "ORDER" | "TRANSFER"
                | "INTERNET" | "ONLINE" | "MOBILE" | "BALANCE" | "BAL" | "DEPOSIT" | "STAGE" | "FINAL" | "ACCOUNT" | "ACC" | "ACCT" | "AC" | "A" | "C"
                | "CHGS" | "CHARGES" | "FEE" | "FEES" | "GBP" | "USD" | "EUR" | "CONV" | "FX" | "CN" | "NOTE" | "RE" | "IN" | "BY"
                | "AT" | "HALF" | "WISE" | "PAYPAL" | "STRIPE" | "REVOLUT" | "SUBJECT" | "TAX" | "VAT" | "RETENTION" | "OUT" | "INWARD"
                | "OUTWARD" | "INTL" | "SEPA" | "SWIFT" | "BIB" | "DPC" | "BANKING" | "PO" | "RETN" | "FULL" | "SETTLEMENT" | "STATEMENT"
                | "STMT" | "XXXX" | "GBR" | "GB0000" | "SDP" | "OTR" | "CREDITORS" | "PURCHASE" | "LEDGER" | "SUPPLIER" | "ACCOUNTS"
        )
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

//! Words of banks, of own accounts and of payments between them.

/// What kind of own account a name speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A current account, or nothing else was said.
    Current,
    /// Savings, deposits, pots put aside.
    Savings,
    /// A credit or charge card.
    Card,
    /// A payment processor's balance.
    Processor,
    /// Notes and coins.
    Cash,
}

/// The kind that the words of a name speak of; `None` when they say nothing.
pub(super) fn kind_of<'t>(words: impl Iterator<Item = &'t str> + Clone) -> Option<Kind> {
    let any = |test: fn(&str) -> bool| words.clone().any(test);
    if any(is_card) {
        Some(Kind::Card)
    } else if any(|word| matches!(word, "CASH" | "PETTY" | "TILL" | "TILLS" | "FLOAT" | "FLOATS" | "SAFE" | "TIN")) {
        Some(Kind::Cash)
    } else if any(is_processor) {
        Some(Kind::Processor)
    } else if any(is_savings) {
        Some(Kind::Savings)
    } else if any(is_current) {
        Some(Kind::Current)
    } else {
        None
    }
}

fn is_card(word: &str) -> bool {
    word.ends_with("CARD") || matches!(word, "CARDS" | "AMEX" | "VISA" | "TAP" | "EXPRESS" | "PLEO" | "SOLDO" | "CC")
}

pub(super) fn is_processor(word: &str) -> bool {
    matches!(
        word,
        "PAYPAL" | "STRIPE" | "SUMUP" | "ZETTLE" | "IZETTLE" | "SQUARE" | "GOCARDLESS" | "WORLDPAY" | "KLARNA" | "SHOPIFY" | "ETSY"
            | "EBAY" | "PAYONEER" | "SAGEPAY" | "OPAYO" | "CLEARPAY"
    )
}

pub(super) fn is_savings(word: &str) -> bool {
    matches!(
        word,
        "SAVINGS" | "SAVING" | "SAVER" | "SAVE" | "SAV" | "SAVS" | "SVGS" | "ESAVER" | "ISAVER" | "DEPOSIT" | "DEP" | "RESERVE" | "RESERVES"
            | "POT" | "POTS" | "SPACE" | "TAX" | "VAT" | "ISA" | "BOND" | "GOLD" | "PREMIUM" | "NOTICE" | "TREASURY" | "INTEREST" | "SINKING"
            | "CONTINGENCY" | "INSTANT" | "RAINY"
    )
}

fn is_current(word: &str) -> bool {
    matches!(
        word,
        "CURRENT" | "CURR" | "CUR" | "CHEQUE" | "MAIN" | "TRADING" | "COMMUNITY" | "PRACTICE" | "OPERATING" | "BUSINESS" | "BUS" | "OFFICE"
            | "GENERAL" | "CA"
    )
}

/// Banks and the like: a name with one of these is most likely an account there.
pub(super) fn is_bank(word: &str) -> bool {
    matches!(
        word,
        "BANK" | "LLOYDS" | "LLOYD" | "BARCLAYS" | "HSBC" | "NATWEST" | "RBS" | "SANTANDER" | "NATIONWIDE" | "TSB" | "METRO" | "COOP"
            | "STARLING" | "MONZO" | "TIDE" | "REVOLUT" | "WISE" | "TRANSFERWISE" | "VIRGIN" | "HANDELSBANKEN" | "HALIFAX" | "DANSKE"
            | "AIB" | "BOI" | "ULSTER" | "CASHPLUS" | "ZEMPLER" | "ANNA" | "CAF" | "ALDERMORE" | "SHAWBROOK" | "TRIODOS" | "UNITY"
            | "CLYDESDALE" | "YORKSHIRE" | "ALLICA" | "MARCUS" | "CYNERGY" | "MONESE" | "MCB" | "COUTTS" | "HOARES" | "METROBANK"
            | "MERCURY" | "KROO" | "CHASE" | "NEWCASTLE" | "SKIPTON" | "OAKNORTH" | "PARAGON" | "HAMPSHIRE" | "REDWOOD" | "ATOM"
            | "MANSFIELD" | "INVESTEC" | "BUILDINGSOCIETY" | "CHARITYBANK" | "AMEX" | "BARCLAYCARD" | "MBNA" | "TESCOBANK"
    ) && word != "BANK"
}

/// Words that make a name something else than money at hand, whatever else it says.
pub(super) fn is_no_money(word: &str) -> bool {
    matches!(
        word,
        "LOAN" | "LOANS" | "BOUNCE" | "BBL" | "BBLS" | "CBILS" | "HP" | "HIRE" | "MORTGAGE" | "MORTGAGES" | "FINANCE" | "LEASE" | "DEBTORS"
            | "DEBTOR" | "RECEIVABLE" | "RECEIVABLES" | "CREDITORS" | "PAYABLE" | "DIRECTOR" | "DIRECTORS" | "PARTNER" | "PARTNERS"
            | "OWNER" | "OWNERS" | "SHAREHOLDER" | "INTERCOMPANY" | "STOCK" | "COST" | "DEPRECIATION" | "EQUIPMENT" | "VEHICLE"
            | "VEHICLES" | "VAN" | "VANS" | "PREPAYMENT" | "PREPAYMENTS" | "ACCRUALS" | "TENANT" | "TENANTS" | "CUSTOMER" | "CUSTOMERS"
            | "HELD" | "HIRERS" | "REFUNDABLE" | "SUPPLIER" | "SUPPLIERS" | "WAGES" | "PAYE" | "PENSION" | "PENSIONS"
            | "CORPORATION" | "CONTROL" | "LIABILITY" | "PROVISION" | "INVENTORY" | "VOUCHERS" | "GRANT" | "GRANTS" | "CHARGES"
            | "SUSPENSE" | "FURNITURE" | "COMPUTER" | "PROPERTY" | "LAND" | "MACHINERY" | "PLANT" | "UNDEPOSITED" | "INVESTMENT"
            | "INVESTMENTS" | "MEMBERS" | "STUDENT" | "STUDENTS" | "MAN" | "DUE" | "SUFFERED" | "OWED" | "OWE"
    )
}

/// Words in the names of accounts that say little.
pub(super) fn is_plain(word: &str) -> bool {
    matches!(
        word,
        "BANK" | "ACCOUNT" | "ACCOUNTS" | "AC" | "ACC" | "ACCT" | "A" | "C" | "THE" | "AND" | "OF" | "FOR" | "ON" | "AT" | "IN" | "NO" | "MY"
            | "OUR" | "GBP" | "UK" | "LTD" | "CREDIT" | "BALANCE" | "MONEY" | "PLC" | "TO" | "FROM" | "AN" | "CO" | "OP"
    )
}

/// Words that name an account only together with another sign.
pub(super) fn is_weak(word: &str) -> bool {
    matches!(
        word,
        "BUSINESS" | "BUS" | "CARD" | "TAX" | "VAT" | "CURRENT" | "CURR" | "CUR" | "CASH" | "COMMERCIAL" | "PRACTICE" | "COMMUNITY" | "TRADING"
            | "DEPOSIT" | "MAIN" | "GENERAL" | "OFFICE" | "PREMIUM" | "GOLD" | "COMPANY" | "CHARGE" | "SPACE" | "DIRECT" | "FARM" | "SHOP"
            | "CHARITY" | "CLIENT" | "PERSONAL" | "TILL" | "FLOAT" | "TIN" | "SAFE" | "RENT" | "FIRST" | "SELECT" | "PLUS" | "CHEQUE"
    )
}

/// Other ways to write a word of an account's name.
pub(super) fn spellings(word: &str) -> &'static [&'static str] {
    match word {
        "BUSINESS" => &["BUS", "BUSI", "BUSIN"],
        "CURRENT" => &["CURR", "CUR"],
        "COMMERCIAL" => &["COMML", "COMM"],
        "SAVINGS" | "SAVER" | "SAVING" | "ESAVER" | "RESERVE" | "RESERVES" => {
            &["SAVINGS", "SAVING", "SAVER", "SAV", "SAVS", "SVGS", "ESAVER", "RESERVE", "RESERVES"]
        }
        "DEPOSIT" => &["SAVINGS", "SAVER", "DEP"],
        "POT" | "SPACE" => &["POT", "SPACE"],
        "AMEX" => &["AMERICAN", "EXPRESS"],
        "EXPRESS" => &["AMEX"],
        "MASTERCARD" => &["MCARD", "MASTERCRD"],
        "BARCLAYCARD" => &["BCARD", "BARCLAYCRD"],
        _ => &[],
    }
}

/// What a line says as a whole about being a transfer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sayings {
    /// A word for moving money between accounts.
    pub(super) transfer: bool,
    /// What card companies write on payments they receive.
    pub(super) thanks: bool,
    /// Another account's number, or a place for one.
    pub(super) numbered: bool,
    /// A payment of a card: `CREDIT CARD`, `CHARGE CARD`.
    pub(super) card: bool,
    /// A wallet whose money can only have come from its balance.
    pub(super) wallet: bool,
    /// Something that is never a transfer, whatever the amounts.
    pub(super) never: bool,
}

/// Reads the sayings of a line's words; `own` tells words of own accounts' names, which forbid nothing.
pub(super) fn sayings<'t>(words: &[&'t str], own: impl Fn(&'t str) -> bool) -> Sayings {
    let mut said = Sayings::default();
    for (place, word) in words.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| words.get(place)).copied().unwrap_or("");
        let after = words.get(place + 1).copied().unwrap_or("");
        match *word {
            "TRANSFER" | "TRANSFERS" | "TRANSFERRED" | "TFR" | "TRF" | "TFER" | "XFER" | "TRANSF" | "TRSF" | "TRFR" | "TRNSFR" | "TXFR"
            | "TOPUP" | "SWEEP" | "INTERNAL" | "INTERACCOUNT" => said.transfer = true,
            "TOP" if after == "UP" => said.transfer = true,
            "FT" if after.is_empty() || place == 0 => said.transfer = true,
            "WITHDRAWAL" if matches!(before, "GENERAL" | "INITIATED" | "AUTO") || matches!(after, "TO") => said.transfer = true,
            "BETWEEN" if matches!(after, "ACCOUNTS" | "OWN" | "MY") => said.transfer = true,
            "OWN" if matches!(after, "ACCOUNT" | "ACCOUNTS" | "AC" | "ACC") => said.transfer = true,
            "ROUND" | "ROUNDUP" if after == "UP" || *word == "ROUNDUP" => said.transfer = true,
            "SENT" if matches!(after, "MONEY" | "FROM") => said.numbered = true,
            "POT" if matches!(before, "TO" | "FROM" | "INTO") => said.transfer = true,
            "C" if before == "A" && matches!(words.get(place.wrapping_sub(2)), Some(&("TO" | "FROM"))) => said.transfer = true,
            "CARD" if matches!(before, "CREDIT" | "CHARGE" | "COMML" | "COMMERCIAL" | "COMPANY" | "BUSINESS") => said.card = true,
            "PAYPAL" => said.wallet = true,
            "AC" | "ACC" | "ACCOUNT" if matches!(before, "TO" | "FROM") => said.numbered = true,
            "THANK" if after == "YOU" => said.thanks = true,
            "THANKYOU" => said.thanks = true,
            "RECEIVED" | "RECD" if before == "PAYMENT" => said.thanks = true,
            "PAYMENT" if before == "DEBIT" => said.thanks = true,
            word if is_never(word) && !own(word) => said.never = true,
            word if word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
                said.numbered = true;
                // "TO 30991277 RESERVE": between accounts of one bank.
                said.transfer |= place <= 1 && matches!(before, "TO" | "FROM");
            }
            _ => {}
        }
    }
    said
}

/// Tax, pay, loans, invoices, refunds, cash machines and charges.
fn is_never(word: &str) -> bool {
    matches!(
        word,
        "HMRC" | "WAGES" | "WAGE" | "SALARY" | "SALARIES" | "PAYROLL" | "DIVIDEND" | "DIVIDENDS" | "DIVI" | "DRAWINGS" | "DRAWING" | "RENT" | "REFUND"
            | "REFUNDS" | "LOAN" | "LOANS" | "INV" | "INVOICE" | "INVOICES" | "PENSION" | "PENSIONS" | "MORTGAGE" | "INTEREST" | "FEE"
            | "FEES" | "CHARGE" | "CHARGES" | "CASHBACK" | "RETURNED" | "UNPAID" | "INSURANCE" | "COUNCIL" | "MILEAGE" | "EXPENSES"
            | "PURCHASE" | "ATM" | "LNK" | "CASHPOINT" | "PAYE" | "COMMISSION" | "MERCHANT" | "TERMINAL" | "SALE" | "SALES" | "PAYOUT"
            | "DONATION" | "SUBSCRIPTION" | "REPAYMENT" | "CORPORATION" | "CUMBERNAULD" | "SHIPLEY"
    )
}

/// Words that stand in transfers and say nothing about whose money it is.
pub(super) fn is_neutral(word: &str) -> bool {
    word.len() < 3
        || word.bytes().any(|byte| byte.is_ascii_digit())
        || is_plain(word)
        || is_savings(word)
        || is_current(word)
        || matches!(
            word,
            "TRANSFER" | "TRANSFERS" | "TFR" | "TRF" | "XFER" | "TOP" | "TOPUP" | "SWEEP" | "INTERNAL" | "BETWEEN" | "OWN" | "ROUND" | "SENT" | "MONEY"
                | "WITHDRAWAL" | "GENERAL" | "USER" | "INITIATED" | "THANK" | "YOU" | "THANKS" | "PAYMENT" | "PAYMENTS" | "RECEIVED"
                | "DIRECT" | "DEBIT" | "CREDIT" | "CARD" | "FASTER" | "BACS" | "CHAPS" | "FPO" | "FPI" | "FPS" | "BGC" | "BBP" | "DDR" | "STO"
                | "STANDING" | "ORDER" | "ONLINE" | "MOBILE" | "BANKING" | "INTERNET" | "VIA" | "PYMT" | "PMT" | "PYT" | "REF" | "REFERENCE"
                | "MANDATE" | "ACCOUNT" | "FUNDS" | "ADD" | "ADDED" | "INTO" | "OUT" | "XXXX" | "PERSONAL" | "RESERVES" | "BILLS" | "PAID"
                | "INSTANT" | "AUTOMATIC" | "MONTHLY" | "WEEKLY" | "REGULAR" | "MOVED" | "MOVE" | "BUSINESS" | "HOLIDAY" | "FULL"
                | "STATEMENT" | "MINIMUM" | "OTHER" | "SORT" | "CODE" | "COMMERCIAL" | "COMML" | "COMMER" | "COMMERCI" | "COMPANY" | "CHARGE"
                | "PLATINUM" | "INTERNATIONAL"
        )
}

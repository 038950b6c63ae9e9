//! Words of banks, of own accounts and of payments between them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Words that have something in common.
type Words = LazyLock<FxHashSet<&'static str>>;

fn words(list: &'static str) -> FxHashSet<&'static str> {
    list.split_whitespace().collect()
}

/// Payment processors.
static PROCESSORS: Words = LazyLock::new(|| {
    words(
        "CLEARPAY EBAY ETSY GOCARDLESS IZETTLE KLARNA OPAYO PAYONEER PAYPAL SAGEPAY SHOPIFY SQUARE STRIPE SUMUP \
         WORLDPAY ZETTLE",
    )
});

/// Accounts where money is put aside.
static SAVINGS: Words = LazyLock::new(|| {
    words(
        "BOND CONTINGENCY DEP DEPOSIT ESAVER GOLD INSTANT INTEREST ISA ISAVER NOTICE POT POTS PREMIUM RAINY RESERVE \
         RESERVES SAV SAVE SAVER SAVING SAVINGS SAVS SINKING SPACE SVGS TAX TREASURY VAT",
    )
});

/// Accounts of every day.
static CURRENT: Words = LazyLock::new(|| {
    words("BUS BUSINESS CA CHEQUE COMMUNITY CUR CURR CURRENT GENERAL MAIN OFFICE OPERATING PRACTICE TRADING")
});

/// Banks and card companies.
static BANKS: Words = LazyLock::new(|| {
    words(
        "AIB ALDERMORE ALLICA AMEX ANNA ATOM BARCLAYCARD BARCLAYS BOI BUILDINGSOCIETY CAF CASHPLUS CCLA CHARITYBANK CHASE \
         CLYDESDALE COOP COUTTS CYNERGY DANSKE HALIFAX HAMPSHIRE HANDELSBANKEN HOARES HSBC INVESTEC KROO LLOYD LLOYDS \
         MANSFIELD MARCUS MBNA MCB MERCURY METRO METROBANK MONESE MONZO NATIONWIDE NATWEST NEWCASTLE OAKNORTH PARAGON \
         RBS REDWOOD REVOLUT SANTANDER SHAWBROOK SKIPTON STARLING TESCOBANK TIDE TRANSFERWISE TRIODOS TSB ULSTER UNITY \
         VIRGIN WISE YORKSHIRE ZEMPLER",
    )
});

/// Other assets and liabilities.
static NO_MONEY: Words = LazyLock::new(|| {
    words(
        "ACCRUALS BBL BBLS BOUNCE CBILS CHARGES COMPUTER CONTROL CORPORATION COST CREDITORS CUSTOMER CUSTOMERS DEBTOR \
         DEBTORS DEPRECIATION DIRECTOR DIRECTORS DUE EQUIPMENT FINANCE FURNITURE GIFT GIFTS GRANT GRANTS HELD HIRE HIRERS HP \
         INTERCOMPANY INVENTORY INVESTMENT INVESTMENTS LAND LEASE LIABILITY LOAN LOANS MACHINERY MAN MEMBERS MORTGAGE \
         MORTGAGES OWE OWED OWNER OWNERS PARTNER PARTNERS PAYABLE PAYE PENSION PENSIONS PLANT PREPAYMENT PREPAYMENTS \
         PROPERTY PROVISION RECEIVABLE RECEIVABLES REFUNDABLE SHAREHOLDER STOCK STUDENT STUDENTS SUFFERED SUPPLIER \
         SUPPLIERS SUSPENSE TENANT TENANTS UNDEPOSITED VAN VANS VEHICLE VEHICLES VOUCHERS WAGES",
    )
});

/// Words of any account.
static PLAIN: Words = LazyLock::new(|| {
    words(
        "A AC ACC ACCOUNT ACCOUNTS ACCT AN AND AT BALANCE BANK C CO CREDIT FOR FROM GBP IN LTD MONEY MY NO OF ON OP OUR \
         PLC QTR QUARTER THE TO UK",
    )
});

/// Words of many accounts.
static WEAK: Words = LazyLock::new(|| {
    words(
        "BUS BUSINESS CARD CASH CHARGE CHARITY CHEQUE CLIENT COMMERCIAL COMMUNITY COMPANY CUR CURR CURRENT DEPOSIT \
         DIRECT FARM FIRST FLOAT GENERAL GOLD MAIN OFFICE PERSONAL PLUS PRACTICE PREMIUM RENT SAFE SELECT SHOP SPACE \
         TAX TILL TIN TRADING VAT",
    )
});

/// What is no transfer.
static NEVER: Words = LazyLock::new(|| {
    words(
        "ATM CASHBACK CASHPOINT CHILDCARE CHARGE CHARGES COMMISSION CORPORATION COUNCIL CUMBERNAULD DIVI DIVIDEND DIVIDENDS \
         DONATION DRAWING DRAWINGS EXPENSES FEE FEES HMRC INSURANCE INTEREST INV INVOICE INVOICES LNK LOAN LOANS \
         MERCHANT MILEAGE MORTGAGE PAYE PAYOUT PAYROLL PENSION PENSIONS PURCHASE REFUND REFUNDS RENT REPAYMENT RETURNED \
         SALARIES SALARY SALE SALES SHIPLEY SUBSCRIPTION TERMINAL UNPAID WAGE WAGES",
    )
});

/// What is nobody's name.
static NEUTRAL: Words = LazyLock::new(|| {
    words(
        "ACCOUNT ADD ADDED AUTOMATIC BACS BANKING BBP BETWEEN BGC BILLS BUSINESS BUSINESSCARD CARD CARDS CHAPS CHARGE \
         CHARGECARD CODE COMMER COMMERCI CONVERTED CREDITCARD EUROPE EXCHANGED \
         COMMERCIAL COMML COMPANY CREDIT DDR DEBIT DIRECT FASTER FPI FPO FPS FULL FUNDS GENERAL HOLIDAY INITIATED \
         INSTANT INTERNAL INTERNATIONAL INTERNET INTO MANDATE MINIMUM MOBILE MONEY MONTHLY MOVE MOVED ONLINE ORDER \
         OTHER OUT OWN PAID PAYMENT PAYMENTS PERSONAL PLATINUM PMT PYMT PYT RECEIVED REF REFERENCE REGULAR RESERVES \
         PPWDL ROUND SENT SORT STANDING STATEMENT STO SWEEP TFR THANK THANKS TOP TOPUP TRANSFER TRANSFERS TRF USER VIA WEEKLY \
         WITHDRAWAL XFER XXXX YOU",
    )
});

/// What kind of own account a name speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A current account, or no other kind is named.
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

pub fn is_processor(word: &str) -> bool {
    PROCESSORS.contains(word)
}

pub(super) fn is_savings(word: &str) -> bool {
    SAVINGS.contains(word)
}

fn is_current(word: &str) -> bool {
    CURRENT.contains(word)
}

/// Banks and the like: a name with one of these is most likely an account there.
pub fn is_bank(word: &str) -> bool {
    BANKS.contains(word)
}

/// Words that make a name something else than money at hand, whatever else it says.
pub(super) fn is_no_money(word: &str) -> bool {
    NO_MONEY.contains(word)
}

/// Words in the names of accounts that say little.
pub(super) fn is_plain(word: &str) -> bool {
    PLAIN.contains(word)
}

/// Words that name an account only together with another sign.
pub(super) fn is_weak(word: &str) -> bool {
    WEAK.contains(word)
}

/// Other ways to write a word of an account's name.
pub(super) fn spellings(word: &str) -> &'static [&'static str] {
    match word {
        "BUSINESS" => &["BUS", "BUSI", "BUSIN"],
        "CLIENT" | "CLIENTS" => &["CLNT", "CLT"],
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

/// Tax, pay, loans, invoices, refunds, cash machines and charges.
pub(super) fn is_never(word: &str) -> bool {
    NEVER.contains(word)
}

/// Words that stand in transfers and say nothing about whose money it is.
pub(super) fn is_neutral(word: &str) -> bool {
    word.len() < 3
        || word.bytes().any(|byte| byte.is_ascii_digit())
        || is_plain(word)
        || is_savings(word)
        || is_current(word)
        || NEUTRAL.contains(word)
}

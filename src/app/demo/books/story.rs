//! Three months of the joinery, as a bookkeeper would know them: who buys and who sells, what was billed, what the bank
//! shows of it. Amounts of payments follow from the documents they pay.

/// Key, name, e-mail address.
pub(super) const CUSTOMERS: [(&str, &str, &str); 6] = [
    ("ashdown", "Ashdown School", "bursar@ashdown.example"),
    ("pemberton", "Pemberton Kitchens", "accounts@pemberton.example"),
    ("meridian", "Meridian Design LLP", "studio@meridian.example"),
    ("marlowe", "Jane Marlowe", "jane@marlowe.example"),
    ("fenwick", "Fenwick & Sons Builders", "office@fenwick.example"),
    ("parish", "Bishopthorpe Parish Council", "clerk@parish.example"),
];

/// Key, name, account of what they sell, and whether CIS is deducted at 20 %.
pub(super) const SUPPLIERS: [(&str, &str, &str, bool); 7] = [
    ("mercer", "Mercer Veneers Ltd", "5000", false),
    ("hardware", "Harrogate Hardware Ltd", "5000", false),
    ("whitfield", "D Whitfield", "5100", true),
    ("accountant", "Ouse Accountancy LLP", "7610", false),
    ("ironmonger", "Selby Ironmongers", "5000", false),
    ("glazier", "Wharfe Glass", "5000", false),
    ("skips", "Nidd Skip Hire", "5300", false),
];

/// Accounts the standard chart has no name for.
pub(super) const ACCOUNTS: [(&str, &str, &str); 1] = [("5300", "Plant and skip hire", "EXPENSE")];

/// Account, debit, credit, the day before the first month. What is missing goes to retained earnings.
pub(super) const OPENING: [(&str, &str, &str); 13] = [
    ("0030", "14200.00", ""),
    ("0031", "", "4260.00"),
    ("0050", "18500.00", ""),
    ("0051", "", "6400.00"),
    ("1100", "2385.00", ""),
    ("1200", "9412.37", ""),
    ("1210", "6000.00", ""),
    ("2100", "", "530.40"),
    ("2110", "", "411.84"),
    ("2200", "", "3218.44"),
    ("2210", "", "1104.38"),
    ("2510", "", "7650.00"),
    ("3000", "", "100.00"),
];

/// Key, type, contact, number, days before the first month, what is due.
pub(super) const OPEN_DOCUMENTS: [(&str, &str, &str, &str, u64, &str); 3] = [
    ("1038", "sales_invoice", "ashdown", "INV-1038", 28, "960.00"),
    ("1044", "sales_invoice", "ashdown", "INV-1044", 10, "1425.00"),
    ("88214", "purchase_invoice", "mercer", "88214", 23, "530.40"),
];

/// One line of a document: description, account, quantity, price, VAT code, CIS type.
pub(super) type DocumentLine = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

/// An invoice or bill.
pub(super) struct Document {
    /// What bank lines and credit notes call it.
    pub(super) key: &'static str,
    pub(super) is_sale: bool,
    /// 0 is the first month.
    pub(super) month: u32,
    pub(super) day: u32,
    pub(super) contact: &'static str,
    /// The supplier's number, or the customer's order.
    pub(super) reference: &'static str,
    pub(super) is_vat_inclusive: bool,
    pub(super) is_issued: bool,
    pub(super) lines: &'static [DocumentLine],
}

const fn sale(
    key: &'static str,
    (month, day): (u32, u32),
    contact: &'static str,
    reference: &'static str,
    lines: &'static [DocumentLine],
) -> Document {
    Document { key, is_sale: true, month, day, contact, reference, is_vat_inclusive: false, is_issued: true, lines }
}

const fn bill(
    key: &'static str,
    when: (u32, u32),
    contact: &'static str,
    reference: &'static str,
    lines: &'static [DocumentLine],
) -> Document {
    Document { is_sale: false, ..sale(key, when, contact, reference, lines) }
}

pub(super) const DOCUMENTS: [Document; 19] = [
    sale("s1", (0, 4), "pemberton", "PO 3310", &[("Oak drawer fronts", "4000", "24", "48.50", "ST", "")]),
    sale(
        "s2",
        (0, 11),
        "meridian",
        "MD/209",
        &[
            ("Reception desk, ash and linoleum", "4000", "1", "2890.00", "ST", ""),
            ("Fitting", "4100", "2", "340.00", "ST", ""),
        ],
    ),
    Document {
        is_vat_inclusive: true,
        ..sale("s3", (0, 19), "marlowe", "Staircase", &[("Staircase, deposit", "4000", "1", "1500.00", "ST", "")])
    },
    sale("s4", (0, 26), "fenwick", "Site 14", &[("Sash windows", "4000", "6", "412.00", "ST", "")]),
    sale(
        "s5",
        (1, 3),
        "parish",
        "Hall",
        &[("Ramp for the village hall (mobility aid)", "4000", "1", "1180.00", "RR", "")],
    ),
    sale(
        "s6",
        (1, 12),
        "pemberton",
        "PO 3342",
        &[
            ("Oak drawer fronts", "4000", "18", "48.50", "ST", ""),
            ("Discount for the year's volume", "4000", "-1", "60.00", "ST", ""),
        ],
    ),
    sale("s7", (1, 20), "ashdown", "Library", &[("Book cases", "4000", "8", "295.00", "ST", "")]),
    Document {
        is_vat_inclusive: true,
        ..sale("s8", (1, 27), "marlowe", "Staircase", &[("Staircase, balance", "4000", "1", "4300.00", "ST", "")])
    },
    sale("s9", (2, 5), "meridian", "MD/221", &[("Meeting table", "4000", "1", "1975.00", "ST", "")]),
    sale("s10", (2, 13), "fenwick", "Site 15", &[("Fire doors", "4000", "9", "236.40", "ST", "")]),
    sale("s11", (2, 22), "ashdown", "Laboratory", &[("Worktops", "4000", "5", "318.00", "ST", "")]),
    Document {
        is_issued: false,
        ..sale("s12", (2, 27), "parish", "Notice board", &[("Notice board, glazed", "4000", "1", "640.00", "ST", "")])
    },
    bill("b1", (0, 6), "mercer", "88307", &[("Oak veneer", "5000", "32", "14.80", "ST", "")]),
    bill(
        "b2",
        (0, 21),
        "whitfield",
        "DW-61",
        &[
            ("Fitting, two days", "5100", "2", "220.00", "ST", "labour"),
            ("Fixings", "5100", "1", "46.00", "ST", "materials"),
        ],
    ),
    bill("b3", (1, 7), "hardware", "HH20991", &[("Hinges and runners", "5000", "1", "388.20", "ST", "")]),
    bill("b4", (1, 16), "mercer", "88419", &[("Ash boards", "5000", "40", "21.35", "ST", "")]),
    bill(
        "b5",
        (2, 9),
        "whitfield",
        "DW-64",
        &[
            ("Fitting, four days", "5100", "4", "220.00", "ST", "labour"),
            ("Travel", "5100", "1", "60.00", "ST", "none"),
        ],
    ),
    bill("b6", (2, 15), "hardware", "HH21340", &[("Hinges and screws", "5000", "1", "214.75", "ST", "")]),
    bill(
        "b7",
        (2, 18),
        "accountant",
        "1177",
        &[("Quarterly accounts and VAT return", "7610", "1", "420.00", "ST", "")],
    ),
];

/// What a line of a statement is.
pub(super) enum Meaning {
    /// Pays these documents in full.
    Pays(&'static [&'static str]),
    /// Pays a part of one.
    Part(&'static str, &'static str),
    /// Pays one, and this much more than is due.
    Over(&'static str, &'static str),
    /// An account and a VAT code.
    Coded(&'static str, &'static str, &'static str),
    /// Several: account, amount, VAT code.
    Split(&'static [(&'static str, &'static str, &'static str)]),
    /// Money to (negative) or from the other account.
    Transfer(&'static str, &'static str),
    /// Not looked at yet.
    Open(&'static str),
    /// Not of the business.
    Private(&'static str),
}

use Meaning::{Coded, Open, Over, Part, Pays, Private, Split, Transfer};

/// A line of a statement: which account, which month, which day, what the bank says, what it is.
pub(super) type BankLine = (&'static str, u32, u32, &'static str, Meaning);

/// The account most lines are of.
pub(super) const CURRENT: &str = "1200";
pub(super) const SAVINGS: &str = "1210";
pub(super) const CARD: &str = "2110";

pub(super) const BANK: [BankLine; 29] = [
    (CURRENT, 0, 4, "BGC ASHDOWN SCHOOL 1038 1044", Pays(&["1038", "1044"])),
    (CURRENT, 0, 5, "FPO MERCER VENEERS LTD 88214", Pays(&["88214"])),
    (CURRENT, 0, 7, "DD HMRC VAT", Coded("2200", "-3218.44", "NV")),
    (CURRENT, 0, 10, "TRANSFER TO SAVINGS ACCOUNT", Transfer("-1500.00", SAVINGS)),
    (SAVINGS, 0, 10, "TRANSFER FROM CURRENT ACCOUNT", Transfer("1500.00", CURRENT)),
    (CURRENT, 0, 19, "FPO HMRC PAYE 475PX00123456", Coded("2210", "-1104.38", "NV")),
    (CURRENT, 0, 21, "FPI J MARLOWE STAIRCASE DEPOSIT", Pays(&["s3"])),
    (CURRENT, 0, 28, "FPI PEMBERTON KITCHENS", Pays(&["s1"])),
    (CARD, 0, 3, "TRAVIS PERKINS YORK", Coded("5000", "-186.42", "ST")),
    (CARD, 0, 18, "TRAVIS PERKINS YORK REFUND", Coded("5000", "32.40", "ST")),
    (CARD, 0, 24, "YORK SKIP HIRE", Coded("5300", "-228.00", "ST")),
    (CURRENT, 1, 4, "FPI MERIDIAN DESIGN LLP PART PAYMENT", Part("s2", "2000.00")),
    (CURRENT, 1, 6, "FPO MERCER VENEERS LTD 88307", Pays(&["b1"])),
    (CURRENT, 1, 9, "FPO D WHITFIELD DW-61", Pays(&["b2"])),
    (CURRENT, 1, 19, "FPO HMRC PAYE 475PX00123456", Coded("2210", "-1251.70", "NV")),
    (CURRENT, 1, 23, "BGC FENWICK AND SONS SITE 14", Over("s4", "12.00")),
    (CURRENT, 1, 28, "FPO R LARKIN DIVIDEND", Coded("3100", "-1200.00", "NV")),
    (CARD, 1, 9, "SHELL CLIFTON MOOR", Coded("7300", "-62.10", "ST")),
    (CARD, 1, 22, "GUY FAWKES INN YORK CLIENT LUNCH", Coded("7420", "-84.00", "NV")),
    (CARD, 1, 23, "POST OFFICE COUNTER YORK", Coded("7510", "-17.40", "EX")),
    (CURRENT, 2, 2, "FPI MERIDIAN DESIGN LLP BALANCE", Pays(&["s2"])),
    (CURRENT, 2, 6, "FPO MERCER VENEERS LTD 88419", Pays(&["b4"])),
    (CURRENT, 2, 11, "FPI J MARLOWE STAIRCASE", Pays(&["s8"])),
    (CURRENT, 2, 14, "BGC BISHOPTHORPE PC", Pays(&["s5"])),
    (CURRENT, 2, 19, "FPO HMRC PAYE 475PX00123456", Coded("2210", "-1251.70", "NV")),
    (CARD, 2, 8, "NETFLIX.COM", Private("-10.99")),
    (CARD, 2, 20, "SCREWFIX DIRECT YORK", Open("-74.99")),
    (CURRENT, 2, 26, "FPO HARROGATE HARDWARE HH20991", Open("-465.84")),
    (CURRENT, 2, 27, "BGC ASHDOWN SCHOOL LIBRARY", Open("2832.00")),
];

/// What the bank shows every month.
pub(super) const EVERY_MONTH: [(&str, u32, &str, Meaning); 13] = [
    (CURRENT, 1, "SO HARGREAVES ESTATES WORKSHOP RENT", Coded("7100", "-950.00", "EX")),
    (CURRENT, 3, "DD BRITISH GAS BUSINESS", Coded("7200", "-212.60", "ST")),
    (CURRENT, 14, "DD O2 UK", Coded("7500", "-41.20", "ST")),
    (CURRENT, 15, "DD BLACK HORSE LTD VAN HP", Split(&[("2510", "-268.75", "NV"), ("7910", "-50.00", "EX")])),
    (CURRENT, 25, "DD BARCLAYCARD COMMERCIAL", Transfer("-411.84", CARD)),
    (CARD, 25, "PAYMENT RECEIVED THANK YOU", Transfer("411.84", CURRENT)),
    (CURRENT, 26, "T BRADLEY WAGES", Coded("2240", "-1420.00", "NV")),
    (CURRENT, 26, "S MARSH WAGES", Coded("2240", "-1385.50", "NV")),
    (CURRENT, 27, "DD NEST PENSION", Coded("2230", "-164.20", "NV")),
    (CURRENT, 28, "ACCOUNT MAINTENANCE FEE", Coded("7900", "-8.00", "EX")),
    (SAVINGS, 28, "GROSS INTEREST", Coded("4910", "6.41", "EX")),
    (CARD, 12, "XERO UK LTD", Coded("7520", "-39.60", "ST")),
    (CARD, 16, "SHELL CLIFTON MOOR", Coded("7300", "-58.20", "ST")),
];

/// Account code, debit, credit, as the story has them.
type JournalLine = (&'static str, &'static str, &'static str);

/// What is journalled at the end of every month: description, and account, debit, credit.
pub(super) const JOURNALS: [(&str, &[JournalLine]); 2] = [
    (
        "Payroll",
        &[
            ("7000", "3820.00", ""),
            ("7010", "310.18", ""),
            ("7020", "91.22", ""),
            ("2240", "", "2805.50"),
            ("2230", "", "164.20"),
            ("2210", "", "1251.70"),
        ],
    ),
    ("Depreciation", &[("8000", "275.00", ""), ("0031", "", "118.33"), ("0051", "", "156.67")]),
];

/// The statement of the first day after the months, as it is imported and suggested: account, amount, what the bank says. Usual
/// payments, a transfer with both sides, and a cheque that nobody could know.
pub(super) const NEXT_STATEMENT: [(&str, &str, &str); 10] = [
    (CURRENT, "-950.00", "SO HARGREAVES ESTATES WORKSHOP RENT"),
    (CURRENT, "-212.60", "DD BRITISH GAS BUSINESS"),
    (CURRENT, "-41.20", "DD O2 UK"),
    (CURRENT, "-1420.00", "T BRADLEY WAGES"),
    (CURRENT, "-164.20", "DD NEST PENSION"),
    (CURRENT, "-600.00", "TRANSFER TO SAVINGS ACCOUNT"),
    (SAVINGS, "600.00", "TRANSFER FROM CURRENT ACCOUNT"),
    (CARD, "-39.60", "XERO UK LTD"),
    (CARD, "-61.35", "SHELL CLIFTON MOOR"),
    (CURRENT, "-275.00", "CHEQUE 000417"),
];

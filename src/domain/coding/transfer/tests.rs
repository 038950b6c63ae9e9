//! Which lines are transfers, which are not, and which account a tag stands for.

use std::borrow::Cow;

use crate::domain::amount;
use crate::domain::coding::batch::{Account, AccountType, Batch, Transaction};
use crate::domain::coding::line::{Line, Tags};
use crate::domain::date::Date;

use super::{OwnAccounts, Transfer, pair};

fn account<'a>(name: &'a str, kind: AccountType) -> Account<'a> {
    Account { code: Cow::from(format!("#{name}")), name: Cow::from(name), kind }
}

fn line<'a>(tag: &'a str, days: i32, amount: &str, description: &'a str) -> Transaction<'a> {
    Transaction {
        date: Date::numbered(20_000 + days),
        description: Cow::from(description),
        amount: amount::parse(amount).unwrap(),
        merchant: None,
        reference: None,
        bank_account: (!tag.is_empty()).then(|| Cow::from(tag)),
        merchant_category_code: None,
    }
}

const CHART: [(&str, AccountType); 7] = [
    ("Lloyds current account", AccountType::Asset),
    ("Lloyds savings", AccountType::Asset),
    ("PayPal", AccountType::Asset),
    ("Amex card", AccountType::Liability),
    ("Bounce back loan", AccountType::Liability),
    ("Trade debtors", AccountType::Asset),
    ("Sales", AccountType::Income),
];

fn batch<'a>(lines: &[Transaction<'a>], chart: &[(&'a str, AccountType)]) -> Batch<'a> {
    let accounts = chart.iter().map(|(name, kind)| account(name, *kind)).collect();
    Batch { transactions: lines.to_vec(), accounts, ..Batch::default() }
}

fn transfers(batch: &Batch<'_>) -> Vec<Option<Transfer>> {
    let (lines, _) = Line::read_all(batch);
    pair(&lines, &batch.accounts, &OwnAccounts::resolve(batch), |_| false)
}

/// The other account and the pair of each line.
fn found<'a>(lines: &[Transaction<'a>]) -> Vec<Option<(&'a str, Option<usize>)>> {
    let batch = batch(lines, &CHART);
    transfers(&batch)
        .into_iter()
        .map(|transfer| transfer.map(|transfer| (CHART[transfer.account].0, transfer.pair)))
        .collect()
}

const CURRENT: &str = "LLOYDS BUS";
const SAVER: &str = "LLOYDS SAVER";
const CARD: &str = "Amex Business Gold";
const PAYPAL: &str = "PayPal";

#[test]
fn both_sides_of_a_transfer_find_each_other() {
    for (out, into, from, to) in [
        ("TO LLOYDS SAVER TFR", "FROM LLOYDS BUSINESS TFR", CURRENT, SAVER),
        ("TRANSFER TO SAVINGS A/C 20-11-43 30441209 FT", "TRANSFER FROM CURRENT A/C FT", CURRENT, SAVER),
        ("TO A/C 10441882 , VIA MOBILE - PYMT", "FROM A/C 00318842 , VIA MOBILE - PYMT", CURRENT, SAVER),
        ("204418 60331872 VAT AND TAX FT", "204418 40118830 CHAPEL GREEN PREC FT", CURRENT, SAVER),
        ("American Express AMEX DD 3742", "PAYMENT RECEIVED - THANK YOU", CURRENT, CARD),
        ("DD 0088231 AMEX", "DIRECT DEBIT PAYMENT", CURRENT, CARD),
        ("General Withdrawal to Bank Account", "PAYPAL PYT 1030881144", PAYPAL, CURRENT),
        ("User Initiated Withdrawal to Lloyds", "PAYPAL", PAYPAL, CURRENT),
        ("SWEEP", "AUTO SWEEP", CURRENT, SAVER),
        ("TOP UP", "TOP UP", CURRENT, SAVER),
    ] {
        let lines = [
            line(from, 0, "-750", out),
            line(to, 1, "750", into),
            line(CURRENT, 0, "-750", "TESCO"),
            line(SAVER, 0, "750", "ACME"),
        ];
        let found = found(&lines);
        assert_eq!(found[0].map(|side| side.1), Some(Some(1)), "{out}");
        assert_eq!(found[1].map(|side| side.1), Some(Some(0)), "{into}");
        assert_eq!((found[2], found[3]), (None, None), "{out}");
        let (there, back) = (found[0].unwrap().0, found[1].unwrap().0);
        let word = |tag: &str| match tag {
            CURRENT => "current",
            SAVER => "savings",
            CARD => "Amex",
            _ => "PayPal",
        };
        assert!(there.contains(word(to)) && back.contains(word(from)), "{there} {back}");
    }
}

#[test]
fn one_side_may_say_it_for_both() {
    let found = found(&[
        line(CURRENT, 0, "-10000", "LLOYDS SAVER TFR RESERVES"),
        line(SAVER, 3, "10000", "FASTER PAYMENT MILLBROOK COMMUNITY CENTRE"),
    ]);
    assert_eq!(found, [Some(("Lloyds savings", Some(1))), Some(("Lloyds current account", Some(0)))]);
}

#[test]
fn opposite_amounts_alone_are_no_transfer() {
    for (out, into) in [
        ("J SMITH", "ACME LTD"),
        ("HMRC VAT", "TRANSFER FROM CURRENT ACCOUNT"),
        ("WAGES JUNE TFR", "TRANSFER"),
        ("P NAIR DIRECTORS LOAN REPAYMENT", "FROM LLOYDS BUSINESS TFR"),
        ("TFR ACME SUPPLIES INVOICE 12", "FROM LLOYDS BUSINESS TFR"),
        ("TRANSFER TO J BLOGGS", "JONES BAKERS"),
        ("CARD PAYMENT TO TESCO", "REFUND FROM TESCO"),
        ("", ""),
        ("TESCO", "CASH DEPOSIT"),
        ("20-11-43 30441209", "ACME LTD"),
        ("תשלום 🎉", "🎉"),
    ] {
        let found = found(&[line(CURRENT, 0, "-750", out), line(SAVER, 0, "750", into)]);
        assert!(found.iter().flatten().all(|side| side.1.is_none()), "{out} / {into}: {found:?}");
    }
}

#[test]
fn a_stranger_s_payment_is_not_what_a_card_thanks_for() {
    let found =
        found(&[line(CURRENT, 0, "-100", "TFR P NOWAK LABOUR"), line(CARD, 0, "100", "PAYMENT RECEIVED - THANK YOU")]);
    assert_eq!(found[0], None);
}

#[test]
fn days_amounts_and_accounts_must_fit() {
    let near = |days, out, into, tag| {
        found(&[line(CURRENT, 10, out, "TRANSFER"), line(tag, 10 + days, into, "TRANSFER")]).iter().flatten().count()
    };
    for days in -2..=4 {
        assert_eq!(near(days, "-75", "75", SAVER), 2, "{days}");
    }
    assert_eq!((near(-3, "-75", "75", SAVER), near(5, "-75", "75", SAVER)), (0, 0));
    assert_eq!(near(0, "-75", "74.99", SAVER), 0);
    assert_eq!(near(0, "-75", "-75", SAVER), 0);
    assert_eq!(near(0, "-75", "75", CURRENT), 0, "both sides in one account");
    assert_eq!(near(0, "-75", "75", ""), 0);
}

#[test]
fn the_nearest_day_is_the_pair() {
    let found = found(&[
        line(CURRENT, 0, "-75", "TRANSFER TO SAVER"),
        line(CURRENT, 3, "-75", "TRANSFER TO SAVER"),
        line(SAVER, 3, "75", "TRANSFER FROM CURRENT"),
        line(SAVER, 0, "75", "TRANSFER FROM CURRENT"),
    ]);
    let pairs: Vec<_> = found.iter().map(|side| side.and_then(|side| side.1)).collect();
    assert_eq!(pairs, [Some(3), Some(2), Some(1), Some(0)]);
}

#[test]
fn what_is_taken_is_left_alone() {
    let lines = [line(CURRENT, 0, "-75", "TRANSFER TO SAVER"), line(SAVER, 0, "75", "TRANSFER FROM CURRENT")];
    let batch = batch(&lines, &CHART);
    let (lines, _) = Line::read_all(&batch);
    let transfers = pair(&lines, &batch.accounts, &OwnAccounts::resolve(&batch), |row| row == 0);
    assert_eq!(transfers[0], None);
    assert_eq!(transfers[1].as_ref().unwrap().pair, None);
}

#[test]
fn one_side_alone_must_say_so_and_name_the_account() {
    let alone =
        |tag, amount, text| found(&[line(tag, 0, amount, text), line(CARD, 30, "-1", "COSTA")])[0].map(|side| side.0);
    assert_eq!(alone(CURRENT, "-500", "TRANSFER TO SAVINGS ACCOUNT"), Some("Lloyds savings"));
    assert_eq!(alone(CURRENT, "-642.18", "DD AMERICAN EXPRESS 3742"), Some("Amex card"));
    assert_eq!(alone(CURRENT, "300", "PAYPAL TRANSFER 1029384756"), Some("PayPal"));
    assert_eq!(alone(CARD, "642.18", "PAYMENT RECEIVED - THANK YOU"), Some("Lloyds current account"));
    for text in [
        "TRANSFER TO J SMITH",
        "TRANSFER",
        "PAYPAL *ETSY SUPPLIES",
        "SAVINGS BOOK SHOP",
        "AMEX MERCHANT FEES",
        "LLOYDS BANK LOAN",
    ] {
        assert_eq!(alone(CURRENT, "-500", text), None, "{text}");
    }
    assert_eq!(alone(CURRENT, "640", "AMERICAN EXPRESS SETTLEMENT"), None, "card takings");
}

#[test]
fn tags_stand_for_accounts() {
    let resolved = |tags: &[&str], chart: &[(&'static str, AccountType)]| -> Vec<Option<&'static str>> {
        let lines: Vec<Transaction<'_>> = tags.iter().map(|tag| line(tag, 0, "1", "X")).collect();
        let batch = batch(&lines, chart);
        let own = OwnAccounts::resolve(&batch);
        let places = Tags::of(&batch);
        tags.iter()
            .map(|tag| places.index_of(tag).and_then(|tag| own.account_of(tag)).map(|account| chart[account].0))
            .collect()
    };
    use AccountType::{Asset, Expense, Liability};
    assert_eq!(
        resolved(&[CURRENT, SAVER, CARD, PAYPAL], &CHART),
        [Some("Lloyds current account"), Some("Lloyds savings"), Some("Amex card"), Some("PayPal")]
    );
    let sage = [
        ("Bank Current Account", Asset),
        ("Bank Deposit Account", Asset),
        ("Petty Cash", Asset),
        ("Company Credit Card", Liability),
        ("Bank charges", Expense),
    ];
    assert_eq!(
        resolved(&["HSBC Current", "HSBC Deposit", "HSBC Commercial Card"], &sage),
        [Some("Bank Current Account"), Some("Bank Deposit Account"), Some("Company Credit Card")]
    );
    assert_eq!(
        resolved(&["#Petty Cash", "bank current account"], &sage),
        [Some("Petty Cash"), Some("Bank Current Account")]
    );
    assert_eq!(
        resolved(&["Monzo"], &[("Business bank", Asset), ("Customer deposits held", Liability)]),
        [Some("Business bank")]
    );
    let pots = [("Starling Business Account", Asset), ("Starling Space - VAT pot", Asset), ("VAT control", Liability)];
    assert_eq!(
        resolved(&["Starling", "VAT pot"], &pots),
        [Some("Starling Business Account"), Some("Starling Space - VAT pot")]
    );
    let natwest = [
        ("NatWest Current", Asset),
        ("NatWest Reserve", Asset),
        ("Credit Card: NatWest OneCard", Liability),
        ("NatWest loan", Liability),
    ];
    assert_eq!(
        resolved(&["OneCard 6671", "Reserve 38112211", "Current 38112204"], &natwest),
        [Some("Credit Card: NatWest OneCard"), Some("NatWest Reserve"), Some("NatWest Current")]
    );
    assert_eq!(resolved(&["Lloyds", "Lloyds savings"], &[("Bank", Asset)]), [Some("Bank"), Some("Bank")]);
    assert_eq!(resolved(&["Lloyds"], &[("Trade debtors", Asset), ("Lloyds loan", Liability)]), [None]);
    assert_eq!(resolved(&["🎉", "Nothing known"], &[("Sales", AccountType::Income)]), [None, None]);
}

#[test]
fn money_is_told_from_other_assets() {
    let chart = [
        ("Lloyds current account", AccountType::Asset),
        ("Petty cash tin", AccountType::Asset),
        ("Capital on Tap card", AccountType::Liability),
        ("RBS reserve (tax & rent)", AccountType::Asset),
        ("Directors' loan account", AccountType::Liability),
        ("Tenants' deposits", AccountType::Liability),
        ("Lloyds purchase loan", AccountType::Liability),
        ("Stock in cellar", AccountType::Asset),
        ("Rent deposit paid", AccountType::Asset),
        ("Bank charges", AccountType::Expense),
        ("Prepayments", AccountType::Asset),
    ];
    let batch = batch(&[], &chart);
    let own = OwnAccounts::resolve(&batch);
    let money: Vec<bool> = (0..chart.len()).map(|account| own.is_money(account)).collect();
    assert_eq!(money.iter().position(|money| !money), Some(4));
    assert!(money[4..].iter().all(|money| !money), "{money:?}");
}

/// What every row was answered, without any index, in an order of its own.
fn by_value(batch: &Batch<'_>) -> Vec<String> {
    let mut rows: Vec<String> = batch
        .transactions
        .iter()
        .zip(transfers(batch))
        .map(|(line, transfer)| {
            let transfer = transfer.map(|transfer| {
                let pair = transfer.pair.map(|row| &batch.transactions[row]);
                format!("{} {} {} {pair:?}", batch.accounts[transfer.account].name, transfer.strength, transfer.remark)
            });
            format!("{line:?} {transfer:?}")
        })
        .collect();
    rows.sort_unstable();
    rows
}

#[test]
fn no_order_of_lines_or_accounts_changes_an_answer() {
    let texts = [
        "TRANSFER",
        "TFR LLOYDS SAVER",
        "TO SAVINGS",
        "PAYMENT RECEIVED - THANK YOU",
        "AMEX DD",
        "PAYPAL TRANSFER",
        "FROM LLOYDS BUS",
        "J SMITH",
        "TFR J SMITH",
        "TESCO",
        "General Withdrawal",
        "HMRC",
    ];
    let tags = [CURRENT, SAVER, CARD, PAYPAL, ""];
    let mut seed = 0x5eed_0000_0000_0007_u64;
    let mut dice = |sides: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(sides).unwrap()).unwrap()
    };
    let mut paired = 0;
    for round in 0..200 {
        let rows = if round % 50 == 49 { 400 } else { 40 };
        let amounts = ["-5", "5", "-7", "7"];
        let lines: Vec<Transaction<'_>> = (0..rows)
            .map(|_| {
                line(
                    tags[dice(tags.len())],
                    i32::try_from(dice(9)).unwrap(),
                    amounts[dice(4)],
                    texts[dice(texts.len())],
                )
            })
            .collect();
        let mut batch = batch(&lines, &CHART);
        let before = by_value(&batch);
        let answers = transfers(&batch);
        for (row, answer) in answers.iter().enumerate() {
            let Some(other) = answer.as_ref().and_then(|answer| answer.pair) else { continue };
            paired += 1;
            assert_eq!(answers[other].as_ref().and_then(|answer| answer.pair), Some(row));
            let (here, there) = (&batch.transactions[row], &batch.transactions[other]);
            assert_eq!(here.amount, -there.amount);
            assert_ne!(here.bank_account, there.bank_account);
        }
        for place in (1..rows).rev() {
            batch.transactions.swap(place, dice(place + 1));
        }
        batch.accounts.reverse();
        assert_eq!(before, by_value(&batch), "round {round}");
    }
    assert!(paired > 500, "the batches are hardly a test: {paired}");
}

#[test]
fn hostile_lines_are_read() {
    let long: String = "TRANSFER 🎉 \u{202e} 20-11-43 SAVER ".repeat(20).chars().take(500).collect();
    let most = amount::parse("999999999999999999.99").unwrap();
    let mut lines = vec![line(CURRENT, 0, "1", "X"), line(SAVER, 0, "1", "X")];
    (lines[0].description, lines[0].amount) = (Cow::from(long.as_str()), -most);
    (lines[1].description, lines[1].amount) = (Cow::from(long.as_str()), most);
    assert_eq!(transfers(&batch(&lines, &CHART)).iter().flatten().count(), 2);
    assert_eq!(transfers(&batch(&lines, &[])), [None, None]);
}

#[test]
fn cash_between_a_till_and_a_bank_is_one_transfer() {
    let chart = [
        ("Lloyds current account", AccountType::Asset),
        ("Till cash", AccountType::Asset),
        ("Sales", AccountType::Income),
    ];
    let lines = [
        line("Lloyds current account", 3, "260.00", "CASH IN 400118 KENDAL"),
        line("Till cash", 3, "-260.00", "Banked bag 31"),
        line("Till cash", 4, "-12.00", "Window cleaner"),
        line("Lloyds current account", 5, "12.00", "REFUND OF CARRIAGE"),
    ];
    let batch = batch(&lines, &chart);
    let pairs: Vec<Option<usize>> =
        transfers(&batch).into_iter().map(|transfer| transfer.and_then(|transfer| transfer.pair)).collect();
    assert_eq!(pairs, [Some(1), Some(0), None, None]);
}

#[test]
fn a_card_thanks_for_the_direct_debit_that_pays_it() {
    let chart = [("Santander current", AccountType::Asset), ("Santander business credit card", AccountType::Liability)];
    let lines = [
        line("Santander current", 3, "-903.18", "DIRECT DEBIT PAYMENT TO SANTANDER BUS CARD REF 5521"),
        line("Santander business credit card", 3, "903.18", "DIRECT DEBIT RECEIVED WITH THANKS"),
    ];
    let batch = batch(&lines, &chart);
    let pairs: Vec<Option<usize>> =
        transfers(&batch).into_iter().map(|transfer| transfer.and_then(|transfer| transfer.pair)).collect();
    assert_eq!(pairs, [Some(1), Some(0)]);
}

#[test]
fn the_same_words_on_an_agents_accounts_on_one_day_move_money() {
    let chart = [
        ("Office Current Account (NatWest)", AccountType::Asset),
        ("Client Account (NatWest)", AccountType::Asset),
        ("Management Fees", AccountType::Income),
    ];
    let (office, client) = (chart[0].0, chart[1].0);
    let pairs = |lines: &[Transaction<'static>]| {
        let found = transfers(&batch(lines, &chart)).into_iter();
        found.map(|transfer| transfer.and_then(|transfer| transfer.pair)).collect::<Vec<_>>()
    };
    let swept = |out: &'static str, into: &'static str, days| {
        [line(client, 0, "-2318.40", out), line(office, days, "2318.40", into)]
    };
    assert_eq!(
        pairs(&swept("NATWEST 60-15-44 41882077 , FEES WK 5", "NATWEST 60-15-44 41882069 , FEES WK 5", 0)),
        [Some(1), Some(0)]
    );
    let mispaid = [
        line(office, 3, "-780.00", "NATWEST 60-15-44 41882069 , F NUNN RENT MISPAID"),
        line(client, 3, "780.00", "NATWEST 60-15-44 41882077 , F NUNN RENT MISPAID"),
    ];
    assert_eq!(pairs(&mispaid), [Some(1), Some(0)]);
    // Other words, another day, or numbers alone are what somebody paid.
    assert_eq!(pairs(&swept("PARKER PLUMBING FEES WK 5", "J ABBOTT FEES WK 5", 0)), [None, None]);
    assert_eq!(pairs(&swept("TIDE PLUMBING FEES", "TIDE PLUMBING FEES", 1)), [None, None]);
    assert_eq!(pairs(&swept("44120", "44120", 0)), [None, None]);
}

//! What holds for every batch: no order changes an answer, nothing is settled twice, and hostile batches settle nothing.

use std::borrow::Cow;

use crate::domain::amount::UNITS_PER_PENNY;
use crate::domain::coding::batch::{Batch, Invoice, InvoiceKind, Transaction};
use crate::domain::coding::line::Line;
use crate::domain::control::Unattended;
use crate::domain::date::Date;

use super::{Settlement, settle};

/// Small seeded numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.throw(choices.len())]
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for place in (1..list.len()).rev() {
            list.swap(place, self.throw(place + 1));
        }
    }
}

const CONTACTS: [&str; 8] = [
    "Acme Foods Ltd",
    "Acme Fuels Ltd",
    "Bardsley Construction",
    "J Smith",
    "K Smith",
    "Smith & Sons",
    "Hunter & Vale",
    "שלום 🎉",
];

/// A crowded list: few contacts, few amounts, numbers that collide.
fn invoices(dice: &mut Dice, count: usize) -> Vec<Invoice<'static>> {
    let one = |dice: &mut Dice| {
        let number = match dice.throw(5) {
            0 => format!("INV-{:04}", dice.throw(30)),
            1 => format!("{}/25", dice.throw(30)),
            2 => format!("K{}", 100 + dice.throw(30)),
            3 => format!("{}", 1000 + dice.throw(30)),
            _ => dice.pick(&["🎉", "-", "", "ABC", "2025", "0000", "INV"]).to_owned(),
        };
        let date = Date::numbered(20_000) + i32::try_from(dice.throw(30)).unwrap();
        let kind = InvoiceKind::ALL[dice.throw(3)];
        Invoice {
            number: Cow::from(number),
            kind,
            contact: Cow::from(dice.pick(&CONTACTS)),
            date,
            due_date: (dice.throw(2) == 0).then_some(date + 30),
            total: None,
            amount_due: pounds(1 + dice.throw(6)),
            currency: (dice.throw(9) == 0).then_some(Cow::from("USD")),
            reference: (dice.throw(9) == 0).then(|| Cow::from(format!("PO {}", 4000 + dice.throw(9)))),
            account: None,
        }
    };
    (0..count).map(|_| one(dice)).collect()
}

fn pounds(count: usize) -> i128 {
    i128::try_from(count).unwrap() * 10_000 * UNITS_PER_PENNY
}

fn lines(dice: &mut Dice, count: usize, invoices: &[Invoice<'_>]) -> Vec<Transaction<'static>> {
    let one = |dice: &mut Dice| {
        let any = &invoices[dice.throw(invoices.len())];
        let mut words = vec![dice.pick(&["BGC", "FASTER PAYMENT", "DD", "CARD PAYMENT TO", ""]).to_owned()];
        words.push(if dice.throw(3) > 0 {
            any.contact.to_uppercase()
        } else {
            dice.pick(&["TESCO", "HMRC VAT", ""]).to_owned()
        });
        words.push(if dice.throw(2) > 0 {
            any.number.to_string()
        } else {
            dice.pick(&["", "INV 7", "PART", "LESS CIS"]).to_owned()
        });
        words.push(dice.pick(&["", "", "PART", "ON ACCOUNT", "LESS CIS", "LESS CN"]).to_owned());
        let share = [100, 100, 100, 50, 80, 97, 101, 200][dice.throw(8)];
        let sign = if dice.throw(2) == 0 { 1 } else { -1 };
        Transaction {
            date: Date::numbered(20_000 + i32::try_from(dice.throw(60)).unwrap()),
            description: Cow::from(words.join(" ")),
            amount: sign * any.amount_due * share / 100,
            merchant: None,
            reference: (dice.throw(4) == 0).then(|| Cow::from(any.number.to_string())),
            bank_account: None,
            merchant_category_code: None,
        }
    };
    (0..count).map(|_| one(dice)).collect()
}

fn run(lines: &[Transaction<'_>], invoices: &[Invoice<'_>]) -> Vec<Option<Settlement>> {
    let batch = Batch { transactions: lines.to_vec(), ..Batch::default() };
    let (lines, _) = Line::read_all(&batch);
    settle(&lines, invoices, &Unattended).unwrap()
}

/// What every row was answered, without any index, in an order of its own.
fn by_value(lines: &[Transaction<'_>], invoices: &[Invoice<'_>], answers: &[Option<Settlement>]) -> Vec<String> {
    let mut rows: Vec<String> = lines
        .iter()
        .zip(answers)
        .map(|(line, answer)| {
            let answer = answer.as_ref().map(|answer| {
                let settled: Vec<_> =
                    answer.settled.iter().map(|part| (&invoices[part.invoice], part.amount, part.kind)).collect();
                format!("{settled:?} {} {}", answer.strength, answer.remark)
            });
            format!("{line:?} {answer:?}")
        })
        .collect();
    rows.sort_unstable();
    rows
}

#[test]
fn no_order_of_lines_or_invoices_changes_an_answer() {
    let mut dice = Dice(0x5eed_1234_5678_9abc);
    for round in 0..150 {
        let mut list = invoices(&mut dice, 4 + round % 40);
        let mut batch = lines(&mut dice, 60, &list);
        let before = by_value(&batch, &list, &run(&batch, &list));
        dice.shuffle(&mut batch);
        dice.shuffle(&mut list);
        let after = by_value(&batch, &list, &run(&batch, &list));
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before, after, "round {round}");
        }
    }
}

#[test]
fn nothing_is_settled_twice_or_the_wrong_way() {
    let mut dice = Dice(0x0dd5_eed5_0000_0001);
    let mut settled_lines = 0;
    for round in 0..200 {
        let list = invoices(&mut dice, 4 + round % 40);
        let batch = lines(&mut dice, 60, &list);
        let answers = run(&batch, &list);
        settled_lines += answers.iter().flatten().count();
        for (place, invoice) in list.iter().enumerate() {
            let parts =
                answers.iter().flatten().flat_map(|answer| &answer.settled).filter(|part| part.invoice == place);
            let total: i128 = parts.inspect(|part| assert!(part.amount > 0)).map(|part| part.amount).sum();
            assert!(total <= invoice.amount_due, "{invoice:?} {total}");
        }
        for (line, answer) in batch.iter().zip(&answers) {
            let Some(answer) = answer else { continue };
            assert!(!answer.remark.is_empty() && answer.strength <= 1000);
            let first = &list[answer.settled[0].invoice];
            match first.kind {
                InvoiceKind::Invoice => assert!(line.amount > 0, "{line:?} {answer:?}"),
                InvoiceKind::Bill => assert!(line.amount < 0, "{line:?} {answer:?}"),
                InvoiceKind::CreditNote => {}
            }
        }
    }
    assert!(settled_lines > 1_000, "the batches are hardly a test: {settled_lines}");
}

#[test]
fn equal_amounts_everywhere_settle_nothing_by_themselves() {
    let mut dice = Dice(0xabcd_ef01_2345_6789);
    let list: Vec<Invoice<'_>> = (0..300)
        .map(|place| Invoice {
            number: Cow::from(format!("INV-{:04}", 100 + place)),
            kind: InvoiceKind::ALL[place % 2],
            contact: Cow::from(format!("{} Engineering {place} Ltd", ["Abbot", "Birch", "Cedar", "Dover"][place % 4])),
            date: Date::numbered(20_000),
            due_date: None,
            total: None,
            amount_due: pounds(1),
            currency: None,
            reference: None,
            account: None,
        })
        .collect();
    let hostile = [
        "TESCO STORES 3297",
        "HMRC VAT 123456789",
        "TRANSFER TO SAVINGS A/C 20-11-43 30441209 FT",
        "ZEBRA CAFE INV 9001",
        "ZEBRA CAFE INV-0999",
        "CARD PAYMENT TO ZEBRA 100 ON 02 JUN BCC",
        "ENGINEERING",
        "LTD",
        "תשלום חשבונית 🎉",
        "\u{202e}0010-VNI REBEZ",
        "WAGES WK 12 ZEBRA 105",
        "P NOWAK LABOUR WE31/1",
    ];
    let batch: Vec<Transaction<'_>> = (0..600)
        .map(|place| Transaction {
            date: Date::numbered(20_010),
            description: Cow::from(dice.pick(&hostile)),
            amount: if place % 2 == 0 { pounds(1) } else { -pounds(1) },
            merchant: None,
            reference: None,
            bank_account: None,
            merchant_category_code: None,
        })
        .collect();
    for (line, answer) in batch.iter().zip(run(&batch, &list)) {
        assert_eq!(answer, None, "{}", line.description);
    }
}

#[test]
fn very_long_lines_and_very_large_amounts_are_read() {
    let long = "BARDSLEY 77120 20-11-43 INV 12 🎉 ".repeat(20);
    let text: String = long.chars().take(500).collect();
    let mut list = vec![Invoice {
        number: Cow::from("9".repeat(100)),
        kind: InvoiceKind::Invoice,
        contact: Cow::from("Z".repeat(200)),
        date: Date::MIN,
        due_date: Some(Date::MAX),
        total: None,
        amount_due: 999_999_999_999_999_999 * 100 * UNITS_PER_PENNY,
        currency: None,
        reference: Some(Cow::from("1".repeat(100))),
        account: None,
    }];
    list.push(Invoice { contact: Cow::from(""), number: Cow::from("🎉"), date: Date::MAX, ..list[0].clone() });
    let batch: Vec<Transaction<'_>> = [list[0].amount_due, -list[0].amount_due, 1, 0]
        .into_iter()
        .map(|amount| Transaction {
            date: Date::numbered(20_000),
            description: Cow::from(text.as_str()),
            amount,
            merchant: Some(Cow::from("Z".repeat(200))),
            reference: Some(Cow::from("9".repeat(100))),
            bank_account: None,
            merchant_category_code: None,
        })
        .collect();
    let answers = run(&batch, &list);
    assert_eq!(answers[0].as_ref().map(|answer| answer.settled.len()), Some(1));
    assert_eq!(answers[1..], [None, None, None]);
}

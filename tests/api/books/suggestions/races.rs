//! Two people who confirm the same suggestions at once, while invoices are paid and accounts archived: each line is posted once or
//! refused with its reason, and never wrongly. `SUGGESTION_RACES` sets how many lines are raced for.

use serde_json::{Value, json};

use super::{books_on, outcomes};
use crate::books::Books;
use crate::support::database::on_both_databases;

/// Lines raced for, unless the environment says otherwise.
const RACES: usize = 240;
/// Lines of one round.
const ROUND: usize = 60;

fn races() -> usize {
    std::env::var("SUGGESTION_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(RACES)
}

/// The reasons for which a line may be refused.
const REASONS: [&str; 4] = ["invalid_state", "over_allocated", "account_archived", "stale_suggestion"];

on_both_databases! {
    fn each_line_is_posted_once_or_refused(database) {
        let books = books_on(&database);
        // Somebody who can pay for any number of races.
        let rich = books.server.person_with(1_000_000, 0, false);
        books.server.member(books.id, &rich, "bookkeeper");
        let key = books.server.key(&rich, &["books:read", "books:write", "coding:read", "coding:write"]);
        let books = Books { key, ..books };
        for month in 1..=4 {
            let past = books.bank_line(&format!("2025-0{month}-07"), "-48.00", "ZORBLAX HEATING");
            books.code(past, "7520", "RR");
        }
        let customer = books.customer("Harrogate Stoves");
        let mut raced = 0;
        while raced < races() {
            round(&books, customer, raced);
            raced += ROUND;
        }
    }
}

/// A third of the lines are receipts of invoices that somebody else pays meanwhile, the others are coded to an account that is
/// archived and taken back.
fn round(books: &Books, customer: i64, first: usize) {
    let mut lines = Vec::with_capacity(ROUND);
    let mut invoices = Vec::new();
    for at in 0..ROUND {
        let pence = 100 + first + at;
        let amount = format!("{}.{:02}", pence / 100, pence % 100);
        if at % 3 == 0 {
            let invoice = books.sale(customer, "2025-05-01", &amount);
            let number = invoice["invoice_number"].as_str().unwrap();
            lines.push(books.bank_line("2025-05-08", &amount, &format!("FPI HARROGATE STOVES {number}")));
            invoices.push((invoice, amount));
        } else {
            lines.push(books.bank_line("2025-05-09", &format!("-{amount}"), "ZORBLAX HEATING"));
        }
    }
    books.suggested(&json!({ "transaction_ids": lines }));
    let before = books.server.rows_of("journal");
    let account = books.account_id("7520");
    let take = || {
        let answers: Vec<Value> =
            lines.chunks(ROUND / 6).map(|some| books.take(&json!({ "transaction_ids": some })).expect(200)).collect();
        answers
    };
    let (taken, paid) = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(take), scope.spawn(take));
        let paying = scope.spawn(|| {
            let mut paid = 0;
            for (invoice, amount) in &invoices {
                let body = books.receipt_body(customer, "2025-05-07", amount, &[(invoice, amount)]);
                let answer = books.post("/customer-receipts", &body);
                assert!([201, 422].contains(&answer.status), "{}", answer.text());
                paid += usize::from(answer.status == 201);
            }
            paid
        });
        let archiving = scope.spawn(|| {
            for _ in 0..4 {
                for action in ["archive", "unarchive"] {
                    books.request("POST", &format!("/accounts/{account}/{action}")).send().expect(200);
                }
            }
        });
        archiving.join().unwrap();
        let taken = [one.join().unwrap(), other.join().unwrap()].concat();
        (taken, paying.join().unwrap())
    });
    // By line: how often it was confirmed.
    let mut confirmed: std::collections::HashMap<i64, usize> = std::collections::HashMap::new();
    for (line, status, reason) in taken.iter().flat_map(outcomes) {
        match status.as_str() {
            "confirmed" => *confirmed.entry(line).or_default() += 1,
            "refused" => assert!(REASONS.contains(&reason.as_deref().unwrap()), "{reason:?}"),
            other => panic!("{other}"),
        }
    }
    assert!(confirmed.values().all(|times| *times == 1), "{confirmed:?}");
    for line in &lines {
        let now = books.line_now(*line);
        assert_eq!(now["status"] == "confirmed", confirmed.contains_key(line), "{now}");
    }
    // One journal for each confirmed line and for each payment that came first; no invoice is paid twice.
    let journals = books.server.rows_of("journal") - before;
    assert_eq!(journals, i64::try_from(confirmed.len() + paid).unwrap());
    for (invoice, _) in &invoices {
        let now = books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"].clone();
        assert_eq!((&now["amount_due"], &now["status"]), (&json!(0.0), &json!("paid")), "{now}");
    }
}

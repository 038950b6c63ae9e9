//! Books that changed after a line was given its suggestion: the line is refused by its own reason, and nothing else is.

use serde_json::{Value, json};

use super::{books_on, outcomes};
use crate::books::{Books, reason};
use crate::support::database::{Database, on_both_databases};

/// A line with a suggestion, and one beside it that is in order; then the books change.
struct Case {
    name: &'static str,
    reason: &'static str,
    line: i64,
}

#[track_caller]
fn confirm_alone(books: &Books, line: i64) -> (u16, String) {
    let refused = books.request("POST", &format!("/bank-transactions/{line}/confirm")).send();
    (refused.status, reason(&refused))
}

fn changed_books(database: &Database) -> (Books, Vec<Case>, i64) {
    let books = books_on(database);
    let savings = books.another_bank("Savings reserve");
    let due = |name: &str, date: &str, gross: &str| {
        let customer = books.customer(name);
        (customer, books.sale(customer, date, gross))
    };
    let receipt = |invoice: &Value, name: &str, gross: &str| {
        books.bank_line("2025-05-08", gross, &format!("FPI {name} {}", invoice["invoice_number"].as_str().unwrap()))
    };
    let (paid_by, paid) = due("Harrogate Stoves", "2025-04-20", "1200");
    let (part_by, part) = due("Ilkley Interiors", "2025-04-21", "640");
    let (_, void) = due("Otley Optics", "2025-04-22", "333");
    let (_, gone) = due("Pudsey Paints", "2025-04-23", "444");
    let cases = vec![
        ("invoice paid", "over_allocated", receipt(&paid, "HARROGATE STOVES", "1200")),
        ("invoice part paid", "over_allocated", receipt(&part, "ILKLEY INTERIORS", "640")),
        ("invoice void", "invalid_state", receipt(&void, "OTLEY OPTICS", "333")),
        ("contact archived", "contact_archived", receipt(&gone, "PUDSEY PAINTS", "444")),
        ("account archived", "account_archived", books.known_payee("ZORBLAX HEATING", "7520", "ST")),
        (
            "transfer confirmed",
            "invalid_state",
            books.bank_line("2025-05-11", "-900.00", "TRANSFER TO SAVINGS RESERVE"),
        ),
        (
            "transfer deleted",
            "stale_suggestion",
            books.bank_line("2025-05-13", "-77.00", "TRANSFER TO SAVINGS RESERVE"),
        ),
        ("period locked", "period_locked", books.bank_line("2025-02-01", "-48.00", "HALLOWAY CLEANING")),
    ];
    let taken = books.bank_line_of(savings, "2025-05-11", "900.00", "TRANSFER FROM CURRENT ACCOUNT");
    let deleted = books.bank_line_of(savings, "2025-05-13", "77.00", "TRANSFER FROM CURRENT ACCOUNT");
    let fine = books.known_payee("HALLOWAY CLEANING", "7200", "RR");
    books.suggested(&json!({}));
    for (name, _, line) in &cases {
        assert!(books.line_now(*line)["suggestion"].is_object(), "{name}");
    }
    books.receipt(paid_by, "2025-05-09", "1200", &[(&paid, "1200")]);
    books.receipt(part_by, "2025-05-09", "100", &[(&part, "100")]);
    books.done(&format!("/sales-invoices/{}/void", void["id"]), &json!({}));
    let customers = books.get("/customers")["data"].clone();
    let customer = customers.as_array().unwrap().iter().find(|row| row["name"] == "Pudsey Paints").unwrap();
    books.request("POST", &format!("/customers/{}/archive", customer["id"])).send().expect(200);
    books.request("POST", &format!("/accounts/{}/archive", books.account_id("7520"))).send().expect(200);
    books.code(taken, "7500", "NV");
    books.request("DELETE", &format!("/bank-transactions/{deleted}")).send().expect(200);
    books.lock("2025-02-28");
    let cases = cases.into_iter().map(|(name, reason, line)| Case { name, reason, line }).collect();
    (books, cases, fine)
}

on_both_databases! {
    fn each_line_is_refused_by_its_own_reason_and_the_others_are_posted(database) {
        let (books, cases, fine) = changed_books(&database);
        let before = books.server.rows_of("journal");
        for case in &cases {
            let (status, reason) = confirm_alone(&books, case.line);
            assert_eq!(reason, case.reason, "{}", case.name);
            assert_eq!(status, if ["invalid_state", "stale_suggestion"].contains(&case.reason) { 409 } else { 422 });
        }
        assert_eq!(books.server.rows_of("journal"), before);
        let mut lines: Vec<i64> = cases.iter().map(|case| case.line).collect();
        lines.insert(4, fine);
        let taken = books.take(&json!({ "transaction_ids": lines })).expect(200);
        let mut expected: Vec<_> =
            cases.iter().map(|case| (case.line, "refused".to_owned(), Some(case.reason.to_owned()))).collect();
        expected.insert(4, (fine, "confirmed".to_owned(), None));
        assert_eq!(outcomes(&taken), expected);
        assert_eq!(books.server.rows_of("journal"), before + 1);
        for case in &cases {
            let line = books.line_now(case.line);
            assert_eq!((&line["status"], line["suggestion"].is_object()), (&json!("unconfirmed"), true), "{}", case.name);
        }
    }

    fn another_scheme_of_vat_makes_what_was_coded_stale(database) {
        let books = books_on(&database);
        let coded = books.known_payee("ZORBLAX HEATING", "7200", "RR");
        let customer = books.customer("Harrogate Stoves");
        let invoice = books.sale(customer, "2025-04-20", "1200");
        let receipt = books.bank_line("2025-05-08", "1200", &format!("FPI HARROGATE STOVES {}", invoice["invoice_number"].as_str().unwrap()));
        books.suggested(&json!({}));
        books.done_patch("", &json!({ "vat_scheme": "cash", "vat_scheme_from": "2025-07-01" }));
        let taken = books.take(&json!({ "transaction_ids": [coded, receipt] })).expect(200);
        let stale = (coded, "refused".to_owned(), Some("stale_suggestion".to_owned()));
        assert_eq!(outcomes(&taken), [stale, (receipt, "confirmed".to_owned(), None)]);
        // Asking again helps.
        books.suggested(&json!({}));
        let taken = books.take(&json!({ "transaction_ids": [coded] })).expect(200);
        assert_eq!(outcomes(&taken), [(coded, "confirmed".to_owned(), None)]);
    }

    fn a_person_who_left_while_the_job_waited_writes_nothing(database) {
        let books = books_on(&database);
        let line = books.bank_line("2025-05-01", "-9.00", "A RYMAN");
        let leaving = books.server.person();
        books.server.member(books.id, &leaving, "bookkeeper");
        let key = books.server.key(&leaving, &["books:read", "books:write", "coding:read", "coding:write"]);
        let asked = books.server.client.post(&books.path("/bank-transactions/suggest")).key(&key).json(&json!({})).send().expect(202);
        books.server.remove_member(books.id, &leaving);
        let job = books.server.ended(&key, asked["data"]["coding_job_id"].as_str().unwrap());
        let counts = &job["result"]["summary"]["suggestions"];
        // The job may have been quicker; then it wrote as a member.
        let written = counts["written"].as_i64().unwrap();
        assert_eq!(written + counts["skipped"].as_i64().unwrap(), 1);
        assert_eq!(books.line_now(line)["suggestion"].is_object(), written == 1);
    }
}

//! `reconcile_statement`: a statement held against the books of its bank account; nothing is stored, nothing charged.

use serde_json::{Value, json};

use super::{assert_guards_organisations, call, failure, given};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

const TOOL: &str = "reconcile_statement";

impl Books {
    #[track_caller]
    fn statement_line(&self, date: &str, amount: &str, description: &str) -> Value {
        let body = json!({
            "bank_account_id": self.bank_id(), "date": date, "amount": amount, "description": description
        });
        self.made("/bank-transactions", &body)
    }

    fn statement(&self, rows: &[(&str, f64, &str)]) -> Value {
        let row =
            |(date, amount, text): &(&str, f64, &str)| json!({ "date": date, "amount": amount, "description": text });
        json!({ "bank_account_id": self.bank_id(), "rows": rows.iter().map(row).collect::<Vec<_>>() })
    }

    #[track_caller]
    fn reconciled(&self, arguments: &Value) -> Value {
        given(&self.server, &self.key, TOOL, arguments)
    }
}

/// A field of each row.
fn each(rows: &Value, name: &str) -> Vec<Value> {
    rows.as_array().unwrap().iter().map(|row| row[name].clone()).collect()
}

on_both_databases! {
    fn the_books_are_lines_of_statements_and_what_was_posted_without_one(database) {
        let books = Books::on(&database);
        books.vat_control();
        let opening = json!({
            "as_of": "2026-01-31",
            "lines": [{ "account_code": "1200", "debit": "10.10" }, { "account_code": "3000", "credit": "10.10" }]
        });
        books.post("/opening-balances", &opening).expect(201);
        let customer = books.customer("Brightwell School");
        let invoice = books.sale(customer, "2026-02-01", "120");
        // Coded, unconfirmed and excluded lines.
        let fee = books.statement_line("2026-02-03", "-8.00", "ACCOUNT FEE");
        books.done(
            &format!("/bank-transactions/{}/confirm", fee["id"]),
            &json!({ "type": "coded", "account_id": books.account_id("7200"), "vat_code": "NV" }),
        );
        let waiting = books.statement_line("2026-02-04", "-20.50", "DD OCTOPUS ENERGY");
        let private = books.statement_line("2026-02-04", "-99.00", "PRIVATE");
        books.done(&format!("/bank-transactions/{}/exclude", private["id"]), &json!({}));
        // A receipt that no line shows, and one that a line does.
        let receipt = books.receipt(customer, "2026-02-05", "120", &[(&invoice, "120")]);
        let deposit = books.receipt(customer, "2026-02-06", "50", &[]);
        let shown = books.statement_line("2026-02-07", "50.00", "BGC BRIGHTWELL");
        books.done(
            &format!("/bank-transactions/{}/confirm", shown["id"]),
            &json!({ "type": "match", "customer_receipt_id": deposit["id"] }),
        );
        // Confirmed and set back: a journal and its reversal, which are nothing together.
        let undone = books.statement_line("2026-02-08", "-7.77", "TESCO");
        let path = format!("/bank-transactions/{}", undone["id"]);
        let coded = json!({ "type": "coded", "account_id": books.account_id("7200"), "vat_code": "NV" });
        books.done(&format!("{path}/confirm"), &coded);
        books.done(&format!("{path}/unconfirm"), &json!({}));
        // A journal on the bank account that the bank knows nothing of.
        let wrong = books.posted("2026-02-09", "7200", "1200", json!("3.33"));

        let before = (books.get("/changes")["data"].as_array().unwrap().len(), books.server.credits(&books.key));
        let mut arguments = books.statement(&[
            ("2026-02-03", -8.0, "ACCOUNT FEE"),
            ("2026-02-05", -20.5, "OCTOPUS ENERGY"),
            ("2026-02-06", 120.0, "FPI BRIGHTWELL SCHOOL INV-0001"),
            ("2026-02-07", 50.0, "BGC BRIGHTWELL"),
            ("2026-02-08", -7.77, "TESCO"),
            ("2026-02-10", -1.05, "UNKNOWN TO THE BOOKS"),
        ]);
        arguments["include_matched"] = json!(true);
        let said = books.reconciled(&arguments);
        assert_eq!((&said["verified"], &said["matched_count"]), (&json!(true), &json!(5)), "{said}");
        assert_eq!(
            said["missing_from_books"],
            json!([{ "row": 5, "date": "2026-02-10", "amount": -1.05, "description": "UNKNOWN TO THE BOOKS" }])
        );
        let removed = &said["remove_from_books"];
        assert_eq!(each(removed, "journal_id"), [wrong["id"].clone()], "{removed}");
        assert_eq!((&removed[0]["amount"], &removed[0]["date"]), (&json!(-3.33), &json!("2026-02-09")));
        assert!(removed[0].get("status").is_none() && removed[0].get("bank_transaction_id").is_none(), "{removed}");
        assert_eq!((&said["expected_net_discrepancy"], &said["actual_net_effect"]), (&json!(2.28), &json!(2.28)));
        let matched = &said["matched"];
        assert_eq!(each(matched, "row"), [0, 1, 2, 3, 4]);
        assert_eq!(
            each(matched, "bank_transaction_id"),
            [fee["id"].clone(), waiting["id"].clone(), Value::Null, shown["id"].clone(), undone["id"].clone()]
        );
        assert_eq!(matched[2]["journal_id"], receipt["journal_id"]);
        assert_eq!(each(matched, "date_difference_days"), [0, 1, 1, 0, 0]);
        let after = (books.get("/changes")["data"].as_array().unwrap().len(), books.server.credits(&books.key));
        assert_eq!(before, after, "nothing is written and nothing charged");
        // Without the matched rows the same, and of another account nothing.
        arguments.as_object_mut().unwrap().remove("include_matched");
        let short = books.reconciled(&arguments);
        assert!(short.get("matched").is_none());
        assert_eq!(short["remove_from_books"], said["remove_from_books"]);
        let savings = books.made("/bank-accounts", &json!({ "name": "Savings", "code": "1215" }));
        arguments["bank_account_id"] = savings["id"].clone();
        let other = books.reconciled(&arguments);
        assert_eq!((&other["matched_count"], &other["remove_from_books"]), (&json!(0), &json!([])));
    }

    fn a_reversal_on_another_day_counts_where_only_one_of_both_is_in_the_days(database) {
        let books = Books::on(&database);
        let customer = books.customer("Ann");
        let receipt = books.receipt(customer, "2026-01-10", "40", &[]);
        let void = json!({ "void_date": "2026-01-20" });
        books.done(&format!("/customer-receipts/{}/void", receipt["id"]), &void);
        let amounts = |rows: &[(&str, f64, &str)]| {
            let mut arguments = books.statement(rows);
            arguments["allowed_date_difference_days"] = json!(0);
            each(&books.reconciled(&arguments)["remove_from_books"], "amount")
        };
        assert_eq!(amounts(&[("2026-01-10", 1.0, "x"), ("2026-01-20", 1.0, "x")]), [0; 0]);
        assert_eq!(amounts(&[("2026-01-10", 1.0, "x"), ("2026-01-19", 1.0, "x")]), [json!(40.0)]);
        assert_eq!(amounts(&[("2026-01-11", 1.0, "x"), ("2026-01-20", 1.0, "x")]), [json!(-40.0)]);
    }

    fn days_around_the_statement_are_looked_at_and_said_to_be_outside(database) {
        let books = Books::on(&database);
        for date in ["2026-01-06", "2026-01-07", "2026-01-12", "2026-01-13"] {
            books.statement_line(date, "5.00", "ROUND");
        }
        let mut arguments = books.statement(&[("2026-01-10", 5.0, "ROUND")]);
        let said = books.reconciled(&arguments);
        assert_eq!((&said["matched_count"], each(&said["remove_from_books"], "date")), (&json!(1), vec![json!("2026-01-07"), json!("2026-01-13")]));
        assert_eq!(each(&said["remove_from_books"], "outside_statement"), [true, true]);
        assert_eq!(each(&said["remove_from_books"], "status"), ["unconfirmed", "unconfirmed"]);
        assert!(said["reason"].as_str().unwrap().contains("2 are dated before or after the statement"), "{said}");
        arguments["allowed_date_difference_days"] = json!(0);
        let said = books.reconciled(&arguments);
        assert_eq!((&said["matched_count"], &said["remove_from_books"]), (&json!(0), &json!([])));
        arguments["allowed_date_difference_days"] = json!(4);
        assert_eq!(books.reconciled(&arguments)["remove_from_books"].as_array().unwrap().len(), 3);
    }
}

/// Books on the clock that stands at 2026-03-10.
fn books() -> Books {
    Books::of(TestServer::start())
}

#[test]
fn balances_that_the_rows_do_not_explain_are_a_result() {
    let books = books();
    books.statement_line("2026-01-10", "30.30", "SALE");
    let mut arguments = books.statement(&[("2026-01-10", 30.3, "SALE")]);
    for (opening, closing, verified) in [
        (Some(100.1), Some(130.4), true),
        (Some(100.1), Some(130.41), false),
        (Some(-30.3), Some(0.0), true),
        (Some(1.0), None, true),
        (None, Some(1.0), true),
        (None, None, true),
    ] {
        for (name, value) in [("opening_balance", opening), ("closing_balance", closing)] {
            match value {
                Some(value) => arguments[name] = json!(value),
                None => drop(arguments.as_object_mut().unwrap().remove(name)),
            }
        }
        let said = books.reconciled(&arguments);
        assert_eq!(said["verified"], verified, "{opening:?} {closing:?} {said}");
        let reason = said["reason"].as_str().unwrap();
        let begins = if verified { "Verified: " } else { "Not verified: the rows do not lead" };
        assert!(reason.starts_with(begins), "{reason}");
        assert_eq!(reason.contains("rows of 0.01 are missing"), !verified, "{reason}");
        assert_eq!(said["matched_count"], 1);
    }
}

#[test]
fn what_probably_went_wrong_is_named_with_the_row_of_the_books() {
    let books = books();
    let swapped = books.statement_line("2026-01-10", "45.00", "NORTHWIND TRADERS 8812");
    let said = books.reconciled(&books.statement(&[("2026-01-10", 54.0, "NORTHWIND TRADERS 8812")]));
    assert_eq!(said["matched_count"], 0);
    let expected = json!({ "kind": "digits_transposed", "bank_transaction_id": swapped["id"] });
    assert_eq!(said["missing_from_books"][0]["perhaps"], expected, "{said}");
}

#[test]
fn wrong_rows_are_named() {
    let books = books();
    let words = |arguments: &Value| failure(&books.server, &books.key, TOOL, arguments);
    let mut arguments = books.statement(&[
        ("2026-01-10", 0.1, "x"),
        ("2026-01-10", 10.005, "x"),
        ("2026-01-10", 1e-7, "x"),
        ("2026-01-10", 1e10, "x"),
        ("2026-01-10", -9_999_999_999.99, "x"),
        ("2026-01-10", 1e300, "x"),
    ]);
    arguments["opening_balance"] = json!(0.001);
    let rule = "must be at most 9999999999.99 with at most two decimals";
    assert_eq!(
        words(&arguments),
        format!(
            "invalid_request_format: rows[1].amount: {rule}; rows[2].amount: {rule}; rows[3].amount: {rule}; \
             rows[5].amount: {rule}; opening_balance: {rule}"
        )
    );
    let many: Vec<_> = (0..30).map(|_| ("2026-01-10", 0.001, "x")).collect();
    assert!(words(&books.statement(&many)).ends_with("; and 10 more"));
    let bank = books.bank_id();
    assert_eq!(
        words(
            &json!({ "bank_account_id": bank, "rows": [{ "date": "2026-02-30", "amount": "1", "description": "" }, {}] })
        ),
        "invalid_request_format: rows[0].amount: must be a number; rows[0].date: must be a date, YYYY-MM-DD; \
         rows[0].description: must have 1 to 500 characters; rows[1].date: is required; rows[1].amount: is required; \
         rows[1].description: is required"
    );
    assert_eq!(words(&json!({})), "invalid_request_format: bank_account_id: is required; rows: is required");
    let too_many: Vec<_> = (0..2_001).map(|_| ("2026-01-10", 1.0, "x")).collect();
    assert_eq!(words(&books.statement(&too_many)), "invalid_request_format: rows: must have 1 to 2000 items");
    assert_eq!(words(&books.statement(&[])), "invalid_request_format: rows: must have 1 to 2000 items");
    let mut unknown = books.statement(&[("2026-01-10", 1.0, "x")]);
    unknown["bank_account_id"] = json!(999_999);
    assert!(words(&unknown).starts_with("not_found: "));
    assert_guards_organisations(&books, TOOL, &books.statement(&[("2026-01-10", 1.0, "x")]));
}

#[test]
fn long_lists_are_cut_and_counted() {
    let books = books();
    let rows: Vec<Value> = (0..400)
        .map(|at| json!({ "date": "2026-01-10", "amount": format!("{}.01", at + 1), "description": format!("line {at} {}", "é\"".repeat(40)) }))
        .collect();
    books.post("/bank-transactions/import", &json!({ "bank_account_id": books.bank_id(), "rows": rows })).expect(201);
    let rows: Vec<Value> = (0..2_000)
        .map(|at| json!({ "date": "2026-01-10", "amount": -0.02 - f64::from(at), "description": "a line of the bank" }))
        .map(|mut row| {
            row["amount"] = serde_json::from_str(&format!("{:.2}", row["amount"].as_f64().unwrap())).unwrap();
            row
        })
        .collect();
    let said = books.reconciled(&json!({ "bank_account_id": books.bank_id(), "rows": rows, "include_matched": true }));
    let shown = |name: &str| said[name].as_array().unwrap().len();
    let (missing, remove) = (shown("missing_from_books"), shown("remove_from_books"));
    assert!((20..400).contains(&missing) && (20..400).contains(&remove), "{missing} {remove}");
    let reason = said["reason"].as_str().unwrap();
    assert!(reason.contains(&format!("missing_from_books shows {missing} of 2000.")), "{reason}");
    assert!(reason.contains(&format!("remove_from_books shows {remove} of 400.")), "{reason}");
}

#[test]
fn calls_at_once_of_one_connection_are_answered_or_told_to_wait() {
    let books = books();
    books.statement_line("2026-01-10", "30.30", "SALE");
    let arguments = books.statement(&[("2026-01-10", 30.3, "SALE")]);
    let ask = || call(&books.server, &books.key, TOOL, &arguments);
    let results: Vec<Value> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let mut answered = 0;
    for result in results {
        if result["isError"] == false {
            answered += 1;
            assert_eq!(result["structuredContent"]["matched_count"], 1);
        } else {
            let words = result["content"][0]["text"].as_str().unwrap();
            assert!(words.starts_with("busy: a statement of this connection is being compared\nNext: "), "{words}");
        }
    }
    assert!(answered >= 1);
    assert_eq!(books.reconciled(&arguments)["matched_count"], 1, "the next is served");
}

#[test]
fn more_rows_of_the_books_than_are_compared_are_refused() {
    let books = books();
    let import = |part: usize, count: usize| {
        // Equal rows of another import would be known already.
        let row = json!({ "date": "2026-01-10", "amount": 5, "description": format!("ROUND {part}") });
        let body = json!({ "bank_account_id": books.bank_id(), "rows": vec![row; count] });
        books.post("/bank-transactions/import", &body).expect(201);
    };
    (0..4).for_each(|part| import(part, 5_000));
    let arguments = books.statement(&[("2026-01-10", 5.0, "ROUND 1")]);
    let said = books.reconciled(&arguments);
    assert_eq!(said["matched_count"], 1);
    assert!(said["reason"].as_str().unwrap().contains(" of 19999."), "{said}");
    import(4, 1);
    assert_eq!(
        failure(&books.server, &books.key, TOOL, &arguments),
        "unprocessable_entity: the books have more than 20000 rows of this bank account from 2026-01-07 to 2026-01-13\n\
         Next: compare fewer days at a time"
    );
}

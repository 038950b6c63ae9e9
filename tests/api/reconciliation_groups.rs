//! Groups: one payment of several documents, or one document paid in parts; and pairs left open so that the rest balances.

use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::data::{Row, request, request_with};
use crate::support::database::on_both_databases;
use crate::support::server::{Setup, TestServer};

const fn at<'a>(date: &'a str, amount: &'a str, description: &'a str) -> Row<'a> {
    Row { date, amount, description }
}

fn explanations(job: &Value) -> Vec<Value> {
    job["result"]["explanations"].as_array().cloned().unwrap_or_default()
}

on_both_databases! {
    fn a_payment_of_several_documents_is_explained_and_never_matched(database) {
        let server = Setup::new().on(&database).start();
        let (_, key) = server.submitter();
        let bank = [
            at("2026-03-06", "-1481.37", "BACS HOLLINS TIMBER LTD"),
            at("2026-03-06", "-89.99", "QUIRKE OFFICE STORES"),
            at("2026-03-09", "412.16", "FPI MARSTON R"),
            at("2026-03-10", "300.09", "FPI MARSTON R"),
        ];
        let book = [
            at("2026-03-05", "-913.20", "Hollins Timber inv 2210"),
            at("2026-03-05", "-405.67", "Hollins Timber inv 2231"),
            at("2026-03-06", "-162.50", "Hollins Timber inv 2240"),
            at("2026-03-05", "-89.99", "Quirke Office Stores"),
            at("2026-03-08", "712.25", "R Marston"),
        ];
        let job = server.run(&key, request(&bank, &book));
        assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(4)));
        // Groups are suggestions: their rows are still left over, and the money still agrees.
        let summary = &job["result"]["summary"];
        assert_eq!((&summary["matched_count"], &summary["missing_from_books_count"]), (&json!(1), &json!(3)), "{job}");
        assert_eq!(job["result"]["verification"]["expected_net_discrepancy"], json!(0));
        let found = explanations(&job);
        assert_eq!(found.len(), 2, "{found:?}");
        let first = &found[0];
        assert_eq!(keys(first), ["dataset", "detail", "difference", "kind", "other_rows", "row"]);
        let said = |group: &Value| {
            ["dataset", "kind", "row", "other_rows", "difference"].map(|name| group[name].clone())
        };
        assert_eq!(said(first), [json!("bank"), json!("group"), json!(0), json!([0, 1, 2]), json!(0)]);
        let detail = first["detail"].as_str().unwrap();
        assert!(detail.contains("book rows 0, 1 and 2") && detail.contains("-1,481.37"), "{detail}");
        assert_eq!(said(&found[1]), [json!("book"), json!("group"), json!(4), json!([2, 3]), json!(0)]);
    }

    fn a_few_pairs_that_differ_by_fractions_are_left_open_and_the_run_is_charged(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(100, 0, false);
        let key = server.key(&person, &crate::support::server::RECONCILE);
        let mut bank: Vec<Row<'_>> = vec![
            at("2026-03-02", "10.00", "Able"),
            at("2026-03-02", "20.00", "Bold"),
            at("2026-03-02", "30.00", "Calm"),
        ];
        let mut book = bank.clone();
        for name in ["Xylo", "Yarn", "Zinc"] {
            bank.push(at("2026-03-03", "0.004", name));
            book.push(at("2026-03-03", "0", name));
        }
        let job = server.run(&key, request(&bank, &book));
        let result = &job["result"];
        assert_eq!((&result["summary"]["verified"], &job["credits_charged"]), (&json!(true), &json!(6)), "{job}");
        assert_eq!(result["summary"]["matched_count"], json!(5));
        // The fewest, here one: 0.008 is left, which is inside the tolerance.
        let left = json!([{"date": "2026-03-03", "amount": 0.004, "description": "Xylo"}]);
        assert_eq!(result["missing_from_books"], left);
        assert_eq!(result["remove_from_books"], json!([{"date": "2026-03-03", "amount": 0, "description": "Xylo"}]));
        let found = explanations(&job);
        let said = |name: &str| found[0][name].clone();
        assert_eq!([said("dataset"), said("row"), said("other_row")], [json!("bank"), json!(3), json!(3)], "{found:?}");
        assert_eq!((said("kind"), found.len()), (json!("small_difference"), 1));
        assert!(said("detail").as_str().is_some_and(|detail| detail.contains("0.004")), "{found:?}");
        let reason = result["verification"]["reason"].as_str().unwrap();
        assert!(reason.starts_with("Verified:") && reason.contains("bank rows 3") && reason.contains("book rows 3"), "{reason}");
        assert_eq!(server.credits(&key), (94, 0));
        // Where most pairs differ the file itself is at fault: nothing is left open, and it is free.
        let job = server.run(&key, request(&bank[2..], &book[2..]));
        assert_eq!((&job["result"]["summary"]["verified"], &job["credits_charged"]), (&json!(false), &json!(0)));
        assert_eq!(job["result"]["summary"]["matched_count"], json!(4));
        assert_eq!(server.credits(&key), (94, 0));
    }
}

#[test]
fn a_group_is_silent_where_chance_would_do_as_well() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let groups = |bank: &[Row<'_>], book: &[Row<'_>]| explanations(&server.run(&key, request_with(bank, book, "{}")));
    let day = "2026-03-06";
    // Any five of eight equal fees would do.
    let fees = [at(day, "10.00", "Penhale Swimming Club"); 8];
    assert!(groups(&[at(day, "50.00", "PENHALE SWIMMING CLUB")], &fees).is_empty());
    // The right sum of somebody else.
    let others = [at(day, "-913.20", "Hollins Timber 2210"), at(day, "-405.67", "Hollins Timber 2231")];
    assert!(groups(&[at(day, "-1318.87", "QUIRKE OFFICE STORES")], &others).is_empty());
    // The right sum too late.
    let late = [at(day, "-913.20", "Hollins Timber 2210"), at("2026-03-10", "-405.67", "Hollins Timber 2231")];
    assert!(groups(&[at(day, "-1318.87", "HOLLINS TIMBER")], &late).is_empty());
    // A fraction of a penny off: the sum is not exact.
    let off = [at(day, "-913.204", "Hollins Timber 2210"), at(day, "-405.67", "Hollins Timber 2231")];
    assert!(groups(&[at(day, "-1318.87", "HOLLINS TIMBER")], &off).is_empty());
    assert_eq!(groups(&[at(day, "-1318.874", "HOLLINS TIMBER")], &off).len(), 1);
}

#[test]
fn the_order_of_rows_changes_no_group() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let bank = [at("2026-03-06", "-1318.87", "HOLLINS TIMBER"), at("2026-03-06", "-77.15", "ARDEN GLASS")];
    let book = [
        at("2026-03-06", "-41.02", "Arden Glass 118"),
        at("2026-03-06", "-913.20", "Hollins Timber 2210"),
        at("2026-03-06", "-36.13", "Arden Glass 121"),
        at("2026-03-06", "-405.67", "Hollins Timber 2231"),
    ];
    let groups = |bank: &[Row<'_>], book: &[Row<'_>]| -> Vec<(Value, Vec<String>)> {
        let found = explanations(&server.run(&key, request(bank, book)));
        let text = |rows: &[Row<'_>], row: &Value| {
            rows[usize::try_from(row.as_u64().unwrap()).unwrap()].description.to_owned()
        };
        let mut groups: Vec<(Value, Vec<String>)> = found
            .iter()
            .map(|group| {
                let mut others: Vec<String> =
                    group["other_rows"].as_array().unwrap().iter().map(|row| text(book, row)).collect();
                others.sort();
                (json!(text(bank, &group["row"])), others)
            })
            .collect();
        groups.sort_by_key(|group| group.1.clone());
        groups
    };
    let straight = groups(&bank, &book);
    assert_eq!(straight.len(), 2, "{straight:?}");
    let (mut bank, mut book) = (bank, book);
    bank.reverse();
    book.rotate_left(1);
    assert_eq!(groups(&bank, &book), straight);
}

#[test]
fn names_that_contradict_each_other_are_not_paired_where_the_sides_share_names() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let names = ["Abdon", "Bewley", "Corfe", "Dunkery", "Elmstead", "Fowey", "Glynde", "Harcombe", "Ingram", "Jolyon"];
    let amounts: Vec<String> = (0..names.len()).map(|n| format!("-{}.17", 41 + 13 * n)).collect();
    let upper: Vec<String> = names.iter().map(|name| format!("{} LTD", name.to_uppercase())).collect();
    let codes: Vec<String> = (0..names.len()).map(|n| format!("nominal {}", ["zone", "area", "ward"][n % 3])).collect();
    let day = "2026-03-06";
    let rows = |texts: &'_ [String], last: &'static str| -> String {
        let mut rows: Vec<Row<'_>> = amounts.iter().zip(texts).map(|(amount, text)| at(day, amount, text)).collect();
        rows.push(at(day, "-393.73", last));
        crate::support::data::rows(&rows)
    };
    let named: Vec<String> = names.iter().map(|name| format!("{name} invoice")).collect();
    for (in_books, other, matched) in [
        (&named, "Quarley Fencing", 10),
        (&named, "Pendry Dental Laboratory", 11),
        (&named, "Sundry expenses", 11),
        (&codes, "Quarley Fencing", 11),
    ] {
        let body = format!(r#"{{"bank":{},"book":{}}}"#, rows(&upper, "PENDRY DENTAL"), rows(in_books, other));
        let job = server.run(&key, body);
        assert_eq!(job["result"]["summary"]["matched_count"], json!(matched), "{other}: {job}");
        assert_eq!(job["result"]["summary"]["verified"], json!(true));
    }
}

//! 422 `invalid_dataset_format`: every deviation at once, with dataset, row and field, and nothing written.

use serde_json::{Value, json};

use crate::support::client::{Answer, keys};
use crate::support::data::{costing, request, row};
use crate::support::server::{RECONCILE, Setup, TestServer};

const ROW: &str = r#"{"date":"2026-01-05","amount":1,"description":"a"}"#;

/// The problems as (dataset, row, field), after checking the shape.
#[track_caller]
fn problems(answer: &Answer) -> Vec<(Value, Value, Value)> {
    let details = answer.details(422, "invalid_dataset_format");
    assert_eq!(keys(&details), ["error_count", "errors"], "{answer}");
    let errors = details["errors"].as_array().unwrap();
    assert!(!errors.is_empty() && errors.len() <= 100, "{answer}");
    let problem = |error: &Value| {
        assert_eq!(keys(error), ["dataset", "field", "message", "row"], "{answer}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
        (error["dataset"].clone(), error["row"].clone(), error["field"].clone())
    };
    errors.iter().map(problem).collect()
}

fn problem(dataset: Value, row: Value, field: Value) -> (Value, Value, Value) {
    (dataset, row, field)
}

/// A body with one bank row.
fn with_row(row: &str) -> String {
    format!(r#"{{"bank":[{row}],"book":[]}}"#)
}

#[test]
fn every_deviation_of_a_row_names_dataset_row_and_field() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let long = "é".repeat(501);
    let long_row = format!(r#"{{"date":"2026-01-05","amount":1,"description":"{long}"}}"#);
    for (row, field) in [
        (r#"{"amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":"2026-01-05","description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":1}"#, json!("description")),
        (r#"{"date":"2026-1-5","amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":"2026-02-29","amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":"0000-01-01","amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":"2026-01-05T00:00:00Z","amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":20260105,"amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":null,"amount":1,"description":"a"}"#, json!("date")),
        (r#"{"date":"2026-01-05","amount":"10.00","description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":null,"description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":1e18,"description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":1e999,"description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":-1e400,"description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":[1],"description":"a"}"#, json!("amount")),
        (r#"{"date":"2026-01-05","amount":1,"description":""}"#, json!("description")),
        (r#"{"date":"2026-01-05","amount":1,"description":7}"#, json!("description")),
        (r#"{"date":"2026-01-05","amount":1,"description":"a\u0000b"}"#, json!("description")),
        (&long_row, json!("description")),
        (r#"{"date":"2026-01-05","amount":1,"description":"a","note":"b"}"#, json!("note")),
        (r#"{"date":"2026-01-05","amount":1,"amount":1,"description":"a"}"#, json!("amount")),
        ("7", Value::Null),
        ("null", Value::Null),
        ("[]", Value::Null),
    ] {
        let answer = server.submission(&key, with_row(row));
        assert_eq!(problems(&answer), [problem(json!("bank"), json!(0), field.clone())], "{row}");
        let in_book = format!(r#"{{"bank":[],"book":[{ROW},{row}]}}"#);
        let answer = server.submission(&key, in_book);
        assert_eq!(problems(&answer), [problem(json!("book"), json!(1), field)], "{row}");
    }
    assert_eq!(server.credits(&key), (1_000, 0));
}

#[test]
fn accepted_rows_reach_to_the_bounds() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    for row in [
        format!(r#"{{"date":"0001-01-01","amount":-0,"description":"{}"}}"#, "🧾".repeat(500)),
        r#"{"date":"9999-12-31","amount":0.1e-5,"description":" "}"#.to_owned(),
        r#"{"description":"a\nb\u00e9","amount":999999999999999999,"date":"2024-02-29"}"#.to_owned(),
    ] {
        let job = server.run(&key, with_row(&row));
        assert_eq!(job["status"], "completed", "{row}");
    }
}

#[test]
fn the_body_around_the_rows_is_as_strict() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let top = |field: &str| problem(Value::Null, Value::Null, json!(field));
    let whole = |dataset: &str| problem(json!(dataset), Value::Null, Value::Null);
    let option = |field: &str| problem(json!("options"), Value::Null, json!(field));
    for (body, expected) in [
        ("[]", vec![problem(Value::Null, Value::Null, Value::Null)]),
        ("null", vec![problem(Value::Null, Value::Null, Value::Null)]),
        ("\"bank\"", vec![problem(Value::Null, Value::Null, Value::Null)]),
        ("{}", vec![whole("bank"), whole("book")]),
        (r#"{"bank":[]}"#, vec![whole("book")]),
        (r#"{"bank":null,"book":{}}"#, vec![whole("bank"), whole("book")]),
        (r#"{"bank":[],"book":[],"rows":[]}"#, vec![top("rows")]),
        (r#"{"bank":[],"bank":[],"book":[]}"#, vec![top("bank")]),
        (r#"{"bank":[],"book":[],"options":[]}"#, vec![whole("options")]),
        (r#"{"bank":[],"book":[],"options":null}"#, vec![whole("options")]),
        (r#"{"bank":[],"book":[],"options":{"window":1}}"#, vec![option("window")]),
        (
            r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":31}}"#,
            vec![option("allowedDateDifferenceInDays")],
        ),
        (
            r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":-1}}"#,
            vec![option("allowedDateDifferenceInDays")],
        ),
        (
            r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":1.5}}"#,
            vec![option("allowedDateDifferenceInDays")],
        ),
        (
            r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":"3"}}"#,
            vec![option("allowedDateDifferenceInDays")],
        ),
        (r#"{"bank":[],"book":[],"options":{"includeMatched":1}}"#, vec![option("includeMatched")]),
        (r#"{"bank":[],"book":[],"options":{"allowOverage":"true"}}"#, vec![option("allowOverage")]),
    ] {
        let answer = server.submission(&key, body);
        assert_eq!(problems(&answer), expected, "{body}");
    }
}

#[test]
fn all_problems_are_told_at_once_in_document_order() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let body = format!(
        r#"{{"book":[{ROW},{{"amount":"1","date":"x","description":"a"}}],
            "surplus":0,
            "bank":[7,{{"description":"","amount":1e400,"date":"2026-02-30","more":0}}],
            "options":{{"includeMatched":0,"allowedDateDifferenceInDays":99}}}}"#
    );
    let answer = server.submission(&key, body);
    let expected = [
        problem(json!("book"), json!(1), json!("amount")),
        problem(json!("book"), json!(1), json!("date")),
        problem(Value::Null, Value::Null, json!("surplus")),
        problem(json!("bank"), json!(0), Value::Null),
        problem(json!("bank"), json!(1), json!("description")),
        problem(json!("bank"), json!(1), json!("amount")),
        problem(json!("bank"), json!(1), json!("date")),
        problem(json!("bank"), json!(1), json!("more")),
        problem(json!("options"), Value::Null, json!("includeMatched")),
        problem(json!("options"), Value::Null, json!("allowedDateDifferenceInDays")),
    ];
    assert_eq!(problems(&answer), expected);
    assert_eq!(answer.value()["error"]["details"]["error_count"], expected.len());
}

#[test]
fn a_hundred_problems_are_listed_and_all_are_counted() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let body = format!(
        r#"{{"bank":[{ROW},{}],"book":[7,8]}}"#,
        vec![r#"{"date":"","amount":1,"description":"a"}"#; 250].join(",")
    );
    let answer = server.submission(&key, body);
    let listed = problems(&answer);
    assert_eq!(listed.len(), 100);
    assert_eq!(listed[0], problem(json!("bank"), json!(1), json!("date")));
    assert_eq!(listed[99], problem(json!("bank"), json!(100), json!("date")));
    assert_eq!(answer.value()["error"]["details"]["error_count"], 252);
}

#[test]
fn a_dataset_over_the_limit_of_rows_is_refused_whole() {
    let server = Setup::new().settings(|settings| settings.max_rows_per_dataset = Some(3)).start();
    let (_, key) = server.submitter();
    assert_eq!(server.run(&key, request(&[row("1"); 3], &[row("1"); 3]))["status"], "completed");
    let answer = server.submission(&key, request(&[row("1"); 4], &[row("1"); 3]));
    assert_eq!(problems(&answer), [problem(json!("bank"), Value::Null, Value::Null)]);
    let answer = server.submission(&key, request(&[], &[row("1"); 5]));
    assert_eq!(problems(&answer), [problem(json!("book"), Value::Null, Value::Null)]);
}

#[test]
fn a_refused_dataset_writes_nothing() {
    let server = TestServer::start();
    let person = server.person_with(2, 0, false);
    let key = server.key(&person, &RECONCILE);
    // Bad format comes before 402: nobody is told to pay for what would be refused.
    let body = format!(r#"{{"bank":[{ROW},{ROW},{ROW},7],"book":[]}}"#);
    server.submission(&key, body).refused(422, "invalid_dataset_format");
    let open = server.with_store(async |store| {
        store.reader.open_jobs(bookkeeping_suite::domain::ids::UserId(person.user_id)).await.unwrap().len()
    });
    assert_eq!(open, 0);
    assert_eq!(server.run(&key, costing(2))["credits_charged"], 2);
}

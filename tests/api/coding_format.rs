//! 422 `invalid_request_format` of coding jobs: every deviation at once, with section, row, field and path, and nothing
//! written.

use bookkeeping_suite::domain::job::Product;
use serde_json::{Value, json};

use crate::support::client::{Answer, keys};
use crate::support::coding::{CHART, request, request_with, transaction};
use crate::support::product::JobProduct as _;
use crate::support::server::{Setup, TestServer};

const ROW: &str = r#"{"date":"2026-01-05","description":"a","amount":1}"#;
const ACCOUNT: &str = r#"{"code":"1","name":"n","type":"ASSET"}"#;
const VAT_CODE: &str = r#"{"code":"S","name":"n","rate":20}"#;
const INVOICE: &str = r#"{"number":"1","kind":"invoice","contact":"c","date":"2026-01-05","amount_due":1}"#;

/// The paths of the problems, after checking the shape of each.
#[track_caller]
fn problems(answer: &Answer) -> Vec<String> {
    let details = answer.details(422, "invalid_request_format");
    assert_eq!(keys(&details), ["issue_count", "issues"], "{answer}");
    let issues = details["issues"].as_array().unwrap();
    assert!(!issues.is_empty() && issues.len() <= 100, "{answer}");
    let path = |issue: &Value| {
        assert_eq!(keys(issue), ["field", "message", "path", "row", "section"], "{answer}");
        assert!(issue["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
        let section = issue["section"].as_str().unwrap();
        let sections = ["transactions", "chart_of_accounts", "vat_codes", "invoices", "history", "options", "body"];
        assert!(sections.contains(&section), "{answer}");
        // The path is made of the other three.
        let row = issue["row"].as_u64().map(|row| format!("[{row}]")).unwrap_or_default();
        let field = issue["field"].as_str();
        let path = match (section, field) {
            ("body", Some(field)) => field.to_owned(),
            (_, Some(field)) => format!("{section}{row}.{field}"),
            (_, None) => format!("{section}{row}"),
        };
        assert_eq!(issue["path"], path, "{answer}");
        path
    };
    issues.iter().map(path).collect()
}

/// A body with these lists, given as the JSON of their rows.
fn body(transactions: &str, accounts: &str, vat_codes: &str, invoices: &str) -> String {
    format!(
        r#"{{"transactions":[{transactions}],"chart_of_accounts":[{accounts}],"vat_codes":[{vat_codes}],"invoices":[{invoices}]}}"#
    )
}

const PAST: &str = r#"{"description":"a","account_code":"1"}"#;

/// A row with one key changed, `None` for leaving it out.
fn changed(row: &str, key: &str, value: Option<&str>) -> String {
    let row: serde_json::Map<String, Value> = serde_json::from_str(row).unwrap();
    let mut parts: Vec<String> =
        row.iter().filter(|(name, _)| *name != key).map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    parts.extend(value.map(|value| format!("{}:{value}", json!(key))));
    format!("{{{}}}", parts.join(","))
}

struct Format {
    server: TestServer,
    key: crate::support::server::ApiKey,
}

impl Format {
    fn new() -> Self {
        let server = TestServer::start_of(Product::Coding);
        let (_, key) = server.submitter();
        Self { server, key }
    }

    #[track_caller]
    fn refuses(&self, body: &str, paths: &[&str]) {
        let answer = self.server.submission(&self.key, body);
        assert_eq!(answer.status, 422, "{body}: {answer}");
        assert_eq!(problems(&answer), paths, "{body}");
    }

    #[track_caller]
    fn accepts(&self, body: &str) {
        let answer = self.server.submission(&self.key, body);
        assert_eq!(answer.status, 202, "{body}: {answer}");
        let id = self.server.accepted_id(&answer);
        assert_eq!(self.server.ended(&self.key, &id)["status"], "completed", "{body}");
    }
}

fn text(length: usize) -> String {
    json!("é".repeat(length)).to_string()
}

#[test]
fn every_deviation_of_a_row_names_section_row_and_field() {
    let format = Format::new();
    let (t50, t51, t100, t101, t200, t201) = (text(50), text(51), text(100), text(101), text(200), text(201));
    let (t500, t501) = (text(500), text(501));
    let nul = r#""a\u0000b""#;
    // A list, a key, what is refused for it (none is leaving it out), what is accepted.
    type Case<'a> = (&'a str, &'a str, Vec<Option<&'a str>>, Vec<&'a str>);
    let dates = vec![
        None,
        Some("null"),
        Some("20260105"),
        Some("\"\""),
        Some("\"2026-1-5\""),
        Some("\"2026-02-29\""),
        Some("\"0000-01-01\""),
        Some("\"2026-01-05T00:00:00Z\""),
    ];
    let amounts = vec![None, Some("null"), Some("\"1\""), Some("1e18"), Some("-1e400"), Some("[1]"), Some("true")];
    let cases: Vec<Case<'_>> = vec![
        ("transactions", "date", dates.clone(), vec!["\"0001-01-01\"", "\"9999-12-31\"", "\"2024-02-29\""]),
        (
            "transactions",
            "description",
            vec![None, Some("null"), Some("7"), Some("\"\""), Some(nul), Some(&t501)],
            vec![&t500, "\" \"", "\"\\u0001\""],
        ),
        ("transactions", "amount", amounts.clone(), vec!["-0", "1e17", "999999999999999999.9", "5e-324", "0.1E+2"]),
        ("transactions", "merchant", vec![Some("7"), Some(nul), Some(&t201)], vec!["null", "\"\"", &t200]),
        ("transactions", "reference", vec![Some("{}"), Some(nul), Some(&t101)], vec!["null", "\"\"", &t100]),
        ("transactions", "bank_account", vec![Some("false"), Some(nul), Some(&t101)], vec!["null", "\"\"", &t100]),
        (
            "transactions",
            "merchant_category_code",
            vec![
                Some("5541"),
                Some("\"\""),
                Some("\"554\""),
                Some("\"55411\""),
                Some("\"55 1\""),
                Some("\"+541\""),
                Some("\"\\u0665\\u0665\\u0664\\u0661\""),
                Some("true"),
            ],
            vec!["null", "\"5541\"", "\"0000\"", "\"9999\""],
        ),
        ("transactions", "note", vec![Some("null"), Some("{\"a\":[1]}")], vec![]),
        (
            "chart_of_accounts",
            "code",
            vec![None, Some("null"), Some("1"), Some("\"\""), Some(nul), Some(&t51)],
            vec![&t50, "\" \""],
        ),
        (
            "chart_of_accounts",
            "name",
            vec![None, Some("null"), Some("1"), Some("\"\""), Some(nul), Some(&t201)],
            vec![&t200],
        ),
        (
            "chart_of_accounts",
            "type",
            vec![None, Some("null"), Some("1"), Some("\"\""), Some("\"BANK\""), Some("\"ASSET \"")],
            vec!["\"income\"", "\"Expense\"", "\"REVENUE\"", "\"rEvEnUe\"", "\"LIABILITY\"", "\"equity\""],
        ),
        ("chart_of_accounts", "role", vec![Some("\"bank\"")], vec![]),
        ("vat_codes", "code", vec![None, Some("null"), Some("1"), Some("\"\""), Some(nul), Some(&t51)], vec![&t50]),
        ("vat_codes", "name", vec![None, Some("null"), Some("\"\""), Some(nul), Some(&t201)], vec![&t200]),
        (
            "vat_codes",
            "rate",
            vec![
                None,
                Some("null"),
                Some("\"20\""),
                Some("-1"),
                Some("-5e-324"),
                Some("100.00000000000001"),
                Some("1e3"),
            ],
            vec!["0", "-0", "100", "1e2", "17.5", "12.5e-1"],
        ),
        ("vat_codes", "percent", vec![Some("20")], vec![]),
        ("invoices", "number", vec![None, Some("null"), Some("7"), Some("\"\""), Some(nul), Some(&t101)], vec![&t100]),
        (
            "invoices",
            "kind",
            vec![None, Some("null"), Some("\"\""), Some("\"Invoice\""), Some("\"credit note\""), Some("1")],
            vec!["\"invoice\"", "\"bill\"", "\"credit_note\""],
        ),
        ("invoices", "contact", vec![None, Some("null"), Some("\"\""), Some(nul), Some(&t201)], vec![&t200]),
        ("invoices", "date", dates.clone(), vec!["\"2024-02-29\""]),
        ("invoices", "due_date", dates.iter().skip(2).copied().collect(), vec!["null", "\"1999-12-31\""]),
        (
            "invoices",
            "amount_due",
            vec![None, Some("null"), Some("\"1\""), Some("0"), Some("-0.0"), Some("-1"), Some("1e18"), Some("0e5")],
            vec!["0.01", "5e-324", "999999999999999999.99"],
        ),
        ("invoices", "total", amounts.iter().skip(2).copied().collect(), vec!["null", "0", "-5.5"]),
        (
            "invoices",
            "currency",
            vec![Some("\"\""), Some("\"gbp\""), Some("\"EURO\""), Some("\"£\""), Some("7")],
            vec!["null", "\"GBP\"", "\"EUR\""],
        ),
        ("invoices", "reference", vec![Some("1"), Some(nul), Some(&t101)], vec!["null", "\"\"", &t100]),
        (
            "invoices",
            "account_code",
            vec![Some("1"), Some("\"\""), Some("\"2\""), Some("\"01\""), Some(nul), Some(&t51)],
            vec!["null", "\"1\"", "\"\\u0031\""],
        ),
        ("invoices", "paid", vec![Some("true")], vec![]),
    ];
    for (section, field, refused, accepted) in cases {
        let build = |value: Option<&str>| {
            let row = |name: &str, good: &str| {
                if name == section { changed(good, field, value) } else { good.to_owned() }
            };
            body(
                &row("transactions", ROW),
                &row("chart_of_accounts", ACCOUNT),
                &row("vat_codes", VAT_CODE),
                &row("invoices", INVOICE),
            )
        };
        for value in refused {
            format.refuses(&build(value), &[&format!("{section}[0].{field}")]);
        }
        for value in accepted {
            format.accepts(&build(Some(value)));
        }
    }
}

#[test]
fn the_past_is_as_strict_and_its_codes_may_be_any() {
    let format = Format::new();
    let (t50, t51, t200, t201, t500, t501) = (text(50), text(51), text(200), text(201), text(500), text(501));
    let with =
        |row: &str| format!(r#"{{"transactions":[{ROW}],"chart_of_accounts":[{ACCOUNT}],"history":[{PAST},{row}]}}"#);
    type Case<'a> = (&'a str, Vec<Option<&'a str>>, Vec<&'a str>);
    let cases: [Case<'_>; 8] = [
        ("description", vec![None, Some("null"), Some("7"), Some("\"\""), Some(&t501)], vec![&t500]),
        ("account_code", vec![None, Some("null"), Some("7"), Some("\"\""), Some(&t51)], vec![&t50, "\"gone\""]),
        ("date", vec![Some("\"\""), Some("\"2026-02-29\""), Some("20260105")], vec!["null", "\"2024-02-29\""]),
        ("amount", vec![Some("\"1\""), Some("1e18"), Some("true")], vec!["null", "0", "-12.345"]),
        ("merchant", vec![Some("7"), Some(&t201)], vec!["null", "\"\"", &t200]),
        ("vat_code", vec![Some("7"), Some("\"\""), Some(&t51)], vec!["null", "\"ST\"", "\"T99\""]),
        ("bank_account", vec![Some("false"), Some(&t201)], vec!["null", "\"\"", "\"Main\""]),
        ("reference", vec![Some("\"r\"")], vec![]),
    ];
    for (field, refused, accepted) in cases {
        for value in refused {
            format.refuses(&with(&changed(PAST, field, value)), &[&format!("history[1].{field}")]);
        }
        for value in accepted {
            format.accepts(&with(&changed(PAST, field, Some(value))));
        }
    }
    format.refuses(&with("7"), &["history[1]"]);
    format.refuses(&with(PAST).replace(&format!("[{PAST},{PAST}]"), "{}"), &["history"]);
    let many = with(&vec![PAST; 20_000].join(","));
    format.refuses(&many, &["history"]);
}

#[test]
fn repeated_keys_and_rows_that_are_no_objects_are_refused() {
    let format = Format::new();
    let repeated = |row: &str, key: &str| {
        let value = serde_json::from_str::<Value>(row).unwrap()[key].clone();
        format!("{},{}:{value}}}", row.trim_end_matches('}'), json!(key))
    };
    let empty = "";
    for (section, good, keys) in [
        ("transactions", ROW, vec!["date", "description", "amount"]),
        ("chart_of_accounts", ACCOUNT, vec!["code", "name", "type"]),
        ("vat_codes", VAT_CODE, vec!["code", "name", "rate"]),
        ("invoices", INVOICE, vec!["number", "kind", "contact", "date", "amount_due"]),
    ] {
        let build = |row: &str| {
            let list = |name: &str, good: &str| {
                let rows = [good, if name == section { row } else { empty }];
                rows.into_iter().filter(|row| !row.is_empty()).collect::<Vec<_>>().join(",")
            };
            let other = |row: &str| row.replacen("\"1\"", "\"0\"", 1).replacen("\"S\"", "\"Z\"", 1);
            body(
                &list("transactions", ROW),
                &list("chart_of_accounts", &other(ACCOUNT)),
                &list("vat_codes", &other(VAT_CODE)),
                &list("invoices", INVOICE),
            )
        };
        for row in ["7", "null", "[]", "\"row\"", "true"] {
            format.refuses(&build(row), &[&format!("{section}[1]")]);
        }
        for key in keys {
            format.refuses(&build(&repeated(good, key)), &[&format!("{section}[1].{key}")]);
        }
        let required = serde_json::from_str::<Value>(good).unwrap();
        let missing: Vec<String> =
            required.as_object().unwrap().keys().map(|key| format!("{section}[1].{key}")).collect();
        let answer = format.server.submission(&format.key, build("{}"));
        let mut told = problems(&answer);
        told.sort();
        assert_eq!(told, missing, "{section}");
    }
    // A key that was null was given all the same.
    let twice = r#"{"date":"2026-01-05","description":"a","amount":1,"merchant":null,"merchant":"M"}"#;
    format.refuses(&request(&[twice.to_owned()]), &["transactions[0].merchant"]);
}

#[test]
fn codes_are_unique_in_their_exact_form() {
    let format = Format::new();
    let accounts = |codes: &[&str]| {
        let account = |code: &&str| format!(r#"{{"code":{},"name":"n","type":"ASSET"}}"#, json!(code));
        codes.iter().map(account).collect::<Vec<_>>().join(",")
    };
    let vat_codes = |codes: &[&str]| {
        let code = |code: &&str| format!(r#"{{"code":{},"name":"n","rate":0}}"#, json!(code));
        codes.iter().map(code).collect::<Vec<_>>().join(",")
    };
    let different = ["a", "A", "a ", " a", "\u{e1}", "a\u{301}", "01", "1"];
    format.accepts(&body(ROW, &accounts(&different), &vat_codes(&different), ""));
    format.refuses(
        &body(ROW, &accounts(&["a", "b", "a", "c", "b", "a"]), &vat_codes(&["x", "x"]), ""),
        &["chart_of_accounts[2].code", "chart_of_accounts[4].code", "chart_of_accounts[5].code", "vat_codes[1].code"],
    );
    // The same characters, spelt in two ways.
    let twice = r#"{"code":"AB","name":"n","type":"ASSET"},{"code":"\u0041B","name":"n","type":"ASSET"}"#;
    format.refuses(&body(ROW, twice, VAT_CODE, ""), &["chart_of_accounts[1].code"]);
}

#[test]
fn the_body_around_the_rows_is_as_strict() {
    let format = Format::new();
    let with = |more: &str| format!(r#"{{"transactions":[{ROW}],"chart_of_accounts":[{ACCOUNT}]{more}}}"#);
    for (body, paths) in [
        ("[]".to_owned(), vec!["body"]),
        ("null".to_owned(), vec!["body"]),
        ("7".to_owned(), vec!["body"]),
        ("{}".to_owned(), vec!["transactions", "chart_of_accounts"]),
        (r#"{"transactions":null,"chart_of_accounts":{}}"#.to_owned(), vec!["transactions", "chart_of_accounts"]),
        (r#"{"transactions":[],"chart_of_accounts":[]}"#.to_owned(), vec!["transactions", "chart_of_accounts"]),
        (with(r#","rows":null"#), vec!["rows"]),
        (with(r#","transactions":[]"#), vec!["transactions"]),
        (with(r#","options":{},"options":null"#), vec!["options"]),
        (with(r#","vat_codes":[]"#), vec!["vat_codes"]),
        (with(r#","vat_codes":{}"#), vec!["vat_codes"]),
        (with(r#","invoices":7"#), vec!["invoices"]),
        (with(r#","options":[]"#), vec!["options"]),
        (with(r#","options":{"overage":1}"#), vec!["options.overage"]),
        (with(r#","options":{"allowOverage":"true"}"#), vec!["options.allowOverage"]),
        (with(r#","options":{"allowOverage":1}"#), vec!["options.allowOverage"]),
        (with(r#","options":{"allowOverage":true,"allowOverage":true}"#), vec!["options.allowOverage"]),
        (with(r#","options":{"businessContext":7}"#), vec!["options.businessContext"]),
        (with(r#","options":{"businessContext":"\u0000"}"#), vec!["options.businessContext"]),
        (with(&format!(r#","options":{{"businessContext":{}}}"#, text(2_001))), vec!["options.businessContext"]),
    ] {
        let answer = format.server.submission(&format.key, body.as_str());
        let told: Vec<String> = problems(&answer);
        assert_eq!(told, paths, "{body}");
    }
    for more in [
        r#","vat_codes":null,"invoices":null,"history":null,"options":null"#.to_owned(),
        r#","invoices":[],"history":[]"#.to_owned(),
        r#","options":{"allowOverage":null,"businessContext":null}"#.to_owned(),
        format!(r#","options":{{"allowOverage":false,"businessContext":{}}}"#, text(2_000)),
        format!(r#","vat_codes":[{VAT_CODE}],"invoices":[{INVOICE},{INVOICE}]"#),
    ] {
        format.accepts(&with(&more));
    }
}

#[test]
fn an_invoice_may_name_an_account_that_comes_later_in_the_document() {
    let format = Format::new();
    let invoice = |code: &str| changed(INVOICE, "account_code", Some(&json!(code).to_string()));
    let body = |code: &str, bad: &str| {
        format!(
            r#"{{"invoices":[{INVOICE},{},{bad}],"options":{{}},"chart_of_accounts":{CHART},"transactions":[{ROW}]}}"#,
            invoice(code)
        )
    };
    format.accepts(&body("610", &invoice("820")));
    // Told where it stands, between what is wrong before and after it.
    format.refuses(
        &body("999", "7").replace(r#""options":{}"#, r#""options":{"x":1}"#),
        &["invoices[1].account_code", "invoices[2]", "options.x"],
    );
}

#[test]
fn a_hundred_problems_are_listed_and_all_are_counted() {
    let format = Format::new();
    let rows = vec![r#"{"date":"","description":"a","amount":1}"#; 250].join(",");
    let invoices = changed(INVOICE, "account_code", Some("\"nowhere\""));
    let body =
        format!(r#"{{"invoices":[{invoices}],"transactions":[{ROW},{rows}],"chart_of_accounts":[{ACCOUNT},7,8]}}"#);
    let answer = format.server.submission(&format.key, body);
    let listed = problems(&answer);
    assert_eq!(listed.len(), 100);
    assert_eq!(listed[..2], ["invoices[0].account_code", "transactions[1].date"]);
    assert_eq!(listed[99], "transactions[99].date");
    assert_eq!(answer.value()["error"]["details"]["issue_count"], 253);
}

#[test]
fn lists_over_their_limits_are_refused_whole() {
    let server = Setup::of(Product::Coding)
        .settings(|settings| {
            settings.max_transactions_per_job = Some(3);
            settings.max_chart_accounts = Some(5);
            settings.max_invoices_per_job = Some(2);
        })
        .start();
    let (_, key) = server.submitter();
    let rows = |count: usize| vec![transaction("1"); count];
    let invoices = |count: usize| format!(r#""invoices":[{}]"#, vec![INVOICE; count].join(","));
    assert_eq!(server.run(&key, request_with(&rows(3), &invoices(2)))["status"], "completed");
    let refused = |body: String| problems(&server.submission(&key, body));
    assert_eq!(refused(request(&rows(4))), ["transactions"]);
    assert_eq!(refused(request_with(&rows(1), &invoices(3))), ["invoices"]);
    let sixth = CHART.replacen('[', r#"[{"code":"6th","name":"n","type":"ASSET"},"#, 1);
    assert_eq!(refused(request(&rows(1)).replace(CHART, &sixth)), ["chart_of_accounts"]);
    let vat_codes = |count: usize| {
        let codes: Vec<String> = (0..count).map(|code| format!(r#"{{"code":"{code}","name":"n","rate":0}}"#)).collect();
        format!(r#""vat_codes":[{}]"#, codes.join(","))
    };
    assert_eq!(server.run(&key, request_with(&rows(1), &vat_codes(100)))["status"], "completed");
    assert_eq!(refused(request_with(&rows(1), &vat_codes(101))), ["vat_codes"]);
}

#[test]
fn a_job_accepted_under_wider_limits_is_finished_under_narrower_ones() {
    let (gate, work) = crate::support::gate::gate(Product::Coding);
    let setup = Setup::of(Product::Coding).settings(|settings| settings.shutdown_grace_s = Some(0));
    let server = setup.clone().engine(work).may_leave_jobs().start();
    let (_, key) = server.submitter();
    let id = server.submit(&key, Product::Coding.costing(5));
    gate.started();
    let folder = server.folder();
    server.stop();
    let narrower = setup.settings(|settings| {
        settings.max_transactions_per_job = Some(1);
        settings.max_chart_accounts = Some(1);
    });
    let server = narrower.folder(folder).start();
    assert_eq!(server.ended(&key, &id)["credits_charged"], 5);
}

#[test]
fn a_refused_request_writes_nothing() {
    let server = TestServer::start_of(Product::Coding);
    let person = server.person_with(2, 0, false);
    let key = server.key(&person, &Product::Coding.scopes());
    // Bad format comes before 402: nobody is told to pay for what would be refused.
    let rows = [ROW, ROW, ROW, "7"].map(str::to_owned);
    server.submission(&key, request(&rows)).refused(422, "invalid_request_format");
    assert_eq!((server.rows_of("job"), server.rows_of("job_payload")), (0, 0));
    assert_eq!(server.run(&key, Product::Coding.costing(2))["credits_charged"], 2);
}

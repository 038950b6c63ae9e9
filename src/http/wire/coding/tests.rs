//! Tests of the wire format of coding jobs.

use super::*;
use crate::domain::amount;
use crate::domain::coding::{
    AccountType, Alternative, Basis, CodedRow, HistorySummary, InvoiceKind, Method, Outcome, Settled, SettledKind, Vat,
    Warning,
};
use crate::domain::problem::Issues;

const LIMITS: Limits = Limits { max_transactions: 3, max_accounts: 2, max_invoices: 2 };

const WHOLE: &str = r#" {"invoices":[{"account_code":"1\u0032","number":"INV-1","kind":"credit_note","contact":"Ann",
        "date":"2024-02-01","due_date":"2024-03-01","total":-5,"amount_due":0.01,"currency":"EUR","reference":""}],
    "transactions":[ {"amount":-1.50e1,"date":"2024-02-29","description":"Caf\u00e9 \"1\"","merchant":"","reference":null,
        "bank_account":"Main"} ,{"date":"2024-03-01","description":"b","amount":2}],
    "chart_of_accounts":[{"type":"Revenue","name":"Sales","code":"12"}],
    "vat_codes":[{"code":"S","name":"Standard","rate":17.5}],
    "options":{"allowOverage":true,"businessContext":"A bakery"}} "#;

/// Paths of the problems, in the order they are listed.
fn problems(body: &str) -> Vec<String> {
    let issues = parse(body.as_bytes(), &LIMITS).unwrap_err();
    assert_eq!(issues.count, u64::try_from(issues.listed.len()).unwrap(), "{issues:?}");
    issues.listed.into_iter().map(|issue| issue.path).collect()
}

fn with(more: &str) -> String {
    format!(
        r#"{{"transactions":[{{"date":"2024-01-01","description":"a","amount":1}}],
            "chart_of_accounts":[{{"code":"1","name":"n","type":"ASSET"}}]{more}}}"#
    )
}

#[test]
fn a_whole_request_is_read_with_its_digits_and_its_words() {
    let submission = parse(WHOLE.as_bytes(), &LIMITS).unwrap();
    let batch = &submission.batch;
    assert!(submission.allow_overage);
    assert_eq!(batch.business_context, "A bakery");
    let [first, second] = batch.transactions.as_slice() else { panic!("two") };
    assert_eq!((first.amount, &*first.description), (amount::parse("-15").unwrap(), "Caf\u{e9} \"1\""));
    assert_eq!((&first.merchant, &first.reference, first.bank_account.as_deref()), (&None, &None, Some("Main")));
    assert_eq!((second.bank_account.as_deref(), second.amount), (None, amount::parse("2").unwrap()));
    // Each as it was written, with nothing around it.
    assert!(
        submission.inputs[0].starts_with(r#"{"amount":-1.50e1,"date""#) && submission.inputs[0].ends_with("\"Main\"}")
    );
    assert_eq!(submission.inputs[1], r#"{"date":"2024-03-01","description":"b","amount":2}"#);
    assert_eq!((&*batch.accounts[0].code, batch.accounts[0].kind), ("12", AccountType::Income));
    assert_eq!(batch.vat_codes.as_ref().unwrap()[0].rate, amount::parse("17.5").unwrap());
    let invoice = &batch.invoices.as_ref().unwrap()[0];
    assert_eq!((invoice.kind, invoice.account, &invoice.reference), (InvoiceKind::CreditNote, Some(0), &None));
    assert_eq!((invoice.total, invoice.amount_due), (amount::parse("-5").ok(), amount::parse("0.01").unwrap()));
    assert_eq!((invoice.currency.as_deref(), invoice.due_date.is_some()), (Some("EUR"), true));
}

#[test]
fn null_for_an_optional_key_is_the_same_as_leaving_it_out() {
    let nothing = parse(with("").as_bytes(), &LIMITS).map(|read| format!("{read:?}")).unwrap();
    for more in [
        r#","vat_codes":null,"invoices":null,"history":null,"options":null"#,
        r#","history":[]"#,
        r#","options":{"allowOverage":null,"businessContext":null}"#,
        r#","options":{"businessContext":""}"#,
        r#","options":{}"#,
    ] {
        assert_eq!(parse(with(more).as_bytes(), &LIMITS).map(|read| format!("{read:?}")).unwrap(), nothing, "{more}");
    }
    // An empty list of invoices says that there are none; no list says nothing.
    assert!(parse(with(r#","invoices":[]"#).as_bytes(), &LIMITS).unwrap().batch.invoices.is_some());
    assert_eq!(problems(r#"{"transactions":null,"chart_of_accounts":null}"#), ["transactions", "chart_of_accounts"]);
}

#[test]
fn the_past_is_read_strictly_and_its_codes_may_be_unknown() {
    let past = |more: &str| with(&format!(r#","history":[{{"description":"a","account_code":"gone"{more}}}]"#));
    let body = past(r#","date":"2024-02-29","amount":-1.5,"merchant":"","vat_code":"T9","bank_account":null"#);
    let submission = parse(body.as_bytes(), &LIMITS).unwrap();
    let [line] = submission.batch.history.as_slice() else { panic!("one") };
    assert_eq!((&*line.description, &*line.account_code, line.vat_code.as_deref()), ("a", "gone", Some("T9")));
    assert_eq!((line.amount, line.merchant.is_some(), line.date.is_some()), (amount::parse("-1.5").ok(), false, true));
    for (more, field) in [
        (r#","date":"2024-02-30""#, "date"),
        (r#","amount":"1""#, "amount"),
        (r#","vat_code":"""#, "vat_code"),
        (r#","merchant":7"#, "merchant"),
        (r#","reference":"x""#, "reference"),
    ] {
        assert_eq!(problems(&past(more)), [format!("history[0].{field}")], "{more}");
    }
    assert_eq!(problems(&with(r#","history":[{}]"#)), ["history[0].description", "history[0].account_code"]);
    assert_eq!(problems(&with(r#","history":7"#)), ["history"]);
    let rows = |count: usize| vec![r#"{"description":"a","account_code":"1"}"#; count].join(",");
    assert_eq!(problems(&with(&format!(r#","history":[{}]"#, rows(20_001)))), ["history"]);
    assert!(parse(with(&format!(r#","history":[{}]"#, rows(20_000))).as_bytes(), &LIMITS).is_ok());
}

#[test]
fn an_account_that_no_chart_has_is_told_where_it_stands() {
    let invoice = |code: &str| {
        format!(
            r#"{{"number":"n","kind":"bill","contact":"c","date":"2024-01-01","amount_due":1,"account_code":"{code}"}}"#
        )
    };
    let body = format!(
        r#"{{"options":{{"x":1}},"invoices":[{},{}],"x":0,"transactions":[],"chart_of_accounts":[{{"code":"7","name":"n","type":"ASSET"}}]}}"#,
        invoice("7"),
        invoice("07")
    );
    assert_eq!(problems(&body), ["options.x", "invoices[1].account_code", "x", "transactions"]);
    // With more problems behind it than are listed it is listed all the same.
    let rows = ["7"; 200].join(",");
    let body = format!(r#"{{"invoices":[{}],"transactions":[{rows}],"chart_of_accounts":[]}}"#, invoice("1"));
    let issues = parse(body.as_bytes(), &LIMITS).unwrap_err();
    assert_eq!((issues.count, issues.listed.len()), (203, 100));
    assert_eq!(issues.listed[0].path, "invoices[0].account_code");
    assert_eq!(issues.listed[99].path, "transactions[98]");
}

#[test]
fn limits_hold_for_what_is_submitted_and_not_for_what_was_accepted() {
    let row = r#"{"date":"2024-01-01","description":"a","amount":1}"#;
    let account = |code: u8| format!(r#"{{"code":"{code}","name":"n","type":"ASSET"}}"#);
    let invoice = r#"{"number":"n","kind":"bill","contact":"c","date":"2024-01-01","amount_due":1}"#;
    let body = |rows: usize, accounts: u8, invoices: usize| {
        let accounts: Vec<String> = (0..accounts).map(account).collect();
        let (rows, invoices) = (vec![row; rows].join(","), vec![invoice; invoices].join(","));
        format!(r#"{{"transactions":[{rows}],"chart_of_accounts":[{}],"invoices":[{invoices}]}}"#, accounts.join(","))
    };
    assert!(parse(body(3, 2, 2).as_bytes(), &LIMITS).is_ok());
    assert_eq!(problems(&body(4, 3, 3)), ["transactions", "chart_of_accounts", "invoices"]);
    assert_eq!(problems(&body(0, 0, 0)), ["transactions", "chart_of_accounts"]);
    let again = parse(body(4, 3, 3).as_bytes(), &Limits::NONE).map(|read| read.inputs.len());
    assert_eq!(again.unwrap(), 4);
}

#[test]
fn broken_bodies_are_problems_and_never_a_panic() {
    let body = WHOLE.trim_end().as_bytes();
    for cut in 0..body.len() {
        assert!(parse(&body[..cut], &LIMITS).is_err());
    }
    for byte in [b'"', b'{', b'}', b'[', b']', b',', b':', b'\\', 0xff, b'0', b'n'] {
        for at in 0..body.len() {
            let mut damaged = body.to_vec();
            damaged[at] = byte;
            let _: Result<Submission<'_>, Issues> = parse(&damaged, &LIMITS);
        }
    }
    let deep = format!(r#"{{"invoices":{}"#, "[".repeat(1 << 20));
    assert!(parse(deep.as_bytes(), &LIMITS).is_err());
    for other in ["", "null", "[]", "7", "{} {}"] {
        let issues = parse(other.as_bytes(), &LIMITS).unwrap_err();
        assert!(issues.listed.iter().any(|issue| issue.section == "body"), "{other}: {issues:?}");
    }
}

#[test]
fn the_result_says_what_the_contract_says_and_more_only_when_there_is_more() {
    let submission = parse(WHOLE.as_bytes(), &LIMITS).unwrap();
    let units = |text: &str| amount::parse(text).unwrap();
    let first = CodedRow {
        account: 0,
        vat: Vat::Standard,
        vat_rate: units("17.5"),
        vat_amount: units("-2.23"),
        confidence: 930,
        basis: Basis::Line,
        method: Method::InvoiceSettlement,
        reason: "Said \"so\".".into(),
        alternatives: vec![Alternative { account: 0, confidence: 5 }],
        settles: vec![Settled { invoice: 0, amount: units("0.01"), kind: SettledKind::CisDeduction }],
        transfer_pair: Some(1),
    };
    let second = CodedRow { reason: "".into(), confidence: 1000, ..CodedRow::fallback(0, "".into()) };
    let mut outcome =
        Outcome { rows: vec![first, second], warnings: vec![Warning::BankAccountIncomplete], history: None };
    let print = |outcome: &Outcome| {
        let mut out = Vec::new();
        write_result(&mut out, &submission.batch, &submission.inputs, outcome).map(|()| String::from_utf8(out).unwrap())
    };
    let text = print(&outcome).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let expected = [
        r#"{"summary":{"transaction_count":2,"coded_count":1,"by_method":{"invoice_settlement":1,"fallback":1},"#,
        r#""warnings":["bank_account_incomplete"]},"transactions":[{"input":"#,
        submission.inputs[0],
        r#","suggested_account_code":"12","suggested_account_name":"Sales","suggested_account_type":"INCOME","#,
        r#""vat_code":"ST","vat_rate":17.5,"net_amount":-12.77,"vat_amount":-2.23,"confidence":0.93,"#,
        r#""coding_method":"invoice_settlement","reason":"Said \"so\".","#,
        r#""alternatives":[{"code":"12","confidence":0.005}],"#,
        r#""settles":[{"number":"INV-1","amount":0.01,"match":"cis_deduction"}],"transfer_pair":1},{"input":"#,
        submission.inputs[1],
        r#","suggested_account_code":"12","suggested_account_name":"Sales","suggested_account_type":"INCOME","#,
        r#""vat_code":"NV","vat_rate":0,"net_amount":2,"vat_amount":0,"confidence":1,"coding_method":"fallback"}]}"#,
    ];
    assert_eq!(text, expected.concat());
    // What was made of the past is there when there was one.
    outcome.history =
        Some(HistorySummary { rows: 9, payees_matched: 2, unknown_accounts: 3, ..HistorySummary::default() });
    let past = r#""history_rows":9,"history_payees_matched":2,"history_account_unknown":3},"transactions":"#;
    assert!(print(&outcome).unwrap().contains(past), "{}", print(&outcome).unwrap());
    // An answer about something that was not submitted is no result.
    outcome.rows[0].settles[0].invoice = 1;
    print(&outcome).unwrap_err();
    outcome.rows[0].settles.clear();
    outcome.rows[1].account = 1;
    print(&outcome).unwrap_err();
}

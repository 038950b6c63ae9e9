//! What a coding job answers: every row again in its order, as it was written, with an account of the chart, a VAT code
//! and amounts that add up. What the shared tests say about every job is in `job_states` and its neighbours.

use bookkeeping_suite::domain::amount;
use bookkeeping_suite::domain::job::Product;
use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::coding::{CHART, described, request, request_with, transaction};
use crate::support::database::on_both_databases;
use crate::support::product::JobProduct as _;
use crate::support::server::{Setup, TestServer};

const METHODS: [&str; 10] = [
    "invoice_settlement",
    "transfer",
    "history",
    "universal_pattern",
    "merchant",
    "account_name",
    "refund",
    "batch_consistency",
    "semantic",
    "fallback",
];

/// A row of the result with its numbers as they are written.
#[derive(serde::Deserialize)]
struct Coded<'a> {
    #[serde(borrow)]
    input: &'a serde_json::value::RawValue,
    net_amount: &'a serde_json::value::RawValue,
    vat_amount: &'a serde_json::value::RawValue,
}

#[derive(serde::Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    result: Rows<'a>,
}

#[derive(serde::Deserialize)]
struct Rows<'a> {
    #[serde(borrow)]
    transactions: Vec<Coded<'a>>,
}

on_both_databases! {
    fn a_coding_job_is_submitted_polled_and_charged(database) {
        let server = Setup::of(Product::Coding).on(&database).start();
        let (_, key) = server.submitter();
        let body = request_with(
            &[
                described("2026-01-05", "-23.99", "CARD PAYMENT TO RYMAN 0482"),
                described("2026-01-06", "1200.00", "FASTER PAYMENT LARKSPUR LTD INV-1042"),
                described("2026-01-07", "-0.0", "Café 🧾"),
            ],
            r#""vat_codes":[{"code":"T1","name":"Standard","rate":20},{"code":"T9","name":"None","rate":0}],
               "invoices":[{"number":"INV-1042","kind":"invoice","contact":"Larkspur Ltd","date":"2025-12-20","amount_due":1200}],
               "options":{"businessContext":"VAT registered design studio"}"#,
        );
        let answer = server.submission(&key, body);
        let accepted = answer.expect(202);
        assert_eq!(keys(&accepted), ["coding_job_id", "poll_url", "status"]);
        assert_eq!(accepted["status"], "queued");
        let id = accepted["coding_job_id"].as_str().unwrap();
        assert!(id.starts_with("cod_") && id.len() <= 64, "{id}");
        assert_eq!(accepted["poll_url"], format!("/api/v1/coding/coding-jobs/{id}"));

        let poll = server.ended_answer(&key, id);
        let job = poll.value();
        let expected = Product::Coding.state_keys(&["completed_at", "credits_charged", "result"]);
        assert_eq!(keys(&job), expected);
        assert_eq!((&job["coding_job_id"], &job["status"]), (&json!(id), &json!("completed")));
        assert_eq!(job["credits_charged"], 3);
        let result = &job["result"];
        assert_eq!(keys(result), ["summary", "transactions"]);
        let summary = &result["summary"];
        assert_eq!(keys(summary), ["by_method", "coded_count", "transaction_count", "warnings"]);
        assert_eq!(summary["transaction_count"], 3);
        assert!(summary["warnings"].is_array());
        let rows = result["transactions"].as_array().unwrap();
        assert_eq!(rows.len(), 3);
        let counted: u64 = summary["by_method"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(counted, 3);
        let fallbacks = rows.iter().filter(|row| row["coding_method"] == "fallback").count();
        assert_eq!(summary["coded_count"], 3 - fallbacks);
        rows.iter().for_each(check_row);
        assert_eq!(server.credits(&key), (997, 0));
        // Polling again gives the same and charges nothing.
        assert_eq!(server.poll(&key, id).text(), poll.text());
        assert_eq!(server.credits(&key), (997, 0));
    }
}

/// What holds for every row whatever the engine thinks of it.
/// What is learned of the past is in the answer, costs nothing, and is kept no longer than the transactions.
#[test]
fn the_past_of_the_caller_is_learned_from_and_costs_nothing() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let rows = [described("2026-01-05", "-23.99", "CARD PAYMENT TO ZORBLAX 0482")];
    let past = |code: &str| {
        format!(
            r#"{{"date":"2025-11-02","amount":-20,"description":"CARD PAYMENT TO ZORBLAX 77","account_code":"{code}"}}"#
        )
    };
    let chart = CHART.replacen('[', r#"[{"code":"461","name":"Printing","type":"EXPENSE"},"#, 1);
    let with = |history: &str| request_with(&rows, &format!(r#""history":{history}"#)).replace(CHART, &chart);
    let job = server.run(&key, with(&format!("[{},{}]", past("461"), past("gone"))));
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(1)));
    let (summary, row) = (&job["result"]["summary"], &job["result"]["transactions"][0]);
    assert_eq!((&row["suggested_account_code"], &row["coding_method"]), (&json!("461"), &json!("history")), "{job}");
    assert!(row["reason"].as_str().is_some_and(|reason| reason.starts_with("Coded once to 461 ")), "{row}");
    assert_eq!((&summary["history_rows"], &summary["history_payees_matched"]), (&json!(2), &json!(1)));
    assert_eq!(summary["history_account_unknown"], 1);
    assert!(summary["warnings"].as_array().is_some_and(|list| list.contains(&json!("history_account_unknown"))));
    // Without a past, with an empty one and with null, the answer is the same.
    let results: Vec<String> = [request(&rows).replace(CHART, &chart), with("[]"), with("null")]
        .into_iter()
        .map(|body| server.run(&key, body)["result"].to_string())
        .collect();
    assert!(results.iter().all(|result| *result == results[0] && !result.contains("history")), "{results:?}");
}

/// The category of a merchant nobody has heard of tells the account; one that tells nothing changes nothing.
#[test]
fn the_category_of_a_merchant_says_what_it_sells() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let chart = CHART.replacen(
        '[',
        r#"[{"code":"440","name":"Motor fuel","type":"EXPENSE"},{"code":"441","name":"Veterinary fees","type":"EXPENSE"},"#,
        1,
    );
    let line = described("2026-01-05", "-40.12", "CARD PAYMENT TO ZORBLAX 0482");
    let with = |code: &str| line.replacen('{', &format!(r#"{{"merchant_category_code":{code},"#), 1);
    let lines = [with("\"5541\""), with("\"0742\"")];
    let job = server.run(&key, request(&lines).replace(CHART, &chart));
    let rows = job["result"]["transactions"].as_array().unwrap();
    let codes: Vec<&Value> = rows.iter().map(|row| &row["suggested_account_code"]).collect();
    assert_eq!((codes[0], codes[1]), (&json!("440"), &json!("441")), "{job}");
    assert_eq!(rows[0]["coding_method"], "merchant");
    assert_eq!(rows[0]["input"]["merchant_category_code"], "5541");
    // Of another payee, since lines of one payee follow the clear one among them.
    let other = line.replace("ZORBLAX", "QUIFFLE");
    let with = |code: &str| other.replacen('{', &format!(r#"{{"merchant_category_code":{code},"#), 1);
    let job = server.run(&key, request(&[with("\"0001\""), with("null"), other.clone()]).replace(CHART, &chart));
    let mut rows = job["result"]["transactions"].as_array().unwrap().clone();
    rows.iter_mut().for_each(|row| row["input"] = Value::Null);
    assert!(rows.iter().all(|row| *row == rows[0] && row["coding_method"] == "fallback"), "{rows:?}");
}

fn check_row(row: &Value) {
    let always = [
        "coding_method",
        "confidence",
        "input",
        "net_amount",
        "suggested_account_code",
        "suggested_account_name",
        "suggested_account_type",
        "vat_amount",
        "vat_code",
        "vat_rate",
    ];
    let also = ["alternatives", "reason", "settles", "transfer_pair"];
    let names = keys(row);
    assert!(always.iter().all(|name| names.iter().any(|known| known == name)), "{row}");
    assert!(names.iter().all(|name| always.contains(&name.as_str()) || also.contains(&name.as_str())), "{row}");
    let chart: Value = serde_json::from_str(CHART).unwrap();
    let account = chart.as_array().unwrap().iter().find(|account| account["code"] == row["suggested_account_code"]);
    let account = account.unwrap_or_else(|| panic!("an account nobody has: {row}"));
    assert_eq!(row["suggested_account_name"], account["name"]);
    let kind = account["type"].as_str().unwrap().to_uppercase();
    let kind = if kind == "REVENUE" { "INCOME".to_owned() } else { kind };
    assert_eq!(row["suggested_account_type"], kind.as_str());
    assert!(["NV", "ST", "RR", "EX", "ZR"].contains(&row["vat_code"].as_str().unwrap()), "{row}");
    assert!(METHODS.contains(&row["coding_method"].as_str().unwrap()), "{row}");
    assert!((0.0..=1.0).contains(&row["confidence"].as_f64().unwrap()), "{row}");
    for list in ["alternatives", "settles"] {
        assert!(row.get(list).is_none_or(|list| list.as_array().is_some_and(|list| !list.is_empty())), "{row}");
    }
}

#[test]
fn rows_come_back_in_their_order_exactly_as_they_were_written() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let inputs = [
        r#"{"date":"2026-01-05","description":"Rent","amount":-850.00}"#,
        r#"{"amount":1E+2,"merchant":null,"date":"0001-01-01","description":"\u0041\u00e9\t\"\\\/"}"#,
        "{ \"reference\" : \"\" ,\n\t\"description\":\"\u{2028}\u{feff}a\u{301}🧾𝄞</script>\", \"amount\": -0.0,\"date\":\"9999-12-31\" }",
        r#"{"bank_account":"Main","date":"2024-02-29","description":"  spaces  ","amount":123456789012345678.123456789012345678,"merchant":"M","reference":"R"}"#,
        r#"{"description":"\ud83e\uddfe","amount":1e-3,"date":"2000-01-01"}"#,
    ]
    .map(str::to_owned);
    let id = server.submit(&key, request(&inputs));
    let text = server.ended_answer(&key, &id).text();
    let state: State<'_> = serde_json::from_str(&text).unwrap();
    let echoed: Vec<&str> = state.result.transactions.iter().map(|row| row.input.get()).collect();
    assert_eq!(echoed, inputs);
    // What came back can be posted again.
    let again = server.run(&key, request(&echoed.iter().map(|input| (*input).to_owned()).collect::<Vec<_>>()));
    assert_eq!(again["result"]["summary"]["transaction_count"], inputs.len());
}

#[test]
fn net_and_vat_add_up_to_the_amount_exactly() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let amounts = [
        "-23.99",
        "0.01",
        "-0.01",
        "0",
        "1e2",
        "-1.005",
        "999999999999999999.99",
        "-999999999999999999",
        "0.000000000001",
        "12345.6",
        "33.33",
        "-19.999999",
    ];
    let descriptions =
        ["CARD PAYMENT TO RYMAN", "INTEREST PAID", "TRAINLINE", "INVOICE 7 LARKSPUR", "TESCO STORES 2231"];
    let rows: Vec<String> = amounts
        .iter()
        .flat_map(|amount| descriptions.map(|description| described("2026-01-05", amount, description)))
        .collect();
    let body = request_with(&rows, r#""options":{"businessContext":"VAT registered shop"}"#);
    let id = server.submit(&key, body);
    let text = server.ended_answer(&key, &id).text();
    let state: State<'_> = serde_json::from_str(&text).unwrap();
    assert_eq!(state.result.transactions.len(), rows.len());
    for (row, sent) in state.result.transactions.iter().zip(amounts.iter().flat_map(|amount| [amount; 5])) {
        let units = |raw: &serde_json::value::RawValue| amount::parse(raw.get()).unwrap();
        let (net, vat, amount) = (units(row.net_amount), units(row.vat_amount), amount::parse(sent).unwrap());
        assert_eq!(net + vat, amount, "{sent}");
        assert_eq!(vat % amount::UNITS_PER_PENNY, 0, "VAT is whole pence: {sent}");
        assert!(vat == 0 || vat.signum() == amount.signum(), "{sent}");
        assert!(vat.abs() <= amount.abs(), "{sent}");
    }
}

#[test]
fn the_same_job_twice_gives_the_same_result_to_the_byte() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let rows: Vec<String> = (0..200)
        .map(|row| {
            described("2026-01-05", &format!("-{}.{:02}", row * 7 % 90, row % 100), &format!("PAYEE {} LTD", row % 37))
        })
        .collect();
    let result = || {
        let id = server.submit(&key, request(&rows));
        let text = server.ended_answer(&key, &id).text();
        text.split_once(r#""result":"#).expect("a result").1.to_owned()
    };
    assert_eq!(result(), result());
}

#[test]
fn only_what_the_result_repeats_is_kept() {
    let server = TestServer::start_of(Product::Coding);
    let (_, key) = server.submitter();
    let body = format!(
        r#"{{"transactions":[{}],"chart_of_accounts":[{{"code":"1","name":"Everything","type":"EXPENSE"}}],
            "vat_codes":[{{"code":"quince","name":"medlar","rate":0}}],
            "invoices":[{{"number":"sorrel","kind":"bill","contact":"tansy","date":"2026-01-01","amount_due":77.77,"reference":"yarrow"}}],
            "options":{{"businessContext":"lovage"}}}}"#,
        transaction("-1.00")
    );
    let id = server.submit(&key, body);
    let text = server.ended_answer(&key, &id).text();
    for word in ["quince", "medlar", "sorrel", "tansy", "yarrow", "lovage", "77.77"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 1));
    let job = bookkeeping_suite::domain::ids::JobId(id);
    let stored = server.with_store(async |store| store.reader.result_part(&job, 0).await.unwrap());
    assert!(stored.is_none_or(|stored| stored.len() < 2_000), "more is stored than the result");
}

#[test]
fn both_products_have_queues_of_their_own() {
    let (gate, work) = crate::support::gate::gate(Product::Reconciliation);
    let setup = Setup::of(Product::Coding).settings(|settings| settings.queue_capacity_jobs = Some(1));
    let server = setup.engine(work).start();
    let person = server.person();
    let (coding, reconciling) =
        (server.key(&person, &Product::Coding.scopes()), server.key(&person, &Product::Reconciliation.scopes()));
    let reconcile = || {
        let post = server.client.post(Product::Reconciliation.path()).key(&reconciling);
        post.body(Product::Reconciliation.costing(1)).send()
    };
    reconcile().expect(202);
    gate.started();
    reconcile().expect(202);
    reconcile().refused(503, "busy");
    // Reconciliation is busy and full; coding goes on, and its Idempotency-Keys are its own.
    for _ in 0..3 {
        assert_eq!(server.run(&coding, Product::Coding.costing(2))["status"], "completed");
    }
    gate.tell(crate::support::gate::Tell::Complete);
    gate.started();
    gate.tell(crate::support::gate::Tell::Complete);
}

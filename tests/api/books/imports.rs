//! Bulk imports: every row decided like the single request it stands for, previewed and then written together.

use serde_json::{Value, json};

use super::{Books, format_paths, printed, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

#[track_caller]
fn preview(books: &Books, kind: &str, rows: Value) -> Value {
    books.post("/imports", &json!({ "kind": kind, "rows": rows })).expect(201)["data"].clone()
}

fn confirm(books: &Books, import: &Value, more: Value) -> Answer {
    let mut body = json!({ "token": import["token"] });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    books.post(&format!("/imports/{}/confirm", import["id"]), &body)
}

fn statuses(import: &Value) -> Vec<&str> {
    import["results"].as_array().unwrap().iter().map(|result| result["status"].as_str().unwrap()).collect()
}

fn paths(import: &Value) -> Vec<&str> {
    import["issues"].as_array().unwrap().iter().map(|issue| issue["path"].as_str().unwrap()).collect()
}

/// What must not move when something is refused.
fn state(books: &Books) -> (Value, Value, Vec<i64>) {
    let tables = ["journal", "contact", "account", "bank_transaction"].map(|table| books.server.rows_of(table));
    (books.get("/bank-accounts")["data"].clone(), books.get("/changes?limit=200"), tables.into())
}

on_both_databases! {
    fn journals_are_imported_together(database) {
        let books = Books::on(&database);
        let rows: Vec<Value> =
            (1..=3).map(|day| books.two_lines(&format!("2026-03-0{day}"), "7100", "1200", json!("10.10"))).collect();
        let before = state(&books);
        let answer = books.post("/imports", &json!({ "kind": "journals", "rows": rows }));
        let import = answer.expect(201)["data"].clone();
        let mut fields = vec![
            "id", "token", "kind", "status", "rows_total", "rows_valid", "rows_invalid", "rows_duplicate", "issues",
            "issue_count", "effects", "created_at", "created_by", "expires_at", "confirmed_at",
        ];
        fields.sort_unstable();
        assert_eq!(keys(&import), fields);
        assert_eq!((&import["status"], &import["rows_valid"], &import["issues"]), (&json!("previewed"), &json!(3), &json!([])));
        assert_eq!((&import["effects"]["journals"], printed(&answer, "total_debit")), (&json!(3), "30.30".to_owned()));
        assert_eq!(state(&books), before, "a preview writes nothing into the books");

        let confirmed = confirm(&books, &import, json!({})).expect(200)["data"].clone();
        assert_eq!((&confirmed["status"], &confirmed["token"]), (&json!("confirmed"), &Value::Null));
        assert_eq!(statuses(&confirmed), ["created", "created", "created"]);
        let numbers: Vec<Value> = confirmed["results"].as_array().unwrap().iter()
            .map(|result| books.get(&format!("/journals/{}", result["id"]))["data"]["journal_number"].clone()).collect();
        assert_eq!(numbers, [json!(1), json!(2), json!(3)]);
        assert_eq!(books.account("7100")["balance"], json!(30.3));
        assert_eq!(books.get(&format!("/imports/{}", import["id"]))["data"], confirmed);
        let listed = books.get("/imports");
        assert_eq!((&listed["pagination"]["total"], &listed["data"][0]["id"]), (&json!(1), &import["id"]));
        assert!(listed["data"][0].get("results").is_none());
        let last = books.get("/changes?limit=200")["data"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&last["resource_type"], &last["summary"]), (&json!("import"), &json!("3 journals imported")));

        let used = confirm(&books, &import, json!({}));
        assert_eq!((used.status, reason(&used)), (409, "token_used".to_owned()));
        let other = preview(&books, "journals", json!([rows[0]]));
        let crossed = json!({ "id": import["id"], "token": other["token"] });
        assert_eq!(reason(&confirm(&books, &crossed, json!({}))), "token_expired");
        books.post("/imports/9999999/confirm", &json!({ "token": "x" })).refused(404, "not_found");
        assert_eq!(format_paths(&books.post(&format!("/imports/{}/confirm", import["id"]), &json!({}))), ["token"]);
    }

    fn rows_that_are_wrong_are_told_and_left_out_only_when_asked(database) {
        let books = Books::on(&database);
        let good = books.two_lines("2026-03-01", "7100", "1200", json!(1));
        let mut unbalanced = good.clone();
        unbalanced["lines"][1]["credit"] = json!(2);
        let mut unknown = good.clone();
        unknown["lines"][0]["account_id"] = json!(888_888);
        let mut one_sided = good.clone();
        one_sided["lines"][1] = json!({ "account_id": books.account_id("1200") });
        let import = preview(&books, "journals", json!([good, unbalanced, { "entry_date": "x" }, unknown, one_sided, 7]));
        assert_eq!((&import["rows_total"], &import["rows_valid"], &import["rows_invalid"]), (&json!(6), &json!(1), &json!(5)));
        let mut told = paths(&import);
        told.sort_unstable();
        assert_eq!(told, [
            "rows[1]", "rows[2].description", "rows[2].entry_date", "rows[2].lines", "rows[3].lines[0].account_id",
            "rows[4].lines[1]", "rows[5]",
        ]);
        assert_eq!((&import["issue_count"], &import["effects"]["journals"]), (&json!(7), &json!(1)));
        let before = state(&books);
        let refused = confirm(&books, &import, json!({}));
        assert_eq!(format_paths(&refused), ["skip_invalid"]);
        assert_eq!(state(&books), before);
        // The token is still good.
        let confirmed = confirm(&books, &import, json!({ "skip_invalid": true })).expect(200)["data"].clone();
        assert_eq!(statuses(&confirmed), ["created", "invalid", "invalid", "invalid", "invalid", "invalid"]);
        assert_eq!(books.server.rows_of("journal"), 1);
    }

    fn books_that_changed_make_a_preview_stale(database) {
        let books = Books::on(&database);
        let row = json!({ "code": "7999", "name": "Sundries", "account_type": "EXPENSE" });
        let first = preview(&books, "accounts", json!([row]));
        let second = preview(&books, "accounts", json!([row]));
        confirm(&books, &first, json!({})).expect(200);
        let before = state(&books);
        let stale = confirm(&books, &second, json!({ "skip_invalid": true }));
        assert_eq!((stale.status, reason(&stale)), (409, "stale_version".to_owned()));
        assert_eq!(state(&books), before);
        // What changed beside it does not matter.
        let third = preview(&books, "accounts", json!([{ "code": "7998", "name": "Other", "account_type": "EXPENSE" }]));
        books.post("/customers", &json!({ "name": "Ann" })).expect(201);
        confirm(&books, &third, json!({})).expect(200);
        let import = preview(&books, "journals", json!([books.two_lines("2026-03-01", "7100", "1200", json!(1))]));
        books.lock("2026-03-05");
        assert_eq!(reason(&confirm(&books, &import, json!({}))), "stale_version");
        // Rows of one import see what those before them did.
        let twice = preview(&books, "accounts", json!([
            { "code": "7997", "name": "One", "account_type": "EXPENSE" }, { "code": "7997", "name": "Two", "account_type": "EXPENSE" },
        ]));
        assert_eq!((&twice["rows_valid"], paths(&twice)), (&json!(1), vec!["rows[1].code"]));
    }

    fn lines_of_statements_tell_their_import(database) {
        let books = Books::on(&database);
        let bank = books.get("/bank-accounts")["data"][0].clone();
        assert_eq!(bank["last_imported_at"], Value::Null);
        let row = |day: u32| json!({
            "bank_account_id": bank["id"], "date": format!("2026-03-0{day}"), "amount": 5, "description": "x"
        });
        let import = preview(&books, "bank_transactions", json!([row(1), row(2)]));
        let confirmed = confirm(&books, &import, json!({})).expect(200)["data"].clone();
        let line = books.get(&format!("/bank-transactions/{}", confirmed["results"][0]["id"]))["data"].clone();
        assert_eq!(line["import_id"], import["id"]);
        assert_ne!(books.get("/bank-accounts")["data"][0]["last_imported_at"], Value::Null);
        // Statements imported at once count with them.
        let rows = json!([{ "date": "2026-03-03", "amount": 5, "description": "x" }]);
        let statement = json!({ "bank_account_id": bank["id"], "rows": rows });
        let statement = books.post("/bank-transactions/import", &statement).expect(201)["data"].clone();
        assert!(statement["import_id"].as_i64() > import["id"].as_i64(), "{statement}");
    }

    fn master_data_is_imported(database) {
        let books = Books::on(&database);
        let customers = preview(&books, "customers", json!([
            { "name": "Ann", "reference": "C1" }, { "name": "Bob", "reference": "C1" }, { "name": "Cy", "default_account_id": 777_777 },
        ]));
        assert_eq!(paths(&customers), ["rows[1].reference", "rows[2].default_account_id"]);
        let done = confirm(&books, &customers, json!({ "skip_invalid": true })).expect(200)["data"].clone();
        let ann = books.get(&format!("/customers/{}", done["results"][0]["id"]))["data"].clone();
        assert_eq!((&ann["name"], &ann["reference"]), (&json!("Ann"), &json!("C1")));
        let cis = json!({ "is_subcontractor": true, "deduction_rate": 20 });
        let suppliers = preview(&books, "suppliers", json!([{ "name": "Reed", "cis": cis }]));
        let done = confirm(&books, &suppliers, json!({})).expect(200)["data"].clone();
        assert_eq!(books.get(&format!("/suppliers/{}", done["results"][0]["id"]))["data"]["cis"]["deduction_rate"], 20);
        assert_eq!(books.get("/customers")["pagination"]["total"], 1);
    }

    fn lines_of_statements_are_a_multiset(database) {
        let books = Books::on(&database);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let parking = json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": -2.5, "description": "PARKING" });
        let with_id = json!({ "bank_account_id": bank, "date": "2026-03-02", "amount": 9, "description": "X", "external_id": "b1" });
        let rows = json!([parking, parking, with_id]);
        let import = preview(&books, "bank_transactions", rows.clone());
        assert_eq!((&import["rows_valid"], &import["rows_duplicate"]), (&json!(3), &json!(0)));
        confirm(&books, &import, json!({})).expect(200);
        assert_eq!(books.get("/bank-accounts")["data"][0]["unconfirmed_count"], 3);
        let mut more = rows.as_array().unwrap().clone();
        more.push(parking);
        let again = preview(&books, "bank_transactions", json!(more));
        assert_eq!((&again["rows_valid"], &again["rows_duplicate"]), (&json!(4), &json!(3)));
        let done = confirm(&books, &again, json!({})).expect(200)["data"].clone();
        assert_eq!(statuses(&done), ["duplicate", "duplicate", "duplicate", "created"]);
        assert_eq!(books.get("/bank-accounts")["data"][0]["unconfirmed_count"], 4);
        let body = json!({ "kind": "bank_transactions", "rows": rows, "options": { "on_duplicate": "reject" } });
        let rejected = books.post("/imports", &body).expect(201)["data"].clone();
        assert_eq!(rejected["rows_invalid"], 3);
        // Only the last of them has an id of the bank's.
        let paths: Vec<_> = rejected["issues"].as_array().unwrap().iter().map(|issue| issue["path"].clone()).collect();
        assert_eq!(paths, ["rows[0]", "rows[1]", "rows[2].external_id"]);
        assert_eq!(books.server.rows_of("bank_transaction"), 4);
    }

    fn a_rehearsal_keeps_no_token(database) {
        let books = Books::on(&database);
        let body = json!({ "kind": "customers", "rows": [{ "name": "Ann" }] });
        let rehearsed = books.request("POST", "/imports?dry_run=true").json(&body).send().expect(200);
        assert_eq!((&rehearsed["data"]["token"], &rehearsed["data"]["id"], &rehearsed["dry_run"]), (&Value::Null, &Value::Null, &json!(true)));
        assert_eq!(books.get("/imports")["data"], json!([]));
        let import = preview(&books, "customers", json!([{ "name": "Ann" }]));
        let path = format!("/imports/{}/confirm?dry_run=true", import["id"]);
        let body = json!({ "token": import["token"] });
        books.request("POST", &path).json(&body).send().expect(200);
        assert_eq!(books.get("/customers")["data"], json!([]));
        confirm(&books, &import, json!({})).expect(200);
    }

    fn one_of_many_confirmations_wins(database) {
        let books = Books::on(&database);
        let import = preview(&books, "journals", json!([books.two_lines("2026-03-01", "7100", "1200", json!(1))]));
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..6).map(|_| scope.spawn(|| confirm(&books, &import, json!({})).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
        assert_eq!(books.server.rows_of("journal"), 1);
    }
}

#[test]
fn five_thousand_rows_are_one_import_and_one_more_is_too_many() {
    let books = Books::of(TestServer::start());
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let row = |at: i64| json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": at, "description": "x", "external_id": at.to_string() });
    let rows: Vec<Value> = (1..=5_000).map(row).collect();
    let import = preview(&books, "bank_transactions", json!(rows));
    confirm(&books, &import, json!({})).expect(200);
    assert_eq!(books.server.rows_of("bank_transaction"), 5_000);
    let rows: Vec<Value> = (1..=5_001).map(row).collect();
    let refused = books.post("/imports", &json!({ "kind": "bank_transactions", "rows": rows }));
    assert_eq!(format_paths(&refused), ["rows"]);
}

#[test]
fn an_import_expires() {
    let books = Books::of(TestServer::start());
    let import = preview(&books, "customers", json!([{ "name": "Ann" }]));
    books.server.advance_ms(30 * 60 * 1_000);
    let late = confirm(&books, &import, json!({}));
    assert_eq!((late.status, reason(&late)), (422, "token_expired".to_owned()));
    assert_eq!(books.get(&format!("/imports/{}", import["id"]))["data"]["status"], "expired");
    assert_eq!(books.get("/customers")["data"], json!([]));
}

#[test]
fn requests_are_strict() {
    let books = Books::of(TestServer::start());
    let refused = |body: Value| format_paths(&books.post("/imports", &body));
    assert_eq!(refused(json!({})), ["kind", "rows"]);
    assert_eq!(refused(json!({ "kind": "ledgers", "rows": [], "x": 1 })), ["kind", "rows", "x"]);
    let options = json!({ "kind": "customers", "rows": [{}], "options": { "on_duplicate": "skip" } });
    assert_eq!(refused(options), ["options.on_duplicate"]);
}

//! The history of the books: an entry for every change, in one order for everybody, never one too many or too few.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths};
use crate::support::client::keys;
use crate::support::database::{Database, on_both_databases};
use crate::support::server::Setup;

/// Action, kind of record and summary of each entry.
fn told(changes: &Value) -> Vec<(&str, &str, &str)> {
    let entries = changes["data"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap();
            (text("action"), text("resource_type"), text("summary"))
        })
        .collect()
}

/// Action, before and after of each entry.
fn sides(changes: &Value) -> Vec<(String, Value, Value)> {
    let entries = changes["data"].as_array().unwrap();
    let side =
        |entry: &Value| (entry["action"].as_str().unwrap().to_owned(), entry["before"].clone(), entry["after"].clone());
    entries.iter().map(side).collect()
}

on_both_databases! {
    fn every_change_is_told_in_order(database) {
        let books = Books::on(&database);
        let made = books.get("/changes");
        assert_eq!(told(&made), [("create", "organisation", "Organisation Larkspur Joinery Ltd made")]);
        assert_eq!((&made["data"][0]["cursor"], &made["next_cursor"]), (&json!(1), &json!(1)));

        let customer = books.post("/customers", &json!({ "name": "Ann", "email": "ann@example.com" })).expect(201);
        let path = format!("/customers/{}", customer["data"]["id"]);
        let patch = json!({ "name": "Anna", "email": null });
        books.request("PATCH", &path).json(&patch).send().expect(200);
        books.request("POST", &format!("{path}/archive")).send().expect(200);
        // Repeating it changes nothing, and nothing is told.
        books.request("POST", &format!("{path}/archive")).send().expect(200);
        books.request("POST", &format!("{path}/unarchive")).send().expect(200);
        books.request("DELETE", &path).send().expect(200);
        let history = books.get(&format!("{path}/history"));
        assert_eq!(
            sides(&history),
            [
                ("create".to_owned(), Value::Null, json!({
                    "name": "Ann", "email": "ann@example.com", "cis_deducts": false, "is_archived": false
                })),
                ("update".to_owned(), json!({ "name": "Ann", "email": "ann@example.com" }), json!({ "name": "Anna", "email": null })),
                ("archive".to_owned(), json!({ "is_archived": false }), json!({ "is_archived": true })),
                ("unarchive".to_owned(), json!({ "is_archived": true }), json!({ "is_archived": false })),
                ("delete".to_owned(), json!({ "name": "Anna", "cis_deducts": false, "is_archived": false }), Value::Null),
            ]
        );
        assert_eq!(history["next_cursor"], 6);
        let entry = &history["data"][1];
        let mut fields =
            vec!["cursor", "at", "actor", "action", "resource_type", "resource_id", "summary", "note", "before", "after"];
        fields.sort_unstable();
        assert_eq!(keys(entry), fields);
        // People have no other name than their address here.
        let by = json!({
            "user_id": books.owner.user_id, "user_name": books.owner.email, "key_prefix": books.key.prefix, "key_name": "test", "via": "api",
            "connection": null, "tool": null
        });
        assert_eq!((&entry["actor"], &entry["resource_id"]), (&by, &customer["data"]["id"]));

        // The same, part by part.
        let first = books.get("/changes?limit=4");
        let rest = books.get(&format!("/changes?since={}", first["next_cursor"]));
        assert_eq!(told(&rest), [
            ("unarchive", "customer", "Customer Anna taken back into use"),
            ("delete", "customer", "Customer Anna deleted"),
        ]);
        let end = books.get(&format!("/changes?since={}", rest["next_cursor"]));
        assert_eq!((told(&end), &end["next_cursor"]), (vec![], &json!(6)));
    }

    fn journals_and_lines_of_statements_have_a_history(database) {
        let books = Books::on(&database);
        let journal = books.posted("2026-03-01", "7100", "1200", json!("54.10"));
        let path = format!("/journals/{}", journal["id"]);
        books.post(&format!("{path}/void"), &json!({ "reason": "twice" })).expect(200);
        let history = books.get(&format!("{path}/history"));
        assert_eq!(told(&history), [
            ("create", "journal", "Journal 1 posted: Test"), ("void", "journal", "Journal 1 voided"),
        ]);
        let after = &history["data"][1]["after"];
        assert_eq!((&after["status"], &after["reason"]), (&json!("void"), &json!("twice")));
        let created = books.request("GET", &format!("{path}/history")).send();
        assert!(created.text().contains(r#""total_debit":54.10"#), "{created}");

        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let line = json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": -5, "description": "x" });
        let line = books.post("/bank-transactions", &line).expect(201)["data"].clone();
        let path = format!("/bank-transactions/{}", line["id"]);
        let coding = json!({ "account_id": books.account_id("7100"), "vat_code": "NV" });
        let confirmed = books.post(&format!("{path}/confirm"), &coding).expect(200)["data"].clone();
        books.request("POST", &format!("{path}/unconfirm")).send().expect(200);
        books.request("POST", &format!("{path}/exclude")).send().expect(200);
        let history = books.get(&format!("{path}/history"));
        let actions: Vec<_> = told(&history).iter().map(|(action, _, _)| *action).collect();
        assert_eq!(actions, ["create", "confirm", "unconfirm", "exclude"]);
        assert_eq!(history["data"][1]["after"]["journal_id"], confirmed["journal_id"]);
        assert_eq!(history["data"][2]["before"]["journal_id"], confirmed["journal_id"]);
        // The journal behind it has a history of its own.
        let journal = books.get(&format!("/journals/{}/history", confirmed["journal_id"]));
        let actions: Vec<_> = told(&journal).iter().map(|(action, _, _)| *action).collect();
        assert_eq!(actions, ["create", "void"]);
        assert_eq!(journal["data"][0]["after"]["source_id"], line["id"]);

        // An account of the standard chart came with the organisation.
        let account = books.account_id("7100");
        assert_eq!(told(&books.get(&format!("/accounts/{account}/history"))), []);
        books.request("PATCH", &format!("/accounts/{account}")).json(&json!({ "code": "7101" })).send().expect(200);
        books.lock("2026-02-28");
        let changes = books.get("/changes?limit=200");
        let last: Vec<_> = told(&changes).into_iter().rev().take(2).collect();
        assert_eq!(last, [
            ("lock", "organisation", "Period locked up to 2026-02-28"), ("update", "account", "Account 7101 Rent changed"),
        ]);
    }

    fn what_is_refused_or_rehearsed_is_not_told(database) {
        let books = Books::on(&database);
        let journal = books.two_lines("2026-03-01", "7100", "1200", json!(1));
        books.request("POST", "/journals?dry_run=true").json(&journal).send().expect(200);
        let mut unbalanced = journal.clone();
        unbalanced["lines"][0]["debit"] = json!(2);
        books.post("/journals", &unbalanced).refused(422, "unprocessable_entity");
        let once = || books.request("POST", "/journals").header("Idempotency-Key", "a").json(&journal).send().expect(201);
        assert_eq!(once(), once());
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let line = json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": -5, "description": "x" });
        let line = books.post("/bank-transactions", &line).expect(201)["data"]["id"].clone();
        let item = json!({ "id": line, "account_id": books.account_id("7100"), "vat_code": "NV" });
        let twice = json!({ "items": [item, item] });
        books.post("/bank-transactions/confirm-batch", &twice).refused(409, "conflict");
        let changes = books.get("/changes");
        let actions: Vec<_> = told(&changes).iter().map(|(action, kind, _)| (*action, *kind)).collect();
        assert_eq!(actions, [("create", "organisation"), ("create", "journal"), ("create", "bank_transaction")]);
        assert_eq!(changes["next_cursor"], 3);
    }

    fn since_is_a_cursor_or_a_moment(database) {
        let books = Books::on(&database);
        for name in ["a", "b", "c", "d", "e", "f"] {
            books.post("/customers", &json!({ "name": name })).expect(201);
        }
        let all = books.get("/changes")["data"].clone();
        for entry in all.as_array().unwrap() {
            let at = entry["at"].as_str().unwrap();
            let since = books.get(&format!("/changes?since={at}"))["data"].clone();
            let expected: Vec<&Value> = all.as_array().unwrap().iter().filter(|other| other["at"].as_str().unwrap() >= at).collect();
            assert_eq!(since.as_array().unwrap().iter().collect::<Vec<_>>(), expected);
        }
        let later = books.get("/changes?since=2100-01-01T00:00:00Z");
        assert_eq!(later, json!({ "data": [], "next_cursor": 7 }));
        assert_eq!(books.get("/changes?since=1990-01-01T00:00:00Z")["data"], all);
        assert_eq!(books.get("/changes?since=99999999999999999999")["data"], json!([]));
        for (query, path) in [("since=yesterday", "query.since"), ("since=-1", "query.since"), ("limit=0", "query.limit"), ("limit=201", "query.limit")] {
            let refused = books.request("GET", &format!("/changes?{query}")).send();
            assert_eq!(format_paths(&refused), [path], "{query}");
        }
        books.request("GET", "/journals/1234567/history").send().refused(404, "not_found");
        books.request("GET", "/journals/x/history").send().refused(404, "not_found");
    }
}

#[test]
fn nothing_appears_behind_what_was_read_whichever_process_wrote_it() {
    let Some(database) = Database::postgresql() else { return };
    let books = Books::on(&database);
    let second = Setup::new().on(&database).start();
    let journal = books.two_lines("2026-03-01", "7100", "1200", json!(1));
    let path = format!("{ORGANISATIONS}/{}/journals", books.id);
    let done = AtomicBool::new(false);
    let read = std::thread::scope(|scope| {
        let writers: Vec<_> = [&books.server.client, &second.client]
            .into_iter()
            .map(|client| {
                let (path, journal, key) = (&path, &journal, &books.key);
                scope.spawn(move || {
                    for _ in 0..25 {
                        let answer = crate::support::until("the key is known everywhere", || {
                            let answer = client.post(path).key(key).json(journal).send();
                            (answer.status != 401).then_some(answer)
                        });
                        answer.expect(201);
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let (mut cursor, mut read) = (0, Vec::new());
            loop {
                let is_last = done.load(Ordering::Acquire);
                let part = books.get(&format!("/changes?since={cursor}&limit=7"));
                read.extend(part["data"].as_array().unwrap().iter().map(|entry| entry["cursor"].as_i64().unwrap()));
                cursor = part["next_cursor"].as_i64().unwrap();
                if is_last && part["data"] == json!([]) {
                    return read;
                }
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
        reader.join().unwrap()
    });
    assert_eq!(read, (1..=51).collect::<Vec<i64>>());
}

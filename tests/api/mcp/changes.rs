//! `recent_changes`: the history of the books, newest first or from a place on.

use serde_json::{Value, json};

use super::{failure, given, text};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, TestServer};

fn recent(books: &Books, arguments: &Value) -> Value {
    given(&books.server, &books.key, "recent_changes", arguments)
}

fn cursors(changes: &Value) -> Vec<i64> {
    changes["changes"].as_array().unwrap().iter().map(|change| change["cursor"].as_i64().unwrap()).collect()
}

on_both_databases! {
    fn the_newest_come_first_and_pages_go_back_to_the_first(database) {
        let books = Books::on(&database);
        let ids: Vec<i64> = (0..7).map(|number| books.customer(&format!("Customer {number}"))).collect();
        let all = books.get("/changes")["data"].clone();
        let newest = recent(&books, &json!({ "limit": 3 }));
        assert_eq!(cursors(&newest), [8, 7, 6]);
        assert_eq!(newest["changes"][0], all[7], "an entry reads as over REST");
        let mut seen = cursors(&newest);
        let mut page = newest;
        while let Some(cursor) = page.get("next_cursor") {
            assert_eq!(page["truncated"], true);
            page = recent(&books, &json!({ "limit": 3, "cursor": cursor }));
            seen.extend(cursors(&page));
        }
        assert_eq!((seen, &page["truncated"]), ((1..=8).rev().collect(), &json!(false)));

        // From a place on, oldest first, so that nothing is missed.
        let mut seen = Vec::new();
        let mut page = recent(&books, &json!({ "since": "2", "limit": 4 }));
        loop {
            seen.extend(cursors(&page));
            let Some(cursor) = page.get("next_cursor") else { break };
            page = recent(&books, &json!({ "since": "2", "limit": 4, "cursor": cursor }));
        }
        assert_eq!(seen, [3, 4, 5, 6, 7, 8]);
        let at = all[4]["at"].as_str().unwrap();
        let later = recent(&books, &json!({ "since": at }));
        assert!(cursors(&later).contains(&5) && later["changes"].as_array().unwrap().iter().all(|one| one["at"].as_str() >= Some(at)));
        assert!(cursors(&recent(&books, &json!({ "since": "8" }))).is_empty());

        let history = recent(&books, &json!({ "resource_type": "customer", "resource_id": ids[2] }));
        assert_eq!(cursors(&history), [4]);
        assert_eq!(history["changes"][0]["resource_id"], ids[2]);
    }

    fn an_entry_names_the_person_and_the_key(database) {
        let books = Books::on(&database);
        let colleague = books.server.person();
        books.server.member(books.id, &colleague, "bookkeeper");
        let key = books.server.key_with(&colleague, &json!({ "name": "Priya's agent", "scopes": ALL_SCOPES }));
        let operations = json!([{ "op": "customer.create", "params": { "name": "Ann" } }]);
        let arguments = json!({ "organisation_id": books.id, "operations": operations });
        let plan = given(&books.server, &key, "plan_bookkeeping", &arguments);
        given(&books.server, &key, "commit_plan", &json!({ "plan_token": plan["plan_token"] }));
        let last = recent(&books, &json!({ "limit": 1 }))["changes"][0]["actor"].clone();
        assert_eq!(last["user_id"], colleague.user_id);
        assert_eq!(json!([last["user_name"], last["key_name"]]), json!([colleague.email, "Priya's agent"]), "people are named by their address here");
        let history = books.get("/changes?order=desc&limit=1")["data"][0]["actor"].clone();
        assert_eq!(history, last);
    }

    fn the_history_is_read_backwards_over_rest_too(database) {
        let books = Books::on(&database);
        for number in 0..5 {
            books.customer(&format!("Customer {number}"));
        }
        let page = |query: &str| {
            let page = books.get(&format!("/changes?{query}"));
            let cursors: Vec<i64> =
                page["data"].as_array().unwrap().iter().map(|one| one["cursor"].as_i64().unwrap()).collect();
            (cursors, page["next_cursor"].as_i64().unwrap())
        };
        assert_eq!(page("order=desc&limit=4"), (vec![6, 5, 4, 3], 3));
        assert_eq!(page("order=desc&limit=4&before=3"), (vec![2, 1], 1));
        assert_eq!(page("order=desc&before=1"), (vec![], 1));
        assert_eq!(page("order=desc&since=4"), (vec![6, 5], 5));
        assert_eq!(page("order=asc&limit=2"), (vec![1, 2], 2));
        for wrong in ["order=newest", "order=desc&before=x", "order=desc&before=2026-03-10T12:00:00Z"] {
            books.request("GET", &format!("/changes?{wrong}")).send().refused(422, "invalid_request_format");
        }
    }
}

#[test]
fn a_page_reads_byte_for_byte_as_over_rest() {
    let books = Books::of(TestServer::start());
    let customer = books.made("/customers", &json!({ "name": "Quote \" & é🧾 \\ Ltd" }))["id"].as_i64().unwrap();
    let sold = books.sale(customer, "2026-03-01", "120")["id"].clone();
    books.done(&format!("/sales-invoices/{sold}/void"), &json!({ "void_date": "2026-03-02" }));
    for (arguments, path) in [
        (json!({}), "/changes?order=desc".to_owned()),
        (json!({ "limit": 2 }), "/changes?order=desc&limit=2".to_owned()),
        (json!({ "since": "1" }), "/changes?since=1".to_owned()),
        (
            json!({ "resource_type": "sales_invoice", "resource_id": sold }),
            format!("/sales-invoices/{sold}/history?order=desc"),
        ),
    ] {
        let printed = books.request("GET", &path).send().text();
        let rows = printed.strip_prefix("{\"data\":").and_then(|rest| rest.rsplit_once(",\"next_cursor\":")).unwrap().0;
        let said = text(&books.server, &books.key, "recent_changes", &arguments);
        assert!(rows.len() > 2 && said.contains(&format!("\"changes\":{rows},")), "{said} does not have {rows}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let books = Books::of(TestServer::start());
    for (arguments, expected) in [
        (json!({ "resource_id": 3 }), "resource_type: is required with resource_id"),
        (json!({ "resource_type": "customer" }), "resource_id: is required with resource_type"),
        (json!({ "resource_type": "import", "resource_id": 1 }), "resource_type: import has no history of its own"),
        (json!({ "since": "yesterday" }), "since: must be a cursor, "),
        (json!({ "cursor": "-1" }), "cursor: must be next_cursor of an earlier answer"),
        (json!({ "limit": 51 }), "limit: must be 1 to 50"),
        (json!({ "resource_type": "letter", "resource_id": 1 }), "resource_type: must be one of organisation, "),
    ] {
        let words = failure(&books.server, &books.key, "recent_changes", &arguments);
        assert!(words.starts_with(&format!("invalid_request_format: {expected}")), "{words}");
    }
    let unknown = json!({ "resource_type": "customer", "resource_id": 999 });
    let words = failure(&books.server, &books.key, "recent_changes", &unknown);
    assert!(words.starts_with("not_found: "), "{words}");
}

#[test]
fn long_entries_come_in_shorter_pages() {
    let books = Books::of(TestServer::start());
    for number in 0..40 {
        books.made("/customers", &json!({ "name": format!("{number}"), "notes": "n".repeat(1_900) }));
    }
    let (mut seen, mut arguments) = (Vec::new(), json!({ "limit": 50 }));
    loop {
        let page = recent(&books, &arguments);
        seen.extend(cursors(&page));
        let Some(cursor) = page.get("next_cursor") else { break };
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!(seen, (1..=41).rev().collect::<Vec<_>>());
}

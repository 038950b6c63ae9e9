//! `Idempotency-Key` on changes of the books, and `If-Match`.

use serde_json::json;

use super::{Books, ORGANISATIONS, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;

fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

on_both_databases! {
    fn a_retry_gets_the_first_answer(database) {
        let books = Books::on(&database);
        let journal = books.two_lines("2026-03-01", "7100", "1200", json!(5));
        let post = |key: &str, body: &serde_json::Value| {
            books.request("POST", "/journals").idempotency_key(key).json(body).send()
        };
        let first = post("a", &journal);
        let again = post("a", &journal);
        assert!(!is_replay(&first) && is_replay(&again));
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(books.server.rows_of("journal"), 1);
        let other = post("a", &books.two_lines("2026-03-01", "7100", "1200", json!(6)));
        assert_eq!((other.status, reason(&other)), (422, "idempotency_key_reused".to_owned()));
        // An error wrote nothing and is not kept.
        let refused = post("b", &books.two_lines("2026-03-01", "7100", "1200", json!(0)));
        assert_eq!(reason(&refused), "one_sided_line");
        assert!(!is_replay(&post("b", &journal)));
        // Another path is another scope.
        let customer = json!({ "name": "x" });
        let made = books.request("POST", "/customers").idempotency_key("a").json(&customer).send();
        assert_eq!((made.status, is_replay(&made)), (201, false));
        let organisation = json!({ "name": "Another" });
        let create = || books.server.client.post(ORGANISATIONS).key(&books.key).idempotency_key("o").json(&organisation).send();
        let (first, again) = (create(), create());
        assert_eq!((first.status, &first.body, is_replay(&again)), (201, &again.body, true));
    }

    fn parallel_retries_make_one_journal(database) {
        let books = Books::on(&database);
        let journal = books.two_lines("2026-03-01", "7100", "1200", json!(5));
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| books.request("POST", "/journals").idempotency_key("p").json(&journal).send()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(answers.iter().filter(|answer| !is_replay(answer)).count(), 1);
        for answer in &answers {
            assert_eq!((answer.status, &answer.body), (201, &answers[0].body), "{answer}");
        }
        assert_eq!(books.server.rows_of("journal"), 1);
    }

    fn a_version_that_moved_on_is_refused(database) {
        let books = Books::on(&database);
        let customer = books.post("/customers", &json!({ "name": "x" })).expect(201)["data"].clone();
        let path = format!("/customers/{}", customer["id"]);
        let patch = |version: &str| {
            books.request("PATCH", &path).header("If-Match", version).json(&json!({ "name": "y" })).send()
        };
        assert_eq!(patch("\"1\"").expect(200)["data"]["version"], 2);
        // Without quotes it is understood too; other forms are none, and no record has a version that large.
        assert_eq!(patch("2").expect(200)["data"]["version"], 3);
        for odd in ["", "\"\"", "\"1", "-1", "+1", "W/\"1\"", "*", "1, 2"] {
            patch(odd).refused(400, "validation_error");
        }
        assert_eq!(reason(&patch("\"99999999999999999999\"")), "stale_version");
        let stale = patch("\"1\"");
        assert_eq!((stale.status, reason(&stale)), (409, "stale_version".to_owned()));
        let account = books.account_id("7100");
        let stale = books.request("POST", &format!("/accounts/{account}/archive")).header("If-Match", "\"9\"").send();
        assert_eq!(reason(&stale), "stale_version");
        let journal = books.posted("2026-03-01", "7100", "1200", json!(5));
        let stale = books.request("POST", &format!("/journals/{}/void", journal["id"])).header("If-Match", "\"2\"").send();
        assert_eq!(reason(&stale), "stale_version");
    }

    fn an_identifier_is_written_in_one_way(database) {
        let books = Books::on(&database);
        let customer = books.post("/customers", &json!({ "name": "x" })).expect(201)["data"]["id"].clone();
        let id = customer.to_string();
        let (first, rest) = id.split_at(1);
        let escaped = format!("%3{first}{rest}");
        let organisation = books.id.to_string();
        let (first, rest) = organisation.split_at(1);
        let escaped_organisation = format!("%3{first}{rest}");
        let archive = |organisation: &str, id: &str| {
            let path = format!("/api/v1/books/organisations/{organisation}/customers/{id}/archive");
            books.server.client.post(&path).key(&books.key).idempotency_key("once").send()
        };
        for odd in [format!("0{id}"), format!("00{id}"), format!("+{id}"), format!("%2B{id}"), escaped, format!("{id}%20")] {
            archive(&organisation, &odd).refused(404, "not_found");
        }
        for odd in [format!("0{organisation}"), escaped_organisation, format!("+{organisation}")] {
            archive(&odd, &id).refused(404, "not_found");
        }
        archive(&organisation, &id).expect(200);
        assert!(is_replay(&archive(&organisation, &id)));
        let key = books.server.key(&books.owner, &["books:read"]).id;
        for odd in [format!("0{key}"), format!("+{key}"), format!("%3{key}")] {
            let path = format!("/api/v1/keys/{odd}");
            books.server.client.delete(&path).session(&books.owner).send().refused(400, "validation_error");
        }
    }
}

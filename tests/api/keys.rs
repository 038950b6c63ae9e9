//! `/api/v1/keys`.

use serde_json::{Value, json};

use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Person, START_TEXT, Setup, TestServer};

fn create(server: &TestServer, person: &Person, body: &Value) -> Answer {
    server.client.post("/api/v1/keys").session(person).json(body).send()
}

fn list(server: &TestServer, person: &Person) -> Vec<Value> {
    let listed = server.client.get("/api/v1/keys").session(person).send().expect(200);
    assert_eq!(keys(&listed), ["keys"]);
    listed["keys"].as_array().unwrap().clone()
}

on_both_databases! {
    fn a_key_is_created_listed_used_and_revoked(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        assert_eq!(list(&server, &person), Vec::<Value>::new());
        let answer = create(&server, &person, &json!({ "name": "first", "scopes": ["books:read", "reconcile:write"] }));
        let made = answer.expect(201);
        assert_eq!(keys(&made), ["allow_overage", "id", "key", "name", "prefix", "scopes"]);
        assert_eq!(made["name"], "first");
        assert_eq!(made["allow_overage"], false);
        assert_eq!(made["scopes"].as_array().unwrap().len(), 2);
        let (plaintext, prefix) = (made["key"].as_str().unwrap(), made["prefix"].as_str().unwrap());
        assert_eq!(prefix.len(), 12);
        let secret = plaintext.strip_prefix(&format!("key_{prefix}_")).expect("key_<prefix>_<secret>");
        assert_eq!(secret.len(), 43);
        assert!(plaintext.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));

        let listed = server.client.get("/api/v1/keys").session(&person).send();
        assert!(!listed.text().contains(secret), "{listed}");
        let entry = listed.expect(200)["keys"][0].clone();
        for name in ["id", "name", "prefix", "scopes", "allow_overage"] {
            assert_eq!(entry[name], made[name], "{name}");
        }
        assert!(entry["created_at"].is_string());
        assert_eq!((&entry["last_used_at"], &entry["revoked_at"]), (&Value::Null, &Value::Null));
        assert!(entry.get("key").is_none() && entry.get("hash").is_none());

        server.client.get("/api/v1/me").bearer(plaintext).send().expect(200);
        assert!(list(&server, &person)[0]["last_used_at"].is_string(), "used just now, in this process");

        let path = format!("/api/v1/keys/{}", made["id"]);
        let revoked = server.client.delete(&path).session(&person).send().expect(200);
        assert_eq!(keys(&revoked), ["revoked"]);
        let revoked = &revoked["revoked"];
        assert_eq!(keys(revoked), ["id", "name", "prefix", "revoked_at"]);
        assert_eq!((&revoked["id"], &revoked["name"], &revoked["prefix"]), (&made["id"], &made["name"], &made["prefix"]));
        assert!(revoked["revoked_at"].is_string());
        // At once in the same process: the very next request.
        server.client.get("/api/v1/me").bearer(plaintext).send().refused(401, "unauthorized");
        server.client.delete(&path).session(&person).send().refused(404, "not_found");
        assert_eq!(list(&server, &person)[0]["revoked_at"], revoked["revoked_at"]);
    }

    fn one_of_several_who_revoke_a_key_at_once_does(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        for _ in 0..5 {
            let key = server.key(&person, &["books:read"]);
            let path = format!("/api/v1/keys/{}", key.id);
            let statuses: Vec<u16> = std::thread::scope(|scope| {
                let revoke = || server.client.delete(&path).session(&person).send().status;
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(revoke)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
            assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 3, "{statuses:?}");
        }
    }

    fn organisation_ids_must_be_organisations_of_the_person(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let (own, foreign) = (server.organisation(&person, "Own"), server.organisation(&stranger, "Foreign"));
        let request = |ids: Value| json!({ "name": "n", "scopes": ["books:read"], "organisation_ids": ids });
        create(&server, &person, &request(json!([own]))).expect(201);
        create(&server, &person, &request(Value::Null)).expect(201);
        for unknown in [foreign, own + foreign + 1_000, i64::MAX] {
            let answer = create(&server, &person, &request(json!([own, unknown])));
            let details = answer.details(422, "unprocessable_entity");
            assert_eq!(details["reason"], "unknown_reference");
            assert_eq!(details["id"], unknown);
            assert!(details["field"].as_str().unwrap().starts_with("organisation_ids"), "{details}");
        }
        assert_eq!(list(&server, &person).len(), 2, "a refused key was not created");
        // A member of any role counts.
        server.member(foreign, &person, "viewer");
        create(&server, &person, &request(json!([foreign, own]))).expect(201);
    }
}

#[test]
fn keys_are_listed_newest_first_with_every_field() {
    let server = TestServer::start();
    let person = server.person();
    for name in ["a", "b", "c"] {
        create(&server, &person, &json!({ "name": name, "scopes": ALL_SCOPES, "allow_overage": true })).expect(201);
        server.advance_s(1);
    }
    // Two in the same millisecond have an order, too.
    for name in ["d", "e"] {
        create(&server, &person, &json!({ "name": name, "scopes": ALL_SCOPES })).expect(201);
    }
    let listed = list(&server, &person);
    let names: Vec<&Value> = listed.iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["e", "d", "c", "b", "a"]);
    assert_eq!(listed[4]["created_at"], START_TEXT);
    assert_eq!((&listed[4]["allow_overage"], &listed[0]["allow_overage"]), (&json!(true), &json!(false)));
    assert_eq!(listed[4]["scopes"].as_array().unwrap().len(), 7);
}

#[test]
fn the_time_a_key_was_last_used_is_current_in_this_process() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["books:read"]);
    server.advance_s(90);
    server.client.get("/api/v1/me").key(&key).send().expect(200);
    assert_eq!(list(&server, &person)[0]["last_used_at"], "2026-03-10T12:01:30.000Z");
    server.advance_s(1);
    // A refused request has used the key all the same.
    server.submission(&key, "{}").refused(403, "forbidden");
    assert_eq!(list(&server, &person)[0]["last_used_at"], "2026-03-10T12:01:31.000Z");
}

#[test]
fn what_a_key_may_be_called_and_allowed_is_checked_field_by_field() {
    let server = TestServer::start();
    let person = server.person();
    let scopes = json!(["books:read"]);
    let long = "é".repeat(121);
    let many: Vec<i64> = (1..=101).collect();
    for (body, paths) in [
        (json!({ "scopes": scopes }), vec!["name"]),
        (json!({ "name": null, "scopes": scopes }), vec!["name"]),
        (json!({ "name": 7, "scopes": scopes }), vec!["name"]),
        (json!({ "name": "", "scopes": scopes }), vec!["name"]),
        (json!({ "name": long, "scopes": scopes }), vec!["name"]),
        (json!({ "name": "a\u{0}b", "scopes": scopes }), vec!["name"]),
        (json!({ "name": "n" }), vec!["scopes"]),
        (json!({ "name": "n", "scopes": null }), vec!["scopes"]),
        (json!({ "name": "n", "scopes": "books:read" }), vec!["scopes"]),
        (json!({ "name": "n", "scopes": [] }), vec!["scopes"]),
        (json!({ "name": "n", "scopes": ["books:read", "books:READ"] }), vec!["scopes[1]"]),
        (json!({ "name": "n", "scopes": ["admin"] }), vec!["scopes[0]"]),
        (json!({ "name": "n", "scopes": [7] }), vec!["scopes[0]"]),
        (json!({ "name": "n", "scopes": ["books:read", "coding:read", "books:read"] }), vec!["scopes[2]"]),
        (json!({ "name": "n", "scopes": scopes, "allow_overage": "yes" }), vec!["allow_overage"]),
        (json!({ "name": "n", "scopes": scopes, "allow_overage": 1 }), vec!["allow_overage"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": [] }), vec!["organisation_ids"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": 1 }), vec!["organisation_ids"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": many }), vec!["organisation_ids"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": [1, 1] }), vec!["organisation_ids[1]"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": [0] }), vec!["organisation_ids[0]"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": [1.5] }), vec!["organisation_ids[0]"]),
        (json!({ "name": "n", "scopes": scopes, "organisation_ids": ["1"] }), vec!["organisation_ids[0]"]),
        (json!({ "name": "n", "scopes": scopes, "extra": 1 }), vec!["extra"]),
        (json!({ "name": "n", "scopes": scopes, "id": 1 }), vec!["id"]),
    ] {
        let answer = create(&server, &person, &body);
        assert_eq!(answer.issue_paths(), paths, "{body}: {answer}");
    }
    for body in ["[]", "7", "null", "\"text\"", "{}"] {
        let answer = server.client.post("/api/v1/keys").session(&person).body(body).send();
        assert!(!answer.issue_paths().is_empty());
    }
    assert!(list(&server, &person).is_empty(), "nothing was created");
}

#[test]
fn all_problems_of_a_key_request_are_told_at_once_in_document_order() {
    let server = TestServer::start();
    let person = server.person();
    let body = r#"{"extra":1,"scopes":["nonsense","books:read","books:read"],"allow_overage":0,"name":"","organisation_ids":[]}"#;
    let answer = server.client.post("/api/v1/keys").session(&person).body(body).send();
    let expected = ["extra", "scopes[0]", "scopes[2]", "allow_overage", "name", "organisation_ids"];
    assert_eq!(answer.issue_paths(), expected, "{answer}");
}

#[test]
fn json_that_is_valid_but_unusable_is_a_validation_error_for_keys() {
    let server = TestServer::start();
    let person = server.person();
    for body in [
        r#"{"name":"a","name":"b","scopes":["books:read"]}"#,
        r#"{"name":"a","scopes":["books:read"],"scopes":["books:read"]}"#,
        r#"{"name":"a","scopes":["books:read"],"organisation_ids":[1e999]}"#,
        r#"{"name":"a\u0000","scopes":["books:read"]}"#,
    ] {
        let answer = server.client.post("/api/v1/keys").session(&person).body(body).send();
        assert!(!answer.issue_paths().is_empty(), "{body}");
    }
    let answer = server.client.post("/api/v1/keys").session(&person).body("").send();
    answer.refused(400, "invalid_json");
    assert!(list(&server, &person).is_empty());
}

#[test]
fn names_are_counted_in_characters_and_scopes_may_be_all() {
    let server = TestServer::start();
    let person = server.person();
    for name in ["x".to_owned(), "🧾".repeat(120), " ".to_owned() + &"é".repeat(119)] {
        let made =
            create(&server, &person, &json!({ "name": name, "scopes": ALL_SCOPES, "allow_overage": true })).expect(201);
        assert_eq!(made["name"], name.as_str());
        assert_eq!(made["allow_overage"], true);
    }
    // A hundred organisations are the most, and the one that is not a member's is named before anything is written.
    let hundred: Vec<i64> = (1_000..1_100).collect();
    let request = json!({ "name": "n", "scopes": ["books:read"], "organisation_ids": hundred });
    assert_eq!(create(&server, &person, &request).details(422, "unprocessable_entity")["id"], 1_000);
}

#[test]
fn only_the_owner_revokes_a_key_and_nobody_learns_that_it_exists() {
    let server = TestServer::start();
    let (owner, stranger) = (server.person(), server.person());
    let key = server.key(&owner, &["books:read"]);
    let path = format!("/api/v1/keys/{}", key.id);
    let foreign = server.client.delete(&path).session(&stranger).send();
    let unknown = server.client.delete("/api/v1/keys/999999").session(&stranger).send();
    assert_eq!(foreign.refused(404, "not_found"), unknown.refused(404, "not_found"));
    server.client.get("/api/v1/me").key(&key).send().expect(200);
    assert!(list(&server, &stranger).is_empty());
    server.client.delete(&path).session(&owner).send().expect(200);
}

#[test]
fn an_id_in_a_path_that_is_no_positive_integer_is_a_validation_error() {
    let server = TestServer::start();
    let person = server.person();
    for id in ["0", "-1", "abc", "1.0", "+1", "%20", "1%20", "9223372036854775808", "0x1"] {
        let answer = server.client.delete(&format!("/api/v1/keys/{id}")).session(&person).send();
        assert_eq!(answer.issue_paths(), ["path.id"], "{id:?}: {answer}");
    }
    server.client.delete(&format!("/api/v1/keys/{}", i64::MAX)).session(&person).send().refused(404, "not_found");
    server.client.delete("/api/v1/keys/abc").send().refused(401, "unauthorized");
}

#[test]
fn key_endpoints_want_a_session_and_say_which_kind_of_refusal_it_is() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    let body = json!({ "name": "n", "scopes": ["books:read"] });
    let ask = |token: Option<&str>, header: &str| {
        let mut answers = Vec::new();
        for (method, path) in [("GET", "/api/v1/keys"), ("POST", "/api/v1/keys"), ("DELETE", "/api/v1/keys/1")] {
            let mut request = server.client.request(method, path);
            if let Some(token) = token {
                request = request.header(header, token);
            }
            answers.push(if method == "POST" { request.json(&body).send() } else { request.send() });
        }
        answers
    };
    for answer in ask(None, "") {
        answer.refused(401, "unauthorized");
    }
    let mut tampered = person.session.clone();
    let flipped = if tampered.pop() == Some('A') { 'Q' } else { 'A' };
    // The last character carries only some bits: change the one before as well, so that the signature really differs.
    tampered.pop();
    tampered.push(flipped);
    tampered.push(flipped);
    let api_key = format!("Bearer {}", key.plaintext);
    for token in ["Bearer nonsense", &format!("Bearer {tampered}"), "Bearer a.b.c", &api_key] {
        for answer in ask(Some(token), "Authorization") {
            answer.refused(401, "invalid_token");
        }
    }
    // A key in its own header is no session at all.
    for answer in ask(Some(&key.plaintext), "X-API-Key") {
        answer.refused(401, "unauthorized");
    }
    // And a session is no key.
    server.client.get("/api/v1/me").session(&person).send().refused(401, "unauthorized");
    assert_eq!(list(&server, &person).len(), 1);
}

#[test]
fn a_session_ends_after_its_hour() {
    let server = TestServer::start();
    let person = server.person();
    server.advance_s(3_590);
    server.client.get("/api/v1/keys").session(&person).send().expect(200);
    server.advance_s(20);
    server.client.get("/api/v1/keys").session(&person).send().refused(401, "invalid_token");
}

#[test]
fn an_idempotency_key_is_refused_where_plaintext_is_never_stored() {
    let server = TestServer::start();
    let person = server.person();
    let body = json!({ "name": "n", "scopes": ["books:read"] });
    let answer = server.client.post("/api/v1/keys").session(&person).idempotency_key("again").json(&body).send();
    answer.refused(400, "validation_error");
    assert!(list(&server, &person).is_empty());
    // Who has no session hears of that first.
    server.client.post("/api/v1/keys").idempotency_key("again").json(&body).send().refused(401, "unauthorized");
}

#[test]
fn every_created_key_is_another_one() {
    let server = TestServer::start();
    let person = server.person();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let key = server.key(&person, &["books:read"]);
        assert!(seen.insert(key.plaintext) && seen.insert(key.prefix) && seen.insert(key.id.to_string()));
    }
}

on_both_databases! {
    fn a_person_has_so_many_live_keys(database) {
        let server = Setup::new().on(&database).settings(|settings| settings.max_keys_per_person = Some(3)).start();
        let (person, other) = (server.person(), server.person());
        let body = json!({ "name": "n", "scopes": ["books:read"] });
        let make = || server.client.post("/api/v1/keys").session(&person).json(&body).send();
        // However many ask at once.
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!((made.len(), refused.len()), (3, 5));
        for answer in refused {
            let error = answer.refused(409, "conflict");
            assert_eq!(error["details"], json!({ "reason": "limit_reached", "limit": 3 }));
        }
        assert_eq!(server.rows_of("api_key"), 3);
        server.key(&other, &["books:read"]);
        // A revoked one makes room.
        let path = format!("/api/v1/keys/{}", made[0].expect(201)["id"]);
        server.client.delete(&path).session(&person).send().expect(200);
        make().expect(201);
        make().refused(409, "conflict");
    }
}

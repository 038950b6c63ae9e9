//! Organisations are made and changed; the period lock moves.

use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths, reason};
use crate::support::database::on_both_databases;
use crate::support::server::{Setup, TestServer};

on_both_databases! {
    fn a_new_organisation_has_the_standard_chart(database) {
        let books = Books::on(&database);
        let chart = books.get("/accounts")["data"].as_array().unwrap().clone();
        let codes: Vec<&str> = chart.iter().map(|account| account["code"].as_str().unwrap()).collect();
        assert_eq!(chart.len(), 64);
        assert!(codes.is_sorted() && codes.contains(&"1100") && codes.contains(&"9999"));
        for absent in ["2200", "1320", "2220"] {
            assert!(!codes.contains(&absent), "{absent} is made when it is needed");
        }
        let organisation = books.get("");
        assert_eq!((&organisation["data"]["has_vat_control"], &organisation["data"]["role"]), (&json!(false), &json!("owner")));
        books.vat_control();
        assert_eq!(books.get("")["data"]["has_vat_control"], true);
        let with = json!({ "name": "With VAT", "vat_control": true, "vat_registered": true, "vat_scheme": "standard" });
        let rehearse = format!("{ORGANISATIONS}?dry_run=true");
        let rehearsed = books.server.client.post(&rehearse).key(&books.key).json(&with).send().expect(200);
        assert_eq!((&rehearsed["data"]["id"], &rehearsed["dry_run"]), (&Value::Null, &json!(true)));
        let made = books.server.client.post(ORGANISATIONS).key(&books.key).json(&with).send().expect(201);
        assert_eq!(made["data"]["has_vat_control"], true);
        assert_eq!(made["data"]["vat_scheme"], "standard");
        let other = format!("{ORGANISATIONS}/{}/accounts?role=vat_control", made["data"]["id"]);
        let found = books.server.client.get(&other).key(&books.key).send().expect(200);
        assert_eq!(found["data"][0]["code"], "2200");
    }

    fn tax_codes_are_those_of_the_specification(database) {
        let books = Books::on(&database);
        let codes = books.get("/tax-codes");
        let of = |field: &str| codes["data"].as_array().unwrap().iter().map(|code| code[field].clone()).collect::<Vec<Value>>();
        assert_eq!(of("code"), ["ST", "RR", "ZR", "EX", "NV"]);
        assert_eq!(of("rate"), [20, 5, 0, 0, 0]);
        assert_eq!(of("rate_fraction"), [json!(0.2), json!(0.05), json!(0), json!(0), Value::Null]);
        assert_eq!((&codes["vat_registered"], &codes["vat_scheme"]), (&json!(false), &Value::Null));
    }

    fn an_organisation_is_changed_by_owners_and_administrators(database) {
        let books = Books::on(&database);
        let change = json!({
            "name": "Larkspur Ltd", "utr": "1234567890", "timezone": "Asia/Tokyo", "financial_year_end": "02-29",
            "address": { "city": "York" }, "default_payment_terms_days": 14, "cis_suffered_rate": 20.5,
            "vat_registered": true, "vat_scheme": "flat_rate", "flat_rate_percent": 9.5, "vat_scheme_from": "2026-01-15",
        });
        let changed = books.request("PATCH", "").header("If-Match", "\"1\"").json(&change).send().expect(200)["data"].clone();
        for (field, value) in change.as_object().unwrap() {
            match field.as_str() {
                "address" => assert_eq!(changed["address"]["city"], "York"),
                _ => assert_eq!(&changed[field], value, "{field}"),
            }
        }
        assert_eq!(changed["version"], 2);
        assert_eq!(books.get("")["data"], changed);
        let stale = books.request("PATCH", "").header("If-Match", "\"1\"").json(&json!({ "name": "x" })).send();
        assert_eq!((stale.status, reason(&stale)), (409, "stale_version".to_owned()));
        books.request("PATCH", "").header("If-Match", "x").json(&json!({ "name": "x" })).send().refused(400, "validation_error");
        // Another scheme begins with a VAT period, or not at all.
        let cash = |from: Value| json!({ "vat_scheme": "cash", "flat_rate_percent": null, "vat_scheme_from": from });
        for from in [json!("2026-04-02"), Value::Null] {
            let refused = books.request("PATCH", "").json(&cash(from)).send();
            assert_eq!(format_paths(&refused), ["vat_scheme_from"]);
        }
        assert_eq!(books.request("PATCH", "").json(&cash(json!("2026-04-01"))).send().expect(200)["data"]["vat_scheme"], "cash");

        // When a scheme began is not moved by itself.
        for (scheme, from) in [(None, json!("2019-01-01")), (None, Value::Null), (Some("cash"), json!("2026-07-01"))] {
            let mut body = json!({ "vat_scheme_from": from });
            if let Some(scheme) = scheme {
                body["vat_scheme"] = json!(scheme);
            }
            assert_eq!(format_paths(&books.request("PATCH", "").json(&body).send()), ["vat_scheme_from"], "{body}");
        }
        let same = books.request("PATCH", "").json(&json!({ "vat_scheme_from": "2026-04-01" })).send().expect(200);
        assert_eq!(same["data"]["vat_scheme_from"], "2026-04-01");

        let bookkeeper = books.server.person();
        books.server.member(books.id, &bookkeeper, "bookkeeper");
        let key = books.server.key(&bookkeeper, &["books:write"]);
        let client = &books.server.client;
        client.request("PATCH", &books.path("")).key(&key).json(&json!({ "name": "x" })).send().refused(403, "forbidden");
    }

    fn the_lock_moves_forward_for_all_and_back_for_few(database) {
        let books = Books::on(&database);
        let bookkeeper = books.server.person();
        books.server.member(books.id, &bookkeeper, "bookkeeper");
        let key = books.server.key(&bookkeeper, &["books:write", "books:read"]);
        let lock = |date: Value| {
            let body = json!({ "lock_date": date, "reason": "year end" });
            books.server.client.request("PUT", &books.path("/period-lock")).key(&key).json(&body).send()
        };
        assert_eq!(books.get("/period-lock")["data"]["history"], json!([]));
        let locked = lock(json!("2025-03-31")).expect(200)["data"].clone();
        assert_eq!((&locked["lock_date"], &locked["locked_by"]), (&json!("2025-03-31"), &json!(bookkeeper.user_id)));
        assert_eq!(books.get("/period-lock")["data"], locked);
        lock(json!("2025-02-28")).refused(403, "forbidden");
        lock(Value::Null).refused(403, "forbidden");
        assert_eq!(format_paths(&lock(json!("2199-12-31"))), ["lock_date"]);
        assert_eq!(books.get("")["data"]["lock_date"], "2025-03-31");

        let refused = books.post("/journals", &books.two_lines("2025-03-31", "7100", "1200", json!(1)));
        let details = refused.details(422, "unprocessable_entity");
        assert_eq!(
            details,
            json!({ "reason": "period_locked", "lock_date": "2025-03-31", "date": "2025-03-31", "earliest_date": "2025-04-01" })
        );
        books.posted("2025-04-01", "7100", "1200", json!(1));
        let cleared = books.request("PUT", "/period-lock").json(&json!({ "lock_date": null })).send().expect(200);
        assert_eq!((&cleared["data"]["lock_date"], cleared["data"]["history"].as_array().unwrap().len()), (&Value::Null, 2));
        books.posted("2025-03-31", "7100", "1200", json!(1));
    }
}

#[test]
fn a_restricted_key_makes_no_organisation() {
    let books = Books::of(TestServer::start());
    let restricted = books.server.key_with(
        &books.owner,
        &json!({ "name": "restricted", "scopes": ["books:write"], "organisation_ids": [books.id] }),
    );
    let made = books.server.client.post(ORGANISATIONS).key(&restricted).json(&json!({ "name": "Another" })).send();
    made.refused(403, "forbidden");
}

#[test]
fn what_is_wrong_with_an_organisation_is_said_at_once() {
    let books = Books::of(Setup::new().start());
    let before = books.server.rows_of("organisation");
    let body = json!({
        "name": "", "utr": "12", "timezone": "Mars/Base", "financial_year_end": "02-30", "vat_scheme": "margin",
        "cis_suffered_rate": 101, "address": { "town": "York" }, "odd": 1,
    });
    let refused = books.server.client.post(ORGANISATIONS).key(&books.key).json(&body).send();
    let mut paths = format_paths(&refused);
    paths.sort();
    assert_eq!(
        paths,
        ["address.town", "cis_suffered_rate", "financial_year_end", "name", "odd", "timezone", "utr", "vat_scheme"]
    );
    let currency = json!({ "name": "x", "base_currency": "USD" });
    let refused = books.server.client.post(ORGANISATIONS).key(&books.key).json(&currency).send();
    assert_eq!(reason(&refused), "currency_not_supported");
    assert_eq!(books.server.rows_of("organisation"), before);
    let empty = books.request("PATCH", "").json(&json!({})).send();
    assert_eq!(format_paths(&empty), ["body"]);
}

//! `GET /api/v1/books/organisations` and `/{organisationId}`: the record, membership, and keys restricted to some.

use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, ApiKey, START_TEXT, Setup, TestServer};

const LIST: &str = "/api/v1/books/organisations";

fn list(server: &TestServer, key: &ApiKey) -> Vec<Value> {
    let listed = server.client.get(LIST).key(key).send().expect(200);
    assert_eq!(keys(&listed), ["data"], "no pagination block");
    listed["data"].as_array().unwrap().clone()
}

fn ids(server: &TestServer, key: &ApiKey) -> Vec<i64> {
    list(server, key).iter().map(|organisation| organisation["id"].as_i64().unwrap()).collect()
}

fn show(server: &TestServer, key: &ApiKey, id: impl std::fmt::Display) -> crate::support::client::Answer {
    server.client.get(&format!("{LIST}/{id}")).key(key).send()
}

on_both_databases! {
    fn a_member_sees_the_whole_record(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let key = server.key(&person, &["books:read"]);
        assert!(list(&server, &key).is_empty());
        let id = server.organisation(&person, "Larkspur Joinery Ltd é🧾");
        let listed = list(&server, &key);
        let shown = show(&server, &key, id).expect(200);
        assert_eq!(keys(&shown), ["data"]);
        let record = &shown["data"];
        assert_eq!(listed, std::slice::from_ref(record));
        // Every documented field is there; what does not apply is null.
        let mut fields = vec![
            "id", "name", "legal_name", "entity_type", "company_number", "utr", "base_currency", "country", "timezone",
            "address", "financial_year_end", "books_start_date", "vat_registered", "vat_number", "vat_scheme",
            "vat_scheme_from", "flat_rate_percent", "flat_rate_basis", "vat_period_months", "vat_period_end_month", "cis_contractor",
            "cis_subcontractor", "cis_suffered_rate", "lock_date", "default_payment_terms_days", "sales_invoice_prefix",
            "sales_invoice_next_number", "sales_credit_note_prefix", "has_vat_control", "opening_balances_set", "role",
            "status", "created_at", "updated_at", "version", "email", "phone", "paye_reference", "accounts_office_reference",
            "payment_bank_account_id", "invoice_footer", "auto_suggest",
        ];
        fields.sort_unstable();
        assert_eq!(keys(record), fields);
        assert_eq!(keys(&record["address"]), ["city", "country", "line1", "line2", "postcode", "region"]);
        assert_eq!((&record["id"], &record["name"]), (&json!(id), &json!("Larkspur Joinery Ltd é🧾")));
        assert_eq!((&record["role"], &record["status"], &record["version"]), (&json!("owner"), &json!("active"), &json!(1)));
        assert_eq!((&record["base_currency"], &record["country"]), (&json!("GBP"), &json!("GB")));
        assert_eq!(record["timezone"], "Europe/London");
        for name in ["vat_registered", "cis_contractor", "cis_subcontractor", "has_vat_control", "opening_balances_set"] {
            assert_eq!(record[name], false, "{name}");
        }
        for name in ["vat_number", "vat_scheme", "vat_scheme_from", "flat_rate_percent", "lock_date", "utr"] {
            assert_eq!(record[name], Value::Null, "{name}");
        }
        for name in ["vat_period_months", "vat_period_end_month", "default_payment_terms_days", "sales_invoice_next_number"] {
            assert!(record[name].is_i64(), "{name}: {}", record[name]);
        }
        let entity_types =
            ["sole_trader", "partnership", "limited_company", "llp", "charity", "landlord", "other"].map(Value::from);
        assert!(entity_types.contains(&record["entity_type"]), "{}", record["entity_type"]);
        let year_end = record["financial_year_end"].as_str().unwrap();
        assert!(year_end.len() == 5 && year_end.as_bytes()[2] == b'-', "{year_end}");
    }

    fn membership_decides_and_strangers_learn_nothing(database) {
        let server = Setup::new().on(&database).start();
        let (owner, member, stranger) = (server.person(), server.person(), server.person());
        let key_of = |person| server.key(person, &["books:read"]);
        let (of_owner, of_member, of_stranger) = (key_of(&owner), key_of(&member), key_of(&stranger));
        let (first, second) = (server.organisation(&owner, "First"), server.organisation(&owner, "Second"));
        for role in ["viewer", "bookkeeper", "admin", "owner"] {
            server.member(second, &member, role);
            assert_eq!(show(&server, &of_member, second).expect(200)["data"]["role"], role);
        }
        assert_eq!(ids(&server, &of_owner), [first, second]);
        assert_eq!(ids(&server, &of_member), [second]);
        assert!(ids(&server, &of_stranger).is_empty());
        let foreign = show(&server, &of_stranger, first).refused(404, "not_found");
        assert_eq!(show(&server, &of_member, first).refused(404, "not_found"), foreign);
        for unknown in ["0", "-1", "abc", "1.0", "999999", "9223372036854775807", "9223372036854775808", "%00", "%20"] {
            assert_eq!(show(&server, &of_owner, unknown).refused(404, "not_found"), foreign, "{unknown}");
        }
    }

    fn a_restricted_key_sees_its_set_and_is_refused_the_rest(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let (inside, outside) = (server.organisation(&person, "Inside"), server.organisation(&person, "Outside"));
        let foreign = server.organisation(&stranger, "Foreign");
        let restricted = server.key_with(
            &person,
            &json!({ "name": "restricted", "scopes": ALL_SCOPES, "organisation_ids": [inside] }),
        );
        let free = server.key(&person, &["books:read"]);
        assert_eq!(ids(&server, &restricted), [inside]);
        assert_eq!(ids(&server, &free), [inside, outside]);
        show(&server, &restricted, inside).expect(200);
        // A member's own organisation outside the set is refused, not hidden; a stranger's is not there at all.
        show(&server, &restricted, outside).refused(403, "forbidden");
        show(&server, &restricted, foreign).refused(404, "not_found");
        show(&server, &restricted, 999_999).refused(404, "not_found");
        // What comes later belongs to the free key only.
        let later = server.organisation(&person, "Later");
        assert_eq!(ids(&server, &free), [inside, outside, later]);
        assert_eq!(ids(&server, &restricted), [inside]);
        // And jobs know no organisations.
        server.run(&restricted, crate::support::data::costing(1));
    }
}

#[test]
fn the_times_of_a_record_are_date_times() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["books:read"]);
    let id = server.organisation(&person, "Larkspur");
    let record = show(&server, &key, id).expect(200)["data"].clone();
    assert_eq!((&record["created_at"], &record["updated_at"]), (&json!(START_TEXT), &json!(START_TEXT)));
}

#[test]
fn the_scope_comes_before_the_organisation() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["books:write", "books:send", "reconcile:read"]);
    let own = server.organisation(&person, "Own");
    for id in [own.to_string(), "999".to_owned(), "abc".to_owned()] {
        show(&server, &key, id).refused(403, "forbidden");
    }
    server.client.get(&format!("{LIST}/{own}")).send().refused(401, "unauthorized");
    server.client.get(&format!("{LIST}/{own}")).session(&person).send().refused(401, "unauthorized");
}

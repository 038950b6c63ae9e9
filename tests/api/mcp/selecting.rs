//! `select_organisation`: what a connection works on when a call names no organisation.

use serde_json::{Value, json};

use super::{failure, given};
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

on_both_databases! {
    fn a_selection_is_kept_for_its_connection(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let (key, other_key) = (server.key(&person, &ALL_SCOPES), server.key(&person, &ALL_SCOPES));
        let (first, second) = (server.organisation(&person, "First"), server.organisation(&person, "Second"));
        let foreign = server.organisation(&stranger, "Foreign");
        let words = failure(&server, &key, "books_status", &json!({}));
        assert!(words.starts_with("no_organisation_selected: ") && words.contains("\nNext: "), "{words}");

        let selected = given(&server, &key, "select_organisation", &json!({ "organisation_id": first }));
        assert_eq!(selected, json!({ "organisation": { "id": first, "name": "First" } }));
        assert_eq!(given(&server, &key, "books_status", &json!({}))["organisation"]["id"], first);
        let me = given(&server, &key, "whoami", &json!({}));
        assert_eq!(me["selected_organisation"], json!({ "id": first, "name": "First" }));
        // What is named counts, and selects nothing.
        let named = given(&server, &key, "books_status", &json!({ "organisation_id": second }));
        assert_eq!(named["organisation"]["id"], second);
        assert_eq!(given(&server, &key, "books_status", &json!({}))["organisation"]["id"], first);
        // It belongs to one connection.
        let words = failure(&server, &other_key, "books_status", &json!({}));
        assert!(words.starts_with("no_organisation_selected: "), "{words}");
        assert!(given(&server, &other_key, "whoami", &json!({})).get("selected_organisation").is_none());

        let selected = given(&server, &key, "select_organisation", &json!({ "organisation_id": second }));
        let previous = json!({ "id": first, "name": "First" });
        assert_eq!(selected, json!({ "organisation": { "id": second, "name": "Second" }, "previous": previous }));
        let again = given(&server, &key, "select_organisation", &json!({ "organisation_id": second }));
        assert!(again.get("previous").is_none(), "{again}");
        let listed = given(&server, &key, "list_organisations", &json!({}));
        let selected: Vec<Value> = listed["organisations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| json!([one["id"], one["selected"]]))
            .collect();
        assert_eq!(selected, [json!([first, false]), json!([second, true])]);

        // What is not the person's looks like what is not there.
        for id in [foreign, 999_999] {
            let words = failure(&server, &key, "select_organisation", &json!({ "organisation_id": id }));
            assert!(words.starts_with("not_found: "), "{words}");
        }
        let words = failure(&server, &key, "select_organisation", &json!({}));
        assert_eq!(words, "invalid_request_format: organisation_id: is required");
        assert_eq!(given(&server, &key, "books_status", &json!({}))["organisation"]["id"], second);
    }
}

#[test]
fn a_restricted_connection_selects_what_it_reaches() {
    let server = Setup::new().start();
    let person = server.person();
    let (first, second) = (server.organisation(&person, "First"), server.organisation(&person, "Second"));
    let key =
        server.key_with(&person, &json!({ "name": "one", "scopes": ["books:read"], "organisation_ids": [first] }));
    let words = failure(&server, &key, "select_organisation", &json!({ "organisation_id": second }));
    assert!(words.starts_with("forbidden: "), "{words}");
    assert_eq!(given(&server, &key, "whoami", &json!({}))["restricted_to"], json!([first]));
    // The only one needs no selection.
    assert_eq!(given(&server, &key, "books_status", &json!({}))["organisation"]["id"], first);
}

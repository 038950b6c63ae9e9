//! Customers and suppliers.

use serde_json::{Value, json};

use super::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

fn names(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|contact| contact["name"].as_str().unwrap()).collect()
}

on_both_databases! {
    fn a_contact_is_made_changed_archived_and_deleted(database) {
        let books = Books::on(&database);
        let sales = books.account_id("4000");
        let body = json!({
            "name": "Brightwell School", "contact_name": "P. Ash", "email": "accounts@brightwell.example", "phone": "01904",
            "address": { "line1": "1 Hill", "postcode": "YO1 7EP" }, "company_number": "09876543", "vat_number": "GB1",
            "payment_terms_days": 14, "default_account_id": sales, "default_vat_code": "ST", "reference": "BW", "notes": "n",
            "cis_deducts": true,
        });
        let made = books.post("/customers", &body).expect(201)["data"].clone();
        for (field, value) in body.as_object().unwrap().iter().filter(|(field, _)| *field != "address") {
            assert_eq!(&made[field], value, "{field}");
        }
        assert_eq!((&made["address"]["line1"], &made["address"]["city"]), (&json!("1 Hill"), &Value::Null));
        assert_eq!((&made["kind"], &made["balance"], &made["overdue"]), (&json!("customer"), &json!(0.0), &json!(0.0)));
        assert!(!keys(&made).contains(&"cis".to_owned()));
        let path = format!("/customers/{}", made["id"]);
        assert_eq!(books.get(&path)["data"], made);
        books.request("GET", &format!("/suppliers/{}", made["id"])).send().refused(404, "not_found");

        let patch = json!({ "phone": null, "name": "Brightwell Academy", "address": { "city": "York" } });
        let patched = books.request("PATCH", &path).json(&patch).send().expect(200)["data"].clone();
        assert_eq!((&patched["phone"], &patched["name"]), (&Value::Null, &json!("Brightwell Academy")));
        assert_eq!((&patched["address"]["line1"], &patched["address"]["city"]), (&json!("1 Hill"), &json!("York")));
        assert_eq!((&patched["email"], &patched["version"]), (&body["email"], &json!(2)));

        let archived = books.request("POST", &format!("{path}/archive")).send().expect(200)["data"].clone();
        assert_eq!(archived["is_archived"], true);
        assert_eq!(books.get("/customers")["pagination"]["total"], 0);
        assert_eq!(books.get("/customers?include_archived=true")["pagination"]["total"], 1);
        books.request("POST", &format!("{path}/unarchive")).send().expect(200);
        let gone = books.request("DELETE", &path).send().expect(200);
        assert_eq!(gone, json!({ "data": { "id": made["id"], "deleted": true } }));
        books.request("GET", &path).send().refused(404, "not_found");
        assert_eq!(books.get("/customers?include_archived=true")["pagination"]["total"], 0);
    }

    fn a_supplier_has_its_place_in_the_cis(database) {
        let books = Books::on(&database);
        let cis = json!({
            "is_subcontractor": true, "deduction_rate": 20, "utr": "1234567890", "verification_number": "V1",
            "verified_on": "2026-02-01"
        });
        let made = books.post("/suppliers", &json!({ "name": "Reed Carpentry", "cis": cis })).expect(201)["data"].clone();
        assert_eq!((&made["cis"], &made["kind"]), (&cis, &json!("supplier")));
        let refused = books.post("/suppliers", &json!({ "name": "x", "cis": { "is_subcontractor": true } }));
        assert_eq!(format_paths(&refused), ["cis.deduction_rate"]);
        let refused = books.post("/suppliers", &json!({ "name": "x", "cis": { "is_subcontractor": true, "deduction_rate": 25, "utr": "1" } }));
        assert_eq!(format_paths(&refused), ["cis.deduction_rate", "cis.utr"]);
        assert_eq!(format_paths(&books.post("/suppliers", &json!({ "name": "x", "cis_deducts": true }))), ["cis_deducts"]);
    }

    fn lists_are_by_name_searched_and_paged(database) {
        let books = Books::on(&database);
        for name in ["Delta", "Alpha", "Charlie", "Émile Ltd", "100% Ltd", "Alpha"] {
            books.post("/customers", &json!({ "name": name })).expect(201);
        }
        books.post("/suppliers", &json!({ "name": "Alpha Supplies", "email": "Sales@Alpha.example" })).expect(201);
        let page = books.get("/customers?limit=2&offset=1");
        assert_eq!(page["pagination"], json!({ "limit": 2, "offset": 1, "count": 2, "total": 6 }));
        assert_eq!(names(&books.get("/customers?search=ALPHA")), ["Alpha", "Alpha"]);
        assert_eq!(names(&books.get("/customers?search=%C3%A9MILE")), ["Émile Ltd"]);
        assert_eq!(names(&books.get("/customers?search=%25")), ["100% Ltd"]);
        assert_eq!(names(&books.get("/suppliers?search=sales%40alpha")), ["Alpha Supplies"]);
        assert_eq!(books.get("/customers?search=alpha")["pagination"]["total"], 2);
        assert_eq!(names(&books.get("/customers?updated_since=2199-01-01T00:00:00Z")), Vec::<&str>::new());
        let all = books.get("/customers");
        let mut names = names(&all);
        assert_eq!(names.len(), 6);
        names.dedup();
        assert_eq!(names.len(), 5, "equal names stand together");
        books.request("GET", "/customers?search=&limit=0").send().refused(422, "invalid_request_format");
    }

    fn references_are_unique_and_balances_follow_journals(database) {
        let books = Books::on(&database);
        let first = books.post("/customers", &json!({ "name": "A", "reference": "R" })).expect(201)["data"].clone();
        let refused = books.post("/customers", &json!({ "name": "B", "reference": "R" }));
        let details = refused.details(409, "conflict");
        assert_eq!(details, json!({ "reason": "duplicate_external_id", "field": "reference", "existing_id": first["id"] }));
        books.post("/suppliers", &json!({ "name": "B", "reference": "R" })).expect(201);
        let refused = books.post("/customers", &json!({ "name": "C", "default_account_id": 999_999 }));
        assert_eq!(
            refused.details(422, "unprocessable_entity"),
            json!({ "reason": "unknown_reference", "field": "default_account_id", "id": 999_999 })
        );

        let mut journal = books.two_lines("2026-01-05", "1100", "4000", json!(100));
        journal["lines"][0]["contact_id"] = first["id"].clone();
        books.post("/journals", &journal).expect(201);
        let path = format!("/customers/{}", first["id"]);
        let owing = books.get(&path)["data"].clone();
        assert_eq!((&owing["balance"], &owing["overdue"]), (&json!(100.0), &json!(100.0)));
        let refused = books.request("DELETE", &path).send();
        assert_eq!((refused.status, reason(&refused)), (409, "invalid_state".to_owned()));
        let mut unknown = books.two_lines("2026-01-05", "1100", "4000", json!(100));
        unknown["lines"][1]["contact_id"] = json!(999_999);
        let details = books.post("/journals", &unknown).details(422, "unprocessable_entity");
        assert_eq!(details, json!({ "reason": "unknown_reference", "field": "lines[1].contact_id", "id": 999_999 }));
    }
}

#[test]
fn bodies_are_strict() {
    let books = Books::of(TestServer::start());
    assert_eq!(format_paths(&books.post("/customers", &json!({}))), ["name"]);
    for email in ["x", "a@b", "a b@c.d", "a@b@c.d", "@c.d", "a@c.d\r\nBcc: x@y.z"] {
        let refused = books.post("/customers", &json!({ "name": "x", "email": email }));
        assert_eq!(format_paths(&refused), ["email"], "{email:?}");
    }
    let bad = json!({ "name": "x".repeat(256), "payment_terms_days": 366, "default_vat_code": "XX", "default_account_id": "7" });
    let refused = books.post("/customers", &bad);
    assert_eq!(format_paths(&refused), ["default_account_id", "default_vat_code", "name", "payment_terms_days"]);
    assert_eq!(books.server.rows_of("contact"), 0);
}

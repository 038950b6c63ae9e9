//! Customers and suppliers: made with every field, changed, archived, deleted, found.

use serde_json::{Value, json};

use super::session::Session;

super::chapters!(customers, suppliers, contact_searches);

/// A contact with every field that both kinds have.
pub fn contact(s: &Session, account: &str) -> Value {
    json!({
        "name": "Brightwell School", "contact_name": "Ann Field", "email": "accounts@example.com", "phone": "01904 000000",
        "reference": "C-1", "vat_number": "GB987654321", "company_number": "07654321", "payment_terms_days": 14,
        "default_account_id": s.account(account), "default_vat_code": "ST", "notes": "Gate at the back",
        "address": {
            "line1": "2 School Lane", "line2": "Annexe", "city": "York", "region": "North Yorkshire", "postcode": "YO2 1AA",
            "country": "GB"
        },
    })
}

fn customers(s: &mut Session) {
    s.books();
    let mut whole = contact(s, "4000");
    whole["cis_deducts"] = json!(true);
    let made = s.both("POST", "/customers", whole);
    lifecycle(s, "customers", "Customer", &made);
    s.patch(&format!("/customers/{}", made["data"]["id"]), json!({ "cis_deducts": false }));
    s.post("/customers", json!({ "name": "x", "cis": { "is_subcontractor": true } }));
}

fn suppliers(s: &mut Session) {
    s.books();
    let mut whole = contact(s, "5000");
    whole["cis"] = json!({
        "is_subcontractor": true, "deduction_rate": 20, "utr": "1234567890", "verification_number": "V123", "verified_on": "2026-01-05"
    });
    let made = s.both("POST", "/suppliers", whole);
    lifecycle(s, "suppliers", "Supplier", &made);
    let path = format!("/suppliers/{}", made["data"]["id"]);
    for cis in [
        json!({ "deduction_rate": 30 }),
        json!({ "deduction_rate": 25 }),
        json!({ "deduction_rate": null }),
        json!({ "utr": null, "verified_on": "2026-03-01" }),
        json!({ "utr": "1" }),
        json!({ "is_subcontractor": false }),
        json!({ "verified_on": "2199-01-01" }),
        json!({ "odd": 1 }),
        json!({}),
        Value::Null,
    ] {
        s.patch(&path, json!({ "cis": cis }));
    }
    s.post("/suppliers", json!({ "name": "x", "cis": { "deduction_rate": 20 } }));
    s.post("/suppliers", json!({ "name": "x", "cis_deducts": true }));
    s.get(&path);
}

/// What happens to a contact of either kind.
fn lifecycle(s: &mut Session, list: &str, name: &str, made: &Value) {
    let path = format!("/{list}/{}", made["data"]["id"]);
    s.get(&path);
    s.both("PATCH", &path, json!({ "name": format!("{name} Renamed"), "email": "new@example.com" }));
    s.both("PATCH", &path, json!({ "address": { "line1": null, "city": "Leeds" } }));
    s.patch(
        &path,
        json!({ "address": null, "payment_terms_days": null, "default_account_id": null, "default_vat_code": null }),
    );
    s.patch(&path, json!({}));
    s.patch(&path, json!({ "reference": null, "notes": null, "phone": null }));
    s.header("If-Match", "\"1\"").patch(&path, json!({ "name": "stale" }));
    s.post(&format!("/{list}"), json!({ "name": "Second", "reference": "R-2" }));
    let twice = s.post(&format!("/{list}"), json!({ "name": "Third", "reference": "R-2" }));
    s.patch(&path, json!({ "reference": "R-2" }));
    s.post(&format!("/{list}"), json!({ "name": "Second" }));
    for body in [
        json!({ "name": "x", "email": "nonsense" }),
        json!({ "name": "x", "default_account_id": 999_999 }),
        json!({ "name": "x", "default_account_id": s.account("1100") }),
        json!({ "name": "x", "default_vat_code": "XX" }),
        json!({ "name": "x", "payment_terms_days": -1 }),
        json!({ "name": "x", "payment_terms_days": 366 }),
        json!({}),
    ] {
        s.post(&format!("/{list}"), body);
    }
    s.both_bare("POST", &format!("{path}/archive"));
    s.act(&format!("{path}/archive"));
    s.get(&format!("/{list}"));
    s.get(&format!("/{list}?include_archived=true"));
    s.both_bare("POST", &format!("{path}/unarchive"));
    s.act(&format!("{path}/unarchive"));
    s.post(&format!("{path}/archive"), json!({ "odd": 1 }));
    s.header("Idempotency-Key", "d").post(&format!("/{list}"), json!({ "name": "Keyed" }));
    let keyed = s.header("Idempotency-Key", "d").post(&format!("/{list}"), json!({ "name": "Keyed" }));
    let gone = format!("/{list}/{}", keyed["data"]["id"]);
    s.both_bare("DELETE", &gone);
    s.delete(&gone);
    s.get(&gone);
    s.get(&format!("{gone}/history"));
    s.header("If-Match", "\"1\"").delete(&path);
    assert!(twice["error"].is_object(), "{twice}");
    s.get(&format!("{path}/history"));
}

fn contact_searches(s: &mut Session) {
    s.books();
    for (name, reference) in
        [("Ashdown School", "A1"), ("Brightwell School", "B1"), ("Café Ümlaut", "C1"), ("O'Neill & Sons", "D%1")]
    {
        s.post("/customers", json!({ "name": name, "reference": reference, "email": format!("{}@example.com", reference.replace('%', "")) }));
        s.post("/suppliers", json!({ "name": format!("{name} Supplies"), "reference": reference }));
    }
    for list in ["customers", "suppliers"] {
        for query in [
            "?search=school",
            "?search=SCHOOL",
            "?search=%C3%BC",
            "?search=%25",
            "?search=",
            "?search=a1",
            "?search=xyz",
            "?search=o%27ne",
            "?limit=1",
            "?limit=1&offset=1",
            "?limit=2&offset=3",
            "?offset=4",
            "?limit=0",
            "?limit=201",
            "?offset=-1",
            "?limit=abc",
            "?include_archived=yes",
            "?include_archived=false",
            "?updated_since=2026-03-10T12:00:00.000Z&limit=1",
            "?updated_since=2026-03-10T13:00:00Z",
            "?updated_since=1",
            "?search=school&limit=1&offset=1",
            "?search=a&search=b",
        ] {
            s.get(&format!("/{list}{query}"));
        }
    }
}

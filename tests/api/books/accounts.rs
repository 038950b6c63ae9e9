//! Accounts: made, changed, archived; what they hold.

use serde_json::{Value, json};

use super::{Books, format_paths, printed, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

fn account(code: &str, account_type: &str, role: Option<&str>) -> Value {
    match role {
        Some(role) => json!({ "code": code, "name": "New", "account_type": account_type, "role": role }),
        None => json!({ "code": code, "name": "New", "account_type": account_type }),
    }
}

on_both_databases! {
    fn an_account_is_made_changed_and_archived(database) {
        let books = Books::on(&database);
        let made = books.post("/accounts", &account("7505", "EXPENSE", None)).expect(201)["data"].clone();
        let mut fields = vec![
            "id", "code", "name", "account_type", "role", "normal_balance", "is_archived", "archived_at", "bank_account_id",
            "balance", "currency", "has_postings", "created_at", "updated_at", "version",
        ];
        fields.sort_unstable();
        assert_eq!(keys(&made), fields);
        assert_eq!((&made["normal_balance"], &made["balance"], &made["version"]), (&json!("debit"), &json!(0.0), &json!(1)));
        let path = format!("/accounts/{}", made["id"]);
        assert_eq!(books.get(&path)["data"], made);

        let patched = books.request("PATCH", &path).json(&json!({ "code": "7506", "name": "Broadband" })).send().expect(200);
        assert_eq!((&patched["data"]["code"], &patched["data"]["name"]), (&json!("7506"), &json!("Broadband")));
        assert_eq!(patched["data"]["version"], 2);

        books.posted("2026-03-01", "7506", "1200", json!("12.30"));
        let archived = books.request("POST", &format!("{path}/archive")).send().expect(200)["data"].clone();
        assert_eq!((&archived["is_archived"], &archived["has_postings"]), (&json!(true), &json!(true)));
        assert_eq!(archived["balance"], json!(12.3));
        assert_eq!(books.request("POST", &format!("{path}/archive")).send().expect(200)["data"], archived, "idempotent");
        let listed = |query: &str| {
            let accounts = books.get(&format!("/accounts{query}"))["data"].clone();
            accounts.as_array().unwrap().iter().any(|account| account["code"] == "7506")
        };
        assert!(!listed("") && listed("?include_archived=true") && !listed("?include_archived=true&account_type=ASSET"));

        let refused = books.post("/journals", &books.two_lines("2026-03-02", "7506", "1200", json!(1)));
        let details = refused.details(422, "unprocessable_entity");
        assert_eq!(details, json!({ "reason": "account_archived", "field": "lines[0].account_id", "id": made["id"] }));
        let back = books.request("POST", &format!("{path}/unarchive")).send().expect(200);
        assert_eq!((&back["data"]["is_archived"], &back["data"]["archived_at"]), (&json!(false), &Value::Null));
        books.posted("2026-03-02", "7506", "1200", json!(1));
    }

    fn codes_and_unique_roles_are_taken_once(database) {
        let books = Books::on(&database);
        let sales = books.account_id("4000");
        let refused = books.post("/accounts", &account("4000", "EXPENSE", None));
        assert_eq!(
            refused.details(409, "conflict"),
            json!({ "reason": "duplicate_code", "field": "code", "existing_id": sales })
        );
        let refused = books.post("/accounts", &account("1101", "ASSET", Some("accounts_receivable")));
        assert_eq!(reason(&refused), "duplicate_role");
        let refused = books.post("/accounts", &account("2201", "ASSET", Some("vat_control")));
        assert_eq!(refused.details(422, "unprocessable_entity")["reason"], "wrong_account_type");
        let patched = books.request("PATCH", &format!("/accounts/{sales}")).json(&json!({ "code": "4100" })).send();
        assert_eq!(reason(&patched), "duplicate_code");
        books.request("PATCH", &format!("/accounts/{sales}")).json(&json!({ "code": "4000" })).send().expect(200);
        for code in ["1100", "2100", "1200", "3200"] {
            let id = books.account_id(code);
            let refused = books.request("POST", &format!("/accounts/{id}/archive")).send();
            assert_eq!((refused.status, reason(&refused)), (409, "invalid_state".to_owned()), "{code}");
        }
        books.post("/accounts", &account("1210", "ASSET", Some("bank"))).expect(201);
    }

    fn the_general_ledger_runs(database) {
        let books = Books::on(&database);
        for (date, amount) in [("2026-01-31", "10.00"), ("2026-02-01", "20.05"), ("2026-02-28", "0.05"), ("2026-03-01", "7")] {
            books.posted(date, "7100", "1200", json!(amount));
        }
        let path = format!("/accounts/{}/transactions", books.account_id("1200"));
        let answer = books.request("GET", &format!("{path}?date_from=2026-02-01&date_to=2026-02-28")).send();
        let page = answer.expect(200);
        assert_eq!(printed(&answer, "opening_balance"), "-10.00");
        assert_eq!(printed(&answer, "closing_balance"), "-30.10");
        let balances: Vec<&Value> = page["data"]["lines"].as_array().unwrap().iter().map(|line| &line["balance"]).collect();
        assert_eq!(balances, [&json!(-30.05), &json!(-30.1)]);
        assert_eq!(page["pagination"], json!({ "limit": 50, "offset": 0, "count": 2, "total": 2 }));
        let second = books.get(&format!("{path}?limit=1&offset=2"));
        assert_eq!(second["data"]["lines"][0]["balance"], json!(-30.1));
        assert_eq!(second["data"]["lines"][0]["journal_number"], 3);
        assert_eq!(second["data"]["closing_balance"], json!(-37.1));
        for beyond in ["99", "9223372036854775806", "9223372036854775807"] {
            for code in ["1200", "3200"] {
                let path = format!("/accounts/{}/transactions?offset={beyond}", books.account_id(code));
                assert_eq!(books.get(&path)["data"]["lines"], json!([]), "{path}");
            }
        }
    }

    fn income_and_expense_open_each_financial_year_at_nil(database) {
        let books = Books::on(&database);
        for (date, amount) in [
            ("2024-03-31", "1"), ("2024-04-01", "10"), ("2025-03-31", "100"), ("2025-04-01", "1000"), ("2025-12-31", "10000"),
            ("2026-02-01", "100000"),
        ] {
            books.posted(date, "7100", "4000", json!(amount));
        }
        let path = |code: &str| format!("/accounts/{}/transactions", books.account_id(code));
        let (rent, sales) = (path("7100"), path("4000"));
        // Opening, the balance beside each line, closing.
        let shown = |path: &str, query: &str| {
            let page = books.get(&format!("{path}?{query}"))["data"].clone();
            let balances: Vec<f64> = page["lines"].as_array().unwrap().iter().map(|line| line["balance"].as_f64().unwrap()).collect();
            (page["opening_balance"].as_f64().unwrap(), balances, page["closing_balance"].as_f64().unwrap())
        };
        for path in [&rent, &sales] {
            assert_eq!(shown(path, "date_from=2025-04-01&date_to=2025-04-30"), (0.0, vec![1_000.0], 1_000.0));
            assert_eq!(shown(path, "date_from=2025-05-01&date_to=2026-03-31"), (1_000.0, vec![11_000.0, 111_000.0], 111_000.0));
            assert_eq!(shown(path, "date_from=2025-03-31&date_to=2025-03-31"), (10.0, vec![110.0], 110.0));
            assert_eq!(shown(path, "date_from=2023-04-01&date_to=2024-03-31"), (0.0, vec![1.0], 1.0));
            // Over the end of a year the balance goes on from the year of the first date.
            assert_eq!(shown(path, "date_from=2025-03-01&date_to=2025-04-01"), (10.0, vec![110.0, 1_110.0], 1_110.0));
            assert_eq!(shown(path, "date_from=2025-03-01&date_to=2025-04-01&offset=1"), (10.0, vec![1_110.0], 1_110.0));
            assert_eq!(shown(path, "date_from=2026-04-01"), (0.0, vec![], 0.0));
            // Without a first date, everything ever posted counts.
            assert_eq!(shown(path, "date_to=2024-04-30"), (0.0, vec![1.0, 11.0], 11.0));
            assert_eq!(shown(path, "").2, 111_111.0);
        }
        // A balance sheet account goes on for ever.
        books.posted("2024-01-01", "1200", "3200", json!("5"));
        assert_eq!(shown(&path("1200"), "date_from=2026-01-01"), (5.0, vec![], 5.0));

        // A change of the year end moves the years after the lock, and no balance of a locked day.
        let locked = ["date_from=2025-03-31&date_to=2025-03-31", "date_from=2025-04-01&date_to=2025-04-30"];
        let before = locked.map(|query| (shown(&rent, query), shown(&sales, query)));
        books.lock("2025-04-30");
        books.request("PATCH", "").json(&json!({ "financial_year_end": "12-31" })).send().expect(200);
        assert_eq!(locked.map(|query| (shown(&rent, query), shown(&sales, query))), before);
        assert_eq!(shown(&rent, "date_from=2025-12-31&date_to=2025-12-31"), (1_000.0, vec![11_000.0], 11_000.0));
        assert_eq!(shown(&rent, "date_from=2026-01-01"), (0.0, vec![100_000.0], 100_000.0));
    }
}

#[test]
fn bodies_and_queries_are_strict() {
    let books = Books::of(TestServer::start());
    let rows = books.server.rows_of("account");
    let refused = books.post("/accounts", &json!({ "code": "", "name": 7, "account_type": "INCOME", "extra": 1 }));
    assert_eq!(format_paths(&refused), ["account_type", "code", "extra", "name"], "in document order");
    assert_eq!(format_paths(&books.post("/accounts", &json!({}))), ["code", "name", "account_type"]);
    let id = books.account_id("4000");
    let patch = |body: Value| books.request("PATCH", &format!("/accounts/{id}")).json(&body).send();
    assert_eq!(format_paths(&patch(json!({}))), ["body"]);
    assert_eq!(
        format_paths(&patch(json!({ "account_type": "ASSET" }))).first().map(String::as_str),
        Some("account_type")
    );
    assert_eq!(format_paths(&books.request("GET", "/accounts?account_type=x&include_archived=1").send()).len(), 2);
    // The path comes before the body.
    books.request("PATCH", "/accounts/999999").json(&json!({})).send().refused(404, "not_found");
    for unknown in ["0", "-1", "x", "999999", "9223372036854775808"] {
        books.request("GET", &format!("/accounts/{unknown}")).send().refused(404, "not_found");
        books.request("POST", &format!("/accounts/{unknown}/archive")).send().refused(404, "not_found");
    }
    assert_eq!(books.server.rows_of("account"), rows);
}

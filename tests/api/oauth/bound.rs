//! Threats 19 and 28: what a connection is limited to, and what one connection is given that another cannot use.

use super::*;
use crate::mcp;
use crate::support::database::on_both_databases;
use crate::support::server::Setup;

const BOTH: [&str; 2] = ["books:read", "books:write"];

on_both_databases! {
    fn threat_19_a_connection_reaches_no_organisation_but_those_ticked(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let (ticked, other) = (server.organisation(&person, "Ticked Ltd"), server.organisation(&person, "Other Ltd"));
        let foreign = server.organisation(&stranger, "Foreign Ltd");
        let connected = connect(&server, &person, &Ticks { scopes: &BOTH, organisations: Some(&[ticked]) });
        let key = connected.key();
        let before = server.rows_of("book_change");
        let mut attacks = 0;
        for (id, status, code) in [(other, 403, "forbidden"), (foreign, 404, "not_found")] {
            let path = |rest: &str| format!("/api/v1/books/organisations/{id}{rest}");
            for rest in ["", "/status", "/accounts", "/customers", "/sales-invoices", "/changes", "/reports/trial-balance?as_of=2026-03-31"] {
                server.client.get(&path(rest)).key(&key).send().refused(status, code);
                attacks += 1;
            }
            server.client.post(&path("/customers")).key(&key).json(&json!({ "name": "A" })).send().refused(status, code);
            attacks += 1;
            let plan = json!([{ "op": "customer.create", "params": { "name": "A" } }]);
            for (tool, arguments) in [
                ("books_status", json!({ "organisation_id": id })),
                ("find", json!({ "organisation_id": id, "kind": "account" })),
                ("recent_changes", json!({ "organisation_id": id })),
                ("get_report", json!({ "organisation_id": id, "report": "trial-balance", "as_of": "2026-03-31" })),
                ("select_organisation", json!({ "organisation_id": id })),
                ("update_organisation", json!({ "organisation_id": id, "phone": "01904 610001" })),
                ("plan_bookkeeping", json!({ "organisation_id": id, "operations": plan })),
            ] {
                let words = mcp::failure(&server, &key, tool, &arguments);
                assert!(words.starts_with(&format!("{code}: ")), "{tool}: {words}");
                assert!(!words.contains("Other Ltd") && !words.contains("Foreign Ltd"), "{tool}: {words}");
                attacks += 1;
            }
        }
        // Lists leave the others out, and a new organisation would be one that nobody ticked.
        let listed = server.client.get("/api/v1/books/organisations").key(&key).send().expect(200);
        assert_eq!(listed["data"].as_array().expect("organisations").len(), 1);
        let listed = mcp::given(&server, &key, "list_organisations", &json!({})).to_string();
        assert!(listed.contains("Ticked Ltd") && !listed.contains("Other Ltd"), "{listed}");
        let create = json!({ "name": "New Ltd" });
        server.client.post("/api/v1/books/organisations").key(&key).json(&create).send().refused(403, "forbidden");
        assert_eq!(server.rows_of("book_change"), before);
        attacks::tried("threat_19_a_connection", attacks + 3);
    }

    fn threat_28_what_one_connection_was_given_is_nothing_to_another(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let organisation = server.organisation(&person, "Larkspur Ltd");
        server.member(organisation, &stranger, "bookkeeper");
        let ticks = Ticks { scopes: &BOTH, organisations: None };
        let own = connect(&server, &person, &ticks).key();
        let others = [
            connect(&server, &person, &ticks).key(),
            connect(&server, &stranger, &ticks).key(),
            server.key(&person, &BOTH),
        ];
        let operations = json!([{ "op": "customer.create", "params": { "name": "A" } }]);
        let arguments = json!({ "organisation_id": organisation, "operations": operations });
        let plan = mcp::given(&server, &own, "plan_bookkeeping", &arguments);
        let token = json!({ "plan_token": plan["plan_token"] });
        mcp::given(&server, &own, "select_organisation", &json!({ "organisation_id": organisation }));
        let mut attacks = 0;
        for key in &others {
            let words = mcp::failure(&server, key, "commit_plan", &token);
            assert!(words.starts_with("plan_not_found: "), "{words}");
            let who = mcp::given(&server, key, "whoami", &json!({}));
            assert!(who.get("selected_organisation").is_none(), "{who}");
            attacks += 2;
        }
        mcp::given(&server, &own, "commit_plan", &token);
        for key in &others {
            let words = mcp::failure(&server, key, "commit_plan", &token);
            assert!(words.starts_with("plan_not_found: "), "{words}");
            attacks += 1;
        }
        let path = format!("/api/v1/books/organisations/{organisation}/customers");
        let customers = server.client.get(&path).key(&own).send().expect(200);
        assert_eq!(customers["data"].as_array().expect("customers").len(), 1, "{customers}");
        attacks::tried("threat_28_what_one", attacks);
    }
}

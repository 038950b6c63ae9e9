//! `list_coding_platforms` and `start_coding_session`, and whom a session answers.

use serde_json::json;

use super::super::{failure, given};
use super::{chart, coder, line, load, manual};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

on_both_databases! {
    fn a_session_is_started_on_the_books_or_on_a_chart_of_ones_own(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let platforms = given(server, &key, "list_coding_platforms", &json!({}));
        let names: Vec<_> = platforms["platforms"].as_array().unwrap().iter().map(|one| one["platform"].clone()).collect();
        assert_eq!(names, ["books", "manual"]);

        let started = given(server, &key, "start_coding_session", &json!({ "period_start": "2026-01-01", "period_end": "2026-03-31" }));
        let accounts = books.get("/accounts")["data"].as_array().unwrap().len();
        assert_eq!((&started["platform"], &started["accounts"]), (&json!("books"), &json!(accounts)));
        assert_eq!(started["organisation"], json!({ "id": books.id, "name": "Larkspur Joinery Ltd" }));
        assert_eq!(started["credits_per_transaction"], 4);
        assert!(started["session_id"].as_str().unwrap().starts_with("cs_"));

        let vat = json!([{ "code": "S", "name": "Standard", "rate": 20 }, { "code": "0", "name": "None", "rate": 0 }]);
        let own = json!({ "platform": "manual", "chart_of_accounts": chart(), "vat_codes": vat });
        let started = given(server, &key, "start_coding_session", &own);
        assert_eq!((&started["accounts"], started.get("organisation")), (&json!(9), None));
        for (arguments, field) in [
            (json!({ "platform": "manual" }), "chart_of_accounts: is required for platform manual"),
            (json!({ "platform": "manual", "organisation_id": books.id, "chart_of_accounts": chart() }), "organisation_id: "),
            (json!({ "chart_of_accounts": chart() }), "chart_of_accounts: is for platform manual"),
            (json!({ "period_start": "2026-02-01", "period_end": "2026-01-31" }), "period_end: must not be before"),
            (
                json!({ "platform": "manual", "chart_of_accounts": [
                    { "code": "1", "name": "a", "type": "THING" }, { "code": "1", "name": "b", "type": "asset" },
                ] }),
                "chart_of_accounts[0].type: must be one of INCOME, EXPENSE, ASSET, LIABILITY, EQUITY; \
                 chart_of_accounts[1].code: is the code of an earlier account",
            ),
        ] {
            let words = failure(server, &key, "start_coding_session", &arguments);
            assert!(words.starts_with(&format!("invalid_request_format: {field}")), "{words}");
        }
        let without = server.key(&books.owner, &["coding:read", "coding:write"]);
        let words = failure(server, &without, "start_coding_session", &json!({}));
        assert!(words.starts_with("forbidden: the key lacks the scope books:read\nNext: "), "{words}");
        // A chart of one's own needs nothing of the books.
        manual(server, &without);
    }
}

#[test]
fn a_session_answers_its_person_and_connection_until_a_day_after_its_last_use() {
    let server = Setup::new().start();
    let (person, stranger) = (server.person(), server.person());
    let (key, other, foreign) =
        (server.key(&person, &ALL_SCOPES), server.key(&person, &ALL_SCOPES), server.key(&stranger, &ALL_SCOPES));
    let session = manual(&server, &key);
    let missing = failure(&server, &key, "review_coding", &json!({ "session_id": "cs_missing" }));
    assert!(missing.starts_with("session_not_found: ") && missing.contains("\nNext: "), "{missing}");
    for (tool, arguments) in [
        ("review_coding", json!({ "session_id": session })),
        ("run_coding", json!({ "session_id": session })),
        ("post_to_platform", json!({ "session_id": session })),
        ("post_to_platform", json!({ "session_id": session, "confirm_token": "post_x" })),
        ("fetch_outstanding_invoices", json!({ "session_id": session })),
        (
            "add_invoice_document",
            json!({
                "session_id": session, "kind": "bill", "number": "1", "contact": "x", "date": "2026-01-05", "amount_due": 1,
            }),
        ),
        (
            "add_merchant_statement",
            json!({
                "session_id": session, "merchant": "x", "batch_ref": "a",
                "rows": [{ "date": "2026-01-05", "type": "sale", "amount": 1 }],
            }),
        ),
        ("add_bank_transactions", load(&session, "a", &[line("2026-01-05", "SHELL", -10.0)])),
        ("recode_transaction", json!({ "session_id": session, "changes": [{ "row_id": 1, "account_code": "400" }] })),
    ] {
        for key in [&other, &foreign] {
            assert_eq!(failure(&server, key, tool, &arguments), missing, "{tool}");
        }
    }
    given(&server, &key, "add_bank_transactions", &load(&session, "a", &[line("2026-01-05", "SHELL", -10.0)]));
    for _ in 0..3 {
        server.advance_s(24 * 3_600 - 1);
        given(&server, &key, "review_coding", &json!({ "session_id": session }));
    }
    server.advance_s(24 * 3_600);
    let words = failure(&server, &key, "review_coding", &json!({ "session_id": session }));
    assert!(words.starts_with("session_expired: ") && words.contains("nothing more was charged"), "{words}");
    // A load that is repeated then is not charged again.
    let words =
        failure(&server, &key, "add_bank_transactions", &load(&session, "a", &[line("2026-01-05", "SHELL", -10.0)]));
    assert!(words.starts_with("session_expired: "), "{words}");
    assert_eq!(server.credits(&key).0, 996);
    assert_eq!(failure(&server, &other, "review_coding", &json!({ "session_id": session })), missing);
}

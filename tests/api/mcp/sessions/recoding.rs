//! `recode_transaction`.

use serde_json::json;

use super::super::{failure, given};
use super::{coder, line, load, manual, on_books, reviewed};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

on_both_databases! {
    fn what_the_caller_sets_stays(database) {
        let server = Setup::new().on(&database).start();
        let key = server.key(&server.person(), &ALL_SCOPES);
        let session = manual(&server, &key);
        let rows = [line("2026-01-05", "SHELL OXFORD", -120.0), line("2026-01-06", "XQZ 4471", -12.0)];
        given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        let changes = json!([
            { "row_id": 1, "account_code": "461", "vat_code": "ST", "note": "paper for the forecourt" },
            { "row_id": 2, "splits": [
                { "account_code": "404", "amount": -2.0 }, { "account_code": "429", "vat_code": "ST", "amount": -10.0 },
            ] },
        ]);
        let recoded = given(&server, &key, "recode_transaction", &json!({ "session_id": session, "changes": changes }));
        assert_eq!(recoded, json!({ "session_id": session, "changed": 2, "rules_added": 0, "still_needs_review": 0 }));
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        let first = reviewed(&server, &key, &session, 1);
        assert_eq!((&first["account_code"], &first["coding_method"]), (&json!("461"), &json!("recoded")));
        assert_eq!((&first["vat_amount"], &first["reason"]), (&json!(-20.0), &json!("paper for the forecourt")));
        assert!(first.get("confidence").is_none());
        let second = reviewed(&server, &key, &session, 2);
        assert_eq!((second["splits"].as_array().unwrap().len(), &second["vat_amount"]), (2, &json!(-1.67)));
        // A run of what is uncoded has nothing to do.
        let ran = given(&server, &key, "run_coding", &json!({ "session_id": session, "scope": "uncoded" }));
        assert_eq!(ran["status"], "completed");
        let filter = json!({ "session_id": session, "filter": "recoded" });
        assert_eq!(given(&server, &key, "review_coding", &filter)["total"], 2);
    }

    fn what_is_remembered_becomes_a_rule_of_the_policy(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let session = on_books(&books, &key);
        let rows = [line("2026-01-05", "XQZ 4471 LTD", -120.0), line("2026-02-05", "XQZ 4471 LTD", -60.0)];
        given(server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        let code = books.get("/accounts?account_type=EXPENSE")["data"][0]["code"].clone();
        let changes = json!([{ "row_id": 1, "account_code": code, "vat_code": "NV" }]);
        let arguments = json!({ "session_id": session, "changes": changes, "remember": true });
        for _ in 0..2 {
            assert_eq!(given(server, &key, "recode_transaction", &arguments)["rules_added"], 1);
        }
        let policy = given(server, &key, "coding_policy", &json!({}));
        let rule = json!({ "contains": "XQZ 4471 LTD", "direction": "out", "account_code": code, "vat_code": "NV" });
        assert_eq!((&policy["rules"], &policy["version"]), (&json!([rule]), &json!(1)));
        given(server, &key, "run_coding", &json!({ "session_id": session }));
        let second = reviewed(server, &key, &session, 2);
        assert_eq!((&second["coding_method"], &second["account_code"], &second["confidence"]), (&json!("policy_rule"), &code, &json!(1.0)));
    }
}

#[test]
fn changes_are_all_made_or_none() {
    let server = Setup::new().start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let session = manual(&server, &key);
    given(&server, &key, "add_bank_transactions", &load(&session, "a", &[line("2026-01-05", "SHELL", -10.0)]));
    let parts =
        |first: f64| json!([{ "account_code": "404", "amount": first }, { "account_code": "429", "amount": -8.0 }]);
    for (change, said) in [
        (
            json!({ "row_id": 9, "account_code": "400" }),
            "unprocessable_entity (unknown_reference): changes[1].row_id: the session has no line 9",
        ),
        (
            json!({ "row_id": 1, "account_code": "401" }),
            "unprocessable_entity (unknown_reference): changes[1].account_code: the chart has no account 401; near are 400 Motor fuel, ",
        ),
        (
            json!({ "row_id": 1, "account_code": "400", "vat_code": "S9" }),
            "unprocessable_entity (unknown_reference): changes[1].vat_code: there is no VAT code S9; known are ST, ",
        ),
        (
            json!({ "row_id": 1, "match_invoice_ref": "x" }),
            "unprocessable_entity (unknown_reference): changes[1].match_invoice_ref: the session has no invoice x",
        ),
        (
            json!({ "row_id": 1, "splits": parts(-3.0) }),
            "unprocessable_entity (amount_mismatch): changes[1].splits: come to -11",
        ),
        (json!({ "row_id": 1 }), "invalid_request_format: changes[1].account_code: give this, "),
        (
            json!({ "row_id": 1, "vat_code": "ST" }),
            "invalid_request_format: changes[1].account_code: is required before a run",
        ),
        (
            json!({ "row_id": 1, "account_code": "400", "splits": parts(-2.0) }),
            "invalid_request_format: changes[1].splits: stands alone",
        ),
    ] {
        let changes = json!([{ "row_id": 1, "account_code": "461" }, change]);
        let words = failure(&server, &key, "recode_transaction", &json!({ "session_id": session, "changes": changes }));
        assert!(words.starts_with(said), "{words}");
    }
    let filter = json!({ "session_id": session, "filter": "recoded" });
    assert_eq!(given(&server, &key, "review_coding", &filter)["total"], 0);
    let arguments =
        json!({ "session_id": session, "changes": [{ "row_id": 1, "account_code": "400" }], "remember": true });
    let words = failure(&server, &key, "recode_transaction", &arguments);
    assert!(words.starts_with("not_on_platform: ") && words.contains("\nNext: "), "{words}");
}

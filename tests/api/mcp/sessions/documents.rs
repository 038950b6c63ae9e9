//! `add_invoice_document`, `fetch_outstanding_invoices` and `add_merchant_statement`.

use serde_json::{Value, json};

use super::super::{failure, given};
use super::{coder, line, load, manual, on_books, reviewed};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

fn invoice(session: &str, number: &str, due: f64) -> Value {
    json!({
        "session_id": session, "kind": "invoice", "number": number, "contact": "Harbour Cafe Ltd", "date": "2026-01-02",
        "amount_due": due,
    })
}

on_both_databases! {
    fn a_payment_of_an_invoice_that_was_given_is_matched(database) {
        let server = Setup::new().on(&database).start();
        let key = server.key(&server.person(), &ALL_SCOPES);
        let session = manual(&server, &key);
        let added = given(&server, &key, "add_invoice_document", &invoice(&session, "INV-0042", 200.0));
        assert_eq!((&added["invoices_in_session"], &added["replaced"]), (&json!(1), &json!(false)));
        let again = given(&server, &key, "add_invoice_document", &invoice(&session, "INV-0042", 240.0));
        assert_eq!((&again["invoice_ref"], &again["replaced"]), (&added["invoice_ref"], &json!(true)));
        assert_eq!(again["invoices_in_session"], 1);
        let other = given(&server, &key, "add_invoice_document", &invoice(&session, "INV-0043", 99.0));
        assert_eq!(other["invoices_in_session"], 2);

        let rows = [line("2026-01-20", "HARBOUR CAFE LTD INV-0042", 240.0), line("2026-01-21", "XQZ 99", 99.0)];
        given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        let paid = reviewed(&server, &key, &session, 1);
        let settles = json!([{ "invoice_ref": added["invoice_ref"], "number": "INV-0042", "amount": 240.0, "match": "exact" }]);
        assert_eq!((&paid["settles"], &paid["coding_method"]), (&settles, &json!("invoice_settlement")));
        assert_eq!(paid["account_code"], "610");
        let filter = json!({ "session_id": session, "filter": "matched" });
        assert_eq!(given(&server, &key, "review_coding", &filter)["total"], 1);

        // A match that the caller sets.
        let change = json!({ "row_id": 2, "match_invoice_ref": other["invoice_ref"], "account_code": "610" });
        given(&server, &key, "recode_transaction", &json!({ "session_id": session, "changes": [change] }));
        let set = reviewed(&server, &key, &session, 2);
        assert_eq!((&set["settles"][0]["number"], &set["vat_code"]), (&json!("INV-0043"), &json!("NV")));
        let without = json!({ "row_id": 2, "match_invoice_ref": other["invoice_ref"] });
        let words = failure(&server, &key, "recode_transaction", &json!({ "session_id": session, "changes": [without] }));
        assert!(words.starts_with("invalid_request_format: changes[0].account_code: is required"), "{words}");
    }

    fn open_invoices_and_bills_are_fetched_from_the_books(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let customer = books.post("/customers", &json!({ "name": "Harbour Cafe Ltd" })).expect(201)["data"]["id"].clone();
        let supplier = books.post("/suppliers", &json!({ "name": "Timber Direct" })).expect(201)["data"]["id"].clone();
        let document = |contact: &str, id: &Value, amount: &str, account: &str| {
            json!({ contact: id, "invoice_date": "2026-01-05", "lines": [
                { "description": "x", "quantity": 1, "unit_price": amount, "account_code": account, "vat_code": "NV" },
            ] })
        };
        let sale = books.post("/sales-invoices", &document("customer_id", &customer, "300.00", "4000")).expect(201);
        let mut bill = document("supplier_id", &supplier, "120.00", "5000");
        bill["supplier_reference"] = json!("TD-881");
        books.post("/purchase-invoices", &bill).expect(201);
        let session = on_books(&books, &key);
        for _ in 0..2 {
            let fetched = given(server, &key, "fetch_outstanding_invoices", &json!({ "session_id": session }));
            assert_eq!(fetched, json!({
                "session_id": session, "sales": 1, "purchases": 1, "sales_outstanding": 300.0, "purchases_outstanding": 120.0,
            }));
        }
        assert_eq!(server.rows_of("coding_session_invoice"), 2);
        let number = sale["data"]["invoice_number"].as_str().unwrap();
        let rows = [
            line("2026-01-20", &format!("HARBOUR CAFE {number}"), 300.0),
            line("2026-01-21", "TIMBER DIRECT TD-881", -120.0),
        ];
        given(server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        given(server, &key, "run_coding", &json!({ "session_id": session }));
        let paid = reviewed(server, &key, &session, 1);
        assert_eq!(paid["settles"][0]["invoice_ref"], format!("sales_invoice:{}", sale["data"]["id"]));
        assert_eq!(reviewed(server, &key, &session, 2)["settles"][0]["number"], "TD-881");
        let sales = json!({ "session_id": session, "direction": "sales" });
        assert_eq!(given(server, &key, "fetch_outstanding_invoices", &sales)["purchases"], 0);
        let early = json!({ "session_id": session, "as_of": "2026-01-04" });
        assert_eq!(given(server, &key, "fetch_outstanding_invoices", &early)["sales"], 0);
        let own = manual(server, &key);
        let words = failure(server, &key, "fetch_outstanding_invoices", &json!({ "session_id": own }));
        assert!(words.starts_with("not_on_platform: ") && words.contains("\nNext: "), "{words}");
    }

    fn a_payout_is_split_by_the_statement_of_its_merchant(database) {
        let server = Setup::new().on(&database).start();
        let key = server.key(&server.person(), &ALL_SCOPES);
        let session = manual(&server, &key);
        let rows = [line("2026-01-09", "STRIPE PAYMENTS UK", 95.0), line("2026-01-16", "STRIPE PAYMENTS UK", 50.0)];
        given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        let statement = json!({ "session_id": session, "merchant": "Stripe", "batch_ref": "s1", "rows": [
            { "date": "2026-01-05", "type": "sale", "amount": 110 },
            { "date": "2026-01-06", "type": "refund", "amount": -10 },
            { "date": "2026-01-07", "type": "fee", "amount": -5 },
            { "date": "2026-01-08", "type": "payout", "amount": -95 },
            { "date": "2026-01-14", "type": "sale", "amount": 60, "payout_reference": "po_2" },
            { "date": "2026-01-15", "type": "payout", "amount": 50, "payout_reference": "po_2" },
        ] });
        let added = given(&server, &key, "add_merchant_statement", &statement);
        assert_eq!(added, json!({
            "session_id": session, "added": 6, "payouts": 2, "payouts_matched": 2, "replayed": false,
            "unbalanced_payouts": [
                { "date": "2026-01-15", "payout_reference": "po_2", "amount": 50.0, "explained": 60.0, "difference": -10.0 },
            ],
        }));
        assert_eq!(given(&server, &key, "add_merchant_statement", &statement)["replayed"], true);
        let mut other = statement.clone();
        other["merchant"] = json!("Square");
        let words = failure(&server, &key, "add_merchant_statement", &other);
        assert!(words.starts_with("conflict: batch_ref: ") && words.contains("\nNext: "), "{words}");
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        let split = reviewed(&server, &key, &session, 1);
        assert_eq!(split["coding_method"], "merchant_statement", "{split}");
        let amounts: Vec<f64> = split["splits"].as_array().unwrap().iter().map(|part| part["amount"].as_f64().unwrap()).collect();
        assert_eq!(amounts, [110.0, -10.0, -5.0]);
        assert_eq!(split["splits"][2]["account_code"], "404");
        assert_ne!(reviewed(&server, &key, &session, 2)["coding_method"], "merchant_statement");
    }
}

#[test]
fn an_invoice_that_is_wrong_is_refused() {
    let server = Setup::new().start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let session = manual(&server, &key);
    let mut wrong = invoice(&session, "1", 1.001);
    wrong["currency"] = json!("pounds");
    let words = failure(&server, &key, "add_invoice_document", &wrong);
    assert!(words.contains("amount_due: ") && words.contains("currency: "), "{words}");
    let mut elsewhere = invoice(&session, "1", 1.0);
    elsewhere["account_code"] = json!("9x9");
    let words = failure(&server, &key, "add_invoice_document", &elsewhere);
    assert!(words.starts_with("unprocessable_entity (unknown_reference): account_code: "), "{words}");
}

//! Adjustments of the VAT return: posted where they change what is owed, listed, voided, and refused.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side};
use super::{Books, format_paths, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;

const PATH: &str = "/vat-adjustments";

fn body(date: &str, entries: &[(i64, &str)], account: Option<&str>) -> Value {
    let entries: Vec<_> = entries.iter().map(|(number, amount)| json!({ "box": number, "amount": amount })).collect();
    let mut body = json!({
        "date": date, "reason": "fuel_scale_charge", "description": "Scale charge", "entries": entries
    });
    if let Some(code) = account {
        body["account_code"] = json!(code);
    }
    body
}

fn void(books: &Books, adjustment: &Value, body: &Value) -> Answer {
    books.post(&format!("{PATH}/{}/void", adjustment["id"]), body)
}

on_both_databases! {
    fn what_is_owed_is_posted_against_the_account_that_bears_it(database) {
        let books = Books::on(&database);
        books.vat_control();
        let charge = books.made(PATH, &body("2026-02-27", &[(1, "61.17"), (6, "305.83")], Some("7400")));
        let mut known = vec![
            "id", "date", "reason", "description", "status", "currency", "entries", "account_id", "account_code",
            "journal_id", "void_journal_id", "void_date", "void_reason", "created_at", "created_by", "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&charge), known);
        assert_eq!(
            fields(&charge, &["id", "date", "reason", "description", "status", "currency", "account_code", "version"]),
            json!([1, "2026-02-27", "fuel_scale_charge", "Scale charge", "posted", "GBP", "7400", 1])
        );
        assert_eq!(charge["entries"], json!([{ "box": 1, "amount": 61.17 }, { "box": 6, "amount": 305.83 }]));
        assert_eq!(books.sides(&charge["journal_id"]), [side("7400", 61.17, 0.0), side("2200", 0.0, 61.17)]);
        let journal = books.get(&format!("/journals/{}", charge["journal_id"]))["data"].clone();
        assert_eq!(
            fields(&journal, &["source_type", "source_id", "description", "entry_date", "journal_number"]),
            json!(["vat_adjustment", charge["id"], "Scale charge", "2026-02-27", 1])
        );
        let own = json!({ "account_id": books.account_id("7400") });
        // Relief is reclaimed: VAT Control is debited. A box may be given several times, and amounts may be negative.
        let mut relief = body("2026-02-27", &[(4, "20.00"), (4, "5.00"), (1, "-1.00")], None);
        relief["account_id"] = own["account_id"].clone();
        relief["reason"] = json!("bad_debt_relief");
        let relief = books.made(PATH, &relief);
        assert_eq!(books.sides(&relief["journal_id"]), [side("7400", 0.0, 26.0), side("2200", 26.0, 0.0)]);
        assert_eq!(relief["entries"][1], json!({ "box": 4, "amount": 5.0 }));
        assert_eq!(books.get(&format!("{PATH}/{}", relief["id"]))["data"], relief);
        assert_eq!(books.get(&format!("/journals?source_type=vat_adjustment&source_id={}", relief["id"]))["pagination"]["total"], 1);
        // No document is there to be voided instead.
        let direct = books.post(&format!("/journals/{}/void", relief["journal_id"]), &json!({}));
        assert_eq!(refusal(&direct), json!({ "reason": "linked_to_document", "source_type": "vat_adjustment", "source_id": relief["id"] }));
    }

    fn what_cancels_posts_nothing(database) {
        // Postponed import VAT needs neither an account nor VAT Control.
        let books = Books::on(&database);
        let mut import = body("2026-02-27", &[(1, "500.00"), (4, "500.00"), (7, "2500.00")], None);
        import["reason"] = json!("postponed_import");
        let import = books.made(PATH, &import);
        assert_eq!(fields(&import, &["account_id", "account_code", "journal_id", "status"]), json!([null, null, null, "posted"]));
        let values = books.made(PATH, &body("2026-02-27", &[(8, "10"), (9, "-20"), (6, "1")], None));
        assert_eq!(values["journal_id"], Value::Null);
        assert_eq!(books.server.rows_of("journal"), 0);
        let voided = void(&books, &import, &json!({ "reason": "twice" })).expect(200)["data"].clone();
        assert_eq!(
            fields(&voided, &["status", "void_date", "void_reason", "void_journal_id", "version"]),
            json!(["void", "2026-02-27", "twice", null, 2])
        );
        assert_eq!(books.server.rows_of("journal"), 0);
    }

    fn a_void_reverses_the_journal_and_keeps_the_record(database) {
        let books = Books::on(&database);
        books.vat_control();
        let made = books.made(PATH, &body("2026-02-27", &[(1, "61.17")], Some("7400")));
        books.lock("2026-02-27");
        assert_eq!(
            refusal(&void(&books, &made, &json!({}))),
            json!({ "reason": "period_locked", "lock_date": "2026-02-27", "date": "2026-02-27", "earliest_date": "2026-02-28" })
        );
        assert_eq!(format_paths(&void(&books, &made, &json!({ "void_date": "2026-02-26" }))), ["void_date"]);
        assert_eq!(format_paths(&void(&books, &made, &json!({ "void_date": "x", "odd": 1 }))), ["odd", "void_date"]);
        let stale = books.request("POST", &format!("{PATH}/{}/void", made["id"])).header("If-Match", "\"2\"").send();
        assert_eq!(reason(&stale), "stale_version");
        let tried = books.post(&format!("{PATH}/{}/void?dry_run=true", made["id"]), &json!({ "void_date": "2026-03-01" }));
        let tried = tried.expect(200);
        assert_eq!((&tried["dry_run"], &tried["data"]["status"], &tried["data"]["void_journal_id"]), (&json!(true), &json!("void"), &Value::Null));
        assert_eq!(books.get(&format!("{PATH}/{}", made["id"]))["data"], made);
        let voided = void(&books, &made, &json!({ "void_date": "2026-03-01" })).expect(200)["data"].clone();
        assert_eq!(fields(&voided, &["status", "void_date", "version", "entries"]), json!(["void", "2026-03-01", 2, made["entries"]]));
        assert_eq!(books.sides(&voided["void_journal_id"]), [side("7400", 0.0, 61.17), side("2200", 61.17, 0.0)]);
        let original = books.get(&format!("/journals/{}", made["journal_id"]))["data"].clone();
        assert_eq!(fields(&original, &["status", "reversed_by_journal_id"]), json!(["void", voided["void_journal_id"]]));
        assert_eq!(
            refusal(&void(&books, &made, &json!({ "void_date": "2026-03-02" }))),
            json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] })
        );
        void(&books, &json!({ "id": 999 }), &json!({})).refused(404, "not_found");
        void(&books, &json!({ "id": 999 }), &json!({ "odd": 1 })).refused(404, "not_found");
        let told = books.get(&format!("{PATH}/{}/history", made["id"]));
        let actions: Vec<_> = told["data"].as_array().unwrap().iter().map(|entry| entry["action"].clone()).collect();
        assert_eq!(actions, ["create", "void"]);
        assert_eq!(told["data"][0]["summary"], "VAT adjustment made: Scale charge");
        assert_eq!(told["data"][0]["after"]["entries"], "box 1 61.17");
        assert_eq!(told["data"][1]["after"]["void_journal_id"], voided["void_journal_id"]);
    }

    fn every_bad_adjustment_is_refused_and_changes_nothing(database) {
        let books = Books::on(&database);
        let owed: &[(i64, &str)] = &[(1, "10")];
        let before = books.server.rows_of("book_change");
        assert_eq!(reason(&books.post(PATH, &body("2026-02-27", owed, Some("7400")))), "vat_control_required");
        books.vat_control();
        let refused = |body: &Value| refusal(&books.post(PATH, body));
        let account = |code: &str| refused(&body("2026-02-27", owed, Some(code)));
        assert_eq!(account("9998"), json!({ "reason": "unknown_reference", "field": "account_code", "code": "9998" }));
        for code in ["1100", "1200", "2100", "2200"] {
            assert_eq!(account(code)["reason"], "wrong_account_type", "{code}");
        }
        let mut unknown = body("2026-02-27", owed, None);
        unknown["account_id"] = json!(999_999);
        assert_eq!(refused(&unknown), json!({ "reason": "unknown_reference", "field": "account_id", "id": 999_999 }));
        let own = books.account_id("7500");
        books.request("POST", &format!("/accounts/{own}/archive")).send().expect(200);
        assert_eq!(account("7500"), json!({ "reason": "account_archived", "field": "account_code", "id": own }));
        let paths = |body: &Value| format_paths(&books.post(PATH, body));
        assert_eq!(paths(&body("2026-02-27", owed, None)), ["account_id"]);
        assert_eq!(paths(&body("2026-02-27", &[(1, "10"), (4, "10")], Some("7400"))), ["account_code"]);
        assert_eq!(paths(&body("2026-02-27", &[(1, "9999999999.99"), (2, "0.01")], Some("7400"))), ["entries"]);
        let mut both = body("2026-02-27", owed, Some("7400"));
        both["account_id"] = json!(own);
        assert_eq!(paths(&both), ["account_id"]);
        assert_eq!(paths(&json!({})), ["date", "reason", "description", "entries"]);
        assert_eq!(paths(&body("2026-02-30", &[], Some("7400"))), ["date", "entries"]);
        assert_eq!(paths(&body("2026-02-27", &[(1, "1"); 10], Some("7400"))), ["entries"]);
        for number in [0, 3, 5, 10, -1] {
            assert_eq!(paths(&body("2026-02-27", &[(number, "1")], Some("7400"))), ["entries[0].box"], "{number}");
        }
        for amount in ["0", "0.00", "1.005", "x", "10000000000"] {
            assert_eq!(paths(&body("2026-02-27", &[(1, amount)], Some("7400"))), ["entries[0].amount"], "{amount}");
        }
        let mut odd = body("2026-02-27", owed, Some("7400"));
        odd["reason"] = json!("generosity");
        odd["entries"] = json!([{ "box": "1", "amount": 1 }, { "amount": 1 }, { "box": 1 }, { "box": 1, "amount": 1, "odd": 1 }, 7]);
        odd["description"] = json!("");
        odd["odd"] = json!(1);
        // Keys are read in the order of the text, which is that of their letters here.
        assert_eq!(
            paths(&odd),
            ["description", "entries[0].box", "entries[1].box", "entries[2].amount", "entries[3].odd", "entries[4]", "odd", "reason"]
        );
        books.lock("2026-02-27");
        assert_eq!(reason(&books.post(PATH, &body("2026-02-27", owed, Some("7400")))), "period_locked");
        assert_eq!(reason(&books.post(PATH, &body("2026-02-27", &[(6, "1")], None))), "period_locked");
        assert_eq!(books.get(PATH)["pagination"]["total"], 0);
        assert_eq!(books.server.rows_of("journal"), 0);
        // The account made, the account archived, the lock.
        assert_eq!(books.server.rows_of("book_change"), before + 3);
    }

    fn retries_and_rehearsals_make_one_adjustment(database) {
        let books = Books::on(&database);
        books.vat_control();
        let body = body("2026-02-27", &[(1, "61.17")], Some("7400"));
        let tried = books.post(&format!("{PATH}?dry_run=true"), &body).expect(200);
        assert_eq!(fields(&tried["data"], &["id", "journal_id", "status"]), json!([null, null, "posted"]));
        assert_eq!(books.get(PATH)["pagination"]["total"], 0);
        let post = || books.request("POST", PATH).idempotency_key("adjust").json(&body).send();
        let (first, second) = (post(), post());
        assert_eq!(first.expect(201), second.expect(201));
        assert_eq!(second.header("idempotency-replayed"), Some("true"));
        assert_eq!((books.get(PATH)["pagination"]["total"].clone(), books.server.rows_of("journal")), (json!(1), 1));
    }

    fn adjustments_are_listed_by_date_and_found(database) {
        let books = Books::on(&database);
        books.vat_control();
        let made = |date: &str| books.made(PATH, &body(date, &[(1, "10")], Some("7400")));
        let (march, january, february) = (made("2026-03-05"), made("2026-01-31"), made("2026-02-28"));
        void(&books, &january, &json!({})).expect(200);
        let ids = |query: &str| books.listed(&format!("{PATH}{query}"));
        let id = |one: &Value| one["id"].as_i64().unwrap();
        assert_eq!(ids(""), (vec![id(&march), id(&february), id(&january)], Some(3)));
        assert_eq!(ids("?date_from=2026-02-01"), (vec![id(&march), id(&february)], Some(2)));
        assert_eq!(ids("?date_to=2026-02-28&status=posted"), (vec![id(&february)], Some(1)));
        assert_eq!(ids("?status=void"), (vec![id(&january)], Some(1)));
        assert_eq!(ids("?limit=1&offset=1"), (vec![id(&february)], Some(3)));
        assert_eq!(ids("?offset=5"), (vec![], Some(3)));
        assert_eq!(ids("?updated_since=2020-01-01T00:00:00Z&limit=2"), (vec![id(&march), id(&february)], Some(3)));
        assert_eq!(ids("?updated_since=2199-01-01T00:00:00Z"), (vec![], Some(0)));
        assert_eq!(format_paths(&books.request("GET", &format!("{PATH}?status=odd&date_from=x")).send()), ["query.date_from", "query.status"]);
        assert_eq!(format_paths(&books.request("GET", &format!("{PATH}?date_from=2026-02-01&date_to=2026-01-01")).send()), ["query.date_to"]);
        books.request("GET", &format!("{PATH}/99")).send().refused(404, "not_found");
    }
}

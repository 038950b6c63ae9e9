//! Opening balances: previewed under a token, set once, locked up to their day, taken back with their journal.

use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths, printed, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

const PREVIEW: &str = "/opening-balances/preview";
const SET: &str = "/opening-balances";

fn balances() -> Value {
    json!({
        "as_of": "2026-02-28",
        "lines": [
            { "account_code": "1200", "debit": "5000.50" },
            { "account_code": "1310", "debit": 100 },
            { "account_code": "3000", "credit": 5100.5 },
        ]
    })
}

fn with(mut body: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

/// What must not move when something is refused.
fn state(books: &Books) -> (Value, Value, Value, i64) {
    let bank = books.get("/bank-accounts")["data"].clone();
    (books.get("")["data"].clone(), bank, books.get("/changes?limit=200"), books.server.rows_of("journal"))
}

on_both_databases! {
    fn they_are_previewed_set_and_locked(database) {
        let books = Books::on(&database);
        let before = state(&books);
        let answer = books.post(PREVIEW, &balances());
        let preview = answer.expect(200)["data"].clone();
        let mut fields = vec![
            "token", "expires_at", "as_of", "currency", "lines", "total_debit", "total_credit", "difference", "warnings",
            "lock_date",
        ];
        fields.sort_unstable();
        assert_eq!(keys(&preview), fields);
        assert_eq!((printed(&answer, "total_debit"), printed(&answer, "difference")), ("5100.50".to_owned(), "0.00".to_owned()));
        assert_eq!((&preview["as_of"], &preview["warnings"]), (&json!("2026-02-28"), &json!([])));
        assert_eq!(preview["lines"][1]["account_code"], "1310");
        assert_eq!(preview["lock_date"], "2026-02-28");
        assert_eq!(state(&books), before, "a preview writes nothing into the books");

        let set = books.post(SET, &json!({ "token": preview["token"] })).expect(201)["data"].clone();
        let journal = &set["journal"];
        assert_eq!((&journal["source_type"], &journal["entry_date"]), (&json!("opening_balance"), &json!("2026-02-28")));
        assert_eq!((&journal["total_debit"], &set["documents"], &set["lock_date"]), (&json!(5100.5), &json!([]), &json!("2026-02-28")));
        assert_eq!(books.get(&format!("/journals/{}", journal["id"]))["data"], *journal);
        let organisation = books.get("")["data"].clone();
        assert_eq!((&organisation["opening_balances_set"], &organisation["lock_date"]), (&json!(true), &json!("2026-02-28")));
        let lock = books.get("/period-lock")["data"].clone();
        assert_eq!((&lock["reason"], &lock["locked_by"]), (&json!("Opening balances"), &json!(books.owner.user_id)));
        let bank = books.get("/bank-accounts")["data"][0].clone();
        assert_eq!((&bank["opening_balance"], &bank["statement_balance"], &bank["ledger_balance"]), (&json!(5000.5), &json!(5000.5), &json!(5000.5)));
        let refused = books.post("/journals", &books.two_lines("2026-02-28", "7100", "1200", json!(1)));
        assert_eq!(reason(&refused), "period_locked");
        // An account that becomes a bank account later has its opening balance too.
        let till = json!({ "name": "Till", "type": "cash", "account_id": books.account_id("1310") });
        assert_eq!(books.post("/bank-accounts", &till).expect(201)["data"]["opening_balance"], json!(100.0));
        let told = books.get("/changes?limit=200")["data"].clone();
        let last = told.as_array().unwrap().iter().rev().find(|entry| entry["action"] == "opening_balances").unwrap().clone();
        assert_eq!(last["summary"], "Opening balances set as of 2026-02-28");
        assert_eq!(last["after"]["journal_id"], journal["id"]);
    }

    fn a_token_works_once_for_one_person_for_thirty_minutes(database) {
        let books = Books::on(&database);
        let preview = |books: &Books| books.post(PREVIEW, &balances()).expect(200)["data"]["token"].clone();
        let token = json!({ "token": preview(&books) });
        // Another member may not use it, nor may it be used elsewhere.
        let other = books.server.person();
        books.server.member(books.id, &other, "admin");
        let others_key = books.server.key(&other, &["books:read", "books:write"]);
        let refused = books.server.client.post(&books.path(SET)).key(&others_key).json(&token).send();
        assert_eq!((refused.status, reason(&refused)), (422, "token_expired".to_owned()));
        let elsewhere = books.server.organisation(&books.owner, "Else Ltd");
        let path = format!("{}/{elsewhere}{SET}", ORGANISATIONS);
        let refused = books.server.client.post(&path).key(&books.key).json(&token).send();
        assert_eq!((refused.status, reason(&refused)), (422, "token_expired".to_owned()));
        let unknown = books.post(SET, &json!({ "token": "opn_nobodys" }));
        assert_eq!((unknown.status, reason(&unknown)), (422, "token_expired".to_owned()));

        let set = || books.request("POST", SET).header("Idempotency-Key", "set").json(&token).send();
        let first = set().expect(201);
        let again = set();
        assert_eq!((again.header("Idempotency-Replayed"), again.expect(201)), (Some("true"), first));
        let used = books.post(SET, &token);
        assert_eq!((used.status, reason(&used)), (409, "token_used".to_owned()));
        let twice = books.post(SET, &balances());
        assert_eq!((twice.status, reason(&twice)), (409, "already_set".to_owned()));
        assert_eq!(reason(&books.post(PREVIEW, &balances())), "already_set");
    }

    fn many_at_once_set_them_once(database) {
        let books = Books::on(&database);
        let token = json!({ "token": books.post(PREVIEW, &balances()).expect(200)["data"]["token"] });
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| books.post(SET, &token).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
        assert_eq!(books.server.rows_of("journal"), 1);
    }

    fn what_is_refused_leaves_nothing(database) {
        let books = Books::on(&database);
        books.post("/customers", &json!({ "name": "Ann" })).expect(201);
        let before = state(&books);
        let refused = |path: &str, body: Value| {
            let answer = books.post(path, &body);
            (answer.status, reason(&answer))
        };
        let short = with(balances(), json!({ "lines": [{ "account_code": "1200", "debit": 5 }, { "account_code": "3000", "credit": 4 }] }));
        assert_eq!(refused(SET, short.clone()), (422, "unbalanced".to_owned()));
        let told = books.post(PREVIEW, &short).expect(200)["data"].clone();
        assert_eq!((&told["difference"], &told["warnings"]), (&json!(1.0), &json!(["debits and credits differ by 1.00"])));
        assert_eq!(refused(SET, json!({ "token": told["token"] })), (422, "unbalanced".to_owned()));
        let both = json!([{ "account_code": "1200", "debit": 5, "credit": 5 }]);
        assert_eq!(refused(PREVIEW, with(balances(), json!({ "lines": both }))), (422, "one_sided_line".to_owned()));
        let unknown = json!([{ "account_id": 987_654, "debit": 5 }]);
        assert_eq!(refused(PREVIEW, with(balances(), json!({ "lines": unknown }))), (422, "unknown_reference".to_owned()));
        let code = books.post(PREVIEW, &with(balances(), json!({ "lines": [{ "account_code": "nope", "debit": 5 }] })));
        let details = code.details(422, "unprocessable_entity");
        let expected = json!(["unknown_reference", "lines[0].account_code", "nope"]);
        assert_eq!(json!([details["reason"], details["field"], details["code"]]), expected);
        let debtors = json!([{ "account_code": "1100", "debit": 5 }, { "account_code": "3000", "credit": 5 }]);
        let debtors = with(balances(), json!({ "lines": debtors }));
        assert_eq!(refused(SET, debtors.clone()), (422, "amount_mismatch".to_owned()));
        let future = books.post(SET, &with(balances(), json!({ "as_of": "2199-01-01" })));
        assert_eq!(format_paths(&future), ["as_of"]);
        assert_eq!(format_paths(&books.post(SET, &json!({}))), ["as_of", "lines"]);
        books.request("POST", &format!("{SET}?dry_run=true")).json(&balances()).send().expect(200);
        let rehearsed = books.request("POST", &format!("{PREVIEW}?dry_run=true")).json(&balances()).send().expect(200);
        assert_eq!(rehearsed["data"]["token"], Value::Null);
        assert_eq!(state(&books), before);
        books.lock("2026-02-28");
        assert_eq!(refused(SET, balances()), (422, "period_locked".to_owned()));
        assert_eq!(refused(PREVIEW, balances()), (422, "period_locked".to_owned()));
        // What is on no document may stay so when that is said.
        let later = with(debtors, json!({ "as_of": "2026-03-01", "allow_unassigned": true, "lock_period": false }));
        let told = books.post(PREVIEW, &later).expect(200)["data"]["warnings"].clone();
        assert_eq!(told, json!(["5.00 of the debtors is on no open document"]));
        let set = books.post(SET, &later).expect(201)["data"].clone();
        assert_eq!(set["lock_date"], "2026-02-28");
    }

    fn voiding_their_journal_makes_room_for_others(database) {
        let books = Books::on(&database);
        let open = with(balances(), json!({ "lock_period": false }));
        let first = books.post(SET, &open).expect(201)["data"]["journal"]["id"].clone();
        books.request("POST", &format!("/journals/{first}/void")).send().expect(200);
        let organisation = books.get("")["data"].clone();
        assert_eq!(organisation["opening_balances_set"], false);
        assert_eq!(books.get("/bank-accounts")["data"][0]["opening_balance"], json!(0.0));
        let difference = with(open.clone(), json!({
            "lines": [{ "account_code": "1200", "debit": 70 }], "balance_to_account_code": "3000"
        }));
        let second = books.post(SET, &difference).expect(201)["data"]["journal"].clone();
        assert_eq!((&second["lines"][1]["account_code"], &second["lines"][1]["credit"]), (&json!("3000"), &json!(70.0)));
        // Replacing them does both in one step, or nothing.
        let wrong = with(open.clone(), json!({ "replace": true, "lines": [{ "account_code": "1200", "debit": 1 }, { "account_code": "3000", "credit": 2 }] }));
        let before = state(&books);
        assert_eq!(reason(&books.post(SET, &wrong)), "unbalanced");
        assert_eq!(state(&books), before);
        let third = books.post(SET, &with(open, json!({ "replace": true }))).expect(201)["data"]["journal"].clone();
        assert_eq!(books.get(&format!("/journals/{}", second["id"]))["data"]["status"], "void");
        assert_eq!(third["total_debit"], json!(5100.5));
        assert_eq!(books.get("/bank-accounts")["data"][0]["opening_balance"], json!(5000.5));
        assert_eq!(books.account("1200")["balance"], json!(5000.5));
    }
}

#[test]
fn a_token_expires_after_thirty_minutes() {
    let books = Books::of(TestServer::start());
    let token = json!({ "token": books.post(PREVIEW, &balances()).expect(200)["data"]["token"] });
    books.server.advance_ms(30 * 60 * 1_000);
    let late = books.post(SET, &token);
    assert_eq!((late.status, reason(&late)), (422, "token_expired".to_owned()));
    assert_eq!(books.server.rows_of("journal"), 0);
    let fresh = json!({ "token": books.post(PREVIEW, &balances()).expect(200)["data"]["token"] });
    books.server.advance_ms(30 * 60 * 1_000 - 1);
    books.post(SET, &fresh).expect(201);
}

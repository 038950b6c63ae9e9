//! Bank accounts and the lines of their statements.

use serde_json::{Value, json};

use super::{Books, format_paths, printed, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

impl Books {
    /// The bank account every organisation starts with.
    #[track_caller]
    fn current(&self) -> Value {
        self.get("/bank-accounts")["data"][0].clone()
    }

    /// Enters a line that must be accepted.
    #[track_caller]
    fn line(&self, bank: &Value, date: &str, amount: &str, description: &str) -> Value {
        let body = json!({ "bank_account_id": bank["id"], "date": date, "amount": amount, "description": description });
        self.post("/bank-transactions", &body).expect(201)["data"].clone()
    }

    fn confirm(&self, line: &Value, body: &Value) -> crate::support::client::Answer {
        self.post(&format!("/bank-transactions/{}/confirm", line["id"]), body)
    }

    #[track_caller]
    fn second_bank(&self) -> Value {
        let body = json!({ "name": "Savings", "type": "savings", "code": "1210" });
        self.post("/bank-accounts", &body).expect(201)["data"].clone()
    }

    /// What every bank account must satisfy when nothing is posted to it beside its lines.
    #[track_caller]
    fn assert_banks_tie(&self) {
        for bank in self.get("/bank-accounts?include_archived=true")["data"].as_array().unwrap() {
            let pence = |field: &str| (bank[field].as_f64().unwrap() * 100.0).round() as i64;
            let ties = pence("ledger_balance") == pence("statement_balance") - pence("unconfirmed_total");
            assert!(ties, "{bank}");
        }
    }
}

on_both_databases! {
    fn a_bank_account_is_made_changed_and_archived(database) {
        let books = Books::on(&database);
        let current = books.current();
        assert_eq!((&current["name"], &current["account_code"], &current["type"]), (&json!("Current account"), &json!("1200"), &json!("current")));
        let savings = books.second_bank();
        let mut fields = vec![
            "id", "name", "type", "account_id", "account_code", "bank_name", "sort_code", "account_number", "iban", "currency",
            "ledger_balance", "statement_balance", "opening_balance", "unconfirmed_count", "unconfirmed_total",
            "last_transaction_date", "last_imported_at", "is_archived", "archived_at", "created_at", "updated_at", "version",
        ];
        fields.sort_unstable();
        assert_eq!(keys(&savings), fields);
        let account = books.account("1210");
        assert_eq!((&account["role"], &account["bank_account_id"]), (&json!("bank"), &savings["id"]));
        let path = format!("/bank-accounts/{}", savings["id"]);
        let patch = json!({ "name": "Rainy day", "sort_code": "123456", "account_number": "12345678" });
        let patched = books.request("PATCH", &path).json(&patch).send().expect(200)["data"].clone();
        assert_eq!((&patched["name"], &patched["sort_code"]), (&json!("Rainy day"), &json!("12-34-56")));
        assert_eq!(books.get(&path)["data"], patched);
        let card = json!({ "name": "Card", "type": "credit_card", "account_id": books.account_id("2400") });
        let card = books.post("/bank-accounts", &card).expect(201)["data"].clone();
        assert_eq!(card["account_code"], "2400");
        for (body, expected) in [
            (json!({ "name": "x", "account_id": books.account_id("2400") }), "invalid_state"),
            (json!({ "name": "x", "account_id": books.account_id("2300") }), "wrong_account_type"),
            (json!({ "name": "x", "account_id": books.account_id("4000") }), "wrong_account_type"),
            (json!({ "name": "x", "account_id": 999_999 }), "unknown_reference"),
            (json!({ "name": "x", "code": "4000" }), "duplicate_code"),
            (json!({ "name": "x", "code": "1299", "currency": "EUR" }), "currency_not_supported"),
        ] {
            assert_eq!(reason(&books.post("/bank-accounts", &body)), expected, "{body}");
        }
        assert_eq!(format_paths(&books.post("/bank-accounts", &json!({ "name": "x" }))), ["account_id"]);
        let bad = json!({ "name": "x", "code": "1", "account_id": 1, "sort_code": "1-2", "account_number": "1", "type": "x" });
        assert_eq!(format_paths(&books.post("/bank-accounts", &bad)), ["account_number", "sort_code", "type", "account_id"]);
        books.request("POST", &format!("{path}/archive")).send().expect(200);
        assert_eq!(books.get("/bank-accounts")["data"].as_array().unwrap().len(), 2);
        let line = json!({ "bank_account_id": savings["id"], "date": "2026-03-01", "amount": 1, "description": "x" });
        assert_eq!(reason(&books.post("/bank-transactions", &line)), "bank_account_archived");
    }

    fn a_coded_line_posts_its_vat_and_is_taken_back(database) {
        let books = Books::on(&database);
        let bank = books.current();
        let line = books.line(&bank, "2026-03-01", "-84.37", "EDF ENERGY");
        assert_eq!((&line["status"], &line["net_amount"], &line["lines"]), (&json!("unconfirmed"), &Value::Null, &json!([])));
        let body = json!({ "account_id": books.account_id("7200"), "vat_code": "ST" });
        assert_eq!(reason(&books.confirm(&line, &body)), "vat_control_required");
        books.vat_control();
        let answer = books.confirm(&line, &body);
        let confirmed = answer.expect(200)["data"].clone();
        assert_eq!((printed(&answer, "net_amount"), printed(&answer, "vat_amount")), ("-70.31".to_owned(), "-14.06".to_owned()));
        assert_eq!((&confirmed["status"], &confirmed["type"], &confirmed["vat_code"]), (&json!("confirmed"), &json!("coded"), &json!("ST")));
        assert_eq!(confirmed["confirmed_by"], json!(books.owner.user_id));
        let journal = books.get(&format!("/journals/{}", confirmed["journal_id"]))["data"].clone();
        assert_eq!((&journal["source_type"], &journal["source_id"]), (&json!("bank_transaction"), &line["id"]));
        assert_eq!(books.account("7200")["balance"], json!(70.31));
        assert_eq!(books.account("2200")["balance"], json!(-14.06));
        assert_eq!(books.account("1200")["balance"], json!(-84.37));
        books.assert_banks_tie();
        let again = books.confirm(&line, &body);
        assert_eq!((again.status, reason(&again)), (409, "invalid_state".to_owned()));
        let void = books.request("POST", &format!("/journals/{}/void", journal["id"])).send();
        assert_eq!((void.status, reason(&void)), (409, "linked_to_document".to_owned()));
        let path = format!("/bank-transactions/{}", line["id"]);
        assert_eq!(reason(&books.request("DELETE", &path).send()), "invalid_state");

        let back = books.request("POST", &format!("{path}/unconfirm")).send().expect(200)["data"].clone();
        assert_eq!((&back["status"], &back["journal_id"]), (&json!("unconfirmed"), &Value::Null));
        assert_eq!(books.get(&format!("/journals/{}", journal["id"]))["data"]["status"], "void");
        for code in ["7200", "2200", "1200"] {
            assert_eq!(books.account(code)["balance"], json!(0.0), "{code}");
        }
        books.assert_banks_tie();
        // How it was coded is its suggestion now, and an empty body confirms that.
        let confirmed = books.request("POST", &format!("{path}/confirm")).send().expect(200)["data"].clone();
        assert_eq!((&confirmed["status"], &confirmed["net_amount"]), (&json!("confirmed"), &json!(-70.31)));
    }

    fn a_split_line_must_add_up(database) {
        let books = Books::on(&database);
        let line = books.line(&books.current(), "2026-03-01", "-250.00", "LOAN INSTALMENT");
        let part = |code: &str, gross: &str| json!({ "account_id": books.account_id(code), "gross_amount": gross, "vat_code": "NV" });
        let short = json!({ "lines": [part("2500", "-200.00"), part("7910", "-40.00")] });
        let details = books.confirm(&line, &short).details(422, "unprocessable_entity");
        assert_eq!(details, json!({ "reason": "amount_mismatch", "expected": -250.0, "actual": -240.0 }));
        let with_fee = json!({ "lines": [part("2500", "-260.00"), part("7910", "-40.00"), part("4900", "50.00")] });
        let confirmed = books.confirm(&line, &with_fee).expect(200)["data"].clone();
        assert_eq!(confirmed["lines"].as_array().unwrap().len(), 3);
        assert_eq!((&confirmed["account_id"], &confirmed["net_amount"]), (&Value::Null, &json!(-250.0)));
        assert_eq!(books.account("2500")["balance"], json!(-260.0));
        let own = books.line(&books.current(), "2026-03-01", "5.00", "x");
        let refused = books.confirm(&own, &json!({ "account_id": books.account_id("1200"), "vat_code": "NV" }));
        assert_eq!(reason(&refused), "wrong_account_type");
        books.lock("2026-03-05");
        let late = books.line(&books.current(), "2026-03-05", "5.00", "imports are not refused");
        let refused = books.confirm(&late, &json!({ "account_id": books.account_id("4900"), "vat_code": "NV" }));
        assert_eq!(reason(&refused), "period_locked");
        let refused = books.request("POST", &format!("/bank-transactions/{}/unconfirm", line["id"])).send();
        assert_eq!(reason(&refused), "period_locked");
        books.assert_banks_tie();
    }

    fn a_transfer_is_one_journal_for_two_lines(database) {
        let books = Books::on(&database);
        let (current, savings) = (books.current(), books.second_bank());
        let out = books.line(&current, "2026-03-02", "-1500.00", "TO SAVINGS");
        let into = books.line(&savings, "2026-03-01", "1500.00", "FROM CURRENT");
        let candidates = books.get(&format!("/bank-transactions/{}/candidates", out["id"]))["data"].clone();
        assert_eq!((&candidates[0]["kind"], &candidates[0]["id"]), (&json!("bank_transaction"), &into["id"]));
        assert_eq!(candidates[0]["amount"], into["amount"], "a line has its own amount");
        let wrong = books.line(&savings, "2026-03-01", "1499.00", "x");
        let refused = books.confirm(&out, &json!({ "type": "transfer", "bank_transaction_id": wrong["id"] }));
        assert_eq!(reason(&refused), "amount_mismatch");
        let confirmed = books.confirm(&out, &json!({ "type": "transfer", "bank_transaction_id": into["id"] })).expect(200)["data"].clone();
        let other = books.get(&format!("/bank-transactions/{}", into["id"]))["data"].clone();
        assert_eq!((&confirmed["journal_id"], &confirmed["vat_code"]), (&other["journal_id"], &json!("NV")));
        assert_eq!((&other["status"], &other["transfer_bank_transaction_id"]), (&json!("confirmed"), &out["id"]));
        let journal = books.get(&format!("/journals/{}", other["journal_id"]))["data"].clone();
        assert_eq!((&journal["entry_date"], &journal["source_type"]), (&json!("2026-03-01"), &json!("bank_transfer")));
        assert_eq!(books.account("1210")["balance"], json!(1500.0));
        books.assert_banks_tie();
        books.request("POST", &format!("/bank-transactions/{}/unconfirm", into["id"])).send().expect(200);
        assert_eq!(books.get(&format!("/bank-transactions/{}", out["id"]))["data"]["status"], "unconfirmed");
        assert_eq!(books.account("1210")["balance"], json!(0.0));
        books.assert_banks_tie();

        // The second line is still to come: it links itself and posts nothing.
        books.request("POST", &format!("/bank-transactions/{}/exclude", into["id"])).send().expect(200);
        books.confirm(&out, &json!({ "type": "transfer", "bank_account_id": savings["id"] })).expect(200);
        let journals = books.server.rows_of("journal");
        let late = json!({ "bank_account_id": savings["id"], "rows": [{ "date": "2026-03-04", "amount": 1500, "description": "late" }] });
        let imported = books.post("/bank-transactions/import", &late).expect(201)["data"].clone();
        let late = books.get(&format!("/bank-transactions/{}", imported["transactions"][0]["id"]))["data"].clone();
        assert_eq!((&late["status"], &late["transfer_bank_transaction_id"]), (&json!("confirmed"), &out["id"]));
        let out = books.get(&format!("/bank-transactions/{}", out["id"]))["data"].clone();
        assert_eq!(out["transfer_bank_transaction_id"], late["id"]);
        assert_eq!(books.server.rows_of("journal"), journals);
    }

    fn a_transfer_is_posted_once_whichever_side_is_confirmed_and_however(database) {
        let books = Books::on(&database);
        let (current, savings) = (books.current(), books.second_bank());
        let to = |bank: &Value| json!({ "type": "transfer", "bank_account_id": bank["id"] });
        let shown = |line: &Value| books.get(&format!("/bank-transactions/{}", line["id"]))["data"].clone();

        // The other line is there already, though the caller names its account only: the nearest of them.
        let far = books.line(&savings, "2026-03-01", "70.00", "another");
        let out = books.line(&current, "2026-03-05", "-70.00", "TO SAVINGS");
        let into = books.line(&savings, "2026-03-06", "70.00", "FROM CURRENT");
        let confirmed = books.confirm(&out, &to(&savings)).expect(200)["data"].clone();
        assert_eq!(confirmed["transfer_bank_transaction_id"], into["id"]);
        assert_eq!(reason(&books.confirm(&into, &to(&current))), "invalid_state");
        assert_eq!(books.account("1210")["balance"], json!(70.0));
        assert_eq!(shown(&far)["status"], "unconfirmed");

        // The other line comes too late to link itself: three ways to say what it is, none of which posts again.
        for way in 0..3 {
            let out = books.line(&current, "2026-03-10", "-12.50", "TO SAVINGS");
            let first = books.confirm(&out, &to(&savings)).expect(200)["data"].clone();
            let late = books.line(&savings, "2026-04-20", "12.50", "FROM CURRENT");
            assert_eq!(late["status"], "unconfirmed");
            let candidates = books.get(&format!("/bank-transactions/{}/candidates", late["id"]))["data"].clone();
            assert_eq!((&candidates[0]["kind"], &candidates[0]["id"]), (&json!("bank_transaction"), &out["id"]));
            let journals = books.server.rows_of("journal");
            // What is linked is posted: a lock is no obstacle.
            let said = [
                to(&current),
                json!({ "type": "transfer", "bank_transaction_id": out["id"] }),
                json!({ "type": "match", "journal_id": first["journal_id"] }),
            ];
            let linked = books.confirm(&late, &said[way]).expect(200)["data"].clone();
            assert_eq!((&linked["type"], &linked["journal_id"]), (&json!("transfer"), &first["journal_id"]));
            assert_eq!(shown(&out)["transfer_bank_transaction_id"], late["id"]);
            assert_eq!(books.server.rows_of("journal"), journals);
            books.assert_banks_tie();
            books.request("POST", &format!("/bank-transactions/{}/unconfirm", late["id"])).send().expect(200);
            assert_eq!(shown(&out)["status"], "unconfirmed");
            for line in [&out, &late] {
                books.request("POST", &format!("/bank-transactions/{}/exclude", line["id"])).send().expect(200);
            }
        }
        assert_eq!(books.account("1210")["balance"], json!(70.0));
        books.assert_banks_tie();
    }

    fn a_contact_of_a_line_cannot_be_deleted(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let line = books.line(&books.current(), "2026-03-01", "5.00", "x");
        let path = format!("/bank-transactions/{}", line["id"]);
        books.request("PATCH", &path).json(&json!({ "contact_id": customer })).send().expect(200);
        let refused = books.request("DELETE", &format!("/customers/{customer}")).send();
        assert_eq!((refused.status, reason(&refused)), (409, "invalid_state".to_owned()));
    }

    fn a_line_with_the_banks_id_is_no_other_line_of_the_file(database) {
        let books = Books::on(&database);
        let row = |external: Option<&str>| json!({
            "date": "2026-03-01", "amount": "-2.50", "description": "PARKING", "external_id": external
        });
        let import = |rows: Value| {
            let body = json!({ "bank_account_id": books.current()["id"], "rows": rows });
            books.post("/bank-transactions/import", &body).expect(201)["data"].clone()
        };
        assert_eq!(import(json!([row(Some("b10"))]))["created"], 1);
        let overlapping = import(json!([row(None), row(Some("b10"))]));
        assert_eq!((&overlapping["created"], &overlapping["skipped"]), (&json!(1), &json!(1)));
        let again = import(json!([row(None), row(Some("b10"))]));
        assert_eq!((&again["created"], &again["skipped"]), (&json!(0), &json!(2)));
        assert_eq!(books.current()["statement_balance"], json!(-5.0));
    }

    fn a_loan_of_the_chart_may_be_a_bank_account(database) {
        let books = Books::on(&database);
        let loan = books.account("2500");
        let body = json!({ "name": "Loan", "type": "loan", "account_id": loan["id"] });
        let made = books.post("/bank-accounts", &body).expect(201)["data"].clone();
        let account = books.account("2500");
        assert_eq!((&account["bank_account_id"], &account["role"]), (&made["id"], &json!("long_term_liability")));
        let line = books.line(&made, "2026-03-01", "-100.00", "instalment");
        let interest = books.account_id("7910");
        books.confirm(&line, &json!({ "account_id": interest, "vat_code": "EX" })).expect(200);
        assert_eq!(books.account("2500")["balance"], json!(100.0));
        let twice = books.post("/bank-accounts", &body);
        assert_eq!((twice.status, reason(&twice)), (409, "invalid_state".to_owned()));
        let archive = books.request("POST", &format!("/accounts/{}/archive", loan["id"])).send();
        assert_eq!((archive.status, reason(&archive)), (409, "invalid_state".to_owned()));
    }

    fn a_match_posts_nothing_twice(database) {
        let books = Books::on(&database);
        let journal = books.posted("2026-03-01", "1200", "4900", json!("12.00"));
        let line = books.line(&books.current(), "2026-03-03", "12.00", "INTEREST");
        let other = books.line(&books.current(), "2026-03-03", "13.00", "x");
        let to = |journal: &Value| json!({ "type": "match", "journal_id": journal["id"] });
        assert_eq!(reason(&books.confirm(&other, &to(&journal))), "amount_mismatch");
        let elsewhere = books.posted("2026-03-01", "7100", "2400", json!(12));
        assert_eq!(reason(&books.confirm(&line, &to(&elsewhere))), "bank_account_mismatch");
        let journals = books.server.rows_of("journal");
        let matched = books.confirm(&line, &to(&journal)).expect(200)["data"].clone();
        assert_eq!((&matched["type"], &matched["journal_id"]), (&json!("match"), &journal["id"]));
        assert_eq!(books.server.rows_of("journal"), journals);
        let twin = books.line(&books.current(), "2026-03-04", "12.00", "twin");
        assert_eq!(reason(&books.confirm(&twin, &to(&journal))), "invalid_state");
        let void = books.request("POST", &format!("/journals/{}/void", journal["id"])).send();
        assert_eq!(reason(&void), "linked_to_document");
        books.request("POST", &format!("/bank-transactions/{}/unconfirm", line["id"])).send().expect(200);
        assert_eq!(books.server.rows_of("journal"), journals, "only unlinked");
        books.confirm(&twin, &to(&journal)).expect(200);
    }

    fn imports_are_multisets(database) {
        let books = Books::on(&database);
        let bank = books.current();
        let row = |date: &str, amount: &str, text: &str| json!({ "date": date, "amount": amount, "description": text });
        let mut told = row("2026-03-03", "-9.99", "card");
        told["external_id"] = json!("b1");
        let file = json!({
            "bank_account_id": bank["id"],
            "rows": [row("2026-03-01", "-2.50", "PARKING"), row("2026-03-01", "-2.50", "PARKING"), told, told]
        });
        let import = |body: &Value| books.post("/bank-transactions/import", body);
        let first = import(&file).expect(201)["data"].clone();
        assert_eq!((&first["created"], &first["skipped"]), (&json!(3), &json!(1)));
        assert_eq!(first["transactions"][3]["status"], "duplicate");
        assert_eq!(first["transactions"][3]["id"], first["transactions"][2]["id"]);
        let second = import(&file).expect(201)["data"].clone();
        assert_eq!((&second["created"], &second["skipped"]), (&json!(0), &json!(4)));
        let mut more = file.clone();
        more["rows"].as_array_mut().unwrap().push(row("2026-03-01", "-2.50", "PARKING"));
        assert_eq!(import(&more).expect(201)["data"]["created"], 1);
        let mut strict = file.clone();
        strict["on_duplicate"] = json!("reject");
        let details = import(&strict).details(409, "conflict");
        assert_eq!((&details["reason"], &details["field"]), (&json!("duplicate_external_id"), &json!("rows[0]")));
        let bad = json!({ "bank_account_id": bank["id"], "rows": [row("2026-02-30", "0", ""), row("2026-03-01", "1", "fine")] });
        assert_eq!(format_paths(&import(&bad)), ["rows[0].amount", "rows[0].date", "rows[0].description"]);
        let single = json!({ "bank_account_id": bank["id"], "date": "2026-03-09", "amount": 1, "description": "x", "external_id": "b1" });
        assert_eq!(reason(&books.post("/bank-transactions", &single)), "duplicate_external_id");
        let current = books.current();
        assert_eq!((&current["unconfirmed_count"], &current["unconfirmed_total"]), (&json!(4), &json!(-17.49)));
        assert_eq!(current["last_transaction_date"], "2026-03-03");
        assert_ne!(current["last_imported_at"], Value::Null);
        books.assert_banks_tie();
    }

    fn lines_are_suggested_excluded_listed_and_deleted(database) {
        let books = Books::on(&database);
        let bank = books.current();
        let lines: Vec<Value> = [("2026-03-01", "-1.00", "one"), ("2026-03-02", "2.00", "two"), ("2026-03-02", "-3.00", "three")]
            .iter()
            .map(|(date, amount, text)| books.line(&bank, date, amount, text))
            .collect();
        let path = |at: usize| format!("/bank-transactions/{}", lines[at]["id"]);
        let suggestion = json!({ "account_id": books.account_id("7100"), "vat_code": "NV", "memo": "rent?" });
        let saved = books.request("PATCH", &path(0)).json(&suggestion).send().expect(200)["data"].clone();
        assert_eq!((&saved["account_id"], &saved["memo"], &saved["status"]), (&suggestion["account_id"], &json!("rent?"), &json!("unconfirmed")));
        assert_eq!(books.server.rows_of("journal"), 0);
        books.request("POST", &format!("{}/exclude", path(1))).send().expect(200);
        assert_eq!(reason(&books.confirm(&lines[1], &suggestion_of(&suggestion))), "invalid_state");
        let texts = |query: &str| {
            let page = books.get(&format!("/bank-transactions{query}"));
            let texts = page["data"].as_array().unwrap().iter().map(|line| line["description"].as_str().unwrap().to_owned());
            (texts.collect::<Vec<_>>(), page["pagination"]["total"].as_i64())
        };
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(""), (list(&["three", "two", "one"]), Some(3)));
        assert_eq!(texts("?status=excluded"), (list(&["two"]), Some(1)));
        assert_eq!(texts("?status=unconfirmed&min_amount=-2"), (list(&["one"]), Some(1)));
        assert_eq!(texts("?search=THREE&date_from=2026-03-02"), (list(&["three"]), Some(1)));
        assert_eq!(texts("?type=coded"), (list(&[]), Some(0)));
        books.request("GET", "/bank-transactions?status=x&min_amount=1.234").send().refused(422, "invalid_request_format");
        assert_eq!(books.current()["statement_balance"], json!(-4.0));
        books.request("POST", &format!("{}/restore", path(1))).send().expect(200);
        books.request("DELETE", &path(1)).send().expect(200);
        books.request("GET", &path(1)).send().refused(404, "not_found");
        assert_eq!(texts("").1, Some(2));
        books.request("POST", &format!("{}/confirm", path(0))).send().expect(200);
        let nothing = books.request("POST", &format!("{}/confirm", path(2))).send();
        assert_eq!(format_paths(&nothing), ["account_id"]);
        books.assert_banks_tie();
    }

    fn a_batch_is_all_or_nothing(database) {
        let books = Books::on(&database);
        let bank = books.current();
        let lines: Vec<Value> = (1..=3).map(|amount| books.line(&bank, "2026-03-01", &format!("{amount}.00"), "x")).collect();
        let sales = books.account_id("4900");
        let item = |line: &Value, account: i64| json!({ "id": line["id"], "account_id": account, "vat_code": "NV" });
        let batch = |items: Vec<Value>| books.post("/bank-transactions/confirm-batch", &json!({ "items": items }));
        let refused = batch(vec![item(&lines[0], sales), item(&lines[1], 999_999), item(&lines[2], sales)]);
        let details = refused.details(422, "unprocessable_entity");
        assert_eq!(details, json!({ "reason": "unknown_reference", "field": "account_id", "id": 999_999, "row": 1 }));
        for (table, rows) in [("journal", 0), ("account_day", 0)] {
            assert_eq!(books.server.rows_of(table), rows, "{table}");
        }
        assert_eq!(books.current()["unconfirmed_count"], 3);
        let twice = batch(vec![item(&lines[0], sales), item(&lines[0], sales)]);
        assert_eq!(twice.details(409, "conflict")["row"], 1);
        // What is wrong with an item is named with its index, however deep it stands.
        let mut odd = item(&lines[1], sales);
        odd["type"] = json!("transfer");
        let part = json!({ "account_id": 0, "gross_amount": "0.00", "vat_code": "NV" });
        let deep = json!({ "id": lines[2]["id"], "lines": [{ "account_id": sales, "gross_amount": 3, "vat_code": "NV" }, part] });
        let wrong = batch(vec![item(&lines[0], sales), odd, deep]);
        assert_eq!(format_paths(&wrong), ["items[1].type", "items[2].lines[1].account_id", "items[2].lines[1].gross_amount"]);
        let nothing = batch(vec![item(&lines[0], sales), json!({ "id": lines[1]["id"] })]);
        assert_eq!(format_paths(&nothing), ["items[1].account_id"], "no suggestion was saved");
        let done = batch(lines.iter().map(|line| item(line, sales)).collect()).expect(200)["data"].clone();
        assert_eq!(done.as_array().unwrap().len(), 3);
        assert_eq!(books.account("4900")["balance"], json!(6.0));
        assert_eq!(books.posted("2026-03-01", "7100", "1200", json!(1))["journal_number"], 4, "no number was lost");
    }

    fn each_way_to_confirm_takes_its_own_keys_only(database) {
        let books = Books::on(&database);
        let line = books.line(&books.current(), "2026-03-01", "5.00", "x");
        let part = json!({ "account_id": 1, "gross_amount": 5, "vat_code": "NV" });
        for (body, path) in [
            (json!({ "vat_amount": 1 }), "type"),
            (json!({ "vat_code": "ST" }), "type"),
            (json!({ "type": "coded", "vat_amount": 1 }), "lines"),
            (json!({ "lines": [part], "vat_amount": 1 }), "lines"),
            (json!({ "lines": [part], "account_id": 1, "vat_code": "NV" }), "lines"),
            (json!({ "type": "transfer", "bank_account_id": 1, "account_id": 1 }), "type"),
            (json!({ "type": "transfer", "bank_account_id": 1, "journal_id": 1 }), "type"),
            (json!({ "type": "match", "journal_id": 1, "bank_account_id": 1 }), "type"),
            (json!({ "type": "match", "journal_id": 1, "vat_code": "NV" }), "type"),
        ] {
            assert_eq!(format_paths(&books.confirm(&line, &body)), [path], "{body}");
        }
        // null is the same as leaving a key out.
        let new = json!({ "name": "Savings", "account_id": null, "code": "1290" });
        books.post("/bank-accounts", &new).expect(201);
    }

    fn one_of_many_confirms_wins(database) {
        let books = Books::on(&database);
        let line = books.line(&books.current(), "2026-03-01", "5.00", "x");
        let body = json!({ "account_id": books.account_id("4900"), "vat_code": "NV" });
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| books.confirm(&line, &body).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
        assert_eq!(books.server.rows_of("journal"), 1);
    }
}

fn suggestion_of(body: &Value) -> Value {
    json!({ "account_id": body["account_id"], "vat_code": body["vat_code"] })
}

#[test]
fn confirmations_are_strict() {
    let books = Books::of(TestServer::start());
    let line = books.line(&books.current(), "2026-03-01", "5.00", "x");
    let account = books.account_id("4900");
    for (body, field) in [
        (json!({ "type": "gift" }), "type"),
        (json!({ "account_id": account }), "vat_code"),
        (json!({ "vat_code": "ST" }), "type"),
        (json!({ "type": "transfer" }), "bank_transaction_id"),
        (json!({ "type": "transfer", "bank_transaction_id": 1, "bank_account_id": 1 }), "bank_transaction_id"),
        (json!({ "type": "match" }), "journal_id"),
        (json!({ "account_id": account, "vat_code": "ST", "lines": [] }), "lines"),
        (json!({ "lines": [{ "account_id": account, "gross_amount": 0, "vat_code": "ST" }] }), "lines[0].gross_amount"),
    ] {
        let refused = books.confirm(&line, &body);
        assert_eq!(format_paths(&refused), [field], "{body}");
    }
    assert_eq!(books.server.rows_of("journal"), 0);
}

//! `account_code` in the place of `account_id`: the same answers, looked up when the command is decided.

use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;

const BOTH_OR_NEITHER: &str = "exactly one of account_id and account_code is required";
const BOTH: &str = "only one of account_id and account_code may be given";

/// A body, and the place of the object in it that names an account.
struct Sent {
    method: &'static str,
    path: String,
    body: Value,
    at: &'static str,
}

impl Sent {
    fn new(method: &'static str, path: impl Into<String>, body: Value, at: &'static str) -> Self {
        Self { method, path: path.into(), body, at }
    }

    /// The answer to the body with these keys in the place of `account_id`.
    #[track_caller]
    fn with(&self, books: &Books, keys: &Value) -> Answer {
        let mut body = self.body.clone();
        let object = body.pointer_mut(self.at).and_then(Value::as_object_mut).unwrap();
        object.remove("account_id").unwrap_or_else(|| panic!("{}: no account_id at {}", self.body, self.at));
        object.extend(keys.as_object().unwrap().clone());
        books.request(self.method, &format!("{}?dry_run=true", self.path)).json(&body).send()
    }

    /// A key of the object as errors name it: `lines[0].account_id`.
    fn field(&self, key: &str) -> String {
        let mut field = String::new();
        for step in self.at.split('/').skip(1).filter(|step| !step.is_empty()) {
            match step.parse::<usize>() {
                Ok(row) => field.push_str(&format!("[{row}]")),
                Err(_) if field.is_empty() => field.push_str(step),
                Err(_) => field.push_str(&format!(".{step}")),
            }
        }
        if field.is_empty() { key.to_owned() } else { format!("{field}.{key}") }
    }
}

/// An unconfirmed line of the bank account.
#[track_caller]
fn bank_line(books: &Books, amount: &str) -> Value {
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let body = json!({ "bank_account_id": bank, "date": "2026-03-10", "amount": amount, "description": "EDF ENERGY" });
    books.post("/bank-transactions", &body).expect(201)["data"]["id"].clone()
}

/// Every body of the books that names an account by either key; whether it has to. Receipts and payments, which may name a
/// bank account instead, are in `cases::set_off`.
#[track_caller]
fn every_body(books: &Books) -> Vec<(Sent, bool)> {
    let customer = books.post("/customers", &json!({ "name": "Ann" })).expect(201)["data"]["id"].clone();
    let supplier = books.post("/suppliers", &json!({ "name": "Bob" })).expect(201)["data"]["id"].clone();
    let rent = books.account_id("7100");
    let line = bank_line(books, "-84.00");
    let document = |contact: &str, id: &Value, date: &str| {
        json!({ contact: id, date: "2026-03-10", "issue": false,
            "lines": [{ "description": "Rent", "account_id": rent, "unit_price": 10, "vat_code": "NV" }] })
    };
    let mut all = Vec::new();
    for (list, contact, id, date) in [
        ("/sales-invoices", "customer_id", &customer, "invoice_date"),
        ("/purchase-invoices", "supplier_id", &supplier, "invoice_date"),
        ("/sales-credit-notes", "customer_id", &customer, "credit_note_date"),
        ("/purchase-credit-notes", "supplier_id", &supplier, "credit_note_date"),
    ] {
        let body = document(contact, id, date);
        let draft = books.post(list, &body).expect(201)["data"]["id"].clone();
        all.push((Sent::new("POST", list, body.clone(), "/lines/0"), false));
        let change = json!({ "lines": body["lines"] });
        all.push((Sent::new("PATCH", format!("{list}/{draft}"), change, "/lines/0"), false));
    }
    let journal = json!({ "entry_date": "2026-03-10", "description": "Rent",
        "lines": [{ "account_code": "1200", "credit": 5 }, { "account_id": rent, "debit": 5 }] });
    all.push((Sent::new("POST", "/journals", journal, "/lines/1"), true));
    let of_line = format!("/bank-transactions/{line}");
    let short = json!({ "account_id": rent, "vat_code": "NV" });
    let long = json!({ "lines": [{ "account_id": rent, "gross_amount": "-84.00", "vat_code": "NV" }] });
    all.push((Sent::new("PATCH", &of_line, short.clone(), ""), false));
    all.push((Sent::new("PATCH", &of_line, long.clone(), "/lines/0"), true));
    all.push((Sent::new("POST", format!("{of_line}/confirm"), short.clone(), ""), false));
    all.push((Sent::new("POST", format!("{of_line}/confirm"), long.clone(), "/lines/0"), true));
    for (mut item, at, must) in [(short, "/items/0", false), (long, "/items/0/lines/0", true)] {
        item["id"] = line.clone();
        all.push((Sent::new("POST", "/bank-transactions/confirm-batch", json!({ "items": [item] }), at), must));
    }
    let opening = json!({ "as_of": "2026-02-28",
        "lines": [{ "account_code": "1200", "debit": 70 }, { "account_id": rent, "credit": 70 }] });
    all.push((Sent::new("POST", "/opening-balances", opening.clone(), "/lines/1"), true));
    all.push((Sent::new("POST", "/opening-balances/preview", opening, "/lines/1"), true));
    all
}

/// What a dry run answers, without the moments, which differ from one answer to the next.
#[track_caller]
fn answered(answer: &Answer) -> Value {
    without_moments(answer.expect(200)["data"].clone())
}

fn without_moments(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(key, _)| !key.ends_with("_at"));
            Value::Object(fields.map(|(key, value)| (key, without_moments(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_moments).collect(),
        other => other,
    }
}

/// Without the `items[0].` of a batch, whose refusals name the row beside.
fn in_item(field: &str) -> &str {
    field.strip_prefix("items[0].").unwrap_or(field)
}

on_both_databases! {
    fn a_code_is_as_good_as_the_id(database) {
        let books = Books::on(&database);
        let rent = books.account_id("7100");
        for (sent, _) in every_body(&books) {
            let by_id = answered(&sent.with(&books, &json!({ "account_id": rent })));
            for keys in [json!({ "account_code": "7100" }), json!({ "account_id": null, "account_code": "7100" })] {
                assert_eq!(answered(&sent.with(&books, &keys)), by_id, "{} {} {keys}", sent.method, sent.path);
            }
            let keys = json!({ "account_id": rent, "account_code": null });
            assert_eq!(answered(&sent.with(&books, &keys)), by_id, "{} {} {keys}", sent.method, sent.path);
        }
    }

    fn one_of_the_two_keys_is_given(database) {
        let books = Books::on(&database);
        let rent = books.account_id("7100");
        for (sent, must) in every_body(&books) {
            let name = format!("{} {}", sent.method, sent.path);
            let both = sent.with(&books, &json!({ "account_id": rent, "account_code": "7100" }));
            assert_eq!(format_paths(&both), [sent.field("account_id")], "{name}");
            let rule = if must { BOTH_OR_NEITHER } else { BOTH };
            assert_eq!(both.details(422, "invalid_request_format")["issues"][0]["message"], rule, "{name}");
            if must {
                for neither in [json!({}), json!({ "account_id": null, "account_code": null })] {
                    let neither = sent.with(&books, &neither);
                    assert_eq!(format_paths(&neither), [sent.field("account_id")], "{name}");
                    let told = &neither.details(422, "invalid_request_format")["issues"][0]["message"];
                    assert_eq!(told, BOTH_OR_NEITHER, "{name}");
                }
            }
            for wrong in [json!("x".repeat(21)), json!(""), json!(7100), json!("a\u{0}")] {
                let refused = sent.with(&books, &json!({ "account_code": wrong }));
                assert_eq!(format_paths(&refused), [sent.field("account_code")], "{name} {wrong}");
            }
        }
    }

    fn codes_are_of_open_accounts_of_the_organisation(database) {
        let books = Books::on(&database);
        let rent = books.account("7100");
        let all = every_body(&books);
        for (sent, _) in &all {
            let refused = sent.with(&books, &json!({ "account_code": "7199" }));
            let details = refused.details(422, "unprocessable_entity");
            let field = sent.field("account_code");
            let expected = json!(["unknown_reference", in_item(&field), "7199", null]);
            assert_eq!(json!([details["reason"], details["field"], details["code"], details["id"]]), expected, "{refused}");
        }
        books.post(&format!("/accounts/{}/archive", rent["id"]), &json!({})).expect(200);
        for (sent, _) in &all {
            // A draft may name an archived account; it is not issued with it.
            let is_document = sent.path.starts_with("/sales-") || sent.path.starts_with("/purchase-");
            let mut issued = Sent::new(sent.method, sent.path.clone(), sent.body.clone(), sent.at);
            if is_document {
                if sent.method == "PATCH" {
                    continue;
                }
                issued.body["issue"] = json!(true);
            }
            for (key, value) in [("account_code", json!("7100")), ("account_id", rent["id"].clone())] {
                let refused = issued.with(&books, &json!({ key: value }));
                let details = refused.details(422, "unprocessable_entity");
                let field = sent.field(key);
                let expected = json!(["account_archived", in_item(&field), rent["id"]]);
                assert_eq!(json!([details["reason"], details["field"], details["id"]]), expected, "{refused}");
            }
        }
    }

    fn other_refusals_name_the_key_too(database) {
        let books = Books::on(&database);
        let customer = books.post("/customers", &json!({ "name": "Ann" })).expect(201)["data"]["id"].clone();
        let line = bank_line(&books, "-84.00");
        let invoice = json!({ "customer_id": customer, "invoice_date": "2026-03-10",
            "lines": [{ "description": "x", "account_code": "1200", "unit_price": 1, "vat_code": "NV" }] });
        let journal = json!({ "entry_date": "2026-03-10", "description": "x",
            "lines": [{ "account_code": "3000", "debit": 5, "vat_code": "ST" }, { "account_code": "7100", "credit": 5 }] });
        let confirm = format!("/bank-transactions/{line}/confirm");
        for (path, body, field) in [
            ("/sales-invoices", invoice, "lines[0].account_code"),
            ("/journals", journal, "lines[0].account_code"),
            (confirm.as_str(), json!({ "account_code": "1200", "vat_code": "NV" }), "account_code"),
            (confirm.as_str(), json!({ "account_code": "3000", "vat_code": "ST" }), "account_code"),
        ] {
            let refused = books.post(path, &body);
            let details = refused.details(422, "unprocessable_entity");
            assert_eq!((&details["reason"], &details["field"]), (&json!("wrong_account_type"), &json!(field)), "{refused}");
        }
        let alone = books.post(&confirm, &json!({ "account_code": "7100" }));
        assert_eq!(format_paths(&alone), ["vat_code"]);
    }

    fn a_suggestion_by_code_is_saved_and_cleared(database) {
        let books = Books::on(&database);
        let path = format!("/bank-transactions/{}", bank_line(&books, "-84.00"));
        let patched = |body: Value| books.request("PATCH", &path).json(&body).send();
        let saved = patched(json!({ "account_code": "7100", "vat_code": "NV" })).expect(200)["data"].clone();
        assert_eq!(saved["account_id"], books.account_id("7100"));
        let moved = patched(json!({ "account_code": "7300" })).expect(200)["data"].clone();
        assert_eq!((&moved["account_id"], &moved["vat_code"]), (&json!(books.account_id("7300")), &json!("NV")));
        let half = patched(json!({ "account_code": null }));
        assert_eq!(format_paths(&half), ["vat_code"]);
        let cleared = patched(json!({ "account_code": null, "vat_code": null })).expect(200)["data"].clone();
        assert_eq!((&cleared["account_id"], &cleared["lines"]), (&Value::Null, &json!([])));
    }

    fn rows_of_imports_and_opening_balances_take_codes(database) {
        let books = Books::on(&database);
        let row = |code: &str| json!({ "entry_date": "2026-03-10", "description": "x",
            "lines": [{ "account_code": code, "debit": 5 }, { "account_code": "1200", "credit": 5 }] });
        let mut both = row("7100");
        both["lines"][0]["account_id"] = json!(books.account_id("7100"));
        let import = books.post("/imports", &json!({ "kind": "journals", "rows": [row("7100"), row("7199"), both] }));
        let import = import.expect(201)["data"].clone();
        assert_eq!((&import["rows_valid"], &import["effects"]["journals"]), (&json!(1), &json!(1)));
        let told: Vec<_> = import["issues"].as_array().unwrap().iter().map(|issue| json!([issue["path"], issue["message"]])).collect();
        assert_eq!(told, [
            json!(["rows[1].lines[0].account_code", "lines[0].account_code: there is no account with the code 7199 in this organisation"]),
            json!(["rows[2].lines[0].account_id", BOTH_OR_NEITHER]),
        ]);
        // What the code stands for is looked up when the import is carried out.
        let rent = books.account_id("7100");
        books.request("PATCH", &format!("/accounts/{rent}")).json(&json!({ "code": "7101" })).send().expect(200);
        books.post("/accounts", &json!({ "code": "7100", "name": "Other", "account_type": "EXPENSE" })).expect(201);
        let confirmed = json!({ "token": import["token"], "skip_invalid": true });
        books.post(&format!("/imports/{}/confirm", import["id"]), &confirmed).expect(200);
        assert_eq!((&books.account("7100")["balance"], &books.account("7101")["balance"]), (&json!(5.0), &json!(0.0)));

        let open = json!({ "as_of": "2026-02-28", "lines": [{ "account_code": "1200", "debit": 70 }] });
        let mut unknown = open.clone();
        unknown["balance_to_account_code"] = json!("7199");
        let refused = books.post("/opening-balances/preview", &unknown);
        let details = refused.details(422, "unprocessable_entity");
        let expected = json!(["unknown_reference", "balance_to_account_code", "7199"]);
        assert_eq!(json!([details["reason"], details["field"], details["code"]]), expected);
        let archived = books.account_id("7300");
        books.post(&format!("/accounts/{archived}/archive"), &json!({})).expect(200);
        unknown["balance_to_account_code"] = json!("7300");
        let refused = books.post("/opening-balances/preview", &unknown);
        let details = refused.details(422, "unprocessable_entity");
        let expected = json!(["account_archived", "balance_to_account_code", archived]);
        assert_eq!(json!([details["reason"], details["field"], details["id"]]), expected);
    }

    fn codes_are_those_of_ones_own_books(database) {
        let books = Books::on(&database);
        books.post("/accounts", &json!({ "code": "7777", "name": "Ours", "account_type": "EXPENSE" })).expect(201);
        let other = books.server.client.post(ORGANISATIONS).key(&books.key).json(&json!({ "name": "Other Ltd" }));
        let other = other.send().expect(201)["data"]["id"].clone();
        let journal = json!({ "entry_date": "2026-03-10", "description": "x",
            "lines": [{ "account_code": "7777", "debit": 5 }, { "account_code": "1200", "credit": 5 }] });
        books.post("/journals", &journal).expect(201);
        let path = format!("{}/{other}/journals", ORGANISATIONS);
        let refused = books.server.client.post(&path).key(&books.key).json(&journal).send();
        assert_eq!(reason(&refused), "unknown_reference");
    }
}

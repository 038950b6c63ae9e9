//! `list_operations`, `plan_bookkeeping`, `commit_plan`: what is previewed is what is carried out, all of it, once.

use std::sync::Barrier;

use serde_json::{Value, json};

use super::schema::problems_of_params;
use super::{call, failure, given, setting};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, TestServer};

/// Who commit one plan at the same moment; `PLAN_CALLERS` makes them more.
const CALLERS: usize = 200;

/// The token and preview of a plan.
fn planned(books: &Books, operations: &Value) -> (String, Value) {
    let plan = given(&books.server, &books.key, "plan_bookkeeping", &json!({ "operations": operations }));
    (plan["plan_token"].as_str().expect("a token").to_owned(), plan)
}

fn committed(books: &Books, token: &str) -> Value {
    given(&books.server, &books.key, "commit_plan", &json!({ "plan_token": token }))
}

/// What a plan is told that is not made.
fn not_planned(books: &Books, operations: &Value) -> String {
    failure(&books.server, &books.key, "plan_bookkeeping", &json!({ "operations": operations }))
}

fn not_committed(books: &Books, token: &str) -> String {
    failure(&books.server, &books.key, "commit_plan", &json!({ "plan_token": token }))
}

/// How many records a list has.
fn count(books: &Books, list: &str) -> usize {
    books.get(&format!("{list}?limit=200"))["data"].as_array().unwrap().len()
}

fn invoice(customer: &Value, price: f64) -> Value {
    json!({ "op": "sales_invoice.create", "ref": "invoice", "params": {
        "customer_id": customer, "invoice_date": "2026-03-10", "due_date": "2026-04-09", "issue": false,
        "lines": [{ "account_code": "4000", "description": "Shelves", "unit_price": price, "vat_code": "ST" }] } })
}

/// A customer, their invoice, issued and paid in part, and the half of it credited: each by what the operations before make.
fn chain() -> Value {
    json!([
        { "op": "customer.create", "ref": "buyer", "params": { "name": "Brightwell School" } },
        { "op": "bank_account.create", "ref": "bank", "params": { "name": "Current account", "type": "current", "code": "1205" } },
        invoice(&json!({ "$from": "buyer" }), 100.0),
        { "op": "sales_invoice.issue", "params": { "id": { "$from": "invoice" } } },
        { "op": "customer_receipt.create", "ref": "receipt", "params": {
            "customer_id": { "$from": "buyer" }, "date": "2026-03-11", "amount": 60.0, "bank_account_id": { "$from": "bank" },
            "allocations": [{ "invoice_id": { "$from": "invoice" }, "amount": 60.0 }] } },
        { "op": "journal.create", "ref": "accrual", "params": { "entry_date": "2026-03-31", "description": "Accrual", "lines": [
            { "account_code": "7500", "debit": 10.0 }, { "account_code": "2400", "credit": 10.0 }] } },
        { "op": "journal.void", "params": { "id": { "$from": "accrual" } } },
    ])
}

/// Every table's rows over REST that a plan may touch.
fn everything(books: &Books) -> Vec<Value> {
    [
        "/accounts?include_archived=true",
        "/customers",
        "/bank-accounts",
        "/sales-invoices",
        "/customer-receipts",
        "/journals",
        "/changes",
        "/status",
    ]
    .iter()
    .map(|rest| books.get(rest))
    .collect()
}

on_both_databases! {
    fn a_plan_writes_nothing_and_its_commit_writes_what_it_showed_once(database) {
        let books = Books::on(&database);
        books.vat_control();
        let before = everything(&books);
        let noted = json!({ "operations": chain(), "note": "asked for by Ann" });
        let plan = given(&books.server, &books.key, "plan_bookkeeping", &noted);
        let token = plan["plan_token"].as_str().unwrap().to_owned();
        assert_eq!(everything(&books), before);
        assert_eq!(plan["can_commit"], true);
        assert_eq!(plan["needs_scopes"], json!(["books:write"]));
        let shown = plan["operations"].as_array().unwrap();
        assert_eq!(shown.len(), 7);
        assert_eq!(shown[0]["summary"], "Customer Brightwell School made");
        assert!(shown[2].get("journal").is_none(), "{plan}");
        assert_eq!(shown[3]["journal"][0]["debit"], 120.0);
        assert_eq!(plan["totals"]["debit"], plan["totals"]["credit"]);

        let done = committed(&books, &token);
        assert_eq!(done["plan_id"], plan["plan_id"]);
        assert_eq!(done["replayed"], false);
        let results = done["results"].as_array().unwrap();
        let kinds: Vec<&str> = results.iter().map(|result| result["kind"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            ["customer", "bank_account", "sales_invoice", "sales_invoice", "customer_receipt", "journal", "journal"]
        );
        let invoice = books.get(&format!("/sales-invoices/{}", results[2]["id"]));
        assert_eq!(invoice["data"]["status"], "part_paid");
        assert_eq!(invoice["data"]["amount_due"], 60.0);
        assert_eq!(invoice["data"]["version"], 3);
        assert_eq!(results[3]["number"], invoice["data"]["invoice_number"]);
        // The journals are those of the preview, but for their identifiers and numbers.
        let journals = books.get("/journals?limit=50");
        let mut posted: Vec<Value> = journals["data"].as_array().unwrap().clone();
        posted.sort_by_key(|journal| journal["id"].as_i64());
        let lines = posted.iter().flat_map(|journal| {
            let id = &journal["id"];
            books.get(&format!("/journals/{id}"))["data"]["lines"].as_array().unwrap().clone()
        });
        let posted: Vec<Value> =
            lines.map(|line| json!([line["account_code"], line["debit"], line["credit"]])).collect();
        let previewed: Vec<Value> = shown
            .iter()
            .flat_map(|operation| operation["journal"].as_array().cloned().unwrap_or_default())
            .map(|line| json!([line["account_code"], line["debit"], line["credit"]]))
            .collect();
        assert_eq!(posted, previewed);
        // The history names the tool and the connection's key.
        let change = &books.get("/changes?order=desc&limit=1")["data"][0];
        assert_eq!(change["actor"]["via"], "mcp");
        assert_eq!(change["actor"]["tool"], "commit_plan");
        assert_eq!(change["note"], "asked for by Ann");

        let after = everything(&books);
        let again = committed(&books, &token);
        assert_eq!(again["replayed"], true);
        assert_eq!(again["results"], done["results"]);
        assert_eq!(again["committed_at"], done["committed_at"]);
        assert_eq!(everything(&books), after);
    }

    fn a_plan_belongs_to_one_person_and_connection(database) {
        let books = Books::on(&database);
        let server = &books.server;
        let (token, _) = planned(&books, &json!([{ "op": "customer.create", "params": { "name": "A" } }]));
        let other_key = server.key(&books.owner, &ALL_SCOPES);
        let stranger = server.person();
        let strangers_key = server.key(&stranger, &ALL_SCOPES);
        let colleague = server.person();
        server.member(books.id, &colleague, "bookkeeper");
        let colleagues_key = server.key(&colleague, &ALL_SCOPES);
        let nobodys = failure(server, &books.key, "commit_plan", &json!({ "plan_token": "plan_nobodys" }));
        assert!(nobodys.starts_with("plan_not_found: "), "{nobodys}");
        for key in [&other_key, &strangers_key, &colleagues_key] {
            assert_eq!(failure(server, key, "commit_plan", &json!({ "plan_token": token })), nobodys);
        }
        committed(&books, &token);
        for key in [&other_key, &strangers_key, &colleagues_key] {
            assert_eq!(failure(server, key, "commit_plan", &json!({ "plan_token": token })), nobodys);
        }
        // A token of a plan is none of REST.
        let refused = books.post("/opening-balances", &json!({ "token": token }));
        refused.refused(422, "unprocessable_entity");
        assert_eq!(count(&books, "/customers"), 1);
    }

    fn a_plan_is_stale_once_what_it_names_has_changed(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.post("/customers", &json!({ "name": "Brightwell" })).expect(201)["data"]["id"].clone();
        let body = invoice(&customer, 100.0)["params"].clone();
        let draft = books.post("/sales-invoices", &body).expect(201)["data"]["id"].clone();
        let (token, _) = planned(&books, &json!([{ "op": "sales_invoice.issue", "params": { "id": draft } }]));
        // What is posted elsewhere spoils nothing, and neither does the number that somebody else took.
        let other = books.post("/sales-invoices", &body).expect(201)["data"]["id"].clone();
        books.post(&format!("/sales-invoices/{other}/issue"), &json!({})).expect(200);
        let (unspoilt, _) = planned(&books, &json!([{ "op": "sales_invoice.issue", "params": { "id": draft } }]));
        let patched = books.request("PATCH", &format!("/sales-invoices/{draft}")).json(&json!({ "reference": "PO 1" }));
        patched.send().expect(200);
        for token in [&token, &unspoilt] {
            let told = not_committed(&books, token);
            let expected = format!("plan_stale: nothing was changed: changed since the preview: sales_invoice {draft}");
            assert!(told.starts_with(&expected), "{told}");
        }
        // It stays dead, whatever becomes of the record.
        assert!(not_committed(&books, &token).starts_with("plan_stale: "));
        let (token, _) = planned(&books, &json!([{ "op": "sales_invoice.issue", "params": { "id": draft } }]));
        let third = books.post("/sales-invoices", &body).expect(201)["data"]["id"].clone();
        books.post(&format!("/sales-invoices/{third}/issue"), &json!({})).expect(200);
        let done = committed(&books, &token);
        assert_eq!(done["results"][0]["number"], "INV-0003", "{done}");

        // A lock that came between refuses what was previewed.
        let (token, _) = planned(&books, &json!([invoice(&customer, 5.0), { "op": "sales_invoice.issue", "params": {
            "id": { "$from": "invoice" } } }]));
        books.lock("2026-03-10");
        let told = not_committed(&books, &token);
        assert!(told.contains("operations[1]"), "{told}");
        assert_eq!(count(&books, "/sales-invoices"), 3);
    }

    fn a_plan_that_is_refused_names_every_operation_and_changes_nothing(database) {
        let books = Books::on(&database);
        let before = everything(&books);
        let told = not_planned(&books, &json!([
            { "op": "customer.create", "ref": "a", "params": { "nam": "x" } },
            { "op": "customer.creat", "params": {} },
            { "op": "sales_invoice.issue", "params": {} },
            { "op": "sales_invoice.issue", "params": { "id": { "$from": "z" } } },
            { "op": "account.archive", "params": { "id": 1, "when": "now" } },
            { "op": "document.email", "params": { "type": "journal", "id": 1 } },
            { "op": "customer.create", "ref": "a", "params": { "name": "y" } },
        ]));
        for part in [
            "invalid_request_format: ", "operations[0].params.nam: ", "operations[1].op: \"customer.creat\" is no operation; near it are ",
            "operations[2].params.id: is required", "operations[3].params.id: no operation before this one has the ref \"z\"",
            "operations[4].params.when: is not known", "operations[5].params.type: must be one of sales_invoice, ",
            "operations[6].ref: \"a\" is the ref of an operation before it",
        ] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
        let told = not_planned(&books, &json!([
            { "op": "customer.create", "ref": "a", "params": { "name": "y" } },
            { "op": "account.archive", "params": { "id": 999_999 } },
            { "op": "customer.archive", "ref": "b", "params": { "id": 999_999 } },
            { "op": "customer.update", "params": { "id": { "$from": "b" }, "name": "z" } },
        ]));
        for part in [
            "operations[1] (account.archive): not_found", "operations[2] (customer.archive): not_found",
            "operations[3] (customer.update): uses what operations[2] would make",
        ] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
        assert!(!told.contains("operations[0]"), "{told}");
        assert_eq!(everything(&books), before);
        // One refusal alone keeps its code and reason.
        let made = books.post("/customers", &json!({ "name": "A" })).expect(201);
        let (id, version) = (&made["data"]["id"], made["data"]["version"].as_i64().unwrap());
        let told = not_planned(
            &books,
            &json!([{ "op": "customer.update", "params": { "id": id, "name": "B" }, "expected_version": version + 1 }]),
        );
        assert!(told.starts_with("conflict (stale_version): operations[0] (customer.update): "), "{told}");
        let right = json!([{ "op": "customer.update", "params": { "id": id, "name": "B" }, "expected_version": version }]);
        committed(&books, &planned(&books, &right).0);
    }

    fn a_plan_is_committed_once_by_many_at_once(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (token, _) = planned(&books, &chain());
        let arguments = json!({ "plan_token": token });
        let callers = setting("PLAN_CALLERS").unwrap_or(CALLERS);
        let (callers, together) = (0..callers, Barrier::new(callers));
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let call = || {
                together.wait();
                given(&books.server, &books.key, "commit_plan", &arguments)
            };
            let calls: Vec<_> = callers.map(|_| scope.spawn(call)).collect();
            calls.into_iter().map(|call| call.join().expect("an answer")).collect()
        });
        let first = answers.iter().filter(|answer| answer["replayed"] == false).count();
        assert_eq!(first, 1);
        for mut answer in answers.iter().cloned() {
            answer["replayed"] = answers[0]["replayed"].clone();
            assert_eq!(answer, answers[0]);
        }
        let lists = ["/customers", "/sales-invoices", "/customer-receipts", "/journals"];
        assert_eq!(lists.map(|list| count(&books, list)), [1, 1, 1, 4]);
    }
}

#[test]
fn a_plan_expires() {
    let books = Books::of(TestServer::start());
    let (token, _) = planned(&books, &json!([{ "op": "customer.create", "params": { "name": "A" } }]));
    books.server.advance_ms(30 * 60 * 1_000 - 1);
    let (later, _) = planned(&books, &json!([{ "op": "customer.create", "params": { "name": "B" } }]));
    books.server.advance_ms(1);
    assert!(not_committed(&books, &token).starts_with("plan_expired: "));
    let done = committed(&books, &later);
    // The result is given again long after the plan itself would have expired.
    books.server.advance_ms(29 * 24 * 3_600 * 1_000);
    assert_eq!(committed(&books, &later)["results"], done["results"]);
    assert_eq!(count(&books, "/customers"), 1);
}

#[test]
fn who_may_not_commit_sees_a_preview_without_a_token() {
    let books = Books::of(TestServer::start());
    let server = &books.server;
    let viewer = server.person();
    server.member(books.id, &viewer, "viewer");
    let viewers_key = server.key(&viewer, &ALL_SCOPES);
    let reading_key = server.key(&books.owner, &["books:read"]);
    let operations = json!({ "operations": [{ "op": "customer.create", "params": { "name": "A" } }] });
    for (key, warning) in [(&viewers_key, "the role viewer"), (&reading_key, "lacks the scope books:write")] {
        let plan = given(server, key, "plan_bookkeeping", &operations);
        assert_eq!(plan["can_commit"], false);
        assert!(plan.get("plan_token").is_none(), "{plan}");
        assert!(plan["warnings"][0].as_str().unwrap().contains(warning), "{plan}");
        assert_eq!(plan["operations"][0]["summary"], "Customer A made");
    }
    assert_eq!(count(&books, "/customers"), 0);
}

#[test]
fn an_e_mail_of_a_plan_is_of_a_document_as_it_is_in_the_books() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let buyer = json!({ "name": "Brightwell", "email": "accounts@brightwell.example" });
    let customer = books.post("/customers", &buyer).expect(201)["data"]["id"].clone();
    let draft = books.post("/sales-invoices", &invoice(&customer, 100.0)["params"]).expect(201)["data"]["id"].clone();
    let email = |id: &Value| json!({ "op": "document.email", "params": { "type": "sales_invoice", "id": id } });
    let issue = json!({ "op": "sales_invoice.issue", "params": { "id": draft } });
    for operations in
        [json!([issue, email(&draft)]), json!([invoice(&customer, 1.0), email(&json!({ "$from": "invoice" }))])]
    {
        let told = not_planned(&books, &operations);
        assert!(told.contains("operations[1].params.id: an e-mail shows its document"), "{told}");
    }
    committed(&books, &planned(&books, &json!([issue])).0);
    let (token, plan) = planned(&books, &json!([email(&draft)]));
    assert_eq!(plan["needs_scopes"], json!(["books:send"]));
    assert_eq!(plan["operations"][0]["emails"], json!(["accounts@brightwell.example"]));
    assert_eq!(books.get("/emails")["data"], json!([]));
    // Sending needs its own scope, and nothing else.
    let writing = books.server.key(&books.owner, &["books:read", "books:write"]);
    let plan = given(&books.server, &writing, "plan_bookkeeping", &json!({ "operations": [email(&draft)] }));
    assert_eq!(plan["can_commit"], false);
    let sending = books.server.key(&books.owner, &["books:read", "books:send"]);
    let plan = given(&books.server, &sending, "plan_bookkeeping", &json!({ "operations": [email(&draft)] }));
    given(&books.server, &sending, "commit_plan", &json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(books.get("/emails")["data"].as_array().unwrap().len(), 1);
    // What was previewed was of the document before that e-mail.
    assert!(not_committed(&books, &token).starts_with("plan_stale: "));
}

#[test]
fn what_one_plan_issues_and_voids_leaves_no_vat() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let customer = books.post("/customers", &json!({ "name": "Brightwell" })).expect(201)["data"]["id"].clone();
    let mut create = invoice(&customer, 100.0);
    create["params"]["issue"] = json!(true);
    let void = json!({ "op": "sales_invoice.void", "params": { "id": { "$from": "invoice" } } });
    let done = committed(&books, &planned(&books, &json!([create, void])).0);
    let made = books.get(&format!("/sales-invoices/{}", done["results"][0]["id"]));
    assert_eq!(made["data"]["status"], "void");
    let days = "period_start=2026-03-01&period_end=2026-03-31";
    let found = books.get(&format!("/reports/vat-return?{days}&detail=true"))["data"].clone();
    let entries = found["entries"].as_array().unwrap().iter();
    let entries: Vec<Value> = entries.map(|entry| json!([entry["document_id"], entry["vat_amount"]])).collect();
    let invoice = &made["data"]["id"];
    assert_eq!(json!(entries), json!([[invoice, 20.0], [invoice, -20.0]]), "{found}");
}

#[test]
fn what_one_plan_makes_and_deletes_is_no_other_when_it_is_carried_out() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let deleted = |op: &str, label: &str| json!({ "op": op, "params": { "id": { "$from": label } } });
    let (token, _) = planned(
        &books,
        &json!([
            { "op": "customer.create", "ref": "buyer", "params": { "name": "Brightwell" } },
            { "op": "customer.create", "ref": "other", "params": { "name": "Harbour" } },
            invoice(&json!({ "$from": "buyer" }), 100.0),
            { "op": "bank_transaction.create", "ref": "line", "params": {
                "bank_account_id": bank, "date": "2026-03-10", "amount": -8.81, "description": "Stamps" } },
            deleted("sales_invoice.delete", "invoice"),
            deleted("customer.delete", "other"),
            deleted("bank_transaction.delete", "line"),
        ]),
    );
    assert_eq!(committed(&books, &token)["results"].as_array().unwrap().len(), 7);
    let lists = ["/customers", "/sales-invoices", "/bank-transactions"];
    assert_eq!(lists.map(|list| count(&books, list)), [1, 0, 0]);
}

#[test]
fn a_credit_note_is_made_and_allocated_by_one_plan() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let customer = books.post("/customers", &json!({ "name": "Brightwell" })).expect(201)["data"]["id"].clone();
    let mut body = invoice(&customer, 100.0)["params"].clone();
    body["issue"] = json!(true);
    let issued = books.post("/sales-invoices", &body).expect(201)["data"]["id"].clone();
    let lines = json!([{ "account_code": "4000", "description": "Back", "unit_price": 40.0, "vat_code": "ST" }]);
    for origin in [Value::Null, issued.clone()] {
        let mut note = json!({ "customer_id": customer, "credit_note_date": "2026-03-10", "lines": lines });
        if !origin.is_null() {
            note["invoice_id"] = origin;
        }
        let allocations = json!([{ "invoice_id": issued, "amount": 40.0 }]);
        let operations = json!([
            { "op": "sales_credit_note.create", "ref": "cn", "params": note },
            { "op": "sales_credit_note.allocate", "params": { "id": { "$from": "cn" }, "allocations": allocations } },
        ]);
        let plan = given(&books.server, &books.key, "plan_bookkeeping", &json!({ "operations": operations }));
        let done = committed(&books, plan["plan_token"].as_str().unwrap());
        assert_eq!(done["results"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_preview_names_the_documents_that_money_is_set_against() {
    let books = Books::of(TestServer::start());
    let (customer, supplier) = (books.customer("Kestrel Homes"), books.supplier("Pickering Signs"));
    let sales = [books.sale(customer, "2026-03-01", "2250"), books.sale(customer, "2026-03-02", "1152")];
    let line =
        json!({ "bank_account_id": books.bank_id(), "date": "2026-03-18", "amount": 3000, "description": "KESTREL" });
    let line = books.post("/bank-transactions", &line).expect(201)["data"].clone();
    let allocations =
        json!([{ "invoice_id": sales[0]["id"], "amount": 2250 }, { "invoice_id": sales[1]["id"], "amount": 750 }]);
    let bill = json!({ "supplier_id": supplier, "supplier_reference": "2219", "invoice_date": "2026-03-20", "lines": [
        { "account_code": "5000", "description": "Sign", "unit_price": 180.0, "vat_code": "NV" },
    ] });
    let operations = json!([
        { "op": "bank_transaction.confirm", "params": {
            "id": line["id"], "type": "customer_receipt", "customer_id": customer, "allocations": allocations
        } },
        { "op": "purchase_invoice.create", "ref": "bill", "params": bill },
        { "op": "supplier_payment.create", "params": {
            "supplier_id": supplier, "date": "2026-03-21", "amount": 80, "bank_account_id": books.bank_id(),
            "allocations": [{ "invoice_id": { "$from": "bill" }, "amount": 80 }]
        } },
    ]);
    let (token, plan) = planned(&books, &operations);
    let said: Vec<&str> =
        plan["operations"].as_array().unwrap().iter().map(|operation| operation["summary"].as_str().unwrap()).collect();
    let numbers = [&sales[0]["invoice_number"], &sales[1]["invoice_number"]].map(|number| number.as_str().unwrap());
    assert!(
        said[0].ends_with(&format!(
            "; 2250.00 against {}, 0.00 left due; 750.00 against {}, 402.00 left due",
            numbers[0], numbers[1]
        )),
        "{said:?}"
    );
    assert_eq!(said[1], "Purchase invoice made: Pickering Signs, 180.00 without VAT, due 2026-04-19");
    assert!(said[2].ends_with("; 80.00 against the new purchase invoice (2219), 100.00 left due"), "{said:?}");
    committed(&books, &token);
    let receipt = books.get("/customer-receipts")["data"][0].clone();
    let receipt = books.get(&format!("/customer-receipts/{}", receipt["id"]))["data"].clone();
    let (_, plan) = planned(
        &books,
        &json!([{ "op": "customer_receipt.unallocate", "params": {
        "id": receipt["id"], "allocation_ids": [receipt["allocations"][0]["id"]]
    } }]),
    );
    let said = plan["operations"][0]["summary"].as_str().unwrap();
    assert!(said.ends_with(&format!("; 2250.00 taken off {}, 2250.00 left due", numbers[0])), "{said}");
}

#[test]
fn a_connection_has_so_many_plans_that_wait() {
    let books = Books::of(TestServer::start());
    let operations = json!([{ "op": "customer.create", "params": { "name": "A" } }]);
    let tokens: Vec<String> = (0..100).map(|_| planned(&books, &operations).0).collect();
    let told = not_planned(&books, &operations);
    assert!(told.starts_with("conflict (too_many_plans): "), "{told}");
    // Another connection has its own, and what is committed or has expired waits no more.
    let other = books.server.key(&books.owner, &ALL_SCOPES);
    given(&books.server, &other, "plan_bookkeeping", &json!({ "operations": operations }));
    committed(&books, &tokens[0]);
    planned(&books, &operations);
    assert!(not_planned(&books, &operations).starts_with("conflict (too_many_plans): "));
    books.server.advance_ms(30 * 60 * 1_000);
    planned(&books, &operations);
}

#[test]
fn a_hundred_operations_are_one_commit() {
    let books = Books::of(TestServer::start());
    books.vat_control();
    let customer = books.post("/customers", &json!({ "name": "Brightwell" })).expect(201)["data"]["id"].clone();
    let operations: Vec<Value> = (0..50)
        .flat_map(|at| {
            let mut create = invoice(&customer, 10.0 + f64::from(at));
            create["ref"] = json!(format!("i{at}"));
            let issue = json!({ "op": "sales_invoice.issue", "params": { "id": { "$from": format!("i{at}") } } });
            [create, issue]
        })
        .collect();
    let (token, plan) = planned(&books, &json!(operations));
    assert_eq!(plan["operations"].as_array().unwrap().len(), 100);
    assert!(plan["warnings"][0].as_str().unwrap().contains("are left out"), "{plan}");
    let done = committed(&books, &token);
    assert_eq!(done["results"].as_array().unwrap().len(), 100);
    assert_eq!(count(&books, "/sales-invoices"), 50);
    let too_many: Vec<Value> =
        (0..101).map(|at| json!({ "op": "customer.create", "params": { "name": format!("{at}") } })).collect();
    let told = not_planned(&books, &json!(too_many));
    assert!(told.contains("operations: must have 1 to 100 items"), "{told}");
}

#[test]
fn every_write_of_the_books_is_an_operation_or_says_why_not() {
    let books = Books::of(TestServer::start());
    let listed = given(&books.server, &books.key, "list_operations", &json!({}));
    let mut planned: Vec<String> = Vec::new();
    for operation in listed["operations"].as_array().unwrap() {
        assert!(operation.get("params_schema").is_none(), "{operation}");
        let summary = operation["summary"].as_str().unwrap();
        let routes = summary.split(". ").next().unwrap();
        planned.extend(routes.split(", ").map(|route| route.trim_end_matches('.').to_owned()));
    }
    // Tools of their own, many operations at once, a product of its own, and what a person declares.
    let others = [
        "PATCH ",
        "POST /bank-transactions/confirm",
        "POST /bank-transactions/confirm-batch",
        "POST /bank-transactions/import",
        "POST /bank-transactions/suggest",
        "POST /imports",
        "POST /imports/{id}/confirm",
        "POST /opening-balances",
        "POST /opening-balances/preview",
        "POST /financial-years/{end}/close",
        "POST /financial-years/{end}/reopen",
        "POST /vat-returns",
        "DELETE /vat-returns/{id}",
    ];
    let document = books.server.client.get("/openapi.json").send().expect(200);
    let mut writes: Vec<String> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some((_, rest)) = path.split_once("{organisationId}") else { continue };
        for (method, _) in methods.as_object().unwrap().iter().filter(|(_, one)| one.get("operationId").is_some()) {
            if method != "get" {
                writes.push(format!("{} {rest}", method.to_ascii_uppercase()));
            }
        }
    }
    writes.retain(|write| !others.contains(&write.as_str()));
    writes.sort();
    planned.sort();
    assert_eq!(planned, writes);
}

#[test]
fn every_operation_says_how_it_is_used() {
    let books = Books::of(TestServer::start());
    let names: Vec<String> = given(&books.server, &books.key, "list_operations", &json!({}))["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["op"].as_str().unwrap().to_owned())
        .collect();
    for op in &names {
        let told = given(&books.server, &books.key, "list_operations", &json!({ "op": op }));
        let operation = &told["operations"][0];
        assert_eq!(operation["op"], json!(op));
        assert!(operation["params_schema"].is_object(), "{told}");
        // The calendar and the bounds of 64 bits tell an agent nothing.
        let schema = operation["params_schema"].to_string();
        assert!(schema.len() < 8_000, "{op}: {}", schema.len());
        assert!(!schema.contains("[2468][048]") && !schema.contains("9223372036854775807"), "{schema}");
        let reverse = operation["reversible_by"].as_str();
        if names.contains(&op.replace(".create", ".issue")) && op.ends_with(".create") {
            assert_eq!(reverse, Some(op.replace(".create", ".void").as_str()));
            assert!(
                operation["summary"]
                    .as_str()
                    .unwrap()
                    .ends_with("A draft (issue: false) is deleted instead of voided.")
            );
        }
        assert!(reverse.is_none_or(|reverse| names.iter().any(|name| name == reverse)), "{told}");
        let example = &operation["example"]["params"];
        let problems = problems_of_params(op, &operation["params_schema"], example);
        assert!(problems.is_empty(), "{problems:?} in {example}");
        // An example has the form its operation takes: what refuses it is that the books have no such record.
        let plan =
            call(&books.server, &books.key, "plan_bookkeeping", &json!({ "operations": [operation["example"]] }));
        if plan["isError"] == true {
            let told = plan["content"][0]["text"].as_str().unwrap();
            assert!(!told.starts_with("invalid_request_format"), "{op}: {told}");
        }
    }
    let schema = |op: &str| {
        let told = given(&books.server, &books.key, "list_operations", &json!({ "op": op }));
        told["operations"][0]["params_schema"].clone()
    };
    // Every way to confirm a line fits exactly one of the shapes, and none without its line or with the keys of two of them.
    let confirm = schema("bank_transaction.confirm");
    let ways = [
        json!({ "id": 12 }),
        json!({ "id": { "$from": "line" }, "type": "coded", "account_code": "5000", "vat_code": "ST", "vat_amount": 10.03 }),
        json!({ "id": 12, "type": "coded", "lines": [{ "account_id": 4, "gross_amount": -10.03, "vat_code": "ST" }] }),
        json!({ "id": 12, "type": "transfer", "bank_transaction_id": 13 }),
        json!({ "id": 12, "type": "match", "journal_id": { "$from": "paid" } }),
        json!({ "id": 12, "type": "customer_receipt", "customer_id": 3, "allocations": [{ "invoice_id": 1, "amount": 305.83 }] }),
    ];
    for way in ways {
        let problems = problems_of_params("confirm", &confirm, &way);
        assert!(problems.is_empty(), "{problems:?} in {way}");
    }
    for way in
        [json!({ "type": "coded" }), json!({ "id": 12, "account_id": 4, "account_code": "5000", "vat_code": "ST" })]
    {
        assert!(!problems_of_params("confirm", &confirm, &way).is_empty(), "{way}");
    }
    let update = schema("bank_transaction.update");
    assert_eq!(problems_of_params("update", &update, &json!({ "id": 12, "memo": "lunch" })), Vec::<String>::new());
    assert!(!problems_of_params("update", &update, &json!({ "id": 12 })).is_empty());
    let grouped = given(&books.server, &books.key, "list_operations", &json!({ "group": "email" }));
    assert_eq!(grouped["operations"].as_array().unwrap().len(), 4);
    let told = failure(&books.server, &books.key, "list_operations", &json!({ "op": "invoice.pay" }));
    assert!(told.starts_with("invalid_request_format: op: \"invoice.pay\" is no operation"), "{told}");
}

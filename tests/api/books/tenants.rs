//! Every operation crossed with another tenant's identifiers, generated from the route table: a new operation inside an
//! organisation is tried as it is, and one whose path names something this test does not know fails it.

use std::sync::LazyLock;

use bookkeeping_suite::http::route_table::{Access, BodyRule};
use bookkeeping_suite::http::{openapi, routes};
use serde_json::{Value, json};

use super::{Books, ORGANISATIONS, format_paths};
use crate::oauth::{Ticks, connect};
use crate::support::client::{Answer, Request};
use crate::support::database::on_both_databases;
use crate::support::server::ApiKey;

/// Everything that can be listed of an organisation.
const LISTS: [&str; 18] = [
    "",
    "/accounts",
    "/customers",
    "/suppliers",
    "/journals",
    "/period-lock",
    "/bank-accounts",
    "/bank-transactions",
    "/sales-invoices",
    "/purchase-invoices",
    "/sales-credit-notes",
    "/purchase-credit-notes",
    "/customer-receipts",
    "/supplier-payments",
    "/vat-adjustments",
    "/vat-returns",
    "/emails",
    "/financial-years",
];

/// What a path inside an organisation names, by the word before `{id}`, and a record of it.
struct Tenant {
    books: Books,
    records: Vec<(&'static str, i64)>,
}

impl Tenant {
    fn of(books: Books) -> Self {
        let scopes = ["books:read", "books:write", "books:send", "coding:write"];
        let books = Books { key: books.server.key(&books.owner, &scopes), ..books };
        books.vat_control();
        books.registered("standard", Value::Null);
        let made = |path: &str, body: Value| books.post(path, &body).expect(201)["data"]["id"].as_i64().unwrap();
        let mut records = vec![
            ("accounts", books.account_id("7100")),
            ("customers", made("/customers", json!({ "name": "Customer" }))),
            ("suppliers", made("/suppliers", json!({ "name": "Supplier" }))),
            ("bank-accounts", books.get("/bank-accounts")["data"][0]["id"].as_i64().unwrap()),
            ("bank-transactions", made("/bank-transactions", line(&books.get("/bank-accounts")["data"][0]["id"]))),
            ("journals", books.posted("2026-03-01", "7100", "1200", json!(1))["id"].as_i64().unwrap()),
            ("imports", made("/imports", json!({ "kind": "customers", "rows": [{ "name": "x" }] }))),
            ("vat-adjustments", made("/vat-adjustments", adjustment())),
            ("vat-returns", made("/vat-returns", recorded())),
        ];
        let accounts = |code: &str| books.account_id(code);
        let bodies = traded(records[1].1, records[2].1, records[3].1, &accounts);
        records.extend(bodies.map(|(kind, body)| (kind, made(&format!("/{kind}"), body))));
        paid_under_cis(&books, records[2].1, records[3].1);
        let receipt = records.iter().find(|(kind, _)| *kind == "customer-receipts").unwrap().1;
        let to = json!({ "to": ["a@example.com"] });
        let email = books.post(&format!("/customer-receipts/{receipt}/email"), &to).expect(202)["data"]["id"].clone();
        books.email_once(&email, "sent");
        records.push(("emails", email.as_i64().unwrap()));
        let invoice = made("/sales-invoices", unpaid(records[1].1, books.account_id("4000")));
        records.push(("write-offs", made(&format!("/sales-invoices/{invoice}/write-off"), written_off())));
        Self { books, records }
    }

    fn record(&self, kind: &str) -> i64 {
        let found = self.records.iter().find(|(known, _)| *known == kind);
        found.unwrap_or_else(|| panic!("make a record of {kind} in tests/api/books/tenants.rs")).1
    }
}

/// Pays a supplier as a subcontractor in the tax month of the examples, so that there is a statement of it.
fn paid_under_cis(books: &Books, supplier: i64, bank: i64) {
    let cis = json!({ "cis": { "is_subcontractor": true, "deduction_rate": 20 } });
    books.request("PATCH", &format!("/suppliers/{supplier}")).json(&cis).send().expect(200);
    let line =
        json!({ "description": "x", "account_id": books.account_id("5100"), "unit_price": 100, "vat_code": "NV" });
    let bill = json!({ "supplier_id": supplier, "invoice_date": "2026-03-06", "lines": [line] });
    let bill = books.post("/purchase-invoices", &bill).expect(201)["data"]["id"].clone();
    let payment = json!({
        "supplier_id": supplier, "date": "2026-03-07", "amount": 80, "bank_account_id": bank,
        "allocations": [{ "invoice_id": bill, "amount": 80 }]
    });
    books.post("/supplier-payments", &payment).expect(201);
}

/// What is traded, by the list that it is made in: drafts, so that everything may be done with them, and money.
fn traded(customer: i64, supplier: i64, bank: i64, account: &impl Fn(&str) -> i64) -> [(&'static str, Value); 6] {
    let lines =
        |code: &str| json!([{ "description": "x", "account_id": account(code), "unit_price": 1, "vat_code": "NV" }]);
    let sale =
        |date: &str| json!({ "customer_id": customer, date: "2026-03-01", "lines": lines("4000"), "issue": false });
    let purchase =
        |date: &str| json!({ "supplier_id": supplier, date: "2026-03-01", "lines": lines("5000"), "issue": false });
    let money =
        |contact: &str, id: i64| json!({ contact: id, "date": "2026-03-01", "amount": 1, "bank_account_id": bank });
    [
        ("sales-invoices", sale("invoice_date")),
        ("purchase-invoices", purchase("invoice_date")),
        ("sales-credit-notes", sale("credit_note_date")),
        ("purchase-credit-notes", purchase("credit_note_date")),
        ("customer-receipts", money("customer_id", customer)),
        ("supplier-payments", money("supplier_id", supplier)),
    ]
}

fn line(bank: &Value) -> Value {
    json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": -5, "description": "x" })
}

fn adjustment() -> Value {
    json!({ "date": "2026-03-01", "reason": "other", "description": "x", "entries": [{ "box": 6, "amount": 1 }] })
}

fn recorded() -> Value {
    json!({ "period_end": "2025-12-31" })
}

/// An invoice that may be written off.
fn unpaid(customer: i64, account: i64) -> Value {
    let lines = json!([{ "description": "x", "account_id": account, "unit_price": 1, "vat_code": "NV" }]);
    json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": lines })
}

fn written_off() -> Value {
    json!({ "date": "2026-03-01" })
}

/// A body that is legal for its operation, so that nothing but the tenant can be refused.
fn body(operation: &str, own: &Tenant) -> Option<Value> {
    Some(match operation {
        "createOrganisation" => json!({ "name": "Another" }),
        "updateOrganisation" | "updateAccount" | "updateCustomer" | "updateSupplier" => json!({ "name": "Renamed" }),
        "setPeriodLock" => json!({ "lock_date": "2025-01-31" }),
        "createAccount" => json!({ "code": "7777", "name": "New", "account_type": "EXPENSE" }),
        "createCustomer" | "createSupplier" => json!({ "name": "New" }),
        "createJournal" => own.books.two_lines("2026-03-02", "7100", "1200", json!(1)),
        "createVatAdjustment" => adjustment(),
        "recordVatReturn" => json!({ "period_end": "2025-03-31" }),
        "voidJournal" | "voidVatAdjustment" | "voidWriteOff" | "closeFinancialYear" => json!({}),
        "writeOffSalesInvoice" => written_off(),
        "createSalesInvoice"
        | "createPurchaseInvoice"
        | "createSalesCreditNote"
        | "createPurchaseCreditNote"
        | "createCustomerReceipt"
        | "createSupplierPayment" => {
            let at = ["createSalesI", "createPurchaseI", "createSalesC", "createPurchaseC", "createC", "createS"]
                .iter()
                .position(|start| operation.starts_with(start))?;
            let account = |code: &str| own.books.account_id(code);
            traded(own.record("customers"), own.record("suppliers"), own.record("bank-accounts"), &account)[at]
                .1
                .clone()
        }
        "updateSalesInvoice"
        | "updatePurchaseInvoice"
        | "updateSalesCreditNote"
        | "updatePurchaseCreditNote"
        | "updateCustomerReceipt"
        | "updateSupplierPayment" => json!({ "reference": "x" }),
        "voidSalesInvoice"
        | "voidPurchaseInvoice"
        | "voidSalesCreditNote"
        | "voidPurchaseCreditNote"
        | "voidCustomerReceipt"
        | "voidSupplierPayment" => json!({}),
        "emailSalesInvoice" | "emailSalesCreditNote" | "emailCustomerReceipt" | "emailSupplierPayment" => {
            json!({ "to": ["a@example.com"] })
        }
        "emailCustomerStatement" => {
            json!({ "period_start": "2026-01-01", "period_end": "2026-03-31", "to": ["a@example.com"] })
        }
        "emailCisStatement" => json!({ "tax_month_end": "2026-04-05", "to": ["a@example.com"] }),
        "allocateSalesCreditNote"
        | "allocatePurchaseCreditNote"
        | "allocateCustomerReceipt"
        | "allocateSupplierPayment" => json!({ "allocations": [{ "invoice_id": 1, "amount": 1 }] }),
        "unallocateSalesCreditNote"
        | "unallocatePurchaseCreditNote"
        | "unallocateCustomerReceipt"
        | "unallocateSupplierPayment" => json!({ "allocation_ids": [1] }),
        "previewOpeningBalances" | "setOpeningBalances" => json!({
            "as_of": "2025-12-31",
            "lines": [{ "account_code": "1200", "debit": 1 }, { "account_code": "3000", "credit": 1 }]
        }),
        "previewImport" => json!({ "kind": "customers", "rows": [{ "name": "New" }] }),
        "confirmImport" => json!({ "token": "imp_unknown" }),
        "createBankAccount" => json!({ "name": "New", "code": "1299" }),
        "updateBankAccount" => json!({ "name": "Renamed" }),
        "createBankTransaction" => line(&json!(own.record("bank-accounts"))),
        "importBankTransactions" => json!({
            "bank_account_id": own.record("bank-accounts"),
            "rows": [{ "date": "2026-03-02", "amount": 1, "description": "y" }]
        }),
        "suggestBankTransactions" => json!({ "transaction_ids": [own.record("bank-transactions")] }),
        "confirmSuggestedBankTransactions" => json!({ "transaction_ids": [own.record("bank-transactions")] }),
        "updateBankTransaction" => json!({ "memo": "x" }),
        "confirmBankTransaction" => json!({ "account_id": own.record("accounts"), "vat_code": "NV" }),
        "confirmBankTransactions" => {
            let id = own.record("bank-transactions");
            json!({ "items": [{ "id": id, "account_id": own.record("accounts"), "vat_code": "NV" }] })
        }
        _ => return None,
    })
}

/// Every operation inside an organisation: method, path with `{organisationId}` and `{id}`, name, whether it takes a body.
fn operations() -> Vec<(String, &'static str, &'static str, bool)> {
    let inside = routes::routes().into_iter().filter(|route| route.path.contains("{organisationId}"));
    inside
        .map(|route| {
            assert!(matches!(route.access, Access::Key(_) | Access::Keys(_)), "{}", route.path);
            let takes_body = matches!(route.body, BodyRule::Json { .. } | BodyRule::OptionalJson);
            (route.method.as_str().to_owned(), route.path, route.operation_id, takes_body)
        })
        .collect()
}

/// Whether a path names more than the organisation.
fn names_a_record(path: &str) -> bool {
    path.contains("{id}") || path.contains("{contactId}")
}

fn request(
    own: &Tenant,
    key: &ApiKey,
    (method, template, operation, takes_body): &(String, &str, &str, bool),
    organisation: i64,
    record: impl Fn(&str) -> i64,
) -> Request {
    let mut path = template.replace("{organisationId}", &organisation.to_string());
    if let Some(at) = path.find("/{id}") {
        let kind = path[..at].rsplit('/').next().unwrap().to_owned();
        path = path.replace("{id}", &record(&kind).to_string());
    }
    for (statement, kind) in [("/customer-statement/", "customers"), ("/supplier-statement/", "suppliers")] {
        if path.contains(statement) {
            path = path.replace("{contactId}", &record(kind).to_string());
        }
    }
    path = path.replace("{end}", "2025-03-31");
    path = path.replace("{tax_month_end}", "2026-04-05");
    assert!(!path.contains('{'), "{path}: teach tests/api/books/tenants.rs what this names");
    path.push_str(&required_query(method, template));
    let request = own.books.server.client.request(method, &path).key(key);
    match body(operation, own) {
        Some(body) => request.json(&body),
        None => {
            assert!(!takes_body, "give {operation} a body in tests/api/books/tenants.rs");
            request
        }
    }
}

/// What has to stand in the query string of an operation, with the examples of the OpenAPI document.
fn required_query(method: &str, template: &str) -> String {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(&openapi::document_json(&routes::routes(), None)).expect("the document is JSON")
    });
    let parameters = DOCUMENT["paths"][template][method.to_lowercase()]["parameters"].as_array();
    let resolved = |parameter: &'static Value| match parameter["$ref"].as_str() {
        Some(target) => DOCUMENT.pointer(&target[1..]).expect("a component"),
        None => parameter,
    };
    let required = parameters.into_iter().flatten().map(resolved);
    let required = required.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let text = |value: &'static Value| value.as_str().expect("text");
    let pairs: Vec<_> =
        required.map(|parameter| format!("{}={}", text(&parameter["name"]), text(&parameter["example"]))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// The answer without what differs between any two.
fn told(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.value()["error"].clone())
}

/// The operations that take no keys.
fn bare_operations() -> Vec<(String, &'static str, &'static str, bool)> {
    let bare: Vec<_> = routes::routes()
        .into_iter()
        .filter(|route| route.body == BodyRule::NoKeys)
        .map(|route| route.operation_id)
        .collect();
    operations().into_iter().filter(|operation| bare.contains(&operation.2)).collect()
}

#[test]
fn what_changes_something_has_a_rule_for_its_body() {
    for route in routes::routes() {
        let is_read = ["GET", "DELETE", "OPTIONS"].contains(&route.method.as_str());
        assert_eq!(is_read, matches!(route.body, BodyRule::Ignored | BodyRule::Upgrade), "{}", route.operation_id);
    }
}

on_both_databases! {
    fn no_operation_reaches_another_tenant(database) {
        let own = Tenant::of(Books::on(&database));
        let server = &own.books.server;
        // A second tenant on the same server.
        let stranger = server.person();
        let strange_key = server.key(&stranger, &["books:read", "books:write", "books:send", "coding:write"]);
        let foreign_id = server.organisation(&stranger, "Foreign Ltd");
        let foreign = |rest: &str| format!("/api/v1/books/organisations/{foreign_id}{rest}");
        let get = |rest: &str| server.client.get(&foreign(rest)).key(&strange_key).send().expect(200);
        let make = |rest: &str, body: Value| {
            server.client.post(&foreign(rest)).key(&strange_key).json(&body).send().expect(201)["data"]["id"].as_i64().unwrap()
        };
        let accounts = get("/accounts")["data"].clone();
        let account = |code: &str| {
            accounts.as_array().unwrap().iter().find(|account| account["code"] == code).unwrap()["id"].as_i64().unwrap()
        };
        let journal = json!({
            "entry_date": "2026-03-01", "description": "x",
            "lines": [{ "account_id": account("7100"), "debit": 1 }, { "account_id": account("1200"), "credit": 1 }]
        });
        let bank = get("/bank-accounts")["data"][0].clone();
        let registered = json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2024-01-01" });
        server.client.request("PATCH", &foreign("")).key(&strange_key).json(&registered).send().expect(200);
        let mut records = vec![
            ("accounts", account("7100")),
            ("customers", make("/customers", json!({ "name": "Foreign customer" }))),
            ("suppliers", make("/suppliers", json!({ "name": "Foreign supplier" }))),
            ("journals", make("/journals", journal.clone())),
            ("imports", make("/imports", json!({ "kind": "customers", "rows": [{ "name": "x" }] }))),
            ("vat-adjustments", make("/vat-adjustments", adjustment())),
            ("vat-returns", make("/vat-returns", recorded())),
            ("bank-accounts", bank["id"].as_i64().unwrap()),
            ("bank-transactions", make("/bank-transactions", line(&bank["id"]))),
        ];
        let bodies = traded(records[1].1, records[2].1, records[4].1, &account);
        records.extend(bodies.map(|(kind, body)| (kind, make(&format!("/{kind}"), body))));
        let receipt = records.iter().find(|(kind, _)| *kind == "customer-receipts").unwrap().1;
        let email = server.client.post(&foreign(&format!("/customer-receipts/{receipt}/email"))).key(&strange_key);
        let email = email.json(&json!({ "to": ["a@example.com"] })).send().expect(202)["data"]["id"].as_i64().unwrap();
        crate::support::until("the foreign e-mail is sent", || {
            (get(&format!("/emails/{email}"))["data"]["status"] == "sent").then_some(())
        });
        records.push(("emails", email));
        let invoice = make("/sales-invoices", unpaid(records[1].1, account("4000")));
        records.push(("write-offs", make(&format!("/sales-invoices/{invoice}/write-off"), written_off())));
        let foreign_record = |kind: &str| {
            records.iter().find(|(known, _)| *known == kind).unwrap_or_else(|| panic!("make a foreign record of {kind}")).1
        };
        let before: Vec<Value> = LISTS.map(get).into();

        let restricted = server.key_with(
            &own.books.owner,
            &json!({ "name": "r", "scopes": ["books:read", "books:write", "books:send", "coding:write"], "organisation_ids": [server.organisation(&own.books.owner, "Else")] }),
        );
        // The same by tokens: restricted to another organisation, without a scope of the books, and revoked.
        let elsewhere = server.organisation(&own.books.owner, "Elsewhere");
        let scopes = ["books:read", "books:write", "books:send", "coding:write"];
        let by_token = |scopes: &[&str], organisations: Option<&[i64]>| {
            connect(server, &own.books.owner, &Ticks { scopes, organisations })
        };
        let restricted_token = by_token(&scopes, Some(&[elsewhere])).key();
        let without_token = by_token(&["coding:read"], None).key();
        let own_token = by_token(&scopes, Some(&[own.books.id])).key();
        let revoked = by_token(&scopes, None);
        revoked.revoke(server);
        let revoked = revoked.key();
        let mut tried = 0;
        for operation in operations() {
            let own_key = &own.books.key;
            let nobodys = |_: &str| 999_999_999;
            // Another tenant's organisation is like one that does not exist.
            let theirs = request(&own, own_key, &operation, foreign_id, foreign_record).send();
            let nowhere = request(&own, own_key, &operation, 999_999, nobodys).send();
            assert_eq!(told(&theirs), told(&nowhere), "{operation:?}");
            theirs.refused(404, "not_found");
            // Another tenant's record under the own organisation is like one that does not exist.
            if names_a_record(operation.1) {
                let theirs = request(&own, own_key, &operation, own.books.id, foreign_record).send();
                let nobodys = request(&own, own_key, &operation, own.books.id, nobodys).send();
                assert_eq!(told(&theirs), told(&nobodys), "{operation:?}");
                theirs.refused(404, "not_found");
            }
            // The own organisation outside the key's set is refused.
            request(&own, &restricted, &operation, own.books.id, |kind| own.record(kind)).send().refused(403, "forbidden");
            let by = |key: &ApiKey| request(&own, key, &operation, own.books.id, |kind| own.record(kind)).send();
            by(&restricted_token).refused(403, "forbidden");
            by(&without_token).refused(403, "forbidden");
            by(&revoked).refused(401, "unauthorized");
            let theirs = request(&own, &own_token, &operation, foreign_id, foreign_record).send();
            assert_eq!(told(&theirs), told(&nowhere), "{operation:?}");
            // A viewer reads and changes nothing.
            tried += 1;
        }
        assert!(tried >= 30, "{tried}");

        let viewer = server.person();
        server.member(own.books.id, &viewer, "viewer");
        let viewers_key = server.key(&viewer, &["books:read", "books:write", "books:send", "coding:write"]);
        for operation in operations() {
            let answer = request(&own, &viewers_key, &operation, own.books.id, |kind| own.record(kind)).send();
            let expected = if operation.0 == "GET" { 200 } else { 403 };
            assert_eq!(answer.status, expected, "{operation:?} {answer}");
        }

        // Identifiers inside a body are like ones that do not exist, in the same words.
        let details = |answer: Answer| {
            let mut error = answer.refused(422, "unprocessable_entity");
            assert_eq!(error["details"]["reason"], "unknown_reference");
            let id = error["details"]["id"].take().to_string();
            let message = error["message"].as_str().unwrap().replace(&id, "ID");
            (error["details"].clone(), message)
        };
        let cross = |id: i64| {
            let mut journal = own.books.two_lines("2026-03-01", "7100", "1200", json!(1));
            journal["lines"][0]["account_id"] = json!(id);
            own.books.post("/journals", &journal)
        };
        assert_eq!(details(cross(account("7100"))), details(cross(888_888)));
        let contact = |id: i64| {
            let mut journal = own.books.two_lines("2026-03-01", "1100", "4000", json!(1));
            journal["lines"][0]["contact_id"] = json!(id);
            own.books.post("/journals", &journal)
        };
        assert_eq!(details(contact(foreign_record("customers"))), details(contact(888_888)));
        let default = |id: i64| own.books.post("/customers", &json!({ "name": "x", "default_account_id": id }));
        assert_eq!(details(default(account("7100"))), details(default(888_888)));
        let into = |bank: i64| own.books.post("/bank-transactions", &line(&json!(bank)));
        assert_eq!(details(into(foreign_record("bank-accounts"))), details(into(888_888)));
        let confirm = |body: Value| {
            own.books.post(&format!("/bank-transactions/{}/confirm", own.record("bank-transactions")), &body)
        };
        let coded = |id: i64| confirm(json!({ "account_id": id, "vat_code": "NV" }));
        assert_eq!(details(coded(account("7100"))), details(coded(888_888)));
        let transfer = |id: i64| confirm(json!({ "type": "transfer", "bank_transaction_id": id }));
        assert_eq!(details(transfer(foreign_record("bank-transactions"))), details(transfer(888_888)));
        let matched = |id: i64| confirm(json!({ "type": "match", "journal_id": id }));
        assert_eq!(details(matched(foreign_record("journals"))), details(matched(888_888)));

        let named = |kind: &str, body: &dyn Fn(i64) -> Value, path: &str| {
            let post = |id: i64| details(own.books.post(path, &body(id)));
            assert_eq!(post(foreign_record(kind)), post(888_888), "{path} {kind}");
        };
        let account = |code: &str| own.books.account_id(code);
        let (customer, supplier, bank) = (own.record("customers"), own.record("suppliers"), own.record("bank-accounts"));
        let with = |at: usize, key: &'static str| {
            let body = traded(customer, supplier, bank, &account)[at].1.clone();
            move |id: i64| {
                let mut body = body.clone();
                body[key] = json!(id);
                body
            }
        };
        named("customers", &with(0, "customer_id"), "/sales-invoices");
        named("suppliers", &with(1, "supplier_id"), "/purchase-invoices");
        named("sales-invoices", &with(2, "invoice_id"), "/sales-credit-notes");
        named("purchase-invoices", &with(3, "invoice_id"), "/purchase-credit-notes");
        named("customers", &with(4, "customer_id"), "/customer-receipts");
        named("bank-accounts", &with(4, "bank_account_id"), "/customer-receipts");
        named("suppliers", &with(5, "supplier_id"), "/supplier-payments");
        let with_account = |id: i64| {
            let mut body = traded(customer, supplier, bank, &account)[0].1.clone();
            body["lines"][0]["account_id"] = json!(id);
            body
        };
        named("accounts", &with_account, "/sales-invoices");
        let adjusted = |id: i64| {
            let mut body = adjustment();
            body["entries"][0]["box"] = json!(1);
            body["account_id"] = json!(id);
            body
        };
        named("accounts", &adjusted, "/vat-adjustments");
        let transferred = |id: i64| json!({ "transfer_account_ids": [id] });
        named("accounts", &transferred, "/financial-years/2025-03-31/close");
        let invoice = own.books.made("/sales-invoices", &unpaid(customer, account("4000")));
        let borne = |id: i64| json!({ "date": "2026-03-01", "account_id": id });
        named("accounts", &borne, &format!("/sales-invoices/{}/write-off", invoice["id"]));
        let allocations = |at: usize, key: &'static str, kind: &'static str| {
            let mut body = traded(customer, supplier, bank, &account)[at].1.clone();
            body["kind"] = json!(kind);
            move |id: i64| {
                let mut body = body.clone();
                body["allocations"] = json!([{ key: id, "amount": 1 }]);
                body
            }
        };
        named("sales-invoices", &allocations(4, "invoice_id", "receipt"), "/customer-receipts");
        named("sales-credit-notes", &allocations(4, "credit_note_id", "refund"), "/customer-receipts");
        named("customer-receipts", &allocations(4, "receipt_id", "refund"), "/customer-receipts");
        named("purchase-invoices", &allocations(5, "invoice_id", "payment"), "/supplier-payments");
        named("supplier-payments", &allocations(5, "payment_id", "refund"), "/supplier-payments");
        let receipt = |id: i64| confirm(json!({ "type": "match", "customer_receipt_id": id }));
        assert_eq!(details(receipt(foreign_record("customer-receipts"))), details(receipt(888_888)));
        let paid = |id: i64| confirm(json!({ "type": "supplier_payment", "supplier_id": id }));
        assert_eq!(details(paid(foreign_record("suppliers"))), details(paid(888_888)));

        let after: Vec<Value> = LISTS.map(get).into();
        assert_eq!(before, after, "nothing of the other tenant has moved");
    }

    fn an_action_without_keys_refuses_what_it_was_not_asked_for(database) {
        let own = Tenant::of(Books::on(&database));
        let before: Vec<Value> = LISTS.map(|rest| own.books.get(rest)).into();
        let operations = bare_operations();
        assert!(operations.len() >= 14, "{operations:?}");
        for operation in &operations {
            let plain = |body: &str| {
                let found = request(&own, &own.books.key, operation, own.books.id, |kind| own.record(kind));
                found.header("Content-Type", "application/json").body(body)
            };
            plain("{bad").send().refused(400, "invalid_json");
            plain("{bad").bearer("nonsense").send().refused(400, "invalid_json");
            assert_eq!(format_paths(&plain(r#"{"zz":1,"y":2}"#).send()), ["zz", "y"], "{operation:?}");
            for odd in ["[]", "1", "null", "\"x\""] {
                assert_eq!(format_paths(&plain(odd).send()), ["body"], "{operation:?} {odd}");
            }
            if names_a_record(operation.1) {
                let nobodys = request(&own, &own.books.key, operation, own.books.id, |_| 999_999_999);
                nobodys.json(&json!({ "zz": 1 })).send().refused(404, "not_found");
            }
            let text = request(&own, &own.books.key, operation, own.books.id, |kind| own.record(kind));
            text.header("Content-Type", "text/plain").body("{}").send().refused(415, "unsupported_media_type");
        }
        let after: Vec<Value> = LISTS.map(|rest| own.books.get(rest)).into();
        assert_eq!(before, after, "something was done all the same");
        // Nothing and an object without keys are the same request.
        let path = format!("/sales-invoices/{}/issue", own.record("sales-invoices"));
        let issue = |body: &str| {
            own.books.request("POST", &path).idempotency_key("i").header("Content-Type", "application/json").body(body).send()
        };
        issue("{ }").expect(200);
        assert_eq!(issue("").header("idempotency-replayed"), Some("true"));
        let form = "application/x-www-form-urlencoded";
        let archive = format!("/customers/{}/archive", own.record("customers"));
        own.books.request("POST", &archive).header("Content-Type", form).body("").send().expect(200);
    }

    fn a_parameter_that_nobody_reads_is_refused(database) {
        let own = Tenant::of(Books::on(&database));
        let before: Vec<Value> = LISTS.map(|rest| own.books.get(rest)).into();
        let refused = |request: Request, is_change: bool| {
            let details = request.query("zz=1&statuss=paid&zz=2").send().details(422, "invalid_request_format");
            for (at, name) in ["zz", "statuss"].into_iter().enumerate() {
                let issue = &details["issues"][at];
                assert_eq!((&issue["section"], &issue["field"]), (&json!("query"), &json!(name)), "{details}");
                let message = issue["message"].as_str().unwrap();
                assert!(message.starts_with("unknown parameter; "), "{details}");
                assert!(!is_change || message.ends_with("only dry_run is allowed"), "{details}");
            }
            assert_eq!(details["issue_count"], 2, "{details}");
        };
        for operation in operations() {
            let whole = request(&own, &own.books.key, &operation, own.books.id, |kind| own.record(kind));
            // A job that is asked for is no posting, and cannot be rehearsed.
            refused(whole, operation.0 != "GET" && operation.2 != "suggestBankTransactions");
            if operation.0 == "GET" && names_a_record(operation.1) {
                let nobodys = request(&own, &own.books.key, &operation, own.books.id, |_| 999_999_999);
                nobodys.query("zz=1").send().refused(404, "not_found");
            }
        }
        let client = &own.books.server.client;
        refused(client.get(ORGANISATIONS).key(&own.books.key), false);
        refused(client.post(ORGANISATIONS).key(&own.books.key).json(&json!({ "name": "Another" })), true);
        let after: Vec<Value> = LISTS.map(|rest| own.books.get(rest)).into();
        assert_eq!(before, after, "something was done all the same");
        // What the names are is said, and a list without an offset has none.
        let message = |rest: &str| {
            let details = own.books.request("GET", rest).send().details(422, "invalid_request_format");
            details["issues"][0]["message"].as_str().unwrap().to_owned()
        };
        let only = |names: &str| format!("unknown parameter; only {names} are allowed");
        assert_eq!(message("/imports?status=paid"), only("limit and offset"));
        assert_eq!(message("/changes?offset=1"), only("since, order, before and limit"));
        assert_eq!(message("/accounts?limit=2"), only("account_type, role, include_archived and updated_since"));
        assert_eq!(message("/status?date=2026-01-01"), "unknown parameter; no parameters are allowed here");
        assert_eq!(message("?fields=id"), "unknown parameter; no parameters are allowed here");
        // Routes of the other products take no notice of it.
        client.get("/api/v1/me?zz=1").key(&own.books.key).send().expect(200);
        client.get("/api/v1/keys?zz=1").session(&own.books.owner).send().expect(200);
        client.get("/api/v1/health?zz=1").send().expect(200);
    }

    fn permission_comes_before_the_media_type_and_that_before_the_path(database) {
        let own = Tenant::of(Books::on(&database));
        let server = &own.books.server;
        let viewer = server.person();
        server.member(own.books.id, &viewer, "viewer");
        let scopes = ["books:read", "books:write", "books:send", "coding:write"];
        let (viewers, strangers) = (server.key(&viewer, &scopes), server.key(&server.person(), &scopes));
        let elsewhere = server.organisation(&own.books.owner, "Else");
        let restricted = json!({ "name": "r", "scopes": scopes, "organisation_ids": [elsewhere] });
        let restricted = server.key_with(&own.books.owner, &restricted);
        for operation in operations().into_iter().filter(|of| !["GET", "DELETE"].contains(&of.0.as_str())) {
            let text = |key: &ApiKey, id: Option<i64>| {
                let found = request(&own, key, &operation, own.books.id, |kind| id.unwrap_or_else(|| own.record(kind)));
                found.header("Content-Type", "text/plain").body("{}").send()
            };
            text(&viewers, None).refused(403, "forbidden");
            text(&restricted, None).refused(403, "forbidden");
            for (key, id) in [(&own.books.key, None), (&own.books.key, Some(999_999_999)), (&strangers, None)] {
                text(key, id).refused(415, "unsupported_media_type");
            }
        }
        let make = |key: &ApiKey| {
            let made = server.client.post(ORGANISATIONS).key(key).header("Content-Type", "text/plain");
            made.body("{}").send()
        };
        make(&restricted).refused(403, "forbidden");
        make(&own.books.key).refused(415, "unsupported_media_type");
    }
}

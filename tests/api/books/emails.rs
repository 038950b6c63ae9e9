//! E-mails of documents: queued with the books, sent into the outbox, listed, cancelled, refused.

use std::collections::BTreeMap;

use bookkeeping_suite::http::route_table::BodyRule;
use bookkeeping_suite::http::routes;
use serde_json::{Value, json};
use xtask::mail_server::{Reaction, Step};

use super::trade::fields;
use super::{Books, format_paths, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;
use crate::support::mail::{DEAD, Mailing};
use crate::support::server::{Setup, TestServer};
use crate::support::until;

/// Documents of each kind that can be e-mailed, by the list they stand in, all to contacts with an address.
struct Desk {
    books: Books,
    customer: i64,
    documents: Vec<(&'static str, &'static str, i64)>,
}

impl Desk {
    fn of(books: Books) -> Self {
        let contact = |kind: &str, email: &str| {
            let body = json!({ "name": "Brightwell School", "email": email });
            books.made(&format!("/{kind}"), &body)["id"].as_i64().unwrap()
        };
        let (customer, supplier) =
            (contact("customers", "accounts@example.com"), contact("suppliers", "post@example.net"));
        let invoice = books.sale(customer, "2026-03-01", "1200")["id"].as_i64().unwrap();
        let lines = [books.item("4000", "10", "NV")];
        let credit = json!({ "customer_id": customer, "credit_note_date": "2026-03-02", "lines": lines });
        let credit = books.made("/sales-credit-notes", &credit)["id"].as_i64().unwrap();
        let money = |list: &str, contact: &str, id: i64| {
            let body = json!({ contact: id, "date": "2026-03-03", "amount": 700, "bank_account_id": books.bank_id() });
            books.made(list, &body)["id"].as_i64().unwrap()
        };
        let documents = vec![
            ("sales-invoices", "sales_invoice", invoice),
            ("sales-credit-notes", "sales_credit_note", credit),
            ("customer-receipts", "customer_receipt", money("/customer-receipts", "customer_id", customer)),
            ("supplier-payments", "supplier_payment", money("/supplier-payments", "supplier_id", supplier)),
        ];
        Self { books, customer, documents }
    }

    fn invoice(&self) -> i64 {
        self.documents[0].2
    }

    fn send(&self, body: &Value) -> Answer {
        self.books.post(&format!("/sales-invoices/{}/email", self.invoice()), body)
    }

    #[track_caller]
    fn queued(&self, body: &Value) -> Value {
        self.send(body).expect(202)["data"].clone()
    }
}

impl Books {
    /// An e-mail as it is now.
    #[track_caller]
    pub fn email(&self, id: &Value) -> Value {
        self.get(&format!("/emails/{id}"))["data"].clone()
    }

    /// An e-mail once it is in this state.
    #[track_caller]
    pub fn email_once(&self, id: &Value, status: &str) -> Value {
        until(&format!("the e-mail is {status}"), || Some(self.email(id)).filter(|email| email["status"] == status))
    }
}

on_both_databases! {
    fn a_document_is_queued_with_its_history_and_lands_in_the_outbox_once(database) {
        let desk = Desk::of(Books::on(&database));
        let books = &desk.books;
        for (list, document_type, id) in &desk.documents {
            let path = format!("/{list}/{id}");
            let before = books.get(&path)["data"].clone();
            let answer = books.request("POST", &format!("{path}/email")).send();
            let email = answer.expect(202)["data"].clone();
            assert_eq!(
                keys(&email),
                [
                    "attempts", "cc", "created_at", "document_id", "document_type", "error", "id", "message", "message_id",
                    "next_attempt_at", "pdf_changed", "period_end", "period_start", "sent_at", "status", "subject", "to",
                ]
            );
            assert_eq!((&email["document_type"], &email["document_id"]), (&json!(document_type), &json!(id)));
            assert_eq!((&email["status"], &email["attempts"]), (&json!("queued"), &json!(0)));
            assert_eq!((&email["error"], &email["sent_at"], &email["cc"]), (&Value::Null, &Value::Null, &json!([])));
            let to = if *list == "supplier-payments" { "post@example.net" } else { "accounts@example.com" };
            assert_eq!(email["to"], json!([to]));
            let (subject, message) = (email["subject"].as_str().unwrap(), email["message"].as_str().unwrap());
            let number = before["number"].as_str().or(before["invoice_number"].as_str()).or(before["credit_note_number"].as_str());
            assert!(subject.contains(number.unwrap()) && subject.ends_with(" from Larkspur Joinery Ltd"), "{subject}");
            assert!(message.starts_with("Dear Brightwell School,\n"), "{message}");

            let after = books.get(&path)["data"].clone();
            assert_eq!(after["status"], before["status"]);
            assert_eq!((&before["last_emailed_at"], &after["last_emailed_at"]), (&Value::Null, &email["created_at"]));
            assert_eq!(after["version"].as_i64(), before["version"].as_i64().map(|version| version + 1));
            let listed = books.get(&format!("/{list}"))["data"][0].clone();
            assert_eq!((&listed["id"], &listed["last_emailed_at"]), (&json!(id), &after["last_emailed_at"]));
            assert_eq!(fields(&email, &["period_start", "period_end", "pdf_changed"]), json!([null, null, false]));
            let history = books.get(&format!("{path}/history"))["data"].clone();
            let last = history.as_array().unwrap().iter().find(|entry| entry["action"] == "email");
            assert!(last.is_some_and(|entry| entry["summary"].as_str().unwrap().ends_with("e-mailed")), "{history}");
            assert_eq!(last.map(|entry| &entry["after"]["last_emailed_at"]), Some(&email["created_at"]), "{history}");

            let sent = books.email_once(&email["id"], "sent");
            assert_eq!((&sent["attempts"], &sent["next_attempt_at"], &sent["error"]), (&json!(1), &Value::Null, &Value::Null));
            assert!(sent["sent_at"].is_string());
        }
        let files = desk.books.server.outbox();
        assert_eq!(files.len(), desk.documents.len());
        for (name, text) in &files {
            let list = books.get("/emails");
            let email = list["data"].as_array().unwrap().iter().find(|email| *name == format!("{}.eml", email["message_id"].as_str().unwrap()));
            assert!(email.is_some(), "{name} {list}");
            assert!(text.contains("Content-Type: application/pdf") && text.contains("JVBERi0xLjc"), "a PDF: {text}");
            assert!(text.contains("\r\nAuto-Submitted: auto-generated\r\n") && text.contains(&format!("\r\nReply-To: {}\r\n", desk.books.owner.email)), "{text}");
        }
        assert_eq!(books.get("/emails")["pagination"]["total"], desk.documents.len());
    }

    fn what_the_caller_writes_is_what_is_sent(database) {
        let server = Mailing::start();
        let desk = Desk::of(Books::of(server.setup(Setup::new().on(&database)).start()));
        let body = json!({
            "to": ["a@example.com", "b@example.org"], "cc": ["c@example.com"], "subject": "Rechnung £5 für Ärger",
            "message": "Line one\r\n.\r\n..two\n£5 — über", "attach_pdf": false
        });
        let email = desk.queued(&body);
        assert_eq!((&email["to"], &email["cc"], &email["subject"]), (&body["to"], &body["cc"], &body["subject"]));
        assert_eq!(email["message"], "Line one\n.\n..two\n£5 — über");
        desk.books.email_once(&email["id"], "sent");
        let received = server.server.received();
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].from, "books@books.example");
        assert_eq!(received[0].to, ["a@example.com", "b@example.org", "c@example.com"]);
        assert_eq!(received[0].message_id, email["message_id"].as_str().unwrap());
        assert!(received[0].message_id.ends_with("@books.example"));
        let text = &received[0].text;
        assert!(text.contains("From: \"Larkspur Joinery Ltd\" <books@books.example>\r\n"), "{text}");
        assert!(text.contains("To: a@example.com, b@example.org\r\nCc: c@example.com\r\n") && text.is_ascii(), "{text}");
        assert!(text.contains("Subject: Rechnung =?utf-8?b?"), "{text}");
    }

    fn a_dry_run_queues_nothing_and_a_key_queues_once(database) {
        let desk = Desk::of(Books::on(&database));
        let (books, path) = (&desk.books, format!("/sales-invoices/{}/email", desk.invoice()));
        let before = books.get(&format!("/sales-invoices/{}", desk.invoice()));
        let dry = books.post(&format!("{path}?dry_run=true"), &json!({})).expect(200);
        assert_eq!((&dry["dry_run"], &dry["data"]["id"], &dry["data"]["message_id"]), (&json!(true), &Value::Null, &Value::Null));
        assert!(dry["data"]["subject"].as_str().unwrap().starts_with("Invoice INV-"), "{dry}");
        assert!(dry["data"]["message"].as_str().unwrap().contains("Total: £1,200.00\n"), "{dry}");
        assert_eq!((books.server.rows_of("email"), books.get(&format!("/sales-invoices/{}", desk.invoice()))), (0, before));
        let post = || books.request("POST", &path).idempotency_key("once").json(&json!({ "subject": "S" })).send();
        let (first, again) = (post(), post());
        assert_eq!((first.status, &first.body, again.header("idempotency-replayed")), (202, &again.body, Some("true")));
        assert_eq!(books.server.rows_of("email"), 1);
        let other = books.request("POST", &path).idempotency_key("once").json(&json!({ "subject": "T" })).send();
        assert_eq!(reason(&other), "idempotency_key_reused");
        let stale = books.request("POST", &path).header("If-Match", "\"1\"").json(&json!({})).send();
        assert_eq!(reason(&stale), "stale_version");
        books.email_once(&first.value()["data"]["id"], "sent");
        assert_eq!(books.server.outbox().len(), 1);
    }

    fn what_cannot_be_sent_is_refused_and_changes_nothing(database) {
        let desk = Desk::of(Books::on(&database));
        let books = &desk.books;
        let nobody = books.customer("Nobody");
        let unaddressed = books.sale(nobody, "2026-03-01", "5")["id"].clone();
        let lines = [books.item("4000", "10", "NV")];
        let draft = json!({ "customer_id": desk.customer, "invoice_date": "2026-03-01", "lines": lines, "issue": false });
        let draft = books.made("/sales-invoices", &draft)["id"].clone();
        let void = books.sale(desk.customer, "2026-03-01", "5")["id"].clone();
        books.done(&format!("/sales-invoices/{void}/void"), &json!({}));
        let receipt = desk.documents[2].2;
        books.done(&format!("/customer-receipts/{receipt}/void"), &json!({}));
        let picture = || (books.get("/sales-invoices"), books.get("/changes"), books.server.rows_of("email"));
        let before = picture();
        let refused = |list: &str, id: &Value| books.post(&format!("/{list}/{id}/email"), &json!({}));
        let no_recipient = refused("sales-invoices", &unaddressed);
        assert_eq!((no_recipient.status, reason(&no_recipient)), (422, "no_recipient".to_owned()));
        for (answer, current, allowed) in [
            (refused("sales-invoices", &draft), "draft", "issued"),
            (refused("sales-invoices", &void), "void", "issued"),
            (refused("customer-receipts", &json!(receipt)), "void", "posted"),
        ] {
            let details = answer.details(409, "conflict");
            assert_eq!(details, json!({ "reason": "invalid_state", "current": current, "allowed": [allowed] }));
        }
        refused("sales-invoices", &json!(999_999)).refused(404, "not_found");
        refused("sales-credit-notes", &json!(desk.invoice())).refused(404, "not_found");
        let bad = json!({ "to": ["a@example.com, b@example.com"], "cc": ["a@b.co\r\nBcc: x@y.co"], "subject": "a\r\nBcc: x@y.co" });
        let mut paths = format_paths(&desk.send(&bad));
        paths.sort();
        assert_eq!(paths, ["cc[0]", "subject", "to[0]"]);
        books.post("/sales-invoices/999999/email", &bad).refused(404, "not_found");
        books.request("POST", "/emails/999999/resend").send().refused(404, "not_found");
        books.request("POST", "/emails/999999/cancel").send().refused(404, "not_found");
        books.request("GET", "/emails/x").send().refused(404, "not_found");
        assert_eq!(picture(), before);
    }

    fn a_pdf_whose_bytes_are_dropped_is_rendered_again_and_says_whether_it_is_another(database) {
        let mailing = Mailing::start();
        let desk = Desk::of(Books::of(mailing.setup(Setup::new().on(&database)).start()));
        let books = &desk.books;
        let (invoice, other) = (desk.invoice(), books.sale(desk.customer, "2026-03-02", "7")["id"].as_i64().unwrap());
        mailing.server.react(|step| match step {
            Step::Command(line) if line.starts_with("RCPT") => Reaction::Say("550 5.1.1 no such user"),
            _ => Reaction::Accept,
        });
        let failed = |invoice: i64, body: Value| {
            let email = books.post(&format!("/sales-invoices/{invoice}/email"), &body).expect(202)["data"].clone();
            books.email_once(&email["id"], "failed")
        };
        let [same, changed] = [invoice, other].map(|invoice| failed(invoice, json!({})));
        let without = failed(invoice, json!({ "attach_pdf": false }));
        mailing.server.react(|_| Reaction::Accept);
        let sent_again = |email: &Value| {
            let again = books.request("POST", &format!("/emails/{}/resend", email["id"])).send().expect(202)["data"].clone();
            let sent = books.email_once(&email["id"], "sent");
            assert_eq!((&sent["pdf_changed"], &sent["message_id"]), (&again["pdf_changed"], &email["message_id"]));
            let message_id = email["message_id"].as_str().unwrap();
            let received = mailing.server.received().into_iter().rfind(|one| one.message_id == message_id).unwrap();
            (sent["pdf_changed"] == true, received.text.contains("Content-Type: application/pdf"))
        };
        // Of the other, something that is printed changed after its bytes went.
        books.server.drop_pdfs();
        assert_eq!(sent_again(&same), (false, true));
        books.request("PATCH", "").json(&json!({ "legal_name": "Larkspur Joinery (York) Limited" })).send().expect(200);
        let dry = books.request("POST", &format!("/emails/{}/resend?dry_run=true", changed["id"])).send().expect(200);
        assert_eq!((&dry["data"]["pdf_changed"], &books.email(&changed["id"])["pdf_changed"]), (&json!(true), &json!(false)));
        assert_eq!(sent_again(&changed), (true, true));
        let history = books.get("/changes?limit=200")["data"].clone();
        let entry = history.as_array().unwrap().iter().find(|entry| entry["action"] == "resend" && entry["resource_id"] == changed["id"]);
        assert_eq!(entry.map(|entry| (&entry["before"]["pdf_changed"], &entry["after"]["pdf_changed"])), Some((&json!(false), &json!(true))));
        // Where none was attached there is none to render.
        assert_eq!(sent_again(&without), (false, false));
    }

    fn a_pdf_whose_bytes_are_there_is_sent_as_it_was(database) {
        let mailing = Mailing::start();
        let desk = Desk::of(Books::of(mailing.setup(Setup::new().on(&database)).start()));
        let books = &desk.books;
        mailing.server.react(|step| match step {
            Step::Command(line) if line.starts_with("RCPT") => Reaction::Say("550 5.1.1 no such user"),
            _ => Reaction::Accept,
        });
        let email = desk.queued(&json!({}));
        books.email_once(&email["id"], "failed");
        books.request("PATCH", "").json(&json!({ "legal_name": "Larkspur Joinery (York) Limited" })).send().expect(200);
        mailing.server.react(|_| Reaction::Accept);
        let again = books.request("POST", &format!("/emails/{}/resend", email["id"])).send().expect(202)["data"].clone();
        assert_eq!(again["pdf_changed"], false);
        books.email_once(&email["id"], "sent");
        let second = desk.queued(&json!({}));
        books.email_once(&second["id"], "sent");
        let received = mailing.server.received();
        let file = |email: &Value| {
            let one = received.iter().find(|one| email["message_id"] == one.message_id.as_str()).unwrap();
            one.text.split("application/pdf").nth(1).and_then(|part| part.split("\r\n\r\n").nth(1)).unwrap().to_owned()
        };
        assert!(file(&email) != file(&second), "the first was printed before the name changed");
    }

    fn the_scope_to_send_stands_alone(database) {
        let desk = Desk::of(Books::on(&database));
        let books = &desk.books;
        let others: Vec<&str> =
            crate::support::server::ALL_SCOPES.into_iter().filter(|scope| *scope != "books:send").collect();
        let (without, alone) = (books.server.key(&books.owner, &others), books.server.key(&books.owner, &["books:send"]));
        let mut sending = 0;
        for route in routes::routes().into_iter().filter(|route| route.path.contains("{organisationId}")) {
            let path = route.path.replace("{organisationId}", &books.id.to_string()).replace("{id}", "999999");
            let sends = route.path.ends_with("/email") || route.path.ends_with("/resend") || route.path.ends_with("/cancel");
            let request = |key| {
                let request = books.server.client.request(route.method.as_str(), &path).key(key);
                // What has to be in a body comes after what the path names.
                if sends && route.body != BodyRule::NoKeys && !route.path.contains("statement") { request } else { request.json(&json!({})) }
            };
            if sends {
                sending += 1;
                request(&without).send().refused(403, "forbidden");
                request(&alone).send().refused(404, "not_found");
            } else {
                request(&alone).send().refused(403, "forbidden");
            }
        }
        assert_eq!(sending, 8);
        let path = books.path(&format!("/sales-invoices/{}/email", desk.invoice()));
        books.server.client.post(&path).key(&alone).send().expect(202);
        let viewer = books.server.person();
        books.server.member(books.id, &viewer, "viewer");
        let viewers = books.server.key(&viewer, &["books:send"]);
        books.server.client.post(&path).key(&viewers).send().refused(403, "forbidden");
        assert_eq!(books.server.rows_of("email"), 1);
    }

    fn what_waits_can_be_cancelled_and_what_has_left_cannot(database) {
        let books = Books::of(Setup::new().on(&database).settings(DEAD).start());
        let desk = Desk::of(books);
        let books = &desk.books;
        let (first, second) = (desk.queued(&json!({})), desk.queued(&json!({})));
        let act = |id: &Value, what: &str| books.request("POST", &format!("/emails/{id}/{what}")).send();
        let dry = act(&first["id"], "cancel?dry_run=true").expect(200);
        assert_eq!((&dry["data"]["status"], &dry["dry_run"]), (&json!("cancelled"), &json!(true)));
        let cancelled = act(&first["id"], "cancel").expect(200)["data"].clone();
        assert_eq!((&cancelled["status"], &cancelled["next_attempt_at"]), (&json!("cancelled"), &Value::Null));
        let again = act(&first["id"], "cancel").details(409, "conflict");
        assert_eq!(again, json!({ "reason": "invalid_state", "current": "cancelled", "allowed": ["queued"] }));
        let again = act(&second["id"], "resend").details(409, "conflict");
        assert_eq!(again, json!({ "reason": "invalid_state", "current": "queued", "allowed": ["failed", "uncertain"] }));
        let changes = books.get("/changes")["data"].clone();
        let entry = changes.as_array().unwrap().iter().find(|entry| entry["action"] == "cancel").unwrap();
        assert_eq!((&entry["resource_type"], &entry["resource_id"]), (&json!("email"), &first["id"]));
        assert_eq!((&entry["before"]["status"], &entry["after"]["status"]), (&json!("queued"), &json!("cancelled")));
        let list = |query: &str| {
            let page = books.get(&format!("/emails{query}"));
            let ids: Vec<Value> = page["data"].as_array().unwrap().iter().map(|email| email["id"].clone()).collect();
            (ids, page["pagination"]["total"].clone())
        };
        assert_eq!(list(""), (vec![second["id"].clone(), first["id"].clone()], json!(2)));
        assert_eq!(list("?status=queued"), (vec![second["id"].clone()], json!(1)));
        assert_eq!(list("?document_type=sales_credit_note"), (vec![], json!(0)));
        let invoice = format!("?document_type=sales_invoice&document_id={}&limit=1", desk.invoice());
        assert_eq!(list(&invoice), (vec![second["id"].clone()], json!(2)));
        assert_eq!(list("?updated_since=2199-01-01T00:00:00Z"), (vec![], json!(0)));
        let bad = books.request("GET", "/emails?document_type=x&document_id=0&status=gone&updated_since=now").send();
        let fields: Vec<Value> = bad.details(422, "invalid_request_format")["issues"].as_array().unwrap().iter().map(|issue| issue["field"].clone()).collect();
        assert_eq!(fields, ["document_type", "document_id", "status", "updated_since"]);
        assert_eq!(books.email(&second["id"])["attempts"], 0);
    }
}

#[test]
fn ten_thousand_wait_and_no_more() {
    let desk = Desk::of(Books::of(Setup::new().settings(DEAD).start()));
    let books = &desk.books;
    let first = desk.queued(&json!({}));
    books.server.copy_emails(first["id"].as_i64().unwrap(), 9_999);
    let full = desk.send(&json!({}));
    assert_eq!(full.details(503, "busy")["reason"], "mail_queue");
    assert!(full.number("retry-after") >= 1);
    let before = books.get(&format!("/sales-invoices/{}", desk.invoice()))["data"]["version"].clone();
    books.request("POST", &format!("/emails/{}/cancel", first["id"])).send().expect(200);
    desk.queued(&json!({}));
    let after = books.get(&format!("/sales-invoices/{}", desk.invoice()))["data"]["version"].clone();
    assert_eq!((before, after), (json!(2), json!(3)));
}

#[test]
fn the_outbox_keeps_the_pace_of_an_organisation_and_of_its_owner() {
    let server = Setup::new().settings(|settings| settings.mail_per_minute = Some(2)).start();
    let first = Desk::of(Books::of(server));
    let (owner, key) = (first.books.owner.clone(), first.books.key.clone());
    let made = first.books.server.client.post(super::ORGANISATIONS).key(&key).json(&json!({ "name": "Second Ltd" }));
    let second = made.send().expect(201)["data"]["id"].as_i64().unwrap();
    let stranger = first.books.server.person();
    assert_ne!(owner.user_id, stranger.user_id);
    let statuses = || {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for email in first.books.get("/emails?limit=200")["data"].as_array().unwrap() {
            *counts.entry(email["status"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        counts
    };
    let has = |sent: usize, queued: usize| {
        until("two leave a minute", || {
            let counts = statuses();
            let of = |status: &str| counts.get(status).copied().unwrap_or_default();
            (of("sent") == sent && of("queued") == queued).then_some(())
        });
    };
    for _ in 0..5 {
        first.queued(&json!({}));
    }
    has(2, 3);
    // The owner's other organisation shares the pace.
    let path = |rest: &str| format!("{}/{second}{rest}", super::ORGANISATIONS);
    let post = |rest: &str, body: &Value| first.books.server.client.post(&path(rest)).key(&key).json(body).send();
    let customer =
        post("/customers", &json!({ "name": "x", "email": "x@example.com" })).expect(201)["data"]["id"].clone();
    let accounts = first.books.server.client.get(&path("/accounts")).key(&key).send().expect(200);
    let account =
        accounts["data"].as_array().unwrap().iter().find(|account| account["code"] == "4000").unwrap()["id"].clone();
    let lines = json!([{ "description": "x", "account_id": account, "unit_price": 1, "vat_code": "NV" }]);
    let invoice = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": lines });
    let invoice = post("/sales-invoices", &invoice).expect(201)["data"]["id"].clone();
    let other = post(&format!("/sales-invoices/{invoice}/email"), &json!({})).expect(202)["data"]["id"].clone();
    let shown = || first.books.server.client.get(&path(&format!("/emails/{other}"))).key(&key).send().expect(200);
    assert_eq!(shown()["data"]["status"], "queued");
    first.books.server.advance_s(61);
    until("two more leave", || (first.books.server.outbox().len() == 4).then_some(()));
    // Turn by turn: one of each organisation. A file lies there a moment before its e-mail counts as sent.
    has(3, 2);
    until("the other one is sent", || (shown()["data"]["status"] == "sent").then_some(()));
    first.books.server.advance_s(61);
    has(5, 0);
}

#[test]
fn a_server_without_settings_for_mail_starts_and_unusable_ones_are_named() {
    let refused = |change: fn(&mut bookkeeping_suite::config::Overrides)| {
        Setup::new().settings(change).try_start().err().expect("refused").to_string()
    };
    assert!(
        refused(|settings| settings.smtp_url = Some("smtp://127.0.0.1".to_owned())).starts_with("setting mail_from")
    );
    let missing = refused(|settings| {
        settings.mail_from = Some("books@books.example".to_owned());
        settings.mail_dkim_selector = Some("b1".to_owned());
        settings.mail_dkim_key_file = Some("/nowhere/key.pem".into());
    });
    assert!(missing.starts_with("setting mail_dkim_key_file"), "{missing}");
    drop(TestServer::start());
}

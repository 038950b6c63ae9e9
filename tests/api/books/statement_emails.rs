//! Statements of account: printed for a customer, e-mailed, sent again, refused.

use serde_json::{Value, json};
use xtask::mail_server::{Reaction, Step};

use super::trade::fields;
use super::{Books, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::{Database, on_both_databases};
use crate::support::mail::Mailing;
use crate::support::pdf::read;
use crate::support::server::Setup;

/// The query of the days of [`march`].
const MARCH: &str = "period_start=2026-03-01&period_end=2026-03-31";

fn march() -> Value {
    json!({ "period_start": "2026-03-01", "period_end": "2026-03-31" })
}

/// Books with a customer who owes 490.00 at the end of March: 1,200.00 invoiced, 10.00 credited, 700.00 received.
struct Account {
    books: Books,
    customer: i64,
}

impl Account {
    fn of(books: Books) -> Self {
        let body = json!({ "name": "Brightwell School", "email": "accounts@example.com" });
        let customer = books.made("/customers", &body)["id"].as_i64().unwrap();
        books.sale(customer, "2026-03-01", "1200");
        let lines = [books.item("4000", "10", "NV")];
        books.made(
            "/sales-credit-notes",
            &json!({ "customer_id": customer, "credit_note_date": "2026-03-02", "lines": lines }),
        );
        let receipt =
            json!({ "customer_id": customer, "date": "2026-03-03", "amount": 700, "bank_account_id": books.bank_id() });
        books.made("/customer-receipts", &receipt);
        Self { books, customer }
    }

    fn mailing(mailing: &Mailing, database: &Database) -> Self {
        Self::of(Books::of(mailing.setup(Setup::new().on(database)).start()))
    }

    fn path(&self) -> String {
        format!("/customers/{}/statement/email", self.customer)
    }

    fn send(&self, body: &Value) -> Answer {
        self.books.post(&self.path(), body)
    }

    #[track_caller]
    fn queued(&self) -> Value {
        self.send(&march()).expect(202)["data"].clone()
    }

    fn picture(&self) -> (Value, Value, i64) {
        let customer = self.books.get(&format!("/customers/{}", self.customer));
        (customer, self.books.get("/changes"), self.books.server.rows_of("email"))
    }
}

on_both_databases! {
    fn a_statement_is_printed_as_the_report_prints_it(database) {
        let Account { books, customer } = Account::of(Books::on(&database));
        let path = format!("/customers/{customer}/statement/pdf");
        let printed = books.request("GET", &format!("{path}?{MARCH}")).send();
        let name = "inline; filename=\"customer-statement Brightwell School 2026-03-01 2026-03-31.pdf\"";
        assert_eq!(printed.header("content-disposition"), Some(name));
        let report = books.request("GET", &format!("/reports/customer-statement/{customer}?{MARCH}&format=pdf")).send();
        assert!(report.body == printed.body, "one file");
        if let Some(read) = read(&printed) {
            let said = ["Statement of account", "Larkspur Joinery Ltd", "Brightwell School", "1,200.00", "700.00", "490.00"];
            read.says(&said);
        }
        // A reader needs no other scope, and nothing stands in place of the days.
        let reader = books.server.key(&books.owner, &["books:read"]);
        let full = books.path(&format!("{path}?{MARCH}"));
        assert_eq!(books.server.client.get(&full).key(&reader).send().status, 200);
        let paths = |query: &str| format_paths(&books.request("GET", &format!("{path}{query}")).send());
        assert_eq!(paths(""), ["query.period_start", "query.period_end"]);
        assert_eq!(paths("?period_start=2026-03-02&period_end=2026-03-01"), ["query.period_end"]);
        assert_eq!(paths(&format!("?{MARCH}&format=csv")), ["query.format"]);
        let supplier = books.supplier("Timber Ltd");
        for id in [supplier, 999_999] {
            books.request("GET", &format!("/customers/{id}/statement/pdf?x=1")).send().refused(404, "not_found");
        }
    }

    fn a_statement_asks_for_what_is_owed_and_says_what_is_in_hand(database) {
        let Account { books, customer } = Account::of(Books::on(&database));
        let account = json!({ "bank_name": "Bank of York", "sort_code": "12-34-56", "account_number": "12345678" });
        books.request("PATCH", &format!("/bank-accounts/{}", books.bank_id())).json(&account).send().expect(200);
        books.request("PATCH", "").json(&json!({ "payment_bank_account_id": books.bank_id() })).send().expect(200);
        let letters = |customer: i64| {
            let path = format!("/customers/{customer}/statement/pdf?{MARCH}");
            read(&books.request("GET", &path).send()).map(|read| (read.letters(), read.text))
        };
        let (overpaid, nothing) = (books.customer("Overpaid & Sons"), books.customer("Nothing Yet Ltd"));
        books.receipt(overpaid, "2026-03-03", "130", &[]);
        if let Some((owed, text)) = letters(customer) {
            assert!(owed.contains("Topay£490.00AccountnameLarkspurJoineryLtdBankBankofYorkSortcode12-34-56"), "{text}");
            // Nothing is overdue yet, and that is no number below zero.
            assert!(!text.contains("-1 ") && !text.contains("-0 ") && !owed.contains("Inyourfavour"), "{text}");
        }
        if let Some((in_hand, text)) = letters(overpaid) {
            assert!(in_hand.contains("Inyourfavour£130.00") && !in_hand.contains("Topay") && !in_hand.contains("Sortcode"), "{text}");
        }
        if let Some((even, text)) = letters(nothing) {
            assert!(!even.contains("Inyourfavour") && !even.contains("Topay") && !even.contains("Sortcode"), "{text}");
        }
        // Wherever the table ends, who is to be paid and where stand on one page.
        let many = books.customer("Sixty Lines plc");
        for number in 1..=62 {
            books.sale(many, "2026-03-05", "10");
            if number < 50 {
                continue;
            }
            if let Some((_, text)) = letters(many) {
                let pages: Vec<&str> = text.split('\u{c}').filter(|page| page.contains("To pay") || page.contains("Sort code")).collect();
                assert_eq!(pages.len(), 1, "{number}: {text}");
            }
        }
    }

    fn a_statement_is_sent_with_its_pdf_and_changes_nothing(database) {
        let account = Account::of(Books::on(&database));
        let (books, customer) = (&account.books, account.customer);
        let before = account.picture();
        let dry = books.post(&format!("{}?dry_run=true", account.path()), &march()).expect(200)["data"].clone();
        assert_eq!((&dry["id"], &dry["message_id"]), (&Value::Null, &Value::Null));
        assert_eq!(account.picture(), before);

        let alone = books.server.key(&books.owner, &["books:send"]);
        let email = books.server.client.post(&books.path(&account.path())).key(&alone).json(&march()).send();
        let email = email.expect(202)["data"].clone();
        assert_eq!(
            fields(&email, &["document_type", "document_id", "period_start", "period_end", "to", "cc", "status"]),
            json!(["customer_statement", customer, "2026-03-01", "2026-03-31", ["accounts@example.com"], [], "queued"])
        );
        assert_eq!(fields(&email, &["subject", "message"]), fields(&dry, &["subject", "message"]));
        assert_eq!(email["subject"], "Statement of account from 1 March 2026 to 31 March 2026 from Larkspur Joinery Ltd");
        let message = email["message"].as_str().unwrap();
        assert!(message.contains("\nOpening balance: £0.00\nClosing balance: £490.00\n"), "{message}");
        books.email_once(&email["id"], "sent");
        let outbox = books.server.outbox();
        let sent = &outbox[0].1;
        assert_eq!(outbox.len(), 1);
        assert!(sent.contains("customer-statement Brightwell School 2026-03-01") && sent.contains("JVBERi0xLjc"), "{sent}");
        // The customer is as before, and their history says it.
        assert_eq!(books.get(&format!("/customers/{customer}")), before.0);
        let history = books.get(&format!("/customers/{customer}/history"))["data"].clone();
        let entry = history.as_array().unwrap().iter().find(|entry| entry["action"] == "email").unwrap();
        assert_eq!(entry["summary"], "Statement of account from 1 March 2026 to 31 March 2026 of Brightwell School e-mailed");
        let listed = books.get(&format!("/emails?document_type=customer_statement&document_id={customer}"));
        assert_eq!((&listed["data"][0]["id"], &listed["pagination"]["total"]), (&email["id"], &json!(1)));

        let post = || books.request("POST", &account.path()).idempotency_key("once").json(&march()).send();
        let (first, again) = (post(), post());
        assert_eq!((first.status, &first.body, again.header("idempotency-replayed")), (202, &again.body, Some("true")));
        assert_eq!(books.server.rows_of("email"), 2);
        let without = json!({
            "period_start": "2026-02-01", "period_end": "2026-02-28", "attach_pdf": false, "to": ["a@example.com"],
            "cc": ["b@example.com"], "subject": "Your account £", "message": "As agreed."
        });
        let email = account.send(&without).expect(202)["data"].clone();
        assert_eq!(fields(&email, &["to", "cc", "subject", "message"]), fields(&without, &["to", "cc", "subject", "message"]));
        books.email_once(&email["id"], "sent");
        let outbox = books.server.outbox();
        let name = format!("{}.eml", email["message_id"].as_str().unwrap());
        let sent = &outbox.iter().find(|(file, _)| *file == name).unwrap().1;
        assert!(!sent.contains("application/pdf") && sent.contains("\r\nTo: a@example.com\r\n"), "{sent}");
    }

    fn a_statement_that_cannot_be_sent_queues_nothing(database) {
        let account = Account::of(Books::on(&database));
        let books = &account.books;
        let (nobody, supplier) = (books.customer("Nobody"), books.supplier("Timber Ltd"));
        let before = account.picture();
        for id in [supplier, 999_999] {
            let path = format!("/customers/{id}/statement/email");
            for body in [march(), json!({})] {
                books.post(&path, &body).refused(404, "not_found");
            }
        }
        let backwards = json!({ "period_start": "2026-03-02", "period_end": "2026-03-01" });
        let wrong_day = json!({ "period_start": "2026-03-02", "period_end": "2026-03-32", "as_of": 1 });
        let long = json!({ "period_start": "2026-03-01", "period_end": "2036-03-08", "cc": ["a@b.co, c@d.co"] });
        let headers = json!({
            "period_start": "2026-03-01", "period_end": "2026-03-31", "to": ["a@b.co\r\nBcc: x@y.co"],
            "cc": ["A <a@b.co>"], "subject": "a\r\nBcc: x@y.co", "message": "bell \u{7}"
        });
        for (body, paths) in [
            (json!({}), vec!["period_end", "period_start"]),
            (json!({ "period_start": null, "period_end": 20_260_331 }), vec!["period_end", "period_start"]),
            (backwards, vec!["period_end"]),
            (wrong_day, vec!["as_of", "period_end"]),
            (long, vec!["cc[0]", "period_end"]),
            (headers, vec!["cc[0]", "message", "subject", "to[0]"]),
        ] {
            let mut found = format_paths(&account.send(&body));
            found.sort();
            assert_eq!(found, paths, "{body}");
        }
        assert_eq!(books.request("POST", &account.path()).send().status, 400);
        let unaddressed = books.post(&format!("/customers/{nobody}/statement/email"), &march());
        assert_eq!((unaddressed.status, reason(&unaddressed)), (422, "no_recipient".to_owned()));
        let stale = books.request("POST", &account.path()).header("If-Match", "\"99\"").json(&march()).send();
        assert_eq!((stale.status, reason(&stale)), (409, "stale_version".to_owned()));
        let writer = books.server.key(&books.owner, &["books:read", "books:write"]);
        let path = books.path(&account.path());
        books.server.client.post(&path).key(&writer).json(&march()).send().refused(403, "forbidden");
        let viewer = books.server.person();
        books.server.member(books.id, &viewer, "viewer");
        let viewers = books.server.key(&viewer, &["books:send"]);
        books.server.client.post(&path).key(&viewers).json(&march()).send().refused(403, "forbidden");
        assert_eq!(account.picture(), before);
    }

    fn a_statement_that_is_sent_again_is_that_of_the_books_by_then(database) {
        let mailing = Mailing::start();
        let account = Account::mailing(&mailing, &database);
        let books = &account.books;
        let failed = || {
            mailing.server.react(|step| match step {
                Step::Command(line) if line.starts_with("RCPT") => Reaction::Say("550 5.1.1 no such user"),
                _ => Reaction::Accept,
            });
            let email = account.queued();
            books.email_once(&email["id"], "failed");
            mailing.server.react(|_| Reaction::Accept);
            email
        };
        let sent_again = |email: &Value| {
            let again = books.request("POST", &format!("/emails/{}/resend", email["id"])).send().expect(202)["data"].clone();
            let sent = books.email_once(&email["id"], "sent");
            assert_eq!(fields(&sent, &["message_id", "message"]), fields(email, &["message_id", "message"]));
            let message_id = email["message_id"].as_str().unwrap();
            let received = mailing.server.received().into_iter().rfind(|one| one.message_id == message_id).unwrap();
            assert!(received.text.contains("Content-Type: application/pdf"));
            again["pdf_changed"] == true
        };
        let (same, changed) = (failed(), failed());
        books.server.drop_pdfs();
        let kept = failed();
        assert!(!sent_again(&same));
        books.sale(account.customer, "2026-03-20", "5");
        assert!(!sent_again(&kept), "what was printed is sent as it was for as long as it is kept");
        assert!(sent_again(&changed));
    }
}

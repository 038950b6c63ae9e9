//! E-mails of documents: queued, cancelled, failed, sent again, refused.

use serde_json::{Value, json};
use xtask::mail_server::{Reaction, Step};

use super::session::Session;
use crate::support::mail::Mailing;
use crate::support::until;

super::chapters!(emails, emails_refused);

/// A session whose service sends by a mail server that talks to nobody yet, and an invoice to somebody with an address.
fn opened(s: &mut Session) -> (Mailing, i64) {
    let mailing = Mailing::start();
    mailing.server.react(|step| if *step == Step::Greeting { Reaction::Close } else { Reaction::Accept });
    s.setup(|setup| mailing.setup(setup));
    s.books();
    s.key("sender", "owner", &["books:read", "books:write", "books:send"]);
    let customer = s.made("/customers", json!({ "name": "Brightwell School", "email": "accounts@example.com" }));
    let invoice = s.sale(customer, "2026-01-05", "500", "ST");
    (mailing, invoice)
}

fn emails(s: &mut Session) {
    let (mailing, invoice) = opened(s);
    let customer = s.made("/customers", json!({ "name": "Harbour Hotels", "email": "post@example.net" }));
    let supplier = s.made("/suppliers", json!({ "name": "Reed Carpentry", "email": "reed@example.org" }));
    let credit = s.credit(customer, "2026-02-01", "20", "NV");
    let receipt = s.receipt(customer, "2026-02-10", "100.00", json!([]));
    let receipt = s.made("/customer-receipts", receipt);
    let payment = s.payment(supplier, "2026-02-11", "70.00", json!([]));
    let payment = s.made("/supplier-payments", payment);
    let path = format!("/sales-invoices/{invoice}");
    s.act(&format!("{path}/email?dry_run=true"));
    let first = s.header("Idempotency-Key", "e").post(&format!("{path}/email"), json!({}))["data"]["id"].clone();
    until("the mail server was tried", || {
        let actors = s.server().operators().get("/actors").send_plain().value();
        let is_busy = actors
            .as_array()
            .is_some_and(|actors| actors.iter().any(|actor| actor["name"] == "mail" && actor["state"] == "busy"));
        (mailing.server.connections() > 0 && !is_busy).then_some(())
    });
    s.header("Idempotency-Key", "e").post(&format!("{path}/email"), json!({}));
    s.header("Idempotency-Key", "e").post(&format!("{path}/email"), json!({ "subject": "Another" }));
    s.get(&path);
    s.get(&format!("{path}/history"));
    s.act(&format!("/sales-credit-notes/{credit}/email"));
    s.act(&format!("/customer-receipts/{receipt}/email"));
    s.get(&format!("/customer-receipts/{receipt}/history"));
    s.act(&format!("/supplier-payments/{payment}/email"));
    let written = json!({
        "to": ["a@example.com", "b@example.com"], "cc": ["c@example.com"], "subject": "Your invoice £5",
        "message": "Dear all,\r\n\r\nhere it is.\n", "attach_pdf": false
    });
    s.post(&format!("{path}/email?dry_run=true"), written.clone());
    let second = s.post(&format!("{path}/email"), written)["data"]["id"].clone();
    for query in [
        "",
        "?status=queued&limit=2",
        "?document_type=sales_invoice",
        "?status=sent",
        "?document_type=customer_receipt&document_id=1",
    ] {
        s.get(&format!("/emails{query}"));
    }
    s.get(&format!("/emails/{first}"));
    s.act(&format!("/emails/{second}/cancel?dry_run=true"));
    s.act(&format!("/emails/{second}/cancel"));
    s.act(&format!("/emails/{second}/cancel"));
    s.act(&format!("/emails/{second}/resend"));
    s.act(&format!("/emails/{first}/resend"));
    // The server wants to talk again, and takes none of it. The clock has stood still: nothing was tried but the first.
    mailing.server.react(|step| match step {
        Step::Command(line) if line.starts_with("RCPT") => Reaction::Say("550 5.1.1 no such user"),
        _ => Reaction::Accept,
    });
    s.server().advance_s(120);
    become_of(s, &first, "failed");
    s.get(&format!("/emails/{first}"));
    s.act(&format!("/emails/{first}/resend?dry_run=true"));
    s.act(&format!("/emails/{first}/resend"));
    become_of(s, &first, "failed");
    s.act(&format!("/emails/{first}/cancel"));
    mailing.server.react(|_| Reaction::Accept);
    s.header("Idempotency-Key", "r").act(&format!("/emails/{first}/resend"));
    become_of(s, &first, "sent");
    s.header("Idempotency-Key", "r").act(&format!("/emails/{first}/resend"));
    s.get(&format!("/emails/{first}"));
    s.act(&format!("/emails/{first}/resend"));
    let days = json!({ "period_start": "2026-02-01", "period_end": "2026-02-28" });
    s.post(&format!("/customers/{customer}/statement/email?dry_run=true"), days);
    s.head_of(&format!("/customers/{customer}/statement/pdf?period_start=2026-02-01&period_end=2026-02-28"));
    s.get(&format!("/customers/{customer}/statement/pdf"));
    s.get("/customers/999999/statement/pdf?period_start=2026-02-01&period_end=2026-02-28");
    s.get("/changes?limit=200");
}

/// Waits until an e-mail is in this state, without recording it.
fn become_of(s: &mut Session, id: &Value, status: &str) {
    let path = format!("/api/v1/books/organisations/{}/emails/{id}", s.organisation());
    until("the e-mail comes to its state", || (s.quiet(&path)["data"]["status"] == status).then_some(()));
}

fn emails_refused(s: &mut Session) {
    let (_mailing, invoice) = opened(s);
    let nobody = s.customer("Nobody");
    let unaddressed = s.sale(nobody, "2026-01-05", "5", "NV");
    let lines = [s.item("4000", "5", "NV")];
    let draft = json!({ "customer_id": nobody, "invoice_date": "2026-01-05", "lines": lines, "issue": false });
    let draft = s.made("/sales-invoices", draft);
    let void = s.sale(nobody, "2026-01-06", "5", "NV");
    s.act(&format!("/sales-invoices/{void}/void"));
    let credit = s.credit(nobody, "2026-02-01", "20", "NV");
    let receipt = s.receipt(nobody, "2026-02-10", "100.00", json!([]));
    let receipt = s.made("/customer-receipts", receipt);
    let supplier = s.supplier("Reed Carpentry");
    let payment = s.payment(supplier, "2026-02-11", "70.00", json!([]));
    let payment = s.made("/supplier-payments", payment);
    for path in [
        format!("/sales-invoices/{unaddressed}"),
        format!("/sales-invoices/{draft}"),
        format!("/sales-invoices/{void}"),
        format!("/sales-credit-notes/{credit}"),
        format!("/customer-receipts/{receipt}"),
        format!("/supplier-payments/{payment}"),
        "/sales-invoices/999".to_owned(),
        format!("/sales-credit-notes/{invoice}99"),
    ] {
        s.act(&format!("{path}/email"));
    }
    let path = format!("/sales-invoices/{invoice}/email");
    for wrong in [
        json!({ "to": "a@example.com" }),
        json!({ "to": [] }),
        json!({ "to": ["a@example.com, b@example.com", "A <a@example.com>", "a@example.com\r\nBcc: b@example.com", 1, null, ""] }),
        json!({ "to": vec!["a@example.com"; 11], "cc": vec!["a@example.com"; 11] }),
        json!({ "subject": "a\r\nBcc: b@example.com", "message": "bell \u{7}", "attach_pdf": "yes" }),
        json!({ "subject": "", "message": "" }),
        json!({ "subject": "s".repeat(201), "message": "m".repeat(5001) }),
        json!({ "bcc": ["a@example.com"] }),
        json!([]),
    ] {
        s.post(&path, wrong);
    }
    s.header("If-Match", "\"7\"").act(&path);
    let path_of_statement = format!("/customers/{nobody}/statement/email");
    for body in [
        json!({}),
        json!({ "period_start": "2026-02-28", "period_end": "2026-02-01", "cc": "x" }),
        json!({ "period_start": "2026-02-01", "period_end": "2026-02-28" }),
    ] {
        s.post(&path_of_statement, body);
    }
    s.act("/emails/999/resend");
    s.act("/emails/999/cancel");
    s.get("/emails/999");
    s.get("/emails?status=gone&document_type=purchase_invoice&document_id=0&updated_since=now&limit=0");
    s.key("writer", "owner", &["books:read", "books:write"]);
    s.act(&path);
    s.act("/emails/999/resend");
    s.act("/emails/999/cancel");
    s.key("only sender", "owner", &["books:send"]);
    s.act(&format!("{path}?dry_run=true"));
    s.get("/emails");
    s.get("/emails/1");
    s.post("/customers", json!({ "name": "x" }));
    s.get("/me");
}

//! Many e-mails of one document at once, and beside them what changes it.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Books;
use crate::support::client::Answer;
use crate::support::database::on_both_databases;
use crate::support::mail::DEAD;
use crate::support::pdf::read_file;
use crate::support::server::Setup;

const THREADS: usize = 16;

impl Books {
    /// What so many callers at once are answered who each ask so often for an e-mail of the document.
    fn e_mailed_at_once(&self, document: &str, times: usize) -> Vec<Answer> {
        let path = format!("{document}/email");
        std::thread::scope(|scope| {
            let ask = || (0..times).map(|_| self.post(&path, &json!({}))).collect::<Vec<_>>();
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }
}

/// The PDF of a message.
fn attached(message: &str) -> Vec<u8> {
    let part = message.split("Content-Type: application/pdf").nth(1).expect("a PDF");
    let text = part.split("\r\n\r\n").nth(1).expect("the part");
    let letters: String = text.split("--").next().unwrap().split_whitespace().collect();
    STANDARD.decode(letters).expect("base64")
}

on_both_databases! {
    fn e_mails_of_one_document_at_once_are_all_queued(database) {
        let books = Books::of(Setup::new().on(&database).settings(DEAD).start());
        let body = json!({ "name": "Brightwell School", "email": "accounts@example.com" });
        let customer = books.made("/customers", &body)["id"].as_i64().unwrap();
        let invoice = format!("/sales-invoices/{}", books.sale(customer, "2026-03-01", "1200")["id"]);
        let receipt = format!("/customer-receipts/{}", books.receipt(customer, "2026-03-02", "10", &[])["id"]);
        let mut ids = BTreeSet::new();
        for (document, times) in [(&invoice, 4), (&receipt, 2)] {
            for answer in books.e_mailed_at_once(document, times) {
                ids.insert(answer.expect(202)["data"]["id"].as_i64().unwrap());
            }
            let versions = i64::try_from(THREADS * times).unwrap();
            assert_eq!(books.get(document)["data"]["version"], 1 + versions, "an e-mail is a version");
        }
        assert_eq!((ids.len(), books.server.rows_of("email")), (THREADS * 6, 96));
        // Who names a version is held to it.
        let named = || books.request("POST", &format!("{invoice}/email")).header("If-Match", "\"65\"").json(&json!({})).send();
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| named().status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), THREADS - 1, "{statuses:?}");
    }

    fn the_pdf_of_an_e_mail_shows_what_its_text_says_whatever_is_paid_meanwhile(database) {
        let books = Books::on(&database);
        let body = json!({ "name": "Brightwell School", "email": "accounts@example.com" });
        let customer = books.made("/customers", &body)["id"].as_i64().unwrap();
        let invoice = books.sale(customer, "2026-03-01", "1200");
        let path = format!("/sales-invoices/{}", invoice["id"]);
        let queued: Vec<Value> = std::thread::scope(|scope| {
            // Fewer changes than renderings that an e-mail may take.
            let pay = || (0..6).for_each(|_| { books.receipt(customer, "2026-03-02", "10", &[(&invoice, "10")]); });
            let paying = [scope.spawn(pay), scope.spawn(pay)];
            let answers = books.e_mailed_at_once(&path, 2);
            paying.into_iter().for_each(|thread| thread.join().unwrap());
            answers.iter().map(|answer| answer.expect(202)["data"].clone()).collect()
        });
        let last = books.post(&format!("{path}/email"), &json!({})).expect(202)["data"].clone();
        assert!(last["message"].as_str().unwrap().contains("\nTo pay: £1,080.00\n"), "{last}");
        for email in queued.iter().chain([&last]) {
            books.email_once(&email["id"], "sent");
            let name = format!("{}.eml", email["message_id"].as_str().unwrap());
            let outbox = books.server.outbox();
            let message = &outbox.iter().find(|(file, _)| *file == name).expect("sent").1;
            let to_pay = email["message"].as_str().unwrap().lines().find_map(|line| line.strip_prefix("To pay: ")).unwrap();
            if let Some(read) = read_file(&attached(message)) {
                read.says(&[&format!("Amount due {to_pay}")]);
            }
        }
    }
}

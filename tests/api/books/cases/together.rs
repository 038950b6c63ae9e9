//! Many at once: numbers without a gap, one winner, one document.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Case, to_invoices};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;

/// The answers of as many callers as there are requests to make, all at once.
fn together<T: Send>(count: usize, call: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = std::sync::Barrier::new(count);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|at| {
                let (barrier, call) = (&barrier, &call);
                scope.spawn(move || {
                    barrier.wait();
                    call(at)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

on_both_databases! {
    fn fifty_issues_are_fifty_consecutive_numbers(database) {
        let case = Case::on(&database);
        let sale = case.sale("2026-02-01", &[case.line("4000", "10.03", "ST")]);
        let mut draft = sale.clone();
        draft["issue"] = json!(false);
        // Half of them drafts that are issued, half made and issued at once.
        let drafts: Vec<Value> = (0..25).map(|_| case.made("/sales-invoices", &draft)["id"].clone()).collect();
        let answers = together(50, |at| match drafts.get(at) {
            Some(id) => case.request("POST", &format!("/sales-invoices/{id}/issue")).send(),
            None => case.post("/sales-invoices", &sale),
        });
        let numbers: BTreeSet<String> =
            answers.iter().map(|answer| answer.value()["data"]["invoice_number"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()).collect();
        assert_eq!(numbers, (1..=50).map(|number| format!("INV-{number:04}")).collect());
        assert_eq!(case.shown("")["sales_invoice_next_number"], 51);
        assert_eq!((case.balance("1100"), case.balance("2200")), (50 * 1_204, -50 * 201));
        assert_eq!(case.server.rows_of("journal"), 50);
    }

    fn one_of_two_issues_of_a_draft_wins(database) {
        let case = Case::on(&database);
        let mut draft = case.sale("2026-02-01", &[case.line("4000", "10.00", "NV")]);
        draft["issue"] = json!(false);
        let id = case.made("/sales-invoices", &draft)["id"].clone();
        let answers = together(2, |_| case.request("POST", &format!("/sales-invoices/{id}/issue")).send());
        assert_eq!(statuses(&answers), [200, 409]);
        assert_eq!((case.server.rows_of("journal"), case.balance("1100")), (1, 1_000));
        assert_eq!(case.invoice("2026-02-01", "1.00")["invoice_number"], "INV-0002");
    }

    fn one_of_two_confirms_wins(database) {
        let case = Case::on(&database);
        let invoice = case.invoice("2026-02-01", "50.00");
        let row = case.row("2026-02-02", "50.00");
        let body = json!({ "type": "customer_receipt", "customer_id": case.customer, "allocations": to_invoices(&[(&invoice, "50.00")]) });
        let answers = together(2, |_| case.confirm(&row, &body));
        assert_eq!(statuses(&answers), [200, 409]);
        assert_eq!((case.server.rows_of("journal"), case.balance("1100"), case.balance("1200")), (2, 0, 5_000));
        assert_eq!(case.get("/customer-receipts")["pagination"]["total"], 1);
    }

    fn a_retry_at_the_same_time_makes_one_document(database) {
        let case = Case::on(&database);
        let sale = case.sale("2026-02-01", &[case.line("4000", "10.00", "ST")]);
        let answers = together(6, |_| case.request("POST", "/sales-invoices").idempotency_key("once").json(&sale).send());
        assert_eq!(statuses(&answers), [201; 6]);
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
        let replays = answers.iter().filter(|answer| answer.header("idempotency-replayed") == Some("true")).count();
        assert_eq!((replays, case.server.rows_of("journal")), (5, 1));
        let receipt = case.receipt_body("2026-02-02", "12.00", &[(&answers[0].value()["data"], "12.00")]);
        let answers = together(6, |_| case.request("POST", "/customer-receipts").idempotency_key("paid").json(&receipt).send());
        assert_eq!(statuses(&answers), [201; 6]);
        assert_eq!((case.balance("1200"), case.balance("1100")), (1_200, 0));
    }

    fn the_last_hundred_is_allocated_once(database) {
        let case = Case::on(&database);
        let (one, two) = (case.invoice("2026-02-01", "100.00"), case.invoice("2026-02-01", "100.00"));
        let receipt = case.receipt("2026-02-02", "100.00", &[]);
        let path = format!("/customer-receipts/{}/allocate", receipt["id"]);
        let answers = together(2, |at| {
            case.post(&path, &json!({ "allocations": to_invoices(&[([&one, &two][at], "100.00")]) }))
        });
        assert_eq!(statuses(&answers), [200, 422]);
        let refused = answers.iter().find(|answer| answer.status == 422).unwrap();
        assert_eq!(refused.details(422, "unprocessable_entity"), json!({ "reason": "over_allocated", "available": 0.0, "requested": 100.0 }));
        // The other way round: two receipts for what is left of one invoice.
        let three = case.invoice("2026-02-01", "100.00");
        let body = case.receipt_body("2026-02-03", "100.00", &[(&three, "100.00")]);
        let answers = together(2, |_| case.post("/customer-receipts", &body));
        assert_eq!(statuses(&answers), [201, 422]);
        assert_eq!((case.balance("1200"), case.balance("1100")), (20_000, 10_000));
    }

    fn a_void_and_a_payment_do_not_both_happen(database) {
        let case = Case::on(&database);
        for _ in 0..5 {
            let invoice = case.invoice("2026-02-01", "10.00");
            let body = case.receipt_body("2026-02-02", "10.00", &[(&invoice, "10.00")]);
            let answers = together(2, |at| match at {
                0 => case.post(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({})),
                _ => case.post("/customer-receipts", &body),
            });
            let won = [answers[0].status, answers[1].status];
            assert!(matches!(won, [200, 409] | [409, 201]), "{won:?}: {} {}", answers[0], answers[1]);
            let after = case.shown(&format!("/sales-invoices/{}", invoice["id"]));
            assert_eq!(after["status"], if won[0] == 200 { "void" } else { "paid" });
        }
        assert_eq!(case.balance("1100"), 0);
    }
}

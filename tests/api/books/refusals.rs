//! Every reason of the closed list: how it is provoked, its status, code and the other keys of its details. A reason that
//! is added without a row here fails.

use std::collections::BTreeMap;

use bookkeeping_suite::domain::ledger::refusal::Refusal;
use serde_json::{Value, json};

use super::Books;
use crate::support::client::Answer;
use crate::support::server::TestServer;

/// Reasons that other tests provoke: of e-mail, VAT schemes, and the tokens of imports and opening balances.
const ELSEWHERE: [&str; 9] = [
    "no_recipient",
    "token_used",
    "token_expired",
    "already_set",
    "idempotency_in_progress",
    "vat_already_posted",
    "limit_reached",
    "nothing_to_suggest",
    "stale_suggestion",
];

/// An organisation in which everything can be refused.
struct Scene {
    books: Books,
    customer: i64,
    other_customer: i64,
    bank: i64,
}

impl Scene {
    fn new() -> Self {
        let books = Books::of(TestServer::start());
        let (customer, other_customer, bank) = (books.customer("A"), books.customer("B"), books.bank_id());
        Self { books, customer, other_customer, bank }
    }

    fn invoice(&self, change: &[(&str, Value)]) -> Answer {
        let mut body = json!({
            "customer_id": self.customer, "invoice_date": "2026-01-05", "lines": [self.books.item("4000", "10", "NV")]
        });
        for (key, value) in change {
            body[*key] = value.clone();
        }
        self.books.post("/sales-invoices", &body)
    }

    fn line(&self, amount: &str) -> Value {
        let body = json!({ "bank_account_id": self.bank, "date": "2026-01-10", "amount": amount, "description": "x" });
        self.books.made("/bank-transactions", &body)
    }

    fn confirm(&self, line: &Value, body: &Value) -> Answer {
        self.books.post(&format!("/bank-transactions/{}/confirm", line["id"]), body)
    }

    fn journal(&self, lines: Value) -> Answer {
        self.books.post("/journals", &json!({ "entry_date": "2026-01-05", "description": "x", "lines": lines }))
    }

    /// What provokes a reason, and the details it has beside it.
    fn provoke(&self, reason: &str) -> Option<(u16, Answer, Value)> {
        let books = &self.books;
        let account = |code: &str| books.account_id(code);
        let archived = |kind: &str, id: &Value| {
            books.request("POST", &format!("/{kind}/{id}/archive")).send().expect(200);
        };
        Some(match reason {
            "duplicate_code" => {
                let body = json!({ "code": "4000", "name": "x", "account_type": "REVENUE" });
                (409, books.post("/accounts", &body), json!({ "field": "code", "existing_id": account("4000") }))
            }
            "duplicate_role" => {
                let body =
                    json!({ "code": "1101", "name": "x", "account_type": "ASSET", "role": "accounts_receivable" });
                (409, books.post("/accounts", &body), json!({ "field": "role", "existing_id": account("1100") }))
            }
            "duplicate_number" => {
                let first = self.invoice(&[("invoice_number", json!("N1"))]).expect(201)["data"]["id"].clone();
                let again = self.invoice(&[("invoice_number", json!("N1"))]);
                (409, again, json!({ "field": "invoice_number", "existing_id": first }))
            }
            "duplicate_external_id" => {
                let body = json!({ "name": "x", "reference": "R" });
                let first = books.made("/customers", &body);
                (409, books.post("/customers", &body), json!({ "field": "reference", "existing_id": first["id"] }))
            }
            "invalid_state" => {
                let invoice = self.invoice(&[]).expect(201)["data"]["id"].clone();
                let issue = books.request("POST", &format!("/sales-invoices/{invoice}/issue")).send();
                (409, issue, json!({ "current": "issued", "allowed": ["draft"] }))
            }
            "has_allocations" => {
                let invoice = books.sale(self.customer, "2026-01-05", "10");
                let receipt = books.receipt(self.customer, "2026-01-06", "10", &[(&invoice, "10")]);
                let void = books.post(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
                (409, void, json!({ "allocation_ids": [receipt["allocations"][0]["id"]] }))
            }
            "linked_to_document" => {
                let invoice = books.sale(self.customer, "2026-01-05", "10");
                let void = books.post(&format!("/journals/{}/void", invoice["journal_id"]), &json!({}));
                (409, void, json!({ "source_type": "sales_invoice", "source_id": invoice["id"] }))
            }
            "stale_version" => {
                let invoice = books.sale(self.customer, "2026-01-05", "10");
                let request = books.request("POST", &format!("/sales-invoices/{}/void", invoice["id"]));
                (409, request.header("If-Match", "\"9\"").send(), json!({}))
            }
            "period_locked" => {
                books.lock("2025-12-31");
                let dates = json!({ "lock_date": "2025-12-31", "date": "2025-06-01", "earliest_date": "2026-01-01" });
                (422, self.invoice(&[("invoice_date", json!("2025-06-01"))]), dates)
            }
            "vat_control_required" => {
                (422, self.invoice(&[("lines", json!([books.item("4000", "10", "ST")]))]), json!({}))
            }
            "period_recorded" => {
                let registered =
                    json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2024-01-01" });
                books.request("PATCH", "").json(&registered).send().expect(200);
                let body = json!({ "period_end": "2025-12-31" });
                let first = books.made("/vat-returns", &body);
                (409, books.post("/vat-returns", &body), json!({ "existing_id": first["id"] }))
            }
            "unbalanced" => {
                let lines = json!([{ "account_id": account("7100"), "debit": 2 }, { "account_id": account("1200"), "credit": 1 }]);
                (422, self.journal(lines), json!({ "total_debit": 2.0, "total_credit": 1.0 }))
            }
            "too_few_lines" => (422, self.journal(json!([{ "account_id": account("7100"), "debit": 2 }])), json!({})),
            "one_sided_line" => {
                let lines = json!([{ "account_id": account("7100"), "debit": 2 }, { "account_id": account("1200") }]);
                (422, self.journal(lines), json!({ "row": 1 }))
            }
            "unknown_reference" => (
                422,
                self.invoice(&[("customer_id", json!(888_888))]),
                json!({ "field": "customer_id", "id": 888_888 }),
            ),
            "account_archived" => {
                archived("accounts", &json!(account("4200")));
                let answer = self.invoice(&[("lines", json!([books.item("4200", "10", "NV")]))]);
                (422, answer, json!({ "field": "lines[0].account_id", "id": account("4200") }))
            }
            "contact_archived" => {
                let gone = books.customer("Gone");
                archived("customers", &json!(gone));
                (422, self.invoice(&[("customer_id", json!(gone))]), json!({ "field": "customer_id", "id": gone }))
            }
            "bank_account_archived" => {
                let bank = books.made("/bank-accounts", &json!({ "name": "x", "code": "1299" }))["id"].clone();
                archived("bank-accounts", &bank);
                let mut body = books.receipt_body(self.customer, "2026-01-06", "1", &[]);
                body["bank_account_id"] = bank.clone();
                (422, books.post("/customer-receipts", &body), json!({ "field": "bank_account_id", "id": bank }))
            }
            "wrong_account_type" => {
                let answer = self.invoice(&[("lines", json!([books.item("1100", "10", "NV")]))]);
                (422, answer, json!({ "field": "lines[0].account_id", "id": account("1100") }))
            }
            "over_allocated" => {
                let invoice = books.sale(self.customer, "2026-01-05", "10");
                let body = books.receipt_body(self.customer, "2026-01-06", "11", &[(&invoice, "11")]);
                (
                    422,
                    books.post("/customer-receipts", &body),
                    json!({
                        "available": 10.0, "requested": 11.0, "field": "allocations[0].invoice_id", "id": invoice["id"]
                    }),
                )
            }
            "amount_mismatch" => {
                let body = json!({ "lines": [{ "account_id": account("4900"), "gross_amount": 4, "vat_code": "NV" }] });
                (422, self.confirm(&self.line("5.00"), &body), json!({ "expected": 5.0, "actual": 4.0 }))
            }
            "contact_mismatch" => {
                let invoice = books.sale(self.other_customer, "2026-01-05", "10");
                let body = books.receipt_body(self.customer, "2026-01-06", "1", &[(&invoice, "1")]);
                let details = json!({ "field": "allocations[0].invoice_id", "id": invoice["id"] });
                (422, books.post("/customer-receipts", &body), details)
            }
            "bank_account_mismatch" => {
                let journal = books.posted("2026-01-05", "7100", "2400", json!(5));
                let answer = self.confirm(&self.line("5.00"), &json!({ "type": "match", "journal_id": journal["id"] }));
                (422, answer, json!({ "field": "journal_id", "id": journal["id"] }))
            }
            "vat_amount_out_of_tolerance" => {
                let mut line = books.item("4000", "10", "ST");
                line["vat_amount"] = json!("2.02");
                let details = json!({ "field": "lines[0].vat_amount", "expected": 2.0, "actual": 2.02 });
                (422, self.invoice(&[("lines", json!([line]))]), details)
            }
            "negative_total" => {
                (422, self.invoice(&[("lines", json!([books.item("4000", "-1", "NV")]))]), json!({ "total": -1.0 }))
            }
            "currency_not_supported" => {
                (422, self.invoice(&[("currency", json!("EUR"))]), json!({ "currency": "EUR" }))
            }
            "idempotency_key_reused" => {
                let post = |name: &str| {
                    let request = books.request("POST", "/customers").idempotency_key("k");
                    request.json(&json!({ "name": name })).send()
                };
                post("one").expect(201);
                (422, post("two"), json!({}))
            }
            _ => return None,
        })
    }
}

#[test]
fn every_reason_is_answered_as_the_list_says() {
    let scene = Scene::new();
    let mut missing = Vec::new();
    let (conflicts, refusals) = (&Refusal::CONFLICT_REASONS, &Refusal::UNPROCESSABLE_REASONS);
    let reasons = conflicts.iter().map(|reason| (409, reason)).chain(refusals.iter().map(|reason| (422, reason)));
    for (status, reason) in reasons {
        let Some((expected, answer, extras)) = scene.provoke(reason) else {
            missing.push(*reason);
            continue;
        };
        assert_eq!(status, expected, "{reason}");
        let code = if status == 409 { "conflict" } else { "unprocessable_entity" };
        let details: BTreeMap<String, Value> = serde_json::from_value(answer.details(status, code)).unwrap();
        let mut known: BTreeMap<String, Value> = serde_json::from_value(extras).unwrap();
        known.insert("reason".to_owned(), json!(reason));
        assert_eq!(details, known, "{answer}");
    }
    missing.sort_unstable();
    let mut elsewhere = ELSEWHERE;
    elsewhere.sort_unstable();
    assert_eq!(missing, elsewhere, "each other reason has a row here");
}

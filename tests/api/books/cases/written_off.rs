//! Invoices that will not be paid: what is posted and what stays declared, by the scheme of the invoice; what the reports about
//! the customer say on each day; and a debt that is paid after all.

use serde_json::{Value, json};

use super::{Case, entry, figures, these};
use crate::books::trade::{fields, refusal};
use crate::books::{format_paths, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;

impl Case {
    fn write_off(&self, invoice: &Value, body: &Value) -> Answer {
        self.post(&format!("/sales-invoices/{}/write-off", invoice["id"]), body)
    }

    #[track_caller]
    fn written_off(&self, invoice: &Value, date: &str) -> Value {
        self.write_off(invoice, &json!({ "date": date })).expect(201)["data"].clone()
    }

    fn void_write_off(&self, written: &Value, body: &Value) -> Answer {
        self.post(&format!("/write-offs/{}/void", written["id"]), body)
    }

    #[track_caller]
    fn invoice_now(&self, invoice: &Value) -> Value {
        self.shown(&format!("/sales-invoices/{}", invoice["id"]))
    }

    /// A sale of 100.00 with VAT at 20 %, dated 10 January 2026 and due a month later.
    #[track_caller]
    fn taxed(&self) -> Value {
        let mut body = self.sale("2026-01-10", &[self.line("4000", "100.00", "ST")]);
        body["due_date"] = json!("2026-02-10");
        self.made("/sales-invoices", &body)
    }

    /// What debtors owe at the end of a day, which is on the control account too.
    #[track_caller]
    fn debtors(&self, date: &str) -> [i64; 2] {
        let report = self.get(&format!("/reports/aged-debtors?as_of={date}"))["data"].clone();
        assert_eq!(report["difference"], 0.0, "{date}");
        let [total] = figures(&report["totals"], ["total"]);
        [total, figures(&report, ["control_account_balance"])[0]]
    }
}

on_both_databases! {
    fn under_the_standard_scheme_the_whole_debt_is_a_cost_and_its_vat_may_be_claimed(database) {
        let case = Case::under(&database, "standard");
        let invoice = case.taxed();
        let written = case.written_off(&invoice, "2026-05-01");
        let mut known = vec![
            "id", "invoice_id", "invoice_number", "date", "status", "currency", "amount", "vat_amount", "account_id",
            "account_code", "journal_id", "relief", "void_journal_id", "void_date", "void_reason", "created_at", "created_by",
            "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&written), known);
        assert_eq!(
            fields(&written, &["invoice_id", "invoice_number", "date", "status", "amount", "vat_amount", "account_code", "version"]),
            json!([invoice["id"], invoice["invoice_number"], "2026-05-01", "posted", 120.0, 20.0, "8100", 1])
        );
        assert_eq!(written["relief"], json!({ "vat_amount": 20.0, "from": "2026-08-10" }));
        assert_eq!(case.shown(&format!("/write-offs/{}", written["id"])), written);
        assert_eq!(case.posted_by(&written), these(&[("8100", 12_000), ("1100", -12_000)]));
        assert_eq!(case.vat(), [entry("output", "ST", 10_000, 2_000)]);
        let paid = case.invoice_now(&invoice);
        assert_eq!(fields(&paid, &["status", "amount_paid", "amount_credited", "amount_due"]), json!(["paid", 0.0, 120.0, 0.0]));
        assert_eq!(
            fields(&paid["allocations"][0], &["source_type", "source_id", "date", "amount"]),
            json!(["write_off", written["id"], "2026-05-01", 120.0])
        );
        let journal = case.shown(&format!("/journals/{}", written["journal_id"]));
        assert_eq!(fields(&journal, &["source_type", "source_id"]), json!(["write_off", written["id"]]));
        assert_eq!(case.get(&format!("/journals?source_type=write_off&source_id={}", written["id"]))["pagination"]["total"], 1);
        let direct = case.post(&format!("/journals/{}/void", written["journal_id"]), &json!({}));
        assert_eq!(
            refusal(&direct),
            json!({ "reason": "linked_to_document", "source_type": "write_off", "source_id": written["id"] })
        );
    }

    fn under_cash_accounting_the_vat_of_the_debt_is_never_declared(database) {
        let case = Case::under(&database, "cash");
        let invoice = case.taxed();
        case.receipt("2026-02-01", "40.00", &[(&invoice, "40.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 3_333, 667)]);
        let written = case.written_off(&invoice, "2026-05-01");
        assert_eq!(fields(&written, &["amount", "vat_amount", "relief"]), json!([80.0, 13.33, null]));
        assert_eq!(case.posted_by(&written), these(&[("8100", 6_667), ("2200", 1_333), ("1100", -8_000)]));
        // What was declared stays; what is left on VAT Control is just that.
        assert_eq!(case.vat(), [entry("output", "ST", 3_333, 667)]);
        assert_eq!(case.balance("2200"), -667);
        // Nothing was paid of another: nothing of it was ever declared.
        let other = case.taxed();
        case.written_off(&other, "2026-05-01");
        assert_eq!(case.vat_on("2026-05-01"), []);
        assert_eq!((case.balance("2200"), case.balance("8100")), (-667, 16_667));
        // A part is written off, the rest is paid: the VAT of the rest is declared, and VAT Control holds that.
        let third = case.taxed();
        let part = case.write_off(&third, &json!({ "date": "2026-05-02", "amount": "70.01" })).expect(201)["data"].clone();
        assert_eq!(fields(&part, &["amount", "vat_amount"]), json!([70.01, 11.67]));
        assert_eq!(case.invoice_now(&third)["status"], "part_paid");
        case.receipt("2026-06-01", "49.99", &[(&third, "49.99")]);
        assert_eq!(case.vat_on("2026-06-01"), [entry("output", "ST", 4_166, 833)]);
        assert_eq!(case.balance("2200"), -667 - 833);
        case.assert_all_declared();
    }

    fn under_the_flat_rate_the_whole_vat_charged_may_be_claimed(database) {
        let case = Case::under(&database, "flat_rate");
        let invoice = case.taxed();
        let written = case.written_off(&invoice, "2026-08-10");
        assert_eq!(case.posted_by(&written), these(&[("8100", 12_000), ("1100", -12_000)]));
        assert_eq!(written["relief"], json!({ "vat_amount": 20.0, "from": "2026-08-10" }));
        assert_eq!(case.vat(), [entry("output", "ST", 10_000, 2_000)]);
    }

    fn an_opening_invoice_is_written_off_by_what_it_says_of_its_vat(database) {
        let case = Case::under(&database, "cash");
        let open = |number: &str, vat: Value| {
            let mut document = json!({
                "type": "sales_invoice", "customer_id": case.customer, "number": number, "date": "2025-11-30", "amount_due": "120.00"
            });
            if !vat.is_null() {
                document["vat"] = vat;
            }
            document
        };
        let said = json!([{ "vat_code": "ST", "net_amount": "100.00", "vat_amount": "20.00" }]);
        let body = json!({
            "as_of": "2025-12-31", "open_documents": [open("OLD-1", said), open("OLD-2", Value::Null)],
            "lines": [{ "account_code": "1100", "debit": "240.00" }, { "account_code": "2200", "credit": "20.00" }],
            "balance_to_account_code": "3200",
        });
        case.made("/opening-balances", &body);
        let invoices = case.shown("/sales-invoices");
        let numbered = |number: &str| {
            invoices.as_array().unwrap().iter().find(|one| one["invoice_number"] == number).unwrap().clone()
        };
        let said = case.written_off(&numbered("OLD-1"), "2026-05-01");
        assert_eq!(case.posted_by(&said), these(&[("8100", 10_000), ("2200", 2_000), ("1100", -12_000)]));
        let unsaid = case.written_off(&numbered("OLD-2"), "2026-05-01");
        assert_eq!(case.posted_by(&unsaid), these(&[("8100", 12_000), ("1100", -12_000)]));
        assert_eq!(fields(&unsaid, &["vat_amount", "relief"]), json!([0.0, null]));
        assert_eq!((case.vat(), case.balance("2200")), (Vec::new(), 0));
    }

    fn the_reports_about_the_customer_know_it_from_its_day_on(database) {
        let case = Case::under(&database, "standard");
        let invoice = case.taxed();
        case.receipt("2026-02-01", "20.00", &[(&invoice, "20.00")]);
        let written = case.written_off(&invoice, "2026-02-20");
        let balances = [("2026-01-09", 0), ("2026-01-10", 12_000), ("2026-02-19", 10_000), ("2026-02-20", 0), ("2026-12-31", 0)];
        for (date, pence) in balances {
            assert_eq!(case.debtors(date), [pence; 2], "{date}");
        }
        let path = format!("/reports/customer-statement/{}?period_start=2026-02-05&period_end=2026-03-31", case.customer);
        let statement = case.shown(&path);
        assert_eq!(figures(&statement, ["opening_balance", "closing_balance"]), [10_000, 0]);
        assert_eq!(
            fields(&statement["lines"][0], &["type", "document_type", "document_id", "number", "due_date", "debit", "credit", "balance"]),
            json!(["write_off", "sales_invoice", invoice["id"], invoice["invoice_number"], null, 0.0, 100.0, 0.0])
        );
        let sales = case.shown("/reports/sales-by-customer?period_start=2026-01-01&period_end=2026-12-31");
        assert_eq!(figures(&sales["totals"], ["net_amount", "vat_amount"]), [10_000, 2_000]);
        let costs = case.shown("/reports/purchases-by-supplier?period_start=2026-01-01&period_end=2026-12-31");
        assert_eq!(figures(&costs, ["other_purchases", "profit_loss_costs"]), [10_000, 10_000]);
        let flow = case.shown("/reports/cash-flow?period_start=2026-01-01&period_end=2026-12-31");
        assert_eq!(figures(&flow, ["net_movement", "closing_cash"]), [2_000, 2_000]);
        // It is paid after all, in a later period.
        case.lock("2026-02-28");
        assert_eq!(reason(&case.void_write_off(&written, &json!({}))), "period_locked");
        let voided = case.void_write_off(&written, &json!({ "void_date": "2026-03-05", "reason": "paid" })).expect(200);
        assert_eq!(
            fields(&voided["data"], &["status", "void_date", "void_reason", "version"]),
            json!(["void", "2026-03-05", "paid", 2])
        );
        assert_eq!(case.shown(&format!("/write-offs/{}", written["id"])), voided["data"]);
        let balances = [("2026-02-20", 0), ("2026-03-04", 0), ("2026-03-05", 10_000)];
        for (date, pence) in balances {
            assert_eq!(case.debtors(date), [pence; 2], "{date}");
        }
        assert_eq!(case.balance("8100"), 0);
        let again = case.void_write_off(&written, &json!({ "void_date": "2026-03-06" }));
        assert_eq!(refusal(&again), json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }));
        case.receipt("2026-03-08", "100.00", &[(&invoice, "100.00")]);
        assert_eq!(case.debtors("2026-03-08"), [0; 2]);
        let told = case.get(&format!("/write-offs/{}/history", written["id"]))["data"].clone();
        let actions: Vec<_> = told.as_array().unwrap().iter().map(|one| one["action"].clone()).collect();
        assert_eq!(actions, ["create", "void"]);
    }

    fn a_void_under_cash_accounting_brings_the_vat_back_to_wait(database) {
        let case = Case::under(&database, "cash");
        let invoice = case.taxed();
        case.receipt("2026-02-01", "40.00", &[(&invoice, "40.00")]);
        let written = case.written_off(&invoice, "2026-05-01");
        case.void_write_off(&written, &json!({})).expect(200);
        assert_eq!((case.balance("2200"), case.balance("8100")), (-2_000, 0));
        assert_eq!(case.debtors("2026-05-01"), [8_000; 2]);
        case.receipt("2026-06-01", "80.00", &[(&invoice, "80.00")]);
        assert_eq!(case.vat(), [entry("output", "ST", 10_000, 2_000)]);
        case.assert_all_declared();
    }

    fn what_cannot_be_written_off_is_refused_and_changes_nothing(database) {
        let case = Case::under(&database, "standard");
        let invoice = case.taxed();
        let draft = case.made("/sales-invoices", &json!({
            "customer_id": case.customer, "invoice_date": "2026-01-10", "issue": false, "lines": [case.line("4000", "5.00", "ST")]
        }));
        let void = case.taxed();
        case.done(&format!("/sales-invoices/{}/void", void["id"]), &json!({}));
        let paid = case.taxed();
        case.receipt("2026-01-20", "120.00", &[(&paid, "120.00")]);
        let bill = case.made("/purchase-invoices", &case.bill("2026-01-10", &[case.line("7100", "10.00", "ST")]));
        case.lock("2026-01-15");
        let before = case.picture();
        let on = |date: &str| json!({ "date": date });
        assert_eq!(refusal(&case.write_off(&draft, &on("2026-05-01"))), json!({ "reason": "invalid_state", "current": "draft", "allowed": ["issued"] }));
        assert_eq!(refusal(&case.write_off(&void, &on("2026-05-01"))), json!({ "reason": "invalid_state", "current": "void", "allowed": ["issued"] }));
        assert_eq!(
            refusal(&case.write_off(&paid, &on("2026-05-01"))),
            json!({ "reason": "invalid_state", "current": "paid", "allowed": ["issued", "part_paid"] })
        );
        let more = case.write_off(&invoice, &json!({ "date": "2026-05-01", "amount": "120.01" }));
        assert_eq!(refusal(&more), json!({ "reason": "over_allocated", "available": 120.0, "requested": 120.01 }));
        assert_eq!(reason(&case.write_off(&invoice, &on("2026-01-15"))), "period_locked");
        assert_eq!(format_paths(&case.write_off(&invoice, &on("2026-01-09"))), ["date"]);
        for (body, paths) in [
            (json!({}), vec!["date"]),
            (json!({ "date": "2026-02-30" }), vec!["date"]),
            (json!({ "date": "2026-05-01", "amount": "0.00" }), vec!["amount"]),
            (json!({ "date": "2026-05-01", "amount": "-1.00", "odd": 1 }), vec!["odd", "amount"]),
            (json!({ "date": "2026-05-01", "account_id": 1, "account_code": "8100" }), vec!["account_id"]),
        ] {
            let mut found = format_paths(&case.write_off(&invoice, &body));
            let mut paths: Vec<_> = paths.into_iter().map(str::to_owned).collect();
            found.sort_unstable();
            paths.sort_unstable();
            assert_eq!(found, paths, "{body}");
        }
        let named = |code: &str| json!({ "date": "2026-05-01", "account_code": code });
        for code in ["1100", "1200", "2200", "3200", "4000"] {
            assert_eq!(refusal(&case.write_off(&invoice, &named(code)))["reason"], "wrong_account_type", "{code}");
        }
        assert_eq!(refusal(&case.write_off(&invoice, &named("9998"))), json!({ "reason": "unknown_reference", "field": "account_code", "code": "9998" }));
        for id in [json!(999), bill["id"].clone()] {
            case.write_off(&json!({ "id": id }), &on("2026-05-01")).refused(404, "not_found");
            case.write_off(&json!({ "id": id }), &json!({ "odd": 1 })).refused(404, "not_found");
        }
        case.void_write_off(&json!({ "id": 999 }), &json!({})).refused(404, "not_found");
        let stale = case.request("POST", &format!("/sales-invoices/{}/write-off", invoice["id"]));
        assert_eq!(reason(&stale.header("If-Match", "\"9\"").json(&on("2026-05-01")).send()), "stale_version");
        let tried = case.post(&format!("/sales-invoices/{}/write-off?dry_run=true", invoice["id"]), &on("2026-05-01"));
        let tried = tried.expect(200);
        assert_eq!(fields(&tried["data"], &["id", "journal_id", "amount", "vat_amount"]), json!([null, null, 120.0, 20.0]));
        assert_eq!(case.picture(), before);
    }

    fn a_write_off_is_made_once_and_keeps_its_invoice_from_being_voided(database) {
        let case = Case::under(&database, "standard");
        let invoice = case.taxed();
        let provision = json!({ "date": "2026-05-01", "account_code": "8200" });
        let send = || {
            let path = format!("/sales-invoices/{}/write-off", invoice["id"]);
            case.request("POST", &path).header("Idempotency-Key", "w").json(&provision).send().expect(201)
        };
        let (first, second) = (send(), send());
        assert_eq!(first, second);
        assert_eq!((case.server.rows_of("write_off"), first["data"]["account_code"].clone()), (1, json!("8200")));
        let void = case.post(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
        assert_eq!(refusal(&void)["reason"], "has_allocations");
        let invoice = case.invoice_now(&invoice);
        let taken = case.post(&format!("/sales-invoices/{}/pdf", invoice["id"]), &json!({}));
        assert_eq!(taken.status, 405);
        case.void_write_off(&first["data"], &json!({})).expect(200);
        case.done(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
        assert_eq!((case.balance("1100"), case.balance("8200"), case.balance("2200")), (0, 0, 0));
    }
}

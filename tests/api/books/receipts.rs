//! Customer receipts and refunds: posted whole, set against invoices, released, voided; what is refused.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side, to_invoices};
use super::{Books, format_paths, printed, reason};
use crate::support::client::{Answer, keys};
use crate::support::database::on_both_databases;

const PATH: &str = "/customer-receipts";

fn allocate(books: &Books, receipt: &Value, allocations: &[(&Value, &str)]) -> Answer {
    books.post(&format!("{PATH}/{}/allocate", receipt["id"]), &json!({ "allocations": to_invoices(allocations) }))
}

fn money(receipt: &Value) -> Value {
    fields(receipt, &["allocated_amount", "unallocated_amount", "cis_amount", "settled_amount"])
}

fn invoice_state(books: &Books, invoice: &Value) -> Value {
    let invoice = books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"].clone();
    fields(&invoice, &["status", "amount_paid", "amount_due"])
}

on_both_databases! {
    fn money_is_posted_whole_and_allocated_beside(database) {
        let books = Books::on(&database);
        let customer = books.customer("Brightwell School");
        let (first, second) = (books.sale(customer, "2026-01-05", "600"), books.sale(customer, "2026-02-20", "300"));
        let mut body = books.receipt_body(customer, "2026-02-10", "1000.00", &[(&first, "600"), (&second, "150.50")]);
        body["method"] = json!("bank_transfer");
        body["reference"] = json!("FPI 7");
        let answer = books.post(PATH, &body);
        let receipt = answer.expect(201)["data"].clone();
        let mut known = vec![
            "id", "number", "kind", "status", "customer_id", "customer_name", "date", "amount", "currency", "bank_account_id",
            "account_id", "account_code", "reference", "memo", "method", "allocated_amount", "unallocated_amount", "cis_amount", "settled_amount",
            "allocations", "bank_transaction_id", "journal_id", "void_journal_id", "void_date", "void_reason", "last_emailed_at", "created_at",
            "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&receipt), known);
        assert_eq!(
            fields(&receipt, &["number", "kind", "status", "customer_name", "amount", "method", "reference", "bank_transaction_id"]),
            json!(["RCP-00001", "receipt", "posted", "Brightwell School", 1000.0, "bank_transfer", "FPI 7", null])
        );
        assert_eq!(money(&receipt), json!([750.5, 249.5, 0.0, 750.5]));
        assert_eq!(printed(&answer, "unallocated_amount"), "249.50");
        let allocation = |at: usize| {
            fields(&receipt["allocations"][at], &["invoice_id", "invoice_number", "date", "amount", "cis_amount", "settled_amount", "refund_id"])
        };
        // Each counts from the later of the two dates.
        assert_eq!(allocation(0), json!([first["id"], "INV-0001", "2026-02-10", 600.0, 0.0, 600.0, null]));
        assert_eq!(allocation(1), json!([second["id"], "INV-0002", "2026-02-20", 150.5, 0.0, 150.5, null]));
        assert_eq!(books.sides(&receipt["journal_id"]), [side("1200", 1000.0, 0.0), side("1100", 0.0, 1000.0)]);
        let journal = books.get(&format!("/journals/{}", receipt["journal_id"]))["data"].clone();
        assert_eq!(fields(&journal, &["source_type", "source_id"]), json!(["customer_receipt", receipt["id"]]));
        assert_eq!(invoice_state(&books, &first), json!(["paid", 600.0, 0.0]));
        assert_eq!(invoice_state(&books, &second), json!(["part_paid", 150.5, 149.5]));
        let taken = books.get(&format!("/sales-invoices/{}", first["id"]))["data"]["allocations"][0].clone();
        assert_eq!(fields(&taken, &["source_type", "source_id", "amount"]), json!(["customer_receipt", receipt["id"], 600.0]));
        // The overpayment is credit in the control account.
        assert_eq!(books.owed().0, json!(-100.0));
        assert_eq!(books.get(&format!("/customers/{customer}"))["data"]["balance"], -100.0);
        assert_eq!(books.get(&format!("{PATH}/{}", receipt["id"]))["data"], receipt);
        books.request("GET", &format!("/supplier-payments/{}", receipt["id"])).send().refused(404, "not_found");

        let patch = json!({ "memo": "thanks", "reference": null });
        let patched = books.request("PATCH", &format!("{PATH}/{}", receipt["id"])).json(&patch).send().expect(200)["data"].clone();
        assert_eq!(fields(&patched, &["memo", "reference", "version", "amount"]), json!(["thanks", null, 2, 1000.0]));
        let refused = books.request("PATCH", &format!("{PATH}/{}", receipt["id"])).json(&json!({ "amount": 1 })).send();
        assert_eq!(format_paths(&refused), ["amount", "body"]);
        let void = books.request("POST", &format!("/journals/{}/void", receipt["journal_id"])).send();
        assert_eq!(refusal(&void), json!({ "reason": "linked_to_document", "source_type": "customer_receipt", "source_id": receipt["id"] }));
    }

    fn allocations_add_to_what_is_there_and_are_released(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-05", "100");
        let receipt = books.receipt(customer, "2026-01-10", "150", &[]);
        assert_eq!(money(&receipt), json!([0.0, 150.0, 0.0, 0.0]));
        assert_eq!(books.listed("/customer-receipts?has_unallocated=true").1, Some(1));
        allocate(&books, &receipt, &[(&invoice, "30")]).expect(200);
        let both = allocate(&books, &receipt, &[(&invoice, "70")]).expect(200)["data"].clone();
        assert_eq!(money(&both), json!([100.0, 50.0, 0.0, 100.0]));
        assert_eq!(both["allocations"].as_array().unwrap().len(), 2);
        assert_eq!(invoice_state(&books, &invoice), json!(["paid", 100.0, 0.0]));
        let journals = books.server.rows_of("journal");
        let release = |ids: Value| books.post(&format!("{PATH}/{}/unallocate", receipt["id"]), &json!({ "allocation_ids": ids }));
        let ids: Vec<Value> = both["allocations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        let released = release(json!([ids[1]])).expect(200)["data"].clone();
        assert_eq!(money(&released), json!([30.0, 120.0, 0.0, 30.0]));
        assert_eq!(invoice_state(&books, &invoice), json!(["part_paid", 30.0, 70.0]));
        assert_eq!(reason(&release(json!([ids[1]]))), "invalid_state");
        assert_eq!(refusal(&release(json!([ids[0], 999_999])))["field"], "allocation_ids[1]");
        assert_eq!(format_paths(&release(json!([]))), ["allocation_ids"]);
        let void = books.post(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
        assert_eq!(refusal(&void), json!({ "reason": "has_allocations", "allocation_ids": [ids[0]] }));
        release(json!([ids[0]])).expect(200);
        assert_eq!(invoice_state(&books, &invoice), json!(["issued", 0.0, 100.0]));
        assert_eq!(books.server.rows_of("journal"), journals, "allocating and releasing post nothing");
        books.done(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({ "void_date": "2026-01-10" }));
        assert_eq!(books.owed().0, json!(-150.0));
    }

    fn the_oldest_invoices_are_paid_first(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let newest = books.sale(customer, "2026-02-05", "100");
        let oldest = books.sale(customer, "2026-01-05", "100");
        let named = books.sale(customer, "2026-03-01", "100");
        books.sale(books.customer("B"), "2026-01-01", "100");
        let mut body = books.receipt_body(customer, "2026-03-02", "170", &[(&named, "20")]);
        body["auto_allocate"] = json!(true);
        let receipt = books.made(PATH, &body);
        assert_eq!(money(&receipt), json!([170.0, 0.0, 0.0, 170.0]));
        assert_eq!(invoice_state(&books, &named), json!(["part_paid", 20.0, 80.0]));
        assert_eq!(invoice_state(&books, &oldest), json!(["paid", 100.0, 0.0]));
        assert_eq!(invoice_state(&books, &newest), json!(["part_paid", 50.0, 50.0]));
    }

    fn an_overpayment_is_given_back(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-05", "100");
        let receipt = books.receipt(customer, "2026-01-10", "130", &[(&invoice, "100")]);
        assert_eq!(books.owed().0, json!(-30.0));
        let refund = |amount: &str, to: Value| {
            books.post(PATH, &json!({
                "customer_id": customer, "date": "2026-01-20", "amount": amount, "bank_account_id": books.bank_id(),
                "kind": "refund", "allocations": to
            }))
        };
        let over = refund("40", json!([{ "receipt_id": receipt["id"], "amount": 40 }]));
        assert_eq!(refusal(&over), json!({ "reason": "over_allocated", "available": 30.0, "requested": 40.0, "field": "allocations[0].receipt_id", "id": receipt["id"] }));
        let made = refund("30", json!([{ "receipt_id": receipt["id"], "amount": 30 }])).expect(201)["data"].clone();
        assert_eq!(fields(&made, &["kind", "number", "unallocated_amount"]), json!(["refund", "RCP-00002", 0.0]));
        assert_eq!(fields(&made["allocations"][0], &["receipt_id", "receipt_number", "invoice_id"]), json!([receipt["id"], "RCP-00001", null]));
        assert_eq!(books.sides(&made["journal_id"]), [side("1100", 30.0, 0.0), side("1200", 0.0, 30.0)]);
        assert_eq!(books.owed().0, json!(0.0));
        let given = books.get(&format!("{PATH}/{}", receipt["id"]))["data"].clone();
        assert_eq!(money(&given), json!([130.0, 0.0, 0.0, 130.0]));
        assert_eq!(fields(&given["allocations"][1], &["refund_id", "refund_number", "amount"]), json!([made["id"], "RCP-00002", 30.0]));

        let note = books.credit(customer, "2026-02-01", "25");
        let back = refund("25", json!([{ "credit_note_id": note["id"], "amount": "25.00" }])).expect(201)["data"].clone();
        assert_eq!(fields(&back["allocations"][0], &["credit_note_id", "credit_note_number", "date"]), json!([note["id"], "SCN-0001", "2026-02-01"]));
        let note = books.get(&format!("/sales-credit-notes/{}", note["id"]))["data"].clone();
        assert_eq!(fields(&note, &["status", "amount_paid", "amount_credited", "amount_due"]), json!(["allocated", 25.0, 0.0, 0.0]));
        assert_eq!(fields(&note["allocations"][0], &["refund_id", "refund_number", "invoice_id"]), json!([back["id"], "RCP-00003", null]));
        assert_eq!(books.owed().0, json!(0.0));
        // Refunds do not go to invoices, nor receipts to credit notes.
        assert_eq!(format_paths(&refund("1", json!([{ "invoice_id": invoice["id"], "amount": 1 }]))), ["allocations[0].invoice_id"]);
        let wrong = refund("1", json!([{ "credit_note_id": invoice["id"], "amount": 1 }]));
        assert_eq!(refusal(&wrong), json!({ "reason": "unknown_reference", "field": "allocations[0].credit_note_id", "id": invoice["id"] }));
        let wrong = refund("1", json!([{ "receipt_id": made["id"], "amount": 1 }]));
        assert_eq!(refusal(&wrong), json!({ "reason": "unknown_reference", "field": "allocations[0].receipt_id", "id": made["id"] }));
        assert_eq!(books.listed("/customer-receipts?has_unallocated=true"), (vec![], Some(0)));
    }

    fn a_void_releases_and_is_dated_like_invoices(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-05", "100");
        let receipt = books.receipt(customer, "2026-01-10", "100", &[(&invoice, "100")]);
        let void = format!("{PATH}/{}/void", receipt["id"]);
        books.lock("2026-01-31");
        let before = books.picture();
        assert_eq!(refusal(&books.post(&void, &json!({}))), json!({
            "reason": "period_locked", "lock_date": "2026-01-31", "date": "2026-01-10", "earliest_date": "2026-02-01"
        }));
        assert_eq!(format_paths(&books.post(&void, &json!({ "void_date": "2026-01-09", "reason": "" }))), ["reason"]);
        assert_eq!(format_paths(&books.post(&void, &json!({ "void_date": "2026-01-09" }))), ["void_date"]);
        let rehearsed = books.post(&format!("{void}?dry_run=true"), &json!({ "void_date": "2026-02-01" })).expect(200);
        assert_eq!((&rehearsed["dry_run"], &rehearsed["data"]["status"]), (&json!(true), &json!("void")));
        assert_eq!(books.picture(), before);
        let voided = books.done(&void, &json!({ "void_date": "2026-02-01", "reason": "bounced" }));
        assert_eq!(fields(&voided, &["status", "void_date", "void_reason", "allocations"]), json!(["void", "2026-02-01", "bounced", []]));
        assert_eq!(books.sides(&voided["void_journal_id"]), [side("1200", 0.0, 100.0), side("1100", 100.0, 0.0)]);
        assert_eq!(invoice_state(&books, &invoice), json!(["issued", 0.0, 100.0]));
        assert_eq!(books.owed().0, json!(100.0));
        for again in [
            books.post(&void, &json!({})),
            allocate(&books, &receipt, &[(&invoice, "1")]),
        ] {
            assert_eq!(refusal(&again), json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }));
        }
        assert_eq!(books.listed("/customer-receipts?status=void").1, Some(1));
        assert_eq!(books.listed("/customer-receipts?status=posted").1, Some(0));
    }

    fn what_is_refused_writes_nothing(database) {
        let books = Books::on(&database);
        let (customer, other) = (books.customer("A"), books.customer("B"));
        let (invoice, foreign) = (books.sale(customer, "2026-01-05", "100"), books.sale(other, "2026-01-05", "100"));
        let bill = books.bill(books.supplier("S"), "2026-01-05", "100");
        let draft = books.made("/sales-invoices", &json!({
            "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "50", "NV")], "issue": false
        }));
        let gone = books.sale(customer, "2026-01-05", "5");
        books.done(&format!("/sales-invoices/{}/void", gone["id"]), &json!({}));
        let shut = books.made("/bank-accounts", &json!({ "name": "Old", "code": "1299" }));
        books.request("POST", &format!("/bank-accounts/{}/archive", shut["id"])).send().expect(200);
        books.lock("2025-12-31");
        let with = |key: &str, value: Value| {
            let mut body = books.receipt_body(customer, "2026-01-10", "150", &[]);
            body[key] = value;
            books.post(PATH, &body)
        };
        let to = |invoice: &Value, amount: &str| with("allocations", to_invoices(&[(invoice, amount)]));
        let before = books.picture();
        let named = |reason: &str, field: &str, id: &Value| json!({ "reason": reason, "field": field, "id": id });
        let about = |mut details: Value, invoice: &Value| {
            (details["field"], details["id"]) = (json!("allocations[0].invoice_id"), invoice["id"].clone());
            details
        };
        let nobody = json!(999_999);
        for (answer, status, details) in [
            (with("customer_id", nobody.clone()), 422, named("unknown_reference", "customer_id", &nobody)),
            (with("bank_account_id", nobody.clone()), 422, named("unknown_reference", "bank_account_id", &nobody)),
            (with("bank_account_id", shut["id"].clone()), 422, named("bank_account_archived", "bank_account_id", &shut["id"])),
            (to(&json!({ "id": 999_999 }), "1"), 422, named("unknown_reference", "allocations[0].invoice_id", &nobody)),
            (to(&bill, "1"), 422, named("unknown_reference", "allocations[0].invoice_id", &bill["id"])),
            (to(&foreign, "1"), 422, named("contact_mismatch", "allocations[0].invoice_id", &foreign["id"])),
            (to(&invoice, "100.01"), 422, about(json!({ "reason": "over_allocated", "available": 100.0, "requested": 100.01 }), &invoice)),
            (to(&draft, "1"), 409, about(json!({ "reason": "invalid_state", "current": "draft", "allowed": ["issued"] }), &draft)),
            (to(&gone, "1"), 409, about(json!({ "reason": "invalid_state", "current": "void", "allowed": ["issued"] }), &gone)),
            (with("date", json!("2025-12-31")), 422, json!({
                "reason": "period_locked", "lock_date": "2025-12-31", "date": "2025-12-31", "earliest_date": "2026-01-01"
            })),
        ] {
            assert_eq!((answer.status, refusal(&answer)), (status, details), "{answer}");
        }
        let mut small = books.receipt_body(customer, "2026-01-10", "10", &[(&invoice, "10.01")]);
        assert_eq!(refusal(&books.post(PATH, &small)), json!({ "reason": "over_allocated", "available": 10.0, "requested": 10.01 }));
        small["allocations"] = to_invoices(&[(&invoice, "6"), (&invoice, "6")]);
        assert_eq!(reason(&books.post(PATH, &small)), "over_allocated");
        for (key, value, paths) in [
            ("amount", json!(0), vec!["amount"]),
            ("amount", json!("-5"), vec!["amount"]),
            ("amount", json!("10.005"), vec!["amount"]),
            ("amount", json!("£5"), vec!["amount"]),
            ("kind", json!("payment"), vec!["kind"]),
            ("method", json!("barter"), vec!["method"]),
            ("date", json!("2026-02-29"), vec!["date"]),
            ("supplier_id", json!(1), vec!["supplier_id"]),
            ("auto_allocate", json!("yes"), vec!["auto_allocate"]),
            ("allocations", json!([{ "amount": 1 }]), vec!["allocations[0].invoice_id"]),
            ("allocations", json!([{ "amount": 1, "receipt_id": 1 }]), vec!["allocations[0].receipt_id"]),
        ] {
            assert_eq!(format_paths(&with(key, value.clone())), paths, "{key} {value}");
        }
        assert_eq!(books.picture(), before);
        assert_eq!(books.receipt(customer, "2026-01-10", "1", &[])["number"], "RCP-00001", "no number was consumed");
    }

    fn receipts_are_listed_and_filtered(database) {
        let books = Books::on(&database);
        let (a, b) = (books.customer("A"), books.customer("B"));
        let invoice = books.sale(a, "2026-01-01", "10");
        let savings = books.made("/bank-accounts", &json!({ "name": "Savings", "type": "savings", "code": "1210" }));
        let id = |receipt: Value| receipt["id"].as_i64().unwrap();
        let first = id(books.receipt(a, "2026-01-10", "10", &[(&invoice, "10")]));
        let second = id(books.receipt(b, "2026-02-10", "20", &[]));
        let mut elsewhere = books.receipt_body(a, "2026-01-10", "30", &[]);
        elsewhere["bank_account_id"] = savings["id"].clone();
        let third = id(books.made(PATH, &elsewhere));
        let listed = |query: &str| books.listed(&format!("{PATH}{query}"));
        assert_eq!(listed(""), (vec![second, third, first], Some(3)));
        assert_eq!(listed("?limit=1&offset=1"), (vec![third], Some(3)));
        assert_eq!(listed(&format!("?customer_id={a}")), (vec![third, first], Some(2)));
        assert_eq!(listed(&format!("?bank_account_id={}", savings["id"])), (vec![third], Some(1)));
        assert_eq!(listed("?date_from=2026-01-11&date_to=2026-02-10"), (vec![second], Some(1)));
        assert_eq!(listed("?has_unallocated=false"), (vec![first], Some(1)));
        assert_eq!(listed("?has_unallocated=true").0, [second, third]);
        assert_eq!(listed("?updated_since=2199-01-01T00:00:00Z"), (vec![], Some(0)));
        assert_eq!(listed("?status=posted"), (vec![second, third, first], Some(3)));
        let refused = books.request("GET", "/customer-receipts?status=draft&has_unallocated=1&customer_id=0").send();
        assert_eq!(format_paths(&refused), ["query.customer_id", "query.status", "query.has_unallocated"]);
    }

    fn retries_and_versions(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-01-01", "10");
        let body = books.receipt_body(customer, "2026-01-10", "10", &[]);
        let post = || books.request("POST", PATH).idempotency_key("k").json(&body).send();
        let (first, again) = (post(), post());
        assert_eq!((first.status, &first.body, again.header("idempotency-replayed")), (201, &again.body, Some("true")));
        assert_eq!(books.server.rows_of("settlement"), 1);
        let path = format!("{PATH}/{}", first.value()["data"]["id"]);
        for (method, rest, body) in [
            ("PATCH", "", json!({ "memo": "x" })),
            ("POST", "/void", json!({})),
            ("POST", "/allocate", json!({ "allocations": to_invoices(&[(&invoice, "1")]) })),
            ("POST", "/unallocate", json!({ "allocation_ids": [1] })),
        ] {
            let stale = books.request(method, &format!("{path}{rest}")).header("If-Match", "\"9\"").json(&body).send();
            assert_eq!(reason(&stale), "stale_version", "{rest}");
        }
        let before = books.picture();
        let rehearsed = books.post("/customer-receipts?dry_run=true", &body).expect(200);
        assert_eq!(fields(&rehearsed["data"], &["id", "journal_id", "number"]), json!([null, null, null]));
        let rehearsed = books.post(&format!("{path}/allocate?dry_run=true"), &json!({ "allocations": to_invoices(&[(&invoice, "4")]) })).expect(200);
        assert_eq!(fields(&rehearsed["data"]["allocations"][0], &["id", "amount"]), json!([null, 4.0]));
        assert_eq!(books.picture(), before);
    }

    fn the_last_of_it_is_allocated_once(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoices: Vec<Value> = (0..4).map(|_| books.sale(customer, "2026-01-01", "100")).collect();
        let receipt = books.receipt(customer, "2026-01-10", "100", &[]);
        let mut statuses: Vec<u16> = std::thread::scope(|scope| {
            let (books, receipt) = (&books, &receipt);
            let threads: Vec<_> =
                invoices.iter().map(|invoice| scope.spawn(move || allocate(books, receipt, &[(invoice, "100")]).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422, 422, 422]);
        assert_eq!(books.listed("/sales-invoices?status=paid").1, Some(1));
    }
}

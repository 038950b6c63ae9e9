//! Sales invoices: worked figures, drafts, numbers, voids, lists, and what is refused.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::trade::{fields, refusal, side};
use super::{Books, format_paths, printed, reason};
use crate::support::client::keys;
use crate::support::database::{Database, on_both_databases};
use crate::support::server::TestServer;

const PATH: &str = "/sales-invoices";

fn amounts(invoice: &Value) -> Value {
    fields(invoice, &["net_amount", "vat_amount", "gross_amount"])
}

on_both_databases! {
    fn a_long_number_of_the_callers_own_does_not_stop_the_sequence(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let lines = json!([books.item("4000", "10", "NV")]);
        let own = |number: &str| {
            let body = json!({
                "customer_id": customer, "invoice_date": "2026-03-01", "invoice_number": number, "lines": lines
            });
            books.post(PATH, &body)
        };
        let refused = own("INV-999999999999999999");
        assert_eq!((refused.status, format_paths(&refused)), (422, vec!["invoice_number".to_owned()]));
        own("INV-999999999999999").expect(201);
        for next in ["INV-1000000000000000", "INV-1000000000000001"] {
            assert_eq!(books.sale(customer, "2026-03-02", "10")["invoice_number"], next);
        }
    }

    fn a_void_without_a_date_is_refused_when_its_own_is_locked(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-02-05", "100");
        let receipt = books.receipt(customer, "2026-02-06", "100", &[(&invoice, "100")]);
        books.lock("2026-02-28");
        let path = format!("/customer-receipts/{}", receipt["id"]);
        let released = json!({ "allocation_ids": [receipt["allocations"][0]["id"]] });
        books.done(&format!("{path}/unallocate"), &released);
        for void in [format!("{PATH}/{}/void", invoice["id"]), format!("{path}/void")] {
            let refused = books.post(&void, &json!({}));
            assert_eq!((refused.status, reason(&refused)), (422, "period_locked".to_owned()));
            assert_eq!(refused.value()["error"]["details"]["earliest_date"], "2026-03-01");
            let done = books.done(&void, &json!({ "void_date": "2026-03-02" }));
            assert_eq!(done["void_date"], "2026-03-02");
        }
    }

    fn what_was_released_late_is_not_settled_before(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = books.sale(customer, "2026-03-05", "100");
        let receipt = books.receipt(customer, "2026-03-06", "100", &[(&invoice, "100")]);
        books.done(&format!("/customer-receipts/{}/void", receipt["id"]), &json!({ "void_date": "2026-04-10" }));
        let other = books.receipt(customer, "2026-03-07", "100", &[(&invoice, "100")]);
        assert_eq!(other["allocations"][0]["date"], "2026-04-10");
    }

    fn an_invoice_of_several_codes_is_worked_line_by_line(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("Brightwell School");
        let hinges = books.item("4000", "10.03", "ST");
        let lines = json!([hinges, hinges, hinges, books.item("4100", "2640", "RR"), books.item("4000", "860.00", "ZR")]);
        let body = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "reference": "PO 8812", "lines": lines });
        let answer = books.post(PATH, &body);
        let invoice = answer.expect(201)["data"].clone();
        let mut known = vec![
            "id", "document_type", "invoice_number", "status", "overdue", "days_overdue", "customer_id", "customer_name",
            "invoice_date", "due_date", "payment_terms_days", "reference", "notes", "currency", "vat_inclusive", "vat_basis", "lines",
            "vat_summary", "net_amount", "vat_amount", "gross_amount", "amount_paid", "amount_credited", "amount_due",
            "allocations", "journal_id", "void_journal_id", "void_date", "void_reason", "opening", "issued_at",
            "last_emailed_at", "created_at", "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&invoice), known);
        assert_eq!(amounts(&invoice), json!([3530.09, 138.03, 3668.12]));
        assert_eq!(printed(&answer, "amount_due"), "3668.12");
        assert_eq!(printed(&answer, "amount_paid"), "0.00");
        assert_eq!(invoice["vat_summary"], json!([
            { "vat_code": "RR", "reverse_charge": null, "net_amount": 2640.0, "vat_amount": 132.0 },
            { "vat_code": "ST", "reverse_charge": null, "net_amount": 30.09, "vat_amount": 6.03 },
            { "vat_code": "ZR", "reverse_charge": null, "net_amount": 860.0, "vat_amount": 0.0 },
        ]));
        let head = fields(&invoice, &["invoice_number", "status", "due_date", "payment_terms_days", "customer_name", "opening"]);
        assert_eq!(head, json!(["INV-0001", "issued", "2026-02-04", 30, "Brightwell School", false]));
        assert_eq!(invoice["overdue"], true);
        // The day of a file is the manual clock's, 2026-03-10; that of a server is its own.
        let days = invoice["days_overdue"].as_i64().unwrap();
        assert!(if matches!(database, Database::Sqlite) { days == 34 } else { days >= 34 }, "{days}");
        let line = &invoice["lines"][2];
        assert_eq!(
            fields(line, &["position", "quantity", "unit_price", "discount_percent", "vat_rate", "net_amount", "vat_amount", "gross_amount", "account_code"]),
            json!([3, 1, 10.03, 0, 20, 10.03, 2.01, 12.04, "4000"])
        );
        assert_eq!(
            books.sides(&invoice["journal_id"]),
            [side("1100", 3668.12, 0.0), side("4000", 0.0, 890.09), side("4100", 0.0, 2640.0), side("2200", 0.0, 138.03)]
        );
        let journal = books.get(&format!("/journals/{}", invoice["journal_id"]))["data"].clone();
        assert_eq!(fields(&journal, &["source_type", "source_id", "entry_date"]), json!(["sales_invoice", invoice["id"], "2026-01-05"]));
        assert_eq!(journal["lines"][0]["contact_id"], customer);
        let owing = books.get(&format!("/customers/{customer}"))["data"].clone();
        assert_eq!(fields(&owing, &["balance", "overdue"]), json!([3668.12, 3668.12]));
        assert_eq!(books.get(&format!("{PATH}/{}", invoice["id"]))["data"], invoice);
        let void = books.request("POST", &format!("/journals/{}/void", invoice["journal_id"])).send();
        assert_eq!(refusal(&void), json!({ "reason": "linked_to_document", "source_type": "sales_invoice", "source_id": invoice["id"] }));
    }

    fn halves_of_a_penny_go_away_from_zero(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("A");
        let draft = |inclusive: bool, line: Value| {
            let mut full = books.item("4000", "1", "ST");
            for (key, value) in line.as_object().unwrap() {
                full[key] = value.clone();
            }
            // Beside it something large, so that small negative lines may stand.
            let lines = [full, books.item("4000", "100", "NV")];
            let body = json!({
                "customer_id": customer, "invoice_date": "2026-01-05", "lines": lines, "vat_inclusive": inclusive, "issue": false
            });
            fields(&books.made(PATH, &body)["lines"][0], &["net_amount", "vat_amount"])
        };
        for (line, worked) in [
            (json!({ "unit_price": "0.70", "vat_code": "RR" }), json!([0.70, 0.04])),
            (json!({ "unit_price": "2.30", "vat_code": "RR" }), json!([2.30, 0.12])),
            (json!({ "unit_price": "0.30", "vat_code": "RR" }), json!([0.30, 0.02])),
            (json!({ "unit_price": "0.50", "vat_code": "RR" }), json!([0.50, 0.03])),
            (json!({ "unit_price": "-0.30", "vat_code": "RR" }), json!([-0.30, -0.02])),
            (json!({ "quantity": 7.5, "unit_price": 38.50 }), json!([288.75, 57.75])),
            (json!({ "unit_price": 1.005 }), json!([1.01, 0.20])),
            (json!({ "quantity": 3, "unit_price": "0.3333" }), json!([1.0, 0.20])),
            (json!({ "unit_price": 1e3, "discount_percent": 12.5 }), json!([875.0, 175.0])),
            (json!({ "unit_price": "10.03", "vat_amount": "2.00" }), json!([10.03, 2.0])),
            (json!({ "unit_price": "10.00", "vat_code": "EX" }), json!([10.0, 0.0])),
        ] {
            assert_eq!(draft(false, line.clone()), worked, "{line}");
        }
        assert_eq!(draft(true, json!({ "unit_price": "2500.00" })), json!([2083.33, 416.67]));
        assert_eq!(draft(true, json!({ "unit_price": "0.03" })), json!([0.02, 0.01]));
    }

    fn a_draft_posts_nothing_until_it_is_issued(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let body = json!({
            "customer_id": customer, "invoice_date": "2026-01-05", "issue": false, "lines": [books.item("4000", "100", "ST")]
        });
        // VAT Control is not needed for a draft.
        let draft = books.made(PATH, &body);
        let path = format!("{PATH}/{}", draft["id"]);
        assert_eq!(
            fields(&draft, &["status", "invoice_number", "journal_id", "issued_at", "amount_due", "gross_amount", "overdue"]),
            json!(["draft", null, null, null, 0.0, 120.0, false])
        );
        assert_eq!((books.server.rows_of("journal"), books.owed().0), (0, json!(0.0)));
        let issue = books.request("POST", &format!("{path}/issue")).send();
        assert_eq!(reason(&issue), "vat_control_required");
        let message = issue.refused(422, "unprocessable_entity")["message"].clone();
        assert_eq!(message, "a VAT Control account is required before issuing invoices with VAT");
        books.vat_control();

        let other = books.customer("B");
        let patch = json!({
            "customer_id": other, "invoice_date": "2026-02-01", "due_date": "2026-02-28", "reference": "R", "notes": "N",
            "vat_inclusive": true, "lines": [books.item("4000", "120", "ST"), books.item("4100", "5", "NV")]
        });
        let patched = books.request("PATCH", &path).json(&patch).send().expect(200)["data"].clone();
        assert_eq!(amounts(&patched), json!([105.0, 20.0, 125.0]));
        assert_eq!(
            fields(&patched, &["customer_name", "invoice_date", "due_date", "reference", "notes", "version", "status"]),
            json!(["B", "2026-02-01", "2026-02-28", "R", "N", 2, "draft"])
        );
        let issued = books.request("POST", &format!("{path}/issue")).send().expect(200)["data"].clone();
        assert_eq!(fields(&issued, &["status", "invoice_number", "amount_due", "version"]), json!(["issued", "INV-0001", 125.0, 3]));
        assert_ne!(issued["issued_at"], Value::Null);
        assert_eq!(books.sides(&issued["journal_id"]), [side("1100", 125.0, 0.0), side("4000", 0.0, 100.0), side("4100", 0.0, 5.0), side("2200", 0.0, 20.0)]);

        let again = books.request("POST", &format!("{path}/issue")).send();
        assert_eq!(refusal(&again), json!({ "reason": "invalid_state", "current": "issued", "allowed": ["draft"] }));
        let gone = books.request("DELETE", &path).send();
        assert_eq!(refusal(&gone)["current"], "issued");
        let changed = books.request("PATCH", &path).json(&json!({ "lines": [books.item("4000", "1", "NV")] })).send();
        assert_eq!(refusal(&changed)["reason"], "invalid_state");
        let few = json!({ "reference": "R2", "notes": null, "due_date": "2026-04-01" });
        let changed = books.request("PATCH", &path).json(&few).send().expect(200)["data"].clone();
        assert_eq!(fields(&changed, &["reference", "notes", "due_date", "version"]), json!(["R2", null, "2026-04-01", 4]));
        let early = books.request("PATCH", &path).json(&json!({ "due_date": "2026-01-31" })).send();
        assert_eq!(format_paths(&early), ["due_date"]);

        let second = books.made(PATH, &body);
        let gone = books.request("DELETE", &format!("{PATH}/{}", second["id"])).send().expect(200);
        assert_eq!(gone, json!({ "data": { "id": second["id"], "deleted": true } }));
        books.request("GET", &format!("{PATH}/{}", second["id"])).send().refused(404, "not_found");
        let third = books.made(PATH, &body);
        let voided = books.done(&format!("{PATH}/{}/void", third["id"]), &json!({}));
        assert_eq!(fields(&voided, &["status", "journal_id", "void_journal_id", "invoice_number"]), json!(["void", null, null, null]));
        let issue = books.request("POST", &format!("{PATH}/{}/issue", third["id"])).send();
        assert_eq!(refusal(&issue)["current"], "void");
        assert_eq!(books.server.rows_of("journal"), 1);
        assert_eq!(books.get(PATH)["pagination"]["total"], 2);
        assert_eq!(books.listed("/sales-invoices?status=draft"), (vec![], Some(0)));
    }

    fn numbers_have_no_gap_and_are_never_used_again(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let invoice = |number: Value| {
            let body = json!({
                "customer_id": customer, "invoice_date": "2026-01-05", "invoice_number": number,
                "lines": [books.item("4000", "1", "NV")]
            });
            books.post(PATH, &body)
        };
        let number = |number: Value| invoice(number).expect(201)["data"]["invoice_number"].clone();
        assert_eq!(number(Value::Null), "INV-0001");
        assert_eq!(number(json!("INV-0101")), "INV-0101");
        assert_eq!(number(Value::Null), "INV-0102");
        assert_eq!(number(json!("March/7")), "March/7");
        assert_eq!(number(Value::Null), "INV-0103");
        let first = books.get("/sales-invoices?search=inv-0101")["data"][0].clone();
        let taken = invoice(json!("INV-0101"));
        assert_eq!(refusal(&taken), json!({ "reason": "duplicate_number", "field": "invoice_number", "existing_id": first["id"] }));
        books.done(&format!("{PATH}/{}/void", first["id"]), &json!({}));
        assert_eq!(reason(&invoice(json!("INV-0101"))), "duplicate_number");
        // A refused invoice and a rehearsal consume none.
        let rehearsed = books.post("/sales-invoices?dry_run=true", &json!({
            "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "1", "NV")]
        }));
        assert_eq!(fields(&rehearsed.expect(200)["data"], &["id", "journal_id"]), json!([null, null]));
        assert_eq!(number(Value::Null), "INV-0104");
        books.request("PATCH", "").json(&json!({ "sales_invoice_prefix": "S" })).send().expect(200);
        assert_eq!(number(Value::Null), "S0001");
        books.request("PATCH", "").json(&json!({ "sales_invoice_prefix": "INV-" })).send().expect(200);
        assert_eq!(number(Value::Null), "INV-0105");
        assert_eq!(books.get("")["data"]["sales_invoice_next_number"], 106);
    }

    fn fifty_issues_at_once_have_fifty_numbers(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let body = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "1.01", "NV")] });
        let numbers: BTreeSet<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..5)
                .map(|_| {
                    scope.spawn(|| {
                        let made = || books.made(PATH, &body)["invoice_number"].as_str().unwrap().to_owned();
                        (0..10).map(|_| made()).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let expected: BTreeSet<String> = (1..=50).map(|number| format!("INV-{number:04}")).collect();
        assert_eq!(numbers, expected);
        assert_eq!((books.owed().0, books.get(PATH)["pagination"]["total"].as_i64()), (json!(50.5), Some(50)));
    }

    fn a_void_is_dated_and_reverses_exactly(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("A");
        let body = json!({ "customer_id": customer, "invoice_date": "2026-01-15", "lines": [books.item("4000", "100", "ST")] });
        let invoice = books.made(PATH, &body);
        let void = format!("{PATH}/{}/void", invoice["id"]);
        books.lock("2026-01-31");
        let before = books.picture();
        let refused = books.request("POST", &void).send();
        assert_eq!(refusal(&refused), json!({
            "reason": "period_locked", "lock_date": "2026-01-31", "date": "2026-01-15", "earliest_date": "2026-02-01"
        }));
        assert_eq!(reason(&books.post(&void, &json!({ "void_date": "2026-01-31" }))), "period_locked");
        assert_eq!(format_paths(&books.post(&void, &json!({ "void_date": "2026-01-14" }))), ["void_date"]);
        assert_eq!(format_paths(&books.post(&void, &json!({ "void_date": "2026-02-30", "why": 1 }))), ["void_date", "why"]);
        assert_eq!(books.picture(), before);
        let voided = books.done(&void, &json!({ "void_date": "2026-02-01", "reason": "wrong customer" }));
        assert_eq!(
            fields(&voided, &["status", "void_date", "void_reason", "amount_due", "journal_id", "invoice_number"]),
            json!(["void", "2026-02-01", "wrong customer", 0.0, invoice["journal_id"], "INV-0001"])
        );
        assert_eq!(books.sides(&voided["void_journal_id"]), [side("1100", 0.0, 120.0), side("4000", 100.0, 0.0), side("2200", 20.0, 0.0)]);
        assert_eq!(books.owed().0, json!(0.0));
        let again = books.request("POST", &void).send();
        assert_eq!(refusal(&again)["reason"], "invalid_state");
        assert_eq!(refusal(&again)["current"], "void");
        let late = books.request("PATCH", &format!("{PATH}/{}", invoice["id"])).json(&json!({ "due_date": "2026-05-01" })).send();
        assert_eq!(refusal(&late)["current"], "void");
        // Issuing into the locked period is refused, a draft there is not.
        assert_eq!(reason(&books.post(PATH, &body)), "period_locked");
        let mut draft = body.clone();
        draft["issue"] = json!(false);
        let draft = books.made(PATH, &draft);
        assert_eq!(reason(&books.request("POST", &format!("{PATH}/{}/issue", draft["id"])).send()), "period_locked");
        assert_eq!(books.server.rows_of("journal"), 2);
    }

    fn a_document_of_nothing_is_paid_when_issued(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let lines = json!([books.item("4000", "100", "NV"), books.item("4000", "-100", "NV")]);
        let invoice = books.made(PATH, &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": lines }));
        assert_eq!(fields(&invoice, &["status", "gross_amount", "journal_id", "overdue"]), json!(["paid", 0.0, null, false]));
        let voided = books.done(&format!("{PATH}/{}/void", invoice["id"]), &json!({}));
        assert_eq!(fields(&voided, &["status", "void_journal_id"]), json!(["void", null]));
    }

    fn invoices_are_listed_newest_first_and_filtered(database) {
        let books = Books::on(&database);
        let (alpha, beta) = (books.customer("Alpha Ltd"), books.customer("Beta Ltd"));
        let ids: Vec<i64> = [(alpha, "2026-01-05", "10"), (beta, "2196-03-01", "20"), (alpha, "2026-01-05", "30"), (beta, "2196-02-20", "40")]
            .iter()
            .map(|(customer, date, gross)| books.sale(*customer, date, gross)["id"].as_i64().unwrap())
            .collect();
        let [a, b, c, d] = ids[..] else { panic!() };
        let draft = json!({
            "customer_id": alpha, "invoice_date": "2196-03-09", "issue": false, "reference": "100% extra",
            "lines": [books.item("4000", "50", "NV")]
        });
        let e = books.made(PATH, &draft)["id"].as_i64().unwrap();
        books.receipt(alpha, "2026-01-06", "15", &[(&json!({ "id": a }), "10"), (&json!({ "id": c }), "5")]);
        books.done(&format!("{PATH}/{b}/void"), &json!({}));
        let listed = |query: &str| books.listed(&format!("{PATH}{query}"));
        assert_eq!(listed(""), (vec![e, b, d, c, a], Some(5)));
        assert_eq!(listed("?limit=2&offset=1"), (vec![b, d], Some(5)));
        assert_eq!(listed("?offset=9"), (vec![], Some(5)));
        for (status, ids) in [("draft", vec![e]), ("issued", vec![d]), ("part_paid", vec![c]), ("paid", vec![a]), ("void", vec![b])] {
            let total = i64::try_from(ids.len()).unwrap();
            assert_eq!(listed(&format!("?status={status}")), (ids, Some(total)), "{status}");
        }
        assert_eq!(listed("?status=paid&status=part_paid"), (vec![c, a], Some(2)));
        assert_eq!(listed(&format!("?customer_id={beta}&status=issued")), (vec![d], Some(1)));
        assert_eq!(listed("?date_from=2026-01-06&date_to=2196-03-01"), (vec![b, d], Some(2)));
        // Terms are 30 days.
        assert_eq!(listed("?overdue=true"), (vec![c], Some(1)));
        assert_eq!(listed("?overdue=false"), (vec![e, b, d, c, a], Some(5)));
        assert_eq!(listed("?due_before=2196-03-21").0, [c, a]);
        assert_eq!(listed("?due_before=2196-03-22").0, [d, c, a]);
        assert_eq!(listed("?search=ALPHA").0, [e, c, a]);
        assert_eq!(listed("?search=inv-0004").0, [d]);
        assert_eq!(listed("?search=100%25").0, [e]);
        assert_eq!(listed("?updated_since=2199-01-01T00:00:00Z"), (vec![], Some(0)));
        let refused = books.request("GET", "/sales-invoices?status=unpaid&status=paid&customer_id=x&due_before=1&overdue=1&limit=0").send();
        let mut paths = format_paths(&refused);
        paths.sort_unstable();
        assert_eq!(paths, ["query.customer_id", "query.due_before", "query.limit", "query.overdue", "query.status"]);
    }

    fn what_is_refused_writes_nothing(database) {
        let books = Books::on(&database);
        let (customer, supplier) = (books.customer("A"), books.supplier("S"));
        let archived = books.customer("Archived");
        books.request("POST", &format!("/customers/{archived}/archive")).send().expect(200);
        let old = books.made("/accounts", &json!({ "code": "4999", "name": "Old", "account_type": "REVENUE" }));
        books.request("POST", &format!("/accounts/{}/archive", old["id"])).send().expect(200);
        books.lock("2025-12-31");
        let base = |change: Value| {
            let mut body = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "10", "NV")] });
            for (key, value) in change.as_object().unwrap() {
                body[key] = value.clone();
            }
            books.post(PATH, &body)
        };
        let with = |key: &str, value: Value| {
            let mut line = books.item("4000", "10", "NV");
            line[key] = value;
            base(json!({ "lines": [line] }))
        };
        let before = books.picture();
        let field = |reason: &str, field: &str, id: &Value| json!({ "reason": reason, "field": field, "id": id });
        let nobody = json!(999_999);
        for (answer, details) in [
            (base(json!({ "customer_id": nobody })), field("unknown_reference", "customer_id", &nobody)),
            (base(json!({ "customer_id": supplier })), field("unknown_reference", "customer_id", &json!(supplier))),
            (base(json!({ "customer_id": archived })), field("contact_archived", "customer_id", &json!(archived))),
            (with("account_id", nobody.clone()), field("unknown_reference", "lines[0].account_id", &nobody)),
            (with("account_id", old["id"].clone()), field("account_archived", "lines[0].account_id", &old["id"])),
            (with("account_id", books.account("1100")["id"].clone()), field("wrong_account_type", "lines[0].account_id", &books.account("1100")["id"])),
            (with("account_id", books.account("1200")["id"].clone()), field("wrong_account_type", "lines[0].account_id", &books.account("1200")["id"])),
            (with("vat_amount", json!("0.01")), json!({ "reason": "vat_amount_out_of_tolerance", "field": "lines[0].vat_amount", "expected": 0.0, "actual": 0.01 })),
            (with("unit_price", json!(-5)), json!({ "reason": "negative_total", "total": -5.0 })),
            (base(json!({ "currency": "USD" })), json!({ "reason": "currency_not_supported", "currency": "USD" })),
            (with("vat_code", json!("ST")), json!({ "reason": "vat_control_required" })),
            (base(json!({ "invoice_date": "2025-12-31" })), json!({
                "reason": "period_locked", "lock_date": "2025-12-31", "date": "2025-12-31", "earliest_date": "2026-01-01"
            })),
        ] {
            assert_eq!(answer.details(422, "unprocessable_entity"), details, "{answer}");
        }
        assert_eq!(format_paths(&base(json!({ "due_date": "2026-01-04" }))), ["due_date"]);
        let without = |key: &str| with(key, Value::Null);
        assert_eq!(format_paths(&without("account_id")), ["lines[0].account_id"]);
        assert_eq!(format_paths(&without("vat_code")), ["lines[0].vat_code"]);
        let mut dear = books.item("4000", "99999999", "NV");
        dear["quantity"] = json!(999_999);
        assert_eq!(format_paths(&base(json!({ "lines": [dear] }))), ["lines[0].unit_price"]);
        let bad = json!({ "lines": [{ "unit_price": "£5", "quantity": 0 }], "invoice_date": "2025-02-29", "supplier_reference": "x" });
        assert_eq!(
            format_paths(&base(bad)),
            ["invoice_date", "lines[0].quantity", "lines[0].unit_price", "lines[0].description", "supplier_reference"]
        );
        // A path comes before a body, and a body before the state.
        let nowhere = books.request("PATCH", &format!("{PATH}/999999")).json(&json!({ "x": 1 })).send();
        nowhere.refused(404, "not_found");
        assert_eq!(books.picture(), before);
        assert_eq!(books.sale(customer, "2026-01-05", "1")["invoice_number"], "INV-0001");
    }

    fn retries_versions_and_rehearsals(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let body = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "10", "NV")] });
        let post = || books.request("POST", PATH).idempotency_key("k").json(&body).send();
        let (first, again) = (post(), post());
        assert_eq!((first.status, &first.body), (201, &again.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let id = first.value()["data"]["id"].clone();
        let stale = |method: &str, rest: &str, body: &Value| {
            let request = books.request(method, &format!("{PATH}/{id}{rest}")).header("If-Match", "\"7\"").json(body);
            reason(&request.send())
        };
        assert_eq!(stale("PATCH", "", &json!({ "notes": "x" })), "stale_version");
        assert_eq!(stale("POST", "/void", &json!({})), "stale_version");
        let before = books.picture();
        let answer = books.post(&format!("{PATH}/{id}/void?dry_run=true"), &json!({})).expect(200);
        assert_eq!((&answer["dry_run"], &answer["data"]["status"]), (&json!(true), &json!("void")));
        let answer = books.post("/sales-invoices?dry_run=true", &body).expect(200);
        assert_eq!((&answer["dry_run"], &answer["data"]["lines"][0]["id"]), (&json!(true), &Value::Null));
        assert_eq!(books.picture(), before);
        let right = books.request("POST", &format!("{PATH}/{id}/void")).header("If-Match", "\"1\"").send().expect(200);
        assert_eq!(right["data"]["version"], 2);
    }
}

#[test]
fn defaults_come_from_the_contact_and_the_organisation() {
    let books = Books::of(TestServer::start());
    let sales = books.account_id("4100");
    let body = json!({ "name": "A", "payment_terms_days": 14, "default_account_id": sales, "default_vat_code": "ZR" });
    let customer = books.made("/customers", &body);
    let lines = json!([{ "description": "x", "unit_price": 5 }]);
    let invoice =
        books.made(PATH, &json!({ "customer_id": customer["id"], "invoice_date": "2024-01-30", "lines": lines }));
    assert_eq!(fields(&invoice, &["due_date", "payment_terms_days"]), json!(["2024-02-13", 14]));
    assert_eq!(fields(&invoice["lines"][0], &["account_id", "vat_code", "quantity"]), json!([sales, "ZR", 1]));
    // 30 days are the organisation's, over the end of a leap February.
    assert_eq!(books.sale(books.customer("B"), "2024-01-30", "1")["due_date"], "2024-02-29");
}

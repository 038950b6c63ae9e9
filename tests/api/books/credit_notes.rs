//! Sales and purchase credit notes: credit is set against invoices, released, refunded and voided.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side, to_invoices};
use super::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;

const PATH: &str = "/sales-credit-notes";

fn allocate(books: &Books, note: &Value, allocations: &[(&Value, &str)]) -> crate::support::client::Answer {
    books.post(&format!("{PATH}/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(allocations) }))
}

fn state(note: &Value) -> Value {
    fields(note, &["status", "amount_paid", "amount_credited", "amount_due"])
}

on_both_databases! {
    fn credit_reverses_what_was_charged_and_settles_it(database) {
        let books = Books::on(&database);
        books.vat_control();
        let customer = books.customer("Brightwell School");
        let hinges = books.item("4000", "10.03", "ST");
        let lines = json!([hinges, hinges, hinges]);
        let invoice = books.made("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": lines }));
        assert_eq!(invoice["gross_amount"], 36.12);
        let body = json!({
            "customer_id": customer, "credit_note_date": "2026-02-01", "invoice_id": invoice["id"], "lines": [hinges, hinges]
        });
        let note = books.made(PATH, &body);
        let mut known = vec![
            "id", "document_type", "credit_note_number", "status", "customer_id", "customer_name", "credit_note_date",
            "invoice_id", "reference", "notes", "currency", "vat_inclusive", "vat_basis", "lines", "vat_summary", "net_amount",
            "vat_amount", "gross_amount", "amount_paid", "amount_credited", "amount_due", "allocations", "journal_id",
            "void_journal_id", "void_date", "void_reason", "opening", "issued_at", "last_emailed_at", "created_at",
            "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&note), known);
        assert_eq!(
            fields(&note, &["document_type", "credit_note_number", "net_amount", "vat_amount", "gross_amount", "invoice_id"]),
            json!(["sales_credit_note", "SCN-0001", 20.06, 4.02, 24.08, invoice["id"]])
        );
        assert_eq!(
            books.sides(&note["journal_id"]),
            [side("1100", 0.0, 24.08), side("4000", 20.06, 0.0), side("2200", 4.02, 0.0)]
        );
        assert_eq!(state(&note), json!(["issued", 0.0, 0.0, 24.08]));
        let journals = books.server.rows_of("journal");

        let part = allocate(&books, &note, &[(&invoice, "20.00")]).expect(200)["data"].clone();
        assert_eq!(state(&part), json!(["part_allocated", 0.0, 20.0, 4.08]));
        let given = part["allocations"][0].clone();
        assert_eq!(
            fields(&given, &["invoice_id", "invoice_number", "refund_id", "date", "amount"]),
            json!([invoice["id"], "INV-0001", null, "2026-02-01", 20.0])
        );
        let paid = books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"].clone();
        assert_eq!(state(&paid), json!(["part_paid", 0.0, 20.0, 16.12]));
        assert_eq!(paid["allocations"], json!([{
            "id": given["id"], "source_type": "sales_credit_note", "source_id": note["id"], "date": "2026-02-01",
            "amount": 20.0, "cis_amount": 0.0, "settled_amount": 20.0
        }]));
        let whole = allocate(&books, &note, &[(&invoice, "4.08")]).expect(200)["data"].clone();
        assert_eq!(state(&whole), json!(["allocated", 0.0, 24.08, 0.0]));
        assert_eq!(books.server.rows_of("journal"), journals, "an allocation posts nothing");
        assert_eq!(books.owed().0, json!(12.04));
        assert_eq!(books.get(&format!("/customers/{customer}"))["data"]["balance"], 12.04);

        // What is allocated is released before it is voided.
        let before = books.picture();
        let void = books.post(&format!("{PATH}/{}/void", note["id"]), &json!({}));
        let ids: Vec<Value> = whole["allocations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!((void.status, refusal(&void)), (409, json!({ "reason": "has_allocations", "allocation_ids": ids })));
        let void = books.post(&format!("/sales-invoices/{}/void", invoice["id"]), &json!({}));
        assert_eq!(refusal(&void), json!({ "reason": "has_allocations", "allocation_ids": ids }));
        assert_eq!(books.picture(), before);
        let release = |ids: Value| books.post(&format!("{PATH}/{}/unallocate", note["id"]), &json!({ "allocation_ids": ids }));
        let released = release(json!([ids[0]])).expect(200)["data"].clone();
        assert_eq!(state(&released), json!(["part_allocated", 0.0, 4.08, 20.0]));
        assert_eq!(refusal(&release(json!([ids[0]]))), json!({ "reason": "invalid_state", "current": "released", "allowed": ["active"], "field": "allocation_ids[0]", "id": ids[0] }));
        let unknown = refusal(&release(json!([999_999])));
        assert_eq!(unknown, json!({ "reason": "unknown_reference", "field": "allocation_ids[0]", "id": 999_999 }));
        release(json!([ids[1]])).expect(200);
        let voided = books.done(&format!("{PATH}/{}/void", note["id"]), &json!({ "void_date": "2026-02-01" }));
        assert_eq!(state(&voided), json!(["void", 0.0, 0.0, 0.0]));
        assert_eq!(books.owed().0, json!(36.12));
        assert_eq!(books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"]["status"], "issued");
    }

    fn credit_goes_to_issued_invoices_of_the_same_customer_only(database) {
        let books = Books::on(&database);
        let (customer, other) = (books.customer("A"), books.customer("B"));
        let invoice = books.sale(customer, "2026-01-05", "50");
        let foreign = books.sale(other, "2026-01-05", "50");
        let bill = books.bill(books.supplier("S"), "2026-01-05", "50");
        let draft = books.made("/sales-invoices", &json!({
            "customer_id": customer, "invoice_date": "2026-01-05", "lines": [books.item("4000", "50", "NV")], "issue": false
        }));
        let note = books.credit(customer, "2026-02-01", "60");
        let draft_note = books.made(PATH, &json!({
            "customer_id": customer, "credit_note_date": "2026-02-01", "lines": [books.item("4000", "50", "NV")], "issue": false
        }));
        let before = books.picture();
        let nobody = json!({ "id": 999_999 });
        let details = |answer: crate::support::client::Answer| (answer.status, refusal(&answer));
        let unknown = |id: &Value| (422, json!({ "reason": "unknown_reference", "field": "allocations[0].invoice_id", "id": id }));
        assert_eq!(details(allocate(&books, &note, &[(&nobody, "1")])), unknown(&nobody["id"]));
        assert_eq!(details(allocate(&books, &note, &[(&bill, "1")])), unknown(&bill["id"]));
        assert_eq!(
            details(allocate(&books, &note, &[(&foreign, "1")])),
            (422, json!({ "reason": "contact_mismatch", "field": "allocations[0].invoice_id", "id": foreign["id"] }))
        );
        assert_eq!(
            details(allocate(&books, &note, &[(&draft, "1")])),
            (409, json!({ "reason": "invalid_state", "current": "draft", "allowed": ["issued"], "field": "allocations[0].invoice_id", "id": draft["id"] }))
        );
        assert_eq!(details(allocate(&books, &draft_note, &[(&invoice, "1")])).1["current"], "draft");
        let over = |available: f64, requested: f64| json!({ "reason": "over_allocated", "available": available, "requested": requested });
        let over_at = |row: usize, available: f64, requested: f64| {
            let mut details = over(available, requested);
            (details["field"], details["id"]) = (json!(format!("allocations[{row}].invoice_id")), invoice["id"].clone());
            (422, details)
        };
        assert_eq!(details(allocate(&books, &note, &[(&invoice, "50.01")])), over_at(0, 50.0, 50.01));
        assert_eq!(details(allocate(&books, &note, &[(&invoice, "60.01")])), (422, over(60.0, 60.01)));
        assert_eq!(details(allocate(&books, &note, &[(&invoice, "30"), (&invoice, "30")])), over_at(1, 20.0, 30.0));
        let early = books.post(&format!("{PATH}/{}/allocate", note["id"]), &json!({
            "allocations": to_invoices(&[(&invoice, "1")]), "date": "2026-01-31"
        }));
        assert_eq!(format_paths(&early), ["date"]);
        for (body, paths) in [
            (json!({}), vec!["allocations"]),
            (json!({ "allocations": [] }), vec!["allocations"]),
            (json!({ "allocations": [{ "invoice_id": invoice["id"], "amount": 0 }] }), vec!["allocations[0].amount"]),
            (json!({ "allocations": [{ "invoice_id": invoice["id"], "amount": "1.001" }] }), vec!["allocations[0].amount"]),
            (json!({ "allocations": [{ "amount": -1, "id": 3 }] }), vec!["allocations[0].amount", "allocations[0].id", "allocations[0].invoice_id"]),
        ] {
            assert_eq!(format_paths(&books.post(&format!("{PATH}/{}/allocate", note["id"]), &body)), paths, "{body}");
        }
        books.post(&format!("/purchase-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&invoice, "1")]) })).refused(404, "not_found");
        books.post(&format!("/sales-invoices/{}/allocate", invoice["id"]), &json!({})).refused(404, "not_found");
        assert_eq!(books.picture(), before);
        // An origin is one of the same customer.
        let with_origin = |id: &Value| books.post(PATH, &json!({
            "customer_id": customer, "credit_note_date": "2026-02-01", "invoice_id": id, "lines": [books.item("4000", "1", "NV")]
        }));
        assert_eq!(refusal(&with_origin(&json!(999_999))), json!({ "reason": "unknown_reference", "field": "invoice_id", "id": 999_999 }));
        assert_eq!(refusal(&with_origin(&bill["id"]))["reason"], "unknown_reference");
        assert_eq!(refusal(&with_origin(&foreign["id"])), json!({ "reason": "contact_mismatch", "field": "invoice_id", "id": foreign["id"] }));
        assert_eq!(books.picture(), before);
    }

    fn allocations_are_dated_in_the_open(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let note = books.credit(customer, "2026-01-10", "60");
        let invoice = books.sale(customer, "2026-02-05", "50");
        let dated = allocate(&books, &note, &[(&invoice, "1")]).expect(200)["data"]["allocations"][0]["date"].clone();
        assert_eq!(dated, "2026-02-05", "the later of the two");
        books.lock("2026-02-28");
        let dated = allocate(&books, &note, &[(&invoice, "2")]).expect(200)["data"]["allocations"][1]["date"].clone();
        assert_eq!(dated, "2026-03-01", "the first open day");
        let on = |date: &str| books.post(&format!("{PATH}/{}/allocate", note["id"]), &json!({
            "allocations": to_invoices(&[(&invoice, "3")]), "date": date
        }));
        assert_eq!(reason(&on("2026-02-28")), "period_locked");
        assert_eq!(on("2026-03-07").expect(200)["data"]["allocations"][2]["date"], "2026-03-07");
        let stale = books.request("POST", &format!("{PATH}/{}/allocate", note["id"])).header("If-Match", "\"1\"");
        assert_eq!(reason(&stale.json(&json!({ "allocations": to_invoices(&[(&invoice, "3")]) })).send()), "stale_version");
        let before = books.picture();
        let rehearsed = books.post(&format!("{PATH}/{}/allocate?dry_run=true", note["id"]), &json!({ "allocations": to_invoices(&[(&invoice, "4")]) }));
        let rehearsed = rehearsed.expect(200);
        assert_eq!((&rehearsed["dry_run"], &rehearsed["data"]["amount_credited"]), (&json!(true), &json!(10.0)));
        let allocations = rehearsed["data"]["allocations"].as_array().unwrap();
        let new: Vec<&Value> = allocations.iter().filter(|one| one["amount"] == 4.0).map(|one| &one["id"]).collect();
        assert_eq!(new, [&Value::Null]);
        assert_eq!(books.picture(), before);
    }

    fn suppliers_credit_settles_bills(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.supplier("S");
        let bill = books.bill(supplier, "2026-01-05", "100");
        let body = json!({
            "supplier_id": supplier, "credit_note_date": "2026-01-20", "supplier_reference": "CN-1", "invoice_id": bill["id"],
            "lines": [books.item("5000", "50", "ST")]
        });
        let note = books.made("/purchase-credit-notes", &body);
        assert_eq!(
            fields(&note, &["credit_note_number", "supplier_reference", "gross_amount", "status", "cis"]),
            json!(["PCN-00001", "CN-1", 60.0, "issued", null])
        );
        assert_eq!(books.sides(&note["journal_id"]), [side("2100", 60.0, 0.0), side("5000", 0.0, 50.0), side("2200", 0.0, 10.0)]);
        assert_eq!(reason(&books.post("/purchase-credit-notes", &body)), "duplicate_number");
        let given = books.done(&format!("/purchase-credit-notes/{}/allocate", note["id"]), &json!({ "allocations": to_invoices(&[(&bill, "60")]) }));
        assert_eq!(given["status"], "allocated");
        let bill = books.get(&format!("/purchase-invoices/{}", bill["id"]))["data"].clone();
        assert_eq!(state(&bill), json!(["part_paid", 0.0, 60.0, 40.0]));
        assert_eq!(books.owed().1, json!(40.0));
        assert_eq!(books.listed("/purchase-credit-notes?status=allocated").0, [note["id"].as_i64().unwrap()]);
        assert_eq!(books.listed("/purchase-credit-notes?status=part_allocated&status=issued&search=cn-1"), (vec![], Some(0)));
        format_paths(&books.request("GET", "/purchase-credit-notes?status=paid").send());
    }

    fn credit_notes_need_vat_control_and_are_drafted(database) {
        let books = Books::on(&database);
        let customer = books.customer("A");
        let body = json!({ "customer_id": customer, "credit_note_date": "2026-02-01", "lines": [books.item("4000", "50", "ST")] });
        let refused = books.post(PATH, &body);
        assert_eq!(reason(&refused), "vat_control_required");
        assert_eq!(refused.refused(422, "unprocessable_entity")["message"], "a VAT Control account is required before issuing credit notes with VAT");
        let mut draft = body.clone();
        draft["issue"] = json!(false);
        let draft = books.made(PATH, &draft);
        assert_eq!(fields(&draft, &["status", "credit_note_number"]), json!(["draft", null]));
        books.vat_control();
        let path = format!("{PATH}/{}", draft["id"]);
        let patched = books.request("PATCH", &path).json(&json!({ "credit_note_number": "SCN-0009" })).send().expect(200);
        assert_eq!(patched["data"]["version"], 2);
        let issued = books.request("POST", &format!("{path}/issue")).send().expect(200)["data"].clone();
        assert_eq!(fields(&issued, &["status", "credit_note_number"]), json!(["issued", "SCN-0009"]));
        assert_eq!(books.made(PATH, &body)["credit_note_number"], "SCN-0010");
        let mut negative = body.clone();
        negative["lines"] = json!([books.item("4000", "-1", "NV")]);
        assert_eq!(reason(&books.post(PATH, &negative)), "negative_total");
        assert_eq!(format_paths(&books.post(PATH, &json!({ "customer_id": customer, "invoice_date": "2026-01-01", "due_date": null }))), ["due_date", "invoice_date", "credit_note_date", "lines"]);
    }
}

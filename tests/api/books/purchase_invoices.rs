//! Purchase invoices: worked figures, the supplier's number, CIS, and what is refused.

use serde_json::{Value, json};

use super::trade::{fields, refusal, side};
use super::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;

const PATH: &str = "/purchase-invoices";

on_both_databases! {
    fn a_bill_is_owed_with_its_vat(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.supplier("Timber Ltd");
        let body = json!({
            "supplier_id": supplier, "invoice_date": "2196-02-20", "supplier_reference": "T-77", "notes": "n",
            "lines": [books.item("5000", "1845.60", "ST")]
        });
        let bill = books.made(PATH, &body);
        let mut known = vec![
            "id", "document_type", "number", "supplier_reference", "status", "overdue", "days_overdue", "supplier_id",
            "supplier_name", "invoice_date", "due_date", "payment_terms_days", "reference", "notes", "currency",
            "vat_inclusive", "vat_basis", "lines", "vat_summary", "net_amount", "vat_amount", "gross_amount", "amount_paid",
            "amount_credited", "amount_due", "allocations", "cis", "journal_id", "void_journal_id", "void_date",
            "void_reason", "opening", "issued_at", "last_emailed_at", "created_at", "updated_at", "version",
        ];
        known.sort_unstable();
        assert_eq!(keys(&bill), known);
        assert_eq!(
            fields(&bill, &["number", "supplier_reference", "supplier_name", "gross_amount", "amount_due", "cis", "overdue", "days_overdue"]),
            json!(["BILL-00001", "T-77", "Timber Ltd", 2214.72, 2214.72, null, false, 0])
        );
        assert_eq!(bill["lines"][0]["cis_type"], "none");
        assert_eq!(
            books.sides(&bill["journal_id"]),
            [side("2100", 0.0, 2214.72), side("5000", 1845.6, 0.0), side("2200", 369.12, 0.0)]
        );
        assert_eq!(books.owed().1, json!(2214.72));
        // Suppliers round in ways of their own: up to a pound away.
        let own = |vat: &str| {
            let mut line = books.item("5000", "100", "ST");
            line["vat_amount"] = json!(vat);
            books.post(PATH, &json!({ "supplier_id": supplier, "invoice_date": "2026-02-20", "lines": [line] }))
        };
        assert_eq!(own("19.00").expect(201)["data"]["gross_amount"], 119.0);
        assert_eq!(reason(&own("18.99")), "vat_amount_out_of_tolerance");
    }

    fn a_suppliers_number_is_entered_once(database) {
        let books = Books::on(&database);
        let (first, second) = (books.supplier("A"), books.supplier("B"));
        let bill = |supplier: i64, reference: Value, issue: bool| {
            books.post(PATH, &json!({
                "supplier_id": supplier, "invoice_date": "2026-02-20", "supplier_reference": reference, "issue": issue,
                "lines": [books.item("5000", "1", "NV")]
            }))
        };
        let made = bill(first, json!("R1"), true).expect(201)["data"].clone();
        let again = bill(first, json!("R1"), true);
        assert_eq!(again.status, 409);
        assert_eq!(refusal(&again), json!({ "reason": "duplicate_number", "field": "supplier_reference", "existing_id": made["id"] }));
        assert_eq!(reason(&bill(first, json!("R1"), false)), "duplicate_number");
        assert_eq!(bill(second, json!("R1"), true).expect(201)["data"]["number"], "BILL-00002");
        bill(first, Value::Null, true).expect(201);
        bill(first, Value::Null, true).expect(201);
        // A void bill keeps its number and frees the supplier's.
        books.done(&format!("{PATH}/{}/void", made["id"]), &json!({}));
        assert_eq!(bill(first, json!("R1"), true).expect(201)["data"]["number"], "BILL-00005");
        let refused = books.post(PATH, &json!({
            "supplier_id": first, "invoice_date": "2026-02-20", "invoice_number": "X", "lines": [books.item("5000", "1", "NV")]
        }));
        assert_eq!(format_paths(&refused), ["invoice_number"]);
        assert_eq!(books.listed("/purchase-invoices?search=r1").0.len(), 3);
        assert_eq!(books.listed(&format!("/purchase-invoices?supplier_id={second}")).1, Some(1));
    }

    fn labour_of_a_subcontractor_has_a_deduction(database) {
        let books = Books::on(&database);
        books.vat_control();
        let supplier = books.subcontractor("Reed Carpentry", 20);
        let line = |price: &str, cis_type: &str| {
            let mut line = books.item("5100", price, "ST");
            line["cis_type"] = json!(cis_type);
            line
        };
        // HMRC's example: 2,567.00 with 367.00 of materials.
        let body = json!({
            "supplier_id": supplier, "invoice_date": "2026-02-20",
            "lines": [line("2200", "labour"), line("367", "materials"), line("10", "none")]
        });
        let bill = books.made(PATH, &body);
        assert_eq!(bill["cis"], json!({
            "rate": 20, "labour_net": 2200.0, "materials_net": 367.0, "deduction": 440.0, "payable": 2652.4, "deducted_to_date": 0.0
        }));
        assert_eq!(fields(&bill, &["gross_amount", "amount_due"]), json!([3092.4, 3092.4]));
        assert_eq!(fields(&bill["lines"][0], &["cis_type", "net_amount"]), json!(["labour", 2200.0]));
        // The bill itself posts gross: CIS is withheld when it is paid.
        assert_eq!(books.owed().1, json!(3092.4));
        let sale = books.customer("C");
        let mut wrong = books.item("4000", "1", "NV");
        wrong["cis_type"] = json!("labour");
        let refused = books.post("/sales-invoices", &json!({ "customer_id": sale, "invoice_date": "2026-02-20", "lines": [wrong] }));
        assert_eq!(format_paths(&refused), ["lines[0].cis_type"]);
        assert_eq!(format_paths(&books.post(PATH, &json!({
            "supplier_id": supplier, "invoice_date": "2026-02-20", "lines": [line("1", "plant")]
        }))), ["lines[0].cis_type"]);
    }

    fn a_subcontractors_line_is_labour_unless_it_says_otherwise(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (reed, plain) = (books.subcontractor("Reed Carpentry", 20), books.supplier("Timber Ltd"));
        let line = |price: &str, cis_type: Value| {
            let mut line = books.item("5100", price, "ST");
            line["cis_type"] = cis_type;
            line
        };
        let mut bare = books.item("5100", "1000", "ST");
        let lines = [bare.clone(), line("200", Value::Null), line("300", json!("materials")), line("50", json!("none"))];
        let types = |document: &Value| {
            document["lines"].as_array().unwrap().iter().map(|line| line["cis_type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let bill = |supplier: i64| json!({ "supplier_id": supplier, "invoice_date": "2026-01-10", "lines": lines });
        let made = books.made(PATH, &bill(reed));
        assert_eq!(types(&made), ["labour", "labour", "materials", "none"]);
        assert_eq!(fields(&made["cis"], &["labour_net", "materials_net", "deduction"]), json!([1200.0, 300.0, 240.0]));
        let other = books.made(PATH, &bill(plain));
        assert_eq!((types(&other), &other["cis"]), (["none", "none", "materials", "none"].map(String::from).to_vec(), &Value::Null));

        // Paid in full, all of it is deducted, and the position is of what is inside the scheme.
        books.payment(reed, "2026-01-12", "1620.00", &[(&made, "1620.00")]);
        let position = books.get("/cis/position?period_start=2026-01-06&period_end=2026-02-05")["data"].clone();
        assert_eq!(
            fields(&position["totals"], &["total_payments", "materials", "liable", "deducted"]),
            json!([1500.0, 300.0, 1200.0, 240.0])
        );

        // A credit note is labour by the bill that it takes back, else by its supplier.
        let note = |supplier: i64, origin: Value| books.made("/purchase-credit-notes", &json!({
            "supplier_id": supplier, "credit_note_date": "2026-01-20", "invoice_id": origin, "lines": [bare]
        }));
        assert_eq!(types(&note(reed, made["id"].clone())), ["labour"]);
        assert_eq!(types(&note(reed, Value::Null)), ["labour"]);
        assert_eq!(types(&note(plain, other["id"].clone())), ["none"]);
        let cis = |id: i64, is: bool| {
            let cis = json!({ "cis": { "is_subcontractor": is, "deduction_rate": if is { json!(30) } else { Value::Null } } });
            books.request("PATCH", &format!("/suppliers/{id}")).json(&cis).send().expect(200);
        };
        cis(reed, false);
        cis(plain, true);
        let back = note(reed, made["id"].clone());
        assert_eq!((types(&back), &back["cis"]["rate"]), (vec!["labour".to_owned()], &json!(20)));
        let back = note(plain, other["id"].clone());
        assert_eq!((types(&back), &back["cis"]), (vec!["none".to_owned()], &Value::Null));

        // The rows of an import are bills like others.
        bare["description"] = json!("imported");
        let row = json!({ "supplier_id": plain, "invoice_date": "2026-01-11", "lines": [bare] });
        let import = books.made("/imports", &json!({ "kind": "purchase_invoices", "rows": [row] }));
        let done = books.done(&format!("/imports/{}/confirm", import["id"]), &json!({ "token": import["token"] }));
        let imported = books.get(&format!("{PATH}/{}", done["results"][0]["id"]))["data"].clone();
        assert_eq!((types(&imported), &imported["cis"]["deduction"]), (vec!["labour".to_owned()], &json!(300.0)));
    }

    fn what_a_drafts_line_leaves_out_is_decided_when_it_is_issued(database) {
        let books = Books::on(&database);
        books.vat_control();
        let (reed, plain) = (books.subcontractor("Reed Carpentry", 20), books.supplier("Timber Ltd"));
        let mut given = books.item("5100", "300", "ST");
        given["cis_type"] = json!("none");
        let draft = |supplier: i64| books.made(PATH, &json!({
            "supplier_id": supplier, "invoice_date": "2026-01-10", "issue": false, "lines": [books.item("5100", "1000", "ST"), given]
        }));
        let types = |bill: &Value| fields(&bill["lines"][0], &["cis_type"])[0].as_str().unwrap().to_owned()
            + " " + bill["lines"][1]["cis_type"].as_str().unwrap();
        let shown = |bill: &Value| books.get(&format!("{PATH}/{}", bill["id"]))["data"].clone();
        let issued = |bill: &Value| {
            let issued = books.done(&format!("{PATH}/{}/issue", bill["id"]), &json!({}));
            assert_eq!(shown(bill), issued);
            issued
        };
        let (first, second, third) = (draft(plain), draft(reed), draft(plain));
        assert_eq!([&first, &second].map(types), ["none none", "labour none"]);

        // A draft that goes to another supplier is what it would be there, with the same lines.
        let moved = books.request("PATCH", &format!("{PATH}/{}", third["id"])).json(&json!({ "supplier_id": reed })).send().expect(200);
        let moved = moved["data"].clone();
        assert_eq!((types(&moved), &moved["cis"]["deduction"]), ("labour none".to_owned(), &json!(200.0)));
        assert_eq!(moved["lines"][0]["id"], third["lines"][0]["id"]);
        assert_eq!(shown(&third), moved);

        for (id, is, rate) in [(plain, true, json!(30)), (reed, false, Value::Null)] {
            let cis = json!({ "cis": { "is_subcontractor": is, "deduction_rate": rate } });
            books.request("PATCH", &format!("/suppliers/{id}")).json(&cis).send().expect(200);
        }
        let deducted = issued(&first);
        assert_eq!((types(&deducted), &deducted["cis"]["deduction"]), ("labour none".to_owned(), &json!(300.0)));
        assert_eq!(deducted["lines"][0]["id"], first["lines"][0]["id"]);
        let plain_now = issued(&second);
        assert_eq!((types(&plain_now), &plain_now["cis"]), ("none none".to_owned(), &Value::Null));
    }

    fn a_flat_rate_bill_posts_gross(database) {
        let books = Books::on(&database);
        books.vat_control();
        let scheme = json!({
            "vat_registered": true, "vat_scheme": "flat_rate", "flat_rate_percent": 9.5, "vat_scheme_from": "2025-01-01"
        });
        let answer = books.request("PATCH", "").json(&scheme).send();
        answer.expect(200);
        let supplier = books.supplier("A");
        let bill = books.made(PATH, &json!({
            "supplier_id": supplier, "invoice_date": "2026-02-20", "lines": [books.item("5000", "100", "ST")]
        }));
        assert_eq!(books.sides(&bill["journal_id"]), [side("2100", 0.0, 120.0), side("5000", 120.0, 0.0)]);
        assert_eq!(fields(&bill, &["vat_amount", "gross_amount"]), json!([20.0, 120.0]));
    }
}
